/* vk_geometry: geometry shaders, tessellation and transform feedback, each in a quarter of one picture.
 *
 *   atoll run -- examples/vk_geometry out.png
 *
 *   upper left   a geometry shader with adjacency and two invocations, captured by transform feedback
 *   upper right  what was captured, drawn by the count that feedback left
 *   lower left   a quad patch with fractional odd spacing, its triangles filled
 *   lower right  two triangle patches whose triangles a geometry shader shrinks
 *
 * Prints a sum over the captured vertices, so that runs on two devices can be compared. */
#include "examples/vk.h"

#include "examples/shaders/captured.vert.h"
#include "examples/shaders/geometry.frag.h"
#include "examples/shaders/geometry.geom.h"
#include "examples/shaders/geometry.vert.h"
#include "examples/shaders/patch.vert.h"
#include "examples/shaders/patch_quad.tesc.h"
#include "examples/shaders/patch_quad.tese.h"
#include "examples/shaders/patch_tri.geom.h"
#include "examples/shaders/patch_tri.tesc.h"
#include "examples/shaders/patch_tri.tese.h"

#include <stdio.h>

#define SIZE   256
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define STAGES_MAX 5

struct stage {
    VkShaderStageFlagBits stage;
    const uint32_t *code;
    size_t bytes;
};

#define STAGE(s, code) {VK_SHADER_STAGE_##s##_BIT, code, sizeof code}

static const struct pipe {
    VkPrimitiveTopology topology;
    uint32_t patch_points;
    bool vertex_buffer;
    VkPolygonMode mode;
    VkCullModeFlags cull;
    float x, y;
    uint32_t vertices;
    struct stage stage[STAGES_MAX];
} pipes[] = {
    {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY, 0, false, VK_POLYGON_MODE_FILL, VK_CULL_MODE_NONE, 0, 0, 12,
     {STAGE(VERTEX, geometry_vert), STAGE(GEOMETRY, geometry_geom), STAGE(FRAGMENT, geometry_frag)}},
    {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 0, true, VK_POLYGON_MODE_FILL, VK_CULL_MODE_NONE, 1, 0, 0,
     {STAGE(VERTEX, captured_vert), STAGE(FRAGMENT, geometry_frag)}},
    {VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, 4, false, VK_POLYGON_MODE_FILL, VK_CULL_MODE_FRONT_BIT, 0, 1, 4,
     {STAGE(VERTEX, patch_vert), STAGE(TESSELLATION_CONTROL, patch_quad_tesc),
      STAGE(TESSELLATION_EVALUATION, patch_quad_tese), STAGE(FRAGMENT, geometry_frag)}},
    {VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, 3, false, VK_POLYGON_MODE_FILL, VK_CULL_MODE_NONE, 1, 1, 6,
     {STAGE(VERTEX, patch_vert), STAGE(TESSELLATION_CONTROL, patch_tri_tesc),
      STAGE(TESSELLATION_EVALUATION, patch_tri_tese), STAGE(GEOMETRY, patch_tri_geom),
      STAGE(FRAGMENT, geometry_frag)}},
};
#define PIPES (sizeof pipes / sizeof pipes[0])

static VkRenderPass render_pass(struct vk *v)
{
    const VkAttachmentDescription color = {
        .format = FORMAT, .samples = VK_SAMPLE_COUNT_1_BIT, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE, .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    const VkAttachmentReference ref = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = 1, .pColorAttachments = &ref};
    const VkSubpassDependency deps[2] = {
        {0, 0, VK_PIPELINE_STAGE_TRANSFORM_FEEDBACK_BIT_EXT,
         VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT,
         VK_ACCESS_TRANSFORM_FEEDBACK_WRITE_BIT_EXT | VK_ACCESS_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT,
         VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT, 0},
        {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
         VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT, 0}};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .attachmentCount = 1,
                                         .pAttachments = &color, .subpassCount = 1, .pSubpasses = &subpass,
                                         .dependencyCount = 2, .pDependencies = deps};
    VkRenderPass pass;

    VK(vkCreateRenderPass(v->device, &info, NULL, &pass));
    return pass;
}

