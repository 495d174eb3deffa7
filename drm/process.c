/* The one object that a process has, its device files, and what happens at fork and exit.
 *
 * The library lives in somebody else's program and is entered through interposed functions, so this is
 * the one place of the project with a global: a pointer to everything else.
 *
 * How a descriptor is known: its inode is that of our memfd, and its file position, which open file
 * descriptions have one of, is FILE_TAG plus the number of the device file. Nobody reads or seeks a DRM
 * descriptor. A device file whose descriptors were all closed is noticed at the next open. */
#include "config.h"

#include "drm/drm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define FILE_TAG (UINT64_C(1) << 42) /* above every offset of the memfd */
#define WATCHDOG_INSTS (UINT64_C(1) << 28)

static struct drm_process *the_process; /* see above */
static pthread_once_t made = PTHREAD_ONCE_INIT;

/* ---- messages ------------------------------------------------------------------------------ */

void drm_log(int level, const char *fmt, ...)
{
    const struct drm_process *p = drm_process_if_made();
    char text[600];
    va_list ap;

    if (p && p->log < level)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "atoll: %s\n", text);
}

void drm_loud(uint64_t key, const char *fmt, ...)
{
    struct drm_process *p = drm_process_if_made();
    char text[400];
    va_list ap;

    if (!p)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    loud_report(p->loud, LOUD_OTHER, key, "%s", text);
}

int64_t drm_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- the program's memory ------------------------------------------------------------------ */

/* Bad pointers in arguments are an error of the program's that the kernel survives, and so do we. */
static int copy(void *here, uint64_t there, size_t bytes, bool out)
{
    struct iovec local = {here, bytes}, remote = {(void *)(uintptr_t)there, bytes};
    ssize_t n;

    if (!bytes)
        return 0;
    if (there < DRM_PAGE_BYTES)
        return -EFAULT;
    n = out ? process_vm_writev(getpid(), &local, 1, &remote, 1, 0)
            : process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (n == (ssize_t)bytes)
        return 0;
    if (n >= 0 || errno == EFAULT)
        return -EFAULT;
    /* The system call is not to be had (a sandbox): trust the pointer. */
    if (out)
        memcpy((void *)(uintptr_t)there, here, bytes);
    else
        memcpy(here, (const void *)(uintptr_t)there, bytes);
    return 0;
}

int drm_copy_in(void *dst, uint64_t src, size_t bytes)
{
    return copy(dst, src, bytes, false);
}

int drm_copy_out(uint64_t dst, const void *src, size_t bytes)
{
    return copy((void *)(uintptr_t)src, dst, bytes, true);
}

/* ---- handles ------------------------------------------------------------------------------- */

uint32_t drm_table_add(struct drm_table *t, void *what)
{
    uint32_t i, count;
    void **slot;

    for (i = 0; i < t->count && t->slot[i]; i++)
        ;
    if (i == t->count) {
        count = t->count ? 2 * t->count : 64;
        slot = realloc(t->slot, count * sizeof *slot);
        if (!slot)
            return 0;
        memset(slot + t->count, 0, (count - t->count) * sizeof *slot);
        t->slot = slot;
        t->count = count;
    }
    t->slot[i] = what;
    return i + 1;
}

void *drm_table_get(const struct drm_table *t, uint32_t handle)
{
    return handle && handle <= t->count ? t->slot[handle - 1] : NULL;
}

void *drm_table_take(struct drm_table *t, uint32_t handle)
{
    void *what = drm_table_get(t, handle);

    if (what)
        t->slot[handle - 1] = NULL;
    return what;
}

/* ---- making -------------------------------------------------------------------------------- */

static uint64_t env_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    char *end;
    unsigned long long v;

    if (!text || !*text)
        return otherwise;
    errno = 0;
    v = strtoull(text, &end, 0);
    if (!errno && !*end)
        return v;
    fprintf(stderr, "atoll: %s=%s is no number; it is ignored\n", name, text);
    return otherwise;
}

