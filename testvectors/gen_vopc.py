#!/usr/bin/env python3
"""Writes vopc.tv: vectors of every vector compare and generation, with values that this file computes by itself.

    testvectors/gen_vopc.py > testvectors/vopc.tv

Rules: the ISA manuals' tables of compare operations ("VOPC instructions": sixteen float relations, of which eight are
true for unordered operands; eight integer relations; classes of floats), the denormal modes of MODE (inputs of f32
by bit 4, of f64 and f16 by bit 6; classes are those of the bits, never flushed), NEG and ABS on float sources in
VOP3 and SDWA, lanes that are off give 0, V_CMPX writes EXEC too. CLAMP and the signalling forms change
exceptions only, which are not modelled. LLVM gives the instruction words. The table is read for names and opcodes
only.
"""
import re
import sys

from rational import F16, F32, F64, compare
from vectors import File, mnemonic, rows

FORMATS = {"F16": F16, "F32": F32, "F64": F64}
WIDTH = {"I16": 16, "U16": 16, "I32": 32, "U32": 32, "I64": 64, "U64": 64}

# The relations: which of less, equal, greater, unordered satisfy them.
FLOAT_OPS = {
    "F": "", "LT": "<", "EQ": "=", "LE": "<=", "GT": ">", "LG": "<>", "GE": "=>", "O": "<=>",
    "U": "u", "NGE": "<u", "NLG": "=u", "NGT": "<=u", "NLE": ">u", "NEQ": "<>u", "NLT": "=>u", "TRU": "<=>u",
}
INT_OPS = {"F": "", "LT": "<", "EQ": "=", "LE": "<=", "GT": ">", "NE": "<>", "GE": "=>", "T": "<=>"}

rng = 12345


def random(n):
    global rng
    rng = (rng * 6364136223846793005 + 1442695040888963407) & ((1 << 64) - 1)
    return (rng >> 33) % n


def edges(f):
    """Of a float format: one of each class and both neighbours of where classes meet."""
    pos = [0, 1, f.min_normal - 1, f.min_normal, f.one, f.one + 1, f.max, f.inf, f.inf | 1, f.inf | f.quiet | 5]
    return pos + [u | f.sign for u in pos]


def int_edges(n):
    top = 1 << (n - 1)
    return [0, 1, 2, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2, 0x1234567812345678 & (2 * top - 1)]


