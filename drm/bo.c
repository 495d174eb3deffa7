/* Buffer objects: ranges of the process's memory file, of another process's, or the program's own memory.
 *
 * Sharing: a DMA-buf descriptor is a memfd of the buffer's size (that is what lseek of one tells) whose first
 * bytes say where the memory is: process, descriptor, offset. Within a process it leads back to the
 * object; another process opens the memory file through /proc. The memory of a buffer that was once shared
 * is not reused while its process lives, since nobody counts who still has it. Mapping the DMA-buf
 * descriptor itself is not served: drivers map through their own device file. */
#include "config.h"

#include "drm/drm.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define DMA_BUF_MAGIC UINT64_C(0x3146554241444c54)

/* What a DMA-buf descriptor holds. Between processes of one build only. */
struct dma_buf {
    uint64_t magic;
    int32_t pid, fd;
    uint64_t fd_offset, bytes, asked_bytes, alignment, flags, id;
    uint32_t domains, pad;
    uint64_t meta_flags, tiling_info;
    uint32_t meta_bytes, meta[64];
};

/* ---- the memory file ------------------------------------------------------------------------- */

/* First fit; the free extents are in order of address. */
static bool take(struct drm_process *p, uint64_t bytes, uint64_t alignment, uint64_t *at)
{
    for (size_t i = 0; i < p->free_count; i++) {
        struct drm_extent *x = &p->free[i];
        uint64_t start = align_up(x->at, alignment), end = x->at + x->bytes;

        if (start >= end || end - start < bytes)
            continue;
        if (start > x->at && start + bytes < end) {
            if (p->free_count == p->free_slots) {
                struct drm_extent *more = realloc(p->free, 2 * p->free_slots * sizeof *more);

                if (!more)
                    return false;
                p->free = more;
                p->free_slots *= 2;
                x = &p->free[i];
            }
            memmove(x + 2, x + 1, (p->free_count - i - 1) * sizeof *x);
            p->free_count++;
            x[1] = (struct drm_extent){start + bytes, end - start - bytes};
            x->bytes = start - x->at;
        } else if (start > x->at) {
            x->bytes = start - x->at;
        } else if (bytes < x->bytes) {
            x->at += bytes;
            x->bytes -= bytes;
        } else {
            memmove(x, x + 1, (p->free_count - i - 1) * sizeof *x);
            p->free_count--;
        }
        *at = start;
        return true;
    }
    return false;
}

static void give_back(struct drm_process *p, uint64_t at, uint64_t bytes)
{
    size_t i = 0;

    /* The host gets its pages back, and whoever gets the range next gets zeros. If that fails the
     * range is lost, not handed out dirty. */
    if (fallocate(p->memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)bytes))
        return;
    while (i < p->free_count && p->free[i].at < at)
        i++;
    if (i && p->free[i - 1].at + p->free[i - 1].bytes == at) {
        p->free[i - 1].bytes += bytes;
        if (i < p->free_count && at + bytes == p->free[i].at) {
            p->free[i - 1].bytes += p->free[i].bytes;
            memmove(&p->free[i], &p->free[i + 1], (p->free_count - i - 1) * sizeof p->free[i]);
            p->free_count--;
        }
        return;
    }
    if (i < p->free_count && at + bytes == p->free[i].at) {
        p->free[i].at = at;
        p->free[i].bytes += bytes;
        return;
    }
    if (p->free_count == p->free_slots) {
        struct drm_extent *more = realloc(p->free, 2 * p->free_slots * sizeof *more);

        if (!more)
            return;
        p->free = more;
        p->free_slots *= 2;
    }
    memmove(&p->free[i + 1], &p->free[i], (p->free_count - i) * sizeof p->free[i]);
    p->free[i] = (struct drm_extent){at, bytes};
    p->free_count++;
}

/* ---- objects --------------------------------------------------------------------------------- */

/* The counter of the domain that an object is in; NULL: of none that is counted. */
static uint64_t *domain_count(struct drm_process *p, const struct drm_bo *bo)
{
    if (bo->domains & AMDGPU_GEM_DOMAIN_VRAM)
        return &p->domain_bytes[0];
    return bo->domains & AMDGPU_GEM_DOMAIN_GTT ? &p->domain_bytes[1] : NULL;
}

