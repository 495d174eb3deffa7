/* Float exceptions in TRAPSTS: which instruction raises which, by IEEE 754's rules worked out by hand; lanes that are
 * off raise none; they stay until cleared; a trap handler that asks for one gets it. */
#include "isa/exec.h"
#include "isa/solo.h"
#include "regs/regs.h"

#include <check.h>
#include <stdlib.h>

enum { V = 1, D = 2, Z = 4, O = 8, U = 16, X = 32, I = 64 };

#define ONE   0x3f800000u
#define INF   0x7f800000u
#define QNAN  0x7fc00000u
#define SNAN  0x7f800001u
#define MAXF  0x7f7fffffu
#define MINN  0x00800000u /* the smallest normal float */
#define DEN   0x00000001u
#define THIRD 0x3eaaaaabu
#define KEEP  0xf0u       /* MODE: denormals kept */
#define IEEE  0x200u

/* Sources in v1, v2, v3; doubles in v[2:3], v[4:5], v[6:7], of which the upper halves are given. */
static const struct row {
    const char *target, *text;
    uint32_t mode, v[3];
    unsigned excp;
} rows[] = {
    {"gfx704", "v_add_f32 v0, v1, v2", KEEP, {ONE, ONE}, 0},
    {"gfx704", "v_add_f32 v0, v1, v2", KEEP, {ONE, 0x33000000}, X},     /* 1 + 2^-25 */
    {"gfx704", "v_add_f32 v0, v1, v2", KEEP, {ONE, 0x34000000}, 0},     /* 1 + 2^-23 */
    {"gfx704", "v_add_f32 v0, v1, v2", KEEP, {MAXF, MAXF}, O | X},
    {"gfx704", "v_add_f32 v0, v1, v2", KEEP, {MAXF, 0x72800000}, X},    /* a quarter of a unit above */
    {"gfx704", "v_add_f32 v0, v1, v2", KEEP, {INF, INF | 0x80000000}, V},
    {"gfx704", "v_add_f32 v0, v1, v2", KEEP, {INF, INF}, 0},
    {"gfx704", "v_add_f32 v0, v1, -v2", KEEP, {INF, INF}, V},
    {"gfx704", "v_add_f32 v0, v1, |v2|", KEEP, {INF, INF | 0x80000000}, 0},
    {"gfx704", "v_sub_f32 v0, v1, v2", KEEP, {INF, INF}, V},
    {"gfx704", "v_subrev_f32 v0, v1, v2", KEEP, {ONE, 0x33000000}, X},
    {"gfx704", "v_add_f32 v0, v1, v2", KEEP, {SNAN, ONE}, V},
    {"gfx704", "v_add_f32 v0, v1, v2", KEEP, {QNAN, ONE}, 0},
    {"gfx704", "v_add_f32 v0, v1, v2", KEEP, {DEN, 0}, D},
    {"gfx704", "v_add_f32 v0, v1, v2", 0, {DEN, 0}, 0},                 /* flushed */
    {"gfx704", "v_mul_f32 v0, v1, v2", KEEP, {THIRD, THIRD}, X},
    {"gfx704", "v_mul_f32 v0, v1, v2", KEEP, {MINN, THIRD}, U | X},
    {"gfx704", "v_mul_f32 v0, v1, v2", KEEP, {MINN, 0x3f000000}, 0},    /* exact denormals do not underflow */
    {"gfx704", "v_mul_f32 v0, v1, v2", KEEP, {0, INF}, V},
    {"gfx704", "v_mul_legacy_f32 v0, v1, v2", KEEP, {0, INF}, 0},
    {"gfx704", "v_mul_f32 v0, v1, v2", KEEP, {MAXF, 0x40000000}, O | X},
    {"gfx704", "v_mad_f32 v0, v1, v2, v3", KEEP, {0x3f800001, 0x3f800001, 0xbf800002}, X},
    {"gfx704", "v_fma_f32 v0, v1, v2, v3", KEEP, {0x3f800001, 0x3f800001, 0xbf800002}, 0}, /* 2^-46 alone is left */
    {"gfx704", "v_fma_f32 v0, v1, v2, v3", KEEP, {INF, ONE, INF | 0x80000000}, V},
    {"gfx704", "v_fma_f32 v0, v1, v2, v3", KEEP, {INF, 0xbf800000, INF | 0x80000000}, 0},
    {"gfx704", "v_fma_f32 v0, v1, v2, v3", KEEP, {ONE, ONE, 0x00000001}, X | D},
    {"gfx704", "v_min_f32 v0, v1, v2", KEEP | IEEE, {SNAN, ONE}, V},
    {"gfx704", "v_max_f32 v0, v1, v2", KEEP | IEEE, {QNAN, ONE}, 0},
    {"gfx704", "v_med3_f32 v0, v1, v2, v3", KEEP, {ONE, ONE, SNAN}, V},
    {"gfx704", "v_rcp_f32 v0, v1", KEEP, {0}, Z},
    {"gfx704", "v_rcp_f32 v0, v1", KEEP, {0x40400000}, X},              /* 1/3 */
    {"gfx704", "v_rcp_f32 v0, v1", KEEP, {0x40800000}, 0},
    {"gfx704", "v_rcp_f32 v0, v1", KEEP, {DEN}, Z},                     /* the row flushes */
    {"gfx704", "v_rcp_iflag_f32 v0, v1", KEEP, {0}, I},
    {"gfx704", "v_rcp_iflag_f32 v0, v1", KEEP, {0x40400000}, 0},
    {"gfx704", "v_rsq_f32 v0, v1", KEEP, {0}, Z},
    {"gfx704", "v_rsq_f32 v0, v1", KEEP, {0xbf800000}, V},
    {"gfx704", "v_rsq_f32 v0, v1", KEEP, {0x40800000}, 0},
    {"gfx704", "v_sqrt_f32 v0, v1", KEEP, {0x40000000}, X},
    {"gfx704", "v_sqrt_f32 v0, v1", KEEP, {0x41100000}, 0},
    {"gfx704", "v_sqrt_f32 v0, v1", KEEP, {0x80000000}, 0},
    {"gfx704", "v_log_f32 v0, v1", KEEP, {0}, Z},
    {"gfx704", "v_log_f32 v0, v1", KEEP, {0xbf800000}, V},
    {"gfx704", "v_log_f32 v0, v1", KEEP, {0x41000000}, 0},
    {"gfx704", "v_exp_f32 v0, v1", KEEP, {0x43000000}, O | X},          /* 2^128 */
    {"gfx704", "v_exp_f32 v0, v1", KEEP, {0x40400000}, 0},
    {"gfx704", "v_exp_f32 v0, v1", KEEP, {0x3f000000}, X},
    {"gfx704", "v_sin_f32 v0, v1", KEEP, {INF}, V},
    {"gfx704", "v_ldexp_f32 v0, v1, v2", KEEP, {ONE, 128}, O | X},
    {"gfx704", "v_ldexp_f32 v0, v1, v2", KEEP, {ONE, (uint32_t)-149}, 0},
    {"gfx704", "v_ldexp_f32 v0, v1, v2", KEEP, {ONE, (uint32_t)-150}, U | X},
    {"gfx704", "v_div_fixup_f32 v0, v1, v2, v3", KEEP, {INF, 0, ONE}, Z},
    {"gfx704", "v_div_fixup_f32 v0, v1, v2, v3", KEEP, {QNAN, 0, 0}, V},
    {"gfx704", "v_div_fixup_f32 v0, v1, v2, v3", KEEP, {ONE, ONE, ONE}, 0},
    {"gfx704", "v_cvt_i32_f32 v0, v1", KEEP, {0x3fc00000}, X},
    {"gfx704", "v_cvt_i32_f32 v0, v1", KEEP, {0x4f000000}, V},          /* 2^31 */
    {"gfx704", "v_cvt_i32_f32 v0, v1", KEEP, {0xcf000000}, 0},
    {"gfx704", "v_cvt_u32_f32 v0, v1", KEEP, {0xbf800000}, V},
    {"gfx704", "v_cvt_u32_f32 v0, v1", KEEP, {0xbf000000}, X},          /* truncates to 0 */
    {"gfx704", "v_cvt_f32_i32 v0, v1", KEEP, {0x01000001}, X},
    {"gfx704", "v_cvt_f32_u32 v0, v1", KEEP, {0xffffff00}, 0},
    {"gfx704", "v_cvt_f16_f32 v0, v1", KEEP, {0x47800000}, O | X},      /* 65536 */
    {"gfx704", "v_cvt_f16_f32 v0, v1", KEEP, {THIRD}, X},
    {"gfx704", "v_cvt_f16_f32 v0, v1", KEEP, {0x33800000}, 0},          /* 2^-24 */
    {"gfx704", "v_cvt_f16_f32 v0, v1", KEEP, {0x33000000}, U | X},
    {"gfx704", "v_trunc_f32 v0, v1", KEEP, {THIRD}, 0},
    {"gfx704", "v_trunc_f32 v0, v1", KEEP, {SNAN}, V},
    {"gfx704", "v_mov_b32 v0, v1", KEEP, {SNAN}, 0},
    {"gfx704", "v_cmp_lt_f32 vcc, v1, v2", KEEP, {QNAN, ONE}, 0},
    {"gfx704", "v_cmp_lt_f32 vcc, v1, v2", KEEP, {SNAN, ONE}, V},
    {"gfx704", "v_cmps_lt_f32 vcc, v1, v2", KEEP, {QNAN, ONE}, V},
    {"gfx704", "v_cmps_lt_f32 vcc, v1, v2", KEEP, {ONE, ONE}, 0},
    {"gfx704", "v_cmp_class_f32 vcc, v1, v2", KEEP, {SNAN, 1}, 0},
    {"gfx704", "v_cmp_lt_u32 vcc, v1, v2", KEEP, {SNAN, ONE}, 0},
    {"gfx704", "v_add_f64 v[0:1], v[2:3], v[4:5]", KEEP, {0x3ff00000, 0x3c900000}, X},  /* 1 + 2^-54 */
    {"gfx704", "v_add_f64 v[0:1], v[2:3], v[4:5]", KEEP, {0x3ff00000, 0x3cb00000}, 0},  /* 1 + 2^-52 */
    {"gfx704", "v_mul_f64 v[0:1], v[2:3], v[4:5]", KEEP, {0x7fe00000, 0x7fe00000}, O | X},
    {"gfx704", "v_mul_f64 v[0:1], v[2:3], v[4:5]", KEEP, {0x00100000, 0x00100000}, U | X},
    {"gfx704", "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", KEEP, {0x3ff00000, 0x3ff00000, 0x3c900000}, X},
    {"gfx704", "v_rcp_f64 v[0:1], v[2:3]", KEEP, {0x80000000}, Z},
    {"gfx704", "v_sqrt_f64 v[0:1], v[2:3]", KEEP, {0x40000000}, X},
    {"gfx704", "v_cvt_f32_f64 v0, v[2:3]", KEEP, {0x3ff00001}, 0},
    {"gfx704", "v_cvt_f32_f64 v0, v[2:3]", KEEP, {0x47f00000}, O | X},
    {"gfx704", "v_cmp_eq_f64 vcc, v[2:3], v[4:5]", KEEP, {0x7ff80000, 0}, 0},
    {"gfx803", "v_add_f16 v0, v1, v2", KEEP, {0x3c00, 0x1000}, X},      /* 1 + 2^-11 */
    {"gfx803", "v_add_f16 v0, v1, v2", KEEP, {0x3c00, 0x1400}, 0},
    {"gfx803", "v_mul_f16 v0, v1, v2", KEEP, {0x7bff, 0x4000}, O | X},
    {"gfx803", "v_add_f16 v0, v1, v2", KEEP, {0x7c01, 0x3c00}, V},
    {"gfx900", "v_add_f32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD", KEEP,
     {0x00010000, 0}, D},                                               /* the selected word is a denormal float */
    {"gfx900", "v_pk_add_f16 v0, v1, v2", KEEP, {0x3c003c00, 0x10001400}, X},
    {"gfx900", "v_pk_mul_f16 v0, v1, v2", KEEP, {0x3c007bff, 0x3c004000}, O | X},
    {"gfx600", "v_rcp_f32 v0, v1", KEEP, {0}, Z},
};

