/* The passes of the deferred shading example, register by register. docs/deferred.md explains them. */
#include "examples/deferred/deferred.h"
#include "examples/deferred/shaders.h"

#include <string.h>

#define PIXELS (DS_WIDTH * DS_HEIGHT)

struct demo {
    struct hw hw;
    struct ds_scene scene;
    uint64_t vs, ps_geometry, ps_edges, ps_light, ps_compose;
    uint64_t vertices, lights, screen;
    uint64_t albedo, normal, id, depth, stencil, light, image[DS_VARIANTS];
};

/* A target with four samples, each stored by itself: no compression, so that a texture finds them. */
struct target {
    const char *cb;     /* CB_COLORn_INFO */
    const char *format; /* of its T# */
    unsigned bytes;     /* of a sample */
};

static const struct target albedo = {
    "FORMAT=COLOR_8_8_8_8 NUMBER_TYPE=NUMBER_UNORM BLEND_CLAMP=1",
    "DATA_FORMAT=IMG_DATA_FORMAT_8_8_8_8 NUM_FORMAT=IMG_NUM_FORMAT_UNORM", 4};
static const struct target normal = {
    "FORMAT=COLOR_16_16_16_16 NUMBER_TYPE=NUMBER_SNORM BLEND_CLAMP=1",
    "DATA_FORMAT=IMG_DATA_FORMAT_16_16_16_16 NUM_FORMAT=IMG_NUM_FORMAT_SNORM", 8};
static const struct target id = {
    "FORMAT=COLOR_32 NUMBER_TYPE=NUMBER_UINT", "DATA_FORMAT=IMG_DATA_FORMAT_32 NUM_FORMAT=IMG_NUM_FORMAT_UINT", 4};
static const struct target light = {
    "FORMAT=COLOR_16_16_16_16 NUMBER_TYPE=NUMBER_FLOAT",
    "DATA_FORMAT=IMG_DATA_FORMAT_16_16_16_16 NUM_FORMAT=IMG_NUM_FORMAT_FLOAT", 8};

#define MSAA_TEXTURE(tiling) "TILING_INDEX=" #tiling " TYPE=SQ_RSRC_IMG_2D_MSAA LAST_LEVEL=2" /* log2 of the samples */

static void set_up(struct demo *d)
{
    static const struct ds_vertex screen[3] = {{.pos = {-1, -1, 0, 1}}, {.pos = {3, -1, 0, 1}}, {.pos = {-1, 3, 0, 1}}};
    struct hw *hw = &d->hw;

    ds_make_scene(&d->scene);
    d->vertices = hw_upload(hw, d->scene.vertex, d->scene.vertices * sizeof *d->scene.vertex);
    d->lights = hw_upload(hw, d->scene.light, sizeof d->scene.light);
    d->screen = hw_upload(hw, screen, sizeof screen);
    d->vs = hw_shader(hw, vs_text, "vs");
    d->ps_geometry = hw_shader(hw, ps_geometry_text, "ps_geometry");
    d->ps_edges = hw_shader(hw, ps_edges_text, "ps_edges");
    d->ps_light = hw_shader(hw, ps_light_text, "ps_light");
    d->ps_compose = hw_shader(hw, ps_compose_text, "ps_compose");
    d->albedo = hw_alloc(hw, DS_SAMPLES * PIXELS * albedo.bytes);
    d->normal = hw_alloc(hw, DS_SAMPLES * PIXELS * normal.bytes);
    d->id = hw_alloc(hw, DS_SAMPLES * PIXELS * id.bytes);
    d->light = hw_alloc(hw, DS_SAMPLES * PIXELS * light.bytes);
    d->depth = hw_alloc(hw, DS_SAMPLES * PIXELS * 4);
    d->stencil = hw_alloc(hw, DS_SAMPLES * PIXELS);
    for (unsigned v = 0; v < DS_VARIANTS; v++)
        d->image[v] = hw_alloc(hw, PIXELS * 4);
}

/* ---- state that passes share ---------------------------------------------------------------------------- */

