/* Textures that are compressed: what a texel is when memory does not hold it.
 *
 * A T# with COMPRESSION_EN has metadata at META_DATA_ADDRESS: DCC of a colour image, HTILE of a depth or
 * stencil one (the micro tile order says which), CMASK of an FMASK. It is looked at for each texel, and
 * never changed: the texture unit only reads.
 *
 *   DCC     a key of zeros and ones, or the block's first texel (meta.h)
 *   HTILE   a tile that is only marked as cleared: depth is the base of the range in HTILE, which drivers
 *           that let the texture unit read it keep at 0 or 1; stencil is 0
 *   CMASK   0xc (one fragment) and 0 (cleared): all samples are fragment 0
 *
 * Also here: what a load of an FMASK returns, four bits a sample whatever memory has.
 *
 * Sources: SQ_IMG_RSRC_WORD5..7; RADV's and radeonsi's descriptors and clear values. */
#include "raster/ta_meta.h"

#define FIELD(word, field) regs_extract(im->chip->gen, F_SQ_IMG_RSRC_WORD##word##__##field, im->t[word])

/* ---- FMASK ----------------------------------------------------------------------------------- */

/* In the order of the DATA_FORMATs of GFX6 to GFX8 and of the NUM_FORMATs of GFX9. */
static const struct { uint8_t layout, samples, fragments; } fmasks[] = {
    { MEM_LAYOUT_FMASK8_S2_F1, 2, 1 },    { MEM_LAYOUT_FMASK8_S4_F1, 4, 1 },
    { MEM_LAYOUT_FMASK8_S8_F1, 8, 1 },    { MEM_LAYOUT_FMASK8_S2_F2, 2, 2 },
    { MEM_LAYOUT_FMASK8_S4_F2, 4, 2 },    { MEM_LAYOUT_FMASK8_S4_F4, 4, 4 },
    { MEM_LAYOUT_FMASK16_S16_F1, 16, 1 }, { MEM_LAYOUT_FMASK16_S8_F2, 8, 2 },
    { MEM_LAYOUT_FMASK32_S16_F2, 16, 2 }, { MEM_LAYOUT_FMASK32_S8_F4, 8, 4 },
    { MEM_LAYOUT_FMASK32_S8_F8, 8, 8 },   { MEM_LAYOUT_FMASK64_S16_F4, 16, 4 },
    { MEM_LAYOUT_FMASK64_S16_F8, 16, 8 },
};

bool raster_image_fmask(struct raster_image *im, unsigned data_format, unsigned num_format)
{
    const enum gfx gen = im->chip->gen;
    struct mem_format f;

    if (gen == GFX9) {
        /* NUM_FORMAT says which. */
        if (!mem_format_image(gen, data_format, 0, &f) || f.layout != MEM_LAYOUT_FMASK ||
            num_format >= ARRAY_LEN(fmasks))
            return false;
        f.layout = fmasks[num_format].layout;
    } else if (!mem_format_image(gen, data_format, num_format, &f)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(fmasks); i++) {
        unsigned bits;

        if (fmasks[i].layout != f.layout)
            continue;
        im->format = (struct mem_format){ f.layout, MEM_UINT };
        im->layout = mem_layout_info(f.layout);
        im->integer = true;
        im->fmask_samples = fmasks[i].samples;
        return mem_fmask_layout(fmasks[i].samples, fmasks[i].fragments, &bits, &im->fmask_bits);
    }
    return false;
}

void raster_fmask_unpack(const struct raster_image *im, const uint8_t *b, uint32_t xyzw[4])
{
    uint64_t v = 0, out = 0;

    memcpy(&v, b, im->layout->bits / 8);
    for (unsigned s = 0; s < im->fmask_samples; s++)
        out |= (v >> (s * im->fmask_bits) & ((1u << im->fmask_bits) - 1)) << (4 * s);
    xyzw[0] = (uint32_t)out;
    xyzw[1] = (uint32_t)(out >> 32);
}

/* ---- where the metadata is ---------------------------------------------------------------------- */

static bool is_depth(const struct raster_image *im, const struct mem_surface *first)
{
    if (im->chip->gen == GFX9)
        return FIELD(3, SW_MODE) != MEM_SW_LINEAR && FIELD(3, SW_MODE) % 4 == 0;
    return first->tiling.micro_mode == MEM_MICRO_DEPTH;
}

static int meta_gfx9(struct raster_image *im, uint64_t va, struct err *e)
{
    static const enum mem_meta9_kind kinds[] = { [RASTER_IMAGE_DCC] = MEM_META9_DCC,
                                                 [RASTER_IMAGE_HTILE] = MEM_META9_HTILE,
                                                 [RASTER_IMAGE_CMASK] = MEM_META9_CMASK };
    const struct mem_swizzle sw = {
        .mode = (enum mem_swizzle_mode)FIELD(3, SW_MODE), .addr_config = im->chip->gb_addr_config,
        .volume = im->is_3d, .width = im->width, .height = im->height,
        .slices = im->is_3d ? im->depth : im->last_array + 1, .levels = im->levels,
    };
    /* HTILE lies by the depth surface also for stencil: taken to have 32 bits. */
    const unsigned bits = im->compressed == RASTER_IMAGE_HTILE && im->layout->bits == 8 ? 32
                                                                                        : im->layout->bits;

    return raster_meta_gfx9(&im->meta, im->chip, kinds[im->compressed], &sw, bits,
                            im->compressed == RASTER_IMAGE_CMASK ? 1 : im->samples,
                            FIELD(5, META_PIPE_ALIGNED), FIELD(5, META_RB_ALIGNED), va, e);
}

