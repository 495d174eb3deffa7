/* isa/waits.c: programs that wait as they must, and programs that do not. The rules are those of the
 * ISA manuals' chapter on manually inserted wait states and of LLVM's SIInsertWaitcnts. */
#include "isa/isa.h"

#include <check.h>
#include <stdlib.h>

enum { CODE_VA = 0x100000, DATA_VA = 0x200000, VGPRS = 64 };

static uint8_t *gds(struct wave *w, uint32_t *bytes)
{
    static uint8_t memory[4096];

    *bytes = sizeof memory;
    return memory;
}
static void image(struct wave *w, const struct isa_image *im) {}
static void export_(struct wave *w, unsigned target, unsigned en, bool compr, bool done, bool vm,
                    const uint32_t *const src[4]) {}
static void sendmsg(struct wave *w, uint32_t imm, uint32_t m0) {}
static uint64_t memtime(struct wave *w, bool real)
{
    return 1;
}
static bool gws(struct wave *w, unsigned op, uint32_t value)
{
    return true;
}
static void trace(struct wave *w, uint64_t pc, const struct insn *in, bool after) {}

static const struct wave_ops ops = {image, export_, gds, sendmsg, memtime, gws, trace};

static const struct {
    const char *targets; /* each is tried */
    const char *program; /* instructions, separated by ';' */
    const char *report;  /* what is said, NULL: nothing */
} rows[] = {
    /* scalar loads: no order */
    {"gfx600 gfx704 gfx803 gfx900", "s_load_dword s10, s[2:3], 0x0; s_waitcnt lgkmcnt(0); s_mov_b32 s11, s10", NULL},
    {"gfx600 gfx704 gfx803 gfx900", "s_load_dword s10, s[2:3], 0x0; s_mov_b32 s11, s10",
     "S_MOV_B32 at 0x100004 reads s10 before S_LOAD_DWORD at 0x100000 has written it (lgkmcnt)|"
     "S_MOV_B32 at 0x100008 reads s10 before S_LOAD_DWORD at 0x100000 has written it (lgkmcnt)"},
    {"gfx704 gfx900", "s_load_dword s10, s[2:3], 0x0; s_mov_b32 s10, 1", "writes s10"},
    {"gfx704 gfx900", "s_load_dwordx4 s[8:11], s[2:3], 0x0; s_add_u32 s4, s11, s12", "reads s11"},
    {"gfx704 gfx900", "s_load_dwordx4 s[8:11], s[2:3], 0x0; s_add_u32 s4, s7, s12", NULL},
    {"gfx704 gfx900", "s_load_dword s10, s[2:3], 0x0; s_load_dword s11, s[2:3], 0x4; s_waitcnt lgkmcnt(1); "
     "s_mov_b32 s12, s10", "reads s10"},
    {"gfx704 gfx900", "s_load_dword vcc_lo, s[2:3], 0x0; s_cbranch_vccz 0", "reads s106"},
    {"gfx704 gfx900", "s_load_dword s10, s[2:3], 0x0; v_mov_b32 v0, s10", "reads s10"},
    {"gfx704 gfx900", "s_load_dwordx2 s[10:11], s[2:3], 0x0; s_load_dword s12, s[10:11], 0x0", "reads s10"},
    {"gfx704 gfx900", "s_memtime s[10:11]; s_mov_b32 s12, s11", "reads s11"},
    {"gfx704 gfx803", "s_load_dword m0, s[2:3], 0x0; ds_read_b32 v0, v1", "reads s124"},
    /* LDS: in order, but not with scalar memory */
    {"gfx600 gfx704 gfx900", "ds_read_b32 v0, v2; ds_read_b32 v1, v2; s_waitcnt lgkmcnt(1); v_mov_b32 v3, v0; "
     "s_waitcnt lgkmcnt(0); v_mov_b32 v4, v1", NULL},
    {"gfx600 gfx704 gfx900", "ds_read_b32 v0, v2; ds_read_b32 v1, v2; s_waitcnt lgkmcnt(1); v_mov_b32 v3, v1",
     "V_MOV_B32 at 0x100014 reads v1 before DS_READ_B32 at 0x100008 has written it (lgkmcnt)"},
    {"gfx704 gfx900", "ds_read_b32 v0, v2; s_load_dword s10, s[2:3], 0x0; s_waitcnt lgkmcnt(1); v_mov_b32 v3, v0", "reads v0"},
    {"gfx704 gfx900", "ds_read_b32 v0, v2; s_load_dword s10, s[2:3], 0x0; s_waitcnt lgkmcnt(0); v_mov_b32 v3, v0", NULL},
    {"gfx704 gfx900", "ds_read_b32 v0, v2; ds_write_b32 v2, v4; s_waitcnt lgkmcnt(1); v_mov_b32 v3, v0", NULL},
    {"gfx704 gfx900", "ds_swizzle_b32 v0, v2; v_mov_b32 v3, v0", "reads v0"},
    {"gfx704 gfx900", "ds_read2_b32 v[0:1], v2; ds_read_b32 v1, v2; s_waitcnt lgkmcnt(0)", NULL}, /* in order */
    /* vector memory: in order, stores among it */
    {"gfx600 gfx704 gfx803 gfx900", "buffer_load_dword v0, off, s[4:7], 0; buffer_load_dword v1, off, s[4:7], 0; "
     "s_waitcnt vmcnt(1); v_mov_b32 v2, v0; s_waitcnt vmcnt(0); v_mov_b32 v2, v1", NULL},
    {"gfx600 gfx704 gfx803 gfx900", "buffer_load_dword v0, off, s[4:7], 0; v_add_f32 v3, v1, v0",
     "V_ADD_F32 at 0x100008 reads v0 before BUFFER_LOAD_DWORD at 0x100000 has written it (vmcnt)"},
    {"gfx704 gfx900", "buffer_load_dword v0, off, s[4:7], 0; buffer_load_dword v1, off, s[4:7], 0; "
     "s_waitcnt vmcnt(1); v_mov_b32 v2, v1", "reads v1"},
    {"gfx704 gfx900", "buffer_load_dwordx4 v[0:3], off, s[4:7], 0; v_mov_b32 v3, 0", "writes v3"},
    {"gfx704 gfx900", "buffer_load_dwordx4 v[0:3], off, s[4:7], 0; v_mov_b32 v4, 0", NULL},
    {"gfx704 gfx900", "buffer_load_dword v0, off, s[4:7], 0; buffer_store_dword v1, off, s[4:7], 0; "
     "s_waitcnt vmcnt(1); v_mov_b32 v2, v0", NULL},
    {"gfx704 gfx900", "buffer_load_dword v0, off, s[4:7], 0; buffer_store_dword v0, off, s[4:7], 0", "reads v0"},
    {"gfx704 gfx900", "buffer_atomic_add v0, off, s[4:7], 0 glc; v_mov_b32 v2, v0", "reads v0"},
    {"gfx704 gfx900", "buffer_atomic_add v0, off, s[4:7], 0; v_mov_b32 v2, v0", NULL},
    {"gfx704 gfx900", "image_sample v[0:3], v[4:5], s[8:15], s[16:19] dmask:0xf; v_mov_b32 v6, v2", "reads v2"},
    {"gfx704 gfx900", "s_waitcnt vmcnt(0); buffer_load_dword v0, v1, s[4:7], 0 offen; v_mov_b32 v1, 0", NULL},
    {"gfx704 gfx900", "ds_read_b32 v0, v2; s_waitcnt vmcnt(0); v_mov_b32 v3, v0", "lgkmcnt"},
    {"gfx704 gfx900", "buffer_load_dword v0, off, s[4:7], 0; ds_write_b32 v2, v0", "reads v0"},
    {"gfx704 gfx900", "buffer_load_dword v0, off, s[4:7], 0; ds_read_b32 v0, v2", "writes v0"},
    {"gfx704 gfx803 gfx900", "flat_load_dword v0, v[2:3]; s_waitcnt vmcnt(0); v_mov_b32 v4, v0", "lgkmcnt"},
    {"gfx704 gfx803 gfx900", "flat_load_dword v0, v[2:3]; s_waitcnt vmcnt(0) lgkmcnt(0); v_mov_b32 v4, v0", NULL},
    {"gfx900", "global_load_dword v0, v[2:3], off; s_waitcnt vmcnt(0); v_mov_b32 v4, v0", NULL},
    {"gfx900", "global_load_dword v0, v[2:3], off; v_mov_b32 v4, v0", "reads v0"},
    {"gfx900", "global_load_short_d16 v0, v[2:3], off; global_load_short_d16_hi v0, v[2:3], off; s_waitcnt vmcnt(0)", NULL},
    /* widths: a full counter waits; GFX9 counts to 63 */
    {"gfx704 gfx803", "buffer_load_dword v0, off, s[4:7], 0; *15 buffer_load_dword v1, off, s[4:7], 0; v_mov_b32 v2, v0", NULL},
    {"gfx900", "buffer_load_dword v0, off, s[4:7], 0; *15 buffer_load_dword v1, off, s[4:7], 0; v_mov_b32 v2, v0", "reads v0"},
    {"gfx900", "buffer_load_dword v0, off, s[4:7], 0; *20 buffer_load_dword v1, off, s[4:7], 0; s_waitcnt vmcnt(20); "
     "v_mov_b32 v2, v0", NULL},
    {"gfx900", "buffer_load_dword v0, off, s[4:7], 0; *19 buffer_load_dword v1, off, s[4:7], 0; s_waitcnt vmcnt(20); "
     "v_mov_b32 v2, v0", "reads v0"},
    /* exports hold their data; on GFX6 so do stores */
    {"gfx600 gfx704 gfx803 gfx900", "exp mrt0 v0, v1, v2, v3 done vm; v_mov_b32 v2, 0",
     "V_MOV_B32 at 0x100008 writes v2 before EXP at 0x100000 has read it (expcnt)"},
    {"gfx600 gfx704 gfx803 gfx900", "exp mrt0 v0, v1, v2, v3 done vm; s_waitcnt expcnt(0); v_mov_b32 v2, 0", NULL},
    {"gfx704 gfx900", "exp mrt0 v0, v1, v2, v3 done vm; v_add_f32 v4, v0, v1", NULL},
    {"gfx704 gfx900", "exp param0 v0, v0, v0, v0; exp param1 v1, v1, v1, v1; s_waitcnt expcnt(1); v_mov_b32 v0, 0", NULL},
    {"gfx704 gfx900", "exp pos0 v0, v0, v0, v0; exp param1 v1, v1, v1, v1; s_waitcnt expcnt(1); v_mov_b32 v0, 0", "writes v0"},
    {"gfx600", "buffer_store_dword v1, off, s[4:7], 0; v_mov_b32 v1, 0", "writes v1"},
    {"gfx600", "buffer_store_dword v1, off, s[4:7], 0; s_waitcnt expcnt(0); v_mov_b32 v1, 0", NULL},
    {"gfx704 gfx900", "buffer_store_dword v1, off, s[4:7], 0; v_mov_b32 v1, 0", NULL},
    {"gfx704", "s_mov_b32 m0, 0x100; ds_add_u32 v0, v1 gds; v_mov_b32 v1, 0", "writes v1"},
    {"gfx704", "s_mov_b32 m0, 0x100; ds_add_u32 v0, v1 gds; s_waitcnt expcnt(0); v_mov_b32 v1, 0", NULL},
};

