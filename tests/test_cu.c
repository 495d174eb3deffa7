/* cu/: occupancy against LLVM's figures and against what the machine really allocates. */
#include "cu/cu.h"
#include "regs/regs.h"

#include <check.h>
#include <stdlib.h>

static struct cu_occupancy occupancy(enum gfx gen, unsigned vgprs, unsigned sgprs,
                                     unsigned lds, unsigned waves)
{
    struct cu_config cfg;
    struct cu_occupancy o;

    cu_config_init(&cfg, gen, 2, 1, 7);
    cu_occupancy(&cfg, &(struct cu_need){vgprs, sgprs, lds, waves}, &o);
    return o;
}

START_TEST(known_rows)
{
    ck_assert_uint_eq(occupancy(GFX7, 52, 1, 0, 1).waves_per_simd, 4);
    ck_assert_uint_eq(occupancy(GFX7, 52, 1, 0, 1).waves_per_cu, 16);
    ck_assert_uint_eq(occupancy(GFX7, 84, 1, 0, 1).waves_per_simd, 3);
    ck_assert_uint_eq(occupancy(GFX7, 85, 1, 0, 1).waves_per_simd, 2);
    ck_assert_uint_eq(occupancy(GFX8, 1, 96, 0, 1).waves_per_simd, 8);
    ck_assert_uint_eq(occupancy(GFX7, 1, 96, 0, 1).waves_per_simd, 5);
    ck_assert_int_eq(occupancy(GFX7, 1, 96, 0, 1).limited_by, LIMIT_SGPRS);
    ck_assert_uint_eq(occupancy(GFX7, 1, 1, 0, 1).waves_per_cu, 40);
    ck_assert_int_eq(occupancy(GFX7, 1, 1, 0, 1).limited_by, LIMIT_SLOTS);
    ck_assert_uint_eq(occupancy(GFX7, 1, 1, 32768, 4).groups_per_cu, 2);
    ck_assert_int_eq(occupancy(GFX7, 1, 1, 32768, 4).limited_by, LIMIT_LDS);
    ck_assert_uint_eq(occupancy(GFX7, 1, 1, 0, 2).groups_per_cu, 16);
    ck_assert_int_eq(occupancy(GFX7, 1, 1, 0, 2).limited_by, LIMIT_BARRIERS);
    ck_assert_int_eq(occupancy(GFX7, 300, 1, 0, 1).limited_by, LIMIT_NOTHING_FITS);
    ck_assert_int_eq(occupancy(GFX6, 1, 1, 32769, 1).limited_by, LIMIT_NOTHING_FITS);
}
END_TEST

/* ../shared/oracle/llvm_occupancy.txt: "gfx704 vgpr=52 ; NumVgprs: 52; Occupancy: 4". */
START_TEST(rows_of_llvm)
{
    const char *shared = getenv("SHARED");
    char path[4096], line[256];
    unsigned rows = 0;
    FILE *f;

    snprintf(path, sizeof path, "%s/oracle/llvm_occupancy.txt", shared ? shared : "");
    f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "SKIPPED: no %s\n", path);
        return;
    }
    while (fgets(line, sizeof line, f)) {
        unsigned target, vgprs, waves;

        if (sscanf(line, "gfx%u vgpr=%u ; NumVgprs: %*u; Occupancy: %u", &target, &vgprs,
                   &waves) != 3)
            continue;
        ck_assert_msg(occupancy(target / 100 - 6 + GFX6, vgprs, 1, 0, 1).waves_per_simd ==
                          waves,
                      "%s", line);
        rows++;
    }
    fclose(f);
    ck_assert_uint_eq(rows, 72);
}
END_TEST

/* ---- the machine ------------------------------------------------------------------- */

struct machine {
    struct mem_vm *vm;
    struct loud *loud;
    struct isa_code *code;
    struct cu_machine *cu;
    struct cu_config cfg;
};

static struct machine machine(enum gfx gen)
{
    struct machine m = {.vm = mem_vm_create(), .loud = loud_create()};

    loud_set_quiet(m.loud, true);
    cu_config_init(&m.cfg, gen, 2, 2, 5);
    m.code = isa_code_create(isa_target_default(gen), m.vm, m.loud);
    m.cu = cu_machine_create(&m.cfg, m.code, m.vm, m.loud);
    ck_assert_ptr_nonnull(m.cu);
    return m;
}

static void machine_free(struct machine *m)
{
    cu_machine_destroy(m->cu);
    isa_code_destroy(m->code);
    mem_vm_destroy(m->vm);
    loud_destroy(m->loud);
}

