/* encode.c: struct insn to instruction words: decode.c backwards, over the same
 * layouts. */
#include "isa/codec.h"
#include "isa/index.h"

#include <stddef.h>

static uint32_t field_bits(const struct field *f, uint32_t member)
{
    uint32_t v = member;

    switch ((enum field_conv)f->conv) {
    case CONV_NONE:
        return 0;
    case CONV_RAW:
        v = member >> f->shift;
        break;
    case CONV_VGPR:
        v = member - OPD_VGPR0;
        break;
    case CONV_PAIR:
        v = member / 2;
        break;
    case CONV_QUAD:
        v = member / 4;
        break;
    case CONV_SX:
        break;
    case CONV_NOT:
        v = (member >> f->shift & 1) ^ 1;
        break;
    }
    return bits(v, 0, f->hi - f->lo + 0u) << f->lo;
}

static bool is_operand(const struct field *f)
{
    return f->size == 2;
}

static uint16_t plain_vgpr(uint16_t operand)
{
    return operand >= OPD_AGPR0 && operand != OPD_NONE ? operand - OPD_AGPR0 + OPD_VGPR0
                                                       : operand;
}

/* Undo what finish() in decode.c does to members. */
static void raw_members(const struct layout *l, struct insn *in)
{
    const struct isa_row *r = &isa_rows[in->op];

    switch (in->enc) {
    case ENC_SOPK:
        if (in->dst == OPD_NONE && in->src[0] != OPD_LITERAL)
            in->dst = in->src[0];
        break;
    case ENC_SOPC:
        if (r->flags & IMM)
            in->src[1] = (uint16_t)in->imm;
        break;
    case ENC_SMRD:
    case ENC_SMEM:
        if (in->data != OPD_NONE)
            in->dst = in->data;
        if (r->flags & IMM)
            in->dst = (uint16_t)in->imm;
        break;
    case ENC_MAI:
        in->op_sel_hi = 7; /* as LLVM has them in moves */
        in->dst = plain_vgpr(in->dst);
        for (unsigned i = 0; i < 3; i++)
            in->src[i] = plain_vgpr(in->src[i]);
        break;
    case ENC_VINTRP:
    case ENC_VOP1:
    case ENC_VOP2:
    case ENC_VOPC:
    case ENC_VOP3:
    case ENC_VOP3P:
        if (r->flags & INTERP && r->src[0] == T_NONE)
            in->src[0] =
                (uint16_t)(in->enc == ENC_VINTRP ? OPD_VGPR0 + in->imm : in->imm);
        if (r->flags & LITMID)
            in->src[1] = in->src[2];
        if (r->flags & DST_SGPR)
            for (unsigned i = 0; i < l->nfields; i++)
                if (l->fields[i].offset == offsetof(struct insn, dst) &&
                    l->fields[i].conv == CONV_VGPR)
                    in->dst += OPD_VGPR0;
        if (r->src[0] == T_MIX) {
            in->neg_hi = in->abs;
            in->abs = 0;
        }
        break;
    case ENC_MUBUF:
    case ENC_MTBUF:
    case ENC_MIMG:
        if (in->data == OPD_NONE)
            in->data = in->dst;
        break;
    case ENC_GLOBAL:
    case ENC_SCRATCH:
        if (in->saddr == OPD_NONE)
            in->saddr = 0x7f;
        break;
    }
}

static int smem_words(const struct isa_target *t, const struct insn *in, uint32_t out[4],
                      struct err *e)
{
    bool reg = in->soffset != OPD_NONE;
    int32_t off = in->offset;

    if (in->enc == ENC_SMRD) {
        if (reg) {
            out[0] |= in->soffset;
        } else if ((uint32_t)off <= 0xff) {
            out[0] |= 0x100 | (uint32_t)off;
        } else if (t->gen == GFX7) {
            out[0] |= OPD_LITERAL;
            out[1] = (uint32_t)off;
            return 2;
        } else {
            return err_set(e, "offset %#x does not fit 8 bits", (unsigned)off);
        }
        return 1;
    }
    if (t->gen == GFX8) {
        if (!reg && (off < 0 || off > 0xfffff))
            return err_set(e, "offset %d does not fit 20 bits", off);
        if (reg && off)
            return err_set(e, "either a register or an immediate offset");
        out[0] |= reg ? 0 : 1u << 17;
        out[1] = reg ? in->soffset : (uint32_t)off;
        return 2;
    }
    if (off < -(1 << 20) || off >= 1 << 20)
        return err_set(e, "offset %d does not fit 21 bits", off);
    if (reg && (off || in->offen)) {
        out[0] |= 1u << 14 | 1u << 17;
        out[1] = (uint32_t)in->soffset << 25 | ((uint32_t)off & 0x1fffff);
    } else {
        out[0] |= reg ? 0 : 1u << 17;
        out[1] = reg ? in->soffset : (uint32_t)off & 0x1fffff;
    }
    return 2;
}

int isa_encode(const struct isa_target *t, const struct insn *in, uint32_t out[4],
               struct err *e)
{
    struct insn raw = *in, back;
    unsigned opcode, n;
    const struct layout *l = isa_layout_for(t, in->op, in->enc, in->form, &opcode);
    bool literal = false;

    if (!l)
        return err_set(e, "no such form of this instruction on %s", t->name);
    memset(out, 0, 4 * sizeof *out);
    out[0] = l->match;
    if (l->op_lo <= l->op_hi)
        out[0] |= opcode << l->op_lo;
    raw_members(l, &raw);
    for (unsigned i = 0; i < l->nfields; i++) {
        const struct field *f = &l->fields[i];
        uint32_t v = isa_field_get(f, &raw);

        if (!is_operand(f) || v != OPD_NONE)
            out[f->dw] |= field_bits(f, v);
    }
    back = raw;
    isa_fields_decode(l, out, &back);
    for (unsigned i = 0; i < l->nfields; i++) {
        const struct field *f = &l->fields[i];
        uint32_t v = isa_field_get(f, &raw);

        if (v != isa_field_get(f, &back) && !(is_operand(f) && v == OPD_NONE))
            return err_set(e, "%u (%#x) does not fit bits %u..%u of dword %u", v, v,
                           f->lo, f->hi, f->dw);
    }
    n = l->ndw;
    if (in->enc == ENC_SMRD ||
        (in->enc == ENC_SMEM && !(isa_rows[in->op].flags & NO_ADDR))) {
        return isa_rows[in->op].flags & NO_ADDR ? 1 : smem_words(t, in, out, e);
    }
    if (in->enc == ENC_VOPC && in->form == FORM_SDWA && t->gen == GFX9 &&
        in->dst != OPD_VCC)
        out[1] |= 1u << 15 | (uint32_t)in->dst << 8;
    for (unsigned i = 0; i < 2 && in->enc == ENC_MAI && in->src[1] != OPD_NONE; i++)
        if (in->src[i] >= OPD_AGPR0)
            out[1] |= 1u << (27 + i);
    for (unsigned i = 0; i < ARRAY_LEN(in->src); i++)
        literal |= in->src[i] == OPD_LITERAL;
    if (literal)
        out[n++] = in->literal;
    return (int)n;
}
