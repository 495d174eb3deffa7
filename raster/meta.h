/* Where the elements of CMASK, HTILE and DCC lie, whatever the generation: private to raster/.
 *
 * The three are the same kind of thing (a few bits for each block of a surface), but their addresses are
 * made in four ways: by tiles (GFX6 to GFX8), from the address of the data (GFX8, what the texture unit
 * can read), by the equations of GFX9, and in rows (linear, GFX6 to GFX8: a case of the first). Callers ask
 * for the nibble of an element and do not care. */
#ifndef ATOLL_RASTER_META_H
#define ATOLL_RASTER_META_H

#include "raster/access.h"

/* By tiles. As mem_cmask_init and mem_htile_init, from the surface's own tiling. */
int raster_meta_cmask_tiled(struct raster_meta *m, enum gfx gen, const struct mem_tiling *t,
                            uint32_t pitch, uint32_t height, uint32_t slices, bool linear, uint64_t va,
                            struct err *e);
int raster_meta_htile_tiled(struct raster_meta *m, enum gfx gen, const struct mem_surface *data,
                            uint32_t slices, bool linear, uint64_t va, struct err *e);

/* From the address of the data: see mem_tc_meta_nibble. `first_va` is where the data begins (level 0 of a
 * chain). The swizzle in the low bits of va is that of the data and is taken off. */
void raster_meta_follow(struct raster_meta *m, const struct mem_surface *data, uint64_t first_va,
                        unsigned element_bits, unsigned block_bytes, unsigned samples_per_split,
                        uint64_t va);

/* GFX9. `kind` as in mem.h; fills in what depends on the chip. */
int raster_meta_gfx9(struct raster_meta *m, const struct chip *chip, enum mem_meta9_kind kind,
                     const struct mem_swizzle *data, unsigned element_bits, unsigned samples,
                     bool pipe_aligned, bool rb_aligned, uint64_t va, struct err *e);

/* Number of the nibble, from m->va on, of the element of a pixel of `data`. */
uint64_t raster_meta_nibble(const struct raster_meta *m, const struct mem_surface *data, uint32_t x,
                            uint32_t y, uint32_t slice, uint32_t sample);

/* What CMASK says of a tile: cb_meta.c. */
enum { CMASK_CLEARED = 0, CMASK_IN_USE = 0xc, CMASK_EXPANDED = 0xf };

/* Samples that lie together before the tile split: what DCC's addresses need. */
unsigned raster_samples_per_split(const struct mem_surface *s);

/* ---- DCC ------------------------------------------------------------------------------------- */

/* A key is a byte for 256 bytes of colour. These are known; others are blocks that hardware
 * compressed, whose encoding nobody published. See docs/errata.md, E-dcc. */
enum {
    DCC_KEY_0000 = 0x00, DCC_KEY_SINGLE = 0x10, DCC_KEY_REG = 0x20, DCC_KEY_0001 = 0x40,
    DCC_KEY_1110 = 0x80, DCC_KEY_1111 = 0xc0, DCC_KEY_UNCOMPRESSED = 0xff
};

#define DCC_BLOCK_BYTES 256u
#define RASTER_LOUD_DCC 0x6800

/* The texel that a key of zeros and ones stands for. `extra`: the component that is alpha for the key
 * (4: there is none). False when the key is not of this kind. */
bool raster_dcc_clear_texel(uint8_t key, struct mem_format f, mem_pack_fn pack, unsigned extra,
                            uint8_t texel[16]);

/* Which component that is: the last one or the first. Formats whose components differ in size and have
 * no alpha have none. */
unsigned raster_dcc_extra(const struct mem_layout_info *l, bool alpha_on_msb);

#endif