static struct drm_bo *bo_new(struct drm_process *p, uint64_t bytes, uint32_t domains)
{
    struct drm_bo *bo = calloc(1, sizeof *bo);

    if (!bo)
        return NULL;
    bo->id = p->next_bo++;
    bo->refs = 1;
    bo->asked_bytes = bytes;
    bo->bytes = align_up(bytes, DRM_PAGE_BYTES);
    bo->alignment = DRM_PAGE_BYTES;
    bo->domains = domains;
    bo->fd = -1;
    bo->next = p->bos;
    p->bos = bo;
    if (domain_count(p, bo))
        *domain_count(p, bo) += bo->bytes;
    return bo;
}

void drm_bo_unref(struct drm_process *p, struct drm_bo *bo)
{
    struct drm_bo **at;

    if (--bo->refs)
        return;
    for (at = &p->bos; *at != bo; at = &(*at)->next)
        ;
    *at = bo->next;
    if (domain_count(p, bo))
        *domain_count(p, bo) -= bo->bytes;
    if (bo->foreign) {
        munmap(bo->host, bo->bytes);
        close(bo->fd);
    } else if (bo->host && !bo->user && !bo->shared) {
        give_back(p, bo->mmap_offset, bo->bytes);
    }
    free(bo);
}

struct drm_bo *drm_bo_get(const struct drm_file *f, uint32_t handle)
{
    return drm_table_get(&f->bos, handle);
}

/* A handle for an object whose reference the caller gives away; an object has one handle in a file. */
static int add_handle(struct drm_process *p, struct drm_file *f, struct drm_bo *bo, uint32_t *handle)
{
    for (uint32_t h = 1; h <= f->bos.count; h++)
        if (f->bos.slot[h - 1] == bo) {
            drm_bo_unref(p, bo);
            *handle = h;
            return 0;
        }
    *handle = drm_table_add(&f->bos, bo);
    if (*handle)
        return 0;
    drm_bo_unref(p, bo);
    return -ENOMEM;
}

int drm_bo_close(struct drm_file *f, uint32_t handle)
{
    struct drm_bo *bo = drm_table_take(&f->bos, handle);

    if (!bo)
        return -EINVAL;
    drm_va_drop_bo(f, bo);
    drm_bo_unref(drm_process(), bo);
    return 0;
}

int drm_gem_close(struct drm_file *f, struct drm_gem_close *a)
{
    return drm_bo_close(f, a->handle);
}

int drm_bo_create(struct drm_file *f, union drm_amdgpu_gem_create *a)
{
    const uint32_t on_chip = AMDGPU_GEM_DOMAIN_GDS | AMDGPU_GEM_DOMAIN_GWS | AMDGPU_GEM_DOMAIN_OA;
    const struct drm_amdgpu_gem_create_in in = a->in;
    struct drm_process *p = drm_process();
    uint64_t alignment = DRM_PAGE_BYTES;
    struct drm_bo *bo;
    int rc;

    if (f->inherited)
        return -ENODEV;
    if (!in.bo_size || in.bo_size > DRM_VRAM_BYTES + DRM_GTT_BYTES || !in.domains ||
        in.domains & ~(uint64_t)AMDGPU_GEM_DOMAIN_MASK)
        return in.bo_size > DRM_VRAM_BYTES ? -ENOMEM : -EINVAL;
    while (alignment < in.alignment && alignment < (UINT64_C(1) << 30))
        alignment *= 2;
    bo = bo_new(p, in.bo_size, (uint32_t)in.domains);
    if (!bo)
        return -ENOMEM;
    bo->alignment = in.alignment;
    bo->flags = in.domain_flags;
    if (!(in.domains & on_chip)) {
        /* Nothing looks at host addresses: the alignment that was asked for is the GPU address's matter. */
        if (!take(p, bo->bytes, DRM_PAGE_BYTES, &bo->mmap_offset)) {
            drm_bo_unref(p, bo);
            return -ENOMEM;
        }
        bo->host = p->mem + bo->mmap_offset;
    }
    memset(a, 0, sizeof *a);
    rc = add_handle(p, f, bo, &a->out.handle);
    if (!rc)
        drm_log(3, "BO %llu: %llu bytes, domains 0x%x, flags 0x%llx", (unsigned long long)bo->id,
                (unsigned long long)bo->bytes, bo->domains, (unsigned long long)bo->flags);
    return rc;
}

