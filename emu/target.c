/* target: which surfaces draws wrote, and their pixels. See target.h. */
#include "emu/target.h"

#include <stdlib.h>

/* What of a padded surface of pitch x rows the draw's scissors let through. */
static void visible(const struct raster_state *st, uint32_t pitch, uint32_t rows, uint32_t *w,
                    uint32_t *h)
{
    const struct raster_rect *s = &st->pa.vp[0].scissor;

    *w = s->x1 > 0 && (uint32_t)s->x1 < pitch ? (uint32_t)s->x1 : pitch;
    *h = rows;
    if (s->y1 > 0 && (!rows || (uint32_t)s->y1 < rows))
        *h = (uint32_t)s->y1;
}

static void describe_surface(struct emu_target *t, const struct raster_state *st,
                             const struct raster_surface *s)
{
    uint32_t pitch = st->gen == GFX9 ? s->sw.width_px : s->pitch_px;
    uint32_t rows = st->gen == GFX9 ? s->sw.height_px
                                    : (s->height_px ? s->height_px
                                                    : pitch ? s->slice_px / pitch : 0);

    visible(st, pitch, rows, &t->width, &t->height);
    t->va = s->va;
    t->first_slice = s->first_slice;
    /* A view that ends before it starts: CB and DB stay on one slice. */
    t->slices = s->last_slice > s->first_slice ? s->last_slice - s->first_slice + 1 : 1;
}

/* The same surface again: same place, kind and format. */
static struct emu_target *find(struct emu_targets *ts, const struct emu_target *n)
{
    for (unsigned i = 0; i < ts->count; i++) {
        struct emu_target *t = &ts->t[i];

        if (t->kind == n->kind && t->va == n->va && !strcmp(t->format, n->format) &&
            t->first_slice == n->first_slice)
            return t;
    }
    return NULL;
}

/* Put n into the list, or widen what is there. Returns its index, -1 when memory ran out. */
static int add(struct emu_targets *ts, struct emu_target *n, uint32_t draw)
{
    struct emu_target *t = find(ts, n);

    if (!t) {
        if (ts->count == ts->slots) {
            unsigned slots = ts->slots ? 2 * ts->slots : 8;

            t = realloc(ts->t, slots * sizeof *t);
            if (!t)
                return -1;
            ts->t = t;
            ts->slots = slots;
        }
        t = &ts->t[ts->count++];
        *t = *n;
        t->first_draw = draw;
    } else {
        t->width = MAX2(t->width, n->width);
        t->height = MAX2(t->height, n->height);
        t->slices = MAX2(t->slices, n->slices);
        t->st = n->st;
    }
    t->last_draw = draw;
    t->draws++;
    return (int)(t - ts->t);
}

static bool describe_color(struct emu_target *t, const struct raster_state *st, unsigned i)
{
    const struct raster_mrt *m = &st->cb.mrt[i];
    struct mem_format f;

    if (!m->bound || !(m->target_mask & m->shader_mask) ||
        !mem_format_cb(st->gen, m->format, m->number_type, &f))
        return false;
    memset(t, 0, sizeof *t);
    t->kind = EMU_TARGET_COLOR;
    t->slot = i;
    t->samples = 1u << m->coverage_log2;
    t->element_bytes = mem_layout_info(f.layout)->bits / 8;
    t->num = f.num;
    snprintf(t->format, sizeof t->format, "%s_%s", mem_layout_info(f.layout)->name,
             mem_num_name(f.num));
    describe_surface(t, st, &m->color);
    t->st = *st;
    t->st.cb.mode = V_CBMode__CB_NORMAL;
    t->st.db.color_kill = false;
    for (unsigned k = 0; k < RASTER_MRTS; k++)
        t->st.cb.mrt[k].bound &= k == i;
    return true;
}

static bool describe_depth(struct emu_target *t, const struct raster_state *st, bool stencil)
{
    const struct raster_db_state *db = &st->db;
    static const char *const names[] = {[V_ZFormat__Z_16] = "Z_16", [V_ZFormat__Z_24] = "Z_24",
                                        [V_ZFormat__Z_32_FLOAT] = "Z_32_FLOAT"};

    if (stencil ? !db->s_format || !(db->stencil_enable || db->stencil_clear)
                : db->z_format == V_ZFormat__Z_INVALID || !(db->z_enable || db->depth_clear))
        return false;
    memset(t, 0, sizeof *t);
    t->kind = stencil ? EMU_TARGET_STENCIL : EMU_TARGET_DEPTH;
    t->samples = 1u << (stencil ? db->s_read : db->z_read).samples_log2;
    t->element_bytes = stencil ? 1 : 4;
    t->num = stencil ? MEM_UINT : MEM_FLOAT;
    snprintf(t->format, sizeof t->format, "%s",
             stencil ? "STENCIL_8"
                     : db->z_format < ARRAY_LEN(names) && names[db->z_format] ? names[db->z_format]
                                                                              : "Z");
    describe_surface(t, st, stencil ? &db->s_read : &db->z_read);
    t->st = *st;
    t->st.db.z_enable = !stencil;
    t->st.db.stencil_enable = stencil;
    t->st.db.depth_bounds = t->st.db.depth_clear = t->st.db.stencil_clear = false;
    t->st.db.depth_compress_disable = t->st.db.stencil_compress_disable = false;
    t->st.db.decompress = t->st.db.resummarize = false;
    t->st.db.depth_copy = t->st.db.stencil_copy = false;
    return true;
}

