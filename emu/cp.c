/* The command processor: indirect buffers to packets, packets to functions.
 *
 * This file has the engines, the stack of IBs, the waiting, register writes and the table
 * of packets; what packets do to memory is in cp_mem.c, draws and dispatches in
 * cp_draw.c, events in cp_event.c, the constant engine's in cp_ce.c. Positions and values
 * of all fields come from the packet table.
 *
 * Caches are not modelled (memory is always coherent), so flushes and waits for idle have
 * nothing to do, but for the instruction cache.
 *
 * Sources: packet descriptions in AMD's PAL and Linux's and Mesa's headers; SI/CI/VI
 * programming guides' chapters on PM4. */
#include "emu/cp.h"

#include <stdarg.h>
#include <stdlib.h>

/* ---- messages --------------------------------------------------------------------- */

static void guest_fault(struct atoll_gpu *gpu, const char *fmt, va_list ap)
{
    if (gpu->guest_faulted)
        return;
    gpu->guest_faulted = true;
    vsnprintf(gpu->guest_fault.text, sizeof gpu->guest_fault.text, fmt, ap);
    if (!gpu->opt.quiet)
        fprintf(stderr, "atoll: guest fault: %s\n", gpu->guest_fault.text);
}

void emu_guest_fault(struct atoll_gpu *gpu, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    guest_fault(gpu, fmt, ap);
    va_end(ap);
}

void emu_guest_hang(struct atoll_gpu *gpu, const char *fmt, ...)
{
    va_list ap;

    gpu->hung = true;
    va_start(ap, fmt);
    guest_fault(gpu, fmt, ap);
    va_end(ap);
}

const char *emu_place_format(const struct atoll_gpu *gpu, char *out, size_t out_bytes)
{
    const struct emu_place *at = &gpu->cp.at;

    snprintf(out, out_bytes, "%s at IB 0x%llx dword 0x%x",
             at->packet ? at->packet : "packet", (unsigned long long)at->ib_va,
             at->offset_dw);
    return out;
}

static void place(struct cp_engine *e, const struct pm4_packet *p, char *out,
                  size_t out_bytes)
{
    const struct pm4_desc *d = p->type == 3 ? pm4_layout(e->gpu->regs.gen, p) : NULL;
    uint64_t va = e->depth ? e->frame[e->depth - 1].va : 0;

    snprintf(out, out_bytes, "%s at IB 0x%llx dword 0x%x",
             d              ? d->name
             : p->type == 3 ? "unknown packet"
                            : "register packet",
             (unsigned long long)va, p->offset_dw);
}

enum cp_result cp_fail(struct cp_engine *e, const struct pm4_packet *p, const char *fmt,
                       ...)
{
    char where[128], what[320];
    va_list ap;

    place(e, p, where, sizeof where);
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    err_set(&e->gpu->err, "%s: %s", where, what);
    return CP_FAIL;
}

enum cp_result cp_loud(struct cp_engine *e, const struct pm4_packet *p, const char *fmt,
                       ...)
{
    char where[128], what[320];
    va_list ap;

    place(e, p, where, sizeof where);
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    /* One entry for each opcode and each text about it. */
    uint64_t key = p->opcode;

    for (const char *c = fmt; *c; c++)
        key = key * 31 + (unsigned char)*c;
    loud_report(e->gpu->loud, LOUD_PACKET, key << 8 | (p->opcode & 0xff), "%s: %s", where,
                what);
    return CP_DONE;
}

enum cp_result cp_wait(struct cp_engine *e, const struct pm4_packet *p, const char *fmt,
                       ...)
{
    char where[128], what[320];
    va_list ap;

    if (!e->pass)
        return CP_BLOCKED;
    e->pass = false;
    place(e, p, where, sizeof where);
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    emu_guest_hang(e->gpu, "%s waits for what nobody will bring (hardware would hang): %s",
                   where, what);
    return CP_DONE;
}

uint64_t emu_clock(struct atoll_gpu *gpu)
{
    return gpu->clock += EMU_CLOCK_STEP;
}

/* ---- memory and registers --------------------------------------------------------- */

static const struct mem_who cp_who = {.client = MEM_CP};

uint32_t cp_read32(struct atoll_gpu *gpu, uint64_t va)
{
    uint8_t b[4];

    mem_read(gpu->vm, va, b, sizeof b, &cp_who);
    return load_le32(b);
}

