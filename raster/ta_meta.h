/* Compressed textures: what ta.c asks of ta_meta.c. Private to raster/. */
#ifndef ATOLL_RASTER_TA_META_H
#define ATOLL_RASTER_TA_META_H

#include "raster/meta.h"

/* Whether the formats of a T# say FMASK; if so, they are in *im. */
bool raster_image_fmask(struct raster_image *im, unsigned data_format, unsigned num_format);
/* An FMASK element as a load returns it: four bits for each sample in xyzw[0] and xyzw[1]. */
void raster_fmask_unpack(const struct raster_image *im, const uint8_t *b, uint32_t xyzw[4]);

/* Set up the metadata of a T# with COMPRESSION_EN; `first` is its level 0. Returns 0, or -1 with *e set. */
int raster_image_meta(struct raster_image *im, const struct mem_surface *first, struct err *e);

/* Whether level `s` has metadata; `below`: the level before it has. */
bool raster_image_level_compressed(const struct raster_image *im, const struct mem_surface *s,
                                   const struct mem_surface *first, bool below);

/* The texel at `va`, if metadata says what it is; false: memory does. */
bool raster_texel_compressed(struct raster_image *im, struct raster_access *a,
                             const struct mem_surface *s, const struct raster_texel *at, uint32_t slice,
                             uint64_t va, uint32_t xyzw[4]);

#endif
