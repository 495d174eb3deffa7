/* exec_misc.c: instructions that are no matter of one lane: lane reads and writes, relative
 * registers. */
#include "isa/control.h"
#include "isa/lane.h"

/* ---- registers by number ----------------------------------------------------------------- */

static void beyond(struct wave *w, const struct uop *u, const char *what, unsigned n)
{
    loud_report(w->loud, LOUD_OTHER, u->pc_va, "%s at 0x%llx uses %s%u, beyond the allocation",
                isa_rows[u->in->op].id, (unsigned long long)u->pc_va, what, n);
}

const uint32_t *isa_vgpr(struct wave *w, const struct uop *u, unsigned n)
{
    static const uint32_t zero[64] __attribute__((aligned(64)));

    if (n < w->num_vgprs)
        return w->v + 64 * (size_t)n;
    beyond(w, u, "v", n);
    return w->num_vgprs ? w->v : zero;
}

uint32_t *isa_vgpr_out(struct wave *w, const struct uop *u, unsigned n)
{
    if (n < w->num_vgprs)
        return w->v + 64 * (size_t)n;
    beyond(w, u, "v", n);
    return w->priv.none;
}

static bool sgpr_ok(const struct wave *w, unsigned n)
{
    return n < w->num_sgprs || (n >= SREG_FLAT_SCRATCH && n < SREG_CONST);
}

uint32_t isa_sgpr(struct wave *w, const struct uop *u, unsigned n)
{
    if (sgpr_ok(w, n))
        return w->s[n];
    beyond(w, u, "s", n);
    return w->s[0];
}

void isa_sgpr_write(struct wave *w, const struct uop *u, unsigned n, uint32_t v)
{
    if (!sgpr_ok(w, n)) {
        beyond(w, u, "s", n);
        return;
    }
    w->s[n] = v;
    if (n >= SREG_EXEC)
        wave_set_exec(w, wave_exec(w));
}

uint64_t isa_sgpr64(struct wave *w, const struct uop *u, unsigned n)
{
    return isa_sgpr(w, u, n) | (uint64_t)isa_sgpr(w, u, n + 1) << 32;
}

void isa_sgpr_write64(struct wave *w, const struct uop *u, unsigned n, uint64_t v)
{
    isa_sgpr_write(w, u, n, (uint32_t)v);
    isa_sgpr_write(w, u, n + 1, (uint32_t)(v >> 32));
}

/* A scalar source of a vector instruction, 32 bits. */
static uint32_t scalar_value(struct wave *w, const struct uop *u, unsigned opd)
{
    uint64_t v;

    if (isa_constant(u->in, opd, T_B32, &v))
        return (uint32_t)v;
    return isa_sgpr(w, u, opd & 0x7f);
}

/* ---- lanes ------------------------------------------------------------------------------- */

const struct uop *op_v_nop(struct wave *w, const struct uop *u)
{
    return u + 1;
}

const struct uop *op_v_clrexcp(struct wave *w, const struct uop *u)
{
    w->trapsts &= ~0x1ffu; /* EXCP */
    return u + 1;
}

const struct uop *op_v_readlane_b32(struct wave *w, const struct uop *u)
{
    const struct insn *in = u->in;
    unsigned lane = scalar_value(w, u, in->src[1]) & 63;
    uint32_t v = in->src[0] >= OPD_VGPR0 ? isa_vgpr(w, u, in->src[0] - OPD_VGPR0)[lane]
                                         : scalar_value(w, u, in->src[0]);

    isa_sgpr_write(w, u, in->dst, v);
    return u + 1;
}

const struct uop *op_v_readfirstlane_b32(struct wave *w, const struct uop *u)
{
    const struct insn *in = u->in;
    uint64_t exec = wave_exec(w);
    unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
    uint32_t v = in->src[0] >= OPD_VGPR0 ? isa_vgpr(w, u, in->src[0] - OPD_VGPR0)[lane]
                                         : scalar_value(w, u, in->src[0]);

    isa_sgpr_write(w, u, in->dst, v);
    return u + 1;
}

const struct uop *op_v_writelane_b32(struct wave *w, const struct uop *u)
{
    const struct insn *in = u->in;
    unsigned lane = scalar_value(w, u, in->src[1]) & 63;

    isa_vgpr_out(w, u, in->dst - OPD_VGPR0)[lane] = scalar_value(w, u, in->src[0]);
    return u + 1;
}

const struct uop *op_v_swap_b32(struct wave *w, const struct uop *u)
{
    uint32_t *a = isa_vgpr_out(w, u, u->in->dst - OPD_VGPR0);
    uint32_t *b = isa_vgpr_out(w, u, u->in->src[0] - OPD_VGPR0);

    for (unsigned l = 0; l < 64; l++) {
        uint32_t x = (a[l] ^ b[l]) & w->lane_mask[l];

        a[l] ^= x;
        b[l] ^= x;
    }
    return u + 1;
}

/* v_movrels, v_movreld, v_movrelsd: the source, the destination, or both move by M0. */
const struct uop *op_v_movrel_b32(struct wave *w, const struct uop *u)
{
    const struct insn *in = u->in;
    uint32_t m0 = w->s[SREG_M0], src[64];
    unsigned d = in->dst - OPD_VGPR0;
    uint32_t *dst;

    if (in->op != I_V_MOVRELS_B32)
        d += m0;
    if (in->src[0] >= OPD_VGPR0) {
        unsigned s = in->src[0] - OPD_VGPR0 + (in->op != I_V_MOVRELD_B32 ? m0 : 0);

        memcpy(src, isa_vgpr(w, u, s), sizeof src);
    } else {
        uint32_t v = scalar_value(w, u, in->src[0]);

        for (unsigned l = 0; l < 64; l++)
            src[l] = v;
    }
    dst = isa_vgpr_out(w, u, d);
    for (unsigned l = 0; l < 64; l++)
        dst[l] = (src[l] & w->lane_mask[l]) | (dst[l] & ~w->lane_mask[l]);
    return u + 1;
}

/* A dword of a source of up to four registers; constants fill the first. */
static uint32_t wide_source(struct wave *w, const struct uop *u, unsigned opd, unsigned i,
                            unsigned lane)
{
    uint64_t v;

    if (opd >= OPD_VGPR0)
        return isa_vgpr(w, u, opd - OPD_VGPR0 + i)[lane];
    if (isa_constant(u->in, opd, T_B64, &v))
        return i < 2 ? (uint32_t)(v >> (32 * i)) : 0;
    return isa_sgpr(w, u, opd + i);
}

const struct uop *op_v_mqsad_u32_u8(struct wave *w, const struct uop *u)
{
    const struct insn *in = u->in;

    for (unsigned l = 0; l < 64; l++) {
        uint64_t a;
        uint32_t b, r[4];

        if (!w->lane_mask[l])
            continue;
        a = wide_source(w, u, in->src[0], 0, l) |
            (uint64_t)wide_source(w, u, in->src[0], 1, l) << 32;
        b = wide_source(w, u, in->src[1], 0, l);
        for (unsigned i = 0; i < 4; i++) {
            uint32_t c = wide_source(w, u, in->src[2], i, l);
            uint32_t s = lane_msad_u8((uint32_t)(a >> (8 * i)), b) + c;

            r[i] = in->clamp && w->fm.int_clamp && s < c ? UINT32_MAX : s;
        }
        for (unsigned i = 0; i < 4; i++)
            isa_vgpr_out(w, u, in->dst - OPD_VGPR0 + i)[l] = r[i];
    }
    return u + 1;
}
