/* The workloads people know, as OpenCL C kernels on an emulated GPU, each checked against the host.
 *
 *   compute CHIP DIR [NAME...]     DIR has linear.o, sorting.o, numeric.o, crypto.o for the chip
 *
 * run.sh compiles the kernels and runs this. */
#include "compute.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name, *object;
    workload_fn *run;
} workloads[] = {
    {"saxpy", "linear.o", saxpy},           {"matmul", "linear.o", matmul},
    {"scan", "linear.o", scan},             {"stencil", "linear.o", stencil},
    {"spmv", "linear.o", spmv},             {"radix_sort", "sorting.o", radix_sort},
    {"bitonic_sort", "sorting.o", bitonic_sort}, {"histogram", "sorting.o", histogram},
    {"bfs", "sorting.o", bfs},              {"fft", "numeric.o", fft},
    {"black_scholes", "numeric.o", black_scholes}, {"nbody", "numeric.o", nbody},
    {"mandelbrot", "numeric.o", mandelbrot}, {"aes128", "crypto.o", aes128},
    {"sha256", "crypto.o", sha256},
};
#define WORKLOADS (sizeof workloads / sizeof workloads[0])

static void die(const char *what, const char *why)
{
    fprintf(stderr, "compute: %s: %s\n", what, why);
    exit(2);
}

void *take(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);

    if (!p)
        die("memory", "out of it");
    return p;
}

uint64_t buffer(struct compute *c, const void *data, size_t bytes)
{
    uint64_t va = c->next_va, size = (bytes + 4095) & ~(uint64_t)4095;

    if (atoll_map(c->gpu, va, size, NULL) || (data && atoll_write(c->gpu, va, data, bytes)))
        die("buffer", atoll_error(c->gpu));
    c->next_va += size + 65536;
    return va;
}

void fetch(struct compute *c, uint64_t va, void *out, size_t bytes)
{
    if (atoll_read(c->gpu, va, out, bytes))
        die("buffer", atoll_error(c->gpu));
}

uint32_t f32(float f)
{
    uint32_t u;

    memcpy(&u, &f, sizeof u);
    return u;
}

uint32_t random_u32(struct compute *c)
{
    c->random ^= c->random >> 12;
    c->random ^= c->random << 25;
    c->random ^= c->random >> 27;
    return (uint32_t)(c->random * UINT64_C(2685821657736338717) >> 32);
}

float random_f32(struct compute *c)
{
    return (float)(random_u32(c) >> 8) / 16777216.0f;
}

void launch(struct compute *c, const char *kernel, uint32_t gx, uint32_t gy, uint32_t lx, uint32_t ly,
            unsigned argc, const struct arg *args)
{
    struct atoll_kernel_arg a[16];
    struct atoll_kernel_launch l = {.kernel = kernel, .grid = {gx, gy, 1}, .group = {lx, ly, 1},
                                    .args = a, .arg_count = argc};

    for (unsigned i = 0; i < argc; i++)
        a[i] = (struct atoll_kernel_arg){args[i].local ? NULL : &args[i].bits, args[i].bytes};
    if (atoll_module_launch(c->module, &l))
        die(kernel, atoll_error(c->gpu));
    c->launches++;
}

bool same(const char *what, const void *want, const void *got, size_t bytes)
{
    const uint8_t *a = want, *b = got;

    for (size_t i = 0; i < bytes; i++)
        if (a[i] != b[i]) {
            printf("%s: byte %zu of %zu is 0x%02x, not 0x%02x\n", what, i, bytes, b[i], a[i]);
            return false;
        }
    return true;
}

bool close_to(const char *what, const float *want, const float *got, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)want[i] - got[i]) <= tolerance * fmax(1, fabs(want[i])))) {
            printf("%s: number %zu of %zu is %.9g, not %.9g\n", what, i, n, got[i], want[i]);
            return false;
        }
    return true;
}

static bool run(const char *chip, const char *dir, unsigned i)
{
    static char elf[1 << 22];
    struct compute c = {.next_va = UINT64_C(0x100000000), .random = 88172645463325252u};
    struct timespec t0, t1;
    char path[4096];
    FILE *f;
    size_t n;
    bool ok;

    snprintf(path, sizeof path, "%s/%s", dir, workloads[i].object);
    f = fopen(path, "rb");
    if (!f)
        die(path, "cannot be opened");
    n = fread(elf, 1, sizeof elf, f);
    fclose(f);
    c.gpu = atoll_gpu_create(chip, NULL);
    if (!c.gpu)
        die(chip, "no such chip");
    c.module = atoll_module_load(c.gpu, elf, n);
    if (!c.module)
        die(path, atoll_error(c.gpu));
    clock_gettime(CLOCK_MONOTONIC, &t0);
    ok = workloads[i].run(&c);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("%-14s %-10s %3u launches  %7.3f s  %s\n", workloads[i].name, chip, c.launches,
           (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec), ok ? "ok" : "WRONG");
    fflush(stdout);
    atoll_module_unload(c.module);
    atoll_gpu_destroy(c.gpu);
    return ok;
}

int main(int argc, char **argv)
{
    bool ok = true;

    if (argc < 3)
        die("usage", "compute CHIP DIR [NAME...]");
    for (int a = 3; a < argc; a++) {
        unsigned i = 0;

        while (i < WORKLOADS && strcmp(workloads[i].name, argv[a]))
            i++;
        if (i == WORKLOADS)
            die(argv[a], "no such workload");
        ok &= run(argv[1], argv[2], i);
    }
    for (unsigned i = 0; argc == 3 && i < WORKLOADS; i++)
        ok &= run(argv[1], argv[2], i);
    return ok ? 0 : 1;
}
