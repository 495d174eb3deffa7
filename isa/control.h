/* control.h: what scalar bodies call: jumps, stops, hardware registers, relative registers. */
#ifndef ATOLL_CONTROL_H
#define ATOLL_CONTROL_H

#include "isa/exec.h"

/* Active lanes of the vector ALU instructions since the last time are counted: EXEC changes, or
 * somebody looks. */
static inline void wave_count_lanes(struct wave *w)
{
    uint64_t valu = w->counters.insts[CLASS_VALU];

    w->counters.valu_lanes += (valu - w->priv.lanes_to) * w->priv.active;
    w->priv.lanes_to = valu;
}

/* The wave leaves WAVE_READY after this instruction. `why` is for WAVE_HALTED: static text,
 * reported. Returns NULL. */
const struct uop *isa_stop(struct wave *w, const struct uop *u, enum wave_state state,
                           const char *why);

/* s_cbranch_*_fork, s_cbranch_join. */
const struct uop *isa_fork(struct wave *w, const struct uop *u, uint64_t mask, uint64_t va);
const struct uop *isa_join(struct wave *w, const struct uop *u, uint32_t csp);

/* s_getreg, s_setreg; `imm` as encoded: register 5..0, first bit 10..6, bits less one 15..11. */
uint32_t isa_getreg(struct wave *w, const struct uop *u, int32_t imm);
const struct uop *isa_setreg(struct wave *w, const struct uop *u, int32_t imm, uint32_t v);

const struct uop *isa_set_vskip(struct wave *w, const struct uop *u, bool on);
/* M0 bits `mask` become those of v; MODE.GPR_IDX_EN becomes `on`. */
const struct uop *isa_set_gpr_idx(struct wave *w, const struct uop *u, bool on, uint32_t v,
                                  uint32_t mask);
bool isa_gpr_idx_on(const struct wave *w);
const struct uop *isa_icache_inv(struct wave *w, const struct uop *u);

/* s_movrels, s_movreld of one or two registers: the operand that moves is the instruction's. */
uint64_t isa_movrels(struct wave *w, const struct uop *u, unsigned regs);
void isa_movreld(struct wave *w, const struct uop *u, unsigned regs, uint64_t v);

/* Where the trap temporaries are among the scalar registers. */
static inline unsigned isa_ttmp0(enum gfx gen)
{
    return gen >= GFX9 ? SREG_TBA : SREG_TTMP0;
}

/* Has the wave a trap handler; is it in it (STATUS.PRIV)? */
bool isa_trap_handler(const struct wave *w);
bool isa_in_trap(const struct wave *w);
const struct uop *isa_trap(struct wave *w, const struct uop *u, uint32_t number);
/* The handler of an exception, from which it may return to pc_va. */
const struct uop *isa_trap_excp(struct wave *w, const struct uop *u, uint64_t pc_va);
const struct uop *isa_rfe(struct wave *w, const struct uop *u, uint64_t va);
const struct uop *isa_rfe_restore(struct wave *w, const struct uop *u, uint64_t va, uint32_t v);

const struct uop *isa_sethalt(struct wave *w, const struct uop *u, bool halt);
const struct uop *isa_setkill(struct wave *w, const struct uop *u, bool kill);
const struct uop *isa_setprio(struct wave *w, const struct uop *u, uint32_t prio);
const struct uop *isa_sleep(struct wave *w, const struct uop *u);
/* The number of a message that the generation has. */
uint32_t isa_message(const struct wave *w, const char *name);
/* Calls the device in the host's float mode. */
void isa_sendmsg(struct wave *w, const struct uop *u, uint32_t message);
void isa_perflevel(struct wave *w, const struct uop *u);
void isa_ttracedata(struct wave *w, const struct uop *u);

uint64_t isa_sgpr64(struct wave *w, const struct uop *u, unsigned n);
void isa_sgpr_write64(struct wave *w, const struct uop *u, unsigned n, uint64_t v);

#endif
