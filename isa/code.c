/* code.c: the cache of pre-decoded code.
 *
 * Code is decoded in runs: from an address on, one micro-op an instruction, until something that
 * never falls through, the end of its 4 KiB page, or code that is there already; each run ends
 * with a micro-op that goes on elsewhere. A page says for each dword which micro-op begins there,
 * so that a branch into the middle of a run finds it. Waves on all threads look pages up without
 * a lock; decoding takes one.
 *
 * isa_code_sync compares the words of every run with memory. When any changed, all pages are
 * dropped: micro-ops hold links to each other. Dropped runs are kept (waves may stand in them)
 * until a sync finds no wave running. */
#include "isa/control.h"
#include "isa/lanes.h"

#include <pthread.h>
#include <stdlib.h>

enum { PAGE_DW = 1024, BUCKETS = 4096, SPLAT_BUCKETS = 1024, RUN_MAX = 512 };

struct run {
    struct run *next;
    uint64_t va;
    unsigned n, ndw;           /* instructions; dwords they take */
    uint32_t *dw;              /* the words as they were read */
    struct uop *uops;          /* n + 1: the last goes on */
    struct insn *insns;        /* n + 1 */
    struct uop_target *targets; /* n + 1 */
};

struct page {
    struct page *next;
    uint64_t va;
    const struct uop *_Atomic at[PAGE_DW];
};

struct table {
    struct page *_Atomic bucket[BUCKETS];
    struct run *runs;
    struct table *older; /* dropped tables */
};

struct splat {
    struct splat *next;
    uint64_t v;
    uint32_t dw[128] __attribute__((aligned(64)));
};

enum { WATCHES = 64 };

struct isa_code {
    const struct isa_target *target;
    struct mem_vm *vm;
    struct loud *loud;
    uop_fn *fn[I_COUNT];
    bool call[I_COUNT];
    uop_fn *wrap_splat, *wrap_sign;
    const struct isa_lanes *lanes;

    pthread_mutex_t lock;      /* of all that follows, for writing */
    struct table *_Atomic table;
    atomic_uint running;       /* waves in isa_run */
    struct splat *_Atomic splats[SPLAT_BUCKETS]; /* only grow, without the lock */
    _Atomic uint64_t watches[WATCHES]; /* by entry: its address | 1 | 2 where TRAPSTS is read; 0: not known */
};

/* ---- which functions --------------------------------------------------------------------- */

static void add_table(struct isa_code *c, const struct isa_body_table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        c->fn[t->rows[i].op] = t->rows[i].fn;
        c->call[t->rows[i].op] = t->rows[i].call;
    }
}

