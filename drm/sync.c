/* Sync objects and sync files.
 *
 * Submissions are done when they have been made, so a fence is there, and signalled, or it is not there yet.
 * A sync object is then two numbers: whether it has a fence, and which point of its timeline has been
 * reached. Waiting is for a fence to be put there by another thread or process. Objects that were exported
 * live on a page of a memfd that processes share; waits that involve one look again every millisecond. */
#include "config.h"

#include "drm/drm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LOOK_AGAIN_NS 1000000
#define HANDLES_MAX   65536

/* ---- objects --------------------------------------------------------------------------------- */

static struct drm_sync *sync_new(bool signalled)
{
    struct drm_sync *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->refs = 1;
    s->fd = -1;
    s->state = &s->own;
    s->own.fence = signalled;
    return s;
}

void drm_sync_unref(struct drm_sync *s)
{
    if (--s->refs)
        return;
    if (s->state != &s->own)
        munmap(s->state, DRM_PAGE_BYTES);
    if (s->fd >= 0)
        close(s->fd);
    free(s);
}

static bool has(const struct drm_sync *s, uint64_t point)
{
    if (point)
        return __atomic_load_n(&s->state->point, __ATOMIC_ACQUIRE) >= point;
    return __atomic_load_n(&s->state->fence, __ATOMIC_ACQUIRE);
}

void drm_sync_signal(struct drm_process *p, struct drm_sync *s, uint64_t point)
{
    if (!point)
        __atomic_store_n(&s->state->point, 0, __ATOMIC_RELEASE); /* a plain fence replaces a timeline */
    else if (point > s->state->point)
        __atomic_store_n(&s->state->point, point, __ATOMIC_RELEASE);
    else
        drm_loud(0x70000, "timeline point %llu signalled after point %llu", (unsigned long long)point,
                 (unsigned long long)s->state->point);
    __atomic_store_n(&s->state->fence, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&p->signalled);
}

/* Wait for another thread to change something, or until the deadline, or for a moment if something may
 * change elsewhere. p->lock held. */
static void doze(struct drm_process *p, int64_t deadline_ns, bool elsewhere)
{
    int64_t now = drm_now_ns(), wait = deadline_ns - now;
    struct timespec t;

    if (elsewhere)
        wait = MIN2(wait, LOOK_AGAIN_NS);
    wait = MIN2(wait, INT64_C(1000000000)); /* a clock that is set does not matter */
    if (wait <= 0)
        return;
    clock_gettime(CLOCK_REALTIME, &t);
    wait += t.tv_nsec;
    t.tv_sec += wait / 1000000000;
    t.tv_nsec = wait % 1000000000;
    pthread_cond_timedwait(&p->signalled, &p->lock, &t);
}

int drm_sync_wait_for(struct drm_process *p, struct drm_sync *s, uint64_t point, int64_t deadline_ns)
{
    int rc = 0;

    s->refs++; /* another thread may destroy it meanwhile */
    while (!has(s, point)) {
        if (drm_now_ns() >= deadline_ns) {
            rc = -ETIME;
            break;
        }
        doze(p, deadline_ns, s->fd >= 0);
    }
    drm_sync_unref(s);
    return rc;
}

static struct drm_sync *get(const struct drm_file *f, uint32_t handle)
{
    return drm_table_get(&f->syncs, handle);
}

/* ---- one object ------------------------------------------------------------------------------ */

int drm_sync_create(struct drm_file *f, struct drm_syncobj_create *a)
{
    struct drm_sync *s;

    if (a->flags & ~(uint32_t)DRM_SYNCOBJ_CREATE_SIGNALED)
        return -EINVAL;
    s = sync_new(a->flags & DRM_SYNCOBJ_CREATE_SIGNALED);
    a->handle = s ? drm_table_add(&f->syncs, s) : 0;
    if (a->handle)
        return 0;
    free(s);
    return -ENOMEM;
}

int drm_sync_destroy(struct drm_file *f, struct drm_syncobj_destroy *a)
{
    struct drm_sync *s = drm_table_take(&f->syncs, a->handle);

    if (!s)
        return -EINVAL;
    drm_sync_unref(s);
    return 0;
}

int drm_sync_transfer(struct drm_file *f, struct drm_syncobj_transfer *a)
{
    struct drm_process *p = drm_process();
    struct drm_sync *from = get(f, a->src_handle), *to = get(f, a->dst_handle);
    int rc = 0;

    if (a->pad)
        return -EINVAL;
    if (!from || !to)
        return -ENOENT;
    if (!has(from, a->src_point)) {
        if (!(a->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT))
            return -EINVAL;
        to->refs++;
        rc = drm_sync_wait_for(p, from, a->src_point, INT64_MAX);
        if (!rc)
            drm_sync_signal(p, to, a->dst_point);
        drm_sync_unref(to);
        return rc;
    }
    drm_sync_signal(p, to, a->dst_point);
    return 0;
}

