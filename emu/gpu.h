/* atoll: a register-level emulator of AMD GCN GPUs. The public interface (installed as <atoll.h>).
 *
 * A device is created for a chip, given memory, and fed submissions (lists of PM4 indirect buffers)
 * as a kernel driver feeds the hardware. Everything hangs off struct atoll_gpu: several devices
 * may live in one process. Functions that can fail return 0, or a negative number with a message
 * in atoll_error(). A device may be used by one thread at a time. */
#ifndef ATOLL_GPU_H
#define ATOLL_GPU_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ATOLL_API __attribute__((visibility("default")))

struct atoll_gpu;

struct atoll_options {
    unsigned threads;         /* 0: one per host processor */
    uint64_t watchdog_insts;  /* instructions a wave may run; 0: the default (2^32) */
    int strict;               /* unknown things make submissions fail */
    int quiet;                /* print nothing to stderr */
    int strict_waits;         /* report registers that shaders use before their data could be there */
};

/* The version of the library, "0.1.0". */
ATOLL_API const char *atoll_version(void);

/* A device for a chip by name ("bonaire"), in its reset state. NULL when the chip is unknown or
 * memory runs out. `opt` may be NULL. */
ATOLL_API struct atoll_gpu *atoll_gpu_create(const char *chip, const struct atoll_options *opt);
ATOLL_API void atoll_gpu_destroy(struct atoll_gpu *gpu);

/* The message of the last failure of this device; "" when none. After a submission that returned 1 it is
 * the first fault of the guest. Valid until the next call. */
ATOLL_API const char *atoll_error(const struct atoll_gpu *gpu);

/* Map GPU addresses [va, va + bytes) onto host memory that the caller keeps alive, or onto zeroed
 * memory owned by the device when host is NULL. Multiples of 4096. */
ATOLL_API int atoll_map(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes, void *host);
/* The same with rights: a mask of enum atoll_rights. An access without its right is a fault, as if nothing
 * were mapped. */
enum atoll_rights { ATOLL_READ = 1, ATOLL_WRITE = 2, ATOLL_EXECUTE = 4 };
ATOLL_API int atoll_map_rights(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes, void *host,
                               unsigned rights);
ATOLL_API int atoll_unmap(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes);
ATOLL_API int atoll_read(struct atoll_gpu *gpu, uint64_t va, void *dst, uint64_t bytes);
ATOLL_API int atoll_write(struct atoll_gpu *gpu, uint64_t va, const void *src, uint64_t bytes);

enum atoll_ring { ATOLL_RING_GFX, ATOLL_RING_COMPUTE, ATOLL_RING_DMA, ATOLL_RING_CE };

struct atoll_ib {
    enum atoll_ring ring;
    uint64_t va;
    uint32_t size_dw;
};

/* Execute indirect buffers in order, to their end. Returns 0; -1 when the submission could not be
 * executed (malformed packets, an IB that loops, --strict) with the place in atoll_error(); 1 when
 * it ran but the guest faulted (unmapped access, watchdog, illegal instruction). */
ATOLL_API int atoll_submit(struct atoll_gpu *gpu, const struct atoll_ib *ibs, unsigned count);

/* Whether the last submission would have hung the hardware: a wave that the watchdog or an illegal instruction
 * stopped, a draw that does not end, a packet that waits for what nobody brings. Such a submission returned 1
 * (or -1); its remaining packets were executed. */
ATOLL_API int atoll_hung(const struct atoll_gpu *gpu);

/* MMIO register by byte offset, as the kernel sees it. */
ATOLL_API uint32_t atoll_register_read(struct atoll_gpu *gpu, uint32_t offset_bytes);
ATOLL_API void atoll_register_write(struct atoll_gpu *gpu, uint32_t offset_bytes, uint32_t value);

/* ---- observing and bending a replay ----------------------------------------------- */

/* One draw or dispatch, as the callback sees it. */
struct atoll_draw_event {
    uint32_t number;    /* 0, 1, ...: draws and dispatches in order of execution */
    int is_dispatch;
    uint64_t ib_va;     /* where its packet stands */
    uint32_t offset_dw;
    const char *packet; /* "DRAW_INDEX_AUTO" */
    int after;          /* 0: about to run, 1: done */
};

/* Called before and after each draw and dispatch, with its registers in place. It may read memory
 * and registers, not submit. NULL takes it away. */
