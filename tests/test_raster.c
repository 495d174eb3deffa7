/* raster/: primitives from indices, clipping and set-up, exact coverage.
 *
 * The reference for coverage is written another way on purpose: __int128 rationals, one sample at a
 * time, the rule of owned edges stated by nudging the sample instead of by biasing the edge. */
#include "raster/cb.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define PT(name) V_VGT_DI_PRIM_TYPE__DI_PT_##name

/* ---- random numbers: the same on every host ------------------------------------------------ */

static uint64_t rng_state;

static uint32_t rnd(void)
{
    rng_state = rng_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(rng_state >> 33);
}

static int32_t rnd_in(int32_t lo, int32_t hi)
{
    return lo + (int32_t)(rnd() % (uint32_t)(hi - lo + 1));
}

/* ---- a state as the drivers set it ---------------------------------------------------------- */

static struct raster_state state;

#define SCREEN 64

static void state_default(void)
{
    memset(&state, 0, sizeof state);
    state.gen = GFX7;
    state.pa.xscale_ena = state.pa.xoffset_ena = state.pa.yscale_ena = true;
    state.pa.yoffset_ena = state.pa.zscale_ena = state.pa.zoffset_ena = true;
    state.pa.w_is_w = state.pa.dx_clip_space = true;
    state.pa.znear_clip = state.pa.zfar_clip = true;
    state.pa.linear_attr_clip = true;
    state.pa.gb_horz_clip = state.pa.gb_vert_clip = 100;
    state.pa.gb_horz_disc = state.pa.gb_vert_disc = 1;
    state.pa.pix_center_half = true;
    state.pa.round_mode = 2;
    state.pa.quant_bits = 8;
    state.pa.point_width = state.pa.point_height = 8;
    state.pa.point_max = 1000;
    state.pa.line_width = 8;
    for (unsigned i = 0; i < RASTER_VIEWPORTS; i++) {
        struct raster_viewport *vp = &state.pa.vp[i];
        vp->xscale = vp->xoffset = vp->yscale = vp->yoffset = SCREEN / 2;
        vp->zscale = vp->zmax = 1;
        vp->scissor = (struct raster_rect){ 0, 0, SCREEN, SCREEN };
    }
    state.sc.er_tri = state.sc.er_point = state.sc.er_rect = RASTER_ER_LEFT | RASTER_ER_TOP;
    for (unsigned p = 0; p < 4; p++)
        state.sc.aa_mask[p] = 0xffff;
    for (unsigned s = 0; s < RASTER_SAMPLES_MAX; s++)
        state.sc.centroid_priority[s] = s;
}

static void random_samples(unsigned samples_log2)
{
    state.sc.msaa = true;
    state.sc.samples_log2 = samples_log2;
    for (unsigned p = 0; p < 4; p++)
        for (unsigned s = 0; s < RASTER_SAMPLES_MAX; s++)
            state.sc.pos[p][s] = (struct raster_sample_pos){ rnd_in(-8, 7), rnd_in(-8, 7) };
}

/* ---- coverage, collected -------------------------------------------------------------------- */

static uint16_t covered[SCREEN][SCREEN];
static unsigned quads_seen;

static void collect(void *ctx, const struct raster_prim *p, const struct raster_quad *q, unsigned n)
{
    ck_assert_uint_gt(n, 0);
    for (unsigned i = 0; i < n; i++) {
        ck_assert(!(q[i].x & 1) && !(q[i].y & 1));
        ck_assert(q[i].mask[0] | q[i].mask[1] | q[i].mask[2] | q[i].mask[3]);
        quads_seen++;
        for (unsigned k = 0; k < 4; k++) {
            int x = q[i].x + (int)(k & 1), y = q[i].y + (int)(k >> 1);

            if (!q[i].mask[k])
                continue;
            ck_assert(x >= 0 && y >= 0 && x < SCREEN && y < SCREEN);
            ck_assert_uint_eq(covered[y][x] & q[i].mask[k], 0);
            covered[y][x] |= q[i].mask[k];
        }
    }
}

/* Is the point (x, y) inside the triangle, an owned edge counting as inside? Coordinates in 1/4096
 * pixel. The rule for edges: move the point by an infinitesimal step, first in x, then (for
 * horizontal edges) in y. */
static bool inside(const int32_t tx[3], const int32_t ty[3], int64_t x, int64_t y, unsigned rule)
{
    bool left_in = rule & RASTER_ER_LEFT, top_in = rule & RASTER_ER_TOP;
    __int128 area = (__int128)(tx[1] - tx[0]) * (ty[2] - ty[0]) -
                    (__int128)(tx[2] - tx[0]) * (ty[1] - ty[0]);

    if (area == 0)
        return false;
    for (unsigned k = 0; k < 3; k++) {
        unsigned n = (k + 1) % 3;
        __int128 e = (__int128)(tx[n] - tx[k]) * (y - ty[k]) - (__int128)(ty[n] - ty[k]) * (x - tx[k]);
        __int128 by_x = -(__int128)(ty[n] - ty[k]), by_y = tx[n] - tx[k];

        if (area < 0)
            e = -e, by_x = -by_x, by_y = -by_y;
        if (!left_in)
            by_x = -by_x; /* owned edges are on the other side: step the other way */
        if (!top_in)
            by_y = -by_y;
        if (e == 0)
            e = by_x != 0 ? by_x : by_y;
        if (e < 0)
            return false;
    }
    return true;
}

static void scan(const int32_t x[3], const int32_t y[3])
{
    struct raster_prim p = { .shape = RASTER_TRIANGLE, .corners = 3,
                             .scissor = { 0, 0, SCREEN, SCREEN } };
    struct raster_counters cnt = { 0 };

    memcpy(p.x, x, 3 * sizeof *x);
    memcpy(p.y, y, 3 * sizeof *y);
    raster_sc_prim(&state, &p, collect, NULL, &cnt);
}

