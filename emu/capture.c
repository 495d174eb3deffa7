/* capture: reading `.gcap` files.
 *
 * Nothing in a file is believed before its checksum was right, and no size is believed at all: a chunk
 * says how large it decompresses, and may not say more than CAPTURE_RAW_MAX. The first thing that is
 * wrong ends the recording there; what was read before stays good. */
#include "emu/capture_format.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

struct capture_reader {
    int fd;
    char *name;
    uint64_t at;      /* file offset of the next byte to read */
    int done;         /* what capture_next() goes on returning: 1 while there is more */
    struct err why;   /* when done is -1 */
    ZSTD_DCtx *dctx;
    uint8_t *stored, *raw;
    size_t stored_size, raw_size;

    /* The chunk in `raw`. */
    unsigned kind;
    uint32_t sequence;
    uint64_t chunk_at;
    uint32_t raw_bytes, raw_at;

    struct capture_header header;
    char chip[CAPTURE_TEXT_MAX + 1], driver[CAPTURE_TEXT_MAX + 1], marker[CAPTURE_TEXT_MAX + 1];
    struct capture_ib *ibs;
    struct capture_stats stats;
};

const char *capture_kind_name(unsigned kind)
{
    static const char *const names[CAPTURE_KINDS] = {
        [CAPTURE_HEADER] = "header", [CAPTURE_MAP] = "map",       [CAPTURE_UNMAP] = "unmap",
        [CAPTURE_MEMORY] = "memory", [CAPTURE_SUBMIT] = "submit", [CAPTURE_EXPECT] = "expect",
        [CAPTURE_MARKER] = "marker", [CAPTURE_END] = "end",
    };

    return kind < CAPTURE_KINDS && names[kind] ? names[kind] : "unknown";
}

uint64_t capture_hash(uint64_t hash, const void *data, size_t bytes)
{
    for (const uint8_t *p = data, *end = p + bytes; p < end; p++)
        hash = (hash ^ *p) * UINT64_C(0x100000001b3);
    return hash;
}

/* ---- chunks -------------------------------------------------------------------------------- */

/* End the recording at its chunk with a message; returns -1. */
static int damaged(struct capture_reader *r, struct err *e, const char *what)
{
    struct stat st;
    char lost[96] = "";

    if (!fstat(r->fd, &st) && S_ISREG(st.st_mode) && (uint64_t)st.st_size >= r->chunk_at)
        snprintf(lost, sizeof lost, "; the last %llu bytes are lost",
                 (unsigned long long)st.st_size - r->chunk_at);
    r->done = -1;
    err_set(&r->why, "%s: chunk %u at byte %llu: %s%s; good chunks before it: %u", r->name,
            r->sequence, (unsigned long long)r->chunk_at, what, lost, r->sequence);
    if (e)
        *e = r->why;
    return -1;
}

/* Read up to `bytes`; fewer only at the end of the file. -1 after a read error. */
static int64_t read_some(struct capture_reader *r, void *dst, size_t bytes)
{
    size_t got = 0;

    while (got < bytes) {
        ssize_t n = read(r->fd, (char *)dst + got, bytes - got);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (!n)
            break;
        got += (size_t)n;
        r->at += (uint64_t)n;
    }
    return (int64_t)got;
}

static bool grow(uint8_t **buf, size_t *size, size_t want)
{
    if (want <= *size)
        return true;
    uint8_t *bigger = realloc(*buf, want);

    if (!bigger)
        return false;
    *buf = bigger;
    *size = want;
    return true;
}

