/* decode.c: instruction words to struct insn.
 *
 * The layout gives the fields as they stand; what follows from the row is put right
 * after: which operands the row has at all, implied VCC, what a memory instruction's one
 * data field is, and the literal. Words whose operands do not exist on the target are no
 * instruction. */
#include "isa/codec.h"
#include "isa/index.h"

static uint32_t field_value(const struct field *f, uint32_t dw)
{
    uint32_t v = bits(dw, f->lo, f->hi);

    switch ((enum field_conv)f->conv) {
    case CONV_NONE:
        return 0;
    case CONV_RAW:
        return v << f->shift;
    case CONV_VGPR:
        return OPD_VGPR0 + v;
    case CONV_PAIR:
        return v * 2;
    case CONV_QUAD:
        return v * 4;
    case CONV_SX:
        return (uint32_t)sext32(v, f->hi - f->lo + 1u);
    case CONV_NOT:
        return (v ^ 1) << f->shift;
    }
    return v;
}

void isa_fields_decode(const struct layout *l, const uint32_t *dw, struct insn *in)
{
    for (unsigned i = 0; i < l->nfields; i++)
        isa_field_set(&l->fields[i], in, 0);
    for (unsigned i = 0; i < l->nfields; i++) {
        const struct field *f = &l->fields[i];

        isa_field_set(f, in, isa_field_get(f, in) | field_value(f, dw[f->dw]));
    }
}

void isa_insn_clear(struct insn *in)
{
    memset(in, 0, sizeof *in);
    in->dst = in->sdst = OPD_NONE;
    for (unsigned i = 0; i < ARRAY_LEN(in->src); i++)
        in->src[i] = OPD_NONE;
    in->vaddr = in->data = in->data1 = in->base = in->samp = in->soffset = in->saddr =
        OPD_NONE;
}

/* SMRD and SMEM: how the offset is given. Returns false when it cannot be. */
static bool smem_offset(const struct isa_target *t, struct insn *in)
{
    uint32_t low = in->dw[0], high = in->dw[1];

    if (in->enc == ENC_SMRD) {
        if (bits(low, 8, 8))
            in->offset = (int32_t)bits(low, 0, 7);
        else
            in->soffset = (uint16_t)bits(low, 0, 7);
        return in->soffset != OPD_LITERAL || t->gen == GFX7;
    }
    if (t->gen == GFX8) {
        if (bits(low, 17, 17))
            in->offset = (int32_t)bits(high, 0, 19);
        else
            in->soffset = (uint16_t)bits(high, 0, 6);
        return true;
    }
    if (bits(low, 14, 14))
        in->soffset = (uint16_t)bits(high, 25, 31);
    in->offen = bits(low, 14, 14) && bits(low, 17, 17);
    if (bits(low, 17, 17))
        in->offset = sext32(bits(high, 0, 20), 21);
    else if (!bits(low, 14, 14))
        in->soffset = (uint16_t)bits(high, 0, 6);
    return true;
}

/* What the data field or fields of a memory instruction are: result, data, both, or
 * nothing. */
static void memory_data(const struct isa_row *r, struct insn *in, bool separate_dst)
{
    bool returns = r->dst != T_NONE;

    if (r->flags & ATOMIC && in->enc != ENC_DS)
        returns = in->glc;
    if (in->lds)
        returns = false;
    if (!separate_dst)
        in->dst = in->data;
    if (!returns)
        in->dst = OPD_NONE;
    if (r->src[0] == T_NONE)
        in->data = OPD_NONE;
    if (r->src[1] == T_NONE)
        in->data1 = OPD_NONE;
    if (r->flags & NO_ADDR)
        in->vaddr = in->base = in->soffset = OPD_NONE;
}

/* Where the bits LDS and GDS may be set. LDS: loads of up to a dword that fill whole registers, and
 * the row that is for nothing else. GDS: wave sync and ordered count need it, moves between lanes
 * cannot have it. */
static bool memory_bits_ok(const struct isa_row *r, const struct insn *in)
{
    if (in->enc == ENC_DS && r->flags & GWS)
        return in->gds;
    if (in->enc == ENC_DS && r->flags & LANES && r->src[0] != T_NONE)
        return !in->gds;
    if (!in->lds || r->flags & LDS_DMA)
        return true;
    return r->flags & LOAD && isa_type_regs(r->dst) == 1 && !(r->flags & (D16 | D16LO | D16HI));
}

