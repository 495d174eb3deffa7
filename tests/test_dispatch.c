/* Dispatches through the public interface: what a compute wave starts with, partial
 * groups, where groups run, groups that wait for each other, and everything that must end
 * although the guest would not. */
#include "base/chip.h"
#include "emu/gpu.h"
#include "isa/isa.h"
#include "pm4/pm4.h"
#include "regs/regs.h"

#include <check.h>
#include <stdlib.h>

#define IB         0x100000000ull
#define CODE       0x100100000ull
#define DATA       0x200000000ull
#define DATA_BYTES 0x100000u

static struct atoll_gpu *gpu;
static const struct chip *chip;

static void start(const char *name, uint64_t watchdog)
{
    struct atoll_options opt = {.quiet = 1, .watchdog_insts = watchdog};

    chip = chip_find(name);
    gpu = atoll_gpu_create(name, &opt);
    ck_assert_ptr_nonnull(gpu);
    ck_assert_int_eq(atoll_map(gpu, IB, 4096, NULL), 0);
    ck_assert_int_eq(atoll_map(gpu, CODE, 4096, NULL), 0);
    ck_assert_int_eq(atoll_map(gpu, DATA, DATA_BYTES, NULL), 0);
}

static void set(enum reg_id r, uint32_t v)
{
    atoll_register_write(gpu, regs_by_id(chip->gen, r)->offset, v);
}

static void assemble(uint64_t at, const char *const *lines)
{
    struct err e = {{0}};

    for (; *lines; lines++) {
        uint32_t dw[4];
        int n = isa_assemble(isa_target_find(chip->llvm), *lines, dw, &e);

        ck_assert_msg(n > 0, "%s: %s", *lines, e.text);
        ck_assert_int_eq(atoll_write(gpu, at, dw, 4 * (uint64_t)n), 0);
        at += 4 * (uint64_t)n;
    }
}

/* Assemble a program and point the dispatch registers at it. */
static void program(const char *const *lines)
{
    assemble(CODE, lines);
    set(R_COMPUTE_PGM_LO, (uint32_t)(CODE >> 8));
    set(R_COMPUTE_PGM_HI, (uint32_t)(CODE >> 40));
}

static void threads(unsigned x, unsigned y, unsigned z)
{
    set(R_COMPUTE_NUM_THREAD_X, x);
    set(R_COMPUTE_NUM_THREAD_Y, y);
    set(R_COMPUTE_NUM_THREAD_Z, z);
}

static uint32_t f(enum reg_field_id field, uint32_t v)
{
    return regs_insert(chip->gen, field, 0, v);
}

static int dispatch(uint32_t x, uint32_t y, uint32_t z, uint32_t initiator)
{
    uint32_t ib[] = {pm4_header(PM4_DISPATCH_DIRECT, 4, true), x, y, z,
                     initiator | f(F_COMPUTE_DISPATCH_INITIATOR__COMPUTE_SHADER_EN, 1)};
    struct atoll_ib list = {ATOLL_RING_COMPUTE, IB, ARRAY_LEN(ib)};

    ck_assert_int_eq(atoll_write(gpu, IB, ib, sizeof ib), 0);
    return atoll_submit(gpu, &list, 1);
}

static uint32_t peek(uint64_t va)
{
    uint32_t v = 0;

    ck_assert_int_eq(atoll_read(gpu, va, &v, 4), 0);
    return v;
}

/* ---- the launch state ------------------------------------------------------------- */

/* s[0:1] base, s2 groups in x, s3 groups in x and y; s4..s6 group id, s7 group info, s8
 * scratch offset. Each work-item of a group of at most 8 x 8 x 4 has 16 bytes of the
 * group's 4096. */
static const char *const ids[] = {
    "s_mul_i32 s9, s6, s3",
    "s_mul_i32 s10, s5, s2",
    "s_add_i32 s9, s9, s10",
    "s_add_i32 s9, s9, s4",
    "s_lshl_b32 s9, s9, 12",
    "v_lshlrev_b32_e32 v3, 3, v1",
    "v_or_b32_e32 v3, v3, v0",
    "v_lshlrev_b32_e32 v4, 6, v2",
    "v_or_b32_e32 v3, v3, v4",
    "v_lshlrev_b32_e32 v3, 4, v3",
    "v_or_b32_e32 v3, s9, v3", /* DATA's low half is 0 */
    "v_mov_b32_e32 v4, s1",
    "v_lshlrev_b32_e32 v5, 8, v1",
    "v_or_b32_e32 v5, v5, v0",
    "v_lshlrev_b32_e32 v6, 16, v2",
    "v_or_b32_e32 v5, v5, v6",
    "v_mov_b32_e32 v6, s7",
    "v_mov_b32_e32 v7, s8",
    "v_mov_b32_e32 v8, s3",
    "flat_store_dwordx4 v[3:4], v[5:8]",
    "s_endpgm",
    NULL,
};

