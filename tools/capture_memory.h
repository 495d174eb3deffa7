/* capture_memory: what GPU memory held at some point of a recording, for commands that look at a
 * capture without running it. */
#ifndef ATOLL_CAPTURE_MEMORY_H
#define ATOLL_CAPTURE_MEMORY_H

#include "emu/capture.h"

struct capture_object; /* memory behind mappings; private */

/* Starts as all zeros. */
struct capture_memory_state {
    struct capture_maps maps; /* `object` is an index into objects, from 1 */
    struct capture_object *objects;
    size_t object_count;
};

/* Apply a record: maps, unmaps and memory change the state, other kinds do nothing. Returns 0, or -1
 * with *e set. */
int capture_memory_apply(struct capture_memory_state *s, const struct capture_record *rec,
                         struct err *e);

/* Copy from va on, up to `bytes`. Returns the bytes copied: less than asked when a mapping ends. */
size_t capture_memory_read(const struct capture_memory_state *s, uint64_t va, void *dst,
                           size_t bytes);

void capture_memory_free(struct capture_memory_state *s);

#endif
