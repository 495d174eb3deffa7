/* Any bytes as an IB, of PM4 and of a DMA engine: the walker ends, views stay inside, and the printer
 * prints. */
#include "fuzz/fuzz.h"
#include "pm4/pm4.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    FILE *sink = fopen("/dev/null", "w");

    for (unsigned gen = GFX6; gen < GFX_COUNT; gen++) {
        struct pm4_print pr = {.gen = (enum gfx)gen, .out = sink};
        struct pm4_walker w;
        struct pm4_packet p;
        struct err e;

        for (unsigned dma = 0; dma < 2; dma++) {
            struct pm4_ib ib[2];

            pm4_walk(&w, (enum gfx)gen, data, (uint32_t)(bytes / 4));
            while ((dma ? pm4_sdma_next(&w, &p, &e) : pm4_next(&w, &p, &e)) > 0) {
                if (p.body_dw && p.body + 4 * (size_t)p.body_dw > data + bytes)
                    abort();
                pm4_indirect_buffers((enum gfx)gen, &p, ib);
                pm4_print_packet(&pr, &p);
            }
        }
    }
    fclose(sink);
    return 0;
}
