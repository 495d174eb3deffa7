/* From primitives to pixel waves, on several threads.
 *
 * The screen is dealt out to lanes in bins of 64 x 64 pixels (raster_lane). Each lane takes all primitives in order
 * and cares for its own bins: coverage, early tests, waves of its own quads on compute units of its own, late
 * tests, colour. Lanes are there whatever the threads, so that the same quads share a wave with one thread as
 * with many, and memory, counters and wave numbers come out the same.
 *
 * A pixel shader that stores, or does atomics, runs with a single lane: its waves come in the order of primitives,
 * on one thread. What it does is seen in its code, up to its end; one that goes to an address from a register is
 * taken for one that stores.
 *
 * What one lane may not see of another: colour and depth of other bins that a shader reads as a texture during the
 * draw that writes them. Hardware promises nothing about that either. */
#include "emu/draw_priv.h"

/* Less than this is not worth waking a thread for. */
#define AREA_LEAST_PX 8192u

#define CODE_DW_MAX 65536u

/* Whether the code of the pixel shader may be run in any order. */
static bool shader_is_pure(const struct emu_draw_state *d)
{
    const struct atoll_gpu *gpu = d->gpu;
    const uint64_t va = d->ps.pgm.code_va;
    struct mem_span s;

    if (!mem_find(gpu->vm, va, &s) || !(s.prot & MEM_X) || va & 3)
        return true; /* it faults at once */
    return isa_program_is_pure(gpu->target, (const uint32_t *)(const void *)(s.host + (va - s.va)),
                               MIN2((s.end - va) / 4, CODE_DW_MAX));
}

void draw_lanes_begin(struct emu_draw_state *d)
{
    const unsigned cus = cu_count(d->gpu->cu);

    emu_draw_stage(d->gpu, STAGE_PS, &d->ps);
    d->lanes = 1;
    if (shader_is_pure(d))
        while (d->lanes < DRAW_LANES && 2 * d->lanes <= cus)
            d->lanes *= 2;
    d->threads_ok = d->lanes > 1 && !d->gpu->on_inst;
    d->batch_n = 0;
    d->batch_area_px = 0;
    d->batch_x1 = d->batch_y1 = 0;
    d->first_wave = cu_next_wave(d->gpu->cu);
    for (unsigned i = 0; i < d->lanes; i++) {
        struct draw_lane *l = &d->lane[i];

        l->d = d;
        l->index = i;
        l->begun = l->stopped = l->faulted = l->hung = false;
        l->px.quads = l->px.prims = 0;
        l->waves = 0;
        l->insts = 0;
        memset(&l->count, 0, sizeof l->count);
        memset(&l->counters, 0, sizeof l->counters);
    }
}

/* Targets end there: beyond it tiles have the addresses of others, and lanes would meet. */
static bool within_targets(const struct emu_draw_state *d)
{
    const struct raster_state *st = &d->st;

    for (unsigned i = 0; i < RASTER_MRTS + 2; i++) {
        const struct raster_surface *s = i < RASTER_MRTS ? &st->cb.mrt[i].color
                                         : i == RASTER_MRTS ? &st->db.z_read : &st->db.s_read;
        const bool on = i < RASTER_MRTS ? d->cb.target[i].on : i == RASTER_MRTS ? d->db.z.on : d->db.s.on;
        const uint32_t w = st->gen == GFX9 ? s->sw.width_px >> s->sw.level : s->pitch_px;
        const uint32_t h = st->gen == GFX9 ? s->sw.height_px >> s->sw.level
                           : s->pitch_px ? s->slice_px / s->pitch_px : 0;

        if (on && ((uint32_t)d->batch_x1 > MAX2(w, 1) || (uint32_t)d->batch_y1 > MAX2(h, 1)))
            return false;
    }
    return true;
}

void draw_lanes_prim(struct emu_draw_state *d, const struct raster_prim *p)
{
    int32_t x0 = p->x[0], y0 = p->y[0], x1 = x0, y1 = y0;

    if (d->batch_n == DRAW_BATCH)
        draw_lanes_run(d, false);
    d->batch[d->batch_n].prim = *p;
    d->batch[d->batch_n++].serial = ++d->prim_serial;
    for (unsigned k = 1; k < p->corners; k++) {
        x0 = MIN2(x0, p->x[k]), x1 = MAX2(x1, p->x[k]);
        y0 = MIN2(y0, p->y[k]), y1 = MAX2(y1, p->y[k]);
    }
    x0 = MAX2(x0 >> RASTER_FIX_BITS, p->scissor.x0);
    y0 = MAX2(y0 >> RASTER_FIX_BITS, p->scissor.y0);
    x1 = MIN2((x1 >> RASTER_FIX_BITS) + 1, p->scissor.x1);
    y1 = MIN2((y1 >> RASTER_FIX_BITS) + 1, p->scissor.y1);
    if (x0 >= x1 || y0 >= y1)
        return;
    d->batch_area_px += (uint64_t)(x1 - x0) * (uint64_t)(y1 - y0);
    d->batch_x1 = MAX2(d->batch_x1, x1);
    d->batch_y1 = MAX2(d->batch_y1, y1);
}

static void run_lane(void *ctx, unsigned job)
{
    struct emu_draw_state *d = ctx;
    struct draw_lane *l = &d->lane[job];

    for (unsigned i = 0; i < d->batch_n && !l->stopped; i++) {
        l->serial = d->batch[i].serial;
        raster_sc_prim_lane(&d->st, &d->batch[i].prim, job, d->lanes, emu_spi_quads, l, &l->count);
    }
    if (d->batch_end)
        emu_spi_flush(l);
}

/* What a lane counted, in the order of lanes. */
static void merge(struct emu_draw_state *d, struct draw_lane *l)
{
    _Static_assert(sizeof l->count % sizeof(uint64_t) == 0, "all of it are counters");
    uint64_t *to = (uint64_t *)(void *)&d->count;
    const uint64_t *from = (const uint64_t *)(const void *)&l->count;

    for (size_t i = 0; i < sizeof l->count / sizeof *to; i++)
        to[i] += from[i];
    memset(&l->count, 0, sizeof l->count);
    for (unsigned i = 0; i < CNT_COUNT; i++)
        emu_count(&d->gpu->counters, (enum emu_counter)i, l->counters.v[i]);
    memset(&l->counters, 0, sizeof l->counters);
    if (l->faulted)
        (l->hung ? emu_guest_hang : emu_guest_fault)(d->gpu, "%s", l->fault.text);
    l->faulted = l->hung = false;
    if (l->insts)
        emu_draw_spend(d, l->insts);
    l->insts = 0;
}

void draw_lanes_run(struct emu_draw_state *d, bool end)
{
    uint64_t waiting = 0;

    d->batch_end = end;
    for (unsigned i = 0; i < d->lanes; i++)
        waiting += 4 * d->lane[i].px.quads;
    if (d->threads_ok && d->batch_area_px + (end ? waiting : 0) >= AREA_LEAST_PX && within_targets(d))
        emu_pool_run(d->pool, d->lanes, run_lane, d);
    else
        for (unsigned i = 0; i < d->lanes; i++)
            run_lane(d, i);
    for (unsigned i = 0; i < d->lanes; i++) {
        merge(d, &d->lane[i]);
        if (end && d->lane[i].begun) {
            raster_db_end(&d->lane[i].db);
            raster_cb_end(&d->lane[i].cb);
        }
    }
    d->batch_n = 0;
    d->batch_area_px = 0;
}