uint64_t cp_read64(struct atoll_gpu *gpu, uint64_t va)
{
    uint8_t b[8];

    mem_read(gpu->vm, va, b, sizeof b, &cp_who);
    return load_le64(b);
}

void cp_write(struct atoll_gpu *gpu, uint64_t va, const void *src, uint32_t bytes)
{
    mem_write(gpu->vm, va, src, bytes, &cp_who);
}

void cp_write32(struct atoll_gpu *gpu, uint64_t va, uint32_t v)
{
    cp_write(gpu, va, &v, sizeof v);
}

void cp_write64(struct atoll_gpu *gpu, uint64_t va, uint64_t v)
{
    cp_write(gpu, va, &v, sizeof v);
}

void cp_invalidate_icache(struct atoll_gpu *gpu)
{
    isa_code_sync(gpu->code);
}

bool cp_compare(unsigned function, uint64_t value, uint64_t reference)
{
    switch (function) {
    case PM4V_COMPARE__ALWAYS:
        return true;
    case PM4V_COMPARE__LESS:
        return value < reference;
    case PM4V_COMPARE__LESS_EQUAL:
        return value <= reference;
    case PM4V_COMPARE__EQUAL:
        return value == reference;
    case PM4V_COMPARE__NOT_EQUAL:
        return value != reference;
    case PM4V_COMPARE__GREATER_EQUAL:
        return value >= reference;
    case PM4V_COMPARE__GREATER:
        return value > reference;
    }
    return false;
}

/* A place without a register to which drivers write 0 all the same, since another
 * generation has one there: docs/errata.md, E-color-info-gap. */
static bool is_known_hole(const struct atoll_gpu *gpu, uint32_t offset_bytes,
                          uint32_t value)
{
    const struct reg *gfx8 = regs_by_offset(GFX8, 0, offset_bytes);

    if (value || !gfx8)
        return false;
    if (gpu->regs.gen == GFX9)
        return gfx8->id == R_VGT_ESGS_RING_SIZE;
    return gpu->regs.gen < GFX8 && gfx8->id >= R_CB_COLOR0_DCC_CONTROL &&
           gfx8->id <= R_CB_COLOR7_DCC_CONTROL;
}

/* GFX9: one write to the user data of all graphics stages. */
static void set_common_user_data(struct atoll_gpu *gpu, unsigned i, uint32_t value)
{
    static const enum reg_id user[] = {
        R_SPI_SHADER_USER_DATA_PS_0, R_SPI_SHADER_USER_DATA_VS_0,
        R_SPI_SHADER_USER_DATA_ES_0, R_SPI_SHADER_USER_DATA_LS_0,
    };

    for (unsigned k = 0; k < ARRAY_LEN(user); k++)
        regs_set_i(&gpu->regs, user[k], i, value);
}

void emu_register_write(struct atoll_gpu *gpu, uint32_t offset_bytes, uint32_t value)
{
    const struct reg *r = regs_by_offset(gpu->regs.gen, gpu->regs.ext, offset_bytes);

    if (!r && !is_known_hole(gpu, offset_bytes, value)) {
        loud_report(gpu->loud, LOUD_REGISTER, MIN2(offset_bytes, 4 * REGS_FILE_DWORDS),
                    "write of 0x%x to unknown register 0x%x (IB 0x%llx dword 0x%x)",
                    value, offset_bytes, (unsigned long long)gpu->cp.at.ib_va,
                    gpu->cp.at.offset_dw);
        if (offset_bytes / 4 >= REGS_FILE_DWORDS)
            return;
    }
    gpu->regs.dw[offset_bytes / 4] = value;
    if (r && (r->id == R_VGT_INDEX_TYPE || r->id == R_VGT_DMA_INDEX_TYPE))
        gpu->cp.index_type = value;
    if (r && r->id >= R_SPI_SHADER_USER_DATA_COMMON_0 && r->id <= R_SPI_SHADER_USER_DATA_COMMON_31)
        set_common_user_data(gpu, r->id - R_SPI_SHADER_USER_DATA_COMMON_0, value);
}

/* SET_*_REG, their _INDEX forms, and type 0. The INDEX field tells the CP which registers
 * it must treat specially in its own state (draw state that the PFP keeps, CU masks that
 * it ANDs with the kernel's); none of that changes the value here. */
static enum cp_result set_registers(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t first, value_dw, index;
    uint32_t n = pm4_register_writes(e->gpu->regs.gen, p, &first, &value_dw, &index);

    for (uint32_t i = 0; i < n; i++)
        emu_register_write(e->gpu, first + 4 * i, pm4_dw(p, value_dw + i));
    emu_count(&e->gpu->counters, CNT_REG_WRITES, n);
    return CP_DONE;
}

