/* The compute units: who holds which slot, registers and LDS, and how waves take turns.
 *
 * Why allocate for real: a wave's HW_ID, GPR_ALLOC and LDS_ALLOC are visible to shaders,
 * occupancy must come out of the same rules that the launcher obeys, and `step` shows a
 * machine and not a list of waves. Registers and LDS are contiguous ranges in the
 * generation's granules, first fit.
 *
 * A wave runs until it ends, waits at a barrier or has had its slice; functional mode has
 * no finer interleaving than that, and needs none: waves of a group meet only at
 * barriers, in LDS and in memory, where hardware promises no order either.
 *
 * Sources: GCN ISA manuals (wavefront state, HW_ID, GPR_ALLOC, LDS_ALLOC, barriers). */
#include "cu/cu.h"
#include "regs/regs.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define VGPR_DWORDS         64u /* of one VGPR: a dword per lane */
#define BARRIER_SLICE_INSTS 65536u
#define BARRIER_ROUNDS                                                                   \
    1024 /* barriers passed in one slice before other groups get a turn */

/* ---- ranges of granules ----------------------------------------------------------- */

#define RANGE_MAX 256 /* LDS on GFX6: 65536 / 256 */

struct ranges {
    uint64_t taken[RANGE_MAX / 64];
    unsigned size;
};

/* First free run of n granules (n at least 1); -1 when there is none. */
static int range_find(const struct ranges *r, unsigned n)
{
    unsigned run = 0;

    /* Registers: a bit stays set when the n bits from it on are. */
    if (r->size <= 64) {
        uint64_t free_ = ~r->taken[0] & (UINT64_MAX >> (64 - r->size));

        for (unsigned have = 1; have < n && free_; have = MIN2(2 * have, n))
            free_ &= free_ >> (MIN2(2 * have, n) - have);
        return n <= r->size && free_ ? __builtin_ctzll(free_) : -1;
    }
    for (unsigned i = 0; i < r->size; i++) {
        run = r->taken[i / 64] >> (i % 64) & 1 ? 0 : run + 1;
        if (run == n)
            return (int)(i + 1 - n);
    }
    return -1;
}

static void range_mark(struct ranges *r, unsigned base, unsigned n, bool taken)
{
    while (n) {
        unsigned at = base % 64, here = MIN2(n, 64 - at);
        uint64_t bits_ = (UINT64_MAX >> (64 - here)) << at;

        assert((r->taken[base / 64] & bits_) == (taken ? 0 : bits_));
        r->taken[base / 64] ^= bits_;
        base += here;
        n -= here;
    }
}

/* ---- the machine ------------------------------------------------------------------ */

struct slot {
    struct wave wave; /* first: a wave's slot is found by its address */
    bool taken;
    uint8_t simd, index;
    uint32_t hw_id; /* but for the workgroup's number */
    unsigned vgpr_base, vgpr_count, sgpr_base, sgpr_count; /* granules */
};
_Static_assert(offsetof(struct slot, wave) == 0, "slot_of relies on it");

struct simd {
    struct ranges vgprs, sgprs;
    unsigned waves;
    uint32_t *vgpr_file; /* CU_VGPRS_PER_SIMD x 64 dwords */
    struct slot *slots;  /* CU_SLOTS_PER_SIMD */
};

struct unit {
    pthread_mutex_t lock;
    struct simd simd[CU_SIMDS];
    struct ranges lds;
    unsigned barriers, groups;
    unsigned next_simd; /* where the next wave is tried first on a tie */
    unsigned saved_groups, saved_next_simd;
    uint8_t *lds_bytes;
};

struct cu_machine {
    struct cu_config cfg;
    struct isa_code *code;
    struct mem_vm *vm;
    struct loud *loud;
    unsigned units;
    struct unit *unit;
    uint32_t *vgprs; /* all register files, one allocation */
    uint8_t *lds;
    struct slot *slots;
    pthread_mutex_t lock; /* of what is below */
    uint32_t next_wave, saved_next_wave;
    struct cu_counters counters, saved_counters;
};

static struct slot *slot_of(struct wave *w)
{
    return (struct slot *)w;
}

static void *alloc_zero(size_t bytes)
{
    void *p = NULL;

    if (posix_memalign(&p, 64, bytes))
        return NULL;
    return memset(p, 0, bytes);
}

