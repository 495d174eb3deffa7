/* mips: where the levels of a mip chain lie on GFX6, GFX7 and GFX8.
 *
 * What it models: the part of the texture unit that finds a level from the base address, the size
 * and the tile mode of level 0. Levels follow each other; from level 1 on their sides are powers
 * of two (derived from the pitch, not from the width), padded to whole tiles. A level that is
 * smaller than a macro tile is 1D-tiled, and so are all after it. (GFX9 has another scheme:
 * gfx9_swizzle.c.)
 *
 * Facts: AMD's address library as published in Mesa (r800/egbaddrlib.cpp, r800/siaddrlib.cpp);
 * compared with it over random chains. */
#include "mem/mem.h"

#define TILE_SIDE 8u

static uint32_t next_pow2(uint32_t v)
{
    return v <= 1 ? 1 : 1u << (32 - __builtin_clz(v - 1));
}

/* The thin (or thinner) mode that GFX6 takes when a level has fewer slices than a tile. */
static enum mem_array_mode thinner(enum mem_array_mode mode, uint32_t slices)
{
    switch (mode) {
    case MEM_ARRAY_1D_TILED_THICK: return MEM_ARRAY_1D_TILED_THIN1;
    case MEM_ARRAY_2D_TILED_THICK: return MEM_ARRAY_2D_TILED_THIN1;
    case MEM_ARRAY_3D_TILED_THICK: return MEM_ARRAY_3D_TILED_THIN1;
    case MEM_ARRAY_2D_TILED_XTHICK:
        return slices < 4 ? MEM_ARRAY_2D_TILED_THIN1 : MEM_ARRAY_2D_TILED_THICK;
    case MEM_ARRAY_3D_TILED_XTHICK:
        return slices < 4 ? MEM_ARRAY_3D_TILED_THIN1 : MEM_ARRAY_3D_TILED_THICK;
    default: return mode;
    }
}

/* Bytes of a tile of one sample, after the split. */
static uint32_t tile_bytes(const struct mem_tiling *t, unsigned element_bytes)
{
    return MIN2(t->tile_split_bytes,
                TILE_SIDE * TILE_SIDE * element_bytes * mem_array_thickness(t->array_mode));
}

/* A macro tile of small elements is made taller (and wider) until each bank's part of it fills the
 * pipe interleave. The driver's tables leave nothing to do here. */
static void grow_macro_tile(struct mem_tiling *t, unsigned element_bytes)
{
    uint32_t bytes = tile_bytes(t, element_bytes);
    uint32_t rows = MAX2(1u, t->pipe_interleave_bytes / (bytes * t->bank_width));
    uint32_t aspect = MAX2(1u, t->pipe_interleave_bytes /
                                   (bytes * mem_pipe_count(t->pipe_config) * t->bank_width));

    t->bank_height = (uint32_t)align_up(t->bank_height, rows);
    t->macro_aspect = (uint32_t)align_up(t->macro_aspect, aspect);
}

/* One level's tiling and padded size. */
struct level {
    struct mem_tiling tiling;
    uint32_t pitch, height, slices; /* in elements */
    uint64_t bytes, align_bytes;
};

static void pad_micro(struct level *l, unsigned element_bytes)
{
    uint32_t thick = mem_array_thickness(l->tiling.array_mode);

    l->align_bytes = l->tiling.pipe_interleave_bytes;
    l->pitch = (uint32_t)align_up(l->pitch, TILE_SIDE);
    l->height = (uint32_t)align_up(l->height, TILE_SIDE);
    /* Slices begin at a pipe interleave. */
    while ((uint64_t)l->pitch * l->height * element_bytes * thick & (l->align_bytes - 1))
        l->pitch += TILE_SIDE;
}

static void pad_linear(struct level *l, unsigned element_bytes)
{
    uint32_t align = MAX2(8u, 64 / element_bytes);
    uint32_t whole = MAX2(64u, l->tiling.pipe_interleave_bytes / element_bytes);

    l->align_bytes = l->tiling.pipe_interleave_bytes;
    if (l->tiling.array_mode == MEM_ARRAY_LINEAR_GENERAL) {
        l->align_bytes = element_bytes;
        return;
    }
    l->pitch = (l->pitch + align - 1) / align * align;
    for (unsigned i = 0; i < whole && (uint64_t)l->pitch * l->height % whole; i++)
        l->pitch += align;
}

static void pad_macro(struct level *l, unsigned element_bytes, uint32_t macro_width,
                      uint32_t macro_height)
{
    const struct mem_tiling *t = &l->tiling;

    l->pitch = (uint32_t)align_up(l->pitch, macro_width);
    l->height = (uint32_t)align_up(l->height, macro_height);
    l->align_bytes = (uint64_t)mem_pipe_count(t->pipe_config) * t->bank_width * t->banks *
                     t->bank_height * tile_bytes(t, element_bytes);
}

