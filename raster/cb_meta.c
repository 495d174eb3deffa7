/* CMASK and FMASK: tiles that are only marked as cleared, and samples that share fragments.
 *
 * CMASK has a nibble for each tile of 8x8 pixels. 0: the tile is cleared, its colour is
 * CB_COLOR*_CLEAR_WORD and memory holds nothing yet. 0xc: FMASK holds nothing either, all samples are
 * fragment 0. Else it is 0xc | log2 of the fragments (at least 1: there is also "lost"). Targets with one sample
 * have 0xf. See docs/errata.md, E-cmask.
 *
 * FMASK has, for each pixel, an index for each sample: which of the stored fragments is its colour; the
 * index `fragments` says that the colour was lost (EQAA: more samples than fragments).
 *
 * DCC has a byte for each 256 bytes of colour: see meta.h. What a key stands for is decompressed where a
 * texel is read or written.
 *
 * A write allocates: samples that get the same colour share a fragment, and the lowest that no other
 * sample uses is taken (cb.c). */
#include "raster/cb.h"

#define TILE 8u

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

/* FMASK is a surface of its own: GFX6 to GFX8 give it tiling and pitch, GFX9 a swizzle mode. */
static int fmask_begin(struct raster_cb *cb, struct raster_target *t, unsigned bits, struct err *e)
{
    const struct raster_state *st = cb->st;
    const struct raster_mrt *m = t->mrt;
    const struct chip *chip = st->chip;
    struct mem_tiling tiling;

    if (st->gen == GFX9) {
        struct mem_swizzle sw = raster_swizzle(st, &m->color);

        sw.mode = (enum mem_swizzle_mode)m->fmask_sw_mode;
        sw.pitch = 0;
        return mem_surface_init_gfx9(&t->fmask, &sw, m->fmask_va, bits, 1, e);
    }
    if (mem_tiling_decode(&tiling, st->gen, chip->gb_addr_config,
                          chip->tile_modes[m->fmask_tile_mode_index], chip->macrotile_modes, bits, 1, e))
        return -1;
    /* GFX6 gives FMASK a bank height of its own; later chips take that of the macro tile table. */
    if (st->gen == GFX6)
        tiling.bank_height = 1u << m->fmask_bank_height;
    return mem_surface_init(&t->fmask, &tiling, m->fmask_va, bits, 1, m->fmask_pitch_px,
                            m->fmask_slice_px / m->fmask_pitch_px, m->color.last_slice + 1, e);
}

/* Without FMASK, CMASK of GFX9 is laid out as if there were one of a byte a pixel. */
#define CMASK_ALONE_BITS 8

static int cmask_begin(struct raster_cb *cb, struct raster_target *t, const struct mem_tiling *color,
                       unsigned fmask_bits, struct err *e)
{
    const struct raster_state *st = cb->st;
    const struct raster_mrt *m = t->mrt;

    if (st->gen == GFX9) {
        struct mem_swizzle sw = raster_swizzle(st, &m->color);

        sw.pitch = 0;
        if (t->fmask_on)
            sw.mode = (enum mem_swizzle_mode)m->fmask_sw_mode;
        return raster_meta_gfx9(&t->cmask, st->chip, MEM_META9_CMASK, &sw,
                                t->fmask_on ? fmask_bits : CMASK_ALONE_BITS, 1, m->pipe_aligned,
                                m->rb_aligned, m->cmask_va, e);
    }
    if (m->cmask_addr_type == V_CmaskAddr__CMASK_ADDR_COMPATIBLE) {
        if (!t->fmask_on)
            return err_set(e, "CMASK that the texture unit can read, without FMASK");
        raster_meta_follow(&t->cmask, &t->fmask, t->fmask.base_va, 4, 8 * fmask_bits, 1, m->cmask_va);
        return 0;
    }
    return raster_meta_cmask_tiled(&t->cmask, st->gen, color, m->color.pitch_px,
                                   m->color.slice_px / m->color.pitch_px, m->color.last_slice + 1,
                                   m->cmask_linear || m->cmask_addr_type == V_CmaskAddr__CMASK_ADDR_LINEAR,
                                   m->cmask_va, e);
}

