/* Draws through the public interface, with shaders of our own: interpolation, vertex reuse, restart,
 * order of blending, discarded pixels, and registers full of garbage. */
#include "base/chip.h"
#include "emu/internal.h"
#include "regs/enums.h"
#include "regs/regs.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define IB       0x100000000ull
#define CODE     0x100100000ull
#define VERTICES 0x200000000ull
#define INDICES  0x200010000ull
#define TARGET   0x200020000ull
#define DEPTH    0x200040000ull
#define SIDE     16 /* pixels that are drawn; the target's pitch is 64 */
#define PITCH    64

static struct atoll_gpu *gpu;
static uint32_t ib[4096], ib_n;

static void set(enum reg_id r, uint32_t v)
{
    ck_assert_ptr_nonnull(regs_by_id(GFX7, r));
    atoll_register_write(gpu, regs_by_id(GFX7, r)->offset, v);
}

static void set_f(enum reg_id r, float v)
{
    set(r, f32_bits(v));
}

static uint32_t f(enum reg_field_id field, uint32_t v)
{
    return regs_insert(GFX7, field, 0, v);
}

static uint64_t assemble(uint64_t at, const char *const *lines)
{
    struct err e = {{0}};

    for (; *lines; lines++) {
        uint32_t dw[4];
        int n = isa_assemble(isa_target_find("bonaire"), *lines, dw, &e);

        ck_assert_msg(n > 0, "%s: %s", *lines, e.text);
        ck_assert_int_eq(atoll_write(gpu, at, dw, 4 * (uint64_t)n), 0);
        at += 4 * (uint64_t)n;
    }
    return at;
}

/* A vertex is a position and a colour, 32 bytes; the V# is in s[0:3]. */
static const char *const vs[] = {
    "buffer_load_dwordx4 v[4:7], v0, s[0:3], 0 idxen",
    "buffer_load_dwordx4 v[8:11], v0, s[0:3], 0 idxen offset:16",
    "s_waitcnt 0",
    "exp pos0 v4, v5, v6, v7 done",
    "exp param0 v8, v9, v10, v11",
    "s_endpgm",
    NULL,
};

/* No user SGPRs: M0's value is in s0; i and j in v0, v1. */
static const char *const ps_colour[] = {
    "s_mov_b32 m0, s0",
    "v_interp_p1_f32 v2, v0, attr0.x",
    "v_interp_p2_f32 v2, v1, attr0.x",
    "v_interp_p1_f32 v3, v0, attr0.y",
    "v_interp_p2_f32 v3, v1, attr0.y",
    "v_interp_p1_f32 v4, v0, attr0.z",
    "v_interp_p2_f32 v4, v1, attr0.z",
    "v_interp_p1_f32 v5, v0, attr0.w",
    "v_interp_p2_f32 v5, v1, attr0.w",
    "exp mrt0 v2, v3, v4, v5 done vm",
    "s_endpgm",
    NULL,
};

/* Only pixels whose centre is left of 8: v2 is the x coordinate. */
static const char *const ps_discard[] = {
    "v_cmp_gt_f32_e32 vcc, 0x41000000, v2",
    "s_and_b64 exec, exec, vcc",
    "v_mov_b32_e32 v3, 1.0",
    "exp mrt0 v3, v3, v3, v3 done vm",
    "s_endpgm",
    NULL,
};

