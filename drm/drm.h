/* drm: a fake amdgpu kernel device inside the program that uses it.
 *
 * libatoll-drm.so is preloaded into an unmodified program. It stands where the kernel would: /dev/dri, the
 * little of /sys that leads there, and the ioctls of the DRM core and of amdgpu. What a driver submits
 * runs on a device of emu/gpu.h in the same process. The kernel's interface is interposed rather than
 * libdrm's, so that the real libdrm keeps its address manager and newer ones keep working.
 *
 * Memory: one sparse memfd of the process holds all buffer objects; each is a range of it. An open device
 * file is another open file description of the same memfd, so mmap, dup and close of it work by
 * themselves; which device file it is, is in its file position, which dup and fork share with it
 * as they share a DRM file. Buffers of other processes lie in their memfds: the only mmap that is looked at
 * is one at an offset beyond our own memory.
 *
 * Time: a submission runs to its end inside the CS ioctl, in the order of the calls. So every fence that
 * exists has signalled, and waiting means waiting for a submission to be made.
 *
 *   preload.c  the interposed functions of the C library
 *   tree.c     paths: what is redirected, and the directory tree that stands for /sys and /dev/dri
 *   process.c  the one object that a process has; device files; fork and exit
 *   ioctl.c    the table of ioctls (ioctls.def) and the DRM core's small ones
 *   bo.c       buffer objects, their memory and sharing
 *   va.c       the GPU's address space
 *   cs.c       contexts, BO lists, submissions, fences
 *   sync.c     sync objects, sync files
 *   info.c     what the kernel tells about the chip
 *   record.c   captures of what is submitted
 *
 * Two locks. process.lock guards every table and is never held while the GPU runs; file.gpu_lock guards a
 * file's address space and its device. gpu_lock is taken before lock. Handlers return 0 or -errno, as
 * in the kernel.
 *
 * Facts: Linux 6.1 include/uapi/drm and drivers/gpu/drm (drm_ioctl.c, drm_syncobj.c, amdgpu_*.c). */
#ifndef ATOLL_DRM_DRM_H
#define ATOLL_DRM_DRM_H

#include "base/base.h"
#include "base/chip.h"
#include "emu/gpu.h"

#include <amdgpu_drm.h>
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/types.h>

#define DRM_PAGE_BYTES   UINT64_C(4096)
#define DRM_VA_MASK      ((UINT64_C(1) << 48) - 1)
#define DRM_MEMORY_BYTES (UINT64_C(1) << 40) /* of the memfd: sparse */
#define DRM_VRAM_BYTES   (UINT64_C(4) << 30) /* what the driver is told */
#define DRM_GTT_BYTES    (UINT64_C(4) << 30)
#define DRM_IMPORT_BASE  (UINT64_C(1) << 46) /* mmap offsets from here: memory of other processes */

#define DRM_MAJOR        226
#define DRM_MINOR_CARD   0
#define DRM_MINOR_RENDER 128

enum drm_node { DRM_NODE_NONE, DRM_NODE_CARD, DRM_NODE_RENDER };

#define DRM_IPS   3 /* GFX, COMPUTE, DMA: AMDGPU_HW_IP_* 0..2 */
#define DRM_RINGS 8

/* ---- buffer objects ---------------------------------------------------------------------- */

struct drm_bo {
    uint64_t id;              /* unique in the process; never 0 */
    unsigned refs;
    struct drm_bo *next;      /* of all in the process */
    uint64_t bytes;           /* whole pages */
    uint64_t asked_bytes, alignment;
    uint32_t domains;
    uint64_t flags;
    uint8_t *host;            /* NULL: GDS, GWS, OA: no memory */
    uint64_t mmap_offset;     /* also where it lies in the memfd, unless `foreign` */
    bool user;                /* the program's own memory */
    bool foreign;             /* of another process */
    bool shared;              /* was exported or named: its memory is never given back */
    int fd;                   /* foreign: its memfd; else -1 */
    uint64_t fd_offset;
    pid_t owner_pid;          /* foreign: whose, */
    uint64_t owner_id;        /*          and its id there */
    uint32_t name;            /* flink; 0: none */
    struct {
        uint64_t flags, tiling_info;
        uint32_t data_bytes, data[64];
    } meta;
};