static VkPipeline pipeline(struct vk *v, const struct pipe *p, VkRenderPass pass, VkPipelineLayout layout)
{
    VkPipelineShaderStageCreateInfo stages[STAGES_MAX];
    const VkVertexInputBindingDescription binding = {0, 32, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attr[2] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                       {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = p->vertex_buffer ? 1 : 0, .pVertexBindingDescriptions = &binding,
        .vertexAttributeDescriptionCount = p->vertex_buffer ? 2 : 0, .pVertexAttributeDescriptions = attr};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = p->topology};
    const VkPipelineTessellationStateCreateInfo tess = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO, .patchControlPoints = p->patch_points};
    const VkViewport viewport = {p->x * SIZE / 2, p->y * SIZE / 2, SIZE / 2, SIZE / 2, 0, 1};
    const VkRect2D scissor = {{0, 0}, {SIZE, SIZE}};
    const VkPipelineViewportStateCreateInfo view = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                    .viewportCount = 1, .pViewports = &viewport,
                                                    .scissorCount = 1, .pScissors = &scissor};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .polygonMode = p->mode,
        .cullMode = p->cull, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineColorBlendAttachmentState target = {.colorWriteMask = 0xf};
    const VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                       .attachmentCount = 1, .pAttachments = &target};
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pStages = stages, .pVertexInputState = &input,
        .pInputAssemblyState = &assembly, .pTessellationState = p->patch_points ? &tess : NULL, .pViewportState = &view,
        .pRasterizationState = &raster, .pMultisampleState = &samples, .pColorBlendState = &blend,
        .layout = layout, .renderPass = pass};
    VkPipeline made;

    for (unsigned i = 0; i < STAGES_MAX && p->stage[i].code; i++, info.stageCount++)
        stages[i] = (VkPipelineShaderStageCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = p->stage[i].stage,
            .module = vk_shader(v, p->stage[i].code, p->stage[i].bytes), .pName = "main"};
    VK(vkCreateGraphicsPipelines(v->device, VK_NULL_HANDLE, 1, &info, NULL, &made));
    for (unsigned i = 0; i < info.stageCount; i++)
        vkDestroyShaderModule(v->device, stages[i].module, NULL);
    return made;
}

#define PROC(v, name) (PFN_##name)(void (*)(void))vkGetDeviceProcAddr((v)->device, #name)

static void draw_captured(struct vk *v, const VkPipeline pipe[PIPES], struct vk_buffer *captured,
                          struct vk_buffer *counter)
{
    const PFN_vkCmdBindTransformFeedbackBuffersEXT bind = PROC(v, vkCmdBindTransformFeedbackBuffersEXT);
    const PFN_vkCmdBeginTransformFeedbackEXT begin = PROC(v, vkCmdBeginTransformFeedbackEXT);
    const PFN_vkCmdEndTransformFeedbackEXT end = PROC(v, vkCmdEndTransformFeedbackEXT);
    const PFN_vkCmdDrawIndirectByteCountEXT draw = PROC(v, vkCmdDrawIndirectByteCountEXT);
    const VkDeviceSize zero = 0;

    vkCmdBindPipeline(v->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipe[0]);
    bind(v->cmd, 0, 1, &captured->buffer, &zero, &captured->bytes);
    begin(v->cmd, 0, 0, NULL, NULL);
    vkCmdDraw(v->cmd, pipes[0].vertices, 1, 0, 0);
    end(v->cmd, 0, 1, &counter->buffer, &zero);
    vkCmdPipelineBarrier(v->cmd, VK_PIPELINE_STAGE_TRANSFORM_FEEDBACK_BIT_EXT,
                         VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT, 0, 1,
                         &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                            .srcAccessMask = VK_ACCESS_TRANSFORM_FEEDBACK_WRITE_BIT_EXT |
                                                             VK_ACCESS_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT,
                                            .dstAccessMask = VK_ACCESS_INDIRECT_COMMAND_READ_BIT |
                                                             VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT},
                         0, NULL, 0, NULL);
    vkCmdBindPipeline(v->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipe[1]);
    vkCmdBindVertexBuffers(v->cmd, 0, 1, &captured->buffer, &zero);
    draw(v->cmd, 1, 0, counter->buffer, 0, 0, 32);
}