static void start(const char *const *ps)
{
    struct atoll_options opt = {.quiet = 1, .watchdog_insts = 1000000};
    const uint32_t clear_state[] = {pm4_header(PM4_CLEAR_STATE, 1, false), 0};
    const struct atoll_ib list = {ATOLL_RING_GFX, IB, ARRAY_LEN(clear_state)};

    gpu = atoll_gpu_create("bonaire", &opt);
    ck_assert_ptr_nonnull(gpu);
    ck_assert_int_eq(atoll_map(gpu, IB, 65536, NULL), 0);
    ck_assert_int_eq(atoll_map(gpu, CODE, 8192, NULL), 0);
    ck_assert_int_eq(atoll_map(gpu, VERTICES, 65536, NULL), 0);
    ck_assert_int_eq(atoll_map(gpu, INDICES, 65536, NULL), 0);
    ck_assert_int_eq(atoll_map(gpu, TARGET, 65536, NULL), 0);
    ck_assert_int_eq(atoll_write(gpu, IB, clear_state, sizeof clear_state), 0);
    ck_assert_int_eq(atoll_submit(gpu, &list, 1), 0);
    assemble(CODE, vs);
    assemble(CODE + 4096, ps);

    set(R_SPI_SHADER_PGM_LO_VS, (uint32_t)(CODE >> 8));
    set(R_SPI_SHADER_PGM_RSRC1_VS, f(F_SPI_SHADER_PGM_RSRC1_VS__VGPRS, 2) |
                                       f(F_SPI_SHADER_PGM_RSRC1_VS__SGPRS, 1) |
                                       f(F_SPI_SHADER_PGM_RSRC1_VS__FLOAT_MODE, 0xc0));
    set(R_SPI_SHADER_PGM_RSRC2_VS, f(F_SPI_SHADER_PGM_RSRC2_VS__USER_SGPR, 4));
    set(R_SPI_SHADER_PGM_RSRC3_VS, f(F_SPI_SHADER_PGM_RSRC3_PS__CU_EN, 0xffff));
    set(R_SPI_SHADER_USER_DATA_VS_0, (uint32_t)VERTICES);
    set(R_SPI_SHADER_USER_DATA_VS_1, (uint32_t)(VERTICES >> 32) | 32 << 16); /* stride */
    set(R_SPI_SHADER_USER_DATA_VS_2, 2048);                                  /* records */
    set(R_SPI_SHADER_USER_DATA_VS_3, 0x00027fac);                            /* 32-bit floats */
    set(R_SPI_SHADER_PGM_LO_PS, (uint32_t)((CODE + 4096) >> 8));
    set(R_SPI_SHADER_PGM_RSRC1_PS, f(F_SPI_SHADER_PGM_RSRC1_PS__VGPRS, 1) |
                                       f(F_SPI_SHADER_PGM_RSRC1_PS__SGPRS, 1) |
                                       f(F_SPI_SHADER_PGM_RSRC1_PS__FLOAT_MODE, 0xc0));
    set(R_SPI_SHADER_PGM_RSRC3_PS, f(F_SPI_SHADER_PGM_RSRC3_PS__CU_EN, 0xffff));
    set(R_SPI_SHADER_POS_FORMAT, V_SPI_SHADER_FORMAT__SPI_SHADER_4COMP);
    set(R_SPI_SHADER_COL_FORMAT, V_SPI_SHADER_EX_FORMAT__SPI_SHADER_32_ABGR);
    set(R_SPI_PS_INPUT_ENA, f(F_SPI_PS_INPUT_ENA__PERSP_CENTER_ENA, 1));
    set(R_SPI_PS_INPUT_ADDR, f(F_SPI_PS_INPUT_ENA__PERSP_CENTER_ENA, 1));
    set(R_SPI_PS_IN_CONTROL, f(F_SPI_PS_IN_CONTROL__NUM_INTERP, 1));
    set(R_SPI_INTERP_CONTROL_0, f(F_SPI_INTERP_CONTROL_0__FLAT_SHADE_ENA, 1));

    set(R_VGT_PRIMITIVE_TYPE, V_VGT_DI_PRIM_TYPE__DI_PT_TRILIST);
    set(R_VGT_MAX_VTX_INDX, UINT32_MAX);
    set(R_PA_CL_VTE_CNTL, 0x3f | f(F_PA_CL_VTE_CNTL__VTX_W0_FMT, 1));
    set(R_PA_CL_CLIP_CNTL, f(F_PA_CL_CLIP_CNTL__DX_CLIP_SPACE_DEF, 1));
    set(R_PA_SU_VTX_CNTL, f(F_PA_SU_VTX_CNTL__PIX_CENTER, 1) | f(F_PA_SU_VTX_CNTL__ROUND_MODE, 2) |
                              f(F_PA_SU_VTX_CNTL__QUANT_MODE, 5));
    set_f(R_PA_CL_VPORT_XSCALE, SIDE / 2);
    set_f(R_PA_CL_VPORT_XOFFSET, SIDE / 2);
    set_f(R_PA_CL_VPORT_YSCALE, SIDE / 2);
    set_f(R_PA_CL_VPORT_YOFFSET, SIDE / 2);
    set_f(R_PA_CL_VPORT_ZSCALE, 1);
    set_f(R_PA_SC_VPORT_ZMAX_0, 1);
    set_f(R_PA_CL_GB_HORZ_CLIP_ADJ, 100);
    set_f(R_PA_CL_GB_VERT_CLIP_ADJ, 100);
    set_f(R_PA_CL_GB_HORZ_DISC_ADJ, 1);
    set_f(R_PA_CL_GB_VERT_DISC_ADJ, 1);
    set(R_PA_SC_SCREEN_SCISSOR_BR, SIDE | SIDE << 16);
    set(R_PA_SC_WINDOW_SCISSOR_BR, SIDE | SIDE << 16);
    set(R_PA_SC_GENERIC_SCISSOR_BR, SIDE | SIDE << 16);
    set(R_PA_SC_AA_MASK_X0Y0_X1Y0, UINT32_MAX);
    set(R_PA_SC_AA_MASK_X0Y1_X1Y1, UINT32_MAX);

    set(R_CB_COLOR_CONTROL, f(F_CB_COLOR_CONTROL__MODE, V_CBMode__CB_NORMAL) |
                                f(F_CB_COLOR_CONTROL__ROP3, V_ROP3__ROP3_COPY));
    set(R_CB_TARGET_MASK, 15);
    set(R_CB_SHADER_MASK, 15);
    set(R_CB_COLOR0_BASE, (uint32_t)(TARGET >> 8));
    set(R_CB_COLOR0_PITCH, f(F_CB_COLOR0_PITCH__TILE_MAX, PITCH / 8 - 1));
    set(R_CB_COLOR0_SLICE, f(F_CB_COLOR0_SLICE__TILE_MAX, PITCH * 64 / 64 - 1));
    set(R_CB_COLOR0_INFO, f(F_CB_COLOR0_INFO__FORMAT, V_ColorFormat__COLOR_8_8_8_8) |
                              f(F_CB_COLOR0_INFO__BLEND_CLAMP, 1));
    set(R_CB_COLOR0_ATTRIB, f(F_CB_COLOR0_ATTRIB__TILE_MODE_INDEX, 8)); /* linear */
    ib_n = 0;
}

