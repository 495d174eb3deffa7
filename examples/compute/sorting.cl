/* Sorting and counting: radix and bitonic sort, histogram, breadth-first search. */

/* One pass of a radix sort with 4-bit digits: how often each digit is in each group's part, */
kernel void radix_count(global const uint *keys, global uint *count, uint shift)
{
    local uint n[16];
    uint l = get_local_id(0);

    if (l < 16)
        n[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&n[keys[get_global_id(0)] >> shift & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        count[l * get_num_groups(0) + get_group_id(0)] = n[l];
}

/* where each group's keys of a digit begin (one work-group does it all), */
kernel void radix_scan(global uint *count, uint n)
{
    local uint sum[256];
    uint l = get_local_id(0), per = (n + 255) / 256, total = 0;

    for (uint i = l * per; i < min((l + 1) * per, n); i++)
        total += count[i];
    sum[l] = total;
    for (uint d = 1; d < 256; d <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint v = l >= d ? sum[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum[l] += v;
    }
    uint at = sum[l] - total;
    for (uint i = l * per; i < min((l + 1) * per, n); i++) {
        uint v = count[i];
        count[i] = at;
        at += v;
    }
}

/* and every key to its place, in order. */
kernel void radix_scatter(global const uint *keys, global uint *out, global const uint *count, uint shift)
{
    local uchar digit[256];
    uint l = get_local_id(0), k = keys[get_global_id(0)], d = k >> shift & 15, before = 0;

    digit[l] = d;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < l; i++)
        before += digit[i] == d;
    out[count[d * get_num_groups(0) + get_group_id(0)] + before] = k;
}

kernel void bitonic_step(global float *a, uint j, uint k)
{
    uint i = get_global_id(0), x = i ^ j;

    if (x > i) {
        float p = a[i], q = a[x];
        if ((p > q) == !(i & k)) {
            a[i] = q;
            a[x] = p;
        }
    }
}

kernel void histogram256(global const uchar4 *in, global uint *out, uint n)
{
    local uint h[256];

    for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
        h[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        uchar4 v = in[i];
        atomic_inc(&h[v.x]); atomic_inc(&h[v.y]); atomic_inc(&h[v.z]); atomic_inc(&h[v.w]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
        atomic_add(&out[i], h[i]);
}

/* One level of a breadth-first search: from the queue of this level to the next. */
kernel void bfs_level(global const uint *first, global const uint *edge, global uint *depth, global const uint *queue,
                      uint n, global uint *next, volatile global uint *next_n, uint level)
{
    uint i = get_global_id(0);

    if (i >= n)
        return;
    uint v = queue[i];
    for (uint e = first[v]; e < first[v + 1]; e++)
        if (atomic_cmpxchg((volatile global uint *)&depth[edge[e]], 0xffffffff, level + 1) == 0xffffffff)
            next[atomic_inc(next_n)] = edge[e];
}
