/* What the kernel tells about the chip: the INFO ioctl.
 *
 * Facts about a chip come from base/chips.def and from the device's registers; what is left are properties of
 * the board and the driver, chosen here: memory sizes, clocks, firmware versions. Linux 6.1's
 * amdgpu_kms.c says what is asked and how it is answered. */
#include "config.h"

#include "drm/drm.h"

#include <errno.h>

#define VA_FIRST         (UINT64_C(2) << 20) /* the kernel keeps what is below */
#define VA_END_GFX6      (UINT64_C(1) << 40)
#define VA_HOLE          (UINT64_C(1) << 47) /* GFX9: addresses from here are sign-extended */
#define VA_HIGH          UINT64_C(0xffff800000000000)
#define FRAGMENT_BYTES   (64u << 10)
#define CRYSTAL_KHZ      100000
#define ENGINE_KHZ       1000000
#define MEMORY_KHZ       1500000
#define HW_CONTEXTS      8
#define CE_RAM_BYTES     32768
#define GDS_BYTES        65536
#define COMPUTE_RINGS    8
#define DMA_RINGS        2

/* Firmware that Mesa takes for new enough for everything the emulator executes: indirect draws with counts
 * (PFP 0xd3, ME 0xad on GFX7), LOAD_CONTEXT_REG_INDEX (ME feature 41 on GFX8), 32-bit predication (ME
 * feature 52 on GFX9), pipeline-statistics fixes (PFP feature 49). */
#define FW_VERSION 0x2e0
#define FW_FEATURE 54

static int answer(const struct drm_amdgpu_info *a, const void *data, size_t bytes)
{
    return drm_copy_out(a->return_pointer, data, MIN2(a->return_size, bytes));
}

static int answer32(const struct drm_amdgpu_info *a, uint32_t v)
{
    return answer(a, &v, sizeof v);
}

static int answer64(const struct drm_amdgpu_info *a, uint64_t v)
{
    return answer(a, &v, sizeof v);
}

static bool is_apu(const struct chip *c)
{
    return c->family == AMDGPU_FAMILY_KV || c->family == AMDGPU_FAMILY_CZ || c->family == AMDGPU_FAMILY_RV;
}

static int device(const struct drm_process *p, const struct drm_amdgpu_info *a)
{
    const struct chip *c = p->chip;
    struct drm_amdgpu_info_device d = {
        .device_id = c->device_id,
        .external_rev = c->external_rev,
        .family = c->family,
        .num_shader_engines = c->se,
        .num_shader_arrays_per_engine = c->sh_per_se,
        .gpu_counter_freq = CRYSTAL_KHZ,
        .max_engine_clock = ENGINE_KHZ,
        .max_memory_clock = MEMORY_KHZ,
        .cu_active_number = c->se * c->sh_per_se * c->cu_per_sh,
        .enabled_rb_pipes_mask = (1u << c->rbs) - 1,
        .num_rb_pipes = c->rbs,
        .num_hw_gfx_contexts = HW_CONTEXTS,
        .ids_flags = is_apu(c) ? AMDGPU_IDS_FLAGS_FUSION : 0,
        .virtual_address_offset = VA_FIRST,
        .virtual_address_max = c->gen == GFX9 ? VA_HOLE : VA_END_GFX6 - VA_FIRST,
        .virtual_address_alignment = DRM_PAGE_BYTES,
        .pte_fragment_size = FRAGMENT_BYTES,
        .gart_page_size = DRM_PAGE_BYTES,
        .ce_ram_size = CE_RAM_BYTES,
        .vram_type = AMDGPU_VRAM_TYPE_GDDR5,
        .vram_bit_width = 128,
        .gc_double_offchip_lds_buf = c->gen >= GFX7,
        .wave_front_size = 64,
        .num_shader_visible_vgprs = 256,
        .num_cu_per_sh = c->cu_per_sh,
        .num_tcc_blocks = c->tccs,
        .gs_vgt_table_depth = 32,
        .gs_prim_buffer_depth = 1792,
        .max_gs_waves_per_vgt = 32,
    };

    for (unsigned se = 0; se < c->se; se++)
        for (unsigned sh = 0; sh < c->sh_per_se; sh++)
            d.cu_bitmap[se][sh] = d.cu_ao_bitmap[se][sh] = (1u << c->cu_per_sh) - 1;
    if (c->gen == GFX9) {
        d.high_va_offset = VA_HIGH;
        d.high_va_max = VA_HIGH | (VA_HOLE - VA_FIRST);
    }
    return answer(a, &d, sizeof d);
}