static void stop(void)
{
    atoll_gpu_destroy(gpu);
}

static void vertex(unsigned i, float x, float y, float r, float g, float b)
{
    const float v[8] = {x, y, 0.5f, 1, r, g, b, 1};

    ck_assert_int_eq(atoll_write(gpu, VERTICES + 32 * i, v, sizeof v), 0);
}

static int draw_auto(uint32_t count)
{
    const struct atoll_ib list = {ATOLL_RING_GFX, IB, 5};

    ib[0] = pm4_header(PM4_NUM_INSTANCES, 1, false);
    ib[1] = 1;
    ib[2] = pm4_header(PM4_DRAW_INDEX_AUTO, 2, false);
    ib[3] = count;
    ib[4] = f(F_VGT_DRAW_INITIATOR__SOURCE_SELECT,
              V_VGT_DI_SOURCE_SELECT__DI_SRC_SEL_AUTO_INDEX);
    ck_assert_int_eq(atoll_write(gpu, IB, ib, 20), 0);
    return atoll_submit(gpu, &list, 1);
}

static int draw_indexed(const uint16_t *indices, uint32_t count)
{
    const struct atoll_ib list = {ATOLL_RING_GFX, IB, 10};

    ck_assert_int_eq(atoll_write(gpu, INDICES, indices, 2 * count), 0);
    ib[0] = pm4_header(PM4_NUM_INSTANCES, 1, false);
    ib[1] = 1;
    ib[2] = pm4_header(PM4_INDEX_TYPE, 1, false);
    ib[3] = V_VGT_INDEX_TYPE_MODE__VGT_INDEX_16;
    ib[4] = pm4_header(PM4_DRAW_INDEX_2, 5, false);
    ib[5] = count; /* MAX_SIZE */
    ib[6] = (uint32_t)INDICES;
    ib[7] = (uint32_t)(INDICES >> 32);
    ib[8] = count;
    ib[9] = 0;
    ck_assert_int_eq(atoll_write(gpu, IB, ib, 40), 0);
    return atoll_submit(gpu, &list, 1);
}

