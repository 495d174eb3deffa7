/* Reading of raw indirect buffers and of raw capture folders (capture.json beside one .bin file per
 * buffer object and indirect buffer) for `atoll pm4`. */
#include "tools/pm4_input.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FILE_MAX_BYTES (UINT64_C(1) << 32)
#define CHUNK_ID_IB    1 /* AMDGPU_CHUNK_ID_IB of the kernel interface */

/* A whole file, with a zero byte after it. NULL with *e set. */
static uint8_t *read_file(const char *path, size_t *bytes, struct err *e)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    uint8_t *data = NULL;

    *bytes = 0;
    if (!f) {
        err_set(e, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) {
        err_set(e, "%s: not a regular file", path);
    } else if ((uint64_t)st.st_size > FILE_MAX_BYTES) {
        err_set(e, "%s: larger than 4 GiB", path);
    } else if (!(data = malloc((size_t)st.st_size + 1))) {
        err_set(e, "%s: no memory for %lld bytes", path, (long long)st.st_size);
    } else {
        *bytes = fread(data, 1, (size_t)st.st_size, f);
        data[*bytes] = 0;
    }
    fclose(f);
    return data;
}

/* ---- raw files --------------------------------------------------------------------------- */

/* Hex dwords as text: words of 1..8 digits, "0x" before and "," or ":" after allowed, "#" and ";"
 * begin a comment. Returns the dwords, or -1 when the text is something else. */
static int64_t parse_hex(const char *text, size_t bytes, uint8_t *out)
{
    int64_t n = 0;
    size_t i = 0;

    while (i < bytes) {
        if (isspace((unsigned char)text[i]) || text[i] == ',') {
            i++;
            continue;
        }
        if (text[i] == '#' || text[i] == ';') {
            while (i < bytes && text[i] != '\n')
                i++;
            continue;
        }
        if (i + 1 < bytes && text[i] == '0' && tolower((unsigned char)text[i + 1]) == 'x')
            i += 2;
        uint32_t v = 0;
        unsigned digits = 0;
        for (; i < bytes && isxdigit((unsigned char)text[i]); i++, digits++) {
            int c = tolower((unsigned char)text[i]);
            v = v << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        }
        if (!digits || digits > 8)
            return -1;
        if (i < bytes && !isspace((unsigned char)text[i]) && !strchr(",;#", text[i]))
            return -1;
        store_le32(out + 4 * n++, v);
    }
    return n;
}

static bool looks_like_text(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (!isprint(data[i]) && !isspace(data[i]))
            return false;
    return bytes > 0;
}

static int load_raw(struct pm4_input *in, const char *path, struct err *e)
{
    size_t bytes;
    uint8_t *data = read_file(path, &bytes, e);
    if (!data)
        return -1;

    if (looks_like_text(data, bytes)) {
        uint8_t *dw = malloc(bytes * 4 + 4);
        int64_t n = dw ? parse_hex((const char *)data, bytes, dw) : -1;
        free(data);
        if (n < 0) {
            free(dw);
            return err_set(e, "%s: text, but not of hex dwords", path);
        }
        data = dw;
        bytes = 4 * (size_t)n;
    }
    if (!bytes || bytes % 4) {
        free(data);
        return err_set(e, "%s: %zu bytes are no whole number of dwords", path, bytes);
    }
    in->subs = calloc(1, sizeof *in->subs);
    if (in->subs && (in->subs->ibs = calloc(1, sizeof *in->subs->ibs))) {
        in->sub_count = in->subs->ib_count = 1;
        in->subs->ibs[0] = (struct pm4_input_ib){"GFX", 0, data, (uint32_t)(bytes / 4)};
        return 0;
    }
    free(data);
    return err_set(e, "out of memory");
}

/* ---- folders ----------------------------------------------------------------------------- */

/* GFX9's addresses are sign-extended and so beyond what jansson reads as an integer: put numbers of
 * 19 digits and more into quotes. NULL when out of memory. */
static char *quote_large_numbers(const char *text)
{
    size_t n = strlen(text);
    char *out = malloc(n + n / 9 + 3); /* two quotes for at least 19 characters */
    size_t o = 0;
    bool in_string = false;

    if (!out)
        return NULL;
    for (size_t i = 0; i < n;) {
        size_t digits = in_string ? 0 : strspn(text + i, "0123456789");
        if (digits >= 19) {
            out[o++] = '"';
            memcpy(out + o, text + i, digits);
            o += digits;
            out[o++] = '"';
            i += digits;
        } else if (digits) {
            memcpy(out + o, text + i, digits);
            o += digits;
            i += digits;
        } else {
            if (text[i] == '\\' && in_string && text[i + 1])
                out[o++] = text[i++];
            else if (text[i] == '"')
                in_string = !in_string;
            out[o++] = text[i++];
        }
    }
    out[o] = 0;
    return out;
}

static uint64_t json_u64(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);

    if (json_is_string(v))
        return strtoull(json_string_value(v), NULL, 0);
    return (uint64_t)json_integer_value(v);
}

