/* interp.c: v_interp_*: parameters from LDS (their layout: isa.h) and barycentric coordinates.
 *
 * P1 is P0 + i * P10, P2 adds j * P20. Each step is a multiply and an add as in v_mad_f32: the
 * ISA manuals write them so, and denormals are flushed. */
#include "isa/body.h"
#include "isa/control.h"

#include <xmmintrin.h>

#define WIDE __attribute__((aligned(VEC_BYTES)))

/* The dword of a parameter for each lane. */
static void params(struct wave *w, const struct uop *u, unsigned param, uint32_t out[64])
{
    uint32_t m0 = w->s[SREG_M0], prim = 0;
    unsigned prims = isa_param_prims(m0);
    bool bad = false;

    if (prims == 1) { /* no quad begins another primitive: one dword for all */
        uint64_t at = bits(m0, 0, 15) + isa_param_offset(u->in->attr, 1, 0, param,
                                                         u->in->attr_chan);

        if (w->lds && at + 4 <= w->lds_bytes) {
            vec_u32 all = (vec_u32){0} + load_le32(w->lds + at);

            for (unsigned i = 0; i < VEC_COUNT; i++)
                ((vec_u32 *)out)[i] = all;
            return;
        }
    }
    for (unsigned q = 0; q < 16; q++) {
        uint64_t at;
        uint32_t v = 0;

        if (q && m0 >> (15 + q) & 1)
            prim++;
        at = bits(m0, 0, 15) + isa_param_offset(u->in->attr, prims, prim, param,
                                                u->in->attr_chan);
        if (w->lds && at + 4 <= w->lds_bytes)
            v = load_le32(w->lds + at);
        else
            bad |= w->lane_mask[4 * q] != 0;
        for (unsigned l = 0; l < 4; l++)
            out[4 * q + l] = v;
    }
    if (bad)
        loud_report(w->loud, LOUD_OTHER, u->pc_va,
                    "%s at 0x%llx: attribute %u lies outside the wave's LDS",
                    isa_rows[u->in->op].id, (unsigned long long)u->pc_va, u->in->attr);
}

/* An operand that may be a VGPR only. */
static const uint32_t *vgpr_source(struct wave *w, const struct uop *u, unsigned i)
{
    return isa_vgpr(w, u, u->in->src[i] - OPD_VGPR0);
}

static float source_f32(const struct uop *u, const uint32_t *p, unsigned l, unsigned i)
{
    uint32_t v = p[l];

    if (u->in->enc == ENC_VOP3) {
        if (u->in->abs >> i & 1)
            v &= 0x7fffffffu;
        if (u->in->neg >> i & 1)
            v ^= 0x80000000u;
    }
    return bits_f32(v);
}

/* VOP3's omod and clamp. */
static float result_f32(const struct wave *w, const struct uop *u, float v)
{
    static const float by[4] = {1, 2, 4, 0.5f};

    if (u->in->omod && !w->fm.ieee && !w->fm.out32) {
        v *= by[u->in->omod & 3];
        v = v == 0 ? 0 : v;
    }
    if (u->in->clamp)
        v = lane_isnan(v) ? (w->fm.dx10_clamp ? 0 : v) : v > 0 ? (v < 1 ? v : 1) : 0;
    return v;
}

static void store(struct wave *w, uint32_t *d, unsigned l, uint32_t v)
{
    d[l] = (v & w->lane_mask[l]) | (d[l] & ~w->lane_mask[l]);
}

/* d = a * b + c of all lanes, into those that are on; the same as lane_mad_f32 by the host's rule for
 * NaNs (body.h). */
static void mad(const struct wave *w, uint32_t *d, const uint32_t *a, const uint32_t *b,
                const uint32_t *c)
{
    for (unsigned i = 0; i < VEC_COUNT; i++) {
        vec_u32 r = (vec_u32)vec_mad_f32(((const vec_f32 *)a)[i], ((const vec_f32 *)b)[i],
                                         ((const vec_f32 *)c)[i]);
        vec_u32 old = ((const vec_u32 *)d)[i], mask = ((const vec_u32 *)w->lane_mask)[i];

        ((vec_u32 *)d)[i] = old ^ ((old ^ r) & mask);
    }
}

static bool modified(const struct insn *in)
{
    return in->abs || in->neg || in->omod || in->clamp;
}

const struct uop *op_v_interp_p1_f32(struct wave *w, const struct uop *u)
{
    const uint32_t *i = vgpr_source(w, u, 0);
    uint32_t *d = isa_vgpr_out(w, u, u->in->dst - OPD_VGPR0), p0[64] WIDE, p10[64] WIDE;

    params(w, u, 0, p0);
    params(w, u, 1, p10);
    _mm_setcsr(w->priv.mxcsr_flush);
    if (!modified(u->in)) {
        mad(w, d, p10, i, p0);
        _mm_setcsr(w->priv.mxcsr32);
        return u + 1;
    }
    for (unsigned l = 0; l < 64; l++) {
        float r = lane_mad_f32(bits_f32(p10[l]), source_f32(u, i, l, 0), bits_f32(p0[l]));

        store(w, d, l, f32_bits(result_f32(w, u, r)));
    }
    _mm_setcsr(w->priv.mxcsr32);
    return u + 1;
}

