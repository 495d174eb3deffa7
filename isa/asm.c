/* asm.c: one line of LLVM's assembly language to instruction words.
 *
 * A line is split without knowledge of the instruction (asm_text.c). The mnemonic gives
 * the rows, its suffix the forms to try: without one the 32-bit form first, then VOP3, as
 * LLVM does. For each, the modifiers are put into struct insn, the slots say what the
 * operands must be, and encode.c checks that everything fits its field. The first form
 * that takes all wins. */
#include "isa/asm_imm.h"
#include "isa/asm_text.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- mnemonics --------------------------------------------------------------------- */

struct entry {
    char name[34];
    uint16_t op;
    bool e64; /* an alias of the VOP3 form */
};

/* The spellings of each generation, sorted; built once per process and only read
 * afterwards. */
static struct {
    struct entry e[GFX_COUNT][I_COUNT + 32];
    unsigned n[GFX_COUNT];
} dictionary;

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int c = strcmp(x->name, y->name);

    return c ? c : (int)x->op - (int)y->op;
}

static void build(void)
{
    for (enum gfx gen = GFX6; gen < GFX_COUNT; gen++) {
        for (unsigned op = I_NONE + 1; op < I_COUNT; op++) {
            char name[64];

            if (isa_rows[op].op[gen] == OP_NA)
                continue;
            for (unsigned i = 0; isa_spelling(gen, op, i, name); i++) {
                struct entry *e = &dictionary.e[gen][dictionary.n[gen]++];

                snprintf(e->name, sizeof e->name, "%.33s", name);
                e->op = (uint16_t)op;
                e->e64 = i > 0;
            }
        }
        qsort(dictionary.e[gen], dictionary.n[gen], sizeof(struct entry), compare);
    }
}

/* The entries of a name; NULL and *n = 0 without any. */
static const struct entry *look_up(enum gfx gen, struct span name, unsigned *n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct entry *e;
    unsigned lo = 0, hi, end;
    char text[34];

    *n = 0;
    if (name.n >= sizeof text)
        return NULL;
    memcpy(text, name.p, name.n);
    text[name.n] = 0;
    pthread_once(&once, build);
    e = dictionary.e[gen];
    hi = end = dictionary.n[gen];
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;

        if (strcmp(e[mid].name, text) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo + *n < end && !strcmp(e[lo + *n].name, text))
        ++*n;
    return *n ? &e[lo] : NULL;
}

/* ---- modifiers --------------------------------------------------------------------- */

#define MEMBER(m) offsetof(struct insn, m), sizeof(((struct insn *)0)->m)

/* A modifier that is one member of struct insn; the instruction takes it when its layout
 * has that member. `value`: what the word alone means; -1: a number follows; names: one
 * of them. */
static const struct simple_mod {
    const char *name;
    uint16_t offset;
    uint8_t size;
    int8_t value;
    const struct isa_name *names;
} simple_mods[] = {
    {"glc", MEMBER(glc), 1, NULL},
    {"slc", MEMBER(slc), 1, NULL},
    {"tfe", MEMBER(tfe), 1, NULL},
    {"lwe", MEMBER(lwe), 1, NULL},
    {"lds", MEMBER(lds), 1, NULL},
    {"gds", MEMBER(gds), 1, NULL},
    {"idxen", MEMBER(idxen), 1, NULL},
    {"offen", MEMBER(offen), 1, NULL},
    {"addr64", MEMBER(addr64), 1, NULL},
    {"unorm", MEMBER(unorm), 1, NULL},
    {"da", MEMBER(da), 1, NULL},
    {"r128", MEMBER(r128), 1, NULL},
    {"a16", MEMBER(a16), 1, NULL},
    {"d16", MEMBER(d16), 1, NULL},
    {"nv", MEMBER(nv), 1, NULL},
    {"done", MEMBER(done), 1, NULL},
    {"compr", MEMBER(compr), 1, NULL},
    {"vm", MEMBER(vm), 1, NULL},
    {"high", MEMBER(high), 1, NULL},
    {"dmask", MEMBER(dmask), -1, NULL},
    {"cbsz", MEMBER(cbsz), -1, NULL},
    {"abid", MEMBER(abid), -1, NULL},
    {"blgp", MEMBER(blgp), -1, NULL},
    {"dfmt", MEMBER(dfmt), -1, NULL},
    {"nfmt", MEMBER(nfmt), -1, NULL},
    {"row_mask", MEMBER(row_mask), -1, NULL},
    {"bank_mask", MEMBER(bank_mask), -1, NULL},
    {"dst_sel", MEMBER(dst_sel), -1, isa_sel_names},
    {"dst_unused", MEMBER(dst_unused), -1, isa_unused_names},
    {"src0_sel", MEMBER(src_sel[0]), -1, isa_sel_names},
    {"src1_sel", MEMBER(src_sel[1]), -1, isa_sel_names},
};

