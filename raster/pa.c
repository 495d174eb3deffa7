/* Primitive assembly: cull, clip, viewport transform, set-up.
 *
 * A primitive is dropped when it is wholly outside (the discard guard band, near, far, a user plane,
 * a clip or cull distance) or faces away; it is cut only by planes that must be cut: near and
 * far, user planes and distances, w = 0, and the clip guard band, which is far outside the
 * viewport (PA_CL_GB_*_CLIP_ADJ), so that most primitives go to the scan converter whole and
 * the scissor does the rest.
 *
 * A cut makes no new attributes. Each corner carries its barycentric coordinates of the input
 * primitive, and the planes of i, j and 1/w that the scan converter evaluates are made from
 * these; attributes stay those of the three input vertices, as they lie in the LDS.
 * A new corner is always computed from the inside vertex towards the outside one: two triangles
 * that share the edge get the same corner, whatever their order.
 *
 * Sources: the register names and fields of PA_CL_*, PA_SU_*; how Mesa's drivers program them; the
 * clipping and rasterisation chapters of the Vulkan and OpenGL specifications. */
#include "raster/raster.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A corner of the polygon that is being clipped. */
struct corner {
    double pos[4];
    double b[3]; /* barycentrics of the input primitive, linear in clip space */
    bool edge;   /* what goes from here to the next corner is an edge for the polygon mode */
};

struct polygon {
    struct corner c[RASTER_PA_CORNERS_MAX];
    unsigned n;
};

int32_t raster_quantise(const struct raster_pa_state *pa, float v)
{
    const double limit = (double)RASTER_FIX_MAX;
    double g = ldexp((double)v, (int)pa->quant_bits), r;

    if (isnan(v))
        return 0;
    switch (pa->round_mode) {
    case 0: /* truncate: the screen offset makes hardware's coordinates positive */
        r = floor(g);
        break;
    case 1:
        r = floor(g + 0.5);
        break;
    case 2:
        r = nearbyint(g); /* the host's rounding mode is to nearest even outside of waves */
        break;
    default: /* to odd: inexact values take the odd neighbour */
        r = floor(g);
        if (r != g && fmod(r, 2.0) == 0)
            r += 1;
        break;
    }
    r = ldexp(r, RASTER_FIX_BITS - (int)pa->quant_bits);
    if (!pa->pix_center_half)
        r += RASTER_FIX_ONE / 2;
    if (r >= limit)
        return RASTER_FIX_MAX - 1;
    if (r < -limit)
        return -RASTER_FIX_MAX;
    return (int32_t)r;
}

/* ---- planes --------------------------------------------------------------------------------- */

enum { PLANE_W, PLANE_LEFT, PLANE_RIGHT, PLANE_TOP, PLANE_BOTTOM, PLANE_NEAR, PLANE_FAR,
       PLANE_UCP, PLANE_DIST = PLANE_UCP + RASTER_UCPS, PLANES = PLANE_DIST + 8 };

/* The smallest w that a corner may have after clipping: what matters is that 1/w stays finite. */
#define W_MIN 0x1p-100

/* Signed distance, inside >= 0. `adj` scales the frustum in x and y. */
static double plane_dist(const struct raster_pa_state *pa, unsigned plane, const double pos[4],
                         double adj_h, double adj_v)
{
    switch (plane) {
    case PLANE_W: return pos[3] - W_MIN;
    case PLANE_LEFT: return pos[0] + adj_h * pos[3];
    case PLANE_RIGHT: return adj_h * pos[3] - pos[0];
    case PLANE_TOP: return pos[1] + adj_v * pos[3];
    case PLANE_BOTTOM: return adj_v * pos[3] - pos[1];
    case PLANE_NEAR: return pa->dx_clip_space ? pos[2] : pos[2] + pos[3];
    case PLANE_FAR: return pos[3] - pos[2];
    default: {
        const float *u = pa->ucp[plane - PLANE_UCP];
        return u[0] * pos[0] + u[1] * pos[1] + u[2] * pos[2] + u[3] * pos[3];
    }
    }
}

