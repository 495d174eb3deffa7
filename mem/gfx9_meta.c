/* gfx9_meta: where CMASK, HTILE and DCC elements of GFX9 lie.
 *
 * What it models: the metadata address units of Vega. A metadata surface is cut into blocks, each of
 * which serves a block of the data surface. Inside a block the address is made of coordinate bits, so
 * that the element of a piece of data lies in the same pipe, and (RB_ALIGNED) belongs to the same render
 * backend, as the data: the bits that select the data's pipe are put above the pipe interleave, those
 * of the render backend next to them, and each of them takes the place of one coordinate bit, which is
 * left out of the rest.
 *
 * An address bit is the exclusive or of a set of coordinate bits. Building the equation is set algebra
 * on these ("terms", here masks); the result is linear, so it is kept as tables of 16 per four
 * coordinate bits. Bits of the block's number fill what is left above.
 *
 * Facts: AMD's address library as published in Mesa (gfx9/gfx9addrlib.cpp); compared with it over
 * random surfaces. Where it is taken to be wrong: docs/errata.md, E-vega12-metadata. */
#include "mem/tiling.h"

/* GB_ADDR_CONFIG of GFX9 (Mesa gfx9_gb_reg.h). */
#define NUM_PIPES(v)            bits(v, 0, 2)
#define PIPE_INTERLEAVE_SIZE(v) bits(v, 3, 5)
#define MAX_COMPRESSED_FRAGS(v) bits(v, 6, 7)
#define NUM_SHADER_ENGINES(v)   bits(v, 19, 20)
#define NUM_RB_PER_SE(v)        bits(v, 26, 27)

/* ---- terms and equations ----------------------------------------------------------------- */

/* A set of coordinate bits: x in bits 0..15, y 16..31, z 32..47, sample 48..51. */
typedef uint64_t term;

enum axis { AXIS_X, AXIS_Y, AXIS_Z, AXIS_S };

static term coord(enum axis axis, unsigned n)
{
    return n < 16 ? UINT64_C(1) << (16 * axis + n) : 0;
}

static term axis_mask(enum axis axis)
{
    return UINT64_C(0xffff) << 16 * axis;
}

/* Bits of an axis below n. */
static term below(enum axis axis, unsigned n)
{
    return ((UINT64_C(1) << MIN2(n, 16u)) - 1) << 16 * axis;
}

/* The smallest coordinate of a set: samples first, then by number, x before y before z. */
static term smallest(term t)
{
    if (t & axis_mask(AXIS_S))
        return t & axis_mask(AXIS_S) & -(t & axis_mask(AXIS_S));
    for (unsigned n = 0; n < 16; n++)
        for (unsigned axis = AXIS_X; axis <= AXIS_Z; axis++)
            if (t & coord(axis, n))
                return coord(axis, n);
    return 0;
}

struct equation {
    unsigned n;
    term bit[64];
};

/* Take coordinates out of all bits; bits that become empty (or were) close up. */
static void filter(struct equation *q, term gone)
{
    unsigned k = 0;

    for (unsigned i = 0; i < q->n; i++)
        if (q->bit[i] & ~gone)
            q->bit[k++] = q->bit[i] & ~gone;
    q->n = k;
}

/* ---- parameters -------------------------------------------------------------------------- */

struct params {
    const struct mem_meta9_desc *d;
    bool thick, color, xor_mode, prt, standard;
    unsigned block_log2; /* of the data */
    unsigned element_log2, samples_log2;
    unsigned interleave_log2, pipes_log2, se_log2, rb_per_se_log2; /* as far as aligned */
    unsigned max_frags_log2;
};

static unsigned log2u(uint32_t v)
{
    return 31 - (unsigned)__builtin_clz(v);
}

/* ---- equations of the hardware ----------------------------------------------------------- */

