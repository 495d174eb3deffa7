/* Dispatches on several threads: memory (scratch too), counters and reports are those of one thread, whatever the
 * groups do to each other; and groups that have nothing to do with each other do run beside each other. */
#include "base/chip.h"
#include "emu/gpu.h"
#include "emu/internal.h"
#include "isa/isa.h"
#include "pm4/pm4.h"
#include "regs/regs.h"

#include <check.h>
#include <stdlib.h>

#define IB         0x100000000ull
#define CODE       0x100100000ull
#define DATA       0x200000000ull
#define DATA_BYTES 0x400000u
#define SCRATCH    0x200200000ull
#define GROUPS     3000u

/* s[0:1] DATA, s[4:7] a V# of DATA, s[8:11] a swizzled V# of scratch, s12 the group, s13 the scratch offset.
 * v0 the thread; v1 4 * (group * threads + thread). */
#define PROLOGUE                                                                                                \
    "s_mul_i32 s14, s12, s2",                                                                                   \
    "v_add_i32_e32 v1, vcc, s14, v0",                                                                           \
    "v_lshlrev_b32_e32 v1, 2, v1"
#define WORK(rounds)                                                                                            \
    "s_movk_i32 s15, " rounds,                                                                                      \
    "v_mad_u32_u24 v3, v3, v1, s12",                                                                            \
    "s_sub_i32 s15, s15, 1",                                                                                    \
    "s_cmp_lg_u32 s15, 0",                                                                                      \
    "s_cbranch_scc1 65531"
#define SOME_WORK WORK("0x20")
#define MORE_WORK WORK("0x200") /* fewer groups at once */

enum expect { BESIDE, IN_ORDER, MIXED };

