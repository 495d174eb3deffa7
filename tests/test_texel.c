/* Texels of every format through a T# of each generation: all values of the formats of 8 and 16 bits, samples of the
 * others, against an independent computation in long double. The table of formats is written down here again, from the
 * manuals' lists of IMG_DATA_FORMAT and IMG_NUM_FORMAT. */
#include "raster/raster.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define EXPECT(cond, ...)                                                                      \
    do {                                                                                        \
        if (!(cond))                                                                            \
            ck_abort_msg(__VA_ARGS__);                                                          \
    } while (0)

#define VA UINT64_C(0x100000000)

enum { SIDE = 256, BYTES = SIDE * SIDE * 16 };

enum { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, SNORM_OGL, FLOAT, SRGB = 9 };
#define INTS (1 << UNORM | 1 << SNORM | 1 << USCALED | 1 << SSCALED | 1 << UINT | 1 << SINT)
#define RAW  (1 << UINT | 1 << SINT | 1 << FLOAT)
#define F    (1 << FLOAT)
#define S    (1 << SRGB)

/* Bits of X, Y, Z, W from bit 0 up; the NUM_FORMATs that must be taken. */
static const struct { unsigned data, bits[4], nums; } formats[] = {
    { 1, { 8 }, INTS | S },         { 2, { 16 }, INTS | F },           { 3, { 8, 8 }, INTS | S },
    { 4, { 32 }, RAW },             { 5, { 16, 16 }, INTS | F },       { 6, { 11, 11, 10 }, F },
    { 7, { 10, 11, 11 }, F },       { 8, { 2, 10, 10, 10 }, INTS },    { 9, { 10, 10, 10, 2 }, INTS },
    { 10, { 8, 8, 8, 8 }, INTS | S }, { 11, { 32, 32 }, RAW },         { 12, { 16, 16, 16, 16 }, INTS | F },
    { 14, { 32, 32, 32, 32 }, RAW }, { 16, { 5, 6, 5 }, 1 << UNORM },  { 17, { 5, 5, 5, 1 }, 1 << UNORM },
    { 18, { 1, 5, 5, 5 }, 1 << UNORM }, { 19, { 4, 4, 4, 4 }, 1 << UNORM }, { 20, { 24, 8 }, 1 << UNORM },
    { 21, { 8, 24 }, 1 << UNORM },  { 22, { 32, 8 }, F },              { 34, { 9, 9, 9, 5 }, F },
    { 57, { 4, 4 }, 1 << UNORM },   { 58, { 5, 5, 6 }, 1 << UNORM },
    { 59, { 8 }, 1 << UINT }, { 60, { 8 }, 1 << UINT }, /* GFX9: stencil beside depth; before, bitmaps */
};

static long double component(uint32_t v, unsigned n, unsigned num, bool alpha)
{
    const long double top = ldexpl(1, (int)n) - 1, half = ldexpl(1, (int)n - 1);
    const long double s = v >= half ? v - 2 * half : v;

    switch (num) {
    case UNORM: return v / top;
    case SNORM: return s <= 1 - half ? -1 : s / (half - 1);
    case USCALED: case UINT: return v;
    case SSCALED: case SINT: return s;
    case SNORM_OGL: return (2 * s + 1) / top;
    case SRGB: return alpha || v / top <= 0.04045L ? v / top / (alpha ? 1 : 12.92L)
                                                   : powl((v / top + 0.055L) / 1.055L, 2.4L);
    default: {
        /* Sign (only of 16 bits), 5 bits of exponent, the rest. */
        const unsigned m = n == 16 ? 10 : n - 5, e = v >> m & 31;
        const long double f = ldexpl(v & ((1u << m) - 1), -(int)m);
        const long double a = e == 31 ? (f != 0 ? NAN : INFINITY) : ldexpl(e ? 1 + f : f, e ? (int)e - 15 : -14);

        return n == 16 && v >> 15 ? -a : a;
    }
    }
}

static uint32_t bits_at(const uint8_t *p, unsigned from, unsigned n)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)(p[(from + i) / 8] >> (from + i) % 8 & 1) << i;
    return (uint32_t)v;
}

/* One texel of formats[f]. */
static void check_texel(const char *chip, unsigned f, unsigned num, const uint8_t *p, const uint32_t got[4])
{
    unsigned from = 0;
    const unsigned data = formats[f].data;

    for (unsigned c = 0; c < 4; c++) {
        const unsigned n = formats[f].bits[c];
        const uint32_t v = bits_at(p, from, n);
        const bool stencil = (data == 20 || data == 22) ? c == 1 : data == 21 && c == 0;
        long double want;

        from += n;
        if (!n || (data == 34 && c == 3)) {
            const bool integer = num == UINT || num == SINT;

            EXPECT(got[c] == (c < 3 ? 0 : integer ? 1 : f32_bits(1)), "%s format %u.%u: channel %u is 0x%x", chip, data,
                   num, c, got[c]);
            continue;
        }
        if (n == 32 || num == UINT || num == SINT || stencil) {
            EXPECT(got[c] == (num == SINT && !stencil ? (uint32_t)sext32(v, n) : v), "%s format %u.%u channel %u: 0x%x of 0x%x", chip,
                   data, num, c, got[c], v);
            continue;
        }
        if (n == 1 && (num == SNORM || num == SSCALED || num == SNORM_OGL))
            continue; /* not defined */
        want = data == 34 ? ldexpl(v, (int)bits_at(p, 27, 5) - 24) : component(v, n, num, c == 3);
        EXPECT(isnan(want) ? isnan(bits_f32(got[c])) : bits_f32(got[c]) == (float)want,
               "%s format %u.%u channel %u: %a of 0x%x, not %a", chip, data, num, c, bits_f32(got[c]), v, (float)want);
    }
}

