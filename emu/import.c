/* capture: raw folders.
 *
 * A raw folder is what a small interposer can write without any library: `capture.json` with the chip,
 * and for each submission its IBs, its fence and the buffer objects it saw, each with a .bin file of
 * its contents at that moment ("zero" instead of a file name: all zeros). capture_import() turns it
 * into a `.gcap`: a map when a buffer object appears, moves or grows, an unmap when it is gone, memory
 * only where pages changed, and the submission. */
#include "config.h"

#include "emu/capture.h"
#include "emu/gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define JSON_BYTES_MAX (64u << 20)
#define FILE_BYTES_MAX (UINT64_C(4) << 30)
#define VA_MASK ((UINT64_C(1) << CAPTURE_VA_BITS) - 1)

/* The kernel's numbers in a submission's chunks (amdgpu_drm.h). */
enum { CHUNK_IB = 1, CHUNK_FENCE = 2 };
enum { IB_FLAG_CE = 1 };

struct bo {
    uint64_t handle, va, bytes;
    bool seen;
};

struct import {
    const char *folder;
    struct capture_writer *w;
    struct bo *bos; /* mapped now */
    size_t bo_count, bo_slots;
    size_t submission; /* for messages */
};

/* ---- files --------------------------------------------------------------------------------- */

struct file {
    uint8_t *data;
    uint64_t bytes;
};

/* Map a file of the folder; only plain names, so that a folder from elsewhere reads nothing else. */
static int open_file(const struct import *im, const char *name, struct file *f, struct err *e)
{
    char path[4096];
    struct stat st;
    int fd;

    *f = (struct file){0};
    if (!*name || *name == '.' || strchr(name, '/') ||
        snprintf(path, sizeof path, "%s/%s", im->folder, name) >= (int)sizeof path)
        return err_set(e, "%s: '%s' is not the name of a file in the folder", im->folder, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, "%s: %s", path, strerror(errno));
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > FILE_BYTES_MAX) {
        close(fd);
        return err_set(e, "%s: not a regular file, or too large", path);
    }
    f->bytes = (uint64_t)st.st_size;
    if (f->bytes) {
        f->data = mmap(NULL, f->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (f->data == MAP_FAILED) {
            close(fd);
            return err_set(e, "%s: cannot be mapped: %s", path, strerror(errno));
        }
    }
    close(fd);
    return 0;
}

static void close_file(struct file *f)
{
    if (f->bytes)
        munmap(f->data, f->bytes);
}

/* ---- capture.json -------------------------------------------------------------------------- */

/* Jansson's integers are signed. GFX9's sign-extended addresses are written as unsigned 64-bit numbers:
 * rewrite those above the signed range as the negative number with the same bits. Returns a new text
 * to free, NULL when memory runs out. */
static char *signed_integers(const char *text, size_t bytes, size_t *out_bytes)
{
    char *out = malloc(2 * bytes + 1), *o = out;
    bool in_string = false;

    if (!out)
        return NULL;
    for (size_t i = 0; i < bytes;) {
        char c = text[i];
        size_t n = 0;
        uint64_t v = 0;
        bool fits = true;

        if (in_string || c == '"') {
            if (c == '"')
                in_string = !in_string;
            *o++ = text[i++];
            if (c == '\\' && i < bytes)
                *o++ = text[i++];
            continue;
        }
        while (i + n < bytes && text[i + n] >= '0' && text[i + n] <= '9') {
            unsigned d = (unsigned)(text[i + n++] - '0');

            fits = fits && v <= (UINT64_MAX - d) / 10;
            v = v * 10 + d;
        }
        if (!n) {
            *o++ = text[i++];
        } else if (n < 21 && fits && v > INT64_MAX) {
            o += sprintf(o, "%lld", (long long)(int64_t)v);
            i += n;
        } else {
            memcpy(o, text + i, n);
            o += n;
            i += n;
        }
    }
    *out_bytes = (size_t)(o - out);
    return out;
}

