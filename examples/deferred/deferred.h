/* The deferred shading example: its scene, and what a run gives. The program is main.c; a test compares the same run with
 * a renderer of its own. */
#ifndef EXAMPLES_DEFERRED_H
#define EXAMPLES_DEFERRED_H

#include "examples/hw.h"

#define DS_WIDTH       256u
#define DS_HEIGHT      256u
#define DS_SAMPLES     4u
#define DS_VERTICES    256u
#define DS_LIGHTS      12u
#define DS_LIGHT_VERTS 36u /* of a cube */

/* The camera looks along z from the origin, x to the right, y down, 90 degrees wide; near plane 1, far plane 16:
 * clip space is (x, y, A * z + B, z), depth is A + B / z. */
#define DS_A (16.0f / 15.0f)
#define DS_B (-16.0f / 15.0f)

/* Where samples lie, in 1/16 pixel from the pixel's centre. */
extern const int ds_sample[DS_SAMPLES][2];

#define DS_AMBIENT_HALF 0x3000u /* the light that is everywhere, as a half: 1/8 */
#define DS_DARK         (1 / 256.0f) /* light below this is discarded */

struct ds_vertex {
    float pos[4];    /* clip space */
    float normal[4]; /* the last: shininess, which nothing uses */
    float albedo[3];
    uint32_t id;     /* of the surface: edges are where it changes */
};

/* Of a light's volume: a cube around the sphere that it reaches. */
struct ds_light_vertex {
    float pos[4];
    float centre[3], inverse_square_radius;
    float colour[4];
};

struct ds_scene {
    unsigned vertices;
    struct ds_vertex vertex[DS_VERTICES];
    struct ds_light_vertex light[DS_LIGHTS * DS_LIGHT_VERTS]; /* faces wound as the scene's are */
};

void ds_make_scene(struct ds_scene *s);

/* What the counters say of one pass. */
struct ds_cost {
    uint64_t runs, killed, early_culled, blended, blended_samples, fp16, snorm16, r32, unorm16;
};

enum { DS_BACK, DS_FRONT, DS_EVERY_SAMPLE, DS_VARIANTS };

struct ds_result {
    struct ds_cost geometry, edges, compose;
    struct ds_cost pixels[DS_VARIANTS], samples[DS_VARIANTS]; /* lighting; pixels[DS_EVERY_SAMPLE] is empty */
    uint32_t image[DS_VARIANTS][DS_HEIGHT][DS_WIDTH];         /* R in the low byte */
};

/* Render all of it. With `dir`, also write images, counters and a capture there. */
void ds_run(const char *dir, struct ds_result *out);

#endif
