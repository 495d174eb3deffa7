/* Any bytes as what a driver submits: an IB for each ring of a device with some memory. A
 * submission ends, in bounded time, whatever it says, and says what was wrong; nothing
 * outside the mapped memory changes.
 *
 * Input: byte 0 chooses the chip, byte 1 the ring, then the IB's dwords. Of every four
 * dwords that would be packet headers, three are made one (a count within the IB and an
 * opcode), else random bytes are mostly bad headers. */
#include "fuzz/fuzz.h"
#include "base/base.h"
#include "emu/gpu.h"

#include <stdlib.h>

#define IB_VA     UINT64_C(0x100000)
#define MEMORY_VA UINT64_C(0x200000)

enum { IB_BYTES = 65536, MEMORY_BYTES = 1 << 20, WATCHDOG = 20000 };

/* Headers of type 3 where packets would start. */
static void make_headers(uint32_t *dw, uint32_t n)
{
    for (uint32_t i = 0; i < n;) {
        uint32_t count = dw[i] >> 16 & 0x1f;

        if (dw[i] & 3)
            dw[i] = 3u << 30 | count << 16 | (dw[i] & 0xff00);
        else
            count = dw[i] >> 16 & 0x3fff;
        i += count + 2;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const chips[] = {"tahiti", "bonaire", "polaris10", "vega10"};
    struct atoll_options opt = {.threads = 1, .watchdog_insts = WATCHDOG, .quiet = 1};
    struct atoll_gpu *gpu;
    struct atoll_ib ib = {.va = IB_VA};
    uint32_t *dw;

    if (bytes < 6)
        return 0;
    gpu = atoll_gpu_create(chips[data[0] % ARRAY_LEN(chips)], &opt);
    dw = aligned_alloc(4096, IB_BYTES);
    if (!gpu || !dw)
        abort();
    ib.ring = (enum atoll_ring)(data[1] % 4);
    ib.size_dw = (uint32_t)MIN2((bytes - 2) / 4, (size_t)IB_BYTES / 4);
    memset(dw, 0, IB_BYTES);
    memcpy(dw, data + 2, (size_t)ib.size_dw * 4);
    if (ib.ring != ATOLL_RING_DMA)
        make_headers(dw, ib.size_dw);
    if (atoll_map(gpu, IB_VA, IB_BYTES, dw) ||
        atoll_map(gpu, MEMORY_VA, MEMORY_BYTES, NULL))
        abort();
    atoll_submit(gpu, &ib, 1);
    atoll_gpu_destroy(gpu);
    free(dw);
    return 0;
}
