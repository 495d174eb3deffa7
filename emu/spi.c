/* The shader processor input: waves of pixels, what they start with, what they export.
 *
 * Pixel waves: quads collect, 16 to a wave, in the order in which SC found them; lane 4q + p is
 * pixel p of quad q. A wave starts with EXEC = the pixels that are covered and passed the early tests
 * (helper pixels have their inputs but are off until the shader turns them on with s_wqm), with the
 * barycentrics and positions of SPI_PS_INPUT_ENA in the VGPRs that SPI_PS_INPUT_ADDR lays out, M0's value
 * in the SGPR behind the user data, and the attributes in LDS:
 *
 *   M0        LDS offset (0) | new-primitive mask << 16: bit q - 1 is set when quad q starts a primitive
 *   LDS       [attribute][primitive of the wave][12]: P0.x P10.x P0.y P10.y P0.z P10.z P0.w P10.w P20.xyzw
 *
 * When the wave has ended, its quads go through the late depth test (when the shader may change what
 * early tests would decide) and to the colour targets, quad by quad in order: blending is in primitive
 * order whatever shares a wave.
 *
 * Sources: ISA manuals (initial state of pixel waves, VINTRP, EXP); SPI_* registers; Mesa's and LLVM's
 * conventions for initial registers. */
#include "emu/draw_priv.h"

#include <math.h>

/* ---- attributes ------------------------------------------------------------------------------- */

static const uint32_t default_attr[4][4] = {
    { 0, 0, 0, 0 },
    { 0, 0, 0, 0x3f800000 },
    { 0x3f800000, 0x3f800000, 0x3f800000, 0 },
    { 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000 },
};

/* One channel of a point sprite: i runs along S and j along T. */
static void sprite_channel(const struct raster_spi_state *spi, unsigned sel, float p[3])
{
    p[0] = p[1] = p[2] = 0;
    switch (sel) {
    case V_SPI_PNT_SPRITE_OVERRIDE__SPI_PNT_SPRITE_SEL_1:
        p[0] = 1;
        break;
    case V_SPI_PNT_SPRITE_OVERRIDE__SPI_PNT_SPRITE_SEL_S:
        p[1] = 1;
        break;
    case V_SPI_PNT_SPRITE_OVERRIDE__SPI_PNT_SPRITE_SEL_T:
        p[0] = spi->sprite_top_1 ? 1 : 0;
        p[2] = spi->sprite_top_1 ? -1 : 1;
        break;
    }
}

/* P0, P10, P20 of one attribute of a primitive, as the LDS holds them. */
static void load_attribute(const struct emu_draw_state *d, const struct raster_prim *p, unsigned attr,
                           uint32_t out[12])
{
    const struct raster_spi_state *spi = &d->st.spi;
    const struct raster_ps_input *in = &spi->in[attr];

    if (spi->param_gen && attr == spi->num_interp - 1) {
        memset(out, 0, 12 * sizeof *out);
        out[2 * 2 + 1] = f32_bits(1); /* Z is i, along S */
        out[8 + 3] = f32_bits(1);     /* W is j, along T */
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        uint32_t v[3];

        for (unsigned k = 0; k < 3; k++)
            v[k] = in->use_default ? default_attr[in->default_val][c]
                                   : d->vertex[p->slot[k]].param[in->offset][c];
        if (in->sprite && spi->sprite_ena && p->verts == 1 &&
            spi->sprite_sel[c] != V_SPI_PNT_SPRITE_OVERRIDE__SPI_PNT_SPRITE_SEL_NONE) {
            float s[3];

            sprite_channel(spi, spi->sprite_sel[c], s);
            for (unsigned k = 0; k < 3; k++)
                v[k] = f32_bits(s[k]);
        } else if (in->flat && spi->flat_ena && !in->passthrough) {
            v[0] = v[p->provoking];
            v[1] = v[2] = 0;
        } else if (in->use_default || p->verts == 1) {
            v[1] = v[2] = 0;
        } else if (!in->passthrough) {
            v[1] = f32_bits(bits_f32(v[1]) - bits_f32(v[0]));
            v[2] = p->verts == 2 ? 0 : f32_bits(bits_f32(v[2]) - bits_f32(v[0]));
        }
        out[2 * c] = v[0];
        out[2 * c + 1] = v[1];
        out[8 + c] = v[2];
    }
}

