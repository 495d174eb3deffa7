/* lane_f64.h: doubles and 64-bit integers of one lane. Rounding and denormals follow MXCSR, which
 * is in the f64 half of MODE while these rows run. */
#ifndef ATOLL_LANE_F64_H
#define ATOLL_LANE_F64_H

#include "isa/lane.h"

#define LANE_QUIET64 UINT64_C(0x0008000000000000)
#define LANE_INF64   UINT64_C(0x7ff0000000000000)
#define LANE_NAN64   UINT64_C(0xfff8000000000000)
#define LANE_MAG64   UINT64_C(0x7fffffffffffffff)
#define LANE_MAXFLT64 UINT64_C(0x7fefffffffffffff)

LANE bool lane_isnan_f64(double a)
{
    return (f64_bits(a) & LANE_MAG64) > LANE_INF64;
}

LANE double lane_nan_f64(double a, double r)
{
    uint64_t m = -(uint64_t)(a != a);

    return bits_f64((f64_bits(r) & ~m) | ((f64_bits(a) | LANE_QUIET64) & m));
}

LANE double lane_add_f64(double a, double b)
{
    return lane_nan_f64(a, a + b);
}

LANE double lane_mul_f64(double a, double b)
{
    return lane_nan_f64(a, a * b);
}

double lane_fma_scaled_f64(double a, double b, double c, int e); /* lane.c */

LANE double lane_fma_f64(double a, double b, double c)
{
#ifdef __FMA__
    double r = __builtin_fma(a, b, c);
#else
    double r = lane_fma_scaled_f64(a, b, c, 0);
#endif
    return lane_nan_f64(a, lane_nan_f64(b, lane_nan_f64(c, r)));
}

LANE int64_t lane_key_f64(double a)
{
    int64_t i = (int64_t)f64_bits(a);

    return i ^ ((i >> 63) & INT64_MAX);
}

LANE double lane_flush_f64(double a)
{
    uint64_t u = f64_bits(a);

    return bits_f64(lane_sel64((u & LANE_INF64) == 0, u & ~LANE_MAG64, u));
}

LANE double lane_minmax_f64(double a, double b, bool max, bool ieee, bool fl)
{
    double x = lane_seld(fl, lane_flush_f64(a), a), y = lane_seld(fl, lane_flush_f64(b), b);
    uint64_t ua = f64_bits(a), ub = f64_bits(b);
    bool na = lane_isnan_f64(a), nb = lane_isnan_f64(b);
    uint64_t r = lane_sel64((lane_key_f64(x) < lane_key_f64(y)) != max, f64_bits(x),
                            f64_bits(y));

    r = lane_sel64(nb, f64_bits(x), r);
    r = lane_sel64(na, f64_bits(y), r);
    r = lane_sel64(ieee & nb & !(ub & LANE_QUIET64), ub | LANE_QUIET64, r);
    r = lane_sel64(ieee & na & !(ua & LANE_QUIET64), ua | LANE_QUIET64, r);
    return bits_f64(r);
}

#define lane_min_f64(a, b) lane_minmax_f64(a, b, false, fm.ieee, fm.minmax_flush && !fm.in64)
#define lane_max_f64(a, b) lane_minmax_f64(a, b, true, fm.ieee, fm.minmax_flush && !fm.in64)

LANE bool lane_class_f64(double a, uint32_t mask)
{
    uint64_t u = f64_bits(a), mag = u & LANE_MAG64;
    uint32_t neg = (uint32_t)(u >> 63), k;

    k = lane_sel(mag == 0, 0, lane_sel(mag < UINT64_C(1) << 52, 1,
                                       lane_sel(mag < LANE_INF64, 2, 3)));
    k = lane_sel(neg, 5 - k, 6 + k);
    k = lane_sel(mag > LANE_INF64, (uint32_t)(u >> 51) & 1, k);
    return (mask >> k) & 1;
}

LANE double lane_trunc_f64(double a)
{
    uint64_t u = f64_bits(a), frac;
    int64_t e = (int64_t)((u >> 52) & 0x7ff) - 1023;

    frac = UINT64_C(0xfffffffffffff) >> (e & 63);
    frac = lane_sel64(e < 0, LANE_MAG64, lane_sel64(e >= 52, 0, frac));
    return lane_nan_f64(a, bits_f64(u & ~frac));
}

