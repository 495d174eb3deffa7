/* The snapshot: registers decoded once for a draw into plain values.
 *
 * Everything below raster_state_decode() works from struct raster_state; nothing else in raster/
 * reads a register. A field that asks for something that is not modelled is reported here, with the
 * draw, and the draw goes on without it.
 *
 * Where a field's meaning is not obvious from its name the comment says it. Units: half sizes of
 * points and lines are 1/16 pixel; sample positions are signed 1/16 pixel; PITCH and SLICE count
 * tiles of 8 pixels, 64 pixels, minus one; bases count 256 bytes.
 * Sources: the register database; Mesa's and PAL's use of the registers. */
#include "raster/raster.h"

#include <math.h>

#define F(reg, field)      regs_field(rf, F_##reg##__##field)
#define FI(i, reg, field)  regs_field_i(rf, F_##reg##__##field, i)
#define REGF(reg)          bits_f32(regs_get(rf, R_##reg))
#define REGFI(reg, i)      bits_f32(regs_get(rf, (enum reg_id)(R_##reg + (i))))

/* ---- what is not modelled --------------------------------------------------------------------- */

/* Fields that change the image when they are not `ok`, and that nothing here honours yet. */
static const struct {
    enum reg_field_id field;
    const char *name;
    uint32_t ok;
} not_modelled[] = {
#define ROW(reg, f, ok) { F_##reg##__##f, #reg "." #f, ok }
    ROW(PA_CL_CLIP_CNTL, ZCLIP_PROG_NEAR_ENA, 0),
    ROW(PA_CL_NANINF_CNTL, VTE_NO_OUTPUT_NEG_0, 0),
    ROW(SPI_PS_INPUT_ENA, LINE_STIPPLE_TEX_ENA, 0),
    ROW(PA_SU_PRIM_FILTER_CNTL, TRIANGLE_EXPAND_ENA, 0),
    ROW(PA_SU_PRIM_FILTER_CNTL, LINE_EXPAND_ENA, 0),
    ROW(PA_SU_PRIM_FILTER_CNTL, POINT_EXPAND_ENA, 0),
    ROW(PA_SU_PRIM_FILTER_CNTL, RECTANGLE_EXPAND_ENA, 0),
    ROW(PA_SC_CONSERVATIVE_RASTERIZATION_CNTL, OVER_RAST_ENABLE, 0),
    ROW(SPI_BARYC_CNTL, PERSP_CENTER_CNTL, 0),
    ROW(SPI_BARYC_CNTL, PERSP_CENTROID_CNTL, 0),
    ROW(SPI_BARYC_CNTL, LINEAR_CENTER_CNTL, 0),
    ROW(SPI_BARYC_CNTL, LINEAR_CENTROID_CNTL, 0),
    ROW(VGT_PRIMITIVEID_EN, DISABLE_RESET_ON_EOI, 0),
    ROW(DB_RENDER_OVERRIDE, FORCE_SHADER_Z_ORDER, 0),
    ROW(CB_COLOR_CONTROL, DEGAMMA_ENABLE, 0),
    ROW(PA_CL_VS_OUT_CNTL, USE_VTX_KILL_FLAG, 0),
    ROW(PA_SC_AA_CONFIG, DETAIL_TO_EXPOSED_MODE, 0),
    ROW(DB_SHADER_CONTROL, COVERAGE_TO_MASK_ENABLE, 0),
    ROW(DB_SHADER_CONTROL, EXEC_IF_OVERLAPPED, 0),
    ROW(DB_SHADER_CONTROL, PRIMITIVE_ORDERED_PIXEL_SHADER, 0),
    ROW(DB_EQAA, ALPHA_TO_MASK_EQAA_DISABLE, 0),
    ROW(DB_EQAA, ENABLE_POSTZ_OVERRASTERIZATION, 0),
    ROW(DB_COUNT_CONTROL, ZFAIL_ENABLE, 0),
    ROW(DB_COUNT_CONTROL, SFAIL_ENABLE, 0),
    ROW(DB_COUNT_CONTROL, DBFAIL_ENABLE, 0),
    ROW(SX_PS_DOWNCONVERT, MRT0, 0),
    ROW(SX_PS_DOWNCONVERT, MRT1, 0),
    ROW(SX_PS_DOWNCONVERT, MRT2, 0),
    ROW(SX_PS_DOWNCONVERT, MRT3, 0),
    ROW(SX_PS_DOWNCONVERT, MRT4, 0),
    ROW(SX_PS_DOWNCONVERT, MRT5, 0),
    ROW(SX_PS_DOWNCONVERT, MRT6, 0),
    ROW(SX_PS_DOWNCONVERT, MRT7, 0),
    ROW(PA_SC_AA_CONFIG, COVERAGE_TO_SHADER_SELECT, 0),
    ROW(PA_SC_CONSERVATIVE_RASTERIZATION_CNTL, UNDER_RAST_ENABLE, 0),
    ROW(PA_SU_OVER_RASTERIZATION_CNTL, USE_PROVOKING_ZW, 0),
    ROW(PA_SU_SC_MODE_CNTL, NEW_QUAD_DECOMPOSITION, 0),
    ROW(PA_SU_LINE_STIPPLE_CNTL, LINE_STIPPLE_RESET, 0),
    ROW(PA_SU_LINE_STIPPLE_CNTL, EXPAND_FULL_LENGTH, 0),
    ROW(PA_SU_LINE_STIPPLE_CNTL, FRACTIONAL_ACCUM, 0),
    ROW(PA_SU_LINE_STIPPLE_CNTL, DIAMOND_ADJUST, 0),
    ROW(PA_CL_VS_OUT_CNTL, USE_VTX_GS_CUT_FLAG, 0),
    ROW(PA_CL_VS_OUT_CNTL, USE_VTX_LINE_WIDTH, 0),
    ROW(PA_CL_VS_OUT_CNTL, USE_VTX_SHD_OBJPRIM_ID, 0),
    ROW(PA_STEREO_CNTL, EN_STEREO, 0),
    ROW(VGT_DRAW_INITIATOR, MAJOR_MODE, 0),
    ROW(VGT_DRAW_INITIATOR, UNROLLED_INST, 0),
    ROW(VGT_DRAW_INITIATOR, REG_RT_INDEX, 0),
    ROW(VGT_DRAW_PAYLOAD_CNTL, OBJPRIM_ID_EN, 0),
    ROW(VGT_DRAW_PAYLOAD_CNTL, EN_REG_RT_INDEX, 0),
    ROW(VGT_DRAW_PAYLOAD_CNTL, EN_PIPELINE_PRIMID, 0),
    ROW(VGT_DRAW_PAYLOAD_CNTL, OBJECT_ID_INST_EN, 0),
    ROW(VGT_OUTPUT_PATH_CNTL, PATH_SELECT, 0),
    ROW(VGT_GS_MODE, ES_PASSTHRU, 0),
    ROW(VGT_GS_MODE, COMPUTE_MODE, 0),
    ROW(VGT_GS_MODE, FAST_COMPUTE_MODE, 0),
    ROW(VGT_SHADER_STAGES_EN, DISPATCH_DRAW_EN, 0),
    ROW(VGT_SHADER_STAGES_EN, VS_WAVE_ID_EN, 0),
    ROW(VGT_SHADER_STAGES_EN, GS_FAST_LAUNCH, 0),
    ROW(SPI_PS_IN_CONTROL, OFFCHIP_PARAM_EN, 0),
    ROW(SPI_SHADER_PGM_RSRC2_PS, SKIP_USGPR0, 0),
    ROW(SPI_SHADER_PGM_RSRC2_VS, SKIP_USGPR0, 0),
    ROW(SPI_SHADER_PGM_RSRC2_GS, SKIP_USGPR0, 0),
    ROW(SPI_SHADER_PGM_RSRC2_HS, SKIP_USGPR0, 0),
#undef ROW
};

