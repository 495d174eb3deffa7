/* What the small Vulkan programs have in common: a device, buffers, one submission, a PNG.
 *
 * They draw to memory and never to a window. Which device: the first, or the first whose name contains
 * what the environment's VK_DEVICE says ("llvmpipe"). Any error ends the program with a message and status
 * 1. */
#ifndef ATOLL_EXAMPLES_VK_H
#define ATOLL_EXAMPLES_VK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

struct vk {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceMemoryProperties memory;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkCommandPool pool;
    VkCommandBuffer cmd;
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
};

struct vk_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *map;
    VkDeviceSize bytes;
};

struct vk_image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
    VkFormat format;
    uint32_t width, height;
    VkSampleCountFlagBits samples;
};

/* End the program when `result` is an error; says what it was. */
void vk_check(VkResult result, const char *what);
#define VK(call) vk_check(call, #call)

/* A device with a queue for graphics and compute, and a command buffer that records. */
void vk_open(struct vk *v);
/* The same with a chain of features and `count` device extensions. */
void vk_open_with(struct vk *v, const void *features, const char *const *extensions, uint32_t count);
/* Submit what was recorded and wait. */
void vk_run(struct vk *v);
void vk_close(struct vk *v);

/* Memory with all of `want`. */
VkDeviceMemory vk_allocate(struct vk *v, const VkMemoryRequirements *need, VkMemoryPropertyFlags want);

/* Memory that the host sees, mapped and filled with `byte`. */
void vk_buffer_create(struct vk *v, struct vk_buffer *b, VkDeviceSize bytes, VkBufferUsageFlags usage, int byte);
void vk_buffer_destroy(struct vk *v, struct vk_buffer *b);

/* Memory that the GPU sees, with a view of everything. */
void vk_image_create(struct vk *v, struct vk_image *i, uint32_t width, uint32_t height, VkFormat format,
                     VkSampleCountFlagBits samples, VkImageUsageFlags usage, VkImageAspectFlags aspect);
void vk_image_destroy(struct vk *v, struct vk_image *i);

VkShaderModule vk_shader(struct vk *v, const uint32_t *code, size_t bytes);

/* Write 8-bit RGBA rows. */
void vk_write_png(const char *path, const void *rgba, uint32_t width, uint32_t height);

#endif
