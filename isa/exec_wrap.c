/* exec_wrap.c: what happens around a row's function: scalar operands spread over 64 lanes, abs
 * and neg, SDWA, DPP, op_sel, omod and clamp, float modes, EXEC as a destination.
 *
 * Sources: the ISA manuals: "Input/Output modifiers", "DPP", "SDWA", "OP_SEL"; CLRX's description
 * of SDWA and DPP. */
#include "isa/control.h"
#include "isa/lane_f16.h"
#include "isa/lane_f64.h"

#include <xmmintrin.h>

/* ---- scalar sources ---------------------------------------------------------------------- */

/* Sources that are computed: SCC, VCCZ, EXECZ, apertures (GFX9), LDS_DIRECT is lane-wise. */
static uint64_t special(const struct wave *w, unsigned opd)
{
    switch (opd) {
    case OPD_VCCZ:
        return wave_s64(w, SREG_VCC) == 0;
    case OPD_EXECZ:
        return wave_exec(w) == 0;
    case OPD_SCC:
        return w->scc;
    case OPD_SHARED_BASE:
        return (uint64_t)w->flat.shared_hi << 32;
    case OPD_SHARED_BASE + 1:
        return (uint64_t)w->flat.shared_hi << 32 | 0xffffffffu;
    case OPD_SHARED_BASE + 2:
        return (uint64_t)w->flat.private_hi << 32;
    case OPD_SHARED_BASE + 3:
        return (uint64_t)w->flat.private_hi << 32 | 0xffffffffu;
    default:
        return 0;
    }
}

/* LDS_DIRECT: one value of LDS for all lanes, at M0[15:0], of the type M0[18:16]: u8, u16, dword,
 * -, i8, i16. */
static uint32_t lds_direct(const struct wave *w)
{
    uint32_t m0 = w->s[SREG_M0], at = m0 & 0xffff, type = bits(m0, 16, 18);
    static const uint8_t bytes[8] = {1, 2, 4, 0, 1, 2, 0, 0};
    unsigned n = bytes[type];

    if (!n || !w->lds || at + n > w->lds_bytes)
        return 0;
    switch (type) {
    case 0:
        return w->lds[at];
    case 1:
        return load_le16(w->lds + at);
    case 2:
        return load_le32(w->lds + at);
    case 4:
        return (uint32_t)(int32_t)(int8_t)w->lds[at];
    default:
        return (uint32_t)(int32_t)(int16_t)load_le16(w->lds + at);
    }
}

static void spread(uint32_t *p, uint32_t v)
{
    for (unsigned l = 0; l < 64; l++)
        p[l] = v;
}

static void splat(struct wave *w, const struct uop *u)
{
    for (unsigned i = 0; i < 3; i++) {
        unsigned n = u->src_sgpr[i];
        uint32_t *t = w->priv.tmp[i];

        if (!(u->flags & UF_SPLAT_A << i))
            continue;
        if (n < 128) {
            spread(t, w->s[n]);
            if (u->width[UOP_A + i] > 1)
                spread(t + 64, w->s[n + 1]);
        } else if (n == OPD_LDS_DIRECT) {
            spread(t, lds_direct(w));
        } else {
            uint64_t v = special(w, n);

            /* 32-bit reads of an aperture take its upper half. */
            if (n >= OPD_SHARED_BASE && n < OPD_POPS_ID && u->width[UOP_A + i] == 1)
                v >>= 32;
            spread(t, (uint32_t)v);
            spread(t + 64, (uint32_t)(v >> 32));
        }
    }
}

/* ---- source modifiers -------------------------------------------------------------------- */

