/* Integer arithmetic of all widths: wrap-around, comparison, shifts, division and remainder. */

//! bytes=65536
kernel void arithmetic(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0), a = in[2 * i], b = in[2 * i + 1];
    int sa = a, sb = b;
    global uint *o = out + 24 * i;

    o[0] = a + b; o[1] = a - b; o[2] = a * b; o[3] = a & b; o[4] = a | ~b; o[5] = a ^ b;
    o[6] = a << (b & 31); o[7] = a >> (b & 31); o[8] = sa >> (b & 31);
    o[9] = sa < sb; o[10] = a < b; o[11] = sa <= sb; o[12] = a >= b; o[13] = a == b;
    o[14] = -a; o[15] = ~a; o[16] = !a; o[17] = sa > 0 ? sa : -sa;
    o[18] = mad_hi(a, b, a); o[19] = mul_hi(sa, sb); o[20] = (a + b) > 7 ? a * 5 : b * 9;
    o[21] = (a << 7) + b; o[22] = (a & 0xff0000) >> 16; o[23] = (a * 7 - b) ^ (a >> 3);
}

#define DIV(name, T, UT, MINV) \
kernel void name(global const uint *in, global uint *out, uint n) \
{ \
    uint i = get_global_id(0); \
    global const T *p = (global const T *)in + 2 * i; \
    global const UT *q = (global const UT *)in + 2 * i; \
    global T *o = (global T *)out + 6 * i; \
    T a = p[0], b = p[1]; \
    UT ua = q[0], ub = q[1]; \
    if (!b || (a == MINV && b == -1)) b = 3; \
    if (!ub) ub = 7; \
    o[0] = a / b; o[1] = a % b; o[2] = ua / ub; o[3] = ua % ub; o[4] = a / 10; o[5] = ua % 1000; \
}
//! grid=512
DIV(div8, char, uchar, CHAR_MIN)
//! grid=512
DIV(div16, short, ushort, SHRT_MIN)
//! grid=512
DIV(div32, int, uint, INT_MIN)
//! grid=512
DIV(div64, long, ulong, LONG_MIN)

//! bytes=131072
kernel void wide(global const ulong *in, global ulong *out, uint n)
{
    uint i = get_global_id(0);
    ulong a = in[2 * i], b = in[2 * i + 1];
    long sa = a, sb = b;
    global ulong *o = out + 24 * i;

    o[0] = a + b; o[1] = a - b; o[2] = a * b; o[3] = a & ~b; o[4] = a | b; o[5] = a ^ b;
    o[6] = a << (b & 63); o[7] = a >> (b & 63); o[8] = sa >> (b & 63);
    o[9] = sa < sb; o[10] = a < b; o[11] = sa <= sb; o[12] = a >= b; o[13] = a == b;
    o[14] = -a; o[15] = mul_hi(a, b); o[16] = mul_hi(sa, sb); o[17] = abs(sa);
    o[18] = max(sa, sb); o[19] = min(a, b); o[20] = (uint)a * (ulong)(uint)b;
    o[21] = (long)(int)a * (int)b; o[22] = clz(a); o[23] = rotate(a, b);
}

//! bytes=65536
kernel void narrow(global const uchar *in, global uchar *out, uint n)
{
    uint i = get_global_id(0);
    char a = in[4 * i], b = in[4 * i + 1];
    ushort c = ((global const ushort *)in)[2 * i + 1];
    short d = c;
    global short *o = (global short *)out + 16 * i;

    o[0] = a + b; o[1] = (char)(a + b); o[2] = (uchar)(a * b); o[3] = a << 3; o[4] = (char)(a << 3);
    o[5] = c + a; o[6] = (ushort)(c * c); o[7] = d >> 5; o[8] = c >> 5; o[9] = (short)(d * a);
    o[10] = a < b; o[11] = d < a; o[12] = (uchar)a < (uchar)b; o[13] = -d; o[14] = ~c; o[15] = (char)d;
}

/* Vectors: LLVM expands each element's division by itself. */
#define VDIV(name, V, N) \
kernel void name(global const V *in, global V *out, uint n) \
{ \
    uint i = get_global_id(0); \
    V##N a = vload##N(2 * i, in), b = vload##N(2 * i + 1, in); \
    b = select(b, (V##N)11, (V##N)(b == (V##N)0 | b == (V##N)-1)); \
    vstore##N(a / b, 4 * i, out); vstore##N(a % b, 4 * i + 1, out); vstore##N(a / (V)7, 4 * i + 2, out); \
    vstore##N(a % (V##N)(b.x), 4 * i + 3, out); \
}
//! grid=512
VDIV(div_char4, char, 4)
//! grid=512
VDIV(div_short3, short, 3)
//! grid=512
VDIV(div_int4, int, 4)
//! grid=512
VDIV(div_long2, long, 2)
