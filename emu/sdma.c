/* The DMA engines' rings: the packets that copy, fill, write and signal linear memory.
 * Tiled copies, page table packets and the rest are loud.
 *
 * A buffer runs to its end at once: nothing is asynchronous here, and a poll that is not
 * satisfied never will be, so it is a guest fault and is passed. Which dword of a packet
 * is what comes from the table, by name. Sources: Linux cik_sdma.c, si_dma.c, sdma_v4_0.c
 * and the packet headers beside them. */
#include "emu/cp.h"

#define SDMA_DEPTH_MAX 2 /* a buffer may name another, which may not */

struct sdma {
    struct atoll_gpu *gpu;
    const struct pm4_desc *d;
    const struct pm4_packet *p;
    uint64_t ib_va;
    uint32_t header;
    bool g9;
};

static const struct mem_who who = {.client = MEM_CP};

/* The body dword of a name that the packet has. */
static uint32_t dw(const struct sdma *s, const char *name)
{
    for (uint32_t i = 0; i < s->d->dword_count && i < s->p->body_dw; i++)
        if (!strcmp(s->d->dwords[i].name, name))
            return pm4_dw(s->p, i);
    return 0;
}

static uint64_t address(const struct sdma *s, const char *lo, const char *hi)
{
    return cp_va(dw(s, lo), dw(s, hi));
}

/* Counts are one less than the number on GFX9. */
static uint32_t count(const struct sdma *s, enum pm4_field_id f)
{
    return pm4_get(dw(s, "COUNT"), f) + s->g9;
}

static void copy(const struct sdma *s, uint64_t dst, uint64_t src, uint32_t bytes)
{
    uint8_t chunk[65536];

    emu_count(&s->gpu->counters, CNT_DMA_BYTES, bytes);
    for (uint32_t at = 0; at < bytes; at += sizeof chunk) {
        uint32_t n = MIN2((uint32_t)sizeof chunk, bytes - at);

        mem_read(s->gpu->vm, src + at, chunk, n, &who);
        mem_write(s->gpu->vm, dst + at, chunk, n, &who);
    }
}

static void fill(const struct sdma *s, uint64_t dst, uint32_t value, uint32_t bytes)
{
    uint32_t chunk[16384];

    emu_count(&s->gpu->counters, CNT_DMA_BYTES, bytes);
    for (size_t i = 0; i < ARRAY_LEN(chunk); i++)
        chunk[i] = value;
    for (uint32_t at = 0; at < bytes; at += sizeof chunk)
        mem_write(s->gpu->vm, dst + at, chunk, MIN2((uint32_t)sizeof chunk, bytes - at),
                  &who);
}

static void loud(const struct sdma *s, const char *what)
{
    loud_report(s->gpu->loud, LOUD_PACKET,
                UINT64_C(0x5d) << 32 | (s->header & 0xf000ffff),
                "DMA packet %s%s (header 0x%08x, IB 0x%llx dword 0x%x)", s->d->name, what,
                s->header, (unsigned long long)s->ib_va, s->p->offset_dw);
}

/* ---- packets ---------------------------------------------------------------------- */

static void constant_fill(const struct sdma *s)
{
    uint32_t value = dw(s, "DATA");

    if (pm4_get(s->header, PM4F_SDMA_FILL_HDR__FILL_SIZE) == PM4V_SDMA_FILL_SIZE__BYTE)
        value = (value & 0xff) * 0x01010101u;
    fill(s, address(s, "DST_ADDR_LO", "DST_ADDR_HI"), value,
         count(s, PM4F_SDMA_COUNT__COUNT));
}