/* Words of a program; "*N " before an instruction repeats it. */
static unsigned assemble(const struct isa_target *t, const char *program, uint32_t *out)
{
    char *copy = strdup(program), *save = NULL;
    unsigned n = 0;

    for (char *s = strtok_r(copy, ";", &save); s; s = strtok_r(NULL, ";", &save)) {
        unsigned times = 1;
        struct err e;

        while (*s == ' ')
            s++;
        if (*s == '*')
            times = (unsigned)strtoul(s + 1, &s, 10);
        while (*s == ' ')
            s++;
        while (times--) {
            int k = isa_assemble(t, s, out + n, &e);

            ck_assert_msg(k > 0, "%s: %s", s, e.text);
            n += (unsigned)k;
        }
    }
    free(copy);
    return n;
}

static bool said_one_of(const char *text, const char *wanted)
{
    char *copy = strdup(wanted), *save = NULL;
    bool found = false;

    for (char *s = strtok_r(copy, "|", &save); s; s = strtok_r(NULL, "|", &save))
        found |= strstr(text, s) != NULL;
    free(copy);
    return found;
}

static void run(const char *target, const char *program, const char *report, bool strict)
{
    const struct isa_target *t = isa_target_find(target);
    struct mem_vm *vm = mem_vm_create();
    struct loud *loud = loud_create();
    struct isa_code *code = isa_code_create(t, vm, loud);
    uint32_t *text = aligned_alloc(4096, 4096), *v = aligned_alloc(64, VGPRS * 256);
    uint8_t *data = aligned_alloc(4096, 4096), lds[1024] = {0};
    struct wave *w = aligned_alloc(64, align_up(sizeof *w, 64));
    enum loud_kind kind;
    uint64_t key, count;
    const char *said = NULL;
    unsigned n;

    memset(text, 0, 4096);
    memset(data, 0, 4096);
    memset(v, 0, VGPRS * 256);
    memset(w, 0, sizeof *w);
    loud_set_quiet(loud, true);
    ck_assert_int_eq(mem_map(vm, CODE_VA, 4096, text, MEM_RWX, NULL), 0);
    ck_assert_int_eq(mem_map(vm, DATA_VA, 4096, data, MEM_RWX, NULL), 0);
    n = assemble(t, program, text);
    n += assemble(t, "s_endpgm", text + n);
    w->v = v;
    w->num_vgprs = VGPRS;
    w->num_sgprs = 32;
    w->gen = t->gen;
    w->vm = vm;
    w->loud = loud;
    w->ops = &ops;
    w->lds = lds;
    w->lds_bytes = sizeof lds;
    w->id = 1;
    w->strict_waits = strict;
    wave_reset(w, CODE_VA, ~UINT64_C(0), 0xc0, true, false);
    w->s[2] = w->s[4] = DATA_VA;
    w->s[6] = 4096;
    w->s[SREG_M0] = 0xffff;
    for (unsigned l = 0; l < 64; l++)
        v[64 * 2 + l] = DATA_VA;
    isa_run(code, w, 1000);
    loud_get(loud, 0, &kind, &key, &count, &said);
    ck_assert_msg(w->state == WAVE_ENDED, "%s: %s: did not end", target, program);
    ck_assert_msg(loud_count(loud) == (report != NULL), "%s: %s: %s", target, program,
                  said ? said : "nothing was reported");
    if (report)
        ck_assert_msg(said_one_of(said, report), "%s: %s: %s", target, program, said);
    wave_release(w);
    isa_code_destroy(code);
    mem_vm_destroy(vm);
    loud_destroy(loud);
    free(text);
    free(data);
    free(v);
    free(w);
}

START_TEST(sequences)
{
    char *copy = strdup(rows[_i].targets), *save = NULL;

    for (char *s = strtok_r(copy, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
        run(s, rows[_i].program, rows[_i].report, true);
        run(s, rows[_i].program, NULL, false);
    }
    free(copy);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("waits");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_loop_test(tc, sequences, 0, (int)ARRAY_LEN(rows));
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
