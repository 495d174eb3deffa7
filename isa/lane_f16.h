/* lane_f16.h: halves. A half travels as the low 16 bits of a uint32_t.
 *
 * f16 arithmetic is done in f32 and rounded once more: for +, -, * and sqrt that is exact, because
 * 24 bits are at least twice 11 plus 2; the fused forms use double. MODE has rounding and
 * denormal bits that f16 shares with f64 (fm.round16, fm.in16, fm.out16). */
#ifndef ATOLL_LANE_F16_H
#define ATOLL_LANE_F16_H

#include "isa/lane.h"

/* Half to float, exactly; `den`: denormals are kept, else they are zeros. */
LANE float lane_f32_from_f16(uint32_t h, bool den)
{
    uint32_t sign = (h & 0x8000u) << 16, u = (h & 0x7fffu) << 13;
    uint32_t exp = u & 0x0f800000u;
    float low;

    /* Denormal: m * 2^-24, as the difference of two normal numbers. */
    low = bits_f32(u + (113u << 23)) - bits_f32(113u << 23);
    u += lane_sel(exp == 0x0f800000u, (128u - 16 + 127 - 15) << 23, (127u - 15) << 23);
    u = lane_sel(exp == 0, f32_bits(low) & 0x7fffffffu & lane_mask32(den), u);
    return bits_f32(u | sign);
}

/* Float to half, rounded as `round` says (0 nearest even, 1 up, 2 down, 3 to zero; | 4: a finite number
 * that is too large gives the largest half whatever the rounding). `den`:
 * denormal results are kept, else what would lie below the least normal number with an unlimited
 * exponent is flushed (E-flush). NaNs become quiet and keep the top of their payload. */
LANE uint32_t lane_f16_from_f32(float f, unsigned round, bool den)
{
    uint32_t u = f32_bits(f), sign = (u >> 16) & 0x8000u, mag = u & 0x7fffffffu;
    unsigned how = round & 3;
    bool away = (how == 1 && !sign) | (how == 2 && sign), near = how == 0;
    uint32_t e = mag >> 23, m = (mag & 0x7fffffu) | lane_sel(e != 0, 0x800000u, 0);
    uint32_t n, d, sh, add, r;

    /* Normal result: drop 13 bits. */
    n = mag - (112u << 23);
    add = lane_sel(near, 0xfff + ((n >> 13) & 1), lane_sel(away, 0x1fff, 0));
    n = (n + add) >> 13;
    n = lane_umin(n, lane_sel((near | away) & !(round & 4), 0x7c00, 0x7bff));
    /* Denormal result: units of 2^-24. */
    sh = lane_umin(126 - lane_umin(e, 112), 31);
    add = lane_sel(near, (1u << (sh - 1)) - 1 + ((m >> sh) & 1),
                   lane_sel(away, (1u << sh) - 1, 0));
    d = (m + add) >> sh;
    d &= lane_mask32(den);

    r = lane_sel((mag >= 0x38800000u) | (!den & (mag >= 0x38000000u) & (n >= 0x400)), n, d);
    r = lane_sel(mag == LANE_INF32, 0x7c00, r);
    r = lane_sel(mag > LANE_INF32, 0x7e00 | ((mag >> 13) & 0x3ff), r);
    return sign | r;
}

/* Double to float, truncated, the lowest bit set when anything was cut off: a later rounding to
 * fewer bits is then the only one. */
LANE float lane_f32_odd(double d)
{
    uint64_t u = f64_bits(d), mag = u & 0x7fffffffffffffffu;
    uint32_t sign = (uint32_t)(u >> 32) & 0x80000000u;
    int64_t e = (int64_t)(mag >> 52) - 1023;
    uint32_t r = (uint32_t)((mag - ((uint64_t)(1023 - 127) << 52)) >> 29);

    r |= (mag & 0x1fffffffu) != 0;
    r = lane_sel(e > 127, LANE_MAXFLT32, r);
    r = lane_sel(e < -126, mag ? 0x00800001u : 0, r);
    r = lane_sel(mag == 0x7ff0000000000000u, LANE_INF32, r);
    r = lane_sel(mag > 0x7ff0000000000000u, LANE_INF32 | (uint32_t)(mag >> 29 & 0x7fffff), r);
    return bits_f32(sign | r);
}

