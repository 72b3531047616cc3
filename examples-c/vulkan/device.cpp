#include "device.hpp"

#include "gevt/vulkan.hpp"

Instance::Instance(const Names &extensions) {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkResult result = vkCreateInstance(&info, nullptr, &handle_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) throw Unsupported("there is no Vulkan driver");
  if (result == VK_ERROR_EXTENSION_NOT_PRESENT) throw Unsupported("Vulkan has no suitable surface");
  check(result, "vkCreateInstance");
}

std::vector<VkPhysicalDevice> Instance::devices() const {
  uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(handle_, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> devices(count);
  check(vkEnumeratePhysicalDevices(handle_, &count, devices.data()), "vkEnumeratePhysicalDevices");
  return devices;
}

bool Device::find(const Instance &instance, const Choose &choose) {
  for (VkPhysicalDevice device : instance.devices()) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    for (uint32_t family = 0; family < count && properties.apiVersion >= VK_API_VERSION_1_3; family++) {
      if (choose(device, family, families[family])) {
        physical_ = device;
        family_ = family;
        return true;
      }
    }
  }
  return false;
}

Device::Device(const Instance &instance, const Names &extensions, const Choose &choose)
    : instance_(instance), extensions_(extensions) {
  if (!find(instance, choose)) throw Unsupported("no Vulkan device is suitable");

  // gevt needs timelineSemaphore. The other three are faster or easier: times that the host resets, and dynamic rendering.
  VkPhysicalDeviceVulkan13Features features13 = {};
  features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  features13.synchronization2 = VK_TRUE;
  features13.dynamicRendering = VK_TRUE;
  VkPhysicalDeviceVulkan12Features features12 = {};
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features12.pNext = &features13;
  features12.timelineSemaphore = VK_TRUE;
  features12.hostQueryReset = VK_TRUE;
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features12;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions_.size());
  info.ppEnabledExtensionNames = extensions_.data();
  check(vkCreateDevice(physical_, &info, nullptr, &handle_), "vkCreateDevice");
  vkGetDeviceQueue(handle_, family_, 0, &queue_);
}

std::string Device::name() const {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(physical_, &properties);
  return properties.deviceName;
}

gevt::context Device::wrap() const {
  gevt::vulkan::device_info info;
  info.instance = instance_;
  info.physical_device = physical_;
  info.device = handle_;
  info.get_instance_proc_addr = vkGetInstanceProcAddr;
  info.api_version = VK_API_VERSION_1_3;
  info.extensions = extensions_.data();
  info.extension_count = static_cast<uint32_t>(extensions_.size());
  info.features = GEVT_VULKAN_TIMELINE_SEMAPHORE | GEVT_VULKAN_SYNCHRONIZATION2 | GEVT_VULKAN_HOST_QUERY_RESET;
  return gevt::vulkan::wrap_device(info);
}

gevt::stream Device::wrap_queue(gevt::context_ref context) const {
  // One thread uses the queue, so it needs no lock. The waits of the stream go into the next submit.
  gevt::vulkan::queue_info info;
  info.queue = queue_;
  info.family = family_;
  info.flags = GEVT_VULKAN_COLLECT_WAITS;
  return gevt::vulkan::wrap_queue(context, info);
}
