/* The passes of the checkerboard example, register by register. docs/checkerboard.md explains them. */
#include "examples/checkerboard/checkerboard.h"
#include "examples/checkerboard/shaders.h"

#include <string.h>

#define HALF (CB_WIDTH / 2)

enum { EVEN, ODD, FULL };

/* A frame: its colour, and what goes with it. */
struct frame {
    uint64_t colour, cmask, fmask, depth;
};

struct demo {
    struct hw hw;
    uint64_t vs, ps_colour, ps_gradient, ps_rebuild, vertices, texture, constants[8];
    struct frame frame[3];
};

/* What differs between images and gradients. */
struct kind {
    unsigned bytes;     /* of a pixel */
    const char *cb;     /* CB_COLOR0_INFO */
    const char *format; /* of a T# */
    const char *export; /* SPI_SHADER_COL_FORMAT */
};

static const struct kind image = {
    4, "FORMAT=COLOR_8_8_8_8 NUMBER_TYPE=NUMBER_UNORM BLEND_CLAMP=1",
    "DATA_FORMAT=IMG_DATA_FORMAT_8_8_8_8 NUM_FORMAT=IMG_NUM_FORMAT_UNORM", "COL0_EXPORT_FORMAT=SPI_SHADER_FP16_ABGR",
};
static const struct kind gradients = {
    16, "FORMAT=COLOR_32_32_32_32 NUMBER_TYPE=NUMBER_FLOAT",
    "DATA_FORMAT=IMG_DATA_FORMAT_32_32_32_32 NUM_FORMAT=IMG_NUM_FORMAT_FLOAT",
    "COL0_EXPORT_FORMAT=SPI_SHADER_32_ABGR",
};

/* ---- what is in memory ----------------------------------------------------------------------------- */

/* Mip levels one behind the other as LINEAR_ALIGNED has them: rows of at least 16 texels (64 bytes), more where a
 * level would not have a multiple of 64 texels (256 bytes). */
static uint64_t upload_texture(struct hw *hw)
{
    static uint32_t texels[2 * CB_TEXTURE * CB_TEXTURE];
    unsigned at = 0;

    for (unsigned level = 0; level < CB_LEVELS; level++) {
        const unsigned side = CB_TEXTURE >> level;
        unsigned pitch = side < 16 ? 16 : side;

        while (pitch * side % 64)
            pitch += 16;
        for (unsigned i = 0; i < side * side; i++)
            texels[at + i / side * pitch + i % side] = cb_texel(level, i % side, i / side);
        at += pitch * side;
    }
    return hw_upload(hw, texels, sizeof texels);
}

static void set_up(struct demo *d, const struct kind *k)
{
    /* One triangle that covers the screen, for the pass that rebuilds. */
    static const struct cb_vertex screen[3] = {{.pos = {-1, -1, 0, 1}}, {.pos = {3, -1, 0, 1}}, {.pos = {-1, 3, 0, 1}}};
    struct cb_vertex vertices[64];
    const unsigned n = cb_scene_vertices;

    memcpy(vertices, cb_scene, n * sizeof *vertices);
    memcpy(vertices + n, screen, sizeof screen);
    d->vertices = hw_upload(&d->hw, vertices, (n + 3) * sizeof *vertices);
    d->vs = hw_shader(&d->hw, vs_text, "vs");
    d->ps_colour = hw_shader(&d->hw, ps_colour_text, "ps_colour");
    d->ps_gradient = hw_shader(&d->hw, ps_gradient_text, "ps_gradient");
    d->ps_rebuild = hw_shader(&d->hw, ps_rebuild_text, "ps_rebuild");
    d->texture = upload_texture(&d->hw);
    for (uint32_t flags = 0; flags < 8; flags++)
        d->constants[flags] = hw_upload(&d->hw, &flags, sizeof flags);
    for (unsigned f = EVEN; f <= FULL; f++) {
        const uint64_t pixels = (f == FULL ? CB_WIDTH : HALF) * CB_HEIGHT;

        d->frame[f].colour = hw_alloc(&d->hw, pixels * k->bytes);
        d->frame[f].depth = hw_alloc(&d->hw, pixels * 4 * (f == FULL ? 1 : 2));
        d->frame[f].fmask = hw_alloc(&d->hw, pixels);
        d->frame[f].cmask = hw_alloc(&d->hw, 0x10000);
    }
}

