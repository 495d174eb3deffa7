/* Scan conversion: which samples of which pixels a primitive covers, exactly.
 *
 * Corners are integers (1/4096 pixel), sample positions are multiples of 1/16 pixel, so an edge
 * function is an exact 64-bit integer and a sample is inside, outside or on the edge with no
 * doubt. Who owns a sample on an edge is PA_SC_EDGERULE's word: a bit each for left, right, top
 * and bottom edges (0xa: left and top, the rule of Direct3D, Vulkan and OpenGL). Two triangles
 * that share an edge so never both cover a sample, and never both miss it.
 *
 * The screen is walked in 8x8 tiles in raster order, each tile in quads in raster order: the order
 * in which later stages see pixels, and so a part of what is deterministic. Tiles wholly on one
 * side of an edge skip that edge's samples.
 *
 * Sources: PA_SC_* names and fields; the meaning of the EDGERULE bits from the rules that open
 * drivers program for the two window origins (docs/errata.md, E-edgerule). */
#include "raster/raster.h"

#include <math.h>

struct edge {
    int64_t dx, dy;  /* E(x, y) = dx * (y - ay) - dy * (x - ax): inside is positive */
    int64_t ax, ay;
    int64_t least;   /* the smallest E that counts as inside: 0 when the edge is owned, else 1 */
};

static unsigned edge_side(int64_t dx, int64_t dy)
{
    if (dy < 0)
        return RASTER_ER_LEFT;
    if (dy > 0)
        return RASTER_ER_RIGHT;
    return dx > 0 ? RASTER_ER_TOP : RASTER_ER_BOTTOM;
}

static unsigned edge_rule(const struct raster_sc_state *sc, enum raster_shape shape)
{
    switch (shape) {
    case RASTER_RECTANGLE: return sc->er_rect;
    case RASTER_POINT: return sc->er_point;
    default: return sc->er_tri; /* lines: see docs/errata.md, E-lines */
    }
}

/* Edges in clockwise order on a screen whose y points down. Returns how many; 0: no area. */
static unsigned make_edges(const struct raster_sc_state *sc, const struct raster_prim *p,
                           struct edge e[4])
{
    const unsigned n = p->corners, rule = edge_rule(sc, p->shape);
    int64_t area = 0;

    for (unsigned k = 2; k < n; k++)
        area += (int64_t)(p->x[k - 1] - p->x[0]) * (p->y[k] - p->y[0]) -
                (int64_t)(p->x[k] - p->x[0]) * (p->y[k - 1] - p->y[0]);
    if (area == 0)
        return 0;
    for (unsigned k = 0; k < n; k++) {
        unsigned a = k, b = (k + 1) % n;

        if (area < 0) {
            a = (n - k) % n;
            b = n - 1 - k;
        }
        e[k].ax = p->x[a];
        e[k].ay = p->y[a];
        e[k].dx = (int64_t)p->x[b] - p->x[a];
        e[k].dy = (int64_t)p->y[b] - p->y[a];
        e[k].least = rule & edge_side(e[k].dx, e[k].dy) ? 0 : 1;
    }
    return n;
}

void raster_sample_offset(const struct raster_sc_state *sc, unsigned pixel, unsigned sample,
                          int *x16, int *y16)
{
    *x16 = 8;
    *y16 = 8;
    if (sc->msaa) {
        *x16 += sc->pos[pixel][sample].x;
        *y16 += sc->pos[pixel][sample].y;
    }
}

/* What the walk over one primitive needs. */
struct walk {
    struct edge e[4];
    unsigned edges, samples;
    /* Sample positions from the quad's corner in fixed point, [pixel][sample]. */
    int32_t sx[4][RASTER_SAMPLES_MAX], sy[4][RASTER_SAMPLES_MAX];
    int64_t de[4][4][RASTER_SAMPLES_MAX]; /* the same as steps of each edge function */
};

static int64_t edge_at(const struct edge *e, int64_t x, int64_t y)
{
    return e->dx * (y - e->ay) - e->dy * (x - e->ax);
}

enum tile_side { TILE_OUT, TILE_CUT, TILE_IN };

/* Where a tile of 8x8 pixels lies to an edge. E is linear: its extremes are at corners. */
static enum tile_side tile_side(const struct edge *e, int64_t at_origin)
{
    const int64_t size = RASTER_TILE_PX * RASTER_FIX_ONE;
    int64_t gx = -e->dy * size, gy = e->dx * size;
    int64_t lo = at_origin + MIN2(gx, 0) + MIN2(gy, 0), hi = at_origin + MAX2(gx, 0) + MAX2(gy, 0);

    return hi < e->least ? TILE_OUT : lo >= e->least ? TILE_IN : TILE_CUT;
}