/* Four samples, the same places in every pixel of a quad. */
static void samples(struct hw *hw, unsigned shaded_log2)
{
    static const char *const corner[4] = {"X0Y0", "X1Y0", "X0Y1", "X1Y1"};
    char name[64];

    for (unsigned k = 0; k < 4; k++) {
        snprintf(name, sizeof name, "PA_SC_AA_SAMPLE_LOCS_PIXEL_%s_0", corner[k]);
        SET(hw, name, "S0_X=%d S0_Y=%d S1_X=%d S1_Y=%d S2_X=%d S2_Y=%d S3_X=%d S3_Y=%d", ds_sample[0][0],
            ds_sample[0][1], ds_sample[1][0], ds_sample[1][1], ds_sample[2][0], ds_sample[2][1], ds_sample[3][0],
            ds_sample[3][1]);
    }
    SET(hw, "PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES=2 MAX_SAMPLE_DIST=6 MSAA_EXPOSED_SAMPLES=2");
    SET(hw, "PA_SC_MODE_CNTL_0", "MSAA_ENABLE=1");
    /* Inputs of the shader are those of a sample; it runs for 2^shaded_log2 of them. */
    SET(hw, "PA_SC_MODE_CNTL_1", "PS_ITER_SAMPLE=1");
    SET(hw, "DB_EQAA", "MAX_ANCHOR_SAMPLES=2 PS_ITER_SAMPLES=%u MASK_EXPORT_NUM_SAMPLES=2 ALPHA_TO_MASK_NUM_SAMPLES=2 "
                       "HIGH_QUALITY_INTERSECTIONS=1 STATIC_ANCHOR_ASSOCIATIONS=1", shaded_log2);
}

/* Which of depth and stencil are in use is said by DB_DEPTH_CONTROL. */
static void depth_target(struct demo *d)
{
    struct hw *hw = &d->hw;

    SET(hw, "DB_DEPTH_INFO", "ADDR5_SWIZZLE_MASK=1 ARRAY_MODE=ARRAY_2D_TILED_THIN1 PIPE_CONFIG=ADDR_SURF_P4_16x16 "
                             "BANK_HEIGHT=ADDR_SURF_BANK_HEIGHT_2 MACRO_TILE_ASPECT=ADDR_SURF_MACRO_ASPECT_4 "
                             "NUM_BANKS=ADDR_SURF_16_BANK");
    SET(hw, "DB_Z_INFO", "FORMAT=Z_32_FLOAT NUM_SAMPLES=2 TILE_SPLIT=ADDR_SURF_TILE_SPLIT_128B");
    SET(hw, "DB_STENCIL_INFO", "FORMAT=STENCIL_8 TILE_SPLIT=ADDR_SURF_TILE_SPLIT_128B");
    SET(hw, "DB_DEPTH_SIZE", "PITCH_TILE_MAX=%u HEIGHT_TILE_MAX=%u", DS_WIDTH / 8 - 1, DS_HEIGHT / 8 - 1);
    SET(hw, "DB_DEPTH_SLICE", "SLICE_TILE_MAX=%u", PIXELS / 64 - 1);
    SET(hw, "DB_Z_READ_BASE", "0x%x", (unsigned)(d->depth >> 8));
    SET(hw, "DB_Z_WRITE_BASE", "0x%x", (unsigned)(d->depth >> 8));
    SET(hw, "DB_STENCIL_READ_BASE", "0x%x", (unsigned)(d->stencil >> 8));
    SET(hw, "DB_STENCIL_WRITE_BASE", "0x%x", (unsigned)(d->stencil >> 8));
}

static void colour_target(struct hw *hw, unsigned slot, uint64_t va, const struct target *t, const char *attrib)
{
    char name[64];

#define REG(what) (snprintf(name, sizeof name, "CB_COLOR%u_" what, slot), name)
    SET(hw, REG("BASE"), "0x%x", (unsigned)(va >> 8));
    SET(hw, REG("PITCH"), "TILE_MAX=%u", DS_WIDTH / 8 - 1);
    SET(hw, REG("SLICE"), "TILE_MAX=%u", PIXELS / 64 - 1);
    SET(hw, REG("INFO"), "%s", t->cb);
    SET(hw, REG("ATTRIB"), "%s", attrib);
#undef REG
}

