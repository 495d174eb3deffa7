/* Colour: exports to memory.
 *
 * A pixel's export arrives as four dwords in the format of SPI_SHADER_COL_FORMAT. It is blended with
 * what each covered sample holds (or combined with it by ROP3), converted to the format of the
 * target (CB_COLOR*_INFO.FORMAT, NUMBER_TYPE, COMP_SWAP) and written where CB_TARGET_MASK and
 * CB_SHADER_MASK both allow it; components that are masked keep their bits exactly.
 *
 * Blending: what the equation gives for floats (the target's value unpacked to one) is rounded once, to the
 * precision of the component that holds it. Integers never blend.
 *
 * A multisampled target with FMASK stores colours (fragments), and which of them each sample has. A write
 * gives the samples that get one colour a fragment that no other sample uses.
 *
 * CB_COLOR_CONTROL.MODE makes a draw something else: where it covers pixels, CB eliminates fast clears,
 * writes out FMASK, or resolves MRT0 into MRT1 (the mean of the samples).
 *
 * Sources: CB_* and SPI_SHADER_* names and fields; the blending chapters of the OpenGL and Vulkan
 * specifications; Mesa's tables of export formats. */
#include "raster/cb.h"

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

static int target_surface(struct raster_cb *cb, struct raster_target *t, struct err *e)
{
    const struct raster_state *st = cb->st;
    const struct raster_surface *c = &t->mrt->color;
    const struct chip *chip = st->chip;
    const unsigned samples = 1u << c->samples_log2;
    struct mem_tiling tiling;

    if (st->gen == GFX9) {
        if (raster_surface_gfx9(&t->surface, st, c, t->layout->bits, e))
            return -1;
        return raster_cb_meta_begin(cb, t, NULL, e);
    }
    if (mem_tiling_decode(&tiling, st->gen, chip->gb_addr_config,
                          chip->tile_modes[c->tile_mode_index], chip->macrotile_modes,
                          t->layout->bits, samples, e))
        return -1;
    if (t->mrt->linear_general)
        tiling.array_mode = MEM_ARRAY_LINEAR_GENERAL;
    if (mem_surface_init(&t->surface, &tiling, c->va, t->layout->bits, samples, c->pitch_px,
                         c->slice_px / c->pitch_px, c->last_slice + 1, e))
        return -1;
    return raster_cb_meta_begin(cb, t, &tiling, e);
}