/* The same of registers that are one value. */
static const struct {
    enum reg_id reg;
    const char *name;
} registers_not_modelled[] = {
    {R_VGT_PRIMITIVEID_RESET, "VGT_PRIMITIVEID_RESET"},
    {R_VGT_INSTANCE_BASE_ID, "VGT_INSTANCE_BASE_ID"},
};

/* SPI_PS_INPUT_CNTL_n, of the parameters that the shader has; and what only matters with line stipple. */
static void check_more(const struct reg_file *rf, struct loud *loud, uint32_t draw)
{
    static const float scale_ok = 1;

    for (size_t i = 0; i < ARRAY_LEN(registers_not_modelled); i++) {
        const struct reg *r = regs_by_id(rf->gen, registers_not_modelled[i].reg);
        const uint32_t v = r ? regs_get(rf, registers_not_modelled[i].reg) : 0;

        if (v)
            loud_report(loud, LOUD_FIELD, (uint64_t)r->offset << 8, "%s = %u at draw %u",
                        registers_not_modelled[i].name, v, draw);
    }
    for (unsigned i = 0; i < MIN2(F(SPI_PS_IN_CONTROL, NUM_INTERP), 32); i++) {
        const uint32_t wrap = i < 20 ? FI(i, SPI_PS_INPUT_CNTL_0, CYL_WRAP) : 0;
        const uint32_t half = rf->gen >= GFX8 ? FI(i, SPI_PS_INPUT_CNTL_0, FP16_INTERP_MODE) : 0;

        if (wrap | half)
            loud_report(loud, LOUD_FIELD, (uint64_t)0x5350 << 32 | i, "SPI_PS_INPUT_CNTL_%u.%s at draw %u", i,
                        wrap ? "CYL_WRAP" : "FP16_INTERP_MODE", draw);
    }
    if (F(PA_SC_MODE_CNTL_0, LINE_STIPPLE_ENABLE) && REGF(PA_SU_LINE_STIPPLE_SCALE) != scale_ok)
        loud_report(loud, LOUD_FIELD, (uint64_t)0x5354 << 32, "PA_SU_LINE_STIPPLE_SCALE = %g at draw %u",
                    (double)REGF(PA_SU_LINE_STIPPLE_SCALE), draw);
}

static void check_fields(const struct reg_file *rf, struct loud *loud, uint32_t draw)
{
    for (size_t i = 0; i < ARRAY_LEN(not_modelled); i++) {
        enum reg_field_id f = not_modelled[i].field;
        uint32_t value = regs_field(rf, f);
        const struct reg *r = regs_by_id(rf->gen, regs_field_register(f));
        unsigned lo = 0, hi;

        if (value == not_modelled[i].ok || !r || !regs_field_bits(rf->gen, f, &lo, &hi))
            continue;
        loud_report(loud, LOUD_FIELD, (uint64_t)r->offset << 8 | lo, "%s = %u at draw %u",
                    not_modelled[i].name, value, draw);
    }
}

/* ---- IA --------------------------------------------------------------------------------------- */

static void decode_ia(struct raster_ia_state *ia, const struct reg_file *rf)
{
    ia->prim_type = F(VGT_PRIMITIVE_TYPE, PRIM_TYPE);
    ia->restart = F(VGT_MULTI_PRIM_IB_RESET_EN, RESET_EN);
    ia->restart_index = regs_get(rf, R_VGT_MULTI_PRIM_IB_RESET_INDX);
    ia->index_offset = regs_get(rf, R_VGT_INDX_OFFSET);
    ia->index_min = regs_get(rf, R_VGT_MIN_VTX_INDX);
    ia->index_max = regs_get(rf, R_VGT_MAX_VTX_INDX);
    ia->step_rate[0] = regs_get(rf, R_VGT_INSTANCE_STEP_RATE_0);
    ia->step_rate[1] = regs_get_i(rf, R_VGT_INSTANCE_STEP_RATE_0, 1);
    ia->reuse_depth = F(VGT_REUSE_OFF, REUSE_OFF)
                          ? 0
                          : F(VGT_VERTEX_REUSE_BLOCK_CNTL, VTX_REUSE_DEPTH);
    ia->prim_id = F(VGT_PRIMITIVEID_EN, PRIMITIVEID_EN);
    ia->provoking_last = F(PA_SU_SC_MODE_CNTL, PROVOKING_VTX_LAST);
}

/* ---- PA --------------------------------------------------------------------------------------- */

static struct raster_rect intersect(struct raster_rect a, struct raster_rect b)
{
    return (struct raster_rect){ MAX2(a.x0, b.x0), MAX2(a.y0, b.y0), MIN2(a.x1, b.x1),
                                 MIN2(a.y1, b.y1) };
}

static struct raster_rect moved(struct raster_rect r, int32_t dx, int32_t dy)
{
    return (struct raster_rect){ r.x0 + dx, r.y0 + dy, r.x1 + dx, r.y1 + dy };
}

/* The scissors that all viewports share, and each viewport's own. Offsets: PA_SC_WINDOW_OFFSET
 * moves a scissor unless its WINDOW_OFFSET_DISABLE is set; the screen scissor never moves. */
