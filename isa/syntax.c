/* syntax.c: which operands an instruction has, in the order of LLVM's text, and what may
 * stand in each. The decoder checks operands by it, the printer prints by it, the
 * assembler parses by it. */
#include "isa/codec.h"

/* Rows whose immediate has names. */
static const struct {
    uint16_t op;
    uint8_t kind;
} imm_kinds[] = {
    {I_S_WAITCNT, SLOT_WAITCNT},          {I_S_SENDMSG, SLOT_SENDMSG},
    {I_S_SENDMSGHALT, SLOT_SENDMSG},      {I_S_SET_GPR_IDX_ON, SLOT_GPR_IDX},
    {I_S_SET_GPR_IDX_MODE, SLOT_GPR_IDX}, {I_S_GETREG_B32, SLOT_HWREG},
    {I_S_SETREG_B32, SLOT_HWREG},         {I_S_SETREG_IMM32_B32, SLOT_HWREG},
};

static enum slot_kind imm_kind(const struct insn *in)
{
    for (size_t i = 0; i < ARRAY_LEN(imm_kinds); i++)
        if (imm_kinds[i].op == in->op)
            return imm_kinds[i].kind;
    return isa_rows[in->op].flags & BRANCH ? SLOT_BRANCH
           : isa_rows[in->op].flags & END  ? SLOT_IMM_OPT
                                           : SLOT_IMM;
}

static const uint8_t type_regs[T_COUNT] = {
#define T(name, bits) [T_##name] = (bits) / 32,
    ISA_TYPES(T)
#undef T
};

unsigned isa_type_regs(unsigned type)
{
    return type_regs[type];
}

bool isa_type_is_half(unsigned type)
{
    return type == T_B16 || type == T_U16 || type == T_I16 || type == T_F16 ||
           type == T_V2F16;
}

bool isa_type_is_float(unsigned type)
{
    return type == T_F16 || type == T_F32 || type == T_F64 || type == T_V2F16 ||
           type == T_MIX;
}

/* 32-bit registers of memory data. */
static unsigned data_regs(const struct isa_target *t, const struct insn *in,
                          unsigned type)
{
    bool unpacked = t->features & FEAT_D16_UNPACKED;
    unsigned n;

    switch (type) {
    case T_B16X2:
    case T_B16X3:
    case T_B16X4:
        n = type - T_B16X2 + 2u;
        return unpacked ? n : (n + 1) / 2;
    case T_TEXEL:
        n = isa_rows[in->op].flags & GATHER4 ? 4
                                             : (unsigned)__builtin_popcount(in->dmask);
        if (in->d16 && !unpacked)
            n = (n + 1) / 2;
        return MAX2(n, 1u);
    default:
        return type_regs[type];
    }
}

/* Address registers of an image instruction, taking the image for 2D (an array, when
 * `da`): what it really is stands in the T#. Capped so that the range ends within
 * v255. */
static unsigned image_address_regs(const struct insn *in)
{
    uint64_t f = isa_rows[in->op].flags;
    unsigned coords = f & RESINFO ? 1 : 2u + in->da;
    unsigned n = coords;

    if (f & (DERIV | CDERIV))
        n += 4;
    if (f & OFFSET)
        n++;
    if (f & BIAS)
        n++;
    if (f & CMP)
        n++;
    if (f & (LOD | LOD_CLAMP | MIP))
        n++;
    if (n > 4 && !(f & (DERIV | CDERIV)) && n == 7)
        n = 8;
    return in->vaddr == OPD_NONE ? n : MIN2(n, 512u - in->vaddr);
}

struct list {
    struct slot *s;
    unsigned n;
};

static struct slot *add(struct list *l, enum slot_kind kind, unsigned regs, uint16_t *p)
{
    struct slot *s = &l->s[l->n++];

    *s = (struct slot){
        .kind = kind, .regs = (uint8_t)regs, .type = T_B32, .src = -1, .p = p};
    return s;
}

