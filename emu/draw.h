/* draw: what the command processor hands over when a packet draws.
 *
 * Everything else that a draw depends on is in gpu->regs: VGT_PRIMITIVE_TYPE, the shader stages, ... The
 * command processor has already applied the overrides, written the user SGPRs that an indirect draw
 * writes (base vertex, start instance, draw id), and counted the draw. */
#ifndef ATOLL_EMU_DRAW_H
#define ATOLL_EMU_DRAW_H

#include "emu/internal.h"

/* VGT_DRAW_INITIATOR.SOURCE_SELECT. */
enum emu_draw_source {
    EMU_DRAW_DMA,       /* indices in memory */
    EMU_DRAW_IMMEDIATE, /* indices in the packet: `immediate` */
    EMU_DRAW_AUTO,      /* 0, 1, ..., count - 1 */
};

struct emu_draw_info {
    enum emu_draw_source source;
    uint32_t count;         /* indices (vertices for AUTO) */
    uint32_t instances;     /* at least 1 */
    uint64_t index_va;      /* of the first index used (start index applied) */
    uint32_t index_max;     /* indices that exist from index_va on; those beyond read as 0 */
    unsigned index_bytes;   /* 1, 2, 4 */
    unsigned index_swap;    /* VGT_DMA_INDEX_TYPE.SWAP_MODE: 0 none, 1 16 bit, 2 32 bit, 3 word */
    const uint8_t *immediate; /* count indices of index_bytes, tightly packed */
    bool not_eop;           /* VGT_DRAW_INITIATOR.NOT_EOP */
};

/* Run the draw to its end, memory and counters included. What the guest did wrong goes to
 * emu_guest_fault(), what is not modelled to gpu->loud. */
void emu_draw(struct atoll_gpu *gpu, const struct emu_draw_info *d);

/* Made at the device's creation and freed at its end; may be NULL when nothing is kept. */
struct emu_draw_state *emu_draw_state_create(struct atoll_gpu *gpu);
void emu_draw_state_destroy(struct emu_draw_state *s);

#endif