/* The lane that DPP reads for lane l; -1 when there is none. */
static int dpp_source(unsigned ctrl, int l)
{
    int row = l & 48, in_row = l & 15, n = (int)(ctrl & 15);

    if (ctrl <= 0xff) /* quad_perm */
        return (l & ~3) | (int)(ctrl >> (2 * (l & 3)) & 3);
    switch (ctrl & 0x1f0) {
    case 0x100: /* row_shl: from the lane n above */
        return in_row + n < 16 ? l + n : -1;
    case 0x110: /* row_shr */
        return in_row - n >= 0 ? l - n : -1;
    case 0x120: /* row_ror */
        return row | ((in_row - n) & 15);
    }
    switch (ctrl) {
    case 0x130: /* wave_shl:1 */
        return l < 63 ? l + 1 : -1;
    case 0x134: /* wave_rol:1 */
        return (l + 1) & 63;
    case 0x138: /* wave_shr:1 */
        return l > 0 ? l - 1 : -1;
    case 0x13c: /* wave_ror:1 */
        return (l - 1) & 63;
    case 0x140: /* row_mirror */
        return row | (15 - in_row);
    case 0x141: /* row_half_mirror */
        return (l & 56) | (7 - (l & 7));
    case 0x142: /* row_bcast:15: lane 15 of a row to the next row */
        return row >= 16 ? row - 1 : -1;
    case 0x143: /* row_bcast:31: lane 31 to rows 2 and 3 */
        return l >= 32 ? 31 : -1;
    default:
        return -1;
    }
}

/* Moves src0's lanes; returns the lanes that the instruction writes. */
static uint64_t apply_dpp(const struct insn *in, uint64_t exec, uint32_t *p)
{
    uint32_t from[64];
    uint64_t on = 0;

    memcpy(from, p, sizeof from);
    for (int l = 0; l < 64; l++) {
        int s = dpp_source(in->dpp_ctrl, l);
        bool off = !(in->row_mask >> (l / 16) & 1) || !(in->bank_mask >> (l / 4 % 4) & 1);

        if (off || !(exec >> l & 1))
            continue;
        if (s >= 0 && exec >> s & 1) {
            p[l] = from[s];
        } else if (in->bound_ctrl) {
            p[l] = 0;
        } else {
            continue;
        }
        on |= UINT64_C(1) << l;
    }
    return on;
}

/* SDWA's choice of a byte or word of a source. */
static uint32_t sdwa_select(uint32_t v, unsigned sel, bool sext)
{
    if (sel <= 3) {
        v = v >> (8 * sel) & 0xff;
        return sext ? (uint32_t)(int32_t)(int8_t)v : v;
    }
    if (sel <= 5) {
        v = v >> (16 * (sel - 4)) & 0xffff;
        return sext ? (uint32_t)(int32_t)(int16_t)v : v;
    }
    return v;
}

static uint32_t modify32(uint32_t v, bool abs, bool neg, uint32_t sign)
{
    if (abs)
        v &= ~sign;
    return neg ? v ^ sign : v;
}

/* Sources of VOP3P: each half chosen and negated on its own; MIX a float or a half made one. */
static void packed_source(struct wave *w, const struct insn *in, enum isa_type t, unsigned i,
                          uint32_t *p)
{
    unsigned lo = in->op_sel >> i & 1, hi = in->op_sel_hi >> i & 1;
    bool nlo = in->neg >> i & 1, nhi = in->neg_hi >> i & 1;
    bool den = w->fm.in16 && !(isa_rows[in->op].flags & FLUSH); /* E-mad16 */

    for (unsigned l = 0; l < 64; l++) {
        uint32_t v = p[l];

        if (t == T_MIX) {
            if (hi)
                v = f32_bits(lane_f32_from_f16(lo ? v >> 16 : v & 0xffff, den));
            p[l] = modify32(v, in->abs >> i & 1, nlo, 0x80000000u);
        } else if (t == T_F32) {
            p[l] = modify32(v, false, nlo, 0x80000000u);
        } else if (t == T_V2F16 || t == T_V2U16 || t == T_V2I16) {
            uint32_t a = lo ? v >> 16 : v & 0xffff, b = hi ? v >> 16 : v & 0xffff;

            if (t == T_V2F16) {
                a = modify32(a, false, nlo, 0x8000);
                b = modify32(b, false, nhi, 0x8000);
            }
            p[l] = a | b << 16;
        }
    }
}

