#include "descriptors.hpp"

Descriptors::Descriptors(const Application &application, const Kernels &kernels, Kernels::Set set,
                         const std::vector<std::vector<const Buffer *>> &lists)
    : device_(application.device()), sets_(lists.size()) {
  const uint32_t count = static_cast<uint32_t>(lists.size());
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count * Kernels::kBindings[set]};
  VkDescriptorPoolCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  create.maxSets = count;
  create.poolSizeCount = 1;
  create.pPoolSizes = &size;
  VULKAN(driver.CreateDescriptorPool(device_, &create, nullptr, &pool_));

  const std::vector<VkDescriptorSetLayout> layouts(count, kernels.set_layout(set));
  VkDescriptorSetAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = pool_;
  allocate.descriptorSetCount = count;
  allocate.pSetLayouts = layouts.data();
  VULKAN(driver.AllocateDescriptorSets(device_, &allocate, sets_.data()));

  for (size_t list = 0; list < lists.size(); list++) {
    std::vector<VkDescriptorBufferInfo> buffers;
    for (const Buffer *buffer : lists[list]) {
      buffers.push_back({buffer->handle(), 0, VK_WHOLE_SIZE});
    }
    VkWriteDescriptorSet write = {};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = sets_[list];
    write.descriptorCount = static_cast<uint32_t>(buffers.size()); // goes on to the bindings that follow
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = buffers.data();
    driver.UpdateDescriptorSets(device_, 1, &write, 0, nullptr);
  }
}

Descriptors::~Descriptors() {
  driver.DestroyDescriptorPool(device_, pool_, nullptr);
}
