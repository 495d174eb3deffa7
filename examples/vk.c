/* See vk.h. */
#include "examples/vk.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX 16

void vk_check(VkResult result, const char *what)
{
    if (result == VK_SUCCESS)
        return;
    fprintf(stderr, "%s: VkResult %d\n", what, result);
    exit(1);
}

static void pick_device(struct vk *v)
{
    VkPhysicalDevice devices[DEVICES_MAX];
    const char *want = getenv("VK_DEVICE");
    uint32_t count = DEVICES_MAX;
    VkResult r = vkEnumeratePhysicalDevices(v->instance, &count, devices);

    vk_check(r == VK_INCOMPLETE ? VK_SUCCESS : r, "vkEnumeratePhysicalDevices");
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties p;

        vkGetPhysicalDeviceProperties(devices[i], &p);
        if (want && !strstr(p.deviceName, want))
            continue;
        v->physical = devices[i];
        snprintf(v->name, sizeof v->name, "%s", p.deviceName);
        return;
    }
    fprintf(stderr, "no Vulkan device%s%s\n", want ? " that is called " : "", want ? want : "");
    exit(1);
}

static void pick_family(struct vk *v)
{
    const VkQueueFlags want = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    VkQueueFamilyProperties p[DEVICES_MAX];
    uint32_t count = DEVICES_MAX;

    vkGetPhysicalDeviceQueueFamilyProperties(v->physical, &count, p);
    for (v->family = 0; v->family < count; v->family++)
        if ((p[v->family].queueFlags & want) == want)
            return;
    fprintf(stderr, "no queue for graphics and compute\n");
    exit(1);
}

void vk_open(struct vk *v)
{
    vk_open_with(v, NULL, NULL, 0);
}

void vk_open_with(struct vk *v, const void *features, const char *const *extensions, uint32_t count)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1,
                                     .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue, .pNext = features,
                                       .enabledExtensionCount = count, .ppEnabledExtensionNames = extensions};
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandBufferAllocateInfo cmd = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};

    memset(v, 0, sizeof *v);
    VK(vkCreateInstance(&instance, NULL, &v->instance));
    pick_device(v);
    pick_family(v);
    vkGetPhysicalDeviceMemoryProperties(v->physical, &v->memory);
    queue.queueFamilyIndex = pool.queueFamilyIndex = v->family;
    VK(vkCreateDevice(v->physical, &device, NULL, &v->device));
    vkGetDeviceQueue(v->device, v->family, 0, &v->queue);
    VK(vkCreateCommandPool(v->device, &pool, NULL, &v->pool));
    cmd.commandPool = v->pool;
    VK(vkAllocateCommandBuffers(v->device, &cmd, &v->cmd));
    VK(vkBeginCommandBuffer(v->cmd, &begin));
}

void vk_run(struct vk *v)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                                 .pCommandBuffers = &v->cmd};
    VkFence fence;

    VK(vkEndCommandBuffer(v->cmd));
    VK(vkCreateFence(v->device, &info, NULL, &fence));
    VK(vkQueueSubmit(v->queue, 1, &submit, fence));
    VK(vkWaitForFences(v->device, 1, &fence, VK_TRUE, UINT64_MAX));
    vkDestroyFence(v->device, fence, NULL);
}

void vk_close(struct vk *v)
{
    vkDestroyCommandPool(v->device, v->pool, NULL);
    vkDestroyDevice(v->device, NULL);
    vkDestroyInstance(v->instance, NULL);
}

VkDeviceMemory vk_allocate(struct vk *v, const VkMemoryRequirements *need, VkMemoryPropertyFlags want)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need->size};
    VkDeviceMemory memory;

    for (uint32_t i = 0; i < v->memory.memoryTypeCount; i++) {
        if (!(need->memoryTypeBits & 1u << i) || (v->memory.memoryTypes[i].propertyFlags & want) != want)
            continue;
        info.memoryTypeIndex = i;
        VK(vkAllocateMemory(v->device, &info, NULL, &memory));
        return memory;
    }
    fprintf(stderr, "no memory of the kind that is needed\n");
    exit(1);
}

void vk_buffer_create(struct vk *v, struct vk_buffer *b, VkDeviceSize bytes, VkBufferUsageFlags usage, int byte)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = usage};
    VkMemoryRequirements need;

    b->bytes = bytes;
    VK(vkCreateBuffer(v->device, &info, NULL, &b->buffer));
    vkGetBufferMemoryRequirements(v->device, b->buffer, &need);
    b->memory = vk_allocate(v, &need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    VK(vkBindBufferMemory(v->device, b->buffer, b->memory, 0));
    VK(vkMapMemory(v->device, b->memory, 0, VK_WHOLE_SIZE, 0, &b->map));
    memset(b->map, byte, bytes);
}

void vk_buffer_destroy(struct vk *v, struct vk_buffer *b)
{
    vkDestroyBuffer(v->device, b->buffer, NULL);
    vkFreeMemory(v->device, b->memory, NULL);
}

void vk_image_create(struct vk *v, struct vk_image *i, uint32_t width, uint32_t height, VkFormat format,
                     VkSampleCountFlagBits samples, VkImageUsageFlags usage, VkImageAspectFlags aspect)
{
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = format,
        .extent = {width, height, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = samples,
        .tiling = VK_IMAGE_TILING_OPTIMAL, .usage = usage};
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = format, .subresourceRange = {aspect, 0, 1, 0, 1}};
    VkMemoryRequirements need;

    *i = (struct vk_image){.format = format, .width = width, .height = height, .samples = samples};
    VK(vkCreateImage(v->device, &info, NULL, &i->image));
    vkGetImageMemoryRequirements(v->device, i->image, &need);
    i->memory = vk_allocate(v, &need, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VK(vkBindImageMemory(v->device, i->image, i->memory, 0));
    view.image = i->image;
    VK(vkCreateImageView(v->device, &view, NULL, &i->view));
}

void vk_image_destroy(struct vk *v, struct vk_image *i)
{
    vkDestroyImageView(v->device, i->view, NULL);
    vkDestroyImage(v->device, i->image, NULL);
    vkFreeMemory(v->device, i->memory, NULL);
}

VkShaderModule vk_shader(struct vk *v, const uint32_t *code, size_t bytes)
{
    const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes,
                                           .pCode = code};
    VkShaderModule module;

    VK(vkCreateShaderModule(v->device, &info, NULL, &module));
    return module;
}

void vk_write_png(const char *path, const void *rgba, uint32_t width, uint32_t height)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height,
                       .format = PNG_FORMAT_RGBA};

    if (png_image_write_to_file(&image, path, 0, rgba, 0, NULL))
        return;
    fprintf(stderr, "%s: %s\n", path, image.message);
    exit(1);
}
