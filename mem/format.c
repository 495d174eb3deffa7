/* format: texels to components and back, for every layout and number type of formats.def.
 *
 * Used by CB (targets), by buffer_load_format and buffer_store_format, by the texture unit, and by
 * whoever turns a target into a picture. One always-inlined function per direction is expanded
 * for each (layout, number type), with everything known at compile time; callers look the result
 * up once and call through a pointer.
 *
 * All arithmetic is on integers: results do not depend on the host's rounding mode or denormal
 * flags, which follow the wave's MODE while a wave runs.
 *
 * Sources: Direct3D 11.3 functional specification 3.2 (conversion rules), OpenGL 4.6 section 2.3.4
 * (10- and 11-bit floats, shared exponents), Sea Islands ISA (layouts). Where hardware is not known
 * to round to nearest: docs/errata.md, E-format-rounding. */
#include "mem/format.h"

#define NA    (-1)
#define ONE_F 0x3f800000u
#define INF_F 0x7f800000u

/* ---- single components ------------------------------------------------------------------- */

/* v / (2^bits - 1) is the binary fraction 0.vvvv..., v repeated without end. So the leading 64 bits of
 * the quotient are a multiplication away, and what lies beyond them is never zero nor enough to
 * carry: the bit after the last kept one decides the rounding. */
static inline uint32_t unorm_to_f32(uint32_t v, unsigned bits)
{
    uint64_t fraction = (uint64_t)v << (64 - bits);
    unsigned zeros;

    if (!v)
        return 0;
    for (unsigned have = bits; have < 64; have *= 2)
        fraction |= fraction >> have;
    zeros = (unsigned)__builtin_clzll(fraction);
    fraction <<= zeros;
    return ((125 - zeros) << 23) + (uint32_t)(fraction >> 40) + (fraction >> 39 & 1);
}

/* |f| * mul, rounded to nearest even and at most `limit`; f is not NaN. mul has at most 24 bits. */
static inline uint32_t scale_f32(uint32_t f, uint32_t mul, uint32_t limit)
{
    int exponent = (int)(f >> 23 & 0xff), shift = 150 - exponent;
    uint64_t product = (uint64_t)((f & 0x7fffff) | 0x800000) * mul, whole, rest, half;

    if (!exponent)
        return 0; /* below 2^-126: rounds to 0 whatever mul is */
    if (shift <= 0)
        return shift < -15 || product << -shift > limit ? limit : (uint32_t)(product << -shift);
    if (shift > 63)
        return 0;
    whole = product >> shift;
    rest = product & ((UINT64_C(1) << shift) - 1);
    half = UINT64_C(1) << (shift - 1);
    if (rest > half || (rest == half && (whole & 1)))
        whole++;
    return whole > limit ? limit : (uint32_t)whole;
}

static inline bool is_nan(uint32_t f)
{
    return (f & 0x7fffffff) > INF_F;
}

static inline uint32_t f32_to_unorm(uint32_t f, unsigned bits)
{
    uint32_t max = (1u << bits) - 1;

    return f > INF_F ? 0 : scale_f32(f, max, max); /* above: negative, or NaN */
}

/* An integer to the nearest float, ties to even. */
static inline uint32_t u32_to_f32(uint32_t v)
{
    unsigned zeros;
    uint32_t m, rest;

    if (!v)
        return 0;
    zeros = (unsigned)__builtin_clz(v);
    v <<= zeros;
    m = v >> 8;
    rest = v & 0xff;
    if (rest > 0x80 || (rest == 0x80 && (m & 1)))
        m++;
    return ((157 - zeros) << 23) + m;
}

