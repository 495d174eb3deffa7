/* The tessellator: factors of a patch to points of its domain and the primitives between them.
 *
 * Direct3D 11 says what the result is to the last bit, since neighbouring patches must meet without a crack:
 * 16.16 fixed point, each edge symmetric about its middle, new points appearing in the order of the ruler
 * function. Here a domain is a set of concentric rings. Ring 0 is the patch's outline, each of its edges
 * divided by a factor of its own; the rings inside are divided by the inside factors, and each has two points
 * less along an axis than the one around it, until a row of points (even division) or of quads (odd) is left.
 * Points are numbered ring by ring, clockwise as Direct3D draws domains (v down), from the corner u = 0,
 * v = 1. Triangles go ring by ring too: between ring 0 and 1 the two divisions differ and are woven
 * together in ruler order ("transition"), further in they match ("regular").
 *
 * Sources: the Direct3D 11.3 functional specification (tessellator) and the behaviour of its published
 * reference tessellator; VGT_TF_PARAM's names. */
#include "raster/raster.h"

#include <math.h>

#define FIX_BITS 16
#define FIX_ONE  (1u << FIX_BITS)
#define FIX_HALF (FIX_ONE / 2)
#define FIX_FRAC (FIX_ONE - 1)

#define FACTOR_MAX_EVEN 64.0f
#define FACTOR_MAX_ODD  63.0f
#define EDGE_POINTS_MAX 66

/* ---- dividing one edge ------------------------------------------------------------------------ */

struct division {
    bool odd;
    unsigned points;  /* of the whole edge, both ends included */
    unsigned half;    /* points of the half edge, a middle point not included */
    unsigned split;   /* of the half edge's points: the one that is just appearing */
    uint32_t frac;    /* how far between the two whole factors around this one */
    uint32_t step_floor, step_ceil; /* 1 / segments of those two */
};

static uint32_t fix_ceil(uint32_t v)
{
    return (v + FIX_FRAC) & ~FIX_FRAC;
}

static uint32_t reciprocal(unsigned n)
{
    return (FIX_ONE + n / 2) / n;
}

static unsigned without_top_bit(unsigned v)
{
    return v ? v & ~(1u << (31 - __builtin_clz(v))) : 0;
}

static struct division divide(float factor, bool odd)
{
    const uint32_t f = (uint32_t)nearbyint((double)factor * FIX_ONE);
    struct division d = { .odd = odd };
    uint32_t half = (f + 1) / 2, lo, hi;
    unsigned less = odd ? 1 : 0;

    d.points = odd ? fix_ceil(FIX_HALF + half) * 2 >> FIX_BITS : (fix_ceil(half) * 2 >> FIX_BITS) + 1;
    if (odd || half == FIX_HALF) /* a factor of 1 that counts as even is divided like 2 */
        half += FIX_HALF;
    lo = half & ~FIX_FRAC;
    hi = fix_ceil(half);
    d.frac = half - lo;
    d.half = hi >> FIX_BITS;
    if (hi == lo)
        d.split = d.half + 1; /* none */
    else if (odd)
        d.split = lo == FIX_ONE ? 0 : (without_top_bit((lo >> FIX_BITS) - 1) << 1) + 1;
    else
        d.split = (without_top_bit(lo >> FIX_BITS) << 1) + 1;
    d.step_floor = reciprocal(MAX2((lo * 2 >> FIX_BITS) - less, 1));
    d.step_ceil = reciprocal(MAX2((hi * 2 >> FIX_BITS) - less, 1));
    return d;
}

/* Where point number p of the edge lies, 0 to 1. */
static uint32_t place(const struct division *d, unsigned p)
{
    const bool mirrored = p >= d->half;
    uint32_t at_floor, at_ceil, at;

    if (mirrored)
        p = 2 * d->half - p - (d->odd ? 1 : 0);
    if (p == d->half)
        return FIX_HALF;
    at_floor = (p - (p > d->split ? 1 : 0)) * d->step_floor;
    at_ceil = p * d->step_ceil;
    at = (at_floor * (FIX_ONE - d->frac) + at_ceil * d->frac + FIX_HALF) >> FIX_BITS;
    return mirrored ? FIX_ONE - at : at;
}

