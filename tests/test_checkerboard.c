/* The checkerboard example against a renderer in doubles that knows nothing of hardware: pixels, gradients, and how
 * many pixels were shaded. */
#include "examples/checkerboard/checkerboard.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define W ((int)CB_WIDTH)
#define H ((int)CB_HEIGHT)
#define TRIANGLES_MAX 32

enum { BACKGROUND = 0, FLOOR_FIRST = 1, FLOOR_LAST = 2 }; /* triangles of the scene; the others have no gradients */

/* a + b * x + c * y over the screen. */
struct plane {
    double a, b, c;
};

struct triangle {
    double x[3], y[3];
    struct plane z, w, c[3], u, v; /* of z; of 1 / w and what is divided by w */
};

static struct cb_result r;
static struct triangle tri[TRIANGLES_MAX];
static int triangles;
static bool on_grid = true; /* else the two renders have different triangles */

static double at(const struct plane *p, double x, double y)
{
    return p->a + p->b * x + p->c * y;
}

static struct plane through(const struct triangle *t, double f0, double f1, double f2)
{
    const double x1 = t->x[1] - t->x[0], y1 = t->y[1] - t->y[0], x2 = t->x[2] - t->x[0], y2 = t->y[2] - t->y[0];
    const double det = x1 * y2 - x2 * y1;
    struct plane p;

    p.b = ((f1 - f0) * y2 - (f2 - f0) * y1) / det;
    p.c = ((f2 - f0) * x1 - (f1 - f0) * x2) / det;
    p.a = f0 - p.b * t->x[0] - p.c * t->y[0];
    return p;
}

static void set_up(void)
{
    triangles = (int)cb_scene_vertices / 3;
    if (triangles > TRIANGLES_MAX)
        abort();
    for (int i = 0; i < triangles; i++) {
        const struct cb_vertex *v = &cb_scene[3 * i];
        struct triangle *t = &tri[i];

        for (int k = 0; k < 3; k++) {
            t->x[k] = (v[k].pos[0] / v[k].pos[3] + 1) * W / 2;
            t->y[k] = (v[k].pos[1] / v[k].pos[3] + 1) * H / 2;
            on_grid &= t->x[k] * 64 == floor(t->x[k] * 64) && t->y[k] * 64 == floor(t->y[k] * 64);
        }
#define OVER_W(value) through(t, value(0) / v[0].pos[3], value(1) / v[1].pos[3], value(2) / v[2].pos[3])
#define ONE(k) 1.0
#define Z(k) v[k].pos[2]
#define U(k) v[k].uv[0]
#define V(k) v[k].uv[1]
        t->w = OVER_W(ONE);
        t->z = OVER_W(Z);
        t->u = OVER_W(U);
        t->v = OVER_W(V);
        for (int c = 0; c < 3; c++)
            t->c[c] = through(t, v[0].colour[c] / v[0].pos[3], v[1].colour[c] / v[1].pos[3],
                              v[2].colour[c] / v[2].pos[3]);
    }
}

/* Top and left edges own what lies on them. Exact: all are multiples of small powers of two. */
static bool covers(const struct triangle *t, double x, double y)
{
    const double area = (t->x[1] - t->x[0]) * (t->y[2] - t->y[0]) - (t->x[2] - t->x[0]) * (t->y[1] - t->y[0]);

    for (int k = 0; k < 3; k++) {
        const int a = area > 0 ? k : (k + 1) % 3, b = area > 0 ? (k + 1) % 3 : k;
        const double dx = t->x[b] - t->x[a], dy = t->y[b] - t->y[a];
        const double e = dx * (y - t->y[a]) - dy * (x - t->x[a]);

        if (e < 0 || (e == 0 && !(dy < 0 || (dy == 0 && dx > 0))))
            return false;
    }
    return true;
}

static double perspective(const struct triangle *t, const struct plane *p, double x, double y)
{
    return at(p, x, y) / at(&t->w, x, y);
}

/* ---- visibility ------------------------------------------------------------------------------------ */

static int visible[CB_HEIGHT][CB_WIDTH];  /* triangle */
static bool doubtful[CB_HEIGHT][CB_WIDTH]; /* two depths too close for floats */
static uint64_t shaded_full, shaded_pairs, lone_samples, quads_full, quads_pairs;

