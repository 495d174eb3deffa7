/* The device as the folder emu/ sees it. Clients see emu/gpu.h only.
 *
 *   cp*.c        the command processor: packets to register writes, memory, draws, dispatches
 *   dispatch.c   a dispatch: workgroups onto CUs
 *   codeobj*.c   ELF code objects; launch.c  their kernels: arguments, scratch, a PM4 dispatch
 *   draw.h/draw*.c  a draw: snapshot of the registers, shader stages, raster
 *   counters.*   what was counted
 *   build.c      command buffers and shaders by hand; record.c  captures of what the device was given
 *   gpu.c        the public interface */
#ifndef ATOLL_EMU_INTERNAL_H
#define ATOLL_EMU_INTERNAL_H

#include "base/base.h"
#include "base/chip.h"
#include "cu/cu.h"
#include "emu/counters.h"
#include "emu/gpu.h"
#include "emu/pool.h"
#include "isa/isa.h"
#include "mem/mem.h"
#include "pm4/pm4.h"
#include "regs/regs.h"

#define EMU_GDS_BYTES 65536u
#define EMU_WATCHDOG_INSTS (UINT64_C(1) << 32)

/* A field that the user overrides at each draw and dispatch (`--set REG.FIELD=V`). */
struct emu_override {
    uint32_t offset_bytes, mask, value; /* value already in place within mask */
};
#define EMU_OVERRIDES_MAX 64

/* Where a packet stands: for messages, and the clue by which a user finds a draw again. */
struct emu_place {
    uint64_t ib_va;
    uint32_t offset_dw;
    unsigned opcode;
    const char *packet; /* its name; NULL when it has none */
};

#define EMU_STATS 11 /* pipeline statistics */
#define EMU_CLOCK_STEP 1000
#define EMU_SO_STREAMS 4

/* CP state that is no register. */
struct emu_cp {
    uint64_t index_base_va;
    uint32_t index_buffer_size; /* in indices */
    uint32_t index_type;        /* VGT_DMA_INDEX_TYPE, by whatever packet or register it came */
    uint64_t draw_indirect_va, dispatch_indirect_va, load_reg_va, ce_dst_va; /* SET_BASE */
    uint32_t load_control;      /* CONTEXT_CONTROL: which LOAD_*_REG packets work */
    bool predicate_off;         /* the last SET_PREDICATION says: skip predicated packets */
    bool predicate_visible;     /* what it has seen so far, for its CONTINUE bit */
    uint64_t ce_counter, de_counter;
    uint8_t ce_ram[65536];
    uint32_t scratch_ram[256];
    uint64_t atomic_return;     /* the old value of the last ATOMIC_MEM */
    uint8_t op_of_opcode[256];  /* private to cp.c */
    bool stat_running;          /* between PIPELINESTAT_START and _STOP */
    bool so_stopped;            /* after PIPELINESTAT_STOP stream-out counts no primitives */
    uint64_t stat_base[EMU_STATS], stat_sum[EMU_STATS];
    struct emu_place at;        /* of the packet that executes */
};

struct atoll_gpu {
    const struct chip *chip;
    const struct isa_target *target;
    struct atoll_options opt;
    struct reg_file regs;
    struct mem_vm *vm;
    struct loud *loud;
    struct isa_code *code;
    struct cu_machine *cu;
    struct cu_config cu_cfg;
    struct emu_cp cp;
    struct emu_counters counters;
    struct err err;

    uint8_t gds[EMU_GDS_BYTES];
    uint64_t clock;       /* s_memtime and timestamps: a deterministic count, see emu_clock() */
    uint32_t draw_number; /* of the draw or dispatch that runs: 0, 1, ... in order of execution */
    uint64_t samples_passed[16]; /* occlusion counter of each DB (one per RB): what ZPASS_DONE writes */

    /* Stream-out, kept by draw*.c: dwords filled of each buffer (it writes from there on; set by
     * STRMOUT_BUFFER_UPDATE), and per stream the primitives that wanted to be and were written. */
    uint32_t so_filled_dw[4];
    uint64_t so_needed[EMU_SO_STREAMS], so_written[EMU_SO_STREAMS];

    /* The guest did something that hardware would fault on; text of the first. */
    bool guest_faulted;
    bool hung;             /* one of them would have hung the hardware */
    struct err guest_fault;

    struct emu_override overrides[EMU_OVERRIDES_MAX];
    unsigned override_count;
    uint32_t first_draw, last_draw; /* draws outside are not executed; 0, UINT32_MAX: all */
    atoll_draw_fn on_draw;
    void *on_draw_ctx;
    atoll_inst_fn on_inst;
    void *on_inst_ctx;

    struct emu_pool *pool;               /* of draws and dispatches */
    struct emu_dispatch_state *dispatch; /* private to dispatch.c */
    struct emu_launch_state *launch;     /* private to launch.c; NULL until the first module */
    struct emu_record *record;           /* private to record.c; NULL: nothing is recorded */
    struct emu_draw_state *draw; /* private to draw*.c: made at creation, kept between draws */
};

/* record.c: what the public interface was given, into a capture; 0, or -1 with gpu->err set. */
int emu_record_map(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes, const void *host, unsigned rights);
int emu_record_unmap(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes);
int emu_record_write(struct atoll_gpu *gpu, uint64_t va, const void *src, uint64_t bytes);
int emu_record_submit(struct atoll_gpu *gpu, const struct atoll_ib *ibs, unsigned count);
void emu_record_destroy(struct atoll_gpu *gpu);

