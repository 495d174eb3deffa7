/* gfx9_swizzle: surfaces of GFX9.
 *
 * What it models: the address units of Vega. A surface is cut into blocks of 256 bytes, 4 KiB or
 * 64 KiB that follow each other in rows. Inside a block the offset is made of coordinate bits
 * alone: a micro block in one of four orders (Z depth and shader-friendly, S standard, D display, R
 * rotated), above it x and y alternating. In the _X and _T modes the bits that select pipe and
 * bank are then folded with the bits above them, with the slice, and with the xor that the driver
 * put into the low bits of the base address. Everything is linear over exclusive or, so the
 * contribution of each coordinate bit is computed once (block_offset of that bit alone) and kept in
 * tables of 16.
 *
 * All levels of a mip chain lie in one surface: level 1 below or beside level 0, the others next to
 * it, and the smallest ones together in the last block, the mip tail.
 *
 * Facts: AMD's address library as published in Mesa (see swizzle.def); compared with it over random
 * surfaces of all modes. */
#include "mem/tiling.h"

enum { ORDER_LINEAR, ORDER_Z, ORDER_S, ORDER_D, ORDER_R };

struct mode_row {
    uint8_t known, block_log2, order, xor, prt;
};

static const struct mode_row modes[32] = {
#define SWIZZLE(name, number, block, order, xor_, prt)                                         \
    [number] = { 1, block, ORDER_##order, xor_, prt },
#include "mem/swizzle.def"
#undef SWIZZLE
};

bool swizzle_props(unsigned mode, struct swizzle_props *out)
{
    const struct mode_row *row = &modes[mode & 31];

    if (mode > 31 || !row->known)
        return false;
    *out = (struct swizzle_props){ row->block_log2, row->order == ORDER_LINEAR, row->order == ORDER_Z,
                                   row->order == ORDER_S, row->xor, row->prt };
    return true;
}

/* A coordinate bit: axis << 4 | number. */
#define AXIS_BIT(axis, n) ((axis) << 4 | (n))
enum {
    X0 = AXIS_BIT(0, 0), X1, X2, X3,
    Y0 = AXIS_BIT(1, 0), Y1, Y2, Y3,
    Z0 = AXIS_BIT(2, 0), Z1, Z2,
    END = 0xff
};

struct micro_row {
    uint8_t order, element_log2, bit[10];
};

static const struct micro_row micro_256[] = {
#define MICRO256(order, log2, ...) { ORDER_##order, log2, { __VA_ARGS__, END, END } },
#include "mem/swizzle.def"
#undef MICRO256
};

static const struct micro_row micro_1k[] = {
#define MICRO1K(order, log2, ...) { ORDER_##order, log2, { __VA_ARGS__ } },
#include "mem/swizzle.def"
#undef MICRO1K
};

/* Everything that the offset within a block depends on. */
struct params {
    const struct mode_row *mode;
    unsigned order_kind; /* ORDER_*: the mode's, but S for D in volumes */
    bool thick;
    unsigned element_log2, samples_log2;
    unsigned interleave_log2, pipe_bits, bank_bits;
    uint8_t order[40]; /* coordinate bits of an element's number, from the lowest */
    unsigned order_bits;
};

static unsigned log2u(uint32_t v)
{
    return 31 - (unsigned)__builtin_clz(v);
}

/* GB_ADDR_CONFIG of GFX9. Source: Mesa gfx9_gb_reg.h. */
#define NUM_PIPES(v)            bits(v, 0, 2)
#define PIPE_INTERLEAVE_SIZE(v) bits(v, 3, 5)
#define NUM_BANKS(v)            bits(v, 12, 14)
#define NUM_SHADER_ENGINES(v)   bits(v, 19, 20)

/* ---- offset within a block --------------------------------------------------------------- */

static const struct micro_row *find_micro(const struct params *p, unsigned order)
{
    const struct micro_row *rows = p->thick ? micro_1k : micro_256;
    size_t n = p->thick ? ARRAY_LEN(micro_1k) : ARRAY_LEN(micro_256);

    for (size_t i = 0; i < n; i++)
        if (rows[i].order == order && rows[i].element_log2 == p->element_log2)
            return &rows[i];
    return NULL;
}

/* Fill p->order. Returns false when the mode has no order for such elements. */
static bool build_order(struct params *p)
{
    unsigned next[3] = { 0, 0, 0 }, n = 0;

    if (p->thick || p->order_kind != ORDER_Z) {
        const struct micro_row *row = find_micro(p, p->order_kind);

        if (!row)
            return false;
        while (n < 10 && row->bit[n] != END) {
            p->order[n] = row->bit[n];
            next[row->bit[n] >> 4]++;
            n++;
        }
    } else {
        /* Pairs x, y up to 64 bytes of one sample; then the order of the pairs turns round when
         * that ends on a pair. */
        bool turns = p->element_log2 == 0 || p->element_log2 == 2;
        unsigned low = turns ? 6 - p->element_log2 : 0;

        for (; n < low; n++)
            p->order[n] = (uint8_t)AXIS_BIT(n & 1, next[n & 1]++);
        for (; n < 26; n++) {
            unsigned axis = turns ? !(n & 1) : n & 1;

            p->order[n] = (uint8_t)AXIS_BIT(axis, next[axis]++);
        }
        p->order_bits = n;
        return true;
    }
    /* Above the micro block: y, x from bit 8 on; thick: z, y, x from bit 10 on. */
    while (n < 32 - p->element_log2) {
        static const uint8_t thick_axis[3] = { 2, 1, 0 };
        unsigned at = n + p->element_log2;
        unsigned axis = p->thick ? thick_axis[(at - 10) % 3] : !(at & 1);

        p->order[n++] = (uint8_t)AXIS_BIT(axis, next[axis]++);
    }
    p->order_bits = n;
    return true;
}

static uint32_t reverse(uint32_t v, unsigned n)
{
    uint32_t r = 0;

    for (unsigned i = 0; i < n; i++)
        r |= (v >> (n - 1 - i) & 1) << i;
    return r;
}

/* The low n bits of v, each exclusive-ored with the mirrored bits above (thin: n of them; thick: two
 * interleaved runs of n). */
static uint32_t fold(uint32_t v, unsigned n, bool thick)
{
    uint32_t r = v & ((1u << n) - 1), a = 0, b = 0;

    if (!thick)
        return r ^ reverse(v >> n & ((1u << n) - 1), n);
    for (unsigned i = 0; i < n; i++) {
        a |= (v >> (n + 2 * i) & 1) << i;
        b |= (v >> (n + 1 + 2 * i) & 1) << i;
    }
    return r ^ reverse(a, n) ^ reverse(b, n);
}

/* Offset within a block of the element at (coord[0], coord[1], coord[2]); linear over xor in all
 * of its arguments. */
static uint32_t block_offset(const struct params *p, const uint32_t coord[3], uint32_t sample)
{
    unsigned shift = p->element_log2, log2 = p->mode->block_log2;
    uint64_t v = 0;
    uint32_t o, high;

    for (unsigned i = 0; i < p->order_bits; i++)
        v |= (uint64_t)(coord[p->order[i] >> 4] >> (p->order[i] & 15) & 1) << i;
    if (p->order_kind == ORDER_Z && !p->thick) {
        /* Samples of an element lie together. */
        o = (uint32_t)((v << p->samples_log2 | sample) << shift);
    } else {
        unsigned start = log2 - p->samples_log2;

        o = (uint32_t)(v << shift);
        if (!(p->mode->xor && !p->mode->prt) && !p->thick)
            o &= (1u << start) - 1;
        o ^= sample << start;
    }
    if (p->mode->xor) {
        unsigned low = p->interleave_log2;
        uint32_t pipe, bank;

        if (p->mode->prt)
            o &= (1u << log2) - 1;
        high = o >> low;
        pipe = fold(high, p->pipe_bits, p->thick);
        high >>= p->pipe_bits;
        bank = fold(high, p->bank_bits, p->thick);
        high = high >> p->bank_bits << p->bank_bits | bank;
        high = high << p->pipe_bits | pipe;
        o = (o & ((1u << low) - 1)) | high << low;
        if (!p->mode->prt && !p->thick && !p->samples_log2)
            o ^= reverse(coord[2], p->pipe_bits) << low ^
                 reverse(coord[2] >> p->pipe_bits, p->bank_bits) << (low + p->pipe_bits);
    }
    return o & ((1u << log2) - 1);
}

static void fill_tables(struct mem_surface *s, const struct params *p)
{
    uint16_t (*const table[3])[16] = { s->priv.sw_x, s->priv.sw_y, s->priv.sw_z };

    for (unsigned axis = 0; axis < 3; axis++)
        for (unsigned i = 0; i < 4; i++)
            for (uint32_t v = 0; v < 16; v++) {
                uint32_t coord[3] = { 0, 0, 0 };

                coord[axis] = v << 4 * i;
                table[axis][i][v] = (uint16_t)block_offset(p, coord, 0);
            }
    for (uint32_t v = 0; v < 1u << p->samples_log2; v++)
        s->priv.sw_sample[v] = (uint16_t)block_offset(p, (const uint32_t[3]){ 0, 0, 0 }, v);
}

/* ---- mip chains -------------------------------------------------------------------------- */

struct dims {
    uint32_t w, h, d;
};

enum major { MAJOR_X, MAJOR_Y, MAJOR_Z };

/* The longest side: the chain grows across it. */
static enum major major_of(struct dims in_blocks, bool thick)
{
    bool y = in_blocks.w < in_blocks.h, x = !y;

    if (thick) {
        y = y && in_blocks.h >= in_blocks.d;
        x = x && in_blocks.w >= in_blocks.d;
    }
    return x ? MAJOR_X : y ? MAJOR_Y : MAJOR_Z;
}

/* Whether what follows a level of so many blocks fits a tail block. The side that a tail block is
 * shorter on goes round with the block's size. */
static bool next_in_tail(struct dims b, unsigned block_log2, bool thick)
{
    if (!thick)
        return block_log2 & 1 ? b.w <= 2 && b.h == 1 : b.w == 1 && b.h <= 2;
    switch (block_log2 % 3) {
    case 0: return b.w <= 2 && b.h == 1 && b.d <= 2;
    case 1: return b.w == 1 && b.h <= 2 && b.d <= 2;
    default: return b.w <= 2 && b.h <= 2 && b.d == 1;
    }
}

/* Largest level that lies in a tail: half a block. */
static struct dims tail_of(struct dims block, unsigned block_log2, bool thick)
{
    if (!thick || block_log2 % 3 == 1)
        block.w /= 2;
    else if (block_log2 % 3 == 0)
        block.h /= 2;
    else
        block.d /= 2;
    return block;
}

/* Byte offset in the tail block, in units of 256 bytes, by level and size of block. */
static uint32_t tail_offset(unsigned level_in_tail, unsigned block_log2)
{
    static const uint16_t offset_256b[] = { 2048, 1024, 512, 256, 128, 64, 32, 16,
                                            8, 6, 5, 4, 3, 2, 1, 0 };
    unsigned i = level_in_tail + 20 - block_log2;

    return (uint32_t)offset_256b[MIN2(i, ARRAY_LEN(offset_256b) - 1)] << 8;
}

static struct dims halve(struct dims b)
{
    return (struct dims){ (b.w + 1) / 2, (b.h + 1) / 2, (b.d + 1) / 2 };
}

/* Where level `level` begins: a block, or an offset in the tail block. `mip0` is in blocks. */
static struct dims level_start(struct dims mip0, bool all_in_tail, unsigned level,
                               unsigned block_log2, bool thick, uint32_t *tail)
{
    struct dims at = { 0, 0, 0 }, b = mip0;
    enum major major = major_of(mip0, thick);

    *tail = 0;
    if (all_in_tail) {
        *tail = tail_offset(level, block_log2);
        return at;
    }
    for (unsigned i = 1; i <= level; i++) {
        bool across = i == 1 || i == 3;

        if (across ? major == MAJOR_Y : major == MAJOR_X)
            at.w += b.w;
        else if (across || major == MAJOR_Y)
            at.h += b.h;
        else
            at.d += b.d;
        if (next_in_tail(b, block_log2, thick)) {
            *tail = tail_offset(level - i, block_log2);
            break;
        }
        b = halve(b);
    }
    return at;
}

/* The first level that lies in the tail, by sizes in elements; `levels` when none does. */
static unsigned first_in_tail(const struct mem_swizzle *sw, struct dims block, struct dims tail,
                              bool thick)
{
    struct dims d = { sw->width, sw->height, sw->volume ? sw->slices : 1 };

    for (unsigned i = 0; i < sw->levels; i++) {
        if (d.w <= tail.w && d.h <= tail.h && (!thick || d.d <= tail.d))
            return i;
        d.w = MAX2((uint32_t)align_up(d.w, block.w) / 2, 1u);
        d.h = MAX2((uint32_t)align_up(d.h, block.h) / 2, 1u);
        d.d = MAX2((thick ? (uint32_t)align_up(d.d, block.d) : d.d) / 2, 1u);
    }
    return sw->levels;
}

/* ---- surfaces ---------------------------------------------------------------------------- */

static int init_linear(struct mem_surface *s, const struct mem_swizzle *sw, uint64_t base_va)
{
    uint32_t align = 256 / s->element_bytes, above = 0, h = sw->height;

    if (s->element_bytes & (s->element_bytes - 1))
        align = 1;
    s->priv.kind = KIND_LINEAR;
    s->base_va = base_va;
    s->pitch = sw->levels == 1 && sw->pitch ? sw->pitch : (uint32_t)align_up(sw->width, align);
    /* Levels are stacked on one pitch. */
    for (unsigned i = 0; i < sw->levels; i++) {
        if (i == sw->level)
            s->priv.linear_start = (uint64_t)above * s->pitch * s->element_bytes;
        above += h;
        h = (h + 1) / 2;
    }
    s->height = sw->height;
    s->macro_width = align;
    s->macro_height = 1;
    s->priv.slice_bytes = (uint64_t)s->pitch * above * s->element_bytes;
    s->size_bytes = s->priv.slice_bytes * s->slices * s->samples;
    return 0;
}

int mem_surface_init_gfx9(struct mem_surface *s, const struct mem_swizzle *sw, uint64_t base_va,
                          unsigned element_bits, unsigned samples, struct err *e)
{
    const struct mode_row *mode = &modes[(unsigned)sw->mode & 31];
    struct params p = { .mode = mode };
    struct dims block = { 1, 1, 1 }, mip0, chain, at;
    uint32_t tail;
    unsigned pipes_log2, bits_of_axis[3] = { 0, 0, 0 }, selects;

    memset(s, 0, sizeof *s);
    if (!mode->known || (unsigned)sw->mode > 31)
        return err_set(e, "swizzle mode %d", sw->mode);
    if (!element_bits || element_bits > 128 || element_bits % 8 ||
        (mode->order != ORDER_LINEAR && (element_bits & (element_bits - 1))))
        return err_set(e, "a surface of %u bits per element", element_bits);
    if (!samples || samples > 16 || (samples & (samples - 1)))
        return err_set(e, "a surface of %u samples", samples);
    if (sw->levels < 1 || sw->levels > 16 || sw->level >= sw->levels ||
        (samples > 1 && (sw->levels > 1 || sw->volume)))
        return err_set(e, "level %u of %u with %u samples", sw->level, sw->levels, samples);
    if (!sw->width || !sw->height || !sw->slices || sw->width > 65536 || sw->height > 65536 ||
        sw->slices > 65536 || sw->pitch > 1 << 20)
        return err_set(e, "an image of %u x %u x %u, pitch %u", sw->width, sw->height, sw->slices,
                       sw->pitch);
    s->element_bytes = element_bits / 8;
    s->samples = samples;
    s->slices = sw->slices;
    if (mode->order == ORDER_LINEAR)
        return init_linear(s, sw, base_va);

    /* D in volumes is S; and only Z and (real) S are thick there. */
    p.order_kind = sw->volume && mode->order == ORDER_D ? ORDER_S : mode->order;
    p.thick = sw->volume && (mode->order == ORDER_Z || mode->order == ORDER_S);
    if (p.thick && mode->block_log2 < 10)
        return err_set(e, "swizzle mode %d in a volume", sw->mode);
    p.element_log2 = log2u(s->element_bytes);
    p.samples_log2 = log2u(samples);
    p.interleave_log2 = 8 + MIN2(PIPE_INTERLEAVE_SIZE(sw->addr_config), 3);
    pipes_log2 = MIN2(NUM_PIPES(sw->addr_config), 5) + NUM_SHADER_ENGINES(sw->addr_config);
    if (mode->xor) {
        unsigned room = mode->block_log2 - p.interleave_log2;

        p.pipe_bits = MIN2(room, pipes_log2);
        p.bank_bits = MIN2(room - p.pipe_bits, MIN2(NUM_BANKS(sw->addr_config), 4));
    }
    if (p.samples_log2 > mode->block_log2 - 8u)
        return err_set(e, "%u samples in swizzle mode %d", samples, sw->mode);
    if (!build_order(&p))
        return err_set(e, "swizzle mode %d has no order for %u-bit elements", sw->mode,
                       element_bits);

    /* A block holds as many elements of each axis as bits of its number come from it. */
    for (unsigned i = 0; i < mode->block_log2 - p.element_log2 - p.samples_log2; i++)
        bits_of_axis[p.order[i] >> 4]++;
    block = (struct dims){ 1u << bits_of_axis[0], 1u << bits_of_axis[1], 1u << bits_of_axis[2] };

    s->priv.kind = KIND_SWIZZLE;
    fill_tables(s, &p);
    s->macro_width = block.w;
    s->macro_height = block.h;
    s->priv.thickness = (uint8_t)block.d;
    s->priv.thickness_log2 = (uint8_t)bits_of_axis[2];
    s->priv.macro_x_shift = (uint8_t)bits_of_axis[0];
    s->priv.macro_y_shift = (uint8_t)bits_of_axis[1];
    s->priv.macro_log2 = mode->block_log2;
    s->priv.interleave_log2 = (uint8_t)p.interleave_log2;

    mip0.w = (uint32_t)align_up(sw->levels == 1 && sw->pitch ? sw->pitch : sw->width, block.w);
    mip0.h = (uint32_t)align_up(sw->height, block.h);
    mip0.d = (uint32_t)align_up(sw->slices, block.d);
    s->pitch = mip0.w;
    s->height = mip0.h;
    chain = (struct dims){ mip0.w / block.w, mip0.h / block.h, mip0.d / block.d };
    at = (struct dims){ 0, 0, 0 };
    tail = 0;
    if (sw->levels > 1) {
        struct dims tail_max = tail_of(block, mode->block_log2, p.thick), b = chain;
        unsigned first = first_in_tail(sw, block, tail_max, p.thick);
        unsigned last = MIN2(first, sw->levels - 1);

        at = level_start(b, !last, sw->level, mode->block_log2, p.thick, &tail);
        if (!last) {
            /* Everything in one tail block. */
            chain.w = chain.h = 1;
            if (p.thick)
                chain.d = 1;
        } else if (major_of(b, p.thick) == MAJOR_Y) {
            uint32_t w1 = (b.w + 1) / 2;

            chain.w += w1 + (w1 == 1 && last > 2);
        } else {
            uint32_t h1 = (b.h + 1) / 2;

            chain.h += h1 + (h1 == 1 && last > 2);
        }
    }
    s->priv.macros_per_row = chain.w;
    s->priv.slice_bytes = (uint64_t)chain.w * chain.h; /* in blocks */
    s->priv.sw_first_block = at.d * s->priv.slice_bytes + (uint64_t)at.h * chain.w + at.w;
    s->size_bytes = (s->priv.slice_bytes * chain.d) << mode->block_log2;

    /* The xor that the driver chose sits in the bits that a block-aligned base would not have. */
    selects = mode->xor ? p.pipe_bits + p.bank_bits : 0;
    s->base_va = base_va;
    s->priv.sw_start = tail & ((1u << mode->block_log2) - 1);
    if (mode->xor) {
        uint64_t in_block = base_va & ((UINT64_C(1) << mode->block_log2) - 1);

        s->base_va -= in_block;
        s->priv.sw_start ^= (uint32_t)in_block & (((1u << selects) - 1) << p.interleave_log2);
    }
    return 0;
}