/* Floats of 5 exponent bits and `mbits` of mantissa, without sign. */
static inline uint32_t small_to_f32(uint32_t v, unsigned mbits)
{
    uint32_t m = v & ((1u << mbits) - 1), e = v >> mbits & 31;

    if (e == 31)
        return INF_F | m << (23 - mbits);
    if (!e) {
        unsigned zeros;

        if (!m)
            return 0;
        zeros = (unsigned)__builtin_clz(m) - (31 - mbits); /* up to the implied bit's place */
        return ((113 - zeros) << 23) + ((m << zeros & ((1u << mbits) - 1)) << (23 - mbits));
    }
    return (e + 112) << 23 | m << (23 - mbits);
}

/* |f| as such a float, to nearest even; a finite f beyond the largest becomes `overflow`. */
static inline uint32_t f32_to_small(uint32_t f, unsigned mbits, uint32_t overflow)
{
    uint32_t m = f & 0x7fffff, e = f >> 23 & 0xff, inf = 31u << mbits, v, rest, half;
    unsigned drop = 23 - mbits;

    if (e == 255)
        return m ? inf | 1u << (mbits - 1) | m >> drop : inf;
    if (e >= 143)
        return overflow;
    if (e >= 113) {
        v = (e - 112) << 23 | m;
    } else {
        drop += 113 - e;
        if (drop > 25 || !e)
            return 0;
        v = m | 0x800000;
    }
    rest = v & ((1u << drop) - 1);
    half = 1u << (drop - 1);
    v >>= drop;
    if (rest > half || (rest == half && (v & 1)))
        v++;
    return v >= inf ? overflow : v;
}

uint32_t mem_f16_to_f32(uint16_t h)
{
    return (uint32_t)(h >> 15) << 31 | small_to_f32(h & 0x7fff, 10);
}

uint16_t mem_f32_to_f16(uint32_t f)
{
    return (uint16_t)(f >> 31 << 15 | f32_to_small(f, 10, 31u << 10));
}

uint32_t mem_unorm_to_f32(uint32_t v, unsigned bits)
{
    return unorm_to_f32(v & ((1u << bits) - 1), bits);
}

uint32_t mem_f32_to_unorm(uint32_t f, unsigned bits)
{
    return f32_to_unorm(f, bits);
}

/* ---- components by number type ----------------------------------------------------------- */

/* The v for which (2 v + 1) / umax is nearest to f: floor(f umax / 2). That is never an integer but
 * at 0 (umax is odd), so there are no ties. */
static uint32_t f32_to_snorm_ogl(uint32_t f, uint32_t umax)
{
    uint32_t a = MIN2(f & 0x7fffffff, ONE_F);
    unsigned shift = 151 - (a >> 23);
    uint64_t product = (uint64_t)((a & 0x7fffff) | 0x800000) * umax, whole = 0;

    if (is_nan(f) || !a)
        return 0;
    if (a >> 23 && shift < 64)
        whole = product >> shift;
    return (uint32_t)(f >> 31 ? -whole - 1 : whole);
}

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t component_unpack(uint32_t v, unsigned bits, enum mem_num num)
{
    uint32_t sign = v >> (bits - 1) & 1, max = (uint32_t)((UINT64_C(1) << (bits - 1)) - 1);
    int32_t s = sext32(v, bits);

    switch (num) {
    case MEM_UNORM:
        return bits == 8 ? mem_unorm8_table[v] : unorm_to_f32(v, bits);
    case MEM_SNORM: {
        uint32_t a = (uint32_t)(s < 0 ? -s : s);

        /* The most negative number is -1 as well. One bit can only be 0 or -1. */
        if (bits == 1)
            return sign ? 0xbf800000 : 0;
        return sign << 31 | unorm_to_f32(MIN2(a, max), MAX2(bits, 2) - 1);
    }
    case MEM_SNORM_OGL: /* (2 v + 1) / (2^bits - 1) */
        return sign << 31 | unorm_to_f32((uint32_t)(s < 0 ? -2 * s - 1 : 2 * s + 1), bits);
    case MEM_USCALED:
        return u32_to_f32(v);
    case MEM_SSCALED:
        return sign << 31 | u32_to_f32((uint32_t)(s < 0 ? -s : s));
    case MEM_UINT:
        return v;
    case MEM_SINT:
        return (uint32_t)s;
    case MEM_FLOAT:
        return bits == 32 ? v : bits == 16 ? mem_f16_to_f32((uint16_t)v)
                                           : small_to_f32(v, bits - 5);
    case MEM_SRGB:
        return mem_srgb_table[v & 0xff];
    default:
        return 0;
    }
}