static uint32_t pixel(unsigned x, unsigned y)
{
    uint32_t v = 0;

    ck_assert_int_eq(atoll_read(gpu, TARGET + 4 * (PITCH * y + x), &v, 4), 0);
    return v;
}

static uint64_t count(enum emu_counter id)
{
    return gpu->counters.v[id];
}

static void big_triangle(float r, float g, float b)
{
    vertex(0, -1, -1, r, g, b);
    vertex(1, 3, -1, r, g, b);
    vertex(2, -1, 3, r, g, b);
}

/* ---- what pixels get ---------------------------------------------------------------------- */

START_TEST(interpolation)
{
    start(ps_colour);
    vertex(0, -1, -1, 0, 0, 0.25f);
    vertex(1, 3, -1, 2, 0, 0.25f);
    vertex(2, -1, 3, 0, 2, 0.25f);
    ck_assert_int_eq(draw_auto(3), 0);
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++) {
            uint32_t r = (uint32_t)lrint(255 * (x + 0.5) / SIDE);
            uint32_t g = (uint32_t)lrint(255 * (y + 0.5) / SIDE);

            ck_assert_uint_eq(pixel(x, y), r | g << 8 | 64u << 16 | 0xff000000u);
        }
    ck_assert_uint_eq(count(CNT_VS_INVOCATIONS), 3);
    ck_assert_uint_eq(count(CNT_IA_PRIMITIVES), 1);
    ck_assert_uint_eq(count(CNT_SC_PIXELS), SIDE * SIDE);
    ck_assert_uint_eq(count(CNT_PS_QUADS), SIDE * SIDE / 4);
    ck_assert_uint_eq(count(CNT_CB_PIXELS), SIDE * SIDE);
    ck_assert_uint_eq(loud_count(gpu->loud), 0);
    stop();
}
END_TEST

START_TEST(flat_and_default)
{
    start(ps_colour);
    vertex(0, -1, -1, 0, 0.25f, 0);
    vertex(1, 3, -1, 1, 0.5f, 0);
    vertex(2, -1, 3, 0, 1, 1);
    set(R_SPI_PS_INPUT_CNTL_0, f(F_SPI_PS_INPUT_CNTL_0__FLAT_SHADE, 1));
    ck_assert_int_eq(draw_auto(3), 0);
    ck_assert_uint_eq(pixel(3, 5), 0xff004000);
    set(R_PA_SU_SC_MODE_CNTL, f(F_PA_SU_SC_MODE_CNTL__PROVOKING_VTX_LAST, 1));
    ck_assert_int_eq(draw_auto(3), 0);
    ck_assert_uint_eq(pixel(3, 5), 0xffffff00);
    /* OFFSET with its top bit: the constant 1, 1, 1, 0. */
    set(R_SPI_PS_INPUT_CNTL_0,
        f(F_SPI_PS_INPUT_CNTL_0__OFFSET, 0x20) | f(F_SPI_PS_INPUT_CNTL_0__DEFAULT_VAL, 2));
    ck_assert_int_eq(draw_auto(3), 0);
    ck_assert_uint_eq(pixel(3, 5), 0x00ffffff);
    stop();
}
END_TEST