/* Render backends take turns in squares of 16 (or, with one per engine, 32) pixels. */
static void rb_equation(const struct params *p, term out[5])
{
    unsigned total = p->se_log2 + p->rb_per_se_log2, start = 0, n;
    unsigned x = p->rb_per_se_log2 ? 4 : 5, y = x;

    memset(out, 0, 5 * sizeof *out);
    if (p->se_log2 && p->rb_per_se_log2 == 1) {
        out[0] |= coord(AXIS_X, x++) | coord(AXIS_Y, y++);
        out[0] |= coord(AXIS_Y, y);
        start = 1;
    }
    n = 2 * (total - start);
    for (unsigned i = 0; i < n; i++) {
        unsigned at = start + (start + i >= total ? n - i - 1 : i);

        out[at] |= i & 1 ? coord(AXIS_X, x++) : coord(AXIS_Y, y++);
    }
}

static void interleave2(term *bit, unsigned from, unsigned to, enum axis a, unsigned *na,
                        enum axis b, unsigned *nb)
{
    for (unsigned i = from; i < to; i++)
        bit[i] |= (i - from) & 1 ? coord(b, (*nb)++) : coord(a, (*na)++);
}

/* The data surface's address, before pipes and banks are mixed. */
static void data_equation(const struct params *p, term bit[64])
{
    unsigned x = 0, y = 0, z = 0, i;

    memset(bit, 0, 64 * sizeof *bit);
    if (!p->color) {
        unsigned pixels = p->element_log2 + p->samples_log2, turn = 6 + p->samples_log2;

        for (i = 0; i < p->samples_log2; i++)
            bit[p->element_log2 + i] = coord(AXIS_S, i);
        interleave2(bit, pixels, turn, AXIS_X, &x, AXIS_Y, &y);
        interleave2(bit, turn, 27, AXIS_Y, &y, AXIS_X, &x);
    } else if (!p->thick) {
        unsigned micro_y = (8 - p->element_log2) / 2, split = p->block_log2 - p->samples_log2;

        for (i = p->element_log2; i < 4; i++)
            bit[i] = coord(AXIS_X, x++);
        for (; i < 4 + micro_y; i++)
            bit[i] = coord(AXIS_Y, y++);
        for (; i < 8; i++)
            bit[i] = coord(AXIS_X, x++);
        interleave2(bit, 8, split, AXIS_Y, &y, AXIS_X, &x);
        for (i = 0; i < p->samples_log2; i++)
            bit[split + i] = coord(AXIS_S, i);
        if ((p->samples_log2 ^ p->block_log2) & 1)
            interleave2(bit, p->block_log2, 27, AXIS_X, &x, AXIS_Y, &y);
        else
            interleave2(bit, p->block_log2, 27, AXIS_Y, &y, AXIS_X, &x);
    } else {
        if (p->standard) {
            for (i = p->element_log2; i < 4; i++)
                bit[i] = coord(AXIS_X, x++);
            for (; i < 6; i++)
                bit[i] = coord(AXIS_Y, y++);
            for (; i < 8; i++)
                bit[i] = coord(AXIS_Z, z++);
            bit[8] = p->element_log2 < 2 ? coord(AXIS_Z, z++)
                   : p->element_log2 == 2 ? coord(AXIS_Y, y++) : coord(AXIS_X, x++);
            bit[9] = p->element_log2 < 2 ? coord(AXIS_Y, y++) : coord(AXIS_X, x++);
        } else {
            unsigned flat_end = p->element_log2 == 0 ? 3 : p->element_log2 < 4 ? 4 : 5;
            unsigned zs = p->element_log2 == 0 || p->element_log2 == 4 ? 2
                        : p->element_log2 == 1 ? 3 : 1;

            interleave2(bit, p->element_log2, flat_end + 1, AXIS_X, &x, AXIS_Y, &y);
            for (i = flat_end + 1; i <= flat_end + zs; i++)
                bit[i] = coord(AXIS_Z, z++);
            if (p->element_log2 == 0 || p->element_log2 == 3) {
                bit[6] |= coord(AXIS_X, x++);
                bit[7] |= coord(AXIS_Z, z++);
            } else if (p->element_log2 == 2) {
                bit[6] |= coord(AXIS_Y, y++);
                bit[7] |= coord(AXIS_Z, z++);
            }
            bit[8] |= coord(AXIS_Y, y++);
            bit[9] |= coord(AXIS_X, x++);
        }
        for (i = 10; i < 27; i++)
            bit[i] = (i - 10) % 3 == 0 ? coord(AXIS_Z, z++)
                   : (i - 10) % 3 == 1 ? coord(AXIS_Y, y++) : coord(AXIS_X, x++);
    }
}

