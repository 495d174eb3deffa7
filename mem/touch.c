/* touch.c: see touch.h.
 *
 * A piece has a table of the pages that it touched, with a bit for each dword read and each written; the last
 * page is found without the table. The first write of a piece to a page sees to it that the page is kept as it
 * was: in one of several stores, each with a lock, shared by all pieces. */
#include "mem/touch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    PAGE_LOG2 = 12, PAGE_BYTES = 1 << PAGE_LOG2,
    WORDS = PAGE_BYTES / 4 / 64, /* of bits for the dwords of a page */
    STORES = 16,
    FIRST_SLOTS = 256,
    PAGES_MAX = 1 << 15 /* of a table: 128 MiB; more is given up */
};

struct page {
    uintptr_t number; /* host address >> PAGE_LOG2; 0: free */
    uint64_t read[WORDS], written[WORDS];
};

/* Pages by number, open addressing; `slot` has the index + 1 of a page. */
struct table {
    struct page *page;
    uint32_t *slot;
    unsigned n, slots; /* slots is a power of two, and more than 2 n */
};

/* Pages as they were. */
struct store {
    pthread_mutex_t lock;
    struct table index; /* of `bytes`; its bits are not used */
    uint8_t (*bytes)[PAGE_BYTES];
    unsigned capacity;
};

struct mem_touch {
    struct mem_touch_set *set;
    struct page *last;
    bool last_kept;
    struct table pages;
    struct mem_traffic traffic;
} __attribute__((aligned(64)));

struct mem_touch_set {
    atomic_bool given_up;
    unsigned pieces;
    struct mem_touch *piece;
    struct table all;
    struct store store[STORES];
};

/* ---- tables of pages ---------------------------------------------------------------------- */

