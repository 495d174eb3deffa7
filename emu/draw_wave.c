/* Launching the waves of a draw: what each stage's registers say, and one run of waves on a compute unit.
 *
 * A wave starts with the user SGPRs and behind them what its stage gets from SPI (the caller's `fill`), then,
 * with SCRATCH_EN, the offset of its part of the scratch ring. Merged stages (GFX9: LS with HS, ES with GS)
 * have these in s0..s7 and the user's from s8 on.
 * Waves of one run are all resident and share LDS; runs come one after another, so that the scratch ring is
 * used from its start.
 *
 * Sources: SPI_SHADER_* registers; the order of initial SGPRs as Mesa's and LLVM's compilers expect it. */
#include "emu/draw_priv.h"

#include <stdarg.h>

/* GFX9 keeps the registers of merged stages under the names of both. */
static const struct stage_row {
    enum reg_id lo, hi, rsrc1, rsrc2, rsrc3, user;
    bool has_rsrc3;
} rows[STAGE_COUNT] = {
#define ROW(s, has3, rsrc3) [STAGE_##s] = { R_SPI_SHADER_PGM_LO_##s, R_SPI_SHADER_PGM_HI_##s, \
        R_SPI_SHADER_PGM_RSRC1_##s, R_SPI_SHADER_PGM_RSRC2_##s, rsrc3, R_SPI_SHADER_USER_DATA_##s##_0, has3 }
    ROW(PS, true, R_SPI_SHADER_PGM_RSRC3_PS), ROW(VS, true, R_SPI_SHADER_PGM_RSRC3_VS),
    ROW(GS, true, R_SPI_SHADER_PGM_RSRC3_GS), ROW(ES, true, R_SPI_SHADER_PGM_RSRC3_ES),
    /* HS follows the LS waves of its group, whose LDS it shares. */
    ROW(HS, false, 0), ROW(LS, true, R_SPI_SHADER_PGM_RSRC3_LS),
#undef ROW
}, merged_rows[STAGE_COUNT] = {
    [STAGE_GS] = { R_SPI_SHADER_PGM_LO_ES, R_SPI_SHADER_PGM_HI_ES, R_SPI_SHADER_PGM_RSRC1_GS,
                   R_SPI_SHADER_PGM_RSRC2_GS, R_SPI_SHADER_PGM_RSRC3_GS, R_SPI_SHADER_USER_DATA_ES_0, true },
    [STAGE_HS] = { R_SPI_SHADER_PGM_LO_LS, R_SPI_SHADER_PGM_HI_LS, R_SPI_SHADER_PGM_RSRC1_HS,
                   R_SPI_SHADER_PGM_RSRC2_HS, 0, R_SPI_SHADER_USER_DATA_LS_0, false },
};

static const char *const stage_name[STAGE_COUNT] = {
    [STAGE_LS] = "LS", [STAGE_HS] = "hull", [STAGE_ES] = "ES", [STAGE_GS] = "geometry",
    [STAGE_VS] = "vertex", [STAGE_PS] = "pixel", [STAGE_CS] = "compute",
};

/* Fields that not every stage has, or has elsewhere. */
static void stage_fields(const struct atoll_gpu *gpu, struct draw_stage *s)
{
    const enum gfx gen = gpu->regs.gen;
    const uint32_t r1 = s->rsrc1, r2 = s->rsrc2;
    unsigned lds = 0, ovfl = 0;

#define F1(field) regs_extract(gen, F_SPI_SHADER_PGM_RSRC1_##field, r1)
#define F2(field) regs_extract(gen, F_SPI_SHADER_PGM_RSRC2_##field, r2)
    switch (s->stage) {
    case STAGE_LS:
        s->comp_cnt = F1(LS__VGPR_COMP_CNT);
        lds = F2(LS__LDS_SIZE);
        break;
    case STAGE_HS:
        s->comp_cnt = gen == GFX9 ? F1(HS__LS_VGPR_COMP_CNT) : 1;
        s->offchip = gen == GFX9 || F2(HS__OC_LDS_EN);
        lds = gen == GFX9 ? F2(HS__LDS_SIZE) : 0;
        ovfl = gen == GFX9 && F1(HS__FP16_OVFL);
        break;
    case STAGE_ES:
        s->comp_cnt = F1(ES__VGPR_COMP_CNT);
        s->offchip = F2(ES__OC_LDS_EN);
        lds = F2(ES__LDS_SIZE);
        break;
    case STAGE_GS:
        s->comp_cnt = gen == GFX9 ? F2(GS__ES_VGPR_COMP_CNT) : 3;
        s->offchip = gen == GFX9;
        lds = gen == GFX9 ? F2(GS__LDS_SIZE) : 0;
        ovfl = gen == GFX9 && F1(GS__FP16_OVFL);
        break;
    case STAGE_VS:
        s->comp_cnt = F1(VS__VGPR_COMP_CNT);
        s->offchip = F2(VS__OC_LDS_EN);
        ovfl = gen == GFX9 && F1(VS__FP16_OVFL);
        break;
    case STAGE_PS:
        ovfl = gen == GFX9 && F1(PS__FP16_OVFL);
        break;
    default:
        break;
    }
#undef F1
#undef F2
    s->pgm.fp16_ovfl = ovfl;
    s->lds_bytes = MIN2(lds * gpu->cu_cfg.lds_granule_bytes, gpu->cu_cfg.lds_group_max_bytes);
}

