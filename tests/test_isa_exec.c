/* The interpreter: the loop, the code cache, faults. What instructions compute is the business of
 * testvectors/isa. */
#include "isa/isa.h"
#include "isa/exec.h"

#include <check.h>
#include <stdlib.h>

enum { CODE_VA = 0x100000, VGPRS = 64 };

struct machine {
    struct mem_vm *vm;
    struct loud *loud;
    struct isa_code *code;
    struct wave *w;
    uint32_t *v, *text;
};

static uint8_t *no_gds(struct wave *w, uint32_t *bytes)
{
    *bytes = 0;
    return NULL;
}
static void no_image(struct wave *w, const struct isa_image *im) {}
static void no_export(struct wave *w, unsigned target, unsigned en, bool compr, bool done, bool vm,
                      const uint32_t *const src[4]) {}
static void no_msg(struct wave *w, uint32_t imm, uint32_t m0) {}
static uint64_t no_time(struct wave *w, bool real)
{
    return 0;
}
static bool no_gws(struct wave *w, unsigned op, uint32_t value)
{
    return true;
}

static unsigned traced;

static void count_trace(struct wave *w, uint64_t pc, const struct insn *in, bool after)
{
    traced++;
}

static const struct wave_ops ops = {no_image, no_export, no_gds, no_msg, no_time, no_gws,
                                    count_trace};

static void start(struct machine *m, const char *target, const char *const *text, unsigned n)
{
    struct err e = {""};

    m->vm = mem_vm_create();
    m->loud = loud_create();
    loud_set_quiet(m->loud, true);
    m->code = isa_code_create(isa_target_find(target), m->vm, m->loud);
    m->text = aligned_alloc(4096, 8192);
    memset(m->text, 0, 8192);
    ck_assert_int_eq(mem_map(m->vm, CODE_VA, 8192, m->text, MEM_RWX, &e), 0);
    for (unsigned i = 0, at = 0; i < n; i++) {
        uint32_t dw[4];
        int k = isa_assemble(isa_target_find(target), text[i], dw, &e);

        ck_assert_msg(k > 0, "%s: %s", text[i], e.text);
        memcpy(m->text + at, dw, 4 * (unsigned)k);
        at += (unsigned)k;
    }
    m->v = aligned_alloc(64, VGPRS * 256);
    memset(m->v, 0, VGPRS * 256);
    m->w = aligned_alloc(64, align_up(sizeof *m->w, 64));
    memset(m->w, 0, sizeof *m->w);
    m->w->v = m->v;
    m->w->num_vgprs = VGPRS;
    m->w->num_sgprs = 32;
    m->w->gen = isa_target_find(target)->gen;
    m->w->vm = m->vm;
    m->w->loud = m->loud;
    m->w->ops = &ops;
    m->w->id = 1;
    wave_reset(m->w, CODE_VA, ~UINT64_C(0), 0xc0, true, false);
}

static void stop(struct machine *m)
{
    isa_code_destroy(m->code);
    mem_vm_destroy(m->vm);
    loud_destroy(m->loud);
    free(m->v);
    free(m->w);
    free(m->text);
}

#define START(m, target, ...) do { \
        static const char *const text_[] = {__VA_ARGS__}; \
        start(m, target, text_, ARRAY_LEN(text_)); \
    } while (0)

START_TEST(straight_line)
{
    struct machine m;

    START(&m, "gfx704", "v_mov_b32 v0, 2.0", "s_mov_b32 s1, 0x40400000",
          "v_mul_f32 v1, s1, v0", "v_add_f32 v2, v1, v0", "v_mac_f32 v2, v0, v0", "s_endpgm");
    m.w->s[4] = 7;
    ck_assert_uint_eq(isa_run(m.code, m.w, 1000), 6);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    ck_assert_uint_eq(m.v[64 + 63], f32_bits(6));
    ck_assert_uint_eq(m.v[128], f32_bits(12));
    ck_assert_uint_eq(m.w->counters.insts[CLASS_VALU], 4);
    ck_assert_uint_eq(m.w->counters.valu_lanes, 256);
    ck_assert_uint_eq(m.w->counters.insts[CLASS_SALU], 1);
    stop(&m);
}
END_TEST

