#include "imported_buffer.hpp"

ImportedBuffer::ImportedBuffer(const Application &application, const SharedMemory &memory)
    : device_(application.device()) {
  constexpr auto kKind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkMemoryHostPointerPropertiesEXT properties = {};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  VULKAN(driver.GetMemoryHostPointerPropertiesEXT(device_, kKind, memory.data(), &properties));

  VkExternalMemoryBufferCreateInfo external = {};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kKind;
  VkBufferCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  create.pNext = &external;
  create.size = memory.bytes();
  create.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VULKAN(driver.CreateBuffer(device_, &create, nullptr, &buffer_));

  VkMemoryRequirements needs;
  driver.GetBufferMemoryRequirements(device_, buffer_, &needs);
  VkImportMemoryHostPointerInfoEXT import = {};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  import.handleType = kKind;
  import.pHostPointer = memory.data();
  VkMemoryAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.pNext = &import;
  allocate.allocationSize = memory.bytes();
  try {
    const VkMemoryPropertyFlags seen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    allocate.memoryTypeIndex = application.memory_type(needs.memoryTypeBits & properties.memoryTypeBits,
                                                       {seen | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, seen});
    VkResult result = driver.AllocateMemory(device_, &allocate, nullptr, &memory_);
    if (result == VK_SUCCESS) {
      result = driver.BindBufferMemory(device_, buffer_, memory_, 0);
    }
    check_driver(result, "the import of the host's memory");
  } catch (...) {
    driver.DestroyBuffer(device_, buffer_, nullptr);
    driver.FreeMemory(device_, memory_, nullptr);
    throw;
  }
}

ImportedBuffer::~ImportedBuffer() {
  driver.DestroyBuffer(device_, buffer_, nullptr);
  driver.FreeMemory(device_, memory_, nullptr); // the memory itself stays the host's
}
