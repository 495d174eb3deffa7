/* target.c: the targets, by LLVM's names, and which features each has.
 *
 * Source: LLVM's AMDGPU processor table (AMDGPUUsage, "Processors") and what its assembler accepts
 * for each processor. */
#include "base/chip.h"
#include "isa/row.h"

#define MIX9 FEAT_MAD_MIX | FEAT_XNACK

static const struct isa_target targets[] = {
    {"gfx600", GFX6, 0},
    {"gfx601", GFX6, 0},
    {"gfx602", GFX6, 0},
    {"gfx700", GFX7, 0},
    {"gfx701", GFX7, 0},
    {"gfx702", GFX7, 0},
    {"gfx703", GFX7, 0},
    {"gfx704", GFX7, 0},
    {"gfx705", GFX7, 0},
    {"gfx801", GFX8, FEAT_D16_UNPACKED | FEAT_XNACK},
    {"gfx802", GFX8, FEAT_D16_UNPACKED},
    {"gfx803", GFX8, FEAT_D16_UNPACKED},
    {"gfx805", GFX8, FEAT_D16_UNPACKED},
    {"gfx810", GFX8, FEAT_XNACK},
    {"gfx900", GFX9, MIX9},
    {"gfx902", GFX9, MIX9},
    {"gfx904", GFX9, FEAT_FMA_MIX | FEAT_XNACK},
    {"gfx906", GFX9, FEAT_FMA_MIX | FEAT_DL | FEAT_DOT | FEAT_XNACK},
    {"gfx908", GFX9, FEAT_FMA_MIX | FEAT_DL | FEAT_DOT | FEAT_MAI | FEAT_XNACK},
    {"gfx909", GFX9, MIX9},
    {"gfx90c", GFX9, MIX9},
};

static const struct isa_target *find_llvm(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(targets); i++)
        if (!strcmp(targets[i].name, name))
            return &targets[i];
    return NULL;
}

const struct isa_target *isa_target_find(const char *name)
{
    const struct isa_target *t = find_llvm(name);
    const struct chip *c = t ? NULL : chip_find(name);

    return c ? find_llvm(c->llvm) : t;
}

const struct isa_target *isa_target_default(enum gfx gen)
{
    static const char *const names[GFX_COUNT] = {"gfx600", "gfx704", "gfx803", "gfx900"};

    return find_llvm(names[gen]);
}

const struct isa_target *isa_target_at(unsigned i)
{
    return i < ARRAY_LEN(targets) ? &targets[i] : NULL;
}
