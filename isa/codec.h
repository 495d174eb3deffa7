/* codec.h: what the decoder, the printer and the assembler share. Private to isa/.
 *
 * Layouts (encoding.def) say which bits of the words are which member of struct insn. Slots say in
 * which order the assembly text names those members, and what may stand there. names.c holds
 * the symbolic values. */
#ifndef ATOLL_ISA_CODEC_H
#define ATOLL_ISA_CODEC_H

#include "isa/row.h"

/* ---- words -------------------------------------------------------------------------------- */

enum field_conv { CONV_NONE, CONV_RAW, CONV_VGPR, CONV_PAIR, CONV_QUAD, CONV_SX, CONV_NOT };

struct field {
    uint8_t dw, lo, hi;
    uint8_t conv, shift;
    uint8_t size;      /* bytes of the member; 0: none (OTHER) */
    uint16_t offset;   /* of the member in struct insn */
};

struct layout {
    uint8_t enc, space, gens, form;
    uint32_t mask, match;
    uint8_t op_lo, op_hi, ndw, takes;
    uint8_t nfields;
    const struct field *fields;
    uint32_t reserved[2];
};

enum layout_takes {
    TAKES_ANY, TAKES_WR_VCC, TAKES_LANESEL, TAKES_INTERP, TAKES_SGPR_DST, TAKES_GWS,
    TAKES_ONE_SRC
};

/* The layouts in order of precedence; NULL past the last. */
const struct layout *isa_layout(unsigned i);

/* The layout of a row in an encoding (ENC_*) and form; NULL when the row has none there. `opcode`
 * is where word 0's opcode goes. */
const struct layout *isa_layout_for(const struct isa_target *t, enum isa_op op, unsigned enc,
                                    unsigned form, unsigned *opcode);

/* Whether the row exists on the target at all. */
bool isa_has(const struct isa_target *t, enum isa_op op);

/* No operands, everything zero. */
void isa_insn_clear(struct insn *in);

/* The words of an instruction whose members are set (op, enc, form and all that its slots name).
 * Returns the number of dwords, or -1 with *e set when a member does not fit its field. */
int isa_encode(const struct isa_target *t, const struct insn *in, uint32_t out[4],
               struct err *e);

/* ---- operands in text order --------------------------------------------------------------- */

enum slot_kind {
    SLOT_SDST,     /* scalar register */
    SLOT_SSRC,     /* scalar register, constant, literal */
    SLOT_SSRC_NL,  /* the same without literals */
    SLOT_VGPR,
    SLOT_VGPR_LDS, /* VGPR or lds_direct */
    SLOT_AGPR,
    SLOT_AVGPR,    /* VGPR of either kind */
    SLOT_ASRC,     /* accumulation VGPR or constant */
    SLOT_VCONST,   /* VGPR or constant */
    SLOT_VSRC,     /* anything that a VALU source can be */
    SLOT_VSRC_NL,  /* the same without literals (SDWA on GFX9) */
    SLOT_LITK,     /* a literal, always */
    SLOT_OFF_VGPR, /* VGPR or "off" */
    SLOT_OFF_SGPR, /* SGPR or "off" */
    SLOT_SMEM_OFF, /* SGPR, immediate, or literal: soffset, offset */
    SLOT_IMM,      /* imm: a number */
    SLOT_IMM_OPT,  /* the same; not written when zero */
    SLOT_BRANCH, SLOT_WAITCNT, SLOT_HWREG, SLOT_SENDMSG, SLOT_GPR_IDX, /* imm with names */
    SLOT_PARAM,    /* imm: p10, p20, p0 */
    SLOT_ATTR,     /* attr, attr_chan */
    SLOT_TARGET,   /* target of EXP */
};

struct slot {
    uint8_t kind;
    uint8_t regs;     /* registers of 32 bits */
    uint8_t type;     /* enum isa_type: how a literal is converted */
    int8_t src;       /* which bit of abs, neg, sext; -1: takes none */
    bool fmod, imod;  /* takes abs and neg; takes sext */
    uint16_t *p;      /* the member; NULL where the kind says which, or for a fixed "off" */
};

enum { SLOT_MAX = 8 };

