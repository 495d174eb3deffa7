/* body.h: from the table's vector ALU rows to functions over 64 lanes.
 *
 * A file that includes this and then one of the .def files with BODY_ENC... gets a function for
 * each row with a statement as its body, and a table of them. Such a file is compiled once for
 * each level of the host's instruction set (BODY_LEVEL = base, v3, v4; see isa/Makefile.am), and
 * isa_code_create picks the best: the same source gives SSE2, AVX2 and AVX-512 loops, and a
 * test can run any level the host has.
 *
 * A statement sees: a, b, c the sources and d the result, typed; l the lane; co the carry-out of
 * rows with WR_VCC; fm the float mode; SAT(x, y) for y where CLAMP saturates an integer. A mask as
 * source is a bool. EXEC is applied by blending, so a statement may compute anything for lanes
 * that are off, and needs no branches for them.
 *
 * The hottest float rows have VEC(statement) instead: a, b, c and d are whole vectors of the level
 * (vec_f32), and what computes is one instruction of the host each (vec_add_f32 and so on). */
#ifndef ATOLL_BODY_H
#define ATOLL_BODY_H

#include "isa/exec.h"
#include "isa/lane_f16.h"
#include "isa/lane_f64.h"
#include "isa/lane_math.h"

#include <immintrin.h>

#define BODY_CAT(a, b)  BODY_CAT_(a, b)
#define BODY_CAT_(a, b) a##b

/* Which of TODO, CALL(f), VEC(s) or a statement (STMT) a body is: its first token is pasted to
 * PROBE_; only the first three give a comma. */
#define PROBE_TODO     , TODO
#define PROBE_CALL(f)  , CALL
#define PROBE_VEC(...) , VEC
#define BODY_SECOND(a, b, ...) b
#define BODY_SHAPE_(...)       BODY_SECOND(__VA_ARGS__, STMT, )
#define BODY_SHAPE(...)        BODY_SHAPE_(PROBE_##__VA_ARGS__)

#ifdef __clang__
#define BODY_LOOP _Pragma("clang loop vectorize(assume_safety)") for (unsigned l = 0; l < 64; l++)
#else
#define BODY_LOOP _Pragma("GCC ivdep") for (unsigned l = 0; l < 64; l++)
#endif

/* ---- masks ------------------------------------------------------------------------------- */

/* 64 dwords, 64-byte aligned, each 0 or ~0, to a mask. */
LANE uint64_t body_pack(const uint32_t r[64])
{
    uint64_t m = 0;

#if defined(__AVX512F__)
    for (unsigned i = 0; i < 4; i++) {
        __m512i v = _mm512_load_si512(r + 16 * i);

        m |= (uint64_t)_mm512_test_epi32_mask(v, v) << (16 * i);
    }
#elif defined(__AVX2__)
    for (unsigned i = 0; i < 8; i++)
        m |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)r + 8 * i))
             << (8 * i);
#else
    for (unsigned i = 0; i < 16; i++)
        m |= (uint64_t)(uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)r + 4 * i))
             << (4 * i);
#endif
    return m;
}

/* And back. */
LANE void body_unpack(uint64_t m, uint32_t r[64])
{
#if defined(__AVX512F__)
    for (unsigned i = 0; i < 4; i++)
        _mm512_store_si512(r + 16 * i, _mm512_maskz_set1_epi32((__mmask16)(m >> (16 * i)), -1));
#else
    for (unsigned h = 0; h < 8; h++) {
        uint32_t byte = (uint32_t)(m >> (8 * h)) & 0xff;

        for (unsigned i = 0; i < 8; i++)
            r[8 * h + i] = lane_mask32(byte & (1u << i));
    }
#endif
}

/* Rows with FLUSH run with f32 denormals flushed whatever MODE says: nothing to do where MODE
 * flushes them anyway. The memory clobber keeps the loop's loads and stores between the two. */
LANE void body_set_mxcsr(const uint32_t *v)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(*v) : "memory");
}

LANE void body_write_mask(struct wave *w, const struct uop *u, uint64_t m)
{
    w->s[u->sdst] = (uint32_t)m;
    w->s[u->sdst + 1] = (uint32_t)(m >> 32);
}

/* ---- types: C type, load, store ---------------------------------------------------------- */

typedef uint32_t body_B32, body_U32, body_B16, body_U16, body_F16, body_V2U16, body_V2I16,
    body_V2F16, body_B8, body_U8;
typedef int32_t body_I32, body_I16;
typedef float body_F32, body_MIX;
typedef uint64_t body_B64, body_U64;
typedef int64_t body_I64;
typedef double body_F64;

