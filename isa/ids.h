/* Row ids: I_V_ADD_F32 and so on, one for each row of isa.def. */
#ifndef ATOLL_ISA_IDS_H
#define ATOLL_ISA_IDS_H

enum isa_op {
    I_NONE,
#define OP(enc, id, ...) I_##id,
#include "isa/isa.def"
    I_COUNT
};

#endif
