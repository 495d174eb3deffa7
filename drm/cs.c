/* Contexts, BO lists, submissions and their fences.
 *
 * A submission waits for what it depends on, runs to its end, and then signals: its sequence number (one
 * count for each context and ring), the user fence in memory, its sync objects. One that hangs makes its
 * context guilty, as a GPU reset would: later submissions to it are cancelled. Which buffers a submission
 * names does not matter, since all mapped memory is always resident; handles are checked, as the kernel
 * does. */
#include "config.h"

#include "drm/drm.h"

#include <errno.h>
#include <stdlib.h>

#define CHUNKS_MAX     1024
#define CHUNK_BYTES_MAX (1u << 24)
#define IB_DW_MAX      0xfffffu
#define CTX_MAX        4096
/* How long the kernel lets a submission wait for another to be made. */
#define SUBMIT_WAIT_NS INT64_C(5000000000)

/* ---- contexts -------------------------------------------------------------------------------- */

static struct drm_hw_ctx *ctx_get(const struct drm_file *f, uint32_t id)
{
    return id && id <= f->ctx_count && f->ctx[id - 1].used ? &f->ctx[id - 1] : NULL;
}

static int ctx_alloc(struct drm_file *f, int32_t priority, uint32_t *id)
{
    uint32_t i;

    if (f->inherited)
        return -ENODEV;
    for (i = 0; i < f->ctx_count && f->ctx[i].used; i++)
        ;
    if (i == f->ctx_count) {
        struct drm_hw_ctx *more;

        if (i >= CTX_MAX)
            return -ENOMEM;
        more = realloc(f->ctx, 2 * (i + 1) * sizeof *more);
        if (!more)
            return -ENOMEM;
        memset(more + i, 0, (2 * (i + 1) - i) * sizeof *more);
        f->ctx = more;
        f->ctx_count = 2 * (i + 1);
    }
    f->ctx[i] = (struct drm_hw_ctx){.used = true, .priority = priority};
    *id = i + 1;
    return 0;
}

int drm_ctx_op(struct drm_file *f, union drm_amdgpu_ctx *a)
{
    const struct drm_amdgpu_ctx_in in = a->in;
    struct drm_hw_ctx *c = ctx_get(f, in.ctx_id);
    uint32_t id;
    int rc;

    memset(&a->out, 0, sizeof a->out);
    if (in.op == AMDGPU_CTX_OP_ALLOC_CTX) {
        rc = ctx_alloc(f, in.priority, &id);
        if (!rc)
            a->out.alloc.ctx_id = id;
        return rc;
    }
    if (!c)
        return -EINVAL;
    switch (in.op) {
    case AMDGPU_CTX_OP_FREE_CTX: c->used = false; return 0;
    case AMDGPU_CTX_OP_QUERY_STATE:
        a->out.state.hangs = c->hangs;
        a->out.state.reset_status = c->hangs == c->told_hangs ? AMDGPU_CTX_NO_RESET : AMDGPU_CTX_GUILTY_RESET;
        c->told_hangs = c->hangs;
        return 0;
    case AMDGPU_CTX_OP_QUERY_STATE2:
        if (c->guilty)
            a->out.state.flags = AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY;
        return 0;
    case AMDGPU_CTX_OP_GET_STABLE_PSTATE: a->out.pstate.flags = c->pstate; return 0;
    case AMDGPU_CTX_OP_SET_STABLE_PSTATE: c->pstate = in.flags & AMDGPU_CTX_STABLE_PSTATE_FLAGS_MASK; return 0;
    }
    drm_loud(UINT64_C(0x90000) | in.op, "CTX operation %u: answered with EINVAL", in.op);
    return -EINVAL;
}

int drm_vm_op(struct drm_file *f, union drm_amdgpu_vm *a)
{
    a->out.flags = 0;
    return 0;
}

int drm_sched(struct drm_file *f, union drm_amdgpu_sched *a)
{
    return 0; /* priorities: there is one submission at a time */
}

/* ---- BO lists -------------------------------------------------------------------------------- */

/* Copy in and check a list. */
static int list_read(const struct drm_file *f, const struct drm_amdgpu_bo_list_in *in,
                     struct drm_handles **out)
{
    struct drm_handles *l;
    int rc = 0;

