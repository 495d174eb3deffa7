/* `atoll bench`: how fast the emulator is on this host.
 *
 * Each benchmark is a row of the table below. A rate says little without the host's: what one core's
 * FMA units do is measured in the same run, and instruction benchmarks give their ratio to it. */
#include "emu/replay.h"
#include "isa/exec.h"
#include "isa/solo.h"
#include "tools/bench.h"
#include "tools/tools.h"

#include <argp.h>
#include <immintrin.h>
#include <jansson.h>
#include <stdlib.h>
#include <time.h>

/* ---- the host ----------------------------------------------------------------------------- */

double bench_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { FMA_ROUNDS = 1 << 16 };

/* Ten independent chains of FMAs (the units need 2 x 4 in flight); returns the lane-operations. */
__attribute__((target("avx512f"), noinline)) static double fma_512(void)
{
    __m512 a0 = _mm512_set1_ps(0), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0,
           a8 = a0, a9 = a0, m = _mm512_set1_ps(0.999f), c = _mm512_set1_ps(0.001f);

    for (unsigned r = 0; r < FMA_ROUNDS; r++)
        __asm__ volatile("vfmadd213ps %11, %10, %0\n\tvfmadd213ps %11, %10, %1\n\t"
                         "vfmadd213ps %11, %10, %2\n\tvfmadd213ps %11, %10, %3\n\t"
                         "vfmadd213ps %11, %10, %4\n\tvfmadd213ps %11, %10, %5\n\t"
                         "vfmadd213ps %11, %10, %6\n\tvfmadd213ps %11, %10, %7\n\t"
                         "vfmadd213ps %11, %10, %8\n\tvfmadd213ps %11, %10, %9"
                         : "+v"(a0), "+v"(a1), "+v"(a2), "+v"(a3), "+v"(a4), "+v"(a5), "+v"(a6),
                           "+v"(a7), "+v"(a8), "+v"(a9)
                         : "v"(m), "v"(c));
    return (double)FMA_ROUNDS * 10 * 16;
}

__attribute__((target("avx2,fma"), noinline)) static double fma_256(void)
{
    __m256 a0 = _mm256_set1_ps(0), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0,
           a8 = a0, a9 = a0, m = _mm256_set1_ps(0.999f), c = _mm256_set1_ps(0.001f);

    for (unsigned r = 0; r < FMA_ROUNDS; r++)
        __asm__ volatile("vfmadd213ps %11, %10, %0\n\tvfmadd213ps %11, %10, %1\n\t"
                         "vfmadd213ps %11, %10, %2\n\tvfmadd213ps %11, %10, %3\n\t"
                         "vfmadd213ps %11, %10, %4\n\tvfmadd213ps %11, %10, %5\n\t"
                         "vfmadd213ps %11, %10, %6\n\tvfmadd213ps %11, %10, %7\n\t"
                         "vfmadd213ps %11, %10, %8\n\tvfmadd213ps %11, %10, %9"
                         : "+x"(a0), "+x"(a1), "+x"(a2), "+x"(a3), "+x"(a4), "+x"(a5), "+x"(a6),
                           "+x"(a7), "+x"(a8), "+x"(a9)
                         : "x"(m), "x"(c));
    return (double)FMA_ROUNDS * 10 * 8;
}

/* Without FMA units: a multiplication and an addition each count half. */
static double mul_add_128(void)
{
    __m128 a0 = _mm_set1_ps(0), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0,
           m = _mm_set1_ps(0.999f), c = _mm_set1_ps(0.001f);

    for (unsigned r = 0; r < FMA_ROUNDS; r++)
        __asm__ volatile("mulps %8, %0\n\taddps %9, %1\n\tmulps %8, %2\n\taddps %9, %3\n\t"
                         "mulps %8, %4\n\taddps %9, %5\n\tmulps %8, %6\n\taddps %9, %7"
                         : "+x"(a0), "+x"(a1), "+x"(a2), "+x"(a3), "+x"(a4), "+x"(a5), "+x"(a6),
                           "+x"(a7)
                         : "x"(m), "x"(c));
    return (double)FMA_ROUNDS * 4 * 4;
}

