/* code_file: machine code from files, for the commands that take it as an argument. */
#ifndef ATOLL_CODE_FILE_H
#define ATOLL_CODE_FILE_H

#include "base/base.h"

struct code_file {
    uint32_t *dw; /* host order */
    size_t ndw;
};

/* Read a file ("-": stdin): code as it lies in memory, or text: bytes in hex in memory order, or
 * 32-bit words that start with 0x; separated by blanks, commas or nothing; `//`, `;` and `#` start
 * comments. Returns 0, or -1 with *e set. */
int code_file_read(struct code_file *c, const char *path, struct err *e);
void code_file_free(struct code_file *c);

/* Hex text as above to bytes. Returns false when it is no such text or does not fit. */
bool code_parse_hex(const char *text, uint8_t *out, size_t cap, size_t *n);

/* All of a file or of stdin, with a NUL after its last byte; NULL with *e set. The caller frees. */
char *file_read_all(const char *path, size_t *bytes, struct err *e);

#endif
