/* Division: the sequences that LLVM makes of fdiv (v_div_scale, v_rcp, the chain of FMAs, v_div_fmas,
 * v_div_fixup), assembled and run, must give the correctly rounded quotient: that of the host's
 * division, which is IEEE's. f32 with denormals kept and flushed (then LLVM keeps them between
 * v_div_scale and v_div_fmas), f64, and f64 as for GFX6, whose flag of v_div_scale LLVM does not use.
 * Also the f16 sequence, which divides in f32 and fixes up in f16. See docs/errata.md, E-division. */
#include "isa/solo.h"

#include <check.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>

static uint64_t rng = 88172645463325252u;

static uint64_t next(void)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return rng;
}

/* ---- programs ---------------------------------------------------------------------------- */

static struct isa_solo *load(const char *target, const char *const *text, unsigned n)
{
    struct isa_solo *s = isa_solo_create(isa_target_find(target), -1);
    uint32_t code[256];
    unsigned at = 0;

    ck_assert_ptr_nonnull(s);
    for (unsigned i = 0; i < n; i++) {
        struct err e = {""};
        int k = isa_assemble(s->target, text[i], code + at, &e);

        ck_assert_msg(k > 0, "%s: %s", text[i], e.text);
        at += (unsigned)k;
    }
    isa_solo_code(s, code, at);
    return s;
}

static void run(struct isa_solo *s)
{
    s->w->pc_va = SOLO_CODE_VA;
    s->w->state = WAVE_READY;
    isa_run(s->code, s->w, 100);
    ck_assert_int_eq(s->w->state, WAVE_ENDED);
    ck_assert_uint_eq(loud_count(s->loud), 0);
}

#define LOAD(target, ...) \
    load(target, (const char *const[]){__VA_ARGS__}, \
         ARRAY_LEN(((const char *const[]){__VA_ARGS__})))

/* v0 / v1 to v10. */
#define F32_HEAD \
    "v_div_scale_f32 v2, s[0:1], v1, v1, v0", "v_div_scale_f32 v3, vcc, v0, v1, v0", \
        "v_rcp_f32 v4, v2"
#define F32_CHAIN \
    "v_fma_f32 v5, -v2, v4, 1.0", "v_fma_f32 v4, v5, v4, v4", "v_mul_f32 v6, v3, v4", \
        "v_fma_f32 v7, -v2, v6, v3", "v_fma_f32 v6, v7, v4, v6", "v_fma_f32 v7, -v2, v6, v3"
#define F32_TAIL "v_div_fmas_f32 v8, v7, v4, v6", "v_div_fixup_f32 v10, v8, v1, v0"

/* v[0:1] / v[2:3] to v[20:21]. */
#define F64_SCALE "v_div_scale_f64 v[4:5], s[0:1], v[2:3], v[2:3], v[0:1]"
#define F64_CHAIN \
    "v_rcp_f64 v[6:7], v[4:5]", "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0", \
        "v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]", "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0", \
        "v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]", \
        "v_div_scale_f64 v[10:11], vcc, v[0:1], v[2:3], v[0:1]", \
        "v_mul_f64 v[12:13], v[10:11], v[6:7]", \
        "v_fma_f64 v[14:15], -v[4:5], v[12:13], v[10:11]"
#define F64_TAIL \
    "v_div_fmas_f64 v[16:17], v[14:15], v[6:7], v[12:13]", \
        "v_div_fixup_f64 v[20:21], v[16:17], v[2:3], v[0:1]"

/* ---- f32 --------------------------------------------------------------------------------- */

static uint32_t flush32(uint32_t u, bool keep)
{
    return keep || (u & 0x7f800000u) ? u : u & 0x80000000u;
}

/* A flushed result is one below the least normal number before it is rounded to fewer bits. */
static uint32_t quotient32(uint32_t num, uint32_t den, bool keep)
{
    float n = bits_f32(flush32(num, keep)), d = bits_f32(flush32(den, keep));
    float q = n / d;

    if (!keep && fabs((double)n / d) < 0x1p-126 * (1 - 0x1p-25))
        q = copysignf(0, q);
    return f32_bits(q);
}

static bool same32(uint32_t got, uint32_t want)
{
    return got == want || (isnan(bits_f32(got)) && isnan(bits_f32(want)));
}