/* Lane-operations a second of one core's FMA units, over some 0.1 ms. */
static double host_peak_once(void)
{
    double t = bench_now_s(), n;

    if (__builtin_cpu_supports("avx512f"))
        n = fma_512();
    else if (__builtin_cpu_supports("fma"))
        n = fma_256();
    else
        n = mul_add_128();
    return n / (bench_now_s() - t);
}

/* ---- against the host's peak -------------------------------------------------------------- */

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

enum { ROUNDS = 301 };

/* Rates of short pieces of work in turn with the host's, so that whatever else the machine does meets
 * both: the best of each, and the median of the ratios of neighbours. */
static void against_peak(double (*work)(void *), double (*host)(void), void *arg,
                         struct bench_result *out)
{
    double ratio[ROUNDS];

    work(arg); /* decoding, page faults, the caches */
    for (unsigned i = 0; i < ROUNDS; i++) {
        double peak = host(), rate = work(arg);

        out->lane_ops_per_s = MAX2(out->lane_ops_per_s, rate);
        out->host_peak = MAX2(out->host_peak, peak);
        ratio[i] = rate / peak;
    }
    qsort(ratio, ROUNDS, sizeof *ratio, compare_double);
    out->median_ratio = ratio[ROUNDS / 2];
}

/* ---- instruction loops -------------------------------------------------------------------- */

/* A wave that loops, some 0.2 ms of it. */
static double run_wave(void *arg)
{
    enum { INSTS = 1 << 15 };
    struct isa_solo *s = arg;
    uint64_t before = s->w->counters.valu_lanes;
    double t = bench_now_s();

    isa_run(s->code, s->w, INSTS);
    return (double)(s->w->counters.valu_lanes - before) / (bench_now_s() - t);
}

/* A loop of one instruction on changing registers, run by one wave with all lanes on. */
static int instruction(const char *text, struct bench_result *out, struct err *e)
{
    enum { COPIES = 32 };
    const struct isa_target *t = isa_target_find("gfx704");
    struct isa_solo *s = isa_solo_create(t, -1);
    uint32_t dw[2 * COPIES + 1];
    unsigned n = 0;

    if (!s)
        return err_set(e, "out of memory");
    for (unsigned i = 0; i < COPIES; i++) {
        uint32_t one[4];
        char line[96];
        int k;

        /* v_mac_f32 D, A, B */
        snprintf(line, sizeof line, "%s v%u, v%u, v%u", text, i % 16, 16 + i % 8, 24 + i % 8);
        k = isa_assemble(t, line, one, e);
        if (k < 0) {
            isa_solo_destroy(s);
            return -1;
        }
        memcpy(dw + n, one, 4 * (size_t)k);
        n += (unsigned)k;
    }
    dw[n] = 0xbf820000u | (uint16_t)-(int)(n + 1); /* s_branch to the start */
    n++;
    isa_solo_reset(s, ~UINT64_C(0), 0xc0);
    isa_solo_code(s, dw, n);
    for (unsigned i = 0; i < 32 * 64; i++)
        s->v[i] = f32_bits(1.0f / (float)(1 + i % 61));
    against_peak(run_wave, host_peak_once, s, out);
    isa_solo_destroy(s);
    return 0;
}

static int mac(struct bench_result *out, struct err *e)
{
    return instruction("v_mac_f32", out, e);
}

static int add(struct bench_result *out, struct err *e)
{
    return instruction("v_add_f32", out, e);
}

/* ---- replay ------------------------------------------------------------------------------- */

#define TRIANGLE "testvectors/replay/triangle/capture.gcap"

/* The shipped capture, from opening the file to the end, again and again. */
static int triangle(struct bench_result *out, struct err *e)
{
    struct replay_options opt = {.device = {.quiet = 1}, .last_draw = UINT32_MAX};
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
    out->rate_name = "replays_per_s";
    out->rate = n / seconds;
    return 0;
}

/* ---- the table ---------------------------------------------------------------------------- */

static const struct bench benches[] = {
    {"v_mac_f32", "one wave, v_mac_f32 on VGPRs, all lanes on", mac},
    {"v_add_f32", "one wave, v_add_f32 on VGPRs, all lanes on", add},
    {"triangle_replay", "the shipped capture " TRIANGLE ", opened and replayed", triangle},
};

static const char *const features[] = {"sse4.2", "avx", "f16c", "fma", "avx2", "avx512f",
                                       "avx512vl", "avx512dq", "avx512bw"};

