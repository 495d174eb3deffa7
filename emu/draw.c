/* A draw: indices to vertices, vertex waves, primitives to the rasteriser.
 *
 * The state of the draw is decoded once (raster_state_decode). Indices are looked up among the last
 * VTX_REUSE_DEPTH vertices; one that is not there takes a slot, and slots are shaded in waves of 64.
 * Primitives are kept as slot numbers until the slots run out or the draw ends; then the missing
 * vertices are shaded and the primitives go through PA and SC in order, into pixel waves (spi.c).
 *
 * Vertex shader input: v0 the vertex index (offset and clamped), v1 the instance divided by
 * VGT_INSTANCE_STEP_RATE_0, v2 the primitive id, v3 the instance; VGPR_COMP_CNT says how many.
 *
 * Sources: VGT_* and SPI_* registers; the initial VGPRs as Mesa's compilers expect them. */
#include "emu/draw_priv.h"

#include <stdlib.h>

#define F(reg, field) regs_field(&gpu->regs, F_##reg##__##field)

/* POS1 ("miscellaneous"), POS2, POS3 are packed: those that are enabled follow POS0 in this order. */
enum { POS_MISC, POS_CCDIST0, POS_CCDIST1, POS_KINDS };

struct emu_draw_state *emu_draw_state_create(struct atoll_gpu *gpu)
{
    struct emu_draw_state *d = calloc(1, sizeof *d);

    if (d)
        d->gpu = gpu;
    return d;
}

void emu_draw_state_destroy(struct emu_draw_state *s)
{
    free(s);
}

/* ---- vertex waves ----------------------------------------------------------------------------- */

struct vs_ctx {
    struct emu_wave_ctx wave; /* first: shared wave_ops find it there */
    struct emu_draw_state *d;
    unsigned first, n;        /* slots of this wave */
    unsigned comp_cnt;
};

static void vs_export(struct wave *w, unsigned target, unsigned en, bool compr, bool done, bool vm,
                      const uint32_t *const src[4])
{
    struct vs_ctx *c = w->ops_ctx;
    const uint64_t exec = wave_exec(w);
    const bool pos = target >= EXP_TARGET_POS0 && target < EXP_TARGET_POS0 + DRAW_POS_EXPORTS;
    const bool param = target >= EXP_TARGET_PARAM0 && target < EXP_TARGET_PARAM0 + RASTER_PARAMS_MAX;

    if (target == EXP_TARGET_NULL)
        return;
    if ((!pos && !param) || compr) {
        loud_report(w->loud, LOUD_OTHER, 0x1000 + target, "export target %u%s from %s", target,
                    compr ? " (compressed)" : "", "a vertex shader");
        return;
    }
    for (unsigned l = 0; l < c->n; l++) {
        struct draw_vertex *v = &c->d->vertex[c->first + l];

        if (!(exec >> l & 1))
            continue;
        for (unsigned k = 0; k < 4; k++) {
            if (!(en >> k & 1) || !src[k])
                continue;
            if (pos)
                v->pos[target - EXP_TARGET_POS0][k] = bits_f32(src[k][l]);
            else
                v->param[target - EXP_TARGET_PARAM0][k] = src[k][l];
        }
    }
}

static const struct wave_ops vs_ops = {
    .image = emu_ops_image,
    .export_ = vs_export,
    .gds = emu_ops_gds,
    .sendmsg = emu_ops_sendmsg,
    .memtime = emu_ops_memtime,
    .gws = emu_ops_gws,
    .trace = emu_ops_trace,
};

static void vs_fill(struct wave *w, unsigned sgpr, void *arg)
{
    const struct vs_ctx *c = arg;
    const struct raster_ia_state *ia = &c->d->st.ia;

    for (unsigned l = 0; l < c->n; l++) {
        const struct draw_vertex *v = &c->d->vertex[c->first + l];
        /* Step rate 0: the value never advances. */
        uint32_t in[4] = { v->index, ia->step_rate[0] ? v->instance / ia->step_rate[0] : 0,
                           v->prim_id, v->instance };

        for (unsigned k = 0; k <= c->comp_cnt && k < w->num_vgprs; k++)
            w->v[k * 64 + l] = in[k];
    }
}