int drm_bo_mmap(struct drm_file *f, union drm_amdgpu_gem_mmap *a)
{
    const struct drm_bo *bo = drm_bo_get(f, a->in.handle);

    if (!bo)
        return -ENOENT;
    if (!bo->host || bo->user || bo->flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS)
        return -EPERM;
    a->out.addr_ptr = bo->mmap_offset;
    return 0;
}

int drm_bo_metadata(struct drm_file *f, struct drm_amdgpu_gem_metadata *a)
{
    struct drm_bo *bo = drm_bo_get(f, a->handle);

    if (!bo)
        return -ENOENT;
    switch (a->op) {
    case AMDGPU_GEM_METADATA_OP_GET_METADATA:
        a->data.flags = bo->meta.flags;
        a->data.tiling_info = bo->meta.tiling_info;
        a->data.data_size_bytes = bo->meta.data_bytes;
        memcpy(a->data.data, bo->meta.data, sizeof a->data.data);
        return 0;
    case AMDGPU_GEM_METADATA_OP_SET_METADATA:
        if (a->data.data_size_bytes > sizeof bo->meta.data)
            return -EINVAL;
        bo->meta.flags = a->data.flags;
        bo->meta.tiling_info = a->data.tiling_info;
        bo->meta.data_bytes = a->data.data_size_bytes;
        memset(bo->meta.data, 0, sizeof bo->meta.data);
        memcpy(bo->meta.data, a->data.data, a->data.data_size_bytes);
        return 0;
    }
    return -EINVAL;
}

/* Submissions are done when they have been made. */
int drm_bo_wait_idle(struct drm_file *f, union drm_amdgpu_gem_wait_idle *a)
{
    if (!drm_bo_get(f, a->in.handle))
        return -ENOENT;
    memset(a, 0, sizeof *a);
    return 0;
}

int drm_bo_op(struct drm_file *f, struct drm_amdgpu_gem_op *a)
{
    struct drm_bo *bo = drm_bo_get(f, a->handle);
    struct drm_amdgpu_gem_create_in in;

    if (!bo)
        return -ENOENT;
    switch (a->op) {
    case AMDGPU_GEM_OP_GET_GEM_CREATE_INFO:
        in = (struct drm_amdgpu_gem_create_in){.bo_size = bo->asked_bytes, .alignment = bo->alignment,
                                               .domains = bo->domains, .domain_flags = bo->flags};
        return drm_copy_out(a->value, &in, sizeof in);
    case AMDGPU_GEM_OP_SET_PLACEMENT:
        return bo->user || bo->shared ? -EINVAL : 0; /* all domains are the same memory */
    }
    drm_loud(UINT64_C(0x30000) | a->op, "GEM_OP %u: answered with EINVAL", a->op);
    return -EINVAL;
}

/* ---- the program's own memory ---------------------------------------------------------------- */

bool drm_bo_user_there(const struct drm_bo *bo, uint64_t offset, uint64_t bytes)
{
    unsigned char present[256];

    for (uint64_t at = 0; at < bytes; at += sizeof present * DRM_PAGE_BYTES)
        if (mincore(bo->host + offset + at, MIN2(bytes - at, sizeof present * DRM_PAGE_BYTES), present))
            return false;
    return true;
}

int drm_bo_userptr(struct drm_file *f, struct drm_amdgpu_gem_userptr *a)
{
    struct drm_process *p = drm_process();
    struct drm_bo *bo;

    if (f->inherited)
        return -ENODEV;
    if (!a->size || (a->addr | a->size) & (DRM_PAGE_BYTES - 1) || a->addr < DRM_PAGE_BYTES ||
        a->addr + a->size < a->addr)
        return -EINVAL;
    bo = bo_new(p, a->size, AMDGPU_GEM_DOMAIN_GTT);
    if (!bo)
        return -ENOMEM;
    bo->user = true;
    bo->host = (uint8_t *)(uintptr_t)a->addr;
    if (a->flags & AMDGPU_GEM_USERPTR_VALIDATE && !drm_bo_user_there(bo, 0, bo->bytes)) {
        drm_bo_unref(p, bo);
        return -EFAULT;
    }
    return add_handle(p, f, bo, &a->handle);
}

