/* Command buffers, shaders and recordings by hand, through the public interface: values by name, what cannot be, and
 * a recording that replays to the same memory. */
#include "emu/gpu.h"
#include "emu/replay.h"

#include <check.h>
#include <stdlib.h>
#include <unistd.h>

#define IB   0x100000000ull
#define CODE 0x100010000ull
#define DATA 0x100020000ull
#define HOST 0x100030000ull

static uint32_t value(const char *reg, const char *text)
{
    char error[256] = "";
    uint32_t v = 0xdeadbeef;

    ck_assert_msg(atoll_register_value("bonaire", reg, text, &v, error) == 0, "%s", error);
    return v;
}

static void refused(const char *reg, const char *text, const char *why)
{
    char error[256] = "";
    uint32_t v;

    ck_assert_int_eq(atoll_register_value("bonaire", reg, text, &v, error), -1);
    ck_assert_msg(strstr(error, why) != NULL, "'%s' says: %s", text, error);
}

START_TEST(values)
{
    ck_assert_uint_eq(value("CB_COLOR0_INFO", "FORMAT=COLOR_8_8_8_8 BLEND_CLAMP=1"), 0x8028);
    ck_assert_uint_eq(value("CB_COLOR0_INFO", "0x8028"), 0x8028);
    ck_assert_uint_eq(value("CB_COLOR0_INFO", ""), 0);
    ck_assert_uint_eq(value("PA_CL_VPORT_XSCALE", "128.0"), 0x43000000);
    ck_assert_uint_eq(value("PA_CL_VPORT_YSCALE", "-0.5"), 0xbf000000);
    ck_assert_uint_eq(value("VGT_INDX_OFFSET", "-1"), UINT32_MAX);
    ck_assert_uint_eq(value("VGT_INDX_OFFSET", "4294967295"), UINT32_MAX);
    ck_assert_uint_eq(value("PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0", "S0_X=-4 S1_X=4 S1_Y=-8"), 0x840c);
    ck_assert_uint_eq(value("SQ_IMG_RSRC_WORD3", "TYPE=SQ_RSRC_IMG_2D DST_SEL_X=SQ_SEL_X"), 0x90000004);
    refused("CB_COLOR9_INFO", "0", "no register");
    refused("CB_COLOR0_INFO", "FROMAT=1", "no field");
    refused("CB_COLOR0_INFO", "FORMAT=32", "does not fit");
    refused("CB_COLOR0_INFO", "FORMAT=COLOR_9_9", "neither");
    refused("CB_COLOR0_INFO", "FORMAT=", "neither");
    refused("CB_COLOR0_INFO", "FORMAT", "neither");
    refused("CB_COLOR0_INFO", "1 2", "one number");
    refused("CB_COLOR0_INFO", "4294967296", "one number");
    refused("PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0", "S0_X=-9", "does not fit");
    ck_assert_int_eq(atoll_register_value("bonbon", "CB_COLOR0_INFO", "0", &(uint32_t){0}, NULL), -1);
}
END_TEST

START_TEST(errors_stay)
{
    struct atoll_pm4 *p = atoll_pm4_create("bonaire");
    uint32_t n;

    ck_assert_ptr_null(atoll_pm4_create("bonbon"));
    atoll_pm4_packet(p, "NOP", 1, &(uint32_t){0});
    ck_assert_ptr_nonnull(atoll_pm4_dwords(p, &n));
    ck_assert_uint_eq(n, 2);
    atoll_pm4_set(p, "CB_COLOR0_INFO", "FORMAT=%u", 99u);
    atoll_pm4_set(p, "CB_COLOR9_INFO", "0");
    atoll_pm4_packet(p, "NOP", 1, &(uint32_t){0});
    ck_assert_ptr_null(atoll_pm4_dwords(p, &n));
    ck_assert_uint_eq(n, 0);
    ck_assert_msg(strstr(atoll_pm4_error(p), "FORMAT has 5 bits") != NULL, "%s", atoll_pm4_error(p));
    atoll_pm4_destroy(p);
    p = atoll_pm4_create("bonaire");
    atoll_pm4_packet(p, "POP", 1, &(uint32_t){0});
    ck_assert_msg(strstr(atoll_pm4_error(p), "no packet POP") != NULL, "%s", atoll_pm4_error(p));
    atoll_pm4_destroy(p);
}
END_TEST

static const char shader[] = "  v_lshlrev_b32_e32 v0, 2, v0\n"
                             "  s_branch there   // over an illegal word\n"
                             "again:\n"
                             "  s_endpgm\n"
                             "there:\n"
                             "  v_mov_b32_e32 v1, 0x1234\n"
                             "  buffer_load_dword v2, v0, s[4:7], 0 offen\n"
                             "  s_waitcnt vmcnt(0)\n"
                             "  v_add_i32_e32 v1, vcc, v1, v2\n"
                             "  buffer_store_dword v1, v0, s[0:3], 0 offen\n"
                             "  s_branch again\n";

START_TEST(programs)
{
    uint32_t code[64];
    char error[256] = "";
    int n = atoll_assemble("bonaire", shader, "shader", code, 64, error);

    ck_assert_msg(n == 12, "%d: %s", n, error);
    ck_assert_uint_eq(code[1], 0xbf820001);
    ck_assert_uint_eq(code[11], 0xbf82fff6);
    code[1] = 0;
    ck_assert_int_eq(atoll_assemble("bonaire", shader, "shader", code, 1, error), 12);
    ck_assert_uint_eq(code[1], 0);
    ck_assert_int_eq(atoll_assemble("bonaire", "s_nop 0\n\nv_frob v0\n", "shader", code, 64, error), -1);
    ck_assert_msg(strstr(error, "shader:3:") != NULL, "%s", error);
}
END_TEST

