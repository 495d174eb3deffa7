/* Atomics on global and local memory, 32 and 64 bits: operations whose result does not depend on the order,
 * and returned values that are checked as a set. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

#define ALL32(p, s) \
    atomic_add(p + 0, a); atomic_sub(p + 1, a); atomic_inc(p + 2); atomic_dec(p + 3); atomic_and(p + 4, a | 0xf0f0f0f0); \
    atomic_or(p + 5, a & 0x01010101); atomic_xor(p + 6, a); atomic_min((s uint *)(p + 7), (uint)a); \
    atomic_max((s uint *)(p + 8), (uint)a); atomic_min(p + 9, a); atomic_max(p + 10, a); \
    x = atomic_add(p + 11, 1); y = atomic_inc(p + 12); atomic_xor(p + 13, x); atomic_xor(p + 14, y); \
    do { x = p[15]; } while (atomic_cmpxchg(p + 15, x, x + 3) != x);

//! in=ints grid=1024
kernel void global32(global const int *in, volatile global int *out, uint n)
{
    int a = in[get_global_id(0)], x, y;

    ALL32(out, volatile global)
}

//! in=ints grid=1024
kernel void local32(global const int *in, global int *out, uint n)
{
    volatile local int l[16];
    int a = in[get_global_id(0)], x, y;

    if (get_local_id(0) < 16)
        l[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    ALL32(l, volatile local)
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 16)
        out[get_group_id(0) * 16 + get_local_id(0)] = l[get_local_id(0)];
}

#define ALL64(p, s) \
    atom_add(p + 0, a); atom_sub(p + 1, a); atom_inc(p + 2); atom_dec(p + 3); atom_and(p + 4, a | 0xf0f0f0f0f0f0f0f0); \
    atom_or(p + 5, a & 0x0101010101010101); atom_xor(p + 6, a); atom_min((s ulong *)(p + 7), (ulong)a); \
    atom_max((s ulong *)(p + 8), (ulong)a); atom_min(p + 9, a); atom_max(p + 10, a); \
    x = atom_add(p + 11, 1); y = atom_inc(p + 12); atom_xor(p + 13, x); atom_xor(p + 14, y); \
    do { x = p[15]; } while (atom_cmpxchg(p + 15, x, x + 3) != x);

//! in=ints grid=1024
kernel void global64(global const long *in, volatile global long *out, uint n)
{
    long a = in[get_global_id(0)], x, y;

    ALL64(out, volatile global)
}

//! in=ints grid=1024
kernel void local64(global const long *in, global long *out, uint n)
{
    volatile local long l[16];
    long a = in[get_global_id(0)], x, y;

    if (get_local_id(0) < 16)
        l[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    ALL64(l, volatile local)
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 16)
        out[get_group_id(0) * 16 + get_local_id(0)] = l[get_local_id(0)];
}

//! in=ints grid=1024
kernel void c11(global const int *in, volatile global int *out, uint n)
{
    volatile global atomic_int *p = (volatile global atomic_int *)out;
    volatile global atomic_uint *q = (volatile global atomic_uint *)out;
    int a = in[get_global_id(0)], x = 0;

    atomic_fetch_add_explicit(p, a, memory_order_relaxed, memory_scope_device);
    atomic_fetch_xor_explicit(p + 1, a, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_or_explicit(p + 2, a & 0x11111, memory_order_seq_cst, memory_scope_work_group);
    atomic_fetch_max_explicit(p + 3, a, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(q + 4, (uint)a, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_strong_explicit(p + 5, &x, x * 5 + 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device))
        ;
    atomic_fetch_sub_explicit(p + 6, atomic_load_explicit(p + 7, memory_order_relaxed, memory_scope_device) + a, memory_order_relaxed, memory_scope_device);
}

/* A float sum by compare and swap; the values are integers, so that the order does not matter. */
//! in=small grid=512 out=f32
kernel void float_sum(global const uint *in, volatile global uint *out, uint n)
{
    float v = in[get_global_id(0)];
    uint old = *out, want;

    do {
        want = old;
        old = atomic_cmpxchg(out, want, as_uint(as_float(want) + v));
    } while (old != want);
}

/* What was put in comes out once, and the last stays: sums that do not depend on the order. */
//! in=ints grid=256 group=256
kernel void exchange(global const int *in, volatile global int *out, uint n)
{
    volatile local int l, sum;
    volatile local long l64, sum64;
    volatile global long *p64 = (volatile global long *)(out + 8);
    int a = in[get_global_id(0)];

    if (!get_local_id(0)) {
        l = sum = 0;
        l64 = sum64 = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, atomic_xchg(&l, a));
    atomic_add(out + 1, atomic_xchg(out, a));
    atom_add(&sum64, atom_xchg(&l64, (long)a << 20));
    atom_add(p64 + 1, atom_xchg(p64, (long)a << 30));
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!get_local_id(0)) {
        out[2] = l + sum; out[3] = out[0] + out[1]; out[0] = out[1] = 0;
        p64[2] = l64 + sum64; p64[3] = p64[0] + p64[1]; p64[0] = p64[1] = 0;
    }
}

/* Pointers whose address space is not known: FLAT atomics that reach LDS and memory in one instruction. */
//! in=ints grid=512
kernel void any_space(global const int *in, global int *out, uint n)
{
    local int l[16];
    uint t = get_local_id(0);
    int a = in[get_global_id(0)], x = 0;
    atomic_int *p = (atomic_int *)(t & 1 ? (int *)l : (int *)out);

    if (t < 16)
        l[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(p, a);
    atomic_fetch_or_explicit(p + 1, a & 0x1111, memory_order_relaxed, memory_scope_device);
    atomic_fetch_xor(p + 2, a);
    atomic_fetch_max(p + 3, a);
    while (!atomic_compare_exchange_strong(p + 4, &x, x + 7))
        ;
    atomic_fetch_min_explicit((atomic_uint *)p + 5, (uint)a, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_and_explicit(p + 6, a, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_sub_explicit(p + 7, a, memory_order_seq_cst, memory_scope_all_svm_devices);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 8)
        out[16 + get_group_id(0) * 8 + t] = l[t];
}

//! in=ints grid=1024
kernel void c11_64(global const long *in, volatile global long *out, uint n)
{
    volatile global atomic_long *p = (volatile global atomic_long *)out;
    volatile global atomic_ulong *q = (volatile global atomic_ulong *)out;
    local atomic_long l[4];
    long a = in[get_global_id(0)], x = 0;

    if (get_local_id(0) < 4)
        atomic_init(l + get_local_id(0), 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(p, a, memory_order_relaxed, memory_scope_device);
    atomic_fetch_xor_explicit(p + 1, a, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_max_explicit(p + 2, a, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(q + 3, (ulong)a, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_strong_explicit(p + 4, &x, x * 5 + 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device))
        ;
    atomic_fetch_add_explicit(l, a, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_or_explicit(l + 1, a & 0x1111111111, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_max_explicit(l + 2, a, memory_order_seq_cst, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 4)
        atomic_store_explicit(p + 16 + get_group_id(0) * 4 + get_local_id(0),
                              atomic_load_explicit(l + get_local_id(0), memory_order_relaxed, memory_scope_work_group),
                              memory_order_relaxed, memory_scope_device);
}