static bool has_feature(unsigned i)
{
    switch (i) { /* the builtin takes a literal */
    case 0: return __builtin_cpu_supports("sse4.2");
    case 1: return __builtin_cpu_supports("avx");
    case 2: return __builtin_cpu_supports("f16c");
    case 3: return __builtin_cpu_supports("fma");
    case 4: return __builtin_cpu_supports("avx2");
    case 5: return __builtin_cpu_supports("avx512f");
    case 6: return __builtin_cpu_supports("avx512vl");
    case 7: return __builtin_cpu_supports("avx512dq");
    default: return __builtin_cpu_supports("avx512bw");
    }
}

/* ---- the command -------------------------------------------------------------------------- */

struct request {
    bool json;
    char **names;
    unsigned n;
};

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print an array of objects", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;

    switch (key) {
    case 'j': r->json = true; break;
    case ARGP_KEY_ARGS:
        r->names = state->argv + state->next;
        r->n = (unsigned)(state->argc - state->next);
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static bool wanted(const struct request *r, const char *name)
{
    for (unsigned i = 0; i < r->n; i++)
        if (!strcmp(r->names[i], name))
            return true;
    return r->n == 0;
}

static void print_host(void)
{
    printf("host: bodies for %s; features", isa_level_name(isa_level_host()));
    for (unsigned i = 0; i < ARRAY_LEN(features); i++)
        if (has_feature(i))
            printf(" %s", features[i]);
    printf("\n\n%-20s %14s %14s %9s %9s\n", "benchmark", "rate", "host's peak", "of peak",
           "(median)");
}

static json_t *as_json(const struct bench *b, const struct bench_result *res)
{
    json_t *o = json_object(), *f = json_array();

    json_object_set_new(o, "name", json_string(b->name));
    json_object_set_new(o, "what", json_string(b->what));
    if (res->lane_ops_per_s > 0) {
        json_object_set_new(o, "lane_ops_per_s", json_real(res->lane_ops_per_s));
        json_object_set_new(o, "host_peak_lane_ops_per_s", json_real(res->host_peak));
        json_object_set_new(o, "ratio_to_host_peak",
                            json_real(res->lane_ops_per_s / res->host_peak));
        json_object_set_new(o, "median_ratio_to_host_peak", json_real(res->median_ratio));
    }
    if (res->rate_name)
        json_object_set_new(o, res->rate_name, json_real(res->rate));
    json_object_set_new(o, "host_level", json_string(isa_level_name(isa_level_host())));
    for (unsigned i = 0; i < ARRAY_LEN(features); i++)
        if (has_feature(i))
            json_array_append_new(f, json_string(features[i]));
    json_object_set_new(o, "host_features", f);
    return o;
}

int cmd_bench(int argc, char **argv)
{
    static const struct argp argp = {options, parse, "[NAME...]",
                                     "Measure the emulator's speed (all benchmarks, or those named).",
                                     NULL, NULL, NULL};
    struct request r = {0};
    json_t *all = json_array();
    unsigned ran = 0;

    if (argp_parse(&argp, argc, argv, 0, NULL, &r))
        return EXIT_USAGE;
    __builtin_cpu_init();
    if (!r.json)
        print_host();
    for (unsigned i = 0; i < ARRAY_LEN(benches); i++) {
        struct bench_result res = {0};
        struct err e;

        if (!wanted(&r, benches[i].name))
            continue;
        ran++;
        if (benches[i].run(&res, &e) < 0) {
            fprintf(stderr, "atoll bench: %s: %s\n", benches[i].name, e.text);
            json_decref(all);
            return EXIT_GUEST;
        }
        if (r.json)
            json_array_append_new(all, as_json(&benches[i], &res));
        else if (res.lane_ops_per_s > 0)
            printf("%-20s %12.3g/s %12.3g/s %9.3f %9.3f\n", benches[i].name, res.lane_ops_per_s,
                   res.host_peak, res.lane_ops_per_s / res.host_peak, res.median_ratio);
        else
            printf("%-20s %12.3g %s\n", benches[i].name, res.rate, res.rate_name);
    }
    if (r.json) {
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        putchar('\n');
    }
    json_decref(all);
    if (!ran) {
        fprintf(stderr, "atoll bench: no such benchmark\n");
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}
