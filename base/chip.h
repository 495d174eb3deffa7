/* The chips: one row each in chips.def, by name. */
#ifndef ATOLL_CHIP_H
#define ATOLL_CHIP_H

#include "base/base.h"

enum chip_ext {
    CHIP_EXT_VRS = 1,
    CHIP_EXT_META_ALIAS = 2, /* metadata that does not alias: Vega 12, Vega 20 (mem_meta9_desc) */
    CHIP_EXT_LS_INIT_BUG = 4 /* merged waves without HS lanes start with LS registers at v0: Vega 10, Raven */
};

struct chip {
    const char *name;       /* "bonaire" */
    enum gfx gen;
    const char *llvm;       /* "gfx704" */
    uint32_t family;        /* as the kernel's INFO reports it */
    uint32_t external_rev;
    uint32_t device_id;     /* PCI */
    unsigned se, sh_per_se, cu_per_sh;
    unsigned rbs;           /* render backends in total */
    unsigned tccs;          /* L2 channels (texture channel caches) in total */
    uint32_t gb_addr_config;
    const uint32_t *tile_modes;      /* GB_TILE_MODE0..31; NULL on GFX9 */
    const uint32_t *macrotile_modes; /* GB_MACROTILE_MODE0..15; NULL on GFX6 and GFX9 */
    unsigned ext;           /* mask of chip_ext */
};

/* NULL when there is no such chip. */
const struct chip *chip_find(const char *name);

/* Row i, NULL past the end: for listings. */
const struct chip *chip_list(unsigned i);

#endif
