/* vk_compute: out[i] = 3 * i + in[i] for 1024 integers, on a Vulkan device.
 *
 *   atoll run -- examples/vk_compute
 *
 * Prints the device and how many are right; status 1 unless all are. */
#include "examples/vk.h"

#include "examples/shaders/compute.comp.h"

#include <stdio.h>

#define COUNT 1024
#define GROUP 64

int main(void)
{
    const VkDescriptorSetLayoutBinding bindings[2] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
    };
    const VkDescriptorSetLayoutCreateInfo set_layout_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    const VkDescriptorPoolCreateInfo set_pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1,
                                                      .poolSizeCount = 1, .pPoolSizes = &size};
    struct vk v;
    struct vk_buffer in, out;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool set_pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkShaderModule shader;
    VkPipeline pipeline;
    unsigned right = 0;

    vk_open(&v);
    vk_buffer_create(&v, &in, 4 * COUNT, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, 0);
    vk_buffer_create(&v, &out, 4 * COUNT, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, 0xee);
    for (uint32_t i = 0; i < COUNT; i++)
        ((uint32_t *)in.map)[i] = i * i + 7;

    VK(vkCreateDescriptorSetLayout(v.device, &set_layout_info, NULL, &set_layout));
    VK(vkCreateDescriptorPool(v.device, &set_pool_info, NULL, &set_pool));
    VK(vkAllocateDescriptorSets(v.device,
                                &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                               .descriptorPool = set_pool,
                                                               .descriptorSetCount = 1,
                                                               .pSetLayouts = &set_layout},
                                &set));
    for (uint32_t i = 0; i < 2; i++) {
        const VkDescriptorBufferInfo whole = {i ? out.buffer : in.buffer, 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set,
                                            .dstBinding = i, .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &whole};

        vkUpdateDescriptorSets(v.device, 1, &write, 0, NULL);
    }
    VK(vkCreatePipelineLayout(v.device,
                              &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                            .setLayoutCount = 1, .pSetLayouts = &set_layout},
                              NULL, &layout));
    shader = vk_shader(&v, compute_comp, sizeof compute_comp);
    VK(vkCreateComputePipelines(
        v.device, VK_NULL_HANDLE, 1,
        &(VkComputePipelineCreateInfo){
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = shader, .pName = "main"},
            .layout = layout},
        NULL, &pipeline));

    vkCmdBindPipeline(v.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(v.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(v.cmd, COUNT / GROUP, 1, 1);
    vkCmdPipelineBarrier(v.cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                            .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT},
                         0, NULL, 0, NULL);
    vk_run(&v);
    for (uint32_t i = 0; i < COUNT; i++)
        right += ((uint32_t *)out.map)[i] == 3 * i + (i * i + 7);
    printf("%s: %u of %u are right\n", v.name, right, COUNT);

    vkDestroyPipeline(v.device, pipeline, NULL);
    vkDestroyShaderModule(v.device, shader, NULL);
    vkDestroyPipelineLayout(v.device, layout, NULL);
    vkDestroyDescriptorPool(v.device, set_pool, NULL);
    vkDestroyDescriptorSetLayout(v.device, set_layout, NULL);
    vk_buffer_destroy(&v, &in);
    vk_buffer_destroy(&v, &out);
    vk_close(&v);
    return right != COUNT;
}