/* ---- pixel waves ------------------------------------------------------------------------------ */

struct ps_ctx {
    struct emu_wave_ctx wave; /* first: shared wave_ops find it there */
    struct draw_lane *lane;
    uint64_t exec;
};

static void ps_export(struct wave *w, unsigned target, unsigned en, bool compr, bool done, bool vm,
                      const uint32_t *const src[4])
{
    struct ps_ctx *c = w->ops_ctx;
    struct draw_exports *ex = &c->lane->exports;
    const uint64_t exec = wave_exec(w);
    uint32_t(*dst)[DRAW_WAVE] = NULL;

    if (vm) {
        ex->valid = exec;
        ex->any_vm = true;
    }
    if (target < EXP_TARGET_MRT0 + RASTER_MRTS) {
        dst = ex->color[target];
        ex->exec[target] |= en ? exec : 0;
    } else if (target == EXP_TARGET_MRTZ) {
        dst = ex->z;
        ex->z_exec |= en ? exec : 0;
        ex->z_compr = compr;
    } else if (target != EXP_TARGET_NULL) {
        loud_report(w->loud, LOUD_OTHER, 0x4000 + target, "export target %u from a pixel shader",
                    target);
        return;
    }
    if (!dst)
        return;
    for (unsigned k = 0; k < 4; k++) {
        /* Compressed: two enable bits to a dword. */
        bool on = compr ? k < 2 && (en >> (2 * k) & 3) : en >> k & 1;

        if (!on || !src[k])
            continue;
        for (unsigned l = 0; l < DRAW_WAVE; l++)
            if (exec >> l & 1)
                dst[k][l] = src[k][l];
    }
}

static const struct wave_ops ps_ops = {
    .image = emu_ops_image,
    .export_ = ps_export,
    .gds = emu_ops_gds,
    .sendmsg = emu_ops_sendmsg,
    .memtime = emu_ops_memtime,
    .gws = emu_ops_gws,
    .trace = emu_ops_trace,
};

/* Where each input lies in struct raster_lane_in and how many VGPRs it takes, in the order of the
 * bits of SPI_PS_INPUT_ADDR. */
static const struct {
    uint8_t offset_dw, count;
} ps_input[RASTER_IN_COUNT] = {
#define IN(member, n) { offsetof(struct raster_lane_in, member) / 4, n }
    IN(persp_sample, 2), IN(persp_center, 2), IN(persp_centroid, 2), IN(pull_model, 3),
    IN(linear_sample, 2), IN(linear_center, 2), IN(linear_centroid, 2), IN(line_stipple, 1),
    IN(pos[0], 1), IN(pos[1], 1), IN(pos[2], 1), IN(pos[3], 1), IN(front_face, 1),
    IN(ancillary, 1), IN(coverage, 1), IN(pos_fixed, 1),
#undef IN
};