static void decode_viewports(struct raster_pa_state *pa, const struct reg_file *rf)
{
    const int32_t ox = pa->window_offset_x, oy = pa->window_offset_y;
    const bool vport_scissor = F(PA_SC_MODE_CNTL_0, VPORT_SCISSOR_ENABLE);
    const bool clamp = !F(DB_RENDER_OVERRIDE, DISABLE_VIEWPORT_CLAMP);
    struct raster_rect all, r;

    all.x0 = sext32(F(PA_SC_SCREEN_SCISSOR_TL, TL_X), 16);
    all.y0 = sext32(F(PA_SC_SCREEN_SCISSOR_TL, TL_Y), 16);
    all.x1 = sext32(F(PA_SC_SCREEN_SCISSOR_BR, BR_X), 16);
    all.y1 = sext32(F(PA_SC_SCREEN_SCISSOR_BR, BR_Y), 16);
    all = intersect(all, (struct raster_rect){ 0, 0, 16384, 16384 });
    r = (struct raster_rect){ F(PA_SC_WINDOW_SCISSOR_TL, TL_X), F(PA_SC_WINDOW_SCISSOR_TL, TL_Y),
                              F(PA_SC_WINDOW_SCISSOR_BR, BR_X), F(PA_SC_WINDOW_SCISSOR_BR, BR_Y) };
    all = intersect(all, F(PA_SC_WINDOW_SCISSOR_TL, WINDOW_OFFSET_DISABLE) ? r : moved(r, ox, oy));
    r = (struct raster_rect){ F(PA_SC_GENERIC_SCISSOR_TL, TL_X), F(PA_SC_GENERIC_SCISSOR_TL, TL_Y),
                              F(PA_SC_GENERIC_SCISSOR_BR, BR_X), F(PA_SC_GENERIC_SCISSOR_BR, BR_Y) };
    all = intersect(all, F(PA_SC_GENERIC_SCISSOR_TL, WINDOW_OFFSET_DISABLE) ? r : moved(r, ox, oy));

    for (unsigned i = 0; i < RASTER_VIEWPORTS; i++) {
        struct raster_viewport *vp = &pa->vp[i];

        vp->xscale = REGFI(PA_CL_VPORT_XSCALE, i);
        vp->xoffset = REGFI(PA_CL_VPORT_XOFFSET, i);
        vp->yscale = REGFI(PA_CL_VPORT_YSCALE, i);
        vp->yoffset = REGFI(PA_CL_VPORT_YOFFSET, i);
        vp->zscale = REGFI(PA_CL_VPORT_ZSCALE, i);
        vp->zoffset = REGFI(PA_CL_VPORT_ZOFFSET, i);
        vp->zmin = clamp ? REGFI(PA_SC_VPORT_ZMIN_0, i) : -INFINITY;
        vp->zmax = clamp ? REGFI(PA_SC_VPORT_ZMAX_0, i) : INFINITY;
        vp->scissor = all;
        if (!vport_scissor)
            continue;
        r = (struct raster_rect){ FI(i, PA_SC_VPORT_SCISSOR_0_TL, TL_X),
                                  FI(i, PA_SC_VPORT_SCISSOR_0_TL, TL_Y),
                                  FI(i, PA_SC_VPORT_SCISSOR_0_BR, BR_X),
                                  FI(i, PA_SC_VPORT_SCISSOR_0_BR, BR_Y) };
        if (!FI(i, PA_SC_VPORT_SCISSOR_0_TL, WINDOW_OFFSET_DISABLE))
            r = moved(r, ox, oy);
        vp->scissor = intersect(all, r);
    }
}

/* Bits of fraction of each PA_SU_VTX_CNTL.QUANT_MODE. */
static const uint8_t quant_bits[8] = {
    [V_QUANT_MODE__X_16_8_FIXED_POINT_1_16TH] = 4,
    [V_QUANT_MODE__X_16_8_FIXED_POINT_1_8TH] = 3,
    [V_QUANT_MODE__X_16_8_FIXED_POINT_1_4TH] = 2,
    [V_QUANT_MODE__X_16_8_FIXED_POINT_1_2] = 1,
    [V_QUANT_MODE__X_16_8_FIXED_POINT_1] = 0,
    [V_QUANT_MODE__X_16_8_FIXED_POINT_1_256TH] = 8,
    [V_QUANT_MODE__X_14_10_FIXED_POINT_1_1024TH] = 10,
    [V_QUANT_MODE__X_12_12_FIXED_POINT_1_4096TH] = 12,
};