static void set_ids_registers(uint32_t gx, uint32_t gy)
{
    set(R_COMPUTE_PGM_RSRC1,
        f(F_COMPUTE_PGM_RSRC1__VGPRS, 2) | f(F_COMPUTE_PGM_RSRC1__SGPRS, 1));
    set(R_COMPUTE_PGM_RSRC2,
        f(F_COMPUTE_PGM_RSRC2__USER_SGPR, 4) | f(F_COMPUTE_PGM_RSRC2__TGID_X_EN, 1) |
            f(F_COMPUTE_PGM_RSRC2__TGID_Y_EN, 1) | f(F_COMPUTE_PGM_RSRC2__TGID_Z_EN, 1) |
            f(F_COMPUTE_PGM_RSRC2__TG_SIZE_EN, 1) |
            f(F_COMPUTE_PGM_RSRC2__SCRATCH_EN, 1) |
            f(F_COMPUTE_PGM_RSRC2__TIDIG_COMP_CNT, 2));
    set(R_COMPUTE_TMPRING_SIZE,
        f(F_COMPUTE_TMPRING_SIZE__WAVES, 32) | f(F_COMPUTE_TMPRING_SIZE__WAVESIZE, 2));
    set(R_COMPUTE_USER_DATA_0, (uint32_t)DATA);
    set(R_COMPUTE_USER_DATA_1, (uint32_t)(DATA >> 32));
    set(R_COMPUTE_USER_DATA_2, gx);
    set(R_COMPUTE_USER_DATA_3, gx * gy);
}

/* Check what group (gx, gy, gz) of size (sx, sy, sz) wrote, and that the rest of its
 * bytes are untouched. */
static void check_group(unsigned group, unsigned sx, unsigned sy, unsigned sz,
                        uint32_t user3)
{
    unsigned waves = (sx * sy * sz + 63) / 64;

    for (unsigned i = 0; i < 256; i++) {
        unsigned x = i % 8, y = i / 8 % 8, z = i / 64;
        uint64_t at = DATA + group * 4096ull + i * 16;

        if (x >= sx || y >= sy || z >= sz) {
            ck_assert_uint_eq(peek(at + 12), 0);
            continue;
        }
        unsigned wave = (x + sx * (y + sy * z)) / 64;

        ck_assert_uint_eq(peek(at), x | y << 8 | z << 16);
        ck_assert_uint_eq(peek(at + 4), waves | wave << 6 | (wave == 0 ? 1u << 31 : 0));
        ck_assert_uint_lt(peek(at + 8), 32 * 2048);
        ck_assert_uint_eq(peek(at + 8) % 2048, 0);
        ck_assert_uint_eq(peek(at + 12), user3);
    }
}

START_TEST(launch_state)
{
    const char *chips[] = {"bonaire", "polaris10", "vega10"};

    start(chips[_i], 0);
    program(ids);
    set_ids_registers(3, 2);
    threads(8, 8, 4);
    ck_assert_msg(
        dispatch(3, 2, 2, f(F_COMPUTE_DISPATCH_INITIATOR__FORCE_START_AT_000, 1)) == 0,
        "%s", atoll_error(gpu));
    for (unsigned g = 0; g < 12; g++)
        check_group(g, 8, 8, 4, 6);
    ck_assert_uint_eq(peek(DATA + 12 * 4096 + 12), 0);
    atoll_gpu_destroy(gpu);
}
END_TEST

