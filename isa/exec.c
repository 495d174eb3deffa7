/* exec.c: the loop. Micro-ops come from code.c; everything that leaves the common path (trace,
 * relative registers, registers beyond the allocation) is looked at once an instruction, in one
 * branch each that is never taken otherwise. */
#include "isa/control.h"
#include "isa/excp.h"
#include "isa/waits.h"

#include <xmmintrin.h>

static void set_mxcsr(uint32_t v)
{
    _mm_setcsr(v);
}

/* ---- leaving ----------------------------------------------------------------------------- */

const struct uop *isa_stop(struct wave *w, const struct uop *u, enum wave_state state,
                           const char *why)
{
    w->pc_va = u->pc_va + 4 * (uint64_t)u->in->ndw;
    w->state = state;
    if (state == WAVE_HALTED) {
        w->why = why;
        loud_report(w->loud, LOUD_OTHER, u->pc_va, "wave %u halted at 0x%llx: %s", w->id,
                    (unsigned long long)u->pc_va, why);
    }
    return NULL;
}

const struct uop *isa_halt(struct wave *w, const struct uop *u, const char *why)
{
    isa_stop(w, u, WAVE_HALTED, why);
    w->pc_va = u->pc_va; /* it stays at the instruction that it could not execute */
    return NULL;
}

const struct uop *isa_leave(struct wave *w, const struct uop *u)
{
    w->pc_va = u->pc_va + 4 * (uint64_t)u->in->ndw;
    return NULL;
}

const struct uop *isa_jump_va(struct wave *w, const struct uop *u, uint64_t va)
{
    return isa_code_find(u->code, va);
}

const struct uop *isa_jump(struct wave *w, const struct uop *u)
{
    const struct uop *to = atomic_load_explicit(&u->target->to, memory_order_acquire);

    if (!to) {
        to = isa_code_find(u->code, u->target->va);
        atomic_store_explicit(&u->target->to, to, memory_order_release);
    }
    return to;
}

/* ---- the careful way: one instruction ---------------------------------------------------- */

/* Do the `regs` SGPRs from n on reach beyond the wave's? */
static bool sgprs_beyond(const struct wave *w, uint64_t n, uint64_t regs)
{
    return n < SREG_FLAT_SCRATCH && n + regs > w->num_sgprs;
}

/* A micro-op whose operands reach beyond the wave's registers: a source there is v0 or s0, a VGPR
 * there as result makes the instruction a no-op, an SGPR is not written. Source: the GCN3 ISA
 * manual, "Out-of-range behavior". */
static const struct uop *run_out_of_range(struct wave *w, const struct uop *u)
{
    static const uint32_t zero[256] __attribute__((aligned(64)));
    const struct isa_row *row = &isa_rows[u->in->op];
    const struct uop *next;
    struct uop t = *u;

    loud_report(w->loud, LOUD_OTHER, u->pc_va,
                "%s at 0x%llx uses registers beyond the wave's %u VGPRs, %u SGPRs", row->id,
                (unsigned long long)u->pc_va, w->num_vgprs, w->num_sgprs);
    for (unsigned i = 0; i < UOP_OPERANDS; i++) {
        uint64_t regs = u->width[i], s0 = offsetof(struct wave, s);

        if (u->sel[i] == UB_VGPR && u->off[i] / 256 + regs > w->num_vgprs) {
            if (i == UOP_DST)
                return u + 1;
            t.off[i] = 0;
            if (regs > w->num_vgprs) {
                t.sel[i] = UB_ABS;
                t.off[i] = (uint64_t)(uintptr_t)zero;
            }
        } else if (u->sel[i] == UB_WAVE && u->off[i] >= s0 && u->off[i] < s0 + sizeof w->s &&
                   sgprs_beyond(w, (u->off[i] - s0) / 4, regs)) {
            t.off[i] = s0;
            if (i == UOP_DST) {
                t.sel[i] = UB_ABS;
                t.off[i] = (uint64_t)(uintptr_t)w->priv.none;
            }
        }
    }
    for (unsigned i = 0; i < 3; i++)
        if (t.flags & UF_SPLAT_A << i && sgprs_beyond(w, t.src_sgpr[i], u->width[UOP_A + i]))
            t.src_sgpr[i] = 0;
    if (u->valu && (row->dst == T_MASK || row->flags & WR_VCC) && sgprs_beyond(w, u->sdst, 2)) {
        uint32_t *pair = &w->s[u->sdst], was[2] = {pair[0], pair[1]};

        next = t.fn(w, &t);
        pair[0] = was[0];
        pair[1] = was[1];
    } else {
        next = t.fn(w, &t);
    }
    return next == &t + 1 ? u + 1 : next;
}

/* GPR indexing (GFX8/9): the instruction with its VGPR operands moved by M0[7:0], those that
 * M0[15:12] names: src0, src1, src2, dst. */
