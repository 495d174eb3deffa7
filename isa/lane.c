/* lane.c: what one lane does, where it is long and rare: division steps, trigonometric
 * pre-operation, f64 FMA without hardware. Facts: the Vega ISA manual's V_DIV_SCALE, V_DIV_FIXUP
 * and V_TRIG_PREOP; where they cannot be so, docs/errata.md, E-division. */
#include "isa/lane_f16.h"
#include "isa/lane_f64.h"

#include <xmmintrin.h>

#define MXCSR_DAZ 0x0040u
#define MXCSR_FTZ 0x8000u

/* (a * b + c) * 2^e, e = 0 or +-128, rounded once: the product is exact in binary128 (106 of 113
 * bits); the sum is rounded to odd there, so that the rounding to double is the only one that
 * counts. */
double lane_fma_scaled_f64(double a, double b, double c, int e)
{
    uint32_t csr = _mm_getcsr();
    union {
        __float128 f;
        uint64_t u[2];
    } s;
    __float128 p, cc, big, small, err;
    double r;

    if (csr & MXCSR_DAZ) {
        a = lane_flush_f64(a);
        b = lane_flush_f64(b);
        c = lane_flush_f64(c);
    }
    p = (__float128)a * b;
    cc = c;
    s.f = p + cc;
    if ((p < 0 ? -p : p) >= (cc < 0 ? -cc : cc)) {
        big = p;
        small = cc;
    } else {
        big = cc;
        small = p;
    }
    err = small - (s.f - big);
    if (err != 0 && (s.u[1] >> 48 & 0x7fff) != 0x7fff) {
        bool beyond = (err < 0) != (bool)(s.u[1] >> 63);

        s.u[1] -= beyond && s.u[0] == 0;
        s.u[0] -= beyond;
        s.u[0] |= 1;
    }
    if (e)
        s.f *= lane_pow2(e);
    r = (double)s.f;
    /* Flushed is what would be below the least normal number with more room for exponents: also what
     * rounds up to that number only for lack of such room. */
    if (csr & MXCSR_FTZ && fabs(r) <= 0x1p-1022 && fabs((double)(s.f * 0x1p200)) < 0x1p-822)
        r = copysign(0.0, r);
    return r;
}

/* ---- division ---------------------------------------------------------------------------- */

/* The biased exponent of a number; denormals are normalised (below 1). */
static int exponent(double d, int bias)
{
    uint64_t u = f64_bits(d) & LANE_MAG64;
    int e = (int)(u >> 52);

    if (e == 0 && u != 0)
        e = 12 - __builtin_clzll(u);
    return e - 1023 + bias;
}

/* What differs between the f32 and the f64 form. */
struct div_type {
    int bias;
    int near; /* exponent difference from which the quotient is near the largest number */
    int tiny; /* exponent of a numerator too small for the steps that follow */
    int by;   /* the scaling's power of two */
};

static const struct div_type div_f32 = {127, 96, 23, 64}, div_f64 = {1023, 768, 53, 128};

/* The power of two by which the operand is scaled, and the lane's flag: the quotient must be scaled
 * back. Whether the quotient and the reciprocal may be denormal is judged by exponents alone. */
static int div_scale(const struct div_type *t, double a, double den, double num, bool *nan,
                     bool *vcc)
{
    int d = exponent(den, t->bias), n = exponent(num, t->bias);
    bool is_den = f64_bits(a) == f64_bits(den), is_num = f64_bits(a) == f64_bits(num);
    bool rcp_denorm = d >= 2 * t->bias - 1, quo_denorm = n - d <= 1 - t->bias;

    *nan = num == 0 || den == 0;
    *vcc = true;
    if (*nan)
        return 0;
    if (a - a != 0) /* infinities and NaNs */
        return 0;
    if (n - d >= t->near)
        return is_den ? t->by : 0;
    if (quo_denorm && rcp_denorm)
        return is_den ? -t->by : 0;
    if (quo_denorm)
        return is_num ? t->by : 0;
    *vcc = false;
    if (d < 1)
        return t->by;
    if (rcp_denorm)
        return -t->by;
    return n <= t->tiny ? t->by : 0;
}

/* A number that is passed on, not computed, flushed as results (MXCSR_FTZ) or operands (_DAZ) are. */
static double flushed(double a, uint32_t as)
{
    return _mm_getcsr() & as ? lane_flush_f64(a) : a;
}

double lane_div_scale_f64(double a, double den, double num, bool *vcc)
{
    bool nan;
    int e = div_scale(&div_f64, a, den, num, &nan, vcc);

    if (nan)
        return bits_f64(LANE_NAN64);
    return e ? lane_ldexp_f64(a, e) : flushed(lane_nan_f64(a, a), MXCSR_FTZ);
}

float lane_div_scale_f32(float a, float den, float num, bool *vcc)
{
    bool nan;
    int e = div_scale(&div_f32, a, den, num, &nan, vcc);

    if (nan)
        return bits_f32(LANE_NAN32);
    return e ? lane_ldexp_f32(a, e) : lane_nan(a, a);
}

/* The special cases of num / den and the quotient's sign. `under`: exponent difference below
 * which the quotient is smaller than half the smallest denormal. */