START_TEST(partial_groups)
{
    uint32_t flags;

    start("bonaire", 0);
    flags = f(F_COMPUTE_DISPATCH_INITIATOR__FORCE_START_AT_000, 1) |
            f(F_COMPUTE_DISPATCH_INITIATOR__PARTIAL_TG_EN, 1);
    program(ids);
    set_ids_registers(3, 2);
    threads(8 | 4 << 16, 8 | 1 << 16, 4 | 4 << 16);
    ck_assert_int_eq(dispatch(3, 2, 1, flags), 0);
    for (unsigned g = 0; g < 6; g++)
        check_group(g, g % 3 == 2 ? 4 : 8, g / 3 == 1 ? 1 : 8, 4, 6);
    atoll_gpu_destroy(gpu);

    /* The same, the dimensions in threads. */
    start("bonaire", 0);
    program(ids);
    set_ids_registers(3, 2);
    threads(8 | 4 << 16, 8 | 1 << 16, 4 | 4 << 16);
    ck_assert_int_eq(
        dispatch(20, 9, 4,
                 flags | f(F_COMPUTE_DISPATCH_INITIATOR__USE_THREAD_DIMENSIONS, 1)),
        0);
    for (unsigned g = 0; g < 6; g++)
        check_group(g, g % 3 == 2 ? 4 : 8, g / 3 == 1 ? 1 : 8, 4, 6);
    ck_assert_uint_eq(peek(DATA + 6 * 4096 + 12), 0);
    atoll_gpu_destroy(gpu);
}
END_TEST

START_TEST(start_offsets)
{
    start("bonaire", 0);
    program(ids);
    set_ids_registers(4, 1);
    threads(8, 1, 1);
    set(R_COMPUTE_START_X, 1);
    set(R_COMPUTE_START_Y, 0);
    set(R_COMPUTE_START_Z, 0);
    ck_assert_int_eq(dispatch(3, 1, 1, 0), 0);
    ck_assert_uint_eq(peek(DATA + 12), 0);
    check_group(1, 8, 1, 1, 4);
    check_group(2, 8, 1, 1, 4);
    ck_assert_uint_eq(peek(DATA + 3 * 4096 + 12), 0);
    /* An empty range is no work and no error. */
    set(R_COMPUTE_START_X, 3);
    ck_assert_int_eq(dispatch(3, 1, 1, 0), 0);
    ck_assert_int_eq(
        dispatch(0, 1, 1, f(F_COMPUTE_DISPATCH_INITIATOR__FORCE_START_AT_000, 1)), 0);
    atoll_gpu_destroy(gpu);
}
END_TEST

START_TEST(indirect)
{
    static const uint32_t dims[] = {2, 1, 1};
    uint32_t ib[16], n = 0;
    struct atoll_ib list = {ATOLL_RING_GFX, IB, 0};

    start("bonaire", 0);
    program(ids);
    set_ids_registers(2, 1);
    threads(8, 8, 1);
    ck_assert_int_eq(atoll_write(gpu, DATA + 0x80010, dims, sizeof dims), 0);
    ib[n++] = pm4_header(PM4_SET_BASE, 3, true);
    ib[n++] = pm4_put(PM4F_BASE_SELECT__BASE_INDEX, PM4V_BASE_INDEX__INDIRECT_ARGS);
    ib[n++] = (uint32_t)(DATA + 0x80000);
    ib[n++] = (uint32_t)(DATA >> 32);
    ib[n++] = pm4_header(PM4_DISPATCH_INDIRECT, 2, true);
    ib[n++] = 0x10;
    ib[n++] = f(F_COMPUTE_DISPATCH_INITIATOR__COMPUTE_SHADER_EN, 1) |
              f(F_COMPUTE_DISPATCH_INITIATOR__FORCE_START_AT_000, 1);
    list.size_dw = n;
    ck_assert_int_eq(atoll_write(gpu, IB, ib, 4 * n), 0);
    ck_assert_int_eq(atoll_submit(gpu, &list, 1), 0);
    check_group(0, 8, 8, 1, 2);
    check_group(1, 8, 8, 1, 2);
    atoll_gpu_destroy(gpu);
}
END_TEST

/* ---- where groups run ------------------------------------------------------------- */

/* Each group writes its HW_ID to DATA + 4 * id. */
static const char *const where[] = {
    "s_getreg_b32 s5, hwreg(HW_REG_HW_ID)",
    "s_lshl_b32 s4, s2, 2",
    "v_mov_b32_e32 v1, s4",
    "v_mov_b32_e32 v2, s1",
    "v_mov_b32_e32 v3, s5",
    "flat_store_dword v[1:2], v3",
    "s_endpgm",
    NULL,
};

