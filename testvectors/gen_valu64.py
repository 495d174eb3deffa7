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

import exact
from rational import F16, F32, F64, add, compare, convert, first_nan, fma, mad, mul, sqrt_above
from vectors import File, mnemonic, rows

M16, M32, M64 = (1 << 16) - 1, (1 << 32) - 1, (1 << 64) - 1
WIDTH = {"F64": 64, "B64": 64, "U64": 64, "I64": 64, "B128": 128, "F16": 16, "U16": 16, "I16": 16, "B16": 16}
FLOATS = {"F16": F16, "F32": F32, "F64": F64}

rng = 2463534242


def random(n):
    global rng
    rng = (rng * 6364136223846793005 + 1442695040888963407) & M64
    return (rng >> 20) % n


def signed(v, n):
    v &= (1 << n) - 1
    return v - (1 << n) if v >> (n - 1) else v


def clip(v, lo, hi):
    return min(max(v, lo), hi)


class Mode:
    """MODE, and what of it an instruction sees. f64 and f16 share their bits."""

    def __init__(self, bits, gen):
        self.bits, self.gen = bits, gen
        self.r32, self.r64 = bits & 3, bits >> 2 & 3
        self.in32, self.out32, self.in64, self.out64 = (bool(bits >> i & 1) for i in (4, 5, 6, 7))
        self.dx10, self.ieee = bool(bits >> 8 & 1), bool(bits >> 9 & 1)
        old = gen in ("gfx6", "gfx7")
        self.in16, self.out16 = self.in64 or old, self.out64 or old  # halves have no bits of their own there
        self.r16 = self.r32 if old else self.r64
        self.minmax_flush = gen == "gfx9"

    def of(self, f):
        """rounding, denormals kept as operands, as results"""
        if f is F32:
            return self.r32, self.in32, self.out32
        if f is F64:
            return self.r64, self.in64, self.out64
        return self.r16, self.in16, self.out16


def quiet(f, u):
    return u | f.quiet if f.is_nan(u) else u


def sub(f, a, b, *m):
    nan = first_nan(f, a, b)
    return nan if nan is not None else add(f, a, b ^ f.sign, *m)


# ---- minimum, maximum: the Vega manual's V_MIN_F16, V_MED3_F16 -------------------------------

def minmax(f, m, a, b, want):
    if m.ieee:
        for u in (a, b):
            if f.is_snan(u):
                return u | f.quiet
    keep = m.of(f)[1] or not m.minmax_flush
    x, y = f.flush(a, keep), f.flush(b, keep)
    if f.is_nan(a):
        return y
    if f.is_nan(b):
        return x
    c = compare(f, x, y)
    if c == "=":  # -0 is below +0
        c = "<" if x & f.sign and not y & f.sign else ">" if y & f.sign and not x & f.sign else "="
    return x if c in (want, "=") else y


def minimum(f, m, a, b):
    return minmax(f, m, a, b, "<")


def maximum(f, m, a, b):
    return minmax(f, m, a, b, ">")


def med3(f, m, a, b, c):
    if any(f.is_nan(u) for u in (a, b, c)):
        return minimum(f, m, minimum(f, m, a, b), c)
    top = maximum(f, m, maximum(f, m, a, b), c)
    keep = m.of(f)[1] or not m.minmax_flush
    a, b, c = (f.flush(u, keep) for u in (a, b, c))
    if top == a:
        return maximum(f, m, b, c)
    if top == b:
        return maximum(f, m, a, c)
    return maximum(f, m, a, b)


# ---- one operand ---------------------------------------------------------------------------

def floor(v):
    return v.numerator // v.denominator


def nearest_even(v):
    n = floor(v)
    r = v - n
    return n + (1 if r > Q(1, 2) or (r == Q(1, 2) and n & 1) else 0)


def to_integral(how):
    """v_trunc, v_ceil, v_rndne, v_floor: the sign of the operand for a zero result."""
    def f(fmt, m, a):
        if fmt.is_nan(a) or fmt.is_inf(a):
            return quiet(fmt, a)
        a = fmt.flush(a, m.of(fmt)[1])
        return fmt.round(Q(how(fmt.value(a))), 0, True, a & fmt.sign)
    return f


