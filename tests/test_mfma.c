/* Matrix instructions of gfx908: layout of A, B, C, D, broadcasts, arithmetic.
 *
 * The expected registers come from whole matrices: every element is put where the CDNA ISA manual's
 * formulas say (lane and register of an element, the other way round than isa/mai.c computes it),
 * multiplied as the definition says, and compared. Values are small integers, so that order and
 * rounding do not matter; those have tests of their own. */
#include "isa/solo.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

enum kind { F32, F16, BF16, I8 };

static const struct {
    const char *name;
    enum kind kind;
    unsigned m, k, blocks;
} rows[] = {
    {"v_mfma_f32_32x32x1f32", F32, 32, 1, 2},   {"v_mfma_f32_16x16x1f32", F32, 16, 1, 4},
    {"v_mfma_f32_4x4x1f32", F32, 4, 1, 16},     {"v_mfma_f32_32x32x2f32", F32, 32, 2, 1},
    {"v_mfma_f32_16x16x4f32", F32, 16, 4, 1},   {"v_mfma_f32_32x32x4f16", F16, 32, 4, 2},
    {"v_mfma_f32_16x16x4f16", F16, 16, 4, 4},   {"v_mfma_f32_4x4x4f16", F16, 4, 4, 16},
    {"v_mfma_f32_32x32x8f16", F16, 32, 8, 1},   {"v_mfma_f32_16x16x16f16", F16, 16, 16, 1},
    {"v_mfma_i32_32x32x4i8", I8, 32, 4, 2},     {"v_mfma_i32_16x16x4i8", I8, 16, 4, 4},
    {"v_mfma_i32_4x4x4i8", I8, 4, 4, 16},       {"v_mfma_i32_32x32x8i8", I8, 32, 8, 1},
    {"v_mfma_i32_16x16x16i8", I8, 16, 16, 1},   {"v_mfma_f32_32x32x2bf16", BF16, 32, 2, 2},
    {"v_mfma_f32_16x16x2bf16", BF16, 16, 2, 4}, {"v_mfma_f32_4x4x2bf16", BF16, 4, 2, 16},
    {"v_mfma_f32_32x32x4bf16", BF16, 32, 4, 1}, {"v_mfma_f32_16x16x8bf16", BF16, 16, 8, 1},
};

static uint32_t rng = 1;

static int small(void)
{
    rng = rng * 1664525u + 1013904223u;
    return (int)(rng >> 24) % 19 - 9;
}

static uint16_t half_bits(int v)
{
    _Float16 h = (_Float16)v;
    uint16_t u;

    memcpy(&u, &h, sizeof u);
    return u;
}

static void run(struct isa_solo *s, const char *text)
{
    uint32_t dw[8];
    struct err e = {""};
    int n = isa_assemble(s->target, text, dw, &e);

    ck_assert_msg(n > 0, "%s: %s", text, e.text);
    isa_solo_code(s, dw, (unsigned)n);
    s->w->pc_va = SOLO_CODE_VA;
    s->w->state = WAVE_READY;
    isa_run(s->code, s->w, 1);
    ck_assert_int_eq(s->w->state, WAVE_READY);
}

/* One element of A or B into v[base ..]: item `i` of lane l. */
static void put(uint32_t *v, unsigned base, enum kind kind, unsigned l, unsigned i, int value)
{
    uint32_t *r = v + 64 * base;

    switch (kind) {
    case F32:
        r[l] = f32_bits((float)value);
        break;
    case F16:
        r[64 * (i / 2) + l] |= (uint32_t)half_bits(value) << (16 * (i % 2));
        break;
    case BF16:
        r[l] |= f32_bits((float)value) >> 16 << (16 * i);
        break;
    case I8:
        r[l] |= (uint32_t)(value & 0xff) << (8 * i);
    }
}

struct place {
    unsigned item, lane;
};

/* Where element (i, j) of block b of C and D is: the manual's H, B_I, M_I, G. */
static struct place place_of(unsigned m, unsigned b, unsigned i, unsigned j)
{
    unsigned h = 4, per = 64 * h / (m * m), b_i = per ? per : 1, m_i = 64 / b_i / m;
    unsigned g = m / (h * m_i);

