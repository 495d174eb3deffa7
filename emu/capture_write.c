/* capture: writing `.gcap` files.
 *
 * A chunk is put together in memory, compressed, and handed to the kernel with one write: the process
 * may die at any time and the file holds everything up to the last call. */
#include "emu/capture_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#define ZSTD_LEVEL 3

struct capture_writer {
    int fd;
    bool own_fd, failed;
    char *name;
    struct err why;      /* of the failure */
    uint64_t good_bytes; /* length of the file up to its last whole chunk */
    uint32_t sequence;
    uint64_t submissions;
    ZSTD_CCtx *cctx;
    uint8_t *raw;        /* CAPTURE_RAW_MAX */
    uint32_t raw_bytes;
    uint8_t *stored;     /* header and the compressed chunk */
    size_t stored_size;

    /* What was last recorded for each page: open addressing, a power of two of slots, at most half of
     * them used. A page that is not there holds zeros. */
    struct page {
        uint64_t key; /* page number + 1; 0: free */
        uint64_t hash;
    } *pages;
    size_t page_slots, page_count;
};

static int fail(struct capture_writer *w, struct err *e, const char *what)
{
    w->failed = true;
    err_set(&w->why, "%s: cannot write the capture: %s; its first %u chunks are good", w->name, what,
            w->sequence);
    if (e)
        *e = w->why;
    /* What is there of the chunk goes, so that the file ends with a whole one. Should that fail too,
     * readers see the damage. */
    if (ftruncate(w->fd, (off_t)w->good_bytes))
        return -1;
    return -1;
}

static int refuse(struct capture_writer *w, struct err *e, const char *what, const char *why)
{
    return err_set(e, "%s: %s not recorded: %s", w->name, what, why);
}

/* ---- the payload --------------------------------------------------------------------------- */

static void put32(struct capture_writer *w, uint32_t v)
{
    store_le32(w->raw + w->raw_bytes, v);
    w->raw_bytes += 4;
}

static void put64(struct capture_writer *w, uint64_t v)
{
    store_le64(w->raw + w->raw_bytes, v);
    w->raw_bytes += 8;
}

static void put_text(struct capture_writer *w, const char *text)
{
    size_t n = strlen(text);

    store_le16(w->raw + w->raw_bytes, (uint16_t)n);
    memcpy(w->raw + w->raw_bytes + 2, text, n);
    w->raw_bytes += 2 + (uint32_t)n;
}

