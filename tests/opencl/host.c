/* The host's side of the OpenCL tests: runs a kernel that clang compiled for the host, work-item by
 * work-item. Work-items of a group are coroutines, so that barriers work; groups run one after the
 * other. What the kernels call beyond that is in the shim that shim.py writes. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

enum { STACK_BYTES = 256 << 10 };

static struct {
    uint32_t grid[3], group[3], group_id[3], size[3], local_id[3];
    void (*kernel)(const void *, void *, uint32_t);
    const void *in;
    void *out;
    uint32_t n;
    ucontext_t main, *item;
    char *stacks, *done;
    unsigned current;
} h;

static void set_local(unsigned i)
{
    h.current = i;
    h.local_id[0] = i % h.size[0];
    h.local_id[1] = i / h.size[0] % h.size[1];
    h.local_id[2] = i / h.size[0] / h.size[1];
}

static void start(void)
{
    h.kernel(h.in, h.out, h.n);
    h.done[h.current] = 1;
}

void host_barrier(void)
{
    swapcontext(&h.item[h.current], &h.main);
}

/* kernel(in, out, n) over the grid, in groups; the last of a dimension may be partial. */
void host_run(void (*kernel)(const void *, void *, uint32_t), const void *in, void *out, uint32_t n,
              const uint32_t grid[3], const uint32_t group[3])
{
    unsigned max = group[0] * group[1] * group[2];

    h.kernel = kernel;
    h.in = in;
    h.out = out;
    h.n = n;
    h.item = calloc(max, sizeof *h.item);
    h.stacks = malloc((size_t)max * STACK_BYTES);
    h.done = malloc(max);
    for (unsigned i = 0; i < 3; i++) {
        h.grid[i] = grid[i];
        h.group[i] = group[i];
    }
    for (uint32_t z = 0; z < grid[2]; z += group[2])
        for (uint32_t y = 0; y < grid[1]; y += group[1])
            for (uint32_t x = 0; x < grid[0]; x += group[0]) {
                uint32_t at[3] = {x, y, z};
                unsigned items = 1, left;

                for (unsigned i = 0; i < 3; i++) {
                    h.group_id[i] = at[i] / group[i];
                    h.size[i] = grid[i] - at[i] < group[i] ? grid[i] - at[i] : group[i];
                    items *= h.size[i];
                }
                for (unsigned i = 0; i < items; i++) {
                    getcontext(&h.item[i]);
                    h.item[i].uc_stack.ss_sp = h.stacks + (size_t)i * STACK_BYTES;
                    h.item[i].uc_stack.ss_size = STACK_BYTES;
                    h.item[i].uc_link = &h.main;
                    makecontext(&h.item[i], start, 0);
                    h.done[i] = 0;
                }
                do {
                    left = 0;
                    for (unsigned i = 0; i < items; i++)
                        if (!h.done[i]) {
                            set_local(i);
                            swapcontext(&h.main, &h.item[i]);
                            left += !h.done[i];
                        }
                } while (left);
            }
    free(h.item);
    free(h.stacks);
    free(h.done);
}

#define DIM(expr, otherwise) { return d < 3 ? (expr) : (otherwise); }
uint64_t host_global_id(uint32_t d) DIM(h.group_id[d] * h.group[d] + h.local_id[d], 0)
uint64_t host_local_id(uint32_t d) DIM(h.local_id[d], 0)
uint64_t host_group_id(uint32_t d) DIM(h.group_id[d], 0)
uint64_t host_global_size(uint32_t d) DIM(h.grid[d], 1)
uint64_t host_local_size(uint32_t d) DIM(h.size[d], 1)
uint64_t host_num_groups(uint32_t d) DIM((h.grid[d] + h.group[d] - 1) / h.group[d], 1)

/* Mathematics in more precision than the result has. */
#define F1(name) double hl_##name(double a) { return (double)name##l(a); }
#define F2(name) double hl_##name(double a, double b) { return (double)name##l(a, b); }
F1(sin) F1(cos) F1(tan) F1(asin) F1(acos) F1(atan) F1(sinh) F1(cosh) F1(tanh) F1(asinh) F1(acosh) F1(atanh)
F1(exp) F1(exp2) F1(exp10) F1(expm1) F1(log) F1(log2) F1(log10) F1(log1p) F1(cbrt) F1(erf) F1(erfc) F1(tgamma)
F1(rint) F1(floor) F1(ceil) F1(trunc) F1(round) F1(logb)
F2(pow) F2(atan2) F2(hypot) F2(fmod) F2(remainder) F2(fdim) F2(copysign)
F1(lgamma)
double hl_sqrt(double a) { return sqrt(a); } /* rounding twice would be wrong */
double hl_rsqrt(double a) { return (double)(1 / sqrtl(a)); }
/* The nearest half is taken off exactly, so that what is left is small. */
static long double sinpi_quarter(double a, int quarter)
{
    double half = fabs(a) < 0x1p53 ? rint(2 * a) : 0, left = fabs(a) < 0x1p53 ? a - half / 2 : 0; /* even beyond */
    long double x = M_PIl * left;

    switch (((int)fmod(half, 4) + quarter + 8) & 3) {
    case 0: return sinl(x);
    case 1: return cosl(x);
    case 2: return -sinl(x);
    default: return -cosl(x);
    }
}
double hl_sinpi(double a) { return isfinite(a) ? (double)sinpi_quarter(a, 0) : NAN; }
double hl_cospi(double a) { return isfinite(a) ? (double)sinpi_quarter(a, 1) : NAN; }
double hl_tanpi(double a)
{
    double odd = fmod(a - 0.5, 2);

    if (!isfinite(a))
        return NAN;
    if (fabs(a) < 0x1p52 && a - 0.5 == rint(a - 0.5)) /* half way: infinities by turns */
        return odd == 0 ? INFINITY : -INFINITY;
    return (double)(sinpi_quarter(a, 0) / sinpi_quarter(a, 1));
}
double hl_asinpi(double a) { return (double)(asinl(a) / M_PIl); }
double hl_acospi(double a) { return (double)(acosl(a) / M_PIl); }
double hl_atanpi(double a) { return (double)(atanl(a) / M_PIl); }
double hl_atan2pi(double a, double b) { return (double)(atan2l(a, b) / M_PIl); }
double hl_pown(double a, int n) { return (double)powl(a, n); }
double hl_rootn(double a, int n)
{
    long double r = powl(fabsl(a), 1.0L / n);

    return n == 0 || (a < 0 && !(n & 1)) ? NAN : (double)(n & 1 ? copysignl(r, a) : r);
}
double hl_powr(double a, double b) { return (double)powl(a, b); }
