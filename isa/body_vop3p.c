/* body_vop3p.c: VOP3P rows over 64 lanes. See body.h. */
#include "isa/body.h"

#define OP(enc, id, g6, g7, g8, g9, dst, src, flags, rate, ...) \
    OP_##enc(id, dst, src, flags, __VA_ARGS__)
#define OP_VOP1(...)
#define OP_VOP2(...)
#define OP_VOP3(...)
#define OP_VINTRP(...)

#define OP_VOP3P(id, dst, src, flags, ...) \
    BODY_CAT(BODY_FN_, BODY_SHAPE(__VA_ARGS__))(id, dst, src, flags, __VA_ARGS__)
#include "isa/vop.def"
#undef OP_VOP3P

static const struct isa_body rows[] = {
#define OP_VOP3P(id, dst, src, flags, ...) \
    BODY_CAT(BODY_ROW_, BODY_SHAPE(__VA_ARGS__))(id, __VA_ARGS__)
#include "isa/vop.def"
};

const struct isa_body_table BODY_TABLE(vop3p) = {rows, ARRAY_LEN(rows)};
