/* Image instructions with a sampler: IMAGE_SAMPLE_*, IMAGE_GATHER4_*, IMAGE_GET_LOD, lane by lane over raster/'s
 * filter.
 *
 * The address VGPRs are read in the order that isa.h says. With A16, derivatives, coordinates, LOD and clamp are
 * halves, two in a VGPR: the derivatives in X, those in Y, and the rest each begin with a new one; offsets and the
 * reference stay whole. A level of detail comes from the instruction (L, LZ, D) or from the differences
 * between the lanes of a quad: lanes 4q + 1 and 4q + 2 against 4q, in any stage. Of a cube they are differences on
 * the face of lane 4q, onto which a neighbour on another face is projected.
 *
 * Sources: the vector memory image chapters of the ISA manuals; LLVM and ACO for A16. */
#include "emu/image.h"

#include <math.h>

/* Where the address operands of a sample lie: VGPRs; halves of a group count from its first VGPR. */
struct sample_args {
    unsigned offset, bias, ref, deriv[2], coord;
    unsigned lod, lod_clamp; /* counted in operands from coord */
    unsigned coords;         /* the slice included */
};

static struct sample_args sample_args(const struct image_op *op)
{
    const uint32_t what = op->im->what;
    const unsigned dims = op->image.dims, group = op->im->a16 ? (dims + 1) / 2 : dims;
    struct sample_args a;
    unsigned n = 0;

    a.coords = dims + (op->im->da && !op->image.is_3d);
    a.offset = n, n += what & ISA_IMAGE_OFFSET ? 1 : 0;
    a.bias = n, n += what & ISA_IMAGE_BIAS ? 1 : 0;
    a.ref = n, n += what & ISA_IMAGE_CMP ? 1 : 0;
    a.deriv[0] = n, a.deriv[1] = n + group;
    n += what & (ISA_IMAGE_DERIV | ISA_IMAGE_CDERIV) ? 2 * group : 0;
    a.coord = n;
    a.lod = a.coords;
    a.lod_clamp = a.coords + (what & ISA_IMAGE_LOD ? 1 : 0);
    return a;
}

/* Operand i of the group that begins at VGPR `first`. */
static float operand(const struct image_op *op, unsigned first, unsigned i, unsigned lane)
{
    if (!op->im->a16)
        return bits_f32(image_addr(op, first + i, lane));
    return bits_f32(mem_f16_to_f32((uint16_t)(image_addr(op, first + i / 2, lane) >> (16 * (i & 1)))));
}

/* ---- level of detail ------------------------------------------------------------------------------ */

/* Face and position of a lane on a cube; false when it is none. */
static bool on_face(const struct image_op *op, const struct sample_args *a, unsigned lane, float st[2],
                    unsigned *face)
{
    const float id = rintf(operand(op, a->coord, 2, lane));

    st[0] = operand(op, a->coord, 0, lane) - 1.5f;
    st[1] = operand(op, a->coord, 1, lane) - 1.5f;
    *face = id > 0 && id < 65536 ? (unsigned)id % 8 : 0;
    return *face < 6;
}

/* (s, t) of a point on `from` as seen on `to`: its direction through the plane of that face. False behind it. */
static bool project(const float st[2], unsigned from, unsigned to, float out[2])
{
    /* Axis and sign of the face, of s and of t; as the cube instructions have them. */
    static const int8_t face[6][6] = {
        { 0, 1, 2, -1, 1, -1 }, { 0, -1, 2, 1, 1, -1 }, { 1, 1, 0, 1, 2, 1 },
        { 1, -1, 0, 1, 2, -1 }, { 2, 1, 0, 1, 1, -1 },  { 2, -1, 0, -1, 1, -1 },
    };
    float dir[3], major;

    dir[face[from][0]] = 0.5f * face[from][1];
    dir[face[from][2]] = st[0] * face[from][3];
    dir[face[from][4]] = st[1] * face[from][5];
    major = 2 * dir[face[to][0]] * face[to][1];
    if (!(major > 0))
        return false;
    out[0] = dir[face[to][2]] * face[to][3] / major;
    out[1] = dir[face[to][4]] * face[to][5] / major;
    return true;
}

