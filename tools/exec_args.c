/* exec_args.c: see exec_args.h. */
#include "tools/exec_args.h"
#include "tools/code_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define BUFFERS_VA UINT64_C(0x100000000)
#define GUARD      UINT64_C(0x10000) /* unmapped behind each buffer, at least */
#define BYTES_MAX  (UINT64_C(4) << 30)

enum number { SIGNED, UNSIGNED, FLOAT };

static const struct {
    const char *name;
    enum number kind;
    unsigned bytes;
} types[] = {
    {"i8", SIGNED, 1},   {"i16", SIGNED, 2},   {"i32", SIGNED, 4},   {"i64", SIGNED, 8},
    {"u8", UNSIGNED, 1}, {"u16", UNSIGNED, 2}, {"u32", UNSIGNED, 4}, {"u64", UNSIGNED, 8},
    {"f16", FLOAT, 2},   {"f32", FLOAT, 4},    {"f64", FLOAT, 8},
};

/* One number at p, up to a comma or the end. */
static int parse_value(unsigned type, const char *p, char **end, uint8_t *out, struct err *e)
{
    const unsigned n = types[type].bytes;
    const int64_t max = n == 8 ? INT64_MAX : (INT64_C(1) << (8 * n - 1)) - 1;

    errno = 0;
    *end = (char *)p;
    if (types[type].kind == FLOAT) {
        double d = strtod(p, end);
        float f = strtof(p, NULL);
        _Float16 h = (_Float16)d;

        memcpy(out, n == 8 ? (void *)&d : n == 4 ? (void *)&f : (void *)&h, n);
        errno = 0;
    } else if (types[type].kind == SIGNED) {
        int64_t v = strtoll(p, end, 0);

        if (v > max || v < -max - 1)
            errno = ERANGE;
        memcpy(out, &v, n);
    } else {
        uint64_t v = strtoull(p, end, 0);

        if (*p == '-' || (n < 8 && v >> (8 * n)))
            errno = ERANGE;
        memcpy(out, &v, n);
    }
    if (*end == p || (**end && **end != ','))
        return err_set(e, "'%s' is no number", p);
    return errno ? err_set(e, "'%s' does not fit %s", p, types[type].name) : 0;
}

static int parse_values(unsigned type, const char *p, struct exec_arg *a, struct err *e)
{
    size_t n = 1;
    char *end;

    for (const char *q = p; *q; q++)
        n += *q == ',';
    a->bytes = malloc(n * types[type].bytes);
    if (!a->bytes)
        return err_set(e, "out of memory");
    for (;; p = end + 1) {
        if (parse_value(type, p, &end, a->bytes + a->size, e))
            return -1;
        a->size += types[type].bytes;
        if (!*end)
            return 0;
    }
}

static int parse_bytes(const char *p, const char **rest, uint64_t max, size_t *out, struct err *e)
{
    char *end;
    unsigned long long v;

    errno = 0;
    v = strtoull(p, &end, 0);
    if (*p < '0' || *p > '9' || (*end && *end != ':') || errno || v > max)
        return err_set(e, "'%s' is no number of bytes (up to %llu)", p, (unsigned long long)max);
    *rest = *end ? end + 1 : NULL;
    *out = v;
    return 0;
}

static int read_file(struct exec_arg *a, const char *name, size_t len, struct err *e)
{
    char path[4096];

    if (!len || len >= sizeof path)
        return err_set(e, "no file name");
    memcpy(path, name, len);
    path[len] = '\0';
    a->bytes = (uint8_t *)file_read_all(path, &a->size, e);
    if (a->bytes && a->size > BYTES_MAX)
        return err_set(e, "%s: more than 4 GiB", path);
    return a->bytes ? 0 : -1;
}

static int parse(struct exec_arg *a, const char *text, struct err *e)
{
    const char *p = strchr(text, ':');
    size_t n = p ? (size_t)(p - text) : 0;

    if (!p)
        return err_set(e, "no KIND:VALUE");
    p++;
    if (n == 3 && !memcmp(text, "buf", n)) {
        const char *out = strchr(p, ':');

        a->buffer = true;
        a->out = out ? out + 1 : NULL;
        return read_file(a, p, out ? (size_t)(out - p) : strlen(p), e);
    }
    if (n == 4 && !memcmp(text, "zero", n)) {
        a->buffer = true;
        if (parse_bytes(p, &a->out, BYTES_MAX, &a->size, e))
            return -1;
        a->bytes = calloc(1, a->size + 1);
        return a->bytes ? 0 : err_set(e, "out of memory");
    }
    if (n == 5 && !memcmp(text, "local", n)) {
        a->local = true;
        return parse_bytes(p, &a->out, UINT32_MAX, &a->size, e);
    }
    if (n == 5 && !memcmp(text, "bytes", n))
        return read_file(a, p, strlen(p), e);
    for (unsigned i = 0; i < ARRAY_LEN(types); i++)
        if (strlen(types[i].name) == n && !memcmp(text, types[i].name, n))
            return parse_values(i, p, a, e);
    return err_set(e, "no kind of argument '%.*s': buf, zero, local, bytes, i8 to i64, u8 to u64, f16, f32, "
                   "f64", (int)MIN2(n, 40), text);
}

int exec_args_add(struct exec_args *a, const char *text, struct err *e)
{
    if (a->count == EXEC_ARGS_MAX)
        return err_set(e, "more than %d arguments", EXEC_ARGS_MAX);
    return parse(&a->arg[a->count++], text, e);
}

int exec_args_place(struct exec_args *a, struct atoll_gpu *gpu, struct err *e)
{
    uint64_t va = BUFFERS_VA;

    for (unsigned i = 0; i < a->count; i++) {
        struct exec_arg *x = &a->arg[i];

        a->value[i] = (struct atoll_kernel_arg){x->local ? NULL : x->bytes, (uint32_t)x->size};
        if (!x->buffer)
            continue;
        if (atoll_map(gpu, va, align_up(MAX2(x->size, 1), 4096), NULL) ||
            atoll_write(gpu, va, x->bytes, x->size))
            return err_set(e, "argument %u: %.400s", i, atoll_error(gpu));
        store_le64(x->pointer, va);
        a->value[i] = (struct atoll_kernel_arg){x->pointer, sizeof x->pointer};
        va += align_up(x->size + GUARD, GUARD);
    }
    return 0;
}

int exec_args_write(const struct exec_args *a, struct atoll_gpu *gpu, struct err *e)
{
    for (unsigned i = 0; i < a->count; i++) {
        const struct exec_arg *x = &a->arg[i];
        FILE *f;

        if (!x->out || !x->buffer)
            continue;
        if (atoll_read(gpu, load_le64(x->pointer), x->bytes, x->size))
            return err_set(e, "argument %u: %.400s", i, atoll_error(gpu));
        f = fopen(x->out, "wb");
        if (!f)
            return err_set(e, "%.300s: %s", x->out, strerror(errno));
        if ((fwrite(x->bytes, 1, x->size, f) != x->size) | fclose(f))
            return err_set(e, "%.300s: could not be written whole", x->out);
    }
    return 0;
}

void exec_args_free(struct exec_args *a)
{
    for (unsigned i = 0; i < a->count; i++)
        free(a->arg[i].bytes);
    a->count = 0;
}
