/* bench_device.c: whole pieces of work of a device, as its users give it. Run in the source tree: they need files of
 * it. */
#include "emu/gpu.h"
#include "emu/replay.h"
#include "tools/bench.h"

#include <stdlib.h>
#include <unistd.h>

#define TRIANGLE "testvectors/replay/triangle/capture.gcap"
#define MATMUL   "testvectors/bench/matmul.gfx900.co"

/* ---- replay ------------------------------------------------------------------------------- */

/* The shipped capture, from opening the file to the end, again and again. */
static int triangle(const struct bench *b, struct bench_result *out, struct err *e)
{
    struct replay_options opt = {.device = {.quiet = 1, .threads = 1}, .last_draw = UINT32_MAX};
    double t0 = bench_now_s(), seconds;
    unsigned n = 0;

    do {
        struct capture_reader *rd = capture_open_any(TRIANGLE, e);
        struct replay *r = rd ? replay_create(rd, &opt, e) : NULL;
        bool done = r && replay_run(r, e) == REPLAY_DONE;

        replay_destroy(r);
        if (rd)
            capture_close(rd);
        if (!done)
            return -1;
        n++;
        seconds = bench_now_s() - t0;
    } while (seconds < 1);
    out->unit = "replays";
    out->rate = n / seconds;
    out->threads = 1;
    return 0;
}

/* ---- matrix multiplication ---------------------------------------------------------------- */

enum { SIZE = 256, BYTES = SIZE * SIZE * 4 };
#define A_VA 0x100000000ull

struct matmul {
    struct atoll_gpu *gpu;
    struct atoll_module *m;
    const char *kernel;
    bool failed;
    double (*now)(void);
};

static void matmul_end(struct matmul *k)
{
    if (k->m)
        atoll_module_unload(k->m);
    atoll_gpu_destroy(k->gpu);
}

static int matmul_begin(struct matmul *k, const char *kernel, unsigned threads, struct err *e)
{
    const struct atoll_options opt = {.quiet = 1, .threads = threads};
    FILE *f = fopen(MATMUL, "rb");
    static uint8_t elf[1 << 16];
    size_t n = f ? fread(elf, 1, sizeof elf, f) : 0;
    float *m;

    if (f)
        fclose(f);
    *k = (struct matmul){.kernel = kernel, .now = threads == 1 ? bench_now_s : bench_wall_s};
    if (!n)
        return err_set(e, "cannot read %s (run this in the source tree)", MATMUL);
    m = malloc(2 * BYTES);
    k->gpu = atoll_gpu_create("vega10", &opt);
    if (!m || !k->gpu) {
        free(m);
        matmul_end(k);
        return err_set(e, "out of memory");
    }
    for (unsigned i = 0; i < 2 * SIZE * SIZE; i++)
        m[i] = (float)(i % 251) / 256;
    k->m = atoll_module_load(k->gpu, elf, n);
    if (!k->m || atoll_map(k->gpu, A_VA, 3 * BYTES, NULL) || atoll_write(k->gpu, A_VA, m, 2 * BYTES)) {
        err_set(e, "%s", atoll_error(k->gpu));
        free(m);
        matmul_end(k);
        return -1;
    }
    free(m);
    return 0;
}

/* One multiplication; multiply-adds a second. */
static double multiply(void *arg)
{
    struct matmul *k = arg;
    const uint64_t va[3] = {A_VA, A_VA + BYTES, A_VA + 2 * BYTES};
    const uint32_t n = SIZE;
    const struct atoll_kernel_arg args[] = {{&va[0], 8}, {&va[1], 8}, {&va[2], 8}, {&n, 4}};
    const struct atoll_kernel_launch l = {.kernel = k->kernel, .grid = {SIZE, SIZE, 1}, .group = {16, 16, 1},
                                          .args = args, .arg_count = ARRAY_LEN(args)};
    double t = k->now();

    k->failed |= atoll_module_launch(k->m, &l) != 0;
    return (double)SIZE * SIZE * SIZE / (k->now() - t);
}

/* The best of some runs, each beside the host's peak when there is one. */
static int matmul(const struct bench *b, struct bench_result *out, struct err *e)
{
    enum { TIMES = 12 };
    struct matmul k;

    if (matmul_begin(&k, b->arg, 1, e))
        return -1;
    multiply(&k);
    for (unsigned i = 0; i < TIMES; i++) {
        double host = 0, rate;

        for (unsigned j = 0; j < 8; j++)
            host = MAX2(host, bench_host_fma32());
        rate = multiply(&k);
        out->rate = MAX2(out->rate, rate);
        out->host_rate = MAX2(out->host_rate, host);
        out->median_ratio = MAX2(out->median_ratio, rate / host);
    }
    out->unit = "lane-ops";
    out->host_what = "FMA of floats";
    out->threads = 1;
    if (k.failed)
        err_set(e, "%s", atoll_error(k.gpu));
    matmul_end(&k);
    return k.failed ? -1 : 0;
}

/* All processors beside one of them: the ratio is how many times as fast. */
static int scaling(const struct bench *b, struct bench_result *out, struct err *e)
{
    enum { TIMES = 12 };
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct matmul one, all;
    bool failed;

    if (matmul_begin(&one, b->arg, 1, e))
        return -1;
    if (matmul_begin(&all, b->arg, 0, e)) {
        matmul_end(&one);
        return -1;
    }
    one.now = bench_wall_s;
    multiply(&one);
    multiply(&all);
    for (unsigned i = 0; i < TIMES; i++) {
        double with_one = multiply(&one), with_all = multiply(&all);

        out->host_rate = MAX2(out->host_rate, with_one);
        out->rate = MAX2(out->rate, with_all);
        out->median_ratio = MAX2(out->median_ratio, with_all / with_one);
    }
    out->unit = "lane-ops";
    out->host_what = "the same on one thread";
    out->threads = cpus > 0 ? (unsigned)cpus : 1;
    failed = one.failed || all.failed;
    if (failed)
        err_set(e, "%s", atoll_error(one.failed ? one.gpu : all.gpu));
    matmul_end(&one);
    matmul_end(&all);
    return failed ? -1 : 0;
}

const struct bench bench_device[] = {
    {"matmul", "256 x 256 floats, tiles in LDS, compiled by clang for gfx900 (" MATMUL ")", matmul, "matmul_tiled"},
    {"matmul_naive", "the same without LDS", matmul, "matmul_naive"},
    {"matmul_threads", "tiles in LDS, on all processors", scaling, "matmul_tiled"},
    {"triangle_replay", "the shipped capture " TRIANGLE ", opened and replayed", triangle, NULL},
    {0},
};
