/* vmem_priv.h: shared by vmem.c, vmem_format.c and smem.c. */
#ifndef ATOLL_VMEM_PRIV_H
#define ATOLL_VMEM_PRIV_H

#include "isa/lanes.h"
#include "isa/vmem.h"

#define VMEM_VA_MASK ((UINT64_C(1) << 48) - 1)

/* A buffer descriptor, decoded. */
struct vsharp {
    uint64_t base;
    uint32_t stride, num_records;
    uint32_t index_stride, element_bytes; /* of swizzled buffers */
    uint8_t dfmt, nfmt, sel[4];
    bool swizzle, add_tid;
};

/* The addresses of an instruction's lanes, and for each dword (or component) the lanes that are
 * active and in range. */
struct lanes {
    uint64_t va[64];
    uint64_t ok[4];
};

void vmem_decode_vsharp(const struct wave *w, const uint32_t d[4], struct vsharp *v);

/* Whether NUM_RECORDS counts records (of STRIDE bytes) rather than bytes: errata, E-num-records. */
bool vmem_counts_records(const struct wave *w, const struct insn *in, const struct vsharp *v);
/* SOFFSET's value: register, constant or literal. */
uint32_t vmem_soffset(const struct wave *w, const struct insn *in);

/* Addresses and range checks of a buffer instruction that moves n elements of elem_bytes. */
void vmem_buffer_lanes(struct wave *w, const struct insn *in, const struct vsharp *v,
                       unsigned elem_bytes, unsigned n, struct lanes *l);

/* A whole wave whose lanes lie at equal distances (vmem_run.c). */
struct run {
    uint64_t va; /* of lane 0 */
    uint32_t step;
};

/* True, and *r set, when all lanes are active, at equal distances and in range: `bytes` a lane. */
bool vmem_buffer_run(const struct wave *w, const struct insn *in, const struct vsharp *v,
                     unsigned bytes, struct run *r);
/* The same for FLAT and GLOBAL, all of it in memory (no LDS, no scratch). */
bool vmem_flat_run(const struct wave *w, const struct insn *in, struct run *r);

/* n dwords a lane between VGPRs and host memory, in the order of the lanes. */
void vmem_run_load(uint32_t *out, const uint8_t *p, uint32_t step, unsigned n);
void vmem_run_store(uint8_t *p, const uint32_t *in, uint32_t step, unsigned n);

/* Host memory behind bytes at va with all of `prot`, through the wave's cached mapping; NULL where
 * mem_read / mem_write must be asked (and will record the fault). */
uint8_t *vmem_host(struct wave *w, uint64_t va, uint64_t bytes, unsigned prot);

/* The same for all of the lanes `on`, which move `bytes` each: the first byte of the lowest, and how far above
 * it each lane's lie (less than 2^31 - bytes). */
uint8_t *vmem_host_of_lanes(struct wave *w, const struct lanes *l, uint64_t on, unsigned bytes,
                            unsigned prot, uint32_t above[64]);

/* Tell w->touch of an access to host memory; false: it may not write. */
static inline bool vmem_touch(struct wave *w, const void *p, uint64_t bytes, bool write)
{
    return !w->touch || mem_touch(w->touch, p, bytes, write);
}

/* The same for a whole wave whose lane t moves `bytes` at p + t * step. */
bool vmem_touch_run(struct wave *w, const uint8_t *p, uint32_t step, unsigned bytes, bool write);

/* The same for the lanes `on`, at p + above[]. */
bool vmem_touch_lanes(struct wave *w, uint64_t on, const uint8_t *p, const uint32_t above[64], unsigned bytes,
                      bool write);

/* Give up, if w->touch asks: true when the wave may not do what cannot be taken back. */
bool vmem_gives_up(struct wave *w);

/* Up to 16 bytes of one lane, fault recorded: what is unmapped reads zero, and is not written. */
void vmem_read_lane(struct wave *w, uint64_t va, void *dst, unsigned bytes);
void vmem_write_lane(struct wave *w, uint64_t va, const void *src, unsigned bytes);

/* The 64 dwords of a VGPR operand (zeros beyond the allocation); of VGPR operand + i for writing
 * (NULL beyond it). */
const uint32_t *vmem_vgpr(const struct wave *w, unsigned opd);
uint32_t *vmem_vgpr_out(struct wave *w, unsigned opd, unsigned i);

/* Bytes of an element in memory; a loaded element as its VGPR (that held `old`) receives it; a VGPR
 * as a store sends it. */
unsigned vmem_data_bytes(enum vmem_data t);
uint32_t vmem_widen(enum vmem_data t, uint32_t m, uint32_t old);
uint32_t vmem_narrow(enum vmem_data t, uint32_t v);

void vmem_tfe(struct wave *w, unsigned dst, unsigned n);
/* Where a byte of a lane's scratch lies: vmem_scratch.c. Loads and stores of the lanes in `lanes` at
 * offsets in scratch. */
uint64_t vmem_scratch_va(const struct wave *w, uint32_t offset, unsigned lane);
void vmem_scratch_load(struct wave *w, unsigned dst, const uint64_t offset[64], uint64_t lanes,
                       enum vmem_data t, unsigned n);
void vmem_scratch_store(struct wave *w, unsigned src, const uint64_t offset[64], uint64_t lanes,
                        enum vmem_data t, unsigned n);
uint64_t vmem_atomic_host(uint8_t *p, enum vmem_atomic op, bool wide, uint64_t data,
                          uint64_t cmp);

#endif
