/* printf of kernels. LLVM turns each call into a record of a buffer, whose layout a
 * string of the metadata gives: ID:N:S[0]:...:S[N-1]:FORMAT, with the bytes of each
 * argument (always a multiple of 4). A record is the ID, 32 bits, and the arguments one
 * behind the other. codeobj_print makes text of such a buffer as OpenCL C says.
 *
 * Sources: LLVM's AMDGPUUsage, "amdhsa.printf" in "Code Object Metadata"; the OpenCL C
 * specification, "printf". Seen in LLVM's output, and not said there: a colon in the
 * format is written \72 and other special characters as in C; with "%*d" fewer sizes are
 * there than N says; %s has the characters themselves, padded with zeros. */
#include "emu/codeobj_priv.h"

#include <stdlib.h>

#define PRINTF_ARGS_MAX  1024u
#define PRINTF_CALLS_MAX 65536u
#define FIELD_MAX        4096 /* of a width or a precision */

struct codeobj_printf {
    uint32_t id;
    char *format;
    size_t format_bytes;
    uint32_t *arg_bytes;
    unsigned arg_count;
};

/* Digits up to a colon. Returns what follows; NULL when there is no such thing. */
static const char *number(const char *p, const char *end, uint32_t *out)
{
    uint64_t v = 0;
    const char *first = p;

    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if ((v = 10 * v + (uint64_t)(*p - '0')) > UINT32_MAX)
            return NULL;
    *out = (uint32_t)v;
    return p > first && p < end && *p == ':' ? p + 1 : NULL;
}

/* In place; returns the length. */
static size_t unescape(char *s, size_t n)
{
    static const char from[] = "abfnrtv\\", to[] = "\a\b\f\n\r\t\v\\";
    size_t out = 0;

    for (size_t i = 0; i < n; i++) {
        const char *at = s[i] == '\\' && i + 1 < n ? strchr(from, s[i + 1]) : NULL;

        if (s[i] == '\\' && i + 2 < n && s[i + 1] == '7' && s[i + 2] == '2') {
            s[out++] = ':';
            i += 2;
        } else if (at && *at) {
            s[out++] = to[at - from];
            i++;
        } else {
            s[out++] = s[i];
        }
    }
    return out;
}

int codeobj_take_printf(struct codeobj *c, const char *text, size_t n, struct err *e)
{
    const char *end = text + n, *p, *next;
    struct codeobj_printf f = {0}, *all;
    uint32_t count, bytes;
    uint64_t sum = 0;

    if (c->printf_count == PRINTF_CALLS_MAX)
        return err_set(e, "metadata: more than %u calls of printf", PRINTF_CALLS_MAX);
    if (!(p = number(text, end, &f.id)) || !(p = number(p, end, &count)) ||
        count > PRINTF_ARGS_MAX)
        return err_set(
            e, "metadata: amdhsa.printf: '%.*s' is not ID:ARGUMENTS:SIZE...:FORMAT",
            (int)MIN2(n, 60), text);
    f.arg_bytes = calloc(count + 1, sizeof *f.arg_bytes);
    all = realloc(c->printfs, (c->printf_count + 1) * sizeof *all);
    if (all)
        c->printfs = all;
    for (; f.arg_count < count && (next = number(p, end, &bytes)); p = next) {
        sum += bytes;
        if (f.arg_bytes)
            f.arg_bytes[f.arg_count++] = bytes;
    }
    f.format = codeobj_string(p, (size_t)(end - p));
    if (!f.arg_bytes || !all || !f.format || sum > UINT32_MAX) {
        free(f.arg_bytes);
        free(f.format);
        return err_set(e, sum > UINT32_MAX
                              ? "metadata: arguments of printf of more than 4 GiB"
                              : "out of memory");
    }
    f.format_bytes = unescape(f.format, (size_t)(end - p));
    f.format[f.format_bytes] = '\0';
    c->printfs[c->printf_count++] = f;
    return 0;
}

