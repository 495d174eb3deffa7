/* A recording of what the public interface was given, as a capture.
 *
 * Memory of the device is recorded as it is written; memory of the host, which may change at any time, at each
 * submission, the pages that changed. What the device itself wrote into its memory is not recorded: a replay
 * computes it again. */
#include "emu/capture.h"
#include "emu/internal.h"

#include <stdlib.h>

#define DOMAIN_VRAM 4

struct host_map {
    uint64_t va, bytes;
    const void *host;
};

struct emu_record {
    struct capture_writer *w;
    struct host_map *maps;
    size_t count, slots;
};

ATOLL_API int atoll_record(struct atoll_gpu *gpu, const char *path, const char *driver)
{
    const struct capture_header h = {.version = CAPTURE_VERSION, .chip = gpu->chip->name,
                                     .driver = driver ? driver : "", .device_id = gpu->chip->device_id, .family = gpu->chip->family,
                                     .external_rev = gpu->chip->external_rev,
                                     .gb_addr_config = gpu->chip->gb_addr_config};
    struct mem_span span;
    struct emu_record *r;

    if (gpu->record)
        return err_set(&gpu->err, "there is a recording already");
    if (mem_next(gpu->vm, 0, &span))
        return err_set(&gpu->err, "a recording starts before the first memory is mapped");
    if (!(r = calloc(1, sizeof *r)))
        return err_set(&gpu->err, "out of memory");
    if (!(r->w = capture_create(path, &h, &gpu->err))) {
        free(r);
        return -1;
    }
    gpu->record = r;
    return 0;
}

static int add_host_map(struct atoll_gpu *gpu, const struct host_map *m)
{
    struct emu_record *r = gpu->record;

    if (r->count == r->slots) {
        size_t slots = r->slots ? 2 * r->slots : 16;
        struct host_map *more = realloc(r->maps, slots * sizeof *more);

        if (!more)
            return err_set(&gpu->err, "out of memory");
        r->maps = more;
        r->slots = slots;
    }
    r->maps[r->count++] = *m;
    return 0;
}

/* What lies in [va, va + bytes) is no longer the host's. */
static int cut_host_maps(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes)
{
    struct emu_record *r = gpu->record;
    const uint64_t end = va + bytes;

    for (size_t i = 0; i < r->count;) {
        const struct host_map m = r->maps[i];
        const uint64_t m_end = m.va + m.bytes;

        if (m.va >= end || m_end <= va) {
            i++;
            continue;
        }
        r->maps[i] = r->maps[--r->count];
        if (m.va < va && add_host_map(gpu, &(struct host_map){m.va, va - m.va, m.host}))
            return -1;
        if (m_end > end && add_host_map(gpu, &(struct host_map){end, m_end - end,
                                                                (const char *)m.host + (end - m.va)}))
            return -1;
    }
    return 0;
}

int emu_record_map(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes, const void *host, unsigned rights)
{
    const struct capture_map m = {.va = va & MEM_VA_MASK, .bytes = bytes, .prot = rights, .domain = DOMAIN_VRAM};

    if (cut_host_maps(gpu, m.va, bytes) || capture_write_map(gpu->record->w, &m, &gpu->err))
        return -1;
    return host ? add_host_map(gpu, &(struct host_map){m.va, bytes, host}) : 0;
}

int emu_record_unmap(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes)
{
    va &= MEM_VA_MASK;
    if (cut_host_maps(gpu, va, bytes))
        return -1;
    return capture_write_unmap(gpu->record->w, va, bytes, &gpu->err);
}

int emu_record_write(struct atoll_gpu *gpu, uint64_t va, const void *src, uint64_t bytes)
{
    return bytes ? capture_write_memory(gpu->record->w, va & MEM_VA_MASK, src, bytes, &gpu->err) : 0;
}

int emu_record_submit(struct atoll_gpu *gpu, const struct atoll_ib *ibs, unsigned count)
{
    struct emu_record *r = gpu->record;
    struct capture_ib *list = calloc(count + 1u, sizeof *list);
    const struct capture_submit s = {.ib_count = count, .ibs = list};
    int rc = list ? 0 : err_set(&gpu->err, "out of memory");

    for (size_t i = 0; i < r->count && !rc; i++)
        rc = capture_write_changed(r->w, r->maps[i].va, r->maps[i].host, r->maps[i].bytes, &gpu->err);
    for (unsigned i = 0; i < count && !rc; i++)
        list[i] = (struct capture_ib){.ring = (uint32_t)ibs[i].ring, .size_dw = ibs[i].size_dw,
                                      .va = ibs[i].va & MEM_VA_MASK};
    if (!rc)
        rc = capture_write_submit(r->w, &s, &gpu->err);
    free(list);
    return rc;
}

ATOLL_API int atoll_record_expect(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes)
{
    struct capture_expect x = {.va = va & MEM_VA_MASK, .bytes = bytes, .hash = CAPTURE_HASH_START};
    uint8_t buf[65536];

    if (!gpu->record)
        return err_set(&gpu->err, "there is no recording");
    for (uint64_t at = 0; at < bytes;) {
        const uint64_t n = MIN2(bytes - at, sizeof buf);

        if (atoll_read(gpu, va + at, buf, n))
            return -1;
        x.hash = capture_hash(x.hash, buf, n);
        at += n;
    }
    return capture_write_expect(gpu->record->w, &x, &gpu->err);
}

static int finish(struct atoll_gpu *gpu, bool end)
{
    int rc = capture_finish(gpu->record->w, end, &gpu->err);

    free(gpu->record->maps);
    free(gpu->record);
    gpu->record = NULL;
    return rc;
}

ATOLL_API int atoll_record_end(struct atoll_gpu *gpu)
{
    return gpu->record ? finish(gpu, true) : err_set(&gpu->err, "there is no recording");
}

void emu_record_destroy(struct atoll_gpu *gpu)
{
    if (gpu->record)
        finish(gpu, false);
}