static void decode_pa(struct raster_pa_state *pa, const struct reg_file *rf)
{
    pa->xscale_ena = F(PA_CL_VTE_CNTL, VPORT_X_SCALE_ENA);
    pa->xoffset_ena = F(PA_CL_VTE_CNTL, VPORT_X_OFFSET_ENA);
    pa->yscale_ena = F(PA_CL_VTE_CNTL, VPORT_Y_SCALE_ENA);
    pa->yoffset_ena = F(PA_CL_VTE_CNTL, VPORT_Y_OFFSET_ENA);
    pa->zscale_ena = F(PA_CL_VTE_CNTL, VPORT_Z_SCALE_ENA);
    pa->zoffset_ena = F(PA_CL_VTE_CNTL, VPORT_Z_OFFSET_ENA);
    pa->xy_is_divided = F(PA_CL_VTE_CNTL, VTX_XY_FMT);
    pa->z_is_divided = F(PA_CL_VTE_CNTL, VTX_Z_FMT);
    pa->w_is_w = F(PA_CL_VTE_CNTL, VTX_W0_FMT);

    pa->clip_disable = F(PA_CL_CLIP_CNTL, CLIP_DISABLE);
    pa->dx_clip_space = F(PA_CL_CLIP_CNTL, DX_CLIP_SPACE_DEF);
    pa->znear_clip = !F(PA_CL_CLIP_CNTL, ZCLIP_NEAR_DISABLE);
    pa->zfar_clip = !F(PA_CL_CLIP_CNTL, ZCLIP_FAR_DISABLE);
    pa->rasterization_kill = F(PA_CL_CLIP_CNTL, DX_RASTERIZATION_KILL);
    pa->vtx_kill_or = F(PA_CL_CLIP_CNTL, VTX_KILL_OR);
    pa->linear_attr_clip = F(PA_CL_CLIP_CNTL, DX_LINEAR_ATTR_CLIP_ENA);
    pa->ucp_cull_only = F(PA_CL_CLIP_CNTL, UCP_CULL_ONLY_ENA);
    pa->ucp_ena = F(PA_CL_CLIP_CNTL, UCP_ENA_0) | F(PA_CL_CLIP_CNTL, UCP_ENA_1) << 1 |
                  F(PA_CL_CLIP_CNTL, UCP_ENA_2) << 2 | F(PA_CL_CLIP_CNTL, UCP_ENA_3) << 3 |
                  F(PA_CL_CLIP_CNTL, UCP_ENA_4) << 4 | F(PA_CL_CLIP_CNTL, UCP_ENA_5) << 5;
    for (unsigned i = 0; i < RASTER_UCPS; i++) {
        pa->ucp[i][0] = REGFI(PA_CL_UCP_0_X, i);
        pa->ucp[i][1] = REGFI(PA_CL_UCP_0_Y, i);
        pa->ucp[i][2] = REGFI(PA_CL_UCP_0_Z, i);
        pa->ucp[i][3] = REGFI(PA_CL_UCP_0_W, i);
    }
    pa->gb_horz_clip = REGF(PA_CL_GB_HORZ_CLIP_ADJ);
    pa->gb_vert_clip = REGF(PA_CL_GB_VERT_CLIP_ADJ);
    pa->gb_horz_disc = REGF(PA_CL_GB_HORZ_DISC_ADJ);
    pa->gb_vert_disc = REGF(PA_CL_GB_VERT_DISC_ADJ);

    /* The two masks are the low and the next byte, one bit for each distance. */
    pa->clip_dist_ena = regs_get(rf, R_PA_CL_VS_OUT_CNTL) & 0xff;
    pa->cull_dist_ena = regs_get(rf, R_PA_CL_VS_OUT_CNTL) >> 8 & 0xff;
    pa->use_point_size = F(PA_CL_VS_OUT_CNTL, USE_VTX_POINT_SIZE);
    pa->use_edge_flag = F(PA_CL_VS_OUT_CNTL, USE_VTX_EDGE_FLAG);
    pa->use_rt_index = F(PA_CL_VS_OUT_CNTL, USE_VTX_RENDER_TARGET_INDX);
    pa->use_viewport_index = F(PA_CL_VS_OUT_CNTL, USE_VTX_VIEWPORT_INDX);
    pa->use_kill_flag = F(PA_CL_VS_OUT_CNTL, USE_VTX_KILL_FLAG);
    pa->misc_vec = F(PA_CL_VS_OUT_CNTL, VS_OUT_MISC_VEC_ENA);
    pa->ccdist0_vec = F(PA_CL_VS_OUT_CNTL, VS_OUT_CCDIST0_VEC_ENA);
    pa->ccdist1_vec = F(PA_CL_VS_OUT_CNTL, VS_OUT_CCDIST1_VEC_ENA);

    pa->cull_front = F(PA_SU_SC_MODE_CNTL, CULL_FRONT);
    pa->cull_back = F(PA_SU_SC_MODE_CNTL, CULL_BACK);
    pa->front_is_cw = F(PA_SU_SC_MODE_CNTL, FACE);
    pa->poly_mode = F(PA_SU_SC_MODE_CNTL, POLY_MODE);
    pa->ptype_front = F(PA_SU_SC_MODE_CNTL, POLYMODE_FRONT_PTYPE);
    pa->ptype_back = F(PA_SU_SC_MODE_CNTL, POLYMODE_BACK_PTYPE);
    pa->persp_corr_dis = F(PA_SU_SC_MODE_CNTL, PERSP_CORR_DIS);
    pa->vtx_window_offset = F(PA_SU_SC_MODE_CNTL, VTX_WINDOW_OFFSET_ENABLE);
    pa->provoking_last = F(PA_SU_SC_MODE_CNTL, PROVOKING_VTX_LAST);
    pa->offset_front_ena = F(PA_SU_SC_MODE_CNTL, POLY_OFFSET_FRONT_ENABLE);
    pa->offset_back_ena = F(PA_SU_SC_MODE_CNTL, POLY_OFFSET_BACK_ENABLE);
    pa->offset_para_ena = F(PA_SU_SC_MODE_CNTL, POLY_OFFSET_PARA_ENABLE);
    pa->offset_scale[0] = REGF(PA_SU_POLY_OFFSET_FRONT_SCALE);
    pa->offset_offset[0] = REGF(PA_SU_POLY_OFFSET_FRONT_OFFSET);
    pa->offset_scale[1] = REGF(PA_SU_POLY_OFFSET_BACK_SCALE);
    pa->offset_offset[1] = REGF(PA_SU_POLY_OFFSET_BACK_OFFSET);
    pa->offset_clamp = REGF(PA_SU_POLY_OFFSET_CLAMP);
    pa->offset_db_bits = sext32(F(PA_SU_POLY_OFFSET_DB_FMT_CNTL, POLY_OFFSET_NEG_NUM_DB_BITS), 8);
    pa->offset_db_float = F(PA_SU_POLY_OFFSET_DB_FMT_CNTL, POLY_OFFSET_DB_IS_FLOAT_FMT);

    pa->boundary_edges = F(PA_CL_CLIP_CNTL, BOUNDARY_EDGE_FLAG_ENA);
    pa->naninf[0].nan_to_inf = F(PA_CL_NANINF_CNTL, VS_XY_NAN_TO_INF);
    pa->naninf[0].inf_retain = F(PA_CL_NANINF_CNTL, VS_XY_INF_RETAIN);
    pa->naninf[0].inf_discard = F(PA_CL_NANINF_CNTL, VTE_XY_INF_DISCARD);
    pa->naninf[1].nan_to_inf = F(PA_CL_NANINF_CNTL, VS_Z_NAN_TO_INF);
    pa->naninf[1].inf_retain = F(PA_CL_NANINF_CNTL, VS_Z_INF_RETAIN);
    pa->naninf[1].inf_discard = F(PA_CL_NANINF_CNTL, VTE_Z_INF_DISCARD);
    pa->naninf[2].nan_to_inf = F(PA_CL_NANINF_CNTL, VS_W_NAN_TO_INF);
    pa->naninf[2].inf_retain = F(PA_CL_NANINF_CNTL, VS_W_INF_RETAIN);
    pa->naninf[2].inf_discard = F(PA_CL_NANINF_CNTL, VTE_W_INF_DISCARD);
    pa->dist_inf_discard = F(PA_CL_NANINF_CNTL, VS_CLIP_DIST_INF_DISCARD);
    pa->zero_x_naninf_is_0 = F(PA_CL_NANINF_CNTL, VTE_0XNANINF_IS_0);
    pa->stipple = F(PA_SC_MODE_CNTL_0, LINE_STIPPLE_ENABLE);
    pa->stipple_pattern = (uint16_t)F(PA_SC_LINE_STIPPLE, LINE_PATTERN);
    pa->stipple_repeat = F(PA_SC_LINE_STIPPLE, REPEAT_COUNT) + 1;
    pa->stipple_msb_first = F(PA_SC_LINE_STIPPLE, PATTERN_BIT_ORDER);
    pa->stipple_reset = MIN2(F(PA_SC_LINE_STIPPLE, AUTO_RESET_CNTL), RASTER_STIPPLE_RESET_STRIP);

    pa->pix_center_half = F(PA_SU_VTX_CNTL, PIX_CENTER);
    pa->round_mode = F(PA_SU_VTX_CNTL, ROUND_MODE);
    pa->quant_bits = quant_bits[F(PA_SU_VTX_CNTL, QUANT_MODE)];
    pa->window_offset_x = sext32(F(PA_SC_WINDOW_OFFSET, WINDOW_X_OFFSET), 16);
    pa->window_offset_y = sext32(F(PA_SC_WINDOW_OFFSET, WINDOW_Y_OFFSET), 16);
    pa->hw_offset_x_px = (int32_t)F(PA_SU_HARDWARE_SCREEN_OFFSET, HW_SCREEN_OFFSET_X) * 16;
    pa->hw_offset_y_px = (int32_t)F(PA_SU_HARDWARE_SCREEN_OFFSET, HW_SCREEN_OFFSET_Y) * 16;
    pa->point_width = F(PA_SU_POINT_SIZE, WIDTH);
    pa->point_height = F(PA_SU_POINT_SIZE, HEIGHT);
    pa->point_min = F(PA_SU_POINT_MINMAX, MIN_SIZE) / 8.0f;
    pa->point_max = F(PA_SU_POINT_MINMAX, MAX_SIZE) / 8.0f;
    pa->line_width = F(PA_SU_LINE_CNTL, WIDTH);
    decode_viewports(pa, rf);
}

/* ---- SC --------------------------------------------------------------------------------------- */