static void add_typed(struct list *l, enum slot_kind kind, unsigned type, uint16_t *p)
{
    add(l, kind, type_regs[type], p)->type = (uint8_t)type;
}

static void salu_slots(struct insn *in, struct list *l)
{
    const struct isa_row *r = &isa_rows[in->op];
    enum slot_kind imm = imm_kind(in);

    if (r->dst != T_NONE)
        add_typed(l, SLOT_SDST, r->dst, &in->dst);
    if (r->flags & IMM && imm == SLOT_HWREG)
        add(l, imm, 0, NULL);
    for (unsigned i = 0; i < 2; i++) {
        if (r->src[i] == T_NONE)
            continue;
        if (r->flags & LITK)
            add_typed(l, SLOT_LITK, r->src[i], &in->src[i]);
        else
            add_typed(l, in->enc == ENC_SOPK ? SLOT_SDST : SLOT_SSRC, r->src[i],
                      &in->src[i]);
    }
    if (r->flags & IMM && imm != SLOT_HWREG)
        add(l, imm, 0, NULL);
}

static void smem_slots(struct insn *in, struct list *l)
{
    const struct isa_row *r = &isa_rows[in->op];

    if (r->flags & IMM)
        add(l, SLOT_IMM, 0, NULL);
    if (r->src[0] != T_NONE)
        add_typed(l, SLOT_SDST, r->src[0], &in->data);
    else if (r->dst != T_NONE)
        add_typed(l, SLOT_SDST, r->dst, &in->dst);
    if (r->flags & NO_ADDR)
        return;
    add(l, SLOT_SDST, r->flags & BUF ? 4 : 2, &in->base);
    add(l, SLOT_SMEM_OFF, 1, &in->soffset);
}

static enum slot_kind valu_src_kind(const struct isa_target *t, const struct insn *in,
                                    unsigned i)
{
    const struct isa_row *r = &isa_rows[in->op];

    if (r->src[i] == T_MASK)
        return SLOT_SDST;
    if (in->src[i] == OPD_LITERAL && r->flags & LITK)
        return SLOT_LITK;
    if (in->form == FORM_DPP || (in->form == FORM_SDWA && t->gen == GFX8))
        return SLOT_VGPR;
    if (in->form == FORM_SDWA)
        return SLOT_VSRC_NL;
    if (i == 0 && r->flags & DST_SGPR)
        return SLOT_VGPR_LDS;
    if (i == 1 && r->flags & LANESEL)
        return SLOT_SSRC_NL;
    if (in->enc == ENC_VOP3 || in->enc == ENC_VOP3P)
        return r->flags & INTERP ? SLOT_VGPR : SLOT_VSRC;
    if (i == 0 || (r->flags & LITMID && i == 1))
        return SLOT_VSRC;
    return SLOT_VGPR;
}

static void valu_slots(const struct isa_target *t, struct insn *in, struct list *l)
{
    const struct isa_row *r = &isa_rows[in->op];
    bool mods = r->flags & IMOD && (in->enc == ENC_VOP3 || in->form != FORM_PLAIN);
    bool any_float = false;

    for (unsigned i = 0; i < 3; i++)
        any_float |= isa_type_is_float(r->src[i]);
    if (r->dst != T_NONE)
        add_typed(l, r->enc == ENC_VOPC || r->flags & DST_SGPR ? SLOT_SDST : SLOT_VGPR,
                  r->dst, &in->dst);
    if (r->flags & WR_VCC)
        add_typed(l, SLOT_SDST, T_MASK, &in->sdst);
    for (unsigned i = 0; i < 3; i++) {
        struct slot *s;

        if (i == 1 && r->flags & INTERP)
            add(l, SLOT_ATTR, 0, NULL);
        if (r->src[i] == T_NONE)
            continue;
        add_typed(l, valu_src_kind(t, in, i), r->src[i], &in->src[i]);
        s = &l->s[l->n - 1];
        if (r->src[i] == T_MASK)
            continue;
        s->src = (int8_t)i;
        s->fmod =
            (mods && (isa_type_is_float(r->src[i]) || !any_float)) || r->src[i] == T_MIX;
        s->imod =
            in->form == FORM_SDWA && r->flags & SEXT && !isa_type_is_float(r->src[i]);
    }
    if (r->flags & INTERP && r->src[0] == T_NONE) {
        struct slot attr = l->s[l->n - 1];

        l->n--;
        add(l, SLOT_PARAM, 0, NULL);
        l->s[l->n++] = attr;
    }
}

