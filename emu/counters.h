/* counters: what the device counted, and how it is written out.
 *
 * counters.def has a row per counter. The parts that run on several threads (raster, waves) count in
 * structs of their own and are summed here at the end of a draw, so that every figure is the same
 * whatever the threads did. */
#ifndef ATOLL_EMU_COUNTERS_H
#define ATOLL_EMU_COUNTERS_H

#include "base/base.h"

enum emu_counter {
#define COUNTER(id, name, amd, kind, unit, text) id,
#include "emu/counters.def"
#undef COUNTER
    CNT_COUNT
};

enum emu_counter_kind { COUNTER_EXACT, COUNTER_MODELLED };

struct emu_counter_info {
    const char *name; /* "sc.quads" */
    const char *amd;  /* AMD's name of the same count; "" when there is none */
    const char *unit;
    const char *text;
    enum emu_counter_kind kind;
};

struct emu_counters {
    uint64_t v[CNT_COUNT];
};

static inline void emu_count(struct emu_counters *c, enum emu_counter id, uint64_t n)
{
    c->v[id] += n;
}

const struct emu_counter_info *emu_counter_info(enum emu_counter id);

struct atoll_gpu;

/* All counters of a device (emu, waves and instructions by stage, bytes by client) as a JSON object,
 * or as lines of text. The string is the caller's to free; NULL when memory runs out. */
char *emu_counters_json(const struct atoll_gpu *gpu);
void emu_counters_print(const struct atoll_gpu *gpu, FILE *out);

#endif
