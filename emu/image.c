/* Image instructions: MIMG of all stages, lane by lane, over raster/'s texture functions. Here: loads, stores,
 * atomics, sizes; image_sample.c has what needs a sampler.
 *
 * The address VGPRs are read in the order that isa.h says; with A16 two integers of 16 bits in each. D16 data are
 * halves: floats rounded to nearest, integers the low 16 bits; two in a VGPR on GFX9, one before. TFE and LWE add a
 * VGPR: 0, bit 0 when memory was not there, bit 1 when LWE warns (docs/errata.md, E-tfe).
 *
 * Sources: the vector memory image chapters of the ISA manuals; CLRX for PCK. */
#include "emu/image.h"

#define LOUD_IMAGE 0x7000

void emu_image_unknown(const struct image_op *op, unsigned what, const char *text)
{
    loud_report(op->w->loud, LOUD_OTHER, LOUD_IMAGE + what, "%s in an image instruction at PC 0x%llx",
                text, (unsigned long long)op->w->insn_va);
}

/* ---- data ---------------------------------------------------------------------------------------- */

/* Two halves in a VGPR. */
static bool packs_halves(const struct image_op *op)
{
    return op->im->d16 && op->w->gen >= GFX9;
}

/* Sizes are integers and levels of detail floats, whatever the image holds. */
static uint32_t to_half(const struct image_op *op, uint32_t v)
{
    const bool integer = op->im->what & ISA_IMAGE_RESINFO   ? true
                         : op->im->what & ISA_IMAGE_GET_LOD ? false
                                                            : op->image.integer;

    return integer ? v & 0xffff : mem_f32_to_f16(v);
}

static void put_vgpr(const struct image_op *op, unsigned i, unsigned lane, uint32_t v)
{
    if (i < op->im->vdata_count)
        op->im->vdata[i * 64 + lane] = v;
}

void emu_image_put(const struct image_op *op, unsigned lane, const uint32_t rgba[4], unsigned mask, bool missed)
{
    uint32_t packed[4] = { 0, 0, 0, 0 };
    unsigned n = 0;

    for (unsigned c = 0; c < 4; c++) {
        if (!(mask >> c & 1))
            continue;
        if (packs_halves(op))
            packed[n / 2] |= to_half(op, rgba[c]) << (16 * (n & 1));
        else
            packed[n] = op->im->d16 ? to_half(op, rgba[c]) : rgba[c];
        n++;
    }
    if (packs_halves(op))
        n = (n + 1) / 2;
    for (unsigned i = 0; i < n; i++)
        put_vgpr(op, i, lane, packed[i]);
    if (op->im->tfe || op->im->lwe)
        put_vgpr(op, n, lane, (uint32_t)(op->im->tfe && missed) | (uint32_t)(op->im->lwe && op->lod_warned) << 1);
}

static uint32_t data(const struct image_op *op, unsigned i, unsigned lane)
{
    return i < op->im->vdata_count ? op->im->vdata[i * 64 + lane] : 0;
}

/* Component i of what a store writes. */
static uint32_t store_data(const struct image_op *op, unsigned i, unsigned lane)
{
    uint32_t v;

    if (!op->im->d16)
        return data(op, i, lane);
    v = packs_halves(op) ? data(op, i / 2, lane) >> (16 * (i & 1)) : data(op, i, lane);
    if (op->image.integer)
        return op->image.format.num == MEM_SINT ? (uint32_t)sext32(v & 0xffff, 16) : v & 0xffff;
    return mem_f16_to_f32((uint16_t)v);
}

/* ---- addresses ------------------------------------------------------------------------------------- */

/* Integer operand i of the address. */
static uint32_t address(const struct image_op *op, unsigned i, unsigned lane)
{
    return op->im->a16 ? image_addr(op, i / 2, lane) >> (16 * (i & 1)) & 0xffff : image_addr(op, i, lane);
}

/* Integer coordinates of a load, a store or an atomic. */
static struct raster_texel texel_of(const struct image_op *op, unsigned lane)
{
    const struct raster_image *r = &op->image;
    struct raster_texel at = { .level = r->is_msaa ? 0 : r->base_level };
    int32_t *c[3] = { &at.x, &at.y, &at.z };
    unsigned n = 0;

    for (unsigned d = 0; d < r->dims; d++)
        *c[d] = (int32_t)address(op, n++, lane);
    if (op->im->da && !r->is_3d)
        at.z = (int32_t)address(op, n++, lane);
    if (r->is_msaa)
        at.sample = address(op, n++, lane);
    if (op->im->what & ISA_IMAGE_MIP) {
        uint32_t level = address(op, n, lane);

        at.level = level < RASTER_LEVELS ? at.level + level : RASTER_LEVELS;
    }
    return at;
}

/* ---- lanes --------------------------------------------------------------------------------------- */

static void load_lane(struct image_op *op, unsigned lane)
{
    const struct raster_texel at = texel_of(op, lane);
    const uint64_t missed = op->mem.misses;
    uint32_t xyzw[4], rgba[4];

    raster_texel_load(&op->image, &op->mem, &at, xyzw);
    raster_texel_swizzle(&op->image, xyzw, rgba);
    if (op->image.null)
        memset(rgba, 0, sizeof rgba);
    emu_image_put(op, lane, rgba, op->im->dmask, op->mem.misses != missed);
    op->texels++;
}

