"""Binary floats as exact rationals, rounded by definition: what the generators of vectors compute with.

A float is its bits (an int) and a format (F16, F32, F64). value() takes it apart, Format.round() makes one of a
rational. Rounding modes are MODE's: 0 nearest even, 1 up, 2 down, 3 to
zero; with 4 added (FP16_OVFL) what is too large gives the largest number whatever the rounding. A flushed result is one that would be
denormal if rounded with unbounded exponents (tininess after rounding).

NaNs: the first NaN among the operands in order, made quiet; an invalid operation gives the negative default NaN
(docs/errata.md, E-nan).
"""
from fractions import Fraction
from math import isqrt

INF = "inf"
NAN = "nan"


class Format:
    def __init__(self, name, bits, mant):
        self.name, self.bits, self.mant = name, bits, mant
        self.ebits = bits - mant - 1
        self.bias = (1 << (self.ebits - 1)) - 1
        self.sign = 1 << (bits - 1)
        self.inf = ((1 << self.ebits) - 1) << mant
        self.quiet = 1 << (mant - 1)
        self.default_nan = self.sign | self.inf | self.quiet
        self.max = self.inf - 1
        self.min_normal = 1 << mant
        self.one = self.bias << mant
        self.emin = 1 - self.bias  # of normal numbers

    def is_nan(self, u):
        return u & (self.sign - 1) > self.inf

    def is_snan(self, u):
        return self.is_nan(u) and not u & self.quiet

    def is_inf(self, u):
        return u & (self.sign - 1) == self.inf

    def is_denormal(self, u):
        return 0 < u & (self.sign - 1) < self.min_normal

    def is_zero(self, u):
        return u & (self.sign - 1) == 0

    def negative(self, u):
        return bool(u & self.sign)

    def flush(self, u, keep):
        """What an operation sees of u: a denormal is a zero unless they are kept."""
        return u & self.sign if self.is_denormal(u) and not keep else u

    def value(self, u):
        """The rational of a finite float."""
        e, m = (u & (self.sign - 1)) >> self.mant, u & (self.min_normal - 1)
        v = Fraction(m + (self.min_normal if e else 0)) * Fraction(2) ** (max(e, 1) - self.bias - self.mant)
        return -v if u & self.sign else v

    def round(self, v, mode=0, keep=True, zero_sign=0):
        """The float of a rational; zero_sign (0 or self.sign) is that of an exact zero."""
        if v == 0:
            return zero_sign
        sign = self.sign if v < 0 else 0
        v = abs(v)
        e = exponent(v)
        if not keep and rounded(v, e - self.mant, mode, sign) < Fraction(2) ** self.emin:
            return sign
        q = rounded(v, max(e, self.emin) - self.mant, mode, sign)
        if q >= Fraction(2) ** (self.bias + 1):
            up = mode == 0 or (mode == 1 and not sign) or (mode == 2 and sign)
            return sign | (self.inf if up else self.max)
        if q == 0:
            return sign
        e = max(exponent(q), self.emin)
        m = int(q / Fraction(2) ** (e - self.mant))
        return sign | ((e + self.bias - 1) << self.mant) + m


F16 = Format("f16", 16, 10)
F32 = Format("f32", 32, 23)
F64 = Format("f64", 64, 52)


def exponent(v):
    """floor(log2 v) of a positive rational."""
    e = v.numerator.bit_length() - v.denominator.bit_length()
    while Fraction(2) ** e > v:
        e -= 1
    while Fraction(2) ** (e + 1) <= v:
        e += 1
    return e


def rounded(v, at, mode, sign):
    """A positive rational to a multiple of 2^at; sign (true for negative numbers) decides the directed modes."""
    unit = Fraction(2) ** at
    q, r = divmod(v, unit)
    q, mode = int(q), mode & 3
    if mode == 0:
        q += 2 * r > unit or (2 * r == unit and q & 1)
    elif (mode == 1 and not sign) or (mode == 2 and sign):
        q += r > 0
    return q * unit