static void mai_slots(struct insn *in, struct list *l)
{
    const struct isa_row *r = &isa_rows[in->op];

    if (r->src[1] == T_NONE) {
        bool read = in->op == I_V_ACCVGPR_READ_B32;

        add_typed(l, read ? SLOT_VGPR : SLOT_AGPR, r->dst, &in->dst);
        add_typed(l, read ? SLOT_AGPR : SLOT_VCONST, r->src[0], &in->src[0]);
        return;
    }
    add_typed(l, SLOT_AGPR, r->dst, &in->dst);
    add_typed(l, SLOT_AVGPR, r->src[0], &in->src[0]);
    add_typed(l, SLOT_AVGPR, r->src[1], &in->src[1]);
    add_typed(l, SLOT_ASRC, r->src[2], &in->src[2]);
}

static void buffer_slots(const struct isa_target *t, struct insn *in, struct list *l)
{
    const struct isa_row *r = &isa_rows[in->op];
    unsigned type = r->src[0] != T_NONE ? r->src[0] : r->dst;
    uint16_t *data = r->src[0] != T_NONE ? &in->data : &in->dst;

    if (r->flags & NO_ADDR)
        return;
    if (type != T_NONE && !in->lds)
        add(l, SLOT_VGPR, data_regs(t, in, type) + in->tfe, data);
    if (!(r->flags & LDS_DMA)) {
        unsigned n = in->addr64 ? 2 : (unsigned)in->idxen + in->offen;

        add(l, SLOT_OFF_VGPR, n, n ? &in->vaddr : NULL);
    }
    add(l, SLOT_SDST, 4, &in->base);
    add(l, SLOT_SSRC_NL, 1, &in->soffset);
}

static void image_slots(const struct isa_target *t, struct insn *in, struct list *l)
{
    const struct isa_row *r = &isa_rows[in->op];

    add(l, SLOT_VGPR, data_regs(t, in, T_TEXEL) + in->tfe,
        r->src[0] != T_NONE ? &in->data : &in->dst);
    add(l, SLOT_VGPR, image_address_regs(in), &in->vaddr);
    /* With R128 the T# has four SGPRs; LLVM wants eight named all the same. */
    add(l, SLOT_SDST, in->r128 && in->base + 8u > isa_sgpr_count(t) ? 4 : 8, &in->base);
    if (r->flags & SAMPLE)
        add(l, SLOT_SDST, 4, &in->samp);
}

static void flat_slots(const struct isa_target *t, struct insn *in, struct list *l)
{
    const struct isa_row *r = &isa_rows[in->op];
    bool scratch = in->enc == ENC_SCRATCH, store = r->flags & STORE;
    unsigned addr = scratch || (in->enc == ENC_GLOBAL && in->saddr != OPD_NONE) ? 1 : 2;

    if (r->dst != T_NONE && (!(r->flags & ATOMIC) || in->glc) && !in->lds)
        add(l, SLOT_VGPR, data_regs(t, in, r->dst) + in->tfe, &in->dst);
    add(l, scratch ? SLOT_OFF_VGPR : SLOT_VGPR, addr, &in->vaddr);
    if (store || r->flags & ATOMIC)
        add(l, SLOT_VGPR, data_regs(t, in, r->src[0]), &in->data);
    if (in->enc != ENC_FLAT)
        add(l, SLOT_OFF_SGPR, scratch ? 1 : 2, &in->saddr);
}

