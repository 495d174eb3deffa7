/* pm4_shaders: the programs that command buffers point the shader stages at. */
#ifndef ATOLL_PM4_SHADERS_H
#define ATOLL_PM4_SHADERS_H

#include "pm4/pm4.h"
#include "tools/capture_memory.h"

#include <jansson.h>

#define PM4_SHADER_STAGES 16

/* Starts as all zeros. */
struct pm4_shaders {
    struct pm4_shader_stage {
        const char *name; /* "VS": the end of the register's name; NULL: free */
        uint32_t lo, hi;  /* PGM_LO, PGM_HI */
        bool changed;     /* since the last draw or dispatch */
    } stages[PM4_SHADER_STAGES];
    struct pm4_shader {
        const char *stage;
        uint64_t va;
    } *found; /* each stage and address once, in order of first use */
    size_t count, printed;
};

/* Take note of the addresses that a packet writes, and of draws and dispatches, which use them. */
void pm4_shaders_packet(struct pm4_shaders *s, enum gfx gen, unsigned ext,
                        const struct pm4_packet *p);

/* Disassemble those that came up since the last call: to `out`, or into the array `list`, or (both
 * NULL) nowhere. `chip` is a chip or "gfx7". */
void pm4_shaders_print(struct pm4_shaders *s, const char *chip,
                       const struct capture_memory_state *memory, FILE *out, json_t *list);

void pm4_shaders_free(struct pm4_shaders *s);

#endif
