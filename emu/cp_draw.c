/* Draw and dispatch packets: what they put into registers, indirect arguments, and the
 * call of emu_draw() or emu_dispatch() with overrides and callbacks around it.
 *
 * Sources: as in cp.c. */
#include "emu/cp.h"
#include "emu/draw.h"
#include "regs/enums.h"

/* ---- around a draw ---------------------------------------------------------------- */

static uint32_t overridden(const struct emu_override *o, uint32_t old)
{
    return (old & ~o->mask) | o->value;
}

static void notify(struct atoll_gpu *gpu, bool is_dispatch, bool after)
{
    struct atoll_draw_event ev = {
        .number = gpu->draw_number,
        .is_dispatch = is_dispatch,
        .ib_va = gpu->cp.at.ib_va,
        .offset_dw = gpu->cp.at.offset_dw,
        .packet = gpu->cp.at.packet,
        .after = after,
    };

    if (gpu->on_draw)
        gpu->on_draw(gpu->on_draw_ctx, gpu, &ev);
}

void cp_run_draw(struct cp_engine *e, const struct pm4_packet *p, bool is_dispatch,
                 void (*run)(struct atoll_gpu *gpu, void *arg), void *arg)
{
    struct atoll_gpu *gpu = e->gpu;
    uint32_t saved[EMU_OVERRIDES_MAX];

    emu_clock(gpu);
    if (gpu->draw_number >= gpu->first_draw && gpu->draw_number <= gpu->last_draw) {
        emu_count(&gpu->counters, is_dispatch ? CNT_DISPATCHES : CNT_DRAWS, 1);
        for (unsigned i = 0; i < gpu->override_count; i++) {
            uint32_t *reg = &gpu->regs.dw[gpu->overrides[i].offset_bytes / 4];

            saved[i] = *reg;
            *reg = overridden(&gpu->overrides[i], *reg);
        }
        notify(gpu, is_dispatch, false);
        run(gpu, arg);
        notify(gpu, is_dispatch, true);
        for (unsigned i = gpu->override_count; i--;)
            gpu->regs.dw[gpu->overrides[i].offset_bytes / 4] = saved[i];
    }
    gpu->draw_number++;
}

/* ---- state that draw packets set -------------------------------------------------- */

enum cp_result cp_index_base(struct cp_engine *e, const struct pm4_packet *p)
{
    e->gpu->cp.index_base_va = cp_va(
        pm4_dw(p, PM4_AT(INDEX_BASE, ADDR_LO)) & ~1u,
        pm4_get(pm4_dw(p, PM4_AT(INDEX_BASE, ADDR_HI)), PM4F_INDEX_BASE_HI__ADDR_HI));
    return CP_DONE;
}

enum cp_result cp_index_buffer_size(struct cp_engine *e, const struct pm4_packet *p)
{
    e->gpu->cp.index_buffer_size = pm4_dw(p, PM4_AT(INDEX_BUFFER_SIZE, NUM_INDICES));
    return CP_DONE;
}

enum cp_result cp_index_type(struct cp_engine *e, const struct pm4_packet *p)
{
    regs_set(&e->gpu->regs, R_VGT_DMA_INDEX_TYPE,
             pm4_dw(p, PM4_AT(INDEX_TYPE, VGT_DMA_INDEX_TYPE)));
    e->gpu->cp.index_type = pm4_dw(p, PM4_AT(INDEX_TYPE, VGT_DMA_INDEX_TYPE));
    return CP_DONE;
}

enum cp_result cp_num_instances(struct cp_engine *e, const struct pm4_packet *p)
{
    regs_set(&e->gpu->regs, R_VGT_NUM_INSTANCES,
             pm4_dw(p, PM4_AT(NUM_INSTANCES, VGT_NUM_INSTANCES)));
    return CP_DONE;
}

enum cp_result cp_draw_preamble(struct cp_engine *e, const struct pm4_packet *p)
{
    regs_set(&e->gpu->regs, R_VGT_PRIMITIVE_TYPE,
             pm4_dw(p, PM4_AT(DRAW_PREAMBLE, VGT_PRIMITIVE_TYPE)));
    regs_set(&e->gpu->regs, R_IA_MULTI_VGT_PARAM,
             pm4_dw(p, PM4_AT(DRAW_PREAMBLE, IA_MULTI_VGT_PARAM)));
    regs_set(&e->gpu->regs, R_VGT_LS_HS_CONFIG,
             pm4_dw(p, PM4_AT(DRAW_PREAMBLE, VGT_LS_HS_CONFIG)));
    return CP_DONE;
}

