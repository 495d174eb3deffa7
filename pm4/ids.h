/* Opcodes, dword positions, fields and field values of packets, expanded from packets.def and
 * fields.def, so that no number of theirs is written anywhere else:
 *
 *   PM4_WRITE_DATA                          the opcode
 *   PM4_AT(WRITE_DATA, DST_ADDR_LO)         the body dword; PM4_AT_ALSO(DMA_DATA, G9, COMMAND) in
 *                                           another layout of the packet (an ALSO row)
 *   PM4F_WRITE_CONTROL__DST_SEL             a field of a dword, for pm4_get() and pm4_put()
 *   PM4V_WRITE_DST__MEM                     a value of a field
 *
 * A few opcode numbers mean one packet on GFX6 and another later (0x36, 0x7a): pm4_describe() says
 * which one a generation has. */
#ifndef ATOLL_PM4_IDS_H
#define ATOLL_PM4_IDS_H

#include <stddef.h>
#include <stdint.h>

enum pm4_op {
#define PACKET(op, name, gens, min, repeats, base, ...) PM4_##name = op,
#define ALSO(name, gens, min, repeats, base, ...)
#define SET(op, name, gens, base) PM4_##name = op,
#include "pm4/packets.def"
#undef PACKET
#undef ALSO
#undef SET
};

/* One struct per layout, used for its offsets only. */
#define D(name)         uint32_t name;
#define DT(name, type)  uint32_t name;
#define DR(name)        uint32_t name;
#define DRT(name, type) uint32_t name;
#define PACKET(op, name, gens, min, repeats, base, ...)                                        \
    struct pm4_at_##name {                                                                     \
        __VA_ARGS__                                                                            \
    };
#define ALSO(name, gens, min, repeats, base, ...)                                              \
    struct pm4_at_##name##_##gens {                                                            \
        __VA_ARGS__                                                                            \
    };
#define SET(op, name, gens, base) PACKET(op, name, gens, 2, 1, base, D(REG_OFFSET) D(VALUE))
#include "pm4/packets.def"
#undef PACKET
#undef ALSO
#undef SET
#undef D
#undef DT
#undef DR
#undef DRT

#define PM4_AT(packet, dword) ((unsigned)(offsetof(struct pm4_at_##packet, dword) / 4))
#define PM4_AT_ALSO(packet, gens, dword)                                                       \
    ((unsigned)(offsetof(struct pm4_at_##packet##_##gens, dword) / 4))

/* A field as its low bit and, from bit 8, its high bit. */
enum pm4_field_id {
#define ENUM(name, ...)
#define TYPE(name, ...)                 __VA_ARGS__
#define F(type, name, lo, hi)           PM4F_##type##__##name = (lo) | (hi) << 8,
#define FE(type, name, lo, hi, e)       F(type, name, lo, hi)
#define FR(type, name, lo, hi, reg, fl) F(type, name, lo, hi)
#include "pm4/fields.def"
#undef ENUM
#undef TYPE
#undef F
#undef FE
#undef FR
};

enum pm4_value {
#define ENUM(name, ...)      __VA_ARGS__
#define TYPE(name, ...)
#define V(type, name, value) PM4V_##type##__##name = value,
#include "pm4/fields.def"
#undef ENUM
#undef TYPE
#undef V
};

#endif
