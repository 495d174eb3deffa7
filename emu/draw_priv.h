/* What the parts of a draw share.
 *
 *   draw.c       the draw: stages, indices to primitives, reuse of vertices
 *   draw_tess.c  patches: LS and HS waves, the tessellator; its points and primitives go on as if assembled
 *   draw_gs.c    ES and GS waves (two stages or merged); what GS emits goes on to VS
 *   draw_vs.c    VS waves (vertex, domain or copy shader), stream-out, primitives to PA and SC
 *   draw_lanes.c primitives to SC: the lanes of the screen, on several threads
 *   spi.c        pixel waves
 *   draw_wave.c  launching
 *
 * A stage that takes vertices gives each a slot; primitives are slot numbers. Slots are shaded when they
 * run out, or when what the shader's SGPRs point to is about to change: draw_flush(). Then slot numbers start
 * again from 0, and `generation` tells those who remembered some.
 *
 * All memory is taken once, at the device's creation. */
#ifndef ATOLL_EMU_DRAW_PRIV_H
#define ATOLL_EMU_DRAW_PRIV_H

#include "emu/draw.h"
#include "emu/pool.h"
#include "raster/raster.h"

#define DRAW_WAVE        64u
#define DRAW_SLOTS       1024u
#define DRAW_PRIMS       2048u
#define DRAW_REUSE_MAX   64u
#define DRAW_POS_EXPORTS 4u
#define DRAW_QUADS       16u   /* of a pixel wave */
#define DRAW_GS_WAVES    16u   /* of a subgroup */
#define DRAW_GS_VERTS    2048u /* that one GS thread may emit to a stream */
#define DRAW_PATCH_CPS   63u   /* VGT_LS_HS_CONFIG has 6 bits */
#define DRAW_PATCHES     255u
#define DRAW_GROUP_WAVES 40u
#define DRAW_LANES       8u    /* a power of two */
#define DRAW_BATCH       1024u /* primitives */

/* Export targets as EXP encodes them. */
enum {
    EXP_TARGET_MRT0 = 0, EXP_TARGET_MRTZ = 8, EXP_TARGET_NULL = 9, EXP_TARGET_POS0 = 12,
    EXP_TARGET_PARAM0 = 32
};

/* A vertex in a slot of VS: the VGPRs that its lane starts with, and what its shader exported. */
struct draw_vertex {
    uint32_t in[4];
    float pos[DRAW_POS_EXPORTS][4];
    struct raster_vertex out; /* made from pos[] */
    uint32_t param[RASTER_PARAMS_MAX][4];
};

/* A pixel wave that is being filled. */
struct draw_pixels {
    unsigned quads, prims;
    struct raster_quad quad[DRAW_QUADS];    /* mask: as scan-converted */
    uint16_t live[DRAW_QUADS][4];           /* samples that passed early tests */
    uint8_t prim_of[DRAW_QUADS];            /* index into prim[] */
    struct raster_prim prim[DRAW_QUADS];
    uint64_t last_serial;                   /* draw state's prim_serial of prim[prims - 1] */
    uint32_t attr[DRAW_QUADS][RASTER_PARAMS_MAX][12]; /* as the LDS holds one primitive's */
};

/* What a pixel wave exported. */
struct draw_exports {
    uint64_t exec[RASTER_MRTS];             /* lanes that exported to each MRT */
    uint32_t color[RASTER_MRTS][4][DRAW_WAVE];
    uint64_t z_exec;
    uint32_t z[4][DRAW_WAVE];               /* MRTZ: depth, stencil, sample mask, alpha */
    bool z_compr;
    uint64_t valid;                         /* EXEC of the last export with VM */
    bool any_vm;
};

/* What a shader stage's registers say: where the code is and what a wave needs. */
struct draw_stage {
    enum isa_stage stage;
    struct emu_pgm pgm;
    bool merged;             /* GFX9: LS and HS, or ES and GS, in one: 8 SGPRs come before the user's */
    uint32_t user_addr[2];   /* of merged stages: s[0:1] */
    unsigned user_sgprs;
    uint32_t user[32];
    uint32_t cu_mask;        /* of an SH: SPI_SHADER_PGM_RSRC3.CU_EN */
    uint32_t rsrc1, rsrc2;
    bool offchip;            /* OC_LDS_EN */
    unsigned comp_cnt;       /* VGPR_COMP_CNT; of merged stages that of the first */
    unsigned lds_bytes;      /* LDS_SIZE */
};

