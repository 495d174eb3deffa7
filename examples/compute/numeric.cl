/* FFT, option prices, gravity, the Mandelbrot set. */

float2 cmul(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* One stage of a Stockham FFT of n points in n/2 work-items: no bit reversal is needed. */
kernel void fft_stage(global const float2 *in, global float2 *out, uint n, uint half_size)
{
    uint i = get_global_id(0), k = i & (half_size - 1);
    float angle = -3.14159265358979f * (float)k / (float)half_size;
    float2 w = (float2)(cos(angle), sin(angle)), a = in[i], b = cmul(w, in[i + n / 2]);
    uint j = (i - k) * 2 + k;

    out[j] = a + b;
    out[j + half_size] = a - b;
}

float normal_cdf(float x)
{
    return 0.5f * erfc(-x * 0.70710678f);
}

kernel void black_scholes(global const float4 *option, global float2 *price, uint n)
{
    uint i = get_global_id(0);

    if (i >= n)
        return;
    float4 o = option[i]; /* stock, strike, years, volatility */
    float r = 0.02f, s = o.w * sqrt(o.z);
    float d1 = (log(o.x / o.y) + (r + 0.5f * o.w * o.w) * o.z) / s, d2 = d1 - s, x = o.y * exp(-r * o.z);
    float call = o.x * normal_cdf(d1) - x * normal_cdf(d2);

    price[i] = (float2)(call, call + x - o.x);
}

kernel void nbody_step(global const float4 *pos, global const float4 *vel, global float4 *new_pos, global float4 *new_vel,
                       uint n, float dt, local float4 *tile)
{
    uint i = get_global_id(0), l = get_local_id(0), g = get_local_size(0);
    float4 p = pos[i], v = vel[i];
    float3 a = (float3)(0, 0, 0);

    for (uint t = 0; t < n; t += g) {
        tile[l] = pos[t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < g; k++) {
            float3 d = tile[k].xyz - p.xyz;
            float r = rsqrt(dot(d, d) + 0.01f);
            a += d * (tile[k].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    v.xyz += a * dt;
    p.xyz += v.xyz * dt;
    new_pos[i] = p;
    new_vel[i] = v;
}

kernel void mandelbrot(global uint *out, uint w, uint h, uint limit)
{
    uint x = get_global_id(0), y = get_global_id(1), k = 0;

    if (x >= w || y >= h)
        return;
    /* In fixed point, so that every machine counts the same. */
    int cx = (int)(x * (3u << 24) / w) - (2 << 24) - (1 << 22), cy = (int)(y * (2u << 24) / h) - (1 << 24), zx = 0, zy = 0;
    for (; k < limit; k++) {
        int xx = (int)((long)zx * zx >> 24), yy = (int)((long)zy * zy >> 24);
        if (xx + yy > 4 << 24)
            break;
        zy = (int)((long)zx * zy >> 23) + cy;
        zx = xx - yy + cx;
    }
    out[y * w + x] = k;
}