void emu_draw_stage(const struct atoll_gpu *gpu, enum isa_stage stage, struct draw_stage *out)
{
    const struct reg_file *r = &gpu->regs;
    const enum gfx gen = r->gen;
    const bool merged = gen == GFX9 && (stage == STAGE_HS || stage == STAGE_GS);
    const struct stage_row *row = merged ? &merged_rows[stage] : &rows[stage];

    memset(out, 0, sizeof *out);
    out->stage = stage;
    out->merged = merged;
    out->rsrc1 = regs_get(r, row->rsrc1);
    out->rsrc2 = regs_get(r, row->rsrc2);
    emu_pgm_decode(gen, regs_get(r, row->lo), regs_get(r, row->hi), out->rsrc1, &out->pgm);
    /* These fields lie at the same bits for all stages, and CU_EN for all but HS. */
    out->pgm.scratch = regs_extract(gen, F_SPI_SHADER_PGM_RSRC2_PS__SCRATCH_EN, out->rsrc2);
    out->user_sgprs = regs_extract(gen, F_SPI_SHADER_PGM_RSRC2_PS__USER_SGPR, out->rsrc2);
    if (gen == GFX9)
        out->user_sgprs += regs_extract(gen, F_SPI_SHADER_PGM_RSRC2_PS__USER_SGPR_MSB, out->rsrc2) << 5;
    out->user_sgprs = MIN2(out->user_sgprs, ARRAY_LEN(out->user));
    for (unsigned i = 0; i < out->user_sgprs; i++)
        out->user[i] = i < 16 || gen == GFX9 ? regs_get_i(r, row->user, i) : 0;
    if (merged) {
        out->user_addr[0] = regs_get(r, stage == STAGE_GS ? R_SPI_SHADER_USER_DATA_ADDR_LO_GS
                                                          : R_SPI_SHADER_USER_DATA_ADDR_LO_HS);
        out->user_addr[1] = regs_get(r, stage == STAGE_GS ? R_SPI_SHADER_USER_DATA_ADDR_HI_GS
                                                          : R_SPI_SHADER_USER_DATA_ADDR_HI_HS);
    }
    out->cu_mask = gen == GFX6 || !row->has_rsrc3
                       ? UINT32_MAX
                       : regs_extract(gen, F_SPI_SHADER_PGM_RSRC3_PS__CU_EN, regs_get(r, row->rsrc3));
    stage_fields(gpu, out);
}

/* The next CU, in turn, that this stage may use; any when the mask allows none. */
static unsigned pick_cu(struct emu_draw_state *d, struct draw_lane *lane, uint32_t cu_mask)
{
    const unsigned all = cu_count(d->gpu->cu), per_sh = d->gpu->chip->cu_per_sh;
    /* A lane has every d->lanes-th to itself. */
    const bool shared = !lane || d->lanes == 1;
    const unsigned step = shared ? 1 : d->lanes, first = shared ? 0 : lane->index;
    const unsigned n = (all - first + step - 1) / step;
    unsigned *next = shared ? &d->next_cu : &lane->next_cu;

    for (unsigned tries = 0; tries < n; tries++) {
        unsigned cu = first + step * ((*next)++ % n);

        if (cu_mask >> (cu % per_sh) & 1)
            return cu;
    }
    return first + step * ((*next)++ % n);
}