static void plain_source(const struct insn *in, const struct isa_row *row, unsigned i,
                         uint32_t *p)
{
    enum isa_type t = (enum isa_type)row->src[i];
    bool abs = in->abs >> i & 1, neg = in->neg >> i & 1;
    bool half = in->op_sel >> i & 1;
    uint32_t sign = t == T_F16 ? 0x8000u : 0x80000000u;
    uint32_t *q = t == T_F64 ? p + 64 : p; /* where the sign is */

    if (in->form == FORM_SDWA && i < 2)
        for (unsigned l = 0; l < 64; l++)
            p[l] = sdwa_select(p[l], in->src_sel[i], in->sext >> i & 1);
    if (half)
        for (unsigned l = 0; l < 64; l++)
            p[l] >>= 16;
    if (abs || neg)
        for (unsigned l = 0; l < 64; l++)
            q[l] = modify32(q[l], abs, neg, sign);
}

/* ---- result modifiers -------------------------------------------------------------------- */

static float clamp_f32(const struct wave *w, float v)
{
    if (lane_isnan(v))
        return w->fm.dx10_clamp ? 0.0f : v;
    return v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f;
}

/* omod: times 2, 4, 1/2; only where denormal results are flushed and not in IEEE mode; then
 * -0 becomes +0. */
static float omod_f32(const struct wave *w, const struct insn *in, float v, bool keep)
{
    static const float by[4] = {1, 2, 4, 0.5f};

    if (!in->omod || keep || w->fm.ieee)
        return v;
    v *= by[in->omod & 3];
    return v == 0 ? 0 : v;
}

static void finish_lane(const struct wave *w, const struct insn *in, enum isa_type t,
                        uint32_t *p, unsigned l)
{
    if (t == T_F32) {
        float v = omod_f32(w, in, bits_f32(p[l]), w->fm.out32);

        p[l] = f32_bits(in->clamp ? clamp_f32(w, v) : v);
    } else if (t == T_F16 && (in->clamp || in->omod)) {
        float v = lane_f32_from_f16(p[l] & 0xffff, true);

        v = omod_f32(w, in, v, w->fm.out16);
        p[l] = lane_f16_from_f32(in->clamp ? clamp_f32(w, v) : v, w->fm.round16, w->fm.out16);
    } else if (t == T_V2F16) {
        uint32_t lo = p[l] & 0xffff, hi = p[l] >> 16;

        if (in->clamp) {
            lo = lane_f16_from_f32(clamp_f32(w, lane_f32_from_f16(lo, true)), 0, true);
            hi = lane_f16_from_f32(clamp_f32(w, lane_f32_from_f16(hi, true)), 0, true);
        }
        p[l] = lo | hi << 16;
    } else if (t == T_F64) {
        static const double by[4] = {1, 2, 4, 0.5};
        double v = bits_f64(p[l] | (uint64_t)p[64 + l] << 32);
        uint64_t u;

        if (in->omod && !w->fm.out64 && !w->fm.ieee) {
            v *= by[in->omod & 3];
            v = v == 0 ? 0 : v;
        }
        if (in->clamp && lane_isnan_f64(v))
            v = w->fm.dx10_clamp ? 0 : v;
        else if (in->clamp)
            v = v > 0 ? (v < 1 ? v : 1) : 0;
        u = f64_bits(v);
        p[l] = (uint32_t)u;
        p[64 + l] = (uint32_t)(u >> 32);
    }
}