static uint32_t hw_id(const struct cu_config *c, unsigned unit, unsigned simd,
                      unsigned index)
{
    uint32_t v = 0;

    v = regs_insert(c->gen, F_SQ_WAVE_HW_ID__WAVE_ID, v, index);
    v = regs_insert(c->gen, F_SQ_WAVE_HW_ID__SIMD_ID, v, simd);
    v = regs_insert(c->gen, F_SQ_WAVE_HW_ID__CU_ID, v, unit % c->cu_per_sh);
    v = regs_insert(c->gen, F_SQ_WAVE_HW_ID__SH_ID, v,
                    unit / c->cu_per_sh % c->sh_per_se);
    return regs_insert(c->gen, F_SQ_WAVE_HW_ID__SE_ID, v,
                       unit / c->cu_per_sh / c->sh_per_se);
}

struct cu_machine *cu_machine_create(const struct cu_config *cfg, struct isa_code *code,
                                     struct mem_vm *vm, struct loud *loud)
{
    struct cu_machine *m = calloc(1, sizeof *m);
    const size_t file_dw = CU_VGPRS_PER_SIMD * VGPR_DWORDS;

    if (!m)
        return NULL;
    m->cfg = *cfg;
    m->code = code;
    m->vm = vm;
    m->loud = loud;
    m->units = cfg->se * cfg->sh_per_se * cfg->cu_per_sh;
    m->next_wave = 1;
    pthread_mutex_init(&m->lock, NULL);
    m->unit = calloc(m->units, sizeof *m->unit);
    m->vgprs = alloc_zero(m->units * CU_SIMDS * file_dw * 4);
    m->lds = alloc_zero((size_t)m->units * CU_LDS_BYTES);
    m->slots =
        alloc_zero((size_t)m->units * CU_SIMDS * CU_SLOTS_PER_SIMD * sizeof *m->slots);
    if (!m->unit || !m->vgprs || !m->lds || !m->slots) {
        m->units = 0;
        cu_machine_destroy(m);
        return NULL;
    }
    for (unsigned u = 0; u < m->units; u++) {
        struct unit *unit = &m->unit[u];

        pthread_mutex_init(&unit->lock, NULL);
        unit->lds.size = CU_LDS_BYTES / cfg->lds_granule_bytes;
        unit->lds_bytes = m->lds + (size_t)u * CU_LDS_BYTES;
        for (unsigned s = 0; s < CU_SIMDS; s++) {
            struct simd *simd = &unit->simd[s];
            size_t flat = (size_t)u * CU_SIMDS + s;

            simd->vgprs.size = CU_VGPRS_PER_SIMD / cfg->vgpr_granule;
            simd->sgprs.size = cfg->sgprs_per_simd / cfg->sgpr_granule;
            simd->vgpr_file = m->vgprs + flat * file_dw;
            simd->slots = m->slots + flat * CU_SLOTS_PER_SIMD;
            for (unsigned i = 0; i < CU_SLOTS_PER_SIMD; i++) {
                simd->slots[i].simd = (uint8_t)s;
                simd->slots[i].index = (uint8_t)i;
                simd->slots[i].hw_id = hw_id(cfg, u, s, i);
            }
        }
    }
    return m;
}

void cu_machine_destroy(struct cu_machine *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < (size_t)m->units * CU_SIMDS * CU_SLOTS_PER_SIMD; i++)
        wave_release(&m->slots[i].wave);
    for (unsigned u = 0; u < m->units; u++)
        pthread_mutex_destroy(&m->unit[u].lock);
    pthread_mutex_destroy(&m->lock);
    free(m->unit);
    free(m->vgprs);
    free(m->lds);
    free(m->slots);
    free(m);
}

unsigned cu_count(const struct cu_machine *m)
{
    return m->units;
}

uint32_t cu_next_wave(struct cu_machine *m)
{
    uint32_t n;

    pthread_mutex_lock(&m->lock);
    n = m->next_wave;
    pthread_mutex_unlock(&m->lock);
    return n;
}

/* ---- launching -------------------------------------------------------------------- */

/* The SIMD with the fewest waves that still has a slot and registers; -1 when none has.
 */