static void check_triangle(const int32_t x[3], const int32_t y[3], unsigned rule)
{
    memset(covered, 0, sizeof covered);
    scan(x, y);
    for (int py = 0; py < SCREEN; py++)
        for (int px = 0; px < SCREEN; px++) {
            unsigned want = 0, pixel = (px & 1) | (py & 1) << 1;

            for (unsigned s = 0; s < 1u << state.sc.samples_log2; s++) {
                int64_t sx = (int64_t)px * RASTER_FIX_ONE + RASTER_FIX_ONE / 2 +
                             state.sc.pos[pixel][s].x * (RASTER_FIX_ONE / 16);
                int64_t sy = (int64_t)py * RASTER_FIX_ONE + RASTER_FIX_ONE / 2 +
                             state.sc.pos[pixel][s].y * (RASTER_FIX_ONE / 16);
                want |= (unsigned)inside(x, y, sx, sy, rule) << s;
            }
            ck_assert_msg(covered[py][px] == want,
                          "pixel %d,%d: %#x, want %#x; triangle %d,%d %d,%d %d,%d", px, py,
                          covered[py][px], want, x[0], y[0], x[1], y[1], x[2], y[2]);
        }
}

/* Corners: anywhere near the screen, far outside, slivers, on sample positions, on a coarse grid. */
static void random_corner(unsigned kind, int32_t *x, int32_t *y)
{
    const int32_t one = RASTER_FIX_ONE;

    switch (kind) {
    case 0:
        *x = rnd_in(-8 * one, (SCREEN + 8) * one);
        *y = rnd_in(-8 * one, (SCREEN + 8) * one);
        break;
    case 1:
        *x = rnd_in(-RASTER_FIX_MAX, RASTER_FIX_MAX - 1);
        *y = rnd_in(-RASTER_FIX_MAX, RASTER_FIX_MAX - 1);
        break;
    case 2: { /* on a sample */
        int px = rnd_in(0, SCREEN - 1), py = rnd_in(0, SCREEN - 1);
        unsigned pixel = (px & 1) | (py & 1) << 1, s = rnd() & ((1u << state.sc.samples_log2) - 1);
        *x = px * one + one / 2 + state.sc.pos[pixel][s].x * (one / 16);
        *y = py * one + one / 2 + state.sc.pos[pixel][s].y * (one / 16);
        break;
    }
    case 3: /* whole pixels: many samples on edges */
        *x = rnd_in(0, 8) * 8 * one + (rnd() & 1) * one / 2;
        *y = rnd_in(0, 8) * 8 * one + (rnd() & 1) * one / 2;
        break;
    default: /* within one pixel of the middle: tiny ones */
        *x = SCREEN / 2 * one + rnd_in(-one, one);
        *y = SCREEN / 2 * one + rnd_in(-one, one);
        break;
    }
}

START_TEST(coverage_is_exact)
{
    static const unsigned rules[4] = { RASTER_ER_LEFT | RASTER_ER_TOP,
                                       RASTER_ER_LEFT | RASTER_ER_BOTTOM,
                                       RASTER_ER_RIGHT | RASTER_ER_TOP,
                                       RASTER_ER_RIGHT | RASTER_ER_BOTTOM };

    state_default();
    rng_state = 1;
    for (unsigned log2 = 0; log2 <= 4; log2++)
        for (unsigned i = 0; i < 60; i++) {
            int32_t x[3], y[3];

            random_samples(log2);
            state.sc.er_tri = rules[i & 3];
            for (unsigned k = 0; k < 3; k++)
                random_corner(i % 7 == 6 ? rnd() % 5 : i % 5, &x[k], &y[k]);
            if (i % 6 == 5) { /* a sliver */
                x[2] = x[0] + (x[1] - x[0]) / 3 + rnd_in(-2, 2);
                y[2] = y[0] + (y[1] - y[0]) / 3 + rnd_in(-2, 2);
            }
            check_triangle(x, y, rules[i & 3]);
        }
}
END_TEST

/* Fans around a point, with every vertex on the sample grid: each sample once, none missed. */
START_TEST(shared_edges_cover_once)
{
    const int32_t one = RASTER_FIX_ONE;

    state_default();
    rng_state = 2;
    for (unsigned i = 0; i < 40; i++) {
        /* A fan around (cx, cy) over the corners and edges of the screen, in order around. */
        int32_t rx[8] = { -one, SCREEN / 2 * one, (SCREEN + 1) * one, (SCREEN + 1) * one,
                          (SCREEN + 1) * one, SCREEN / 2 * one, -one, -one };
        int32_t ry[8] = { -one, -one, -one, SCREEN / 2 * one, (SCREEN + 1) * one,
                          (SCREEN + 1) * one, (SCREEN + 1) * one, SCREEN / 2 * one };
        int32_t cx, cy;
        unsigned full;

        random_samples(i % 5);
        random_corner(i & 1 ? 2 : 3, &cx, &cy);
        memset(covered, 0, sizeof covered);
        for (unsigned k = 0; k < 8; k++) {
            int32_t x[3] = { cx, rx[k], rx[(k + 1) & 7] }, y[3] = { cy, ry[k], ry[(k + 1) & 7] };
            scan(x, y); /* collect() fails on a sample that is covered twice */
        }
        full = (1u << (1u << state.sc.samples_log2)) - 1;
        for (int py = 0; py < SCREEN; py++)
            for (int px = 0; px < SCREEN; px++)
                ck_assert_uint_eq(covered[py][px], full);
    }
}
END_TEST

START_TEST(sample_mask_scissor_cliprects)
{
    const int32_t one = RASTER_FIX_ONE;
    struct raster_prim p = { .shape = RASTER_RECTANGLE, .corners = 4,
                             .scissor = { 3, 5, 21, 33 } };
    struct raster_counters cnt = { 0 };

    state_default();
    random_samples(2);
    state.sc.aa_mask[0] = 0x5;
    state.sc.aa_mask[3] = 0x8;
    p.x[0] = p.x[3] = 0, p.x[1] = p.x[2] = SCREEN * one;
    p.y[0] = p.y[1] = 0, p.y[2] = p.y[3] = SCREEN * one;
    state.sc.cliprects_used = true;
    state.sc.cliprect_rule = 0x0002; /* inside rect 0 and no other */
    state.sc.cliprect[0] = (struct raster_rect){ 0, 0, 16, 64 };
    state.sc.cliprect[1] = (struct raster_rect){ 7, 9, 10, 12 };
    memset(covered, 0, sizeof covered);
    raster_sc_prim(&state, &p, collect, NULL, &cnt);
    for (int y = 0; y < SCREEN; y++)
        for (int x = 0; x < SCREEN; x++) {
            bool in = x >= 3 && x < 16 && y >= 5 && y < 33 && !(x >= 7 && x < 10 && y >= 9 && y < 12);
            unsigned pixel = (x & 1) | (y & 1) << 1;
            unsigned want = !in ? 0 : pixel == 0 ? 0x5 : pixel == 3 ? 0x8 : 0xf;
            ck_assert_uint_eq(covered[y][x], want);
        }
    ck_assert_uint_gt(cnt.sc_quads, 0);
}
END_TEST