def sqrt_above(v, bits=300):
    """A rational that rounds as the square root of v does: exact, or cut off with something in the last place."""
    bits += max(0, v.denominator.bit_length() - v.numerator.bit_length())
    n = v.numerator << (2 * bits)
    q = n // v.denominator
    s = isqrt(q)
    exact = s * s == q and q * v.denominator == n
    return Fraction(2 * s + (0 if exact else 1), 2 << bits)


def first_nan(f, *operands):
    for u in operands:
        if f.is_nan(u):
            return u | f.quiet
    return None


def zero_sum_sign(f, sa, sb, mode):
    """The sign of an exact zero sum of numbers with these signs."""
    if sa == sb:
        return sa
    return f.sign if mode & 3 == 2 else 0


def add(f, a, b, mode=0, keep_in=True, keep_out=True):
    nan = first_nan(f, a, b)
    if nan is not None:
        return nan
    a, b = f.flush(a, keep_in), f.flush(b, keep_in)
    if f.is_inf(a) or f.is_inf(b):
        if f.is_inf(a) and f.is_inf(b) and a != b:
            return f.default_nan
        return a if f.is_inf(a) else b
    return f.round(f.value(a) + f.value(b), mode, keep_out, zero_sum_sign(f, a & f.sign, b & f.sign, mode))


def mul(f, a, b, mode=0, keep_in=True, keep_out=True):
    nan = first_nan(f, a, b)
    if nan is not None:
        return nan
    a, b = f.flush(a, keep_in), f.flush(b, keep_in)
    sign = (a ^ b) & f.sign
    if f.is_inf(a) or f.is_inf(b):
        return f.default_nan if f.is_zero(a) or f.is_zero(b) else sign | f.inf
    return f.round(f.value(a) * f.value(b), mode, keep_out, sign)


def fma(f, a, b, c, mode=0, keep_in=True, keep_out=True, scale=0):
    """a * b + c, times 2^scale, rounded once."""
    nan = first_nan(f, a, b, c)
    if nan is not None:
        return nan
    a, b, c = f.flush(a, keep_in), f.flush(b, keep_in), f.flush(c, keep_in)
    sign = (a ^ b) & f.sign
    if f.is_inf(a) or f.is_inf(b):
        if f.is_zero(a) or f.is_zero(b) or (f.is_inf(c) and c & f.sign != sign):
            return f.default_nan
        return sign | f.inf
    if f.is_inf(c):
        return c
    v = (f.value(a) * f.value(b) + f.value(c)) * Fraction(2) ** scale
    return f.round(v, mode, keep_out, zero_sum_sign(f, sign, c & f.sign, mode) if v == 0 else 0)


def mad(f, a, b, c, mode=0, keep_in=True, keep_out=True):
    return add(f, mul(f, a, b, mode, keep_in, keep_out), c, mode, keep_in, keep_out)


def convert(src, dst, u, mode=0, keep_in=True, keep_out=True):
    """Between formats; a NaN keeps its sign and the top of its payload, quiet."""
    if src.is_nan(u):
        m = u & (src.min_normal - 1)
        shift = dst.mant - src.mant
        m = m << shift if shift >= 0 else m >> -shift
        return (dst.sign if u & src.sign else 0) | dst.inf | dst.quiet | m
    sign = dst.sign if u & src.sign else 0
    if src.is_inf(u):
        return sign | dst.inf
    u = src.flush(u, keep_in)
    return dst.round(src.value(u), mode, keep_out, sign)


def compare(f, a, b, keep_in=True):
    """'<', '=', '>' or 'u' (unordered)."""
    if f.is_nan(a) or f.is_nan(b):
        return "u"

    def key(u):
        u = f.flush(u, keep_in)
        if f.is_inf(u):
            return Fraction(-1 if u & f.sign else 1) * Fraction(2) ** (f.bias + 2)
        return f.value(u)
    x, y = key(a), key(b)
    return "<" if x < y else ">" if x > y else "="
