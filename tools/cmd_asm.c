/* `atoll asm`: LLVM's assembly text to machine code: a program from a file, or with
 * --batch one instruction a line. */
#include "isa/isa.h"
#include "tools/code_file.h"
#include "tools/tools.h"

#include <argp.h>
#include <ctype.h>
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

/* ---- programs ---------------------------------------------------------------------- */

struct label {
    const char *name;
    size_t length, dw;
};

struct program {
    const struct isa_target *t;
    uint32_t *dw;
    size_t ndw, cap;
    struct label *labels;
    size_t nlabels;
};

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* "name:" at the start of a line; returns what follows it, NULL without a label. */
static const char *label_end(const char *p)
{
    const char *q = p;

    while (name_char(*q))
        q++;
    return q > p && *q == ':' && q[1] != ':' ? q + 1 : NULL;
}

static const struct label *find_label(const struct program *p, const char *name, size_t n)
{
    for (size_t i = 0; i < p->nlabels; i++)
        if (p->labels[i].length == n && !memcmp(p->labels[i].name, name, n))
            return &p->labels[i];
    return NULL;
}

static int grow(struct program *p, struct err *e)
{
    uint32_t *more;

    if (p->ndw + 4 <= p->cap)
        return 0;
    p->cap = p->cap * 2 + 1024;
    more = realloc(p->dw, p->cap * sizeof *more);
    if (!more)
        return err_set(e, "out of memory");
    p->dw = more;
    return 0;
}

/* A line whose last operand may be a label: the label becomes its distance (0 in the
 * first pass, when not all labels are known; it does not change the length). */
static int instruction(struct program *p, const char *line, bool last_pass, struct err *e)
{
    const char *end = line + strcspn(line, ";"), *slashes = strstr(line, "//"), *name;
    const struct label *l;
    char text[1024];
    uint32_t dw[4];
    int n;

    if (slashes && slashes < end)
        end = slashes;
    while (end > line && isspace((unsigned char)end[-1]))
        end--;
    if (end == line)
        return 0;
    if ((size_t)(end - line) >= sizeof text - 32)
        return err_set(e, "the line is too long");
    name = end;
    while (name > line && name_char(name[-1]))
        name--;
    l = find_label(p, name, (size_t)(end - name));
    snprintf(text, sizeof text, "%.*s", (int)(end - line), line);
    n = l && name > line ? -1 : isa_assemble(p->t, text, dw, e);
    if (n < 0 && name > line && (l || !last_pass) && !isdigit((unsigned char)*name)) {
        int64_t distance = l && last_pass ? (int64_t)l->dw - (int64_t)p->ndw - 1 : 0;

        if (distance < INT16_MIN || distance > INT16_MAX)
            return err_set(e, "'%.*s' is too far away", (int)(end - name), name);
        snprintf(text, sizeof text, "%.*s%lld", (int)(name - line), line,
                 (long long)distance);
        n = isa_assemble(p->t, text, dw, e);
    }
    if (n < 0 || grow(p, e) < 0)
        return -1;
    memcpy(p->dw + p->ndw, dw, (size_t)n * sizeof *dw);
    p->ndw += (size_t)n;
    return 0;
}

static int add_label(struct program *p, const char *name, size_t length, struct err *e)
{
    struct label *more;

    if (find_label(p, name, length))
        return err_set(e, "label '%.*s' is there twice", (int)length, name);
    more = realloc(p->labels, (p->nlabels + 1) * sizeof *more);
    if (!more)
        return err_set(e, "out of memory");
    p->labels = more;
    p->labels[p->nlabels++] = (struct label){name, length, p->ndw};
    return 0;
}

/* `text` has its newlines replaced by NULs. */
static int pass(struct program *p, const char *path, const char *text, size_t bytes,
                bool last_pass, struct err *e)
{
    unsigned line = 0;

    p->ndw = 0;
    for (const char *at = text; at < text + bytes; at += strlen(at) + 1) {
        const char *q = at + strspn(at, " \t\r"), *after;
        struct err inner;

        line++;
        while ((after = label_end(q))) {
            if (!last_pass && add_label(p, q, (size_t)(after - 1 - q), &inner) < 0)
                return err_set(e, "%s:%u: %.400s", path, line, inner.text);
            q = after + strspn(after, " \t\r");
        }
        if (*q && *q != '.' && *q != '#' && instruction(p, q, last_pass, &inner) < 0)
            return err_set(e, "%s:%u: %.400s", path, line, inner.text);
    }
    return 0;
}

static int write_code(const struct program *p, const char *path, struct err *e)
{
    FILE *f = fopen(path, "wb");
    bool bad = !f;

    for (size_t i = 0; f && i < p->ndw; i++) {
        uint8_t b[4];

        store_le32(b, p->dw[i]);
        bad |= fwrite(b, sizeof b, 1, f) != 1;
    }
    if (f)
        bad |= fclose(f) != 0;
    return bad ? err_set(e, "%s: %s", path, strerror(errno)) : 0;
}

static int assemble_file(const struct isa_target *t, const struct request *r,
                         struct err *e)
{
    struct program p = {.t = t};
    size_t bytes;
    char *text = file_read_all(r->file, &bytes, e);
    int rc;

    if (!text)
        return -1;
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == '\n')
            text[i] = 0;
    rc = pass(&p, r->file, text, bytes, false, e);
    if (rc >= 0)
        rc = pass(&p, r->file, text, bytes, true, e);
    if (rc >= 0 && r->out)
        rc = write_code(&p, r->out, e);
    else if (rc >= 0)
        print_hex(stdout, p.dw, p.ndw);
    free(p.dw);
    free(p.labels);
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
