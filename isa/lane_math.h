/* lane_math.h: reciprocals, roots, powers, logarithms, sines.
 *
 * The hardware promises one unit in the last place (log, exp, rcp, rsq, sqrt) and an absolute
 * error for sin and cos. Here each is computed in double with an error some 2^20 times smaller
 * than a float's last place and then rounded, so results are the correctly rounded ones but for
 * rare near-ties; division and square root in double are IEEE's, so rcp and sqrt are always
 * correctly rounded. Nothing of libm is used: the result is the same on every host. The bits of
 * real silicon differ within its promise (docs/errata.md, E-transcendentals).
 *
 * The f32 rows run with denormals flushed (flag FLUSH). */
#ifndef ATOLL_LANE_MATH_H
#define ATOLL_LANE_MATH_H

#include "isa/lane_f64.h"

/* 1 / n, rounded to nearest once and for all: with -frounding-math an expression would be divided out again
 * and again, as MODE rounds. */
#define LANE_INVERSE(n) ({ static const double inverse_ __attribute__((unused)) = 1.0 / n##.0; inverse_; })

/* An integer as a double. Written so that a compiler does not make trunc() of it and the conversion before it:
 * GCC 12 has no vectors of that in a loop with conditions. */
LANE double lane_double_of(int32_t n)
{
    return (double)(n + 1023) - 1023.0;
}

/* ---- in double --------------------------------------------------------------------------- */

/* The nearest integer, in any rounding mode, of a number below 2^31: what the reductions below
 * need is a small rest that is exact, so ties (and numbers next to them) may go either way. */
LANE int32_t lane_near_i32(double x)
{
    return (int32_t)(x + bits_f64((f64_bits(x) & ~LANE_MAG64) | f64_bits(0.5)));
}

/* 2^x for |x| <= 1022, relative error below 1e-14; exact at integers. */
LANE double lane_exp2(double x)
{
    int32_t n = lane_near_i32(x);
    double t = (x - lane_double_of(n)) * 0.693147180559945309417;
    double p;

    /* e^t by its series, |t| < 0.35. */
    p = LANE_INVERSE(6227020800);
    p = p * t + LANE_INVERSE(479001600);
    p = p * t + LANE_INVERSE(39916800);
    p = p * t + LANE_INVERSE(3628800);
    p = p * t + LANE_INVERSE(362880);
    p = p * t + LANE_INVERSE(40320);
    p = p * t + LANE_INVERSE(5040);
    p = p * t + LANE_INVERSE(720);
    p = p * t + LANE_INVERSE(120);
    p = p * t + LANE_INVERSE(24);
    p = p * t + LANE_INVERSE(6);
    p = p * t + 0.5;
    p = p * t + 1.0;
    p = p * t + 1.0;
    return p * lane_pow2(n);
}

/* log2 x for normal positive x: e + log2 m, m in [sqrt 1/2, sqrt 2), by the series of
 * 2 atanh((m - 1) / (m + 1)). Exact at powers of two. */
LANE double lane_log2(double x)
{
    uint64_t u = f64_bits(x);
    /* Moves the exponent's border from 1 to sqrt 2. */
    uint64_t k = (u + (UINT64_C(0x3ff0000000000000) - UINT64_C(0x3fe6a09e667f3bcd)));
    int64_t e = (int64_t)(k >> 52) - 1023;
    double m = bits_f64(u - ((uint64_t)e << 52));
    double s = (m - 1.0) / (m + 1.0), z = s * s, p;

    p = LANE_INVERSE(23);
    p = p * z + LANE_INVERSE(21);
    p = p * z + LANE_INVERSE(19);
    p = p * z + LANE_INVERSE(17);
    p = p * z + LANE_INVERSE(15);
    p = p * z + LANE_INVERSE(13);
    p = p * z + LANE_INVERSE(11);
    p = p * z + LANE_INVERSE(9);
    p = p * z + LANE_INVERSE(7);
    p = p * z + LANE_INVERSE(5);
    p = p * z + LANE_INVERSE(3);
    p = p * z + 1.0;
    return (double)(int32_t)e + p * s * 2.88539008177792681472;
}

