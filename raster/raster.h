/* raster: the fixed-function pipeline (IA, PA, SC, DB, CB, TA), testable with no shader.
 *
 * A draw decodes the registers once into an immutable struct raster_state; everything below works
 * from that and never looks at a register. The stages are plain functions over plain data:
 *
 *   raster_state_decode()   registers -> struct raster_state
 *   raster_ia_*()           indices   -> primitives (vertex numbers)              IA, VGT
 *   raster_tessellate()     factors   -> domain points and primitives             VGT
 *   raster_pa_prim()        vertices  -> screen-space primitives                  PA: clip, cull
 *   raster_sc_prim()        primitive -> quads with sample masks, tile by tile    SC
 *   raster_interp()         quad      -> barycentrics, position, coverage         SC, SPI
 *   raster_db_*()           quad      -> samples that pass depth and stencil      DB
 *   raster_cb_*()           exports   -> colour memory                            CB
 *
 * Sees base/, mem/, regs/. */
#ifndef ATOLL_RASTER_H
#define ATOLL_RASTER_H

#include "base/base.h"
#include "base/chip.h"
#include "mem/mem.h"
#include "regs/enums.h"
#include "regs/regs.h"

#define RASTER_MRTS        8
#define RASTER_SAMPLES_MAX 16
#define RASTER_VIEWPORTS   16
#define RASTER_CLIPRECTS   4
#define RASTER_UCPS        6
#define RASTER_PARAMS_MAX  32

/* Screen coordinates are fixed point with 12 bits of fraction, the finest grid that
 * PA_SU_VTX_CNTL.QUANT_MODE knows; coarser grids are multiples of it. A sample position (1/16
 * pixel) is exact in it. Vertices are kept within +-2^15 pixels, so an edge function, a sum of two
 * products of 28-bit numbers, fits 64 bits. */
#define RASTER_FIX_BITS 12
#define RASTER_FIX_ONE  (1 << RASTER_FIX_BITS)
#define RASTER_FIX_MAX  (INT32_C(1) << (15 + RASTER_FIX_BITS))

/* ---- decoded state ----------------------------------------------------------------------- */

/* Pixels x0 <= x < x1, y0 <= y < y1; empty when x0 >= x1 or y0 >= y1. */
struct raster_rect {
    int32_t x0, y0, x1, y1;
};

/* Which edges own the samples that lie exactly on them: PA_SC_EDGERULE.ER_TRI and its like. */
enum { RASTER_ER_BOTTOM = 1, RASTER_ER_TOP = 2, RASTER_ER_RIGHT = 4, RASTER_ER_LEFT = 8 };

struct raster_ia_state {
    uint32_t prim_type;           /* V_VGT_DI_PRIM_TYPE__* */
    bool restart;                 /* VGT_MULTI_PRIM_IB_RESET_EN */
    uint32_t restart_index;       /* compared with the index as read, before the offset */
    uint32_t index_offset;        /* VGT_INDX_OFFSET */
    uint32_t index_min, index_max; /* VGT_MIN/MAX_VTX_INDX: the sum is clamped */
    uint32_t step_rate[2];        /* VGT_INSTANCE_STEP_RATE_0/1 */
    uint32_t reuse_depth;         /* VGT_VERTEX_REUSE_BLOCK_CNTL; 0: VGT_REUSE_OFF */
    bool prim_id;                 /* VGT_PRIMITIVEID_EN */
    bool provoking_last;
};

struct raster_viewport {
    float xscale, xoffset, yscale, yoffset, zscale, zoffset;
    float zmin, zmax;             /* PA_SC_VPORT_ZMIN/ZMAX */
    struct raster_rect scissor;   /* everything that clips pixels of this viewport, intersected */
};

