/* Events: what EVENT_WRITE and the end-of-pipe and end-of-shader packets do, queries,
 * stream-out offsets and predication.
 *
 * Everything has been drawn and written when an event comes, so flushes and waits have
 * nothing to do. What remains are the events that write something: occlusion counts,
 * pipeline statistics, stream-out statistics, fences and timestamps.
 *
 * Sources: as in cp.c; the layouts of query results as Mesa's drivers read them. */
#include "emu/cp.h"
#include "regs/enums.h"

/* Set in each 64-bit count that the hardware writes, so that a reader knows it has
 * arrived. */
#define QUERY_VALID (UINT64_C(1) << 63)

/* ---- pipeline statistics ---------------------------------------------------------- */

/* In the order in which SAMPLE_PIPELINESTAT writes them. */
static const enum emu_counter stats[EMU_STATS] = {
    CNT_PS_INVOCATIONS, CNT_PA_C_PRIMITIVES, CNT_PA_C_INVOCATIONS, CNT_VS_INVOCATIONS,
    CNT_GS_INVOCATIONS, CNT_GS_PRIMITIVES,   CNT_IA_PRIMITIVES,    CNT_IA_VERTICES,
    CNT_HS_INVOCATIONS, CNT_DS_INVOCATIONS,  CNT_CS_INVOCATIONS,
};

static uint64_t stat_now(const struct atoll_gpu *gpu, unsigned i)
{
    return gpu->cp.stat_sum[i] +
           (gpu->cp.stat_running ? gpu->counters.v[stats[i]] - gpu->cp.stat_base[i] : 0);
}

static void stats_start(struct atoll_gpu *gpu)
{
    for (unsigned i = 0; i < EMU_STATS && !gpu->cp.stat_running; i++)
        gpu->cp.stat_base[i] = gpu->counters.v[stats[i]];
    gpu->cp.stat_running = true;
    gpu->cp.so_stopped = false;
}

static void stats_stop(struct atoll_gpu *gpu)
{
    for (unsigned i = 0; i < EMU_STATS; i++)
        gpu->cp.stat_sum[i] = stat_now(gpu, i);
    gpu->cp.stat_running = false;
    gpu->cp.so_stopped = true;
}

/* ---- events ----------------------------------------------------------------------- */

/* Each RB writes its count of samples; an RB's results are 16 bytes apart, begin and end
 * of a query in each. */
static void write_occlusion(struct atoll_gpu *gpu, uint64_t va)
{
    for (unsigned rb = 0; rb < gpu->chip->rbs && rb < ARRAY_LEN(gpu->samples_passed);
         rb++)
        cp_write64(gpu, va + 16 * (uint64_t)rb, gpu->samples_passed[rb] | QUERY_VALID);
}

static void write_stream_stats(struct atoll_gpu *gpu, uint64_t va, unsigned stream)
{
    cp_write64(gpu, va, gpu->so_needed[stream] | QUERY_VALID);
    cp_write64(gpu, va + 8, gpu->so_written[stream] | QUERY_VALID);
}