static double vertex_dist(const struct raster_pa_state *pa, unsigned plane,
                          const struct raster_vertex *v, double adj_h, double adj_v)
{
    double pos[4] = { v->pos[0], v->pos[1], v->pos[2], v->pos[3] };

    if (plane >= PLANE_DIST)
        return v->dist[plane - PLANE_DIST];
    return plane_dist(pa, plane, pos, adj_h, adj_v);
}

static double corner_dist(const struct raster_pa_state *pa, unsigned plane,
                          const struct corner *c, const struct raster_vertex *const v[3])
{
    if (plane >= PLANE_DIST) {
        double d = 0;
        for (unsigned k = 0; k < 3; k++)
            if (v[k])
                d += c->b[k] * v[k]->dist[plane - PLANE_DIST];
        return d;
    }
    return plane_dist(pa, plane, c->pos, pa->gb_horz_clip, pa->gb_vert_clip);
}

/* The planes that this state clips against: a mask over PLANE_*. */
static uint32_t planes_used(const struct raster_pa_state *pa)
{
    uint32_t m = 0;

    if (!pa->clip_disable) {
        m |= 1u << PLANE_W | 1u << PLANE_LEFT | 1u << PLANE_RIGHT | 1u << PLANE_TOP |
             1u << PLANE_BOTTOM;
        if (pa->znear_clip)
            m |= 1u << PLANE_NEAR;
        if (pa->zfar_clip)
            m |= 1u << PLANE_FAR;
    }
    return m | pa->ucp_ena << PLANE_UCP | pa->clip_dist_ena << PLANE_DIST;
}

/* Wholly outside of one plane (x and y: of the discard guard band), or of a cull distance. */
static bool outside(const struct raster_pa_state *pa, const struct raster_vertex *const v[3],
                    unsigned n, uint32_t planes)
{
    for (unsigned p = 0; p < PLANES; p++) {
        bool cull_only = p >= PLANE_DIST && (pa->cull_dist_ena >> (p - PLANE_DIST) & 1);
        unsigned out = 0;

        if (!(planes >> p & 1) && !cull_only)
            continue;
        for (unsigned k = 0; k < n; k++) /* a NaN distance is outside */
            out += !(vertex_dist(pa, p, v[k], pa->gb_horz_disc, pa->gb_vert_disc) >= 0);
        if (out == n)
            return true;
    }
    return false;
}

/* PA_CL_NANINF_CNTL on what was exported: errata, E-naninf. False: the primitive is dropped. */
static bool clean_vertex(const struct raster_pa_state *pa, struct raster_vertex *v)
{
    for (unsigned c = 0; c < 4; c++) {
        const unsigned kind = c < 2 ? 0 : c - 1;

        if (isnan(v->pos[c])) {
            if (!pa->naninf[kind].nan_to_inf)
                return false;
            v->pos[c] = INFINITY;
        }
        if (isinf(v->pos[c]) && !pa->naninf[kind].inf_retain)
            v->pos[c] = copysignf(FLT_MAX, v->pos[c]);
    }
    for (unsigned i = 0; i < 8; i++)
        if (pa->dist_inf_discard && pa->clip_dist_ena >> i & 1 && isinf(v->dist[i]))
            return false;
    return true;
}

static bool killed(const struct raster_pa_state *pa, const struct raster_vertex *const v[3],
                   unsigned n)
{
    unsigned count = 0;

    if (!pa->use_kill_flag)
        return false;
    for (unsigned k = 0; k < n; k++)
        count += v[k]->kill != 0;
    return pa->vtx_kill_or ? count > 0 : count == n;
}

/* ---- clipping ------------------------------------------------------------------------------- */

static struct corner cut(const struct corner *in, double din, const struct corner *out,
                         double dout)
{
    double t = din / (din - dout);
    struct corner c;

    for (unsigned k = 0; k < 4; k++)
        c.pos[k] = in->pos[k] + t * (out->pos[k] - in->pos[k]);
    for (unsigned k = 0; k < 3; k++)
        c.b[k] = in->b[k] + t * (out->b[k] - in->b[k]);
    return c;
}