START_TEST(placement)
{
    unsigned seen[2][7] = {{0}};

    start("bonaire", 0);
    program(where);
    set(R_COMPUTE_PGM_RSRC1, f(F_COMPUTE_PGM_RSRC1__SGPRS, 1));
    set(R_COMPUTE_PGM_RSRC2,
        f(F_COMPUTE_PGM_RSRC2__USER_SGPR, 2) | f(F_COMPUTE_PGM_RSRC2__TGID_X_EN, 1));
    set(R_COMPUTE_USER_DATA_1, (uint32_t)(DATA >> 32));
    threads(64, 1, 1);
    ck_assert_int_eq(dispatch(28, 1, 1, 0), 0);
    for (unsigned g = 0; g < 28; g++) {
        uint32_t v = peek(DATA + 4 * g);

        seen[regs_extract(GFX7, F_SQ_WAVE_HW_ID__SE_ID, v)]
            [regs_extract(GFX7, F_SQ_WAVE_HW_ID__CU_ID, v)]++;
    }
    for (unsigned i = 0; i < 14; i++)
        ck_assert_uint_eq(seen[i / 7][i % 7], 2);
    /* Only CU 5 of SE 1. */
    set(R_COMPUTE_STATIC_THREAD_MGMT_SE0, 0);
    set(R_COMPUTE_STATIC_THREAD_MGMT_SE1, 1 << 5);
    ck_assert_int_eq(dispatch(28, 1, 1, 0), 0);
    for (unsigned g = 0; g < 28; g++) {
        uint32_t v = peek(DATA + 4 * g);

        ck_assert_uint_eq(regs_extract(GFX7, F_SQ_WAVE_HW_ID__SE_ID, v), 1);
        ck_assert_uint_eq(regs_extract(GFX7, F_SQ_WAVE_HW_ID__CU_ID, v), 5);
    }
    set(R_COMPUTE_STATIC_THREAD_MGMT_SE1, 0);
    ck_assert_int_eq(dispatch(1, 1, 1, 0), 1);
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "COMPUTE_STATIC_THREAD_MGMT_SE"));
    atoll_gpu_destroy(gpu);
}
END_TEST

/* Group 0 spins until group 1, which starts later, has stored a flag. */
START_TEST(groups_wait_for_each_other)
{
    static const char *const spin[] = {
        "v_mov_b32_e32 v1, 0",
        "v_mov_b32_e32 v2, s1",
        "v_mov_b32_e32 v3, 7",
        "s_cmp_eq_u32 s2, 0",
        "s_cbranch_scc1 3", /* group 0: to the load */
        "flat_store_dword v[1:2], v3",
        "s_endpgm",
        "flat_load_dword v4, v[1:2] glc",
        "s_waitcnt vmcnt(0) lgkmcnt(0)",
        "v_cmp_eq_u32_e32 vcc, v4, v3",
        "s_cbranch_vccz 65531", /* back to the load */
        "v_mov_b32_e32 v1, 4",
        "flat_store_dword v[1:2], v3",
        "s_endpgm",
        NULL,
    };

    start("bonaire", 1 << 24);
    program(spin);
    set(R_COMPUTE_PGM_RSRC1,
        f(F_COMPUTE_PGM_RSRC1__VGPRS, 1) | f(F_COMPUTE_PGM_RSRC1__SGPRS, 1));
    set(R_COMPUTE_PGM_RSRC2,
        f(F_COMPUTE_PGM_RSRC2__USER_SGPR, 2) | f(F_COMPUTE_PGM_RSRC2__TGID_X_EN, 1));
    set(R_COMPUTE_USER_DATA_1, (uint32_t)(DATA >> 32));
    threads(1, 1, 1);
    ck_assert_msg(dispatch(2, 1, 1, 0) == 0, "%s", atoll_error(gpu));
    ck_assert_uint_eq(peek(DATA + 4), 7);
    atoll_gpu_destroy(gpu);
}
END_TEST

/* ---- what must end ---------------------------------------------------------------- */

START_TEST(endless_wave)
{
    static const char *const loop[] = {"s_mov_b32 s5, 0x77", "s_branch 65535", NULL};

    start("bonaire", 100000);
    program(loop);
    set(R_COMPUTE_PGM_RSRC1, f(F_COMPUTE_PGM_RSRC1__SGPRS, 1));
    set(R_COMPUTE_PGM_RSRC2, 0);
    threads(64, 1, 1);
    ck_assert_int_eq(dispatch(1, 1, 1, 0), 1);
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "watchdog"));
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "PC 0x100100008"));
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "00000077"));
    /* Very many of them: the dispatch has a watchdog too. */
    ck_assert_int_eq(dispatch(0xffffffff, 0xffffffff, 0xffffffff, 0), 1);
    /* And when each ends at once. */
    program((const char *const[]){"s_endpgm", NULL});
    ck_assert_int_eq(dispatch(0xffffffff, 0xffffffff, 0xffffffff, 0), 1);
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "given up"));
    atoll_gpu_destroy(gpu);
}
END_TEST

