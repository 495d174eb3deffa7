/* Local memory and barriers: reductions, scans, sorts, transposes, all widths of access. */

//! in=ints grid=1024 group=256
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void reduce(global const uint *in, global uint *out, uint n)
{
    local uint a[256];
    uint l = get_local_id(0);

    a[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 128; s; s >>= 1) {
        if (l < s)
            a[l] += a[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (!l)
        out[get_group_id(0)] = a[0];
}

//! in=ints grid=1024 group=128
kernel void scan(global const uint *in, global uint *out, uint n)
{
    local uint a[2][128];
    uint l = get_local_id(0), k = 0;

    a[0][l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 1; s < 128; s <<= 1, k ^= 1) {
        a[k ^ 1][l] = a[k][l] + (l >= s ? a[k][l - s] : 0);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = a[k][l];
}

//! in=ints grid=1024 group=256
kernel void sort(global const int *in, global int *out, uint n)
{
    local int a[256];
    uint l = get_local_id(0);

    a[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 2; k <= 256; k <<= 1)
        for (uint j = k >> 1; j; j >>= 1) {
            uint x = l ^ j;
            if (x > l && (a[l] > a[x]) == ((l & k) == 0)) {
                int t = a[l];
                a[l] = a[x];
                a[x] = t;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    out[get_global_id(0)] = a[l];
}

//! in=ints grid=64,64 group=16,16
kernel void transpose(global const uint *in, global uint *out, uint n)
{
    local uint t[16][17];
    uint x = get_local_id(0), y = get_local_id(1), gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;

    t[y][x] = in[(gy + y) * 64 + gx + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(gx + y) * 64 + gy + x] = t[x][y];
}

typedef uint __attribute__((aligned(1))) uint_anywhere;
typedef ulong __attribute__((aligned(1))) ulong_anywhere;

//! in=ints grid=256 group=64
kernel void widths(global const uint *in, global uint *out, uint n)
{
    local uchar b[64 * 32];
    uint i = get_global_id(0), l = get_local_id(0);
    local uchar *p = b + 32 * l, *q = b + 32 * (l ^ 1);

    p[0] = in[i]; p[1] = in[i] >> 8; *(local ushort *)(p + 2) = in[i + 1]; *(local uint *)(p + 4) = in[i + 2];
    *(local ulong *)(p + 8) = in[i + 3] | (ulong)in[i + 4] << 32; *(local uint4 *)(p + 16) = (uint4)(in[i], in[i + 5], in[i + 6], in[i + 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[8 * i] = (char)q[0]; out[8 * i + 1] = *(local short *)(q + 2); out[8 * i + 2] = *(local uint *)(q + 4);
    out[8 * i + 3] = *(local ulong *)(q + 8) >> 16; uint4 v = *(local uint4 *)(q + 16);
    out[8 * i + 4] = v.x ^ v.z; out[8 * i + 5] = v.y + v.w;
    out[8 * i + 6] = *(local uint_anywhere *)(q + 5);
    out[8 * i + 7] = *(local ulong_anywhere *)(q + 11) >> 7;
}

//! in=ints grid=200 group=64
kernel void partial(global const uint *in, global uint *out, uint n)
{
    local uint sum[64];
    uint l = get_local_id(0), s = 0;

    sum[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < get_local_size(0); k++)
        s = s * 31 + sum[(l + k) % get_local_size(0)];
    out[get_global_id(0)] = s;
}
