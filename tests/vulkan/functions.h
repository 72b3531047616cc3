/* The functions of Vulkan 1.3 that a program with its own device calls, in tests and in benchmarks: X(NAME) for each. */
#ifndef GEVT_TESTS_FUNCTIONS_H
#define GEVT_TESTS_FUNCTIONS_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

/* clang-format off */
#define VK_INSTANCE_FUNCTIONS(X) \
  X(DestroyInstance) X(EnumeratePhysicalDevices) X(GetPhysicalDeviceProperties) X(GetPhysicalDeviceProperties2) \
  X(GetPhysicalDeviceMemoryProperties) X(GetPhysicalDeviceQueueFamilyProperties) \
  X(EnumerateDeviceExtensionProperties) X(CreateDevice) X(GetDeviceProcAddr)
#define VK_DEVICE_FUNCTIONS(X) \
  X(DestroyDevice) X(GetDeviceQueue) X(DeviceWaitIdle) X(QueueWaitIdle) X(QueueSubmit) X(QueueSubmit2) \
  X(CreateSemaphore) X(DestroySemaphore) X(GetSemaphoreCounterValue) X(WaitSemaphores) X(SignalSemaphore) \
  X(CreateFence) X(DestroyFence) X(GetFenceStatus) X(WaitForFences) X(ResetFences) X(CreateEvent) X(DestroyEvent) \
  X(CreateQueryPool) X(DestroyQueryPool) X(GetQueryPoolResults) X(CreateCommandPool) X(DestroyCommandPool) \
  X(ResetCommandPool) X(AllocateCommandBuffers) X(FreeCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer) \
  X(CmdResetQueryPool) X(CmdWriteTimestamp2) X(CmdFillBuffer) X(CmdPipelineBarrier2) \
  X(CreateBuffer) X(DestroyBuffer) X(GetBufferMemoryRequirements) X(AllocateMemory) X(FreeMemory) \
  X(BindBufferMemory) X(MapMemory)
/* clang-format on */

#define VK_SLOT(name) PFN_vk##name name;

#endif
