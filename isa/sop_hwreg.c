/* sop_hwreg.c: s_getreg_b32, s_setreg_b32 and s_setreg_imm32_b32: a field of one of the wave's
 * hardware registers. Which there are, what they read and who may write them: hwreg.def. */
#include "isa/control.h"
#include "regs/regs.h"

#define G6  (1u << GFX6)
#define G7  (1u << GFX7)
#define G8  (1u << GFX8)
#define G9  (1u << GFX9)
#define ALL (G6 | G7 | G8 | G9)

static const char *hwreg_name(enum gfx gen, unsigned number)
{
    switch (number) {
#define HWREG(name, no, has, named, value, write) \
    case no: \
        return (has) >> gen & 1 ? #name : NULL;
#include "isa/hwreg.def"
    default:
        return NULL;
    }
}

/* ---- reports ----------------------------------------------------------------------------- */

static void report(struct wave *w, const struct uop *u, unsigned number, const char *what)
{
    const char *name = hwreg_name(w->gen, number);

    loud_report(w->loud, LOUD_OTHER, 0x4857524547000000u | (uint64_t)(*what == 'r') << 8 | number,
                "%s at 0x%llx %s hardware register %u (%s)", isa_rows[u->in->op].id,
                (unsigned long long)u->pc_va, what, number, name ? name : "there is none");
}

/* A field that is set, but has no effect here. */
static void unmodelled(struct wave *w, const struct uop *u, enum reg_id reg, enum reg_field_id f,
                       uint32_t v, const char *name)
{
    unsigned lo, hi;

    if (regs_extract(w->gen, f, v) && regs_field_bits(w->gen, f, &lo, &hi))
        loud_report(w->loud, LOUD_FIELD,
                    (uint64_t)regs_by_id(w->gen, reg)->offset << 8 | lo,
                    "%s = %u, set at 0x%llx", name, regs_extract(w->gen, f, v),
                    (unsigned long long)u->pc_va);
}

/* The bits of v that the generation's register has; the others are dropped, loudly when they
 * change. */
static uint32_t existing_bits(struct wave *w, const struct uop *u, enum reg_id reg, uint32_t v)
{
    const struct reg *r = regs_by_id(w->gen, reg);
    uint32_t mask = 0;

    for (unsigned i = 0; i < r->field_count; i++)
        mask |= bits(~0u, 0, r->fields[i].hi - r->fields[i].lo) << r->fields[i].lo;
    if (v & ~mask)
        loud_report(w->loud, LOUD_FIELD, (uint64_t)r->offset << 8 | 32,
                    "%s has no bits %08x, set at 0x%llx", r->name, v & ~mask,
                    (unsigned long long)u->pc_va);
    return v & mask;
}

/* ---- values ------------------------------------------------------------------------------ */

static uint64_t next_va(const struct uop *u)
{
    return u->pc_va + 4 * (uint64_t)u->in->ndw;
}

/* SCC, EXECZ and VCCZ are kept elsewhere. */
static uint32_t status_value(const struct wave *w)
{
    uint32_t v = w->status;

    v = regs_insert(w->gen, F_SQ_WAVE_STATUS__SCC, v, w->scc);
    v = regs_insert(w->gen, F_SQ_WAVE_STATUS__EXECZ, v, wave_exec(w) == 0);
    return regs_insert(w->gen, F_SQ_WAVE_STATUS__VCCZ, v, wave_s64(w, SREG_VCC) == 0);
}

static uint32_t sh_mem_bases(const struct wave *w)
{
    return (w->flat.shared_hi & 0xffff0000u) | w->flat.private_hi >> 16;
}

/* ---- writes ------------------------------------------------------------------------------ */

static void write_mode(struct wave *w, const struct uop *u, uint32_t v)
{
    w->mode = existing_bits(w, u, R_SQ_WAVE_MODE, v);
    isa_mode_changed(w);
    unmodelled(w, u, R_SQ_WAVE_MODE, F_SQ_WAVE_MODE__DEBUG_EN, v, "SQ_WAVE_MODE.DEBUG_EN");
}

