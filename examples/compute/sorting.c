/* Radix and bitonic sort, histogram, breadth-first search. */
#include "compute.h"

#include <stdlib.h>
#include <string.h>

static int by_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static int by_f32(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

bool radix_sort(struct compute *c)
{
    enum { N = 16384, GROUP = 256, COUNTS = 16 * N / GROUP };
    uint32_t *keys = take(4 * N), *got = take(4 * N);
    uint64_t a, b, count, t;
    bool ok;

    for (unsigned i = 0; i < N; i++)
        keys[i] = random_u32(c);
    a = buffer(c, keys, 4 * N);
    b = buffer(c, NULL, 4 * N);
    count = buffer(c, NULL, 4 * COUNTS);
    for (unsigned shift = 0; shift < 32; shift += 4) {
        LAUNCH(c, "radix_count", N, 1, GROUP, 1, BUF(a), BUF(count), U32(shift));
        LAUNCH(c, "radix_scan", 256, 1, 256, 1, BUF(count), U32(COUNTS));
        LAUNCH(c, "radix_scatter", N, 1, GROUP, 1, BUF(a), BUF(b), BUF(count), U32(shift));
        t = a; a = b; b = t;
    }
    fetch(c, a, got, 4 * N);
    qsort(keys, N, 4, by_u32);
    ok = same("radix_sort", keys, got, 4 * N);
    free(keys);
    free(got);
    return ok;
}

bool bitonic_sort(struct compute *c)
{
    enum { N = 8192 };
    float *a = take(4 * N), *got = take(4 * N);
    uint64_t b;
    bool ok;

    for (unsigned i = 0; i < N; i++)
        a[i] = random_f32(c) * 1000 - 500;
    b = buffer(c, a, 4 * N);
    for (unsigned k = 2; k <= N; k *= 2)
        for (unsigned j = k / 2; j; j /= 2)
            LAUNCH(c, "bitonic_step", N, 1, 256, 1, BUF(b), U32(j), U32(k));
    fetch(c, b, got, 4 * N);
    qsort(a, N, 4, by_f32);
    ok = same("bitonic_sort", a, got, 4 * N);
    free(a);
    free(got);
    return ok;
}

bool histogram(struct compute *c)
{
    enum { N = 400000 };
    uint8_t *in = take(N);
    uint32_t want[256] = {0}, got[256];
    uint64_t out;

    for (unsigned i = 0; i < N; i++) {
        in[i] = (uint8_t)(random_u32(c) & random_u32(c));
        want[in[i]]++;
    }
    out = buffer(c, NULL, sizeof got);
    LAUNCH(c, "histogram256", 64 * 40, 1, 128, 1, BUF(buffer(c, in, N)), BUF(out), U32(N / 4));
    fetch(c, out, got, sizeof got);
    free(in);
    return same("histogram", want, got, sizeof got);
}

bool bfs(struct compute *c)
{
    enum { N = 20000, EDGES = 60000 };
    uint32_t *first = take(4 * (N + 1)), *edge = take(4 * EDGES), *from = take(4 * EDGES), *depth = take(4 * N),
             *queue = take(4 * N), *got = take(4 * N), head = 0, tail = 1, n = 1;
    uint64_t bf, be, bd, bq, bn, count;
    bool ok;

    for (unsigned i = 0; i < EDGES; i++) {
        from[i] = random_u32(c) % N;
        first[from[i] + 1]++;
    }
    for (unsigned i = 0; i < N; i++)
        first[i + 1] += first[i];
    memcpy(queue, first, 4 * N);
    for (unsigned i = 0; i < EDGES; i++)
        edge[queue[from[i]]++] = random_u32(c) % N;
    memset(depth, 0xff, 4 * N);
    depth[0] = 0;
    bf = buffer(c, first, 4 * (N + 1));
    be = buffer(c, edge, 4 * EDGES);
    bd = buffer(c, depth, 4 * N);
    bq = buffer(c, NULL, 4 * N); /* vertex 0 */
    bn = buffer(c, NULL, 4 * N);
    count = buffer(c, NULL, 4);
    for (unsigned level = 0; n; level++) {
        const uint32_t zero = 0;
        uint64_t t = bq;

        atoll_write(c->gpu, count, &zero, 4);
        LAUNCH(c, "bfs_level", n, 1, 64, 1, BUF(bf), BUF(be), BUF(bd), BUF(bq), U32(n), BUF(bn), BUF(count), U32(level));
        fetch(c, count, &n, 4);
        bq = bn;
        bn = t;
    }
    fetch(c, bd, got, 4 * N);
    for (queue[0] = 0; head < tail; head++)
        for (uint32_t e = first[queue[head]]; e < first[queue[head] + 1]; e++)
            if (depth[edge[e]] == UINT32_MAX) {
                depth[edge[e]] = depth[queue[head]] + 1;
                queue[tail++] = edge[e];
            }
    ok = same("bfs", depth, got, 4 * N);
    free(first);
    free(edge);
    free(from);
    free(depth);
    free(queue);
    free(got);
    return ok;
}
