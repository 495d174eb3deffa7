/* `atoll import`: a raw folder (capture.json and .bin files) to a capture file. */
#include "emu/capture.h"
#include "tools/tools.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct request {
    const char *folder, *out, *driver;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE.gcap", 0, "the capture to write", 0},
    {"driver", 'd', "TEXT", 0, "name of the recorded driver, for the capture's header", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;

    switch (key) {
    case 'o': r->out = arg; break;
    case 'd': r->driver = arg; break;
    case ARGP_KEY_ARG:
        if (r->folder)
            argp_error(state, "one FOLDER at a time");
        r->folder = arg;
        break;
    case ARGP_KEY_END:
        if (!r->folder || !r->out)
            argp_error(state, "need a FOLDER and -o FILE.gcap");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

int cmd_import(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, "FOLDER",
        "Convert a raw capture folder (capture.json and the files it names) to a capture file.",
        NULL, NULL, NULL};
    struct request r = {0};
    struct stat st;
    struct err e;
    int fd, rc;

    argp_parse(&argp, argc, argv, 0, NULL, &r);
    fd = open(r.out, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        fprintf(stderr, "atoll import: %s: %s\n", r.out, strerror(errno));
        return EXIT_USAGE;
    }
    rc = capture_import(r.folder, fd, r.out, r.driver, &e);
    if (close(fd) && !rc)
        rc = err_set(&e, "%s: %s", r.out, strerror(errno));
    if (!rc)
        return EXIT_DONE;
    fprintf(stderr, "atoll import: %s\n", e.text);
    if (!stat(r.out, &st) && S_ISREG(st.st_mode))
        unlink(r.out);
    return EXIT_USAGE;
}