/* A range of GPU addresses onto a range of a BO. */
struct drm_va {
    uint64_t va, bytes, offset;
    struct drm_bo *bo;
    uint32_t flags;  /* AMDGPU_VM_* */
    bool record_all; /* the next submission's capture has all of it, not what changed */
};

/* ---- sync objects ------------------------------------------------------------------------ */

/* The state of a sync object; on a page of a memfd once it was exported, so that processes share it. A
 * fence that is there has signalled. */
struct drm_sync_state {
    uint32_t fence;  /* there is one */
    uint32_t pad;
    uint64_t point;  /* of a timeline: reached */
};

struct drm_sync {
    unsigned refs;
    struct drm_sync_state *state; /* &own or a shared page */
    struct drm_sync_state own;
    int fd;                       /* of the shared page; -1: not shared */
};

/* ---- contexts ---------------------------------------------------------------------------- */

struct drm_hw_ctx {
    bool used, guilty;
    int32_t priority;
    uint32_t hangs, told_hangs, pstate; /* told_hangs: as QUERY_STATE last said */
    uint64_t seq[DRM_IPS][DRM_RINGS]; /* of the last submission; all up to it are done */
};

/* ---- device files ------------------------------------------------------------------------ */

/* A growing table of handles; handle h is slot h - 1. */
struct drm_table {
    void **slot;
    uint32_t count;
};

struct drm_file {
    struct drm_file *next;
    uint64_t id;
    enum drm_node node;
    bool inherited; /* came over a fork: the memory is the parent's */
    bool seen;      /* by the sweep */

    struct drm_table bos, syncs, lists; /* struct drm_bo *, struct drm_sync *, struct drm_handles * */
    struct drm_hw_ctx *ctx;
    uint32_t ctx_count;

    pthread_mutex_t gpu_lock;
    struct atoll_gpu *gpu; /* made when first needed */
    struct drm_va *va;     /* by address */
    size_t va_count, va_slots;
    struct drm_record *record;
    bool record_tried;
    uint64_t submissions, faults, hangs;
};

struct drm_handles {
    uint32_t count;
    uint32_t handle[];
};

/* ---- the process ------------------------------------------------------------------------- */

struct drm_extent {
    uint64_t at, bytes;
};

struct drm_process {
    pthread_mutex_t lock;
    pthread_cond_t signalled; /* a sync object of this process */
    const struct chip *chip;
    struct atoll_options gpu_options;
    int log;               /* ATOLL_LOG: 0 silent, 1 faults and what is not modelled, 2 submissions, 3 ioctls */
    const char *capture;   /* file to record to; NULL: none */
    char dir[PATH_MAX];    /* the generated tree; "" when it could not be made */
    bool own_dir;          /* nobody else removes it */
    struct loud *loud;

    int memfd;
    dev_t mem_dev;
    ino_t mem_ino;
    uint8_t *mem;
    struct drm_extent *free; /* by address */
    size_t free_count, free_slots;
    uint64_t import_top;     /* next mmap offset of a foreign BO */
    uint64_t domain_bytes[2]; /* in VRAM, in GTT */

    struct drm_file *files;
    struct drm_bo *bos;
    uint64_t next_file, next_bo;
    uint32_t next_name;
    uint64_t clock_start_ns;
};

/* The process's object, made on first use; NULL when that failed (said so once). */
struct drm_process *drm_process(void);
/* The same if it is there already: for paths that must stay cheap. */
struct drm_process *drm_process_if_made(void);