typedef void (*atoll_draw_fn)(void *ctx, struct atoll_gpu *gpu, const struct atoll_draw_event *ev);
ATOLL_API void atoll_on_draw(struct atoll_gpu *gpu, atoll_draw_fn fn, void *ctx);

/* Called before (`after` 0) and after each instruction of each wave that starts from now on. Its registers
 * are in struct wave (isa/isa.h), which is no part of the public interface. May come from several threads
 * at once, one wave being one thread's. NULL takes it away. */
struct wave;
typedef void (*atoll_inst_fn)(void *ctx, struct wave *w, uint64_t pc_va, int after);
ATOLL_API void atoll_on_instruction(struct atoll_gpu *gpu, atoll_inst_fn fn, void *ctx);

/* Execute only draws and dispatches first..last (both inclusive); the others are skipped. */
ATOLL_API void atoll_set_draw_range(struct atoll_gpu *gpu, uint32_t first, uint32_t last);

/* Override the bits `mask` of a register with `value` (already in place) at each draw and dispatch,
 * whatever the packets wrote. Returns 0, or -1 when there are too many. */
ATOLL_API int atoll_override(struct atoll_gpu *gpu, uint32_t offset_bytes, uint32_t mask,
                             uint32_t value);

/* The chip of the device, and all counters as a JSON object (the caller frees the string; NULL when
 * memory runs out) or as text. */
ATOLL_API const char *atoll_chip(const struct atoll_gpu *gpu);
ATOLL_API char *atoll_counters_json(const struct atoll_gpu *gpu);
ATOLL_API void atoll_counters_print(const struct atoll_gpu *gpu, FILE *out);

/* One counter of the device by its name ("ps.invocations"), 0 or -1 when there is none. */
ATOLL_API int atoll_counter(const struct atoll_gpu *gpu, const char *name, uint64_t *value);

/* What was not modelled and where the guest faulted, a line each. Returns the number of lines. */
ATOLL_API unsigned atoll_report(const struct atoll_gpu *gpu, FILE *out);

/* ---- command buffers and shaders by hand ------------------------------------------- */

/* What a register (or a word of a descriptor: SQ_IMG_RSRC_WORD1, ...) is with this text: either fields,
 * "FORMAT=COLOR_8_8_8_8 BLEND_CLAMP=1", values being numbers or names of the field's enum (`atoll regs
 * CB_COLOR0_INFO` lists both) and fields that are not named 0; or one number for all 32 bits, which with a
 * decimal point is a float. Returns 0; -1 with a message in error[] (may be NULL). */
ATOLL_API int atoll_register_value(const char *chip, const char *reg, const char *text, uint32_t *value,
                                   char error[256]);

/* A command buffer under construction, for a chip. What goes wrong (an unknown name, a value that does not
 * fit) is kept: nothing more is added, and atoll_pm4_error() tells the first. NULL: no such chip. */
struct atoll_pm4;
ATOLL_API struct atoll_pm4 *atoll_pm4_create(const char *chip);
ATOLL_API void atoll_pm4_destroy(struct atoll_pm4 *p);

/* The packet that sets a register (its space decides which), with the text of atoll_register_value as a
 * printf format: atoll_pm4_set(p, "CB_COLOR0_PITCH", "TILE_MAX=%u", width / 8 - 1). */
ATOLL_API void atoll_pm4_set(struct atoll_pm4 *p, const char *reg, const char *text, ...)
    __attribute__((format(printf, 3, 4)));
/* `count` consecutive registers from this one on: descriptors into user data. */
ATOLL_API void atoll_pm4_set_array(struct atoll_pm4 *p, const char *reg, unsigned count,
                                   const uint32_t *values);
/* A type-3 packet by its opcode's name ("DRAW_INDEX_AUTO", docs/packets.md) with 1..16384 dwords of body. */
ATOLL_API void atoll_pm4_packet(struct atoll_pm4 *p, const char *opcode, unsigned count,
                                const uint32_t *body);
/* The same for a compute engine: bit 1 of the header. */
ATOLL_API void atoll_pm4_packet_compute(struct atoll_pm4 *p, const char *opcode, unsigned count,
                                        const uint32_t *body);

