/* waits.c: a model of VM_CNT, LGKM_CNT and EXP_CNT.
 *
 * Each access that a counter counts is an entry: its class, the registers that it will write, the
 * registers whose contents it still has to read. An entry goes when the counter proves it done: entries
 * of a class end in order, so after s_waitcnt N an entry with `later` ones of its class behind it is
 * done when N <= later (were it not, there would be later + 1 outstanding). Classes without order count no
 * later ones. A counter that is full makes the next access wait.
 *
 * Classes: vector memory ends in order; so do LDS, and GDS; exports of each kind (MRT, position,
 * parameter) do. Scalar memory, messages and FLAT (which counts in VM_CNT and LGKM_CNT) have no order.
 * Exports and GDS hold their data until EXP_CNT; on GFX6 vector stores do too.
 *
 * Reported once for each instruction: reading a register that an entry will write, writing one that it
 * will write or still reads. Accesses of one ordered class may write the same register. What goes to
 * LDS by vector memory is not followed.
 *
 * Sources: the ISA manuals' "Manually inserted wait states" and S_WAITCNT; LLVM's SIInsertWaitcnts for
 * what it calls out of order and for GFX6's stores. docs/errata.md, E-waits-model. */
#include "isa/waits.h"
#include "isa/codec.h"
#include "isa/control.h"

#include <stdlib.h>

enum counter { VM, EXPORT, LGKM, COUNTERS }; /* as isa_waitcnt_fields() has them */
enum cls { C_VMEM, C_FLAT, C_SMEM, C_LDS, C_GDS, C_MSG, C_MRT, C_POS, C_PARAM, C_STORE };

/* Registers as one file: 0..127 scalar, 128..383 vector, 384..639 accumulation. */
enum { REG_V = 128, REGS = 128 + 512, RANGES = 6, ENTRIES = 64 };

struct range {
    uint16_t first, n;
    bool write;
};

struct entry {
    const struct insn *in;
    uint64_t pc_va;
    uint8_t cls, n;
    struct range r[RANGES]; /* `write`: the entry will write it; else it has yet to read it */
};

struct isa_waits {
    struct entry e[COUNTERS][ENTRIES]; /* oldest first */
    unsigned n[COUNTERS];
};

static bool ordered(unsigned cls)
{
    return cls != C_SMEM && cls != C_MSG && cls != C_FLAT;
}

static void drop(struct isa_waits *k, unsigned c, unsigned i)
{
    k->n[c]--;
    memmove(&k->e[c][i], &k->e[c][i + 1], (k->n[c] - i) * sizeof k->e[c][0]);
}

/* The counter is at most `most` now. */
static void wait_for(struct isa_waits *k, unsigned c, unsigned most)
{
    unsigned later[C_STORE + 1] = {0};

    for (unsigned i = k->n[c]; i--;) {
        unsigned cls = k->e[c][i].cls, behind = ordered(cls) ? later[cls] : 0;

        later[cls]++;
        if (most <= behind)
            drop(k, c, i);
    }
}

static unsigned counter_max(enum gfx gen, unsigned c)
{
    const struct isa_waitcnt *f = &isa_waitcnt_fields(gen)[c];

    return (1u << (f->bits + f->hi_bits)) - 1;
}

static void waitcnt(struct isa_waits *k, enum gfx gen, uint32_t imm)
{
    for (unsigned c = 0; c < COUNTERS; c++) {
        const struct isa_waitcnt *f = &isa_waitcnt_fields(gen)[c];
        unsigned v = bits(imm, f->lo, f->lo + f->bits - 1u);

        if (f->hi_bits)
            v |= bits(imm, f->hi_lo, f->hi_lo + f->hi_bits - 1u) << f->bits;
        wait_for(k, c, v);
    }
}

/* ---- what an instruction reads and writes ------------------------------------------------- */

struct use {
    struct range r[24];
    unsigned n;
};