/* Two SGPRs get an address: that of the current IB plus an offset (what the Windows
 * drivers call indirect user data). */
static enum cp_result set_sh_reg_offset(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t control = pm4_dw(p, PM4_AT(SET_SH_REG_OFFSET, REG_OFFSET));
    uint32_t offset_dw =
        pm4_dw(p, PM4_AT(SET_SH_REG_OFFSET, IB_OR_DATA_OFFSET)) & 0x3fffff;
    uint32_t driver = p->body_dw > PM4_AT(SET_SH_REG_OFFSET, DRIVER_DATA)
                          ? pm4_get(pm4_dw(p, PM4_AT(SET_SH_REG_OFFSET, DRIVER_DATA)),
                                    PM4F_DRIVER_DATA__DRIVER_DATA)
                          : 0;
    uint32_t reg =
        emu_sh_reg_offset(e->gpu, pm4_get(control, PM4F_SH_OFFSET__REG_OFFSET));
    uint64_t va = e->frame[e->depth - 1].va + 4 * (uint64_t)offset_dw;

    if (pm4_get(control, PM4F_SH_OFFSET__INDEX) != PM4V_SH_OFFSET_INDEX__NORMAL)
        return cp_loud(e, p, "indirect data (INDEX %u)",
                       pm4_get(control, PM4F_SH_OFFSET__INDEX));
    emu_register_write(e->gpu, reg, (uint32_t)va);
    emu_register_write(e->gpu, reg + 4, (uint32_t)(va >> 32 & 0xffff) | driver << 16);
    return CP_DONE;
}

uint32_t emu_sh_reg_offset(const struct atoll_gpu *gpu, uint32_t index_dw)
{
    return pm4_describe(gpu->regs.gen, PM4_SET_SH_REG)->reg_base + 4 * index_dw;
}

static enum cp_result clear_state(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t cmd = pm4_get(pm4_dw(p, 0), PM4F_CLEAR_CNTL__CMD);

    if (cmd != PM4V_CLEAR_CMD__CLEAR_STATE)
        return cp_loud(e, p, "command %u (push, pop)", cmd);
    regs_clear_state(&e->gpu->regs);
    e->gpu->cp.index_type = 0;
    return CP_DONE;
}

/* Which LOAD_*_REG packets do anything: the kernel sets these bits when it switches
 * contexts. Until someone says otherwise all are on. Shadowing copies register writes to
 * memory for preemption. */
static enum cp_result context_control(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t load = pm4_dw(p, PM4_AT(CONTEXT_CONTROL, LOAD_CONTROL));
    uint32_t shadow = pm4_dw(p, PM4_AT(CONTEXT_CONTROL, SHADOW_CONTROL));

    if (pm4_get(load, PM4F_LOAD_CONTROL__UPDATE_LOAD_ENABLES))
        e->gpu->cp.load_control = load;
    if (pm4_get(shadow, PM4F_SHADOW_CONTROL__UPDATE_SHADOW_ENABLES) &&
        shadow != pm4_put(PM4F_SHADOW_CONTROL__UPDATE_SHADOW_ENABLES, 1))
        return cp_loud(e, p, "register shadowing (0x%08x)", shadow);
    return CP_DONE;
}

static enum cp_result set_base(struct cp_engine *e, const struct pm4_packet *p)
{
    uint64_t va = cp_va(pm4_dw(p, PM4_AT(SET_BASE, ADDRESS_LO)),
                        pm4_dw(p, PM4_AT(SET_BASE, ADDRESS_HI)));
    uint32_t index =
        pm4_get(pm4_dw(p, PM4_AT(SET_BASE, CONTROL)), PM4F_BASE_SELECT__BASE_INDEX);

    switch (index) {
    case PM4V_BASE_INDEX__INDIRECT_ARGS:
        if (p->compute)
            e->gpu->cp.dispatch_indirect_va = va;
        else
            e->gpu->cp.draw_indirect_va = va;
        return CP_DONE;
    case PM4V_BASE_INDEX__LOAD_REG:
        e->gpu->cp.load_reg_va = va;
        return CP_DONE;
    case PM4V_BASE_INDEX__CE_DST:
        e->gpu->cp.ce_dst_va = va;
        return CP_DONE;
    case PM4V_BASE_INDEX__CE_PARTITION: /* halves of CE RAM for two rings: one suffices
                                           here */
        return CP_DONE;
    }
    return cp_loud(e, p, "BASE_INDEX %u", index);
}