/* HALT takes effect when the handler returns; EXECZ and VCCZ are not written. */
static void write_status(struct wave *w, const struct uop *u, uint32_t v)
{
    w->scc = regs_extract(w->gen, F_SQ_WAVE_STATUS__SCC, v);
    v = existing_bits(w, u, R_SQ_WAVE_STATUS, v);
    v = regs_insert(w->gen, F_SQ_WAVE_STATUS__SCC, v, 0);
    v = regs_insert(w->gen, F_SQ_WAVE_STATUS__EXECZ, v, 0);
    w->status = regs_insert(w->gen, F_SQ_WAVE_STATUS__VCCZ, v, 0);
}

static void write_trapsts(struct wave *w, const struct uop *u, uint32_t v)
{
    uint32_t rate = regs_extract(w->gen, F_SQ_WAVE_TRAPSTS__DP_RATE, w->trapsts);

    v = existing_bits(w, u, R_SQ_WAVE_TRAPSTS, v);
    w->trapsts = regs_insert(w->gen, F_SQ_WAVE_TRAPSTS__DP_RATE, v, rate);
}

static void write_ib_sts(struct wave *w, const struct uop *u, uint32_t v)
{
    w->ib_sts = existing_bits(w, u, R_SQ_WAVE_IB_STS, v);
}

/* TBA and TMA are kept as addresses; the registers hold bits 39..8 and 47..40. */
static uint64_t set_lo(uint64_t va, uint32_t v)
{
    return (va & ~(UINT64_C(0xffffffff) << 8)) | (uint64_t)v << 8;
}

static uint64_t set_hi(uint64_t va, uint32_t v)
{
    return (va & ((UINT64_C(1) << 40) - 1)) | (uint64_t)(v & 0xff) << 40;
}

/* ---- the instructions -------------------------------------------------------------------- */

/* False when the generation has no such register, or the model no such state. */
static bool read_register(struct wave *w, const struct uop *u, unsigned number, uint32_t *v)
{
    bool kept = true;

#define ABSENT (kept = false, 0u)
    switch (number) {
#define HWREG(name, no, has, named, value, write) \
    case no: \
        *v = value; \
        return kept && (has) >> w->gen & 1;
#include "isa/hwreg.def"
    default:
        return false;
    }
#undef ABSENT
}

/* `imm` as encoded: number 5..0, first bit 10..6, bits less one 15..11. */
static uint32_t field_mask(int32_t imm)
{
    return bits(~0u, 0, bits((uint32_t)imm, 11, 15));
}

uint32_t isa_getreg(struct wave *w, const struct uop *u, int32_t imm)
{
    unsigned number = bits((uint32_t)imm, 0, 5);
    uint32_t v = 0;

    if (!read_register(w, u, number, &v)) {
        report(w, u, number, "reads");
        return 0;
    }
    return v >> bits((uint32_t)imm, 6, 10) & field_mask(imm);
}

const struct uop *isa_setreg(struct wave *w, const struct uop *u, int32_t imm, uint32_t v)
{
    unsigned number = bits((uint32_t)imm, 0, 5), at = bits((uint32_t)imm, 6, 10);
    uint32_t mask = field_mask(imm) << at, old = 0;

    if (!read_register(w, u, number, &old)) {
        report(w, u, number, "writes");
        return u + 1;
    }
    v = (old & ~mask) | (v << at & mask);
#define READ_ONLY    report(w, u, number, "writes")
#define IN_TRAP(...) do { \
        if (isa_in_trap(w)) \
            __VA_ARGS__; \
        else \
            READ_ONLY; \
    } while (0)
    switch (number) {
#define HWREG(name, no, has, named, value, write) \
    case no: \
        write; \
        break;
#include "isa/hwreg.def"
    }
    return isa_leave(w, u); /* MODE is looked at when the loop begins again */
}
