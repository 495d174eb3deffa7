/* Depth and stencil: the tests, and the surfaces they work on.
 *
 * A quad is tested sample by sample: stencil, depth bounds, depth. Tests run before shading unless the
 * shader may change what they decide (it kills, exports depth, stencil or a mask, or alpha becomes a
 * mask): then after it. DB_SHADER_CONTROL.DEPTH_BEFORE_SHADER forces them early. Depth is compared in
 * the format of the surface: integers for Z_16 and Z_24, floats for Z_32_FLOAT.
 *
 * Depth and stencil are separate surfaces with the depth micro tile order. On GFX7 and GFX8 their tiling
 * is in DB_DEPTH_INFO and in the TILE_SPLIT of each; on GFX6 TILE_MODE_INDEX selects it.
 *
 * HTILE has a dword for each tile of 8x8 pixels (see the enum below). A tile that it calls cleared is
 * filled with DB_DEPTH_CLEAR (DB_STENCIL_CLEAR) before anything else happens to it; tiles are always
 * written expanded, and the depth range that HTILE keeps is widened by what is written.
 *
 * Sources: DB_* names and fields; the depth and stencil chapters of the Vulkan specification. */
#include "raster/meta.h"

#include <math.h>

#define LOUD_DB 0x5000

static unsigned z_bytes(uint8_t format)
{
    return format == V_ZFormat__Z_16 ? 2 : 4;
}

/* ---- surfaces ----------------------------------------------------------------------------------- */

static int surface_init(struct mem_surface *out, const struct raster_state *st,
                        const struct raster_surface *s, unsigned bits, struct err *e)
{
    const uint32_t addr_config = st->chip->gb_addr_config;
    const unsigned samples = 1u << s->samples_log2;
    struct mem_tiling t;

    if (st->gen == GFX9)
        return raster_surface_gfx9(out, st, s, bits, e);
    /* Interleave and, on GFX6, everything else come from the chip's tables. */
    if (mem_tiling_decode(&t, st->gen, addr_config,
                          st->chip->tile_modes[st->gen == GFX6 ? s->tile_mode_index : 0],
                          st->chip->macrotile_modes, bits, samples, e))
        return -1;
    if (st->gen != GFX6) {
        const uint32_t v = st->db.depth_info;

        t.array_mode = regs_extract(st->gen, F_DB_DEPTH_INFO__ARRAY_MODE, v);
        t.pipe_config = regs_extract(st->gen, F_DB_DEPTH_INFO__PIPE_CONFIG, v);
        t.bank_width = 1u << regs_extract(st->gen, F_DB_DEPTH_INFO__BANK_WIDTH, v);
        t.bank_height = 1u << regs_extract(st->gen, F_DB_DEPTH_INFO__BANK_HEIGHT, v);
        t.macro_aspect = 1u << regs_extract(st->gen, F_DB_DEPTH_INFO__MACRO_TILE_ASPECT, v);
        t.banks = 2u << regs_extract(st->gen, F_DB_DEPTH_INFO__NUM_BANKS, v);
        t.tile_split_bytes = 64u << s->tile_split;
    }
    t.micro_mode = MEM_MICRO_DEPTH;
    return mem_surface_init(out, &t, s->va, bits, samples, s->pitch_px,
                            MIN2(s->height_px, s->slice_px / s->pitch_px), s->last_slice + 1, e);
}

static bool target_init(struct raster_db *db, struct raster_db_target *t,
                        const struct raster_surface *read, const struct raster_surface *write,
                        unsigned bits, const char *what, uint32_t draw)
{
    struct err e;

    t->on = false;
    if (surface_init(&t->read, db->st, read, bits, &e) ||
        surface_init(&t->write, db->st, write, bits, &e)) {
        loud_report(db->loud, LOUD_OTHER, LOUD_DB + bits, "%s surface of draw %u: %s", what, draw,
                    e.text);
        return false;
    }
    t->on = true;
    t->first_slice = read->first_slice;
    t->last_slice = read->last_slice;
    t->samples_log2 = read->samples_log2;
    return true;
}

/* HTILE belongs to the depth surface, also when a draw touches stencil alone; to the stencil surface only
 * where there is no depth. */
