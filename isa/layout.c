/* layout.c: encoding.def and isa.def turned into what the decoder and the encoder look up.
 *
 * The index from (generation, encoding, opcode) to rows is derived from the table once per
 * process, under pthread_once, and only read afterwards: a constant that the compiler
 * cannot compute. */
#include "isa/codec.h"
#include "isa/index.h"

#include <pthread.h>
#include <stddef.h>

#define G6 1
#define G7 2
#define G8 4
#define G9 8

#define CAT_(a, b) a##b
#define CAT(a, b)  CAT_(a, b)

/* FP_name is where the fields of a layout start in fields[]. */
enum field_position {
#define LAYOUT(name, ...)  FP_##name, FP_##name##_ = FP_##name - 1,
#define FIELD(...)         CAT(FP_LINE, __LINE__),
#define OTHER(...)         CAT(FP_LINE, __LINE__),
#include "isa/encoding.def"
    FP_COUNT
};

static const struct field fields[] = {
#define LAYOUT(...)
#define FIELD(dw, lo, hi, member, conv, shift) \
    {dw, lo, hi, CONV_##conv, shift, sizeof(((struct insn *)0)->member), \
     offsetof(struct insn, member)},
#define OTHER(dw, lo, hi) {dw, lo, hi, CONV_NONE, 0, 0, 0},
#include "isa/encoding.def"
};

_Static_assert(ARRAY_LEN(fields) == FP_COUNT, "FP_ values are indices of fields[]");

enum layout_id {
#define LAYOUT(name, ...) L_##name,
#define FIELD(...)
#define OTHER(...)
#include "isa/encoding.def"
    L_COUNT
};

static const uint16_t field_start[L_COUNT + 1] = {
#define LAYOUT(name, ...) [L_##name] = FP_##name,
#define FIELD(...)
#define OTHER(...)
#include "isa/encoding.def"
    [L_COUNT] = FP_COUNT,
};

static struct {
    struct layout layouts[L_COUNT + 1];
    uint16_t op[GFX_COUNT][ENC_COUNT][1024];
    uint16_t alt[I_COUNT]; /* another row with the same opcode on targets with other features */
} tables;

static const struct layout layout_rows[L_COUNT] = {
#define LAYOUT(name, enc, space, gens, form, mask, match, lo, hi, ndw, takes) \
    {ENC_##enc, ENC_##space, gens, FORM_##form, mask, match, lo, hi, ndw, TAKES_##takes, \
     0, NULL, {0}},
#define FIELD(...)
#define OTHER(...)
#include "isa/encoding.def"
};

/* The VOP3 opcode of a row, -1 without one: the rule at the top of vop.def. */
static int vop3_opcode(const struct isa_row *r, enum gfx gen)
{
    bool old = gen <= GFX7;

    if (r->op[gen] == OP_NA || r->flags & NO_VOP3)
        return -1;
    if (r->op[gen] & OP_V3)
        return r->op[gen] & ~OP_V3;
    switch (r->enc) {
    case ENC_VOP3:
    case ENC_VOPC:
        return r->op[gen];
    case ENC_VOP2:
        return r->op[gen] + 0x100;
    case ENC_VOP1:
        return r->op[gen] + (old ? 0x180 : 0x140);
    case ENC_VINTRP:
        return old ? -1 : r->op[gen] + 0x270;
    default:
        return -1;
    }
}

static void enter(enum gfx gen, unsigned enc, int opcode, unsigned op)
{
    uint16_t *slot = &tables.op[gen][enc][opcode];

    tables.alt[op] = *slot;
    *slot = (uint16_t)op;
}

static uint32_t range(unsigned lo, unsigned hi)
{
    return bits(~0u, 0, hi - lo) << lo;
}

static void build(void)
{
    for (unsigned i = 0; i < L_COUNT; i++) {
        struct layout *l = &tables.layouts[i];

        *l = layout_rows[i];
        l->fields = &fields[field_start[i]];
        l->nfields = (uint8_t)(field_start[i + 1] - field_start[i]);
        l->reserved[0] = ~l->mask;
        l->reserved[1] = l->ndw > 1 ? ~0u : 0;
        if (l->op_lo <= l->op_hi)
            l->reserved[0] &= ~range(l->op_lo, l->op_hi);
        for (unsigned k = 0; k < l->nfields; k++)
            l->reserved[l->fields[k].dw] &= ~range(l->fields[k].lo, l->fields[k].hi);
    }
    for (unsigned op = I_NONE + 1; op < I_COUNT; op++) {
        const struct isa_row *r = &isa_rows[op];

        for (enum gfx gen = GFX6; gen < GFX_COUNT; gen++) {
            int v3 = vop3_opcode(r, gen);

            if (r->op[gen] != OP_NA && !(r->op[gen] & OP_V3) && r->enc != ENC_VOP3)
                enter(gen, r->enc, r->op[gen], op);
            if (v3 >= 0)
                enter(gen, ENC_VOP3, v3, op);
        }
    }
}