/* ---- caches and other packets with nothing to do ---------------------------------- */

static enum cp_result nothing(struct cp_engine *e, const struct pm4_packet *p)
{
    return CP_DONE;
}

/* SURFACE_SYNC and ACQUIRE_MEM: both begin with CP_COHER_CNTL. */
static enum cp_result acquire(struct cp_engine *e, const struct pm4_packet *p)
{
    _Static_assert(PM4_AT(SURFACE_SYNC, CP_COHER_CNTL) ==
                       PM4_AT(ACQUIRE_MEM, CP_COHER_CNTL),
                   "one function for both");
    if (regs_extract(e->gpu->regs.gen, F_CP_COHER_CNTL__SH_ICACHE_ACTION_ENA,
                     pm4_dw(p, PM4_AT(ACQUIRE_MEM, CP_COHER_CNTL))))
        cp_invalidate_icache(e->gpu);
    return CP_DONE;
}

/* ---- indirect buffers ------------------------------------------------------------- */

static void pop_frame(struct cp_engine *e)
{
    free(e->frame[--e->depth].owned);
}

enum cp_result cp_enter_ib(struct cp_engine *e, uint64_t va, uint32_t size_dw, bool chain)
{
    struct atoll_gpu *gpu = e->gpu;
    struct cp_frame f = {.va = va & MEM_VA_MASK};
    uint64_t bytes = 4 * (uint64_t)size_dw;
    const void *at;

    emu_count(&gpu->counters, CNT_IBS, 1);
    if (++e->submit->ibs_entered > CP_IBS_MAX) {
        err_set(&gpu->err,
                "IB 0x%llx (%u dwords): %u indirect buffers entered in one submission, "
                "the last from IB "
                "0x%llx dword 0x%x: a chain that never ends?",
                (unsigned long long)f.va, size_dw, CP_IBS_MAX,
                (unsigned long long)gpu->cp.at.ib_va, gpu->cp.at.offset_dw);
        return CP_FAIL;
    }
    if (!size_dw) {
        if (chain && e->depth)
            pop_frame(e);
        return CP_DONE;
    }
    at = mem_ptr(gpu->vm, f.va, bytes, MEM_R);
    if (!at) {
        at = f.owned = malloc(bytes);
        if (!at)
            return err_set(&gpu->err, "no memory for an IB of %u dwords", size_dw),
                   CP_FAIL;
        if (!mem_read(gpu->vm, f.va, f.owned, bytes, &cp_who)) {
            free(f.owned);
            err_set(&gpu->err, "IB 0x%llx: not all of its %u dwords are mapped",
                    (unsigned long long)f.va, size_dw);
            return CP_FAIL;
        }
    }
    if (chain && e->depth)
        pop_frame(e);
    if (e->depth == CP_DEPTH_MAX) {
        free(f.owned);
        err_set(&gpu->err, "IB 0x%llx is nested %u deep; hardware has %u levels",
                (unsigned long long)f.va, CP_DEPTH_MAX + 1, CP_DEPTH_HW);
        return CP_FAIL;
    }
    pm4_walk(&f.walker, gpu->regs.gen, at, size_dw);
    e->frame[e->depth++] = f;
    if (e->depth > CP_DEPTH_HW)
        loud_report(gpu->loud, LOUD_OTHER, CP_DEPTH_HW,
                    "IB 0x%llx is nested %u deep; hardware has %u levels",
                    (unsigned long long)f.va, e->depth, CP_DEPTH_HW);
    return CP_DONE;
}

/* IB_BASE_LO, IB_BASE_HI, IB_CONTROL at body dword `at`. */
static enum cp_result enter(struct cp_engine *e, const struct pm4_packet *p, uint32_t at)
{
    uint32_t control = pm4_dw(p, at + 2);

    _Static_assert(PM4F_IB_CONTROL_G6__IB_SIZE == PM4F_IB_CONTROL_G7__IB_SIZE &&
                       PM4F_IB_CONTROL_G6__CHAIN == PM4F_IB_CONTROL_G7__CHAIN,
                   "one decoding for all generations");
    return cp_enter_ib(e, cp_va(pm4_dw(p, at) & ~3u, pm4_dw(p, at + 1)),
                       pm4_get(control, PM4F_IB_CONTROL_G7__IB_SIZE),
                       pm4_get(control, PM4F_IB_CONTROL_G7__CHAIN));
}

