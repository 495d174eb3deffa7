/* deferred: deferred shading with multisampling on the emulated hardware. docs/deferred.md is its tutorial.
 *
 *   examples/deferred/deferred DIR
 *
 * renders a scene's surfaces into several targets, then lights it in three ways, and says what each pass cost and where
 * the images differ. DIR gets the images, counters.json, and deferred.gcap for `atoll replay`. */
#include "examples/deferred/deferred.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static void print_cost(const char *name, const struct ds_cost *c)
{
    const uint64_t v[] = {c->runs, c->killed, c->early_culled, c->blended, c->fp16, c->snorm16, c->r32, c->unorm16};

    printf("%-26s", name);
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++)
        printf(" %8llu", (unsigned long long)v[i]);
    printf("\n");
}

static void print_difference(const char *name, uint32_t (*a)[DS_WIDTH], uint32_t (*b)[DS_WIDTH])
{
    unsigned pixels = 0;
    int most = 0;

    for (unsigned y = 0; y < DS_HEIGHT; y++)
        for (unsigned x = 0; x < DS_WIDTH; x++) {
            pixels += a[y][x] != b[y][x];
            for (unsigned c = 0; c < 32; c += 8) {
                const int d = (int)(a[y][x] >> c & 255) - (int)(b[y][x] >> c & 255);

                most = d > most ? d : -d > most ? -d : most;
            }
        }
    printf("%s: %u of %u pixels differ, by at most %d/255\n", name, pixels, DS_WIDTH * DS_HEIGHT, most);
}

int main(int argc, char **argv)
{
    static struct ds_result r;

    if (argc != 2) {
        fprintf(stderr, "usage: deferred DIR\n");
        return 2;
    }
    if (mkdir(argv[1], 0777) && errno != EEXIST)
        hw_fail(argv[1], strerror(errno));
    ds_run(argv[1], &r);
    printf("%-26s  PS runs   killed   culled  blended   fp16    snorm16     32_r  unorm16\n", "");
    print_cost("geometry", &r.geometry);
    print_cost("edges", &r.edges);
    print_cost("back faces: pixels", &r.pixels[DS_BACK]);
    print_cost("back faces: edge samples", &r.samples[DS_BACK]);
    print_cost("front faces: pixels", &r.pixels[DS_FRONT]);
    print_cost("front faces: edge samples", &r.samples[DS_FRONT]);
    print_cost("front faces: all samples", &r.samples[DS_EVERY_SAMPLE]);
    print_cost("compose (each)", &r.compose);
    print_difference("front faces, back faces", r.image[DS_FRONT], r.image[DS_BACK]);
    print_difference("only edges, all samples", r.image[DS_FRONT], r.image[DS_EVERY_SAMPLE]);
    return 0;
}
