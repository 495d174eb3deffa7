/* Texture addressing: descriptors of images, and single texels.
 *
 * A T# is decoded once for an instruction; its tiling comes from the chip's tables by TILING_INDEX, its
 * format from DATA_FORMAT and NUM_FORMAT. Loads, stores and the filter (td.c) all go through the two
 * functions for one texel here.
 *
 * Images with metadata: ta_meta.c. Elements that hold several texels (BC, GB_GR, bitmaps) are read only.
 *
 * Sources: the image resource tables of the ISA manuals; the register database (SQ_IMG_RSRC_WORD*). */
#include "raster/ta_meta.h"

#define FIELD(word, field, v) regs_extract(chip->gen, F_SQ_IMG_RSRC_##word##__##field, v)

static uint32_t elements(uint32_t texels, uint32_t per_element)
{
    return (texels + per_element - 1) / per_element;
}

/* The surface of one level. */
static int level_init(struct raster_image *im, unsigned level, struct err *e)
{
    const struct chip *chip = im->chip;
    const uint32_t *t = im->t;
    const uint64_t va = ((uint64_t)FIELD(WORD1, BASE_ADDRESS_HI, t[1]) << 32 | t[0]) << 8;
    const uint32_t pitch = FIELD(WORD4, PITCH, t[4]) + 1;
    const uint32_t slices = im->is_3d ? im->depth : im->last_array + 1;
    struct mem_surface *s = &im->level[level];

    if (chip->gen == GFX9) {
        const struct mem_swizzle sw = {
            .mode = (enum mem_swizzle_mode)FIELD(WORD3, SW_MODE, t[3]),
            .addr_config = chip->gb_addr_config, .volume = im->is_3d,
            .width = elements(im->width, im->element_width),
            .height = elements(im->height, im->element_height), .slices = slices,
            .pitch = im->levels == 1 ? pitch : 0, .levels = im->levels, .level = level,
        };

        return mem_surface_init_gfx9(s, &sw, va, im->element_bits, im->samples, e);
    }
    if (im->is_msaa) {
        struct mem_tiling tiling;
        uint32_t height;

        if (mem_tiling_decode(&tiling, chip->gen, chip->gb_addr_config,
                              chip->tile_modes[FIELD(WORD3, TILING_INDEX, t[3])],
                              chip->macrotile_modes, im->element_bits, im->samples, e) ||
            mem_surface_init(s, &tiling, va, im->element_bits, im->samples, pitch, im->height, slices,
                             e))
            return -1;
        /* The size of a slice counts whole macro tiles. */
        height = (uint32_t)align_up(im->height, s->macro_height ? s->macro_height : 1);
        return mem_surface_init(s, &tiling, va, im->element_bits, im->samples, pitch, height, slices, e);
    }
    const struct mem_mips mips = {
        .gen = chip->gen, .addr_config = chip->gb_addr_config,
        .tile_mode = chip->tile_modes[FIELD(WORD3, TILING_INDEX, t[3])],
        .macrotile_modes = chip->macrotile_modes, .element_bits = im->element_bits,
        .block_width = im->element_width, .block_height = im->element_height, .width = im->width, .height = im->height, .pitch = pitch,
        .slices = slices, .volume = im->is_3d, .pow2_pad = FIELD(WORD3, POW2_PAD, t[3]),
    };

    return mem_mip_surface(s, &mips, va, level, e);
}

int raster_image_decode(struct raster_image *im, const struct chip *chip, const uint32_t t[8],
                        struct err *e)
{
    const uint32_t data = FIELD(WORD1, DATA_FORMAT, t[1]), num = FIELD(WORD1, NUM_FORMAT, t[1]);

