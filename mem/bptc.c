/* bptc: one texel of a BC6 or BC7 block.
 *
 * Nothing of a block is decoded but what its texel needs: the two ends of the texel's subset and its
 * index; where they lie follows from the mode. Reserved modes are black: BC6 with W = 1 (the caller's),
 * BC7 with A = 0.
 *
 * Source: bptc.def; arithmetic as in the Khronos Data Format Specification, which is exact. */
#include "mem/block.h"

struct partition {
    uint16_t two;
    uint8_t anchor2;
    uint32_t three;
    uint8_t anchor3[2];
};

static const struct partition partitions[64] = {
#define PARTITION(n, two, anchor, three, anchor1, anchor2)                                      \
    [n] = { two, anchor, three, { anchor1, anchor2 } },
#include "mem/bptc.def"
#undef PARTITION
};

struct block {
    uint64_t v[2];
};

static struct block load(const uint8_t b[16])
{
    return (struct block){ { load_le64(b), load_le64(b + 8) } };
}

/* n bits (0..31) from bit `at` on. */
static uint32_t take(const struct block *b, unsigned at, unsigned n)
{
    uint64_t v = b->v[at / 64 & 1] >> at % 64;

    if (at < 64 && at % 64)
        v |= b->v[1] << (64 - at % 64);
    return (uint32_t)(v & ((UINT64_C(1) << n) - 1));
}

static unsigned subset_of(unsigned subsets, unsigned partition, unsigned t)
{
    const struct partition *p = &partitions[partition];

    return subsets == 2 ? p->two >> t & 1 : subsets == 3 ? p->three >> (2 * t) & 3 : 0;
}

/* The index of texel t, of n bits, of those that begin at `at`. */
static uint32_t index_of(const struct block *b, unsigned at, unsigned n, unsigned subsets,
                         unsigned partition, unsigned t)
{
    const struct partition *p = &partitions[partition];
    const unsigned anchor[3] = { 0, subsets == 2 ? p->anchor2 : p->anchor3[0], p->anchor3[1] };
    unsigned before = 0;
    bool is_anchor = false;

    for (unsigned s = 0; s < subsets; s++) {
        before += anchor[s] < t;
        is_anchor |= anchor[s] == t;
    }
    return take(b, at + n * t - before, n - is_anchor);
}

static int32_t interpolate(int32_t from, int32_t to, uint32_t index, unsigned index_bits)
{
    static const uint8_t weights[3][16] = {
        { 0, 21, 43, 64 },
        { 0, 9, 18, 27, 37, 46, 55, 64 },
        { 0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64 },
    };
    const int32_t w = weights[index_bits - 2][index];

    return (from * (64 - w) + to * w + 32) >> 6;
}

/* ---- BC7 --------------------------------------------------------------------------------------- */

struct bc7_mode {
    uint8_t subsets, partition_bits, rotation_bits, selection_bits, colour_bits, alpha_bits;
    uint8_t p_of_end, p_of_subset, index_bits, index2_bits;
};

static const struct bc7_mode bc7_modes[8] = {
#define BC7(mode, ...) [mode] = { __VA_ARGS__ },
#include "mem/bptc.def"
#undef BC7
};

void mem_bc7_texel(const uint8_t block[16], unsigned t, uint8_t rgba[4])
{
    const struct block b = load(block);
    const unsigned mode = block[0] ? (unsigned)__builtin_ctz(block[0]) : 8;
    const struct bc7_mode *m;
    unsigned at = mode + 1, partition, rotation, selection, ends, subset, p_at, p_bits, index_at;
    uint32_t index[2];

    memset(rgba, 0, 4);
    if (mode > 7)
        return;
    m = &bc7_modes[mode];
    partition = take(&b, at, m->partition_bits), at += m->partition_bits;
    rotation = take(&b, at, m->rotation_bits), at += m->rotation_bits;
    selection = take(&b, at, m->selection_bits), at += m->selection_bits;
    ends = 2u * m->subsets;
    p_at = at + ends * (3u * m->colour_bits + m->alpha_bits);
    p_bits = m->p_of_end || m->p_of_subset;
    index_at = p_at + (m->p_of_end ? ends : m->p_of_subset ? m->subsets : 0);
    subset = subset_of(m->subsets, partition, t);
    index[0] = index[1] = index_of(&b, index_at, m->index_bits, m->subsets, partition, t);
    if (m->index2_bits) /* of alpha, or with the selection bit of the colours */
        index[!selection] = index_of(&b, index_at + 16u * m->index_bits - 1, m->index2_bits, 1, 0, t);
    for (unsigned c = 0; c < 4; c++) {
        const unsigned n = c < 3 ? m->colour_bits : m->alpha_bits, width = n + p_bits;
        const unsigned first = at + ends * (c < 3 ? c * m->colour_bits : 3u * m->colour_bits);
        int32_t end[2];

        if (!n) {
            rgba[c] = 255;
            continue;
        }
        for (unsigned e = 0; e < 2; e++) {
            uint32_t v = take(&b, first + (2 * subset + e) * n, n);

            if (p_bits)
                v = v << 1 | take(&b, p_at + (m->p_of_end ? 2 * subset + e : subset), 1);
            end[e] = (int32_t)(v << (8 - width) | v >> (2 * width - 8));
        }
        const bool second = m->index2_bits && (c < 3) == (selection != 0);

        rgba[c] = (uint8_t)interpolate(end[0], end[1], index[c == 3],
                                       second ? m->index2_bits : m->index_bits);
    }
    if (rotation) {
        uint8_t alpha = rgba[3];

        rgba[3] = rgba[rotation - 1];
        rgba[rotation - 1] = alpha;
    }
}