/* As the bodies write them: `fm` is the wave's float mode. */
#define H(x)     lane_f32_from_f16(x, fm.in16)
#define TO_H(x)  lane_f16_from_f32(x, fm.round16, fm.out16)
#define TO_HD(x) lane_f16_from_f32(lane_f32_odd(x), fm.round16, fm.out16)
#define LO16(x)  ((x) & 0xffffu)
#define HI16(x)  ((x) >> 16)

LANE bool lane_isnan_f16(uint32_t a)
{
    return (a & 0x7fff) > 0x7c00;
}

/* Product exact, sum rounded once: double holds every product of halves, and where the sum of
 * that and a half does not fit, what is lost lies far below half a unit of the result. */
LANE float lane_fma_f16(float a, float b, float c)
{
    double r = (double)a * (double)b + (double)c;

    return lane_nan(a, lane_nan(b, lane_nan(c, lane_f32_odd(r))));
}

LANE int32_t lane_key_f16(uint32_t a)
{
    int32_t i = (int16_t)a;

    return i ^ ((i >> 31) & 0x7fff);
}

LANE uint32_t lane_flush_f16(uint32_t a)
{
    return lane_sel((a & 0x7c00) == 0, a & 0x8000, a);
}

/* An operand, a result that is not computed in another format. */
#define lane_in_f16(a)  lane_sel(fm.in16, a, lane_flush_f16(a))
#define lane_out_f16(a) lane_sel(fm.out16, a, lane_flush_f16(a))

/* A half that is passed on (docs/errata.md, E-pack): a signalling NaN is made quiet in IEEE mode. */
LANE uint32_t lane_quiet_f16(uint32_t a, bool ieee)
{
    return a | lane_sel(ieee & lane_isnan_f16(a), 0x200, 0);
}
#define lane_pass_f16(a) lane_quiet_f16(lane_in_f16(a), fm.ieee)

LANE uint32_t lane_minmax_f16(uint32_t a, uint32_t b, bool max, bool ieee, bool fl)
{
    uint32_t x = lane_sel(fl, lane_flush_f16(a), a), y = lane_sel(fl, lane_flush_f16(b), b);
    uint32_t r = lane_sel((lane_key_f16(x) < lane_key_f16(y)) != max, x, y);
    bool na = lane_isnan_f16(a), nb = lane_isnan_f16(b);

    r = lane_sel(nb, x, r);
    r = lane_sel(na, y, r);
    r = lane_sel(ieee & nb & !(b & 0x200), b | 0x200, r);
    r = lane_sel(ieee & na & !(a & 0x200), a | 0x200, r);
    return r;
}

#define lane_min_f16(a, b) lane_minmax_f16(a, b, false, fm.ieee, fm.minmax_flush && !fm.in16)
#define lane_max_f16(a, b) lane_minmax_f16(a, b, true, fm.ieee, fm.minmax_flush && !fm.in16)

LANE uint32_t lane_med3x_f16(uint32_t a, uint32_t b, uint32_t c, bool ieee, bool fl)
{
    uint32_t lo = lane_minmax_f16(a, b, false, ieee, fl);
    uint32_t hi = lane_minmax_f16(a, b, true, ieee, fl);
    uint32_t med = lane_minmax_f16(lo, lane_minmax_f16(hi, c, false, ieee, fl), true, ieee, fl);
    bool nan = lane_isnan_f16(a) | lane_isnan_f16(b) | lane_isnan_f16(c);

    return lane_sel(nan, lane_minmax_f16(lo, c, false, ieee, fl), med);
}

#define lane_med3_f16(a, b, c) lane_med3x_f16(a, b, c, fm.ieee, fm.minmax_flush && !fm.in16)

LANE bool lane_class_f16(uint32_t a, uint32_t mask)
{
    uint32_t mag = a & 0x7fff, neg = (a >> 15) & 1, k;

    k = lane_sel(mag == 0, 0, lane_sel(mag < 0x400, 1, lane_sel(mag < 0x7c00, 2, 3)));
    k = lane_sel(neg, 5 - k, 6 + k);
    k = lane_sel(mag > 0x7c00, (a >> 9) & 1, k);
    return (mask >> k) & 1;
}