/* The exported positions of a vertex as PA wants them. */
static void decode_position(const struct emu_draw_state *d, struct draw_vertex *v)
{
    const struct raster_pa_state *pa = &d->st.pa;
    const bool on[POS_KINDS] = { pa->misc_vec, pa->ccdist0_vec, pa->ccdist1_vec };
    const float *vec[POS_KINDS] = { NULL, NULL, NULL };
    unsigned next = 1;

    for (unsigned k = 0; k < POS_KINDS; k++)
        if (on[k] && next < DRAW_POS_EXPORTS)
            vec[k] = v->pos[next++];
    memset(&v->out, 0, sizeof v->out);
    memcpy(v->out.pos, v->pos[0], sizeof v->out.pos);
    if (vec[POS_MISC]) {
        uint32_t z = f32_bits(vec[POS_MISC][2]);

        v->out.point_size = vec[POS_MISC][0];
        v->out.edge_flag = f32_bits(vec[POS_MISC][1]);
        /* GFX9 has the viewport in the upper half of z. */
        v->out.rt_index = d->st.gen == GFX9 ? z & 0xffff : z;
        v->out.viewport = d->st.gen == GFX9 ? z >> 16 : f32_bits(vec[POS_MISC][3]);
    }
    if (vec[POS_CCDIST0])
        memcpy(&v->out.dist[0], vec[POS_CCDIST0], 4 * sizeof(float));
    if (vec[POS_CCDIST1])
        memcpy(&v->out.dist[4], vec[POS_CCDIST1], 4 * sizeof(float));
    v->out.param_slot = (uint32_t)(v - d->vertex);
}

static bool shade_vertices(struct emu_draw_state *d)
{
    struct atoll_gpu *gpu = d->gpu;
    struct vs_ctx c = { .d = d };
    struct draw_stage stage;

    emu_draw_stage(gpu, STAGE_VS, &stage);
    c.comp_cnt = F(SPI_SHADER_PGM_RSRC1_VS, VGPR_COMP_CNT);
    while (d->shaded < d->slots) {
        c.first = d->shaded;
        c.n = MIN2(d->slots - d->shaded, DRAW_WAVE);
        for (unsigned l = 0; l < c.n; l++) {
            struct draw_vertex *v = &d->vertex[c.first + l];

            memset(v->pos, 0, sizeof v->pos);
            v->pos[0][3] = 1;
            memset(v->param, 0, sizeof v->param);
        }
        emu_count(&gpu->counters, CNT_VS_INVOCATIONS, c.n);
        if (!emu_draw_wave(d, &stage, UINT64_MAX >> (64 - c.n), 0, &vs_ops, &c.wave, vs_fill, &c))
            return false;
        for (unsigned l = 0; l < c.n; l++)
            decode_position(d, &d->vertex[c.first + l]);
        d->shaded += c.n;
    }
    return true;
}

/* ---- primitives --------------------------------------------------------------------------------- */

static void rasterise(struct emu_draw_state *d)
{
    struct raster_prim out[RASTER_PA_OUT_MAX];

    for (unsigned i = 0; i < d->prims; i++) {
        const struct raster_ia_prim *ip = &d->prim[i];
        const struct raster_vertex *v[3] = { NULL, NULL, NULL };
        unsigned n;

        for (unsigned k = 0; k < ip->verts; k++)
            v[k] = &d->vertex[ip->v[k]].out;
        n = raster_pa_prim(&d->st, ip, v, out, &d->count);
        for (unsigned k = 0; k < n; k++) {
            d->prim_serial++;
            raster_sc_prim(&d->st, &out[k], emu_spi_quads, d, &d->count);
        }
    }
    d->prims = 0;
}

