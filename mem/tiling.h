/* tiling.h: what tiling.c and gfx9_swizzle.c share; private to mem/. */
#ifndef ATOLL_MEM_TILING_H
#define ATOLL_MEM_TILING_H

#include "mem/mem.h"

/* mem_surface.priv.kind */
enum { KIND_LINEAR, KIND_MICRO, KIND_MACRO, KIND_SWIZZLE };

/* Offset of an element of a GFX9 surface. The offset within a block is the exclusive or of what
 * groups of coordinate bits contribute; blocks follow each other in rows and slices. */
static inline uint64_t swizzle_offset(const struct mem_surface *s, uint32_t x, uint32_t y,
                                      uint32_t slice, uint32_t sample)
{
    uint32_t in = s->priv.sw_start ^ s->priv.sw_sample[sample & 15];
    uint64_t block;

    in ^= s->priv.sw_x[0][x & 15] ^ s->priv.sw_x[1][x >> 4 & 15] ^ s->priv.sw_x[2][x >> 8 & 15] ^
          s->priv.sw_x[3][x >> 12 & 15];
    in ^= s->priv.sw_y[0][y & 15] ^ s->priv.sw_y[1][y >> 4 & 15] ^ s->priv.sw_y[2][y >> 8 & 15] ^
          s->priv.sw_y[3][y >> 12 & 15];
    in ^= s->priv.sw_z[0][slice & 15] ^ s->priv.sw_z[1][slice >> 4 & 15] ^
          s->priv.sw_z[2][slice >> 8 & 15] ^ s->priv.sw_z[3][slice >> 12 & 15];
    /* macro_x_shift, macro_y_shift: elements of a block; macro_log2: its bytes. */
    block = s->priv.sw_first_block +
            (uint64_t)(slice >> s->priv.thickness_log2) * s->priv.slice_bytes +
            (uint64_t)(y >> s->priv.macro_y_shift) * s->priv.macros_per_row +
            (x >> s->priv.macro_x_shift);
    return in | block << s->priv.macro_log2;
}

/* What a swizzle mode is; false when there is no such mode. */
struct swizzle_props {
    unsigned block_log2;
    bool linear, z, s, xor, prt;
};
bool swizzle_props(unsigned mode, struct swizzle_props *out);

#endif
