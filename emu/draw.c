/* A draw: which stages there are, indices to primitives, primitives to the first stage.
 *
 * The state of the draw is decoded once (raster_state_decode). Indices are assembled to primitives;
 * a primitive's vertices are looked up among the last VTX_REUSE_DEPTH vertices, and one that is not there takes
 * a slot. Patches collect for the tessellator instead, whose primitives take the same way from there on:
 *
 *   VGT_SHADER_STAGES_EN          vertices go to        primitives go to
 *   VS                            VS                    PA
 *   ES, GS, VS (copy)             ES                    GS, whose output goes to VS and PA
 *   LS, HS, VS (domain)           LS, domain points VS  tessellator, PA
 *   LS, HS, ES (domain), GS, VS   LS, domain points ES  tessellator, GS, VS and PA
 *
 * Vertex shader input: v0 the vertex index (offset and clamped), v1 the instance divided by
 * VGT_INSTANCE_STEP_RATE_0, v2 the primitive id (VGT_PRIMITIVEID_EN) or the instance divided by
 * VGT_INSTANCE_STEP_RATE_1, v3 the instance; VGPR_COMP_CNT says how many.
 *
 * Sources: VGT_* and SPI_* registers; the initial VGPRs as Mesa's compilers expect them. */
#include "emu/draw_priv.h"

#include <stdlib.h>

#define F(reg, field) regs_field(&gpu->regs, F_##reg##__##field)

struct emu_draw_state *emu_draw_state_create(struct atoll_gpu *gpu)
{
    struct emu_draw_state *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->gpu = gpu;
    d->pool = gpu->pool;
    if (!draw_gs_create(d) || !draw_tess_create(d)) {
        emu_draw_state_destroy(d);
        return NULL;
    }
    return d;
}

void emu_draw_state_destroy(struct emu_draw_state *d)
{
    if (!d)
        return;
    draw_gs_destroy(d);
    draw_tess_destroy(d);
    free(d);
}

/* ---- the stage that takes vertices ---------------------------------------------------------------- */

bool draw_flush(struct emu_draw_state *d)
{
    return d->gs.on ? draw_gs_flush(d) : draw_vs_flush(d);
}

bool draw_room(struct emu_draw_state *d)
{
    const struct draw_gs *g = &d->gs;

    if (!g->on)
        return draw_vs_room(d);
    return (g->slots + g->prim_verts <= g->slots_max && g->prims < g->prims_max) || draw_gs_flush(d);
}

unsigned draw_slot(struct emu_draw_state *d, const uint32_t in[4])
{
    if (!d->gs.on)
        return draw_vs_slot(d, in);
    memcpy(d->gs.in[d->gs.slots], in, sizeof d->gs.in[0]);
    return d->gs.slots++;
}

void draw_prim(struct emu_draw_state *d, const struct raster_ia_prim *p)
{
    struct draw_gs_prim *gp;

    if (!d->gs.on) {
        draw_vs_prim(d, p);
        return;
    }
    gp = &d->gs.prim[d->gs.prims++];
    for (unsigned k = 0; k < p->verts; k++)
        gp->slot[k] = (uint16_t)p->v[k];
    gp->prim_id = p->prim_id;
}

/* ---- primitives of indices ------------------------------------------------------------------------ */

/* What a vertex's lane starts with. Step rate 0: the value never advances. */
static void vertex_input(const struct emu_draw_state *d, uint32_t index, uint32_t instance, uint32_t prim_id,
                         uint32_t in[4])
{
    const struct raster_ia_state *ia = &d->st.ia;

    in[0] = index;
    in[1] = ia->step_rate[0] ? instance / ia->step_rate[0] : 0;
    in[2] = ia->prim_id ? prim_id : ia->step_rate[1] ? instance / ia->step_rate[1] : 0;
    in[3] = instance;
}

/* The slot of a vertex of a primitive: one of the last, or a new one. A vertex that carries its
 * primitive's id (the provoking one) is not shared with other positions of the same index. */
