/* lane.h: what one lane does: f32 arithmetic, conversions, integers, bytes.
 *
 * The bodies of the instruction table call these; each is exact, free of branches where it is
 * hot (so that the loop over 64 lanes vectorises), and the same on every host. Halves are in
 * lane_f16.h, doubles in lane_f64.h, transcendentals in lane_math.h; long and rare functions are
 * in lane.c. Rounding and denormals of f32 follow MXCSR, which isa_run sets from MODE.
 *
 * NaN results: the first NaN among the operands in order, made quiet; an invalid operation gives
 * 0xffc00000 (docs/errata.md, E-nan). */
#ifndef ATOLL_LANE_H
#define ATOLL_LANE_H

#include "base/base.h"

#include <math.h>

#define LANE static inline __attribute__((always_inline, unused))

#define LANE_QUIET32   0x00400000u
#define LANE_NAN32     0xffc00000u /* of invalid operations */
#define LANE_INF32     0x7f800000u
#define LANE_MAXFLT32  0x7f7fffffu

/* ---- selection without branches ---------------------------------------------------------- */

/* ~0 when c, else 0. */
LANE uint32_t lane_mask32(bool c)
{
    return -(uint32_t)c;
}

LANE uint64_t lane_mask64(bool c)
{
    return -(uint64_t)c;
}

LANE uint32_t lane_sel(bool c, uint32_t yes, uint32_t no)
{
    uint32_t m = lane_mask32(c);

    return (yes & m) | (no & ~m);
}

LANE uint64_t lane_sel64(bool c, uint64_t yes, uint64_t no)
{
    uint64_t m = lane_mask64(c);

    return (yes & m) | (no & ~m);
}

LANE float lane_self(bool c, float yes, float no)
{
    return bits_f32(lane_sel(c, f32_bits(yes), f32_bits(no)));
}