START_TEST(exec_mask)
{
    struct machine m;

    START(&m, "gfx704", "v_mov_b32 v0, 5", "s_mov_b64 exec, 0xf0", "v_mov_b32 v0, 7",
          "v_cmp_eq_u32 vcc, 7, v0", "s_endpgm");
    isa_run(m.code, m.w, 1000);
    for (unsigned l = 0; l < 64; l++)
        ck_assert_uint_eq(m.v[l], l >= 4 && l < 8 ? 7 : 5);
    ck_assert_uint_eq(wave_s64(m.w, SREG_VCC), 0xf0);
    stop(&m);
}
END_TEST

START_TEST(loop_and_budget)
{
    struct machine m;

    START(&m, "gfx704", "s_movk_i32 s0, 10", "s_sub_u32 s0, s0, 1", "s_cmp_lg_u32 s0, 0",
          "s_cbranch_scc1 65533", "s_endpgm");
    ck_assert_uint_eq(isa_run(m.code, m.w, 5), 5);
    ck_assert_int_eq(m.w->state, WAVE_READY);
    ck_assert_uint_eq(m.w->pc_va, CODE_VA + 8);
    ck_assert_uint_eq(isa_run(m.code, m.w, 1), 1);
    ck_assert_uint_eq(isa_run(m.code, m.w, 1000), 1 + 30 + 1 - 6);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    stop(&m);
}
END_TEST

START_TEST(faults)
{
    struct machine m;

    START(&m, "gfx704", "s_branch 0x3000");
    isa_run(m.code, m.w, 1000);
    ck_assert_int_eq(m.w->state, WAVE_HALTED);
    ck_assert_ptr_nonnull(strstr(m.w->why, "unmapped"));
    ck_assert_uint_eq(m.w->pc_va, CODE_VA + 4 + 4 * 0x3000);
    ck_assert_uint_gt(loud_count(m.loud), 0);
    stop(&m);

    START(&m, "gfx704", "s_nop 0");
    m.text[1] = 0xffffffff;
    isa_run(m.code, m.w, 1000);
    ck_assert_int_eq(m.w->state, WAVE_HALTED);
    ck_assert_uint_eq(m.w->pc_va, CODE_VA + 4);
    ck_assert_ptr_nonnull(strstr(m.w->why, "illegal"));
    stop(&m);
}
END_TEST

START_TEST(registers_beyond)
{
    struct machine m;

    START(&m, "gfx704", "v_mov_b32 v0, 1", "v_mov_b32 v70, 9", "v_add_i32 v1, vcc, v70, v0",
          "s_mov_b32 s40, 3", "s_mov_b32 s2, s40", "v_mov_b32 v2, s41", "s_endpgm");
    m.w->s[0] = 0x44;
    m.w->s[40] = 0x55;
    m.w->s[41] = 0x66;
    ck_assert_uint_eq(isa_run(m.code, m.w, 100), 7);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    ck_assert_uint_eq(m.v[64], 2); /* v0 + v0 */
    ck_assert_uint_eq(m.w->s[2], 0x44);
    ck_assert_uint_eq(m.w->s[40], 0x55);
    ck_assert_uint_eq(m.v[128], 0x44);
    ck_assert_uint_ge(loud_count(m.loud), 4);
    stop(&m);
}
END_TEST

/* The same for rows that work in whole vectors, and their modifiers: v70 reads 0, s40 too. */
START_TEST(floats_beyond)
{
    struct machine m;

    START(&m, "gfx704", "v_mov_b32 v0, 2.0", "v_mov_b32 v2, 1.0", "v_add_f32 v1, v70, v0",
          "v_mac_f32 v71, v0, v0", "v_mac_f32 v2, s40, v0", "v_mad_f32 v3, -v70, v0, 1.0",
          "v_add_f32_e64 v4, -s40, v0 clamp", "v_add_f32_e64 v72, v0, v0 mul:2",
          "v_add_f64 v[6:7], v[70:71], v[70:71]", "s_endpgm");
    m.w->s[40] = 0x42000000;
    ck_assert_uint_eq(isa_run(m.code, m.w, 100), 10);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    ck_assert_uint_eq(m.v[64], f32_bits(4)); /* v0 + v0 */
    ck_assert_uint_eq(m.v[128 + 63], f32_bits(1));
    ck_assert_uint_eq(m.v[192 + 5], f32_bits(-3));
    ck_assert_uint_eq(m.v[256 + 63], f32_bits(1));
    ck_assert_uint_eq(m.v[6 * 64], 0x40000000); /* twice v[0:1] */
    ck_assert_uint_eq(m.v[7 * 64], 0x40900000);
    stop(&m);
}
END_TEST

