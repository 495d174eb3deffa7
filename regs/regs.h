/* regs: the register database and the register file.
 *
 * Registers and fields have ids that are the same on every generation (R_CB_COLOR0_INFO,
 * F_CB_COLOR0_INFO__FORMAT); where they lie is a fact of the tables config.def, sh.def,
 * context.def, uconfig.def and is looked up by generation. Sees base/ only. */
#ifndef ATOLL_REGS_H
#define ATOLL_REGS_H

#include "base/base.h"
#include "regs/ids.h" /* enum reg_id R_*, enum reg_field_id F_REG__FIELD */

/* ---- the database ------------------------------------------------------------------------ */

enum reg_space { REG_CONFIG, REG_SH, REG_CONTEXT, REG_UCONFIG, REG_OTHER };

struct reg_enum_entry {
    const char *name;
    uint32_t value;
};

struct reg_field {
    const char *name;
    uint8_t lo, hi;                       /* bits, both inclusive */
    const struct reg_enum_entry *entries; /* NULL when the field has no enum */
    uint16_t entry_count;
};

struct reg {
    const char *name;
    enum reg_id id;
    uint32_t offset;                /* in bytes, as in MMIO space; offset / 4 is the dword index */
    enum reg_space space;
    const struct reg_field *fields; /* ascending by low bit */
    uint16_t field_count;
    uint8_t ext;                    /* mask of reg_ext: the extension that brings it, or 0 */
};

/* Extension blocks that a chip carries on top of its generation (the same bits as chip_ext). */
enum reg_ext { REG_EXT_VRS = 1 };

/* The registers of a chip in the order of their offsets: the one after `after`, the first when that is
 * NULL; NULL at the end. `ext` is a mask of reg_ext. */
const struct reg *regs_next(enum gfx gen, unsigned ext, const struct reg *after);

/* By name (exact, AMD's spelling), by byte offset (a multiple of 4), by id (whatever the
 * extensions). NULL when there is none. By id and by offset take constant time. */
const struct reg *regs_by_name(enum gfx gen, unsigned ext, const char *name);
const struct reg *regs_by_offset(enum gfx gen, unsigned ext, uint32_t offset_bytes);
const struct reg *regs_by_id(enum gfx gen, enum reg_id id);

/* Is this the place of no register, but one that drivers write 0 to on their way through a run of
 * registers? Such a write is no news. */
bool regs_is_gap(enum gfx gen, uint32_t offset_bytes);

/* Element i of the array of registers of which `r` is an element, counted from `r`: R_NONE past the end.
 * Of a register that belongs to no array, 0 is itself. */
enum reg_id regs_element(enum reg_id r, unsigned i);

/* A field of a register by its name; NULL when it has none. */
const struct reg_field *regs_field_by_name(const struct reg *r, const char *name);

/* The name of a value in a field's enum; NULL when it has none. */
const char *regs_enum_name(const struct reg_field *f, uint32_t value);

/* The register that a field id belongs to. */
enum reg_id regs_field_register(enum reg_field_id f);

/* The bits of a field, both inclusive; false when `gen` does not have it. */
bool regs_field_bits(enum gfx gen, enum reg_field_id f, unsigned *lo, unsigned *hi);

/* The extension that brings a field, as a mask of reg_ext; 0 when it belongs to the generation. */
unsigned regs_field_ext(enum gfx gen, enum reg_field_id f);

/* ---- the register file ------------------------------------------------------------------- */

#define REGS_FILE_DWORDS 0x10000u /* MMIO byte offsets 0 .. 0x3ffff */

/* Every register of a device by dword index. Plain data: a draw's snapshot is a copy of the
 * parts it needs, never a pointer into this. */
struct reg_file {
    enum gfx gen;
    unsigned ext;
    uint32_t dw[REGS_FILE_DWORDS];
};

/* All zero, then nothing: CLEAR_STATE is a packet of its own. */
void regs_reset(struct reg_file *rf, enum gfx gen, unsigned ext);

/* Load the context defaults that the CLEAR_STATE packet loads on this generation (GFX6 has the
 * same table, loaded by the kernel before the first submission).
 * Source: the clear-state tables of Linux's amdgpu. */
void regs_clear_state(struct reg_file *rf);

/* Value of a register; of element i of an array of registers that share a stride
 * (R_CB_COLOR0_INFO, 3 is CB_COLOR3_INFO; the stride is a fact of the table). A register that
 * the generation does not have reads 0. */
uint32_t regs_get(const struct reg_file *rf, enum reg_id r);
uint32_t regs_get_i(const struct reg_file *rf, enum reg_id r, unsigned i);
void regs_set(struct reg_file *rf, enum reg_id r, uint32_t value);
void regs_set_i(struct reg_file *rf, enum reg_id r, unsigned i, uint32_t value);

/* Value of a field, shifted down; 0 when the chip does not have it. Setting one that it does not
 * have does nothing; bits of `field` beyond the field's width are dropped. */
uint32_t regs_field(const struct reg_file *rf, enum reg_field_id f);
uint32_t regs_field_i(const struct reg_file *rf, enum reg_field_id f, unsigned i);
void regs_field_set(struct reg_file *rf, enum reg_field_id f, uint32_t field);
void regs_field_set_i(struct reg_file *rf, enum reg_field_id f, unsigned i, uint32_t field);

/* The field taken out of, or put into, a value that is not in the file. */
uint32_t regs_extract(enum gfx gen, enum reg_field_id f, uint32_t value);
uint32_t regs_insert(enum gfx gen, enum reg_field_id f, uint32_t value, uint32_t field);

#endif