static int dcc_begin(struct raster_cb *cb, struct raster_target *t, const struct mem_tiling *color,
                     struct err *e)
{
    const struct raster_state *st = cb->st;
    const struct raster_mrt *m = t->mrt;

    t->dcc_extra = raster_dcc_extra(t->layout, m->comp_swap <= V_SurfaceSwap__SWAP_ALT);
    if (st->gen == GFX9) {
        const struct mem_swizzle sw = raster_swizzle(st, &m->color);

        return raster_meta_gfx9(&t->dcc, st->chip, MEM_META9_DCC, &sw, t->layout->bits, t->fragments,
                                m->pipe_aligned, m->rb_aligned, m->dcc_va, e);
    }
    if (!mem_array_is_macro(color->array_mode))
        return err_set(e, "DCC with array mode %d", color->array_mode);
    raster_meta_follow(&t->dcc, &t->surface, t->surface.base_va, 8, DCC_BLOCK_BYTES,
                       raster_samples_per_split(&t->surface), m->dcc_va);
    return 0;
}

int raster_cb_meta_begin(struct raster_cb *cb, struct raster_target *t, const struct mem_tiling *color,
                         struct err *e)
{
    const struct raster_mrt *m = t->mrt;
    unsigned bits = 0;

    t->samples = 1u << m->coverage_log2;
    t->fragments = 1u << m->color.samples_log2;
    t->cmask_on = m->fast_clear || m->compression;
    t->fmask_on = m->compression && t->samples > 1;
    t->dcc_on = m->dcc;
    clear_texel(t);
    if (t->fmask_on && !mem_fmask_layout(t->samples, t->fragments, &bits, &t->sample_bits))
        return err_set(e, "FMASK of %u samples and %u fragments", t->samples, t->fragments);
    if (t->fmask_on && fmask_begin(cb, t, bits, e))
        return -1;
    if (t->cmask_on && cmask_begin(cb, t, color, bits, e))
        return -1;
    return t->dcc_on ? dcc_begin(cb, t, color, e) : 0;
}

/* ---- DCC ------------------------------------------------------------------------------------------ */

/* Blocks are always written uncompressed: CB never makes another key than 0xff, and a block with a clear
 * code gets its colour in memory before anything else happens to it. */
static uint64_t dcc_key_va(const struct raster_target *t, uint32_t x, uint32_t y, uint32_t slice,
                           unsigned fragment)
{
    return t->dcc.va + raster_meta_nibble(&t->dcc, &t->surface, x, y, slice, fragment) / 2;
}

/* The texel that every texel of a block is, by its key; `block` is the block in memory (or NULL). False
 * when memory has the texels. */
static bool dcc_texel(struct raster_cb *cb, const struct raster_target *t, uint8_t key,
                      const uint8_t *block, uint8_t texel[16])
{
    if (key == DCC_KEY_UNCOMPRESSED)
        return false;
    if (key == DCC_KEY_REG) {
        memcpy(texel, t->clear_texel, 16);
        return true;
    }
    if (key == DCC_KEY_SINGLE && block) {
        memcpy(texel, block, t->layout->bits / 8);
        return true;
    }
    if (raster_dcc_clear_texel(key, t->format, t->pack, t->dcc_extra, texel))
        return true;
    loud_report(cb->loud, LOUD_OTHER, RASTER_LOUD_DCC + key,
                "DCC key 0x%02x: a compressed block, taken as it lies in memory", key);
    return false;
}

static void dcc_block_open(struct raster_cb *cb, const struct raster_target *t, uint64_t texel_va,
                           uint32_t x, uint32_t y, uint32_t slice, unsigned fragment, bool reg_only)
{
    const uint64_t key_va = dcc_key_va(t, x, y, slice, fragment);
    const unsigned bytes = t->layout->bits / 8;
    uint8_t *key = raster_access(&cb->mem, key_va, 1, false), *b, texel[16];
    uint8_t was;

    if (!key || (was = *key) == DCC_KEY_UNCOMPRESSED || (reg_only && was != DCC_KEY_REG))
        return;
    b = raster_access(&cb->mem, texel_va & ~(uint64_t)(DCC_BLOCK_BYTES - 1), DCC_BLOCK_BYTES, true);
    if (!dcc_texel(cb, t, was, b, texel))
        b = NULL;
    for (unsigned i = 0; b && i < DCC_BLOCK_BYTES; i += bytes)
        memcpy(b + i, texel, bytes);
    if ((key = raster_access(&cb->mem, key_va, 1, true)))
        *key = DCC_KEY_UNCOMPRESSED;
}