/* The pipe of the data, as the metadata must follow it. */
static void pipe_equation(const struct params *p, term out[5])
{
    const unsigned n = p->pipes_log2;
    unsigned base = p->interleave_log2, start = 0;
    term data[64];

    data_equation(p, data);
    if (p->color && p->samples_log2) {
        /* Samples do not select pipes: what is above them moves down. */
        for (unsigned i = p->block_log2 - p->samples_log2; i < 64; i++)
            data[i] = i + p->samples_log2 < 27 ? data[i + p->samples_log2] : 0;
    }
    /* Bits inside an 8x8 tile cannot select a pipe for its metadata. */
    if (!p->color)
        while (base + start < 27 &&
               data[base + start] & (below(AXIS_X, 3) | below(AXIS_Y, 3) | axis_mask(AXIS_S)))
            start++;
    for (unsigned i = 0; i < n; i++)
        out[i] = data[base + start + i];
    if (p->prt)
        for (unsigned i = p->block_log2; i < 64; i++)
            data[i] = 0;
    if (!p->xor_mode)
        return;
    for (unsigned i = 0; i < n; i++) {
        unsigned mirror = n - 1 - i;

        if (p->thick) {
            out[i] |= data[base + n + 2 * mirror] | data[base + n + 2 * mirror + 1];
        } else {
            out[i] |= data[base + start + n + mirror];
            if (!p->samples_log2 && !p->prt)
                out[i] |= coord(AXIS_Z, mirror);
        }
    }
}

/* ---- block sizes ------------------------------------------------------------------------- */

