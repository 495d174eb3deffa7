/* Geometry shaders: ES waves, GS waves, and what they emit on its way to the copy shader.
 *
 * GFX6 to GFX8, off chip. An ES wave of 64 vertices writes its outputs to the ESGS ring, dword i of lane l at
 * (64 i + l) * 4 from the wave's offset; a GS thread gets, for each of its primitive's vertices, the dword
 * offset at which its outputs start. What GS emits it writes to the GSVS ring, vertex v of a stream at
 *
 *   wave + stream * 64 + (lane / 16) * (16 * item) + (component * MAX_VERT_OUT + v) * 16 + lane % 16   (dwords)
 *
 * where item is what a thread has of the stream; v0 of the copy shader is that offset for component 0. The
 * messages GS sends (emit, cut, both; a stream each) say which vertices exist and where strips end. Here ES
 * fills the ring from its start for each batch, GS waves run one after another, and the copy shader
 * takes a wave's vertices before the next one overwrites them.
 *
 * GFX9: one merged wave has ES vertices and GS threads in its lanes, and ESGS lies in LDS: vertex n of the
 * subgroup at n * VGT_ESGS_RING_ITEMSIZE dwords. The GSVS ring is as before.
 *
 * Initial registers:
 *   ES  SGPRs: [OC_LDS_EN: off-chip offset, -], ES-to-GS ring offset; VGPRs as VS
 *   GS  SGPRs: GS-to-VS ring offset, wave id; v0, v1, v3..v6 the vertices' offsets, v2 primitive id, v7 instance
 *   GFX9: s2 GS-to-VS offset, s3 vertices | threads << 8 | wave << 24 | waves << 28, s4 off-chip offset; v0, v1, v4 two
 *         offsets each, v2 primitive id, v3 instance, v5..v8 those of ES
 *
 * Sources: VGT_GS_*, VGT_ESGS_*, VGT_GSVS_* registers; ring descriptors and shader arguments of Mesa. */
#include "emu/draw_priv.h"

#include <stdlib.h>

#define F(reg, field) regs_field(&gpu->regs, F_##reg##__##field)

bool draw_gs_create(struct emu_draw_state *d)
{
    struct draw_gs *g = &d->gs;

    g->in = calloc(DRAW_SLOTS, sizeof *g->in);
    g->prim = calloc(DRAW_PRIMS, sizeof *g->prim);
    g->emitted = calloc(DRAW_GS_WAVES, sizeof *g->emitted);
    return g->in && g->prim && g->emitted;
}

void draw_gs_destroy(struct emu_draw_state *d)
{
    free(d->gs.in);
    free(d->gs.prim);
    free(d->gs.emitted);
}

/* ---- set-up ------------------------------------------------------------------------------------- */

static unsigned input_verts(uint32_t prim_type, const struct draw_tess *tess)
{
    if (tess->on)
        return tess->out->topology == V_VGT_TESS_TOPOLOGY__OUTPUT_POINT  ? 1
               : tess->out->topology == V_VGT_TESS_TOPOLOGY__OUTPUT_LINE ? 2
                                                                         : 3;
    switch (prim_type) {
    case V_VGT_DI_PRIM_TYPE__DI_PT_LINELIST_ADJ:
    case V_VGT_DI_PRIM_TYPE__DI_PT_LINESTRIP_ADJ:
        return 4;
    case V_VGT_DI_PRIM_TYPE__DI_PT_TRILIST_ADJ:
    case V_VGT_DI_PRIM_TYPE__DI_PT_TRISTRIP_ADJ:
        return 6;
    }
    return raster_ia_verts(prim_type);
}

static void set_limits(struct emu_draw_state *d)
{
    struct atoll_gpu *gpu = d->gpu;
    struct draw_gs *g = &d->gs;
    const unsigned item = MAX2(g->es_item_dw, 1);

    if (g->gs.merged) {
        g->slots_max = F(VGT_GS_ONCHIP_CNTL, ES_VERTS_PER_SUBGRP);
        g->prims_max = F(VGT_GS_ONCHIP_CNTL, GS_PRIMS_PER_SUBGRP);
        g->prims_max = MIN2(g->prims_max, DRAW_GS_WAVES * DRAW_WAVE / g->instances);
        g->slots_max = MIN2(g->slots_max, DRAW_GS_WAVES * DRAW_WAVE);
    } else {
        /* Whole waves that the ring holds; at least one, whose stores then miss. */
        g->slots_max = regs_get(&gpu->regs, R_VGT_ESGS_RING_SIZE) * UINT64_C(64) / item;
        g->slots_max = MAX2(g->slots_max & ~(DRAW_WAVE - 1), DRAW_WAVE);
        g->prims_max = DRAW_PRIMS;
    }
    g->slots_max = MAX2(MIN2(g->slots_max, DRAW_SLOTS), g->prim_verts);
    g->prims_max = MAX2(MIN2(g->prims_max, DRAW_PRIMS), 1);
}