    *out = NULL;
    if (in->bo_info_size < sizeof(uint32_t) || in->bo_info_size > 4096 ||
        in->bo_number > CHUNK_BYTES_MAX / in->bo_info_size)
        return -EINVAL;
    l = malloc(sizeof *l + in->bo_number * sizeof l->handle[0]);
    if (!l)
        return -ENOMEM;
    l->count = in->bo_number;
    if (in->bo_info_size == sizeof(struct drm_amdgpu_bo_list_entry)) {
        struct drm_amdgpu_bo_list_entry *e = malloc((in->bo_number + 1) * sizeof *e);

        rc = e ? drm_copy_in(e, in->bo_info_ptr, in->bo_number * sizeof *e) : -ENOMEM;
        for (uint32_t i = 0; !rc && i < l->count; i++)
            l->handle[i] = e[i].bo_handle;
        free(e);
    } else {
        for (uint32_t i = 0; !rc && i < l->count; i++)
            rc = drm_copy_in(&l->handle[i], in->bo_info_ptr + (uint64_t)i * in->bo_info_size, 4);
    }
    for (uint32_t i = 0; !rc && i < l->count; i++)
        if (!drm_bo_get(f, l->handle[i]))
            rc = -ENOENT;
    if (rc) {
        free(l);
        return rc;
    }
    *out = l;
    return 0;
}

int drm_bo_list(struct drm_file *f, union drm_amdgpu_bo_list *a)
{
    const struct drm_amdgpu_bo_list_in in = a->in;
    struct drm_handles *l = NULL;
    int rc;

    memset(&a->out, 0, sizeof a->out);
    switch (in.operation) {
    case AMDGPU_BO_LIST_OP_CREATE:
        rc = list_read(f, &in, &l);
        if (rc)
            return rc;
        a->out.list_handle = drm_table_add(&f->lists, l);
        if (a->out.list_handle)
            return 0;
        free(l);
        return -ENOMEM;
    case AMDGPU_BO_LIST_OP_UPDATE:
        if (!drm_table_get(&f->lists, in.list_handle))
            return -ENOENT;
        rc = list_read(f, &in, &l);
        if (rc)
            return rc;
        free(f->lists.slot[in.list_handle - 1]);
        f->lists.slot[in.list_handle - 1] = l;
        a->out.list_handle = in.list_handle;
        return 0;
    case AMDGPU_BO_LIST_OP_DESTROY: free(drm_table_take(&f->lists, in.list_handle)); return 0;
    }
    return -EINVAL;
}

/* ---- a submission ---------------------------------------------------------------------------- */

struct cs {
    struct drm_file *f;
    struct drm_process *p;
    uint32_t ctx_id;
    unsigned ip, ring;      /* of all its IBs */
    struct atoll_ib ibs[CHUNKS_MAX];
    unsigned ib_count;
    bool any_ib;            /* also an empty one */
    struct drm_bo *fence_bo;
    uint64_t fence_offset;
    struct drm_amdgpu_cs_chunk chunk[CHUNKS_MAX];
    uint32_t chunk_count;
    void *data[CHUNKS_MAX]; /* of each chunk, copied */
};

/* The ring of an IB. False: none that is here. */
static bool ring_of(uint32_t ip_type, uint32_t flags, enum atoll_ring *ring)
{
    switch (ip_type) {
    case AMDGPU_HW_IP_GFX: *ring = flags & AMDGPU_IB_FLAG_CE ? ATOLL_RING_CE : ATOLL_RING_GFX; return true;
    case AMDGPU_HW_IP_COMPUTE: *ring = ATOLL_RING_COMPUTE; return true;
    case AMDGPU_HW_IP_DMA: *ring = ATOLL_RING_DMA; return true;
    }
    return false;
}

static int add_ib(struct cs *s, const struct drm_amdgpu_cs_chunk_ib *ib)
{
    enum atoll_ring ring;

    if (!ring_of(ib->ip_type, ib->flags, &ring)) {
        drm_loud(UINT64_C(0xa0000) | ib->ip_type, "a submission to engine %u (AMDGPU_HW_IP): refused", ib->ip_type);
        return -EINVAL;
    }
    if (ib->ip_instance || ib->ring >= DRM_RINGS || ib->ib_bytes / 4 > IB_DW_MAX || ib->va_start & 3)
        return -EINVAL;
    if (s->any_ib && (s->ip != ib->ip_type || s->ring != ib->ring))
        return -EINVAL;
    s->any_ib = true;
    s->ip = ib->ip_type;
    s->ring = ib->ring;
    if (ib->ib_bytes >= 4)
        s->ibs[s->ib_count++] = (struct atoll_ib){ring, ib->va_start & DRM_VA_MASK, ib->ib_bytes / 4};
    return 0;
}

