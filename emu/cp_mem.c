/* Packets that move data: WRITE_DATA, COPY_DATA, CP DMA, waits and conditional writes,
 * semaphores, atomics, registers loaded from memory.
 *
 * All memory goes through mem/ (unmapped reads give 0, writes are dropped, both are
 * recorded); GDS is bounds-checked here. Register operands are dword indices. Sources: as
 * in cp.c. */
#include "emu/cp.h"

/* ---- GDS and registers as operands ------------------------------------------------ */

static uint32_t gds_read32(struct atoll_gpu *gpu, uint64_t at)
{
    return at <= EMU_GDS_BYTES - 4 ? load_le32(gpu->gds + at) : 0;
}

static void gds_write32(struct atoll_gpu *gpu, uint64_t at, uint32_t v)
{
    if (at <= EMU_GDS_BYTES - 4)
        store_le32(gpu->gds + at, v);
}

static uint32_t reg_read(struct cp_engine *e, const struct pm4_packet *p,
                         uint64_t index_dw)
{
    if (index_dw < REGS_FILE_DWORDS)
        return e->gpu->regs.dw[index_dw];
    cp_loud(e, p, "read of register dword 0x%llx", (unsigned long long)index_dw);
    return 0;
}

static void reg_write(struct cp_engine *e, uint64_t index_dw, uint32_t v)
{
    emu_register_write(e->gpu, (uint32_t)MIN2(4 * index_dw, UINT32_MAX & ~3u), v);
    emu_count(&e->gpu->counters, CNT_REG_WRITES, 1);
}

/* ---- WRITE_DATA ------------------------------------------------------------------- */

enum cp_result cp_write_data(struct cp_engine *e, const struct pm4_packet *p)
{
    struct atoll_gpu *gpu = e->gpu;
    uint32_t control = pm4_dw(p, PM4_AT(WRITE_DATA, CONTROL));
    uint32_t lo = pm4_dw(p, PM4_AT(WRITE_DATA, DST_ADDR_LO));
    uint64_t va = cp_va(lo & ~3u, pm4_dw(p, PM4_AT(WRITE_DATA, DST_ADDR_HI)));
    bool one = pm4_get(control, PM4F_WRITE_CONTROL__WR_ONE_ADDR);
    uint32_t first = PM4_AT(WRITE_DATA, DATA), n = p->body_dw - first;

    switch (pm4_get(control, PM4F_WRITE_CONTROL__DST_SEL)) {
    case PM4V_WRITE_DST__MEM_MAPPED_REGISTER:
        for (uint32_t i = 0; i < n; i++)
            reg_write(e, lo + (uint64_t)(one ? 0 : i), pm4_dw(p, first + i));
        return CP_DONE;
    case PM4V_WRITE_DST__MEM_GRBM:
    case PM4V_WRITE_DST__TC_L2:
    case PM4V_WRITE_DST__MEM:
        if (!one) {
            cp_write(gpu, va, p->body + 4 * first, 4 * n);
            return CP_DONE;
        }
        for (uint32_t i = 0; i < n; i++)
            cp_write32(gpu, va, pm4_dw(p, first + i));
        return CP_DONE;
    case PM4V_WRITE_DST__GDS:
        for (uint32_t i = 0; i < n; i++)
            gds_write32(gpu, (lo & ~3u) + 4 * (uint64_t)(one ? 0 : i),
                        pm4_dw(p, first + i));
        return CP_DONE;
    }
    return cp_loud(e, p, "DST_SEL %u", pm4_get(control, PM4F_WRITE_CONTROL__DST_SEL));
}

enum cp_result cp_mem_write(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t hi = pm4_dw(p, PM4_AT(MEM_WRITE, ADDR_HI));
    uint64_t va = cp_va(pm4_dw(p, PM4_AT(MEM_WRITE, ADDR_LO)) & ~3u,
                        pm4_get(hi, PM4F_MEM_WRITE_HI__ADDR_HI));

    if (pm4_get(hi, PM4F_MEM_WRITE_HI__DATA32))
        cp_write32(e->gpu, va, pm4_dw(p, PM4_AT(MEM_WRITE, DATA_LO)));
    else
        cp_write64(e->gpu, va,
                   pm4_dw(p, PM4_AT(MEM_WRITE, DATA_LO)) |
                       (uint64_t)pm4_dw(p, PM4_AT(MEM_WRITE, DATA_HI)) << 32);
    return CP_DONE;
}

/* ---- COPY_DATA -------------------------------------------------------------------- */

