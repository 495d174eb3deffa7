/* emu/capture*: what is written is read back; whatever happens to the file, what comes out is a prefix
 * of what was written, and an error that names the place. */
#include "config.h"

#include "emu/capture_format.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

/* ---- helpers ------------------------------------------------------------------------------- */

static const struct capture_header test_header = {
    .device_id = 0x6658, .family = 120, .external_rev = 20, .gb_addr_config = 0x12010001,
    .chip = "bonaire", .driver = "a driver 1.0",
};

static int new_file(void)
{
    int fd = memfd_create("test", 0);

    ck_assert_int_ge(fd, 0);
    return fd;
}

static int file_of(const void *data, size_t bytes)
{
    int fd = new_file();

    ck_assert_int_eq(pwrite(fd, data, bytes, 0), (ssize_t)bytes);
    return fd;
}

static uint8_t *bytes_of(int fd, size_t *bytes)
{
    *bytes = (size_t)lseek(fd, 0, SEEK_END);
    uint8_t *p = malloc(*bytes + 1);

    ck_assert_int_eq(pread(fd, p, *bytes, 0), (ssize_t)*bytes);
    return p;
}

/* A record as text, so that lists of them can be compared. */
static void describe(const struct capture_record *r, char out[256])
{
    int n = snprintf(out, 256, "%u@%llu %s ", r->sequence, (unsigned long long)r->offset,
                     capture_kind_name(r->kind));
    char *o = out + n;
    size_t left = 256 - (size_t)n;

    switch (r->kind) {
    case CAPTURE_MAP:
        snprintf(o, left, "%llx %llx %llx %llx %x %x", (unsigned long long)r->map.va,
                 (unsigned long long)r->map.bytes, (unsigned long long)r->map.object,
                 (unsigned long long)r->map.offset, r->map.prot, r->map.domain);
        break;
    case CAPTURE_UNMAP:
        snprintf(o, left, "%llx %llx", (unsigned long long)r->unmap.va,
                 (unsigned long long)r->unmap.bytes);
        break;
    case CAPTURE_MEMORY:
        snprintf(o, left, "%llx %llx %016llx", (unsigned long long)r->memory.va,
                 (unsigned long long)r->memory.bytes,
                 (unsigned long long)capture_hash(CAPTURE_HASH_START, r->memory.data,
                                                  r->memory.bytes));
        break;
    case CAPTURE_SUBMIT:
        snprintf(o, left, "%u %u %llx %llx %016llx", r->submit.context, r->submit.ib_count,
                 (unsigned long long)r->submit.fence_va,
                 (unsigned long long)r->submit.fence_value,
                 (unsigned long long)capture_hash(CAPTURE_HASH_START, r->submit.ibs,
                                                  r->submit.ib_count * sizeof *r->submit.ibs));
        break;
    case CAPTURE_EXPECT:
        snprintf(o, left, "%llx %llx %016llx", (unsigned long long)r->expect.va,
                 (unsigned long long)r->expect.bytes, (unsigned long long)r->expect.hash);
        break;
    case CAPTURE_MARKER: snprintf(o, left, "%s", r->marker); break;
    default: break;
    }
}

#define RECORDS_MAX 64
struct list {
    unsigned n;
    int result; /* of the last capture_next(): 0 or -1; -2 when it did not open */
    struct err e;
    char text[RECORDS_MAX][256];
};

/* Everything that can be read from the file; closes it. */
static void read_all(int fd, struct list *l)
{
    struct capture_record rec;
    struct capture_reader *r;

    l->n = 0;
    l->result = -2;
    l->e.text[0] = 0;
    lseek(fd, 0, SEEK_SET);
    r = capture_open_fd(fd, "t", &l->e);
    if (!r)
        return;
    while ((l->result = capture_next(r, &rec, &l->e)) > 0) {
        ck_assert_uint_lt(l->n, RECORDS_MAX);
        describe(&rec, l->text[l->n++]);
    }
    ck_assert_int_eq(capture_next(r, &rec, NULL), l->result);
    capture_close(r);
}

