/* Scratch as FLAT and SCRATCH instructions see it: interleaved by dwords over the lanes of a wave, so that
 * the dwords of a wider access, and the parts of an unaligned one, lie 256 bytes apart (docs/errata.md,
 * E-flat-scratch). Buffer instructions reach the same memory through a swizzled V#. */
#include "isa/vmem_priv.h"

#define ROW_BYTES (64 * 4u) /* a dword of each lane */

/* The wave's own part starts at FLAT_SCRATCH: on GFX7/8 an offset in 256-byte units (high register)
 * from the hidden private base, on GFX9 a 64-bit address. */
uint64_t vmem_scratch_va(const struct wave *w, uint32_t offset, unsigned lane)
{
    unsigned reg = w->gen == GFX7 ? 104 : SREG_FLAT_SCRATCH;
    uint64_t base = w->gen == GFX9 ? wave_s64(w, reg)
                                   : w->flat.hidden_private_va + w->s[reg + 1] * UINT64_C(256);

    return base + (uint64_t)(offset / 4) * ROW_BYTES + lane * 4u + offset % 4;
}

/* Whether all lanes access the same aligned dword, so that they lie together. */
static bool one_row(const uint64_t offset[64], uint64_t lanes, enum vmem_data t)
{
    uint64_t bad = ~lanes | (t != VM_DW) | (offset[0] & 3);

    for (unsigned l = 0; l < 64; l++)
        bad |= offset[l] ^ offset[0];
    return !bad;
}

void vmem_scratch_load(struct wave *w, unsigned dst, const uint64_t offset[64], uint64_t lanes,
                       enum vmem_data t, unsigned n)
{
    const unsigned bytes = vmem_data_bytes(t) * n;

    w->counters.read_bytes += bytes * (unsigned)__builtin_popcountll(lanes);
    if (one_row(offset, lanes, t)) {
        const uint8_t *p = vmem_host(w, vmem_scratch_va(w, (uint32_t)offset[0], 0), n * ROW_BYTES, MEM_R);

        if (p)
            vmem_touch(w, p, n * ROW_BYTES, false);
        for (unsigned i = 0; p && i < n; i++) {
            uint32_t *out = vmem_vgpr_out(w, dst, i);

            if (out)
                memcpy(out, p + i * ROW_BYTES, ROW_BYTES);
        }
        if (p)
            return;
    }
    for (unsigned lane = 0; lane < 64; lane++) {
        uint32_t m[4] = {0}, at = (uint32_t)offset[lane];

        if (!(lanes >> lane & 1))
            continue;
        for (unsigned done = 0, part; done < bytes; done += part) {
            part = MIN2(4 - (at + done) % 4, bytes - done);
            vmem_read_lane(w, vmem_scratch_va(w, at + done, lane), (uint8_t *)m + done, part);
        }
        for (unsigned i = 0; i < n; i++) {
            uint32_t *out = vmem_vgpr_out(w, dst, i);

            if (out)
                out[lane] = vmem_widen(t, m[i], out[lane]);
        }
    }
}

void vmem_scratch_store(struct wave *w, unsigned src, const uint64_t offset[64], uint64_t lanes,
                        enum vmem_data t, unsigned n)
{
    const unsigned bytes = vmem_data_bytes(t) * n;

    w->counters.written_bytes += bytes * (unsigned)__builtin_popcountll(lanes);
    if (one_row(offset, lanes, t)) {
        uint8_t *p = vmem_host(w, vmem_scratch_va(w, (uint32_t)offset[0], 0), n * ROW_BYTES, MEM_W);

        const bool noted = p && vmem_touch(w, p, n * ROW_BYTES, true);

        for (unsigned i = 0; noted && i < n; i++)
            memcpy(p + i * ROW_BYTES, vmem_vgpr(w, src + i), ROW_BYTES);
        if (p)
            return;
    }
    for (unsigned lane = 0; lane < 64; lane++) {
        uint32_t m[4], at = (uint32_t)offset[lane];

        if (!(lanes >> lane & 1))
            continue;
        for (unsigned i = 0; i < n; i++)
            m[i] = vmem_narrow(t, vmem_vgpr(w, src + i)[lane]);
        for (unsigned done = 0, part; done < bytes; done += part) {
            part = MIN2(4 - (at + done) % 4, bytes - done);
            vmem_write_lane(w, vmem_scratch_va(w, at + done, lane), (uint8_t *)m + done, part);
        }
    }
}
