/* triangle: a command buffer built by hand, and its capture.
 *
 * Writes a .gcap file that clears a 256x256 R8G8B8A8 target of a Bonaire with CP DMA and draws one
 * triangle whose vertex shader fetches from a buffer and whose pixel shader interpolates a colour:
 *
 *   examples/triangle/triangle triangle.gcap && atoll replay triangle.gcap -o out
 *
 * It shows how packets (pm4/), registers (regs/), shaders (isa/) and captures (emu/capture.h) are
 * made with the library's own builders; no driver is involved. */
#include "emu/capture.h"
#include "isa/isa.h"
#include "pm4/pm4.h"
#include "regs/enums.h"
#include "regs/regs.h"

#include <stdlib.h>

#define SIDE     256u
#define IB       UINT64_C(0x100000000)
#define CODE     UINT64_C(0x100100000)
#define VERTICES UINT64_C(0x100200000)
#define TARGET   UINT64_C(0x100300000)

static struct err e;

static void check(int rc)
{
    if (rc < 0) {
        fprintf(stderr, "triangle: %s\n", e.text);
        exit(2);
    }
}

/* A vertex is a position and a colour, 32 bytes; the V# is in s[0:3]. */
static const char *const vs[] = {
    "buffer_load_dwordx4 v[4:7], v0, s[0:3], 0 idxen",
    "buffer_load_dwordx4 v[8:11], v0, s[0:3], 0 idxen offset:16",
    "s_waitcnt vmcnt(0)",
    "exp pos0 v4, v5, v6, v7 done",
    "exp param0 v8, v9, v10, v11",
    "s_endpgm",
    NULL,
};

/* M0's value is in s0; the barycentrics i and j in v0, v1. */
static const char *const ps[] = {
    "s_mov_b32 m0, s0",
    "v_interp_p1_f32 v2, v0, attr0.x",
    "v_interp_p2_f32 v2, v1, attr0.x",
    "v_interp_p1_f32 v3, v0, attr0.y",
    "v_interp_p2_f32 v3, v1, attr0.y",
    "v_interp_p1_f32 v4, v0, attr0.z",
    "v_interp_p2_f32 v4, v1, attr0.z",
    "v_mov_b32_e32 v5, 1.0",
    "exp mrt0 v2, v3, v4, v5 done vm",
    "s_endpgm",
    NULL,
};

/* ---- the command buffer ------------------------------------------------------------------------ */

static struct pm4_builder ib;

static void set(enum reg_id r, uint32_t v)
{
    pm4_emit_set(&ib, r, v);
}

static void set_f(enum reg_id r, float v)
{
    set(r, f32_bits(v));
}

static uint32_t f(enum reg_field_id field, uint32_t v)
{
    return regs_insert(GFX7, field, 0, v);
}

/* Fill memory with a dword by CP DMA. */
static void fill(uint64_t va, uint32_t value, uint32_t bytes)
{
    PM4_EMIT(&ib, PM4_DMA_DATA, pm4_put(PM4F_DMA_WORD0__SRC_SEL, PM4V_DMA_SRC__DATA), value, 0, (uint32_t)va,
             (uint32_t)(va >> 32), bytes);
}

static void shaders(void)
{
    set(R_SPI_SHADER_PGM_LO_VS, (uint32_t)(CODE >> 8));
    set(R_SPI_SHADER_PGM_HI_VS, (uint32_t)(CODE >> 40));
    set(R_SPI_SHADER_PGM_RSRC1_VS, f(F_SPI_SHADER_PGM_RSRC1_VS__VGPRS, 2) |
                                       f(F_SPI_SHADER_PGM_RSRC1_VS__SGPRS, 1) |
                                       f(F_SPI_SHADER_PGM_RSRC1_VS__FLOAT_MODE, 0xc0));
    set(R_SPI_SHADER_PGM_RSRC2_VS, f(F_SPI_SHADER_PGM_RSRC2_VS__USER_SGPR, 4));
    set(R_SPI_SHADER_PGM_RSRC3_VS, f(F_SPI_SHADER_PGM_RSRC3_VS__CU_EN, 0xffff));
    set(R_SPI_SHADER_USER_DATA_VS_0, (uint32_t)VERTICES);
    set(R_SPI_SHADER_USER_DATA_VS_1, (uint32_t)(VERTICES >> 32) | 32 << 16); /* stride */
    set(R_SPI_SHADER_USER_DATA_VS_2, 3);                                     /* records */
    set(R_SPI_SHADER_USER_DATA_VS_3, 0x00027fac);                            /* 32-bit floats */
    set(R_SPI_SHADER_PGM_LO_PS, (uint32_t)((CODE + 4096) >> 8));
    set(R_SPI_SHADER_PGM_HI_PS, (uint32_t)((CODE + 4096) >> 40));
    set(R_SPI_SHADER_PGM_RSRC1_PS, f(F_SPI_SHADER_PGM_RSRC1_PS__VGPRS, 1) |
                                       f(F_SPI_SHADER_PGM_RSRC1_PS__SGPRS, 1) |
                                       f(F_SPI_SHADER_PGM_RSRC1_PS__FLOAT_MODE, 0xc0));
    set(R_SPI_SHADER_PGM_RSRC2_PS, 0);
    set(R_SPI_SHADER_PGM_RSRC3_PS, f(F_SPI_SHADER_PGM_RSRC3_PS__CU_EN, 0xffff));
    set(R_SPI_SHADER_POS_FORMAT, V_SPI_SHADER_FORMAT__SPI_SHADER_4COMP);
    set(R_SPI_SHADER_COL_FORMAT, V_SPI_SHADER_EX_FORMAT__SPI_SHADER_32_ABGR);
    set(R_SPI_PS_INPUT_ENA, f(F_SPI_PS_INPUT_ENA__PERSP_CENTER_ENA, 1));
    set(R_SPI_PS_INPUT_ADDR, f(F_SPI_PS_INPUT_ENA__PERSP_CENTER_ENA, 1));
    set(R_SPI_PS_IN_CONTROL, f(F_SPI_PS_IN_CONTROL__NUM_INTERP, 1));
}