void cp_event(struct cp_engine *e, const struct pm4_packet *p, unsigned type, uint64_t va)
{
    struct atoll_gpu *gpu = e->gpu;

    switch (type) {
    case V_VGT_EVENT_TYPE__ZPASS_DONE:
        if (va)
            write_occlusion(gpu, va);
        return;
    case V_VGT_EVENT_TYPE__SAMPLE_PIPELINESTAT:
        for (unsigned i = 0; i < EMU_STATS && va; i++)
            cp_write64(gpu, va + 8 * (uint64_t)i, stat_now(gpu, i));
        return;
    case V_VGT_EVENT_TYPE__PIPELINESTAT_START:
        stats_start(gpu);
        return;
    case V_VGT_EVENT_TYPE__PIPELINESTAT_STOP:
        stats_stop(gpu);
        return;
    case V_VGT_EVENT_TYPE__SAMPLE_STREAMOUTSTATS:
        if (va)
            write_stream_stats(gpu, va, 0);
        return;
    case V_VGT_EVENT_TYPE__SAMPLE_STREAMOUTSTATS1:
    case V_VGT_EVENT_TYPE__SAMPLE_STREAMOUTSTATS2:
    case V_VGT_EVENT_TYPE__SAMPLE_STREAMOUTSTATS3:
        if (va)
            write_stream_stats(gpu, va,
                               type - V_VGT_EVENT_TYPE__SAMPLE_STREAMOUTSTATS1 + 1);
        return;
    case V_VGT_EVENT_TYPE__SO_VGTSTREAMOUT_FLUSH:
        /* VGT has told the CP its offsets: drivers poll this bit. */
        regs_field_set(&gpu->regs, F_CP_STRMOUT_CNTL__OFFSET_UPDATE_DONE, 1);
        return;
    case V_VGT_EVENT_TYPE__VGT_STREAMOUT_RESET:
        memset(gpu->so_filled_dw, 0, sizeof gpu->so_filled_dw);
        return;
    case V_VGT_EVENT_TYPE__RST_PIX_CNT:
        memset(gpu->samples_passed, 0, sizeof gpu->samples_passed);
        return;
    /* Waits, cache flushes and context switches: nothing is outstanding, memory is
     * coherent. */
    case V_VGT_EVENT_TYPE__CACHE_FLUSH_TS:
    case V_VGT_EVENT_TYPE__CONTEXT_DONE:
    case V_VGT_EVENT_TYPE__CACHE_FLUSH:
    case V_VGT_EVENT_TYPE__CS_PARTIAL_FLUSH:
    case V_VGT_EVENT_TYPE__VGT_STREAMOUT_SYNC:
    case V_VGT_EVENT_TYPE__BREAK_BATCH:
    case V_VGT_EVENT_TYPE__VS_PARTIAL_FLUSH:
    case V_VGT_EVENT_TYPE__PS_PARTIAL_FLUSH:
    case V_VGT_EVENT_TYPE__FLUSH_HS_OUTPUT:
    case V_VGT_EVENT_TYPE__FLUSH_LS_OUTPUT: /* FLUSH_DFSM on GFX9 */
    case V_VGT_EVENT_TYPE__CACHE_FLUSH_AND_INV_TS_EVENT:
    case V_VGT_EVENT_TYPE__CACHE_FLUSH_AND_INV_EVENT:
    case V_VGT_EVENT_TYPE__FLUSH_ES_OUTPUT:
    case V_VGT_EVENT_TYPE__FLUSH_GS_OUTPUT:
    case V_VGT_EVENT_TYPE__BLOCK_CONTEXT_DONE:
    case V_VGT_EVENT_TYPE__CS_CONTEXT_DONE:
    case V_VGT_EVENT_TYPE__VGT_FLUSH:
    case V_VGT_EVENT_TYPE__SQ_NON_EVENT:
    case V_VGT_EVENT_TYPE__SC_SEND_DB_VPZ:
    case V_VGT_EVENT_TYPE__BOTTOM_OF_PIPE_TS:
    case V_VGT_EVENT_TYPE__FLUSH_SX_TS:
    case V_VGT_EVENT_TYPE__DB_CACHE_FLUSH_AND_INV:
    case V_VGT_EVENT_TYPE__FLUSH_AND_INV_DB_DATA_TS:
    case V_VGT_EVENT_TYPE__FLUSH_AND_INV_DB_META:
    case V_VGT_EVENT_TYPE__FLUSH_AND_INV_CB_DATA_TS:
    case V_VGT_EVENT_TYPE__FLUSH_AND_INV_CB_META:
    case V_VGT_EVENT_TYPE__CS_DONE:
    case V_VGT_EVENT_TYPE__PS_DONE:
    case V_VGT_EVENT_TYPE__FLUSH_AND_INV_CB_PIXEL_DATA:
    case V_VGT_EVENT_TYPE__OFFCHIP_HS_DEALLOC:
        return;
    }
    const struct reg *r = regs_by_id(gpu->regs.gen, R_VGT_EVENT_INITIATOR);
    const struct reg_field *f = r ? regs_field_by_name(r, "EVENT_TYPE") : NULL;
    const char *name = f ? regs_enum_name(f, type) : NULL;
    char where[128];

    loud_report(gpu->loud, LOUD_MESSAGE, type, "event %u (%s): %s", type,
                name ? name : "reserved", emu_place_format(gpu, where, sizeof where));
}

