/* Samplers: S# decoded, the level of detail and the footprint of a filter, border colours.
 *
 * The footprint of a pixel is the parallelogram of its derivatives, in texels of the base level. Without an
 * anisotropic filter its longer side decides the level; with one, up to 16 taps lie along the longer side
 * and the level is that of a tap: the way of EXT_texture_filter_anisotropic. What hardware does there
 * beyond (COMPAT_MODE, PERF_MIP, ANISO_BIAS) is not published: docs/errata.md, E-aniso.
 *
 * Sources: SQ_IMG_SAMP_WORD* of the register database; how PAL, RADV and radeonsi fill them. */
#include "raster/raster.h"

#include <math.h>

#define FIELD(word, field) regs_extract(gen, F_SQ_IMG_SAMP_WORD##word##__##field, dw[word])

void raster_sampler_decode(struct raster_sampler *s, enum gfx gen, const uint32_t dw[4])
{
    memset(s, 0, sizeof *s);
    s->clamp[0] = FIELD(0, CLAMP_X);
    s->clamp[1] = FIELD(0, CLAMP_Y);
    s->clamp[2] = FIELD(0, CLAMP_Z);
    s->aniso_log2 = FIELD(0, MAX_ANISO_RATIO);
    s->aniso_threshold = FIELD(0, ANISO_THRESHOLD);
    s->compare = FIELD(0, DEPTH_COMPARE_FUNC);
    s->unnormalised = FIELD(0, FORCE_UNNORMALIZED);
    s->trunc_coord = FIELD(0, TRUNC_COORD);
    s->no_cube_wrap = FIELD(0, DISABLE_CUBE_WRAP);
    s->reduce = FIELD(0, FILTER_MODE);
    s->degamma = FIELD(0, FORCE_DEGAMMA);
    s->min_lod = (float)FIELD(1, MIN_LOD) / 256;
    s->max_lod = (float)FIELD(1, MAX_LOD) / 256;
    s->lod_bias = (float)sext32(FIELD(2, LOD_BIAS), 14) / 256;
    s->mag = FIELD(2, XY_MAG_FILTER);
    s->min = FIELD(2, XY_MIN_FILTER);
    s->z = FIELD(2, Z_FILTER);
    s->mip = FIELD(2, MIP_FILTER);
    s->border_type = FIELD(3, BORDER_COLOR_TYPE);
    s->border_index = FIELD(3, BORDER_COLOR_PTR);
    s->aniso_override = gen >= GFX8 && FIELD(2, ANISO_OVERRIDE);
    s->skip_degamma = gen == GFX9 && FIELD(3, SKIP_DEGAMMA);
    /* What drivers write together with MAX_ANISO_RATIO is taken as known to be harmless. */
    if (FIELD(0, MC_COORD_TRUNC))
        s->unknown = "MC_COORD_TRUNC";
    else if (FIELD(0, ANISO_BIAS) && FIELD(0, ANISO_BIAS) != s->aniso_log2)
        s->unknown = "ANISO_BIAS";
    else if (s->reduce > V_SQ_IMG_FILTER_TYPE__SQ_IMG_FILTER_MODE_MAX)
        s->unknown = "FILTER_MODE";
    else if (FIELD(1, PERF_MIP) && FIELD(1, PERF_MIP) != s->aniso_log2 + 6)
        s->unknown = "PERF_MIP";
    else if (FIELD(1, PERF_Z))
        s->unknown = "PERF_Z";
    else if (FIELD(2, LOD_BIAS_SEC))
        s->unknown = "LOD_BIAS_SEC";
    else if (FIELD(2, MIP_POINT_PRECLAMP))
        s->unknown = "MIP_POINT_PRECLAMP";
    else if (s->mip > V_SQ_TEX_MIP_FILTER__SQ_TEX_MIP_FILTER_LINEAR)
        s->unknown = "MIP_FILTER";
    else if (s->z > V_SQ_TEX_Z_FILTER__SQ_TEX_Z_FILTER_LINEAR)
        s->unknown = "Z_FILTER";
    else if (s->aniso_log2 > RASTER_ANISO_LOG2_MAX)
        s->unknown = "MAX_ANISO_RATIO";
    else if (gen == GFX9 && FIELD(2, BLEND_ZERO_PRT))
        s->unknown = "BLEND_ZERO_PRT";
    s->aniso_log2 = MIN2(s->aniso_log2, RASTER_ANISO_LOG2_MAX);
}