/* What reaches the register: SDWA's part of it, or one half (op_sel, v_mad_mixhi). */
static uint32_t place(const struct insn *in, const struct isa_row *row, uint32_t r, uint32_t old)
{
    if (in->form == FORM_SDWA && in->dst_sel < 6) {
        unsigned bits_n = in->dst_sel <= 3 ? 8 : 16;
        unsigned sh = in->dst_sel <= 3 ? 8 * in->dst_sel : 16 * (in->dst_sel - 4);
        uint32_t m = ((1u << bits_n) - 1) << sh, v = r << sh & m;

        switch (in->dst_unused) {
        case 1: { /* sign-extended above, zero below */
            uint32_t sign = v >> (sh + bits_n - 1) & 1;

            return v | (sign && sh + bits_n < 32 ? ~0u << (sh + bits_n) : 0);
        }
        case 2:
            return v | (old & ~m);
        default:
            return v;
        }
    }
    if (in->op == I_V_MAD_MIXHI_F16 || in->op == I_V_FMA_MIXHI_F16)
        return r << 16 | (old & 0xffff);
    if (in->op == I_V_MAD_MIXLO_F16 || in->op == I_V_FMA_MIXLO_F16)
        return (r & 0xffff) | (old & 0xffff0000u);
    if (row->flags & OPSEL && in->enc == ENC_VOP3 && (in->op_sel & 8))
        return r << 16 | (old & 0xffff);
    if (row->flags & OPSEL && in->enc == ENC_VOP3 &&
        (row->dst == T_F16 || row->dst == T_U16 || row->dst == T_I16 || row->dst == T_B16))
        return (r & 0xffff) | (old & 0xffff0000u);
    return r;
}

/* Source i, modified, in w->priv.tmp[i]; *on loses the lanes that DPP takes away. */
static void prepare(struct wave *w, const struct uop *u, unsigned i, uint64_t *on)
{
    const struct insn *in = u->in;
    const struct isa_row *row = &isa_rows[in->op];
    const uint32_t *s = uop_ptr(w, u, UOP_A + i);
    uint32_t *p = w->priv.tmp[i];

    if (s != p)
        memcpy(p, s, sizeof(uint32_t[64]) * MIN2(u->width[UOP_A + i], 2));
    if (in->form == FORM_DPP && i == 0)
        *on = apply_dpp(in, wave_exec(w), p);
    if (row->enc == ENC_VOP3P)
        packed_source(w, in, (enum isa_type)row->src[i], i, p);
    else
        plain_source(in, row, i, p);
}

static bool is_source(const struct uop *u, unsigned i)
{
    const enum isa_type t = (enum isa_type)isa_rows[u->in->op].src[i];

    return t != T_NONE && t != T_MASK && u->in->src[i] != OPD_NONE;
}

uint64_t isa_wrap_sources(struct wave *w, const struct uop *u, const uint32_t *src[3])
{
    uint64_t on = wave_exec(w);

    splat(w, u);
    for (unsigned i = 0; i < 3; i++) {
        src[i] = NULL;
        if (!is_source(u, i))
            continue;
        if (u->flags & UF_SLOW)
            prepare(w, u, i, &on);
        src[i] = u->flags & UF_SLOW ? w->priv.tmp[i] : uop_ptr(w, u, UOP_A + i);
    }
    return on;
}

/* ---- the wrappers ------------------------------------------------------------------------ */