static void ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, build);
}

const struct layout *isa_layout(unsigned i)
{
    ready();
    return i < L_COUNT ? &tables.layouts[i] : NULL;
}

bool isa_has(const struct isa_target *t, enum isa_op op)
{
    const struct isa_row *r = &isa_rows[op];
    uint32_t need = (uint32_t)(r->flags >> ROW_NEED_SHIFT);

    return op > I_NONE && op < I_COUNT && r->op[t->gen] != OP_NA &&
           (t->features & need) == need;
}

static bool takes(const struct layout *l, const struct isa_row *r)
{
    switch ((enum layout_takes)l->takes) {
    case TAKES_ANY:
        return true;
    case TAKES_WR_VCC:
        return r->flags & WR_VCC;
    case TAKES_LANESEL:
        return r->flags & LANESEL;
    case TAKES_INTERP:
        return r->flags & INTERP;
    case TAKES_SGPR_DST:
        return r->enc == ENC_VOPC || r->flags & DST_SGPR;
    case TAKES_GWS:
        return r->flags & GWS;
    case TAKES_ONE_SRC:
        return r->src[1] == T_NONE;
    }
    return false;
}

static bool has_form(const struct isa_row *r, enum gfx gen, unsigned form)
{
    if (form == FORM_SDWA)
        return !(r->flags & NO_SDWA) && !(gen == GFX9 && r->flags & NO_SDWA9);
    if (form == FORM_DPP)
        return !(r->flags & NO_DPP);
    return true;
}

const struct layout *isa_layout_find(const struct isa_target *t, uint32_t dw0,
                                     enum isa_op *op)
{
    ready();
    for (unsigned i = 0; i < L_COUNT; i++) {
        const struct layout *l = &tables.layouts[i];
        unsigned opcode;

        if ((dw0 & l->mask) != l->match || !(l->gens >> t->gen & 1))
            continue;
        opcode = l->op_hi < l->op_lo ? 0 : bits(dw0, l->op_lo, l->op_hi);
        for (*op = tables.op[t->gen][l->space][opcode]; *op; *op = tables.alt[*op])
            if (isa_has(t, *op))
                break;
        if (!*op)
            continue; /* another layout may share the prefix */
        if (takes(l, &isa_rows[*op]))
            return has_form(&isa_rows[*op], t->gen, l->form) ? l : NULL;
    }
    return NULL;
}

const struct layout *isa_layout_for(const struct isa_target *t, enum isa_op op,
                                    unsigned enc, unsigned form, unsigned *opcode)
{
    const struct isa_row *r = &isa_rows[op];
    int v3 = vop3_opcode(r, t->gen);

    ready();
    if (!isa_has(t, op) || !has_form(r, t->gen, form))
        return NULL;
    for (unsigned i = 0; i < L_COUNT; i++) {
        const struct layout *l = &tables.layouts[i];

        if (l->enc != enc || l->form != form || !(l->gens >> t->gen & 1) || !takes(l, r))
            continue;
        if (l->space == ENC_VOP3) {
            if (v3 < 0)
                return NULL;
            *opcode = (unsigned)v3;
            return l;
        }
        if (l->space != r->enc || r->op[t->gen] & OP_V3)
            return NULL;
        *opcode = r->op[t->gen];
        return l;
    }
    return NULL;
}

uint32_t isa_field_get(const struct field *f, const struct insn *in)
{
    const char *p = (const char *)in + f->offset;

    switch (f->size) {
    case 0:
        return 0;
    case 1:
        return *(const uint8_t *)p;
    case 2:
        return *(const uint16_t *)p;
    default:
        return *(const uint32_t *)p;
    }
}

void isa_field_set(const struct field *f, struct insn *in, uint32_t v)
{
    char *p = (char *)in + f->offset;

    switch (f->size) {
    case 0:
        break;
    case 1:
        *(uint8_t *)p = (uint8_t)v;
        break;
    case 2:
        *(uint16_t *)p = (uint16_t)v;
        break;
    default:
        *(uint32_t *)p = v;
    }
}
