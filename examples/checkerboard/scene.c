/* What the checkerboard example draws: see checkerboard.h. */
#include "examples/checkerboard/checkerboard.h"

/* A corner at pixel (x, y) of the full-width image, depth z of 0..1, and w. */
#define AT(x, y, z, w) {((x) / (CB_WIDTH / 2.0f) - 1) * (w), ((y) / (CB_HEIGHT / 2.0f) - 1) * (w), (z) * (w), (w)}

#define BACK(x, y)   {AT(x, y, 0.875f, 1), {1, 1, 1, 1}, \
                      {3 / 128.0f * (x) - 1 / 256.0f * (y), 1 / 128.0f * (x) + 5 / 256.0f * (y)}}
#define FLOOR(x, y, z, w, u, v) {AT(x, y, z, w), {0.75f, 1, 0.75f, 1}, {u, v}}
/* One place of the texture: no gradient. */
#define PLAIN(x, y, z, r, g, b) {AT(x, y, z, 1), {r, g, b, 1}, {0.5f, 0.5f}}

const struct cb_vertex cb_scene[] = {
    /* Behind everything, a texture without perspective. */
    BACK(0, 0), BACK(512, 0), BACK(0, 512),
    /* A floor in perspective: w falls from 4 to 1. */
    FLOOR(0, 160, 0.75f, 4, 0, 0), FLOOR(256, 160, 0.75f, 4, 4, 0), FLOOR(256, 256, 0.375f, 1, 4, 8),
    FLOOR(0, 160, 0.75f, 4, 0, 0), FLOOR(256, 256, 0.375f, 1, 4, 8), FLOOR(0, 256, 0.375f, 1, 0, 8),
    /* Edges of all slopes, slivers, corners between the centres of pixels. */
    PLAIN(20.25f, 10.5f, 0.5f, 1, 0, 0), PLAIN(90.75f, 30.125f, 0.5f, 1, 1, 0), PLAIN(40.5f, 80.625f, 0.5f, 0, 0, 1),
    PLAIN(120.015625f, 8.5f, 0.5f, 0, 1, 0), PLAIN(121.765625f, 150.25f, 0.5f, 0, 1, 1),
    PLAIN(119.25f, 150.5f, 0.5f, 1, 1, 1),
    PLAIN(130.5f, 20.25f, 0.5f, 1, 0, 1), PLAIN(250.25f, 21.75f, 0.5f, 1, 1, 0), PLAIN(130.75f, 22.5f, 0.5f, 0, 0, 1),
    /* Two that go through each other. */
    PLAIN(140, 50, 0.25f, 1, 0.5f, 0), PLAIN(240.5f, 60.25f, 0.625f, 1, 0.5f, 0.25f), PLAIN(150.25f, 140.75f, 0.5f, 0.5f, 0, 0),
    PLAIN(145.25f, 130.5f, 0.625f, 0, 0.5f, 1), PLAIN(235.5f, 140.25f, 0.25f, 0, 0.75f, 0.5f), PLAIN(200.75f, 45.5f, 0.375f, 0, 1, 0),
    /* Over the floor. */
    PLAIN(60.25f, 120.5f, 0.125f, 1, 1, 1), PLAIN(100.5f, 200.25f, 0.125f, 0, 0, 0), PLAIN(20.75f, 230.125f, 0.125f, 0.5f, 0, 0.5f),
    /* Less than a pixel: some samples hit it. */
    PLAIN(200.25f, 170.25f, 0.0625f, 1, 1, 0), PLAIN(200.875f, 170.375f, 0.0625f, 1, 1, 0), PLAIN(200.375f, 170.875f, 0.0625f, 1, 1, 0),
};
const unsigned cb_scene_vertices = sizeof cb_scene / sizeof *cb_scene;

uint32_t cb_texel(unsigned level, unsigned x, unsigned y)
{
    static const uint32_t tint[CB_LEVELS] = {0xffffff, 0x40a0ff, 0x30e060, 0xf0d020, 0xe04040, 0xa040f0, 0x202020};
    const unsigned side = CB_TEXTURE >> level;
    /* Squares of a quarter of the image; of their colour three quarters in the dark ones. */
    const int dark = ((x * 4 / side) ^ (y * 4 / side)) & 1;
    uint32_t texel = 0xff000000;

    for (unsigned c = 0; c < 3; c++) {
        const uint32_t v = tint[level] >> (8 * c) & 0xff;

        texel |= (dark ? v * 3 / 4 : v) << (8 * c);
    }
    return texel;
}