static int pick_simd(const struct unit *u, unsigned vgprs, unsigned sgprs)
{
    int best = -1;

    for (unsigned i = 0; i < CU_SIMDS; i++) {
        unsigned s = (u->next_simd + i) % CU_SIMDS;
        const struct simd *simd = &u->simd[s];

        if (simd->waves == CU_SLOTS_PER_SIMD)
            continue;
        if (best >= 0 && simd->waves >= u->simd[best].waves)
            continue;
        if (range_find(&simd->vgprs, vgprs) < 0 || range_find(&simd->sgprs, sgprs) < 0)
            continue;
        best = (int)s;
    }
    return best;
}

static struct slot *take_slot(struct unit *u, unsigned s, unsigned vgprs, unsigned sgprs)
{
    struct simd *simd = &u->simd[s];
    struct slot *slot = simd->slots;

    while (slot->taken)
        slot++;
    slot->taken = true;
    slot->vgpr_base = (unsigned)range_find(&simd->vgprs, vgprs);
    slot->sgpr_base = (unsigned)range_find(&simd->sgprs, sgprs);
    slot->vgpr_count = vgprs;
    slot->sgpr_count = sgprs;
    range_mark(&simd->vgprs, slot->vgpr_base, vgprs, true);
    range_mark(&simd->sgprs, slot->sgpr_base, sgprs, true);
    simd->waves++;
    u->next_simd = (s + 1) % CU_SIMDS;
    return slot;
}

static void drop_slot(struct unit *u, struct slot *slot)
{
    struct simd *simd = &u->simd[slot->simd];

    range_mark(&simd->vgprs, slot->vgpr_base, slot->vgpr_count, false);
    range_mark(&simd->sgprs, slot->sgpr_base, slot->sgpr_count, false);
    simd->waves--;
    wave_release(&slot->wave);
    slot->taken = false;
}

/* What s_getreg shows of a wave's place. */
static void set_ids(const struct cu_machine *m, const struct cu_group *g,
                    struct slot *slot, unsigned tg_id)
{
    const struct cu_config *c = &m->cfg;
    struct wave *w = &slot->wave;
    uint32_t v;

    w->hw_id = regs_insert(c->gen, F_SQ_WAVE_HW_ID__TG_ID, slot->hw_id, tg_id);

    /* Sizes are one less than the granules; bases and SGPR sizes are in the encoding's
     * units of 4 VGPRs and 8 SGPRs, LDS in 64 dwords, whatever the generation allocates
     * by. */
    unsigned sgpr8 = c->sgpr_granule / 8, lds64 = c->lds_granule_bytes / 256;

    v = regs_insert(c->gen, F_SQ_WAVE_GPR_ALLOC__VGPR_BASE, 0, slot->vgpr_base);
    v = regs_insert(c->gen, F_SQ_WAVE_GPR_ALLOC__VGPR_SIZE, v, slot->vgpr_count - 1);
    v = regs_insert(c->gen, F_SQ_WAVE_GPR_ALLOC__SGPR_BASE, v, slot->sgpr_base * sgpr8);
    v = regs_insert(c->gen, F_SQ_WAVE_GPR_ALLOC__SGPR_SIZE, v,
                    slot->sgpr_count * sgpr8 - 1);
    w->gpr_alloc = v;

    v = regs_insert(c->gen, F_SQ_WAVE_LDS_ALLOC__LDS_BASE, 0, g->priv.lds_base * lds64);
    v = regs_insert(c->gen, F_SQ_WAVE_LDS_ALLOC__LDS_SIZE, v, g->priv.lds_count * lds64);
    w->lds_alloc = v;
}

bool cu_group_alloc(struct cu_machine *m, unsigned cu, const struct cu_need *need,
                    enum isa_stage stage, struct cu_group *out)
{
    unsigned vgprs = cu_vgpr_granules(&m->cfg, need->vgprs);
    unsigned sgprs = cu_sgpr_granules(&m->cfg, need->sgprs);
    unsigned lds = cu_lds_granules(&m->cfg, need->lds_bytes);
    unsigned n = MAX2(need->waves, 1), got = 0, tg_id;
    struct unit *u;
    int lds_base = 0;
    uint32_t first_id;
    unsigned most = 0;

