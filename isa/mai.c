/* mai.c: the matrix instructions of gfx908 and its accumulation VGPRs.
 *
 * A row of mai.def says M, N, K, blocks; where an element lies follows from them:
 *
 *   A   row i, column k of block b: lane i + M (b + blocks (k / L)), k mod L of the L elements that a
 *       lane holds of it (B: row k, column j, the same with j and N)
 *   D   (C likewise) rows go in groups of four, one register a row. Group g of all groups of all
 *       blocks, the first block's first, is in lanes N (g mod P) .. and registers 4 (g / P) .., where P =
 *       64 / N groups fit side by side; a lane of them is a column
 *
 * Arithmetic: f32 is a chain of FMAs, k ascending; halves and bf16 add the L products of a lane and
 * the sum so far exactly and round once, lane after lane; nearest even whatever MODE says, denormals kept
 * (docs/errata.md, E-mfma). Integers wrap. EXEC is ignored, but not by the moves.
 *
 * Sources: the CDNA ISA manual (layout, CBSZ, ABID, BLGP); gem5 has the same layout in other words. */
#include "isa/control.h"
#include "isa/lane_f16.h"
#include "isa/lane_f64.h"

#include <stdlib.h>

enum element { MAI_F32, MAI_F16, MAI_BF16, MAI_I8 };

struct shape {
    uint8_t element, m, n, k, blocks;
};

#define NA 0
#define S1(...)
#define S3(...)