struct raster_pa_state {
    /* PA_CL_VTE_CNTL */
    bool xscale_ena, xoffset_ena, yscale_ena, yoffset_ena, zscale_ena, zoffset_ena;
    bool xy_is_divided, z_is_divided, w_is_w; /* VTX_XY_FMT, VTX_Z_FMT, VTX_W0_FMT */
    /* PA_CL_CLIP_CNTL */
    bool clip_disable, dx_clip_space, znear_clip, zfar_clip, rasterization_kill, vtx_kill_or;
    bool linear_attr_clip, ucp_cull_only;
    uint32_t ucp_ena;             /* mask */
    float ucp[RASTER_UCPS][4];
    float gb_horz_clip, gb_vert_clip, gb_horz_disc, gb_vert_disc;
    /* PA_CL_VS_OUT_CNTL */
    uint32_t clip_dist_ena, cull_dist_ena; /* masks over the 8 distances */
    bool use_point_size, use_edge_flag, use_rt_index, use_viewport_index, use_kill_flag;
    bool misc_vec, ccdist0_vec, ccdist1_vec;
    /* PA_SU_SC_MODE_CNTL */
    bool cull_front, cull_back, front_is_cw, persp_corr_dis, vtx_window_offset;
    bool provoking_last;
    bool poly_mode;
    uint32_t ptype_front, ptype_back; /* 0 points, 1 lines, 2 triangles */
    bool boundary_edges;          /* edges that clipping makes are drawn too */
    /* PA_CL_NANINF_CNTL: what exported and what transformed coordinates may be */
    struct {
        bool nan_to_inf, inf_retain; /* of x and y, z, w as exported */
        bool inf_discard;            /* after the viewport transform */
    } naninf[3];                     /* xy, z, w */
    bool dist_inf_discard, zero_x_naninf_is_0;
    /* PA_SC_LINE_STIPPLE */
    bool stipple;
    bool stipple_msb_first;
    uint16_t stipple_pattern;
    unsigned stipple_repeat;         /* pixels to a bit */
    enum { RASTER_STIPPLE_GOES_ON, RASTER_STIPPLE_RESET_PRIM, RASTER_STIPPLE_RESET_STRIP } stipple_reset;
    /* polygon offset; scale and offset of front and back faces */
    bool offset_front_ena, offset_back_ena, offset_para_ena;
    float offset_scale[2], offset_offset[2], offset_clamp;
    int offset_db_bits;           /* POLY_OFFSET_NEG_NUM_DB_BITS, negative */
    bool offset_db_float;
    /* PA_SU_VTX_CNTL */
    bool pix_center_half;         /* pixel centres at half-integers */
    uint32_t round_mode;          /* 0 truncate, 1 round, 2 to even, 3 to odd */
    unsigned quant_bits;          /* bits of fraction, 0..12 */
    int32_t window_offset_x, window_offset_y;
    int32_t hw_offset_x_px, hw_offset_y_px; /* PA_SU_HARDWARE_SCREEN_OFFSET, in pixels */
    uint32_t point_width, point_height;     /* half sizes, 1/16 pixel */
    float point_min, point_max;             /* full sizes in pixels */
    uint32_t line_width;                    /* half width, 1/16 pixel */
    struct raster_viewport vp[RASTER_VIEWPORTS];
};

struct raster_sample_pos {
    int8_t x, y; /* from the pixel's centre, 1/16 pixel, -8..7 */
};

struct raster_sc_state {
    bool msaa;                    /* PA_SC_MODE_CNTL_0.MSAA_ENABLE */
    unsigned samples_log2;        /* coverage samples: PA_SC_AA_CONFIG.MSAA_NUM_SAMPLES */
    unsigned exposed_log2;        /* samples that the pixel shader sees */
    /* For each pixel of the quad (x & 1 | (y & 1) << 1). */
    struct raster_sample_pos pos[4][RASTER_SAMPLES_MAX];
    uint16_t aa_mask[4];
    uint8_t centroid_priority[RASTER_SAMPLES_MAX];
    bool centroid_masked; /* of the samples that PA_SC_AA_MASK leaves */
    uint8_t whole_log2;   /* without MSAA the one sample stands for so many: those of the targets too */
    unsigned er_tri, er_point, er_rect; /* masks of RASTER_ER_* */
    uint32_t er_line_lr, er_line_rl, er_line_tb, er_line_bt;
    bool line_last_pixel, line_expand_width, line_perp_endcap, line_diamond;
    bool cliprects_used;
    uint16_t cliprect_rule;       /* bit i: pixels inside exactly the rects of mask i are drawn */
    struct raster_rect cliprect[RASTER_CLIPRECTS];
    unsigned ps_iter_log2;        /* samples shaded per pixel; 0 unless PS_ITER_SAMPLE */
    bool overrasterize;           /* DB_EQAA.OVERRASTERIZATION_AMOUNT != 0 */
    unsigned overrasterize_log2;
};

/* What SPI loads into a pixel shader wave, in the order of the VGPRs: the fields of
 * SPI_PS_INPUT_ENA and _ADDR. */
enum {
    RASTER_IN_PERSP_SAMPLE = 1 << 0, RASTER_IN_PERSP_CENTER = 1 << 1,
    RASTER_IN_PERSP_CENTROID = 1 << 2, RASTER_IN_PERSP_PULL_MODEL = 1 << 3,
    RASTER_IN_LINEAR_SAMPLE = 1 << 4, RASTER_IN_LINEAR_CENTER = 1 << 5,
    RASTER_IN_LINEAR_CENTROID = 1 << 6, RASTER_IN_LINE_STIPPLE = 1 << 7,
    RASTER_IN_POS_X = 1 << 8, RASTER_IN_POS_Y = 1 << 9, RASTER_IN_POS_Z = 1 << 10,
    RASTER_IN_POS_W = 1 << 11, RASTER_IN_FRONT_FACE = 1 << 12, RASTER_IN_ANCILLARY = 1 << 13,
    RASTER_IN_SAMPLE_COVERAGE = 1 << 14, RASTER_IN_POS_FIXED_PT = 1 << 15,
    RASTER_IN_COUNT = 16
};

/* One attribute of the pixel shader: SPI_PS_INPUT_CNTL_n. */
struct raster_ps_input {
    uint8_t offset;       /* parameter of the vertex, when not default or passthrough */
    uint8_t default_val;  /* 0: 0,0,0,0  1: 0,0,0,1  2: 1,1,1,0  3: 1,1,1,1 */
    bool use_default, passthrough, flat, sprite;
};