/* Bit p of a quad's pixels inside a rectangle. */
static unsigned pixels_in(const struct raster_rect *r, int32_t x, int32_t y)
{
    unsigned col = (x >= r->x0 && x < r->x1) | (x + 1 >= r->x0 && x + 1 < r->x1) << 1;
    unsigned m = 0;

    if (y >= r->y0 && y < r->y1)
        m |= col;
    if (y + 1 >= r->y0 && y + 1 < r->y1)
        m |= col << 2;
    return m;
}

static unsigned pixels_by_cliprects(const struct raster_sc_state *sc, int32_t x, int32_t y)
{
    unsigned in[RASTER_CLIPRECTS], m = 0;

    for (unsigned r = 0; r < RASTER_CLIPRECTS; r++)
        in[r] = pixels_in(&sc->cliprect[r], x, y);
    for (unsigned p = 0; p < 4; p++) {
        unsigned which = 0;
        for (unsigned r = 0; r < RASTER_CLIPRECTS; r++)
            which |= (in[r] >> p & 1) << r;
        m |= (sc->cliprect_rule >> which & 1u) << p;
    }
    return m;
}

/* The pixels of a quad that the line's pattern leaves. */
static unsigned pixels_by_stipple(const struct raster_pa_state *pa, const struct raster_prim *prim,
                                  int32_t x, int32_t y)
{
    unsigned m = 0;

    for (unsigned p = 0; p < 4; p++) {
        const int32_t px = prim->stipple.x_major ? x + (int32_t)(p & 1) : y + (int32_t)(p >> 1);
        const uint32_t n = prim->stipple.count + (uint32_t)((px - prim->stipple.first_px) * prim->stipple.step);
        const unsigned bit = n / pa->stipple_repeat % 16;

        m |= (pa->stipple_pattern >> (pa->stipple_msb_first ? 15 - bit : bit) & 1u) << p;
    }
    return m;
}

/* Cover one quad at pixel (x, y); at[] the edge functions at the tile's origin, (qx, qy) the
 * quad's place from there in fixed point; `cut` the edges that must be looked at. */
static bool cover_quad(const struct raster_state *st, const struct raster_prim *prim,
                       const struct walk *w, const int64_t at[4], unsigned cut, int32_t x,
                       int32_t y, int64_t qx, int64_t qy, struct raster_quad *q)
{
    const struct raster_sc_state *sc = &st->sc;
    unsigned pixels = pixels_in(&prim->scissor, x, y);
    bool any = false;

    if (prim->stipple.on)
        pixels &= pixels_by_stipple(&st->pa, prim, x, y);

    if (pixels && sc->cliprects_used)
        pixels &= pixels_by_cliprects(sc, x, y);
    q->x = x;
    q->y = y;
    q->iter = 0;
    for (unsigned p = 0; p < 4; p++) {
        uint32_t m = pixels >> p & 1 ? (1u << w->samples) - 1 : 0;

        for (unsigned k = 0; m && k < w->edges; k++) {
            const struct edge *e = &w->e[k];
            int64_t base = at[k] - e->dy * qx + e->dx * qy - e->least;
            uint32_t out = 0;

            if (!(cut >> k & 1))
                continue;
            for (unsigned s = 0; s < w->samples; s++)
                out |= (uint32_t)((uint64_t)(base + w->de[k][p][s]) >> 63) << s;
            m &= ~out;
        }
        /* Without MSAA the one sample at the centre stands for all of the pixel's. */
        if (!sc->msaa && m)
            m = (1u << (1u << MAX2(sc->samples_log2, sc->whole_log2))) - 1;
        q->mask[p] = m & sc->aa_mask[p];
        q->cover[p] = sc->centroid_masked ? q->mask[p] : m;
        any |= q->mask[p] != 0;
    }
    return any;
}

static void count_quads(struct raster_counters *cnt, const struct raster_quad *q, unsigned n)
{
    cnt->sc_tiles++;
    cnt->sc_quads += n;
    for (unsigned i = 0; i < n; i++)
        for (unsigned p = 0; p < 4; p++) {
            cnt->sc_pixels += q[i].mask[p] != 0;
            cnt->sc_samples += __builtin_popcount(q[i].mask[p]);
        }
}

unsigned raster_lane(int32_t x, int32_t y, unsigned lanes)
{
    return (unsigned)((x >> RASTER_BIN_LOG2) + 3 * (y >> RASTER_BIN_LOG2)) & (lanes - 1);
}

void raster_sc_prim(const struct raster_state *st, const struct raster_prim *p,
                    raster_quads_fn fn, void *ctx, struct raster_counters *cnt)
{
    raster_sc_prim_lane(st, p, 0, 1, fn, ctx, cnt);
}

