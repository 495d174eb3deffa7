/* Scalar instructions in sequence: what single vectors (testvectors/sop.tv) cannot show: forks and joins,
 * calls, traps, modes that take effect, code that changes. */
#include "isa/isa.h"

#include <check.h>
#include <stdlib.h>

#define CODE_VA    UINT64_C(0x100000)
#define HANDLER_VA UINT64_C(0x102000)
#define CODE_BYTES 16384

struct machine {
    const struct isa_target *target;
    struct mem_vm *vm;
    struct loud *loud;
    struct isa_code *code;
    struct wave *w;
    uint32_t *v, *text;
    unsigned messages;
};

static uint8_t *on_gds(struct wave *w, uint32_t *bytes)
{
    (void)w;
    *bytes = 0;
    return NULL;
}
static void on_image(struct wave *w, const struct isa_image *im)
{
    (void)w, (void)im;
}
static void on_export(struct wave *w, unsigned target, unsigned en, bool compr, bool done, bool vm,
                      const uint32_t *const src[4])
{
    (void)w, (void)target, (void)en, (void)compr, (void)done, (void)vm, (void)src;
}
static void on_msg(struct wave *w, uint32_t imm, uint32_t m0)
{
    (void)imm, (void)m0;
    ((struct machine *)w->ops_ctx)->messages++;
}
static uint64_t on_time(struct wave *w, bool real)
{
    (void)w, (void)real;
    return 0;
}
static bool on_gws(struct wave *w, unsigned op, uint32_t value)
{
    (void)w, (void)op, (void)value;
    return true;
}
static void on_trace(struct wave *w, uint64_t pc, const struct insn *in, bool after)
{
    (void)w, (void)pc, (void)in, (void)after;
}

static const struct wave_ops ops = {on_image, on_export, on_gds, on_msg, on_time, on_gws, on_trace};

/* Assemble lines at a place of the text; returns the dword after them. */
static unsigned put(struct machine *m, unsigned at, const char *const *lines, unsigned n)
{
    struct err e = {""};

    for (unsigned i = 0; i < n; i++) {
        uint32_t dw[4];
        int k = isa_assemble(m->target, lines[i], dw, &e);

        ck_assert_msg(k > 0, "%s: %s", lines[i], e.text);
        ck_assert_uint_le(4 * (at + (unsigned)k), CODE_BYTES);
        memcpy(m->text + at, dw, 4 * (unsigned)k);
        at += (unsigned)k;
    }
    return at;
}