uint8_t *raster_cb_texel(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                         uint32_t slice, unsigned fragment, bool write)
{
    const uint64_t va = t->surface.base_va + mem_surface_offset(&t->surface, x, y, slice, fragment);

    if (t->dcc_on)
        dcc_block_open(cb, t, va, x, y, slice, fragment, false);
    return raster_access(&cb->mem, va, t->layout->bits / 8, write);
}

void raster_cb_dcc_open(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                        uint32_t slice, bool all)
{
    for (unsigned f = 0; t->dcc_on && f < t->fragments; f++)
        dcc_block_open(cb, t, t->surface.base_va + mem_surface_offset(&t->surface, x, y, slice, f), x, y,
                       slice, f, !all);
}

/* ---- CMASK ---------------------------------------------------------------------------------------- */

static unsigned cmask_load(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                           uint32_t slice)
{
    const uint64_t n = raster_meta_nibble(&t->cmask, &t->fmask, x, y, slice, 0);
    const uint8_t *b = raster_access(&cb->mem, t->cmask.va + n / 2, 1, false);

    return b ? __atomic_load_n(b, __ATOMIC_RELAXED) >> (4 * (n & 1)) & 15 : CMASK_EXPANDED;
}

static void cmask_store(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                        uint32_t slice, unsigned v)
{
    const uint64_t n = raster_meta_nibble(&t->cmask, &t->fmask, x, y, slice, 0);
    uint8_t *b = raster_access(&cb->mem, t->cmask.va + n / 2, 1, true), was, now;

    if (!b)
        return;
    /* The other half may be another lane's. */
    was = __atomic_load_n(b, __ATOMIC_RELAXED);
    do
        now = (uint8_t)(n & 1 ? (was & 0x0f) | v << 4 : (was & 0xf0) | v);
    while (!__atomic_compare_exchange_n(b, &was, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
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
            uint8_t *b = raster_cb_texel(cb, t, x + i % TILE, y + i / TILE, slice, f, true);

            if (b)
                memcpy(b, t->clear_texel, bytes);
        }
    cmask_store(cb, t, x, y, slice, t->fmask_on ? CMASK_IN_USE : CMASK_EXPANDED);
    cnt->cb_eliminated++;
}

void raster_cb_peek(struct raster_cb *cb, const struct raster_target *t, uint32_t x, uint32_t y,
                    uint32_t slice, unsigned sample, uint8_t texel[16])
{
    const unsigned bytes = t->layout->bits / 8;
    uint8_t map[RASTER_SAMPLES_MAX];
    const uint8_t *b, *key;
    unsigned f;
    uint64_t va;

    if (t->cmask_on && cmask_load(cb, t, x, y, slice) == CMASK_CLEARED) {
        memcpy(texel, t->clear_texel, 16);
        return;
    }
    raster_cb_map_load(cb, t, x, y, slice, map);
    f = map[sample] < t->fragments ? map[sample] : 0;
    va = t->surface.base_va + mem_surface_offset(&t->surface, x, y, slice, f);
    memset(texel, 0, 16);
    if (t->dcc_on && (key = raster_access(&cb->mem, dcc_key_va(t, x, y, slice, f), 1, false)) &&
        dcc_texel(cb, t, *key, raster_access(&cb->mem, va & ~(uint64_t)(DCC_BLOCK_BYTES - 1),
                                             DCC_BLOCK_BYTES, false), texel))
        return;
    if ((b = raster_access(&cb->mem, va, bytes, false)))
        memcpy(texel, b, bytes);
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
    /* With one fragment there is still "lost" to be told from it. */
    cmask_store(cb, t, x, y, slice, CMASK_IN_USE | MAX2(log2u(t->fragments), 1u));
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