static uint64_t rng_state = 88172645463325252u;

static uint32_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (uint32_t)(rng_state >> 16);
}

static void check_format(const struct chip *chip, struct mem_vm *vm, uint8_t *memory, unsigned f, unsigned num)
{
    static struct raster_image im;
    struct raster_access a = { .vm = vm, .client = MEM_TEX };
    uint32_t t[8] = { (uint32_t)(VA >> 8) };
    const enum gfx gen = chip->gen;
    unsigned bits = 0, rows = SIDE;
    struct err e;

    for (unsigned c = 0; c < 4; c++)
        bits += formats[f].bits[c];
    bits = formats[f].data == 22 ? 64 : bits;
#define T(word, field, v) t[word] = regs_insert(gen, F_SQ_IMG_RSRC_WORD##word##__##field, t[word], v)
    T(1, DATA_FORMAT, formats[f].data);
    T(1, NUM_FORMAT, num);
    T(2, WIDTH, SIDE - 1);
    T(2, HEIGHT, SIDE - 1);
    T(3, DST_SEL_X, V_SQ_SEL_XYZW01__SQ_SEL_X);
    T(3, DST_SEL_Y, V_SQ_SEL_XYZW01__SQ_SEL_Y);
    T(3, DST_SEL_Z, V_SQ_SEL_XYZW01__SQ_SEL_Z);
    T(3, DST_SEL_W, V_SQ_SEL_XYZW01__SQ_SEL_W);
    T(3, TYPE, V_SQ_RSRC_IMG_TYPE__SQ_RSRC_IMG_2D);
    T(4, PITCH, SIDE - 1);
    if (gen < GFX9)
        T(3, TILING_INDEX, 8); /* linear */
#undef T
    ck_assert_msg(raster_image_decode(&im, chip, t, &e) == 0, "%s: %s", chip->name, e.text);
    if (bits == 8)
        rows = 1;
    else if (bits > 16)
        rows = SIDE / 8;
    for (unsigned i = 0; i < rows * SIDE; i++) {
        uint8_t *p = memory + i * bits / 8;
        const uint32_t some[] = { 0, UINT32_MAX, 0x80000000, 0x7fffffff, 0x7fc00000 };

        for (unsigned k = 0; bits <= 16 && k < bits / 8; k++)
            p[k] = (uint8_t)(i >> (8 * k));
        for (unsigned k = 0; bits > 16 && k < bits / 32; k++)
            store_le32(p + 4 * k, i % 16 == 0 ? some[rng() % ARRAY_LEN(some)] : rng());
    }
    /* All values on one chip; on the others every 17th, or with SAMPLES all too. */
    for (unsigned i = 0; i < rows * SIDE; i += gen == GFX7 || bits == 8 || getenv("SAMPLES") ? 1 : 17) {
        uint32_t xyzw[4], rgba[4];

        EXPECT(raster_texel_load(&im, &a, &(struct raster_texel){ .x = (int)(i % SIDE), .y = (int)(i / SIDE) }, xyzw),
               "texel %u is not there", i);
        raster_texel_swizzle(&im, xyzw, rgba);
        check_texel(chip->name, f, num, memory + i * bits / 8, rgba);
    }
}

START_TEST(every_format)
{
    static const char *const chips[] = { "tahiti", "bonaire", "polaris10", "vega10" };
    const struct chip *chip = chip_find(chips[_i]);
    struct mem_vm *vm = mem_vm_create();
    uint8_t *memory = calloc(1, BYTES);
    unsigned checked = 0;
    struct err e;

    ck_assert(chip && vm && memory);
    ck_assert_int_eq(mem_map(vm, VA, BYTES, memory, MEM_R, &e), 0);
    for (unsigned f = 0; f < ARRAY_LEN(formats); f++)
        for (unsigned num = 0; num < 16; num++) {
            const bool ogl = num == SNORM_OGL && chip->gen < GFX8 && formats[f].nums & 1 << SNORM;
            struct mem_format mf;
            const bool more = mem_format_image(chip->gen, formats[f].data, num, &mf) && mem_unpacker(mf);

            if ((chip->gen < GFX9 && formats[f].data >= 59) || (!(formats[f].nums >> num & 1) && !ogl && !more))
                continue;
            check_format(chip, vm, memory, f, num);
            checked++;
        }
    if (getenv("VERBOSE"))
        printf("%s: %u combinations of DATA_FORMAT and NUM_FORMAT\n", chip->name, checked);
    mem_vm_destroy(vm);
    free(memory);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("texel");
    TCase *t = tcase_create("texel");
    SRunner *r;
    int failed;

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, every_format, 0, 4);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
