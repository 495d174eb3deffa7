/* Functions of double precision, within the units in the last place that the OpenCL table allows. */
#define ONE(name, f) \
kernel void name(global const double *in, global double *out, uint n) { uint i = get_global_id(0); out[i] = f(in[i]); }
#define TWO(name, f) \
kernel void name(global const double *in, global double *out, uint n) { uint i = get_global_id(0); out[i] = f(in[2 * i], in[2 * i + 1]); }
//! in=f64 out=f64 ulp=4 grid=2048
ONE(k_sin, sin)
//! in=f64 out=f64 ulp=4 grid=2048
ONE(k_cos, cos)
//! in=f64 out=f64 ulp=5 grid=2048
ONE(k_tan, tan)
//! in=unit64 out=f64 ulp=4 grid=2048
ONE(k_asin, asin)
//! in=unit64 out=f64 ulp=4 grid=2048
ONE(k_acos, acos)
//! in=f64 out=f64 ulp=5 grid=2048
ONE(k_atan, atan)
//! in=f64 out=f64 ulp=5 grid=2048
ONE(k_tanh, tanh)
//! in=f64 out=f64 ulp=3 grid=2048
ONE(k_exp, exp)
//! in=f64 out=f64 ulp=3 grid=2048
ONE(k_exp2, exp2)
//! in=f64 out=f64 ulp=3 grid=2048
ONE(k_expm1, expm1)
//! in=f64 out=f64 ulp=3 grid=2048
ONE(k_log, log)
//! in=f64 out=f64 ulp=3 grid=2048
ONE(k_log2, log2)
//! in=f64 out=f64 ulp=2 grid=2048
ONE(k_log1p, log1p)
//! in=f64 out=f64 ulp=2 grid=2048
ONE(k_rsqrt, rsqrt)
//! in=f64 out=f64 ulp=2 grid=2048
ONE(k_cbrt, cbrt)
//! in=unit64 out=f64 ulp=16 grid=2048
ONE(k_erf, erf)
//! in=unit64 out=f64 ulp=16 grid=2048
ONE(k_tgamma, tgamma)
//! in=f64 out=f64 ulp=16 grid=2048
TWO(k_pow, pow)
//! in=f64 out=f64 ulp=6 grid=2048
TWO(k_atan2, atan2)
//! in=f64 out=f64 ulp=4 grid=2048
TWO(k_hypot, hypot)
