// Vulkan, as vulkan_frames uses it: the functions by name, found when the program runs, and a message for every failure.
#pragma once

#define VK_NO_PROTOTYPES
#include <string>

#include <vulkan/vulkan.h>

// The functions that are found without an instance, through an instance, and through a device.
#define GLOBAL_FUNCTIONS(X)                                                                                            \
  X(EnumerateInstanceVersion)                                                                                          \
  X(EnumerateInstanceLayerProperties)                                                                                  \
  X(CreateInstance)

#define INSTANCE_FUNCTIONS(X)                                                                                          \
  X(DestroyInstance)                                                                                                   \
  X(CreateDebugUtilsMessengerEXT)                                                                                      \
  X(DestroyDebugUtilsMessengerEXT)                                                                                     \
  X(EnumeratePhysicalDevices)                                                                                          \
  X(EnumerateDeviceExtensionProperties)                                                                                \
  X(GetPhysicalDeviceProperties)                                                                                       \
  X(GetPhysicalDeviceFeatures2)                                                                                        \
  X(GetPhysicalDeviceMemoryProperties)                                                                                 \
  X(GetPhysicalDeviceQueueFamilyProperties)                                                                            \
  X(GetDeviceProcAddr)                                                                                                 \
  X(CreateDevice)

#define DEVICE_FUNCTIONS(X)                                                                                            \
  X(DestroyDevice)                                                                                                     \
  X(DeviceWaitIdle)                                                                                                    \
  X(GetDeviceQueue)                                                                                                    \
  X(QueueSubmit2)                                                                                                      \
  X(AllocateMemory)                                                                                                    \
  X(FreeMemory)                                                                                                        \
  X(GetMemoryHostPointerPropertiesEXT)                                                                                 \
  X(MapMemory)                                                                                                         \
  X(CreateBuffer)                                                                                                      \
  X(DestroyBuffer)                                                                                                     \
  X(GetBufferMemoryRequirements)                                                                                       \
  X(BindBufferMemory)                                                                                                  \
  X(CreateDescriptorSetLayout)                                                                                         \
  X(DestroyDescriptorSetLayout)                                                                                        \
  X(CreateDescriptorPool)                                                                                              \
  X(DestroyDescriptorPool)                                                                                             \
  X(AllocateDescriptorSets)                                                                                            \
  X(UpdateDescriptorSets)                                                                                              \
  X(CreatePipelineLayout)                                                                                              \
  X(DestroyPipelineLayout)                                                                                             \
  X(CreateShaderModule)                                                                                                \
  X(DestroyShaderModule)                                                                                               \
  X(CreateComputePipelines)                                                                                            \
  X(DestroyPipeline)                                                                                                   \
  X(CreateCommandPool)                                                                                                 \
  X(DestroyCommandPool)                                                                                                \
  X(ResetCommandPool)                                                                                                  \
  X(AllocateCommandBuffers)                                                                                            \
  X(BeginCommandBuffer)                                                                                                \
  X(EndCommandBuffer)                                                                                                  \
  X(CmdBindPipeline)                                                                                                   \
  X(CmdBindDescriptorSets)                                                                                             \
  X(CmdPushConstants)                                                                                                  \
  X(CmdDispatch)                                                                                                       \
  X(CmdCopyBuffer)                                                                                                     \
  X(CmdPipelineBarrier2)                                                                                               \
  X(CmdWriteTimestamp2)                                                                                                \
  X(CreateQueryPool)                                                                                                   \
  X(DestroyQueryPool)                                                                                                  \
  X(ResetQueryPool)                                                                                                    \
  X(GetQueryPoolResults)

struct Driver {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define MEMBER(name) PFN_vk##name name = nullptr;
  GLOBAL_FUNCTIONS(MEMBER)
  INSTANCE_FUNCTIONS(MEMBER)
  DEVICE_FUNCTIONS(MEMBER)
#undef MEMBER
};
extern Driver driver;

// Opens the Vulkan loader. Returns why there is none to use; nothing where there is one.
std::string load_driver();
void load_instance(VkInstance instance);
void load_device(VkDevice device);

// VULKAN(call): the call succeeds, or a std::runtime_error says what it returned.
#define VULKAN(call) check_driver((call), #call)
void check_driver(VkResult result, const char *call);