/* ---- one frame ----------------------------------------------------------------------------------------- */

/* Two samples in each pixel, in 1/16 pixel from its centre. A pixel of the target is two pixels of the image wide:
 * -4 and +4 are the centres of those. Sample 0 is the one that is shaded and kept. */
static void sample_positions(struct hw *hw, int odd)
{
    const int top = odd ? 4 : -4;

    SET(hw, "PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0", "S0_X=%d S1_X=%d", top, -top);
    SET(hw, "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0", "S0_X=%d S1_X=%d", top, -top);
    SET(hw, "PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0", "S0_X=%d S1_X=%d", -top, top);
    SET(hw, "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0", "S0_X=%d S1_X=%d", -top, top);
    /* How far from the centre samples may be: SC walks that much further. */
    SET(hw, "PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES=1 MAX_SAMPLE_DIST=4 MSAA_EXPOSED_SAMPLES=1");
    SET(hw, "PA_SC_MODE_CNTL_0", "MSAA_ENABLE=1");
    /* The shader runs for samples, not pixels: its inputs are those of a sample. But only for 2^0 = 1 of them. */
    SET(hw, "PA_SC_MODE_CNTL_1", "PS_ITER_SAMPLE=1");
    SET(hw, "DB_EQAA", "MAX_ANCHOR_SAMPLES=1 PS_ITER_SAMPLES=0 MASK_EXPORT_NUM_SAMPLES=1 ALPHA_TO_MASK_NUM_SAMPLES=1 "
                       "HIGH_QUALITY_INTERSECTIONS=1 STATIC_ANCHOR_ASSOCIATIONS=1");
}

static void depth_target(struct hw *hw, const struct frame *f, unsigned width, int samples_log2)
{
    SET(hw, "DB_DEPTH_CONTROL", "Z_ENABLE=1 Z_WRITE_ENABLE=1 ZFUNC=FRAG_LESS");
    SET(hw, "DB_SHADER_CONTROL", "Z_ORDER=EARLY_Z_THEN_LATE_Z");
    SET(hw, "DB_DEPTH_INFO", "ADDR5_SWIZZLE_MASK=1 ARRAY_MODE=ARRAY_2D_TILED_THIN1 PIPE_CONFIG=ADDR_SURF_P4_16x16 "
                             "BANK_HEIGHT=ADDR_SURF_BANK_HEIGHT_2 MACRO_TILE_ASPECT=ADDR_SURF_MACRO_ASPECT_4 "
                             "NUM_BANKS=ADDR_SURF_16_BANK");
    SET(hw, "DB_Z_INFO", "FORMAT=Z_32_FLOAT NUM_SAMPLES=%d TILE_SPLIT=ADDR_SURF_TILE_SPLIT_128B", samples_log2);
    SET(hw, "DB_DEPTH_SIZE", "PITCH_TILE_MAX=%u HEIGHT_TILE_MAX=%u", width / 8 - 1, CB_HEIGHT / 8 - 1);
    SET(hw, "DB_DEPTH_SLICE", "SLICE_TILE_MAX=%u", width * CB_HEIGHT / 64 - 1);
    SET(hw, "DB_Z_READ_BASE", "0x%x", (unsigned)(f->depth >> 8));
    SET(hw, "DB_Z_WRITE_BASE", "0x%x", (unsigned)(f->depth >> 8));
    hw_fill(hw, f->depth, 0x3f800000, (uint32_t)(width * CB_HEIGHT * 4) << samples_log2);
}

