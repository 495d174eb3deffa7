/* The register database: the tables expanded for the four generations, and the lookups over them.
 *
 * All of it is constant data. Registers are found by id and by offset through dense arrays (the
 * command processor asks for every register that a packet writes), by name by walking them.
 * Facts and rows: rows.def, types.def, enums.def. Expansion: gen.inc. */
#include "regs/regs.h"
#include "regs/enums.def"

#define CAT(a, b, c)       CAT_(a, b, c)
#define CAT_(a, b, c)      a##b##c
#define KEEP(...)          __VA_ARGS__
#define DROP(...)

/* IF_REAL(offset, text): the text, unless the offset is NA. */
#define IF_REAL(o, ...)    IF_REAL_(o, __VA_ARGS__)
#define IF_REAL_(o, ...)   SECOND(NOT_##o DROP, KEEP, )(__VA_ARGS__)
#define NOT_NA             ,
#define SECOND(...)        SECOND_(__VA_ARGS__)
#define SECOND_(a, b, ...) b

/* ON<digit>_<generations>(text): the text, when the digit is among the generations. */
#define ON6_ALL  KEEP
#define ON6_G6   KEEP
#define ON6_G7   DROP
#define ON6_G8   DROP
#define ON6_G9   DROP
#define ON6_G67  KEEP
#define ON6_G68  KEEP
#define ON6_G69  KEEP
#define ON6_G78  DROP
#define ON6_G79  DROP
#define ON6_G89  DROP
#define ON6_G678 KEEP
#define ON6_G679 KEEP
#define ON6_G689 KEEP
#define ON6_G789 DROP

#define ON7_ALL  KEEP
#define ON7_G6   DROP
#define ON7_G7   KEEP
#define ON7_G8   DROP
#define ON7_G9   DROP
#define ON7_G67  KEEP
#define ON7_G68  DROP
#define ON7_G69  DROP
#define ON7_G78  KEEP
#define ON7_G79  KEEP
#define ON7_G89  DROP
#define ON7_G678 KEEP
#define ON7_G679 KEEP
#define ON7_G689 DROP
#define ON7_G789 KEEP

#define ON8_ALL  KEEP
#define ON8_G6   DROP
#define ON8_G7   DROP
#define ON8_G8   KEEP
#define ON8_G9   DROP
#define ON8_G67  DROP
#define ON8_G68  KEEP
#define ON8_G69  DROP
#define ON8_G78  KEEP
#define ON8_G79  DROP
#define ON8_G89  KEEP
#define ON8_G678 KEEP
#define ON8_G679 DROP
#define ON8_G689 KEEP
#define ON8_G789 KEEP

#define ON9_ALL  KEEP
#define ON9_G6   DROP
#define ON9_G7   DROP
#define ON9_G8   DROP
#define ON9_G9   KEEP
#define ON9_G67  DROP
#define ON9_G68  DROP
#define ON9_G69  KEEP
#define ON9_G78  DROP
#define ON9_G79  KEEP
#define ON9_G89  KEEP
#define ON9_G678 DROP
#define ON9_G679 KEEP
#define ON9_G689 KEEP
#define ON9_G789 KEEP

/* The spaces that SET_*_REG packets address, by byte offset. */
#define SPACE_OF(o)                                        \
    ((o) >= 0x8000 && (o) < 0xb000    ? REG_CONFIG         \
     : (o) >= 0xb000 && (o) < 0xc000  ? REG_SH             \
     : (o) >= 0x28000 && (o) < 0x29000 ? REG_CONTEXT       \
     : (o) >= 0x30000 && (o) < 0x40000 ? REG_UCONFIG       \
                                       : REG_OTHER)

/* Where a field lies: `width` 0 when the generation does not have it. */
struct field_place {
    uint8_t lo, width, ext;
};

/* A type of which a generation has no register leaves its arrays unused there. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-const-variable"

#define GEN 6
#define COLUMN(o6, o7, o8, o9) o6
#include "regs/gen.inc"

#define GEN 7
#define COLUMN(o6, o7, o8, o9) o7
#include "regs/gen.inc"

#define GEN 8
#define COLUMN(o6, o7, o8, o9) o8
#include "regs/gen.inc"

#define GEN 9
#define COLUMN(o6, o7, o8, o9) o9
#include "regs/gen.inc"

#pragma GCC diagnostic pop

static const struct {
    const struct reg *by_id;          /* [REG_ID_COUNT]; no name where there is none */
    const struct reg *extended;       /* ends with a NULL name */
    const uint16_t *at;               /* [REGS_FILE_DWORDS]: ids, R_NONE where there is none */
    const struct field_place *places; /* [REG_FIELD_ID_COUNT] */
} gens[GFX_COUNT] = {
    [GFX6] = {regs6, extended6, at6, places6},
    [GFX7] = {regs7, extended7, at7, places7},
    [GFX8] = {regs8, extended8, at8, places8},
    [GFX9] = {regs9, extended9, at9, places9},
};

/* Element 0 of the array that a register belongs to; itself when it is none's. */
static const uint16_t array_of[REG_ID_COUNT] = {
#define REG(name, type, o6, o7, o8, o9)        [R_##name] = R_##name,
#define NEXT(base, name, type, o6, o7, o8, o9) [R_##name] = R_##base,
#define OF_(i, pre, suf, base)                 [R_##pre##i##suf] = R_##base,
#define ARRAY(pre, n, suf, stride, type, o6, o7, o8, o9) \
    SEQ_0_##n(OF_, pre, suf, pre##0##suf)
#define MORE(base, pre, first, n, suf, stride, type, o6, o7, o8, o9) \
    SEQ_##first##_##n(OF_, pre, suf, base)
#define EXT(ext, name, type, offset)           [R_##name] = R_##name,
#include "regs/rows.def"
#undef OF_
};