/* Look at a chunk whose data is here. p->lock held. Waiting comes later. */
static int check_chunk(struct cs *s, uint32_t i)
{
    const struct drm_amdgpu_cs_chunk *c = &s->chunk[i];
    const size_t bytes = 4 * (size_t)c->length_dw;
    const void *data = s->data[i];
    struct drm_handles *l;
    int rc;

    switch (c->chunk_id) {
    case AMDGPU_CHUNK_ID_IB:
        return bytes < sizeof(struct drm_amdgpu_cs_chunk_ib) ? -EINVAL : add_ib(s, data);
    case AMDGPU_CHUNK_ID_FENCE: {
        const struct drm_amdgpu_cs_chunk_fence *fence = data;

        if (bytes < sizeof *fence)
            return -EINVAL;
        s->fence_bo = drm_bo_get(s->f, fence->handle);
        s->fence_offset = fence->offset;
        return s->fence_bo && s->fence_bo->host && !s->fence_bo->user && fence->offset % 8 == 0 &&
                       s->fence_bo->bytes >= 8 && fence->offset <= s->fence_bo->bytes - 8
                   ? 0 : -EINVAL;
    }
    case AMDGPU_CHUNK_ID_BO_HANDLES:
        if (bytes < sizeof(struct drm_amdgpu_bo_list_in))
            return -EINVAL;
        rc = list_read(s->f, data, &l);
        free(l);
        return rc;
    case AMDGPU_CHUNK_ID_DEPENDENCIES:
    case AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES:
    case AMDGPU_CHUNK_ID_SYNCOBJ_IN:
    case AMDGPU_CHUNK_ID_SYNCOBJ_OUT:
    case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT:
    case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL: return 0;
    }
    drm_loud(UINT64_C(0xb0000) | c->chunk_id, "a submission with chunk %u: refused", c->chunk_id);
    return -EINVAL;
}

static struct drm_sync *sync_get(const struct cs *s, uint32_t handle)
{
    return drm_table_get(&s->f->syncs, handle);
}

/* Fences of submissions of this file: those that were made are done. */
static int check_fences(const struct cs *s, const struct drm_amdgpu_cs_chunk_dep *d, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!ctx_get(s->f, d[i].ctx_id) || d[i].ip_type >= DRM_IPS || d[i].ring >= DRM_RINGS)
            return -EINVAL;
    return 0;
}

/* Wait for the sync objects of a chunk. p->lock held; released while waiting. */
static int wait_chunk(struct cs *s, uint32_t i)
{
    const int64_t deadline = drm_now_ns() + SUBMIT_WAIT_NS;
    const size_t bytes = 4 * (size_t)s->chunk[i].length_dw;
    int rc = 0;

    switch (s->chunk[i].chunk_id) {
    case AMDGPU_CHUNK_ID_DEPENDENCIES:
    case AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES:
        return check_fences(s, s->data[i], bytes / sizeof(struct drm_amdgpu_cs_chunk_dep));
    case AMDGPU_CHUNK_ID_SYNCOBJ_IN: {
        const struct drm_amdgpu_cs_chunk_sem *sem = s->data[i];

        for (size_t k = 0; !rc && k < bytes / sizeof *sem; k++) {
            struct drm_sync *o = sync_get(s, sem[k].handle);

            rc = o ? drm_sync_wait_for(s->p, o, 0, 0) ? -EINVAL : 0 : -ENOENT;
        }
        return rc;
    }
    case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT: {
        const struct drm_amdgpu_cs_chunk_syncobj *t = s->data[i];

        for (size_t k = 0; !rc && k < bytes / sizeof *t; k++) {
            struct drm_sync *o = sync_get(s, t[k].handle);
            bool wait = t[k].flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;

            rc = o ? drm_sync_wait_for(s->p, o, t[k].point, wait ? deadline : 0) : -ENOENT;
            if (rc == -ETIME && !wait)
                rc = -EINVAL;
        }
        return rc;
    }
    }
    return 0;
}

/* Check the sync objects that a chunk will signal, or signal them. p->lock held. */
static int signal_chunk(struct cs *s, uint32_t i, bool only_check)
{
    const size_t bytes = 4 * (size_t)s->chunk[i].length_dw;
    const struct drm_amdgpu_cs_chunk_sem *sem = s->data[i];
    const struct drm_amdgpu_cs_chunk_syncobj *t = s->data[i];
    const bool timeline = s->chunk[i].chunk_id == AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL;
    size_t count = bytes / (timeline ? sizeof *t : sizeof *sem);

    if (!timeline && s->chunk[i].chunk_id != AMDGPU_CHUNK_ID_SYNCOBJ_OUT)
        return 0;
    for (size_t k = 0; k < count; k++) {
        struct drm_sync *o = sync_get(s, timeline ? t[k].handle : sem[k].handle);

        if (!o && only_check)
            return -ENOENT;
        if (o && !only_check)
            drm_sync_signal(s->p, o, timeline ? t[k].point : 0);
    }
    return 0;
}

