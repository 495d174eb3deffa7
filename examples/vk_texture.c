/* vk_texture: what texture units do, as numbers: every format, image type, filter, address mode and operation that
 * Vulkan's compute shaders reach, each with images of pseudo-random texels and pseudo-random coordinates.
 *
 *   atoll run --chip polaris10 -- examples/vk_texture chip.txt [PART OF A NAME]
 *   VK_DEVICE=llvmpipe examples/vk_texture reference.txt
 *   tests/texture_compare.py reference.txt chip.txt
 *
 * The output has a line for each test, "test NAME TOLERANCE COUNT" (COUNT 0: the device has no such format), and
 * COUNT lines of four floats in hex. Coordinates keep away from where two correct devices may choose different
 * texels; the tolerance says what the 8 bits of a filter's weights may make of the rest. */
#include "examples/vk.h"

#include "examples/shaders/texture.comp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX 4096
#define LEVELS_MAX  6

enum { T1, T1A, T2, T2A, T3, TC, TCA, TU, TI, TS, TCS, BINDINGS };
enum { FETCH, LOD, GRAD, GATHER, OFFSET, GATHER_OFFSET, SIZE };
enum contents { BYTES, FLOATS, HALVES, SMALL_FLOATS, DEPTHS };

struct texel_format {
    const char *name;
    VkFormat format;
    uint32_t bytes, side; /* of a block, and its texels in x and y */
    enum contents contents;
    int binding;          /* of a 2D image */
    double tolerance;
};