/* Numbers near where the rules change, and any. */
static uint32_t pick32(void)
{
    static const uint32_t edge[] = {
        0, 1, 2, 0x007fffff, 0x00800000, 0x00800001, 0x3f800000, 0x3f7fffff, 0x3f800001, 0x40000000,
        0x7f000000, 0x7e800000, 0x7e7fffff, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x0b800000, 0x0c000000,
        0x1f800000, 0x20000000, 0x5f800000, 0x6f800000, 0x70000000, 0x40400000, 0x3eaaaaab};
    uint64_t r = next();
    uint32_t u = (uint32_t)r;

    switch (r >> 32 & 7) {
    case 0:
        return edge[(r >> 40) % ARRAY_LEN(edge)] | (u & 0x80000000u);
    case 1: /* few bits: exact quotients and ties among denormals */
        return u & 0xffff0000u;
    case 2: /* denormals */
        return u & 0x807fffffu;
    case 3: /* by -1, 0, 1 from an edge */
        return (edge[(r >> 40) % ARRAY_LEN(edge)] + (uint32_t)(r >> 60) % 3 - 1) ^
               (u & 0x80000000u);
    default:
        return u;
    }
}

static void check32(struct isa_solo *s, bool keep, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        isa_solo_reset(s, ~UINT64_C(0), keep ? 0xf0 : 0xc0);
        for (unsigned l = 0; l < 64; l++) {
            s->v[l] = pick32();
            s->v[64 + l] = pick32();
        }
        run(s);
        for (unsigned l = 0; l < 64; l++) {
            uint32_t want = quotient32(s->v[l], s->v[64 + l], keep), got = s->v[640 + l];

            /* v_div_scale leaves numerators of 2^-103 and above alone (the manual's threshold), and
             * then what v_div_fmas is to add may be denormal, to it a zero. */
            bool lost = !keep && fabsf(bits_f32(s->v[l])) < 0x1p-100f;

            ck_assert_msg(same32(got, want) || (lost && got - want + 1 <= 2),
                          "%08x / %08x = %08x, not %08x", s->v[l], s->v[64 + l], got, want);
        }
    }
}

START_TEST(f32_denormals)
{
    static const char *const target[] = {"gfx600", "gfx704", "gfx803", "gfx900"};
    struct isa_solo *s = LOAD(target[_i], F32_HEAD, F32_CHAIN, F32_TAIL);

    check32(s, true, 1500);
    isa_solo_destroy(s);
}
END_TEST

START_TEST(f32_flushed)
{
    static const char *const target[] = {"gfx600", "gfx704", "gfx803", "gfx900"};
    struct isa_solo *s =
        LOAD(target[_i], F32_HEAD, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3", F32_CHAIN,
             "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0", F32_TAIL);

    check32(s, false, 1500);
    isa_solo_destroy(s);
}
END_TEST

/* ---- f64 --------------------------------------------------------------------------------- */

static double bits_double(uint64_t u)
{
    double d;

    memcpy(&d, &u, sizeof d);
    return d;
}

static uint64_t pick64(void)
{
    static const uint64_t edge[] = {
        0, 1, 2, 0x000fffffffffffff, 0x0010000000000000, 0x0010000000000001, 0x3ff0000000000000,
        0x3fefffffffffffff, 0x3ff0000000000001, 0x7fe0000000000000, 0x7fd0000000000000,
        0x7fcfffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000,
        0x0350000000000000, 0x0360000000000000, 0x0f60000000000000, 0x6ff0000000000000,
        0x3fd5555555555555, 0x4008000000000000};
    uint64_t r = next(), u = next(), sign = u & UINT64_C(0x8000000000000000);

    switch (r & 7) {
    case 0:
        return edge[(r >> 8) % ARRAY_LEN(edge)] | sign;
    case 1:
        return u & UINT64_C(0xffffffff00000000);
    case 2:
        return u & UINT64_C(0x800fffffffffffff);
    case 3:
        return (edge[(r >> 8) % ARRAY_LEN(edge)] + (r >> 60) % 3 - 1) ^ sign;
    case 4: /* moderate */
        return (u & UINT64_C(0x80ffffffffffffff)) | UINT64_C(0x3f00000000000000);
    default:
        return u;
    }
}