#define LOAD64(p, l) (p[l] | (uint64_t)p[64 + l] << 32)
#define LOAD_B32(p, l)   p[l]
#define LOAD_U32(p, l)   p[l]
#define LOAD_I32(p, l)   (int32_t)p[l]
#define LOAD_F32(p, l)   bits_f32(p[l])
#define LOAD_MIX(p, l)   bits_f32(p[l]) /* prepared by the wrapper */
#define LOAD_B16(p, l)   (p[l] & 0xffff)
#define LOAD_U16(p, l)   (p[l] & 0xffff)
#define LOAD_F16(p, l)   (p[l] & 0xffff)
#define LOAD_I16(p, l)   (int16_t)p[l]
#define LOAD_V2U16(p, l) p[l]
#define LOAD_V2I16(p, l) p[l]
#define LOAD_V2F16(p, l) p[l]
#define LOAD_B64(p, l)   LOAD64(p, l)
#define LOAD_U64(p, l)   LOAD64(p, l)
#define LOAD_I64(p, l)   (int64_t)LOAD64(p, l)
#define LOAD_F64(p, l)   bits_f64(LOAD64(p, l))

#define BLEND(p, i, v)      p[i] ^= ((v) ^ p[i]) & mask[l]
#define STORE32(p, l, v)    BLEND(p, l, v)
#define STORE64(p, l, v)    do { \
        uint64_t v64 = (v); \
        BLEND(p, l, (uint32_t)v64); \
        BLEND(p, 64 + l, (uint32_t)(v64 >> 32)); \
    } while (0)
#define STORE_B32(p, l, v)   STORE32(p, l, v)
#define STORE_U32(p, l, v)   STORE32(p, l, v)
#define STORE_I32(p, l, v)   STORE32(p, l, (uint32_t)(v))
#define STORE_F32(p, l, v)   STORE32(p, l, f32_bits(v))
#define STORE_B16(p, l, v)   STORE32(p, l, (v) & 0xffff)
#define STORE_U16(p, l, v)   STORE32(p, l, (v) & 0xffff)
#define STORE_F16(p, l, v)   STORE32(p, l, (v) & 0xffff)
#define STORE_I16(p, l, v)   STORE32(p, l, (uint32_t)(v) & 0xffff)
#define STORE_V2U16(p, l, v) STORE32(p, l, v)
#define STORE_V2I16(p, l, v) STORE32(p, l, v)
#define STORE_V2F16(p, l, v) STORE32(p, l, v)
#define STORE_B64(p, l, v)   STORE64(p, l, v)
#define STORE_U64(p, l, v)   STORE64(p, l, v)
#define STORE_I64(p, l, v)   STORE64(p, l, (uint64_t)(v))
#define STORE_F64(p, l, v)   STORE64(p, l, f64_bits(v))

/* Sources, from the S0 .. S3 of the row: what comes before the loop, and in it. */
#define BODY_PRE_S0
#define BODY_PRE_S1(ta)         const uint32_t *pa = uop_ptr(w, u, UOP_A);
#define BODY_PRE_S2(ta, tb)     BODY_PRE_S1(ta) const uint32_t *pb = uop_ptr(w, u, UOP_B);
#define BODY_PRE_S3(ta, tb, tc) BODY_PRE_S2(ta, tb) BODY_PRE3_##tc
#define BODY_PRE3_PLAIN         const uint32_t *pc = uop_ptr(w, u, UOP_C);
#define BODY_PRE3_MASK \
    uint32_t pc[64] __attribute__((aligned(64))); \
    { \
        const uint32_t *pm = uop_ptr(w, u, UOP_C); \
        body_unpack(pm[0] | (uint64_t)pm[1] << 32, pc); \
    }
#define BODY_PRE3_F32   BODY_PRE3_PLAIN
#define BODY_PRE3_U32   BODY_PRE3_PLAIN
#define BODY_PRE3_I32   BODY_PRE3_PLAIN
#define BODY_PRE3_B32   BODY_PRE3_PLAIN
#define BODY_PRE3_F16   BODY_PRE3_PLAIN
#define BODY_PRE3_U16   BODY_PRE3_PLAIN
#define BODY_PRE3_I16   BODY_PRE3_PLAIN
#define BODY_PRE3_F64   BODY_PRE3_PLAIN
#define BODY_PRE3_B64   BODY_PRE3_PLAIN
#define BODY_PRE3_U64   BODY_PRE3_PLAIN
#define BODY_PRE3_I64   BODY_PRE3_PLAIN
#define BODY_PRE3_V2F16 BODY_PRE3_PLAIN
#define BODY_PRE3_V2U16 BODY_PRE3_PLAIN
#define BODY_PRE3_V2I16 BODY_PRE3_PLAIN
#define BODY_PRE3_MIX   BODY_PRE3_PLAIN

