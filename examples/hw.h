/* hw: what a driver would do for an example that programs the hardware by itself: memory, shaders, registers,
 * submissions. Uses <atoll.h> alone (in the tree: emu/gpu.h). Whatever goes wrong is printed and ends the program. */
#ifndef EXAMPLES_HW_H
#define EXAMPLES_HW_H

#include "emu/gpu.h"

#define HW_CHIP "bonaire"

struct hw {
    struct atoll_gpu *gpu;
    struct atoll_pm4 *ib;    /* the command buffer under construction */
    uint64_t next_va, ib_va; /* addresses go up and are never used again */
};

/* A device; a recording to `gcap` when that is not NULL. The end of it: hw_close. */
void hw_open(struct hw *hw, const char *gcap, const char *name);
void hw_close(struct hw *hw);

/* Zeroed memory of the GPU, aligned to 64 KiB (which any tile mode is content with); with contents. */
uint64_t hw_alloc(struct hw *hw, uint64_t bytes);
uint64_t hw_upload(struct hw *hw, const void *data, uint64_t bytes);
void hw_read(struct hw *hw, uint64_t va, void *data, uint64_t bytes);
/* Assemble and upload a shader; its address. */
uint64_t hw_shader(struct hw *hw, const char *text, const char *name);

/* A register, or a word of a descriptor, by names and printf format. */
#define SET(hw, reg, ...) atoll_pm4_set((hw)->ib, reg, __VA_ARGS__)
uint32_t hw_value(const char *reg, const char *text, ...) __attribute__((format(printf, 2, 3)));

/* A V# of records with a stride, and a T# of a 2D image (`words` for WORD1 and WORD3: formats, tiling, type). */
void hw_buffer(uint32_t v[4], uint64_t va, unsigned stride, unsigned records);
void hw_image(uint32_t t[8], uint64_t va, unsigned width, unsigned height, unsigned pitch, const char *format,
              const char *tiling);

/* What every draw of an example needs: context state at its defaults, viewport of the whole target, no depth. */
void hw_defaults(struct hw *hw, unsigned width, unsigned height);
/* Shaders into registers: VGPRs and the number of user SGPRs, which are set from user[]. */
void hw_vs(struct hw *hw, uint64_t va, unsigned vgprs, unsigned sgprs, const uint32_t *user);
void hw_ps(struct hw *hw, uint64_t va, unsigned vgprs, unsigned sgprs, const uint32_t *user);
/* Fill memory with a dword by the command processor's DMA. */
void hw_fill(struct hw *hw, uint64_t va, uint32_t value, uint32_t bytes);
/* Write back and invalidate all caches: what was rendered can be read as a texture. */
void hw_flush(struct hw *hw);
void hw_draw(struct hw *hw, unsigned first, unsigned count);
/* Execute the command buffer, begin a new one. */
void hw_submit(struct hw *hw);

uint64_t hw_counter(struct hw *hw, const char *name);
/* All counters into a file. */
void hw_counters(struct hw *hw, const char *path);
/* 8-bit RGBA, rows of `pitch` pixels. */
void hw_png(const char *path, const void *rgba, unsigned width, unsigned height, unsigned pitch);

void hw_fail(const char *what, const char *why) __attribute__((noreturn));

#endif