/* The memory of a process that shares nothing yet. */
static int make_memory(struct drm_process *p, struct err *e)
{
    struct stat st;

    p->memfd = memfd_create("atoll-gpu", MFD_CLOEXEC);
    if (p->memfd < 0 || ftruncate(p->memfd, (off_t)DRM_MEMORY_BYTES) || drm_real_fstat(p->memfd, &st))
        return err_set(e, "no memory file for the GPU: %s", strerror(errno));
    p->mem_dev = st.st_dev;
    p->mem_ino = st.st_ino;
    p->mem = mmap(NULL, DRM_MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, p->memfd, 0);
    if (p->mem == MAP_FAILED)
        return err_set(e, "no address space for the GPU's memory: %s", strerror(errno));
    madvise(p->mem, DRM_MEMORY_BYTES, MADV_DONTDUMP);
    p->free = calloc(64, sizeof *p->free);
    if (!p->free)
        return err_set(e, "out of memory");
    p->free_slots = 64;
    p->free_count = 1;
    p->free[0] = (struct drm_extent){0, DRM_MEMORY_BYTES};
    p->import_top = DRM_IMPORT_BASE;
    return 0;
}

static int make_dir(struct drm_process *p, struct err *e)
{
    const char *dir = getenv("ATOLL_DRM_DIR");

    if (dir && *dir) {
        snprintf(p->dir, sizeof p->dir, "%s", dir);
    } else {
        snprintf(p->dir, sizeof p->dir, "/tmp/atoll-drm-XXXXXX");
        if (!mkdtemp(p->dir)) {
            p->dir[0] = '\0';
            return err_set(e, "no directory under /tmp: %s", strerror(errno));
        }
        p->own_dir = true;
    }
    return drm_tree_make(p, e);
}

static void after_fork(void);

static void make(void)
{
    const char *chip = getenv("ATOLL_CHIP");
    struct drm_process *p = calloc(1, sizeof *p);
    struct err e;

    if (!p) {
        fprintf(stderr, "atoll: no GPU: out of memory\n");
        return;
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->signalled, NULL);
    p->log = (int)env_number("ATOLL_LOG", 1);
    p->gpu_options.watchdog_insts = env_number("ATOLL_WATCHDOG", WATCHDOG_INSTS);
    p->gpu_options.threads = (unsigned)env_number("ATOLL_THREADS", 0);
    p->gpu_options.strict_waits = env_number("ATOLL_STRICT_WAITS", 0) != 0;
    p->gpu_options.quiet = p->log < 1;
    p->capture = getenv("ATOLL_CAPTURE");
    if (p->capture && !*p->capture)
        p->capture = NULL;
    if (!chip || !*chip)
        chip = "bonaire";
    p->chip = chip_find(chip);
    p->loud = loud_create();
    p->clock_start_ns = (uint64_t)drm_now_ns();
    p->next_file = p->next_bo = p->next_name = 1;
    if (!p->chip)
        err_set(&e, "chip '%s' is not in the table of chips", chip);
    else if (!p->loud)
        err_set(&e, "out of memory");
    else if (!make_memory(p, &e) && !make_dir(p, &e)) {
        loud_set_quiet(p->loud, p->log < 1);
        pthread_atfork(NULL, NULL, after_fork);
        __atomic_store_n(&the_process, p, __ATOMIC_RELEASE);
        return;
    }
    fprintf(stderr, "atoll: no GPU: %s\n", e.text);
}

struct drm_process *drm_process(void)
{
    pthread_once(&made, make);
    return the_process;
}

struct drm_process *drm_process_if_made(void)
{
    return __atomic_load_n(&the_process, __ATOMIC_ACQUIRE);
}

/* A child has the parent's descriptors and shares its memory. Whatever it inherits is dead to it: it may
 * close, not submit; what it opens itself is its own, in memory of its own. Its threads but
 * this one are gone, so locks are made anew. */