void draw_gs_begin(struct emu_draw_state *d)
{
    struct atoll_gpu *gpu = d->gpu;
    struct draw_gs *g = &d->gs;
    const bool unique = F(VGT_GS_OUT_PRIM_TYPE, UNIQUE_TYPE_PER_STREAM);

    emu_draw_stage(gpu, STAGE_GS, &g->gs);
    if (!g->gs.merged)
        emu_draw_stage(gpu, STAGE_ES, &g->es);
    g->instances = F(VGT_GS_INSTANCE_CNT, ENABLE) ? MAX2(F(VGT_GS_INSTANCE_CNT, CNT), 1) : 1;
    g->max_vert_out = MIN2(F(VGT_GS_MAX_VERT_OUT, MAX_VERT_OUT), DRAW_GS_VERTS);
    g->es_item_dw = F(VGT_ESGS_RING_ITEMSIZE, ITEMSIZE);
    g->ring_item_dw = regs_extract(gpu->regs.gen, F_VGT_ESGS_RING_ITEMSIZE__ITEMSIZE,
                                   regs_get(&gpu->regs, R_VGT_GSVS_RING_ITEMSIZE));
    for (unsigned s = 0; s < EMU_SO_STREAMS; s++)
        g->vert_item_dw[s] = regs_extract(gpu->regs.gen, F_VGT_ESGS_RING_ITEMSIZE__ITEMSIZE,
                                          regs_get_i(&gpu->regs, R_VGT_GS_VERT_ITEMSIZE, s));
    g->ring_offset_dw[0] = 0;
    g->ring_offset_dw[1] = regs_get(&gpu->regs, R_VGT_GSVS_RING_OFFSET_1);
    g->ring_offset_dw[2] = regs_get(&gpu->regs, R_VGT_GSVS_RING_OFFSET_2);
    g->ring_offset_dw[3] = regs_get(&gpu->regs, R_VGT_GSVS_RING_OFFSET_3);
    g->out_type[0] = F(VGT_GS_OUT_PRIM_TYPE, OUTPRIM_TYPE);
    g->out_type[1] = unique ? F(VGT_GS_OUT_PRIM_TYPE, OUTPRIM_TYPE_1) : g->out_type[0];
    g->out_type[2] = unique ? F(VGT_GS_OUT_PRIM_TYPE, OUTPRIM_TYPE_2) : g->out_type[0];
    g->out_type[3] = unique ? F(VGT_GS_OUT_PRIM_TYPE, OUTPRIM_TYPE_3) : g->out_type[0];
    g->suppress_cuts = F(VGT_GS_MODE, SUPPRESS_CUTS);
    g->prim_verts = input_verts(d->st.ia.prim_type, &d->tess);
    g->slots = g->prims = 0;
    if (F(VGT_GS_MODE, MODE) != V_VGT_GS_MODE_TYPE__GS_SCENARIO_G)
        loud_report(gpu->loud, LOUD_OTHER, 0x5000, "a geometry shader with VGT_GS_MODE = 0x%x at draw %u",
                    regs_get(&gpu->regs, R_VGT_GS_MODE), gpu->draw_number);
    if (!g->gs.merged && F(VGT_GS_MODE, ONCHIP))
        loud_report(gpu->loud, LOUD_OTHER, 0x5001, "a geometry shader with its rings on chip at draw %u",
                    gpu->draw_number);
    set_limits(d);
}

/* ---- waves -------------------------------------------------------------------------------------- */

struct gs_ctx {
    struct emu_wave_ctx wave; /* first */
    struct emu_draw_state *d;
    struct draw_gs_emitted *emitted;
};