/* The register of each field id. */
static const uint16_t register_of[REG_FIELD_ID_COUNT] = {
#define OF_(r, field, lo, hi, gens, en) [F_##r##__##field] = R_##r,
#define FIELDS_(type, r)                T_##type(OF_, DROP, OF_, r)
#define REG(name, type, o6, o7, o8, o9) FIELDS_(type, name)
#define ARRAY(pre, n, suf, stride, type, o6, o7, o8, o9) FIELDS_(type, pre##0##suf)
#define MORE(base, pre, first, n, suf, stride, type, o6, o7, o8, o9) \
    FIELDS_(type, pre##first##suf)
#define EXT(ext, name, type, offset)    FIELDS_(type, name)
#include "regs/rows.def"
#undef OF_
#undef FIELDS_
};

/* NA is a row's word for "nowhere"; no place has this offset. */
enum { NA = -1 };

static const struct {
    uint32_t count, stride;
    uint32_t offset[GFX_COUNT];
} gaps[] = {
#define GAP(n, stride, o6, o7, o8, o9) {n, stride, {o6, o7, o8, o9}},
#include "regs/rows.def"
};

/* The register as a chip with `ext` has it; NULL when that chip has not. */
static const struct reg *with_ext(enum gfx gen, unsigned ext, const struct reg *r)
{
    if (!r->name || (r->ext & ~ext))
        return NULL;
    for (const struct reg *x = gens[gen].extended; ext && x->name; x++)
        if (x->id == r->id && !(x->ext & ~ext))
            return x;
    return r;
}

const struct reg *regs_by_id(enum gfx gen, enum reg_id id)
{
    if (gen >= GFX_COUNT || id >= REG_ID_COUNT || !gens[gen].by_id[id].name)
        return NULL;
    return &gens[gen].by_id[id];
}

const struct reg *regs_by_offset(enum gfx gen, unsigned ext, uint32_t offset_bytes)
{
    if (gen >= GFX_COUNT || offset_bytes % 4 || offset_bytes / 4 >= REGS_FILE_DWORDS)
        return NULL;
    return with_ext(gen, ext, &gens[gen].by_id[gens[gen].at[offset_bytes / 4]]);
}

const struct reg *regs_by_name(enum gfx gen, unsigned ext, const char *name)
{
    if (gen >= GFX_COUNT)
        return NULL;
    for (unsigned id = 0; id < REG_ID_COUNT; id++) {
        const struct reg *r = &gens[gen].by_id[id];
        if (r->name && !strcmp(r->name, name))
            return with_ext(gen, ext, r);
    }
    return NULL;
}

bool regs_is_gap(enum gfx gen, uint32_t offset_bytes)
{
    for (size_t i = 0; i < ARRAY_LEN(gaps); i++) {
        uint32_t first = gaps[i].offset[gen];

        if (first != (uint32_t)NA && offset_bytes >= first &&
            (offset_bytes - first) % gaps[i].stride == 0 &&
            (offset_bytes - first) / gaps[i].stride < gaps[i].count)
            return true;
    }
    return false;
}

const struct reg *regs_next(enum gfx gen, unsigned ext, const struct reg *after)
{
    if (gen >= GFX_COUNT)
        return NULL;
    for (uint32_t dw = after ? after->offset / 4 + 1 : 0; dw < REGS_FILE_DWORDS; dw++) {
        if (gens[gen].at[dw]) {
            const struct reg *r = with_ext(gen, ext, &gens[gen].by_id[gens[gen].at[dw]]);
            if (r)
                return r;
        }
    }
    return NULL;
}

const struct reg_field *regs_field_by_name(const struct reg *r, const char *name)
{
    for (unsigned i = 0; i < r->field_count; i++)
        if (!strcmp(r->fields[i].name, name))
            return &r->fields[i];
    return NULL;
}

const char *regs_enum_name(const struct reg_field *f, uint32_t value)
{
    for (unsigned i = 0; i < f->entry_count; i++)
        if (f->entries[i].value == value)
            return f->entries[i].name;
    return NULL;
}

enum reg_id regs_field_register(enum reg_field_id f)
{
    return f < REG_FIELD_ID_COUNT ? (enum reg_id)register_of[f] : R_NONE;
}

bool regs_field_bits(enum gfx gen, enum reg_field_id f, unsigned *lo, unsigned *hi)
{
    if (gen >= GFX_COUNT || f >= REG_FIELD_ID_COUNT || !gens[gen].places[f].width)
        return false;
    *lo = gens[gen].places[f].lo;
    *hi = *lo + gens[gen].places[f].width - 1;
    return true;
}

unsigned regs_field_ext(enum gfx gen, enum reg_field_id f)
{
    return gen < GFX_COUNT && f < REG_FIELD_ID_COUNT ? gens[gen].places[f].ext : 0;
}

enum reg_id regs_element(enum reg_id r, unsigned i)
{
    if (r >= REG_ID_COUNT || i >= REG_ID_COUNT - (unsigned)r)
        return R_NONE;
    return array_of[r + i] == array_of[r] ? (enum reg_id)(r + i) : R_NONE;
}
