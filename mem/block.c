/* block: texels of elements that hold more than one: BC1 to BC5, BC6 and BC7 (bptc.c), pairs of texels
 * that share their chroma (GB_GR, BG_RG), bitmaps.
 *
 *   BC1, BC2, BC3  colours in 8 bits; those between the ends as AMD's texture units are known to compute
 *                  them: 43/64 and 21/64 in place of 2/3 and 1/3, halves rounded up (docs/errata.md, E-bc)
 *   BC4, BC5       and the alpha of BC3: the exact quotient, rounded once
 *   GB_GR, BG_RG   bytes R G0 B G1 and G0 R G1 B: R and B are both texels', no interpolation
 *   1, 1_REVERSED  eight texels a byte, the first in the lowest or the highest bit
 *
 * All arithmetic is on integers, as in format.c.
 * Sources: Khronos Data Format Specification (S3TC, RGTC, BPTC); Direct3D 10 (R8G8_B8G8_UNORM);
 * comparisons of decoders by the authors of open texture encoders. */
#include "mem/block.h"

#define ONE_F 0x3f800000u

/* n / d as a float, correctly rounded; n <= d < 2^20. */
static uint32_t ratio_to_f32(uint32_t n, uint32_t d)
{
    uint64_t q = ((uint64_t)n << 43) / d, rest = ((uint64_t)n << 43) % d, half, low;
    unsigned top, drop;
    uint32_t m;

    if (!n)
        return 0;
    top = 63 - (unsigned)__builtin_clzll(q);
    drop = top - 23; /* n / d >= 2^-20: 24 bits are there */
    m = (uint32_t)(q >> drop);
    low = q & ((UINT64_C(1) << drop) - 1);
    half = drop ? UINT64_C(1) << (drop - 1) : 0;
    if (drop && (low > half || (low == half && (rest || (m & 1)))))
        m++;
    return ((127 + top - 43) << 23) + m - 0x800000;
}

/* ---- colours of BC1 to BC3 --------------------------------------------------------------------- */

static unsigned between(unsigned a, unsigned b)
{
    return (a * 43 + b * 21 + 32) >> 6;
}

/* Colour of texel t, 8 bits each; alpha 0 for the transparent code of BC1, else 255. */
static void colour(const uint8_t *b, unsigned t, bool always_four, uint8_t rgba[4])
{
    const unsigned c0 = load_le16(b), c1 = load_le16(b + 2), index = load_le32(b + 4) >> (2 * t) & 3;
    const bool four = always_four || c0 > c1;
    static const uint8_t shift[3] = { 11, 5, 0 }, width[3] = { 5, 6, 5 };

    rgba[3] = !four && index == 3 ? 0 : 255;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned n = width[i], mask = (1u << n) - 1;
        unsigned a = c0 >> shift[i] & mask, c = c1 >> shift[i] & mask, v = 0;

        a = a << (8 - n) | a >> (2 * n - 8);
        c = c << (8 - n) | c >> (2 * n - 8);
        switch (index) {
        case 0: v = a; break;
        case 1: v = c; break;
        case 2: v = four ? between(a, c) : (a + c + 1) >> 1; break;
        default: v = four ? between(c, a) : 0; break;
        }
        rgba[i] = (uint8_t)v;
    }
}

/* ---- one channel of BC3 to BC5 ------------------------------------------------------------------- */