/* ---- what comes out ----------------------------------------------------------------------------- */

static float to_float(uint32_t fix)
{
    return (float)(fix >> FIX_BITS) + (float)(fix & FIX_FRAC) / FIX_ONE;
}

static void point(struct raster_tess *t, uint32_t u, uint32_t v)
{
    if (t->points < RASTER_TESS_POINTS_MAX) {
        t->uv[t->points][0] = to_float(u);
        t->uv[t->points][1] = to_float(v);
        t->points++;
    }
}

static void line(struct raster_tess *t, unsigned a, unsigned b)
{
    if (t->indices + 2 <= RASTER_TESS_INDICES_MAX) {
        t->index[t->indices++] = (uint16_t)a;
        t->index[t->indices++] = (uint16_t)b;
    }
}

/* a, b, c go clockwise. */
static void triangle(struct raster_tess *t, unsigned a, unsigned b, unsigned c)
{
    const bool cw = t->topology == V_VGT_TESS_TOPOLOGY__OUTPUT_TRIANGLE_CW;

    if (t->indices + 3 <= RASTER_TESS_INDICES_MAX) {
        t->index[t->indices++] = (uint16_t)a;
        t->index[t->indices++] = (uint16_t)(cw ? b : c);
        t->index[t->indices++] = (uint16_t)(cw ? c : b);
    }
}

/* Points, or lines from one to the next. False when triangles are wanted. */
static bool points_or_lines(struct raster_tess *t)
{
    if (t->topology == V_VGT_TESS_TOPOLOGY__OUTPUT_POINT) {
        for (unsigned i = 0; i < t->points; i++)
            t->index[t->indices++] = (uint16_t)i;
        return true;
    }
    if (t->topology == V_VGT_TESS_TOPOLOGY__OUTPUT_LINE) {
        for (unsigned i = 1; i < t->points; i++)
            line(t, i - 1, i);
        return true;
    }
    return false;
}

/* ---- between two rows of points ------------------------------------------------------------------- */

/* One side of a ring: the numbers of its points in the order of travel, both corners included. */
struct side {
    unsigned n;
    uint16_t p[EDGE_POINTS_MAX];
};

/* When point i (from 1) of a half edge of 32 segments appears as the factor grows. */
static unsigned ruler(unsigned i)
{
    unsigned j = i - 1, zeros;

    if (j == 0)
        return 32;
    zeros = (unsigned)__builtin_ctz(j);
    return (1u << (4 - zeros)) + (j >> (zeros + 1));
}

struct weave {
    struct raster_tess *t;
    const struct side *in, *out;
    unsigned i, o; /* how far */
};

static void advance_out(struct weave *w)
{
    triangle(w->t, w->out->p[w->o], w->out->p[w->o + 1], w->in->p[w->i]);
    w->o++;
}

static void advance_in(struct weave *w)
{
    triangle(w->t, w->in->p[w->i], w->out->p[w->o], w->in->p[w->i + 1]);
    w->i++;
}

static void stitch_transition(struct raster_tess *t, const struct side *in, const struct division *din,
                              const struct side *out, const struct division *dout)
{
    const unsigned nin = din->half - (din->odd ? 1 : 0), nout = dout->half - (dout->odd ? 1 : 0);
    struct weave w = { .t = t, .in = in, .out = out };

    if (nout > 0)
        advance_out(&w);
    for (unsigned k = 1; k <= 32; k++) {
        if (ruler(k) < nin)
            advance_in(&w);
        if (ruler(k) < nout)
            advance_out(&w);
    }
    if (din->odd && dout->odd) {
        triangle(t, in->p[w.i], out->p[w.o], in->p[w.i + 1]);
        triangle(t, in->p[w.i + 1], out->p[w.o], out->p[w.o + 1]);
        w.i++;
        w.o++;
    } else if (dout->odd) {
        triangle(t, in->p[w.i], out->p[w.o], out->p[w.o + 1]);
        w.o++;
    } else if (din->odd) {
        advance_in(&w);
    }
    for (unsigned k = 32; k >= 1; k--) {
        if (ruler(k) < nout)
            advance_out(&w);
        if (ruler(k) < nin)
            advance_in(&w);
    }
    if (nout > 0)
        advance_out(&w);
}