/* The machine takes as many workgroups as the formula says, and as many again after they
 * are gone. */
START_TEST(allocation_agrees_with_occupancy)
{
    static struct cu_group groups[CU_SIMDS * CU_SLOTS_PER_SIMD];
    struct machine m = machine(_i);
    const unsigned vgprs[] = {1, 24, 25, 36, 52, 84, 85, 128, 129, 256};
    const unsigned sgprs[] = {1, 48, 80, 96, 104};
    const unsigned lds[] = {0, 1, 256, 3000, 16384, 32768};
    const unsigned waves[] = {1, 2, 3, 4, 7, 16};

    for (unsigned a = 0; a < ARRAY_LEN(vgprs) * ARRAY_LEN(sgprs); a++)
        for (unsigned b = 0; b < ARRAY_LEN(lds) * ARRAY_LEN(waves); b++) {
            struct cu_need need = {vgprs[a % 10], sgprs[a / 10], lds[b % 6],
                                   waves[b / 6]};
            struct cu_occupancy o;

            cu_occupancy(&m.cfg, &need, &o);
            for (unsigned twice = 0; twice < 2; twice++) {
                unsigned n = 0;

                while (n < ARRAY_LEN(groups) &&
                       cu_group_alloc(m.cu, 3, &need, STAGE_CS, &groups[n]))
                    n++;
                ck_assert_msg(n == o.groups_per_cu,
                              "%u groups, formula %u: vgprs %u sgprs %u lds %u waves %u",
                              n, o.groups_per_cu, need.vgprs, need.sgprs, need.lds_bytes,
                              need.waves);
                while (n)
                    cu_group_free(m.cu, &groups[--n]);
            }
        }
    machine_free(&m);
}
END_TEST

/* Registers and LDS of residents are apart, and what s_getreg shows is where they are. */
START_TEST(places)
{
    struct machine m = machine(GFX7);
    struct cu_need need = {20, 24, 1000, 3};
    struct cu_group g[4];

    for (unsigned i = 0; i < 4; i++) {
        ck_assert(cu_group_alloc(m.cu, 13, &need, STAGE_CS, &g[i]));
        memset(g[i].lds, 0xff, 1024);
        for (unsigned w = 0; w < 3; w++)
            for (unsigned v = 0; v < 20 * 64; v++)
                g[i].waves[w]->v[v] = i * 3 + w;
    }
    for (unsigned i = 0; i < 4; i++)
        for (unsigned w = 0; w < 3; w++) {
            const struct wave *wave = g[i].waves[w];

            for (unsigned v = 0; v < 20 * 64; v++)
                ck_assert_uint_eq(wave->v[v], i * 3 + w);
            ck_assert_uint_eq((uintptr_t)wave->v % 64, 0);
            ck_assert_uint_eq((uintptr_t)wave->lane_mask % 64, 0);
            ck_assert_uint_eq(wave->num_vgprs, 20);
            ck_assert_uint_eq(wave->num_sgprs, 24);
            ck_assert_uint_eq(wave->lds_bytes, 1024);
            ck_assert_uint_eq(wave->id, i * 3 + w + 1);
            /* CU 13 of 2 x 2 x 5 is SE 1, SH 0, CU 3; waves go round the SIMDs. */
            ck_assert_uint_eq(regs_extract(GFX7, F_SQ_WAVE_HW_ID__SE_ID, wave->hw_id), 1);
            ck_assert_uint_eq(regs_extract(GFX7, F_SQ_WAVE_HW_ID__SH_ID, wave->hw_id), 0);
            ck_assert_uint_eq(regs_extract(GFX7, F_SQ_WAVE_HW_ID__CU_ID, wave->hw_id), 3);
            ck_assert_uint_eq(regs_extract(GFX7, F_SQ_WAVE_HW_ID__SIMD_ID, wave->hw_id),
                              (i * 3 + w) % 4);
            ck_assert_uint_eq(regs_extract(GFX7, F_SQ_WAVE_HW_ID__WAVE_ID, wave->hw_id),
                              (i * 3 + w) / 4);
            ck_assert_uint_eq(
                regs_extract(GFX7, F_SQ_WAVE_GPR_ALLOC__VGPR_SIZE, wave->gpr_alloc), 4);
            ck_assert_uint_eq(
                regs_extract(GFX7, F_SQ_WAVE_GPR_ALLOC__VGPR_BASE, wave->gpr_alloc),
                (i * 3 + w) / 4 * 5);
            ck_assert_uint_eq(
                regs_extract(GFX7, F_SQ_WAVE_GPR_ALLOC__SGPR_SIZE, wave->gpr_alloc), 2);
            ck_assert_uint_eq(
                regs_extract(GFX7, F_SQ_WAVE_LDS_ALLOC__LDS_SIZE, wave->lds_alloc), 4);
            ck_assert_uint_eq(
                regs_extract(GFX7, F_SQ_WAVE_LDS_ALLOC__LDS_BASE, wave->lds_alloc),
                i * 4);
        }
    for (unsigned i = 0; i < 4; i++)
        cu_group_free(m.cu, &g[i]);
    machine_free(&m);
}
END_TEST