/* A small file with every kind of record. */
static uint8_t *small_file(size_t *bytes)
{
    uint8_t page[CAPTURE_PAGE_BYTES] = "some contents", *all;
    struct capture_ib ibs[2] = {{ATOLL_RING_GFX, 64, 0x100000}, {ATOLL_RING_CE, 1, 0x100400}};
    struct capture_submit s = {1, 2, 0x800100000000, 77, ibs};
    struct capture_expect x = {0x100003, 5, 0x123456789abcdef0};
    struct err e;
    int fd = new_file();
    struct capture_writer *w = capture_create_fd(fd, "t", &test_header, &e);

    ck_assert_ptr_nonnull(w);
    ck_assert(!capture_write_map(w, &(struct capture_map){0x100000, 0x4000, 0, 0, 0, 7, 6}, &e));
    ck_assert(!capture_write_map(
        w, &(struct capture_map){0x800100000000, 0x1000, 9, 0x2000, 0x3000, 3, 2}, &e));
    ck_assert(!capture_write_memory(w, 0x100000, page, sizeof page, &e));
    ck_assert(!capture_write_memory(w, 0x100013, "abc", 3, &e));
    ck_assert(!capture_write_marker(w, "frame 1", &e));
    ck_assert(!capture_write_submit(w, &s, &e));
    ck_assert(!capture_write_expect(w, &x, &e));
    ck_assert(!capture_write_unmap(w, 0x100000, 0x4000, &e));
    ck_assert(!capture_finish(w, true, &e));
    all = bytes_of(fd, bytes);
    close(fd);
    return all;
}

/* ---- what was written is read -------------------------------------------------------------- */

START_TEST(round_trip)
{
    size_t bytes;
    uint8_t *all = small_file(&bytes), page[CAPTURE_PAGE_BYTES] = "some contents";
    struct capture_record rec;
    struct err e;
    int fd = file_of(all, bytes);
    struct capture_reader *r;
    const struct capture_header *h;

    lseek(fd, 0, SEEK_SET);
    r = capture_open_fd(fd, "t", &e);
    ck_assert_ptr_nonnull(r);
    h = capture_header(r);
    ck_assert(h->version == 1 && h->device_id == 0x6658 && h->family == 120);
    ck_assert(h->external_rev == 20 && h->gb_addr_config == 0x12010001);
    ck_assert_str_eq(h->chip, "bonaire");
    ck_assert_str_eq(h->driver, "a driver 1.0");

    ck_assert_int_eq(capture_next(r, &rec, &e), 1);
    ck_assert(rec.kind == CAPTURE_MAP && rec.map.va == 0x100000 && rec.map.bytes == 0x4000);
    ck_assert(rec.map.object == 0 && rec.map.prot == 7 && rec.map.domain == 6);
    ck_assert_int_eq(capture_next(r, &rec, &e), 1);
    ck_assert(rec.kind == CAPTURE_MAP && rec.map.object == 9 && rec.map.offset == 0x2000);
    ck_assert(rec.map.object_bytes == 0x3000);
    ck_assert_int_eq(capture_next(r, &rec, &e), 1);
    ck_assert(rec.kind == CAPTURE_MEMORY && rec.memory.bytes == sizeof page);
    ck_assert(!memcmp(rec.memory.data, page, sizeof page));
    ck_assert_int_eq(capture_next(r, &rec, &e), 1);
    ck_assert(rec.kind == CAPTURE_MEMORY && rec.memory.va == 0x100013 && rec.memory.bytes == 3);
    ck_assert_int_eq(capture_next(r, &rec, &e), 1);
    ck_assert(rec.kind == CAPTURE_MARKER);
    ck_assert_str_eq(rec.marker, "frame 1");
    ck_assert_int_eq(capture_next(r, &rec, &e), 1);
    ck_assert(rec.kind == CAPTURE_SUBMIT && rec.submit.ib_count == 2);
    ck_assert(rec.submit.fence_va == 0x800100000000 && rec.submit.fence_value == 77);
    ck_assert(rec.submit.ibs[0].va == 0x100000 && rec.submit.ibs[0].size_dw == 64);
    ck_assert(rec.submit.ibs[1].ring == ATOLL_RING_CE && rec.submit.ibs[1].size_dw == 1);
    ck_assert_int_eq(capture_next(r, &rec, &e), 1);
    ck_assert(rec.kind == CAPTURE_EXPECT && rec.expect.va == 0x100003 && rec.expect.bytes == 5);
    ck_assert(rec.expect.hash == 0x123456789abcdef0);
    ck_assert_int_eq(capture_next(r, &rec, &e), 1);
    ck_assert(rec.kind == CAPTURE_UNMAP && rec.unmap.va == 0x100000);
    ck_assert_int_eq(capture_next(r, &rec, &e), 0);
    ck_assert_int_eq(capture_next(r, &rec, &e), 0);
    ck_assert_uint_eq(capture_stats(r)->good_bytes, bytes);
    capture_close(r);
    free(all);
}
END_TEST

