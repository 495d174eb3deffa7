/* meta: where CMASK, HTILE, DCC and FMASK elements of GFX6, GFX7 and GFX8 lie.
 *
 * What it models: the address units of the metadata caches of CB and DB. CMASK and HTILE have an
 * element for each 8x8 tile of the surface and are dealt out over the pipes as the tiles are, so
 * that a pipe finds the metadata of its tiles in its own memory: elements of one pipe are numbered
 * within a macro tile (one line of the cache for each pipe), macro tiles follow each other in rows,
 * and the pipe number is inserted above the pipe interleave. Texture-readable metadata of GFX8
 * instead takes the address of the data and divides it.
 *
 * Facts: AMD's address library as published in Mesa (core/addrlib1.cpp, r800/siaddrlib.cpp,
 * r800/ciaddrlib.cpp); tables in tiling.def. */
#include "mem/mem.h"

#define TILE_SIDE 8u

#define CMASK_BITS       4u
#define HTILE_BITS       32u
#define CMASK_CACHE_BITS 1024u  /* of one line */
#define HTILE_CACHE_BITS 16384u

enum { TX0 = 1, TX1 = 2, TY0 = 4, TY1 = 8 };

struct meta_row {
    uint8_t known, shift, index_bits, bit[3];
};

static const struct meta_row metas[32] = {
#define META(pipe, shift, bits, b0, b1, b2) [MEM_PIPE_##pipe] = { 1, shift, bits, { b0, b1, b2 } },
#include "mem/tiling.def"
#undef META
};

/* Coordinate bits of the pipe equations, in the 8x8 tiles' own numbering: X3 of tiling.def is bit 0
 * of the tile's column. */
enum { X3 = 1, X4 = 2, X5 = 4, X6 = 8, Y3 = 16, Y4 = 32, Y5 = 64, Y6 = 128 };

static const uint8_t pipe_bits[32][4] = {
#define PIPE(name, number, pipes, b0, b1, b2, b3) [number] = { b0, b1, b2, b3 },
#include "mem/tiling.def"
#undef PIPE
};

static unsigned linear_tiles(enum gfx gen, enum mem_pipe_config c)
{
    static const struct { enum gfx gen; enum mem_pipe_config c; unsigned tiles; } rows[] = {
#define META_LINEAR(gen, pipe, tiles) { gen, MEM_PIPE_##pipe, tiles },
#include "mem/tiling.def"
#undef META_LINEAR
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].gen == gen && rows[i].c == c)
            return rows[i].tiles;
    return 4;
}

static unsigned log2u(uint32_t v)
{
    return 31 - (unsigned)__builtin_clz(v);
}

/* The part that CMASK and HTILE share: macro tile and padded size. */
static int init(struct mem_meta *m, enum gfx gen, const struct mem_tiling *t, uint32_t pitch,
                uint32_t height, bool linear, unsigned element_bits, unsigned cache_bits,
                struct err *e)
{
    const struct meta_row *row = &metas[t->pipe_config & 31];
    unsigned pipes = mem_pipe_count(t->pipe_config);
    unsigned width = cache_bits / element_bits, rows = 1;

    memset(m, 0, sizeof *m);
    if (gen > GFX8)
        return err_set(e, "%s has other metadata addressing", gfx_name(gen));
    if (!row->known || !pipes)
        return err_set(e, "reserved pipe configuration %d", t->pipe_config);
    if (t->pipe_interleave_bytes != 256 && t->pipe_interleave_bytes != 512)
        return err_set(e, "pipe interleave of %u bytes", t->pipe_interleave_bytes);
    if (pitch > 1 << 20 || height > 1 << 20)
        return err_set(e, "metadata of a surface of %u x %u", pitch, height);
    m->priv.pipe_config = t->pipe_config;
    m->priv.linear = linear;
    m->priv.pipes_log2 = (uint8_t)log2u(pipes);
    m->priv.interleave_log2 = (uint8_t)log2u(t->pipe_interleave_bytes);
    m->priv.shift = row->shift;
    m->priv.index_bits = row->index_bits;
    m->priv.element_bits = (uint8_t)element_bits;
    if (linear) {
        m->priv.macro_width = m->priv.macro_height =
            linear_tiles(gen, t->pipe_config) * TILE_SIDE;
    } else {
        /* One cache line of every pipe, as near to a square as powers of two allow. */
        while (width > rows * 2 * pipes && !(width & 1)) {
            width /= 2;
            rows *= 2;
        }
        m->priv.macro_width = width * TILE_SIDE;
        m->priv.macro_height = rows * pipes * TILE_SIDE;
    }
    m->priv.tiles_per_pipe = cache_bits / element_bits;
    m->pitch = (uint32_t)align_up(pitch, m->priv.macro_width);
    m->height = (uint32_t)align_up(height, m->priv.macro_height);
    return 0;
}

static uint64_t slice_bytes(const struct mem_meta *m)
{
    return (uint64_t)m->pitch * m->height * m->priv.element_bits / 8 / (TILE_SIDE * TILE_SIDE);
}

int mem_cmask_init(struct mem_meta *m, enum gfx gen, const struct mem_tiling *t, uint32_t pitch,
                   uint32_t height, uint32_t slices, bool linear, struct err *e)
{
    if (init(m, gen, t, pitch, height, linear, CMASK_BITS, CMASK_CACHE_BITS, e))
        return -1;
    /* Slices begin at pipe 0. (A macro tile is a power of two of bytes, so this ends soon.) */
    while (slice_bytes(m) & ((1u << (m->priv.interleave_log2 + m->priv.pipes_log2)) - 1))
        m->height += m->priv.macro_height;
    m->slice_bytes = slice_bytes(m);
    m->size_bytes = m->slice_bytes * MAX2(slices, 1u);
    return 0;
}

