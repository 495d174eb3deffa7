/* replay: a capture on a device of its own. */
#include "config.h"

#include "emu/replay.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Memory that mappings share. */
struct object {
    uint64_t id, bytes;
    uint8_t *host;
};

struct replay {
    struct capture_reader *rd;
    struct replay_options opt;
    struct atoll_gpu *gpu;
    struct emu_targets *targets;
    struct capture_maps maps;
    struct object *objects;
    size_t object_count, object_slots;
    struct replay_draw *draws;
    size_t draw_count, draw_slots;
    uint64_t submissions;
    unsigned mismatches;
    bool out_of_memory;
    bool faulted;
    struct err fault; /* the first */
};

/* ---- what a draw was ------------------------------------------------------------------------- */

/* Where each stage's code is. */
static const struct {
    enum reg_id lo, hi;
} shader_regs[REPLAY_STAGES] = {
    [STAGE_LS] = {R_SPI_SHADER_PGM_LO_LS, R_SPI_SHADER_PGM_HI_LS},
    [STAGE_HS] = {R_SPI_SHADER_PGM_LO_HS, R_SPI_SHADER_PGM_HI_HS},
    [STAGE_ES] = {R_SPI_SHADER_PGM_LO_ES, R_SPI_SHADER_PGM_HI_ES},
    [STAGE_GS] = {R_SPI_SHADER_PGM_LO_GS, R_SPI_SHADER_PGM_HI_GS},
    [STAGE_VS] = {R_SPI_SHADER_PGM_LO_VS, R_SPI_SHADER_PGM_HI_VS},
    [STAGE_PS] = {R_SPI_SHADER_PGM_LO_PS, R_SPI_SHADER_PGM_HI_PS},
    [STAGE_CS] = {R_COMPUTE_PGM_LO, R_COMPUTE_PGM_HI},
};
_Static_assert(STAGE_COUNT == REPLAY_STAGES, "a row for each stage");

static void note_shaders(const struct reg_file *rf, struct replay_draw *d)
{
    const bool on[REPLAY_STAGES] = {
        [STAGE_LS] = !d->is_dispatch && regs_field(rf, F_VGT_SHADER_STAGES_EN__LS_EN),
        [STAGE_HS] = !d->is_dispatch && regs_field(rf, F_VGT_SHADER_STAGES_EN__HS_EN),
        [STAGE_ES] = !d->is_dispatch && regs_field(rf, F_VGT_SHADER_STAGES_EN__ES_EN),
        [STAGE_GS] = !d->is_dispatch && regs_field(rf, F_VGT_SHADER_STAGES_EN__GS_EN),
        [STAGE_VS] = !d->is_dispatch,
        [STAGE_PS] = !d->is_dispatch,
        [STAGE_CS] = d->is_dispatch,
    };

    for (unsigned i = 0; i < REPLAY_STAGES; i++)
        if (on[i])
            d->shader_va[i] = ((uint64_t)regs_get(rf, shader_regs[i].hi) << 40 |
                               (uint64_t)regs_get(rf, shader_regs[i].lo) << 8) & MEM_VA_MASK;
}

static void note_draw(struct replay *r, struct atoll_gpu *gpu, const struct atoll_draw_event *ev)
{
    unsigned used[RASTER_MRTS + 2];
    struct replay_draw *d;
    int n = 0;

    if (r->draw_count == r->draw_slots) {
        size_t slots = r->draw_slots ? 2 * r->draw_slots : 64;

        d = realloc(r->draws, slots * sizeof *d);
        if (!d) {
            r->out_of_memory = true;
            return;
        }
        r->draws = d;
        r->draw_slots = slots;
    }
    d = &r->draws[r->draw_count++];
    *d = (struct replay_draw){
        .number = ev->number,
        .submission = (uint32_t)r->submissions,
        .is_dispatch = ev->is_dispatch,
        .packet = ev->packet,
        .ib_va = ev->ib_va,
        .offset_dw = ev->offset_dw,
    };
    note_shaders(&gpu->regs, d);
    if (ev->is_dispatch)
        return;
    d->prim_type = regs_get(&gpu->regs, R_VGT_PRIMITIVE_TYPE);
    d->count = regs_get(&gpu->regs, R_VGT_NUM_INDICES);
    n = emu_targets_note(r->targets, gpu, ev->number, used);
    if (n < 0)
        r->out_of_memory = true;
    for (int i = 0; i < n; i++)
        d->targets[d->target_count++] = (uint8_t)MIN2(used[i], 255);
}