#define PUT(m, at, ...) \
    put(m, at, (const char *const[]){__VA_ARGS__}, \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void start(struct machine *m, enum gfx gen)
{
    struct err e;

    memset(m, 0, sizeof *m);
    m->target = isa_target_default(gen);
    m->vm = mem_vm_create();
    m->loud = loud_create();
    loud_set_quiet(m->loud, true);
    m->code = isa_code_create(m->target, m->vm, m->loud);
    m->text = aligned_alloc(4096, CODE_BYTES);
    memset(m->text, 0, CODE_BYTES);
    ck_assert_int_eq(mem_map(m->vm, CODE_VA, CODE_BYTES, m->text, MEM_RWX, &e), 0);
    m->v = aligned_alloc(64, 8 * 256);
    memset(m->v, 0, 8 * 256);
    m->w = aligned_alloc(64, align_up(sizeof *m->w, 64));
    memset(m->w, 0, sizeof *m->w);
    m->w->v = m->v;
    m->w->num_vgprs = 8;
    m->w->num_sgprs = 100;
    m->w->gen = gen;
    m->w->vm = m->vm;
    m->w->loud = m->loud;
    m->w->ops = &ops;
    m->w->ops_ctx = m;
    m->w->id = 1;
    m->w->tba_va = HANDLER_VA;
    wave_reset(m->w, CODE_VA, ~UINT64_C(0), 0xf0, false, false);
    m->w->status |= 1u << 6; /* TRAP_EN */
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

/* ---- forks ------------------------------------------------------------------------------- */

#define LEVELS 6

/* A tree of forks: level k forks on bit k of the lane number, and the lanes that have it set it in v0. Each
 * fork's two sides end at its join, which the first to come leaves for the other side. Both kinds of
 * fork alternate. Returns the dword after it. */
static unsigned tree(struct machine *m, unsigned at, unsigned level)
{
    char line[64];
    unsigned fork, fail_end, pass;

    if (level == LEVELS)
        return at;
    /* The side that comes second finds the stack one lower: each fork keeps what its join wants. */
    snprintf(line, sizeof line, "s_getreg_b32 s%u, hwreg(HW_REG_MODE, 29, 3)", 70 + level);
    at = PUT(m, at, line);
    if (level & 1) {
        /* The address of the passing side: from the PC, patched below. */
        at = PUT(m, at, "s_getpc_b64 s[60:61]", "s_add_u32 s60, s60, 0x7f7f7f7f");
    }
    fork = at++;
    at = tree(m, at, level + 1);
    fail_end = at++;
    pass = at;
    snprintf(line, sizeof line, "v_or_b32 v0, %u, v0", 1u << level);
    at = PUT(m, at, line);
    at = tree(m, at, level + 1);
    snprintf(line, sizeof line, "s_branch %u", at - fail_end - 1);
    PUT(m, fail_end, line);
    if (level & 1) {
        m->text[fork - 1] = 4 * (pass - (fork - 2)); /* s_getpc is two instructions before */
        snprintf(line, sizeof line, "s_cbranch_g_fork s[%u:%u], s[60:61]", 40 + 2 * level,
                 41 + 2 * level);
    } else {
        snprintf(line, sizeof line, "s_cbranch_i_fork s[%u:%u], %u", 40 + 2 * level, 41 + 2 * level,
                 pass - fork - 1);
    }
    PUT(m, fork, line);
    snprintf(line, sizeof line, "s_cbranch_join s%u", 70 + level);
    return PUT(m, at, line);
}

START_TEST(forks)
{
    struct machine m;
    unsigned at;

    start(&m, (enum gfx)_i);
    at = tree(&m, 0, 0);
    PUT(&m, at, "s_endpgm");
    for (unsigned k = 0; k < LEVELS; k++) {
        uint64_t mask = 0;

        for (unsigned l = 0; l < 64; l++)
            mask |= (uint64_t)(l >> k & 1) << l;
        m.w->s[40 + 2 * k] = (uint32_t)mask;
        m.w->s[41 + 2 * k] = (uint32_t)(mask >> 32);
    }
    isa_run(m.code, m.w, 100000);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    for (unsigned l = 0; l < 64; l++)
        ck_assert_uint_eq(m.v[l], l);
    ck_assert_uint_eq(m.w->mode, 0xf0); /* the stack is empty */
    ck_assert_uint_eq(loud_count(m.loud), 0);
    stop(&m);
}
END_TEST

START_TEST(fork_overflow)
{
    struct machine m;

    start(&m, (enum gfx)_i);
    /* Eight forks, of which each keeps half of the lanes and none joins: more than CSP can count,
     * and than there are lanes for: the last ones are given new lanes. */
    for (unsigned i = 0; i < 8; i++)
        PUT(&m, 2 * i, "s_mov_b64 exec, -1", "s_cbranch_i_fork s[40:41], 0");
    PUT(&m, 16, "s_endpgm");
    m.w->s[40] = 1;
    isa_run(m.code, m.w, 1000);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    ck_assert_uint_eq(loud_count(m.loud), 1);
    ck_assert_uint_eq(m.w->mode, 0xf0); /* three bits */
    stop(&m);
}
END_TEST

/* ---- calls, traps ------------------------------------------------------------------------ */

START_TEST(subroutine)
{
    struct machine m;

    start(&m, (enum gfx)_i);
    PUT(&m, 0, "s_getpc_b64 s[2:3]", "s_add_u32 s2, s2, 28", "s_swappc_b64 s[4:5], s[2:3]",
        "s_swappc_b64 s[4:5], s[2:3]", "s_endpgm", "s_endpgm", "s_endpgm", "s_endpgm",
        "s_add_u32 s0, s0, 5", "s_setpc_b64 s[4:5]");
    isa_run(m.code, m.w, 3);
    ck_assert_uint_eq(m.w->pc_va, CODE_VA + 32);
    isa_run(m.code, m.w, 2);
    ck_assert_uint_eq(m.w->pc_va, CODE_VA + 12);
    /* The second call goes to the same place: s[2:3] is what it was. */
    isa_run(m.code, m.w, 100);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    ck_assert_uint_eq(m.w->s[0], 10);
    ck_assert_uint_eq(m.w->pc_va, CODE_VA + 20);
    stop(&m);
}
END_TEST

/* The handler keeps the trap's number, steps over it and returns. */
START_TEST(trap_handler)
{
    struct machine m;

    start(&m, (enum gfx)_i);
    PUT(&m, 0, "s_mov_b32 s0, 1", "s_trap 0x2a", "s_add_u32 s0, s0, 1", "s_mov_b32 s1, ttmp0",
        "s_endpgm");
    PUT(&m, (HANDLER_VA - CODE_VA) / 4, "s_getreg_b32 s6, hwreg(HW_REG_STATUS, 5, 1)",
        "s_bfe_u32 s7, ttmp1, 0x80010", "s_add_u32 ttmp0, ttmp0, 4",
        "s_addc_u32 ttmp1, ttmp1, 0", "s_and_b32 ttmp1, ttmp1, 0xffff", "s_rfe_b64 ttmp[0:1]");
    m.w->s[1] = 99;
    isa_run(m.code, m.w, 1000);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    ck_assert_uint_eq(m.w->s[0], 2);
    ck_assert_uint_eq(m.w->s[6], 1);
    ck_assert_uint_eq(m.w->s[7], 0x2a);
    ck_assert_uint_eq(m.w->s[1], 0); /* outside it sees nothing of the handler's registers */
    ck_assert_uint_eq(loud_count(m.loud), 1);
    ck_assert_uint_eq(m.w->insts_run, 11);
    stop(&m);
}
END_TEST

/* What the handler leaves in STATUS.HALT counts when it returns. */
START_TEST(handler_halts)
{
    struct machine m;

    start(&m, (enum gfx)_i);
    PUT(&m, 0, "s_trap 1", "s_mov_b32 s0, 1", "s_endpgm");
    PUT(&m, (HANDLER_VA - CODE_VA) / 4, "s_sethalt 1", "s_mov_b32 s2, 1",
        "s_add_u32 ttmp0, ttmp0, 4", "s_and_b32 ttmp1, ttmp1, 0xffff", "s_rfe_b64 ttmp[0:1]");
    isa_run(m.code, m.w, 1000);
    ck_assert_int_eq(m.w->state, WAVE_HALTED);
    ck_assert_uint_eq(m.w->s[2], 1);
    ck_assert_uint_eq(m.w->s[0], 0);
    ck_assert_uint_eq(m.w->pc_va, CODE_VA + 4);
    stop(&m);
}
END_TEST

/* ---- modes ------------------------------------------------------------------------------- */

START_TEST(rounding_follows_mode)
{
    struct machine m;

    start(&m, (enum gfx)_i);
    PUT(&m, 0, "s_mov_b32 s0, 0x30800000", "v_mov_b32 v0, 1.0", "v_add_f32 v1, s0, v0",
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1", "v_add_f32 v2, s0, v0",
        "s_mov_b32 s1, 2", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s1", "v_add_f32 v3, s0, v0",
        "s_mov_b32 s0, 0x00400000", "v_add_f32 v4, s0, 0", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0",
        "v_add_f32 v5, s0, 0", "s_endpgm");
    isa_run(m.code, m.w, 1000);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    ck_assert_uint_eq(m.v[64], 0x3f800000);
    ck_assert_uint_eq(m.v[128], 0x3f800001);
    ck_assert_uint_eq(m.v[192], 0x3f800000);
    ck_assert_uint_eq(m.v[256], 0x00400000);
    ck_assert_uint_eq(m.v[320], 0);
    stop(&m);
}
END_TEST

START_TEST(vskip)
{
    struct machine m;

    start(&m, (enum gfx)_i);
    PUT(&m, 0, "v_mov_b32 v0, 1", "s_setvskip 1, 0", "v_mov_b32 v0, 2", "v_mov_b32 v1, 2",
        "s_mov_b32 s0, 3", "s_setvskip 0, 0", "v_mov_b32 v2, 4", "s_endpgm");
    isa_run(m.code, m.w, 1000);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    ck_assert_uint_eq(m.v[0], 1);
    ck_assert_uint_eq(m.v[64], 0);
    ck_assert_uint_eq(m.v[128], 4);
    ck_assert_uint_eq(m.w->s[0], 3);
    stop(&m);
}
END_TEST

START_TEST(gpr_indexing)
{
    struct machine m;

    start(&m, (enum gfx)_i);
    PUT(&m, 0, "v_mov_b32 v5, 55", "s_mov_b32 s0, 2", "s_set_gpr_idx_on s0, gpr_idx(SRC0)",
        "v_mov_b32 v1, v3", "s_set_gpr_idx_mode gpr_idx(DST)", "v_mov_b32 v0, 7",
        "s_set_gpr_idx_idx 4", "v_mov_b32 v0, 9", "s_set_gpr_idx_off", "v_mov_b32 v6, 6",
        "s_endpgm");
    isa_run(m.code, m.w, 1000);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    ck_assert_uint_eq(m.v[1 * 64], 55);
    ck_assert_uint_eq(m.v[2 * 64], 7);
    ck_assert_uint_eq(m.v[4 * 64], 9);
    ck_assert_uint_eq(m.v[6 * 64], 6);
    ck_assert_uint_eq(m.v[0], 0);
    stop(&m);
}
END_TEST

/* ---- code that changes, waits, messages -------------------------------------------------- */

START_TEST(icache_inv)
{
    struct machine m;

    start(&m, (enum gfx)_i);
    PUT(&m, 0, "s_add_u32 s0, s0, 1", "s_icache_inv", "s_branch 65533");
    isa_run(m.code, m.w, 3);
    ck_assert_uint_eq(m.w->s[0], 1);
    PUT(&m, 0, "s_add_u32 s0, s0, 16");
    isa_run(m.code, m.w, 3); /* what it runs before the instruction is as it was */
    ck_assert_uint_eq(m.w->s[0], 2);
    isa_run(m.code, m.w, 1);
    ck_assert_uint_eq(m.w->s[0], 18);
    stop(&m);
}
END_TEST

START_TEST(sleep_yields)
{
    struct machine m;

    start(&m, (enum gfx)_i);
    PUT(&m, 0, "s_mov_b32 s0, 1", "s_sleep 1", "s_mov_b32 s0, 2", "s_endpgm");
    ck_assert_uint_eq(isa_run(m.code, m.w, 1000), 2);
    ck_assert_int_eq(m.w->state, WAVE_READY);
    ck_assert_uint_eq(m.w->s[0], 1);
    ck_assert_uint_eq(isa_run(m.code, m.w, 1000), 2);
    ck_assert_int_eq(m.w->state, WAVE_ENDED);
    stop(&m);
}
END_TEST

START_TEST(messages)
{
    struct machine m;

    start(&m, (enum gfx)_i);
    PUT(&m, 0, "s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)", "s_nop 0",
        "s_sendmsghalt sendmsg(MSG_INTERRUPT)", "s_endpgm");
    isa_run(m.code, m.w, 1000);
    ck_assert_int_eq(m.w->state, WAVE_HALTED);
    ck_assert_uint_eq(m.messages, 2);
    ck_assert_uint_eq(m.w->counters.insts[CLASS_MSG], 2);
    stop(&m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sop");
    TCase *t = tcase_create("sequences");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_loop_test(t, forks, GFX6, GFX_COUNT);
    tcase_add_loop_test(t, fork_overflow, GFX6, GFX_COUNT);
    tcase_add_loop_test(t, subroutine, GFX6, GFX_COUNT);
    tcase_add_loop_test(t, trap_handler, GFX6, GFX_COUNT);
    tcase_add_loop_test(t, handler_halts, GFX6, GFX_COUNT);
    tcase_add_loop_test(t, rounding_follows_mode, GFX6, GFX_COUNT);
    tcase_add_loop_test(t, vskip, GFX6, GFX_COUNT);
    tcase_add_loop_test(t, gpr_indexing, GFX8, GFX_COUNT);
    tcase_add_loop_test(t, icache_inv, GFX6, GFX_COUNT);
    tcase_add_loop_test(t, sleep_yields, GFX6, GFX_COUNT);
    tcase_add_loop_test(t, messages, GFX6, GFX_COUNT);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