/* Cut a convex polygon by the plane. `closed`: false for a line (two corners, one edge). */
static void clip_plane(const struct raster_pa_state *pa, unsigned plane, struct polygon *poly,
                       const struct raster_vertex *const v[3], bool closed)
{
    double d[RASTER_PA_CORNERS_MAX];
    struct polygon res = { .n = 0 };

    for (unsigned k = 0; k < poly->n; k++) {
        d[k] = corner_dist(pa, plane, &poly->c[k], v);
        if (isnan(d[k]))
            d[k] = -1;
    }
    for (unsigned k = 0; k < poly->n; k++) {
        unsigned next = (k + 1) % poly->n;
        bool in = d[k] >= 0, in_next = d[next] >= 0;

        if (in && res.n < RASTER_PA_CORNERS_MAX)
            res.c[res.n++] = poly->c[k];
        if (in != in_next && (closed || k == 0) && res.n < RASTER_PA_CORNERS_MAX) {
            res.c[res.n] = in ? cut(&poly->c[k], d[k], &poly->c[next], d[next])
                              : cut(&poly->c[next], d[next], &poly->c[k], d[k]);
            /* From where it leaves, the polygon goes along the plane; where it comes back, along its edge. */
            res.c[res.n++].edge = in ? pa->boundary_edges : poly->c[k].edge;
        }
    }
    *poly = res;
}

/* Returns false when nothing is left. *was_cut says whether a plane cut anything. */
static bool clip(const struct raster_pa_state *pa, uint32_t planes, struct polygon *poly,
                 const struct raster_vertex *const v[3], bool *was_cut)
{
    const bool closed = poly->n > 2;
    const unsigned least = poly->n;

    *was_cut = false;
    for (unsigned p = 0; p < PLANES; p++) {
        bool needed = false;

        if (!(planes >> p & 1))
            continue;
        for (unsigned k = 0; k < poly->n; k++)
            needed |= !(corner_dist(pa, p, &poly->c[k], v) >= 0);
        if (!needed)
            continue;
        *was_cut = true;
        clip_plane(pa, p, poly, v, closed);
        if (poly->n < least)
            return false;
    }
    return true;
}

/* ---- viewport --------------------------------------------------------------------------------- */

struct screen {
    int32_t x, y;  /* fixed point */
    float z;
    double inv_w;
    double b[3];   /* as the corner's, linear in clip space */
    double lin[3]; /* barycentrics that are linear on the screen */
    bool edge;
};

/* One multiplication of the viewport transform. */
static float scaled(const struct raster_pa_state *pa, float v, float by)
{
    return pa->zero_x_naninf_is_0 && (v == 0 || by == 0) ? 0 : v * by;
}

/* PA_CL_NANINF_CNTL on what was transformed. */
static bool keeps(const struct raster_pa_state *pa, float x, float y, float z, float rw)
{
    return !(pa->naninf[0].inf_discard && (isinf(x) || isinf(y))) && !(pa->naninf[1].inf_discard && isinf(z)) &&
           !(pa->naninf[2].inf_discard && isinf(rw));
}

/* False when the primitive is dropped. */
static bool to_screen(const struct raster_pa_state *pa, const struct raster_viewport *vp,
                      const struct corner *c, const double vertex_w[3], struct screen *out)
{
    float x = (float)c->pos[0], y = (float)c->pos[1], z = (float)c->pos[2];
    float w = (float)c->pos[3], rw = pa->w_is_w ? 1.0f / w : w;
    struct screen s;
    double sum = 0;

    if (!pa->xy_is_divided) {
        x = scaled(pa, x, rw);
        y = scaled(pa, y, rw);
    }
    if (!pa->z_is_divided)
        z = scaled(pa, z, rw);
    if (pa->xscale_ena)
        x = scaled(pa, x, vp->xscale);
    if (pa->xoffset_ena)
        x += vp->xoffset;
    if (pa->yscale_ena)
        y = scaled(pa, y, vp->yscale);
    if (pa->yoffset_ena)
        y += vp->yoffset;
    if (pa->zscale_ena)
        z = scaled(pa, z, vp->zscale);
    if (pa->zoffset_ena)
        z += vp->zoffset;
    if (pa->vtx_window_offset) {
        x += (float)pa->window_offset_x;
        y += (float)pa->window_offset_y;
    }
    s.x = raster_quantise(pa, x);
    s.y = raster_quantise(pa, y);
    s.z = z;
    s.inv_w = pa->persp_corr_dis ? 1.0 : rw;
    for (unsigned k = 0; k < 3; k++) {
        s.b[k] = c->b[k];
        s.lin[k] = c->b[k] * vertex_w[k];
        sum += s.lin[k];
    }
    for (unsigned k = 0; k < 3; k++)
        s.lin[k] = pa->linear_attr_clip && sum != 0 ? s.lin[k] / sum : c->b[k];
    s.edge = c->edge;
    *out = s;
    return keeps(pa, x, y, z, rw);
}