def pairs(values, count, at):
    """`count` of all pairs, evenly strewn, those of equal values among them."""
    n = len(values)
    out = []
    for i in range(count):
        k = at + i
        if i % 4 == 3:
            out.append((values[k % n],) * 2)
        else:
            out.append((values[k * 7 % n], values[(k * 11 + k // n + 3) % n]))
    return out


def lanes_mask(count):
    return random(1 << 30) << 34 | random(1 << 30) << 4 | 9 | ((1 << count) - 1) & 0x5a6b7c8d9eaf5a6b


def mask_of(bools, exec_mask):
    m = 0
    for i, b in enumerate(bools):
        m |= int(b) << i
    return m & exec_mask


class Operands:
    """What `v1`/`v[2:3]` hold in each lane, and how they are written."""

    def __init__(self, wide, noise):
        self.wide, self.noise = wide, noise

    def name(self, n):
        return "v[%d:%d]" % (n, n + 1) if self.wide else "v%d" % n

    def cell(self, n, values):
        if self.noise:  # 16 bits: the upper half does not count
            values = [v | random(1 << 16) << 16 for v in values]
        return "%s[0:%d]" % (self.name(n), len(values) - 1), values


def emit(out, row, gen, n, a, b, sat, operands, ops_b, text_mods=("%s", "%s"), form="e32", mode=None, tail=""):
    cmpx = "_CMPX_" in row.name or "_CMPSX_" in row.name
    exec_mask = lanes_mask(n)
    # Lanes beyond the list hold one pair more, the values of the last.
    on = exec_mask & ((1 << n) - 1)
    m = mask_of(sat, on)
    dst = "s[10:11]" if form == "e64" else "vcc"
    text = "%s_%s %s, %s, %s%s" % (mnemonic(row, gen), form, dst, text_mods[0] % operands.name(2),
                                   text_mods[1] % ops_b.name(4), tail)
    inputs = [operands.cell(2, a), ops_b.cell(4, b), ("exec", on), (dst, 0x123456789abcdef0)]
    if mode is not None:
        inputs.append(("mode", mode))
    results = [(dst, m)]
    if cmpx:
        results.append(("exec", m))
    out.add(row.target(gen), text, inputs, results)


def modified(f, u, neg, ab):
    if ab:
        u &= ~f.sign
    return u ^ f.sign if neg else u


def float_row(out, row, gen, op, f, at):
    wide = f is F64
    o = Operands(wide, f is F16)
    want = FLOAT_OPS[op]
    values = edges(f)
    n = 20 if wide else 24

    def sat(ps, keep, mods=((0, 0), (0, 0))):
        return [compare(f, modified(f, a, *mods[0]), modified(f, b, *mods[1]), keep) in want for a, b in ps]

    ps = pairs(values, n, at)
    emit(out, row, gen, n, [a for a, _ in ps], [b for _, b in ps], sat(ps, True), o, o)
    # VOP3: modifiers, and denormals of this format flushed while those of the others are kept.
    ps = pairs(values, n, at + 1)
    k = at % 4
    neg_a, abs_a, neg_b, abs_b = ((1, 0, 0, 1), (0, 1, 1, 0), (1, 1, 0, 0), (0, 0, 1, 1))[k]
    text = tuple(("-" if neg else "") + ("|%s|" if ab else "%s") for neg, ab in ((neg_a, abs_a), (neg_b, abs_b)))
    mode = 0xc0 if f is F32 else 0x30
    clamp = " clamp" if at % 3 == 0 and row.has("CLAMP") and gen in ("gfx8", "gfx9") else ""
    emit(out, row, gen, n, [a for a, _ in ps], [b for _, b in ps], sat(ps, False, ((neg_a, abs_a), (neg_b, abs_b))),
         o, o, text, "e64", mode, clamp)
    # The denormals among themselves and against zero: kept, flushed; the bit for results does not matter.
    few = [0, 1, f.min_normal - 1, f.min_normal, f.sign, f.sign | 1, f.sign | f.min_normal]
    ps = pairs(few, 12, at)
    other = 0xc0 if f is F32 else 0x30
    keep, mode = ((True, other | 0xf0), (True, other | (0x10 if f is F32 else 0x40)),
                  (False, other | (0x20 if f is F32 else 0x80)), (False, other))[at % 4]
    emit(out, row, gen, 12, [a for a, _ in ps], [b for _, b in ps], sat(ps, keep), o, o, mode=mode)


def int_row(out, row, gen, op, kind, at):
    n_bits = WIDTH[kind]
    o = Operands(n_bits == 64, n_bits == 16)
    want = INT_OPS[op]
    top = 1 << (n_bits - 1)

    def sat(ps):
        def key(v):
            return v - 2 * top if kind[0] == "I" and v >= top else v
        return [("<" if key(a) < key(b) else ">" if key(a) > key(b) else "=") in want for a, b in ps]

    for form in ("e32", "e64"):
        n = 16
        ps = pairs(int_edges(n_bits), n, at + (form == "e64"))
        emit(out, row, gen, n, [a for a, _ in ps], [b for _, b in ps], sat(ps), o, o, form=form)


def class_of(f, u):
    neg = f.negative(u)
    if f.is_nan(u):
        return 0 if f.is_snan(u) else 1
    if f.is_inf(u):
        return 2 if neg else 9
    if f.is_zero(u):
        return 5 if neg else 6
    if f.is_denormal(u):
        return 4 if neg else 7
    return 3 if neg else 8


def class_row(out, row, gen, f, at):
    o = Operands(f is F64, f is F16)
    ob = Operands(False, f is F16)
    values = edges(f)
    cases = [(u, 1 << class_of(f, u)) for u in values] + [(u, 0x3ff & ~(1 << class_of(f, u))) for u in values]
    cases += [(u, (1 << (i % 10)) | 0xfc00) for i, u in enumerate(values)]
    for form, mods, mode in (("e32", (0, 0), None), ("e64", (1, 0), 0), ("e64", (0, 1), 0xf0), ("e32", (0, 0), 0)):
        part = [cases[(at * 7 + i * (7 if form == "e32" else 11)) % len(cases)] for i in range(20)]
        if form == "e64":
            part = [(modified(f, u, *mods) if mods == (1, 0) else u, m) for u, m in part]
        sat = [m >> class_of(f, modified(f, u, *mods)) & 1 for u, m in part]
        text = ("-%s" if mods[0] else "|%s|" if mods[1] else "%s", "%s")
        emit(out, row, gen, 20, [u for u, _ in part], [m for _, m in part], sat, o, ob, text, form, mode)


def special(out):
    """Operands that are no VGPRs, and where EXEC is the result or empty."""
    def each(text, inputs, results, gens=("gfx6", "gfx7", "gfx8", "gfx9")):
        for g in gens:
            out.add(g, text, inputs, results)

    out.note("Scalar and constant sources; EXEC as the mask written, and an empty EXEC.")
    each("v_cmp_lt_f32_e32 vcc, s3, v2", [("s3", 0x3f800000), ("v2[0:3]", [0x40000000, 0x3f800000, 0, 0xbf800000]),
                                          ("exec", 15)], [("vcc", 1)])
    each("v_cmp_ge_f64_e32 vcc, 0.5, v[2:3]", [("v[2:3][0:2]", [0x3fe0000000000000, 0x3fe0000000000001, 0]),
                                               ("exec", 7)], [("vcc", 5)])
    each("v_cmp_eq_u64_e32 vcc, -1, v[2:3]", [("v[2:3][0:2]", [0xffffffffffffffff, 0xffffffff, 0xffffffff00000000]),
                                              ("exec", 7)], [("vcc", 1)])
    each("v_cmp_eq_i32_e64 exec, v2, 7", [("v2[0:3]", [7, 6, 7, 7]), ("exec", 7)], [("exec", 5)])
    each("v_cmp_t_i32_e64 s[10:11], v2, v3", [("exec", 0), ("s[10:11]", 0xffffffffffffffff)], [("s[10:11]", 0)])
    each("v_cmpx_tru_f32_e64 s[10:11], v2, v3", [("exec", 0x8000000000000001)],
         [("s[10:11]", 0x8000000000000001)])
    each("v_cmpx_eq_u32_e32 vcc, v2, v3", [("v2", 1), ("v3", 2), ("exec", 0xff)], [("vcc", 0), ("exec", 0)])
    each("v_cmp_u_f32_e64 s[10:11], v2, v2", [("v2[0:2]", [0x7fc00000, 0x7f800000, 0xff800001]), ("exec", 7)],
         [("s[10:11]", 5)])
    out.note("SDWA: parts of the sources, sign-extended or with modifiers; the result in any pair on GFX9.")
    new = ("gfx8", "gfx9")
    each("v_cmp_lt_i32_sdwa vcc, v2, v3 src0_sel:BYTE_3 src1_sel:WORD_0",
         [("v2[0:2]", [0x80123456, 0x7f000000, 0]), ("v3[0:2]", [0xffff0081, 0x7f, 0xffff0001]), ("exec", 7)],
         [("vcc", 5)], new)
    each("v_cmp_lt_i32_sdwa vcc, sext(v2), sext(v3) src0_sel:BYTE_3 src1_sel:WORD_0",
         [("v2[0:2]", [0x80123456, 0x7f000000, 0]), ("v3[0:2]", [0xffff0081, 0xff80, 0xffff0001]), ("exec", 7)],
         [("vcc", 5)], new)
    each("v_cmp_gt_f16_sdwa vcc, -v2, |v3| src0_sel:WORD_1 src1_sel:WORD_0",
         [("v2[0:2]", [0xbc000000, 0x3c000000, 0xc0007e00]), ("v3[0:2]", [0x3800, 0x3800, 0xffffbc00]), ("exec", 7)],
         [("vcc", 5)], new)
    each("v_cmpx_eq_f32_sdwa s[10:11], v2, v3 src0_sel:DWORD src1_sel:DWORD",
         [("v2[0:2]", [0, 1, 0x7fc00000]), ("v3[0:2]", [0x80000000, 1, 0x7fc00000]), ("exec", 7)],
         [("s[10:11]", 3), ("exec", 3)], ("gfx9",))


def main():
    out = File()
    count = 0
    for row in rows("vopc.def"):
        m = re.match(r"V_CMP(?:S|X|SX)?_(CLASS_)?(?:(\w+)_)?([FIU]\d+)$", row.name)
        kind = m[3]
        out.note("%s: %s" % (row.name, "classes of the bits" if m[1] else
                             "true for " + ((FLOAT_OPS if kind[0] == "F" else INT_OPS)[m[2]] or "nothing")))
        for gen in row.gens:
            if m[1]:
                class_row(out, row, gen, FORMATS[kind], count)
            elif kind[0] == "F":
                float_row(out, row, gen, m[2], FORMATS[kind], count)
            else:
                int_row(out, row, gen, m[2], kind, count)
            count += 1
    special(out)
    out.write("Vector compares. Made by gen_vopc.py (its rules are the ISA manuals'); the format: atoll-test(1).")
    print("# %d rows and generations." % count)
    if count < 700:
        sys.exit("rows are missing")


if __name__ == "__main__":
    main()