struct emu_draw_state;

/* A lane of the screen (raster_lane): its quads, waves, depth and colour, and what it counted. Lanes share
 * nothing that they write, so that it does not matter which thread runs one, or when. */
struct draw_lane {
    struct emu_draw_state *d;
    unsigned index;
    bool begun;               /* db and cb are set up: it had quads */
    struct draw_pixels px;
    struct draw_exports exports;
    struct raster_db db;
    struct raster_cb cb;
    uint64_t serial;          /* of the primitive whose quads come */
    unsigned next_cu;
    uint32_t waves;           /* launched in this draw */
    /* Since the last merge: */
    struct raster_counters count;
    struct emu_counters counters;
    uint64_t insts;
    bool stopped;             /* it used up the draw's budget by itself */
    bool faulted, hung;
    struct err fault;         /* the first */
};

/* One run of waves that share a workgroup's LDS. */
struct draw_run {
    const struct draw_stage *stage;
    unsigned waves;
    unsigned lds_bytes;
    const uint8_t *lds_in;   /* lds_bytes that are in LDS at the start; NULL: zeros */
    uint8_t *lds_out;        /* where LDS goes at the end; NULL: nowhere */
    const struct wave_ops *ops;
    void *ctx;               /* of wave i: ctx + i * ctx_bytes; each starts with a struct emu_wave_ctx */
    size_t ctx_bytes;
    /* Write wave i's VGPRs and its SGPRs from *sgpr on (the first after the user's); *sgpr becomes
     * the next free. Returns EXEC. Of merged stages *sgpr is 2, and what is written up to s7 counts. */
    uint64_t (*fill)(struct wave *w, unsigned i, unsigned *sgpr, void *arg);
    void *arg;
    struct draw_lane *lane;  /* of pixel waves; NULL: of no lane */
};

/* GS: vertices of ES, primitives, and what a wave of threads emitted. */
struct draw_gs_prim {
    uint16_t slot[RASTER_PRIM_VERTS];
    uint32_t prim_id;
};

struct draw_gs_emitted {
    uint16_t count[EMU_SO_STREAMS][DRAW_WAVE];
    uint32_t cut[EMU_SO_STREAMS][DRAW_WAVE][DRAW_GS_VERTS / 32]; /* bit v: a strip ends with vertex v */
    bool too_many;
};

struct draw_gs {
    bool on;
    struct draw_stage es, gs; /* es is unused when merged */
    uint32_t (*in)[4];        /* DRAW_SLOTS of ES */
    unsigned slots, slots_max;
    struct draw_gs_prim *prim; /* DRAW_PRIMS */
    unsigned prims, prims_max;
    unsigned instances, max_vert_out, es_item_dw;
    unsigned vert_item_dw[EMU_SO_STREAMS], ring_offset_dw[EMU_SO_STREAMS], ring_item_dw;
    uint32_t out_type[EMU_SO_STREAMS];
    bool suppress_cuts, tess;
    unsigned prim_verts;
    struct draw_gs_emitted *emitted; /* DRAW_GS_WAVES */
};

struct draw_tess {
    bool on;
    struct draw_stage ls, hs;
    unsigned in_cps, out_cps, patches_max, patches, have;
    uint32_t (*in)[4];        /* LS input of all patches of the group */
    uint32_t patch_id[DRAW_PATCHES];
    uint64_t factors_va;
    uint32_t factors_bytes;
    struct raster_tess *out;
    uint16_t *slot_of;        /* of each point of the domain */
    uint8_t *lds;
};

/* Stream-out of one draw. */
struct draw_so {
    bool stream_on[EMU_SO_STREAMS];
    bool shader;              /* the VS stage writes (SO_EN) */
    unsigned buffers[EMU_SO_STREAMS]; /* mask, of each stream */
    uint32_t size_dw[4], stride_dw[4];
    uint32_t rast_streams;    /* mask: which streams are rasterised */
};

struct emu_draw_state {
    struct atoll_gpu *gpu;
    struct raster_state st;
    struct raster_counters count;

    struct raster_ia ia;
    struct {
        uint64_t name;                      /* position in the stream << 32 | index */
        unsigned slot;
    } reuse[DRAW_REUSE_MAX];                /* the last vertices, a ring */
    unsigned reuse_have, reuse_next, reuse_depth;
    bool reuse_by_index;                    /* else only one and the same vertex of a strip is found */
    uint32_t generation, reuse_generation;
    struct draw_tess tess;
    struct draw_gs gs;