static const struct program {
    const char *name;
    unsigned threads;
    enum expect expect;
    bool scratch, faults;
    const char *lines[24];
} programs[] = {
    {"own memory", 64, BESIDE, false, false,
     {PROLOGUE, SOME_WORK, "buffer_store_dword v3, v1, s[4:7], 0 offen", "s_endpgm"}},
    {"own memory, several waves, rows that share pages and lines", 100, BESIDE, false, false,
     {PROLOGUE, SOME_WORK, "buffer_load_dword v4, v1, s[4:7], 0 offen", "s_waitcnt vmcnt(0)",
      "v_add_i32_e32 v3, vcc, v3, v4", "buffer_store_dword v3, v1, s[4:7], 0 offen", "s_endpgm"}},
    {"scattered", 64, BESIDE, false, false,
     {PROLOGUE, SOME_WORK, "v_mul_u32_u24_e32 v2, 0x4d, v0", "v_and_b32_e32 v2, 63, v2",
      "v_add_i32_e32 v2, vcc, s14, v2", "v_lshlrev_b32_e32 v2, 2, v2",
      "buffer_store_dword v3, v2, s[4:7], 0 offen", "s_endpgm"}},
    {"all write one place", 64, IN_ORDER, false, false,
     {PROLOGUE, SOME_WORK, "v_mov_b32_e32 v2, 0", "v_add_i32_e32 v3, vcc, v3, v0",
      "buffer_store_dword v3, v2, s[4:7], 0 offen", "s_endpgm"}},
    {"each reads what the one before it wrote", 1, IN_ORDER, false, false,
     {PROLOGUE, SOME_WORK, "buffer_load_dword v4, v1, s[4:7], 0 offen", "s_waitcnt vmcnt(0)",
      "v_mad_u32_u24 v4, v4, 3, v3", "buffer_store_dword v4, v1, s[4:7], 0 offen offset:4", "s_endpgm"}},
    {"the same through scalar loads", 1, IN_ORDER, false, false,
     {PROLOGUE, SOME_WORK, "s_lshl_b32 s14, s14, 2", "s_buffer_load_dword s15, s[4:7], s14", "s_waitcnt lgkmcnt(0)",
      "v_add_i32_e32 v4, vcc, s15, v3", "buffer_store_dword v4, v1, s[4:7], 0 offen offset:4", "s_endpgm"}},
    {"bytes that share dwords", 33, IN_ORDER, false, false,
     {PROLOGUE, SOME_WORK, "v_lshrrev_b32_e32 v1, 2, v1", "buffer_store_byte v3, v1, s[4:7], 0 offen", "s_endpgm"}},
    {"now and then one that reads another's", 64, MIXED, false, false,
     {PROLOGUE, MORE_WORK, "s_and_b32 s14, s12, 0x3ff", "s_cmp_lg_u32 s14, 0x3ff", "s_cbranch_scc1 5",
      "v_subrev_i32_e32 v2, vcc, 0x100, v1", "buffer_load_dword v3, v2, s[4:7], 0 offen", "s_waitcnt vmcnt(0)",
      "buffer_store_dword v3, v1, s[4:7], 0 offen", "s_endpgm"}},
    {"atomics", 64, IN_ORDER, false, false,
     {PROLOGUE, SOME_WORK, "v_mov_b32_e32 v2, 0", "v_mov_b32_e32 v3, 1",
      "buffer_atomic_add v3, v2, s[4:7], 0 offen glc", "s_waitcnt vmcnt(0)",
      "buffer_store_dword v3, v1, s[4:7], 0 offen offset:64", "s_endpgm"}},
    {"GDS", 64, IN_ORDER, false, false,
     {PROLOGUE, SOME_WORK, "s_mov_b32 m0, 0x1000", "v_mov_b32_e32 v2, 0", "v_mov_b32_e32 v3, 1",
      "ds_add_rtn_u32 v3, v2, v3 gds", "s_waitcnt lgkmcnt(0)", "buffer_store_dword v3, v1, s[4:7], 0 offen",
      "s_endpgm"}},
    {"places and times", 64, BESIDE, false, false,
     {PROLOGUE, SOME_WORK, "s_getreg_b32 s15, hwreg(HW_REG_HW_ID)", "s_memtime s[14:15]", "s_waitcnt lgkmcnt(0)",
      "s_getreg_b32 s15, hwreg(HW_REG_HW_ID)", "v_mov_b32_e32 v3, s15", "v_add_i32_e32 v3, vcc, s14, v3",
      "buffer_store_dword v3, v1, s[4:7], 0 offen", "s_endpgm"}},
    {"scratch", 100, BESIDE, true, false,
     {PROLOGUE, SOME_WORK, "v_mov_b32_e32 v2, 0", "buffer_store_dword v1, v2, s[8:11], s13 offen offset:8",
      "s_waitcnt vmcnt(0)", "buffer_load_dword v4, v2, s[8:11], s13 offen offset:8", "s_waitcnt vmcnt(0)",
      "v_add_i32_e32 v3, vcc, v3, v4", "buffer_store_dword v3, v1, s[4:7], 0 offen", "s_endpgm"}},
    {"a fault in one group", 64, MIXED, false, true,
     {PROLOGUE, MORE_WORK, "s_movk_i32 s15, 0x7d0", "s_cmp_lg_u32 s12, s15", "s_cbranch_scc1 4",
      "v_mov_b32_e32 v4, 0", "v_mov_b32_e32 v5, 0", "flat_store_dword v[4:5], v3",
      "buffer_store_dword v3, v1, s[4:7], 0 offen", "s_endpgm"}},
    {"a group that stops", 64, MIXED, false, true,
     {PROLOGUE, MORE_WORK, "s_movk_i32 s15, 0x7d0", "s_cmp_lg_u32 s12, s15", "s_cbranch_scc1 1", "s_trap 1",
      "buffer_store_dword v3, v1, s[4:7], 0 offen", "s_endpgm"}},
};