static json_t *load_json(const struct import *im, struct err *e)
{
    struct file f;
    json_error_t je;
    json_t *root = NULL;
    char *text;
    size_t bytes;

    if (open_file(im, "capture.json", &f, e))
        return NULL;
    text = f.bytes <= JSON_BYTES_MAX ? signed_integers((char *)f.data, f.bytes, &bytes) : NULL;
    close_file(&f);
    if (!text) {
        err_set(e, "%s/capture.json: too large", im->folder);
        return NULL;
    }
    root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &je);
    free(text);
    if (!root)
        err_set(e, "%s/capture.json: line %d: %s", im->folder, je.line, je.text);
    return root;
}

/* An integer member; false with *e set when it is missing or no integer. */
static bool get_int(const struct import *im, const json_t *obj, const char *what, const char *key,
                    uint64_t *out, struct err *e)
{
    const json_t *v = json_object_get(obj, key);

    if (json_is_integer(v)) {
        *out = (uint64_t)json_integer_value(v);
        return true;
    }
    err_set(e, "%s/capture.json: submission %zu: %s has no integer \"%s\"", im->folder,
            im->submission, what, key);
    return false;
}

/* ---- submissions --------------------------------------------------------------------------- */

static struct bo *find_bo(struct import *im, uint64_t handle)
{
    for (size_t i = 0; i < im->bo_count; i++)
        if (im->bos[i].handle == handle)
            return &im->bos[i];
    return NULL;
}

/* Make the mapping of a BO what the submission says. */
static struct bo *map_bo(struct import *im, uint64_t handle, uint64_t va, uint64_t bytes,
                         uint64_t domain, struct err *e)
{
    struct capture_map m = {va, bytes, 0, 0, 0, 7, (uint32_t)domain};
    struct bo *b = find_bo(im, handle);

    if (b && b->va == va && b->bytes == bytes)
        return b;
    if (b && capture_write_unmap(im->w, b->va, b->bytes, e))
        return NULL;
    if (capture_write_map(im->w, &m, e))
        return NULL;
    if (!b) {
        if (im->bo_count == im->bo_slots) {
            size_t slots = im->bo_slots ? 2 * im->bo_slots : 64;
            struct bo *bigger = realloc(im->bos, slots * sizeof *bigger);

            if (!bigger) {
                err_set(e, "%s: out of memory", im->folder);
                return NULL;
            }
            im->bos = bigger;
            im->bo_slots = slots;
        }
        b = &im->bos[im->bo_count++];
    }
    *b = (struct bo){handle, va, bytes, false};
    return b;
}

static int import_bo(struct import *im, const json_t *obj, struct err *e)
{
    uint64_t handle, va, bytes, domain;
    const char *name = json_string_value(json_object_get(obj, "file"));
    struct file f;
    struct bo *b;
    int rc = 0;

    if (!get_int(im, obj, "a BO", "handle", &handle, e) || !get_int(im, obj, "a BO", "va", &va, e) ||
        !get_int(im, obj, "a BO", "size", &bytes, e) ||
        !get_int(im, obj, "a BO", "domain", &domain, e))
        return -1;
    va &= VA_MASK;
    if (!name)
        return err_set(e, "%s/capture.json: submission %zu: the BO at 0x%llx has no \"file\"",
                       im->folder, im->submission, (unsigned long long)va);
    b = map_bo(im, handle, va, bytes, domain, e);
    if (!b)
        return -1;
    b->seen = true;
    if (!strcmp(name, "zero")) {
        /* A new map says zeros already; a BO that had contents before needs them said. */
        static const uint8_t zeros[1 << 16];

        for (uint64_t at = 0; at < bytes && !rc; at += sizeof zeros)
            rc = capture_write_changed(im->w, va + at, zeros, MIN2(sizeof zeros, bytes - at), e);
        return rc;
    }
    if (open_file(im, name, &f, e))
        return -1;
    if (f.bytes != bytes)
        rc = err_set(e, "%s/%s: %llu bytes, but the BO at 0x%llx has %llu", im->folder, name,
                     (unsigned long long)f.bytes, (unsigned long long)va, (unsigned long long)bytes);
    else if (bytes)
        rc = capture_write_changed(im->w, va, f.data, bytes, e);
    close_file(&f);
    return rc;
}