static void valu_operands(const struct isa_row *r, struct insn *in)
{
    if (r->flags & DST_SGPR && in->dst >= OPD_VGPR0)
        in->dst -= OPD_VGPR0;
    if (r->dst == T_NONE)
        in->dst = OPD_NONE;
    if (in->enc != ENC_VOP3) {
        if (r->enc == ENC_VOPC && in->dst == OPD_NONE)
            in->dst = OPD_VCC;
        if (r->dst == T_MASK && in->dst == OPD_NONE)
            in->dst = OPD_VCC;
        if (r->flags & WR_VCC)
            in->sdst = OPD_VCC;
        if (r->flags & RD_VCC)
            in->src[2] = OPD_VCC;
    }
    if (r->flags & LITK) {
        if (r->flags & LITMID) {
            in->src[2] = in->src[1];
            in->src[1] = OPD_LITERAL;
        } else {
            in->src[2] = OPD_LITERAL;
        }
    }
    for (unsigned i = 0; i < ARRAY_LEN(r->src); i++)
        if (r->src[i] == T_NONE)
            in->src[i] = OPD_NONE;
}

/* Which VGPRs are accumulation VGPRs. Moves have one of each kind by their opcode. */
static void mai_operands(const struct isa_row *r, struct insn *in)
{
    bool move = r->src[1] == T_NONE, read = in->op == I_V_ACCVGPR_READ_B32;
    enum { A = OPD_AGPR0 - OPD_VGPR0 };

    if (!move || !read)
        in->dst += A;
    if (in->src[0] >= OPD_VGPR0 && (move ? read : bits(in->dw[1], 27, 27)))
        in->src[0] += A;
    if (move) {
        in->op_sel_hi = 0;
        return;
    }
    if (in->src[1] >= OPD_VGPR0 && bits(in->dw[1], 28, 28))
        in->src[1] += A;
    if (in->src[2] >= OPD_VGPR0)
        in->src[2] += A;
}

/* v_interp_mov's source is a parameter's number, in the field of a VGPR (VINTRP) or
 * source. */
static bool interp_param(const struct isa_row *r, struct insn *in)
{
    if (!(r->flags & INTERP) || r->src[0] != T_NONE)
        return true;
    in->imm = in->enc == ENC_VINTRP ? in->src[0] - OPD_VGPR0 : in->src[0];
    in->src[0] = OPD_NONE;
    return in->imm <= 2;
}

static bool finish(const struct isa_target *t, const struct isa_row *r, struct insn *in)
{
    switch (in->enc) {
    case ENC_SOPP:
        break;
    case ENC_SOPK:
        if (r->dst == T_NONE && r->src[0] != T_NONE) {
            in->src[0] = in->dst;
            in->dst = OPD_NONE;
        }
        if (r->flags & LITK)
            in->src[0] = OPD_LITERAL;
        break;
    case ENC_SOPC:
        if (r->flags & IMM) {
            in->imm = in->src[1];
            in->src[1] = OPD_NONE;
        }
        break;
    case ENC_SOP1:
    case ENC_SOP2:
        if (r->dst == T_NONE)
            in->dst = OPD_NONE;
        for (unsigned i = 0; i < ARRAY_LEN(r->src); i++)
            if (r->src[i] == T_NONE)
                in->src[i] = OPD_NONE;
        break;
    case ENC_SMRD:
    case ENC_SMEM:
        in->data = in->dst;
        if (r->flags & IMM)
            in->imm = in->data;
        if (!(r->flags & NO_ADDR) && !smem_offset(t, in))
            return false;
        memory_data(r, in, false);
        break;
    case ENC_MAI:
        mai_operands(r, in);
        break;
    case ENC_VINTRP:
        return interp_param(r, in);
    case ENC_VOP1:
    case ENC_VOP2:
    case ENC_VOPC:
    case ENC_VOP3:
    case ENC_VOP3P:
        if (in->enc == ENC_VOPC && in->form == FORM_SDWA && t->gen == GFX9)
            in->dst =
                bits(in->dw[1], 15, 15) ? (uint16_t)bits(in->dw[1], 8, 14) : OPD_VCC;
        if (!interp_param(r, in))
            return false;
        valu_operands(r, in);
        if (in->enc == ENC_VOP3 && t->gen != GFX9)
            in->op_sel = 0;
        if (r->src[0] == T_MIX) { /* neg_hi's bits are abs here */
            in->abs = in->neg_hi;
            in->neg_hi = 0;
        }
        break;
    case ENC_DS:
        memory_data(r, in, true);
        break;
    case ENC_MUBUF:
        if (r->flags & LDS_DMA)
            in->vaddr = OPD_NONE;
        /* fall through */
    case ENC_MTBUF:
    case ENC_MIMG:
        if (in->enc == ENC_MIMG && !(r->flags & SAMPLE))
            in->samp = OPD_NONE;
        memory_data(r, in, false);
        break;
    case ENC_GLOBAL:
    case ENC_SCRATCH:
        if (in->saddr == 0x7f)
            in->saddr = OPD_NONE;
        else if (in->enc == ENC_SCRATCH)
            in->vaddr = OPD_NONE;
        /* fall through */
    case ENC_FLAT:
        memory_data(r, in, true);
        break;
    case ENC_EXP:
        if (in->target == 10 || in->target == 11 || (in->target >= 16 && in->target < 32))
            return false;
        for (unsigned i = 0; i < 4; i++)
            if (!(in->compr ? in->en >> 2 * i & 3 : in->en >> i & 1))
                in->src[i] = OPD_NONE;
        break;
    }
    return true;
}