static const struct simple_mod *find_simple(struct span name)
{
    for (size_t i = 0; i < ARRAY_LEN(simple_mods); i++)
        if (span_is(name, simple_mods[i].name))
            return &simple_mods[i];
    return NULL;
}

static bool is_dpp_name(struct span name)
{
    for (const struct isa_dpp *d = isa_dpp_ctrls; d->name; d++)
        if (span_is(name, d->name))
            return true;
    return span_is(name, "bound_ctrl") || span_is(name, "row_mask") ||
           span_is(name, "bank_mask");
}

static bool is_sdwa_name(struct span name)
{
    return span_is(name, "dst_sel") || span_is(name, "dst_unused") ||
           span_is(name, "src0_sel") || span_is(name, "src1_sel");
}

static bool is_flag(struct span word)
{
    const struct simple_mod *m = find_simple(word);

    return (m && m->value >= 0) || span_is(word, "clamp") || span_is(word, "noclamp") ||
           span_is(word, "row_mirror") || span_is(word, "row_half_mirror");
}

struct attempt {
    const struct isa_target *t;
    const struct isa_row *r;
    const struct layout *l;
    struct insn in;
    struct mods mods;
    bool literal_set;
    struct err *e;
};

static bool has_member(const struct attempt *a, size_t offset)
{
    for (unsigned i = 0; i < a->l->nfields; i++)
        if (a->l->fields[i].offset == offset)
            return true;
    return false;
}

static int reject(const struct attempt *a, const struct asm_mod *m)
{
    return err_set(a->e, "this form takes no '%.*s'%s", (int)m->name.n, m->name.p,
                   m->value.p ? " with that value" : "");
}

static int number(const struct attempt *a, const struct asm_mod *m, int64_t lo,
                  int64_t hi, int64_t *out)
{
    if (!m->value.p || !asm_integer(m->value, out) || *out < lo || *out > hi)
        return err_set(a->e, "'%.*s' wants a number from %lld to %lld", (int)m->name.n,
                       m->name.p, (long long)lo, (long long)hi);
    return 0;
}

static int simple(struct attempt *a, const struct asm_mod *m, const struct simple_mod *s)
{
    int64_t v = s->value;

    if (!has_member(a, s->offset) || (s->value >= 0 && m->value.p))
        return reject(a, m);
    if (s->names && m->value.p) {
        v = isa_value_of(s->names, a->t->gen, m->value.p, m->value.n);
        if (v < 0)
            return reject(a, m);
    } else if (s->value < 0 && number(a, m, 0, 255, &v) < 0) {
        return -1;
    }
    *((uint8_t *)&a->in + s->offset) = (uint8_t)v;
    return 0;
}

/* "[1,0,1]" to bits; at most `n` of them. Missing ones are 0. */
static int bit_list(struct attempt *a, const struct asm_mod *m, unsigned n, uint8_t *out)
{
    struct span list = m->value, item;
    unsigned i = 0;

    if (list.n < 2 || *list.p != '[' || list.p[list.n - 1] != ']')
        return reject(a, m);
    list = (struct span){list.p + 1, list.n - 2};
    *out &= (uint8_t) ~((1u << n) - 1);
    while (span_next(&list, &item)) {
        int64_t v;

        if (i == n || !asm_integer(item, &v) || v < 0 || v > 1)
            return reject(a, m);
        *out |= (uint8_t)(v << i);
        i++;
    }
    return 0;
}

