/* block.h: what block.c and bptc.c share; private to mem/. */
#ifndef ATOLL_MEM_BLOCK_H
#define ATOLL_MEM_BLOCK_H

#include "mem/format.h"

/* One texel t = x + 4 y of a block: BC6 as R, G, B halves; BC7 as R, G, B, A of 8 bits. */
void mem_bc6_texel(const uint8_t block[16], unsigned t, bool is_signed, uint16_t rgb[3]);
void mem_bc7_texel(const uint8_t block[16], unsigned t, uint8_t rgba[4]);

#endif
