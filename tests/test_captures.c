/* The captures of $SHARED/captures through the whole device.
 *
 * Compute: out[i] = 3 * i + in[i] on a chip of each generation, compared with what lavapipe
 * computed. The output buffer is the one that the program filled with 0xdeadbeef.
 * Graphics: the image that a program read back (into the buffer that it filled with 0x55; the GL
 * ones say where) against lavapipe's and llvmpipe's: the same pixels covered, colours within 1/255, those of
 * textures exact. */
#include "emu/capture.h"
#include "emu/gpu.h"

#include <check.h>
#include <png.h>
#include <stdlib.h>
#include <unistd.h>

#define ITEMS 1024

static char folder[] = "/tmp/atoll-captures-XXXXXX";

static const char *shared(void)
{
    const char *s = getenv("SHARED");

    return s ? s : "../shared";
}

/* Unpack the archive. False when there is none. */
static bool unpack(void)
{
    char command[4096];

    snprintf(command, sizeof command, "%s/captures/mesa-22.3.6.tar.zst", shared());
    if (access(command, R_OK) || !mkdtemp(folder))
        return false;
    snprintf(command, sizeof command,
             "zstd -dcq '%s/captures/mesa-22.3.6.tar.zst' | tar x -C %s", shared(),
             folder);
    return system(command) == 0;
}

/* Run a capture; *marked is the last address at which memory that starts with `mark` was
 * loaded. */
static struct atoll_gpu *run(const char *name, uint32_t mark, uint64_t *marked)
{
    struct atoll_options opt = {.quiet = 1, .strict = 1};
    struct capture_reader *r;
    struct capture_record rec;
    struct atoll_gpu *gpu;
    struct err e = {{0}};
    char path[4096];
    int got;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    r = capture_open_any(path, &e);
    ck_assert_msg(r != NULL, "%s", e.text);
    gpu = atoll_gpu_create(capture_header(r)->chip, &opt);
    ck_assert_ptr_nonnull(gpu);
    while ((got = capture_next(r, &rec, &e)) == 1) {
        struct atoll_ib ibs[16];

        switch (rec.kind) {
        case CAPTURE_MAP:
            ck_assert_int_eq(atoll_map(gpu, rec.map.va, rec.map.bytes, NULL), 0);
            break;
        case CAPTURE_UNMAP:
            ck_assert_int_eq(atoll_unmap(gpu, rec.unmap.va, rec.unmap.bytes), 0);
            break;
        case CAPTURE_MEMORY:
            ck_assert_int_eq(
                atoll_write(gpu, rec.memory.va, rec.memory.data, rec.memory.bytes), 0);
            if (load_le32(rec.memory.data) == mark)
                *marked = rec.memory.va;
            break;
        case CAPTURE_SUBMIT:
            ck_assert_uint_le(rec.submit.ib_count, ARRAY_LEN(ibs));
            for (unsigned i = 0; i < rec.submit.ib_count; i++)
                ibs[i] = (struct atoll_ib){rec.submit.ibs[i].ring, rec.submit.ibs[i].va,
                                           rec.submit.ibs[i].size_dw};
            ck_assert_msg(atoll_submit(gpu, ibs, rec.submit.ib_count) == 0, "%s",
                          atoll_error(gpu));
            break;
        default:
            break;
        }
    }
    ck_assert_msg(got == 0, "%s", e.text);
    capture_close(r);
    return gpu;
}

START_TEST(compute)
{
    const char *names[] = {"bonaire_a", "pitcairn_a", "polaris10_a", "vega10_a"};
    uint32_t out[ITEMS], expected;
    uint64_t va = 0;
    struct atoll_gpu *gpu = run(names[_i], 0xdeadbeef, &va);
    char path[4096];
    FILE *f;

    ck_assert_uint_ne(va, 0);
    ck_assert_int_eq(atoll_read(gpu, va, out, sizeof out), 0);
    snprintf(path, sizeof path, "%s/captures/reference/a.lavapipe.txt", shared());
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    for (unsigned i = 0; i < ITEMS; i++) {
        ck_assert_int_eq(fscanf(f, "%u", &expected), 1);
        ck_assert_msg(out[i] == expected, "%s: item %u is %u, lavapipe has %u", names[_i],
                      i, out[i], expected);
    }
    fclose(f);
    atoll_gpu_destroy(gpu);
}
END_TEST

/* The same submission twice on two devices gives the same counters, to the byte. */
START_TEST(deterministic)
{
    uint64_t va = 0;
    struct atoll_gpu *a = run("bonaire_a", 0xdeadbeef, &va), *b = run("bonaire_a", 0xdeadbeef, &va);
    char *ca = atoll_counters_json(a), *cb = atoll_counters_json(b);

    ck_assert_str_eq(ca, cb);
    ck_assert_ptr_nonnull(strstr(ca, "\"waves\": 16"));
    free(ca);
    free(cb);
    atoll_gpu_destroy(a);
    atoll_gpu_destroy(b);
}
END_TEST