static int htile_init(struct raster_db *db, struct err *e)
{
    const struct raster_state *st = db->st;
    const struct raster_db_state *s = &st->db;
    const bool depth = s->z_format != V_ZFormat__Z_INVALID;
    const struct raster_surface *of = depth ? &s->z_read : &s->s_read;
    const unsigned bits = depth ? 8 * z_bytes(s->z_format) : 8;
    struct mem_surface *data = &db->htile_data;

    if (surface_init(data, st, of, bits, e))
        return -1;
    if (st->gen == GFX9) {
        const struct mem_swizzle sw = raster_swizzle(st, of);

        return raster_meta_gfx9(&db->htile, st->chip, MEM_META9_HTILE, &sw, bits, 1u << of->samples_log2,
                                s->htile_pipe_aligned, s->htile_rb_aligned, s->htile_va, e);
    }
    if (s->htile_tc_compatible) {
        const unsigned per_split = raster_samples_per_split(data);

        raster_meta_follow(&db->htile, data, data->base_va, 32, 64 * data->element_bytes * per_split,
                           per_split, s->htile_va);
        return 0;
    }
    return raster_meta_htile_tiled(&db->htile, st->gen, data, of->last_slice + 1, s->htile_linear,
                                   s->htile_va, e);
}

static void htile_begin(struct raster_db *db, uint32_t draw)
{
    struct err e;

    if (htile_init(db, &e)) {
        loud_report(db->loud, LOUD_OTHER, LOUD_DB, "HTILE at draw %u: %s", draw, e.text);
        return;
    }
    db->htile_on = true;
}

static bool stencil_changes(const struct raster_stencil *s)
{
    return s->write_mask && (s->fail != V_StencilOp__STENCIL_KEEP || s->zpass != V_StencilOp__STENCIL_KEEP ||
                             s->zfail != V_StencilOp__STENCIL_KEEP);
}

/* Z_ORDER says re-Z, and what fails before the shader also fails after it: nothing that an earlier primitive
 * writes late can let it pass (docs/errata.md, E-re-z). */
static bool may_re_z(const struct raster_db_state *s)
{
    if (s->z_order != V_ZOrder__RE_Z && s->z_order != V_ZOrder__EARLY_Z_THEN_RE_Z)
        return false;
    if (s->z_export || s->stencil_test_export || s->stencil_op_export || s->color_on_fail || s->no_color_on_pass ||
        s->depth_clear || s->stencil_clear)
        return false;
    if (s->stencil_enable && !s->s_read_only && (stencil_changes(&s->stencil[0]) || stencil_changes(&s->stencil[1])))
        return false;
    return !s->z_enable || !s->z_write || s->z_read_only ||
           (s->zfunc != V_CompareFrag__FRAG_EQUAL && s->zfunc != V_CompareFrag__FRAG_NOTEQUAL && !s->depth_bounds);
}

void raster_db_begin(struct raster_db *db, const struct raster_state *st, struct mem_vm *vm,
                     struct loud *loud, uint32_t draw)
{
    const struct raster_db_state *s = &st->db;
    const bool expand = s->htile && (s->depth_compress_disable || s->stencil_compress_disable ||
                                     s->decompress || s->resummarize);
    const bool uses_z = s->z_format != V_ZFormat__Z_INVALID &&
                        (s->z_enable || s->depth_bounds || s->depth_clear || s->depth_copy || expand);
    const bool uses_s = s->s_format && (s->stencil_enable || s->stencil_clear || s->stencil_copy || expand);

    memset(db, 0, sizeof *db);
    db->st = st;
    db->loud = loud;
    raster_access_begin(&db->mem, vm, MEM_DB);
    if (uses_z)
        target_init(db, &db->z, &s->z_read, &s->z_write_to, 8 * z_bytes(s->z_format), "depth", draw);
    if (uses_s)
        target_init(db, &db->s, &s->s_read, &s->s_write_to, 8, "stencil", draw);
    db->active = db->z.on || db->s.on;
    db->expand_only = expand && !s->z_enable && !s->depth_bounds && !s->depth_clear &&
                      !s->stencil_enable && !s->stencil_clear;
    if (db->active && s->htile)
        htile_begin(db, draw);
    db->late = !s->depth_before_shader &&
               (s->z_export || s->stencil_test_export || s->stencil_op_export || s->mask_export ||
                s->kill || s->alpha_to_mask || s->coverage_to_mask ||
                s->z_order == V_ZOrder__LATE_Z);
    db->re_z = db->late && db->active && !db->expand_only && may_re_z(s);
}

