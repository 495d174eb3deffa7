"""gen_valu.py: integers of 32 and 24 bits, bit fields, bytes, carry chains, selection."""
from valu_lines import *


# ---- integers ------------------------------------------------------------------------------

INTS = [0, 1, M32, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0x12345678, 0x9abcdef0, 0x00ffffff, 0x00800000,
        0x01000000, 0xff7fffff, 0x0000ffff, 0xffff0000, 0x007fffff, 0x55555555, 0xaaaaaaaa, 0x80808080]


def int_cases(nsrc, n=48, last=None):
    out = [tuple(rng.choice(INTS) if rng.randrange(3) else rng.getrandbits(32) for _ in range(nsrc)) for _ in range(n)]
    if last:
        out = [c[:-1] + (rng.choice(last),) for c in out]
    return out


def bfe(a, at, n, sign):
    at, n = at & 31, n & 31
    if n == 0:
        return 0
    n = min(n, 32 - at)
    v = a >> at & ((1 << n) - 1)
    return signed(v, n) if sign else v


def sad(a, b, masked=False):
    return sum(abs((a >> k & 255) - (b >> k & 255)) for k in (0, 8, 16, 24) if not masked or b >> k & 255)


def lerp(a, b, c):
    return sum((((a >> k & 255) + (b >> k & 255) + (c >> k & 1)) >> 1) << k for k in (0, 8, 16, 24))


def perm(a, b, s):
    source = [b >> k & 255 for k in (0, 8, 16, 24)] + [a >> k & 255 for k in (0, 8, 16, 24)]
    r = 0
    for k in range(4):
        n = s >> 8 * k & 255
        if n < 8:
            v = source[n]
        elif n < 12:
            v = 255 if source[2 * (n - 8) + 1] & 0x80 else 0
        else:
            v = 0 if n == 12 else 255
        r |= v << 8 * k
    return r


def reverse(v):
    return int("{:032b}".format(v)[::-1], 2)


def first_high(v):
    return 32 - v.bit_length() if v else M32


def i24(v):
    return signed(v, 24)


def u24(v):
    return v & 0xffffff


COUNTS = [0, 1, 4, 8, 15, 16, 31, 32, 33, 63, 0xffffffe4, M32]
PICK = [0x03020100, 0x07060504, 0x0c0d0e0f, 0x0b0a0908, 0xff0c0804, 0x00010203, 0x10203040, 0x06050403, 0x04050607]

