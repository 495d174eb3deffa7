/* touch: what pieces of work that run at the same time read and wrote, and a way back.
 *
 * Independent work (the workgroups of a dispatch) should run on several threads, and yet leave the bytes that
 * it leaves when it runs in order. Whether it is independent is not known before. So the pieces run at the
 * same time, each notes the dwords that it reads and writes, and what a page held before anybody wrote to it is
 * kept. Afterwards, when no piece has touched what another wrote, the result is that of any order, the given
 * one among them. Otherwise memory is put back, and the caller runs the pieces one after another.
 *
 *     mem_touch_begin(set);
 *     piece i, on any thread, around each access:   mem_touch(mem_touch_of(set, i), host, bytes, write);
 *     if (!mem_touch_end(set))   memory is as before mem_touch_begin(): run the pieces in order
 *
 * Places are host addresses: two mappings of the same memory are the same place. */
#ifndef ATOLL_MEM_TOUCH_H
#define ATOLL_MEM_TOUCH_H

#include "mem/mem.h"

struct mem_touch_set;
struct mem_touch; /* of one piece; one thread's at a time */

/* NULL when memory runs out. */
struct mem_touch_set *mem_touch_create(unsigned pieces);
void mem_touch_destroy(struct mem_touch_set *s);

void mem_touch_begin(struct mem_touch_set *s);
struct mem_touch *mem_touch_of(struct mem_touch_set *s, unsigned piece);

/* Note an access to host memory, before it is done. The pages of 4096 bytes that it lies in must be readable
 * as a whole (mem_pages_whole). False, and given up, when there is no room to note it: then it may not write. */
bool mem_touch(struct mem_touch *t, const void *host, uint64_t bytes, bool write);

/* The piece does what cannot be taken back or told apart (an atomic, a report, a fault): mem_touch_end() will
 * say no, and the other pieces may as well stop. */
void mem_touch_give_up(struct mem_touch *t);
bool mem_touch_given_up(const struct mem_touch *t);

/* Bytes for mem_count() that are counted if the pieces are kept. */
void mem_touch_count(struct mem_touch *t, enum mem_client client, uint64_t read_bytes, uint64_t written_bytes);

/* When all pieces have ended: true, and what they counted is in `vm`; or false, with memory put back. */
bool mem_touch_end(struct mem_touch_set *s, struct mem_vm *vm);

#endif
