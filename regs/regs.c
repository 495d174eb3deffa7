/* The register file: values by dword index, read and written by register and field id. Where those
 * lie is asked of the database (tables.c); the defaults that CLEAR_STATE loads are in
 * clear_state.c. */
#include "regs/regs.h"

void regs_reset(struct reg_file *rf, enum gfx gen, unsigned ext)
{
    memset(rf, 0, sizeof *rf);
    rf->gen = gen;
    rf->ext = ext;
}

/* The dword of a register in the file; NULL when the chip does not have it. */
static const uint32_t *find(const struct reg_file *rf, enum reg_id id)
{
    const struct reg *r = regs_by_id(rf->gen, id);

    return r && !(r->ext & ~rf->ext) ? &rf->dw[r->offset / 4] : NULL;
}

uint32_t regs_get(const struct reg_file *rf, enum reg_id r)
{
    const uint32_t *dw = find(rf, r);

    return dw ? *dw : 0;
}

uint32_t regs_get_i(const struct reg_file *rf, enum reg_id r, unsigned i)
{
    return regs_get(rf, regs_element(r, i));
}

void regs_set(struct reg_file *rf, enum reg_id r, uint32_t value)
{
    const uint32_t *dw = find(rf, r);

    if (dw)
        rf->dw[dw - rf->dw] = value;
}

void regs_set_i(struct reg_file *rf, enum reg_id r, unsigned i, uint32_t value)
{
    regs_set(rf, regs_element(r, i), value);
}

uint32_t regs_field(const struct reg_file *rf, enum reg_field_id f)
{
    return regs_field_i(rf, f, 0);
}

uint32_t regs_field_i(const struct reg_file *rf, enum reg_field_id f, unsigned i)
{
    if (regs_field_ext(rf->gen, f) & ~rf->ext)
        return 0;
    return regs_extract(rf->gen, f, regs_get_i(rf, regs_field_register(f), i));
}

void regs_field_set(struct reg_file *rf, enum reg_field_id f, uint32_t field)
{
    regs_field_set_i(rf, f, 0, field);
}

void regs_field_set_i(struct reg_file *rf, enum reg_field_id f, unsigned i, uint32_t field)
{
    enum reg_id r = regs_element(regs_field_register(f), i);

    if (!(regs_field_ext(rf->gen, f) & ~rf->ext))
        regs_set(rf, r, regs_insert(rf->gen, f, regs_get(rf, r), field));
}

uint32_t regs_extract(enum gfx gen, enum reg_field_id f, uint32_t value)
{
    unsigned lo, hi;

    return regs_field_bits(gen, f, &lo, &hi) ? bits(value, lo, hi) : 0;
}

uint32_t regs_insert(enum gfx gen, enum reg_field_id f, uint32_t value, uint32_t field)
{
    unsigned lo, hi;
    uint32_t mask;

    if (!regs_field_bits(gen, f, &lo, &hi))
        return value;
    mask = bits(0xffffffff, 0, hi - lo);
    return (value & ~(mask << lo)) | (field & mask) << lo;
}
