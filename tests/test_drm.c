/* The fake kernel device as a driver sees it, without a driver: files, ioctls, memory, submissions of
 * hand-built packets, fences, sharing between files and processes.
 *
 * tests/check-drm.sh runs it under `atoll run`; by itself it finds no device. */
#include "config.h"

#include "base/base.h"
#include "pm4/pm4.h"

#include <amdgpu_drm.h>
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NODE    "/dev/dri/renderD128"
#define PAGE    4096u
#define IB_VA   UINT64_C(0x100000000)
#define DATA_VA UINT64_C(0x200000000)

static const char *self; /* for exec */

/* ---- a driver in small ----------------------------------------------------------------------- */

/* errno of an ioctl, 0 when it went well. */
static int call(int fd, unsigned long request, void *arg)
{
    return ioctl(fd, request, arg) ? errno : 0;
}

static int open_device(void)
{
    int fd = open(NODE, O_RDWR | O_CLOEXEC);

    ck_assert_msg(fd >= 0, NODE ": %s (run under atoll run?)", strerror(errno));
    return fd;
}

static uint32_t bo_new(int fd, uint64_t bytes)
{
    union drm_amdgpu_gem_create c = {.in = {.bo_size = bytes, .alignment = PAGE,
                                            .domains = AMDGPU_GEM_DOMAIN_GTT}};

    ck_assert_int_eq(call(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &c), 0);
    ck_assert_uint_ne(c.out.handle, 0);
    return c.out.handle;
}

static int bo_close(int fd, uint32_t handle)
{
    return call(fd, DRM_IOCTL_GEM_CLOSE, &(struct drm_gem_close){.handle = handle});
}

static uint32_t *bo_map(int fd, uint32_t handle, uint64_t bytes)
{
    union drm_amdgpu_gem_mmap m = {.in = {.handle = handle}};
    uint32_t *p;

    ck_assert_int_eq(call(fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &m), 0);
    p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)m.out.addr_ptr);
    ck_assert_ptr_ne(p, MAP_FAILED);
    return p;
}

static int va_op(int fd, uint32_t op, uint32_t handle, uint64_t va, uint64_t offset, uint64_t bytes,
                 uint32_t flags)
{
    struct drm_amdgpu_gem_va a = {.handle = handle, .operation = op, .flags = flags, .va_address = va,
                                  .offset_in_bo = offset, .map_size = bytes};

    return call(fd, DRM_IOCTL_AMDGPU_GEM_VA, &a);
}

#define RWX (AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE)

static int va_map(int fd, uint32_t handle, uint64_t va, uint64_t bytes)
{
    return va_op(fd, AMDGPU_VA_OP_MAP, handle, va, 0, bytes, RWX);
}

static uint32_t ctx_new(int fd)
{
    union drm_amdgpu_ctx c = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};

    ck_assert_int_eq(call(fd, DRM_IOCTL_AMDGPU_CTX, &c), 0);
    return c.out.alloc.ctx_id;
}

static uint64_t ctx_state(int fd, uint32_t ctx)
{
    union drm_amdgpu_ctx c = {.in = {.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = ctx}};

    ck_assert_int_eq(call(fd, DRM_IOCTL_AMDGPU_CTX, &c), 0);
    return c.out.state.flags;
}

static uint32_t sync_new(int fd, uint32_t flags)
{
    struct drm_syncobj_create c = {.flags = flags};

    ck_assert_int_eq(call(fd, DRM_IOCTL_SYNCOBJ_CREATE, &c), 0);
    return c.handle;
}

static int64_t in_ns(int64_t ns)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + ns;
}

static int sync_wait(int fd, uint32_t handle, int64_t ns, uint32_t flags)
{
    struct drm_syncobj_wait w = {.handles = (uintptr_t)&handle, .count_handles = 1, .flags = flags,
                                 .timeout_nsec = in_ns(ns)};

    return call(fd, DRM_IOCTL_SYNCOBJ_WAIT, &w);
}

static int sync_wait_point(int fd, uint32_t handle, uint64_t point, int64_t ns, uint32_t flags)
{
    struct drm_syncobj_timeline_wait w = {.handles = (uintptr_t)&handle, .points = (uintptr_t)&point,
                                          .count_handles = 1, .flags = flags, .timeout_nsec = in_ns(ns)};

    return call(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w);
}

static int sync_signal_point(int fd, uint32_t handle, uint64_t point)
{
    struct drm_syncobj_timeline_array a = {.handles = (uintptr_t)&handle, .points = (uintptr_t)&point,
                                           .count_handles = 1};

    return call(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &a);
}

