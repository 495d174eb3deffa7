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
 * Sources: DB_* names and fields; the depth and stencil chapters of the Vulkan specification. */
#include "raster/access.h"

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
        return err_set(e, "depth surfaces of GFX9 are not modelled");
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

void raster_db_begin(struct raster_db *db, const struct raster_state *st, struct mem_vm *vm,
                     struct loud *loud, uint32_t draw)
{
    const struct raster_db_state *s = &st->db;
    const bool uses_z = s->z_format != V_ZFormat__Z_INVALID &&
                        (s->z_enable || s->depth_bounds || s->depth_clear);
    const bool uses_s = s->s_format && (s->stencil_enable || s->stencil_clear);

    memset(db, 0, sizeof *db);
    db->st = st;
    db->loud = loud;
    raster_access_begin(&db->mem, vm, MEM_DB);
    if (uses_z)
        target_init(db, &db->z, &s->z_read, &s->z_write_to, 8 * z_bytes(s->z_format), "depth", draw);
    if (uses_s)
        target_init(db, &db->s, &s->s_read, &s->s_write_to, 8, "stencil", draw);
    if ((uses_z || uses_s) && s->htile)
        loud_report(loud, LOUD_OTHER, LOUD_DB, "HTILE at draw %u", draw);
    if (s->depth_copy || s->stencil_copy)
        loud_report(loud, LOUD_OTHER, LOUD_DB + 1, "copy of depth to colour at draw %u", draw);
    db->active = db->z.on || db->s.on;
    db->late = !s->depth_before_shader &&
               (s->z_export || s->stencil_test_export || s->stencil_op_export || s->mask_export ||
                s->kill || s->alpha_to_mask || s->coverage_to_mask ||
                s->z_order == V_ZOrder__LATE_Z);
}

void raster_db_end(struct raster_db *db)
{
    mem_count(db->mem.vm, MEM_DB, db->mem.read_bytes, db->mem.written_bytes);
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

/* ---- the tests ---------------------------------------------------------------------------------- */

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

/* One sample. Returns whether it passes. */
static bool test_sample(struct raster_db *db, const struct place *p, bool front, uint32_t new_z,
                        const struct raster_z_export *ex, struct raster_counters *cnt)
{
    const struct raster_db_state *st = &db->st->db;
    const struct raster_stencil *sf = &st->stencil[!front];
    bool s_pass = true, z_pass = true;
    uint8_t s_old = 0, test_val = sf->test_val, op;

    cnt->db_tested++;
    if (db->s.on) {
        const uint8_t *b = stencil_at(db, &db->s.read, p, false);

        s_old = b ? *b : 0;
        if (ex && ex->has_stencil)
            test_val = ex->stencil;
        if (st->stencil_enable) {
            uint8_t a = test_val & sf->mask, v = s_old & sf->mask;
            s_pass = compare_order(sf->func, a < v, a == v);
        }
    }
    if (s_pass && db->z.on) {
        if (st->depth_bounds) {
            float z = z_decode(st->z_format, load_z(db, p));
            z_pass = z >= st->bounds_min && z <= st->bounds_max;
        }
        if (z_pass && st->z_enable)
            z_pass = compare_z(st->z_format, st->zfunc, new_z, load_z(db, p));
        if (z_pass && ((st->z_enable && st->z_write) || st->depth_clear) && !st->z_read_only)
            store_z(db, p, new_z);
    }
    if (db->s.on && !st->s_read_only) {
        uint8_t *b, v = s_old;

        op = !s_pass ? sf->fail : !z_pass ? sf->zfail : sf->zpass;
        if (st->stencil_clear)
            v = st->clear_stencil;
        else if (st->stencil_enable)
            v = stencil_op(op, s_old, test_val, sf->op_val);
        v = (uint8_t)((v & sf->write_mask) | (s_old & ~sf->write_mask));
        if (v != s_old && (b = stencil_at(db, &db->s.write, p, true)))
            *b = v;
    }
    cnt->db_s_failed += !s_pass;
    cnt->db_z_failed += s_pass && !z_pass;
    return s_pass && z_pass;
}

void raster_db_quad(struct raster_db *db, const struct raster_prim *prim, const struct raster_quad *q,
                    uint16_t live[4], const struct raster_z_export ex[4],
                    struct raster_counters *cnt)
{
    const struct raster_db_state *st = &db->st->db;
    const struct raster_db_target *t = db->z.on ? &db->z : &db->s;
    struct place p;

    *(db->late ? &cnt->db_quads_late : &cnt->db_quads_early) += 1;
    for (unsigned k = 0; k < 4; k++) {
        uint16_t pass = live[k];

        if (db->active && live[k]) {
            p.x = (uint32_t)(q->x + (int32_t)(k & 1));
            p.y = (uint32_t)(q->y + (int32_t)(k >> 1));
            p.slice = MIN2(t->first_slice + prim->slice, t->last_slice);
            for (unsigned s = 0; s < RASTER_SAMPLES_MAX; s++) {
                float z;

                if (!(live[k] >> s & 1))
                    continue;
                p.sample = s & ((1u << t->samples_log2) - 1);
                z = ex && ex[k].has_z ? ex[k].z
                                      : raster_sample_z(db->st, prim, (int32_t)p.x, (int32_t)p.y, s);
                if (st->depth_clear)
                    z = st->clear_depth;
                if (!test_sample(db, &p, prim->front, z_encode(st->z_format, z),
                                 ex ? &ex[k] : NULL, cnt))
                    pass &= ~(1u << s);
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