static unsigned hash(uintptr_t number)
{
    return (unsigned)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static void table_free(struct table *t)
{
    free(t->page);
    free(t->slot);
}

static void table_clear(struct table *t)
{
    if (t->n)
        memset(t->slot, 0, t->slots * sizeof *t->slot);
    t->n = 0;
}

static uint32_t *table_slot(const struct table *t, uintptr_t number)
{
    unsigned i = hash(number);

    while (t->slot[i & (t->slots - 1)] && t->page[t->slot[i & (t->slots - 1)] - 1].number != number)
        i++;
    return &t->slot[i & (t->slots - 1)];
}

static bool table_grow(struct table *t)
{
    struct table to = {.slots = t->slots ? 2 * t->slots : FIRST_SLOTS, .n = t->n};

    if (to.slots > 2 * PAGES_MAX)
        return false;
    to.slot = calloc(to.slots, sizeof *to.slot);
    to.page = to.slot ? realloc(t->page, (to.slots / 2) * sizeof *to.page) : NULL;
    if (!to.page) {
        free(to.slot);
        return false;
    }
    for (unsigned i = 0; i < to.n; i++)
        *table_slot(&to, to.page[i].number) = i + 1;
    free(t->slot);
    *t = to;
    return true;
}

/* The page of that number, made when it is not there; NULL when there is no room. Moves other pages. */
static struct page *table_get(struct table *t, uintptr_t number, bool *is_new)
{
    uint32_t *slot;

    if (t->n >= t->slots / 2 && !table_grow(t))
        return NULL;
    slot = table_slot(t, number);
    *is_new = !*slot;
    if (!*slot) {
        struct page *p = &t->page[t->n++];

        memset(p, 0, sizeof *p);
        p->number = number;
        *slot = t->n;
    }
    return &t->page[*slot - 1];
}

/* ---- sets --------------------------------------------------------------------------------- */

struct mem_touch_set *mem_touch_create(unsigned pieces)
{
    struct mem_touch_set *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    if (posix_memalign((void **)&s->piece, 64, pieces * sizeof *s->piece)) {
        free(s);
        return NULL;
    }
    memset(s->piece, 0, pieces * sizeof *s->piece);
    s->pieces = pieces;
    for (unsigned i = 0; i < pieces; i++)
        s->piece[i].set = s;
    for (unsigned i = 0; i < STORES; i++)
        pthread_mutex_init(&s->store[i].lock, NULL);
    return s;
}

void mem_touch_destroy(struct mem_touch_set *s)
{
    if (!s)
        return;
    for (unsigned i = 0; i < s->pieces; i++)
        table_free(&s->piece[i].pages);
    for (unsigned i = 0; i < STORES; i++) {
        table_free(&s->store[i].index);
        free(s->store[i].bytes);
        pthread_mutex_destroy(&s->store[i].lock);
    }
    table_free(&s->all);
    free(s->piece);
    free(s);
}

void mem_touch_begin(struct mem_touch_set *s)
{
    atomic_store(&s->given_up, false);
    for (unsigned i = 0; i < s->pieces; i++) {
        struct mem_touch *t = &s->piece[i];

        table_clear(&t->pages);
        t->last = NULL;
        memset(&t->traffic, 0, sizeof t->traffic);
    }
    for (unsigned i = 0; i < STORES; i++)
        table_clear(&s->store[i].index);
    table_clear(&s->all);
}

struct mem_touch *mem_touch_of(struct mem_touch_set *s, unsigned piece)
{
    return &s->piece[piece];
}

void mem_touch_give_up(struct mem_touch *t)
{
    atomic_store_explicit(&t->set->given_up, true, memory_order_relaxed);
}

bool mem_touch_given_up(const struct mem_touch *t)
{
    return atomic_load_explicit(&t->set->given_up, memory_order_relaxed);
}

void mem_touch_count(struct mem_touch *t, enum mem_client client, uint64_t read_bytes, uint64_t written_bytes)
{
    t->traffic.read_bytes[client] += read_bytes;
    t->traffic.written_bytes[client] += written_bytes;
}

/* ---- noting ------------------------------------------------------------------------------- */

/* Keep a page as it is, unless another piece had it kept before. */
static bool keep(struct mem_touch_set *s, uintptr_t number)
{
    struct store *st = &s->store[hash(number) >> 20 & (STORES - 1)];
    bool is_new = false, ok;

    pthread_mutex_lock(&st->lock);
    ok = table_get(&st->index, number, &is_new) != NULL;
    if (ok && is_new) {
        const unsigned i = st->index.n - 1;

        if (i >= st->capacity) {
            const unsigned n = st->capacity ? 2 * st->capacity : 64;
            void *more = realloc(st->bytes, n * sizeof *st->bytes);

            ok = more != NULL;
            if (more) {
                st->bytes = more;
                st->capacity = n;
            }
        }
        if (ok) {
            memcpy(st->bytes[i], (const void *)(number << PAGE_LOG2), PAGE_BYTES);
        } else {
            *table_slot(&st->index, number) = 0;
            st->index.n--;
        }
    }
    pthread_mutex_unlock(&st->lock);
    return ok;
}

static struct page *page_of(struct mem_touch *t, uintptr_t number)
{
    bool is_new;

    if (t->last && t->last->number == number)
        return t->last;
    t->last = table_get(&t->pages, number, &is_new);
    t->last_kept = false;
    for (unsigned i = 0; t->last && !is_new && i < WORDS; i++)
        t->last_kept |= t->last->written[i] != 0;
    return t->last;
}

static void set_bits(uint64_t *word, unsigned first, unsigned last)
{
    for (unsigned i = first / 64; i <= last / 64; i++) {
        const unsigned lo = i == first / 64 ? first % 64 : 0, hi = i == last / 64 ? last % 64 : 63;

        word[i] |= UINT64_MAX >> (63 - hi) & UINT64_MAX << lo;
    }
}

bool mem_touch(struct mem_touch *t, const void *host, uint64_t bytes, bool write)
{
    uintptr_t at = (uintptr_t)host;
    const uintptr_t end = at + bytes;

    while (at < end) {
        const uintptr_t next = MIN2((at | (PAGE_BYTES - 1)) + 1, end);
        struct page *p = page_of(t, at >> PAGE_LOG2);

        if (p && write && !t->last_kept) {
            t->last_kept = keep(t->set, p->number);
            if (!t->last_kept)
                p = NULL;
        }
        if (!p) {
            mem_touch_give_up(t);
            return false;
        }
        set_bits(write ? p->written : p->read, (unsigned)(at % PAGE_BYTES) / 4,
                 (unsigned)((next - 1) % PAGE_BYTES) / 4);
        at = next;
    }
    return true;
}

/* ---- the end ------------------------------------------------------------------------------ */

/* Whether a piece touched what one before it wrote, or wrote what one before it touched. */
static bool apart(struct mem_touch_set *s)
{
    for (unsigned i = 0; i < s->pieces; i++)
        for (unsigned k = 0; k < s->piece[i].pages.n; k++) {
            const struct page *p = &s->piece[i].pages.page[k];
            uint64_t bad = 0;
            bool is_new;
            struct page *all = table_get(&s->all, p->number, &is_new);

            if (!all)
                return false;
            for (unsigned w = 0; w < WORDS; w++) {
                bad |= (p->written[w] & (all->read[w] | all->written[w])) | (p->read[w] & all->written[w]);
                all->read[w] |= p->read[w];
                all->written[w] |= p->written[w];
            }
            if (bad)
                return false;
        }
    return true;
}

/* Put back what a piece wrote; the other dwords of its pages may meanwhile be somebody else's. */
static void put_back(struct mem_touch_set *s, const struct page *p)
{
    const struct store *st = &s->store[hash(p->number) >> 20 & (STORES - 1)];
    const uint32_t *slot = st->index.slots ? table_slot(&st->index, p->number) : NULL;
    uint32_t *to = (uint32_t *)(p->number << PAGE_LOG2);

    for (unsigned d = 0; slot && *slot && d < PAGE_BYTES / 4; d++)
        if (p->written[d / 64] >> (d % 64) & 1)
            memcpy(to + d, st->bytes[*slot - 1] + 4 * d, 4);
}

bool mem_touch_end(struct mem_touch_set *s, struct mem_vm *vm)
{
    const bool kept = !atomic_load(&s->given_up) && apart(s);

    for (unsigned i = 0; i < s->pieces; i++) {
        const struct mem_touch *t = &s->piece[i];

        for (unsigned k = 0; !kept && k < t->pages.n; k++)
            put_back(s, &t->pages.page[k]);
        for (unsigned c = 0; kept && c < MEM_CLIENTS; c++)
            if (t->traffic.read_bytes[c] | t->traffic.written_bytes[c])
                mem_count(vm, (enum mem_client)c, t->traffic.read_bytes[c], t->traffic.written_bytes[c]);
    }
    return kept;
}
