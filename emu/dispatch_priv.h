/* dispatch_priv.h: what dispatch.c and dispatch_lanes.c share. */
#ifndef ATOLL_EMU_DISPATCH_PRIV_H
#define ATOLL_EMU_DISPATCH_PRIV_H

#include "emu/internal.h"

#define DISPATCH_SLICE_INSTS (UINT64_C(1) << 22) /* of a wave, before other groups get a turn */
#define DISPATCH_CUS_MAX     128
#define DISPATCH_LANES       16
#define DISPATCH_NO_SCRATCH  UINT16_MAX

/* A workgroup on its compute unit. */
struct resident {
    struct cu_group group;
    unsigned sh; /* flat index, for the limits */
    uint16_t scratch[ARRAY_LEN(((struct cu_group *)0)->waves)];
};

struct dispatch {
    struct atoll_gpu *gpu;
    struct emu_dispatch_state *state;
    struct emu_wave_ctx ctx;
    struct emu_pgm pgm;
    struct cu_need need;       /* of a full group */
    uint32_t start[3], end[3]; /* group ids */
    uint32_t full[3],
        partial[3]; /* threads of a group; of the last one in each dimension */
    uint64_t groups;
    unsigned user_sgprs, id_components;
    bool tgid[3], tg_size, scratch;
    uint32_t scratch_wave_bytes, scratch_waves;
    unsigned max_groups_on_cu, max_waves_on_sh; /* 0: no limit */
    uint16_t cus[DISPATCH_CUS_MAX];
    unsigned cu_n;
    unsigned lanes;      /* of CUs, each with scratch of its own; see dispatch_lanes.c */
    unsigned resident_n; /* entries in use of state->resident */
    uint64_t insts;      /* executed so far, and a few for each launch */
    uint64_t insts_left; /* until the dispatch's watchdog */
    unsigned stopped;    /* groups */
    bool give_up;
};

/* Counted for a launch, so that a dispatch of nothing but ends comes to an end too. */
#define DISPATCH_LAUNCH_INSTS 16

uint64_t dispatch_group_insts(const struct cu_group *g);

/* The ids of group `number`, its size in threads, and its waves. */
void dispatch_group_at(const struct dispatch *d, uint64_t number, uint32_t id[3], uint32_t size[3],
                       unsigned *waves);

/* The compute unit that group `number` goes to, and the lane that this unit is of. */
unsigned dispatch_cu_of(const struct dispatch *d, uint64_t number);
unsigned dispatch_lane_of(const struct dispatch *d, uint64_t number);

/* Fill in the waves of a group that has got its place; r->scratch is set. */
void dispatch_start(struct dispatch *d, struct resident *r, uint64_t number, struct emu_wave_ctx *ctx);

/* Lanes on threads. */
struct dispatch_lanes;
struct dispatch_lanes *dispatch_lanes_create(void);
void dispatch_lanes_destroy(struct dispatch_lanes *s);

/* How many lanes a dispatch has. */
unsigned dispatch_lane_count(const struct dispatch *d);
void dispatch_lanes_begin(struct dispatch_lanes *s, struct dispatch *d);

/* Run groups from `number` on, on several threads: how many were run, 0 when the next ones (at least one) have
 * to run in order. No group may be resident. */
uint64_t dispatch_lanes_run(struct dispatch_lanes *s, struct dispatch *d, uint64_t number);
void dispatch_lanes_stats(const struct dispatch_lanes *s, uint64_t *kept, uint64_t *undone);

#endif
