/* Metadata of surfaces: addresses by generation, and what DCC keys stand for. See meta.h.
 *
 * Sources: AMD's address library; the clear codes that RADV, radeonsi and PAL fill DCC with. */
#include "raster/meta.h"

int raster_meta_cmask_tiled(struct raster_meta *m, enum gfx gen, const struct mem_tiling *t,
                            uint32_t pitch, uint32_t height, uint32_t slices, bool linear, uint64_t va,
                            struct err *e)
{
    m->kind = RASTER_META_CMASK_TILED;
    m->va = va;
    return mem_cmask_init(&m->tiled, gen, t, pitch, height, slices, linear, e);
}

int raster_meta_htile_tiled(struct raster_meta *m, enum gfx gen, const struct mem_surface *data,
                            uint32_t slices, bool linear, uint64_t va, struct err *e)
{
    m->kind = RASTER_META_HTILE_TILED;
    m->va = va;
    return mem_htile_init(&m->tiled, gen, &data->tiling, data->pitch, data->height, slices, linear, e);
}

void raster_meta_follow(struct raster_meta *m, const struct mem_surface *data, uint64_t first_va,
                        unsigned element_bits, unsigned block_bytes, unsigned samples_per_split,
                        uint64_t va)
{
    const uint64_t align = (uint64_t)MAX2(data->tiling.banks, 1u) *
                           MAX2(mem_pipe_count(data->tiling.pipe_config), 1u) *
                           data->tiling.pipe_interleave_bytes;

    m->kind = RASTER_META_FOLLOWS;
    m->va = va & ~(align - 1);
    m->follows.first_va = first_va;
    m->follows.element_bits = element_bits;
    m->follows.block_bytes = block_bytes;
    m->follows.samples_per_split = samples_per_split;
}

int raster_meta_gfx9(struct raster_meta *m, const struct chip *chip, enum mem_meta9_kind kind,
                     const struct mem_swizzle *data, unsigned element_bits, unsigned samples,
                     bool pipe_aligned, bool rb_aligned, uint64_t va, struct err *e)
{
    const struct mem_meta9_desc d = {
        .kind = kind, .data = *data, .element_bits = element_bits, .samples = samples,
        .pipe_aligned = pipe_aligned, .rb_aligned = rb_aligned, .alias_fix = chip->ext & CHIP_EXT_META_ALIAS,
    };

    m->kind = RASTER_META_GFX9;
    return mem_meta9_init(&m->gfx9, &d, va, &m->va, e);
}

unsigned raster_samples_per_split(const struct mem_surface *s)
{
    const unsigned tile_bytes = 64 * s->element_bytes; /* of one sample */

    return MIN2(MAX2(s->tiling.tile_split_bytes / tile_bytes, 1u), s->samples);
}

uint64_t raster_meta_nibble(const struct raster_meta *m, const struct mem_surface *data, uint32_t x,
                            uint32_t y, uint32_t slice, uint32_t sample)
{
    switch (m->kind) {
    case RASTER_META_CMASK_TILED:
        return mem_cmask_nibble(&m->tiled, x, y, slice);
    case RASTER_META_HTILE_TILED:
        return mem_htile_offset(&m->tiled, x, y, slice) * 2;
    case RASTER_META_FOLLOWS:
        return mem_tc_meta_nibble(data, data->base_va - m->follows.first_va +
                                  mem_surface_offset(data, x, y, slice, sample),
                                  m->follows.element_bits, m->follows.block_bytes,
                                  m->follows.samples_per_split);
    case RASTER_META_GFX9:
        return mem_meta9_nibble(&m->gfx9, x, y, slice, sample);
    default:
        return 0;
    }
}

/* ---- DCC ------------------------------------------------------------------------------------- */

unsigned raster_dcc_extra(const struct mem_layout_info *l, bool alpha_on_msb)
{
    if (l->components == 3)
        return 4;
    return alpha_on_msb ? l->components - 1 : 0;
}

bool raster_dcc_clear_texel(uint8_t key, struct mem_format f, mem_pack_fn pack, unsigned extra,
                            uint8_t texel[16])
{
    const uint32_t one = f.num == MEM_UINT ? UINT32_MAX : f.num == MEM_SINT ? INT32_MAX : f32_bits(1.0f);
    const struct mem_layout_info *l = mem_layout_info(f.layout);
    uint32_t xyzw[4] = { 0, 0, 0, 0 };

    if (key != DCC_KEY_0000 && key != DCC_KEY_0001 && key != DCC_KEY_1110 && key != DCC_KEY_1111)
        return false;
    for (unsigned i = 0; i < l->components; i++)
        if (i == extra ? key == DCC_KEY_0001 || key == DCC_KEY_1111
                       : key == DCC_KEY_1110 || key == DCC_KEY_1111)
            xyzw[i] = one;
    memset(texel, 0, 16);
    pack(xyzw, texel);
    return true;
}
