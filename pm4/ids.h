/* Opcode numbers: expanded from packets.def. */
#ifndef ATOLL_PM4_IDS_H
#define ATOLL_PM4_IDS_H
enum pm4_op { PM4_NOP = 0x10 };
#endif
