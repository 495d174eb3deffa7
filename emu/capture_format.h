/* The bytes of a `.gcap` file that reader and writer share: docs/capture-format.md in C.
 *
 * Private to capture.c and capture_write.c. All numbers are little-endian. */
#ifndef ATOLL_EMU_CAPTURE_FORMAT_H
#define ATOLL_EMU_CAPTURE_FORMAT_H

#include "emu/capture.h"
#include "emu/gpu.h"

#include <zlib.h>

/* The file starts with these: no text file does, and a transfer that rewrites line ends or strips the
 * eighth bit destroys them. */
#define GCAP_MAGIC "\x89GCAP\r\n\x1a"
#define GCAP_MAGIC_BYTES 8u

/* Then chunks: a header of GCAP_CHUNK_BYTES, then its stored bytes (one zstd frame). */
#define GCAP_CHUNK_MAGIC 0x4b4e4843u /* "CHNK" */
#define GCAP_CHUNK_BYTES 28u
enum {
    GCAP_AT_MAGIC = 0,
    GCAP_AT_KIND = 4,
    GCAP_AT_SEQUENCE = 8,
    GCAP_AT_STORED = 12,
    GCAP_AT_RAW = 16,
    GCAP_AT_STORED_CRC = 20, /* of the stored bytes */
    GCAP_AT_HEADER_CRC = 24, /* of bytes 0..23 */
};
_Static_assert(GCAP_AT_HEADER_CRC + 4 == GCAP_CHUNK_BYTES, "the last field ends the header");

/* Payload parts of fixed size. */
#define GCAP_MEMORY_HEAD_BYTES 16u /* va, bytes */
#define GCAP_SUBMIT_HEAD_BYTES 24u /* context, IBs, fence va, fence value */
#define GCAP_IB_BYTES 16u          /* ring, dwords, va */

/* The most stored bytes that `raw` bytes may take: what a compressor that finds nothing to compress
 * needs, generously. */
static inline uint64_t gcap_stored_max(uint64_t raw_bytes)
{
    return raw_bytes + raw_bytes / 128 + 512;
}

/* CRC-32 as zlib, PNG and Python's zlib.crc32 have it. */
static inline uint32_t gcap_crc(const void *data, size_t bytes)
{
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), data, bytes);
}

static inline bool gcap_text_ok(const uint8_t *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return bytes <= CAPTURE_TEXT_MAX;
}

static inline bool gcap_range_ok(uint64_t va, uint64_t bytes, uint64_t align)
{
    return bytes && va < UINT64_C(1) << CAPTURE_VA_BITS &&
           bytes <= (UINT64_C(1) << CAPTURE_VA_BITS) - va && !((va | bytes) & (align - 1));
}

/* What every record must satisfy, checked where it is written and where it is read. Returns NULL, or
 * what is wrong. */
static inline const char *gcap_map_wrong(const struct capture_map *m)
{
    if (!gcap_range_ok(m->va, m->bytes, CAPTURE_PAGE_BYTES) || m->bytes > CAPTURE_MAPPED_MAX)
        return "address or size is not that of pages within 48 bits";
    if (m->prot & ~7u)
        return "unknown permission bits";
    if (m->object ? m->offset % CAPTURE_PAGE_BYTES || m->object_bytes > CAPTURE_MAPPED_MAX ||
                        m->bytes > m->object_bytes || m->offset > m->object_bytes - m->bytes
                  : m->offset || m->object_bytes)
        return "it does not lie within its object";
    return NULL;
}

static inline const char *gcap_ib_wrong(const struct capture_ib *ib)
{
    if (ib->ring > ATOLL_RING_CE)
        return "unknown ring";
    if (!gcap_range_ok(ib->va, 4 * (uint64_t)ib->size_dw, 4))
        return "address or size of an IB is not that of dwords within 48 bits";
    return NULL;
}

#endif
