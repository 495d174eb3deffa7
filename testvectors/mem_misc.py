"""Vectors of exports and of parameter interpolation.

EXP: target, enables, flags and data as encoded; with COMPR two registers hold four halves.
VINTRP, from CLRX's description and isa.h's layout of parameters in LDS (M0[15:0] bytes from its start): attribute by
attribute, primitive by primitive, 12 dwords: P0.x P10.x P0.y P10.y P0.z P10.z P0.w P10.w P20.x .. P20.w; M0 bit 16 + q
set: quad q + 1 begins the next primitive. P1: P10 * i + P0, P2: P20 * j + D, each a multiply and an add, rounded twice,
f32 denormals flushed, nearest even. Halves (GFX8/9): parameters in the low (HIGH: high) half of a dword.
"""
from fractions import Fraction

from mem_model import *
from rational import F16, F32

GENS = ("gfx6", "gfx7", "gfx8", "gfx9")


def exports(f):
    names = [("mrt0", 0), ("mrt7", 7), ("mrtz", 8), ("null", 9), ("pos0", 12), ("pos3", 15), ("param0", 32),
             ("param31", 63)]
    for gen in GENS:
        for k, (name, number) in enumerate(names):
            en = (15, 1, 0, 10, 7, 12, 6, 9)[(k + GENS.index(gen)) % 8]
            done, vm, compr = k % 2, k // 2 % 2, 0
            src = [default_vgpr(4 - i, 3) if en >> i & 1 else 0 for i in range(4)]
            text = "exp %s %s" % (name, ", ".join("v%d" % (4 - i) if en >> i & 1 else "off" for i in range(4)))
            f.add(gen, text + " done" * done + " vm" * vm, [("exec", 0x18)],
                  [("exp", [number, en, done | compr << 1 | vm << 2] + src)])
        for en, regs, src in ((15, "v4, v4, v5, v5", (4, 5)), (3, "v4, v4, off, off", (4, None)),
                              (12, "off, off, v5, v5", (None, 5))):
            f.add(gen, "exp mrt1 %s compr vm" % regs, [("exec", 1 << 63)],
                  [("exp", [1, en, 6] + [default_vgpr(r, 63) if r is not None else 0 for r in src] + [0, 0])])
        f.add(gen, "exp mrt0 v1, v2, v3, v4 done vm", [("exec", 0)], [("exp", [0, 15, 5, 0, 0, 0, 0])])


def step(f, p, x, add):
    """p * x + add, two roundings of f32, denormals flushed on the way in and out."""
    def rounded(v, zero):
        return F32.round(v, 0, False, zero)
    p, x, add = (F32.flush(v, False) for v in (p, x, add))
    sign = (p ^ x) & F32.sign
    prod = rounded(F32.value(p) * F32.value(x), sign)
    total = F32.value(prod) + F32.value(add)
    return rounded(total, F32.sign if F32.negative(prod) and F32.negative(add) else 0)


def f32(x):
    return F32.round(Fraction(x), 0, True)


PARAMS = [f32(x) for x in (1, Fraction(1, 3), -2, Fraction(7, 5), 100, Fraction(-1, 8), 3, Fraction(5, 7), 11, -13, Fraction(17, 3), 19)]
COORDS = [f32(x) for x in (0, Fraction(1, 3), Fraction(-5, 7), 1, 0.25)]
LANES = (0, 3, 4, 9, 63)


