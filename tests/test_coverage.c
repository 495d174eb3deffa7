/* Coverage against exact rational arithmetic: random triangles at 1 to 16 samples, whose positions are random for
 * each pixel of the quad, under the four edge rules.
 *
 * The reference knows no edge functions. A sample lies on a horizontal line; the two edges that cross the line do so
 * at rational x, kept as fractions of 128-bit integers; the sample is inside when it lies between them. Lines
 * that end at a vertex, and samples exactly on an edge, are decided by half-open intervals, as the rule says.
 *
 * TRIANGLES (environment, default 6000) says how many; make check-long takes 150000. A quarter of them are slivers, a
 * sixth each anywhere that is representable, on samples, on half pixels, smaller than a pixel. As many again are in
 * meshes and fans that tile the screen, where each sample must be covered once. */
#include "raster/raster.h"

#include <check.h>
#include <stdlib.h>

#define SCREEN 40
#define ONE    RASTER_FIX_ONE

static uint64_t rng_state = 1;

static uint32_t rnd(void)
{
    rng_state = rng_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(rng_state >> 33);
}

static int32_t rnd_in(int32_t lo, int32_t hi)
{
    return lo + (int32_t)(rnd() % ((uint32_t)(hi - lo) + 1));
}

static unsigned triangles(void)
{
    const char *s = getenv("TRIANGLES");

    return s ? (unsigned)atoi(s) : 6000;
}

/* ---- the reference ------------------------------------------------------------------------------ */

/* num / den, den > 0 */
struct rational {
    __int128 num, den;
};

/* Sign of r - v. */
static int compare(struct rational r, int64_t v)
{
    __int128 d = r.num - r.den * v;

    return d < 0 ? -1 : d > 0;
}

static bool less(struct rational a, struct rational b)
{
    return a.num * b.den < b.num * a.den;
}

/* Where the triangle's edges cross the line y: false when they do not. */
static bool crossings(const int32_t tx[3], const int32_t ty[3], int64_t y, bool top_in,
                      struct rational out[2])
{
    unsigned n = 0;

    for (unsigned k = 0; k < 3; k++) {
        unsigned a = k, b = (k + 1) % 3;

        if (ty[a] > ty[b])
            a = b, b = k;
        /* The end that lies in the direction of the owned horizontal edge counts. */
        if (top_in ? ty[a] <= y && y < ty[b] : ty[a] < y && y <= ty[b]) {
            const __int128 h = (__int128)ty[b] - ty[a];

            out[n++] = (struct rational){ tx[a] * h + ((__int128)tx[b] - tx[a]) * (y - ty[a]), h };
        }
    }
    if (n == 1)
        ck_abort_msg("the reference is wrong");
    if (n && less(out[1], out[0])) {
        struct rational t = out[0];

        out[0] = out[1];
        out[1] = t;
    }
    return n == 2;
}

/* ---- what is compared ---------------------------------------------------------------------------- */

static struct raster_state state;
static uint16_t covered[SCREEN][SCREEN];
static bool twice;

static void collect(void *ctx, const struct raster_prim *p, const struct raster_quad *q, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < 4; k++) {
            int x = q[i].x + (int)(k & 1), y = q[i].y + (int)(k >> 1);

            if (!q[i].mask[k])
                continue;
            if (x < 0 || y < 0 || x >= SCREEN || y >= SCREEN)
                ck_abort_msg("a pixel outside of the scissor");
            twice |= covered[y][x] & q[i].mask[k];
            covered[y][x] |= q[i].mask[k];
        }
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

static void random_state(void)
{
    memset(&state, 0, sizeof state);
    state.sc.msaa = true;
    state.sc.samples_log2 = rnd() % 5;
    for (unsigned p = 0; p < 4; p++) {
        state.sc.aa_mask[p] = 0xffff;
        for (unsigned s = 0; s < RASTER_SAMPLES_MAX; s++)
            state.sc.pos[p][s] = (struct raster_sample_pos){ rnd_in(-8, 7), rnd_in(-8, 7) };
    }
    state.sc.er_tri = (rnd() & 1 ? RASTER_ER_LEFT : RASTER_ER_RIGHT) |
                      (rnd() & 1 ? RASTER_ER_TOP : RASTER_ER_BOTTOM);
}

static int64_t sample_x(int px, unsigned pixel, unsigned s)
{
    return (int64_t)px * ONE + ONE / 2 + state.sc.pos[pixel][s].x * (ONE / 16);
}