/* Whether a level is large enough for 2D tiling. */
static bool fills_macro_tile(const struct mem_tiling *t, unsigned element_bytes, uint32_t width,
                             uint32_t height, const struct mem_surface *probe)
{
    uint32_t bytes = tile_bytes(t, element_bytes);

    if (width < probe->macro_width || height < probe->macro_height)
        return false;
    return mem_array_thickness(t->array_mode) > 1 ||
           (t->pipe_interleave_bytes <= bytes * mem_pipe_count(t->pipe_config) * t->bank_width *
                                            t->macro_aspect &&
            t->pipe_interleave_bytes <= bytes * t->bank_width * t->bank_height);
}

/* Size and tiling of level i, whose predecessor was tiled as l->tiling says. */
static int size_level(struct level *l, const struct mem_mips *m, unsigned i, struct err *e)
{
    const unsigned element_bytes = m->element_bits / 8;
    struct mem_tiling *t = &l->tiling;
    struct mem_surface probe;
    uint32_t width = i ? MAX2(1u, m->pitch >> i) : m->pitch, height = MAX2(1u, m->height >> i);
    uint32_t slices = m->volume ? MAX2(1u, m->slices >> i) : m->slices;

    width = (width + m->block_width - 1) / m->block_width;
    height = (height + m->block_height - 1) / m->block_height;
    if (m->pow2_pad || i) {
        if (i)
            width = next_pow2(width); /* the pitch of level 0 is as programmed */
        height = next_pow2(height);
        slices = next_pow2(slices);
    }
    l->pitch = width;
    l->height = height;

    while (mem_array_is_macro(t->array_mode)) {
        enum mem_array_mode was = t->array_mode;

        grow_macro_tile(t, element_bytes);
        if (mem_surface_init(&probe, t, 0, m->element_bits, 1, 0, 0, 1, e))
            return -1;
        if (i) {
            /* Whether the thinner mode has room is asked with the thicker one's banks. */
            if (m->gen == GFX6 && slices < mem_array_thickness(was))
                t->array_mode = thinner(was, slices);
            if (!fills_macro_tile(t, element_bytes, width, height, &probe))
                t->array_mode = mem_array_thickness(t->array_mode) == 1
                                    ? MEM_ARRAY_1D_TILED_THIN1 : MEM_ARRAY_1D_TILED_THICK;
        }
        if (t->array_mode == was) {
            pad_macro(l, element_bytes, probe.macro_width, probe.macro_height);
            break;
        }
    }
    if (i && m->gen == GFX6 && slices < mem_array_thickness(t->array_mode))
        t->array_mode = thinner(t->array_mode, slices);
    if (t->array_mode <= MEM_ARRAY_LINEAR_ALIGNED)
        pad_linear(l, element_bytes);
    else if (!mem_array_is_macro(t->array_mode))
        pad_micro(l, element_bytes);
    l->slices = (uint32_t)align_up(slices, mem_array_thickness(t->array_mode));
    l->bytes = (uint64_t)l->pitch * l->height * l->slices * element_bytes;
    return 0;
}

int mem_mip_surface(struct mem_surface *s, const struct mem_mips *m, uint64_t base_va,
                    unsigned level, struct err *e)
{
    struct level l;
    uint64_t offset = 0, swizzle;

    if (level > 15 || !m->width || !m->height || !m->pitch || !m->slices || m->pitch > 65536 ||
        m->height > 65536 || m->slices > 65536 || !m->block_width || !m->block_height)
        return err_set(e, "level %u of an image of %u x %u x %u, pitch %u", level, m->width,
                       m->height, m->slices, m->pitch);
    if (mem_tiling_decode(&l.tiling, m->gen, m->addr_config, m->tile_mode, m->macrotile_modes,
                          m->element_bits, 1, e))
        return -1;
    if (mem_array_is_macro(l.tiling.array_mode) && !mem_pipe_count(l.tiling.pipe_config))
        return err_set(e, "reserved pipe configuration %d", l.tiling.pipe_config);
    for (unsigned i = 0; i <= level; i++) {
        if (size_level(&l, m, i, e))
            return -1;
        offset = (offset + l.align_bytes - 1) / l.align_bytes * l.align_bytes;
        if (i < level)
            offset += l.bytes;
    }
    if (mem_surface_init(s, &l.tiling, base_va, m->element_bits, 1, l.pitch, l.height, l.slices, e))
        return -1;
    /* The swizzle in the base is for the 2D levels; a 1D level does without. Where level 0 is 2D the
     * bits below its bank and pipe span are all swizzle. */
    if (level && !mem_array_is_macro(l.tiling.array_mode)) {
        struct mem_surface first;

        if (mem_mip_surface(&first, m, base_va, 0, e))
            return -1;
        swizzle = base_va - first.base_va;
        s->base_va -= swizzle;
    }
    s->base_va += offset;
    return 0;
}
