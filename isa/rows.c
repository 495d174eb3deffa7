/* rows.c: isa.def as an array of rows. */
#include "isa/row.h"

#define S0                 {T_NONE}
#define S1(a)              {T_##a}
#define S2(a, b)           {T_##a, T_##b}
#define S3(a, b, c)        {T_##a, T_##b, T_##c}
#define S4(a, b, c, d)     {T_##a, T_##b, T_##c, T_##d}
#define NA                 OP_NA
#define V3(n)              (OP_V3 | (n))
#define OP(enc, id, g6, g7, g8, g9, dst, src, flags, rate, ...) \
    [I_##id] = {#id, {g6, g7, g8, g9}, ENC_##enc, T_##dst, src, RATE_##rate, flags},

const struct isa_row isa_rows[I_COUNT] = {
#include "isa/isa.def"
};
