/* body_vopc.c: the compares over 64 lanes; inactive lanes give 0. See body.h. */
#include "isa/body.h"

#define OP(enc, id, g6, g7, g8, g9, dst, src, flags, rate, ...) \
    OP_##enc(id, src, flags, __VA_ARGS__)

#define OP_VOPC(id, src, flags, ...) \
    BODY_CAT(BODY_CMP_, BODY_SHAPE(__VA_ARGS__))(id, src, flags, __VA_ARGS__)
#include "isa/vopc.def"
#undef OP_VOPC

static const struct isa_body rows[] = {
#define OP_VOPC(id, src, flags, ...) \
    BODY_CAT(BODY_ROW_, BODY_SHAPE(__VA_ARGS__))(id, __VA_ARGS__)
#include "isa/vopc.def"
};

const struct isa_body_table BODY_TABLE(vopc) = {rows, ARRAY_LEN(rows)};
