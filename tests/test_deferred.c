/* The deferred shading example against a renderer in doubles that knows nothing of hardware: pixels, and what every pass
 * cost: runs of the shader, discarded and blended pixels, exports, quads that the depth test kept from it. */
#include "examples/deferred/deferred.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define W         ((int)DS_WIDTH)
#define H         ((int)DS_HEIGHT)
#define S         ((int)DS_SAMPLES)
#define LIGHT_TRI 12 /* triangles of a light's cube */

/* a + b * x + c * y over the screen. */
struct plane {
    double a, b, c;
};

struct triangle {
    double x[3], y[3];
    struct plane z, w;
    int x0, y0, x1, y1; /* pixels that it may touch */
};

static struct ds_scene scene;
static struct ds_result r;

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

static void set_up(struct triangle *t, const float *p0, const float *p1, const float *p2)
{
    const float *p[3] = {p0, p1, p2};

    t->x0 = W, t->y0 = H, t->x1 = t->y1 = 0;
    for (int k = 0; k < 3; k++) {
        /* Vertices snap to 1/256 pixel. */
        t->x[k] = nearbyint(((double)p[k][0] / p[k][3] + 1) * W / 2 * 256) / 256;
        t->y[k] = nearbyint(((double)p[k][1] / p[k][3] + 1) * H / 2 * 256) / 256;
        t->x0 = (int)fmax(0, fmin(t->x0, floor(t->x[k]) - 1));
        t->y0 = (int)fmax(0, fmin(t->y0, floor(t->y[k]) - 1));
        t->x1 = (int)fmin(W, fmax(t->x1, ceil(t->x[k]) + 1));
        t->y1 = (int)fmin(H, fmax(t->y1, ceil(t->y[k]) + 1));
    }
    t->x0 &= ~1, t->y0 &= ~1;
    t->z = through(t, (double)p0[2] / p0[3], (double)p1[2] / p1[3], (double)p2[2] / p2[3]);
    t->w = through(t, 1.0 / p0[3], 1.0 / p1[3], 1.0 / p2[3]);
}

/* Top and left edges own what lies on them. Exact. */
static bool covers(const struct triangle *t, double x, double y)
{
    const double area = (t->x[1] - t->x[0]) * (t->y[2] - t->y[0]) - (t->x[2] - t->x[0]) * (t->y[1] - t->y[0]);

    if (area == 0)
        return false;
    for (int k = 0; k < 3; k++) {
        const int a = area > 0 ? k : (k + 1) % 3, b = area > 0 ? (k + 1) % 3 : k;
        const double dx = t->x[b] - t->x[a], dy = t->y[b] - t->y[a];
        const double e = dx * (y - t->y[a]) - dy * (x - t->x[a]);

        if (e < 0 || (e == 0 && !(dy < 0 || (dy == 0 && dx > 0))))
            return false;
    }
    return true;
}

static double sample_x(int x, int s)
{
    return x + 0.5 + ds_sample[s][0] / 16.0;
}

static double sample_y(int y, int s)
{
    return y + 0.5 + ds_sample[s][1] / 16.0;
}

/* What a pass should have cost. */
struct want {
    unsigned runs, dark, doubtful; /* doubtful: depths, or light, too close to what decides for floats */
    unsigned culled, blended_samples;
};

/* ---- the G-buffer ------------------------------------------------------------------------------------ */

static struct {
    float depth;
    int triangle; /* -1: none */
    uint32_t id;
    double albedo[3], normal[3];
} buffer[DS_HEIGHT][DS_WIDTH][DS_SAMPLES];
static bool edge[DS_HEIGHT][DS_WIDTH], doubtful[DS_HEIGHT][DS_WIDTH];
static struct want geometry;
static unsigned edges;

