#include "vulkan.hpp"

#include <dlfcn.h>

#include <array>
#include <cstring>

namespace bench {

VulkanFunctions vk;
VulkanDevice *vulkan_device;

namespace {

VkInstance instance;

void lock_queue(void *user) {
  static_cast<std::mutex *>(user)->lock();
}

void unlock_queue(void *user) {
  static_cast<std::mutex *>(user)->unlock();
}

void wrap(VulkanDevice &device) {
  gevt_vulkan_device_t made = {};
  made.size = sizeof made;
  made.instance = instance;
  made.physical_device = device.physical;
  made.device = static_cast<VkDevice>(device);
  made.get_instance_proc_addr = vk.GetInstanceProcAddr;
  made.api_version = VK_API_VERSION_1_3;
  made.features = GEVT_VULKAN_TIMELINE_SEMAPHORE | GEVT_VULKAN_SYNCHRONIZATION2 | GEVT_VULKAN_HOST_QUERY_RESET;
  check(gevt_vulkan_wrap_device(&device.context, &made), "gevt_vulkan_wrap_device");
  check(gevt_context_set_current(device.context), "gevt_context_set_current");
  gevt_vulkan_queue_t queue = {};
  queue.size = sizeof queue;
  queue.queue = device.queue;
  queue.family = device.family;
  queue.lock = lock_queue;
  queue.unlock = unlock_queue;
  queue.user = &device.mutex;
  check(gevt_vulkan_wrap_queue(&device.stream, device.context, &queue), "gevt_vulkan_wrap_queue");
}

} // namespace

void check_vulkan(VkResult result, const char *call) {
  if (result != VK_SUCCESS) fail(call, ("VkResult " + std::to_string(result)).c_str());
}

std::string load_vulkan() {
  void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return "there is no Vulkan loader";
  vk.GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (!vk.GetInstanceProcAddr) return "the Vulkan loader has no vkGetInstanceProcAddr";
  vk.CreateInstance = reinterpret_cast<PFN_vkCreateInstance>(vk.GetInstanceProcAddr(nullptr, "vkCreateInstance"));
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (!vk.CreateInstance || vk.CreateInstance(&info, nullptr, &instance) != VK_SUCCESS)
    return "there is no Vulkan driver";
#define LOAD(name) vk.name = reinterpret_cast<PFN_vk##name>(vk.GetInstanceProcAddr(instance, "vk" #name));
  VK_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
  std::uint32_t count = 0;
  if (vk.EnumeratePhysicalDevices(instance, &count, nullptr) != VK_SUCCESS || count == 0)
    return "there is no Vulkan device";
  return "";
}

VulkanDevice::VulkanDevice() {
  std::uint32_t count = 1;
  vk.EnumeratePhysicalDevices(instance, &count, &physical);
  VkPhysicalDeviceProperties properties;
  vk.GetPhysicalDeviceProperties(physical, &properties);
  name = properties.deviceName;
  is_cpu = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  period = static_cast<double>(properties.limits.timestampPeriod);
  std::array<VkQueueFamilyProperties, 16> families;
  count = static_cast<std::uint32_t>(families.size());
  vk.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  while (family < count &&
         (!(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) || families[family].timestampValidBits == 0))
    family++;
  if (family == count) fail("vkGetPhysicalDeviceQueueFamilyProperties", "no family computes and takes time stamps");
  const float priority = 1;
  VkDeviceQueueCreateInfo queues = {};
  queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queues.queueFamilyIndex = family;
  queues.queueCount = 1;
  queues.pQueuePriorities = &priority;
  VkPhysicalDeviceVulkan13Features features13 = {};
  features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  features13.synchronization2 = VK_TRUE;
  VkPhysicalDeviceVulkan12Features features12 = {};
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features12.pNext = &features13;
  features12.timelineSemaphore = VK_TRUE;
  features12.hostQueryReset = VK_TRUE;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features12;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  check_vulkan(vk.CreateDevice(physical, &info, nullptr, &device_), "vkCreateDevice");
#define LOAD(name)                                                                                                     \
  vk.name = reinterpret_cast<PFN_vk##name>(vk.GetDeviceProcAddr(device_, "vk" #name));                                 \
  if (!vk.name) fail("vkGetDeviceProcAddr", "no vk" #name);
  VK_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
  vk.GetDeviceQueue(device_, family, 0, &queue);
  vulkan_device = this;
  wrap(*this);
}

VulkanDevice::~VulkanDevice() {
  check(gevt_stream_destroy(stream), "gevt_stream_destroy");
  check(gevt_context_set_current(nullptr), "gevt_context_set_current");
  check(gevt_context_close(context), "gevt_context_close");
  vk.DeviceWaitIdle(device_);
  vk.DestroyDevice(device_, nullptr);
  vk.DestroyInstance(instance, nullptr);
}

Timeline::Timeline() {
  VkSemaphoreTypeCreateInfo type = {};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  check_vulkan(vk.CreateSemaphore(*vulkan_device, &info, nullptr, &semaphore_), "vkCreateSemaphore");
}

Timeline::~Timeline() {
  vk.DestroySemaphore(*vulkan_device, semaphore_, nullptr);
}

std::uint64_t Timeline::reached() const {
  std::uint64_t value = 0;
  check_vulkan(vk.GetSemaphoreCounterValue(*vulkan_device, semaphore_, &value), "vkGetSemaphoreCounterValue");
  return value;
}

bool Timeline::wait(std::uint64_t value, std::uint64_t timeout) const {
  VkSemaphoreWaitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore_;
  info.pValues = &value;
  return vk.WaitSemaphores(*vulkan_device, &info, timeout) == VK_SUCCESS;
}

void Timeline::signal(std::uint64_t value) const {
  VkSemaphoreSignalInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  info.semaphore = semaphore_;
  info.value = value;
  check_vulkan(vk.SignalSemaphore(*vulkan_device, &info), "vkSignalSemaphore");
}

VkSemaphoreSubmitInfo Timeline::at(std::uint64_t value) const {
  VkSemaphoreSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
  info.semaphore = semaphore_;
  info.value = value;
  info.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  return info;
}

Commands::Commands() {
  VkCommandPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.queueFamilyIndex = vulkan_device->family;
  check_vulkan(vk.CreateCommandPool(*vulkan_device, &info, nullptr, &pool_), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool_;
  allocate.commandBufferCount = 1;
  check_vulkan(vk.AllocateCommandBuffers(*vulkan_device, &allocate, &buffer_), "vkAllocateCommandBuffers");
}

Commands::~Commands() {
  vk.DestroyCommandPool(*vulkan_device, pool_, nullptr);
}

void Commands::begin() const {
  check_vulkan(vk.ResetCommandPool(*vulkan_device, pool_, 0), "vkResetCommandPool");
  VkCommandBufferBeginInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  check_vulkan(vk.BeginCommandBuffer(buffer_, &info), "vkBeginCommandBuffer");
}

Work::Work() {
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = vulkan_device->is_cpu ? 64 << 10 : 8 << 20;
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  check_vulkan(vk.CreateBuffer(*vulkan_device, &info, nullptr, &buffer_), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vk.GetBufferMemoryRequirements(*vulkan_device, buffer_, &needs);
  VkPhysicalDeviceMemoryProperties memories;
  vk.GetPhysicalDeviceMemoryProperties(vulkan_device->physical, &memories);
  VkMemoryAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = needs.size;
  const auto fits = [&](std::uint32_t type) {
    return (needs.memoryTypeBits >> type & 1) &&
           (memories.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  };
  while (allocate.memoryTypeIndex + 1 < memories.memoryTypeCount && !fits(allocate.memoryTypeIndex))
    allocate.memoryTypeIndex++;
  check_vulkan(vk.AllocateMemory(*vulkan_device, &allocate, nullptr, &memory_), "vkAllocateMemory");
  check_vulkan(vk.BindBufferMemory(*vulkan_device, buffer_, memory_, 0), "vkBindBufferMemory");
}

Work::~Work() {
  vk.DestroyBuffer(*vulkan_device, buffer_, nullptr);
  vk.FreeMemory(*vulkan_device, memory_, nullptr);
}

void Work::pass(VkCommandBuffer commands) const {
  VkMemoryBarrier2 barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_CLEAR_BIT;
  barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  VkDependencyInfo dependency = {};
  dependency.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &barrier;
  vk.CmdPipelineBarrier2(commands, &dependency);
  vk.CmdFillBuffer(commands, buffer_, 0, VK_WHOLE_SIZE, 1);
}

VkResult submit(const VkSemaphoreSubmitInfo *waits, std::uint32_t wait_count, VkCommandBuffer commands,
                const VkSemaphoreSubmitInfo *signal, VkFence fence) {
  VkCommandBufferSubmitInfo buffer = {};
  buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  buffer.commandBuffer = commands;
  VkSubmitInfo2 info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  info.waitSemaphoreInfoCount = wait_count;
  info.pWaitSemaphoreInfos = waits;
  info.commandBufferInfoCount = commands ? 1 : 0;
  info.pCommandBufferInfos = &buffer;
  info.signalSemaphoreInfoCount = signal ? 1 : 0;
  info.pSignalSemaphoreInfos = signal;
  return vk.QueueSubmit2(vulkan_device->queue, 1, &info, fence);
}

void submit_batch(const gevt_event_t *records, std::size_t count, VkCommandBuffer commands) {
  gevt_vulkan_batch_t batch = {};
  batch.size = sizeof batch;
  const gevt_stream_t stream = vulkan_device->stream;
  check(gevt_vulkan_submit_begin(&batch, stream, records, count), "gevt_vulkan_submit_begin");
  const VkResult result = submit(static_cast<const VkSemaphoreSubmitInfo *>(batch.waits), batch.wait_count, commands,
                                 static_cast<const VkSemaphoreSubmitInfo *>(batch.signal));
  check(gevt_vulkan_submit_end(stream, &batch, result), "gevt_vulkan_submit_end");
  check_vulkan(result, "vkQueueSubmit2");
}

} // namespace bench