struct raster_spi_state {
    uint32_t ps_ena, ps_addr;     /* masks of RASTER_IN_* */
    unsigned num_interp;
    bool param_gen; /* the last of them is made here: S and T of a point */
    struct raster_ps_input in[RASTER_PARAMS_MAX];
    unsigned pos_location;        /* SPI_BARYC_CNTL.POS_FLOAT_LOCATION: 0 centre, 1 centroid, 2 sample */
    bool pos_ulc;                 /* POS_FLOAT_ULC: upper left corner */
    bool front_face_all_bits;
    unsigned vs_export_count;     /* parameters exported: 1..32 */
    uint8_t pos_format[4];        /* SPI_SHADER_POS_FORMAT */
    uint8_t z_format;             /* SPI_SHADER_Z_FORMAT */
    uint8_t col_format[RASTER_MRTS];
    bool flat_ena, sprite_ena;    /* SPI_INTERP_CONTROL_0 */
    uint8_t sprite_sel[4];        /* 0 zero, 1 one, 2 S, 3 T, 4 none */
    bool sprite_top_1;
};

/* A surface that CB or DB reads and writes, as its registers describe it. */
struct raster_surface {
    uint64_t va;             /* bank and pipe swizzle in the low bits (of 256 bytes) */
    uint32_t pitch_px, slice_px; /* pixels in a row, in a slice */
    uint32_t height_px;      /* 0 when the registers do not say */
    uint32_t first_slice, last_slice;
    uint8_t tile_mode_index; /* GFX6..8: of the chip's tables; not DB of GFX7/8 */
    uint8_t tile_split;      /* DB of GFX7/8: TileSplit */
    struct {
        uint8_t mode, levels, level;
        uint32_t width_px, height_px, depth, pitch_px;
        bool volume;
    } sw;                    /* GFX9: swizzle mode, level 0, EPITCH + 1 */
    uint8_t samples_log2;    /* stored samples (of CB: fragments) */
};

struct raster_blend {
    bool enable, separate_alpha, disable_rop3;
    uint8_t src[2], dst[2], fcn[2]; /* colour, alpha: V_BlendOp__*, V_CombFunc__* */
};

struct raster_mrt {
    bool bound;              /* FORMAT is valid */
    uint8_t target_mask, shader_mask;
    uint8_t format, number_type, comp_swap, endian; /* V_ColorFormat__*, V_SurfaceNumber__*, ... */
    bool fast_clear, compression, cmask_linear;
    bool blend_clamp, blend_bypass, simple_float, truncate, linear_general;
    bool force_dst_alpha_1;
    bool fmask_compression_disable;
    uint8_t coverage_log2;   /* NUM_SAMPLES: what FMASK describes */
    struct raster_surface color; /* samples_log2: NUM_FRAGMENTS */
    uint64_t cmask_va, fmask_va;
    uint32_t cmask_slice_tile_max, fmask_pitch_px, fmask_slice_px;
    uint8_t fmask_tile_mode_index, fmask_bank_height, fmask_sw_mode;
    uint32_t clear_word[2];
    bool dcc;                /* GFX8, GFX9 */
    uint64_t dcc_va;
    uint8_t cmask_addr_type; /* GFX8: V_CmaskAddr__* */
    bool meta_linear, pipe_aligned, rb_aligned; /* GFX9 */
    struct raster_blend blend;
};

struct raster_cb_state {
    uint32_t mode;           /* V_CBMode__* */
    uint32_t rop3;
    bool degamma;
    float blend_const[4];
    unsigned exports;        /* the highest MRT that the pixel shader may write, plus one */
    struct raster_mrt mrt[RASTER_MRTS];
};

struct raster_stencil {
    uint8_t func, fail, zpass, zfail; /* V_CompareFrag__*, V_StencilOp__* */
    uint8_t test_val, mask, write_mask, op_val;
};

struct raster_db_state {
    bool z_enable, z_write, depth_bounds, stencil_enable, backface_enable;
    uint8_t zfunc;
    struct raster_stencil stencil[2]; /* front, back */
    bool color_on_fail, no_color_on_pass;
    float bounds_min, bounds_max;
    /* DB_SHADER_CONTROL */
    bool z_export, stencil_test_export, stencil_op_export, mask_export, kill, coverage_to_mask;
    bool exec_on_noop, exec_on_hier_fail, depth_before_shader, alpha_to_mask_disable;
    uint8_t z_order;
    /* DB_RENDER_CONTROL */
    bool depth_clear, stencil_clear, depth_copy, stencil_copy, resummarize;
    bool depth_compress_disable, stencil_compress_disable, copy_centroid, decompress;
    uint8_t copy_sample;
    bool color_kill, no_viewport_clamp;
    bool alpha_to_mask, alpha_to_mask_round;
    uint8_t alpha_to_mask_offset[4], alpha_to_mask_log2, mask_export_log2;
    uint8_t anchor_log2;     /* DB_EQAA.MAX_ANCHOR_SAMPLES */
    uint8_t z_format;        /* V_ZFormat__* */
    bool s_format;           /* 8 bits of stencil */
    bool z_read_only, s_read_only;
    struct raster_surface z_read, z_write_to, s_read, s_write_to;
    uint32_t depth_info;     /* DB_DEPTH_INFO: GFX7/8 tiling of depth */
    bool htile, htile_stencil_disable, htile_expclear, htile_linear, htile_full_cache;
    bool htile_tc_compatible;                /* GFX8 */
    bool htile_pipe_aligned, htile_rb_aligned; /* GFX9 */
    uint64_t htile_va;
    float clear_depth;
    uint8_t clear_stencil;
    bool zpass_count;        /* occlusion counting is on */
    bool zpass_perfect;
};

