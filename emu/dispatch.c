/* A dispatch: COMPUTE_* registers to workgroups on compute units.
 *
 * Groups start in order, x fastest. Group n goes to the n-th of the enabled CUs, modulo
 * their number, with neighbouring groups on different shader engines, as SPI deals them
 * out. A group runs as soon as it is resident and usually ends in its first slice; one
 * that does not end stays resident and takes turns with the others, so that groups may
 * wait for each other as far as the hardware lets them. Groups share memory, and their
 * order is part of the result: those whose order cannot be seen run on several threads
 * (dispatch_lanes.c).
 *
 * Initial registers (SGPRs: user data, group ids, group info, scratch offset; VGPRs:
 * work-item ids): AMD's SI and CI programming guides on SPI, LLVM's AMDGPUUsage, Mesa's
 * argument declarations. */
#include "emu/dispatch_priv.h"

#include <stdlib.h>

#define STOPPED_GROUPS_MAX 256  /* halted groups after which a dispatch is given up */
#define WATCHDOG_WAVES     256  /* a dispatch may run so many times what one wave may */
#define SCRATCH_SLOTS      4096 /* COMPUTE_TMPRING_SIZE.WAVES has 12 bits */

/* Made once per device: nothing is allocated in a dispatch. */
struct emu_dispatch_state {
    unsigned capacity;
    struct resident *resident;
    struct dispatch_lanes *lanes;
    uint64_t scratch_taken[SCRATCH_SLOTS / 64];
    unsigned groups_on_cu[DISPATCH_CUS_MAX], waves_on_sh[DISPATCH_CUS_MAX];
};

struct emu_dispatch_state *emu_dispatch_state_create(const struct atoll_gpu *gpu)
{
    struct emu_dispatch_state *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->capacity = cu_count(gpu->cu) * CU_SIMDS * CU_SLOTS_PER_SIMD;
    s->resident = calloc(s->capacity, sizeof *s->resident);
    s->lanes = dispatch_lanes_create();
    if (!s->resident || !s->lanes || cu_count(gpu->cu) > DISPATCH_CUS_MAX) {
        emu_dispatch_state_destroy(s);
        return NULL;
    }
    return s;
}

void emu_dispatch_state_destroy(struct emu_dispatch_state *s)
{
    if (!s)
        return;
    dispatch_lanes_destroy(s->lanes);
    free(s->resident);
    free(s);
}

void emu_dispatch_stats(const struct emu_dispatch_state *s, uint64_t *kept, uint64_t *undone)
{
    dispatch_lanes_stats(s->lanes, kept, undone);
}

/* ---- programs --------------------------------------------------------------------- */

void emu_pgm_decode(enum gfx gen, uint32_t lo, uint32_t hi, uint32_t rsrc1,
                    struct emu_pgm *out)
{
    /* The fields that all stages share lie at the same bits of every PGM_RSRC1. Granules
     * of the encoding: 4 VGPRs, 8 SGPRs (of which GFX8 and GFX9 allocate an even number).
     */
    out->code_va = (lo | (uint64_t)(hi & 0xff) << 32) << 8 & MEM_VA_MASK;
    out->vgprs = 4 * (regs_extract(gen, F_COMPUTE_PGM_RSRC1__VGPRS, rsrc1) + 1);
    out->sgprs = 8 * (regs_extract(gen, F_COMPUTE_PGM_RSRC1__SGPRS, rsrc1) + 1);
    out->float_mode = regs_extract(gen, F_COMPUTE_PGM_RSRC1__FLOAT_MODE, rsrc1);
    out->dx10_clamp = regs_extract(gen, F_COMPUTE_PGM_RSRC1__DX10_CLAMP, rsrc1);
    out->ieee = regs_extract(gen, F_COMPUTE_PGM_RSRC1__IEEE_MODE, rsrc1);
}

/* ---- the dispatch, decoded -------------------------------------------------------- */

