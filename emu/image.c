/* Image instructions: MIMG of all stages, lane by lane, over raster/'s texture functions.
 *
 * The address VGPRs are read in the order that isa.h says. A level of detail comes from the
 * instruction (L, LZ, D) or from the differences between the lanes of a quad: lanes 4q + 1 and 4q + 2
 * against 4q.
 *
 * Not modelled, and reported: PCK loads and stores, 16-bit addresses and data, anisotropic filters.
 * Sources: the vector memory image chapters of the ISA manuals. */
#include "emu/internal.h"
#include "raster/raster.h"

#include <math.h>

#define IMAGE_ADDR_MAX 16u /* offset, bias, reference, 6 derivatives, 3 coordinates, lod, clamp: 14 */

/* What an instruction works on. */
struct image_op {
    struct wave *w;
    const struct isa_image *im;
    struct atoll_gpu *gpu;
    struct raster_image image;
    struct raster_sampler sampler;
    struct raster_access mem;
    uint64_t texels;
    /* A sample looks at its neighbours' addresses, which the result of an earlier lane may have
     * overwritten: it works on a copy. */
    const uint32_t *vaddr;
    uint32_t copy[IMAGE_ADDR_MAX * 64];
};

#define LOUD_IMAGE 0x7000

static void not_modelled(const struct image_op *op, unsigned what, const char *text)
{
    loud_report(op->w->loud, LOUD_OTHER, LOUD_IMAGE + what, "%s in an image instruction at PC 0x%llx",
                text, (unsigned long long)op->w->insn_va);
}

/* Address operand `i` of a lane; 0 beyond the allocation. */
static uint32_t addr(const struct image_op *op, unsigned i, unsigned lane)
{
    return i < op->im->vaddr_count ? op->vaddr[i * 64 + lane] : 0;
}

static float addr_f(const struct image_op *op, unsigned i, unsigned lane)
{
    return bits_f32(addr(op, i, lane));
}

/* Write the channels of DMASK to consecutive VGPRs; with TFE the status, which is always 0 (resident). */
static void put(const struct image_op *op, unsigned lane, const uint32_t rgba[4], unsigned mask)
{
    unsigned v = 0;

    for (unsigned c = 0; c < 4; c++)
        if (mask >> c & 1) {
            if (v < op->im->vdata_count)
                op->im->vdata[v * 64 + lane] = rgba[c];
            v++;
        }
    if (op->im->tfe && v < op->im->vdata_count)
        op->im->vdata[v * 64 + lane] = 0;
}

/* Integer coordinates of a load, a store or an atomic. */
static struct raster_texel texel_of(const struct image_op *op, unsigned lane)
{
    const struct raster_image *r = &op->image;
    struct raster_texel at = { .level = r->is_msaa ? 0 : r->base_level };
    int32_t *c[3] = { &at.x, &at.y, &at.z };
    unsigned n = 0;

    for (unsigned d = 0; d < r->dims; d++)
        *c[d] = (int32_t)addr(op, n++, lane);
    if (op->im->da && !r->is_3d)
        at.z = (int32_t)addr(op, n++, lane);
    if (r->is_msaa)
        at.sample = addr(op, n++, lane);
    if (op->im->what & ISA_IMAGE_MIP) {
        uint32_t level = addr(op, n, lane);

        at.level = level < RASTER_LEVELS ? at.level + level : RASTER_LEVELS;
    }
    return at;
}

static void load_lane(struct image_op *op, unsigned lane)
{
    const struct raster_texel at = texel_of(op, lane);
    uint32_t xyzw[4], rgba[4];

    raster_texel_load(&op->image, &op->mem, &at, xyzw);
    raster_texel_swizzle(&op->image, xyzw, rgba);
    if (op->image.null)
        memset(rgba, 0, sizeof rgba);
    put(op, lane, rgba, op->im->dmask);
    op->texels++;
}

static void store_lane(struct image_op *op, unsigned lane)
{
    const struct raster_texel at = texel_of(op, lane);
    uint32_t rgba[4] = { 0, 0, 0, 0 }, xyzw[4];
    unsigned v = 0;

    for (unsigned k = 0; k < 4; k++)
        if (op->im->dmask >> k & 1) {
            if (v < op->im->vdata_count)
                rgba[k] = op->im->vdata[v * 64 + lane];
            v++;
        }
    raster_texel_unswizzle(&op->image, rgba, xyzw);
    raster_texel_store(&op->image, &op->mem, &at, xyzw);
    op->texels++;
}

static uint32_t data(const struct image_op *op, unsigned i, unsigned lane)
{
    return i < op->im->vdata_count ? op->im->vdata[i * 64 + lane] : 0;
}