/* ---- set-up ----------------------------------------------------------------------------------- */

static int64_t area2(const struct screen *a, const struct screen *b, const struct screen *c)
{
    return (int64_t)(b->x - a->x) * (c->y - a->y) - (int64_t)(c->x - a->x) * (b->y - a->y);
}

static struct raster_plane plane(const struct screen *a, const struct screen *b,
                                 const struct screen *c, double va, double vb, double vc)
{
    const double one = RASTER_FIX_ONE;
    double bx = (b->x - a->x) / one, by = (b->y - a->y) / one;
    double cx = (c->x - a->x) / one, cy = (c->y - a->y) / one;
    double det = bx * cy - cx * by, db = vb - va, dc = vc - va;
    struct raster_plane p = { va, 0, 0 };

    if (det != 0) {
        p.dx = (db * cy - dc * by) / det;
        p.dy = (bx * dc - cx * db) / det;
    }
    return p;
}

/* The planes of everything that is interpolated, from three corners. */
static void set_planes(struct raster_prim *p, const struct screen *a, const struct screen *b,
                       const struct screen *c)
{
    p->x0 = (double)a->x / RASTER_FIX_ONE;
    p->y0 = (double)a->y / RASTER_FIX_ONE;
    p->persp_w = plane(a, b, c, a->inv_w, b->inv_w, c->inv_w);
    p->persp_i = plane(a, b, c, a->b[1] * a->inv_w, b->b[1] * b->inv_w, c->b[1] * c->inv_w);
    p->persp_j = plane(a, b, c, a->b[2] * a->inv_w, b->b[2] * b->inv_w, c->b[2] * c->inv_w);
    p->lin_i = plane(a, b, c, a->lin[1], b->lin[1], c->lin[1]);
    p->lin_j = plane(a, b, c, a->lin[2], b->lin[2], c->lin[2]);
    p->z = plane(a, b, c, a->z, b->z, c->z);
}

/* Polygon offset: scale * the steepest slope (the register holds 16 times the factor) + offset *
 * the smallest step of the depth format, clamped. */
static void offset_depth(const struct raster_pa_state *pa, struct raster_prim *p,
                         const struct screen *s, unsigned n)
{
    const unsigned back = !p->front;
    double slope, step, o;

    if (!(back ? pa->offset_back_ena : pa->offset_front_ena))
        return;
    slope = fmax(fabs(p->z.dx), fabs(p->z.dy));
    step = ldexp(1.0, pa->offset_db_bits);
    if (pa->offset_db_float) {
        double zmax = 0;
        int e;
        for (unsigned k = 0; k < n; k++)
            zmax = fmax(zmax, fabs((double)s[k].z));
        frexp(zmax, &e); /* zmax = m * 2^e, m in [0.5, 1) */
        step = ldexp(1.0, e - 1 + pa->offset_db_bits);
    }
    o = slope * pa->offset_scale[back] / 16 + pa->offset_offset[back] * step;
    if (pa->offset_clamp > 0)
        o = fmin(o, pa->offset_clamp);
    else if (pa->offset_clamp < 0)
        o = fmax(o, pa->offset_clamp);
    p->z.a0 += o;
}