void raster_db_end(struct raster_db *db)
{
    mem_count(db->mem.vm, MEM_DB, db->mem.read_bytes, db->mem.written_bytes);
}

void raster_db_fork(struct raster_db *to, const struct raster_db *from)
{
    *to = *from;
    raster_access_begin(&to->mem, from->mem.vm, MEM_DB);
}

/* ---- values ------------------------------------------------------------------------------------- */

/* A depth in the surface's format: as it is stored. */
static uint32_t z_encode(uint8_t format, float z)
{
    const double max = format == V_ZFormat__Z_16 ? 65535 : 16777215;

    if (format == V_ZFormat__Z_32_FLOAT)
        return f32_bits(z);
    if (!(z > 0))
        return 0;
    return z >= 1 ? (uint32_t)max : (uint32_t)floor(z * max + 0.5);
}

static bool compare_order(uint8_t func, bool less, bool equal)
{
    switch (func) {
    case V_CompareFrag__FRAG_NEVER: return false;
    case V_CompareFrag__FRAG_LESS: return less;
    case V_CompareFrag__FRAG_EQUAL: return equal;
    case V_CompareFrag__FRAG_LEQUAL: return less || equal;
    case V_CompareFrag__FRAG_GREATER: return !less && !equal;
    case V_CompareFrag__FRAG_NOTEQUAL: return !equal;
    case V_CompareFrag__FRAG_GEQUAL: return !less;
    default: return true;
    }
}

/* new FUNC stored. */
static bool compare_z(uint8_t format, uint8_t func, uint32_t a, uint32_t b)
{
    if (format == V_ZFormat__Z_32_FLOAT) {
        float fa = bits_f32(a), fb = bits_f32(b);

        if (isnan(fa) || isnan(fb))
            return func == V_CompareFrag__FRAG_ALWAYS || func == V_CompareFrag__FRAG_NOTEQUAL;
        return compare_order(func, fa < fb, fa == fb);
    }
    return compare_order(func, a < b, a == b);
}

static float z_decode(uint8_t format, uint32_t v)
{
    if (format == V_ZFormat__Z_32_FLOAT)
        return bits_f32(v);
    return format == V_ZFormat__Z_16 ? v / 65535.0f : (float)(v / 16777215.0);
}

static uint8_t stencil_op(uint8_t op, uint8_t v, uint8_t test, uint8_t ov)
{
    switch (op) {
    case V_StencilOp__STENCIL_ZERO: return 0;
    case V_StencilOp__STENCIL_ONES: return 0xff;
    case V_StencilOp__STENCIL_REPLACE_TEST: return test;
    case V_StencilOp__STENCIL_REPLACE_OP: return ov;
    case V_StencilOp__STENCIL_ADD_CLAMP: return MIN2(v + ov, 255);
    case V_StencilOp__STENCIL_SUB_CLAMP: return v > ov ? v - ov : 0;
    case V_StencilOp__STENCIL_INVERT: return ~v;
    case V_StencilOp__STENCIL_ADD_WRAP: return v + ov;
    case V_StencilOp__STENCIL_SUB_WRAP: return v - ov;
    case V_StencilOp__STENCIL_AND: return v & ov;
    case V_StencilOp__STENCIL_OR: return v | ov;
    case V_StencilOp__STENCIL_XOR: return v ^ ov;
    case V_StencilOp__STENCIL_NAND: return ~(v & ov);
    case V_StencilOp__STENCIL_NOR: return ~(v | ov);
    case V_StencilOp__STENCIL_XNOR: return ~(v ^ ov);
    default: return v; /* KEEP */
    }
}

/* ---- memory ------------------------------------------------------------------------------------ */

#define TILE 8u

struct place {
    uint32_t x, y, slice, sample;
};

static uint32_t load_z(struct raster_db *db, const struct place *p)
{
    const unsigned n = z_bytes(db->st->db.z_format);
    const uint8_t *b = raster_access(&db->mem, db->z.read.base_va +
                                     mem_surface_offset(&db->z.read, p->x, p->y, p->slice, p->sample),
                                     n, false);
    uint32_t v = !b ? 0 : n == 2 ? load_le16(b) : load_le32(b);

    return db->st->db.z_format == V_ZFormat__Z_24 ? v & 0xffffff : v;
}

