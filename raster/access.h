/* Bytes of surfaces in GPU memory, by address: private to raster/.
 *
 * Colour and depth touch memory element by element; the mapping that the last one lay in is kept, so
 * that the page table is asked only when it changes. Unmapped elements read as zero and are not
 * written; the fault is recorded. */
#ifndef ATOLL_RASTER_ACCESS_H
#define ATOLL_RASTER_ACCESS_H

#include "mem/touch.h"
#include "raster/raster.h"

/* Host bytes of [va, va + bytes), NULL (and a fault recorded) when they are not mapped for it. */
static inline uint8_t *raster_access(struct raster_access *a, uint64_t va, uint32_t bytes, bool write)
{
    const unsigned need = write ? MEM_W : MEM_R;

    if (va < a->span.va || va + bytes > a->span.end || !(a->span.prot & need)) {
        struct mem_span s;

        if (!mem_find(a->vm, va, &s) || va + bytes > s.end || !(s.prot & need)) {
            const struct mem_who who = { .client = a->client };

            a->faulted = true;
            if (a->touch) {
                mem_touch_give_up(a->touch);
                return NULL;
            }
            a->misses++;
            mem_fault_record(a->vm, va, bytes, write, &who);
            return NULL;
        }
        a->span = s;
    }
    if (a->touch && !mem_touch(a->touch, a->span.host + (va - a->span.va), bytes, write))
        return NULL;
    if (write)
        a->written_bytes += bytes;
    else
        a->read_bytes += bytes;
    return a->span.host + (va - a->span.va);
}

static inline void raster_access_begin(struct raster_access *a, struct mem_vm *vm,
                                       enum mem_client client)
{
    memset(a, 0, sizeof *a);
    a->vm = vm;
    a->client = client;
}

/* A colour or depth surface of GFX9: as mem/ wants it, and set up. */
static inline struct mem_swizzle raster_swizzle(const struct raster_state *st,
                                                const struct raster_surface *s)
{
    return (struct mem_swizzle){
        .mode = (enum mem_swizzle_mode)s->sw.mode, .addr_config = st->chip->gb_addr_config,
        .volume = s->sw.volume, .width = s->sw.width_px, .height = s->sw.height_px,
        .slices = MAX2(s->sw.depth, s->last_slice + 1),
        .pitch = s->sw.levels == 1 ? s->sw.pitch_px : 0, .levels = s->sw.levels, .level = s->sw.level,
    };
}

static inline int raster_surface_gfx9(struct mem_surface *out, const struct raster_state *st,
                                      const struct raster_surface *s, unsigned bits, struct err *e)
{
    const struct mem_swizzle sw = raster_swizzle(st, s);

    return mem_surface_init_gfx9(out, &sw, s->va, bits, 1u << s->samples_log2, e);
}

#endif
