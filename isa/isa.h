/* isa: the GCN instruction set.
 *
 * One table (isa.def and the files it includes) has a row per instruction: four explicit opcodes,
 * operands, flags, rate and body. It expands to the decoder, the disassembler, the assembler, the
 * interpreter, the coverage counters and the generated manual. Sees base/, mem/, regs/.
 *
 * Vector, scalar and instruction memory are reached through mem/ directly (the address rules of
 * V#, FLAT and SMEM are part of the instruction set); images, exports, GDS, messages and the
 * clock belong to the device around the CU and are reached only through struct wave_ops. */
#ifndef ATOLL_ISA_H
#define ATOLL_ISA_H

#include "base/base.h"
#include "mem/mem.h"
#include "mem/touch.h"
#include "isa/insn.h" /* struct insn: the decoded instruction */
#include "isa/ids.h" /* enum isa_op: I_V_ADD_F32, ...: one per row of the table */

/* ---- decode, print, encode --------------------------------------------------------------- */

enum isa_enc {
    ENC_SOP2, ENC_SOPK, ENC_SOP1, ENC_SOPC, ENC_SOPP, ENC_SMRD, ENC_SMEM,
    ENC_VOP2, ENC_VOP1, ENC_VOPC, ENC_VOP3, ENC_VOP3P, ENC_VINTRP,
    ENC_DS, ENC_MUBUF, ENC_MTBUF, ENC_MIMG, ENC_EXP, ENC_FLAT, ENC_GLOBAL, ENC_SCRATCH, ENC_MAI, ENC_COUNT
};

/* A target as LLVM names it: "gfx704" and its generation, with the features that differ within
 * a generation (the table's per-row feature mask). Chip names ("bonaire") map to these. */
struct isa_target {
    const char *name; /* "gfx704" */
    enum gfx gen;
    uint32_t features;
};

/* By LLVM name or chip name; NULL when unknown. */
const struct isa_target *isa_target_find(const char *name);
/* The default target of a generation: gfx600, gfx704, gfx803, gfx900. */
const struct isa_target *isa_target_default(enum gfx gen);

/* The i-th target, NULL past the last. */
const struct isa_target *isa_target_at(unsigned i);

/* Decode one instruction.
 *
 *   code  host-order dwords, `ndw` readable; never reads code[ndw]
 *   out   written only on success
 *
 * Returns the dwords consumed (1..3); 0 when no row matches for the target; -1 when the
 * instruction runs past `ndw`. */
int isa_decode(const struct isa_target *t, const uint32_t *code, size_t ndw, struct insn *out);

/* LLVM's text for a decoded instruction, without newline. Branches show their distance in dwords as
 * a number; isa_list gives labels. Returns the length, as snprintf does. */
int isa_print(const struct isa_target *t, const struct insn *in, char *out, size_t out_bytes);

/* One line of LLVM's syntax to 1..3 dwords. Returns the dwords written, or -1 with *e set. */
int isa_assemble(const struct isa_target *t, const char *text, uint32_t out[4], struct err *e);

/* A program: a line an instruction, labels ("name:") that branches go to; directives (.name), comments (//, ;, #)
 * and empty lines are skipped. *out is the caller's to free. Returns 0, or -1 with *e set: "name:LINE: ...". */
int isa_assemble_program(const struct isa_target *t, const char *text, const char *name, uint32_t **out,
                         size_t *ndw, struct err *e);

/* The byte distance from the end of the instruction to where it may branch; false when it is no
 * branch or goes to an address from a register. */
bool isa_branch_distance(const struct insn *in, int64_t *bytes);

/* How many of the `ndw` dwords are the program that starts at code[0]: up to and with the first
 * s_endpgm that no branch goes past; all of them when there is none. */
size_t isa_program_dwords(const struct isa_target *t, const uint32_t *code, size_t ndw);

