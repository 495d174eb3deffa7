/* What the parts of a draw share: draw.c (vertices and primitives) and spi.c (pixel waves).
 *
 * All memory is taken once, at the device's creation; a draw walks its indices in chunks that fit:
 * vertices get slots, vertex waves fill the slots, primitives go through PA and SC, quads collect into
 * pixel waves. A chunk ends when slots or primitives run out; what the assembler still needs is carried
 * over. */
#ifndef ATOLL_EMU_DRAW_PRIV_H
#define ATOLL_EMU_DRAW_PRIV_H

#include "emu/draw.h"
#include "raster/raster.h"

#define DRAW_WAVE        64u
#define DRAW_SLOTS       1024u
#define DRAW_PRIMS       2048u
#define DRAW_CARRY       4u    /* vertices that struct raster_ia may hold */
#define DRAW_REUSE_MAX   64u
#define DRAW_POS_EXPORTS 4u
#define DRAW_QUADS       16u   /* of a pixel wave */

/* Export targets as EXP encodes them. */
enum {
    EXP_TARGET_MRT0 = 0, EXP_TARGET_MRTZ = 8, EXP_TARGET_NULL = 9, EXP_TARGET_POS0 = 12,
    EXP_TARGET_PARAM0 = 32
};

/* A vertex in a slot: what it starts with, and what its shader exported. */
struct draw_vertex {
    uint32_t index, instance, prim_id;
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

struct emu_draw_state {
    struct atoll_gpu *gpu;
    struct raster_state st;
    struct raster_counters count;

    struct draw_vertex vertex[DRAW_SLOTS];
    unsigned slots, shaded;                 /* taken; of these, through the vertex shader */
    struct raster_ia ia;
    struct raster_ia_prim prim[DRAW_PRIMS];
    unsigned prims;
    struct {
        uint32_t index;
        unsigned slot;
    } reuse[DRAW_REUSE_MAX];                /* the last vertices, a ring */
    unsigned reuse_have, reuse_next, reuse_depth;

    uint64_t prim_serial;                   /* counts primitives into SC: from 1 */
    struct draw_pixels px;
    struct draw_exports exports;
    struct raster_db db;
    struct raster_cb cb;
    unsigned next_cu;                       /* where the next wave goes */
    uint64_t budget;                        /* of the draw: instructions and indices; 0: stopped */
};

/* What a shader stage's registers say: where the code is and what a wave needs. */
struct draw_stage {
    enum isa_stage stage;
    struct emu_pgm pgm;
    unsigned user_sgprs;
    uint32_t user[32];
    uint32_t cu_mask;   /* of an SH: SPI_SHADER_PGM_RSRC3.CU_EN */
};

/* Run one wave. `fill` writes its SGPRs after the user ones (from w->s[user_sgprs] on) and its
 * VGPRs; `lds_bytes` of LDS are there. False when it could not run to its end (reported as a guest
 * fault). Defined in spi.c. */
bool emu_draw_wave(struct emu_draw_state *d, const struct draw_stage *s, uint64_t exec,
                   unsigned lds_bytes, const struct wave_ops *ops, struct emu_wave_ctx *ctx,
                   void (*fill)(struct wave *w, unsigned sgpr, void *arg), void *arg);

/* Take n off the draw's budget. False, and a guest fault the first time, when it is used up: a draw of
 * 2^32 indices times 2^32 instances must end too. */
bool emu_draw_spend(struct emu_draw_state *d, uint64_t n);

/* Decode a stage's SPI_SHADER_* registers (VS or PS). */
void emu_draw_stage(const struct atoll_gpu *gpu, enum isa_stage stage, struct draw_stage *out);

/* Quads of one primitive into pixel waves; a raster_quads_fn with the draw state as ctx. */
void emu_spi_quads(void *ctx, const struct raster_prim *p, const struct raster_quad *q, unsigned n);

/* Shade what has been collected. */
void emu_spi_flush(struct emu_draw_state *d);

#endif
