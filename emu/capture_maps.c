/* capture: which mappings of a recording are there at some point of it. */
#include "emu/capture.h"

#include <stdlib.h>

static int add(struct capture_maps *s, const struct capture_map *m, struct err *e)
{
    if (s->count == s->slots) {
        size_t slots = s->slots ? 2 * s->slots : 64;
        struct capture_map *bigger = realloc(s->m, slots * sizeof *bigger);

        if (!bigger)
            return err_set(e, "out of memory");
        s->m = bigger;
        s->slots = slots;
    }
    s->m[s->count++] = *m;
    s->bytes += m->bytes;
    s->most_bytes = MAX2(s->most_bytes, s->bytes);
    return 0;
}

int capture_maps_unmap(struct capture_maps *s, uint64_t va, uint64_t bytes, struct err *e)
{
    for (size_t i = s->count; i-- > 0;) {
        struct capture_map m = s->m[i], low = m, high = m;

        if (m.va + m.bytes <= va || m.va >= va + bytes)
            continue;
        s->m[i] = s->m[--s->count];
        s->bytes -= m.bytes;
        low.bytes = va - MIN2(va, m.va);
        high.va = va + bytes;
        high.bytes = m.va + m.bytes - MIN2(high.va, m.va + m.bytes);
        high.offset += m.object ? high.va - m.va : 0;
        if ((low.bytes && add(s, &low, e)) || (high.bytes && add(s, &high, e)))
            return -1;
    }
    return 0;
}

int capture_maps_map(struct capture_maps *s, const struct capture_map *m, struct err *e)
{
    if (capture_maps_unmap(s, m->va, m->bytes, e))
        return -1;
    if (s->bytes + m->bytes > CAPTURE_MAPPED_MAX)
        return err_set(e, "more than 2^38 bytes are mapped");
    return add(s, m, e);
}

static int by_va(const void *a, const void *b)
{
    const struct capture_map *x = a, *y = b;
    return (x->va > y->va) - (x->va < y->va);
}

void capture_maps_sort(struct capture_maps *s)
{
    if (s->count)
        qsort(s->m, s->count, sizeof *s->m, by_va);
}

void capture_maps_free(struct capture_maps *s)
{
    free(s->m);
    *s = (struct capture_maps){0};
}
