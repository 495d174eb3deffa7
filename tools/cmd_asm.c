/* `atoll asm`: LLVM's assembly text to machine code: a program from a file, or with
 * --batch one instruction a line. */
#include "isa/isa.h"
#include "tools/code_file.h"
#include "tools/tools.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>

struct request {
    const char *chip, *file, *out;
    bool batch;
};

static const struct argp_option options[] = {
    {"chip", 'c', "CHIP", 0, "chip or LLVM processor (default bonaire)", 0},
    {"batch", 'b', NULL, 0,
     "for each line of text on stdin, print one line of bytes in hex", 0},
    {"output", 'o', "FILE", 0, "where the code goes (default: hex on stdout)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;

    switch (key) {
    case 'c':
        r->chip = arg;
        break;
    case 'b':
        r->batch = true;
        break;
    case 'o':
        r->out = arg;
        break;
    case ARGP_KEY_ARG:
        if (r->file)
            argp_error(state, "more than one file");
        r->file = arg;
        break;
    case ARGP_KEY_END:
        if (r->batch == !!r->file)
            argp_error(state, "give either a file (- for stdin) or --batch");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void print_hex(FILE *out, const uint32_t *dw, size_t ndw)
{
    for (size_t i = 0; i < ndw; i++) {
        uint8_t b[4];

        store_le32(b, dw[i]);
        fprintf(out, "%02x%02x%02x%02x", b[0], b[1], b[2], b[3]);
    }
    fputc('\n', out);
}

static void batch(const struct isa_target *t)
{
    char *line = NULL;
    size_t cap = 0;

    while (getline(&line, &cap, stdin) > 0) {
        uint32_t dw[4];
        struct err e;
        int n;

        line[strcspn(line, "\r\n")] = 0;
        n = isa_assemble(t, line, dw, &e);
        if (n < 0)
            printf("error: %s\n", e.text);
        else
            print_hex(stdout, dw, (size_t)n);
    }
    free(line);
}

static int write_code(const uint32_t *dw, size_t ndw, const char *path, struct err *e)
{
    FILE *f = fopen(path, "wb");
    bool bad = !f;

    for (size_t i = 0; f && i < ndw; i++) {
        uint8_t b[4];

        store_le32(b, dw[i]);
        bad |= fwrite(b, sizeof b, 1, f) != 1;
    }
    if (f)
        bad |= fclose(f) != 0;
    return bad ? err_set(e, "%s: %s", path, strerror(errno)) : 0;
}

static int assemble_file(const struct isa_target *t, const struct request *r,
                         struct err *e)
{
    uint32_t *dw = NULL;
    size_t bytes, ndw = 0;
    char *text = file_read_all(r->file, &bytes, e);
    int rc;

    if (!text)
        return -1;
    rc = memchr(text, 0, bytes) ? err_set(e, "%s: no text", r->file)
                                : isa_assemble_program(t, text, r->file, &dw, &ndw, e);
    if (rc >= 0 && r->out)
        rc = write_code(dw, ndw, r->out, e);
    else if (rc >= 0)
        print_hex(stdout, dw, ndw);
    free(dw);
    free(text);
    return rc;
}

int cmd_asm(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE\n--batch",
        .doc = "Assemble LLVM's assembly language. Branch targets are labels or "
               "distances in "
               "dwords; lines that start with a full stop (directives) or # are skipped.",
    };
    struct request r = {.chip = "bonaire"};
    const struct isa_target *t;
    struct err e;

    argp_parse(&argp, argc, argv, 0, NULL, &r);
    t = isa_target_find(r.chip);
    if (!t) {
        fprintf(stderr, "%s: no chip or processor '%s'\n", argv[0], r.chip);
        return EXIT_USAGE;
    }
    if (r.batch) {
        batch(t);
        return EXIT_DONE;
    }
    if (assemble_file(t, &r, &e) < 0) {
        fprintf(stderr, "%s: %s\n", argv[0], e.text);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}
