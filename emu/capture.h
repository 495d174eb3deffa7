/* capture: the `.gcap` file, a recording of what a driver gave the device.
 *
 * A file is a row of chunks, each written with one call, each compressed and checksummed on its own, so
 * that whatever kills the recording process leaves a file that is good up to its last whole chunk.
 * docs/capture-format.md has the bytes; capture.c is the only code that knows them.
 *
 * Addresses in a file are the low 48 bits of GPU virtual addresses. */
#ifndef ATOLL_EMU_CAPTURE_H
#define ATOLL_EMU_CAPTURE_H

#include "base/base.h"

#define CAPTURE_VERSION 1u
#define CAPTURE_VA_BITS 48
#define CAPTURE_PAGE_BYTES 4096u
#define CAPTURE_RAW_MAX (4u << 20)     /* decompressed bytes of one chunk */
#define CAPTURE_TEXT_MAX 255u          /* bytes of a chip's, driver's or marker's text */
#define CAPTURE_IBS_MAX 4096u          /* of one submission */
#define CAPTURE_MAPPED_MAX (UINT64_C(1) << 38) /* bytes mapped at once */

/* Chunk kinds, by their number in the file. */
enum capture_kind {
    CAPTURE_HEADER = 1, /* always the first, and only the first */
    CAPTURE_MAP = 2,
    CAPTURE_UNMAP = 3,
    CAPTURE_MEMORY = 4,
    CAPTURE_SUBMIT = 5,
    CAPTURE_EXPECT = 6,
    CAPTURE_MARKER = 7,
    CAPTURE_END = 8,    /* always the last */
    CAPTURE_KINDS
};

/* "memory", for people. */
const char *capture_kind_name(unsigned kind);

/* What was recorded, by whom. The chip's name decides; the numbers are what the kernel told. */
struct capture_header {
    uint32_t version;
    uint32_t device_id, family, external_rev, gb_addr_config;
    const char *chip, *driver;
};

/* Mappings with the same object (not 0) share memory: byte i of a mapping is byte offset + i of the
 * object, which has object_bytes. An object starts as zeros with its first mapping and is gone with its
 * last. Object 0: memory of the mapping's own; offset and object_bytes are 0. A mapping replaces what it
 * overlaps. */
struct capture_map {
    uint64_t va, bytes, object, offset, object_bytes;
    unsigned prot;   /* mask of enum mem_prot */
    uint32_t domain; /* as amdgpu: 2 GTT, 4 VRAM, both, 0 unknown */
};

struct capture_range {
    uint64_t va, bytes;
};

struct capture_memory {
    uint64_t va, bytes;
    const uint8_t *data;
};

struct capture_ib {
    uint32_t ring; /* enum atoll_ring */
    uint32_t size_dw;
    uint64_t va;
};

/* IBs to run in order; then, where fence_va is not 0, fence_value is stored there (64 bits), as the
 * kernel does when the submission is done. */
struct capture_submit {
    uint32_t context, ib_count;
    uint64_t fence_va, fence_value;
    const struct capture_ib *ibs;
};

/* At this point of the recording the range had this hash (capture_hash). */
struct capture_expect {
    uint64_t va, bytes, hash;
};

/* One thing that was recorded. Pointers are the reader's and valid until the next call. */
struct capture_record {
    enum capture_kind kind;
    uint64_t offset;   /* of its chunk in the file */
    uint32_t sequence; /* of its chunk: 0, 1, ... */
    union {
        struct capture_header header;
        struct capture_map map;
        struct capture_range unmap;
        struct capture_memory memory;
        struct capture_submit submit;
        struct capture_expect expect;
        const char *marker;
        uint64_t end_submissions;
    };
};

/* FNV-1a, 64 bits, of `bytes` bytes that continue a hash; start with CAPTURE_HASH_START. */
#define CAPTURE_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t capture_hash(uint64_t hash, const void *data, size_t bytes);

/* ---- reading ------------------------------------------------------------------------------- */

struct capture_reader;

/* Open a file and read its header. NULL with *e set when it cannot be read, is no capture, or is of
 * another version. */
struct capture_reader *capture_open(const char *path, struct err *e);
/* The same for an open descriptor, which the reader owns from then on, also when this fails. `name`
 * is for messages. */