/* ---- draws ------------------------------------------------------------------------ */

static void run_draw(struct atoll_gpu *gpu, void *arg)
{
    emu_draw(gpu, arg);
}

/* Index size and swap from the index type that is in force. */
static void set_index_type(const struct atoll_gpu *gpu, struct emu_draw_info *d)
{
    enum gfx gen = gpu->regs.gen;
    unsigned type =
        regs_extract(gen, F_VGT_DMA_INDEX_TYPE__INDEX_TYPE, gpu->cp.index_type);

    d->index_swap =
        regs_extract(gen, F_VGT_DMA_INDEX_TYPE__SWAP_MODE, gpu->cp.index_type);
    d->index_bytes = type == V_VGT_INDEX_TYPE_MODE__VGT_INDEX_32  ? 4
                     : type == V_VGT_INDEX_TYPE_MODE__VGT_INDEX_8 ? 1
                                                                  : 2;
}

/* The common end of all draws: the registers that the packet stands for, instances, the
 * draw. `instances` is what VGT_NUM_INSTANCES says; GFX6 and GFX7 take 0 for 1, later
 * chips draw nothing. */
static enum cp_result draw(struct cp_engine *e, const struct pm4_packet *p,
                           struct emu_draw_info *d, uint32_t instances,
                           uint32_t initiator)
{
    static const unsigned source[] = {
        [EMU_DRAW_DMA] = V_VGT_DI_SOURCE_SELECT__DI_SRC_SEL_DMA,
        [EMU_DRAW_IMMEDIATE] = V_VGT_DI_SOURCE_SELECT__DI_SRC_SEL_IMMEDIATE,
        [EMU_DRAW_AUTO] = V_VGT_DI_SOURCE_SELECT__DI_SRC_SEL_AUTO_INDEX,
    };
    struct atoll_gpu *gpu = e->gpu;
    enum gfx gen = gpu->regs.gen;

    regs_set(&gpu->regs, R_VGT_NUM_INDICES, d->count);
    regs_set(&gpu->regs, R_VGT_DRAW_INITIATOR, initiator);
    if (d->source == EMU_DRAW_DMA) {
        regs_set(&gpu->regs, R_VGT_DMA_BASE, (uint32_t)d->index_va);
        regs_set(&gpu->regs, R_VGT_DMA_BASE_HI, (uint32_t)(d->index_va >> 32));
        regs_set(&gpu->regs, R_VGT_DMA_MAX_SIZE, d->index_max);
        regs_set(&gpu->regs, R_VGT_DMA_SIZE, d->count);
    }
    if (regs_extract(gen, F_VGT_DRAW_INITIATOR__SOURCE_SELECT, initiator) !=
        source[d->source])
        cp_loud(e, p, "VGT_DRAW_INITIATOR.SOURCE_SELECT is %u, of another packet",
                regs_extract(gen, F_VGT_DRAW_INITIATOR__SOURCE_SELECT, initiator));
    d->not_eop = regs_extract(gen, F_VGT_DRAW_INITIATOR__NOT_EOP, initiator);
    d->instances = instances;
    if (!instances && gen <= GFX7)
        d->instances = 1;
    if (!d->instances || !d->count)
        return CP_DONE;
    cp_run_draw(e, p, false, run_draw, d);
    return CP_DONE;
}

static uint32_t instances(const struct atoll_gpu *gpu)
{
    return regs_get(&gpu->regs, R_VGT_NUM_INSTANCES);
}

enum cp_result cp_draw_index_auto(struct cp_engine *e, const struct pm4_packet *p)
{
    struct atoll_gpu *gpu = e->gpu;
    uint32_t initiator = pm4_dw(p, PM4_AT(DRAW_INDEX_AUTO, VGT_DRAW_INITIATOR));
    struct emu_draw_info d = {
        .source = EMU_DRAW_AUTO,
        .count = pm4_dw(p, PM4_AT(DRAW_INDEX_AUTO, VGT_NUM_INDICES)),
    };