int main(int argc, char **argv)
{
    static const char *const extensions[] = {VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME};
    VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, .transformFeedback = VK_TRUE};
    const VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &feedback,
        .features = {.geometryShader = VK_TRUE, .tessellationShader = VK_TRUE}};
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
    struct vk_buffer out, captured, counter;
    VkPipelineLayout layout;
    VkPipeline pipe[PIPES];
    uint32_t bytes;
    double sum = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: vk_geometry OUT.png\n");
        return 2;
    }
    vk_open_with(&v, &features, extensions, 1);
    vk_image_create(&v, &image, SIZE, SIZE, FORMAT, VK_SAMPLE_COUNT_1_BIT,
                    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                    VK_IMAGE_ASPECT_COLOR_BIT);
    vk_buffer_create(&v, &out, 4 * SIZE * SIZE, VK_BUFFER_USAGE_TRANSFER_DST_BIT, 0x55);
    vk_buffer_create(&v, &captured, 65536,
                     VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, 0);
    vk_buffer_create(&v, &counter, 4096,
                     VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, 0);
    fb_info.renderPass = begin.renderPass = render_pass(&v);
    fb_info.pAttachments = &image.view;
    VK(vkCreateFramebuffer(v.device, &fb_info, NULL, &begin.framebuffer));
    VK(vkCreatePipelineLayout(v.device, &layout_info, NULL, &layout));
    for (unsigned i = 0; i < PIPES; i++)
        pipe[i] = pipeline(&v, &pipes[i], begin.renderPass, layout);

    vkCmdBeginRenderPass(v.cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    draw_captured(&v, pipe, &captured, &counter);
    for (unsigned i = 2; i < PIPES; i++) {
        vkCmdBindPipeline(v.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipe[i]);
        vkCmdDraw(v.cmd, pipes[i].vertices, 1, 0, 0);
    }
    vkCmdEndRenderPass(v.cmd);
    vkCmdCopyImageToBuffer(v.cmd, image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out.buffer, 1, &whole);
    vkCmdPipelineBarrier(v.cmd, VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_TRANSFORM_FEEDBACK_BIT_EXT,
                         VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                            .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT |
                                                             VK_ACCESS_TRANSFORM_FEEDBACK_WRITE_BIT_EXT,
                                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT},
                         0, NULL, 0, NULL);
    vk_run(&v);
    vk_write_png(argv[1], out.map, SIZE, SIZE);
    bytes = *(const uint32_t *)counter.map;
    for (uint32_t i = 0; i < bytes / 4; i++)
        sum += ((const float *)captured.map)[i] * (1 + i % 97);
    printf("%s: captured %u vertices, sum %.3f; wrote %s\n", v.name, bytes / 32, sum, argv[1]);

    for (unsigned i = 0; i < PIPES; i++)
        vkDestroyPipeline(v.device, pipe[i], NULL);
    vkDestroyPipelineLayout(v.device, layout, NULL);
    vkDestroyFramebuffer(v.device, begin.framebuffer, NULL);
    vkDestroyRenderPass(v.device, begin.renderPass, NULL);
    vk_buffer_destroy(&v, &counter);
    vk_buffer_destroy(&v, &captured);
    vk_buffer_destroy(&v, &out);
    vk_image_destroy(&v, &image);
    vk_close(&v);
    return 0;
}