#define CODE 0x10000u

/* Load a program, one instruction a line of LLVM's syntax. */
static void load(struct machine *m, enum gfx gen, const char *const *lines)
{
    static const struct mem_who host = {.client = MEM_HOST};
    const struct isa_target *t = isa_target_default(gen);
    uint64_t at = CODE;
    struct err e = {{0}};

    ck_assert_int_eq(mem_map(m->vm, CODE, 4096, NULL, MEM_RWX, &e), 0);
    for (; *lines; lines++) {
        uint32_t dw[4];
        int n = isa_assemble(t, *lines, dw, &e);

        ck_assert_msg(n > 0, "%s: %s", *lines, e.text);
        mem_write(m->vm, at, dw, 4 * (uint64_t)n, &host);
        at += 4 * (uint64_t)n;
    }
    isa_code_sync(m->code);
}

/* Wave 0 waits at a barrier for what wave 1 puts into LDS before it. */
START_TEST(barrier)
{
    static const char *const program[] = {"s_mov_b32 m0, 0x10000",
                                          "v_mov_b32_e32 v0, 0",
                                          "s_cmp_eq_u32 s0, 1",
                                          "s_cbranch_scc0 4",
                                          "v_mov_b32_e32 v1, 42",
                                          "ds_write_b32 v0, v1",
                                          "s_waitcnt lgkmcnt(0)",
                                          "s_barrier",
                                          "ds_read_b32 v2, v0",
                                          "s_waitcnt lgkmcnt(0)",
                                          "s_endpgm",
                                          NULL};
    struct machine m = machine(GFX7);
    struct cu_need need = {4, 8, 256, 2};
    struct cu_counters c;
    struct cu_group g;
    struct err e = {{0}};

    load(&m, GFX7, program);
    ck_assert(cu_group_alloc(m.cu, 0, &need, STAGE_CS, &g));
    for (unsigned i = 0; i < 2; i++) {
        wave_reset(g.waves[i], CODE, UINT64_MAX, 0, false, false);
        g.waves[i]->s[0] = i;
    }
    ck_assert_msg(cu_group_run(m.cu, &g, 1000, &e), "%s", e.text);
    ck_assert_uint_eq(g.waves[0]->v[2 * 64 + 63], 42);
    ck_assert_int_eq(g.waves[0]->state, WAVE_ENDED);
    cu_group_free(m.cu, &g);
    cu_counters_get(m.cu, &c);
    ck_assert_uint_eq(c.groups, 1);
    ck_assert_uint_eq(c.waves[STAGE_CS], 2);
    ck_assert_uint_eq(c.insts[STAGE_CS].insts[CLASS_LDS], 3);
    machine_free(&m);
}
END_TEST

START_TEST(watchdog)
{
    static const char *const program[] = {"s_mov_b32 s3, 0x1234", "s_branch 65535", NULL};
    struct machine m = machine(GFX7);
    struct cu_need need = {4, 8, 0, 1};
    struct cu_group g;
    struct err e = {{0}};

    load(&m, GFX7, program);
    ck_assert(cu_group_alloc(m.cu, 0, &need, STAGE_CS, &g));
    wave_reset(g.waves[0], CODE, UINT64_MAX, 0, false, false);
    ck_assert(!cu_group_run(m.cu, &g, 1000, &e));
    ck_assert_uint_eq(g.waves[0]->insts_run, 1000);
    ck_assert_ptr_nonnull(strstr(e.text, "watchdog"));
    ck_assert_ptr_nonnull(strstr(e.text, "PC 0x1000"));
    ck_assert_ptr_nonnull(strstr(e.text, "00001234"));
    cu_group_free(m.cu, &g);
    machine_free(&m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cu");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_test(tc, known_rows);
    tcase_add_test(tc, rows_of_llvm);
    tcase_add_loop_test(tc, allocation_agrees_with_occupancy, GFX6, GFX_COUNT);
    tcase_add_test(tc, places);
    tcase_add_test(tc, barrier);
    tcase_add_test(tc, watchdog);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
