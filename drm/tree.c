/* The directory tree that stands for /dev/dri and for the part of /sys that describes the device.
 *
 * libdrm, Mesa's loader and their like find a device by listing /dev/dri, and learn of its bus and ids from
 * small files in /sys. Real files in a private directory serve all of them at once, whatever they use to
 * read them; only the paths are redirected. Links in the tree are relative as in /sys, so that readlink()
 * needs no translation; realpath() does. */
#include "config.h"

#include "drm/drm.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define PCI_VENDOR_AMD 0x1002
#define PCI_SUBDEVICE  0x0b31 /* some board's; nothing depends on it */
#define SLOT           "0000:01:00.0"
#define DEVICE         "sys/devices/pci0000:00/" SLOT
#define TREE           "tree"

/* What is redirected: exactly this, or (whole false) anything that begins so. */
static const struct {
    const char *path;
    bool whole; /* path components: "/dev/dri" is not "/dev/dri2" */
} redirected[] = {
    {"/dev/dri", true},
    {"/sys/dev/char/226:", false},
    {"/sys/class/drm", true},
    {"/sys/devices/pci0000:00/" SLOT, true},
    {"/sys/bus/pci/devices/" SLOT, true},
    {"/sys/bus/pci/drivers/amdgpu", true},
};

const char *drm_path(const char *path, char out[PATH_MAX], enum drm_node *node)
{
    const struct drm_process *p;

    *node = DRM_NODE_NONE;
    if (!path || path[0] != '/' || (path[1] != 'd' && path[1] != 's'))
        return path;
    for (size_t i = 0; i < ARRAY_LEN(redirected); i++) {
        size_t n = strlen(redirected[i].path);

        if (strncmp(path, redirected[i].path, n) ||
            (redirected[i].whole && path[n] && path[n] != '/'))
            continue;
        p = drm_process();
        if (!p || !p->dir[0])
            return path;
        if (!strcmp(path, "/dev/dri/card0"))
            *node = DRM_NODE_CARD;
        else if (!strcmp(path, "/dev/dri/renderD128"))
            *node = DRM_NODE_RENDER;
        if ((size_t)snprintf(out, PATH_MAX, "%s/" TREE "%s", p->dir, path) >= PATH_MAX)
            return path;
        drm_log(3, "path %s", path);
        return out;
    }
    return path;
}

void drm_path_strip(char *path)
{
    const struct drm_process *p = drm_process_if_made();
    size_t n;

    if (!path || !p || !p->dir[0])
        return;
    n = strlen(p->dir);
    if (!strncmp(path, p->dir, n) && !strncmp(path + n, "/" TREE "/", sizeof TREE + 1))
        memmove(path, path + n + sizeof TREE, strlen(path + n + sizeof TREE) + 1);
}

/* ---- making it ------------------------------------------------------------------------------- */

struct maker {
    char root[PATH_MAX];
    struct err *e;
    bool failed;
};

static void path_of(const struct maker *m, const char *name, char out[PATH_MAX])
{
    if ((size_t)snprintf(out, PATH_MAX, "%s/%s", m->root, name) >= PATH_MAX)
        out[0] = '\0';
}

static void fail(struct maker *m, const char *path)
{
    if (!m->failed)
        err_set(m->e, "%s: %s", path, strerror(errno));
    m->failed = true;
}

/* A directory and those above it. */
static void dir(struct maker *m, const char *name)
{
    char path[PATH_MAX];

    path_of(m, name, path);
    for (char *c = path + strlen(m->root) + 1; *c; c++)
        if (*c == '/') {
            *c = '\0';
            if (mkdir(path, 0755) && errno != EEXIST)
                fail(m, path);
            *c = '/';
        }
    if (mkdir(path, 0755) && errno != EEXIST)
        fail(m, path);
}

static void file_bytes(struct maker *m, const char *name, const void *data, size_t bytes)
{
    char path[PATH_MAX];
    FILE *f;

    path_of(m, name, path);
    f = fopen(path, "we");
    if (!f || fwrite(data, 1, bytes, f) != bytes)
        fail(m, path);
    if (f && fclose(f))
        fail(m, path);
}