enum cp_result cp_copy_data(struct cp_engine *e, const struct pm4_packet *p)
{
    struct atoll_gpu *gpu = e->gpu;
    uint32_t control = pm4_dw(p, PM4_AT(COPY_DATA, CONTROL));
    uint32_t src_lo = pm4_dw(p, PM4_AT(COPY_DATA, SRC_ADDR_LO));
    uint32_t src_hi = pm4_dw(p, PM4_AT(COPY_DATA, SRC_ADDR_HI));
    uint32_t dst_lo = pm4_dw(p, PM4_AT(COPY_DATA, DST_ADDR_LO));
    uint64_t dst_va = cp_va(dst_lo & ~3u, pm4_dw(p, PM4_AT(COPY_DATA, DST_ADDR_HI)));
    uint64_t src_va = cp_va(src_lo & ~3u, src_hi);
    bool two = pm4_get(control, PM4F_COPY_CONTROL__COUNT_SEL) == PM4V_COPY_COUNT__64_BITS;
    uint64_t v;

    switch (pm4_get(control, PM4F_COPY_CONTROL__SRC_SEL)) {
    case PM4V_COPY_SRC__REGISTER:
    case PM4V_COPY_SRC__PERFCOUNTERS: /* a register too, read with privilege */
        v = reg_read(e, p, src_lo);
        if (two)
            v |= (uint64_t)reg_read(e, p, src_lo + UINT64_C(1)) << 32;
        break;
    case PM4V_COPY_SRC__MEMORY:
    case PM4V_COPY_SRC__TC_L2:
        v = two ? cp_read64(gpu, src_va) : cp_read32(gpu, src_va);
        break;
    case PM4V_COPY_SRC__GDS:
        v = gds_read32(gpu, src_lo & ~3u);
        if (two)
            v |= (uint64_t)gds_read32(gpu, (src_lo & ~3u) + UINT64_C(4)) << 32;
        break;
    case PM4V_COPY_SRC__IMMEDIATE:
        v = src_lo | (uint64_t)src_hi << 32;
        break;
    case PM4V_COPY_SRC__GPU_CLOCK_COUNT:
    case PM4V_COPY_SRC__SYSTEM_CLOCK_COUNT:
        v = emu_clock(gpu);
        break;
    default:
        return cp_loud(e, p, "SRC_SEL %u", pm4_get(control, PM4F_COPY_CONTROL__SRC_SEL));
    }

    switch (pm4_get(control, PM4F_COPY_CONTROL__DST_SEL)) {
    case PM4V_COPY_DST__REGISTER:
    case PM4V_COPY_DST__PERFCOUNTERS:
    case PM4V_COPY_DST__MEM_MAPPED_REG_DC:
        reg_write(e, dst_lo, (uint32_t)v);
        if (two)
            reg_write(e, dst_lo + UINT64_C(1), (uint32_t)(v >> 32));
        return CP_DONE;
    case PM4V_COPY_DST__MEMORY_SYNC:
    case PM4V_COPY_DST__TC_L2:
    case PM4V_COPY_DST__MEMORY:
        cp_write(gpu, dst_va, &v, two ? 8 : 4);
        return CP_DONE;
    case PM4V_COPY_DST__GDS:
        gds_write32(gpu, dst_lo & ~3u, (uint32_t)v);
        if (two)
            gds_write32(gpu, (dst_lo & ~3u) + UINT64_C(4), (uint32_t)(v >> 32));
        return CP_DONE;
    }
    return cp_loud(e, p, "DST_SEL %u", pm4_get(control, PM4F_COPY_CONTROL__DST_SEL));
}

/* ---- CP DMA ----------------------------------------------------------------------- */

#define DMA_CHUNK 65536u

/* A transfer, whichever of the two packets asked for it. */
struct dma {
    unsigned src_sel, dst_sel; /* PM4V_DMA_SRC__*, PM4V_DMA_DST__* */
    uint32_t src_lo, src_hi, dst_lo, dst_hi;
    uint32_t bytes;
    uint32_t command; /* the fields above BYTE_COUNT are at the same bits in both
                         generations' layouts */
};

static void dma_registers(struct cp_engine *e, const struct pm4_packet *p,
                          const struct dma *d, bool from, bool to)
{
    struct atoll_gpu *gpu = e->gpu;
    bool src_fixed = pm4_get(d->command, PM4F_DMA_COMMAND_G6__SAIC);
    bool dst_fixed = pm4_get(d->command, PM4F_DMA_COMMAND_G6__DAIC);
    uint64_t src = cp_va(d->src_lo & ~3u, d->src_hi),
             dst = cp_va(d->dst_lo & ~3u, d->dst_hi);

    /* Register addresses are in bytes here. There are no more registers than this. */
    for (uint32_t i = 0; i < MIN2(d->bytes / 4, REGS_FILE_DWORDS); i++) {
        uint64_t s = src + (src_fixed ? 0 : 4 * (uint64_t)i),
                 t = dst + (dst_fixed ? 0 : 4 * (uint64_t)i);
        uint32_t v = d->src_sel == PM4V_DMA_SRC__DATA ? d->src_lo
                     : from                           ? reg_read(e, p, s / 4)
                                                      : cp_read32(gpu, s);

        if (to)
            reg_write(e, t / 4, v);
        else
            cp_write32(gpu, t, v);
    }
}