#define MSAA_TARGET  "TILE_MODE_INDEX=14 NUM_SAMPLES=2 NUM_FRAGMENTS=2" /* 2D_TILED_THIN1; log2 */
#define LINEAR_TARGET "TILE_MODE_INDEX=8"

static void begin(struct demo *d, uint64_t vertices, unsigned stride, unsigned count, unsigned inputs)
{
    struct hw *hw = &d->hw;
    uint32_t v[4];

    hw_defaults(hw, DS_WIDTH, DS_HEIGHT);
    hw_buffer(v, vertices, stride, count);
    hw_vs(hw, d->vs, 16, 4, v);
    SET(hw, "SPI_VS_OUT_CONFIG", "VS_EXPORT_COUNT=1");
    SET(hw, "SPI_PS_IN_CONTROL", "NUM_INTERP=%u", inputs);
    SET(hw, "SPI_INTERP_CONTROL_0", "FLAT_SHADE_ENA=1");
}

static void inputs(struct hw *hw, const char *which)
{
    SET(hw, "SPI_PS_INPUT_ENA", "%s", which);
    SET(hw, "SPI_PS_INPUT_ADDR", "%s", which);
}

static void end(struct demo *d, unsigned vertices)
{
    hw_draw(&d->hw, 0, vertices);
    hw_flush(&d->hw);
    hw_submit(&d->hw);
}

/* ---- the passes --------------------------------------------------------------------------------------------- */

static void geometry(struct demo *d)
{
    struct hw *hw = &d->hw;

    begin(d, d->vertices, sizeof *d->scene.vertex, d->scene.vertices, 2);
    hw_ps(hw, d->ps_geometry, 12, 0, NULL);
    /* Attributes at the pixel's centre, as without multisampling: one run for all four samples. */
    inputs(hw, "PERSP_CENTER_ENA=1");
    SET(hw, "SPI_PS_INPUT_CNTL_1", "OFFSET=1 FLAT_SHADE=1");
    samples(hw, 0);
    SET(hw, "PA_SC_MODE_CNTL_1", "0");
    depth_target(d);
    SET(hw, "DB_DEPTH_CONTROL", "Z_ENABLE=1 Z_WRITE_ENABLE=1 ZFUNC=FRAG_LESS");
    SET(hw, "DB_SHADER_CONTROL", "Z_ORDER=EARLY_Z_THEN_LATE_Z");
    SET(hw, "SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT=SPI_SHADER_FP16_ABGR "
                                     "COL1_EXPORT_FORMAT=SPI_SHADER_SNORM16_ABGR COL2_EXPORT_FORMAT=SPI_SHADER_32_R");
    SET(hw, "CB_TARGET_MASK", "TARGET0_ENABLE=15 TARGET1_ENABLE=15 TARGET2_ENABLE=1");
    SET(hw, "CB_SHADER_MASK", "OUTPUT0_ENABLE=15 OUTPUT1_ENABLE=15 OUTPUT2_ENABLE=1");
    colour_target(hw, 0, d->albedo, &albedo, MSAA_TARGET);
    colour_target(hw, 1, d->normal, &normal, MSAA_TARGET);
    colour_target(hw, 2, d->id, &id, MSAA_TARGET);
    hw_fill(hw, d->depth, 0x3f800000, DS_SAMPLES * PIXELS * 4);
    end(d, d->scene.vertices);
}

