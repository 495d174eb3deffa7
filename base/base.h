/* base: what every layer needs and none owns.
 *
 * Generations and chips, little-endian loads, bit fields, errors that name a place, and the
 * registry of unknown things ("loud"). It lies below mem/ and regs/, which may not see each
 * other, and knows nothing of either. */
#ifndef ATOLL_BASE_H
#define ATOLL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- generations ------------------------------------------------------------------------- */

/* The index of every per-generation column in every table of the project. */
enum gfx { GFX6, GFX7, GFX8, GFX9, GFX_COUNT };

/* "gfx6" .. "gfx9". */
const char *gfx_name(enum gfx gen);

/* ---- bytes and bits ---------------------------------------------------------------------- */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MIN2(a, b)   ((a) < (b) ? (a) : (b))
#define MAX2(a, b)   ((a) > (b) ? (a) : (b))

/* Guest bytes are read and written through these, never through a cast. The host is
 * little-endian (configure insists), so each is one unaligned access. */
static inline uint16_t load_le16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint32_t load_le32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t load_le64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store_le16(void *p, uint16_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline void store_le32(void *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline void store_le64(void *p, uint64_t v)
{
    memcpy(p, &v, sizeof v);
}

/* Bits lo..hi of v, both inclusive, 0 <= lo <= hi <= 31. */
static inline uint32_t bits(uint32_t v, unsigned lo, unsigned hi)
{
    return (v >> lo) & (uint32_t)((UINT64_C(1) << (hi - lo + 1)) - 1);
}

/* The low n bits of v as a two's complement number, 1 <= n <= 32. */
static inline int32_t sext32(uint32_t v, unsigned n)
{
    return (int32_t)(v << (32 - n)) >> (32 - n);
}

static inline uint64_t align_up(uint64_t v, uint64_t pow2)
{
    return (v + pow2 - 1) & ~(pow2 - 1);
}

static inline uint32_t f32_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static inline float bits_f32(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* ---- errors ------------------------------------------------------------------------------ */

/* What went wrong, for a person: says the place (file, offset, VA, PC) and what to do next. */
struct err {
    char text[512];
};

/* Write a message (printf format) into *e, which may be NULL. Returns -1, so that a function
 * can end in `return err_set(...)`. */
int err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- unknown is loud --------------------------------------------------------------------- */

/* Everything that the emulator met and does not model is reported here: once each with the
 * place of its first appearance, counted, and listed at the end of the run. */
enum loud_kind {
    LOUD_PACKET,      /* key: opcode */
    LOUD_REGISTER,    /* key: byte offset of a write to no known register */
    LOUD_FIELD,       /* key: byte offset << 8 | low bit of a field with an unmodelled value */
    LOUD_OPCODE,      /* key: isa row, or the dword that decoded to nothing */
    LOUD_FORMAT,      /* key: format | number type << 16 */
    LOUD_MESSAGE,     /* key: the message or event number */
    LOUD_OTHER,       /* key: chosen by the caller */
    LOUD_KINDS
};

struct loud; /* thread-safe; one per device */

struct loud *loud_create(void);
void loud_destroy(struct loud *l);

/* Report one appearance. `fmt` says what and where ("CB_COLOR0_INFO.FORMAT = 31 at draw 4");
 * it is printed to stderr at the first appearance of (kind, key) only, as
 * "atoll: not modelled: TEXT", and kept for the summary. */
void loud_report(struct loud *l, enum loud_kind kind, uint64_t key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* How many distinct things have been reported: non-zero is an error under --strict. */
unsigned loud_count(const struct loud *l);

/* A line for each distinct thing with its count, sorted by kind and key (so the same whatever
 * the threads did). */
void loud_print(const struct loud *l, FILE *out);

/* Stop printing at first appearance (the summary stays). */
void loud_set_quiet(struct loud *l, bool quiet);

/* The i-th distinct thing in summary order, 0 <= i < loud_count(); false past the end.
 * `*text` stays valid until the next report. */
bool loud_get(const struct loud *l, unsigned i, enum loud_kind *kind, uint64_t *key,
              uint64_t *count, const char **text);

#endif
