/* CMASK and FMASK: tiles that are only marked as cleared, and samples that share fragments.
 *
 * CMASK has a nibble for each tile of 8x8 pixels. 0: the tile is cleared, its colour is
 * CB_COLOR*_CLEAR_WORD and memory holds nothing yet. Else it is 0xc | log2 of the fragments in use;
 * with one fragment (0xc) FMASK holds nothing either: all samples are fragment 0. Targets
 * with one sample have 0xf. See docs/errata.md, E-cmask.
 *
 * FMASK has, for each pixel, an index for each sample: which of the stored fragments is its colour; the
 * index `fragments` says that the colour was lost (EQAA: more samples than fragments).
 *
 * A write allocates: samples that get the same colour share a fragment, and the lowest that no other
 * sample uses is taken (cb.c). */
#include "raster/cb.h"

#define TILE 8u

enum { CMASK_CLEARED = 0, CMASK_IN_USE = 0xc, CMASK_EXPANDED = 0xf };

static unsigned log2u(unsigned v)
{
    return 31 - (unsigned)__builtin_clz(v);
}

static void clear_texel(struct raster_target *t)
{
    const uint32_t *w = t->mrt->clear_word;

    /* 128 bits: red, green and blue are the first word, alpha is the second. */
    if (t->layout->bits == 128) {
        for (unsigned i = 0; i < 4; i++)
            store_le32(t->clear_texel + 4 * i, w[i == 3]);
    } else {
        store_le32(t->clear_texel, w[0]);
        store_le32(t->clear_texel + 4, w[1]);
    }
}

int raster_cb_meta_begin(struct raster_cb *cb, struct raster_target *t, const struct mem_tiling *color,
                         struct err *e)
{
    const struct raster_state *st = cb->st;
    const struct raster_mrt *m = t->mrt;
    const struct chip *chip = st->chip;
    unsigned bits;
    struct mem_tiling tiling;

    t->samples = 1u << m->coverage_log2;
    t->fragments = 1u << m->color.samples_log2;
    t->cmask_on = m->fast_clear || m->compression;
    t->fmask_on = m->compression && t->samples > 1;
    clear_texel(t);
    if (st->gen == GFX9 && t->cmask_on) {
        t->cmask_on = t->fmask_on = false;
        return err_set(e, "CMASK and FMASK of GFX9 are not modelled");
    }
    if (t->cmask_on &&
        mem_cmask_init(&t->cmask, st->gen, color, m->color.pitch_px, m->color.slice_px / m->color.pitch_px,
                       m->color.last_slice + 1, m->cmask_linear, e))
        return -1;
    if (!t->fmask_on)
        return 0;
    if (!mem_fmask_layout(t->samples, t->fragments, &bits, &t->sample_bits))
        return err_set(e, "FMASK of %u samples and %u fragments", t->samples, t->fragments);
    if (mem_tiling_decode(&tiling, st->gen, chip->gb_addr_config,
                          chip->tile_modes[m->fmask_tile_mode_index], chip->macrotile_modes, bits, 1, e))
        return -1;
    /* GFX6 gives FMASK a bank height of its own; later chips take that of the macro tile table. */
    if (st->gen == GFX6)
        tiling.bank_height = 1u << m->fmask_bank_height;
    return mem_surface_init(&t->fmask, &tiling, m->fmask_va, bits, 1, m->fmask_pitch_px,
                            m->fmask_slice_px / m->fmask_pitch_px, m->color.last_slice + 1, e);
}

/* ---- CMASK ---------------------------------------------------------------------------------------- */

static unsigned cmask_load(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                           uint32_t slice)
{
    const uint64_t n = mem_cmask_nibble(&t->cmask, x, y, slice);
    const uint8_t *b = raster_access(&cb->mem, t->mrt->cmask_va + n / 2, 1, false);

    return b ? *b >> (4 * (n & 1)) & 15 : CMASK_EXPANDED;
}

static void cmask_store(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                        uint32_t slice, unsigned v)
{
    const uint64_t n = mem_cmask_nibble(&t->cmask, x, y, slice);
    uint8_t *b = raster_access(&cb->mem, t->mrt->cmask_va + n / 2, 1, true);

    if (b)
        *b = (uint8_t)(n & 1 ? (*b & 0x0f) | v << 4 : (*b & 0xf0) | v);
}