/* Everything before it may run. p->lock held. */
static int prepare(struct cs *s)
{
    int rc = 0;

    for (uint32_t i = 0; !rc && i < s->chunk_count; i++)
        rc = check_chunk(s, i);
    for (uint32_t i = 0; !rc && i < s->chunk_count; i++)
        rc = signal_chunk(s, i, true);
    for (uint32_t i = 0; !rc && i < s->chunk_count; i++)
        rc = wait_chunk(s, i);
    if (!rc && !s->any_ib)
        rc = -EINVAL;
    return rc;
}

/* User memory that went away must not be touched: it leaves the address space. gpu_lock held. */
static void drop_lost_user_memory(struct drm_file *f)
{
    for (size_t i = 0; i < f->va_count; i++) {
        const struct drm_va m = f->va[i];

        if (!m.bo || !m.bo->user || drm_bo_user_there(m.bo, m.offset, m.bytes))
            continue;
        drm_log(1, "the program took away memory that the GPU still maps at 0x%llx", (unsigned long long)m.va);
        drm_va_clear(f, m.va, m.bytes);
        i--;
    }
}

/* Run it. gpu_lock held. Returns whether it hung. */
static bool execute(struct cs *s, uint64_t seq)
{
    struct drm_file *f = s->f;
    struct atoll_gpu *gpu = f->gpu;
    uint64_t fence_va = s->fence_bo ? drm_va_of(f, s->fence_bo, s->fence_offset) : 0;
    bool hung = false;
    int rc;

    drop_lost_user_memory(f);
    drm_record_submit(f, s->ctx_id, s->ibs, s->ib_count, fence_va, seq);
    rc = atoll_submit(gpu, s->ibs, s->ib_count);
    if (rc) {
        hung = rc < 0 || atoll_hung(gpu);
        f->faults++;
        f->hangs += hung;
        /* The device has said what the guest did wrong. */
        if (rc < 0)
            drm_log(1, "submission %llu cannot be executed: %s", (unsigned long long)f->submissions, atoll_error(gpu));
        if (hung)
            drm_log(1, "submission %llu hung: context %u is lost", (unsigned long long)f->submissions, s->ctx_id);
    }
    drm_log(2, "submission %llu: context %u, ring %u.%u, %u IBs, first 0x%llx, %u dwords",
            (unsigned long long)f->submissions, s->ctx_id, s->ip, s->ring, s->ib_count,
            (unsigned long long)s->ibs[0].va, s->ibs[0].size_dw);
    f->submissions++;
    if (s->fence_bo)
        store_le64(s->fence_bo->host + s->fence_offset, seq);
    return hung;
}

static int submit(struct cs *s, uint64_t *seq)
{
    struct drm_hw_ctx *c;
    bool hung;
    int rc;

    pthread_mutex_lock(&s->p->lock);
    c = ctx_get(s->f, s->ctx_id);
    rc = !c ? -EINVAL : c->guilty ? -ECANCELED : prepare(s);
    c = ctx_get(s->f, s->ctx_id); /* others may have moved the table while this waited */
    if (!rc && !c)
        rc = -EINVAL;
    if (!rc) {
        if (s->fence_bo)
            s->fence_bo->refs++;
        *seq = c->seq[s->ip][s->ring] + 1;
    }
    pthread_mutex_unlock(&s->p->lock);
    if (rc)
        return rc;
    if (!drm_file_gpu(s->f))
        return -ENOMEM;

    hung = execute(s, *seq);

    pthread_mutex_lock(&s->p->lock);
    c = ctx_get(s->f, s->ctx_id);
    if (c) {
        c->seq[s->ip][s->ring] = *seq;
        c->hangs += hung;
        c->guilty |= hung;
    }
    for (uint32_t i = 0; i < s->chunk_count; i++)
        signal_chunk(s, i, false);
    if (s->fence_bo)
        drm_bo_unref(s->p, s->fence_bo);
    pthread_cond_broadcast(&s->p->signalled);
    pthread_mutex_unlock(&s->p->lock);
    return 0;
}