static const struct uop *modified(struct wave *w, const struct uop *u)
{
    const struct insn *in = u->in;
    const struct isa_row *row = &isa_rows[in->op];
    uint64_t exec = wave_exec(w), on = exec;
    bool has_dst = row->dst != T_MASK && row->dst != T_NONE;
    struct uop t = *u;
    uint32_t *dst = has_dst ? uop_ptr(w, u, UOP_DST) : NULL, *r = w->priv.tmp[3];
    unsigned regs = u->width[UOP_DST];

    for (unsigned i = 0; i < 3; i++) {
        if (!is_source(u, i))
            continue;
        prepare(w, u, i, &on);
        t.sel[UOP_A + i] = UB_WAVE;
        t.off[UOP_A + i] = offsetof(struct wave, priv.tmp) + sizeof(uint32_t[128]) * i;
    }
    if (has_dst) {
        memcpy(r, dst, sizeof(uint32_t[64]) * MIN2(regs, 2));
        if (row->flags & OPSEL && in->op_sel & 8 && row->flags & RD_DST)
            for (unsigned l = 0; l < 64; l++)
                r[l] >>= 16;
        t.sel[UOP_DST] = UB_WAVE;
        t.off[UOP_DST] = offsetof(struct wave, priv.tmp) + sizeof(uint32_t[128]) * 3;
    }
    if (on != exec)
        wave_set_exec(w, on);
    u->base(w, &t);
    if (has_dst) {
        for (unsigned l = 0; l < 64; l++) {
            if (!(on >> l & 1))
                continue;
            finish_lane(w, in, (enum isa_type)row->dst, r, l);
            dst[l] = place(in, row, r[l], dst[l]);
            if (regs > 1)
                dst[64 + l] = r[64 + l];
        }
    }
    if (on != exec && !(row->flags & WR_EXEC))
        wave_set_exec(w, exec);
    return u + 1;
}

const struct uop *isa_wrap_valu(struct wave *w, const struct uop *u)
{
    uint32_t csr = u->flags & UF_MODE64 ? w->priv.mxcsr64 : w->priv.mxcsr32;
    const struct uop *next;

    if (csr != w->priv.mxcsr32)
        _mm_setcsr(csr);
    splat(w, u);
    next = u->flags & UF_SLOW ? modified(w, u) : u->base(w, u);
    if (csr != w->priv.mxcsr32)
        _mm_setcsr(w->priv.mxcsr32);
    if (u->flags & UF_EXEC)
        wave_set_exec(w, wave_exec(w));
    return next;
}

static void report_hidden(struct wave *w, const struct uop *u)
{
    loud_report(w->loud, LOUD_OTHER, u->pc_va,
                "%s at 0x%llx uses registers of a trap handler, but is in none",
                isa_rows[u->in->op].id, (unsigned long long)u->pc_va);
}

/* Vector and memory instructions that name registers of trap handlers: outside of a handler they find
 * zeros there, and what they write is lost. */
const struct uop *isa_wrap_trap(struct wave *w, const struct uop *u)
{
    uop_fn *inner = !u->valu ? isa_wrap_host : u->call ? u->base : isa_wrap_valu;
    uint32_t kept[SREG_M0 - SREG_TBA];
    const struct uop *next;

    if (isa_in_trap(w))
        return inner(w, u);
    report_hidden(w, u);
    memcpy(kept, &w->s[SREG_TBA], sizeof kept);
    memset(&w->s[SREG_TBA], 0, sizeof kept);
    next = inner(w, u);
    memcpy(&w->s[SREG_TBA], kept, sizeof kept);
    return next;
}

/* Outside of a trap handler its registers read zero, and are not written. Source: the ISA manuals,
 * "Trap temporary SGPRs". */
static bool hidden(struct wave *w, const struct uop *u, unsigned i)
{
    const size_t lo = offsetof(struct wave, s[SREG_TBA]), hi = offsetof(struct wave, s[SREG_M0]);

    if (u->sel[i] != UB_WAVE || u->off[i] >= hi || u->off[i] + 4 * u->width[i] <= lo)
        return false;
    report_hidden(w, u);
    return true;
}

/* The value of a computed source; 32-bit reads of an aperture take its upper half. */
static uint64_t scalar_special(const struct wave *w, const struct uop *u, unsigned i)
{
    unsigned n = u->in->src[i - UOP_A];

    if (n >= OPD_SHARED_BASE && n < OPD_POPS_ID)
        return u->width[i] == 1 ? special(w, n) >> 32 : special(w, n);
    if (n != OPD_VCCZ && n != OPD_EXECZ && n != OPD_SCC)
        loud_report(w->loud, LOUD_OTHER, u->pc_va, "source %u of %s at 0x%llx", n,
                    isa_rows[u->in->op].id, (unsigned long long)u->pc_va);
    return special(w, n);
}

