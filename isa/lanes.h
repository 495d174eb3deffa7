/* lanes.h: what memory instructions do to all 64 lanes at once, built for each level of the host's instruction
 * set (body_lanes.c; body.h says how). struct wave points at the level's (priv.lanes); the results are the same
 * at every level. Private to isa/. */
#ifndef ATOLL_LANES_H
#define ATOLL_LANES_H

#include "isa/isa.h"

struct isa_lanes {
    /* out[t] = (addr[t] + offset) & mask; the lanes where that is at most `end`. */
    uint64_t (*offsets)(uint32_t out[64], const uint32_t addr[64], uint32_t offset, uint32_t mask, uint32_t end);
    /* v[t] = v[0] + t * *step, with a step worth having? */
    bool (*affine)(const uint32_t v[64], uint32_t *step);
    /* va[t] = lo[t] + hi[t] * 2^32 + offset. Lanes whose upper half is then that of an aperture (0: there is
     * none) are in *shared, *priv. */
    void (*flat)(uint64_t va[64], const uint32_t lo[64], const uint32_t hi[64], uint64_t offset, uint32_t shared_hi,
                 uint32_t private_hi, uint64_t *shared, uint64_t *priv);
    /* The lowest and highest va of the lanes `on` (not none); what each lies above the lowest, all 64 of them. */
    void (*span)(const uint64_t va[64], uint64_t on, uint64_t *lo, uint64_t *hi, uint32_t above[64]);
    /* A dword of each lane that is on, at p + at[t] (below 2^31), to out[t]; from in[t]. Where lanes
     * overlap, the last one's stays. */
    void (*gather)(uint32_t out[64], const uint8_t *p, const uint32_t at[64], uint64_t on);
    void (*scatter)(uint8_t *p, const uint32_t at[64], const uint32_t in[64], uint64_t on);
};

extern const struct isa_lanes isa_lanes_base, isa_lanes_v3, isa_lanes_v4;

#endif
