/* The packet tables: packets.def, sdma.def and fields.def expanded into descriptions, and the
 * look-ups. */
#include "pm4/pm4.h"

enum {
    G6 = 1 << GFX6,
    G7 = 1 << GFX7,
    G8 = 1 << GFX8,
    G9 = 1 << GFX9,
    G67 = G6 | G7,
    G78 = G7 | G8,
    G89 = G8 | G9,
    G678 = G6 | G78,
    G789 = G7 | G89,
    G6789 = G6 | G789
};

#define V(type, name, value) {#name, value},
#define ENUM(name, ...)      static const struct reg_enum_entry enum_##name[] = {__VA_ARGS__};
#define TYPE(name, ...)
#include "pm4/fields.def"
#undef ENUM
#undef TYPE

#define F(type, name, lo, hi)           {#name, lo, hi, NULL, 0, NULL, NULL},
#define FE(type, name, lo, hi, e)       {#name, lo, hi, enum_##e, ARRAY_LEN(enum_##e), NULL, NULL},
#define FR(type, name, lo, hi, reg, fl) {#name, lo, hi, NULL, 0, #reg, #fl},
#define ENUM(name, ...)
#define TYPE(name, ...) static const struct pm4_field type_##name[] = {__VA_ARGS__};
#include "pm4/fields.def"
#undef ENUM
#undef TYPE

#define D(name)         {#name, NULL, 0, NULL},
#define DT(name, type)  {#name, type_##type, ARRAY_LEN(type_##type), NULL},
#define DR(name)        {#name, NULL, 0, #name},
#define DRT(name, type) {#name, type_##type, ARRAY_LEN(type_##type), #name},

#define PACKET(op, name, gens, min, repeats, base, ...)                                        \
    static const struct pm4_dword dw_##name##_##gens##_##min[] = {__VA_ARGS__};
#define ALSO(name, gens, min, repeats, base, ...)                                              \
    PACKET(0, name, gens, min, repeats, base, __VA_ARGS__)
#define SET(op, name, gens, base)                                                              \
    PACKET(op, name, gens, 2, 1, base, DT(REG_OFFSET, SET_REG) D(VALUE))
#include "pm4/packets.def"
#undef PACKET
#undef ALSO
#undef SET

struct row {
    unsigned gens;
    struct pm4_desc desc;
};

#define ROW(op, name, gens, min, repeats, base, sets)                                          \
    {gens,                                                                                     \
     {op, #name, dw_##name##_##gens##_##min, ARRAY_LEN(dw_##name##_##gens##_##min), min,       \
      repeats, base, sets, NULL, 0}},
#define PACKET(op, name, gens, min, repeats, base, ...) ROW(op, name, gens, min, repeats, base, false)
#define SET(op, name, gens, base)                       ROW(op, name, gens, 2, 1, base, true)
#define ALSO(name, gens, min, repeats, base, ...)                                              \
    PACKET(PM4_##name, name, gens, min, repeats, base, __VA_ARGS__)
static const struct row rows[] = {
#include "pm4/packets.def"
};

const struct pm4_desc *pm4_list(unsigned i, unsigned *gens)
{
    if (i >= ARRAY_LEN(rows))
        return NULL;
    *gens = rows[i].gens;
    return &rows[i].desc;
}

const struct pm4_desc *pm4_describe(enum gfx gen, unsigned opcode)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].desc.opcode == opcode && rows[i].gens & 1u << gen)
            return &rows[i].desc;
    return NULL;
}

const struct pm4_desc *pm4_layout(enum gfx gen, const struct pm4_packet *p)
{
    if (p->type == PM4_TYPE_SDMA)
        return pm4_sdma_describe(gen, p->header, NULL);
    if (p->type != 3)
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].desc.opcode == p->opcode && rows[i].gens & 1u << gen &&
            !rows[i].desc.repeats && rows[i].desc.dword_count == p->body_dw)
            return &rows[i].desc;
    return pm4_describe(gen, p->opcode);
}

const struct pm4_dword *pm4_dword_at(const struct pm4_desc *d, uint32_t i)
{
    if (i < d->dword_count)
        return &d->dwords[i];
    if (!d->repeats)
        return NULL;

    uint32_t first = d->dword_count - d->repeats;
    return &d->dwords[first + (i - first) % d->repeats];
}

/* ---- DMA engines ------------------------------------------------------------------------- */

#define SDMA(name, gens, where, hdr, count, ...)                                               \
    static const struct pm4_dword sdma_##name##_##gens[] = {__VA_ARGS__};
#include "pm4/sdma.def"
#undef SDMA

struct sdma_row {
    unsigned gens;
    uint32_t mask, match;
    struct pm4_sdma_count count;
    struct pm4_desc desc;
};

#define HEADER                PM4_SDMA_COUNT_IN_HEADER
#define NONE                  {PM4_SDMA_NO_COUNT, 0, 0}
#define COUNT(at, field, add) {at, PM4F_##field, add}
#define SDMA(name, gens, where, hdr, count, ...)                                               \
    {gens, where, count,                                                                       \
     {0, #name, sdma_##name##_##gens, ARRAY_LEN(sdma_##name##_##gens),                         \
      ARRAY_LEN(sdma_##name##_##gens), 0, 0, false, type_##hdr, ARRAY_LEN(type_##hdr)}},
static const struct sdma_row sdma_rows[] = {
#include "pm4/sdma.def"
};

const struct pm4_desc *pm4_sdma_describe(enum gfx gen, uint32_t header,
                                         struct pm4_sdma_count *count)
{
    for (size_t i = 0; i < ARRAY_LEN(sdma_rows); i++) {
        if (!(sdma_rows[i].gens & 1u << gen) ||
            (header & sdma_rows[i].mask) != sdma_rows[i].match)
            continue;
        if (count)
            *count = sdma_rows[i].count;
        return &sdma_rows[i].desc;
    }
    return NULL;
}