/* 32-bit atomics, and 64-bit ones where the texel has as many bits: lane after lane. */
static void atomic_lane(struct image_op *op, unsigned lane)
{
    const struct raster_texel at = texel_of(op, lane);
    const unsigned bytes = op->image.null ? 4 : op->image.layout->bits / 8;
    const bool wide = bytes == 8;
    uint64_t old = 0, new, a, b;
    uint8_t *p;

    a = data(op, 0, lane) | (wide ? (uint64_t)data(op, 1, lane) << 32 : 0);
    b = wide ? data(op, 2, lane) | (uint64_t)data(op, 3, lane) << 32 : data(op, 1, lane);
    if (bytes != 4 && bytes != 8) {
        not_modelled(op, 5, "an atomic on a texel that is neither 32 nor 64 bits wide");
        return;
    }
    if ((p = raster_texel_ptr(&op->image, &op->mem, &at))) {
        old = wide ? load_le64(p) : load_le32(p);
        new = old;
        switch (op->im->op) {
        case I_IMAGE_ATOMIC_SWAP: new = a; break;
        case I_IMAGE_ATOMIC_CMPSWAP: new = old == b ? a : old; break;
        case I_IMAGE_ATOMIC_ADD: new = old + a; break;
        case I_IMAGE_ATOMIC_SUB: new = old - a; break;
        case I_IMAGE_ATOMIC_SMIN:
            new = wide ? ((int64_t)a < (int64_t)old ? a : old) : ((int32_t)a < (int32_t)old ? a : old);
            break;
        case I_IMAGE_ATOMIC_SMAX:
            new = wide ? ((int64_t)a > (int64_t)old ? a : old) : ((int32_t)a > (int32_t)old ? a : old);
            break;
        case I_IMAGE_ATOMIC_UMIN: new = a < old ? a : old; break;
        case I_IMAGE_ATOMIC_UMAX: new = a > old ? a : old; break;
        case I_IMAGE_ATOMIC_AND: new = old & a; break;
        case I_IMAGE_ATOMIC_OR: new = old | a; break;
        case I_IMAGE_ATOMIC_XOR: new = old ^ a; break;
        case I_IMAGE_ATOMIC_INC: new = old >= a ? 0 : old + 1; break;
        case I_IMAGE_ATOMIC_DEC: new = old == 0 || old > a ? a : old - 1; break;
        default: not_modelled(op, 4, "an atomic"); break;
        }
        if (wide)
            store_le64(p, new);
        else
            store_le32(p, (uint32_t)new);
    }
    if (op->im->glc) {
        if (op->im->vdata_count > 0)
            op->im->vdata[lane] = (uint32_t)old;
        if (wide && op->im->vdata_count > 1)
            op->im->vdata[64 + lane] = (uint32_t)(old >> 32);
    }
    op->texels++;
}

static void resinfo_lane(struct image_op *op, unsigned lane)
{
    const struct raster_image *r = &op->image;
    const uint32_t level = addr(op, 0, lane), first = r->is_msaa ? 0 : r->base_level;
    const uint32_t levels = r->is_msaa ? 1 : r->last_level - MIN2(first, r->last_level) + 1;
    const bool in = !r->null && level < levels;
    const uint32_t shift = in ? level + first : 0;
    const uint32_t slices = r->is_3d ? MAX2(r->depth >> shift, 1) : r->last_array - r->base_array + 1;
    const uint32_t rgba[4] = { in ? MAX2(r->width >> shift, 1) : 0,
                               in ? MAX2(r->height >> shift, 1) : 0,
                               in ? slices : 0, /* of cubes: faces */
                               r->null || r->is_msaa ? 0 : levels };

    put(op, lane, rgba, op->im->dmask);
}

/* ---- sampling ------------------------------------------------------------------------------------ */

/* Where the address operands of a sample lie. */
struct sample_args {
    unsigned offset, bias, ref, deriv, coord, lod, lod_clamp;
    unsigned coords; /* the slice included */
};

static struct sample_args sample_args(const struct image_op *op)
{
    const uint32_t what = op->im->what;
    struct sample_args a;
    unsigned n = 0;

    a.coords = op->image.dims + (op->im->da && !op->image.is_3d);
    a.offset = n, n += what & ISA_IMAGE_OFFSET ? 1 : 0;
    a.bias = n, n += what & ISA_IMAGE_BIAS ? 1 : 0;
    a.ref = n, n += what & ISA_IMAGE_CMP ? 1 : 0;
    a.deriv = n, n += what & (ISA_IMAGE_DERIV | ISA_IMAGE_CDERIV) ? 2 * op->image.dims : 0;
    a.coord = n, n += a.coords;
    a.lod = n, n += what & ISA_IMAGE_LOD ? 1 : 0;
    a.lod_clamp = n;
    return a;
}

