/* Half: storage, conversion in the four rounding modes, arithmetic (on chips without it, in float). */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* Not on GFX7: LLVM keeps the product of a * b + c in single precision there. */
//! in=f16 out=f16 grid=512 not=gfx7
kernel void arithmetic(global const half *in, global half *out, uint n)
{
    uint i = get_global_id(0);
    half a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    global half *o = out + 12 * i;

    o[0] = a + b; o[1] = a - b; o[2] = a * b; o[3] = a / b; o[4] = -a; o[5] = a < b ? b : c;
    o[6] = fabs(a); o[7] = a * b + c; o[8] = fmax(a, b); o[9] = fmin(a, b); o[10] = a == b ? (half)1 : (half)2; o[11] = sqrt(a);
}

//! in=f16 out=f16 grid=512
kernel void rounding(global const half *in, global half *out, uint n)
{
    uint i = get_global_id(0);
    half a = in[i];
    global half *o = out + 5 * i;

    o[0] = floor(a); o[1] = ceil(a); o[2] = trunc(a); o[3] = rint(a); o[4] = copysign(a, (half)-1);
}

//! in=f16 out=f16 grid=512
kernel void packed(global const half2 *in, global half2 *out, uint n)
{
    uint i = get_global_id(0);
    half2 a = in[2 * i], b = in[2 * i + 1];
    global half2 *o = out + 4 * i;

    o[0] = a + b; o[1] = a * b.yx; o[2] = a - b; o[3] = (half2)(a.y, b.x);
}

//! in=f16 out=f32 grid=512
kernel void to_float(global const half *in, global float *out, uint n)
{
    uint i = get_global_id(0);

    out[4 * i] = in[i]; out[4 * i + 1] = vload_half(i + 7, in);
    vstore2(vload_half2(i, in), 2 * i + 1, out);
}

//! in=f32 out=f16 grid=512
kernel void from_float(global const float *in, global half *out, uint n)
{
    uint i = get_global_id(0);
    global half *o = out + 8 * i;
    float a = in[2 * i];

    vstore_half(a, 0, o); vstore_half_rte(a, 1, o); vstore_half_rtz(a, 2, o); vstore_half_rtp(a, 3, o);
    vstore_half_rtn(a, 4, o); o[5] = (half)a;
    vstore_half2_rtz(vload2(i, in), 3, o);
}

//! in=f64 out=f16 grid=512
kernel void from_double(global const double *in, global half *out, uint n)
{
    uint i = get_global_id(0);

    out[i] = (half)in[i];
}

/* Not on GFX7: LLVM drops kernels that call functions of the device library which have 16-bit instructions. */
//! in=f16 grid=512 not=gfx7
kernel void to_int(global const half *in, global int *out, uint n)
{
    uint i = get_global_id(0);
    half a = isnan((float)in[i]) ? (half)2.5 : in[i], b = isfinite(a) ? a : (half)3;
    global int *o = out + 8 * i;

    o[0] = (int)b; o[1] = (short)clamp((float)b, -32768.f, 32767.f); o[2] = convert_int_rte(b); o[3] = convert_int_rtp(b);
    o[4] = convert_uchar_sat(a); o[5] = isnan(a) | isinf(a) << 1; o[6] = signbit(a) != 0; o[7] = convert_short_sat_rtn(a);
}

//! in=ints out=f16 grid=512
kernel void from_int(global const int *in, global half *out, uint n)
{
    uint i = get_global_id(0);
    int a = in[i] % 65504;
    global half *o = out + 4 * i;

    o[0] = (half)a; o[1] = (half)(short)a; o[2] = (half)(uchar)a; o[3] = (half)(ushort)a;
}
