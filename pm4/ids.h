/* Opcode numbers, expanded from packets.def: enum pm4_op, PM4_NOP = 0x10 and so on.
 *
 * A few numbers mean one packet on GFX6 and another later (0x36, 0x7a); pm4_describe() says which
 * one a generation has. */
#ifndef ATOLL_PM4_IDS_H
#define ATOLL_PM4_IDS_H

enum pm4_op {
#define PACKET(op, name, gens, min, flags, base, ...) PM4_##name = op,
#define ALSO(name, gens, min, flags, base, ...)
#include "pm4/packets.def"
#undef PACKET
#undef ALSO
};

#endif
