/* The packet table: packets.def expanded into descriptions, looked up by generation and opcode. */
#include "pm4/pm4.h"

enum {
    G6 = 1 << GFX6,
    G9 = 1 << GFX9,
    G67 = G6 | 1 << GFX7,
    G89 = G9 | 1 << GFX8,
    G789 = G89 | 1 << GFX7,
    G6789 = G6 | G789
};

#define DW(name, type) {#name, NULL, 0},

#define PACKET(op, name, gens, min, flags, base, ...)                                          \
    static const struct pm4_dword dw_##name##_##gens[] = {__VA_ARGS__};
#define ALSO(name, gens, min, flags, base, ...) PACKET(0, name, gens, min, flags, base, __VA_ARGS__)
#include "pm4/packets.def"
#undef PACKET
#undef ALSO

struct row {
    unsigned gens;
    struct pm4_desc desc;
};

#define PACKET(op, name, gens, min, flags, base, ...)                                          \
    {gens, {op, #name, dw_##name##_##gens, ARRAY_LEN(dw_##name##_##gens), min, flags, base}},
#define ALSO(name, gens, min, flags, base, ...)                                                \
    PACKET(PM4_##name, name, gens, min, flags, base, __VA_ARGS__)
static const struct row rows[] = {
#include "pm4/packets.def"
};

const struct pm4_desc *pm4_describe(enum gfx gen, unsigned opcode)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].desc.opcode == opcode && rows[i].gens & 1u << gen)
            return &rows[i].desc;
    return NULL;
}