/* Whether waves of the program that starts at code[0] may run in any order: up to its end (as above) nothing
 * stores to memory or GDS or does atomics there, nothing goes to an address from a register, and all of it is
 * instructions. False also when it has no end. */
bool isa_program_is_pure(const struct isa_target *t, const uint32_t *code, size_t ndw);

/* Whether the program that starts at code[0] reads TRAPSTS: up to its end, and when it goes to addresses from
 * registers, anywhere from code[-before] to code[ndw - 1]. */
bool isa_program_reads_trapsts(const struct isa_target *t, const uint32_t *code, size_t before, size_t ndw);

/* Print a program, a line an instruction, with labels where branches go, and its offset and words in
 * a comment:
 *
 *         s_cbranch_execz L0018          // 000c: bf880002
 *
 * isa_assemble reads each line but those with labels; `atoll asm` reads it all. Words that are no
 * instruction give a line that starts with "error:". Returns how many of those there were. */
unsigned isa_list(const struct isa_target *t, const uint32_t *code, size_t ndw, FILE *out);

/* ---- the wave ---------------------------------------------------------------------------- */

enum isa_stage { STAGE_LS, STAGE_HS, STAGE_ES, STAGE_GS, STAGE_VS, STAGE_PS, STAGE_CS, STAGE_COUNT };

enum wave_state {
    WAVE_READY,
    WAVE_AT_BARRIER, /* s_barrier: the scheduler releases it */
    WAVE_ENDED,      /* s_endpgm */
    WAVE_HALTED,     /* s_sethalt, s_trap without a handler, an illegal instruction: see `why` */
};

/* Indices into wave.s[]: scalar operands by their encoding, so that a decoded operand is an index.
 * 0..103 SGPRs (101 on GFX8+), then the special registers. Encodings of inline constants
 * (128..208, 240..248) hold those constants as 32-bit values. */
enum {
    SREG_FLAT_SCRATCH = 102, /* GFX8+ pair; GFX7: 104 */
    SREG_VCC = 106,
    SREG_TBA = 108, SREG_TMA = 110, SREG_TTMP0 = 112, /* GFX9: trap temporaries from 108 on */
    SREG_M0 = 124,
    SREG_EXEC = 126,
    SREG_CONST = 128,
    SREG_COUNT = 256,
};

struct wave;
struct isa_image; /* operands of an image instruction; see below */

/* What a CU's surroundings do for a wave. Every member must be set. All are called on the thread
 * that runs the wave. `w->ops_ctx` is the owner's. */
struct wave_ops {
    /* MIMG: read addresses and data from, write results to, w's VGPRs. */
    void (*image)(struct wave *w, const struct isa_image *im);
    /* EXP, called once for the wave, after EXEC is known: `target` as encoded (0..7 MRT, 8 MRTZ,
     * 9 NULL, 12..15 POS, 32..63 PARAM), `en` the enable mask, src[i] 64 dwords (NULL where off). With
     * `compr` src[0], src[1] hold two halves each. The lanes that count are w->exec; with `vm`
     * EXEC is also the valid mask. */
    void (*export_)(struct wave *w, unsigned target, unsigned en, bool compr, bool done, bool vm,
                    const uint32_t *const src[4]);
    /* DS instruction with GDS set, lane after lane as the hardware orders them: the memory itself. */
    uint8_t *(*gds)(struct wave *w, uint32_t *bytes);
    /* s_sendmsg / s_sendmsghalt. */
    void (*sendmsg)(struct wave *w, uint32_t imm, uint32_t m0);
    /* s_memtime, s_memrealtime: a deterministic count. */
    uint64_t (*memtime)(struct wave *w, bool real);
    /* Ordered count, ds_gws_*: true when the wave may go on. */
    bool (*gws)(struct wave *w, unsigned op, uint32_t value);
    /* Called for each instruction when w->trace is set: before it executes (`after` false) and
     * after. */
    void (*trace)(struct wave *w, uint64_t pc_va, const struct insn *in, bool after);
};