static uint64_t ps_fill(struct wave *w, unsigned i, unsigned *sgpr, void *arg)
{
    struct ps_ctx *c = arg;
    const struct emu_draw_state *d = c->lane->d;
    const struct draw_pixels *px = &c->lane->px;
    const struct raster_spi_state *spi = &d->st.spi;
    const uint32_t addr = spi->ps_addr | spi->ps_ena;
    uint32_t new_prim = 0;

    for (unsigned q = 1; q < MIN2(px->quads, DRAW_QUADS); q++)
        new_prim |= (uint32_t)(px->prim_of[q] != px->prim_of[q - 1]) << (q - 1);
    if (*sgpr < w->num_sgprs)
        w->s[*sgpr] = new_prim << 16;
    ++*sgpr;

    for (unsigned a = 0; a < spi->num_interp; a++)
        for (unsigned p = 0; p < px->prims; p++)
            memcpy(w->lds + (size_t)(a * px->prims + p) * sizeof px->attr[0][0], px->attr[p][a],
                   sizeof px->attr[0][0]);

    for (unsigned q = 0; q < px->quads; q++)
        for (unsigned p = 0; p < 4; p++) {
            struct raster_lane_in in;
            const uint32_t *dw = (const uint32_t *)&in;
            unsigned v = 0;

            memset(&in, 0, sizeof in);
            raster_interp(&d->st, &px->prim[px->prim_of[q]], &px->quad[q], p, spi->ps_ena, &in);
            for (unsigned i = 0; i < RASTER_IN_COUNT; i++) {
                if (!(addr >> i & 1))
                    continue;
                for (unsigned k = 0; k < ps_input[i].count; k++, v++)
                    if (spi->ps_ena >> i & 1 && v < w->num_vgprs)
                        w->v[v * 64 + 4 * q + p] = dw[ps_input[i].offset_dw + k];
            }
        }
    return c->exec;
}

/* What one pixel exported to MRTZ, by SPI_SHADER_Z_FORMAT: depth, stencil, sample mask. */
static void decode_z_export(const struct emu_draw_state *d, const struct draw_exports *ex, unsigned lane,
                            struct raster_z_export *z)
{
    const struct raster_db_state *db = &d->st.db;
    const uint32_t raw[4] = { ex->z[0][lane], ex->z[1][lane], ex->z[2][lane], ex->z[3][lane] };
    struct raster_color c;

    raster_export_unpack(d->st.spi.z_format, raw, &c);
    z->has_z = db->z_export;
    z->z = bits_f32(c.c[0]);
    z->has_stencil = db->stencil_test_export;
    z->stencil = c.c[1] & 0xff;
    z->has_stencil_op = db->stencil_op_export;
    z->stencil_op = c.c[1] >> 8 & 0xff;
    z->has_mask = db->mask_export;
    z->mask = c.c[2];
    /* In the 16-bit integer format that is the same: the stencil in the high half of x, the mask in the low half of y. */
}

/* SPI_SHADER_COL_FORMAT has four bits; what is beyond the formats exports as 32_ABGR does. */
static const enum emu_counter exports_by_format[16] = {
#define FORMAT(f) [V_SPI_SHADER_EX_FORMAT__SPI_SHADER_##f] = CNT_PS_EXPORTS_##f
    FORMAT(ZERO), FORMAT(32_R), FORMAT(32_GR), FORMAT(32_AR), FORMAT(FP16_ABGR), FORMAT(UNORM16_ABGR),
    FORMAT(SNORM16_ABGR), FORMAT(UINT16_ABGR), FORMAT(SINT16_ABGR), FORMAT(32_ABGR),
#undef FORMAT
    [10 ... 15] = CNT_PS_EXPORTS_32_ABGR,
};

/* The export that a target gets: SPI counts those that CB_SHADER_MASK names, so that there are no holes between
 * them. Source: drivers number exports and SPI_SHADER_COL_FORMAT so (Mesa, "remove holes"). */
static unsigned export_of(const struct emu_draw_state *d, unsigned mrt)
{
    unsigned n = 0;

    for (unsigned i = 0; i < mrt; i++)
        n += d->st.cb.mrt[i].shader_mask != 0;
    return n;
}

/* DB_RENDER_CONTROL's DEPTH_COPY and STENCIL_COPY: depth to red and stencil to green of the first target, of
 * COPY_SAMPLE, or with COPY_CENTROID of the first sample that is drawn. */
static void copy_depth(struct draw_lane *l, const struct draw_pixels *px, unsigned q, const struct raster_prim *prim,
                       const uint16_t mask[4], struct raster_color color[4])
{
    const struct raster_db_state *db = &l->d->st.db;

    for (unsigned p = 0; p < 4; p++) {
        float z;
        uint8_t s;

        if (!mask[p])
            continue;
        raster_db_read(&l->db, prim->slice + db->z_read.first_slice, (uint32_t)px->quad[q].x + (p & 1),
                       (uint32_t)px->quad[q].y + (p >> 1),
                       db->copy_centroid ? (unsigned)__builtin_ctz(mask[p]) : db->copy_sample, &z, &s);
        color[p] = (struct raster_color){ { f32_bits(z), s, 0, f32_bits(1) } };
    }
}