/* ---- many objects ---------------------------------------------------------------------------- */

/* What WAIT, RESET and the others name. */
struct many {
    uint32_t count;
    struct drm_sync **sync;
    uint64_t *points; /* zeros when the ioctl has none */
};

static void many_free(struct many *m)
{
    for (uint32_t i = 0; m->sync && i < m->count; i++)
        if (m->sync[i])
            drm_sync_unref(m->sync[i]);
    free(m->sync);
    free(m->points);
}

/* Copy in the arrays and hold the objects. points 0: none. */
static int many_get(const struct drm_file *f, uint64_t handles, uint64_t points, uint32_t count,
                    struct many *m)
{
    uint32_t *h;
    int rc;

    *m = (struct many){0};
    if (!count || count > HANDLES_MAX)
        return -EINVAL;
    h = calloc(count, sizeof *h);
    m->sync = calloc(count, sizeof(struct drm_sync *));
    m->points = calloc(count, sizeof *m->points);
    m->count = count;
    rc = h && m->sync && m->points ? drm_copy_in(h, handles, count * sizeof *h) : -ENOMEM;
    if (!rc && points)
        rc = drm_copy_in(m->points, points, count * sizeof *m->points);
    for (uint32_t i = 0; !rc && i < count; i++) {
        struct drm_sync *s = get(f, h[i]);

        if (s) {
            m->sync[i] = s;
            s->refs++;
        } else {
            rc = -ENOENT;
        }
    }
    free(h);
    if (rc)
        many_free(m);
    return rc;
}

static int wait_many(const struct many *m, uint32_t flags, int64_t deadline_ns, uint32_t *first)
{
    struct drm_process *p = drm_process();
    const bool all = flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
    const bool may_come = flags & (DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE);

    for (;;) {
        bool elsewhere = false;
        uint32_t done = 0;

        for (uint32_t i = 0; i < m->count; i++) {
            elsewhere |= m->sync[i]->fd >= 0;
            if (has(m->sync[i], m->points[i])) {
                if (!done++ && first)
                    *first = i;
                if (!all)
                    return 0;
            } else if (!may_come) {
                return -EINVAL;
            }
        }
        if (done == m->count)
            return 0;
        if (drm_now_ns() >= deadline_ns)
            return -ETIME;
        doze(p, deadline_ns, elsewhere);
    }
}

int drm_sync_wait(struct drm_file *f, struct drm_syncobj_wait *a)
{
    struct many m;
    int rc = many_get(f, a->handles, 0, a->count_handles, &m);

    if (rc)
        return rc;
    rc = wait_many(&m, a->flags, a->timeout_nsec, &a->first_signaled);
    many_free(&m);
    return rc;
}

int drm_sync_timeline_wait(struct drm_file *f, struct drm_syncobj_timeline_wait *a)
{
    struct many m;
    int rc = many_get(f, a->handles, a->points, a->count_handles, &m);

    if (rc)
        return rc;
    rc = wait_many(&m, a->flags, a->timeout_nsec, &a->first_signaled);
    many_free(&m);
    return rc;
}

int drm_sync_reset(struct drm_file *f, struct drm_syncobj_array *a)
{
    struct many m;
    int rc = many_get(f, a->handles, 0, a->count_handles, &m);

    if (rc)
        return rc;
    for (uint32_t i = 0; i < m.count; i++) {
        __atomic_store_n(&m.sync[i]->state->fence, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&m.sync[i]->state->point, 0, __ATOMIC_RELEASE);
    }
    many_free(&m);
    return 0;
}

static int signal_many(const struct drm_file *f, uint64_t handles, uint64_t points, uint32_t count)
{
    struct many m;
    int rc = many_get(f, handles, points, count, &m);

    if (rc)
        return rc;
    for (uint32_t i = 0; i < m.count; i++)
        drm_sync_signal(drm_process(), m.sync[i], m.points[i]);
    many_free(&m);
    return 0;
}

int drm_sync_signal_all(struct drm_file *f, struct drm_syncobj_array *a)
{
    return signal_many(f, a->handles, 0, a->count_handles);
}

int drm_sync_timeline_signal(struct drm_file *f, struct drm_syncobj_timeline_array *a)
{
    return a->flags ? -EINVAL : signal_many(f, a->handles, a->points, a->count_handles);
}