/* log2 of the longer of the two footprint axes, in texels. */
static float lod_of(const struct image_op *op, const float ddx[3], const float ddy[3])
{
    const struct raster_image *r = &op->image;
    const unsigned base = r->is_msaa ? 0 : r->base_level;
    const float size[3] = { (float)MAX2(r->width >> base, 1), (float)MAX2(r->height >> base, 1),
                            (float)MAX2(r->depth >> base, 1) };
    double lx = 0, ly = 0, rho;

    for (unsigned d = 0; d < r->dims; d++) {
        double scale = op->sampler.unnormalised ? 1 : size[d];
        double x = ddx[d] * scale, y = ddy[d] * scale;

        lx += x * x;
        ly += y * y;
    }
    rho = fmax(lx, ly);
    return rho > 0 ? (float)(0.5 * log2(rho)) : -128.0f;
}

static float lane_lod(const struct image_op *op, const struct sample_args *a, unsigned lane)
{
    const uint32_t what = op->im->what;
    float ddx[3] = { 0, 0, 0 }, ddy[3] = { 0, 0, 0 };
    const unsigned dims = op->image.dims, quad = lane & ~3u;

    if (what & ISA_IMAGE_LZ)
        return 0;
    if (what & ISA_IMAGE_LOD)
        return addr_f(op, a->lod, lane);
    for (unsigned d = 0; d < dims; d++) {
        if (what & (ISA_IMAGE_DERIV | ISA_IMAGE_CDERIV)) {
            ddx[d] = addr_f(op, a->deriv + d, lane);
            ddy[d] = addr_f(op, a->deriv + dims + d, lane);
        } else if (op->w->stage == STAGE_PS) {
            ddx[d] = addr_f(op, a->coord + d, quad + 1) - addr_f(op, a->coord + d, quad);
            ddy[d] = addr_f(op, a->coord + d, quad + 2) - addr_f(op, a->coord + d, quad);
        }
    }
    return lod_of(op, ddx, ddy);
}

static void border_colour(const struct image_op *op, uint32_t out[4])
{
    const uint32_t one = op->image.integer ? 1 : f32_bits(1.0f);

    out[0] = out[1] = out[2] = out[3] = 0;
    switch (op->sampler.border_type) {
    case V_SQ_TEX_BORDER_COLOR__SQ_TEX_BORDER_COLOR_OPAQUE_BLACK:
        out[3] = one;
        break;
    case V_SQ_TEX_BORDER_COLOR__SQ_TEX_BORDER_COLOR_OPAQUE_WHITE:
        out[0] = out[1] = out[2] = out[3] = one;
        break;
    case V_SQ_TEX_BORDER_COLOR__SQ_TEX_BORDER_COLOR_REGISTER: {
        /* The table of border colours: 16 bytes each, its base in units of 256 bytes. */
        const struct reg_file *rf = &op->gpu->regs;
        const uint64_t base = ((uint64_t)regs_get(rf, R_TA_BC_BASE_ADDR_HI) << 32 |
                               regs_get(rf, R_TA_BC_BASE_ADDR)) << 8;
        const struct mem_who who = { .client = MEM_TEX, .pc_va = op->w->insn_va, .wave_id = op->w->id };

        mem_read(op->gpu->vm, base + 16ull * op->sampler.border_index, out, 16, &who);
        break;
    }
    }
}

static void sample_lane(struct image_op *op, const struct sample_args *a, const uint32_t border[4],
                        unsigned lane)
{
    const uint32_t what = op->im->what;
    const struct raster_sampler *s = &op->sampler;
    struct raster_sample_in in;
    uint32_t rgba[4];

    memset(&in, 0, sizeof in);
    for (unsigned d = 0; d < a->coords; d++)
        in.coord[d < op->image.dims ? d : 2] = addr_f(op, a->coord + d, lane);
    if (op->image.is_cube) /* the cube instructions leave s and t in 1..2 */
        for (unsigned d = 0; d < 2; d++)
            in.coord[d] -= 1.0f;
    if (what & ISA_IMAGE_OFFSET) {
        uint32_t o = addr(op, a->offset, lane); /* three signed fields of 6 bits, 8 apart */

        for (unsigned d = 0; d < 3; d++)
            in.offset[d] = (int8_t)sext32(o >> (8 * d) & 63, 6);
    }
    in.compare = what & ISA_IMAGE_CMP;
    in.ref = in.compare ? addr_f(op, a->ref, lane) : 0;
    in.lod = lane_lod(op, a, lane) + s->lod_bias;
    if (what & ISA_IMAGE_BIAS)
        in.lod += addr_f(op, a->bias, lane);
    in.lod = fminf(fmaxf(in.lod, s->min_lod), s->max_lod);
    if (what & ISA_IMAGE_LOD_CLAMP)
        in.lod = fmaxf(in.lod, addr_f(op, a->lod_clamp, lane));
    in.lod = fmaxf(in.lod, op->image.min_lod);
    if (what & ISA_IMAGE_GET_LOD) {
        float raw = lane_lod(op, a, lane);
        const uint32_t lods[4] = { f32_bits(fmaxf(in.lod, 0)), f32_bits(raw), 0, 0 };

        put(op, lane, lods, op->im->dmask);
        return;
    }
    in.gather = what & ISA_IMAGE_GATHER4;
    for (unsigned c = 0; c < 4; c++)
        if (op->im->dmask >> c & 1)
            in.channel = c;
    op->texels += raster_sample(&op->image, s, &op->mem, &in, border, rgba);
    put(op, lane, rgba, in.gather ? 15 : op->im->dmask);
}