/* Nothing is promised, by hardware or here, about ranges that overlap. */
static void dma_copy(struct atoll_gpu *gpu, uint64_t dst, uint64_t src, uint32_t bytes)
{
    static const struct mem_who who = {.client = MEM_CP};
    const void *from = mem_ptr(gpu->vm, src, bytes, MEM_R);
    uint8_t chunk[DMA_CHUNK];

    if (from) {
        mem_count(gpu->vm, MEM_CP, bytes, 0);
        mem_write(gpu->vm, dst, from, bytes, &who);
        return;
    }
    for (uint32_t at = 0; at < bytes; at += DMA_CHUNK) {
        uint32_t n = MIN2(DMA_CHUNK, bytes - at);

        mem_read(gpu->vm, src + at, chunk, n, &who);
        mem_write(gpu->vm, dst + at, chunk, n, &who);
    }
}

static void dma_fill(struct atoll_gpu *gpu, uint64_t dst, uint32_t value, uint32_t bytes)
{
    static const struct mem_who who = {.client = MEM_CP};
    uint32_t chunk[DMA_CHUNK / 4];

    for (uint32_t i = 0; i < MIN2(DMA_CHUNK, (uint64_t)bytes + 3) / 4; i++)
        chunk[i] = value;
    for (uint32_t at = 0; at < bytes; at += DMA_CHUNK)
        mem_write(gpu->vm, dst + at, chunk, MIN2(DMA_CHUNK, bytes - at), &who);
}

static enum cp_result dma(struct cp_engine *e, const struct pm4_packet *p, struct dma *d)
{
    struct atoll_gpu *gpu = e->gpu;
    bool g9 = gpu->regs.gen == GFX9;
    uint64_t src = cp_va(d->src_lo, d->src_hi), dst = cp_va(d->dst_lo, d->dst_hi);
    bool src_reg, dst_reg;

    _Static_assert(PM4F_DMA_COMMAND_G6__SAS == PM4F_DMA_COMMAND_G9__SAS &&
                       PM4F_DMA_COMMAND_G6__DAS == PM4F_DMA_COMMAND_G9__DAS &&
                       PM4F_DMA_COMMAND_G6__SAIC == PM4F_DMA_COMMAND_G9__SAIC &&
                       PM4F_DMA_COMMAND_G6__DAIC == PM4F_DMA_COMMAND_G9__DAIC,
                   "one decoding of these for all generations");
    d->bytes = g9 ? pm4_get(d->command, PM4F_DMA_COMMAND_G9__BYTE_COUNT)
                  : pm4_get(d->command, PM4F_DMA_COMMAND_G6__BYTE_COUNT);
    src_reg = pm4_get(d->command, PM4F_DMA_COMMAND_G6__SAS) &&
              d->src_sel == PM4V_DMA_SRC__SRC_ADDR;
    dst_reg = pm4_get(d->command, PM4F_DMA_COMMAND_G6__DAS) &&
              d->dst_sel == PM4V_DMA_DST__DST_ADDR;
    if (!g9 && (pm4_get(d->command, PM4F_DMA_COMMAND_G6__SRC_SWAP) ||
                pm4_get(d->command, PM4F_DMA_COMMAND_G6__DST_SWAP)))
        return cp_loud(e, p, "byte swapping (COMMAND 0x%08x)", d->command);

    /* A copy onto itself, or to nowhere, only brings the data into L2. */
    if (d->dst_sel == PM4V_DMA_DST__NOWHERE)
        return CP_DONE;
    if (d->src_sel != PM4V_DMA_SRC__DATA && d->src_sel != PM4V_DMA_SRC__GDS &&
        d->dst_sel != PM4V_DMA_DST__GDS && src == dst && src_reg == dst_reg)
        return CP_DONE;
    emu_count(&gpu->counters, CNT_DMA_BYTES, d->bytes);

    if (d->src_sel == PM4V_DMA_SRC__GDS || d->dst_sel == PM4V_DMA_DST__GDS) {
        for (uint32_t i = 0; i < MIN2(d->bytes, EMU_GDS_BYTES); i += 4) {
            uint32_t v = d->src_sel == PM4V_DMA_SRC__GDS
                             ? gds_read32(gpu, (d->src_lo & ~3u) + (uint64_t)i)
                         : d->src_sel == PM4V_DMA_SRC__DATA ? d->src_lo
                                                            : cp_read32(gpu, src + i);

            if (d->dst_sel == PM4V_DMA_DST__GDS)
                gds_write32(gpu, (d->dst_lo & ~3u) + (uint64_t)i, v);
            else
                cp_write32(gpu, dst + i, v);
        }
        return CP_DONE;
    }
    if (src_reg || dst_reg) {
        dma_registers(e, p, d, src_reg, dst_reg);
        return CP_DONE;
    }
    if (pm4_get(d->command, PM4F_DMA_COMMAND_G6__DAIC) ||
        (pm4_get(d->command, PM4F_DMA_COMMAND_G6__SAIC) &&
         d->src_sel != PM4V_DMA_SRC__DATA))
        return cp_loud(e, p, "memory address that does not advance (COMMAND 0x%08x)",
                       d->command);
    if (d->src_sel == PM4V_DMA_SRC__DATA)
        dma_fill(gpu, dst, d->src_lo, d->bytes);
    else
        dma_copy(gpu, dst, src, d->bytes);
    return CP_DONE;
}