START_TEST(no_code)
{
    start("vega10", 0);
    threads(64, 1, 1);
    set(R_COMPUTE_PGM_LO, 0x12345);
    ck_assert_int_eq(dispatch(1, 1, 1, 0), 1);
    ck_assert_int_eq(dispatch(0xffffffff, 0xffffffff, 0xffffffff, 0), 1);
    atoll_gpu_destroy(gpu);
}
END_TEST

START_TEST(does_not_fit)
{
    start("bonaire", 0);
    program((const char *const[]){"s_endpgm", NULL});
    threads(64, 1, 1);
    set(R_COMPUTE_PGM_RSRC2, f(F_COMPUTE_PGM_RSRC2__LDS_SIZE, 129)); /* 64.5 KiB */
    ck_assert_int_eq(dispatch(1, 1, 1, 0), 1);
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "fits no CU"));
    set(R_COMPUTE_PGM_RSRC2, 0);
    threads(64, 64, 64);
    ck_assert_int_eq(dispatch(1, 1, 1, 0), 1);
    threads(0, 1, 1);
    ck_assert_int_eq(dispatch(1, 1, 1, 0), 1);
    threads(64, 1, 1);
    ck_assert_int_eq(dispatch(1, 1, 1, 0), 0);
    atoll_gpu_destroy(gpu);
}
END_TEST

/* PGM_RSRC2.TRAP_PRESENT lets s_trap reach the handler at TBA; without it the wave halts. */
START_TEST(trap_handler)
{
    static const char *const code[] = {
        "s_mov_b32 s9, 1", "s_trap 7", "v_mov_b32 v0, s0", "v_mov_b32 v1, s1", "v_mov_b32 v2, s9",
        "flat_store_dword v[0:1], v2", "s_endpgm", NULL};
    static const char *const handler[] = {
        "s_bfe_u32 s9, ttmp1, 0x80010", "s_mov_b32 s8, tma_lo", "s_add_u32 s9, s9, s8",
        "s_add_u32 ttmp0, ttmp0, 4", "s_and_b32 ttmp1, ttmp1, 0xffff", "s_rfe_b64 ttmp[0:1]", NULL};
    const bool present = _i & 1;

    start(_i & 2 ? "polaris10" : "bonaire", 0);
    program(code);
    assemble(CODE + 0x800, handler);
    set(R_COMPUTE_USER_DATA_0, (uint32_t)DATA);
    set(R_COMPUTE_USER_DATA_1, (uint32_t)(DATA >> 32));
    set(R_COMPUTE_PGM_RSRC1, f(F_COMPUTE_PGM_RSRC1__SGPRS, 1));
    set(R_COMPUTE_PGM_RSRC2, f(F_COMPUTE_PGM_RSRC2__USER_SGPR, 2) |
                                 f(F_COMPUTE_PGM_RSRC2__TRAP_PRESENT, present));
    set(R_COMPUTE_TBA_LO, (uint32_t)((CODE + 0x800) >> 8));
    set(R_COMPUTE_TBA_HI, (uint32_t)((CODE + 0x800) >> 40));
    set(R_COMPUTE_TMA_LO, 0x12); /* 0x1200 */
    threads(1, 1, 1);
    dispatch(1, 1, 1, 0);
    ck_assert_uint_eq(peek(DATA), present ? 0x1207 : 0);
    atoll_gpu_destroy(gpu);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dispatch");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, launch_state, 0, 3);
    tcase_add_test(tc, partial_groups);
    tcase_add_test(tc, start_offsets);
    tcase_add_test(tc, indirect);
    tcase_add_test(tc, placement);
    tcase_add_test(tc, groups_wait_for_each_other);
    tcase_add_test(tc, endless_wave);
    tcase_add_test(tc, no_code);
    tcase_add_test(tc, does_not_fit);
    tcase_add_loop_test(tc, trap_handler, 0, 4);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
