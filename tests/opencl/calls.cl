/* Private arrays in scratch, calls that are not inlined, many arguments, spills, structures by value. */

//! in=ints
kernel void private_array(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0), a[32], r = 0;
    uchar b[16];

    for (int k = 0; k < 32; k++)
        a[k] = in[i + k] + k;
    for (int k = 0; k < 16; k++)
        b[k] = a[k * 2];
    for (int k = 0; k < 32; k++) {
        uint j = a[k] & 31;
        uint t = a[j];
        a[j] = a[k] ^ b[t & 15];
        a[k] = t;
        r = r * 7 + a[(r ^ k) & 31];
    }
    *(uchar *)&a[in[i] & 7] = r >> 20; /* through a byte pointer, as aliasing rules allow */
    out[2 * i] = r; out[2 * i + 1] = a[in[i + 1] & 31];
}

__attribute__((noinline)) uint mix3(uint a, uint b, uint c)
{
    a -= b; a ^= c << 7; b -= c; b ^= a >> 3; c -= a; c ^= b << 11;
    return a + b * 3 + c;
}

__attribute__((noinline)) ulong wide_args(ulong a, uchar b, short c, double d, uint4 e, ulong f, float g)
{
    return a + b * 3 + c - (ulong)(long)d + e.x * 5 + e.w + (f >> 3) + (int)g;
}

__attribute__((noinline)) uint many(uint a0, uint a1, uint a2, uint a3, uint a4, uint a5, uint a6, uint a7, uint a8, uint a9,
                                    uint b0, uint b1, uint b2, uint b3, uint b4, uint b5, uint b6, uint b7, uint b8, uint b9,
                                    uint c0, uint c1, uint c2, uint c3, uint c4, uint c5, uint c6, uint c7, uint c8, uint c9,
                                    uint d0, uint d1, uint d2, uint d3, uint d4, uint d5)
{
    return a0 + a1 * 2 + a2 * 3 + a3 * 4 + a4 * 5 + (a5 ^ a6) + (a7 | a8) + a9 + b0 * b1 + b2 + b3 * b4 + (b5 & b6) + b7 + b8 * b9 +
           c0 - c1 + c2 - c3 + c4 - c5 + c6 - c7 + c8 - c9 + d0 * 7 + d1 * 11 + d2 * 13 + d3 * 17 + d4 * 19 + d5 * 23;
}

//! in=ints
kernel void calls(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0);
    global const uint *p = in + i;
    uint r = mix3(p[0], p[1], p[2]);

    if (r & 1)
        r += mix3(r, p[3], 5);
    for (uint k = 0; k < (p[0] & 7); k++)
        r = mix3(r, k, p[k]);
    ulong w = wide_args(p[0] | (ulong)p[1] << 32, p[2], p[3], (double)(int)p[4], (uint4)(p[5], 1, 2, p[6]), (ulong)p[7] << 9, 3.5f);
    out[4 * i] = r; out[4 * i + 1] = w; out[4 * i + 2] = w >> 32;
    out[4 * i + 3] = many(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12], p[13], p[14], p[15],
                          p[16], p[17], p[18], p[19], p[20], p[21], p[22], p[23], p[24], p[25], p[26], p[27], p[28], p[29],
                          p[30], p[31], p[32], p[33], p[34], p[35]);
}

typedef struct { uint a[8]; ulong b; uchar c; } big;

__attribute__((noinline)) big change(big s, uint k)
{
    s.a[k & 7] += s.c; s.b = s.b * 3 + k; s.c ^= k;
    return s;
}

__attribute__((noinline)) void through_pointer(big *s, uint k)
{
    s->a[(k + 1) & 7] ^= (uint)s->b;
    if (k > 2)
        s->c++;
}

//! in=ints
kernel void structures(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0), r = 0;
    big s;

    for (int k = 0; k < 8; k++)
        s.a[k] = in[i + k];
    s.b = in[i + 8] | (ulong)in[i + 9] << 32;
    s.c = in[i + 10];
    for (uint k = 0; k < 5; k++) {
        s = change(s, k + in[i]);
        through_pointer(&s, k);
    }
    for (int k = 0; k < 8; k++)
        r = r * 31 + s.a[k];
    out[4 * i] = r; out[4 * i + 1] = s.b; out[4 * i + 2] = s.b >> 32; out[4 * i + 3] = s.c;
}

/* The pointer names its address space: for GFX7 and GFX8 and code object version 5 LLVM 19 forgets to hand the
 * implicit arguments, where the aperture is, to functions that need them only for a generic pointer. */
__attribute__((noinline)) uint level3(private uint *p, uint a) { p[a & 3] += a; return p[(a >> 2) & 3]; }
__attribute__((noinline)) uint level2(uint a) { uint t[4] = { a, a + 1, a * 2, 7 }; uint r = level3(t, a); return r + t[a & 3]; }
__attribute__((noinline)) uint level1(uint a) { volatile uint keep = a * 3; uint r = level2(a) ^ level2(a + 1); return r + keep; }

//! in=ints
kernel void deep(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0), a = in[i], r = 0;

    while (a) {
        r += level1(a);
        a >>= 7;
    }
    out[i] = r;
}

/* More values alive than there are registers. */
//! in=ints
__attribute__((amdgpu_num_vgpr(32)))
kernel void spills(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0);
    uint v[48];

#pragma unroll
    for (int k = 0; k < 48; k++)
        v[k] = in[i + k * 3];
#pragma unroll
    for (int k = 0; k < 48; k++)
        v[k] = v[k] * v[(k * 7 + 5) % 48] + v[(k * 11 + 3) % 48];
    uint r = 0;
#pragma unroll
    for (int k = 47; k >= 0; k--)
        r = r * 3 ^ v[k];
    out[i] = r;
}
