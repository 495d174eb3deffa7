/* Memory: sub-dword and unaligned accesses, all vector widths, address spaces, pointers of unknown space,
 * constant tables, structures. */

//! in=ints
kernel void bytes(global const uchar *in, global uchar *out, uint n)
{
    uint i = get_global_id(0);
    global uchar *o = out + 64 * i;
    global const char *s = (global const char *)in;
    global const ushort *h = (global const ushort *)in;

    o[0] = in[3 * i] + 1; o[1] = s[3 * i + 1] >> 1; o[5] = in[i * 7 % 1000]; o[6] = -s[i];
    *(global ushort *)(o + 8) = h[3 * i + 1]; *(global short *)(o + 10) = ((global const short *)in)[i] >> 3;
    *(global int *)(o + 12) = s[i] * s[i + 1]; *(global long *)(o + 16) = ((global const short *)in)[2 * i];
    *(global ulong *)(o + 24) = in[i] | (ulong)h[i] << 32;
    o[32] = h[i] >> 8;
    for (int k = 0; k < 5; k++)
        o[40 + k] = in[i * 5 + k] ^ k;
}

typedef struct __attribute__((packed)) { uchar a; ushort b; uint c; ulong d; float e; } packed;

typedef uint __attribute__((aligned(1))) uint_anywhere;

//! in=ints
kernel void unaligned(global const uchar *in, global uchar *out, uint n)
{
    uint i = get_global_id(0);
    global const packed *p = (global const packed *)in + i;
    global packed *q = (global packed *)(out + 1) + i;

    q->a = p->a + 1; q->b = p->b + 2; q->c = p->c * 3; q->d = p->d - 4;
    *(global uint_anywhere *)&q->e = *(global const uint_anywhere *)&p->e;
}

//! in=ints
kernel void widths(global const int *in, global int *out, uint n)
{
    uint i = get_global_id(0);
    global int *o = out + 64 * i;

    vstore2(vload2(i, in), 0, o); vstore3(vload3(i, in), 1, o); vstore4(vload4(i, in), 2, o); vstore8(vload8(i, in), 2, o);
    vstore16(vload16(i, in), 2, o);
    vstore3(convert_int3(vload3(i, (global const char *)in)), 17, o);
    vstore4(convert_int4(vload4(i, (global const short *)in)), 14, o);
}

constant uint table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
constant char text[] = "the quick brown fox";
constant float4 colours[3] = { (float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8), (float4)(9, 10, 11, 12) };

//! in=ints
kernel void constants(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0), a = in[i];

    out[4 * i] = table[a & 15]; out[4 * i + 1] = text[a % 19]; out[4 * i + 2] = as_uint(colours[a % 3].z);
    out[4 * i + 3] = table[n & 15] + text[n & 7];
}

int load(int *p, int i) { return p[i]; }
void store(int *p, int v) { *p = v; }

//! in=ints
kernel void generic_pointers(global int *in, global int *out, uint n)
{
    uint i = get_global_id(0), l = get_local_id(0);
    local int lds[64];
    int priv[4];

    lds[l] = in[i] + 5;
    for (int k = 0; k < 4; k++)
        priv[k] = in[i + k] ^ k;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = l & 1 ? (int *)lds : l & 2 ? (int *)priv : (int *)in;
    out[4 * i] = load(p, l & 3);
    store(l & 4 ? (int *)&lds[l] : l & 8 ? (int *)&priv[1] : (int *)&out[4 * i + 1], in[i]);
    out[4 * i + 2] = lds[l]; out[4 * i + 3] = priv[1];
}

struct inner { short a; char b[3]; };
struct outer { int x; struct inner in[2]; long y; float4 z; };

struct outer twist(struct outer s, struct inner t)
{
    s.in[0] = s.in[1]; s.in[1] = t; s.x += t.b[1]; s.y ^= t.a; s.z = s.z.wxyz;
    return s;
}

//! in=ints
kernel void structures(global const int *in, global struct outer *out, uint n)
{
    uint i = get_global_id(0);
    struct outer s = { 0 };
    struct inner t = { (short)in[i], { (char)in[i + 1], (char)in[i + 2], (char)in[i + 3] } };

    s.x = in[i + 4]; s.y = (long)in[i + 5] << 20; s.z = (float4)(1, 2, 3, 4); s.in[1].a = 7; s.in[1].b[2] = (char)in[i + 6];
    s = twist(s, t);
    out[i].x = s.x; out[i].y = s.y; out[i].z = s.z;
    for (int k = 0; k < 2; k++) {
        out[i].in[k].a = s.in[k].a;
        for (int m = 0; m < 3; m++)
            out[i].in[k].b[m] = s.in[k].b[m];
    }
}
