/* row.h: a row of isa.def as data, for the files of isa/ that look rows up: decoder, printer,
 * assembler, interpreter set-up, counters. Not seen outside isa/.
 *
 * The names of types (T_F32), flags (IMOD) and rates (RATE_FULL) are those of the table's
 * columns; the flags are bare, so include this only where the table's columns are meant. */
#ifndef ATOLL_ISA_ROW_H
#define ATOLL_ISA_ROW_H

#include "isa/isa.h"

/* Operand types: name, bits in a register (a scalar or vector register holds 32; 0: other rules). */
#define ISA_TYPES(T) \
    T(NONE, 0) T(B8, 32) T(U8, 32) T(I8, 32) \
    T(B16, 32) T(U16, 32) T(I16, 32) T(F16, 32) \
    T(B32, 32) T(U32, 32) T(I32, 32) T(F32, 32) T(MIX, 32) \
    T(V2U16, 32) T(V2I16, 32) T(V2F16, 32) \
    T(B64, 64) T(U64, 64) T(I64, 64) T(F64, 64) T(MASK, 64) \
    T(B96, 96) T(B128, 128) T(B256, 256) T(B512, 512) T(B1024, 1024) \
    T(B16X2, 0) T(B16X3, 0) T(B16X4, 0) T(TEXEL, 0)

enum isa_type {
#define T(name, bits) T_##name,
    ISA_TYPES(T)
#undef T
    T_COUNT
};

/* Rates: name, cycles for which a wave's instruction occupies its SIMD, and whether the chip's
 * double-precision factor multiplies them (1 on the 1/2-rate chips, 2, 4, 8 on 1/4, 1/8, 1/16).
 * FMA: v_fma_f32, 4 cycles where the factor is 1, 2 or 4, else 16. MFMA: matrices. TODO: memory, not
 * yet filled in. Sources: CLRX's instruction timings; LLVM's passes for matrices. */
#define ISA_RATES(R) \
    R(TODO, 4, false) R(FULL, 4, false) R(HALF, 8, false) R(QUARTER, 16, false) \
    R(DP4, 4, true) R(DP8, 8, true) R(FMA, 4, false) R(MFMA32, 32, false) R(MFMA64, 64, false)

enum isa_rate {
#define R(name, cycles, dp) RATE_##name,
    ISA_RATES(R)
#undef R
    RATE_COUNT
};