struct raster_state {
    enum gfx gen;
    const struct chip *chip;
    struct raster_ia_state ia;
    struct raster_pa_state pa;
    struct raster_sc_state sc;
    struct raster_spi_state spi;
    struct raster_db_state db;
    struct raster_cb_state cb;
};

/* Decode everything that a draw needs from the registers. Values that are not modelled are reported
 * to `loud`, once for each field. `draw` is for those messages. */
void raster_state_decode(struct raster_state *st, const struct reg_file *rf,
                         const struct chip *chip, struct loud *loud, uint32_t draw);

/* ---- what was counted -------------------------------------------------------------------- */

/* Names as in the table of counters of emu/, which sums these. */
struct raster_counters {
    uint64_t ia_primitives;
    uint64_t pa_prims_in;      /* into PA */
    uint64_t pa_c_invocations; /* into the clipper */
    uint64_t pa_c_primitives;  /* out of the clipper */
    uint64_t pa_clipped;       /* cut by a plane */
    uint64_t pa_culled;        /* dropped: outside, facing, zero area, cull distance, NaN */
    uint64_t sc_prims, sc_tiles, sc_quads, sc_pixels, sc_samples;
    uint64_t db_tested, db_passed, db_z_failed, db_s_failed;
    uint64_t db_quads_early, db_quads_early_culled, db_quads_late, db_tiles_hiz_culled;
    uint64_t cb_pixels, cb_blended_pixels, cb_samples, cb_blended, cb_resolved, cb_eliminated;
};

/* ---- IA: indices to primitives ------------------------------------------------------------ */

#define RASTER_PRIM_VERTS 6

/* A primitive as vertices, which the caller names by numbers of its own (positions in the stream of
 * indices, slots). */
struct raster_ia_prim {
    uint64_t v[RASTER_PRIM_VERTS];
    uint8_t verts;      /* 1 point, 2 line, 3 triangle or rectangle; 4, 6 with adjacent vertices */
    uint8_t provoking;  /* whose flat attributes count */
    bool rect;          /* RECTLIST: the three vertices span a screen-aligned rectangle */
    uint8_t edges;      /* of a triangle: bit k is set when the edge from v[k] to the next is an edge of the
                         * input primitive (quads and polygons have others inside) */
    bool starts;        /* the first since the begin or a cut */
    uint32_t prim_id;   /* of the input primitive, from 0 for each instance */
};

/* The assembler: feed it one vertex number after another. Holds at most one partial primitive. */
struct raster_ia {
    uint32_t type;
    bool provoking_last;
    bool adjacency;     /* adjacent vertices come out too, as the geometry shader sees them */
    uint32_t have;      /* vertices since the last restart */
    uint64_t v[16];
    uint32_t prim_id;
    bool going;         /* a primitive has come out since the begin or a cut */
};

/* Whether this type is assembled. When not, nothing is drawn and the caller says so loudly. */
bool raster_ia_known(uint32_t prim_type);

/* `adjacency`: see struct raster_ia. */
void raster_ia_begin(struct raster_ia *ia, uint32_t prim_type, bool provoking_last, bool adjacency);

/* One more vertex. Writes the primitives that it completes (0..2) to out[]; returns how many. */
unsigned raster_ia_vertex(struct raster_ia *ia, uint64_t v, struct raster_ia_prim out[2]);

/* The end of the indices, or a restart index: writes what that completes (a line loop's last
 * line, a strip's last triangle with adjacency), starts anew. Primitive ids go on. */
unsigned raster_ia_cut(struct raster_ia *ia, struct raster_ia_prim out[2]);

/* Vertices of the primitives that come out (without adjacency): 1 points, 2 lines, 3 triangles; 0: not
 * assembled. */
unsigned raster_ia_verts(uint32_t prim_type);

/* ---- the tessellator ----------------------------------------------------------------------- */

#define RASTER_TESS_POINTS_MAX  4225  /* a quad at factors of 64 */
#define RASTER_TESS_INDICES_MAX 24576

/* One patch: VGT_TF_PARAM in, points of the domain and primitives out. */
struct raster_tess {
    uint32_t type, partitioning, topology; /* V_VGT_TESS_TYPE__*, _PARTITION__*, _TOPOLOGY__* */
    unsigned points, indices;
    float uv[RASTER_TESS_POINTS_MAX][2];
    uint16_t index[RASTER_TESS_INDICES_MAX]; /* 1, 2 or 3 to a primitive, by topology */
};

/* How many factors a patch of this type has, in the order of the factor ring: the edges, then the
 * inside (isolines: detail, density). 0: no such type. */
unsigned raster_tess_factors(uint32_t type);