trunc = to_integral(lambda v: int(v))
ceil = to_integral(lambda v: -floor(-v))
rndne = to_integral(nearest_even)
floor_float = to_integral(floor)


def fract(f, m, a):
    """a - floor(a), and the largest number below 1 where that rounds to 1; E-nan for infinities."""
    if f.is_nan(a) or f.is_inf(a):
        return a | f.quiet
    r, keep_in, keep_out = m.of(f)
    a = f.flush(a, keep_in)
    v = f.value(a)
    return min(f.round(v - floor(v), r, keep_out, 0 if r != 2 else f.sign), f.one - 1 if v != floor(v) else M64)


def rcp(f, m, a):
    r, keep_in, keep_out = m.of(f)
    a = f.flush(a, keep_in)
    if f.is_nan(a):
        return quiet(f, a)
    if f.is_zero(a):
        return a | f.inf
    if f.is_inf(a):
        return a & f.sign
    return f.round(1 / f.value(a), r, keep_out)


def sqrt(f, m, a, inner=None):
    """inner: the format of a result that is used further."""
    r, keep_in, keep_out = m.of(f)
    a = f.flush(a, keep_in)
    if f.is_nan(a):
        return quiet(f, a)
    if f.is_zero(a):
        return a
    if f.negative(a):
        return f.default_nan
    return a if f.is_inf(a) else f.round(sqrt_above(f.value(a)), r, keep_out)


def rsq(f, m, a):
    """f64: two operations, each rounded (E-transcendentals); f16: rounded once."""
    if f is F64:
        return rcp(f, m, sqrt(f, m, a))
    r, keep_in, keep_out = m.of(f)
    a = f.flush(a, keep_in)
    if f.is_nan(a) or f.is_zero(a) or f.is_inf(a) or f.negative(a):
        return rcp(f, m, sqrt(f, m, a))
    return f.round(sqrt_above(1 / f.value(a)), r, keep_out)


def frexp_mant(f, m, a):
    a = f.flush(a, m.of(f)[1])
    if f.is_nan(a):
        return quiet(f, a)
    if f.is_inf(a):
        return f.default_nan if m.gen == "gfx6" else a
    v = f.value(a)
    if v == 0:
        return a
    while abs(v) >= 1:
        v /= 2
    while abs(v) < Q(1, 2):
        v *= 2
    return f.round(v)


def frexp_exp(f, m, a):
    a = f.flush(a, m.of(f)[1])
    if f.is_nan(a) or f.is_inf(a):
        return -1 if m.gen == "gfx6" else 0
    v, e = abs(f.value(a)), 0
    if v == 0:
        return 0
    while v >= 1:
        v, e = v / 2, e + 1
    while v < Q(1, 2):
        v, e = v * 2, e - 1
    return e


def ldexp(f, m, a, e):
    r, keep_in, keep_out = m.of(f)
    a = f.flush(a, keep_in)
    if f.is_nan(a) or f.is_inf(a) or f.is_zero(a):
        return quiet(f, a)
    return f.round(f.value(a) * Q(2) ** clip(e, -5000, 5000), r, keep_out)


def to_int(f, a, lo, hi):
    """Truncated and saturated; a NaN gives 0."""
    if f.is_nan(a):
        return 0
    if f.is_inf(a):
        return lo if f.negative(a) else hi
    return clip(int(f.value(a)), lo, hi)


def from_int(f, m, v):
    r, _, keep = m.of(f)
    return f.round(Q(v), r, keep)


def norm(f, m, a, scale, lo):
    """v_cvt_norm, v_cvt_pknorm: to nearest even of a * scale, saturated; a NaN gives 0."""
    if f.is_nan(a):
        return 0
    if f.is_inf(a):
        return lo if f.negative(a) else scale
    return clip(nearest_even(f.value(f.flush(a, m.of(f)[1])) * scale), lo, scale)