static struct atoll_gpu *make(const struct program *p, unsigned threads)
{
    struct atoll_options opt = {.quiet = 1, .threads = threads};
    struct atoll_gpu *gpu = atoll_gpu_create("bonaire", &opt);
    const enum gfx gen = GFX7;
    uint64_t at = CODE;
    struct err e = {{0}};
    const uint32_t user[12] = {
        (uint32_t)DATA, (uint32_t)(DATA >> 32), p->threads, 0,
        (uint32_t)DATA, (uint32_t)(DATA >> 32), SCRATCH - DATA, 0x00027fac,
        (uint32_t)SCRATCH, (uint32_t)(SCRATCH >> 32) | 0x80000000, UINT32_MAX, 0x00e8afac};

#define SET(r, v) atoll_register_write(gpu, regs_by_id(gen, r)->offset, v)
#define F(field, v) regs_insert(gen, field, 0, v)
    ck_assert_ptr_nonnull(gpu);
    ck_assert_int_eq(atoll_map(gpu, IB, 4096, NULL), 0);
    ck_assert_int_eq(atoll_map(gpu, CODE, 4096, NULL), 0);
    ck_assert_int_eq(atoll_map(gpu, DATA, DATA_BYTES, NULL), 0);
    for (const char *const *line = p->lines; *line; line++) {
        uint32_t dw[4];
        int n = isa_assemble(isa_target_find("gfx704"), *line, dw, &e);

        ck_assert_msg(n > 0, "%s: %s", *line, e.text);
        ck_assert_int_eq(atoll_write(gpu, at, dw, 4 * (uint64_t)n), 0);
        at += 4 * (uint64_t)n;
    }
    SET(R_COMPUTE_PGM_LO, (uint32_t)(CODE >> 8));
    SET(R_COMPUTE_PGM_HI, (uint32_t)(CODE >> 40));
    SET(R_COMPUTE_PGM_RSRC1, F(F_COMPUTE_PGM_RSRC1__VGPRS, 1) | F(F_COMPUTE_PGM_RSRC1__SGPRS, 2));
    SET(R_COMPUTE_PGM_RSRC2, F(F_COMPUTE_PGM_RSRC2__USER_SGPR, 12) | F(F_COMPUTE_PGM_RSRC2__TGID_X_EN, 1) |
                                 F(F_COMPUTE_PGM_RSRC2__SCRATCH_EN, 1));
    SET(R_COMPUTE_TMPRING_SIZE,
        F(F_COMPUTE_TMPRING_SIZE__WAVES, 64) | F(F_COMPUTE_TMPRING_SIZE__WAVESIZE, 4));
    SET(R_COMPUTE_NUM_THREAD_X, p->threads);
    SET(R_COMPUTE_NUM_THREAD_Y, 1);
    SET(R_COMPUTE_NUM_THREAD_Z, 1);
    for (unsigned i = 0; i < 12; i++)
        atoll_register_write(gpu, regs_by_id(gen, R_COMPUTE_USER_DATA_0)->offset + 4 * i, user[i]);
    return gpu;
}

static int run(struct atoll_gpu *gpu)
{
    uint32_t ib[] = {pm4_header(PM4_DISPATCH_DIRECT, 4, true), GROUPS, 1, 1,
                     regs_insert(GFX7, F_COMPUTE_DISPATCH_INITIATOR__COMPUTE_SHADER_EN, 0, 1)};
    struct atoll_ib list = {ATOLL_RING_COMPUTE, IB, ARRAY_LEN(ib)};

    ck_assert_int_eq(atoll_write(gpu, IB, ib, sizeof ib), 0);
    return atoll_submit(gpu, &list, 1);
}

static char *report(const struct atoll_gpu *gpu)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    atoll_report(gpu, f);
    fclose(f);
    return text;
}