static uint32_t channel(const uint8_t *b, unsigned t, bool is_signed)
{
    const uint32_t index = (uint32_t)(load_le64(b) >> (16 + 3 * t)) & 7;
    int32_t e0 = b[0], e1 = b[1], v, top = 255;
    unsigned d = 1;

    if (is_signed) {
        top = 127;
        e0 = (int8_t)b[0] == -128 ? -127 : (int8_t)b[0];
        e1 = (int8_t)b[1] == -128 ? -127 : (int8_t)b[1];
    }
    if (index == 0) {
        v = e0;
    } else if (index == 1) {
        v = e1;
    } else if (is_signed ? (int8_t)b[0] > (int8_t)b[1] : b[0] > b[1]) {
        d = 7;
        v = e0 * (8 - (int32_t)index) + e1 * ((int32_t)index - 1);
    } else if (index < 6) {
        d = 5;
        v = e0 * (6 - (int32_t)index) + e1 * ((int32_t)index - 1);
    } else {
        v = index == 7 ? top : is_signed ? -top : 0;
    }
    return (v < 0 ? 0x80000000u : 0) | ratio_to_f32((uint32_t)(v < 0 ? -v : v), (uint32_t)top * d);
}

/* ---- the functions ------------------------------------------------------------------------------- */

static uint32_t code_to_f32(uint8_t v, bool srgb)
{
    return srgb ? mem_srgb_table[v] : mem_unorm8_table[v];
}

static void colour_to_f32(const uint8_t rgba[4], bool srgb, uint32_t out[4])
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = code_to_f32(rgba[i], srgb && i < 3);
}

static void bc1(const uint8_t *b, unsigned t, enum mem_num num, uint32_t out[4])
{
    uint8_t rgba[4];

    colour(b, t, false, rgba);
    colour_to_f32(rgba, num == MEM_SRGB, out);
}

static void bc2(const uint8_t *b, unsigned t, enum mem_num num, uint32_t out[4])
{
    uint8_t rgba[4];

    colour(b + 8, t, true, rgba);
    rgba[3] = (uint8_t)(17 * (b[t / 2] >> (4 * (t & 1)) & 15));
    colour_to_f32(rgba, num == MEM_SRGB, out);
}

static void bc3(const uint8_t *b, unsigned t, enum mem_num num, uint32_t out[4])
{
    uint8_t rgba[4];

    colour(b + 8, t, true, rgba);
    colour_to_f32(rgba, num == MEM_SRGB, out);
    out[3] = channel(b, t, false);
}

static void bc4(const uint8_t *b, unsigned t, enum mem_num num, uint32_t out[4])
{
    out[0] = channel(b, t, num == MEM_SNORM);
    out[1] = out[2] = 0;
    out[3] = ONE_F;
}

static void bc5(const uint8_t *b, unsigned t, enum mem_num num, uint32_t out[4])
{
    bc4(b, t, num, out);
    out[1] = channel(b + 8, t, num == MEM_SNORM);
}

static void bc6(const uint8_t *b, unsigned t, enum mem_num num, uint32_t out[4])
{
    uint16_t rgb[3];

    mem_bc6_texel(b, t, num == MEM_SNORM, rgb);
    for (unsigned i = 0; i < 3; i++)
        out[i] = mem_f16_to_f32(rgb[i]);
    out[3] = ONE_F;
}

static void bc7(const uint8_t *b, unsigned t, enum mem_num num, uint32_t out[4])
{
    uint8_t rgba[4];

    mem_bc7_texel(b, t, rgba);
    colour_to_f32(rgba, num == MEM_SRGB, out);
}

/* Bytes as a format of one component of 8 bits reads them. */
static void pair(uint8_t r, uint8_t g, uint8_t b, enum mem_num num, uint32_t out[4])
{
    const mem_unpack_fn unpack = mem_unpacker((struct mem_format){ MEM_LAYOUT_8_8_8_8, num });
    const uint8_t texel[4] = { r, g, b, 0 };

    unpack(texel, out);
    out[3] = num == MEM_UINT || num == MEM_SINT ? 1 : ONE_F;
}

static void gb_gr(const uint8_t *b, unsigned t, enum mem_num num, uint32_t out[4])
{
    pair(b[0], b[t & 1 ? 3 : 1], b[2], num, out);
}

static void bg_rg(const uint8_t *b, unsigned t, enum mem_num num, uint32_t out[4])
{
    pair(b[1], b[t & 1 ? 2 : 0], b[3], num, out);
}

