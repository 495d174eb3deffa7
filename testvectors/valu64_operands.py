"""Operands for valu64.tv: the edges of each type, ties, and what each instruction is tried with besides.
"""
from fractions import Fraction as Q

from rational import F16, F32, F64
from valu64_ops import M16, M32, M64
from valu64_rows import MIXED

WIDTH = {"F64": 64, "B64": 64, "U64": 64, "I64": 64, "B128": 128, "F16": 16, "U16": 16, "I16": 16, "B16": 16}
FLOATS = {"F16": F16, "F32": F32, "F64": F64}

rng = 2463534242


def random(n):
    global rng
    rng = (rng * 6364136223846793005 + 1442695040888963407) & M64
    return (rng >> 20) % n


def float_edges(f):
    pos = [0, f.one, 1, f.min_normal - 1, f.min_normal, f.max, f.inf, f.inf | f.quiet | 5, f.inf | 1 | f.quiet >> 1,
           f.one + 1, f.one - 1, f.one + f.min_normal, f.one + f.quiet, f.one - f.min_normal]
    return [u for p in pos for u in (p, p | f.sign)]


def float_random(f):
    """Moderate numbers, of few bits or many."""
    e = f.bias + random(13) - 6
    mant = random(f.min_normal)
    if random(2):
        mant &= ~((1 << (f.mant - 4)) - 1)
    return (e << f.mant) | mant | (f.sign if random(2) else 0)


def tie_pairs(f):
    """Sums and products that are ties, just off them, at the borders of the normal numbers."""
    ulp = f.one - (f.mant << f.mant)  # of 1
    half = ulp - f.min_normal
    below = f.min_normal + f.min_normal - 1
    pairs = [(f.one, half), (f.one, half + 1), (f.one, half - 1), (f.one + 1, half), (f.one + 1, half | f.sign),
             (f.one, half | f.sign), (f.one, (half - f.min_normal) | f.sign), (f.max, f.max),
             (f.max, f.max - ((f.mant + 1) << f.mant)), (f.max, f.max - ((f.mant + 2) << f.mant)),
             (f.max | f.sign, f.max | f.sign), (f.min_normal, 1 | f.sign), (f.min_normal - 1, 1), (1, 1), (1, 1 | f.sign),
             (below, f.one - f.min_normal), (f.min_normal + 1, f.one - f.min_normal), (f.min_normal, f.one - 1),
             (3, f.one - f.min_normal), (1, f.one - f.min_normal), (1, f.one - 1), (5 | f.sign, f.one - f.min_normal),
             (f.one + 1, f.one + 1), (f.one + f.quiet, f.one + 1), (f.one + f.quiet, f.one + 3), (f.max, f.one + 1),
             (f.max, f.one + f.min_normal), (f.inf, f.sign | f.inf), (f.inf, 0), (f.sign, f.inf), (0, f.sign), (f.sign, f.sign)]
    return pairs


def tie_triples(f):
    ulp = f.one - (f.mant << f.mant)
    tiny = f.one - ((f.mant + 4) << f.mant)
    out = [(f.one + 1, f.one + 1, (f.one + 2) | f.sign), (f.one + 1, f.one + 1, f.one | f.sign),
           (f.one + 1, f.one - 1, f.one | f.sign), (ulp - f.min_normal, f.one, f.one), (ulp - f.min_normal, f.one + 1, f.one),
           (ulp - f.min_normal, f.one - 1, f.one), (tiny, tiny, f.one), (tiny | f.sign, tiny, f.one), (f.max, f.max, f.sign | f.max),
           (f.max, f.one + f.min_normal, f.sign | f.max), (1, 1, f.one), (1, 1, 0), (1, 1 | f.sign, 0), (1, f.one - f.min_normal, 1),
           (f.min_normal, f.one - f.min_normal, 1), (f.min_normal, f.one - 1, 0), (f.inf, 0, f.one), (f.inf, 0, f.inf | f.quiet | 7),
           (f.inf, f.one, f.sign | f.inf), (f.one, f.one, f.sign | f.one), (f.one, f.sign | f.one, f.one), (f.sign, f.one, 0),
           (f.sign, f.one, f.sign), (f.inf | 1, f.inf | f.quiet, f.one), (f.one, f.inf | f.quiet | 2, f.inf | 3),
           (f.one, f.one, f.inf | 3), (f.max, f.one, f.max), (f.sign | f.max, f.one, f.inf)]
    return out