#define BODY_IN_S0
#define BODY_IN_S1(ta)         const body_##ta a __attribute__((unused)) = LOAD_##ta(pa, l);
#define BODY_IN_S2(ta, tb)     BODY_IN_S1(ta) const body_##tb b __attribute__((unused)) = LOAD_##tb(pb, l);
#define BODY_IN_S3(ta, tb, tc) BODY_IN_S2(ta, tb) const body_##tc c = LOAD_##tc(pc, l);
typedef bool body_MASK;
#define LOAD_MASK(p, l) (p[l] != 0)

/* ---- the loops --------------------------------------------------------------------------- */

#define SAT(plain, saturated) ((plain) ^ (((plain) ^ (saturated)) & clampm))

#define BODY_FN_TODO(id, dst, src, flags, ...)
#define BODY_FN_CALL(id, dst, src, flags, ...)

#define BODY_FN_STMT(id, dst, src, flags, ...) \
    static const struct uop *fn_##id(struct wave *w, const struct uop *u) \
    { \
        const struct wave_fmode fm __attribute__((unused)) = w->fm; \
        const uint32_t clampm __attribute__((unused)) = -(uint32_t)(u->in->clamp & fm.int_clamp); \
        const uint32_t *mask = w->lane_mask; \
        uint32_t *pd = uop_ptr(w, u, UOP_DST); \
        uint32_t cob[(flags) & WR_VCC ? 64 : 1] \
            __attribute__((aligned((flags) & WR_VCC ? 64 : 4), unused)); \
        const bool own_csr = (flags) & FLUSH && w->priv.mxcsr_flush != w->priv.mxcsr32; \
        BODY_PRE_##src \
        if (own_csr) \
            body_set_mxcsr(&w->priv.mxcsr_flush); \
        BODY_LOOP \
        { \
            BODY_IN_##src \
            body_##dst d = (flags) & RD_DST ? LOAD_##dst(pd, l) : 0; \
            bool co __attribute__((unused)) = false; \
            __VA_ARGS__; \
            STORE_##dst(pd, l, d); \
            if ((flags) & WR_VCC) \
                cob[(flags) & WR_VCC ? l : 0] = lane_mask32(co) & mask[l]; \
        } \
        if (own_csr) \
            body_set_mxcsr(&w->priv.mxcsr32); \
        if ((flags) & WR_VCC) \
            body_write_mask(w, u, body_pack(cob)); \
        return u + 1; \
    }

/* ---- vectors ----------------------------------------------------------------------------- */

#if defined(__AVX512F__)
#define VEC_BYTES 64
#elif defined(__AVX__)
#define VEC_BYTES 32
#else
#define VEC_BYTES 16
#endif
#define VEC_COUNT (256 / VEC_BYTES) /* of a VGPR */

typedef float vec_f32 __attribute__((vector_size(VEC_BYTES), may_alias));
typedef uint32_t vec_u32 __attribute__((vector_size(VEC_BYTES), may_alias));

/* The host's rule for NaNs is that of docs/errata.md (E-nan): the first source that is one, made
 * quiet; 0xffc00000 for invalid operations. It is written in assembly since a compiler may swap the
 * operands of its own additions; volatile, so that none crosses a change of MXCSR. */
#ifdef __AVX__
#define VEC_OP(op) \
    LANE vec_f32 vec_##op##_f32(vec_f32 a, vec_f32 b) \
    { \
        vec_f32 r; \
        __asm__ volatile("v" #op "ps %2, %1, %0" : "=v"(r) : "v"(a), "vm"(b)); \
        return r; \
    }
#else
#define VEC_OP(op) \
    LANE vec_f32 vec_##op##_f32(vec_f32 a, vec_f32 b) \
    { \
        __asm__ volatile(#op "ps %1, %0" : "+x"(a) : "xm"(b)); \
        return a; \
    }
#endif
VEC_OP(add)
VEC_OP(sub)
VEC_OP(mul)

/* v_mad, v_mac: each step rounded. */
LANE vec_f32 vec_mad_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    return vec_add_f32(vec_mul_f32(a, b), c);
}

/* As lane_nan. */
LANE vec_f32 vec_nan_f32(vec_f32 a, vec_f32 r)
{
    vec_u32 m = (vec_u32)(a != a);

    return (vec_f32)(((vec_u32)r & ~m) | (((vec_u32)a | LANE_QUIET32) & m));
}

/* FMA units have an order of their own for NaNs. */
LANE vec_f32 vec_fma_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    vec_f32 r = a;

#ifdef __FMA__
    __asm__ volatile("vfmadd213ps %2, %1, %0" : "+v"(r) : "v"(b), "vm"(c));
#else
    for (unsigned i = 0; i < VEC_BYTES / 4; i++)
        r[i] = lane_fma_raw_f32(a[i], b[i], c[i]);
#endif
    return vec_nan_f32(a, vec_nan_f32(b, vec_nan_f32(c, r)));
}