LANE uint64_t f64_bits(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

LANE double bits_f64(uint64_t u)
{
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}

LANE double lane_seld(bool c, double yes, double no)
{
    return bits_f64(lane_sel64(c, f64_bits(yes), f64_bits(no)));
}

/* ---- f32: tests -------------------------------------------------------------------------- */

LANE bool lane_isnan(float a)
{
    return (f32_bits(a) & 0x7fffffffu) > LANE_INF32;
}

LANE bool lane_issnan(float a)
{
    return lane_isnan(a) & !(f32_bits(a) & LANE_QUIET32);
}

LANE bool lane_isinf(float a)
{
    return (f32_bits(a) & 0x7fffffffu) == LANE_INF32;
}

LANE float lane_quiet(float a)
{
    return bits_f32(f32_bits(a) | LANE_QUIET32);
}

/* r, but a made quiet where a is a NaN. */
LANE float lane_nan(float a, float r)
{
    uint32_t q = f32_bits(a) | LANE_QUIET32, u = f32_bits(r);

    return bits_f32(a != a ? q : u);
}

/* Zero of the same sign for a denormal: what a flush does, whatever MXCSR says. */
LANE float lane_flush(float a)
{
    uint32_t u = f32_bits(a);

    return bits_f32(lane_sel((u & LANE_INF32) == 0, u & 0x80000000u, u));
}

/* The class mask of v_cmp_class: bit 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal,
 * 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +inf. */
LANE bool lane_class_f32(float a, uint32_t mask)
{
    uint32_t u = f32_bits(a), mag = u & 0x7fffffffu, neg = u >> 31;
    uint32_t k; /* distance from the zeros */

    k = lane_sel(mag == 0, 0, lane_sel(mag < 0x800000u, 1, lane_sel(mag < LANE_INF32, 2, 3)));
    k = lane_sel(neg, 5 - k, 6 + k);
    k = lane_sel(mag > LANE_INF32, (u >> 22) & 1, k);
    return (mask >> k) & 1;
}

/* ---- f32: arithmetic --------------------------------------------------------------------- */

LANE float lane_add_f32(float a, float b)
{
    return lane_nan(a, a + b);
}

LANE float lane_sub_f32(float a, float b)
{
    return lane_nan(a, a - b);
}

LANE float lane_mul_f32(float a, float b)
{
    return lane_nan(a, a * b);
}

/* The "legacy" product: zero when either factor is zero, whatever the other. */
LANE float lane_mul_legacy_f32(float a, float b)
{
    bool z = (a == 0.0f) | (b == 0.0f);

    return bits_f32(f32_bits(lane_mul_f32(a, b)) & ~lane_mask32(z));
}

/* v_mullit: the legacy product where c > 0, else the most negative number. */
LANE float lane_mullit_f32(float a, float b, float c)
{
    return lane_self(c > 0.0f, lane_mul_legacy_f32(a, b), bits_f32(0xff7fffffu));
}

/* A multiplication and an addition, each rounded: v_mad, v_mac. */
LANE float lane_mad_sum(float product, float c)
{
    return product != product ? product : product + c; /* a NaN product is quiet already */
}

LANE float lane_mad_f32(float a, float b, float c)
{
    return lane_mad_sum(lane_mul_f32(a, b), c);
}

LANE float lane_mad_legacy_f32(float a, float b, float c)
{
    return lane_mad_sum(lane_mul_legacy_f32(a, b), c);
}

/* a * b + c in double, rounded to odd: any one rounding after it is the only one that counts (the
 * product is exact in double). */
LANE double lane_fma_odd_f32(float a, float b, float c)
{
    double p = (double)a * (double)b, cc = c, s = p + cc;
    bool pbig = fabs(p) >= fabs(cc);
    double big = pbig ? p : cc, small = pbig ? cc : p;
    double err = small - (s - big); /* its sign and whether it is zero are right in any mode */
    uint64_t u = f64_bits(s);

    if (err != 0 && (u & 0x7ff0000000000000u) != 0x7ff0000000000000u) {
        u -= (f64_bits(err) ^ u) >> 63; /* s lies beyond the sum: back to the magnitude below */
        u |= 1;
    }
    return bits_f64(u);
}

/* Fused, with or without the hardware's help. */
LANE float lane_fma_raw_f32(float a, float b, float c)
{
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    return (float)lane_fma_odd_f32(a, b, c);
#endif
}

LANE float lane_fma_f32(float a, float b, float c)
{
    return lane_nan(a, lane_nan(b, lane_nan(c, lane_fma_raw_f32(a, b, c))));
}

/* ---- f32: minimum and maximum ------------------------------------------------------------ */

/* Order of floats as that of integers: -0 below +0. Not for NaNs. */
LANE int32_t lane_key_f32(float a)
{
    int32_t i = (int32_t)f32_bits(a);

    return i ^ ((i >> 31) & 0x7fffffff);
}

/* IEEE minNum/maxNum with IEEE's signalling NaNs only in IEEE mode: a signalling NaN made quiet
 * wins there; otherwise the operand that is no NaN. -0 is below +0. `fl`: denormals are
 * flushed first (GFX9). Source: the Vega ISA manual's V_MIN_F32, which earlier manuals lack. */
LANE float lane_minmax_f32(float a, float b, bool max, bool ieee, bool fl)
{
    float x = lane_self(fl, lane_flush(a), a), y = lane_self(fl, lane_flush(b), b);
    bool less = lane_key_f32(x) < lane_key_f32(y);
    uint32_t r = lane_sel(less != max, f32_bits(x), f32_bits(y));

    r = lane_sel(lane_isnan(b), f32_bits(x), r);
    r = lane_sel(lane_isnan(a), f32_bits(y), r);
    r = lane_sel(ieee & lane_issnan(b), f32_bits(b) | LANE_QUIET32, r);
    r = lane_sel(ieee & lane_issnan(a), f32_bits(a) | LANE_QUIET32, r);
    return bits_f32(r);
}

#define lane_min_f32(a, b) lane_minmax_f32(a, b, false, fm.ieee, fm.minmax_flush && !fm.in32)
#define lane_max_f32(a, b) lane_minmax_f32(a, b, true, fm.ieee, fm.minmax_flush && !fm.in32)
#define lane_min3_f32(a, b, c) lane_min_f32(lane_min_f32(a, b), c)
#define lane_max3_f32(a, b, c) lane_max_f32(lane_max_f32(a, b), c)

/* DX9's rules: one comparison, false with a NaN, so that the second operand is taken. */
LANE float lane_min_legacy_f32(float a, float b)
{
    return lane_self(a < b, a, b);
}

LANE float lane_max_legacy_f32(float a, float b)
{
    return lane_self(a >= b, a, b);
}

/* The middle one; with a NaN among them the minimum of the three. */
LANE float lane_med3x_f32(float a, float b, float c, bool ieee, bool fl)
{
    float ab_lo = lane_minmax_f32(a, b, false, ieee, fl);
    float ab_hi = lane_minmax_f32(a, b, true, ieee, fl);
    float med = lane_minmax_f32(ab_lo, lane_minmax_f32(ab_hi, c, false, ieee, fl), true, ieee,
                                fl);
    float min = lane_minmax_f32(ab_lo, c, false, ieee, fl);

    return lane_self(lane_isnan(a) | lane_isnan(b) | lane_isnan(c), min, med);
}

#define lane_med3_f32(a, b, c) lane_med3x_f32(a, b, c, fm.ieee, fm.minmax_flush && !fm.in32)

/* ---- f32: rounding to integers ----------------------------------------------------------- */

LANE float lane_trunc_f32(float a)
{
    uint32_t u = f32_bits(a);
    int32_t e = (int32_t)((u >> 23) & 0xff) - 127;
    uint32_t frac = 0x7fffffu >> (e & 31); /* bits below the point, for 0 <= e < 23 */

    frac = lane_sel(e < 0, 0x7fffffffu, lane_sel(e >= 23, 0, frac));
    u &= ~frac;
    return lane_nan(a, bits_f32(u));
}

/* The sign of a for a zero result: floor(-0) is -0, ceil(-0.5) is -0. */
LANE float lane_signed_zero(float r, float a)
{
    uint32_t z = lane_mask32((f32_bits(r) & 0x7fffffffu) == 0);

    return bits_f32(f32_bits(r) | (f32_bits(a) & 0x80000000u & z));
}

LANE float lane_floor_f32(float a)
{
    float t = lane_trunc_f32(a);

    /* t - 1 is exact wherever a < t can hold; in any rounding mode. */
    return lane_nan(a, lane_self(a < t, t - 1.0f, t));
}

LANE float lane_ceil_f32(float a)
{
    float t = lane_trunc_f32(a);

    return lane_nan(a, lane_signed_zero(lane_self(a > t, t + 1.0f, t), a));
}

/* To nearest, ties to even, whatever the rounding mode. */
LANE float lane_rndne_f32(float a)
{
    float t = lane_trunc_f32(a);
    float d = fabsf(a - t); /* exact */
    int32_t odd = (int32_t)lane_self(fabsf(t) < 16777216.0f, t, 0.0f) & 1;
    bool up = (d > 0.5f) | ((d == 0.5f) & (odd != 0));
    float one = bits_f32((f32_bits(a) & 0x80000000u) | 0x3f800000u);

    return lane_nan(a, lane_signed_zero(lane_self(up, t + one, t), a));
}

/* a - floor(a), below 1 also where the difference rounds to it; of infinities a NaN of their sign
 * (so CLRX saw it). */
LANE float lane_fract_f32(float a)
{
    float r = a - lane_floor_f32(a);

    r = bits_f32(lane_sel(r >= 1.0f, 0x3f7fffffu, f32_bits(r)));
    r = lane_self(lane_isinf(a), bits_f32(f32_bits(a) | LANE_QUIET32), r);
    return lane_nan(a, r);
}

/* ---- f32: exponents ---------------------------------------------------------------------- */

/* 2^e for -1022 <= e <= 1023. */
LANE double lane_pow2(int32_t e)
{
    return bits_f64((uint64_t)(int64_t)(e + 1023) << 52);
}

LANE int32_t lane_clamp_i32(int32_t v, int32_t lo, int32_t hi)
{
    v = v < lo ? lo : v;
    return v > hi ? hi : v;
}

/* One rounding: the scaled value is exact in double. */
LANE float lane_ldexp_f32(float a, int32_t e)
{
    return lane_nan(a, (float)((double)a * lane_pow2(lane_clamp_i32(e, -400, 400))));
}

/* e with a = m * 2^e, 0.5 <= |m| < 1; 0 for zero, infinity and NaN (-1 for those two on GFX6). */
LANE int32_t lane_frexp_exp_f32(float a, int32_t special)
{
    double d = a; /* denormals become normal, or zero when MODE flushes them */
    uint64_t u = f64_bits(d);
    int32_t e = (int32_t)((u >> 52) & 0x7ff) - 1022;

    e = (int32_t)lane_sel(d == 0, 0, (uint32_t)e);
    return (int32_t)lane_sel((f32_bits(a) & LANE_INF32) == LANE_INF32, (uint32_t)special,
                             (uint32_t)e);
}

/* Infinity gives itself (a NaN on GFX6, where `special` is not 0). */
LANE float lane_frexp_mant_f32(float a, int32_t special)
{
    double d = a;
    uint64_t u = f64_bits(d);
    uint32_t r;

    u = lane_sel64(d == 0, u, (u & 0x800fffffffffffffu) | UINT64_C(1022) << 52);
    r = lane_sel(lane_isinf(a), lane_sel(special != 0, LANE_NAN32, f32_bits(a)),
                 f32_bits((float)bits_f64(u)));
    return lane_nan(a, bits_f32(r));
}

/* ---- conversions ------------------------------------------------------------------------- */

/* Truncate and saturate; a NaN gives 0. */
LANE int32_t lane_cvt_i32_f32(float a)
{
    bool big = a >= 2147483648.0f, small = a < -2147483648.0f;
    bool out = big | small | (a != a);
    int32_t i = (int32_t)lane_self(out, 0.0f, a);

    return (int32_t)((uint32_t)i | (lane_mask32(big) & 0x7fffffffu) |
                     (lane_mask32(small) & 0x80000000u));
}

LANE uint32_t lane_cvt_u32_f32(float a)
{
    bool top = a >= 4294967296.0f, hi = a >= 2147483648.0f, in = (a > 0.0f) & !top;
    float x = lane_self(in, a, 0.0f);
    uint32_t h = lane_mask32(hi & in);
    int32_t i = (int32_t)(x - bits_f32(0x4f000000u & h));

    return ((uint32_t)i ^ (0x80000000u & h)) | lane_mask32(top);
}

/* v_cvt_flr, v_cvt_rpi: floor(a), floor(a + 0.5), saturated; a NaN saturates by its sign. */
LANE int32_t lane_cvt_floor_i32(float a, double plus)
{
    double d = (double)a + plus; /* exact where it matters: |a| < 2^31 */
    bool big = d >= 2147483648.0, small = d < -2147483648.0, nan = lane_isnan(a);
    double x = lane_seld(big | small | nan, 0.0, d);
    int32_t i = (int32_t)x;

    i -= x < i;
    i = (int32_t)lane_sel(big, 0x7fffffffu, lane_sel(small, 0x80000000u, (uint32_t)i));
    return (int32_t)lane_sel(nan, 0x7fffffffu + (f32_bits(a) >> 31), (uint32_t)i);
}

/* v_cvt_off_f32_i4: the low four bits as a signed number, in sixteenths. */
LANE float lane_cvt_off_f32_i4(int32_t a)
{
    return (float)sext32((uint32_t)a & 15, 4) * 0.0625f;
}

/* Round by MODE and saturate to 0..255; a NaN gives 0. The rounding: adding and taking away
 * 2^23 leaves an integer, in the mode of MXCSR. */
LANE uint32_t lane_cvt_u8_f32(float a)
{
    float x = lane_self(a > 255.0f, 255.0f, lane_self(a > 0.0f, a, 0.0f));

    return (uint32_t)(int32_t)((x + 8388608.0f) - 8388608.0f);
}

LANE uint32_t lane_put_u8(uint32_t into, uint32_t v, uint32_t byte)
{
    uint32_t sh = (byte & 3) * 8;

    return (into & ~(0xffu << sh)) | (v & 0xff) << sh;
}

/* To nearest even of a * scale in -limit..limit (signed) or 0..limit; a NaN gives 0. */
LANE int32_t lane_norm(float a, double scale, bool is_signed)
{
    double d = (double)lane_self(a != a, 0.0f, a) * scale;
    double lo = is_signed ? -scale : 0.0;

    d = d > scale ? scale : d;
    d = d < lo ? lo : d;
    {
        int32_t t = (int32_t)d;
        double f = d - t; /* exact, |f| < 1 */
        int32_t up = (f > 0.5) | ((f == 0.5) & (t & 1));
        int32_t down = (f < -0.5) | ((f == -0.5) & (t & 1));

        return t + up - down;
    }
}

LANE uint32_t lane_pack16(uint32_t lo, uint32_t hi)
{
    return (lo & 0xffff) | hi << 16;
}

/* ---- cube maps --------------------------------------------------------------------------- */

/* The major axis: z when it is not smaller than both others, then y, then x. */
LANE uint32_t lane_cube_axis(float x, float y, float z)
{
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);

    return lane_sel((az >= ax) & (az >= ay), 2, lane_sel(ay >= ax, 1, 0));
}

