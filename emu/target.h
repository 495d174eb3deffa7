/* target: the colour and depth surfaces that draws wrote, found again and read out as pixels.
 *
 * A list of targets notes after each draw what CB and DB were bound to. At the end (or at any time)
 * each is read pixel by pixel through its tiling and its metadata (raster_cb_read, raster_db_read): a
 * tile that is only marked as cleared reads as, and from then on is, the clear colour in memory. */
#ifndef ATOLL_EMU_TARGET_H
#define ATOLL_EMU_TARGET_H

#include "emu/internal.h"
#include "raster/raster.h"

enum emu_target_kind { EMU_TARGET_COLOR, EMU_TARGET_DEPTH, EMU_TARGET_STENCIL };

struct emu_target {
    enum emu_target_kind kind;
    unsigned slot;           /* MRT of the first draw that had it; 0 for depth and stencil */
    uint64_t va;             /* base as the register has it, in bytes */
    uint32_t width, height;  /* what draws may touch: scissors within the padded surface */
    uint32_t first_slice, slices;
    unsigned samples;        /* per pixel: coverage samples */
    unsigned element_bytes;  /* of one sample in memory */
    enum mem_num num;        /* how colours are to be read */
    char format[40];         /* "8_8_8_8_UNORM", "Z_32_FLOAT", "STENCIL_8" */
    uint32_t first_draw, last_draw, draws;
    struct raster_state st;  /* of the last draw, prepared for reading */
};

struct emu_targets {
    struct emu_target *t;
    unsigned count, slots;
};

/* Note what a draw that just ran was bound to. used[0 .. return - 1]: indices of the targets. Returns
 * their number, -1 when memory ran out. */
int emu_targets_note(struct emu_targets *ts, const struct atoll_gpu *gpu, uint32_t draw,
                     unsigned used[RASTER_MRTS + 2]);
void emu_targets_free(struct emu_targets *ts);

/* A target of which no slice is wholly mapped is still read when a slice is no larger than this: the
 * guest faulted, and the part that is there is worth seeing. */
#define EMU_TARGET_UNMAPPED_MAX (UINT64_C(16) << 20)

/* The swizzle bits of a base address lie below this. */
#define EMU_TARGET_SWIZZLE_BYTES UINT64_C(0x10000)

/* How many of the target's slices, from the first on, are worth reading: those that memory is mapped
 * for. Registers may claim 2,048 slices of 16,384 x 16,384 pixels; what is read is bounded by what the
 * guest mapped. */
uint32_t emu_target_readable(const struct atoll_gpu *gpu, const struct emu_target *t);

/* Read one slice (counted from 0) of a target.
 *
 *   rgba  width * height * samples colours, sample after sample of a pixel, row after row: floats as
 *         bits, or integers, as `num` says. Depth (a float) and stencil are in [0].
 *   raw   width * height * samples * element_bytes bytes as they are in memory; of depth and
 *         stencil what rgba[0] says as 4 or 1 bytes
 *
 * Returns 0, or -1 with *e set when the surface cannot be addressed. */
int emu_target_read(struct atoll_gpu *gpu, const struct emu_target *t, uint32_t slice,
                    uint32_t (*rgba)[4], uint8_t *raw, struct err *e);

#endif