static void set_corners(struct raster_prim *p, unsigned n, const struct screen *const s[4])
{
    p->corners = n;
    for (unsigned k = 0; k < n; k++) {
        p->x[k] = s[k]->x;
        p->y[k] = s[k]->y;
    }
}

static void set_box(struct raster_prim *p, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    const int32_t lo = -RASTER_FIX_MAX, hi = RASTER_FIX_MAX - 1;

    x0 = MAX2(x0, lo), y0 = MAX2(y0, lo), x1 = MIN2(x1, hi), y1 = MIN2(y1, hi);
    p->corners = 4;
    p->x[0] = x0, p->y[0] = y0;
    p->x[1] = x1, p->y[1] = y0;
    p->x[2] = x1, p->y[2] = y1;
    p->x[3] = x0, p->y[3] = y1;
}

/* Three vertices of a screen-aligned rectangle; the fourth completes the parallelogram, and the
 * planes go on beyond the triangle. Not culled by facing. */
static unsigned set_rectangle(const struct raster_prim *proto, const struct screen *s,
                              struct raster_prim *out)
{
    struct raster_prim p = *proto;

    if (area2(&s[0], &s[1], &s[2]) == 0)
        return 0;
    p.shape = RASTER_RECTANGLE;
    p.front = true;
    set_planes(&p, &s[0], &s[1], &s[2]);
    set_box(&p, MIN2(s[0].x, MIN2(s[1].x, s[2].x)), MIN2(s[0].y, MIN2(s[1].y, s[2].y)),
            MAX2(s[0].x, MAX2(s[1].x, s[2].x)), MAX2(s[0].y, MAX2(s[1].y, s[2].y)));
    *out = p;
    return 1;
}

static int32_t half_size(const struct raster_pa_state *pa, double half_px)
{
    double fix = half_px * RASTER_FIX_ONE;

    return fix >= RASTER_FIX_MAX ? RASTER_FIX_MAX / 2 : (int32_t)fix;
}

/* The square of a point whose vertex says `size`. False: it has none. */
static bool point_box(const struct raster_pa_state *pa, const struct screen *s, double size,
                      struct raster_prim *p)
{
    double hw = pa->point_width / 16.0, hh = pa->point_height / 16.0;
    int32_t rx, ry;

    if (pa->use_point_size) {
        if (!(size >= pa->point_min)) /* and NaN */
            size = pa->point_min;
        hw = hh = fmin(size, pa->point_max) / 2;
    }
    rx = half_size(pa, hw);
    ry = half_size(pa, hh);
    if (rx == 0 || ry == 0)
        return false;
    p->shape = RASTER_POINT;
    set_box(p, MAX2(s->x, -RASTER_FIX_MAX / 2) - rx, MAX2(s->y, -RASTER_FIX_MAX / 2) - ry,
            MIN2(s->x, RASTER_FIX_MAX / 2) + rx, MIN2(s->y, RASTER_FIX_MAX / 2) + ry);
    /* i and j of a point run over the square, 0 to 1 from left to right and top to bottom. */
    p->lin_i = (struct raster_plane){ 0.5, RASTER_FIX_ONE / (2.0 * rx), 0 };
    p->lin_j = (struct raster_plane){ 0.5, 0, RASTER_FIX_ONE / (2.0 * ry) };
    return true;
}

static unsigned set_point(const struct raster_pa_state *pa, const struct raster_prim *proto,
                          const struct screen *s, const struct raster_vertex *v,
                          struct raster_prim *out)
{
    struct raster_prim p = *proto;

    if (!point_box(pa, s, v->point_size, &p))
        return 0;
    p.front = true;
    p.x0 = (double)s->x / RASTER_FIX_ONE;
    p.y0 = (double)s->y / RASTER_FIX_ONE;
    p.persp_w = (struct raster_plane){ s->inv_w, 0, 0 };
    p.z = (struct raster_plane){ s->z, 0, 0 };
    p.persp_i = (struct raster_plane){ 0.5 * s->inv_w, p.lin_i.dx * s->inv_w, 0 };
    p.persp_j = (struct raster_plane){ 0.5 * s->inv_w, 0, p.lin_j.dy * s->inv_w };
    *out = p;
    return 1;
}