INTS = {16: [0, 1, 2, 15, 16, 17, 0x7fff, 0x8000, 0x8001, 0xffff, 0xfffe, 0x1234, 255, 256],
        32: [0, 1, 31, 63, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x12345678, 0x00ff00ff],
        64: [0, 1, M64, 1 << 63, (1 << 63) - 1, 0x0123456789abcdef, 1 << 32, M32, M64 - 1],
        128: [0, (1 << 128) - 1, 0x00000001ffffffff7fffffff80000000, 0x0123456789abcdeffedcba9876543210]}


def value_of(kind, i):
    """The i-th value for an operand of a type."""
    if kind in FLOATS:
        f = FLOATS[kind]
        edge = float_edges(f)
        return edge[i % len(edge)] if i % 3 else float_random(f)
    if kind == "V2F16":
        return value_of("F16", i) | value_of("F16", i * 5 + 7) << 16
    if kind in ("V2U16", "V2I16"):
        return INTS[16][i % 14] | INTS[16][(i * 5 + 3) % 14] << 16
    if kind == "B32" or kind[1:] == "32":
        return INTS[32][i % 12] if i % 3 else random(1 << 32)
    n = WIDTH[kind]
    edge = INTS[n]
    return edge[i % len(edge)] if i % 4 else random(1 << n)


