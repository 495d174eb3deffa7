/* The checkerboard example: its scene, and what a run gives. The program is main.c; a test compares the same run with
 * a renderer of its own. */
#ifndef EXAMPLES_CHECKERBOARD_H
#define EXAMPLES_CHECKERBOARD_H

#include "examples/hw.h"

#define CB_WIDTH   256u
#define CB_HEIGHT  256u
#define CB_TEXTURE 64u /* side of level 0 */
#define CB_LEVELS  7u

struct cb_vertex {
    float pos[4]; /* clip space */
    float colour[4];
    float uv[4];  /* the last two are unused */
};

/* Triangles, 3 vertices each. Corners lie on multiples of 1/64 pixel of the full-width image, and w is a power of two:
 * so both grids of vertices (of whole and of half pixels) hold them exactly. */
extern const struct cb_vertex cb_scene[];
extern const unsigned cb_scene_vertices;

/* A texel of the texture, RGBA bytes: every level has a colour of its own, so that a wrong level of detail shows. */
uint32_t cb_texel(unsigned level, unsigned x, unsigned y);

/* Bits of the constant buffer's first dword. */
enum { CB_FRAME_IS_ODD = 1, CB_DISABLED = 2, CB_DOUBLE_X = 4 };

/* What the counters say of one pass. */
struct cb_cost {
    uint64_t invocations, quads, samples, pixels_written;
};

struct cb_result {
    struct cb_cost full, frame[2]; /* frame[odd] */
    uint32_t full_image[CB_HEIGHT][CB_WIDTH], rebuilt[CB_HEIGHT][CB_WIDTH]; /* R in the low byte */
    uint32_t uncorrected[CB_HEIGHT][CB_WIDTH]; /* rebuilt from frames whose shader leaves the gradients alone */
    /* du/dx, dv/dx, du/dy, dv/dy in the full-width image's pixels, as the shader had them. */
    float full_gradient[CB_HEIGHT][CB_WIDTH][4], gradient[CB_HEIGHT][CB_WIDTH][4];
};

/* Render all of it. With `dir`, also write images, counters and captures there. */
void cb_run(const char *dir, struct cb_result *out);

#endif