#define FORMAT(name, ...) { #name, VK_FORMAT_##name, __VA_ARGS__ }
#define EXACT 1e-6
static const struct texel_format formats[] = {
    FORMAT(R8_UNORM, 1, 1, BYTES, T2, EXACT), FORMAT(R8_SNORM, 1, 1, BYTES, T2, EXACT),
    FORMAT(R8_UINT, 1, 1, BYTES, TU, 0), FORMAT(R8_SINT, 1, 1, BYTES, TI, 0),
    FORMAT(R8G8_UNORM, 2, 1, BYTES, T2, EXACT), FORMAT(R8G8_SNORM, 2, 1, BYTES, T2, EXACT),
    FORMAT(R8G8_UINT, 2, 1, BYTES, TU, 0), FORMAT(R8G8_SINT, 2, 1, BYTES, TI, 0),
    FORMAT(R8G8B8A8_UNORM, 4, 1, BYTES, T2, EXACT), FORMAT(R8G8B8A8_SNORM, 4, 1, BYTES, T2, EXACT),
    FORMAT(R8G8B8A8_USCALED, 4, 1, BYTES, T2, EXACT), FORMAT(R8G8B8A8_SSCALED, 4, 1, BYTES, T2, EXACT),
    FORMAT(R8G8B8A8_UINT, 4, 1, BYTES, TU, 0), FORMAT(R8G8B8A8_SINT, 4, 1, BYTES, TI, 0),
    FORMAT(R8G8B8A8_SRGB, 4, 1, BYTES, T2, 0.003), FORMAT(B8G8R8A8_UNORM, 4, 1, BYTES, T2, EXACT),
    FORMAT(B8G8R8A8_SRGB, 4, 1, BYTES, T2, 0.003), FORMAT(A8B8G8R8_UNORM_PACK32, 4, 1, BYTES, T2, EXACT),
    FORMAT(A8B8G8R8_SRGB_PACK32, 4, 1, BYTES, T2, 0.003),
    FORMAT(R16_UNORM, 2, 1, BYTES, T2, EXACT), FORMAT(R16_SNORM, 2, 1, BYTES, T2, EXACT),
    FORMAT(R16_UINT, 2, 1, BYTES, TU, 0), FORMAT(R16_SINT, 2, 1, BYTES, TI, 0),
    FORMAT(R16_SFLOAT, 2, 1, HALVES, T2, 0), FORMAT(R16G16_UNORM, 4, 1, BYTES, T2, EXACT),
    FORMAT(R16G16_SNORM, 4, 1, BYTES, T2, EXACT), FORMAT(R16G16_UINT, 4, 1, BYTES, TU, 0),
    FORMAT(R16G16_SINT, 4, 1, BYTES, TI, 0), FORMAT(R16G16_SFLOAT, 4, 1, HALVES, T2, 0),
    FORMAT(R16G16B16A16_UNORM, 8, 1, BYTES, T2, EXACT), FORMAT(R16G16B16A16_SNORM, 8, 1, BYTES, T2, EXACT),
    FORMAT(R16G16B16A16_UINT, 8, 1, BYTES, TU, 0), FORMAT(R16G16B16A16_SINT, 8, 1, BYTES, TI, 0),
    FORMAT(R16G16B16A16_SFLOAT, 8, 1, HALVES, T2, 0),
    FORMAT(R32_UINT, 4, 1, BYTES, TU, 0), FORMAT(R32_SINT, 4, 1, BYTES, TI, 0),
    FORMAT(R32_SFLOAT, 4, 1, FLOATS, T2, 0), FORMAT(R32G32_UINT, 8, 1, BYTES, TU, 0),
    FORMAT(R32G32_SINT, 8, 1, BYTES, TI, 0), FORMAT(R32G32_SFLOAT, 8, 1, FLOATS, T2, 0),
    FORMAT(R32G32B32A32_UINT, 16, 1, BYTES, TU, 0), FORMAT(R32G32B32A32_SINT, 16, 1, BYTES, TI, 0),
    FORMAT(R32G32B32A32_SFLOAT, 16, 1, FLOATS, T2, 0),
    FORMAT(A2B10G10R10_UNORM_PACK32, 4, 1, BYTES, T2, EXACT), FORMAT(A2B10G10R10_UINT_PACK32, 4, 1, BYTES, TU, 0),
    FORMAT(A2R10G10B10_UNORM_PACK32, 4, 1, BYTES, T2, EXACT), FORMAT(A2B10G10R10_SNORM_PACK32, 4, 1, BYTES, T2, EXACT),
    FORMAT(B10G11R11_UFLOAT_PACK32, 4, 1, SMALL_FLOATS, T2, 0), FORMAT(E5B9G9R9_UFLOAT_PACK32, 4, 1, BYTES, T2, 0),
    FORMAT(R4G4B4A4_UNORM_PACK16, 2, 1, BYTES, T2, EXACT), FORMAT(B4G4R4A4_UNORM_PACK16, 2, 1, BYTES, T2, EXACT),
    FORMAT(A4R4G4B4_UNORM_PACK16, 2, 1, BYTES, T2, EXACT), FORMAT(R5G6B5_UNORM_PACK16, 2, 1, BYTES, T2, EXACT),
    FORMAT(B5G6R5_UNORM_PACK16, 2, 1, BYTES, T2, EXACT), FORMAT(R5G5B5A1_UNORM_PACK16, 2, 1, BYTES, T2, EXACT),
    FORMAT(B5G5R5A1_UNORM_PACK16, 2, 1, BYTES, T2, EXACT), FORMAT(A1R5G5B5_UNORM_PACK16, 2, 1, BYTES, T2, EXACT),
    FORMAT(D16_UNORM, 2, 1, BYTES, T2, EXACT), FORMAT(D32_SFLOAT, 4, 1, DEPTHS, T2, 0),
    FORMAT(S8_UINT, 1, 1, BYTES, TU, 0),
    /* AMD's BC1 to BC3 have other factors than a third; the reference interpolates all of BC1 to BC5 in 8 bits, with
     * approximated thirds and sevenths. */
    FORMAT(BC1_RGB_UNORM_BLOCK, 8, 4, BYTES, T2, 3.1 / 255), FORMAT(BC1_RGBA_UNORM_BLOCK, 8, 4, BYTES, T2, 3.1 / 255),
    FORMAT(BC1_RGBA_SRGB_BLOCK, 8, 4, BYTES, T2, 7.0 / 255), FORMAT(BC2_UNORM_BLOCK, 16, 4, BYTES, T2, 3.1 / 255),
    FORMAT(BC3_UNORM_BLOCK, 16, 4, BYTES, T2, 3.1 / 255), FORMAT(BC3_SRGB_BLOCK, 16, 4, BYTES, T2, 7.0 / 255),
    FORMAT(BC4_UNORM_BLOCK, 8, 4, BYTES, T2, 2.0 / 255), FORMAT(BC4_SNORM_BLOCK, 8, 4, BYTES, T2, 2.0 / 127),
    FORMAT(BC5_UNORM_BLOCK, 16, 4, BYTES, T2, 2.0 / 255), FORMAT(BC5_SNORM_BLOCK, 16, 4, BYTES, T2, 2.0 / 127),
    FORMAT(BC6H_UFLOAT_BLOCK, 16, 4, BYTES, T2, 0), FORMAT(BC6H_SFLOAT_BLOCK, 16, 4, BYTES, T2, 0),
    FORMAT(BC7_UNORM_BLOCK, 16, 4, BYTES, T2, EXACT), FORMAT(BC7_SRGB_BLOCK, 16, 4, BYTES, T2, 0.003),
};

struct input {
    float coord[4], ddx[4], ddy[4];
};

struct texture {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
    uint32_t width, height, depth, layers, levels;
};

struct program {
    struct vk v;
    struct vk_buffer in, out, staging;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool set_pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipeline pipe;
    VkShaderModule shader;
    struct texture dummy[BINDINGS];
    VkSampler nearest;
    bool recording;
    FILE *file;
    const char *only;
    uint64_t seed;
};