void drm_log(int level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void drm_loud(uint64_t key, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Open a device file. Returns a descriptor, or -1 with errno set. */
int drm_file_open(enum drm_node node, int flags);

/* The device file of a descriptor; NULL when it is none. Descriptors that came from another process become
 * files of this one. */
struct drm_file *drm_file_of(int fd);

/* The file's device, made on first use; gpu_lock held. NULL: out of memory. */
struct atoll_gpu *drm_file_gpu(struct drm_file *f);

/* Make a stat of a device file's descriptor or of a tree's device node look like a device's. */
void drm_stat_node(enum drm_node node, struct stat *st);

/* Copy from or to memory that the program named; -EFAULT when it is not there. */
int drm_copy_in(void *dst, uint64_t src, size_t bytes);
int drm_copy_out(uint64_t dst, const void *src, size_t bytes);

/* Handles. Add returns 0 when memory runs out; get NULL when there is none such. */
uint32_t drm_table_add(struct drm_table *t, void *what);
void *drm_table_get(const struct drm_table *t, uint32_t handle);
void *drm_table_take(struct drm_table *t, uint32_t handle);

/* ---- preload.c ------------------------------------------------------------------------------ */

/* The C library's own fstat(); ours looks at what a descriptor is. */
int drm_real_fstat(int fd, struct stat *st);

/* ---- tree.c ------------------------------------------------------------------------------ */

/* Where a path leads: itself, or `out` with the path in the tree. *node says whether it is one
 * of the device nodes. */
const char *drm_path(const char *path, char out[PATH_MAX], enum drm_node *node);
/* Undo that in what realpath() returned. */
void drm_path_strip(char *path);
/* Make the tree under p->dir. Returns 0 or -1 with *e set. */
int drm_tree_make(struct drm_process *p, struct err *e);
void drm_tree_remove(const char *dir);

/* ---- ioctls ------------------------------------------------------------------------------ */

/* An ioctl of type 'd' on a device file. Returns as ioctl() does. */
int drm_ioctl(struct drm_file *f, unsigned long request, void *arg);
/* Of type '>' (sync files) and 'b' (DMA buffers); *served is false when the descriptor is none of ours. */
int drm_sync_file_ioctl(int fd, unsigned long request, void *arg, bool *served);
int drm_dma_buf_ioctl(int fd, unsigned long request, void *arg, bool *served);

#define IOCTL(nr, name, fn, type, locks) int fn(struct drm_file *f, type *a);
#include "drm/ioctls.def"
#undef IOCTL

/* ---- bo.c -------------------------------------------------------------------------------- */

void drm_bo_unref(struct drm_process *p, struct drm_bo *bo);
struct drm_bo *drm_bo_get(const struct drm_file *f, uint32_t handle);
/* Drop the file's handle and mappings; both locks held. */
int drm_bo_close(struct drm_file *f, uint32_t handle);
/* Whether the pages of a user BO are still the program's. */
bool drm_bo_user_there(const struct drm_bo *bo, uint64_t offset, uint64_t bytes);
/* For mmap at an offset of a foreign BO: the descriptor and offset to use instead. */
bool drm_bo_foreign_mmap(uint64_t offset, size_t bytes, int *fd, uint64_t *fd_offset);

/* ---- va.c -------------------------------------------------------------------------------- */

/* Unmap everything in a range, or all ranges of a BO; gpu_lock held. */
int drm_va_clear(struct drm_file *f, uint64_t va, uint64_t bytes);
void drm_va_drop_bo(struct drm_file *f, const struct drm_bo *bo);
/* An address at which a byte of a BO is mapped; 0 when there is none. */
uint64_t drm_va_of(const struct drm_file *f, const struct drm_bo *bo, uint64_t offset);

/* ---- sync.c ------------------------------------------------------------------------------ */

/* Wait until the object has a fence (point 0) or has reached a point. `deadline_ns` is of CLOCK_MONOTONIC.
 * p->lock held; it is released while waiting. Returns 0 or -ETIME. */
int drm_sync_wait_for(struct drm_process *p, struct drm_sync *s, uint64_t point, int64_t deadline_ns);
void drm_sync_signal(struct drm_process *p, struct drm_sync *s, uint64_t point);
void drm_sync_unref(struct drm_sync *s);
int64_t drm_now_ns(void);
/* A new descriptor of a sync file that has signalled; -errno. */
int drm_sync_file_new(void);
/* The name that a descriptor of ours has in /proc/self/fd: true when it starts with `prefix`. */
bool drm_fd_is(int fd, const char *prefix);
#define DRM_FD_GPU     "/memfd:atoll-gpu"
#define DRM_FD_DMA_BUF "/memfd:atoll-dmabuf"
#define DRM_FD_SYNCOBJ "/memfd:atoll-syncobj"
#define DRM_FD_EVENT   "anon_inode:[eventfd]"

/* ---- record.c ---------------------------------------------------------------------------- */

/* All with gpu_lock held; f->record may be NULL, then they do nothing. */
void drm_record_map(struct drm_file *f, struct drm_va *m);
void drm_record_unmap(struct drm_file *f, uint64_t va, uint64_t bytes);
void drm_record_submit(struct drm_file *f, uint32_t ctx, const struct atoll_ib *ibs, unsigned count,
                       uint64_t fence_va, uint64_t fence_value);
void drm_record_end(struct drm_file *f);

#endif
