/* code_file.c: see code_file.h. */
#include "tools/code_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

char *file_read_all(const char *path, size_t *bytes, struct err *e)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    size_t n = 0, cap = 1 << 16, got;
    char *p = f ? malloc(cap + 1) : NULL, *more;

    if (!f) {
        err_set(e, "%s: %s", path, strerror(errno));
        return NULL;
    }
    while (p && (got = fread(p + n, 1, cap - n, f)) > 0) {
        n += got;
        if (n < cap)
            continue;
        cap *= 2;
        more = realloc(p, cap + 1);
        if (!more)
            free(p);
        p = more;
    }
    if (!p || ferror(f)) {
        err_set(e, "%s: %s", path, p ? strerror(errno) : "out of memory");
        free(p);
        p = NULL;
    } else {
        p[n] = 0;
        *bytes = n;
    }
    if (f != stdin)
        fclose(f);
    return p;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static const char *skip(const char *p)
{
    for (;;) {
        while (*p && (isspace((unsigned char)*p) || *p == ','))
            p++;
        if (*p != ';' && *p != '#' && strncmp(p, "//", 2))
            return p;
        while (*p && *p != '\n')
            p++;
    }
}

bool code_parse_hex(const char *p, uint8_t *out, size_t cap, size_t *n)
{
    *n = 0;
    while (*(p = skip(p))) {
        if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
            uint32_t v = 0;
            unsigned digits = 0;

            for (p += 2; hex_value(*p) >= 0; p++, digits++)
                v = v << 4 | (uint32_t)hex_value(*p);
            if (!digits || digits > 8 || *n + 4 > cap)
                return false;
            store_le32(out + *n, v);
            *n += 4;
        } else {
            int hi = hex_value(p[0]), lo = hi < 0 ? -1 : hex_value(p[1]);

            if (lo < 0 || *n >= cap)
                return false;
            out[(*n)++] = (uint8_t)(hi << 4 | lo);
            p += 2;
        }
    }
    return true;
}

int code_file_read(struct code_file *c, const char *path, struct err *e)
{
    size_t bytes, n = 0;
    char *text = file_read_all(path, &bytes, e);
    uint8_t *code;

    *c = (struct code_file){0};
    if (!text)
        return -1;
    code = malloc(bytes * 4 + 4); /* "0x0" is the shortest word: 3 characters, 4 bytes */
    if (!code) {
        free(text);
        return err_set(e, "%s: out of memory", path);
    }
    if (strlen(text) != bytes || !code_parse_hex(text, code, bytes * 4 + 4, &n)) {
        memcpy(code, text, bytes); /* not hex: the code itself */
        n = bytes;
    }
    free(text);
    if (n % 4) {
        free(code);
        return err_set(e, "%s: %zu bytes of code are no whole number of dwords", path, n);
    }
    c->ndw = n / 4;
    c->dw = malloc(n + 4);
    for (size_t i = 0; c->dw && i < c->ndw; i++)
        c->dw[i] = load_le32(code + 4 * i);
    free(code);
    return c->dw ? 0 : err_set(e, "%s: out of memory", path);
}

void code_file_free(struct code_file *c)
{
    free(c->dw);
    *c = (struct code_file){0};
}
