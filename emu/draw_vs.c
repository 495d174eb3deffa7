/* The VS stage: vertex shaders, domain shaders, copy shaders of GS; stream-out; primitives to PA and SC.
 *
 * Vertices have slots and are shaded in waves of 64. What the lanes start with is the caller's: v0 to v3 as
 * VGPR_COMP_CNT says. SGPRs after the user's:
 *
 *   with SO_EN or OC_LDS_EN   stream-out: vertices of this wave that have room << 16 | stream << 24
 *   with SO_EN                index of the wave's first vertex (here always 0: offsets move on instead)
 *   with SO_BASEn_EN          dwords before it in buffer n
 *   with OC_LDS_EN            offset of the patches in the off-chip buffer (here always 0)
 *
 * Stream-out: VGT hands out room, the shader stores. Waves then hold primitives one after another, each
 * with all its vertices, so that a vertex that two share is shaded (and written) twice. A primitive that does not
 * fit one of its stream's buffers is not written to any.
 *
 * Sources: VGT_STRMOUT_* and SPI_SHADER_PGM_RSRC2_VS; Mesa's shader arguments. */
#include "emu/draw_priv.h"

#define F(reg, field) regs_field(&gpu->regs, F_##reg##__##field)

/* POS1 ("miscellaneous"), POS2, POS3 are packed: those that are enabled follow POS0 in this order. */
enum { POS_MISC, POS_CCDIST0, POS_CCDIST1, POS_KINDS };