void raster_footprint(const struct raster_image *im, const struct raster_sampler *s, const float ddx[3],
                      const float ddy[3], struct raster_footprint *out)
{
    const unsigned base = im->is_msaa ? 0 : im->base_level;
    const double size[3] = { MAX2(im->width >> base, 1), MAX2(im->height >> base, 1),
                             MAX2(im->depth >> base, 1) };
    const bool aniso = s->aniso_log2 && ((s->mag | s->min) & 2) &&
                       !(s->aniso_override && im->base_level >= im->last_level);
    double lx = 0, ly = 0, major, minor, ratio, taps = 1;

    memset(out, 0, sizeof *out);
    for (unsigned d = 0; d < im->dims; d++) {
        double scale = s->unnormalised ? 1 : size[d], x = ddx[d] * scale, y = ddy[d] * scale;

        lx += x * x;
        ly += y * y;
    }
    major = sqrt(fmax(lx, ly));
    minor = sqrt(fmin(lx, ly));
    if (aniso && major > minor) {
        const double most = 1 << s->aniso_log2;

        ratio = minor * most > major ? major / minor : most;
        taps = fmin(fmax(ceil(ratio - s->aniso_threshold / 8.0), 1), most);
        if (!(taps >= 1 && taps <= most)) /* NaN */
            taps = 1;
        memcpy(out->axis, lx > ly ? ddx : ddy, sizeof out->axis);
    }
    out->taps = (unsigned)taps;
    out->lod = major > 0 ? (float)log2(major / taps) : -128.0f; /* NaN: no level */
}

/* A level of detail has 8 bits of fraction. */
static float quantise_lod(float lod)
{
    return lod > -128 && lod < 128 ? floorf(lod * 256 + 0.5f) / 256 : lod > 0 ? 128 : -128;
}

float raster_lod_clamp(const struct raster_image *im, const struct raster_sampler *s, float lod,
                       float instruction_min)
{
    const float first = im->is_msaa ? 0 : (float)im->base_level;

    lod = fminf(fmaxf(quantise_lod(lod), s->min_lod), s->max_lod);
    lod = fmaxf(lod, instruction_min);
    return fmaxf(lod, im->min_lod - first); /* MIN_LOD counts from level 0 */
}

float raster_lod_level(const struct raster_image *im, const struct raster_sampler *s, float lod)
{
    const float most = im->is_msaa ? 0 : (float)(im->last_level - MIN2(im->base_level, im->last_level));

    lod = lod > 0 ? fminf(quantise_lod(lod), most) : 0; /* and NaN */
    switch (s->mip) {
    case V_SQ_TEX_MIP_FILTER__SQ_TEX_MIP_FILTER_NONE: return 0;
    case V_SQ_TEX_MIP_FILTER__SQ_TEX_MIP_FILTER_LINEAR: return im->integer ? ceilf(lod + 0.5f) - 1 : lod;
    default: return ceilf(lod + 0.5f) - 1; /* halves go to the finer level */
    }
}

void raster_border_colour(const struct raster_image *im, const struct raster_sampler *s,
                          const uint32_t table[4], uint32_t out[4])
{
    /* BC_SWIZZLE: which border channel each component of the format gets. */
    static const uint8_t swizzles[][4] = {
        [V_SQ_IMG_RSRC_WORD4__BC_SWIZZLE__BC_SWIZZLE_XYZW] = { 0, 1, 2, 3 },
        [V_SQ_IMG_RSRC_WORD4__BC_SWIZZLE__BC_SWIZZLE_XWYZ] = { 0, 3, 1, 2 },
        [V_SQ_IMG_RSRC_WORD4__BC_SWIZZLE__BC_SWIZZLE_WZYX] = { 3, 2, 1, 0 },
        [V_SQ_IMG_RSRC_WORD4__BC_SWIZZLE__BC_SWIZZLE_WXYZ] = { 3, 0, 1, 2 },
        [V_SQ_IMG_RSRC_WORD4__BC_SWIZZLE__BC_SWIZZLE_ZYXW] = { 2, 1, 0, 3 },
        [V_SQ_IMG_RSRC_WORD4__BC_SWIZZLE__BC_SWIZZLE_YXWZ] = { 1, 0, 3, 2 },
    };
    const uint32_t one = im->integer ? 1 : f32_bits(1.0f);
    uint32_t c[4] = { 0, 0, 0, 0 };

    switch (s->border_type) {
    case V_SQ_TEX_BORDER_COLOR__SQ_TEX_BORDER_COLOR_OPAQUE_BLACK: c[3] = one; break;
    case V_SQ_TEX_BORDER_COLOR__SQ_TEX_BORDER_COLOR_OPAQUE_WHITE: c[0] = c[1] = c[2] = c[3] = one; break;
    case V_SQ_TEX_BORDER_COLOR__SQ_TEX_BORDER_COLOR_REGISTER: memcpy(c, table, sizeof c); break;
    }
    if (im->chip && im->chip->gen == GFX9) {
        uint32_t xyzw[4];

        for (unsigned i = 0; i < 4; i++)
            xyzw[i] = im->bc_swizzle < ARRAY_LEN(swizzles) ? c[swizzles[im->bc_swizzle][i]] : c[i];
        raster_texel_swizzle(im, xyzw, out);
        return;
    }
    /* Before, only the constants of DST_SEL apply to it: docs/errata.md, E-border. */
    for (unsigned i = 0; i < 4; i++)
        out[i] = im->dst_sel[i] == V_SQ_SEL_XYZW01__SQ_SEL_0 ? 0
                 : im->dst_sel[i] == V_SQ_SEL_XYZW01__SQ_SEL_1 ? one : c[i];
}
