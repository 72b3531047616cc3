#include "kernels.hpp"

// Made of shaders/*.comp when the example is built.
#include "denoise.spv.h"
#include "meter.spv.h"
#include "tone_map.spv.h"
#include "trace.spv.h"

namespace {

struct Code {
  const uint32_t *words;
  size_t bytes;
};
constexpr Code kCode[Kernels::kKernels] = {{trace_spirv, sizeof trace_spirv},
                                           {denoise_spirv, sizeof denoise_spirv},
                                           {meter_spirv, sizeof meter_spirv},
                                           {tone_map_spirv, sizeof tone_map_spirv}};

} // namespace

Kernels::Kernels(const Application &application) : device_(application.device()) {
  for (int set = 0; set < kSets; set++) {
    std::vector<VkDescriptorSetLayoutBinding> bindings(kBindings[set]);
    for (uint32_t i = 0; i < kBindings[set]; i++) {
      bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    }
    VkDescriptorSetLayoutCreateInfo create = {};
    create.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    create.bindingCount = kBindings[set];
    create.pBindings = bindings.data();
    VULKAN(driver.CreateDescriptorSetLayout(device_, &create, nullptr, &set_layouts_[set]));
  }

  static_assert(sizeof(Step) <= 128, "every device has 128 bytes of push constants");
  const VkPushConstantRange step = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Step)};
  VkPipelineLayoutCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  create.setLayoutCount = kSets;
  create.pSetLayouts = set_layouts_;
  create.pushConstantRangeCount = 1;
  create.pPushConstantRanges = &step;
  VULKAN(driver.CreatePipelineLayout(device_, &create, nullptr, &layout_));

  for (int kernel = 0; kernel < kKernels; kernel++) {
    VkShaderModuleCreateInfo code = {};
    code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    code.codeSize = kCode[kernel].bytes;
    code.pCode = kCode[kernel].words;
    VkShaderModule shader = VK_NULL_HANDLE;
    VULKAN(driver.CreateShaderModule(device_, &code, nullptr, &shader));

    VkComputePipelineCreateInfo pipeline = {};
    pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipeline.stage.module = shader;
    pipeline.stage.pName = "main";
    pipeline.layout = layout_;
    VULKAN(driver.CreateComputePipelines(device_, VK_NULL_HANDLE, 1, &pipeline, nullptr, &pipelines_[kernel]));
    driver.DestroyShaderModule(device_, shader, nullptr);
  }
}

Kernels::~Kernels() {
  for (VkPipeline pipeline : pipelines_) {
    driver.DestroyPipeline(device_, pipeline, nullptr);
  }
  driver.DestroyPipelineLayout(device_, layout_, nullptr);
  for (VkDescriptorSetLayout layout : set_layouts_) {
    driver.DestroyDescriptorSetLayout(device_, layout, nullptr);
  }
}
