/* hw: see hw.h. */
#include "examples/hw.h"

#include <png.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_VA 0x100000000ull
#define ALIGN    0x10000ull
#define IB_BYTES 0x10000ull
#define CODE_DW  1024

void hw_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void check(struct hw *hw, int rc, const char *what)
{
    if (rc)
        hw_fail(what, atoll_error(hw->gpu));
}

void hw_open(struct hw *hw, const char *gcap, const char *name)
{
    const struct atoll_options opt = {.strict = 1};

    hw->gpu = atoll_gpu_create(HW_CHIP, &opt);
    hw->ib = atoll_pm4_create(HW_CHIP);
    if (!hw->gpu || !hw->ib)
        hw_fail(name, "no device");
    if (gcap)
        check(hw, atoll_record(hw->gpu, gcap, name), gcap);
    hw->next_va = FIRST_VA;
    hw->ib_va = hw_alloc(hw, 8 * IB_BYTES);
}

void hw_close(struct hw *hw)
{
    atoll_pm4_destroy(hw->ib);
    atoll_gpu_destroy(hw->gpu);
}

uint64_t hw_alloc(struct hw *hw, uint64_t bytes)
{
    const uint64_t va = hw->next_va;

    bytes = (bytes + ALIGN - 1) & ~(ALIGN - 1);
    check(hw, atoll_map(hw->gpu, va, bytes, NULL), "atoll_map");
    hw->next_va += bytes;
    return va;
}

uint64_t hw_upload(struct hw *hw, const void *data, uint64_t bytes)
{
    const uint64_t va = hw_alloc(hw, bytes);

    check(hw, atoll_write(hw->gpu, va, data, bytes), "atoll_write");
    return va;
}

void hw_read(struct hw *hw, uint64_t va, void *data, uint64_t bytes)
{
    check(hw, atoll_read(hw->gpu, va, data, bytes), "atoll_read");
}

uint64_t hw_shader(struct hw *hw, const char *text, const char *name)
{
    uint32_t code[CODE_DW];
    char error[256];
    const int n = atoll_assemble(HW_CHIP, text, name, code, CODE_DW, error);

    if (n < 0 || n > CODE_DW)
        hw_fail(name, n < 0 ? error : "too long");
    return hw_upload(hw, code, 4 * (uint64_t)n);
}

/* ---- descriptors --------------------------------------------------------------------------------- */

uint32_t hw_value(const char *reg, const char *text, ...)
{
    char fields[1024], error[256];
    uint32_t value;
    va_list ap;

    va_start(ap, text);
    vsnprintf(fields, sizeof fields, text, ap);
    va_end(ap);
    if (atoll_register_value(HW_CHIP, reg, fields, &value, error))
        hw_fail(reg, error);
    return value;
}

#define XYZW "DST_SEL_X=SQ_SEL_X DST_SEL_Y=SQ_SEL_Y DST_SEL_Z=SQ_SEL_Z DST_SEL_W=SQ_SEL_W "

void hw_buffer(uint32_t v[4], uint64_t va, unsigned stride, unsigned records)
{
    v[0] = (uint32_t)va;
    v[1] = hw_value("SQ_BUF_RSRC_WORD1", "BASE_ADDRESS_HI=%u STRIDE=%u", (unsigned)(va >> 32), stride);
    v[2] = records;
    v[3] = hw_value("SQ_BUF_RSRC_WORD3", XYZW "NUM_FORMAT=BUF_NUM_FORMAT_FLOAT DATA_FORMAT=BUF_DATA_FORMAT_32");
}

void hw_image(uint32_t t[8], uint64_t va, unsigned width, unsigned height, unsigned pitch, const char *format,
              const char *tiling)
{
    memset(t, 0, 8 * sizeof *t);
    t[0] = (uint32_t)(va >> 8);
    t[1] = hw_value("SQ_IMG_RSRC_WORD1", "BASE_ADDRESS_HI=%u %s", (unsigned)(va >> 40), format);
    t[2] = hw_value("SQ_IMG_RSRC_WORD2", "WIDTH=%u HEIGHT=%u", width - 1, height - 1);
    t[3] = hw_value("SQ_IMG_RSRC_WORD3", XYZW "%s", tiling);
    t[4] = hw_value("SQ_IMG_RSRC_WORD4", "PITCH=%u", pitch - 1);
}