static uint32_t rng(struct program *p)
{
    p->seed ^= p->seed << 13;
    p->seed ^= p->seed >> 7;
    p->seed ^= p->seed << 17;
    return (uint32_t)(p->seed >> 20);
}

static double uniform(struct program *p, double lo, double hi)
{
    return lo + (hi - lo) * (rng(p) & 0xffffff) / 0x1000000;
}

static const struct texel_format *format_of(VkFormat f)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == f)
            return &formats[i];
    abort();
}

static VkImageAspectFlags aspect_of(VkFormat f)
{
    return f == VK_FORMAT_S8_UINT ? VK_IMAGE_ASPECT_STENCIL_BIT
           : f == VK_FORMAT_D16_UNORM || f == VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                                   : VK_IMAGE_ASPECT_COLOR_BIT;
}

static void begin(struct program *p)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};

    if (!p->recording) {
        VK(vkResetCommandPool(p->v.device, p->v.pool, 0));
        VK(vkBeginCommandBuffer(p->v.cmd, &info));
    }
    p->recording = true;
}

static void run(struct program *p)
{
    vk_run(&p->v);
    p->recording = false;
}

static void fill(struct program *p, uint8_t *b, size_t bytes, enum contents c)
{
    for (size_t i = 0; i + 4 <= bytes + 3; i += 4) {
        uint32_t v = rng(p);
        float f;

        switch (c) {
        case FLOATS: f = (float)uniform(p, -1, 1), memcpy(&v, &f, 4); break;
        case DEPTHS: f = (float)uniform(p, 0, 1), memcpy(&v, &f, 4); break;
        case HALVES: v &= 0xbfffbfff; break;
        case SMALL_FLOATS: v &= ~(1u << 10 | 1u << 21 | 1u << 31); break;
        case BYTES: break;
        }
        memcpy(b + i, &v, bytes - i < 4 ? bytes - i : 4);
    }
}

static uint32_t level_size(uint32_t size, uint32_t level)
{
    return size >> level ? size >> level : 1;
}