    return (struct place){i % h + h * (i / (h * m_i) + g * (b / b_i)),
                          j + m * (i / h % m_i + m_i * (b % b_i))};
}

static int a[16][32][16], b[16][16][32], c[16][32][32];

static void check_row(struct isa_solo *s, unsigned row, unsigned cbsz, unsigned abid,
                      unsigned blgp, unsigned exec)
{
    unsigned m = rows[row].m, k = rows[row].k, blocks = rows[row].blocks;
    enum kind kind = rows[row].kind;
    unsigned held = k * m * blocks / 64, regs = m * m * blocks / 64, wide = kind == F16 ? 2 : 1;
    char text[128], ra[16], rb[16];

    isa_solo_reset(s, exec, 0xf0);
    run(s, "v_accvgpr_write_b32 a0, 0"); /* takes the registers */
    for (unsigned n = 0; n < blocks; n++) {
        for (unsigned i = 0; i < m; i++) {
            for (unsigned x = 0; x < k; x++) {
                unsigned lane = i + m * (n + blocks * (x / held));

                a[n][i][x] = small();
                b[n][x][i] = small();
                put(s->v, 0, kind, lane, x % held, a[n][i][x]);
                put(s->v, 2, kind, lane, x % held, b[n][x][i]);
            }
            for (unsigned j = 0; j < m; j++) {
                struct place p = place_of(m, n, i, j);
                int v = c[n][i][j] = small();

                s->w->acc[64 * (32 + p.item) + p.lane] =
                    kind == I8 ? (uint32_t)v : f32_bits((float)v);
            }
        }
    }
    snprintf(ra, sizeof ra, wide > 1 ? "v[0:1]" : "v0");
    snprintf(rb, sizeof rb, wide > 1 ? "v[2:3]" : "v2");
    snprintf(text, sizeof text, "%s a[0:%u], %s, %s, a[32:%u] cbsz:%u abid:%u blgp:%u",
             rows[row].name, regs - 1, ra, rb, 31 + regs, cbsz, abid, blgp);
    run(s, text);
    for (unsigned n = 0; n < blocks; n++) {
        unsigned from = n / (1u << cbsz) * (1u << cbsz) + (cbsz ? abid : 0);

        for (unsigned i = 0; i < m; i++) {
            for (unsigned j = 0; j < m; j++) {
                struct place p = place_of(m, n, i, j);
                uint32_t got = s->w->acc[64 * p.item + p.lane], want;
                int sum = c[n][i][j];

                for (unsigned x = 0; x < k; x++) {
                    unsigned l = j + m * (n + blocks * (x / held)), column, group;

                    if (blgp == 1)
                        l %= 32;
                    else if (blgp == 2)
                        l = 32 + l % 32;
                    else if (blgp == 3)
                        l = (l + 16) % 64;
                    else if (blgp > 3)
                        l = 16 * (blgp - 4) + l % 16;
                    column = l % m;
                    group = l / m; /* block + blocks * (k / held) */
                    sum += a[from][i][x] *
                           b[group % blocks][group / blocks * held + x % held][column];
                }
                want = kind == I8 ? (uint32_t)sum : f32_bits((float)sum);
                ck_assert_msg(got == want, "%s: block %u row %u column %u: %x, not %x", text, n,
                              i, j, got, want);
            }
        }
    }
}

START_TEST(layout)
{
    struct isa_solo *s = isa_solo_create(isa_target_find("gfx908"), -1);

    check_row(s, (unsigned)_i, 0, 0, 0, ~0u);
    check_row(s, (unsigned)_i, 0, 0, 0, 0); /* EXEC is ignored */
    isa_solo_destroy(s);
}
END_TEST