static void bitmap(const uint8_t *b, unsigned shift, enum mem_num num, uint32_t out[4])
{
    const uint32_t one = num == MEM_UINT ? 1 : ONE_F;

    out[0] = *b >> shift & 1 ? one : 0;
    out[1] = out[2] = 0;
    out[3] = one;
}

#define FN(name, num)                                                                            \
    static void name##_##num(const void *block, unsigned x, unsigned y, uint32_t out[4])          \
    {                                                                                             \
        name(block, (x & 3) + 4 * (y & 3), MEM_##num, out);                                       \
    }
FN(bc1, UNORM) FN(bc1, SRGB) FN(bc2, UNORM) FN(bc2, SRGB) FN(bc3, UNORM) FN(bc3, SRGB)
FN(bc4, UNORM) FN(bc4, SNORM) FN(bc5, UNORM) FN(bc5, SNORM) FN(bc6, UNORM) FN(bc6, SNORM)
FN(bc7, UNORM) FN(bc7, SRGB)
FN(gb_gr, UNORM) FN(gb_gr, SNORM) FN(gb_gr, SRGB) FN(gb_gr, UINT) FN(gb_gr, SINT)
FN(gb_gr, USCALED) FN(gb_gr, SSCALED)
FN(bg_rg, UNORM) FN(bg_rg, SNORM) FN(bg_rg, SRGB) FN(bg_rg, UINT) FN(bg_rg, SINT)
FN(bg_rg, USCALED) FN(bg_rg, SSCALED)

#define BITMAP(name, shift, num)                                                                 \
    static void name##_##num(const void *block, unsigned x, unsigned y, uint32_t out[4])          \
    {                                                                                             \
        bitmap(block, shift, MEM_##num, out);                                                     \
    }
BITMAP(bits, x & 7, UNORM) BITMAP(bits, x & 7, UINT)
BITMAP(reversed, 7 - (x & 7), UNORM) BITMAP(reversed, 7 - (x & 7), UINT)

static const mem_block_fn functions[MEM_LAYOUT_COUNT][MEM_NUM_COUNT] = {
#define HAS(layout, name, num) [MEM_LAYOUT_##layout][MEM_##num] = name##_##num
    HAS(BC1, bc1, UNORM), HAS(BC1, bc1, SRGB), HAS(BC2, bc2, UNORM), HAS(BC2, bc2, SRGB),
    HAS(BC3, bc3, UNORM), HAS(BC3, bc3, SRGB), HAS(BC4, bc4, UNORM), HAS(BC4, bc4, SNORM),
    HAS(BC5, bc5, UNORM), HAS(BC5, bc5, SNORM), HAS(BC6, bc6, UNORM), HAS(BC6, bc6, SNORM),
    HAS(BC7, bc7, UNORM), HAS(BC7, bc7, SRGB),
    HAS(GB_GR, gb_gr, UNORM), HAS(GB_GR, gb_gr, SNORM), HAS(GB_GR, gb_gr, SRGB),
    HAS(GB_GR, gb_gr, UINT), HAS(GB_GR, gb_gr, SINT), HAS(GB_GR, gb_gr, USCALED),
    HAS(GB_GR, gb_gr, SSCALED),
    HAS(BG_RG, bg_rg, UNORM), HAS(BG_RG, bg_rg, SNORM), HAS(BG_RG, bg_rg, SRGB),
    HAS(BG_RG, bg_rg, UINT), HAS(BG_RG, bg_rg, SINT), HAS(BG_RG, bg_rg, USCALED),
    HAS(BG_RG, bg_rg, SSCALED),
    HAS(1, bits, UNORM), HAS(1, bits, UINT), HAS(1_REVERSED, reversed, UNORM),
    HAS(1_REVERSED, reversed, UINT),
};

mem_block_fn mem_block_unpacker(struct mem_format f)
{
    return (unsigned)f.layout < MEM_LAYOUT_COUNT && (unsigned)f.num < MEM_NUM_COUNT
               ? functions[f.layout][f.num] : NULL;
}