/* SDWA and DPP controls that the manuals define. */
static bool controls_ok(const struct insn *in)
{
    if (in->form == FORM_SDWA)
        return in->dst_sel <= 6 && in->dst_unused <= 2 && in->src_sel[0] <= 6 &&
               in->src_sel[1] <= 6;
    if (in->form == FORM_DPP) {
        const struct isa_dpp *d = isa_dpp_ctrls;

        while (d->name &&
               (in->dpp_ctrl < d->base + d->first || in->dpp_ctrl > d->base + d->last))
            d++;
        return d->name;
    }
    return true;
}

static bool has_literal(const struct insn *in)
{
    for (unsigned i = 0; i < ARRAY_LEN(in->src); i++)
        if (in->src[i] == OPD_LITERAL)
            return true;
    return in->enc == ENC_SMRD && in->soffset == OPD_LITERAL;
}

static bool literal_allowed(const struct insn *in)
{
    return in->form == FORM_PLAIN && (in->enc <= ENC_SMRD || in->enc == ENC_VOP1 ||
                                      in->enc == ENC_VOP2 || in->enc == ENC_VOPC);
}

int isa_decode(const struct isa_target *t, const uint32_t *code, size_t ndw,
               struct insn *out)
{
    const struct layout *l;
    struct slot slots[SLOT_MAX];
    struct insn in;
    enum isa_op op;
    unsigned n;

    if (ndw < 1)
        return -1;
    l = isa_layout_find(t, code[0], &op);
    if (!l)
        return 0;
    if (code[0] & l->reserved[0])
        return 0;
    if (l->ndw > ndw)
        return -1;
    if (l->ndw > 1 && code[1] & l->reserved[1])
        return 0;
    isa_insn_clear(&in);
    in.op = op;
    in.enc = l->enc;
    in.form = l->form;
    in.ndw = l->ndw;
    memcpy(in.dw, code, l->ndw * sizeof *code);
    isa_fields_decode(l, in.dw, &in);
    if (!finish(t, &isa_rows[op], &in) || !controls_ok(&in) ||
        !memory_bits_ok(&isa_rows[op], &in))
        return 0;
    if (has_literal(&in)) {
        if (!literal_allowed(&in))
            return 0;
        if (in.ndw >= ndw)
            return -1;
        in.literal = in.dw[in.ndw] = code[in.ndw];
        in.ndw++;
        if (in.enc == ENC_SMRD) {
            in.offset = (int32_t)in.literal;
            in.soffset = OPD_NONE;
        }
    }
    n = isa_slots(t, &in, slots);
    for (unsigned i = 0; i < n; i++)
        if (slots[i].p && !isa_operand_ok(t, &slots[i], *slots[i].p))
            return 0;
    *out = in;
    return in.ndw;
}
