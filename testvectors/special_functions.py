"""Powers, logarithms and sines as rationals with far more bits than any format has: what v_exp, v_log, v_sin round.

Each value is cut off, so that it never is a tie that the function's is not; where the function's value is
rational itself the callers say so.
"""
from decimal import Decimal, localcontext
from fractions import Fraction

DIGITS = 60


def _decimal(f):
    return Decimal(f.numerator) / Decimal(f.denominator)


def exp2(x):
    if x.denominator == 1:
        return Fraction(2) ** int(x)
    with localcontext() as c:
        c.prec = DIGITS
        n = x.numerator // x.denominator
        return Fraction((_decimal(x - n) * Decimal(2).ln()).exp()) * Fraction(2) ** n


def log2(x):
    """Of a positive rational."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    if x == Fraction(2) ** e:
        return Fraction(e)
    with localcontext() as c:
        c.prec = DIGITS
        return Fraction(_decimal(x).ln() / Decimal(2).ln())


def _pi():
    """By Machin's formula."""
    def arctan(n, unit):
        total = term = unit // n
        k, sign = 3, -1
        while term:
            term //= n * n
            total += sign * (term // k)
            k, sign = k + 2, -sign
        return total
    unit = 10 ** (DIGITS + 10)
    return Fraction(4 * (4 * arctan(5, unit) - arctan(239, unit)), unit)


PI = _pi()


def sin_turns(x, quarters=0):
    """sin(2 pi (x + quarters / 4)); exact at multiples of a quarter."""
    x = (x + Fraction(quarters, 4)) % 1
    if x * 4 % 1 == 0:
        return Fraction((0, 1, 0, -1)[int(x * 4)])
    t = 2 * PI * (x if x < Fraction(1, 2) else x - 1)
    total = term = t
    n = 1
    while abs(term) > Fraction(1, 10 ** DIGITS):
        term = -term * t * t / ((n + 1) * (n + 2))
        term = Fraction(int(term * 10 ** (DIGITS + 10)), 10 ** (DIGITS + 10))
        total += term
        n += 2
    return total


def two_over_pi(bits):
    """The first bits of 2 / pi, as an integer; digits of pi to match."""
    global DIGITS
    keep, DIGITS = DIGITS, bits * 31 // 100 + 40
    pi = _pi()
    DIGITS = keep
    return int(2 / pi * 2 ** bits)