static void decode_threads(struct dispatch *d, uint32_t initiator, const uint32_t dim[3])
{
    const struct reg_file *r = &d->gpu->regs;
    enum gfx gen = r->gen;
    static const enum reg_id num[3] = {R_COMPUTE_NUM_THREAD_X, R_COMPUTE_NUM_THREAD_Y,
                                       R_COMPUTE_NUM_THREAD_Z};
    static const enum reg_id start[3] = {R_COMPUTE_START_X, R_COMPUTE_START_Y,
                                         R_COMPUTE_START_Z};
    bool partial =
        regs_extract(gen, F_COMPUTE_DISPATCH_INITIATOR__PARTIAL_TG_EN, initiator);
    bool threads =
        regs_extract(gen, F_COMPUTE_DISPATCH_INITIATOR__USE_THREAD_DIMENSIONS, initiator);
    bool zero =
        regs_extract(gen, F_COMPUTE_DISPATCH_INITIATOR__FORCE_START_AT_000, initiator);

    for (unsigned i = 0; i < 3; i++) {
        uint32_t v = regs_get(r, num[i]);
        uint32_t full = regs_extract(gen, F_COMPUTE_NUM_THREAD_X__NUM_THREAD_FULL, v);
        uint32_t last = regs_extract(gen, F_COMPUTE_NUM_THREAD_X__NUM_THREAD_PARTIAL, v);

        d->full[i] = full;
        d->partial[i] = partial && last ? last : full;
        d->start[i] = zero ? 0 : regs_get(r, start[i]);
        /* The dimensions are the ends of the ranges of group ids, or of thread ids. */
        d->end[i] = threads && full ? dim[i] / full + (dim[i] % full != 0) : dim[i];
    }
}

/* The enabled CUs, neighbours in the list on different shader engines. */
static void decode_cus(struct dispatch *d)
{
    const struct chip *c = d->gpu->chip;

    for (unsigned cu = 0; cu < c->cu_per_sh; cu++)
        for (unsigned sh = 0; sh < c->sh_per_se; sh++)
            for (unsigned se = 0; se < c->se; se++) {
                uint32_t v =
                    regs_get_i(&d->gpu->regs, R_COMPUTE_STATIC_THREAD_MGMT_SE0, se);
                uint32_t mask =
                    regs_extract(c->gen,
                                 sh ? F_COMPUTE_STATIC_THREAD_MGMT_SE0__SH1_CU_EN
                                    : F_COMPUTE_STATIC_THREAD_MGMT_SE0__SH0_CU_EN,
                                 v);

                if (mask >> cu & 1)
                    d->cus[d->cu_n++] =
                        (uint16_t)((se * c->sh_per_se + sh) * c->cu_per_sh + cu);
            }
}

static void decode_program(struct dispatch *d)
{
    const struct reg_file *r = &d->gpu->regs;
    uint64_t threads = (uint64_t)d->full[0] * d->full[1] * d->full[2];

    emu_pgm_decode(r->gen, regs_get(r, R_COMPUTE_PGM_LO), regs_get(r, R_COMPUTE_PGM_HI),
                   regs_get(r, R_COMPUTE_PGM_RSRC1), &d->pgm);
    d->pgm.fp16_ovfl = r->gen == GFX9 && regs_field(r, F_COMPUTE_PGM_RSRC1__FP16_OVFL);
    d->user_sgprs = MIN2(regs_field(r, F_COMPUTE_PGM_RSRC2__USER_SGPR), 16);
    d->tgid[0] = regs_field(r, F_COMPUTE_PGM_RSRC2__TGID_X_EN);
    d->tgid[1] = regs_field(r, F_COMPUTE_PGM_RSRC2__TGID_Y_EN);
    d->tgid[2] = regs_field(r, F_COMPUTE_PGM_RSRC2__TGID_Z_EN);
    d->tg_size = regs_field(r, F_COMPUTE_PGM_RSRC2__TG_SIZE_EN);
    d->scratch = regs_field(r, F_COMPUTE_PGM_RSRC2__SCRATCH_EN);
    d->id_components = MIN2(regs_field(r, F_COMPUTE_PGM_RSRC2__TIDIG_COMP_CNT) + 1, 3);
    d->scratch_waves = regs_field(r, F_COMPUTE_TMPRING_SIZE__WAVES);
    d->scratch_wave_bytes = regs_field(r, F_COMPUTE_TMPRING_SIZE__WAVESIZE) * 1024;
    d->max_groups_on_cu = regs_field(r, F_COMPUTE_RESOURCE_LIMITS__TG_PER_CU);
    d->max_waves_on_sh = regs_field(r, F_COMPUTE_RESOURCE_LIMITS__WAVES_PER_SH) *
                         (r->gen == GFX6 ? 16 : 1);
    d->need = (struct cu_need){
        .vgprs = d->pgm.vgprs,
        .sgprs = d->pgm.sgprs,
        .lds_bytes = regs_field(r, F_COMPUTE_PGM_RSRC2__LDS_SIZE) *
                     d->gpu->cu_cfg.lds_granule_bytes,
        .waves = (unsigned)MIN2((threads + 63) / 64, UINT16_MAX),
    };
}

