/* What surrounds a wave and is the same for every stage: GDS, messages, clocks, the
 * tracer; and the part of its launch state that no stage decides. */
#include "emu/internal.h"

/* Clock counts of an instruction and of the constant 100 MHz reference, in the
 * deterministic clock that s_memtime and s_memrealtime read: time is what the wave itself
 * has executed. */
#define TICKS_PER_INST     4
#define TICKS_PER_REALTIME 10

static struct emu_wave_ctx *ctx(struct wave *w)
{
    return w->ops_ctx;
}

uint8_t *emu_ops_gds(struct wave *w, uint32_t *bytes)
{
    *bytes = EMU_GDS_BYTES;
    if (w->touch) { /* shared by all, and in their order */
        mem_touch_give_up(w->touch);
        *bytes = 0;
    }
    return ctx(w)->gpu->gds;
}

uint64_t emu_ops_memtime(struct wave *w, bool real)
{
    uint64_t t = ctx(w)->clock + TICKS_PER_INST * w->insts_run;

    return real ? t / TICKS_PER_REALTIME : t;
}

void emu_ops_sendmsg(struct wave *w, uint32_t imm, uint32_t m0)
{
    enum { MSG_MASK = 0xf, MSG_INTERRUPT = 1, MSG_SYSMSG = 15 };

    /* Interrupts go to the host's driver, which is not there. Messages of the geometry
     * stages are handled by their own ops before they get here. */
    if ((imm & MSG_MASK) == MSG_INTERRUPT)
        return;
    loud_report(w->loud, LOUD_MESSAGE, UINT64_C(1) << 32 | (imm & 0xffff),
                "s_sendmsg 0x%x (m0 0x%08x) of wave %u at PC 0x%llx", imm & 0xffff, m0,
                w->id, (unsigned long long)w->insn_va);
}

bool emu_ops_gws(struct wave *w, unsigned op, uint32_t value)
{
    loud_report(
        w->loud, LOUD_OTHER, UINT64_C(0x6777) << 32 | op,
        "global wave sync or ordered count, operation %u (value 0x%x) at PC 0x%llx", op,
        value, (unsigned long long)w->insn_va);
    return true;
}

void emu_ops_trace(struct wave *w, uint64_t pc_va, const struct insn *in, bool after)
{
    struct atoll_gpu *gpu = ctx(w)->gpu;

    if (gpu->on_inst)
        gpu->on_inst(gpu->on_inst_ctx, w, pc_va, after);
}

static void no_export(struct wave *w, unsigned target, unsigned en, bool compr, bool done,
                      bool vm, const uint32_t *const src[4])
{
    loud_report(w->loud, LOUD_OTHER, UINT64_C(0x657870) << 32 | target,
                "export to target %u from a compute shader at PC 0x%llx", target,
                (unsigned long long)w->insn_va);
}

const struct wave_ops *emu_compute_ops(void)
{
    static const struct wave_ops ops = {
        .image = emu_ops_image,
        .export_ = no_export,
        .gds = emu_ops_gds,
        .sendmsg = emu_ops_sendmsg,
        .memtime = emu_ops_memtime,
        .gws = emu_ops_gws,
        .trace = emu_ops_trace,
    };

    return &ops;
}

void emu_apertures(const struct reg_file *r, uint32_t *shared_hi, uint32_t *private_hi)
{
    uint32_t shared = regs_field(r, F_SH_MEM_BASES__SHARED_BASE);
    uint32_t priv = regs_field(r, F_SH_MEM_BASES__PRIVATE_BASE);

    /* The bases are the upper 16 bits of addresses; before GFX9 scratch lies 4 GiB above
     * its base. */
    *shared_hi = shared << 16;
    *private_hi = priv ? priv << 16 | (r->gen < GFX9) : 0;
}

void emu_wave_prepare(struct atoll_gpu *gpu, struct wave *w, const struct wave_ops *ops,
                      void *ops_ctx)
{
    w->ops = ops;
    w->ops_ctx = ops_ctx;
    w->trace = gpu->on_inst != NULL;
    w->strict_waits = gpu->opt.strict_waits != 0;
    emu_apertures(&gpu->regs, &w->flat.shared_hi, &w->flat.private_hi);
}

/* The registers of a stage's exceptions and trap handler: PGM_RSRC2, then TBA and TMA (bits 47..8 of addresses; GFX9
 * has them by process instead, out of a driver's reach here). */
#define TRAP_REGS(s) \
    {R_SPI_SHADER_PGM_RSRC2_##s, R_SPI_SHADER_TBA_LO_##s, R_SPI_SHADER_TBA_HI_##s, \
     R_SPI_SHADER_TMA_LO_##s, R_SPI_SHADER_TMA_HI_##s, F_SPI_SHADER_PGM_RSRC2_##s##__EXCP_EN}

void emu_wave_trap(struct atoll_gpu *gpu, struct wave *w)
{
    static const struct {
        enum reg_id rsrc2, tba_lo, tba_hi, tma_lo, tma_hi;
        enum reg_field_id excp_en;
    } stages[STAGE_COUNT] = {
        [STAGE_LS] = TRAP_REGS(LS),
        [STAGE_HS] = TRAP_REGS(HS),
        [STAGE_ES] = TRAP_REGS(ES),
        [STAGE_GS] = TRAP_REGS(GS),
        [STAGE_VS] = TRAP_REGS(VS),
        [STAGE_PS] = TRAP_REGS(PS),
        [STAGE_CS] = {R_COMPUTE_PGM_RSRC2, R_COMPUTE_TBA_LO, R_COMPUTE_TBA_HI, R_COMPUTE_TMA_LO,
                      R_COMPUTE_TMA_HI, F_COMPUTE_PGM_RSRC2__EXCP_EN},
    };
    const struct reg_file *r = &gpu->regs;
    const uint32_t rsrc2 = regs_get(r, stages[w->stage].rsrc2);
    /* The field lies at the same bit for all stages. */
    const bool present = regs_extract(r->gen, F_COMPUTE_PGM_RSRC2__TRAP_PRESENT, rsrc2);
    const uint64_t hi_tba = regs_get(r, stages[w->stage].tba_hi) & 0xff;
    const uint64_t hi_tma = regs_get(r, stages[w->stage].tma_hi) & 0xff;

    uint32_t excp = regs_extract(r->gen, stages[w->stage].excp_en, rsrc2);

    if (w->stage == STAGE_CS)
        excp |= regs_extract(r->gen, F_COMPUTE_PGM_RSRC2__EXCP_EN_MSB, rsrc2) << 7;
    w->mode = regs_insert(r->gen, F_SQ_WAVE_MODE__EXCP_EN, w->mode, excp);
    if (!present)
        return;
    w->status = regs_insert(r->gen, F_SQ_WAVE_STATUS__TRAP_EN, w->status, 1);
    if (r->gen >= GFX9)
        return;
    w->tba_va = (hi_tba << 32 | regs_get(r, stages[w->stage].tba_lo)) << 8;
    w->tma_va = (hi_tma << 32 | regs_get(r, stages[w->stage].tma_lo)) << 8;
    isa_trap_addresses(w);
}
