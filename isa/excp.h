/* excp.h: the exceptions of float instructions. Private to isa/. */
#ifndef ATOLL_EXCP_H
#define ATOLL_EXCP_H

#include "isa/exec.h"

/* The bits of TRAPSTS.EXCP that a vector instruction raises in the active lanes; asked before it executes. */
unsigned isa_excp_of(struct wave *w, const struct uop *u);

/* The instruction u has raised them, and `next` follows: TRAPSTS collects them, and where MODE.EXCP_EN asks for one
 * the trap handler follows instead. */
const struct uop *isa_excp_raise(struct wave *w, const struct uop *u, const struct uop *next, unsigned excp);

#endif
