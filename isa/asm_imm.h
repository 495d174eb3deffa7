/* asm_imm.h: immediates with a syntax of their own. Private to the assembler. */
#ifndef ATOLL_ISA_ASM_IMM_H
#define ATOLL_ISA_ASM_IMM_H

#include "isa/asm_text.h"

/* The text of an immediate slot into the member it stands for (imm, attr, target). */
int asm_immediate(const struct isa_target *t, enum slot_kind kind, struct span text,
                  struct insn *in, struct err *e);

/* The value of format: into dfmt and nfmt: names in brackets, or a number dfmt | nfmt << 4. */
bool asm_format(enum gfx gen, struct span value, struct insn *in);

/* swizzle(...) of ds_swizzle_b32 to its offset. */
bool asm_swizzle(struct span value, int32_t *out);

/* A number as a half, rounded to nearest even. */
uint16_t asm_half(double f);

#endif