/* The image with one colour a pixel, in rows: the full-rate render, and what is rebuilt. */
static void plain_target(struct hw *hw, uint64_t va, const struct kind *k)
{
    SET(hw, "CB_TARGET_MASK", "TARGET0_ENABLE=15");
    SET(hw, "CB_SHADER_MASK", "OUTPUT0_ENABLE=15");
    SET(hw, "CB_COLOR0_BASE", "0x%x", (unsigned)(va >> 8));
    SET(hw, "CB_COLOR0_PITCH", "TILE_MAX=%u", CB_WIDTH / 8 - 1);
    SET(hw, "CB_COLOR0_SLICE", "TILE_MAX=%u", CB_WIDTH * CB_HEIGHT / 64 - 1);
    SET(hw, "CB_COLOR0_INFO", "%s", k->cb);
    SET(hw, "CB_COLOR0_ATTRIB", "TILE_MODE_INDEX=8"); /* LINEAR_ALIGNED */
}

/* Half as wide, two samples (NUM_SAMPLES, log2), one stored fragment (NUM_FRAGMENTS, log2): "1f2s". */
static void checkerboard_target(struct hw *hw, const struct frame *f, const struct kind *k)
{
    SET(hw, "CB_TARGET_MASK", "TARGET0_ENABLE=15");
    SET(hw, "CB_SHADER_MASK", "OUTPUT0_ENABLE=15");
    SET(hw, "CB_COLOR0_BASE", "0x%x", (unsigned)(f->colour >> 8));
    SET(hw, "CB_COLOR0_PITCH", "TILE_MAX=%u FMASK_TILE_MAX=%u", HALF / 8 - 1, HALF / 8 - 1);
    SET(hw, "CB_COLOR0_SLICE", "TILE_MAX=%u", HALF * CB_HEIGHT / 64 - 1);
    SET(hw, "CB_COLOR0_INFO", "%s COMPRESSION=1", k->cb);
    SET(hw, "CB_COLOR0_ATTRIB", "TILE_MODE_INDEX=14 FMASK_TILE_MODE_INDEX=14 NUM_SAMPLES=1 NUM_FRAGMENTS=0");
    /* FMASK has a bit for each sample: 0, its colour is the fragment; 1, its colour is not kept. So a triangle that
     * hits sample 1 alone does not overwrite the colour of sample 0. CMASK 0xc: FMASK of this tile is all 0. */
    SET(hw, "CB_COLOR0_FMASK", "0x%x", (unsigned)(f->fmask >> 8));
    SET(hw, "CB_COLOR0_FMASK_SLICE", "TILE_MAX=%u", HALF * CB_HEIGHT / 64 - 1);
    SET(hw, "CB_COLOR0_CMASK", "0x%x", (unsigned)(f->cmask >> 8));
    SET(hw, "CB_COLOR0_CMASK_SLICE", "TILE_MAX=%u", HALF * CB_HEIGHT / (128 * 128) - 1);
    hw_fill(hw, f->cmask, 0xcccccccc, 0x10000);
}

