/* pm4: packets. A table of every IT_ opcode with its dwords named (packets.def), a walker that
 * yields views over bytes and never executes, and a printer. Sees base/, mem/, regs/. */
#ifndef ATOLL_PM4_H
#define ATOLL_PM4_H

#include "base/base.h"
#include "regs/regs.h"
#include "pm4/ids.h" /* enum pm4_op: PM4_NOP, PM4_SET_CONTEXT_REG, ... = the opcode's number */

#define PM4_TYPE_SDMA 4 /* a packet of a DMA engine, which is no PM4: see pm4_sdma_next() */

/* One packet, as a view over the caller's bytes. */
struct pm4_packet {
    unsigned type;        /* 0, 2 or 3; PM4_TYPE_SDMA */
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

/* The next packet of a DMA engine's buffer (ring DMA): as pm4_next(), except that an unknown packet
 * is an error too, since only the table knows the lengths. */
int pm4_sdma_next(struct pm4_walker *w, struct pm4_packet *out, struct err *e);

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
    uint32_t reg_base;          /* byte offset that REG_OFFSET counts from; 0 without one */
    bool sets_regs;             /* SET_*_REG: REG_OFFSET, then the values of consecutive registers */
    const struct pm4_field *header_fields; /* DMA engines: of the header; NULL for PM4 */
    uint16_t header_field_count;
};

/* Where a DMA packet keeps the number of data dwords at its end: field `field` of body dword `at`
 * (or of the header), plus `add`. The last dword of the description is the first of them. */
enum { PM4_SDMA_NO_COUNT = -2, PM4_SDMA_COUNT_IN_HEADER = -1 };
struct pm4_sdma_count {
    int8_t at;
    uint16_t field; /* enum pm4_field_id */
    uint8_t add;
};

/* The DMA packet that a header begins; NULL when the generation has none. `count` may be NULL. */
const struct pm4_desc *pm4_sdma_describe(enum gfx gen, uint32_t header,
                                         struct pm4_sdma_count *count);

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

/* ---- what the dwords say ----------------------------------------------------------------- */

/* One body dword with all that is known of it. */
struct pm4_item {
    uint32_t value;
    const char *name;              /* of the dword or of the register written; NULL when unknown */
    const struct reg *reg;         /* the register that the value has the fields of; or NULL */
    const struct pm4_dword *dword; /* its row in the table; NULL for register values */
    bool writes_reg;               /* the value of a register, written by SET_*_REG or type 0 */
    uint32_t reg_offset;           /* of that register, in bytes */
    bool has_u64;                  /* it is the high half of a pair: an address or 64-bit data */
    uint64_t u64;                  /* both halves, without the fields that share their dwords */
};

/* Body dword i of a packet, i < p->body_dw. */
void pm4_item(enum gfx gen, unsigned ext, const struct pm4_packet *p, uint32_t i,
              struct pm4_item *out);

struct pm4_item_field {
    const char *name;
    unsigned lo, hi;
    uint32_t value;
    const char *text; /* the value's name, or NULL */
};

/* Field n of a DMA packet's header; false past the last, and for PM4. */
bool pm4_header_field(enum gfx gen, const struct pm4_packet *p, unsigned n,
                      struct pm4_item_field *out);

/* Field n of an item (the register's first, then the packet's own); false past the last. */
bool pm4_item_field(enum gfx gen, unsigned ext, const struct pm4_item *it, unsigned n,
                    struct pm4_item_field *out);

/* The register that a dword names without writing it (REG_OFFSET of SET and LOAD packets, the
 * addresses of WRITE_DATA, COPY_DATA, WAIT_REG_MEM, ... when their space is registers): its byte
 * offset in *offset. False when dword i names none. */
bool pm4_item_register(enum gfx gen, const struct pm4_packet *p, uint32_t i, uint32_t *offset);

/* The indirect buffer that a packet calls: INDIRECT_BUFFER and its relatives. Returns how many
 * (0, 1; 2 for COND_INDIRECT_BUFFER with an else), `chain` when the rest of this buffer is not
 * executed. A buffer of size 0 counts. Of DMA packets: INDIRECT. */
struct pm4_ib {
    uint64_t va;
    uint32_t dw;
    bool chain;
};
unsigned pm4_indirect_buffers(enum gfx gen, const struct pm4_packet *p, struct pm4_ib out[2]);

/* ---- builder ----------------------------------------------------------------------------- */

/* Type-3 header for `body_dw` (1..0x4000) dwords of body. */
uint32_t pm4_header(unsigned opcode, uint32_t body_dw, bool compute);

/* A command buffer under construction: dw[0 .. count-1], host order (= guest order). When memory
 * runs out, or a register has no SET packet, `failed` is set and nothing more is added. */
struct pm4_builder {
    enum gfx gen;
    uint32_t *dw;
    uint32_t count, room;
    bool failed;
};

void pm4_builder_init(struct pm4_builder *b, enum gfx gen);
void pm4_builder_free(struct pm4_builder *b);

/* One dword, as it is. */
void pm4_emit(struct pm4_builder *b, uint32_t dw);

/* A type-3 packet with `body_dw` dwords of body. */
void pm4_emit_packet(struct pm4_builder *b, enum pm4_op op, bool compute, uint32_t body_dw,
                     const uint32_t *body);

/* Likewise from a list: PM4_EMIT(&b, PM4_DRAW_INDEX_AUTO, 3, 2). */
#define PM4_EMIT(b, op, ...)                                                                   \
    pm4_emit_packet(b, op, false, sizeof((uint32_t[]){__VA_ARGS__}) / 4,                       \
                    (uint32_t[]){__VA_ARGS__})

/* The SET packet for a register (its space decides which): one by id; consecutive ones from a byte
 * offset. */
void pm4_emit_set(struct pm4_builder *b, enum reg_id r, uint32_t value);
void pm4_emit_set_at(struct pm4_builder *b, uint32_t offset_bytes, uint32_t n,
                     const uint32_t *values);

/* Pad to a multiple of `dw` dwords: one-dword NOPs, type 2 on GFX6. */
void pm4_emit_pad(struct pm4_builder *b, uint32_t dw);

/* ---- printer ----------------------------------------------------------------------------- */

struct pm4_print {
    enum gfx gen;
    unsigned ext;
    FILE *out;
    bool color;
    bool all_fields; /* also the fields that are 0 */
    unsigned depth;  /* nesting of IBs: indentation */
};

/* Print one packet: header, opcode, every dword with its name, fields and enums. */
void pm4_print_packet(const struct pm4_print *pr, const struct pm4_packet *p);

#endif