int emu_targets_note(struct emu_targets *ts, const struct atoll_gpu *gpu, uint32_t draw,
                     unsigned used[RASTER_MRTS + 2])
{
    struct raster_state *st = malloc(sizeof *st);
    struct emu_target *t = malloc(sizeof *t);
    int n = 0, at = 0;

    if (!st || !t)
        at = -1;
    else /* what is not modelled was reported when the draw ran */
        raster_state_decode(st, &gpu->regs, gpu->chip, NULL, draw);
    for (unsigned i = 0; i < RASTER_MRTS + 2 && at >= 0; i++) {
        bool there = i < RASTER_MRTS ? describe_color(t, st, i)
                                     : describe_depth(t, st, i == RASTER_MRTS + 1);

        if (there && t->width && t->height && (at = add(ts, t, draw)) >= 0)
            used[n++] = (unsigned)at;
    }
    free(st);
    free(t);
    return at < 0 ? -1 : n;
}

void emu_targets_free(struct emu_targets *ts)
{
    free(ts->t);
    memset(ts, 0, sizeof *ts);
}

/* Bytes mapped without a gap from a surface's base on, at most `limit`. The base register has the bank
 * and pipe swizzle in its low bits, so the surface may start somewhat below. */
static uint64_t mapped_bytes(const struct mem_vm *vm, uint64_t va, uint64_t limit)
{
    struct mem_span s;
    uint64_t first, at;

    va &= MEM_VA_MASK;
    if (!mem_find(vm, va, &s))
        return 0;
    first = MAX2(s.va, va & ~(EMU_TARGET_SWIZZLE_BYTES - 1));
    for (at = s.end; at - first < limit && mem_find(vm, at, &s);)
        at = s.end;
    return MIN2(at - first, limit);
}

/* Bytes that a slice takes at least: only fragments are stored, and depth may have 16 bits. */
static uint64_t slice_bytes_least(const struct emu_target *t)
{
    const uint64_t px = (uint64_t)t->width * t->height;

    if (t->kind == EMU_TARGET_COLOR)
        return px * t->element_bytes << t->st.cb.mrt[t->slot].color.samples_log2;
    return px * t->samples * (t->kind == EMU_TARGET_DEPTH ? 2 : 1);
}

uint32_t emu_target_readable(const struct atoll_gpu *gpu, const struct emu_target *t)
{
    const uint64_t slice = slice_bytes_least(t), skip = slice * t->first_slice;
    const uint64_t mapped = mapped_bytes(gpu->vm, t->va, skip + slice * t->slices);

    if (mapped > skip && (mapped - skip) / slice)
        return (uint32_t)((mapped - skip) / slice);
    return slice <= EMU_TARGET_UNMAPPED_MAX;
}

static int read_color(struct atoll_gpu *gpu, const struct emu_target *t, uint32_t slice,
                      uint32_t (*rgba)[4], uint8_t *raw, struct err *e)
{
    struct raster_cb cb;
    uint8_t texel[16];

    raster_cb_begin(&cb, &t->st, gpu->vm, gpu->loud, t->last_draw);
    if (!cb.target[t->slot].on)
        return err_set(e, "colour target at 0x%llx cannot be addressed",
                       (unsigned long long)t->va);
    for (uint32_t y = 0; y < t->height; y++)
        for (uint32_t x = 0; x < t->width; x++)
            for (unsigned s = 0; s < t->samples; s++) {
                raster_cb_read(&cb, t->slot, slice, x, y, s, *rgba++, texel);
                memcpy(raw, texel, t->element_bytes);
                raw += t->element_bytes;
            }
    return 0;
}

int emu_target_read(struct atoll_gpu *gpu, const struct emu_target *t, uint32_t slice,
                    uint32_t (*rgba)[4], uint8_t *raw, struct err *e)
{
    struct raster_db db;

    if (t->kind == EMU_TARGET_COLOR)
        return read_color(gpu, t, slice, rgba, raw, e);
    raster_db_begin(&db, &t->st, gpu->vm, gpu->loud, t->last_draw);
    if (!(t->kind == EMU_TARGET_DEPTH ? db.z.on : db.s.on))
        return err_set(e, "depth or stencil at 0x%llx cannot be addressed",
                       (unsigned long long)t->va);
    for (uint32_t y = 0; y < t->height; y++)
        for (uint32_t x = 0; x < t->width; x++)
            for (unsigned s = 0; s < t->samples; s++, rgba++) {
                float z;
                uint8_t st;

                raster_db_read(&db, t->first_slice + slice, x, y, s, &z, &st);
                (*rgba)[0] = t->kind == EMU_TARGET_DEPTH ? f32_bits(z) : st;
                (*rgba)[1] = (*rgba)[2] = (*rgba)[3] = 0;
                memcpy(raw, *rgba, t->element_bytes);
                raw += t->element_bytes;
            }
    return 0;
}