/* Flags: bit, name, meaning. */
#define ISA_FLAGS(F) \
    /* vector ALU */ \
    F(0, IMOD)       /* takes abs and neg on its float sources */ \
    F(1, OMOD)       /* takes omod */ \
    F(2, CLAMP)      /* takes clamp (saturation, where the result is an integer) */ \
    F(3, OPSEL)      /* takes op_sel on GFX9 (VOP3P: all targets that have it) */ \
    F(4, SEXT)       /* SDWA: takes sext on its integer sources */ \
    F(5, NO_SDWA)    /* has no SDWA form */ \
    F(6, NO_SDWA9)   /* has none on GFX9 */ \
    F(7, NO_DPP)     /* has no DPP form */ \
    F(8, NO_VOP3)    /* has no VOP3 form */ \
    F(9, LITK)       /* its last source is a literal that always follows (madak) */ \
    F(10, WR_VCC)    /* second result, a mask, in sdst; VCC in the 32-bit forms */ \
    F(11, RD_VCC)    /* src[2] is a mask; VCC in the 32-bit forms */ \
    F(12, IMPL_VCC)  /* reads VCC although it is no operand */ \
    F(13, DST_SGPR)  /* dst is a scalar register */ \
    F(14, SWAP)      /* writes its source too */ \
    /* all ALU */ \
    F(15, RD_DST)    /* reads dst before it writes it */ \
    F(16, WR_SCC) \
    F(17, RD_SCC) \
    F(18, WR_EXEC)   /* writes EXEC although it is no operand */ \
    F(19, RD_M0)     /* register index relative to M0 */ \
    F(20, IMM)       /* has an immediate, insn.imm */ \
    F(21, BRANCH)    /* imm is a distance in dwords from the next instruction */ \
    F(22, JUMP)      /* goes to an address from a register */ \
    F(23, END)       /* ends the wave */ \
    /* memory */ \
    F(24, LOAD) \
    F(25, STORE) \
    F(26, ATOMIC) \
    F(27, NO_ADDR)   /* has no address operands */ \
    F(28, BUF)       /* SMEM: the base is a V# */ \
    F(29, SCR)       /* SMEM: scratch addresses */ \
    F(30, TWO)       /* DS: offset0 and offset1 */ \
    F(31, RTN)       /* DS: an atomic that returns the old value */ \
    F(32, SRC2)      /* DS: the second operand comes from LDS */ \
    F(33, GWS)       /* DS: GDS only: global wave sync, ordered count */ \
    F(34, LANES)     /* DS: moves data between lanes, no memory */ \
    F(35, FORMAT)    /* converts by a buffer format */ \
    F(36, LDS_DMA)   /* MUBUF: data goes from LDS to memory, no VGPR */ \
    F(37, D16)       /* formatted halves */ \
    F(38, D16LO)     /* writes the low half of a VGPR, keeps the other */ \
    F(39, D16HI)     /* writes (stores: reads) the high half */ \
    /* image */ \
    F(40, SAMPLE) \
    F(41, GATHER4) \
    F(42, RESINFO) \
    F(43, GET_LOD) \
    F(44, MIP)       /* the level is the last address operand */ \
    F(45, PCK)       /* raw texels */ \
    F(46, SGN)       /* raw texels, sign-extended */ \
    F(47, CMP) \
    F(48, DERIV) \
    F(49, CDERIV)    /* derivatives at reduced precision */ \
    F(50, LOD) \
    F(51, BIAS) \
    F(52, LZ) \
    F(53, LOD_CLAMP) \
    F(54, OFFSET) \
    /* encodings */ \
    F(55, LANESEL)   /* the VOP2 form's src1 is a scalar: a lane number */ \
    F(56, INTERP)    /* has attr and attr_chan */ \
    F(57, LITMID)    /* with LITK: the literal is src[1] (madmk) */ \
    /* vector ALU */ \
    F(58, FLUSH)     /* f32 denormals are flushed whatever MODE says */

enum isa_flag {
#define F(bit, name) name = UINT64_C(1) << (bit),
    ISA_FLAGS(F)
#undef F
};

/* Features of targets (struct isa_target.features) that rows need. */
enum isa_feature {
    FEAT_MAD_MIX = 1 << 0,      /* v_mad_mix*: gfx900, 902, 909 */
    FEAT_FMA_MIX = 1 << 1,      /* v_fma_mix*: gfx904, 906, 908 */
    FEAT_DL = 1 << 2,           /* v_fmac_f32, v_xnor_b32: gfx906, 908 */
    FEAT_DOT = 1 << 3,          /* v_dot*: gfx906, 908 */
    FEAT_MAI = 1 << 4,          /* what gfx908 adds */
    /* Not needed by rows, but seen in operands: */
    FEAT_XNACK = 1 << 8,        /* XNACK_MASK is a register */
    FEAT_D16_UNPACKED = 1 << 9, /* D16 loads and stores take a VGPR for each half */
};

#define ROW_NEED_SHIFT 59
#define NEED(f) ((uint64_t)FEAT_##f << ROW_NEED_SHIFT)

/* Opcodes as the columns hold them. */
enum { OP_NA = 0xffff, OP_V3 = 0x8000 };

struct isa_row {
    const char *id;    /* "V_ADD_CO_U32" */
    uint16_t op[GFX_COUNT]; /* OP_NA, or n, or OP_V3 | n */
    uint8_t enc;       /* enum isa_enc */
    uint8_t dst, src[4]; /* enum isa_type */
    uint8_t rate;      /* enum isa_rate */
    uint64_t flags;
};

/* Index: enum isa_op. Row I_NONE is all zero. */
extern const struct isa_row isa_rows[I_COUNT];

#endif