/* Truncate and saturate; a NaN gives 0. */
LANE uint32_t lane_cvt_u16_f16(float a)
{
    return lane_umin(lane_cvt_u32_f32(a), 0xffff);
}

LANE uint32_t lane_cvt_i16_f16(float a)
{
    return (uint32_t)lane_sat_i16(lane_cvt_i32_f32(a)) & 0xffff;
}

LANE uint32_t lane_frexp_exp_f16(uint32_t h, float f)
{
    return lane_sel((h & 0x7c00) == 0x7c00, 0, (uint32_t)lane_frexp_exp_f32(f, 0)) & 0xffff;
}

/* Both halves of packed operands: f(a) and f(a, b) work on one half. */
#define PK1(f, a)       lane_pack16(f(LO16(a)), f(HI16(a)))
#define PK2(f, a, b)    lane_pack16(f(LO16(a), LO16(b)), f(HI16(a), HI16(b)))
#define PK3(f, a, b, c) lane_pack16(f(LO16(a), LO16(b), LO16(c)), f(HI16(a), HI16(b), HI16(c)))

#define S16LO(x) ((int32_t)(int16_t)(x))
#define S16HI(x) ((int32_t)(x) >> 16)

/* a * b + c of halves of packed integers; satm ~0: saturates. */
LANE uint32_t pk_mad_i16(int32_t a, int32_t b, int32_t c, uint32_t satm)
{
    int64_t r = (int64_t)a * b + c;

    return lane_sel(satm != 0, (uint32_t)lane_sat_i16(lane_sat_i64(r)), (uint32_t)r);
}

LANE uint32_t pk_mad_u16(uint32_t a, uint32_t b, uint32_t c, uint32_t satm)
{
    uint64_t r = (uint64_t)a * b + c;

    return lane_sel(satm != 0, r > 0xffff ? 0xffff : (uint32_t)r, (uint32_t)r);
}

/* Dot products. The f16 form adds in f32, low halves first, each step rounded. */
LANE float lane_dot2_f32(float a0, float a1, float b0, float b1, float c)
{
    return lane_fma_f32(a1, b1, lane_fma_f32(a0, b0, c));
}

LANE int64_t lane_dot_i(uint32_t a, uint32_t b, unsigned n)
{
    int64_t s = 0;

    for (unsigned i = 0; i < 32; i += n)
        s += (int64_t)sext32(a >> i & ((1u << n) - 1), n) *
             sext32(b >> i & ((1u << n) - 1), n);
    return s;
}

LANE uint64_t lane_dot_u(uint32_t a, uint32_t b, unsigned n)
{
    uint64_t s = 0;

    for (unsigned i = 0; i < 32; i += n)
        s += (uint64_t)(a >> i & ((1u << n) - 1)) * (b >> i & ((1u << n) - 1));
    return s;
}

LANE int32_t lane_dot_sum(int64_t s, uint32_t satm)
{
    return (int32_t)lane_sel(satm != 0, (uint32_t)lane_sat_i64(s), (uint32_t)s);
}

LANE uint32_t lane_dot_usum(uint64_t s, uint32_t satm)
{
    return lane_sel(satm != 0, lane_sat_u64(s), (uint32_t)s);
}

#define lane_add_f16(a, b)    TO_H(lane_add_f32(H(a), H(b)))
#define lane_sub_f16(a, b)    TO_H(lane_sub_f32(H(a), H(b)))
#define lane_mul_f16(a, b)    TO_H(lane_mul_f32(H(a), H(b)))
#define lane_fmah_f16(a, b, c) TO_H(lane_fma_f16(H(a), H(b), H(c)))
/* Each step rounded to a half; denormals are flushed whatever MODE says (docs/errata.md, E-mad16). */
#define H0(x)    lane_f32_from_f16(x, false)
#define TO_H0(x) lane_f16_from_f32(x, fm.round16, false)
#define lane_mad_f16(a, b, c) \
    TO_H0(lane_add_f32(H0(TO_H0(lane_mul_f32(H0(a), H0(b)))), H0(c)))

#endif
