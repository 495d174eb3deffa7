/* `atoll run`: a program, unmodified, on its own driver over the emulated chip.
 *
 * Preloads libatoll-drm.so, which is the kernel's part (drm/); waits, so that what was made for the run
 * can be removed again, and so that the end of a capture can be written when the program could not. */
#include "config.h"

#include "base/chip.h"
#include "emu/capture.h"
#include "tools/tools.h"

#include <argp.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "libatoll-drm.so"
#define EXIT_NOT_RUN 127 /* as shells have it */

struct request {
    const char *chip, *capture, *watchdog, *threads, *log;
    bool strict_waits;
    char **program;
};

static const struct argp_option options[] = {
    {"chip", 'c', "CHIP", 0, "the chip (bonaire)", 0},
    {"capture", 'o', "FILE.gcap", 0, "record what is submitted", 0},
    {"watchdog", 'w', "N", 0, "instructions that a wave may run before the GPU counts as hung (2^28)", 0},
    {"threads", 't', "N", 0, "host threads (default: one per processor)", 0},
    {"strict-waits", 's', NULL, 0,
     "report registers that shaders use before their data could be there (s_waitcnt)", 0},
    {"log", 'l', "N", 0,
     "0 silent, 1 what is not modelled and faults (the default), 2 each submission, 3 each ioctl", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    char *end;

    switch (key) {
    case 'c':
        if (!chip_find(arg))
            argp_error(state, "no chip '%s'", arg);
        r->chip = arg;
        break;
    case 'o': r->capture = arg; break;
    case 's': r->strict_waits = true; break;
    case 'w':
    case 't':
    case 'l':
        errno = 0;
        if (!strtoull(arg, &end, 0) && key == 'w')
            end = arg;
        if (errno || *end || end == arg || *arg == '-')
            argp_error(state, "'%s' is no number for --%s", arg,
                       key == 'w' ? "watchdog" : key == 't' ? "threads" : "log");
        *(key == 'w' ? &r->watchdog : key == 't' ? &r->threads : &r->log) = arg;
        break;
    case ARGP_KEY_ARG:
        r->program = state->argv + state->next - 1;
        state->next = state->argc;
        break;
    case ARGP_KEY_NO_ARGS: argp_error(state, "need a PROGRAM"); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* The library: where $ATOLL_DRM_LIB says, in the build tree beside this program, or installed. */
static bool find_library(char out[PATH_MAX])
{
    static const char *const beside[] = {"/.libs/" LIBRARY, "/" LIBRARY};
    const char *env = getenv("ATOLL_DRM_LIB");
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (env && *env)
        return realpath(env, out);
    self[n < 0 ? 0 : n] = '\0';
    slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < ARRAY_LEN(beside); i++)
        if ((size_t)snprintf(out, PATH_MAX, "%.*s%s", (int)(slash - self), self, beside[i]) < PATH_MAX &&
            !access(out, R_OK))
            return true;
    snprintf(out, PATH_MAX, "%s/" LIBRARY, ATOLL_PKGLIBDIR);
    return !access(out, R_OK);
}

static int set_default(const char *name, const char *value)
{
    return setenv(name, value, 0);
}

/* The program's environment. Returns 0, or -1 with errno set. */
static int set_environment(const struct request *r, const char *library, const char *dir)
{
    const char *others = getenv("LD_PRELOAD");
    char preload[2 * PATH_MAX], cache[PATH_MAX];

    /* Ours last: what others want to see of the program's calls comes before the kernel. */
    if ((size_t)snprintf(preload, sizeof preload, "%s%s%s", others ? others : "", others && *others ? ":" : "",
                         library) >= sizeof preload) {
        errno = E2BIG;
        return -1;
    }
    /* Mesa keeps compiled shaders of the driver's own here whatever else is switched off: those of
     * another chip or of real hardware must not be found. */
    snprintf(cache, sizeof cache, "%s/cache", dir);
    if (mkdir(cache, 0700) || setenv("LD_PRELOAD", preload, 1) || setenv("ATOLL_DRM_DIR", dir, 1) ||
        setenv("ATOLL_CHIP", r->chip, 1) || setenv("XDG_CACHE_HOME", cache, 1) ||
        setenv("MESA_SHADER_CACHE_DIR", cache, 1))
        return -1;
    if (r->capture ? setenv("ATOLL_CAPTURE", r->capture, 1) : unsetenv("ATOLL_CAPTURE"))
        return -1;
    if ((r->threads && setenv("ATOLL_THREADS", r->threads, 1)) ||
        (r->strict_waits && setenv("ATOLL_STRICT_WAITS", "1", 1)))
        return -1;
    if ((r->watchdog && setenv("ATOLL_WATCHDOG", r->watchdog, 1)) || (r->log && setenv("ATOLL_LOG", r->log, 1)))
        return -1;
    /* An X server has no way to our buffers: Mesa copies finished images to it. */
    return set_default("MESA_VK_WSI_DEBUG", "sw");
}

/* ---- waiting ------------------------------------------------------------------------------------ */

/* Signals that are for the program: this one only waits. The child gets those of the terminal itself. */
static void ignore_signals(struct sigaction old[3])
{
    static const int which[] = {SIGINT, SIGQUIT, SIGHUP};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};

    for (size_t i = 0; i < ARRAY_LEN(which); i++)
        sigaction(which[i], &ignore, &old[i]);
}

static void restore_signals(const struct sigaction old[3])
{
    static const int which[] = {SIGINT, SIGQUIT, SIGHUP};

    for (size_t i = 0; i < ARRAY_LEN(which); i++)
        sigaction(which[i], &old[i], NULL);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    remove(path);
    return 0;
}

/* Run it. Returns the wait status, or -1 with errno set when it could not be started. */
static int run(char **program)
{
    struct sigaction old[3];
    int status;
    pid_t pid;

    ignore_signals(old);
    pid = fork();
    if (!pid) {
        restore_signals(old);
        execvp(program[0], program);
        fprintf(stderr, "atoll run: %s: %s\n", program[0], strerror(errno));
        _exit(EXIT_NOT_RUN);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            pid = -1;
    restore_signals(old);
    return pid < 0 ? -1 : status;
}

/* FILE, FILE.2, ...: the names that drm/record.c takes. */
static const char *capture_name(const char *name, unsigned i, char out[PATH_MAX + 16])
{
    if (i == 1)
        return name;
    snprintf(out, PATH_MAX + 16, "%s.%u", name, i);
    return out;
}

/* Captures FILE, FILE.2, ... of programs that ended without closing them get their end. */
static void mend_captures(const char *name)
{
    char buf[PATH_MAX + 16];
    struct err e;

    for (unsigned i = 1;; i++) {
        const char *path = capture_name(name, i, buf);

        if (access(path, F_OK))
            return;
        if (capture_mend(path, &e) < 0)
            fprintf(stderr, "atoll run: %s\n", e.text);
    }
}

/* See that captures can be written, and remove old files of their names. Returns 0, or -1 with errno set. */
static int remove_captures(const char *name)
{
    char buf[PATH_MAX + 16];
    struct stat st;

    snprintf(buf, sizeof buf, "%.*s/", (int)(strrchr(name, '/') - name), name);
    if (access(buf, W_OK | X_OK))
        return -1;

    for (unsigned i = 1;; i++) {
        const char *path = capture_name(name, i, buf);

        if (lstat(path, &st))
            return errno == ENOENT ? 0 : -1;
        if (!S_ISREG(st.st_mode)) {
            errno = EEXIST;
            return -1;
        }
        if (unlink(path))
            return -1;
    }
}

/* An absolute path, since programs change directory. */
static int absolute(const char *path, char out[PATH_MAX])
{
    char dir[PATH_MAX] = "";

    if (path[0] != '/' && !getcwd(dir, sizeof dir))
        return -1;
    if ((size_t)snprintf(out, PATH_MAX, "%s%s%s", dir, *dir ? "/" : "", path) < PATH_MAX)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

int cmd_run(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, "PROGRAM [ARGUMENTS...]",
        "Run a Vulkan, OpenGL or OpenCL program on Mesa's unmodified driver over the emulated chip.\v"
        "The exit status is the program's.",
        NULL, NULL, NULL};
    struct request r = {.chip = "bonaire"};
    char library[PATH_MAX], capture[PATH_MAX], dir[] = "/tmp/atoll-run-XXXXXX";
    int status;

    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &r);
    if (!find_library(library)) {
        fprintf(stderr, "atoll run: " LIBRARY " is neither beside this program nor in " ATOLL_PKGLIBDIR
                        " (it is built where libdrm's headers are; ATOLL_DRM_LIB can say where it is)\n");
        return EXIT_USAGE;
    }
    if (r.capture) {
        if (absolute(r.capture, capture) || remove_captures(capture)) {
            fprintf(stderr, "atoll run: %s: %s\n", r.capture, strerror(errno));
            return EXIT_USAGE;
        }
        r.capture = capture;
    }
    if (!mkdtemp(dir)) {
        fprintf(stderr, "atoll run: %s: %s\n", dir, strerror(errno));
        return EXIT_USAGE;
    }
    status = set_environment(&r, library, dir) ? -1 : run(r.program);
    if (status == -1)
        fprintf(stderr, "atoll run: %s: %s\n", r.program[0], strerror(errno));
    nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    if (r.capture)
        mend_captures(r.capture);
    if (status == -1)
        return EXIT_USAGE;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "atoll run: %s: %s\n", r.program[0], strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}
