/* The interposed functions of the C library.
 *
 * Each looks whether its path or descriptor is the device's and otherwise is the next library's function.
 * All names under which glibc offers one thing are here: with and without 64, the checked ones of fortified
 * programs, and the versioned stat of programs that were linked before glibc 2.33. */
#include "config.h"

#include "drm/drm.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

/* The next definition of `name`. Resolved once; all threads find the same. */
static void *next_function(void **slot, const char *name)
{
    void *fn = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

    if (fn)
        return fn;
    fn = dlsym(RTLD_NEXT, name);
    if (!fn) {
        fprintf(stderr, "atoll: the C library has no %s\n", name);
        abort();
    }
    __atomic_store_n(slot, fn, __ATOMIC_RELEASE);
    return fn;
}

#define NEXT(name, ret, ...)                                                                   \
    static void *name##_slot;                                                                  \
    ret (*next)(__VA_ARGS__) = (ret (*)(__VA_ARGS__))next_function(&name##_slot, #name)

/* Those that no header declares. */
SHOWN int __open_2(const char *path, int flags);
SHOWN int __open64_2(const char *path, int flags);
SHOWN int __openat_2(int dir, const char *path, int flags);
SHOWN int __openat64_2(int dir, const char *path, int flags);
SHOWN int __xstat(int version, const char *path, struct stat *st);
SHOWN int __xstat64(int version, const char *path, struct stat64 *st);
SHOWN int __lxstat(int version, const char *path, struct stat *st);
SHOWN int __lxstat64(int version, const char *path, struct stat64 *st);
SHOWN int __fxstat(int version, int fd, struct stat *st);
SHOWN int __fxstat64(int version, int fd, struct stat64 *st);
SHOWN int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags);
SHOWN int __fxstatat64(int version, int dir, const char *path, struct stat64 *st, int flags);
SHOWN ssize_t __readlink_chk(const char *path, char *buf, size_t bytes, size_t room);
SHOWN ssize_t __readlinkat_chk(int dir, const char *path, char *buf, size_t bytes, size_t room);
SHOWN char *__realpath_chk(const char *path, char *out, size_t room);

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one layout, as on all 64-bit hosts");

/* ---- open ---------------------------------------------------------------------------------- */

#define MODE(flags)                                                                            \
    mode_t mode = 0;                                                                           \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {                              \
        va_list ap;                                                                            \
        va_start(ap, flags);                                                                   \
        mode = va_arg(ap, mode_t);                                                             \
        va_end(ap);                                                                            \
    }