def transcendental(f, m, a, value, at_zero, at_inf, at_minus_inf, negative_nan=False):
    r, keep_in, keep_out = m.of(f)
    a = f.flush(a, keep_in)
    if f.is_nan(a):
        return quiet(f, a)
    if f.is_inf(a):
        return at_minus_inf if f.negative(a) else at_inf
    if f.is_zero(a) and at_zero is not None:
        return at_zero | (a & f.sign if at_zero == 0 else 0)
    if negative_nan and f.negative(a):
        return f.default_nan
    return f.round(value(f.value(a)), r, keep_out, a & f.sign if at_zero == 0 else 0)


def log(f, m, a):
    return transcendental(f, m, a, exact.log2, f.sign | f.inf, f.inf, f.default_nan, True)


def exp(f, m, a):
    return transcendental(f, m, a, exact.exp2, f.one, f.inf, 0)


def sine(quarters):
    def g(f, m, a):
        def value(v):
            return exact.sin2pi(v, quarters)
        if m.gen == "gfx8" and not f.is_nan(a) and not f.is_inf(a) and abs(f.value(a)) > 256:
            return f.one if quarters else 0  # beyond 256 turns
        return transcendental(f, m, a, value, f.one if quarters else 0, f.default_nan, f.default_nan)
    return g


def clamp_inf(f, u):
    return u & f.sign | f.max if f.is_inf(u) else u


# ---- division: docs/errata.md, E-division ----------------------------------------------------

def biased(f, u):
    """The exponent, below 1 for denormals."""
    v = abs(f.value(u & (f.sign - 1) | f.sign if f.is_inf(u) or f.is_nan(u) else u)) if not u & f.inf else 0
    if u & f.inf:
        return (u & f.inf) >> f.mant
    e = 0
    while v >= 2:
        v, e = v / 2, e + 1
    while v < 1:
        v, e = v * 2, e - 1
    return e + f.bias


def div_scale(f, m, a, den, num):
    near, tiny, by = (96, 23, 64) if f is F32 else (768, 53, 128)
    _, keep_in, _ = m.of(f)
    a, den, num = (f.flush(u, keep_in) for u in (a, den, num))
    if f.is_zero(den) or f.is_zero(num):
        return f.default_nan, 1
    if f.is_nan(a) or f.is_inf(a):
        return quiet(f, a), 1
    keep_out = m.of(f)[2]
    n, d = biased(f, num), biased(f, den)
    great_den = d >= 2 * f.bias - 1
    if n - d >= near:
        scale, flag = by if a == den else 0, 1
    elif n - d <= 1 - f.bias:
        scale, flag = ((-by if a == den else 0) if great_den else (by if a == num else 0)), 1
    elif d < 1:
        scale, flag = by, 0
    elif great_den:
        scale, flag = -by, 0
    else:
        scale, flag = by if n <= tiny else 0, 0
    return f.flush(ldexp(f, m, a, scale) if scale else a, keep_out), flag


def div_fmas(f, m, a, b, c, flag):
    by = 64 if f is F32 else 128
    r, keep_in, keep_out = m.of(f)
    up = c & (f.sign - 1) >= f.one + f.min_normal  # |c| >= 2
    return fma(f, a, b, c, r, keep_in, keep_out, (by if up else -by) if flag else 0)


def div_fixup(f, m, q, den, num):
    _, keep_in, keep_out = m.of(f)
    den, num, q = (f.flush(u, keep_in) for u in (den, num, q))
    sign = (den ^ num) & f.sign
    if f.is_nan(num) or f.is_nan(den):
        return quiet(f, num if f.is_nan(num) else den)
    if (f.is_zero(den) and f.is_zero(num)) or (f.is_inf(den) and f.is_inf(num)):
        return f.default_nan
    if f.is_zero(den) or f.is_inf(num):
        return sign | f.inf
    if f.is_inf(den) or f.is_zero(num):
        return sign
    if f is not F16 and biased(f, num) - biased(f, den) < (-150 if f is F32 else -1075):
        return sign
    return sign | (f.inf if f.is_nan(q) else f.flush(q & (f.sign - 1), keep_out))


