/* Rounding, denormals and NaNs of the float rows, in all modes and with every build of the vector bodies
 * that the host can run, bit by bit against a reference of its own: one operation at a time in plain C
 * on volatile operands under fesetround(), denormals flushed by hand, NaNs chosen by hand
 * (docs/errata.md, E-nan). What a flush of results counts as denormal is x86's rule: what would be
 * below the least normal number were the exponent's range unlimited. */
#include "isa/exec.h"
#include "isa/solo.h"

#include <check.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>

enum { QUIET = 0x400000, WAVE = 64 };
#define NAN_INVALID   0xffc00000u
#define NAN_INVALID64 UINT64_C(0xfff8000000000000)
#define QUIET64       UINT64_C(0x0008000000000000)

/* ---- the reference ------------------------------------------------------------------------ */

/* The part of MODE that an operation sees. */
struct fp {
    int round; /* as MODE counts: nearest, up, down, zero */
    bool in, out;
};

struct env {
    struct fp f32, f64, f16;
    int cvt16; /* rounding of v_cvt_f16_f32 */
    bool ieee, dx10, flush_minmax;
};

static void set_round(int r)
{
    static const int mode[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

    fesetround(mode[r]);
}

static float as_f32(uint64_t b)
{
    uint32_t u = (uint32_t)b;
    float f;

    memcpy(&f, &u, 4);
    return f;
}

static uint64_t of_f32(float f)
{
    uint32_t u;

    memcpy(&u, &f, 4);
    return u;
}

static double as_f64(uint64_t u)
{
    double d;

    memcpy(&d, &u, 8);
    return d;
}

static uint64_t of_f64(double d)
{
    uint64_t u;

    memcpy(&u, &d, 8);
    return u;
}

static bool nan32(uint64_t b)
{
    return (b & 0x7fffffff) > 0x7f800000;
}

static bool nan64(uint64_t b)
{
    return (b & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

static uint64_t flush32(uint64_t b, bool keep)
{
    return keep || (b & 0x7f800000) ? b : b & 0x80000000u;
}

static uint64_t flush64(uint64_t b, bool keep)
{
    return keep || (b & UINT64_C(0x7ff0000000000000)) ? b : b & (UINT64_C(1) << 63);
}

/* A result that is no NaN, or an invalid operation's; `tiny`: below the least normal number. */
static uint64_t result32(float r, bool tiny, bool keep)
{
    if (nan32(of_f32(r)))
        return NAN_INVALID;
    return tiny && !keep ? of_f32(r) & 0x80000000u : of_f32(r);
}

static uint64_t result64(double r, bool tiny, bool keep)
{
    if (nan64(of_f64(r)))
        return NAN_INVALID64;
    return tiny && !keep ? of_f64(r) & (UINT64_C(1) << 63) : of_f64(r);
}

static uint64_t add32(const struct fp *m, uint64_t a, uint64_t b, bool minus)
{
    volatile float x = as_f32(flush32(a, m->in)), y = as_f32(flush32(b, m->in)), r;

    if (nan32(a))
        return a | QUIET;
    if (nan32(b))
        return b | QUIET;
    set_round(m->round);
    r = minus ? x - y : x + y;
    return result32(r, fabsf(r) < 0x1p-126f, m->out); /* so small a sum is exact */
}

static uint64_t mul32(const struct fp *m, uint64_t a, uint64_t b)
{
    volatile float x = as_f32(flush32(a, m->in)), y = as_f32(flush32(b, m->in)), r, wide;
    volatile double p = (double)x * (double)y; /* exact */

    if (nan32(a))
        return a | QUIET;
    if (nan32(b))
        return b | QUIET;
    set_round(m->round);
    r = x * y;
    if (fabs(p) > 0x1p-100)
        return result32(r, false, m->out);
    wide = (float)(p * 0x1p200);
    return result32(r, fabsf(wide) < 0x1p74f, m->out);
}

static uint64_t mul_legacy32(const struct fp *m, uint64_t a, uint64_t b)
{
    if ((flush32(a, m->in) & 0x7fffffff) == 0 || (flush32(b, m->in) & 0x7fffffff) == 0)
        return 0;
    return mul32(m, a, b);
}

static uint64_t fma32(const struct fp *m, uint64_t a, uint64_t b, uint64_t c)
{
    volatile float x = as_f32(flush32(a, m->in)), y = as_f32(flush32(b, m->in)),
                   z = as_f32(flush32(c, m->in)), r, s;
    bool tiny;

    if (nan32(a))
        return a | QUIET;
    if (nan32(b))
        return b | QUIET;
    if (nan32(c))
        return c | QUIET;
    set_round(m->round);
    r = fmaf(x, y, z);
    tiny = fabsf(r) < 0x1p-126f;
    if (fabsf(r) == 0x1p-126f && fabsf(z) < 0x1p50f) {
        /* Was it rounded up to that? Once more, 2^64 times as large. */
        if (fabsf(x) < fabsf(y))
            x *= 0x1p64f;
        else
            y *= 0x1p64f;
        z *= 0x1p64f;
        s = fmaf(x, y, z);
        tiny = fabsf(s) < 0x1p-62f;
    }
    return result32(r, tiny, m->out);
}

static uint64_t add64(const struct fp *m, uint64_t a, uint64_t b)
{
    volatile double x = as_f64(flush64(a, m->in)), y = as_f64(flush64(b, m->in)), r;

    if (nan64(a))
        return a | QUIET64;
    if (nan64(b))
        return b | QUIET64;
    set_round(m->round);
    r = x + y;
    return result64(r, fabs(r) < 0x1p-1022, m->out);
}

static uint64_t fma64(const struct fp *m, uint64_t a, uint64_t b, uint64_t c)
{
    volatile double x = as_f64(flush64(a, m->in)), y = as_f64(flush64(b, m->in)),
                    z = as_f64(flush64(c, m->in)), r, s;
    bool tiny;

    if (nan64(a))
        return a | QUIET64;
    if (nan64(b))
        return b | QUIET64;
    if (nan64(c))
        return c | QUIET64;
    set_round(m->round);
    r = fma(x, y, z);
    tiny = fabs(r) < 0x1p-1022;
    if (fabs(r) == 0x1p-1022 && fabs(z) < 0x1p500) {
        if (fabs(x) < fabs(y))
            x *= 0x1p200;
        else
            y *= 0x1p200;
        z *= 0x1p200;
        s = fma(x, y, z);
        tiny = fabs(s) < 0x1p-822;
    }
    return result64(r, tiny, m->out);
}

static uint64_t mul64(const struct fp *m, uint64_t a, uint64_t b)
{
    volatile double x = as_f64(flush64(a, m->in)), y = as_f64(flush64(b, m->in)), r, s;
    bool tiny;

    if (nan64(a))
        return a | QUIET64;
    if (nan64(b))
        return b | QUIET64;
    set_round(m->round);
    r = x * y;
    tiny = fabs(r) < 0x1p-1022;
    if (fabs(r) == 0x1p-1022) {
        if (fabs(x) < fabs(y))
            x *= 0x1p200;
        else
            y *= 0x1p200;
        s = x * y;
        tiny = fabs(s) < 0x1p-822;
    }
    return result64(r, tiny, m->out);
}

static uint64_t minmax32(const struct env *e, uint64_t a, uint64_t b, bool max)
{
    uint64_t x = flush32(a, e->f32.in || !e->flush_minmax);
    uint64_t y = flush32(b, e->f32.in || !e->flush_minmax);

    if (e->ieee && nan32(a) && !(a & QUIET))
        return a | QUIET;
    if (e->ieee && nan32(b) && !(b & QUIET))
        return b | QUIET;
    if (nan32(a))
        return y;
    if (nan32(b))
        return x;
    if (as_f32(x) == as_f32(y)) /* the zeros: -0 is less */
        return (x >> 31) != max ? x : y;
    return (as_f32(x) < as_f32(y)) != max ? x : y;
}

static uint64_t minmax64(const struct env *e, uint64_t a, uint64_t b, bool max)
{
    uint64_t x = flush64(a, e->f64.in || !e->flush_minmax);
    uint64_t y = flush64(b, e->f64.in || !e->flush_minmax);

    if (e->ieee && nan64(a) && !(a & QUIET64))
        return a | QUIET64;
    if (e->ieee && nan64(b) && !(b & QUIET64))
        return b | QUIET64;
    if (nan64(a))
        return y;
    if (nan64(b))
        return x;
    if (as_f64(x) == as_f64(y))
        return (x >> 63) != max ? x : y;
    return (as_f64(x) < as_f64(y)) != max ? x : y;
}

/* ---- the rows: v0 = a, v1 = b, v2 = c, v3 = d, of doubles v[4:5], v[6:7], v[8:9], v[10:11] - */

typedef uint64_t reference(const struct env *e, uint64_t a, uint64_t b, uint64_t c);
#define REF(name) static uint64_t name(const struct env *e, uint64_t a, uint64_t b, uint64_t c)

REF(r_add) { return add32(&e->f32, a, b, false); }
REF(r_sub) { return add32(&e->f32, a, b, true); }
REF(r_subrev) { return add32(&e->f32, b, a, true); }
REF(r_mul) { return mul32(&e->f32, a, b); }
REF(r_mul_legacy) { return mul_legacy32(&e->f32, a, b); }
REF(r_fma) { return fma32(&e->f32, a, b, c); }
REF(r_min) { return minmax32(e, a, b, false); }
REF(r_max) { return minmax32(e, a, b, true); }
REF(r_min3) { return minmax32(e, minmax32(e, a, b, false), c, false); }
REF(r_min_legacy)
{
    bool less = !nan32(a) && !nan32(b) &&
                as_f32(flush32(a, e->f32.in)) < as_f32(flush32(b, e->f32.in));

    return less ? a : b;
}
REF(r_max_legacy)
{
    bool less = nan32(a) || nan32(b) ||
                as_f32(flush32(a, e->f32.in)) < as_f32(flush32(b, e->f32.in));

    return less ? b : a;
}
/* v_mac and v_mad: two roundings, denormals flushed whatever MODE says. */
REF(r_mad)
{
    struct fp m = {e->f32.round, false, false};

    return add32(&m, mul32(&m, a, b), c, false);
}
REF(r_mad_legacy)
{
    struct fp m = {e->f32.round, false, false};

    return add32(&m, mul_legacy32(&m, a, b), c, false);
}
REF(r_madak) { return r_mad(e, a, b, 0x3eaaaaab); }
REF(r_madmk) { return r_mad(e, a, 0x3eaaaaab, b); }

REF(r_add64) { return add64(&e->f64, a, b); }
REF(r_mul64) { return mul64(&e->f64, a, b); }
REF(r_fma64) { return fma64(&e->f64, a, b, c); }
REF(r_min64) { return minmax64(e, a, b, false); }
REF(r_max64) { return minmax64(e, a, b, true); }

REF(r_f32_i32)
{
    volatile int32_t i = (int32_t)a;

    set_round(e->f32.round);
    return of_f32((float)i);
}
REF(r_f32_u32)
{
    volatile int64_t i = (int64_t)(uint32_t)a;

    set_round(e->f32.round);
    return of_f32((float)i);
}
REF(r_f64_i32) { return of_f64((double)(int32_t)a); }
REF(r_f64_u32) { return of_f64((double)(uint32_t)a); }
REF(r_i32_f32)
{
    if (nan32(a))
        return 0;
    if (as_f32(a) >= 0x1p31f)
        return 0x7fffffff;
    return as_f32(a) < -0x1p31f ? 0x80000000u : (uint32_t)(int32_t)as_f32(a);
}
REF(r_u32_f32)
{
    if (nan32(a) || as_f32(a) <= 0)
        return 0;
    return as_f32(a) >= 0x1p32f ? 0xffffffffu : (uint32_t)as_f32(a);
}
REF(r_i32_f64)
{
    if (nan64(a))
        return 0;
    if (as_f64(a) >= 0x1p31)
        return 0x7fffffff;
    return as_f64(a) <= -0x1p31 - 1 ? 0x80000000u : (uint32_t)(int32_t)as_f64(a);
}
REF(r_u32_f64)
{
    if (nan64(a) || as_f64(a) <= 0)
        return 0;
    return as_f64(a) >= 0x1p32 ? 0xffffffffu : (uint32_t)as_f64(a);
}
/* Rounding and result follow the f32 half of MODE, a denormal operand its own format's. */
REF(r_f32_f64)
{
    volatile double x = as_f64(flush64(a, e->f64.in));
    volatile float r, wide;

    if (nan64(a))
        return (a >> 32 & 0x80000000u) | 0x7fc00000 | (a >> 29 & 0x3fffff);
    set_round(e->f32.round);
    r = (float)x;
    wide = fabs(x) < 0x1p-100 ? (float)(x * 0x1p200) : 0x1p100f;
    return result32(r, fabsf(wide) < 0x1p74f, e->f32.out);
}
REF(r_f64_f32)
{
    if (nan32(a))
        return (a & 0x80000000u) << 32 | UINT64_C(0x7ff8000000000000) | (a & 0x7fffff) << 29;
    return of_f64((double)as_f32(flush32(a, e->f32.in)));
}

REF(r_trunc) { return nan32(a) ? a | QUIET : of_f32(truncf(as_f32(a))); }
REF(r_floor) { return nan32(a) ? a | QUIET : of_f32(floorf(as_f32(flush32(a, e->f32.in)))); }
REF(r_ceil) { return nan32(a) ? a | QUIET : of_f32(ceilf(as_f32(flush32(a, e->f32.in)))); }
REF(r_rndne)
{
    set_round(0);
    return nan32(a) ? a | QUIET : of_f32(rintf(as_f32(a)));
}
REF(r_fract)
{
    volatile float x = as_f32(flush32(a, e->f32.in)), f = floorf(x), r;

    if (nan32(a))
        return a | QUIET;
    if (isinf(x)) /* a NaN of its sign */
        return a | QUIET;
    set_round(e->f32.round);
    r = x - f;
    if (r >= 1)
        return 0x3f7fffff;
    return result32(r, fabsf(r) < 0x1p-126f, e->f32.out);
}

REF(r_f16_f32)
{
    volatile double x = fabs((double)as_f32(flush32(a, e->f32.in))), step, r;
    uint64_t sign = a >> 16 & 0x8000;
    int ex = 0;

    if (nan32(a))
        return sign | 0x7e00 | (a >> 13 & 0x3ff);
    if (isinf(as_f32(a)))
        return sign | 0x7c00;
    (void)frexp(x, &ex);
    /* Where denormals are flushed, as if the exponent's range were unlimited. */
    step = ldexp(1, e->f16.out ? MAX2(ex - 11, -24) : ex - 11);
    /* Of magnitudes: up and down change places with the sign. */
    set_round(sign && (e->cvt16 == 1 || e->cvt16 == 2) ? 3 - e->cvt16 : e->cvt16);
    r = rint(x / step) * step;
    if (r > 65504)
        return sign | (e->cvt16 == 3 || e->cvt16 == (sign ? 1 : 2) ? 0x7bff : 0x7c00);
    if (r < 0x1p-14)
        return sign | (e->f16.out ? (uint64_t)(r * 0x1p24) : 0);
    (void)frexp(r, &ex);
    return sign | (((uint64_t)(ex + 14) << 10) + (uint64_t)ldexp(r, 11 - ex) - 1024);
}
REF(r_f32_f16)
{
    uint64_t sign = (a & 0x8000) << 16, ex = a >> 10 & 31, m = a & 0x3ff;

    if (ex == 31)
        return sign | 0x7f800000 | m << 13 | (m ? QUIET : 0);
    if (ex == 0)
        return sign | (e->f16.in ? of_f32((float)m * 0x1p-24f) : 0);
    return sign | of_f32(ldexpf((float)(1024 + m), (int)ex - 25));
}

/* Modifiers. omod works where results are flushed and not in IEEE mode, and makes -0 +0. */
static uint64_t omod(const struct env *e, uint64_t r, float by)
{
    if (e->f32.out || e->ieee)
        return r;
    r = mul32(&e->f32, r, of_f32(by));
    return r == 0x80000000u ? 0 : r;
}

static uint64_t clamp(const struct env *e, uint64_t r)
{
    if (nan32(r))
        return e->dx10 ? 0 : r;
    if (!(as_f32(flush32(r, e->f32.in)) > 0))
        return 0;
    return as_f32(r) < 1 ? r : of_f32(1);
}

#define NEG(x) ((x) ^ 0x80000000u)
#define ABS(x) ((x) & 0x7fffffffu)
REF(r_mad_neg) { return r_mad(e, NEG(a), ABS(b), NEG(c)); }
REF(r_mac_neg) { return r_mad(e, NEG(ABS(a)), b, c); }
REF(r_add_clamp) { return clamp(e, r_add(e, a, b, c)); }
REF(r_mul_omod) { return omod(e, r_mul(e, NEG(a), b, c), 4); }
REF(r_sub_both) { return clamp(e, omod(e, r_sub(e, a, ABS(b), c), 0.5f)); }
REF(r_mac_both) { return clamp(e, omod(e, r_mad(e, a, b, c), 2)); }
REF(r_min_neg) { return minmax32(e, NEG(a), ABS(b), false); }

enum type { I32, F16, F32, F64 };

static const struct row {
    const char *text, *target; /* NULL: all of them */
    enum type in, out;
    reference *ref;
    bool mac, scalar_a; /* c is in v3, a in s0 */
} rows[] = {
    {"v_add_f32 v3, v0, v1", NULL, F32, F32, r_add, 0, 0},
    {"v_add_f32 v3, s0, v1", NULL, F32, F32, r_add, 0, 1},
    {"v_sub_f32 v3, v0, v1", NULL, F32, F32, r_sub, 0, 0},
    {"v_subrev_f32 v3, v0, v1", NULL, F32, F32, r_subrev, 0, 0},
    {"v_subrev_f32 v3, s0, v1", NULL, F32, F32, r_subrev, 0, 1},
    {"v_mul_f32 v3, v0, v1", NULL, F32, F32, r_mul, 0, 0},
    {"v_mul_legacy_f32 v3, v0, v1", NULL, F32, F32, r_mul_legacy, 0, 0},
    {"v_mac_f32 v3, v0, v1", NULL, F32, F32, r_mad, 1, 0},
    {"v_mac_f32 v3, s0, v1", NULL, F32, F32, r_mad, 1, 1},
    {"v_mac_legacy_f32 v3, v0, v1", "gfx704", F32, F32, r_mad_legacy, 1, 0},
    {"v_mad_f32 v3, v0, v1, v2", NULL, F32, F32, r_mad, 0, 0},
    {"v_mad_legacy_f32 v3, v0, v1, v2", NULL, F32, F32, r_mad_legacy, 0, 0},
    {"v_madak_f32 v3, v0, v1, 0x3eaaaaab", NULL, F32, F32, r_madak, 0, 0},
    {"v_madmk_f32 v3, v0, 0x3eaaaaab, v1", NULL, F32, F32, r_madmk, 0, 0},
    {"v_fma_f32 v3, v0, v1, v2", NULL, F32, F32, r_fma, 0, 0},
    {"v_fmac_f32 v3, v0, v1", "gfx906", F32, F32, r_fma, 1, 0},
    {"v_min_f32 v3, v0, v1", NULL, F32, F32, r_min, 0, 0},
    {"v_max_f32 v3, v0, v1", NULL, F32, F32, r_max, 0, 0},
    {"v_min3_f32 v3, v0, v1, v2", NULL, F32, F32, r_min3, 0, 0},
    {"v_min_legacy_f32 v3, v0, v1", "gfx704", F32, F32, r_min_legacy, 0, 0},
    {"v_max_legacy_f32 v3, v0, v1", "gfx704", F32, F32, r_max_legacy, 0, 0},
    {"v_mad_f32 v3, -v0, |v1|, -v2", NULL, F32, F32, r_mad_neg, 0, 0},
    {"v_mac_f32_e64 v3, -|s0|, v1", NULL, F32, F32, r_mac_neg, 1, 1},
    {"v_add_f32_e64 v3, v0, v1 clamp", NULL, F32, F32, r_add_clamp, 0, 0},
    {"v_mul_f32_e64 v3, -v0, v1 mul:4", NULL, F32, F32, r_mul_omod, 0, 0},
    {"v_sub_f32_e64 v3, s0, |v1| clamp div:2", NULL, F32, F32, r_sub_both, 0, 1},
    {"v_mac_f32_e64 v3, v0, v1 clamp mul:2", NULL, F32, F32, r_mac_both, 1, 0},
    {"v_min_f32_e64 v3, -v0, |v1|", NULL, F32, F32, r_min_neg, 0, 0},
    {"v_trunc_f32 v3, v0", NULL, F32, F32, r_trunc, 0, 0},
    {"v_floor_f32 v3, v0", NULL, F32, F32, r_floor, 0, 0},
    {"v_ceil_f32 v3, v0", NULL, F32, F32, r_ceil, 0, 0},
    {"v_rndne_f32 v3, v0", NULL, F32, F32, r_rndne, 0, 0},
    {"v_fract_f32 v3, v0", NULL, F32, F32, r_fract, 0, 0},
    {"v_cvt_f32_i32 v3, v0", NULL, I32, F32, r_f32_i32, 0, 0},
    {"v_cvt_f32_u32 v3, v0", NULL, I32, F32, r_f32_u32, 0, 0},
    {"v_cvt_i32_f32 v3, v0", NULL, F32, I32, r_i32_f32, 0, 0},
    {"v_cvt_u32_f32 v3, v0", NULL, F32, I32, r_u32_f32, 0, 0},
    {"v_cvt_f16_f32 v3, v0", NULL, F32, F16, r_f16_f32, 0, 0},
    {"v_cvt_f32_f16 v3, v0", NULL, F16, F32, r_f32_f16, 0, 0},
    {"v_cvt_f32_f64 v3, v[4:5]", NULL, F64, F32, r_f32_f64, 0, 0},
    {"v_cvt_f64_f32 v[10:11], v0", NULL, F32, F64, r_f64_f32, 0, 0},
    {"v_cvt_f64_i32 v[10:11], v0", NULL, I32, F64, r_f64_i32, 0, 0},
    {"v_cvt_f64_u32 v[10:11], v0", NULL, I32, F64, r_f64_u32, 0, 0},
    {"v_cvt_i32_f64 v3, v[4:5]", NULL, F64, I32, r_i32_f64, 0, 0},
    {"v_cvt_u32_f64 v3, v[4:5]", NULL, F64, I32, r_u32_f64, 0, 0},
    {"v_add_f64 v[10:11], v[4:5], v[6:7]", NULL, F64, F64, r_add64, 0, 0},
    {"v_mul_f64 v[10:11], v[4:5], v[6:7]", NULL, F64, F64, r_mul64, 0, 0},
    {"v_min_f64 v[10:11], v[4:5], v[6:7]", NULL, F64, F64, r_min64, 0, 0},
    {"v_max_f64 v[10:11], v[4:5], v[6:7]", NULL, F64, F64, r_max64, 0, 0},
    {"v_fma_f64 v[10:11], v[4:5], v[6:7], v[8:9]", NULL, F64, F64, r_fma64, 0, 0},
};

/* ---- inputs ------------------------------------------------------------------------------- */

static const uint32_t edge32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00800001, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f000000, 0xbf000001, 0x40200000,
    0xc0600000, 0x4b7fffff, 0x4b000001, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f800000,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xffa12345, 0x7fc00000, 0xffc54321,
    0x33000000, 0x387fe000, 0x477fefff, 0xc77ff000, 0x1f800000, 0x20000001,
};
static const uint64_t edge64[] = {
    0, 0x8000000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000,
    0x8010000000000001, 0x3fefffffffffffff, 0x3ff0000000000000, 0xbff0000000000001,
    0x3fe0000000000000, 0x41dfffffffc00000, 0xc1e0000000100000, 0xc1e0000000200000,
    0x41efffffffffffff, 0x41f0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001, 0xfff4000012345678,
    0x7ff8000000000000, 0xfffcccccdddddddd, 0x380fffffffffffff, 0x3810000000000000,
    0xb80fffffe8000000, 0x36a0000000000001, 0x47efffffefffffff, 0x47effffff0000000,
    0x1ff0000000000000, 0x2000000000000001,
};

static uint64_t seed;

static uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Edges against edges, then anything, then exponents close to each other. */
static uint64_t input(enum type t, unsigned n, unsigned i)
{
    uint64_t r = random64();
    unsigned edges = t == F64 ? ARRAY_LEN(edge64) : ARRAY_LEN(edge32);
    bool pairs = n < edges * edges;
    unsigned k = pairs ? i == 0 ? n % edges : i == 1 ? n / edges : (unsigned)(r >> 20) % edges
                       : (unsigned)(r >> 20) % edges;

    if (pairs || (r & 15) == 0)
        return t == F64 ? edge64[k] : t == F16 ? edge32[k] >> 13 ^ r % 3 : edge32[k];
    if (t == F64)
        return n & 1 ? random64() : (random64() & ~(UINT64_C(0x7f8) << 52)) | UINT64_C(0x3f8) << 52;
    return n & 1 ? random64() >> 32
                 : (random64() & 0x80ffffff) | (n & 2 ? 0x3f000000 : n & 4 ? 0x1f000000 : 0);
}

/* ---- the run ------------------------------------------------------------------------------ */

static struct env env_of(enum gfx gen, uint32_t mode)
{
    struct env e;

    e.f32 = (struct fp){mode & 3, mode >> 4 & 1, mode >> 5 & 1};
    e.f64 = (struct fp){mode >> 2 & 3, mode >> 6 & 1, mode >> 7 & 1};
    e.f16 = e.f64;
    if (gen <= GFX7)
        e.f16.in = e.f16.out = true;
    e.cvt16 = gen <= GFX7 ? e.f32.round : e.f64.round;
    e.ieee = mode >> 9 & 1;
    e.dx10 = mode >> 8 & 1;
    e.flush_minmax = gen >= GFX9;
    return e;
}

static void put(uint32_t *v, enum type t, unsigned i, unsigned l, uint64_t x)
{
    if (t == F64) {
        v[64 * (4 + 2 * i) + l] = (uint32_t)x;
        v[64 * (5 + 2 * i) + l] = (uint32_t)(x >> 32);
    } else {
        v[64 * i + l] = (uint32_t)x;
    }
}

/* One row in one mode: `batches` of 64 lanes, all levels against one reference. */
static void run_row(struct isa_solo **s, unsigned levels, const struct row *r, uint32_t mode,
                    unsigned first, unsigned batches)
{
    struct env e = env_of(s[0]->target->gen, mode);
    enum type t = r->in, dt = r->out == F64 ? F64 : F32;

    for (unsigned b = 0; b < batches; b++) {
        uint64_t x[WAVE][3], want[WAVE];
        uint64_t exec = b % 3 == 2 ? random64() : ~UINT64_C(0);

        for (unsigned l = 0; l < WAVE; l++) {
            for (unsigned i = 0; i < 3; i++)
                x[l][i] = input(t, (first + b) * WAVE + l, i);
            if (r->scalar_a)
                x[l][0] = x[0][0];
            want[l] = r->ref(&e, x[l][0], x[l][1], x[l][2]);
        }
        fesetround(FE_TONEAREST);
        for (unsigned k = 0; k < levels; k++) {
            struct wave *w = s[k]->w;

            for (unsigned l = 0; l < WAVE; l++) {
                for (unsigned i = 0; i < 3; i++)
                    put(s[k]->v, t, i, l, x[l][i]);
                put(s[k]->v, dt, 3, l, r->mac ? x[l][2] : 0xdeadbeef);
            }
            w->s[0] = (uint32_t)x[0][0];
            w->mode = mode;
            w->pc_va = SOLO_CODE_VA;
            w->state = WAVE_READY;
            wave_set_exec(w, exec);
            isa_run(s[k]->code, w, 2);
            if (w->state != WAVE_ENDED)
                ck_abort_msg("%s: %s", r->text, w->why);
            for (unsigned l = 0; l < WAVE; l++) {
                const uint32_t *d = s[k]->v + 64 * (dt == F64 ? 10 : 3) + l;
                uint64_t got = dt == F64 ? d[0] | (uint64_t)d[64] << 32 : d[0];
                uint64_t old = r->mac ? x[l][2] : 0xdeadbeef;

                if (got != (exec >> l & 1 ? want[l] : old)) /* (a check costs a system call) */
                    ck_abort_msg("%s (%s, %s, MODE 0x%x, lane %u %s): a %llx b %llx c %llx: "
                                 "got %llx, not %llx", r->text, s[k]->target->name,
                                 isa_level_name((enum isa_level)k), mode, l,
                                 exec >> l & 1 ? "on" : "off", (unsigned long long)x[l][0],
                                 (unsigned long long)x[l][1], (unsigned long long)x[l][2],
                                 (unsigned long long)got,
                                 (unsigned long long)(exec >> l & 1 ? want[l] : old));
            }
        }
    }
}

/* All 16 combinations of f32 rounding and denormals, those of f64 shifted against them so that the
 * two halves of MODE differ, with IEEE on and off. */
static uint32_t mode_of(unsigned i)
{
    uint32_t r = i & 3, d = i >> 2 & 3;

    return r | ((r + 1 + (i >> 4)) & 3) << 2 | d << 4 | ((d + 1 + (i >> 4)) & 3) << 6 |
           (i >> 4 & 1) << 9 | ((i ^ i >> 2) & 1) << 8;
}

static void run_target(const char *name)
{
    const struct isa_target *t = isa_target_find(name);
    unsigned levels = (unsigned)isa_level_host() + 1;
    struct isa_solo *s[ISA_LEVELS];

    for (unsigned k = 0; k < levels; k++)
        ck_assert_ptr_nonnull(s[k] = isa_solo_create(t, (int)k));
    seed = 88172645463325252u;
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
        const struct row *r = &rows[i];
        struct err e;
        uint32_t dw[4];
        int n;

        if (r->target && strcmp(r->target, name))
            continue;
        if (!strcmp(name, "gfx906") && strncmp(r->text, "v_fma", 5))
            continue;
        n = isa_assemble(t, r->text, dw, &e);
        ck_assert_msg(n > 0, "%s: %s", r->text, e.text);
        for (unsigned k = 0; k < levels; k++) {
            isa_solo_reset(s[k], ~UINT64_C(0), 0);
            isa_solo_code(s[k], dw, (unsigned)n);
        }
        for (unsigned m = 0; m < 32; m++)
            run_row(s, levels, r, mode_of(m), 0, 30);
    }
    for (unsigned k = 0; k < levels; k++)
        isa_solo_destroy(s[k]);
}

START_TEST(gfx7)
{
    run_target("gfx704");
}
END_TEST

START_TEST(gfx8)
{
    run_target("gfx803");
}
END_TEST

START_TEST(gfx9)
{
    run_target("gfx900");
}
END_TEST

START_TEST(gfx9_dl)
{
    run_target("gfx906");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("lane_modes");
    TCase *c = tcase_create("modes");
    SRunner *r;
    int failed;

    tcase_set_timeout(c, 120);
    tcase_add_test(c, gfx7);
    tcase_add_test(c, gfx8);
    tcase_add_test(c, gfx9);
    tcase_add_test(c, gfx9_dl);
    suite_add_tcase(s, c);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