int drm_sync_query(struct drm_file *f, struct drm_syncobj_timeline_array *a)
{
    struct many m;
    int rc = many_get(f, a->handles, 0, a->count_handles, &m);

    if (rc)
        return rc;
    for (uint32_t i = 0; i < m.count; i++)
        m.points[i] = __atomic_load_n(&m.sync[i]->state->point, __ATOMIC_ACQUIRE);
    rc = drm_copy_out(a->points, m.points, m.count * sizeof *m.points);
    many_free(&m);
    return rc;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* A sync file is a descriptor that can be polled for reading once it has signalled, as all have here. */
int drm_sync_file_new(void)
{
    int fd = eventfd(1, EFD_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

/* Put the state on a page that other processes can map. */
static int share(struct drm_sync *s)
{
    struct drm_sync_state *page = MAP_FAILED;
    int fd;

    if (s->fd >= 0)
        return 0;
    fd = memfd_create("atoll-syncobj", MFD_CLOEXEC);
    if (fd >= 0 && !ftruncate(fd, (off_t)DRM_PAGE_BYTES))
        page = mmap(NULL, DRM_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        if (fd >= 0)
            close(fd);
        return -ENOMEM;
    }
    *page = *s->state;
    s->state = page;
    s->fd = fd;
    return 0;
}

int drm_sync_to_fd(struct drm_file *f, struct drm_syncobj_handle *a)
{
    struct drm_sync *s = get(f, a->handle);
    int rc;

    if (a->pad || a->flags & ~(uint32_t)DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)
        return -EINVAL;
    if (!s)
        return -EINVAL;
    if (a->flags) {
        if (!has(s, 0))
            return -EINVAL;
        a->fd = drm_sync_file_new();
        return a->fd < 0 ? a->fd : 0;
    }
    rc = share(s);
    if (rc)
        return rc;
    a->fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
    return a->fd < 0 ? -errno : 0;
}

/* The object of this file that lies on the same page as the descriptor; NULL when there is none. */
static struct drm_sync *same_page(int fd)
{
    struct drm_process *p = drm_process();
    struct stat st, other;

    if (drm_real_fstat(fd, &st))
        return NULL;
    for (struct drm_file *f = p->files; f; f = f->next)
        for (uint32_t h = 1; h <= f->syncs.count; h++) {
            struct drm_sync *s = get(f, h);

            if (s && s->fd >= 0 && !drm_real_fstat(s->fd, &other) && other.st_ino == st.st_ino)
                return s;
        }
    return NULL;
}

static int import_fd(struct drm_file *f, int fd, uint32_t *handle)
{
    struct drm_sync *s = same_page(fd);

    if (s) {
        s->refs++;
    } else {
        s = sync_new(false);
        if (!s)
            return -ENOMEM;
        s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        s->state = mmap(NULL, DRM_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
        if (s->state == MAP_FAILED) {
            s->state = &s->own;
            drm_sync_unref(s);
            return -EINVAL;
        }
    }
    *handle = drm_table_add(&f->syncs, s);
    if (*handle)
        return 0;
    drm_sync_unref(s);
    return -ENOMEM;
}

int drm_sync_from_fd(struct drm_file *f, struct drm_syncobj_handle *a)
{
    struct drm_sync *s;

    if (a->pad || a->flags & ~(uint32_t)DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE)
        return -EINVAL;
    if (!a->flags)
        return drm_fd_is(a->fd, DRM_FD_SYNCOBJ) ? import_fd(f, a->fd, &a->handle) : -EINVAL;
    s = get(f, a->handle);
    if (!s)
        return -ENOENT;
    if (!drm_fd_is(a->fd, DRM_FD_EVENT))
        return -EINVAL;
    drm_sync_signal(drm_process(), s, 0);
    return 0;
}

/* Type '>': sync_file.h of Linux. */
int drm_sync_file_ioctl(int fd, unsigned long request, void *arg, bool *served)
{
    enum { MERGE = 3, FILE_INFO = 4 };
    struct {
        char name[32];
        int32_t fd2, fence;
        uint32_t flags, pad;
    } merge;
    struct {
        char name[32];
        int32_t status;
        uint32_t flags, num_fences, pad;
        uint64_t fences;
    } info;
    int rc;

    *served = drm_fd_is(fd, DRM_FD_EVENT);
    if (!*served)
        return 0;
    switch (_IOC_NR(request)) {
    case MERGE:
        rc = drm_copy_in(&merge, (uintptr_t)arg, sizeof merge);
        if (!rc && (rc = merge.fence = drm_sync_file_new()) >= 0)
            rc = drm_copy_out((uintptr_t)arg, &merge, sizeof merge);
        break;
    case FILE_INFO:
        rc = drm_copy_in(&info, (uintptr_t)arg, sizeof info);
        info.status = 1;
        info.num_fences = 0;
        if (!rc)
            rc = drm_copy_out((uintptr_t)arg, &info, sizeof info);
        break;
    default:
        drm_loud(UINT64_C(0x80000) | _IOC_NR(request), "sync file ioctl %u: answered with ENOTTY",
                 (unsigned)_IOC_NR(request));
        rc = -ENOTTY;
    }
    if (rc >= 0)
        return 0;
    errno = -rc;
    return -1;
}