/* Late tests and colour of quad q. */
static void finish_quad(struct draw_lane *l, unsigned q)
{
    const struct emu_draw_state *d = l->d;
    struct draw_pixels *px = &l->px;
    struct draw_exports *ex = &l->exports;
    const struct raster_prim *prim = &px->prim[px->prim_of[q]];
    uint16_t *live = px->live[q];
    unsigned valid = ex->any_vm ? ex->valid >> (4 * q) & 15 : 15;

    for (unsigned p = 0; p < 4; p++) {
        if (live[p] && !(valid >> p & 1))
            emu_count(&l->counters, CNT_PS_KILLED, 1);
        if (!(valid >> p & 1))
            live[p] = 0;
    }
    if (l->db.late) {
        struct raster_z_export z[4];
        struct raster_color alpha[4];
        memset(z, 0, sizeof z);
        for (unsigned p = 0; p < 4; p++) {
            const unsigned lane = 4 * q + p;

            if (ex->z_exec >> lane & 1) {
                decode_z_export(d, ex, lane, &z[p]);
                emu_count(&l->counters, CNT_PS_EXPORTS_Z, live[p] != 0);
            }
            if (z[p].has_mask)
                live[p] &= raster_mask_from_export(&d->st, z[p].mask);
            if (d->st.db.alpha_to_mask) {
                const uint32_t raw[4] = { ex->color[0][0][lane], ex->color[0][1][lane],
                                          ex->color[0][2][lane], ex->color[0][3][lane] };
                raster_export_unpack(d->st.spi.col_format[0], raw, &alpha[p]);
                live[p] &= raster_mask_from_alpha(&d->st, px->quad[q].x + (int)(p & 1),
                                                  px->quad[q].y + (int)(p >> 1),
                                                  bits_f32(alpha[p].c[3]));
            }
        }
        raster_db_quad(&l->db, prim, &px->quad[q], live, z, &l->count);
    }
    for (unsigned m = 0; m < RASTER_MRTS; m++) {
        struct raster_color color[4], src1[4];
        const unsigned e = export_of(d, m), exec = ex->exec[e] >> (4 * q) & 15;
        uint16_t mask[4];

        if (!l->cb.target[m].on || !exec)
            continue;
        for (unsigned p = 0; p < 4; p++) {
            const unsigned lane = 4 * q + p;
            uint32_t raw[4], raw1[4];

            mask[p] = exec >> p & 1 ? live[p] : 0;
            for (unsigned k = 0; k < 4; k++) {
                raw[k] = ex->color[e][k][lane];
                raw1[k] = ex->color[1][k][lane];
            }
            raster_export_unpack(d->st.spi.col_format[e], raw, &color[p]);
            raster_export_unpack(d->st.spi.col_format[1], raw1, &src1[p]);
            if (mask[p]) {
                emu_count(&l->counters, CNT_PS_EXPORTS, 1);
                emu_count(&l->counters, exports_by_format[d->st.spi.col_format[e]], 1);
            }
        }
        if (m == 0 && (d->st.db.depth_copy || d->st.db.stencil_copy))
            copy_depth(l, px, q, prim, mask, color);
        raster_cb_quad(&l->cb, m, prim->slice, px->quad[q].x, px->quad[q].y, mask, color, src1,
                       &l->count);
    }
}