#define OPEN(name)                                                                             \
    SHOWN int name(const char *path, int flags, ...)                                           \
    {                                                                                          \
        char buf[PATH_MAX];                                                                    \
        enum drm_node node;                                                                    \
        const char *to = drm_path(path, buf, &node);                                           \
        NEXT(name, int, const char *, int, ...);                                               \
        MODE(flags)                                                                            \
        return node && !(flags & O_PATH) ? drm_file_open(node, flags) : next(to, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                           \
    SHOWN int name(int dir, const char *path, int flags, ...)                                  \
    {                                                                                          \
        char buf[PATH_MAX];                                                                    \
        enum drm_node node;                                                                    \
        const char *to = drm_path(path, buf, &node);                                           \
        NEXT(name, int, int, const char *, int, ...);                                          \
        MODE(flags)                                                                            \
        return node && !(flags & O_PATH) ? drm_file_open(node, flags)                          \
                                         : next(dir, to, flags, mode);                         \
    }
OPENAT(openat)
OPENAT(openat64)

SHOWN int __open_2(const char *path, int flags)
{
    return open(path, flags);
}

SHOWN int __open64_2(const char *path, int flags)
{
    return open64(path, flags);
}

SHOWN int __openat_2(int dir, const char *path, int flags)
{
    return openat(dir, path, flags);
}

SHOWN int __openat64_2(int dir, const char *path, int flags)
{
    return openat64(dir, path, flags);
}

#define FOPEN(name)                                                                            \
    SHOWN FILE *name(const char *path, const char *mode)                                       \
    {                                                                                          \
        char buf[PATH_MAX];                                                                    \
        enum drm_node node;                                                                    \
        const char *to = drm_path(path, buf, &node);                                           \
        NEXT(name, FILE *, const char *, const char *);                                        \
        return next(to, mode);                                                                 \
    }
FOPEN(fopen)
FOPEN(fopen64)

SHOWN DIR *opendir(const char *path)
{
    char buf[PATH_MAX];
    enum drm_node node;
    const char *to = drm_path(path, buf, &node);
    NEXT(opendir, DIR *, const char *);

    return next(to);
}

#define SCANDIR(name, dirent)                                                                  \
    SHOWN int name(const char *path, struct dirent ***list, int (*pick)(const struct dirent *), \
                   int (*order)(const struct dirent **, const struct dirent **))               \
    {                                                                                          \
        char buf[PATH_MAX];                                                                    \
        enum drm_node node;                                                                    \
        const char *to = drm_path(path, buf, &node);                                           \
        NEXT(name, int, const char *, struct dirent ***, int (*)(const struct dirent *),       \
             int (*)(const struct dirent **, const struct dirent **));                         \
        return next(to, list, pick, order);                                                    \
    }
SCANDIR(scandir, dirent)
SCANDIR(scandir64, dirent64)

/* ---- stat ---------------------------------------------------------------------------------- */

int drm_real_fstat(int fd, struct stat *st)
{
    NEXT(fstat, int, int, struct stat *);

    return next(fd, st);
}

/* What a stat of a path or of a descriptor gave, corrected. Returns rc. */
static int corrected(int rc, enum drm_node node, struct stat *st)
{
    if (!rc && node)
        drm_stat_node(node, st);
    return rc;
}

static int corrected_fd(int rc, int fd, struct stat *st)
{
    struct drm_file *f = rc || !S_ISREG(st->st_mode) || st->st_nlink ? NULL : drm_file_of(fd);

    if (f)
        drm_stat_node(f->node, st);
    return rc;
}

#define STAT(name, type)                                                                       \
    SHOWN int name(const char *path, struct type *st)                                          \
    {                                                                                          \
        char buf[PATH_MAX];                                                                    \
        enum drm_node node;                                                                    \
        const char *to = drm_path(path, buf, &node);                                           \
        NEXT(name, int, const char *, struct type *);                                          \
        return corrected(next(to, st), node, (struct stat *)st);                               \
    }
STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)

#define FSTAT(name, type)                                                                      \
    SHOWN int name(int fd, struct type *st)                                                    \
    {                                                                                          \
        NEXT(name, int, int, struct type *);                                                   \
        return corrected_fd(next(fd, st), fd, (struct stat *)st);                              \
    }
FSTAT(fstat, stat)
FSTAT(fstat64, stat64)

#define FSTATAT(name, type)                                                                    \
    SHOWN int name(int dir, const char *path, struct type *st, int flags)                      \
    {                                                                                          \
        char buf[PATH_MAX];                                                                    \
        enum drm_node node;                                                                    \
        const char *to = drm_path(path, buf, &node);                                           \
        int rc;                                                                                \
        NEXT(name, int, int, const char *, struct type *, int);                                \
        rc = next(dir, to, st, flags);                                                         \
        if (flags & AT_EMPTY_PATH && to && !*to)                                               \
            return corrected_fd(rc, dir, (struct stat *)st);                                   \
        return corrected(rc, node, (struct stat *)st);                                         \
    }
FSTATAT(fstatat, stat)
FSTATAT(fstatat64, stat64)

#define XSTAT(name, type)                                                                      \
    SHOWN int name(int version, const char *path, struct type *st)                             \
    {                                                                                          \
        char buf[PATH_MAX];                                                                    \
        enum drm_node node;                                                                    \
        const char *to = drm_path(path, buf, &node);                                           \
        NEXT(name, int, int, const char *, struct type *);                                     \
        return corrected(next(version, to, st), node, (struct stat *)st);                      \
    }
XSTAT(__xstat, stat)
XSTAT(__xstat64, stat64)
XSTAT(__lxstat, stat)
XSTAT(__lxstat64, stat64)

#define FXSTAT(name, type)                                                                     \
    SHOWN int name(int version, int fd, struct type *st)                                       \
    {                                                                                          \
        NEXT(name, int, int, int, struct type *);                                              \
        return corrected_fd(next(version, fd, st), fd, (struct stat *)st);                     \
    }
FXSTAT(__fxstat, stat)
FXSTAT(__fxstat64, stat64)

#define FXSTATAT(name, type)                                                                   \
    SHOWN int name(int version, int dir, const char *path, struct type *st, int flags)         \
    {                                                                                          \
        char buf[PATH_MAX];                                                                    \
        enum drm_node node;                                                                    \
        const char *to = drm_path(path, buf, &node);                                           \
        NEXT(name, int, int, int, const char *, struct type *, int);                           \
        return corrected(next(version, dir, to, st, flags), node, (struct stat *)st);          \
    }
FXSTATAT(__fxstatat, stat)
FXSTATAT(__fxstatat64, stat64)

SHOWN int statx(int dir, const char *restrict path, int flags, unsigned mask, struct statx *restrict st)
{
    char buf[PATH_MAX];
    enum drm_node node;
    const char *to = drm_path(path, buf, &node);
    struct stat as_stat;
    int rc;
    NEXT(statx, int, int, const char *restrict, int, unsigned, struct statx *restrict);

    rc = next(dir, to, flags, mask, st);
    if (!rc && flags & AT_EMPTY_PATH && to && !*to) {
        struct drm_file *f = drm_file_of(dir);

        node = f ? f->node : DRM_NODE_NONE;
    }
    if (rc || !node)
        return rc;
    memset(&as_stat, 0, sizeof as_stat);
    drm_stat_node(node, &as_stat);
    st->stx_mode = (uint16_t)as_stat.st_mode;
    st->stx_rdev_major = major(as_stat.st_rdev);
    st->stx_rdev_minor = minor(as_stat.st_rdev);
    st->stx_size = st->stx_blocks = 0;
    st->stx_nlink = 1;
    return 0;
}

/* ---- other questions about paths --------------------------------------------------------------- */

#define ACCESS(name)                                                                           \
    SHOWN int name(const char *path, int how)                                                  \
    {                                                                                          \
        char buf[PATH_MAX];                                                                    \
        enum drm_node node;                                                                    \
        const char *to = drm_path(path, buf, &node);                                           \
        NEXT(name, int, const char *, int);                                                    \
        return next(to, node ? F_OK : how);                                                    \
    }
ACCESS(access)
ACCESS(eaccess)
ACCESS(euidaccess)

SHOWN int faccessat(int dir, const char *path, int how, int flags)
{
    char buf[PATH_MAX];
    enum drm_node node;
    const char *to = drm_path(path, buf, &node);
    NEXT(faccessat, int, int, const char *, int, int);

    return next(dir, to, node ? F_OK : how, flags);
}

SHOWN ssize_t readlink(const char *path, char *out, size_t bytes)
{
    char buf[PATH_MAX];
    enum drm_node node;
    const char *to = drm_path(path, buf, &node);
    NEXT(readlink, ssize_t, const char *, char *, size_t);

    return next(to, out, bytes);
}

SHOWN ssize_t readlinkat(int dir, const char *path, char *out, size_t bytes)
{
    char buf[PATH_MAX];
    enum drm_node node;
    const char *to = drm_path(path, buf, &node);
    NEXT(readlinkat, ssize_t, int, const char *, char *, size_t);

    return next(dir, to, out, bytes);
}

SHOWN ssize_t __readlink_chk(const char *path, char *out, size_t bytes, size_t room)
{
    if (bytes > room)
        abort();
    return readlink(path, out, bytes);
}

SHOWN ssize_t __readlinkat_chk(int dir, const char *path, char *out, size_t bytes, size_t room)
{
    if (bytes > room)
        abort();
    return readlinkat(dir, path, out, bytes);
}

SHOWN char *realpath(const char *restrict path, char *restrict out)
{
    char buf[PATH_MAX], *got;
    enum drm_node node;
    const char *to = drm_path(path, buf, &node);
    NEXT(realpath, char *, const char *, char *);

    got = next(to, out);
    if (to == buf)
        drm_path_strip(got);
    return got;
}

SHOWN char *__realpath_chk(const char *path, char *out, size_t room)
{
    if (room < PATH_MAX)
        abort();
    return realpath(path, out);
}

SHOWN char *canonicalize_file_name(const char *path)
{
    return realpath(path, NULL);
}

/* ---- the descriptor ------------------------------------------------------------------------- */

SHOWN int ioctl(int fd, unsigned long request, ...)
{
    struct drm_file *f;
    bool served = true;
    va_list ap;
    void *arg;
    int rc;
    NEXT(ioctl, int, int, unsigned long, ...);

    va_start(ap, request);
    arg = va_arg(ap, void *);
    va_end(ap);
    switch (_IOC_TYPE(request)) {
    case 'd':
        f = drm_file_of(fd);
        return f ? drm_ioctl(f, request, arg) : next(fd, request, arg);
    case '>':
        rc = drm_sync_file_ioctl(fd, request, arg, &served);
        break;
    case 'b':
        rc = drm_dma_buf_ioctl(fd, request, arg, &served);
        break;
    default:
        served = false;
        rc = 0;
    }
    return served ? rc : next(fd, request, arg);
}

/* Only offsets that no file has, those of other processes' buffers, are looked at. */
static void *map(void *at, size_t bytes, int prot, int flags, int fd, uint64_t offset)
{
    if (fd >= 0 && offset >= DRM_IMPORT_BASE && drm_file_of(fd) &&
        !drm_bo_foreign_mmap(offset, bytes, &fd, &offset)) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    /* mmap is called before anything else is, also by what resolves symbols: no dlsym here. */
    return (void *)syscall(SYS_mmap, at, bytes, prot, flags, fd, offset);
}

SHOWN void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
    return map(at, bytes, prot, flags, fd, (uint64_t)offset);
}

SHOWN void *mmap64(void *at, size_t bytes, int prot, int flags, int fd, off64_t offset)
{
    return map(at, bytes, prot, flags, fd, (uint64_t)offset);
}