static void decode_sc(struct raster_sc_state *sc, const struct reg_file *rf)
{
    static const enum reg_id locs[4] = {
        R_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, R_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0,
        R_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0, R_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0,
    };

    sc->msaa = F(PA_SC_MODE_CNTL_0, MSAA_ENABLE);
    sc->samples_log2 = MIN2(F(PA_SC_AA_CONFIG, MSAA_NUM_SAMPLES), 4);
    sc->exposed_log2 = MIN2(F(PA_SC_AA_CONFIG, MSAA_EXPOSED_SAMPLES), sc->samples_log2);
    for (unsigned p = 0; p < 4; p++)
        for (unsigned s = 0; s < RASTER_SAMPLES_MAX; s++) {
            /* Four samples a register, a nibble each of x and y. */
            uint32_t v = regs_get_i(rf, locs[p], s / 4) >> (s % 4 * 8);

            sc->pos[p][s].x = sext32(v & 15, 4);
            sc->pos[p][s].y = sext32(v >> 4 & 15, 4);
        }
    sc->aa_mask[0] = F(PA_SC_AA_MASK_X0Y0_X1Y0, AA_MASK_X0Y0);
    sc->aa_mask[1] = F(PA_SC_AA_MASK_X0Y0_X1Y0, AA_MASK_X1Y0);
    sc->aa_mask[2] = F(PA_SC_AA_MASK_X0Y1_X1Y1, AA_MASK_X0Y1);
    sc->aa_mask[3] = F(PA_SC_AA_MASK_X0Y1_X1Y1, AA_MASK_X1Y1);
    for (unsigned i = 0; i < RASTER_SAMPLES_MAX; i++)
        sc->centroid_priority[i] =
            regs_get_i(rf, R_PA_SC_CENTROID_PRIORITY_0, i / 8) >> (i % 8 * 4) & 15;
    sc->centroid_masked = F(PA_SC_AA_CONFIG, AA_MASK_CENTROID_DTMN);
    sc->er_tri = F(PA_SC_EDGERULE, ER_TRI);
    sc->er_point = F(PA_SC_EDGERULE, ER_POINT);
    sc->er_rect = F(PA_SC_EDGERULE, ER_RECT);
    sc->er_line_lr = F(PA_SC_EDGERULE, ER_LINE_LR);
    sc->er_line_rl = F(PA_SC_EDGERULE, ER_LINE_RL);
    sc->er_line_tb = F(PA_SC_EDGERULE, ER_LINE_TB);
    sc->er_line_bt = F(PA_SC_EDGERULE, ER_LINE_BT);
    sc->line_last_pixel = F(PA_SC_LINE_CNTL, LAST_PIXEL);
    sc->line_expand_width = F(PA_SC_LINE_CNTL, EXPAND_LINE_WIDTH);
    sc->line_perp_endcap = F(PA_SC_LINE_CNTL, PERPENDICULAR_ENDCAP_ENA);
    sc->line_diamond = F(PA_SC_LINE_CNTL, DX10_DIAMOND_TEST_ENA);
    sc->cliprect_rule = F(PA_SC_CLIPRECT_RULE, CLIP_RULE);
    sc->cliprects_used = sc->cliprect_rule != 0xffff;
    for (unsigned i = 0; i < RASTER_CLIPRECTS; i++)
        sc->cliprect[i] = (struct raster_rect){
            FI(i, PA_SC_CLIPRECT_0_TL, TL_X), FI(i, PA_SC_CLIPRECT_0_TL, TL_Y),
            FI(i, PA_SC_CLIPRECT_0_BR, BR_X), FI(i, PA_SC_CLIPRECT_0_BR, BR_Y)
        };
    if (F(PA_SC_MODE_CNTL_1, PS_ITER_SAMPLE))
        sc->ps_iter_log2 = MIN2(F(DB_EQAA, PS_ITER_SAMPLES), sc->samples_log2);
    sc->overrasterize_log2 = F(DB_EQAA, OVERRASTERIZATION_AMOUNT);
    sc->overrasterize = sc->overrasterize_log2 != 0;
}

/* ---- SPI -------------------------------------------------------------------------------------- */

static uint32_t ps_inputs(const struct reg_file *rf, uint32_t value)
{
    static const enum reg_field_id fields[RASTER_IN_COUNT] = {
        F_SPI_PS_INPUT_ENA__PERSP_SAMPLE_ENA,     F_SPI_PS_INPUT_ENA__PERSP_CENTER_ENA,
        F_SPI_PS_INPUT_ENA__PERSP_CENTROID_ENA,   F_SPI_PS_INPUT_ENA__PERSP_PULL_MODEL_ENA,
        F_SPI_PS_INPUT_ENA__LINEAR_SAMPLE_ENA,    F_SPI_PS_INPUT_ENA__LINEAR_CENTER_ENA,
        F_SPI_PS_INPUT_ENA__LINEAR_CENTROID_ENA,  F_SPI_PS_INPUT_ENA__LINE_STIPPLE_TEX_ENA,
        F_SPI_PS_INPUT_ENA__POS_X_FLOAT_ENA,      F_SPI_PS_INPUT_ENA__POS_Y_FLOAT_ENA,
        F_SPI_PS_INPUT_ENA__POS_Z_FLOAT_ENA,      F_SPI_PS_INPUT_ENA__POS_W_FLOAT_ENA,
        F_SPI_PS_INPUT_ENA__FRONT_FACE_ENA,       F_SPI_PS_INPUT_ENA__ANCILLARY_ENA,
        F_SPI_PS_INPUT_ENA__SAMPLE_COVERAGE_ENA,  F_SPI_PS_INPUT_ENA__POS_FIXED_PT_ENA,
    };
    uint32_t m = 0;

    for (unsigned i = 0; i < RASTER_IN_COUNT; i++)
        m |= regs_extract(rf->gen, fields[i], value) << i;
    return m;
}

/* OFFSET's top bit: the attribute is a constant; with FLAT_SHADE the three vertices' values are
 * passed through as they are (no P10, P20). */
#define PS_INPUT_OFFSET_DEFAULT 0x20u

static void decode_spi(struct raster_spi_state *spi, const struct reg_file *rf)
{
    const uint32_t pos = regs_get(rf, R_SPI_SHADER_POS_FORMAT);
    const uint32_t col = regs_get(rf, R_SPI_SHADER_COL_FORMAT);

    spi->ps_ena = ps_inputs(rf, regs_get(rf, R_SPI_PS_INPUT_ENA));
    spi->ps_addr = ps_inputs(rf, regs_get(rf, R_SPI_PS_INPUT_ADDR));
    spi->num_interp = MIN2(F(SPI_PS_IN_CONTROL, NUM_INTERP), RASTER_PARAMS_MAX);
    spi->param_gen = F(SPI_PS_IN_CONTROL, PARAM_GEN) && spi->num_interp < RASTER_PARAMS_MAX;
    spi->num_interp += spi->param_gen;
    for (unsigned i = 0; i < RASTER_PARAMS_MAX; i++) {
        uint32_t v = regs_get_i(rf, R_SPI_PS_INPUT_CNTL_0, i);
        uint32_t offset = regs_extract(rf->gen, F_SPI_PS_INPUT_CNTL_0__OFFSET, v);
        struct raster_ps_input *in = &spi->in[i];

        in->offset = offset & (PS_INPUT_OFFSET_DEFAULT - 1);
        in->flat = regs_extract(rf->gen, F_SPI_PS_INPUT_CNTL_0__FLAT_SHADE, v);
        in->default_val = regs_extract(rf->gen, F_SPI_PS_INPUT_CNTL_0__DEFAULT_VAL, v);
        in->sprite = regs_extract(rf->gen, F_SPI_PS_INPUT_CNTL_0__PT_SPRITE_TEX, v);
        in->use_default = offset & PS_INPUT_OFFSET_DEFAULT && !in->flat;
        in->passthrough = offset & PS_INPUT_OFFSET_DEFAULT && in->flat;
    }
    spi->pos_location = F(SPI_BARYC_CNTL, POS_FLOAT_LOCATION);
    spi->pos_ulc = F(SPI_BARYC_CNTL, POS_FLOAT_ULC);
    spi->front_face_all_bits = F(SPI_BARYC_CNTL, FRONT_FACE_ALL_BITS);
    spi->vs_export_count = F(SPI_VS_OUT_CONFIG, VS_EXPORT_COUNT) + 1;
    for (unsigned i = 0; i < ARRAY_LEN(spi->pos_format); i++)
        spi->pos_format[i] = pos >> (4 * i) & 15;
    spi->z_format = F(SPI_SHADER_Z_FORMAT, Z_EXPORT_FORMAT);
    for (unsigned i = 0; i < RASTER_MRTS; i++)
        spi->col_format[i] = col >> (4 * i) & 15;
    spi->flat_ena = F(SPI_INTERP_CONTROL_0, FLAT_SHADE_ENA);
    spi->sprite_ena = F(SPI_INTERP_CONTROL_0, PNT_SPRITE_ENA);
    spi->sprite_sel[0] = F(SPI_INTERP_CONTROL_0, PNT_SPRITE_OVRD_X);
    spi->sprite_sel[1] = F(SPI_INTERP_CONTROL_0, PNT_SPRITE_OVRD_Y);
    spi->sprite_sel[2] = F(SPI_INTERP_CONTROL_0, PNT_SPRITE_OVRD_Z);
    spi->sprite_sel[3] = F(SPI_INTERP_CONTROL_0, PNT_SPRITE_OVRD_W);
    spi->sprite_top_1 = F(SPI_INTERP_CONTROL_0, PNT_SPRITE_TOP_1);
}

