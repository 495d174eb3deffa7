/* Texture data: samplers and the filter.
 *
 * Coordinates become fixed point with 8 bits of fraction, as the weights of the bilinear filter are; a
 * filter averages 1, 2, 4 or 8 texels in f32. A texel outside of the image is the border colour where the
 * clamp mode lets it be.
 *
 * Not modelled, and said by the caller (emu/image.c): anisotropic filters.
 * Sources: SQ_IMG_SAMP_WORD* of the register database; the texel filtering chapter of the Vulkan
 * specification. */
#include "raster/access.h"

#include <math.h>

#define FIELD(word, field) regs_extract(gen, F_SQ_IMG_SAMP_WORD##word##__##field, dw[word])

#define FRACTION_BITS 8
#define FRACTION_ONE  (1 << FRACTION_BITS)

void raster_sampler_decode(struct raster_sampler *s, enum gfx gen, const uint32_t dw[4])
{
    memset(s, 0, sizeof *s);
    s->clamp[0] = FIELD(0, CLAMP_X);
    s->clamp[1] = FIELD(0, CLAMP_Y);
    s->clamp[2] = FIELD(0, CLAMP_Z);
    s->aniso_log2 = FIELD(0, MAX_ANISO_RATIO);
    s->compare = FIELD(0, DEPTH_COMPARE_FUNC);
    s->unnormalised = FIELD(0, FORCE_UNNORMALIZED);
    s->trunc_coord = FIELD(0, TRUNC_COORD);
    s->no_cube_wrap = FIELD(0, DISABLE_CUBE_WRAP);
    s->reduce = FIELD(0, FILTER_MODE);
    s->min_lod = (float)FIELD(1, MIN_LOD) / 256;
    s->max_lod = (float)FIELD(1, MAX_LOD) / 256;
    s->lod_bias = (float)sext32(FIELD(2, LOD_BIAS), 14) / 256;
    s->mag = FIELD(2, XY_MAG_FILTER);
    s->min = FIELD(2, XY_MIN_FILTER);
    s->z = FIELD(2, Z_FILTER);
    s->mip = FIELD(2, MIP_FILTER);
    s->border_type = FIELD(3, BORDER_COLOR_TYPE);
    s->border_index = FIELD(3, BORDER_COLOR_PTR);
}

/* ---- coordinates -------------------------------------------------------------------------------- */

static int32_t floor_mod(int32_t a, int32_t n)
{
    int32_t m = a % n;

    return m < 0 ? m + n : m;
}