# ---- v_trig_preop_f64: the Vega manual ------------------------------------------------------

PI_BITS = 1201


def arctan_inverse(n, unit):
    total, term, k = 0, unit // n, 1
    while term:
        total, term, k = total + (term // k if k & 2 == 0 else -(term // k)), term // (n * n), k + 2
    return total


def two_over_pi(bits):
    """The first bits, as an integer; pi by Machin's formula."""
    unit = 1 << (bits + 64)
    pi = 4 * (4 * arctan_inverse(5, unit) - arctan_inverse(239, unit))
    return (2 * unit << bits) // pi


TWO_OVER_PI = two_over_pi(PI_BITS)


def trig_preop(m, a, segment):
    e = (a & F64.inf) >> 52
    shift = (segment & 31) * 53 + max(e - 1077, 0)
    top = (TWO_OVER_PI << shift & ((1 << PI_BITS) - 1)) >> (PI_BITS - 53)
    scale = -53 - shift + (128 if e >= 1968 else 0)
    r, _, keep = m.of(F64)
    return F64.round(Q(top) * Q(2) ** scale, r, keep)


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


# ---- integers: the ISA manuals' formulas ------------------------------------------------------

def sad(a, b, masked):
    s = 0
    for i in range(0, 32, 8):
        x, y = a >> i & 255, b >> i & 255
        s += abs(x - y) if y or not masked else 0
    return s


def qsad(a, b, c, masked, sat):
    r = 0
    for i in range(4):
        s = sad(a >> 8 * i & M32, b, masked) + (c >> 16 * i & M16)
        r |= (min(s, M16) if sat else s & M16) << 16 * i
    return r


def mqsad32(a, b, c, sat):
    r = 0
    for i in range(4):
        s = sad(a >> 8 * i & M32, b, True) + (c >> 32 * i & M32)
        r |= (min(s, M32) if sat else s & M32) << 32 * i
    return r


def saturated(v, n, is_signed, sat):
    if sat:
        v = clip(v, -(1 << (n - 1)), (1 << (n - 1)) - 1) if is_signed else clip(v, 0, (1 << n) - 1)
    return v & ((1 << n) - 1)


def halves(v):
    return v & M16, v >> 16


def dot_parts(v, n, is_signed):
    parts = [v >> i & ((1 << n) - 1) for i in range(0, 32, n)]
    return [signed(p, n) for p in parts] if is_signed else parts


def dot(a, b, c, n, is_signed, sat):
    s = sum(x * y for x, y in zip(dot_parts(a, n, is_signed), dot_parts(b, n, is_signed)))
    return saturated(s + (signed(c, 32) if is_signed else c), 32, is_signed, sat)


def dot2_f32(m, a, b, c):
    """E-dot: two FMAs in f32, the low halves' first, f32 denormals flushed."""
    to32 = [[convert(F16, F32, h, 0, m.in16) for h in halves(v)] for v in (a, b)]
    for x, y in zip(*to32):
        c = fma(F32, x, y, c, m.r32, False, False)
    return c


# ---- the formulas, row by row -------------------------------------------------------------------

def lane(f, g):
    """g(a, b, ...) of a float format in the mode's rounding."""
    return lambda m, *u: g(f, *u, *m.of(f))


def moded(f, g):
    return lambda m, *u: g(f, m, *u)


def s16(v):
    return signed(v, 16)


def pack(g):
    """Both halves by themselves; `m` is passed on."""
    return lambda m, *u: g(m, *(v & M16 for v in u)) & M16 | (g(m, *(v >> 16 for v in u)) & M16) << 16


def ints(g):
    return lambda m, *u: g(*u)


class Sat:
    """Marks a formula that wants to know whether CLAMP saturates."""

    def __init__(self, g):
        self.g = g


def sat(n, is_signed, g):
    """An integer row that CLAMP saturates: g gives the exact value."""
    return Sat(lambda m, s, *u: saturated(g(*u), n, is_signed, s))


def mad_mix(fused):
    def g(m, a, b, c):
        return fma(F32, a, b, c, m.r32, m.in32, m.out32) if fused else mad(F32, a, b, c, m.r32, False, False)
    return g


def mix16(fused):
    """The f32 result rounded once more, to a half."""
    g = mad_mix(fused)
    return lambda m, a, b, c: convert(F32, F16, g(m, a, b, c), m.r64, True, m.out16)


def canonical16(m, a):
    """v_pack_b32_f16 passes halves on as arithmetic does (LLVM: "is_canonicalized")."""
    return convert(F16, F16, a, 0, m.in16, m.out16)


def cvt_f32_f64(m, a):
    return convert(F64, F32, a, m.r32, m.in64, m.out32)


def cvt_f64_f32(m, a):
    return convert(F32, F64, a, 0, m.in32, True)


def mad64(is_signed):
    """The sum of 65 bits: the flag is its highest (the manuals' {vcc, D} = ...). E-mad64."""
    def g(m, s, a, b, c):
        if is_signed:
            v = signed(a, 32) * signed(b, 32) + signed(c, 64)
            return saturated(v, 64, True, s), v >> 64 & 1
        v = a * b + c
        return saturated(v, 64, False, s), v >> 64
    return Sat(g)


def shift64(g, reverse):
    return ints((lambda n, v: g(v, n & 63)) if reverse else (lambda v, n: g(v, n & 63)))


F16_2 = {
    "V_ADD_F16": lane(F16, add), "V_SUB_F16": lane(F16, sub),
    "V_SUBREV_F16": lambda m, a, b: sub(F16, b, a, *m.of(F16)), "V_MUL_F16": lane(F16, mul),
    "V_MAC_F16": lane(F16, mad), "V_MADMK_F16": lane(F16, mad), "V_MADAK_F16": lane(F16, mad),
    "V_MAX_F16": moded(F16, maximum), "V_MIN_F16": moded(F16, minimum),
    "V_LDEXP_F16": lambda m, a, e: ldexp(F16, m, a, s16(e)),
}
INT16 = {
    "V_ADD_U16": sat(16, False, lambda a, b: a + b), "V_SUB_U16": sat(16, False, lambda a, b: a - b),
    "V_SUBREV_U16": sat(16, False, lambda a, b: b - a), "V_MUL_LO_U16": ints(lambda a, b: a * b),
    "V_LSHLREV_B16": ints(lambda a, b: b << (a & 15)), "V_LSHRREV_B16": ints(lambda a, b: b >> (a & 15)),
    "V_ASHRREV_I16": ints(lambda a, b: s16(b) >> (a & 15)), "V_MAX_U16": ints(max), "V_MIN_U16": ints(min),
    "V_MAX_I16": ints(lambda a, b: max(s16(a), s16(b))), "V_MIN_I16": ints(lambda a, b: min(s16(a), s16(b))),
    "V_MAD_LEGACY_U16": sat(16, False, lambda a, b, c: a * b + c), "V_MAD_U16": sat(16, False, lambda a, b, c: a * b + c),
    "V_MAD_LEGACY_I16": sat(16, True, lambda a, b, c: s16(a) * s16(b) + s16(c)),
    "V_MAD_I16": sat(16, True, lambda a, b, c: s16(a) * s16(b) + s16(c)),
    "V_ADD_I16": sat(16, True, lambda a, b: s16(a) + s16(b)), "V_SUB_I16": sat(16, True, lambda a, b: s16(a) - s16(b)),
    "V_MIN3_I16": ints(lambda *u: min(map(s16, u))), "V_MIN3_U16": ints(min),
    "V_MAX3_I16": ints(lambda *u: max(map(s16, u))), "V_MAX3_U16": ints(max),
    "V_MED3_I16": ints(lambda *u: sorted(map(s16, u))[1]), "V_MED3_U16": ints(lambda *u: sorted(u)[1]),
    "V_MAD_U32_U16": sat(32, False, lambda a, b, c: a * b + c),
    "V_MAD_I32_I16": sat(32, True, lambda a, b, c: s16(a) * s16(b) + signed(c, 32)),
    "V_SAT_PK_U8_I16": ints(lambda a: clip(s16(a), 0, 255) | clip(s16(a >> 16), 0, 255) << 8),
}
F16_1 = {
    "V_CVT_F16_F32": lambda m, a: convert(F32, F16, a, m.r16, m.in32, m.out16),
    "V_CVT_F32_F16": lambda m, a: convert(F16, F32, a, 0, m.in16, True),
    "V_CVT_F16_U16": lambda m, a: from_int(F16, m, a), "V_CVT_F16_I16": lambda m, a: from_int(F16, m, s16(a)),
    "V_CVT_U16_F16": lambda m, a: to_int(F16, a, 0, M16), "V_CVT_I16_F16": lambda m, a: to_int(F16, a, -32768, 32767),
    "V_RCP_F16": moded(F16, rcp), "V_SQRT_F16": moded(F16, sqrt), "V_RSQ_F16": moded(F16, rsq),
    "V_LOG_F16": moded(F16, log), "V_EXP_F16": moded(F16, exp), "V_SIN_F16": moded(F16, sine(0)),
    "V_COS_F16": moded(F16, sine(1)), "V_FREXP_MANT_F16": moded(F16, frexp_mant),
    "V_FREXP_EXP_I16_F16": moded(F16, frexp_exp), "V_FLOOR_F16": moded(F16, floor_float),
    "V_CEIL_F16": moded(F16, ceil), "V_TRUNC_F16": moded(F16, trunc), "V_RNDNE_F16": moded(F16, rndne),
    "V_FRACT_F16": moded(F16, fract), "V_CVT_NORM_I16_F16": lambda m, a: norm(F16, m, a, 32767, -32767),
    "V_CVT_NORM_U16_F16": lambda m, a: norm(F16, m, a, 65535, 0),
}
F16_3 = {
    "V_MAD_LEGACY_F16": lane(F16, mad), "V_MAD_F16": lane(F16, mad), "V_FMA_LEGACY_F16": lane(F16, fma),
    "V_FMA_F16": lane(F16, fma), "V_DIV_FIXUP_LEGACY_F16": moded(F16, div_fixup),
    "V_DIV_FIXUP_F16": moded(F16, div_fixup),
    "V_MIN3_F16": lambda m, a, b, c: minimum(F16, m, minimum(F16, m, a, b), c),
    "V_MAX3_F16": lambda m, a, b, c: maximum(F16, m, maximum(F16, m, a, b), c), "V_MED3_F16": moded(F16, med3),
    "V_CVT_PKNORM_I16_F16": lambda m, a, b: norm(F16, m, a, 32767, -32767) & M16 | (norm(F16, m, b, 32767, -32767) & M16) << 16,
    "V_CVT_PKNORM_U16_F16": lambda m, a, b: norm(F16, m, a, 65535, 0) | norm(F16, m, b, 65535, 0) << 16,
    "V_PACK_B32_F16": lambda m, a, b: canonical16(m, a) | canonical16(m, b) << 16,
}
F64_1 = {
    "V_CVT_I32_F64": lambda m, a: to_int(F64, a, -(1 << 31), (1 << 31) - 1),
    "V_CVT_U32_F64": lambda m, a: to_int(F64, a, 0, M32), "V_CVT_F64_I32": lambda m, a: from_int(F64, m, signed(a, 32)),
    "V_CVT_F64_U32": lambda m, a: from_int(F64, m, a), "V_CVT_F32_F64": cvt_f32_f64, "V_CVT_F64_F32": cvt_f64_f32,
    "V_TRUNC_F64": moded(F64, trunc), "V_CEIL_F64": moded(F64, ceil), "V_RNDNE_F64": moded(F64, rndne),
    "V_FLOOR_F64": moded(F64, floor_float), "V_FRACT_F64": moded(F64, fract), "V_RCP_F64": moded(F64, rcp),
    "V_RSQ_F64": moded(F64, rsq), "V_SQRT_F64": moded(F64, sqrt),
    "V_RCP_CLAMP_F64": lambda m, a: clamp_inf(F64, rcp(F64, m, a)),
    "V_RSQ_CLAMP_F64": lambda m, a: clamp_inf(F64, rsq(F64, m, a)),
    "V_FREXP_EXP_I32_F64": moded(F64, frexp_exp), "V_FREXP_MANT_F64": moded(F64, frexp_mant),
}
F64_23 = {
    "V_ADD_F64": lane(F64, add), "V_MUL_F64": lane(F64, mul), "V_MIN_F64": moded(F64, minimum),
    "V_MAX_F64": moded(F64, maximum), "V_LDEXP_F64": lambda m, a, e: ldexp(F64, m, a, signed(e, 32)),
    "V_FMA_F64": lane(F64, fma), "V_DIV_FIXUP_F64": moded(F64, div_fixup), "V_DIV_SCALE_F64": moded(F64, div_scale),
    "V_DIV_FMAS_F64": moded(F64, div_fmas), "V_TRIG_PREOP_F64": trig_preop,
}
INT64 = {
    "V_LSHLREV_B64": shift64(lambda v, n: v << n, True), "V_LSHRREV_B64": shift64(lambda v, n: v >> n, True),
    "V_ASHRREV_I64": shift64(lambda v, n: signed(v, 64) >> n, True), "V_LSHL_B64": shift64(lambda v, n: v << n, False),
    "V_LSHR_B64": shift64(lambda v, n: v >> n, False), "V_ASHR_I64": shift64(lambda v, n: signed(v, 64) >> n, False),
    "V_MAD_U64_U32": mad64(False), "V_MAD_I64_I32": mad64(True),
    "V_QSAD_PK_U16_U8": Sat(lambda m, s, a, b, c: qsad(a, b, c, False, s)),
    "V_MQSAD_PK_U16_U8": Sat(lambda m, s, a, b, c: qsad(a, b, c, True, s)),
    "V_MQSAD_U32_U8": Sat(lambda m, s, a, b, c: mqsad32(a, b, c, s)),
}


def packed_sat(is_signed, g):
    def h(m, s, *u):
        lo, hi = [v & M16 for v in u], [v >> 16 for v in u]
        if is_signed:
            lo, hi = [s16(v) for v in lo], [s16(v) for v in hi]
        return saturated(g(*lo), 16, is_signed, s) | saturated(g(*hi), 16, is_signed, s) << 16
    return Sat(h)


PACKED = {
    "V_PK_MAD_I16": packed_sat(True, lambda a, b, c: a * b + c), "V_PK_ADD_I16": packed_sat(True, lambda a, b: a + b),
    "V_PK_SUB_I16": packed_sat(True, lambda a, b: a - b), "V_PK_MAD_U16": packed_sat(False, lambda a, b, c: a * b + c),
    "V_PK_ADD_U16": packed_sat(False, lambda a, b: a + b), "V_PK_SUB_U16": packed_sat(False, lambda a, b: a - b),
    "V_PK_MUL_LO_U16": pack(ints(lambda a, b: a * b)), "V_PK_MAX_U16": pack(ints(max)), "V_PK_MIN_U16": pack(ints(min)),
    "V_PK_MAX_I16": pack(ints(lambda a, b: max(s16(a), s16(b)))),
    "V_PK_MIN_I16": pack(ints(lambda a, b: min(s16(a), s16(b)))),
    "V_PK_LSHLREV_B16": pack(ints(lambda a, b: b << (a & 15))),
    "V_PK_LSHRREV_B16": pack(ints(lambda a, b: b >> (a & 15))),
    "V_PK_ASHRREV_I16": pack(ints(lambda a, b: s16(b) >> (a & 15))),
    "V_PK_FMA_F16": pack(lane(F16, fma)), "V_PK_ADD_F16": pack(lane(F16, add)), "V_PK_MUL_F16": pack(lane(F16, mul)),
    "V_PK_MIN_F16": pack(moded(F16, minimum)), "V_PK_MAX_F16": pack(moded(F16, maximum)),
    "V_PK_FMAC_F16": pack(lane(F16, fma)),
}
MIXED = {
    "V_MAD_MIX_F32": mad_mix(False), "V_FMA_MIX_F32": mad_mix(True), "V_MAD_MIXLO_F16": mix16(False),
    "V_FMA_MIXLO_F16": mix16(True), "V_MAD_MIXHI_F16": mix16(False), "V_FMA_MIXHI_F16": mix16(True),
}
DOTS = {
    "V_DOT2_F32_F16": dot2_f32, "V_DOT2C_F32_F16": dot2_f32,
    "V_DOT2_I32_I16": Sat(lambda m, s, a, b, c: dot(a, b, c, 16, True, s)),
    "V_DOT2_U32_U16": Sat(lambda m, s, a, b, c: dot(a, b, c, 16, False, s)),
    "V_DOT4_I32_I8": Sat(lambda m, s, a, b, c: dot(a, b, c, 8, True, s)),
    "V_DOT4_U32_U8": Sat(lambda m, s, a, b, c: dot(a, b, c, 8, False, s)),
    "V_DOT8_I32_I4": Sat(lambda m, s, a, b, c: dot(a, b, c, 4, True, s)),
    "V_DOT8_U32_U4": Sat(lambda m, s, a, b, c: dot(a, b, c, 4, False, s)),
    "V_DOT2C_I32_I16": Sat(lambda m, s, a, b, c: dot(a, b, c, 16, True, s)),
    "V_DOT4C_I32_I8": Sat(lambda m, s, a, b, c: dot(a, b, c, 8, True, s)),
    "V_DOT8C_I32_I4": Sat(lambda m, s, a, b, c: dot(a, b, c, 4, True, s)),
}
FORMULAS = {}
for group in (F16_1, F16_2, F16_3, INT16, F64_1, F64_23, INT64, PACKED, MIXED, DOTS):
    FORMULAS.update(group)

# The operands beyond src[] that a formula takes: the destination, the lane's bit of VCC.
READS_DST = {"V_MAC_F16", "V_PK_FMAC_F16", "V_DOT2C_F32_F16", "V_DOT2C_I32_I16", "V_DOT4C_I32_I8", "V_DOT8C_I32_I4"}
READS_VCC = {"V_DIV_FMAS_F64"}
# Results whose rounding in the directed modes is not the manuals' business: nearest only.
NEAREST_ONLY = {"V_LOG_F16", "V_EXP_F16", "V_SIN_F16", "V_COS_F16"}


# ---- operands ----------------------------------------------------------------------------------

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


# ---- vectors --------------------------------------------------------------------------------------

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


def mix_source(m, u, i, mods):
    """op_sel_hi: a half, chosen by op_sel; neg_hi is abs."""
    if mods.op_sel_hi >> i & 1:
        u = convert(F16, F32, halves(u)[mods.op_sel >> i & 1], 0, m.in16)
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
    u = [mix_source(m, v, i, mods) if k == "MIX" else v ^ (1 << 31 if k == "F32" and row.enc == "VOP3P" and mods.neg >> i & 1 else 0)
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
    near = row.name in NEAREST_ONLY
    base = 0xf0
    has_vop3 = row.enc in ("VOP1", "VOP2") and not row.has("NO_VOP3") and not row.has("LITK")
    default = Mods(op_sel_hi=0) if "MIX" in row.src else PLAIN

    vector(out, row, gen, operand_sets(row, kinds, count, at), base, default)
    vector(out, row, gen, operand_sets(row, kinds, count, at + 3), base | (0x200 if is_float else 0), default,
           "e64" if has_vop3 else None)
    if is_float:
        for i in range(4):
            mode = MODES[(at * 4 + i) % len(MODES)]
            if near:
                mode &= 0xf0
            vector(out, row, gen, operand_sets(row, kinds, count, at + 5 + 2 * i), mode, default)
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
    out.note("Matrices.")
    matrix_vectors(out)
    out.write("f64, f16, 16 and 64 bits, packed, dot products, matrices. Made by gen_valu64.py; the format: atoll-test(1).")


if __name__ == "__main__":
    main()
