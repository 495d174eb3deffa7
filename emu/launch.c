/* Kernels of code objects, launched as the HSA runtime and the CP's firmware launch them: arguments,
 * dispatch packet, scratch and initial SGPRs, then a PM4 dispatch like any other (dispatch.c).
 *
 * Sources: LLVM's AMDGPUUsage ("Kernel Dispatch", "Initial Kernel Execution State", "Private Segment
 * Buffer", "Flat Scratch", hidden arguments in "Code Object Metadata"); the HSA system architecture
 * (hsa_kernel_dispatch_packet_t); the HSA runtime's amd_queue_t and the scratch V# it builds.
 *
 * One launch runs at a time and to its end, so that the buffers below are used again by each. */
#include "emu/codeobj.h"
#include "emu/internal.h"
#include "regs/enums.h"

#include <stdarg.h>
#include <stdlib.h>

#define LAUNCH_VA     UINT64_C(0xf000000000)
#define IB_VA         LAUNCH_VA
#define PACKET_VA     (LAUNCH_VA + 0x1000)
#define QUEUE_VA      (LAUNCH_VA + 0x1100)
#define KERNARG_VA    (LAUNCH_VA + 0x2000)
#define KERNARG_MAX   0x20000u
#define LAUNCH_BYTES  (0x2000u + KERNARG_MAX)
#define PRINTF_VA     UINT64_C(0xf010000000)
#define PRINTF_BYTES  (4u << 20)
/* Where services of a host would be that is not there: nothing is mapped, so that a kernel which needs one
 * faults, and the address says which. */
#define SERVICE_VA(i) (UINT64_C(0xf020000000) + (i) * UINT64_C(0x1000000))
#define MODULE_VA     UINT64_C(0xf100000000)
#define MODULE_VA_END UINT64_C(0x10000000000)
#define MODULE_GAP    UINT64_C(0x10000)

/* Before GFX9 FLAT_SCRATCH counts from SH_HIDDEN_PRIVATE_BASE_VMID, which is 0 here, with 32 bits. */
#define SCRATCH_VA    UINT64_C(0x80000000)
#define SCRATCH_MAX   UINT64_C(0x40000000)
#define SCRATCH_UNIT  1024u /* of COMPUTE_TMPRING_SIZE.WAVESIZE */
#define WAVE          64u
#define STACK_DEFAULT 16384u
#define GROUP_MAX     1024u
#define ARGS_MAX      1024u

struct emu_launch_state {
    uint64_t next_va;
    uint64_t scratch_bytes; /* mapped */
    uint8_t *printf_buffer; /* mapped at PRINTF_VA; NULL before it is needed */
    uint64_t count;         /* launches */
};

struct atoll_module {
    struct atoll_gpu *gpu;
    struct codeobj *code;
    uint64_t va;
    uint8_t *image;
};

/* ---- modules ---------------------------------------------------------------------- */

static struct emu_launch_state *launch_state(struct atoll_gpu *gpu)
{
    if (!gpu->launch && (gpu->launch = calloc(1, sizeof *gpu->launch))) {
        gpu->launch->next_va = MODULE_VA;
        if (atoll_map(gpu, LAUNCH_VA, LAUNCH_BYTES, NULL)) {
            free(gpu->launch);
            gpu->launch = NULL;
        }
    }
    return gpu->launch;
}

void emu_launch_state_destroy(struct emu_launch_state *s)
{
    if (s)
        free(s->printf_buffer);
    free(s);
}