static void geometry(void)
{
    const uint32_t corner = SIDE | SIDE << 16;

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
    set(R_PA_SC_SCREEN_SCISSOR_BR, corner);
    set(R_PA_SC_WINDOW_SCISSOR_BR, corner);
    set(R_PA_SC_GENERIC_SCISSOR_BR, corner);
    set(R_PA_SC_AA_MASK_X0Y0_X1Y0, UINT32_MAX);
    set(R_PA_SC_AA_MASK_X0Y1_X1Y1, UINT32_MAX);
}

static void target(void)
{
    set(R_CB_COLOR_CONTROL, f(F_CB_COLOR_CONTROL__MODE, V_CBMode__CB_NORMAL) |
                                f(F_CB_COLOR_CONTROL__ROP3, V_ROP3__ROP3_COPY));
    set(R_CB_TARGET_MASK, 15);
    set(R_CB_SHADER_MASK, 15);
    set(R_CB_COLOR0_BASE, (uint32_t)(TARGET >> 8));
    set(R_CB_COLOR0_PITCH, f(F_CB_COLOR0_PITCH__TILE_MAX, SIDE / 8 - 1));
    set(R_CB_COLOR0_SLICE, f(F_CB_COLOR0_SLICE__TILE_MAX, SIDE * SIDE / 64 - 1));
    set(R_CB_COLOR0_INFO, f(F_CB_COLOR0_INFO__FORMAT, V_ColorFormat__COLOR_8_8_8_8) |
                              f(F_CB_COLOR0_INFO__BLEND_CLAMP, 1));
    set(R_CB_COLOR0_ATTRIB, f(F_CB_COLOR0_ATTRIB__TILE_MODE_INDEX, 14)); /* 2D_TILED_THIN1 */
}

static void build(void)
{
    PM4_EMIT(&ib, PM4_CONTEXT_CONTROL, 0x80000000, 0x80000000);
    PM4_EMIT(&ib, PM4_CLEAR_STATE, 0);
    fill(TARGET, 0xff804020, 4 * SIDE * SIDE);
    shaders();
    geometry();
    target();
    PM4_EMIT(&ib, PM4_NUM_INSTANCES, 1);
    PM4_EMIT(&ib, PM4_DRAW_INDEX_AUTO, 3,
             f(F_VGT_DRAW_INITIATOR__SOURCE_SELECT,
               V_VGT_DI_SOURCE_SELECT__DI_SRC_SEL_AUTO_INDEX));
}

/* ---- the capture ------------------------------------------------------------------------------- */

static void map(struct capture_writer *w, uint64_t va, uint64_t bytes)
{
    struct capture_map m = {.va = va, .bytes = bytes, .prot = 7, .domain = 4};

    check(capture_write_map(w, &m, &e));
}

static void shader(struct capture_writer *w, uint64_t va, const char *const *lines)
{
    uint32_t code[256];
    unsigned n = 0;

    for (; *lines; lines++) {
        int k = isa_assemble(isa_target_find("bonaire"), *lines, code + n, &e);

        check(k);
        n += (unsigned)k;
    }
    check(capture_write_memory(w, va, code, 4 * n, &e));
}

int main(int argc, char **argv)
{
    static const float vertices[3][8] = {
        {-0.8f, 0.8f, 0.5f, 1, 1, 0, 0, 1},
        {0.8f, 0.8f, 0.5f, 1, 0, 1, 0, 1},
        {0.0f, -0.8f, 0.5f, 1, 0, 0, 1, 1},
    };
    struct capture_header h = {.version = CAPTURE_VERSION, .chip = "bonaire", .driver = "triangle"};
    struct capture_ib list = {.ring = 0, .va = IB};
    struct capture_submit s = {.ib_count = 1, .ibs = &list};
    struct capture_writer *w;

    if (argc != 2) {
        fprintf(stderr, "usage: triangle FILE.gcap\n");
        return 2;
    }
    w = capture_create(argv[1], &h, &e);
    check(w ? 0 : -1);
    map(w, IB, 4096);
    map(w, CODE, 8192);
    map(w, VERTICES, 4096);
    map(w, TARGET, 4 * SIDE * SIDE);
    pm4_builder_init(&ib, GFX7);
    build();
    check(ib.failed ? err_set(&e, "the command buffer could not be built") : 0);
    check(capture_write_memory(w, IB, ib.dw, 4 * (uint64_t)ib.count, &e));
    shader(w, CODE, vs);
    shader(w, CODE + 4096, ps);
    check(capture_write_memory(w, VERTICES, vertices, sizeof vertices, &e));
    list.size_dw = ib.count;
    check(capture_write_submit(w, &s, &e));
    check(capture_finish(w, true, &e));
    pm4_builder_free(&ib);
    return 0;
}