const struct uop *isa_wrap_salu(struct wave *w, const struct uop *u)
{
    bool user = u->flags & UF_TRAP && !isa_in_trap(w);
    const struct uop *next;
    uint64_t value[UOP_OPERANDS] = {0};
    struct uop t;

    if (user || u->flags & UF_SPECIAL) {
        t = *u;
        for (unsigned i = 0; i < UOP_C; i++) {
            bool computed = i != UOP_DST && u->width[i] && u->sel[i] == UB_WAVE &&
                            isa_is_special(u->in->src[i - UOP_A]);

            if (computed)
                value[i] = scalar_special(w, u, i);
            else if (!user || !hidden(w, u, i))
                continue;
            t.sel[i] = UB_ABS;
            t.off[i] = (uint64_t)(uintptr_t)(i == UOP_DST ? (void *)w->priv.none : &value[i]);
        }
        next = u->base(w, &t);
        next = next == &t + 1 ? u + 1 : next;
    } else {
        next = u->base(w, u);
    }
    if (u->flags & UF_EXEC)
        wave_set_exec(w, wave_exec(w));
    return next;
}

/* Memory, images, exports: their code is the host's, in the host's float mode. A body that moves
 * the PC back (it must wait) leaves the loop. */
const struct uop *isa_wrap_host(struct wave *w, const struct uop *u)
{
    uint64_t next_va = u->pc_va + 4 * (uint64_t)u->in->ndw;

    w->insn_va = u->pc_va;
    w->pc_va = next_va;
    if (w->priv.mxcsr_host != w->priv.mxcsr32)
        _mm_setcsr(w->priv.mxcsr_host);
    u->base(w, u);
    if (w->priv.mxcsr_host != w->priv.mxcsr32)
        _mm_setcsr(w->priv.mxcsr32);
    if (w->state != WAVE_READY)
        return NULL;
    if (w->pc_va != next_va) {
        w->priv.yield = true;
        return NULL;
    }
    return u + 1;
}

/* Loads and stores that only move data: no float mode matters. */
const struct uop *isa_wrap_move(struct wave *w, const struct uop *u)
{
    w->insn_va = u->pc_va;
    w->pc_va = u->pc_va + 4 * (uint64_t)u->in->ndw;
    u->base(w, u);
    return u + 1;
}

/* ---- what cannot be executed ------------------------------------------------------------- */

const struct uop *isa_not_yet(struct wave *w, const struct uop *u)
{
    loud_report(w->loud, LOUD_OPCODE, u->in->op, "%s at 0x%llx: not yet",
                isa_rows[u->in->op].id, (unsigned long long)u->pc_va);
    return isa_halt(w, u, "an instruction that is not yet implemented");
}

const struct uop *isa_illegal(struct wave *w, const struct uop *u)
{
    loud_report(w->loud, LOUD_OPCODE, (uint64_t)u->in->dw[0] << 32, "0x%08x at 0x%llx is no "
                "instruction of this generation", u->in->dw[0], (unsigned long long)u->pc_va);
    return isa_halt(w, u, "an illegal instruction");
}

const struct uop *isa_fetch_fault(struct wave *w, const struct uop *u)
{
    struct mem_who who = {MEM_FETCH, u->pc_va, w->id};

    mem_fault_record(w->vm, u->pc_va, 4, false, &who);
    return isa_halt(w, u, "instruction fetch from unmapped memory");
}

/* From the end of one piece of decoded code to the next: not an instruction. */
const struct uop *isa_goto(struct wave *w, const struct uop *u)
{
    w->priv.uncounted++;
    return isa_jump(w, u);
}
