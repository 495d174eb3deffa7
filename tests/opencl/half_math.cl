/* Functions of half precision, within the OpenCL table for it. Not on GFX7: LLVM drops kernels that call functions of
 * the device library which have 16-bit instructions. No sin: that of rocm-device-libs 5.2.3 gives NaN for everything
 * that is finite. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define ONE(name, f) \
kernel void name(global const half *in, global half *out, uint n) { uint i = get_global_id(0); out[i] = f(in[i]); }
#define TWO(name, f) \
kernel void name(global const half *in, global half *out, uint n) { uint i = get_global_id(0); out[i] = f(in[2 * i], in[2 * i + 1]); }
//! in=f16 out=f16 ulp=2 grid=2048 not=gfx7
ONE(k_cos, cos)
//! in=f16 out=f16 ulp=2 grid=2048 not=gfx7
ONE(k_tan, tan)
//! in=f16 out=f16 ulp=2 grid=2048 not=gfx7
ONE(k_atan, atan)
//! in=f16 out=f16 ulp=2 grid=2048 not=gfx7
ONE(k_exp, exp)
//! in=f16 out=f16 ulp=2 grid=2048 not=gfx7
ONE(k_exp2, exp2)
//! in=f16 out=f16 ulp=2 grid=2048 not=gfx7
ONE(k_log, log)
//! in=f16 out=f16 ulp=2 grid=2048 not=gfx7
ONE(k_log2, log2)
//! in=f16 out=f16 ulp=2 grid=2048 not=gfx7
ONE(k_log10, log10)
//! in=f16 out=f16 ulp=1 grid=2048 not=gfx7
ONE(k_rsqrt, rsqrt)
//! in=f16 out=f16 ulp=2 grid=2048 not=gfx7
ONE(k_cbrt, cbrt)
//! in=f16 out=f16 ulp=2 grid=2048 not=gfx7
ONE(k_tanh, tanh)
//! in=f16 out=f16 ulp=4 grid=2048 not=gfx7
TWO(k_pow, pow)
//! in=f16 out=f16 ulp=2 grid=2048 not=gfx7
TWO(k_atan2, atan2)
//! in=f16 out=f16 ulp=2 grid=2048 not=gfx7
TWO(k_hypot, hypot)
