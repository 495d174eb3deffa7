/* Texture data: the filter.
 *
 * Coordinates become fixed point with 8 bits of fraction, as the weights of the bilinear filter are; a
 * filter averages 1, 2, 4 or 8 texels in f32 (or takes the least or greatest of those with a weight), between
 * two levels and along the taps of an anisotropic footprint again. A texel outside of the image is the border
 * colour where the clamp mode lets it be; of a cube it lies on the next face, and where three faces meet it
 * is the average of the other three.
 *
 * Before GFX9, integer formats are never filtered, and a gather of one begins at the texel of the coordinate
 * itself instead of half a texel before (drivers make up for it).
 *
 * Sources: the texel filtering chapter of the Vulkan specification; Mesa's comments on gathers. */
#include "raster/access.h"

#include <math.h>

#define FRACTION_BITS 8
#define FRACTION_ONE  (1 << FRACTION_BITS)

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

static bool is_half_border(uint8_t mode)
{
    return mode == V_SQ_TEX_CLAMP__SQ_TEX_CLAMP_HALF_BORDER ||
           mode == V_SQ_TEX_CLAMP__SQ_TEX_MIRROR_ONCE_HALF_BORDER;
}

/* A coordinate in texels. Half-border modes clamp it to the edge, so that at most half of the border
 * shows. NaN is 0. */
static double to_texels(float v, uint32_t size, bool normalised, uint8_t mode, int offset)
{
    const double limit = 1 << 20;
    double t = normalised ? (double)v * size : v;

    if (!(t > -limit)) /* and NaN */
        t = isnan(t) ? 0 : -limit;
    if (t > limit)
        t = limit;
    t += offset;
    if (mode == V_SQ_TEX_CLAMP__SQ_TEX_CLAMP_HALF_BORDER)
        t = fmin(fmax(t, 0), size);
    if (mode == V_SQ_TEX_CLAMP__SQ_TEX_MIRROR_ONCE_HALF_BORDER)
        t = fmin(fmax(t, -(double)size), size);
    return t;
}

enum footprint {
    POINT,       /* one texel */
    PAIR,        /* two and a weight */
    PAIR_UNEVEN, /* two, the first under the coordinate: gathers of integers before GFX9 */
};

/* Two neighbours along an axis, as they count and as the clamp mode makes them, and the weight of the
 * second. */
struct axis {
    int32_t raw[2], i[2];
    float w;
    bool linear;
};

static struct axis axis(float v, uint32_t size, const struct raster_sampler *s, uint8_t mode, enum footprint f,
                        int offset)
{
    const double t = to_texels(v, size, !s->unnormalised, mode, offset);
    struct axis a = { .linear = f != POINT };
    int32_t fixed = (int32_t)floor(t * FRACTION_ONE + (s->trunc_coord ? 0 : 0.5));

    if (f == PAIR)
        fixed -= FRACTION_ONE / 2;
    a.raw[0] = fixed >> FRACTION_BITS;
    a.raw[1] = a.raw[0] + 1;
    if (f == PAIR)
        a.w = (float)(fixed & (FRACTION_ONE - 1)) / FRACTION_ONE;
    for (unsigned k = 0; k < 2; k++)
        a.i[k] = wrap(a.raw[k], (int32_t)size, mode);
    if (f == POINT && a.i[0] < 0 && is_half_border(mode))
        a.i[0] = (int32_t)size - 1; /* the far edge itself: a point shows nothing of the border */
    return a;
}

/* ---- cubes -------------------------------------------------------------------------------------- */

/* The axis and sign that a face looks along, and those of its two coordinates: +x -x +y -y +z -z. */
static const struct {
    int8_t major, sign, u, u_sign, v, v_sign;
} faces[6] = {
    { 0, 1, 2, -1, 1, -1 }, { 0, -1, 2, 1, 1, -1 }, { 1, 1, 0, 1, 2, 1 },
    { 1, -1, 0, 1, 2, -1 }, { 2, 1, 0, 1, 1, -1 },  { 2, -1, 0, -1, 1, -1 },
};

