/* replay: a capture on a device of its own.
 *
 * Records are applied in order: mappings, memory, submissions, expectations. What ran is kept as a list
 * of draws with their targets and shaders, for the report. */
#ifndef ATOLL_EMU_REPLAY_H
#define ATOLL_EMU_REPLAY_H

#include "emu/capture.h"
#include "emu/target.h"

struct replay;

struct replay_options {
    struct atoll_options device;
    uint32_t first_draw, last_draw;    /* others are skipped; 0 and UINT32_MAX: none is */
    bool bent;                         /* something is overridden: what the capture expects need not come */
    /* Called after each draw with its results in memory: to dump targets in the middle. May be NULL. */
    void (*after_draw)(void *ctx, struct replay *r, uint32_t draw);
    /* Called after draws and submissions, for a display; may be NULL. */
    void (*progress)(void *ctx, uint64_t submissions, uint32_t draws);
    void *progress_ctx; /* of both */
};

enum replay_end {
    REPLAY_DONE,     /* everything ran */
    REPLAY_FAULTED,  /* everything ran, but the guest faulted or an expectation failed */
    REPLAY_BAD       /* the capture is damaged, or a submission could not be executed */
};

#define REPLAY_STAGES 7

/* A draw or a dispatch that was executed. */
struct replay_draw {
    uint32_t number;
    uint32_t submission;
    bool is_dispatch;
    const char *packet;
    uint64_t ib_va;
    uint32_t offset_dw;
    uint32_t prim_type, count; /* VGT_PRIMITIVE_TYPE, VGT_NUM_INDICES; 0 for dispatches */
    uint64_t shader_va[REPLAY_STAGES]; /* by enum isa_stage; 0: not running */
    unsigned target_count;
    uint8_t targets[RASTER_MRTS + 2];  /* indices, 255: beyond */
};

/* A device for the capture's chip. The reader stays the caller's. NULL with *e set. */
struct replay *replay_create(struct capture_reader *rd, const struct replay_options *opt,
                             struct err *e);
void replay_destroy(struct replay *r);

/* The device: for overrides before the run, and for everything after it. */
struct atoll_gpu *replay_gpu(struct replay *r);

/* Run the capture. *e is set unless the result is REPLAY_DONE. */
enum replay_end replay_run(struct replay *r, struct err *e);

/* What ran. */
uint64_t replay_submissions(const struct replay *r);
const struct replay_draw *replay_draws(const struct replay *r, size_t *count);
struct emu_targets *replay_targets(struct replay *r);

/* Places where memory differed from what the capture expects. */
unsigned replay_mismatches(const struct replay *r);

#endif
