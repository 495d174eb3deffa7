/* pm4: packets. A table of every IT_ opcode with its dwords named (packets.def), a walker that
 * yields views over bytes and never executes, and a printer. Sees base/, mem/, regs/. */
#ifndef ATOLL_PM4_H
#define ATOLL_PM4_H

#include "base/base.h"
#include "regs/regs.h"
#include "pm4/ids.h" /* enum pm4_op: PM4_NOP, PM4_SET_CONTEXT_REG, ... = the opcode's number */

/* One packet, as a view over the caller's bytes. */
struct pm4_packet {
    unsigned type;        /* 0, 2 or 3 */
    unsigned opcode;      /* type 3: IT_ opcode; type 0: first register's dword index */
    bool predicate;       /* type 3, bit 0 */
    bool compute;         /* type 3, bit 1: shader type */
    uint32_t header;
    const uint8_t *body;  /* first dword after the header */
    uint32_t body_dw;     /* dwords of body: 0 for type 2 and for NOP with count 0x3fff */
    uint32_t offset_dw;   /* of the header in the walked buffer */
};

/* Body dword i, which must be below body_dw. */
static inline uint32_t pm4_dw(const struct pm4_packet *p, uint32_t i)
{
    return load_le32(p->body + 4 * (size_t)i);
}

struct pm4_walker {
    enum gfx gen;
    const uint8_t *bytes;
    uint32_t dw, at_dw;
};

void pm4_walk(struct pm4_walker *w, enum gfx gen, const void *bytes, uint32_t dw);

/* The next packet. Returns 1, 0 at the end, or -1 with *e set (type 1, or a packet that runs past
 * the end); *e names the dword offset. The walker stays at the bad packet. */
int pm4_next(struct pm4_walker *w, struct pm4_packet *out, struct err *e);

/* ---- the table --------------------------------------------------------------------------- */

struct pm4_field {
    const char *name;
    uint8_t lo, hi;
    const struct reg_enum_entry *entries;
    uint16_t entry_count;
    const char *like_reg, *like_field; /* its values are named as this register's field's; or NULL */
};

struct pm4_dword {
    const char *name; /* "DST_ADDR_LO" */
    const struct pm4_field *fields;
    uint16_t field_count;
    const char *reg; /* the register that the dword goes into (its fields come before `fields`); or NULL */
};

struct pm4_desc {
    unsigned opcode;
    const char *name;           /* "DRAW_INDEX_AUTO" */
    const struct pm4_dword *dwords;
    uint16_t dword_count;
    uint16_t min_dw;            /* body dwords that the packet cannot do without */
    uint16_t repeats;           /* so many of the last dwords repeat, as a group, to the end */
    uint32_t reg_base;          /* SET_*_REG: byte offset that register offsets count from; else 0 */
};

/* NULL when the generation has no such opcode. */
const struct pm4_desc *pm4_describe(enum gfx gen, unsigned opcode);

/* Row i of the table with its mask of generations (1 << gen), NULL past the end. */
const struct pm4_desc *pm4_list(unsigned i, unsigned *gens);

/* The description that fits a packet: pm4_describe(), except for the opcodes whose layout depends
 * on the length (DISPATCH_INDIRECT of the compute rings, COND_INDIRECT_BUFFER). NULL for other
 * types and unknown opcodes. */
const struct pm4_desc *pm4_layout(enum gfx gen, const struct pm4_packet *p);

/* What body dword i is; NULL past what the table knows of the packet. */
const struct pm4_dword *pm4_dword_at(const struct pm4_desc *d, uint32_t i);

/* A field (PM4F_TYPE__FIELD) taken out of, or put into, a dword. */
static inline uint32_t pm4_get(uint32_t dw, enum pm4_field_id f)
{
    return bits(dw, (unsigned)f & 0xff, (unsigned)f >> 8);
}

static inline uint32_t pm4_put(enum pm4_field_id f, uint32_t value)
{
    unsigned lo = (unsigned)f & 0xff, hi = (unsigned)f >> 8;
    return bits(value, 0, hi - lo) << lo;
}

/* ---- register-writing packets ------------------------------------------------------------ */

/* SET_CONTEXT_REG and its relatives (CONFIG, UCONFIG, SH, and the _INDEX forms), and type 0: the
 * registers they write. Returns the number of registers (0 for other packets), the byte offset of
 * the first in *first, the body dword of its value in *value_dw, the INDEX field in *index. The
 * registers are what the packet says, not checked against any space: with hostile input they lie
 * up to 0x100000 bytes beyond the base, so the caller bounds them. */
uint32_t pm4_register_writes(enum gfx gen, const struct pm4_packet *p, uint32_t *first,
                             uint32_t *value_dw, uint32_t *index);

/* ---- builder ----------------------------------------------------------------------------- */

/* Type-3 header for `body_dw` (1..0x4000) dwords of body. */
uint32_t pm4_header(unsigned opcode, uint32_t body_dw, bool compute);

/* ---- printer ----------------------------------------------------------------------------- */

struct pm4_print {
    enum gfx gen;
    unsigned ext;
    FILE *out;
    bool color;
    unsigned depth; /* nesting of IBs: indentation */
};

/* Print one packet: header, opcode, every dword with its name, fields and enums. */
void pm4_print_packet(const struct pm4_print *pr, const struct pm4_packet *p);

#endif
