/* SAXPY, matrix multiplication, prefix sum, stencil, sparse matrix times vector. */
#include "compute.h"

#include <stdlib.h>
#include <string.h>

static float *random_floats(struct compute *c, size_t n)
{
    float *p = take(4 * n);

    for (size_t i = 0; i < n; i++)
        p[i] = random_f32(c) * 2 - 1;
    return p;
}

bool saxpy(struct compute *c)
{
    enum { N = 100000 };
    float *x = random_floats(c, N), *y = random_floats(c, N), *got = take(4 * N);
    uint64_t bx = buffer(c, x, 4 * N), by = buffer(c, y, 4 * N);
    bool ok;

    LAUNCH(c, "saxpy", N, 1, 256, 1, F32(2.5f), BUF(bx), BUF(by), U32(N));
    fetch(c, by, got, 4 * N);
    for (unsigned i = 0; i < N; i++)
        y[i] = 2.5f * x[i] + y[i];
    ok = close_to("saxpy", y, got, N, 1e-6);
    free(x);
    free(y);
    free(got);
    return ok;
}

bool matmul(struct compute *c)
{
    enum { N = 128 };
    float *a = random_floats(c, N * N), *b = random_floats(c, N * N), *want = take(4 * N * N), *got = take(4 * N * N);
    uint64_t ba = buffer(c, a, 4 * N * N), bb = buffer(c, b, 4 * N * N), bc = buffer(c, NULL, 4 * N * N);
    bool ok;

    for (unsigned y = 0; y < N; y++)
        for (unsigned x = 0; x < N; x++) {
            double sum = 0;

            for (unsigned k = 0; k < N; k++)
                sum += (double)a[y * N + k] * b[k * N + x];
            want[y * N + x] = (float)sum;
        }
    LAUNCH(c, "matmul_naive", N, N, 16, 16, BUF(ba), BUF(bb), BUF(bc), U32(N));
    fetch(c, bc, got, 4 * N * N);
    ok = close_to("matmul_naive", want, got, N * N, 1e-5);
    bc = buffer(c, NULL, 4 * N * N);
    LAUNCH(c, "matmul_tiled", N, N, 16, 16, BUF(ba), BUF(bb), BUF(bc), U32(N));
    fetch(c, bc, got, 4 * N * N);
    ok &= close_to("matmul_tiled", want, got, N * N, 1e-5);
    free(a);
    free(b);
    free(want);
    free(got);
    return ok;
}

/* Prefix sum of n = group^k numbers: groups, then their totals, then both together. */
static void scan_level(struct compute *c, uint64_t in, uint64_t out, uint32_t n)
{
    enum { GROUP = 256 };
    uint32_t groups = n / GROUP;
    uint64_t total = buffer(c, NULL, 4 * (size_t)GROUP * ((groups + GROUP - 1) / GROUP)), sums;

    LAUNCH(c, "scan_groups", n, 1, GROUP, 1, BUF(in), BUF(out), BUF(total), LOCAL(4 * GROUP));
    if (groups == 1)
        return;
    groups = (groups + GROUP - 1) / GROUP * GROUP;
    sums = buffer(c, NULL, 4 * (size_t)groups);
    scan_level(c, total, sums, groups);
    LAUNCH(c, "scan_add", n, 1, GROUP, 1, BUF(out), BUF(sums));
}

bool scan(struct compute *c)
{
    enum { N = 1 << 17 };
    uint32_t *in = take(4 * N), *got = take(4 * N), sum = 0;
    uint64_t bin, bout;
    bool ok;

    for (unsigned i = 0; i < N; i++)
        in[i] = random_u32(c);
    bin = buffer(c, in, 4 * N);
    bout = buffer(c, NULL, 4 * N);
    scan_level(c, bin, bout, N);
    fetch(c, bout, got, 4 * N);
    for (unsigned i = 0; i < N; i++)
        in[i] = sum += in[i];
    ok = same("scan", in, got, 4 * N);
    free(in);
    free(got);
    return ok;
}

bool stencil(struct compute *c)
{
    enum { W = 250, H = 190, STEPS = 8 };
    float *a = random_floats(c, W * H), *b = take(4 * W * H), *got = take(4 * W * H), *t;
    uint64_t ba = buffer(c, a, 4 * W * H), bb = buffer(c, NULL, 4 * W * H), bt;
    bool ok;

    for (unsigned s = 0; s < STEPS; s++) {
        LAUNCH(c, "stencil5", W, H, 16, 8, BUF(ba), BUF(bb), U32(W), U32(H));
        memcpy(b, a, 4 * W * H);
        for (unsigned y = 1; y < H - 1; y++)
            for (unsigned x = 1; x < W - 1; x++)
                b[y * W + x] = 0.5f * a[y * W + x] + 0.125f * (a[y * W + x - 1] + a[y * W + x + 1] +
                                                               a[(y - 1) * W + x] + a[(y + 1) * W + x]);
        bt = ba; ba = bb; bb = bt;
        t = a; a = b; b = t;
    }
    fetch(c, ba, got, 4 * W * H);
    ok = close_to("stencil", a, got, W * H, 1e-5);
    free(a);
    free(b);
    free(got);
    return ok;
}

bool spmv(struct compute *c)
{
    enum { ROWS = 5000, PER_ROW_MAX = 40 };
    uint32_t *row = take(4 * (ROWS + 1)), *col = take(4 * ROWS * PER_ROW_MAX), n = 0;
    float *val = random_floats(c, ROWS * PER_ROW_MAX), *x = random_floats(c, ROWS), *want = take(4 * ROWS),
          *got = take(4 * ROWS);
    uint64_t y;
    bool ok;

    for (unsigned r = 0; r < ROWS; r++) {
        unsigned k = random_u32(c) % PER_ROW_MAX;
        double sum = 0;

        for (row[r] = n; k--; n++) {
            col[n] = random_u32(c) % ROWS;
            sum += (double)val[n] * x[col[n]];
        }
        want[r] = (float)sum;
    }
    row[ROWS] = n;
    y = buffer(c, NULL, 4 * ROWS);
    LAUNCH(c, "spmv_csr", ROWS, 1, 64, 1, BUF(buffer(c, row, 4 * (ROWS + 1))), BUF(buffer(c, col, 4 * (size_t)n)),
           BUF(buffer(c, val, 4 * (size_t)n)), BUF(buffer(c, x, 4 * ROWS)), BUF(y), U32(ROWS));
    fetch(c, y, got, 4 * ROWS);
    ok = close_to("spmv", want, got, ROWS, 1e-5);
    free(row);
    free(col);
    free(val);
    free(x);
    free(want);
    free(got);
    return ok;
}