/* A base in units of 256 bytes; GFX9 has 8 bits more in a register of their own. */
static uint64_t va40(const struct reg_file *rf, enum reg_id lo, enum reg_id hi)
{
    return ((uint64_t)(regs_get(rf, hi) & 0xff) << 32 | regs_get(rf, lo)) << 8;
}

/* ---- DB --------------------------------------------------------------------------------------- */

static void decode_stencil(struct raster_db_state *db, const struct reg_file *rf)
{
    struct raster_stencil *f = &db->stencil[0], *b = &db->stencil[1];

    f->func = F(DB_DEPTH_CONTROL, STENCILFUNC);
    f->fail = F(DB_STENCIL_CONTROL, STENCILFAIL);
    f->zpass = F(DB_STENCIL_CONTROL, STENCILZPASS);
    f->zfail = F(DB_STENCIL_CONTROL, STENCILZFAIL);
    f->test_val = F(DB_STENCILREFMASK, STENCILTESTVAL);
    f->mask = F(DB_STENCILREFMASK, STENCILMASK);
    f->write_mask = F(DB_STENCILREFMASK, STENCILWRITEMASK);
    f->op_val = F(DB_STENCILREFMASK, STENCILOPVAL);
    *b = *f;
    if (!db->backface_enable)
        return;
    b->func = F(DB_DEPTH_CONTROL, STENCILFUNC_BF);
    b->fail = F(DB_STENCIL_CONTROL, STENCILFAIL_BF);
    b->zpass = F(DB_STENCIL_CONTROL, STENCILZPASS_BF);
    b->zfail = F(DB_STENCIL_CONTROL, STENCILZFAIL_BF);
    b->test_val = F(DB_STENCILREFMASK_BF, STENCILTESTVAL_BF);
    b->mask = F(DB_STENCILREFMASK_BF, STENCILMASK_BF);
    b->write_mask = F(DB_STENCILREFMASK_BF, STENCILWRITEMASK_BF);
    b->op_val = F(DB_STENCILREFMASK_BF, STENCILOPVAL_BF);
}

static void decode_depth_surfaces(struct raster_db_state *db, const struct reg_file *rf)
{
    struct raster_surface s = { .va = 0 };

    db->z_format = F(DB_Z_INFO, FORMAT);
    db->s_format = F(DB_STENCIL_INFO, FORMAT);
    db->z_read_only = F(DB_DEPTH_VIEW, Z_READ_ONLY);
    db->s_read_only = F(DB_DEPTH_VIEW, STENCIL_READ_ONLY);
    db->depth_info = regs_get(rf, R_DB_DEPTH_INFO);
    s.pitch_px = (F(DB_DEPTH_SIZE, PITCH_TILE_MAX) + 1) * 8;
    s.height_px = (F(DB_DEPTH_SIZE, HEIGHT_TILE_MAX) + 1) * 8;
    s.slice_px = (F(DB_DEPTH_SLICE, SLICE_TILE_MAX) + 1) * 64;
    s.first_slice = F(DB_DEPTH_VIEW, SLICE_START);
    s.last_slice = F(DB_DEPTH_VIEW, SLICE_MAX);
    s.samples_log2 = F(DB_Z_INFO, NUM_SAMPLES);

    if (rf->gen == GFX9) {
        s.sw.levels = F(DB_Z_INFO, MAXMIP) + 1;
        s.sw.level = F(DB_DEPTH_VIEW, MIPID);
        s.sw.width_px = F(DB_DEPTH_SIZE, X_MAX) + 1;
        s.sw.height_px = F(DB_DEPTH_SIZE, Y_MAX) + 1;
        s.sw.depth = s.last_slice + 1;
    }
    db->z_read = db->z_write_to = db->s_read = db->s_write_to = s;
    db->z_read.va = va40(rf, R_DB_Z_READ_BASE, R_DB_Z_READ_BASE_HI);
    db->z_write_to.va = va40(rf, R_DB_Z_WRITE_BASE, R_DB_Z_WRITE_BASE_HI);
    db->z_read.sw.mode = db->z_write_to.sw.mode = F(DB_Z_INFO, SW_MODE);
    db->z_read.sw.pitch_px = db->z_write_to.sw.pitch_px = F(DB_Z_INFO2, EPITCH) + 1;
    db->s_read.sw.mode = db->s_write_to.sw.mode = F(DB_STENCIL_INFO, SW_MODE);
    db->s_read.sw.pitch_px = db->s_write_to.sw.pitch_px = F(DB_STENCIL_INFO2, EPITCH) + 1;
    db->z_read.tile_mode_index = db->z_write_to.tile_mode_index = F(DB_Z_INFO, TILE_MODE_INDEX);
    db->z_read.tile_split = db->z_write_to.tile_split = F(DB_Z_INFO, TILE_SPLIT);
    db->s_read.va = va40(rf, R_DB_STENCIL_READ_BASE, R_DB_STENCIL_READ_BASE_HI);
    db->s_write_to.va = va40(rf, R_DB_STENCIL_WRITE_BASE, R_DB_STENCIL_WRITE_BASE_HI);
    db->s_read.tile_mode_index = db->s_write_to.tile_mode_index =
        F(DB_STENCIL_INFO, TILE_MODE_INDEX);
    db->s_read.tile_split = db->s_write_to.tile_split = F(DB_STENCIL_INFO, TILE_SPLIT);

    db->htile = F(DB_Z_INFO, TILE_SURFACE_ENABLE);
    db->htile_expclear = F(DB_Z_INFO, ALLOW_EXPCLEAR);
    db->htile_stencil_disable = F(DB_STENCIL_INFO, TILE_STENCIL_DISABLE);
    db->htile_va = va40(rf, R_DB_HTILE_DATA_BASE, R_DB_HTILE_DATA_BASE_HI);
    db->htile_linear = F(DB_HTILE_SURFACE, LINEAR);
    db->htile_tc_compatible = F(DB_HTILE_SURFACE, TC_COMPATIBLE);
    db->htile_pipe_aligned = F(DB_HTILE_SURFACE, PIPE_ALIGNED);
    db->htile_rb_aligned = F(DB_HTILE_SURFACE, RB_ALIGNED);
    db->htile_full_cache = F(DB_HTILE_SURFACE, FULL_CACHE);
    db->clear_depth = REGF(DB_DEPTH_CLEAR);
    db->clear_stencil = F(DB_STENCIL_CLEAR, CLEAR);
}