/* A fault of the guest: a lane keeps it, since others run beside it. */
static void fault(struct atoll_gpu *gpu, struct draw_lane *lane, bool hang, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void fault(struct atoll_gpu *gpu, struct draw_lane *lane, bool hang, const char *fmt, ...)
{
    struct err e;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(e.text, sizeof e.text, fmt, ap);
    va_end(ap);
    if (!lane) {
        (hang ? emu_guest_hang : emu_guest_fault)(gpu, "%s", e.text);
        return;
    }
    lane->hung |= hang;
    if (!lane->faulted)
        lane->fault = e;
    lane->faulted = true;
}

enum { MERGED_FIRST = 2, MERGED_SCRATCH = 5, MERGED_USER = 8 };

static void start_wave(const struct emu_draw_state *d, const struct draw_run *r, struct wave *w, unsigned i)
{
    const struct draw_stage *s = r->stage;
    const unsigned user = s->merged ? MERGED_USER : 0;
    const uint32_t scratch = i * regs_field(&d->gpu->regs, F_SPI_TMPRING_SIZE__WAVESIZE) * 1024;
    unsigned next = s->merged ? MERGED_FIRST : s->user_sgprs;
    uint64_t exec;

    wave_reset(w, s->pgm.code_va, UINT64_MAX, s->pgm.float_mode, s->pgm.dx10_clamp, s->pgm.ieee);
    w->mode |= (uint32_t)s->pgm.fp16_ovfl << 23;
    emu_wave_trap(d->gpu, w);
    for (unsigned k = 0; k < s->user_sgprs && user + k < w->num_sgprs; k++)
        w->s[user + k] = s->user[k];
    if (s->merged) {
        w->s[0] = s->user_addr[0];
        w->s[1] = s->user_addr[1];
    }
    exec = r->fill(w, i, &next, r->arg);
    wave_set_exec(w, exec);
    if (s->merged)
        w->s[MERGED_SCRATCH] = scratch;
    else if (s->pgm.scratch && next < w->num_sgprs)
        w->s[next] = scratch;
}

bool emu_draw_run(struct emu_draw_state *d, const struct draw_run *r)
{
    struct atoll_gpu *gpu = d->gpu;
    const struct draw_stage *s = r->stage;
    const struct cu_need need = { .vgprs = s->pgm.vgprs, .sgprs = s->pgm.sgprs, .lds_bytes = r->lds_bytes,
                                  .waves = r->waves };
    struct cu_group g;
    struct err e;
    uint64_t insts = 0;
    bool ok;

    if (!cu_group_alloc(gpu->cu, pick_cu(d, r->lane, s->cu_mask), &need, s->stage, &g)) {
        fault(gpu, r->lane, false, "draw %u: %u %s waves with %u VGPRs, %u SGPRs and %u bytes of LDS do not fit "
                        "a compute unit", gpu->draw_number, r->waves, stage_name[s->stage], need.vgprs,
                        need.sgprs, r->lds_bytes);
        return false;
    }
    if (r->lds_in && g.lds)
        memcpy(g.lds, r->lds_in, r->lds_bytes);
    for (unsigned i = 0; i < g.n; i++) {
        struct emu_wave_ctx *ctx = (void *)((char *)r->ctx + i * r->ctx_bytes);

        if (r->lane) /* numbers that do not depend on threads */
            g.waves[i]->id = d->first_wave + r->lane->index + d->lanes * r->lane->waves++;
        ctx->gpu = gpu;
        ctx->clock = gpu->clock;
        emu_wave_prepare(gpu, g.waves[i], r->ops, ctx);
        start_wave(d, r, g.waves[i], i);
    }
    ok = cu_group_run(gpu->cu, &g, gpu->opt.watchdog_insts, &e);
    if (!ok)
        fault(gpu, r->lane, true, "draw %u, %s shader at 0x%llx: %s", gpu->draw_number, stage_name[s->stage],
                       (unsigned long long)s->pgm.code_va, e.text);
    if (r->lds_out && g.lds)
        memcpy(r->lds_out, g.lds, r->lds_bytes);
    for (unsigned i = 0; i < g.n; i++)
        insts += g.waves[i]->insts_run;
    cu_group_free(gpu->cu, &g);
    if (!r->lane)
        return emu_draw_spend(d, insts) && ok;
    r->lane->insts += insts;
    r->lane->stopped = r->lane->insts >= d->budget;
    return ok && !r->lane->stopped;
}