static double div_fixup(double q, double den, double num, int under)
{
    bool neg = (f64_bits(den) ^ f64_bits(num)) >> 63;
    double inf = bits_f64(LANE_INF64), r;

    if ((den == 0 && num == 0) || (fabs(den) == inf && fabs(num) == inf))
        return bits_f64(LANE_NAN64);
    if (den == 0 || fabs(num) == inf)
        r = inf;
    else if (fabs(den) == inf || num == 0)
        r = 0;
    else if (exponent(num, 0) - exponent(den, 0) < under)
        r = 0;
    else
        r = q != q ? inf : fabs(q); /* a NaN: the steps before overflowed */
    return neg ? -r : r;
}

double lane_div_fixup_f64(double q, double den, double num)
{
    if (num != num)
        return lane_nan_f64(num, num);
    if (den != den)
        return lane_nan_f64(den, den);
    return flushed(div_fixup(flushed(q, MXCSR_DAZ), den, num, -1075), MXCSR_FTZ);
}

float lane_div_fixup_f32(float q, float den, float num)
{
    if (num != num)
        return lane_nan(num, num);
    if (den != den)
        return lane_nan(den, den);
    return (float)div_fixup(q, den, num, -150);
}

uint32_t lane_div_fixup_f16(uint32_t q, uint32_t den, uint32_t num)
{
    uint32_t sign = (den ^ num) & 0x8000, dm = den & 0x7fff, nm = num & 0x7fff;

    if (nm > 0x7c00)
        return num | 0x200;
    if (dm > 0x7c00)
        return den | 0x200;
    if ((dm == 0 && nm == 0) || (dm == 0x7c00 && nm == 0x7c00))
        return 0xfe00;
    if (dm == 0 || nm == 0x7c00)
        return sign | 0x7c00;
    if (dm == 0x7c00 || nm == 0)
        return sign;
    return sign | ((q & 0x7fff) > 0x7c00 ? 0x7c00 : q & 0x7fff);
}

/* ---- trigonometric pre-operation --------------------------------------------------------- */

/* The first 1201 bits of 2 / pi, as many as the hardware has; the first weighs 1/2. */
static const uint64_t two_over_pi[] = {
    UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0), UINT64_C(0xdb6295993c439041),
    UINT64_C(0xfe5163abdebbc561), UINT64_C(0xb7246e3a424dd2e0), UINT64_C(0x06492eea09d1921c),
    UINT64_C(0xfe1deb1cb129a73e), UINT64_C(0xe88235f52ebb4484), UINT64_C(0xe99c7026b45f7e41),
    UINT64_C(0x3991d639835339f4), UINT64_C(0x9c845f8bbdf9283b), UINT64_C(0x1ff897ffde05980f),
    UINT64_C(0xef2f118b5a0a6d1f), UINT64_C(0x6d367ecf27cb09b7), UINT64_C(0x4f463f669e5fea2d),
    UINT64_C(0x7527bac7ebe5f17b), UINT64_C(0x3d0739f78a5292ea), UINT64_C(0x6bfb5fb11f8d5d08),
    UINT64_C(0x56033046fc7b0000),
};

/* 53 bits of 2 / pi from bit `segment * 53` on, later for large arguments, as a double. */
double lane_trig_preop_f64(double a, uint32_t segment)
{
    unsigned e = (unsigned)(f64_bits(a) >> 52) & 0x7ff;
    unsigned shift = (segment & 31) * 53 + (e > 1077 ? e - 1077 : 0);
    unsigned w = shift / 64, b = shift % 64;
    uint64_t hi = w < ARRAY_LEN(two_over_pi) ? two_over_pi[w] : 0;
    uint64_t lo = w + 1 < ARRAY_LEN(two_over_pi) ? two_over_pi[w + 1] : 0;
    uint64_t top = b ? hi << b | lo >> (64 - b) : hi;
    int scale = -53 - (int)shift + (e >= 1968 ? 128 : 0);

    return lane_ldexp_f64((double)(top >> 11), scale);
}

/* ---- screen partition -------------------------------------------------------------------- */

/* v_screen_partition_4se_b32: a nibble for each of 256 arguments, the first lowest. Facts: the
 * Vega ISA manual's look-up table. */
static const uint64_t screen_partition[] = {
    UINT64_C(0xfffffff7fff5f731), UINT64_C(0xffffffbfffafe62f), UINT64_C(0xfffffdfff5ffc4fd),
    UINT64_C(0xffffefffafff8fb9), UINT64_C(0xfffefff6fdc4ffff), UINT64_C(0xffdff99fb98fffff),
    UINT64_C(0xfbfff9ff31f7ffff), UINT64_C(0x7fff6ff62fe6ffff), UINT64_C(0xfffafb32fffffffb),
    UINT64_C(0xff5fd91fffffff7f), UINT64_C(0xfaffc8fefffffeff), UINT64_C(0x5fff4f76ffffdfff),
    UINT64_C(0xfec8fffffffdfff9), UINT64_C(0x764fffffffeff66f), UINT64_C(0x32fbfffff7fff6ff),
    UINT64_C(0x1fd9ffffbfff9ff9),
};

uint32_t lane_screen_partition(uint32_t a)
{
    return (uint32_t)(screen_partition[(a & 0xff) / 16] >> (4 * (a & 15))) & 15;
}