/* Attributes are those at the pixel's centre, whichever sample is covered; targets round them. */
static void store(const struct triangle *t, int i, int x, int y, int s)
{
    const struct ds_vertex *v = &scene.vertex[3 * i];

    buffer[y][x][s].triangle = i;
    buffer[y][x][s].id = v->id;
    for (int c = 0; c < 3; c++) {
        const struct plane n = through(t, v[0].normal[c] / (double)v[0].pos[3], v[1].normal[c] / (double)v[1].pos[3],
                                       v[2].normal[c] / (double)v[2].pos[3]);

        buffer[y][x][s].normal[c] = nearbyint(at(&n, x + 0.5, y + 0.5) / at(&t->w, x + 0.5, y + 0.5) * 32767) / 32767;
        buffer[y][x][s].albedo[c] = nearbyint(v->albedo[c] * 255) / 255;
    }
}

static void draw_geometry(void)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int s = 0; s < S; s++)
                buffer[y][x][s].depth = 1, buffer[y][x][s].triangle = -1;
    for (int i = 0; i < (int)scene.vertices / 3; i++) {
        struct triangle t;

        set_up(&t, scene.vertex[3 * i].pos, scene.vertex[3 * i + 1].pos, scene.vertex[3 * i + 2].pos);
        for (int qy = t.y0; qy < t.y1; qy += 2)
            for (int qx = t.x0; qx < t.x1; qx += 2) {
                bool covered = false, any = false;

                for (int p = 0; p < 4; p++) {
                    const int x = qx + (p & 1), y = qy + (p >> 1);
                    bool live = false;

                    for (int s = 0; s < S; s++) {
                        const double z = at(&t.z, sample_x(x, s), sample_y(y, s));

                        if (!covers(&t, sample_x(x, s), sample_y(y, s)))
                            continue;
                        covered = true;
                        if (fabs(z - buffer[y][x][s].depth) < 1e-6) {
                            doubtful[y][x] = true;
                            geometry.doubtful++;
                        }
                        if ((float)z >= buffer[y][x][s].depth)
                            continue;
                        live = true;
                        buffer[y][x][s].depth = (float)z;
                        store(&t, i, x, y, s);
                    }
                    geometry.runs += live;
                    any |= live;
                }
                geometry.culled += covered && !any;
            }
    }
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            for (int s = 1; s < S; s++)
                edge[y][x] |= buffer[y][x][s].id != buffer[y][x][0].id;
            edges += edge[y][x];
        }
}

/* ---- lights ---------------------------------------------------------------------------------------------- */

static double light[DS_HEIGHT][DS_WIDTH][DS_SAMPLES][3];
static struct want want[DS_VARIANTS][2]; /* pixels, samples */

/* What light i sends to a sample; its largest channel. */
static double shine(int i, int x, int y, int s, double out[3])
{
    const struct ds_light_vertex *l = &scene.light[i * (int)DS_LIGHT_VERTS];
    const double z = (double)DS_B / (buffer[y][x][s].depth - (double)DS_A);
    const double p[3] = {(sample_x(x, s) / 128 - 1) * z, (sample_y(y, s) / 128 - 1) * z, z};
    double to[3], d2 = 0, nn = 0, nl = 0, a;

    for (int c = 0; c < 3; c++) {
        to[c] = l->centre[c] - p[c];
        d2 += to[c] * to[c];
        nl += to[c] * buffer[y][x][s].normal[c];
        nn += buffer[y][x][s].normal[c] * buffer[y][x][s].normal[c];
    }
    a = fmax(1 - d2 * l->inverse_square_radius, 0);
    a *= a * (nn > 0 ? fmin(fmax(nl / sqrt(nn * d2), 0), 1) : 0);
    for (int c = 0; c < 3; c++)
        out[c] = a * l->colour[c];
    return fmax(out[0], fmax(out[1], out[2]));
}

/* The face of a light's cube that triangle k belongs to, seen from outside? Two triangles to a face, of which the
 * first three corners and their sum say where outside is. */
