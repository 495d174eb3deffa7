/* Colour: exports to memory.
 *
 * A pixel's export arrives as four dwords in the format of SPI_SHADER_COL_FORMAT. It is blended with
 * what each covered sample holds (or combined with it by ROP3), converted to the format of the
 * target (CB_COLOR*_INFO.FORMAT, NUMBER_TYPE, COMP_SWAP) and written where CB_TARGET_MASK and
 * CB_SHADER_MASK both allow it; components that are masked keep their bits exactly.
 *
 * Blending is done in f32 for all formats that blend; integers never blend.
 *
 * Sources: CB_* and SPI_SHADER_* names and fields; the blending chapters of the OpenGL and Vulkan
 * specifications; Mesa's tables of export formats. */
#include "raster/access.h"

#include <math.h>

#define LOUD_CB 0x6000

/* ---- export formats ----------------------------------------------------------------------------- */

static uint32_t half_of(const uint32_t raw[2], unsigned i)
{
    return raw[i / 2] >> (16 * (i & 1)) & 0xffff;
}

void raster_export_unpack(uint8_t format, const uint32_t raw[4], struct raster_color *out)
{
    uint32_t *c = out->c;

    c[0] = c[1] = c[2] = 0;
    c[3] = f32_bits(1.0f);
    switch (format) {
    case V_SPI_SHADER_EX_FORMAT__SPI_SHADER_ZERO:
        break;
    case V_SPI_SHADER_EX_FORMAT__SPI_SHADER_32_R:
        c[0] = raw[0];
        break;
    case V_SPI_SHADER_EX_FORMAT__SPI_SHADER_32_GR:
        c[0] = raw[0];
        c[1] = raw[1];
        break;
    case V_SPI_SHADER_EX_FORMAT__SPI_SHADER_32_AR:
        c[0] = raw[0];
        c[3] = raw[3];
        break;
    case V_SPI_SHADER_EX_FORMAT__SPI_SHADER_FP16_ABGR:
        for (unsigned i = 0; i < 4; i++)
            c[i] = mem_f16_to_f32((uint16_t)half_of(raw, i));
        break;
    case V_SPI_SHADER_EX_FORMAT__SPI_SHADER_UNORM16_ABGR:
        for (unsigned i = 0; i < 4; i++)
            c[i] = mem_unorm_to_f32(half_of(raw, i), 16);
        break;
    case V_SPI_SHADER_EX_FORMAT__SPI_SHADER_SNORM16_ABGR:
        for (unsigned i = 0; i < 4; i++)
            c[i] = f32_bits(fmaxf((float)sext32(half_of(raw, i), 16) / 32767.0f, -1.0f));
        break;
    case V_SPI_SHADER_EX_FORMAT__SPI_SHADER_UINT16_ABGR:
        for (unsigned i = 0; i < 4; i++)
            c[i] = half_of(raw, i);
        break;
    case V_SPI_SHADER_EX_FORMAT__SPI_SHADER_SINT16_ABGR:
        for (unsigned i = 0; i < 4; i++)
            c[i] = (uint32_t)sext32(half_of(raw, i), 16);
        break;
    default: /* 32_ABGR */
        memcpy(c, raw, 4 * sizeof *c);
        break;
    }
}

/* ---- targets ------------------------------------------------------------------------------------ */

static uint64_t component_mask(const struct mem_layout_info *l, unsigned i)
{
    return l->component_bits[i] == 0 ? 0
           : (UINT64_MAX >> (64 - l->component_bits[i])) << (l->component_shift[i] & 63);
}

/* The bits of a texel (as two 64-bit halves) that the channels of `write` own. */
static void write_mask(struct raster_target *t, unsigned write)
{
    const struct mem_layout_info *l = t->layout;

    t->keep[0] = t->keep[1] = UINT64_MAX;
    for (unsigned i = 0; i < l->components; i++)
        if (t->swap[i] < 4 && write >> t->swap[i] & 1)
            t->keep[l->component_shift[i] / 64] &= ~component_mask(l, i);
    t->writes_all = true;
    for (unsigned i = 0; i < l->components; i++)
        if (t->keep[l->component_shift[i] / 64] & component_mask(l, i))
            t->writes_all = false;
}