static void add(struct use *u, unsigned opd, unsigned n, bool write)
{
    unsigned first;

    if (opd == OPD_NONE || !n || u->n == ARRAY_LEN(u->r))
        return;
    if (opd >= OPD_VGPR0)
        first = opd - OPD_VGPR0 + REG_V;
    else if (opd < SREG_CONST)
        first = opd;
    else
        return;
    u->r[u->n++] = (struct range){(uint16_t)first, (uint16_t)MIN2(n, REGS - first), write};
}

static void uses(const struct isa_target *t, const struct insn *in, struct use *u)
{
    const struct isa_row *row = &isa_rows[in->op];
    struct insn copy = *in;
    struct slot slots[SLOT_MAX];
    unsigned n = isa_slots(t, &copy, slots);
    bool vector = in->enc >= ENC_VOP2 && in->enc != ENC_EXP;

    u->n = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct slot *s = &slots[i];
        bool dst = s->p == &copy.dst || s->p == &copy.sdst;

        if (!s->p || s->kind == SLOT_LITK)
            continue;
        add(u, *s->p, s->regs, dst);
        if (dst && row->flags & RD_DST)
            add(u, *s->p, s->regs, false);
        if (!dst && row->flags & SWAP)
            add(u, *s->p, s->regs, true);
        /* What an atomic with GLC returns takes the data's place, but the comparand's. */
        if (s->p == &copy.data && row->flags & ATOMIC && in->glc && in->enc != ENC_FLAT &&
            in->enc != ENC_GLOBAL)
            add(u, *s->p, row->dst == T_TEXEL ? 1 : isa_type_regs(row->dst), true);
    }
    if (in->enc == ENC_SMEM || in->enc == ENC_SMRD) /* also where the text has an immediate */
        add(u, in->soffset, 1, false);
    if (vector || in->enc == ENC_EXP)
        add(u, SREG_EXEC, 2, false);
    if (row->flags & IMPL_VCC || in->op == I_S_CBRANCH_VCCZ || in->op == I_S_CBRANCH_VCCNZ)
        add(u, SREG_VCC, 2, false);
    if (row->flags & RD_M0 || in->enc == ENC_VINTRP || in->op == I_S_SENDMSG ||
        in->op == I_S_SENDMSGHALT || (in->enc == ENC_DS && (t->gen < GFX9 || in->gds)) || in->lds)
        add(u, SREG_M0, 1, false);
    if (in->enc == ENC_SCRATCH || in->enc == ENC_FLAT)
        add(u, t->gen == GFX7 ? SREG_FLAT_SCRATCH + 2 : SREG_FLAT_SCRATCH, 2, false);
}

/* ---- what an instruction leaves outstanding ------------------------------------------------ */

/* Its counters and its class in each; returns how many. */
static unsigned counted(enum gfx gen, const struct insn *in, uint8_t c[2], uint8_t cls[2])
{
    uint64_t flags = isa_rows[in->op].flags;
    unsigned n = 0;

#define COUNT(counter, class) (c[n] = (counter), cls[n] = (class), n++)
    switch (in->enc) {
    case ENC_SMRD:
    case ENC_SMEM:
        if (flags & (LOAD | STORE | ATOMIC) || in->op == I_S_MEMTIME || in->op == I_S_MEMREALTIME)
            COUNT(LGKM, C_SMEM);
        break;
    case ENC_SOPP:
        if (in->op == I_S_SENDMSG || in->op == I_S_SENDMSGHALT)
            COUNT(LGKM, C_MSG);
        break;
    case ENC_DS:
        if (in->op == I_DS_NOP)
            break;
        if (in->gds || flags & GWS) {
            COUNT(LGKM, C_GDS);
            COUNT(EXPORT, C_GDS);
        } else {
            COUNT(LGKM, C_LDS);
        }
        break;
    case ENC_MUBUF:
    case ENC_MTBUF:
    case ENC_MIMG:
    case ENC_GLOBAL:
    case ENC_SCRATCH:
        if (flags & NO_ADDR)
            break;
        COUNT(VM, C_VMEM);
        if (gen == GFX6 && flags & (STORE | ATOMIC))
            COUNT(EXPORT, C_STORE);
        break;
    case ENC_FLAT:
        COUNT(VM, C_FLAT);
        COUNT(LGKM, C_FLAT);
        break;
    case ENC_EXP:
        COUNT(EXPORT, in->target >= 32 ? C_PARAM : in->target >= 12 ? C_POS : C_MRT);
        break;
    default:
        break;
    }
#undef COUNT
    return n;
}