static bool seen_from_outside(const struct ds_light_vertex *v)
{
    double n = 0, out[3] = {0, 0, 0};

    for (int k = 0; k < 3; k++) {
        const double p[3] = {v[k].pos[0], v[k].pos[1], v[k].pos[3]};

        for (int c = 0; c < 3; c++)
            out[c] += (p[c] - v[k].centre[c]) / 3;
    }
    /* The mean of three corners of a square lies on it: along the face's axis the distance is the largest, all of it. */
    for (int c = 0; c < 3; c++) {
        const double half = 1 / sqrt(v->inverse_square_radius);
        const double sign = fabs(fabs(out[c]) - half) < 1e-4 ? (out[c] > 0 ? 1 : -1) : 0;

        n += sign * (v->centre[c] + sign * half);
    }
    return n < 0;
}

/* One run of the shader for sample s of a pixel; its light goes to the samples `live`. */
static void run(struct want *w, int i, int x, int y, int s, unsigned live)
{
    double rgb[3];
    const double most = shine(i, x, y, s, rgb);

    w->runs++;
    w->doubtful += fabs(most - (double)DS_DARK) < 1e-5;
    if (most < (double)DS_DARK) {
        w->dark++;
        return;
    }
    for (int k = 0; k < S; k++)
        if (live >> k & 1) {
            w->blended_samples++;
            for (int c = 0; c < 3; c++)
                light[y][x][k][c] += rgb[c];
        }
}

static void light_triangle(struct want *w, const struct triangle *t, int i, bool back, bool per_sample, bool all)
{
    for (int qy = t->y0; qy < t->y1; qy += 2)
        for (int qx = t->x0; qx < t->x1; qx += 2) {
            bool covered = false, any = false;

            for (int p = 0; p < 4; p++) {
                const int x = qx + (p & 1), y = qy + (p >> 1);
                unsigned live = 0;

                for (int s = 0; s < S; s++) {
                    const double z = at(&t->z, sample_x(x, s), sample_y(y, s)), d = buffer[y][x][s].depth;

                    if (!covers(t, sample_x(x, s), sample_y(y, s)))
                        continue;
                    covered = true;
                    if (!all && edge[y][x] != per_sample)
                        continue;
                    w->doubtful += fabs(z - d) < 1e-6;
                    if (back ? (float)z > d : (float)z <= d)
                        live |= 1u << s;
                }
                any |= live != 0;
                if (live && !per_sample)
                    run(w, i, x, y, 0, live);
                for (int s = 0; s < S && per_sample; s++)
                    if (live >> s & 1)
                        run(w, i, x, y, s, 1u << s);
            }
            w->culled += covered && !any;
        }
}

static void draw_lights(struct want *w, bool back, bool per_sample, bool all)
{
    for (int k = 0; k < (int)DS_LIGHTS * LIGHT_TRI; k++) {
        const struct ds_light_vertex *v = &scene.light[3 * k];
        struct triangle t;

        if (seen_from_outside(v) == back)
            continue;
        set_up(&t, v[0].pos, v[1].pos, v[2].pos);
        light_triangle(w, &t, k / LIGHT_TRI, back, per_sample, all);
    }
}

static double half(unsigned bits)
{
    return ldexp(1 + (bits & 0x3ff) / 1024.0, (int)(bits >> 10) - 15);
}

/* The largest difference of any pixel's channels, in 1/255. */
static double draw_variant(int variant)
{
    double most = 0;

    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int s = 0; s < S; s++)
                for (int c = 0; c < 3; c++)
                    light[y][x][s][c] = half(DS_AMBIENT_HALF);
    if (variant != DS_EVERY_SAMPLE)
        draw_lights(&want[variant][0], variant == DS_BACK, false, false);
    draw_lights(&want[variant][1], variant == DS_BACK, true, variant == DS_EVERY_SAMPLE);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 3; c++) {
                double sum = 0;

                for (int s = 0; s < S; s++)
                    sum += fmin(1, buffer[y][x][s].albedo[c] * light[y][x][s][c]);
                if (!doubtful[y][x])
                    most = fmax(most, fabs((r.image[variant][y][x] >> (8 * c) & 255) - sum / S * 255));
            }
    return most;
}