/* Instructions executed and bytes moved, by class; summed into counters.json. */
enum isa_class {
    CLASS_VALU, CLASS_SALU, CLASS_SMEM, CLASS_VMEM_RD, CLASS_VMEM_WR, CLASS_FLAT, CLASS_LDS,
    CLASS_GDS, CLASS_EXP, CLASS_MSG, CLASS_BRANCH, CLASS_INTERP, CLASS_IMAGE, CLASS_OTHER, CLASS_COUNT
};

struct wave_counters {
    uint64_t insts[CLASS_COUNT + 1]; /* the last: what the interpreter steps over, no instructions */
    uint64_t valu_lanes;      /* sum of active lanes over VALU instructions */
    uint64_t lds_bytes, read_bytes, written_bytes, scalar_bytes;
};

struct wave {
    /* EXEC, expanded: ~0 for an active lane, 0 otherwise. Kept in step with s[126..127] by every
     * instruction that writes EXEC. */
    uint32_t lane_mask[64] __attribute__((aligned(64)));
    /* VGPR n, lane l is v[n * 64 + l]: 64-byte aligned, inside the SIMD's register file. */
    uint32_t *v;
    /* Accumulation VGPRs (gfx908), as many as num_vgprs, laid out as v: NULL until the first use.
     * wave_release() frees them. */
    uint32_t *acc;
    uint32_t num_vgprs, num_sgprs; /* allocated; an access beyond reads 0 / is dropped, reported */
    uint32_t s[SREG_COUNT];
    bool scc;
    uint64_t pc_va;   /* byte address of the next instruction */
    uint64_t insn_va; /* of the one that executes now: what faults name */

    /* Hardware registers, as s_getreg_b32 sees them (layouts: the register database). */
    uint32_t mode, status, trapsts, hw_id, gpr_alloc, lds_alloc, ib_sts;
    /* The trap handler and its memory; 0 without one. wave_reset() copies them to TBA and TMA on
     * the generations where those are scalar registers. */
    uint64_t tba_va, tma_va;

    uint8_t *lds;       /* this workgroup's allocation (for PS: its parameter space) */
    uint32_t lds_bytes; /* size of the allocation; accesses beyond are out of range */

    /* Apertures of FLAT addresses (upper 32 bits; 0 = none; SH_MEM_BASES) and where the scratch
     * of all waves starts (SH_HIDDEN_PRIVATE_BASE_VMID; GFX7/8). */
    struct {
        uint32_t shared_hi, private_hi;
        uint64_t hidden_private_va;
    } flat;

    enum gfx gen;
    enum isa_stage stage;
    enum wave_state state;
    const char *why;    /* static text when WAVE_HALTED */
    uint32_t id;        /* launch number within the device, from 1 */
    bool trace;
    bool strict_waits;  /* registers used before their data could be there are reported */
    struct isa_waits *waits; /* then: isa/waits.c's, freed by wave_release() */
    bool d16_unpacked; /* the target keeps D16 data one half to a VGPR (gfx800..gfx803) */

    struct mem_vm *vm;
    /* What the wave reads and writes is noted here, when waves run at the same time that may have to run in
     * order instead (mem/touch.h); what it does that cannot be taken back gives that up. NULL: as ever. */
    struct mem_touch *touch;
    const struct wave_ops *ops;
    void *ops_ctx;
    struct loud *loud;
    struct wave_counters counters;
    uint64_t insts_run; /* instructions since launch: what the watchdog looks at */