static int op_sel(struct attempt *a, const struct asm_mod *m)
{
    unsigned n = a->mods.op_sel_count;
    uint8_t v = 0;

    if (!a->mods.op_sel || bit_list(a, m, a->mods.op_sel_hi ? n : n + 1, &v) < 0)
        return reject(a, m);
    if (!a->mods.op_sel_hi && v >> n)
        v = (uint8_t)((v & ~(1u << n)) | 8);
    a->in.op_sel = v;
    return 0;
}

static int dpp(struct attempt *a, const struct asm_mod *m)
{
    if (a->in.form != FORM_DPP)
        return reject(a, m);
    if (span_is(m->name, "quad_perm")) {
        struct span list = m->value, item;
        unsigned n = 0;
        int64_t v;

        if (list.n < 2 || *list.p != '[' || list.p[list.n - 1] != ']')
            return reject(a, m);
        list = (struct span){list.p + 1, list.n - 2};
        a->in.dpp_ctrl = 0;
        for (; span_next(&list, &item); n++) {
            if (n == 4 || !asm_integer(item, &v) || v < 0 || v > 3)
                return reject(a, m);
            a->in.dpp_ctrl |= (uint16_t)(v << 2 * n);
        }
        return n == 4 ? 0 : reject(a, m);
    }
    for (const struct isa_dpp *d = isa_dpp_ctrls; d->name; d++) {
        int64_t v = 0;

        if (!span_is(m->name, d->name))
            continue;
        if (d->last && (!m->value.p || !asm_integer(m->value, &v)))
            return reject(a, m);
        if (v >= d->first && v <= d->last) {
            a->in.dpp_ctrl = (uint16_t)(d->base + v);
            return 0;
        }
    }
    return reject(a, m);
}

static int offset(struct attempt *a, const struct asm_mod *m)
{
    int64_t v = 0;
    bool two = a->r->flags & TWO;
    bool first = span_is(m->name, "offset0"), second = span_is(m->name, "offset1");

    if (first || second) {
        if (a->in.enc != ENC_DS || !two)
            return reject(a, m);
        if (number(a, m, 0, 255, &v) < 0)
            return -1;
        a->in.offset = first ? (a->in.offset & 0xff00) | (int32_t)v
                             : (a->in.offset & 0xff) | (int32_t)v << 8;
        return 0;
    }
    if (a->in.enc == ENC_SMEM && a->t->gen == GFX9 && !(a->r->flags & NO_ADDR)) {
        if (number(a, m, -(1 << 20), (1 << 20) - 1, &v) < 0)
            return -1;
        a->in.offset = (int32_t)v;
        a->in.offen = true;
        return 0;
    }
    if (a->r->flags & LANES && asm_swizzle(m->value, &a->in.offset))
        return 0;
    if (two || (a->in.enc == ENC_FLAT && a->t->gen != GFX9 && m->value.n != 1) ||
        (!has_member(a, offsetof(struct insn, offset)) && a->in.enc != ENC_FLAT))
        return reject(a, m);
    if (number(a, m, INT16_MIN, UINT16_MAX, &v) < 0)
        return -1;
    a->in.offset = (int32_t)v;
    return v && !has_member(a, offsetof(struct insn, offset)) ? reject(a, m) : 0;
}

static int modifier(struct attempt *a, const struct asm_mod *m)
{
    const struct simple_mod *s = find_simple(m->name);
    int64_t v;

    if (s)
        return simple(a, m, s);
    if (span_is(m->name, "offset") || span_is(m->name, "offset0") ||
        span_is(m->name, "offset1") || span_is(m->name, "inst_offset"))
        return offset(a, m);
    if (span_is(m->name, "clamp")) {
        a->in.clamp = true;
        return a->mods.clamp ? 0 : reject(a, m);
    }
    if (span_is(m->name, "noclamp"))
        return 0;
    if (span_is(m->name, "mul") || span_is(m->name, "div")) {
        bool mul = *m->name.p == 'm';

        if (number(a, m, 1, 4, &v) < 0)
            return -1;
        if (!a->mods.omod || v == 3 || (!mul && v == 4))
            return reject(a, m);
        a->in.omod = (uint8_t)(v == 1 ? 0 : !mul ? 3 : v / 2);
        return 0;
    }
    if (span_is(m->name, "op_sel"))
        return op_sel(a, m);
    if (span_is(m->name, "op_sel_hi"))
        return a->mods.op_sel_hi ? bit_list(a, m, a->mods.op_sel_count, &a->in.op_sel_hi)
                                 : reject(a, m);
    if (span_is(m->name, "neg_lo"))
        return a->mods.neg_lists ? bit_list(a, m, a->mods.op_sel_count, &a->in.neg)
                                 : reject(a, m);
    if (span_is(m->name, "neg_hi"))
        return a->mods.neg_lists ? bit_list(a, m, a->mods.op_sel_count, &a->in.neg_hi)
                                 : reject(a, m);
    if (span_is(m->name, "bound_ctrl")) {
        a->in.bound_ctrl = true; /* LLVM takes 0 and 1, and both set the bit */
        if (a->in.form != FORM_DPP)
            return reject(a, m);
        return number(a, m, 0, 1, &v);
    }
    if (is_dpp_name(m->name))
        return dpp(a, m);
    if (span_is(m->name, "format") && a->in.enc == ENC_MTBUF)
        return asm_format(a->t->gen, m->value, &a->in) ? 0 : reject(a, m);
    return reject(a, m);
}