enum cp_result cp_dma_data(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t word0 = pm4_dw(p, PM4_AT(DMA_DATA, DMA_DATA_WORD0));
    struct dma d = {
        .src_sel = pm4_get(word0, PM4F_DMA_WORD0__SRC_SEL),
        .dst_sel = pm4_get(word0, PM4F_DMA_WORD0__DST_SEL),
        .src_lo = pm4_dw(p, PM4_AT(DMA_DATA, SRC_ADDR_LO)),
        .src_hi = pm4_dw(p, PM4_AT(DMA_DATA, SRC_ADDR_HI)),
        .dst_lo = pm4_dw(p, PM4_AT(DMA_DATA, DST_ADDR_LO)),
        .dst_hi = pm4_dw(p, PM4_AT(DMA_DATA, DST_ADDR_HI)),
        .command = pm4_dw(p, PM4_AT(DMA_DATA, COMMAND)),
    };

    return dma(e, p, &d);
}

enum cp_result cp_cp_dma(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t word1 = pm4_dw(p, PM4_AT(CP_DMA, CP_DMA_WORD1));
    struct dma d = {
        .src_sel = pm4_get(word1, PM4F_CP_DMA_WORD1__SRC_SEL),
        .dst_sel = pm4_get(word1, PM4F_CP_DMA_WORD1__DST_SEL),
        .src_lo = pm4_dw(p, PM4_AT(CP_DMA, CP_DMA_WORD0)),
        .src_hi = pm4_get(word1, PM4F_CP_DMA_WORD1__SRC_ADDR_HI),
        .dst_lo = pm4_dw(p, PM4_AT(CP_DMA, CP_DMA_WORD2)),
        .dst_hi = pm4_get(pm4_dw(p, PM4_AT(CP_DMA, CP_DMA_WORD3)),
                          PM4F_CP_DMA_WORD3__DST_ADDR_HI),
        .command = pm4_dw(p, PM4_AT(CP_DMA, COMMAND)),
    };

    return dma(e, p, &d);
}

/* ---- waiting and conditions ------------------------------------------------------- */

enum cp_result cp_wait_reg_mem(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t op = pm4_dw(p, PM4_AT(WAIT_REG_MEM, OP));
    uint32_t lo = pm4_dw(p, PM4_AT(WAIT_REG_MEM, ADDRESS_LO));
    uint32_t hi = pm4_dw(p, PM4_AT(WAIT_REG_MEM, ADDRESS_HI));
    uint32_t reference = pm4_dw(p, PM4_AT(WAIT_REG_MEM, REF));
    uint32_t mask = pm4_dw(p, PM4_AT(WAIT_REG_MEM, MASK));
    bool reg = pm4_get(op, PM4F_WAIT__MEM_SPACE) == PM4V_POLL_SPACE__REGISTER;
    uint32_t v;

    if (pm4_get(op, PM4F_WAIT__OPERATION) == PM4V_WAIT_OP__WR_WAIT_WR_REG) {
        /* Write, wait until it reads back, write elsewhere: nothing is late here. */
        reg_write(e, lo, reference);
        reg_write(e, hi, reference);
        return CP_DONE;
    }
    v = reg ? reg_read(e, p, lo) : cp_read32(e->gpu, cp_va(lo & ~3u, hi));
    if (cp_compare(pm4_get(op, PM4F_WAIT__FUNCTION), v & mask, reference))
        return CP_DONE;
    return cp_wait(e, p, "%s 0x%llx is 0x%08x & 0x%08x, wanted function %u of 0x%08x",
                   reg ? "register dword" : "memory",
                   (unsigned long long)(reg ? lo : cp_va(lo & ~3u, hi)), v, mask,
                   pm4_get(op, PM4F_WAIT__FUNCTION), reference);
}

