/* Occupancy: how many waves of a program a CU holds, and what holds it back.
 *
 * A CU has 4 SIMDs of 10 wave slots. A wave takes a slot, VGPRs and SGPRs of one SIMD in
 * granules; a workgroup takes LDS and, when it has more than one wave, one of the CU's 16
 * barriers, and all its waves are in one CU at once. The machine (machine.c) allocates by
 * the same figures, and the tests compare the two.
 *
 * Sources: the GCN ISA manuals (chapter on wavefront state: 256 VGPRs, granule 4; 104 /
 * 102 SGPRs), LLVM's AMDGPUUsage (granules and totals of each generation). */
#include "cu/cu.h"

void cu_config_init(struct cu_config *cfg, enum gfx gen, unsigned se, unsigned sh_per_se,
                    unsigned cu_per_sh)
{
    /* One row a generation: SGPRs of a SIMD and their granule, LDS granule. */
    static const struct {
        unsigned sgprs, sgpr_granule, lds_granule, lds_group_max;
    } row[GFX_COUNT] = {
        [GFX6] = {512, 8, 256, 32768},
        [GFX7] = {512, 8, 512, 65536},
        [GFX8] = {800, 16, 512, 65536},
        [GFX9] = {800, 16, 512, 65536},
    };

    *cfg = (struct cu_config){
        .gen = gen,
        .se = se,
        .sh_per_se = sh_per_se,
        .cu_per_sh = cu_per_sh,
        .vgpr_granule = 4,
        .sgpr_granule = row[gen].sgpr_granule,
        .sgprs_per_simd = row[gen].sgprs,
        .lds_granule_bytes = row[gen].lds_granule,
        .lds_group_max_bytes = row[gen].lds_group_max,
    };
}

unsigned cu_vgpr_granules(const struct cu_config *cfg, unsigned vgprs)
{
    return MAX2((vgprs + cfg->vgpr_granule - 1) / cfg->vgpr_granule, 1);
}

unsigned cu_sgpr_granules(const struct cu_config *cfg, unsigned sgprs)
{
    return MAX2((sgprs + cfg->sgpr_granule - 1) / cfg->sgpr_granule, 1);
}

unsigned cu_lds_granules(const struct cu_config *cfg, unsigned bytes)
{
    return (unsigned)(((uint64_t)bytes + cfg->lds_granule_bytes - 1) /
                      cfg->lds_granule_bytes);
}

const char *cu_limit_name(enum cu_limit l)
{
    static const char *const names[] = {
        [LIMIT_SLOTS] = "slots",       [LIMIT_VGPRS] = "vgprs",
        [LIMIT_SGPRS] = "sgprs",       [LIMIT_LDS] = "lds",
        [LIMIT_BARRIERS] = "barriers", [LIMIT_NOTHING_FITS] = "nothing fits",
    };

    return names[l];
}

void cu_occupancy(const struct cu_config *cfg, const struct cu_need *need,
                  struct cu_occupancy *out)
{
    unsigned n = MAX2(need->waves, 1);
    unsigned vgpr_waves =
        CU_VGPRS_PER_SIMD / cfg->vgpr_granule / cu_vgpr_granules(cfg, need->vgprs);
    unsigned sgpr_waves =
        cfg->sgprs_per_simd / cfg->sgpr_granule / cu_sgpr_granules(cfg, need->sgprs);
    unsigned lds = cu_lds_granules(cfg, need->lds_bytes);
    unsigned groups[LIMIT_NOTHING_FITS];

    /* Workgroups that each resource alone would allow. Waves of a group may sit on any
     * SIMD, so per SIMD limits are summed over the SIMDs before they are divided into
     * groups. */
    groups[LIMIT_SLOTS] = CU_SIMDS * CU_SLOTS_PER_SIMD / n;
    groups[LIMIT_VGPRS] = CU_SIMDS * vgpr_waves / n;
    groups[LIMIT_SGPRS] = CU_SIMDS * sgpr_waves / n;
    groups[LIMIT_LDS] = need->lds_bytes > cfg->lds_group_max_bytes ? 0
                        : lds ? CU_LDS_BYTES / cfg->lds_granule_bytes / lds
                              : UINT32_MAX;
    groups[LIMIT_BARRIERS] = n > 1 ? CU_GROUPS_MAX : UINT32_MAX;

    /* On a tie the earlier one is named: slots first, since then nothing can be gained.
     */
    out->limited_by = LIMIT_SLOTS;
    for (enum cu_limit l = LIMIT_SLOTS; l < LIMIT_NOTHING_FITS; l++)
        if (groups[l] < groups[out->limited_by])
            out->limited_by = l;
    out->groups_per_cu = groups[out->limited_by];
    out->waves_per_cu = out->groups_per_cu * n;
    out->waves_per_simd = (out->waves_per_cu + CU_SIMDS - 1) / CU_SIMDS;
    out->limit_alone = out->limited_by;
    if (!out->groups_per_cu)
        out->limited_by = LIMIT_NOTHING_FITS;
}