INTEGER = {
    # name: (sources, formula, last operand's values)
    "v_mul_i32_i24": (2, lambda a, b: i24(a) * i24(b), None),
    "v_mul_hi_i32_i24": (2, lambda a, b: i24(a) * i24(b) >> 32, None),
    "v_mul_u32_u24": (2, lambda a, b: u24(a) * u24(b), None),
    "v_mul_hi_u32_u24": (2, lambda a, b: u24(a) * u24(b) >> 32, None),
    "v_min_i32": (2, lambda a, b: min(signed(a), signed(b)), None),
    "v_max_i32": (2, lambda a, b: max(signed(a), signed(b)), None),
    "v_min_u32": (2, min, None),
    "v_max_u32": (2, max, None),
    "v_lshrrev_b32": (2, lambda a, b: b >> (a & 31), None),
    "v_ashrrev_i32": (2, lambda a, b: signed(b) >> (a & 31), None),
    "v_lshlrev_b32": (2, lambda a, b: b << (a & 31), None),
    "v_lshr_b32": (2, lambda a, b: a >> (b & 31), COUNTS),
    "v_ashr_i32": (2, lambda a, b: signed(a) >> (b & 31), COUNTS),
    "v_lshl_b32": (2, lambda a, b: a << (b & 31), COUNTS),
    "v_and_b32": (2, lambda a, b: a & b, None),
    "v_or_b32": (2, lambda a, b: a | b, None),
    "v_xor_b32": (2, lambda a, b: a ^ b, None),
    "v_xnor_b32": (2, lambda a, b: ~(a ^ b), None),
    "v_add_u32": (2, lambda a, b: a + b, None),
    "v_sub_u32": (2, lambda a, b: a - b, None),
    "v_subrev_u32": (2, lambda a, b: b - a, None),
    "v_bfm_b32": (2, lambda a, b: ((1 << (a & 31)) - 1) << (b & 31), COUNTS),
    "v_bcnt_u32_b32": (2, lambda a, b: bin(a).count("1") + b, None),
    "v_mov_b32": (1, lambda a: a, None),
    "v_not_b32": (1, lambda a: ~a, None),
    "v_bfrev_b32": (1, reverse, None),
    "v_ffbh_u32": (1, first_high, None),
    "v_ffbl_b32": (1, lambda a: (a & -a).bit_length() - 1 if a else M32, None),
    "v_ffbh_i32": (1, lambda a: first_high(a if a >> 31 == 0 else ~a & M32), None),
    "v_mad_i32_i24": (3, lambda a, b, c: i24(a) * i24(b) + c, None),
    "v_mad_u32_u24": (3, lambda a, b, c: u24(a) * u24(b) + c, None),
    "v_bfe_u32": (3, lambda a, b, c: bfe(a, b, c, False), COUNTS),
    "v_bfe_i32": (3, lambda a, b, c: bfe(a, b, c, True), COUNTS),
    "v_bfi_b32": (3, lambda a, b, c: a & b | ~a & c, None),
    "v_lerp_u8": (3, lerp, None),
    "v_alignbit_b32": (3, lambda a, b, c: (a << 32 | b) >> (c & 31), COUNTS),
    "v_alignbyte_b32": (3, lambda a, b, c: (a << 32 | b) >> 8 * (c & 3), COUNTS + [2, 3, 7]),
    "v_min3_i32": (3, lambda *c: min(map(signed, c)), None),
    "v_max3_i32": (3, lambda *c: max(map(signed, c)), None),
    "v_med3_i32": (3, lambda *c: sorted(map(signed, c))[1], None),
    "v_min3_u32": (3, min, None),
    "v_max3_u32": (3, max, None),
    "v_med3_u32": (3, lambda *c: sorted(c)[1], None),
    "v_sad_u8": (3, lambda a, b, c: sad(a, b) + c, None),
    "v_sad_hi_u8": (3, lambda a, b, c: (sad(a, b) << 16) + c, None),
    "v_sad_u16": (3, lambda a, b, c: abs((a & 0xffff) - (b & 0xffff)) + abs((a >> 16) - (b >> 16)) + c, None),
    "v_sad_u32": (3, lambda a, b, c: abs(a - b) + c, None),
    "v_msad_u8": (3, lambda a, b, c: sad(a, b, True) + c, None),
    "v_perm_b32": (3, perm, PICK),
    "v_xad_u32": (3, lambda a, b, c: (a ^ b) + c, None),
    "v_lshl_add_u32": (3, lambda a, b, c: (a << (b & 31)) + c, None),
    "v_add_lshl_u32": (3, lambda a, b, c: (a + b) << (c & 31), COUNTS),
    "v_add3_u32": (3, lambda a, b, c: a + b + c, None),
    "v_lshl_or_b32": (3, lambda a, b, c: a << (b & 31) | c, None),
    "v_and_or_b32": (3, lambda a, b, c: a & b | c, None),
    "v_or3_b32": (3, lambda a, b, c: a | b | c, None),
    "v_mul_lo_u32": (2, lambda a, b: a * b, None),
    "v_mul_lo_i32": (2, lambda a, b: a * b, None),
    "v_mul_hi_u32": (2, lambda a, b: a * b >> 32, None),
    "v_mul_hi_i32": (2, lambda a, b: signed(a) * signed(b) >> 32, None),
    "v_add_i32": (2, lambda a, b: a + b, None),
    "v_sub_i32": (2, lambda a, b: a - b, None),
}

# With CLAMP the unbounded result is saturated: signed or unsigned.
SATURATED = {
    "v_add_u32": ("u", lambda a, b: a + b), "v_sub_u32": ("u", lambda a, b: a - b), "v_subrev_u32": ("u", lambda a, b: b - a),
    "v_mad_i32_i24": ("i", lambda a, b, c: i24(a) * i24(b) + signed(c)),
    "v_mad_u32_u24": ("u", lambda a, b, c: u24(a) * u24(b) + c),
    "v_sad_u8": ("u", lambda a, b, c: sad(a, b) + c), "v_sad_hi_u8": ("u", lambda a, b, c: (sad(a, b) << 16) + c),
    "v_sad_u16": ("u", lambda a, b, c: abs((a & 0xffff) - (b & 0xffff)) + abs((a >> 16) - (b >> 16)) + c),
    "v_sad_u32": ("u", lambda a, b, c: abs(a - b) + c), "v_msad_u8": ("u", lambda a, b, c: sad(a, b, True) + c),
    "v_add_i32": ("i", lambda a, b: signed(a) + signed(b)), "v_sub_i32": ("i", lambda a, b: signed(a) - signed(b)),
}


def saturate(kind, v):
    return max(0, min(M32, v)) if kind == "u" else max(-1 << 31, min((1 << 31) - 1, v))


