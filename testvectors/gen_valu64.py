#!/usr/bin/env python3
"""Writes valu64.tv: vectors of the vector ALU rows with f64, f16, 16- and 64-bit integers, packed halves, dot
products, mixed precision and matrices, with values that this file computes by itself.

    testvectors/gen_valu64.py > testvectors/valu64.tv

Floats are exact rationals rounded by definition (rational.py, exact.py); what is rounded and when is said by the ISA manuals'
formulas, the rest by docs/errata.md (E-nan, E-transcendentals, E-division, E-dot, E-mfma). Each group of rows below
names its source. LLVM gives the instruction words. The table (isa/*.def) is read for names, opcodes and operand types
only; the file stops when a row has no formula here.

Every row of every generation gets edge operands (zeros, denormals, least normal, ties, largest, infinities, NaNs) in
round-to-nearest with denormals kept, then in the other modes with denormals kept and flushed, and modifiers: NEG,
ABS, CLAMP with and without DX10_CLAMP, OMOD, op_sel.
"""
import re
import sys
from fractions import Fraction as Q

from rational import F16, F32, F64, convert
from valu64_operands import FLOATS, WIDTH, float_random, operand_sets, random, value_of
from valu64_ops import M16, M32, M64, Mode, halves, trig_preop, two_over_pi
from valu64_rows import FORMULAS, READS_DST, READS_VCC, Sat
from vectors import File, mnemonic, rows

REGISTER = {"dst": 10, 0: 2, 1: 4, 2: 6}


