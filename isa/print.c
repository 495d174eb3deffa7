/* print.c: struct insn to LLVM's assembly text.
 *
 * Everything printed can be read back by isa_assemble and by LLVM's assembler. Bits that
 * the row does not take (omod of an integer instruction) are not printed: they are
 * ignored by the hardware and zero after reassembly. */
#include "isa/codec.h"

#include <stdarg.h>

struct text {
    char *p;
    size_t cap, n; /* n: the length that the whole text would have */
};

static void put(struct text *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void put(struct text *o, const char *fmt, ...)
{
    va_list ap;
    int k;

    va_start(ap, fmt);
    k = vsnprintf(o->n < o->cap ? o->p + o->n : NULL, o->n < o->cap ? o->cap - o->n : 0,
                  fmt, ap);
    va_end(ap);
    o->n += k > 0 ? (size_t)k : 0;
}

static void put_range(struct text *o, const char *file, unsigned first, unsigned regs)
{
    if (regs <= 1)
        put(o, "%s%u", file, first);
    else
        put(o, "%s[%u:%u]", file, first, first + regs - 1);
}

static bool is_constant(unsigned operand)
{
    return (operand >= OPD_INT0 && operand <= OPD_INT_LAST) ||
           (operand >= OPD_FLOAT0 && operand < OPD_SDWA) || operand == OPD_LITERAL;
}

static void put_operand(struct text *o, const struct isa_target *t, const struct insn *in,
                        const struct slot *s, unsigned operand)
{
    unsigned ttmp = isa_ttmp_first(t->gen), ttmps = isa_ttmp_count(t->gen);

    if (operand == OPD_NONE) {
        put(o, "off");
    } else if (operand >= OPD_AGPR0) {
        put_range(o, "a", operand - OPD_AGPR0, s->regs);
    } else if (operand >= OPD_VGPR0) {
        put_range(o, "v", operand - OPD_VGPR0, s->regs);
    } else if (operand == OPD_LITERAL) {
        bool lit = s->kind != SLOT_LITK &&
                   isa_inline_constant(
                       t, s->regs == 2 ? (int64_t)in->literal : (int32_t)in->literal,
                       s->regs, s->type, false) >= 0;

        put(o, lit ? "lit(0x%x)" : "0x%x", in->literal);
    } else if (operand >= OPD_INT0 && operand <= OPD_INT_LAST) {
        put(o, "%d", operand <= 192 ? (int)operand - OPD_INT0 : 192 - (int)operand);
    } else if (operand >= OPD_FLOAT0 && operand < OPD_SDWA) {
        const struct isa_float *f = isa_inline_float(t, operand - OPD_FLOAT0);

        put(o, "%s", !f ? "?" : s->regs == 2 ? f->text64 : f->text);
    } else if (operand < isa_sgpr_count(t)) {
        put_range(o, "s", operand, s->regs);
    } else if (operand >= ttmp && operand < ttmp + ttmps) {
        put_range(o, "ttmp", operand - ttmp, s->regs);
    } else {
        for (const struct isa_sreg *r = isa_sregs; r->name; r++) {
            if (r->code == operand && r->gens >> t->gen & 1 &&
                (r->regs == s->regs || operand >= OPD_INT0)) {
                put(o, "%s", r->name);
                return;
            }
        }
        put(o, "?%u", operand);
    }
}

static void put_source(struct text *o, const struct isa_target *t, const struct insn *in,
                       const struct slot *s)
{
    bool abs = s->fmod && in->abs >> s->src & 1;
    bool neg = s->fmod && in->neg >> s->src & 1;
    bool sext = s->imod && in->sext >> s->src & 1;
    bool call = neg && is_constant(*s->p);

    put(o, "%s%s%s", sext ? "sext(" : "", call ? "neg(" : neg ? "-" : "", abs ? "|" : "");
    put_operand(o, t, in, s, *s->p);
    put(o, "%s%s%s", abs ? "|" : "", call ? ")" : "", sext ? ")" : "");
}

static void put_waitcnt(struct text *o, enum gfx gen, uint16_t imm)
{
    const struct isa_waitcnt *w = isa_waitcnt_fields(gen);
    unsigned left = imm, value[3], max[3], shown = 0;

    for (unsigned i = 0; i < 3; i++) {
        value[i] = bits(imm, w[i].lo, w[i].lo + w[i].bits - 1u);
        if (w[i].hi_bits)
            value[i] |= bits(imm, w[i].hi_lo, w[i].hi_lo + w[i].hi_bits - 1u)
                        << w[i].bits;
        max[i] = (1u << (w[i].bits + w[i].hi_bits)) - 1;
        left &= ~(((1u << w[i].bits) - 1) << w[i].lo);
        left &= ~(((1u << w[i].hi_bits) - 1) << w[i].hi_lo);
    }
    if (left) /* bits that are no counter (ACO sets them): exact as a number, readable
                 beside it */
        put(o, "0x%x ; ", imm);
    for (unsigned pass = 0; pass < 2 && !shown; pass++)
        for (unsigned i = 0; i < 3; i++)
            if (value[i] != max[i] || pass)
                put(o, "%s%s(%u)", shown++ ? " " : "", w[i].name, value[i]);
}

static void put_hwreg(struct text *o, enum gfx gen, uint16_t imm)
{
    const char *name = isa_name_of(isa_hwreg_names, gen, bits(imm, 0, 5));
    unsigned offset = bits(imm, 6, 10), size = bits(imm, 11, 15) + 1;

    if (name)
        put(o, "hwreg(%s", name);
    else
        put(o, "hwreg(%u", bits(imm, 0, 5));
    if (offset || size != 32)
        put(o, ", %u, %u", offset, size);
    put(o, ")");
}

static void put_sendmsg(struct text *o, enum gfx gen, uint16_t imm)
{
    enum { MSG_GS = 2, MSG_GS_DONE = 3, MSG_SYSMSG = 15 };
    unsigned id = bits(imm, 0, 3), op = bits(imm, 4, 6), stream = bits(imm, 8, 9);
    const char *msg = isa_name_of(isa_msg_names, gen, id), *sub;

    if (msg && !(imm & ~0x37fu)) {
        if (id == MSG_GS || id == MSG_GS_DONE) {
            sub = isa_name_of(isa_gs_op_names, gen, op);
            if (sub && op && op < 4) {
                put(o, "sendmsg(%s, %s, %u)", msg, sub, stream);
                return;
            }
            if (sub && !op && !stream && id == MSG_GS_DONE) {
                put(o, "sendmsg(%s, %s)", msg, sub);
                return;
            }
        } else if (id == MSG_SYSMSG) {
            sub = isa_name_of(isa_sysmsg_op_names, gen, op);
            if (sub && !stream) {
                put(o, "sendmsg(%s, %s)", msg, sub);
                return;
            }
        } else if (!op && !stream) {
            put(o, "sendmsg(%s)", msg);
            return;
        }
    }
    put(o, "%u", imm);
}

static void put_gpr_idx(struct text *o, enum gfx gen, unsigned imm)
{
    unsigned n = 0;

    if (imm > 15) {
        put(o, "0x%x", imm);
        return;
    }
    put(o, "gpr_idx(");
    for (unsigned b = 1; b < 16; b <<= 1)
        if (imm & b)
            put(o, "%s%s", n++ ? "," : "", isa_name_of(isa_gpr_idx_names, gen, b));
    put(o, ")");
}

static void put_target(struct text *o, unsigned target)
{
    if (target < 8)
        put(o, "mrt%u", target);
    else if (target == 8)
        put(o, "mrtz");
    else if (target == 9)
        put(o, "null");
    else if (target < 32)
        put(o, "pos%u", target - 12);
    else
        put(o, "param%u", target - 32);
}

static void put_smem_offset(struct text *o, const struct isa_target *t,
                            const struct insn *in, const struct slot *s)
{
    if (in->soffset != OPD_NONE) {
        put_operand(o, t, in, s, in->soffset);
        if (in->offset || in->offen)
            put(o, in->offset < 0 ? " offset:-0x%x" : " offset:0x%x",
                (unsigned)(in->offset < 0 ? -in->offset : in->offset));
        return;
    }
    if (in->offset < 0 && in->enc == ENC_SMEM)
        put(o, "-0x%x", (unsigned)-in->offset);
    else
        put(o, "0x%x", (unsigned)in->offset);
}

static void put_slot(struct text *o, const struct isa_target *t, const struct insn *in,
                     const struct slot *s)
{
    uint16_t imm = (uint16_t)in->imm;

    switch ((enum slot_kind)s->kind) {
    case SLOT_SMEM_OFF:
        put_smem_offset(o, t, in, s);
        break;
    case SLOT_IMM:
    case SLOT_IMM_OPT:
        put(o, in->enc == ENC_SOPK ? "0x%x" : "%u", imm);
        break;
    case SLOT_BRANCH:
        put(o, "%u", imm);
        break;
    case SLOT_WAITCNT:
        put_waitcnt(o, t->gen, imm);
        break;
    case SLOT_HWREG:
        put_hwreg(o, t->gen, imm);
        break;
    case SLOT_SENDMSG:
        put_sendmsg(o, t->gen, imm);
        break;
    case SLOT_GPR_IDX:
        put_gpr_idx(o, t->gen, imm);
        break;
    case SLOT_PARAM:
        put(o, "%s", isa_name_of(isa_param_names, t->gen, imm));
        break;
    case SLOT_ATTR:
        put(o, "attr%u.%c", in->attr, "xyzw"[in->attr_chan & 3]);
        break;
    case SLOT_TARGET:
        put_target(o, in->target);
        break;
    default:
        if (s->p)
            put_source(o, t, in, s);
        else
            put(o, "off");
    }
}

/* ---- modifiers --------------------------------------------------------------------- */

static void put_bits(struct text *o, const char *name, unsigned v, unsigned n)
{
    put(o, " %s:[", name);
    for (unsigned i = 0; i < n; i++)
        put(o, "%s%u", i ? "," : "", v >> i & 1);
    put(o, "]");
}

static void put_flag(struct text *o, bool on, const char *name)
{
    if (on)
        put(o, " %s", name);
}

static void put_number(struct text *o, const char *name, unsigned v)
{
    if (v)
        put(o, " %s:%u", name, v);
}

static void put_valu_mods(struct text *o, const struct isa_target *t,
                          const struct insn *in)
{
    static const char *const omods[4] = {"", " mul:2", " mul:4", " div:2"};
    const struct isa_row *r = &isa_rows[in->op];
    struct mods m;
    unsigned all;

    isa_mods(t, in, &m);
    all = (1u << m.op_sel_count) - 1;
    put_flag(o, in->high, "high");
    if (m.op_sel && m.op_sel_hi && in->op_sel & all)
        put_bits(o, "op_sel", in->op_sel, m.op_sel_count);
    if (m.op_sel && !m.op_sel_hi && in->op_sel & (all | 8))
        put_bits(o, "op_sel",
                 (in->op_sel & all) | (in->op_sel >> 3 & 1u) << m.op_sel_count,
                 m.op_sel_count + 1);
    if (m.op_sel_hi && (in->op_sel_hi & all) != (r->src[0] == T_MIX ? 0 : all))
        put_bits(o, "op_sel_hi", in->op_sel_hi, m.op_sel_count);
    if (m.neg_lists && in->neg & all)
        put_bits(o, "neg_lo", in->neg, m.op_sel_count);
    if (m.neg_lists && in->neg_hi & all)
        put_bits(o, "neg_hi", in->neg_hi, m.op_sel_count);
    put_flag(o, m.clamp && in->clamp, "clamp");
    if (m.omod)
        put(o, "%s", omods[in->omod & 3]);
}

static void put_sdwa(struct text *o, enum gfx gen, const struct insn *in)
{
    const struct isa_row *r = &isa_rows[in->op];

    if (r->enc != ENC_VOPC && r->dst != T_NONE) {
        put(o, " dst_sel:%s", isa_name_of(isa_sel_names, gen, in->dst_sel));
        put(o, " dst_unused:%s", isa_name_of(isa_unused_names, gen, in->dst_unused));
    }
    for (unsigned i = 0; i < 2; i++)
        if (r->src[i] != T_NONE)
            put(o, " src%u_sel:%s", i, isa_name_of(isa_sel_names, gen, in->src_sel[i]));
}

static void put_dpp(struct text *o, const struct insn *in)
{
    const struct isa_dpp *d = isa_dpp_ctrls;
    unsigned c = in->dpp_ctrl;

    while (d->name && (c < d->base + d->first || c > d->base + d->last))
        d++;
    if (d == isa_dpp_ctrls)
        put(o, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
    else if (!d->last)
        put(o, " %s", d->name);
    else
        put(o, " %s:%u", d->name, c - d->base);
    put(o, " row_mask:0x%x bank_mask:0x%x", in->row_mask, in->bank_mask);
    put_flag(o, in->bound_ctrl, "bound_ctrl:0");
}

static void put_memory_mods(struct text *o, const struct isa_target *t,
                            const struct insn *in)
{
    const struct isa_row *r = &isa_rows[in->op];

    if (in->enc == ENC_DS) {
        if (r->flags & TWO) {
            if (in->offset & 0xff)
                put(o, " offset0:%d", in->offset & 0xff);
            if (in->offset >> 8)
                put(o, " offset1:%d", in->offset >> 8);
        } else if (in->offset) {
            put(o, " offset:%d", in->offset);
        }
        put_flag(o, in->gds, "gds");
        return;
    }
    if (in->enc == ENC_MTBUF)
        put(o, " format:[%s,%s]", isa_name_of(isa_dfmt_names, t->gen, in->dfmt),
            isa_name_of(isa_nfmt_names, t->gen, in->nfmt));
    if (in->enc == ENC_MIMG)
        put(o, " dmask:0x%x", in->dmask);
    put_flag(o, in->unorm, "unorm");
    put_flag(o, in->idxen, "idxen");
    put_flag(o, in->offen && in->enc != ENC_SMEM, "offen");
    put_flag(o, in->addr64, "addr64");
    if (in->offset && in->enc != ENC_SMRD && in->enc != ENC_SMEM)
        put(o, " offset:%d", in->offset);
    put_flag(o, in->lds && r->flags & LDS_DMA, "lds");
    put_flag(o, in->glc, "glc");
    put_flag(o, in->slc, "slc");
    put_flag(o, in->r128, "r128");
    put_flag(o, in->a16, "a16");
    put_flag(o, in->tfe, "tfe");
    put_flag(o, in->lwe, "lwe");
    put_flag(o, in->da, "da");
    put_flag(o, in->d16, "d16");
    put_flag(o, in->lds && !(r->flags & LDS_DMA), "lds");
    put_flag(o, in->nv, "nv");
}

static void put_mods(struct text *o, const struct isa_target *t, const struct insn *in)
{
    switch (in->enc) {
    case ENC_VOP1:
    case ENC_VOP2:
    case ENC_VOPC:
    case ENC_VOP3:
    case ENC_VOP3P:
        put_valu_mods(o, t, in);
        if (in->form == FORM_SDWA)
            put_sdwa(o, t->gen, in);
        if (in->form == FORM_DPP)
            put_dpp(o, in);
        break;
    case ENC_MAI:
        put_number(o, "cbsz", in->cbsz);
        put_number(o, "abid", in->abid);
        put_number(o, "blgp", in->blgp);
        break;
    case ENC_EXP:
        put_flag(o, in->done, "done");
        put_flag(o, in->compr, "compr");
        put_flag(o, in->vm, "vm");
        break;
    default:
        put_memory_mods(o, t, in);
    }
}

/* "_e64" and its like, which tell the forms of one mnemonic apart. */
static const char *suffix(const struct isa_target *t, const struct insn *in)
{
    const struct isa_row *r = &isa_rows[in->op];
    bool v32 = r->enc == ENC_VOP1 || r->enc == ENC_VOP2 || r->enc == ENC_VOPC;

    if (in->form == FORM_SDWA)
        return "_sdwa";
    if (in->form == FORM_DPP)
        return "_dpp";
    if (in->enc == ENC_VOP3)
        return (v32 || r->enc == ENC_VINTRP) && !(r->op[t->gen] & OP_V3) ? "_e64" : "";
    return v32 && !(r->flags & NO_VOP3) ? "_e32" : "";
}

int isa_print(const struct isa_target *t, const struct insn *in, char *out,
              size_t out_bytes)
{
    struct insn copy = *in; /* slots point into it */
    struct text o = {out, out_bytes, 0};
    struct slot slots[SLOT_MAX];
    unsigned n = isa_slots(t, &copy, slots);
    char name[64];

    if (out_bytes)
        out[0] = 0;
    isa_mnemonic(t->gen, in->op, name);
    put(&o, "%s%s", name, suffix(t, in));
    for (unsigned i = 0; i < n; i++) {
        if (slots[i].kind == SLOT_IMM_OPT && !in->imm)
            continue;
        put(&o, i && !(in->enc == ENC_EXP && i == 1) ? ", " : " ");
        put_slot(&o, t, &copy, &slots[i]);
    }
    put_mods(&o, t, in);
    return (int)o.n;
}