enum cp_result cp_event_write(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t event = pm4_dw(p, PM4_AT(EVENT_WRITE, EVENT));
    uint64_t va = 0;

    if (p->body_dw > PM4_AT(EVENT_WRITE, ADDRESS_HI))
        va = cp_va(pm4_dw(p, PM4_AT(EVENT_WRITE, ADDRESS_LO)) & ~7u,
                   pm4_dw(p, PM4_AT(EVENT_WRITE, ADDRESS_HI)));
    cp_event(e, p, pm4_get(event, PM4F_EVENT__EVENT_TYPE), va);
    return CP_DONE;
}

/* ---- end of pipe, end of shader --------------------------------------------------- */

/* A range of GDS that a packet wants in memory: offset in dwords, count in dwords. */
static void write_gds(struct atoll_gpu *gpu, uint64_t va, uint32_t which)
{
    uint32_t offset = 4 * (which & 0xffff), bytes = 4 * (which >> 16);

    if (offset < EMU_GDS_BYTES)
        cp_write(gpu, va, gpu->gds + offset, MIN2(bytes, EMU_GDS_BYTES - offset));
}

static enum cp_result end_of_pipe(struct cp_engine *e, const struct pm4_packet *p,
                                  unsigned type, unsigned data_sel, uint64_t va,
                                  uint32_t lo, uint32_t hi)
{
    struct atoll_gpu *gpu = e->gpu;

    cp_event(e, p, type, 0);
    switch (data_sel) {
    case PM4V_EOP_DATA__DISCARD:
        return CP_DONE;
    case PM4V_EOP_DATA__VALUE_32BIT:
        cp_write32(gpu, va & ~UINT64_C(3), lo);
        return CP_DONE;
    case PM4V_EOP_DATA__VALUE_64BIT:
        cp_write64(gpu, va & ~UINT64_C(3), lo | (uint64_t)hi << 32);
        return CP_DONE;
    case PM4V_EOP_DATA__TIMESTAMP:
    case PM4V_EOP_DATA__SYSTEM_CLOCK:
        cp_write64(gpu, va & ~UINT64_C(3), emu_clock(gpu));
        return CP_DONE;
    case PM4V_EOP_DATA__GDS:
        write_gds(gpu, va & ~UINT64_C(3), lo);
        return CP_DONE;
    }
    return cp_loud(e, p, "DATA_SEL %u", data_sel);
}

enum cp_result cp_event_write_eop(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t event = pm4_dw(p, PM4_AT(EVENT_WRITE_EOP, EVENT));
    uint32_t hi = pm4_dw(p, PM4_AT(EVENT_WRITE_EOP, ADDRESS_HI));

    if (e->gpu->regs.gen != GFX6 && pm4_get(event, PM4F_EOP_EVENT_G7__TC_ACTION_ENA))
        cp_invalidate_icache(e->gpu);
    return end_of_pipe(e, p, pm4_get(event, PM4F_EOP_EVENT_G7__EVENT_TYPE),
                       pm4_get(hi, PM4F_EOP_ADDR_HI__DATA_SEL),
                       cp_va(pm4_dw(p, PM4_AT(EVENT_WRITE_EOP, ADDRESS_LO)),
                             pm4_get(hi, PM4F_EOP_ADDR_HI__ADDRESS_HI)),
                       pm4_dw(p, PM4_AT(EVENT_WRITE_EOP, DATA_LO)),
                       pm4_dw(p, PM4_AT(EVENT_WRITE_EOP, DATA_HI)));
}

enum cp_result cp_release_mem(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t event = pm4_dw(p, PM4_AT(RELEASE_MEM, EVENT));
    uint32_t select = pm4_dw(p, PM4_AT(RELEASE_MEM, SELECT));
    uint64_t va = cp_va(pm4_dw(p, PM4_AT(RELEASE_MEM, ADDRESS_LO)),
                        pm4_dw(p, PM4_AT(RELEASE_MEM, ADDRESS_HI)));
    unsigned type = pm4_get(event, PM4F_EOP_EVENT_G9__EVENT_TYPE);
    uint32_t lo = pm4_dw(p, PM4_AT(RELEASE_MEM, DATA_LO)),
             hi = pm4_dw(p, PM4_AT(RELEASE_MEM, DATA_HI));
    unsigned index = pm4_get(event, PM4F_EOP_EVENT_G9__EVENT_INDEX);

    /* On GFX9 it has taken over EVENT_WRITE_EOS, whose selections it codes like those of
     * an end of pipe: 32-bit data, or GDS. */
    if (index != PM4V_EVENT_INDEX__END_OF_PIPE &&
        index != PM4V_EVENT_INDEX__END_OF_SHADER)
        return cp_loud(e, p, "EVENT_INDEX %u", index);
    return end_of_pipe(e, p, type, pm4_get(select, PM4F_RELEASE_SEL__DATA_SEL), va, lo,
                       hi);
}

