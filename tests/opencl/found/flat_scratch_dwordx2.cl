/* A generic pointer to private memory that LLVM does not see through: for GFX9 it stores 64 bits with one FLAT
 * instruction, whose dwords lie in two rows of scratch. */
__attribute__((noinline)) void put(ulong *p, ulong v) { *p = v; }
__attribute__((noinline)) void put4(uint4 *p, uint4 v) { *p = v.wzyx; }
__attribute__((noinline)) uint3 get3(uint3 *p) { return p[1]; }

//! in=ints
kernel void test(global const uint *in, global uint *out, uint n)
{
    uint i = get_global_id(0);
    local ulong l[64];
    ulong a = 0, b[2] = { 1, 2 };
    uint4 c[2];
    uint3 d[2] = { (uint3)(1, 2, 3), vload3(i, in) };

    put(&a, in[i] | (ulong)in[i + 1] << 32);
    put(&b[in[i] & 1], a * 3);
    put(&l[get_local_id(0)], a + b[0]);
    put4(&c[in[i] & 1], (uint4)(in[i], in[i + 2], 5, i));
    put4(&c[~in[i] & 1], (uint4)(in[i + 3], in[i + 4], 7, i));
    vstore4(c[0], 4 * i, out); vstore4(c[1], 4 * i + 1, out); vstore3(get3(d), 0, out + 16 * i + 8);
    out[16 * i + 12] = a ^ b[0] ^ b[1]; out[16 * i + 13] = (a + b[0] + b[1] + l[get_local_id(0)]) >> 32;
}