    /* level[] is filled as it is used. */
    memset(im, 0, offsetof(struct raster_image, level));
    im->chip = chip;
    memcpy(im->t, t, sizeof im->t);
    im->type = FIELD(WORD3, TYPE, t[3]);
    im->null = im->type < V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_1D || data == 0;
    if (im->null)
        return 0;
    switch (im->type) {
    case V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_1D_ARRAY: im->is_array = true; /* fall through */
    case V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_1D: im->dims = 1; break;
    case V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_3D: im->is_3d = true; im->dims = 3; break;
    case V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_CUBE: im->is_cube = im->is_array = true; im->dims = 2; break;
    case V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_2D_MSAA_ARRAY: im->is_array = true; /* fall through */
    case V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_2D_MSAA: im->is_msaa = true; im->dims = 2; break;
    case V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_2D_ARRAY: im->is_array = true; /* fall through */
    default: im->dims = 2; break;
    }
    im->width = FIELD(WORD2, WIDTH, t[2]) + 1;
    im->height = im->dims > 1 ? FIELD(WORD2, HEIGHT, t[2]) + 1 : 1;
    im->depth = im->is_3d ? FIELD(WORD4, DEPTH, t[4]) + 1 : 1;
    im->base_array = FIELD(WORD5, BASE_ARRAY, t[5]);
    /* GFX9 has the last slice in DEPTH. */
    im->last_array = im->is_3d ? 0 : chip->gen == GFX9 ? FIELD(WORD4, DEPTH, t[4])
                                                       : FIELD(WORD5, LAST_ARRAY, t[5]);
    im->base_level = FIELD(WORD3, BASE_LEVEL, t[3]);
    im->last_level = FIELD(WORD3, LAST_LEVEL, t[3]);
    im->levels = im->is_msaa ? 1 : chip->gen == GFX9 ? FIELD(WORD5, MAX_MIP, t[5]) + 1
                                                     : im->last_level + 1;
    im->samples = im->is_msaa ? 1u << MIN2(im->last_level, 4) : 1;
    im->min_lod = (float)FIELD(WORD1, MIN_LOD, t[1]) / 256;
    im->min_lod_warn = (float)FIELD(WORD6, MIN_LOD_WARN, t[6]) / 256;
    im->bc_swizzle = chip->gen == GFX9 ? FIELD(WORD4, BC_SWIZZLE, t[4]) : 0;
    if (chip->gen < GFX9 && FIELD(WORD2, INTERLACED, t[2]))
        im->unknown = "INTERLACED";
    else if (FIELD(WORD6, LOD_HDW_CNT_EN, t[6]))
        im->unknown = "LOD_HDW_CNT_EN";
    else if (chip->gen == GFX9 && FIELD(WORD5, ARRAY_PITCH, t[5]))
        im->unknown = "ARRAY_PITCH";
    else if (chip->gen == GFX9 && FIELD(WORD5, META_LINEAR, t[5]))
        im->unknown = "META_LINEAR";
    im->dst_sel[0] = FIELD(WORD3, DST_SEL_X, t[3]);
    im->dst_sel[1] = FIELD(WORD3, DST_SEL_Y, t[3]);
    im->dst_sel[2] = FIELD(WORD3, DST_SEL_Z, t[3]);
    im->dst_sel[3] = FIELD(WORD3, DST_SEL_W, t[3]);
    if (!raster_image_fmask(im, data, num) && (!mem_format_image(chip->gen, data, num, &im->format) ||
        (!(im->unpack = mem_unpacker(im->format)) && !(im->block = mem_block_unpacker(im->format)))))
        return err_set(e, "image DATA_FORMAT %u, NUM_FORMAT %u is not modelled", data, num);
    im->pack = mem_packer(im->format);
    im->layout = mem_layout_info(im->format.layout);
    /* Before GFX9, texels that share their chroma are tiled as elements of 16 bits; pairs lie together. */
    im->paired = im->layout->kind == MEM_KIND_SUBSAMPLED && chip->gen < GFX9;
    im->element_bits = im->paired ? im->layout->bits / 2 : im->layout->bits;
    im->element_width = im->paired ? 1 : im->layout->block_width;
    im->element_height = im->layout->block_height;
    im->integer = im->format.num == MEM_UINT || im->format.num == MEM_SINT;
    const unsigned first = im->is_msaa || FIELD(WORD6, COMPRESSION_EN, t[6]) ? 0 : im->base_level;

    if (level_init(im, first, e))
        return -1;
    im->levels_ready = 1u << first;
    if (FIELD(WORD6, COMPRESSION_EN, t[6]) && im->block)
        return err_set(e, "COMPRESSION_EN in a T# of blocks (DATA_FORMAT %u)", data);
    if (FIELD(WORD6, COMPRESSION_EN, t[6])) {
        if (raster_image_meta(im, &im->level[0], e))
            return -1;
        im->levels_compressed = im->compressed != RASTER_IMAGE_PLAIN;
    }
    return 0;
}

bool raster_image_degamma(struct raster_image *im, bool on)
{
    const struct mem_format f = { im->format.layout, on ? MEM_SRGB : MEM_UNORM };
    const mem_unpack_fn unpack = mem_unpacker(f);
    const mem_block_fn block = mem_block_unpacker(f);

    if (im->format.num != (on ? MEM_UNORM : MEM_SRGB) || (!unpack && !block))
        return false;
    im->format = f;
    im->unpack = unpack;
    im->block = block;
    return true;
}