/* The IB's own file is a copy of what its BO holds there: say so when it is not, since the BO is what
 * is replayed. */
static int check_ib_file(struct import *im, const json_t *obj, const struct capture_ib *ib,
                         const json_t *bos, struct err *e)
{
    const char *name = json_string_value(json_object_get(obj, "file"));
    uint64_t bytes = 4 * (uint64_t)ib->size_dw;
    size_t i;
    const json_t *b;

    json_array_foreach (bos, i, b) {
        uint64_t va = (uint64_t)json_integer_value(json_object_get(b, "va")) & VA_MASK;
        uint64_t size = (uint64_t)json_integer_value(json_object_get(b, "size"));
        const char *bo_name = json_string_value(json_object_get(b, "file"));
        struct file f, g;
        int rc = 0;

        if (ib->va < va || ib->va - va >= size || bytes > size - (ib->va - va))
            continue;
        if (!name || !strcmp(bo_name, "zero"))
            return 0;
        if (open_file(im, name, &f, e))
            return -1;
        if (open_file(im, bo_name, &g, e)) {
            close_file(&f);
            return -1;
        }
        if (f.bytes != bytes || g.bytes != size || memcmp(f.data, g.data + (ib->va - va), bytes))
            rc = err_set(e, "%s/%s: not the bytes that %s has at 0x%llx: the folder is inconsistent",
                         im->folder, name, bo_name, (unsigned long long)ib->va);
        close_file(&f);
        close_file(&g);
        return rc;
    }
    return err_set(e, "%s/capture.json: submission %zu: the IB at 0x%llx lies in no BO", im->folder,
                   im->submission, (unsigned long long)ib->va);
}

static int import_ib(struct import *im, const json_t *obj, const json_t *bos, struct capture_ib *ib,
                     struct err *e)
{
    static const struct {
        const char *name;
        enum atoll_ring ring;
    } rings[] = {{"GFX", ATOLL_RING_GFX}, {"COMPUTE", ATOLL_RING_COMPUTE}, {"DMA", ATOLL_RING_DMA}};
    const char *ip = json_string_value(json_object_get(obj, "ip"));
    const json_t *flags = json_object_get(obj, "flags");
    uint64_t bytes;
    size_t i;

    if (!get_int(im, obj, "an IB", "va", &ib->va, e) ||
        !get_int(im, obj, "an IB", "bytes", &bytes, e))
        return -1;
    ib->va &= VA_MASK;
    if (bytes % 4 || bytes > FILE_BYTES_MAX)
        return err_set(e, "%s/capture.json: submission %zu: an IB of %llu bytes is not one of dwords",
                       im->folder, im->submission, (unsigned long long)bytes);
    ib->size_dw = (uint32_t)(bytes / 4);
    for (i = 0; i < ARRAY_LEN(rings); i++)
        if (ip && !strcmp(ip, rings[i].name))
            break;
    if (i == ARRAY_LEN(rings))
        return err_set(e, "%s/capture.json: submission %zu: an IB for ip \"%s\"; known are GFX, "
                       "COMPUTE, DMA", im->folder, im->submission, ip ? ip : "");
    ib->ring = rings[i].ring;
    if (ib->ring == ATOLL_RING_GFX && json_integer_value(flags) & IB_FLAG_CE)
        ib->ring = ATOLL_RING_CE;
    return check_ib_file(im, obj, ib, bos, e);
}

static int import_submission(struct import *im, const json_t *sub, struct capture_ib *ibs,
                             struct err *e)
{
    const json_t *chunks = json_object_get(sub, "chunks"), *bos = json_object_get(sub, "bos"), *obj;
    struct capture_submit s = {.ibs = ibs};
    size_t i;

