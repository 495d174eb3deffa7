/* The GPU's address space of a device file: which ranges of which buffer objects are where.
 *
 * The list here is what the kernel knows; the device has the same as host pointers, and a capture
 * gets the same as it happens. Addresses are the low 48 bits: GFX9's upper half comes
 * sign-extended. */
#include "config.h"

#include "drm/drm.h"

#include <errno.h>
#include <stdlib.h>

/* Index of the first range that ends above va. */
static size_t find(const struct drm_file *f, uint64_t va)
{
    size_t lo = 0, hi = f->va_count;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;

        if (f->va[mid].va + f->va[mid].bytes > va)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static bool insert(struct drm_file *f, size_t i, const struct drm_va *m)
{
    if (f->va_count == f->va_slots) {
        size_t slots = f->va_slots ? 2 * f->va_slots : 64;
        struct drm_va *more = realloc(f->va, slots * sizeof *more);

        if (!more)
            return false;
        f->va = more;
        f->va_slots = slots;
    }
    memmove(&f->va[i + 1], &f->va[i], (f->va_count - i) * sizeof *f->va);
    f->va[i] = *m;
    f->va_count++;
    return true;
}

static void erase(struct drm_file *f, size_t i)
{
    memmove(&f->va[i], &f->va[i + 1], (f->va_count - i - 1) * sizeof *f->va);
    f->va_count--;
}

/* Take a range away from the device and the capture. */
static void unmap(struct drm_file *f, const struct drm_va *m)
{
    if (!m->bo || !m->bo->host)
        return;
    drm_record_unmap(f, m->va, m->bytes);
    if (f->gpu)
        atoll_unmap(f->gpu, m->va, m->bytes);
}

int drm_va_clear(struct drm_file *f, uint64_t va, uint64_t bytes)
{
    const uint64_t end = va + bytes;

    for (size_t i = find(f, va); i < f->va_count && f->va[i].va < end;) {
        struct drm_va *m = &f->va[i], cut = *m, tail = *m;
        uint64_t m_end = m->va + m->bytes;

        if (m_end > end) {
            tail.va = end;
            tail.bytes = m_end - end;
            tail.offset += end - m->va;
            if (!insert(f, i + 1, &tail))
                return -ENOMEM;
            m = &f->va[i];
            m->bytes = end - m->va;
        }
        if (m->va < va)
            m->bytes = va - m->va;
        cut.va = MAX2(cut.va, va);
        cut.bytes = MIN2(m_end, end) - cut.va;
        unmap(f, &cut);
        if (m->va < va)
            i++;
        else
            erase(f, i);
    }
    return 0;
}

void drm_va_drop_bo(struct drm_file *f, const struct drm_bo *bo)
{
    for (size_t i = 0; i < f->va_count;) {
        if (f->va[i].bo != bo) {
            i++;
            continue;
        }
        unmap(f, &f->va[i]);
        erase(f, i);
    }
}

uint64_t drm_va_of(const struct drm_file *f, const struct drm_bo *bo, uint64_t offset)
{
    for (size_t i = 0; i < f->va_count; i++) {
        const struct drm_va *m = &f->va[i];

        if (m->bo == bo && offset >= m->offset && offset - m->offset < m->bytes)
            return m->va + (offset - m->offset);
    }
    return 0;
}

/* The device's rights of a mapping's flags. */
static unsigned rights(uint32_t flags)
{
    return (flags & AMDGPU_VM_PAGE_READABLE ? ATOLL_READ : 0) |
           (flags & AMDGPU_VM_PAGE_WRITEABLE ? ATOLL_WRITE : 0) |
           (flags & AMDGPU_VM_PAGE_EXECUTABLE ? ATOLL_EXECUTE : 0);
}

static int map(struct drm_file *f, const struct drm_va *m)
{
    struct atoll_gpu *gpu;
    size_t i = find(f, m->va);

    if (i < f->va_count && f->va[i].va < m->va + m->bytes)
        return -EINVAL;
    if (m->bo && m->bo->host) {
        gpu = drm_file_gpu(f);
        if (!gpu)
            return -ENOMEM;
        if (atoll_map_rights(gpu, m->va, m->bytes, m->bo->host + m->offset, rights(m->flags))) {
            drm_log(1, "GEM_VA: %s", atoll_error(gpu));
            return -EINVAL;
        }
    }
    if (!insert(f, i, m)) {
        if (m->bo && m->bo->host)
            atoll_unmap(f->gpu, m->va, m->bytes);
        return -ENOMEM;
    }
    drm_record_map(f, &f->va[i]);
    return 0;
}

int drm_va_op(struct drm_file *f, struct drm_amdgpu_gem_va *a)
{
    const uint32_t known = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE |
                           AMDGPU_VM_PAGE_EXECUTABLE | AMDGPU_VM_PAGE_PRT | AMDGPU_VM_MTYPE_MASK |
                           (1u << 9) /* NOALLOC, of newer headers */;
    const bool needs_bo = a->operation != AMDGPU_VA_OP_CLEAR && !(a->flags & AMDGPU_VM_PAGE_PRT);
    struct drm_va m = {
        .va = a->va_address & DRM_VA_MASK,
        .bytes = a->map_size,
        .offset = a->offset_in_bo,
        .bo = drm_bo_get(f, a->handle),
        .flags = a->flags,
    };
    size_t i;
    int rc;

    if (f->inherited)
        return -ENODEV;
    if ((a->va_address | a->map_size | a->offset_in_bo) & (DRM_PAGE_BYTES - 1) || !m.va ||
        m.bytes > DRM_VA_MASK + 1 - m.va || a->flags & ~known)
        return -EINVAL;
    if (needs_bo && !m.bo)
        return -ENOENT;
    if (!needs_bo)
        m.bo = NULL;
    switch (a->operation) {
    case AMDGPU_VA_OP_MAP:
    case AMDGPU_VA_OP_REPLACE:
        if (!m.bytes || (m.bo && (m.offset > m.bo->bytes || m.bytes > m.bo->bytes - m.offset)))
            return -EINVAL;
        if (!m.bo)
            drm_loud(0x60000, "partially resident memory (PRT) at 0x%llx: reads give 0 and writes go nowhere, "
                     "but both are reported as faults", (unsigned long long)m.va);
        if (a->operation == AMDGPU_VA_OP_REPLACE && (rc = drm_va_clear(f, m.va, m.bytes)))
            return rc;
        return map(f, &m);
    case AMDGPU_VA_OP_UNMAP:
        i = find(f, m.va);
        if (i == f->va_count || f->va[i].va != m.va || f->va[i].bo != m.bo)
            return -ENOENT;
        unmap(f, &f->va[i]);
        erase(f, i);
        return 0;
    case AMDGPU_VA_OP_CLEAR: return m.bytes ? drm_va_clear(f, m.va, m.bytes) : -EINVAL;
    }
    return -EINVAL;
}