static int target_surface(struct raster_target *t, const struct raster_state *st, struct err *e)
{
    const struct raster_surface *c = &t->mrt->color;
    const struct chip *chip = st->chip;
    const unsigned samples = 1u << c->samples_log2;
    struct mem_tiling tiling;

    if (st->gen == GFX9)
        return err_set(e, "colour surfaces of GFX9 are not modelled");
    if (mem_tiling_decode(&tiling, st->gen, chip->gb_addr_config,
                          chip->tile_modes[c->tile_mode_index], chip->macrotile_modes,
                          t->layout->bits, samples, e))
        return -1;
    if (t->mrt->linear_general)
        tiling.array_mode = MEM_ARRAY_LINEAR_GENERAL;
    return mem_surface_init(&t->surface, &tiling, c->va, t->layout->bits, samples, c->pitch_px,
                            c->slice_px / c->pitch_px, c->last_slice + 1, e);
}

static void target_begin(struct raster_cb *cb, unsigned i, uint32_t draw)
{
    struct raster_target *t = &cb->target[i];
    const struct raster_mrt *m = &cb->st->cb.mrt[i];
    const unsigned write = m->target_mask & m->shader_mask;
    struct err e;

    t->mrt = m;
    if (!m->bound || (!write && !cb->special))
        return;
    if (!mem_format_cb(cb->st->gen, m->format, m->number_type, &t->format) ||
        !(t->unpack = mem_unpacker(t->format)) || !(t->pack = mem_packer(t->format))) {
        loud_report(cb->loud, LOUD_FORMAT, m->format | (uint64_t)m->number_type << 16,
                    "CB_COLOR%u_INFO.FORMAT = %u, NUMBER_TYPE = %u at draw %u", i, m->format,
                    m->number_type, draw);
        return;
    }
    t->layout = mem_layout_info(t->format.layout);
    if (target_surface(t, cb->st, &e)) {
        loud_report(cb->loud, LOUD_OTHER, LOUD_CB + i, "CB_COLOR%u at draw %u: %s", i, draw, e.text);
        return;
    }
    if (m->endian)
        loud_report(cb->loud, LOUD_OTHER, LOUD_CB + 0x10 + i, "CB_COLOR%u_INFO.ENDIAN = %u at draw %u",
                    i, m->endian, draw);
    if (m->fast_clear || m->compression)
        loud_report(cb->loud, LOUD_OTHER, LOUD_CB + 0x20 + i,
                    "CB_COLOR%u_INFO.FAST_CLEAR = %u, COMPRESSION = %u at draw %u", i, m->fast_clear,
                    m->compression, draw);
    mem_cb_swap(t->layout->components, m->comp_swap, t->swap);
    t->integer = t->format.num == MEM_UINT || t->format.num == MEM_SINT;
    t->blend = m->blend.enable && !t->integer && !m->blend_bypass;
    t->rop = !t->blend && !m->blend.disable_rop3 && cb->st->cb.rop3 != V_ROP3__ROP3_COPY &&
             t->format.num != MEM_FLOAT && t->format.num != MEM_SRGB;
    if (t->rop && (cb->st->cb.rop3 & 15) != cb->st->cb.rop3 >> 4)
        loud_report(cb->loud, LOUD_OTHER, LOUD_CB + 0x30,
                    "CB_COLOR_CONTROL.ROP3 = 0x%x uses a pattern, at draw %u", cb->st->cb.rop3, draw);
    write_mask(t, write);
    t->on = true;
}

void raster_cb_begin(struct raster_cb *cb, const struct raster_state *st, struct mem_vm *vm,
                     struct loud *loud, uint32_t draw)
{
    memset(cb, 0, sizeof *cb);
    cb->st = st;
    cb->loud = loud;
    raster_access_begin(&cb->mem, vm, MEM_CB);
    cb->special = st->cb.mode != V_CBMode__CB_NORMAL && st->cb.mode != V_CBMode__CB_DISABLE;
    if (cb->special)
        loud_report(loud, LOUD_OTHER, LOUD_CB + 0x40 + st->cb.mode,
                    "CB_COLOR_CONTROL.MODE = %u at draw %u", st->cb.mode, draw);
    if (st->cb.mode == V_CBMode__CB_DISABLE || st->db.color_kill)
        return;
    for (unsigned i = 0; i < RASTER_MRTS; i++)
        target_begin(cb, i, draw);
}

void raster_cb_end(struct raster_cb *cb)
{
    mem_count(cb->mem.vm, MEM_CB, cb->mem.read_bytes, cb->mem.written_bytes);
}

/* ---- blending ------------------------------------------------------------------------------------ */

struct blend_in {
    float src[4], src1[4], dst[4], cst[4];
};

