/* Functions of single precision, within the units in the last place that the OpenCL table allows. */
#define ONE(name, f) \
kernel void name(global const float *in, global float *out, uint n) { uint i = get_global_id(0); out[i] = f(in[i]); }
#define TWO(name, f) \
kernel void name(global const float *in, global float *out, uint n) { uint i = get_global_id(0); out[i] = f(in[2 * i], in[2 * i + 1]); }
//! in=f32n out=f32 ulp=4 grid=4096
ONE(k_sin, sin)
//! in=f32n out=f32 ulp=4 grid=4096
ONE(k_cos, cos)
//! in=f32n out=f32 ulp=5 grid=4096
ONE(k_tan, tan)
//! in=unit32 out=f32 ulp=4 grid=4096
ONE(k_asin, asin)
//! in=unit32 out=f32 ulp=4 grid=4096
ONE(k_acos, acos)
//! in=f32n out=f32 ulp=5 grid=4096
ONE(k_atan, atan)
//! in=f32n out=f32 ulp=4 grid=4096
ONE(k_sinh, sinh)
//! in=f32n out=f32 ulp=4 grid=4096
ONE(k_cosh, cosh)
//! in=f32n out=f32 ulp=5 grid=4096
ONE(k_tanh, tanh)
//! in=f32n out=f32 ulp=4 grid=4096
ONE(k_asinh, asinh)
//! in=f32n out=f32 ulp=4 grid=4096
ONE(k_acosh, acosh)
//! in=unit32 out=f32 ulp=5 grid=4096
ONE(k_atanh, atanh)
//! in=f32n out=f32 ulp=3 grid=4096
ONE(k_exp, exp)
//! in=f32n out=f32 ulp=3 grid=4096
ONE(k_exp2, exp2)
//! in=f32n out=f32 ulp=3 grid=4096
ONE(k_exp10, exp10)
//! in=f32n out=f32 ulp=3 grid=4096
ONE(k_expm1, expm1)
//! in=f32n out=f32 ulp=3 grid=4096
ONE(k_log, log)
//! in=f32n out=f32 ulp=3 grid=4096
ONE(k_log2, log2)
//! in=f32n out=f32 ulp=3 grid=4096
ONE(k_log10, log10)
//! in=f32n out=f32 ulp=2 grid=4096
ONE(k_log1p, log1p)
//! in=f32n out=f32 ulp=2 grid=4096
ONE(k_rsqrt, rsqrt)
//! in=f32n out=f32 ulp=2 grid=4096
ONE(k_cbrt, cbrt)
//! in=f32n out=f32 ulp=16 grid=4096
ONE(k_erf, erf)
//! in=f32n out=f32 ulp=16 grid=4096
ONE(k_erfc, erfc)
//! in=unit32 out=f32 ulp=16 grid=4096
ONE(k_tgamma, tgamma)
//! in=f32n out=f32 ulp=4 grid=4096
ONE(k_sinpi, sinpi)
//! in=f32n out=f32 ulp=4 grid=4096
ONE(k_cospi, cospi)
//! in=f32n out=f32 ulp=16 grid=4096
TWO(k_pow, pow)
//! in=f32n out=f32 ulp=6 grid=4096
TWO(k_atan2, atan2)
//! in=f32n out=f32 ulp=4 grid=4096
TWO(k_hypot, hypot)