LANE double lane_signed_zero_f64(double r, double a)
{
    uint64_t z = lane_mask64((f64_bits(r) & LANE_MAG64) == 0);

    return bits_f64(f64_bits(r) | (f64_bits(a) & ~LANE_MAG64 & z));
}

LANE double lane_floor_f64(double a)
{
    double t = lane_trunc_f64(a);

    return lane_nan_f64(a, lane_seld(a < t, t - 1.0, t));
}

LANE double lane_ceil_f64(double a)
{
    double t = lane_trunc_f64(a);

    return lane_nan_f64(a, lane_signed_zero_f64(lane_seld(a > t, t + 1.0, t), a));
}

LANE double lane_rndne_f64(double a)
{
    double t = lane_trunc_f64(a), d = fabs(a - t);
    double half = lane_trunc_f64(t * 0.5);
    bool odd = t - half * 2.0 != 0.0; /* exact; for large t always even */
    bool up = (d > 0.5) | ((d == 0.5) & odd);
    double one = bits_f64((f64_bits(a) & ~LANE_MAG64) | f64_bits(1.0));

    return lane_nan_f64(a, lane_signed_zero_f64(lane_seld(up, t + one, t), a));
}

LANE double lane_fract_f64(double a)
{
    double r = a - lane_floor_f64(a);

    r = lane_seld(r >= 1.0, bits_f64(UINT64_C(0x3fefffffffffffff)), r);
    r = lane_seld((f64_bits(a) & LANE_MAG64) == LANE_INF64, bits_f64(f64_bits(a) | LANE_QUIET64), r);
    return lane_nan_f64(a, r);
}

/* Scaled through exact steps to where one multiplication rounds. */
LANE double lane_ldexp_f64(double a, int32_t e)
{
    uint64_t u = f64_bits(a * lane_pow2(64)); /* makes denormals normal */
    int32_t ea = (int32_t)((u >> 52) & 0x7ff) - 1023 - 64;
    bool special = (f64_bits(a) & LANE_INF64) == LANE_INF64 || a == 0;
    int64_t to = (int64_t)ea + e;
    int32_t t = (int32_t)(to > 1100 ? 1100 : to < -1200 ? -1200 : to);
    double m = bits_f64((u & 0x800fffffffffffffu) | UINT64_C(1023) << 52);
    double first, r;
    bool big = (f64_bits(a) & LANE_INF64) > UINT64_C(1900) << 52;

    if (big) { /* a * 2^64 would overflow */
        u = f64_bits(a);
        ea = (int32_t)((u >> 52) & 0x7ff) - 1023;
        to = (int64_t)ea + e;
        t = (int32_t)(to > 1100 ? 1100 : to < -1200 ? -1200 : to);
        m = bits_f64((u & 0x800fffffffffffffu) | UINT64_C(1023) << 52);
    }
    first = t >= 0 ? 900 : -900;
    r = m * lane_pow2((int32_t)first);
    r = r * lane_pow2(t - (int32_t)first < -1022 ? -1022 : t - (int32_t)first);
    r = special ? lane_nan_f64(a, a) : r;
    return a == 0 ? bits_f64(f64_bits(a) & ~LANE_MAG64) : r;
}

LANE int32_t lane_frexp_exp_f64(double a, int32_t special)
{
    uint64_t u = f64_bits(a * lane_pow2((f64_bits(a) & LANE_INF64) == 0 ? 64 : 0));
    int32_t e = (int32_t)((u >> 52) & 0x7ff) - 1022 -
                ((f64_bits(a) & LANE_INF64) == 0 ? 64 : 0);

    if ((f64_bits(a) & LANE_INF64) == LANE_INF64)
        return special;
    return a == 0 ? 0 : e;
}

LANE double lane_frexp_mant_f64(double a, int32_t special)
{
    uint64_t u = f64_bits(a * lane_pow2((f64_bits(a) & LANE_INF64) == 0 ? 64 : 0));

    if (lane_isnan_f64(a))
        return lane_nan_f64(a, a);
    if ((f64_bits(a) & LANE_INF64) == LANE_INF64)
        return special ? bits_f64(LANE_NAN64) : a;
    u = lane_sel64(a == 0, u & ~LANE_MAG64, (u & 0x800fffffffffffffu) | UINT64_C(1022) << 52);
    return bits_f64(u);
}