/* ---- state ----------------------------------------------------------------------------------------- */

void hw_defaults(struct hw *hw, unsigned width, unsigned height)
{
    atoll_pm4_packet(hw->ib, "CONTEXT_CONTROL", 2, (const uint32_t[]){0x80000000, 0x80000000});
    atoll_pm4_packet(hw->ib, "CLEAR_STATE", 1, (const uint32_t[]){0});
    SET(hw, "VGT_PRIMITIVE_TYPE", "PRIM_TYPE=DI_PT_TRILIST");
    SET(hw, "VGT_MAX_VTX_INDX", "0xffffffff");
    /* Clip space as Direct3D has it: 0 <= z <= w; the perspective division is the hardware's. */
    SET(hw, "PA_CL_CLIP_CNTL", "DX_CLIP_SPACE_DEF=1");
    SET(hw, "PA_CL_VTE_CNTL", "VPORT_X_SCALE_ENA=1 VPORT_X_OFFSET_ENA=1 VPORT_Y_SCALE_ENA=1 VPORT_Y_OFFSET_ENA=1 "
                              "VPORT_Z_SCALE_ENA=1 VPORT_Z_OFFSET_ENA=1 VTX_W0_FMT=1");
    SET(hw, "PA_CL_VPORT_XSCALE", "%f", width / 2.0);
    SET(hw, "PA_CL_VPORT_XOFFSET", "%f", width / 2.0);
    SET(hw, "PA_CL_VPORT_YSCALE", "%f", height / 2.0);
    SET(hw, "PA_CL_VPORT_YOFFSET", "%f", height / 2.0);
    SET(hw, "PA_CL_VPORT_ZSCALE", "1.0");
    SET(hw, "PA_SC_VPORT_ZMAX_0", "1.0");
    SET(hw, "PA_CL_GB_HORZ_CLIP_ADJ", "100.0");
    SET(hw, "PA_CL_GB_VERT_CLIP_ADJ", "100.0");
    SET(hw, "PA_CL_GB_HORZ_DISC_ADJ", "1.0");
    SET(hw, "PA_CL_GB_VERT_DISC_ADJ", "1.0");
    /* Pixel centres at halves; vertices snapped to 1/256 pixel, to nearest even. */
    SET(hw, "PA_SU_VTX_CNTL", "PIX_CENTER=1 ROUND_MODE=2 QUANT_MODE=5");
    SET(hw, "PA_SC_SCREEN_SCISSOR_BR", "BR_X=%u BR_Y=%u", width, height);
    SET(hw, "PA_SC_WINDOW_SCISSOR_BR", "BR_X=%u BR_Y=%u", width, height);
    SET(hw, "PA_SC_GENERIC_SCISSOR_BR", "BR_X=%u BR_Y=%u", width, height);
    SET(hw, "PA_SC_AA_MASK_X0Y0_X1Y0", "0xffffffff");
    SET(hw, "PA_SC_AA_MASK_X0Y1_X1Y1", "0xffffffff");
    SET(hw, "CB_COLOR_CONTROL", "MODE=CB_NORMAL ROP3=ROP3_COPY");
    SET(hw, "SPI_SHADER_POS_FORMAT", "POS0_EXPORT_FORMAT=SPI_SHADER_4COMP");
    SET(hw, "SPI_SHADER_PGM_RSRC3_VS", "CU_EN=0xffff");
    SET(hw, "SPI_SHADER_PGM_RSRC3_PS", "CU_EN=0xffff");
}

/* FLOAT_MODE 0xc0: denormals of 16- and 64-bit floats are kept, those of 32 bits flushed; as compilers have it. */
static void stage(struct hw *hw, const char *vs_or_ps, uint64_t va, unsigned vgprs, unsigned sgprs,
                  const uint32_t *user)
{
    char name[64];

#define REG(what) (snprintf(name, sizeof name, "SPI_SHADER_" what, vs_or_ps), name)
    SET(hw, REG("PGM_LO_%s"), "0x%x", (unsigned)(va >> 8));
    SET(hw, REG("PGM_HI_%s"), "0x%x", (unsigned)(va >> 40));
    SET(hw, REG("PGM_RSRC1_%s"), "VGPRS=%u SGPRS=3 FLOAT_MODE=0xc0", (vgprs - 1) / 4);
    SET(hw, REG("PGM_RSRC2_%s"), "USER_SGPR=%u", sgprs);
    if (sgprs)
        atoll_pm4_set_array(hw->ib, REG("USER_DATA_%s_0"), sgprs, user);
#undef REG
}