static const struct uop *run_indexed(struct wave *w, const struct uop *u)
{
    struct insn in = *u->in;
    struct uop t;
    uint32_t m0 = w->s[SREG_M0], by = m0 & 0xff;
    const struct uop *next;

    for (unsigned i = 0; i < 3; i++)
        if (m0 >> (12 + i) & 1 && in.src[i] != OPD_NONE && in.src[i] >= OPD_VGPR0)
            in.src[i] += by;
    if (m0 >> 15 & 1 && in.dst != OPD_NONE && in.dst >= OPD_VGPR0)
        in.dst += by;
    isa_lower(u->code, &in, u->pc_va, u->target, &t);
    if ((t.vgprs > w->num_vgprs || t.sgprs > w->num_sgprs) && !t.call)
        next = run_out_of_range(w, &t);
    else
        next = t.fn(w, &t);
    return next == &t + 1 ? u + 1 : next;
}

static bool is_vector(const struct uop *u)
{
    return u->valu || (u->in->enc >= ENC_VINTRP && u->in->enc <= ENC_SCRATCH);
}

static const struct uop *run_careful(struct wave *w, const struct uop *u)
{
    const struct uop *next;
    const bool skipped = bits(w->mode, 28, 28) && is_vector(u);
    unsigned excp = 0;

    if (u->fn == isa_goto)
        return u->fn(w, u);
    w->insn_va = u->pc_va;
    if (w->trace) {
        w->pc_va = u->pc_va;
        set_mxcsr(w->priv.mxcsr_host);
        w->ops->trace(w, u->pc_va, u->in, false);
        set_mxcsr(w->priv.mxcsr32);
    }
    w->counters.insts[u->cls]++;
    wave_count_lanes(w);
    if (w->strict_waits && u->fn != isa_illegal && u->fn != isa_fetch_fault)
        isa_waits_step(w, u);
    if (w->priv.watch > 1 && !skipped)
        excp = isa_excp_of(w, u);
    if (skipped)
        next = u + 1; /* VSKIP */
    else if (bits(w->mode, 27, 27) && w->gen >= GFX8 && u->valu)
        next = run_indexed(w, u);
    else if ((u->vgprs > w->num_vgprs || u->sgprs > w->num_sgprs) && !u->call)
        next = run_out_of_range(w, u);
    else
        next = u->fn(w, u);
    if (excp && next)
        next = isa_excp_raise(w, u, next, excp);
    if (w->trace) {
        if (next)
            w->pc_va = next->pc_va;
        set_mxcsr(w->priv.mxcsr_host);
        w->ops->trace(w, u->pc_va, u->in, true);
        set_mxcsr(w->priv.mxcsr32);
    }
    return next;
}

/* ---- the loop ---------------------------------------------------------------------------- */

uint64_t isa_run(struct isa_code *c, struct wave *w, uint64_t max_insts)
{
    uint64_t n = 0;
    uint32_t host = _mm_getcsr();
    const uint32_t top = 0x80008000u;

    w->priv.mxcsr_host = host;
    w->priv.base[UB_VGPR] = (uintptr_t)w->v;
    w->priv.base[UB_ABS] = 0;
    w->priv.base[UB_WAVE] = (uintptr_t)w;
    w->priv.limits = MIN2(w->num_vgprs, 0x7fff) | MIN2(w->num_sgprs, 0x7fff) << 16;
    if (!w->loud)
        w->loud = isa_code_loud(c);
    if (!w->priv.watch)
        w->priv.watch = isa_trap_handler(w) || isa_code_watches(c, w->pc_va) ? 2 : 1;
    w->priv.lanes = isa_code_lanes(c);
    w->d16_unpacked = isa_code_target(c)->features & FEAT_D16_UNPACKED;
    isa_mode_changed(w);
    w->priv.lanes_to = w->counters.insts[CLASS_VALU];
    w->priv.yield = false;
    isa_code_enter(c);

    while (w->state == WAVE_READY && n < max_insts && !w->priv.yield) {
        const struct uop *u = isa_code_find(c, w->pc_va), *next = NULL;
        uint64_t left = max_insts - n, to_go = left;

        set_mxcsr(w->priv.mxcsr32);
        w->priv.uncounted = 0;
        if (w->priv.attention) {
            do {
                next = run_careful(w, u);
                u = next ? next : u;
            } while (--to_go && next);
        } else {
            const uint32_t limits = w->priv.limits;

            do {
                /* Both counts at once: a borrow sets the field's top bit. */
                if (__builtin_expect((limits - u->needs) & top, 0)) {
                    next = run_careful(w, u);
                } else {
                    w->counters.insts[u->cls]++;
                    next = u->fn(w, u);
                }
                to_go--;
                if (!next)
                    break;
                u = next;
            } while (to_go);
            wave_count_lanes(w);
        }
        if (next)
            w->pc_va = next->pc_va;
        n += left - to_go - w->priv.uncounted;
        w->counters.insts[CLASS_COUNT] = 0;
    }
    w->insts_run += n;
    isa_code_exit(c);
    set_mxcsr(host);
    return n;
}
