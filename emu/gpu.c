/* The public interface: a device, its memory, submissions.
 *
 * A new device is as the kernel driver leaves the hardware before the first submission:
 * context registers at their clear-state values, tiling configuration of the chip, all
 * CUs enabled, FLAT apertures set. */
#include "emu/draw.h"
#include "emu/internal.h"

#include <stdlib.h>

/* The upper 16 bits of the addresses at which FLAT sees LDS and scratch: what Linux gives
 * processes (GFX7 and GFX8: both in one aperture, scratch 4 GiB above; GFX9: two
 * apertures). */
#define FLAT_SHARED_BASE       0x2000
#define FLAT_PRIVATE_BASE      0x2000
#define FLAT_PRIVATE_BASE_GFX9 0x1000

/* MC_ARB_RAMCFG.NOOFBANK: log2 of the banks - 2. Software reads it for the number of banks of
 * the memory, which every board's GDDR5 has 16 of. */
#define MC_ARB_16_BANKS 2

/* Registers as the kernel sets them up. */
static void init_registers(struct atoll_gpu *gpu)
{
    struct reg_file *r = &gpu->regs;
    const struct chip *c = gpu->chip;

    regs_reset(r, c->gen, c->ext);
    regs_clear_state(r);
    regs_set(r, R_GB_ADDR_CONFIG, c->gb_addr_config);
    for (unsigned i = 0; c->tile_modes && i < 32; i++)
        regs_set_i(r, R_GB_TILE_MODE0, i, c->tile_modes[i]);
    for (unsigned i = 0; c->macrotile_modes && i < 16; i++)
        regs_set_i(r, R_GB_MACROTILE_MODE0, i, c->macrotile_modes[i]);
    if (c->gen != GFX9)
        regs_field_set(r, F_MC_ARB_RAMCFG__NOOFBANK, MC_ARB_16_BANKS);
    for (unsigned se = 0; se < c->se; se++)
        regs_set_i(r, R_COMPUTE_STATIC_THREAD_MGMT_SE0, se, UINT32_MAX);
    regs_field_set(r, F_SH_MEM_BASES__SHARED_BASE, FLAT_SHARED_BASE);
    regs_field_set(r, F_SH_MEM_BASES__PRIVATE_BASE,
                   c->gen == GFX9 ? FLAT_PRIVATE_BASE_GFX9 : FLAT_PRIVATE_BASE);
}

ATOLL_API struct atoll_gpu *atoll_gpu_create(const char *chip,
                                             const struct atoll_options *opt)
{
    const struct chip *c = chip_find(chip);
    struct atoll_gpu *gpu = c ? calloc(1, sizeof *gpu) : NULL;

    if (!gpu)
        return NULL;
    if (opt)
        gpu->opt = *opt;
    if (!gpu->opt.watchdog_insts)
        gpu->opt.watchdog_insts = EMU_WATCHDOG_INSTS;
    gpu->chip = c;
    gpu->target = isa_target_find(c->llvm);
    if (!gpu->target)
        gpu->target = isa_target_default(c->gen);
    gpu->last_draw = UINT32_MAX;
    init_registers(gpu);
    emu_cp_init(gpu);
    gpu->loud = loud_create();
    gpu->vm = mem_vm_create();
    if (gpu->loud && gpu->vm) {
        loud_set_quiet(gpu->loud, gpu->opt.quiet);
        gpu->code = isa_code_create(gpu->target, gpu->vm, gpu->loud);
    }
    if (gpu->code) {
        cu_config_init(&gpu->cu_cfg, c->gen, c->se, c->sh_per_se, c->cu_per_sh);
        gpu->cu = cu_machine_create(&gpu->cu_cfg, gpu->code, gpu->vm, gpu->loud);
    }
    gpu->pool = emu_pool_create(gpu->opt.threads);
    if (gpu->cu && gpu->pool)
        gpu->dispatch = emu_dispatch_state_create(gpu);
    if (!gpu->dispatch) {
        atoll_gpu_destroy(gpu);
        return NULL;
    }
    gpu->draw = emu_draw_state_create(gpu);
    return gpu;
}