/* A device with a context, a page for IBs and a page for data. */
struct dev {
    int fd;
    uint32_t ctx, ib_bo, data_bo, n;
    uint32_t *ib, *data;
};

static void dev_open(struct dev *d)
{
    *d = (struct dev){.fd = open_device()};
    d->ctx = ctx_new(d->fd);
    d->ib_bo = bo_new(d->fd, PAGE);
    d->data_bo = bo_new(d->fd, PAGE);
    d->ib = bo_map(d->fd, d->ib_bo, PAGE);
    d->data = bo_map(d->fd, d->data_bo, PAGE);
    ck_assert_int_eq(va_map(d->fd, d->ib_bo, IB_VA, PAGE), 0);
    ck_assert_int_eq(va_map(d->fd, d->data_bo, DATA_VA, PAGE), 0);
}

/* WRITE_DATA of one dword. */
static void put_write(struct dev *d, uint64_t va, uint32_t value)
{
    const uint32_t body[] = {pm4_header(PM4_WRITE_DATA, 4, false),
                             pm4_put(PM4F_WRITE_CONTROL__DST_SEL, PM4V_WRITE_DST__MEM), (uint32_t)va,
                             (uint32_t)(va >> 32), value};

    memcpy(d->ib + d->n, body, sizeof body);
    d->n += ARRAY_LEN(body);
}

/* A wait for a value that nobody writes. */
static void put_wait(struct dev *d, uint64_t va, uint32_t value)
{
    const uint32_t memory_equal = 1u << 4 | 3;
    const uint32_t body[] = {pm4_header(PM4_WAIT_REG_MEM, 6, false), memory_equal, (uint32_t)va,
                             (uint32_t)(va >> 32), value, UINT32_MAX, 4};

    memcpy(d->ib + d->n, body, sizeof body);
    d->n += ARRAY_LEN(body);
}

/* Submit the IB with further chunks. Returns errno. */
static int submit_with(struct dev *d, const struct drm_amdgpu_cs_chunk *more, uint32_t count, uint64_t *seq)
{
    struct drm_amdgpu_cs_chunk_ib ib = {.va_start = IB_VA, .ib_bytes = 4 * d->n,
                                        .ip_type = AMDGPU_HW_IP_GFX};
    struct drm_amdgpu_cs_chunk chunk[8] = {
        {.chunk_id = AMDGPU_CHUNK_ID_IB, .length_dw = sizeof ib / 4, .chunk_data = (uintptr_t)&ib}};
    uint64_t pointer[8];
    union drm_amdgpu_cs cs = {.in = {.ctx_id = d->ctx, .num_chunks = 1 + count, .chunks = (uintptr_t)pointer}};
    int rc;

    for (uint32_t i = 0; i < count; i++)
        chunk[1 + i] = more[i];
    for (uint32_t i = 0; i < 8; i++)
        pointer[i] = (uintptr_t)&chunk[i];
    rc = call(d->fd, DRM_IOCTL_AMDGPU_CS, &cs);
    if (seq)
        *seq = cs.out.handle;
    d->n = 0;
    return rc;
}

static int submit(struct dev *d)
{
    return submit_with(d, NULL, 0, NULL);
}

static int wait_cs(struct dev *d, uint64_t seq)
{
    union drm_amdgpu_wait_cs w = {.in = {.handle = seq, .ip_type = AMDGPU_HW_IP_GFX, .ctx_id = d->ctx}};

    return call(d->fd, DRM_IOCTL_AMDGPU_WAIT_CS, &w);
}

/* ---- files ----------------------------------------------------------------------------------- */