#define VEC_IN_S2(ta, tb)     const vec_f32 a = ((const vec_f32 *)pa)[i], b = ((const vec_f32 *)pb)[i];
#define VEC_IN_S3(ta, tb, tc) VEC_IN_S2(ta, tb) const vec_f32 c = ((const vec_f32 *)pc)[i];

#define BODY_FN_VEC(id, dst, src, flags, body) \
    /* Some lanes off, or a FLUSH row where MODE keeps denormals. */ \
    static __attribute__((noinline)) const struct uop *some_##id(struct wave *w, \
                                                                 const struct uop *u) \
    { \
        const vec_u32 *mask = (const vec_u32 *)w->lane_mask; \
        vec_f32 *pd = (vec_f32 *)uop_ptr(w, u, UOP_DST); \
        const bool own_csr = (flags) & FLUSH && !(w->priv.fast & WAVE_FAST_FLUSH); \
        BODY_PRE_##src \
        if (own_csr) \
            body_set_mxcsr(&w->priv.mxcsr_flush); \
        for (unsigned i = 0; i < VEC_COUNT; i++) { \
            VEC_IN_##src \
            vec_f32 d = pd[i]; \
            vec_u32 old = (vec_u32)d; \
            BODY_##body; \
            pd[i] = (vec_f32)(old ^ ((old ^ (vec_u32)d) & mask[i])); \
        } \
        if (own_csr) \
            body_set_mxcsr(&w->priv.mxcsr32); \
        return u + 1; \
    } \
    static const struct uop *fn_##id(struct wave *w, const struct uop *u) \
    { \
        vec_f32 *pd = (vec_f32 *)uop_ptr(w, u, UOP_DST); \
        BODY_PRE_##src \
        if (__builtin_expect((flags) & FLUSH ? w->priv.fast != (WAVE_FAST_EXEC | WAVE_FAST_FLUSH) \
                                             : !(w->priv.fast & WAVE_FAST_EXEC), 0)) \
            return some_##id(w, u); \
        _Pragma("GCC unroll 16") \
        for (unsigned i = 0; i < VEC_COUNT; i++) { \
            VEC_IN_##src \
            vec_f32 d; \
            if ((flags) & RD_DST) \
                d = pd[i]; \
            BODY_##body; \
            pd[i] = d; \
        } \
        return u + 1; \
    }
#define BODY_VEC(...) __VA_ARGS__

#define BODY_CMP_TODO(id, src, flags, ...)
#define BODY_CMP_CALL(id, src, flags, ...)

#define BODY_CMP_STMT(id, src, flags, ...) \
    static const struct uop *fn_##id(struct wave *w, const struct uop *u) \
    { \
        const struct wave_fmode fm __attribute__((unused)) = w->fm; \
        const uint32_t *mask = w->lane_mask; \
        uint32_t r[64] __attribute__((aligned(64))); \
        uint64_t m; \
        BODY_PRE_##src \
        BODY_LOOP \
        { \
            BODY_IN_##src \
            bool d; \
            __VA_ARGS__; \
            r[l] = lane_mask32(d) & mask[l]; \
        } \
        m = body_pack(r); \
        body_write_mask(w, u, m); \
        if ((flags) & WR_EXEC) \
            wave_set_exec(w, m); \
        return u + 1; \
    }

/* A row of the table of functions. */
#define BODY_ROW_TODO(id, ...)
#define BODY_ROW_CALL(id, call) {I_##id, BODY_##call, true},
#define BODY_ROW_STMT(id, ...)  {I_##id, fn_##id, false},
#define BODY_ROW_VEC(id, ...)   {I_##id, fn_##id, false},
#define BODY_CALL(f) op_##f

#define BODY_TABLE(name) BODY_CAT(isa_body_##name##_, BODY_LEVEL)

#endif