int mem_htile_init(struct mem_meta *m, enum gfx gen, const struct mem_tiling *t, uint32_t pitch,
                   uint32_t height, uint32_t slices, bool linear, struct err *e)
{
    if (init(m, gen, t, pitch, height, linear, HTILE_BITS, HTILE_CACHE_BITS, e))
        return -1;
    m->slice_bytes = align_up(slice_bytes(m), HTILE_CACHE_BITS / 8 << m->priv.pipes_log2);
    m->size_bytes = m->slice_bytes * MAX2(slices, 1u);
    return 0;
}

static unsigned pipe_of_tile(const struct mem_meta *m, uint32_t tx, uint32_t ty)
{
    unsigned coords = (tx & 15) | (ty & 15) << 4, pipe = 0;

    for (unsigned i = 0; i < m->priv.pipes_log2; i++)
        pipe |= (unsigned)__builtin_parity(pipe_bits[m->priv.pipe_config][i] & coords) << i;
    return pipe;
}

/* Bit address of the element of tile (tx, ty). */
static uint64_t element_bit(const struct mem_meta *m, uint32_t tx, uint32_t ty, uint32_t slice)
{
    const struct meta_row *row = &metas[m->priv.pipe_config];
    unsigned coords = (tx & 3) | (ty & 3) << 2, low = m->priv.interleave_log2 + 3u;
    uint32_t index = 0, cols = m->pitch / TILE_SIDE, mw = m->priv.macro_width / TILE_SIDE,
             mh = m->priv.macro_height / TILE_SIDE;
    uint64_t group, macro, total;

    for (unsigned i = 0; i < 3; i++)
        index |= (unsigned)__builtin_parity(row->bit[i] & coords) << i;
    if (m->priv.linear) {
        group = tx / 4 + (uint64_t)(ty / 4) * (cols / 4);
        macro = slice * (m->slice_bytes * 8 >> m->priv.pipes_log2);
    } else {
        group = tx % mw / 4 + (uint64_t)(ty % mh / 4) * (mw / 4);
        macro = (tx / mw + (uint64_t)(ty / mh) * (cols / mw)) * m->priv.tiles_per_pipe *
                    m->priv.element_bits +
                slice * (m->slice_bytes * 8 >> m->priv.pipes_log2);
    }
    group <<= m->priv.shift;
    if (m->priv.index_bits != m->priv.shift)
        group = group >> m->priv.index_bits << m->priv.index_bits;
    total = macro + (group + index) * m->priv.element_bits;
    return (total & ((UINT64_C(1) << low) - 1)) | (uint64_t)pipe_of_tile(m, tx, ty) << low |
           total >> low << (low + m->priv.pipes_log2);
}

uint64_t mem_cmask_nibble(const struct mem_meta *m, uint32_t x, uint32_t y, uint32_t slice)
{
    return element_bit(m, x / TILE_SIDE, y / TILE_SIDE, slice) / 4;
}

uint64_t mem_htile_offset(const struct mem_meta *m, uint32_t x, uint32_t y, uint32_t slice)
{
    return element_bit(m, x / TILE_SIDE, y / TILE_SIDE, slice) / 8;
}

/* v without its bits lo .. lo + n - 1; v with n bits inserted there. */
static uint64_t remove_bits(uint64_t v, unsigned lo, unsigned n)
{
    uint64_t below = v & ((UINT64_C(1) << lo) - 1);

    return below | v >> (lo + n) << lo;
}

static uint64_t insert_bits(uint64_t v, uint64_t bits_in, unsigned lo, unsigned n)
{
    uint64_t below = v & ((UINT64_C(1) << lo) - 1);

    return below | bits_in << lo | v >> lo << (lo + n);
}

uint64_t mem_tc_meta_nibble(const struct mem_surface *data, uint64_t data_offset,
                            unsigned meta_bits, unsigned block_bytes,
                            unsigned samples_per_split)
{
    unsigned low = data->priv.interleave_log2, pipes = data->priv.pipes_log2;
    unsigned banks = data->tiling.banks ? log2u(data->tiling.banks) : 0;
    uint64_t pipe = data_offset >> low & ((1u << pipes) - 1);
    uint64_t bank = data_offset >> (low + pipes) & ((1u << banks) - 1);
    uint64_t block = remove_bits(data_offset, low, pipes + banks) / block_bytes;
    unsigned tile_bytes = 64 * data->element_bytes * samples_per_split;
    unsigned blocks_log2 = tile_bytes > block_bytes ? log2u(tile_bytes / block_bytes) : 0;
    uint64_t nibble = insert_bits(block, bank, blocks_log2, banks) * meta_bits / 4;

    return insert_bits(nibble, pipe, low + 1, pipes); /* + 1: nibbles, not bytes */
}

bool mem_fmask_layout(unsigned samples, unsigned fragments, unsigned *element_bits,
                      unsigned *sample_bits)
{
    static const struct { uint8_t samples, fragments, element_bits, sample_bits; } rows[] = {
#define FMASK(samples, fragments, bits, per_sample) { samples, fragments, bits, per_sample },
#include "mem/tiling.def"
#undef FMASK
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].samples == samples && rows[i].fragments == fragments) {
            *element_bits = rows[i].element_bits;
            *sample_bits = rows[i].sample_bits;
            return true;
        }
    return false;
}
