/* What the CLEAR_STATE packet loads: the context registers in these ranges become zero, but for
 * the few below. The kernel driver gives the command processor this table (on GFX6, which has
 * no such packet at user level, it loads the table itself before the first submission).
 *
 * Facts: clearstate_{si,ci,vi,gfx9}.h of Linux's amdgpu. */
#include "regs/regs.h"

enum { ON_GFX6 = 1 << GFX6, ON_GFX7 = 1 << GFX7, ON_GFX8 = 1 << GFX8, ON_GFX9 = 1 << GFX9,
       ON_ALL = ON_GFX6 | ON_GFX7 | ON_GFX8 | ON_GFX9 };

/* What is loaded: the gaps keep their values. */
static const struct {
    unsigned gens;
    uint32_t offset, count_dw;
} ranges[] = {
    {ON_ALL,                      0x28000, 212},
    {ON_GFX6,                     0x28360, 272},
    {ON_GFX7 | ON_GFX8,           0x28358, 274},
    {ON_GFX9,                     0x28358, 282},
    {ON_GFX6 | ON_GFX7 | ON_GFX8, 0x287d4, 6},
    {ON_GFX9,                     0x287d4, 4},
    {ON_ALL,                      0x28800, 157},
    {ON_GFX6,                     0x28a84, 1},
    {ON_GFX7 | ON_GFX8 | ON_GFX9, 0x28a80, 2},
    {ON_ALL,                      0x28a8c, 1},
    {ON_GFX6 | ON_GFX7 | ON_GFX8, 0x28a94, 233},
    {ON_GFX9,                     0x28a94, 66},
    {ON_GFX9,                     0x28bd4, 155},
};

/* What is not zero then: `count` elements of an array from this one on. */
static const struct {
    enum reg_id first;
    unsigned count;
    unsigned gens;
    uint32_t value;
} defaults[] = {
    {R_PA_SC_SCREEN_SCISSOR_BR,     1,  ON_ALL,                      0x40004000},
    {R_PA_SC_WINDOW_SCISSOR_TL,     1,  ON_ALL,                      0x80000000},
    {R_PA_SC_WINDOW_SCISSOR_BR,     1,  ON_ALL,                      0x40004000},
    {R_PA_SC_CLIPRECT_RULE,         1,  ON_ALL,                      0x0000ffff},
    {R_PA_SC_CLIPRECT_0_BR,         4,  ON_ALL,                      0x40004000},
    {R_PA_SC_EDGERULE,              1,  ON_ALL,                      0xaa99aaaa},
    {R_CB_TARGET_MASK,              1,  ON_ALL,                      0xffffffff},
    {R_CB_SHADER_MASK,              1,  ON_ALL,                      0xffffffff},
    {R_PA_SC_GENERIC_SCISSOR_TL,    1,  ON_ALL,                      0x80000000},
    {R_PA_SC_GENERIC_SCISSOR_BR,    1,  ON_ALL,                      0x40004000},
    {R_PA_SC_VPORT_SCISSOR_0_TL,    16, ON_ALL,                      0x80000000},
    {R_PA_SC_VPORT_SCISSOR_0_BR,    16, ON_ALL,                      0x40004000},
    {R_PA_SC_VPORT_ZMAX_0,          16, ON_ALL,                      0x3f800000}, /* 1.0f */
    {R_VGT_MAX_VTX_INDX,            1,  ON_GFX6 | ON_GFX7 | ON_GFX8, 0xffffffff},
    {R_DB_STENCILREFMASK,           1,  ON_GFX9,                     0x01000000},
    {R_DB_STENCILREFMASK_BF,        1,  ON_GFX9,                     0x01000000},
    {R_SPI_PS_IN_CONTROL,           1,  ON_ALL,                      0x00000002},
    {R_PA_CL_CLIP_CNTL,             1,  ON_ALL,                      0x00090000},
    {R_PA_SU_SC_MODE_CNTL,          1,  ON_ALL,                      0x00000004},
    {R_VGT_GS_PER_ES,               1,  ON_ALL,                      0x00000100},
    {R_VGT_ES_PER_GS,               1,  ON_ALL,                      0x00000080},
    {R_VGT_GS_PER_VS,               1,  ON_ALL,                      0x00000002},
    {R_IA_MULTI_VGT_PARAM,          1,  ON_GFX6 | ON_GFX7 | ON_GFX8, 0x000000ff},
    {R_PA_SC_LINE_CNTL,             1,  ON_ALL,                      0x00001000},
    {R_PA_SU_VTX_CNTL,              1,  ON_ALL,                      0x00000005},
    {R_PA_CL_GB_VERT_CLIP_ADJ,      1,  ON_ALL,                      0x3f800000},
    {R_PA_CL_GB_VERT_DISC_ADJ,      1,  ON_ALL,                      0x3f800000},
    {R_PA_CL_GB_HORZ_CLIP_ADJ,      1,  ON_ALL,                      0x3f800000},
    {R_PA_CL_GB_HORZ_DISC_ADJ,      1,  ON_ALL,                      0x3f800000},
    {R_PA_SC_AA_MASK_X0Y0_X1Y0,     1,  ON_ALL,                      0xffffffff},
    {R_PA_SC_AA_MASK_X0Y1_X1Y1,     1,  ON_ALL,                      0xffffffff},
    {R_PA_SC_BINNER_CNTL_0,         1,  ON_GFX9,                     0x00000003},
    {R_VGT_VERTEX_REUSE_BLOCK_CNTL, 1,  ON_GFX6 | ON_GFX7,           0x0000000e},
    {R_VGT_VERTEX_REUSE_BLOCK_CNTL, 1,  ON_GFX8 | ON_GFX9,           0x0000001e},
    {R_VGT_OUT_DEALLOC_CNTL,        1,  ON_GFX6 | ON_GFX7,           0x00000010},
    {R_VGT_OUT_DEALLOC_CNTL,        1,  ON_GFX8 | ON_GFX9,           0x00000020},
};

void regs_clear_state(struct reg_file *rf)
{
    for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
        if (ranges[i].gens & 1u << rf->gen)
            memset(&rf->dw[ranges[i].offset / 4], 0, 4 * (size_t)ranges[i].count_dw);
    for (size_t i = 0; i < ARRAY_LEN(defaults); i++)
        for (unsigned k = 0; k < defaults[i].count; k++)
            if (defaults[i].gens & 1u << rf->gen)
                regs_set_i(rf, defaults[i].first, k, defaults[i].value);
}