static uint32_t ceil_div(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* Elements of metadata in a block, and the size of the block in elements of data. Returns the log2 of
 * the elements. */
static unsigned size_block(struct mem_meta9 *m, const struct params *p, bool spread)
{
    const unsigned rbs_log2 = NUM_SHADER_ENGINES(p->d->data.addr_config) +
                              MIN2(NUM_RB_PER_SE(p->d->data.addr_config), 2);
    const unsigned least = p->d->alias_fix ? MAX2(10u, p->interleave_log2) : 10;
    unsigned log2, limit;

    if (p->d->kind != MEM_META9_DCC) {
        m->compressed_width = m->compressed_height = 8;
        m->compressed_depth = 1;
        log2 = p->d->kind == MEM_META9_CMASK ? 13 : 10;
        if (spread)
            log2 = MAX2(log2, rbs_log2 + least);
    } else {
        static const uint8_t thin[5][2] = { { 16, 16 }, { 16, 8 }, { 8, 8 }, { 8, 4 }, { 4, 4 } };
        static const uint8_t thick_s[5][3] = { { 16, 4, 4 }, { 8, 4, 4 }, { 4, 4, 4 },
                                               { 2, 4, 4 }, { 1, 4, 4 } };
        static const uint8_t thick_z[5][3] = { { 8, 4, 8 }, { 4, 4, 8 }, { 4, 4, 4 },
                                               { 4, 2, 4 }, { 2, 2, 4 } };
        const uint8_t *t = p->standard ? thick_s[p->element_log2] : thick_z[p->element_log2];

        m->compressed_width = p->thick ? t[0] : thin[p->element_log2][0];
        m->compressed_height = p->thick ? t[1] : thin[p->element_log2][1];
        m->compressed_depth = p->thick ? t[2] : 1;
        log2 = (p->thick ? 16 : 12) - p->samples_log2;
        if (spread)
            log2 = MAX2(log2, rbs_log2 + (p->thick ? 18 : least));
        limit = 16 + 3 + p->element_log2; /* 64 KiB times the bits of an element */
        log2 = spread ? MIN2(log2, limit) : log2;
    }
    m->block_width = m->compressed_width;
    m->block_height = m->compressed_height;
    m->block_depth = m->compressed_depth;
    for (unsigned i = 0; i < log2; i++) {
        bool tall = m->block_height < m->block_width;
        uint32_t *side = tall ? &m->block_height : &m->block_width;

        if (p->thick && *side > m->block_depth)
            side = &m->block_depth;
        *side *= 2;
    }
    return log2;
}

/* What the whole is padded to: one interleave of every pipe of every backend, at least. */
static uint64_t alignment(const struct params *p, unsigned elements_log2)
{
    const unsigned rbs = p->se_log2 + p->rb_per_se_log2;
    uint64_t align = UINT64_C(1) << (p->pipes_log2 + rbs + p->interleave_log2);

    if (p->d->kind == MEM_META9_HTILE) {
        if (!p->xor_mode && p->pipes_log2 > 1)
            align <<= p->pipes_log2 - 1;
        align = MAX2(align, UINT64_C(4) << elements_log2);
    } else if (p->color && p->samples_log2 > p->max_frags_log2) {
        align <<= p->samples_log2 - p->max_frags_log2;
    }
    align = MAX2(align, UINT64_C(1) << p->block_log2);
    if (p->d->kind == MEM_META9_HTILE && p->d->alias_fix) {
        /* A line of the HTILE cache (2 KiB) must not be shared by blocks that differ in backends. */
        int pad = 11 - ((int)elements_log2 + 2 - (int)(1 + p->pipes_log2 + rbs));

        align <<= MAX2(pad, 0);
    }
    return align;
}

/* ---- the metadata equation --------------------------------------------------------------- */

struct built {
    struct equation q;       /* nibble address; the block's number goes where `block` says */
    uint8_t block_low_bits, block_low_at, block_high_at;
};

static int build(struct built *out, const struct mem_meta9 *m, const struct params *p, struct err *e)
{
    const unsigned pipes = p->pipes_log2, rbs = p->se_log2 + p->rb_per_se_log2;
    const unsigned comp_frags = p->color ? MIN2(p->samples_log2, p->max_frags_log2)
                                         : p->samples_log2;
    const unsigned other_frags = p->samples_log2 - comp_frags;
    const unsigned shift = p->d->kind == MEM_META9_DCC ? 1 : p->d->kind == MEM_META9_HTILE ? 3 : 0;
    const unsigned at = p->interleave_log2 + 1; /* in nibbles */
    struct equation q = { .n = 27 };
    term pipe[5] = { 0 }, pipe_all[5], rb[5], rb_all[5], inside;
    bool appended[5] = { false };
    unsigned x = 0, y = 0, z = 0, rb_left = 0, gap, low;

    /* All coordinates, interleaved; then those that count within a block. */
    memset(q.bit, 0, sizeof q.bit);
    if (p->thick) {
        for (unsigned i = 0; i < 27; i++)
            q.bit[i] = i % 3 == 0 ? coord(AXIS_X, x++) : i % 3 == 1 ? coord(AXIS_Y, y++)
                                                                    : coord(AXIS_Z, z++);
    } else {
        for (unsigned i = 0; i < comp_frags; i++)
            q.bit[i] = coord(AXIS_S, i);
        interleave2(q.bit, comp_frags, 27, AXIS_X, &x, AXIS_Y, &y);
    }
    inside = (below(AXIS_X, log2u(m->block_width)) & ~below(AXIS_X, log2u(m->compressed_width))) |
             (below(AXIS_Y, log2u(m->block_height)) & ~below(AXIS_Y, log2u(m->compressed_height))) |
             (below(AXIS_Z, log2u(m->block_depth)) & ~below(AXIS_Z, log2u(m->compressed_depth)));
    filter(&q, ~(inside | (p->color ? axis_mask(AXIS_S) : 0)));

    pipe_equation(p, pipe_all);
    for (unsigned i = 0; i < pipes; i++) {
        pipe[i] = pipe_all[i] & (below(AXIS_X, log2u(m->block_width)) |
                                 below(AXIS_Y, log2u(m->block_height)) |
                                 below(AXIS_Z, log2u(m->block_depth)) | axis_mask(AXIS_S));
        if (!pipe[i])
            return err_set(e, "a metadata block is smaller than its pipes");
    }
    rb_equation(p, rb_all);
    memcpy(rb, rb_all, sizeof rb);

    /* A render backend bit that a pipe bit already is needs no place of its own. */
    for (unsigned i = 0; i < rbs; i++)
        for (unsigned j = 0; j < pipes; j++) {
            term t = p->d->alias_fix ? pipe[j] & ~axis_mask(AXIS_Z) : pipe[j];

            if (rb[i] && rb[i] == t)
                rb[i] = 0;
        }
    /* Each pipe bit stands for its smallest coordinate, which leaves the address; where a render
     * backend bit had that coordinate, the pipe bit's others take its place (they cancel with
     * their like: E-vega12-metadata). */
    for (unsigned i = 0; i < pipes; i++) {
        term c = smallest(pipe[i]);

        filter(&q, c);
        for (unsigned j = 0; j < pipes; j++)
            pipe[j] &= ~c;
        for (unsigned j = 0; j < rbs; j++)
            if (rb[j] & c) {
                rb[j] &= ~c;
                rb[j] ^= pipe[i];
                appended[j] |= pipe[i] != 0;
            }
    }
    /* The same with the render backend bits that remain. */
    for (unsigned i = 0; i < rbs; i++) {
        term c = smallest(rb[i]);

        if ((unsigned)__builtin_popcountll(rb[i]) <= (p->d->alias_fix && appended[i] ? 1 : 0))
            continue;
        rb_left++;
        filter(&q, c);
        for (unsigned j = i + 1; j < rbs; j++)
            if (rb[j] & c) {
                rb[j] &= ~c;
                rb[j] ^= rb[i] & ~c;
                appended[j] |= (rb[i] & ~c) && appended[i];
            }
    }

    /* Element size, then room for pipes, backends and uncompressed fragments above the interleave. */
    gap = pipes + rb_left + other_frags;
    out->q.n = 64;
    memset(out->q.bit, 0, sizeof out->q.bit);
    for (unsigned i = 0; i < q.n; i++) {
        unsigned to = i + shift;

        out->q.bit[to < at ? to : to + gap] = q.bit[i];
    }
    low = q.n + shift;
    out->block_low_at = (uint8_t)low;
    out->block_low_bits = (uint8_t)(low < at ? at - low : 0);
    out->block_high_at = (uint8_t)(MAX2(low, at) + gap);
    for (unsigned i = 0; i < pipes; i++)
        out->q.bit[at + i] = pipe_all[i];
    for (unsigned i = 0, j = 0; i < rbs; i++)
        if ((unsigned)__builtin_popcountll(rb[i]) > (p->d->alias_fix && appended[i] ? 1 : 0))
            out->q.bit[at + pipes + j++] = rb_all[i];
    for (unsigned i = 0; i < other_frags; i++)
        out->q.bit[at + pipes + rb_left + i] = coord(AXIS_S, comp_frags + i);
    return 0;
}

/* ---- surfaces ---------------------------------------------------------------------------- */

static uint64_t solve(const struct equation *q, term coords)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < q->n; i++)
        v |= (uint64_t)__builtin_parityll(q->bit[i] & coords) << i;
    return v;
}