static const struct mem_surface *level_of(struct raster_image *im, uint32_t level)
{
    struct err e;

    if (level >= RASTER_LEVELS || im->levels_bad >> level & 1)
        return NULL;
    if (!(im->levels_ready >> level & 1)) {
        if (level_init(im, level, &e)) {
            im->levels_bad |= 1u << level;
            return NULL;
        }
        im->levels_ready |= 1u << level;
        if (im->compressed && level && level_of(im, level - 1) &&
            raster_image_level_compressed(im, &im->level[level], &im->level[0],
                                          im->levels_compressed >> (level - 1) & 1))
            im->levels_compressed |= 1u << level;
    }
    return &im->level[level];
}

/* Address of a texel; false when it lies outside. */
static bool texel_va(struct raster_image *im, const struct raster_texel *at, uint64_t *va,
                     uint32_t *slice_out)
{
    const uint32_t level = at->level;
    const struct mem_surface *s;
    uint32_t slice = (uint32_t)at->z;

    if (im->null || level >= RASTER_LEVELS || (!im->is_msaa && level > im->last_level) ||
        (uint32_t)at->x >= MAX2(im->width >> level, 1) ||
        (uint32_t)at->y >= MAX2(im->height >> level, 1) || at->sample >= im->samples)
        return false;
    if (im->is_3d) {
        if (slice >= MAX2(im->depth >> level, 1))
            return false;
    } else {
        slice += im->base_array;
        if (at->z < 0 || slice > im->last_array)
            return false;
    }
    if (!(s = level_of(im, level)))
        return false;
    *va = s->base_va + mem_surface_offset(s, im->paired ? (uint32_t)at->x & ~1u
                                                        : (uint32_t)at->x / im->element_width,
                                          (uint32_t)at->y / im->element_height, slice, at->sample);
    *slice_out = slice;
    return true;
}

bool raster_texel_load(struct raster_image *im, struct raster_access *a, const struct raster_texel *at,
                       uint32_t xyzw[4])
{
    uint32_t slice;
    uint8_t *b;
    uint64_t va;

    memset(xyzw, 0, 4 * sizeof *xyzw);
    if (!texel_va(im, at, &va, &slice))
        return false;
    if (im->levels_compressed >> at->level & 1 &&
        raster_texel_compressed(im, a, &im->level[at->level], at, slice, va, xyzw))
        return true;
    if (!(b = raster_access(a, va, im->layout->bits / 8, false)))
        return true;
    if (im->fmask_bits)
        raster_fmask_unpack(im, b, xyzw);
    else if (im->block)
        im->block(b, (uint32_t)at->x % im->layout->block_width, (uint32_t)at->y % im->layout->block_height,
                  xyzw);
    else
        im->unpack(b, xyzw);
    return true;
}

void raster_texel_store(struct raster_image *im, struct raster_access *a, const struct raster_texel *at,
                        const uint32_t xyzw[4])
{
    uint32_t slice;
    uint8_t *b;
    uint64_t va;

    if (texel_va(im, at, &va, &slice) && im->pack && (b = raster_access(a, va, im->layout->bits / 8, true)))
        im->pack(xyzw, b);
}

uint8_t *raster_texel_ptr(struct raster_image *im, struct raster_access *a,
                          const struct raster_texel *at, bool write)
{
    uint32_t slice;
    uint64_t va;

    return texel_va(im, at, &va, &slice) ? raster_access(a, va, im->layout->bits / 8, write) : NULL;
}

void raster_texel_swizzle(const struct raster_image *im, const uint32_t xyzw[4], uint32_t out[4])
{
    for (unsigned i = 0; i < 4; i++)
        switch (im->dst_sel[i]) {
        case V_SQ_SEL_XYZW01__SQ_SEL_1:
            out[i] = im->integer ? 1 : f32_bits(1.0f);
            break;
        case V_SQ_SEL_XYZW01__SQ_SEL_X:
        case V_SQ_SEL_XYZW01__SQ_SEL_Y:
        case V_SQ_SEL_XYZW01__SQ_SEL_Z:
        case V_SQ_SEL_XYZW01__SQ_SEL_W:
            out[i] = xyzw[im->dst_sel[i] - V_SQ_SEL_XYZW01__SQ_SEL_X];
            break;
        default:
            out[i] = 0;
            break;
        }
}

void raster_texel_unswizzle(const struct raster_image *im, const uint32_t rgba[4], uint32_t xyzw[4])
{
    memset(xyzw, 0, 4 * sizeof *xyzw);
    for (unsigned k = 4; k--;) {
        const unsigned x = im->dst_sel[k] - V_SQ_SEL_XYZW01__SQ_SEL_X;

        if (im->dst_sel[k] >= V_SQ_SEL_XYZW01__SQ_SEL_X && x < 4)
            xyzw[x] = rgba[k];
    }
}