LANE int32_t lane_cvt_i32_f64(double a)
{
    bool big = a >= 2147483648.0, small = a <= -2147483649.0;
    int32_t i = (int32_t)lane_seld(big | small | (a != a), 0.0, a);

    return (int32_t)((uint32_t)i | (lane_mask32(big) & 0x7fffffffu) |
                     (lane_mask32(small) & 0x80000000u));
}

LANE uint32_t lane_cvt_u32_f64(double a)
{
    bool big = a >= 4294967296.0;
    double x = lane_seld((a > 0) & !big, a, 0.0);

    return (uint32_t)(int64_t)x | lane_mask32(big);
}

/* The float nearest in MODE; NaNs keep the top of their payload, quiet. MXCSR has the mode of f32, and
 * `den` says whether denormal doubles are kept: any number so small rounds alike. */
LANE float lane_cvt_f32_f64(double a, bool den)
{
    uint64_t u = f64_bits(a), m = u & LANE_MAG64;
    uint64_t small = u & ~LANE_MAG64;

    small |= lane_sel64(den & (m != 0), UINT64_C(1) << 52, 0);
    a = bits_f64(lane_sel64(m < UINT64_C(1) << 52, small, u));
    uint32_t nan = (uint32_t)(u >> 32 & 0x80000000u) | 0x7fc00000u |
                   (uint32_t)(u >> 29 & 0x3fffff);

    return bits_f32(lane_sel(lane_isnan_f64(a), nan, f32_bits((float)a)));
}

LANE double lane_rcp_f64(double a)
{
    return lane_nan_f64(a, 1.0 / a);
}

LANE double lane_sqrt_f64(double a)
{
    return lane_nan_f64(a, sqrt(a));
}

LANE double lane_rsq_f64(double a)
{
    return lane_nan_f64(a, 1.0 / sqrt(a));
}

/* The _CLAMP forms: the largest finite number instead of infinity. */
LANE double lane_clamp_inf_f64(double a)
{
    uint64_t u = f64_bits(a);

    return bits_f64(lane_sel64((u & LANE_MAG64) == LANE_INF64,
                               (u & ~LANE_MAG64) | LANE_MAXFLT64, u));
}

/* ---- division helpers (lane.c) ----------------------------------------------------------- */

/* v_div_fmas: the last FMA; where the lane's flag is set the quotient c was computed from scaled
 * operands and comes back by the other power of two: up when it is large, down when small. The
 * whole is rounded once, which is what makes denormal quotients right (E-division). */
LANE float lane_div_fmas_f32(float a, float b, float c, bool flag)
{
    double sum = lane_fma_odd_f32(a, b, c);
    double by = lane_pow2(flag ? (fabsf(c) >= 2.0f ? 64 : -64) : 0);

    return lane_nan(a, lane_nan(b, lane_nan(c, (float)(sum * by))));
}

LANE double lane_div_fmas_f64(double a, double b, double c, bool flag)
{
    double r;

    if (!flag)
        return lane_fma_f64(a, b, c);
    r = lane_fma_scaled_f64(a, b, c, fabs(c) >= 2.0 ? 128 : -128);
    return lane_nan_f64(a, lane_nan_f64(b, lane_nan_f64(c, r)));
}

double lane_div_scale_f64(double a, double den, double num, bool *vcc);
float lane_div_scale_f32(float a, float den, float num, bool *vcc);
double lane_div_fixup_f64(double q, double den, double num);
float lane_div_fixup_f32(float q, float den, float num);
uint32_t lane_div_fixup_f16(uint32_t q, uint32_t den, uint32_t num);
double lane_trig_preop_f64(double a, uint32_t segment);

/* ---- 64-bit integers --------------------------------------------------------------------- */

LANE uint64_t lane_brev64(uint64_t v)
{
    return (uint64_t)lane_brev((uint32_t)v) << 32 | lane_brev((uint32_t)(v >> 32));
}

#endif