static void meta_gfx8(struct raster_image *im, const struct mem_surface *first, uint64_t va)
{
    const unsigned per_split = raster_samples_per_split(first);

    if (im->compressed == RASTER_IMAGE_DCC)
        raster_meta_follow(&im->meta, first, first->base_va, 8, DCC_BLOCK_BYTES, per_split, va);
    else if (im->compressed == RASTER_IMAGE_HTILE)
        raster_meta_follow(&im->meta, first, first->base_va, 32, 64 * first->element_bytes * per_split,
                           per_split, va);
    else
        raster_meta_follow(&im->meta, first, first->base_va, 4, 64 * first->element_bytes, 1, va);
}

int raster_image_meta(struct raster_image *im, const struct mem_surface *first, struct err *e)
{
    const enum gfx gen = im->chip->gen;
    uint64_t va = (uint64_t)im->t[7] << 8;

    if (gen < GFX8)
        return err_set(e, "a T# of %s with COMPRESSION_EN", gfx_name(gen));
    im->compressed = im->fmask_bits ? RASTER_IMAGE_CMASK
                     : is_depth(im, first) ? RASTER_IMAGE_HTILE : RASTER_IMAGE_DCC;
    im->alpha_on_msb = FIELD(6, ALPHA_IS_ON_MSB);
    if (gen == GFX9)
        return meta_gfx9(im, va | (uint64_t)FIELD(5, META_DATA_ADDRESS) << 40, e);
    if (!mem_array_is_macro(first->tiling.array_mode)) {
        im->compressed = RASTER_IMAGE_PLAIN;
        return 0;
    }
    meta_gfx8(im, first, va);
    return 0;
}

bool raster_image_level_compressed(const struct raster_image *im, const struct mem_surface *s,
                                   const struct mem_surface *first, bool below)
{
    const uint64_t rows = (uint64_t)MAX2(first->tiling.banks, 1u) *
                          MAX2(mem_pipe_count(first->tiling.pipe_config), 1u) *
                          first->tiling.pipe_interleave_bytes;

    if (im->meta.kind != RASTER_META_FOLLOWS || s == first)
        return true;
    return below && mem_array_is_macro(s->tiling.array_mode) &&
           (s->base_va - first->base_va) / DCC_BLOCK_BYTES % rows == 0;
}

/* ---- texels ------------------------------------------------------------------------------------- */

/* Fields of the HTILE dword that matter here. */
#define HTILE_ZMASK      0xfu
#define HTILE_SMEM       0x300u
#define HTILE_BASE_SHIFT 18
#define HTILE_BASE_MAX   0x3fff

static bool texel_dcc(struct raster_image *im, struct raster_access *a, uint8_t key, uint64_t va,
                      uint32_t xyzw[4])
{
    uint8_t texel[16];
    const uint8_t *b;

    if (key == DCC_KEY_SINGLE) {
        if ((b = raster_access(a, va & ~(uint64_t)(DCC_BLOCK_BYTES - 1), im->layout->bits / 8, false)))
            im->unpack(b, xyzw);
        return true;
    }
    if (raster_dcc_clear_texel(key, im->format, im->pack, raster_dcc_extra(im->layout, im->alpha_on_msb),
                               texel)) {
        im->unpack(texel, xyzw);
        return true;
    }
    im->bad_key = key; /* the caller says so */
    im->has_bad_key = true;
    return false;
}

bool raster_texel_compressed(struct raster_image *im, struct raster_access *a,
                             const struct mem_surface *s, const struct raster_texel *at, uint32_t slice,
                             uint64_t va, uint32_t xyzw[4])
{
    const uint64_t n = raster_meta_nibble(&im->meta, s, (uint32_t)at->x, (uint32_t)at->y, slice,
                                          im->compressed == RASTER_IMAGE_DCC ? at->sample : 0);
    const uint8_t *b = raster_access(a, im->meta.va + n / 2, im->compressed == RASTER_IMAGE_HTILE ? 4 : 1,
                                     false);
    uint32_t v;

    if (!b)
        return false;
    switch (im->compressed) {
    case RASTER_IMAGE_DCC:
        return *b != DCC_KEY_UNCOMPRESSED && texel_dcc(im, a, *b, va, xyzw);
    case RASTER_IMAGE_HTILE:
        v = load_le32(b);
        if (im->layout->bits == 8) {
            if (v & HTILE_SMEM)
                return false;
            xyzw[0] = 0;
            return true;
        }
        if (v & HTILE_ZMASK)
            return false;
        xyzw[0] = f32_bits((float)(v >> HTILE_BASE_SHIFT) / HTILE_BASE_MAX);
        return true;
    default: /* CMASK */
        v = *b >> (4 * (n & 1)) & 15;
        return v == CMASK_CLEARED || v == CMASK_IN_USE; /* xyzw is zero: fragment 0 */
    }
}