/* 100 triangles over the same pixels: blending is in their order, whatever shares a wave. */
START_TEST(blend_order)
{
    float value = 0;
    uint16_t indices[300];

    start(ps_colour);
    for (unsigned i = 0; i < 100; i++) {
        float c = (float)(i * 37 % 101) / 100;

        /* Each covers one pixel, so that 16 of them share a wave. */
        vertex(3 * i, -1, -1, c, 0, 0);
        vertex(3 * i + 1, -0.75f, -1, c, 0, 0);
        vertex(3 * i + 2, -1, -0.75f, c, 0, 0);
        for (unsigned k = 0; k < 3; k++)
            indices[3 * i + k] = (uint16_t)(3 * i + k);
    }
    set(R_CB_BLEND0_CONTROL, f(F_CB_BLEND0_CONTROL__ENABLE, 1) |
                                 f(F_CB_BLEND0_CONTROL__COLOR_SRCBLEND, V_BlendOp__BLEND_CONSTANT_ALPHA) |
                                 f(F_CB_BLEND0_CONTROL__COLOR_DESTBLEND,
                                   V_BlendOp__BLEND_ONE_MINUS_CONSTANT_ALPHA));
    set_f(R_CB_BLEND_ALPHA, 0.5f);
    ck_assert_int_eq(draw_indexed(indices, 300), 0);
    for (unsigned i = 0; i < 100; i++) {
        float c = (float)(i * 37 % 101) / 100;

        value = (float)lrint(255 * (c * 0.5f + value * 0.5f)) / 255;
    }
    ck_assert_uint_eq(pixel(0, 0) & 0xff, (uint32_t)lrint(value * 255));
    ck_assert_uint_eq(count(CNT_CB_BLENDED), 100);
    ck_assert_uint_eq(count(CNT_VS_INVOCATIONS), 300);
    stop();
}
END_TEST

START_TEST(reuse_and_restart)
{
    /* Two strips of two triangles; the second uses two vertices of the first again. */
    const uint16_t strip[] = {0, 1, 2, 3, 0xffff, 2, 3, 4, 5};

    start(ps_colour);
    for (unsigned i = 0; i < 6; i++)
        vertex(i, i & 1 ? 1 : -1, -1 + 0.5f * (float)(i / 2), 1, 1, 1);
    set(R_VGT_PRIMITIVE_TYPE, V_VGT_DI_PRIM_TYPE__DI_PT_TRISTRIP);
    set(R_VGT_MULTI_PRIM_IB_RESET_EN, 1);
    set(R_VGT_MULTI_PRIM_IB_RESET_INDX, 0xffff);
    set(R_VGT_VERTEX_REUSE_BLOCK_CNTL, 14);
    ck_assert_int_eq(draw_indexed(strip, 9), 0);
    ck_assert_uint_eq(count(CNT_IA_VERTICES), 8);
    ck_assert_uint_eq(count(CNT_IA_PRIMITIVES), 4);
    ck_assert_uint_eq(count(CNT_VS_INVOCATIONS), 6);
    for (unsigned y = 0; y < SIDE; y++)
        ck_assert_uint_eq(pixel(7, y), y < SIDE / 2 ? 0xffffffff : 0);
    ck_assert_uint_eq(count(CNT_CB_PIXELS), SIDE * SIDE / 2);
    set(R_VGT_REUSE_OFF, 1);
    ck_assert_int_eq(draw_indexed(strip, 9), 0);
    ck_assert_uint_eq(count(CNT_VS_INVOCATIONS), 6 + 8);
    stop();
}
END_TEST

/* More vertices than the draw has slots for: strips and fans go on over the seam. */
START_TEST(long_strip)
{
    const unsigned n = 2040;

    start(ps_colour);
    for (unsigned i = 0; i < n; i++) /* a ribbon that runs down the target in 1019 steps */
        vertex(i, i & 1 ? 1 : -1, -1 + 2 * (float)(i / 2) / (float)(n / 2 - 1), 1, 1, 1);
    set(R_VGT_PRIMITIVE_TYPE, V_VGT_DI_PRIM_TYPE__DI_PT_TRISTRIP);
    ck_assert_int_eq(draw_auto(n), 0);
    ck_assert_uint_eq(count(CNT_IA_PRIMITIVES), n - 2);
    ck_assert_uint_eq(count(CNT_CB_PIXELS), SIDE * SIDE); /* each pixel exactly once */
    ck_assert_uint_eq(count(CNT_VS_INVOCATIONS), n + 2); /* the two at the seam again */
    stop();
}
END_TEST