/* ---- operands ---------------------------------------------------------------------- */

/* The bits of a number as an operand of this width (1 or 2 dwords; 16-bit types:
 * half). */
static uint64_t float_bits(double f, unsigned regs, bool half)
{
    uint64_t v;

    if (half)
        return asm_half(f);
    if (regs == 2) {
        memcpy(&v, &f, sizeof v);
        return v;
    }
    return f32_bits((float)f);
}

/* neg and abs of a number where the form has no bits for them: done to the number. */
static uint64_t fold_signs(uint64_t v, const struct asm_operand *o, unsigned regs,
                           bool half)
{
    uint64_t sign = half ? 0x8000 : regs == 2 ? UINT64_C(1) << 63 : 0x80000000;

    if (o->abs)
        v &= ~sign;
    return o->neg ? v ^ sign : v;
}

/* A number as operand: an inline constant, or the literal. */
static int constant(struct attempt *a, const struct slot *s, const struct asm_operand *o,
                    bool literal_ok, uint16_t *out)
{
    bool half = isa_type_is_half(s->type);
    bool fold = (o->abs || o->neg) && !s->fmod;
    unsigned regs = MAX2(s->regs, 1u);
    int64_t v;
    int k;

    if (fold && (!isa_type_is_float(s->type) || (regs == 2 && o->kind == ASM_INTEGER)))
        return err_set(a->e, "no sign modifier on this operand");
    if (o->kind == ASM_FLOAT)
        v = (int64_t)float_bits(o->f, regs, half);
    else
        v = o->i;
    if (fold)
        v = (int64_t)fold_signs((uint64_t)v, o, regs, half);
    if (o->kind == ASM_INTEGER && regs == 1) {
        if (v < INT32_MIN || v > (int64_t)UINT32_MAX)
            return err_set(a->e, "%lld does not fit 32 bits", (long long)v);
        v = (int32_t)v;
    }
    if (o->kind == ASM_FLOAT && regs == 1 && !half)
        v = (int32_t)v;
    k = isa_inline_constant(a->t, v, regs, s->type, o->kind == ASM_FLOAT);
    if (k >= 0 && !o->lit && s->kind != SLOT_LITK) {
        *out = (uint16_t)k;
        return 0;
    }
    if (!literal_ok)
        return err_set(a->e, "only inline constants here");
    if (regs == 2 && o->kind == ASM_FLOAT) {
        if ((uint32_t)v && !isa_type_is_float(s->type))
            return err_set(a->e, "a 64-bit integer literal has no such value");
        v = (int64_t)((uint64_t)v >> 32);
    } else if (v < INT32_MIN || v > (int64_t)UINT32_MAX) {
        return err_set(a->e, "%#llx does not fit a literal", (unsigned long long)v);
    }
    if (half && o->kind == ASM_INTEGER && o->i < 0)
        v &= 0xffff;
    if (a->literal_set && a->in.literal != (uint32_t)v)
        return err_set(a->e, "two different literals");
    a->literal_set = true;
    a->in.literal = (uint32_t)v;
    *out = OPD_LITERAL;
    return 0;
}

