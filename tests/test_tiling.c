/* mem/tiling.c: 7,980 addresses computed by AMD's address library for Bonaire ($SHARED/oracle), and
 * properties that hold without it: every mode is a bijection from elements onto the bytes of the
 * surface, and the quad and row forms agree with the single one.
 *
 * Exit 77 (after everything else has passed) when the oracle is not there. */
#include "base/chip.h"
#include "mem/mem.h"

#include <check.h>
#include <stdlib.h>
#include <zstd.h>

/* ---- the oracle -------------------------------------------------------------------------- */

static char *oracle_path(char *out, size_t n)
{
    const char *shared = getenv("SHARED");

    snprintf(out, n, "%s/oracle/addrlib_bonaire.csv.zst", shared ? shared : "../shared");
    return out;
}

/* The whole decompressed file, with a 0 after it; NULL when there is none. */
static char *read_oracle(void)
{
    char path[512], *packed, *text;
    FILE *f = fopen(oracle_path(path, sizeof path), "rb");
    long packed_bytes;
    size_t n, room = 8 << 20;

    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    packed_bytes = ftell(f);
    rewind(f);
    packed = malloc((size_t)packed_bytes);
    text = malloc(room);
    ck_assert_uint_eq(fread(packed, 1, (size_t)packed_bytes, f), (size_t)packed_bytes);
    fclose(f);
    n = ZSTD_decompress(text, room - 1, packed, (size_t)packed_bytes);
    ck_assert(!ZSTD_isError(n));
    text[n] = 0;
    free(packed);
    return text;
}

START_TEST(addrlib_rows)
{
    const struct chip *c = chip_find("bonaire");
    char *text = read_oracle(), *line, *save = NULL;
    unsigned rows = 0;

    if (!text)
        return; /* main() says so */
    strtok_r(text, "\n", &save);
    while ((line = strtok_r(NULL, "\n", &save))) {
        char mode[32], kind[16];
        unsigned bpp, samples, frags, pitch, height, x, y, sample;
        int tile_index, macro_index;
        unsigned long long size, align, addr, got;
        struct mem_tiling t;
        struct mem_surface s;
        struct err e = { "" };

        ck_assert_int_eq(sscanf(line, "%31[^,],%15[^,],%u,%u,%u,%d,%d,%u,%u,%llu,%llu,%u,%u,%u,%llu",
                                mode, kind, &bpp, &samples, &frags, &tile_index, &macro_index,
                                &pitch, &height, &size, &align, &x, &y, &sample, &addr), 15);
        ck_assert_int_eq(mem_macrotile_index(c->gb_addr_config, c->tile_modes[tile_index], bpp,
                                             frags), macro_index);
        ck_assert_msg(!mem_tiling_decode(&t, c->gen, c->gb_addr_config,
                                         c->tile_modes[tile_index], c->macrotile_modes, bpp,
                                         frags, &e) &&
                      !mem_surface_init(&s, &t, 0, bpp, frags, pitch, height, 1, &e),
                      "%s: %s", line, e.text);
        got = mem_surface_offset(&s, x, y, 0, sample);
        ck_assert_msg(got == addr, "%s: got %llu", line, got);
        ck_assert_uint_eq(s.size_bytes, size);
        rows++;
    }
    ck_assert_uint_eq(rows, 7980);
    free(text);
}
END_TEST

