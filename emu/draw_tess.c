/* Tessellation: patches to LS and HS waves, factors to the tessellator, its points to the domain shader.
 *
 * Patches collect in a workgroup (VGT_LS_HS_CONFIG.NUM_PATCHES). LS shades their control points into LDS, each for
 * itself: vertices are not shared between patches. HS waves of the same workgroup read them there, leave what
 * the domain shader needs in the off-chip buffer, and the factors in the factor ring (VGT_TF_MEMORY_BASE).
 * Then each patch is divided (raster_tessellate), and the domain shader, as VS or as ES, runs for each point.
 * One group is done before the next starts: the offsets into ring and buffer are always 0.
 *
 * Initial registers:
 *   LS  v0 vertex index, v1 number of the vertex in the group, v2 instance / step rate, v3 instance
 *   HS  SGPRs: [OC_LDS_EN: off-chip offset], factor ring offset; v0 patch id, v1 patch in the group | output
 *       point << 8
 *   GFX9, merged: s2 off-chip offset, s3 LS lanes | HS lanes << 8 | wave << 24 | waves << 28, s4 factor ring
 *       offset; v0, v1 as HS, v2.. as LS. On Vega 10 and Raven a wave without HS lanes has LS's in v0..
 *   domain shader  v0 u, v1 v, v2 patch in the group, v3 patch id
 *
 * The factor ring of a group: before GFX9 a control word (bit 31: factors follow), then 2, 4 or 6 floats for each
 * patch.
 *
 * Sources: VGT_LS_HS_CONFIG, VGT_TF_*, SPI_SHADER_*; Mesa's shader arguments and its lowering of tessellation. */
#include "emu/draw_priv.h"

#include <stdlib.h>

#define F(reg, field) regs_field(&gpu->regs, F_##reg##__##field)

#define LDS_MAX        65536u
#define CONTROL_FOLLOW 0x80000000u

bool draw_tess_create(struct emu_draw_state *d)
{
    struct draw_tess *t = &d->tess;

    t->in = calloc(DRAW_PATCHES * DRAW_PATCH_CPS, sizeof *t->in);
    t->out = calloc(1, sizeof *t->out);
    t->slot_of = calloc(RASTER_TESS_POINTS_MAX, sizeof *t->slot_of);
    t->lds = calloc(1, LDS_MAX);
    return t->in && t->out && t->slot_of && t->lds;
}

void draw_tess_destroy(struct emu_draw_state *d)
{
    free(d->tess.in);
    free(d->tess.out);
    free(d->tess.slot_of);
    free(d->tess.lds);
}

static unsigned waves_of(unsigned lanes)
{
    return (lanes + DRAW_WAVE - 1) / DRAW_WAVE;
}