static bool literals_allowed(const struct attempt *a, const struct slot *s)
{
    return s->kind == SLOT_LITK ||
           ((s->kind == SLOT_SSRC || s->kind == SLOT_VSRC) && a->in.form == FORM_PLAIN &&
            (a->in.enc <= ENC_SOPP || a->in.enc == ENC_VOP1 || a->in.enc == ENC_VOP2 ||
             a->in.enc == ENC_VOPC));
}

static int register_operand(struct attempt *a, const struct slot *s,
                            const struct asm_operand *o)
{
    bool address = a->in.enc == ENC_MIMG && s->p == &a->in.vaddr;
    bool r128 = a->in.r128 && s->p == &a->in.base && (o->regs == 4 || o->regs == 8);
    bool special = o->first >= OPD_INT0 && o->first < OPD_VGPR0;
    struct slot as_written = *s;

    if (o->regs != MAX2(s->regs, 1u) && !address && !r128 && !special)
        return err_set(a->e, "%u registers where the instruction has %u", o->regs,
                       s->regs);
    if (s->fmod || s->imod) {
        a->in.abs |= (uint8_t)(o->abs << s->src);
        a->in.neg |= (uint8_t)(o->neg << s->src);
        a->in.sext |= (uint8_t)(o->sext << s->src);
    }
    if (((o->abs || o->neg) && !s->fmod) || (o->sext && !s->imod))
        return err_set(a->e, "no such modifier on this operand");
    if (address || r128)
        as_written.regs = o->regs;
    if (!isa_operand_ok(a->t, &as_written, o->first))
        return err_set(a->e, "this operand cannot be that register");
    *s->p = o->first;
    return 0;
}

static int operand(struct attempt *a, const struct slot *s, struct span text)
{
    struct asm_operand o;
    uint16_t v = 0;

    if (asm_operand(a->t, text, &o, a->e) < 0)
        return -1;
    if (o.kind == ASM_OFF) {
        if (s->kind != SLOT_OFF_VGPR && s->kind != SLOT_OFF_SGPR)
            return err_set(a->e, "this operand cannot be off");
        if (s->p)
            *s->p = OPD_NONE;
        return 0;
    }
    if (!s->p)
        return err_set(a->e, "this operand must be off");
    if (o.kind == ASM_REGISTER)
        return register_operand(a, s, &o);
    if (constant(a, s, &o, literals_allowed(a, s), &v) < 0)
        return -1;
    if ((s->fmod || s->imod) && s->src >= 0) {
        a->in.abs |= (uint8_t)(o.abs << s->src);
        a->in.neg |= (uint8_t)(o.neg << s->src);
        a->in.sext |= (uint8_t)(o.sext << s->src);
    }
    if (o.sext && !s->imod)
        return err_set(a->e, "no sext on this operand");
    if (!isa_operand_ok(a->t, s, v))
        return err_set(a->e, "this operand cannot be a constant");
    *s->p = v;
    return 0;
}

/* The scalar offset: a register or a number. */
static int smem_offset(struct attempt *a, struct span text)
{
    struct slot s = {
        .kind = SLOT_SDST, .regs = 1, .type = T_B32, .src = -1, .p = &a->in.soffset};
    struct asm_operand o;

    if (asm_operand(a->t, text, &o, a->e) < 0)
        return -1;
    if (o.kind == ASM_REGISTER)
        return register_operand(a, &s, &o);
    if (o.kind != ASM_INTEGER || o.i < INT32_MIN || o.i > (int64_t)UINT32_MAX)
        return err_set(a->e, "the offset is a register or an integer");
    if (a->in.offen || (o.i < 0 && a->t->gen != GFX9))
        return err_set(a->e, "no such offset");
    a->in.offset = (int32_t)o.i;
    return 0;
}

static int immediate(struct attempt *a, enum slot_kind kind, struct span text)
{
    if (asm_immediate(a->t, kind, text, &a->in, a->e) < 0)
        return -1;
    if (a->in.enc == ENC_SOPP || a->in.enc == ENC_SOPK)
        a->in.imm = (int16_t)a->in.imm;
    return 0;
}