static void store_z(struct raster_db *db, const struct place *p, uint32_t v)
{
    const unsigned n = z_bytes(db->st->db.z_format);
    uint8_t *b = raster_access(&db->mem, db->z.write.base_va +
                               mem_surface_offset(&db->z.write, p->x, p->y, p->slice, p->sample),
                               n, true);

    if (b && n == 2)
        store_le16(b, (uint16_t)v);
    else if (b)
        store_le32(b, v);
}

static uint8_t *stencil_at(struct raster_db *db, const struct mem_surface *s, const struct place *p,
                           bool write)
{
    return raster_access(&db->mem, s->base_va + mem_surface_offset(s, p->x, p->y, p->slice, p->sample),
                         1, write);
}

/* ---- HTILE ------------------------------------------------------------------------------------- */

/* Fields of the dword. Depth alone: ZMASK, MIN and MAX of 14 bits. With stencil the range has 20 bits
 * and SMEM says of the stencil what ZMASK says of the depth. */
#define HTILE_ZMASK     0xfu
#define HTILE_SMEM      0x300u
#define HTILE_MIN_SHIFT 4
#define HTILE_MAX_SHIFT 18
#define HTILE_RANGE_MAX 0x3fff /* 14 bits */

enum { ZMASK_CLEARED = 0, ZMASK_EXPANDED = 0xf };

static void fill_tile(struct raster_db *db, const struct raster_db_target *t, struct place p, bool stencil)
{
    const uint8_t s = db->st->db.clear_stencil;
    const uint32_t z = z_encode(db->st->db.z_format, db->st->db.clear_depth), x = p.x, y = p.y;

    for (uint32_t i = 0; i < TILE * TILE; i++)
        for (p.sample = 0; p.sample < 1u << t->samples_log2; p.sample++) {
            uint8_t *b;

            p.x = x + i % TILE;
            p.y = y + i / TILE;
            if (!stencil)
                store_z(db, &p, z);
            else if ((b = stencil_at(db, &t->write, &p, true)))
                *b = s;
        }
}

static uint64_t htile_at(const struct raster_db *db, const struct place *p)
{
    return db->htile.va + raster_meta_nibble(&db->htile, &db->htile_data, p->x, p->y, p->slice, 0) / 2;
}

/* Make the tile of a quad hold what it stands for, and widen its range by z when it is written. */
static void open_tile(struct raster_db *db, struct place p)
{
    const bool has_stencil = !db->st->db.htile_stencil_disable;
    uint64_t at;
    uint8_t *b;
    uint32_t v;

    p.x &= ~(TILE - 1);
    p.y &= ~(TILE - 1);
    at = htile_at(db, &p);
    if (!(b = raster_access(&db->mem, at, 4, false)))
        return;
    v = load_le32(b);
    if (db->z.on && (v & HTILE_ZMASK) == ZMASK_CLEARED) {
        fill_tile(db, &db->z, p, false);
        v |= ZMASK_EXPANDED;
    } else if (db->z.on && (v & HTILE_ZMASK) != ZMASK_EXPANDED) {
        loud_report(db->loud, LOUD_OTHER, LOUD_DB + 2,
                    "HTILE 0x%08x: compressed depth, read as it lies in memory", v);
        v |= ZMASK_EXPANDED;
    }
    if (db->s.on && has_stencil && (v & HTILE_SMEM) != HTILE_SMEM) {
        if (!(v & HTILE_SMEM))
            fill_tile(db, &db->s, p, true);
        v |= HTILE_SMEM;
    }
    if (v != load_le32(b) && (b = raster_access(&db->mem, at, 4, true)))
        store_le32(b, v);
}

static void widen_range(struct raster_db *db, const struct place *p, float z)
{
    const uint64_t at = htile_at(db, p);
    const double q = (z > 0 ? z < 1 ? z : 1 : 0) * (double)HTILE_RANGE_MAX;
    uint32_t v, lo, hi;
    uint8_t *b;

    if (!db->st->db.htile_stencil_disable || !(b = raster_access(&db->mem, at, 4, true)))
        return;
    v = load_le32(b);
    lo = MIN2(v >> HTILE_MIN_SHIFT & HTILE_RANGE_MAX, (uint32_t)floor(q));
    hi = MAX2(v >> HTILE_MAX_SHIFT, (uint32_t)ceil(q));
    store_le32(b, (v & HTILE_ZMASK) | lo << HTILE_MIN_SHIFT | hi << HTILE_MAX_SHIFT);
}