INLINE uint32_t component_pack(uint32_t f, unsigned bits, enum mem_num num)
{
    uint32_t umax = (uint32_t)((UINT64_C(1) << bits) - 1), max = umax >> 1, v;
    bool negative = f >> 31;

    switch (num) {
    case MEM_UNORM:
        return f32_to_unorm(f, bits);
    case MEM_SNORM:
        v = is_nan(f) ? 0 : scale_f32(f & 0x7fffffff, max, max);
        return (negative ? -v : v) & umax;
    case MEM_SNORM_OGL:
        return f32_to_snorm_ogl(f, umax) & umax;
    case MEM_USCALED:
        return f > INF_F ? 0 : scale_f32(f, 1, umax);
    case MEM_SSCALED:
        v = is_nan(f) ? 0 : scale_f32(f & 0x7fffffff, 1, negative ? max + 1 : max);
        return (negative ? -v : v) & umax;
    case MEM_UINT:
        return MIN2(f, umax);
    case MEM_SINT: {
        int32_t s = (int32_t)f, top = (int32_t)max;

        return (uint32_t)(s > top ? top : s < -top - 1 ? -top - 1 : s) & umax;
    }
    case MEM_FLOAT:
        if (bits == 32)
            return f;
        if (bits == 16)
            return mem_f32_to_f16(f);
        if (negative && !is_nan(f))
            return 0;
        return f32_to_small(f & 0x7fffffff, bits - 5, (31u << (bits - 5)) - 1);
    case MEM_SRGB:
        return mem_f32_to_srgb(f);
    default:
        return 0;
    }
}

/* ---- texels ------------------------------------------------------------------------------ */

/* The number type of one component: sRGB leaves W linear; stencil beside depth is an integer. */
INLINE enum mem_num component_num(enum mem_layout l, enum mem_num num, unsigned i)
{
    if (num == MEM_SRGB && i == 3)
        return MEM_UNORM;
    if ((l == MEM_LAYOUT_8_24 || l == MEM_LAYOUT_X24_8_32) && i == 1)
        return MEM_UINT;
    if (l == MEM_LAYOUT_24_8 && i == 0)
        return MEM_UINT;
    return num;
}

INLINE void texel_unpack(const void *texel, uint32_t out[4], enum mem_layout l, enum mem_num num,
                         unsigned bits, unsigned x, unsigned y, unsigned z, unsigned w)
{
    const unsigned size[4] = { x, y, z, w };
    uint64_t v[2] = { 0, 0 };
    unsigned at = 0;

    memcpy(v, texel, bits / 8);
    for (unsigned i = 0; i < 4; i++) {
        if (size[i]) {
            uint64_t part = v[at / 64] >> at % 64;

            out[i] = component_unpack((uint32_t)(part & ((UINT64_C(1) << size[i]) - 1)), size[i],
                                      component_num(l, num, i));
            at += size[i];
        } else {
            out[i] = i < 3 ? 0 : num == MEM_UINT || num == MEM_SINT ? 1 : ONE_F;
        }
    }
}

INLINE void texel_pack(const uint32_t in[4], void *texel, enum mem_layout l, enum mem_num num,
                       unsigned bits, unsigned x, unsigned y, unsigned z, unsigned w)
{
    const unsigned size[4] = { x, y, z, w };
    uint64_t v[2] = { 0, 0 };
    unsigned at = 0;

    for (unsigned i = 0; i < 4; i++)
        if (size[i]) {
            v[at / 64] |= (uint64_t)component_pack(in[i], size[i], component_num(l, num, i))
                          << at % 64;
            at += size[i];
        }
    memcpy(texel, v, bits / 8);
}

