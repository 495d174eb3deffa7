/* Programs in LLVM's assembly language: lines of instructions, with labels that branches go to.
 *
 * Two passes: the first one knows the length of every instruction, and so where labels are (a branch to a label
 * that is not known yet is as long as any other). */
#include "isa/isa.h"

#include <ctype.h>
#include <stdlib.h>

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

int isa_assemble_program(const struct isa_target *t, const char *text, const char *name, uint32_t **out,
                         size_t *ndw, struct err *e)
{
    struct program p = {.t = t};
    const size_t bytes = strlen(text);
    char *lines = strdup(text);
    int rc = lines ? 0 : err_set(e, "out of memory");

    for (size_t i = 0; lines && i < bytes; i++)
        if (lines[i] == '\n')
            lines[i] = 0;
    for (unsigned i = 0; i < 2 && rc >= 0; i++)
        rc = pass(&p, name, lines, bytes, i == 1, e);
    free(p.labels);
    free(lines);
    if (rc < 0) {
        free(p.dw);
        return -1;
    }
    *out = p.dw;
    *ndw = p.ndw;
    return 0;
}