static void copy_linear(const struct sdma *s)
{
    uint32_t bytes = count(s, PM4F_SDMA_COUNT__COUNT);
    uint64_t src = address(s, "SRC_ADDR_LO", "SRC_ADDR_HI");
    uint32_t swap = dw(s, "PARAMETER");

    if (pm4_get(swap, PM4F_SDMA_PARAMETER__SRC_SW) ||
        pm4_get(swap, PM4F_SDMA_PARAMETER__DST_SW)) {
        loud(s, " with byte swapping");
        return;
    }
    if (!strcmp(s->d->name, "COPY_BROADCAST_LINEAR")) {
        copy(s, address(s, "DST1_ADDR_LO", "DST1_ADDR_HI"), src, bytes);
        copy(s, address(s, "DST2_ADDR_LO", "DST2_ADDR_HI"), src, bytes);
        return;
    }
    copy(s, address(s, "DST_ADDR_LO", "DST_ADDR_HI"), src, bytes);
}

/* The data follow the dword that counts them: they are what the walker found the packet
 * to have. */
static void write(const struct sdma *s)
{
    uint32_t first = s->d->dword_count - 1u;

    if (s->p->body_dw > first)
        mem_write(s->gpu->vm, address(s, "DST_ADDR_LO", "DST_ADDR_HI") & ~UINT64_C(3),
                  s->p->body + 4 * (size_t)first, 4 * (uint64_t)(s->p->body_dw - first),
                  &who);
}

static void fence(const struct sdma *s)
{
    cp_write32(s->gpu, address(s, "ADDR_LO", "ADDR_HI") & ~UINT64_C(3), dw(s, "DATA"));
}

static void timestamp(const struct sdma *s)
{
    cp_write64(s->gpu, address(s, "WRITE_ADDR_LO", "WRITE_ADDR_HI") & ~UINT64_C(7),
               emu_clock(s->gpu));
}

static void poll(const struct sdma *s)
{
    uint32_t lo = dw(s, "ADDR_LO"), v;

    if (pm4_get(s->header, PM4F_SDMA_POLL_HDR__HDP_FLUSH))
        return;
    if (pm4_get(s->header, PM4F_SDMA_POLL_HDR__MEM_POLL) != PM4V_REG_OR_MEM__MEMORY) {
        loud(s, " of a register");
        return;
    }
    v = cp_read32(s->gpu, cp_va(lo & ~3u, dw(s, "ADDR_HI")));
    if (!cp_compare(pm4_get(s->header, PM4F_SDMA_POLL_HDR__FUNC), v & dw(s, "MASK"),
                    dw(s, "VALUE")))
        emu_guest_hang(
            s->gpu,
            "DMA POLL_REGMEM at IB 0x%llx dword 0x%x waits for what nobody will bring",
            (unsigned long long)s->ib_va, s->p->offset_dw);
}

static void semaphore(const struct sdma *s)
{
    uint64_t va = address(s, "ADDR_LO", "ADDR_HI") & ~UINT64_C(7),
             v = cp_read64(s->gpu, va);

    if (pm4_get(s->header, PM4F_SDMA_SEM_HDR__SIGNAL))
        cp_write64(s->gpu, va,
                   pm4_get(s->header, PM4F_SDMA_SEM_HDR__WRITE_ONE) ? 1 : v + 1);
    else if (v)
        cp_write64(s->gpu, va, v - 1);
    else
        emu_guest_hang(
            s->gpu,
            "DMA SEMAPHORE at IB 0x%llx dword 0x%x waits for what nobody will bring",
            (unsigned long long)s->ib_va, s->p->offset_dw);
}

static void g6_copy(const struct sdma *s)
{
    enum { BYTE_ALIGNED = 0x40 }; /* the count is in bytes, not in dwords */
    uint32_t n = pm4_get(s->header, PM4F_DMA6_HDR__COUNT);

    if (pm4_get(s->header, PM4F_DMA6_HDR__VMID_OR_SUB) != BYTE_ALIGNED)
        n *= 4;
    copy(s, cp_va(dw(s, "DST_ADDR_LO"), dw(s, "DST_ADDR_HI") & 0xff),
         cp_va(dw(s, "SRC_ADDR_LO"), dw(s, "SRC_ADDR_HI") & 0xff), n);
}

