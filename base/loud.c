/* The registry of unknown things: each (kind, key) is kept once, with the text of its first
 * appearance and a count. A sorted array: there are tens of entries, and the summary must come
 * out in the same order whatever the threads did. */
#include "base/base.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

struct entry {
    enum loud_kind kind;
    uint64_t key;
    uint64_t count;
    char *text;
};

struct loud {
    pthread_mutex_t lock;
    struct entry *entries;
    unsigned n, cap;
    bool quiet;
};

struct loud *loud_create(void)
{
    struct loud *l = calloc(1, sizeof *l);

    if (l)
        pthread_mutex_init(&l->lock, NULL);
    return l;
}

void loud_destroy(struct loud *l)
{
    if (!l)
        return;
    for (unsigned i = 0; i < l->n; i++)
        free(l->entries[i].text);
    free(l->entries);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

/* Index of the first entry not below (kind, key). */
static unsigned lower_bound(const struct loud *l, enum loud_kind kind, uint64_t key)
{
    unsigned lo = 0, hi = l->n;

    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        const struct entry *e = &l->entries[mid];

        if (e->kind < kind || (e->kind == kind && e->key < key))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void loud_report(struct loud *l, enum loud_kind kind, uint64_t key, const char *fmt, ...)
{
    unsigned i;

    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    i = lower_bound(l, kind, key);
    if (i == l->n || l->entries[i].kind != kind || l->entries[i].key != key) {
        char text[512];
        va_list ap;

        if (l->n == l->cap) {
            unsigned cap = l->cap ? 2 * l->cap : 32;
            struct entry *grown = realloc(l->entries, cap * sizeof *grown);

            if (!grown)
                abort();
            l->entries = grown;
            l->cap = cap;
        }
        va_start(ap, fmt);
        vsnprintf(text, sizeof text, fmt, ap);
        va_end(ap);
        memmove(&l->entries[i + 1], &l->entries[i], (l->n - i) * sizeof l->entries[0]);
        l->entries[i] = (struct entry){kind, key, 0, strdup(text)};
        l->n++;
        if (!l->quiet)
            fprintf(stderr, "atoll: not modelled: %s\n", text);
    }
    l->entries[i].count++;
    pthread_mutex_unlock(&l->lock);
}

unsigned loud_count(const struct loud *l)
{
    return l ? l->n : 0;
}

bool loud_get(const struct loud *l, unsigned i, enum loud_kind *kind, uint64_t *key,
              uint64_t *count, const char **text)
{
    if (!l || i >= l->n)
        return false;
    *kind = l->entries[i].kind;
    *key = l->entries[i].key;
    *count = l->entries[i].count;
    *text = l->entries[i].text;
    return true;
}

void loud_print(const struct loud *l, FILE *out)
{
    static const char *const names[LOUD_KINDS] = {"packet", "register", "field",  "opcode",
                                                  "format", "message",  "other"};

    for (unsigned i = 0; l && i < l->n; i++)
        fprintf(out, "not modelled: %-8s %8llu x  %s\n", names[l->entries[i].kind],
                (unsigned long long)l->entries[i].count, l->entries[i].text);
}

void loud_set_quiet(struct loud *l, bool quiet)
{
    l->quiet = quiet;
}