/* The dwords so far, valid until the next call; NULL with *count 0 after an error. */
ATOLL_API const uint32_t *atoll_pm4_dwords(const struct atoll_pm4 *p, uint32_t *count);
/* "" when all is well. */
ATOLL_API const char *atoll_pm4_error(const struct atoll_pm4 *p);

/* A program in LLVM's assembly language (lines, labels, comments, as `atoll asm` takes them) to machine code.
 * Returns its dwords, at most room_dw of which are written; -1 with "name:LINE: ..." in error[]. */
ATOLL_API int atoll_assemble(const char *chip, const char *text, const char *name, uint32_t *code,
                             unsigned room_dw, char error[256]);

/* Record what happens from here on in a capture that `atoll replay` runs: mappings, atoll_write, submissions;
 * of mappings on host memory what has changed at each submission. To be called before the first atoll_map.
 * `driver` is a name for the file's header. Kernels (atoll_module_*) are not recorded: loading one is
 * an error then. */
ATOLL_API int atoll_record(struct atoll_gpu *gpu, const char *path, const char *driver);
/* The replay shall find what is in memory now: `atoll replay` exits with 1 when it does not. */
ATOLL_API int atoll_record_expect(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes);
/* Finish the file. Returns -1 when not everything could be written. */
ATOLL_API int atoll_record_end(struct atoll_gpu *gpu);

/* ---- kernels ---------------------------------------------------------------------- */

/* A code object (the ELF file that a compiler writes for amdhsa, relocatable or linked, versions 2 to 6, or
 * an offload bundle with one for the device) in the memory of a device. NULL with atoll_error(): damaged, for another processor than the device's,
 * an undefined symbol. The device must outlive it. The device uses addresses from 0x80000000 to
 * 0xbfffffff (scratch) and from 0xf000000000 to 0xffffffffff for this. */
struct atoll_module;
ATOLL_API struct atoll_module *atoll_module_load(struct atoll_gpu *gpu, const void *elf, size_t bytes);
ATOLL_API void atoll_module_unload(struct atoll_module *m);

/* One argument that the kernel declares: its bytes (a buffer is its 64-bit address, from atoll_map), or
 * with value NULL a pointer to LDS of that many bytes. */
struct atoll_kernel_arg {
    const void *value;
    uint32_t bytes;
};

struct atoll_kernel_launch {
    const char *kernel;
    uint32_t grid[3], group[3]; /* both in work-items; the last group of a dimension may be partial */
    const struct atoll_kernel_arg *args;
    unsigned arg_count;
    uint32_t stack_bytes; /* of a work-item, added to the scratch that the kernel declares; 0: none, or
                           * 16384 for kernels that say that the compiler did not know their stack */
    uint32_t lds_bytes;   /* LDS of a group beyond what the kernel and its arguments ask for: what HIP calls
                           * dynamic shared memory */
    void (*print)(void *ctx, const char *text, size_t bytes); /* gets what the kernel's printf writes, after the
                           * run; NULL: standard output */
    void *print_ctx;
};

/* Run a kernel to its end, as the HSA runtime would have it run. Returns as atoll_submit does; -1 also
 * when the kernel, its arguments or its size do not fit, and nothing has run then. */
ATOLL_API int atoll_module_launch(struct atoll_module *m, const struct atoll_kernel_launch *l);

/* ---- occupancy -------------------------------------------------------------------- */

/* What a program needs: VGPRs per lane and SGPRs per wave as it asks for them, LDS bytes and
 * work-items of its workgroup. */
struct atoll_occupancy_need {
    unsigned vgprs, sgprs, lds_bytes, group_threads;
};

struct atoll_occupancy {
    unsigned waves_per_group, groups_per_cu, waves_per_cu;
    unsigned waves_per_simd; /* on the fullest SIMD */
    const char *limited_by;  /* "slots" "vgprs" "sgprs" "lds" "barriers": what runs out first */
    unsigned vgprs, sgprs, lds_bytes; /* what is allocated: the need in granules of the chip */
};

/* Occupancy on a chip (by name, or an LLVM processor name such as "gfx704"); groups_per_cu is 0 when
 * the workgroup fits no CU at all. Needs no device. Returns 0, or -1 for an unknown chip. */
ATOLL_API int atoll_occupancy(const char *chip, const struct atoll_occupancy_need *need,
                              struct atoll_occupancy *out);

#ifdef __cplusplus
}
#endif
#endif