/* Fill points and indices; none of either when a factor culls the patch. Exact, as Direct3D 11 has it. */
void raster_tessellate(struct raster_tess *t, const float factors[6]);

/* ---- PA: vertices to screen-space primitives ------------------------------------------------ */

/* What the vertex stage exported for a vertex. */
struct raster_vertex {
    float pos[4];            /* POS0 */
    float point_size;        /* POS1.x */
    uint32_t edge_flag;      /* POS1.y */
    uint32_t rt_index;       /* POS1.z: array slice */
    uint32_t viewport;       /* POS1.w */
    float dist[8];           /* clip and cull distances */
    uint32_t kill;
    uint32_t param_slot;     /* of the parameter cache: the caller's */
};

/* a0 + dx * (x - x0) + dy * (y - y0), x and y in pixels, (x0, y0) of the primitive. */
struct raster_plane {
    double a0, dx, dy;
};

enum raster_shape { RASTER_TRIANGLE, RASTER_RECTANGLE, RASTER_POINT, RASTER_LINE };

/* A primitive after clipping, culling and the viewport transform. Barycentrics always refer to
 * the input primitive's three vertices, so clipping makes no new attributes. */
struct raster_prim {
    enum raster_shape shape;
    int32_t x[4], y[4];      /* corners, fixed point; 3 of a triangle, else 4 in order around */
    uint8_t corners;
    bool front;
    double x0, y0;           /* reference point of the planes, in pixels */
    struct raster_plane persp_w; /* 1 / w */
    struct raster_plane persp_i, persp_j; /* i / w, j / w */
    struct raster_plane lin_i, lin_j, z;
    float zmin, zmax;        /* of the viewport: depth is clamped to it */
    struct raster_rect scissor;
    uint32_t slice;          /* render target array index */
    uint32_t viewport;
    uint32_t prim_id;
    uint32_t slot[3];        /* parameter slots of the input vertices, in order */
    uint8_t provoking;
    uint8_t verts;           /* of the input primitive: 3 also for the edges and corners of a triangle */
    struct {
        bool on, x_major;
        int32_t first_px;    /* of the line, along its major axis */
        int8_t step;         /* 1 or -1 */
        uint32_t count;      /* of the pattern, at that pixel */
    } stipple;
};

/* 3 vertices, at most one more for each of 6 frustum planes, w, 6 user planes, 8 distances: a fan of
 * that many corners. A line or point gives one. */
#define RASTER_PA_CORNERS_MAX (3 + 6 + 1 + RASTER_UCPS + 8)
#define RASTER_PA_OUT_MAX     RASTER_PA_CORNERS_MAX /* the edges of a polygon */

/* Clip, cull, transform and set up one primitive. v[] are its vertices. Returns the primitives
 * written to out[]. *stipple counts the pixels of lines for the stipple pattern: 0 at the start of a draw. */
unsigned raster_pa_prim(const struct raster_state *st, const struct raster_ia_prim *ip,
                        const struct raster_vertex *const v[3],
                        struct raster_prim out[RASTER_PA_OUT_MAX], uint32_t *stipple,
                        struct raster_counters *cnt);

/* A screen coordinate (pixels) to the fixed-point grid of PA_SU_VTX_CNTL; saturates. NaN gives 0. */
int32_t raster_quantise(const struct raster_pa_state *pa, float v);

/* ---- SC: primitives to quads ---------------------------------------------------------------- */

/* 2x2 pixels. Pixel p is (x + (p & 1), y + (p >> 1)); lanes 4q + p of a wave. */
struct raster_quad {
    int32_t x, y;            /* even */
    uint16_t mask[4];        /* samples covered, of each pixel */
    uint16_t cover[4];       /* those that centroids are chosen from */
    uint8_t iter;            /* with sample-rate shading: which pass over the pixel's samples */
};

#define RASTER_TILE_PX    8
#define RASTER_TILE_QUADS 16

/* Receives the covered quads of one 8x8 tile, at least one, in raster order. */
typedef void (*raster_quads_fn)(void *ctx, const struct raster_prim *p,
                                const struct raster_quad *q, unsigned n);

/* Scan-convert: tiles in raster order over the primitive's bounding box. Exact. */
void raster_sc_prim(const struct raster_state *st, const struct raster_prim *p,
                    raster_quads_fn fn, void *ctx, struct raster_counters *cnt);

/* Lanes share out the screen: bins of 64 x 64 pixels, each of one lane, so that no two lanes touch the same pixel
 * (nor the same tile, nor the same block of colour or depth). A power of two of them. */
#define RASTER_BIN_LOG2 6
#define RASTER_BIN_PX   (1 << RASTER_BIN_LOG2)

unsigned raster_lane(int32_t x, int32_t y, unsigned lanes);

/* The same for the tiles of one of `lanes` lanes. */
void raster_sc_prim_lane(const struct raster_state *st, const struct raster_prim *p, unsigned lane,
                         unsigned lanes, raster_quads_fn fn, void *ctx, struct raster_counters *cnt);

/* Position of a sample in 1/16 pixel from the pixel's upper left corner. */
void raster_sample_offset(const struct raster_sc_state *sc, unsigned pixel, unsigned sample,
                          int *x16, int *y16);