START_TEST(discard)
{
    const uint32_t in = f(F_SPI_PS_INPUT_ENA__PERSP_CENTER_ENA, 1) |
                        f(F_SPI_PS_INPUT_ENA__POS_X_FLOAT_ENA, 1);

    start(ps_discard);
    set(R_SPI_PS_INPUT_ENA, in);
    set(R_SPI_PS_INPUT_ADDR, in);
    set(R_DB_SHADER_CONTROL, f(F_DB_SHADER_CONTROL__KILL_ENABLE, 1) |
                                 f(F_DB_SHADER_CONTROL__Z_ORDER, V_ZOrder__EARLY_Z_THEN_LATE_Z));
    big_triangle(0, 0, 0);
    ck_assert_int_eq(draw_auto(3), 0);
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++)
            ck_assert_uint_eq(pixel(x, y), x < 8 ? 0xffffffff : 0);
    ck_assert_uint_eq(count(CNT_PS_KILLED), SIDE * SIDE / 2);
    ck_assert_uint_eq(count(CNT_DB_QUADS_LATE), SIDE * SIDE / 4);
    stop();
}
END_TEST

/* A shader that discards, over depth: with re-Z quads that cannot pass are not shaded, and the picture is the same. */
START_TEST(re_z)
{
    uint8_t image[2][PITCH * SIDE * 4];
    uint64_t shaded[2], culled[2];

    for (unsigned k = 0; k < 2; k++) {
        start(ps_discard);
        ck_assert_int_eq(atoll_map(gpu, DEPTH, 65536, NULL), 0); /* 0 everywhere: nearer than what is drawn */
        set(R_SPI_PS_INPUT_ENA, f(F_SPI_PS_INPUT_ENA__PERSP_CENTER_ENA, 1) |
                                    f(F_SPI_PS_INPUT_ENA__POS_X_FLOAT_ENA, 1));
        set(R_SPI_PS_INPUT_ADDR, f(F_SPI_PS_INPUT_ENA__PERSP_CENTER_ENA, 1) |
                                     f(F_SPI_PS_INPUT_ENA__POS_X_FLOAT_ENA, 1));
        set(R_DB_Z_INFO, f(F_DB_Z_INFO__FORMAT, V_ZFormat__Z_32_FLOAT));
        set(R_DB_DEPTH_INFO, f(F_DB_DEPTH_INFO__ARRAY_MODE, V_ArrayMode__ARRAY_1D_TILED_THIN1));
        set(R_DB_DEPTH_SIZE, f(F_DB_DEPTH_SIZE__PITCH_TILE_MAX, PITCH / 8 - 1));
        set(R_DB_DEPTH_SLICE, f(F_DB_DEPTH_SLICE__SLICE_TILE_MAX, PITCH * SIDE / 64 - 1));
        set(R_DB_Z_READ_BASE, (uint32_t)(DEPTH >> 8));
        set(R_DB_Z_WRITE_BASE, (uint32_t)(DEPTH >> 8));
        set(R_DB_DEPTH_CONTROL, f(F_DB_DEPTH_CONTROL__Z_ENABLE, 1) | f(F_DB_DEPTH_CONTROL__Z_WRITE_ENABLE, 1) |
                                    f(F_DB_DEPTH_CONTROL__ZFUNC, V_CompareFrag__FRAG_ALWAYS));
        set(R_DB_SHADER_CONTROL, f(F_DB_SHADER_CONTROL__KILL_ENABLE, 1) |
                                     f(F_DB_SHADER_CONTROL__Z_ORDER, k ? V_ZOrder__EARLY_Z_THEN_RE_Z
                                                                       : V_ZOrder__EARLY_Z_THEN_LATE_Z));
        for (unsigned v = 0; v < 6; v++) /* the lower half gets depth 0.5, left of x = 8 */
            vertex(v, v == 1 || v == 2 || v == 4 ? 1 : -1, v == 2 || v == 4 || v == 5 ? 1 : 0, 1, 1, 1);
        ck_assert_int_eq(draw_auto(6), 0);
        set(R_DB_DEPTH_CONTROL, f(F_DB_DEPTH_CONTROL__Z_ENABLE, 1) | f(F_DB_DEPTH_CONTROL__Z_WRITE_ENABLE, 1) |
                                    f(F_DB_DEPTH_CONTROL__ZFUNC, V_CompareFrag__FRAG_LEQUAL));
        for (unsigned v = 0; v < 3; v++) /* all of it, at 0.5: passes where 0.5 is, fails where 0 is */
            vertex(v, v == 1 ? 3 : -1, v == 2 ? 3 : -1, 1, 1, 1);
        ck_assert_int_eq(draw_auto(3), 0);
        ck_assert_int_eq(atoll_read(gpu, TARGET, image[k], sizeof image[k]), 0);
        shaded[k] = count(CNT_PS_QUADS);
        culled[k] = count(CNT_DB_QUADS_EARLY_CULLED);
        stop();
    }
    ck_assert_int_eq(memcmp(image[0], image[1], sizeof image[0]), 0);
    ck_assert_uint_eq(culled[0], 0);
    ck_assert_uint_eq(culled[1], SIDE * SIDE / 4 * 3 / 4); /* of the second draw all but the lower left quarter */
    ck_assert_uint_eq(shaded[1], shaded[0] - culled[1]);
}
END_TEST