enum cp_result cp_wait_reg_mem64(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t op = pm4_dw(p, PM4_AT(WAIT_REG_MEM64, OP));
    uint64_t va = cp_va(pm4_dw(p, PM4_AT(WAIT_REG_MEM64, ADDRESS_LO)) & ~7u,
                        pm4_dw(p, PM4_AT(WAIT_REG_MEM64, ADDRESS_HI)));
    uint64_t reference = pm4_dw(p, PM4_AT(WAIT_REG_MEM64, REF_LO)) |
                         (uint64_t)pm4_dw(p, PM4_AT(WAIT_REG_MEM64, REF_HI)) << 32;
    uint64_t mask = pm4_dw(p, PM4_AT(WAIT_REG_MEM64, MASK_LO)) |
                    (uint64_t)pm4_dw(p, PM4_AT(WAIT_REG_MEM64, MASK_HI)) << 32;
    uint64_t v;

    if (pm4_get(op, PM4F_WAIT__MEM_SPACE) == PM4V_POLL_SPACE__REGISTER ||
        pm4_get(op, PM4F_WAIT__OPERATION) != PM4V_WAIT_OP__WAIT_REG_MEM)
        return cp_loud(e, p, "register space or operation (OP 0x%08x)", op);
    v = cp_read64(e->gpu, va);
    if (cp_compare(pm4_get(op, PM4F_WAIT__FUNCTION), v & mask, reference))
        return CP_DONE;
    return cp_wait(e, p, "memory 0x%llx is 0x%llx", (unsigned long long)va,
                   (unsigned long long)v);
}

enum cp_result cp_cond_write(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t control = pm4_dw(p, PM4_AT(COND_WRITE, CONTROL));
    uint32_t lo = pm4_dw(p, PM4_AT(COND_WRITE, POLL_ADDRESS_LO));
    uint32_t hi = pm4_dw(p, PM4_AT(COND_WRITE, POLL_ADDRESS_HI));
    uint32_t to = pm4_dw(p, PM4_AT(COND_WRITE, WRITE_ADDRESS_LO));
    uint32_t data = pm4_dw(p, PM4_AT(COND_WRITE, WRITE_DATA));
    bool mem = pm4_get(control, PM4F_COND_WRITE__POLL_SPACE) == PM4V_REG_OR_MEM__MEMORY;
    uint32_t v = mem ? cp_read32(e->gpu, cp_va(lo & ~3u, hi)) : reg_read(e, p, lo);

    if (!cp_compare(pm4_get(control, PM4F_COND_WRITE__FUNCTION),
                    v & pm4_dw(p, PM4_AT(COND_WRITE, MASK)),
                    pm4_dw(p, PM4_AT(COND_WRITE, REFERENCE))))
        return CP_DONE;
    switch (pm4_get(control, PM4F_COND_WRITE__WRITE_SPACE)) {
    case PM4V_WRITE_SPACE__REGISTER:
        reg_write(e, to, data);
        return CP_DONE;
    case PM4V_WRITE_SPACE__MEMORY:
        cp_write32(e->gpu,
                   cp_va(to & ~3u, pm4_dw(p, PM4_AT(COND_WRITE, WRITE_ADDRESS_HI))),
                   data);
        return CP_DONE;
    case PM4V_WRITE_SPACE__SCRATCH:
        e->gpu->cp.scratch_ram[to % ARRAY_LEN(e->gpu->cp.scratch_ram)] = data;
        return CP_DONE;
    }
    return cp_loud(e, p, "WRITE_SPACE %u",
                   pm4_get(control, PM4F_COND_WRITE__WRITE_SPACE));
}

/* A 64-bit counter in memory: signal adds one (or writes 1), wait takes one when there is
 * one. */
enum cp_result cp_mem_semaphore(struct cp_engine *e, const struct pm4_packet *p)
{
    struct atoll_gpu *gpu = e->gpu;
    bool g9 = gpu->regs.gen == GFX9, g6 = gpu->regs.gen == GFX6;
    uint32_t control = pm4_dw(p, g9 ? PM4_AT_ALSO(MEM_SEMAPHORE, G9, CONTROL)
                                    : PM4_AT(MEM_SEMAPHORE, CONTROL));
    uint32_t hi = g9   ? pm4_dw(p, PM4_AT_ALSO(MEM_SEMAPHORE, G9, ADDR_HI))
                  : g6 ? pm4_get(control, PM4F_MEM_SEM_G6__ADDR_HI)
                       : pm4_get(control, PM4F_MEM_SEM_G7__ADDR_HI);
    uint64_t va = cp_va(pm4_dw(p, PM4_AT(MEM_SEMAPHORE, ADDR_LO)) & ~7u, hi);
    uint64_t v = cp_read64(gpu, va);