/* What SPI would load for one lane, as VGPR values in the order of the SPI_PS_INPUT bits. */
struct raster_lane_in {
    uint32_t persp_sample[2], persp_center[2], persp_centroid[2], pull_model[3];
    uint32_t linear_sample[2], linear_center[2], linear_centroid[2];
    uint32_t line_stipple, pos[4], front_face, ancillary, coverage, pos_fixed;
};

/* Compute the inputs of the mask `need` (RASTER_IN_*) for pixel `p` of a quad; others keep their
 * value. A pixel that is not covered (a helper) gets the values at its centre. */
void raster_interp(const struct raster_state *st, const struct raster_prim *prim,
                   const struct raster_quad *q, unsigned p, uint32_t need,
                   struct raster_lane_in *out);

/* Depth of a sample of pixel (x, y), before any conversion to the depth format. */
float raster_sample_z(const struct raster_state *st, const struct raster_prim *prim, int32_t x,
                      int32_t y, unsigned sample);

/* ---- memory of surfaces ----------------------------------------------------------------------- */

/* The mapping that was touched last, and the bytes moved: see access.h. */
struct raster_access {
    struct mem_vm *vm;
    struct mem_span span;
    enum mem_client client;
    uint64_t read_bytes, written_bytes;
    uint64_t misses;            /* accesses to what is not mapped */
    bool faulted; /* an access found no memory */
    struct mem_touch *touch;    /* is told of each access; NULL: as ever */
};

/* CMASK, HTILE or DCC of a surface: where its elements are. See meta.h. */
struct raster_meta {
    enum {
        RASTER_META_NONE, RASTER_META_CMASK_TILED, RASTER_META_HTILE_TILED, RASTER_META_FOLLOWS,
        RASTER_META_GFX9
    } kind;
    uint64_t va;                /* without swizzle */
    union {
        struct mem_meta tiled;
        struct mem_meta9 gfx9;
        struct {
            uint64_t first_va;
            unsigned element_bits, block_bytes, samples_per_split;
        } follows;
    };
};

/* ---- DB ------------------------------------------------------------------------------------------ */

struct raster_db_target {
    bool on;
    struct mem_surface read, write;
    uint32_t first_slice, last_slice;
    unsigned samples_log2;
};

/* Depth and stencil of one draw. */
struct raster_db {
    const struct raster_state *st;
    struct loud *loud;
    struct raster_access mem;
    struct raster_db_target z, s;
    bool htile_on;
    struct raster_meta htile;
    struct mem_surface htile_data; /* the surface that it describes */
    bool active;                /* there is something to test or write */
    bool expand_only;           /* the draw decompresses: tiles are expanded, nothing is tested */
    bool late;                  /* tests come after the shader */
    bool re_z;                  /* and before it: raster_db_re_z, which only drops quads */
};

/* What a pixel shader exported to MRTZ, for one pixel. */
struct raster_z_export {
    bool has_z, has_stencil, has_stencil_op, has_mask;
    float z;
    uint8_t stencil, stencil_op; /* STENCILTESTVAL, STENCILOPVAL */
    uint32_t mask;
};

/* Set up for a draw; `st` must stay. What cannot be addressed is reported and left out. */
void raster_db_begin(struct raster_db *db, const struct raster_state *st, struct mem_vm *vm,
                     struct loud *loud, uint32_t draw);
void raster_db_end(struct raster_db *db);

/* As raster_cb_fork. */
void raster_db_fork(struct raster_db *to, const struct raster_db *from);

/* Test the samples live[] of a quad, write depth and stencil, and clear the bits of those that
 * failed. ex[]: exports of the four pixels; NULL when tests come first. */
void raster_db_quad(struct raster_db *db, const struct raster_prim *prim, const struct raster_quad *q,
                    uint16_t live[4], const struct raster_z_export ex[4],
                    struct raster_counters *cnt);

/* The test before the shader when there is another one after it (db->re_z): clears the bits of samples that will
 * fail then, and changes no memory. */
void raster_db_re_z(struct raster_db *db, const struct raster_prim *prim, const struct raster_quad *q,
                    uint16_t live[4], struct raster_counters *cnt);

/* Read depth (as float) and stencil of a sample, after raster_db_begin with a state that tests both: a tile
 * that is only marked as cleared has the clear values. Changes no memory. Slices as in memory. */
void raster_db_read(struct raster_db *db, uint32_t slice, uint32_t x, uint32_t y, unsigned sample,
                    float *z, uint8_t *stencil);

/* Samples that an exported sample mask, or alpha (as alpha-to-mask makes it one), leaves. */
uint16_t raster_mask_from_export(const struct raster_state *st, uint32_t mask);
uint16_t raster_mask_from_alpha(const struct raster_state *st, int32_t x, int32_t y, float alpha);

/* ---- CB ------------------------------------------------------------------------------------------- */

/* Red, green, blue, alpha of a pixel: floats as bits, or integers for UINT and SINT targets. */
struct raster_color {
    uint32_t c[4];
};

/* The dwords of an export by SPI_SHADER_COL_FORMAT (or _Z_FORMAT). Channels that the format lacks are
 * 0, 0, 0, 1.0. */
