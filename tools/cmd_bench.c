/* `atoll bench`: how fast the emulator is on this host.
 *
 * A rate says little without the host's: each is set against what one core of it does at best in the same class,
 * measured in the same run (bench_host.c). Benchmarks are rows of two tables: loops of instructions
 * (bench_loops.c) and work of a device (bench_device.c). */
#include "isa/exec.h"
#include "tools/bench.h"
#include "tools/tools.h"

#include <argp.h>
#include <jansson.h>
#include <stdlib.h>

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
    bool json, list;
    char **names;
    unsigned n;
};

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print an array of objects", 0},
    {"list", 'l', NULL, 0, "only name the benchmarks", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;

    switch (key) {
    case 'j': r->json = true; break;
    case 'l': r->list = true; break;
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
    printf("\n\n%-23s %21s %12s %8s %9s  %s\n", "benchmark", "rate", "beside", "ratio", "(median)",
           "what it is beside");
}

static void print_result(const struct bench *b, const struct bench_result *res)
{
    char rate[48];

    snprintf(rate, sizeof rate, "%.3g %s/s", res->rate, res->unit);
    printf("%-23s %21s", b->name, rate);
    if (res->host_rate > 0)
        printf(" %10.3g/s %8.3f %9.3f  %s", res->host_rate, res->rate / res->host_rate, res->median_ratio,
               res->host_what);
    printf("\n");
    fflush(stdout);
}

static json_t *as_json(const struct bench *b, const struct bench_result *res)
{
    json_t *o = json_object(), *f = json_array();

    json_object_set_new(o, "name", json_string(b->name));
    json_object_set_new(o, "what", json_string(b->what));
    json_object_set_new(o, "rate_per_s", json_real(res->rate));
    json_object_set_new(o, "unit", json_string(res->unit));
    json_object_set_new(o, "threads", json_integer((json_int_t)res->threads));
    if (res->host_rate > 0) {
        json_object_set_new(o, "beside", json_string(res->host_what));
        json_object_set_new(o, "beside_per_s", json_real(res->host_rate));
        json_object_set_new(o, "ratio", json_real(res->rate / res->host_rate));
        json_object_set_new(o, "median_ratio", json_real(res->median_ratio));
    }
    json_object_set_new(o, "host_level", json_string(isa_level_name(isa_level_host())));
    for (unsigned i = 0; i < ARRAY_LEN(features); i++)
        if (has_feature(i))
            json_array_append_new(f, json_string(features[i]));
    json_object_set_new(o, "host_features", f);
    return o;
}

/* Those of a table that are wanted: how many ran, -1 when one could not. */
static int run_table(const struct request *r, const struct bench *table, json_t *all)
{
    int ran = 0;

    for (const struct bench *b = table; b->name; b++) {
        struct bench_result res = {0};
        struct err e;

        if (!wanted(r, b->name))
            continue;
        ran++;
        if (r->list) {
            printf("%-23s %s\n", b->name, b->what);
            continue;
        }
        if (b->run(b, &res, &e) < 0) {
            fprintf(stderr, "atoll bench: %s: %s\n", b->name, e.text);
            return -1;
        }
        if (r->json)
            json_array_append_new(all, as_json(b, &res));
        else
            print_result(b, &res);
    }
    return ran;
}

int cmd_bench(int argc, char **argv)
{
    static const struct argp argp = {options, parse, "[NAME...]",
                                     "Measure the emulator's speed (all benchmarks, or those named).",
                                     NULL, NULL, NULL};
    struct request r = {0};
    json_t *all;
    int loops, device = 0;

    if (argp_parse(&argp, argc, argv, 0, NULL, &r))
        return EXIT_USAGE;
    __builtin_cpu_init();
    all = json_array();
    if (!r.json && !r.list)
        print_host();
    loops = run_table(&r, bench_loops, all);
    if (loops >= 0)
        device = run_table(&r, bench_device, all);
    if (r.json && loops >= 0 && device >= 0) {
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        putchar('\n');
    }
    json_decref(all);
    if (loops < 0 || device < 0)
        return EXIT_GUEST;
    if (!loops && !device) {
        fprintf(stderr, "atoll bench: no such benchmark; --list names them\n");
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}