/* Draw everything in order, and count what a shader runs for: pixels, pairs of pixels, quads of either. */
static void draw_depth(void)
{
    static double z[CB_HEIGHT][CB_WIDTH];
    static bool live[CB_HEIGHT][CB_WIDTH];

    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            z[y][x] = 1, visible[y][x] = -1;
    for (int i = 0; i < triangles; i++) {
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                const double d = at(&tri[i].z, x + 0.5, y + 0.5);

                live[y][x] = covers(&tri[i], x + 0.5, y + 0.5) && d < z[y][x];
                if (!covers(&tri[i], x + 0.5, y + 0.5))
                    continue;
                doubtful[y][x] |= fabs(d - z[y][x]) < 1e-6;
                if (live[y][x])
                    z[y][x] = d, visible[y][x] = i;
            }
        for (int y = 0; y < H; y += 2)
            for (int x = 0; x < W; x += 4) {
                unsigned m[2] = {0, 0};

                for (int k = 0; k < 8; k++)
                    m[k / 4] |= (unsigned)live[y + k / 4][x + k % 4] << k % 4;
                for (int k = 0; k < 2; k++) {
                    shaded_full += (unsigned)__builtin_popcount(m[k]);
                    shaded_pairs += ((m[k] & 3) != 0) + ((m[k] & 12) != 0);
                    lone_samples += (m[k] & 3) == 1 || (m[k] & 3) == 2;
                    lone_samples += (m[k] & 12) == 4 || (m[k] & 12) == 8;
                }
                quads_full += ((m[0] | m[1]) & 3) != 0;
                quads_full += ((m[0] | m[1]) & 12) != 0;
                quads_pairs += (m[0] | m[1]) != 0;
            }
    }
}

/* ---- gradients ----------------------------------------------------------------------------------------- */

/* du/dx, dv/dx, du/dy, dv/dy at a point. */
static void analytic(const struct triangle *t, double x, double y, double g[4])
{
    const double w = at(&t->w, x, y), u = perspective(t, &t->u, x, y), v = perspective(t, &t->v, x, y);

    g[0] = (t->u.b - u * t->w.b) / w;
    g[1] = (t->v.b - v * t->w.b) / w;
    g[2] = (t->u.c - u * t->w.c) / w;
    g[3] = (t->v.c - v * t->w.c) / w;
}

static double uv(const struct triangle *t, int which, const double p[2])
{
    return perspective(t, which ? &t->v : &t->u, p[0], p[1]);
}

/* What the shader of a full-rate render sees of pixel (x, y): differences of its quad. */
static void of_quad(const struct triangle *t, int x, int y, double g[4])
{
    const double qx = (x & ~1) + 0.5, qy = (y & ~1) + 0.5;
    const double tl[2] = {qx, qy}, tr[2] = {qx + 1, qy}, bl[2] = {qx, qy + 1};

    for (int k = 0; k < 2; k++) {
        g[k] = uv(t, k, tr) - uv(t, k, tl);
        g[2 + k] = uv(t, k, bl) - uv(t, k, tl);
    }
}

/* The same of the checkerboard frame that has pixel (x, y), with the correction of the issue. */
static void of_checkerboard(const struct triangle *t, int x, int y, double g[4])
{
    const int odd = (x ^ y) & 1;
    const double qx = (x & ~3) + 0.5, qy = (y & ~1) + 0.5;
    const double tl[2] = {qx + odd, qy}, tr[2] = {qx + 2 + odd, qy}, bl[2] = {qx + !odd, qy + 1};

    for (int k = 0; k < 2; k++) {
        g[k] = 0.5 * (uv(t, k, tr) - uv(t, k, tl));
        g[2 + k] = uv(t, k, bl) - uv(t, k, tl) + (odd ? g[k] : -g[k]);
    }
}

/* ---- colour ---------------------------------------------------------------------------------------------- */

static double texel(int level, int x, int y, int c)
{
    const int side = (int)CB_TEXTURE >> level;

    return (cb_texel((unsigned)level, (unsigned)(x & (side - 1)), (unsigned)(y & (side - 1))) >> (8 * c) & 255) / 255.0;
}

static double bilinear(int level, double u, double v, int c)
{
    const int side = (int)CB_TEXTURE >> level;
    const double x = u * side - 0.5, y = v * side - 0.5, fx = x - floor(x), fy = y - floor(y);
    const int x0 = (int)floor(x), y0 = (int)floor(y);

    return (1 - fy) * ((1 - fx) * texel(level, x0, y0, c) + fx * texel(level, x0 + 1, y0, c)) +
           fy * ((1 - fx) * texel(level, x0, y0 + 1, c) + fx * texel(level, x0 + 1, y0 + 1, c));
}

static double trilinear(double u, double v, const double g[4], int c)
{
    const double dx = hypot(g[0], g[1]) * CB_TEXTURE, dy = hypot(g[2], g[3]) * CB_TEXTURE;
    const double lod = fmin(fmax(log2(fmax(fmax(dx, dy), 1e-30)), 0), CB_LEVELS - 1);
    const int level = (int)lod, next = level + 1 < (int)CB_LEVELS ? level + 1 : level;
    const double f = lod - level;

    return (1 - f) * bilinear(level, u, v, c) + f * bilinear(next, u, v, c);
}

/* The largest difference of a pixel's channels from the reference, in 1/255. */
static double colour_error(uint32_t pixel, int x, int y, const double g[4])
{
    const struct triangle *t = &tri[visible[y][x]];
    const double px = x + 0.5, py = y + 0.5, line = (px + py) / 32;
    double most = 0;

    for (int c = 0; c < 3; c++) {
        const double want = perspective(t, &t->c[c], px, py) * (line - floor(line) < 0.125 ? 0.75 : 1) *
                            trilinear(perspective(t, &t->u, px, py), perspective(t, &t->v, px, py), g, c);

        most = fmax(most, fabs((pixel >> (8 * c) & 255) - want * 255));
    }
    return most;
}