    if (regs_extract(gpu->regs.gen, F_VGT_DRAW_INITIATOR__USE_OPAQUE, initiator)) {
        /* As many vertices as stream-out has left in a buffer. Size, offset and stride
         * are in one unit, which is the driver's choice. */
        uint32_t stride = regs_get(&gpu->regs, R_VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE);
        uint32_t size =
            regs_get(&gpu->regs, R_VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE);
        uint32_t offset = regs_get(&gpu->regs, R_VGT_STRMOUT_DRAW_OPAQUE_OFFSET);

        d.count = stride && size > offset ? (size - offset) / stride : 0;
    }
    return draw(e, p, &d, instances(gpu), initiator);
}

enum cp_result cp_draw_index_2(struct cp_engine *e, const struct pm4_packet *p)
{
    struct emu_draw_info d = {
        .source = EMU_DRAW_DMA,
        .count = pm4_dw(p, PM4_AT(DRAW_INDEX_2, VGT_NUM_INDICES)),
        .index_va = cp_va(pm4_dw(p, PM4_AT(DRAW_INDEX_2, VGT_DMA_BASE)),
                          pm4_dw(p, PM4_AT(DRAW_INDEX_2, VGT_DMA_BASE_HI))),
        .index_max = pm4_dw(p, PM4_AT(DRAW_INDEX_2, VGT_DMA_MAX_SIZE)),
    };

    set_index_type(e->gpu, &d);
    return draw(e, p, &d, instances(e->gpu),
                pm4_dw(p, PM4_AT(DRAW_INDEX_2, VGT_DRAW_INITIATOR)));
}

/* Indices from INDEX_BASE on, `start` of them left out. */
static void index_range(struct atoll_gpu *gpu, struct emu_draw_info *d, uint32_t start,
                        uint32_t max)
{
    set_index_type(gpu, d);
    d->index_va =
        (gpu->cp.index_base_va + start * (uint64_t)d->index_bytes) & MEM_VA_MASK;
    d->index_max = max > start ? max - start : 0;
}

enum cp_result cp_draw_index_offset_2(struct cp_engine *e, const struct pm4_packet *p)
{
    struct emu_draw_info d = {
        .source = EMU_DRAW_DMA,
        .count = pm4_dw(p, PM4_AT(DRAW_INDEX_OFFSET_2, VGT_NUM_INDICES)),
    };

    index_range(e->gpu, &d, pm4_dw(p, PM4_AT(DRAW_INDEX_OFFSET_2, INDEX_OFFSET)),
                pm4_dw(p, PM4_AT(DRAW_INDEX_OFFSET_2, VGT_DMA_MAX_SIZE)));
    return draw(e, p, &d, instances(e->gpu),
                pm4_dw(p, PM4_AT(DRAW_INDEX_OFFSET_2, VGT_DRAW_INITIATOR)));
}

enum cp_result cp_draw_index_immd(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t first = PM4_AT(DRAW_INDEX_IMMD, INDICES);
    struct emu_draw_info d = {
        .source = EMU_DRAW_IMMEDIATE,
        .count = pm4_dw(p, PM4_AT(DRAW_INDEX_IMMD, VGT_NUM_INDICES)),
        .immediate = p->body + 4 * first,
    };

    set_index_type(e->gpu, &d);
    if (d.count > 4 * (p->body_dw - first) / d.index_bytes)
        return cp_fail(e, p, "%u indices of %u bytes do not fit the packet", d.count,
                       d.index_bytes);
    return draw(e, p, &d, instances(e->gpu),
                pm4_dw(p, PM4_AT(DRAW_INDEX_IMMD, VGT_DRAW_INITIATOR)));
}

/* ---- indirect draws --------------------------------------------------------------- */

/* Where an indirect draw's base vertex, first instance and draw number go. */
struct indirect {
    uint32_t base_vtx_loc, start_inst_loc, draw_index_loc;
    bool indexed, draw_index;
    uint32_t initiator;
};