/* Shade and rasterise what there is. What the assembler still holds moves to the first slots. */
static bool flush_chunk(struct emu_draw_state *d)
{
    struct draw_vertex carry[DRAW_CARRY];

    if (!shade_vertices(d))
        return false;
    rasterise(d);
    for (unsigned i = 0; i < DRAW_CARRY; i++)
        carry[i] = d->vertex[d->ia.v[i] < DRAW_SLOTS ? d->ia.v[i] : 0];
    for (unsigned i = 0; i < DRAW_CARRY; i++) {
        d->vertex[i] = carry[i];
        d->vertex[i].out.param_slot = i;
        d->ia.v[i] = i;
    }
    d->slots = d->shaded = DRAW_CARRY;
    d->reuse_have = 0;
    return true;
}

static void add_prims(struct emu_draw_state *d, const struct raster_ia_prim *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (d->st.ia.prim_id)
            d->vertex[p[i].v[p[i].provoking]].prim_id = p[i].prim_id;
        d->prim[d->prims++] = p[i];
    }
}

/* The slot of a vertex: one of the last `reuse_depth`, or a new one. */
static unsigned vertex_slot(struct emu_draw_state *d, uint32_t index, uint32_t instance)
{
    unsigned slot;

    for (unsigned i = 0; i < d->reuse_have; i++)
        if (d->reuse[i].index == index)
            return d->reuse[i].slot;
    slot = d->slots++;
    d->vertex[slot].index = index;
    d->vertex[slot].instance = instance;
    d->vertex[slot].prim_id = 0;
    if (d->reuse_depth) {
        d->reuse[d->reuse_next].index = index;
        d->reuse[d->reuse_next].slot = slot;
        d->reuse_next = (d->reuse_next + 1) % d->reuse_depth;
        d->reuse_have = MIN2(d->reuse_have + 1, d->reuse_depth);
    }
    return slot;
}

/* ---- indices ------------------------------------------------------------------------------------ */

#define INDEX_BLOCK 1024u

struct indices {
    struct atoll_gpu *gpu;
    const struct emu_draw_info *info;
    uint32_t block; /* the block in `bytes`; UINT32_MAX: none */
    uint8_t bytes[INDEX_BLOCK * 4];
};

static uint32_t swap_index(uint32_t v, unsigned mode)
{
    if (mode == V_VGT_DMA_SWAP_MODE__VGT_DMA_SWAP_16_BIT)
        return (v & 0x00ff00ff) << 8 | (v >> 8 & 0x00ff00ff);
    if (mode == V_VGT_DMA_SWAP_MODE__VGT_DMA_SWAP_32_BIT)
        return __builtin_bswap32(v);
    if (mode == V_VGT_DMA_SWAP_MODE__VGT_DMA_SWAP_WORD)
        return v << 16 | v >> 16;
    return v;
}

static uint32_t load_index(const uint8_t *p, unsigned bytes)
{
    return bytes == 4 ? load_le32(p) : bytes == 2 ? load_le16(p) : *p;
}

static uint32_t fetch_index(struct indices *ix, uint32_t i)
{
    const struct emu_draw_info *d = ix->info;
    const unsigned size = d->index_bytes;
    uint32_t v;

    if (d->source == EMU_DRAW_AUTO)
        return i;
    if (d->source == EMU_DRAW_IMMEDIATE) {
        v = load_index(d->immediate + (size_t)i * size, size);
    } else {
        if (i >= d->index_max)
            return 0;
        if (i / INDEX_BLOCK != ix->block) {
            const struct mem_who who = { .client = MEM_IA };
            uint32_t first, n;

            ix->block = i / INDEX_BLOCK;
            first = ix->block * INDEX_BLOCK;
            n = MIN2(MIN2(d->count, d->index_max) - first, INDEX_BLOCK);
            if (!mem_read(ix->gpu->vm, d->index_va + (uint64_t)first * size, ix->bytes,
                          (uint64_t)n * size, &who))
                emu_guest_fault(ix->gpu, "draw %u: indices at 0x%llx are not mapped",
                                ix->gpu->draw_number,
                                (unsigned long long)(d->index_va + (uint64_t)first * size));
        }
        v = load_index(ix->bytes + (size_t)(i % INDEX_BLOCK) * size, size);
    }
    v = swap_index(v, d->index_swap);
    return size == 2 ? v & 0xffff : size == 1 ? v & 0xff : v;
}