/* Slices, samples, splits, swizzles and other chips' pipes, as the same library gives them. */
START_TEST(known_addresses)
{
    static const struct {
        struct mem_tiling t;
        unsigned bits, samples, swizzle;
        uint32_t pitch, height, x, y, slice, sample;
        uint64_t want;
    } rows[] = {
        { { 4, 1, 5, 256, 1, 2, 2, 8, 256 }, 32, 8, 0x5, 256, 256, 77, 123, 3, 6, 0x796f6c },
        { { 4, 2, 10, 512, 2, 1, 1, 16, 256 }, 32, 8, 0x23, 512, 256, 301, 99, 5, 7, 0x154e87c },
        { { 12, 1, 5, 1024, 1, 2, 2, 8, 256 }, 32, 1, 0x0, 256, 256, 77, 123, 7, 0, 0x1d796c },
        { { 12, 1, 12, 1024, 1, 1, 2, 16, 256 }, 64, 1, 0x9, 256, 256, 177, 23, 13, 0, 0x699d58 },
        { { 13, 4, 17, 1024, 1, 1, 2, 16, 256 }, 32, 1, 0x3, 512, 256, 177, 123, 29, 0, 0xe8fc6c },
        { { 14, 4, 12, 2048, 1, 1, 2, 16, 256 }, 16, 1, 0x0, 512, 256, 177, 123, 27, 0, 0x6a7176 },
        { { 7, 1, 4, 1024, 1, 1, 2, 16, 256 }, 8, 1, 0x2, 256, 256, 200, 31, 22, 0, 0x14e7aa },
        { { 8, 1, 0, 1024, 1, 2, 1, 8, 256 }, 32, 1, 0x1, 256, 256, 200, 31, 62, 0, 0xeceba8 },
        { { 5, 1, 16, 1024, 2, 2, 2, 8, 256 }, 32, 1, 0x0, 1024, 512, 777, 333, 2, 0, 0x57138c },
        { { 6, 1, 11, 256, 1, 2, 2, 16, 256 }, 32, 4, 0x4, 512, 512, 300, 400, 1, 3, 0x7e2540 },
        { { 11, 1, 13, 256, 1, 2, 4, 16, 256 }, 32, 2, 0x4, 512, 512, 300, 400, 1, 1, 0x3d3140 },
        { { 9, 4, 5, 1024, 1, 4, 2, 8, 256 }, 32, 1, 0x0, 512, 512, 300, 400, 9, 0, 0xb92720 },
        { { 3, 4, 5, 1024, 1, 1, 1, 2, 256 }, 64, 1, 0x0, 64, 64, 30, 40, 9, 0, 0x55a60 },
        { { 2, 0, 5, 64, 1, 1, 1, 2, 256 }, 16, 1, 0x0, 64, 64, 30, 41, 2, 0, 0x559c },
        { { 2, 3, 5, 64, 1, 1, 1, 2, 256 }, 64, 1, 0x0, 64, 64, 30, 41, 1, 0, 0xd6c8 },
        { { 4, 0, 14, 1024, 1, 2, 4, 8, 256 }, 128, 1, 0x0, 1024, 512, 999, 501, 1, 0, 0xfe81f0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct mem_surface s;
        uint64_t got;

        ck_assert(!mem_surface_init(&s, &rows[i].t, (uint64_t)rows[i].swizzle << 8, rows[i].bits,
                                    rows[i].samples, rows[i].pitch, rows[i].height, 64, NULL));
        got = mem_surface_offset(&s, rows[i].x, rows[i].y, rows[i].slice, rows[i].sample);
        ck_assert_msg(got == rows[i].want, "row %zu: 0x%llx", i, (unsigned long long)got);
    }
}
END_TEST

/* ---- properties -------------------------------------------------------------------------- */

/* Every element of every slice and sample has its own place in 0 .. size_bytes - 1, aligned to its
 * size, and together they fill it. */
static void check_bijection(const struct mem_surface *s, const char *what)
{
    uint64_t elements = (uint64_t)s->pitch * s->height * s->slices * s->samples;
    static uint8_t seen[1 << 20];
    uint64_t row[4096];

    if (elements * s->element_bytes != s->size_bytes)
        ck_abort_msg("%s: %llu bytes of elements, size %llu", what,
                     (unsigned long long)elements * s->element_bytes,
                     (unsigned long long)s->size_bytes);
    ck_assert(s->pitch <= ARRAY_LEN(row) && elements <= sizeof seen);
    memset(seen, 0, elements);
    for (uint32_t z = 0; z < s->slices; z++)
        for (uint32_t sample = 0; sample < s->samples; sample++)
            for (uint32_t y = 0; y < s->height; y++) {
                mem_surface_row(s, 0, y, z, sample, s->pitch, row);
                for (uint32_t x = 0; x < s->pitch; x++) {
                    uint64_t o = row[x], i = o / s->element_bytes;

                    /* (Check's own assertions cost a system call each.) */
                    if (o >= s->size_bytes || o % s->element_bytes || seen[i])
                        ck_abort_msg("%s: (%u, %u, %u, %u) at %llu", what, x, y, z, sample,
                                     (unsigned long long)o);
                    seen[i] = 1;
                }
            }
}

static void check_forms_agree(const struct mem_surface *s)
{
    uint32_t r = 1;

    for (int i = 0; i < 200; i++) {
        uint64_t quad[4], row[9];
        uint32_t x, y, z, sample;

        r = r * 1664525 + 1013904223;
        x = (r >> 8) % s->pitch & ~1u;
        y = (r >> 16) % s->height & ~1u;
        z = (r >> 20) % s->slices;
        sample = (r >> 24) % s->samples;
        mem_surface_quad(s, x, y, z, sample, quad);
        for (uint32_t k = 0; k < 4; k++)
            if (quad[k] != mem_surface_offset(s, x + (k & 1), y + (k >> 1), z, sample))
                ck_abort_msg("quad (%u, %u, %u, %u)", x, y, z, sample);
        mem_surface_row(s, x, y, z, sample, 9, row);
        for (uint32_t k = 0; k < 9; k++)
            if (row[k] != mem_surface_offset(s, x + k, y, z, sample))
                ck_abort_msg("row (%u, %u, %u, %u)", x, y, z, sample);
    }
}

/* Every array mode with every micro tile mode, element size and sample count that go together. */
START_TEST(modes_are_bijections)
{
    unsigned n = 0;

    for (int array = 0; array < 16; array++)
        for (int micro = 0; micro < 5; micro++)
            for (unsigned bits = 8; bits <= 128; bits *= 2)
                for (unsigned samples = 1; samples <= 8; samples *= 2) {
                    unsigned thick = mem_array_thickness(array);
                    struct mem_tiling t = { array, micro, MEM_PIPE_P4_16x16,
                                            micro == MEM_MICRO_DEPTH ? 256 : 1024, 1, 2, 2, 8,
                                            256 };
                    struct mem_surface s;
                    char what[128];
                    bool ok;

                    snprintf(what, sizeof what, "array %d micro %d, %u bits, %u samples", array,
                             micro, bits, samples);
                    ok = !mem_surface_init(&s, &t, 0, bits, samples, 64, 128, 2 * thick, NULL);
                    /* What cannot be: thick order in thin modes, rotated 128-bit elements. */
                    ck_assert_int_eq(ok, array < 2 || !((micro == MEM_MICRO_THICK && thick == 1) ||
                                                        (micro == MEM_MICRO_ROTATED && bits == 128)));
                    if (!ok || (thick > 1 && samples > 1))
                        continue;
                    check_bijection(&s, what);
                    check_forms_agree(&s);
                    n++;
                }
    ck_assert_uint_ge(n, 600);
}
END_TEST

/* Every pipe configuration with banks, bank sizes, aspects and swizzles. */
START_TEST(pipes_and_banks_are_bijections)
{
    for (int pipe = 0; pipe < 32; pipe++)
        for (unsigned banks = 2; banks <= 16; banks *= 2)
            for (unsigned bw = 1; bw <= 8; bw *= 2)
                for (unsigned bh = 1; bh <= 8; bh *= 2)
                    for (unsigned aspect = 1; aspect <= 8; aspect *= 2) {
                        struct mem_tiling t = { MEM_ARRAY_2D_TILED_THIN1, MEM_MICRO_THIN, pipe,
                                                256, bw, bh, aspect, banks, 256 };
                        struct mem_surface s;
                        char what[128];
                        uint32_t selects = banks * MAX2(mem_pipe_count(pipe), 1u);
                        uint64_t swizzle = (banks * bw * 37 + aspect) % selects << 8;
                        bool ok = !mem_surface_init(&s, &t, 0x10000000 | swizzle, 32, 1, 0, 0, 1,
                                                    NULL);

                        if (ok != (mem_pipe_count(pipe) && aspect <= banks))
                            ck_abort_msg("pipes %d, banks %u, aspect %u", pipe, banks, aspect);
                        if (!ok || s.macro_width * s.macro_height > 1 << 14)
                            continue;
                        /* Configurations that no chip uses and that do not work out: see
                         * docs/errata.md, E-bank-adjust. */
                        if (pipe == MEM_PIPE_P8_16x16_8x16)
                            continue;
                        if ((pipe == MEM_PIPE_P4_32x32 || pipe == MEM_PIPE_P8_32x64_32x32) &&
                            (bw > 1 || aspect == 1))
                            continue;
                        snprintf(what, sizeof what, "pipes %d, banks %u %ux%u aspect %u", pipe,
                                 banks, bw, bh, aspect);
                        ck_assert(!mem_surface_init(&s, &t, 0x10000000 | swizzle, 32, 1,
                                                    2 * s.macro_width, s.macro_height, 2, NULL));
                        ck_assert_uint_eq(s.base_va, 0x10000000);
                        check_bijection(&s, what);
                    }
}
END_TEST

START_TEST(swizzle_moves_bank_and_pipe)
{
    struct mem_tiling t = { MEM_ARRAY_2D_TILED_THIN1, MEM_MICRO_THIN, MEM_PIPE_P4_16x16, 1024, 1, 2,
                            2, 16, 256 };
    struct mem_surface plain, moved;

    ck_assert(!mem_surface_init(&plain, &t, 0x100000, 32, 1, 256, 256, 1, NULL));
    ck_assert(!mem_surface_init(&moved, &t, 0x100000 | 0x2d00, 32, 1, 256, 256, 1, NULL));
    ck_assert_uint_eq(moved.base_va, plain.base_va);
    for (uint32_t y = 0; y < 256; y += 3)
        for (uint32_t x = 0; x < 256; x += 5)
            ck_assert_uint_eq(mem_surface_offset(&moved, x, y, 0, 0),
                              mem_surface_offset(&plain, x, y, 0, 0) ^ 0x2d00);
}
END_TEST

START_TEST(registers_that_cannot_be)
{
    struct mem_tiling t, good = { MEM_ARRAY_2D_TILED_THIN1, MEM_MICRO_THIN, MEM_PIPE_P2, 256, 1, 1,
                                  1, 2, 256 };
    struct mem_surface s;
    struct err e;
    const uint32_t macro[16] = { 0 };

    ck_assert_int_eq(mem_surface_init(&s, &good, 0, 24, 1, 64, 64, 1, &e), -1);
    ck_assert_int_eq(mem_surface_init(&s, &good, 0, 0, 1, 64, 64, 1, &e), -1);
    ck_assert_int_eq(mem_surface_init(&s, &good, 0, 256, 1, 64, 64, 1, &e), -1);
    ck_assert_int_eq(mem_surface_init(&s, &good, 0, 32, 3, 64, 64, 1, &e), -1);
    ck_assert_int_eq(mem_surface_init(&s, &good, 0, 32, 32, 64, 64, 1, &e), -1);
    t = good, t.micro_mode = 7;
    ck_assert_int_eq(mem_surface_init(&s, &t, 0, 32, 1, 64, 64, 1, &e), -1);
    t = good, t.array_mode = 16;
    ck_assert_int_eq(mem_surface_init(&s, &t, 0, 32, 1, 64, 64, 1, &e), -1);
    t = good, t.banks = 32;
    ck_assert_int_eq(mem_surface_init(&s, &t, 0, 32, 1, 64, 64, 1, &e), -1);

    /* Any register value decodes to something, and any coordinate has some offset. */
    for (uint32_t r = 1, i = 0; i < 20000; i++) {
        r = r * 1664525 + 1013904223;
        ck_assert_int_eq(mem_tiling_decode(&t, i % 3, r * 77, r, macro, 8u << i % 5, 1u << i % 5,
                                           &e), 0);
        if (!mem_surface_init(&s, &t, r, 8u << i % 5, 1u << i % 5, r % 999, r % 777, 3, &e))
            mem_surface_offset(&s, UINT32_MAX - r, ~r, r * 3, r * 5);
    }
    ck_assert_int_eq(mem_tiling_decode(&t, GFX9, 0, 0, macro, 32, 1, &e), -1);
    ck_assert_int_eq(mem_tiling_decode(&t, GFX7, 0, 0, macro, 12, 1, &e), -1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tiling");
    TCase *tc = tcase_create("all");
    SRunner *sr = srunner_create(s);
    char path[512];
    FILE *f;
    int failed;

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, addrlib_rows);
    tcase_add_test(tc, known_addresses);
    tcase_add_test(tc, modes_are_bijections);
    tcase_add_test(tc, pipes_and_banks_are_bijections);
    tcase_add_test(tc, swizzle_moves_bank_and_pipe);
    tcase_add_test(tc, registers_that_cannot_be);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    if (failed)
        return EXIT_FAILURE;
    f = fopen(oracle_path(path, sizeof path), "rb");
    if (!f) {
        printf("SKIP: %s is not there; only the properties were checked\n", path);
        return 77;
    }
    fclose(f);
    return EXIT_SUCCESS;
}