struct gs_batch {
    struct emu_draw_state *d;
    unsigned first;          /* slot (ES), thread (GS) of the first wave's first lane */
    unsigned slots, threads; /* of the batch */
    unsigned waves;
};

static void no_export(struct wave *w, unsigned target, unsigned en, bool compr, bool done, bool vm,
                      const uint32_t *const src[4])
{
    loud_report(w->loud, LOUD_OTHER, 0x1100 + target, "export target %u from a geometry shader", target);
}

static void gs_sendmsg(struct wave *w, uint32_t imm, uint32_t m0)
{
    enum { MSG_GS = 2, MSG_GS_DONE = 3, CUT = 1, EMIT = 2 };
    const struct gs_ctx *c = w->ops_ctx;
    struct draw_gs_emitted *e = c->emitted;
    const unsigned msg = bits(imm, 0, 3), op = bits(imm, 4, 5), s = bits(imm, 8, 9);
    const uint64_t exec = wave_exec(w);

    if ((msg != MSG_GS && msg != MSG_GS_DONE) || !e) {
        emu_ops_sendmsg(w, imm, m0);
        return;
    }
    for (unsigned l = 0; l < DRAW_WAVE && op; l++) {
        uint16_t *n = &e->count[s][l];

        if (!(exec >> l & 1))
            continue;
        if (op & EMIT) {
            if (*n < c->d->gs.max_vert_out)
                ++*n;
            else
                e->too_many = true;
        }
        if (op & CUT && *n)
            e->cut[s][l][(*n - 1) / 32] |= 1u << (*n - 1) % 32;
    }
}

static const struct wave_ops gs_ops = {
    .image = emu_ops_image,
    .export_ = no_export,
    .gds = emu_ops_gds,
    .sendmsg = gs_sendmsg,
    .memtime = emu_ops_memtime,
    .gws = emu_ops_gws,
    .trace = emu_ops_trace,
};

static void put_sgpr(struct wave *w, unsigned *n, uint32_t value)
{
    if (*n < w->num_sgprs)
        w->s[*n] = value;
    ++*n;
}

static void put_vgpr(struct wave *w, unsigned v, unsigned lane, uint32_t value)
{
    if (v < w->num_vgprs)
        w->v[v * 64 + lane] = value;
}

static uint64_t lanes(unsigned n)
{
    return n ? UINT64_MAX >> (64 - MIN2(n, 64u)) : 0;
}

/* How many of `total` lanes wave i of a batch has. */
static unsigned share(unsigned total, unsigned i)
{
    return total > i * DRAW_WAVE ? MIN2(total - i * DRAW_WAVE, DRAW_WAVE) : 0;
}

static uint64_t es_fill(struct wave *w, unsigned i, unsigned *sgpr, void *arg)
{
    const struct gs_batch *b = arg;
    const struct draw_gs *g = &b->d->gs;
    const unsigned n = MIN2(b->slots - b->first, DRAW_WAVE);

    if (g->es.offchip) {
        put_sgpr(w, sgpr, 0);
        put_sgpr(w, sgpr, 0);
    }
    put_sgpr(w, sgpr, b->first * g->es_item_dw * 4);
    for (unsigned l = 0; l < n; l++)
        for (unsigned k = 0; k <= g->es.comp_cnt; k++)
            put_vgpr(w, k, l, g->in[b->first + l][k]);
    return lanes(n);
}

/* Where the outputs of a slot start, in dwords of the ring or of LDS. */
static uint32_t es_offset(const struct draw_gs *g, unsigned slot)
{
    if (g->gs.merged)
        return slot * g->es_item_dw;
    return slot / DRAW_WAVE * DRAW_WAVE * g->es_item_dw + slot % DRAW_WAVE;
}

static uint64_t gs_fill(struct wave *w, unsigned i, unsigned *sgpr, void *arg)
{
    const struct gs_batch *b = arg;
    const struct draw_gs *g = &b->d->gs;
    const unsigned n = MIN2(b->threads - b->first, DRAW_WAVE);

    put_sgpr(w, sgpr, 0);
    put_sgpr(w, sgpr, i);
    for (unsigned l = 0; l < n; l++) {
        static const uint8_t at[RASTER_PRIM_VERTS] = { 0, 1, 3, 4, 5, 6 };
        const struct draw_gs_prim *p = &g->prim[(b->first + l) / g->instances];

        for (unsigned k = 0; k < g->prim_verts; k++)
            put_vgpr(w, at[k], l, es_offset(g, p->slot[k]));
        put_vgpr(w, 2, l, p->prim_id);
        put_vgpr(w, 7, l, (b->first + l) % g->instances);
    }
    return lanes(n);
}