struct capture_reader *capture_open_fd(int fd, const char *name, struct err *e);
void capture_close(struct capture_reader *r);

/* The first record; valid as long as the reader. */
const struct capture_header *capture_header(const struct capture_reader *r);

/* The next record after the header. Returns 1; 0 after the end chunk; -1 when the rest of the file is
 * missing or damaged, with *e saying at which byte, what was wrong, and what is lost. Once it has
 * returned 0 or -1 it goes on returning that. Everything returned before is good. */
int capture_next(struct capture_reader *r, struct capture_record *out, struct err *e);

/* Where the reader stands: chunks read whole, their compressed and raw bytes (headers not
 * counted), and the file offset behind the last one. */
struct capture_stats {
    uint64_t chunks[CAPTURE_KINDS], stored_bytes, raw_bytes, good_bytes;
};
const struct capture_stats *capture_stats(const struct capture_reader *r);

/* The mappings that are there after some records. Starts as all zeros. capture_maps.c. */
struct capture_maps {
    struct capture_map *m; /* in no order, none overlapping another; cut where others replaced them */
    size_t count, slots;
    uint64_t bytes, most_bytes; /* mapped now, and at most at once */
};

/* Apply a map or an unmap. Returns 0, or -1 with *e set when memory runs out or more than
 * CAPTURE_MAPPED_MAX bytes would be mapped. */
int capture_maps_map(struct capture_maps *s, const struct capture_map *m, struct err *e);
int capture_maps_unmap(struct capture_maps *s, uint64_t va, uint64_t bytes, struct err *e);
void capture_maps_sort(struct capture_maps *s); /* ascending by address */
void capture_maps_free(struct capture_maps *s);

/* ---- writing ------------------------------------------------------------------------------- */

/* Each call writes one whole chunk (large memory: several) to the file before it returns 0. After a
 * failure (-1, *e set) the file ends with its last whole chunk, and all further calls fail. Arguments
 * that no reader would accept are refused the same way, without harm to the file. */
struct capture_writer;

struct capture_writer *capture_create(const char *path, const struct capture_header *h,
                                      struct err *e);
/* The same on an open, empty, writable file; the descriptor stays the caller's. */
struct capture_writer *capture_create_fd(int fd, const char *name,
                                         const struct capture_header *h, struct err *e);

int capture_write_map(struct capture_writer *w, const struct capture_map *m, struct err *e);
int capture_write_unmap(struct capture_writer *w, uint64_t va, uint64_t bytes, struct err *e);

/* All of the bytes, whatever was recorded before. */
int capture_write_memory(struct capture_writer *w, uint64_t va, const void *data, uint64_t bytes,
                         struct err *e);

/* Only the pages that differ from what the writer last recorded for them (zeros after a map). va and
 * bytes are multiples of the page. */
int capture_write_changed(struct capture_writer *w, uint64_t va, const void *data, uint64_t bytes,
                          struct err *e);

int capture_write_submit(struct capture_writer *w, const struct capture_submit *s, struct err *e);
int capture_write_expect(struct capture_writer *w, const struct capture_expect *x, struct err *e);
int capture_write_marker(struct capture_writer *w, const char *text, struct err *e);

/* The end chunk, and everything freed. A writer that is closed with `end` false leaves a file that
 * says it is incomplete. */
int capture_finish(struct capture_writer *w, bool end, struct err *e);

/* Give a file whose writer was killed its end: what stands behind its last whole chunk goes, a marker says
 * what happened, and an end chunk follows. Returns 1; 0 when the file has its end and stays as it is; -1 with
 * *e set and the file as it was when it is no capture or cannot be written. */
int capture_mend(const char *path, struct err *e);

/* ---- raw folders --------------------------------------------------------------------------- */

/* Convert a folder of capture.json and .bin files to a capture, written to `fd` (open, empty). `driver`
 * may be NULL. Returns 0, or -1 with *e set: which file, which entry. emu/import.c. */
int capture_import(const char *folder, int fd, const char *name, const char *driver,
                   struct err *e);

/* Open a capture file or, through capture_import into memory, a raw folder. */
struct capture_reader *capture_open_any(const char *path, struct err *e);

#endif
