/* `atoll dis`: machine code to LLVM's assembly text: a program from a file, the functions of a code object, or
 * with --batch one instruction a line. */
#include "base/chip.h"
#include "emu/codeobj.h"
#include "isa/isa.h"
#include "tools/code_file.h"
#include "tools/tools.h"

#include <argp.h>
#include <stdlib.h>

struct request {
    const char *chip, *file, *function;
    bool batch, all;
};

static const struct argp_option options[] = {
    {"chip", 'c', "CHIP", 0, "chip or LLVM processor (default bonaire, or what a code object is for)", 0},
    {"batch", 'b', NULL, 0,
     "for each line of bytes in hex on stdin, print one line of text", 0},
    {"all", 'a', NULL, 0, "go on after the program's end", 0},
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
    case 'a':
        r->all = true;
        break;
    case ARGP_KEY_ARG:
        if (r->function)
            argp_error(state, "more than a file and a function");
        *(r->file ? &r->function : &r->file) = arg;
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

static void batch_line(const struct isa_target *t, const char *line)
{
    uint8_t bytes[64];
    uint32_t dw[sizeof bytes / 4];
    struct insn in;
    char text[256];
    size_t n;
    int used;

    if (!code_parse_hex(line, bytes, sizeof bytes, &n) || !n || n % 4) {
        puts("error: not an instruction's bytes in hex");
        return;
    }
    for (size_t i = 0; i < n / 4; i++)
        dw[i] = load_le32(bytes + 4 * i);
    used = isa_decode(t, dw, n / 4, &in);
    if (used > 0 && (size_t)used * 4 != n) {
        printf("error: the instruction has %d bytes, the line %zu\n", used * 4, n);
    } else if (used > 0) {
        isa_print(t, &in, text, sizeof text);
        puts(text);
    } else {
        printf("error: %s\n",
               used ? "the instruction is cut off" : "no instruction of this target");
    }
}

/* ---- code objects ------------------------------------------------------------------- */

/* The functions of a code object placed at address 0: all, or the one asked for. Returns EXIT_*. */
static int list_functions(const struct request *r, const struct codeobj *c, const struct isa_target *t)
{
    const uint64_t n = codeobj_image_bytes(c);
    uint8_t *image = malloc(n);
    uint32_t *dw = malloc(n);
    const struct codeobj_function *f;
    unsigned errors = 0, found = 0;
    uint64_t total = 0;
    struct err e;

    if (!image || !dw) {
        free(image);
        free(dw);
        fprintf(stderr, "%s: out of memory\n", r->file);
        return EXIT_USAGE;
    }
    if (codeobj_image(c, 0, image, &e)) /* an undefined symbol, for one: the rest can be read all the same */
        fprintf(stderr, "atoll dis: %s: %s\n", r->file, e.text);
    for (unsigned i = 0; (f = codeobj_function(c, i)); i++) {
        const struct codeobj_function *next = codeobj_function(c, i + 1);
        uint64_t bytes = f->bytes ? f->bytes : (next ? next->at : n) - f->at;

        if (r->function && strcmp(r->function, f->name))
            continue;
        total += bytes;
        if (total > 4 * n) {
            fprintf(stderr, "atoll dis: %s: its functions overlap\n", r->file);
            errors++;
            break;
        }
        for (uint64_t k = 0; k < bytes / 4; k++)
            dw[k] = load_le32(image + f->at + 4 * k);
        printf("%s%s: // 0x%llx, %llu bytes\n", found++ ? "\n" : "", f->name, (unsigned long long)f->at,
               (unsigned long long)bytes);
        errors += isa_list(t, dw, f->bytes || r->all ? bytes / 4 : isa_program_dwords(t, dw, bytes / 4), stdout);
    }
    free(image);
    free(dw);
    if (!found)
        fprintf(stderr, "atoll dis: %s: no function%s%s\n", r->file, r->function ? " " : "s", r->function ? r->function : "");
    return errors || !found ? EXIT_USAGE : EXIT_DONE;
}

/* Whether the file is an ELF file or a bundle of these; then *result is what the command returns. */
static bool list_code_object(const struct request *r, int *result)
{
    const struct chip *chip = r->chip ? chip_find(r->chip) : NULL;
    const struct isa_target *t;
    struct codeobj *c = NULL;
    struct err e;
    size_t n, at = 0, size;
    char *p = strcmp(r->file, "-") ? file_read_all(r->file, &n, &e) : NULL;
    int bundled;

    if (!p)
        return false; /* the caller says why */
    bundled = codeobj_unbundle(p, n, chip ? chip->llvm : r->chip, &at, &size, &e);
    if (!bundled && (n < 4 || memcmp(p, "\177ELF", 4))) {
        free(p);
        return false;
    }
    if (bundled >= 0)
        c = codeobj_parse(p + at, bundled ? size : n, &e);
    t = c ? isa_target_find(r->chip && !bundled ? r->chip : codeobj_processor(c)) : NULL;
    if (c && !t)
        err_set(&e, "no chip or processor '%s'", r->chip ? r->chip : codeobj_processor(c));
    if (!t)
        fprintf(stderr, "atoll dis: %s: %s\n", r->file, e.text);
    *result = t ? list_functions(r, c, t) : EXIT_USAGE;
    codeobj_free(c);
    free(p);
    return true;
}

int cmd_dis(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE [FUNCTION]\n--batch",
        .doc = "Disassemble machine code. FILE is a code object (ELF), or holds code as it lies in memory, or its "
               "hex: bytes "
               "in memory order, or 32-bit words that start with 0x.",
    };
    struct request r = {0};
    const struct isa_target *t;
    struct code_file code;
    struct err e;
    unsigned errors;
    size_t ndw;
    int result;

    argp_parse(&argp, argc, argv, 0, NULL, &r);
    if (r.file && list_code_object(&r, &result))
        return result;
    r.chip = r.chip ? r.chip : "bonaire";
    t = isa_target_find(r.chip);
    if (!t) {
        fprintf(stderr, "%s: no chip or processor '%s'\n", argv[0], r.chip);
        return EXIT_USAGE;
    }
    if (r.batch) {
        char *line = NULL;
        size_t cap = 0;

        while (getline(&line, &cap, stdin) > 0)
            batch_line(t, line);
        free(line);
        return EXIT_DONE;
    }
    if (code_file_read(&code, r.file, &e) < 0) {
        fprintf(stderr, "%s: %s\n", argv[0], e.text);
        return EXIT_USAGE;
    }
    ndw = r.all ? code.ndw : isa_program_dwords(t, code.dw, code.ndw);
    errors = isa_list(t, code.dw, ndw, stdout);
    code_file_free(&code);
    return errors ? EXIT_USAGE : EXIT_DONE;
}
