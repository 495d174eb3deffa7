/* atoll_occupancy: the occupancy rules of cu/ for callers that have a chip's name and no
 * device. */
#include "base/chip.h"
#include "cu/cu.h"
#include "emu/gpu.h"

#define LANES 64u

static const struct chip *find_chip_or_target(const char *name)
{
    const struct chip *c = chip_find(name);

    for (unsigned i = 0; !c && chip_list(i); i++)
        if (!strcmp(chip_list(i)->llvm, name))
            c = chip_list(i);
    return c;
}

int atoll_occupancy(const char *chip, const struct atoll_occupancy_need *need,
                    struct atoll_occupancy *out)
{
    const struct chip *c = find_chip_or_target(chip);
    struct cu_config cfg;
    struct cu_occupancy o;

    if (!c)
        return -1;
    cu_config_init(&cfg, c->gen, c->se, c->sh_per_se, c->cu_per_sh);
    out->waves_per_group =
        need->group_threads / LANES + (need->group_threads % LANES != 0);
    out->waves_per_group += !out->waves_per_group;
    cu_occupancy(&cfg,
                 &(struct cu_need){need->vgprs, need->sgprs, need->lds_bytes,
                                   out->waves_per_group},
                 &o);
    out->groups_per_cu = o.groups_per_cu;
    out->waves_per_cu = o.waves_per_cu;
    out->waves_per_simd = o.waves_per_simd;
    out->vgprs = cu_vgpr_granules(&cfg, need->vgprs) * cfg.vgpr_granule;
    out->sgprs = cu_sgpr_granules(&cfg, need->sgprs) * cfg.sgpr_granule;
    out->lds_bytes = cu_lds_granules(&cfg, need->lds_bytes) * cfg.lds_granule_bytes;
    out->limited_by = cu_limit_name(o.limit_alone);
    return 0;
}
