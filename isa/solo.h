/* solo.h: one wave by itself: registers, LDS, memory, and operations that record what the wave
 * asked of its surroundings. For test vectors, benchmarks, fuzzing and tests; a wave of a device
 * lives in cu/. */
#ifndef ATOLL_SOLO_H
#define ATOLL_SOLO_H

#include "isa/isa.h"

#define SOLO_VGPRS     256u
#define SOLO_SGPRS     104u
#define SOLO_LDS_BYTES 65536u
#define SOLO_CODE_VA   UINT64_C(0x800000000) /* where the code is: 64 KiB, executable */
#define SOLO_CODE_BYTES 65536u

struct isa_solo {
    struct wave *w;
    struct isa_code *code;
    struct mem_vm *vm;
    struct loud *loud;
    uint32_t *text;        /* host memory at SOLO_CODE_VA */
    uint32_t *v;
    uint8_t *lds, *gds;
    const struct isa_target *target;

    /* What the wave asked for. */
    unsigned exports, export_target, export_en;
    uint32_t export_data[4][64];
    unsigned messages;
    uint32_t message;
    uint64_t clock;        /* what s_memtime returns next; it grows by one each time */
};

/* A wave with all registers it can have, for a target; `level` is an index of the host's
 * instruction set levels (enum isa_level) or -1 for the best. NULL when memory runs out. */
struct isa_solo *isa_solo_create(const struct isa_target *t, int level);
void isa_solo_destroy(struct isa_solo *s);

/* Clear registers, LDS, GDS and what was asked for, and launch at SOLO_CODE_VA with MODE as given
 * (the register's low 10 bits: float mode, DX10_CLAMP, IEEE; and FP16_OVFL). */
void isa_solo_reset(struct isa_solo *s, uint64_t exec, uint32_t mode);

/* Put dwords at the start of the code and s_endpgm after them. n <= SOLO_CODE_BYTES / 4 - 1. */
void isa_solo_code(struct isa_solo *s, const uint32_t *dw, unsigned n);

#endif