/* Record a guest fault: the first text is kept and returned by atoll_error() when a submission
 * returns 1. */
void emu_guest_fault(struct atoll_gpu *gpu, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what would have hung the hardware. */
void emu_guest_hang(struct atoll_gpu *gpu, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "draw 3, DRAW_INDEX_2 at IB 0x100001000 dword 0x1c": for messages. Returns `out`. */
const char *emu_place_format(const struct atoll_gpu *gpu, char *out, size_t out_bytes);

/* The next value of the device's clock. It advances by a fixed step per read and per draw, so that
 * the same submissions read the same times. */
uint64_t emu_clock(struct atoll_gpu *gpu);

/* ---- command processor: cp.c ------------------------------------------------------ */

/* The state of a fresh CP. gpu->regs must be reset. */
void emu_cp_init(struct atoll_gpu *gpu);

/* Byte offset of the SH register that packets number `index_dw` (a user SGPR's place). */
uint32_t emu_sh_reg_offset(const struct atoll_gpu *gpu, uint32_t index_dw);

/* Execute IBs. Returns 0, or -1 with gpu->err set; guest faults go to emu_guest_fault(). */
int emu_cp_submit(struct atoll_gpu *gpu, const struct atoll_ib *ibs, unsigned count);

/* Execute a buffer of a DMA engine's ring. Returns 0, or -1 with gpu->err set. sdma.c. */
int emu_sdma_run(struct atoll_gpu *gpu, uint64_t va, uint32_t size_dw);

/* A register write as a packet or the kernel does it: unknown offsets are loud, registers with an
 * action (none yet outside COMPUTE_DISPATCH_INITIATOR and VGT_EVENT_INITIATOR) act. */
void emu_register_write(struct atoll_gpu *gpu, uint32_t offset_bytes, uint32_t value);

/* ---- dispatch.c ------------------------------------------------------------------- */

/* Run a dispatch of gx * gy * gz (groups, or threads when the initiator says so) with the current
 * COMPUTE_* registers. */
void emu_dispatch(struct atoll_gpu *gpu, uint32_t gx, uint32_t gy, uint32_t gz,
                  uint32_t initiator);

struct emu_dispatch_state *emu_dispatch_state_create(const struct atoll_gpu *gpu);
void emu_dispatch_state_destroy(struct emu_dispatch_state *s);
/* Workgroups so far that ran beside others, and of those that were tried so, those that then had to run in order. */
void emu_dispatch_stats(const struct emu_dispatch_state *s, uint64_t *kept, uint64_t *undone);

/* ---- launch.c --------------------------------------------------------------------- */

struct emu_launch_state;
void emu_launch_state_destroy(struct emu_launch_state *s);

/* ---- surroundings of a wave, shared by dispatch.c and draw*.c: wave_ops.c --------- */

/* The members of struct wave_ops that are the same for every stage. ops_ctx of the wave must be
 * (or start with) a struct emu_wave_ctx. */
struct emu_wave_ctx {
    struct atoll_gpu *gpu;
    struct emu_counters *counters; /* NULL: the device's */
    uint64_t clock; /* gpu->clock when the draw or dispatch began, so that threads do not matter */
};
uint8_t *emu_ops_gds(struct wave *w, uint32_t *bytes);
uint64_t emu_ops_memtime(struct wave *w, bool real);
void emu_ops_sendmsg(struct wave *w, uint32_t imm, uint32_t m0); /* loud but for the harmless */
bool emu_ops_gws(struct wave *w, unsigned op, uint32_t value);
void emu_ops_trace(struct wave *w, uint64_t pc_va, const struct insn *in, bool after);
/* MIMG, for all stages: emu/image.c. */
void emu_ops_image(struct wave *w, const struct isa_image *im);
/* Those of compute waves, which export nothing. */
const struct wave_ops *emu_compute_ops(void);

/* The upper halves of the addresses at which FLAT sees LDS and scratch, 0 when it does not. */
void emu_apertures(const struct reg_file *r, uint32_t *shared_hi, uint32_t *private_hi);

/* After cu_group_alloc() and before wave_reset(): ops, tracing, FLAT apertures. */
void emu_wave_prepare(struct atoll_gpu *gpu, struct wave *w, const struct wave_ops *ops, void *ops_ctx);
/* After wave_reset(): MODE.EXCP_EN, STATUS.TRAP_EN, TBA and TMA of the wave's stage. */
void emu_wave_trap(struct atoll_gpu *gpu, struct wave *w);

/* What a wave needs and starts with, from PGM_LO, PGM_HI and PGM_RSRC1 of any stage (their common fields
 * lie at the same bits). */
struct emu_pgm {
    uint64_t code_va;
    unsigned vgprs, sgprs; /* as the register says; the machine rounds up */
    uint32_t float_mode;
    bool dx10_clamp, ieee;
    bool fp16_ovfl;        /* GFX9; its bit differs by stage: the caller's to fill */
    unsigned user_sgprs;   /* PGM_RSRC2's, whose fields differ by stage: the caller's to fill */
    bool scratch, trap;
};
void emu_pgm_decode(enum gfx gen, uint32_t lo, uint32_t hi, uint32_t rsrc1, struct emu_pgm *out);

#endif
