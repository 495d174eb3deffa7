/* mem/gfx9_meta.c: addresses that AMD's address library gives, and properties: no two pieces of data
 * share an element, elements stay within the surface, and all data that one element covers agrees. */
#include "base/chip.h"
#include "mem/mem.h"

#include <check.h>
#include <stdlib.h>

static struct mem_meta9_desc desc(const char *chip, enum mem_meta9_kind kind, int mode, uint32_t w,
                                  uint32_t h, uint32_t slices, unsigned bits, unsigned samples)
{
    struct mem_meta9_desc d = { .kind = kind, .element_bits = bits, .samples = samples,
                                .pipe_aligned = true, .rb_aligned = true };

    d.alias_fix = !strcmp(chip, "vega12") || !strcmp(chip, "vega20");
    d.data = (struct mem_swizzle){ mode, chip_find(chip)->gb_addr_config, false, w, h, slices, 0, 1,
                                   0 };
    return d;
}

START_TEST(known_addresses)
{
    static const struct {
        const char *chip;
        enum mem_meta9_kind kind;
        int mode;
        uint32_t w, h, slices;
        unsigned bits, samples;
        uint32_t x, y, slice, sample;
        uint64_t want; /* nibble */
    } rows[] = {
        { "vega10", MEM_META9_HTILE, 24, 256, 256, 1, 32, 1, 200, 120, 0, 0, 0x11808 },
        { "vega10", MEM_META9_HTILE, 24, 1920, 1080, 3, 32, 4, 1777, 999, 2, 0, 0x122fd8 },
        { "raven", MEM_META9_HTILE, 24, 1920, 1080, 1, 16, 1, 1777, 999, 0, 0, 0x3dfe0 },
        { "vega12", MEM_META9_HTILE, 8, 700, 500, 2, 32, 8, 650, 444, 1, 0, 0x1af60 },
        { "vega20", MEM_META9_HTILE, 16, 700, 500, 2, 32, 2, 650, 444, 1, 0, 0x2ded8 },
        { "vega10", MEM_META9_CMASK, 24, 1920, 1080, 2, 8, 1, 1777, 999, 1, 0, 0x173bc },
        { "raven", MEM_META9_CMASK, 24, 800, 600, 1, 32, 1, 777, 555, 0, 0, 0x3684 },
        { "vega20", MEM_META9_CMASK, 24, 2000, 1500, 1, 16, 1, 1999, 1444, 0, 0, 0x7adf },
        { "vega10", MEM_META9_DCC, 26, 1920, 1080, 2, 32, 1, 1777, 999, 1, 0, 0x23ef6 },
        { "vega10", MEM_META9_DCC, 25, 640, 480, 1, 64, 8, 601, 399, 0, 7, 0x69cd6 },
        { "raven", MEM_META9_DCC, 26, 1920, 1080, 1, 32, 1, 1777, 999, 0, 0, 0xfafc },
        { "vega12", MEM_META9_DCC, 9, 640, 480, 1, 8, 4, 601, 399, 0, 2, 0x54d0 },
        { "vega20", MEM_META9_DCC, 17, 640, 480, 4, 128, 2, 601, 399, 3, 1, 0x693a6 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct mem_meta9_desc d = desc(rows[i].chip, rows[i].kind, rows[i].mode, rows[i].w,
                                       rows[i].h, rows[i].slices, rows[i].bits, rows[i].samples);
        struct mem_meta9 m;
        uint64_t va, got;

        ck_assert(!mem_meta9_init(&m, &d, 0x100000, &va, NULL));
        ck_assert_uint_eq(va, 0x100000);
        got = mem_meta9_nibble(&m, rows[i].x, rows[i].y, rows[i].slice, rows[i].sample);
        ck_assert_msg(got == rows[i].want, "row %zu: 0x%llx", i, (unsigned long long)got);
    }
}
END_TEST

static uint8_t seen[8 << 20];

static void check_elements(const struct mem_meta9_desc *d)
{
    const unsigned unit = d->kind == MEM_META9_CMASK ? 1 : d->kind == MEM_META9_DCC ? 2 : 8;
    const unsigned samples = d->kind == MEM_META9_DCC ? d->samples : 1;
    struct mem_meta9 m;
    uint64_t va, size;

    if (mem_meta9_init(&m, d, 0, &va, NULL))
        return;
    size = m.size_bytes * 2;
    if (size / unit > sizeof seen)
        ck_abort_msg("%llu nibbles", (unsigned long long)size);
    memset(seen, 0, size / unit);
    for (uint32_t z = 0; z < d->data.slices; z += m.compressed_depth)
        for (uint32_t y = 0; y < d->data.height; y += m.compressed_height)
            for (uint32_t x = 0; x < d->data.width; x += m.compressed_width)
                for (uint32_t s = 0; s < samples; s++) {
                    uint64_t n = mem_meta9_nibble(&m, x, y, z, s);

                    if (n >= size || n % unit || seen[n / unit])
                        ck_abort_msg("kind %d, mode %d, %u bits, %u samples%s: (%u, %u, %u, %u) at "
                                     "nibble %llu of %llu", d->kind, d->data.mode, d->element_bits,
                                     d->samples, d->data.volume ? ", volume" : "", x, y, z, s,
                                     (unsigned long long)n, (unsigned long long)size);
                    seen[n / unit] = 1;
                    if (!d->data.volume &&
                        mem_meta9_nibble(&m, x + m.compressed_width - 1,
                                         y + m.compressed_height - 1, z, s) != n)
                        ck_abort_msg("kind %d: inside (%u, %u)", d->kind, x, y);
                }
}

START_TEST(elements_are_apart)
{
    static const char *const chips[] = { "vega10", "vega12", "vega20", "raven" };

    for (size_t c = 0; c < ARRAY_LEN(chips); c++)
        for (int aligned = 0; aligned < 4; aligned++)
            for (int mode = 4; mode < 28; mode++)
                for (unsigned bits = 8 << (aligned & 1); bits <= 128; bits *= 4)
                    for (int kind = 0; kind < 3; kind++) {
                        unsigned samples = kind == 0 ? 1 : 1u << (bits / 8 + mode) % 4;
                        struct mem_meta9_desc d = desc(chips[c], kind, mode, 500, 300, 2, bits,
                                                       samples);

                        /* CMASK and HTILE go with Z order. */
                        if (kind != MEM_META9_DCC && (mode % 4 || bits > 64))
                            continue;
                        d.pipe_aligned = aligned & 1;
                        d.rb_aligned = aligned & 2;
                        check_elements(&d);
                        d.data.volume = true;
                        d.data.slices = 40;
                        d.data.width = 200;
                        d.samples = 1;
                        if (kind == MEM_META9_DCC)
                            check_elements(&d);
                    }
}
END_TEST

START_TEST(pipe_xor_comes_from_the_base)
{
    struct mem_meta9_desc d = desc("vega10", MEM_META9_HTILE, MEM_SW_64KB_Z_X, 512, 512, 1, 32, 1);
    struct mem_meta9 plain, moved;
    uint64_t va;

    ck_assert(!mem_meta9_init(&plain, &d, 0x40000, &va, NULL));
    ck_assert(!mem_meta9_init(&moved, &d, 0x40500, &va, NULL));
    ck_assert_uint_eq(va, 0x40000);
    for (uint32_t x = 0; x < 512; x += 24)
        ck_assert_uint_eq(mem_meta9_nibble(&moved, x, 3 * x % 512, 0, 0),
                          mem_meta9_nibble(&plain, x, 3 * x % 512, 0, 0) ^ 0xa00);
}
END_TEST

START_TEST(what_cannot_be)
{
    struct mem_meta9_desc d = desc("vega10", MEM_META9_DCC, MEM_SW_LINEAR, 64, 64, 1, 32, 1);
    struct mem_meta9 m;
    struct err e;
    uint64_t va;

    ck_assert_int_eq(mem_meta9_init(&m, &d, 0, &va, &e), -1);
    d.data.mode = MEM_SW_64KB_S;
    ck_assert_int_eq(mem_meta9_init(&m, &d, 0, &va, &e), 0);
    d.data.levels = 2;
    ck_assert_int_eq(mem_meta9_init(&m, &d, 0, &va, &e), -1);
    d.data.levels = 1;
    d.element_bits = 96;
    ck_assert_int_eq(mem_meta9_init(&m, &d, 0, &va, &e), -1);
    for (uint32_t r = 1, i = 0; i < 20000; i++) {
        r = r * 1664525 + 1013904223;
        d = desc("vega10", i % 3, i % 33, r % 5000, r >> 7 & 0xfff, r >> 9 & 63, 8u << i % 5,
                 1u << i % 5);
        d.data.addr_config = r * 77;
        d.data.volume = r >> 30 & 1;
        if (!mem_meta9_init(&m, &d, r, &va, &e))
            mem_meta9_nibble(&m, ~r, r, r * 3, r * 5);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("meta9");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, known_addresses);
    tcase_add_test(tc, elements_are_apart);
    tcase_add_test(tc, pipe_xor_comes_from_the_base);
    tcase_add_test(tc, what_cannot_be);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
