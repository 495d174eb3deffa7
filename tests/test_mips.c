/* mem/mips.c: levels of chains at the offsets that AMD's address library gives, apart from each
 * other, and 1D-tiled where they are small. */
#include "base/chip.h"
#include "mem/mem.h"

#include <check.h>
#include <stdlib.h>

#define BASE 0x100000000ull

static struct mem_mips chain(const char *name, unsigned tile_index, unsigned bits, uint32_t width,
                             uint32_t height, uint32_t pitch, uint32_t slices, bool volume)
{
    const struct chip *c = chip_find(name);

    return (struct mem_mips){ c->gen, c->gb_addr_config, c->tile_modes[tile_index],
                              c->macrotile_modes, bits, 1, 1, width, height, pitch, slices, volume,
                              true };
}

START_TEST(known_levels)
{
    /* 300 x 200, RGBA8, 2D_TILED_THIN1 on Bonaire: level 0 is 512 x 256. */
    static const struct { uint32_t offset, pitch, height; enum mem_array_mode mode; } want[] = {
        { 0x000000, 512, 256, MEM_ARRAY_2D_TILED_THIN1 },
        { 0x080000, 256, 128, MEM_ARRAY_2D_TILED_THIN1 },
        { 0x0a0000, 128, 64, MEM_ARRAY_2D_TILED_THIN1 },
        { 0x0a8000, 64, 32, MEM_ARRAY_1D_TILED_THIN1 },
        { 0x0aa000, 32, 16, MEM_ARRAY_1D_TILED_THIN1 },
        { 0x0aa800, 16, 8, MEM_ARRAY_1D_TILED_THIN1 },
        { 0x0aaa00, 8, 8, MEM_ARRAY_1D_TILED_THIN1 },
        { 0x0aab00, 8, 8, MEM_ARRAY_1D_TILED_THIN1 },
        { 0x0aac00, 8, 8, MEM_ARRAY_1D_TILED_THIN1 },
    };
    struct mem_mips m = chain("bonaire", 14, 32, 300, 200, 512, 1, false);
    struct mem_surface s;

    for (unsigned i = 0; i < ARRAY_LEN(want); i++) {
        ck_assert(!mem_mip_surface(&s, &m, BASE, i, NULL));
        ck_assert_msg(s.base_va - BASE == want[i].offset && s.pitch == want[i].pitch &&
                      s.height == want[i].height && s.tiling.array_mode == want[i].mode,
                      "level %u: 0x%llx %u %u %d", i, (unsigned long long)(s.base_va - BASE),
                      s.pitch, s.height, s.tiling.array_mode);
    }
}
END_TEST

/* Slices of 1D levels fill a pipe interleave; sides from level 1 on are powers of two whatever the
 * pitch. */
START_TEST(padding)
{
    struct mem_mips m = chain("bonaire", 13, 8, 8, 8, 8, 1, false);
    struct mem_surface s;

    ck_assert(!mem_mip_surface(&s, &m, BASE, 0, NULL));
    ck_assert(s.pitch == 32 && s.height == 8);
    m = chain("bonaire", 13, 32, 300, 200, 320, 1, false);
    ck_assert(!mem_mip_surface(&s, &m, BASE, 1, NULL));
    ck_assert(s.pitch == 256 && s.height == 128 && s.base_va == BASE + 320 * 256 * 4);
    /* BC1: blocks. */
    m = chain("bonaire", 13, 64, 100, 100, 128, 1, false);
    m.block_width = m.block_height = 4;
    ck_assert(!mem_mip_surface(&s, &m, BASE, 1, NULL));
    ck_assert(s.pitch == 16 && s.height == 16 && s.base_va == BASE + 32 * 32 * 8);
}
END_TEST

/* The swizzle of the base moves banks and pipes of 2D levels and leaves 1D levels where they are. */
START_TEST(swizzle_stays_with_2d_levels)
{
    struct mem_mips m = chain("bonaire", 14, 32, 256, 256, 256, 1, false);
    struct mem_surface plain, moved;

    for (unsigned i = 0; i < 9; i++) {
        ck_assert(!mem_mip_surface(&plain, &m, BASE, i, NULL));
        ck_assert(!mem_mip_surface(&moved, &m, BASE | 0x1300, i, NULL));
        ck_assert_uint_eq(moved.base_va, plain.base_va);
        ck_assert_uint_eq(mem_surface_offset(&moved, 0, 0, 0, 0) ^
                              mem_surface_offset(&plain, 0, 0, 0, 0),
                          mem_array_is_macro(plain.tiling.array_mode) ? 0x1300 : 0);
    }
}
END_TEST

START_TEST(levels_are_apart)
{
    static const char *const chips[] = { "verde", "bonaire", "hawaii", "kabini", "tonga" };
    uint32_t r = 1;

    for (int i = 0; i < 20000; i++) {
        struct mem_mips m;
        struct mem_surface s;
        uint64_t end = 0;
        uint32_t w, h, d;
        unsigned levels;

        r = r * 1664525 + 1013904223;
        w = 1 + (r >> 8) % 700;
        h = 1 + (r >> 16) % 700;
        d = 1 + (r >> 12) % 20;
        m = chain(chips[i % 5], 8 + r % 20, 8u << (r >> 29) % 5, w, h, w, d, r >> 20 & 1);
        levels = 32 - (unsigned)__builtin_clz(MAX2(w, h));
        /* Pitches are programmed as powers of two whole tiles wide. */
        m.pitch = 1u << (32 - __builtin_clz(MAX2(w, 256u) - 1));
        for (unsigned k = 0; k < levels; k++) {
            if (mem_mip_surface(&s, &m, BASE, k, NULL))
                break;
            if (s.base_va - BASE < end || s.pitch < m.pitch >> k || s.height < h >> k)
                ck_abort_msg("%s tile mode %x, %u x %u x %u: level %u at 0x%llx, before it 0x%llx",
                             chips[i % 5], m.tile_mode, w, h, d, k,
                             (unsigned long long)(s.base_va - BASE), (unsigned long long)end);
            end = s.base_va - BASE + s.size_bytes;
        }
    }
}
END_TEST

START_TEST(what_cannot_be)
{
    struct mem_mips m = chain("bonaire", 14, 32, 256, 256, 256, 1, false);
    struct mem_surface s;
    struct err e;

    ck_assert_int_eq(mem_mip_surface(&s, &m, BASE, 16, &e), -1);
    m.width = 0;
    ck_assert_int_eq(mem_mip_surface(&s, &m, BASE, 0, &e), -1);
    for (uint32_t r = 1, i = 0; i < 20000; i++) {
        r = r * 1664525 + 1013904223;
        m = chain(i & 1 ? "bonaire" : "tahiti", 0, 8u << i % 5, r % 5000, r >> 5 & 0x3fff,
                  r >> 7 & 0x3fff, r % 50, r >> 31);
        m.tile_mode = r * 31;
        m.addr_config = r * 17;
        if (!mem_mip_surface(&s, &m, BASE | r, r >> 28, &e))
            mem_surface_offset(&s, r, ~r, r >> 3, 0);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mips");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_test(tc, known_levels);
    tcase_add_test(tc, padding);
    tcase_add_test(tc, swizzle_stays_with_2d_levels);
    tcase_add_test(tc, levels_are_apart);
    tcase_add_test(tc, what_cannot_be);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