/* A quad between two rows, cut from `in` forward to `out`, or the other way. */
static void quad_in_to_out(struct weave *w)
{
    triangle(w->t, w->in->p[w->i], w->out->p[w->o], w->out->p[w->o + 1]);
    triangle(w->t, w->in->p[w->i], w->out->p[w->o + 1], w->in->p[w->i + 1]);
    w->i++;
    w->o++;
}

static void quad_out_to_in(struct weave *w)
{
    triangle(w->t, w->out->p[w->o], w->in->p[w->i + 1], w->in->p[w->i]);
    triangle(w->t, w->out->p[w->o], w->out->p[w->o + 1], w->in->p[w->i + 1]);
    w->i++;
    w->o++;
}

/* Two rings whose divisions match: the outer side has a point more at each end. */
static void stitch_regular(struct raster_tess *t, const struct side *in, const struct side *out)
{
    struct weave w = { .t = t, .in = in, .out = out };
    unsigned k = 0;

    advance_out(&w);
    for (; k < in->n / 2 && k + 1 < in->n; k++)
        quad_out_to_in(&w);
    for (; k + 1 < in->n; k++)
        quad_in_to_out(&w);
    advance_out(&w);
}

/* The row of quads in the middle of a quad domain. `mirror`: the middle quad is cut the other way. */
static void stitch_strip(struct raster_tess *t, const struct side *in, const struct side *out, bool mirror)
{
    struct weave w = { .t = t, .in = in, .out = out };
    const unsigned quads = in->n - 1;

    for (unsigned k = 0; k < quads; k++) {
        if (mirror && k == in->n / 2 - 1) {
            quad_out_to_in(&w);
        } else if (mirror) {
            triangle(t, out->p[w.o], out->p[w.o + 1], in->p[w.i]);
            triangle(t, in->p[w.i], out->p[w.o + 1], in->p[w.i + 1]);
            w.i++;
            w.o++;
        } else {
            quad_in_to_out(&w);
        }
    }
}

/* ---- factors ---------------------------------------------------------------------------------------- */

static bool is_integer(const struct raster_tess *t)
{
    return t->partitioning == V_VGT_TESS_PARTITION__PART_INTEGER ||
           t->partitioning == V_VGT_TESS_PARTITION__PART_POW2;
}

static bool is_frac_odd(const struct raster_tess *t)
{
    return t->partitioning == V_VGT_TESS_PARTITION__PART_FRAC_ODD;
}

/* Into the range of the partitioning, NaN to its lower end. */
static float clamp_factor(const struct raster_tess *t, float f, float least)
{
    const float most = is_frac_odd(t) ? FACTOR_MAX_ODD : FACTOR_MAX_EVEN;

    if (!(f >= least))
        f = least;
    if (f > most)
        f = most;
    return is_integer(t) ? ceilf(f) : f;
}

static float least_factor(const struct raster_tess *t)
{
    return t->partitioning == V_VGT_TESS_PARTITION__PART_FRAC_EVEN ? 2 : 1;
}

static struct division divide_edge(const struct raster_tess *t, float f)
{
    return divide(f, is_integer(t) ? (unsigned)f & 1 : is_frac_odd(t));
}

/* An inside factor of 1 counts as even, and a ring is there even when it has no width. */
static struct division divide_inside(const struct raster_tess *t, float f)
{
    struct division d = divide(f, is_integer(t) ? ((unsigned)f & 1) && f != 1 : is_frac_odd(t));

    d.points = MAX2(d.points, d.odd ? 4 : 3);
    return d;
}