static void pixel_shader(struct demo *d, const struct kind *k, uint32_t flags)
{
    struct hw *hw = &d->hw;
    uint32_t user[16];

    hw_image(user, d->texture, CB_TEXTURE, CB_TEXTURE, 64,
             "DATA_FORMAT=IMG_DATA_FORMAT_8_8_8_8 NUM_FORMAT=IMG_NUM_FORMAT_UNORM",
             "TILING_INDEX=8 TYPE=SQ_RSRC_IMG_2D LAST_LEVEL=6");
    /* Wrap, bilinear, linear between levels. */
    user[8] = hw_value("SQ_IMG_SAMP_WORD0", "CLAMP_X=SQ_TEX_WRAP CLAMP_Y=SQ_TEX_WRAP");
    user[9] = hw_value("SQ_IMG_SAMP_WORD1", "MAX_LOD=0xfff");
    user[10] = hw_value("SQ_IMG_SAMP_WORD2", "XY_MAG_FILTER=SQ_TEX_XY_FILTER_BILINEAR "
                                             "XY_MIN_FILTER=SQ_TEX_XY_FILTER_BILINEAR "
                                             "MIP_FILTER=SQ_TEX_MIP_FILTER_LINEAR");
    user[11] = 0;
    hw_buffer(user + 12, d->constants[flags], 0, 4);
    hw_ps(hw, k == &image ? d->ps_colour : d->ps_gradient, 32, 16, user);
    /* Barycentrics and position at the sample. Of one whose position is the pixel's centre that is the same, so
     * the full-rate render uses the same shader. */
    SET(hw, "SPI_PS_INPUT_ENA", "PERSP_SAMPLE_ENA=1 POS_X_FLOAT_ENA=1 POS_Y_FLOAT_ENA=1");
    SET(hw, "SPI_PS_INPUT_ADDR", "PERSP_SAMPLE_ENA=1 POS_X_FLOAT_ENA=1 POS_Y_FLOAT_ENA=1");
    SET(hw, "SPI_BARYC_CNTL", "POS_FLOAT_LOCATION=2");
    SET(hw, "SPI_PS_IN_CONTROL", "NUM_INTERP=2");
    SET(hw, "SPI_PS_INPUT_CNTL_1", "OFFSET=1");
    SET(hw, "SPI_VS_OUT_CONFIG", "VS_EXPORT_COUNT=1");
    SET(hw, "SPI_SHADER_COL_FORMAT", "%s", k->export);
}

static void render(struct demo *d, unsigned which, const struct kind *k, uint32_t flags)
{
    struct hw *hw = &d->hw;
    const struct frame *f = &d->frame[which];
    const unsigned width = which == FULL ? CB_WIDTH : HALF;
    uint32_t v[4];

    hw_defaults(hw, width, CB_HEIGHT);
    hw_buffer(v, d->vertices, sizeof(struct cb_vertex), cb_scene_vertices);
    hw_vs(hw, d->vs, 16, 4, v);
    pixel_shader(d, k, flags);
    if (which == FULL)
        plain_target(hw, f->colour, k);
    else
        checkerboard_target(hw, f, k);
    if (which != FULL)
        sample_positions(hw, which == ODD);
    depth_target(hw, f, width, which == FULL ? 0 : 1);
    hw_draw(hw, 0, cb_scene_vertices);
    hw_flush(hw);
    hw_submit(hw);
}

/* Both frames as textures: their fragments lie where a texture without samples has its texels. */
static void rebuild(struct demo *d, const struct kind *k, uint64_t into)
{
    struct hw *hw = &d->hw;
    uint32_t v[4], user[16];

    hw_defaults(hw, CB_WIDTH, CB_HEIGHT);
    hw_buffer(v, d->vertices, sizeof(struct cb_vertex), cb_scene_vertices + 3);
    hw_vs(hw, d->vs, 16, 4, v);
    for (unsigned f = EVEN; f <= ODD; f++)
        hw_image(user + 8 * f, d->frame[f].colour, HALF, CB_HEIGHT, HALF, k->format,
                 "TILING_INDEX=14 TYPE=SQ_RSRC_IMG_2D");
    hw_ps(hw, d->ps_rebuild, 12, 16, user);
    /* The barycentrics are there because hardware wants some. */
    SET(hw, "SPI_PS_INPUT_ENA", "PERSP_CENTER_ENA=1 POS_X_FLOAT_ENA=1 POS_Y_FLOAT_ENA=1");
    SET(hw, "SPI_PS_INPUT_ADDR", "PERSP_CENTER_ENA=1 POS_X_FLOAT_ENA=1 POS_Y_FLOAT_ENA=1");
    SET(hw, "SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT=SPI_SHADER_32_ABGR");
    plain_target(hw, into, k);
    hw_draw(hw, cb_scene_vertices, 3);
    hw_flush(hw);
    hw_submit(hw);
}

/* ---- the run ---------------------------------------------------------------------------------------------- */

static struct cb_cost cost_now(struct hw *hw)
{
    return (struct cb_cost){hw_counter(hw, "ps.invocations"), hw_counter(hw, "ps.quads"),
                            hw_counter(hw, "db.samples_passed"), hw_counter(hw, "cb.pixels")};
}