static void after_fork(void)
{
    struct drm_process *p = the_process;
    struct err e;

    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->signalled, NULL);
    p->own_dir = false;
    for (struct drm_file *f = p->files; f; f = f->next) {
        pthread_mutex_init(&f->gpu_lock, NULL);
        f->inherited = true;
        f->record = NULL; /* the parent's to write */
    }
    for (struct drm_bo *bo = p->bos; bo; bo = bo->next)
        bo->shared = true; /* its memory is not ours to free */
    /* The parent's memory stays mapped where it is, as other mappings of a program do. */
    free(p->free);
    if (make_memory(p, &e)) {
        fprintf(stderr, "atoll: no GPU in the child: %s\n", e.text);
        p->free_count = 0;
    }
}

/* ---- device files -------------------------------------------------------------------------- */

bool drm_fd_is(int fd, const char *prefix)
{
    char link[64], name[128];
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, name, sizeof name - 1);
    if (n < 0)
        return false;
    name[n] = '\0';
    return !strncmp(name, prefix, strlen(prefix));
}

static struct drm_file *find_file(struct drm_process *p, off_t position)
{
    struct drm_file *f;

    for (f = p->files; f; f = f->next)
        if (FILE_TAG + f->id == (uint64_t)position)
            return f;
    return NULL;
}

static bool is_memory(const struct drm_process *p, const struct stat *st)
{
    return st->st_ino == p->mem_ino && st->st_dev == p->mem_dev;
}

static void file_free(struct drm_process *p, struct drm_file *f)
{
    drm_record_end(f);
    for (uint32_t h = 1; h <= f->bos.count; h++)
        drm_bo_close(f, h);
    for (uint32_t h = 1; h <= f->syncs.count; h++) {
        struct drm_sync *s = drm_table_take(&f->syncs, h);

        if (s)
            drm_sync_unref(s);
    }
    for (uint32_t h = 1; h <= f->lists.count; h++)
        free(drm_table_take(&f->lists, h));
    free(f->bos.slot);
    free(f->syncs.slot);
    free(f->lists.slot);
    free(f->ctx);
    free(f->va);
    atoll_gpu_destroy(f->gpu);
    free(f);
}

/* Free the device files that no descriptor is left of. p->lock held. */
static void sweep(struct drm_process *p)
{
    DIR *d;
    struct dirent *ent;
    struct drm_file **at, *f;
    struct stat st;

    for (f = p->files; f; f = f->next)
        f->seen = false;
    d = opendir("/proc/self/fd");
    if (!d)
        return;
    while ((ent = readdir(d))) {
        int fd = atoi(ent->d_name);

        if (ent->d_name[0] == '.' || drm_real_fstat(fd, &st) || !is_memory(p, &st))
            continue;
        f = find_file(p, lseek(fd, 0, SEEK_CUR));
        if (f)
            f->seen = true;
    }
    closedir(d);
    for (at = &p->files; (f = *at);) {
        if (f->seen || f->inherited || pthread_mutex_trylock(&f->gpu_lock)) {
            at = &f->next;
            continue;
        }
        *at = f->next;
        pthread_mutex_unlock(&f->gpu_lock);
        file_free(p, f);
    }
}

int drm_file_open(enum drm_node node, int flags)
{
    struct drm_process *p = drm_process();
    struct drm_file *f;
    char link[64];
    int fd;

    if (!p) {
        errno = ENODEV;
        return -1;
    }
    f = calloc(1, sizeof *f);
    snprintf(link, sizeof link, "/proc/self/fd/%d", p->memfd);
    fd = f ? open(link, O_RDWR | (flags & O_CLOEXEC)) : -1;
    if (fd < 0) {
        free(f);
        return -1;
    }
    pthread_mutex_init(&f->gpu_lock, NULL);
    f->node = node;
    pthread_mutex_lock(&p->lock);
    sweep(p);
    f->id = p->next_file++;
    f->next = p->files;
    p->files = f;
    pthread_mutex_unlock(&p->lock);
    if (lseek(fd, (off_t)(FILE_TAG + f->id), SEEK_SET) < 0)
        drm_log(1, "cannot mark a descriptor: %s", strerror(errno));
    drm_log(3, "open %s: fd %d", node == DRM_NODE_CARD ? "card0" : "renderD128", fd);
    return fd;
}