static void on_draw(void *ctx, struct atoll_gpu *gpu, const struct atoll_draw_event *ev)
{
    struct replay *r = ctx;

    if (!ev->after)
        return;
    note_draw(r, gpu, ev);
    if (r->opt.progress)
        r->opt.progress(r->opt.progress_ctx, r->submissions, ev->number + 1);
    if (r->opt.after_draw)
        r->opt.after_draw(r->opt.progress_ctx, r, ev->number);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The memory of an object; NULL with *e set. */
static uint8_t *object_memory(struct replay *r, const struct capture_map *m, struct err *e)
{
    struct object *o;

    for (size_t i = 0; i < r->object_count; i++)
        if (r->objects[i].id == m->object) {
            if (r->objects[i].bytes == m->object_bytes)
                return r->objects[i].host;
            err_set(e, "object %llu has another size than in its first mapping",
                    (unsigned long long)m->object);
            return NULL;
        }
    if (r->object_count == r->object_slots) {
        size_t slots = r->object_slots ? 2 * r->object_slots : 64;

        o = realloc(r->objects, slots * sizeof *o);
        if (!o) {
            err_set(e, "out of memory");
            return NULL;
        }
        r->objects = o;
        r->object_slots = slots;
    }
    o = &r->objects[r->object_count];
    o->id = m->object;
    o->bytes = m->object_bytes;
    o->host = mmap(NULL, o->bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (o->host == MAP_FAILED) {
        err_set(e, "the host has no room for object %llu (%llu bytes)",
                (unsigned long long)m->object, (unsigned long long)o->bytes);
        return NULL;
    }
    r->object_count++;
    return o->host;
}

static void object_free(struct object *o)
{
    munmap(o->host, o->bytes);
}

/* Free the objects of which no mapping is left. */
static void sweep_objects(struct replay *r)
{
    for (size_t i = 0; i < r->object_count;) {
        bool mapped = false;

        for (size_t k = 0; k < r->maps.count && !mapped; k++)
            mapped = r->maps.m[k].object == r->objects[i].id;
        if (mapped) {
            i++;
            continue;
        }
        object_free(&r->objects[i]);
        r->objects[i] = r->objects[--r->object_count];
    }
}

static int apply_map(struct replay *r, const struct capture_map *m, struct err *e)
{
    uint8_t *host = NULL;

    if (m->object && !(host = object_memory(r, m, e)))
        return -1;
    if (capture_maps_map(&r->maps, m, e) ||
        mem_map(r->gpu->vm, m->va, m->bytes, host ? host + m->offset : NULL, m->prot, e))
        return -1;
    sweep_objects(r);
    return 0;
}

static int apply_unmap(struct replay *r, const struct capture_range *u, struct err *e)
{
    if (capture_maps_unmap(&r->maps, u->va, u->bytes, e) ||
        mem_unmap(r->gpu->vm, u->va, u->bytes, e))
        return -1;
    sweep_objects(r);
    return 0;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Keep the first thing that went wrong without ending the run. */
static void note_fault(struct replay *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void note_fault(struct replay *r, const char *fmt, ...)
{
    va_list ap;

    if (!r->faulted) {
        va_start(ap, fmt);
        vsnprintf(r->fault.text, sizeof r->fault.text, fmt, ap);
        va_end(ap);
    }
    r->faulted = true;
}

static int apply_submit(struct replay *r, const struct capture_submit *s, struct err *e)
{
    struct atoll_ib *ibs = calloc(s->ib_count + 1, sizeof *ibs);
    uint8_t fence[8];
    int rc;

    if (!ibs)
        return err_set(e, "out of memory");
    for (uint32_t i = 0; i < s->ib_count; i++)
        ibs[i] = (struct atoll_ib){(enum atoll_ring)s->ibs[i].ring, s->ibs[i].va,
                                   s->ibs[i].size_dw};
    rc = atoll_submit(r->gpu, ibs, s->ib_count);
    free(ibs);
    if (rc < 0)
        return err_set(e, "submission %llu: %s", (unsigned long long)r->submissions,
                       atoll_error(r->gpu));
    if (rc > 0)
        note_fault(r, "submission %llu: %s", (unsigned long long)r->submissions,
                   atoll_error(r->gpu));
    store_le64(fence, s->fence_value);
    if (s->fence_va && atoll_write(r->gpu, s->fence_va, fence, sizeof fence))
        note_fault(r, "submission %llu: its fence at 0x%llx is not mapped",
                   (unsigned long long)r->submissions, (unsigned long long)s->fence_va);
    r->submissions++;
    if (r->opt.progress)
        r->opt.progress(r->opt.progress_ctx, r->submissions, r->gpu->draw_number);
    return r->out_of_memory ? err_set(e, "out of memory") : 0;
}

static void check_expect(struct replay *r, const struct capture_expect *x)
{
    uint64_t hash = CAPTURE_HASH_START, at = 0;
    uint8_t buf[65536];

    if (r->opt.bent || r->opt.first_draw || r->opt.last_draw != UINT32_MAX)
        return;
    while (at < x->bytes) {
        uint64_t n = MIN2(x->bytes - at, sizeof buf);

        if (atoll_read(r->gpu, x->va + at, buf, n)) {
            r->mismatches++;
            note_fault(r, "%llu bytes at 0x%llx have an expected hash but are not all mapped",
                       (unsigned long long)x->bytes, (unsigned long long)x->va);
            return;
        }
        hash = capture_hash(hash, buf, n);
        at += n;
    }
    if (hash == x->hash)
        return;
    r->mismatches++;
    note_fault(r, "after submission %lld: %llu bytes at 0x%llx have hash %016llx, the capture expects "
               "%016llx", (long long)r->submissions - 1, (unsigned long long)x->bytes,
               (unsigned long long)x->va, (unsigned long long)hash, (unsigned long long)x->hash);
}

static int apply(struct replay *r, const struct capture_record *rec, struct err *e)
{
    switch (rec->kind) {
    case CAPTURE_MAP: return apply_map(r, &rec->map, e);
    case CAPTURE_UNMAP: return apply_unmap(r, &rec->unmap, e);
    case CAPTURE_MEMORY:
        return atoll_write(r->gpu, rec->memory.va, rec->memory.data, rec->memory.bytes)
                   ? err_set(e, "memory for %s", atoll_error(r->gpu)) : 0;
    case CAPTURE_SUBMIT: return apply_submit(r, &rec->submit, e);
    case CAPTURE_EXPECT: check_expect(r, &rec->expect); return 0;
    default: return 0;
    }
}

enum replay_end replay_run(struct replay *r, struct err *e)
{
    struct capture_record rec;
    struct err why;
    int got;

    while ((got = capture_next(r->rd, &rec, e)) > 0) {
        if (apply(r, &rec, &why)) {
            err_set(e, "%s (capture chunk %u, %s, at byte %llu)", why.text, rec.sequence,
                    capture_kind_name(rec.kind), (unsigned long long)rec.offset);
            return REPLAY_BAD;
        }
    }
    if (got < 0)
        return REPLAY_BAD;
    if (r->faulted) {
        if (e)
            *e = r->fault;
        return REPLAY_FAULTED;
    }
    return REPLAY_DONE;
}

/* ---- making, asking, freeing ------------------------------------------------------------------- */

struct replay *replay_create(struct capture_reader *rd, const struct replay_options *opt,
                             struct err *e)
{
    const struct capture_header *h = capture_header(rd);
    struct replay *r;

    if (!chip_find(h->chip)) {
        err_set(e, "the capture is of chip '%s', which is not in the table of chips", h->chip);
        return NULL;
    }
    r = calloc(1, sizeof *r);
    if (r) {
        r->rd = rd;
        r->opt = *opt;
        r->gpu = atoll_gpu_create(h->chip, &opt->device);
        r->targets = calloc(1, sizeof *r->targets);
    }
    if (!r || !r->gpu || !r->targets) {
        err_set(e, "out of memory");
        replay_destroy(r);
        return NULL;
    }
    atoll_set_draw_range(r->gpu, opt->first_draw, opt->last_draw);
    atoll_on_draw(r->gpu, on_draw, r);
    return r;
}

void replay_destroy(struct replay *r)
{
    if (!r)
        return;
    if (r->targets)
        emu_targets_free(r->targets);
    free(r->targets);
    atoll_gpu_destroy(r->gpu);
    for (size_t i = 0; i < r->object_count; i++)
        object_free(&r->objects[i]);
    capture_maps_free(&r->maps);
    free(r->objects);
    free(r->draws);
    free(r);
}

struct atoll_gpu *replay_gpu(struct replay *r)
{
    return r->gpu;
}

uint64_t replay_submissions(const struct replay *r)
{
    return r->submissions;
}

const struct replay_draw *replay_draws(const struct replay *r, size_t *count)
{
    *count = r->draw_count;
    return r->draws;
}

struct emu_targets *replay_targets(struct replay *r)
{
    return r->targets;
}

unsigned replay_mismatches(const struct replay *r)
{
    return r->mismatches;
}