enum cp_result cp_event_write_eos(struct cp_engine *e, const struct pm4_packet *p)
{
    uint32_t hi = pm4_dw(p, PM4_AT(EVENT_WRITE_EOS, ADDRESS_HI));
    uint32_t data = pm4_dw(p, PM4_AT(EVENT_WRITE_EOS, DATA));
    uint64_t va = cp_va(pm4_dw(p, PM4_AT(EVENT_WRITE_EOS, ADDRESS_LO)) & ~3u,
                        pm4_get(hi, PM4F_EOS_ADDR_HI__ADDRESS_HI));

    cp_event(e, p,
             pm4_get(pm4_dw(p, PM4_AT(EVENT_WRITE_EOS, EVENT)), PM4F_EVENT__EVENT_TYPE),
             0);
    switch (pm4_get(hi, PM4F_EOS_ADDR_HI__COMMAND)) {
    case PM4V_EOS_CMD__STORE_GDS_DATA:
        write_gds(e->gpu, va, data);
        return CP_DONE;
    case PM4V_EOS_CMD__STORE_32BIT_DATA:
        cp_write32(e->gpu, va, data);
        return CP_DONE;
    }
    return cp_loud(e, p, "COMMAND %u", pm4_get(hi, PM4F_EOS_ADDR_HI__COMMAND));
}

/* ---- stream-out ------------------------------------------------------------------- */

enum cp_result cp_strmout_buffer_update(struct cp_engine *e, const struct pm4_packet *p)
{
    struct atoll_gpu *gpu = e->gpu;
    uint32_t control = pm4_dw(p, PM4_AT(STRMOUT_BUFFER_UPDATE, CONTROL));
    unsigned buffer = pm4_get(control, PM4F_STRMOUT_CNTL__BUFFER_SELECT);
    uint32_t unit =
        pm4_get(control, PM4F_STRMOUT_CNTL__DATA_TYPE) == PM4V_STRMOUT_UNIT__BYTES ? 4
                                                                                   : 1;
    uint32_t lo = pm4_dw(p, PM4_AT(STRMOUT_BUFFER_UPDATE, OFFSET_OR_SRC_LO));
    uint32_t offset_dw;

    if (pm4_get(control, PM4F_STRMOUT_CNTL__STORE_BUFFER_FILLED_SIZE))
        cp_write32(gpu,
                   cp_va(pm4_dw(p, PM4_AT(STRMOUT_BUFFER_UPDATE, DST_ADDRESS_LO)) & ~3u,
                         pm4_dw(p, PM4_AT(STRMOUT_BUFFER_UPDATE, DST_ADDRESS_HI))),
                   gpu->so_filled_dw[buffer] * unit);
    switch (pm4_get(control, PM4F_STRMOUT_CNTL__OFFSET_SOURCE)) {
    case PM4V_STRMOUT_SOURCE__FROM_PACKET:
        offset_dw = lo / unit;
        break;
    case PM4V_STRMOUT_SOURCE__FROM_VGT_FILLED_SIZE:
        offset_dw = gpu->so_filled_dw[buffer];
        break;
    case PM4V_STRMOUT_SOURCE__FROM_MEM:
        offset_dw = cp_read32(gpu, cp_va(lo & ~3u, pm4_dw(p, PM4_AT(STRMOUT_BUFFER_UPDATE,
                                                                    SRC_ADDRESS_HI)))) /
                    unit;
        break;
    default:
        return CP_DONE; /* NONE */
    }
    regs_set_i(&gpu->regs, R_VGT_STRMOUT_BUFFER_OFFSET_0, buffer, offset_dw);
    gpu->so_filled_dw[buffer] = offset_dw;
    return CP_DONE;
}

/* ---- predication ------------------------------------------------------------------ */