    if (cu >= m->units || n > ARRAY_LEN(out->waves) ||
        need->lds_bytes > m->cfg.lds_group_max_bytes)
        return false;
    *out = (struct cu_group){.n = n, .cu = cu};
    u = &m->unit[cu];
    pthread_mutex_lock(&u->lock);
    if ((n > 1 && u->barriers == CU_GROUPS_MAX) ||
        (lds && (lds_base = range_find(&u->lds, lds)) < 0))
        goto full;
    for (got = 0; got < n; got++) {
        int s = pick_simd(u, vgprs, sgprs);

        if (s < 0)
            goto full;
        out->waves[got] = &take_slot(u, (unsigned)s, vgprs, sgprs)->wave;
    }
    out->priv.barrier = n > 1;
    u->barriers += n > 1;
    tg_id = u->groups++;
    if (lds) {
        range_mark(&u->lds, (unsigned)lds_base, lds, true);
        out->priv.lds_base = (unsigned)lds_base;
        out->priv.lds_count = lds;
        out->lds = u->lds_bytes + (size_t)lds_base * m->cfg.lds_granule_bytes;
        memset(out->lds, 0, (size_t)lds * m->cfg.lds_granule_bytes);
    }
    for (unsigned s = 0; s < CU_SIMDS; s++)
        most = MAX2(most, u->simd[s].waves);
    pthread_mutex_unlock(&u->lock);

    pthread_mutex_lock(&m->lock);
    first_id = m->next_wave;
    m->next_wave += n;
    m->counters.max_waves_per_simd = MAX2(m->counters.max_waves_per_simd, most);
    pthread_mutex_unlock(&m->lock);

    for (unsigned i = 0; i < n; i++) {
        struct wave *w = out->waves[i];
        struct slot *slot = slot_of(w);

        memset(w, 0, sizeof *w);
        w->v = u->simd[slot->simd].vgpr_file +
               (size_t)slot->vgpr_base * m->cfg.vgpr_granule * VGPR_DWORDS;
        w->num_vgprs = slot->vgpr_count * m->cfg.vgpr_granule;
        w->num_sgprs = slot->sgpr_count * m->cfg.sgpr_granule;
        memset(w->v, 0, (size_t)w->num_vgprs * VGPR_DWORDS * 4);
        w->lds = out->lds;
        w->lds_bytes = lds * m->cfg.lds_granule_bytes;
        w->gen = m->cfg.gen;
        w->stage = stage;
        w->id = first_id + i;
        w->vm = m->vm;
        w->loud = m->loud;
        set_ids(m, out, slot, tg_id);
    }
    return true;

full:
    while (got)
        drop_slot(u, slot_of(out->waves[--got]));
    pthread_mutex_unlock(&u->lock);
    return false;
}

static void add_counters(struct wave_counters *to, const struct wave_counters *from)
{
    for (unsigned c = 0; c < CLASS_COUNT; c++)
        to->insts[c] += from->insts[c];
    to->valu_lanes += from->valu_lanes;
    to->lds_bytes += from->lds_bytes;
    to->read_bytes += from->read_bytes;
    to->written_bytes += from->written_bytes;
    to->scalar_bytes += from->scalar_bytes;
}

void cu_group_free(struct cu_machine *m, struct cu_group *g)
{
    struct unit *u = &m->unit[g->cu];

    pthread_mutex_lock(&m->lock);
    m->counters.groups++;
    for (unsigned i = 0; i < g->n; i++) {
        m->counters.waves[g->waves[i]->stage]++;
        add_counters(&m->counters.insts[g->waves[i]->stage], &g->waves[i]->counters);
    }
    pthread_mutex_unlock(&m->lock);

    pthread_mutex_lock(&u->lock);
    for (unsigned i = 0; i < g->n; i++)
        drop_slot(u, slot_of(g->waves[i]));
    if (g->priv.lds_count)
        range_mark(&u->lds, g->priv.lds_base, g->priv.lds_count, false);
    u->barriers -= g->priv.barrier;
    pthread_mutex_unlock(&u->lock);
    g->n = 0;
}

void cu_counters_get(struct cu_machine *m, struct cu_counters *out)
{
    pthread_mutex_lock(&m->lock);
    *out = m->counters;
    pthread_mutex_unlock(&m->lock);
}

void cu_save(struct cu_machine *m)
{
    for (unsigned i = 0; i < m->units; i++) {
        m->unit[i].saved_groups = m->unit[i].groups;
        m->unit[i].saved_next_simd = m->unit[i].next_simd;
    }
    m->saved_next_wave = m->next_wave;
    m->saved_counters = m->counters;
}