/* Large memory takes several chunks, none above the limit. */
START_TEST(large_memory)
{
    size_t bytes = 3 * (size_t)CAPTURE_RAW_MAX + 5, at = 0;
    uint8_t *big = malloc(bytes);
    struct capture_record rec;
    struct err e;
    int fd = new_file();
    struct capture_writer *w = capture_create_fd(fd, "t", &test_header, &e);
    struct capture_reader *r;

    for (size_t i = 0; i < bytes; i++)
        big[i] = (uint8_t)((i * 2654435761u) >> 13);
    ck_assert(!capture_write_memory(w, 0x7003, big, bytes, &e));
    ck_assert(!capture_finish(w, true, &e));
    lseek(fd, 0, SEEK_SET);
    r = capture_open_fd(fd, "t", &e);
    while (capture_next(r, &rec, &e) > 0) {
        ck_assert(rec.kind == CAPTURE_MEMORY && rec.memory.va == 0x7003 + at);
        ck_assert(at + rec.memory.bytes <= bytes);
        ck_assert(!memcmp(rec.memory.data, big + at, rec.memory.bytes));
        at += rec.memory.bytes;
    }
    ck_assert_uint_eq(at, bytes);
    ck_assert_uint_eq(capture_stats(r)->chunks[CAPTURE_MEMORY], 4);
    capture_close(r);
    free(big);
}
END_TEST

/* Bytes of memory records in the file, and the first address among them. */
static uint64_t memory_in(int fd, uint64_t *first_va)
{
    struct capture_record rec;
    struct err e;
    struct capture_reader *r;
    uint64_t sum = 0;
    int copy = dup(fd);

    lseek(copy, 0, SEEK_SET);
    r = capture_open_fd(copy, "t", &e);
    ck_assert_ptr_nonnull(r);
    *first_va = 0;
    while (capture_next(r, &rec, &e) > 0)
        if (rec.kind == CAPTURE_MEMORY) {
            if (!*first_va)
                *first_va = rec.memory.va;
            sum += rec.memory.bytes;
        }
    capture_close(r);
    return sum;
}

START_TEST(only_changed_pages)
{
    enum { PAGES = 5000 }; /* more than the table starts with */
    size_t bytes = PAGES * (size_t)CAPTURE_PAGE_BYTES;
    uint8_t *mem = calloc(1, bytes);
    uint64_t va = 0x40000000, first, sum;
    struct err e;
    int fd = new_file();
    struct capture_writer *w = capture_create_fd(fd, "t", &test_header, &e);
    const struct capture_map map = {va, bytes, 0, 0, 0, 7, 4};

    ck_assert(!capture_write_map(w, &map, &e));
    ck_assert(!capture_write_changed(w, va, mem, bytes, &e));
    ck_assert_uint_eq(memory_in(fd, &first), 0); /* zeros are what a map gives */
    mem[7 * CAPTURE_PAGE_BYTES] = 1;
    mem[8 * CAPTURE_PAGE_BYTES - 1] = 1;
    mem[99 * CAPTURE_PAGE_BYTES + 5] = 2;
    ck_assert(!capture_write_changed(w, va, mem, bytes, &e));
    ck_assert_uint_eq(memory_in(fd, &first), 2 * CAPTURE_PAGE_BYTES);
    ck_assert_uint_eq(first, va + 7 * CAPTURE_PAGE_BYTES);
    ck_assert(!capture_write_changed(w, va, mem, bytes, &e));
    ck_assert_uint_eq(memory_in(fd, &first), 2 * CAPTURE_PAGE_BYTES);
    mem[99 * CAPTURE_PAGE_BYTES + 5] = 0; /* back to zeros is a change too */
    ck_assert(!capture_write_changed(w, va, mem, bytes, &e));
    ck_assert_uint_eq(sum = memory_in(fd, &first), 3 * CAPTURE_PAGE_BYTES);
    for (size_t i = 0; i < PAGES; i++)
        mem[i * CAPTURE_PAGE_BYTES + 100] = 3;
    ck_assert(!capture_write_changed(w, va, mem, bytes, &e));
    ck_assert_uint_eq(memory_in(fd, &first), sum += bytes);
    /* A new mapping starts as zeros, so what is not zero is said again. */
    ck_assert(!capture_write_map(w, &map, &e));
    ck_assert(!capture_write_changed(w, va, mem, bytes, &e));
    ck_assert_uint_eq(memory_in(fd, &first), sum += bytes);
    ck_assert(!capture_write_unmap(w, va + CAPTURE_PAGE_BYTES, CAPTURE_PAGE_BYTES, &e));
    ck_assert(!capture_write_changed(w, va, mem, bytes, &e));
    ck_assert_uint_eq(memory_in(fd, &first), sum += CAPTURE_PAGE_BYTES);
    ck_assert(!capture_finish(w, true, &e));
    close(fd);
    free(mem);
}
END_TEST

