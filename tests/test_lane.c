/* What one lane does (isa/lane*.h) against the host's own arithmetic and against definitions written
 * out: conversions and integers on all or random operands, fused products in every rounding mode,
 * powers, logarithms and sines within one unit in the last place over their whole range.
 *
 * And every vector ALU row of the table, in each form it has, on random operands and modes: each build of
 * the bodies that the host can run leaves the same registers. */
#include "isa/codec.h"
#include "isa/exec.h"
#include "isa/lane_f16.h"
#include "isa/lane_math.h"
#include "isa/solo.h"

#include <check.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>

enum { MANY = 200000 };

static uint64_t seed = 88172645463325252u;

static uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static const uint32_t edges[] = {
    0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x3f000000, 0x3f800000, 0xbf800000,
    0x3f800001, 0x4b000000, 0x4b800000, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x7f7fffff,
    0xff7fffff, 0x7f800000, 0xff800000, 0x7fc12345, 0x7f812345,
};

/* Edges, near 1, anything. */
static float random_f32(void)
{
    uint64_t r = random64();

    if (r % 8 == 0)
        return bits_f32(edges[(r >> 8) % ARRAY_LEN(edges)]);
    if (r % 2)
        return bits_f32((uint32_t)(r >> 32 & 0x80ffffff) | (0x3a + (uint32_t)(r >> 8 & 15)) << 24);
    return bits_f32((uint32_t)(r >> 32));
}

/* NaNs are all alike here: their bits are the test vectors' business. */
static bool same(float a, float b)
{
    return f32_bits(a) == f32_bits(b) || (lane_isnan(a) && lane_isnan(b));
}

#define CHECK_F32(name, x, got, want) \
    do { \
        volatile float g_ = (got), w_ = (want); \
        if (!same(g_, w_)) \
            ck_abort_msg("%s of %a: %a, not %a", name, (double)(x), (double)g_, (double)w_); \
    } while (0)

