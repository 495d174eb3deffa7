/* control.h: what scalar bodies call: jumps, stops, hardware registers, relative registers. */
#ifndef ATOLL_CONTROL_H
#define ATOLL_CONTROL_H

#include "isa/exec.h"

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
/* M0 bits `mask` become those of v. */
const struct uop *isa_set_gpr_idx(struct wave *w, const struct uop *u, bool on, uint32_t v,
                                  uint32_t mask);
const struct uop *isa_icache_inv(struct wave *w, const struct uop *u);

uint64_t isa_sgpr64(struct wave *w, const struct uop *u, unsigned n);
void isa_sgpr_write64(struct wave *w, const struct uop *u, unsigned n, uint64_t v);

#endif