/* Whether a box in pixels has a bin of a lane: neighbours in x are of different lanes. */
static bool box_has_lane(int32_t x0, int32_t y0, int32_t x1, int32_t y1, unsigned lane, unsigned lanes)
{
    for (int32_t y = y0 >> RASTER_BIN_LOG2; y <= (y1 - 1) >> RASTER_BIN_LOG2; y++)
        for (int32_t x = x0 >> RASTER_BIN_LOG2; x <= (x1 - 1) >> RASTER_BIN_LOG2; x++)
            if (raster_lane(x * RASTER_BIN_PX, y * RASTER_BIN_PX, lanes) == lane)
                return true;
    return false;
}

void raster_sc_prim_lane(const struct raster_state *st, const struct raster_prim *p, unsigned lane,
                         unsigned lanes, raster_quads_fn fn, void *ctx, struct raster_counters *cnt)
{
    const struct raster_sc_state *sc = &st->sc;
    int32_t x0 = p->x[0], y0 = p->y[0], x1 = x0, y1 = y0;
    struct walk w;

    cnt->sc_prims += lane == 0;
    for (unsigned k = 1; k < p->corners; k++) {
        x0 = MIN2(x0, p->x[k]), x1 = MAX2(x1, p->x[k]);
        y0 = MIN2(y0, p->y[k]), y1 = MAX2(y1, p->y[k]);
    }
    /* In pixels, within the scissor, then out to whole tiles. */
    x0 = MAX2(x0 >> RASTER_FIX_BITS, p->scissor.x0);
    y0 = MAX2(y0 >> RASTER_FIX_BITS, p->scissor.y0);
    x1 = MIN2((x1 >> RASTER_FIX_BITS) + 1, p->scissor.x1);
    y1 = MIN2((y1 >> RASTER_FIX_BITS) + 1, p->scissor.y1);
    if (x0 >= x1 || y0 >= y1 || (lanes > 1 && !box_has_lane(x0, y0, x1, y1, lane, lanes)))
        return;
    w.edges = make_edges(sc, p, w.e);
    if (!w.edges)
        return;
    w.samples = sc->msaa ? 1u << sc->samples_log2 : 1;
    for (unsigned px = 0; px < 4; px++)
        for (unsigned s = 0; s < w.samples; s++) {
            int ox, oy;

            raster_sample_offset(sc, px, s, &ox, &oy);
            w.sx[px][s] = (int32_t)(px & 1) * RASTER_FIX_ONE + ox * (RASTER_FIX_ONE / 16);
            w.sy[px][s] = (int32_t)(px >> 1) * RASTER_FIX_ONE + oy * (RASTER_FIX_ONE / 16);
            for (unsigned k = 0; k < w.edges; k++)
                w.de[k][px][s] = w.e[k].dx * w.sy[px][s] - w.e[k].dy * w.sx[px][s];
        }

    for (int32_t ty = y0 & ~(RASTER_TILE_PX - 1); ty < y1; ty += RASTER_TILE_PX)
        for (int32_t tx = x0 & ~(RASTER_TILE_PX - 1); tx < x1; tx += RASTER_TILE_PX) {
            struct raster_quad q[RASTER_TILE_QUADS];
            int64_t at[4];
            unsigned cut = 0, n = 0;
            bool out = false;

            if (lanes > 1 && raster_lane(tx, ty, lanes) != lane) {
                tx |= RASTER_BIN_PX - RASTER_TILE_PX; /* the last tile of the bin */
                continue;
            }
            for (unsigned k = 0; k < w.edges && !out; k++) {
                enum tile_side side;

                at[k] = edge_at(&w.e[k], (int64_t)tx << RASTER_FIX_BITS,
                                (int64_t)ty << RASTER_FIX_BITS);
                side = tile_side(&w.e[k], at[k]);
                out = side == TILE_OUT;
                cut |= (side == TILE_CUT) << k;
            }
            if (out)
                continue;
            for (unsigned i = 0; i < RASTER_TILE_QUADS; i++) {
                int32_t qx = (i & 3) * 2, qy = (i >> 2) * 2;

                n += cover_quad(st, p, &w, at, cut, tx + qx, ty + qy,
                                (int64_t)qx << RASTER_FIX_BITS, (int64_t)qy << RASTER_FIX_BITS,
                                &q[n]);
            }
            if (n) {
                count_quads(cnt, q, n);
                fn(ctx, p, q, n);
            }
        }
}

/* ---- interpolation ---------------------------------------------------------------------------- */

static double at_plane(const struct raster_plane *pl, const struct raster_prim *p, double x,
                       double y)
{
    return pl->a0 + pl->dx * (x - p->x0) + pl->dy * (y - p->y0);
}

struct place {
    double x, y; /* in pixels */
};

static struct place sample_place(const struct raster_sc_state *sc, int32_t x, int32_t y,
                                 unsigned pixel, unsigned sample)
{
    int ox, oy;

    raster_sample_offset(sc, pixel, sample, &ox, &oy);
    return (struct place){ x + ox / 16.0, y + oy / 16.0 };
}