/* 5_9_9_9: three 9-bit mantissas without implied bit, exponent bias 15. */
static void shared_unpack(const void *texel, uint32_t out[4])
{
    uint32_t v = load_le32(texel), e = v >> 27;

    for (unsigned i = 0; i < 3; i++) {
        uint32_t m = v >> 9 * i & 511;

        /* m * 2^(e - 24): m as a float, exponent moved (never below the normal ones). */
        out[i] = m ? u32_to_f32(m) + (e << 23) - (24u << 23) : 0;
    }
    out[3] = ONE_F;
}

static void shared_pack(const uint32_t in[4], void *texel)
{
    const uint32_t largest = 0x477f8000; /* 511 / 512 * 2^16 */
    uint32_t c[3], top = 0, e, v = 0;

    for (unsigned i = 0; i < 3; i++) {
        c[i] = in[i] > INF_F ? 0 : MIN2(in[i], largest);
        top = MAX2(top, c[i]);
    }
    /* The exponent of the largest, so that its mantissa has its highest bit set; one more when
     * rounding carries out of nine bits. */
    e = top >> 23 > 111 ? (top >> 23) - 111 : 0;
    for (;;) {
        uint32_t m[3], over = 0;

        for (unsigned i = 0; i < 3; i++) {
            /* floor(c * 2^(24 - e) + 1/2): the specification's rounding. */
            int shift = 126 + (int)e - (int)(c[i] >> 23);
            uint64_t whole = (c[i] & 0x7fffff) | 0x800000;

            m[i] = c[i] >> 23 == 0 || shift > 40
                       ? 0 : (uint32_t)((whole + (UINT64_C(1) << (shift - 1))) >> shift);
            over |= m[i] >> 9;
        }
        if (!over) {
            v = m[0] | m[1] << 9 | m[2] << 18 | e << 27;
            break;
        }
        e++;
    }
    store_le32(texel, v);
}

/* ---- the table of functions -------------------------------------------------------------- */