/* What the registers ask for and is not modelled. */
static void check_unmodelled(const struct dispatch *d, uint32_t initiator)
{
    enum gfx gen = d->gpu->regs.gen;
    static const enum reg_field_id flags[] = {
        F_COMPUTE_DISPATCH_INITIATOR__ORDERED_APPEND_ENBL,
        F_COMPUTE_DISPATCH_INITIATOR__RESTORE,
    };

    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        if (regs_extract(gen, flags[i], initiator))
            loud_report(d->gpu->loud, LOUD_FIELD, flags[i],
                        "COMPUTE_DISPATCH_INITIATOR 0x%08x: %s (dispatch %u)", initiator,
                        i ? "RESTORE" : "ORDERED_APPEND_ENBL", d->gpu->draw_number);
    if (regs_field(&d->gpu->regs, F_COMPUTE_PGM_RSRC2__SKIP_USGPR0))
        loud_report(d->gpu->loud, LOUD_FIELD, F_COMPUTE_PGM_RSRC2__SKIP_USGPR0,
                    "COMPUTE_PGM_RSRC2.SKIP_USGPR0 (dispatch %u)", d->gpu->draw_number);
}

/* ---- launching -------------------------------------------------------------------- */

/* A free part of the scratch ring, from that of its lane on; DISPATCH_NO_SCRATCH when all are taken. */
static uint16_t take_scratch(struct dispatch *d, unsigned first)
{
    const unsigned n = MAX2(d->scratch_waves, 1);

    for (unsigned k = 0; k < n; k++) {
        const unsigned i = (first + k) % n;

        if (!(d->state->scratch_taken[i / 64] >> (i % 64) & 1)) {
            d->state->scratch_taken[i / 64] |= UINT64_C(1) << (i % 64);
            return (uint16_t)i;
        }
    }
    return DISPATCH_NO_SCRATCH;
}

static void drop_scratch(struct dispatch *d, struct resident *r, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (r->scratch[i] != DISPATCH_NO_SCRATCH)
            d->state->scratch_taken[r->scratch[i] / 64] &=
                ~(UINT64_C(1) << (r->scratch[i] % 64));
}

/* Work-item ids of the wave that starts at thread `first` of a group of the given size.
 */
static void set_ids(const struct dispatch *d, struct wave *w, const uint32_t size[3],
                    uint32_t first, unsigned lanes)
{
    uint32_t x = first % size[0], y = first / size[0] % size[1],
             z = first / size[0] / size[1];

    for (unsigned l = 0; l < lanes; l++) {
        w->v[l] = x;
        if (d->id_components > 1)
            w->v[64 + l] = y;
        if (d->id_components > 2)
            w->v[128 + l] = z;
        if (++x == size[0]) {
            x = 0;
            if (++y == size[1]) {
                y = 0;
                z++;
            }
        }
    }
}

static void set_sgprs(const struct dispatch *d, struct wave *w, const uint32_t id[3],
                      unsigned index, unsigned waves, uint16_t scratch)
{
    unsigned n = d->user_sgprs;

    for (unsigned i = 0; i < n; i++)
        w->s[i] = regs_get_i(&d->gpu->regs, R_COMPUTE_USER_DATA_0, i);
    for (unsigned i = 0; i < 3; i++)
        if (d->tgid[i])
            w->s[n++] = id[i];
    /* Number of waves, this wave's number, and whether it is the first. */
    if (d->tg_size)
        w->s[n++] = waves | index << 6 | (index == 0 ? UINT32_C(1) << 31 : 0);
    if (d->scratch)
        w->s[n++] = scratch * d->scratch_wave_bytes;
}

void dispatch_group_at(const struct dispatch *d, uint64_t number, uint32_t id[3], uint32_t size[3],
                       unsigned *waves)
{
    uint64_t threads = 1;

    for (unsigned i = 0; i < 3; i++) {
        const uint32_t n = d->end[i] - d->start[i];

        id[i] = d->start[i] + (uint32_t)(number % n);
        number /= n;
        size[i] = id[i] == d->end[i] - 1 ? d->partial[i] : d->full[i];
        threads *= size[i];
    }
    *waves = (unsigned)((threads + 63) / 64);
}

