/* The state of GPU memory after some records of a capture. Objects are host mappings without reserved
 * backing: what was never written costs nothing, as recordings hold large buffers of zeros. */
#include "tools/capture_memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#define VA_MASK ((UINT64_C(1) << CAPTURE_VA_BITS) - 1)

struct capture_object {
    uint64_t id; /* as recorded; 0: a mapping's own */
    uint64_t bytes;
    uint8_t *data; /* NULL: a free slot */
};

/* The index, from 1, of a mapping's object, made when it is new. 0 with *e set. */
static size_t find_object(struct capture_memory_state *s, const struct capture_map *m,
                          struct err *e)
{
    uint64_t bytes = m->object ? m->object_bytes : m->bytes;
    size_t slot = s->object_count;

    for (size_t i = 0; i < s->object_count; i++) {
        if (!s->objects[i].data)
            slot = i;
        else if (m->object && s->objects[i].id == m->object)
            return i + 1;
    }
    void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) {
        err_set(e, "no address space for an object of %llu bytes", (unsigned long long)bytes);
        return 0;
    }
    if (slot == s->object_count) {
        struct capture_object *more = realloc(s->objects, (slot + 1) * sizeof *more);
        if (!more) {
            munmap(data, bytes);
            err_set(e, "out of memory");
            return 0;
        }
        s->objects = more;
        s->object_count++;
    }
    s->objects[slot] = (struct capture_object){m->object, bytes, data};
    return slot + 1;
}

/* Objects without a mapping are gone. */
static int drop_objects(struct capture_memory_state *s, struct err *e)
{
    bool *used = calloc(s->object_count + 1, 1);
    if (!used)
        return err_set(e, "out of memory");
    for (size_t i = 0; i < s->maps.count; i++)
        used[s->maps.m[i].object] = true;
    for (size_t i = 0; i < s->object_count; i++) {
        if (s->objects[i].data && !used[i + 1]) {
            munmap(s->objects[i].data, s->objects[i].bytes);
            s->objects[i].data = NULL;
        }
    }
    free(used);
    return 0;
}

/* The host bytes at va and how many follow; NULL when nothing is mapped there. */
static uint8_t *locate(const struct capture_memory_state *s, uint64_t va, uint64_t *bytes)
{
    va &= VA_MASK;
    for (size_t i = 0; i < s->maps.count; i++) {
        const struct capture_map *m = &s->maps.m[i];
        const struct capture_object *o = &s->objects[m->object - 1];
        uint64_t at = m->offset + (va - m->va);

        if (va < m->va || va - m->va >= m->bytes || at >= o->bytes)
            continue;
        *bytes = MIN2(m->bytes - (va - m->va), o->bytes - at);
        return o->data + at;
    }
    return NULL;
}

static int map(struct capture_memory_state *s, struct capture_map m, struct err *e)
{
    size_t object = find_object(s, &m, e);
    if (!object)
        return -1;
    if (!m.object)
        m.offset = 0;
    m.object = object;
    if (capture_maps_map(&s->maps, &m, e))
        return -1;
    return drop_objects(s, e);
}

int capture_memory_apply(struct capture_memory_state *s, const struct capture_record *rec,
                         struct err *e)
{
    uint64_t room;

    switch (rec->kind) {
    case CAPTURE_MAP: return map(s, rec->map, e);
    case CAPTURE_UNMAP:
        if (capture_maps_unmap(&s->maps, rec->unmap.va, rec->unmap.bytes, e))
            return -1;
        return drop_objects(s, e);
    case CAPTURE_MEMORY:
        for (uint64_t done = 0; done < rec->memory.bytes;) {
            uint8_t *to = locate(s, rec->memory.va + done, &room);
            if (!to)
                return err_set(e, "memory recorded at 0x%llx, where nothing is mapped",
                               (unsigned long long)(rec->memory.va + done));
            room = MIN2(room, rec->memory.bytes - done);
            memcpy(to, rec->memory.data + done, room);
            done += room;
        }
        return 0;
    default: return 0;
    }
}

size_t capture_memory_read(const struct capture_memory_state *s, uint64_t va, void *dst,
                           size_t bytes)
{
    size_t done = 0;
    uint64_t room;
    const uint8_t *from;

    while (done < bytes && (from = locate(s, va + done, &room))) {
        room = MIN2(room, bytes - done);
        memcpy((uint8_t *)dst + done, from, room);
        done += room;
    }
    return done;
}

void capture_memory_free(struct capture_memory_state *s)
{
    for (size_t i = 0; i < s->object_count; i++)
        if (s->objects[i].data)
            munmap(s->objects[i].data, s->objects[i].bytes);
    free(s->objects);
    capture_maps_free(&s->maps);
    *s = (struct capture_memory_state){0};
}
