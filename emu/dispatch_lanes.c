/* Workgroups of a dispatch on several threads.
 *
 * The compute units are dealt out to lanes. Some hundred groups at a time are run by their lanes, each lane its
 * own in order, and each notes what it reads and writes in memory (mem/touch.h). Groups of real programs write
 * memory of their own, and then all of it is as if one had followed the other. When it is not so (a group reads
 * what another wrote, both write one place, there is an atomic, something to report, a fault), memory and the
 * compute units are put back, and those groups run in order on one thread. So memory, counters, reports and all
 * that a shader can see come out the same with any number of threads.
 *
 * A lane has compute units and a part of the scratch ring to itself, whether it has a thread or not: places and
 * offsets are the same too. A program that does atomics is remembered, by where it lies, and not tried again. */
#include "emu/dispatch_priv.h"
#include "mem/touch.h"

#include <stdlib.h>

enum {
    AT_ONCE_MAX = 4096,      /* groups */
    LANE_INSTS = 1 << 16,    /* what a lane should have to do, so that waking it is worth it */
    LEAST_INSTS = 1 << 14,   /* below this one thread does it all */
    FAILURES_MAX = 6,        /* of a dispatch, after which it runs in order */
    REFUSED = 16
};

struct lane {
    struct dispatch_lanes *s;
    struct mem_touch *touch;
    struct loud *loud;
    struct emu_wave_ctx ctx;
    struct emu_counters counters;
    struct resident r;
    uint64_t insts;
} __attribute__((aligned(64)));

struct dispatch_lanes {
    struct dispatch *d;
    struct mem_touch_set *touch;
    struct lane *lane;
    uint64_t first, count; /* the groups that are run */
    uint32_t *wave_of;     /* launch number of the first wave of each */
    uint64_t in_order_to;  /* groups below this number run in order */
    unsigned failures;
    uint64_t refused[REFUSED]; /* programs that are not tried */
    unsigned refused_next;
    uint64_t kept, undone; /* groups */
};

struct dispatch_lanes *dispatch_lanes_create(void)
{
    struct dispatch_lanes *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    if (posix_memalign((void **)&s->lane, 64, DISPATCH_LANES * sizeof *s->lane)) {
        free(s);
        return NULL;
    }
    memset(s->lane, 0, DISPATCH_LANES * sizeof *s->lane);
    s->wave_of = calloc(AT_ONCE_MAX, sizeof *s->wave_of);
    s->touch = mem_touch_create(DISPATCH_LANES);
    for (unsigned i = 0; s->touch && i < DISPATCH_LANES; i++) {
        s->lane[i].s = s;
        s->lane[i].touch = mem_touch_of(s->touch, i);
    }
    if (!s->wave_of || !s->touch) {
        dispatch_lanes_destroy(s);
        return NULL;
    }
    return s;
}

void dispatch_lanes_destroy(struct dispatch_lanes *s)
{
    if (!s)
        return;
    for (unsigned i = 0; i < DISPATCH_LANES; i++)
        if (s->lane[i].loud)
            loud_destroy(s->lane[i].loud);
    mem_touch_destroy(s->touch);
    free(s->lane);
    free(s->wave_of);
    free(s);
}

void dispatch_lanes_stats(const struct dispatch_lanes *s, uint64_t *kept, uint64_t *undone)
{
    *kept = s->kept;
    *undone = s->undone;
}

unsigned dispatch_lane_count(const struct dispatch *d)
{
    unsigned n = MIN2(d->cu_n, DISPATCH_LANES);

    if (d->scratch)
        n = MIN2(n, d->scratch_waves / d->need.waves);
    return MAX2(n, 1);
}

void dispatch_lanes_begin(struct dispatch_lanes *s, struct dispatch *d)
{
    s->d = d;
    s->failures = 0;
    s->in_order_to = 1; /* the first shows how much a group has to do */
    if (emu_pool_threads(d->gpu->pool) == 1 || d->lanes == 1 || d->gpu->on_inst || !mem_pages_whole(d->gpu->vm))
        s->in_order_to = UINT64_MAX;
    for (unsigned i = 0; i < REFUSED; i++)
        if (s->refused[i] == d->pgm.code_va + 1)
            s->in_order_to = UINT64_MAX;
}

