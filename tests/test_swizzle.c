/* mem/gfx9_swizzle.c: addresses that AMD's address library gives for Vega 10 and Raven, and
 * properties: every mode is a bijection, mip levels share no byte, the quad form agrees. */
#include "base/chip.h"
#include "mem/mem.h"

#include <check.h>
#include <stdlib.h>

START_TEST(known_addresses)
{
    static const struct {
        struct mem_swizzle sw;
        unsigned bits, samples, xor;
        uint32_t x, y, z, sample;
        uint64_t vega10, raven; /* 0: not asked */
    } rows[] = {
        { { MEM_SW_64KB_D_X, 0, false, 256, 256, 1, 0, 1, 0 }, 32, 1, 5, 173, 91, 0, 0, 0x12474, 0 },
        { { MEM_SW_64KB_Z_X, 0, false, 300, 200, 1, 0, 1, 0 }, 32, 4, 0, 123, 77, 0, 2, 0x66878, 0x6ae78 },
        { { MEM_SW_64KB_Z_X, 0, false, 500, 300, 2, 0, 1, 0 }, 8, 1, 3, 321, 250, 1, 0, 0x53049, 0x57649 },
        { { MEM_SW_64KB_S_X, 0, false, 400, 400, 3, 0, 1, 0 }, 64, 1, 9, 399, 398, 2, 0, 0x537ae8, 0 },
        { { MEM_SW_64KB_R_X, 0, false, 400, 400, 1, 0, 1, 0 }, 16, 1, 0, 200, 131, 0, 0, 0x22586, 0x2a086 },
        { { MEM_SW_64KB_Z_X, 0, false, 130, 70, 300, 0, 1, 0 }, 32, 1, 0, 129, 65, 203, 0, 0x1973f0c, 0 },
        { { MEM_SW_64KB_S_X, 0, false, 130, 70, 300, 0, 1, 0 }, 32, 1, 0, 129, 65, 299, 0, 0x2574f14, 0 },
        { { MEM_SW_64KB_S, 0, false, 64, 64, 1, 0, 1, 0 }, 128, 1, 0, 33, 47, 0, 0, 0xc570, 0xc570 },
        { { MEM_SW_64KB_S_X, 0, true, 64, 64, 32, 0, 1, 0 }, 32, 1, 6, 50, 41, 30, 0, 0x7e798, 0 },
        { { MEM_SW_4KB_Z_X, 0, true, 60, 60, 30, 0, 1, 0 }, 32, 1, 1, 57, 11, 13, 0, 0x2786c, 0x27d6c },
        { { MEM_SW_64KB_D_X, 0, false, 512, 512, 1, 0, 10, 3 }, 32, 1, 2, 60, 33, 0, 0, 0x16b430, 0x16b930 },
        { { MEM_SW_64KB_D_X, 0, false, 512, 512, 1, 0, 10, 7 }, 32, 1, 2, 3, 2, 0, 0, 0x160a4c, 0x160a4c },
        { { MEM_SW_LINEAR, 0, false, 100, 50, 2, 0, 3, 2 }, 32, 1, 0, 20, 10, 1, 0, 0x15a50, 0x15a50 },
        { { MEM_SW_256B_D, 0, false, 100, 100, 1, 0, 1, 0 }, 8, 1, 0, 99, 98, 0, 0, 0x300b, 0x300b },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (int chip = 0; chip < 2; chip++) {
            uint64_t want = chip ? rows[i].raven : rows[i].vega10;
            struct mem_swizzle sw = rows[i].sw;
            struct mem_surface s;
            struct err e = { "" };

            if (!want)
                continue;
            sw.addr_config = chip_find(chip ? "raven" : "vega10")->gb_addr_config;
            ck_assert_msg(!mem_surface_init_gfx9(&s, &sw, 0x40000000 | rows[i].xor << 8,
                                                 rows[i].bits, rows[i].samples, &e),
                          "row %zu: %s", i, e.text);
            ck_assert_uint_eq(s.base_va, 0x40000000);
            ck_assert_msg(mem_surface_offset(&s, rows[i].x, rows[i].y, rows[i].z,
                                             rows[i].sample) == want,
                          "row %zu: got 0x%llx", i,
                          (unsigned long long)mem_surface_offset(&s, rows[i].x, rows[i].y,
                                                                 rows[i].z, rows[i].sample));
        }
}
END_TEST

static uint8_t seen[8 << 20];

static void visit(const struct mem_surface *s, uint32_t w, uint32_t h, uint32_t d, const char *what)
{
    for (uint32_t z = 0; z < d; z++)
        for (uint32_t n = 0; n < s->samples; n++)
            for (uint32_t y = 0; y < h; y++)
                for (uint32_t x = 0; x < w; x++) {
                    uint64_t o = mem_surface_offset(s, x, y, z, n);
                    uint64_t i = o / s->element_bytes;

                    if (o >= s->size_bytes || o % s->element_bytes || seen[i])
                        ck_abort_msg("%s: (%u, %u, %u, %u) at %llu of %llu", what, x, y, z, n,
                                     (unsigned long long)o, (unsigned long long)s->size_bytes);
                    seen[i] = 1;
                }
}

START_TEST(modes_are_bijections)
{
    static const char *const chips[] = { "vega10", "raven" };
    unsigned n = 0;

    for (size_t c = 0; c < ARRAY_LEN(chips); c++)
        for (int mode = 0; mode < 32; mode++)
            for (int volume = 0; volume < 2; volume++)
                for (unsigned bits = 8; bits <= 128; bits *= 2)
                    for (unsigned samples = 1; samples <= (volume ? 1 : 8); samples *= 2) {
                        struct mem_swizzle sw = { mode, chip_find(chips[c])->gb_addr_config, volume,
                                                  1, 1, 1, 0, 1, 0 };
                        struct mem_surface s;
                        char what[96];
                        uint64_t elements;

                        if (mem_surface_init_gfx9(&s, &sw, 0, bits, samples, NULL))
                            continue;
                        /* Two blocks by two, two slices (of blocks), and an xor. */
                        sw.width = 2 * s.macro_width;
                        sw.height = mode ? s.macro_height + 1 : 7;
                        sw.slices = mode && volume ? 1u << s.priv.thickness_log2 : 2;
                        ck_assert(!mem_surface_init_gfx9(&s, &sw, 3 << 8, bits, samples, NULL));
                        elements = (uint64_t)s.pitch * s.height * sw.slices * samples;
                        snprintf(what, sizeof what, "%s, mode %d, %u bits, %u samples%s", chips[c],
                                 mode, bits, samples, volume ? ", volume" : "");
                        if (elements > sizeof seen || elements * s.element_bytes != s.size_bytes)
                            ck_abort_msg("%s: %llu elements, %llu bytes", what,
                                         (unsigned long long)elements,
                                         (unsigned long long)s.size_bytes);
                        memset(seen, 0, elements);
                        visit(&s, s.pitch, s.height, sw.slices, what);
                        n++;
                    }
    ck_assert_uint_ge(n, 700);
}
END_TEST

START_TEST(mip_levels_are_apart)
{
    static const struct { uint32_t w, h, d; bool volume; } sizes[] = {
        { 512, 512, 1, false }, { 300, 70, 2, false }, { 33, 700, 1, false }, { 16, 16, 3, false },
        { 1, 300, 1, false }, { 64, 64, 64, true }, { 100, 30, 20, true }, { 9, 9, 40, true },
    };

    for (size_t k = 0; k < ARRAY_LEN(sizes); k++)
        for (int mode = 0; mode < 32; mode++)
            for (unsigned bits = 8; bits <= 64; bits *= 2) {
                struct mem_swizzle sw = { mode, chip_find("vega10")->gb_addr_config,
                                          sizes[k].volume, sizes[k].w, sizes[k].h, sizes[k].d, 0, 1,
                                          0 };
                uint32_t longest = MAX2(MAX2(sw.width, sw.height), sw.volume ? sw.slices : 1);
                struct mem_surface s;
                char what[96];

                /* Blocks of 256 bytes have no room for a tail. */
                if (mode >= 1 && mode <= 3)
                    continue;
                sw.levels = 32 - (unsigned)__builtin_clz(longest);
                if (mem_surface_init_gfx9(&s, &sw, 0, bits, 1, NULL))
                    continue;
                if (s.size_bytes / s.element_bytes > sizeof seen)
                    ck_abort_msg("size %llu", (unsigned long long)s.size_bytes);
                memset(seen, 0, s.size_bytes / s.element_bytes);
                for (sw.level = 0; sw.level < sw.levels; sw.level++) {
                    ck_assert(!mem_surface_init_gfx9(&s, &sw, 0, bits, 1, NULL));
                    snprintf(what, sizeof what, "%ux%ux%u mode %d, %u bits, level %u", sw.width,
                             sw.height, sw.slices, mode, bits, sw.level);
                    visit(&s, MAX2(sw.width >> sw.level, 1u), MAX2(sw.height >> sw.level, 1u),
                          sw.volume ? MAX2(sw.slices >> sw.level, 1u) : sw.slices, what);
                }
            }
}
END_TEST

START_TEST(quads_agree)
{
    uint32_t r = 1;

    for (int i = 0; i < 3000; i++) {
        struct mem_swizzle sw = { i % 32, chip_find("vega10")->gb_addr_config, i / 32 & 1,
                                  200, 100, 9, 0, 1, 0 };
        struct mem_surface s;
        uint64_t quad[4];
        uint32_t x, y;

        r = r * 1664525 + 1013904223;
        if (mem_surface_init_gfx9(&s, &sw, r & 0xf00, 8u << (r >> 30), 1, NULL))
            continue;
        x = (r >> 8) % 200 & ~1u;
        y = (r >> 16) % 100 & ~1u;
        mem_surface_quad(&s, x, y, i % 9, 0, quad);
        for (uint32_t k = 0; k < 4; k++)
            if (quad[k] != mem_surface_offset(&s, x + (k & 1), y + (k >> 1), i % 9, 0))
                ck_abort_msg("mode %d (%u, %u)", i % 32, x, y);
    }
}
END_TEST

START_TEST(what_cannot_be)
{
    const struct mem_swizzle good = { MEM_SW_64KB_S, 0, false, 64, 64, 1, 0, 1, 0 };
    struct mem_swizzle sw;
    struct mem_surface s;
    struct err e;

    ck_assert_int_eq(mem_surface_init_gfx9(&s, &good, 0, 32, 1, &e), 0);
    ck_assert_int_eq(mem_surface_init_gfx9(&s, &good, 0, 24, 1, &e), -1);
    ck_assert_int_eq(mem_surface_init_gfx9(&s, &good, 0, 32, 3, &e), -1);
    for (int mode = 12; mode < 16; mode++) {
        sw = good, sw.mode = mode;
        ck_assert_int_eq(mem_surface_init_gfx9(&s, &sw, 0, 32, 1, &e), -1);
    }
    sw = good, sw.mode = 99;
    ck_assert_int_eq(mem_surface_init_gfx9(&s, &sw, 0, 32, 1, &e), -1);
    sw = good, sw.level = 1;
    ck_assert_int_eq(mem_surface_init_gfx9(&s, &sw, 0, 32, 1, &e), -1);
    sw = good, sw.width = 0;
    ck_assert_int_eq(mem_surface_init_gfx9(&s, &sw, 0, 32, 1, &e), -1);
    sw = good, sw.mode = MEM_SW_64KB_R;
    ck_assert_int_eq(mem_surface_init_gfx9(&s, &sw, 0, 128, 1, &e), -1);

    for (uint32_t r = 1, i = 0; i < 20000; i++) {
        r = r * 1664525 + 1013904223;
        sw = (struct mem_swizzle){ i % 33, r * 7919, r >> 31, r % 70000, r >> 3 & 0xfff, r >> 5 & 63,
                                   r >> 9 & 0xff, i % 18, i % 17 };
        if (!mem_surface_init_gfx9(&s, &sw, r, 8u << i % 5, 1u << i % 5, &e))
            mem_surface_offset(&s, ~r, r, r * 3, r * 5);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("swizzle");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, known_addresses);
    tcase_add_test(tc, modes_are_bijections);
    tcase_add_test(tc, mip_levels_are_apart);
    tcase_add_test(tc, quads_agree);
    tcase_add_test(tc, what_cannot_be);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
