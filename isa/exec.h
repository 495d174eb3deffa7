/* exec.h: the interpreter's insides: micro-ops, how bodies are called, what they may use.
 *
 * isa_code decodes the code at an address once into an array of micro-ops, one for each
 * instruction: a function and its operands as (base, offset). The loop in exec.c calls one after
 * another. A row's function is expanded from the body column of the table:
 *
 *   TODO              no function: executing the row halts the wave loudly
 *   CALL(f)           the function op_f below, of type uop_fn: whatever is no matter of one lane
 *   VEC(statement)    of the vector ALU rows: what one vector of the host's does (body.h)
 *   a statement       of the vector ALU rows (VOP1, VOP2, VOP3, VOP3P, VOPC): what one lane does,
 *                     with typed a, b, c and d, and l the lane: body.h wraps it in the loop over
 *                     64 lanes; of scalar rows: the same with scc; of memory rows: the whole
 *                     wave's work with `w` and `in` (see vmem.h, lds.h).
 *
 * Anything off the common path (abs, neg, omod, clamp, SDWA, DPP, op_sel, relative registers)
 * is a wrapper around the row's function: `fn` is the wrapper, `base` the row's. The wrapper
 * prepares operands in w->priv.tmp, calls base, and finishes the result. */
#ifndef ATOLL_EXEC_H
#define ATOLL_EXEC_H

#include "isa/row.h"

#include <stdatomic.h>

struct uop;

/* Execute one micro-op; returns the next one, or NULL when the wave stops: then w->pc_va is
 * where it would go on, and w->state (and w->priv.leave) say why. */
typedef const struct uop *uop_fn(struct wave *w, const struct uop *u);

/* What an operand's offset is relative to: index into w->priv.base. */
enum uop_base {
    UB_VGPR, /* the wave's registers: n * 256 bytes */
    UB_ABS,  /* nothing: a constant of the code cache, 64 (or 128) equal dwords */
    UB_WAVE, /* struct wave: s[], or priv.tmp */
    UB_COUNT
};

enum { UOP_DST = 0, UOP_A = 1, UOP_B = 2, UOP_C = 3, UOP_OPERANDS = 4 };

/* What the wrapper of a vector micro-op has to do. */
enum {
    UF_SPLAT_A = 1, UF_SPLAT_B = 2, UF_SPLAT_C = 4, /* scalar register: copy to 64 dwords */
    UF_SPECIAL = 8,   /* one of the sources is SCC, VCCZ, EXECZ, an aperture: compute it first */
    UF_MODE64 = 16,   /* f64/f16 row: runs in that half of MODE */
    UF_EXEC = 32,     /* writes EXEC: rebuild the lane mask */
    UF_SLOW = 64,     /* modifiers, SDWA, DPP, op_sel */
    UF_TRAP = 128,    /* an operand is a register of trap handlers (scalar) */
};

/* A branch's target: resolved when it is first taken. */
struct uop_target {
    uint64_t va;
    const struct uop *_Atomic to;
};

struct uop {
    uop_fn *fn;   /* what the loop calls */
    uop_fn *base; /* the row's function, for wrappers */
    uint64_t off[UOP_OPERANDS];
    uint8_t sel[UOP_OPERANDS]; /* enum uop_base */
    uint8_t cls;               /* enum isa_class */
    bool valu;
    uint8_t sdst, smask;       /* SGPR pair of the mask written, of the mask read as c */
    union {                    /* the wave must have so many, or each operand is checked */
        uint32_t needs;
        struct {
            uint16_t vgprs, sgprs;
        };
    };
    uint16_t flags;            /* UF_* */
    uint8_t src_sgpr[3];       /* UF_SPLAT_*: which */
    uint8_t width[UOP_OPERANDS]; /* registers of each operand */
    bool call;                 /* the function looks at in's operands itself, and checks them */
    uint64_t pc_va;
    const struct insn *in;
    struct uop_target *target;
    struct isa_code *code;
    uint64_t k[2];        /* scalar constants */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct uop) <= 128, "two cache lines");

/* The 64 dwords (for 64-bit operands 128: low halves, then high halves) of operand i; of a scalar
 * micro-op the one or two dwords. */
static inline uint32_t *uop_ptr(const struct wave *w, const struct uop *u, unsigned i)
{
    return (uint32_t *)(w->priv.base[u->sel[i]] + u->off[i]);
}

/* ---- for bodies -------------------------------------------------------------------------- */

/* Stop the wave: `why` is static text; reported loudly with PC and instruction. Returns NULL. */
const struct uop *isa_halt(struct wave *w, const struct uop *u, const char *why);

/* Go to a branch's target; to any address. */
const struct uop *isa_jump(struct wave *w, const struct uop *u);
const struct uop *isa_jump_va(struct wave *w, const struct uop *u, uint64_t va);

/* Leave the loop after this instruction (state changed, mode changed): the loop looks at the
 * wave again and goes on at the next micro-op when it is still ready. */
const struct uop *isa_leave(struct wave *w, const struct uop *u);

/* MODE was written: float modes, MXCSR, the flags that bodies see. */
void isa_mode_changed(struct wave *w);