static void g6_fill(const struct sdma *s)
{
    fill(s,
         cp_va(dw(s, "DST_ADDR_LO") & ~3u,
               pm4_get(dw(s, "DST_HI"), PM4F_DMA6_FILL_HI__DST_HI)),
         dw(s, "DATA"), 4 * pm4_get(s->header, PM4F_DMA6_HDR__COUNT));
}

static void nothing(const struct sdma *s)
{
}

static const struct {
    const char *name;
    void (*fn)(const struct sdma *s);
    bool g6;
} packets[] = {
    {"NOP", nothing, false},
    {"TRAP", nothing, false},
    {"COPY_LINEAR", copy_linear, false},
    {"COPY_BROADCAST_LINEAR", copy_linear, false},
    {"WRITE_UNTILED", write, false},
    {"FENCE", fence, false},
    {"SEMAPHORE", semaphore, false},
    {"POLL_REGMEM", poll, false},
    {"CONSTANT_FILL", constant_fill, false},
    {"TIMESTAMP_GET", timestamp, false},
    {"TIMESTAMP_GET_GLOBAL", timestamp, false},
    {"NOP", nothing, true},
    {"TRAP", nothing, true},
    {"COPY", g6_copy, true},
    {"WRITE", write, true},
    {"FENCE", fence, true},
    {"CONSTANT_FILL", g6_fill, true},
};

/* ---- buffers ---------------------------------------------------------------------- */

static int run(struct atoll_gpu *gpu, uint64_t va, uint32_t size_dw, unsigned depth)
{
    enum gfx gen = gpu->regs.gen;
    const void *bytes = mem_ptr(gpu->vm, va, 4 * (uint64_t)size_dw, MEM_R);
    struct pm4_walker w;
    struct pm4_packet p;
    int got;

    emu_count(&gpu->counters, CNT_IBS, 1);
    if (size_dw && !bytes)
        return err_set(&gpu->err,
                       "DMA IB 0x%llx: its %u dwords do not lie in one mapping",
                       (unsigned long long)va, size_dw);
    pm4_walk(&w, gen, bytes, size_dw);
    while ((got = pm4_sdma_next(&w, &p, &gpu->err)) == 1) {
        struct sdma s = {
            .gpu = gpu,
            .d = pm4_sdma_describe(gen, p.header, NULL),
            .p = &p,
            .ib_va = va,
            .header = p.header,
            .g9 = gen == GFX9,
        };
        size_t i = 0;

        emu_count(&gpu->counters, CNT_PACKETS, 1);
        gpu->cp.at =
            (struct emu_place){va, p.offset_dw, p.opcode, s.d ? s.d->name : NULL};
        if (!s.d)
            continue;
        if (!strcmp(s.d->name, "INDIRECT") && depth < SDMA_DEPTH_MAX) {
            if (run(gpu, address(&s, "IB_BASE_LO", "IB_BASE_HI") & ~UINT64_C(3),
                    pm4_get(dw(&s, "IB_SIZE"), PM4F_SDMA_IB_SIZE__IB_SIZE), depth + 1))
                return -1;
            continue;
        }
        if (!strcmp(s.d->name, "COND_EXE")) {
            uint32_t n = pm4_get(dw(&s, "COUNT"), PM4F_EXEC_COUNT__EXEC_COUNT);

            if (cp_read32(gpu, address(&s, "ADDR_LO", "ADDR_HI") & ~UINT64_C(3)) !=
                dw(&s, "REFERENCE"))
                w.at_dw += MIN2(n, w.dw - w.at_dw);
            continue;
        }
        while (i < ARRAY_LEN(packets) &&
               (packets[i].g6 != (gen == GFX6) || strcmp(packets[i].name, s.d->name)))
            i++;
        if (i < ARRAY_LEN(packets))
            packets[i].fn(&s);
        else
            loud(&s, "");
    }
    return got;
}

int emu_sdma_run(struct atoll_gpu *gpu, uint64_t va, uint32_t size_dw)
{
    return run(gpu, va & MEM_VA_MASK & ~UINT64_C(3), size_dw, 1);
}