void raster_export_unpack(uint8_t format, const uint32_t raw[4], struct raster_color *out);

/* CB_BLEND*_CONTROL on one colour; no clamping, no rounding but that of double. */
void raster_blend(const struct raster_blend *b, const float src[4], const float src1[4],
                  const float dst[4], const float cst[4], double out[4]);

struct raster_target {
    bool on;
    const struct raster_mrt *mrt;
    struct mem_format format;
    const struct mem_layout_info *layout;
    mem_unpack_fn unpack;
    mem_pack_fn pack;
    struct mem_surface surface;
    uint8_t swap[4];            /* component to channel */
    uint64_t keep[2];           /* bits of a texel that are not written */
    bool writes_all;            /* no component is kept: need not read */
    bool integer, blend, rop;
    bool srgb_moved;            /* sRGB, and alpha is not the fourth component */

    /* Metadata: CMASK when the registers say FAST_CLEAR or COMPRESSION, FMASK with COMPRESSION. */
    bool cmask_on, fmask_on, dcc_on;
    struct raster_meta cmask, dcc;
    struct mem_surface fmask;
    unsigned dcc_extra;         /* the component that a key's alpha is for */
    unsigned samples, fragments, sample_bits; /* of FMASK: coverage, stored, bits of an index */
    uint8_t clear_texel[16];    /* CB_COLOR*_CLEAR_WORD0/1 as memory */
};

/* Colour targets of one draw. */
struct raster_cb {
    const struct raster_state *st;
    struct loud *loud;
    struct raster_access mem;
    struct raster_target target[RASTER_MRTS];
    bool special;               /* CB_COLOR_CONTROL.MODE is an operation of CB's own */
};

void raster_cb_begin(struct raster_cb *cb, const struct raster_state *st, struct mem_vm *vm,
                     struct loud *loud, uint32_t draw);
void raster_cb_end(struct raster_cb *cb);

/* A copy for another thread, which works on other lanes of the screen. Ends with raster_cb_end of its own. */
void raster_cb_fork(struct raster_cb *to, const struct raster_cb *from);

/* Write the samples mask[] of the quad at (x, y) of a target, `slice` counted from the view's first.
 * src1: the second colour of dual-source blending. */
void raster_cb_quad(struct raster_cb *cb, unsigned mrt, uint32_t slice, int32_t x, int32_t y,
                    const uint16_t mask[4], const struct raster_color color[4],
                    const struct raster_color src1[4], struct raster_counters *cnt);

/* What CB does by itself where a draw covers the quad: CB_COLOR_CONTROL.MODE. */
void raster_cb_special(struct raster_cb *cb, uint32_t slice, int32_t x, int32_t y,
                       const uint16_t mask[4], struct raster_counters *cnt);

/* Read the colour of sample s of a pixel of a target that raster_cb_begin set up, as channels R, G, B,
 * A in rgba (see struct raster_color) and as texel bytes in raw (16 at most). A tile that is only marked
 * as cleared has the clear colour. Changes no memory. Slices count from the view's first. */
void raster_cb_read(struct raster_cb *cb, unsigned mrt, uint32_t slice, uint32_t x, uint32_t y,
                    unsigned sample, uint32_t rgba[4], uint8_t raw[16]);

/* ---- TA, TD: textures ------------------------------------------------------------------------------ */

#define RASTER_LEVELS 16

/* A T# (image descriptor), decoded. */
struct raster_image {
    uint8_t type;               /* V_SQ_RSRC_IMG_TYPE__* */
    bool null;                  /* reads give zero, writes are dropped */
    uint32_t width, height, depth; /* of level 0, in texels; depth 1 unless 3D */
    uint32_t base_array, last_array;
    unsigned base_level, last_level; /* of multisampled images: samples_log2 is in last_level */
    unsigned levels;            /* in memory */
    unsigned samples;           /* stored per pixel */
    float min_lod;
    struct mem_format format;
    const struct mem_layout_info *layout;
    mem_unpack_fn unpack;       /* NULL for blocks: those have only */
    mem_block_fn block;
    mem_pack_fn pack;           /* NULL: read only */
    unsigned element_bits, element_width, element_height; /* what is tiled, in texels */
    bool paired;                /* two elements side by side are read together */
    bool integer;
    uint8_t dst_sel[4];         /* V_SQ_SEL_XYZW01__* */
    uint8_t bc_swizzle;         /* GFX9: of border colours */
    float min_lod_warn;         /* for instructions with LWE */
    const char *unknown;        /* a field whose value is not modelled, or NULL: the caller says so */
    bool is_3d, is_cube, is_array, is_msaa;
    unsigned dims;              /* coordinates without slice and sample: 1, 2, 3 */
    const struct chip *chip;
    uint32_t t[8];
    enum { RASTER_IMAGE_PLAIN, RASTER_IMAGE_DCC, RASTER_IMAGE_HTILE, RASTER_IMAGE_CMASK } compressed;
    bool alpha_on_msb;
    bool has_bad_key;           /* a load met bad_key, a DCC key of a block that hardware compressed */
    uint8_t bad_key;
    unsigned fmask_samples, fmask_bits; /* of an FMASK: samples, bits of an index; else 0 */
    struct raster_meta meta;
    uint32_t levels_compressed; /* mask */
    uint32_t levels_ready, levels_bad; /* masks: set up on first use */
    struct mem_surface level[RASTER_LEVELS];
};