/* ---- the tests --------------------------------------------------------------------------------------------- */

static bool has_perspective(int x, int y)
{
    return visible[y][x] >= FLOOR_FIRST && visible[y][x] <= FLOOR_LAST;
}

/* Weights of 8 bits, halves rounded towards zero, and the target's rounding. */
#define COLOUR_TOLERANCE 2.0

START_TEST(pixels)
{
    unsigned different = 0;

    ck_assert(on_grid);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            double g[4];

            ck_assert_int_ge(visible[y][x], 0);
            if (doubtful[y][x])
                continue;
            of_quad(&tri[visible[y][x]], x, y, g);
            ck_assert_double_le(colour_error(r.full_image[y][x], x, y, g), COLOUR_TOLERANCE);
            of_checkerboard(&tri[visible[y][x]], x, y, g);
            ck_assert_double_le(colour_error(r.rebuilt[y][x], x, y, g), COLOUR_TOLERANCE);
        }
    /* Where gradients are the same everywhere on a triangle, the same bytes; depths that are equal included. */
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            if (!has_perspective(x, y))
                ck_assert_uint_eq(r.rebuilt[y][x], r.full_image[y][x]);
            different += r.rebuilt[y][x] != r.full_image[y][x];
        }
    ck_assert_uint_gt(different, 0); /* else the floor tests nothing */
}
END_TEST

START_TEST(gradients)
{
    unsigned exact[2] = {0, 0};

    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const struct triangle *t = &tri[visible[y][x]];
            const float *got = r.gradient[y][x], *full = r.full_gradient[y][x];
            double g[4], half[4], quad[4];

            if (doubtful[y][x])
                continue;
            analytic(t, x + 0.5, y + 0.5, g);
            of_checkerboard(t, x, y, half);
            of_quad(t, x, y, quad);
            for (int k = 0; k < 4; k++) {
                double range = 0; /* how much the true gradient changes over the quad */

                if (!has_perspective(x, y)) {
                    ck_assert_msg(got[k] == g[k], "%d,%d: gradient %d is %.9g, not %.9g", x, y, k, (double)got[k],
                                  g[k]);
                    ck_assert(full[k] == g[k]);
                    continue;
                }
                for (int corner = 0; corner < 4; corner++) {
                    double there[4];

                    analytic(t, (x & ~3) + (corner & 1 ? 4 : 0), (y & ~1) + (corner & 2 ? 2 : 0), there);
                    range = fmax(range, fabs(there[k] - g[k]));
                }
                /* Floats near 4 have 2^-22 to a step, and six are added up. */
                ck_assert_double_le(fabs(got[k] - half[k]), 3e-6);
                ck_assert_double_le(fabs(full[k] - quad[k]), 3e-6);
                ck_assert_msg(fabs(got[k] - g[k]) <= 2 * range + 3e-6, "%d,%d: gradient %d is %g, not %g +- %g", x, y,
                              k, (double)got[k], g[k], 2 * range);
            }
            exact[(x ^ y) & 1] += visible[y][x] == BACKGROUND;
        }
    ck_assert_uint_gt(exact[0], 10000); /* both parities */
    ck_assert_uint_gt(exact[1], 10000);
}
END_TEST

/* The shader runs for half as many pixels, and one more for each pair of which only one pixel is seen. */
START_TEST(cost)
{
    ck_assert_uint_eq(r.full.invocations, shaded_full);
    ck_assert_uint_eq(r.full.quads, quads_full);
    for (int odd = 0; odd < 2; odd++) {
        ck_assert_uint_eq(r.frame[odd].invocations, shaded_pairs);
        ck_assert_uint_eq(2 * r.frame[odd].invocations, shaded_full + lone_samples);
        ck_assert_uint_eq(r.frame[odd].quads, quads_pairs);
        ck_assert_uint_eq(r.frame[odd].samples, shaded_full); /* depth is at full rate */
    }
    ck_assert_double_lt((double)lone_samples / (double)shaded_full, 0.01);
}
END_TEST

/* Without the correction the level of detail is wrong all over. */
START_TEST(correction_matters)
{
    unsigned wrong = 0;

    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            wrong += visible[y][x] == BACKGROUND && r.uncorrected[y][x] != r.full_image[y][x];
    ck_assert_uint_gt(wrong, 10000);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("checkerboard");
    TCase *t = tcase_create("checkerboard");
    SRunner *sr = srunner_create(s);
    int bad;

    set_up();
    draw_depth();
    cb_run(NULL, &r);
    tcase_add_test(t, pixels);
    tcase_add_test(t, gradients);
    tcase_add_test(t, cost);
    tcase_add_test(t, correction_matters);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    bad = srunner_ntests_failed(sr);
    srunner_free(sr);
    return bad != 0;
}