START_TEST(broadcasts)
{
    struct isa_solo *s = isa_solo_create(isa_target_find("gfx908"), -1);

    for (unsigned cbsz = 1; 1u << cbsz <= rows[_i].blocks; cbsz++)
        for (unsigned abid = 0; abid < 1u << cbsz; abid++)
            check_row(s, (unsigned)_i, cbsz, abid, 0, 1);
    for (unsigned blgp = 1; blgp < 8; blgp++)
        check_row(s, (unsigned)_i, 0, 0, blgp, 1);
    isa_solo_destroy(s);
}
END_TEST

/* ---- arithmetic -------------------------------------------------------------------------- */

static uint32_t mfma1(struct isa_solo *s, const char *name, const char *ra, const char *rb,
                      const uint32_t in[4], uint32_t acc)
{
    char text[96];

    isa_solo_reset(s, ~UINT64_C(0), 0);
    run(s, "v_accvgpr_write_b32 a0, 0");
    for (unsigned l = 0; l < 64; l++) {
        for (unsigned i = 0; i < 4; i++)
            s->v[64 * i + l] = in[i];
        for (unsigned i = 0; i < 4; i++)
            s->w->acc[64 * i + l] = acc;
    }
    snprintf(text, sizeof text, "%s a[0:3], %s, %s, a[0:3]", name, ra, rb);
    run(s, text);
    for (unsigned l = 1; l < 64; l++)
        ck_assert_uint_eq(s->w->acc[l], s->w->acc[0]);
    return s->w->acc[0];
}

static uint32_t f16x4(struct isa_solo *s, const uint16_t a4[4], const uint16_t b4[4], uint32_t acc)
{
    uint32_t in[4] = {a4[0] | (uint32_t)a4[1] << 16, a4[2] | (uint32_t)a4[3] << 16,
                      b4[0] | (uint32_t)b4[1] << 16, b4[2] | (uint32_t)b4[3] << 16};

    return mfma1(s, "v_mfma_f32_4x4x4f16", "v[0:1]", "v[2:3]", in, acc);
}

static uint32_t bf16x2(struct isa_solo *s, uint32_t a2, uint32_t b2, uint32_t acc)
{
    uint32_t in[4] = {a2, 0, b2, 0};

    return mfma1(s, "v_mfma_f32_4x4x2bf16", "v0", "v2", in, acc);
}

static uint32_t f32x1(struct isa_solo *s, uint32_t a1, uint32_t b1, uint32_t acc)
{
    uint32_t in[4] = {a1, 0, b1, 0};

    return mfma1(s, "v_mfma_f32_4x4x1f32", "v0", "v2", in, acc);
}

#define HALVES(...) (const uint16_t[4]){__VA_ARGS__}