static void decode_db(struct raster_db_state *db, const struct reg_file *rf)
{
    db->z_enable = F(DB_DEPTH_CONTROL, Z_ENABLE);
    db->z_write = F(DB_DEPTH_CONTROL, Z_WRITE_ENABLE);
    db->depth_bounds = F(DB_DEPTH_CONTROL, DEPTH_BOUNDS_ENABLE);
    db->stencil_enable = F(DB_DEPTH_CONTROL, STENCIL_ENABLE);
    db->backface_enable = F(DB_DEPTH_CONTROL, BACKFACE_ENABLE);
    db->zfunc = F(DB_DEPTH_CONTROL, ZFUNC);
    db->color_on_fail = F(DB_DEPTH_CONTROL, ENABLE_COLOR_WRITES_ON_DEPTH_FAIL);
    db->no_color_on_pass = F(DB_DEPTH_CONTROL, DISABLE_COLOR_WRITES_ON_DEPTH_PASS);
    db->bounds_min = REGF(DB_DEPTH_BOUNDS_MIN);
    db->bounds_max = REGF(DB_DEPTH_BOUNDS_MAX);

    db->z_export = F(DB_SHADER_CONTROL, Z_EXPORT_ENABLE);
    db->stencil_test_export = F(DB_SHADER_CONTROL, STENCIL_TEST_VAL_EXPORT_ENABLE);
    db->stencil_op_export = F(DB_SHADER_CONTROL, STENCIL_OP_VAL_EXPORT_ENABLE);
    db->z_order = F(DB_SHADER_CONTROL, Z_ORDER);
    db->kill = F(DB_SHADER_CONTROL, KILL_ENABLE);
    db->coverage_to_mask = F(DB_SHADER_CONTROL, COVERAGE_TO_MASK_ENABLE);
    db->mask_export = F(DB_SHADER_CONTROL, MASK_EXPORT_ENABLE);
    db->exec_on_hier_fail = F(DB_SHADER_CONTROL, EXEC_ON_HIER_FAIL);
    db->exec_on_noop = F(DB_SHADER_CONTROL, EXEC_ON_NOOP);
    db->alpha_to_mask_disable = F(DB_SHADER_CONTROL, ALPHA_TO_MASK_DISABLE);
    db->depth_before_shader = F(DB_SHADER_CONTROL, DEPTH_BEFORE_SHADER);

    db->depth_clear = F(DB_RENDER_CONTROL, DEPTH_CLEAR_ENABLE);
    db->stencil_clear = F(DB_RENDER_CONTROL, STENCIL_CLEAR_ENABLE);
    db->depth_copy = F(DB_RENDER_CONTROL, DEPTH_COPY);
    db->stencil_copy = F(DB_RENDER_CONTROL, STENCIL_COPY);
    db->resummarize = F(DB_RENDER_CONTROL, RESUMMARIZE_ENABLE);
    db->stencil_compress_disable = F(DB_RENDER_CONTROL, STENCIL_COMPRESS_DISABLE);
    db->depth_compress_disable = F(DB_RENDER_CONTROL, DEPTH_COMPRESS_DISABLE);
    db->copy_centroid = F(DB_RENDER_CONTROL, COPY_CENTROID);
    db->copy_sample = F(DB_RENDER_CONTROL, COPY_SAMPLE);
    db->decompress = F(DB_RENDER_CONTROL, DECOMPRESS_ENABLE);
    db->color_kill = F(DB_RENDER_OVERRIDE, FORCE_COLOR_KILL);
    db->no_viewport_clamp = F(DB_RENDER_OVERRIDE, DISABLE_VIEWPORT_CLAMP);

    db->alpha_to_mask = F(DB_ALPHA_TO_MASK, ALPHA_TO_MASK_ENABLE) && !db->alpha_to_mask_disable;
    db->alpha_to_mask_round = F(DB_ALPHA_TO_MASK, OFFSET_ROUND);
    db->alpha_to_mask_offset[0] = F(DB_ALPHA_TO_MASK, ALPHA_TO_MASK_OFFSET0);
    db->alpha_to_mask_offset[1] = F(DB_ALPHA_TO_MASK, ALPHA_TO_MASK_OFFSET1);
    db->alpha_to_mask_offset[2] = F(DB_ALPHA_TO_MASK, ALPHA_TO_MASK_OFFSET2);
    db->alpha_to_mask_offset[3] = F(DB_ALPHA_TO_MASK, ALPHA_TO_MASK_OFFSET3);
    db->alpha_to_mask_log2 = F(DB_EQAA, ALPHA_TO_MASK_NUM_SAMPLES);
    db->mask_export_log2 = F(DB_EQAA, MASK_EXPORT_NUM_SAMPLES);
    db->anchor_log2 = F(DB_EQAA, MAX_ANCHOR_SAMPLES);
    db->zpass_count = rf->gen == GFX6 ? !F(DB_COUNT_CONTROL, ZPASS_INCREMENT_DISABLE)
                                      : F(DB_COUNT_CONTROL, ZPASS_ENABLE) != 0;
    db->zpass_perfect = F(DB_COUNT_CONTROL, PERFECT_ZPASS_COUNTS);
    decode_stencil(db, rf);
    decode_depth_surfaces(db, rf);
}

/* ---- CB --------------------------------------------------------------------------------------- */

static void decode_blend(struct raster_blend *b, const struct reg_file *rf, unsigned i)
{
    b->enable = FI(i, CB_BLEND0_CONTROL, ENABLE);
    b->separate_alpha = FI(i, CB_BLEND0_CONTROL, SEPARATE_ALPHA_BLEND);
    b->disable_rop3 = FI(i, CB_BLEND0_CONTROL, DISABLE_ROP3);
    b->src[0] = b->src[1] = FI(i, CB_BLEND0_CONTROL, COLOR_SRCBLEND);
    b->dst[0] = b->dst[1] = FI(i, CB_BLEND0_CONTROL, COLOR_DESTBLEND);
    b->fcn[0] = b->fcn[1] = FI(i, CB_BLEND0_CONTROL, COLOR_COMB_FCN);
    if (b->separate_alpha) {
        b->src[1] = FI(i, CB_BLEND0_CONTROL, ALPHA_SRCBLEND);
        b->dst[1] = FI(i, CB_BLEND0_CONTROL, ALPHA_DESTBLEND);
        b->fcn[1] = FI(i, CB_BLEND0_CONTROL, ALPHA_COMB_FCN);
    }
}

#define CB_RESOURCE_3D 2 /* RESOURCE_TYPE: 0 1D, 1 2D, 2 3D */

