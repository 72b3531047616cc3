// What the rows of gevt_bench_vulkan share: a program's own device and queue, Vulkan's functions as volk would load them, and gevt's stream
// for the queue.
#ifndef GEVT_BENCH_VULKAN_HPP
#define GEVT_BENCH_VULKAN_HPP

#include "bench.hpp"

#include "../tests/vulkan/functions.h"

#include <mutex>
#include <string>
#include <vector>

namespace bench {

struct VulkanFunctions {
  VK_SLOT(GetInstanceProcAddr)
  VK_SLOT(CreateInstance)
  VK_INSTANCE_FUNCTIONS(VK_SLOT)
  VK_DEVICE_FUNCTIONS(VK_SLOT)
};
extern VulkanFunctions vk;

// Ends the process where a call of the driver's fails.
void check_vulkan(VkResult result, const char *call);

// Loads Vulkan; a reason where there is no loader or no device.
std::string load_vulkan();

// The device, made with what gevt needs, and one queue of it that computes and takes time stamps.
class VulkanDevice {
public:
  VulkanDevice();
  ~VulkanDevice();
  VulkanDevice(const VulkanDevice &) = delete;
  VulkanDevice &operator=(const VulkanDevice &) = delete;
  std::string name;
  bool is_cpu = false;
  double period = 1;
  VkPhysicalDevice physical = nullptr;
  VkQueue queue = nullptr;
  std::mutex mutex; // of the queue
  std::uint32_t family = 0;
  gevt_context_t context = nullptr; // gevt's, current on the calling thread
  gevt_stream_t stream = nullptr;   // gevt's, of the queue
  operator VkDevice() const { return device_; }

private:
  VkDevice device_ = nullptr;
};
extern VulkanDevice *vulkan_device;

// A timeline semaphore.
class Timeline {
public:
  Timeline();
  ~Timeline();
  Timeline(const Timeline &) = delete;
  Timeline &operator=(const Timeline &) = delete;
  std::uint64_t reached() const;
  bool wait(std::uint64_t value, std::uint64_t timeout) const;
  void signal(std::uint64_t value) const;
  VkSemaphoreSubmitInfo at(std::uint64_t value) const;
  operator VkSemaphore() const { return semaphore_; }

private:
  VkSemaphore semaphore_ = nullptr;
};

// A command buffer with a pool of its own, recorded anew each time.
class Commands {
public:
  Commands();
  ~Commands();
  Commands(const Commands &) = delete;
  Commands &operator=(const Commands &) = delete;
  void begin() const;
  void end() const { check_vulkan(vk.EndCommandBuffer(buffer_), "vkEndCommandBuffer"); }
  operator VkCommandBuffer() const { return buffer_; }

private:
  VkCommandPool pool_ = nullptr;
  VkCommandBuffer buffer_ = nullptr;
};

// The work of a pass: it fills a buffer, after the pass before has done so.
class Work {
public:
  Work();
  ~Work();
  Work(const Work &) = delete;
  Work &operator=(const Work &) = delete;
  void pass(VkCommandBuffer commands) const;

private:
  VkBuffer buffer_ = nullptr;
  VkDeviceMemory memory_ = nullptr;
};

// One vkQueueSubmit2. Waits, commands and signal may be missing.
VkResult submit(const VkSemaphoreSubmitInfo *waits, std::uint32_t wait_count, VkCommandBuffer commands,
                const VkSemaphoreSubmitInfo *signal, VkFence fence = nullptr);

// The same as a batch of gevt's that records the events.
void submit_batch(const gevt_event_t *records, std::size_t count, VkCommandBuffer commands = nullptr);

// A loop of frames: three in flight, twelve passes each, every pass timed. Returns the nanoseconds that the passes took on the device.
constexpr int frames_in_flight = 3;
constexpr int passes_a_frame = 12;
double frames_by_hand(const Work &work, int frames);
double frames_by_gevt(const Work &work, int frames);
// The lines of code that each needs.
extern const int lines_by_hand;
extern const int lines_by_gevt;

// The rows, one function a group; vulkan.cpp lists them by name.
void vulkan_query_rows(Table &table);
void vulkan_threads_rows(Table &table);
void vulkan_create_rows(Table &table);
void vulkan_batch_rows(Table &table);
void vulkan_record_rows(Table &table);
void vulkan_wake_rows(Table &table);
void vulkan_short_wait_rows(Table &table);
void vulkan_frame_rows(Table &table);
void vulkan_zone_rows(Table &table);

} // namespace bench

#endif