/* ---- input assembly --------------------------------------------------------------------------- */

static void assemble(unsigned type, bool last, bool adjacency, unsigned vertices, char *text)
{
    struct raster_ia ia;
    struct raster_ia_prim out[2];
    char *t = text;

    *t = 0;
    raster_ia_begin(&ia, type, last, adjacency);
    for (unsigned v = 0; v <= vertices; v++) {
        unsigned n = v < vertices ? raster_ia_vertex(&ia, v, out) : raster_ia_cut(&ia, out);
        for (unsigned i = 0; i < n; i++) {
            for (unsigned k = 0; k < out[i].verts; k++)
                t += sprintf(t, "%s%u", k == out[i].provoking ? "*" : "", (unsigned)out[i].v[k]);
            t += sprintf(t, "/%u ", out[i].prim_id);
        }
    }
}

START_TEST(assembly)
{
    enum { GS = 256 }; /* with adjacent vertices */
    static const struct {
        unsigned type;
        bool last;
        unsigned vertices;
        const char *want;
    } cases[] = {
        { PT(POINTLIST), false, 2, "*0/0 *1/1 " },
        { PT(LINELIST), false, 5, "*01/0 *23/1 " },
        { PT(LINESTRIP), true, 3, "0*1/0 1*2/1 " },
        { PT(LINELOOP), false, 3, "*01/0 *12/1 *20/2 " },
        { PT(TRILIST), false, 7, "*012/0 *345/1 " },
        { PT(TRILIST), true, 3, "01*2/0 " },
        { PT(TRISTRIP), false, 5, "*012/0 *132/1 *234/2 " },
        { PT(TRISTRIP), true, 5, "01*2/0 21*3/1 23*4/2 " },
        { PT(TRIFAN), false, 4, "*120/0 *230/1 " },
        { PT(TRIFAN), true, 4, "01*2/0 02*3/1 " },
        { PT(RECTLIST), false, 3, "*012/0 " },
        { PT(QUADLIST), false, 8, "*012/0 *023/0 *456/1 *467/1 " },
        { PT(QUADLIST), true, 4, "01*3/0 12*3/0 " },
        { PT(QUADSTRIP), true, 6, "01*3/0 20*3/0 23*5/1 42*5/1 " },
        { PT(POLYGON), true, 4, "*012/0 *023/0 " },
        { PT(LINELIST_ADJ), false, 4, "*12/0 " },
        { PT(LINESTRIP_ADJ), false, 5, "*12/0 *23/1 " },
        { PT(TRILIST_ADJ), false, 6, "*024/0 " },
        { PT(TRISTRIP_ADJ), false, 8, "*024/0 *264/1 " },
        { PT(PATCH), false, 8, "" },
        /* As a geometry shader gets them: the orders of Vulkan's tables. */
        { GS | PT(LINELIST_ADJ), false, 8, "0*123/0 4*567/1 " },
        { GS | PT(LINESTRIP_ADJ), false, 5, "0*123/0 1*234/1 " },
        { GS | PT(TRILIST_ADJ), false, 6, "*012345/0 " },
        { GS | PT(TRISTRIP_ADJ), false, 6, "*012543/0 " },
        { GS | PT(TRISTRIP_ADJ), false, 8, "*012643/0 *256740/1 " },
        { GS | PT(TRISTRIP_ADJ), false, 10, "*012643/0 *256840/1 *426987/2 " },
        { GS | PT(TRILIST), false, 3, "*012/0 " },
    };

    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        char text[256];
        assemble(cases[i].type & 255, cases[i].last, cases[i].type & GS, cases[i].vertices, text);
        ck_assert_msg(!strcmp(text, cases[i].want), "case %u: %s, want %s", i, text,
                      cases[i].want);
    }
}
END_TEST

/* ---- clipping and set-up ------------------------------------------------------------------------ */

static struct raster_prim prims[RASTER_PA_OUT_MAX];
static struct raster_counters counters;
static uint32_t stipple;

static unsigned pa(const float pos[3][4])
{
    struct raster_vertex v[3];
    struct raster_ia_prim ip = { .v = { 0, 1, 2 }, .verts = 3 };

    memset(v, 0, sizeof v);
    for (unsigned k = 0; k < 3; k++)
        memcpy(v[k].pos, pos[k], sizeof v[k].pos);
    memset(&counters, 0, sizeof counters);
    return raster_pa_prim(&state, &ip, (const struct raster_vertex *const[]){ &v[0], &v[1], &v[2] },
                          prims, &stipple, &counters);
}

START_TEST(quantise)
{
    struct raster_pa_state *p = &state.pa;

    state_default();
    ck_assert_int_eq(raster_quantise(p, 1.5f), 3 * RASTER_FIX_ONE / 2);
    ck_assert_int_eq(raster_quantise(p, 0.5f / 256), 0);   /* ties to even */
    ck_assert_int_eq(raster_quantise(p, 1.5f / 256), 32);
    p->round_mode = 1;
    ck_assert_int_eq(raster_quantise(p, 0.5f / 256), 16);
    p->round_mode = 0;
    ck_assert_int_eq(raster_quantise(p, 0.9f / 256), 0);
    p->round_mode = 3;
    ck_assert_int_eq(raster_quantise(p, 2.1f / 256), 48);
    p->round_mode = 2;
    p->quant_bits = 4;
    ck_assert_int_eq(raster_quantise(p, 0.1f), 2 * 256);
    p->pix_center_half = false;
    ck_assert_int_eq(raster_quantise(p, 0), RASTER_FIX_ONE / 2);
    ck_assert_int_eq(raster_quantise(p, 1e30f), RASTER_FIX_MAX - 1);
    ck_assert_int_eq(raster_quantise(p, -1e30f), -RASTER_FIX_MAX);
    ck_assert_int_eq(raster_quantise(p, NAN), 0);
}
END_TEST

