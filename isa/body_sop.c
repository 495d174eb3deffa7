/* body_sop.c: the scalar rows (SOP2, SOPK, SOP1, SOPC, SOPP) as functions.
 *
 * A statement sees a and b the sources and d the result, typed; scc; imm the 16-bit immediate,
 * sign-extended; `next`, the micro-op that follows, to be set by what jumps or stops. */
#include "isa/control.h"
#include "isa/lane_f64.h"
#include "regs/regs.h"

#define BODY_CAT(a, b)  BODY_CAT_(a, b)
#define BODY_CAT_(a, b) a##b
#define PROBE_TODO      , TODO
#define BODY_SECOND(a, b, ...) b
#define BODY_SHAPE_(...)       BODY_SECOND(__VA_ARGS__, STMT, )
#define BODY_SHAPE(...)        BODY_SHAPE_(PROBE_##__VA_ARGS__)

/* ---- helpers of the statements ----------------------------------------------------------- */

#define EXEC          wave_exec(w)
#define SET_EXEC(m)   do { \
        uint64_t exec_new = (m); \
        wave_set_exec(w, exec_new); \
        scc = exec_new != 0; \
    } while (0)
#define PC_NEXT       (u->pc_va + 4 * in->ndw)
#define BRANCH(c)     do { \
        if (c) \
            next = isa_jump(w, u); \
    } while (0)
#define SKIP_UNLESS(c) do { \
        if (!(c)) \
            return next; \
    } while (0)
#define NOTHING do { } while (0)
#define DBG_USER regs_extract(w->gen, F_SQ_WAVE_STATUS__COND_DBG_USER, w->status)
#define DBG_SYS  regs_extract(w->gen, F_SQ_WAVE_STATUS__COND_DBG_SYS, w->status)

/* Signed overflow of a + b = d. */
static inline bool lane_add_sub_overflow(int32_t a, int32_t b, int32_t d)
{
    return ((a ^ d) & (b ^ d)) < 0;
}

static inline uint32_t sop_abs(int32_t a)
{
    return a < 0 ? 0 - (uint32_t)a : (uint32_t)a;
}

/* s_bfe_*: the length is in bits 22..16 of the second operand. The 32-bit forms call these with
 * the value extended to 64 bits. */
static inline uint64_t sop_bfe_u64(uint64_t a, unsigned at, uint32_t b)
{
    unsigned n = bits(b, 16, 22);

    return n >= 64 ? a >> at : (a >> at) & ((UINT64_C(1) << n) - 1);
}

static inline int64_t sop_bfe_i64(int64_t a, unsigned at, uint32_t b)
{
    unsigned n = bits(b, 16, 22);

    if (n == 0)
        return 0;
    if (at + n >= 64)
        return a >> at;
    return (int64_t)((uint64_t)a << (64 - at - n)) >> (64 - n);
}

static inline uint64_t sop_wqm(uint64_t a)
{
    uint64_t any = (a | a >> 1 | a >> 2 | a >> 3) & UINT64_C(0x1111111111111111);

    return any * 15;
}

static inline uint64_t sop_quadmask(uint64_t a)
{
    uint64_t r = 0;

    for (unsigned i = 0; i < 16; i++)
        r |= (uint64_t)((a >> (4 * i) & 15) != 0) << i;
    return r;
}

static inline uint64_t sop_bitreplicate(uint32_t a)
{
    uint64_t r = 0;

    for (unsigned i = 0; i < 32; i++)
        r |= (uint64_t)(a >> i & 1) * 3 << (2 * i);
    return r;
}

/* ---- types ------------------------------------------------------------------------------- */

typedef uint32_t sop_B32, sop_U32, sop_NONE;
typedef int32_t sop_I32;
typedef uint64_t sop_B64, sop_U64;
typedef int64_t sop_I64;

#define SOP_LOAD_NONE(p) 0
#define SOP_LOAD_B32(p)  (p)[0]
#define SOP_LOAD_U32(p)  (p)[0]
#define SOP_LOAD_I32(p)  (int32_t)(p)[0]
#define SOP_LOAD_B64(p)  ((p)[0] | (uint64_t)(p)[1] << 32)
#define SOP_LOAD_U64(p)  SOP_LOAD_B64(p)
#define SOP_LOAD_I64(p)  (int64_t)SOP_LOAD_B64(p)
#define SOP_STORE_NONE(p, v) (void)(v)
#define SOP_STORE_B32(p, v)  (p)[0] = (uint32_t)(v)
#define SOP_STORE_U32(p, v)  SOP_STORE_B32(p, v)
#define SOP_STORE_I32(p, v)  SOP_STORE_B32(p, v)
#define SOP_STORE_B64(p, v)  do { \
        uint64_t v64 = (uint64_t)(v); \
        (p)[0] = (uint32_t)v64; \
        (p)[1] = (uint32_t)(v64 >> 32); \
    } while (0)
#define SOP_STORE_U64(p, v)  SOP_STORE_B64(p, v)
#define SOP_STORE_I64(p, v)  SOP_STORE_B64(p, v)

#define UNUSED __attribute__((unused))
#define SOP_IN_S0
#define SOP_IN_S1(ta) const sop_##ta a UNUSED = SOP_LOAD_##ta(uop_ptr(w, u, UOP_A));
#define SOP_IN_S2(ta, tb) \
    SOP_IN_S1(ta) const sop_##tb b UNUSED = SOP_LOAD_##tb(uop_ptr(w, u, UOP_B));

#define SOP_FN_TODO(id, dst, src, flags, ...)
#define SOP_FN_STMT(id, dst, src, flags, ...) \
    static const struct uop *fn_##id(struct wave *w, const struct uop *u) \
    { \
        const struct insn *in UNUSED = u->in; \
        const int32_t imm UNUSED = in->imm; \
        const struct uop *next = u + 1; \
        bool scc UNUSED = w->scc; \
        uint32_t *pd UNUSED = uop_ptr(w, u, UOP_DST); \
        sop_##dst d UNUSED = (flags) & RD_DST ? SOP_LOAD_##dst(pd) : 0; \
        SOP_IN_##src \
        __VA_ARGS__; \
        SOP_STORE_##dst(pd, d); \
        if ((flags) & WR_SCC) \
            w->scc = scc; \
        return next; \
    }
#define SOP_ROW_TODO(id, ...)
#define SOP_ROW_STMT(id, ...) {I_##id, fn_##id, false},

#define OP(enc, id, g6, g7, g8, g9, dst, src, flags, rate, ...) \
    BODY_CAT(SOP_FN_, BODY_SHAPE(__VA_ARGS__))(id, dst, src, flags, __VA_ARGS__)
#include "isa/sop.def"
#undef OP

static const struct isa_body rows[] = {
#define OP(enc, id, g6, g7, g8, g9, dst, src, flags, rate, ...) \
    BODY_CAT(SOP_ROW_, BODY_SHAPE(__VA_ARGS__))(id, __VA_ARGS__)
#include "isa/sop.def"
};

const struct isa_body_table isa_body_sop = {rows, ARRAY_LEN(rows)};