/* v_interp_* flush denormals; the next instruction does not where MODE keeps them. */
START_TEST(interp_leaves_the_mode)
{
    static uint8_t lds[256];
    struct machine m;

    START(&m, "gfx704", "s_mov_b32 m0, 0", "v_interp_p1_f32 v0, v1, attr0.x",
          "v_interp_p2_f32 v2, v3, attr0.x", "v_add_f32 v4, v5, v5", "s_endpgm");
    m.w->lds = lds;
    m.w->lds_bytes = sizeof lds;
    store_le32(lds, f32_bits(3));                 /* P0 */
    store_le32(lds + 4, f32_bits(0.5f));          /* P10 */
    store_le32(lds + 32, 0x00400000);             /* P20: flushed */
    m.w->mode = 0xf0;
    for (unsigned l = 0; l < 64; l++) {
        m.v[64 + l] = f32_bits((float)l);
        m.v[128 + l] = 0x80000001;
        m.v[192 + l] = f32_bits(1);
        m.v[320 + l] = 0x00000001;
    }
    wave_set_exec(m.w, ~UINT64_C(2));
    ck_assert_uint_eq(isa_run(m.code, m.w, 100), 5);
    ck_assert_uint_eq(m.v[40], f32_bits(23));
    ck_assert_uint_eq(m.v[1], 0);
    ck_assert_uint_eq(m.v[128 + 63], 0);
    ck_assert_uint_eq(m.v[128 + 1], 0x80000001);
    ck_assert_uint_eq(m.v[256], 2);
    stop(&m);
}
END_TEST

START_TEST(code_changes)
{
    struct machine m;
    struct err e;
    uint32_t dw[4];

    START(&m, "gfx704", "v_mov_b32 v0, 1", "s_endpgm");
    isa_run(m.code, m.w, 100);
    ck_assert_uint_eq(m.v[0], 1);
    ck_assert_int_eq(isa_assemble(isa_code_target(m.code), "v_mov_b32 v0, 2", dw, &e), 1);
    m.text[0] = dw[0];
    wave_reset(m.w, CODE_VA, ~UINT64_C(0), 0, true, false);
    isa_run(m.code, m.w, 100);
    ck_assert_uint_eq(m.v[0], 1); /* not seen before a sync */
    isa_code_sync(m.code);
    wave_reset(m.w, CODE_VA, ~UINT64_C(0), 0, true, false);
    isa_run(m.code, m.w, 100);
    ck_assert_uint_eq(m.v[0], 2);
    stop(&m);
}
END_TEST

START_TEST(trace_hook)
{
    struct machine m;

    START(&m, "gfx704", "v_mov_b32 v0, 1", "s_nop 0", "s_endpgm");
    m.w->trace = true;
    traced = 0;
    ck_assert_uint_eq(isa_run(m.code, m.w, 100), 3);
    ck_assert_uint_eq(traced, 6);
    stop(&m);
}
END_TEST

START_TEST(across_pages)
{
    struct machine m;

    START(&m, "gfx704", "s_nop 0");
    for (unsigned i = 0; i < 2000; i++)
        m.text[i] = m.text[0];
    m.text[2000] = 0xbf810000; /* s_endpgm */
    ck_assert_uint_eq(isa_run(m.code, m.w, 10000), 2001);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    stop(&m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("isa_exec");
    TCase *tc = tcase_create("run");
    SRunner *sr;
    int failed;

    tcase_add_test(tc, straight_line);
    tcase_add_test(tc, exec_mask);
    tcase_add_test(tc, loop_and_budget);
    tcase_add_test(tc, faults);
    tcase_add_test(tc, registers_beyond);
    tcase_add_test(tc, floats_beyond);
    tcase_add_test(tc, interp_leaves_the_mode);
    tcase_add_test(tc, code_changes);
    tcase_add_test(tc, trace_hook);
    tcase_add_test(tc, across_pages);
    suite_add_tcase(s, tc);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
