/* tiling: from (x, y, slice, sample) to the byte of a surface, on GFX6, GFX7 and GFX8.
 *
 * What it models: the address units of CB, DB and TA. A surface is cut into micro tiles of 8x8
 * elements (x 4 or 8 slices when thick). In 1D modes they follow each other in rows. In 2D and 3D
 * modes a group of them, the macro tile, is dealt out over all memory pipes and banks: bits of the
 * coordinates, mixed by exclusive or, select pipe and bank, and the rest is the offset within
 * that bank. A tile with more bytes than the tile split (many samples) is continued in a further
 * slice. The low bits of the base address are a swizzle that is added to bank and pipe.
 *
 *     address = offset bits | bank | pipe | offset within the pipe interleave (256 bytes)
 *
 * How it is fast: everything that depends on x, y and slice inside a micro tile, and the bank and
 * pipe of a micro tile, is in tables of 8 and 16 entries that mem_surface_init computes; sizes are
 * powers of two, so that the rest is shifts, two multiplications and two exclusive ors. A quad
 * never leaves a micro tile and computes that rest once.
 *
 * Facts: AMD's address library as published in Mesa (see tiling.def); verified against 7,980
 * addresses computed by it (tests/test_tiling.c). Where it is taken to be wrong: docs/errata.md,
 * E-bank-adjust. */
#include "mem/tiling.h"

#define MICRO_SIDE 8u

/* ---- the tables -------------------------------------------------------------------------- */

struct array_row {
    uint8_t thickness, macro, rotation, prt;
};

static const struct array_row arrays[16] = {
#define ARRAY(name, number, thick, macro, rotation, prt)                                       \
    [number] = { thick, macro, rotation, prt },
#include "mem/tiling.def"
#undef ARRAY
};

/* Coordinate bits: as positions for micro tiles, as masks for pipes and banks. */
enum { POS_X0, POS_X1, POS_X2, POS_Y0, POS_Y1, POS_Y2, POS_Z0, POS_Z1, POS_Z2, POS_COUNT };
enum { X3 = 1, X4 = 2, X5 = 4, X6 = 8, Y3 = 16, Y4 = 32, Y5 = 64, Y6 = 128 };

struct micro_row {
    enum mem_micro_mode mode;
    unsigned bits;
    uint8_t order[POS_COUNT];
};