/* One fragment, all samples of it: FMASK has nothing to say. */
static bool one_fragment(unsigned cmask)
{
    return cmask == CMASK_IN_USE;
}

void raster_cb_tile_open(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                         uint32_t slice, struct raster_counters *cnt)
{
    const unsigned bytes = t->layout->bits / 8;
    /* Without FMASK every sample has its own place. */
    const unsigned fragments = t->fmask_on ? 1 : t->fragments;

    if (!t->cmask_on || cmask_load(cb, t, x, y, slice) != CMASK_CLEARED)
        return;
    x &= ~(TILE - 1);
    y &= ~(TILE - 1);
    for (uint32_t i = 0; i < TILE * TILE; i++)
        for (unsigned f = 0; f < fragments; f++) {
            uint8_t *b = raster_access(&cb->mem, t->surface.base_va +
                                       mem_surface_offset(&t->surface, x + i % TILE, y + i / TILE,
                                                          slice, f), bytes, true);
            if (b)
                memcpy(b, t->clear_texel, bytes);
        }
    cmask_store(cb, t, x, y, slice, t->fmask_on ? CMASK_IN_USE : CMASK_EXPANDED);
    cnt->cb_eliminated++;
}

/* ---- FMASK ---------------------------------------------------------------------------------------- */

static uint64_t fmask_load(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                           uint32_t slice)
{
    const uint8_t *b = raster_access(&cb->mem, t->fmask.base_va +
                                     mem_surface_offset(&t->fmask, x, y, slice, 0),
                                     t->fmask.element_bytes, false);
    uint64_t v = 0;

    if (b)
        memcpy(&v, b, t->fmask.element_bytes);
    return v;
}

static void fmask_store(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                        uint32_t slice, uint64_t v)
{
    uint8_t *b = raster_access(&cb->mem, t->fmask.base_va +
                               mem_surface_offset(&t->fmask, x, y, slice, 0), t->fmask.element_bytes,
                               true);

    if (b)
        memcpy(b, &v, t->fmask.element_bytes);
}

void raster_cb_map_load(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                        uint32_t slice, uint8_t map[RASTER_SAMPLES_MAX])
{
    uint64_t v = 0;

    memset(map, 0, RASTER_SAMPLES_MAX);
    if (!t->fmask_on) {
        for (unsigned s = 0; s < RASTER_SAMPLES_MAX; s++)
            map[s] = (uint8_t)(s & (t->fragments - 1));
        return;
    }
    if (!one_fragment(cmask_load(cb, t, x, y, slice)))
        v = fmask_load(cb, t, x, y, slice);
    for (unsigned s = 0; s < t->samples; s++) {
        unsigned f = (unsigned)(v >> (s * t->sample_bits)) & ((1u << t->sample_bits) - 1);
        map[s] = (uint8_t)MIN2(f, t->fragments);
    }
}

void raster_cb_fmask_expand(struct raster_cb *cb, const struct raster_target *t, uint32_t x,
                            uint32_t y, uint32_t slice)
{
    if (!t->fmask_on || !one_fragment(cmask_load(cb, t, x, y, slice)))
        return;
    x &= ~(TILE - 1);
    y &= ~(TILE - 1);
    for (uint32_t i = 0; i < TILE * TILE; i++)
        fmask_store(cb, t, x + i % TILE, y + i / TILE, slice, 0);
    cmask_store(cb, t, x, y, slice, CMASK_IN_USE | log2u(t->fragments));
}

void raster_cb_map_store(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                         uint32_t slice, const uint8_t map[RASTER_SAMPLES_MAX])
{
    uint64_t v = 0;

    for (unsigned s = 0; s < t->samples; s++)
        v |= (uint64_t)map[s] << (s * t->sample_bits);
    if (one_fragment(cmask_load(cb, t, x, y, slice))) {
        if (v == 0)
            return;
        raster_cb_fmask_expand(cb, t, x, y, slice);
    }
    fmask_store(cb, t, x, y, slice, v);
}