static float factor(uint8_t f, const struct blend_in *in, unsigned c)
{
    switch (f) {
    case V_BlendOp__BLEND_ZERO: return 0;
    case V_BlendOp__BLEND_ONE: return 1;
    case V_BlendOp__BLEND_SRC_COLOR: return in->src[c];
    case V_BlendOp__BLEND_ONE_MINUS_SRC_COLOR: return 1 - in->src[c];
    case V_BlendOp__BLEND_SRC_ALPHA: return in->src[3];
    case V_BlendOp__BLEND_ONE_MINUS_SRC_ALPHA: return 1 - in->src[3];
    case V_BlendOp__BLEND_DST_ALPHA: return in->dst[3];
    case V_BlendOp__BLEND_ONE_MINUS_DST_ALPHA: return 1 - in->dst[3];
    case V_BlendOp__BLEND_DST_COLOR: return in->dst[c];
    case V_BlendOp__BLEND_ONE_MINUS_DST_COLOR: return 1 - in->dst[c];
    case V_BlendOp__BLEND_SRC_ALPHA_SATURATE:
        return c == 3 ? 1 : fminf(in->src[3], 1 - in->dst[3]);
    case V_BlendOp__BLEND_BOTH_SRC_ALPHA: return in->src[3];
    case V_BlendOp__BLEND_BOTH_INV_SRC_ALPHA: return 1 - in->src[3];
    case V_BlendOp__BLEND_CONSTANT_COLOR: return in->cst[c];
    case V_BlendOp__BLEND_ONE_MINUS_CONSTANT_COLOR: return 1 - in->cst[c];
    case V_BlendOp__BLEND_SRC1_COLOR: return in->src1[c];
    case V_BlendOp__BLEND_INV_SRC1_COLOR: return 1 - in->src1[c];
    case V_BlendOp__BLEND_SRC1_ALPHA: return in->src1[3];
    case V_BlendOp__BLEND_INV_SRC1_ALPHA: return 1 - in->src1[3];
    case V_BlendOp__BLEND_CONSTANT_ALPHA: return in->cst[3];
    case V_BlendOp__BLEND_ONE_MINUS_CONSTANT_ALPHA: return 1 - in->cst[3];
    default: return 0;
    }
}

/* A factor of zero removes the term, whatever it multiplies (NaN, infinity). */
static float term(float value, float f)
{
    return f == 0 ? 0 : value * f;
}

void raster_blend(const struct raster_blend *b, const float src[4], const float src1[4],
                  const float dst[4], const float cst[4], float out[4])
{
    struct blend_in in;

    memcpy(in.src, src, sizeof in.src);
    memcpy(in.src1, src1, sizeof in.src1);
    memcpy(in.dst, dst, sizeof in.dst);
    memcpy(in.cst, cst, sizeof in.cst);
    for (unsigned c = 0; c < 4; c++) {
        const unsigned a = c == 3;
        float s = term(src[c], factor(b->src[a], &in, c));
        float d = term(dst[c], factor(b->dst[a], &in, c));

        switch (b->fcn[a]) {
        case V_CombFunc__COMB_DST_PLUS_SRC: out[c] = s + d; break;
        case V_CombFunc__COMB_SRC_MINUS_DST: out[c] = s - d; break;
        case V_CombFunc__COMB_DST_MINUS_SRC: out[c] = d - s; break;
        case V_CombFunc__COMB_MIN_DST_SRC: out[c] = fminf(src[c], dst[c]); break;
        case V_CombFunc__COMB_MAX_DST_SRC: out[c] = fmaxf(src[c], dst[c]); break;
        default: out[c] = s; break;
        }
    }
}

static float clamp_to(float v, float lo, float hi)
{
    if (!(v > lo)) /* and NaN */
        return lo;
    return v < hi ? v : hi;
}

static void clamp_colour(const struct raster_target *t, float c[4])
{
    const float lo = t->format.num == MEM_SNORM ? -1 : 0;

    if (!t->mrt->blend_clamp || t->format.num == MEM_FLOAT)
        return;
    for (unsigned i = 0; i < 4; i++)
        c[i] = clamp_to(c[i], lo, 1);
}

/* ---- one sample ----------------------------------------------------------------------------------- */

/* Round a float towards zero to `mantissa` bits and an exponent of at least -14 (half, 10- and 11-bit
 * floats), so that what packs it rounds nothing: CB_COLOR_INFO.ROUND_MODE = truncate. */
static uint32_t truncate_float(uint32_t v, unsigned mantissa)
{
    const int e = (int)(v >> 23 & 0xff) - 127;
    unsigned drop = 23 - mantissa;

    if (e == 128)
        return v; /* infinity, NaN */
    if (e > 15)   /* the largest finite number: exponent 15, mantissa all ones */
        return (v & 0x80000000u) | 142u << 23 | ((UINT32_C(0x7fffff) >> drop) << drop);
    if (e < -14)
        drop += (unsigned)(-14 - e);
    if (drop > 23)
        return v & 0x80000000u;
    return v >> drop << drop;
}

