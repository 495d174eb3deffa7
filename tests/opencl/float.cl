/* Single precision where OpenCL promises the bits: arithmetic, correctly rounded division and square root,
 * fma, comparison, rounding to integers, denormals, infinities, NaNs. */

//! in=f32 out=f32 grid=1024 bytes=131072
kernel void arithmetic(global const float *in, global float *out, uint n)
{
    uint i = get_global_id(0);
    float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    global float *o = out + 16 * i;

    o[0] = a + b; o[1] = a - b; o[2] = a * b; o[3] = a / b; o[4] = sqrt(a); o[5] = fma(a, b, c); o[6] = -a;
    o[7] = a * b + c; o[8] = 1.0f / a; o[9] = fabs(a - b); o[10] = a * 0.5f; o[11] = a + a; o[12] = a * 2.0f - b;
    o[13] = c < 0 ? -a : a; o[14] = fma(a, -b, c); o[15] = a / 3.0f;
}

//! in=f32 out=f32 grid=1024
kernel void rounding(global const float *in, global float *out, uint n)
{
    uint i = get_global_id(0);
    float a = in[2 * i], b = in[2 * i + 1], w;
    global float *o = out + 16 * i;

    o[0] = floor(a); o[1] = ceil(a); o[2] = trunc(a); o[3] = rint(a); o[4] = round(a); o[5] = fmin(a, b);
    o[6] = fmax(a, b); o[7] = copysign(a, b); o[8] = nextafter(a, b); o[9] = fdim(a, b); o[10] = fmod(a, b);
    o[11] = remainder(a, b); o[12] = ldexp(a, (int)i % 300 - 150); o[13] = isfinite(a) ? fract(a, &w) : 0;
    o[14] = isfinite(a) ? w : 0; o[15] = isfinite(a) && a != 0 ? logb(a) : 0;
}

//! in=f32 grid=1024
kernel void classify(global const float *in, global int *out, uint n)
{
    uint i = get_global_id(0);
    float a = in[2 * i], b = in[2 * i + 1];
    global int *o = out + 16 * i;
    int e = 0;

    o[0] = isnan(a) | isinf(a) << 1 | isfinite(a) << 2 | isnormal(a) << 3 | (signbit(a) != 0) << 4;
    o[1] = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
    o[2] = isless(a, b) | islessequal(a, b) << 1 | isgreater(a, b) << 2 | isgreaterequal(a, b) << 3 |
           isequal(a, b) << 4 | isnotequal(a, b) << 5 | isordered(a, b) << 6 | isunordered(a, b) << 7 | islessgreater(a, b) << 8;
    o[3] = !(a < b); o[4] = !(a >= b); o[5] = a < b && b < 1; o[6] = !!(a != 0);
    o[7] = isfinite(a) && a != 0 ? ilogb(a) : 0;
    o[8] = isfinite(a) ? as_int(frexp(a, &e)) : 0; o[9] = e;
    o[10] = isfinite(a) ? as_int(modf(a, &b)) : 0; o[11] = isfinite(a) ? as_int(b) : 0;
    o[12] = isnan(a) ? 0 : as_int(fabs(a)); o[13] = isnan(a) ? 0 : as_int(-a); o[14] = as_int(select(1.0f, 2.0f, a > 1));
    o[15] = isnan(a) ? 0 : as_int(clamp(a, -1.0f, 1.0f));
}

//! in=f32 out=f32 grid=512
kernel void vectors(global const float4 *in, global float4 *out, uint n)
{
    uint i = get_global_id(0);
    float4 a = in[2 * i], b = in[2 * i + 1];
    global float4 *o = out + 8 * i;

    o[0] = a + b.wzyx; o[1] = a * b; o[2] = fma(a, b, a.yzwx); o[3] = select(a, b, isless(a, b)); o[4] = fmax(a, b);
    o[5] = a < b ? a : b; o[6] = (float4)(a.lo, b.hi); o[7] = floor(a);
}