START_TEST(arithmetic)
{
    struct isa_solo *s = isa_solo_create(isa_target_find("gfx908"), -1);
    const uint32_t one = 0x3f800000, inf = 0x7f800000, two24 = 0x4b800000;

    /* One rounding of the whole sum: 2^24 + 1/2 + 1/2 + 1/2 + 1/2 = 2^24 + 2. */
    ck_assert_uint_eq(f16x4(s, HALVES(0x3800, 0x3800, 0x3800, 0x3800),
                            HALVES(0x3c00, 0x3c00, 0x3c00, 0x3c00), two24), two24 + 1);
    /* A tie goes to even: 2^24 + 1; what lies below breaks it. */
    ck_assert_uint_eq(f16x4(s, HALVES(0x3c00, 0, 0, 0), HALVES(0x3c00, 0, 0, 0), two24), two24);
    ck_assert_uint_eq(f16x4(s, HALVES(0x3c00, 1, 0, 0), HALVES(0x3c00, 1, 0, 0), two24), two24 + 1);
    ck_assert_uint_eq(f16x4(s, HALVES(0x3c00, 0x8001, 0, 0), HALVES(0x3c00, 1, 0, 0), two24 + 1),
                      two24 + 1);
    /* Great terms that cancel leave the small one whole. */
    ck_assert_uint_eq(f16x4(s, HALVES(0x7bff, 1, 0xfbff, 0), HALVES(0x7bff, 1, 0x7bff, 0), 0),
                      0x27800000);
    /* Denormals are kept, of halves and of floats. */
    ck_assert_uint_eq(f16x4(s, HALVES(1, 0, 0, 0), HALVES(0x3c00, 0, 0, 0), 0), 0x33800000);
    ck_assert_uint_eq(f32x1(s, 1, one, 0), 1);
    ck_assert_uint_eq(f32x1(s, 0x00800000, 0x3f000000, 0x80000001), 0x003fffff);
    ck_assert_uint_eq(bf16x2(s, 0x00010001, 0x3f803f80, 0), 0x00020000);
    ck_assert_uint_eq(bf16x2(s, 0x00010000, 0x00010000, 1), 1);
    /* bf16: two products at once; f32: fused. */
    ck_assert_uint_eq(bf16x2(s, 0x3f003f00, 0x3f803f80, two24), two24);
    ck_assert_uint_eq(bf16x2(s, 0x3f003f80, 0x3f803f80, two24), two24 + 1);
    ck_assert_uint_eq(bf16x2(s, 0x7f7f7f7f, 0xff7f7f7f, 0), 0);
    ck_assert_uint_eq(f32x1(s, 0x3f800001, 0x3f800001, 0xbf800002), 0x28800000);
    /* Overflow, infinities, NaNs, zeros. */
    ck_assert_uint_eq(bf16x2(s, 0x7f7f0000, 0x7f7f0000, 0), inf);
    ck_assert_uint_eq(bf16x2(s, 0x7f7f, 0x3f80, 0x7f7fffff), inf);
    ck_assert_uint_eq(f16x4(s, HALVES(0x7c00, 0, 0, 0), HALVES(0x3c00, 0, 0, 0), one), inf);
    ck_assert_uint_eq(f16x4(s, HALVES(0x7c00, 0, 0, 0), HALVES(0, 0, 0, 0), one), 0xffc00000);
    ck_assert_uint_eq(f16x4(s, HALVES(0x7c00, 0xfc00, 0, 0), HALVES(0x3c00, 0x3c00, 0, 0), one),
                      0xffc00000);
    ck_assert_uint_eq(f16x4(s, HALVES(0x7c01, 0, 0, 0), HALVES(0x7e02, 0, 0, 0), one), 0x7fc02000);
    ck_assert_uint_eq(bf16x2(s, 0, 0, 0x7f800001), 0x7fc00001);
    ck_assert_uint_eq(bf16x2(s, 0x80008000, 0, 0x80000000), 0x80000000);
    ck_assert_uint_eq(bf16x2(s, 0x80008000, 0, 0), 0);
    isa_solo_destroy(s);
}
END_TEST

/* The moves obey EXEC; registers beyond the allocation are reported. */
START_TEST(moves)
{
    struct isa_solo *s = isa_solo_create(isa_target_find("gfx908"), -1);

    isa_solo_reset(s, 6, 0);
    run(s, "v_accvgpr_write_b32 a255, 1.0");
    ck_assert_uint_eq(s->w->acc[255 * 64 + 0], 0);
    ck_assert_uint_eq(s->w->acc[255 * 64 + 1], 0x3f800000);
    ck_assert_uint_eq(s->w->acc[255 * 64 + 2], 0x3f800000);
    wave_set_exec(s->w, 4);
    run(s, "v_accvgpr_read_b32 v1, a255");
    ck_assert_uint_eq(s->v[64 + 1], 0);
    ck_assert_uint_eq(s->v[64 + 2], 0x3f800000);
    ck_assert_uint_eq(loud_count(s->loud), 0);
    s->w->num_vgprs = 2;
    run(s, "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[4:7]");
    ck_assert_uint_ne(loud_count(s->loud), 0);
    isa_solo_destroy(s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mfma");
    TCase *t = tcase_create("mfma");
    SRunner *r;
    int failed;

    tcase_add_loop_test(t, layout, 0, (int)ARRAY_LEN(rows));
    tcase_add_loop_test(t, broadcasts, 0, (int)ARRAY_LEN(rows));
    tcase_add_test(t, arithmetic);
    tcase_add_test(t, moves);
    suite_add_tcase(suite, t);
    r = srunner_create(suite);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