START_TEST(clip_and_cull)
{
    const float whole[3][4] = { { -1, -1, 0.5f, 1 }, { 3, -1, 0.5f, 1 }, { -1, 3, 0.5f, 1 } };
    const float near[3][4] = { { -1, -1, -0.5f, 1 }, { 1, -1, 0.5f, 1 }, { -1, 1, 0.5f, 1 } };
    const float far_out[3][4] = { { -1, -1, 0.5f, 1 }, { 3000, -1, 0.5f, 1 }, { -1, 1, 0.5f, 1 } };
    const float behind[3][4] = { { -1, -1, 0, 1 }, { 1, -1, 0, 1 }, { 0, 0, 0, -1 } };
    const float left[3][4] = { { -3, -1, 0.5f, 1 }, { -2, -1, 0.5f, 1 }, { -3, 1, 0.5f, 1 } };
    const float none[3][4] = { { 0, 0, 0, 1 }, { 1, 1, 0, 1 }, { 0.5f, 0.5f, 0, 1 } };
    const float bad[3][4] = { { NAN, 0, 0, 1 }, { 1, 1, 0, 1 }, { 0.5f, 0, 0, 1 } };

    state_default();
    ck_assert_uint_eq(pa(whole), 1); /* inside the guard band: not cut */
    ck_assert_uint_eq(counters.pa_clipped, 0);
    ck_assert(!prims[0].front); /* clockwise where y points down */
    ck_assert_uint_eq(pa(near), 2);
    ck_assert_uint_eq(counters.pa_clipped, 1);
    ck_assert_uint_eq(counters.pa_c_primitives, 2);
    ck_assert_uint_eq(pa(far_out), 2);
    ck_assert_uint_ge(pa(behind), 1);
    ck_assert_uint_eq(pa(left), 0);
    ck_assert_uint_eq(counters.pa_culled, 1);
    ck_assert_uint_eq(counters.pa_c_primitives, 0);
    ck_assert_uint_eq(pa(none), 0);
    ck_assert_uint_eq(pa(bad), 0);
    state.pa.cull_back = true;
    ck_assert_uint_eq(pa(whole), 0);
    state.pa.front_is_cw = true;
    ck_assert_uint_eq(pa(whole), 1);
    ck_assert(prims[0].front);
    state.pa.znear_clip = false;
    ck_assert_uint_eq(pa(near), 1);
    state.pa.clip_dist_ena = 1;
    ck_assert_uint_eq(pa(whole), 1); /* distance 0 is inside */
}
END_TEST

/* What is left after a cut by near is what has z >= 0: z runs from -0.5 at the left edge of the screen to
 * 0.5 at the right one, so the cut is down the middle. */
START_TEST(cut_is_where_the_plane_is)
{
    const float t[3][4] = { { -1, -1, -0.5f, 1 }, { 3, -1, 1.5f, 1 }, { -1, 3, -0.5f, 1 } };
    unsigned n;

    state_default();
    state.pa.zfar_clip = false;
    n = pa(t);
    ck_assert_uint_eq(n, 1);
    memset(covered, 0, sizeof covered);
    for (unsigned i = 0; i < n; i++)
        raster_sc_prim(&state, &prims[i], collect, NULL, &counters);
    for (int y = 0; y < SCREEN; y++)
        for (int x = 0; x < SCREEN; x++)
            ck_assert_uint_eq(covered[y][x], x >= SCREEN / 2);
}
END_TEST

/* Clipped or not, barycentrics at a pixel are those of the input triangle. */
START_TEST(clipping_keeps_barycentrics)
{
    const float t[3][4] = { { -1, -1, -0.25f, 1.5f }, { 3, -1, 0.5f, 2 }, { -1, 3, 0.5f, 3 } };
    struct raster_prim whole;
    struct raster_quad q = { .x = 0, .y = 0, .mask = { 1, 1, 1, 1 } };

    state_default();
    state.pa.znear_clip = false;
    ck_assert_uint_eq(pa(t), 1);
    whole = prims[0];
    state.pa.znear_clip = true;
    ck_assert_uint_eq(pa(t), 2);
    for (int y = 0; y < SCREEN; y += 2)
        for (int x = 0; x < SCREEN; x += 2) {
            struct raster_lane_in a, b;
            const uint32_t need = RASTER_IN_PERSP_CENTER | RASTER_IN_LINEAR_CENTER |
                                  RASTER_IN_POS_W;

            memset(&a, 0, sizeof a);
            memset(&b, 0, sizeof b);
            q.x = x, q.y = y;
            raster_interp(&state, &whole, &q, 0, need, &a);
            raster_interp(&state, &prims[0], &q, 0, need, &b);
            /* The cut corners are rounded to 1/256 pixel. */
            for (unsigned k = 0; k < 2; k++) {
                ck_assert_double_eq_tol(bits_f32(a.persp_center[k]), bits_f32(b.persp_center[k]), 1e-3);
                ck_assert_double_eq_tol(bits_f32(a.linear_center[k]), bits_f32(b.linear_center[k]), 1e-3);
            }
            ck_assert_double_eq_tol(bits_f32(a.pos[3]), bits_f32(b.pos[3]), 1e-2);
        }
}
END_TEST

START_TEST(rectangle_and_point)
{
    struct raster_vertex v[3];
    struct raster_ia_prim ip = { .v = { 0, 1, 2 }, .verts = 3, .rect = true };
    const struct raster_vertex *const pv[3] = { &v[0], &v[1], &v[2] };

    state_default();
    memset(v, 0, sizeof v);
    for (unsigned k = 0; k < 3; k++)
        v[k].pos[3] = 1;
    v[0].pos[0] = v[0].pos[1] = v[1].pos[0] = v[2].pos[1] = -1;
    v[1].pos[1] = v[2].pos[0] = 1;
    ck_assert_uint_eq(raster_pa_prim(&state, &ip, pv, prims, &stipple, &counters), 1);
    memset(covered, 0, sizeof covered);
    raster_sc_prim(&state, &prims[0], collect, NULL, &counters);
    for (int y = 0; y < SCREEN; y++)
        for (int x = 0; x < SCREEN; x++)
            ck_assert_uint_eq(covered[y][x], 1);

    ip = (struct raster_ia_prim){ .verts = 1 };
    state.pa.use_point_size = true;
    v[0].pos[0] = v[0].pos[1] = 0;
    v[0].point_size = 4;
    ck_assert_uint_eq(raster_pa_prim(&state, &ip, pv, prims, &stipple, &counters), 1);
    memset(covered, 0, sizeof covered);
    raster_sc_prim(&state, &prims[0], collect, NULL, &counters);
    for (int y = 0; y < SCREEN; y++)
        for (int x = 0; x < SCREEN; x++)
            ck_assert_uint_eq(covered[y][x], x >= 30 && x < 34 && y >= 30 && y < 34);
}
END_TEST