def setup(c, attr, m0=0x40, quads=(1, 2)):
    """Parameters of attribute `attr` of every primitive in LDS; returns dword(lane, param, chan)."""
    mask = sum(1 << (q - 1) for q in quads)
    c.put("m0", m0 | mask << 16)
    prims = 1 + len(quads)
    for p in range(prims):
        for d in range(12):
            v = PARAMS[(d * 5 + p) % 12]
            c.lds.put(m0 + 48 * (attr * prims + p) + 4 * d, v, 4)

    def get(lane, param, chan):
        prim = sum(1 for q in quads if lane // 4 >= q)
        d = 8 + chan if param == 2 else 2 * chan + param
        return c.lds.read(m0 + 48 * (attr * prims + prim) + 4 * d, 4)
    return get


def interpolate(f):
    for gen in GENS:
        forms = ("", "_e64") if gen in NEW else ("",)
        for form in forms:
            for attr, chan, quads in ((0, 0, ()), (2, 1, (1, 2)), (31 if not form else 5, 3, (1, 15)), (1, 2, (3,))):
                for op in ("p1", "p2"):
                    c = Case(gen, LANES)
                    get = setup(c, attr, quads=quads)
                    c.vgpr(1, COORDS)
                    if op == "p2":
                        c.vgpr(6, [f32(3), f32(-1), f32(Fraction(1, 7)), f32(0), f32(1000)])
                    for i, l in enumerate(LANES):
                        if op == "p1":
                            v = step(f, get(l, 1, chan), COORDS[i], get(l, 0, chan))
                        else:
                            v = step(f, get(l, 2, chan), COORDS[i], c.get(6, l))
                        c.set(6, l, v)
                    c.emit(f, "v_interp_%s_f32%s v6, v1, attr%d.%s" % (op, form, attr, "xyzw"[chan]))
                for number, name in enumerate(("p10", "p20", "p0")):
                    c = Case(gen, LANES)
                    get = setup(c, attr, quads=quads)
                    for l in LANES:
                        c.set(6, l, get(l, (1, 2, 0)[number], chan))
                    c.emit(f, "v_interp_mov_f32%s v6, %s, attr%d.%s" % (form, name, attr, "xyzw"[chan]))
        # outside of the wave's LDS: reported, zeros
        c = Case(gen, (0,))
        c.put("m0", 0x7fe0)
        c.set(6, 0, 0)
        c.result("loud", 1)
        c.emit(f, "v_interp_mov_f32 v6, p20, attr3.x")


def f16(x):
    return F16.round(Fraction(x), 0, True)


def widen(h):
    return F32.round(F16.value(h), 0, True, F32.sign if h >> 15 else 0)


def halves(f):
    p = [f16(x) for x in (1, Fraction(1, 3), -2, Fraction(7, 5), 100, Fraction(-1, 8))]
    for gen in NEW:
        for high in (False, True):
            dwords = [p[0], p[1], p[2]]
            raw = [(h << 16 | 0x1234) if high else (0x56780000 | h) for h in dwords]  # P0, P10, P20

            def case():
                c = Case(gen, (0, 1, 7))
                c.put("m0", 0)
                c.lds.put(48 * 2 + 8, raw[0], 4)
                c.lds.put(48 * 2 + 12, raw[1], 4)
                c.lds.put(48 * 2 + 36, raw[2], 4)
                c.vgpr(1, COORDS[1:4])
                return c
            tail = " high" if high else ""
            c = case()
            for i, l in enumerate(c.lanes):
                c.set(6, l, step(f, widen(p[1]), COORDS[1 + i], widen(p[0])))
            c.emit(f, "v_interp_p1ll_f16 v6, v1, attr2.y" + tail)
            c = case()
            third = [f16(5), f16(-3), f16(Fraction(2, 3))]
            c.vgpr(2, [h << 16 | 0x3c01 if high else 0x77770000 | h for h in third])
            for i, l in enumerate(c.lanes):
                c.set(6, l, step(f, widen(p[1]), COORDS[1 + i], widen(third[i])))
            c.emit(f, "v_interp_p1lv_f16 v6, v1, attr2.y, v2" + tail)
            for name in ["v_interp_p2_f16"] + (["v_interp_p2_legacy_f16"] if gen == "gfx9" else []):
                c = case()
                acc = [f32(5), f32(-3), f32(Fraction(2, 3))]
                c.vgpr(2, acc)
                for i, l in enumerate(c.lanes):
                    v = step(f, widen(p[2]), COORDS[1 + i], acc[i])
                    h = F16.round(F32.value(v), 0, True, 0x8000 if v >> 31 else 0)
                    keep = c.get(6, l) & 0xffff0000 if gen == "gfx9" and "legacy" not in name else 0
                    c.set(6, l, keep | h)
                c.emit(f, "%s v6, v1, attr2.y, v2%s" % (name, tail))


def trap_registers(f):
    """Outside of a handler (STATUS.PRIV, bit 5) TTMPs read 0 and keep their values, loudly; inside they are registers."""
    for gen in GENS:
        t = "ttmp4"
        for inside in (False, True):
            ins = [("status", 0x10020)] if inside else []
            outs = [] if inside else [("loud", 1)]
            value = 0x1234 if inside else 0
            f.add(gen, "v_mov_b32 v1, " + t, ins + [(t, 0x1234)], [("v1", value)] + outs)
            f.add(gen, "v_add_f32 v1, %s, v2" % t, ins + [(t, 0x3f800000), ("v2", 0x40000000)],
                  [("v1", 0x40400000 if inside else 0x40000000)] + outs)
            f.add(gen, "v_readlane_b32 %s, v2, 0" % t, ins + [("v2", 77)], ([(t, 77)] if inside else []) + outs)
            f.add(gen, "v_cmp_eq_u32_e64 ttmp[4:5], v2, v2", ins,
                  ([("ttmp[4:5]", 1)] if inside else []) + outs)
            zero = "0x0"
            f.add(gen, "s_load_dword %s, s[4:5], %s" % (t, zero), ins + [("s[4:5]", MEM), ("mem[100000]", [5])],
                  ([(t, 5)] if inside else []) + outs)
            f.add(gen, "s_load_dwordx2 s[6:7], ttmp[4:5], " + zero, ins + [("ttmp[4:5]", MEM), ("mem[100000]", [5, 6])],
                  [("s[6:7]", [5, 6])] if inside else
                  [("s[6:7]", [0, 0]), ("fault", 1), ("loud", 1)] + ([] if gen == "gfx6" else [("trapsts", 0x100)]))
            f.add(gen, "buffer_load_dword v1, off, ttmp[4:7], 0",
                  ins + [("ttmp[4:7]", [MEM, 0, 4, 0]), ("mem[100000]", [9])], [("v1", 9 if inside else 0)] + outs)


def generate(f):
    f.note("EXP")
    exports(f)
    f.note("VINTRP")
    interpolate(f)
    f.note("halves")
    halves(f)
    f.note("registers of trap handlers")
    trap_registers(f)