static struct cb_cost pass(struct demo *d, unsigned which, const struct kind *k, uint32_t flags)
{
    const struct cb_cost before = cost_now(&d->hw);
    struct cb_cost c;

    render(d, which, k, flags);
    c = cost_now(&d->hw);
    return (struct cb_cost){c.invocations - before.invocations, c.quads - before.quads, c.samples - before.samples,
                            c.pixels_written - before.pixels_written};
}

static const char *path(char out[4096], const char *dir, const char *name)
{
    snprintf(out, 4096, "%s/%s", dir, name);
    return out;
}

static void expect(struct demo *d, uint64_t va, uint64_t bytes)
{
    if (atoll_record_expect(d->hw.gpu, va, bytes))
        hw_fail("checkerboard.gcap", atoll_error(d->hw.gpu));
}

static void run_images(const char *dir, struct cb_result *out)
{
    struct demo d;
    uint64_t into, uncorrected;
    char p[4096];

    hw_open(&d.hw, dir ? path(p, dir, "checkerboard.gcap") : NULL, "checkerboard");
    set_up(&d, &image);
    into = hw_alloc(&d.hw, sizeof out->rebuilt);
    out->full = pass(&d, FULL, &image, CB_DISABLED);
    out->frame[0] = pass(&d, EVEN, &image, CB_DOUBLE_X);
    out->frame[1] = pass(&d, ODD, &image, CB_DOUBLE_X | CB_FRAME_IS_ODD);
    rebuild(&d, &image, into);
    hw_read(&d.hw, d.frame[FULL].colour, out->full_image, sizeof out->full_image);
    hw_read(&d.hw, into, out->rebuilt, sizeof out->rebuilt);
    if (dir) {
        expect(&d, d.frame[FULL].colour, sizeof out->full_image);
        expect(&d, into, sizeof out->rebuilt);
        if (atoll_record_end(d.hw.gpu))
            hw_fail(p, atoll_error(d.hw.gpu));
        hw_counters(&d.hw, path(p, dir, "counters.json"));
    }
    /* Once more, the gradients as the quads have them. */
    uncorrected = hw_alloc(&d.hw, sizeof out->uncorrected);
    pass(&d, EVEN, &image, CB_DOUBLE_X | CB_DISABLED);
    pass(&d, ODD, &image, CB_DOUBLE_X | CB_DISABLED | CB_FRAME_IS_ODD);
    rebuild(&d, &image, uncorrected);
    hw_read(&d.hw, uncorrected, out->uncorrected, sizeof out->uncorrected);
    hw_close(&d.hw);
}

static void run_gradients(struct cb_result *out)
{
    struct demo d;
    uint64_t into;

    hw_open(&d.hw, NULL, "checkerboard");
    set_up(&d, &gradients);
    into = hw_alloc(&d.hw, sizeof out->gradient);
    pass(&d, FULL, &gradients, CB_DISABLED);
    pass(&d, EVEN, &gradients, CB_DOUBLE_X);
    pass(&d, ODD, &gradients, CB_DOUBLE_X | CB_FRAME_IS_ODD);
    rebuild(&d, &gradients, into);
    hw_read(&d.hw, d.frame[FULL].colour, out->full_gradient, sizeof out->full_gradient);
    hw_read(&d.hw, into, out->gradient, sizeof out->gradient);
    hw_close(&d.hw);
}

void cb_run(const char *dir, struct cb_result *out)
{
    char p[4096];

    run_images(dir, out);
    run_gradients(out);
    if (!dir)
        return;
    hw_png(path(p, dir, "full.png"), out->full_image, CB_WIDTH, CB_HEIGHT, CB_WIDTH);
    hw_png(path(p, dir, "rebuilt.png"), out->rebuilt, CB_WIDTH, CB_HEIGHT, CB_WIDTH);
    hw_png(path(p, dir, "uncorrected.png"), out->uncorrected, CB_WIDTH, CB_HEIGHT, CB_WIDTH);
}