/* An image with pseudo-random texels. */
static void texture(struct program *p, struct texture *t, int kind, VkFormat format, uint32_t w, uint32_t h, uint32_t d,
                    uint32_t layers, uint32_t levels)
{
    static const struct { VkImageType type; VkImageViewType view; } kinds[BINDINGS] = {
        [T1] = {VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D}, [T1A] = {VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY},
        [T2] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D}, [T2A] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY},
        [T3] = {VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D}, [TC] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE},
        [TCA] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY}, [TU] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D},
        [TI] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D}, [TS] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D},
        [TCS] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE},
    };
    const struct texel_format *f = format_of(format);
    const bool cube = kind == TC || kind == TCA || kind == TCS;
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = kinds[kind].type, .format = format,
        .flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0, .extent = {w, h, d}, .mipLevels = levels,
        .arrayLayers = layers, .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .viewType = kinds[kind].view,
                                  .format = format, .subresourceRange = {aspect_of(format), 0, levels, 0, layers}};
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, .subresourceRange = view.subresourceRange};
    VkMemoryRequirements need;
    VkDeviceSize at = 0;

    *t = (struct texture){.width = w, .height = h, .depth = d, .layers = layers, .levels = levels};
    VK(vkCreateImage(p->v.device, &info, NULL, &t->image));
    vkGetImageMemoryRequirements(p->v.device, t->image, &need);
    t->memory = vk_allocate(&p->v, &need, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VK(vkBindImageMemory(p->v.device, t->image, t->memory, 0));
    view.image = barrier.image = t->image;
    VK(vkCreateImageView(p->v.device, &view, NULL, &t->view));
    begin(p);
    vkCmdPipelineBarrier(p->v.cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL,
                         1, &barrier);
    for (uint32_t l = 0; l < levels; l++) {
        const uint32_t lw = level_size(w, l), lh = level_size(h, l), ld = level_size(d, l);
        const size_t bytes = (size_t)((lw + f->side - 1) / f->side) * ((lh + f->side - 1) / f->side) * ld * layers *
                             f->bytes;
        const VkBufferImageCopy copy = {.bufferOffset = at, .imageSubresource = {aspect_of(format), l, 0, layers},
                                        .imageExtent = {lw, lh, ld}};

        if (at + bytes > p->staging.bytes)
            abort();
        fill(p, (uint8_t *)p->staging.map + at, bytes, f->contents);
        vkCmdCopyBufferToImage(p->v.cmd, p->staging.buffer, t->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
        at = (at + bytes + 255) & ~(VkDeviceSize)255;
    }
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    barrier.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    vkCmdPipelineBarrier(p->v.cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
    run(p);
}

static void texture_destroy(struct program *p, struct texture *t)
{
    vkDestroyImageView(p->v.device, t->view, NULL);
    vkDestroyImage(p->v.device, t->image, NULL);
    vkFreeMemory(p->v.device, t->memory, NULL);
}

static void bind(struct program *p, int binding, const struct texture *t, VkSampler sampler)
{
    const VkDescriptorImageInfo image = {sampler, t->view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = p->set,
                                        .dstBinding = 2 + (uint32_t)binding, .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                        .pImageInfo = &image};

    vkUpdateDescriptorSets(p->v.device, 1, &write, 0, NULL);
}

static bool wanted(struct program *p, const char *name)
{
    return !p->only || strstr(name, p->only);
}

/* Sample at in[0..count) and write what came out. */
static void sample(struct program *p, const char *name, int binding, int op, const struct texture *t, VkSampler sampler,
                   unsigned count, double tolerance)
{
    const int32_t push[3] = {binding, op, (int32_t)count};
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    const uint32_t *out = p->out.map;

    bind(p, binding, t, sampler);
    begin(p);
    vkCmdBindPipeline(p->v.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipe);
    vkCmdBindDescriptorSets(p->v.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1, &p->set, 0, NULL);
    vkCmdPushConstants(p->v.cmd, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
    vkCmdDispatch(p->v.cmd, (count + 63) / 64, 1, 1);
    vkCmdPipelineBarrier(p->v.cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                         NULL, 0, NULL);
    run(p);
    bind(p, binding, &p->dummy[binding], p->nearest);
    fprintf(p->file, "test %s %g %u\n", name, tolerance, count);
    for (unsigned i = 0; i < 4 * count; i++)
        fprintf(p->file, "%08x%c", out[i], i % 4 == 3 ? '\n' : ' ');
}

static VkSampler sampler(struct program *p, VkFilter filter, VkSamplerMipmapMode mip, VkSamplerAddressMode address,
                         VkBorderColor border, VkCompareOp compare, const void *next)
{
    const VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .pNext = next, .magFilter = filter, .minFilter = filter,
        .mipmapMode = mip, .addressModeU = address, .addressModeV = address, .addressModeW = address, .maxLod = 14,
        .borderColor = border, .compareEnable = compare != VK_COMPARE_OP_NEVER, .compareOp = compare};
    VkSampler s;

    VK(vkCreateSampler(p->v.device, &info, NULL, &s));
    return s;
}

/* ---- coordinates ------------------------------------------------------------------------------------ */

/* Somewhere in -1 .. 2 of a size, at the fraction lo..hi of a texel, on either side of its centre. */
static float coordinate(struct program *p, uint32_t size, double lo, double hi)
{
    const double texel = floor(uniform(p, -1.0 * size, 2.0 * size)), f = uniform(p, lo, hi);

    return (float)((texel + (rng(p) & 1 ? f : 1 - f)) / size);
}

/* A direction that leads to such a place on a face. */
static void direction(struct program *p, uint32_t size, double lo, double hi, float out[3])
{
    const uint32_t face = rng(p) % 6;
    double u, v;
    float c[3];

    do
        u = 2 * coordinate(p, size, lo, hi) - 1;
    while (fabs(u) > 0.999);
    do
        v = 2 * coordinate(p, size, lo, hi) - 1;
    while (fabs(v) > 0.999 || fabs(fabs(u) - fabs(v)) < 1e-4);
    c[0] = face % 2 ? -1 : 1;
    c[1] = (float)u;
    c[2] = (float)v;
    for (unsigned i = 0; i < 3; i++)
        out[(face / 2 + i) % 3] = c[i] * 1.5f;
}

enum levels { BASE_LEVEL, AT_LEVELS, BETWEEN_LEVELS };

/* lo, hi: see coordinate(). A level of detail near a level's, anywhere between two, or near the base level's. */
static void coordinates(struct program *p, int kind, const struct texture *t, unsigned count, double lo, double hi,
                        enum levels levels)
{
    struct input *in = p->in.map;
    const bool between_levels = levels == BETWEEN_LEVELS;

    for (unsigned i = 0; i < count; i++, in++) {
        const uint32_t level = levels == BASE_LEVEL ? 0 : rng(p) % t->levels;
        const float layer = (float)((int)(rng(p) % (t->layers + 3)) - 1 + uniform(p, -0.4, 0.4));

        memset(in, 0, sizeof *in);
        in->ddx[3] = (float)(level + uniform(p, between_levels ? -0.5 : -0.4, between_levels ? 0.5 : 0.4));
        in->ddy[3] = (float)uniform(p, -0.1, 1.1);
        if (kind == TC || kind == TCA || kind == TCS) {
            direction(p, level_size(t->width, level), lo, hi, in->coord);
            in->coord[3] = (float)((int)(rng(p) % (t->layers / 6 + 1)) - 1 + uniform(p, -0.4, 0.4));
            continue;
        }
        in->coord[0] = coordinate(p, level_size(t->width, level), lo, hi);
        in->coord[1] = coordinate(p, level_size(t->height, level), lo, hi);
        in->coord[2] = coordinate(p, level_size(t->depth, level), lo, hi);
        if (kind == T1A)
            in->coord[1] = layer;
        if (kind == T2A)
            in->coord[2] = layer;
    }
}

/* ---- tests ------------------------------------------------------------------------------------------- */

static void test_format(struct program *p, const struct texel_format *f)
{
    struct input *in = p->in.map;
    VkFormatProperties props;
    struct texture t;
    unsigned n = 0;
    char name[64];

    snprintf(name, sizeof name, "format/%s", f->name);
    if (!wanted(p, name))
        return;
    vkGetPhysicalDeviceFormatProperties(p->v.physical, f->format, &props);
    if (!(props.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)) {
        fprintf(p->file, "test %s 0 0\n", name);
        return;
    }
    texture(p, &t, f->binding, f->format, 36, 20, 1, 1, 4);
    for (uint32_t l = 0; l < t.levels; l++)
        for (uint32_t y = 0; y < level_size(t.height, l); y++)
            for (uint32_t x = 0; x < level_size(t.width, l); x++, n++)
                in[n] = (struct input){{(float)x, (float)y}, {0, 0, 0, (float)l}, {0}};
    sample(p, name, f->binding, FETCH, &t, p->nearest, n, f->tolerance);
    texture_destroy(p, &t);
}

static const struct { const char *name; int binding; unsigned dims; uint32_t w, h, d, layers, levels; } kinds[] = {
    {"1d", T1, 1, 64, 1, 1, 1, 4}, {"1d-array", T1A, 1, 64, 1, 1, 5, 4}, {"2d", T2, 2, 32, 64, 1, 1, 5},
    {"2d-odd", T2, 2, 45, 27, 1, 1, 4}, {"2d-array", T2A, 2, 32, 16, 1, 6, 4}, {"3d", T3, 3, 16, 32, 8, 1, 4},
    {"cube", TC, 2, 16, 16, 1, 6, 4}, {"cube-array", TCA, 2, 16, 16, 1, 18, 4},
};

static void test_kind(struct program *p, size_t k)
{
    static const struct { const char *name; VkSamplerAddressMode mode; } modes[] = {
        {"repeat", VK_SAMPLER_ADDRESS_MODE_REPEAT}, {"mirror", VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT},
        {"clamp", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE}, {"border", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER},
        {"mirror-once", VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE},
    };
    const int b = kinds[k].binding;
    const unsigned count = 1024;
    const double one = 1.0 / 256;
    struct texture t;
    char name[64];
    VkSampler s;
    bool any = !p->only;

    for (size_t m = 0; !any && m < 5; m++) {
        snprintf(name, sizeof name, "%s/%s/", kinds[k].name, modes[m].name);
        any = strstr(p->only, name) || strstr(name, p->only);
    }
    if (!any)
        return;
    texture(p, &t, b, VK_FORMAT_R8G8B8A8_UNORM, kinds[k].w, kinds[k].h, kinds[k].d, kinds[k].layers, kinds[k].levels);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        if ((b == TC || b == TCA) && m)
            break;
        s = sampler(p, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, modes[m].mode, VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,
                    VK_COMPARE_OP_NEVER, NULL);
        coordinates(p, b, &t, count, 0.15, 0.5, AT_LEVELS);
        snprintf(name, sizeof name, "%s/%s/nearest", kinds[k].name, modes[m].name);
        sample(p, name, b, LOD, &t, s, count, EXACT);
        vkDestroySampler(p->v.device, s, NULL);
        s = sampler(p, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, modes[m].mode, VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK,
                    VK_COMPARE_OP_NEVER, NULL);
        coordinates(p, b, &t, count, 0, 0.5, BETWEEN_LEVELS);
        snprintf(name, sizeof name, "%s/%s/linear", kinds[k].name, modes[m].name);
        sample(p, name, b, LOD, &t, s, count, (kinds[k].dims + 1) * one + 2.0 / 255);
        if (b == T2 || b == T3) {
            snprintf(name, sizeof name, "%s/%s/offset", kinds[k].name, modes[m].name);
            sample(p, name, b, OFFSET, &t, s, count, (kinds[k].dims + 1) * one + 2.0 / 255);
        }
        if (b == T2 || b == T2A || b == TC || b == TCA) {
            coordinates(p, b, &t, count, 0.1, 0.4, BASE_LEVEL);
            snprintf(name, sizeof name, "%s/%s/gather", kinds[k].name, modes[m].name);
            /* A corner of a cube may be anything between its neighbours: see texture_compare.py. */
            sample(p, name, b, GATHER, &t, s, count, EXACT);
            if (b == T2) {
                snprintf(name, sizeof name, "%s/%s/gather-offset", kinds[k].name, modes[m].name);
                sample(p, name, b, GATHER_OFFSET, &t, s, count, EXACT);
            }
        }
        vkDestroySampler(p->v.device, s, NULL);
    }
    s = sampler(p, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT,
                VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK, VK_COMPARE_OP_NEVER, NULL);
    if (b != T1A && b != TC && b != TCA) {
        struct input *in = p->in.map;

        coordinates(p, b, &t, count, 0, 0.5, BETWEEN_LEVELS);
        for (unsigned i = 0; i < count; i++) {
            const uint32_t size[3] = {t.width, t.height, t.depth};
            const unsigned d = rng(p) % kinds[k].dims;
            const float rho = exp2f(in[i].ddx[3]) / (float)size[d];

            in[i].ddx[3] = 0;
            in[i].ddx[d] = rng(p) & 1 ? rho : -rho;
            in[i].ddy[d] = rho * (float)uniform(p, 0, 0.9);
            if (i % 4) { /* the reference has one level for four */
                memcpy(in[i].ddx, in[i - 1].ddx, sizeof in[i].ddx);
                memcpy(in[i].ddy, in[i - 1].ddy, sizeof in[i].ddy);
            }
        }
        snprintf(name, sizeof name, "%s/gradients", kinds[k].name);
        /* The reference's log2 is linear between powers of two: up to 0.086 / 2 levels off. */
        sample(p, name, b, GRAD, &t, s, count, (kinds[k].dims + 1) * one + 2.0 / 255 + 0.043);
    }
    for (unsigned i = 0; i < t.levels; i++) {
        *(struct input *)p->in.map = (struct input){.ddx = {0, 0, 0, (float)i}};
        snprintf(name, sizeof name, "%s/size%u", kinds[k].name, i);
        sample(p, name, b, SIZE, &t, s, 1, 0);
    }
    vkDestroySampler(p->v.device, s, NULL);
    texture_destroy(p, &t);
}

static void test_borders(struct program *p, VkFormat format, int b, double tolerance)
{
    static const char *const colours[6] = {"float-clear", "int-clear", "float-black", "int-black", "float-white", "int-white"};
    struct texture t;
    char name[64];

    if (!wanted(p, "border-colour/"))
        return;
    texture(p, &t, b, format, 8, 8, 1, 1, 1);
    for (unsigned c = 0; c < 6; c++) {
        VkSampler s = sampler(p, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                              VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, (VkBorderColor)c, VK_COMPARE_OP_NEVER, NULL);

        if ((c & 1) == (b == TU || b == TI)) {
            coordinates(p, b, &t, 256, 0.2, 0.5, AT_LEVELS);
            snprintf(name, sizeof name, "border-colour/%s/%s", format_of(format)->name, colours[c]);
            sample(p, name, b, LOD, &t, s, 256, tolerance);
        }
        vkDestroySampler(p->v.device, s, NULL);
    }
    for (unsigned c = 0; c < 3; c++) {
        VkSamplerCustomBorderColorCreateInfoEXT custom = {
            .sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT, .format = format};
        VkSampler s;

        for (unsigned i = 0; i < 4; i++)
            if (b == TU || b == TI)
                custom.customBorderColor.uint32[i] = rng(p) % 100;
            else
                custom.customBorderColor.float32[i] = (float)(rng(p) % 256) / 255;
        s = sampler(p, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                    b == TU || b == TI ? VK_BORDER_COLOR_INT_CUSTOM_EXT : VK_BORDER_COLOR_FLOAT_CUSTOM_EXT,
                    VK_COMPARE_OP_NEVER, &custom);
        coordinates(p, b, &t, 256, 0.2, 0.5, AT_LEVELS);
        snprintf(name, sizeof name, "border-colour/%s/custom%u", format_of(format)->name, c);
        sample(p, name, b, LOD, &t, s, 256, tolerance);
        vkDestroySampler(p->v.device, s, NULL);
    }
    texture_destroy(p, &t);
}

static void test_compare(struct program *p, VkFormat format, VkCompareOp op)
{
    static const char *const ops[] = {"never", "less", "equal", "lequal", "greater", "notequal", "gequal", "always"};
    struct texture t;
    char name[64];

    if (!wanted(p, "compare/"))
        return;
    texture(p, &t, TS, format, 32, 16, 1, 1, 3);
    for (unsigned linear = 0; linear < 2; linear++) {
        VkSampler s = sampler(p, linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                              VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE, op, NULL);

        coordinates(p, TS, &t, 1024, linear ? 0 : 0.15, 0.5, AT_LEVELS);
        snprintf(name, sizeof name, "compare/%s/%s/%s", format_of(format)->name, ops[op], linear ? "linear" : "nearest");
        sample(p, name, TS, LOD, &t, s, 1024, linear ? 3.0 / 256 : EXACT);
        coordinates(p, TS, &t, 1024, 0.1, 0.4, BASE_LEVEL);
        snprintf(name, sizeof name, "compare/%s/%s/%s-gather", format_of(format)->name, ops[op],
                 linear ? "linear" : "nearest");
        sample(p, name, TS, GATHER, &t, s, 1024, EXACT);
        vkDestroySampler(p->v.device, s, NULL);
    }
    texture_destroy(p, &t);
}

static void test_reduction(struct program *p, VkSamplerReductionMode mode, const char *mode_name)
{
    const VkSamplerReductionModeCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO,
                                                   .reductionMode = mode};
    struct texture t;
    char name[64];
    VkSampler s;

    if (!wanted(p, "reduction/"))
        return;
    s = sampler(p, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT,
                VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE, VK_COMPARE_OP_NEVER, &info);
    for (size_t k = 2; k < 6; k++) {
        const int b = kinds[k].binding;

        texture(p, &t, b, b == T3 ? VK_FORMAT_R32_SFLOAT : VK_FORMAT_R8G8B8A8_UNORM, kinds[k].w, kinds[k].h, kinds[k].d,
                kinds[k].layers, 1);
        coordinates(p, b, &t, 1024, 0.1, 0.4, BASE_LEVEL);
        snprintf(name, sizeof name, "reduction/%s/%s", mode_name, kinds[k].name);
        sample(p, name, b, LOD, &t, s, 1024, EXACT);
        texture_destroy(p, &t);
    }
    vkDestroySampler(p->v.device, s, NULL);
}