/* ---- the tests --------------------------------------------------------------------------------------------- */

static double error[DS_VARIANTS];

/* Every blend rounds to a half: up to 2^-10 of light at each of a few lights. */
#define COLOUR_TOLERANCE 1.0

START_TEST(pixels)
{
    ck_assert_uint_lt(geometry.doubtful, 20);
    for (int v = 0; v < DS_VARIANTS; v++)
        ck_assert_double_le(error[v], COLOUR_TOLERANCE);
}
END_TEST

/* Whether volumes are drawn by their back or by their front faces: the same image. */
START_TEST(same_image)
{
    ck_assert_int_eq(memcmp(r.image[DS_BACK], r.image[DS_FRONT], sizeof r.image[DS_BACK]), 0);
    ck_assert_int_ne(memcmp(r.image[DS_BACK], r.image[DS_EVERY_SAMPLE], sizeof r.image[DS_BACK]), 0);
}
END_TEST

static void near(uint64_t got, unsigned wanted, unsigned slack)
{
    ck_assert_msg(got + slack >= wanted && got <= (uint64_t)wanted + slack, "%llu, not %u +- %u",
                  (unsigned long long)got, wanted, slack);
}

START_TEST(cost)
{
    near(r.geometry.runs, geometry.runs, geometry.doubtful);
    near(r.geometry.early_culled, geometry.culled, geometry.doubtful);
    ck_assert_uint_eq(r.geometry.fp16, r.geometry.runs);
    ck_assert_uint_eq(r.geometry.snorm16, r.geometry.runs);
    ck_assert_uint_eq(r.geometry.r32, r.geometry.runs);
    ck_assert_uint_eq(r.geometry.unorm16, 0);
    ck_assert_uint_eq(r.edges.runs, DS_WIDTH * DS_HEIGHT);
    near(r.edges.runs - r.edges.killed, edges, geometry.doubtful);
    ck_assert_uint_gt(edges, 100);
    for (int v = 0; v < DS_VARIANTS; v++)
        for (int per_sample = 0; per_sample < 2; per_sample++) {
            const struct ds_cost *c = per_sample ? &r.samples[v] : &r.pixels[v];
            const struct want *w = &want[v][per_sample];
            const unsigned slack = w->doubtful + geometry.doubtful;

            ck_assert_uint_lt(slack, 100);
            near(c->runs, w->runs, slack);
            near(c->killed, w->dark, slack);
            near(c->early_culled, w->culled, slack);
            near(c->blended_samples, w->blended_samples, 4 * slack);
            ck_assert_uint_eq(c->blended, c->runs - c->killed);
            ck_assert_uint_eq(c->fp16, c->blended);
            ck_assert_uint_eq(c->snorm16 + c->r32 + c->unorm16, 0);
        }
    ck_assert_uint_eq(r.pixels[DS_BACK].blended_samples, r.pixels[DS_FRONT].blended_samples);
    ck_assert_uint_eq(r.samples[DS_BACK].blended_samples, r.samples[DS_FRONT].blended_samples);
    ck_assert_uint_eq(r.compose.unorm16, DS_WIDTH * DS_HEIGHT);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("deferred");
    TCase *t = tcase_create("deferred");
    SRunner *sr = srunner_create(s);
    int bad;

    ds_make_scene(&scene);
    draw_geometry();
    ds_run(NULL, &r);
    for (int v = 0; v < DS_VARIANTS; v++)
        error[v] = draw_variant(v);
    printf("largest errors: %.2f %.2f %.2f of 255\n", error[0], error[1], error[2]);
    fflush(stdout);
    tcase_add_test(t, pixels);
    tcase_add_test(t, same_image);
    tcase_add_test(t, cost);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    bad = srunner_ntests_failed(sr);
    srunner_free(sr);
    return bad != 0;
}