/* sin(2 pi x) (cos: shifted by a quarter) for |x| < 2^28: reduced exactly to an eighth. */
LANE double lane_sin2pi(double x, int32_t quarter)
{
    double q = x * 4.0;
    int32_t n = lane_near_i32(q), k = n + quarter;
    double t = (q - lane_double_of(n)) * 1.57079632679489661923, z = t * t;
    double s, c;
    uint64_t r;

    s = -LANE_INVERSE(1307674368000);
    s = s * z + LANE_INVERSE(6227020800);
    s = s * z - LANE_INVERSE(39916800);
    s = s * z + LANE_INVERSE(362880);
    s = s * z - LANE_INVERSE(5040);
    s = s * z + LANE_INVERSE(120);
    s = s * z - LANE_INVERSE(6);
    s = s * z * t + t;
    c = LANE_INVERSE(20922789888000);
    c = c * z - LANE_INVERSE(87178291200);
    c = c * z + LANE_INVERSE(479001600);
    c = c * z - LANE_INVERSE(3628800);
    c = c * z + LANE_INVERSE(40320);
    c = c * z - LANE_INVERSE(720);
    c = c * z + LANE_INVERSE(24);
    c = c * z - 0.5;
    c = c * z + 1.0;
    r = lane_sel64(k & 1, f64_bits(c), f64_bits(s));
    return bits_f64(r ^ ((uint64_t)(k & 2) << 62));
}

/* ---- special cases around them; the argument is a float (or a half made one) ------------- */

/* 2^a in double: 0 below `min`, more than any float (2^1000) from 128 on. */
LANE double lane_exp2_of(float a, float min)
{
    bool big = a >= 128.0f, small = !(a >= min);
    double r = lane_exp2(lane_self(big | small, 0.0f, a));

    r = lane_seld(big, 0x1p1000, r);
    r = lane_seld(a == bits_f32(LANE_INF32), bits_f64(LANE_INF64), r);
    r = lane_seld(small, 0.0, r);
    return lane_seld(a != a, (double)a, r);
}

/* log2 a in double; a may be anything but a denormal (those are zeros by then). */
LANE double lane_log2_of(float a)
{
    bool ok = (a > 0.0f) & (a < bits_f32(LANE_INF32));
    double r = lane_log2((double)lane_self(ok, a, 1.0f));

    r = lane_seld(a == bits_f32(LANE_INF32), bits_f64(LANE_INF64), r);
    r = lane_seld(a == 1.0f, 0.0, r);
    r = lane_seld(a == 0.0f, bits_f64(LANE_INF64 | ~LANE_MAG64), r);
    r = lane_seld(a < 0.0f, bits_f64(LANE_NAN64), r);
    return lane_seld(a != a, (double)a, r);
}

/* Beyond 256 turns GFX6..8 give sin 0, cos 1 (`reduced`); an infinity a NaN. Without that limit
 * a float of 2^24 or more is a whole number of turns. */
LANE double lane_sin_of(float a, int32_t quarter, bool reduced)
{
    float limit = reduced ? 256.0f : 16777216.0f;
    bool in = (a >= -limit) & (a <= limit);
    double r = lane_sin2pi((double)lane_self(in, a, 0.0f), quarter);

    /* Zeros: of a sine with the argument's sign (IEEE 754's sinPi), of a cosine positive. */
    r = bits_f64(lane_sel64(r == 0.0, f64_bits((double)a) & ~LANE_MAG64 &
                            lane_mask64(quarter == 0 && (in | !reduced)), f64_bits(r)));
    r = lane_seld((f32_bits(a) & 0x7fffffffu) == LANE_INF32, bits_f64(LANE_NAN64), r);
    return lane_seld(a != a, (double)a, r);
}

/* ---- f32 --------------------------------------------------------------------------------- */

LANE float lane_exp_f32(float a)
{
    return lane_nan(a, (float)lane_exp2_of(a, -126.0f));
}

LANE float lane_log_f32(float a)
{
    return lane_nan(a, (float)lane_log2_of(a));
}

LANE float lane_rcp_f32(float a)
{
    return lane_nan(a, (float)(1.0 / (double)a));
}

LANE float lane_sqrt_f32(float a)
{
    return lane_nan(a, (float)sqrt((double)a));
}

LANE float lane_rsq_f32(float a)
{
    return lane_nan(a, (float)(1.0 / sqrt((double)a)));
}

LANE float lane_clamp_inf_f32(float a)
{
    uint32_t u = f32_bits(a);

    return bits_f32(lane_sel((u & 0x7fffffffu) == LANE_INF32,
                             (u & 0x80000000u) | LANE_MAXFLT32, u));
}

LANE float lane_clamp_neg_inf_f32(float a)
{
    uint32_t u = f32_bits(a);

    return bits_f32(u - (u == 0xff800000u)); /* the largest magnitude lies just below */
}

/* The _LEGACY forms: zero instead of infinity. */
LANE float lane_zero_inf_f32(float a)
{
    uint32_t u = f32_bits(a);

    return bits_f32(lane_sel((u & 0x7fffffffu) == LANE_INF32, u & 0x80000000u, u));
}

#define lane_sin_f32(a) lane_nan(a, (float)lane_sin_of(a, 0, fm.trig_reduced))
#define lane_cos_f32(a) lane_nan(a, (float)lane_sin_of(a, 1, fm.trig_reduced))

#endif