#define SIDE 256 /* pixels of every image */

static const struct {
    const char *name, *reference;
    uint64_t va;     /* of the image; 0: the buffer filled with 0x55 */
    bool bottom_up;
} images[] = {
    {"bonaire_b", "b.lavapipe.png", 0, false},
    {"bonaire_b_simple", "b.lavapipe.png", 0, false},
    {"bonaire_c", "c.lavapipe.png", 0, false},
    {"bonaire_c_simple", "c.lavapipe.png", 0, false},
    {"bonaire_d", "d.lavapipe.png", 0, false},
    {"bonaire_d_simple", "d.lavapipe.png", 0, false},
    {"bonaire_d_nearest", "d_nearest.lavapipe.png", 0, false},
    {"si_bonaire_tri", "gl_tri.llvmpipe.png", 0x100400000, true},
    {"si_bonaire_depth_simple", "gl_depth.llvmpipe.png", 0x100400000, true},
    {"pitcairn_b", "b.lavapipe.png", 0, false},
    {"pitcairn_c", "c.lavapipe.png", 0, false},
    {"pitcairn_d", "d.lavapipe.png", 0, false},
    {"polaris10_b", "b.lavapipe.png", 0, false},
    {"polaris10_c", "c.lavapipe.png", 0, false},
    {"polaris10_d", "d.lavapipe.png", 0, false},
    {"vega10_b", "b.lavapipe.png", 0, false},
    {"vega10_c", "c.lavapipe.png", 0, false},
    {"vega10_d", "d.lavapipe.png", 0, false},
};

static uint8_t got_px[SIDE][SIDE][4], want_px[SIDE][SIDE][4];

static void read_png(const char *name)
{
    png_image im = {.version = PNG_IMAGE_VERSION};
    char path[4096];

    snprintf(path, sizeof path, "%s/captures/reference/%s", shared(), name);
    ck_assert_msg(png_image_begin_read_from_file(&im, path), "%s: %s", path, im.message);
    im.format = PNG_FORMAT_RGBA;
    ck_assert_uint_eq(PNG_IMAGE_SIZE(im), sizeof want_px);
    ck_assert(png_image_finish_read(&im, NULL, want_px, 0, NULL));
}

START_TEST(graphics)
{
    uint64_t va = 0;
    struct atoll_gpu *gpu = run(images[_i].name, 0x55555555, &va);

    if (images[_i].va)
        va = images[_i].va;
    ck_assert_uint_ne(va, 0);
    ck_assert_int_eq(atoll_read(gpu, va, got_px, sizeof got_px), 0);
    read_png(images[_i].reference);
    const int tolerance = images[_i].reference[0] == 'd' ? 0 : 1; /* textures: exact */
    const uint8_t *background = got_px[images[_i].bottom_up ? SIDE - 1 : 0][0];
    int worst = 0;

    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const uint8_t *g = got_px[images[_i].bottom_up ? SIDE - 1 - y : y][x];
            const uint8_t *w = want_px[y][x];

            for (int c = 0; c < 4; c++)
                worst = MAX2(worst, abs(g[c] - w[c]));
            /* No image covers its first pixel. */
            ck_assert_msg(!memcmp(g, background, 4) == !memcmp(w, want_px[0][0], 4),
                          "%s: pixel %d,%d is covered in one of them", images[_i].name, x, y);
            for (int c = 0; c < 4; c++)
                ck_assert_msg(abs(g[c] - w[c]) <= tolerance,
                              "%s: pixel %d,%d is %u,%u,%u,%u, reference %u,%u,%u,%u",
                              images[_i].name, x, y, g[0], g[1], g[2], g[3], w[0], w[1],
                              w[2], w[3]);
        }
    if (getenv("VERBOSE"))
        printf("%s: colours differ by %d at most\n", images[_i].name, worst);
    atoll_gpu_destroy(gpu);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("captures");
    TCase *tc = tcase_create("compute");
    SRunner *sr;
    char command[4096];
    int failed;

    if (!unpack()) {
        fprintf(stderr, "SKIPPED: no captures in %s\n", shared());
        return 77;
    }
    tcase_add_loop_test(tc, compute, 0, 4);
    tcase_add_test(tc, deterministic);
    suite_add_tcase(s, tc);
    tc = tcase_create("graphics");
    tcase_add_loop_test(tc, graphics, 0, ARRAY_LEN(images));
    suite_add_tcase(s, tc);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command))
        perror(folder);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
