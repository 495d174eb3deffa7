/* The builder: command buffers by hand, for tests, examples and tools. */
#include "pm4/pm4.h"

#include <stdlib.h>

void pm4_builder_init(struct pm4_builder *b, enum gfx gen)
{
    *b = (struct pm4_builder){.gen = gen};
}

void pm4_builder_free(struct pm4_builder *b)
{
    free(b->dw);
    *b = (struct pm4_builder){.gen = b->gen};
}

static bool reserve(struct pm4_builder *b, uint32_t more_dw)
{
    if (b->failed)
        return false;
    if (more_dw > b->room - b->count) {
        uint64_t room = MAX2((uint64_t)b->room * 2, (uint64_t)b->count + more_dw + 64);
        uint32_t *dw = room <= UINT32_MAX / 4 ? realloc(b->dw, room * 4) : NULL;
        if (!dw) {
            b->failed = true;
            return false;
        }
        b->dw = dw;
        b->room = (uint32_t)room;
    }
    return true;
}

void pm4_emit(struct pm4_builder *b, uint32_t dw)
{
    if (reserve(b, 1))
        b->dw[b->count++] = dw;
}

void pm4_emit_packet(struct pm4_builder *b, enum pm4_op op, bool compute, uint32_t body_dw,
                     const uint32_t *body)
{
    if (!body_dw || body_dw > 0x4000 || !reserve(b, body_dw + 1)) {
        b->failed = true;
        return;
    }
    b->dw[b->count++] = pm4_header(op, body_dw, compute);
    memcpy(&b->dw[b->count], body, 4 * (size_t)body_dw);
    b->count += body_dw;
}

/* The SET packet whose base is nearest below the register: the spaces do not overlap. The _INDEX
 * forms come after the plain ones in the table and have the same base. */
static const struct pm4_desc *set_packet(enum gfx gen, uint32_t offset_bytes)
{
    const struct pm4_desc *best = NULL, *d;
    unsigned gens;

    for (unsigned i = 0; (d = pm4_list(i, &gens)); i++)
        if (gens & 1u << gen && d->sets_regs && d->reg_base <= offset_bytes &&
            (!best || d->reg_base > best->reg_base))
            best = d;
    return best;
}

void pm4_emit_set_at(struct pm4_builder *b, uint32_t offset_bytes, uint32_t n,
                     const uint32_t *values)
{
    const struct pm4_desc *d = set_packet(b->gen, offset_bytes);
    if (!d || !n || n >= 0x4000 || (offset_bytes - d->reg_base) / 4 > 0xffff ||
        !reserve(b, n + 2)) {
        b->failed = true;
        return;
    }
    b->dw[b->count++] = pm4_header(d->opcode, n + 1, false);
    b->dw[b->count++] = pm4_put(PM4F_SET_REG__REG_OFFSET, (offset_bytes - d->reg_base) / 4);
    memcpy(&b->dw[b->count], values, 4 * (size_t)n);
    b->count += n;
}

void pm4_emit_set(struct pm4_builder *b, enum reg_id r, uint32_t value)
{
    const struct reg *reg = regs_by_id(b->gen, r);
    if (!reg) {
        b->failed = true;
        return;
    }
    pm4_emit_set_at(b, reg->offset, 1, &value);
}

void pm4_emit_pad(struct pm4_builder *b, uint32_t dw)
{
    uint32_t nop = b->gen == GFX6 ? 2u << 30 : pm4_header(PM4_NOP, 0x4000, false);

    while (!b->failed && b->count % dw)
        pm4_emit(b, nop);
}