/* Write w->raw as a chunk. */
static int put_chunk(struct capture_writer *w, enum capture_kind kind, struct err *e)
{
    uint8_t *h = w->stored;
    uint32_t raw_bytes = w->raw_bytes;
    size_t n, done = 0;

    w->raw_bytes = 0;
    if (w->failed) {
        if (e)
            *e = w->why;
        return -1;
    }
    n = ZSTD_compressCCtx(w->cctx, h + GCAP_CHUNK_BYTES, w->stored_size - GCAP_CHUNK_BYTES, w->raw,
                          raw_bytes, ZSTD_LEVEL);
    if (ZSTD_isError(n))
        return fail(w, e, ZSTD_getErrorName(n));
    store_le32(h + GCAP_AT_MAGIC, GCAP_CHUNK_MAGIC);
    store_le32(h + GCAP_AT_KIND, kind);
    store_le32(h + GCAP_AT_SEQUENCE, w->sequence);
    store_le32(h + GCAP_AT_STORED, (uint32_t)n);
    store_le32(h + GCAP_AT_RAW, raw_bytes);
    store_le32(h + GCAP_AT_STORED_CRC, gcap_crc(h + GCAP_CHUNK_BYTES, n));
    store_le32(h + GCAP_AT_HEADER_CRC, gcap_crc(h, GCAP_AT_HEADER_CRC));
    n += GCAP_CHUNK_BYTES;
    while (done < n) {
        ssize_t got = write(w->fd, h + done, n - done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail(w, e, got ? strerror(errno) : "nothing more fits");
        done += (size_t)got;
    }
    w->good_bytes += n;
    w->sequence++;
    return 0;
}

/* ---- which pages changed ------------------------------------------------------------------- */

/* A page's hash; not in the file. Eight bytes at a time, each step a bijection of the state. */
static uint64_t page_hash(const uint8_t *p)
{
    uint64_t h = CAPTURE_HASH_START;

    for (unsigned i = 0; i < CAPTURE_PAGE_BYTES; i += 8) {
        h = (h ^ load_le64(p + i)) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

static uint64_t zero_hash(void)
{
    static const uint8_t zeros[CAPTURE_PAGE_BYTES];
    return page_hash(zeros);
}

static struct page *find_page(struct capture_writer *w, uint64_t key)
{
    uint64_t i = key * UINT64_C(0x9e3779b97f4a7c15) >> 20;

    for (;; i++) {
        struct page *p = &w->pages[i & (w->page_slots - 1)];

        if (p->key == key || !p->key)
            return p;
    }
}

static bool grow_pages(struct capture_writer *w)
{
    struct page *old = w->pages;
    size_t slots = w->page_slots;
    struct page *bigger = calloc(slots ? 2 * slots : 1024, sizeof *bigger);

    if (!bigger)
        return false;
    w->pages = bigger;
    w->page_slots = slots ? 2 * slots : 1024;
    for (size_t i = 0; i < slots; i++)
        if (old[i].key)
            *find_page(w, old[i].key) = old[i];
    free(old);
    return true;
}

/* Note the page's hash; *changed says whether it was another. False when memory runs out. */
static bool note_page(struct capture_writer *w, uint64_t va, uint64_t hash, bool *changed)
{
    uint64_t key = va / CAPTURE_PAGE_BYTES + 1;
    struct page *p;

    if (2 * w->page_count >= w->page_slots && !grow_pages(w))
        return false;
    p = find_page(w, key);
    *changed = hash != (p->key ? p->hash : zero_hash());
    if (!p->key && *changed) {
        p->key = key;
        w->page_count++;
    }
    if (p->key)
        p->hash = hash;
    return true;
}

/* The pages of a range hold zeros again. */
static void forget_pages(struct capture_writer *w, uint64_t va, uint64_t bytes)
{
    uint64_t first = va / CAPTURE_PAGE_BYTES + 1, zero = zero_hash();

    if (bytes / CAPTURE_PAGE_BYTES > w->page_slots) {
        for (size_t i = 0; i < w->page_slots; i++)
            if (w->pages[i].key && w->pages[i].key - first < bytes / CAPTURE_PAGE_BYTES)
                w->pages[i].hash = zero;
        return;
    }
    for (uint64_t k = first; w->page_slots && k - first < bytes / CAPTURE_PAGE_BYTES; k++) {
        struct page *p = find_page(w, k);

        if (p->key)
            p->hash = zero;
    }
}

/* ---- records ------------------------------------------------------------------------------- */

int capture_write_map(struct capture_writer *w, const struct capture_map *m, struct err *e)
{
    const char *wrong = gcap_map_wrong(m);

    if (wrong)
        return refuse(w, e, "mapping", wrong);
    put64(w, m->va);
    put64(w, m->bytes);
    put64(w, m->object);
    put64(w, m->offset);
    put64(w, m->object_bytes);
    put32(w, m->prot);
    put32(w, m->domain);
    forget_pages(w, m->va, m->bytes);
    return put_chunk(w, CAPTURE_MAP, e);
}

int capture_write_unmap(struct capture_writer *w, uint64_t va, uint64_t bytes, struct err *e)
{
    if (!gcap_range_ok(va, bytes, CAPTURE_PAGE_BYTES))
        return refuse(w, e, "unmapping", "address or size is not that of pages within 48 bits");
    put64(w, va);
    put64(w, bytes);
    forget_pages(w, va, bytes);
    return put_chunk(w, CAPTURE_UNMAP, e);
}

/* Add a range to the memory chunk that is being put together, writing chunks as they fill. */
static int add_memory(struct capture_writer *w, uint64_t va, const uint8_t *data, uint64_t bytes,
                      struct err *e)
{
    while (bytes) {
        uint64_t n;

        if (w->raw_bytes + GCAP_MEMORY_HEAD_BYTES + CAPTURE_PAGE_BYTES > CAPTURE_RAW_MAX &&
            put_chunk(w, CAPTURE_MEMORY, e))
            return -1;
        n = MIN2(bytes, CAPTURE_RAW_MAX - GCAP_MEMORY_HEAD_BYTES - w->raw_bytes);
        if (n < bytes)
            n -= n % CAPTURE_PAGE_BYTES;
        put64(w, va);
        put64(w, n);
        memcpy(w->raw + w->raw_bytes, data, n);
        w->raw_bytes += (uint32_t)n;
        va += n;
        data += n;
        bytes -= n;
    }
    return 0;
}

int capture_write_memory(struct capture_writer *w, uint64_t va, const void *data, uint64_t bytes,
                         struct err *e)
{
    if (!gcap_range_ok(va, bytes, 1))
        return refuse(w, e, "memory", "its range is not within 48 bits");
    if (add_memory(w, va, data, bytes, e))
        return -1;
    return put_chunk(w, CAPTURE_MEMORY, e);
}

int capture_write_changed(struct capture_writer *w, uint64_t va, const void *data, uint64_t bytes,
                          struct err *e)
{
    const uint8_t *p = data;
    uint64_t run = 0; /* changed bytes that end at `at` */

    if (!gcap_range_ok(va, bytes, CAPTURE_PAGE_BYTES))
        return refuse(w, e, "memory", "address or size is not that of pages within 48 bits");
    for (uint64_t at = 0;; at += CAPTURE_PAGE_BYTES) {
        bool changed = false;

        if (at < bytes && !note_page(w, va + at, page_hash(p + at), &changed))
            return fail(w, e, "out of memory");
        if (changed) {
            run += CAPTURE_PAGE_BYTES;
            continue;
        }
        if (run && add_memory(w, va + at - run, p + at - run, run, e))
            return -1;
        run = 0;
        if (at >= bytes)
            break;
    }
    return w->raw_bytes ? put_chunk(w, CAPTURE_MEMORY, e) : 0;
}

int capture_write_submit(struct capture_writer *w, const struct capture_submit *s, struct err *e)
{
    if (s->ib_count > CAPTURE_IBS_MAX)
        return refuse(w, e, "submission", "too many IBs");
    if (s->fence_va && !gcap_range_ok(s->fence_va, 8, 8))
        return refuse(w, e, "submission", "bad fence address");
    for (uint32_t i = 0; i < s->ib_count; i++)
        if (gcap_ib_wrong(&s->ibs[i]))
            return refuse(w, e, "submission", gcap_ib_wrong(&s->ibs[i]));
    put32(w, s->context);
    put32(w, s->ib_count);
    put64(w, s->fence_va);
    put64(w, s->fence_value);
    for (uint32_t i = 0; i < s->ib_count; i++) {
        put32(w, s->ibs[i].ring);
        put32(w, s->ibs[i].size_dw);
        put64(w, s->ibs[i].va);
    }
    if (put_chunk(w, CAPTURE_SUBMIT, e))
        return -1;
    w->submissions++;
    return 0;
}

int capture_write_expect(struct capture_writer *w, const struct capture_expect *x, struct err *e)
{
    if (!gcap_range_ok(x->va, x->bytes, 1))
        return refuse(w, e, "expectation", "its range is not within 48 bits");
    put64(w, x->va);
    put64(w, x->bytes);
    put64(w, x->hash);
    return put_chunk(w, CAPTURE_EXPECT, e);
}

static bool text_ok(const char *text)
{
    return gcap_text_ok((const uint8_t *)text, strlen(text));
}

int capture_write_marker(struct capture_writer *w, const char *text, struct err *e)
{
    if (!text_ok(text))
        return refuse(w, e, "marker", "its text is too long or has control characters");
    put_text(w, text);
    return put_chunk(w, CAPTURE_MARKER, e);
}

/* ---- opening and closing ------------------------------------------------------------------- */

static void writer_free(struct capture_writer *w)
{
    if (w->own_fd && w->fd >= 0)
        close(w->fd);
    ZSTD_freeCCtx(w->cctx);
    free(w->raw);
    free(w->stored);
    free(w->pages);
    free(w->name);
    free(w);
}

/* What every writer works with. */
static bool writer_buffers(struct capture_writer *w, const char *name)
{
    w->name = strdup(name);
    w->cctx = ZSTD_createCCtx();
    w->raw = malloc(CAPTURE_RAW_MAX);
    w->stored_size = GCAP_CHUNK_BYTES + ZSTD_compressBound(CAPTURE_RAW_MAX);
    w->stored = malloc(w->stored_size);
    return w->name && w->cctx && w->raw && w->stored;
}

struct capture_writer *capture_create_fd(int fd, const char *name, const struct capture_header *h,
                                         struct err *e)
{
    struct capture_writer *w = calloc(1, sizeof *w);

    if (w)
        w->fd = fd;
    if (!w || !writer_buffers(w, name)) {
        err_set(e, "%s: out of memory", name);
        if (w)
            writer_free(w);
        return NULL;
    }
    if (!text_ok(h->chip) || !text_ok(h->driver)) {
        err_set(e, "%s: the chip's or the driver's name is too long or has control characters", name);
        writer_free(w);
        return NULL;
    }
    if (write(fd, GCAP_MAGIC, GCAP_MAGIC_BYTES) != GCAP_MAGIC_BYTES) {
        err_set(e, "%s: cannot write: %s", name, strerror(errno));
        writer_free(w);
        return NULL;
    }
    w->good_bytes = GCAP_MAGIC_BYTES;
    put32(w, CAPTURE_VERSION);
    put32(w, h->device_id);
    put32(w, h->family);
    put32(w, h->external_rev);
    put32(w, h->gb_addr_config);
    put_text(w, h->chip);
    put_text(w, h->driver);
    if (put_chunk(w, CAPTURE_HEADER, e)) {
        writer_free(w);
        return NULL;
    }
    return w;
}

struct capture_writer *capture_create(const char *path, const struct capture_header *h,
                                      struct err *e)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    struct capture_writer *w;

    if (fd < 0) {
        err_set(e, "%s: %s", path, strerror(errno));
        return NULL;
    }
    w = capture_create_fd(fd, path, h, e);
    if (w)
        w->own_fd = true;
    else
        close(fd);
    return w;
}

int capture_finish(struct capture_writer *w, bool end, struct err *e)
{
    int rc = 0;

    if (end) {
        put64(w, w->submissions);
        rc = put_chunk(w, CAPTURE_END, e);
    }
    if (w->own_fd && close(w->fd) && !rc)
        rc = err_set(e, "%s: %s", w->name, strerror(errno));
    w->fd = -1;
    writer_free(w);
    return rc;
}

int capture_mend(const char *path, struct err *e)
{
    struct capture_reader *r = capture_open(path, e);
    struct capture_writer *w;
    struct capture_record rec;
    int got, fd;

    if (!r)
        return -1;
    while ((got = capture_next(r, &rec, e)) > 0)
        ;
    if (!got) {
        capture_close(r);
        return 0;
    }
    fd = open(path, O_WRONLY | O_CLOEXEC);
    w = calloc(1, sizeof *w);
    if (fd < 0 || !w) {
        err_set(e, "%s: %s", path, fd < 0 ? strerror(errno) : "out of memory");
        if (fd >= 0)
            close(fd);
        free(w);
        capture_close(r);
        return -1;
    }
    w->fd = fd;
    w->own_fd = true;
    w->good_bytes = capture_stats(r)->good_bytes;
    w->submissions = capture_stats(r)->chunks[CAPTURE_SUBMIT];
    for (unsigned k = 0; k < CAPTURE_KINDS; k++)
        w->sequence += (uint32_t)capture_stats(r)->chunks[k];
    capture_close(r);
    if (!writer_buffers(w, path) || ftruncate(fd, (off_t)w->good_bytes) ||
        lseek(fd, (off_t)w->good_bytes, SEEK_SET) < 0) {
        err_set(e, "%s: cannot be mended: %s", path, strerror(errno));
        writer_free(w);
        return -1;
    }
    if (capture_write_marker(w, "the recorded program ended here, without closing the capture", e)) {
        writer_free(w);
        return -1;
    }
    return capture_finish(w, true, e) ? -1 : 1;
}
