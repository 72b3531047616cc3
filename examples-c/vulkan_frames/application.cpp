#include "application.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace {

constexpr char kLayer[] = "VK_LAYER_KHRONOS_validation";

VKAPI_ATTR VkBool32 VKAPI_CALL complain(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                        const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
  std::fprintf(stderr, "vulkan_frames: the validation layer says: %s\n", data->pMessage);
  ++*static_cast<int *>(user);
  return VK_FALSE;
}

bool has_layer() {
  uint32_t count = 0;
  VULKAN(driver.EnumerateInstanceLayerProperties(&count, nullptr));
  std::vector<VkLayerProperties> layers(count);
  VULKAN(driver.EnumerateInstanceLayerProperties(&count, layers.data()));
  return std::any_of(layers.begin(), layers.end(),
                     [](const VkLayerProperties &layer) { return std::strcmp(layer.layerName, kLayer) == 0; });
}

} // namespace

Application::Application(int device, int queues, int *complaints) {
  if (make_instance(complaints) && choose_device(device) && choose_family()) {
    make_device(queues);
  }
}

Application::~Application() {
  if (device_ != nullptr) {
    driver.DestroyDevice(device_, nullptr);
  }
  if (messenger_ != VK_NULL_HANDLE) {
    driver.DestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
  }
  if (instance_ != nullptr) {
    driver.DestroyInstance(instance_, nullptr);
  }
}

bool Application::make_instance(int *complaints) {
  const bool validate = complaints != nullptr;
  if (validate && !has_layer()) {
    trouble_ = std::string(kLayer) + " is not installed";
    return false;
  }
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "vulkan_frames";
  application.apiVersion = kVersion;

  VkDebugUtilsMessengerCreateInfoEXT messenger = {};
  messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = complain;
  messenger.pUserData = complaints;

  const VkValidationFeatureEnableEXT synchronization = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features = {};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features.pNext = &messenger;
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &synchronization;

  const char *layer = kLayer, *debug = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkInstanceCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  create.pApplicationInfo = &application;
  if (validate) {
    create.pNext = &features;
    create.enabledLayerCount = 1;
    create.ppEnabledLayerNames = &layer;
    create.enabledExtensionCount = 1;
    create.ppEnabledExtensionNames = &debug;
  }
  const VkResult result = driver.CreateInstance(&create, nullptr, &instance_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
    trouble_ = "there is no Vulkan driver on this machine";
    return false;
  }
  check_driver(result, "vkCreateInstance");
  load_instance(instance_);
  if (validate) {
    VULKAN(driver.CreateDebugUtilsMessengerEXT(instance_, &messenger, nullptr, &messenger_));
  }
  return true;
}

bool Application::choose_device(int number) {
  uint32_t count = 0;
  VULKAN(driver.EnumeratePhysicalDevices(instance_, &count, nullptr));
  std::vector<VkPhysicalDevice> devices(count);
  VULKAN(driver.EnumeratePhysicalDevices(instance_, &count, devices.data()));
  if (count == 0) {
    trouble_ = "there is no Vulkan device on this machine";
    return false;
  }
  if (number >= static_cast<int>(count)) {
    throw std::runtime_error("there is no device " + std::to_string(number) + ": this machine has " +
                             std::to_string(count));
  }
  physical_device_ = devices[static_cast<size_t>(number)];
  VkPhysicalDeviceProperties properties;
  driver.GetPhysicalDeviceProperties(physical_device_, &properties);
  name_ = properties.deviceName;
  tick_ns_ = static_cast<double>(properties.limits.timestampPeriod);
  largest_buffer_ = properties.limits.maxStorageBufferRange;
  if (properties.apiVersion < kVersion) {
    trouble_ = name_ + " has no Vulkan 1.3";
    return false;
  }
  return true;
}

// Of the families that compute and have time stamps, the one with the most queues.
bool Application::choose_family() {
  uint32_t count = 0;
  driver.GetPhysicalDeviceQueueFamilyProperties(physical_device_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  driver.GetPhysicalDeviceQueueFamilyProperties(physical_device_, &count, families.data());
  for (uint32_t i = 0; i < count; i++) {
    const VkQueueFamilyProperties &family = families[i];
    if ((family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0 && family.timestampValidBits > 0 &&
        family.queueCount > family_queues_) {
      family_ = i;
      family_queues_ = family.queueCount;
      time_mask_ = family.timestampValidBits >= 64 ? ~uint64_t{0} : (uint64_t{1} << family.timestampValidBits) - 1;
    }
  }
  if (family_queues_ == 0) {
    trouble_ = name_ + " has no queue that computes and has time stamps";
  }
  return family_queues_ > 0;
}

void Application::make_device(int queues) {
  uint32_t count = 0;
  VULKAN(driver.EnumerateDeviceExtensionProperties(physical_device_, nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> found(count);
  VULKAN(driver.EnumerateDeviceExtensionProperties(physical_device_, nullptr, &count, found.data()));
  // With the first, times of the device can be compared with the host's; with the second, it writes the program's own memory.
  for (const char *wish : {VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME}) {
    if (std::any_of(found.begin(), found.end(), [&](const VkExtensionProperties &extension) {
          return std::strcmp(extension.extensionName, wish) == 0;
        })) {
      extensions_.push_back(wish);
    }
  }

  const uint32_t taken = std::min(family_queues_, static_cast<uint32_t>(queues));
  const std::vector<float> priorities(taken, 1.0f);
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = family_;
  queue.queueCount = taken;
  queue.pQueuePriorities = priorities.data();

  // Vulkan 1.3 has the first two always, and nearly every driver the third.
  VkPhysicalDeviceVulkan13Features features13 = {};
  features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  features13.synchronization2 = VK_TRUE;
  VkPhysicalDeviceVulkan12Features features12 = {};
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features12.pNext = &features13;
  features12.timelineSemaphore = VK_TRUE;
  features12.hostQueryReset = VK_TRUE;

  VkDeviceCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  create.pNext = &features12;
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  create.enabledExtensionCount = static_cast<uint32_t>(extensions_.size());
  create.ppEnabledExtensionNames = extensions_.data();
  const VkResult result = driver.CreateDevice(physical_device_, &create, nullptr, &device_);
  if (result == VK_ERROR_FEATURE_NOT_PRESENT) {
    trouble_ = name_ + " has no hostQueryReset";
    return;
  }
  check_driver(result, "vkCreateDevice");
  load_device(device_);
  queues_.resize(taken);
  queue_mutexes_ = std::make_unique<std::mutex[]>(taken);
  for (uint32_t i = 0; i < taken; i++) {
    driver.GetDeviceQueue(device_, family_, i, &queues_[i]);
  }
}

uint32_t Application::memory_type(uint32_t allowed, const std::vector<VkMemoryPropertyFlags> &wishes) const {
  VkPhysicalDeviceMemoryProperties memory;
  driver.GetPhysicalDeviceMemoryProperties(physical_device_, &memory);
  for (const VkMemoryPropertyFlags wish : wishes) {
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
      if ((allowed >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & wish) == wish) {
        return i;
      }
    }
  }
  throw std::runtime_error(name_ + " has no fitting memory");
}