static unsigned vertex_slot(struct emu_draw_state *d, uint64_t name, uint32_t instance, uint32_t prim_id,
                            bool provoking)
{
    const uint32_t index = (uint32_t)name;
    uint32_t in[4];
    unsigned slot;

    if (d->reuse_generation != d->generation) {
        d->reuse_generation = d->generation;
        d->reuse_have = d->reuse_next = 0;
    }
    for (unsigned i = 0; i < d->reuse_have; i++)
        if (d->reuse[i].name == name || (d->reuse_by_index && (uint32_t)d->reuse[i].name == index)) {
            if (d->st.ia.prim_id && provoking)
                (d->gs.on ? d->gs.in[d->reuse[i].slot] : d->vertex[d->reuse[i].slot].in)[2] = prim_id;
            return d->reuse[i].slot;
        }
    vertex_input(d, index, instance, prim_id, in);
    slot = draw_slot(d, in);
    d->reuse[d->reuse_next].name = name;
    d->reuse[d->reuse_next].slot = slot;
    d->reuse_next = (d->reuse_next + 1) % d->reuse_depth;
    d->reuse_have = MIN2(d->reuse_have + 1, d->reuse_depth);
    return slot;
}

static bool add_prims(struct emu_draw_state *d, struct raster_ia_prim *p, unsigned n, uint32_t instance)
{
    for (unsigned i = 0; i < n; i++) {
        if (!draw_room(d))
            return false;
        for (unsigned k = 0; k < p[i].verts; k++)
            p[i].v[k] = vertex_slot(d, p[i].v[k], instance, p[i].prim_id, k == p[i].provoking);
        draw_prim(d, &p[i]);
    }
    return true;
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
    uint32_t restart = ia->restart_index, patches = 0;

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
            draw_tess_cut(d);
            if (!add_prims(d, out, raster_ia_cut(&d->ia, out), instance))
                return false;
            continue;
        }
        emu_count(&d->gpu->counters, CNT_IA_VERTICES, 1);
        index += ia->index_offset;
        index = MAX2(index, ia->index_min);
        index = MIN2(index, ia->index_max);
        if (d->tess.on) {
            uint32_t in[4];
            bool completes;

            vertex_input(d, index, instance, patches, in);
            if (!draw_tess_vertex(d, in, patches, &completes))
                return false;
            patches += completes;
        } else if (!add_prims(d, out, raster_ia_vertex(&d->ia, (uint64_t)i << 32 | index, out), instance)) {
            return false;
        }
    }
    draw_tess_cut(d);
    emu_count(&d->gpu->counters, CNT_IA_PRIMITIVES, patches);
    if (d->tess.on)
        return true;
    if (!add_prims(d, out, raster_ia_cut(&d->ia, out), instance))
        return false;
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

/* Which stages there are. False, reported, when the combination is none that the hardware knows. */
static bool set_stages(struct emu_draw_state *d)
{
    struct atoll_gpu *gpu = d->gpu;
    const uint32_t ls = F(VGT_SHADER_STAGES_EN, LS_EN), hs = F(VGT_SHADER_STAGES_EN, HS_EN);
    const uint32_t es = F(VGT_SHADER_STAGES_EN, ES_EN), gs = F(VGT_SHADER_STAGES_EN, GS_EN);
    const uint32_t vs = F(VGT_SHADER_STAGES_EN, VS_EN);
    const uint32_t es_want = !gs ? V_VGT_STAGES_ES_EN__ES_STAGE_OFF
                             : hs ? V_VGT_STAGES_ES_EN__ES_STAGE_DS
                                  : V_VGT_STAGES_ES_EN__ES_STAGE_REAL;
    const uint32_t vs_want = gs ? V_VGT_STAGES_VS_EN__VS_STAGE_COPY_SHADER
                             : hs ? V_VGT_STAGES_VS_EN__VS_STAGE_DS
                                  : V_VGT_STAGES_VS_EN__VS_STAGE_REAL;

    d->tess.on = hs;
    d->gs.on = gs;
    if (ls == (hs ? V_VGT_STAGES_LS_EN__LS_STAGE_ON : V_VGT_STAGES_LS_EN__LS_STAGE_OFF) && es == es_want &&
        vs == vs_want && !(gpu->regs.gen == GFX9 && F(VGT_SHADER_STAGES_EN, PRIMGEN_EN)))
        return true;
    loud_report(gpu->loud, LOUD_OTHER, 0x2000 | vs << 6 | gs << 5 | es << 3 | hs << 2 | ls,
                "shader stages VGT_SHADER_STAGES_EN = 0x%x at draw %u; the draw is skipped",
                regs_get(&gpu->regs, R_VGT_SHADER_STAGES_EN), gpu->draw_number);
    return false;
}