/* The corners of a line: a parallelogram along its major axis, `width` in the minor direction, ends cut along
 * the minor axis; or a rectangle with perpendicular ends. (*ox, *oy) is half the width. False: no length. */
static bool line_corners(const struct raster_state *st, const struct screen *a, const struct screen *b,
                         struct raster_prim *p, double *ox, double *oy)
{
    int64_t dx = (int64_t)b->x - a->x, dy = (int64_t)b->y - a->y;
    double len2 = (double)dx * dx + (double)dy * dy;
    double hw = st->pa.line_width / 16.0 * RASTER_FIX_ONE;

    if (len2 == 0)
        return false;
    if (st->sc.line_perp_endcap) {
        *ox = -dy * hw / sqrt(len2);
        *oy = dx * hw / sqrt(len2);
    } else if (llabs(dx) >= llabs(dy)) {
        *ox = 0;
        *oy = dx >= 0 ? hw : -hw;
    } else {
        *ox = dy >= 0 ? -hw : hw;
        *oy = 0;
    }
    p->shape = RASTER_LINE;
    p->corners = 4;
    for (unsigned k = 0; k < 4; k++) {
        const struct screen *e = k == 1 || k == 2 ? b : a;
        double sign = k < 2 ? -1 : 1;
        double x = nearbyint(e->x + sign * *ox), y = nearbyint(e->y + sign * *oy);

        p->x[k] = (int32_t)fmax(-RASTER_FIX_MAX, fmin(RASTER_FIX_MAX - 1, x));
        p->y[k] = (int32_t)fmax(-RASTER_FIX_MAX, fmin(RASTER_FIX_MAX - 1, y));
    }
    return true;
}

/* Which pixels of the line get which bits of the pattern: one after another along the major axis, those whose
 * centres lie between the ends. */
static void set_stipple(const struct raster_pa_state *pa, const struct screen *a, const struct screen *b,
                        struct raster_prim *p, uint32_t *count)
{
    const int64_t dx = (int64_t)b->x - a->x, dy = (int64_t)b->y - a->y;
    const bool x_major = llabs(dx) >= llabs(dy);
    const int64_t from = x_major ? a->x : a->y, to = x_major ? b->x : b->y;
    /* Pixel n has its centre at or after v from n = ceil(v - 1/2) on. */
    const int64_t half = RASTER_FIX_ONE / 2;
    const int32_t lo = (int32_t)((MIN2(from, to) - half + RASTER_FIX_ONE - 1) >> RASTER_FIX_BITS);
    const int32_t hi = (int32_t)((MAX2(from, to) - half + RASTER_FIX_ONE - 1) >> RASTER_FIX_BITS);

    if (!pa->stipple)
        return;
    p->stipple.on = true;
    p->stipple.x_major = x_major;
    p->stipple.step = to >= from ? 1 : -1;
    p->stipple.first_px = to >= from ? lo : hi - 1;
    p->stipple.count = *count;
    *count += (uint32_t)(hi - lo);
}

static unsigned set_line(const struct raster_state *st, const struct raster_prim *proto,
                         const struct screen *s, struct raster_prim *out, uint32_t *stipple)
{
    const struct raster_pa_state *pa = &st->pa;
    struct raster_prim p = *proto;
    struct screen side;
    double ox, oy;

    if (!line_corners(st, &s[0], &s[1], &p, &ox, &oy))
        return 0;
    p.front = true;
    /* Nothing changes across the line: the third corner of the planes lies beside the first. */
    side = s[0];
    side.x = (int32_t)fmax(-RASTER_FIX_MAX, fmin(RASTER_FIX_MAX - 1, s[0].x + ox * 16));
    side.y = (int32_t)fmax(-RASTER_FIX_MAX, fmin(RASTER_FIX_MAX - 1, s[0].y + oy * 16));
    set_planes(&p, &s[0], &s[1], &side);
    if (pa->offset_para_ena)
        offset_depth(pa, &p, s, 2);
    set_stipple(pa, &s[0], &s[1], &p, stipple);
    *out = p;
    return 1;
}