def reg(n, wide):
    n_regs = max(wide // 32, 1)
    return "v%d" % n if n_regs == 1 else "v[%d:%d]" % (n, n + n_regs - 1)


def width(kind):
    return WIDTH.get(kind, 32)


class Mods:
    """NEG, ABS by source, CLAMP, OMOD, op_sel (bit i source i, 3 the destination) of a vector."""

    def __init__(self, neg=0, abs_=0, clamp=False, omod=0, op_sel=0, op_sel_hi=7, neg_hi=0):
        self.neg, self.abs, self.clamp, self.omod = neg, abs_, clamp, omod
        self.op_sel, self.op_sel_hi, self.neg_hi = op_sel, op_sel_hi, neg_hi


PLAIN = Mods()


def apply_source(row, kind, u, i, mods):
    """What the row's formula gets of operand i."""
    if row.enc == "VOP3P":
        lo, hi = mods.op_sel >> i & 1, mods.op_sel_hi >> i & 1
        nlo, nhi = mods.neg >> i & 1, mods.neg_hi >> i & 1
        if kind in ("V2F16", "V2U16", "V2I16"):
            a, b = halves(u)[lo], halves(u)[hi]
            return a ^ nlo << 15 | (b ^ nhi << 15) << 16
        return u  # MIX: mix_source
    if mods.op_sel >> i & 1:
        u >>= 16
    if width(kind) == 16:
        u &= M16
    if kind in FLOATS:
        f = FLOATS[kind]
        if mods.abs >> i & 1:
            u &= ~f.sign
        if mods.neg >> i & 1:
            u ^= f.sign
    return u


def mix_source(m, u, i, mods, fused):
    """op_sel_hi: a half, chosen by op_sel; neg_hi is abs. v_mad_mix* flush denormal halves: E-mad16."""
    if mods.op_sel_hi >> i & 1:
        u = convert(F16, F32, halves(u)[mods.op_sel >> i & 1], 0, fused and m.in16)
    if mods.neg_hi >> i & 1:
        u &= ~F32.sign
    return u ^ F32.sign if mods.neg >> i & 1 else u


def clamp_float(f, m, u):
    if f.is_nan(u):
        return 0 if m.dx10 else u
    if f.negative(u) or f.is_zero(u):
        return 0
    return min(u, f.one)


def finish(row, m, u, mods):
    """OMOD (not in IEEE mode, nor where denormal results are kept), then CLAMP."""
    f = FLOATS.get(row.dst)
    if row.dst == "V2F16":
        if mods.clamp:
            u = clamp_float(F16, m, u & M16) | clamp_float(F16, m, u >> 16) << 16
        return u
    if f is None:
        return u
    r, _, keep = m.of(f)
    if mods.omod and not keep and not m.ieee:
        if not f.is_nan(u) and not f.is_inf(u):
            u = f.round(f.value(u) * (Q(2), Q(4), Q(1, 2))[mods.omod - 1], r, keep, u & f.sign)
        if f.is_zero(u):
            u = 0
    return clamp_float(f, m, u) if mods.clamp else u


def kinds_of(row):
    if row.name in READS_DST:
        return row.src + [row.dst]
    return list(row.src)


def expect(row, m, operands, mods, flag=0):
    formula = FORMULAS[row.name]
    kinds = kinds_of(row)
    u = [apply_source(row, k, v, i, mods) if not (row.name in READS_DST and i == len(row.src)) else v & ((1 << width(k)) - 1)
         for i, (k, v) in enumerate(zip(kinds, operands))]
    u = [mix_source(m, v, i, mods, "FMA" in row.name) if k == "MIX" else v ^ (1 << 31 if k == "F32" and row.enc == "VOP3P" and mods.neg >> i & 1 else 0)
         for i, (k, v) in enumerate(zip(kinds, u))]
    extra = (flag,) if row.name in READS_VCC else ()
    if isinstance(formula, Sat):
        r = formula.g(m, mods.clamp, *u)
    else:
        r = formula(m, *u, *extra)
    r, co = r if isinstance(r, tuple) else (r, None)
    bits = (1 << width(row.dst)) - 1
    return finish(row, m, r & bits, mods), co


def placed(row, gen, old, r, mods):
    """What the register holds: 16-bit results clear the upper half, but those with op_sel keep the other."""
    if row.name.startswith(("V_MAD_MIXHI", "V_FMA_MIXHI")):
        return r << 16 | old & M16
    if row.name.startswith(("V_MAD_MIXLO", "V_FMA_MIXLO")):
        return r | old & ~M16 & M32
    if width(row.dst) != 16:
        return r
    if row.has("OPSEL"):
        return r << 16 | old & M16 if mods.op_sel & 8 else r | old & ~M16 & M32
    return r


def text_of(row, gen, form, mods, literal):
    name = mnemonic(row, gen)
    if row.enc in ("VOP1", "VOP2") and not row.has("LITK") and not row.has("NO_VOP3"):
        name += "_" + form
    ops = [reg(REGISTER["dst"], width(row.dst))]
    if row.has("WR_VCC"):
        ops.append("s[20:21]")
    for i, k in enumerate(row.src):
        t = reg(REGISTER[i], width(k))
        if literal is not None and row.has("LITK") and i == (1 if row.has("LITMID") else 2):
            t = "0x%x" % literal
        if k == "MIX" or (row.enc != "VOP3P"):
            ab = mods.neg_hi if k == "MIX" else mods.abs
            if ab >> i & 1:
                t = "|%s|" % t
            if mods.neg >> i & 1:
                t = "-" + t
        ops.append(t)
    if row.has("LITK") and not row.has("LITMID"):
        pass
    elif row.has("LITMID"):
        ops[3] = reg(REGISTER[2], 16)
    t = name + " " + ", ".join(ops)
    n = len(row.src)

    def bits(v, count):
        return "[" + ",".join(str(v >> i & 1) for i in range(count)) + "]"
    if row.enc == "VOP3P":
        mix = "MIX" in row.src
        default = 0 if mix else (1 << n) - 1
        if mods.op_sel & ((1 << n) - 1):
            t += " op_sel:" + bits(mods.op_sel, n)
        if (mods.op_sel_hi & ((1 << n) - 1)) != default:
            t += " op_sel_hi:" + bits(mods.op_sel_hi, n)
        if not mix and mods.neg:
            t += " neg_lo:" + bits(mods.neg, n)
        if not mix and mods.neg_hi:
            t += " neg_hi:" + bits(mods.neg_hi, n)
    elif mods.op_sel:
        v = mods.op_sel & ((1 << n) - 1) | (mods.op_sel >> 3 & 1) << n
        t += " op_sel:" + bits(v, n + 1)
    if mods.clamp:
        t += " clamp"
    if mods.omod:
        t += (" mul:2", " mul:4", " div:2")[mods.omod - 1]
    return t


def vector(out, row, gen, sets, mode, mods=PLAIN, form=None):
    m = Mode(mode, gen)
    form = form or ("e32" if row.enc in ("VOP1", "VOP2") else "e64")
    n = len(sets)
    off = 1 << (n // 2) | (2 if n > 5 else 0)
    exec_mask = ((1 << n) - 1) & ~off
    literal = None
    if row.has("LITK"):
        k = 1 if row.has("LITMID") else 2
        literal = next(s[k] for s in sets if not 0 < s[k] < 65 and s[k] not in (0x3c00, 0xbc00, 0x3800, 0xb800, 0x4000, 0xc000, 0x4400,
                                                                              0xc400, 0x3118, 0) and s[k] < 0xfff0)
        sets = [s[:k] + (literal,) + s[k + 1:] for s in sets]
    vcc = random(1 << n) if row.name in READS_VCC else 0
    inputs, results, carry = [], [], 0
    cells = {}
    shown = list(enumerate(row.src))
    for i, k in shown:
        if literal is not None and i == (1 if row.has("LITMID") else 2):
            continue
        values = [s[i] for s in sets]
        if width(k) == 16 and row.enc != "VOP3P":
            noise = [random(1 << 16) for _ in values]
            if mods.op_sel >> i & 1:
                values = [x | v << 16 for x, v in zip(noise, values)]
            else:
                values = [v | x << 16 for x, v in zip(noise, values)]
        cells[i] = values
        inputs.append(("%s[0:%d]" % (reg(REGISTER[i], width(k)), n - 1), values))
    dst_wide = width(row.dst)
    if row.name in READS_DST:
        old = [s[len(row.src)] for s in sets]
        if dst_wide == 16:
            old = [v | random(1 << 16) << 16 for v in old]
    else:
        old = [0xdeadbeef if dst_wide <= 32 else 0xfeedfacedeadbeef if dst_wide == 64 else 0x11112222333344445555666677778888] * n
    inputs.append(("%s[0:%d]" % (reg(REGISTER["dst"], dst_wide), n - 1), old))
    got = []
    for l, s in enumerate(sets):
        raw = list(s)
        for i in cells:
            raw[i] = cells[i][l]
        r, co = expect(row, m, raw, mods, vcc >> l & 1)
        got.append(placed(row, gen, old[l], r, mods) if exec_mask >> l & 1 else old[l])
        carry |= (co or 0) << l
    results.append(("%s[0:%d]" % (reg(REGISTER["dst"], dst_wide), n - 1), got))
    inputs.append(("exec", exec_mask))
    if mode != 0xf0:
        inputs.append(("mode", mode))
    if row.name in READS_VCC:
        inputs.append(("vcc", vcc))
    if row.has("WR_VCC"):
        inputs.append(("s[20:21]", M64))
        results.append(("s[20:21]", carry & exec_mask))
    if len(set(map(str, old))) == 1 and row.name not in READS_DST:
        inputs = [(reg(REGISTER["dst"], dst_wide), old[0]) if k.startswith(reg(REGISTER["dst"], dst_wide) + "[0:") else (k, v)
                  for k, v in inputs]
    out.add(row.target(gen), text_of(row, gen, form, mods, literal), inputs, results)


# (f64 rounding << 2 | f32 rounding) | denormals << 4, so that each format's own bits are seen to count.
MODES = [0x00 | 0x0, 0xf0 | 0x4, 0xf0 | 0x9, 0xf0 | 0xe, 0x30 | 0x7, 0xc0 | 0xb, 0x70 | 0x2, 0x80 | 0x1, 0x50 | 0xd, 0xa0 | 0x8, 0x10 | 0x6, 0x60 | 0x1,
         0xb0 | 0x2]


def float_row(row):
    return any(k in FLOATS or k in ("V2F16", "MIX") for k in row.src + [row.dst])


def moderate(row, kinds, count):
    """Operands whose results are no matter of denormals or overflow: for OMOD and CLAMP."""
    def one(k, i):
        if k in FLOATS:
            f = FLOATS[k]
            return (0, f.sign, f.one, f.one - f.min_normal, f.sign | f.one - 1, f.inf | f.quiet)[i % 6] if i % 2 else float_random(f)
        if k == "V2F16":
            return one("F16", i) | one("F16", i + 3) << 16
        if k == "MIX":
            return one("F32", i)
        return value_of(k, i)
    return [tuple(one(k, i * (2 * n + 1) + n) for n, k in enumerate(kinds)) for i in range(count)]


def row_vectors(out, row, gen, at):
    kinds = ["F32" if k == "MIX" else k for k in kinds_of(row)]
    is_float = float_row(row)
    wide = max(width(k) for k in kinds)
    count = {1: 32, 2: 24, 3: 18}[len(kinds)] if wide <= 32 else {1: 28, 2: 22, 3: 16}[len(kinds)]
    base = 0xf0
    has_vop3 = row.enc in ("VOP1", "VOP2") and not row.has("NO_VOP3") and not row.has("LITK")
    default = Mods(op_sel_hi=0) if "MIX" in row.src else PLAIN

    vector(out, row, gen, operand_sets(row, kinds, count, at), base, default)
    vector(out, row, gen, operand_sets(row, kinds, count, at + 3), base | (0x200 if is_float else 0), default,
           "e64" if has_vop3 else None)
    if is_float:
        for i in range(4):
            mode = MODES[(at * 4 + i) % len(MODES)]
            vector(out, row, gen, operand_sets(row, kinds, count, at + 5 + 2 * i), mode, default)
    if gen == "gfx9" and row.dst in ("F16", "V2F16"):
        vector(out, row, gen, operand_sets(row, kinds, count, at + 4), 0x8000f0 | at % 4 << 2, default)
    n = len(row.src)
    mask = (1 << n) - 1
    if row.enc == "VOP3P":
        packed_vectors(out, row, gen, kinds, count, at)
        return
    v3 = has_vop3 or row.enc == "VOP3"
    if not v3:
        return
    if row.has("IMOD"):
        floats = sum(1 << i for i, k in enumerate(row.src) if k in FLOATS)
        for neg, ab in ((5, 2), (2, 7)) if row.name != "V_DIV_SCALE_F64" else ((7, 0),):
            neg, ab = neg & floats, ab & floats
            vector(out, row, gen, operand_sets(row, kinds, count, at + 11 + neg), base, Mods(neg, ab), "e64")
    if row.has("CLAMP") and row.name not in ("V_DIV_SCALE_F64", "V_MQSAD_U32_U8") or row.name in ("V_QSAD_PK_U16_U8",):
        integer = row.dst not in FLOATS
        if not (integer and gen in ("gfx6", "gfx7")):
            if integer:
                vector(out, row, gen, operand_sets(row, kinds, count, at + 13), base, Mods(clamp=True), "e64")
            else:
                for mode in (0xf0, 0x1f0):
                    vector(out, row, gen, moderate(row, kinds, 12), mode, Mods(clamp=True), "e64")
    if row.has("OMOD") and row.dst in FLOATS and row.name not in ("V_DIV_SCALE_F64",):
        for k, mode in ((1, 0x00), (2, 0x00), (3, 0x00), (1, 0xf0), (2, 0x200)):
            vector(out, row, gen, moderate(row, kinds, 8), mode, Mods(omod=k, clamp=k == 3 and row.has("CLAMP")), "e64")
    if row.has("OPSEL") and gen == "gfx9":
        small = sum(1 << i for i, k in enumerate(row.src) if width(k) == 16)
        for sel in (mask & small, 8, (5 & small) | 8, 2 & small):
            if width(row.dst) != 16:
                sel &= 7
            if sel:
                vector(out, row, gen, operand_sets(row, kinds, 12, at + sel), base, Mods(op_sel=sel), "e64")


def packed_vectors(out, row, gen, kinds, count, at):
    n = len(row.src)
    mask = (1 << n) - 1
    two = sum(1 << i for i, k in enumerate(row.src) if k in ("V2F16", "V2U16", "V2I16"))
    if "MIX" in row.src:
        for hi, lo, neg, ab in ((7, 0, 0, 0), (7, 7, 5, 2), (5, 4, 2, 0), (2, 2, 0, 7), (0, 0, 6, 1)):
            vector(out, row, gen, operand_sets(row, kinds, 14, at + hi + lo), 0xf0, Mods(neg, 0, False, 0, lo, hi, ab))
            vector(out, row, gen, operand_sets(row, kinds, 14, at + hi + lo + 1), MODES[(at + lo) % len(MODES)],
                   Mods(neg, 0, False, 0, lo, hi, ab))
        if row.has("CLAMP"):
            for mode in (0xf0, 0x1f0):
                vector(out, row, gen, moderate(row, kinds, 12), mode, Mods(clamp=True, op_sel_hi=0))
        return
    if two:
        for lo, hi in ((mask, 0), (1, mask & ~1), (2, mask & ~2), (mask, mask)):
            vector(out, row, gen, operand_sets(row, kinds, 12, at + lo + hi), 0xf0, Mods(op_sel=lo & two, op_sel_hi=hi & two | mask & ~two))
    if row.has("IMOD"):
        for lo, hi in ((mask, 0), (0, mask), (5 & mask, 2 & mask)):
            hi &= two
            vector(out, row, gen, operand_sets(row, kinds, 12, at + lo + hi), 0xf0, Mods(neg=lo, neg_hi=hi))
    if row.has("CLAMP"):
        if row.dst in ("V2F16", "F32"):
            for mode in (0xf0, 0x1f0):
                vector(out, row, gen, moderate(row, kinds, 12), mode, Mods(clamp=True))
        else:
            vector(out, row, gen, operand_sets(row, kinds, count, at + 13), 0xf0, Mods(clamp=True))


# ---- matrices: values only; tests/test_mfma.c has the layout -------------------------------------------

def matrix_vectors(out):
    """All lanes hold the same, so every element of D is C + K times the product of an element of A and of B."""
    for row in rows("mai.def"):
        if row.name == "V_ACCVGPR_READ_B32":
            out.add("gfx908", "v_accvgpr_read_b32 v3, a5", [("a5[0:3]", [1, 2, 3, 4]), ("v3", 9), ("exec", 13)],
                    [("v3[0:3]", [1, 9, 3, 4])])
            continue
        if row.name == "V_ACCVGPR_WRITE_B32":
            out.add("gfx908", "v_accvgpr_write_b32 a5, v3", [("v3[0:3]", [1, 2, 3, 4]), ("a5", 9), ("exec", 13)],
                    [("a5[0:3]", [1, 9, 3, 4])])
            out.add("gfx908", "v_accvgpr_write_b32 a5, -1", [("a5", 9), ("exec", 13)], [("a5[0:3]", [M32, 9, M32, M32])])
            continue
        _, k, kind = re.match(r"V_MFMA_\w\d+_(\d+X\d+)X(\d+?)(F32|F16|BF16|I8)$", row.name).groups()
        n = int(row.dst[1:]) // 32
        wide = row.src[0] == "B64"
        ra, rb = ("v[2:3]", "v[4:5]") if wide else ("v2", "v4")
        a, b, c = -3, 5, 7
        if kind == "I8":
            da, db = (a & 255) * 0x01010101, b * 0x01010101
            conv = lambda v: v & M32
        elif kind == "F16":
            da, db = (F16.round(Q(v)) * 0x0001000100010001 for v in (a, b))
            conv = lambda v: F32.round(Q(v))
        elif kind == "BF16":
            da, db = ((F32.round(Q(v)) >> 16) * 0x10001 for v in (a, b))
            conv = lambda v: F32.round(Q(v))
        else:
            da, db = F32.round(Q(a)), F32.round(Q(b))
            conv = lambda v: F32.round(Q(v))
        acc = [c + i for i in range(n)]
        want = [conv(v + int(k) * a * b) for v in acc]
        name = row.name.lower()
        out.add("gfx908", "%s a[0:%d], %s, %s, a[%d:%d]" % (name, n - 1, ra, rb, 32, 31 + n),
                [(ra, da), (rb, db), ("a[32:%d]" % (31 + n), [conv(v) for v in acc]), ("exec", 0)],
                [("a[0:%d]" % (n - 1), want)])


# ---- constants -----------------------------------------------------------------------------------------

def constants(out):
    """Inline constants take the operand's format; literals of f64 are its upper half."""
    two, one, half = F64.round(Q(2)), F64.one, F64.round(Q(1, 2))
    for g in ("gfx6", "gfx7", "gfx8", "gfx9"):
        out.add(g, "v_add_f64 v[10:11], 1.0, v[2:3]", [("v[2:3]", one)], [("v[10:11]", two)])
        out.add(g, "v_add_f64 v[10:11], s[2:3], v[2:3]", [("s[2:3]", half), ("v[2:3]", half)], [("v[10:11]", one)])
        out.add(g, "v_add_f64 v[10:11], v[2:3], 1", [("v[2:3]", 1)], [("v[10:11]", 2)])
        out.add(g, "v_max_f64 v[10:11], v[2:3], -1", [("v[2:3]", F64.sign | F64.inf)], [("v[10:11]", F64.sign | F64.inf)])
        out.add(g, "v_cvt_f32_f64_e32 v10, 0x40080000", [], [("v10", 0x40400000)])
        out.add(g, "v_rcp_f64_e32 v[10:11], -4.0", [], [("v[10:11]", F64.round(Q(-1, 4)))])
    for g in ("gfx8", "gfx9"):
        out.add(g, "v_add_f64 v[10:11], v[2:3], 0.15915494309189532", [("v[2:3]", 0)], [("v[10:11]", 0x3fc45f306dc9c882)])
        out.add(g, "v_add_f16_e32 v10, 1.0, v2", [("v2", 0x3c00)], [("v10", 0x4000)])
        out.add(g, "v_add_f16_e32 v10, 0.15915494, v2", [("v2", 0)], [("v10", 0x3118)])
        out.add(g, "v_add_f16_e32 v10, 0x1234, v2", [("v2", 0x8000)], [("v10", 0x1234)])
        out.add(g, "v_add_f16_e32 v10, s3, v2", [("s3", 0x12343c00), ("v2", 0x3c00)], [("v10", 0x4000)])
        out.add(g, "v_add_u16_e32 v10, -1, v2", [("v2", 0x12340003)], [("v10", 2)])
        out.add(g, "v_ashrrev_i64 v[10:11], 4, v[2:3]", [("v[2:3]", 1 << 63)], [("v[10:11]", 0xf800000000000000)])
    out.add("gfx9", "v_pk_add_f16 v10, v2, 1.0", [("v2", 0x40003c00)], [("v10", 0x40004000)])
    out.add("gfx9", "v_pk_add_f16 v10, v2, 1.0 op_sel_hi:[1,0]", [("v2", 0x40003c00)], [("v10", 0x42004000)])
    out.add("gfx9", "v_pk_add_u16 v10, v2, -1", [("v2", 0x00050003)], [("v10", 0x00040002)])
    out.add("gfx9", "v_pk_add_u16 v10, v2, 3 op_sel_hi:[1,0]", [("v2", 0x00050003)], [("v10", 0x00080006)])
    out.add("gfx9", "v_pk_mul_lo_u16 v10, s2, v2 op_sel:[1,0]", [("s2", 0x00070003), ("v2", 0x00050002)], [("v10", 0x0023000e)])
    out.add("gfx9", "v_mad_f16 v10, v2, 1.0, v4", [("v2", 0x4000), ("v4", 0x3c00), ("v10", 0x12345678)], [("v10", 0x12344200)])


# ---- SDWA, DPP --------------------------------------------------------------------------------------------

def parts(out):
    """Halves of registers as sources and results. SDWA: the manuals' DST_UNUSED 0 pads, 1 extends the sign, 2 keeps."""
    two = [("v2", 0x3c001234), ("v4", 0x56784000), ("v10", 0xaaaabbbb)]
    high_low = " src0_sel:WORD_1 src1_sel:WORD_0"

    def each(text, inputs, results, gens=("gfx8", "gfx9")):
        for g in gens:
            out.add(g, text, inputs, results)

    for dst, want in (("WORD_1 dst_unused:UNUSED_PRESERVE", 0x4200bbbb), ("WORD_1 dst_unused:UNUSED_PAD", 0x42000000),
                      ("WORD_0 dst_unused:UNUSED_PRESERVE", 0xaaaa4200), ("WORD_0 dst_unused:UNUSED_PAD", 0x4200),
                      ("DWORD dst_unused:UNUSED_PRESERVE", 0x4200)):
        each("v_add_f16_sdwa v10, v2, v4 dst_sel:" + dst + high_low, two, [("v10", want)])
    each("v_add_f16_sdwa v10, -v2, -v4 dst_sel:WORD_0 dst_unused:UNUSED_SEXT" + high_low, two, [("v10", 0xffffc200)])
    each("v_mul_f16_sdwa v10, |v2|, -|v4| dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:WORD_1",
         [("v2", 0x1234c000), ("v4", 0xc2005678), ("v10", 0xaaaabbbb)], [("v10", 0xc600bbbb)])
    each("v_max_f16_sdwa v10, v2, v4 clamp dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE" + high_low, two, [("v10", 0xaaaa3c00)])
    each("v_cvt_f32_f16_sdwa v10, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1", two, [("v10", 0x3f800000)])
    each("v_cvt_f16_f32_sdwa v10, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD",
         [("v2", 0xc0400000), ("v10", 0xaaaabbbb)], [("v10", 0xc200bbbb)])
    each("v_sqrt_f16_sdwa v10, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_1", [("v2", 0x4c001111)],
         [("v10", 0x44000000)])
    each("v_add_u16_sdwa v10, sext(v2), v4 dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:BYTE_1",
         [("v2", 0x80000000), ("v4", 0x0000ff00)], [("v10", 0x7f)])
    each("v_lshlrev_b16_sdwa v10, v2, v4 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:WORD_1",
         [("v2", 4), ("v4", 0x12340000), ("v10", 0xaaaabbbb)], [("v10", 0xaaaa40bb)])
    each("v_min_i16_sdwa v10, v2, v4 dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:WORD_1 src1_sel:WORD_1",
         [("v2", 0x80010000), ("v4", 0x7fff0000)], [("v10", 0xffff8001)])
    each("v_add_f16_sdwa v10, s2, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_0",
         [("s2", 0x3c000000), ("v4", 0x4000)], [("v10", 0x4200)], ("gfx9",))
    lanes_in = [("v2[0:3]", [0x3c00, 0x4000, 0x4200, 0x4400]), ("v4", 0x3c00), ("v10", 0xaaaabbbb), ("exec", 15)]
    each("v_add_f16_dpp v10, v2, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", lanes_in,
         [("v10[0:3]", [0x4200, 0x4000, 0x4500, 0x4400])])
    each("v_sub_f16_dpp v10, -v2, |v4| row_shr:1 row_mask:0xf bank_mask:0xf", lanes_in,
         [("v10[0:3]", [0xaaaabbbb, 0xc000, 0xc200, 0xc400])])
    each("v_rndne_f16_dpp v10, v2 row_mirror row_mask:0xf bank_mask:0xf bound_ctrl:0", lanes_in, [("v10[0:3]", [0, 0, 0, 0])])
    out.add("gfx908", "v_dot2c_f32_f16_dpp v10, v2, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
            [("v2[0:1]", [0x3c003c00, 0x40003c00]), ("v4", 0x42003c00), ("v10", 0x3f800000), ("exec", 3)],
            [("v10[0:1]", [0x41000000, 0x40a00000])])


def check_trig_preop():
    """What it is for: the three segments times the argument are argument * 2 / pi modulo 4, to 100 bits (ROCm's device
    libraries, trigredlarge: the argument scaled by 2^-128 from 2^945 on)."""
    m = Mode(0xf0, "gfx9")
    exact_value = Q(two_over_pi(3000), 1 << 3000)
    for e in (1077, 1078, 1200, 1900, 1967, 1968, 2000, 2046):
        a = e << 52 | random(1 << 52)
        parts = sum(F64.value(trig_preop(m, a, s)) for s in range(3)) * F64.value(a) * (Q(1, 1 << 128) if e >= 1968 else 1)
        off = (parts - exact_value * F64.value(a)) % 4
        if min(off, 4 - off) > Q(1, 1 << 100):
            sys.exit("v_trig_preop_f64 does not reduce %x" % a)


def in_scope(row):
    kinds = set(row.src) | {row.dst}
    return "INTERP" not in row.name and (kinds & (set(WIDTH) | {"V2U16", "V2I16", "V2F16", "MIX"}) or "DOT" in row.name)


def main():
    out = File()
    at = 0
    check_trig_preop()
    for row in rows("vop.def", {"VOP1", "VOP2", "VOP3", "VOP3P"}):
        if not in_scope(row):
            continue
        if row.name not in FORMULAS:
            sys.exit("no formula: " + row.name)
        out.note(row.name)
        for gen in row.gens:
            row_vectors(out, row, gen, at)
            at += 1
    out.note("Constants and scalar registers as sources.")
    constants(out)
    out.note("Parts of registers, lanes of others.")
    parts(out)
    out.note("Matrices.")
    matrix_vectors(out)
    out.write("f64, f16, 16 and 64 bits, packed, dot products, matrices. Made by gen_valu64.py; the format: atoll-test(1).")


if __name__ == "__main__":
    main()