static uint64_t merged_fill(struct wave *w, unsigned i, unsigned *sgpr, void *arg)
{
    const struct gs_batch *b = arg;
    const struct draw_gs *g = &b->d->gs;
    const unsigned ne = share(b->slots, i), ng = share(b->threads, i);

    put_sgpr(w, sgpr, i * g->ring_item_dw * DRAW_WAVE * 4);
    put_sgpr(w, sgpr, ne | ng << 8 | i << 24 | b->waves << 28);
    put_sgpr(w, sgpr, 0);
    for (unsigned l = 0; l < ng; l++) {
        static const uint8_t at[RASTER_PRIM_VERTS / 2] = { 0, 1, 4 };
        const unsigned thread = i * DRAW_WAVE + l;
        const struct draw_gs_prim *p = &g->prim[thread / g->instances];

        for (unsigned k = 0; k < g->prim_verts; k += 2)
            put_vgpr(w, at[k / 2], l, (es_offset(g, p->slot[k]) & 0xffff) |
                                          (k + 1 < g->prim_verts ? es_offset(g, p->slot[k + 1]) << 16 : 0));
        put_vgpr(w, 2, l, p->prim_id);
        put_vgpr(w, 3, l, thread % g->instances);
    }
    for (unsigned l = 0; l < ne; l++)
        for (unsigned k = 0; k < 4; k++)
            put_vgpr(w, 5 + k, l, g->in[i * DRAW_WAVE + l][k]);
    return UINT64_MAX;
}

/* ---- what was emitted ------------------------------------------------------------------------------- */

static const uint8_t out_types[] = {
    [V_VGT_GS_OUTPRIM_TYPE__POINTLIST] = V_VGT_DI_PRIM_TYPE__DI_PT_POINTLIST,
    [V_VGT_GS_OUTPRIM_TYPE__LINESTRIP] = V_VGT_DI_PRIM_TYPE__DI_PT_LINESTRIP,
    [V_VGT_GS_OUTPRIM_TYPE__TRISTRIP] = V_VGT_DI_PRIM_TYPE__DI_PT_TRISTRIP,
    [V_VGT_GS_OUTPRIM_TYPE__RECTLIST] = V_VGT_DI_PRIM_TYPE__DI_PT_RECTLIST,
};

/* The vertices that one thread emitted to a stream. What the assembler holds are vertex numbers; they get
 * slots when a primitive has them. */
static bool take_thread(struct emu_draw_state *d, const struct draw_gs_emitted *e, unsigned s, unsigned lane,
                        uint32_t base_dw, uint16_t slot_of[DRAW_GS_VERTS])
{
    const struct draw_gs *g = &d->gs;
    const uint32_t item = g->vert_item_dw[s] * g->max_vert_out;
    const uint32_t at = base_dw + g->ring_offset_dw[s] * DRAW_WAVE + lane / 16 * 16 * item + lane % 16;
    struct raster_ia ia;
    uint32_t generation = d->generation;

    raster_ia_begin(&ia, out_types[g->out_type[s]], d->st.ia.provoking_last, false);
    for (unsigned v = 0; v < e->count[s][lane]; v++) {
        struct raster_ia_prim out[2];
        unsigned n = raster_ia_vertex(&ia, v, out);

        for (unsigned i = 0; i < n; i++) {
            if (!draw_vs_room(d))
                return false;
            if (generation != d->generation) { /* of a strip the last vertices count */
                generation = d->generation;
                for (unsigned k = 0; k < 4 && k <= v; k++)
                    slot_of[v - k] = UINT16_MAX;
            }
            for (unsigned k = 0; k < out[i].verts; k++) {
                const unsigned vert = (unsigned)out[i].v[k];

                if (slot_of[vert] == UINT16_MAX) {
                    const uint32_t in[4] = { at + vert * 16 };

                    slot_of[vert] = (uint16_t)draw_vs_slot(d, in);
                }
                out[i].v[k] = slot_of[vert];
            }
            draw_vs_prim(d, &out[i]);
            emu_count(&d->gpu->counters, CNT_GS_PRIMITIVES, s == 0);
        }
        if (!g->suppress_cuts && e->cut[s][lane][v / 32] >> v % 32 & 1)
            raster_ia_cut(&ia, out);
    }
    return true;
}