/* The primitive type fits the stages. */
static bool type_known(struct emu_draw_state *d)
{
    struct atoll_gpu *gpu = d->gpu;
    const uint32_t type = d->st.ia.prim_type;
    const bool patch = type == V_VGT_DI_PRIM_TYPE__DI_PT_PATCH;

    if (d->tess.on ? patch : raster_ia_known(type))
        return true;
    loud_report(gpu->loud, LOUD_OTHER, 0x3000 | d->tess.on << 8 | type,
                "VGT_PRIMITIVE_TYPE = %u%s at draw %u; the draw is skipped", type,
                d->tess.on ? " with tessellation" : "", gpu->draw_number);
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
    emu_count(c, CNT_DB_QUADS_EARLY_CULLED, r->db_quads_early_culled);
    emu_count(c, CNT_DB_QUADS_LATE, r->db_quads_late);
    emu_count(c, CNT_CB_PIXELS, r->cb_pixels);
    emu_count(c, CNT_CB_SAMPLES, r->cb_samples);
    emu_count(c, CNT_CB_BLENDED, r->cb_blended);
    emu_count(c, CNT_CB_BLENDED_PIXELS, r->cb_blended_pixels);
    emu_count(c, CNT_CB_RESOLVED, r->cb_resolved);
    emu_count(c, CNT_CB_ELIMINATED, r->cb_eliminated);
}

void emu_draw(struct atoll_gpu *gpu, const struct emu_draw_info *info)
{
    struct emu_draw_state *d = gpu->draw;
    struct indices ix = { .gpu = gpu, .info = info, .block = UINT32_MAX };
    const bool match_all_bits = F(VGT_MULTI_PRIM_IB_RESET_EN, MATCH_ALL_BITS);
    bool ok = true;

    if (!d || !set_stages(d))
        return;
    raster_state_decode(&d->st, &gpu->regs, gpu->chip, gpu->loud, gpu->draw_number);
    if (!type_known(d) || (d->tess.on && !draw_tess_begin(d)))
        return;
    if (d->st.sc.line_diamond && raster_ia_verts(d->st.ia.prim_type) == 2)
        loud_report(gpu->loud, LOUD_OTHER, 0x3100,
                    "PA_SC_LINE_CNTL.DX10_DIAMOND_TEST_ENA: the ends of lines are cut along the minor "
                    "axis, at draw %u", gpu->draw_number);
    memset(&d->count, 0, sizeof d->count);
    d->budget = gpu->opt.watchdog_insts;
    raster_db_begin(&d->db, &d->st, gpu->vm, gpu->loud, gpu->draw_number);
    raster_cb_begin(&d->cb, &d->st, gpu->vm, gpu->loud, gpu->draw_number);
    raster_ia_begin(&d->ia, d->st.ia.prim_type, d->st.ia.provoking_last, d->gs.on);
    if (d->gs.on)
        draw_gs_begin(d);
    draw_vs_begin(d);
    draw_lanes_begin(d);
    /* A vertex that carries its primitive's id belongs to one primitive. */
    d->reuse_by_index = d->st.ia.reuse_depth && !d->st.ia.prim_id;
    d->reuse_depth = d->reuse_by_index ? MIN2(d->st.ia.reuse_depth, DRAW_REUSE_MAX) : DRAW_REUSE_MAX;

    for (uint32_t i = 0; i < info->instances && ok; i++)
        ok = draw_instance(d, &ix, i, match_all_bits);
    ok = ok && (d->tess.on ? draw_tess_flush(d) : draw_flush(d));
    draw_lanes_run(d, ok);
    raster_db_end(&d->db);
    raster_cb_end(&d->cb);
    gpu->samples_passed[0] += d->st.db.zpass_count ? d->count.db_passed : 0;
    sum_counters(&gpu->counters, &d->count);
}