unsigned dispatch_cu_of(const struct dispatch *d, uint64_t number)
{
    return d->cus[number % d->cu_n];
}

unsigned dispatch_lane_of(const struct dispatch *d, uint64_t number)
{
    return (unsigned)(number % d->cu_n % d->lanes);
}

void dispatch_start(struct dispatch *d, struct resident *r, uint64_t number, struct emu_wave_ctx *ctx)
{
    uint32_t id[3], size[3], threads;
    unsigned waves;

    dispatch_group_at(d, number, id, size, &waves);
    threads = size[0] * size[1] * size[2];
    for (unsigned i = 0; i < waves; i++) {
        struct wave *w = r->group.waves[i];
        unsigned lanes = MIN2(threads - 64 * i, 64);

        emu_wave_prepare(d->gpu, w, emu_compute_ops(), ctx);
        wave_reset(w, d->pgm.code_va,
                   lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1,
                   d->pgm.float_mode, d->pgm.dx10_clamp, d->pgm.ieee);
        w->mode |= (uint32_t)d->pgm.fp16_ovfl << 23;
        emu_wave_trap(d->gpu, w);
        set_ids(d, w, size, 64 * i, lanes);
        set_sgprs(d, w, id, i, waves, r->scratch[i]);
    }
    emu_count(ctx->counters, CNT_CS_GROUPS, 1);
    emu_count(ctx->counters, CNT_CS_INVOCATIONS, threads);
}

enum launch { LAUNCHED, FULL };

static enum launch launch(struct dispatch *d, uint64_t number)
{
    struct atoll_gpu *gpu = d->gpu;
    struct emu_dispatch_state *s = d->state;
    struct resident *r = &s->resident[d->resident_n];
    unsigned cu = dispatch_cu_of(d, number), lane = dispatch_lane_of(d, number);
    uint32_t id[3], size[3];
    struct cu_need need = d->need;

    dispatch_group_at(d, number, id, size, &need.waves);
    r->sh = cu / gpu->chip->cu_per_sh;
    if (d->resident_n == s->capacity ||
        (d->max_groups_on_cu && s->groups_on_cu[cu] >= d->max_groups_on_cu) ||
        (d->max_waves_on_sh && s->waves_on_sh[r->sh] &&
         s->waves_on_sh[r->sh] + need.waves > d->max_waves_on_sh))
        return FULL;
    for (unsigned i = 0; i < need.waves; i++) {
        r->scratch[i] = d->scratch ? take_scratch(d, lane * d->need.waves) : DISPATCH_NO_SCRATCH;
        if (d->scratch && r->scratch[i] == DISPATCH_NO_SCRATCH) {
            drop_scratch(d, r, i);
            return FULL;
        }
    }
    if (!cu_group_alloc(gpu->cu, cu, &need, STAGE_CS, &r->group)) {
        drop_scratch(d, r, need.waves);
        return FULL;
    }
    dispatch_start(d, r, number, &d->ctx);
    s->groups_on_cu[cu]++;
    s->waves_on_sh[r->sh] += need.waves;
    d->resident_n++;
    return LAUNCHED;
}

/* ---- running ---------------------------------------------------------------------- */

uint64_t dispatch_group_insts(const struct cu_group *g)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < g->n; i++)
        n += g->waves[i]->insts_run;
    return n;
}

/* Give resident i a turn. True when it is gone (and another is in its place). */
static bool take_turn(struct dispatch *d, unsigned i)
{
    struct atoll_gpu *gpu = d->gpu;
    struct emu_dispatch_state *s = d->state;
    struct resident *r = &s->resident[i];
    uint64_t before = dispatch_group_insts(&r->group), ran;
    struct err e = {{0}};
    enum cu_group_state state =
        cu_group_slice(gpu->cu, &r->group, DISPATCH_SLICE_INSTS, gpu->opt.watchdog_insts, &e);

    ran = dispatch_group_insts(&r->group) - before + DISPATCH_LAUNCH_INSTS;
    d->insts += ran;
    d->insts_left -= MIN2(ran, d->insts_left);
    if (!d->insts_left && state == CU_GROUP_RUNNING) {
        char text[400];

        cu_wave_format(gpu->cu, r->group.waves[0], text, sizeof text);
        err_set(&e, "stopped with its dispatch by the watchdog: %s", text);
        state = CU_GROUP_STOPPED;
    }
    if (state == CU_GROUP_RUNNING)
        return false;
    if (state == CU_GROUP_STOPPED) {
        emu_guest_hang(gpu, "dispatch %u: %s", gpu->draw_number, e.text);
        d->stopped++;
    }
    drop_scratch(d, r, r->group.n);
    s->groups_on_cu[r->group.cu]--;
    s->waves_on_sh[r->sh] -= r->group.n;
    cu_group_free(gpu->cu, &r->group);
    s->resident[i] = s->resident[--d->resident_n];
    return true;
}

