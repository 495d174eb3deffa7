/* Between the files of the command processor (cp*.c) only.
 *
 * Two engines run a submission: DE (drawing: PFP and ME in one, since nothing here is asynchronous) and
 * CE (constants). Each has a stack of indirect buffers. They take turns: an engine runs until it is
 * done or a packet says that it must wait; when neither can go on, the wait is a guest fault and is
 * passed. So a submission always ends. */
#ifndef ATOLL_EMU_CP_H
#define ATOLL_EMU_CP_H

#include "emu/internal.h"

#define CP_DEPTH_MAX   8       /* IBs inside IBs; hardware has two levels, more are loud */
#define CP_DEPTH_HW    2
#define CP_IBS_MAX     1000000 /* IBs entered in a submission, chained ones included */
#define CP_PACKETS_MAX (UINT64_C(1) << 32)
#define CP_IB_DW_MAX   0xfffffu /* IB_SIZE has 20 bits */

struct cp_frame {
    uint64_t va;
    uint8_t *owned; /* a copy, when the IB lies in more than one mapping; else NULL */
    struct pm4_walker walker;
};

enum cp_kind { CP_DE, CP_CE };

struct cp_engine {
    struct atoll_gpu *gpu;
    enum cp_kind kind;
    bool compute_ring;    /* the IB that runs came from a compute ring */
    const struct atoll_ib *ibs; /* what is still to run, of all engines */
    unsigned ib_count;
    struct cp_frame frame[CP_DEPTH_MAX];
    unsigned depth;       /* frames in use */
    bool pass;            /* the wait that blocks is to be passed (nobody can satisfy it) */
    uint64_t packets;     /* executed: progress */
    struct cp_submit *submit;
};

/* Shared by the engines of a submission. */
struct cp_submit {
    struct cp_engine de, ce;
    uint64_t ibs_entered, packets;
};

enum cp_result {
    CP_DONE,    /* the packet has been executed */
    CP_BLOCKED, /* it must wait: try again later */
    CP_FAIL,    /* gpu->err is set: the submission ends */
};

typedef enum cp_result cp_fn(struct cp_engine *e, const struct pm4_packet *p);

/* Push an IB on the engine's stack, or replace the top when `chain`. */
enum cp_result cp_enter_ib(struct cp_engine *e, uint64_t va, uint32_t size_dw, bool chain);

/* gpu->err with the packet's place in front. Returns CP_FAIL. */
enum cp_result cp_fail(struct cp_engine *e, const struct pm4_packet *p, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A packet, or a form of one, that is not modelled: loud, then as if it were not there. */
enum cp_result cp_loud(struct cp_engine *e, const struct pm4_packet *p, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A wait that nobody satisfied yet. Blocks; when that is hopeless, records a guest fault and is done. */
enum cp_result cp_wait(struct cp_engine *e, const struct pm4_packet *p, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* An address of two dwords; bits 48 and up are ignored. */
static inline uint64_t cp_va(uint32_t lo, uint32_t hi)
{
    return (lo | (uint64_t)hi << 32) & MEM_VA_MASK;
}

/* Memory as the CP reaches it: unmapped reads give 0, writes are dropped, both are recorded. */
uint32_t cp_read32(struct atoll_gpu *gpu, uint64_t va);
uint64_t cp_read64(struct atoll_gpu *gpu, uint64_t va);
void cp_write(struct atoll_gpu *gpu, uint64_t va, const void *src, uint32_t bytes);
void cp_write32(struct atoll_gpu *gpu, uint64_t va, uint32_t v);
void cp_write64(struct atoll_gpu *gpu, uint64_t va, uint64_t v);

/* (value & mask) FUNCTION reference, by the number of PM4V_COMPARE__*. The one reserved number is
 * false. */
bool cp_compare(unsigned function, uint64_t value, uint64_t reference);

/* Act on an event that EVENT_WRITE, RELEASE_MEM, EOP and EOS name: cp_event.c. `va` is where it writes,
 * 0 when the packet has no address. */
void cp_event(struct cp_engine *e, const struct pm4_packet *p, unsigned type, uint64_t va);

/* Instruction cache: shaders may have changed. */
void cp_invalidate_icache(struct atoll_gpu *gpu);

/* Run `run` (a draw or a dispatch) with the overrides in place, between the callbacks, if its number is
 * in the range that the user asked for; count it. */
void cp_run_draw(struct cp_engine *e, const struct pm4_packet *p, bool is_dispatch,
                 void (*run)(struct atoll_gpu *gpu, void *arg), void *arg);

/* The packets, a function each; the table is in cp.c. */
cp_fn cp_write_data, cp_copy_data, cp_dma_data, cp_cp_dma, cp_wait_reg_mem, cp_wait_reg_mem64,
    cp_cond_write, cp_mem_semaphore, cp_atomic_mem, cp_mem_write, cp_load_reg, cp_load_reg_index,
    cp_reg_rmw, cp_context_reg_rmw, cp_one_reg_write, cp_scratch_ram_write; /* cp_mem.c */
cp_fn cp_event_write, cp_event_write_eop, cp_event_write_eos, cp_release_mem,
    cp_strmout_buffer_update, cp_set_predication, cp_occlusion_query; /* cp_event.c */
cp_fn cp_draw_index_2, cp_draw_index_offset_2, cp_draw_index_auto, cp_draw_index_immd,
    cp_draw_indirect, cp_draw_indirect_multi, cp_dispatch_direct, cp_dispatch_indirect,
    cp_index_base, cp_index_buffer_size, cp_index_type, cp_num_instances, cp_draw_preamble; /* cp_draw.c */
cp_fn cp_load_const_ram, cp_write_const_ram, cp_dump_const_ram, cp_dump_const_ram_offset,
    cp_increment_ce_counter, cp_increment_de_counter, cp_wait_on_ce_counter,
    cp_wait_on_de_counter_diff, cp_set_ce_de_counters; /* cp_ce.c */

#endif
