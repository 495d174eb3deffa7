/* fuzz.h: a fuzz target is one function over bytes, as libFuzzer wants it. driver.c runs it without
 * libFuzzer over generated inputs, the same ones for the same seed; `make check-long` does so. */
#ifndef ATOLL_FUZZ_H
#define ATOLL_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The target. Must return 0 for every input, in bounded time. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#endif