def integers():
    note("Integers. Formulas: the ISA manuals, \"VOP2/VOP1/VOP3 instructions\"; shift counts and fields take the low 5 bits; "
         "v_msad leaves out bytes where the second operand is 0.")
    for name, (nsrc, f, last) in INTEGER.items():
        if name not in ROWS:
            sys.exit("no row " + name)
        for gen in gens_of(name):
            cpu = "gfx906" if name == "v_xnor_b32" else None
            cases = int_cases(nsrc, 48, last)
            if name in ("v_bfe_u32", "v_bfe_i32"):
                cases = [(a, rng.choice(COUNTS), c) for a, b, c in cases]
            if nsrc == 2 and (name.endswith("rev_b32") or name == "v_ashrrev_i32"):
                cases = [(rng.choice(COUNTS), b) for a, b in cases]
            if nsrc == 1:
                cases = [(x,) for x in INTS] + [(1 << k,) for k in range(0, 32, 3)] + [(M32 ^ (1 << k) - 1,) for k in
                                                                                   range(1, 32, 5)]
            lanes(gen, name, lambda *c: f(*c), cases, cpu=cpu)
            if not vop3_only(name, gen) and nsrc == 2:
                lanes(gen, name, lambda *c: f(*c), cases[:12], cpu=cpu, suffix="_e64")
    note("CLAMP saturates integer results.")
    for name, (kind, f) in SATURATED.items():
        for gen in gens_of(name):
            if gen in OLD:
                continue
            nsrc = INTEGER[name][0]
            suffix = e64(name, gen)
            cases = int_cases(nsrc, 48)
            if name.startswith("v_sad") or name.startswith("v_msad"):
                cases = [(a, b, rng.choice((c, M32, 0xfffffff0, 0xffff0000, 0xfffffe00))) for a, b, c in cases]
            lanes(gen, name, lambda *c: saturate(kind, f(*c)), cases, operands=", ".join(("v0",) + SRC[:nsrc]) + " clamp",
                  suffix=suffix)
    note("v_mbcnt: bits of the mask below the lane.")
    for name, low in (("v_mbcnt_lo_u32_b32", True), ("v_mbcnt_hi_u32_b32", False)):
        for gen in GENS:
            cases = [(rng.choice((M32, 0x55555555, rng.getrandbits(32))), rng.choice((0, 5, rng.getrandbits(32)))) for _ in
                     range(64)]
            for suffix in ("",) if gen in NEW else ("", "_e64"):
                r = []
                for l, (a, b) in enumerate(cases):
                    below = (1 << l) - 1
                    r.append(bin(a & (below & M32 if low else below >> 32)).count("1") + b & M32)
                line(gen, name, "v0, v1, v2", [("v1", [c[0] for c in cases]), ("v2", [c[1] for c in cases])], [("v0", r)], 64,
                     suffix=suffix)
    note("v_screen_partition_4se: a table (Vega ISA manual; CLRX). 64 of its 256 entries a line.")
    table = ("1 3 7 f 5 f f f 7 f f f f f f f f 2 6 e f a f f f b f f f f f f d f 4 c f f 5 f f f d f f f f f "
             "9 b f 8 f f f a f f f e f f f f f f f f 4 c d f 6 f f f e f f f f f f f f 8 9 b f 9 9 f f d f f "
             "f f f f 7 f 1 3 f f 9 f f f b f f f f f 6 e f 2 6 f f 6 f f f 7 b f f f f f f f 2 3 b f a f f f "
             "f 7 f f f f f f f 1 9 d f 5 f f f f e f f f f f e f 8 c f f a f f f f d f f f f 6 7 f 4 f f f 5 "
             "9 f f f d f f f f f f f 8 c e f f 6 6 f f e f f f f f f f 4 6 7 f f 6 f f f 7 f f f f f b f 2 3 "
             "9 f f 9 f f f b f f f f 9 d f 1").split()
    assert len(table) == 256
    for k in range(4):
        lanes("gfx9", "v_screen_partition_4se_b32", lambda a: int(table[a & 255], 16),
              [(x | rng.getrandbits(24) << 8,) for x in range(64 * k, 64 * k + 64)])


