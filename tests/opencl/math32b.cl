/* More functions of single precision: those in half turns, with integers, with several results; the geometric ones. */
#define ONE(name, f) \
kernel void name(global const float *in, global float *out, uint n) { uint i = get_global_id(0); out[i] = f(in[i]); }
#define TWO(name, f) \
kernel void name(global const float *in, global float *out, uint n) { uint i = get_global_id(0); out[i] = f(in[2 * i], in[2 * i + 1]); }
#define NUM(name, f) \
kernel void name(global const float *in, global float *out, uint n) { uint i = get_global_id(0); out[i] = f(in[i], (int)(i % 17) - 8); }
//! in=f32n out=f32 ulp=6 grid=4096
ONE(k_tanpi, tanpi)
//! in=unit32 out=f32 ulp=5 grid=4096
ONE(k_asinpi, asinpi)
//! in=unit32 out=f32 ulp=5 grid=4096
ONE(k_acospi, acospi)
//! in=f32n out=f32 ulp=5 grid=4096
ONE(k_atanpi, atanpi)
//! in=f32n out=f32 ulp=6 grid=4096
TWO(k_atan2pi, atan2pi)
//! in=unit32 out=f32 ulp=16 grid=4096
TWO(k_powr, powr)
//! in=f32n out=f32 ulp=16 grid=4096
NUM(k_pown, pown)

//! in=unit32 out=f32 ulp=16 grid=4096
kernel void k_rootn(global const float *in, global float *out, uint n) { uint i = get_global_id(0); out[i] = rootn(in[i], (int)(i % 7) + 1); }

//! in=f32n out=f32 ulp=4 grid=4096
kernel void k_sincos(global const float *in, global float *out, uint n)
{
    uint i = get_global_id(0);
    float c, s = sincos(in[i], &c);

    out[2 * i] = s; out[2 * i + 1] = c;
}

//! in=unit32 out=f32 ulp=0 grid=4096
kernel void k_remquo(global const float *in, global float *out, uint n)
{
    uint i = get_global_id(0);
    int q;
    float r = remquo(in[2 * i] * 40, in[2 * i + 1] + 0.25f, &q);

    out[2 * i] = r; out[2 * i + 1] = q & 7;
}

/* Sums of squares: the table allows the rounding of each step. */
//! in=unit32 out=f32 ulp=8 grid=2048
kernel void k_geometry(global const float *in, global float *out, uint n)
{
    uint i = get_global_id(0);
    float4 a = vload4(2 * i, in), b = vload4(2 * i + 1, in) + 1;

    out[8 * i] = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; out[8 * i + 1] = sqrt(a.x * a.x + b.y * b.y);
    out[8 * i + 2] = mix(a.x, b.x, a.y); out[8 * i + 3] = step(0.5f, a.x); out[8 * i + 4] = sign(a.x - 0.5f);
    out[8 * i + 5] = degrees(b.x); out[8 * i + 6] = radians(b.x * 90); out[8 * i + 7] = clamp(a.x * 3, 0.5f, 2.0f);
}