    _Static_assert(PM4F_MEM_SEM_G6__SEM_SEL == PM4F_MEM_SEM_G9__SEM_SEL &&
                       PM4F_MEM_SEM_G7__SEM_SEL == PM4F_MEM_SEM_G9__SEM_SEL &&
                       PM4F_MEM_SEM_G6__SIGNAL_TYPE == PM4F_MEM_SEM_G9__SIGNAL_TYPE &&
                       PM4F_MEM_SEM_G7__SIGNAL_TYPE == PM4F_MEM_SEM_G9__SIGNAL_TYPE,
                   "one decoding for all generations");
    switch (pm4_get(control, PM4F_MEM_SEM_G9__SEM_SEL)) {
    case PM4V_SEM_SEL__SIGNAL:
        cp_write64(gpu, va,
                   pm4_get(control, PM4F_MEM_SEM_G9__SIGNAL_TYPE) ==
                           PM4V_SEM_SIGNAL__WRITE_1
                       ? 1
                       : v + 1);
        return CP_DONE;
    case PM4V_SEM_SEL__WAIT:
        if (!v)
            return cp_wait(e, p, "semaphore 0x%llx is 0", (unsigned long long)va);
        cp_write64(gpu, va, v - 1);
        return CP_DONE;
    }
    return cp_loud(e, p, "SEM_SEL %u", pm4_get(control, PM4F_MEM_SEM_G9__SEM_SEL));
}

/* ---- atomics ---------------------------------------------------------------------- */

/* The new value of an L2 atomic; `bits` is 32 or 64. False when the operation is not
 * modelled (the floating-point ones, which no driver lets the CP do). */
static bool atomic(unsigned op, unsigned bits, uint64_t old, uint64_t src, uint64_t cmp,
                   uint64_t *out)
{
    uint64_t ones = bits == 32 ? UINT32_MAX : UINT64_MAX;
    int64_t so = bits == 32 ? (int32_t)old : (int64_t)old,
            ss = bits == 32 ? (int32_t)src : (int64_t)src;

    switch (op) {
    case PM4V_TC_OP_G7__ATOMIC_SWAP_RTN_32:
        *out = src;
        break;
    case PM4V_TC_OP_G7__ATOMIC_CMPSWAP_RTN_32:
        *out = old == cmp ? src : old;
        break;
    case PM4V_TC_OP_G7__ATOMIC_ADD_RTN_32:
        *out = old + src;
        break;
    case PM4V_TC_OP_G7__ATOMIC_SUB_RTN_32:
        *out = old - src;
        break;
    case PM4V_TC_OP_G7__ATOMIC_SMIN_RTN_32:
        *out = so < ss ? old : src;
        break;
    case PM4V_TC_OP_G7__ATOMIC_UMIN_RTN_32:
        *out = MIN2(old, src);
        break;
    case PM4V_TC_OP_G7__ATOMIC_SMAX_RTN_32:
        *out = so > ss ? old : src;
        break;
    case PM4V_TC_OP_G7__ATOMIC_UMAX_RTN_32:
        *out = MAX2(old, src);
        break;
    case PM4V_TC_OP_G7__ATOMIC_AND_RTN_32:
        *out = old & src;
        break;
    case PM4V_TC_OP_G7__ATOMIC_OR_RTN_32:
        *out = old | src;
        break;
    case PM4V_TC_OP_G7__ATOMIC_XOR_RTN_32:
        *out = old ^ src;
        break;
    case PM4V_TC_OP_G7__ATOMIC_INC_RTN_32:
        *out = old >= src ? 0 : old + 1;
        break;
    case PM4V_TC_OP_G7__ATOMIC_DEC_RTN_32:
        *out = old == 0 || old > src ? src : old - 1;
        break;
    default:
        return false;
    }
    *out &= ones;
    return true;
}

enum cp_result cp_atomic_mem(struct cp_engine *e, const struct pm4_packet *p)
{
    /* The operation's number has a bit for the width and one for not returning the old
     * value. */
    enum {
        WIDE = PM4V_TC_OP_G7__ATOMIC_ADD_RTN_64 - PM4V_TC_OP_G7__ATOMIC_ADD_RTN_32,
        SILENT = PM4V_TC_OP_G7__ATOMIC_ADD_32 - PM4V_TC_OP_G7__ATOMIC_ADD_RTN_32,
        INT_SHIFT = PM4V_TC_OP_G6__ATOMIC_XOR_RTN_32 - PM4V_TC_OP_G7__ATOMIC_XOR_RTN_32,
    };
    struct atoll_gpu *gpu = e->gpu;
    uint32_t control = pm4_dw(p, PM4_AT(ATOMIC_MEM, CONTROL));
    unsigned op = pm4_get(control, PM4F_ATOMIC_G7__ATOMIC);
    unsigned size = op & WIDE ? 64 : 32, base = op & ~(unsigned)(WIDE | SILENT);
    uint64_t va = cp_va(pm4_dw(p, PM4_AT(ATOMIC_MEM, ADDR_LO)) & ~(size / 8 - 1),
                        pm4_dw(p, PM4_AT(ATOMIC_MEM, ADDR_HI)));
    uint64_t ones = size == 32 ? UINT32_MAX : UINT64_MAX;
    uint64_t src = (pm4_dw(p, PM4_AT(ATOMIC_MEM, SRC_DATA_LO)) |
                    (uint64_t)pm4_dw(p, PM4_AT(ATOMIC_MEM, SRC_DATA_HI)) << 32) &
                   ones;
    uint64_t cmp = (pm4_dw(p, PM4_AT(ATOMIC_MEM, CMP_DATA_LO)) |
                    (uint64_t)pm4_dw(p, PM4_AT(ATOMIC_MEM, CMP_DATA_HI)) << 32) &
                   ones;
    uint64_t old = size == 32 ? cp_read32(gpu, va) : cp_read64(gpu, va), new;