void codeobj_free_printf(struct codeobj *c)
{
    for (unsigned i = 0; i < c->printf_count; i++) {
        free(c->printfs[i].format);
        free(c->printfs[i].arg_bytes);
    }
    free(c->printfs);
}

static int by_id(const void *a, const void *b)
{
    const struct codeobj_printf *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

void codeobj_sort_printf(struct codeobj *c)
{
    if (c->printf_count)
        qsort(c->printfs, c->printf_count, sizeof *c->printfs, by_id);
}

static const struct codeobj_printf *find(const struct codeobj *c, uint32_t id)
{
    const struct codeobj_printf key = {.id = id};

    return c->printf_count ? bsearch(&key, c->printfs, c->printf_count, sizeof key, by_id)
                           : NULL;
}

static size_t record_bytes(const struct codeobj_printf *f)
{
    size_t n = 4;

    for (unsigned i = 0; i < f->arg_count; i++)
        n += f->arg_bytes[i];
    return n;
}

size_t codeobj_printf_bytes(const struct codeobj *c)
{
    size_t most = 0;

    for (unsigned i = 0; i < c->printf_count; i++)
        most = MAX2(most, record_bytes(&c->printfs[i]));
    return most;
}

/* ---- text ---------------------------------------------------------------------------
 */

/* A conversion: %[flags][width][.precision][vN][length]type. */
struct spec {
    char flags[8];
    int width, precision; /* -1: none */
    unsigned elements;    /* of a vector; 1 */
    unsigned bytes; /* of an element as the length modifier says; 0 when there is none */
    char type;
};

static const char *decimal(const char *p, int *out)
{
    for (*out = 0; *p >= '0' && *p <= '9'; p++)
        *out = MIN2(10 * *out + (*p - '0'), FIELD_MAX);
    return p;
}

/* `p` stands behind the %. Returns what follows the conversion; NULL when it is none. */
static const char *parse_spec(const char *p, struct spec *s)
{
    size_t n = 0;
    int elements = 1;

    *s = (struct spec){.width = -1, .precision = -1};
    for (; *p && strchr("-+ #0", *p); p++)
        if (n < sizeof s->flags - 1 && !strchr(s->flags, *p))
            s->flags[n++] = *p;
    if (*p >= '0' && *p <= '9')
        p = decimal(p, &s->width);
    if (*p == '.')
        p = decimal(p + 1, &s->precision);
    if (*p == 'v')
        p = decimal(p + 1, &elements);
    if (elements < 1 || elements > 16)
        return NULL;
    s->elements = (unsigned)elements;
    if (p[0] == 'h' && p[1] == 'h')
        s->bytes = 1, p += 2;
    else if (p[0] == 'h' && p[1] == 'l')
        s->bytes = 4, p += 2;
    else if (p[0] == 'h')
        s->bytes = 2, p++;
    else if (p[0] == 'l')
        s->bytes = 8, p += p[1] == 'l' ? 2 : 1;
    if (!*p || !strchr("diouxXfFeEgGaAcsp", *p))
        return NULL;
    s->type = *p;
    return p + 1;
}

static double float_of(const uint8_t *p, unsigned bytes)
{
    _Float16 h;
    float f;
    double d;

    memcpy(bytes == 2 ? (void *)&h : bytes == 4 ? (void *)&f : (void *)&d, p, bytes);
    return bytes == 2 ? (double)h : bytes == 4 ? (double)f : d;
}

/* One element of `bytes` (1, 2, 4, 8) at p. */
static int print_element(char *out, size_t room, const struct spec *s, const uint8_t *p,
                         unsigned bytes)
{
    char f[40];
    int n = snprintf(f, sizeof f, "%%%s", s->flags);
    int64_t v = 0;

    if (s->width >= 0)
        n += snprintf(f + n, sizeof f - (size_t)n, "%d", s->width);
    if (s->precision >= 0)
        n += snprintf(f + n, sizeof f - (size_t)n, ".%d", s->precision);
    if (strchr("fFeEgGaA", s->type)) {
        snprintf(f + n, sizeof f - (size_t)n, "%c", s->type);
        return snprintf(out, room, f, bytes < 2 ? 0.0 : float_of(p, bytes));
    }
    for (unsigned i = 0; i < bytes; i++)
        v |= (int64_t)((uint64_t)p[i] << (8 * i));
    /* As wide as the modifier says; without one an int, or what a vector's element is. */
    bytes = s->bytes ? MIN2(bytes, s->bytes) : bytes;
    v = (int64_t)((uint64_t)v << (64 - 8 * bytes));
    if (s->type == 'c') {
        snprintf(f + n, sizeof f - (size_t)n, "c");
        return snprintf(out, room, f, (int)(unsigned char)(v >> (64 - 8 * bytes)));
    }
    if (s->type == 'd' || s->type == 'i') {
        snprintf(f + n, sizeof f - (size_t)n, "lld");
        return snprintf(out, room, f, (long long)(v >> (64 - 8 * bytes)));
    }
    snprintf(f + n, sizeof f - (size_t)n, "ll%c", s->type == 'p' ? 'x' : s->type);
    n = s->type == 'p' ? snprintf(out, room, "0x") : 0;
    return n + snprintf(out + n, room - (size_t)n, f,
                        (unsigned long long)v >> (64 - 8 * bytes));
}

static void print_arg(const struct spec *s, const uint8_t *p, uint32_t bytes,
                      codeobj_text_fn *text, void *ctx)
{
    char out[2 * FIELD_MAX];
    unsigned each = bytes / (s->elements == 3 ? 4 : s->elements);
    const int most = (int)MIN2(bytes, INT32_MAX);
    int n;

    if (s->type == 's') {
        char f[40];

        n = snprintf(f, sizeof f, "%%%s*.*s", s->flags[0] == '-' ? "-" : "");
        n = snprintf(out, sizeof out, f, MAX2(s->width, 0),
                     s->precision < 0 ? most : MIN2(most, s->precision), (const char *)p);
        text(ctx, out, (size_t)MIN2(MAX2(n, 0), (int)sizeof out - 1));
        return;
    }
    if (s->elements == 3 && bytes % 4)
        each = bytes / 3;
    each = each >= 8 ? 8 : each >= 4 ? 4 : each >= 2 ? 2 : 1;
    for (unsigned i = 0; i < s->elements && (i + 1) * each <= bytes; i++) {
        if (i)
            text(ctx, ",", 1);
        n = print_element(out, sizeof out, s, p + i * each, each);
        text(ctx, out, (size_t)MIN2(MAX2(n, 0), (int)sizeof out - 1));
    }
}

/* The arguments of `f` lie at p, as many bytes as they have. */
static void print_call(const struct codeobj_printf *f, const uint8_t *p,
                       codeobj_text_fn *text, void *ctx)
{
    const char *at = f->format, *from = at;
    unsigned arg = 0;

    while ((at = strchr(at, '%'))) {
        struct spec s;
        const char *next;

        text(ctx, from, (size_t)(at - from));
        from = at;
        if (at[1] == '%') {
            from = at + 1;
            at += 2;
            continue;
        }
        next = parse_spec(at + 1, &s);
        if (next && arg < f->arg_count) {
            print_arg(&s, p, f->arg_bytes[arg], text, ctx);
            p += f->arg_bytes[arg++];
            from = next;
        }
        at = next ? next : at + 1;
    }
    text(ctx, from, strlen(from));
}

int codeobj_print(const struct codeobj *c, const uint8_t *p, size_t n,
                  codeobj_text_fn *text, void *ctx, struct err *e)
{
    for (size_t at = 0, bytes; at < n; at += bytes) {
        const struct codeobj_printf *f = n - at >= 4 ? find(c, load_le32(p + at)) : NULL;

        bytes = f ? record_bytes(f) : 0;
        if (!f || bytes > n - at)
            return err_set(
                e, "the kernel's buffer of printf is damaged at byte %zu of %zu", at, n);
        if (!f->id) /* HIP's -mprintf-kind=buffered */
            return err_set(e, "printf: formats known by their hash are not supported");
        print_call(f, p + at + 4, text, ctx);
    }
    return 0;
}