struct vs_ctx {
    struct emu_wave_ctx wave; /* first: shared wave_ops find it there */
    struct emu_draw_state *d;
    unsigned n;
    uint16_t slot[DRAW_WAVE]; /* of each lane */
    uint32_t so_config;
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
        struct draw_vertex *v = &c->d->vertex[c->slot[l]];

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

static void put_sgpr(struct wave *w, unsigned *n, uint32_t value)
{
    if (*n < w->num_sgprs)
        w->s[*n] = value;
    ++*n;
}

static uint64_t vs_fill(struct wave *w, unsigned i, unsigned *sgpr, void *arg)
{
    const struct vs_ctx *c = arg;
    const struct emu_draw_state *d = c->d;
    const struct draw_stage *s = &d->vs;
    const struct atoll_gpu *gpu = d->gpu;
    const bool so = regs_extract(gpu->regs.gen, F_SPI_SHADER_PGM_RSRC2_VS__SO_EN, s->rsrc2);
    const unsigned bases =
        regs_extract(gpu->regs.gen, F_SPI_SHADER_PGM_RSRC2_VS__SO_BASE0_EN, s->rsrc2) |
        regs_extract(gpu->regs.gen, F_SPI_SHADER_PGM_RSRC2_VS__SO_BASE1_EN, s->rsrc2) << 1 |
        regs_extract(gpu->regs.gen, F_SPI_SHADER_PGM_RSRC2_VS__SO_BASE2_EN, s->rsrc2) << 2 |
        regs_extract(gpu->regs.gen, F_SPI_SHADER_PGM_RSRC2_VS__SO_BASE3_EN, s->rsrc2) << 3;

    if (so || s->offchip)
        put_sgpr(w, sgpr, c->so_config);
    if (so)
        put_sgpr(w, sgpr, 0);
    for (unsigned b = 0; b < 4; b++)
        if (bases >> b & 1)
            put_sgpr(w, sgpr, gpu->so_filled_dw[b]);
    if (s->offchip)
        put_sgpr(w, sgpr, 0);
    for (unsigned l = 0; l < c->n; l++)
        for (unsigned k = 0; k <= s->comp_cnt && k < w->num_vgprs; k++)
            w->v[k * 64 + l] = d->vertex[c->slot[l]].in[k];
    return UINT64_MAX >> (64 - c->n);
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

/* Shade the c->n lanes that c->slot names. */
static bool shade(struct emu_draw_state *d, struct vs_ctx *c)
{
    const struct draw_run run = { .stage = &d->vs, .waves = 1, .ops = &vs_ops, .ctx = c,
                                  .ctx_bytes = sizeof *c, .fill = vs_fill, .arg = c };

    for (unsigned l = 0; l < c->n; l++) {
        struct draw_vertex *v = &d->vertex[c->slot[l]];

        memset(v->pos, 0, sizeof v->pos);
        v->pos[0][3] = 1;
        memset(v->param, 0, sizeof v->param);
    }
    if (!d->gs.on)
        emu_count(&d->gpu->counters, d->tess.on ? CNT_DS_INVOCATIONS : CNT_VS_INVOCATIONS, c->n);
    if (!emu_draw_run(d, &run))
        return false;
    for (unsigned l = 0; l < c->n; l++)
        decode_position(d, &d->vertex[c->slot[l]]);
    return true;
}

static bool shade_slots(struct emu_draw_state *d)
{
    struct vs_ctx c = { .d = d };

    for (unsigned first = 0; first < d->slots; first += DRAW_WAVE) {
        c.n = MIN2(d->slots - first, DRAW_WAVE);
        for (unsigned l = 0; l < c.n; l++)
            c.slot[l] = (uint16_t)(first + l);
        if (!shade(d, &c))
            return false;
    }
    return true;
}

/* ---- stream-out --------------------------------------------------------------------------------- */

/* Room for one more primitive of n vertices, already counted `before` vertices ahead of what
 * so_filled_dw says. */
static bool so_fits(const struct emu_draw_state *d, unsigned before, unsigned n)
{
    const unsigned buffers = d->so.buffers[d->stream];

    for (unsigned b = 0; b < 4; b++)
        if (buffers >> b & 1 && d->gpu->so_filled_dw[b] + (uint64_t)(before + n) * d->so.stride_dw[b] >
                                    d->so.size_dw[b])
            return false;
    return buffers != 0;
}

static bool shade_streamout(struct emu_draw_state *d)
{
    struct atoll_gpu *gpu = d->gpu;
    const unsigned n = d->prims ? MIN2(d->prim[0].verts, 3) : 1;
    struct vs_ctx c = { .d = d };

    for (unsigned first = 0; first < d->prims;) {
        unsigned room = 0, written = 0;

        c.n = 0;
        for (; first < d->prims && c.n + n <= DRAW_WAVE; first++) {
            for (unsigned k = 0; k < n; k++)
                c.slot[c.n++] = (uint16_t)d->prim[first].v[k];
            if (room + n == c.n && so_fits(d, room, n)) {
                room += n;
                written++;
            }
        }
        c.so_config = room << 16 | d->stream << 24;
        if (!shade(d, &c))
            return false;
        for (unsigned b = 0; b < 4; b++)
            if (d->so.buffers[d->stream] >> b & 1)
                gpu->so_filled_dw[b] += room * d->so.stride_dw[b];
        gpu->so_written[d->stream] += gpu->cp.so_stopped ? 0 : written;
        emu_count(&gpu->counters, CNT_SO_PRIMITIVES_WRITTEN, written);
    }
    return true;
}

static void so_begin(struct emu_draw_state *d)
{
    struct atoll_gpu *gpu = d->gpu;
    struct draw_so *so = &d->so;
    const uint32_t cfg = regs_get(&gpu->regs, R_VGT_STRMOUT_CONFIG);

    memset(so, 0, sizeof *so);
    so->stream_on[0] = F(VGT_STRMOUT_CONFIG, STREAMOUT_0_EN);
    so->stream_on[1] = F(VGT_STRMOUT_CONFIG, STREAMOUT_1_EN);
    so->stream_on[2] = F(VGT_STRMOUT_CONFIG, STREAMOUT_2_EN);
    so->stream_on[3] = F(VGT_STRMOUT_CONFIG, STREAMOUT_3_EN);
    so->shader = regs_extract(gpu->regs.gen, F_SPI_SHADER_PGM_RSRC2_VS__SO_EN, d->vs.rsrc2) && (cfg & 15);
    so->buffers[0] = F(VGT_STRMOUT_BUFFER_CONFIG, STREAM_0_BUFFER_EN);
    so->buffers[1] = F(VGT_STRMOUT_BUFFER_CONFIG, STREAM_1_BUFFER_EN);
    so->buffers[2] = F(VGT_STRMOUT_BUFFER_CONFIG, STREAM_2_BUFFER_EN);
    so->buffers[3] = F(VGT_STRMOUT_BUFFER_CONFIG, STREAM_3_BUFFER_EN);
    for (unsigned b = 0; b < 4; b++) {
        so->size_dw[b] = regs_get_i(&gpu->regs, R_VGT_STRMOUT_BUFFER_SIZE_0, b);
        so->stride_dw[b] = regs_get_i(&gpu->regs, R_VGT_STRMOUT_VTX_STRIDE_0, b);
    }
    so->rast_streams = F(VGT_STRMOUT_CONFIG, USE_RAST_STREAM_MASK)
                           ? F(VGT_STRMOUT_CONFIG, RAST_STREAM_MASK)
                           : 1u << F(VGT_STRMOUT_CONFIG, RAST_STREAM);
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
        n = raster_pa_prim(&d->st, ip, v, out, &d->stipple, &d->count);
        for (unsigned k = 0; k < n; k++)
            draw_lanes_prim(d, &out[k]);
    }
    draw_lanes_run(d, false); /* the vertices go */
}

void draw_vs_begin(struct emu_draw_state *d)
{
    emu_draw_stage(d->gpu, STAGE_VS, &d->vs);
    so_begin(d);
    d->slots = d->prims = 0;
    d->stream = 0;
    d->stipple = 0;
}

bool draw_vs_flush(struct emu_draw_state *d)
{
    const bool on = d->so.stream_on[d->stream], drawn = d->so.rast_streams >> d->stream & 1;
    bool ok = true;

    if (on) {
        d->gpu->so_needed[d->stream] += d->gpu->cp.so_stopped ? 0 : d->prims;
        emu_count(&d->gpu->counters, CNT_SO_PRIMITIVES_NEEDED, d->prims);
    }
    if (on && d->so.shader)
        ok = shade_streamout(d);
    else if (drawn)
        ok = shade_slots(d);
    if (ok && drawn)
        rasterise(d);
    d->slots = d->prims = 0;
    d->generation++;
    return ok && d->budget;
}

bool draw_vs_room(struct emu_draw_state *d)
{
    return (d->slots + 3 <= DRAW_SLOTS && d->prims < DRAW_PRIMS) || draw_vs_flush(d);
}

unsigned draw_vs_slot(struct emu_draw_state *d, const uint32_t in[4])
{
    memcpy(d->vertex[d->slots].in, in, sizeof d->vertex[0].in);
    return d->slots++;
}

void draw_vs_prim(struct emu_draw_state *d, const struct raster_ia_prim *p)
{
    d->prim[d->prims++] = *p;
}
