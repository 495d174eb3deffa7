"""Float operations under a MODE, on rational.py; and the functions whose values are no rationals, to 300 bits and more.
"""
from fractions import Fraction

import rational
from rational import F16, F32, F64, first_nan


class Mode:
    """Rounding (as MODE counts), whether denormal operands and results are kept, DX10_CLAMP, IEEE."""

    def __init__(self, round=0, in_=True, out=True, dx10=False, ieee=False):
        self.round, self.in_, self.out, self.dx10, self.ieee = round, in_, out, dx10, ieee

    def flushing(self):
        return Mode(self.round, False, False, self.dx10, self.ieee)


KEEP = Mode()


def rnd(v, m, negative_zero=False, f=F32):
    """The float of a rational."""
    return f.round(v, m.round, m.out, f.sign if negative_zero else 0)


def operands(f, m, *xs):
    return [f.flush(x, m.in_) for x in xs]


def add(f, m, a, b):
    return rational.add(f, a, b, m.round, m.in_, m.out)


def sub(f, m, a, b):
    """a - b; a NaN b keeps its sign."""
    n = first_nan(f, a, b)
    return n if n is not None else add(f, m, a, b ^ f.sign)


def mul(f, m, a, b):
    return rational.mul(f, a, b, m.round, m.in_, m.out)


def mul_legacy(f, m, a, b):
    """Zero times anything is zero."""
    x, y = operands(f, m, a, b)
    return 0 if f.is_zero(x) or f.is_zero(y) else mul(f, m, a, b)


def fma(f, m, a, b, c):
    return rational.fma(f, a, b, c, m.round, m.in_, m.out)


def mad(f, m, a, b, c, product=mul):
    """A product and a sum, each rounded; denormals flushed whatever MODE says."""
    m = m.flushing()
    return add(f, m, product(f, m, a, b), c)


def ldexp(f, m, a, e):
    n = first_nan(f, a)
    if n is not None:
        return n
    a, = operands(f, m, a)
    if f.is_inf(a) or f.is_zero(a):
        return a
    return rnd(f.value(a) * Fraction(2) ** max(min(e, 5000), -5000), m, f=f)


def convert(src, dst, m, x):
    """From one format to another; m.in_ is about src, m.out about dst."""
    return rational.convert(src, dst, x, m.round, m.in_, m.out)


# ---- numbers that are not rational: as a fraction with a relative error below 2^-200 -----------------

BITS = 400
UNIT = 1 << BITS


def _atan_inverse(n):
    """atan(1 / n), fixed point."""
    total, term, k = 0, UNIT // n, 0
    while term:
        total += term // (2 * k + 1) * (-1) ** k
        term //= n * n
        k += 1
    return total


PI = 16 * _atan_inverse(5) - 4 * _atan_inverse(239)


def _ln2():
    """2 atanh(1 / 3), fixed point."""
    total, term, k = 0, UNIT // 3, 0
    while term:
        total += term // (2 * k + 1)
        term //= 9
        k += 1
    return 2 * total


LN2 = _ln2()


def sqrt(v):
    """Exact where the root is rational; else off by less than 2^-300, never a tie."""
    return rational.sqrt_above(v, 400)


def exp2(v):
    n = v.numerator // v.denominator
    t = ((v - n).numerator * LN2) // (v - n).denominator
    total, term, k = UNIT, UNIT, 0
    while term:
        k += 1
        term = term * t // UNIT // k
        total += term
    return Fraction(total, UNIT) * Fraction(2) ** n


def log2(v):
    """v > 0."""
    e = v.numerator.bit_length() - v.denominator.bit_length()
    m = v / Fraction(2) ** e
    s = (m - 1) / (m + 1)
    z = (s.numerator << BITS) // s.denominator
    total, term, k = 0, z, 0
    while term > 1 or term < -1:
        total += term // (2 * k + 1)
        term = term * z // UNIT * z // UNIT
        k += 1
    return e + Fraction(2 * total, LN2) if m != 1 else Fraction(e)


def sin2pi(v, quarter=0):
    """sin(2 pi v); with quarter 1 the cosine. Exact at quarters of a turn."""
    q = 4 * v + quarter
    k = q.numerator // q.denominator
    t = q - k  # quarters of a turn, 0 <= t < 1
    if k & 1:
        t = 1 - t
    if t.denominator == 1:
        r = Fraction(t)
    else:
        x = t.numerator * PI // 2 // t.denominator
        total, term, n = 0, x, 1
        while term:
            total += term
            term = -(term * x // UNIT * x // UNIT) // ((n + 1) * (n + 2))
            n += 2
            if term == -1:
                break
        r = Fraction(total, UNIT)
    return -r if k & 2 else r