/* ---- sharing --------------------------------------------------------------------------------- */

int drm_prime_handle_to_fd(struct drm_file *f, struct drm_prime_handle *a)
{
    struct drm_process *p = drm_process();
    struct drm_bo *bo = drm_bo_get(f, a->handle);
    struct dma_buf d;
    int fd;

    if (!bo)
        return -ENOENT;
    if (bo->user || !bo->host || bo->flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID)
        return -EPERM;
    fd = memfd_create("atoll-dmabuf", a->flags & DRM_CLOEXEC ? MFD_CLOEXEC : 0);
    if (fd < 0)
        return -errno;
    memset(&d, 0, sizeof d);
    d.magic = DMA_BUF_MAGIC;
    d.pid = bo->foreign ? bo->owner_pid : getpid();
    d.fd = bo->foreign ? bo->fd : p->memfd;
    d.fd_offset = bo->foreign ? bo->fd_offset : bo->mmap_offset;
    d.bytes = bo->bytes;
    d.asked_bytes = bo->asked_bytes;
    d.alignment = bo->alignment;
    d.flags = bo->flags;
    d.id = bo->foreign ? bo->owner_id : bo->id;
    d.domains = bo->domains;
    d.meta_flags = bo->meta.flags;
    d.tiling_info = bo->meta.tiling_info;
    d.meta_bytes = bo->meta.data_bytes;
    memcpy(d.meta, bo->meta.data, sizeof d.meta);
    if (ftruncate(fd, (off_t)bo->bytes) || pwrite(fd, &d, sizeof d, 0) != sizeof d) {
        close(fd);
        return -ENOMEM;
    }
    if (!bo->foreign && !bo->shared) {
        bo->shared = true;
        bo->refs++; /* for good: see the head of this file */
    }
    a->fd = fd;
    return 0;
}

/* An object of this process for a DMA-buf of another. */
static struct drm_bo *import(struct drm_process *p, const struct dma_buf *d)
{
    char path[64];
    struct stat st;
    struct drm_bo *bo;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/fd/%d", d->pid, d->fd);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        drm_log(1, "a buffer of process %d cannot be had: %s", d->pid, strerror(errno));
        return NULL;
    }
    if (!drm_fd_is(fd, DRM_FD_GPU) || drm_real_fstat(fd, &st) || d->bytes > (uint64_t)st.st_size ||
        d->fd_offset > (uint64_t)st.st_size - d->bytes ||
        !(bo = bo_new(p, d->bytes, d->domains & AMDGPU_GEM_DOMAIN_MASK))) {
        close(fd);
        return NULL;
    }
    bo->host = mmap(NULL, bo->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)d->fd_offset);
    if (bo->host == MAP_FAILED) {
        bo->host = NULL;
        drm_bo_unref(p, bo);
        close(fd);
        return NULL;
    }
    bo->foreign = bo->shared = true;
    bo->fd = fd;
    bo->fd_offset = d->fd_offset;
    bo->owner_pid = d->pid;
    bo->owner_id = d->id;
    bo->mmap_offset = p->import_top;
    p->import_top += bo->bytes;
    bo->asked_bytes = d->asked_bytes;
    bo->alignment = d->alignment;
    bo->flags = d->flags;
    bo->meta.flags = d->meta_flags;
    bo->meta.tiling_info = d->tiling_info;
    bo->meta.data_bytes = MIN2(d->meta_bytes, (uint32_t)sizeof bo->meta.data);
    memcpy(bo->meta.data, d->meta, sizeof bo->meta.data);
    return bo;
}