/* One group, from its launch to its end. False when it cannot be kept. */
static bool run_group(struct lane *l, uint64_t number)
{
    struct dispatch *d = l->s->d;
    struct cu_machine *cu = d->gpu->cu;
    struct cu_need need = d->need;
    uint32_t id[3], size[3];
    struct err e;
    bool done;

    dispatch_group_at(d, number, id, size, &need.waves);
    if (!cu_group_alloc(cu, dispatch_cu_of(d, number), &need, STAGE_CS, &l->r.group))
        return false;
    for (unsigned i = 0; i < need.waves; i++)
        l->r.scratch[i] = d->scratch ? (uint16_t)(dispatch_lane_of(d, number) * d->need.waves + i)
                                     : DISPATCH_NO_SCRATCH;
    dispatch_start(d, &l->r, number, &l->ctx);
    for (unsigned i = 0; i < need.waves; i++) {
        l->r.group.waves[i]->id = l->s->wave_of[number - l->s->first] + i;
        l->r.group.waves[i]->touch = l->touch;
        l->r.group.waves[i]->loud = l->loud;
    }
    done = cu_group_slice(cu, &l->r.group, DISPATCH_SLICE_INSTS, d->gpu->opt.watchdog_insts, &e) == CU_GROUP_DONE;
    l->insts += dispatch_group_insts(&l->r.group) + DISPATCH_LAUNCH_INSTS;
    cu_group_free(cu, &l->r.group);
    return done && !loud_count(l->loud);
}

static void run_lane(void *ctx, unsigned index)
{
    struct dispatch_lanes *s = ctx;
    struct lane *l = &s->lane[index];
    const struct dispatch *d = s->d;
    const unsigned cu_n = d->cu_n, lanes = d->lanes;
    unsigned at = (unsigned)(s->first % cu_n); /* in the list of compute units */

    for (uint64_t n = s->first; n < s->first + s->count;) {
        if (at % lanes == index) {
            if (mem_touch_given_up(l->touch))
                return;
            if (!run_group(l, n)) {
                mem_touch_give_up(l->touch);
                return;
            }
        }
        n++;
        at = at + 1 == cu_n ? 0 : at + 1;
    }
}

/* Launch numbers of the groups' waves, as they would be in order. */
static void number_waves(struct dispatch_lanes *s)
{
    const struct dispatch *d = s->d;
    const bool partial = memcmp(d->full, d->partial, sizeof d->full) != 0;
    uint32_t next = cu_next_wave(d->gpu->cu);

    for (uint64_t i = 0; i < s->count; i++) {
        uint32_t id[3], size[3];
        unsigned waves = d->need.waves;

        s->wave_of[i] = next;
        if (partial)
            dispatch_group_at(d, s->first + i, id, size, &waves);
        next += waves;
    }
}

static bool begin(struct dispatch_lanes *s)
{
    for (unsigned i = 0; i < s->d->lanes; i++) {
        struct lane *l = &s->lane[i];

        if (l->loud && loud_count(l->loud)) {
            loud_destroy(l->loud);
            l->loud = NULL;
        }
        if (!l->loud)
            l->loud = loud_create();
        if (!l->loud)
            return false;
        loud_set_quiet(l->loud, true);
        l->insts = 0;
        memset(&l->counters, 0, sizeof l->counters);
        l->ctx = s->d->ctx;
        l->ctx.counters = &l->counters;
    }
    return true;
}

static void keep(struct dispatch_lanes *s)
{
    struct dispatch *d = s->d;

    for (unsigned i = 0; i < d->lanes; i++) {
        for (unsigned c = 0; c < CNT_COUNT; c++)
            emu_count(&d->gpu->counters, (enum emu_counter)c, s->lane[i].counters.v[c]);
        d->insts += s->lane[i].insts;
        d->insts_left -= s->lane[i].insts;
    }
}

/* These groups run in order, and some after them. */
static void fail(struct dispatch_lanes *s, bool for_good)
{
    s->failures++;
    if (for_good || s->failures == FAILURES_MAX) {
        s->in_order_to = UINT64_MAX;
        s->refused[s->refused_next++ % REFUSED] = s->d->pgm.code_va + 1;
    } else {
        s->in_order_to = s->first + (s->count << s->failures);
    }
}

uint64_t dispatch_lanes_run(struct dispatch_lanes *s, struct dispatch *d, uint64_t number)
{
    const uint64_t left = d->groups - number;
    uint64_t each, insts = 0;
    bool given_up;

    if (number < s->in_order_to || left < 2)
        return 0;
    each = MAX2(d->insts / number, DISPATCH_LAUNCH_INSTS);
    if (left < LEAST_INSTS && each * left < LEAST_INSTS)
        return 0;
    s->first = number;
    s->count = MIN2(left, d->lanes * MIN2(MAX2(LANE_INSTS / each, 1), AT_ONCE_MAX / DISPATCH_LANES));
    if (!begin(s))
        return 0;
    number_waves(s);
    cu_save(d->gpu->cu);
    mem_touch_begin(s->touch);
    emu_pool_run(d->gpu->pool, d->lanes, run_lane, s);
    for (unsigned i = 0; i < d->lanes; i++)
        insts += s->lane[i].insts;
    given_up = mem_touch_given_up(s->lane[0].touch);
    if (insts >= d->insts_left)
        mem_touch_give_up(s->lane[0].touch);
    if (!mem_touch_end(s->touch, d->gpu->vm)) {
        cu_restore(d->gpu->cu);
        fail(s, given_up);
        s->undone += s->count;
        return 0;
    }
    keep(s);
    s->kept += s->count;
    return s->count;
}