def wide_sads():
    note("Four sums at once: bytes i .. i + 3 of the first operand against the second, added to field i of the third.")

    def fields(a, b, c, bits, masked, sat):
        r = 0
        for i in range(4):
            v = sad(a >> 8 * i & M32, b, masked) + (c >> bits * i & ((1 << bits) - 1))
            r |= (min(v, (1 << bits) - 1) if sat else v & ((1 << bits) - 1)) << bits * i
        return r
    for name, bits, masked in (("v_qsad_pk_u16_u8", 16, False), ("v_mqsad_pk_u16_u8", 16, True),
                               ("v_mqsad_u32_u8", 32, True)):
        for gen in gens_of(name):
            for sat in (False, True) if gen in NEW else (False,):
                cases = [(rng.getrandbits(64), rng.choice((rng.getrandbits(32), 0xff00ff, rng.getrandbits(32) & 0xffff00ff)),
                          rng.choice((rng.getrandbits(4 * bits), (1 << 4 * bits) - 1, 0)))
                         for _ in range(24)]
                last = 6 + bits // 8 - 1
                line(gen, name, "v[10:%d], v[2:3], v4, v[6:%d]%s" % (10 + bits // 8 - 1, last, " clamp" if sat else ""),
                     [("v[2:3]", [c[0] for c in cases]), ("v4", [c[1] for c in cases]),
                      ("v[6:%d]" % last, [c[2] for c in cases])],
                     [("v[10:%d]" % (10 + bits // 8 - 1), [fields(*c, bits, masked, sat) for c in cases])], len(cases))


def carries():
    note("Carry chains: the carry of active lanes goes to VCC (or the SGPR pair), 0 for the others; carry in from VCC.")
    table = {
        "v_add_co_u32": lambda a, b, c: (a + b, a + b >> 32), "v_sub_co_u32": lambda a, b, c: (a - b, b > a),
        "v_subrev_co_u32": lambda a, b, c: (b - a, a > b),
        "v_addc_co_u32": lambda a, b, c: (a + b + c, a + b + c >> 32),
        "v_subb_co_u32": lambda a, b, c: (a - b - c, b + c > a),
        "v_subbrev_co_u32": lambda a, b, c: (b - a - c, a + c > b),
    }
    for name, f in table.items():
        chain = name in ("v_addc_co_u32", "v_subb_co_u32", "v_subbrev_co_u32")
        for gen in GENS:
            for k in range(3):
                cases = int_cases(2, 64)
                cases[:8] = [(0, 0), (M32, 0), (0, M32), (M32, M32), (1, 0), (0, 1), (5, 5), (0x80000000, 0x80000000)]
                rng.shuffle(cases)
                on = M64 if k == 0 else rng.getrandbits(64)
                was = rng.getrandbits(64)
                sat = k == 2 and gen in NEW
                src, out = ("vcc", "vcc") if k == 0 else ("s[6:7]", "s[4:5]")
                r = [f(a, b, was >> l & 1 if chain else 0) for l, (a, b) in enumerate(cases)]
                value = [(saturate("u", d) if sat else d) & M32 for d, _ in r]
                value = [v if on >> l & 1 else 0xa5000000 + l for l, v in enumerate(value)]
                carry = sum(int(c) << l for l, (_, c) in enumerate(r)) & on
                operands = "v0, %s, v1, v2%s%s" % (out, ", " + src if chain else "", " clamp" if sat else "")
                line(gen, name, operands, [("v1", [c[0] for c in cases]), ("v2", [c[1] for c in cases]), (src, was)] if chain else
                     [("v1", [c[0] for c in cases]), ("v2", [c[1] for c in cases])], [("v0", value), (out, carry)], 64,
                     exec_=on, suffix="" if k == 0 else "_e64")


def select():
    note("v_cndmask: the second operand where the mask has a 1; in VOP3 with neg and abs.")
    for gen in GENS:
        cases = int_cases(2, 64)
        mask = rng.getrandbits(64)
        both = [("v1", [c[0] for c in cases]), ("v2", [c[1] for c in cases])]
        line(gen, "v_cndmask_b32", "v0, v1, v2, vcc", both + [("vcc", mask)],
             [("v0", [c[mask >> l & 1] for l, c in enumerate(cases)])], 64)
        line(gen, "v_cndmask_b32", "v0, v1, v2, s[4:5]", both + [("s[4:5]", mask)],
             [("v0", [c[mask >> l & 1] for l, c in enumerate(cases)])], 64, suffix="_e64")
        line(gen, "v_cndmask_b32", "v0, -v1, |v2|, s[4:5]", both + [("s[4:5]", mask)],
             [("v0", [absolute(c[1]) if mask >> l & 1 else neg(c[0]) for l, c in enumerate(cases)])], 64, suffix="_e64")
        line(gen, "v_cndmask_b32", "v0, 0, 1.0, vcc", [("vcc", mask)],
             [("v0", [0x3f800000 if mask >> l & 1 else 0 for l in range(64)])], 64, suffix="_e64")