int drm_prime_fd_to_handle(struct drm_file *f, struct drm_prime_handle *a)
{
    struct drm_process *p = drm_process();
    bool ours;
    struct dma_buf d;
    struct drm_bo *bo;

    if (f->inherited)
        return -ENODEV;
    if (!drm_fd_is(a->fd, DRM_FD_DMA_BUF) || pread(a->fd, &d, sizeof d, 0) != sizeof d ||
        d.magic != DMA_BUF_MAGIC || !d.bytes || d.bytes % DRM_PAGE_BYTES) {
        drm_log(1, "descriptor %d is no buffer of an emulated device: it cannot be imported", a->fd);
        return -EINVAL;
    }
    ours = d.pid == getpid();
    for (bo = p->bos; bo; bo = bo->next)
        if (ours ? !bo->foreign && bo->id == d.id
                 : bo->foreign && bo->owner_pid == d.pid && bo->owner_id == d.id)
            break;
    if (bo)
        bo->refs++;
    else if (ours || !(bo = import(p, &d)))
        return -EINVAL;
    return add_handle(p, f, bo, &a->handle);
}

bool drm_bo_foreign_mmap(uint64_t offset, size_t bytes, int *fd, uint64_t *fd_offset)
{
    struct drm_process *p = drm_process();
    struct drm_bo *bo;

    pthread_mutex_lock(&p->lock);
    for (bo = p->bos; bo; bo = bo->next)
        if (bo->foreign && offset >= bo->mmap_offset && offset - bo->mmap_offset < bo->bytes &&
            bytes <= align_up(bo->bytes - (offset - bo->mmap_offset), DRM_PAGE_BYTES))
            break;
    if (bo) {
        *fd = bo->fd;
        *fd_offset = bo->fd_offset + (offset - bo->mmap_offset);
    }
    pthread_mutex_unlock(&p->lock);
    return bo;
}

/* Names are of the process, not of the system. */
int drm_gem_flink(struct drm_file *f, struct drm_gem_flink *a)
{
    struct drm_process *p = drm_process();
    struct drm_bo *bo = drm_bo_get(f, a->handle);

    if (!bo)
        return -ENOENT;
    if (!bo->name)
        bo->name = p->next_name++;
    a->name = bo->name;
    return 0;
}

int drm_gem_open(struct drm_file *f, struct drm_gem_open *a)
{
    struct drm_process *p = drm_process();

    for (struct drm_bo *bo = p->bos; bo; bo = bo->next) {
        if (!a->name || bo->name != a->name)
            continue;
        bo->refs++;
        a->size = bo->bytes;
        return add_handle(p, f, bo, &a->handle);
    }
    drm_loud(0x40000, "GEM name %u is none of this process's: names of other processes are not served", a->name);
    return -ENOENT;
}

/* Type 'b': what is asked of a DMA-buf. Numbers of Linux 6.1's dma-buf.h. */
int drm_dma_buf_ioctl(int fd, unsigned long request, void *arg, bool *served)
{
    enum { SYNC = 0, SET_NAME = 1, EXPORT_SYNC_FILE = 2, IMPORT_SYNC_FILE = 3 };
    struct {
        uint32_t flags;
        int32_t fd;
    } file;
    int rc = 0;

    *served = drm_fd_is(fd, DRM_FD_DMA_BUF);
    if (!*served)
        return 0;
    switch (_IOC_NR(request)) {
    case SYNC:
    case SET_NAME:
        return 0;
    case EXPORT_SYNC_FILE:
    case IMPORT_SYNC_FILE:
        rc = drm_copy_in(&file, (uintptr_t)arg, sizeof file);
        if (rc || _IOC_NR(request) == IMPORT_SYNC_FILE)
            break; /* a sync file has signalled */
        rc = file.fd = drm_sync_file_new();
        if (rc >= 0)
            rc = drm_copy_out((uintptr_t)arg, &file, sizeof file);
        break;
    default:
        drm_loud(UINT64_C(0x50000) | _IOC_NR(request), "DMA-buf ioctl %u: answered with ENOTTY",
                 (unsigned)_IOC_NR(request));
        rc = -ENOTTY;
    }
    if (rc >= 0)
        return 0;
    errno = -rc;
    return -1;
}
