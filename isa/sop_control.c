/* sop_control.c: scalar instructions that are about the wave itself: forks and joins, relative
 * registers, GPR indexing and VSKIP, traps, halts, messages.
 *
 * Sources: the ISA manuals' chapters "Program flow control" (fork and join, traps) and "Scalar ALU
 * operations"; the kernel driver's trap handlers, which show what s_trap leaves behind and what
 * s_rfe takes. */
#include "isa/codec.h"
#include "isa/control.h"
#include "regs/regs.h"

#include <xmmintrin.h>

static uint64_t next_va(const struct uop *u)
{
    return u->pc_va + 4 * (uint64_t)u->in->ndw;
}

static void report(struct wave *w, const struct uop *u, const char *what)
{
    loud_report(w->loud, LOUD_OTHER, (uint64_t)u->in->op << 48 | (u->pc_va & MEM_VA_MASK),
                "%s at 0x%llx: %s", isa_rows[u->in->op].id, (unsigned long long)u->pc_va, what);
}

static uint32_t status(const struct wave *w, enum reg_field_id f)
{
    return regs_extract(w->gen, f, w->status);
}

static void set_status(struct wave *w, enum reg_field_id f, uint32_t v)
{
    w->status = regs_insert(w->gen, f, w->status, v);
}

static const struct uop *set_mode(struct wave *w, const struct uop *u, enum reg_field_id f,
                                  uint32_t v)
{
    w->mode = regs_insert(w->gen, f, w->mode, v);
    isa_mode_changed(w);
    return isa_leave(w, u);
}

/* ---- fork and join ----------------------------------------------------------------------- */

/* The branch stack: four SGPRs an entry from s0 on (EXEC, then PC), its height in MODE.CSP, three
 * bits. The side with fewer lanes goes first, so that the stack cannot be deeper than log2(64). */
static unsigned csp(const struct wave *w)
{
    return regs_extract(w->gen, F_SQ_WAVE_MODE__CSP, w->mode);
}

static void set_csp(struct wave *w, unsigned n)
{
    w->mode = regs_insert(w->gen, F_SQ_WAVE_MODE__CSP, w->mode, n & 7);
}

const struct uop *isa_fork(struct wave *w, const struct uop *u, uint64_t mask, uint64_t va)
{
    uint64_t exec = wave_exec(w), pass = exec & mask, fail = exec & ~mask;
    bool fail_first = __builtin_popcountll(fail) < __builtin_popcountll(pass);
    unsigned n = csp(w);

    if (pass == exec)
        return isa_jump_va(w, u, va);
    if (fail == exec)
        return u + 1;
    if (n == 7)
        report(w, u, "the branch stack overflows");
    isa_sgpr_write64(w, u, 4 * n, fail_first ? pass : fail);
    isa_sgpr_write64(w, u, 4 * n + 2, fail_first ? va : next_va(u));
    set_csp(w, n + 1);
    wave_set_exec(w, fail_first ? fail : pass);
    return fail_first ? u + 1 : isa_jump_va(w, u, va);
}

const struct uop *isa_join(struct wave *w, const struct uop *u, uint32_t base)
{
    unsigned n = csp(w);

    if (n == base)
        return u + 1;
    if (n == 0)
        report(w, u, "the branch stack is empty");
    n = (n - 1) & 7;
    set_csp(w, n);
    wave_set_exec(w, isa_sgpr64(w, u, 4 * n));
    return isa_jump_va(w, u, isa_sgpr64(w, u, 4 * n + 2));
}

/* ---- relative registers ------------------------------------------------------------------ */

/* The first of `regs` registers M0 beyond `base`; -1, loudly, when that is outside of the wave's
 * SGPRs. Special registers are not reached from SGPRs, and cannot be indexed. */
static int relative(struct wave *w, const struct uop *u, unsigned base, unsigned regs)
{
    uint64_t n = (uint64_t)base + w->s[SREG_M0];

    if (n + regs <= w->num_sgprs)
        return (int)n;
    if (base >= SREG_FLAT_SCRATCH && base + regs <= SREG_CONST && n == base)
        return (int)n;
    report(w, u, "M0 reaches beyond the wave's SGPRs");
    return -1;
}

/* Out of range, a source is s0, and a destination is not written (docs/errata.md, E-movrel). */
uint64_t isa_movrels(struct wave *w, const struct uop *u, unsigned regs)
{
    int n = relative(w, u, u->in->src[0], regs);

    n = MAX2(n, 0);
    return regs == 1 ? w->s[n] : wave_s64(w, (unsigned)n);
}

void isa_movreld(struct wave *w, const struct uop *u, unsigned regs, uint64_t v)
{
    int n = relative(w, u, u->in->dst, regs);

    if (n < 0)
        return;
    w->s[n] = (uint32_t)v;
    if (regs == 2)
        w->s[n + 1] = (uint32_t)(v >> 32);
    if (n + (int)regs > SREG_EXEC)
        wave_set_exec(w, wave_exec(w));
}

/* ---- modes of vector instructions -------------------------------------------------------- */

const struct uop *isa_set_vskip(struct wave *w, const struct uop *u, bool on)
{
    return set_mode(w, u, F_SQ_WAVE_MODE__VSKIP, on);
}

/* M0[7:0] is what is added to VGPR numbers, M0[15:12] to those of which operands. */
const struct uop *isa_set_gpr_idx(struct wave *w, const struct uop *u, bool on, uint32_t v,
                                  uint32_t mask)
{
    w->s[SREG_M0] = (w->s[SREG_M0] & ~mask) | (v & mask);
    return set_mode(w, u, F_SQ_WAVE_MODE__GPR_IDX_EN, on);
}

