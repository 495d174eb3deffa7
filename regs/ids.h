/* Ids of registers and fields, expanded from the tables.
 *
 * R_CB_COLOR0_INFO: a register. Elements of an array of registers have consecutive ids, so
 * R_CB_COLOR0_INFO + 3 == R_CB_COLOR3_INFO.
 * F_CB_COLOR0_INFO__FORMAT: a field of a register; of an array, of its element 0 (and of each further row
 * of the tables that continues the array). An id exists when any generation has the thing.
 * The values of a field that has an enum: regs/enums.h. */
#ifndef ATOLL_REGS_IDS_H
#define ATOLL_REGS_IDS_H

#include "regs/seq.h"
#include "regs/types.def"

enum reg_id {
    R_NONE,
#define REG(name, type, o6, o7, o8, o9)                              R_##name,
#define REG_ID_(i, pre, suf)                                         R_##pre##i##suf,
#define ARRAY(pre, n, suf, stride, type, o6, o7, o8, o9)             SEQ_0_##n(REG_ID_, pre, suf)
#define MORE(base, pre, first, n, suf, stride, type, o6, o7, o8, o9) \
    SEQ_##first##_##n(REG_ID_, pre, suf)
#define EXT(ext, name, type, offset)                                 R_##name,
#include "regs/rows.def"
#undef REG_ID_
    REG_ID_COUNT
};

enum reg_field_id {
    F_NONE,
#define REG_FIELD_ID_(r, field, lo, hi, gens, en)                    F_##r##__##field,
#define REG_FIELD_SAME_(r, field, lo, hi, gens, en)
#define REG_FIELDS_(type, r) T_##type(REG_FIELD_ID_, REG_FIELD_SAME_, REG_FIELD_ID_, r)
#define REG(name, type, o6, o7, o8, o9)                              REG_FIELDS_(type, name)
#define ARRAY(pre, n, suf, stride, type, o6, o7, o8, o9)             REG_FIELDS_(type, pre##0##suf)
#define MORE(base, pre, first, n, suf, stride, type, o6, o7, o8, o9) \
    REG_FIELDS_(type, pre##first##suf)
#define EXT(ext, name, type, offset)                                 REG_FIELDS_(type, name)
#include "regs/rows.def"
#undef REG_FIELD_ID_
#undef REG_FIELD_SAME_
#undef REG_FIELDS_
    REG_FIELD_ID_COUNT
};

#endif