/* ---- guests that are wrong ------------------------------------------------------------------ */

START_TEST(endless_draw)
{
    start(ps_colour);
    big_triangle(1, 1, 1);
    ck_assert_int_eq(draw_auto(UINT32_MAX), 1);
    ck_assert_ptr_nonnull(strstr(atoll_error(gpu), "does not end"));
    stop();
}
END_TEST

START_TEST(unmapped)
{
    start(ps_colour);
    big_triangle(1, 1, 1);
    set(R_CB_COLOR0_BASE, 0x123456);
    draw_auto(3); /* faults are counted; nothing is written */
    ck_assert_uint_eq(pixel(0, 0), 0);
    stop();
}
END_TEST

/* Random context registers: any result is right that comes to an end. */
START_TEST(garbage_registers)
{
    uint64_t rng = 7;

    start(ps_colour);
    loud_set_quiet(gpu->loud, true);
    for (unsigned k = 0; k < 6; k++)
        vertex(k, (float)(k % 3) - 1, (float)(k / 2) - 1, 1, 0.5f, 0);
    for (unsigned round = 0; round < 60; round++) {
        for (const struct reg *r = NULL; (r = regs_next(GFX7, 0, r));) {
            rng = rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            if ((r->space != REG_CONTEXT && r->id != R_VGT_PRIMITIVE_TYPE) ||
                (rng >> 60) % (1 + round % 8))
                continue;
            /* Stage selection would skip the draw, and huge scissors only take time. */
            if (r->id == R_VGT_SHADER_STAGES_EN || r->id == R_PA_SC_SCREEN_SCISSOR_BR ||
                r->id == R_VGT_DRAW_INITIATOR || r->id == R_VGT_EVENT_INITIATOR)
                continue;
            atoll_register_write(gpu, r->offset, (uint32_t)(rng >> 29));
        }
        draw_auto(6);
    }
    stop();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("draw");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, interpolation);
    tcase_add_test(tc, flat_and_default);
    tcase_add_test(tc, blend_order);
    tcase_add_test(tc, reuse_and_restart);
    tcase_add_test(tc, long_strip);
    tcase_add_test(tc, discard);
    tcase_add_test(tc, re_z);
    tcase_add_test(tc, endless_draw);
    tcase_add_test(tc, unmapped);
    tcase_add_test(tc, garbage_registers);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