/* A shape of zeros: no matrix instruction. */
static const struct shape *shape_of(unsigned op)
{
    static const struct shape shapes[] = {
#define MFMA(type, m, n, k, blocks) {MAI_##type, m, n, k, blocks}
#define CALL(f)                     {0, 0, 0, 0, 0}
#define OP(enc, id, g6, g7, g8, g9, dst, src, flags, rate, ...) \
    [I_##id - I_V_MFMA_F32_32X32X1F32] = __VA_ARGS__,
#include "isa/mai.def"
#undef OP
#undef MFMA
#undef CALL
    };

    return &shapes[op - I_V_MFMA_F32_32X32X1F32];
}

/* ---- registers --------------------------------------------------------------------------- */

enum { ACC_BYTES = 256 * 64 * 4 };

static uint32_t *acc_register(struct wave *w, const struct uop *u, unsigned n)
{
    if (!w->acc) {
        w->acc = aligned_alloc(64, ACC_BYTES);
        if (!w->acc)
            abort();
        memset(w->acc, 0, ACC_BYTES);
    }
    if (n < w->num_vgprs)
        return w->acc + 64 * (size_t)n;
    loud_report(w->loud, LOUD_OTHER, u->pc_va, "%s at 0x%llx uses a%u, beyond the allocation",
                isa_rows[u->in->op].id, (unsigned long long)u->pc_va, n);
    return NULL;
}

/* 64 dwords of register `i` of a source: a VGPR of either kind, or a constant, spread into `room`. */
static const uint32_t *source(struct wave *w, const struct uop *u, unsigned opd, unsigned i,
                              uint32_t room[64])
{
    uint64_t v = 0;

    if (opd >= OPD_AGPR0) {
        const uint32_t *r = acc_register(w, u, opd - OPD_AGPR0 + i);

        if (r)
            return r;
    } else if (opd >= OPD_VGPR0) {
        return isa_vgpr(w, u, opd - OPD_VGPR0 + i);
    } else {
        isa_constant(u->in, opd, T_B32, &v);
    }
    for (unsigned l = 0; l < 64; l++)
        room[l] = (uint32_t)v;
    return room;
}

const struct uop *op_v_accvgpr_read_b32(struct wave *w, const struct uop *u)
{
    uint32_t room[64];
    const uint32_t *s = source(w, u, u->in->src[0], 0, room);
    uint32_t *d = isa_vgpr_out(w, u, u->in->dst - OPD_VGPR0);

    for (unsigned l = 0; l < 64; l++)
        d[l] ^= (d[l] ^ s[l]) & w->lane_mask[l];
    return u + 1;
}

const struct uop *op_v_accvgpr_write_b32(struct wave *w, const struct uop *u)
{
    uint32_t room[64];
    const uint32_t *s = source(w, u, u->in->src[0], 0, room);
    uint32_t *d = acc_register(w, u, u->in->dst - OPD_AGPR0);

    for (unsigned l = 0; d && l < 64; l++)
        d[l] ^= (d[l] ^ s[l]) & w->lane_mask[l];
    return u + 1;
}

/* ---- the exact sum ----------------------------------------------------------------------- */

/* Terms are multiples of 2^-SUM_POINT; the largest product, of bf16, is below 2^257. */
enum { SUM_LIMBS = 20, SUM_POINT = 320, SUM_DENORM = SUM_POINT - 149 };

static void sum_add(int64_t limb[SUM_LIMBS], double t)
{
    uint64_t u = f64_bits(t), m = (u & UINT64_C(0xfffffffffffff)) | UINT64_C(1) << 52;
    int at = (int)(u >> 52 & 0x7ff) - 1023 - 52 + SUM_POINT;
    unsigned __int128 v;

    if (t == 0)
        return;
    v = (unsigned __int128)m << (at & 31);
    for (int i = at / 32; v; i++, v >>= 32)
        limb[i] += u >> 63 ? -(int64_t)(uint32_t)v : (int64_t)(uint32_t)v;
}

/* Limbs of 32 bits; returns what is left above them: 0, or -1 for a negative sum. */
static int64_t sum_carry(int64_t limb[SUM_LIMBS])
{
    int64_t c = 0;

    for (unsigned i = 0; i < SUM_LIMBS; i++) {
        c += limb[i];
        limb[i] = c & 0xffffffff;
        c >>= 32;
    }
    return c;
}

static unsigned sum_bit(const int64_t limb[SUM_LIMBS], int i)
{
    return (unsigned)(limb[i / 32] >> (i % 32)) & 1;
}

/* The finite terms' sum, rounded once to the nearest float, ties to even. */
static uint32_t sum_round(const double *t, unsigned n)
{
    int64_t limb[SUM_LIMBS] = {0};
    bool minus_zero = true, sticky = false, negative;
    int top = 32 * SUM_LIMBS - 1, low;
    uint32_t q = 0, r;

    for (unsigned i = 0; i < n; i++) {
        sum_add(limb, t[i]);
        minus_zero &= f64_bits(t[i]) == ~LANE_MAG64;
    }
    negative = sum_carry(limb) < 0;
    if (negative) {
        for (unsigned i = 0; i < SUM_LIMBS; i++)
            limb[i] = -limb[i];
        sum_carry(limb);
    }
    while (top >= 0 && !sum_bit(limb, top))
        top--;
    if (top < 0)
        return minus_zero ? 0x80000000u : 0;
    low = MAX2(top - 23, SUM_DENORM);
    for (int i = top; i >= low; i--)
        q = q << 1 | sum_bit(limb, i);
    for (int i = 0; i < low - 1; i++)
        sticky |= sum_bit(limb, i);
    q += sum_bit(limb, low - 1) & ((q & 1) | sticky);
    r = q + ((uint32_t)(low - SUM_DENORM) << 23);
    return MIN2(r, LANE_INF32) | (uint32_t)negative << 31;
}

/* c + a[0] b[0] + ... + a[n - 1] b[n - 1]. */
static float sum_products(const float *a, const float *b, unsigned n, float c)
{
    double t[8], s = c;

    for (unsigned i = 0; i < n; i++) {
        if (lane_isnan(a[i]) || lane_isnan(b[i]))
            return lane_quiet(lane_isnan(a[i]) ? a[i] : b[i]);
        t[i] = (double)a[i] * b[i];
        s += t[i];
    }
    if (lane_isnan(c))
        return lane_quiet(c);
    if (s != s) /* infinity times zero, infinity less infinity */
        return bits_f32(LANE_NAN32);
    if (fabs(s) == bits_f64(LANE_INF64))
        return (float)s;
    t[n] = c;
    return bits_f32(sum_round(t, n + 1));
}

/* ---- matrices ---------------------------------------------------------------------------- */

/* The lane whose B is read for lane l. */
static unsigned blgp_lane(unsigned blgp, unsigned l)
{
    switch (blgp) {
    case 0:
        return l;
    case 1: /* the first 32 lanes for all */
        return l & 31;
    case 2:
        return 32 | (l & 31);
    case 3: /* rotated by 16 */
        return (l + 16) & 63;
    default: /* one group of 16 for all */
        return 16 * (blgp - 4) | (l & 15);
    }
}

static unsigned elements_of(const struct shape *s)
{
    static const uint8_t per_lane[] = {
        [MAI_F32] = 1, [MAI_F16] = 4, [MAI_BF16] = 2, [MAI_I8] = 4};

    return per_lane[s->element];
}

/* Elements of A or B that lane l holds, as floats (bytes: as integers). */
static void elements(const struct shape *s, const uint32_t *const reg[2], unsigned l, float out[4])
{
    for (unsigned i = 0; i < elements_of(s); i++) {
        switch (s->element) {
        case MAI_F32:
            out[i] = bits_f32(reg[0][l]);
            break;
        case MAI_F16:
            out[i] = lane_f32_from_f16(reg[i / 2][l] >> (16 * (i & 1)) & 0xffff, true);
            break;
        case MAI_BF16:
            out[i] = bits_f32(i ? reg[0][l] & 0xffff0000u : reg[0][l] << 16);
            break;
        default:
            out[i] = (float)(int8_t)(reg[0][l] >> (8 * i));
        }
    }
}

static uint32_t multiply_add(const struct shape *s, const float *a, const float *b, uint32_t c)
{
    unsigned n = elements_of(s);

    if (s->element == MAI_I8) {
        for (unsigned i = 0; i < n; i++)
            c += (uint32_t)((int32_t)a[i] * (int32_t)b[i]);
        return c;
    }
    if (s->element == MAI_F32)
        return f32_bits(lane_fma_f32(a[0], b[0], bits_f32(c)));
    return f32_bits(sum_products(a, b, n, bits_f32(c)));
}

const struct uop *op_v_mfma(struct wave *w, const struct uop *u)
{
    const struct insn *in = u->in;
    const struct shape *s = shape_of(in->op);
    unsigned side = 64 / s->n, registers = s->m * s->n * s->blocks / 64;
    unsigned share = 1u << in->cbsz, steps = s->k / elements_of(s);
    uint32_t room[64], d[32][64];
    float a[64][4], b[64][4];
    const uint32_t *ra[2], *rb[2];
    uint32_t room_a[2][64], room_b[2][64];

    if (share > s->blocks) {
        loud_report(w->loud, LOUD_OTHER, u->pc_va, "%s at 0x%llx: cbsz:%u, but %u blocks",
                    isa_rows[in->op].id, (unsigned long long)u->pc_va, in->cbsz, s->blocks);
        share = s->blocks;
    }
    for (unsigned i = 0; i < 2; i++) {
        bool used = s->element == MAI_F16 || !i;

        ra[i] = used ? source(w, u, in->src[0], i, room_a[i]) : NULL;
        rb[i] = used ? source(w, u, in->src[1], i, room_b[i]) : NULL;
    }
    for (unsigned l = 0; l < 64; l++) {
        elements(s, ra, l, a[l]);
        elements(s, rb, blgp_lane(in->blgp, l), b[l]);
    }
    for (unsigned r = 0; r < registers; r++)
        memcpy(d[r], source(w, u, in->src[2], r, room), sizeof d[r]);
    for (unsigned r = 0; r < registers; r++) {
        for (unsigned l = 0; l < 64; l++) {
            unsigned group = r / 4 * side + l / s->n, block = group / (s->m / 4);
            unsigned row = group % (s->m / 4) * 4 + r % 4, column = l % s->n;
            /* A of one block of each `share` is A of them all. */
            unsigned of = (block & ~(share - 1)) | (in->abid & (share - 1));

            for (unsigned step = 0; step < steps; step++)
                d[r][l] = multiply_add(s, a[row + s->m * (of + s->blocks * step)],
                                       b[column + s->n * (block + s->blocks * step)], d[r][l]);
        }
    }
    for (unsigned r = 0; r < registers; r++) {
        uint32_t *out = acc_register(w, u, in->dst - OPD_AGPR0 + r);

        if (out)
            memcpy(out, d[r], sizeof d[r]);
    }
    return u + 1;
}

/* ---- the rows ---------------------------------------------------------------------------- */

static const struct isa_body rows[] = {
#define MFMA(...) op_v_mfma
#define CALL(f)   op_##f
#define OP(enc, id, g6, g7, g8, g9, dst, src, flags, rate, ...) {I_##id, __VA_ARGS__, true},
#include "isa/mai.def"
};

const struct isa_body_table isa_body_mai = {rows, ARRAY_LEN(rows)};