bool draw_tess_begin(struct emu_draw_state *d)
{
    struct atoll_gpu *gpu = d->gpu;
    struct draw_tess *t = &d->tess;
    const uint64_t hi = gpu->regs.gen == GFX9 ? regs_get(&gpu->regs, R_VGT_TF_MEMORY_BASE_HI) & 0xff : 0;

    emu_draw_stage(gpu, STAGE_HS, &t->hs);
    if (!t->hs.merged)
        emu_draw_stage(gpu, STAGE_LS, &t->ls);
    t->in_cps = F(VGT_LS_HS_CONFIG, HS_NUM_INPUT_CP);
    t->out_cps = F(VGT_LS_HS_CONFIG, HS_NUM_OUTPUT_CP);
    t->patches_max = F(VGT_LS_HS_CONFIG, NUM_PATCHES);
    t->patches = t->have = 0;
    t->factors_va = (hi << 32 | regs_get(&gpu->regs, R_VGT_TF_MEMORY_BASE)) << 8;
    t->factors_bytes = F(VGT_TF_RING_SIZE, SIZE) * 4;
    t->out->type = F(VGT_TF_PARAM, TYPE);
    t->out->partitioning = F(VGT_TF_PARAM, PARTITIONING);
    t->out->topology = F(VGT_TF_PARAM, TOPOLOGY);
    if (!raster_tess_factors(t->out->type) || t->out->partitioning > V_VGT_TESS_PARTITION__PART_FRAC_EVEN ||
        t->out->topology > V_VGT_TESS_TOPOLOGY__OUTPUT_TRIANGLE_CCW) {
        loud_report(gpu->loud, LOUD_OTHER, 0x6000, "VGT_TF_PARAM = 0x%x at draw %u; the draw is skipped",
                    regs_get(&gpu->regs, R_VGT_TF_PARAM), gpu->draw_number);
        return false;
    }
    if (gpu->regs.gen != GFX9 && !F(VGT_SHADER_STAGES_EN, DYNAMIC_HS))
        loud_report(gpu->loud, LOUD_OTHER, 0x6001, "tessellation without DYNAMIC_HS at draw %u", gpu->draw_number);
    if (gpu->regs.gen != GFX9 && regs_extract(gpu->regs.gen, F_SPI_SHADER_PGM_RSRC2_HS__TG_SIZE_EN, t->hs.rsrc2))
        loud_report(gpu->loud, LOUD_OTHER, 0x6002, "SPI_SHADER_PGM_RSRC2_HS.TG_SIZE_EN at draw %u",
                    gpu->draw_number);
    if (!t->in_cps || !t->out_cps || !t->patches_max ||
        waves_of(t->patches_max * MAX2(t->in_cps, t->out_cps)) > DRAW_GROUP_WAVES) {
        emu_guest_fault(gpu, "draw %u: VGT_LS_HS_CONFIG has %u patches of %u and %u control points",
                        gpu->draw_number, t->patches_max, t->in_cps, t->out_cps);
        return false;
    }
    return true;
}

/* ---- LS and HS waves ---------------------------------------------------------------------------- */

struct tess_ctx {
    struct emu_wave_ctx wave; /* first */
};

static void no_export(struct wave *w, unsigned target, unsigned en, bool compr, bool done, bool vm,
                      const uint32_t *const src[4])
{
    loud_report(w->loud, LOUD_OTHER, 0x1200 + target, "export target %u from a hull shader", target);
}