/* ---- what happens to files ----------------------------------------------------------------- */

static void check_prefix(const struct list *whole, const struct list *part)
{
    ck_assert_int_lt(part->result, 0);
    ck_assert_msg(part->e.text[0], "no message");
    ck_assert_uint_le(part->n, whole->n);
    for (unsigned i = 0; i < part->n; i++)
        ck_assert_str_eq(part->text[i], whole->text[i]);
}

START_TEST(truncation_at_every_byte)
{
    static struct list whole, part;
    size_t bytes;
    uint8_t *all = small_file(&bytes);

    read_all(file_of(all, bytes), &whole);
    ck_assert_int_eq(whole.result, 0);
    ck_assert_uint_eq(whole.n, 8);
    for (size_t n = 0; n < bytes; n++) {
        char place[64];
        unsigned expect = 0;
        unsigned long long at;

        read_all(file_of(all, n), &part);
        check_prefix(&whole, &part);
        /* Every record whose chunk is whole is there. A chunk ends where the next starts. */
        for (unsigned i = 0; i + 1 < whole.n; i++) {
            sscanf(whole.text[i + 1], "%*u@%llu", &at);
            expect += at <= n;
        }
        ck_assert_uint_ge(part.n, expect);
        /* The message names the byte where the loss begins. */
        if (part.n) {
            sscanf(whole.text[MIN2(part.n, whole.n - 1)], "%*u@%llu", &at);
            snprintf(place, sizeof place, "at byte %llu:", at);
            if (part.n < whole.n)
                ck_assert_msg(strstr(part.e.text, place), "%s: %s", place, part.e.text);
        }
    }
    free(all);
}
END_TEST