static bool draw_instance(struct emu_draw_state *d, struct indices *ix, uint32_t instance,
                          bool match_all_bits)
{
    const struct raster_ia_state *ia = &d->st.ia;
    const unsigned bytes = ix->info->index_bytes;
    struct raster_ia_prim out[2];
    uint32_t restart = ia->restart_index;

    /* The comparison is as wide as an index, unless the register says otherwise. */
    if (ix->info->source != EMU_DRAW_AUTO && bytes < 4 && !match_all_bits)
        restart &= (1u << (8 * bytes)) - 1;
    d->ia.prim_id = 0;
    d->reuse_have = d->reuse_next = 0;
    for (uint32_t i = 0; i < ix->info->count; i++) {
        uint32_t index;

        if (!emu_draw_spend(d, 1))
            return false;
        index = fetch_index(ix, i);

        if (ia->restart && index == restart && ix->info->source != EMU_DRAW_AUTO) {
            add_prims(d, out, raster_ia_cut(&d->ia, out));
            continue;
        }
        emu_count(&d->gpu->counters, CNT_IA_VERTICES, 1);
        index += ia->index_offset;
        index = MAX2(index, ia->index_min);
        index = MIN2(index, ia->index_max);
        add_prims(d, out, raster_ia_vertex(&d->ia, vertex_slot(d, index, instance), out));
        if ((d->slots == DRAW_SLOTS || d->prims + 4 > DRAW_PRIMS) && !flush_chunk(d))
            return false;
    }
    add_prims(d, out, raster_ia_cut(&d->ia, out));
    emu_count(&d->gpu->counters, CNT_IA_PRIMITIVES, d->ia.prim_id);
    return true;
}

bool emu_draw_spend(struct emu_draw_state *d, uint64_t n)
{
    if (d->budget > n) {
        d->budget -= n;
        return true;
    }
    if (d->budget)
        emu_guest_hang(d->gpu, "draw %u does not end: stopped after %llu instructions and indices",
                       d->gpu->draw_number, (unsigned long long)d->gpu->opt.watchdog_insts);
    d->budget = 0;
    return false;
}

/* ---- the draw ----------------------------------------------------------------------------------- */

/* True when the stages are those that are modelled: a vertex shader in the VS stage and no other. */
static bool stages_modelled(struct atoll_gpu *gpu)
{
    const uint32_t es = F(VGT_SHADER_STAGES_EN, ES_EN), gs = F(VGT_SHADER_STAGES_EN, GS_EN);
    const uint32_t ls = F(VGT_SHADER_STAGES_EN, LS_EN), hs = F(VGT_SHADER_STAGES_EN, HS_EN);

    if (!es && !gs && !ls && !hs)
        return true;
    loud_report(gpu->loud, LOUD_OTHER, 0x2000 | es << 3 | gs << 5 | ls | hs << 2,
                "shader stages VGT_SHADER_STAGES_EN = 0x%x at draw %u; the draw is skipped",
                regs_get(&gpu->regs, R_VGT_SHADER_STAGES_EN), gpu->draw_number);
    return false;
}