static void push(struct isa_waits *k, unsigned c, unsigned cls, const struct uop *u,
                 const struct use *use, enum gfx gen)
{
    struct entry *e;

    if (k->n[c] >= counter_max(gen, c))
        wait_for(k, c, counter_max(gen, c) - 1);
    if (k->n[c] == ENTRIES) /* of classes without order */
        drop(k, c, 0);
    e = &k->e[c][k->n[c]++];
    *e = (struct entry){.in = u->in, .pc_va = u->pc_va, .cls = (uint8_t)cls};
    for (unsigned i = 0; i < use->n && e->n < RANGES; i++) {
        const struct range *r = &use->r[i];

        /* EXP_CNT is about vector data that is still to be read, the others about results. */
        if (c == EXPORT ? !r->write && r->first >= REG_V : r->write)
            e->r[e->n++] = *r;
    }
}

/* ---- the check ----------------------------------------------------------------------------- */

static int clash(const struct range *a, const struct range *b)
{
    if (a->first >= b->first + b->n || b->first >= a->first + a->n)
        return -1;
    return MAX2(a->first, b->first);
}

static void report(struct wave *w, const struct uop *u, const struct entry *e, unsigned reg,
                   bool write, unsigned c)
{
    const char *file = reg >= REG_V + 256 ? "a" : reg >= REG_V ? "v" : "s";

    loud_report(w->loud, LOUD_OTHER, UINT64_C(0x77) << 56 | (u->pc_va & MEM_VA_MASK),
                "%s at 0x%llx %s %s%u before %s at 0x%llx has %s it (%s)", isa_rows[u->in->op].id,
                (unsigned long long)u->pc_va, write ? "writes" : "reads", file,
                reg < REG_V ? reg : (reg - REG_V) % 256, isa_rows[e->in->op].id,
                (unsigned long long)e->pc_va, c == EXPORT ? "read" : "written",
                isa_waitcnt_fields(w->gen)[c].name);
}

static void check(struct wave *w, const struct uop *u, const struct use *use, const uint8_t c[2],
                  const uint8_t cls[2], unsigned n)
{
    struct isa_waits *k = w->waits;

    for (unsigned q = 0; q < COUNTERS; q++)
        for (unsigned i = 0; i < k->n[q]; i++) {
            const struct entry *e = &k->e[q][i];
            bool same = false;

            for (unsigned j = 0; j < n; j++)
                same |= c[j] == q && cls[j] == e->cls && ordered(e->cls);
            for (unsigned a = 0; a < use->n; a++)
                for (unsigned b = 0; b < e->n; b++) {
                    int reg = clash(&use->r[a], &e->r[b]);

                    if (reg < 0 || (q == EXPORT && !use->r[a].write) ||
                        (use->r[a].write && same && q != EXPORT))
                        continue;
                    report(w, u, e, (unsigned)reg, use->r[a].write, q);
                    drop(k, q, i); /* one report for each access */
                    return;
                }
        }
}

void isa_waits_step(struct wave *w, const struct uop *u)
{
    const struct isa_target *t = isa_code_target(u->code);
    struct use use;
    uint8_t c[2] = {0}, cls[2] = {0};
    unsigned n;

    if (!w->waits) {
        w->waits = calloc(1, sizeof *w->waits);
        if (!w->waits)
            abort();
    }
    if (u->in->op == I_S_WAITCNT) {
        waitcnt(w->waits, w->gen, (uint32_t)u->in->imm);
        return;
    }
    uses(t, u->in, &use);
    n = counted(w->gen, u->in, c, cls);
    check(w, u, &use, c, cls, n);
    for (unsigned i = 0; i < n; i++)
        push(w->waits, c[i], cls[i], u, &use, w->gen);
}