START_TEST(every_bit_flip)
{
    static struct list whole, part;
    size_t bytes;
    uint8_t *all = small_file(&bytes);

    read_all(file_of(all, bytes), &whole);
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        all[bit / 8] ^= (uint8_t)(1 << bit % 8);
        read_all(file_of(all, bytes), &part);
        check_prefix(&whole, &part);
        all[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(all);
}
END_TEST

START_TEST(garbage)
{
    static struct list l;
    uint8_t junk[4096];
    uint32_t x = 1;

    for (unsigned round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof junk; i++)
            junk[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
        if (round % 2)
            memcpy(junk, GCAP_MAGIC, GCAP_MAGIC_BYTES);
        if (round % 4 == 3)
            store_le32(junk + GCAP_MAGIC_BYTES, GCAP_CHUNK_MAGIC);
        read_all(file_of(junk, sizeof junk - round), &l);
        ck_assert_int_eq(l.result, -2);
        ck_assert(l.e.text[0]);
    }
}
END_TEST

START_TEST(trailing_and_swapped)
{
    static struct list l;
    size_t bytes;
    uint8_t *all = small_file(&bytes), *more = malloc(2 * bytes);
    unsigned long long a, b, c;

    memcpy(more, all, bytes);
    memcpy(more + bytes, all, bytes);
    read_all(file_of(more, 2 * bytes), &l);
    ck_assert_int_eq(l.result, -1);
    ck_assert_ptr_nonnull(strstr(l.e.text, "follow the end"));
    ck_assert_uint_eq(l.n, 8);
    /* The first two map chunks in the wrong order. */
    sscanf(l.text[0], "%*u@%llu", &a);
    sscanf(l.text[1], "%*u@%llu", &b);
    sscanf(l.text[2], "%*u@%llu", &c);
    memcpy(more + a, all + b, c - b);
    memcpy(more + a + (c - b), all + a, b - a);
    read_all(file_of(more, bytes), &l);
    ck_assert_int_eq(l.result, -1);
    ck_assert_uint_eq(l.n, 0);
    ck_assert_ptr_nonnull(strstr(l.e.text, "out of order"));
    free(more);
    free(all);
}
END_TEST

/* The process ends without a word: all that was written is there. */
START_TEST(no_end)
{
    static struct list l;
    struct err e;
    int fd = new_file();
    struct capture_writer *w = capture_create_fd(fd, "t", &test_header, &e);

    ck_assert(!capture_write_marker(w, "one", &e));
    ck_assert(!capture_finish(w, false, &e));
    read_all(fd, &l);
    ck_assert_uint_eq(l.n, 1);
    ck_assert_int_eq(l.result, -1);
    ck_assert_ptr_nonnull(strstr(l.e.text, "cut off"));
}
END_TEST

/* The disk fills: the file ends with its last whole chunk. */
START_TEST(disk_full)
{
    static struct list l;
    char path[] = "/tmp/test_capture.XXXXXX";
    uint8_t page[CAPTURE_PAGE_BYTES];
    struct rlimit lim = {30000, 30000};
    struct err e;
    int fd = mkstemp(path), rc = 0, fails = 0;
    struct capture_writer *w;
    unsigned written = 0;

    ck_assert_int_ge(fd, 0);
    unlink(path);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert(!setrlimit(RLIMIT_FSIZE, &lim));
    w = capture_create_fd(fd, "t", &test_header, &e);
    for (unsigned i = 0; i < 40; i++) {
        for (size_t k = 0; k < sizeof page; k++)
            page[k] = (uint8_t)((k + i) * (k + 7) * 2654435761u >> 15);
        rc = capture_write_memory(w, 0x1000, page, sizeof page, &e);
        written += !rc;
        fails += !!rc;
    }
    ck_assert(rc && fails > 1 && written > 1);
    ck_assert_ptr_nonnull(strstr(e.text, "cannot write"));
    ck_assert(capture_finish(w, true, &e));
    read_all(fd, &l);
    ck_assert_uint_eq(l.n, written);
    ck_assert_ptr_nonnull(strstr(l.e.text, "cut off"));
}
END_TEST

/* ---- chunks whose checksums are right and whose contents are not --------------------------- */

struct forge {
    uint8_t data[1 << 16];
    size_t bytes;
    uint32_t sequence;
};

static void forge_chunk(struct forge *f, uint32_t kind, uint32_t claimed_raw, const void *stored,
                        size_t stored_bytes)
{
    uint8_t *h = f->data + f->bytes;

    store_le32(h + GCAP_AT_MAGIC, GCAP_CHUNK_MAGIC);
    store_le32(h + GCAP_AT_KIND, kind);
    store_le32(h + GCAP_AT_SEQUENCE, f->sequence++);
    store_le32(h + GCAP_AT_STORED, (uint32_t)stored_bytes);
    store_le32(h + GCAP_AT_RAW, claimed_raw);
    store_le32(h + GCAP_AT_STORED_CRC, gcap_crc(stored, stored_bytes));
    store_le32(h + GCAP_AT_HEADER_CRC, gcap_crc(h, GCAP_AT_HEADER_CRC));
    memcpy(h + GCAP_CHUNK_BYTES, stored, stored_bytes);
    f->bytes += GCAP_CHUNK_BYTES + stored_bytes;
}

static void forge_payload(struct forge *f, uint32_t kind, const void *raw, size_t bytes)
{
    uint8_t stored[8192];
    size_t n = ZSTD_compress(stored, sizeof stored, raw, bytes, 1);

    ck_assert(!ZSTD_isError(n));
    forge_chunk(f, kind, (uint32_t)bytes, stored, n);
}

static void forge_start(struct forge *f)
{
    uint8_t header[33] = {0};

    f->bytes = GCAP_MAGIC_BYTES;
    f->sequence = 0;
    memcpy(f->data, GCAP_MAGIC, GCAP_MAGIC_BYTES);
    store_le32(header, 1);
    store_le16(header + 20, 7);
    memcpy(header + 22, "bonaire", 7);
    forge_payload(f, CAPTURE_HEADER, header, 31);
}

/* Nothing of the file but its header may come out. */
static void forge_refused(const struct forge *f, const char *message)
{
    static struct list l;

    read_all(file_of(f->data, f->bytes), &l);
    ck_assert_int_eq(l.result, -1);
    ck_assert_uint_eq(l.n, 0);
    ck_assert_msg(strstr(l.e.text, message), "%s", l.e.text);
}

START_TEST(forged_sizes)
{
    static struct forge f;
    static uint8_t zeros[1 << 20];
    uint8_t stored[4096];
    size_t n = ZSTD_compress(stored, sizeof stored, zeros, sizeof zeros, 1);

    forge_start(&f);
    forge_chunk(&f, CAPTURE_MEMORY, 0xffffffff, stored, n);
    forge_refused(&f, "more than a chunk may have");
    forge_start(&f);
    forge_chunk(&f, CAPTURE_MEMORY, CAPTURE_RAW_MAX + 1, stored, n);
    forge_refused(&f, "more than a chunk may have");
    forge_start(&f);
    forge_chunk(&f, CAPTURE_MEMORY, 100, stored, n); /* decompresses to a mebibyte */
    forge_refused(&f, "do not decompress to 100 bytes");
    forge_start(&f);
    forge_chunk(&f, CAPTURE_MEMORY, CAPTURE_RAW_MAX, stored, n); /* to less than it says */
    forge_refused(&f, "do not decompress");
    forge_start(&f);
    forge_chunk(&f, CAPTURE_MEMORY, 100, "not zstd", 8);
    forge_refused(&f, "do not decompress");
    forge_start(&f);
    forge_chunk(&f, CAPTURE_MEMORY, 0, "", 0);
    forge_refused(&f, "too short");
    forge_start(&f);
    store_le32(f.data + GCAP_MAGIC_BYTES + GCAP_AT_STORED, 0x7fffffff);
    {
        static struct list l;

        read_all(file_of(f.data, f.bytes), &l);
        ck_assert_int_eq(l.result, -2);
    }
}
END_TEST

static const struct forged {
    uint32_t kind;
    const char *message;
    size_t bytes;
    uint64_t q[7];
} forged[] = {
    {CAPTURE_HEADER, "second header", 8, {1}},
    {0, "kind 0", 8, {1}},
    {CAPTURE_KINDS, "unknown to this version", 8, {1}},
    {0xffffffff, "unknown to this version", 8, {1}},
    {CAPTURE_MAP, "too short or too long", 0, {0}},
    {CAPTURE_MAP, "pages", 48, {0x1000, 0x1001, 0, 0, 0, 7}},
    {CAPTURE_MAP, "pages", 48, {0x1001, 0x1000, 0, 0, 0, 7}},
    {CAPTURE_MAP, "pages", 48, {0x1000, 0, 0, 0, 0, 7}},
    {CAPTURE_MAP, "pages", 48, {0xfffffffff000, 0x2000, 0, 0, 0, 7}},
    {CAPTURE_MAP, "pages", 48, {UINT64_C(1) << 48, 0x2000, 0, 0, 0, 7}},
    {CAPTURE_MAP, "pages", 48, {0x1000, UINT64_C(1) << 47, 0, 0, 0, 7}},
    {CAPTURE_MAP, "permission", 48, {0x1000, 0x1000, 0, 0, 0, 8}},
    {CAPTURE_MAP, "object", 48, {0x1000, 0x1000, 0, 0x1000, 0, 7}},
    {CAPTURE_MAP, "object", 48, {0x1000, 0x1000, 0, 0, 0x1000, 7}},
    {CAPTURE_MAP, "object", 48, {0x1000, 0x1000, 1, 0x1001, 0x8000, 7}},
    {CAPTURE_MAP, "object", 48, {0x1000, 0x1000, 1, ~UINT64_C(0xfff), 0x8000, 7}},
    {CAPTURE_MAP, "object", 48, {0x1000, 0x3000, 1, 0, 0x2000, 7}},
    {CAPTURE_MAP, "object", 48, {0x1000, 0x3000, 1, 0, UINT64_C(1) << 60, 7}},
    {CAPTURE_MAP, "too short or too long", 56, {0x1000, 0x1000, 0, 0, 0, 7, 0}},
    {CAPTURE_UNMAP, "pages", 16, {0x1000, 0x10}},
    {CAPTURE_UNMAP, "too short or too long", 24, {0x1000, 0x1000}},
    {CAPTURE_MEMORY, "larger than the chunk", 24, {0x1000, 9}},
    {CAPTURE_MEMORY, "larger than the chunk", 24, {0x1000, UINT64_C(1) << 63}},
    {CAPTURE_MEMORY, "larger than the chunk", 24, {0x1000, 0}},
    {CAPTURE_MEMORY, "larger than the chunk", 24, {0xffffffffffff, 8}},
    {CAPTURE_SUBMIT, "number of IBs", 24, {1 | UINT64_C(0xffffffff) << 32}},
    {CAPTURE_SUBMIT, "number of IBs", 40, {1 | UINT64_C(2) << 32}},
    {CAPTURE_SUBMIT, "number of IBs", 40, {1 | UINT64_C(0x10000001) << 32}},
    {CAPTURE_SUBMIT, "unknown ring", 40, {UINT64_C(1) << 32, 0, 0, 4 | UINT64_C(1) << 32, 0x1000}},
    {CAPTURE_SUBMIT, "of an IB", 40, {UINT64_C(1) << 32, 0, 0, UINT64_C(1) << 32, 0x1001}},
    {CAPTURE_SUBMIT, "of an IB", 40, {UINT64_C(1) << 32, 0, 0, 0, 0x1000}},
    {CAPTURE_SUBMIT, "fence", 24, {0, 0x1001}},
    {CAPTURE_EXPECT, "range", 24, {~UINT64_C(0), 1}},
    {CAPTURE_EXPECT, "range", 24, {0, 0}},
    {CAPTURE_MARKER, "too short or too long", 8, {0x4141414141410007}},
    {CAPTURE_MARKER, "too short or too long", 8, {0x4141410041410006}},
    {CAPTURE_MARKER, "too short or too long", 8, {0x4141411b41410006}},
    {CAPTURE_END, "counts other submissions", 8, {1}},
};

START_TEST(forged_contents)
{
    static struct forge f;
    const struct forged *t = &forged[_i];

    forge_start(&f);
    forge_payload(&f, t->kind, t->q, t->bytes);
    forge_refused(&f, t->message);
}
END_TEST

/* The writer refuses what no reader accepts, and goes on. */
START_TEST(writer_refuses)
{
    static struct list l;
    struct capture_ib bad_ib = {9, 1, 0x1000};
    struct capture_header h = test_header;
    char big[400];
    struct err e;
    int fd = new_file();
    struct capture_writer *w = capture_create_fd(fd, "t", &test_header, &e);

    memset(big, 'a', sizeof big - 1);
    big[sizeof big - 1] = 0;
    ck_assert(capture_write_map(w, &(struct capture_map){1, 0x1000, 0, 0, 0, 7, 0}, &e));
    ck_assert(capture_write_unmap(w, 0x1000, 0, &e));
    ck_assert(capture_write_memory(w, UINT64_C(1) << 48, "a", 1, &e));
    ck_assert(capture_write_changed(w, 0x1000, big, 10, &e));
    ck_assert(capture_write_submit(w, &(struct capture_submit){0, 1, 0, 0, &bad_ib}, &e));
    ck_assert(capture_write_submit(w, &(struct capture_submit){0, 0, 3, 0, NULL}, &e));
    ck_assert(capture_write_submit(w, &(struct capture_submit){0, CAPTURE_IBS_MAX + 1, 0, 0, NULL},
                                   &e));
    ck_assert(capture_write_expect(w, &(struct capture_expect){0, 0, 0}, &e));
    ck_assert(capture_write_marker(w, big, &e));
    ck_assert(capture_write_marker(w, "a\nb", &e));
    ck_assert(!capture_write_marker(w, "fine", &e));
    ck_assert(!capture_finish(w, true, &e));
    read_all(fd, &l);
    ck_assert_int_eq(l.result, 0);
    ck_assert_uint_eq(l.n, 1);
    h.chip = big;
    fd = new_file();
    ck_assert_ptr_null(capture_create_fd(fd, "t", &h, &e));
    close(fd);
    ck_assert_ptr_null(capture_create("/dev/full", &test_header, &e));
    ck_assert_ptr_null(capture_create("/no/such/place", &test_header, &e));
    ck_assert_ptr_null(capture_open("/no/such/place", &e));
    ck_assert_ptr_null(capture_open("/", &e));
}
END_TEST

/* ---- raw folders --------------------------------------------------------------------------- */

static void put_file(const char *folder, const char *name, const void *data, size_t bytes)
{
    char path[256];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, bytes, f), bytes);
    fclose(f);
}