/* A texel one beyond an edge of a face of n x n (not beyond two): the face and texel that it is. Positions
 * are taken on a cube of side 2n, where texel centres are odd or even numbers apart by 2. */
static void cube_fold(int32_t n, int32_t *face, int32_t *x, int32_t *y)
{
    const unsigned f = (unsigned)*face;
    int32_t at[3] = { 0, 0, 0 }, u = 2 * *x + 1 - n, v = 2 * *y + 1 - n;
    unsigned to;

    if (*x >= 0 && *x < n && *y >= 0 && *y < n)
        return;
    at[faces[f].major] = faces[f].sign * (n - 1);
    if (u > n || u < -n) {
        to = 2u * (unsigned)faces[f].u + (faces[f].u_sign * u < 0);
        v = faces[f].v_sign * v;
        at[faces[f].v] = v;
    } else {
        to = 2u * (unsigned)faces[f].v + (faces[f].v_sign * v < 0);
        u = faces[f].u_sign * u;
        at[faces[f].u] = u;
    }
    *face = (int32_t)to;
    at[faces[to].major] = faces[to].sign * n;
    *x = (faces[to].u_sign * at[faces[to].u] + n - 1) / 2;
    *y = (faces[to].v_sign * at[faces[to].v] + n - 1) / 2;
}

/* A coordinate beyond the edges of a face, on the plane of that face: the face and the place on it that lie in this
 * direction. */
static void cube_turn(float coord[3])
{
    const int32_t slice = (int32_t)coord[2], f = slice % 6;
    const float s = 2 * coord[0] - 1, t = 2 * coord[1] - 1;
    const bool by_u = fabsf(s) >= fabsf(t);
    float at[3], major = by_u ? fabsf(s) : fabsf(t);
    unsigned to;

    if (!(major > 1) || slice < 0)
        return;
    at[faces[f].major] = faces[f].sign;
    at[faces[f].u] = faces[f].u_sign * s;
    at[faces[f].v] = faces[f].v_sign * t;
    to = 2u * (unsigned)(by_u ? faces[f].u : faces[f].v);
    to += at[to / 2] < 0;
    coord[0] = (faces[to].u_sign * at[faces[to].u] / major + 1) / 2;
    coord[1] = (faces[to].v_sign * at[faces[to].v] / major + 1) / 2;
    coord[2] = (float)(slice - f + (int32_t)to);
}

/* ---- texels --------------------------------------------------------------------------------------- */

