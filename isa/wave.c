/* wave.c: a wave's launch state, EXEC, MODE.
 *
 * MODE's fields: FP_ROUND 3..0 (f32, then f16 and f64), FP_DENORM 7..4, DX10_CLAMP 8, IEEE 9,
 * FP16_OVFL 23 (GFX9), GPR_IDX_EN 27 (GFX8+), VSKIP 28, CSP 31..29. Source: the ISA manuals, "Mode register". */
#include "isa/control.h"
#include "regs/regs.h"
#include "isa/lanes.h"

#include <stdlib.h>
#include <xmmintrin.h>

/* ---- EXEC -------------------------------------------------------------------------------- */

void wave_set_exec(struct wave *w, uint64_t exec)
{
    static const uint32_t quad[16][4] = {
#define Q(n) {-((n) & 1u), -((n) >> 1 & 1u), -((n) >> 2 & 1u), -((n) >> 3 & 1u)}
        Q(0u), Q(1u), Q(2u), Q(3u), Q(4u), Q(5u), Q(6u), Q(7u),
        Q(8u), Q(9u), Q(10u), Q(11u), Q(12u), Q(13u), Q(14u), Q(15u),
#undef Q
    };

    wave_count_lanes(w);
    w->s[SREG_EXEC] = (uint32_t)exec;
    w->s[SREG_EXEC + 1] = (uint32_t)(exec >> 32);
    w->priv.active = (uint32_t)__builtin_popcountll(exec);
    w->priv.fast = (uint8_t)((w->priv.fast & ~WAVE_FAST_EXEC) | (~exec ? 0 : WAVE_FAST_EXEC));
    for (unsigned i = 0; i < 16; i++)
        memcpy(w->lane_mask + 4 * i, quad[exec >> (4 * i) & 15], sizeof quad[0]);
}

/* ---- MODE -------------------------------------------------------------------------------- */

/* The host's control word: all exceptions masked, rounding in bits 14..13, flush-to-zero of
 * results 15, denormals-are-zero of operands 6. */
static uint32_t mxcsr_of(unsigned round, bool keep_in, bool keep_out)
{
    static const uint32_t rc[4] = {0x0000, 0x4000, 0x2000, 0x6000};

    return 0x1f80u | rc[round] | (keep_in ? 0 : 0x40u) | (keep_out ? 0 : 0x8000u);
}

void isa_mode_changed(struct wave *w)
{
    struct wave_fmode *fm = &w->fm;
    uint32_t m = w->mode;

    fm->round32 = bits(m, 0, 1);
    fm->round64 = bits(m, 2, 3);
    fm->in32 = bits(m, 4, 4);
    fm->out32 = bits(m, 5, 5);
    fm->in64 = bits(m, 6, 6);
    fm->out64 = bits(m, 7, 7);
    fm->dx10_clamp = bits(m, 8, 8);
    fm->ieee = bits(m, 9, 9);
    /* Halves have no denormal control of their own before GFX8: they are kept. */
    fm->in16 = w->gen <= GFX7 || fm->in64;
    fm->out16 = w->gen <= GFX7 || fm->out64;
    fm->minmax_flush = w->gen >= GFX9;
    fm->round16 = (uint8_t)(fm->round64 | (w->gen >= GFX9 ? bits(m, 23, 23) << 2 : 0));
    fm->round_cvt16 = w->gen <= GFX7 ? fm->round32 : fm->round16;
    fm->frexp_special = w->gen == GFX6 ? -1 : 0;
    fm->trig_reduced = w->gen <= GFX8;
    fm->int_clamp = w->gen >= GFX8;

    w->priv.mxcsr32 = mxcsr_of(fm->round32, fm->in32, fm->out32);
    w->priv.mxcsr64 = mxcsr_of(fm->round64, fm->in64, fm->out64);
    w->priv.mxcsr_flush = mxcsr_of(fm->round32, false, false);
    w->priv.fast = (uint8_t)((w->priv.fast & ~WAVE_FAST_FLUSH) |
                             (fm->in32 || fm->out32 ? 0 : WAVE_FAST_FLUSH));
    w->priv.attention = w->trace || w->strict_waits || bits(m, 27, 28) || w->priv.watch > 1;
}

void isa_trap_addresses(struct wave *w)
{
    if (w->gen >= GFX9)
        return;
    w->s[SREG_TBA] = (uint32_t)w->tba_va;
    w->s[SREG_TBA + 1] = (uint32_t)(w->tba_va >> 32);
    w->s[SREG_TMA] = (uint32_t)w->tma_va;
    w->s[SREG_TMA + 1] = (uint32_t)(w->tma_va >> 32);
}

/* ---- launch ------------------------------------------------------------------------------ */

void wave_reset(struct wave *w, uint64_t pc_va, uint64_t exec, uint32_t float_mode,
                bool dx10_clamp, bool ieee)
{
    static const float inline_float[8] = {0.5f, -0.5f, 1, -1, 2, -2, 4, -4};

    memset(w->s, 0, sizeof w->s);
    for (unsigned i = 0; i <= 64; i++)
        w->s[SREG_CONST + i] = i;
    for (unsigned i = 1; i <= 16; i++)
        w->s[OPD_INT0 + 64 + i] = 0 - i;
    for (unsigned i = 0; i < 8; i++)
        w->s[OPD_FLOAT0 + i] = f32_bits(inline_float[i]);
    w->s[OPD_FLOAT0 + 8] = 0x3e22f983; /* 1 / (2 pi) */
    isa_trap_addresses(w);

    w->scc = false;
    w->pc_va = pc_va;
    w->insn_va = pc_va;
    w->mode = (float_mode & 0xff) | (uint32_t)dx10_clamp << 8 | (uint32_t)ieee << 9;
    w->status = 1u << 16; /* VALID */
    w->trapsts = 0;
    w->ib_sts = 0;
    w->state = WAVE_READY;
    w->why = NULL;
    w->insts_run = 0;
    memset(&w->counters, 0, sizeof w->counters);
    memset(&w->priv, 0, sizeof w->priv);
    w->priv.lanes = &isa_lanes_base;
    wave_set_exec(w, exec);
    isa_mode_changed(w);
}

void wave_release(struct wave *w)
{
    free(w->acc);
    w->acc = NULL;
    free(w->waits);
    w->waits = NULL;
}

void isa_memory_violation(struct wave *w)
{
    const uint32_t mem_viol = 1u << 8; /* of EXCP, which has 7 bits on GFX6 */
    uint32_t excp = regs_extract(w->gen, F_SQ_WAVE_TRAPSTS__EXCP, w->trapsts);

    w->trapsts = regs_insert(w->gen, F_SQ_WAVE_TRAPSTS__EXCP, w->trapsts, excp | mem_viol);
}