/* ---- BC6 --------------------------------------------------------------------------------------- */

struct bc6_field {
    uint8_t component, end, low, bits;
    bool reversed;
};

struct bc6_mode {
    bool deltas, two;
    uint8_t end_bits, index_bits, delta_bits[3];
    struct bc6_field fields[24]; /* ends with bits == 0 */
};

static const struct bc6_mode bc6_modes[32] = {
#define R_ 0
#define G_ 1
#define B_ 2
#define F(c, end, low, bits) { c##_, end, low, bits, false },
#define R(c, end, low, bits) { c##_, end, low, bits, true },
#define BC6(mode, deltas, two, end_bits, index_bits, r, g, b, ...)                              \
    [mode] = { deltas, two, end_bits, index_bits, { r, g, b }, { __VA_ARGS__ } },
#include "mem/bptc.def"
#undef BC6
#undef F
#undef R
};

static int32_t unquantise(int32_t v, unsigned n, bool is_signed)
{
    const int32_t a = v < 0 ? -v : v;
    int32_t r;

    if (n >= (is_signed ? 16 : 15))
        return v;
    if (!v)
        return 0;
    if (is_signed)
        r = a >= (1 << (n - 1)) - 1 ? 0x7fff : ((a << 15) + 0x4000) >> (n - 1);
    else
        r = a == (1 << n) - 1 ? 0xffff : ((a << 15) + 0x4000) >> (n - 1);
    return v < 0 ? -r : r;
}

/* A half: the values between the ends are scaled by 31/64 (signed: 31/32), to stop short of infinity. */
static uint16_t finish(int32_t v, bool is_signed)
{
    if (!is_signed)
        return (uint16_t)((v * 31) >> 6);
    return v < 0 ? (uint16_t)(0x8000 | (-v * 31) >> 5) : (uint16_t)((v * 31) >> 5);
}

void mem_bc6_texel(const uint8_t block[16], unsigned t, bool is_signed, uint16_t rgb[3])
{
    const struct block b = load(block);
    const unsigned mode_bits = (block[0] & 3) < 2 ? 2 : 5;
    const struct bc6_mode *m = &bc6_modes[take(&b, 0, mode_bits)];
    unsigned at = mode_bits, partition = 0, subset;
    int32_t end[4][3] = { { 0 } };
    uint32_t index;

    memset(rgb, 0, 3 * sizeof *rgb);
    if (!m->end_bits)
        return;
    for (const struct bc6_field *f = m->fields; f->bits; f++) {
        uint32_t v = take(&b, at, f->bits);

        if (f->reversed) {
            uint32_t w = 0;

            for (unsigned i = 0; i < f->bits; i++)
                w |= (v >> i & 1) << (f->bits - 1 - i);
            v = w;
        }
        end[f->end][f->component] |= (int32_t)(v << f->low);
        at += f->bits;
    }
    if (m->two)
        partition = take(&b, at, 5), at += 5;
    subset = subset_of(m->two ? 2 : 1, partition, t);
    index = index_of(&b, at, m->index_bits, m->two ? 2 : 1, partition, t);
    for (unsigned c = 0; c < 3; c++) {
        const uint32_t mask = (1u << m->end_bits) - 1;
        int32_t v[2];

        for (unsigned e = 0; e < 2; e++) {
            const unsigned which = 2 * subset + e;
            uint32_t raw = (uint32_t)end[which][c];

            if (which && m->deltas)
                raw = ((uint32_t)end[0][c] + (uint32_t)sext32(raw, m->delta_bits[c])) & mask;
            v[e] = is_signed ? sext32(raw, m->end_bits) : (int32_t)raw;
            v[e] = unquantise(v[e], m->end_bits, is_signed);
        }
        rgb[c] = finish(interpolate(v[0], v[1], index, m->index_bits), is_signed);
    }
}
