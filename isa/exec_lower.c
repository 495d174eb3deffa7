/* exec_lower.c: from a decoded instruction to a micro-op: which function, which wrapper around it,
 * where its operands are. Everything that an instruction's words decide is decided here, once. */
#include "isa/control.h"

/* ---- constants --------------------------------------------------------------------------- */

static unsigned type_bits(enum isa_type t)
{
    static const uint16_t b[T_COUNT] = {
#define T(name, bits) [T_##name] = bits,
        ISA_TYPES(T)
#undef T
    };

    return b[t];
}

static bool is_half(enum isa_type t)
{
    return t == T_B16 || t == T_U16 || t == T_I16 || t == T_F16 || t == T_V2U16 ||
           t == T_V2I16 || t == T_V2F16;
}

/* The inline float constants 240..248 in the three formats. Source: the ISA manuals' table of
 * source operands. */
static const struct {
    uint16_t f16;
    uint32_t f32;
    uint64_t f64;
} inline_float[9] = {
    {0x3800, 0x3f000000, 0x3fe0000000000000}, {0xb800, 0xbf000000, 0xbfe0000000000000},
    {0x3c00, 0x3f800000, 0x3ff0000000000000}, {0xbc00, 0xbf800000, 0xbff0000000000000},
    {0x4000, 0x40000000, 0x4000000000000000}, {0xc000, 0xc0000000, 0xc000000000000000},
    {0x4400, 0x40800000, 0x4010000000000000}, {0xc400, 0xc0800000, 0xc010000000000000},
    {0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
};

bool isa_constant(const struct insn *in, unsigned opd, enum isa_type t, uint64_t *out)
{
    bool wide = type_bits(t) == 64;

    if (opd == OPD_LITERAL) {
        uint64_t v = in->literal;

        if (t == T_F64)
            v <<= 32;
        else if (t == T_I64)
            v = (uint64_t)(int64_t)(int32_t)in->literal;
        *out = v;
        return true;
    }
    if (opd >= OPD_INT0 && opd <= OPD_INT_LAST) {
        int64_t v = opd <= OPD_INT0 + 64 ? (int64_t)opd - OPD_INT0
                                         : (int64_t)(OPD_INT0 + 64) - (int64_t)opd;

        *out = wide ? (uint64_t)v : (uint32_t)v;
        return true;
    }
    if (opd >= OPD_FLOAT0 && opd < OPD_FLOAT0 + ARRAY_LEN(inline_float)) {
        *out = wide ? inline_float[opd - OPD_FLOAT0].f64
                    : is_half(t) ? inline_float[opd - OPD_FLOAT0].f16
                                 : inline_float[opd - OPD_FLOAT0].f32;
        return true;
    }
    return false;
}

/* ---- operands ---------------------------------------------------------------------------- */

static void need_vgprs(struct uop *u, unsigned first, unsigned n)
{
    u->vgprs = (uint16_t)MAX2(u->vgprs, first + n);
}

static void need_sgprs(struct uop *u, unsigned first, unsigned n)
{
    /* VCC and what lies above is always there. */
    if (first < SREG_FLAT_SCRATCH)
        u->sgprs = (uint16_t)MAX2(u->sgprs, MIN2(first + n, SREG_FLAT_SCRATCH));
}

bool isa_is_special(unsigned opd)
{
    return opd >= OPD_SHARED_BASE && opd < OPD_VGPR0 &&
           !(opd >= OPD_FLOAT0 && opd <= OPD_FLOAT0 + 8) && opd != OPD_LITERAL;
}

static void set_wave_sgpr(struct uop *u, unsigned i, unsigned n)
{
    u->sel[i] = UB_WAVE;
    u->off[i] = offsetof(struct wave, s) + 4 * (uint64_t)n;
}

/* Source i (UOP_A...) of a vector instruction. */
static void vector_source(struct isa_code *c, struct uop *u, unsigned i, unsigned opd,
                          enum isa_type t)
{
    unsigned regs = MAX2(type_bits(t) / 32, 1u), s = i - UOP_A;
    uint64_t v;

    u->width[i] = (uint8_t)regs;
    if (opd >= OPD_VGPR0) {
        u->sel[i] = UB_VGPR;
        u->off[i] = 256 * (uint64_t)(opd - OPD_VGPR0);
        need_vgprs(u, opd - OPD_VGPR0, regs);
    } else if (isa_constant(u->in, opd, t, &v)) {
        u->sel[i] = UB_ABS;
        u->off[i] = (uint64_t)(uintptr_t)isa_code_splat(c, v);
    } else {
        u->sel[i] = UB_WAVE;
        u->off[i] = offsetof(struct wave, priv.tmp) + sizeof(uint32_t[128]) * s;
        u->flags |= (uint16_t)(UF_SPLAT_A << s);
        u->src_sgpr[s] = (uint8_t)opd;
        if (isa_is_special(opd))
            u->flags |= UF_SPECIAL;
        else
            need_sgprs(u, opd, regs);
    }
}

/* A mask of 64 lanes as source: two dwords. */
static void mask_source(struct uop *u, unsigned i, unsigned opd)
{
    uint64_t v;

    u->width[i] = 2;
    if (isa_constant(u->in, opd, T_B64, &v)) {
        u->k[0] = v;
        u->sel[i] = UB_ABS;
        u->off[i] = (uint64_t)(uintptr_t)&u->k[0];
    } else {
        set_wave_sgpr(u, i, opd & 0x7f);
        need_sgprs(u, opd, 2);
    }
}

static void scalar_source(struct uop *u, unsigned i, unsigned opd, enum isa_type t)
{
    unsigned regs = MAX2(type_bits(t) / 32, 1u);
    uint64_t v;

    u->width[i] = (uint8_t)regs;
    if (isa_constant(u->in, opd, t, &v)) {
        u->k[i - UOP_A] = v;
        u->sel[i] = UB_ABS;
        u->off[i] = (uint64_t)(uintptr_t)&u->k[i - UOP_A];
    } else {
        if (isa_is_special(opd))
            u->flags |= UF_SPECIAL;
        set_wave_sgpr(u, i, MIN2(opd, SREG_COUNT - 2));
        need_sgprs(u, opd, regs);
    }
}

/* ---- classes ----------------------------------------------------------------------------- */

static enum isa_class class_of(const struct isa_row *row, const struct insn *in)
{
    switch (row->enc) {
    case ENC_SOPP:
        if (row->flags & (BRANCH | END))
            return CLASS_BRANCH;
        return in->op == I_S_SENDMSG || in->op == I_S_SENDMSGHALT ? CLASS_MSG : CLASS_OTHER;
    case ENC_SOP2:
    case ENC_SOPK:
    case ENC_SOP1:
    case ENC_SOPC:
        return row->flags & (BRANCH | JUMP) ? CLASS_BRANCH : CLASS_SALU;
    case ENC_SMRD:
    case ENC_SMEM:
        return CLASS_SMEM;
    case ENC_VINTRP:
        return CLASS_INTERP;
    case ENC_DS:
        return in->gds || row->flags & GWS ? CLASS_GDS : CLASS_LDS;
    case ENC_MUBUF:
    case ENC_MTBUF:
        return row->flags & (STORE | ATOMIC) ? CLASS_VMEM_WR : CLASS_VMEM_RD;
    case ENC_MIMG:
        return CLASS_IMAGE;
    case ENC_EXP:
        return CLASS_EXP;
    case ENC_FLAT:
    case ENC_GLOBAL:
    case ENC_SCRATCH:
        return CLASS_FLAT;
    default:
        return CLASS_VALU;
    }
}

/* ---- the kinds of micro-ops -------------------------------------------------------------- */

/* Whether the words ask for something that the row's function does not do itself. */
static bool has_modifiers(const struct isa_row *row, const struct insn *in)
{
    if (row->enc == ENC_VOP3P) {
        uint8_t all = (uint8_t)((1u << 3) - 1);

        for (unsigned i = 0; i < 3; i++)
            if (row->src[i] == T_MIX)
                return true;
        for (unsigned i = 0; i < 3; i++)
            if (in->src[i] == OPD_NONE || type_bits((enum isa_type)row->src[i]) != 32)
                all &= (uint8_t)~(1u << i);
        return in->op_sel || (in->op_sel_hi & all) != all || in->neg || in->neg_hi ||
               (in->clamp && (row->dst == T_V2F16 || row->dst == T_F32));
    }
    if (in->form != FORM_PLAIN || in->abs || in->neg || in->omod || in->op_sel)
        return true;
    /* The 16-bit instructions that came with GFX9's op_sel keep the half they do not write. */
    if (row->flags & OPSEL && in->enc == ENC_VOP3 && is_half((enum isa_type)row->dst))
        return true;
    return in->clamp && (row->dst == T_F32 || row->dst == T_F64 || row->dst == T_F16);
}

/* Whether abs, neg, omod and clamp are all that the words ask for, and concern f32 alone. */
static bool only_f32_modifiers(const struct isa_row *row, const struct insn *in)
{
    if (row->enc == ENC_VOP3P || in->form != FORM_PLAIN || in->op_sel || row->flags & OPSEL)
        return false;
    for (unsigned i = 0; i < 3; i++)
        if ((in->abs | in->neg) >> i & 1 && row->src[i] != T_F32)
            return false;
    return row->dst == T_F32 || !(in->omod || in->clamp);
}

static bool in_mode64(const struct isa_row *row)
{
    bool is64 = row->dst == T_F64 || row->dst == T_F16 || row->dst == T_V2F16;

    for (unsigned i = 0; i < 3; i++) {
        if (row->src[i] == T_F32 || row->src[i] == T_MIX)
            return false;
        is64 |= row->src[i] == T_F64;
    }
    return is64 && row->dst != T_F32;
}

static void lower_vector(struct isa_code *c, const struct isa_row *row, struct uop *u)
{
    const struct insn *in = u->in;
    unsigned regs = MAX2(type_bits((enum isa_type)row->dst) / 32, 1u);

    for (unsigned i = 0; i < 3; i++) {
        if (row->src[i] == T_NONE || in->src[i] == OPD_NONE)
            continue;
        if (row->src[i] == T_MASK)
            mask_source(u, UOP_A + i, in->src[i]);
        else
            vector_source(c, u, UOP_A + i, in->src[i], (enum isa_type)row->src[i]);
    }
    if (row->dst == T_MASK) {
        u->sdst = (uint8_t)in->dst;
        need_sgprs(u, in->dst, 2);
    } else {
        u->sel[UOP_DST] = UB_VGPR;
        u->off[UOP_DST] = 256 * (uint64_t)(in->dst - OPD_VGPR0);
        u->width[UOP_DST] = (uint8_t)regs;
        need_vgprs(u, in->dst - OPD_VGPR0, regs);
    }
    if (row->flags & WR_VCC) {
        u->sdst = (uint8_t)in->sdst;
        need_sgprs(u, in->sdst, 2);
    }
    if ((row->dst == T_MASK || row->flags & WR_VCC) && u->sdst >= SREG_EXEC)
        u->flags |= UF_EXEC;
    if (in_mode64(row))
        u->flags |= UF_MODE64;
    if (has_modifiers(row, in))
        u->flags |= UF_SLOW;
    if (u->flags & ~(UF_SPLAT_A | UF_SPLAT_B | UF_SPLAT_C | UF_SLOW) ||
        (u->flags & UF_SLOW && !only_f32_modifiers(row, in)))
        u->fn = isa_wrap_valu;
    else if (u->flags)
        u->fn = isa_code_wrap(c, u->flags & UF_SLOW);
}

/* TBA, TMA, TTMP. */
static bool is_trap_register(unsigned n, unsigned regs)
{
    return n < SREG_M0 && n + regs > SREG_TBA;
}

static void lower_scalar(const struct isa_row *row, struct uop *u)
{
    const struct insn *in = u->in;
    unsigned regs = MAX2(type_bits((enum isa_type)row->dst) / 32, 1u);

    for (unsigned i = 0; i < 2; i++)
        if (row->src[i] != T_NONE && in->src[i] != OPD_NONE) {
            scalar_source(u, UOP_A + i, in->src[i], (enum isa_type)row->src[i]);
            if (is_trap_register(in->src[i], u->width[UOP_A + i]))
                u->flags |= UF_TRAP;
        }
    u->sel[UOP_DST] = UB_WAVE;
    if (row->dst != T_NONE) {
        unsigned n = in->dst & 0x7f;

        set_wave_sgpr(u, UOP_DST, n);
        u->width[UOP_DST] = (uint8_t)regs;
        need_sgprs(u, n, regs);
        if (n + regs > SREG_EXEC)
            u->flags |= UF_EXEC;
        if (is_trap_register(n, regs))
            u->flags |= UF_TRAP;
    }
    if (u->flags)
        u->fn = isa_wrap_salu;
}

/* A load or store of memory or LDS without conversion, that neither waits nor calls the device. */
static bool only_moves(const struct isa_row *row, const struct insn *in)
{
    if (!(row->flags & (LOAD | STORE)) || row->flags & (FORMAT | ATOMIC | GWS | RTN | SRC2))
        return false;
    switch (row->enc) {
    case ENC_DS:
        return !in->gds;
    case ENC_SMRD:
    case ENC_SMEM:
    case ENC_MUBUF:
    case ENC_FLAT:
    case ENC_GLOBAL:
    case ENC_SCRATCH:
        return true;
    default:
        return false;
    }
}

/* Whether a vector or memory instruction names one. */
static bool names_trap_register(const struct insn *in)
{
    const uint16_t opds[] = {in->dst,    in->sdst, in->src[0], in->src[1], in->src[2],
                             in->src[3], in->data, in->base,   in->samp,   in->soffset, in->saddr};

    for (unsigned i = 0; i < ARRAY_LEN(opds); i++)
        if (is_trap_register(opds[i], 1))
            return true;
    return false;
}

/* A pair that would reach into the constants. */
static bool bad_pair(const struct isa_row *row, const struct insn *in)
{
    bool scalar = row->enc <= ENC_SOPP;

    if (scalar && row->dst != T_NONE && type_bits((enum isa_type)row->dst) == 64)
        return (in->dst & 0x7f) == 127;
    if (row->dst == T_MASK)
        return in->dst >= 127;
    return (row->flags & WR_VCC) && in->sdst >= 127;
}

void isa_lower(struct isa_code *c, const struct insn *in, uint64_t pc_va,
               struct uop_target *target, struct uop *u)
{
    const struct isa_row *row = &isa_rows[in->op];

    memset(u, 0, sizeof *u);
    u->pc_va = pc_va;
    u->in = in;
    u->target = target;
    u->code = c;
    u->cls = (uint8_t)class_of(row, in);
    u->base = isa_code_fn(c, in->op, &u->call);
    u->fn = u->base;
    u->valu = row->enc >= ENC_VOP2 && row->enc <= ENC_VOP3P;
    if (!u->base) {
        u->fn = isa_not_yet;
        u->call = true;
    } else if (bad_pair(row, in)) {
        u->fn = isa_illegal;
        u->call = true;
    } else if (u->call) {
        if (!u->valu)
            u->fn = only_moves(row, in) ? isa_wrap_move : isa_wrap_host;
    } else if (u->valu) {
        lower_vector(c, row, u);
    } else {
        lower_scalar(row, u);
    }
    if (u->base && u->fn != isa_illegal && row->enc > ENC_SOPP && names_trap_register(in))
        u->fn = isa_wrap_trap;
}
