/* bench.h: what a benchmark is to `atoll bench`, and the host's own peaks that it is set against. */
#ifndef ATOLL_BENCH_H
#define ATOLL_BENCH_H

#include "base/base.h"

/* A rate in some unit a second, beside the host's own in the same unit. Both are the best of many short
 * runs in turn; median_ratio is that of neighbouring runs. */
struct bench_result {
    double rate;
    double host_rate; /* 0: there is nothing to compare with */
    double median_ratio;
    const char *unit, *host_what; /* "lane-ops", "bytes", "insts", "replays"; "FMA of floats" */
    unsigned threads;             /* that the work ran on */
};

struct bench {
    const char *name, *what;
    int (*run)(const struct bench *b, struct bench_result *out, struct err *e); /* 0, or -1 with *e set */
    const void *arg;
};

/* Tables of them, ended by a row without name: loops of instructions, and work of a device. */
extern const struct bench bench_loops[], bench_device[];

/* Seconds of this thread, and on the clock on the wall. */
double bench_now_s(void);
double bench_wall_s(void);

/* Run `work` and `host`, each of which returns a rate, in turn; what else the machine does meets both. */
void bench_against(double (*work)(void *), void *arg, double (*host)(void), struct bench_result *out);

/* ---- the host: one core's peak over some 0.1 ms ------------------------------------------- */

double bench_host_fma32(void); /* lanes a second */
double bench_host_fma64(void);
double bench_host_add32(void); /* of integers */
double bench_host_mul32(void);
double bench_host_div32(void); /* of floats */
double bench_host_sqrt32(void);
double bench_host_exp(void);   /* libm's expf, value after value */
double bench_host_sin(void);
double bench_host_scalar(void);     /* additions of independent registers: instructions a second */
double bench_host_memcpy_near(void); /* bytes copied a second, within 32 KiB */
double bench_host_memcpy_far(void);  /* within 64 MiB */

#endif