/* Sum of end - begin over the RBs of an occlusion query. */
static uint64_t occlusion_result(struct atoll_gpu *gpu, uint64_t va)
{
    uint64_t sum = 0;

    for (unsigned rb = 0; rb < gpu->chip->rbs && rb < ARRAY_LEN(gpu->samples_passed);
         rb++) {
        uint64_t begin = cp_read64(gpu, va + 16 * (uint64_t)rb);
        uint64_t end = cp_read64(gpu, va + 16 * (uint64_t)rb + 8);

        if (begin & end & QUERY_VALID)
            sum += end - begin;
    }
    return sum;
}

enum cp_result cp_set_predication(struct cp_engine *e, const struct pm4_packet *p)
{
    struct atoll_gpu *gpu = e->gpu;
    bool g9 = gpu->regs.gen == GFX9;
    uint32_t control = pm4_dw(p, g9 ? PM4_AT_ALSO(SET_PREDICATION, G9, CONTROL)
                                    : PM4_AT(SET_PREDICATION, CONTROL));
    uint64_t va = g9 ? cp_va(pm4_dw(p, PM4_AT_ALSO(SET_PREDICATION, G9, START_ADDR_LO)),
                             pm4_dw(p, PM4_AT_ALSO(SET_PREDICATION, G9, START_ADDR_HI)))
                     : cp_va(pm4_dw(p, PM4_AT(SET_PREDICATION, START_ADDR_LO)),
                             pm4_get(control, PM4F_PRED_G6__START_ADDR_HI));
    uint64_t needed, written;
    bool visible;

    _Static_assert(PM4F_PRED_G6__PRED_OP == PM4F_PRED_G9__PRED_OP &&
                       PM4F_PRED_G6__CONTINUE == PM4F_PRED_G9__CONTINUE &&
                       PM4F_PRED_G6__PREDICATION_BOOLEAN ==
                           PM4F_PRED_G9__PREDICATION_BOOLEAN,
                   "one decoding for all generations");
    va &= ~UINT64_C(3);
    switch (pm4_get(control, PM4F_PRED_G9__PRED_OP)) {
    case PM4V_PRED_OP__CLEAR:
        gpu->cp.predicate_off = gpu->cp.predicate_visible = false;
        return CP_DONE;
    case PM4V_PRED_OP__ZPASS:
        visible = occlusion_result(gpu, va) != 0;
        break;
    case PM4V_PRED_OP__PRIMCOUNT:
        /* "Visible" when no primitive was lost for want of space. */
        needed = cp_read64(gpu, va + 16) - cp_read64(gpu, va);
        written = cp_read64(gpu, va + 24) - cp_read64(gpu, va + 8);
        visible = needed == written;
        break;
    case PM4V_PRED_OP__BOOL64:
        visible = cp_read64(gpu, va) != 0;
        break;
    case PM4V_PRED_OP__BOOL32:
        visible = cp_read32(gpu, va) != 0;
        break;
    default:
        return cp_loud(e, p, "PRED_OP %u", pm4_get(control, PM4F_PRED_G9__PRED_OP));
    }
    /* Over several queries: any sample that passed, any primitive that was lost. */
    if (pm4_get(control, PM4F_PRED_G9__CONTINUE)) {
        if (pm4_get(control, PM4F_PRED_G9__PRED_OP) == PM4V_PRED_OP__PRIMCOUNT)
            visible &= gpu->cp.predicate_visible;
        else
            visible |= gpu->cp.predicate_visible;
    }
    gpu->cp.predicate_visible = visible;
    gpu->cp.predicate_off =
        visible != (pm4_get(control, PM4F_PRED_G9__PREDICATION_BOOLEAN) ==
                    PM4V_PRED_BOOL__DRAW_VISIBLE);
    return CP_DONE;
}

/* Add the result of an occlusion query to a 64-bit count in memory. */
enum cp_result cp_occlusion_query(struct cp_engine *e, const struct pm4_packet *p)
{
    uint64_t from = cp_va(pm4_dw(p, PM4_AT(OCCLUSION_QUERY, START_ADDR_LO)) & ~15u,
                          pm4_dw(p, PM4_AT(OCCLUSION_QUERY, START_ADDR_HI)));
    uint64_t to = cp_va(pm4_dw(p, PM4_AT(OCCLUSION_QUERY, QUERY_ADDR_LO)) & ~3u,
                        pm4_dw(p, PM4_AT(OCCLUSION_QUERY, QUERY_ADDR_HI)));

    cp_write64(e->gpu, to, cp_read64(e->gpu, to) + occlusion_result(e->gpu, from));
    return CP_DONE;
}