static void to_components(const struct raster_target *t, const uint32_t rgba[4], uint32_t xyzw[4])
{
    for (unsigned i = 0; i < 4; i++) {
        const unsigned bits = t->layout->component_bits[i];

        xyzw[i] = i < t->layout->components && t->swap[i] < 4 ? rgba[t->swap[i]] : 0;
        if (t->mrt->truncate && t->format.num == MEM_FLOAT && bits && bits <= 16)
            xyzw[i] = truncate_float(xyzw[i], bits == 16 ? 10 : bits == 11 ? 6 : 5);
    }
}

static void from_components(const struct raster_target *t, const uint32_t xyzw[4], uint32_t rgba[4])
{
    rgba[0] = rgba[1] = rgba[2] = 0;
    rgba[3] = t->integer ? 1 : f32_bits(1.0f);
    for (unsigned i = 0; i < t->layout->components; i++)
        if (t->swap[i] < 4)
            rgba[t->swap[i]] = xyzw[i];
    if (t->mrt->force_dst_alpha_1)
        rgba[3] = t->integer ? 1 : f32_bits(1.0f);
}

static uint64_t rop(uint32_t rop3, uint64_t s, uint64_t d)
{
    return (rop3 & 1 ? ~s & ~d : 0) | (rop3 & 2 ? ~s & d : 0) | (rop3 & 4 ? s & ~d : 0) |
           (rop3 & 8 ? s & d : 0);
}

static void write_sample(struct raster_cb *cb, const struct raster_target *t, uint64_t va,
                         const struct raster_color *color, const struct raster_color *src1,
                         struct raster_counters *cnt)
{
    const unsigned bytes = t->layout->bits / 8;
    const bool reads = t->blend || t->rop || !t->writes_all;
    uint64_t old[2] = { 0, 0 }, new[2] = { 0, 0 };
    uint32_t xyzw[4], rgba[4];
    uint8_t *b;

    if (reads && (b = raster_access(&cb->mem, va, bytes, false)))
        memcpy(old, b, bytes);
    memcpy(rgba, color->c, sizeof rgba);
    if (t->blend) {
        float src[4], s1[4], dst[4], out[4];

        cnt->cb_blended++;
        t->unpack(old, xyzw);
        from_components(t, xyzw, rgba);
        memcpy(src, color->c, sizeof src);
        memcpy(s1, src1->c, sizeof s1);
        memcpy(dst, rgba, sizeof dst);
        clamp_colour(t, src);
        clamp_colour(t, s1);
        raster_blend(&t->mrt->blend, src, s1, dst, cb->st->cb.blend_const, out);
        clamp_colour(t, out);
        memcpy(rgba, out, sizeof rgba);
    }
    to_components(t, rgba, xyzw);
    t->pack(xyzw, new);
    for (unsigned i = 0; i < 2; i++) {
        if (t->rop)
            new[i] = rop(cb->st->cb.rop3, new[i], old[i]);
        if (!t->writes_all)
            new[i] = (old[i] & t->keep[i]) | (new[i] & ~t->keep[i]);
    }
    if ((b = raster_access(&cb->mem, va, bytes, true)))
        memcpy(b, new, bytes);
    cnt->cb_samples++;
}

void raster_cb_quad(struct raster_cb *cb, unsigned mrt, uint32_t slice, int32_t x, int32_t y,
                    const uint16_t mask[4], const struct raster_color color[4],
                    const struct raster_color src1[4], struct raster_counters *cnt)
{
    const struct raster_target *t = &cb->target[mrt];
    const struct raster_surface *c = &t->mrt->color;
    const unsigned fragments = 1u << c->samples_log2;

    if (!t->on)
        return;
    slice = MIN2(c->first_slice + slice, c->last_slice);
    for (unsigned p = 0; p < 4; p++) {
        const uint32_t px = (uint32_t)(x + (int32_t)(p & 1)), py = (uint32_t)(y + (int32_t)(p >> 1));

        if (!mask[p])
            continue;
        cnt->cb_pixels++;
        for (unsigned f = 0; f < fragments; f++)
            if (mask[p] >> f & 1 || (fragments == 1 && mask[p]))
                write_sample(cb, t, t->surface.base_va +
                             mem_surface_offset(&t->surface, px, py, slice, f),
                             &color[p], &src1[p], cnt);
    }
}

void raster_cb_special(struct raster_cb *cb, uint32_t slice, int32_t x, int32_t y,
                       const uint16_t mask[4], struct raster_counters *cnt)
{
}