static void sum_counters(struct emu_counters *c, const struct raster_counters *r)
{
    emu_count(c, CNT_PA_PRIMS_IN, r->pa_prims_in);
    emu_count(c, CNT_PA_C_INVOCATIONS, r->pa_c_invocations);
    emu_count(c, CNT_PA_C_PRIMITIVES, r->pa_c_primitives);
    emu_count(c, CNT_PA_CLIPPED, r->pa_clipped);
    emu_count(c, CNT_PA_CULLED, r->pa_culled);
    emu_count(c, CNT_SC_PRIMS, r->sc_prims);
    emu_count(c, CNT_SC_TILES, r->sc_tiles);
    emu_count(c, CNT_SC_QUADS, r->sc_quads);
    emu_count(c, CNT_SC_PIXELS, r->sc_pixels);
    emu_count(c, CNT_SC_SAMPLES, r->sc_samples);
    emu_count(c, CNT_DB_SAMPLES_TESTED, r->db_tested);
    emu_count(c, CNT_DB_SAMPLES_PASSED, r->db_passed);
    emu_count(c, CNT_DB_SAMPLES_Z_FAILED, r->db_z_failed);
    emu_count(c, CNT_DB_SAMPLES_S_FAILED, r->db_s_failed);
    emu_count(c, CNT_DB_TILES_HIZ_CULLED, r->db_tiles_hiz_culled);
    emu_count(c, CNT_DB_QUADS_EARLY, r->db_quads_early);
    emu_count(c, CNT_DB_QUADS_LATE, r->db_quads_late);
    emu_count(c, CNT_CB_PIXELS, r->cb_pixels);
    emu_count(c, CNT_CB_SAMPLES, r->cb_samples);
    emu_count(c, CNT_CB_BLENDED, r->cb_blended);
    emu_count(c, CNT_CB_RESOLVED, r->cb_resolved);
    emu_count(c, CNT_CB_ELIMINATED, r->cb_eliminated);
}

void emu_draw(struct atoll_gpu *gpu, const struct emu_draw_info *info)
{
    struct emu_draw_state *d = gpu->draw;
    struct indices ix = { .gpu = gpu, .info = info, .block = UINT32_MAX };
    const bool match_all_bits = F(VGT_MULTI_PRIM_IB_RESET_EN, MATCH_ALL_BITS);
    bool ok = true;

    if (!d || !stages_modelled(gpu))
        return;
    raster_state_decode(&d->st, &gpu->regs, gpu->chip, gpu->loud, gpu->draw_number);
    if (!raster_ia_known(d->st.ia.prim_type)) {
        loud_report(gpu->loud, LOUD_OTHER, 0x3000 | d->st.ia.prim_type,
                    "VGT_PRIMITIVE_TYPE = %u at draw %u; the draw is skipped", d->st.ia.prim_type,
                    gpu->draw_number);
        return;
    }
    if (d->st.sc.line_diamond && raster_ia_verts(d->st.ia.prim_type) == 2)
        loud_report(gpu->loud, LOUD_OTHER, 0x3100,
                    "PA_SC_LINE_CNTL.DX10_DIAMOND_TEST_ENA: the ends of lines are cut along the minor "
                    "axis, at draw %u", gpu->draw_number);
    memset(&d->count, 0, sizeof d->count);
    d->budget = gpu->opt.watchdog_insts;
    raster_db_begin(&d->db, &d->st, gpu->vm, gpu->loud, gpu->draw_number);
    raster_cb_begin(&d->cb, &d->st, gpu->vm, gpu->loud, gpu->draw_number);
    raster_ia_begin(&d->ia, d->st.ia.prim_type, d->st.ia.provoking_last, false);
    d->slots = d->shaded = d->prims = 0;
    d->px.quads = d->px.prims = 0;
    /* A vertex that carries its primitive's id belongs to one primitive. */
    d->reuse_depth = d->st.ia.prim_id ? 0 : MIN2(d->st.ia.reuse_depth, DRAW_REUSE_MAX);

    for (uint32_t i = 0; i < info->instances && ok; i++)
        ok = draw_instance(d, &ix, i, match_all_bits);
    if (ok && shade_vertices(d)) {
        rasterise(d);
        emu_spi_flush(d);
    }
    raster_db_end(&d->db);
    raster_cb_end(&d->cb);
    gpu->samples_passed[0] += d->st.db.zpass_count ? d->count.db_passed : 0;
    sum_counters(&gpu->counters, &d->count);
}