/* ---- colour and depth --------------------------------------------------------------------------- */

START_TEST(export_formats)
{
    struct raster_color c;
    const uint32_t half[4] = { 0x3c003800, 0x80004000, 0, 0 }; /* 0.5, 1, 2, -0 */
    const uint32_t ints[4] = { 0xffff0001, 0x80007fff, 0, 0 };
    const uint32_t dw[4] = { 1, 2, 3, 4 };

    raster_export_unpack(V_SPI_SHADER_EX_FORMAT__SPI_SHADER_FP16_ABGR, half, &c);
    ck_assert_float_eq(bits_f32(c.c[0]), 0.5f);
    ck_assert_float_eq(bits_f32(c.c[1]), 1.0f);
    ck_assert_float_eq(bits_f32(c.c[2]), 2.0f);
    ck_assert_uint_eq(c.c[3], 0x80000000);
    raster_export_unpack(V_SPI_SHADER_EX_FORMAT__SPI_SHADER_UNORM16_ABGR, ints, &c);
    ck_assert_float_eq(bits_f32(c.c[1]), 1.0f);
    ck_assert_float_eq(bits_f32(c.c[0]), 1.0f / 65535);
    raster_export_unpack(V_SPI_SHADER_EX_FORMAT__SPI_SHADER_SNORM16_ABGR, ints, &c);
    ck_assert_float_eq(bits_f32(c.c[2]), 1.0f);
    ck_assert_float_eq(bits_f32(c.c[3]), -1.0f);
    raster_export_unpack(V_SPI_SHADER_EX_FORMAT__SPI_SHADER_UINT16_ABGR, ints, &c);
    ck_assert_uint_eq(c.c[1], 0xffff);
    raster_export_unpack(V_SPI_SHADER_EX_FORMAT__SPI_SHADER_SINT16_ABGR, ints, &c);
    ck_assert_int_eq((int32_t)c.c[1], -1);
    raster_export_unpack(V_SPI_SHADER_EX_FORMAT__SPI_SHADER_32_AR, dw, &c);
    ck_assert_uint_eq(c.c[0], 1);
    ck_assert_uint_eq(c.c[1], 0);
    ck_assert_uint_eq(c.c[3], 4);
    raster_export_unpack(V_SPI_SHADER_EX_FORMAT__SPI_SHADER_32_ABGR, dw, &c);
    ck_assert_uint_eq(c.c[2], 3);
}
END_TEST

#define BLEND(f) V_BlendOp__BLEND_##f

START_TEST(blending)
{
    const float src[4] = { 0.5f, 0.25f, 1, 0.75f }, src1[4] = { 0.125f, 1, 0, 0.5f };
    const float dst[4] = { 1, 0.5f, 0.25f, 0.5f }, cst[4] = { 0.5f, 0, 1, 0.25f };
    static const struct {
        uint8_t src, dst, fcn;
        float want[4];
    } cases[] = {
        { BLEND(ONE), BLEND(ZERO), 0, { 0.5f, 0.25f, 1, 0.75f } },
        { BLEND(SRC_ALPHA), BLEND(ONE_MINUS_SRC_ALPHA), 0, { 0.625f, 0.3125f, 0.8125f, 0.6875f } },
        { BLEND(DST_COLOR), BLEND(ONE), 1, { -0.5f, -0.375f, 0, -0.125f } },
        { BLEND(ONE), BLEND(ONE), 2, { 0.5f, 0.25f, 0.25f, 0.5f } },
        { BLEND(ONE), BLEND(ONE), 3, { 1, 0.5f, 1, 0.75f } },
        { BLEND(ONE), BLEND(ONE), 4, { 0.5f, 0.25f, -0.75f, -0.25f } },
        { BLEND(SRC_ALPHA_SATURATE), BLEND(ZERO), 0, { 0.25f, 0.125f, 0.5f, 0.75f } },
        { BLEND(CONSTANT_COLOR), BLEND(ONE_MINUS_CONSTANT_ALPHA), 0, { 1, 0.375f, 1.1875f, 0.5625f } },
        { BLEND(SRC1_COLOR), BLEND(INV_SRC1_ALPHA), 0, { 0.5625f, 0.5f, 0.125f, 0.625f } },
    };

    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        struct raster_blend b = { .enable = true };
        double out[4];

        b.src[0] = b.src[1] = cases[i].src;
        b.dst[0] = b.dst[1] = cases[i].dst;
        b.fcn[0] = b.fcn[1] = cases[i].fcn;
        raster_blend(&b, src, src1, dst, cst, out);
        for (unsigned c = 0; c < 4; c++)
            ck_assert_msg(out[c] == cases[i].want[c], "case %u channel %u: %g, want %g", i, c,
                          out[c], cases[i].want[c]);
    }
}
END_TEST

#define TARGET_VA 0x100000

static struct mem_vm *vm;
static struct loud *loud;

/* A linear 8_8_8_8 target of 64 x 64 pixels in fresh memory. */
static void target_setup(void)
{
    struct raster_mrt *m = &state.cb.mrt[0];
    struct err e;

    state_default();
    vm = mem_vm_create();
    loud = loud_create();
    loud_set_quiet(loud, true);
    ck_assert_int_eq(mem_map(vm, TARGET_VA, 65536, NULL, MEM_R | MEM_W, &e), 0);
    state.chip = chip_find("bonaire");
    state.cb.mode = V_CBMode__CB_NORMAL;
    state.cb.rop3 = V_ROP3__ROP3_COPY;
    m->bound = true;
    m->target_mask = m->shader_mask = 15;
    m->format = V_ColorFormat__COLOR_8_8_8_8;
    m->blend_clamp = true;
    m->color.va = TARGET_VA;
    m->color.pitch_px = 64;
    m->color.slice_px = 64 * 64;
    m->color.tile_mode_index = 8; /* linear */
}

static void target_done(void)
{
    mem_vm_destroy(vm);
    loud_destroy(loud);
}