/* VGPR n of the wave for reading (v0 beyond the allocation), for writing (a dummy). Reports
 * what is out of the allocation. */
const uint32_t *isa_vgpr(struct wave *w, const struct uop *u, unsigned n);
uint32_t *isa_vgpr_out(struct wave *w, const struct uop *u, unsigned n);

/* SGPR (or special register) n likewise: s0 beyond the allocation, where nothing is written. */
uint32_t isa_sgpr(struct wave *w, const struct uop *u, unsigned n);
void isa_sgpr_write(struct wave *w, const struct uop *u, unsigned n, uint32_t v);

/* Number of a source operand of a type as a 64-bit value; registers are not asked for.
 * Inline constants take the form of the operand's type. False for what is no constant. */
bool isa_constant(const struct insn *in, unsigned opd, enum isa_type t, uint64_t *out);

/* Is it a source that is computed (SCC, VCCZ, EXECZ, apertures ...) or none at all? */
bool isa_is_special(unsigned opd);

/* ---- the code cache (code.c) ------------------------------------------------------------- */

enum isa_level { ISA_LEVEL_BASE, ISA_LEVEL_V3, ISA_LEVEL_V4, ISA_LEVELS };

/* The best level that this host has. */
enum isa_level isa_level_host(void);
const char *isa_level_name(enum isa_level l);

/* As isa_code_create, with the bodies of a level: the host must have it. For tests and bench:
 * results must not depend on it. */
struct isa_code *isa_code_create_level(const struct isa_target *t, struct mem_vm *vm,
                                       struct loud *loud, enum isa_level level);

const struct uop *isa_code_find(struct isa_code *c, uint64_t va);
/* While waves run between these, micro-ops that a sync dropped stay alive. */
void isa_code_enter(struct isa_code *c);
void isa_code_exit(struct isa_code *c);
/* Whether the program that starts there reads TRAPSTS: its waves keep account of float exceptions. */
bool isa_code_watches(struct isa_code *c, uint64_t va);
struct loud *isa_code_loud(const struct isa_code *c);
const struct isa_target *isa_code_target(const struct isa_code *c);
/* 64 + 64 dwords: low half, high half of v. Lives as long as the cache. */
const uint32_t *isa_code_splat(struct isa_code *c, uint64_t v);
const struct isa_lanes *isa_code_lanes(const struct isa_code *c);
/* The row's function, NULL when its body is TODO; *call as in struct isa_body. */
uop_fn *isa_code_fn(const struct isa_code *c, unsigned op, bool *call);
/* The wrapper of vector micro-ops with scalar registers as sources; with `sign` also those that
 * have abs, neg, omod or clamp on f32 operands. */
uop_fn *isa_code_wrap(const struct isa_code *c, bool sign);
/* One micro-op for an instruction whose operands moved (relative registers), on the caller's
 * stack: not cached. `out` must stay where it is. */
void isa_lower(struct isa_code *c, const struct insn *in, uint64_t pc_va,
               struct uop_target *target, struct uop *out);

/* The sources of a vector micro-op as its function would see them, abs, neg, SDWA, DPP and op_sel applied (NULL: none,
 * or a mask); returns the lanes that it writes. They stay until the next micro-op. */
uint64_t isa_wrap_sources(struct wave *w, const struct uop *u, const uint32_t *src[3]);

/* The wrappers that isa_lower chooses from (exec_wrap.c). */
uop_fn isa_wrap_valu, isa_wrap_salu, isa_wrap_trap, isa_wrap_host, isa_wrap_move, isa_not_yet,
    isa_illegal, isa_fetch_fault, isa_goto;

/* ---- tables of functions ----------------------------------------------------------------- */

struct isa_body {
    uint16_t op; /* enum isa_op */
    uop_fn *fn;
    bool call;   /* CALL: takes its operands from u->in, not from u->off */
};

struct isa_body_table {
    const struct isa_body *rows;
    size_t n;
};

/* Row functions of the vector ALU files, one set for each level (see body.h). */
#define ISA_BODY_TABLES(level) \
    extern const struct isa_body_table isa_body_vop1_##level, isa_body_vop2_##level, \
        isa_body_vop3_##level, isa_body_vop3p_##level, isa_body_vopc_##level; \
    uop_fn isa_wrap_splat_##level, isa_wrap_sign_##level /* body_wrap.c */
ISA_BODY_TABLES(base);
ISA_BODY_TABLES(v3);
ISA_BODY_TABLES(v4);
/* Of all others, built once. */
extern const struct isa_body_table isa_body_sop, isa_body_mem, isa_body_mai;

/* What CALL(f) names (exec_misc.c, interp.c, mai.c). */
uop_fn op_v_nop, op_v_clrexcp, op_v_readlane_b32, op_v_writelane_b32, op_v_readfirstlane_b32,
    op_v_swap_b32, op_v_movrel_b32, op_v_mqsad_u32_u8, op_v_interp_p1_f32, op_v_interp_p2_f32,
    op_v_interp_mov_f32, op_v_interp_p1ll_f16, op_v_interp_p1lv_f16, op_v_interp_p2_f16,
    op_v_mfma, op_v_accvgpr_read_b32, op_v_accvgpr_write_b32;

#endif