/* A dispatch that adds 0x1234 to what host memory has, recorded, then replayed. */
static void dispatch(struct atoll_gpu *gpu)
{
    const uint32_t v[8] = {(uint32_t)DATA, (uint32_t)(DATA >> 32), 256, 0x00027fac,
                           (uint32_t)HOST, (uint32_t)(HOST >> 32), 256, 0x00027fac};
    struct atoll_pm4 *p = atoll_pm4_create(atoll_chip(gpu));
    struct atoll_ib ib = {ATOLL_RING_COMPUTE, IB, 0};
    const uint32_t *dw;

    atoll_pm4_set(p, "COMPUTE_PGM_LO", "0x%x", (unsigned)(CODE >> 8));
    atoll_pm4_set(p, "COMPUTE_PGM_HI", "0");
    atoll_pm4_set(p, "COMPUTE_PGM_RSRC1", "VGPRS=1 SGPRS=1 FLOAT_MODE=0xc0");
    atoll_pm4_set(p, "COMPUTE_PGM_RSRC2", "USER_SGPR=8");
    atoll_pm4_set(p, "COMPUTE_NUM_THREAD_X", "NUM_THREAD_FULL=64");
    atoll_pm4_set(p, "COMPUTE_NUM_THREAD_Y", "NUM_THREAD_FULL=1");
    atoll_pm4_set(p, "COMPUTE_NUM_THREAD_Z", "NUM_THREAD_FULL=1");
    atoll_pm4_set_array(p, "COMPUTE_USER_DATA_0", 8, v);
    atoll_pm4_packet_compute(p, "DISPATCH_DIRECT", 4, (const uint32_t[]){1, 1, 1, 1});
    dw = atoll_pm4_dwords(p, &ib.size_dw);
    ck_assert_msg(dw != NULL, "%s", atoll_pm4_error(p));
    ck_assert_int_eq(atoll_write(gpu, IB, dw, 4 * ib.size_dw), 0);
    ck_assert_msg(atoll_submit(gpu, &ib, 1) == 0, "%s", atoll_error(gpu));
    atoll_pm4_destroy(p);
}

START_TEST(recording)
{
    struct atoll_options opt = {.quiet = 1};
    struct atoll_gpu *gpu = atoll_gpu_create("bonaire", &opt);
    struct replay_options ropt = {.last_draw = UINT32_MAX, .device = opt};
    uint32_t *host = aligned_alloc(4096, 4096), code[64], word;
    char path[] = "test_build_XXXXXX";
    struct capture_reader *rd;
    struct replay *r;
    struct err e;
    int n;

    close(mkstemp(path));
    memset(host, 0, 4096);
    ck_assert_int_eq(atoll_record(gpu, path, "test_build"), 0);
    ck_assert_int_eq(atoll_record(gpu, path, "test_build"), -1);
    ck_assert_int_eq(atoll_map(gpu, IB, 4096, NULL), 0);
    ck_assert_int_eq(atoll_map(gpu, CODE, 4096, NULL), 0);
    ck_assert_int_eq(atoll_map(gpu, DATA, 4096, NULL), 0);
    ck_assert_int_eq(atoll_map(gpu, HOST, 4096, host), 0);
    n = atoll_assemble("bonaire", shader, "shader", code, 64, NULL);
    ck_assert_int_eq(atoll_write(gpu, CODE, code, 4 * (uint64_t)n), 0);
    for (uint32_t i = 0; i < 2; i++) {
        host[5] = 7 + i;
        dispatch(gpu);
        ck_assert_int_eq(atoll_read(gpu, DATA + 20, &word, 4), 0);
        ck_assert_uint_eq(word, 0x1234 + 7 + i);
        ck_assert_int_eq(atoll_record_expect(gpu, DATA, 4096), 0);
    }
    ck_assert_ptr_null(atoll_module_load(gpu, "", 1));
    host[5]++; /* which no submission carries into the recording */
    ck_assert_int_eq(atoll_record_expect(gpu, HOST, 4096), 0);
    ck_assert_int_eq(atoll_unmap(gpu, HOST, 4096), 0);
    ck_assert_int_eq(atoll_record_end(gpu), 0);
    ck_assert_int_eq(atoll_record_end(gpu), -1);
    ck_assert_int_eq(atoll_record(gpu, path, "test_build"), -1); /* memory is mapped */
    atoll_gpu_destroy(gpu);

    for (unsigned bent = 0; bent < 2; bent++) {
        rd = capture_open(path, &e);
        ck_assert_msg(rd != NULL, "%s", e.text);
        ropt.bent = bent;
        r = replay_create(rd, &ropt, &e);
        ck_assert_ptr_nonnull(r);
        ck_assert_int_eq(replay_run(r, &e), bent ? REPLAY_DONE : REPLAY_FAULTED);
        ck_assert_uint_eq(replay_submissions(r), 2);
        ck_assert_uint_eq(replay_mismatches(r), !bent); /* the last of three */
        if (bent)
            break;
        replay_destroy(r);
        capture_close(rd);
    }
    ck_assert_int_eq(atoll_read(replay_gpu(r), DATA + 20, &word, 4), 0);
    ck_assert_uint_eq(word, 0x1234 + 8);
    replay_destroy(r);
    capture_close(rd);
    unlink(path);
    free(host);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("build");
    TCase *t = tcase_create("build");
    SRunner *r = srunner_create(s);
    int bad;

    tcase_add_test(t, values);
    tcase_add_test(t, errors_stay);
    tcase_add_test(t, programs);
    tcase_add_test(t, recording);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    bad = srunner_ntests_failed(r);
    srunner_free(r);
    return bad != 0;
}
