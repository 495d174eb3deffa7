/* What cb.c and cb_meta.c share: the metadata of colour targets. Private to raster/. */
#ifndef ATOLL_RASTER_CB_H
#define ATOLL_RASTER_CB_H

#include "raster/meta.h"

/* Set up CMASK and FMASK of a target whose surface is set up. Returns 0, or -1 with *e set. */
int raster_cb_meta_begin(struct raster_cb *cb, struct raster_target *t, const struct mem_tiling *color,
                         struct err *e);

/* Make the 8x8 tile of pixel (x, y) hold what it stands for: one that is only marked as cleared gets
 * its clear colour. Counts it. */
void raster_cb_tile_open(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                         uint32_t slice, struct raster_counters *cnt);

/* Where the texel of a fragment is, for reading and (write) for writing; NULL when unmapped. With DCC the
 * block that it lies in is decompressed first, as far as memory does not hold it yet. */
uint8_t *raster_cb_texel(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                         uint32_t slice, unsigned fragment, bool write);

/* Decompress the DCC blocks of a pixel's fragments: all, or only those whose colour is in the
 * CB_COLOR*_CLEAR_WORD registers. */
void raster_cb_dcc_open(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                        uint32_t slice, bool all);

/* Which fragment each sample of a pixel has (t->fragments: none). Its tile must be open. */
void raster_cb_map_load(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                        uint32_t slice, uint8_t map[RASTER_SAMPLES_MAX]);
void raster_cb_map_store(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                         uint32_t slice, const uint8_t map[RASTER_SAMPLES_MAX]);

/* The texel of a sample as CB would see it; changes no memory. */
void raster_cb_peek(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                    uint32_t slice, unsigned sample, uint8_t texel[16]);

/* FMASK of the whole tile is in memory from here on (a tile with one fragment has none). */
void raster_cb_fmask_expand(struct raster_cb *cb, const struct raster_target *t, uint32_t x,
                            uint32_t y, uint32_t slice);

#endif