/* The next chunk into r->raw: 1, or -1 with *e set. */
static int next_chunk(struct capture_reader *r, struct err *e)
{
    uint8_t h[GCAP_CHUNK_BYTES];
    char text[128];
    int64_t got;

    r->chunk_at = r->at;
    r->raw_bytes = r->raw_at = 0;
    got = read_some(r, h, sizeof h);
    if (got < 0)
        return damaged(r, e, strerror(errno));
    if (!got)
        return damaged(r, e, "the file ends without an end chunk: the recording was cut off");
    if (got < (int64_t)sizeof h)
        return damaged(r, e, "the file ends inside a chunk's header");
    if (load_le32(h + GCAP_AT_MAGIC) != GCAP_CHUNK_MAGIC)
        return damaged(r, e, "no chunk starts here");
    if (load_le32(h + GCAP_AT_HEADER_CRC) != gcap_crc(h, GCAP_AT_HEADER_CRC))
        return damaged(r, e, "its header's checksum is wrong");
    if (load_le32(h + GCAP_AT_SEQUENCE) != r->sequence)
        return damaged(r, e, "its number is out of order: chunks are missing or were moved");

    uint32_t stored = load_le32(h + GCAP_AT_STORED);
    uint32_t raw = load_le32(h + GCAP_AT_RAW);

    if (raw > CAPTURE_RAW_MAX || stored > gcap_stored_max(raw)) {
        snprintf(text, sizeof text, "it claims %u bytes, stored as %u: more than a chunk may have",
                 raw, stored);
        return damaged(r, e, text);
    }
    if (!grow(&r->stored, &r->stored_size, stored + 1) || !grow(&r->raw, &r->raw_size, raw + 1))
        return damaged(r, e, "out of memory");
    got = read_some(r, r->stored, stored);
    if (got < 0)
        return damaged(r, e, strerror(errno));
    if (got < (int64_t)stored)
        return damaged(r, e, "the file ends inside the chunk");
    if (load_le32(h + GCAP_AT_STORED_CRC) != gcap_crc(r->stored, stored))
        return damaged(r, e, "the checksum of its contents is wrong");

    size_t n = ZSTD_decompressDCtx(r->dctx, r->raw, raw, r->stored, stored);

    if (ZSTD_isError(n) || n != raw) {
        snprintf(text, sizeof text, "its contents do not decompress to %u bytes (%s)", raw,
                 ZSTD_isError(n) ? ZSTD_getErrorName(n) : "fewer");
        return damaged(r, e, text);
    }
    r->kind = load_le32(h + GCAP_AT_KIND);
    if (!r->kind || r->kind >= CAPTURE_KINDS) {
        snprintf(text, sizeof text, "kind %u is unknown to this version", r->kind);
        return damaged(r, e, text);
    }
    if ((r->kind == CAPTURE_HEADER) != !r->sequence)
        return damaged(r, e, r->sequence ? "a second header" : "the header is missing");
    r->raw_bytes = raw;
    r->stats.chunks[r->kind]++;
    r->stats.stored_bytes += stored;
    r->stats.raw_bytes += raw;
    r->stats.good_bytes = r->at;
    return 1;
}

/* ---- payloads ------------------------------------------------------------------------------ */

/* A cursor over the chunk: reads past its end give 0 and make it `bad`. */
struct cursor {
    const uint8_t *p;
    uint32_t left;
    bool bad;
};

static const uint8_t *take(struct cursor *c, uint32_t bytes)
{
    const uint8_t *p = c->p;

    if (bytes > c->left) {
        c->bad = true;
        c->left = 0;
        return NULL;
    }
    c->p += bytes;
    c->left -= bytes;
    return p;
}

static uint32_t take32(struct cursor *c)
{
    const uint8_t *p = take(c, 4);
    return p ? load_le32(p) : 0;
}

static uint64_t take64(struct cursor *c)
{
    const uint8_t *p = take(c, 8);
    return p ? load_le64(p) : 0;
}

/* A text: 16 bits of length, then its bytes, without control characters. */
static const char *take_text(struct cursor *c, char out[CAPTURE_TEXT_MAX + 1])
{
    const uint8_t *n = take(c, 2);
    const uint8_t *p = n && load_le16(n) <= CAPTURE_TEXT_MAX ? take(c, load_le16(n)) : NULL;

    out[0] = 0;
    if (!p || !gcap_text_ok(p, load_le16(n))) {
        c->bad = true;
        return out;
    }
    memcpy(out, p, load_le16(n));
    out[load_le16(n)] = 0;
    return out;
}

static const char *parse_header(struct capture_reader *r, struct cursor *c)
{
    struct capture_header *h = &r->header;

    h->version = take32(c);
    if (h->version != CAPTURE_VERSION)
        return "the capture is of another format version than 1";
    h->device_id = take32(c);
    h->family = take32(c);
    h->external_rev = take32(c);
    h->gb_addr_config = take32(c);
    h->chip = take_text(c, r->chip);
    h->driver = take_text(c, r->driver);
    return NULL;
}

static const char *parse_submit(struct capture_reader *r, struct cursor *c,
                                struct capture_submit *s)
{
    s->context = take32(c);
    s->ib_count = take32(c);
    s->fence_va = take64(c);
    s->fence_value = take64(c);
    if (s->ib_count > CAPTURE_IBS_MAX || c->left != s->ib_count * GCAP_IB_BYTES)
        return "its number of IBs is not that of its bytes";
    if (s->fence_va && !gcap_range_ok(s->fence_va, 8, 8))
        return "its fence's address is bad";
    for (uint32_t i = 0; i < s->ib_count; i++) {
        struct capture_ib *ib = &r->ibs[i];

        ib->ring = take32(c);
        ib->size_dw = take32(c);
        ib->va = take64(c);
        if (gcap_ib_wrong(ib))
            return gcap_ib_wrong(ib);
    }
    s->ibs = r->ibs;
    return NULL;
}