    struct draw_stage vs;
    struct draw_vertex vertex[DRAW_SLOTS];
    unsigned slots;
    struct raster_ia_prim prim[DRAW_PRIMS];
    unsigned prims;
    struct draw_so so;
    uint32_t stipple;                       /* pixels of lines so far, for their pattern */
    unsigned stream;                        /* to which the vertices in the slots belong */

    /* Primitives for SC, until there are many or their vertices go. */
    struct {
        struct raster_prim prim;
        uint64_t serial;                    /* 1, 2, ... */
    } batch[DRAW_BATCH];
    unsigned batch_n;
    uint64_t batch_area_px;                 /* of their boxes */
    int32_t batch_x1, batch_y1;             /* that they may reach */
    uint64_t prim_serial;
    unsigned lanes;                         /* in use: 1 when the order of pixels is part of the result */
    bool threads_ok, batch_end;
    uint32_t first_wave;                    /* number of the draw's first pixel wave */
    struct draw_lane lane[DRAW_LANES];
    struct emu_pool *pool;
    struct draw_stage ps;
    struct raster_db db;                    /* as begun: lanes have copies */
    struct raster_cb cb;
    unsigned next_cu;                       /* where the next wave goes */
    uint64_t budget;                        /* of the draw: instructions and indices; 0: stopped */
};

/* Decode a stage's registers; STAGE_HS and STAGE_GS of GFX9 are the merged ones. draw_wave.c. */
void emu_draw_stage(const struct atoll_gpu *gpu, enum isa_stage stage, struct draw_stage *out);

/* Run the waves to their end. False when they could not (reported as a guest fault). */
bool emu_draw_run(struct emu_draw_state *d, const struct draw_run *r);

/* Take n off the draw's budget. False, and a guest fault the first time, when it is used up: a draw of
 * 2^32 indices times 2^32 instances must end too. */
bool emu_draw_spend(struct emu_draw_state *d, uint64_t n);

/* ---- the stage that takes vertices: ES when there is a geometry shader, else VS ------------------ */

/* Make room for one primitive and its vertices; shades what there is when there is none. False when the
 * draw stopped. */
bool draw_room(struct emu_draw_state *d);
/* A new slot for a vertex whose lane starts with in[0..3]; after draw_room. */
unsigned draw_slot(struct emu_draw_state *d, const uint32_t in[4]);
/* A primitive of slots. */
void draw_prim(struct emu_draw_state *d, const struct raster_ia_prim *p);
/* Shade and draw all there is. */
bool draw_flush(struct emu_draw_state *d);

void draw_vs_begin(struct emu_draw_state *d);
bool draw_vs_flush(struct emu_draw_state *d);
bool draw_vs_room(struct emu_draw_state *d);
unsigned draw_vs_slot(struct emu_draw_state *d, const uint32_t in[4]);
void draw_vs_prim(struct emu_draw_state *d, const struct raster_ia_prim *p);

bool draw_gs_create(struct emu_draw_state *d);
void draw_gs_destroy(struct emu_draw_state *d);
void draw_gs_begin(struct emu_draw_state *d);
bool draw_gs_flush(struct emu_draw_state *d);

bool draw_tess_create(struct emu_draw_state *d);
void draw_tess_destroy(struct emu_draw_state *d);
/* False when the draw cannot be done (reported). */
bool draw_tess_begin(struct emu_draw_state *d);
/* One more control point; prim_id is the patch's. */
bool draw_tess_vertex(struct emu_draw_state *d, const uint32_t in[4], uint32_t prim_id, bool *completes);
void draw_tess_cut(struct emu_draw_state *d);
bool draw_tess_flush(struct emu_draw_state *d);

/* ---- lanes ---------------------------------------------------------------------------------------- */

void draw_lanes_begin(struct emu_draw_state *d);
/* A primitive for SC; the vertices that it names stay until the next draw_lanes_run. */
void draw_lanes_prim(struct emu_draw_state *d, const struct raster_prim *p);
/* Scan-convert and shade what there is; at the draw's end also waves that are not full. */
void draw_lanes_run(struct emu_draw_state *d, bool end);

/* Quads of one primitive into pixel waves; a raster_quads_fn with a lane as ctx. */
void emu_spi_quads(void *ctx, const struct raster_prim *p, const struct raster_quad *q, unsigned n);

/* Shade what a lane has collected. */
void emu_spi_flush(struct draw_lane *lane);

#endif