/* Clamp `edges` edge and then `axes` inside factors. Returns false when the patch is culled. */
static bool clamp_factors(const struct raster_tess *t, float *f, unsigned edges, unsigned axes)
{
    const float epsilon = 1.0f / FIX_ONE;
    float least = least_factor(t);
    bool frame = false;

    for (unsigned i = 0; i < edges; i++)
        if (!(f[i] > 0)) /* and NaN */
            return false;
    for (unsigned i = 0; i < edges; i++) {
        f[i] = clamp_factor(t, f[i], least);
        frame |= f[i] > 1 + epsilon / 2;
    }
    for (unsigned i = edges; axes == 2 && i < edges + axes; i++)
        frame |= f[i] > 1 + epsilon / 2;
    /* With odd division an outline that is divided at all needs a frame around the inside. */
    if (is_frac_odd(t) && frame)
        least = 1 + epsilon;
    for (unsigned i = edges; i < edges + axes; i++)
        f[i] = clamp_factor(t, f[i], least);
    return true;
}

static bool all_one(const float *f, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (nearbyint((double)f[i] * FIX_ONE) != FIX_ONE)
            return false;
    return true;
}

/* ---- rings -------------------------------------------------------------------------------------------- */

/* Side e of the outline, whose points are numbered from 0. */
static void outline_side(const struct division *d, unsigned edges, unsigned e, struct side *s)
{
    unsigned base = 0;

    for (unsigned i = 0; i < e; i++)
        base += d[i].points - 1;
    s->n = d[e].points;
    for (unsigned k = 0; k < s->n; k++)
        s->p[k] = (uint16_t)(base + k);
    if (e == edges - 1)
        s->p[s->n - 1] = 0;
}

/* Side e of a ring whose first point is `base` and whose sides have n[e & 1] points (all of them n[0] for
 * a triangle). A ring without width is a row of points that is walked there and back. */
static void ring_side(unsigned base, const unsigned n[2], unsigned edges, unsigned e, struct side *s)
{
    unsigned at = base;

    s->n = n[e & 1];
    if (edges == 4 && (n[0] == 1 || n[1] == 1)) {
        /* n[0] is along v (sides 0 and 2), n[1] along u. The row goes up, or from left to right. */
        const unsigned along = n[0] == 1 ? 1 : 0, last = base + n[along] - 1;
        const bool back = along == 0 ? e == 2 : e == 3;

        if ((e & 1) != along)
            at = e == (along ? 2u : 1u) ? last : base;
        for (unsigned k = 0; k < s->n; k++)
            s->p[k] = (uint16_t)(back ? last - k : at + k);
        return;
    }
    for (unsigned i = 0; i < e; i++)
        at += n[i & 1] - 1;
    for (unsigned k = 0; k < s->n; k++)
        s->p[k] = (uint16_t)(at + k);
    if (e == edges - 1)
        s->p[s->n - 1] = (uint16_t)base;
}

/* Points of such a ring. */
static unsigned ring_points(const unsigned n[2], unsigned edges)
{
    if (edges == 4 && (n[0] == 1 || n[1] == 1))
        return MAX2(n[0], n[1]);
    return edges == 4 ? 2 * (n[0] - 1 + n[1] - 1) : n[0] == 1 ? 1 : 3 * (n[0] - 1);
}

/* Triangles of all rings, the outline included. in[0] divides sides 0 and 2, in[1] sides 1 and 3. Returns
 * the first point of the innermost ring. */
static unsigned stitch_rings(struct raster_tess *t, const struct division *outline,
                             const struct division in[2], unsigned edges)
{
    const unsigned rows = MIN2((in[0].points + 1) / 2, (in[1].points + 1) / 2);
    unsigned base = 0, outer_base = 0, outer[2] = { 0, 0 };

    for (unsigned e = 0; e < edges; e++)
        base += outline[e].points - 1;
    for (unsigned ring = 1; ring < rows; ring++) {
        const unsigned n[2] = { in[0].points - 2 * ring, in[1].points - 2 * ring };

        for (unsigned e = 0; e < edges; e++) {
            struct side si, so;

            ring_side(base, n, edges, e, &si);
            if (ring == 1) {
                outline_side(outline, edges, e, &so);
                stitch_transition(t, &si, &in[e & 1], &so, &outline[e]);
            } else {
                ring_side(outer_base, outer, edges, e, &so);
                stitch_regular(t, &si, &so);
            }
        }
        outer_base = base;
        outer[0] = n[0];
        outer[1] = n[1];
        base += ring_points(n, edges);
    }
    return outer_base;
}