unsigned isa_slots(const struct isa_target *t, struct insn *in, struct slot out[SLOT_MAX])
{
    const struct isa_row *r = &isa_rows[in->op];
    struct list l = {out, 0};

    switch (in->enc) {
    case ENC_SOP2:
    case ENC_SOPK:
    case ENC_SOP1:
    case ENC_SOPC:
    case ENC_SOPP:
        salu_slots(in, &l);
        break;
    case ENC_SMRD:
    case ENC_SMEM:
        smem_slots(in, &l);
        break;
    case ENC_VOP2:
    case ENC_VOP1:
    case ENC_VOPC:
    case ENC_VOP3:
    case ENC_VOP3P:
    case ENC_VINTRP:
        valu_slots(t, in, &l);
        break;
    case ENC_MAI:
        mai_slots(in, &l);
        break;
    case ENC_DS:
        if (r->dst != T_NONE)
            add_typed(&l, SLOT_VGPR, r->dst, &in->dst);
        if (!(r->flags & NO_ADDR))
            add(&l, SLOT_VGPR, 1, &in->vaddr);
        if (r->src[0] != T_NONE)
            add_typed(&l, SLOT_VGPR, r->src[0], &in->data);
        if (r->src[1] != T_NONE)
            add_typed(&l, SLOT_VGPR, r->src[1], &in->data1);
        break;
    case ENC_MUBUF:
    case ENC_MTBUF:
        buffer_slots(t, in, &l);
        break;
    case ENC_MIMG:
        image_slots(t, in, &l);
        break;
    case ENC_FLAT:
    case ENC_GLOBAL:
    case ENC_SCRATCH:
        flat_slots(t, in, &l);
        break;
    case ENC_EXP:
        add(&l, SLOT_TARGET, 0, NULL);
        for (unsigned i = 0; i < 4; i++)
            add(&l, SLOT_OFF_VGPR, 1,
                in->en >> i & 1 ? &in->src[in->compr ? i / 2 : i] : NULL);
        break;
    }
    return l.n;
}

void isa_mods(const struct isa_target *t, const struct insn *in, struct mods *out)
{
    const struct isa_row *r = &isa_rows[in->op];
    bool vop3 = in->enc == ENC_VOP3, packed = in->enc == ENC_VOP3P;
    bool sdwa9 = in->form == FORM_SDWA && t->gen == GFX9;

    *out = (struct mods){0};
    out->omod = r->flags & OMOD && (vop3 || (sdwa9 && r->enc != ENC_VOPC));
    out->clamp =
        (r->flags & CLAMP && (vop3 || packed) &&
         (t->gen >= GFX8 || (isa_type_is_float(r->dst) && r->enc != ENC_VOPC))) ||
        (in->form == FORM_SDWA && !(sdwa9 && r->enc == ENC_VOPC));
    out->op_sel = r->flags & OPSEL && ((vop3 && t->gen == GFX9) || packed);
    out->op_sel_hi = out->op_sel && packed;
    out->neg_lists = packed && r->flags & IMOD && r->src[0] != T_MIX;
    while (out->op_sel_count < 3 && r->src[out->op_sel_count] != T_NONE)
        out->op_sel_count++;
}

/* ---- operands ---------------------------------------------------------------------- */

/* The manuals want pairs to start even and larger groups at a multiple of 4, but MIAOW's
 * programs have odd pairs: E-sgpr-alignment. */
static bool scalar_register_ok(const struct isa_target *t, unsigned operand,
                               unsigned regs)
{
    unsigned ttmp = isa_ttmp_first(t->gen);

    regs = MAX2(regs, 1u);
    if (operand < isa_sgpr_count(t))
        return operand + regs <= isa_sgpr_count(t);
    if (operand >= ttmp && operand < ttmp + isa_ttmp_count(t->gen))
        return operand + regs <= ttmp + isa_ttmp_count(t->gen);
    for (const struct isa_sreg *s = isa_sregs; s->name; s++)
        if (s->code == operand && s->regs == regs && s->gens >> t->gen & 1 &&
            (t->features & s->need) == s->need)
            return operand < OPD_INT0;
    return false;
}