void emu_spi_flush(struct draw_lane *l)
{
    struct emu_draw_state *d = l->d;
    struct draw_pixels *px = &l->px;
    struct ps_ctx c = { .wave.counters = &l->counters, .lane = l };
    struct draw_run run = { .stage = &d->ps, .waves = 1, .ops = &ps_ops, .ctx = &c, .ctx_bytes = sizeof c,
                            .fill = ps_fill, .arg = &c, .lane = l };
    uint64_t exec = 0;
    unsigned covered;

    if (!px->quads || !d->budget || l->stopped) {
        px->quads = px->prims = 0;
        return;
    }
    for (unsigned q = 0; q < px->quads; q++)
        for (unsigned p = 0; p < 4; p++)
            exec |= (uint64_t)(px->live[q][p] != 0) << (4 * q + p);
    covered = (unsigned)__builtin_popcountll(exec);
    emu_count(&l->counters, CNT_PS_QUADS, px->quads);
    emu_count(&l->counters, CNT_PS_INVOCATIONS, covered);
    emu_count(&l->counters, CNT_PS_HELPERS, 4 * px->quads - covered);

    run.lds_bytes = d->st.spi.num_interp * px->prims * (unsigned)sizeof px->attr[0][0];
    memset(&l->exports, 0, sizeof l->exports);
    c.exec = exec;
    if (emu_draw_run(d, &run))
        for (unsigned q = 0; q < px->quads; q++)
            finish_quad(l, q);
    px->quads = px->prims = 0;
}

/* A primitive gets its attributes read when its first quad arrives: its vertices may be gone by the
 * time that the wave is full. */
static unsigned add_prim(struct draw_lane *l, const struct raster_prim *p)
{
    struct draw_pixels *px = &l->px;

    px->prim[px->prims] = *p;
    px->last_serial = l->serial;
    for (unsigned a = 0; a < l->d->st.spi.num_interp; a++)
        load_attribute(l->d, p, a, px->attr[px->prims][a]);
    return px->prims++;
}

void emu_spi_quads(void *ctx, const struct raster_prim *p, const struct raster_quad *q, unsigned n)
{
    struct draw_lane *l = ctx;
    struct draw_pixels *px = &l->px;
    const unsigned iters = 1u << l->d->st.sc.ps_iter_log2;
    int prim = -1; /* of this wave, once a quad needs it */

    if (!l->begun) {
        raster_db_fork(&l->db, &l->d->db);
        raster_cb_fork(&l->cb, &l->d->cb);
        l->begun = true;
    }
    if (l->cb.special) {
        for (unsigned i = 0; i < n; i++)
            raster_cb_special(&l->cb, p->slice, q[i].x, q[i].y, q[i].mask, &l->count);
        return;
    }
    if (px->prims && px->last_serial == l->serial)
        prim = (int)px->prims - 1;
    for (unsigned i = 0; i < n; i++) {
        struct raster_quad cur = q[i];
        uint16_t live[4];

        memcpy(live, cur.mask, sizeof live);
        if (!l->db.late)
            raster_db_quad(&l->db, p, &cur, live, NULL, &l->count);
        else if (l->db.re_z)
            raster_db_re_z(&l->db, p, &cur, live, &l->count);
        for (unsigned it = 0; it < iters; it++) {
            /* Sample-rate shading: pass `it` shades the samples it, it + iters, ... */
            uint16_t pass = iters == 1 ? 0xffff : 0, any = 0;

            for (unsigned s = it; iters > 1 && s < RASTER_SAMPLES_MAX; s += iters)
                pass |= 1u << s;
            for (unsigned k = 0; k < 4; k++)
                any |= live[k] & pass;
            if (!any)
                continue;
            if (px->quads == DRAW_QUADS) {
                emu_spi_flush(l);
                prim = -1;
            }
            if (prim < 0)
                prim = (int)add_prim(l, p);
            px->quad[px->quads] = cur;
            px->quad[px->quads].iter = it;
            for (unsigned k = 0; k < 4; k++) {
                px->live[px->quads][k] = live[k] & pass;
                px->quad[px->quads].mask[k] = cur.mask[k] & pass;
            }
            px->prim_of[px->quads++] = (uint8_t)prim;
        }
    }
    if (px->quads == DRAW_QUADS)
        emu_spi_flush(l);
}