static uint32_t pixel_at(uint32_t x, uint32_t y)
{
    uint32_t v = 0;

    ck_assert(mem_read(vm, TARGET_VA + 4 * (64 * y + x), &v, 4, NULL));
    return v;
}

static void draw_quad(float r, float g, float b, float a, uint16_t mask)
{
    const struct raster_color one = { { f32_bits(r), f32_bits(g), f32_bits(b), f32_bits(a) } };
    const struct raster_color c[4] = { one, one, one, one };
    const uint16_t m[4] = { mask, mask, 0, mask };
    struct raster_cb cb;

    memset(&counters, 0, sizeof counters);
    raster_cb_begin(&cb, &state, vm, loud, 0);
    raster_cb_quad(&cb, 0, 0, 2, 4, m, c, c, &counters);
    raster_cb_end(&cb);
}

START_TEST(colour_to_memory)
{
    struct raster_mrt *m = &state.cb.mrt[0];

    target_setup();
    draw_quad(1, 0.5f, 0, 0.2f, 1);
    ck_assert_uint_eq(pixel_at(2, 4), 0x330080ff);
    ck_assert_uint_eq(pixel_at(3, 4), 0x330080ff);
    ck_assert_uint_eq(pixel_at(2, 5), 0);
    ck_assert_uint_eq(pixel_at(3, 5), 0x330080ff);
    ck_assert_uint_eq(counters.cb_pixels, 3);
    m->target_mask = 0x5; /* red, blue */
    draw_quad(0, 0, 1, 1, 1);
    ck_assert_uint_eq(pixel_at(2, 4), 0x33ff8000);
    m->target_mask = 15;
    m->comp_swap = V_SurfaceSwap__SWAP_ALT;
    draw_quad(1, 0.5f, 0, 0.2f, 1);
    ck_assert_uint_eq(pixel_at(2, 4), 0x33ff8000);
    state.cb.rop3 = V_ROP3__ROP3_XOR;
    draw_quad(1, 1, 1, 1, 1);
    ck_assert_uint_eq(pixel_at(2, 4), 0xcc007fff);
    m->blend.enable = true; /* and no logic operation with it */
    m->blend.src[0] = m->blend.src[1] = BLEND(ONE);
    m->blend.dst[0] = m->blend.dst[1] = BLEND(ONE);
    draw_quad(1, 0, 0, 5, 1);
    ck_assert_uint_eq(pixel_at(2, 4), 0xffff7fff);
    ck_assert_uint_eq(counters.cb_blended, 3);
    ck_assert_uint_eq(loud_count(loud), 0);
    m->format = 31;
    draw_quad(0, 0, 0, 0, 1);
    ck_assert_uint_eq(pixel_at(2, 4), 0xffff7fff);
    ck_assert_uint_eq(loud_count(loud), 1);
    target_done();
}
END_TEST

static uint16_t depth_quad(float z, uint16_t mask)
{
    struct raster_prim p = { .z = { z, 0, 0 }, .zmax = 1, .front = true };
    const struct raster_quad q = { .x = 2, .y = 4, .mask = { mask } };
    uint16_t live[4] = { mask };
    struct raster_db db;

    raster_db_begin(&db, &state, vm, loud, 0);
    raster_db_quad(&db, &p, &q, live, NULL, &counters);
    raster_db_end(&db);
    return live[0];
}

START_TEST(depth_test)
{
    struct raster_db_state *d = &state.db;

    target_setup();
    d->z_enable = d->z_write = true;
    d->z_format = V_ZFormat__Z_16;
    d->zfunc = V_CompareFrag__FRAG_GREATER;
    d->depth_info = regs_insert(GFX7, F_DB_DEPTH_INFO__ARRAY_MODE, 0, MEM_ARRAY_1D_TILED_THIN1);
    d->depth_info = regs_insert(GFX7, F_DB_DEPTH_INFO__PIPE_CONFIG, d->depth_info, MEM_PIPE_P4_16x16);
    d->z_read = d->z_write_to = d->s_read = d->s_write_to = (struct raster_surface){
        .va = TARGET_VA, .pitch_px = 64, .slice_px = 64 * 64, .height_px = 64
    };
    d->s_read.va = d->s_write_to.va = TARGET_VA + 32768;
    ck_assert_uint_eq(depth_quad(0.5f, 1), 1);
    ck_assert_uint_eq(depth_quad(0.5f, 1), 0);
    ck_assert_uint_eq(depth_quad(0.75f, 1), 1);
    ck_assert_uint_eq(depth_quad(0.6f, 1), 0);
    d->z_write = false;
    ck_assert_uint_eq(depth_quad(1.0f, 1), 1);
    ck_assert_uint_eq(depth_quad(0.8f, 1), 1);
    /* Stencil counts depth failures, wraps, and gates by its reference. */
    d->stencil_enable = d->s_format = true;
    d->stencil[0] = (struct raster_stencil){
        .func = V_CompareFrag__FRAG_LEQUAL, .zfail = V_StencilOp__STENCIL_SUB_WRAP,
        .fail = V_StencilOp__STENCIL_ZERO, .test_val = 1, .mask = 0xff, .write_mask = 0x7f, .op_val = 1
    };
    d->stencil[0].func = V_CompareFrag__FRAG_ALWAYS;
    ck_assert_uint_eq(depth_quad(0.1f, 1), 0); /* 0 - 1 = 0xff, of which 0x7f is written */
    d->stencil[0].func = V_CompareFrag__FRAG_EQUAL;
    d->stencil[0].test_val = 0x7f;
    ck_assert_uint_eq(depth_quad(0.9f, 1), 1);
    d->stencil[0].test_val = 0xff;
    ck_assert_uint_eq(depth_quad(0.9f, 1), 0); /* fails: zeroed */
    d->stencil[0].test_val = 0;
    ck_assert_uint_eq(depth_quad(0.9f, 1), 1);
    ck_assert_uint_eq(loud_count(loud), 0);
    target_done();
}
END_TEST

/* ---- fragments ------------------------------------------------------------------------------------ */

