/* More functions of double precision. */
#define ONE(name, f) \
kernel void name(global const double *in, global double *out, uint n) { uint i = get_global_id(0); out[i] = f(in[i]); }
#define TWO(name, f) \
kernel void name(global const double *in, global double *out, uint n) { uint i = get_global_id(0); out[i] = f(in[2 * i], in[2 * i + 1]); }
//! in=f64 out=f64 ulp=4 grid=2048
ONE(k_sinh, sinh)
//! in=f64 out=f64 ulp=4 grid=2048
ONE(k_cosh, cosh)
//! in=f64 out=f64 ulp=4 grid=2048
ONE(k_asinh, asinh)
//! in=f64 out=f64 ulp=4 grid=2048
ONE(k_acosh, acosh)
//! in=unit64 out=f64 ulp=5 grid=2048
ONE(k_atanh, atanh)
//! in=f64 out=f64 ulp=3 grid=2048
ONE(k_exp10, exp10)
//! in=f64 out=f64 ulp=3 grid=2048
ONE(k_log10, log10)
//! in=unit64 out=f64 ulp=16 grid=2048
ONE(k_erfc, erfc)
//! in=f64 out=f64 ulp=4 grid=2048
ONE(k_sinpi, sinpi)
//! in=f64 out=f64 ulp=4 grid=2048
ONE(k_cospi, cospi)
//! in=unit64 out=f64 ulp=6 grid=2048
ONE(k_tanpi, tanpi)
//! in=unit64 out=f64 ulp=5 grid=2048
ONE(k_asinpi, asinpi)
//! in=f64 out=f64 ulp=5 grid=2048
ONE(k_atanpi, atanpi)
//! in=f64 out=f64 ulp=6 grid=2048
TWO(k_atan2pi, atan2pi)
//! in=unit64 out=f64 ulp=16 grid=2048
TWO(k_powr, powr)

//! in=f64 out=f64 ulp=16 grid=2048
kernel void k_pown(global const double *in, global double *out, uint n) { uint i = get_global_id(0); out[i] = pown(in[i], (int)(i % 17) - 8); }
