/* Conversions: with and without saturation, in the four rounding modes, between all types. */

/* From floating point to integers: without _sat only for values that fit. */
#define F2I(name, F, I, LIM) \
kernel void name(global const F *in, global I *out, uint n) \
{ \
    uint i = get_global_id(0); \
    F a = isnan(in[i]) ? (F)7.5 : in[i]; /* the device library saturates NaN downwards */ \
    F b = isfinite(a) && fabs(a) < (F)LIM ? a : (F)-1.5; \
    global I *o = out + 10 * i; \
    if ((I)-1 > 0) b = fabs(b); \
    o[0] = convert_##I##_sat(a); o[1] = convert_##I##_sat_rte(a); o[2] = convert_##I##_sat_rtz(a); \
    o[3] = convert_##I##_sat_rtp(a); o[4] = convert_##I##_sat_rtn(a); o[5] = (I)b; \
    o[6] = convert_##I##_rte(b); o[7] = convert_##I##_rtz(b); o[8] = convert_##I##_rtp(b); o[9] = convert_##I##_rtn(b); \
}
//! in=f32 grid=512
F2I(f32_char, float, char, 127)
//! in=f32 grid=512
F2I(f32_uchar, float, uchar, 255)
//! in=f32 grid=512
F2I(f32_short, float, short, 32767)
//! in=f32 grid=512
F2I(f32_ushort, float, ushort, 65535)
//! in=f32 grid=512
F2I(f32_int, float, int, 2147483520.0f)
//! in=f32 grid=512
F2I(f32_uint, float, uint, 4294967040.0f)
//! in=f32 grid=512
F2I(f32_long, float, long, 9223371487098961920.0f)
//! in=f32 grid=512
F2I(f32_ulong, float, ulong, 18446742974197923840.0f)
//! in=f64 grid=512
F2I(f64_char, double, char, 127)
//! in=f64 grid=512
F2I(f64_ushort, double, ushort, 65535)
//! in=f64 grid=512
F2I(f64_int, double, int, 2147483647)
//! in=f64 grid=512
F2I(f64_uint, double, uint, 4294967295.0)
//! in=f64 grid=512
F2I(f64_long, double, long, 9223372036854774784.0)
//! in=f64 grid=512
F2I(f64_ulong, double, ulong, 18446744073709549568.0)

/* From integers to floating point. */
#define I2F(name, I, F, U) \
kernel void name(global const I *in, global F *out, uint n) \
{ \
    uint i = get_global_id(0); \
    I a = in[i]; \
    global F *o = out + 5 * i; \
    o[0] = (F)a; o[1] = convert_##F##_rte(a); o[2] = convert_##F##_rtz(a); o[3] = convert_##F##_rtp(a); \
    o[4] = convert_##F##_rtn(a); \
}
//! grid=512 out=f32
I2F(char_f32, char, float, uint)
//! grid=512 out=f32
I2F(ushort_f32, ushort, float, uint)
//! grid=512 out=f32
I2F(int_f32, int, float, uint)
//! grid=512 out=f32
I2F(uint_f32, uint, float, uint)
//! grid=512 out=f32
I2F(long_f32, long, float, uint)
//! grid=512 out=f32
I2F(ulong_f32, ulong, float, uint)
//! grid=512 out=f64
I2F(int_f64, int, double, ulong)
//! grid=512 out=f64
I2F(uint_f64, uint, double, ulong)
//! grid=512 out=f64
I2F(long_f64, long, double, ulong)
//! grid=512 out=f64
I2F(ulong_f64, ulong, double, ulong)

/* Between integers, saturating. */
#define I2I(name, A) \
kernel void name(global const A *in, global ulong *out, uint n) \
{ \
    uint i = get_global_id(0); \
    A a = in[i]; \
    global ulong *o = out + 12 * i; \
    o[0] = convert_char_sat(a); o[1] = convert_uchar_sat(a); o[2] = convert_short_sat(a); o[3] = convert_ushort_sat(a); \
    o[4] = convert_int_sat(a); o[5] = convert_uint_sat(a); o[6] = convert_long_sat(a); o[7] = convert_ulong_sat(a); \
    o[8] = convert_char(a); o[9] = convert_ushort(a); o[10] = convert_int(a); o[11] = convert_ulong(a); \
}
//! grid=512
I2I(from_char, char)
//! grid=512
I2I(from_uchar, uchar)
//! grid=512
I2I(from_short, short)
//! grid=512
I2I(from_int, int)
//! grid=512
I2I(from_uint, uint)
//! grid=512
I2I(from_long, long)
//! grid=512
I2I(from_ulong, ulong)

//! in=f64 grid=1024 out=f32
kernel void f64_f32(global const double *in, global float *out, uint n)
{
    uint i = get_global_id(0);
    double a = in[i];
    global float *o = out + 5 * i;

    o[0] = (float)a; o[1] = convert_float_rte(a); o[2] = convert_float_rtz(a); o[3] = convert_float_rtp(a);
    o[4] = convert_float_rtn(a);
}

//! in=f32 grid=1024 out=f64
kernel void f32_f64(global const float *in, global double *out, uint n)
{
    uint i = get_global_id(0);

    out[i] = in[i];
}

//! in=f32 grid=512
kernel void vectors(global const float4 *in, global int4 *out, uint n)
{
    uint i = get_global_id(0);
    float4 a = select(in[i], (float4)1.5f, isnan(in[i]));
    global int4 *o = out + 4 * i;

    o[0] = convert_int4_sat(a);
    o[1] = convert_int4(convert_uchar4_sat_rte(a));
    o[2] = convert_int4(convert_short4_sat_rtn(a));
    o[3] = as_int4(convert_uint4_sat_rtp(a));
}