    /* What MODE means, taken apart when it is written. Bodies see it as `fm`. */
    struct wave_fmode {
        uint8_t round32, round64;  /* 0 nearest even, 1 +inf, 2 -inf, 3 zero */
        bool ieee, dx10_clamp;
        bool in16, out16;          /* f16 denormals are kept: as inputs, as results */
        bool in32, out32, in64, out64;
        bool minmax_flush;         /* v_min, v_max, v_med3 follow the denormal mode (GFX9) */
        uint8_t round16;           /* of results that are halves: round64, | 4 with FP16_OVFL (GFX9): what
                                    * is finite and too large gives the largest half, not infinity */
        uint8_t round_cvt16;       /* of v_cvt_f16_f32: round32 on GFX6/7, round16 later */
        int8_t frexp_special;      /* v_frexp_exp of infinities and NaNs: -1 on GFX6, 0 later */
        bool trig_reduced;         /* v_sin/v_cos take +-256 turns only (before GFX9) */
        bool int_clamp;            /* CLAMP saturates integer results (GFX8 on); before, it does nothing */
    } fm;

    /* Private to isa/. */
    struct {
        struct mem_span span[4];
        uint64_t span_epoch;
        uintptr_t base[4];         /* of operands: enum uop_base */
        uint32_t mxcsr32, mxcsr64, mxcsr_flush, mxcsr_host;
        uint32_t limits;           /* num_vgprs | num_sgprs << 16 */
        uint32_t active;           /* active lanes */
        uint64_t lanes_to;         /* how many of insts[CLASS_VALU] are in valu_lanes */
        uint8_t fast;              /* WAVE_FAST_* */
        uint64_t uncounted;        /* micro-ops that are no instructions, since isa_run began */
        bool yield;                /* isa_run returns although the wave is ready (it waits) */
        const struct isa_lanes *lanes; /* isa/lanes.h: the host level's */
        uint8_t watch;             /* float exceptions: 0 not known yet, 1 nobody looks, 2 somebody does */
        bool attention;            /* trace, relative registers, vskip, exceptions: the careful loop */
        uint32_t tmp[4][128] __attribute__((aligned(64))); /* prepared operands */
        uint32_t none[128] __attribute__((aligned(64))); /* where results beyond the allocation go */
    } priv;
};

/* Put a wave into its launch state: constants in s[], MODE from `float_mode` (PGM_RSRC1.FLOAT_MODE)
 * and the flags, EXEC = exec, everything else zero except what identifies it (v, vm, ops, gen...),
 * which the caller sets before. */
void wave_reset(struct wave *w, uint64_t pc_va, uint64_t exec, uint32_t float_mode,
                bool dx10_clamp, bool ieee);

/* tba_va and tma_va were set after wave_reset(): where they are scalar registers too. */
void isa_trap_addresses(struct wave *w);

/* What a wave has taken for itself: to be called before its struct goes, or is used anew. */
void wave_release(struct wave *w);

/* What lets a vector row take its short way (priv.fast). */
enum {
    WAVE_FAST_EXEC = 1,  /* all lanes are active */
    WAVE_FAST_FLUSH = 2, /* MODE flushes all f32 denormals */
};

/* An access of the wave found no memory: TRAPSTS says so (from GFX7 on). For isa/ and whoever
 * serves struct wave_ops. */
void isa_memory_violation(struct wave *w);

/* EXEC changes go through this (it rebuilds lane_mask). */
void wave_set_exec(struct wave *w, uint64_t exec);

static inline uint64_t wave_exec(const struct wave *w)
{
    return w->s[SREG_EXEC] | (uint64_t)w->s[SREG_EXEC + 1] << 32;
}

static inline uint64_t wave_s64(const struct wave *w, unsigned i)
{
    return w->s[i] | (uint64_t)w->s[i + 1] << 32;
}

/* ---- execution --------------------------------------------------------------------------- */

/* The cache of pre-decoded code of one device: micro-ops by VA. Shared by all waves and threads.
 * Code is compared with memory when `isa_code_sync` is called (between submissions and after
 * anything that may have written code); self-modifying code inside one wave is not seen, as on
 * hardware without s_icache_inv (which does sync). */
struct isa_code;