static void remove_folder(const char *folder)
{
    char command[300];

    snprintf(command, sizeof command, "rm -r '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static void import_folder(const char *folder, struct list *l)
{
    int fd = new_file();
    struct err e = {""};

    if (capture_import(folder, fd, "t", "d", &e)) {
        l->e = e;
        l->n = 0;
        l->result = -3;
        close(fd);
        return;
    }
    read_all(fd, l);
}

#define CAPTURE_JSON(subs) "{\"chip\":\"vega10\",\"device_id\":1,\"submissions\":[" subs "]}"
#define BO(handle, va, file) \
    "{\"handle\":" handle ",\"va\":" va ",\"size\":8192,\"domain\":4,\"file\":\"" file "\"}"
#define IB "{\"id\":1,\"ip\":\"GFX\",\"va\":18446603340516163588,\"bytes\":8,\"flags\":1,\"file\":\"ib\"}"

START_TEST(raw_folder)
{
    static struct list l;
    /* The first BO at a sign-extended address; the second changes one page, and is then gone. */
    static const char json[] =
        CAPTURE_JSON("{\"ctx\":3,\"chunks\":[" IB ",{\"id\":2,\"handle\":2,\"offset\":16}],"
                     "\"bos\":[" BO("1", "18446603340516163584", "a") "," BO("2", "8192", "zero") "]},"
                     "{\"chunks\":[],\"bos\":[" BO("1", "18446603340516163584", "a") ","
                     BO("2", "8192", "b") "]},{\"chunks\":[" IB "],\"bos\":["
                     BO("1", "18446603340516163584", "a") "]}");
    char folder[] = "/tmp/test_capture.XXXXXX";
    uint8_t a[8192] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, b[8192] = {0};
    static const char *const expect[] = {
        "map 800100000000 2000 0 0 7 4", "memory 800100000000 1000", "map 2000 2000 0 0 7 4",
        "submit 3 1 2010 1", "memory 3000 1000", "submit 0 0 0 0", "unmap 2000 2000",
        "submit 0 1 0 0",
    };

    b[5000] = 1;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    put_file(folder, "capture.json", json, sizeof json - 1);
    put_file(folder, "a", a, sizeof a);
    put_file(folder, "b", b, sizeof b);
    put_file(folder, "ib", a + 4, 8);
    import_folder(folder, &l);
    ck_assert_msg(!l.result, "%s", l.e.text);
    ck_assert_uint_eq(l.n, ARRAY_LEN(expect));
    for (unsigned i = 0; i < l.n; i++)
        ck_assert_msg(!strncmp(strchr(l.text[i], ' ') + 1, expect[i], strlen(expect[i])), "%s",
                      l.text[i]);
    put_file(folder, "ib", a, 8);
    import_folder(folder, &l);
    ck_assert_ptr_nonnull(strstr(l.e.text, "inconsistent"));
    put_file(folder, "b", b, 100);
    put_file(folder, "ib", a + 4, 8);
    import_folder(folder, &l);
    ck_assert_ptr_nonnull(strstr(l.e.text, "/b: 100 bytes, but the BO at 0x2000 has 8192"));
    remove_folder(folder);
}
END_TEST

static const struct {
    const char *json, *message;
} bad_folders[] = {
    {"", "line 1"},
    {"{}", "no \"chip\""},
    {"{\"chip\":\"bonaire\",\"submissions\":7}", "no \"submissions\""},
    {"{\"chip\":\"a\\u001bb\",\"submissions\":[]}", "control characters"},
    {CAPTURE_JSON("7"), "no \"chunks\""},
    {CAPTURE_JSON("{\"chunks\":[],\"bos\":[7]}"), "no integer \"handle\""},
    {CAPTURE_JSON("{\"chunks\":[],\"bos\":[" BO("1", "4097", "zero") "]}"), "pages"},
    {CAPTURE_JSON("{\"chunks\":[],\"bos\":[" BO("1", "1.5", "zero") "]}"), "no integer \"va\""},
    {CAPTURE_JSON("{\"chunks\":[],\"bos\":[" BO("1", "99999999999999999999", "zero") "]}"), "line 1"},
    {CAPTURE_JSON("{\"chunks\":[],\"bos\":[" BO("1", "4096", "../capture.json") "]}"),
     "not the name of a file in the folder"},
    {CAPTURE_JSON("{\"chunks\":[],\"bos\":[" BO("1", "4096", "none") "]}"), "none: No such file"},
    {CAPTURE_JSON("{\"chunks\":[" IB "],\"bos\":[" BO("1", "4096", "zero") "]}"), "lies in no BO"},
    {CAPTURE_JSON("{\"chunks\":[{\"id\":1,\"ip\":\"VCE\",\"va\":0,\"bytes\":8}],\"bos\":[]}"),
     "ip \"VCE\""},
    {CAPTURE_JSON("{\"chunks\":[{\"id\":1,\"ip\":\"GFX\",\"va\":0,\"bytes\":7}],\"bos\":[]}"),
     "not one of dwords"},
};

START_TEST(bad_folder)
{
    static struct list l;
    char folder[] = "/tmp/test_capture.XXXXXX";

    ck_assert_ptr_nonnull(mkdtemp(folder));
    put_file(folder, "capture.json", bad_folders[_i].json, strlen(bad_folders[_i].json));
    import_folder(folder, &l);
    ck_assert_int_eq(l.result, -3);
    ck_assert_msg(strstr(l.e.text, bad_folders[_i].message), "%s", l.e.text);
    remove_folder(folder);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("capture");
    TCase *t = tcase_create("files");

    tcase_set_timeout(t, 60);
    tcase_add_test(t, round_trip);
    tcase_add_test(t, large_memory);
    tcase_add_test(t, only_changed_pages);
    tcase_add_test(t, truncation_at_every_byte);
    tcase_add_test(t, every_bit_flip);
    tcase_add_test(t, garbage);
    tcase_add_test(t, trailing_and_swapped);
    tcase_add_test(t, no_end);
    tcase_add_test(t, disk_full);
    tcase_add_test(t, forged_sizes);
    tcase_add_loop_test(t, forged_contents, 0, (int)ARRAY_LEN(forged));
    tcase_add_test(t, writer_refuses);
    tcase_add_test(t, raw_folder);
    tcase_add_loop_test(t, bad_folder, 0, (int)ARRAY_LEN(bad_folders));
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