static bool take_emitted(struct emu_draw_state *d, const struct draw_gs_emitted *e, uint32_t base_dw)
{
    uint16_t slot_of[DRAW_GS_VERTS];

    if (e->too_many)
        emu_guest_fault(d->gpu, "draw %u: a geometry shader emits more than VGT_GS_MAX_VERT_OUT = %u vertices",
                        d->gpu->draw_number, d->gs.max_vert_out);
    for (unsigned s = 0; s < EMU_SO_STREAMS; s++) {
        if (d->gs.out_type[s] >= ARRAY_LEN(out_types)) {
            loud_report(d->gpu->loud, LOUD_OTHER, 0x5100 + d->gs.out_type[s],
                        "VGT_GS_OUT_PRIM_TYPE = %u at draw %u", d->gs.out_type[s], d->gpu->draw_number);
            continue;
        }
        d->stream = s;
        for (unsigned l = 0; l < DRAW_WAVE; l++) {
            if (!e->count[s][l])
                continue;
            memset(slot_of, 0xff, e->count[s][l] * sizeof slot_of[0]);
            if (!take_thread(d, e, s, l, base_dw, slot_of))
                return false;
        }
        if (!draw_vs_flush(d))
            return false;
    }
    d->stream = 0;
    return true;
}

static bool run_merged(struct emu_draw_state *d, struct gs_batch *b)
{
    struct draw_gs *g = &d->gs;
    struct gs_ctx ctx[DRAW_GS_WAVES];
    struct draw_run run = { .stage = &g->gs, .waves = b->waves, .lds_bytes = g->gs.lds_bytes, .ops = &gs_ops,
                            .ctx = ctx, .ctx_bytes = sizeof ctx[0], .fill = merged_fill, .arg = b };

    memset(ctx, 0, sizeof ctx);
    for (unsigned i = 0; i < b->waves; i++) {
        ctx[i].d = d;
        ctx[i].emitted = &g->emitted[i];
        memset(ctx[i].emitted, 0, sizeof *ctx[i].emitted);
    }
    if (!emu_draw_run(d, &run))
        return false;
    for (unsigned i = 0; i < b->waves; i++)
        if (!take_emitted(d, &g->emitted[i], i * g->ring_item_dw * DRAW_WAVE))
            return false;
    return true;
}

static bool run_two(struct emu_draw_state *d, struct gs_batch *b)
{
    struct draw_gs *g = &d->gs;
    struct gs_ctx ctx = { .d = d };
    struct draw_run run = { .stage = &g->es, .waves = 1, .lds_bytes = g->es.lds_bytes, .ops = &gs_ops, .ctx = &ctx,
                            .ctx_bytes = sizeof ctx, .fill = es_fill, .arg = b };

    for (b->first = 0; b->first < b->slots; b->first += DRAW_WAVE)
        if (!emu_draw_run(d, &run))
            return false;
    run.stage = &g->gs;
    run.fill = gs_fill;
    run.lds_bytes = 0;
    ctx.emitted = &g->emitted[0];
    for (b->first = 0; b->first < b->threads; b->first += DRAW_WAVE) {
        memset(ctx.emitted, 0, sizeof *ctx.emitted);
        if (!emu_draw_run(d, &run) || !take_emitted(d, ctx.emitted, 0))
            return false;
    }
    return true;
}

bool draw_gs_flush(struct emu_draw_state *d)
{
    struct draw_gs *g = &d->gs;
    struct gs_batch b = { .d = d, .slots = g->slots, .threads = g->prims * g->instances };
    bool ok = true;

    b.waves = (MAX2(b.slots, b.threads) + DRAW_WAVE - 1) / DRAW_WAVE;
    if (g->prims) {
        emu_count(&d->gpu->counters, d->tess.on ? CNT_DS_INVOCATIONS : CNT_VS_INVOCATIONS, b.slots);
        emu_count(&d->gpu->counters, CNT_GS_INVOCATIONS, b.threads);
        ok = g->gs.merged ? run_merged(d, &b) : run_two(d, &b);
    }
    g->slots = g->prims = 0;
    d->generation++;
    return ok && d->budget;
}
