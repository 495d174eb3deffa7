/* lds.h: the bodies of ds.def: LDS, GDS and lane swizzles. Private to isa/.
 *
 * Addresses: an access outside the allocation (on GFX6..8 also at or above M0, which the
 * instructions use as a limit in bytes) reads zero and writes nothing. Before GFX9 an address is
 * aligned down to the element; GFX9 takes it as it is. With GDS set, M0[31:16] is the base and
 * M0[15:0] the size of the region. Lanes are served in ascending order.
 * Source: the "Data Share" chapters of the four ISA manuals. */
#ifndef ATOLL_LDS_H
#define ATOLL_LDS_H

#include "isa/vmem.h"

/* ds_read_*, ds_write_*: n elements of type t; the two-address forms with their stride in
 * elements (1, or 64 for ST64). */
void lds_read(struct wave *w, const struct insn *in, enum vmem_data t, unsigned n);
void lds_write(struct wave *w, const struct insn *in, enum vmem_data t, unsigned n);
void lds_read2(struct wave *w, const struct insn *in, bool wide, unsigned stride);
void lds_write2(struct wave *w, const struct insn *in, bool wide, unsigned stride);

/* ds_OP and ds_OP_rtn. The compare forms take the comparand first (data), then the value (data1). */
enum lds_atomic {
    LDS_PLAIN,   /* vmem_atomic_value with `op` */
    LDS_MSKOR,   /* (old & ~data) | data1 */
    LDS_WRAP,    /* old >= data ? old - data : old + data1 */
    LDS_CONDXCHG /* two dwords, each replaced by data's low 31 bits where data's bit 31 is set */
};
void lds_atomic(struct wave *w, const struct insn *in, enum lds_atomic kind, enum vmem_atomic op,
                bool wide);
void lds_wrxchg2(struct wave *w, const struct insn *in, bool wide, unsigned stride);

/* ds_OP_src2: the second operand lies in LDS too; write_src2 with op = AT_SWAP. */
void lds_src2(struct wave *w, const struct insn *in, enum vmem_atomic op, bool wide);

void lds_append(struct wave *w, const struct insn *in, bool consume);
void lds_addtid(struct wave *w, const struct insn *in, bool write);

void lds_swizzle(struct wave *w, const struct insn *in);
void lds_permute(struct wave *w, const struct insn *in, bool backward);

void lds_ordered_count(struct wave *w, const struct insn *in);

/* ds_gws_*: asks w->ops->gws; a wave that may not go on repeats the
 * instruction. `op` is the GFX9 opcode, as struct wave_ops says. */
void lds_gws(struct wave *w, const struct insn *in, unsigned op);

#endif
