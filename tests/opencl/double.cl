/* Double precision where OpenCL promises the bits. */

//! in=f64 out=f64 grid=1024 bytes=131072
kernel void arithmetic(global const double *in, global double *out, uint n)
{
    uint i = get_global_id(0);
    double a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    global double *o = out + 12 * i;

    o[0] = a + b; o[1] = a - b; o[2] = a * b; o[3] = a / b; o[4] = sqrt(a); o[5] = fma(a, b, c); o[6] = -a;
    o[7] = a * b + c; o[8] = 1.0 / a; o[9] = fabs(a - b); o[10] = a * 0.5; o[11] = c < 0 ? -a : a;
}

//! in=f64 out=f64 grid=1024 bytes=131072
kernel void rounding(global const double *in, global double *out, uint n)
{
    uint i = get_global_id(0);
    double a = in[2 * i], b = in[2 * i + 1], w = 0;
    global double *o = out + 16 * i;

    o[0] = floor(a); o[1] = ceil(a); o[2] = trunc(a); o[3] = rint(a); o[4] = round(a); o[5] = fmin(a, b);
    o[6] = fmax(a, b); o[7] = copysign(a, b); o[8] = nextafter(a, b); o[9] = fdim(a, b); o[10] = fmod(a, 3.7);
    o[11] = remainder(a, 11.25); o[12] = ldexp(a, (int)i % 300 - 150); o[13] = isfinite(a) ? fract(a, &w) : 0; o[14] = w;
    o[15] = isfinite(a) && a != 0 ? logb(a) : 0;
}

//! in=f64 grid=1024
kernel void classify(global const double *in, global int *out, uint n)
{
    uint i = get_global_id(0);
    double a = in[2 * i], b = in[2 * i + 1];
    global int *o = out + 8 * i;
    int e = 0;

    o[0] = isnan(a) | isinf(a) << 1 | isfinite(a) << 2 | isnormal(a) << 3 | (signbit(a) != 0) << 4;
    o[1] = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
    o[2] = isunordered(a, b) | islessgreater(a, b) << 1;
    o[3] = isfinite(a) && a != 0 ? ilogb(a) : 0;
    long f = isfinite(a) ? as_long(frexp(a, &e)) : 0;
    o[4] = f; o[5] = f >> 32; o[6] = e; o[7] = a != 0;
}
