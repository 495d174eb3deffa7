/* What `atoll pm4` prints: indirect buffers and the memory around them, from a raw file, from hex
 * text, or from a capture. */
#ifndef ATOLL_PM4_INPUT_H
#define ATOLL_PM4_INPUT_H

#include "base/base.h"
#include "base/chip.h"

#define PM4_VA_MASK ((UINT64_C(1) << 48) - 1) /* sign extension of GFX9's addresses taken off */

/* A buffer object as it was when the submission was made. */
struct pm4_bo {
    uint64_t va, bytes;  /* va without the bits above 47 */
    uint8_t *data;       /* NULL: all zero */
    size_t data_bytes;   /* of `data`; the rest of the buffer is zero */
};

struct pm4_input_ib {
    char ring[16];       /* "GFX", "COMPUTE", "DMA" */
    uint64_t va;         /* 0 for a raw file */
    uint8_t *data;
    uint32_t dw;
};

struct pm4_submission {
    unsigned index;
    struct pm4_input_ib *ibs;
    size_t ib_count;
    struct pm4_bo *bos;
    size_t bo_count;
};

struct pm4_input {
    char chip[32];       /* as the capture names it; "" for raw files */
    struct pm4_submission *subs;
    size_t sub_count;
};

/* Read `path`: a folder with capture.json, a file of binary dwords, or a text file of hex dwords.
 * Returns 0, or -1 with *e set. Free with pm4_input_free() in both cases. */
int pm4_input_load(struct pm4_input *in, const char *path, struct err *e);
void pm4_input_free(struct pm4_input *in);

/* Copy what the submission has mapped at va, up to `bytes`. Returns the bytes copied: less than
 * asked when the mapping ends. */
size_t pm4_input_read(const struct pm4_submission *s, uint64_t va, void *dst, size_t bytes);

#endif