static void sample(struct image_op *op, uint64_t exec)
{
    const struct sample_args a = sample_args(op);
    uint32_t border[4];

    raster_sampler_decode(&op->sampler, op->w->gen, op->im->ssharp);
    if (op->im->unorm)
        op->sampler.unnormalised = true;
    if ((op->sampler.mag | op->sampler.min) >= V_SQ_TEX_XY_FILTER__SQ_TEX_XY_FILTER_ANISO_POINT &&
        op->sampler.aniso_log2)
        not_modelled(op, 1, "an anisotropic filter");
    if (op->sampler.reduce)
        not_modelled(op, 2, "a min or max filter");
    border_colour(op, border);
    memcpy(op->copy, op->im->vaddr, MIN2(op->im->vaddr_count, IMAGE_ADDR_MAX) * 64 * sizeof(uint32_t));
    op->vaddr = op->copy;
    for (unsigned l = 0; l < 64; l++)
        if (exec >> l & 1)
            sample_lane(op, &a, border, l);
}

/* ---- the instruction ------------------------------------------------------------------------------ */

void emu_ops_image(struct wave *w, const struct isa_image *im)
{
    struct emu_wave_ctx *ctx = w->ops_ctx;
    const uint64_t exec = wave_exec(w);
    struct emu_counters *counters;
    struct image_op op;
    struct err e;
    void (*lane_fn)(struct image_op *op, unsigned lane) = NULL;

    if (!exec)
        return;
    op.w = w;
    op.im = im;
    op.gpu = ctx->gpu;
    counters = ctx->counters ? ctx->counters : &op.gpu->counters;
    op.vaddr = im->vaddr;
    op.texels = 0;
    if (im->a16 || im->d16 || im->what & ISA_IMAGE_PCK) {
        not_modelled(&op, 3, "packed or 16-bit data");
        return;
    }
    if (raster_image_decode(&op.image, op.gpu->chip, im->tsharp, &e)) {
        loud_report(w->loud, LOUD_OTHER, LOUD_IMAGE + 0x100 + im->op, "PC 0x%llx: %s",
                    (unsigned long long)w->insn_va, e.text);
        return;
    }
    op.mem = (struct raster_access){ .vm = w->vm, .client = MEM_TEX };
    emu_count(counters, CNT_TA_INSTRUCTIONS, 1);
    emu_count(counters, CNT_TA_LANES, (uint64_t)__builtin_popcountll(exec));
    if (im->what & (ISA_IMAGE_SAMPLE | ISA_IMAGE_GATHER4 | ISA_IMAGE_GET_LOD))
        sample(&op, exec);
    else if (im->what & ISA_IMAGE_LOAD)
        lane_fn = load_lane;
    else if (im->what & ISA_IMAGE_STORE)
        lane_fn = store_lane;
    else if (im->what & ISA_IMAGE_RESINFO)
        lane_fn = resinfo_lane;
    else if (im->what & ISA_IMAGE_ATOMIC)
        lane_fn = atomic_lane;
    for (unsigned l = 0; lane_fn && l < 64; l++)
        if (exec >> l & 1)
            lane_fn(&op, l);
    if (op.mem.faulted)
        isa_memory_violation(w);
    if (op.image.has_bad_key)
        loud_report(w->loud, LOUD_OTHER, LOUD_IMAGE + 0x200 + op.image.bad_key,
                    "DCC key 0x%02x in an image instruction at PC 0x%llx: a compressed block, taken as it "
                    "lies in memory", op.image.bad_key, (unsigned long long)w->insn_va);
    if (im->what & (ISA_IMAGE_STORE | ISA_IMAGE_ATOMIC) && op.image.compressed)
        not_modelled(&op, 6, "a store or an atomic to a compressed image");
    emu_count(counters, CNT_TD_TEXELS, op.texels);
    mem_count(w->vm, MEM_TEX, op.mem.read_bytes, op.mem.written_bytes);
}