def operand_sets(row, kinds, count, at):
    """`count` tuples of operand values."""
    out = []
    if row.name in SPECIAL:
        special = SPECIAL[row.name]
        out = [special[(at * 7 + i) % len(special)] for i in range(min(count // 2, len(special)))]
    elif len(set(kinds)) == 1 and kinds[0] in FLOATS and len(kinds) in (2, 3):
        f = FLOATS[kinds[0]]
        ties = tie_pairs(f) if len(kinds) == 2 else tie_triples(f)
        out = [ties[(at * 5 + i) % len(ties)] for i in range(count // 2)]
    elif kinds[0] == "V2F16":
        ties = tie_pairs(F16) if len(kinds) == 2 else tie_triples(F16)
        for i in range(count // 2):
            a, b = ties[(at * 5 + i) % len(ties)], ties[(at * 3 + i * 7 + 1) % len(ties)]
            out.append(tuple(x | y << 16 for x, y in zip(a, b)))
    while len(out) < count:
        i = len(out) + at
        out.append(tuple(value_of(k, i * (5 + 6 * n) + (i // 28) * n + n) for n, k in enumerate(kinds)))
    return out


def f64(*v):
    return tuple(F64.round(Q(x)) for x in v)


BIG = [1 << 31, (1 << 31) - 1, (1 << 32) - 1, 1 << 32, -(1 << 31), -(1 << 31) - 1]
TO_INTS = [f64(v) for b in BIG for v in (b, b + Q(1, 2), b - Q(1, 2))] + [f64(Q(-1, 2)), f64(Q(-3, 2)), f64(Q(7, 2)), f64(-1)]
INTEGRALS = [f64(Q(n, 4)) for n in range(-11, 12)] + [f64((1 << 52) + Q(n, 2)) for n in (-3, -1, 1, 2)] + \
            [f64(n) for n in (1 << 53, -(1 << 53), 1 << 60)] + [(F64.one - 1,), (1,), (F64.sign | 1,), (F64.sign | F64.one - 1,)]
HALF_INTEGRALS = [(F16.round(Q(n, 4)),) for n in range(-11, 12)] + [(F16.round(Q(n)),) for n in (1023, 1024, 2047, -2047, 65504)] + \
                 [(F16.round(Q(n, 2)),) for n in (1023, 2045, -1023)] + [(1,), (0x8001,), (F16.one - 1,), (F16.sign | F16.one - 1,)]
DIV_EXPONENTS = [(1000, 200), (1000, 232), (1000, 231), (2046, 1023), (1, 1023), (54, 1023), (53, 1023), (52, 500),
                 (1023, 2046), (1023, 2045), (1023, 2044), (2046, 2046), (100, 1200), (3, 1024), (500, 1522), (500, 1521)]
DIV_SETS = []
for _n, _d in DIV_EXPONENTS:
    _num, _den = _n << 52 | random(1 << 52), _d << 52 | random(1 << 52)
    DIV_SETS += [(_num, _den, _num), (_den, _den, _num)]
for _num, _den in ((1, F64.one), (F64.one, 1), (1, 3), (5, F64.max), (0, F64.one), (F64.one, 0), (F64.inf, F64.one),
                   (F64.one, F64.inf), (F64.inf | 5, F64.one), (F64.one, F64.inf | F64.quiet)):
    DIV_SETS += [(_num, _den, _num), (_den, _den, _num)]
FIXUP_SETS = [(F64.one, d, n) for d in (0, F64.sign, F64.inf, F64.sign | F64.inf, F64.one, F64.sign | F64.one, F64.inf | 1)
              for n in (0, F64.sign | F64.inf, F64.sign | F64.one, F64.inf | F64.quiet)] + \
             [(F64.inf | F64.quiet, F64.one, F64.sign | F64.one), (F64.inf, F64.one, F64.one), (1, F64.one, 1),
              (F64.one, F64.max, 1), (F64.one, F64.one + (30 << 52), 1), (F64.sign | 5, F64.one, F64.one)]
FIXUP16 = [(q, d, n) for q in (F16.one, F16.inf | F16.quiet | 1) for d in (0, F16.sign, F16.inf, F16.one, F16.inf | 1)
           for n in (0, F16.sign | F16.inf, F16.sign | F16.one, F16.inf | F16.quiet)]
FMAS_SETS = [f64(Q(1, 3), 3, 2), f64(Q(1, 3), 3, Q(3, 2)), (1, F64.one, F64.one), f64(1, 1, -2), f64(1, 1, -1),
             (F64.one, F64.one, F64.min_normal), (F64.one - (60 << 52), F64.one, F64.min_normal * 129 + 1),
             (1, F64.one - F64.min_normal, F64.min_normal * 128 + 3), (F64.max, F64.one, F64.max), (F64.max, F64.one, F64.one),
             (F64.sign | F64.one - (70 << 52), F64.one + 1, F64.min_normal * 127 + 5), (0, F64.one, F64.min_normal * 100 + 1)]
TRIG = [(e << 52 | random(1 << 52), s) for e, s in ((1023, 0), (1023, 1), (1023, 2), (1077, 0), (1078, 0), (1100, 1), (1500, 2),
                                                    (1967, 0), (1968, 1), (1969, 2), (2046, 0), (2047, 0), (0, 3), (1023, 21),
                                                    (1023, 22), (1023, 31), (1200, 32), (2046, 5), (1078 + 63, 0))]
LDEXPS = [(F64.one + 1, e & M32) for e in (0, 1, -1, 1023, 1024, -1022, -1023, -1050, -1074, -1075, -1076, 5000, -5000, M32 >> 1,
                                             -(1 << 31))] + \
         [(F64.max, e & M32) for e in (1, -1, -2046, -2097, -2098, -2099, -3000)] + [(1, 52), (1, 1074), (1, 2097), (1, 2098), (3, -1 & M32)]
LDEXP16 = [(F16.one + 1, e & M16) for e in (0, 15, 16, -14, -15, -24, -25, -26, 32767, -32768)] + \
          [(F16.max, e & M16) for e in (1, -30, -39, -40, -41)] + [(1, 10), (1, 24), (1, 39), (1, 40), (3, -1 & M16), (5, -1 & M16)]
TURNS = [(F16.round(Q(n, d)),) for n, d in ((1, 5), (-1, 6), (1, 8), (3, 8), (1, 3), (5, 7), (-2, 9), (100, 3), (509, 9), (255, 8),
                                            (2001, 8), (1, 1000), (-1, 100), (3, 5), (5, 6), (1, 2), (-1, 2), (3, 4), (-1, 4), (-5, 2), (7, 1))]
LOGS = [(F16.round(Q(n, d)),) for n, d in ((2, 1), (3, 1), (1, 2), (1, 3), (1023, 1), (65504, 1), (1, 16384), (1, 1 << 24), (5, 4),
                                           (-1, 3), (15, 1), (16, 1), (-14, 1), (-25, 1), (-31, 2), (1023, 1024), (1025, 1024))]
MIX_TERMS = [(0x3c003800, 0x40004200, 0x3f800000), (0x3f800001, 0x3f800001, 0xbf800002), (0x00010001, 0x3c003c00, 0),
             (1, 0x3f800000, 0), (0x00800000, 0x3f000000, 0x80000000), (0x7bff7bff, 0x7bff7bff, 0x7f7fffff),
             (0x7f7fffff, 0x40000000, 0xff7fffff), (0x7e017c01, 0x3c003c00, 0x3f800000), (0x477fe000, 0x3f800000, 0x41800000),
             (0x477ff000, 0x3f800000, 0), (0x33800000, 0x3f800000, 0), (0x33000000, 0x3f800000, 0), (0x38800000, 0x3f7fffff, 0)]
SPECIAL = {
    "V_CVT_I32_F64": TO_INTS, "V_CVT_U32_F64": TO_INTS, "V_TRUNC_F64": INTEGRALS, "V_CEIL_F64": INTEGRALS,
    "V_RNDNE_F64": INTEGRALS, "V_FLOOR_F64": INTEGRALS, "V_FRACT_F64": INTEGRALS, "V_TRUNC_F16": HALF_INTEGRALS,
    "V_CEIL_F16": HALF_INTEGRALS, "V_RNDNE_F16": HALF_INTEGRALS, "V_FLOOR_F16": HALF_INTEGRALS,
    "V_FRACT_F16": HALF_INTEGRALS, "V_CVT_U16_F16": HALF_INTEGRALS, "V_CVT_I16_F16": HALF_INTEGRALS,
    "V_DIV_SCALE_F64": DIV_SETS, "V_DIV_FIXUP_F64": FIXUP_SETS, "V_DIV_FIXUP_F16": FIXUP16,
    "V_DIV_FIXUP_LEGACY_F16": FIXUP16, "V_DIV_FMAS_F64": FMAS_SETS, "V_TRIG_PREOP_F64": TRIG, "V_LDEXP_F64": LDEXPS,
    "V_LDEXP_F16": LDEXP16, "V_SIN_F16": TURNS, "V_COS_F16": TURNS, "V_LOG_F16": LOGS, "V_EXP_F16": LOGS,
    "V_CVT_F16_U16": [(n,) for n in (2047, 2048, 2049, 2050, 2051, 65519, 65520, 65535, 4097, 4098)],
    "V_CVT_F16_I16": [(n,) for n in (2047, 2049, 0x8000, 0xf7ff, 0xf7fd, 0x7fff, 0x8001, 4099)],
    "V_CVT_F16_F32": [(u,) for u in (0x38800000, 0x387fffff, 0x387ff000, 0x387fe000, 0x33800000, 0x33000000, 0x33000001,
                                     0x32ffffff, 0x477fe000, 0x477fefff, 0x477ff000, 0x7f7fffff, 0x3f801000, 0x3f803000,
                                     0x3f801001, 0xb3000000, 1, 0x80000001, 0x00400000)],
    "V_CVT_F32_F64": [(u,) for u in (0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x380fffffffffffff,
                                     0x380fffffe0000000, 0x380fffffd0000000, 0x47efffffe0000000, 0x47efffffefffffff,
                                     0x47effffff0000000, 0x3ff0000010000000, 0x3ff0000030000000, 1, 0x8000000000000001)],
}
for _name in MIXED:
    SPECIAL[_name] = MIX_TERMS