/* The file that an entry names, in the folder: no path out of it. */
static uint8_t *read_entry(const char *folder, const char *name, size_t *bytes, struct err *e)
{
    char path[4096];

    if (strchr(name, '/') || name[0] == '.') {
        err_set(e, "%s/capture.json: bad file name '%s'", folder, name);
        return NULL;
    }
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        err_set(e, "%s: path too long", folder);
        return NULL;
    }
    return read_file(path, bytes, e);
}

static int load_submission(struct pm4_submission *s, const json_t *j, const char *folder,
                           struct err *e)
{
    const json_t *chunks = json_object_get(j, "chunks"), *bos = json_object_get(j, "bos");
    const json_t *v;
    size_t i;

    s->index = (unsigned)json_u64(j, "index");
    s->ibs = calloc(json_array_size(chunks) + 1, sizeof *s->ibs);
    s->bos = calloc(json_array_size(bos) + 1, sizeof *s->bos);
    if (!s->ibs || !s->bos)
        return err_set(e, "out of memory");
    json_array_foreach (chunks, i, v) {
        const char *file = json_string_value(json_object_get(v, "file"));
        const char *ip = json_string_value(json_object_get(v, "ip"));
        struct pm4_input_ib *ib = &s->ibs[s->ib_count];
        size_t bytes;

        if (json_u64(v, "id") != CHUNK_ID_IB || !file)
            continue;
        if (!(ib->data = read_entry(folder, file, &bytes, e)))
            return -1;
        snprintf(ib->ring, sizeof ib->ring, "%s", ip ? ip : "GFX");
        ib->va = json_u64(v, "va") & PM4_VA_MASK;
        ib->dw = (uint32_t)(MIN2(bytes, json_u64(v, "bytes")) / 4);
        s->ib_count++;
    }
    json_array_foreach (bos, i, v) {
        const char *file = json_string_value(json_object_get(v, "file"));
        struct pm4_bo *bo = &s->bos[s->bo_count++];

        bo->va = json_u64(v, "va") & PM4_VA_MASK;
        bo->bytes = json_u64(v, "size");
        if (file && strcmp(file, "zero") &&
            !(bo->data = read_entry(folder, file, &bo->data_bytes, e)))
            return -1;
    }
    return 0;
}

static int load_folder(struct pm4_input *in, const char *folder, struct err *e)
{
    size_t bytes;
    json_error_t je;
    uint8_t *text = read_entry(folder, "capture.json", &bytes, e);
    if (!text)
        return -1;

    char *quoted = quote_large_numbers((const char *)text);
    json_t *root = quoted ? json_loads(quoted, 0, &je) : NULL;
    int r = -1;
    free(text);
    free(quoted);
    if (!root)
        return err_set(e, "%s/capture.json: %s", folder, quoted ? je.text : "out of memory");

    const json_t *subs = json_object_get(root, "submissions"), *v;
    const char *chip = json_string_value(json_object_get(root, "chip"));
    size_t i;
    snprintf(in->chip, sizeof in->chip, "%s", chip ? chip : "");
    in->subs = calloc(json_array_size(subs) + 1, sizeof *in->subs);
    if (!json_is_array(subs))
        err_set(e, "%s/capture.json: no array of submissions", folder);
    else if (!in->subs)
        err_set(e, "out of memory");
    else
        r = 0;
    if (!r) {
        json_array_foreach (subs, i, v) {
            in->sub_count++;
            if ((r = load_submission(&in->subs[i], v, folder, e)))
                break;
        }
    }
    json_decref(root);
    return r;
}

/* ---- */

int pm4_input_load(struct pm4_input *in, const char *path, struct err *e)
{
    struct stat st;

    *in = (struct pm4_input){0};
    if (stat(path, &st))
        return err_set(e, "%s: %s", path, strerror(errno));
    return S_ISDIR(st.st_mode) ? load_folder(in, path, e) : load_raw(in, path, e);
}

void pm4_input_free(struct pm4_input *in)
{
    for (size_t i = 0; i < in->sub_count; i++) {
        struct pm4_submission *s = &in->subs[i];
        for (size_t k = 0; k < s->ib_count; k++)
            free(s->ibs[k].data);
        for (size_t k = 0; k < s->bo_count; k++)
            free(s->bos[k].data);
        free(s->ibs);
        free(s->bos);
    }
    free(in->subs);
    *in = (struct pm4_input){0};
}

size_t pm4_input_read(const struct pm4_submission *s, uint64_t va, void *dst, size_t bytes)
{
    size_t done = 0;
    bool found = true;

    while (done < bytes && found) {
        found = false;
        for (size_t i = 0; i < s->bo_count; i++) {
            const struct pm4_bo *bo = &s->bos[i];
            uint64_t at = ((va + done) & PM4_VA_MASK) - bo->va;
            if (((va + done) & PM4_VA_MASK) < bo->va || at >= bo->bytes)
                continue;
            size_t n = (size_t)MIN2(bo->bytes - at, bytes - done);
            size_t have = at < bo->data_bytes ? (size_t)MIN2(bo->data_bytes - at, n) : 0;
            if (have)
                memcpy((uint8_t *)dst + done, bo->data + at, have);
            memset((uint8_t *)dst + done + have, 0, n - have);
            done += n;
            found = true;
            break;
        }
    }
    return done;
}