static bool constant_ok(const struct isa_target *t, unsigned operand)
{
    return (operand >= OPD_INT0 && operand <= OPD_INT_LAST) ||
           (operand >= OPD_FLOAT0 && operand < OPD_SDWA &&
            isa_inline_float(t, operand - OPD_FLOAT0));
}

static bool special_source_ok(const struct isa_target *t, unsigned operand)
{
    if (operand < OPD_INT0 || operand == OPD_LDS_DIRECT)
        return false;
    for (const struct isa_sreg *s = isa_sregs; s->name; s++)
        if (s->code == operand && s->gens >> t->gen & 1)
            return true;
    return false;
}

bool isa_operand_ok(const struct isa_target *t, const struct slot *s, unsigned operand)
{
    bool vgpr = operand >= OPD_VGPR0 && operand < OPD_AGPR0;
    bool agpr = operand >= OPD_AGPR0 && operand < OPD_AGPR0 + 256;

    if (operand == OPD_NONE)
        return s->kind == SLOT_OFF_VGPR || s->kind == SLOT_OFF_SGPR ||
               s->kind == SLOT_SMEM_OFF;
    if (vgpr && operand - OPD_VGPR0 + MAX2(s->regs, 1u) > 256)
        return false;
    if (agpr && operand - OPD_AGPR0 + MAX2(s->regs, 1u) > 256)
        return false;
    switch ((enum slot_kind)s->kind) {
    case SLOT_SDST:
    case SLOT_OFF_SGPR:
    case SLOT_SMEM_OFF:
        return scalar_register_ok(t, operand, s->regs);
    case SLOT_VGPR:
    case SLOT_OFF_VGPR:
        return vgpr;
    case SLOT_VGPR_LDS:
        return vgpr || operand == OPD_LDS_DIRECT;
    case SLOT_AGPR:
        return agpr;
    case SLOT_AVGPR:
        return vgpr || agpr;
    case SLOT_ASRC:
        return agpr || constant_ok(t, operand);
    case SLOT_VCONST:
        return vgpr || constant_ok(t, operand);
    case SLOT_LITK:
        return operand == OPD_LITERAL;
    case SLOT_VSRC_NL:
        if (operand == OPD_LITERAL)
            return false;
        /* fall through */
    case SLOT_VSRC:
        if (vgpr || (operand == OPD_LDS_DIRECT && s->src == 0 && s->regs < 2))
            return true;
        /* fall through */
    case SLOT_SSRC:
    case SLOT_SSRC_NL:
        return (operand == OPD_LITERAL && s->kind != SLOT_SSRC_NL) ||
               constant_ok(t, operand) || scalar_register_ok(t, operand, s->regs) ||
               special_source_ok(t, operand);
    default:
        return true;
    }
}

int isa_inline_constant(const struct isa_target *t, int64_t v, unsigned regs,
                        unsigned type, bool float_text)
{
    bool half = isa_type_is_half(type);

    if (half && !float_text && v >= 0xfff0 && v <= 0xffff)
        v = (int16_t)v;
    if (v >= 0 && v <= 64)
        return OPD_INT0 + (int)v;
    if (v >= -16 && v < 0)
        return OPD_INT0 + 64 - (int)v;
    if (half && !float_text && !isa_type_is_float(type))
        return -1;
    for (unsigned i = 0; i < OPD_SDWA - OPD_FLOAT0; i++) {
        const struct isa_float *f = isa_inline_float(t, i);

        if (f && (regs == 2 ? (uint64_t)v == f->f64
                  : half    ? v >= INT16_MIN && v <= UINT16_MAX && (v & 0xffff) == f->f16
                            : (uint32_t)v == f->f32))
            return OPD_FLOAT0 + (int)i;
    }
    return -1;
}