/* ---- the three domains ---------------------------------------------------------------------------------- */

static void quad_points(struct raster_tess *t, const struct division edge[4], const struct division in[2])
{
    const struct division *along_v = &in[0], *along_u = &in[1];
    const unsigned nu = along_u->points, nv = along_v->points, rings = MIN2(nu, nv) / 2;

    for (unsigned e = 0; e < 4; e++)
        for (unsigned p = 0; p + 1 < edge[e].points; p++) {
            uint32_t at = place(&edge[e], e == 1 || e == 2 ? p : edge[e].points - 1 - p);

            if (e & 1)
                point(t, at, e == 3 ? FIX_ONE : 0);
            else
                point(t, e == 2 ? FIX_ONE : 0, at);
        }
    for (unsigned r = 1; r < rings; r++) {
        const uint32_t u[2] = { place(along_u, r), place(along_u, nu - 1 - r) };
        const uint32_t v[2] = { place(along_v, r), place(along_v, nv - 1 - r) };

        for (unsigned p = r; p < nv - 1 - r; p++)
            point(t, u[0], place(along_v, nv - 1 - p));
        for (unsigned p = r; p < nu - 1 - r; p++)
            point(t, place(along_u, p), v[0]);
        for (unsigned p = r; p < nv - 1 - r; p++)
            point(t, u[1], place(along_v, p));
        for (unsigned p = r; p < nu - 1 - r; p++)
            point(t, place(along_u, nu - 1 - p), v[1]);
    }
    if (nu > nv && !along_v->odd)
        for (unsigned p = rings; p <= nu - 1 - rings; p++)
            point(t, place(along_u, p), FIX_HALF);
    else if (nv >= nu && !along_u->odd)
        for (unsigned p = nv - 1 - rings; p + 1 > rings; p--)
            point(t, FIX_HALF, place(along_v, p));
}

/* What is left inside the innermost ring of a quad domain: a row of quads, its points those of the ring. */
static void quad_centre(struct raster_tess *t, const struct division in[2], unsigned base)
{
    const unsigned nu = in[1].points, nv = in[0].points, rings = MIN2(nu, nv) / 2;
    const unsigned n[2] = { nv - 2 * (rings - 1), nu - 2 * (rings - 1) };
    struct side a, b, back;

    if (nu > nv ? !in[0].odd : !in[1].odd)
        return;
    /* The far side, walked in the direction of the near one. */
    ring_side(base, n, 4, nu > nv ? 1 : 0, &a);
    ring_side(base, n, 4, nu > nv ? 3 : 2, &b);
    back.n = b.n;
    for (unsigned k = 0; k < b.n; k++)
        back.p[k] = b.p[b.n - 1 - k];
    stitch_strip(t, &back, &a, nu <= nv && in[0].odd);
}

static void quad_domain(struct raster_tess *t, float f[6])
{
    struct division edge[4], in[2];
    unsigned base;

    if (!clamp_factors(t, f, 4, 2))
        return;
    if (t->partitioning != V_VGT_TESS_PARTITION__PART_FRAC_EVEN && all_one(f, 6)) {
        point(t, 0, 0);
        point(t, FIX_ONE, 0);
        point(t, FIX_ONE, FIX_ONE);
        point(t, 0, FIX_ONE);
        if (!points_or_lines(t)) {
            triangle(t, 0, 1, 3);
            triangle(t, 1, 2, 3);
        }
        return;
    }
    for (unsigned e = 0; e < 4; e++)
        edge[e] = divide_edge(t, f[e]);
    in[1] = divide_inside(t, f[4]); /* along u: sides 1 and 3 */
    in[0] = divide_inside(t, f[5]);
    quad_points(t, edge, in);
    if (points_or_lines(t))
        return;
    base = stitch_rings(t, edge, in, 4);
    quad_centre(t, in, base);
}