static int64_t sample_y(int py, unsigned pixel, unsigned s)
{
    return (int64_t)py * ONE + ONE / 2 + state.sc.pos[pixel][s].y * (ONE / 16);
}

static void check_triangle(const int32_t x[3], const int32_t y[3])
{
    const bool left_in = state.sc.er_tri & RASTER_ER_LEFT, top_in = state.sc.er_tri & RASTER_ER_TOP;
    const unsigned samples = 1u << state.sc.samples_log2;

    memset(covered, 0, sizeof covered);
    twice = false;
    scan(x, y);
    ck_assert(!twice);
    for (int py = 0; py < SCREEN; py++)
        for (unsigned col = 0; col < 2; col++)
            for (unsigned s = 0; s < samples; s++) {
                const unsigned pixel = col | (unsigned)(py & 1) << 1;
                struct rational cross[2];
                const bool any = crossings(x, y, sample_y(py, pixel, s), top_in, cross);

                for (int px = (int)col; px < SCREEN; px += 2) {
                    const int64_t sx = sample_x(px, pixel, s);
                    const bool want = any && (left_in ? compare(cross[0], sx) <= 0 &&
                                                            compare(cross[1], sx) > 0
                                                      : compare(cross[0], sx) < 0 &&
                                                            compare(cross[1], sx) >= 0);

                    if (want != (bool)(covered[py][px] >> s & 1))
                        ck_abort_msg("pixel %d,%d sample %u of %u: %d, want %d; rule %#x; triangle "
                                     "%d,%d %d,%d %d,%d", px, py, s, samples, !want, want,
                                     state.sc.er_tri, x[0], y[0], x[1], y[1], x[2], y[2]);
                }
            }
}

/* ---- triangles ------------------------------------------------------------------------------------ */

static void corner(unsigned kind, int32_t *x, int32_t *y)
{
    switch (kind) {
    case 0: /* around the screen */
        *x = rnd_in(-8 * ONE, (SCREEN + 8) * ONE);
        *y = rnd_in(-8 * ONE, (SCREEN + 8) * ONE);
        break;
    case 1: /* anywhere that is representable */
        *x = rnd_in(-RASTER_FIX_MAX, RASTER_FIX_MAX - 1);
        *y = rnd_in(-RASTER_FIX_MAX, RASTER_FIX_MAX - 1);
        break;
    case 2: { /* on a sample */
        const int px = rnd_in(0, SCREEN - 1), py = rnd_in(0, SCREEN - 1);
        const unsigned pixel = (px & 1) | (py & 1) << 1, s = rnd() & ((1u << state.sc.samples_log2) - 1);

        *x = (int32_t)sample_x(px, pixel, s);
        *y = (int32_t)sample_y(py, pixel, s);
        break;
    }
    case 3: /* whole and half pixels */
        *x = rnd_in(0, 2 * SCREEN) * ONE / 2;
        *y = rnd_in(0, 2 * SCREEN) * ONE / 2;
        break;
    case 4: /* a grid of 1/256 */
        *x = rnd_in(-ONE, (SCREEN + 1) * ONE) & ~15;
        *y = rnd_in(-ONE, (SCREEN + 1) * ONE) & ~15;
        break;
    default: /* within a pixel: tiny ones */
        *x = SCREEN / 2 * ONE + rnd_in(-ONE, ONE);
        *y = SCREEN / 2 * ONE + rnd_in(-ONE, ONE);
        break;
    }
}

START_TEST(random_triangles)
{
    const unsigned n = triangles();

    for (unsigned i = 0; i < n; i++) {
        int32_t x[3], y[3];

        random_state();
        for (unsigned k = 0; k < 3; k++)
            corner(i % 7 == 6 ? rnd() % 6 : i % 6, &x[k], &y[k]);
        if (i % 4 == 3) { /* a sliver: the third corner almost, or just, on the line of the others */
            x[2] = x[0] + (x[1] - x[0]) / 3 + rnd_in(-1, 1);
            y[2] = y[0] + (y[1] - y[0]) / 3 + rnd_in(-1, 1);
        }
        check_triangle(x, y);
    }
}
END_TEST