bool isa_gpr_idx_on(const struct wave *w)
{
    return regs_extract(w->gen, F_SQ_WAVE_MODE__GPR_IDX_EN, w->mode);
}

/* ---- traps ------------------------------------------------------------------------------- */

/* The trap base and memory addresses are scalar registers before GFX9. */
static uint64_t tba(const struct wave *w)
{
    return w->gen >= GFX9 ? w->tba_va : wave_s64(w, SREG_TBA);
}

/* STATUS.TRAP_EN comes from PGM_RSRC2.TRAP_PRESENT at launch. */
bool isa_trap_handler(const struct wave *w)
{
    return status(w, F_SQ_WAVE_STATUS__TRAP_EN) && tba(w) != 0;
}

bool isa_in_trap(const struct wave *w)
{
    return status(w, F_SQ_WAVE_STATUS__PRIV);
}

/* TTMP1:TTMP0 gets a PC (bits 47..0), the trap's number (55..48), and zeros for "by the host" and the rewind
 * count. */
static const struct uop *enter_trap(struct wave *w, const struct uop *u, uint64_t pc, uint32_t number)
{
    unsigned ttmp = isa_ttmp0(w->gen);

    pc &= MEM_VA_MASK;
    w->s[ttmp] = (uint32_t)pc;
    w->s[ttmp + 1] = (uint32_t)(pc >> 32) | (number & 0xff) << 16;
    set_status(w, F_SQ_WAVE_STATUS__PRIV, 1);
    return isa_jump_va(w, u, tba(w) & ~UINT64_C(0xff));
}

/* The PC is that of the s_trap. */
const struct uop *isa_trap(struct wave *w, const struct uop *u, uint32_t number)
{
    if (!isa_trap_handler(w))
        return isa_stop(w, u, WAVE_HALTED, "s_trap without a trap handler");
    if (isa_in_trap(w))
        return isa_stop(w, u, WAVE_HALTED, "s_trap within a trap handler");
    return enter_trap(w, u, u->pc_va, number);
}

const struct uop *isa_trap_excp(struct wave *w, const struct uop *u, uint64_t pc_va)
{
    return enter_trap(w, u, pc_va, 0);
}

const struct uop *isa_rfe(struct wave *w, const struct uop *u, uint64_t va)
{
    if (!isa_in_trap(w))
        return isa_stop(w, u, WAVE_HALTED, "s_rfe outside of a trap handler");
    set_status(w, F_SQ_WAVE_STATUS__PRIV, 0);
    if (status(w, F_SQ_WAVE_STATUS__HALT)) {
        isa_stop(w, u, WAVE_HALTED, "STATUS.HALT, set by a trap handler");
        w->pc_va = va & MEM_VA_MASK & ~UINT64_C(3);
        return NULL;
    }
    return isa_jump_va(w, u, va);
}

const struct uop *isa_rfe_restore(struct wave *w, const struct uop *u, uint64_t va, uint32_t v)
{
    set_status(w, F_SQ_WAVE_STATUS__INST_ATC, v & 1);
    return isa_rfe(w, u, va);
}

/* ---- stopping and waiting ---------------------------------------------------------------- */

/* A trap handler's halt takes effect when it returns. */
const struct uop *isa_sethalt(struct wave *w, const struct uop *u, bool halt)
{
    set_status(w, F_SQ_WAVE_STATUS__HALT, halt);
    if (halt && !isa_in_trap(w))
        return isa_stop(w, u, WAVE_HALTED, "s_sethalt");
    return u + 1;
}

/* Marks the wave as the host's kill command does: it ends instead of going on. */
const struct uop *isa_setkill(struct wave *w, const struct uop *u, bool kill)
{
    if (!kill)
        return u + 1;
    report(w, u, "the wave ends itself");
    return isa_stop(w, u, WAVE_ENDED, NULL);
}

const struct uop *isa_setprio(struct wave *w, const struct uop *u, uint32_t prio)
{
    set_status(w, F_SQ_WAVE_STATUS__WAVE_PRIO, prio & 3); /* GFX6, GFX7 */
    set_status(w, F_SQ_WAVE_STATUS__USER_PRIO, prio & 3);
    return u + 1;
}

/* Lets the others of its group go on. */
const struct uop *isa_sleep(struct wave *w, const struct uop *u)
{
    w->priv.yield = true;
    return isa_leave(w, u);
}

const struct uop *isa_icache_inv(struct wave *w, const struct uop *u)
{
    isa_code_sync(u->code);
    return isa_leave(w, u);
}

/* ---- messages ---------------------------------------------------------------------------- */

uint32_t isa_message(const struct wave *w, const char *name)
{
    return (uint32_t)isa_value_of(isa_msg_names, w->gen, name, strlen(name));
}

void isa_sendmsg(struct wave *w, const struct uop *u, uint32_t message)
{
    w->insn_va = u->pc_va;
    w->pc_va = next_va(u);
    _mm_setcsr(w->priv.mxcsr_host);
    w->ops->sendmsg(w, message, w->s[SREG_M0]);
    _mm_setcsr(w->priv.mxcsr32);
}

/* Counters and thread traces are for waves that STATUS says have them. */
void isa_perflevel(struct wave *w, const struct uop *u)
{
    if (status(w, F_SQ_WAVE_STATUS__PERF_EN))
        report(w, u, "performance counters of waves are not modelled");
}

void isa_ttracedata(struct wave *w, const struct uop *u)
{
    if (status(w, F_SQ_WAVE_STATUS__TTRACE_EN))
        report(w, u, "thread traces are not modelled");
}
