/* What the workloads share: buffers in the memory of a device, launches, random numbers, checks. */
#ifndef COMPUTE_H
#define COMPUTE_H

#include "emu/gpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct compute {
    struct atoll_gpu *gpu;
    struct atoll_module *module;
    uint64_t next_va, random;
    unsigned launches;
};

/* A buffer of the device, filled with `data` (NULL: zeros). */
uint64_t buffer(struct compute *c, const void *data, size_t bytes);
/* Its contents, into `out`. */
void fetch(struct compute *c, uint64_t va, void *out, size_t bytes);

struct arg {
    uint64_t bits;
    uint32_t bytes;
    bool local;
};
#define BUF(va)   ((struct arg){(va), 8, false})
#define U32(v)    ((struct arg){(uint32_t)(v), 4, false})
#define F32(v)    ((struct arg){f32(v), 4, false})
#define LOCAL(n)  ((struct arg){0, (uint32_t)(n), true})

/* Run a kernel; ends the program with a message when it does not run. */
void launch(struct compute *c, const char *kernel, uint32_t gx, uint32_t gy, uint32_t lx, uint32_t ly,
            unsigned argc, const struct arg *args);
#define LAUNCH(c, kernel, gx, gy, lx, ly, ...)                                                      \
    launch(c, kernel, gx, gy, lx, ly, sizeof((struct arg[]){__VA_ARGS__}) / sizeof(struct arg),     \
           (struct arg[]){__VA_ARGS__})

uint32_t f32(float f);
uint32_t random_u32(struct compute *c);
float random_f32(struct compute *c); /* 0 .. 1 */
void *take(size_t bytes);            /* zeroed memory */

/* Whether all are equal; whether |a - b| <= tolerance * max(1, |a|). What is not is reported. */
bool same(const char *what, const void *want, const void *got, size_t bytes);
bool close_to(const char *what, const float *want, const float *got, size_t n, double tolerance);

/* A workload: true when the device's result is the host's. */
typedef bool workload_fn(struct compute *c);
workload_fn saxpy, matmul, scan, stencil, spmv;         /* linear.c */
workload_fn radix_sort, bitonic_sort, histogram, bfs;   /* sorting.c */
workload_fn fft, black_scholes, nbody, mandelbrot;      /* numeric.c */
workload_fn aes128, sha256;                             /* crypto.c */

#endif