START_TEST(paths)
{
    const dev_t render = makedev(226, 128);
    char text[200] = "", path[PATH_MAX];
    struct stat st;
    struct statx sx;
    unsigned seen = 0;
    struct dirent *e;
    DIR *dir = opendir("/dev/dri");
    FILE *f;
    int fd;

    ck_assert_ptr_nonnull(dir);
    while ((e = readdir(dir)))
        seen += !strcmp(e->d_name, "card0") || !strcmp(e->d_name, "renderD128");
    closedir(dir);
    ck_assert_uint_eq(seen, 2);
    ck_assert_int_eq(stat(NODE, &st), 0);
    ck_assert(S_ISCHR(st.st_mode) && st.st_rdev == render);
    ck_assert_int_eq(statx(AT_FDCWD, NODE, 0, STATX_ALL, &sx), 0);
    ck_assert(S_ISCHR(sx.stx_mode) && sx.stx_rdev_major == 226 && sx.stx_rdev_minor == 128);
    ck_assert_int_eq(access(NODE, R_OK | W_OK), 0);
    ck_assert_int_eq(stat("/dev/dri/card1", &st), -1);

    fd = open_device();
    ck_assert_int_eq(fstat(fd, &st), 0);
    ck_assert(S_ISCHR(st.st_mode) && st.st_rdev == render);
    ck_assert_int_eq(fstatat(fd, "", &st, AT_EMPTY_PATH), 0);
    ck_assert(S_ISCHR(st.st_mode));

    ck_assert_int_gt(readlink("/sys/dev/char/226:128/device/subsystem", text, sizeof text - 1), 0);
    ck_assert_str_eq(strrchr(text, '/'), "/pci");
    ck_assert_ptr_nonnull(realpath("/sys/dev/char/226:128/device", path));
    ck_assert_str_eq(path, "/sys/devices/pci0000:00/0000:01:00.0");
    f = fopen("/sys/dev/char/226:128/device/vendor", "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, f));
    fclose(f);
    ck_assert_str_eq(text, "0x1002\n");
    /* What is not ours is untouched. */
    ck_assert_int_eq(stat("/dev/null", &st), 0);
    ck_assert(st.st_rdev == makedev(1, 3));
    ck_assert_int_eq(call(STDERR_FILENO, DRM_IOCTL_VERSION, &(struct drm_version){0}), ENOTTY);
}
END_TEST

START_TEST(version_and_unknown)
{
    char name[20] = "";
    struct drm_version v = {.name = name, .name_len = sizeof name};
    uint64_t junk[64] = {0};
    int fd = open_device();

    ck_assert_int_eq(call(fd, DRM_IOCTL_VERSION, &v), 0);
    ck_assert_str_eq(name, "amdgpu");
    ck_assert_int_eq(v.version_major, 3);
    ck_assert_int_eq(call(fd, DRM_IOWR(0x9f, uint64_t), junk), EINVAL);
    /* A newer library's larger structure: by number. */
    ck_assert_int_eq(call(fd, _IOWR('d', 0x0c, uint64_t[8]), junk), EINVAL); /* capability 0 */
    junk[0] = DRM_CAP_SYNCOBJ;
    ck_assert_int_eq(call(fd, _IOWR('d', 0x0c, uint64_t[8]), junk), 0);
    ck_assert_uint_eq(junk[1], 1);
}
END_TEST

START_TEST(bad_pointers)
{
    uint64_t seq, pointers[2] = {0x10, 0xdead0000};
    struct drm_amdgpu_info info = {.return_pointer = 0xdead0000, .return_size = 64,
                                   .query = AMDGPU_INFO_DEV_INFO};
    struct drm_amdgpu_cs_chunk bad = {.chunk_id = AMDGPU_CHUNK_ID_FENCE, .length_dw = 2,
                                      .chunk_data = 0xdead0000};
    union drm_amdgpu_cs cs = {0};
    struct dev d;

    dev_open(&d);
    ck_assert_int_eq(call(d.fd, DRM_IOCTL_AMDGPU_INFO, NULL), EFAULT);
    ck_assert_int_eq(call(d.fd, DRM_IOCTL_AMDGPU_INFO, (void *)0xdead0000), EFAULT);
    ck_assert_int_eq(call(d.fd, DRM_IOCTL_AMDGPU_INFO, &info), EFAULT);
    put_write(&d, DATA_VA, 1);
    ck_assert_int_eq(submit_with(&d, &bad, 1, &seq), EFAULT);
    cs.in.ctx_id = d.ctx;
    cs.in.num_chunks = 2;
    cs.in.chunks = (uintptr_t)pointers;
    ck_assert_int_eq(call(d.fd, DRM_IOCTL_AMDGPU_CS, &cs), EFAULT);
    cs.in.num_chunks = UINT32_MAX;
    ck_assert_int_eq(call(d.fd, DRM_IOCTL_AMDGPU_CS, &cs), EINVAL);
    ck_assert_uint_eq(d.data[0], 0);
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

START_TEST(buffers)
{
    union drm_amdgpu_gem_create huge = {.in = {.bo_size = UINT64_C(1) << 50, .domains = 4}};
    int fd = open_device(), twin = dup(fd);
    uint32_t a = bo_new(fd, 3 * PAGE), b = bo_new(fd, 100);
    uint32_t *p = bo_map(fd, a, 3 * PAGE), *q = bo_map(twin, b, PAGE);

    for (unsigned i = 0; i < 3 * PAGE / 4; i++)
        ck_assert_uint_eq(p[i], 0);
    memset(p, 0xaa, 3 * PAGE);
    ck_assert_uint_eq(q[0], 0);
    ck_assert_ptr_eq(memcpy(q, p, 100), q);
    ck_assert_uint_eq(bo_map(fd, b, PAGE)[3], 0xaaaaaaaa);
    munmap(p, 3 * PAGE);
    ck_assert_int_eq(bo_close(fd, a), 0);
    ck_assert_int_eq(bo_close(fd, a), EINVAL);
    /* Whoever gets the memory next finds zeros. */
    p = bo_map(fd, bo_new(fd, 3 * PAGE), 3 * PAGE);
    for (unsigned i = 0; i < 3 * PAGE / 4; i++)
        ck_assert_uint_eq(p[i], 0);
    ck_assert_int_eq(call(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &huge), ENOMEM);
}
END_TEST

START_TEST(address_space)
{
    struct dev d;
    uint32_t bo;
    uint32_t *p;

    dev_open(&d);
    bo = bo_new(d.fd, 4 * PAGE);
    p = bo_map(d.fd, bo, 4 * PAGE);
    ck_assert_int_eq(va_map(d.fd, bo, DATA_VA, PAGE), EINVAL);                     /* taken */
    ck_assert_int_eq(va_map(d.fd, bo, DATA_VA + PAGE, 5 * PAGE), EINVAL);          /* larger than the BO */
    ck_assert_int_eq(va_map(d.fd, bo, DATA_VA + PAGE + 4, PAGE), EINVAL);          /* no page */
    ck_assert_int_eq(va_map(d.fd, 77, DATA_VA + PAGE, PAGE), ENOENT);
    ck_assert_int_eq(va_map(d.fd, bo, DATA_VA + PAGE, 4 * PAGE), 0);
    /* Take the second page out of the four and put another there. */
    ck_assert_int_eq(va_op(d.fd, AMDGPU_VA_OP_REPLACE, d.data_bo, DATA_VA + 2 * PAGE, 0, PAGE, RWX), 0);
    ck_assert_int_eq(va_op(d.fd, AMDGPU_VA_OP_CLEAR, 0, DATA_VA + 4 * PAGE, 0, PAGE, 0), 0);
    put_write(&d, DATA_VA + 1 * PAGE, 1);
    put_write(&d, DATA_VA + 2 * PAGE, 2);
    put_write(&d, DATA_VA + 3 * PAGE, 3);
    put_write(&d, DATA_VA + 4 * PAGE, 4); /* nowhere: a fault, which is no hang */
    ck_assert_int_eq(submit(&d), 0);
    ck_assert_uint_eq(p[0], 1);
    ck_assert_uint_eq(p[PAGE / 4], 0);
    ck_assert_uint_eq(p[2 * PAGE / 4], 3);
    ck_assert_uint_eq(p[3 * PAGE / 4], 0);
    ck_assert_uint_eq(d.data[0], 2);
    ck_assert_uint_eq(ctx_state(d.fd, d.ctx), 0);
    /* A mapping that may not be written. */
    ck_assert_int_eq(va_op(d.fd, AMDGPU_VA_OP_REPLACE, bo, DATA_VA + PAGE, 0, PAGE, AMDGPU_VM_PAGE_READABLE), 0);
    put_write(&d, DATA_VA + PAGE, 9);
    ck_assert_int_eq(submit(&d), 0);
    ck_assert_uint_eq(p[0], 1);
    /* Closing the buffer takes its mappings away. */
    ck_assert_int_eq(bo_close(d.fd, bo), 0);
    ck_assert_int_eq(va_map(d.fd, d.data_bo, DATA_VA + 3 * PAGE, PAGE), 0);
}
END_TEST

START_TEST(user_memory)
{
    uint32_t *mine = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct drm_amdgpu_gem_userptr u = {.addr = (uintptr_t)mine, .size = PAGE,
                                       .flags = AMDGPU_GEM_USERPTR_VALIDATE};
    struct dev d;

    dev_open(&d);
    ck_assert_int_eq(call(d.fd, DRM_IOCTL_AMDGPU_GEM_USERPTR, &u), 0);
    ck_assert_int_eq(va_map(d.fd, u.handle, DATA_VA + PAGE, PAGE), 0);
    put_write(&d, DATA_VA + PAGE + 8, 0x1234);
    ck_assert_int_eq(submit(&d), 0);
    ck_assert_uint_eq(mine[2], 0x1234);
    /* Gone under the GPU's feet: the submission lives. */
    munmap(mine, PAGE);
    put_write(&d, DATA_VA + PAGE + 8, 1);
    put_write(&d, DATA_VA, 2);
    ck_assert_int_eq(submit(&d), 0);
    ck_assert_uint_eq(d.data[0], 2);
}
END_TEST

START_TEST(metadata)
{
    struct drm_amdgpu_gem_metadata m = {.op = AMDGPU_GEM_METADATA_OP_SET_METADATA,
                                        .data = {.flags = 3, .tiling_info = 0x123456789,
                                                 .data_size_bytes = 8, .data = {5, 6}}};
    int fd = open_device();

    m.handle = bo_new(fd, PAGE);
    ck_assert_int_eq(call(fd, DRM_IOCTL_AMDGPU_GEM_METADATA, &m), 0);
    m = (struct drm_amdgpu_gem_metadata){.handle = m.handle, .op = AMDGPU_GEM_METADATA_OP_GET_METADATA};
    ck_assert_int_eq(call(fd, DRM_IOCTL_AMDGPU_GEM_METADATA, &m), 0);
    ck_assert_uint_eq(m.data.tiling_info, 0x123456789);
    ck_assert_uint_eq(m.data.data_size_bytes, 8);
    ck_assert_uint_eq(m.data.data[1], 6);
    m.op = AMDGPU_GEM_METADATA_OP_SET_METADATA;
    m.data.data_size_bytes = 1000;
    ck_assert_int_eq(call(fd, DRM_IOCTL_AMDGPU_GEM_METADATA, &m), EINVAL);
}
END_TEST

/* ---- submissions ------------------------------------------------------------------------------ */

START_TEST(fences)
{
    struct drm_amdgpu_cs_chunk_fence fence = {.offset = 64};
    struct drm_amdgpu_cs_chunk_sem sem;
    struct drm_amdgpu_cs_chunk_syncobj point = {.point = 7};
    struct drm_amdgpu_cs_chunk more[] = {
        {AMDGPU_CHUNK_ID_FENCE, sizeof fence / 4, (uintptr_t)&fence},
        {AMDGPU_CHUNK_ID_SYNCOBJ_OUT, sizeof sem / 4, (uintptr_t)&sem},
        {AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, sizeof point / 4, (uintptr_t)&point},
    };
    uint64_t seq = 0;
    struct dev d;

    dev_open(&d);
    fence.handle = d.data_bo;
    sem.handle = sync_new(d.fd, 0);
    point.handle = sync_new(d.fd, 0);
    ck_assert_int_eq(sync_wait(d.fd, sem.handle, 0, 0), EINVAL); /* nothing was submitted */
    put_write(&d, DATA_VA, 42);
    ck_assert_int_eq(submit_with(&d, more, 3, &seq), 0);
    ck_assert_uint_eq(seq, 1);
    ck_assert_uint_eq(d.data[0], 42);
    ck_assert_uint_eq(d.data[16], 1);
    ck_assert_int_eq(wait_cs(&d, 1), 0);
    ck_assert_int_eq(wait_cs(&d, UINT64_MAX), 0);
    ck_assert_int_eq(wait_cs(&d, 2), EINVAL);
    ck_assert_int_eq(sync_wait(d.fd, sem.handle, 0, 0), 0);
    ck_assert_int_eq(sync_wait_point(d.fd, point.handle, 7, 0, 0), 0);
    ck_assert_int_eq(sync_wait_point(d.fd, point.handle, 8, 0, 0), EINVAL);
    /* A fence outside its buffer; an object that does not exist. */
    fence.offset = PAGE - 4;
    put_write(&d, DATA_VA, 43);
    ck_assert_int_eq(submit_with(&d, more, 1, NULL), EINVAL);
    sem.handle = 999;
    put_write(&d, DATA_VA, 43);
    ck_assert_int_eq(submit_with(&d, more + 1, 1, NULL), ENOENT);
    ck_assert_uint_eq(d.data[0], 42);
    put_write(&d, DATA_VA, 44);
    ck_assert_int_eq(submit_with(&d, NULL, 0, &seq), 0);
    ck_assert_uint_eq(seq, 2);
}
END_TEST

START_TEST(hang_loses_the_context)
{
    struct dev d;
    uint32_t first;

    dev_open(&d);
    put_wait(&d, DATA_VA, 5);
    ck_assert_int_eq(submit(&d), 0);
    ck_assert_uint_eq(ctx_state(d.fd, d.ctx), AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY);
    ck_assert_int_eq(wait_cs(&d, 1), ECANCELED);
    put_write(&d, DATA_VA, 1);
    ck_assert_int_eq(submit(&d), ECANCELED);
    ck_assert_uint_eq(d.data[0], 0);
    first = d.ctx;
    d.ctx = ctx_new(d.fd);
    ck_assert_uint_ne(d.ctx, first);
    put_write(&d, DATA_VA, 1);
    ck_assert_int_eq(submit(&d), 0);
    ck_assert_uint_eq(d.data[0], 1);
}
END_TEST

/* A compute shader that branches to itself: the watchdog's. */
START_TEST(endless_shader)
{
    static const uint32_t dispatch[] = {
        0xc0027600, 0x20c, (uint32_t)((DATA_VA + PAGE) >> 8), 0, /* COMPUTE_PGM_LO, HI */
        0xc0027600, 0x212, 0, 0,                                 /* COMPUTE_PGM_RSRC1, 2 */
        0xc0037600, 0x207, 64, 1, 1,                             /* COMPUTE_NUM_THREAD_* */
        0xc0031500, 1, 1, 1, 1,                                  /* DISPATCH_DIRECT */
    };
    struct dev d;
    uint32_t code;

    dev_open(&d);
    code = bo_new(d.fd, PAGE);
    bo_map(d.fd, code, PAGE)[0] = 0xbf82ffff; /* s_branch to itself */
    ck_assert_int_eq(va_map(d.fd, code, DATA_VA + PAGE, PAGE), 0);
    memcpy(d.ib, dispatch, sizeof dispatch);
    d.n = ARRAY_LEN(dispatch);
    ck_assert_int_eq(submit(&d), 0);
    ck_assert(ctx_state(d.fd, d.ctx) & AMDGPU_CTX_QUERY2_FLAGS_GUILTY);
}
END_TEST

struct job {
    struct dev *d;
    uint32_t sync;
    int rc;
};

static void *wait_for_it(void *arg)
{
    struct job *j = arg;

    j->rc = sync_wait_point(j->d->fd, j->sync, 3, 20000000000, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT);
    return NULL;
}

/* A submission that waits for a point which another thread signals later. */
static void *submit_waiting(void *arg)
{
    struct job *j = arg;
    struct drm_amdgpu_cs_chunk_syncobj wait = {.handle = j->sync, .point = 2,
                                               .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT};
    struct drm_amdgpu_cs_chunk more = {AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, sizeof wait / 4, (uintptr_t)&wait};

    put_write(j->d, DATA_VA, 6);
    j->rc = submit_with(j->d, &more, 1, NULL);
    return NULL;
}

START_TEST(timelines_and_threads)
{
    struct drm_syncobj_transfer t = {0};
    struct dev d;
    struct job wait = {&d, 0, -1}, work = {&d, 0, -1};
    pthread_t thread[2];
    uint32_t plain;
    uint64_t reached = 0;
    struct drm_syncobj_timeline_array q = {.points = (uintptr_t)&reached, .count_handles = 1};

    dev_open(&d);
    wait.sync = work.sync = sync_new(d.fd, 0);
    q.handles = (uintptr_t)&wait.sync;
    ck_assert_int_eq(sync_wait_point(d.fd, wait.sync, 1, 1000000, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT), ETIME);
    ck_assert_int_eq(pthread_create(&thread[0], NULL, wait_for_it, &wait), 0);
    ck_assert_int_eq(pthread_create(&thread[1], NULL, submit_waiting, &work), 0);
    usleep(20000);
    ck_assert_uint_eq(d.data[0], 0);
    ck_assert_int_eq(sync_signal_point(d.fd, wait.sync, 2), 0);
    pthread_join(thread[1], NULL);
    ck_assert_int_eq(work.rc, 0);
    ck_assert_uint_eq(d.data[0], 6);
    ck_assert_int_eq(sync_signal_point(d.fd, wait.sync, 4), 0);
    pthread_join(thread[0], NULL);
    ck_assert_int_eq(wait.rc, 0);
    ck_assert_int_eq(call(d.fd, DRM_IOCTL_SYNCOBJ_QUERY, &q), 0);
    ck_assert_uint_eq(reached, 4);
    plain = sync_new(d.fd, 0);
    t.src_handle = wait.sync;
    t.src_point = 3;
    t.dst_handle = plain;
    ck_assert_int_eq(call(d.fd, DRM_IOCTL_SYNCOBJ_TRANSFER, &t), 0);
    ck_assert_int_eq(sync_wait(d.fd, plain, 0, 0), 0);
}
END_TEST

/* Threads with a context each, on one device file. */
static void *many_submissions(void *arg)
{
    struct job *j = arg;
    struct dev own = *j->d;
    uint32_t bo = bo_new(own.fd, PAGE);
    uint64_t va = IB_VA + (1 + j->sync) * UINT64_C(0x100000);
    struct drm_amdgpu_cs_chunk_ib ib = {.va_start = va, .ip_type = AMDGPU_HW_IP_GFX};
    struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_IB, sizeof ib / 4, (uintptr_t)&ib};
    uint64_t pointer = (uintptr_t)&chunk;

    own.ib = bo_map(own.fd, bo, PAGE);
    own.ctx = ctx_new(own.fd);
    j->rc = va_map(own.fd, bo, va, PAGE);
    for (uint32_t i = 1; i <= 200 && !j->rc; i++) {
        union drm_amdgpu_cs cs = {.in = {.ctx_id = own.ctx, .num_chunks = 1, .chunks = (uintptr_t)&pointer}};

        own.n = 0;
        put_write(&own, DATA_VA + 4 * j->sync, i);
        ib.ib_bytes = 4 * own.n;
        j->rc = call(own.fd, DRM_IOCTL_AMDGPU_CS, &cs);
        if (!j->rc && (cs.out.handle != i || own.data[j->sync] != i))
            j->rc = -1;
        bo_close(own.fd, bo_new(own.fd, 5 * PAGE));
    }
    return NULL;
}

START_TEST(threads)
{
    pthread_t thread[4];
    struct job job[4];
    struct dev d;

    dev_open(&d);
    for (uint32_t i = 0; i < 4; i++) {
        job[i] = (struct job){&d, i, -1};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, many_submissions, &job[i]), 0);
    }
    for (uint32_t i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_int_eq(job[i].rc, 0);
    }
}
END_TEST

