/* bench.h: what a benchmark is to `atoll bench`. */
#ifndef ATOLL_BENCH_H
#define ATOLL_BENCH_H

#include "base/base.h"

/* Either lane operations a second, which are set against the host's FMA peak, or another rate by
 * its JSON name ("triangles_per_s"). */
struct bench_result {
    double lane_ops_per_s, host_peak; /* the best of many short runs in turn */
    double median_ratio;              /* of neighbouring runs of the two */
    const char *rate_name;
    double rate;
};

struct bench {
    const char *name, *what;
    int (*run)(struct bench_result *out, struct err *e); /* 0, or -1 with *e set */
};

/* Seconds on a clock that only goes forward. */
double bench_now_s(void);

#endif
