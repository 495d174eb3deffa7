/* Vectors: every width, swizzles, shuffles, comparison, selection, conversion, indexing. */

#define OPS(name, T, N) \
kernel void name(global const T *in, global T *out, uint n) \
{ \
    uint i = get_global_id(0); \
    T##N a = vload##N(2 * i, in), b = vload##N(2 * i + 1, in); \
    vstore##N(a + b, 6 * i, out); vstore##N(a * b - a, 6 * i + 1, out); vstore##N(a & ~b, 6 * i + 2, out); \
    vstore##N(select(a, b, a < b), 6 * i + 3, out); vstore##N(a >> (b & (T)7), 6 * i + 4, out); \
    vstore##N((T##N)(any(a > b) ? (T)1 : (T)2) + (T##N)(all(a != b) ? (T)4 : (T)8), 6 * i + 5, out); \
}
//! in=ints
OPS(k_char2, char, 2)
//! in=ints
OPS(k_char3, char, 3)
//! in=ints
OPS(k_char16, char, 16)
//! in=ints
OPS(k_short4, short, 4)
//! in=ints
OPS(k_short8, short, 8)
//! in=ints
OPS(k_int2, int, 2)
//! in=ints
OPS(k_int3, int, 3)
//! in=ints bytes=131072
OPS(k_int8, int, 8)
//! in=ints bytes=262144
OPS(k_int16, int, 16)
//! in=ints bytes=131072
OPS(k_long2, long, 2)
//! in=ints bytes=131072
OPS(k_long4, long, 4)

//! in=ints
kernel void swizzles(global const uint4 *in, global uint4 *out, uint n)
{
    uint i = get_global_id(0);
    uint4 a = in[2 * i], b = in[2 * i + 1], c = a;
    uint8 d = (uint8)(a, b);

    c.xz = b.wy; c.s3 = a.s0;
    out[6 * i] = c; out[6 * i + 1] = a.wwxy + b.zyxw; out[6 * i + 2] = d.odd; out[6 * i + 3] = d.s7531;
    out[6 * i + 4] = (uint4)(a.hi, b.lo); out[6 * i + 5] = shuffle2(a, b, (uint4)(a.x & 7, b.y & 7, 5, 2));
}

//! in=ints
kernel void indexing(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0);
    uint8 v = vload8(i, in);
    uint4 w = vload4(i, in);
    uint k = in[i] & 7;

    v[k] = 99; w[k & 3] += v[(k + 3) & 7];
    vstore8(v, 2 * i, out); vstore4(w, 4 * i + 2, out);
    vstore4(shuffle(v, (uint4)(k, 7 - k, k ^ 2, 1)), 4 * i + 3, out);
}

//! in=f32 out=f32
kernel void floats(global const float *in, global float *out, uint n)
{
    uint i = get_global_id(0);
    float8 a = vload8(2 * i, in), b = vload8(2 * i + 1, in);

    vstore8(a * b + a.s76543210, 4 * i, out); vstore8(a < b ? a : b, 4 * i + 1, out);
    vstore8(fma(a, b, b), 4 * i + 2, out); vstore8(a / b, 4 * i + 3, out);
}