/* Assemble lines; s_endpgm follows. */
static struct isa_solo *program(const char *target, uint32_t mode, const char *const *lines)
{
    const struct isa_target *t = isa_target_find(target);
    struct isa_solo *s = isa_solo_create(t, -1);
    uint32_t dw[64];
    unsigned n = 0;
    struct err e;

    ck_assert_ptr_nonnull(s);
    for (; *lines; lines++) {
        int k = isa_assemble(t, *lines, dw + n, &e);

        ck_assert_msg(k > 0, "%s: %s", *lines, e.text);
        n += (unsigned)k;
    }
    isa_solo_reset(s, 1, mode);
    isa_solo_code(s, dw, n);
    return s;
}

#define READ "s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS, 0, 9)"

static void set_sources(struct isa_solo *s, const struct row *r)
{
    const bool wide = strstr(r->text, "v[2:3]");

    for (unsigned i = 0; i < 3; i++)
        s->v[64 * (wide ? 2 * i + 3 : i + 1)] = r->v[i];
}

START_TEST(rows_raise)
{
    const struct row *r = &rows[_i];
    struct isa_solo *s = program(r->target, r->mode, (const char *const[]){r->text, READ, NULL});

    set_sources(s, r);
    isa_run(s->code, s->w, 100);
    ck_assert_msg(s->w->s[0] == r->excp, "%s of %08x %08x %08x: 0x%x, not 0x%x", r->text, r->v[0], r->v[1], r->v[2],
                  s->w->s[0], r->excp);
    isa_solo_destroy(s);
    /* The same with all lanes off. */
    s = program(r->target, r->mode, (const char *const[]){r->text, READ, NULL});
    set_sources(s, r);
    wave_set_exec(s->w, 0);
    isa_run(s->code, s->w, 100);
    ck_assert_uint_eq(s->w->s[0], 0);
    isa_solo_destroy(s);
}
END_TEST

