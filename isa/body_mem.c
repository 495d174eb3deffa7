/* body_mem.c: rows whose body does the whole wave's work: scalar and vector memory, data share,
 * images, exports; and the CALL rows of VINTRP. Each becomes a function that calls its body with
 * `w` and `in`; isa_wrap_host around it has set w->insn_va and w->pc_va. */
#include "isa/control.h"
#include "isa/lds.h"
#include "isa/vmem.h"

#define BODY_CAT(a, b)  BODY_CAT_(a, b)
#define BODY_CAT_(a, b) a##b
#define PROBE_TODO      , TODO
#define PROBE_CALL(f)   , CALL
#define BODY_SECOND(a, b, ...) b
#define BODY_SHAPE_(...)       BODY_SECOND(__VA_ARGS__, STMT, )
#define BODY_SHAPE(...)        BODY_SHAPE_(PROBE_##__VA_ARGS__)

#define MEM_FN_TODO(id, ...)
#define MEM_FN_CALL(id, ...)
#define MEM_FN_STMT(id, ...) \
    static const struct uop *fn_##id(struct wave *w, const struct uop *u) \
    { \
        const struct insn *in __attribute__((unused)) = u->in; \
        __VA_ARGS__; \
        return u + 1; \
    }
#define MEM_ROW_TODO(id, ...)
#define MEM_ROW_CALL(id, call) {I_##id, MEM_##call, true},
#define MEM_ROW_STMT(id, ...)  {I_##id, fn_##id, true},
#define MEM_CALL(f) op_##f

#define MEM_FN(id, ...)  BODY_CAT(MEM_FN_, BODY_SHAPE(__VA_ARGS__))(id, __VA_ARGS__)
#define MEM_ROW(id, ...) BODY_CAT(MEM_ROW_, BODY_SHAPE(__VA_ARGS__))(id, __VA_ARGS__)

#define OP(enc, id, g6, g7, g8, g9, dst, src, flags, rate, ...) MEM_FN(id, __VA_ARGS__)
#include "isa/smem.def"
#include "isa/ds.def"
#include "isa/buffer.def"
#include "isa/image.def"
#include "isa/flat.def"
#include "isa/exp.def"
#undef OP

#define OP_VOP1(...)
#define OP_VOP2(...)
#define OP_VOP3(...)
#define OP_VOP3P(...)

static const struct isa_body rows[] = {
#define OP(enc, id, g6, g7, g8, g9, dst, src, flags, rate, ...) MEM_ROW(id, __VA_ARGS__)
#include "isa/smem.def"
#include "isa/ds.def"
#include "isa/buffer.def"
#include "isa/image.def"
#include "isa/flat.def"
#include "isa/exp.def"
#undef OP
#define OP(enc, id, g6, g7, g8, g9, dst, src, flags, rate, ...) OP_##enc(id, __VA_ARGS__)
#define OP_VINTRP(id, ...) MEM_ROW(id, __VA_ARGS__)
#include "isa/vop.def"
};

const struct isa_body_table isa_body_mem = {rows, ARRAY_LEN(rows)};
