/* cu: shader engines, arrays, compute units, SIMDs and their wave slots.
 *
 * Per SIMD: 10 wave slots, 256 VGPRs x 64 lanes, an SGPR file; per CU: 64 KiB of LDS and 16
 * barriers. Every wave that runs holds a slot with its registers allocated in the generation's
 * granules; when nothing is free the launcher runs waves until something is. Sees isa/, mem/, regs/. */
#ifndef ATOLL_CU_H
#define ATOLL_CU_H

#include "base/base.h"
#include "isa/isa.h"

#define CU_SIMDS          4
#define CU_SLOTS_PER_SIMD 10
#define CU_VGPRS_PER_SIMD 256
#define CU_LDS_BYTES      65536u
#define CU_GROUPS_MAX     16 /* workgroups of more than one wave per CU (barrier resources) */

/* Size and granules of the machine; filled from the chip's row. */
struct cu_config {
    enum gfx gen;
    unsigned se, sh_per_se, cu_per_sh;
    unsigned vgpr_granule;      /* 4 */
    unsigned sgpr_granule;      /* 8 on GFX6/7, 16 on GFX8/9 */
    unsigned sgprs_per_simd;    /* 512 on GFX6/7, 800 on GFX8/9 */
    unsigned lds_granule_bytes; /* 256 on GFX6, 512 on GFX7+ */
    unsigned lds_group_max_bytes; /* of one workgroup: 32 KiB on GFX6, 64 KiB on GFX7+ */
};

void cu_config_init(struct cu_config *cfg, enum gfx gen, unsigned se, unsigned sh_per_se,
                    unsigned cu_per_sh);

/* What one wave of a program needs. */
struct cu_need {
    unsigned vgprs, sgprs; /* as the program asks, before rounding up to the granule */
    unsigned lds_bytes;    /* of the workgroup */
    unsigned waves;        /* of the workgroup: 1 for all graphics stages but HS/GS on-chip */
};

/* Waves of such a program that fit one SIMD, and why no more. */
enum cu_limit { LIMIT_SLOTS, LIMIT_VGPRS, LIMIT_SGPRS, LIMIT_LDS, LIMIT_BARRIERS, LIMIT_NOTHING_FITS };
struct cu_occupancy {
    unsigned waves_per_simd, waves_per_cu, groups_per_cu;
    enum cu_limit limited_by;  /* LIMIT_NOTHING_FITS when not even one workgroup does */
    enum cu_limit limit_alone; /* the resource that ran out first, whatever fits */
};
void cu_occupancy(const struct cu_config *cfg, const struct cu_need *need,
                  struct cu_occupancy *out);

/* "slots", "vgprs", "sgprs", "lds", "barriers", "nothing fits". */
const char *cu_limit_name(enum cu_limit l);

/* Granules that a wave (a workgroup, for LDS) takes: at least one of VGPRs and of SGPRs. */
unsigned cu_vgpr_granules(const struct cu_config *cfg, unsigned vgprs);
unsigned cu_sgpr_granules(const struct cu_config *cfg, unsigned sgprs);
unsigned cu_lds_granules(const struct cu_config *cfg, unsigned bytes);

/* The machine. Allocating, running and freeing groups of different CUs may be done by different
 * threads at once; one group is one thread's at a time. */
struct cu_machine;
struct cu_machine *cu_machine_create(const struct cu_config *cfg, struct isa_code *code,
                                     struct mem_vm *vm, struct loud *loud);
void cu_machine_destroy(struct cu_machine *m);

/* A workgroup in its slots: waves[0 .. n-1] all resident in one CU, sharing `lds`. */
struct cu_group {
    unsigned n;
    struct wave *waves[40]; /* a CU holds 40 waves; a workgroup at most 16 (32 on request) */
    uint8_t *lds;           /* NULL when the group has none. Hardware leaves what the previous owner
                             * left; here it and the VGPRs are cleared, to be deterministic */
    unsigned cu;            /* flat index of the CU: (se * sh_per_se + sh) * cu_per_sh + cu */
    struct {                /* private to machine.c */
        unsigned lds_base, lds_count; /* granules */
        bool barrier;
    } priv;
};

/* Allocate slots, registers and LDS for a workgroup on CU `cu` (flat index), waves spread over SIMDs.
 * Returns false when they do not fit now. On success each wave has v, lds, ids (hw_id, gpr_alloc,
 * lds_alloc) set and is otherwise zero: the launcher fills SGPRs and VGPRs and calls wave_reset. */
bool cu_group_alloc(struct cu_machine *m, unsigned cu, const struct cu_need *need,
                    enum isa_stage stage, struct cu_group *out);
void cu_group_free(struct cu_machine *m, struct cu_group *g);

/* Run all waves of a group to their end, round-robin in slices, releasing barriers when all
 * unfinished waves have arrived. Returns false when the watchdog stopped it (each wave may run
 * `watchdog_insts` instructions; 0 = no limit) or a wave halted; *e says which wave, where, why. */
bool cu_group_run(struct cu_machine *m, struct cu_group *g, uint64_t watchdog_insts,
                  struct err *e);

/* The same in pieces, for launchers that keep several groups resident (a wave may wait for another
 * group's): run for about `slice_insts` instructions of each wave. */
enum cu_group_state {
    CU_GROUP_RUNNING, /* not done: call again */
    CU_GROUP_DONE,    /* every wave ended */
    CU_GROUP_STOPPED, /* every wave ended or stopped; at least one by the watchdog or a halt: *e */
};
enum cu_group_state cu_group_slice(struct cu_machine *m, struct cu_group *g, uint64_t slice_insts,
                                   uint64_t watchdog_insts, struct err *e);

/* One line about where a wave stands: id, stage, place in the machine, PC, EXEC, SCC, VCC, M0 and the
 * first SGPRs. Returns the length, as snprintf does. */
int cu_wave_format(const struct cu_machine *m, const struct wave *w, char *out, size_t out_bytes);

unsigned cu_count(const struct cu_machine *m);

/* The launch number that the next wave gets. */
uint32_t cu_next_wave(struct cu_machine *m);

/* Remember where the machine stands, and go back there: its counters, launch numbers and whose turn it is.
 * No group may be allocated then. One place is remembered. */
void cu_save(struct cu_machine *m);
void cu_restore(struct cu_machine *m);

/* Counters of all waves freed so far, by stage. */
struct cu_counters {
    uint64_t waves[STAGE_COUNT];
    uint64_t groups;
    struct wave_counters insts[STAGE_COUNT];
    unsigned max_waves_per_simd; /* most slots of one SIMD ever taken at once */
};
void cu_counters_get(struct cu_machine *m, struct cu_counters *out);

#endif