START_TEST(they_stay_until_cleared)
{
    struct isa_solo *s = program("gfx704", KEEP, (const char *const[]){
        "v_rcp_f32 v0, v1", "v_mul_f32 v0, v2, v2", "s_getreg_b32 s1, hwreg(HW_REG_TRAPSTS, 0, 9)", "v_clrexcp", READ,
        "v_sqrt_f32 v0, -v3", "s_getreg_b32 s2, hwreg(HW_REG_TRAPSTS, 0, 9)", NULL});

    s->v[128] = MAXF;
    s->v[192] = ONE;
    isa_run(s->code, s->w, 100);
    ck_assert_uint_eq(s->w->s[1], Z | O | X);
    ck_assert_uint_eq(s->w->s[0], 0);
    ck_assert_uint_eq(s->w->s[2], V);
    isa_solo_destroy(s);
}
END_TEST

/* The handler counts in s3, and returns; it is entered for what MODE asks for alone. */
START_TEST(a_handler_gets_them)
{
    const char *const lines[] = {
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 9), 4", /* division by zero */
        "v_mul_f32 v0, v2, v2", "v_rcp_f32 v0, v1", "s_mov_b32 s2, s3", "v_rcp_f32 v0, v1", NULL};
    const char *const handler[] = {"s_add_u32 s3, s3, 1", "s_rfe_b64 ttmp[0:1]", NULL};
    struct isa_solo *s = program("gfx704", KEEP, lines);
    uint32_t *to = s->text + 256;
    struct err e;

    for (unsigned i = 0; handler[i]; i++) {
        int k = isa_assemble(s->target, handler[i], to, &e);

        ck_assert_msg(k > 0, "%s", e.text);
        to += k;
    }
    s->v[128] = MAXF;
    s->w->tba_va = SOLO_CODE_VA + 1024;
    s->w->status |= 1 << 6; /* TRAP_EN */
    isa_trap_addresses(s->w);
    isa_run(s->code, s->w, 100);
    ck_assert_int_eq(s->w->state, WAVE_ENDED);
    ck_assert_uint_eq(s->w->s[2], 1);
    ck_assert_uint_eq(s->w->s[3], 2);
    isa_solo_destroy(s);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("exceptions");
    TCase *tc = tcase_create("all");
    SRunner *r;
    int failed;

    tcase_add_loop_test(tc, rows_raise, 0, ARRAY_LEN(rows));
    tcase_add_test(tc, they_stay_until_cleared);
    tcase_add_test(tc, a_handler_gets_them);
    suite_add_tcase(s, tc);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