static void decode_mrt(struct raster_mrt *m, const struct reg_file *rf, unsigned i)
{
    struct raster_surface *c = &m->color;

    m->format = FI(i, CB_COLOR0_INFO, FORMAT);
    m->bound = m->format != V_ColorFormat__COLOR_INVALID;
    m->target_mask = regs_get(rf, R_CB_TARGET_MASK) >> (4 * i) & 15;
    m->shader_mask = regs_get(rf, R_CB_SHADER_MASK) >> (4 * i) & 15;
    m->number_type = FI(i, CB_COLOR0_INFO, NUMBER_TYPE);
    m->comp_swap = FI(i, CB_COLOR0_INFO, COMP_SWAP);
    m->endian = FI(i, CB_COLOR0_INFO, ENDIAN);
    m->fast_clear = FI(i, CB_COLOR0_INFO, FAST_CLEAR);
    m->compression = FI(i, CB_COLOR0_INFO, COMPRESSION);
    m->cmask_linear = FI(i, CB_COLOR0_INFO, CMASK_IS_LINEAR);
    m->blend_clamp = FI(i, CB_COLOR0_INFO, BLEND_CLAMP);
    m->blend_bypass = FI(i, CB_COLOR0_INFO, BLEND_BYPASS);
    m->simple_float = FI(i, CB_COLOR0_INFO, SIMPLE_FLOAT);
    m->truncate = FI(i, CB_COLOR0_INFO, ROUND_MODE);
    m->linear_general = FI(i, CB_COLOR0_INFO, LINEAR_GENERAL);
    m->fmask_compression_disable = FI(i, CB_COLOR0_INFO, FMASK_COMPRESSION_DISABLE);
    m->force_dst_alpha_1 = FI(i, CB_COLOR0_ATTRIB, FORCE_DST_ALPHA_1);
    m->coverage_log2 = MIN2(FI(i, CB_COLOR0_ATTRIB, NUM_SAMPLES), 4);

    c->va = va40(rf, R_CB_COLOR0_BASE + i, R_CB_COLOR0_BASE_EXT + i);
    c->pitch_px = (FI(i, CB_COLOR0_PITCH, TILE_MAX) + 1) * 8;
    c->slice_px = (FI(i, CB_COLOR0_SLICE, TILE_MAX) + 1) * 64;
    c->height_px = 0;
    c->first_slice = FI(i, CB_COLOR0_VIEW, SLICE_START);
    c->last_slice = FI(i, CB_COLOR0_VIEW, SLICE_MAX);
    c->tile_mode_index = FI(i, CB_COLOR0_ATTRIB, TILE_MODE_INDEX);
    c->samples_log2 = FI(i, CB_COLOR0_ATTRIB, NUM_FRAGMENTS);

    if (rf->gen == GFX9) {
        c->sw.mode = FI(i, CB_COLOR0_ATTRIB, COLOR_SW_MODE);
        c->sw.levels = FI(i, CB_COLOR0_ATTRIB2, MAX_MIP) + 1;
        c->sw.level = FI(i, CB_COLOR0_VIEW, MIP_LEVEL);
        c->sw.width_px = FI(i, CB_COLOR0_ATTRIB2, MIP0_WIDTH) + 1;
        c->sw.height_px = FI(i, CB_COLOR0_ATTRIB2, MIP0_HEIGHT) + 1;
        c->sw.depth = FI(i, CB_COLOR0_ATTRIB, MIP0_DEPTH) + 1;
        c->sw.pitch_px = FI(i, CB_MRT0_EPITCH, EPITCH) + 1;
        c->sw.volume = FI(i, CB_COLOR0_ATTRIB, RESOURCE_TYPE) == CB_RESOURCE_3D;
        m->fmask_sw_mode = FI(i, CB_COLOR0_ATTRIB, FMASK_SW_MODE);
    }
    m->cmask_va = va40(rf, R_CB_COLOR0_CMASK + i, R_CB_COLOR0_CMASK_BASE_EXT + i);
    m->dcc = FI(i, CB_COLOR0_INFO, DCC_ENABLE);
    m->dcc_va = va40(rf, R_CB_COLOR0_DCC_BASE + i, R_CB_COLOR0_DCC_BASE_EXT + i);
    m->cmask_addr_type = FI(i, CB_COLOR0_INFO, CMASK_ADDR_TYPE);
    m->meta_linear = FI(i, CB_COLOR0_ATTRIB, META_LINEAR);
    m->pipe_aligned = FI(i, CB_COLOR0_ATTRIB, PIPE_ALIGNED);
    m->rb_aligned = FI(i, CB_COLOR0_ATTRIB, RB_ALIGNED);
    m->cmask_slice_tile_max = FI(i, CB_COLOR0_CMASK_SLICE, TILE_MAX);
    m->fmask_va = va40(rf, R_CB_COLOR0_FMASK + i, R_CB_COLOR0_FMASK_BASE_EXT + i);
    /* GFX6 has one pitch for both. */
    m->fmask_pitch_px = rf->gen == GFX6 ? c->pitch_px
                                        : (FI(i, CB_COLOR0_PITCH, FMASK_TILE_MAX) + 1) * 8;
    m->fmask_slice_px = (FI(i, CB_COLOR0_FMASK_SLICE, TILE_MAX) + 1) * 64;
    m->fmask_tile_mode_index = FI(i, CB_COLOR0_ATTRIB, FMASK_TILE_MODE_INDEX);
    m->fmask_bank_height = FI(i, CB_COLOR0_ATTRIB, FMASK_BANK_HEIGHT);
    m->clear_word[0] = regs_get_i(rf, R_CB_COLOR0_CLEAR_WORD0, i);
    m->clear_word[1] = regs_get_i(rf, R_CB_COLOR0_CLEAR_WORD1, i);
    decode_blend(&m->blend, rf, i);
}

static void decode_cb(struct raster_cb_state *cb, const struct reg_file *rf)
{
    cb->mode = F(CB_COLOR_CONTROL, MODE);
    cb->rop3 = F(CB_COLOR_CONTROL, ROP3);
    cb->degamma = F(CB_COLOR_CONTROL, DEGAMMA_ENABLE);
    cb->blend_const[0] = REGF(CB_BLEND_RED);
    cb->blend_const[1] = REGF(CB_BLEND_GREEN);
    cb->blend_const[2] = REGF(CB_BLEND_BLUE);
    cb->blend_const[3] = REGF(CB_BLEND_ALPHA);
    for (unsigned i = 0; i < RASTER_MRTS; i++)
        decode_mrt(&cb->mrt[i], rf, i);
}

/* The samples that a pixel has anywhere: in the scan converter and in the targets. */
static uint8_t whole_pixel(const struct raster_state *st)
{
    uint8_t n = MAX2(st->sc.samples_log2, MIN2(st->db.anchor_log2, 4));

    if (st->db.z_format != V_ZFormat__Z_INVALID)
        n = MAX2(n, st->db.z_read.samples_log2);
    if (st->db.s_format)
        n = MAX2(n, st->db.s_read.samples_log2);
    for (unsigned i = 0; i < RASTER_MRTS; i++)
        if (st->cb.mrt[i].bound)
            n = MAX2(n, st->cb.mrt[i].coverage_log2);
    return MIN2(n, 4);
}

void raster_state_decode(struct raster_state *st, const struct reg_file *rf,
                         const struct chip *chip, struct loud *loud, uint32_t draw)
{
    memset(st, 0, sizeof *st);
    st->gen = rf->gen;
    st->chip = chip;
    decode_ia(&st->ia, rf);
    decode_pa(&st->pa, rf);
    decode_sc(&st->sc, rf);
    decode_spi(&st->spi, rf);
    decode_db(&st->db, rf);
    decode_cb(&st->cb, rf);
    st->sc.whole_log2 = whole_pixel(st);
    check_fields(rf, loud, draw);
    check_more(rf, loud, draw);
}