START_TEST(same_as_one_thread)
{
    const struct program *p = &programs[_i];
    static const unsigned threads[] = {1, 2, 5};
    uint8_t *first = NULL;
    char *counters = NULL, *said = NULL;

    for (unsigned i = 0; i < ARRAY_LEN(threads); i++) {
        struct atoll_gpu *gpu = make(p, threads[i]);
        uint8_t *bytes = malloc(DATA_BYTES);
        int rc = run(gpu);
        char *json, *text;
        uint64_t kept, undone;

        ck_assert_msg(rc == p->faults, "%s: %d %s", p->name, rc, atoll_error(gpu));
        rc = run(gpu); /* again, on what the first left */
        ck_assert_msg(rc == p->faults, "%s: %d %s", p->name, rc, atoll_error(gpu));
        ck_assert_int_eq(atoll_read(gpu, DATA, bytes, DATA_BYTES), 0);
        json = atoll_counters_json(gpu);
        text = report(gpu);
        emu_dispatch_stats(gpu->dispatch, &kept, &undone);
        if (threads[i] == 1) {
            ck_assert_uint_eq(kept + undone, 0);
            first = bytes;
            counters = json;
            said = text;
        } else {
            ck_assert_msg(!memcmp(first, bytes, DATA_BYTES), "%s: memory differs", p->name);
            ck_assert_str_eq(counters, json);
            ck_assert_str_eq(said, text);
            ck_assert_msg(p->expect == BESIDE ? kept >= 2 * (GROUPS - 1) && !undone
                          : p->expect == IN_ORDER ? !kept && undone : kept > 0,
                          "%s: %llu groups kept, %llu undone", p->name, (unsigned long long)kept,
                          (unsigned long long)undone);
            free(bytes);
            free(json);
            free(text);
        }
        atoll_gpu_destroy(gpu);
    }
    free(first);
    free(counters);
    free(said);
}
END_TEST

/* Notes at the edges of pages and of words of the notes. */
START_TEST(touches)
{
    struct mem_touch_set *s = mem_touch_create(2);
    uint32_t *m = aligned_alloc(4096, 16384), before[4096];
    struct mem_vm *vm = mem_vm_create();
    static const struct { unsigned at0, n0, at1, n1; bool w0, w1, kept; } rows[] = {
        {0, 256, 256, 256, true, true, true},   {0, 256, 255, 1, true, true, false},
        {0, 256, 255, 1, true, false, false},   {0, 256, 255, 1, false, true, false},
        {0, 256, 255, 1, false, false, true},   {4000, 200, 4200, 4, true, true, true},
        {4000, 200, 4196, 4, true, true, false},{4000, 9000, 12999, 1, true, false, false},
        {4000, 9000, 13000, 4, true, false, true}, {252, 8, 260, 4, true, true, true},
        {252, 8, 256, 4, true, true, false},
    };

    for (unsigned r = 0; r < ARRAY_LEN(rows); r++) {
        for (unsigned i = 0; i < 4096; i++)
            m[i] = before[i] = i;
        mem_touch_begin(s);
        if (mem_touch(mem_touch_of(s, 0), (char *)m + rows[r].at0, rows[r].n0, rows[r].w0) && rows[r].w0)
            memset((char *)m + rows[r].at0, 1, rows[r].n0);
        if (mem_touch(mem_touch_of(s, 1), (char *)m + rows[r].at1, rows[r].n1, rows[r].w1) && rows[r].w1)
            memset((char *)m + rows[r].at1, 2, rows[r].n1);
        ck_assert_msg(mem_touch_end(s, vm) == rows[r].kept, "row %u", r);
        ck_assert_msg(!memcmp(m, before, sizeof before) == (!rows[r].kept || (!rows[r].w0 && !rows[r].w1)), "row %u", r);
    }
    mem_touch_destroy(s);
    mem_vm_destroy(vm);
    free(m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dispatch on threads");
    TCase *tc = tcase_create("all");
    SRunner *r;
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, same_as_one_thread, 0, ARRAY_LEN(programs));
    tcase_add_test(tc, touches);
    suite_add_tcase(s, tc);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
