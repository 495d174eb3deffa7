/* chip: expands chips.def and tile_modes.def into the rows that chip_find() hands out.
 *
 * The tile-mode registers are computed here from the tables' plain numbers, so that a value in a
 * table can be compared with what the driver's source says. Field positions: GB_TILE_MODE and
 * GB_MACROTILE_MODE of the register headers (Linux asic_reg/gca gfx_6_0, gfx_7_2, gfx_8_0). */
#include "base/chip.h"

/* Encodings of the fields. LOG2_n exists for the powers of two that the hardware knows. */
enum {
    LOG2_1 = 0, LOG2_2 = 1, LOG2_4 = 2, LOG2_8 = 3, LOG2_16 = 4,

    ARRAY_LINEAR_GENERAL = 0, ARRAY_LINEAR_ALIGNED = 1, ARRAY_1D_TILED_THIN1 = 2,
    ARRAY_1D_TILED_THICK = 3, ARRAY_2D_TILED_THIN1 = 4, ARRAY_PRT_TILED_THIN1 = 5,
    ARRAY_PRT_2D_TILED_THIN1 = 6, ARRAY_2D_TILED_THICK = 7, ARRAY_2D_TILED_XTHICK = 8,
    ARRAY_PRT_TILED_THICK = 9, ARRAY_PRT_2D_TILED_THICK = 10, ARRAY_PRT_3D_TILED_THIN1 = 11,
    ARRAY_3D_TILED_THIN1 = 12, ARRAY_3D_TILED_THICK = 13, ARRAY_3D_TILED_XTHICK = 14,
    ARRAY_PRT_3D_TILED_THICK = 15,

    MICRO_DISPLAY = 0, MICRO_THIN = 1, MICRO_DEPTH = 2, MICRO_ROTATED = 3, MICRO_THICK = 4,

    PIPE_P2 = 0, PIPE_P4_8x16 = 4, PIPE_P4_16x16 = 5, PIPE_P4_16x32 = 6, PIPE_P4_32x32 = 7,
    PIPE_P8_16x16_8x16 = 8, PIPE_P8_16x32_8x16 = 9, PIPE_P8_32x32_8x16 = 10,
    PIPE_P8_16x32_16x16 = 11, PIPE_P8_32x32_16x16 = 12, PIPE_P8_32x32_16x32 = 13,
    PIPE_P8_32x64_32x32 = 14, PIPE_P16_32x32_8x16 = 16, PIPE_P16_32x32_16x16 = 17,
};

/* GB_ADDR_CONFIG by chip, for the row size of a tile-mode set. */
enum {
#define CHIP(id, name, gen, llvm, family, rev, device, se, sh, cu, rbs, tccs, addr_config, set, ext) \
    ADDR_CONFIG_##id = addr_config,
#include "base/chips.def"
#undef CHIP
};

/* Encoded tile split; ROW (1, 2 or 4 KiB) follows GB_ADDR_CONFIG.ROW_SIZE. */
#define SPLIT_64B(set)  0u
#define SPLIT_128B(set) 1u
#define SPLIT_256B(set) 2u
#define SPLIT_512B(set) 3u
#define SPLIT_1KB(set)  4u
#define SPLIT_2KB(set)  5u
#define SPLIT_4KB(set)  6u
#define SPLIT_ROW(set)  (4u + ((unsigned)ADDR_CONFIG_##set >> 28 & 3))

enum tile_mode_set {
    SET_tahiti, SET_verde, SET_oland, SET_hainan, SET_bonaire, SET_hawaii, SET_kabini,
    SET_liverpool, SET_tonga, SET_iceland, SET_fiji, SET_carrizo, SET_polaris11, SET_none,
    SET_COUNT
};

/* GFX6 GB_TILE_MODE: MICRO_TILE_MODE 1:0, ARRAY_MODE 5:2, PIPE_CONFIG 10:6, TILE_SPLIT 13:11,
 * BANK_WIDTH 15:14, BANK_HEIGHT 17:16, MACRO_TILE_ASPECT 19:18, NUM_BANKS 21:20.
 * GFX7/8 GB_TILE_MODE: ARRAY_MODE, PIPE_CONFIG, TILE_SPLIT alike, MICRO_TILE_MODE_NEW 24:22,
 * SAMPLE_SPLIT 26:25. */
static const uint32_t tile_mode_sets[SET_COUNT][32] = {
#define TILE6(set, i, array, micro, pipe, split, bw, bh, aspect, banks)                        \
    [SET_##set][i] = MICRO_##micro | ARRAY_##array << 2 | PIPE_##pipe << 6 |                    \
                     SPLIT_##split(set) << 11 | LOG2_##bw << 14 | LOG2_##bh << 16 |             \
                     LOG2_##aspect << 18 | (LOG2_##banks - 1) << 20,
#define TILE7(set, i, array, micro, pipe, split, sample_split)                                 \
    [SET_##set][i] = ARRAY_##array << 2 | PIPE_##pipe << 6 | SPLIT_##split(set) << 11 |         \
                     (unsigned)MICRO_##micro << 22 | (unsigned)LOG2_##sample_split << 25,
#define MACRO7(set, i, bw, bh, aspect, banks)
#include "base/tile_modes.def"
#undef TILE6
#undef TILE7
#undef MACRO7
};

/* GB_MACROTILE_MODE: BANK_WIDTH 1:0, BANK_HEIGHT 3:2, MACRO_TILE_ASPECT 5:4, NUM_BANKS 7:6. */
static const uint32_t macrotile_mode_sets[SET_COUNT][16] = {
#define TILE6(...)
#define TILE7(...)
#define MACRO7(set, i, bw, bh, aspect, banks)                                                  \
    [SET_##set][i] = LOG2_##bw | LOG2_##bh << 2 | LOG2_##aspect << 4 | (LOG2_##banks - 1) << 6,
#include "base/tile_modes.def"
#undef TILE6
#undef TILE7
#undef MACRO7
};

static const struct chip chips[] = {
#define CHIP(id, name, gen, llvm, family, rev, device, se, sh, cu, rbs, tccs, addr_config, set, ext)  \
    { name, gen, llvm, family, rev, device, se, sh, cu, rbs, tccs, addr_config,                       \
      gen == GFX9 ? NULL : tile_mode_sets[SET_##set],                                           \
      gen == GFX6 || gen == GFX9 ? NULL : macrotile_mode_sets[SET_##set], ext },
#include "base/chips.def"
#undef CHIP
};

const struct chip *chip_find(const char *name)
{
    if (!name)
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(chips); i++)
        if (!strcmp(chips[i].name, name))
            return &chips[i];
    return NULL;
}

const struct chip *chip_list(unsigned i)
{
    return i < ARRAY_LEN(chips) ? &chips[i] : NULL;
}