static enum cp_result cond_indirect_buffer(struct cp_engine *e,
                                           const struct pm4_packet *p)
{
    uint32_t control = pm4_dw(p, PM4_AT(COND_INDIRECT_BUFFER, CONTROL));
    uint64_t value = cp_read64(
        e->gpu, cp_va(pm4_dw(p, PM4_AT(COND_INDIRECT_BUFFER, COMPARE_ADDR_LO)) & ~7u,
                      pm4_dw(p, PM4_AT(COND_INDIRECT_BUFFER, COMPARE_ADDR_HI))));
    uint64_t mask = pm4_dw(p, PM4_AT(COND_INDIRECT_BUFFER, MASK_LO)) |
                    (uint64_t)pm4_dw(p, PM4_AT(COND_INDIRECT_BUFFER, MASK_HI)) << 32;
    uint64_t reference = pm4_dw(p, PM4_AT(COND_INDIRECT_BUFFER, REFERENCE_LO)) |
                         (uint64_t)pm4_dw(p, PM4_AT(COND_INDIRECT_BUFFER, REFERENCE_HI))
                             << 32;
    bool first =
        cp_compare(pm4_get(control, PM4F_COND_IB__FUNCTION), value & mask, reference);
    uint32_t at = first ? PM4_AT(COND_INDIRECT_BUFFER, IB1_BASE_LO)
                        : PM4_AT(COND_INDIRECT_BUFFER, IB2_BASE_LO);

    if (!first && pm4_get(control, PM4F_COND_IB__MODE) != PM4V_COND_IB_MODE__IF_ELSE)
        return CP_DONE;
    /* It always chains: AMD's drivers use it as the jump at the end of a chunk. */
    return cp_enter_ib(e, cp_va(pm4_dw(p, at) & ~3u, pm4_dw(p, at + 1)),
                       pm4_get(pm4_dw(p, at + 2), PM4F_COND_IB_SIZE__IB_SIZE), true);
}

static enum cp_result indirect_buffer(struct cp_engine *e, const struct pm4_packet *p)
{
    if (p->body_dw >= PM4_AT(COND_INDIRECT_BUFFER, IB2_CONTROL) + 1)
        return cond_indirect_buffer(e, p);
    return enter(e, p, PM4_AT(INDIRECT_BUFFER, IB_BASE_LO));
}

/* An IB for the constant engine, found in a drawing IB. */
static enum cp_result indirect_buffer_const(struct cp_engine *e,
                                            const struct pm4_packet *p)
{
    return enter(&e->submit->ce, p, PM4_AT(INDIRECT_BUFFER_CONST, IB_BASE_LO));
}

/* Skip dwords of the IB that runs. */
static enum cp_result skip(struct cp_engine *e, uint32_t dw)
{
    struct pm4_walker *w = &e->frame[e->depth - 1].walker;

    w->at_dw += MIN2(dw, w->dw - w->at_dw);
    return CP_DONE;
}

static enum cp_result cond_exec(struct cp_engine *e, const struct pm4_packet *p)
{
    bool g6 = e->gpu->regs.gen == GFX6;
    uint32_t hi = pm4_dw(p, PM4_AT(COND_EXEC, ADDR_HI));
    uint32_t count =
        pm4_dw(p, g6 ? PM4_AT(COND_EXEC, COUNT) : PM4_AT_ALSO(COND_EXEC, G789, COUNT));
    uint64_t va = cp_va(pm4_dw(p, PM4_AT(COND_EXEC, ADDR_LO)) & ~3u,
                        g6 ? pm4_get(hi, PM4F_COND_ADDR_HI__ADDR_HI) : hi);

    if (cp_read32(e->gpu, va))
        return CP_DONE;
    return skip(e, pm4_get(count, PM4F_EXEC_COUNT__EXEC_COUNT));
}

/* For several chips that share a command buffer; ours is number 0. */
static enum cp_result pred_exec(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t control = pm4_dw(p, PM4_AT(PRED_EXEC, CONTROL));

    if (pm4_get(control, PM4F_PRED_EXEC__DEVICE_SELECT) & 1)
        return CP_DONE;
    return skip(e, pm4_get(control, PM4F_PRED_EXEC__EXEC_COUNT));
}

/* ---- the table -------------------------------------------------------------------- */