static int read_chunks(struct cs *s, const struct drm_amdgpu_cs_in *in)
{
    uint64_t pointers[CHUNKS_MAX];
    int rc = 0;

    if (!in->num_chunks || in->num_chunks > CHUNKS_MAX)
        return -EINVAL;
    rc = drm_copy_in(pointers, in->chunks, in->num_chunks * sizeof pointers[0]);
    for (uint32_t i = 0; !rc && i < in->num_chunks; i++) {
        struct drm_amdgpu_cs_chunk *c = &s->chunk[i];
        size_t bytes;

        rc = drm_copy_in(c, pointers[i], sizeof *c);
        bytes = 4 * (size_t)c->length_dw;
        if (!rc && bytes > CHUNK_BYTES_MAX)
            rc = -EINVAL;
        if (rc)
            break;
        s->data[i] = malloc(bytes + 8);
        rc = s->data[i] ? drm_copy_in(s->data[i], c->chunk_data, bytes) : -ENOMEM;
        s->chunk_count = i + 1;
    }
    return rc;
}

int drm_cs(struct drm_file *f, union drm_amdgpu_cs *a)
{
    const struct drm_amdgpu_cs_in in = a->in;
    struct cs *s;
    uint64_t seq = 0;
    int rc;

    if (f->inherited)
        return -ENODEV;
    s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->f = f;
    s->p = drm_process();
    s->ctx_id = in.ctx_id;
    rc = read_chunks(s, &in);
    if (!rc)
        rc = submit(s, &seq);
    for (uint32_t i = 0; i < s->chunk_count; i++)
        free(s->data[i]);
    free(s);
    if (!rc)
        a->out.handle = seq;
    return rc;
}

/* ---- fences ---------------------------------------------------------------------------------- */

/* The last number of a ring; false when there is no such ring or context. */
static bool last_seq(const struct drm_file *f, uint32_t ctx, uint32_t ip, uint32_t instance, uint32_t ring,
                     const struct drm_hw_ctx **c, uint64_t *seq)
{
    *c = ctx_get(f, ctx);
    if (!*c || ip >= DRM_IPS || instance || ring >= DRM_RINGS)
        return false;
    *seq = (*c)->seq[ip][ring];
    return true;
}

int drm_wait_cs(struct drm_file *f, union drm_amdgpu_wait_cs *a)
{
    const struct drm_amdgpu_wait_cs_in in = a->in;
    const struct drm_hw_ctx *c;
    uint64_t last;

    memset(a, 0, sizeof *a);
    if (!last_seq(f, in.ctx_id, in.ip_type, in.ip_instance, in.ring, &c, &last) ||
        (in.handle > last && in.handle != UINT64_MAX))
        return -EINVAL;
    return c->guilty ? -ECANCELED : 0;
}

int drm_wait_fences(struct drm_file *f, union drm_amdgpu_wait_fences *a)
{
    const struct drm_amdgpu_wait_fences_in in = a->in;
    const struct drm_hw_ctx *c;
    uint64_t last;
    int rc;

    memset(a, 0, sizeof *a);
    if (!in.fence_count || in.fence_count > CHUNKS_MAX)
        return -EINVAL;
    for (uint32_t i = 0; i < in.fence_count; i++) {
        struct drm_amdgpu_fence x;

        rc = drm_copy_in(&x, in.fences + i * sizeof x, sizeof x);
        if (rc)
            return rc;
        if (!last_seq(f, x.ctx_id, x.ip_type, x.ip_instance, x.ring, &c, &last) || x.seq_no > last)
            return -EINVAL;
        if (c->guilty)
            return -ECANCELED;
    }
    a->out.status = 1;
    return 0;
}

int drm_fence_to_handle(struct drm_file *f, union drm_amdgpu_fence_to_handle *a)
{
    const struct drm_amdgpu_fence x = a->in.fence;
    const uint32_t what = a->in.what;
    struct drm_syncobj_create create = {.flags = DRM_SYNCOBJ_CREATE_SIGNALED};
    struct drm_syncobj_handle export = {0};
    struct drm_syncobj_destroy destroy = {0};
    const struct drm_hw_ctx *c;
    uint64_t last;
    int rc;

    if (!last_seq(f, x.ctx_id, x.ip_type, x.ip_instance, x.ring, &c, &last) || x.seq_no > last)
        return -EINVAL;
    memset(a, 0, sizeof *a);
    switch (what) {
    case AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD:
        rc = drm_sync_file_new();
        if (rc < 0)
            return rc;
        a->out.handle = (uint32_t)rc;
        return 0;
    case AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ:
    case AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD:
        rc = drm_sync_create(f, &create);
        a->out.handle = create.handle;
        if (rc || what == AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ)
            return rc;
        export.handle = destroy.handle = create.handle;
        rc = drm_sync_to_fd(f, &export);
        drm_sync_destroy(f, &destroy);
        a->out.handle = (uint32_t)export.fd;
        return rc;
    }
    return -EINVAL;
}