static int engine(const struct drm_process *p, const struct drm_amdgpu_info *a)
{
    static const uint32_t dma_version[GFX_COUNT] = {1, 2, 3, 4};
    struct drm_amdgpu_info_hw_ip ip = {0};

    if (a->query_hw_ip.type >= AMDGPU_HW_IP_NUM || a->query_hw_ip.ip_instance)
        return -EINVAL;
    switch (a->query_hw_ip.type) {
    case AMDGPU_HW_IP_GFX:
    case AMDGPU_HW_IP_COMPUTE:
        ip.hw_ip_version_major = 6 + (p->chip->gen - GFX6);
        ip.ib_start_alignment = ip.ib_size_alignment = 32;
        ip.available_rings = a->query_hw_ip.type == AMDGPU_HW_IP_GFX ? 1 : (1u << COMPUTE_RINGS) - 1;
        break;
    case AMDGPU_HW_IP_DMA:
        ip.hw_ip_version_major = dma_version[p->chip->gen];
        ip.ib_start_alignment = 256;
        ip.ib_size_alignment = 4;
        ip.available_rings = (1u << DMA_RINGS) - 1;
        break;
    }
    return answer(a, &ip, sizeof ip); /* no video engines */
}

static int firmware(const struct drm_amdgpu_info *a)
{
    struct drm_amdgpu_info_firmware fw = {0};

    if (a->query_fw.ip_instance)
        return -EINVAL;
    switch (a->query_fw.fw_type) {
    case AMDGPU_INFO_FW_GFX_ME:
    case AMDGPU_INFO_FW_GFX_PFP:
    case AMDGPU_INFO_FW_GFX_CE:
    case AMDGPU_INFO_FW_GFX_MEC:
    case AMDGPU_INFO_FW_GFX_RLC:
    case AMDGPU_INFO_FW_SDMA: fw = (struct drm_amdgpu_info_firmware){FW_VERSION, FW_FEATURE}; break;
    }
    return answer(a, &fw, sizeof fw);
}

/* Memory is never short: it is the host's. */
static int memory(struct drm_process *p, const struct drm_amdgpu_info *a)
{
    struct drm_amdgpu_memory_info m = {0};
    struct drm_amdgpu_info_vram_gtt sizes = {DRM_VRAM_BYTES, DRM_VRAM_BYTES, DRM_GTT_BYTES};
    uint64_t vram, gtt;

    pthread_mutex_lock(&p->lock);
    vram = p->domain_bytes[0];
    gtt = p->domain_bytes[1];
    pthread_mutex_unlock(&p->lock);
    m.vram = m.cpu_accessible_vram = (struct drm_amdgpu_heap_info){
        .total_heap_size = DRM_VRAM_BYTES, .usable_heap_size = DRM_VRAM_BYTES,
        .heap_usage = vram, .max_allocation = DRM_VRAM_BYTES / 4 * 3};
    m.gtt = (struct drm_amdgpu_heap_info){
        .total_heap_size = DRM_GTT_BYTES, .usable_heap_size = DRM_GTT_BYTES,
        .heap_usage = gtt, .max_allocation = DRM_GTT_BYTES / 4 * 3};
    switch (a->query) {
    case AMDGPU_INFO_MEMORY: return answer(a, &m, sizeof m);
    case AMDGPU_INFO_VRAM_GTT: return answer(a, &sizes, sizeof sizes);
    case AMDGPU_INFO_GTT_USAGE: return answer64(a, gtt);
    }
    return answer64(a, vram);
}

/* The registers that the kernel lets everyone read, by dword offset; the same on all generations. */
static const struct {
    uint32_t first, count;
} readable[] = {
    {0x9d8, 1},   /* MC_ARB_RAMCFG */
    {0x2004, 1},  /* GRBM_STATUS */
    {0x263d, 1},  /* CC_RB_BACKEND_DISABLE */
    {0x263e, 1},  /* GB_ADDR_CONFIG */
    {0x2644, 32}, /* GB_TILE_MODE0.. */
    {0x2664, 16}, /* GB_MACROTILE_MODE0.. */
    {0xa0d4, 2},  /* PA_SC_RASTER_CONFIG, _1 */
};