/* One set of arguments: count, instances, [first index,] base vertex, first instance. */
static enum cp_result draw_args(struct cp_engine *e, const struct pm4_packet *p,
                                const struct indirect *in, uint64_t va, uint32_t number)
{
    struct atoll_gpu *gpu = e->gpu;
    struct emu_draw_info d = {.source = in->indexed ? EMU_DRAW_DMA : EMU_DRAW_AUTO};
    uint32_t n_instances, base_vertex, start_instance;

    d.count = cp_read32(gpu, va);
    n_instances = cp_read32(gpu, va + 4);
    if (in->indexed) {
        index_range(gpu, &d, cp_read32(gpu, va + 8), gpu->cp.index_buffer_size);
        va += 4;
    }
    base_vertex = cp_read32(gpu, va + 8);
    start_instance = cp_read32(gpu, va + 12);
    if (in->base_vtx_loc)
        emu_register_write(gpu, emu_sh_reg_offset(gpu, in->base_vtx_loc), base_vertex);
    if (in->start_inst_loc)
        emu_register_write(gpu, emu_sh_reg_offset(gpu, in->start_inst_loc),
                           start_instance);
    if (in->draw_index && in->draw_index_loc)
        emu_register_write(gpu, emu_sh_reg_offset(gpu, in->draw_index_loc), number);
    regs_set(&gpu->regs, R_VGT_NUM_INSTANCES, n_instances);
    return draw(e, p, &d, n_instances, in->initiator);
}

static bool is_indexed(const struct cp_engine *e, const struct pm4_packet *p)
{
    return p->opcode == PM4_DRAW_INDEX_INDIRECT ||
           p->opcode == PM4_DRAW_INDEX_INDIRECT_MULTI;
}

enum cp_result cp_draw_indirect(struct cp_engine *e, const struct pm4_packet *p)
{
    struct indirect in = {
        .base_vtx_loc = pm4_get(pm4_dw(p, PM4_AT(DRAW_INDIRECT, BASE_VTX_LOC)),
                                PM4F_VTX_LOC__BASE_VTX_LOC),
        .start_inst_loc = pm4_get(pm4_dw(p, PM4_AT(DRAW_INDIRECT, START_INST_LOC)),
                                  PM4F_INST_LOC__START_INST_LOC),
        .indexed = is_indexed(e, p),
        .initiator = pm4_dw(p, PM4_AT(DRAW_INDIRECT, VGT_DRAW_INITIATOR)),
    };

    _Static_assert(PM4_AT(DRAW_INDIRECT, VGT_DRAW_INITIATOR) ==
                       PM4_AT(DRAW_INDEX_INDIRECT, VGT_DRAW_INITIATOR),
                   "one function for both");
    return draw_args(
        e, p, &in,
        e->gpu->cp.draw_indirect_va + pm4_dw(p, PM4_AT(DRAW_INDIRECT, DATA_OFFSET)), 0);
}

enum cp_result cp_draw_indirect_multi(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t loc = pm4_dw(p, PM4_AT(DRAW_INDIRECT_MULTI, DRAW_INDEX_LOC));
    struct indirect in = {
        .base_vtx_loc = pm4_get(pm4_dw(p, PM4_AT(DRAW_INDIRECT_MULTI, BASE_VTX_LOC)),
                                PM4F_VTX_LOC__BASE_VTX_LOC),
        .start_inst_loc = pm4_get(pm4_dw(p, PM4_AT(DRAW_INDIRECT_MULTI, START_INST_LOC)),
                                  PM4F_INST_LOC__START_INST_LOC),
        .draw_index_loc = pm4_get(loc, PM4F_DRAW_INDEX_LOC__DRAW_INDEX_LOC),
        .draw_index = pm4_get(loc, PM4F_DRAW_INDEX_LOC__DRAW_INDEX_ENABLE),
        .indexed = is_indexed(e, p),
        .initiator = pm4_dw(p, PM4_AT(DRAW_INDIRECT_MULTI, VGT_DRAW_INITIATOR)),
    };
    uint64_t va =
        e->gpu->cp.draw_indirect_va + pm4_dw(p, PM4_AT(DRAW_INDIRECT_MULTI, DATA_OFFSET));
    uint32_t n = pm4_dw(p, PM4_AT(DRAW_INDIRECT_MULTI, COUNT));
    uint32_t stride = pm4_dw(p, PM4_AT(DRAW_INDIRECT_MULTI, STRIDE));

    if (pm4_get(loc, PM4F_DRAW_INDEX_LOC__COUNT_INDIRECT_ENABLE))
        n = MIN2(n, cp_read32(
                        e->gpu,
                        cp_va(pm4_dw(p, PM4_AT(DRAW_INDIRECT_MULTI, COUNT_ADDR_LO)) & ~3u,
                              pm4_dw(p, PM4_AT(DRAW_INDIRECT_MULTI, COUNT_ADDR_HI)))));
    for (uint32_t i = 0; i < n; i++) {
        /* A guest's count may be anything; arguments that are not there would read as
         * zeros for ever. */
        if (!mem_ptr(e->gpu->vm, va & MEM_VA_MASK, 16, MEM_R)) {
            cp_read32(e->gpu, va);
            emu_guest_fault(e->gpu, "arguments %u of %u at 0x%llx are not mapped", i, n,
                            (unsigned long long)va);
            return CP_DONE;
        }
        if (draw_args(e, p, &in, va, i) == CP_FAIL)
            return CP_FAIL;
        va += stride;
    }
    return CP_DONE;
}