const struct uop *op_v_interp_p2_f32(struct wave *w, const struct uop *u)
{
    const uint32_t *j = vgpr_source(w, u, 0);
    uint32_t *d = isa_vgpr_out(w, u, u->in->dst - OPD_VGPR0), p20[64] WIDE;

    params(w, u, 2, p20);
    _mm_setcsr(w->priv.mxcsr_flush);
    if (!modified(u->in)) {
        mad(w, d, p20, j, d);
        _mm_setcsr(w->priv.mxcsr32);
        return u + 1;
    }
    for (unsigned l = 0; l < 64; l++) {
        float r = lane_mad_f32(bits_f32(p20[l]), source_f32(u, j, l, 0), bits_f32(d[l]));

        store(w, d, l, f32_bits(result_f32(w, u, r)));
    }
    _mm_setcsr(w->priv.mxcsr32);
    return u + 1;
}

/* The parameter itself; the immediate names it as encoded: 0 P10, 1 P20, 2 P0. */
const struct uop *op_v_interp_mov_f32(struct wave *w, const struct uop *u)
{
    static const uint8_t param[4] = {1, 2, 0, 0};
    uint32_t *d = isa_vgpr_out(w, u, u->in->dst - OPD_VGPR0), p[64] WIDE;

    params(w, u, param[u->in->imm & 3], p);
    for (unsigned l = 0; l < 64; l++)
        store(w, d, l, f32_bits(result_f32(w, u, bits_f32(p[l]))));
    return u + 1;
}

/* ---- halves: parameters are packed two to a dword, the high ones with `high` -------------- */

static float half_param(const struct wave *w, const struct uop *u, uint32_t v)
{
    return lane_f32_from_f16(u->in->high ? v >> 16 : v & 0xffff, w->fm.in16);
}

const struct uop *op_v_interp_p1ll_f16(struct wave *w, const struct uop *u)
{
    const uint32_t *i = vgpr_source(w, u, 0);
    uint32_t *d = isa_vgpr_out(w, u, u->in->dst - OPD_VGPR0), p0[64] WIDE, p10[64] WIDE;

    params(w, u, 0, p0);
    params(w, u, 1, p10);
    _mm_setcsr(w->priv.mxcsr_flush);
    for (unsigned l = 0; l < 64; l++) {
        float r = lane_mad_f32(half_param(w, u, p10[l]), source_f32(u, i, l, 0),
                               half_param(w, u, p0[l]));

        store(w, d, l, f32_bits(result_f32(w, u, r)));
    }
    _mm_setcsr(w->priv.mxcsr32);
    return u + 1;
}

const struct uop *op_v_interp_p1lv_f16(struct wave *w, const struct uop *u)
{
    const uint32_t *i = vgpr_source(w, u, 0), *p0 = vgpr_source(w, u, 2);
    uint32_t *d = isa_vgpr_out(w, u, u->in->dst - OPD_VGPR0), p10[64] WIDE;

    params(w, u, 1, p10);
    _mm_setcsr(w->priv.mxcsr_flush);
    for (unsigned l = 0; l < 64; l++) {
        float c = half_param(w, u, p0[l]);
        float r;

        if (u->in->abs >> 2 & 1)
            c = fabsf(c);
        if (u->in->neg >> 2 & 1)
            c = lane_neg(c);
        r = lane_mad_f32(half_param(w, u, p10[l]), source_f32(u, i, l, 0), c);
        store(w, d, l, f32_bits(result_f32(w, u, r)));
    }
    _mm_setcsr(w->priv.mxcsr32);
    return u + 1;
}

const struct uop *op_v_interp_p2_f16(struct wave *w, const struct uop *u)
{
    const uint32_t *j = vgpr_source(w, u, 0), *acc = vgpr_source(w, u, 2);
    uint32_t *d = isa_vgpr_out(w, u, u->in->dst - OPD_VGPR0), p20[64] WIDE;
    bool keep = u->in->op == I_V_INTERP_P2_F16;

    params(w, u, 2, p20);
    _mm_setcsr(w->priv.mxcsr_flush);
    for (unsigned l = 0; l < 64; l++) {
        float r = lane_mad_f32(half_param(w, u, p20[l]), source_f32(u, j, l, 0),
                               source_f32(u, acc, l, 2));
        uint32_t h = lane_f16_from_f32(result_f32(w, u, r), w->fm.round16, w->fm.out16);

        if (keep)
            h = u->in->op_sel & 8 ? h << 16 | (d[l] & 0xffff) : h | (d[l] & 0xffff0000u);
        store(w, d, l, h);
    }
    _mm_setcsr(w->priv.mxcsr32);
    return u + 1;
}