ATOLL_API void atoll_gpu_destroy(struct atoll_gpu *gpu)
{
    if (!gpu)
        return;
    emu_record_destroy(gpu);
    emu_draw_state_destroy(gpu->draw);
    emu_dispatch_state_destroy(gpu->dispatch);
    emu_pool_destroy(gpu->pool);
    emu_launch_state_destroy(gpu->launch);
    cu_machine_destroy(gpu->cu);
    isa_code_destroy(gpu->code);
    mem_vm_destroy(gpu->vm);
    loud_destroy(gpu->loud);
    free(gpu);
}

ATOLL_API const char *atoll_error(const struct atoll_gpu *gpu)
{
    return gpu->err.text;
}

ATOLL_API const char *atoll_chip(const struct atoll_gpu *gpu)
{
    return gpu->chip->name;
}

/* ---- memory ----------------------------------------------------------------------- */

ATOLL_API int atoll_map(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes, void *host)
{
    return atoll_map_rights(gpu, va, bytes, host, MEM_RWX);
}

_Static_assert((int)ATOLL_READ == MEM_R && (int)ATOLL_WRITE == MEM_W && (int)ATOLL_EXECUTE == MEM_X,
               "the same mask");

ATOLL_API int atoll_map_rights(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes,
                               void *host, unsigned rights)
{
    if (mem_map(gpu->vm, va, bytes, host, rights & MEM_RWX, &gpu->err))
        return -1;
    return gpu->record ? emu_record_map(gpu, va, bytes, host, rights & MEM_RWX) : 0;
}

ATOLL_API int atoll_unmap(struct atoll_gpu *gpu, uint64_t va, uint64_t bytes)
{
    if (mem_unmap(gpu->vm, va, bytes, &gpu->err))
        return -1;
    return gpu->record ? emu_record_unmap(gpu, va, bytes) : 0;
}

ATOLL_API int atoll_read(struct atoll_gpu *gpu, uint64_t va, void *dst, uint64_t bytes)
{
    static const struct mem_who who = {.client = MEM_HOST};

    if (mem_read(gpu->vm, va, dst, bytes, &who))
        return 0;
    return err_set(&gpu->err, "0x%llx: not all of %llu bytes are mapped",
                   (unsigned long long)va, (unsigned long long)bytes);
}

ATOLL_API int atoll_write(struct atoll_gpu *gpu, uint64_t va, const void *src,
                          uint64_t bytes)
{
    static const struct mem_who who = {.client = MEM_HOST};

    if (mem_write(gpu->vm, va, src, bytes, &who))
        return gpu->record ? emu_record_write(gpu, va, src, bytes) : 0;
    return err_set(&gpu->err, "0x%llx: not all of %llu bytes are mapped",
                   (unsigned long long)va, (unsigned long long)bytes);
}

/* ---- registers and submissions ---------------------------------------------------- */

ATOLL_API uint32_t atoll_register_read(struct atoll_gpu *gpu, uint32_t offset_bytes)
{
    return offset_bytes / 4 < REGS_FILE_DWORDS ? gpu->regs.dw[offset_bytes / 4] : 0;
}

ATOLL_API void atoll_register_write(struct atoll_gpu *gpu, uint32_t offset_bytes,
                                    uint32_t value)
{
    emu_register_write(gpu, offset_bytes & ~3u, value);
}

/* A recorded access fault becomes the submission's guest fault when nothing worse came
 * first. */