/* (Check's own assertions cost a system call each.) */
#define MUST(cond) \
    do { \
        if (!(cond)) \
            ck_abort_msg("not so: %s", #cond); \
    } while (0)
#define EQUAL(a, b) \
    do { \
        int64_t a_ = (a), b_ = (b); \
        if (a_ != b_) \
            ck_abort_msg("%s is %llx, not %llx", #a, (long long)a_, (long long)b_); \
    } while (0)

/* ---- floats ------------------------------------------------------------------------------ */

START_TEST(rounding)
{
    static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

    for (unsigned m = 0; m < 4; m++) {
        for (unsigned i = 0; i < MANY; i++) {
            volatile float x = random_f32();
            float even;

            fesetround(FE_TONEAREST);
            even = nearbyintf(x);
            fesetround(modes[m]);
            CHECK_F32("trunc", x, lane_trunc_f32(x), truncf(x));
            CHECK_F32("ceil", x, lane_ceil_f32(x), ceilf(x));
            CHECK_F32("floor", x, lane_floor_f32(x), floorf(x));
            CHECK_F32("rndne", x, lane_rndne_f32(x), even);
        }
    }
    fesetround(FE_TONEAREST);
}
END_TEST

START_TEST(fused)
{
    static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

    for (unsigned i = 0; i < 4 * MANY; i++) {
        volatile float a = random_f32(), b = random_f32(), c = random_f32(), got;

        if (i % 3 == 0) /* the sum cancels but for the product's tail */
            c = -(a * b);
        fesetround(modes[i % 4]);
        got = (float)lane_fma_odd_f32(a, b, c);
        if (!same(got, fmaf(a, b, c)))
            ck_abort_msg("fma(%a, %a, %a): %a, not %a", (double)a, (double)b, (double)c, (double)got,
                         (double)fmaf(a, b, c));
    }
    fesetround(FE_TONEAREST);
    for (unsigned i = 0; i < MANY; i++) {
        volatile double a = (double)random_f32(), b = bits_f64(random64()), c = bits_f64(random64());
        double got, want;

        if (i & 1)
            c = -(a * b);
        fesetround(modes[i / 2 % 4]);
        got = lane_fma_scaled_f64(a, b, c, 0);
        want = fma(a, b, c);
        if (f64_bits(got) != f64_bits(want) && !(got != got && want != want))
            ck_abort_msg("fma(%a, %a, %a): %a, not %a", a, b, c, got, want);
    }
    fesetround(FE_TONEAREST);
}
END_TEST

START_TEST(exponents)
{
    static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

    for (unsigned i = 0; i < MANY; i++) {
        volatile float x = random_f32();
        int e = 0, by = (int)(random64() % 600) - 300;
        float m = frexpf(x, &e);

        CHECK_F32("frexp_mant", x, lane_frexp_mant_f32(x, 0), m);
        if (isfinite(x))
            EQUAL(lane_frexp_exp_f32(x, 0), e);
        fesetround(modes[i % 4]);
        CHECK_F32("ldexp", x, lane_ldexp_f32(x, by), ldexpf(x, by));
        fesetround(FE_TONEAREST);
    }
    CHECK_F32("ldexp", 1.0, lane_ldexp_f32(1.0f, INT32_MAX), INFINITY);
    CHECK_F32("ldexp", 1.0, lane_ldexp_f32(1.0f, INT32_MIN), 0.0f);
}
END_TEST

START_TEST(conversions)
{
    for (unsigned i = 0; i < 2 * MANY; i++) {
        volatile float x = random_f32();
        double d = (double)x, up = floor(d + 0.5), down = floor(d);
        int32_t want_i = x != x ? 0 : d >= 0x1p31 ? INT32_MAX : d < -0x1p31 ? INT32_MIN : (int32_t)d;
        uint32_t want_u = !(d > 0) ? 0 : d >= 0x1p32 ? UINT32_MAX : (uint32_t)d;

        EQUAL(lane_cvt_i32_f32(x), want_i);
        EQUAL(lane_cvt_u32_f32(x), want_u);
        if (x == x) {
            want_i = down >= 0x1p31 ? INT32_MAX : down < -0x1p31 ? INT32_MIN : (int32_t)down;
            EQUAL(lane_cvt_floor_i32(x, 0.0), want_i);
            want_i = up >= 0x1p31 ? INT32_MAX : up < -0x1p31 ? INT32_MIN : (int32_t)up;
            EQUAL(lane_cvt_floor_i32(x, 0.5), want_i);
        }
    }
}
END_TEST

static uint32_t half_bits(_Float16 h)
{
    uint16_t u;

    memcpy(&u, &h, sizeof u);
    return u;
}

START_TEST(halves)
{
    for (uint32_t h = 0; h < 0x10000; h++) {
        uint16_t u = (uint16_t)h;
        _Float16 x;

        memcpy(&x, &u, sizeof x);
        CHECK_F32("f32_from_f16", h, lane_f32_from_f16(h, true), (float)x);
        if (x == x)
            for (unsigned round = 0; round < 4; round++)
                EQUAL(lane_f16_from_f32((float)x, round, true), h);
    }
    for (unsigned i = 0; i < 4 * MANY; i++) {
        float x = random_f32();
        uint32_t near = lane_f16_from_f32(x, 0, true);

        if (i & 1) /* most of the above overflow or vanish */
            x = bits_f32((f32_bits(x) & 0x807fffffu) | (uint32_t)(100 + random64() % 45) << 23);
        near = lane_f16_from_f32(x, 0, true);
        if (x == x)
            EQUAL(near, half_bits((_Float16)x));
        if (isfinite(x)) {
            float up = lane_f32_from_f16(lane_f16_from_f32(x, 1, true), true);
            float down = lane_f32_from_f16(lane_f16_from_f32(x, 2, true), true);
            float zero = lane_f32_from_f16(lane_f16_from_f32(x, 3, true), true);
            float other = lane_f32_from_f16(near, true);

            MUST(down <= x && x <= up && (other == up || other == down));
            MUST(zero == (x < 0 ? up : down));
        }
    }
}
END_TEST

/* Distance in units of the last place; 0 for equal NaNs and infinities. */
static int64_t ulps(float a, float b)
{
    if (lane_isnan(a) || lane_isnan(b))
        return lane_isnan(a) && lane_isnan(b) ? 0 : 1 << 30;
    return llabs((int64_t)lane_key_f32(a) - lane_key_f32(b));
}

/* Of the host's libm only a double's worth is taken: its own error is nothing beside a float's. */
START_TEST(transcendental)
{
    const struct wave_fmode fm = {.trig_reduced = true}, fm9 = {.trig_reduced = false};

    for (unsigned i = 0; i < MANY; i++) {
        uint32_t r = (uint32_t)random64();
        /* No denormals: the rows flush them. */
        volatile float x = bits_f32((r & 0x7f800000) ? r : r | 0x00800000u);
        volatile float small = bits_f32((r & 0x807fffffu) | (120 + r % 14) << 23); /* below 256 */
        double turn = fabs((double)small);
        float want;

        MUST(ulps(lane_rcp_f32(x), (float)(1.0 / (double)x)) <= 0);
        MUST(ulps(lane_sqrt_f32(x), sqrtf(x)) <= 0);
        MUST(ulps(lane_rsq_f32(x), (float)(1.0 / sqrt((double)x))) <= 0);
        MUST(ulps(lane_log_f32(x), (float)log2((double)x)) <= 1);
        if (fabsf(small) < 126)
            MUST(ulps(lane_exp_f32(small), (float)exp2((double)small)) <= 1);
        if (fabsf(x) < 126)
            MUST(ulps(lane_exp_f32(x), (float)exp2((double)x)) <= 1);
        turn -= floor(turn);
        want = (float)sin(2 * M_PI * turn);
        if (fabs((double)want) > 1e-3) /* nearer to zero M_PI's error shows */
            MUST(ulps(fabsf(lane_sin_f32(small)), fabsf(want)) <= 1);
        want = (float)cos(2 * M_PI * turn);
        if (fabs((double)want) > 1e-3)
            MUST(ulps(lane_cos_f32(small), want) <= 1);
    }
#define fm fm9
    for (int n = -3; n <= 3; n++) {
        CHECK_F32("sin", n, lane_sin_f32((float)n), copysignf(0, (float)n));
        CHECK_F32("cos", n, lane_cos_f32((float)n), 1.0f);
        CHECK_F32("sin", n, lane_sin_f32((float)n + 0.25f), 1.0f);
        CHECK_F32("cos", n, lane_cos_f32((float)n + 0.5f), -1.0f);
    }
#undef fm
    CHECK_F32("sin", 257.25, lane_sin_f32(257.25f), 0.0f);
    CHECK_F32("cos", 257.25, lane_cos_f32(257.25f), 1.0f);
    CHECK_F32("sin", 255.25, lane_sin_f32(255.25f), 1.0f);
    for (int e = -126; e < 128; e++) {
        CHECK_F32("exp2", e, lane_exp_f32((float)e), ldexpf(1, e));
        CHECK_F32("log2", e, lane_log_f32(ldexpf(1, e)), (float)e);
    }
}
END_TEST

/* ---- integers ---------------------------------------------------------------------------- */

static uint32_t naive_bfe(uint32_t v, unsigned at, unsigned n, bool sign)
{
    uint32_t r = 0, top = 0;

    for (unsigned i = 0; i < n && at + i < 32; i++) {
        top = v >> (at + i) & 1;
        r |= top << i;
        if (sign && (i + 1 == n || at + i + 1 == 32) && top)
            for (unsigned k = i + 1; k < 32; k++)
                r |= 1u << k;
    }
    return r;
}

START_TEST(integers)
{
    for (unsigned i = 0; i < MANY; i++) {
        uint32_t a = (uint32_t)random64() >> (i % 33 % 32), b = (uint32_t)random64(), rev = 0, sad = 0;
        uint32_t at = b & 31, n = b >> 5 & 31;

        a = i % 33 == 32 ? 0 : a;
        for (unsigned k = 0; k < 32; k++)
            rev |= (a >> k & 1) << (31 - k);
        for (unsigned k = 0; k < 32; k += 8)
            sad += (uint32_t)abs((int)(a >> k & 255) - (int)(b >> k & 255));
        EQUAL(lane_brev(a), rev);
        EQUAL(lane_sad_u8(a, b), sad);
        EQUAL(lane_popcount(a), (uint32_t)__builtin_popcount(a));
        EQUAL(lane_ffbh_u32(a), a ? (uint32_t)__builtin_clz(a) : UINT32_MAX);
        EQUAL(lane_ffbl_b32(a), a ? (uint32_t)__builtin_ctz(a) : UINT32_MAX);
        EQUAL(lane_ffbh_i32((int32_t)(a >> 1)), lane_ffbh_u32(a >> 1));
        EQUAL(lane_ffbh_i32((int32_t)~(a >> 1)), lane_ffbh_u32(a >> 1));
        EQUAL(lane_bfe_u32(a, at, n), naive_bfe(a, at, n, false));
        EQUAL((uint32_t)lane_bfe_i32((int32_t)a, at, n), naive_bfe(a, at, n, true));
        EQUAL(lane_alignbit(a, b, at), at ? a << (32 - at) | b >> at : b);
    }
}
END_TEST

/* ---- every row at every level ------------------------------------------------------------ */

enum { BATCHES = 6 };

struct team {
    struct isa_solo *s[ISA_LEVELS];
    unsigned n;
    uint32_t *v; /* what the registers hold first */
};

/* A register of one kind of value: bits, floats, halves, high words of doubles, small integers. */
static void fill(uint32_t *v)
{
    for (unsigned r = 0; r < SOLO_VGPRS; r++) {
        unsigned kind = random64() % 6;

        for (unsigned l = 0; l < 64; l++) {
            uint64_t x = random64();
            uint32_t u = (uint32_t)(x >> 32);

            switch (kind) {
            case 0: u = f32_bits(random_f32()); break;
            case 1: u = edges[x % ARRAY_LEN(edges)]; break;
            case 2: u = (u & 0x83ff83ffu) | (uint32_t)(x & 31) << 10 | (uint32_t)(x >> 5 & 31) << 26; break;
            case 3: u = (u & 0x800fffffu) | (uint32_t)(1000 + x % 50) << 20; break;
            case 4: u = u % 70 - 5; break;
            }
            v[r * 64 + l] = u;
        }
    }
}

/* Random words that are this row in this form; false when it has none or they are not found. */
static bool find_words(const struct isa_target *t, enum isa_op op, unsigned enc, unsigned form,
                       uint32_t dw[4], int *n)
{
    unsigned opcode;
    const struct layout *lay = isa_layout_for(t, op, enc, form, &opcode);

    for (unsigned i = 0; lay && i < 3000; i++) {
        struct insn in;

        for (unsigned k = 0; k < 4; k++)
            dw[k] = (uint32_t)random64();
        dw[0] &= ~lay->mask & ~lay->reserved[0];
        dw[1] &= ~lay->reserved[1];
        if (lay->op_lo <= lay->op_hi)
            dw[0] &= ~(uint32_t)(((UINT64_C(2) << (lay->op_hi - lay->op_lo)) - 1) << lay->op_lo);
        dw[0] |= lay->match | opcode << lay->op_lo;
        if (i & 1 && enc != ENC_VOP3 && enc != ENC_VOP3P)
            dw[0] |= form == FORM_PLAIN ? 0x100 : 0; /* src0 a VGPR */
        *n = isa_decode(t, dw, 4, &in);
        if (*n > 0 && in.op == op && in.enc == enc && in.form == form)
            return true;
    }
    return false;
}

static void start(struct team *m, struct isa_solo *s, const uint32_t *dw, int n, uint64_t exec,
                  uint32_t mode, uint64_t salt)
{
    isa_solo_reset(s, exec, mode);
    isa_solo_code(s, dw, (unsigned)n);
    memcpy(s->v, m->v, SOLO_VGPRS * 256);
    for (unsigned i = 0; i < SREG_TBA; i++) {
        salt = salt * 6364136223846793005u + 1442695040888963407u;
        s->w->s[i] = (uint32_t)(salt ^ salt >> 32);
    }
    s->w->s[SREG_M0] = (uint32_t)salt & 0xff;
    isa_run(s->code, s->w, 1);
}

/* How many rows and forms ran. */
static unsigned compare_rows(struct team *m, const struct isa_target *t)
{
    static const struct { uint8_t enc, form; } forms[] = {
        {ENC_VOP2, FORM_PLAIN}, {ENC_VOP1, FORM_PLAIN}, {ENC_VOPC, FORM_PLAIN},
        {ENC_VOP3, FORM_PLAIN}, {ENC_VOP3P, FORM_PLAIN}, {ENC_VOP1, FORM_SDWA},
        {ENC_VOP2, FORM_SDWA}, {ENC_VOPC, FORM_SDWA}, {ENC_VOP1, FORM_DPP}, {ENC_VOP2, FORM_DPP},
        {ENC_VOPC, FORM_DPP},
    };
    unsigned ran = 0;

    for (unsigned op = I_NONE + 1; op < I_COUNT; op++) {
        const struct isa_row *row = &isa_rows[op];

        if (row->enc < ENC_VOP2 || row->enc > ENC_VOP3P || !isa_has(t, (enum isa_op)op) ||
            row->flags & INTERP)
            continue;
        for (unsigned f = 0; f < ARRAY_LEN(forms); f++) {
            uint32_t dw[4];
            int n;

            for (unsigned b = 0; b < BATCHES; b++) {
                uint32_t mode = (uint32_t)random64() & 0x8003ff;
                uint64_t exec = b % 3 ? random64() : UINT64_MAX, salt = random64();

                if (!find_words(t, (enum isa_op)op, forms[f].enc, forms[f].form, dw, &n))
                    break;
                if (b == 0)
                    ran++;
                for (unsigned k = 0; k < m->n; k++) {
                    struct isa_solo *s = m->s[k], *s0 = m->s[0];

                    start(m, s, dw, n, exec, mode, salt);
                    if (k == 0 || (!memcmp(s->v, s0->v, SOLO_VGPRS * 256) &&
                                   !memcmp(s->w->s, s0->w->s, SREG_CONST * 4) &&
                                   s->w->pc_va == s0->w->pc_va && s->w->state == s0->w->state &&
                                   s->w->scc == s0->w->scc))
                        continue;
                    for (unsigned i = 0; i < SOLO_VGPRS * 64; i++)
                        if (s->v[i] != s0->v[i])
                            ck_abort_msg("%s %08x %08x on %s, MODE %x: v%u lane %u is %x, with %s %x",
                                         row->id, dw[0], dw[1], t->name, mode, i / 64, i % 64,
                                         s0->v[i], isa_level_name((enum isa_level)k), s->v[i]);
                    ck_abort_msg("%s %08x %08x on %s, MODE %x: scalar state differs with %s", row->id,
                                 dw[0], dw[1], t->name, mode, isa_level_name((enum isa_level)k));
                }
            }
        }
    }
    return ran;
}

START_TEST(levels)
{
    static const struct { const char *target; unsigned least; } targets[] = {
        {"gfx600", 650}, {"gfx704", 670}, {"gfx803", 1050}, {"gfx900", 1120}, {"gfx906", 1140},
        {"gfx908", 1150}, /* rows and forms that are there, but for a few whose words are rare */
    };
    const struct isa_target *t = isa_target_find(targets[_i].target);
    struct team m = {.n = (unsigned)isa_level_host() + 1};

    m.v = malloc(SOLO_VGPRS * 256);
    for (unsigned k = 0; k < m.n; k++) {
        ck_assert_ptr_nonnull(m.s[k] = isa_solo_create(t, (int)k));
        loud_set_quiet(m.s[k]->loud, true);
    }
    fill(m.v);
    ck_assert_uint_ge(compare_rows(&m, t), targets[_i].least);
    for (unsigned k = 0; k < m.n; k++)
        isa_solo_destroy(m.s[k]);
    free(m.v);
}
END_TEST

/* The words have CLAMP where GFX6/7 have no integer clamp: no text says so, hence no test vector. */
START_TEST(integer_clamp)
{
    static const struct { const char *target; uint32_t bit, want; } cases[] = {
        {"gfx600", 1 << 11, 14}, {"gfx704", 1 << 11, 14}, {"gfx803", 1 << 15, UINT32_MAX}};
    struct isa_solo *s = isa_solo_create(isa_target_find(cases[_i].target), -1);
    uint32_t dw[4];
    struct err e;

    ck_assert_int_eq(isa_assemble(s->target, "v_mad_u32_u24 v0, v1, v1, v2", dw, &e), 2);
    dw[0] |= cases[_i].bit;
    isa_solo_reset(s, 1, 0xf0);
    isa_solo_code(s, dw, 2);
    s->v[64] = 4;
    s->v[128] = 0xfffffffe;
    isa_run(s->code, s->w, 1);
    ck_assert_uint_eq(s->v[0], cases[_i].want);
    isa_solo_destroy(s);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("lane");
    TCase *tc = tcase_create("host"), *rows = tcase_create("levels");
    SRunner *sr;
    int failed;

    tcase_add_test(tc, rounding);
    tcase_add_test(tc, fused);
    tcase_add_test(tc, exponents);
    tcase_add_test(tc, conversions);
    tcase_add_test(tc, halves);
    tcase_add_test(tc, transcendental);
    tcase_add_test(tc, integers);
    tcase_add_loop_test(tc, integer_clamp, 0, 3);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(rows, levels, 0, 6);
    tcase_set_timeout(rows, 120);
    suite_add_tcase(s, tc);
    suite_add_tcase(s, rows);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