/* A texel index by the clamp mode. -1: the border. */
static int32_t wrap(int32_t i, int32_t n, uint8_t mode)
{
    switch (mode) {
    case V_SQ_TEX_CLAMP__SQ_TEX_WRAP:
        return floor_mod(i, n);
    case V_SQ_TEX_CLAMP__SQ_TEX_MIRROR:
        i = floor_mod(i, 2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case V_SQ_TEX_CLAMP__SQ_TEX_CLAMP_LAST_TEXEL:
        return i < 0 ? 0 : MIN2(i, n - 1);
    case V_SQ_TEX_CLAMP__SQ_TEX_MIRROR_ONCE_LAST_TEXEL:
        return MIN2(i < 0 ? -1 - i : i, n - 1);
    case V_SQ_TEX_CLAMP__SQ_TEX_MIRROR_ONCE_HALF_BORDER:
    case V_SQ_TEX_CLAMP__SQ_TEX_MIRROR_ONCE_BORDER:
        i = i < 0 ? -1 - i : i;
        return i < n ? i : -1;
    default: /* CLAMP_BORDER, CLAMP_HALF_BORDER */
        return i >= 0 && i < n ? i : -1;
    }
}

/* A coordinate in texels with FRACTION_BITS of fraction. Half-border modes clamp it to the edge, so
 * that at most half of the border shows. NaN is 0. */
static int32_t to_fixed(float v, uint32_t size, bool normalised, uint8_t mode, int offset)
{
    double t = normalised ? (double)v * size : v;
    double limit = 1 << 20;

    if (!(t > -limit)) /* and NaN */
        t = isnan(t) ? 0 : -limit;
    if (t > limit)
        t = limit;
    t += offset;
    if (mode == V_SQ_TEX_CLAMP__SQ_TEX_CLAMP_HALF_BORDER)
        t = fmin(fmax(t, 0), size);
    if (mode == V_SQ_TEX_CLAMP__SQ_TEX_MIRROR_ONCE_HALF_BORDER)
        t = fmin(fmax(t, -(double)size), size);
    return (int32_t)floor(t * FRACTION_ONE + 0.5);
}

/* Two neighbours along an axis and the weight of the second; one texel for a point filter. */
struct axis {
    int32_t i[2];
    float w;
    bool linear;
};

static struct axis axis(float v, uint32_t size, const struct raster_sampler *s, bool normalised,
                        unsigned which, bool linear, int offset)
{
    const uint8_t mode = s->clamp[which];
    int32_t f = to_fixed(v, size, normalised, mode, offset);
    struct axis a = { .linear = linear };

    if (!linear) {
        int32_t i = (int32_t)floor((double)f / FRACTION_ONE);

        /* The point filter looks at the coordinate itself, not at the rounded one. */
        if (!s->trunc_coord) {
            double t = normalised ? (double)v * size : v;
            if (t > -1e6 && t < 1e6)
                i = (int32_t)floor(t + offset);
        }
        a.i[0] = a.i[1] = wrap(i, (int32_t)size, mode);
        return a;
    }
    f -= FRACTION_ONE / 2;
    a.i[0] = wrap(f >> FRACTION_BITS, (int32_t)size, mode);
    a.i[1] = wrap((f >> FRACTION_BITS) + 1, (int32_t)size, mode);
    a.w = (float)(f & (FRACTION_ONE - 1)) / FRACTION_ONE;
    return a;
}

/* ---- texels --------------------------------------------------------------------------------------- */

struct tap {
    struct raster_image *im;
    const struct raster_sampler *s;
    struct raster_access *a;
    const struct raster_sample_in *in;
    const uint32_t *border;
    uint32_t level;
    unsigned fetched;
};

static bool compare(uint8_t func, float ref, float texel)
{
    switch (func) {
    case V_SQ_TEX_DEPTH_COMPARE__SQ_TEX_DEPTH_COMPARE_NEVER: return false;
    case V_SQ_TEX_DEPTH_COMPARE__SQ_TEX_DEPTH_COMPARE_LESS: return ref < texel;
    case V_SQ_TEX_DEPTH_COMPARE__SQ_TEX_DEPTH_COMPARE_EQUAL: return ref == texel;
    case V_SQ_TEX_DEPTH_COMPARE__SQ_TEX_DEPTH_COMPARE_LESSEQUAL: return ref <= texel;
    case V_SQ_TEX_DEPTH_COMPARE__SQ_TEX_DEPTH_COMPARE_GREATER: return ref > texel;
    case V_SQ_TEX_DEPTH_COMPARE__SQ_TEX_DEPTH_COMPARE_NOTEQUAL: return ref != texel;
    case V_SQ_TEX_DEPTH_COMPARE__SQ_TEX_DEPTH_COMPARE_GREATEREQUAL: return ref >= texel;
    default: return true;
    }
}

static void fetch(struct tap *t, int32_t x, int32_t y, int32_t z, uint32_t out[4])
{
    uint32_t xyzw[4];

    if (x < 0 || y < 0 || z < 0) {
        memcpy(out, t->border, 4 * sizeof *out);
    } else {
        t->fetched++;
        raster_texel_load(t->im, t->a, &(struct raster_texel){ x, y, z, 0, t->level }, xyzw);
        raster_texel_swizzle(t->im, xyzw, out);
    }
    if (t->in->compare) {
        bool pass = compare(t->s->compare, t->in->ref, bits_f32(out[0]));

        out[0] = f32_bits(pass ? 1.0f : 0.0f);
        out[1] = out[2] = 0;
        out[3] = f32_bits(1.0f);
    }
}

static float mix(float a, float b, float w)
{
    return a + (b - a) * w;
}

/* Filter one level. */
static void sample_level(struct tap *t, bool linear, uint32_t out[4])
{
    const struct raster_image *im = t->im;
    const struct raster_sampler *s = t->s;
    const struct raster_sample_in *in = t->in;
    const bool normalised = !s->unnormalised;
    const bool z_linear = im->is_3d && linear && s->z != V_SQ_TEX_Z_FILTER__SQ_TEX_Z_FILTER_POINT;
    struct axis x, y = { .i = { 0, 0 } }, z = { .i = { 0, 0 } };
    uint32_t texel[2][2][2][4];

    x = axis(in->coord[0], MAX2(im->width >> t->level, 1), s, normalised, 0, linear, in->offset[0]);
    if (im->dims > 1)
        y = axis(in->coord[1], MAX2(im->height >> t->level, 1), s, normalised, 1, linear,
                 in->offset[1]);
    if (im->is_3d) {
        z = axis(in->coord[2], MAX2(im->depth >> t->level, 1), s, normalised, 2, z_linear,
                 in->offset[2]);
    } else if (im->is_array) {
        float slice = rintf(in->coord[2]), last = (float)(im->last_array - im->base_array);

        z.i[0] = z.i[1] = slice > 0 ? (int32_t)(slice < last ? slice : last) : 0;
    }
    for (unsigned k = 0; k <= (unsigned)z.linear; k++)
        for (unsigned j = 0; j <= (unsigned)y.linear; j++)
            for (unsigned i = 0; i <= (unsigned)x.linear; i++)
                fetch(t, x.i[i], y.i[j], z.i[k], texel[k][j][i]);
    if (in->gather) {
        /* In the order of the lower left, lower right, upper right, upper left texels. */
        out[0] = texel[0][1][0][in->channel];
        out[1] = texel[0][1][1][in->channel];
        out[2] = texel[0][0][1][in->channel];
        out[3] = texel[0][0][0][in->channel];
        return;
    }
    if (!linear) {
        memcpy(out, texel[0][0][0], 4 * sizeof *out);
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        float plane[2] = { 0, 0 };

        for (unsigned k = 0; k <= (unsigned)z.linear; k++) {
            float row[2];

            for (unsigned j = 0; j <= (unsigned)y.linear; j++)
                row[j] = mix(bits_f32(texel[k][j][0][c]), bits_f32(texel[k][j][1][c]), x.w);
            plane[k] = y.linear ? mix(row[0], row[1], y.w) : row[0];
        }
        out[c] = f32_bits(z.linear ? mix(plane[0], plane[1], z.w) : plane[0]);
    }
}

unsigned raster_sample(struct raster_image *im, const struct raster_sampler *s,
                       struct raster_access *a, const struct raster_sample_in *in,
                       const uint32_t border[4], uint32_t out[4])
{
    struct tap t = { .im = im, .s = s, .a = a, .in = in, .border = border };
    const uint8_t filter = in->lod <= 0 ? s->mag : s->min;
    const bool linear = in->gather || ((filter & 1) && !im->integer); /* BILINEAR, ANISO_BILINEAR */
    const float most = (float)(im->last_level - MIN2(im->base_level, im->last_level));
    float lod = in->lod > 0 ? fminf(in->lod, most) : 0; /* and NaN */
    uint32_t next[4];
    float w;

    if (im->null) {
        memset(out, 0, 4 * sizeof *out);
        return 0;
    }
    t.level = im->is_msaa ? 0 : im->base_level;
    if (im->is_msaa || in->gather || s->mip == V_SQ_TEX_MIP_FILTER__SQ_TEX_MIP_FILTER_NONE) {
        sample_level(&t, linear, out);
        return t.fetched;
    }
    if (s->mip != V_SQ_TEX_MIP_FILTER__SQ_TEX_MIP_FILTER_LINEAR || im->integer) {
        t.level += (uint32_t)ceilf(lod + 0.5f) - 1; /* halves go to the finer level */
        sample_level(&t, linear, out);
        return t.fetched;
    }
    t.level += (uint32_t)lod;
    w = floorf((lod - floorf(lod)) * FRACTION_ONE) / FRACTION_ONE;
    sample_level(&t, linear, out);
    if (w > 0) {
        t.level++;
        sample_level(&t, linear, next);
        for (unsigned c = 0; c < 4; c++)
            out[c] = f32_bits(mix(bits_f32(out[c]), bits_f32(next[c]), w));
    }
    return t.fetched;
}