/* Pixels whose samples belong to several surfaces get stencil 1, in all their samples. */
static void edges(struct demo *d)
{
    struct hw *hw = &d->hw;
    uint32_t user[16] = {0};

    begin(d, d->screen, sizeof *d->scene.vertex, 3, 0);
    hw_image(user, d->id, DS_WIDTH, DS_HEIGHT, DS_WIDTH, id.format, MSAA_TEXTURE(14));
    hw_ps(hw, d->ps_edges, 12, 16, user);
    inputs(hw, "PERSP_CENTER_ENA=1 POS_FIXED_PT_ENA=1");
    samples(hw, 0);
    depth_target(d);
    SET(hw, "DB_DEPTH_CONTROL", "STENCIL_ENABLE=1 STENCILFUNC=FRAG_ALWAYS");
    SET(hw, "DB_STENCIL_CONTROL", "STENCILZPASS=STENCIL_REPLACE_TEST");
    SET(hw, "DB_STENCILREFMASK", "STENCILTESTVAL=1 STENCILMASK=255 STENCILWRITEMASK=255 STENCILOPVAL=1");
    /* The shader discards, so stencil waits for it. */
    SET(hw, "DB_SHADER_CONTROL", "KILL_ENABLE=1 Z_ORDER=EARLY_Z_THEN_LATE_Z");
    hw_fill(hw, d->stencil, 0, DS_SAMPLES * PIXELS);
    end(d, 3);
}

/* All lights, over pixels whose stencil is `stencil` (-1: all), 2^shaded_log2 samples of each. */
static void lights(struct demo *d, int back_faces, int stencil, unsigned shaded_log2)
{
    struct hw *hw = &d->hw;
    uint32_t user[16];

    begin(d, d->lights, sizeof *d->scene.light, DS_LIGHTS * DS_LIGHT_VERTS, 2);
    hw_image(user, d->normal, DS_WIDTH, DS_HEIGHT, DS_WIDTH, normal.format, MSAA_TEXTURE(14));
    /* The depth buffer as a texture: tile mode 1 is 2D_TILED_THIN1 for depth with the same tile split. */
    hw_image(user + 8, d->depth, DS_WIDTH, DS_HEIGHT, DS_WIDTH,
             "DATA_FORMAT=IMG_DATA_FORMAT_32 NUM_FORMAT=IMG_NUM_FORMAT_FLOAT", MSAA_TEXTURE(1));
    hw_ps(hw, d->ps_light, 28, 16, user);
    inputs(hw, "PERSP_SAMPLE_ENA=1 POS_X_FLOAT_ENA=1 POS_Y_FLOAT_ENA=1 ANCILLARY_ENA=1 POS_FIXED_PT_ENA=1");
    SET(hw, "SPI_PS_INPUT_CNTL_0", "FLAT_SHADE=1");
    SET(hw, "SPI_PS_INPUT_CNTL_1", "OFFSET=1 FLAT_SHADE=1");
    SET(hw, "SPI_BARYC_CNTL", "POS_FLOAT_LOCATION=2");
    samples(hw, shaded_log2);
    /* Back faces behind what is there, or front faces before it. FACE=1: clockwise is front. */
    SET(hw, "PA_SU_SC_MODE_CNTL", "FACE=1 CULL_FRONT=%d CULL_BACK=%d", back_faces, !back_faces);
    depth_target(d);
    SET(hw, "DB_DEPTH_CONTROL", "Z_ENABLE=1 ZFUNC=%s STENCIL_ENABLE=%d STENCILFUNC=FRAG_EQUAL",
        back_faces ? "FRAG_GREATER" : "FRAG_LEQUAL", stencil >= 0);
    SET(hw, "DB_STENCILREFMASK", "STENCILTESTVAL=%d STENCILMASK=255", stencil > 0);
    /* Discarding would put the test behind the shader; re-Z tests before it as well. */
    SET(hw, "DB_SHADER_CONTROL", "KILL_ENABLE=1 Z_ORDER=EARLY_Z_THEN_RE_Z");
    SET(hw, "SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT=SPI_SHADER_FP16_ABGR");
    SET(hw, "CB_TARGET_MASK", "TARGET0_ENABLE=15");
    SET(hw, "CB_SHADER_MASK", "OUTPUT0_ENABLE=15");
    colour_target(hw, 0, d->light, &light, MSAA_TARGET);
    SET(hw, "CB_BLEND0_CONTROL", "ENABLE=1 COLOR_SRCBLEND=BLEND_ONE COLOR_COMB_FCN=COMB_DST_PLUS_SRC "
                                 "COLOR_DESTBLEND=BLEND_ONE");
    end(d, DS_LIGHTS * DS_LIGHT_VERTS);
}