static void check64(struct isa_solo *s, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        isa_solo_reset(s, ~UINT64_C(0), 0xf0);
        for (unsigned l = 0; l < 64; l++) {
            for (unsigned k = 0; k < 2; k++) {
                uint64_t u = pick64();

                s->v[128 * k + l] = (uint32_t)u;
                s->v[128 * k + 64 + l] = (uint32_t)(u >> 32);
            }
        }
        run(s);
        for (unsigned l = 0; l < 64; l++) {
            uint64_t n = s->v[l] | (uint64_t)s->v[64 + l] << 32;
            uint64_t d = s->v[128 + l] | (uint64_t)s->v[192 + l] << 32;
            uint64_t got = s->v[20 * 64 + l] | (uint64_t)s->v[21 * 64 + l] << 32, want;
            double q = bits_double(n) / bits_double(d);

            memcpy(&want, &q, sizeof want);
            ck_assert_msg(got == want || (isnan(q) && isnan(bits_double(got))),
                          "%016llx / %016llx = %016llx, not %016llx", (unsigned long long)n,
                          (unsigned long long)d, (unsigned long long)got,
                          (unsigned long long)want);
        }
    }
}

START_TEST(f64)
{
    static const char *const target[] = {"gfx704", "gfx803", "gfx900"};
    struct isa_solo *s = LOAD(target[_i], F64_SCALE, F64_CHAIN, F64_TAIL);

    check64(s, 1200);
    isa_solo_destroy(s);
}
END_TEST

/* Scaled is what differs from what it was; the quotient is when one of the two was. */
START_TEST(f64_without_flag)
{
    static const char *const target[] = {"gfx600", "gfx900"};
    struct isa_solo *s =
        LOAD(target[_i], F64_SCALE, F64_CHAIN, "v_cmp_eq_u32 vcc, v1, v11",
             "v_cmp_eq_u32 s[0:1], v3, v5", "s_xor_b64 vcc, s[0:1], vcc", F64_TAIL);

    check64(s, 1200);
    isa_solo_destroy(s);
}
END_TEST

/* ---- f16 --------------------------------------------------------------------------------- */

static uint16_t half(uint64_t r)
{
    static const uint16_t edge[] = {0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7e00, 0x4200};

    return (r >> 16 & 3) ? (uint16_t)r
                         : (uint16_t)(edge[(r >> 20) % ARRAY_LEN(edge)] | (r & 0x8000));
}

/* v0 / v1: the reciprocal in f32, one product, rounded to f16 and fixed up. LLVM asks for no more
 * than that; with a correctly rounded reciprocal it is the correctly rounded quotient but for ties,
 * which the double rounding may lose: allowed is one unit in the last place. */
START_TEST(f16)
{
    static const char *const target[] = {"gfx803", "gfx900"};
    struct isa_solo *s = LOAD(target[_i], "v_cvt_f32_f16 v2, v0", "v_cvt_f32_f16 v3, v1",
                              "v_rcp_f32 v4, v3", "v_mul_f32 v5, v2, v4", "v_cvt_f16_f32 v6, v5",
                              "v_div_fixup_f16 v10, v6, v1, v0");

    for (unsigned i = 0; i < 800; i++) {
        isa_solo_reset(s, ~UINT64_C(0), 0xf0);
        for (unsigned l = 0; l < 64; l++) {
            s->v[l] = half(next());
            s->v[64 + l] = half(next());
        }
        run(s);
        for (unsigned l = 0; l < 64; l++) {
            uint16_t n = (uint16_t)s->v[l], d = (uint16_t)s->v[64 + l], want, got;
            _Float16 fn, fd, q;

            memcpy(&fn, &n, 2);
            memcpy(&fd, &d, 2);
            q = (_Float16)((double)fn / (double)fd);
            memcpy(&want, &q, 2);
            got = (uint16_t)s->v[640 + l];
            ck_assert_msg(got == want || (isnan((float)q) && (got & 0x7fff) > 0x7c00) ||
                              abs((got & 0x7fff) - (want & 0x7fff)) <= 1,
                          "%04x / %04x = %04x, not %04x", n, d, got, want);
            ck_assert_uint_eq(got & 0x8000, isnan((float)q) ? got & 0x8000u : want & 0x8000u);
        }
    }
    isa_solo_destroy(s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("division");
    TCase *t = tcase_create("division");
    SRunner *r;
    int failed;

    tcase_add_loop_test(t, f32_denormals, 0, 4);
    tcase_add_loop_test(t, f32_flushed, 0, 4);
    tcase_add_loop_test(t, f64, 0, 3);
    tcase_add_loop_test(t, f64_without_flag, 0, 2);
    tcase_add_loop_test(t, f16, 0, 2);
    tcase_set_timeout(t, 60);
    suite_add_tcase(suite, t);
    r = srunner_create(suite);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
