/* Integer built-in functions: counting, saturating, halving, rotating, for every type and some vectors. */

#define SCALAR(name, T, UT) \
kernel void name(global const T *in, global T *out, uint n) \
{ \
    uint i = get_global_id(0); \
    T a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2]; \
    global T *o = out + 16 * i; \
    o[0] = clz(a); o[1] = popcount(a); o[2] = rotate(a, b); o[3] = add_sat(a, b); o[4] = sub_sat(a, b); \
    o[5] = hadd(a, b); o[6] = rhadd(a, b); o[7] = mul_hi(a, b); o[8] = mad_hi(a, b, c); o[9] = mad_sat(a, b, c); \
    o[10] = max(a, b); o[11] = min(a, b); o[12] = clamp(a, min(b, c), max(b, c)); o[13] = abs(a); \
    o[14] = bitselect(a, b, c); o[15] = a ? ctz(a) : 77; \
}
//! in=ints
SCALAR(s_char, char, uchar)
//! in=ints
SCALAR(s_uchar, uchar, uchar)
//! in=ints
SCALAR(s_short, short, ushort)
//! in=ints
SCALAR(s_ushort, ushort, ushort)
//! in=ints
SCALAR(s_int, int, uint)
//! in=ints
SCALAR(s_uint, uint, uint)
//! in=ints bytes=131072
SCALAR(s_long, long, ulong)
//! in=ints bytes=131072
SCALAR(s_ulong, ulong, ulong)

#define VECTOR(name, V, M) \
kernel void name(global const V *in, global V *out, uint n) \
{ \
    uint i = get_global_id(0); \
    V a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2]; \
    global V *o = out + 12 * i; \
    o[0] = clz(a); o[1] = popcount(a); o[2] = rotate(a, b); o[3] = add_sat(a, b); o[4] = sub_sat(a, b); \
    o[5] = hadd(a, b); o[6] = mul_hi(a, b); o[7] = mad_sat(a, b, c); o[8] = max(a, b); o[9] = min(a, b); \
    o[10] = a * b + c; o[11] = as_##V(a < b) ^ (a << (b & (V)7)); \
}
//! in=ints
VECTOR(v_char4, char4, uchar4)
//! in=ints
VECTOR(v_short2, short2, ushort2)
//! in=ints
VECTOR(v_ushort8, ushort8, ushort8)
//! in=ints
VECTOR(v_int4, int4, uint4)
//! in=ints
kernel void v_uint3(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0);
    uint3 a = vload3(3 * i, in), b = vload3(3 * i + 1, in), c = vload3(3 * i + 2, in);

    vstore3(add_sat(a, b), 6 * i, out);
    vstore3(mad_hi(a, b, c), 6 * i + 1, out);
    vstore3(rotate(a, b) ^ c, 6 * i + 2, out);
    vstore3(as_uint3(a < b) + clz(c), 6 * i + 3, out);
    vstore3(rhadd(a, b), 6 * i + 4, out);
    vstore3(a.zxy * b.yzx - c, 6 * i + 5, out);
}
//! in=ints bytes=131072
VECTOR(v_long2, long2, ulong2)

/* What compilers turn into bit-field, byte and funnel instructions. */
//! in=ints bytes=65536
kernel void tricks(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0), a = in[2 * i], b = in[2 * i + 1];
    global uint *o = out + 24 * i;
    int s = a;

    o[0] = (a >> 5) & 0x3ff; o[1] = (s << 9) >> 20; o[2] = (a & 0xff00ff) | (b & ~0xff00ffu);
    o[3] = (a >> (b & 31)) & ((1u << (b & 15)) - 1); o[4] = a & (a - 1); o[5] = a & -a;
    o[6] = (a >> 8) | (b << 24); o[7] = (a << 16) | (b & 0xffff); o[8] = (a & 0xffff) * (b & 0xffff);
    o[9] = (int)(short)a * (int)(short)b; o[10] = mul24((int)(a & 0x7fffff), (int)(b & 0x7fffff));
    o[11] = mad24(a & 0xffff, b & 0xffff, a); o[12] = upsample((ushort)a, (ushort)b);
    o[13] = as_uint(as_uchar4(a).wzyx); o[14] = as_uint(as_uchar4(a).yxwz); o[15] = popcount(a ^ b);
    o[16] = ((a >> 24) & 0xff) + ((a >> 16) & 0xff) + ((a >> 8) & 0xff) + (a & 0xff);
    o[17] = abs_diff(a, b); o[18] = (a | b) - (a & b); o[19] = (a ^ b) == 0;
    uint r = a;
    r = (r >> 1 & 0x55555555) | (r & 0x55555555) << 1;
    r = (r >> 2 & 0x33333333) | (r & 0x33333333) << 2;
    r = (r >> 4 & 0x0f0f0f0f) | (r & 0x0f0f0f0f) << 4;
    r = (r >> 8 & 0x00ff00ff) | (r & 0x00ff00ff) << 8;
    o[20] = r >> 16 | r << 16;
    o[21] = max(max(a, b), r); o[22] = min(max((int)a, (int)b), (int)r); o[23] = a << (b & 31) | a >> (-b & 31);
}