struct isa_code *isa_code_create(const struct isa_target *t, struct mem_vm *vm,
                                 struct loud *loud);
void isa_code_destroy(struct isa_code *c);
void isa_code_sync(struct isa_code *c);

/* Run a wave until it leaves WAVE_READY or `max_insts` more instructions have run (1 = single
 * step). Returns the number of instructions executed. Sets MXCSR for the wave's MODE and restores
 * it. An instruction that is fetched from unmapped memory, or is none, halts the wave with `why`
 * and a loud report. */
uint64_t isa_run(struct isa_code *c, struct wave *w, uint64_t max_insts);

/* ---- parameters of pixel shaders --------------------------------------------------------- */

/* v_interp_* read the parameters of a pixel wave's primitives from its LDS. M0 says where and
 * whose: bits 15..0 the byte offset of the wave's parameters, bits 30..16 the new-primitive mask:
 * bit 16 + q set means that quad q + 1 (lanes 4q + 4 ..) begins the next primitive; quad 0 begins
 * primitive 0. A wave has isa_param_prims(m0) primitives, 1..16.
 *
 * The parameters lie attribute by attribute, primitive by primitive; each is 12 dwords: P0.x, P10.x,
 * P0.y, P10.y, P0.z, P10.z, P0.w, P10.w, P20.x, P20.y, P20.z, P20.w, with P10 = P1 - P0 and P20 = P2 - P0.
 * Flat attributes have P10 = P20 = 0. Source: CLRX's description of VINTRP (confirmed on
 * hardware there); the ISA manuals say no more than "P0, P10, P20". */
#define ISA_PARAM_BYTES 48u

static inline unsigned isa_param_prims(uint32_t m0)
{
    return 1 + (unsigned)__builtin_popcount(bits(m0, 16, 30));
}

/* Byte offset, relative to M0[15:0], of a parameter: param 0 = P0, 1 = P10, 2 = P20. */
static inline uint32_t isa_param_offset(unsigned attr, unsigned prims, unsigned prim,
                                        unsigned param, unsigned chan)
{
    unsigned dw = param == 2 ? 8 + chan : 2 * chan + param;

    return ISA_PARAM_BYTES * (attr * prims + prim) + 4 * dw;
}

/* ---- images ------------------------------------------------------------------------------ */

/* What an image instruction does: the flags of its row that matter to the texture unit. The address
 * operands follow in this order: OFFSET, BIAS, CMP's reference, derivatives, coordinates (with DA
 * the slice), LOD or the level (MIP), LOD_CLAMP. */
#define ISA_IMAGE_FLAGS(F) \
    F(LOAD) F(STORE) F(ATOMIC) F(SAMPLE) F(GATHER4) F(RESINFO) F(GET_LOD) F(MIP) F(PCK) F(SGN) \
    F(CMP) F(DERIV) F(CDERIV) F(LOD) F(BIAS) F(LZ) F(LOD_CLAMP) F(OFFSET)
enum isa_image_flag_bit {
#define F(name) ISA_IMAGE_##name##_BIT,
    ISA_IMAGE_FLAGS(F)
#undef F
};
enum isa_image_flag {
#define F(name) ISA_IMAGE_##name = 1 << ISA_IMAGE_##name##_BIT,
    ISA_IMAGE_FLAGS(F)
#undef F
};

struct isa_image {
    enum isa_op op;
    uint32_t what;           /* mask of ISA_IMAGE_* */
    const struct insn *in;
    uint32_t tsharp[8];      /* r128: upper half zero */
    uint32_t ssharp[4];
    uint8_t dmask;
    bool unorm, glc, slc, da, tfe, lwe, r128, d16, a16;
    uint32_t *vdata;         /* VGPR base of data: vdata[i * 64 + lane] */
    const uint32_t *vaddr;
    unsigned vaddr_count, vdata_count; /* VGPRs that lie within the allocation */
};

#endif
