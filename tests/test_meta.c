/* mem/meta.c: no two tiles share an element of CMASK, HTILE or texture-readable metadata, elements
 * stay within the surface, and FMASK elements hold their samples. */
#include "mem/mem.h"

#include <check.h>
#include <stdlib.h>

static uint8_t seen[1 << 20];

/* Pipe configurations whose equations tell every tile apart (docs/errata.md, E-bank-adjust). */
static bool usable(int pipe)
{
    return mem_pipe_count(pipe) && pipe != MEM_PIPE_P8_16x16_8x16;
}

static void check_elements(enum gfx gen, int pipe, bool htile, bool linear, uint32_t pitch,
                           uint32_t height, uint32_t slices)
{
    struct mem_tiling t = { .pipe_config = pipe, .pipe_interleave_bytes = 256 };
    struct mem_meta m;
    unsigned unit = htile ? 4 : 1; /* bytes, or nibbles */
    uint64_t size;

    ck_assert(!(htile ? mem_htile_init : mem_cmask_init)(&m, gen, &t, pitch, height, slices,
                                                         linear, NULL));
    ck_assert(m.pitch >= pitch && m.height >= height);
    size = m.size_bytes * (htile ? 1 : 2);
    ck_assert_uint_eq(m.size_bytes, m.slice_bytes * slices);
    ck_assert_uint_le(size / unit, sizeof seen);
    memset(seen, 0, size / unit);
    for (uint32_t z = 0; z < slices; z++)
        for (uint32_t y = 0; y < height; y += 8)
            for (uint32_t x = 0; x < pitch; x += 8) {
                uint64_t o = htile ? mem_htile_offset(&m, x, y, z) : mem_cmask_nibble(&m, x, y, z);

                if (o >= size || o % unit || seen[o / unit])
                    ck_abort_msg("%s, pipes %d, %s %s: tile (%u, %u, %u) at %llu of %llu",
                                 gfx_name(gen), pipe, linear ? "linear" : "tiled",
                                 htile ? "HTILE" : "CMASK", x, y, z, (unsigned long long)o,
                                 (unsigned long long)size);
                seen[o / unit] = 1;
                /* All pixels of a tile share it. */
                if (o != (htile ? mem_htile_offset(&m, x + 7, y + 5, z)
                                : mem_cmask_nibble(&m, x + 7, y + 5, z)))
                    ck_abort_msg("inside tile (%u, %u)", x, y);
            }
}

START_TEST(elements_are_apart)
{
    for (int pipe = 0; pipe < 32; pipe++)
        for (int htile = 0; htile < 2 && usable(pipe); htile++) {
            check_elements(GFX7, pipe, htile, false, 1000, 520, 3);
            check_elements(GFX6, pipe, htile, false, 64, 64, 2);
            /* GFX6 pads some configurations too little when linear; GFX7 does not. */
            check_elements(GFX7, pipe, htile, true, 520, 264, 1);
            check_elements(GFX8, pipe, htile, true, 64, 64, 1);
        }
}
END_TEST

START_TEST(what_cannot_be)
{
    struct mem_tiling t = { .pipe_config = MEM_PIPE_P4_16x16, .pipe_interleave_bytes = 256 };
    struct mem_meta m;
    struct err e;

    ck_assert_int_eq(mem_cmask_init(&m, GFX9, &t, 64, 64, 1, false, &e), -1);
    ck_assert_int_eq(mem_cmask_init(&m, GFX7, &t, UINT32_MAX, 64, 1, false, &e), -1);
    t.pipe_interleave_bytes = 0;
    ck_assert_int_eq(mem_htile_init(&m, GFX7, &t, 64, 64, 1, false, &e), -1);
    t.pipe_interleave_bytes = 256;
    t.pipe_config = 3;
    ck_assert_int_eq(mem_htile_init(&m, GFX7, &t, 64, 64, 1, false, &e), -1);
    t.pipe_config = MEM_PIPE_P2;
    ck_assert_int_eq(mem_cmask_init(&m, GFX7, &t, 0, 0, 0, false, &e), 0);
    mem_cmask_nibble(&m, UINT32_MAX, UINT32_MAX, UINT32_MAX);
}
END_TEST

/* DCC: one byte for each 256 of colour, all bytes of the block agree, no two blocks share. */
START_TEST(dcc_follows_the_data)
{
    const struct mem_tiling t = { MEM_ARRAY_2D_TILED_THIN1, MEM_MICRO_THIN,
                                  MEM_PIPE_P8_32x32_16x16, 512, 1, 2, 2, 16, 256 };
    struct mem_surface s;

    ck_assert(!mem_surface_init(&s, &t, 0, 64, 1, 512, 512, 1, NULL));
    ck_assert_uint_le(s.size_bytes / 256, sizeof seen);
    memset(seen, 0, s.size_bytes / 256);
    for (uint64_t o = 0; o < s.size_bytes; o += 256) {
        uint64_t n = mem_tc_meta_nibble(&s, o, 8, 256, 1);

        if (n % 2 || n / 2 >= s.size_bytes / 256 || seen[n / 2])
            ck_abort_msg("block at %llu: byte %llu", (unsigned long long)o,
                         (unsigned long long)n / 2);
        seen[n / 2] = 1;
        if (mem_tc_meta_nibble(&s, o + 255, 8, 256, 1) != n)
            ck_abort_msg("block at %llu is torn", (unsigned long long)o);
    }
    /* The two blocks of an 8x8 tile have neighbouring bytes. */
    for (uint32_t y = 0; y < 512; y += 8)
        for (uint32_t x = 0; x < 512; x += 8) {
            uint64_t a = mem_tc_meta_nibble(&s, mem_surface_offset(&s, x, y, 0, 0), 8, 256, 1);
            uint64_t b = mem_tc_meta_nibble(&s, mem_surface_offset(&s, x + 7, y + 7, 0, 0), 8, 256, 1);

            if (b != a + 2)
                ck_abort_msg("tile (%u, %u): %llu, %llu", x, y, (unsigned long long)a,
                             (unsigned long long)b);
    }
}
END_TEST

START_TEST(fmask_elements)
{
    unsigned bits, per;

    ck_assert(mem_fmask_layout(4, 4, &bits, &per) && bits == 8 && per == 2);
    ck_assert(mem_fmask_layout(8, 8, &bits, &per) && bits == 32 && per == 4);
    ck_assert(mem_fmask_layout(8, 2, &bits, &per) && bits == 16 && per == 2);
    ck_assert(!mem_fmask_layout(1, 1, &bits, &per) && !mem_fmask_layout(2, 4, &bits, &per));
    for (unsigned samples = 2; samples <= 16; samples *= 2)
        for (unsigned fragments = 1; fragments <= MIN2(samples, 8u); fragments *= 2) {
            ck_assert(mem_fmask_layout(samples, fragments, &bits, &per));
            ck_assert_uint_le(samples * per, bits);
            /* Every fragment has a code, and with EQAA so has "none". */
            ck_assert_uint_ge(1u << per, fragments + (fragments < samples));
        }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("meta");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_test(tc, elements_are_apart);
    tcase_add_test(tc, what_cannot_be);
    tcase_add_test(tc, dcc_follows_the_data);
    tcase_add_test(tc, fmask_elements);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