LANE float lane_neg(float a)
{
    return bits_f32(f32_bits(a) ^ 0x80000000u);
}

LANE float lane_cubeid_f32(float x, float y, float z)
{
    uint32_t k = lane_cube_axis(x, y, z);
    float m = lane_self(k == 2, z, lane_self(k == 1, y, x));

    return (float)(int32_t)(2 * k + (m < 0.0f));
}

LANE float lane_cubema_f32(float x, float y, float z)
{
    uint32_t k = lane_cube_axis(x, y, z);
    float m = lane_self(k == 2, z, lane_self(k == 1, y, x));

    return lane_mul_f32(m, 2.0f);
}

LANE float lane_cubesc_f32(float x, float y, float z)
{
    uint32_t k = lane_cube_axis(x, y, z);
    float sx = lane_self(x < 0.0f, z, lane_neg(z));
    float sz = lane_self(z < 0.0f, lane_neg(x), x);

    return lane_self(k == 2, sz, lane_self(k == 1, x, sx));
}

LANE float lane_cubetc_f32(float x, float y, float z)
{
    uint32_t k = lane_cube_axis(x, y, z);
    float ty = lane_self(y < 0.0f, lane_neg(z), z);

    return lane_self(k == 1, ty, lane_neg(y));
}

/* ---- integers ---------------------------------------------------------------------------- */