static const struct micro_row micros[] = {
#define MICRO(mode, bits, b0, b1, b2, b3, b4, b5, b6, b7, b8)                                  \
    { MEM_MICRO_##mode, bits,                                                                   \
      { POS_##b0, POS_##b1, POS_##b2, POS_##b3, POS_##b4, POS_##b5, POS_##b6, POS_##b7,          \
        POS_##b8 } },
#include "mem/tiling.def"
#undef MICRO
};

struct xor_row {
    uint8_t count, bit[4];
};

static const struct xor_row pipe_rows[32] = {
#define PIPE(name, number, pipes, b0, b1, b2, b3) [number] = { pipes, { b0, b1, b2, b3 } },
#include "mem/tiling.def"
#undef PIPE
};

static const struct xor_row bank_rows[] = {
#define BANK(banks, b0, b1, b2, b3) { banks, { b0, b1, b2, b3 } },
#include "mem/tiling.def"
#undef BANK
};

unsigned mem_array_thickness(enum mem_array_mode m)
{
    return arrays[m & 15].thickness;
}

bool mem_array_is_macro(enum mem_array_mode m)
{
    return arrays[m & 15].macro;
}

unsigned mem_pipe_count(enum mem_pipe_config c)
{
    return pipe_rows[c & 31].count;
}

static bool is_pow2(uint32_t v)
{
    return v && !(v & (v - 1));
}

static unsigned log2u(uint32_t v)
{
    return 31 - (unsigned)__builtin_clz(v);
}

/* ---- registers --------------------------------------------------------------------------- */

/* Fields of the registers, as (low, high). GFX6 has everything in GB_TILE_MODE. Source: the
 * register headers (Linux gfx_6_0, gfx_7_2, gfx_8_0 sh_mask). */
#define ADDR_CONFIG_PIPE_INTERLEAVE_SIZE 4, 6
#define ADDR_CONFIG_ROW_SIZE             28, 29
#define TILE_MODE_ARRAY_MODE             2, 5
#define TILE_MODE_PIPE_CONFIG            6, 10
#define TILE_MODE_TILE_SPLIT             11, 13
#define GFX6_TILE_MODE_MICRO             0, 1
#define GFX6_TILE_MODE_BANK_WIDTH        14, 15
#define GFX6_TILE_MODE_BANK_HEIGHT       16, 17
#define GFX6_TILE_MODE_MACRO_ASPECT      18, 19
#define GFX6_TILE_MODE_NUM_BANKS         20, 21
#define GFX7_TILE_MODE_MICRO_NEW         22, 24
#define GFX7_TILE_MODE_SAMPLE_SPLIT      25, 26
#define MACROTILE_BANK_WIDTH             0, 1
#define MACROTILE_BANK_HEIGHT            2, 3
#define MACROTILE_ASPECT                 4, 5
#define MACROTILE_NUM_BANKS              6, 7
#define FIELD(value, lohi)               bits(value, lohi)

/* Tile split of GFX7 and GFX8, and the bytes of one tile before the split. */
static unsigned gfx7_tile_split(uint32_t addr_config, uint32_t tile_mode, unsigned element_bits,
                                unsigned *tile_bytes)
{
    unsigned thick = mem_array_thickness(FIELD(tile_mode, TILE_MODE_ARRAY_MODE));
    unsigned row_bytes = 1024u << MIN2(FIELD(addr_config, ADDR_CONFIG_ROW_SIZE), 2);
    unsigned split;

    *tile_bytes = element_bits * MICRO_SIDE * MICRO_SIDE / 8 * thick;
    if (FIELD(tile_mode, GFX7_TILE_MODE_MICRO_NEW) == MEM_MICRO_DEPTH)
        split = 64u << FIELD(tile_mode, TILE_MODE_TILE_SPLIT);
    else
        split = MAX2(256u, *tile_bytes << FIELD(tile_mode, GFX7_TILE_MODE_SAMPLE_SPLIT));
    return MIN2(split, row_bytes);
}

int mem_macrotile_index(uint32_t addr_config, uint32_t tile_mode, unsigned element_bits,
                        unsigned samples)
{
    const struct array_row *a = &arrays[FIELD(tile_mode, TILE_MODE_ARRAY_MODE)];
    unsigned tile_bytes, split = gfx7_tile_split(addr_config, tile_mode, element_bits,
                                                 &tile_bytes);

    if (!a->macro)
        return -1;
    tile_bytes = MAX2(64u, MIN2(split, tile_bytes * samples));
    /* At most log2(4096 / 64) = 6; the upper half of the table is for PRT modes. */
    return (int)log2u(tile_bytes / 64) + (a->prt ? 8 : 0);
}

static int check_format(unsigned element_bits, unsigned samples, struct err *e)
{
    if (!element_bits || element_bits > 128 || element_bits % 8)
        return err_set(e, "a surface of %u bits per element", element_bits);
    if (!is_pow2(samples) || samples > 16)
        return err_set(e, "a surface of %u samples", samples);
    return 0;
}

int mem_tiling_decode(struct mem_tiling *t, enum gfx gen, uint32_t addr_config,
                      uint32_t tile_mode, const uint32_t *macrotile_modes,
                      unsigned element_bits, unsigned samples, struct err *e)
{
    unsigned tile_bytes;
    int index;

    if (check_format(element_bits, samples, e))
        return -1;
    if (gen > GFX8)
        return err_set(e, "%s has swizzle modes, not tile modes", gfx_name(gen));
    memset(t, 0, sizeof *t);
    t->array_mode = FIELD(tile_mode, TILE_MODE_ARRAY_MODE);
    t->pipe_config = FIELD(tile_mode, TILE_MODE_PIPE_CONFIG);
    t->pipe_interleave_bytes =
        256u << MIN2(FIELD(addr_config, ADDR_CONFIG_PIPE_INTERLEAVE_SIZE), 1);
    if (gen == GFX6) {
        t->micro_mode = FIELD(tile_mode, GFX6_TILE_MODE_MICRO);
        t->tile_split_bytes = 64u << FIELD(tile_mode, TILE_MODE_TILE_SPLIT);
        t->bank_width = 1u << FIELD(tile_mode, GFX6_TILE_MODE_BANK_WIDTH);
        t->bank_height = 1u << FIELD(tile_mode, GFX6_TILE_MODE_BANK_HEIGHT);
        t->macro_aspect = 1u << FIELD(tile_mode, GFX6_TILE_MODE_MACRO_ASPECT);
        t->banks = 2u << FIELD(tile_mode, GFX6_TILE_MODE_NUM_BANKS);
        return 0;
    }
    t->micro_mode = FIELD(tile_mode, GFX7_TILE_MODE_MICRO_NEW);
    t->bank_width = t->bank_height = t->macro_aspect = 1;
    t->banks = 2;
    t->tile_split_bytes = gfx7_tile_split(addr_config, tile_mode, element_bits, &tile_bytes);
    index = mem_macrotile_index(addr_config, tile_mode, element_bits, samples);
    if (index >= 0) {
        uint32_t m = macrotile_modes[index];

        t->bank_width = 1u << FIELD(m, MACROTILE_BANK_WIDTH);
        t->bank_height = 1u << FIELD(m, MACROTILE_BANK_HEIGHT);
        t->macro_aspect = 1u << FIELD(m, MACROTILE_ASPECT);
        t->banks = 2u << FIELD(m, MACROTILE_NUM_BANKS);
    }
    return 0;
}

/* ---- building a surface ------------------------------------------------------------------ */

static uint16_t xor_bits(const struct xor_row *row, unsigned coords)
{
    uint16_t v = 0;

    for (unsigned i = 0; i < 4; i++)
        v |= (uint16_t)(__builtin_parity(row->bit[i] & coords) << i);
    return v;
}

static const struct xor_row *bank_row(unsigned banks)
{
    for (size_t i = 0; i < ARRAY_LEN(bank_rows); i++)
        if (bank_rows[i].count == banks)
            return &bank_rows[i];
    return NULL;
}

/* Byte offsets within a micro tile by x, y and slice. */
static int init_micro(struct mem_surface *s, struct err *e)
{
    const struct mem_tiling *t = &s->tiling;
    const struct micro_row *row = NULL;
    bool depth = t->micro_mode == MEM_MICRO_DEPTH;
    unsigned element_log2, tile_log2, shift;

    for (size_t i = 0; i < ARRAY_LEN(micros); i++)
        if (micros[i].mode == t->micro_mode && micros[i].bits == s->element_bytes * 8)
            row = &micros[i];
    if (!row)
        return err_set(e, "micro tile mode %d has no order for %u-bit elements", t->micro_mode,
                       s->element_bytes * 8);
    if (t->micro_mode == MEM_MICRO_THICK && s->priv.thickness == 1)
        return err_set(e, "thick micro tiles in array mode %d, which is thin", t->array_mode);
    element_log2 = log2u(s->element_bytes);
    tile_log2 = element_log2 + 6 + s->priv.thickness_log2; /* of one sample */
    shift = element_log2 + (depth ? log2u(s->samples) : 0);
    for (unsigned n = 0; n < 6u + s->priv.thickness_log2; n++) {
        unsigned pos = row->order[n];
        uint32_t *table = pos < POS_Y0 ? s->priv.ex : pos < POS_Z0 ? s->priv.ey : s->priv.ez;

        for (unsigned v = 0; v < 8; v++)
            if (v >> pos % 3 & 1)
                table[v] |= 1u << (n + shift);
    }
    s->priv.sample_shift = (uint8_t)(depth ? element_log2 : tile_log2);
    s->priv.tile_log2 = (uint8_t)(tile_log2 + log2u(s->samples));
    return 0;
}

/* Two pipe configurations have a pair of columns that their pipes do not tell apart; with a bank
 * width of 1 the lowest bank bit does (docs/errata.md, E-bank-adjust). */
static bool adjusts_bank(const struct mem_tiling *t)
{
    return t->bank_width == 1 && (t->pipe_config == MEM_PIPE_P4_32x32 ||
                                  t->pipe_config == MEM_PIPE_P8_32x64_32x32);
}

static int init_macro(struct mem_surface *s, uint64_t base_va, struct err *e)
{
    const struct mem_tiling *t = &s->tiling;
    const struct array_row *a = &arrays[t->array_mode];
    const struct xor_row *pipe = &pipe_rows[t->pipe_config & 31], *bank = bank_row(t->banks);
    unsigned banks_log2, rows, split_log2;

    if (!pipe->count)
        return err_set(e, "reserved pipe configuration %d", t->pipe_config);
    if (!bank || !is_pow2(t->bank_width) || !is_pow2(t->bank_height) ||
        !is_pow2(t->macro_aspect) || !is_pow2(t->tile_split_bytes) || t->bank_width > 8 ||
        t->bank_height > 8 || t->macro_aspect > t->banks || t->tile_split_bytes < 64 ||
        t->tile_split_bytes > 8192)
        return err_set(e, "%u banks of %ux%u tiles, macro tile aspect %u, tile split %u", t->banks,
                       t->bank_width, t->bank_height, t->macro_aspect, t->tile_split_bytes);
    rows = t->bank_height * t->banks / t->macro_aspect; /* micro tiles */
    if (t->pipe_interleave_bytes != 256 && t->pipe_interleave_bytes != 512)
        return err_set(e, "pipe interleave of %u bytes", t->pipe_interleave_bytes);
    banks_log2 = log2u(t->banks);
    s->priv.pipes_log2 = (uint8_t)log2u(pipe->count);
    s->priv.interleave_log2 = (uint8_t)log2u(t->pipe_interleave_bytes);
    s->priv.above_log2 = (uint8_t)(s->priv.interleave_log2 + s->priv.pipes_log2 + banks_log2);

    /* Tiles above the split go on in further slices; thick ones never do. */
    split_log2 = log2u(t->tile_split_bytes);
    if (s->priv.thickness == 1 && s->priv.tile_log2 > split_log2) {
        s->priv.split_shift = (uint8_t)split_log2;
        s->priv.split_mask = t->tile_split_bytes - 1;
        s->priv.splits_log2 = (uint8_t)(s->priv.tile_log2 - split_log2);
        s->priv.tile_log2 = (uint8_t)split_log2;
    }

    s->priv.tile_cols_log2 = (uint8_t)log2u(t->bank_width);
    s->priv.tile_rows_log2 = (uint8_t)log2u(t->bank_height);
    s->priv.bank_x_shift = (uint8_t)(s->priv.tile_cols_log2 + s->priv.pipes_log2);
    s->priv.bank_y_shift = s->priv.tile_rows_log2;
    s->priv.macro_x_shift = (uint8_t)(s->priv.bank_x_shift + log2u(t->macro_aspect));
    s->priv.macro_y_shift = (uint8_t)log2u(rows);
    s->priv.macro_log2 =
        (uint8_t)(s->priv.tile_log2 + s->priv.tile_cols_log2 + s->priv.tile_rows_log2);
    s->macro_width = MICRO_SIDE << s->priv.macro_x_shift;
    s->macro_height = MICRO_SIDE << s->priv.macro_y_shift;
    s->priv.macros_per_row = s->pitch / s->macro_width;
    s->priv.slice_bytes = (uint64_t)s->priv.macros_per_row * (s->height / s->macro_height)
                          << s->priv.macro_log2;
    s->priv.local_xy = a->prt == 2;
    s->priv.rotation = a->rotation;
    s->priv.split_rotation = s->priv.thickness == 1 && t->array_mode != MEM_ARRAY_PRT_TILED_THIN1;

    for (unsigned v = 0; v < 16; v++) {
        s->priv.pipe_x[v] = (uint16_t)(xor_bits(pipe, v) << 8);
        s->priv.pipe_y[v] = (uint16_t)(xor_bits(pipe, v << 4) << 8);
        s->priv.bank_x[v] = xor_bits(bank, v);
        s->priv.bank_y[v] = xor_bits(bank, v << 4);
        if (adjusts_bank(t))
            s->priv.pipe_x[v] |= (v >> 1 ^ v >> 2) & 1;
    }

    /* The swizzle: bits of the base address that a macro-aligned base would not have. */
    s->priv.pipe_swizzle = (uint32_t)(base_va >> s->priv.interleave_log2) & (pipe->count - 1u);
    s->priv.bank_swizzle =
        (uint32_t)(base_va >> (s->priv.interleave_log2 + s->priv.pipes_log2)) & (t->banks - 1);
    s->base_va = base_va >> s->priv.above_log2 << s->priv.above_log2;
    s->size_bytes = s->priv.slice_bytes * ((s->slices + s->priv.thickness - 1) /
                                           s->priv.thickness)
                    << s->priv.splits_log2 << (s->priv.above_log2 - s->priv.interleave_log2);
    return 0;
}

/* Offset within the bank and pipe to offset in memory: makes room for their bits. */
static inline uint64_t spread(const struct mem_surface *s, uint64_t v)
{
    unsigned low = s->priv.interleave_log2;

    return (v & ((1u << low) - 1)) | v >> low << s->priv.above_log2;
}

/* Fill in what mem_surface_quad needs. */
static void init_quad(struct mem_surface *s)
{
    uint32_t x = s->priv.ex[1], y = s->priv.ey[1];

    s->priv.quad_whole = ((x | y) & ~s->priv.split_mask) == 0;
    s->priv.quad_x = (uint32_t)(s->priv.kind == KIND_MACRO ? spread(s, x) : x);
    s->priv.quad_y = (uint32_t)(s->priv.kind == KIND_MACRO ? spread(s, y) : y);
}

int mem_surface_init(struct mem_surface *s, const struct mem_tiling *t, uint64_t base_va,
                     unsigned element_bits, unsigned samples, uint32_t pitch, uint32_t height,
                     uint32_t slices, struct err *e)
{
    const struct array_row *a;

    memset(s, 0, sizeof *s);
    if (check_format(element_bits, samples, e))
        return -1;
    if ((unsigned)t->array_mode > 15)
        return err_set(e, "array mode %d", t->array_mode);
    a = &arrays[t->array_mode];
    s->tiling = *t;
    s->base_va = base_va;
    s->element_bytes = element_bits / 8;
    s->samples = samples;
    s->pitch = pitch;
    s->height = height;
    s->slices = MAX2(slices, 1u);
    s->macro_width = s->macro_height = 1;
    s->priv.split_shift = 31; /* no split */
    s->priv.split_mask = UINT32_MAX;
    s->priv.thickness = a->thickness;
    s->priv.thickness_log2 = (uint8_t)log2u(a->thickness);
    if (t->array_mode <= MEM_ARRAY_LINEAR_ALIGNED) {
        s->priv.kind = KIND_LINEAR;
        s->priv.slice_bytes = (uint64_t)pitch * height * s->element_bytes;
        s->size_bytes = s->priv.slice_bytes * s->slices * samples;
        return 0;
    }
    if (!is_pow2(element_bits))
        return err_set(e, "tiled surface of %u bits per element", element_bits);
    if (init_micro(s, e))
        return -1;
    if (a->macro) {
        s->priv.kind = KIND_MACRO;
        if (init_macro(s, base_va, e))
            return -1;
        init_quad(s);
        return 0;
    }
    s->priv.kind = KIND_MICRO;
    s->macro_width = s->macro_height = MICRO_SIDE;
    s->priv.tiles_per_row = pitch / MICRO_SIDE;
    s->priv.slice_bytes =
        (uint64_t)pitch * height * a->thickness * s->element_bytes * samples;
    s->size_bytes = s->priv.slice_bytes * ((s->slices + a->thickness - 1u) / a->thickness);
    init_quad(s);
    return 0;
}

/* ---- addresses --------------------------------------------------------------------------- */

/* Where the micro tile (tx, ty) of a slice begins; `split` is the part of the tile that lies in
 * a further slice. */
static inline uint64_t macro_tile_base(const struct mem_surface *s, uint32_t tx, uint32_t ty,
                                       uint32_t slice, uint32_t split)
{
    uint32_t z = slice >> s->priv.thickness_log2;
    uint32_t pipes = 1u << s->priv.pipes_log2, banks = s->tiling.banks;
    uint32_t mx = tx >> s->priv.macro_x_shift, my = ty >> s->priv.macro_y_shift;
    uint32_t index = (ty & ((1u << s->priv.tile_rows_log2) - 1)) << s->priv.tile_cols_log2 |
                     (tx >> s->priv.pipes_log2 & ((1u << s->priv.tile_cols_log2) - 1));
    uint64_t total = s->priv.slice_bytes * (split + ((uint64_t)z << s->priv.splits_log2)) +
                     (((uint64_t)my * s->priv.macros_per_row + mx) << s->priv.macro_log2) +
                     ((uint64_t)index << s->priv.tile_log2);
    uint32_t pipe_swizzle = s->priv.pipe_swizzle, bank_swizzle = s->priv.bank_swizzle;
    uint32_t select, pipe, bank;

    if (s->priv.rotation == 2) {
        bank_swizzle += (banks / 2 - 1) * z;
    } else if (s->priv.rotation == 3) {
        uint32_t step = pipes > 4 ? pipes / 2 - 1 : 1;

        pipe_swizzle += step * z;
        bank_swizzle += step * z / pipes;
    }
    if (s->priv.local_xy) {
        tx &= (1u << s->priv.macro_x_shift) - 1;
        ty &= (1u << s->priv.macro_y_shift) - 1;
    }
    select = s->priv.pipe_x[tx & 15] ^ s->priv.pipe_y[ty & 15] ^
             s->priv.bank_x[tx >> s->priv.bank_x_shift & 15] ^
             s->priv.bank_y[ty >> s->priv.bank_y_shift & 15];
    pipe = (select >> 8 ^ pipe_swizzle) & (pipes - 1);
    bank = select ^ bank_swizzle;
    if (s->priv.split_rotation)
        bank ^= (banks / 2 + 1) * split;
    bank &= banks - 1;
    return spread(s, total) | (uint64_t)(bank << s->priv.pipes_log2 | pipe)
                                  << s->priv.interleave_log2;
}

static inline uint64_t micro_tile_base(const struct mem_surface *s, uint32_t tx, uint32_t ty,
                                       uint32_t slice)
{
    return s->priv.slice_bytes * (slice >> s->priv.thickness_log2) +
           (((uint64_t)ty * s->priv.tiles_per_row + tx) << s->priv.tile_log2);
}

static inline uint32_t in_tile(const struct mem_surface *s, uint32_t x, uint32_t y,
                               uint32_t slice, uint32_t sample)
{
    return s->priv.ex[x & 7] | s->priv.ey[y & 7] |
           s->priv.ez[slice & (s->priv.thickness - 1u)] | sample << s->priv.sample_shift;
}

static uint64_t linear_offset(const struct mem_surface *s, uint32_t x, uint32_t y, uint32_t slice,
                              uint32_t sample)
{
    return s->priv.linear_start + s->priv.slice_bytes * (slice + (uint64_t)sample * s->slices) +
           ((uint64_t)y * s->pitch + x) * s->element_bytes;
}

uint64_t mem_surface_offset(const struct mem_surface *s, uint32_t x, uint32_t y, uint32_t slice,
                            uint32_t sample)
{
    uint32_t in;

    sample &= s->samples - 1;
    if (s->priv.kind == KIND_LINEAR)
        return linear_offset(s, x, y, slice, sample);
    if (s->priv.kind == KIND_SWIZZLE)
        return swizzle_offset(s, x, y, slice, sample);
    in = in_tile(s, x, y, slice, sample);
    if (s->priv.kind == KIND_MICRO)
        return micro_tile_base(s, x >> 3, y >> 3, slice) + in;
    return macro_tile_base(s, x >> 3, y >> 3, slice, in >> s->priv.split_shift) |
           spread(s, in & s->priv.split_mask);
}

void mem_surface_quad(const struct mem_surface *s, uint32_t x, uint32_t y, uint32_t slice,
                      uint32_t sample, uint64_t out[4])
{
    uint64_t base = 0;
    uint32_t split = UINT32_MAX;

    sample &= s->samples - 1;
    if (s->priv.kind == KIND_LINEAR) {
        out[0] = linear_offset(s, x, y, slice, sample);
        out[1] = out[0] + s->element_bytes;
        out[2] = out[0] + (uint64_t)s->pitch * s->element_bytes;
        out[3] = out[2] + s->element_bytes;
        return;
    }
    /* x and y are even: their lowest bits only add (GFX9: toggle) what they contribute. */
    if (s->priv.kind == KIND_SWIZZLE) {
        out[0] = swizzle_offset(s, x, y, slice, sample);
        out[1] = out[0] ^ s->priv.sw_x[0][1];
        out[2] = out[0] ^ s->priv.sw_y[0][1];
        out[3] = out[1] ^ s->priv.sw_y[0][1];
        return;
    }
    if (s->priv.quad_whole) {
        out[0] = mem_surface_offset(s, x, y, slice, sample);
        out[1] = out[0] + s->priv.quad_x;
        out[2] = out[0] + s->priv.quad_y;
        out[3] = out[1] + s->priv.quad_y;
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        uint32_t in = in_tile(s, x + (i & 1), y + (i >> 1), slice, sample);

        if (in >> s->priv.split_shift != split) {
            split = in >> s->priv.split_shift;
            base = macro_tile_base(s, x >> 3, y >> 3, slice, split);
        }
        out[i] = base | spread(s, in & s->priv.split_mask);
    }
}

void mem_surface_row(const struct mem_surface *s, uint32_t x, uint32_t y, uint32_t slice,
                     uint32_t sample, uint32_t n, uint64_t *out)
{
    uint64_t base = 0;
    uint32_t tile = UINT32_MAX, split = UINT32_MAX;

    sample &= s->samples - 1;
    for (uint32_t i = 0; i < n; i++, x++) {
        uint32_t in;

        if (s->priv.kind == KIND_LINEAR || s->priv.kind == KIND_SWIZZLE) {
            out[i] = s->priv.kind == KIND_LINEAR ? linear_offset(s, x, y, slice, sample)
                                                 : swizzle_offset(s, x, y, slice, sample);
            continue;
        }
        in = in_tile(s, x, y, slice, sample);
        if (x >> 3 != tile || in >> s->priv.split_shift != split) {
            tile = x >> 3;
            split = in >> s->priv.split_shift;
            base = s->priv.kind == KIND_MICRO ? micro_tile_base(s, tile, y >> 3, slice)
                                              : macro_tile_base(s, tile, y >> 3, slice, split);
        }
        out[i] = s->priv.kind == KIND_MICRO ? base + in
                                            : base | spread(s, in & s->priv.split_mask);
    }
}