ATOLL_API struct atoll_module *atoll_module_load(struct atoll_gpu *gpu, const void *elf, size_t bytes)
{
    struct emu_launch_state *s = gpu->record ? NULL : launch_state(gpu);
    struct atoll_module *m = s ? calloc(1, sizeof *m) : NULL;
    uint64_t size;
    size_t at, part;
    int bundled;

    if (gpu->record) {
        err_set(&gpu->err, "kernels are not recorded: no code object while there is a recording");
        return NULL;
    }
    if (!m) {
        err_set(&gpu->err, "out of memory");
        return NULL;
    }
    m->gpu = gpu;
    bundled = codeobj_unbundle(elf, bytes, gpu->chip->llvm, &at, &part, &gpu->err);
    if (bundled >= 0)
        m->code = codeobj_parse((const uint8_t *)elf + (bundled ? at : 0), bundled ? part : bytes, &gpu->err);
    if (!m->code)
        goto fail;
    if (strcmp(codeobj_processor(m->code), gpu->chip->llvm)) {
        err_set(&gpu->err, "compiled for %s, but %s is a %s", codeobj_processor(m->code),
                gpu->chip->name, gpu->chip->llvm);
        goto fail;
    }
    size = codeobj_image_bytes(m->code);
    if (s->next_va + size > MODULE_VA_END) {
        err_set(&gpu->err, "no address space left for code objects");
        goto fail;
    }
    m->va = s->next_va;
    m->image = aligned_alloc(CODEOBJ_ALIGN, size);
    if (!m->image) {
        err_set(&gpu->err, "out of memory");
        goto fail;
    }
    if (codeobj_image(m->code, m->va, m->image, &gpu->err) ||
        atoll_map(gpu, m->va, size, m->image))
        goto fail;
    s->next_va += align_up(size + MODULE_GAP, MODULE_GAP);
    return m;
fail:
    codeobj_free(m->code);
    free(m->image);
    free(m);
    return NULL;
}

ATOLL_API void atoll_module_unload(struct atoll_module *m)
{
    if (!m)
        return;
    atoll_unmap(m->gpu, m->va, codeobj_image_bytes(m->code));
    codeobj_free(m->code);
    free(m->image);
    free(m);
}

/* ---- arguments -------------------------------------------------------------------- */

struct launch {
    struct atoll_gpu *gpu;
    const struct codeobj *code;
    const struct codeobj_kernel *k;
    const struct atoll_kernel_launch *l;
    uint32_t groups[3], remainder[3];
    uint32_t private_bytes; /* of a work-item */
    uint32_t wave_scratch_bytes, scratch_waves;
    uint32_t lds_bytes;     /* of a group */
    uint32_t kernarg_bytes;
    uint8_t kernarg[KERNARG_MAX];
};

