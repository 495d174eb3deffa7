/* Linear algebra and neighbours: SAXPY, matrix multiplication, prefix sum, stencil, sparse matrix. */

kernel void saxpy(float a, global const float *x, global float *y, uint n)
{
    uint i = get_global_id(0);

    if (i < n)
        y[i] = a * x[i] + y[i];
}

kernel void matmul_naive(global const float *a, global const float *b, global float *c, uint n)
{
    uint x = get_global_id(0), y = get_global_id(1);
    float sum = 0;

    for (uint k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

#define TILE 16
__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void matmul_tiled(global const float *a, global const float *b, global float *c, uint n)
{
    local float ta[TILE][TILE], tb[TILE][TILE];
    uint x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0;

    for (uint t = 0; t < n; t += TILE) {
        ta[ly][lx] = a[y * n + t + lx];
        tb[ly][lx] = b[(t + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++)
            sum += ta[ly][k] * tb[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

/* Inclusive prefix sum of each group (up-sweep and down-sweep in LDS), and each group's total. */
kernel void scan_groups(global const uint *in, global uint *out, global uint *total, local uint *t)
{
    uint l = get_local_id(0), n = get_local_size(0), v = in[get_global_id(0)];

    t[l] = v;
    for (uint d = 1; d < n; d <<= 1) {
        uint i = (l + 1) * 2 * d - 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < n)
            t[i] += t[i - d];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!l) {
        total[get_group_id(0)] = t[n - 1];
        t[n - 1] = 0;
    }
    for (uint d = n >> 1; d; d >>= 1) {
        uint i = (l + 1) * 2 * d - 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < n) {
            uint x = t[i - d];
            t[i - d] = t[i];
            t[i] += x;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l] + v;
}

kernel void scan_add(global uint *out, global const uint *sums)
{
    uint g = get_group_id(0);

    if (g)
        out[get_global_id(0)] += sums[g - 1];
}

/* Five points, edges held. */
kernel void stencil5(global const float *in, global float *out, uint w, uint h)
{
    uint x = get_global_id(0), y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    if (!x || !y || x == w - 1 || y == h - 1)
        out[y * w + x] = in[y * w + x];
    else
        out[y * w + x] = 0.5f * in[y * w + x] + 0.125f * (in[y * w + x - 1] + in[y * w + x + 1] +
                                                          in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}

kernel void spmv_csr(global const uint *row, global const uint *col, global const float *val,
                     global const float *x, global float *y, uint rows)
{
    uint r = get_global_id(0);
    float sum = 0;

    if (r >= rows)
        return;
    for (uint k = row[r]; k < row[r + 1]; k++)
        sum += val[k] * x[col[k]];
    y[r] = sum;
}
