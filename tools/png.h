/* png: images to files, through libpng. */
#ifndef ATOLL_PNG_H
#define ATOLL_PNG_H

#include "base/base.h"

/* Write an image of `channels` 1 (grey), 3 (RGB) or 4 (RGBA) of 8 or 16 bits. Rows are packed and
 * from the top; 16-bit channels are in the host's order. Returns 0, or -1 with *e set. */
int png_write(const char *path, uint32_t width, uint32_t height, unsigned channels, unsigned bits,
              const void *pixels, struct err *e);

#endif