static void check_once(const char *what)
{
    const unsigned full = (1u << (1u << state.sc.samples_log2)) - 1;

    ck_assert_msg(!twice, "%s: a sample is covered twice", what);
    for (int py = 0; py < SCREEN; py++)
        for (int px = 0; px < SCREEN; px++)
            if (covered[py][px] != full)
                ck_abort_msg("%s: pixel %d,%d has %#x, not %#x", what, px, py, covered[py][px], full);
}

#define CELLS 6

/* A grid whose vertices are moved, some onto samples; either diagonal; triangles in either winding. */
static unsigned mesh(void)
{
    const int32_t cell = (SCREEN + 4) * ONE / CELLS, free = cell / 5;
    int32_t vx[CELLS + 1][CELLS + 1], vy[CELLS + 1][CELLS + 1];

    for (int j = 0; j <= CELLS; j++)
        for (int i = 0; i <= CELLS; i++) {
            const bool in = i && j && i < CELLS && j < CELLS;
            int32_t x = i * cell - 2 * ONE, y = j * cell - 2 * ONE;

            if (in) {
                x += rnd_in(-free, free);
                y += rnd_in(-free, free);
            }
            if (in && rnd() & 1) { /* a sample near by: less than a pixel away, a cell is 7 */
                const int px = x / ONE, py = y / ONE;
                const unsigned pixel = (px & 1) | (py & 1) << 1;
                const unsigned s = rnd() & ((1u << state.sc.samples_log2) - 1);

                x = (int32_t)sample_x(px, pixel, s);
                y = (int32_t)sample_y(py, pixel, s);
            }
            vx[j][i] = x;
            vy[j][i] = y;
        }
    memset(covered, 0, sizeof covered);
    twice = false;
    for (int j = 0; j < CELLS; j++)
        for (int i = 0; i < CELLS; i++) {
            static const uint8_t split[2][2][3] = { { { 0, 1, 2 }, { 2, 1, 3 } },
                                                    { { 0, 1, 3 }, { 0, 3, 2 } } };
            const unsigned d = rnd() & 1;

            for (unsigned t = 0; t < 2; t++) {
                int32_t x[3], y[3];
                const unsigned first = rnd() % 3, back = rnd() & 1;

                for (unsigned k = 0; k < 3; k++) {
                    const unsigned c = split[d][t][(first + (back ? 3 - k : k)) % 3];

                    x[k] = vx[j + (int)(c >> 1)][i + (int)(c & 1)];
                    y[k] = vy[j + (int)(c >> 1)][i + (int)(c & 1)];
                }
                scan(x, y);
            }
        }
    check_once("mesh");
    return 2 * CELLS * CELLS;
}

#define SPOKES 48

/* A point along a square around the screen. */
static void around(uint32_t at, int32_t *x, int32_t *y)
{
    const int32_t side = (SCREEN + 4) * ONE, along = (int32_t)(at % (uint32_t)side), lo = -2 * ONE,
                  hi = lo + side;

    switch (at / (uint32_t)side) {
    case 0: *x = lo + along, *y = lo; break;
    case 1: *x = hi, *y = lo + along; break;
    case 2: *x = hi - along, *y = hi; break;
    default: *x = lo, *y = hi - along; break;
    }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Slivers around a point: every sample near it lies by many edges. */
static unsigned fan(void)
{
    const uint32_t side = (SCREEN + 4) * ONE;
    uint32_t at[SPOKES];
    int32_t cx, cy;

    corner(rnd() & 1 ? 2 : 5, &cx, &cy);
    for (unsigned i = 0; i < SPOKES; i++)
        at[i] = i < 4 ? i * side : (uint32_t)rnd_in(0, (int32_t)(4 * side - 1));
    qsort(at, SPOKES, sizeof at[0], by_number);
    memset(covered, 0, sizeof covered);
    twice = false;
    for (unsigned i = 0; i < SPOKES; i++) {
        int32_t x[3] = { cx }, y[3] = { cy };

        around(at[i], &x[1], &y[1]);
        around(at[(i + 1) % SPOKES], &x[2], &y[2]);
        scan(x, y);
    }
    check_once("fan");
    return SPOKES;
}

START_TEST(shared_edges)
{
    const unsigned n = triangles();

    rng_state = 7;
    for (unsigned done = 0; done < n;) {
        random_state();
        done += mesh();
        done += fan();
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("coverage");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 1800);
    tcase_add_test(tc, random_triangles);
    tcase_add_test(tc, shared_edges);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
