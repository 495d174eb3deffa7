/* mem: GPU virtual memory, surface addressing (tiling), data formats, metadata surfaces.
 *
 * Sees base/ only. Everything here can be tested without a chip: the caller passes the
 * generation and the decoded tiling parameters. */
#ifndef ATOLL_MEM_H
#define ATOLL_MEM_H

#include "base/base.h"

/* ---- virtual memory ---------------------------------------------------------------------- */

/* A page table of VA ranges to host memory. Addresses are 48 bits (40 on GFX6..8); bits above
 * 47 are ignored, so GFX9's sign-extended addresses and the packets' 48-bit ones agree. */
struct mem_vm;

#define MEM_VA_MASK ((UINT64_C(1) << 48) - 1)

enum mem_prot { MEM_R = 1, MEM_W = 2, MEM_X = 4, MEM_RWX = 7 };

/* Who accesses memory: kept in faults and in the byte counters. */
enum mem_client {
    MEM_CP,      /* packets, fences, DMA */
    MEM_SHADER,  /* vector memory */
    MEM_SCALAR,  /* scalar memory */
    MEM_FETCH,   /* instructions */
    MEM_IA,      /* indices */
    MEM_CB,
    MEM_DB,
    MEM_TEX,
    MEM_SO,      /* stream-out, rings */
    MEM_HOST,    /* read-back by the user: never counted, never faults */
    MEM_CLIENTS
};

/* One access that no mapping (or no permission) covered. */
struct mem_fault {
    uint64_t va;
    uint32_t bytes;
    bool write;
    enum mem_client client;
    uint64_t pc_va;      /* of the instruction; 0 when no shader did it */
    uint32_t wave_id;    /* launch number of the wave; 0 when none */
    uint64_t nearest_va; /* start of the mapping nearest below; 0 when none */
    uint64_t nearest_bytes;
    uint64_t count;      /* how often the same (pc, client, page) faulted */
};

/* Names the accessor for a fault. NULL is allowed wherever one is asked for and means MEM_HOST. */
struct mem_who {
    enum mem_client client;
    uint64_t pc_va;
    uint32_t wave_id;
};

struct mem_vm *mem_vm_create(void);
void mem_vm_destroy(struct mem_vm *vm);

/* Map bytes at va onto host memory that the caller owns and keeps alive (host != NULL), or onto
 * zeroed memory that the page table owns (host == NULL). va and bytes are multiples of 4096, bytes
 * is not 0, and va + bytes is at most 2^48. A new mapping replaces what it overlaps. Returns 0, or
 * -1 with *e set and nothing changed. */
int mem_map(struct mem_vm *vm, uint64_t va, uint64_t bytes, void *host, unsigned prot,
            struct err *e);

/* Remove whatever is mapped in the range. Returns 0, or -1 with *e set. */
int mem_unmap(struct mem_vm *vm, uint64_t va, uint64_t bytes, struct err *e);

/* One mapping, as a half-open span of VA with its host pointer: what hot paths cache. A cached
 * span is valid while mem_epoch() is unchanged. */
struct mem_span {
    uint64_t va, end;
    uint8_t *host; /* of `va` */
    unsigned prot;
};

uint64_t mem_epoch(const struct mem_vm *vm);

/* The span that contains va; false when nothing is mapped there. Records no fault. */
bool mem_find(const struct mem_vm *vm, uint64_t va, struct mem_span *out);

/* The mappings in ascending order: the first whose end is above *va. False at the end. */
bool mem_next(const struct mem_vm *vm, uint64_t va, struct mem_span *out);

/* Host pointer to bytes at va if they lie in one mapping with all of `prot`; else NULL, and no
 * fault is recorded. */
void *mem_ptr(const struct mem_vm *vm, uint64_t va, uint64_t bytes, unsigned prot);

/* Copy out of or into GPU memory, across mappings. Unmapped bytes read as zero and are dropped on
 * write; one fault is recorded, at the first such byte, and false returned. Reads need MEM_R
 * (MEM_FETCH: MEM_X), writes MEM_W; MEM_HOST needs none. */
bool mem_read(struct mem_vm *vm, uint64_t va, void *dst, uint64_t bytes,
              const struct mem_who *who);
bool mem_write(struct mem_vm *vm, uint64_t va, const void *src, uint64_t bytes,
               const struct mem_who *who);

/* Record a fault that a caller found on its own fast path. */
void mem_fault_record(struct mem_vm *vm, uint64_t va, uint32_t bytes, bool write,
                      const struct mem_who *who);

/* Recorded faults, sorted by (client, pc, va), one for each (client, pc, page, direction): the 4096
 * lowest are kept, all are counted in *total (may be NULL). The array stays valid until the next
 * access. */
const struct mem_fault *mem_faults(const struct mem_vm *vm, size_t *n, uint64_t *total);

/* "CB", "shader", ...: for reports and counter names. */
const char *mem_client_name(enum mem_client client);

/* One line of text about a fault, for reports. */
void mem_fault_format(const struct mem_fault *f, char *out, size_t out_bytes);

/* Bytes read and written by each client so far (MEM_HOST excluded). Hot paths that use spans
 * add their own with mem_count(). Thread-safe. */
struct mem_traffic {
    uint64_t read_bytes[MEM_CLIENTS], written_bytes[MEM_CLIENTS];
};
void mem_count(struct mem_vm *vm, enum mem_client client, uint64_t read_bytes,
               uint64_t written_bytes);
void mem_traffic_get(const struct mem_vm *vm, struct mem_traffic *out);

#endif