static void target_begin(struct raster_cb *cb, unsigned i, uint32_t draw)
{
    struct raster_target *t = &cb->target[i];
    const struct raster_mrt *m = &cb->st->cb.mrt[i];
    unsigned write = m->target_mask & m->shader_mask;
    struct err e;

    /* A resolve writes MRT1 by the mask of MRT0. */
    if (cb->st->cb.mode == V_CBMode__CB_RESOLVE)
        write = cb->st->cb.mrt[0].target_mask;
    else if (cb->special)
        write = m->target_mask;

    t->mrt = m;
    if (!m->bound || !write)
        return;
    if (!mem_format_cb(cb->st->gen, m->format, m->number_type, &t->format) ||
        !(t->unpack = mem_unpacker(t->format)) || !(t->pack = mem_packer(t->format))) {
        loud_report(cb->loud, LOUD_FORMAT, m->format | (uint64_t)m->number_type << 16,
                    "CB_COLOR%u_INFO.FORMAT = %u, NUMBER_TYPE = %u at draw %u", i, m->format,
                    m->number_type, draw);
        return;
    }
    t->layout = mem_layout_info(t->format.layout);
    if (target_surface(cb, t, &e)) {
        loud_report(cb->loud, LOUD_OTHER, LOUD_CB + i, "CB_COLOR%u at draw %u: %s", i, draw, e.text);
        return;
    }
    if (m->endian)
        loud_report(cb->loud, LOUD_OTHER, LOUD_CB + 0x10 + i, "CB_COLOR%u_INFO.ENDIAN = %u at draw %u",
                    i, m->endian, draw);
    mem_cb_swap(t->layout->components, m->comp_swap, t->swap);
    t->integer = t->format.num == MEM_UINT || t->format.num == MEM_SINT;
    t->blend = !cb->special && m->blend.enable && !t->integer && !m->blend_bypass;
    t->rop = !cb->special && !t->blend && !m->blend.disable_rop3 && cb->st->cb.rop3 != V_ROP3__ROP3_COPY &&
             t->format.num != MEM_FLOAT && t->format.num != MEM_SRGB;
    if (t->rop && (cb->st->cb.rop3 & 15) != cb->st->cb.rop3 >> 4)
        loud_report(cb->loud, LOUD_OTHER, LOUD_CB + 0x30,
                    "CB_COLOR_CONTROL.ROP3 = 0x%x uses a pattern, at draw %u", cb->st->cb.rop3, draw);
    for (unsigned k = 0; k < t->layout->components; k++)
        t->srgb_moved |= t->format.num == MEM_SRGB && (t->swap[k] == 3) != (k == 3);
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
    if (cb->special && st->cb.mode != V_CBMode__CB_ELIMINATE_FAST_CLEAR &&
        st->cb.mode != V_CBMode__CB_FMASK_DECOMPRESS && st->cb.mode != V_CBMode__CB_RESOLVE &&
        st->cb.mode != V_CBMode__CB_DCC_DECOMPRESS)
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

void raster_cb_fork(struct raster_cb *to, const struct raster_cb *from)
{
    memcpy(to, from, offsetof(struct raster_cb, target));
    raster_access_begin(&to->mem, from->mem.vm, MEM_CB);
    to->special = from->special;
    /* Targets are large, and most are off. */
    for (unsigned i = 0; i < RASTER_MRTS; i++) {
        to->target[i].on = from->target[i].on;
        if (from->target[i].on)
            to->target[i] = from->target[i];
    }
}

/* ---- blending ------------------------------------------------------------------------------------ */

struct blend_in {
    float src[4], src1[4], dst[4], cst[4];
};

/* Inputs are floats of 24 bits, so that products are exact in double. */
static double factor(uint8_t f, const struct blend_in *in, unsigned c)
{
    switch (f) {
    case V_BlendOp__BLEND_ZERO: return 0;
    case V_BlendOp__BLEND_ONE: return 1;
    case V_BlendOp__BLEND_SRC_COLOR: return in->src[c];
    case V_BlendOp__BLEND_ONE_MINUS_SRC_COLOR: return 1 - (double)in->src[c];
    case V_BlendOp__BLEND_SRC_ALPHA: return in->src[3];
    case V_BlendOp__BLEND_ONE_MINUS_SRC_ALPHA: return 1 - (double)in->src[3];
    case V_BlendOp__BLEND_DST_ALPHA: return in->dst[3];
    case V_BlendOp__BLEND_ONE_MINUS_DST_ALPHA: return 1 - (double)in->dst[3];
    case V_BlendOp__BLEND_DST_COLOR: return in->dst[c];
    case V_BlendOp__BLEND_ONE_MINUS_DST_COLOR: return 1 - (double)in->dst[c];
    case V_BlendOp__BLEND_SRC_ALPHA_SATURATE:
        return c == 3 ? 1 : fmin(in->src[3], 1 - (double)in->dst[3]);
    case V_BlendOp__BLEND_BOTH_SRC_ALPHA: return in->src[3];
    case V_BlendOp__BLEND_BOTH_INV_SRC_ALPHA: return 1 - (double)in->src[3];
    case V_BlendOp__BLEND_CONSTANT_COLOR: return in->cst[c];
    case V_BlendOp__BLEND_ONE_MINUS_CONSTANT_COLOR: return 1 - (double)in->cst[c];
    case V_BlendOp__BLEND_SRC1_COLOR: return in->src1[c];
    case V_BlendOp__BLEND_INV_SRC1_COLOR: return 1 - (double)in->src1[c];
    case V_BlendOp__BLEND_SRC1_ALPHA: return in->src1[3];
    case V_BlendOp__BLEND_INV_SRC1_ALPHA: return 1 - (double)in->src1[3];
    case V_BlendOp__BLEND_CONSTANT_ALPHA: return in->cst[3];
    case V_BlendOp__BLEND_ONE_MINUS_CONSTANT_ALPHA: return 1 - (double)in->cst[3];
    default: return 0;
    }
}

/* A factor of zero removes the term, whatever it multiplies (NaN, infinity). */
static double term(double value, double f)
{
    return f == 0 ? 0 : value * f;
}

void raster_blend(const struct raster_blend *b, const float src[4], const float src1[4],
                  const float dst[4], const float cst[4], double out[4])
{
    struct blend_in in;

    memcpy(in.src, src, sizeof in.src);
    memcpy(in.src1, src1, sizeof in.src1);
    memcpy(in.dst, dst, sizeof in.dst);
    memcpy(in.cst, cst, sizeof in.cst);
    for (unsigned c = 0; c < 4; c++) {
        const unsigned a = c == 3;
        double s = term(src[c], factor(b->src[a], &in, c));
        double d = term(dst[c], factor(b->dst[a], &in, c));

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

static double clamp_to(double v, double lo, double hi)
{
    if (!(v > lo)) /* and NaN */
        return lo;
    return v < hi ? v : hi;
}

/* What goes into the blender is clamped to what the format holds. */
static void clamp_colour(const struct raster_target *t, float c[4])
{
    const float lo = t->format.num == MEM_SNORM ? -1 : 0;

    if (!t->mrt->blend_clamp || t->format.num == MEM_FLOAT)
        return;
    for (unsigned i = 0; i < 4; i++)
        c[i] = (float)clamp_to(c[i], lo, 1);
}

/* The nearest integer, ties to even; |v| < 2^51. */
static double nearest(double v)
{
    const double big = 6755399441055744.0; /* 1.5 * 2^52: no bits of fraction are left */

    return (v + big) - big;
}

/* To `mantissa` bits behind the leading one and an exponent of at least -14. */
static double round_small_float(double v, unsigned mantissa, bool truncate)
{
    int e;
    double scaled;

    if (v == 0 || !isfinite(v) || fabs(v) >= 131072)
        return v;
    frexp(v, &e);
    e = MAX2(e, -13) - 1 - (int)mantissa;
    scaled = ldexp(v, -e);
    return ldexp(truncate ? trunc(scaled) : nearest(scaled), e);
}

/* The result of a blend in the precision of the component that will hold it, rounded once: as a float that
 * packs without further rounding. */
static float to_precision(const struct raster_target *t, unsigned bits, double v)
{
    double max;

    switch (t->format.num) {
    case MEM_UNORM:
        max = (double)((UINT64_C(1) << bits) - 1);
        return bits > 16 ? (float)v : (float)(nearest(clamp_to(v, 0, 1) * max) / max);
    case MEM_SNORM:
        max = (double)((UINT64_C(1) << (bits - 1)) - 1);
        return bits > 16 ? (float)v : (float)(nearest(clamp_to(v, -1, 1) * max) / max);
    case MEM_FLOAT:
        return bits > 16 ? (float)v
                         : (float)round_small_float(v, bits == 16 ? 10 : bits == 11 ? 6 : 5,
                                                    t->mrt->truncate);
    default: /* sRGB: its table is of floats */
        return (float)v;
    }
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

/* Packing and unpacking: the functions of sRGB formats take the fourth component for alpha, which a swap moves.
 * Those have bytes for components. */
static void pack_texel(const struct raster_target *t, const uint32_t xyzw[4], uint64_t texel[2])
{
    uint8_t *bytes = (uint8_t *)texel;

    t->pack(xyzw, texel);
    for (unsigned i = 0; t->srgb_moved && i < t->layout->components; i++) {
        const uint32_t one[4] = { t->swap[i] == 3 ? 0 : xyzw[i], 0, 0, xyzw[i] };
        uint64_t code[2] = { 0, 0 };

        if (t->swap[i] == 3) {
            bytes[i] = (uint8_t)nearest(clamp_to(bits_f32(xyzw[i]), 0, 1) * 255);
        } else {
            t->pack(one, code);
            bytes[i] = (uint8_t)code[0];
        }
    }
}

static void unpack_texel(const struct raster_target *t, const uint64_t texel[2], uint32_t xyzw[4])
{
    const uint8_t *bytes = (const uint8_t *)texel;

    t->unpack(texel, xyzw);
    for (unsigned i = 0; t->srgb_moved && i < t->layout->components; i++) {
        const uint64_t one[2] = { bytes[i], 0 };
        uint32_t first[4];

        t->unpack(one, first);
        xyzw[i] = t->swap[i] == 3 ? f32_bits((float)bytes[i] / 255.0f) : first[0];
    }
}

/* What a pixel's export makes of a texel that holds old[]. */
static void combine(struct raster_cb *cb, const struct raster_target *t, const uint64_t old[2],
                    const struct raster_color *color, const struct raster_color *src1,
                    uint64_t new[2], struct raster_counters *cnt)
{
    uint32_t xyzw[4], rgba[4];

    memcpy(rgba, color->c, sizeof rgba);
    if (t->blend) {
        float src[4], s1[4], dst[4];
        double out[4];

        cnt->cb_blended++;
        unpack_texel(t, old, xyzw);
        from_components(t, xyzw, rgba);
        memcpy(src, color->c, sizeof src);
        memcpy(s1, src1->c, sizeof s1);
        memcpy(dst, rgba, sizeof dst);
        clamp_colour(t, src);
        clamp_colour(t, s1);
        raster_blend(&t->mrt->blend, src, s1, dst, cb->st->cb.blend_const, out);
        for (unsigned i = 0; i < 4; i++)
            xyzw[i] = i < t->layout->components && t->swap[i] < 4
                          ? f32_bits(to_precision(t, t->layout->component_bits[i], out[t->swap[i]])) : 0;
    } else {
        to_components(t, rgba, xyzw);
    }
    new[0] = new[1] = 0;
    pack_texel(t, xyzw, new);
    for (unsigned i = 0; i < 2; i++) {
        if (t->rop)
            new[i] = rop(cb->st->cb.rop3, new[i], old[i]);
        if (!t->writes_all)
            new[i] = (old[i] & t->keep[i]) | (new[i] & ~t->keep[i]);
    }
}

/* A pixel of a target: where its fragments are. */
struct pixel {
    uint32_t x, y, slice;
};

static void load_texel(struct raster_cb *cb, const struct raster_target *t, const struct pixel *p,
                       unsigned fragment, uint64_t out[2])
{
    const unsigned bytes = t->layout->bits / 8;
    const uint8_t *b = raster_cb_texel(cb, t, p->x, p->y, p->slice, fragment, false);

    out[0] = out[1] = 0;
    if (b)
        memcpy(out, b, bytes);
}

static void store_texel(struct raster_cb *cb, const struct raster_target *t, const struct pixel *p,
                        unsigned fragment, const uint64_t v[2])
{
    const unsigned bytes = t->layout->bits / 8;
    uint8_t *b = raster_cb_texel(cb, t, p->x, p->y, p->slice, fragment, true);

    if (b)
        memcpy(b, v, bytes);
}

static bool reads_target(const struct raster_target *t)
{
    return t->blend || t->rop || !t->writes_all;
}

static void write_fragment(struct raster_cb *cb, const struct raster_target *t, const struct pixel *p,
                           unsigned fragment, const struct raster_color *color,
                           const struct raster_color *src1, struct raster_counters *cnt)
{
    uint64_t old[2] = { 0, 0 }, new[2];

    if (reads_target(t))
        load_texel(cb, t, p, fragment, old);
    combine(cb, t, old, color, src1, new, cnt);
    store_texel(cb, t, p, fragment, new);
    cnt->cb_samples++;
}

/* Give every sample a fragment of its own (FMASK_COMPRESSION_DISABLE). */
static void uncompress_pixel(struct raster_cb *cb, const struct raster_target *t, const struct pixel *p,
                             uint8_t map[RASTER_SAMPLES_MAX])
{
    uint64_t v[RASTER_SAMPLES_MAX][2];

    for (unsigned s = 0; s < t->fragments; s++)
        load_texel(cb, t, p, map[s] < t->fragments ? map[s] : 0, v[s]);
    for (unsigned s = 0; s < t->fragments; s++) {
        store_texel(cb, t, p, s, v[s]);
        map[s] = (uint8_t)s;
    }
}

/* Write the samples `mask` of a pixel that has FMASK. */
static void write_compressed(struct raster_cb *cb, const struct raster_target *t, const struct pixel *p,
                             uint32_t mask, const struct raster_color *color,
                             const struct raster_color *src1, struct raster_counters *cnt)
{
    const bool reads = reads_target(t);
    uint8_t map[RASTER_SAMPLES_MAX], before[RASTER_SAMPLES_MAX];
    uint32_t rest = mask & ((1u << t->samples) - 1);

    raster_cb_map_load(cb, t, p->x, p->y, p->slice, map);
    memcpy(before, map, sizeof before);
    if (t->mrt->fmask_compression_disable && t->samples == t->fragments) {
        uncompress_pixel(cb, t, p, map);
        for (unsigned s = 0; s < t->samples; s++)
            if (rest >> s & 1)
                write_fragment(cb, t, p, s, color, src1, cnt);
        rest = 0;
    }
    while (rest) {
        const unsigned first = (unsigned)__builtin_ctz(rest), from = map[first];
        uint32_t group = rest, used = 0, anchored = 0;
        uint64_t old[2] = { 0, 0 }, new[2];
        unsigned to;

        /* What is read must be the same for the whole group. */
        for (unsigned s = 0; reads && s < t->samples; s++)
            if (map[s] != from)
                group &= ~(1u << s);
        if (reads && from < t->fragments)
            load_texel(cb, t, p, from, old);
        combine(cb, t, old, color, src1, new, cnt);
        for (unsigned s = 0; s < t->samples; s++)
            if (!(group >> s & 1)) {
                used |= 1u << map[s];
                anchored |= s < t->fragments ? 1u << map[s] : 0;
            }
        to = (unsigned)__builtin_ctz(~used);
        /* An anchor always gets a place: of the fragments that no other anchor has, the lowest. */
        if (to >= t->fragments && group & ((1u << t->fragments) - 1)) {
            to = (unsigned)__builtin_ctz(~anchored);
            for (unsigned s = 0; s < t->samples; s++)
                if (!(group >> s & 1) && map[s] == to)
                    map[s] = (uint8_t)t->fragments;
        }
        if (to < t->fragments) {
            store_texel(cb, t, p, to, new);
            cnt->cb_samples++;
        } else {
            to = t->fragments; /* no room: the colour is lost (docs/errata.md, E-eqaa-colour) */
        }
        for (unsigned s = 0; s < t->samples; s++)
            if (group >> s & 1)
                map[s] = (uint8_t)to;
        rest &= ~group;
    }
    if (memcmp(before, map, sizeof map))
        raster_cb_map_store(cb, t, p->x, p->y, p->slice, map);
}

static struct pixel pixel_of(const struct raster_target *t, uint32_t slice, int32_t x, int32_t y,
                             unsigned p)
{
    const struct raster_surface *c = &t->mrt->color;

    return (struct pixel){ (uint32_t)(x + (int32_t)(p & 1)), (uint32_t)(y + (int32_t)(p >> 1)),
                           MIN2(c->first_slice + slice, c->last_slice) };
}

void raster_cb_quad(struct raster_cb *cb, unsigned mrt, uint32_t slice, int32_t x, int32_t y,
                    const uint16_t mask[4], const struct raster_color color[4],
                    const struct raster_color src1[4], struct raster_counters *cnt)
{
    const struct raster_target *t = &cb->target[mrt];

    if (!t->on || !(mask[0] | mask[1] | mask[2] | mask[3]))
        return;
    for (unsigned k = 0; k < 4; k++) {
        const struct pixel p = pixel_of(t, slice, x, y, k);

        if (k == 0) /* a quad lies in one tile */
            raster_cb_tile_open(cb, t, p.x, p.y, p.slice, cnt);
        if (!mask[k])
            continue;
        cnt->cb_pixels++;
        cnt->cb_blended_pixels += t->blend;
        if (t->fmask_on) {
            write_compressed(cb, t, &p, mask[k], &color[k], &src1[k], cnt);
            continue;
        }
        for (unsigned f = 0; f < t->fragments; f++)
            if (mask[k] >> f & 1 || t->fragments == 1)
                write_fragment(cb, t, &p, f, &color[k], &src1[k], cnt);
    }
}

/* ---- what CB does by itself ------------------------------------------------------------------------- */

/* The mean of a pixel's samples; of integers the first sample. Samples without a colour do not
 * count. */
static void resolve_pixel(struct raster_cb *cb, const struct raster_target *from,
                          const struct pixel *pf, const struct raster_target *to,
                          const struct pixel *pt, struct raster_counters *cnt)
{
    uint8_t map[RASTER_SAMPLES_MAX];
    float sum[4] = { 0, 0, 0, 0 };
    unsigned weight[RASTER_SAMPLES_MAX] = { 0 }, total = 0;
    struct raster_color mean;
    const unsigned samples = from->fmask_on ? from->samples : from->fragments;

    raster_cb_map_load(cb, from, pf->x, pf->y, pf->slice, map);
    for (unsigned s = 0; s < samples; s++)
        if (map[s] < from->fragments)
            weight[map[s]]++, total++;
    for (unsigned f = 0; f < from->fragments; f++) {
        uint64_t v[2];
        uint32_t xyzw[4], rgba[4];

        if (!weight[f])
            continue;
        load_texel(cb, from, pf, f, v);
        unpack_texel(from, v, xyzw);
        from_components(from, xyzw, rgba);
        if (from->integer) {
            memcpy(mean.c, rgba, sizeof mean.c);
            break;
        }
        for (unsigned c = 0; c < 4; c++)
            sum[c] += bits_f32(rgba[c]) * (float)weight[f];
    }
    if (!from->integer)
        for (unsigned c = 0; c < 4; c++)
            mean.c[c] = f32_bits(total ? sum[c] / (float)total : 0);
    else if (!total)
        memset(&mean, 0, sizeof mean);
    write_fragment(cb, to, pt, 0, &mean, &mean, cnt);
    cnt->cb_resolved++;
}

void raster_cb_special(struct raster_cb *cb, uint32_t slice, int32_t x, int32_t y,
                       const uint16_t mask[4], struct raster_counters *cnt)
{
    const struct raster_target *t = &cb->target[0], *to = &cb->target[1];
    const uint32_t mode = cb->st->cb.mode;
    struct pixel p;

    if (mode == V_CBMode__CB_RESOLVE) {
        if (!t->on || !to->on)
            return;
        p = pixel_of(t, slice, x, y, 0);
        raster_cb_tile_open(cb, t, p.x, p.y, p.slice, cnt);
        p = pixel_of(to, slice, x, y, 0);
        raster_cb_tile_open(cb, to, p.x, p.y, p.slice, cnt);
        for (unsigned k = 0; k < 4; k++) {
            const struct pixel pf = pixel_of(t, slice, x, y, k), pt = pixel_of(to, slice, x, y, k);

            if (mask[k])
                resolve_pixel(cb, t, &pf, to, &pt, cnt);
        }
        return;
    }
    for (unsigned m = 0; m < RASTER_MRTS; m++) {
        t = &cb->target[m];
        if (!t->on)
            continue;
        p = pixel_of(t, slice, x, y, 0);
        raster_cb_tile_open(cb, t, p.x, p.y, p.slice, cnt);
        if (mode == V_CBMode__CB_FMASK_DECOMPRESS)
            raster_cb_fmask_expand(cb, t, p.x, p.y, p.slice);
        for (unsigned k = 0; t->dcc_on && k < 4; k++) {
            p = pixel_of(t, slice, x, y, k);
            if (mask[k])
                raster_cb_dcc_open(cb, t, p.x, p.y, p.slice, mode == V_CBMode__CB_DCC_DECOMPRESS);
        }
    }
}

/* ---- read-back ------------------------------------------------------------------------------------ */

void raster_cb_read(struct raster_cb *cb, unsigned mrt, uint32_t slice, uint32_t x, uint32_t y,
                    unsigned sample, uint32_t rgba[4], uint8_t raw[16])
{
    const struct raster_target *t = &cb->target[mrt];
    const struct pixel p = pixel_of(t, slice, (int32_t)x, (int32_t)y, 0);
    uint32_t xyzw[4];
    uint64_t texel[2];

    raster_cb_peek(cb, t, p.x, p.y, p.slice, sample, raw);
    memcpy(texel, raw, sizeof texel);
    unpack_texel(t, texel, xyzw);
    from_components(t, xyzw, rgba);
}