void cu_restore(struct cu_machine *m)
{
    for (unsigned i = 0; i < m->units; i++) {
        m->unit[i].groups = m->unit[i].saved_groups;
        m->unit[i].next_simd = m->unit[i].saved_next_simd;
    }
    m->next_wave = m->saved_next_wave;
    m->counters = m->saved_counters;
}

/* ---- running ---------------------------------------------------------------------- */

int cu_wave_format(const struct cu_machine *m, const struct wave *w, char *out,
                   size_t out_bytes)
{
    static const char *const stage[] = {"LS", "HS", "ES", "GS", "VS", "PS", "CS"};
    uint32_t hw = w->hw_id;
    enum gfx gen = m->cfg.gen;
    int n;

    _Static_assert(ARRAY_LEN(stage) == STAGE_COUNT, "a name for each stage");
    n = snprintf(
        out, out_bytes,
        "%s wave %u (SE %u SH %u CU %u SIMD %u slot %u) at PC 0x%llx, exec=%016llx "
        "vcc=%016llx scc=%d m0=%08x",
        stage[w->stage], w->id, regs_extract(gen, F_SQ_WAVE_HW_ID__SE_ID, hw),
        regs_extract(gen, F_SQ_WAVE_HW_ID__SH_ID, hw),
        regs_extract(gen, F_SQ_WAVE_HW_ID__CU_ID, hw),
        regs_extract(gen, F_SQ_WAVE_HW_ID__SIMD_ID, hw),
        regs_extract(gen, F_SQ_WAVE_HW_ID__WAVE_ID, hw), (unsigned long long)w->pc_va,
        (unsigned long long)wave_exec(w), (unsigned long long)wave_s64(w, SREG_VCC),
        w->scc, w->s[SREG_M0]);
    for (unsigned i = 0; i < 16 && i < w->num_sgprs; i++) {
        size_t at = MIN2((size_t)n, out_bytes);

        n += snprintf(out + at, out_bytes - at, "%s%08x", i ? " " : " s0..=", w->s[i]);
    }
    return n;
}

/* Let the waves that wait go on when every wave that still runs has arrived. */
static bool release_barrier(struct cu_group *g)
{
    bool any = false;

    for (unsigned i = 0; i < g->n; i++) {
        if (g->waves[i]->state == WAVE_READY)
            return false;
        any |= g->waves[i]->state == WAVE_AT_BARRIER;
    }
    for (unsigned i = 0; i < g->n; i++)
        if (g->waves[i]->state == WAVE_AT_BARRIER)
            g->waves[i]->state = WAVE_READY;
    return any;
}

enum cu_group_state cu_group_slice(struct cu_machine *m, struct cu_group *g,
                                   uint64_t slice_insts, uint64_t watchdog_insts,
                                   struct err *e)
{
    const struct wave *bad = NULL;
    unsigned rounds = 0;
    char text[400];

    do {
        for (unsigned i = 0; i < g->n; i++) {
            struct wave *w = g->waves[i];
            uint64_t max = slice_insts;

            if (w->state != WAVE_READY)
                continue;
            if (watchdog_insts) {
                if (w->insts_run >= watchdog_insts) {
                    w->state = WAVE_HALTED;
                    w->why = "stopped by the watchdog (it never ends?)";
                    continue;
                }
                max = MIN2(max, watchdog_insts - w->insts_run);
            }
            isa_run(m->code, w, max);
        }
    } while (release_barrier(g) && ++rounds < BARRIER_ROUNDS);

    for (unsigned i = 0; i < g->n; i++) {
        if (g->waves[i]->state == WAVE_READY)
            return CU_GROUP_RUNNING;
        if (g->waves[i]->state == WAVE_HALTED && !bad)
            bad = g->waves[i];
    }
    if (!bad)
        return CU_GROUP_DONE;
    cu_wave_format(m, bad, text, sizeof text);
    err_set(e, "%s: %s", bad->why ? bad->why : "halted", text);
    return CU_GROUP_STOPPED;
}

bool cu_group_run(struct cu_machine *m, struct cu_group *g, uint64_t watchdog_insts,
                  struct err *e)
{
    /* A wave that is alone has nobody to take turns with. */
    uint64_t slice = g->n == 1 ? UINT64_MAX : BARRIER_SLICE_INSTS;
    enum cu_group_state s;

    while ((s = cu_group_slice(m, g, slice, watchdog_insts, e)) == CU_GROUP_RUNNING)
        ;
    return s == CU_GROUP_DONE;
}
