/* vk_triangle: a coloured triangle, drawn into an image, copied to a buffer, written as a PNG.
 *
 *   atoll run -- examples/vk_triangle out.png
 *
 * 256 x 256 pixels of R8G8B8A8_UNORM, no depth, one sample. */
#include "examples/vk.h"

#include "examples/shaders/triangle.frag.h"
#include "examples/shaders/triangle.vert.h"

#include <stdio.h>

#define SIZE   256
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM

static VkRenderPass render_pass(struct vk *v)
{
    const VkAttachmentDescription color = {
        .format = FORMAT, .samples = VK_SAMPLE_COUNT_1_BIT, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE, .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    const VkAttachmentReference ref = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = 1, .pColorAttachments = &ref};
    const VkSubpassDependency then_copy = {
        0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
        VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT, 0};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .attachmentCount = 1,
                                         .pAttachments = &color, .subpassCount = 1, .pSubpasses = &subpass,
                                         .dependencyCount = 1, .pDependencies = &then_copy};
    VkRenderPass pass;

    VK(vkCreateRenderPass(v->device, &info, NULL, &pass));
    return pass;
}

static VkPipeline pipeline(struct vk *v, VkRenderPass pass, VkPipelineLayout layout, VkShaderModule vs,
                           VkShaderModule fs)
{
    const VkPipelineShaderStageCreateInfo stages[2] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_VERTEX_BIT, .module = vs,
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = fs, .pName = "main"},
    };
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkViewport viewport = {0, 0, SIZE, SIZE, 0, 1};
    const VkRect2D scissor = {{0, 0}, {SIZE, SIZE}};
    const VkPipelineViewportStateCreateInfo view = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                    .viewportCount = 1, .pViewports = &viewport,
                                                    .scissorCount = 1, .pScissors = &scissor};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .polygonMode = VK_POLYGON_MODE_FILL,
        .cullMode = VK_CULL_MODE_NONE, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineColorBlendAttachmentState target = {.colorWriteMask = 0xf};
    const VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                       .attachmentCount = 1, .pAttachments = &target};
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .stageCount = 2, .pStages = stages,
        .pVertexInputState = &input, .pInputAssemblyState = &assembly, .pViewportState = &view,
        .pRasterizationState = &raster, .pMultisampleState = &samples, .pColorBlendState = &blend,
        .layout = layout, .renderPass = pass};
    VkPipeline p;

    VK(vkCreateGraphicsPipelines(v->device, VK_NULL_HANDLE, 1, &info, NULL, &p));
    return p;
}

int main(int argc, char **argv)
{
    const VkClearValue clear = {.color = {.float32 = {0.25f, 0.25f, 0.25f, 1}}};
    const VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    const VkBufferImageCopy whole = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                     .imageExtent = {SIZE, SIZE, 1}};
    VkFramebufferCreateInfo fb_info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, .attachmentCount = 1,
                                       .width = SIZE, .height = SIZE, .layers = 1};
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderArea = {{0, 0}, {SIZE, SIZE}}, .clearValueCount = 1,
                                   .pClearValues = &clear};
    struct vk v;
    struct vk_image image;
    struct vk_buffer out;
    VkShaderModule vs, fs;
    VkPipelineLayout layout;
    VkPipeline pipe;

    if (argc != 2) {
        fprintf(stderr, "usage: vk_triangle OUT.png\n");
        return 2;
    }
    vk_open(&v);
    vk_image_create(&v, &image, SIZE, SIZE, FORMAT, VK_SAMPLE_COUNT_1_BIT,
                    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                    VK_IMAGE_ASPECT_COLOR_BIT);
    vk_buffer_create(&v, &out, 4 * SIZE * SIZE, VK_BUFFER_USAGE_TRANSFER_DST_BIT, 0x55);
    vs = vk_shader(&v, triangle_vert, sizeof triangle_vert);
    fs = vk_shader(&v, triangle_frag, sizeof triangle_frag);
    fb_info.renderPass = begin.renderPass = render_pass(&v);
    fb_info.pAttachments = &image.view;
    VK(vkCreateFramebuffer(v.device, &fb_info, NULL, &begin.framebuffer));
    VK(vkCreatePipelineLayout(v.device, &layout_info, NULL, &layout));
    pipe = pipeline(&v, begin.renderPass, layout, vs, fs);

    vkCmdBeginRenderPass(v.cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(v.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipe);
    vkCmdDraw(v.cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(v.cmd);
    vkCmdCopyImageToBuffer(v.cmd, image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out.buffer, 1, &whole);
    vkCmdPipelineBarrier(v.cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                            .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT},
                         0, NULL, 0, NULL);
    vk_run(&v);
    vk_write_png(argv[1], out.map, SIZE, SIZE);
    printf("%s: wrote %s\n", v.name, argv[1]);

    vkDestroyPipeline(v.device, pipe, NULL);
    vkDestroyPipelineLayout(v.device, layout, NULL);
    vkDestroyFramebuffer(v.device, begin.framebuffer, NULL);
    vkDestroyRenderPass(v.device, begin.renderPass, NULL);
    vkDestroyShaderModule(v.device, vs, NULL);
    vkDestroyShaderModule(v.device, fs, NULL);
    vk_buffer_destroy(&v, &out);
    vk_image_destroy(&v, &image);
    vk_close(&v);
    return 0;
}