/* One record out of the chunk. Returns NULL, or what is wrong with it. */
static const char *parse_record(struct capture_reader *r, struct cursor *c,
                                struct capture_record *out)
{
    switch (out->kind) {
    case CAPTURE_HEADER:
        return parse_header(r, c);
    case CAPTURE_MAP:
        out->map.va = take64(c);
        out->map.bytes = take64(c);
        out->map.object = take64(c);
        out->map.offset = take64(c);
        out->map.object_bytes = take64(c);
        out->map.prot = take32(c);
        out->map.domain = take32(c);
        return gcap_map_wrong(&out->map);
    case CAPTURE_UNMAP:
        out->unmap.va = take64(c);
        out->unmap.bytes = take64(c);
        if (!gcap_range_ok(out->unmap.va, out->unmap.bytes, CAPTURE_PAGE_BYTES))
            return "address or size is not that of pages within 48 bits";
        return NULL;
    case CAPTURE_MEMORY:
        out->memory.va = take64(c);
        out->memory.bytes = take64(c);
        if (!gcap_range_ok(out->memory.va, out->memory.bytes, 1) ||
            out->memory.bytes > c->left)
            return "a range of memory is larger than the chunk";
        out->memory.data = take(c, (uint32_t)out->memory.bytes);
        return NULL;
    case CAPTURE_SUBMIT:
        return parse_submit(r, c, &out->submit);
    case CAPTURE_EXPECT:
        out->expect.va = take64(c);
        out->expect.bytes = take64(c);
        out->expect.hash = take64(c);
        if (!gcap_range_ok(out->expect.va, out->expect.bytes, 1))
            return "its range is not within 48 bits";
        return NULL;
    case CAPTURE_MARKER:
        out->marker = take_text(c, r->marker);
        return NULL;
    default:
        out->end_submissions = take64(c);
        return out->end_submissions == r->stats.chunks[CAPTURE_SUBMIT]
                   ? NULL
                   : "it counts other submissions than the file has";
    }
}

int capture_next(struct capture_reader *r, struct capture_record *out, struct err *e)
{
    struct cursor c;
    const char *wrong;

    if (r->done <= 0) {
        if (r->done && e)
            *e = r->why;
        return r->done;
    }
    if (r->raw_at == r->raw_bytes) {
        if (r->kind)
            r->sequence++;
        if (next_chunk(r, e) < 0)
            return -1;
    }
    out->kind = r->kind;
    out->offset = r->chunk_at;
    out->sequence = r->sequence;
    c = (struct cursor){r->raw + r->raw_at, r->raw_bytes - r->raw_at, false};
    wrong = parse_record(r, &c, out);
    r->raw_at = r->raw_bytes - c.left;
    /* Only memory chunks may have more than one record. */
    if (c.bad || (!wrong && c.left && out->kind != CAPTURE_MEMORY))
        wrong = "its contents are too short or too long for its kind";
    if (wrong)
        return damaged(r, e, wrong);
    if (out->kind != CAPTURE_END)
        return 1;
    r->chunk_at = r->at;
    if (read_some(r, &r->raw[0], 1) > 0)
        return damaged(r, e, "bytes follow the end chunk");
    return r->done = 0;
}

const struct capture_header *capture_header(const struct capture_reader *r)
{
    return &r->header;
}

const struct capture_stats *capture_stats(const struct capture_reader *r)
{
    return &r->stats;
}

/* ---- opening ------------------------------------------------------------------------------- */

struct capture_reader *capture_open_fd(int fd, const char *name, struct err *e)
{
    struct capture_reader *r = calloc(1, sizeof *r);
    char magic[GCAP_MAGIC_BYTES];
    struct capture_record first;

    if (!r || !(r->name = strdup(name)) || !(r->dctx = ZSTD_createDCtx()) ||
        !(r->ibs = calloc(CAPTURE_IBS_MAX, sizeof *r->ibs))) {
        err_set(e, "%s: out of memory", name);
        if (!r)
            close(fd);
        else
            r->fd = fd, capture_close(r);
        return NULL;
    }
    r->fd = fd;
    r->done = 1;
    int64_t got = read_some(r, magic, sizeof magic);

    if (got < 0)
        err_set(e, "%s: %s", name, strerror(errno));
    else if (got < (int64_t)sizeof magic || memcmp(magic, GCAP_MAGIC, sizeof magic))
        err_set(e, "%s: not a capture: it does not start with the bytes of a .gcap file (raw folders "
                "are converted by `atoll import`)", name);
    else if (capture_next(r, &first, e) == 1)
        return r;
    capture_close(r);
    return NULL;
}

struct capture_reader *capture_open(const char *path, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        err_set(e, "%s: %s", path, strerror(errno));
        return NULL;
    }
    return capture_open_fd(fd, path, e);
}

void capture_close(struct capture_reader *r)
{
    if (!r)
        return;
    close(r->fd);
    ZSTD_freeDCtx(r->dctx);
    free(r->stored);
    free(r->raw);
    free(r->ibs);
    free(r->name);
    free(r);
}
