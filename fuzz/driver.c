/* Run a fuzz target over `count` inputs made from `seed`: random bytes, runs of one value, and
 * mutations of the files named on the command line.
 *
 *   fuzz_pm4 COUNT SEED [FILE...]     prints progress on a terminal, and the totals at the end
 *
 * To find which input broke, run again with COUNT one above the number in the message: inputs
 * depend on nothing but the seed. With clang the same targets link against libFuzzer instead:
 * clang -fsanitize=fuzzer,address fuzz/fuzz_pm4.c ... */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rng {
    uint64_t s;
};

/* xorshift64*: good enough for inputs, and the same on every host. */
static uint64_t next(struct rng *r)
{
    r->s ^= r->s >> 12;
    r->s ^= r->s << 25;
    r->s ^= r->s >> 27;
    return r->s * UINT64_C(2685821657736338717);
}

struct file {
    uint8_t *p;
    size_t bytes;
};

static struct file read_file(const char *name)
{
    struct file f = {NULL, 0};
    FILE *in = fopen(name, "rb");
    long n;

    if (!in || fseek(in, 0, SEEK_END) || (n = ftell(in)) < 0) {
        perror(name);
        exit(2);
    }
    rewind(in);
    f.p = malloc((size_t)n + 1);
    f.bytes = fread(f.p, 1, (size_t)n, in);
    fclose(in);
    return f;
}

enum { MAX_BYTES = 1 << 16 };

static size_t make_random(struct rng *r, uint8_t *out)
{
    size_t n = next(r) % 4096;

    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(next(r) >> 33);
    return n;
}

/* A file with a few bytes changed, cut or repeated. */
static size_t mutate(struct rng *r, const struct file *f, uint8_t *out)
{
    size_t n = f->bytes < MAX_BYTES ? f->bytes : MAX_BYTES;
    unsigned edits = 1 + next(r) % 8;

    memcpy(out, f->p, n);
    for (unsigned e = 0; e < edits && n; e++) {
        size_t at = next(r) % n;

        switch (next(r) % 5) {
        case 0: out[at] ^= (uint8_t)(1u << next(r) % 8); break;
        case 1: out[at] = (uint8_t)next(r); break;
        case 2: n = at; break;
        case 3: memset(out + at, next(r) % 2 ? 0xff : 0, n - at < 8 ? n - at : 8); break;
        case 4: {
            size_t from = next(r) % n, len = next(r) % 64;

            if (from + len <= n && at + len <= n)
                memmove(out + at, out + from, len);
            break;
        }
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    struct file *files = calloc((size_t)argc, sizeof *files);
    unsigned nfiles = 0;
    /* On the heap and exactly sized for each run, so that ASan sees one byte too far. */
    uint8_t *scratch = malloc(MAX_BYTES);

    for (int i = 3; i < argc; i++)
        files[nfiles++] = read_file(argv[i]);
    for (uint64_t i = 0; i < count; i++) {
        struct rng r = {(seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + i * UINT64_C(0xd1b54a32d192ed03)};
        size_t n;
        uint8_t *exact;

        if (!r.s)
            r.s = 1;
        next(&r);
        n = nfiles && next(&r) % 4 ? mutate(&r, &files[next(&r) % nfiles], scratch)
                                   : make_random(&r, scratch);
        exact = malloc(n ? n : 1);
        memcpy(exact, scratch, n);
        if (LLVMFuzzerTestOneInput(exact, n)) {
            fprintf(stderr, "%s: input %llu of seed %llu failed\n", argv[0],
                    (unsigned long long)i, (unsigned long long)seed);
            return 1;
        }
        free(exact);
        if (i % 1000 == 0 && isatty(2))
            fprintf(stderr, "\r%llu / %llu", (unsigned long long)i, (unsigned long long)count);
    }
    printf("%s: %llu inputs, seed %llu: ok\n", argv[0], (unsigned long long)count,
           (unsigned long long)seed);
    for (unsigned i = 0; i < nfiles; i++)
        free(files[i].p);
    free(files);
    free(scratch);
    return 0;
}