enum { ON_DE = 1, ON_CE = 2, ON_BOTH = 3, REGS = 4 };

/* Which function executes an opcode, on which engine. By the packet's name, since a few
 * opcodes mean different packets on different generations. */
struct op {
    const char *name;
    cp_fn *fn;
    unsigned flags;
};

#define OP(name, fn, flags)                                                              \
    {                                                                                    \
#name, fn, flags                                                                 \
    }
static const struct op ops[] = {
    OP(NOP, nothing, ON_BOTH),
    OP(SET_BASE, set_base, ON_BOTH),
    OP(CLEAR_STATE, clear_state, ON_DE),
    OP(INDEX_BUFFER_SIZE, cp_index_buffer_size, ON_DE),
    OP(DISPATCH_DIRECT, cp_dispatch_direct, ON_DE),
    OP(DISPATCH_INDIRECT, cp_dispatch_indirect, ON_DE),
    OP(ATOMIC_MEM, cp_atomic_mem, ON_DE),
    OP(OCCLUSION_QUERY, cp_occlusion_query, ON_DE),
    OP(SET_PREDICATION, cp_set_predication, ON_DE),
    OP(REG_RMW, cp_reg_rmw, ON_DE),
    OP(COND_EXEC, cond_exec, ON_BOTH),
    OP(PRED_EXEC, pred_exec, ON_BOTH),
    OP(DRAW_INDIRECT, cp_draw_indirect, ON_DE),
    OP(DRAW_INDEX_INDIRECT, cp_draw_indirect, ON_DE),
    OP(INDEX_BASE, cp_index_base, ON_DE),
    OP(DRAW_INDEX_2, cp_draw_index_2, ON_DE),
    OP(CONTEXT_CONTROL, context_control, ON_BOTH),
    OP(INDEX_TYPE, cp_index_type, ON_DE),
    OP(DRAW_INDIRECT_MULTI, cp_draw_indirect_multi, ON_DE),
    OP(DRAW_INDEX_AUTO, cp_draw_index_auto, ON_DE),
    OP(DRAW_INDEX_IMMD, cp_draw_index_immd, ON_DE),
    OP(NUM_INSTANCES, cp_num_instances, ON_DE),
    OP(INDIRECT_BUFFER_CONST_SI, indirect_buffer_const, ON_DE),
    OP(INDIRECT_BUFFER_SI, indirect_buffer, ON_BOTH),
    OP(INDIRECT_BUFFER_CONST, indirect_buffer_const, ON_BOTH),
    OP(STRMOUT_BUFFER_UPDATE, cp_strmout_buffer_update, ON_DE),
    OP(DRAW_INDEX_OFFSET_2, cp_draw_index_offset_2, ON_DE),
    OP(DRAW_PREAMBLE, cp_draw_preamble, ON_DE),
    OP(WRITE_DATA, cp_write_data, ON_BOTH),
    OP(DRAW_INDEX_INDIRECT_MULTI, cp_draw_indirect_multi, ON_DE),
    OP(MEM_SEMAPHORE, cp_mem_semaphore, ON_DE),
    OP(WAIT_REG_MEM, cp_wait_reg_mem, ON_BOTH),
    OP(MEM_WRITE, cp_mem_write, ON_DE),
    OP(INDIRECT_BUFFER, indirect_buffer, ON_BOTH),
    OP(COPY_DATA, cp_copy_data, ON_BOTH),
    OP(CP_DMA, cp_cp_dma, ON_DE),
    OP(PFP_SYNC_ME, nothing, ON_DE),
    OP(SURFACE_SYNC, acquire, ON_DE),
    OP(ME_INITIALIZE, nothing, ON_DE),
    OP(COND_WRITE, cp_cond_write, ON_DE),
    OP(EVENT_WRITE, cp_event_write, ON_DE),
    OP(EVENT_WRITE_EOP, cp_event_write_eop, ON_DE),
    OP(EVENT_WRITE_EOS, cp_event_write_eos, ON_DE),
    OP(RELEASE_MEM, cp_release_mem, ON_DE),
    OP(PREAMBLE_CNTL, nothing, ON_BOTH),
    OP(DMA_DATA, cp_dma_data, ON_DE),
    OP(CONTEXT_REG_RMW, cp_context_reg_rmw, ON_DE),
    OP(ONE_REG_WRITE, cp_one_reg_write, ON_DE),
    OP(ACQUIRE_MEM, acquire, ON_DE),
    OP(REWIND, nothing, ON_DE),
    OP(PRIME_UTCL2, nothing, ON_DE),
    OP(LOAD_UCONFIG_REG, cp_load_reg, ON_DE),
    OP(LOAD_SH_REG, cp_load_reg, ON_DE),
    OP(LOAD_CONFIG_REG, cp_load_reg, ON_DE),
    OP(LOAD_CONTEXT_REG, cp_load_reg, ON_DE),
    OP(LOAD_SH_REG_INDEX, cp_load_reg_index, ON_DE),
    OP(SET_CONFIG_REG, set_registers, ON_DE),
    OP(SET_CONTEXT_REG, set_registers, ON_DE),
    OP(SET_CONTEXT_REG_INDEX, set_registers, ON_DE),
    OP(SET_SH_REG, set_registers, ON_DE),
    OP(SET_SH_REG_INDEX, set_registers, ON_DE),
    OP(SET_SH_REG_OFFSET, set_sh_reg_offset, ON_DE),
    OP(SET_UCONFIG_REG, set_registers, ON_DE),
    OP(SET_UCONFIG_REG_INDEX, set_registers, ON_DE),
    OP(SCRATCH_RAM_WRITE, cp_scratch_ram_write, ON_DE),
    OP(LOAD_CONST_RAM, cp_load_const_ram, ON_CE),
    OP(WRITE_CONST_RAM, cp_write_const_ram, ON_CE),
    OP(DUMP_CONST_RAM, cp_dump_const_ram, ON_CE),
    OP(DUMP_CONST_RAM_OFFSET, cp_dump_const_ram_offset, ON_CE),
    OP(INCREMENT_CE_COUNTER, cp_increment_ce_counter, ON_CE),
    OP(INCREMENT_DE_COUNTER, cp_increment_de_counter, ON_DE),
    OP(WAIT_ON_CE_COUNTER, cp_wait_on_ce_counter, ON_DE),
    OP(WAIT_ON_DE_COUNTER_DIFF, cp_wait_on_de_counter_diff, ON_CE),
    OP(SET_CE_DE_COUNTERS, cp_set_ce_de_counters, ON_BOTH),
    OP(SWITCH_BUFFER, nothing, ON_BOTH),
    OP(FRAME_CONTROL, nothing, ON_DE),
    OP(WAIT_REG_MEM64, cp_wait_reg_mem64, ON_BOTH),
    OP(HDP_FLUSH, nothing, ON_DE),
    OP(INVALIDATE_TLBS, nothing, ON_DE),
    OP(LOAD_CONTEXT_REG_INDEX, cp_load_reg_index, ON_DE),
};

