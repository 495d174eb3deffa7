/* checkerboard: half the pixels in each frame, on the emulated hardware. docs/checkerboard.md is its tutorial.
 *
 *   examples/checkerboard/checkerboard DIR
 *
 * renders a scene at full rate and as two checkerboard frames, puts those together, and says what it cost and where
 * the images differ. DIR gets the images, counters.json, and checkerboard.gcap for `atoll replay`. */
#include "examples/checkerboard/checkerboard.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static void print_cost(const char *name, const struct cb_cost *c, const struct cb_cost *full)
{
    printf("%-12s %8llu %6.1f%% %8llu %8llu %8llu\n", name, (unsigned long long)c->invocations,
           100.0 * (double)c->invocations / (double)full->invocations, (unsigned long long)c->quads,
           (unsigned long long)c->samples, (unsigned long long)c->pixels_written);
}

static unsigned largest_channel(uint32_t a, uint32_t b)
{
    unsigned most = 0;

    for (unsigned c = 0; c < 32; c += 8) {
        const int d = (int)(a >> c & 255) - (int)(b >> c & 255);

        if ((unsigned)(d < 0 ? -d : d) > most)
            most = (unsigned)(d < 0 ? -d : d);
    }
    return most;
}

static void print_difference(const char *name, uint32_t (*a)[CB_WIDTH], uint32_t (*b)[CB_WIDTH])
{
    unsigned pixels = 0, most = 0;

    for (unsigned y = 0; y < CB_HEIGHT; y++)
        for (unsigned x = 0; x < CB_WIDTH; x++) {
            const unsigned d = largest_channel(a[y][x], b[y][x]);

            pixels += d != 0;
            if (d > most)
                most = d;
        }
    printf("%-34s %5u of %u pixels differ, by at most %u/255\n", name, pixels, CB_WIDTH * CB_HEIGHT, most);
}

int main(int argc, char **argv)
{
    static struct cb_result r;

    if (argc != 2) {
        fprintf(stderr, "usage: checkerboard DIR\n");
        return 2;
    }
    if (mkdir(argv[1], 0777) && errno != EEXIST)
        hw_fail(argv[1], strerror(errno));
    cb_run(argv[1], &r);
    printf("             PS runs  of full    quads  samples   pixels\n");
    print_cost("full rate", &r.full, &r.full);
    print_cost("even frame", &r.frame[0], &r.full);
    print_cost("odd frame", &r.frame[1], &r.full);
    print_difference("rebuilt, full rate:", r.rebuilt, r.full_image);
    print_difference("without corrected gradients:", r.uncorrected, r.full_image);
    return 0;
}
