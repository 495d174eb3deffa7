/* bench_host.c: what one core of the host does at best, class by class. The loops are written as
 * instructions, so that no compiler can do less (or more) than is counted; each has enough independent chains to
 * keep the units busy. */
#include "tools/bench.h"

#include <immintrin.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_now_s(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

double bench_wall_s(void)
{
    return seconds(CLOCK_MONOTONIC);
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

enum { ROUNDS = 301 };

void bench_against(double (*work)(void *), void *arg, double (*host)(void), struct bench_result *out)
{
    double ratio[ROUNDS];

    work(arg); /* decoding, page faults, the caches */
    host();
    for (unsigned i = 0; i < ROUNDS; i++) {
        double peak = host(), rate = work(arg);

        out->rate = MAX2(out->rate, rate);
        out->host_rate = MAX2(out->host_rate, peak);
        ratio[i] = rate / peak;
    }
    qsort(ratio, ROUNDS, sizeof *ratio, compare_double);
    out->median_ratio = ratio[ROUNDS / 2];
}

/* ---- vectors ------------------------------------------------------------------------------ */

enum { LOOPS = 1 << 14 };

/* Ten chains (the units need 2 x 4 or 5 in flight) of one instruction. `op` has %1 and %2 as sources
 * and %0 as the other source and result. */
#define CHAINS(op, reg, x, m, c)                                                                                 \
    for (unsigned r = 0; r < LOOPS; r++)                                                                         \
        __asm__ volatile(op("%10", "%11", "%0") op("%10", "%11", "%1") op("%10", "%11", "%2")                    \
                         op("%10", "%11", "%3") op("%10", "%11", "%4") op("%10", "%11", "%5")                    \
                         op("%10", "%11", "%6") op("%10", "%11", "%7") op("%10", "%11", "%8")                    \
                         op("%10", "%11", "%9")                                                                  \
                         : "+" reg(x[0]), "+" reg(x[1]), "+" reg(x[2]), "+" reg(x[3]), "+" reg(x[4]),            \
                           "+" reg(x[5]), "+" reg(x[6]), "+" reg(x[7]), "+" reg(x[8]), "+" reg(x[9])             \
                         : reg(m), reg(c))

#define THREE(name) THREE_##name
#define THREE_fma32(a, b, x) "vfmadd213ps " b ", " a ", " x "\n\t"
#define THREE_fma64(a, b, x) "vfmadd213pd " b ", " a ", " x "\n\t"
#define THREE_add32(a, b, x) "vpaddd " a ", " x ", " x "\n\t"
#define THREE_mul32(a, b, x) "vpmulld " a ", " x ", " x "\n\t"
#define THREE_div32(a, b, x) "vdivps " a ", " x ", " x "\n\t"
#define THREE_sqrt32(a, b, x) "vsqrtps " x ", " x "\n\t"
#define TWO_fma32(a, b, x) "mulps " a ", " x "\n\taddps " b ", " x "\n\t"
#define TWO_fma64(a, b, x) "mulpd " a ", " x "\n\taddpd " b ", " x "\n\t"
#define TWO_add32(a, b, x) "paddd " a ", " x "\n\t"
#define TWO_mul32(a, b, x) "pmuludq " a ", " x "\n\t" /* half the lanes: there is no other before SSE4.1 */
#define TWO_div32(a, b, x) "divps " a ", " x "\n\t"
#define TWO_sqrt32(a, b, x) "sqrtps " x ", " x "\n\t"

/* lanes128: of an instruction on 128 bits. Without FMA units a multiplication and an addition are one. */
#define PEAK(name, lanes128)                                                                                     \
    __attribute__((target("avx512f"), noinline)) static double name##_512(void)                                  \
    {                                                                                                            \
        __m512 x[10], m = _mm512_set1_ps(0.999f), c = _mm512_set1_ps(0.001f);                                    \
                                                                                                                 \
        for (unsigned i = 0; i < 10; i++)                                                                        \
            x[i] = _mm512_set1_ps(1);                                                                            \
        CHAINS(THREE_##name, "v", x, m, c);                                                                      \
        return LOOPS * 10.0 * 4 * lanes128;                                                                      \
    }                                                                                                            \
    __attribute__((target("avx2,fma"), noinline)) static double name##_256(void)                                 \
    {                                                                                                            \
        __m256 x[10], m = _mm256_set1_ps(0.999f), c = _mm256_set1_ps(0.001f);                                    \
                                                                                                                 \
        for (unsigned i = 0; i < 10; i++)                                                                        \
            x[i] = _mm256_set1_ps(1);                                                                            \
        CHAINS(THREE_##name, "x", x, m, c);                                                                      \
        return LOOPS * 10.0 * 2 * lanes128;                                                                      \
    }                                                                                                            \
    __attribute__((noinline)) static double name##_128(void)                                                     \
    {                                                                                                            \
        __m128 x[10], m = _mm_set1_ps(0.999f), c = _mm_set1_ps(0.001f);                                          \
                                                                                                                 \
        for (unsigned i = 0; i < 10; i++)                                                                        \
            x[i] = _mm_set1_ps(1);                                                                               \
        CHAINS(TWO_##name, "x", x, m, c);                                                                        \
        return LOOPS * 10.0 * lanes128;                                                                          \
    }                                                                                                            \
    double bench_host_##name(void)                                                                               \
    {                                                                                                            \
        double t = bench_now_s(), n;                                                                             \
                                                                                                                 \
        if (__builtin_cpu_supports("avx512f"))                                                                   \
            n = name##_512();                                                                                    \
        else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))                                \
            n = name##_256();                                                                                    \
        else                                                                                                     \
            n = name##_128();                                                                                    \
        return n / (bench_now_s() - t);                                                                          \
    }

PEAK(fma32, 4)
PEAK(fma64, 2)
PEAK(add32, 4)
PEAK(mul32, 4)
PEAK(div32, 4)
PEAK(sqrt32, 4)

/* ---- others ------------------------------------------------------------------------------- */

static double of_libm(float (*fn)(float))
{
    enum { N = 1 << 13 };
    volatile float sink;
    double t = bench_now_s();

    for (unsigned i = 0; i < N; i++)
        sink = fn((float)i * 0.001f);
    (void)sink;
    return N / (bench_now_s() - t);
}

double bench_host_exp(void)
{
    return of_libm(expf);
}

double bench_host_sin(void)
{
    return of_libm(sinf);
}

double bench_host_scalar(void)
{
    uint64_t a = 0, b = 0, c = 0, d = 0;
    double t = bench_now_s();

    for (unsigned r = 0; r < LOOPS; r++)
        __asm__ volatile("add $1, %0\n\tadd $2, %1\n\tadd $3, %2\n\tadd $4, %3\n\t"
                         "add $1, %0\n\tadd $2, %1\n\tadd $3, %2\n\tadd $4, %3\n\t"
                         "add $1, %0\n\tadd $2, %1\n\tadd $3, %2\n\tadd $4, %3\n\t"
                         "add $1, %0\n\tadd $2, %1\n\tadd $3, %2\n\tadd $4, %3"
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    return LOOPS * 16.0 / (bench_now_s() - t);
}

static double copy(uint8_t *m, size_t bytes, size_t at_once)
{
    static size_t at;
    size_t half = bytes / 2;
    double t = bench_now_s();

    at = (at + at_once) % half / at_once * at_once;
    memcpy(m + half + at, m + at, at_once);
    __asm__ volatile("" : : "r"(m) : "memory");
    return (double)at_once / (bench_now_s() - t);
}

double bench_host_memcpy_near(void)
{
    static uint8_t m[32768] __attribute__((aligned(64)));
    enum { TIMES = 256 };
    double t = bench_now_s();

    for (unsigned i = 0; i < TIMES; i++) {
        memcpy(m + sizeof m / 2, m, sizeof m / 2);
        __asm__ volatile("" : : "r"(m) : "memory");
    }
    return TIMES * (sizeof m / 2.0) / (bench_now_s() - t);
}

double bench_host_memcpy_far(void)
{
    enum { BYTES = 64 << 20 };
    static uint8_t *m;

    if (!m) {
        m = aligned_alloc(4096, BYTES);
        if (!m)
            return 0;
        memset(m, 1, BYTES);
    }
    return copy(m, BYTES, 1 << 20);
}