void hw_vs(struct hw *hw, uint64_t va, unsigned vgprs, unsigned sgprs, const uint32_t *user)
{
    stage(hw, "VS", va, vgprs, sgprs, user);
}

void hw_ps(struct hw *hw, uint64_t va, unsigned vgprs, unsigned sgprs, const uint32_t *user)
{
    stage(hw, "PS", va, vgprs, sgprs, user);
}

#define DMA_SRC_IS_DATA (2u << 29)
#define DMA_MOST        (1u << 20) /* the packet counts in 21 bits */

void hw_fill(struct hw *hw, uint64_t va, uint32_t value, uint32_t bytes)
{
    while (bytes) {
        const uint32_t n = bytes < DMA_MOST ? bytes : DMA_MOST;

        atoll_pm4_packet(hw->ib, "DMA_DATA", 6, (const uint32_t[]){DMA_SRC_IS_DATA, value, 0, (uint32_t)va,
                                                                  (uint32_t)(va >> 32), n});
        va += n;
        bytes -= n;
    }
}

#define CACHE_FLUSH_AND_INV_EVENT 22

void hw_flush(struct hw *hw)
{
    atoll_pm4_packet(hw->ib, "EVENT_WRITE", 1, (const uint32_t[]){CACHE_FLUSH_AND_INV_EVENT});
    /* Wait for it, and forget what texture, scalar and instruction caches hold. */
    atoll_pm4_packet(hw->ib, "SURFACE_SYNC", 4,
                     (const uint32_t[]){hw_value("CP_COHER_CNTL", "TC_ACTION_ENA=1 TCL1_ACTION_ENA=1 CB_ACTION_ENA=1 "
                                                                  "DB_ACTION_ENA=1 SH_KCACHE_ACTION_ENA=1 "
                                                                  "SH_ICACHE_ACTION_ENA=1"),
                                        0xffffffff, 0, 10});
}

#define AUTO_INDEX 2 /* VGT_DRAW_INITIATOR.SOURCE_SELECT */

void hw_draw(struct hw *hw, unsigned first, unsigned count)
{
    SET(hw, "VGT_INDX_OFFSET", "%u", first);
    atoll_pm4_packet(hw->ib, "NUM_INSTANCES", 1, (const uint32_t[]){1});
    atoll_pm4_packet(hw->ib, "DRAW_INDEX_AUTO", 2, (const uint32_t[]){count, AUTO_INDEX});
}

void hw_submit(struct hw *hw)
{
    struct atoll_ib list = {ATOLL_RING_GFX, hw->ib_va, 0};
    const uint32_t *dw = atoll_pm4_dwords(hw->ib, &list.size_dw);

    if (!dw)
        hw_fail("command buffer", atoll_pm4_error(hw->ib));
    if (4 * list.size_dw > IB_BYTES)
        hw_fail("command buffer", "too long");
    check(hw, atoll_write(hw->gpu, hw->ib_va, dw, 4 * (uint64_t)list.size_dw), "command buffer");
    check(hw, atoll_submit(hw->gpu, &list, 1), "atoll_submit");
    atoll_pm4_destroy(hw->ib);
    hw->ib = atoll_pm4_create(HW_CHIP);
}

/* ---- results ----------------------------------------------------------------------------------------- */

uint64_t hw_counter(struct hw *hw, const char *name)
{
    uint64_t v;

    if (atoll_counter(hw->gpu, name, &v))
        hw_fail(name, "no such counter");
    return v;
}

void hw_counters(struct hw *hw, const char *path)
{
    FILE *f = fopen(path, "w");
    char *json = atoll_counters_json(hw->gpu);

    if (!f || !json || fputs(json, f) < 0 || fclose(f))
        hw_fail(path, "cannot be written");
    free(json);
}

void hw_png(const char *path, const void *rgba, unsigned width, unsigned height, unsigned pitch)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height,
                       .format = PNG_FORMAT_RGBA};

    if (!png_image_write_to_file(&image, path, 0, rgba, (int)(4 * pitch), NULL))
        hw_fail(path, image.message);
}