/* A device file that another process opened and passed on, or that came over exec: put one of our own in its
 * place. */
static struct drm_file *adopt(struct drm_process *p, int fd)
{
    int flags = fcntl(fd, F_GETFD), own = drm_file_open(DRM_NODE_RENDER, O_CLOEXEC);
    struct drm_file *f;

    if (own < 0)
        return NULL;
    if (dup3(own, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0) < 0) {
        close(own);
        return NULL;
    }
    close(own);
    drm_log(2, "fd %d was opened by another process: its device starts anew here", fd);
    pthread_mutex_lock(&p->lock);
    f = find_file(p, lseek(fd, 0, SEEK_CUR));
    pthread_mutex_unlock(&p->lock);
    return f;
}

struct drm_file *drm_file_of(int fd)
{
    struct drm_process *p = drm_process_if_made();
    struct drm_file *f = NULL;
    struct stat st;
    off_t at;

    /* Deleted regular files are few: what is none cannot be ours. */
    if (drm_real_fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink)
        return NULL;
    at = lseek(fd, 0, SEEK_CUR);
    if ((uint64_t)at < FILE_TAG)
        return NULL;
    if (p) {
        pthread_mutex_lock(&p->lock);
        f = find_file(p, at);
        /* After fork the files of the parent are in another memfd, whose number is not kept. */
        if (f && !f->inherited && !is_memory(p, &st))
            f = NULL;
        pthread_mutex_unlock(&p->lock);
    }
    if (!f && drm_fd_is(fd, DRM_FD_GPU) && (p = drm_process()))
        f = adopt(p, fd);
    return f;
}

struct atoll_gpu *drm_file_gpu(struct drm_file *f)
{
    struct drm_process *p = drm_process();

    if (!f->gpu)
        f->gpu = atoll_gpu_create(p->chip->name, &p->gpu_options);
    return f->gpu;
}

void drm_stat_node(enum drm_node node, struct stat *st)
{
    st->st_mode = S_IFCHR | 0666;
    st->st_rdev = makedev(DRM_MAJOR, node == DRM_NODE_CARD ? DRM_MINOR_CARD : DRM_MINOR_RENDER);
    st->st_size = 0;
    st->st_blocks = 0;
    st->st_nlink = 1;
}

/* ---- the end ------------------------------------------------------------------------------- */

static void report(struct drm_process *p)
{
    for (struct drm_file *f = p->files; f; f = f->next) {
        if (!f->gpu || f->inherited)
            continue;
        if (f->faults || f->hangs)
            drm_log(1, "%llu of %llu submissions faulted, %llu hung", (unsigned long long)f->faults,
                    (unsigned long long)f->submissions, (unsigned long long)f->hangs);
        if (p->log >= 2) {
            drm_log(2, "%llu submissions; not modelled, and faults:", (unsigned long long)f->submissions);
            atoll_report(f->gpu, stderr);
        }
    }
    if (p->log >= 2)
        loud_print(p->loud, stderr);
}

__attribute__((destructor)) static void at_exit(void)
{
    struct drm_process *p = drm_process_if_made();

    if (!p)
        return;
    /* Another thread may be in the middle of a submission: then its capture ends without an end, which `atoll
     * run` mends. */
    for (struct drm_file *f = p->files; f; f = f->next) {
        if (f->inherited || pthread_mutex_trylock(&f->gpu_lock))
            continue;
        drm_record_end(f);
        pthread_mutex_unlock(&f->gpu_lock);
    }
    report(p);
    if (p->own_dir)
        drm_tree_remove(p->dir);
}