static void test_integers(struct program *p, VkFormat format, int b)
{
    struct texture t;
    char name[64];
    VkSampler s;

    if (!wanted(p, "integer/"))
        return;
    s = sampler(p, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT,
                VK_BORDER_COLOR_INT_OPAQUE_WHITE, VK_COMPARE_OP_NEVER, NULL);
    texture(p, &t, b, format, 32, 16, 1, 1, 1);
    coordinates(p, b, &t, 1024, 0.15, 0.5, AT_LEVELS);
    snprintf(name, sizeof name, "integer/%s/nearest", format_of(format)->name);
    sample(p, name, b, LOD, &t, s, 1024, 0);
    coordinates(p, b, &t, 1024, 0.1, 0.4, BASE_LEVEL);
    snprintf(name, sizeof name, "integer/%s/gather", format_of(format)->name);
    sample(p, name, b, GATHER, &t, s, 1024, 0);
    vkDestroySampler(p->v.device, s, NULL);
    texture_destroy(p, &t);
}

/* ---- set-up -------------------------------------------------------------------------------------------- */

static void set_up(struct program *p)
{
    static const VkFormat dummies[BINDINGS] = {
        [T1] = VK_FORMAT_R8G8B8A8_UNORM, [T1A] = VK_FORMAT_R8G8B8A8_UNORM, [T2] = VK_FORMAT_R8G8B8A8_UNORM,
        [T2A] = VK_FORMAT_R8G8B8A8_UNORM, [T3] = VK_FORMAT_R8G8B8A8_UNORM, [TC] = VK_FORMAT_R8G8B8A8_UNORM,
        [TCA] = VK_FORMAT_R8G8B8A8_UNORM, [TU] = VK_FORMAT_R8G8B8A8_UINT, [TI] = VK_FORMAT_R8G8B8A8_SINT,
        [TS] = VK_FORMAT_D32_SFLOAT, [TCS] = VK_FORMAT_D32_SFLOAT,
    };
    VkPhysicalDeviceCustomBorderColorFeaturesEXT border = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT, .customBorderColors = VK_TRUE,
        .customBorderColorWithoutFormat = VK_TRUE};
    const VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &border,
        .features = {.imageCubeArray = VK_TRUE, .shaderImageGatherExtended = VK_TRUE, .textureCompressionBC = VK_TRUE}};
    static const char *const extensions[] = {"VK_EXT_custom_border_color", "VK_EXT_sampler_filter_minmax",
                                             "VK_KHR_sampler_mirror_clamp_to_edge"};
    const VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2},
                                           {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, BINDINGS}};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1,
                                             .poolSizeCount = 2, .pPoolSizes = sizes};
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 12};
    VkDescriptorSetLayoutBinding bindings[2 + BINDINGS];
    const VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .bindingCount = 2 + BINDINGS, .pBindings = bindings};

    vk_open_with(&p->v, &features, extensions, 3);
    p->recording = true;
    vk_buffer_create(&p->v, &p->in, SAMPLES_MAX * sizeof(struct input), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, 0);
    vk_buffer_create(&p->v, &p->out, SAMPLES_MAX * 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, 0x55);
    vk_buffer_create(&p->v, &p->staging, 1 << 20, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 0);
    for (uint32_t i = 0; i < 2 + BINDINGS; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            i, i < 2 ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
            VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VK(vkCreateDescriptorSetLayout(p->v.device, &set, NULL, &p->set_layout));
    VK(vkCreateDescriptorPool(p->v.device, &pool, NULL, &p->set_pool));
    VK(vkAllocateDescriptorSets(p->v.device,
                                &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                               .descriptorPool = p->set_pool, .descriptorSetCount = 1,
                                                               .pSetLayouts = &p->set_layout},
                                &p->set));
    for (uint32_t i = 0; i < 2; i++) {
        const VkDescriptorBufferInfo whole = {i ? p->out.buffer : p->in.buffer, 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = p->set,
                                            .dstBinding = i, .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &whole};

        vkUpdateDescriptorSets(p->v.device, 1, &write, 0, NULL);
    }
    VK(vkCreatePipelineLayout(p->v.device,
                              &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                            .setLayoutCount = 1, .pSetLayouts = &p->set_layout,
                                                            .pushConstantRangeCount = 1, .pPushConstantRanges = &range},
                              NULL, &p->layout));
    p->shader = vk_shader(&p->v, texture_comp, sizeof texture_comp);
    VK(vkCreateComputePipelines(
        p->v.device, VK_NULL_HANDLE, 1,
        &(VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = p->layout,
                                       .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                 .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = p->shader,
                                                 .pName = "main"}},
        NULL, &p->pipe));
    p->nearest = sampler(p, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT,
                         VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, VK_COMPARE_OP_NEVER, NULL);
    for (int b = 0; b < BINDINGS; b++) {
        const uint32_t layers = b == TC || b == TCA || b == TCS ? 6 : 1;

        texture(p, &p->dummy[b], b, dummies[b], 4, b == T1 || b == T1A ? 1 : 4, 1, layers, 1);
        bind(p, b, &p->dummy[b], p->nearest);
    }
}