_Static_assert(ARRAY_LEN(ops) < UINT8_MAX, "emu_cp.op_of_opcode is bytes");

void emu_cp_init(struct atoll_gpu *gpu)
{
    memset(&gpu->cp, 0, sizeof gpu->cp);
    gpu->cp.load_control = UINT32_MAX;
    for (unsigned o = 0; o < 256; o++) {
        const struct pm4_desc *d = pm4_describe(gpu->regs.gen, o);

        for (size_t i = 0; d && i < ARRAY_LEN(ops); i++)
            if (!strcmp(ops[i].name, d->name))
                gpu->cp.op_of_opcode[o] = (uint8_t)(i + 1);
    }
}

static enum cp_result execute(struct cp_engine *e, const struct pm4_packet *p)
{
    struct atoll_gpu *gpu = e->gpu;
    const struct pm4_desc *d;
    const struct op *op;

    gpu->cp.at =
        (struct emu_place){e->frame[e->depth - 1].va, p->offset_dw, p->opcode, NULL};
    if (p->type == 2)
        return CP_DONE;
    if (p->type == 0)
        return set_registers(e, p);
    d = pm4_layout(gpu->regs.gen, p);
    if (!d) {
        loud_report(gpu->loud, LOUD_PACKET, p->opcode,
                    "opcode 0x%02x is no packet of %s (IB 0x%llx dword 0x%x)", p->opcode,
                    gfx_name(gpu->regs.gen), (unsigned long long)gpu->cp.at.ib_va,
                    p->offset_dw);
        return CP_DONE;
    }
    gpu->cp.at.packet = d->name;
    if (p->body_dw < d->min_dw)
        return cp_fail(e, p, "body of %u dwords, needs %u", p->body_dw, d->min_dw);
    if (p->predicate && gpu->cp.predicate_off)
        return CP_DONE;
    if (!gpu->cp.op_of_opcode[p->opcode])
        return cp_loud(e, p, "packet is not modelled");
    op = &ops[gpu->cp.op_of_opcode[p->opcode] - 1];
    if (!(op->flags & (e->kind == CP_CE ? ON_CE : ON_DE)))
        return cp_loud(e, p, "not a packet of the %s engine",
                       e->kind == CP_CE ? "constant" : "drawing");
    return op->fn(e, p);
}

