/* waits.h: whether a program waits for its memory accesses (--strict-waits). Private to isa/.
 *
 * The interpreter has every result at once; hardware has it when a counter says so. With w->strict_waits
 * set, isa_waits_step() sees each instruction before it executes, keeps what is outstanding, and
 * reports registers that are read or written too early: a bug that real hardware shows only
 * sometimes. See waits.c. */
#ifndef ATOLL_ISA_WAITS_H
#define ATOLL_ISA_WAITS_H

#include "isa/exec.h"

/* What is known of w's accesses; made at its first instruction, freed by wave_release(). */
struct isa_waits;

void isa_waits_step(struct wave *w, const struct uop *u);

#endif