static void collect_mem_faults(struct atoll_gpu *gpu, uint64_t before)
{
    const struct mem_fault *f;
    uint64_t total;
    size_t n;
    char text[256];

    f = mem_faults(gpu->vm, &n, &total);
    if (total == before || gpu->guest_faulted)
        return;
    text[0] = '\0';
    if (n)
        mem_fault_format(&f[0], text, sizeof text);
    emu_guest_fault(gpu, "%llu bad memory accesses; among those so far: %s",
                    (unsigned long long)(total - before), text);
}

ATOLL_API int atoll_submit(struct atoll_gpu *gpu, const struct atoll_ib *ibs,
                           unsigned count)
{
    uint64_t faults;
    unsigned unknown = loud_count(gpu->loud);

    gpu->err.text[0] = '\0';
    if (gpu->record && emu_record_submit(gpu, ibs, count))
        return -1;
    gpu->guest_faulted = gpu->hung = false;
    mem_faults(gpu->vm, &(size_t){0}, &faults);
    emu_count(&gpu->counters, CNT_SUBMISSIONS, 1);
    isa_code_sync(gpu->code);
    if (emu_cp_submit(gpu, ibs, count))
        return -1;
    if (gpu->opt.strict && loud_count(gpu->loud) != unknown)
        return err_set(&gpu->err, "%u things that are not modelled (--strict)",
                       loud_count(gpu->loud) - unknown);
    collect_mem_faults(gpu, faults);
    if (!gpu->guest_faulted)
        return 0;
    gpu->err = gpu->guest_fault;
    return 1;
}

ATOLL_API int atoll_hung(const struct atoll_gpu *gpu)
{
    return gpu->hung;
}

/* ---- observing -------------------------------------------------------------------- */

ATOLL_API void atoll_on_draw(struct atoll_gpu *gpu, atoll_draw_fn fn, void *ctx)
{
    gpu->on_draw = fn;
    gpu->on_draw_ctx = ctx;
}

ATOLL_API void atoll_on_instruction(struct atoll_gpu *gpu, atoll_inst_fn fn, void *ctx)
{
    gpu->on_inst = fn;
    gpu->on_inst_ctx = ctx;
}

ATOLL_API void atoll_set_draw_range(struct atoll_gpu *gpu, uint32_t first, uint32_t last)
{
    gpu->first_draw = first;
    gpu->last_draw = last;
}

ATOLL_API int atoll_override(struct atoll_gpu *gpu, uint32_t offset_bytes, uint32_t mask,
                             uint32_t value)
{
    if (offset_bytes / 4 >= REGS_FILE_DWORDS)
        return err_set(&gpu->err, "no register at 0x%x", offset_bytes);
    if (gpu->override_count == EMU_OVERRIDES_MAX)
        return err_set(&gpu->err, "more than %u overrides", EMU_OVERRIDES_MAX);
    gpu->overrides[gpu->override_count++] =
        (struct emu_override){offset_bytes & ~3u, mask, value & mask};
    return 0;
}

ATOLL_API char *atoll_counters_json(const struct atoll_gpu *gpu)
{
    return emu_counters_json(gpu);
}

ATOLL_API int atoll_counter(const struct atoll_gpu *gpu, const char *name, uint64_t *value)
{
    for (unsigned i = 0; i < CNT_COUNT; i++)
        if (!strcmp(emu_counter_info((enum emu_counter)i)->name, name)) {
            *value = gpu->counters.v[i];
            return 0;
        }
    return -1;
}

ATOLL_API void atoll_counters_print(const struct atoll_gpu *gpu, FILE *out)
{
    emu_counters_print(gpu, out);
}

ATOLL_API unsigned atoll_report(const struct atoll_gpu *gpu, FILE *out)
{
    uint64_t total;
    size_t n;
    const struct mem_fault *f = mem_faults(gpu->vm, &n, &total);
    char text[256];

    loud_print(gpu->loud, out);
    for (size_t i = 0; i < n; i++) {
        mem_fault_format(&f[i], text, sizeof text);
        fprintf(out, "fault: %s\n", text);
    }
    return loud_count(gpu->loud) + (unsigned)n;
}