/* ---- running ---------------------------------------------------------------------- */

/* The next IB of the submission that belongs to this engine. False when there is none. */
static bool next_ib(struct cp_engine *e, struct atoll_ib *out)
{
    while (e->ib_count) {
        *out = *e->ibs++;
        e->ib_count--;
        if ((out->ring == ATOLL_RING_CE) == (e->kind == CP_CE))
            return true;
    }
    return false;
}

/* Run until the engine is done (CP_DONE), must wait (CP_BLOCKED), or fails. */
static enum cp_result run_engine(struct cp_engine *e)
{
    struct atoll_gpu *gpu = e->gpu;

    for (;;) {
        struct cp_frame *f;
        struct pm4_packet p;
        enum cp_result r;
        int got;

        if (!e->depth) {
            struct atoll_ib ib;

            if (!next_ib(e, &ib))
                return CP_DONE;
            if (ib.size_dw > CP_IB_DW_MAX) {
                err_set(&gpu->err, "IB 0x%llx: %u dwords; an IB has at most %u",
                        (unsigned long long)ib.va, ib.size_dw, CP_IB_DW_MAX);
                return CP_FAIL;
            }
            if (ib.ring == ATOLL_RING_DMA) {
                if (emu_sdma_run(gpu, ib.va, ib.size_dw))
                    return CP_FAIL;
                continue;
            }
            e->compute_ring = ib.ring == ATOLL_RING_COMPUTE;
            if (cp_enter_ib(e, ib.va & ~UINT64_C(3), ib.size_dw, false) == CP_FAIL)
                return CP_FAIL;
            continue;
        }
        f = &e->frame[e->depth - 1];
        got = pm4_next(&f->walker, &p, &gpu->err);
        if (got == 0) {
            pop_frame(e);
            continue;
        }
        if (got < 0) {
            char text[400];

            snprintf(text, sizeof text, "%.399s", gpu->err.text);
            err_set(&gpu->err, "IB 0x%llx: %s", (unsigned long long)f->va, text);
            return CP_FAIL;
        }
        if (++e->submit->packets > CP_PACKETS_MAX)
            return cp_fail(e, &p, "too many packets in one submission");
        r = execute(e, &p);
        if (r == CP_BLOCKED)
            f->walker.at_dw = p.offset_dw;
        if (r != CP_DONE)
            return r;
        e->packets++;
        emu_count(&gpu->counters, CNT_PACKETS, 1);
    }
}

static void start_engine(struct cp_engine *e, struct atoll_gpu *gpu, enum cp_kind kind,
                         const struct atoll_ib *ibs, unsigned count, struct cp_submit *s)
{
    e->gpu = gpu;
    e->kind = kind;
    e->ibs = ibs;
    e->ib_count = count;
    e->submit = s;
}

int emu_cp_submit(struct atoll_gpu *gpu, const struct atoll_ib *ibs, unsigned count)
{
    struct cp_submit *s = calloc(1, sizeof *s);
    enum cp_result de, ce;

    if (!s)
        return err_set(&gpu->err, "no memory");
    start_engine(&s->de, gpu, CP_DE, ibs, count, s);
    start_engine(&s->ce, gpu, CP_CE, ibs, count, s);
    for (;;) {
        uint64_t before = s->de.packets + s->ce.packets;

        ce = run_engine(&s->ce);
        de = ce == CP_FAIL ? CP_FAIL : run_engine(&s->de);
        if (de == CP_FAIL || (de == CP_DONE && ce == CP_DONE && !s->ce.depth))
            break;
        /* Neither moved: what is waited for never comes. The drawing engine's wait is
         * passed first, since the constant engine runs ahead of it by nature. */
        if (s->de.packets + s->ce.packets == before) {
            if (de == CP_BLOCKED)
                s->de.pass = true;
            else
                s->ce.pass = true;
        }
    }
    while (s->de.depth)
        pop_frame(&s->de);
    while (s->ce.depth)
        pop_frame(&s->ce);
    free(s);
    return de == CP_FAIL ? -1 : 0;
}
