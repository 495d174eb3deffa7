/* The source of the code objects in this folder: seeds for fuzz_codeobj. make.sh says how they were made. */
extern constant int weak_number __attribute__((weak));
constant int table[4] = { 7, 11, 13, 17 };
global int counter = 5;

__attribute__((noinline)) static int helper(int a) { return a * 3 + table[a & 3]; }

kernel void first(global int *out, int a, local int *l)
{
    uint i = __builtin_amdgcn_workitem_id_x() + 64 * __builtin_amdgcn_workgroup_id_x();
    volatile int p[4];

    p[i & 3] = a;
    l[i & 63] = helper(i);
    out[i] = l[i & 63] + p[i & 3] + counter;
    if (&weak_number)
        out[i] += weak_number;
}

kernel void second(global long *out, long a, float4 b)
{
    out[__builtin_amdgcn_workitem_id_x()] = a + (long)b.y;
}