/* A multisampled, 2D-tiled 8_8_8_8 target with CMASK and FMASK; all zero: every tile is cleared. */
static void msaa_setup(unsigned samples_log2, unsigned fragments_log2)
{
    struct raster_mrt *m = &state.cb.mrt[0];
    struct err e;

    target_setup();
    ck_assert_int_eq(mem_map(vm, 0x200000, 1 << 20, NULL, MEM_R | MEM_W, &e), 0);
    m->color.va = 0x200000;
    m->color.tile_mode_index = m->fmask_tile_mode_index = 14;
    m->color.pitch_px = m->fmask_pitch_px = 64;
    m->color.samples_log2 = fragments_log2;
    m->coverage_log2 = samples_log2;
    m->fast_clear = m->compression = true;
    m->fmask_va = 0x280000;
    m->fmask_slice_px = 64 * 64;
    m->cmask_va = 0x2c0000;
    m->clear_word[0] = 0xff000000;
}

static struct raster_cb cb;

static void paint(float red, uint16_t mask)
{
    const struct raster_color c[4] = { { { f32_bits(red), 0, 0, f32_bits(1) } } };
    const uint16_t m[4] = { mask };

    raster_cb_quad(&cb, 0, 0, 8, 16, m, c, c, &counters);
}

static void check_map(const char *want)
{
    uint8_t map[RASTER_SAMPLES_MAX];
    char text[RASTER_SAMPLES_MAX + 1] = "";

    raster_cb_map_load(&cb, &cb.target[0], 8, 16, 0, map);
    for (unsigned i = 0; want[i]; i++)
        text[i] = (char)('0' + map[i]);
    ck_assert_str_eq(text, want);
}

static uint32_t fragment(uint32_t x, uint32_t y, unsigned f)
{
    const struct mem_surface *t = &cb.target[0].surface;
    uint32_t v = 0;

    ck_assert(mem_read(vm, t->base_va + mem_surface_offset(t, x, y, 0, f), &v, 4, NULL));
    return v;
}

START_TEST(fragments_are_shared)
{
    struct raster_mrt *m = &state.cb.mrt[1];

    msaa_setup(2, 2);
    memset(&counters, 0, sizeof counters);
    raster_cb_begin(&cb, &state, vm, loud, 0);
    ck_assert(cb.target[0].on && cb.target[0].fmask_on);
    paint(1, 0xf); /* the tile stops being cleared: its other pixels get the clear colour */
    ck_assert_uint_eq(counters.cb_eliminated, 1);
    check_map("0000");
    ck_assert_uint_eq(fragment(8, 16, 0), 0xff0000ff);
    ck_assert_uint_eq(fragment(15, 23, 0), 0xff000000);
    paint(0.2f, 0x3);
    check_map("1100");
    paint(0.4f, 0xc); /* fragment 0 is free again */
    check_map("1100");
    ck_assert_uint_eq(fragment(8, 16, 0), 0xff000066);
    ck_assert_uint_eq(fragment(8, 16, 1), 0xff000033);
    paint(1, 0x5);
    check_map("2120");
    /* Blending keeps apart what was apart. */
    state.cb.mrt[0].blend.enable = true;
    state.cb.mrt[0].blend.src[0] = state.cb.mrt[0].blend.dst[0] = BLEND(ONE);
    raster_cb_begin(&cb, &state, vm, loud, 0);
    paint(0.2f, 0xa); /* sample 1: 0x33 + 0x33; sample 3: 0x66 + 0x33 */
    check_map("2120");
    ck_assert_uint_eq(fragment(8, 16, 1) & 0xff, 0x66);
    ck_assert_uint_eq(fragment(8, 16, 0) & 0xff, 0x99);

    /* The mean of 255, 102, 255, 153 into the linear target. */
    *m = state.cb.mrt[0];
    m->color = (struct raster_surface){ .va = TARGET_VA, .pitch_px = 64, .slice_px = 64 * 64,
                                        .tile_mode_index = 8 };
    m->coverage_log2 = 0;
    m->fast_clear = m->compression = false;
    state.cb.mode = V_CBMode__CB_RESOLVE;
    raster_cb_begin(&cb, &state, vm, loud, 0);
    raster_cb_special(&cb, 0, 8, 16, (const uint16_t[4]){ 1, 1, 1, 1 }, &counters);
    ck_assert_uint_eq(pixel_at(8, 16) & 0xff, (255 + 102 + 255 + 153 + 2) / 4);
    ck_assert_uint_eq(pixel_at(9, 17), 0xff000000);
    ck_assert_uint_eq(counters.cb_resolved, 4);
    ck_assert_uint_eq(loud_count(loud), 0);
    target_done();
}
END_TEST

/* Eight samples, two fragments: a third colour has no place. */
START_TEST(eqaa_loses_colours)
{
    msaa_setup(3, 1);
    raster_cb_begin(&cb, &state, vm, loud, 0);
    ck_assert(cb.target[0].on);
    paint(1, 0xff);
    paint(0.2f, 0x0f);
    check_map("11110000");
    paint(0.4f, 0x80);
    check_map("11110002");
    paint(0.4f, 0x81); /* an anchor (sample 0, 1) always has a colour: samples 4 to 6 lose theirs */
    check_map("01112220");
    ck_assert_uint_eq(fragment(8, 16, 0) & 0xff, 0x66);
    paint(0.6f, 0xf0);
    check_map("01112222");
    paint(0.8f, 0xf1); /* fragment 0 is sample 0's alone */
    check_map("01110000");
    ck_assert_uint_eq(fragment(8, 16, 0) & 0xff, 0xcc);
    paint(0.6f, 0x02);
    check_map("01220000");
    state.cb.mode = V_CBMode__CB_FMASK_DECOMPRESS;
    raster_cb_begin(&cb, &state, vm, loud, 0);
    raster_cb_special(&cb, 0, 8, 16, (const uint16_t[4]){ 1 }, &counters);
    check_map("01220000");
    target_done();
}
END_TEST

/* Two samples, one fragment, as checkerboard rendering has them: it is always sample 0's. */
START_TEST(one_fragment_two_samples)
{
    msaa_setup(1, 0);
    raster_cb_begin(&cb, &state, vm, loud, 0);
    ck_assert(cb.target[0].on);
    paint(1, 3);
    check_map("00");
    paint(0.2f, 1); /* sample 1 had that colour too, and loses it */
    check_map("01");
    ck_assert_uint_eq(fragment(8, 16, 0) & 0xff, 0x33);
    paint(0.4f, 2);
    check_map("01");
    ck_assert_uint_eq(fragment(8, 16, 0) & 0xff, 0x33);
    paint(0.6f, 3);
    check_map("00");
    paint(0.8f, 2);
    check_map("01");
    ck_assert_uint_eq(fragment(8, 16, 0) & 0xff, 0x99);
    target_done();
}
END_TEST

