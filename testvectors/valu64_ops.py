"""What the rows of valu64.tv compute, from the ISA manuals' formulas: operations on bits under a MODE.

Floats are exact rationals rounded by definition (rational.py, exact.py); docs/errata.md says what the manuals do not.
"""
from fractions import Fraction as Q

import exact
from rational import F16, F32, F64, add, compare, convert, first_nan, fma, sqrt_above

M16, M32, M64 = (1 << 16) - 1, (1 << 32) - 1, (1 << 64) - 1


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
        self.r16 |= 4 if gen == "gfx9" and bits >> 23 & 1 else 0  # FP16_OVFL
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
    return min(f.round(v - floor(v), r, keep_out, 0 if r & 3 != 2 else f.sign), f.one - 1 if v != floor(v) else M64)


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
