/* pool: threads that run the jobs of draws and dispatches. Private to emu/.
 *
 * What a job does may not depend on which thread runs it or when: then the result is the same with any number of
 * threads. Threads are made when the first jobs come, and sleep in between. */
#ifndef ATOLL_EMU_POOL_H
#define ATOLL_EMU_POOL_H

#include "base/base.h"

struct emu_pool;

/* `threads` counts the caller's; 0: one per host processor. NULL when memory runs out. */
struct emu_pool *emu_pool_create(unsigned threads);
void emu_pool_destroy(struct emu_pool *p);

/* Run fn(ctx, 0) .. fn(ctx, jobs - 1), each once, the caller's thread among those that do; returns when all have
 * ended. Not to be called from a job. */
void emu_pool_run(struct emu_pool *p, unsigned jobs, void (*fn)(void *ctx, unsigned job), void *ctx);

unsigned emu_pool_threads(const struct emu_pool *p);

#endif