static int fail(const struct launch *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(const struct launch *x, const char *fmt, ...)
{
    char text[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(&x->gpu->err, "kernel %.80s: %s", x->l->kernel, text);
}

/* Hidden arguments that point to something which runs beside the GPU. */
static const struct {
    enum codeobj_kind kind;
    const char *what;
} services[] = {
    {CODEOBJ_HIDDEN_HOSTCALL_BUFFER, "host calls (printf, assert and malloc of HIP)"},
    {CODEOBJ_HIDDEN_HEAP_V1, "a heap on the device (malloc)"},
    {CODEOBJ_HIDDEN_DEFAULT_QUEUE, "kernels that kernels start (enqueue_kernel)"},
    {CODEOBJ_HIDDEN_COMPLETION_ACTION, "kernels that kernels start (enqueue_kernel)"},
};

/* When a kernel has faulted for want of such a service: an error that says so. */
static void explain_fault(const struct launch *x)
{
    size_t n;
    uint64_t total;
    const struct mem_fault *f = mem_faults(x->gpu->vm, &n, &total);

    for (size_t i = 0; i < n; i++)
        for (unsigned s = 0; s < ARRAY_LEN(services); s++)
            if (f[i].va >= SERVICE_VA(s) && f[i].va < SERVICE_VA(s + 1)) {
                fail(x, "it needs %s, which is not supported (argument %s)", services[s].what,
                     codeobj_kind_name(services[s].kind));
                return;
            }
}

/* What the launcher puts into an argument that no caller passes. */
static uint64_t hidden(const struct launch *x, enum codeobj_kind kind)
{
    const struct atoll_kernel_launch *l = x->l;
    uint32_t shared_hi, private_hi;

    emu_apertures(&x->gpu->regs, &shared_hi, &private_hi);
    switch (kind) {
    case CODEOBJ_HIDDEN_BLOCK_COUNT_X: return l->grid[0] / l->group[0]; /* full groups only */
    case CODEOBJ_HIDDEN_BLOCK_COUNT_Y: return l->grid[1] / l->group[1];
    case CODEOBJ_HIDDEN_BLOCK_COUNT_Z: return l->grid[2] / l->group[2];
    case CODEOBJ_HIDDEN_GROUP_SIZE_X: return l->group[0];
    case CODEOBJ_HIDDEN_GROUP_SIZE_Y: return l->group[1];
    case CODEOBJ_HIDDEN_GROUP_SIZE_Z: return l->group[2];
    case CODEOBJ_HIDDEN_REMAINDER_X: return x->remainder[0];
    case CODEOBJ_HIDDEN_REMAINDER_Y: return x->remainder[1];
    case CODEOBJ_HIDDEN_REMAINDER_Z: return x->remainder[2];
    case CODEOBJ_HIDDEN_GRID_DIMS: return l->grid[2] > 1 ? 3 : l->grid[1] > 1 ? 2 : 1;
    case CODEOBJ_HIDDEN_DYNAMIC_LDS_SIZE: return x->lds_bytes - x->k->lds_bytes;
    case CODEOBJ_HIDDEN_PRIVATE_BASE: return private_hi;
    case CODEOBJ_HIDDEN_SHARED_BASE: return shared_hi;
    case CODEOBJ_HIDDEN_QUEUE_PTR: return QUEUE_VA;
    case CODEOBJ_HIDDEN_PRINTF_BUFFER: return PRINTF_VA;
    default:
        for (unsigned i = 0; i < ARRAY_LEN(services); i++)
            if (services[i].kind == kind)
                return SERVICE_VA(i);
        return 0; /* global offsets; a grid of several devices, which it is not */
    }
}

static int put(struct launch *x, unsigned i, uint64_t at, const void *p, uint64_t bytes)
{
    if (at + bytes > KERNARG_MAX)
        return fail(x, "argument %u lies at byte %llu of the kernel arguments; %u are supported", i,
                    (unsigned long long)at, KERNARG_MAX);
    memcpy(x->kernarg + at, p, bytes);
    x->kernarg_bytes = MAX2(x->kernarg_bytes, (uint32_t)(at + bytes));
    return 0;
}

/* LDS behind the static part, for an argument that points there. */
static uint32_t take_lds(struct launch *x, uint32_t bytes, uint32_t align)
{
    uint64_t at;

    if (!align || align > 4096 || (align & (align - 1)))
        align = 16;
    at = align_up(x->lds_bytes, align);
    x->lds_bytes = (uint32_t)MIN2(at + bytes, UINT32_MAX);
    return (uint32_t)at;
}

static int put_arg(struct launch *x, unsigned i, const struct codeobj_arg *a)
{
    const struct atoll_kernel_arg *v = &x->l->args[i];
    const char *name = a->name ? a->name : "", *type = a->type ? a->type : codeobj_kind_name(a->kind);

    if (a->kind == CODEOBJ_DYNAMIC_SHARED_POINTER) {
        uint32_t at;

        if (v->value)
            return fail(x, "argument %u (%.60s %.60s) is in LDS: give its size, not a value", i, type, name);
        at = take_lds(x, v->bytes, a->align);
        return put(x, i, a->offset, &at, sizeof at);
    }
    if (a->kind != CODEOBJ_BY_VALUE && a->kind != CODEOBJ_GLOBAL_BUFFER)
        return fail(x, "argument %u (%.60s %.60s) is of kind %s, which is not supported", i, type, name,
                    codeobj_kind_name(a->kind));
    if (!v->value)
        return fail(x, "argument %u (%.60s %.60s) is not in LDS", i, type, name);
    if (v->bytes != a->size)
        return fail(x, "argument %u (%.60s %.60s) has %u bytes, but %u are given", i, type, name, a->size,
                    v->bytes);
    return put(x, i, a->offset, v->value, a->size);
}

static int put_args(struct launch *x)
{
    const struct codeobj_kernel *k = x->k;
    unsigned n = 0;
    uint64_t at = 0;

    x->lds_bytes = (uint32_t)MIN2(k->lds_bytes + (uint64_t)x->l->lds_bytes, UINT32_MAX);
    x->kernarg_bytes = k->kernarg_bytes;
    if (k->kernarg_bytes > KERNARG_MAX)
        return fail(x, "%u bytes of arguments; %u are supported", k->kernarg_bytes, KERNARG_MAX);
    if (!k->has_args) { /* one behind the other, each aligned to its size */
        for (unsigned i = 0; i < x->l->arg_count; i++) {
            const struct atoll_kernel_arg *v = &x->l->args[i];
            uint32_t lds, bytes = v->value ? v->bytes : 4;
            uint64_t align = 1;

            while (align < bytes && align < 16)
                align *= 2;
            if (!v->value)
                lds = take_lds(x, v->bytes, 0);
            at = align_up(at, align);
            if (put(x, i, at, v->value ? v->value : &lds, bytes))
                return -1;
            at += bytes;
        }
        return 0;
    }
    for (unsigned i = 0; i < k->arg_count; i++)
        n += codeobj_kind_explicit(k->args[i].kind);
    if (n != x->l->arg_count)
        return fail(x, "it takes %u arguments, but %u are given", n, x->l->arg_count);
    n = 0;
    for (unsigned i = 0; i < k->arg_count; i++)
        if (codeobj_kind_explicit(k->args[i].kind) && put_arg(x, n++, &k->args[i]))
            return -1;
    for (unsigned i = 0; i < k->arg_count; i++) { /* now that the size of LDS is known */
        const struct codeobj_arg *a = &k->args[i];
        uint64_t v = hidden(x, a->kind);

        if (!codeobj_kind_explicit(a->kind) && put(x, i, a->offset, &v, MIN2(a->size, sizeof v)))
            return -1;
    }
    return 0;
}

/* ---- size, scratch ---------------------------------------------------------------- */

static int check_size(struct launch *x)
{
    const struct atoll_kernel_launch *l = x->l;
    const struct codeobj_kernel *k = x->k;
    uint64_t threads = 1;

    for (unsigned i = 0; i < 3; i++) {
        if (!l->grid[i] || !l->group[i])
            return fail(x, "a grid of %u x %u x %u in groups of %u x %u x %u", l->grid[0], l->grid[1],
                        l->grid[2], l->group[0], l->group[1], l->group[2]);
        threads *= MIN2(l->group[i], 65536);
        if (k->group[i] && k->group[i] != l->group[i])
            return fail(x, "it was compiled for groups of %u x %u x %u, not %u x %u x %u", k->group[0],
                        k->group[1], k->group[2], l->group[0], l->group[1], l->group[2]);
        x->groups[i] = l->grid[i] / l->group[i] + (l->grid[i] % l->group[i] != 0);
        x->remainder[i] = l->grid[i] % l->group[i];
    }
    if (threads > (k->max_threads ? MIN2(k->max_threads, GROUP_MAX) : GROUP_MAX))
        return fail(x, "groups of %llu work-items: at most %u", (unsigned long long)threads,
                    k->max_threads ? MIN2(k->max_threads, GROUP_MAX) : GROUP_MAX);
    return 0;
}

/* Scratch for as many waves as can be resident, within bounds. */
static int set_scratch(struct launch *x)
{
    const struct codeobj_kernel *k = x->k;
    const struct chip *c = x->gpu->chip;
    const uint32_t *g = x->l->group;
    struct emu_launch_state *s = x->gpu->launch;
    uint64_t bytes = k->private_bytes, waves = (g[0] * g[1] * g[2] + WAVE - 1) / WAVE, most;

    if (k->dynamic_stack || x->l->stack_bytes)
        bytes += x->l->stack_bytes ? x->l->stack_bytes : STACK_DEFAULT;
    most = (uint64_t)c->se * c->sh_per_se * c->cu_per_sh * CU_SIMDS * CU_SLOTS_PER_SIMD;
    x->private_bytes = (uint32_t)MIN2(bytes, UINT32_MAX);
    bytes = align_up(bytes * WAVE, SCRATCH_UNIT);
    x->wave_scratch_bytes = (uint32_t)MIN2(bytes, UINT32_MAX);
    if (!bytes)
        return 0;
    if (regs_extract(c->gen, F_COMPUTE_TMPRING_SIZE__WAVESIZE,
                     regs_insert(c->gen, F_COMPUTE_TMPRING_SIZE__WAVESIZE, 0,
                                 x->wave_scratch_bytes / SCRATCH_UNIT)) != bytes / SCRATCH_UNIT ||
        waves * bytes > SCRATCH_MAX)
        return fail(x, "%u bytes of scratch for each work-item: too many", x->private_bytes);
    for (unsigned i = 0; i < 3; i++)
        waves = MIN2(waves * x->groups[i], most);
    waves = MIN2(waves, SCRATCH_MAX / bytes);
    waves = MIN2(waves, regs_extract(c->gen, F_COMPUTE_TMPRING_SIZE__WAVES, UINT32_MAX));
    x->scratch_waves = (uint32_t)waves;
    bytes = align_up(bytes * waves, 65536);
    if (bytes > s->scratch_bytes) {
        if (atoll_map(x->gpu, SCRATCH_VA, bytes, NULL))
            return -1;
        s->scratch_bytes = bytes;
    }
    return 0;
}

/* The V# of scratch: dwords interleaved over the lanes of a wave. Its DATA_FORMAT is a part of the stride
 * from GFX8 on (with ADD_TID_ENABLE), so 0 there. */
static void scratch_vsharp(const struct launch *x, uint32_t d[4])
{
    const enum gfx gen = x->gpu->chip->gen;
    uint32_t log2 = 0;

    while (2u << log2 < x->k->element_bytes)
        log2++;
    d[0] = (uint32_t)SCRATCH_VA;
    d[1] = regs_insert(gen, F_SQ_BUF_RSRC_WORD1__BASE_ADDRESS_HI, 0, SCRATCH_VA >> 32);
    d[1] = regs_insert(gen, F_SQ_BUF_RSRC_WORD1__SWIZZLE_ENABLE, d[1], 1);
    d[2] = x->scratch_waves * x->wave_scratch_bytes;
    d[3] = regs_insert(gen, F_SQ_BUF_RSRC_WORD3__ADD_TID_ENABLE, 0, 1);
    d[3] = regs_insert(gen, F_SQ_BUF_RSRC_WORD3__INDEX_STRIDE, d[3], 3); /* 64 */
    d[3] = regs_insert(gen, F_SQ_BUF_RSRC_WORD3__NUM_FORMAT, d[3], V_BUF_NUM_FORMAT__BUF_NUM_FORMAT_UINT);
    if (gen < GFX9)
        d[3] = regs_insert(gen, F_SQ_BUF_RSRC_WORD3__ELEMENT_SIZE, d[3], log2);
    if (gen < GFX8)
        d[3] = regs_insert(gen, F_SQ_BUF_RSRC_WORD3__DATA_FORMAT, d[3],
                           V_BUF_DATA_FORMAT__BUF_DATA_FORMAT_32);
}

/* ---- registers and memory of the launch ------------------------------------------- */

/* User SGPRs in the order of the bits of codeobj_input. Returns how many. */
static unsigned user_sgprs(const struct launch *x, uint32_t out[32])
{
    const uint32_t in = x->k->inputs;
    const enum gfx gen = x->gpu->chip->gen;
    unsigned n = 0;

#define PUT64(v) (out[n] = (uint32_t)(v), out[n + 1] = (uint32_t)((uint64_t)(v) >> 32), n += 2)
    if (in & CODEOBJ_PRIVATE_SEGMENT_BUFFER) {
        scratch_vsharp(x, out + n);
        n += 4;
    }
    if (in & CODEOBJ_DISPATCH_PTR)
        PUT64(PACKET_VA);
    if (in & CODEOBJ_QUEUE_PTR)
        PUT64(QUEUE_VA);
    if (in & CODEOBJ_KERNARG_SEGMENT_PTR)
        PUT64(KERNARG_VA);
    if (in & CODEOBJ_DISPATCH_ID)
        PUT64(x->gpu->launch->count);
    if (in & CODEOBJ_FLAT_SCRATCH_INIT) {
        if (gen == GFX9)
            PUT64(SCRATCH_VA);
        else
            PUT64(SCRATCH_VA | (uint64_t)x->private_bytes << 32);
    }
#undef PUT64
    if (in & CODEOBJ_PRIVATE_SEGMENT_SIZE)
        out[n++] = x->private_bytes;
    for (unsigned i = 0; i < 3; i++)
        if (in & (uint32_t)CODEOBJ_GRID_WORKGROUP_COUNT_X << i)
            out[n++] = x->groups[i];
    return n;
}

/* The memory that a kernel may look at: its packet, its queue, its arguments. */
static int write_memory(const struct launch *x, uint64_t kernel_va)
{
    const struct atoll_kernel_launch *l = x->l;
    uint8_t packet[64] = {0}, queue[256] = {0};
    uint32_t shared_hi, private_hi;

    store_le16(packet, 2); /* a kernel dispatch; no fences */
    store_le16(packet + 2, (uint16_t)hidden(x, CODEOBJ_HIDDEN_GRID_DIMS));
    for (unsigned i = 0; i < 3; i++) {
        store_le16(packet + 4 + 2 * i, (uint16_t)l->group[i]);
        store_le32(packet + 12 + 4 * i, l->grid[i]);
    }
    store_le32(packet + 24, x->private_bytes);
    store_le32(packet + 28, x->lds_bytes);
    store_le64(packet + 32, kernel_va);
    store_le64(packet + 40, KERNARG_VA);
    emu_apertures(&x->gpu->regs, &shared_hi, &private_hi);
    store_le32(queue + 64, shared_hi);
    store_le32(queue + 68, private_hi);
    return atoll_write(x->gpu, PACKET_VA, packet, sizeof packet) ||
           atoll_write(x->gpu, QUEUE_VA, queue, sizeof queue) ||
           atoll_write(x->gpu, KERNARG_VA, x->kernarg, x->kernarg_bytes) ? -1 : 0;
}

static int submit(const struct launch *x, uint64_t entry_va, const uint32_t *user, unsigned user_n)
{
    struct atoll_gpu *gpu = x->gpu;
    const enum gfx gen = gpu->chip->gen;
    const struct atoll_kernel_launch *l = x->l;
    static const enum reg_id start[3] = {R_COMPUTE_START_X, R_COMPUTE_START_Y, R_COMPUTE_START_Z};
    static const enum reg_id num[3] = {R_COMPUTE_NUM_THREAD_X, R_COMPUTE_NUM_THREAD_Y,
                                       R_COMPUTE_NUM_THREAD_Z};
    const unsigned lds_unit = gpu->cu_cfg.lds_granule_bytes;
    struct pm4_builder b;
    uint32_t rsrc2, tmpring, initiator = 0;
    struct atoll_ib ib = {ATOLL_RING_COMPUTE, IB_VA, 0};
    int result;

    rsrc2 = regs_insert(gen, F_COMPUTE_PGM_RSRC2__LDS_SIZE, x->k->rsrc2,
                        (x->lds_bytes + lds_unit - 1) / lds_unit);
    tmpring = regs_insert(gen, F_COMPUTE_TMPRING_SIZE__WAVES, 0, x->scratch_waves);
    tmpring = regs_insert(gen, F_COMPUTE_TMPRING_SIZE__WAVESIZE, tmpring,
                          x->wave_scratch_bytes / SCRATCH_UNIT);
    pm4_builder_init(&b, gen);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t n = regs_insert(gen, F_COMPUTE_NUM_THREAD_X__NUM_THREAD_FULL, 0, l->group[i]);

        n = regs_insert(gen, F_COMPUTE_NUM_THREAD_X__NUM_THREAD_PARTIAL, n,
                        x->remainder[i] ? x->remainder[i] : l->group[i]);
        pm4_emit_set(&b, start[i], 0);
        pm4_emit_set(&b, num[i], n);
    }
    pm4_emit_set(&b, R_COMPUTE_PGM_LO, (uint32_t)(entry_va >> 8));
    pm4_emit_set(&b, R_COMPUTE_PGM_HI, (uint32_t)(entry_va >> 40));
    pm4_emit_set(&b, R_COMPUTE_PGM_RSRC1, x->k->rsrc1);
    pm4_emit_set(&b, R_COMPUTE_PGM_RSRC2, rsrc2);
    pm4_emit_set(&b, R_COMPUTE_RESOURCE_LIMITS, 0);
    pm4_emit_set(&b, R_COMPUTE_TMPRING_SIZE, tmpring);
    for (unsigned i = 0; i < user_n; i++)
        pm4_emit_set(&b, regs_element(R_COMPUTE_USER_DATA_0, i), user[i]);
    initiator = regs_insert(gen, F_COMPUTE_DISPATCH_INITIATOR__COMPUTE_SHADER_EN, initiator, 1);
    initiator = regs_insert(gen, F_COMPUTE_DISPATCH_INITIATOR__PARTIAL_TG_EN, initiator, 1);
    initiator = regs_insert(gen, F_COMPUTE_DISPATCH_INITIATOR__FORCE_START_AT_000, initiator, 1);
    initiator = regs_insert(gen, F_COMPUTE_DISPATCH_INITIATOR__USE_THREAD_DIMENSIONS, initiator, 1);
    pm4_emit_packet(&b, PM4_DISPATCH_DIRECT, true, 4,
                    (uint32_t[]){l->grid[0], l->grid[1], l->grid[2], initiator});
    ib.size_dw = b.count;
    result = b.failed ? err_set(&gpu->err, "the dispatch could not be built")
                      : atoll_write(gpu, IB_VA, b.dw, 4 * (uint64_t)b.count);
    pm4_builder_free(&b);
    return result ? result : atoll_submit(gpu, &ib, 1);
}

/* ---- printf ----------------------------------------------------------------------- */

/* An empty buffer. Its header: bytes used behind it, bytes of the whole. */
static int start_printf(const struct launch *x)
{
    struct emu_launch_state *s = x->gpu->launch;

    if (!codeobj_printf_bytes(x->code))
        return 0;
    if (!s->printf_buffer) {
        s->printf_buffer = aligned_alloc(4096, PRINTF_BYTES);
        if (!s->printf_buffer)
            return fail(x, "out of memory");
        if (atoll_map(x->gpu, PRINTF_VA, PRINTF_BYTES, s->printf_buffer)) {
            free(s->printf_buffer);
            s->printf_buffer = NULL;
            return -1;
        }
    }
    store_le32(s->printf_buffer, 0);
    store_le32(s->printf_buffer + 4, PRINTF_BYTES);
    return 0;
}

enum { PRINTF_BAD = 0x70726600, PRINTF_FULL }; /* keys of reports */

static void to_stdout(void *ctx, const char *text, size_t n)
{
    (void)ctx;
    fwrite(text, 1, n, stdout);
}

static void end_printf(const struct launch *x)
{
    const struct emu_launch_state *s = x->gpu->launch;
    const size_t most = codeobj_printf_bytes(x->code);
    uint32_t used;
    struct err e;

    if (!most)
        return;
    used = load_le32(s->printf_buffer);
    if (codeobj_print(x->code, s->printf_buffer + 8, MIN2(used, PRINTF_BYTES - 8), x->l->print ? x->l->print : to_stdout,
                      x->l->print_ctx, &e))
        loud_report(x->gpu->loud, LOUD_OTHER, PRINTF_BAD, "kernel %.80s: %.300s", x->l->kernel, e.text);
    if (used + most + 8 > PRINTF_BYTES)
        loud_report(x->gpu->loud, LOUD_OTHER, PRINTF_FULL,
                    "kernel %.80s: its buffer of printf (%u bytes) is full; output may be lost", x->l->kernel,
                    PRINTF_BYTES);
}

static int launch(struct launch *x, const struct atoll_module *m)
{
    const struct codeobj_kernel *k = x->k;
    const enum gfx gen = x->gpu->chip->gen;
    uint32_t user[32] = {0};
    uint64_t entry;
    unsigned n, want;
    int result;

    if (codeobj_entry(m->code, k, m->image, &entry, &x->gpu->err) || check_size(x) || put_args(x) ||
        set_scratch(x))
        return -1;
    if (x->lds_bytes > x->gpu->cu_cfg.lds_group_max_bytes)
        return fail(x, "%u bytes of LDS: a group can have %u", x->lds_bytes,
                    x->gpu->cu_cfg.lds_group_max_bytes);
    n = user_sgprs(x, user);
    want = regs_extract(gen, F_COMPUTE_PGM_RSRC2__USER_SGPR, k->rsrc2);
    if (n > want || want > 16)
        return fail(x, "its descriptor asks for %u SGPRs of inputs but has %u user SGPRs (at most 16)", n,
                    want);
    x->gpu->launch->count++;
    if (write_memory(x, m->va + k->descriptor) || start_printf(x))
        return -1;
    result = submit(x, m->va + entry, user, want);
    end_printf(x);
    if (result > 0)
        explain_fault(x);
    return result;
}

ATOLL_API int atoll_module_launch(struct atoll_module *m, const struct atoll_kernel_launch *l)
{
    struct launch *x;
    int result;

    m->gpu->err.text[0] = '\0';
    if (!codeobj_find(m->code, l->kernel))
        return err_set(&m->gpu->err, "no kernel '%.200s' in the code object", l->kernel);
    if (l->arg_count > ARGS_MAX)
        return err_set(&m->gpu->err, "more than %u arguments", ARGS_MAX);
    x = calloc(1, sizeof *x);
    if (!x)
        return err_set(&m->gpu->err, "out of memory");
    x->gpu = m->gpu;
    x->code = m->code;
    x->k = codeobj_find(m->code, l->kernel);
    x->l = l;
    result = launch(x, m);
    free(x);
    return result;
}