static int registers(struct drm_file *f, const struct drm_amdgpu_info *a)
{
    uint32_t value[128], first = a->read_mmr_reg.dword_offset, count = a->read_mmr_reg.count;
    struct atoll_gpu *gpu;

    if (!count || count > ARRAY_LEN(value))
        return -EINVAL;
    for (uint32_t i = 0; i < count; i++) {
        bool ok = false;

        for (size_t k = 0; k < ARRAY_LEN(readable); k++)
            ok |= first + i >= readable[k].first && first + i - readable[k].first < readable[k].count;
        if (!ok) {
            drm_loud(UINT64_C(0xc0000) | (first + i), "register 0x%x (dword offset) is not for programs to read",
                     first + i);
            return -EFAULT;
        }
    }
    pthread_mutex_lock(&f->gpu_lock);
    gpu = drm_file_gpu(f);
    for (uint32_t i = 0; gpu && i < count; i++)
        value[i] = atoll_register_read(gpu, 4 * (first + i));
    pthread_mutex_unlock(&f->gpu_lock);
    return gpu ? answer(a, value, 4 * (size_t)count) : -ENOMEM;
}

static int sensor(const struct drm_amdgpu_info *a)
{
    switch (a->sensor_info.type) {
    case AMDGPU_INFO_SENSOR_GFX_SCLK:
    case AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_SCLK: return answer32(a, ENGINE_KHZ / 1000);
    case AMDGPU_INFO_SENSOR_GFX_MCLK:
    case AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_MCLK: return answer32(a, MEMORY_KHZ / 1000);
    case AMDGPU_INFO_SENSOR_GPU_TEMP: return answer32(a, 40000);
    case AMDGPU_INFO_SENSOR_GPU_LOAD: return answer32(a, 0);
    }
    return -EINVAL;
}

int drm_info(struct drm_file *f, struct drm_amdgpu_info *a)
{
    struct drm_process *p = drm_process();
    static const struct drm_amdgpu_info_gds gds = {.compute_partition_size = GDS_BYTES,
                                                   .gds_total_size = GDS_BYTES,
                                                   .gws_per_compute_partition = 64,
                                                   .oa_per_compute_partition = 16};
    static const struct drm_amdgpu_info_vce_clock_table no_clocks;
    static const struct drm_amdgpu_info_video_caps no_codecs;

    if (!a->return_size || !a->return_pointer)
        return -EINVAL;
    switch (a->query) {
    case AMDGPU_INFO_ACCEL_WORKING: return answer32(a, 1);
    case AMDGPU_INFO_HW_IP_INFO: return engine(p, a);
    case AMDGPU_INFO_HW_IP_COUNT: return answer32(a, a->query_hw_ip.type < DRM_IPS);
    case AMDGPU_INFO_TIMESTAMP:
        return answer64(a, ((uint64_t)drm_now_ns() - p->clock_start_ns) / (1000000 / CRYSTAL_KHZ));
    case AMDGPU_INFO_FW_VERSION: return firmware(a);
    case AMDGPU_INFO_NUM_BYTES_MOVED:
    case AMDGPU_INFO_NUM_EVICTIONS:
    case AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS: return answer64(a, 0);
    case AMDGPU_INFO_VRAM_USAGE:
    case AMDGPU_INFO_VIS_VRAM_USAGE:
    case AMDGPU_INFO_GTT_USAGE:
    case AMDGPU_INFO_VRAM_GTT:
    case AMDGPU_INFO_MEMORY: return memory(p, a);
    case AMDGPU_INFO_GDS_CONFIG: return answer(a, &gds, sizeof gds);
    case AMDGPU_INFO_READ_MMR_REG: return registers(f, a);
    case AMDGPU_INFO_DEV_INFO: return device(p, a);
    case AMDGPU_INFO_VCE_CLOCK_TABLE: return answer(a, &no_clocks, sizeof no_clocks);
    case AMDGPU_INFO_VIDEO_CAPS: return answer(a, &no_codecs, sizeof no_codecs);
    case AMDGPU_INFO_SENSOR: return sensor(a);
    case AMDGPU_INFO_VRAM_LOST_COUNTER: return answer32(a, 0);
    case AMDGPU_INFO_RAS_ENABLED_FEATURES: return answer64(a, 0);
    case AMDGPU_INFO_CRTC_FROM_ID:
    case AMDGPU_INFO_NUM_HANDLES: return -EINVAL; /* no display, no video */
    }
    drm_loud(UINT64_C(0xd0000) | a->query, "INFO query 0x%x: answered with EINVAL", a->query);
    return -EINVAL;
}