struct tap {
    struct raster_image *im;
    const struct raster_sampler *s;
    struct raster_access *a;
    const struct raster_sample_in *in;
    const uint32_t *border;
    float coord[3];
    float ref;
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

/* A comparison looks at X; what it says takes X's place, and DST_SEL spreads it. */
static void fetch(struct tap *t, int32_t x, int32_t y, int32_t z, uint32_t out[4])
{
    uint32_t xyzw[4];

    if (x < 0 || y < 0 || z < 0) {
        memcpy(out, t->border, 4 * sizeof *out);
        memcpy(xyzw, t->border, sizeof xyzw);
    } else {
        t->fetched++;
        raster_texel_load(t->im, t->a, &(struct raster_texel){ x, y, z, 0, t->level }, xyzw);
        raster_texel_swizzle(t->im, xyzw, out);
    }
    if (t->in->compare) {
        const bool pass = compare(t->s->compare, t->ref, bits_f32(xyzw[0]));
        const uint32_t said[4] = { f32_bits(pass ? 1.0f : 0.0f), 0, 0, f32_bits(1.0f) };

        raster_texel_swizzle(t->im, said, out);
    }
}

static float mix(float a, float b, float w)
{
    return a + (b - a) * w;
}

/* Two values by the sampler's reduction: w is the weight of the second. */
static float reduce(const struct raster_sampler *s, float a, float b, float w)
{
    switch (s->reduce) {
    case V_SQ_IMG_FILTER_TYPE__SQ_IMG_FILTER_MODE_MIN:
        return w > 0 ? (w < 1 ? fminf(a, b) : b) : a;
    case V_SQ_IMG_FILTER_TYPE__SQ_IMG_FILTER_MODE_MAX:
        return w > 0 ? (w < 1 ? fmaxf(a, b) : b) : a;
    default:
        return mix(a, b, w);
    }
}

static float third(float a, float b, float c)
{
    return (a + b + c) / 3;
}

/* The 2 x 2 texels of a cube's face, some of which may lie on others. */
static void fetch_cube(struct tap *t, const struct axis *x, const struct axis *y, int32_t z,
                       uint32_t texel[2][2][4])
{
    const int32_t n = (int32_t)MAX2(t->im->width >> t->level, 1);
    int corner = -1;

    for (unsigned j = 0; j < 2; j++)
        for (unsigned i = 0; i < 2; i++) {
            int32_t face = z % 6, u = x->raw[i], v = y->raw[j];

            /* A coordinate outside of the face ends at its edge. */
            u = u < -1 ? -1 : MIN2(u, n);
            v = v < -1 ? -1 : MIN2(v, n);
            if ((u < 0 || u >= n) && (v < 0 || v >= n)) {
                corner = (int)(2 * j + i);
                continue;
            }
            cube_fold(n, &face, &u, &v);
            fetch(t, u, v, z - z % 6 + face, texel[j][i]);
        }
    if (corner < 0)
        return;
    for (unsigned c = 0; c < 4; c++) {
        const unsigned j = (unsigned)corner / 2, i = (unsigned)corner % 2;

        texel[j][i][c] = t->im->integer && !t->in->compare
                             ? texel[j][!i][c]
                             : f32_bits(third(bits_f32(texel[j][!i][c]), bits_f32(texel[!j][i][c]),
                                              bits_f32(texel[!j][!i][c])));
    }
}

static int32_t slice_of(const struct raster_image *im, float z)
{
    const int32_t last = (int32_t)(im->last_array - im->base_array);
    const float slice = rintf(z);

    return slice > 0 ? (slice < (float)last ? (int32_t)slice : MAX2(last, 0)) : 0;
}

/* Filter one level. */
static void sample_level(struct tap *t, bool linear, uint32_t out[4])
{
    const struct raster_image *im = t->im;
    const struct raster_sampler *s = t->s;
    const struct raster_sample_in *in = t->in;
    const bool uneven = in->gather && im->integer && im->chip->gen < GFX9;
    const enum footprint f = !linear ? POINT : uneven ? PAIR_UNEVEN : PAIR;
    /* Z_FILTER NONE: as in x and y. */
    const bool z_linear = im->is_3d && !im->integer && !in->gather &&
                          (s->z == V_SQ_TEX_Z_FILTER__SQ_TEX_Z_FILTER_LINEAR ||
                           (linear && s->z != V_SQ_TEX_Z_FILTER__SQ_TEX_Z_FILTER_POINT));
    struct axis x, y = { .i = { 0, 0 } }, z = { .i = { 0, 0 } };
    const bool faces_meet = im->is_cube && !s->no_cube_wrap;
    uint8_t mode[3] = { s->clamp[0], s->clamp[1], s->clamp[2] };
    uint32_t texel[2][2][2][4];

    if (faces_meet)
        mode[0] = mode[1] = V_SQ_TEX_CLAMP__SQ_TEX_CLAMP_LAST_TEXEL;
    x = axis(t->coord[0], MAX2(im->width >> t->level, 1), s, mode[0], f, in->offset[0]);
    if (im->dims > 1)
        y = axis(t->coord[1], MAX2(im->height >> t->level, 1), s, mode[1], f, in->offset[1]);
    if (im->is_3d)
        z = axis(t->coord[2], MAX2(im->depth >> t->level, 1), s, mode[2], z_linear ? PAIR : POINT,
                 in->offset[2]);
    else if (im->is_array)
        z.i[0] = z.i[1] = slice_of(im, t->coord[2]);
    if (faces_meet && linear) {
        fetch_cube(t, &x, &y, z.i[0], texel[0]);
    } else {
        for (unsigned k = 0; k <= (unsigned)z.linear; k++)
            for (unsigned j = 0; j <= (unsigned)y.linear; j++)
                for (unsigned i = 0; i <= (unsigned)x.linear; i++)
                    fetch(t, x.i[i], y.i[j], z.i[k], texel[k][j][i]);
    }
    if (in->gather) {
        const unsigned j = y.linear; /* of one dimension there is one row */

        /* In the order of the lower left, lower right, upper right, upper left texels. */
        out[0] = texel[0][j][0][in->channel];
        out[1] = texel[0][j][1][in->channel];
        out[2] = texel[0][0][1][in->channel];
        out[3] = texel[0][0][0][in->channel];
        return;
    }
    if (!linear && !z_linear) {
        memcpy(out, texel[0][0][0], 4 * sizeof *out);
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        float plane[2] = { 0, 0 };

        for (unsigned k = 0; k <= (unsigned)z.linear; k++) {
            float row[2];

            for (unsigned j = 0; j <= (unsigned)y.linear; j++)
                row[j] = x.linear ? reduce(s, bits_f32(texel[k][j][0][c]), bits_f32(texel[k][j][1][c]), x.w)
                                  : bits_f32(texel[k][j][0][c]);
            plane[k] = y.linear ? reduce(s, row[0], row[1], y.w) : row[0];
        }
        out[c] = f32_bits(z.linear ? reduce(s, plane[0], plane[1], z.w) : plane[0]);
    }
}

/* One tap: one or two levels. */
static void sample_tap(struct tap *t, uint32_t first, float level, bool linear, uint32_t out[4])
{
    const float w = level - floorf(level);
    uint32_t next[4];

    t->level = first + (uint32_t)level;
    sample_level(t, linear, out);
    if (!(w > 0) || t->in->gather)
        return;
    t->level++;
    sample_level(t, linear, next);
    for (unsigned c = 0; c < 4; c++)
        out[c] = f32_bits(reduce(t->s, bits_f32(out[c]), bits_f32(next[c]), w));
}

unsigned raster_sample(struct raster_image *im, const struct raster_sampler *s,
                       struct raster_access *a, const struct raster_sample_in *in,
                       const uint32_t border[4], uint32_t out[4])
{
    struct tap t = { .im = im, .s = s, .a = a, .in = in, .border = border, .ref = in->ref };
    const uint8_t filter = in->lod <= 0 ? s->mag : s->min;
    /* BILINEAR, ANISO_BILINEAR */
    const bool linear = in->gather || ((filter & 1) && (!im->integer || in->compare));
    const uint32_t first = im->is_msaa ? 0 : im->base_level;
    const unsigned taps = (filter & 2) && !im->integer && !in->gather ? MAX2(in->taps, 1u) : 1;
    float level = raster_lod_level(im, s, in->lod), sum[4] = { 0, 0, 0, 0 };

    if (im->null) {
        memset(out, 0, 4 * sizeof *out);
        return 0;
    }
    if (in->gather)
        level = ceilf(level + 0.5f) - 1;
    /* A format without sign holds nothing beyond 0..1, so neither does what is compared with it. */
    if (in->compare && im->format.num == MEM_UNORM)
        t.ref = fminf(fmaxf(t.ref, 0), 1);
    for (unsigned k = 0; k < taps; k++) {
        const float along = ((float)k + 0.5f) / (float)taps - 0.5f;

        for (unsigned d = 0; d < 3; d++)
            t.coord[d] = in->coord[d] + (taps > 1 ? along * in->axis[d] : 0);
        if (taps > 1 && im->is_cube && !s->no_cube_wrap)
            cube_turn(t.coord);
        sample_tap(&t, first, level, linear, out);
        if (taps == 1)
            return t.fetched;
        for (unsigned c = 0; c < 4; c++) {
            const float v = bits_f32(out[c]);

            if (s->reduce == V_SQ_IMG_FILTER_TYPE__SQ_IMG_FILTER_MODE_BLEND)
                sum[c] += v / (float)taps;
            else
                sum[c] = k ? reduce(s, sum[c], v, 0.5f) : v;
        }
    }
    for (unsigned c = 0; c < 4; c++)
        out[c] = f32_bits(sum[c]);
    return t.fetched;
}