/* The edges or corners of a triangle (or what clipping left of it), with the triangle's planes, or at a corner
 * their value there. p has the planes, facing and offset. */
static unsigned set_poly_mode(const struct raster_state *st, const struct raster_prim *p, uint32_t ptype,
                              const struct screen *s, unsigned n, const struct raster_vertex *const v[3],
                              struct raster_prim *out, uint32_t *stipple)
{
    unsigned count = 0;

    for (unsigned k = 0; k < n; k++) {
        const struct screen *a = &s[k], *b = &s[(k + 1) % n];
        struct raster_prim e = *p;
        double ox, oy, size = 0;

        if (!a->edge)
            continue;
        if (ptype == V_PA_SU_SC_MODE_CNTL__POLYMODE_FRONT_PTYPE__X_DRAW_POINTS) {
            for (unsigned i = 0; i < 3; i++)
                size += a->b[i] * v[i]->point_size;
            if (!point_box(&st->pa, a, size, &e))
                continue;
            e.x0 = (double)a->x / RASTER_FIX_ONE;
            e.y0 = (double)a->y / RASTER_FIX_ONE;
            e.persp_w = (struct raster_plane){ a->inv_w, 0, 0 };
            e.persp_i = (struct raster_plane){ a->b[1] * a->inv_w, 0, 0 };
            e.persp_j = (struct raster_plane){ a->b[2] * a->inv_w, 0, 0 };
            e.lin_i = (struct raster_plane){ a->lin[1], 0, 0 };
            e.lin_j = (struct raster_plane){ a->lin[2], 0, 0 };
            e.z = (struct raster_plane){ p->z.a0 + p->z.dx * (e.x0 - p->x0) + p->z.dy * (e.y0 - p->y0), 0, 0 };
        } else {
            if (!line_corners(st, a, b, &e, &ox, &oy))
                continue;
            set_stipple(&st->pa, a, b, &e, stipple);
        }
        out[count++] = e;
    }
    return count;
}

static unsigned set_triangles(const struct raster_state *st, const struct raster_prim *proto,
                              const struct screen *s, unsigned n, const struct raster_vertex *const v[3],
                              struct raster_prim *out, uint32_t *stipple)
{
    const struct raster_pa_state *pa = &st->pa;
    struct raster_prim p = *proto;
    int64_t best_area = 0;
    unsigned best = 0, count = 0;
    uint32_t ptype;

    /* The planes come from the largest triangle of the fan: a sliver's would be poor. */
    for (unsigned k = 1; k + 1 < n; k++) {
        int64_t a = area2(&s[0], &s[k], &s[k + 1]);
        if (llabs(a) > llabs(best_area)) {
            best_area = a;
            best = k;
        }
    }
    if (best_area == 0)
        return 0;
    p.shape = RASTER_TRIANGLE;
    p.front = (best_area > 0) == pa->front_is_cw; /* y points down: positive is clockwise */
    if (p.front ? pa->cull_front : pa->cull_back)
        return 0;
    set_planes(&p, &s[0], &s[best], &s[best + 1]);
    offset_depth(pa, &p, s, n);
    ptype = p.front ? pa->ptype_front : pa->ptype_back;
    if (pa->poly_mode && ptype != V_PA_SU_SC_MODE_CNTL__POLYMODE_FRONT_PTYPE__X_DRAW_TRIANGLES)
        return set_poly_mode(st, &p, ptype, s, n, v, out, stipple);
    for (unsigned k = 1; k + 1 < n; k++) {
        if (area2(&s[0], &s[k], &s[k + 1]) == 0)
            continue;
        set_corners(&p, 3, (const struct screen *const[4]){ &s[0], &s[k], &s[k + 1] });
        out[count++] = p;
    }
    return count;
}

/* ---- the stage -------------------------------------------------------------------------------- */

static unsigned drop(struct raster_counters *cnt)
{
    cnt->pa_culled++;
    return 0;
}