/* The operands of `in` (op, enc, form and the modifiers that decide: offen, dmask, tfe, ... set).
 * Returns their number. */
unsigned isa_slots(const struct isa_target *t, struct insn *in, struct slot out[SLOT_MAX]);

/* Whether an operand can be written there: registers exist on the target, and what is no register
 * is a constant that the slot takes. */
bool isa_operand_ok(const struct isa_target *t, const struct slot *s, unsigned operand);

/* Registers of 32 bits that a type fills; 0 where other rules say it (row.h). */
unsigned isa_type_regs(unsigned type);
/* Types whose numbers have 16 bits; types whose numbers are floats. */
bool isa_type_is_half(unsigned type);
bool isa_type_is_float(unsigned type);

/* The inline constant with this value in an operand of `regs` registers, -1 without one. 16-bit
 * integer operands take a float constant only where the text has a float. */
int isa_inline_constant(const struct isa_target *t, int64_t v, unsigned regs, unsigned type,
                        bool float_text);

/* Modifiers that the row takes in this encoding: what the printer prints and the assembler
 * accepts. */
struct mods {
    bool omod, clamp, op_sel, op_sel_hi;
    unsigned op_sel_count; /* bits of op_sel, op_sel_hi, neg_lo, neg_hi lists */
    bool neg_lists;        /* neg_lo, neg_hi */
};
void isa_mods(const struct isa_target *t, const struct insn *in, struct mods *out);

/* ---- names -------------------------------------------------------------------------------- */

/* A symbolic value: the generations that know it by this name as a mask of 1 << gen. */
struct isa_name {
    const char *name;
    uint16_t value;
    uint8_t gens;
};

/* Each table ends with a NULL name. */
extern const struct isa_name isa_hwreg_names[], isa_msg_names[], isa_gs_op_names[],
    isa_sysmsg_op_names[], isa_gpr_idx_names[], isa_dfmt_names[], isa_nfmt_names[],
    isa_sel_names[], isa_unused_names[], isa_param_names[];

const char *isa_name_of(const struct isa_name *table, enum gfx gen, unsigned value);
/* `len` characters at `name`; returns -1 when the table has no such name. */
int isa_value_of(const struct isa_name *table, enum gfx gen, const char *name, size_t len);

/* Special scalar registers and sources: name, encoding, how many 32-bit registers the name
 * covers; `need` a feature without which it does not exist (0: none). */
struct isa_sreg {
    const char *name;
    uint8_t code, regs, gens;
    uint16_t need;
};
extern const struct isa_sreg isa_sregs[];

/* Where the numbered scalar registers lie. */
unsigned isa_sgpr_count(const struct isa_target *t); /* s0 .. */
unsigned isa_ttmp_first(enum gfx gen);
unsigned isa_ttmp_count(enum gfx gen);

/* Inline constants of OPD_FLOAT0.. as text; NULL when the operand is none. */
struct isa_float {
    const char *text;          /* for 32 bits and less */
    const char *text64;
    uint16_t f16;
    uint32_t f32;
    uint64_t f64;
    uint8_t gens;
};
const struct isa_float *isa_inline_float(const struct isa_target *t, unsigned i); /* 0.. */

/* DPP controls: "row_shl:n" is base + n for n in first..last; last == first - 1: no number. */
struct isa_dpp {
    const char *name;
    uint16_t base;
    uint8_t first, last;
};
extern const struct isa_dpp isa_dpp_ctrls[];

/* The mnemonic without suffix, lower case. */
void isa_mnemonic(enum gfx gen, enum isa_op op, char out[64]);
/* The i-th that the assembler takes: 0 is the mnemonic, then aliases, which stand for the VOP3 form;
 * false past the last. */
bool isa_spelling(enum gfx gen, enum isa_op op, unsigned i, char out[64]);

/* Waitcnt fields of a generation. */
struct isa_waitcnt {
    const char *name;
    uint8_t lo, bits;       /* low part */
    uint8_t hi_lo, hi_bits; /* high part, 0 bits: none */
};
const struct isa_waitcnt *isa_waitcnt_fields(enum gfx gen); /* 3 of them */

#endif