int mem_meta9_init(struct mem_meta9 *m, const struct mem_meta9_desc *d, uint64_t base_va,
                   uint64_t *va, struct err *e)
{
    const uint32_t config = d->data.addr_config;
    struct params p = { .d = d };
    struct swizzle_props props;
    struct built b;
    unsigned log2;
    uint64_t in_xor;

    memset(m, 0, sizeof *m);
    if (!swizzle_props((unsigned)d->data.mode, &props) || props.linear)
        return err_set(e, "metadata of swizzle mode %d", d->data.mode);
    if (d->data.levels > 1)
        return err_set(e, "metadata of mip chains is not modelled on GFX9");
    if (!d->data.width || !d->data.height || !d->data.slices || d->data.width > 65536 ||
        d->data.height > 65536 || d->data.slices > 65536)
        return err_set(e, "metadata of an image of %u x %u x %u", d->data.width, d->data.height,
                       d->data.slices);
    if (d->element_bits < 8 || d->element_bits > 128 || (d->element_bits & (d->element_bits - 1)) ||
        !d->samples || d->samples > 8 || (d->samples & (d->samples - 1)))
        return err_set(e, "metadata of %u-bit elements, %u samples", d->element_bits, d->samples);
    p.color = d->kind == MEM_META9_DCC;
    p.thick = d->data.volume && (props.z || props.s);
    if (p.thick && (!p.color || props.block_log2 < 12))
        return err_set(e, "metadata of swizzle mode %d in a volume", d->data.mode);
    p.standard = props.s;
    p.xor_mode = props.xor;
    p.prt = props.prt;
    p.block_log2 = props.block_log2;
    p.element_log2 = log2u(d->element_bits / 8);
    p.samples_log2 = d->kind == MEM_META9_CMASK ? 0 : log2u(d->samples);
    p.interleave_log2 = 8 + MIN2(PIPE_INTERLEAVE_SIZE(config), 3);
    p.max_frags_log2 = MAX_COMPRESSED_FRAGS(config);
    if (d->pipe_aligned) {
        p.pipes_log2 = MIN2(MIN2(NUM_PIPES(config), 5) + NUM_SHADER_ENGINES(config), 5);
        if (p.xor_mode)
            p.pipes_log2 = MIN2(p.pipes_log2, p.block_log2 - p.interleave_log2);
    }
    if (d->rb_aligned) {
        p.se_log2 = NUM_SHADER_ENGINES(config);
        p.rb_per_se_log2 = MIN2(NUM_RB_PER_SE(config), 2);
    }
    log2 = size_block(m, &p, p.pipes_log2 || p.se_log2 + p.rb_per_se_log2);
    if (build(&b, m, &p, e))
        return -1;

    for (unsigned i = 0; i < 4; i++)
        for (uint64_t v = 0; v < 16; v++) {
            m->priv.x[i][v] = solve(&b.q, v << (16 * AXIS_X + 4 * i));
            m->priv.y[i][v] = solve(&b.q, v << (16 * AXIS_Y + 4 * i));
            m->priv.z[i][v] = solve(&b.q, v << (16 * AXIS_Z + 4 * i));
            m->priv.sample[v] = solve(&b.q, v << 16 * AXIS_S);
        }
    m->priv.block_low_bits = b.block_low_bits;
    m->priv.block_low_at = b.block_low_at;
    m->priv.block_high_at = b.block_high_at;
    m->priv.pitch_blocks = ceil_div(d->data.width, m->block_width);
    m->priv.slice_blocks = m->priv.pitch_blocks * ceil_div(d->data.height, m->block_height);
    m->slice_bytes = ((uint64_t)m->priv.slice_blocks << log2) * (p.color ? d->samples : 1) *
                     (d->kind == MEM_META9_HTILE ? 4 : 1) / (d->kind == MEM_META9_CMASK ? 2 : 1);
    m->size_bytes = align_up(m->slice_bytes * ceil_div(d->data.slices, m->block_depth),
                             alignment(&p, log2));

    /* Drivers put all of the data's xor, pipes and banks, into the low bits of the base as far as its
     * alignment leaves them free. The pipe's part counts, the rest is dropped: so does radeonsi compute
     * the addresses of keys that it writes itself. The xor lies within a block of data. */
    in_xor = base_va & (MIN2(alignment(&p, log2), UINT64_C(1) << p.block_log2) - 1);
    m->priv.xor_nibbles = (in_xor & ((UINT64_C(1) << (p.pipes_log2 + p.interleave_log2)) - 1)) << 1;
    *va = base_va - in_xor;
    return 0;
}

uint64_t mem_meta9_nibble(const struct mem_meta9 *m, uint32_t x, uint32_t y, uint32_t slice,
                          uint32_t sample)
{
    uint64_t block = (uint64_t)(slice / m->block_depth) * m->priv.slice_blocks +
                     (uint64_t)(y / m->block_height) * m->priv.pitch_blocks + x / m->block_width;
    uint64_t v = m->priv.xor_nibbles ^ m->priv.sample[sample & 15];

    for (unsigned i = 0; i < 4; i++)
        v ^= m->priv.x[i][x >> 4 * i & 15] ^ m->priv.y[i][y >> 4 * i & 15] ^
             m->priv.z[i][slice >> 4 * i & 15];
    v ^= (block & ((UINT64_C(1) << m->priv.block_low_bits) - 1)) << m->priv.block_low_at;
    return v ^ block >> m->priv.block_low_bits << m->priv.block_high_at;
}
