#include "commands.hpp"

namespace {

constexpr int kGroup = 8; // the side of a work group's square of pixels

void copy(Vec3 from, float (&to)[3]) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

// What came before has written, and what comes after may read it.
void barrier(VkCommandBuffer to, VkPipelineStageFlags2 stage, VkAccessFlags2 access) {
  VkMemoryBarrier2 memory = {};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  memory.srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_COPY_BIT;
  memory.srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
  memory.dstStageMask = stage;
  memory.dstAccessMask = access;
  VkDependencyInfo dependency = {};
  dependency.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &memory;
  driver.CmdPipelineBarrier2(to, &dependency);
}

void between_kernels(VkCommandBuffer to) {
  barrier(to, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
          VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
}

// Where the pixels are after so many steps of the denoiser.
FrameBuffers::Direction from(int steps) {
  return steps % 2 == 0 ? FrameBuffers::kToSecond : FrameBuffers::kToFirst;
}

} // namespace

Step Commands::whole_picture() const {
  Step step = {};
  step.end_x = step.width = width_;
  step.end_y = step.height = height_;
  return step;
}

void Commands::dispatch(VkCommandBuffer to, Kernels::Kernel kernel, VkDescriptorSet frame, const Step &step,
                        int side) const {
  const VkDescriptorSet sets[] = {scene_.set(), frame};
  const auto groups = [&](int length) { return static_cast<uint32_t>((length + side - 1) / side); };
  driver.CmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, kernels_.pipeline(kernel));
  driver.CmdBindDescriptorSets(to, VK_PIPELINE_BIND_POINT_COMPUTE, kernels_.layout(), 0, Kernels::kSets, sets, 0,
                               nullptr);
  driver.CmdPushConstants(to, kernels_.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof step, &step);
  driver.CmdDispatch(to, groups(step.end_x - step.left), groups(step.end_y - step.top), 1);
}

void Commands::trace(VkCommandBuffer to, const FrameBuffers &buffers, int frame, const Tile &tile) const {
  const Lens lens(camera_, width_, height_, frame);
  Step step = whole_picture();
  copy(lens.from(), step.from);
  copy(lens.corner(), step.corner);
  copy(lens.right(), step.right);
  copy(lens.down(), step.down);
  step.samples = samples_;
  step.frame = frame;
  step.left = tile.left;
  step.top = tile.top;
  step.end_x = tile.right;
  step.end_y = tile.bottom;
  dispatch(to, Kernels::kTrace, buffers.set(FrameBuffers::kToFirst), step, kGroup);
}

void Commands::denoise(VkCommandBuffer to, const FrameBuffers &buffers) const {
  Step step = whole_picture();
  for (; step.level < kDenoiseSteps; step.level++) {
    dispatch(to, Kernels::kDenoise, buffers.set(from(step.level)), step, kGroup);
    between_kernels(to);
  }
  dispatch(to, Kernels::kMeter, buffers.set(from(step.level)), step, FrameBuffers::kSquare);
}

void Commands::tone_map(VkCommandBuffer to, const FrameBuffers &buffers) const {
  dispatch(to, Kernels::kToneMap, buffers.set(from(kDenoiseSteps)), whole_picture(), kGroup);
  barrier(to, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT);
  const VkBufferCopy all = {0, 0, buffers.picture().bytes()};
  driver.CmdCopyBuffer(to, buffers.picture().handle(), buffers.readback().handle(), 1, &all);
  barrier(to, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
}

void Commands::hand_over(VkCommandBuffer to, const FrameBuffers &buffers, VkBuffer target) const {
  barrier(to, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT);
  VkDeviceSize end = 0;
  for (int plane = 0; plane < FrameBuffers::kTraced; plane++) {
    const Buffer &from = buffers.traced(plane);
    const VkBufferCopy all = {0, end, from.bytes()};
    driver.CmdCopyBuffer(to, from.handle(), target, 1, &all);
    end += from.bytes();
  }
  barrier(to, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
}