#define ADD_LEVEL(level) do { \
        add_table(c, &isa_body_vop1_##level); \
        add_table(c, &isa_body_vop2_##level); \
        add_table(c, &isa_body_vop3_##level); \
        add_table(c, &isa_body_vop3p_##level); \
        add_table(c, &isa_body_vopc_##level); \
        c->wrap_splat = isa_wrap_splat_##level; \
        c->wrap_sign = isa_wrap_sign_##level; \
        c->lanes = &isa_lanes_##level; \
    } while (0)

enum isa_level isa_level_host(void)
{
#ifndef ATOLL_NO_CLONES
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4"))
        return ISA_LEVEL_V4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return ISA_LEVEL_V3;
#endif
    return ISA_LEVEL_BASE;
}

const char *isa_level_name(enum isa_level l)
{
    static const char *const name[ISA_LEVELS] = {"x86-64", "x86-64-v3", "x86-64-v4"};

    return name[l];
}

struct isa_code *isa_code_create_level(const struct isa_target *t, struct mem_vm *vm,
                                       struct loud *loud, enum isa_level level)
{
    struct isa_code *c = calloc(1, sizeof *c);
    struct table *tab = calloc(1, sizeof *tab);

    if (!c || !tab)
        abort();
    c->target = t;
    c->vm = vm;
    c->loud = loud;
    pthread_mutex_init(&c->lock, NULL);
    atomic_init(&c->table, tab);
    add_table(c, &isa_body_sop);
    add_table(c, &isa_body_mem);
    add_table(c, &isa_body_mai);
    switch (level) {
#ifndef ATOLL_NO_CLONES
    case ISA_LEVEL_V4:
        ADD_LEVEL(v4);
        break;
    case ISA_LEVEL_V3:
        ADD_LEVEL(v3);
        break;
#endif
    default:
        ADD_LEVEL(base);
    }
    return c;
}

struct isa_code *isa_code_create(const struct isa_target *t, struct mem_vm *vm,
                                 struct loud *loud)
{
    return isa_code_create_level(t, vm, loud, isa_level_host());
}

uop_fn *isa_code_fn(const struct isa_code *c, unsigned op, bool *call)
{
    *call = c->call[op];
    return c->fn[op];
}

const struct isa_lanes *isa_code_lanes(const struct isa_code *c)
{
    return c->lanes;
}

uop_fn *isa_code_wrap(const struct isa_code *c, bool sign)
{
    return sign ? c->wrap_sign : c->wrap_splat;
}

struct loud *isa_code_loud(const struct isa_code *c)
{
    return c->loud;
}

const struct isa_target *isa_code_target(const struct isa_code *c)
{
    return c->target;
}

/* ---- constants --------------------------------------------------------------------------- */

/* Called when code is decoded, with the lock held, and by any wave whose registers are relative,
 * without it: so entries are put in front of their list in one step and never change or go. Two for
 * the same value do no harm. */
const uint32_t *isa_code_splat(struct isa_code *c, uint64_t v)
{
    struct splat *_Atomic *b = &c->splats[(v ^ v >> 32) * 0x9e3779b1u >> 7 & (SPLAT_BUCKETS - 1)];
    struct splat *first = atomic_load_explicit(b, memory_order_acquire), *s;

    for (s = first; s; s = s->next)
        if (s->v == v)
            return s->dw;
    s = aligned_alloc(64, sizeof *s);
    if (!s)
        abort();
    s->v = v;
    for (unsigned l = 0; l < 64; l++) {
        s->dw[l] = (uint32_t)v;
        s->dw[64 + l] = (uint32_t)(v >> 32);
    }
    do
        s->next = first;
    while (!atomic_compare_exchange_weak_explicit(b, &first, s, memory_order_release,
                                                  memory_order_acquire));
    return s->dw;
}

/* ---- decoding ---------------------------------------------------------------------------- */

static struct page *find_page(const struct table *t, uint64_t va)
{
    uint64_t page_va = va & ~UINT64_C(4095);
    struct page *p = atomic_load_explicit(&t->bucket[page_va >> 12 & (BUCKETS - 1)],
                                          memory_order_acquire);

    while (p && p->va != page_va)
        p = p->next;
    return p;
}

static struct page *make_page(struct table *t, uint64_t va)
{
    struct page *_Atomic *b = &t->bucket[va >> 12 & (BUCKETS - 1)];
    struct page *p = calloc(1, sizeof *p);

    if (!p)
        abort();
    p->va = va & ~UINT64_C(4095);
    p->next = atomic_load_explicit(b, memory_order_relaxed);
    atomic_store_explicit(b, p, memory_order_release);
    return p;
}

/* Up to `max` words at va; how many there are. */
static unsigned fetch(const struct isa_code *c, uint64_t va, uint32_t *out, unsigned max)
{
    unsigned n;

    for (n = 0; n < max; n++) {
        const void *p = mem_ptr(c->vm, va + 4 * n, 4, MEM_X);

        if (!p)
            break;
        out[n] = load_le32(p);
    }
    return n;
}

static bool falls_through(const struct insn *in)
{
    uint64_t f = isa_rows[in->op].flags;

    return !(f & END) && in->op != I_S_BRANCH && in->op != I_S_SETPC_B64;
}

/* One that reports instead of executing: the words are no instruction, or not there. */
static void make_stop(struct isa_code *c, struct uop *u, struct insn *in, uint64_t va,
                      uop_fn *fn)
{
    memset(u, 0, sizeof *u);
    in->ndw = 1;
    u->fn = fn;
    u->cls = fn == isa_goto ? CLASS_COUNT : CLASS_OTHER;
    u->call = true;
    u->pc_va = va;
    u->in = in;
    u->code = c;
}

/* Decode from va on; with the lock held and nothing at va yet. */
static const struct uop *decode_run(struct isa_code *c, struct table *t, struct page *p,
                                    uint64_t va)
{
    struct insn *insns = malloc((RUN_MAX + 1) * sizeof *insns);
    struct run *r = calloc(1, sizeof *r);
    uop_fn *stop = NULL;
    uint64_t at = va;
    unsigned n = 0;

    if (!insns || !r)
        abort();
    while (n < RUN_MAX && (at & ~UINT64_C(4095)) == p->va &&
           !atomic_load_explicit(&p->at[at / 4 % PAGE_DW], memory_order_relaxed)) {
        uint32_t w[4] = {0};
        unsigned have = fetch(c, at, w, 4);
        int k = have ? isa_decode(c->target, w, have, &insns[n]) : -1;

        if (k <= 0) {
            stop = have && k == 0 ? isa_illegal : isa_fetch_fault;
            memset(&insns[n], 0, sizeof insns[n]);
            insns[n].dw[0] = w[0];
            break;
        }
        at += 4 * (uint64_t)k;
        n++;
        if (!falls_through(&insns[n - 1]))
            break;
    }

    r->va = va;
    r->n = n;
    r->ndw = (unsigned)((at - va) / 4);
    r->uops = aligned_alloc(64, align_up((n + 1) * sizeof *r->uops, 64));
    r->insns = calloc(n + 1, sizeof *r->insns);
    r->targets = calloc(n + 1, sizeof *r->targets);
    r->dw = malloc(4 * (size_t)(r->ndw + 1));
    if (!r->uops || !r->insns || !r->targets || !r->dw)
        abort();
    memcpy(r->insns, insns, (n + 1) * sizeof *insns);
    if (!stop)
        memset(&r->insns[n], 0, sizeof *insns);
    free(insns);
    fetch(c, va, r->dw, r->ndw + (stop == isa_illegal));
    r->ndw += stop == isa_illegal;

    at = va;
    for (unsigned i = 0; i < n; i++) {
        struct insn *in = &r->insns[i];

        r->targets[i].va = at + 4 * (uint64_t)in->ndw + 4 * (uint64_t)(int64_t)in->imm;
        isa_lower(c, in, at, &r->targets[i], &r->uops[i]);
        at += 4 * (uint64_t)in->ndw;
    }
    make_stop(c, &r->uops[n], &r->insns[n], at, stop ? stop : isa_goto);
    r->targets[n].va = at;
    r->uops[n].target = &r->targets[n];

    /* Published when whole; the stop at its place too, the goto not (it is no code of its own). */
    for (unsigned i = 0; i < n + (stop != NULL); i++) {
        uint64_t a = r->uops[i].pc_va;

        if ((a & ~UINT64_C(4095)) == p->va)
            atomic_store_explicit(&p->at[a / 4 % PAGE_DW], &r->uops[i], memory_order_release);
    }
    r->next = t->runs;
    t->runs = r;
    return &r->uops[0];
}

const struct uop *isa_code_find(struct isa_code *c, uint64_t va)
{
    struct table *t = atomic_load_explicit(&c->table, memory_order_acquire);
    struct page *p;
    const struct uop *u = NULL;

    va &= ((UINT64_C(1) << 48) - 1) & ~UINT64_C(3);
    p = find_page(t, va);
    if (p)
        u = atomic_load_explicit(&p->at[va / 4 % PAGE_DW], memory_order_acquire);
    if (u)
        return u;

    pthread_mutex_lock(&c->lock);
    t = atomic_load_explicit(&c->table, memory_order_acquire);
    p = find_page(t, va);
    if (!p)
        p = make_page(t, va);
    u = atomic_load_explicit(&p->at[va / 4 % PAGE_DW], memory_order_acquire);
    if (!u)
        u = decode_run(c, t, p, va);
    pthread_mutex_unlock(&c->lock);
    return u;
}

/* ---- who looks at exceptions --------------------------------------------------------------- */

bool isa_code_watches(struct isa_code *c, uint64_t va)
{
    enum { AROUND_DW = 1 << 16 };
    _Atomic uint64_t *slot;
    struct mem_span s;
    uint64_t known;
    bool yes = false;

    va &= MEM_VA_MASK & ~UINT64_C(3);
    slot = &c->watches[va >> 8 & (WATCHES - 1)];
    known = atomic_load_explicit(slot, memory_order_relaxed);
    if ((known & ~UINT64_C(2)) == (va | 1))
        return known & 2;
    if (mem_find(c->vm, va, &s) && s.prot & MEM_X) {
        const uint64_t before = MIN2((va - s.va) / 4, AROUND_DW), after = MIN2((s.end - va) / 4, AROUND_DW);
        const uint32_t *code = (const uint32_t *)(const void *)(s.host + (va - s.va));

        yes = isa_program_reads_trapsts(c->target, code, before, after);
    }
    atomic_store_explicit(slot, va | 1 | (yes ? 2 : 0), memory_order_relaxed);
    return yes;
}

/* ---- keeping in step with memory --------------------------------------------------------- */

static void free_table(struct table *t)
{
    for (struct run *r = t->runs, *next; r; r = next) {
        next = r->next;
        free(r->uops);
        free(r->insns);
        free(r->targets);
        free(r->dw);
        free(r);
    }
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct page *p = atomic_load(&t->bucket[i]), *next; p; p = next) {
            next = p->next;
            free(p);
        }
    free(t);
}

static bool changed(const struct isa_code *c, const struct run *r)
{
    for (unsigned i = 0; i < r->ndw; i++) {
        const void *p = mem_ptr(c->vm, r->va + 4 * (uint64_t)i, 4, MEM_X);

        if (!p || load_le32(p) != r->dw[i])
            return true;
    }
    /* What stopped for lack of memory may have it now. */
    return r->uops[r->n].fn == isa_fetch_fault &&
           mem_ptr(c->vm, r->uops[r->n].pc_va, 4, MEM_X);
}

void isa_code_sync(struct isa_code *c)
{
    struct table *t, *fresh;
    bool stale = false;

    for (unsigned i = 0; i < WATCHES; i++)
        atomic_store_explicit(&c->watches[i], 0, memory_order_relaxed);
    pthread_mutex_lock(&c->lock);
    t = atomic_load(&c->table);
    for (const struct run *r = t->runs; r && !stale; r = r->next)
        stale = changed(c, r);
    if (stale) {
        fresh = calloc(1, sizeof *fresh);
        if (!fresh)
            abort();
        fresh->older = t;
        atomic_store(&c->table, fresh);
        t = fresh;
    }
    if (atomic_load(&c->running) == 0)
        while (t->older) {
            struct table *o = t->older;

            t->older = o->older;
            free_table(o);
        }
    pthread_mutex_unlock(&c->lock);
}

void isa_code_enter(struct isa_code *c)
{
    atomic_fetch_add(&c->running, 1);
}

void isa_code_exit(struct isa_code *c)
{
    atomic_fetch_sub(&c->running, 1);
}

void isa_code_destroy(struct isa_code *c)
{
    if (!c)
        return;
    for (struct table *t = atomic_load(&c->table), *older; t; t = older) {
        older = t->older;
        free_table(t);
    }
    for (unsigned i = 0; i < SPLAT_BUCKETS; i++)
        for (struct splat *s = atomic_load(&c->splats[i]), *next; s; s = next) {
            next = s->next;
            free(s);
        }
    pthread_mutex_destroy(&c->lock);
    free(c);
}