/* ---- sharing ---------------------------------------------------------------------------------- */

static int export(int fd, uint32_t handle)
{
    struct drm_prime_handle p = {.handle = handle, .flags = DRM_RDWR};

    ck_assert_int_eq(call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
    return p.fd;
}

static uint32_t import(int fd, int dma_buf)
{
    struct drm_prime_handle p = {.fd = dma_buf};

    ck_assert_int_eq(call(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p), 0);
    return p.handle;
}

START_TEST(two_files)
{
    int a = open_device(), b = open_device(), dma_buf;
    uint32_t bo = bo_new(a, 2 * PAGE), here;
    uint32_t *p = bo_map(a, bo, 2 * PAGE), *q;

    /* Handles are of a file: the other knows none. */
    ck_assert_int_eq(bo_close(b, bo), EINVAL);
    dma_buf = export(a, bo);
    ck_assert_int_eq(lseek(dma_buf, 0, SEEK_END), 2 * PAGE);
    here = import(b, dma_buf);
    ck_assert_uint_eq(import(b, dma_buf), here);
    ck_assert_uint_eq(import(a, dma_buf), bo);
    q = bo_map(b, here, 2 * PAGE);
    p[5] = 123;
    ck_assert_uint_eq(q[5], 123);
    ck_assert_int_eq(bo_close(a, bo), 0);
    ck_assert_uint_eq(bo_map(b, here, 2 * PAGE)[5], 123);
    ck_assert_int_eq(call(b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &(struct drm_prime_handle){.fd = STDERR_FILENO}), EINVAL);
}
END_TEST

/* Parent and child with devices of their own; the child gets the descriptors over the fork. */
START_TEST(two_processes)
{
    struct drm_syncobj_handle h = {0};
    struct dev d;
    uint32_t shared;
    uint32_t *p;
    int dma_buf, status;
    pid_t pid;

    dev_open(&d);
    shared = bo_new(d.fd, PAGE);
    p = bo_map(d.fd, shared, PAGE);
    p[0] = 1;
    dma_buf = export(d.fd, shared);
    h.handle = sync_new(d.fd, 0);
    ck_assert_int_eq(call(d.fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), 0);
    pid = fork();
    if (!pid) {
        struct drm_syncobj_handle there = {.fd = h.fd};
        struct dev mine;
        uint32_t bo;

        dev_open(&mine);
        bo = import(mine.fd, dma_buf);
        if (bo_map(mine.fd, bo, PAGE)[0] != 1)
            _exit(10);
        /* The child's GPU writes what the parent reads. */
        if (va_map(mine.fd, bo, DATA_VA + PAGE, PAGE))
            _exit(11);
        put_write(&mine, DATA_VA + PAGE + 4, 77);
        put_write(&mine, DATA_VA, 5);
        if (submit(&mine) || mine.data[0] != 5)
            _exit(12);
        usleep(20000);
        if (call(mine.fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &there) || sync_signal_point(mine.fd, there.handle, 1))
            _exit(13);
        _exit(0);
    }
    ck_assert_int_eq(sync_wait_point(d.fd, h.handle, 1, 20000000000, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT), 0);
    ck_assert_uint_eq(p[1], 77);
    ck_assert_uint_eq(d.data[0], 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* What a child inherits is dead to it and stays whole for the parent. */
START_TEST(fork_safe)
{
    struct dev d;
    int status;
    pid_t pid;

    dev_open(&d);
    put_write(&d, DATA_VA, 1);
    ck_assert_int_eq(submit(&d), 0);
    pid = fork();
    if (!pid) {
        struct dev mine;

        put_write(&d, DATA_VA, 2);
        if (submit(&d) != ENODEV)
            _exit(10);
        bo_close(d.fd, d.data_bo);
        close(d.fd);
        dev_open(&mine);
        put_write(&mine, DATA_VA, 3);
        if (submit(&mine) || mine.data[0] != 3)
            _exit(11);
        exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_uint_eq(d.data[0], 1);
    put_write(&d, DATA_VA, 4);
    ck_assert_int_eq(submit(&d), 0);
    ck_assert_uint_eq(d.data[0], 4);
}
END_TEST

/* A device's descriptor that came over exec, as one that was passed over a socket: a device of one's own. */
START_TEST(descriptor_of_another_process)
{
    char number[20];
    struct dev d;
    int status;
    pid_t pid;

    dev_open(&d);
    fcntl(d.fd, F_SETFD, 0);
    snprintf(number, sizeof number, "%d", d.fd);
    pid = fork();
    if (!pid) {
        execl(self, self, "adopt", number, NULL);
        _exit(20);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    put_write(&d, DATA_VA, 4);
    ck_assert_int_eq(submit(&d), 0);
    ck_assert_uint_eq(d.data[0], 4);
}
END_TEST

static int adopted(int fd)
{
    union drm_amdgpu_gem_create c = {.in = {.bo_size = PAGE, .domains = AMDGPU_GEM_DOMAIN_GTT}};
    union drm_amdgpu_gem_mmap m = {0};
    struct stat st;
    uint32_t *p;

    if (fstat(fd, &st) || !S_ISCHR(st.st_mode))
        return 11;
    if (call(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &c))
        return 12;
    m.in.handle = c.out.handle;
    if (call(fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &m))
        return 13;
    p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)m.out.addr_ptr);
    if (p == MAP_FAILED || *p)
        return 14;
    *p = UINT32_MAX; /* the parent's data must not change */
    return 0;
}

/* For check-drm.sh: 300 submissions that count in memory, three of them with a buffer that comes and goes, a word on standard output, then status 3 or, with
 * "wait", nothing until somebody kills this. */
static bool count_and_wait;

START_TEST(counting)
{
    struct dev d;

    dev_open(&d);
    for (uint32_t i = 1; i <= 300; i++) {
        uint32_t passing = i % 100 ? 0 : bo_new(d.fd, PAGE);

        put_write(&d, DATA_VA, i);
        put_write(&d, DATA_VA + 4 * i, i);
        if (passing) {
            ck_assert_int_eq(va_map(d.fd, passing, DATA_VA + PAGE, PAGE), 0);
            put_write(&d, DATA_VA + PAGE + i, i);
        }
        ck_assert_int_eq(submit(&d), 0);
        ck_assert_uint_eq(d.data[0], i);
        if (passing)
            ck_assert_int_eq(bo_close(d.fd, passing), 0);
    }
    printf("submitted\n");
    fflush(stdout);
    while (count_and_wait)
        pause();
    exit(3);
}
END_TEST

int main(int argc, char **argv)
{
    Suite *s = suite_create("drm");
    TCase *tc = tcase_create("drm");
    SRunner *sr = srunner_create(s);
    int failed;

    self = argv[0];
    if (argc == 3 && !strcmp(argv[1], "adopt"))
        return adopted(atoi(argv[2]));
    if (argc >= 2 && !strcmp(argv[1], "count")) {
        count_and_wait = argc == 3;
        tcase_add_test(tc, counting);
        suite_add_tcase(s, tc);
        srunner_set_fork_status(sr, CK_NOFORK);
        srunner_run_all(sr, CK_SILENT);
        return EXIT_FAILURE;
    }
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, paths);
    tcase_add_test(tc, version_and_unknown);
    tcase_add_test(tc, bad_pointers);
    tcase_add_test(tc, buffers);
    tcase_add_test(tc, address_space);
    tcase_add_test(tc, user_memory);
    tcase_add_test(tc, metadata);
    tcase_add_test(tc, fences);
    tcase_add_test(tc, hang_loses_the_context);
    tcase_add_test(tc, endless_shader);
    tcase_add_test(tc, timelines_and_threads);
    tcase_add_test(tc, threads);
    tcase_add_test(tc, two_files);
    tcase_add_test(tc, two_processes);
    tcase_add_test(tc, fork_safe);
    tcase_add_test(tc, descriptor_of_another_process);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_ENV);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