static int slot(struct attempt *a, const struct slot *s, struct span text)
{
    switch ((enum slot_kind)s->kind) {
    case SLOT_SMEM_OFF:
        return smem_offset(a, text);
    case SLOT_IMM:
    case SLOT_IMM_OPT:
    case SLOT_BRANCH:
    case SLOT_WAITCNT:
    case SLOT_HWREG:
    case SLOT_SENDMSG:
    case SLOT_GPR_IDX:
    case SLOT_PARAM:
    case SLOT_ATTR:
    case SLOT_TARGET:
        return immediate(a, s->kind, text);
    default:
        return operand(a, s, text);
    }
}

/* ---- forms ------------------------------------------------------------------------- */

/* What must be set before the slots can be asked for: defaults, and what operands alone
 * decide. */
static int prepare(struct attempt *a, const struct asm_line *line)
{
    struct insn *in = &a->in;

    if (a->r->flags & LITK)
        in->src[in->enc == ENC_SOPK ? 0 : a->r->flags & LITMID ? 1 : 2] = OPD_LITERAL;
    if (in->form == FORM_SDWA) {
        bool sdst = a->r->enc == ENC_VOPC;

        in->dst_sel = sdst || a->r->dst == T_NONE ? 0 : 6;
        in->src_sel[0] = a->r->src[0] == T_NONE ? 0 : 6;
        in->src_sel[1] = a->r->src[1] == T_NONE ? 0 : 6;
        in->dst_unused = sdst || a->r->dst == T_NONE ? 0 : 2;
    }
    if (in->form == FORM_DPP)
        in->row_mask = in->bank_mask = 15;
    if (in->enc == ENC_MTBUF)
        in->dfmt = 1;
    if (in->enc == ENC_VOP3P && a->mods.op_sel_hi && a->r->src[0] != T_MIX)
        in->op_sel_hi = 7;
    if (in->enc == ENC_EXP) {
        if (line->nargs != 5)
            return err_set(a->e, "exp takes a target and four sources");
        for (unsigned i = 0; i < 4; i++)
            in->en |= (uint8_t)(!span_is(line->args[1 + i], "off") << i);
    }
    if ((in->enc == ENC_GLOBAL || in->enc == ENC_SCRATCH) && line->nargs &&
        !span_is(line->args[line->nargs - 1], "off"))
        in->saddr = 0;
    return 0;
}

/* Operands that the form fixes must be what it fixes. */
static int implied(const struct attempt *a)
{
    const struct insn *in = &a->in;
    bool short_form = in->enc == ENC_VOP1 || in->enc == ENC_VOP2 || in->enc == ENC_VOPC;
    bool free_dst = in->form == FORM_SDWA && a->t->gen == GFX9;

    if (!short_form)
        return 0;
    if ((a->r->enc == ENC_VOPC && in->dst != OPD_VCC && !free_dst) ||
        (a->r->flags & WR_VCC && in->sdst != OPD_VCC) ||
        (a->r->flags & RD_VCC && in->src[2] != OPD_VCC))
        return err_set(a->e, "this form has only vcc there");
    return 0;
}

static int attempt(const struct isa_target *t, enum isa_op op, unsigned enc,
                   unsigned form, const struct asm_line *line, uint32_t out[4],
                   struct err *e)
{
    struct attempt a = {.t = t, .r = &isa_rows[op], .e = e};
    struct slot slots[SLOT_MAX];
    unsigned opcode, n, nargs = line->nargs;

    a.l = isa_layout_for(t, op, enc, form, &opcode);
    if (!a.l)
        return err_set(e, "no such form on %s", t->name);
    isa_insn_clear(&a.in);
    a.in.op = op;
    a.in.enc = (uint8_t)enc;
    a.in.form = (uint8_t)form;
    isa_mods(t, &a.in, &a.mods);
    if (prepare(&a, line) < 0)
        return -1;
    for (unsigned i = 0; i < line->nmods; i++)
        if (modifier(&a, &line->mods[i]) < 0)
            return -1;
    n = isa_slots(t, &a.in, slots);
    if (n && slots[n - 1].kind == SLOT_IMM_OPT && !nargs)
        n = 0;
    if (n == 1 && slots[0].kind == SLOT_WAITCNT)
        return immediate(&a, SLOT_WAITCNT, line->rest) < 0 ? -1
                                                           : isa_encode(t, &a.in, out, e);
    if (n && slots[n - 1].kind == SLOT_SMEM_OFF && nargs == n - 1)
        n--; /* no offset: 0 */
    if (nargs != n)
        return err_set(e, "%u operands where the instruction has %u", nargs, n);
    a.in.saddr = OPD_NONE;
    for (unsigned i = 0; i < n; i++)
        if (slot(&a, &slots[i], line->args[i]) < 0)
            return -1;
    if (implied(&a) < 0)
        return -1;
    return isa_encode(t, &a.in, out, e);
}

