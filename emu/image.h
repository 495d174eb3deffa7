/* What image.c and image_sample.c share: an image instruction on its way through the lanes. Private to emu/. */
#ifndef ATOLL_EMU_IMAGE_H
#define ATOLL_EMU_IMAGE_H

#include "emu/internal.h"
#include "raster/raster.h"

#define IMAGE_ADDR_MAX 16u /* offset, bias, reference, 6 derivatives, 3 coordinates, lod, clamp: 14 */

/* What an instruction works on. */
struct image_op {
    struct wave *w;
    const struct isa_image *im;
    struct atoll_gpu *gpu;
    struct raster_image image;
    struct raster_sampler sampler;
    struct raster_access mem;
    uint64_t texels;
    bool lod_warned;            /* LWE: the lane's level is below what MIN_LOD_WARN says */
    /* A sample looks at its neighbours' addresses, which the result of an earlier lane may have
     * overwritten: it works on a copy. */
    const uint32_t *vaddr;
    uint32_t copy[IMAGE_ADDR_MAX * 64];
};

/* Say that something is not modelled, once for each `what`. */
void emu_image_unknown(const struct image_op *op, unsigned what, const char *text);

/* VGPR i of the address in a lane; 0 beyond the allocation. */
static inline uint32_t image_addr(const struct image_op *op, unsigned i, unsigned lane)
{
    return i < op->im->vaddr_count ? op->vaddr[i * 64 + lane] : 0;
}

/* Write the channels of `mask` (32 bits each, as the format has them) to consecutive VGPRs, with D16 as halves; then
 * the status that TFE and LWE ask for. `missed`: memory accesses of the lane that failed. */
void emu_image_put(const struct image_op *op, unsigned lane, const uint32_t rgba[4], unsigned mask, bool missed);

/* All lanes of a sample, a gather or a GET_LOD. */
void emu_image_sample(struct image_op *op, uint64_t exec);

#endif