LANE int32_t lane_i24(uint32_t a)
{
    return sext32(a & 0xffffff, 24);
}

LANE uint32_t lane_mulhi_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

LANE int32_t lane_mulhi_i32(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a * b) >> 32);
}

LANE uint32_t lane_umin(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

LANE uint32_t lane_umax(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

LANE int32_t lane_imin(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

LANE int32_t lane_imax(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

LANE uint32_t lane_umed3(uint32_t a, uint32_t b, uint32_t c)
{
    return lane_umax(lane_umin(a, b), lane_umin(lane_umax(a, b), c));
}

LANE int32_t lane_imed3(int32_t a, int32_t b, int32_t c)
{
    return lane_imax(lane_imin(a, b), lane_imin(lane_imax(a, b), c));
}

/* Saturating sums and differences of CLAMP. */
LANE uint32_t lane_uadds(uint32_t a, uint32_t b)
{
    uint32_t s = a + b;

    return s | lane_mask32(s < a);
}

LANE uint32_t lane_usubs(uint32_t a, uint32_t b)
{
    return (a - b) & ~lane_mask32(a < b);
}

/* Carry out of a + b + c, borrow out of a - b - c. */
LANE bool lane_carry(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t s = a + b;

    return (s < a) | (s + c < c);
}

LANE bool lane_borrow(uint32_t a, uint32_t b, uint32_t c)
{
    return (a < b) | (a - b < c);
}

/* v_mad_i64_i32. *top: the highest of the sum's 65 bits, its true sign. satm ~0: saturates. */
LANE int64_t lane_mad_i64(int32_t a, int32_t b, int64_t c, uint32_t satm, bool *top)
{
    uint64_t p = (uint64_t)((int64_t)a * b), u = p + (uint64_t)c;
    uint64_t over = ((p ^ u) & ((uint64_t)c ^ u)) >> 63;
    uint64_t sign = u >> 63 ^ over;

    *top = sign;
    return (int64_t)(over & satm ? sign + INT64_MAX : u);
}

LANE int32_t lane_mad_i24(int32_t a, int32_t b, int32_t c)
{
    return (int32_t)((uint32_t)lane_i24((uint32_t)a) * (uint32_t)lane_i24((uint32_t)b) +
                     (uint32_t)c);
}

LANE int32_t lane_sat_i64(int64_t v)
{
    v = v < INT32_MIN ? INT32_MIN : v;
    return (int32_t)(v > INT32_MAX ? INT32_MAX : v);
}

LANE uint32_t lane_sat_u64(uint64_t v)
{
    return (uint32_t)v | lane_mask32(v >> 32 != 0);
}

LANE int32_t lane_sat_i16(int32_t v)
{
    return lane_clamp_i32(v, INT16_MIN, INT16_MAX);
}

LANE uint32_t lane_bfe_u32(uint32_t a, uint32_t at, uint32_t n)
{
    at &= 31;
    n &= 31;
    return (a >> at) & ((1u << n) - 1);
}

LANE int32_t lane_bfe_i32(int32_t a, uint32_t at, uint32_t n)
{
    uint32_t v, sign;

    at &= 31;
    n &= 31;
    if (at + n > 32)
        n = 32 - at;
    v = lane_bfe_u32((uint32_t)a, at, n);
    sign = n ? 1u << (n - 1) : 0;
    return (int32_t)((v ^ sign) - sign);
}

LANE uint32_t lane_brev(uint32_t v)
{
    v = (v & 0x55555555u) << 1 | ((v >> 1) & 0x55555555u);
    v = (v & 0x33333333u) << 2 | ((v >> 2) & 0x33333333u);
    v = (v & 0x0f0f0f0fu) << 4 | ((v >> 4) & 0x0f0f0f0fu);
    v = (v & 0x00ff00ffu) << 8 | ((v >> 8) & 0x00ff00ffu);
    return v << 16 | v >> 16;
}

LANE uint32_t lane_popcount(uint32_t v)
{
    v -= (v >> 1) & 0x55555555u;
    v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0fu;
    return (v * 0x01010101u) >> 24;
}

/* Leading zeros; -1 for 0. Without an instruction for it: the exponent of the double. */
LANE uint32_t lane_ffbh_u32(uint32_t v)
{
    uint32_t e = (uint32_t)(f64_bits((double)v) >> 52);

    return lane_sel(v == 0, ~0u, 1023 + 31 - e);
}

LANE uint32_t lane_ffbl_b32(uint32_t v)
{
    return lane_sel(v == 0, ~0u, lane_popcount(~v & (v - 1)));
}

/* Position from the top of the first bit that differs from the sign; -1 when none does. */
LANE uint32_t lane_ffbh_i32(int32_t v)
{
    return lane_ffbh_u32((uint32_t)(v ^ (v >> 31)));
}

LANE uint32_t lane_alignbit(uint32_t hi, uint32_t lo, uint32_t n)
{
    return (uint32_t)(((uint64_t)hi << 32 | lo) >> (n & 31));
}

/* ---- bytes ------------------------------------------------------------------------------- */

LANE uint32_t lane_byte(uint32_t v, unsigned i)
{
    return (v >> (8 * i)) & 0xff;
}

LANE uint32_t lane_absdiff(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

LANE uint32_t lane_sad_u8(uint32_t a, uint32_t b)
{
    uint32_t s = 0;

    for (unsigned i = 0; i < 4; i++)
        s += lane_absdiff(lane_byte(a, i), lane_byte(b, i));
    return s;
}

/* Bytes where the reference (b) is zero do not count. */
LANE uint32_t lane_msad_u8(uint32_t a, uint32_t b)
{
    uint32_t s = 0;

    for (unsigned i = 0; i < 4; i++) {
        uint32_t y = lane_byte(b, i);

        s += lane_absdiff(lane_byte(a, i), y) & ~lane_mask32(y == 0);
    }
    return s;
}

/* Four sums over windows of four bytes of a, added to the four 16-bit fields of c. `satm` ~0:
 * the fields saturate. */
LANE uint64_t lane_qsad(uint64_t a, uint32_t b, uint64_t c, bool masked, uint32_t satm)
{
    uint64_t r = 0;

    for (unsigned i = 0; i < 4; i++) {
        uint32_t x = (uint32_t)(a >> (8 * i));
        uint32_t s = (masked ? lane_msad_u8(x, b) : lane_sad_u8(x, b)) +
                     ((uint32_t)(c >> (16 * i)) & 0xffff);

        s |= lane_mask32(s > 0xffff) & satm;
        r |= (uint64_t)(s & 0xffff) << (16 * i);
    }
    return r;
}

LANE uint32_t lane_lerp_u8(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r = 0;

    for (unsigned i = 0; i < 4; i++)
        r |= ((lane_byte(a, i) + lane_byte(b, i) + (lane_byte(c, i) & 1)) >> 1) << (8 * i);
    return r;
}

/* v_perm_b32: bytes of a (4..7) and b (0..3) chosen by the bytes of s; 8..11 the sign of b's
 * low and high half and of a's, 12 zero, above 0xff. */
LANE uint32_t lane_perm_b32(uint32_t a, uint32_t b, uint32_t s)
{
    uint64_t in = (uint64_t)a << 32 | b;
    uint32_t r = 0;

    for (unsigned i = 0; i < 4; i++) {
        uint32_t k = lane_byte(s, i);
        uint32_t v = (uint32_t)(in >> (8 * (k & 7))) & 0xff;
        uint32_t sign = -(uint32_t)((in >> (16 * (k & 3) + 15)) & 1) & 0xff;

        v = lane_sel(k >= 8, sign, v);
        v = lane_sel(k == 12, 0, v);
        v = lane_sel(k > 12, 0xff, v);
        r |= v << (8 * i);
    }
    return r;
}

uint32_t lane_screen_partition(uint32_t a); /* lane.c */

LANE uint32_t lane_sat_u8(int32_t v)
{
    return (uint32_t)lane_clamp_i32(v, 0, 255);
}

#endif