/* Take a suffix off the mnemonic. */
static bool take_suffix(struct span *name, const char *suffix)
{
    size_t n = strlen(suffix);

    if (name->n <= n || memcmp(name->p + name->n - n, suffix, n))
        return false;
    name->n -= n;
    return true;
}

enum want { WANT_ANY, WANT_E32, WANT_E64, WANT_SDWA, WANT_DPP };

/* All forms of a row that the suffix allows, the shortest first. */
static int try_row(const struct isa_target *t, enum isa_op op, enum want want,
                   const struct asm_line *line, uint32_t out[4], struct err *e)
{
    unsigned enc = isa_rows[op].enc, form = FORM_PLAIN;
    bool valu =
        enc == ENC_VOP1 || enc == ENC_VOP2 || enc == ENC_VOPC || enc == ENC_VINTRP;
    bool v3only = isa_rows[op].op[t->gen] & OP_V3;
    unsigned opcode;
    bool has_vop3 = isa_layout_for(t, op, ENC_VOP3, FORM_PLAIN, &opcode);
    struct err first = {""};
    int n = -1;

    if (enc == ENC_SMEM && t->gen <= GFX7)
        enc = ENC_SMRD;
    if (want == WANT_SDWA || want == WANT_DPP)
        return attempt(t, op, enc, want == WANT_SDWA ? FORM_SDWA : FORM_DPP, line, out,
                       e);
    for (unsigned i = 0; i < line->nmods && want == WANT_ANY && valu; i++) {
        if (is_sdwa_name(line->mods[i].name))
            form = FORM_SDWA;
        else if (is_dpp_name(line->mods[i].name))
            form = FORM_DPP;
    }
    if (form != FORM_PLAIN)
        return attempt(t, op, enc, form, line, out, e);
    if ((want != WANT_E64 || enc == ENC_MAI) && !v3only && enc != ENC_VOP3)
        n = attempt(t, op, enc, FORM_PLAIN, line, out, &first);
    if (n < 0 && want != WANT_E32 && (enc == ENC_VOP3 || (valu && has_vop3)))
        n = attempt(t, op, ENC_VOP3, FORM_PLAIN, line, out, e);
    else if (n < 0 && *first.text)
        *e = first;
    else if (n < 0)
        err_set(e, "no such form on %s", t->name);
    return n;
}

int isa_assemble(const struct isa_target *t, const char *text, uint32_t out[4],
                 struct err *e)
{
    struct err local;
    struct asm_line line;
    struct span name;
    const struct entry *entries;
    enum want want = WANT_ANY;
    unsigned n;
    int dw = -1;

    if (!e)
        e = &local;
    if (asm_split(text, is_flag, &line, e) < 0)
        return -1;
    name = line.mnemonic;
    entries = look_up(t->gen, name, &n);
    if (!entries) {
        want = take_suffix(&name, "_e32")    ? WANT_E32
               : take_suffix(&name, "_e64")  ? WANT_E64
               : take_suffix(&name, "_sdwa") ? WANT_SDWA
               : take_suffix(&name, "_dpp")  ? WANT_DPP
                                             : WANT_ANY;
        entries = look_up(t->gen, name, &n);
    }
    if (!entries)
        return err_set(e, "no instruction '%.*s' on %s", (int)line.mnemonic.n,
                       line.mnemonic.p, gfx_name(t->gen));
    for (unsigned i = 0; i < n && dw < 0; i++)
        dw = !entries[i].e64    ? try_row(t, entries[i].op, want, &line, out, e)
             : want == WANT_E32 ? err_set(e, "only the VOP3 form has this name")
                                : try_row(t, entries[i].op, WANT_E64, &line, out, e);
    return dw;
}
