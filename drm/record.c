/* Captures of what is submitted: a file of emu/capture.h for each device file that submits.
 *
 * Before each submission the pages that changed since the last one are written, whoever changed them; a page
 * that the program never touched is a hole of the memory file and costs nothing to skip. Every chunk is
 * whole in the file before the submission runs, so a program that dies leaves all it had submitted. The
 * first device file of the first process gets the name that was asked for, others FILE.2, FILE.3, ... */
#include "config.h"

#include "drm/drm.h"
#include "emu/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define FILES_MAX 10000

/* Mappings made and undone since the last submission. They are written with the next one: what a program does
 * after its last submission is to tear down, and the results are to stay in a replay. */
struct pending {
    struct capture_map map; /* object 0: an unmapping of the range */
};

struct drm_record {
    struct capture_writer *w;
    int fd;
    bool failed;
    struct pending *pending;
    size_t pending_count, pending_slots;
};

/* Recording ends at the first failure, and says so. */
static void note(struct drm_record *r, int rc, const struct err *e)
{
    if (rc && !r->failed)
        drm_log(1, "the capture ends here: %s", e->text);
    r->failed |= rc != 0;
}

/* A file that nobody else has. */
static int claim(const char *name, char out[PATH_MAX])
{
    for (unsigned i = 1; i < FILES_MAX; i++) {
        int fd;

        if (i == 1)
            snprintf(out, PATH_MAX, "%s", name);
        else
            snprintf(out, PATH_MAX, "%s.%u", name, i);
        fd = open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    errno = EEXIST;
    return -1;
}

static void driver_name(char out[64])
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    const char *name;

    path[MAX2(n, 0)] = '\0';
    name = strrchr(path, '/');
    snprintf(out, 64, "amdgpu, live: %.40s", name ? name + 1 : "?");
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = '?';
}

static void add_pending(struct drm_record *r, const struct capture_map *m)
{
    struct err e;

    if (r->pending_count == r->pending_slots) {
        size_t slots = r->pending_slots ? 2 * r->pending_slots : 64;
        struct pending *more = realloc(r->pending, slots * sizeof *more);

        if (!more) {
            note(r, err_set(&e, "out of memory"), &e);
            return;
        }
        r->pending = more;
        r->pending_slots = slots;
    }
    r->pending[r->pending_count++].map = *m;
}

static void add_map(struct drm_file *f, struct drm_va *m)
{
    const struct capture_map c = {
        .va = m->va,
        .bytes = m->bytes,
        .object = m->bo->id,
        .offset = m->offset,
        .object_bytes = m->bo->bytes,
        .prot = (m->flags & AMDGPU_VM_PAGE_READABLE ? ATOLL_READ : 0) |
                (m->flags & AMDGPU_VM_PAGE_WRITEABLE ? ATOLL_WRITE : 0) |
                (m->flags & AMDGPU_VM_PAGE_EXECUTABLE ? ATOLL_EXECUTE : 0),
        .domain = m->bo->domains & (AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM),
    };

    add_pending(f->record, &c);
    /* The writer takes a new mapping for zeros, while the object may hold what was recorded through another
     * mapping of it, which may be gone by the next submission. */
    m->record_all = false;
    for (size_t i = 0; i < f->va_count; i++)
        m->record_all |= f->va[i].bo == m->bo && f->va[i].va != m->va;
}

static void write_pending(struct drm_record *r)
{
    struct err e;

    for (size_t i = 0; i < r->pending_count && !r->failed; i++) {
        const struct capture_map *m = &r->pending[i].map;

        note(r, m->object ? capture_write_map(r->w, m, &e) : capture_write_unmap(r->w, m->va, m->bytes, &e), &e);
    }
    r->pending_count = 0;
}

static void write_range(struct drm_record *r, bool all, uint64_t va, const uint8_t *host, uint64_t bytes)
{
    struct err e;

    if (all)
        note(r, capture_write_memory(r->w, va, host, bytes, &e), &e);
    if (!r->failed)
        note(r, capture_write_changed(r->w, va, host, bytes, &e), &e);
}