/* The centre of a wholly covered (or wholly uncovered) pixel, else the covered sample that comes
 * first in PA_SC_CENTROID_PRIORITY. */
static struct place centroid(const struct raster_sc_state *sc, int32_t x, int32_t y,
                             unsigned pixel, uint32_t mask)
{
    const unsigned n = 1u << sc->samples_log2;
    const uint32_t full = (1u << n) - 1;

    mask &= full;
    if (sc->msaa && mask && mask != full)
        for (unsigned i = 0; i < n; i++) {
            unsigned s = sc->centroid_priority[i];
            if (mask >> s & 1)
                return sample_place(sc, x, y, pixel, s);
        }
    return (struct place){ x + 0.5, y + 0.5 };
}

static void barycentrics(const struct raster_prim *p, struct place at, bool linear, uint32_t out[2])
{
    double i, j;

    if (linear) {
        i = at_plane(&p->lin_i, p, at.x, at.y);
        j = at_plane(&p->lin_j, p, at.x, at.y);
    } else {
        double w = at_plane(&p->persp_w, p, at.x, at.y);
        i = at_plane(&p->persp_i, p, at.x, at.y) / w;
        j = at_plane(&p->persp_j, p, at.x, at.y) / w;
    }
    out[0] = f32_bits((float)i);
    out[1] = f32_bits((float)j);
}

static float clamp_z(const struct raster_prim *p, double z)
{
    float f = (float)z;

    if (!(f >= p->zmin)) /* and NaN */
        return p->zmin;
    return f > p->zmax ? p->zmax : f;
}

void raster_interp(const struct raster_state *st, const struct raster_prim *prim,
                   const struct raster_quad *q, unsigned p, uint32_t need,
                   struct raster_lane_in *out)
{
    const struct raster_sc_state *sc = &st->sc;
    const int32_t x = q->x + (int32_t)(p & 1), y = q->y + (int32_t)(p >> 1);
    const struct place center = { x + 0.5, y + 0.5 };
    const struct place cent = centroid(sc, x, y, p, q->cover[p]);
    const struct place sample = sample_place(sc, x, y, p, q->iter);
    struct place pos;

    if (need & RASTER_IN_PERSP_SAMPLE)
        barycentrics(prim, sample, false, out->persp_sample);
    if (need & RASTER_IN_PERSP_CENTER)
        barycentrics(prim, center, false, out->persp_center);
    if (need & RASTER_IN_PERSP_CENTROID)
        barycentrics(prim, cent, false, out->persp_centroid);
    if (need & RASTER_IN_PERSP_PULL_MODEL) {
        out->pull_model[0] = f32_bits((float)at_plane(&prim->persp_i, prim, center.x, center.y));
        out->pull_model[1] = f32_bits((float)at_plane(&prim->persp_j, prim, center.x, center.y));
        out->pull_model[2] = f32_bits((float)at_plane(&prim->persp_w, prim, center.x, center.y));
    }
    if (need & RASTER_IN_LINEAR_SAMPLE)
        barycentrics(prim, sample, true, out->linear_sample);
    if (need & RASTER_IN_LINEAR_CENTER)
        barycentrics(prim, center, true, out->linear_center);
    if (need & RASTER_IN_LINEAR_CENTROID)
        barycentrics(prim, cent, true, out->linear_centroid);

    pos = st->spi.pos_location == 1 ? cent : st->spi.pos_location == 2 ? sample : center;
    if (need & RASTER_IN_POS_Z)
        out->pos[2] = f32_bits(clamp_z(prim, at_plane(&prim->z, prim, pos.x, pos.y)));
    if (need & RASTER_IN_POS_W)
        out->pos[3] = f32_bits((float)(1.0 / at_plane(&prim->persp_w, prim, pos.x, pos.y)));
    if (st->spi.pos_ulc)
        pos = (struct place){ x, y };
    out->pos[0] = f32_bits((float)pos.x);
    out->pos[1] = f32_bits((float)pos.y);
    out->front_face = prim->front ? (st->spi.front_face_all_bits ? UINT32_MAX : 1u << 31) : 0;
    out->ancillary = (uint32_t)(q->iter & 15) << 8 | (prim->slice & 0x1fff) << 16;
    out->coverage = q->mask[p] & ((1u << (1u << sc->samples_log2)) - 1);
    out->pos_fixed = ((uint32_t)x & 0xffff) | (uint32_t)y << 16;
}

float raster_sample_z(const struct raster_state *st, const struct raster_prim *prim, int32_t x,
                      int32_t y, unsigned sample)
{
    struct place at = sample_place(&st->sc, x, y, (x & 1) | (y & 1) << 1, sample);

    return clamp_z(prim, at_plane(&prim->z, prim, at.x, at.y));
}
