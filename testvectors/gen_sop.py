#!/usr/bin/env python3
"""Writes sop.tv: vectors of every scalar ALU row and generation, with values that this file computes by
itself, from the formulas of the ISA manuals. LLVM gives the instruction words.

    testvectors/gen_sop.py > testvectors/sop.tv

It reads isa/sop.def for the names of the rows only, and stops when one has no vector. Rows whose formula is the
same everywhere have their cases spread over the generations; what differs is asked of each.
"""
import os
import re
import subprocess
import sys

GENS = ("gfx6", "gfx7", "gfx8", "gfx9")
CPU = {"gfx6": "gfx600", "gfx7": "gfx704", "gfx8": "gfx803", "gfx9": "gfx900"}
NEW = ("gfx8", "gfx9")
CODE = 0x1234567000
M32, M64 = (1 << 32) - 1, (1 << 64) - 1

vectors = []  # (comment,) or (gen, text, inputs, results)


def signed(v, n=32):
    v &= (1 << n) - 1
    return v - (1 << n) if v >> (n - 1) else v


def popcount(v):
    return bin(v).count("1")


def rows():
    """The rows of sop.def: mnemonic -> generations."""
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "isa", "sop.def")
    out = {}
    for line in open(top):
        m = re.match(r"OP\(\w+,\s*(\w+),\s*(\w+),\s*(\w+),\s*(\w+),\s*(\w+),", line)
        if m:
            out[m[1].lower()] = tuple(g for g, op in zip(GENS, m.groups()[1:]) if op != "NA")
    return out


ROWS = rows()


def note(text):
    vectors.append((text,))


def text_of(state):
    """(cell, value) pairs; a value may be a number, text, or a list of dwords."""
    out = []
    for k, v in state:
        if isinstance(v, list):
            v = ",".join("%x" % d for d in v)
        elif not isinstance(v, str):
            v = "%x" % v
        out.append("%s=%s" % (k, v))
    return " ".join(out)


def one(gen, text, inputs, results):
    vectors.append((gen, text, text_of(inputs), text_of(results)))


def each(text, inputs, results, gens=None):
    """The same vector for each generation that has the row (or of those given)."""
    for g in ROWS[text.split()[0]]:
        if gens is None or g in gens:
            one(g, text, inputs, results)


def spread(mnemonic, cases):
    """Cases (operands, inputs, results) dealt out to the generations, at least one to each."""
    gens = ROWS[mnemonic]
    for i in range(max(len(cases), len(gens))):
        operands, inputs, results = cases[i % len(cases)]
        one(gens[i % len(gens)], mnemonic + " " + operands, inputs, results)


def reg(n, wide):
    return "s[%d:%d]" % (n, n + 1) if wide else "s%d" % n