/* What changed of a mapping. */
static void write_changed(struct drm_file *f, struct drm_va *m)
{
    const struct drm_process *p = drm_process();
    const uint64_t at = m->bo->mmap_offset + m->offset, end = at + m->bytes;
    const bool all = m->record_all;
    struct drm_record *r = f->record;

    m->record_all = false;
    if (m->bo->user || m->bo->foreign) {
        write_range(r, all, m->va, m->bo->host + m->offset, m->bytes);
        return;
    }
    for (off_t data = (off_t)at, hole; !r->failed; data = hole) {
        data = lseek(p->memfd, data, SEEK_DATA);
        if (data < 0 || (uint64_t)data >= end)
            return;
        hole = lseek(p->memfd, data, SEEK_HOLE);
        if (hole < 0 || (uint64_t)hole > end)
            hole = (off_t)end;
        write_range(r, all, m->va + ((uint64_t)data - at), p->mem + data, (uint64_t)(hole - data));
    }
}

/* The file's capture; made at its first mapping. NULL: none. */
static struct drm_record *record(struct drm_file *f)
{
    struct drm_process *p = drm_process();
    struct capture_header h = {
        .version = CAPTURE_VERSION,
        .device_id = p->chip->device_id,
        .family = p->chip->family,
        .external_rev = p->chip->external_rev,
        .gb_addr_config = p->chip->gb_addr_config,
        .chip = p->chip->name,
    };
    char name[PATH_MAX], driver[64];
    struct drm_record *r;
    struct err e;

    if (f->record_tried || !p->capture)
        return f->record && !f->record->failed ? f->record : NULL;
    f->record_tried = true;
    driver_name(driver);
    h.driver = driver;
    r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->fd = claim(p->capture, name);
    if (r->fd < 0) {
        drm_log(1, "no capture: %s: %s", name, strerror(errno));
    } else if (!(r->w = capture_create_fd(r->fd, name, &h, &e))) {
        drm_log(1, "no capture: %s", e.text);
        close(r->fd);
    } else {
        drm_log(1, "capturing to %s", name);
        f->record = r;
        return r;
    }
    free(r);
    return NULL;
}

/* The file is made at the first submission, with the mappings that are there then: device files that only ask
 * questions leave none. */
static bool begin(struct drm_file *f)
{
    bool fresh = !f->record;

    if (!record(f))
        return false;
    for (size_t i = 0; fresh && i < f->va_count; i++)
        if (f->va[i].bo && f->va[i].bo->host)
            add_map(f, &f->va[i]);
    write_pending(f->record);
    return !f->record->failed;
}

void drm_record_map(struct drm_file *f, struct drm_va *m)
{
    if (f->record && !f->record->failed && m->bo && m->bo->host)
        add_map(f, m);
}

void drm_record_unmap(struct drm_file *f, uint64_t va, uint64_t bytes)
{
    if (f->record && !f->record->failed)
        add_pending(f->record, &(struct capture_map){.va = va, .bytes = bytes});
}

void drm_record_submit(struct drm_file *f, uint32_t ctx, const struct atoll_ib *ibs, unsigned count,
                       uint64_t fence_va, uint64_t fence_value)
{
    struct capture_ib *list;
    struct capture_submit s = {.context = ctx, .ib_count = count, .fence_va = fence_va,
                               .fence_value = fence_value};
    struct err e;

    if (!drm_process()->capture || !begin(f))
        return;
    for (size_t i = 0; i < f->va_count && !f->record->failed; i++)
        if (f->va[i].bo && f->va[i].bo->host)
            write_changed(f, &f->va[i]);
    list = calloc(count, sizeof *list);
    if (!list) {
        note(f->record, err_set(&e, "out of memory"), &e);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        list[i] = (struct capture_ib){.ring = ibs[i].ring, .size_dw = ibs[i].size_dw, .va = ibs[i].va};
    s.ibs = list;
    if (!f->record->failed)
        note(f->record, capture_write_submit(f->record->w, &s, &e), &e);
    free(list);
}

void drm_record_end(struct drm_file *f)
{
    struct err e;

    if (!f->record)
        return;
    if (capture_finish(f->record->w, !f->record->failed, &e))
        drm_log(1, "the capture's end: %s", e.text);
    close(f->record->fd);
    free(f->record->pending);
    free(f->record);
    f->record = NULL;
}