/* ---- the tests ---------------------------------------------------------------------------------- */

/* One sample. Returns whether it passes; changes memory only when `write`. */
static bool test_sample(struct raster_db *db, const struct place *p, bool front, uint32_t new_z,
                        const struct raster_z_export *ex, bool write, struct raster_counters *cnt)
{
    const struct raster_db_state *st = &db->st->db;
    const struct raster_stencil *sf = &st->stencil[!front];
    bool s_pass = true, z_pass = true;
    uint8_t s_old = 0, test_val = sf->test_val, op_val = sf->op_val, op;

    cnt->db_tested++;
    /* The bounds come first: what fails there changes no stencil either. */
    if (db->z.on && st->depth_bounds) {
        const float z = z_decode(st->z_format, load_z(db, p));

        if (!(z >= st->bounds_min && z <= st->bounds_max)) {
            cnt->db_z_failed++;
            return false;
        }
    }
    if (db->s.on) {
        const uint8_t *b = stencil_at(db, &db->s.read, p, false);

        s_old = b ? *b : 0;
        if (ex && ex->has_stencil)
            test_val = ex->stencil;
        if (ex && ex->has_stencil_op)
            op_val = ex->stencil_op;
        if (st->stencil_enable) {
            uint8_t a = test_val & sf->mask, v = s_old & sf->mask;
            s_pass = compare_order(sf->func, a < v, a == v);
        }
    }
    if (s_pass && db->z.on) {
        if (st->z_enable)
            z_pass = compare_z(st->z_format, st->zfunc, new_z, load_z(db, p));
        if (z_pass && ((st->z_enable && st->z_write) || st->depth_clear) && !st->z_read_only &&
            write) {
            store_z(db, p, new_z);
            if (db->htile_on)
                widen_range(db, p, z_decode(st->z_format, new_z));
        }
    }
    if (db->s.on && !st->s_read_only && write) {
        uint8_t *b, v = s_old;

        op = !s_pass ? sf->fail : !z_pass ? sf->zfail : sf->zpass;
        if (st->stencil_clear)
            v = st->clear_stencil;
        else if (st->stencil_enable)
            v = stencil_op(op, s_old, test_val, op_val);
        v = (uint8_t)((v & sf->write_mask) | (s_old & ~sf->write_mask));
        if (v != s_old && (b = stencil_at(db, &db->s.write, p, true)))
            *b = v;
    }
    cnt->db_s_failed += !s_pass;
    cnt->db_z_failed += s_pass && !z_pass;
    return s_pass && z_pass;
}

static void test_quad(struct raster_db *db, const struct raster_prim *prim, const struct raster_quad *q,
                      uint16_t live[4], const struct raster_z_export ex[4], bool write,
                      struct raster_counters *cnt)
{
    const struct raster_db_state *st = &db->st->db;
    const struct raster_db_target *t = db->z.on ? &db->z : &db->s;
    struct place p;

    if (db->htile_on && (live[0] | live[1] | live[2] | live[3])) {
        p = (struct place){ (uint32_t)q->x, (uint32_t)q->y,
                            MIN2(t->first_slice + prim->slice, t->last_slice), 0 };
        open_tile(db, p);
    }
    for (unsigned k = 0; k < 4; k++) {
        uint16_t pass = live[k];

        if (db->active && !db->expand_only && live[k]) {
            p.x = (uint32_t)(q->x + (int32_t)(k & 1));
            p.y = (uint32_t)(q->y + (int32_t)(k >> 1));
            p.slice = MIN2(t->first_slice + prim->slice, t->last_slice);
            /* Stored samples are anchors; further coverage samples go with the anchor of their number
             * modulo the anchors (docs/errata.md, E-eqaa-depth). */
            for (unsigned s = 0; s < 1u << t->samples_log2; s++) {
                uint16_t group = 0;
                float z;

                for (unsigned c = s; c < RASTER_SAMPLES_MAX; c += 1u << t->samples_log2)
                    group |= live[k] & (1u << c);
                if (!group)
                    continue;
                p.sample = s;
                z = ex && ex[k].has_z ? ex[k].z
                                      : raster_sample_z(db->st, prim, (int32_t)p.x, (int32_t)p.y, s);
                if (st->depth_clear)
                    z = st->clear_depth;
                if (!test_sample(db, &p, prim->front, z_encode(st->z_format, z), ex ? &ex[k] : NULL,
                                 write && live[k] >> s & 1, cnt))
                    pass &= (uint16_t)~group;
            }
        }
        cnt->db_passed += (unsigned)__builtin_popcount(pass);
        if (st->color_on_fail || st->no_color_on_pass) {
            uint16_t colour = st->no_color_on_pass ? 0 : pass;
            if (st->color_on_fail)
                colour |= live[k] & ~pass;
            pass = colour;
        }
        live[k] = pass;
    }
}