static void quad_difference(const struct image_op *op, const struct sample_args *a, unsigned from, unsigned to,
                            float d[3])
{
    for (unsigned i = 0; i < op->image.dims; i++)
        d[i] = operand(op, a->coord, i, to) - operand(op, a->coord, i, from);
    if (op->image.is_cube) {
        float here[2], there[2], seen[2];
        unsigned face[2];

        if (on_face(op, a, from, here, &face[0]) && on_face(op, a, to, there, &face[1]) &&
            face[0] != face[1] && project(there, face[1], face[0], seen)) {
            d[0] = seen[0] - here[0];
            d[1] = seen[1] - here[1];
        }
    }
}

/* The level of detail as the instruction gives it or as the footprint has it; no bias. */
static float lane_lod(const struct image_op *op, const struct sample_args *a, unsigned lane,
                      struct raster_sample_in *in)
{
    const uint32_t what = op->im->what;
    float ddx[3] = { 0, 0, 0 }, ddy[3] = { 0, 0, 0 };
    const unsigned quad = lane & ~3u;
    struct raster_footprint f;

    if (what & ISA_IMAGE_LZ)
        return 0;
    if (what & ISA_IMAGE_LOD)
        return operand(op, a->coord, a->lod, lane);
    if (what & (ISA_IMAGE_DERIV | ISA_IMAGE_CDERIV)) {
        for (unsigned d = 0; d < op->image.dims; d++) {
            ddx[d] = operand(op, a->deriv[0], d, lane);
            ddy[d] = operand(op, a->deriv[1], d, lane);
        }
    } else {
        quad_difference(op, a, quad, quad + 1, ddx);
        quad_difference(op, a, quad, quad + 2, ddy);
    }
    raster_footprint(&op->image, &op->sampler, ddx, ddy, &f);
    in->taps = f.taps;
    memcpy(in->axis, f.axis, sizeof in->axis);
    return f.lod;
}

/* ---- lanes ------------------------------------------------------------------------------------------ */

/* The slice of a cube's face: the coordinate is 8 times the cube plus the face. Before GFX9 it is clamped as one
 * number, so that beyond the last cube all faces are the last (Mesa says so, and clamps negative ones itself). */
static float cube_slice(const struct raster_image *r, float id)
{
    const uint32_t faces = r->last_array - MIN2(r->base_array, r->last_array) + 1;
    const int32_t last = MAX2((int32_t)faces / 6, 1) - 1;
    int32_t n = id > -65536 ? (int32_t)rintf(fminf(id, 65536)) : 0; /* and NaN */

    if (r->chip->gen < GFX9)
        n = MAX2(MIN2(n, 8 * last + 5), 0);
    return (float)(MAX2(MIN2(n >> 3, last), 0) * 6 + MIN2(n & 7, 5));
}

