/* vm: the page table of a device, as ranges of GPU addresses backed by host memory.
 *
 * What it models: GPU virtual memory as the kernel driver sets it up. Real page tables have four
 * levels of 4 KiB to 2 MiB entries; nothing but their effect can be seen from a command buffer,
 * so mappings are kept as they were made, in one array sorted by address. Overlapping requests
 * are resolved when they are made: the array never holds two mappings of one byte.
 *
 * Addresses are taken modulo 2^48. An access that runs past the end goes on at 0, as the adder of
 * an address unit would.
 *
 * Threads: any number may read and write at once while no mapping changes. Counters are atomic;
 * faults are kept under a lock, in an order and with a choice of representatives that do not
 * depend on which thread came first.
 *
 * Sources: Linux amdgpu (gmc_v6..9, 48-bit addresses, per-page permissions). */
#include "mem/mem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE_BYTES  4096u
#define FAULTS_MAX  4096u

/* Zeroed memory that the page table itself owns; a mapping that was split in two shares it. */
struct block {
    void *bytes;
    uint64_t size;
    unsigned refs;
};

struct mapping {
    uint64_t va, end;
    uint8_t *host; /* of va */
    unsigned prot;
    struct block *block; /* NULL when the caller owns the memory */
};

struct client_counter {
    _Atomic uint64_t read_bytes, written_bytes;
} __attribute__((aligned(64)));

struct mem_vm {
    struct mapping *maps; /* ascending, disjoint */
    size_t count, capacity;
    uint64_t epoch;
    bool pages_split; /* host memory at an address that is no multiple of a page's size */
    struct client_counter traffic[MEM_CLIENTS];
    pthread_mutex_t fault_lock;
    struct mem_fault *faults; /* FAULTS_MAX + 1 of them, sorted by fault_order() */
    size_t fault_count;
    uint64_t fault_total;
};

struct mem_vm *mem_vm_create(void)
{
    struct mem_vm *vm = NULL;

    if (posix_memalign((void **)&vm, 64, sizeof *vm))
        return NULL;
    memset(vm, 0, sizeof *vm);
    vm->faults = calloc(FAULTS_MAX + 1, sizeof *vm->faults);
    if (!vm->faults) {
        free(vm);
        return NULL;
    }
    vm->epoch = 1; /* so that a zeroed cache of spans is never valid */
    pthread_mutex_init(&vm->fault_lock, NULL);
    return vm;
}

static void block_unref(struct block *b)
{
    if (!b || --b->refs)
        return;
    munmap(b->bytes, b->size);
    free(b);
}

void mem_vm_destroy(struct mem_vm *vm)
{
    if (!vm)
        return;
    for (size_t i = 0; i < vm->count; i++)
        block_unref(vm->maps[i].block);
    free(vm->maps);
    free(vm->faults);
    pthread_mutex_destroy(&vm->fault_lock);
    free(vm);
}

uint64_t mem_epoch(const struct mem_vm *vm)
{
    return vm->epoch;
}

bool mem_pages_whole(const struct mem_vm *vm)
{
    return !vm->pages_split;
}

/* ---- mapping ----------------------------------------------------------------------------- */

