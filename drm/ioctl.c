/* The table of ioctls, and those of the DRM core that need no more than an answer. */
#include "config.h"

#include "drm/drm.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Linux 6.1's amdgpu. */
#define VERSION_MAJOR 3
#define VERSION_MINOR 49
#define VERSION_DATE  "20150101"

#define ARGUMENT_MAX 512 /* the largest structure is drm_amdgpu_gem_metadata */

enum locks { NONE, TABLE, GPU, CS };

struct row {
    const char *name;
    int (*fn)(struct drm_file *f, void *argument);
    uint32_t bytes;
    enum locks locks;
};

/* The handlers have arguments of their own types: one function of one type calls each. */
#define IOCTL(nr, name, fn, type, locks)                                                       \
    _Static_assert(sizeof(type) <= ARGUMENT_MAX, "room for " #type);                            \
    static int call_##fn(struct drm_file *f, void *argument)                                   \
    {                                                                                          \
        return fn(f, argument);                                                                \
    }
#include "drm/ioctls.def"
#undef IOCTL

static const struct row rows[256] = {
#define IOCTL(nr, name, fn, type, locks) [nr] = {#name, call_##fn, sizeof(type), locks},
#include "drm/ioctls.def"
#undef IOCTL
};

static int run(struct drm_process *p, struct drm_file *f, const struct row *r, void *argument)
{
    int rc;

    if (r->locks == GPU || r->locks == CS)
        pthread_mutex_lock(&f->gpu_lock);
    if (r->locks == GPU || r->locks == TABLE)
        pthread_mutex_lock(&p->lock);
    rc = r->fn(f, argument);
    if (r->locks == GPU || r->locks == TABLE)
        pthread_mutex_unlock(&p->lock);
    if (r->locks == GPU || r->locks == CS)
        pthread_mutex_unlock(&f->gpu_lock);
    return rc;
}

int drm_ioctl(struct drm_file *f, unsigned long request, void *arg)
{
    struct drm_process *p = drm_process();
    unsigned nr = _IOC_NR(request);
    const struct row *r = &rows[nr];
    uint64_t argument[ARGUMENT_MAX / 8] = {0};
    size_t bytes = MIN2(_IOC_SIZE(request), r->bytes);
    int rc;

    if (!r->fn) {
        drm_loud(UINT64_C(0x10000) | nr, "DRM ioctl 0x%02x (%u bytes): answered with EINVAL", nr,
                 (unsigned)_IOC_SIZE(request));
        errno = EINVAL;
        return -1;
    }
    rc = bytes ? drm_copy_in(argument, (uintptr_t)arg, bytes) : 0;
    if (!rc)
        rc = run(p, f, r, argument);
    /* As the kernel does: also after a failure, since waits tell what they got as far as. */
    if (bytes && _IOC_DIR(request) & _IOC_READ && rc != -EFAULT)
        drm_copy_out((uintptr_t)arg, argument, bytes);
    drm_log(3, "%s: %d", r->name, rc);
    if (rc >= 0)
        return rc;
    errno = -rc;
    return -1;
}

/* ---- answers ------------------------------------------------------------------------------- */

/* A string for which the program names room and length, as VERSION and GET_UNIQUE do. */
static int put_string(char *to, size_t room, const char *text)
{
    size_t n = MIN2(room, strlen(text));

    return to && n ? drm_copy_out((uintptr_t)to, text, n) : 0;
}

int drm_version(struct drm_file *f, struct drm_version *a)
{
    static const char name[] = "amdgpu", date[] = VERSION_DATE, desc[] = "AMD GPU";
    int rc;

    a->version_major = VERSION_MAJOR;
    a->version_minor = VERSION_MINOR;
    a->version_patchlevel = 0;
    rc = put_string(a->name, a->name_len, name);
    if (!rc)
        rc = put_string(a->date, a->date_len, date);
    if (!rc)
        rc = put_string(a->desc, a->desc_len, desc);
    a->name_len = sizeof name - 1;
    a->date_len = sizeof date - 1;
    a->desc_len = sizeof desc - 1;
    return rc;
}

int drm_get_unique(struct drm_file *f, struct drm_unique *a)
{
    static const char unique[] = "pci:0000:01:00.0";
    int rc = put_string(a->unique, a->unique_len, unique);

    a->unique_len = sizeof unique - 1;
    return rc;
}

/* Only the caller is told about. */
int drm_get_client(struct drm_file *f, struct drm_client *a)
{
    if (a->idx)
        return -EINVAL;
    a->auth = 1;
    a->pid = (unsigned long)getpid();
    a->uid = a->magic = a->iocs = 0;
    return 0;
}

int drm_get_magic(struct drm_file *f, struct drm_auth *a)
{
    a->magic = (drm_magic_t)f->id;
    return 0;
}

int drm_auth_magic(struct drm_file *f, struct drm_auth *a)
{
    return 0;
}

int drm_set_version(struct drm_file *f, struct drm_set_version *a)
{
    a->drm_di_major = 1;
    a->drm_di_minor = 4;
    a->drm_dd_major = VERSION_MAJOR;
    a->drm_dd_minor = VERSION_MINOR;
    return 0;
}

int drm_set_master(struct drm_file *f, struct drm_auth *a)
{
    return f->node == DRM_NODE_CARD ? 0 : -EACCES;
}

int drm_drop_master(struct drm_file *f, struct drm_auth *a)
{
    return f->node == DRM_NODE_CARD ? 0 : -EACCES;
}

int drm_get_cap(struct drm_file *f, struct drm_get_cap *a)
{
    switch (a->capability) {
    case DRM_CAP_PRIME: a->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT; return 0;
    case DRM_CAP_TIMESTAMP_MONOTONIC: a->value = 1; return 0;
    case DRM_CAP_SYNCOBJ: a->value = 1; return 0;
    case DRM_CAP_SYNCOBJ_TIMELINE: a->value = 1; return 0;
    case DRM_CAP_VBLANK_HIGH_CRTC: a->value = 1; return 0;
    /* There is no display. */
    case DRM_CAP_DUMB_BUFFER:
    case DRM_CAP_DUMB_PREFERRED_DEPTH:
    case DRM_CAP_DUMB_PREFER_SHADOW:
    case DRM_CAP_ASYNC_PAGE_FLIP:
    case DRM_CAP_CURSOR_WIDTH:
    case DRM_CAP_CURSOR_HEIGHT:
    case DRM_CAP_ADDFB2_MODIFIERS:
    case DRM_CAP_PAGE_FLIP_TARGET:
    case DRM_CAP_CRTC_IN_VBLANK_EVENT: a->value = 0; return 0;
    }
    drm_loud(UINT64_C(0x20000) | a->capability, "DRM capability 0x%llx: answered with EINVAL",
             (unsigned long long)a->capability);
    return -EINVAL;
}

int drm_set_client_cap(struct drm_file *f, struct drm_set_client_cap *a)
{
    return f->node == DRM_NODE_CARD ? -EOPNOTSUPP : -EACCES;
}

/* A card without connectors, for programs that look for one with. */
int drm_mode_resources(struct drm_file *f, struct drm_mode_card_res *a)
{
    if (f->node != DRM_NODE_CARD)
        return -EACCES;
    a->count_fbs = a->count_crtcs = a->count_connectors = a->count_encoders = 0;
    a->min_width = a->min_height = 0;
    a->max_width = a->max_height = 16384;
    return 0;
}

int drm_mode_planes(struct drm_file *f, struct drm_mode_get_plane_res *a)
{
    if (f->node != DRM_NODE_CARD)
        return -EACCES;
    a->count_planes = 0;
    return 0;
}