static void file(struct maker *m, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void file(struct maker *m, const char *name, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    file_bytes(m, name, text, strlen(text));
}

static void link_to(struct maker *m, const char *name, const char *target)
{
    char path[PATH_MAX];

    path_of(m, name, path);
    if (symlink(target, path))
        fail(m, path);
}

static void make_minor(struct maker *m, const char *name, unsigned minor)
{
    char path[PATH_MAX], target[128];

    snprintf(path, sizeof path, "dev/dri/%s", name);
    file(m, path, "%s", "");
    snprintf(path, sizeof path, DEVICE "/drm/%s", name);
    dir(m, path);
    snprintf(path, sizeof path, DEVICE "/drm/%s/dev", name);
    file(m, path, "%u:%u\n", DRM_MAJOR, minor);
    snprintf(path, sizeof path, DEVICE "/drm/%s/uevent", name);
    file(m, path, "MAJOR=%u\nMINOR=%u\nDEVNAME=dri/%s\nDEVTYPE=drm_minor\n", DRM_MAJOR, minor, name);
    snprintf(path, sizeof path, DEVICE "/drm/%s/device", name);
    link_to(m, path, "../../../" SLOT);
    snprintf(path, sizeof path, DEVICE "/drm/%s/subsystem", name);
    link_to(m, path, "../../../../../class/drm");
    snprintf(path, sizeof path, "sys/class/drm/%s", name);
    snprintf(target, sizeof target, "../../devices/pci0000:00/" SLOT "/drm/%s", name);
    link_to(m, path, target);
    snprintf(path, sizeof path, "sys/dev/char/%u:%u", DRM_MAJOR, minor);
    link_to(m, path, target);
}

/* The standard header of PCI configuration space, as far as ids and class. */
static void make_config(struct maker *m, const struct chip *c)
{
    uint8_t space[64] = {0};

    store_le16(space + 0x00, PCI_VENDOR_AMD);
    store_le16(space + 0x02, (uint16_t)c->device_id);
    space[0x0b] = 0x03; /* display controller */
    store_le16(space + 0x2c, PCI_VENDOR_AMD);
    store_le16(space + 0x2e, PCI_SUBDEVICE);
    file_bytes(m, DEVICE "/config", space, sizeof space);
}

static void make_all(struct maker *m, const struct chip *c)
{
    dir(m, "dev/dri");
    dir(m, "sys/dev/char");
    dir(m, "sys/class/drm");
    dir(m, "sys/bus/pci/devices");
    dir(m, "sys/bus/pci/drivers/amdgpu");
    dir(m, DEVICE "/drm");
    file(m, "sys/class/drm/version", "drm 1.1.0 20060810\n");
    link_to(m, "sys/bus/pci/devices/" SLOT, "../../../devices/pci0000:00/" SLOT);
    file(m, DEVICE "/vendor", "0x%04x\n", PCI_VENDOR_AMD);
    file(m, DEVICE "/device", "0x%04x\n", c->device_id);
    file(m, DEVICE "/subsystem_vendor", "0x%04x\n", PCI_VENDOR_AMD);
    file(m, DEVICE "/subsystem_device", "0x%04x\n", PCI_SUBDEVICE);
    file(m, DEVICE "/revision", "0x00\n");
    file(m, DEVICE "/class", "0x030000\n");
    file(m, DEVICE "/boot_vga", "0\n");
    file(m, DEVICE "/uevent",
         "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\n"
         "PCI_SLOT_NAME=" SLOT "\n",
         PCI_VENDOR_AMD, c->device_id, PCI_VENDOR_AMD, PCI_SUBDEVICE);
    link_to(m, DEVICE "/subsystem", "../../../bus/pci");
    link_to(m, DEVICE "/driver", "../../../bus/pci/drivers/amdgpu");
    make_config(m, c);
    make_minor(m, "card0", DRM_MINOR_CARD);
    make_minor(m, "renderD128", DRM_MINOR_RENDER);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    remove(path);
    return 0;
}

void drm_tree_remove(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int drm_tree_make(struct drm_process *p, struct err *e)
{
    struct maker m = {.e = e};
    char done[PATH_MAX];

    if ((size_t)snprintf(done, sizeof done, "%s/" TREE, p->dir) >= sizeof done ||
        (size_t)snprintf(m.root, sizeof m.root, "%s/" TREE ".%d", p->dir, (int)getpid()) >= sizeof m.root)
        return err_set(e, "%.100s: the path is too long", p->dir);
    if (!access(done, F_OK))
        return 0;
    if (mkdir(m.root, 0755))
        return err_set(e, "%.300s: %s", m.root, strerror(errno));
    make_all(&m, p->chip);
    /* Processes that start at once each make one; the first to be done is everybody's. */
    if (!m.failed && rename(m.root, done) && errno != EEXIST && errno != ENOTEMPTY)
        fail(&m, done);
    if (!access(m.root, F_OK))
        drm_tree_remove(m.root);
    return m.failed ? -1 : 0;
}