static void sample_lane(struct image_op *op, const struct sample_args *a, const uint32_t border[4],
                        unsigned lane)
{
    const uint32_t what = op->im->what;
    const struct raster_sampler *s = &op->sampler;
    const uint64_t missed = op->mem.misses;
    struct raster_sample_in in;
    uint32_t rgba[4];
    float raw;

    memset(&in, 0, sizeof in);
    for (unsigned d = 0; d < a->coords; d++)
        in.coord[d < op->image.dims ? d : 2] = operand(op, a->coord, d, lane);
    if (op->image.is_cube) {
        /* The cube instructions leave s and t in 1..2. */
        for (unsigned d = 0; d < 2; d++)
            in.coord[d] -= 1.0f;
        in.coord[2] = cube_slice(&op->image, in.coord[2]);
    }
    if (what & ISA_IMAGE_OFFSET) {
        uint32_t o = image_addr(op, a->offset, lane); /* three signed fields of 6 bits, 8 apart */

        for (unsigned d = 0; d < 3; d++)
            in.offset[d] = (int8_t)sext32(o >> (8 * d) & 63, 6);
    }
    in.compare = what & ISA_IMAGE_CMP;
    in.ref = in.compare ? bits_f32(image_addr(op, a->ref, lane)) : 0;
    raw = lane_lod(op, a, lane, &in) + s->lod_bias;
    if (what & ISA_IMAGE_BIAS)
        raw += operand(op, a->bias, 0, lane);
    in.lod = raster_lod_clamp(&op->image, s, raw,
                              what & ISA_IMAGE_LOD_CLAMP ? operand(op, a->coord, a->lod_clamp, lane) : -INFINITY);
    op->lod_warned = in.lod < op->image.min_lod_warn - (float)op->image.base_level;
    if (what & ISA_IMAGE_GET_LOD) {
        const float level = op->image.null ? 0 : raster_lod_level(&op->image, s, in.lod);
        const uint32_t lods[4] = { f32_bits(level), f32_bits(raw), 0, 0 };

        emu_image_put(op, lane, lods, op->im->dmask, false);
        return;
    }
    in.gather = what & ISA_IMAGE_GATHER4;
    for (unsigned c = 0; c < 4; c++)
        if (op->im->dmask >> c & 1)
            in.channel = c;
    op->texels += raster_sample(&op->image, s, &op->mem, &in, border, rgba);
    emu_image_put(op, lane, rgba, in.gather ? 15 : op->im->dmask, op->mem.misses != missed);
}

/* The entry of the table of border colours: 16 bytes each, its base in units of 256 bytes; compute shaders have a
 * table of their own. */
static void border_entry(const struct image_op *op, uint32_t out[4])
{
    const struct reg_file *rf = &op->gpu->regs;
    const bool cs = op->w->stage == STAGE_CS;
    const uint64_t lo = regs_get(rf, cs ? R_TA_CS_BC_BASE_ADDR : R_TA_BC_BASE_ADDR);
    const uint64_t hi = op->w->gen == GFX6 ? 0 : regs_get(rf, cs ? R_TA_CS_BC_BASE_ADDR_HI : R_TA_BC_BASE_ADDR_HI);
    const struct mem_who who = { .client = MEM_TEX, .pc_va = op->w->insn_va, .wave_id = op->w->id };

    memset(out, 0, 16);
    if (op->sampler.border_type != V_SQ_TEX_BORDER_COLOR__SQ_TEX_BORDER_COLOR_REGISTER)
        return;
    if (op->w->touch)
        mem_touch_give_up(op->w->touch);
    else
        mem_read(op->gpu->vm, ((hi & 0xff) << 40 | lo << 8) + 16ull * op->sampler.border_index, out, 16, &who);
}

void emu_image_sample(struct image_op *op, uint64_t exec)
{
    const struct sample_args a = sample_args(op);
    uint32_t entry[4], border[4];

    raster_sampler_decode(&op->sampler, op->w->gen, op->im->ssharp);
    if (op->im->unorm)
        op->sampler.unnormalised = true;
    if (op->sampler.unknown)
        emu_image_unknown(op, 1, op->sampler.unknown);
    if (op->im->op == I_IMAGE_GATHER4H)
        emu_image_unknown(op, 2, "the order of IMAGE_GATHER4H (taken as IMAGE_GATHER4)");
    if (!op->image.null && (op->sampler.degamma || op->sampler.skip_degamma) &&
        !raster_image_degamma(&op->image, !op->sampler.skip_degamma) && op->sampler.degamma &&
        op->image.format.num != MEM_SRGB)
        emu_image_unknown(op, 8, "FORCE_DEGAMMA of a format that has no sRGB twin");
    border_entry(op, entry);
    raster_border_colour(&op->image, &op->sampler, entry, border);
    memcpy(op->copy, op->im->vaddr, MIN2(op->im->vaddr_count, IMAGE_ADDR_MAX) * 64 * sizeof(uint32_t));
    op->vaddr = op->copy;
    for (unsigned l = 0; l < 64; l++)
        if (exec >> l & 1)
            sample_lane(op, &a, border, l);
}
