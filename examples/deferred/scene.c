/* What the deferred shading example draws: see deferred.h. */
#include "examples/deferred/deferred.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int ds_sample[DS_SAMPLES][2] = {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}};

static void clip_space(float out[4], const float p[3])
{
    out[0] = p[0];
    out[1] = p[1];
    out[2] = DS_A * p[2] + DS_B;
    out[3] = p[2];
}

static void corner(struct ds_scene *s, const float p[3], const float normal[3], const float albedo[3], uint32_t id)
{
    struct ds_vertex *v = &s->vertex[s->vertices++];

    if (s->vertices > DS_VERTICES)
        abort();
    clip_space(v->pos, p);
    memcpy(v->normal, normal, 3 * sizeof *normal);
    v->normal[3] = 0;
    memcpy(v->albedo, albedo, sizeof v->albedo);
    v->id = id;
}

/* a b c d around. */
static void quad(struct ds_scene *s, const float p[4][3], const float normal[3], const float albedo[3], uint32_t id)
{
    static const int order[6] = {0, 1, 2, 0, 2, 3};

    for (int i = 0; i < 6; i++)
        corner(s, p[order[i]], normal, albedo, id);
}

/* The six faces of a cube as signs of its corners, clockwise on the screen when seen from outside. */
static const signed char faces[6][4][3] = {
    {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}}, {{1, -1, 1}, {-1, -1, 1}, {-1, 1, 1}, {1, 1, 1}},
    {{-1, -1, 1}, {-1, -1, -1}, {-1, 1, -1}, {-1, 1, 1}}, {{1, -1, -1}, {1, -1, 1}, {1, 1, 1}, {1, 1, -1}},
    {{-1, -1, 1}, {1, -1, 1}, {1, -1, -1}, {-1, -1, -1}}, {{-1, 1, -1}, {1, 1, -1}, {1, 1, 1}, {-1, 1, 1}},
};

static void box(struct ds_scene *s, const float c[3], const float half[3], float angle, const float albedo[3],
                uint32_t id)
{
    const float cosine = cosf(angle), sine = sinf(angle);

    for (unsigned f = 0; f < 6; f++) {
        float p[4][3], n[3] = {0, 0, 0}, turned[3];

        for (int k = 0; k < 4; k++) {
            const float x = faces[f][k][0] * half[0], z = faces[f][k][2] * half[2];

            p[k][0] = c[0] + cosine * x + sine * z;
            p[k][1] = c[1] + faces[f][k][1] * half[1];
            p[k][2] = c[2] - sine * x + cosine * z;
            for (int i = 0; i < 3; i++)
                n[i] += faces[f][k][i] / 4.0f;
        }
        turned[0] = cosine * n[0] + sine * n[2];
        turned[1] = n[1];
        turned[2] = -sine * n[0] + cosine * n[2];
        quad(s, p, turned, albedo, id + f);
    }
}

/* Normals of its corners: it looks round. */
static void octahedron(struct ds_scene *s, const float c[3], float r, const float albedo[3], uint32_t id)
{
    for (int f = 0; f < 8; f++) {
        const float sx = f & 1 ? 1 : -1, sy = f & 2 ? 1 : -1, sz = f & 4 ? 1 : -1;
        const float n[3][3] = {{sx, 0, 0}, {0, sy, 0}, {0, 0, sz}};
        const int turn = sx * sy * sz > 0;

        for (int k = 0; k < 3; k++) {
            const float *d = n[k == 0 ? 0 : turn ? 3 - k : k];
            const float p[3] = {c[0] + r * d[0], c[1] + r * d[1], c[2] + r * d[2]};

            corner(s, p, d, albedo, id);
        }
    }
}

static void light(struct ds_scene *s, unsigned i)
{
    static const float colours[6][3] = {{1, 0.25f, 0.25f}, {0.25f, 1, 0.25f}, {0.375f, 0.375f, 1},
                                        {1, 0.75f, 0.25f}, {0.25f, 0.75f, 1}, {1, 0.5f, 1}};
    static const float place[3][2] = {{0.5f, 3.75f}, {-0.625f, 5.75f}, {-1.5f, 7.75f}}; /* y and z of a row */
    const float c[3] = {(-1.5f + (float)(i % 4)) * (1.5f + 0.75f * (float)(i / 4)), place[i / 4][0], place[i / 4][1]};
    const float r = 2 + 0.25f * (float)(i % 3);

    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 6; k++) {
            static const int order[6] = {0, 1, 2, 0, 2, 3};
            const signed char *sign = faces[f][order[k]];
            struct ds_light_vertex *v = &s->light[i * DS_LIGHT_VERTS + 6 * (unsigned)f + (unsigned)k];
            const float p[3] = {c[0] + r * sign[0], c[1] + r * sign[1], c[2] + r * sign[2]};

            clip_space(v->pos, p);
            memcpy(v->centre, c, sizeof c);
            v->inverse_square_radius = 1 / (r * r);
            for (int n = 0; n < 3; n++)
                v->colour[n] = 2 * colours[i % 6][n];
            v->colour[3] = 0;
        }
}

void ds_make_scene(struct ds_scene *s)
{
    static const float floor_[4][3] = {{-9, 1.5f, 9}, {9, 1.5f, 9}, {9, 1.5f, 1.25f}, {-9, 1.5f, 1.25f}};
    static const float wall[4][3] = {{-10, -10, 9}, {10, -10, 9}, {10, 1.5f, 9}, {-10, 1.5f, 9}};

    memset(s, 0, sizeof *s);
    quad(s, floor_, (const float[3]){0, -1, 0}, (const float[3]){0.75f, 0.75f, 0.75f}, 1);
    quad(s, wall, (const float[3]){0, 0, -1}, (const float[3]){0.5f, 0.625f, 0.75f}, 2);
    box(s, (const float[3]){-1.5f, 0.75f, 4}, (const float[3]){0.75f, 0.75f, 0.75f}, 0.5f,
        (const float[3]){0.875f, 0.5f, 0.375f}, 10);
    box(s, (const float[3]){2, 0.25f, 5}, (const float[3]){0.625f, 1.25f, 0.625f}, -0.75f,
        (const float[3]){0.5f, 0.875f, 0.5f}, 20);
    box(s, (const float[3]){0, -1.75f, 6.5f}, (const float[3]){3, 0.375f, 0.75f}, 0.125f,
        (const float[3]){0.625f, 0.625f, 0.875f}, 30);
    octahedron(s, (const float[3]){0.25f, 0.5f, 3.25f}, 1, (const float[3]){0.875f, 0.875f, 0.5f}, 40);
    for (unsigned i = 0; i < DS_LIGHTS; i++)
        light(s, i);
}