    if (gpu->regs.gen == GFX6 && base > PM4V_TC_OP_G7__ATOMIC_SUB_RTN_32)
        base -= INT_SHIFT;
    if (!atomic(base, size, old, src, cmp, &new))
        return cp_loud(e, p, "atomic operation 0x%02x", op);
    /* LOOP repeats a compare-and-swap until it succeeds. */
    if (pm4_get(control, PM4F_ATOMIC_G7__COMMAND) == PM4V_ATOMIC_CMD__LOOP &&
        base == PM4V_TC_OP_G7__ATOMIC_CMPSWAP_RTN_32 && old != cmp)
        return cp_wait(e, p, "memory 0x%llx is 0x%llx, not 0x%llx",
                       (unsigned long long)va, (unsigned long long)old,
                       (unsigned long long)cmp);
    cp_write(gpu, va, &new, size / 8);
    gpu->cp.atomic_return = old;
    return CP_DONE;
}

/* ---- registers -------------------------------------------------------------------- */

/* The SET packet whose space a LOAD packet loads, and the bit of CONTEXT_CONTROL that
 * enables it. */
static const struct {
    const char *load;
    unsigned set;
    enum pm4_field_id enable[2];
} load_spaces[] = {
    {"LOAD_UCONFIG_REG", PM4_SET_UCONFIG_REG, {PM4F_LOAD_CONTROL__LOAD_GLOBAL_UCONFIG}},
    {"LOAD_CONFIG_REG", PM4_SET_CONFIG_REG, {PM4F_LOAD_CONTROL__LOAD_GLOBAL_CONFIG}},
    {"LOAD_CONTEXT_REG",
     PM4_SET_CONTEXT_REG,
     {PM4F_LOAD_CONTROL__LOAD_PER_CONTEXT_STATE}},
    {"LOAD_CONTEXT_REG_INDEX", PM4_SET_CONTEXT_REG, {0}},
    {"LOAD_SH_REG",
     PM4_SET_SH_REG,
     {PM4F_LOAD_CONTROL__LOAD_GFX_SH_REGS, PM4F_LOAD_CONTROL__LOAD_CS_SH_REGS}},
    {"LOAD_SH_REG_INDEX", PM4_SET_SH_REG, {0}},
};

/* Byte offset of the first register of the space that a LOAD packet loads; *enabled by
 * CONTEXT_CONTROL. */
static uint32_t load_space(struct atoll_gpu *gpu, const struct pm4_packet *p,
                           bool *enabled)
{
    const char *name = pm4_describe(gpu->regs.gen, p->opcode)->name;

    for (size_t i = 0; i < ARRAY_LEN(load_spaces); i++) {
        const struct pm4_desc *set;

        if (strcmp(load_spaces[i].load, name))
            continue;
        *enabled = !load_spaces[i].enable[0];
        for (unsigned k = 0; k < 2; k++)
            *enabled |= load_spaces[i].enable[k] &&
                        pm4_get(gpu->cp.load_control, load_spaces[i].enable[k]);
        set = pm4_describe(gpu->regs.gen, load_spaces[i].set);
        return set ? set->reg_base : 0;
    }
    *enabled = false;
    return 0;
}

static void load_run(struct cp_engine *e, uint32_t first_offset, uint64_t va,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        emu_register_write(e->gpu, first_offset + 4 * i,
                           cp_read32(e->gpu, va + 4 * (uint64_t)i));
    emu_count(&e->gpu->counters, CNT_REG_WRITES, count);
}

/* The memory is an image of the register space: register n of it lies at base + 4 n. */
enum cp_result cp_load_reg(struct cp_engine *e, const struct pm4_packet *p)
{
    bool enabled;
    uint32_t space = load_space(e->gpu, p, &enabled);
    uint64_t va = cp_va(pm4_dw(p, PM4_AT(LOAD_SH_REG, BASE_ADDR_LO)) & ~3u,
                        pm4_get(pm4_dw(p, PM4_AT(LOAD_SH_REG, BASE_ADDR_HI)),
                                PM4F_LOAD_ADDR_HI__ADDR_HI));

    if (!enabled)
        return CP_DONE;
    for (uint32_t i = PM4_AT(LOAD_SH_REG, REG_OFFSET); i + 1 < p->body_dw; i += 2) {
        uint32_t reg = pm4_get(pm4_dw(p, i), PM4F_LOAD_OFFSET__REG_OFFSET);

        load_run(e, space + 4 * reg, va + 4 * (uint64_t)reg,
                 pm4_get(pm4_dw(p, i + 1), PM4F_LOAD_COUNT__NUM_DWORDS));
    }
    return CP_DONE;
}