/* Decode 8 dwords for a chip. Returns 0, or -1 with *e set when the descriptor says something that is not
 * modelled. */
int raster_image_decode(struct raster_image *im, const struct chip *chip, const uint32_t t[8],
                        struct err *e);

/* Where a texel is: z is the slice of arrays (from the view's first; 6 faces a cube), level counts from
 * level 0 of the image. */
struct raster_texel {
    int32_t x, y, z;
    uint32_t sample, level;
};

/* One texel, X Y Z W as the format unpacks them (before dst_sel). False, and zeros, when outside, or when
 * the level has no address. */
bool raster_texel_load(struct raster_image *im, struct raster_access *a, const struct raster_texel *at,
                       uint32_t xyzw[4]);
/* Write one texel from X Y Z W; outside: dropped. */
void raster_texel_store(struct raster_image *im, struct raster_access *a, const struct raster_texel *at,
                        const uint32_t xyzw[4]);
/* Host bytes of a texel, to be written or only read; NULL when outside or unmapped. */
uint8_t *raster_texel_ptr(struct raster_image *im, struct raster_access *a,
                          const struct raster_texel *at, bool write);

/* Apply dst_sel. */
void raster_texel_swizzle(const struct raster_image *im, const uint32_t xyzw[4], uint32_t out[4]);

/* The other way round, for stores: a component gets the lowest channel that dst_sel takes from it; 0 when
 * none does. */
void raster_texel_unswizzle(const struct raster_image *im, const uint32_t rgba[4], uint32_t xyzw[4]);

#define RASTER_ANISO_LOG2_MAX 4u

/* An S# (sampler), decoded. */
struct raster_sampler {
    uint8_t clamp[3];           /* V_SQ_TEX_CLAMP__*, of x, y, z */
    uint8_t mag, min, mip, z;   /* filters: V_SQ_TEX_XY_FILTER__*, _MIP_FILTER__*, _Z_FILTER__* */
    uint8_t compare;            /* V_SQ_TEX_DEPTH_COMPARE__* */
    uint8_t reduce;             /* V_SQ_IMG_FILTER_TYPE__* */
    bool unnormalised, trunc_coord, no_cube_wrap, aniso_override;
    bool degamma, skip_degamma; /* FORCE_DEGAMMA, SKIP_DEGAMMA: see raster_image_degamma */
    unsigned aniso_log2;        /* MAX_ANISO_RATIO, 0..RASTER_ANISO_LOG2_MAX */
    unsigned aniso_threshold;   /* eighths */
    float min_lod, max_lod, lod_bias;
    uint8_t border_type;        /* V_SQ_TEX_BORDER_COLOR__* */
    uint32_t border_index;
    const char *unknown;        /* a field whose value is not modelled, or NULL: the caller says so */
};

void raster_sampler_decode(struct raster_sampler *s, enum gfx gen, const uint32_t dw[4]);

/* Read 8-bit UNORM as sRGB or the other way round, as a sampler may ask. False when the format has no such
 * twin. */
bool raster_image_degamma(struct raster_image *im, bool on);

/* The footprint of a pixel, from the derivatives of its coordinates: the unclamped level of detail, counted from
 * the base level, and the taps that an anisotropic filter takes along axis[] (in units of coordinates). */
struct raster_footprint {
    float lod;
    unsigned taps;              /* 1..16 */
    float axis[3];
};
void raster_footprint(const struct raster_image *im, const struct raster_sampler *s, const float ddx[3],
                      const float ddy[3], struct raster_footprint *out);

/* Clamp a level of detail (bias included) as sampler, instruction (_CL; else -INFINITY) and image say. */
float raster_lod_clamp(const struct raster_image *im, const struct raster_sampler *s, float lod,
                       float instruction_min);
/* The level, counted from the base level, that a clamped level of detail leads to; between two levels: blended. */
float raster_lod_level(const struct raster_image *im, const struct raster_sampler *s, float lod);

/* What a sample of a lane gets beyond the image. `table`: the entry of the table of border colours. */
void raster_border_colour(const struct raster_image *im, const struct raster_sampler *s,
                          const uint32_t table[4], uint32_t out[4]);

/* What a sample of one lane asks for. */
struct raster_sample_in {
    float coord[3];             /* normalised unless the sampler says otherwise; z: slice (of cubes: face) */
    float lod;                  /* level of detail from the base level, biased and clamped */
    int8_t offset[3];           /* in texels */
    bool compare;
    float ref;
    bool gather;
    unsigned channel;           /* of a gather */
    unsigned taps;              /* of an anisotropic filter; 0 or 1: none */
    float axis[3];
};

/* Sample: four channels after dst_sel (a gather: the four texels' channel), and how many texels were
 * fetched. border: from raster_border_colour. */
unsigned raster_sample(struct raster_image *im, const struct raster_sampler *s,
                       struct raster_access *a, const struct raster_sample_in *in,
                       const uint32_t border[4], uint32_t out[4]);

#endif