static void compose(struct demo *d, uint64_t into)
{
    struct hw *hw = &d->hw;
    uint32_t user[16];

    begin(d, d->screen, sizeof *d->scene.vertex, 3, 0);
    hw_image(user, d->albedo, DS_WIDTH, DS_HEIGHT, DS_WIDTH, albedo.format, MSAA_TEXTURE(14));
    hw_image(user + 8, d->light, DS_WIDTH, DS_HEIGHT, DS_WIDTH, light.format, MSAA_TEXTURE(14));
    hw_ps(hw, d->ps_compose, 20, 16, user);
    inputs(hw, "PERSP_CENTER_ENA=1 POS_FIXED_PT_ENA=1");
    SET(hw, "SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT=SPI_SHADER_UNORM16_ABGR");
    SET(hw, "CB_TARGET_MASK", "TARGET0_ENABLE=15");
    SET(hw, "CB_SHADER_MASK", "OUTPUT0_ENABLE=15");
    colour_target(hw, 0, into, &albedo, LINEAR_TARGET);
    end(d, 3);
}

/* ---- the run -------------------------------------------------------------------------------------------------- */

static struct ds_cost since(struct hw *hw, const struct ds_cost *before)
{
    static const char *const names[] = {"ps.invocations", "ps.killed", "db.quads_early_culled",
                                        "cb.blended_pixels", "cb.blended", "ps.exports_fp16_abgr", "ps.exports_snorm16_abgr",
                                        "ps.exports_32_r", "ps.exports_unorm16_abgr"};
    struct ds_cost now;
    uint64_t v[sizeof names / sizeof *names], old[sizeof names / sizeof *names];

    _Static_assert(sizeof v == sizeof now, "a name for each member");
    memcpy(old, before, sizeof old);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        v[i] = hw_counter(hw, names[i]) - old[i];
    memcpy(&now, v, sizeof now);
    return now;
}

static const char *path(char out[4096], const char *dir, const char *name)
{
    snprintf(out, 4096, "%s/%s", dir, name);
    return out;
}

#define PASS(cost, call)                                  \
    do {                                                  \
        const struct ds_cost start_ = since(&d.hw, &none); \
        call;                                             \
        (cost) = since(&d.hw, &start_);                   \
    } while (0)

void ds_run(const char *dir, struct ds_result *out)
{
    static const char *const images[DS_VARIANTS] = {"back_faces.png", "front_faces.png", "every_sample.png"};
    static const struct ds_cost none;
    static struct demo d;
    char p[4096];

    memset(out, 0, sizeof *out);
    hw_open(&d.hw, dir ? path(p, dir, "deferred.gcap") : NULL, "deferred");
    set_up(&d);
    PASS(out->geometry, geometry(&d));
    PASS(out->edges, edges(&d));
    for (unsigned v = 0; v < DS_VARIANTS; v++) {
        hw_fill(&d.hw, d.light, DS_AMBIENT_HALF << 16 | DS_AMBIENT_HALF, DS_SAMPLES * PIXELS * light.bytes);
        if (v != DS_EVERY_SAMPLE)
            PASS(out->pixels[v], lights(&d, v == DS_BACK, 0, 0));
        PASS(out->samples[v], lights(&d, v == DS_BACK, v == DS_EVERY_SAMPLE ? -1 : 1, 2));
        PASS(out->compose, compose(&d, d.image[v]));
        hw_read(&d.hw, d.image[v], out->image[v], sizeof out->image[v]);
        if (dir && atoll_record_expect(d.hw.gpu, d.image[v], sizeof out->image[v]))
            hw_fail(p, atoll_error(d.hw.gpu));
    }
    if (dir) {
        if (atoll_record_end(d.hw.gpu))
            hw_fail(p, atoll_error(d.hw.gpu));
        hw_counters(&d.hw, path(p, dir, "counters.json"));
        for (unsigned v = 0; v < DS_VARIANTS; v++)
            hw_png(path(p, dir, images[v]), out->image[v], DS_WIDTH, DS_HEIGHT, DS_WIDTH);
    }
    hw_close(&d.hw);
}