/* The functions of one layout for the number types it takes; kinds other than PLAIN have none. */
#define PAIR(name, num, ...)                                                                   \
    static void unpack_##name##_##num(const void *texel, uint32_t out[4])                       \
    {                                                                                           \
        texel_unpack(texel, out, MEM_LAYOUT_##name, MEM_##num, __VA_ARGS__);                    \
    }                                                                                           \
    static void pack_##name##_##num(const uint32_t in[4], void *texel)                          \
    {                                                                                           \
        texel_pack(in, texel, MEM_LAYOUT_##name, MEM_##num, __VA_ARGS__);                       \
    }
#define PAIRS_FLOAT(name, ...) PAIR(name, FLOAT, __VA_ARGS__)
#define PAIRS_RAW(name, ...)                                                                   \
    PAIR(name, UINT, __VA_ARGS__) PAIR(name, SINT, __VA_ARGS__) PAIR(name, FLOAT, __VA_ARGS__)
#define PAIRS_INTS(name, ...)                                                                  \
    PAIR(name, UNORM, __VA_ARGS__) PAIR(name, SNORM, __VA_ARGS__)                               \
    PAIR(name, SNORM_OGL, __VA_ARGS__) PAIR(name, USCALED, __VA_ARGS__)                         \
    PAIR(name, SSCALED, __VA_ARGS__) PAIR(name, UINT, __VA_ARGS__)                              \
    PAIR(name, SINT, __VA_ARGS__)
#define PAIRS_INTS_F(name, ...) PAIRS_INTS(name, __VA_ARGS__) PAIR(name, FLOAT, __VA_ARGS__)
#define PAIRS_INTS_S(name, ...) PAIRS_INTS(name, __VA_ARGS__) PAIR(name, SRGB, __VA_ARGS__)

#define FUNCS_PLAIN(name, nums, ...) PAIRS_##nums(name, __VA_ARGS__)
#define FUNCS_SHARED(...)
#define FUNCS_BLOCK(...)
#define FUNCS_SUBSAMPLED(...)
#define FUNCS_FMASK(...)
#define FUNCS_BITMAP(...)
#define FUNCS_OTHER(...)

#define LAYOUT(name, bits, kind, cb, buf, img6, img7, img8, img9, nums, x, y, z, w)             \
    FUNCS_##kind(name, nums, bits, x, y, z, w)
#include "mem/formats.def"
#undef LAYOUT

struct pair {
    mem_unpack_fn unpack;
    mem_pack_fn pack;
};

#define ENTRY(name, num) [MEM_##num] = { unpack_##name##_##num, pack_##name##_##num }
#define ENTRIES_FLOAT(name) ENTRY(name, FLOAT)
#define ENTRIES_RAW(name)   ENTRY(name, UINT), ENTRY(name, SINT), ENTRY(name, FLOAT)
#define ENTRIES_INTS(name)                                                                     \
    ENTRY(name, UNORM), ENTRY(name, SNORM), ENTRY(name, SNORM_OGL), ENTRY(name, USCALED),       \
        ENTRY(name, SSCALED), ENTRY(name, UINT), ENTRY(name, SINT)
#define ENTRIES_INTS_F(name) ENTRIES_INTS(name), ENTRY(name, FLOAT)
#define ENTRIES_INTS_S(name) ENTRIES_INTS(name), ENTRY(name, SRGB)

#define ROW_PLAIN(name, nums)      [MEM_LAYOUT_##name] = { ENTRIES_##nums(name) },
#define ROW_SHARED(name, nums)     [MEM_LAYOUT_##name] = { [MEM_FLOAT] = { shared_unpack, shared_pack } },
#define ROW_BLOCK(name, nums)
#define ROW_SUBSAMPLED(name, nums)
#define ROW_FMASK(name, nums)
#define ROW_BITMAP(name, nums)
#define ROW_OTHER(name, nums)

static const struct pair pairs[MEM_LAYOUT_COUNT][MEM_NUM_COUNT] = {
#define LAYOUT(name, bits, kind, cb, buf, img6, img7, img8, img9, nums, x, y, z, w)             \
    ROW_##kind(name, nums)
#include "mem/formats.def"
#undef LAYOUT
};

mem_unpack_fn mem_unpacker(struct mem_format f)
{
    return (unsigned)f.layout < MEM_LAYOUT_COUNT && (unsigned)f.num < MEM_NUM_COUNT
               ? pairs[f.layout][f.num].unpack : NULL;
}

mem_pack_fn mem_packer(struct mem_format f)
{
    return (unsigned)f.layout < MEM_LAYOUT_COUNT && (unsigned)f.num < MEM_NUM_COUNT
               ? pairs[f.layout][f.num].pack : NULL;
}

/* ---- names and numbers ------------------------------------------------------------------- */

enum { WIDTH_PLAIN = 1, WIDTH_SHARED = 1, WIDTH_BLOCK = 4, WIDTH_SUBSAMPLED = 2, WIDTH_BITMAP = 8,
       WIDTH_FMASK = 1, WIDTH_OTHER = 1 };

static const struct mem_layout_info infos[MEM_LAYOUT_COUNT] = {
    [MEM_LAYOUT_INVALID] = { "INVALID", MEM_KIND_OTHER, 0, 0, { 0 }, { 0 }, 1, 1 },
#define LAYOUT(name, bits, kind, cb, buf, img6, img7, img8, img9, nums, x, y, z, w)             \
    [MEM_LAYOUT_##name] = { #name, MEM_KIND_##kind, bits, !!(x) + !!(y) + !!(z) + !!(w),        \
                            { x, y, z, w }, { 0, x, (x) + (y), (x) + (y) + (z) }, WIDTH_##kind,  \
                            MEM_KIND_##kind == MEM_KIND_BLOCK ? 4 : 1 },
#include "mem/formats.def"
#undef LAYOUT
};

const struct mem_layout_info *mem_layout_info(enum mem_layout l)
{
    return &infos[(unsigned)l < MEM_LAYOUT_COUNT ? l : MEM_LAYOUT_INVALID];
}

static const char *const num_names[MEM_NUM_COUNT] = {
#define NUM(name, cb, b6, b7, b8, b9, i6, i7, i8, i9) #name,
#include "mem/formats.def"
#undef NUM
};

const char *mem_num_name(enum mem_num n)
{
    return (unsigned)n < MEM_NUM_COUNT ? num_names[n] : "?";
}

/* Columns of the table that hold the numbers of one kind of descriptor in one generation. */
enum { COLUMN_CB, COLUMN_BUF, COLUMN_IMG, COLUMN_COUNT = COLUMN_IMG + GFX_COUNT };

static const int8_t layout_numbers[MEM_LAYOUT_COUNT][COLUMN_COUNT] = {
    [MEM_LAYOUT_INVALID] = { NA, NA, NA, NA, NA, NA },
#define LAYOUT(name, bits, kind, cb, buf, img6, img7, img8, img9, nums, x, y, z, w)             \
    [MEM_LAYOUT_##name] = { cb, buf, img6, img7, img8, img9 },
#include "mem/formats.def"
#undef LAYOUT
};

enum { NUM_CB, NUM_BUF, NUM_IMG = NUM_BUF + GFX_COUNT, NUM_COLUMNS = NUM_IMG + GFX_COUNT };

static const int8_t num_numbers[MEM_NUM_COUNT][NUM_COLUMNS] = {
#define NUM(name, cb, b6, b7, b8, b9, i6, i7, i8, i9) { cb, b6, b7, b8, b9, i6, i7, i8, i9 },
#include "mem/formats.def"
#undef NUM
};

static bool look_up(unsigned layout_column, unsigned format, unsigned num_column, unsigned number,
                    struct mem_format *out)
{
    unsigned l, n;

    for (l = 0; l < MEM_LAYOUT_COUNT; l++)
        if (layout_numbers[l][layout_column] == (int)format)
            break;
    for (n = 0; n < MEM_NUM_COUNT; n++)
        if (num_numbers[n][num_column] == (int)number)
            break;
    if (l == MEM_LAYOUT_COUNT || n == MEM_NUM_COUNT)
        return false;
    out->layout = l;
    out->num = n;
    return true;
}

bool mem_format_cb(enum gfx gen, unsigned format, unsigned number_type, struct mem_format *out)
{
    return gen < GFX_COUNT && look_up(COLUMN_CB, format, NUM_CB, number_type, out);
}

bool mem_format_buffer(enum gfx gen, unsigned data_format, unsigned num_format,
                       struct mem_format *out)
{
    return gen < GFX_COUNT && look_up(COLUMN_BUF, data_format, NUM_BUF + gen, num_format, out);
}

bool mem_format_image(enum gfx gen, unsigned data_format, unsigned num_format,
                      struct mem_format *out)
{
    return gen < GFX_COUNT &&
           look_up(COLUMN_IMG + gen, data_format, NUM_IMG + gen, num_format, out);
}

void mem_cb_swap(unsigned components, unsigned comp_swap, uint8_t rgba_of_component[4])
{
    enum { R, G, B, A, _ = 0xff };
    static const uint8_t swaps[4][4][4] = {
#define SWAP(components, swap, x, y, z, w) [components - 1][swap] = { x, y, z, w },
#include "mem/formats.def"
#undef SWAP
    };

    memcpy(rgba_of_component, swaps[(components - 1) & 3][comp_swap & 3], 4);
}