static void tear_down(struct program *p)
{
    for (int b = 0; b < BINDINGS; b++)
        texture_destroy(p, &p->dummy[b]);
    vkDestroySampler(p->v.device, p->nearest, NULL);
    vkDestroyPipeline(p->v.device, p->pipe, NULL);
    vkDestroyPipelineLayout(p->v.device, p->layout, NULL);
    vkDestroyShaderModule(p->v.device, p->shader, NULL);
    vkDestroyDescriptorPool(p->v.device, p->set_pool, NULL);
    vkDestroyDescriptorSetLayout(p->v.device, p->set_layout, NULL);
    vk_buffer_destroy(&p->v, &p->staging);
    vk_buffer_destroy(&p->v, &p->out);
    vk_buffer_destroy(&p->v, &p->in);
    vk_close(&p->v);
}

int main(int argc, char **argv)
{
    struct program p = {.seed = 0x9e3779b97f4a7c15u};

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: vk_texture OUT.txt [PART OF A NAME]\n");
        return 2;
    }
    p.only = argc == 3 ? argv[2] : NULL;
    if (!(p.file = fopen(argv[1], "w"))) {
        perror(argv[1]);
        return 1;
    }
    set_up(&p);
    /* Each test starts from the same seed, so that one alone sees the same numbers. */
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        p.seed = 1000 + i, test_format(&p, &formats[i]);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        p.seed = 2000 + k, test_kind(&p, k);
    p.seed = 3000, test_borders(&p, VK_FORMAT_R8G8B8A8_UNORM, T2, EXACT);
    p.seed = 3001, test_borders(&p, VK_FORMAT_B8G8R8A8_UNORM, T2, EXACT);
    p.seed = 3002, test_borders(&p, VK_FORMAT_R8_UNORM, T2, EXACT);
    p.seed = 3003, test_borders(&p, VK_FORMAT_R32_SFLOAT, T2, EXACT);
    p.seed = 3004, test_borders(&p, VK_FORMAT_R8G8B8A8_UINT, TU, 0);
    p.seed = 3005, test_borders(&p, VK_FORMAT_R32_SINT, TI, 0);
    for (unsigned op = 1; op < 8; op++) {
        p.seed = 4000 + op, test_compare(&p, VK_FORMAT_D16_UNORM, (VkCompareOp)op);
        p.seed = 4100 + op, test_compare(&p, VK_FORMAT_D32_SFLOAT, (VkCompareOp)op);
    }
    p.seed = 5000, test_reduction(&p, VK_SAMPLER_REDUCTION_MODE_MIN, "min");
    p.seed = 5001, test_reduction(&p, VK_SAMPLER_REDUCTION_MODE_MAX, "max");
    p.seed = 6000, test_integers(&p, VK_FORMAT_R8G8B8A8_UINT, TU);
    p.seed = 6001, test_integers(&p, VK_FORMAT_R32_UINT, TU);
    p.seed = 6002, test_integers(&p, VK_FORMAT_R16G16B16A16_SINT, TI);
    printf("%s: wrote %s\n", p.v.name, argv[1]);
    tear_down(&p);
    return fclose(p.file) != 0;
}