/* ---- dispatches ------------------------------------------------------------------- */

struct grid {
    uint32_t x, y, z, initiator;
};

static void run_dispatch(struct atoll_gpu *gpu, void *arg)
{
    const struct grid *g = arg;

    emu_dispatch(gpu, g->x, g->y, g->z, g->initiator);
}

static enum cp_result dispatch(struct cp_engine *e, const struct pm4_packet *p,
                               struct grid g)
{
    regs_set(&e->gpu->regs, R_COMPUTE_DIM_X, g.x);
    regs_set(&e->gpu->regs, R_COMPUTE_DIM_Y, g.y);
    regs_set(&e->gpu->regs, R_COMPUTE_DIM_Z, g.z);
    regs_set(&e->gpu->regs, R_COMPUTE_DISPATCH_INITIATOR, g.initiator);
    if (!regs_extract(e->gpu->regs.gen, F_COMPUTE_DISPATCH_INITIATOR__COMPUTE_SHADER_EN,
                      g.initiator))
        return cp_loud(e, p, "COMPUTE_SHADER_EN is 0");
    cp_run_draw(e, p, true, run_dispatch, &g);
    return CP_DONE;
}

enum cp_result cp_dispatch_direct(struct cp_engine *e, const struct pm4_packet *p)
{
    return dispatch(
        e, p,
        (struct grid){pm4_dw(p, PM4_AT(DISPATCH_DIRECT, DIM_X)),
                      pm4_dw(p, PM4_AT(DISPATCH_DIRECT, DIM_Y)),
                      pm4_dw(p, PM4_AT(DISPATCH_DIRECT, DIM_Z)),
                      pm4_dw(p, PM4_AT(DISPATCH_DIRECT, COMPUTE_DISPATCH_INITIATOR))});
}

/* Three dwords in memory: at an offset from SET_BASE's address, or (on compute rings) at
 * an address. */
enum cp_result cp_dispatch_indirect(struct cp_engine *e, const struct pm4_packet *p)
{
    struct atoll_gpu *gpu = e->gpu;
    bool address =
        p->body_dw > PM4_AT_ALSO(DISPATCH_INDIRECT, G789, COMPUTE_DISPATCH_INITIATOR);
    uint64_t va =
        address ? cp_va(pm4_dw(p, PM4_AT_ALSO(DISPATCH_INDIRECT, G789, ADDRESS_LO)) & ~3u,
                        pm4_dw(p, PM4_AT_ALSO(DISPATCH_INDIRECT, G789, ADDRESS_HI)))
                : gpu->cp.dispatch_indirect_va +
                      pm4_dw(p, PM4_AT(DISPATCH_INDIRECT, DATA_OFFSET));
    uint32_t initiator = pm4_dw(
        p, address ? PM4_AT_ALSO(DISPATCH_INDIRECT, G789, COMPUTE_DISPATCH_INITIATOR)
                   : PM4_AT(DISPATCH_INDIRECT, COMPUTE_DISPATCH_INITIATOR));

    return dispatch(e, p,
                    (struct grid){cp_read32(gpu, va), cp_read32(gpu, va + 4),
                                  cp_read32(gpu, va + 8), initiator});
}