/* ---- textures -------------------------------------------------------------------------------------- */

static struct raster_image image;
static struct raster_sampler sampler;
static struct raster_access tex;

/* A linear 8_8_8_8 texture of 4x4 texels, red = 16 * (4 y + x), with a 2x2 and a 1x1 level. */
static void texture_setup(void)
{
    uint32_t t[8] = { TARGET_VA >> 8 };
    struct err e;

#define T(word, field, v) t[word] |= regs_insert(GFX7, F_SQ_IMG_RSRC_WORD##word##__##field, 0, v)
    target_setup();
    T(1, DATA_FORMAT, 10);
    T(2, WIDTH, 3);
    T(2, HEIGHT, 3);
    T(3, DST_SEL_X, V_SQ_SEL_XYZW01__SQ_SEL_X);
    T(3, DST_SEL_Y, V_SQ_SEL_XYZW01__SQ_SEL_0);
    T(3, DST_SEL_Z, V_SQ_SEL_XYZW01__SQ_SEL_Z);
    T(3, DST_SEL_W, V_SQ_SEL_XYZW01__SQ_SEL_1);
    T(3, LAST_LEVEL, 2);
    T(3, TILING_INDEX, 8);
    T(3, TYPE, V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_2D);
    T(4, PITCH, 63);
#undef T
    ck_assert_msg(raster_image_decode(&image, state.chip, t, &e) == 0, "%s", e.text);
    tex = (struct raster_access){ .vm = vm, .client = MEM_TEX };
    for (int level = 0; level < 3; level++)
        for (int y = 0; y < 4 >> level; y++)
            for (int x = 0; x < 4 >> level; x++) {
                const uint32_t texel[4] = { f32_bits((float)(16 * (4 * y + x) + level) / 255),
                                            f32_bits(1), f32_bits(0.2f), 0 };
                raster_texel_store(&image, &tex, &(struct raster_texel){ x, y, 0, 0, (uint32_t)level },
                                   texel);
            }
    memset(&sampler, 0, sizeof sampler);
}

/* 255 times the red of a sample. */
static float sample(float u, float v, float lod)
{
    const struct raster_sample_in in = { .coord = { u, v }, .lod = lod };
    const uint32_t border[4] = { f32_bits(1), 0, 0, 0 };
    uint32_t out[4];

    raster_sample(&image, &sampler, &tex, &in, border, out);
    return roundf(bits_f32(out[0]) * 255 * 1024) / 1024;
}

START_TEST(texture_filter)
{
    const uint8_t last = V_SQ_TEX_CLAMP__SQ_TEX_CLAMP_LAST_TEXEL;
    const struct raster_sample_in at = { .coord = { 0.1f, 0.1f } };
    uint32_t out[4];

    texture_setup();
    raster_sample(&image, &sampler, &tex, &at, out, out);
    ck_assert_uint_eq(out[1], 0);
    ck_assert_float_eq_tol(bits_f32(out[2]), 0.2f, 1e-6);
    ck_assert_float_eq(bits_f32(out[3]), 1);
    ck_assert_float_eq(sample(0.3f, 0.6f, 0), 16 * 9); /* texel 1, 2 */
    ck_assert_float_eq(sample(1.3f, -0.4f, 0), 16 * 9); /* wraps */
    sampler.mag = V_SQ_TEX_XY_FILTER__SQ_TEX_XY_FILTER_BILINEAR;
    ck_assert_float_eq(sample(0.5f, 0.5f, 0), 16 * (5 + 6 + 9 + 10) / 4.0f);
    ck_assert_float_eq(sample(0.375f, 0.375f, 0), 16 * 5);
    ck_assert_float_eq(sample(0, 0.125f, 0), 16 * 1.5f); /* texels 3 and 0 */
    sampler.clamp[0] = last;
    ck_assert_float_eq(sample(0, 0.125f, 0), 0);
    ck_assert_float_eq(sample(5, 0.125f, 0), 16 * 3);
    sampler.clamp[0] = V_SQ_TEX_CLAMP__SQ_TEX_CLAMP_BORDER;
    ck_assert_float_eq(sample(0, 0.125f, 0), 255 / 2.0f);
    sampler.clamp[0] = V_SQ_TEX_CLAMP__SQ_TEX_MIRROR;
    ck_assert_float_eq(sample(-0.25f, 0.125f, 0), 16 * 0.5f);
    /* Levels: the second texel of level 1 is 17, that of level 2 is 2. */
    sampler.clamp[0] = sampler.clamp[1] = last;
    sampler.mip = V_SQ_TEX_MIP_FILTER__SQ_TEX_MIP_FILTER_POINT;
    ck_assert_float_eq(sample(0.75f, 0.25f, 1), 17);
    ck_assert_float_eq(sample(0.75f, 0.25f, 0.6f), 17);
    ck_assert_float_eq(sample(0.75f, 0.25f, 0.5f), 16 * 7); /* bilinear is only for magnification here */
    ck_assert_float_eq(sample(0.75f, 0.25f, 9), 2);
    sampler.mip = V_SQ_TEX_MIP_FILTER__SQ_TEX_MIP_FILTER_LINEAR;
    ck_assert_float_eq(sample(0.75f, 0.25f, 1.5f), (17 + 2) / 2.0f);
    ck_assert_float_eq(sample(0.75f, 0.25f, NAN), 16 * 7);
    target_done();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("raster");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, coverage_is_exact);
    tcase_add_test(tc, shared_edges_cover_once);
    tcase_add_test(tc, sample_mask_scissor_cliprects);
    tcase_add_test(tc, assembly);
    tcase_add_test(tc, quantise);
    tcase_add_test(tc, clip_and_cull);
    tcase_add_test(tc, cut_is_where_the_plane_is);
    tcase_add_test(tc, blending);
    tcase_add_test(tc, export_formats);
    tcase_add_test(tc, colour_to_memory);
    tcase_add_test(tc, depth_test);
    tcase_add_test(tc, fragments_are_shared);
    tcase_add_test(tc, eqaa_loses_colours);
    tcase_add_test(tc, one_fragment_two_samples);
    tcase_add_test(tc, texture_filter);
    tcase_add_test(tc, clipping_keeps_barycentrics);
    tcase_add_test(tc, rectangle_and_point);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