unsigned raster_pa_prim(const struct raster_state *st, const struct raster_ia_prim *ip,
                        const struct raster_vertex *const vertex[3],
                        struct raster_prim out[RASTER_PA_OUT_MAX], uint32_t *stipple,
                        struct raster_counters *cnt)
{
    const struct raster_pa_state *pa = &st->pa;
    const unsigned n = ip->verts;
    const struct raster_vertex *pv = vertex[ip->provoking];
    struct raster_vertex copy[3];
    const struct raster_vertex *v[3] = { NULL, NULL, NULL };
    uint32_t planes = planes_used(pa);
    struct raster_prim proto = { .prim_id = ip->prim_id, .provoking = ip->provoking,
                                 .verts = (uint8_t)n };
    struct polygon poly = { .n = n };
    struct screen s[RASTER_PA_CORNERS_MAX];
    double vertex_w[3] = { 1, 1, 1 };
    unsigned count;
    bool was_cut = false;

    cnt->pa_prims_in++;
    if (pa->stipple_reset == RASTER_STIPPLE_RESET_PRIM || (pa->stipple_reset && ip->starts))
        *stipple = 0;
    for (unsigned k = 0; k < n; k++)
        v[k] = vertex[k];
    if (pa->rasterization_kill || killed(pa, v, n))
        return drop(cnt);
    for (unsigned k = 0; k < n; k++) {
        bool finite = true;

        for (unsigned c = 0; c < 4; c++)
            finite &= isfinite(v[k]->pos[c]) != 0;
        if (finite && !pa->dist_inf_discard)
            continue;
        copy[k] = *v[k];
        v[k] = &copy[k];
        if (!clean_vertex(pa, &copy[k]))
            return drop(cnt);
    }
    cnt->pa_c_invocations++;
    if (outside(pa, v, n, planes))
        return drop(cnt);

    for (unsigned k = 0; k < n; k++) {
        for (unsigned c = 0; c < 4; c++)
            poly.c[k].pos[c] = v[k]->pos[c];
        for (unsigned c = 0; c < 3; c++)
            poly.c[k].b[c] = c == k;
        poly.c[k].edge = (ip->edges >> k & 1) && (!pa->use_edge_flag || v[k]->edge_flag);
        proto.slot[k] = v[k]->param_slot;
        vertex_w[k] = v[k]->pos[3];
    }
    for (unsigned k = n; k < 3; k++)
        proto.slot[k] = proto.slot[0];

    if (pa->ucp_cull_only)
        planes &= ~(((1u << RASTER_UCPS) - 1) << PLANE_UCP);
    /* Points and rectangles are taken or dropped whole. */
    if (n > 1 && !ip->rect && !clip(pa, planes, &poly, v, &was_cut))
        return drop(cnt);
    if ((n == 1 || ip->rect) && !pa->clip_disable)
        for (unsigned k = 0; k < n; k++)
            if (!(v[k]->pos[3] > 0))
                return drop(cnt);
    cnt->pa_clipped += was_cut;

    proto.slice = pa->use_rt_index ? pv->rt_index : 0;
    proto.viewport = pa->use_viewport_index && pv->viewport < RASTER_VIEWPORTS ? pv->viewport : 0;
    proto.scissor = pa->vp[proto.viewport].scissor;
    proto.zmin = pa->vp[proto.viewport].zmin;
    proto.zmax = pa->vp[proto.viewport].zmax;
    for (unsigned k = 0; k < poly.n; k++)
        if (!to_screen(pa, &pa->vp[proto.viewport], &poly.c[k], vertex_w, &s[k]))
            return drop(cnt);

    cnt->pa_c_primitives += n == 3 && !ip->rect ? poly.n - 2 : 1;
    if (n == 1)
        count = set_point(pa, &proto, s, v[0], out);
    else if (n == 2)
        count = set_line(st, &proto, s, out, stipple);
    else if (ip->rect)
        count = set_rectangle(&proto, s, out);
    else
        count = set_triangles(st, &proto, s, poly.n, v, out, stipple);
    return count ? count : drop(cnt);
}
