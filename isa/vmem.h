/* vmem.h: vector and scalar memory instructions, as the bodies of buffer.def, flat.def and
 * smem.def call them. Private to isa/.
 *
 * Every function works on the whole wave: it forms 64 addresses, range-checks them by the rules of
 * the generation, and moves the data of the active lanes. Unmapped addresses read zero and drop
 * writes, and are recorded in the page table as faults with the instruction's PC.
 *
 * Facts: the "Vector Memory Operations", "Scalar Memory Operations" and "Flat Memory
 * Instructions" chapters of the Southern Islands, Sea Islands, Volcanic Islands and Vega ISA
 * manuals; the units of NUM_RECORDS from Mesa's radeonsi (see docs/errata.md, E-num-records). */
#ifndef ATOLL_VMEM_H
#define ATOLL_VMEM_H

#include "isa/isa.h"

/* What one element of a load or store is, in memory and in the VGPR. */
enum vmem_data {
    VM_U8, VM_S8, VM_U16, VM_S16, /* zero- or sign-extended to 32 bits; stores take the low bits */
    VM_DW,                        /* n dwords */
    /* 16-bit halves of a VGPR; the other half is kept (GFX9). Stores _HI take bits 31:16. */
    VM_U8_LO, VM_U8_HI, VM_S8_LO, VM_S8_HI, VM_B16_LO, VM_B16_HI,
};

enum vmem_atomic {
    AT_SWAP, AT_CMPSWAP, AT_ADD, AT_SUB, AT_RSUB, AT_SMIN, AT_UMIN, AT_SMAX, AT_UMAX, AT_AND,
    AT_OR, AT_XOR, AT_INC, AT_DEC, AT_FCMPSWAP, AT_FMIN, AT_FMAX, AT_ADD_F32, AT_PK_ADD_F16,
};

/* The result of an atomic on a value of 32 (`wide` false) or 64 bits. `cmp` is used by the two
 * compare-and-swap forms only. Shared with LDS, GDS and image atomics. */
uint64_t vmem_atomic_value(enum vmem_atomic op, bool wide, uint64_t old, uint64_t data,
                           uint64_t cmp);

/* f32 addition of atomics: nearest even whatever MODE says; denormals of the operands and the result
 * are kept or flushed. AT_ADD_F32 flushes (memory does), LDS follows MODE (LLVM). */
uint32_t vmem_add_f32(uint32_t a, uint32_t b, bool keep_in, bool keep_out);

/* MUBUF: n elements (n > 1 only with VM_DW); LDS, TFE, ADDR64, swizzled V#s included. */
void vmem_buffer_load(struct wave *w, const struct insn *in, enum vmem_data t, unsigned n);
void vmem_buffer_store(struct wave *w, const struct insn *in, enum vmem_data t, unsigned n);
/* buffer_store_lds_dword: LDS at M0[15:0] + offset + lane * 4 goes to memory. */
void vmem_buffer_store_lds(struct wave *w, const struct insn *in);
void vmem_buffer_atomic(struct wave *w, const struct insn *in, enum vmem_atomic op, bool wide);

/* buffer_load/store_format_*, tbuffer_*: n components; the format is the V#'s for MUBUF and the
 * instruction's for MTBUF. D16_HALVES: the VGPRs hold halves, two to a register, or one where
 * the target does not pack them (w->d16_unpacked); D16_HI: one, in bits 31:16. */
enum vmem_d16 { D16_NONE, D16_HALVES, D16_HI };
void vmem_format_load(struct wave *w, const struct insn *in, unsigned n, enum vmem_d16 d16);
void vmem_format_store(struct wave *w, const struct insn *in, unsigned n, enum vmem_d16 d16);

/* FLAT, GLOBAL, SCRATCH, told apart by in->enc. */
void vmem_flat_load(struct wave *w, const struct insn *in, enum vmem_data t, unsigned n);
void vmem_flat_store(struct wave *w, const struct insn *in, enum vmem_data t, unsigned n);
void vmem_flat_atomic(struct wave *w, const struct insn *in, enum vmem_atomic op, bool wide);

/* s_load_dword* (buffer false), s_buffer_load_dword* (true), n = 1, 2, 4, 8, 16; the stores and
 * scratch forms of GFX8/9; scalar atomics of GFX9. */
void vmem_scalar_load(struct wave *w, const struct insn *in, unsigned n, bool buffer);
void vmem_scalar_store(struct wave *w, const struct insn *in, unsigned n, bool buffer);
void vmem_scalar_atomic(struct wave *w, const struct insn *in, enum vmem_atomic op, bool wide,
                        bool buffer);
void vmem_scratch_scalar_load(struct wave *w, const struct insn *in, unsigned n);
void vmem_scratch_scalar_store(struct wave *w, const struct insn *in, unsigned n);

/* s_memtime, s_memrealtime. */
void vmem_scalar_time(struct wave *w, const struct insn *in, bool real);

/* MIMG and EXP: collect the operands and call w->ops (outside.c). */
void vmem_image(struct wave *w, const struct insn *in);
void vmem_export(struct wave *w, const struct insn *in);

/* The body of an instruction that orders or flushes what this model has no copy of (caches). */
#define NOTHING do { } while (0)

#endif