def alternate(i):
    """0 or 1, so that spread() gives each generation both."""
    return (i + i // len(GENS)) & 1


# ---- two sources ---------------------------------------------------------------------------

W = (0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x12345678)
PAIRS32 = [(0, 0), (1, 1), (M32, 1), (1, M32), (M32, M32), (0x7fffffff, 1), (0x80000000, 1),
           (1, 0x80000000), (0x80000000, 0x80000000), (0x80000000, M32), (0, 0x80000000),
           (0x7fffffff, 0x80000000), (0x12345678, 0x9abcdef0), (5, 7), (7, 5), (0xdeadbeef, 0xdeadbeef)]
PAIRS64 = [(0, 0), (M64, 0), (0, M64), (M64, M64), (1 << 63, 1 << 63), (1 << 32, 1), (1 << 32, 1 << 32),
           (0x0123456789abcdef, 0xfedcba9876543210), (0xf0f0f0f00f0f0f0f, 0xff00ff00ff00ff00)]
SHIFTS32 = [(0, 0), (1, 0), (1, 31), (1, 32), (0x80000000, 31), (0x80000000, 33), (0x80000000, 32),
            (M32, 4), (0x12345678, 0xffffffe4), (1, M32), (0x7fffffff, 31), (0x7fffffff, 30)]
SHIFTS64 = [(0, 5), (1, 63), (1, 64), (1 << 63, 63), (1 << 63, 65), (M64, 32), (0x0123456789abcdef, 0xffffffc8),
            (0x0123456789abcdef, 36), (1 << 62, 62), (1 << 62, 63), (1 << 63, 1)]


def flags(d, n=32):
    return d, int(d & ((1 << n) - 1) != 0)


def carry(v):
    return v & M32, int(v >> 32 != 0)


def over(v):
    return v & M32, int(not -(1 << 31) <= v < 1 << 31)


SOP2_32 = {
    "s_add_u32": lambda a, b, c: carry(a + b),
    "s_sub_u32": lambda a, b, c: ((a - b) & M32, int(b > a)),
    "s_add_i32": lambda a, b, c: over(signed(a) + signed(b)),
    "s_sub_i32": lambda a, b, c: over(signed(a) - signed(b)),
    "s_addc_u32": lambda a, b, c: carry(a + b + c),
    "s_subb_u32": lambda a, b, c: ((a - b - c) & M32, int(b + c > a)),
    "s_min_i32": lambda a, b, c: (min(signed(a), signed(b)), int(signed(a) < signed(b))),
    "s_min_u32": lambda a, b, c: (min(a, b), int(a < b)),
    "s_max_i32": lambda a, b, c: (max(signed(a), signed(b)), int(signed(a) > signed(b))),
    "s_max_u32": lambda a, b, c: (max(a, b), int(a > b)),
    "s_cselect_b32": lambda a, b, c: (a if c else b, None),
    "s_and_b32": lambda a, b, c: flags(a & b),
    "s_or_b32": lambda a, b, c: flags(a | b),
    "s_xor_b32": lambda a, b, c: flags(a ^ b),
    "s_andn2_b32": lambda a, b, c: flags(a & ~b),
    "s_orn2_b32": lambda a, b, c: flags(a | ~b),
    "s_nand_b32": lambda a, b, c: flags(~(a & b)),
    "s_nor_b32": lambda a, b, c: flags(~(a | b)),
    "s_xnor_b32": lambda a, b, c: flags(~(a ^ b)),
    "s_mul_i32": lambda a, b, c: (a * b, None),
    "s_absdiff_i32": lambda a, b, c: flags(abs(signed(a - b))),
    "s_mul_hi_u32": lambda a, b, c: (a * b >> 32, None),
    "s_mul_hi_i32": lambda a, b, c: (signed(a) * signed(b) >> 32, None),
    "s_lshl1_add_u32": lambda a, b, c: carry((a << 1) + b),
    "s_lshl2_add_u32": lambda a, b, c: carry((a << 2) + b),
    "s_lshl3_add_u32": lambda a, b, c: carry((a << 3) + b),
    "s_lshl4_add_u32": lambda a, b, c: carry((a << 4) + b),
    "s_pack_ll_b32_b16": lambda a, b, c: ((b & 0xffff) << 16 | a & 0xffff, None),
    "s_pack_lh_b32_b16": lambda a, b, c: (b & 0xffff0000 | a & 0xffff, None),
    "s_pack_hh_b32_b16": lambda a, b, c: (b & 0xffff0000 | a >> 16, None),
}
SOP2_64 = {
    "s_cselect_b64": lambda a, b, c: (a if c else b, None),
    "s_and_b64": lambda a, b, c: flags(a & b, 64),
    "s_or_b64": lambda a, b, c: flags(a | b, 64),
    "s_xor_b64": lambda a, b, c: flags(a ^ b, 64),
    "s_andn2_b64": lambda a, b, c: flags(a & ~b, 64),
    "s_orn2_b64": lambda a, b, c: flags(a | ~b, 64),
    "s_nand_b64": lambda a, b, c: flags(~(a & b), 64),
    "s_nor_b64": lambda a, b, c: flags(~(a | b), 64),
    "s_xnor_b64": lambda a, b, c: flags(~(a ^ b), 64),
}
SHIFT = {
    "s_lshl_b32": lambda a, n: flags(a << (n & 31)),
    "s_lshr_b32": lambda a, n: flags(a >> (n & 31)),
    "s_ashr_i32": lambda a, n: flags(signed(a) >> (n & 31)),
}
SHIFT64 = {
    "s_lshl_b64": lambda a, n: flags(a << (n & 63), 64),
    "s_lshr_b64": lambda a, n: flags(a >> (n & 63), 64),
    "s_ashr_i64": lambda a, n: flags(signed(a, 64) >> (n & 63), 64),
}


def bfe(a, control, n, sign):
    """Field of a at control's low 5 or 6 bits, as long as bits 22..16 say, clipped at the top."""
    at, length = control & (n - 1), control >> 16 & 0x7f
    if length == 0:
        return 0
    length = min(length, n - at)
    v = a >> at & ((1 << length) - 1)
    return signed(v, length) if sign else v


def results(d, scc, wide=False, was=0, dst=0):
    out = [(reg(dst, wide), d & (M64 if wide else M32))]
    if scc is not None and scc != was:
        out.append(("scc", scc))
    return out


def binary(mnemonic, pairs, f, wide=(False, False, False)):
    """f(a, b, scc) -> (d, scc or None); SCC before alternates, so that each value is seen being written."""
    cases = []
    for i, (a, b) in enumerate(pairs):
        was = alternate(i)
        d, scc = f(a, b, was)
        ins = [(reg(2, wide[1]), a), (reg(4, wide[2]), b)] + ([("scc", 1)] if was else [])
        cases.append(("%s, %s, %s" % (reg(0, wide[0]), reg(2, wide[1]), reg(4, wide[2])), ins,
                      results(d, scc, wide[0], was)))
    spread(mnemonic, cases)


def two_sources():
    note("Two sources, 32 bits. Formulas: the ISA manuals, \"SOP2 instructions\".")
    for name, f in SOP2_32.items():
        binary(name, PAIRS32, f)
    note("64 bits.")
    for name, f in SOP2_64.items():
        binary(name, PAIRS64, f, (True, True, True))
    note("Shifts take the low 5 (64 bits: 6) bits of the count.")
    for name, f in SHIFT.items():
        binary(name, SHIFTS32, lambda a, b, c, f=f: f(a, b))
    for name, f in SHIFT64.items():
        binary(name, SHIFTS64, lambda a, b, c, f=f: f(a, b), (True, True, False))
    note("Bit fields: s_bfm(length, first bit); s_bfe(value, length << 16 | first bit).")
    pairs = [(0, 0), (1, 0), (31, 0), (32, 0), (33, 3), (8, 28), (31, 31), (M32, 1), (16, 36)]
    binary("s_bfm_b32", pairs, lambda a, b, c: (((1 << (a & 31)) - 1) << (b & 31), None))
    pairs = [(0, 5), (63, 0), (64, 0), (65, 3), (8, 60), (63, 63), (M32, 1), (40, 84)]
    binary("s_bfm_b64", pairs, lambda a, b, c: (((1 << (a & 63)) - 1) << (b & 63), None), (True, False, False))
    pairs = [(a, n << 16 | at) for a, at, n in (
        (M32, 0, 0), (M32, 0, 32), (0x87654321, 0, 32), (0x87654321, 4, 8), (0x87654321, 28, 8), (0x87654321, 31, 1),
        (0x87654321, 0, 127), (0x87654321, 8, 64), (0x7fffffff, 30, 2), (0x00000080, 7, 1), (0x00000080, 0, 8),
        (0x87654321, 36, 8))]
    binary("s_bfe_u32", pairs, lambda a, b, c: flags(bfe(a, b, 32, False)))
    binary("s_bfe_i32", pairs, lambda a, b, c: flags(bfe(a, b, 32, True)))
    pairs = [(a, n << 16 | at) for a, at, n in (
        (M64, 0, 0), (M64, 0, 64), (0xfedcba9876543210, 0, 64), (0xfedcba9876543210, 28, 12), (1 << 63, 63, 1),
        (0xfedcba9876543210, 60, 8), (0xfedcba9876543210, 0, 127), (0xfedcba9876543210, 70, 20), (1 << 40, 0, 41),
        (0xfedcba9876543210, 32, 100))]
    binary("s_bfe_u64", pairs, lambda a, b, c: flags(bfe(a, b, 64, False), 64), (True, True, False))
    binary("s_bfe_i64", pairs, lambda a, b, c: flags(bfe(a, b, 64, True), 64), (True, True, False))
    note("Results that the Vega manual prints for s_absdiff_i32.")
    for a, b, d in ((2, 5, 3), (M32, 0, 1), (1 << 31, 0, 1 << 31), (1 << 31, 1, 0x7fffffff), (1 << 31, M32, 0x7fffffff),
                    (1 << 31, 0xfffffffe, 0x7ffffffe)):
        each("s_absdiff_i32 s0, s2, s4", [("s2", a), ("s4", b)], [("s0", d), ("scc", 1)])


def constants():
    note("Inline constants and literals: the same bits for integers; 64-bit operands extend them.")
    for text, v in (("0", 0), ("64", 64), ("-1", M32), ("-16", 0xfffffff0), ("0.5", 0x3f000000), ("-0.5", 0xbf000000),
                    ("1.0", 0x3f800000), ("-1.0", 0xbf800000), ("2.0", 0x40000000), ("-2.0", 0xc0000000),
                    ("4.0", 0x40800000), ("-4.0", 0xc0800000), ("0x12345678", 0x12345678), ("0xffff0000", 0xffff0000)):
        each("s_mov_b32 s0, " + text, [], [("s0", v)])
    each("s_mov_b32 s0, 0.15915494", [], [("s0", 0x3e22f983)], NEW)
    for text, v in (("0", 0), ("64", 64), ("-1", M64), ("-16", M64 - 15), ("0.5", 0x3fe0000000000000),
                    ("-0.5", 0xbfe0000000000000), ("1.0", 0x3ff0000000000000), ("-1.0", 0xbff0000000000000),
                    ("2.0", 0x4000000000000000), ("-2.0", 0xc000000000000000), ("4.0", 0x4010000000000000),
                    ("-4.0", 0xc010000000000000), ("0x12345678", 0x12345678)):
        each("s_mov_b64 s[0:1], " + text, [], [("s[0:1]", v)])
    each("s_add_u32 s0, 0xffffff00, s1", [("s1", 0x102)], [("s0", 2), ("scc", 1)])
    each("s_and_b64 s[0:1], s[2:3], -16", [("s[2:3]", 0x123456789abcdef5)], [("s[0:1]", 0x123456789abcdef0), ("scc", 1)])
    note("Special registers as operands.")
    each("s_mov_b32 vcc_hi, s1", [("s1", 7)], [("vcc", 7 << 32)])
    each("s_mov_b64 vcc, s[2:3]", [("s[2:3]", 0x1122334455667788)], [("vcc", 0x1122334455667788)])
    each("s_mov_b32 m0, s1", [("s1", 0x1000)], [("m0", 0x1000)])
    each("s_mov_b64 exec, s[2:3]", [("s[2:3]", 0xf00000000000000f)], [("exec", 0xf00000000000000f)])
    each("s_mov_b32 exec_lo, s1", [("s1", 0), ("exec", M64)], [("exec", M64 & ~M32)])
    each("s_mov_b32 exec_hi, -1", [], [("exec", M64 & ~M32 | 1)])
    each("s_andn2_b64 exec, exec, vcc", [("exec", 0xff), ("vcc", 0x0f)], [("exec", 0xf0), ("scc", 1)])
    each("s_mov_b32 s0, src_vccz", [("vcc", 0)], [("s0", 1)])
    each("s_mov_b32 s0, src_vccz", [("vcc", 1 << 40)], [("s0", 0)])
    each("s_mov_b32 s0, src_execz", [("exec", 0)], [("s0", 1)])
    each("s_mov_b32 s0, src_scc", [("scc", 1)], [("s0", 1)])
    each("s_mov_b64 s[0:1], flat_scratch", [("flat_scratch", 0x1122334455667788)], [("s[0:1]", 0x1122334455667788)],
         ("gfx7", "gfx8", "gfx9"))
    each("s_mov_b64 s[0:1], src_shared_base", [("shared_base", 0x20000)], [("s[0:1]", 0x20000 << 32)], ("gfx9",))
    each("s_mov_b64 s[0:1], src_private_base", [("private_base", 0x10000)], [("s[0:1]", 0x10000 << 32)], ("gfx9",))
    each("s_mov_b32 s0, src_shared_base", [("shared_base", 0x20000)], [("s0", 0x20000)], ("gfx9",))
    note("An operand that is the destination too; SGPRs beyond the allocation read s0, and are not written.")
    each("s_add_u32 s0, s0, s0", [("s0", 0x80000001)], [("s0", 2), ("scc", 1)])
    each("s_mov_b32 s1, s40", [("sgprs", 40), ("s0", 9)], [("s1", 9), ("loud", 1)])
    each("s_mov_b32 s40, s0", [("sgprs", 40)], [("loud", 1)])
    each("s_mov_b64 s[2:3], s[0:1]", [("sgprs", 4), ("s[0:1]", 5)], [("s[2:3]", 5)])
    note("Registers of trap handlers: only there (STATUS.PRIV, bit 5).")
    each("s_mov_b32 s0, ttmp1", [("ttmp1", 7)], [("s0", 0), ("loud", 1)])
    each("s_mov_b32 s0, ttmp1", [("ttmp1", 7), ("status", 0x10020)], [("s0", 7)])
    each("s_mov_b32 ttmp1, s0", [("s0", 7)], [("loud", 1)])
    each("s_mov_b32 ttmp1, s0", [("s0", 7), ("status", 0x10020)], [("ttmp1", 7)])


# ---- one source ----------------------------------------------------------------------------

VALUES32 = (0, 1, 0x80000000, M32, 0x7fffffff, 0x0000ff00, 0x00010000, 0x12345678, 0xfffffffe, 0x80, 0x8000, 0xffff7fff)
VALUES64 = (0, 1, 1 << 63, M64, M64 >> 1, 1 << 32, 0x0000ffff00000000, 0x0123456789abcdef, M64 - 1, 1 << 31, M32)


def first(v, n, want):
    for i in range(n):
        if v >> i & 1 == want:
            return i
    return M32


def from_top(v, n, want):
    for i in range(n):
        if v >> (n - 1 - i) & 1 == want:
            return i
    return M32


def wqm(v, n):
    return sum(15 << i for i in range(0, n, 4) if v >> i & 15)


def quads(v, n):
    return sum(1 << i // 4 for i in range(0, n, 4) if v >> i & 15)


def reverse(v, n):
    return sum((v >> i & 1) << (n - 1 - i) for i in range(n))


def unary(mnemonic, values, f, dst_wide, src_wide):
    cases = []
    for i, a in enumerate(values):
        was = alternate(i)
        d, scc = f(a)
        cases.append(("%s, %s" % (reg(0, dst_wide), reg(2, src_wide)),
                      [(reg(2, src_wide), a)] + ([("scc", 1)] if was else []), results(d, scc, dst_wide, was)))
    spread(mnemonic, cases)


def one_source():
    note("One source.")
    for n in (32, 64):
        wide, values, suffix = n == 64, VALUES64 if n == 64 else VALUES32, "_b%d" % n
        ones = (1 << n) - 1
        unary("s_mov" + suffix, values[:4], lambda a: (a, None), wide, wide)
        unary("s_not" + suffix, values, lambda a: flags(~a, n), wide, wide)
        unary("s_wqm" + suffix, values, lambda a: flags(wqm(a, n), n), wide, wide)
        unary("s_brev" + suffix, values, lambda a: (reverse(a, n), None), wide, wide)
        unary("s_bcnt0_i32" + suffix, values, lambda a: flags(n - popcount(a)), False, wide)
        unary("s_bcnt1_i32" + suffix, values, lambda a: flags(popcount(a)), False, wide)
        unary("s_ff0_i32" + suffix, values, lambda a: (first(a, n, 0), None), False, wide)
        unary("s_ff1_i32" + suffix, values, lambda a: (first(a, n, 1), None), False, wide)
        unary("s_flbit_i32" + suffix, values, lambda a: (from_top(a, n, 1), None), False, wide)
        unary("s_flbit_i32" + ("_i64" if wide else ""), values + (ones ^ 1 << 5, 1 << 5),
              lambda a: (from_top(a, n, 1 - (a >> (n - 1))), None), False, wide)
        unary("s_quadmask" + suffix, values, lambda a: flags(quads(a, n), n), wide, wide)
        note("s_cmov leaves its destination alone when SCC is 0.")
        for v in values[1:3]:
            each("s_cmov%s %s, %s" % (suffix, reg(0, wide), reg(2, wide)), [(reg(2, wide), v)], [])
            each("s_cmov%s %s, %s" % (suffix, reg(0, wide), reg(2, wide)), [(reg(2, wide), v), ("scc", 1)],
                 [(reg(0, wide), v)])
        for name, f in (("s_bitset0", lambda d, b: d & ~(1 << b)), ("s_bitset1", lambda d, b: d | 1 << b)):
            spread(name + suffix, [("%s, s2" % reg(0, wide), [(reg(0, wide), d), ("s2", b)],
                                    [(reg(0, wide), f(d, b & (n - 1)))])
                                   for d, b in ((0, 0), (ones, 0), (0, n - 1), (ones, n - 1), (0, n), (ones, n + 3),
                                                (0, M32), (ones, 0xffffffe7))])
    unary("s_sext_i32_i8", VALUES32, lambda a: (signed(a, 8), None), False, False)
    unary("s_sext_i32_i16", VALUES32, lambda a: (signed(a, 16), None), False, False)
    unary("s_abs_i32", VALUES32, lambda a: flags(abs(signed(a))), False, False)
    unary("s_bitreplicate_b64_b32", VALUES32, lambda a: (sum((a >> i & 1) * 3 << 2 * i for i in range(32)), None),
          True, False)
    note("EXEC goes to the destination, the combination to EXEC, SCC says whether a lane is left.")
    for name, f in (("and", lambda s, e: s & e), ("or", lambda s, e: s | e), ("xor", lambda s, e: s ^ e),
                    ("andn2", lambda s, e: s & ~e), ("orn2", lambda s, e: s | ~e), ("nand", lambda s, e: ~(s & e)),
                    ("nor", lambda s, e: ~(s | e)), ("xnor", lambda s, e: ~(s ^ e)), ("andn1", lambda s, e: ~s & e),
                    ("orn1", lambda s, e: ~s | e)):
        cases = []
        for i, (s, e) in enumerate(PAIRS64):
            new = f(s, e) & M64
            cases.append(("s[0:1], s[2:3]", [("s[2:3]", s), ("exec", e)] + ([("scc", 1)] if alternate(i) else []),
                          [("s[0:1]", e), ("exec", new)] + ([("scc", int(new != 0))] if (new != 0) != alternate(i) else [])))
        spread("s_%s_saveexec_b64" % name, cases)
        each("s_%s_saveexec_b64 s[2:3], s[2:3]" % name, [("s[2:3]", 0xff0), ("exec", 0xff)],
             [("s[2:3]", 0xff), ("exec", f(0xff0, 0xff) & M64), ("scc", 1)])
        each("s_%s_saveexec_b64 vcc, vcc" % name, [("vcc", 0xff0), ("exec", 0xff)],
             [("vcc", 0xff), ("exec", f(0xff0, 0xff) & M64), ("scc", 1)])
    note("... and here to the destination as well.")
    for name, f in (("andn1", lambda s, e: ~s & e), ("andn2", lambda s, e: s & ~e)):
        spread("s_%s_wrexec_b64" % name,
               [("s[0:1], s[2:3]", [("s[2:3]", s), ("exec", e)],
                 [("s[0:1]", f(s, e) & M64), ("exec", f(s, e) & M64)] + ([("scc", 1)] if f(s, e) & M64 else []))
                for s, e in PAIRS64])


# ---- comparisons, SOPK ---------------------------------------------------------------------

COMPARE = (("eq", lambda a, b: a == b), ("lg", lambda a, b: a != b), ("gt", lambda a, b: a > b),
           ("ge", lambda a, b: a >= b), ("lt", lambda a, b: a < b), ("le", lambda a, b: a <= b))


def comparison(mnemonic, operands, cases):
    """Cases (inputs, result): with SCC as it will not be."""
    spread(mnemonic, [(operands, ins + ([] if r else [("scc", 1)]), [("scc", int(r))]) for ins, r in cases])


def comparisons():
    note("Comparisons: SCC only.")
    for name, f in COMPARE:
        comparison("s_cmp_%s_i32" % name, "s0, s1",
                   [([("s0", a), ("s1", b)], f(signed(a), signed(b))) for a, b in PAIRS32])
        comparison("s_cmp_%s_u32" % name, "s0, s1", [([("s0", a), ("s1", b)], f(a, b)) for a, b in PAIRS32])
    for name, f in COMPARE[:2]:
        comparison("s_cmp_%s_u64" % name, "s[0:1], s[2:3]",
                   [([("s[0:1]", a), ("s[2:3]", b)], f(a, b)) for a, b in PAIRS64])
    for n, pairs in ((32, SHIFTS32), (64, SHIFTS64)):
        for want in (0, 1):
            comparison("s_bitcmp%d_b%d" % (want, n), "%s, s4" % reg(0, n == 64),
                       [([(reg(0, n == 64), a), ("s4", b)], (a >> (b & (n - 1)) & 1) == want) for a, b in pairs])
    note("Immediates of 16 bits: sign-extended, for unsigned comparisons zero-extended.")
    imms = (0, 1, 0x7fff, 0x8000, 0xffff)
    edge = (0, 1, 0x7fff, 0x8000, 0xffff, M32, 0xffff8000, 0x80000000, 0x7fffffff)
    pairs = [(a, k) for k in imms for a in edge]
    for name, f in COMPARE:
        for letter in "iu":
            def holds(a, k):
                return f(signed(a), signed(k, 16)) if letter == "i" else f(a, k)
            mnemonic = "s_cmpk_%s_%s32" % (name, letter)
            spread(mnemonic, [("s0, 0x%x" % k,
                               [("s0", a)] + ([] if holds(a, k) else [("scc", 1)]), [("scc", int(holds(a, k)))])
                              for a, k in pairs[::3]])
    for k in imms:
        each("s_movk_i32 s0, 0x%x" % k, [], [("s0", signed(k, 16) & M32)])
        each("s_cmovk_i32 s0, 0x%x" % k, [("s0", 5)], [])
        each("s_cmovk_i32 s0, 0x%x" % k, [("s0", 5), ("scc", 1)], [("s0", signed(k, 16) & M32)])
    spread("s_addk_i32", [("s0, 0x%x" % k, [("s0", a)] + ([("scc", 1)] if alternate(i) else []),
                           results(*over(signed(a) + signed(k, 16)), was=alternate(i))) for i, (a, k) in enumerate(pairs[::2])])
    spread("s_mulk_i32", [("s0, 0x%x" % k, [("s0", a)], [("s0", signed(a) * signed(k, 16) & M32)])
                          for a, k in pairs[::2]])


# ---- program flow --------------------------------------------------------------------------

def flow():
    note("The program counter: the next instruction's address, of 48 bits.")
    at = CODE + 4
    each("s_getpc_b64 s[0:1]", [], [("s[0:1]", at)])
    each("s_setpc_b64 s[2:3]", [("s[2:3]", CODE + 0x100)], [("pc", "+100")])
    each("s_swappc_b64 s[0:1], s[2:3]", [("s[2:3]", CODE + 0x100)], [("s[0:1]", at), ("pc", "+100")])
    each("s_swappc_b64 s[2:3], s[2:3]", [("s[2:3]", CODE + 0x80)], [("s[2:3]", at), ("pc", "+80")])
    each("s_call_b64 s[0:1], 16", [], [("s[0:1]", at), ("pc", "+44")])
    each("s_call_b64 s[0:1], 65535", [], [("s[0:1]", at), ("pc", "+0")])
    note("Branches: SIMM16 dwords from the next instruction.")
    each("s_branch 3", [], [("pc", "+10")])
    each("s_branch 65535", [], [("pc", "+0")])
    each("s_branch 32767", [], [("pc", "+20000")])
    conditions = (("scc0", [("scc", 0)], [("scc", 1)]), ("scc1", [("scc", 1)], [("scc", 0)]),
                  ("vccz", [("vcc", 0)], [("vcc", 1 << 63)]), ("vccnz", [("vcc", 1)], [("vcc", 0)]),
                  ("execz", [("exec", 0)], [("exec", 1 << 32)]), ("execnz", [("exec", 1 << 63)], [("exec", 0)]))
    for name, yes, no in conditions:
        each("s_cbranch_%s 5" % name, yes, [("pc", "+18")])
        each("s_cbranch_%s 5" % name, no, [])
    note("STATUS.COND_DBG_USER is bit 20, COND_DBG_SYS 21.")
    for name, f in (("sys", lambda s, u: s), ("user", lambda s, u: u), ("sys_or_user", lambda s, u: s or u),
                    ("sys_and_user", lambda s, u: s and u)):
        for s in (0, 1):
            for u in (0, 1):
                each("s_cbranch_cdbg%s 5" % name, [("status", 0x10000 | s << 21 | u << 20)],
                     [("pc", "+18")] if f(s, u) else [])
    note("Fork: all lanes to one side need no stack; else the smaller side goes first, with equal sides the passing one; the")
    note("other's EXEC and PC go to s[4 * CSP ..], and CSP (MODE bits 31..29) grows.")
    for where in ("g", "i"):
        text = "s_cbranch_g_fork s[20:21], s[22:23]" if where == "g" else "s_cbranch_i_fork s[20:21], 15"
        for mask, exec_ in ((0xff, 0x0f), (0xf0, 0x0f), (0x3f, 0xff), (0x07, 0xff), (0x0f, 0xff), (0, 0),
                            (0xffffffff00000001, M64)):
            for depth in (0, 3):
                ins = [("s[20:21]", mask), ("exec", exec_), ("mode", depth << 29 | 0xf0)]
                if where == "g":
                    ins.append(("s[22:23]", CODE + 0x40))
                yes, no = mask & exec_, ~mask & exec_
                if yes == exec_:
                    out = [("pc", "+40")]
                elif no == exec_:
                    out = []
                else:
                    fail_first = popcount(no) < popcount(yes)
                    out = [("s[%d:%d]" % (4 * depth, 4 * depth + 1), yes if fail_first else no),
                           ("s[%d:%d]" % (4 * depth + 2, 4 * depth + 3), CODE + 0x40 if fail_first else at),
                           ("mode", (depth + 1) << 29 | 0xf0), ("exec", no if fail_first else yes)]
                    if not fail_first:
                        out.append(("pc", "+40"))
                each(text, ins, out, GENS if depth == 0 else (GENS[mask % 4],))
    note("Join: at the height that it names it falls through; above it takes the top entry.")
    each("s_cbranch_join s8", [("s8", 2), ("mode", 2 << 29 | 0xf0)], [])
    each("s_cbranch_join s8", [("s8", 0), ("mode", 1 << 29 | 0xf0), ("s[0:1]", 0xf0), ("s[2:3]", CODE + 0x20)],
         [("exec", 0xf0), ("pc", "+20"), ("mode", 0xf0)])
    each("s_cbranch_join s20", [("s20", 1), ("mode", 5 << 29 | 0xf0), ("s[16:17]", M64), ("s[18:19]", CODE + 0x20)],
         [("exec", M64), ("pc", "+20"), ("mode", 4 << 29 | 0xf0)])


def relative():
    note("Relative registers: M0 is added to the number; beyond the wave's registers s0 is read, nothing written.")
    each("s_movrels_b32 s0, s2", [("m0", 3), ("s5", 0x55)], [("s0", 0x55)])
    each("s_movrels_b32 s0, s2", [("m0", M32), ("s1", 0x11)], [("s0", 0x11)], ())
    each("s_movrels_b32 s1, s2", [("m0", 14), ("sgprs", 16), ("s0", 9)], [("s1", 9), ("loud", 1)])
    each("s_movrels_b32 s1, s2", [("m0", 13), ("sgprs", 16), ("s15", 9)], [("s1", 9)])
    each("s_movrels_b32 s1, s2", [("m0", M32), ("sgprs", 16), ("s0", 9)], [("s1", 9), ("loud", 1)])
    each("s_movrels_b64 s[4:5], s[2:3]", [("m0", 4), ("s[6:7]", 0x1122334455667788)], [("s[4:5]", 0x1122334455667788)])
    each("s_movrels_b64 s[4:5], s[2:3]", [("m0", 14), ("sgprs", 16), ("s[0:1]", 5)], [("s[4:5]", 5), ("loud", 1)])
    each("s_movreld_b32 s2, s0", [("m0", 3), ("s0", 0x55)], [("s5", 0x55)])
    each("s_movreld_b32 s2, s0", [("m0", 14), ("sgprs", 16)], [("loud", 1)])
    each("s_movreld_b64 s[2:3], s[0:1]", [("m0", 4), ("s[0:1]", 0x1122334455667788)], [("s[6:7]", 0x1122334455667788)])
    each("s_movreld_b64 s[2:3], s[0:1]", [("m0", 13), ("sgprs", 16)], [("loud", 1)])
    note("VSKIP is MODE bit 28: the bit of the first operand that the second names.")
    each("s_setvskip s0, 3", [("s0", 8)], [("mode", 0x100000f0)])
    each("s_setvskip s0, 3", [("s0", 0xfffffff7), ("mode", 0x100000f0)], [("mode", 0xf0)])
    each("s_setvskip s0, s1", [("s0", 2), ("s1", 33)], [("mode", 0x100000f0)])
    each("s_setvskip 0, 0", [("mode", 0x100000f0)], [("mode", 0xf0)])
    each("s_mov_b32 s0, s1", [("mode", 0x100000f0), ("s1", 1)], [("s0", 1)])
    for g in GENS:
        one(g, "v_mov_b32_e32 v0, s1", [("mode", 0x100000f0), ("s1", 1)], [])
    note("GPR indexing: MODE bit 27; M0 bits 7..0 the index, 15..12 src0, src1, src2, dst.")
    each("s_set_gpr_idx_on s0, gpr_idx(SRC0,DST)", [("s0", 0x12345), ("m0", 0xabcdefff)],
         [("mode", 0x080000f0), ("m0", 0xabcd9f45)])
    each("s_set_gpr_idx_on s0, gpr_idx()", [("s0", 7), ("m0", 0)], [("mode", 0x080000f0), ("m0", 7)])
    each("s_set_gpr_idx_idx s0", [("s0", 0x12345), ("m0", 0xabcdefff)], [("m0", 0xabcdef45)])
    each("s_set_gpr_idx_mode gpr_idx(SRC1,SRC2)", [("m0", 0xabcdefff)], [("m0", 0xabcd6fff)])
    each("s_set_gpr_idx_mode gpr_idx(SRC0)", [("m0", 0x3), ("mode", 0x080000f0)], [("m0", 0x1003)])
    each("s_set_gpr_idx_off", [("mode", 0x080000f0)], [("mode", 0xf0)])
    each("s_set_gpr_idx_off", [], [])
    for g in NEW:
        one(g, "v_mov_b32_e32 v0, v1", [("mode", 0x080000f0), ("m0", 0x1003), ("v4", 44)], [("v0", 44)])
        one(g, "v_mov_b32_e32 v0, v1", [("mode", 0x080000f0), ("m0", 0x8003), ("v1", 11)], [("v3", 11)])


# ---- hardware registers --------------------------------------------------------------------

def hwregs():
    note("s_getreg: number, first bit, how many.")
    each("s_getreg_b32 s0, hwreg(HW_REG_MODE)", [("mode", 0x3c5)], [("s0", 0x3c5)])
    each("s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)", [("mode", 0x3c5)], [("s0", 0xc)])
    each("s_getreg_b32 s0, hwreg(HW_REG_MODE, 29, 3)", [("mode", 0xa00000f0)], [("s0", 5)])
    each("s_getreg_b32 s0, hwreg(HW_REG_MODE, 28, 32)", [("mode", 0xa00000f0)], [("s0", 0xa)])
    note("STATUS: SCC bit 0, EXECZ 9, VCCZ 10, VALID 16.")
    each("s_getreg_b32 s0, hwreg(HW_REG_STATUS)", [], [("s0", 0x10400)])
    each("s_getreg_b32 s0, hwreg(HW_REG_STATUS)", [("scc", 1), ("vcc", 1), ("exec", 0)], [("s0", 0x10201)])
    each("s_getreg_b32 s0, hwreg(HW_REG_STATUS, 0, 1)", [("scc", 1)], [("s0", 1)])
    each("s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)", [("trapsts", 0x20000021)], [("s0", 0x20000021)])
    each("s_getreg_b32 s0, hwreg(HW_REG_HW_ID)", [("hw_id", 0x12345678)], [("s0", 0x12345678)])
    each("s_getreg_b32 s0, hwreg(HW_REG_HW_ID, 8, 4)", [("hw_id", 0x12345678)], [("s0", 6)])
    each("s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC)", [("gpr_alloc", 0x01020304)], [("s0", 0x01020304)])
    each("s_getreg_b32 s0, hwreg(HW_REG_LDS_ALLOC, 12, 9)", [("lds_alloc", 0x123456)], [("s0", 0x123)])
    each("s_getreg_b32 s0, hwreg(HW_REG_IB_STS)", [("ib_sts", 0x8000)], [("s0", 0x8000)])
    each("s_getreg_b32 s0, hwreg(8)", [], [("s0", CODE + 4 & M32)])
    each("s_getreg_b32 s0, hwreg(9)", [], [("s0", CODE + 4 >> 32)])
    for old, new in (("gfx6", 0xb900f80a), ("gfx7", 0xb900f80a), ("gfx8", 0xb880f80a), ("gfx9", 0xb880f80a)):
        one(old, "s_getreg_b32 s0, hwreg(10)", [], [("s0", new)])
    each("s_getreg_b32 s0, hwreg(11)", [], [("s0", 0)])
    for number in (0, 12, 20, 63):
        each("s_getreg_b32 s0, hwreg(%d)" % number, [], [("s0", 0), ("loud", 1)])
    each("s_getreg_b32 s0, hwreg(15)", [], [("s0", 0), ("loud", 1)], ("gfx6", "gfx7", "gfx8"))
    each("s_getreg_b32 s0, hwreg(HW_REG_SH_MEM_BASES)", [("shared_base", 0x2000 << 16), ("private_base", 0x1000 << 16)],
         [("s0", 0x20001000)], ("gfx9",))
    each("s_getreg_b32 s0, hwreg(HW_REG_TBA_LO)", [("tba", 0x7f1122334400)], [("s0", 0x11223344)], ("gfx9",))
    each("s_getreg_b32 s0, hwreg(HW_REG_TBA_HI)", [("tba", 0x7f1122334400)], [("s0", 0x7f)], ("gfx9",))
    each("s_getreg_b32 s0, hwreg(HW_REG_TMA_LO)", [("tma", 0x7f1122334400)], [("s0", 0x11223344)], ("gfx9",))
    each("s_getreg_b32 s0, hwreg(HW_REG_TMA_HI)", [("tma", 0x7f1122334400)], [("s0", 0x7f)], ("gfx9",))
    note("s_setreg: MODE and TRAPSTS; bits that the generation's register does not have are dropped, loudly.")
    each("s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0", [("s0", 0xffffff0f)], [("mode", 0xff)])
    each("s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s0", [("s0", 0)], [("mode", 0)])
    each("s_setreg_b32 hwreg(HW_REG_MODE, 31, 32), s0", [("s0", 3)], [("mode", 0x800000f0)])
    each("s_setreg_b32 hwreg(HW_REG_MODE), s0", [("s0", 0x100003f5)], [("mode", 0x100003f5)])
    each("s_setreg_b32 hwreg(HW_REG_MODE), s0", [("s0", 0x080000f0)], [("mode", 0xf0), ("loud", 1)], ("gfx6", "gfx7"))
    each("s_setreg_b32 hwreg(HW_REG_MODE), s0", [("s0", 0x080000f0)], [("mode", 0x080000f0)], NEW)
    each("s_setreg_b32 hwreg(HW_REG_MODE, 19, 1), s0", [("s0", 1)], [("loud", 1)], ("gfx6",))
    each("s_setreg_b32 hwreg(HW_REG_MODE, 23, 1), s0", [("s0", 1)], [("mode", 0x8000f0)], ("gfx9",))
    each("s_setreg_b32 hwreg(HW_REG_MODE, 19, 1), s0", [("s0", 1)], [("mode", 0x800f0)], ("gfx7", "gfx8", "gfx9"))
    each("s_setreg_b32 hwreg(HW_REG_TRAPSTS, 0, 7), s0", [("s0", 0x85), ("trapsts", 0x2000007f)],
         [("trapsts", 0x20000005)])
    each("s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0", [("s0", 0), ("trapsts", 0x2000007f)], [("trapsts", 0x20000000)])
    each("s_setreg_b32 hwreg(HW_REG_HW_ID), s0", [("s0", 1)], [("loud", 1)])
    each("s_setreg_b32 hwreg(HW_REG_GPR_ALLOC), s0", [("s0", 1)], [("loud", 1)])
    each("s_setreg_b32 hwreg(40), s0", [("s0", 1)], [("loud", 1)])
    each("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0x3c", [], [("mode", 0x3c)])
    each("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0xff", [], [("mode", 0xfc)])
    each("s_setreg_imm32_b32 hwreg(HW_REG_LDS_ALLOC), 0xff", [], [("loud", 1)])
    note("A trap handler writes STATUS too, but for EXECZ and VCCZ, and IB_STS; on GFX9 TBA and TMA are here.")
    each("s_setreg_b32 hwreg(HW_REG_STATUS, 0, 1), s0", [("s0", 1)], [("loud", 1)])
    each("s_setreg_b32 hwreg(HW_REG_STATUS, 0, 1), s0", [("s0", 1), ("status", 0x10020)],
         [("scc", 1)])
    each("s_setreg_b32 hwreg(HW_REG_STATUS), s0", [("s0", 0x12620), ("scc", 1), ("status", 0x10020)],
         [("scc", 0), ("status", 0x12020)])
    each("s_setreg_b32 hwreg(HW_REG_IB_STS, 0, 4), s0", [("s0", 1)], [("loud", 1)])
    each("s_setreg_b32 hwreg(HW_REG_IB_STS, 0, 4), s0", [("s0", 1), ("status", 0x10020)], [("ib_sts", 1)])
    each("s_setreg_b32 hwreg(HW_REG_TMA_LO), s0", [("s0", 0x11223344), ("status", 0x10020)], [("tma", 0x1122334400)],
         ("gfx9",))
    each("s_setreg_b32 hwreg(HW_REG_TMA_HI), s0", [("s0", 0x7f), ("tma", 0x1122334400), ("status", 0x10020)],
         [("tma", 0x7f1122334400)], ("gfx9",))
    each("s_setreg_b32 hwreg(HW_REG_TBA_LO), s0", [("s0", 1)], [("loud", 1)], ("gfx9",))


# ---- the wave ------------------------------------------------------------------------------

def wave():
    note("Nothing that is seen: memory is never late here.")
    each("s_nop 0", [], [])
    each("s_nop 7", [], [])
    each("s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)", [], [])
    each("s_sleep 3", [], [])
    each("s_icache_inv", [], [])
    each("s_wakeup", [], [])
    each("s_incperflevel 3", [], [])
    each("s_decperflevel 3", [], [])
    each("s_ttracedata", [], [])
    note("... but counters and traces (STATUS.PERF_EN bit 19, TTRACE_EN bit 7) are not modelled.")
    each("s_incperflevel 3", [("status", 0x90000)], [("loud", 1)])
    each("s_decperflevel 3", [("status", 0x90000)], [("loud", 1)])
    each("s_ttracedata", [("status", 0x10080)], [("loud", 1)])
    note("The end, barriers, halts (STATUS.HALT bit 13), priority (bits 4..3).")
    each("s_endpgm", [], [("state", "ended")])
    each("s_endpgm_saved", [], [("state", "ended")])
    each("s_endpgm_ordered_ps_done", [], [("state", "ended"), ("msg", 7)])
    each("s_barrier", [], [("state", "barrier")])
    each("s_sethalt 0", [], [])
    each("s_sethalt 0", [("status", 0x12020)], [("status", 0x10020)])
    each("s_sethalt 1", [], [("state", "halted"), ("status", 0x12000), ("loud", 1)])
    each("s_sethalt 1", [("status", 0x10020)], [("status", 0x12020)])
    each("s_setkill 0", [], [])
    each("s_setkill 1", [], [("state", "ended"), ("loud", 1)])
    each("s_setprio 3", [], [("status", 0x10018)])
    each("s_setprio 5", [("status", 0x10018)], [("status", 0x10008)])
    note("Messages.")
    each("s_sendmsg sendmsg(MSG_INTERRUPT)", [], [("msg", 1)])
    each("s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 2)", [], [("msg", 0x222)])
    each("s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)", [], [("msg", 3)])
    each("s_sendmsghalt sendmsg(MSG_INTERRUPT)", [], [("msg", 1), ("state", "halted"), ("status", 0x12000), ("loud", 1)])
    note("Traps: TTMP1:TTMP0 = number << 48 | PC; PRIV is STATUS bit 5, TRAP_EN bit 6. See errata.md, E-trap.")
    each("s_trap 3", [], [("state", "halted"), ("loud", 1)])
    each("s_trap 3", [("tba", 0x5500)], [("state", "halted"), ("loud", 1)])
    each("s_trap 3", [("tba", 0x5500), ("status", 0x10040)],
         [("ttmp[0:1]", 3 << 48 | CODE), ("status", 0x10060), ("pc", "5500")])
    each("s_trap 255", [("tba", 0x7f00000000), ("status", 0x10040)],
         [("ttmp[0:1]", 255 << 48 | CODE), ("status", 0x10060), ("pc", "7f00000000")])
    each("s_trap 1", [("tba", 0x5500), ("status", 0x10060)], [("state", "halted"), ("loud", 1)])
    each("s_rfe_b64 ttmp[0:1]", [("ttmp[0:1]", CODE + 8), ("status", 0x10020)], [("status", 0x10000), ("pc", "+8")])
    each("s_rfe_b64 ttmp[0:1]", [("ttmp[0:1]", CODE + 8), ("status", 0x12020)],
         [("status", 0x12000), ("pc", "+8"), ("state", "halted"), ("loud", 1)])
    each("s_rfe_b64 s[0:1]", [("s[0:1]", CODE + 8)], [("state", "halted"), ("loud", 1)])
    note("s_rfe_restore also sets STATUS.INST_ATC, bit 23, which GFX9 has no more.")
    each("s_rfe_restore_b64 s[0:1], s2", [("s[0:1]", CODE + 8), ("s2", 1), ("status", 0x10020)],
         [("status", 0x810000), ("pc", "+8")], ("gfx8",))
    each("s_rfe_restore_b64 s[0:1], s2", [("s[0:1]", CODE + 8), ("s2", 2), ("status", 0x810020)],
         [("status", 0x10000), ("pc", "+8")], ("gfx8",))
    each("s_rfe_restore_b64 s[0:1], s2", [("s[0:1]", CODE + 8), ("s2", 1), ("status", 0x10020)],
         [("status", 0x10000), ("pc", "+8")], ("gfx9",))


# ---- words ---------------------------------------------------------------------------------

def encode(gen, texts):
    """The words of each text, by LLVM; it may want another text than the disassembly's."""
    source = "".join(t + "\n" for t in texts)
    p = subprocess.run(["llvm-mc-19", "-arch=amdgcn", "-mcpu=" + CPU[gen], "-show-encoding"], input=source,
                       capture_output=True, text=True)
    if p.returncode:
        sys.exit("%s: %s" % (gen, p.stderr[:2000]))
    out = re.findall(r"encoding: \[([0-9a-fx,]+)\]", p.stdout)
    if len(out) != len(texts):
        sys.exit("%s: %d encodings for %d lines" % (gen, len(out), len(texts)))
    words = []
    for e in out:
        b = [int(x, 16) for x in e.split(",")]
        words.append(" ".join("%08x" % int.from_bytes(bytes(b[i:i + 4]), "little") for i in range(0, len(b), 4)))
    return words


def main():
    two_sources()
    constants()
    one_source()
    comparisons()
    flow()
    relative()
    hwregs()
    wave()
    words = {}
    for gen in GENS:
        texts = sorted({v[1] for v in vectors if len(v) > 1 and v[0] == gen})
        words.update({(gen, t): w for t, w in zip(texts, encode(gen, texts))})
    seen = {(v[0], v[1].split()[0]) for v in vectors if len(v) > 1}
    missing = ["%s %s" % (g, m) for m, gens in ROWS.items() for g in gens if (g, m) not in seen]
    if missing:
        sys.exit("no vector: " + ", ".join(missing))
    print("# Scalar ALU instructions. Made by gen_sop.py (its formulas are the ISA manuals'); the format: atoll-test(1).")
    for v in vectors:
        if len(v) == 1:
            print("# " + v[0])
        else:
            print("%s %s %s | %s -> %s" % (v[0], words[v[:2]], v[1], v[2], v[3]))


if __name__ == "__main__":
    main()