/* Index of the first mapping whose end is above va: the one that contains va, or the next. */
static size_t first_above(const struct mem_vm *vm, uint64_t va)
{
    size_t lo = 0, hi = vm->count;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;

        if (vm->maps[mid].end > va)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static const struct mapping *find(const struct mem_vm *vm, uint64_t va)
{
    size_t i = first_above(vm, va);

    return i < vm->count && vm->maps[i].va <= va ? &vm->maps[i] : NULL;
}

/* Room for two more mappings: the new one, and the tail of one that it splits. */
static int reserve(struct mem_vm *vm, struct err *e)
{
    size_t capacity = vm->capacity ? vm->capacity * 2 : 64;
    struct mapping *maps;

    if (vm->count + 2 <= vm->capacity)
        return 0;
    maps = realloc(vm->maps, capacity * sizeof *maps);
    if (!maps)
        return err_set(e, "out of memory for %zu mappings", capacity);
    vm->maps = maps;
    vm->capacity = capacity;
    return 0;
}

/* Take [va, end) out of every mapping; returns the index where a mapping of it belongs. */
static size_t carve(struct mem_vm *vm, uint64_t va, uint64_t end)
{
    size_t first = first_above(vm, va), last;

    if (first < vm->count && vm->maps[first].va < va) {
        struct mapping *m = &vm->maps[first];

        if (m->end > end) { /* the range lies inside: split */
            struct mapping tail = *m;

            tail.host += end - m->va;
            tail.va = end;
            if (tail.block)
                tail.block->refs++;
            memmove(m + 2, m + 1, (vm->count - first - 1) * sizeof *m);
            m[1] = tail;
            vm->count++;
        }
        m->end = va;
        first++;
    }
    for (last = first; last < vm->count && vm->maps[last].end <= end; last++)
        block_unref(vm->maps[last].block);
    if (last > first) {
        memmove(&vm->maps[first], &vm->maps[last], (vm->count - last) * sizeof *vm->maps);
        vm->count -= last - first;
    }
    if (first < vm->count && vm->maps[first].va < end) {
        vm->maps[first].host += end - vm->maps[first].va;
        vm->maps[first].va = end;
    }
    return first;
}

static int check_range(uint64_t va, uint64_t bytes, struct err *e)
{
    if (va % PAGE_BYTES || bytes % PAGE_BYTES)
        return err_set(e, "VA 0x%llx + 0x%llx bytes is not a whole number of 4 KiB pages",
                       (unsigned long long)va, (unsigned long long)bytes);
    if (!bytes)
        return err_set(e, "VA 0x%llx: a range of zero bytes", (unsigned long long)va);
    if (bytes > MEM_VA_MASK + 1 - va)
        return err_set(e, "VA 0x%llx + 0x%llx bytes runs past the 48-bit address space",
                       (unsigned long long)va, (unsigned long long)bytes);
    return 0;
}

int mem_map(struct mem_vm *vm, uint64_t va, uint64_t bytes, void *host, unsigned prot,
            struct err *e)
{
    struct mapping m = {0};
    size_t at;

    va &= MEM_VA_MASK;
    if (check_range(va, bytes, e) || reserve(vm, e))
        return -1;
    if (prot & ~(unsigned)MEM_RWX)
        return err_set(e, "VA 0x%llx: unknown permissions 0x%x", (unsigned long long)va, prot);
    if (!host) {
        m.block = malloc(sizeof *m.block);
        if (!m.block)
            return err_set(e, "out of memory");
        host = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (host == MAP_FAILED) {
            free(m.block);
            return err_set(e, "VA 0x%llx: the host has no room for 0x%llx bytes",
                           (unsigned long long)va, (unsigned long long)bytes);
        }
        *m.block = (struct block){ host, bytes, 1 };
    }
    m.va = va;
    m.end = va + bytes;
    m.host = host;
    m.prot = prot;
    vm->pages_split |= (uintptr_t)host % PAGE_BYTES != 0;
    at = carve(vm, m.va, m.end);
    memmove(&vm->maps[at + 1], &vm->maps[at], (vm->count - at) * sizeof *vm->maps);
    vm->maps[at] = m;
    vm->count++;
    vm->epoch++;
    return 0;
}

int mem_unmap(struct mem_vm *vm, uint64_t va, uint64_t bytes, struct err *e)
{
    va &= MEM_VA_MASK;
    if (check_range(va, bytes, e) || reserve(vm, e))
        return -1;
    carve(vm, va, va + bytes);
    vm->epoch++;
    return 0;
}

/* ---- look-up ----------------------------------------------------------------------------- */

static void to_span(const struct mapping *m, struct mem_span *out)
{
    out->va = m->va;
    out->end = m->end;
    out->host = m->host;
    out->prot = m->prot;
}

bool mem_find(const struct mem_vm *vm, uint64_t va, struct mem_span *out)
{
    const struct mapping *m = find(vm, va & MEM_VA_MASK);

    if (!m)
        return false;
    to_span(m, out);
    return true;
}

bool mem_next(const struct mem_vm *vm, uint64_t va, struct mem_span *out)
{
    size_t i = first_above(vm, va);

    if (i >= vm->count)
        return false;
    to_span(&vm->maps[i], out);
    return true;
}

void *mem_ptr(const struct mem_vm *vm, uint64_t va, uint64_t bytes, unsigned prot)
{
    const struct mapping *m = find(vm, va &= MEM_VA_MASK);

    if (!m || (m->prot & prot) != prot || bytes > m->end - va)
        return NULL;
    return m->host + (va - m->va);
}

/* ---- access ------------------------------------------------------------------------------ */

/* One loop for both directions: walks the mappings that the range touches, moves what is there,
 * zeroes (read) or drops (write) what is not, and records the first byte that was missing. */
static bool access_range(struct mem_vm *vm, uint64_t va, uint8_t *buf, uint64_t bytes,
                         bool write, const struct mem_who *who)
{
    enum mem_client client = who ? who->client : MEM_HOST;
    unsigned need = write ? MEM_W : client == MEM_FETCH ? MEM_X : MEM_R;
    uint64_t moved = 0, bad_va = 0, bad_bytes = 0;

    if (client == MEM_HOST)
        need = 0;
    va &= MEM_VA_MASK;
    while (bytes) {
        size_t i = first_above(vm, va);
        const struct mapping *m = i < vm->count ? &vm->maps[i] : NULL;
        bool ok = m && m->va <= va && (m->prot & need) == need;
        uint64_t stop = !m ? MEM_VA_MASK + 1 : m->va <= va ? m->end : m->va;
        uint64_t n = MIN2(bytes, stop - va);

        if (ok) {
            /* The buffer may be guest memory itself: a copy within it, a packet over itself. */
            if (write)
                memmove(m->host + (va - m->va), buf, n);
            else
                memmove(buf, m->host + (va - m->va), n);
            moved += n;
        } else {
            if (!write)
                memset(buf, 0, n);
            if (!bad_bytes) {
                bad_va = va;
                bad_bytes = bytes;
            }
        }
        buf += n;
        bytes -= n;
        va = (va + n) & MEM_VA_MASK;
    }
    if (client != MEM_HOST && moved)
        mem_count(vm, client, write ? 0 : moved, write ? moved : 0);
    if (!bad_bytes)
        return true;
    mem_fault_record(vm, bad_va, (uint32_t)MIN2(bad_bytes, UINT32_MAX), write, who);
    return false;
}

bool mem_read(struct mem_vm *vm, uint64_t va, void *dst, uint64_t bytes,
              const struct mem_who *who)
{
    return access_range(vm, va, dst, bytes, false, who);
}

bool mem_write(struct mem_vm *vm, uint64_t va, const void *src, uint64_t bytes,
               const struct mem_who *who)
{
    return access_range(vm, va, (uint8_t *)src, bytes, true, who); /* only read from */
}

/* ---- faults ------------------------------------------------------------------------------ */

/* Faults with the same key are one: (client, pc, page, direction). */
static int fault_order(const struct mem_fault *a, const struct mem_fault *b)
{
    uint64_t pa = a->va / PAGE_BYTES, pb = b->va / PAGE_BYTES;

    if (a->client != b->client)
        return a->client < b->client ? -1 : 1;
    if (a->pc_va != b->pc_va)
        return a->pc_va < b->pc_va ? -1 : 1;
    if (pa != pb)
        return pa < pb ? -1 : 1;
    return (int)a->write - (int)b->write;
}

/* Of two faults with one key, the one to show: whatever order threads came in, the same. */
static bool shows_before(const struct mem_fault *a, const struct mem_fault *b)
{
    if (a->va != b->va)
        return a->va < b->va;
    if (a->wave_id != b->wave_id)
        return a->wave_id < b->wave_id;
    return a->bytes < b->bytes;
}

void mem_fault_record(struct mem_vm *vm, uint64_t va, uint32_t bytes, bool write,
                      const struct mem_who *who)
{
    struct mem_fault f = { .va = va & MEM_VA_MASK, .bytes = bytes, .write = write, .count = 1 };
    size_t lo = 0, hi, near;

    if (!who || who->client == MEM_HOST)
        return;
    f.client = who->client;
    f.pc_va = who->pc_va;
    f.wave_id = who->wave_id;
    near = first_above(vm, f.va);
    if (near == vm->count || vm->maps[near].va > f.va)
        near--; /* wraps when there is none below */
    if (near < vm->count) {
        f.nearest_va = vm->maps[near].va;
        f.nearest_bytes = vm->maps[near].end - vm->maps[near].va;
    }

    pthread_mutex_lock(&vm->fault_lock);
    vm->fault_total++;
    hi = vm->fault_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;

        if (fault_order(&vm->faults[mid], &f) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < vm->fault_count && !fault_order(&vm->faults[lo], &f)) {
        struct mem_fault *old = &vm->faults[lo];

        f.count = old->count + 1;
        if (shows_before(&f, old))
            *old = f;
        else
            old->count = f.count;
    } else if (lo < FAULTS_MAX) {
        /* The lowest keys are kept; the array has one slot more for the one that falls off. */
        memmove(&vm->faults[lo + 1], &vm->faults[lo],
                (vm->fault_count - lo) * sizeof *vm->faults);
        vm->faults[lo] = f;
        if (vm->fault_count < FAULTS_MAX)
            vm->fault_count++;
    }
    pthread_mutex_unlock(&vm->fault_lock);
}

const struct mem_fault *mem_faults(const struct mem_vm *vm, size_t *n, uint64_t *total)
{
    *n = vm->fault_count;
    if (total)
        *total = vm->fault_total;
    return vm->faults;
}

const char *mem_client_name(enum mem_client client)
{
    static const char *const names[MEM_CLIENTS] = {
        [MEM_CP] = "CP", [MEM_SHADER] = "shader", [MEM_SCALAR] = "scalar",
        [MEM_FETCH] = "fetch", [MEM_IA] = "IA", [MEM_CB] = "CB", [MEM_DB] = "DB",
        [MEM_TEX] = "texture", [MEM_SO] = "stream-out", [MEM_HOST] = "host",
    };

    return (unsigned)client < MEM_CLIENTS ? names[client] : "?";
}

void mem_fault_format(const struct mem_fault *f, char *out, size_t out_bytes)
{
    char by[80] = "", near[80] = "nothing is mapped below";

    if (f->pc_va)
        snprintf(by, sizeof by, " at PC 0x%llx in wave %u", (unsigned long long)f->pc_va,
                 f->wave_id);
    if (f->nearest_bytes) {
        bool inside = f->va - f->nearest_va < f->nearest_bytes;

        if (inside)
            snprintf(near, sizeof near, "in mapping 0x%llx..0x%llx without permission",
                     (unsigned long long)f->nearest_va,
                     (unsigned long long)(f->nearest_va + f->nearest_bytes));
        else
            snprintf(near, sizeof near, "0x%llx past mapping 0x%llx..0x%llx",
                     (unsigned long long)(f->va - f->nearest_va - f->nearest_bytes),
                     (unsigned long long)f->nearest_va,
                     (unsigned long long)(f->nearest_va + f->nearest_bytes));
    }
    snprintf(out, out_bytes, "%s %s of %u bytes at VA 0x%llx%s (%s), %llu times",
             mem_client_name(f->client), f->write ? "write" : "read", f->bytes,
             (unsigned long long)f->va, by, near, (unsigned long long)f->count);
}

/* ---- traffic ----------------------------------------------------------------------------- */

void mem_count(struct mem_vm *vm, enum mem_client client, uint64_t read_bytes,
               uint64_t written_bytes)
{
    struct client_counter *c = &vm->traffic[client];

    if (read_bytes)
        atomic_fetch_add_explicit(&c->read_bytes, read_bytes, memory_order_relaxed);
    if (written_bytes)
        atomic_fetch_add_explicit(&c->written_bytes, written_bytes, memory_order_relaxed);
}

void mem_traffic_get(const struct mem_vm *vm, struct mem_traffic *out)
{
    for (unsigned i = 0; i < MEM_CLIENTS; i++) {
        out->read_bytes[i] =
            atomic_load_explicit(&vm->traffic[i].read_bytes, memory_order_relaxed);
        out->written_bytes[i] =
            atomic_load_explicit(&vm->traffic[i].written_bytes, memory_order_relaxed);
    }
}
