/* Row ids: expanded from isa.def. */
#ifndef ATOLL_ISA_IDS_H
#define ATOLL_ISA_IDS_H
enum isa_op { I_NONE };
#endif