static void tri_points(struct raster_tess *t, const struct division edge[3], const struct division *in)
{
    const unsigned n = in->points;

    for (unsigned e = 0; e < 3; e++)
        for (unsigned p = 0; p + 1 < edge[e].points; p++) {
            uint32_t at = place(&edge[e], e == 1 ? p : edge[e].points - 1 - p);

            if (e == 0)
                point(t, 0, at);
            else
                point(t, at, e == 2 ? FIX_ONE - at : 0);
        }
    for (unsigned r = 1; r < n / 2; r++) {
        /* The distance from the edge, in barycentrics two thirds of the way to the middle; what runs
         * along the edge loses half of that at each end. */
        const uint32_t two_thirds = 0xaaaa;
        const uint32_t perp = (place(in, r) * two_thirds + FIX_HALF) >> FIX_BITS;

        for (unsigned e = 0; e < 3; e++)
            for (unsigned p = r; p < n - 1 - r; p++) {
                uint32_t at = place(in, e == 1 ? p : n - 1 - p) - (perp + 1) / 2;

                if (e == 0)
                    point(t, perp, at);
                else
                    point(t, at, e == 1 ? perp : FIX_ONE - at - perp);
            }
    }
    if (!in->odd)
        point(t, 0x5555, 0x5555);
}

static void tri_domain(struct raster_tess *t, float f[4])
{
    struct division edge[3], in[2];
    unsigned base;

    if (!clamp_factors(t, f, 3, 1))
        return;
    if (t->partitioning != V_VGT_TESS_PARTITION__PART_FRAC_EVEN && all_one(f, 4)) {
        point(t, 0, FIX_ONE);
        point(t, 0, 0);
        point(t, FIX_ONE, 0);
        if (!points_or_lines(t))
            triangle(t, 0, 1, 2);
        return;
    }
    for (unsigned e = 0; e < 3; e++)
        edge[e] = divide_edge(t, f[e]);
    in[0] = in[1] = divide_inside(t, f[3]);
    tri_points(t, edge, &in[0]);
    if (points_or_lines(t))
        return;
    base = stitch_rings(t, edge, in, 3);
    if (in[0].odd)
        triangle(t, base, base + 1, base + 2);
}

/* f[0]: segments of each line (detail), f[1]: lines (density), always whole. */
static void isoline_domain(struct raster_tess *t, const float f[2])
{
    struct division detail, density;
    float lines = f[1];
    unsigned n = 0;

    if (!(f[0] > 0) || !(f[1] > 0))
        return;
    lines = ceilf(lines < 1 ? 1 : lines > FACTOR_MAX_EVEN ? FACTOR_MAX_EVEN : lines);
    density = divide(lines, (unsigned)lines & 1);
    detail = divide_edge(t, clamp_factor(t, f[0], least_factor(t)));
    for (unsigned l = 0; l + 1 < density.points; l++) /* none at v = 1 */
        for (unsigned p = 0; p < detail.points; p++)
            point(t, place(&detail, p), place(&density, l));
    if (t->topology == V_VGT_TESS_TOPOLOGY__OUTPUT_POINT) {
        points_or_lines(t);
        return;
    }
    for (unsigned l = 0; l + 1 < density.points; l++, n++)
        for (unsigned p = 0; p + 1 < detail.points; p++, n++)
            line(t, n, n + 1);
}

void raster_tessellate(struct raster_tess *t, const float factors[6])
{
    float f[6];

    memcpy(f, factors, sizeof f);
    t->points = t->indices = 0;
    switch (t->type) {
    case V_VGT_TESS_TYPE__TESS_ISOLINE:
        isoline_domain(t, f);
        return;
    case V_VGT_TESS_TYPE__TESS_TRIANGLE:
        tri_domain(t, f);
        return;
    case V_VGT_TESS_TYPE__TESS_QUAD:
        quad_domain(t, f);
        return;
    }
}

unsigned raster_tess_factors(uint32_t type)
{
    return type == V_VGT_TESS_TYPE__TESS_ISOLINE ? 2 : type == V_VGT_TESS_TYPE__TESS_TRIANGLE ? 4
           : type == V_VGT_TESS_TYPE__TESS_QUAD                                              ? 6
                                                                                             : 0;
}