/* The memory holds the values one after another, or pairs of offset and value. */
enum cp_result cp_load_reg_index(struct cp_engine *e, const struct pm4_packet *p)
{
    bool enabled;
    uint32_t space = load_space(e->gpu, p, &enabled);
    uint32_t lo = pm4_dw(p, PM4_AT(LOAD_SH_REG_INDEX, ADDR_LO));
    uint32_t second = pm4_dw(p, PM4_AT(LOAD_SH_REG_INDEX, ADDR_HI_OR_OFFSET));
    uint64_t va = pm4_get(lo, PM4F_LOAD_INDEX_LO__INDEX) == PM4V_LOAD_INDEX__OFFSET
                      ? e->gpu->cp.load_reg_va + second
                      : cp_va(lo & ~3u, second);

    for (uint32_t i = PM4_AT(LOAD_SH_REG_INDEX, REG_OFFSET); i + 1 < p->body_dw; i += 2) {
        uint32_t where = pm4_dw(p, i);
        uint32_t n = pm4_get(pm4_dw(p, i + 1), PM4F_LOAD_COUNT__NUM_DWORDS);

        if (pm4_get(where, PM4F_LOAD_INDEX_OFFSET__DATA_FORMAT) ==
            PM4V_LOAD_FORMAT__OFFSET_AND_DATA) {
            for (uint32_t k = 0; k + 1 < n; k += 2, va += 8)
                emu_register_write(e->gpu,
                                   space + 4 * pm4_get(cp_read32(e->gpu, va),
                                                       PM4F_LOAD_OFFSET__REG_OFFSET),
                                   cp_read32(e->gpu, va + 4));
            emu_count(&e->gpu->counters, CNT_REG_WRITES, n / 2);
            continue;
        }
        load_run(e, space + 4 * pm4_get(where, PM4F_LOAD_INDEX_OFFSET__REG_OFFSET), va,
                 n);
        va += 4 * (uint64_t)n;
    }
    return CP_DONE;
}

enum cp_result cp_reg_rmw(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t control = pm4_dw(p, PM4_AT(REG_RMW, CONTROL));
    uint32_t reg = pm4_get(control, PM4F_REG_RMW__MOD_ADDR);
    uint32_t and_mask = pm4_dw(p, PM4_AT(REG_RMW, AND_MASK)),
             or_mask = pm4_dw(p, PM4_AT(REG_RMW, OR_MASK));

    if (pm4_get(control, PM4F_REG_RMW__AND_MASK_SRC) == PM4V_IMM_OR_REG__REGISTER)
        and_mask = reg_read(e, p, and_mask);
    if (pm4_get(control, PM4F_REG_RMW__OR_MASK_SRC) == PM4V_IMM_OR_REG__REGISTER)
        or_mask = reg_read(e, p, or_mask);
    reg_write(e, reg, (reg_read(e, p, reg) & and_mask) | or_mask);
    return CP_DONE;
}

/* new = old with the bits of REG_MASK taken from REG_DATA. */
enum cp_result cp_context_reg_rmw(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t index = pm4_get(pm4_dw(p, PM4_AT(CONTEXT_REG_RMW, REG_OFFSET)),
                             PM4F_LOAD_OFFSET__REG_OFFSET);
    uint32_t mask = pm4_dw(p, PM4_AT(CONTEXT_REG_RMW, REG_MASK));
    uint64_t reg = pm4_describe(e->gpu->regs.gen, PM4_SET_CONTEXT_REG)->reg_base / 4 +
                   (uint64_t)index;

    reg_write(e, reg,
              (reg_read(e, p, reg) & ~mask) |
                  (pm4_dw(p, PM4_AT(CONTEXT_REG_RMW, REG_DATA)) & mask));
    return CP_DONE;
}

/* Several values into one register, one after the other. */
enum cp_result cp_one_reg_write(struct cp_engine *e, const struct pm4_packet *p)
{
    for (uint32_t i = PM4_AT(ONE_REG_WRITE, DATA); i < p->body_dw; i++)
        reg_write(e, pm4_dw(p, PM4_AT(ONE_REG_WRITE, REG_OFFSET)), pm4_dw(p, i));
    return CP_DONE;
}

enum cp_result cp_scratch_ram_write(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t at = pm4_get(pm4_dw(p, PM4_AT(SCRATCH_RAM_WRITE, CONTROL)),
                          PM4F_SCRATCH_ADDR__SCRATCH_ADDR);

    for (uint32_t i = PM4_AT(SCRATCH_RAM_WRITE, DATA); i < p->body_dw; i++, at++)
        e->gpu->cp.scratch_ram[at % ARRAY_LEN(e->gpu->cp.scratch_ram)] = pm4_dw(p, i);
    return CP_DONE;
}
