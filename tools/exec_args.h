/* exec_args: the --arg options of `atoll exec`: values, and buffers that files fill and take. */
#ifndef ATOLL_EXEC_ARGS_H
#define ATOLL_EXEC_ARGS_H

#include "base/base.h"
#include "emu/gpu.h"

#define EXEC_ARGS_MAX 256

struct exec_args {
    unsigned count;
    struct atoll_kernel_arg value[EXEC_ARGS_MAX]; /* ready after exec_args_place */
    struct exec_arg {
        uint8_t *bytes;        /* of a value, or a buffer's contents before the launch */
        size_t size;
        const char *out;       /* where a buffer goes after it; NULL: nowhere */
        bool buffer, local;
        uint8_t pointer[8];
    } arg[EXEC_ARGS_MAX];
};

/* Add the argument that `text` describes; it must outlive *a. Returns 0, or -1 with *e set. */
int exec_args_add(struct exec_args *a, const char *text, struct err *e);

/* Put the buffers into the device's memory, each in a mapping of its own with unmapped addresses
 * around it. Returns 0, or -1 with *e set. */
int exec_args_place(struct exec_args *a, struct atoll_gpu *gpu, struct err *e);

/* Write the buffers that have an output file. Returns 0, or -1 with *e set. */
int exec_args_write(const struct exec_args *a, struct atoll_gpu *gpu, struct err *e);

void exec_args_free(struct exec_args *a);

#endif
