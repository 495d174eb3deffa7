/* asm_text.h: assembly text taken apart, before anything is known of the instruction. Private to
 * asm.c. */
#ifndef ATOLL_ISA_ASM_TEXT_H
#define ATOLL_ISA_ASM_TEXT_H

#include "isa/codec.h"

/* A piece of the line. */
struct span {
    const char *p;
    size_t n;
};

enum { ASM_ARGS_MAX = 12, ASM_MODS_MAX = 24 };

/* "name:value" or "name". */
struct asm_mod {
    struct span name, value; /* value.p NULL without one */
};

struct asm_line {
    struct span mnemonic;
    struct span rest;        /* all after the mnemonic */
    struct span args[ASM_ARGS_MAX];
    unsigned nargs;
    struct asm_mod mods[ASM_MODS_MAX];
    unsigned nmods;
};

/* `is_flag` says whether a word alone is a modifier. */
int asm_split(const char *text, bool (*is_flag)(struct span word), struct asm_line *out,
              struct err *e);

bool span_is(struct span s, const char *word);
struct span span_trim(struct span s);

/* The next of a list separated by commas outside brackets, taken off *list; false at its end. */
bool span_next(struct span *list, struct span *item);

/* Integer expressions: numbers (0x, 0b, 0 octal as C has them), + - * / % & | << >>, brackets, unary - ~.
 * False when `s` is none. */
bool asm_integer(struct span s, int64_t *out);

enum asm_kind { ASM_REGISTER, ASM_INTEGER, ASM_FLOAT, ASM_OFF };

/* An operand as written. */
struct asm_operand {
    enum asm_kind kind;
    bool neg, abs, sext, lit;
    uint16_t first; /* ASM_REGISTER: encoding of the first */
    uint8_t regs;
    int64_t i;
    double f;
};

int asm_operand(const struct isa_target *t, struct span s, struct asm_operand *out,
                struct err *e);

#endif