    s.context = (uint32_t)json_integer_value(json_object_get(sub, "ctx"));
    if (!json_is_array(chunks) || !json_is_array(bos))
        return err_set(e, "%s/capture.json: submission %zu has no \"chunks\" or no \"bos\"",
                       im->folder, im->submission);
    for (i = 0; i < im->bo_count; i++)
        im->bos[i].seen = false;
    json_array_foreach (bos, i, obj)
        if (import_bo(im, obj, e))
            return -1;
    for (i = 0; i < im->bo_count;) {
        if (im->bos[i].seen) {
            i++;
            continue;
        }
        if (capture_write_unmap(im->w, im->bos[i].va, im->bos[i].bytes, e))
            return -1;
        im->bos[i] = im->bos[--im->bo_count];
    }
    json_array_foreach (chunks, i, obj) {
        json_int_t id = json_integer_value(json_object_get(obj, "id"));

        if (id == CHUNK_IB) {
            if (s.ib_count == CAPTURE_IBS_MAX)
                return err_set(e, "%s/capture.json: submission %zu has more than %u IBs", im->folder,
                               im->submission, CAPTURE_IBS_MAX);
            if (import_ib(im, obj, bos, &ibs[s.ib_count++], e))
                return -1;
        } else if (id == CHUNK_FENCE) {
            uint64_t handle, offset;

            if (!get_int(im, obj, "a fence", "handle", &handle, e) ||
                !get_int(im, obj, "a fence", "offset", &offset, e))
                return -1;
            const struct bo *b = find_bo(im, handle);

            /* The BO of the fence need not be mapped: only the CPU looks at it. The value is not
             * recorded; the kernel counts submissions from 1. */
            if (b && offset < b->bytes && b->bytes - offset >= 8) {
                s.fence_va = b->va + offset;
                s.fence_value = im->submission + 1;
            }
        }
    }
    return capture_write_submit(im->w, &s, e);
}

static int import_all(struct import *im, const json_t *root, struct err *e)
{
    const json_t *subs = json_object_get(root, "submissions"), *sub;
    struct capture_ib *ibs = calloc(CAPTURE_IBS_MAX, sizeof *ibs);
    int rc = 0;

    if (!ibs)
        return err_set(e, "%s: out of memory", im->folder);
    json_array_foreach (subs, im->submission, sub)
        if ((rc = import_submission(im, sub, ibs, e)))
            break;
    free(ibs);
    return rc;
}

int capture_import(const char *folder, int fd, const char *name, const char *driver, struct err *e)
{
    struct import im = {.folder = folder};
    json_t *root = load_json(&im, e);
    struct capture_header h = {.driver = driver ? driver : ""};
    int rc = -1;

    if (!root)
        return -1;
    h.chip = json_string_value(json_object_get(root, "chip"));
    h.device_id = (uint32_t)json_integer_value(json_object_get(root, "device_id"));
    h.family = (uint32_t)json_integer_value(json_object_get(root, "family"));
    h.external_rev = (uint32_t)json_integer_value(json_object_get(root, "external_rev"));
    h.gb_addr_config = (uint32_t)json_integer_value(json_object_get(root, "gb_addr_config"));
    if (!h.chip || !json_is_array(json_object_get(root, "submissions")))
        err_set(e, "%s/capture.json: no \"chip\" or no \"submissions\"", folder);
    else
        im.w = capture_create_fd(fd, name, &h, e);
    if (im.w) {
        rc = import_all(&im, root, e);
        if (capture_finish(im.w, !rc, rc ? NULL : e))
            rc = -1;
    }
    free(im.bos);
    json_decref(root);
    return rc;
}

struct capture_reader *capture_open_any(const char *path, struct err *e)
{
    struct stat st;
    int fd;

    if (stat(path, &st)) {
        err_set(e, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (!S_ISDIR(st.st_mode))
        return capture_open(path, e);
    fd = memfd_create("atoll-import", MFD_CLOEXEC);
    if (fd < 0) {
        err_set(e, "%s: cannot convert the folder in memory: %s", path, strerror(errno));
        return NULL;
    }
    if (capture_import(path, fd, path, NULL, e) || lseek(fd, 0, SEEK_SET)) {
        close(fd);
        return NULL;
    }
    return capture_open_fd(fd, path, e);
}
