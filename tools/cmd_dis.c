/* `atoll dis`: machine code to LLVM's assembly text: a program from a file, or with
 * --batch one instruction a line. */
#include "isa/isa.h"
#include "tools/code_file.h"
#include "tools/tools.h"

#include <argp.h>
#include <stdlib.h>

struct request {
    const char *chip, *file;
    bool batch, all;
};

static const struct argp_option options[] = {
    {"chip", 'c', "CHIP", 0, "chip or LLVM processor (default bonaire)", 0},
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

int cmd_dis(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE\n--batch",
        .doc = "Disassemble machine code. FILE holds code as it lies in memory, or its "
               "hex: bytes "
               "in memory order, or 32-bit words that start with 0x.",
    };
    struct request r = {.chip = "bonaire"};
    const struct isa_target *t;
    struct code_file code;
    struct err e;
    unsigned errors;
    size_t ndw;

    argp_parse(&argp, argc, argv, 0, NULL, &r);
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