static const struct wave_ops tess_ops = {
    .image = emu_ops_image,
    .export_ = no_export,
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

static void put_vgpr(struct wave *w, unsigned v, unsigned lane, uint32_t value)
{
    if (v < w->num_vgprs)
        w->v[v * 64 + lane] = value;
}

static uint64_t lanes(unsigned n)
{
    return n ? UINT64_MAX >> (64 - n) : 0;
}

/* How many of `total` lanes wave i of the group has. */
static unsigned share(unsigned total, unsigned i)
{
    return total > i * DRAW_WAVE ? MIN2(total - i * DRAW_WAVE, DRAW_WAVE) : 0;
}

static void ls_lanes(const struct draw_tess *t, struct wave *w, unsigned i, unsigned vgpr, unsigned comp_cnt)
{
    for (unsigned l = 0; l < share(t->patches * t->in_cps, i); l++) {
        const uint32_t *in = t->in[i * DRAW_WAVE + l];
        /* in[] is what a VS would start with: index, instance / step rate, -, instance. */
        const uint32_t v[4] = { in[0], i * DRAW_WAVE + l, in[1], in[3] };

        for (unsigned k = 0; k <= comp_cnt; k++)
            put_vgpr(w, vgpr + k, l, v[k]);
    }
}

static void hs_lanes(const struct draw_tess *t, struct wave *w, unsigned i)
{
    for (unsigned l = 0; l < share(t->patches * t->out_cps, i); l++) {
        const unsigned thread = i * DRAW_WAVE + l, patch = thread / t->out_cps;

        put_vgpr(w, 0, l, t->patch_id[patch]);
        put_vgpr(w, 1, l, patch | (thread % t->out_cps) << 8);
    }
}

static uint64_t ls_fill(struct wave *w, unsigned i, unsigned *sgpr, void *arg)
{
    const struct emu_draw_state *d = arg;

    ls_lanes(&d->tess, w, i, 0, d->tess.ls.comp_cnt);
    return lanes(share(d->tess.patches * d->tess.in_cps, i));
}

static uint64_t hs_fill(struct wave *w, unsigned i, unsigned *sgpr, void *arg)
{
    const struct emu_draw_state *d = arg;
    const struct draw_tess *t = &d->tess;

    if (t->hs.offchip)
        put_sgpr(w, sgpr, 0);
    put_sgpr(w, sgpr, 0);
    hs_lanes(t, w, i);
    return lanes(share(t->patches * t->out_cps, i));
}

static uint64_t merged_fill(struct wave *w, unsigned i, unsigned *sgpr, void *arg)
{
    const struct emu_draw_state *d = arg;
    const struct draw_tess *t = &d->tess;
    const unsigned nls = share(t->patches * t->in_cps, i), nhs = share(t->patches * t->out_cps, i);
    const unsigned waves = waves_of(t->patches * MAX2(t->in_cps, t->out_cps));
    const bool shifted = d->gpu->chip->ext & CHIP_EXT_LS_INIT_BUG && !nhs;

    put_sgpr(w, sgpr, 0);
    put_sgpr(w, sgpr, nls | nhs << 8 | (i & 15) << 24 | (waves & 15) << 28);
    put_sgpr(w, sgpr, 0);
    hs_lanes(t, w, i);
    ls_lanes(t, w, i, shifted ? 0 : 2, 3);
    return UINT64_MAX;
}

static bool run_stages(struct emu_draw_state *d)
{
    struct draw_tess *t = &d->tess;
    const unsigned ls_waves = waves_of(t->patches * t->in_cps), hs_waves = waves_of(t->patches * t->out_cps);
    struct tess_ctx ctx[DRAW_GROUP_WAVES];
    struct draw_run run = { .ops = &tess_ops, .ctx = ctx, .ctx_bytes = sizeof ctx[0], .arg = d };

    memset(ctx, 0, sizeof ctx);
    emu_count(&d->gpu->counters, CNT_VS_INVOCATIONS, t->patches * t->in_cps);
    emu_count(&d->gpu->counters, CNT_HS_INVOCATIONS, t->patches);
    if (t->hs.merged) {
        run.stage = &t->hs;
        run.waves = MAX2(ls_waves, hs_waves);
        run.lds_bytes = t->hs.lds_bytes;
        run.fill = merged_fill;
        return emu_draw_run(d, &run);
    }
    run.stage = &t->ls;
    run.waves = ls_waves;
    run.lds_bytes = t->ls.lds_bytes;
    run.lds_out = t->lds;
    run.fill = ls_fill;
    if (!emu_draw_run(d, &run))
        return false;
    run.stage = &t->hs;
    run.waves = hs_waves;
    run.lds_in = t->lds;
    run.lds_out = NULL;
    run.fill = hs_fill;
    return emu_draw_run(d, &run);
}

/* ---- the domain --------------------------------------------------------------------------------- */

/* Between the least and the most that VGT allows; what culls a patch (0 and below, NaN) still does. */
static float limited(const struct atoll_gpu *gpu, float f)
{
    const float least = bits_f32(regs_get(&gpu->regs, R_VGT_HOS_MIN_TESS_LEVEL));
    const float most = bits_f32(regs_get(&gpu->regs, R_VGT_HOS_MAX_TESS_LEVEL));

    if (!(f > 0))
        return f;
    return MIN2(MAX2(f, least), most);
}

static bool read_factors(struct emu_draw_state *d, unsigned patch, float f[6])
{
    struct draw_tess *t = &d->tess;
    const struct mem_who who = { .client = MEM_IA };
    const bool control = d->gpu->regs.gen != GFX9;
    const unsigned n = raster_tess_factors(t->out->type);
    const uint32_t at = (control ? 4 : 0) + patch * n * 4;
    uint8_t bytes[24];

    if (at + n * 4 > t->factors_bytes) {
        emu_guest_fault(d->gpu, "draw %u: the factors of %u patches do not fit the ring of %u bytes",
                        d->gpu->draw_number, t->patches, t->factors_bytes);
        return false;
    }
    if (control && patch == 0) {
        if (!mem_read(d->gpu->vm, t->factors_va, bytes, 4, &who))
            return false;
        if (load_le32(bytes) != CONTROL_FOLLOW)
            loud_report(d->gpu->loud, LOUD_OTHER, 0x6003, "control word 0x%x in the factor ring at draw %u",
                        load_le32(bytes), d->gpu->draw_number);
    }
    if (!mem_read(d->gpu->vm, t->factors_va + at, bytes, n * 4, &who))
        return false;
    for (unsigned i = 0; i < n; i++)
        f[i] = limited(d->gpu, bits_f32(load_le32(bytes + 4 * i)));
    return true;
}

static bool draw_patch(struct emu_draw_state *d, unsigned patch)
{
    struct draw_tess *t = &d->tess;
    const struct raster_tess *o = t->out;
    const unsigned n = o->topology == V_VGT_TESS_TOPOLOGY__OUTPUT_POINT  ? 1
                       : o->topology == V_VGT_TESS_TOPOLOGY__OUTPUT_LINE ? 2
                                                                         : 3;
    uint32_t generation = d->generation;
    float f[6] = { 0 };

    if (!read_factors(d, patch, f))
        return true; /* reported; the patch is culled */
    raster_tessellate(t->out, f);
    if (!emu_draw_spend(d, o->points + o->indices))
        return false;
    memset(t->slot_of, 0xff, o->points * sizeof *t->slot_of);
    for (unsigned i = 0; i + n <= o->indices; i += n) {
        struct raster_ia_prim p = { .verts = (uint8_t)n, .edges = 7, .prim_id = t->patch_id[patch],
                                    .provoking = d->st.ia.provoking_last ? (uint8_t)(n - 1) : 0 };

        if (!draw_room(d))
            return false;
        if (generation != d->generation) {
            generation = d->generation;
            memset(t->slot_of, 0xff, o->points * sizeof *t->slot_of);
        }
        for (unsigned k = 0; k < n; k++) {
            const unsigned point = o->index[i + k];

            if (t->slot_of[point] == UINT16_MAX) {
                const uint32_t in[4] = { f32_bits(o->uv[point][0]), f32_bits(o->uv[point][1]), patch,
                                         t->patch_id[patch] };

                t->slot_of[point] = (uint16_t)draw_slot(d, in);
            }
            p.v[k] = t->slot_of[point];
        }
        draw_prim(d, &p);
    }
    return true;
}

bool draw_tess_flush(struct emu_draw_state *d)
{
    struct draw_tess *t = &d->tess;
    bool ok = true;

    if (t->patches) {
        ok = run_stages(d);
        for (unsigned i = 0; i < t->patches && ok; i++)
            ok = draw_patch(d, i);
        ok = ok && draw_flush(d);
    }
    /* Control points of a patch that is not complete stay. */
    memmove(t->in, t->in + t->patches * t->in_cps, t->have * sizeof *t->in);
    t->patches = 0;
    return ok && d->budget;
}

bool draw_tess_vertex(struct emu_draw_state *d, const uint32_t in[4], uint32_t prim_id, bool *completes)
{
    struct draw_tess *t = &d->tess;

    memcpy(t->in[t->patches * t->in_cps + t->have++], in, sizeof t->in[0]);
    *completes = t->have == t->in_cps;
    if (!*completes)
        return true;
    t->have = 0;
    t->patch_id[t->patches++] = prim_id;
    return t->patches < t->patches_max || draw_tess_flush(d);
}

void draw_tess_cut(struct emu_draw_state *d)
{
    d->tess.have = 0;
}