/* Bytes of the element itself: DMASK chooses dwords. SGN extends what is shorter than a dword. */
static void load_pck_lane(struct image_op *op, unsigned lane)
{
    const struct raster_texel at = texel_of(op, lane);
    const uint64_t missed = op->mem.misses;
    const unsigned bytes = op->image.null ? 0 : op->image.layout->bits / 8;
    const uint8_t *p = raster_texel_ptr(&op->image, &op->mem, &at, false);
    uint32_t dw[4] = { 0, 0, 0, 0 };

    if (p)
        memcpy(dw, p, MIN2(bytes, 16));
    if (op->im->what & ISA_IMAGE_SGN && bytes && bytes < 4)
        dw[0] = (uint32_t)sext32(dw[0], 8 * bytes);
    emu_image_put(op, lane, dw, op->im->dmask, op->mem.misses != missed);
    op->texels++;
}

static void store_pck_lane(struct image_op *op, unsigned lane)
{
    const struct raster_texel at = texel_of(op, lane);
    const unsigned bytes = op->image.null ? 0 : op->image.layout->bits / 8;
    uint8_t *p = raster_texel_ptr(&op->image, &op->mem, &at, true);
    unsigned v = 0;

    for (unsigned k = 0; k < 4; k++)
        if (op->im->dmask >> k & 1) {
            const uint32_t dw = data(op, v++, lane);

            if (p && 4 * k < bytes)
                memcpy(p + 4 * k, &dw, MIN2(bytes - 4 * k, 4));
        }
    op->texels++;
}

static void store_lane(struct image_op *op, unsigned lane)
{
    const struct raster_texel at = texel_of(op, lane);
    uint32_t rgba[4] = { 0, 0, 0, 0 }, xyzw[4];
    unsigned v = 0;

    for (unsigned k = 0; k < 4; k++)
        if (op->im->dmask >> k & 1)
            rgba[k] = store_data(op, v++, lane);
    raster_texel_unswizzle(&op->image, rgba, xyzw);
    raster_texel_store(&op->image, &op->mem, &at, xyzw);
    op->texels++;
}

static double as_double(uint64_t v, bool wide)
{
    double d;

    if (!wide)
        return bits_f32((uint32_t)v);
    memcpy(&d, &v, sizeof d);
    return d;
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
    if ((bytes != 4 && bytes != 8) || op->im->d16 || (!op->image.null && !op->image.pack)) {
        emu_image_unknown(op, 5, "an atomic on a texel that is neither 32 nor 64 bits wide");
        return;
    }
    if ((p = raster_texel_ptr(&op->image, &op->mem, &at, true))) {
        old = wide ? load_le64(p) : load_le32(p);
        new = old;
        switch (op->im->op) {
        case I_IMAGE_ATOMIC_SWAP: new = a; break;
        case I_IMAGE_ATOMIC_CMPSWAP: new = old == b ? a : old; break;
        case I_IMAGE_ATOMIC_ADD: new = old + a; break;
        case I_IMAGE_ATOMIC_SUB: new = old - a; break;
        case I_IMAGE_ATOMIC_RSUB: new = a - old; break;
        case I_IMAGE_ATOMIC_FCMPSWAP: new = as_double(old, wide) == as_double(b, wide) ? a : old; break;
        case I_IMAGE_ATOMIC_FMIN: new = as_double(a, wide) < as_double(old, wide) ? a : old; break;
        case I_IMAGE_ATOMIC_FMAX: new = as_double(a, wide) > as_double(old, wide) ? a : old; break;
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
        default: emu_image_unknown(op, 4, "an atomic"); break;
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
    const uint32_t level = address(op, 0, lane), first = r->is_msaa ? 0 : r->base_level;
    const uint32_t levels = r->is_msaa ? 1 : r->last_level - MIN2(first, r->last_level) + 1;
    const bool in = !r->null && level < levels;
    const uint32_t shift = in ? level + first : 0;
    const uint32_t slices = r->is_3d ? MAX2(r->depth >> shift, 1) : r->last_array - r->base_array + 1;
    const uint32_t rgba[4] = { in ? MAX2(r->width >> shift, 1) : 0,
                               in ? MAX2(r->height >> shift, 1) : 0,
                               in ? slices : 0, /* of cubes: faces */
                               r->null || r->is_msaa ? 0 : levels };

    emu_image_put(op, lane, rgba, op->im->dmask, false);
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
    op.lod_warned = false;
    if (raster_image_decode(&op.image, op.gpu->chip, im->tsharp, &e)) {
        loud_report(w->loud, LOUD_OTHER, LOUD_IMAGE + 0x100 + im->op, "PC 0x%llx: %s",
                    (unsigned long long)w->insn_va, e.text);
        return;
    }
    if (op.image.unknown)
        emu_image_unknown(&op, 7, op.image.unknown);
    op.mem = (struct raster_access){ .vm = w->vm, .client = MEM_TEX, .touch = w->touch };
    if (w->touch && im->what & ISA_IMAGE_ATOMIC) {
        mem_touch_give_up(w->touch);
        return;
    }
    emu_count(counters, CNT_TA_INSTRUCTIONS, 1);
    emu_count(counters, CNT_TA_LANES, (uint64_t)__builtin_popcountll(exec));
    if (im->what & (ISA_IMAGE_SAMPLE | ISA_IMAGE_GATHER4 | ISA_IMAGE_GET_LOD))
        emu_image_sample(&op, exec);
    else if (im->what & ISA_IMAGE_LOAD)
        lane_fn = im->what & ISA_IMAGE_PCK ? load_pck_lane : load_lane;
    else if (im->what & ISA_IMAGE_STORE)
        lane_fn = im->what & ISA_IMAGE_PCK ? store_pck_lane : store_lane;
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
        emu_image_unknown(&op, 6, "a store or an atomic to a compressed image");
    emu_count(counters, CNT_TD_TEXELS, op.texels);
    if (w->touch)
        mem_touch_count(w->touch, MEM_TEX, op.mem.read_bytes, op.mem.written_bytes);
    else
        mem_count(w->vm, MEM_TEX, op.mem.read_bytes, op.mem.written_bytes);
}
