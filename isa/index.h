/* index.h: layout.c for decode.c and encode.c alone. */
#ifndef ATOLL_ISA_INDEX_H
#define ATOLL_ISA_INDEX_H

#include "isa/codec.h"

/* The layout and row of a first word; NULL when no row of the target matches. */
const struct layout *isa_layout_find(const struct isa_target *t, uint32_t dw0, enum isa_op *op);

/* A member of struct insn as a number. A signed 32-bit member comes as its bits. */
uint32_t isa_field_get(const struct field *f, const struct insn *in);
void isa_field_set(const struct field *f, struct insn *in, uint32_t v);

/* The fields of a layout from its words, into `in`; nothing else of it is touched. */
void isa_fields_decode(const struct layout *l, const uint32_t *dw, struct insn *in);

#endif