static bool any_live(const uint16_t live[4])
{
    return live[0] | live[1] | live[2] | live[3];
}

void raster_db_quad(struct raster_db *db, const struct raster_prim *prim, const struct raster_quad *q,
                    uint16_t live[4], const struct raster_z_export ex[4],
                    struct raster_counters *cnt)
{
    const bool was = any_live(live);

    *(db->late ? &cnt->db_quads_late : &cnt->db_quads_early) += 1;
    test_quad(db, prim, q, live, ex, true, cnt);
    cnt->db_quads_early_culled += !db->late && was && !any_live(live);
}

void raster_db_re_z(struct raster_db *db, const struct raster_prim *prim, const struct raster_quad *q,
                    uint16_t live[4], struct raster_counters *cnt)
{
    struct raster_counters none; /* samples are counted by the test that decides */
    const bool was = any_live(live);

    cnt->db_quads_early++;
    test_quad(db, prim, q, live, NULL, false, &none);
    cnt->db_quads_early_culled += was && !any_live(live);
}

/* ---- masks from the shader ------------------------------------------------------------------------ */

uint16_t raster_mask_from_export(const struct raster_state *st, uint32_t mask)
{
    const unsigned from = 1u << st->db.mask_export_log2, to = 1u << st->sc.samples_log2;
    uint16_t m = 0;

    /* Fewer bits than samples: each stands for a run of them. */
    for (unsigned s = 0; s < to; s++)
        m |= (mask >> (from >= to ? s : s * from / to) & 1) << s;
    return m;
}

uint16_t raster_mask_from_alpha(const struct raster_state *st, int32_t x, int32_t y, float alpha)
{
    const struct raster_db_state *db = &st->db;
    const unsigned n = 1u << db->alpha_to_mask_log2, to = 1u << st->sc.samples_log2;
    /* OFFSET is a fraction of a step, in quarters, for each pixel of the quad: dithering. */
    const double off = db->alpha_to_mask_offset[(x & 1) | (y & 1) << 1] / 4.0;
    double level = (alpha > 0 ? alpha < 1 ? alpha : 1 : 0) * n + (db->alpha_to_mask_round ? off : 0);
    unsigned on = (unsigned)floor(level + (db->alpha_to_mask_round ? 0 : off));
    uint16_t m = 0;

    on = MIN2(on, n);
    for (unsigned s = 0; s < to; s++)
        m |= (uint16_t)((n >= to ? s : s * n / to) < on) << s;
    return m;
}

/* ---- read-back ---------------------------------------------------------------------------------- */

void raster_db_read(struct raster_db *db, uint32_t slice, uint32_t x, uint32_t y, unsigned sample,
                    float *z, uint8_t *stencil)
{
    const struct place p = { x, y, slice, sample };
    const struct place tile = { x & ~(TILE - 1), y & ~(TILE - 1), slice, 0 };
    const bool has_stencil = !db->st->db.htile_stencil_disable;
    const uint8_t *b = db->htile_on ? raster_access(&db->mem, htile_at(db, &tile), 4, false) : NULL;
    const uint32_t v = b ? load_le32(b) : UINT32_MAX;

    *z = !db->z.on ? 0 : z_decode(db->st->db.z_format,
                                  (v & HTILE_ZMASK) == ZMASK_CLEARED
                                      ? z_encode(db->st->db.z_format, db->st->db.clear_depth)
                                      : load_z(db, &p));
    if (db->s.on && has_stencil && !(v & HTILE_SMEM)) {
        *stencil = db->st->db.clear_stencil;
        return;
    }
    b = db->s.on ? stencil_at(db, &db->s.read, &p, false) : NULL;
    *stencil = b ? *b : 0;
}