static void take_turns(struct dispatch *d)
{
    for (unsigned i = 0; i < d->resident_n;)
        i += !take_turn(d, i);
}

/* Whether the dispatch has done so much that is wrong, or so much at all, that it must
 * end. */
static bool gave_up(struct dispatch *d)
{
    if (d->insts_left && d->stopped < STOPPED_GROUPS_MAX)
        return false;
    if (!d->give_up)
        emu_guest_hang(d->gpu, "dispatch %u given up: %s", d->gpu->draw_number,
                       d->insts_left ? "too many of its groups stopped"
                                     : "it runs too long");
    d->give_up = true;
    return true;
}

/* Group `number` gets its place, when there is one, and its first turn. False when the dispatch must end. */
static bool run_group(struct dispatch *d, uint64_t number)
{
    while (launch(d, number) == FULL) {
        if (!d->resident_n) {
            emu_guest_fault(d->gpu,
                            "dispatch %u: a workgroup of %u waves, %u VGPRs, %u SGPRs, %u bytes "
                            "of LDS fits no CU",
                            d->gpu->draw_number, d->need.waves, d->need.vgprs, d->need.sgprs,
                            d->need.lds_bytes);
            return false;
        }
        take_turns(d);
        if (gave_up(d))
            return false;
    }
    take_turn(d, d->resident_n - 1);
    return !gave_up(d);
}

static void run(struct dispatch *d)
{
    struct dispatch_lanes *lanes = d->state->lanes;

    dispatch_lanes_begin(lanes, d);
    for (uint64_t number = 0; number < d->groups;) {
        uint64_t ran = d->resident_n ? 0 : dispatch_lanes_run(lanes, d, number);

        if (!ran) {
            if (!run_group(d, number))
                break;
            ran = 1;
        }
        number += ran;
    }
    /* With the budget used up every turn ends its group. */
    while (d->resident_n)
        take_turns(d);
}

void emu_dispatch(struct atoll_gpu *gpu, uint32_t gx, uint32_t gy, uint32_t gz,
                  uint32_t initiator)
{
    struct dispatch *d = &(struct dispatch){
        .gpu = gpu,
        .state = gpu->dispatch,
        .ctx = {.gpu = gpu, .counters = &gpu->counters, .clock = gpu->clock},
        .insts_left = gpu->opt.watchdog_insts * WATCHDOG_WAVES,
    };

    if (d->insts_left / WATCHDOG_WAVES != gpu->opt.watchdog_insts)
        d->insts_left = UINT64_MAX;
    decode_threads(d, initiator, (uint32_t[3]){gx, gy, gz});
    d->groups = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (d->start[i] >= d->end[i])
            return; /* no groups: not an error */
        if (__builtin_mul_overflow(d->groups, d->end[i] - d->start[i], &d->groups))
            d->groups = UINT64_MAX; /* the watchdog comes first */
    }
    decode_program(d);
    decode_cus(d);
    check_unmodelled(d, initiator);
    if (!d->need.waves || !d->cu_n) {
        emu_guest_fault(gpu, "dispatch %u: %s", gpu->draw_number,
                        d->cu_n ? "COMPUTE_NUM_THREAD_* is 0"
                                : "COMPUTE_STATIC_THREAD_MGMT_SE* enables no CU");
        return;
    }
    d->lanes = dispatch_lane_count(d);
    if (d->need.waves > ARRAY_LEN(d->state->resident->scratch)) {
        emu_guest_fault(gpu, "dispatch %u: groups of %u x %u x %u threads",
                        gpu->draw_number, d->full[0], d->full[1], d->full[2]);
        return;
    }
    run(d);
}
