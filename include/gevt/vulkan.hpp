/// @file gevt/vulkan.hpp
/// Vulkan devices, queues and submits of the program's. gevt.hpp does not include this file, which includes <vulkan/vulkan.h> unless
/// Vulkan's types are there already, as after volk.h. It calls no Vulkan function itself.
#pragma once

#include "context.hpp"
#include "event.hpp"
#include "stream.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifndef VK_VERSION_1_0
#include <vulkan/vulkan.h>
#endif
#ifndef VK_VERSION_1_3
#error "gevt/vulkan.hpp needs the headers of Vulkan 1.3"
#endif

/// gevt's functions for those who have a VkDevice.
namespace gevt::vulkan {

namespace detail {

/// Returns a handle that is a pointer, or a number on systems of 32 bits, as a number.
template <class Handle>
std::uint64_t number(Handle handle) noexcept {
  static_assert(sizeof(Handle) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &handle, sizeof handle);
  return bits;
}

/// Returns the handle of a number.
template <class Handle>
Handle handle_of(std::uint64_t bits) noexcept {
  Handle handle{};
  std::memcpy(&handle, &bits, sizeof handle);
  return handle;
}

} // namespace detail

/// A VkDevice, and what it was made with; see gevt_vulkan_device_t.
/// @ingroup cpp
struct device_info {
  VkInstance instance = VK_NULL_HANDLE;                       ///< The instance.
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;          ///< The physical device.
  VkDevice device = VK_NULL_HANDLE;                           ///< The device.
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr; ///< How the program calls Vulkan.
  std::uint32_t api_version = VK_API_VERSION_1_2;             ///< The version that instance and device were made for.
  const char *const *extensions = nullptr;                    ///< The names of the enabled extensions.
  std::uint32_t extension_count = 0;                          ///< Their number.
  std::uint32_t features = GEVT_VULKAN_TIMELINE_SEMAPHORE;    ///< The enabled features: GEVT_VULKAN_... bits.
};

/// A VkQueue and its lock; see gevt_vulkan_queue_t.
/// @ingroup cpp
struct queue_info {
  VkQueue queue = VK_NULL_HANDLE;         ///< The queue.
  std::uint32_t family = 0;               ///< Its family.
  std::uint32_t flags = 0;                ///< 0 or GEVT_VULKAN_COLLECT_WAITS.
  gevt_vulkan_lock_fn_t lock = nullptr;   ///< Locks the queue, or nothing.
  gevt_vulkan_lock_fn_t unlock = nullptr; ///< Unlocks the queue, or nothing.
  void *user = nullptr;                   ///< The argument of both.
};

/// Returns a queue_info whose lock is a mutex of the program's, which has to live as long as the context.
/// An exception of its lock() or unlock() ends the program.
/// @ingroup cpp
template <class Mutex>
queue_info locked_by(Mutex &mutex, VkQueue queue, std::uint32_t family, std::uint32_t flags = 0) noexcept {
  queue_info info;
  info.queue = queue;
  info.family = family;
  info.flags = flags;
  info.lock = [](void *user) noexcept { static_cast<Mutex *>(user)->lock(); };
  info.unlock = [](void *user) noexcept { static_cast<Mutex *>(user)->unlock(); };
  info.user = &mutex;
  return info;
}

/// Returns a context for a VkDevice of the program's: gevt_vulkan_wrap_device().
/// @ingroup cpp
inline context wrap_device(const device_info &info) {
  gevt_vulkan_device_t device{};
  device.size = sizeof device;
  device.instance = info.instance;
  device.physical_device = info.physical_device;
  device.device = info.device;
  device.get_instance_proc_addr = reinterpret_cast<void *>(info.get_instance_proc_addr);
  device.api_version = info.api_version;
  device.extensions = info.extensions;
  device.extension_count = info.extension_count;
  device.features = info.features;
  gevt_context_t handle = nullptr;
  gevt::detail::check(gevt_vulkan_wrap_device(&handle, &device));
  return context::from_handle(handle);
}

/// Returns a stream for a VkQueue of the program's: gevt_vulkan_wrap_queue().
/// @ingroup cpp
inline stream wrap_queue(context_ref context, const queue_info &info) {
  gevt_vulkan_queue_t queue{};
  queue.size = sizeof queue;
  queue.queue = info.queue;
  queue.family = info.family;
  queue.flags = info.flags;
  queue.lock = info.lock;
  queue.unlock = info.unlock;
  queue.user = info.user;
  gevt_stream_t handle = nullptr;
  gevt::detail::check(gevt_vulkan_wrap_queue(&handle, context.get(), &queue));
  return stream::from_handle(handle);
}

/// A submit of the program's that records events: gevt_vulkan_submit_begin() and gevt_vulkan_submit_end(). One that is destroyed
/// before end() is canceled.
/// @ingroup cpp
class batch {
public:
  /// Begins a batch that records `n` events on the stream. Lasts until end() on the same thread.
  batch(stream_ref stream, const gevt_event_t *records, std::size_t n) : stream_(stream) {
    batch_.size = sizeof batch_;
    gevt::detail::check(gevt_vulkan_submit_begin(&batch_, stream.get(), records, n));
  }
  /// Begins a batch that records a list of events, such as `{a, b}`.
  template <std::size_t N>
  batch(stream_ref stream, const event_ref (&events)[N]) : batch(stream, handles<N>(events).array, N) {}
  batch(const batch &) = delete;            ///< A batch has one owner.
  batch &operator=(const batch &) = delete; ///< A batch has one owner.
  /// Cancels the batch if it was not ended.
  ~batch() {
    if (is_open_) static_cast<void>(gevt_vulkan_submit_cancel(stream_.get(), &batch_));
  }

  /// Returns the waits for the submit's first VkSubmitInfo2.
  const VkSemaphoreSubmitInfo *waits() const noexcept {
    return static_cast<const VkSemaphoreSubmitInfo *>(batch_.waits);
  }
  /// Returns the number of waits.
  std::uint32_t wait_count() const noexcept { return batch_.wait_count; }
  /// Returns the signal for the submit's last VkSubmitInfo2.
  const VkSemaphoreSubmitInfo *signal() const noexcept {
    return static_cast<const VkSemaphoreSubmitInfo *>(batch_.signal);
  }

  /// Sets the waits and the signal of a submit that has no others.
  void fill(VkSubmitInfo2 &submit) const noexcept {
    submit.waitSemaphoreInfoCount = wait_count();
    submit.pWaitSemaphoreInfos = waits();
    submit.signalSemaphoreInfoCount = 1;
    submit.pSignalSemaphoreInfos = signal();
  }

  /// Ends the batch with the result of the submit.
  void end(VkResult result) {
    is_open_ = false;
    gevt::detail::check(gevt_vulkan_submit_end(stream_.get(), &batch_, result));
  }

  /// Cancels the batch, for which no submit was made: gevt_vulkan_submit_cancel().
  void cancel() {
    is_open_ = false;
    gevt::detail::check(gevt_vulkan_submit_cancel(stream_.get(), &batch_));
  }

private:
  template <std::size_t N>
  struct handles {
    explicit handles(const event_ref (&events)[N]) noexcept {
      for (std::size_t i = 0; i < N; i++) array[i] = events[i].get();
    }
    gevt_event_t array[N];
  };

  stream_ref stream_;
  gevt_vulkan_batch_t batch_{};
  bool is_open_ = true;
};

/// Writes an event's time stamp into a command buffer: gevt_vulkan_write_time().
/// @ingroup cpp
inline void write_time(event_ref event, VkCommandBuffer commands, VkPipelineStageFlags2 stage) {
  gevt::detail::check(gevt_vulkan_write_time(event.get(), commands, stage));
}

/// Where an event completes: a value of a timeline semaphore.
/// @ingroup cpp
struct point {
  VkSemaphore semaphore = VK_NULL_HANDLE; ///< The semaphore.
  std::uint64_t value = 0;                ///< The value.
};

/// Returns the point of an event's last record: gevt_vulkan_point().
/// @ingroup cpp
inline point point_of(event_ref event) {
  std::uint64_t semaphore = 0;
  point result;
  gevt::detail::check(gevt_vulkan_point(&semaphore, &result.value, event.get()));
  result.semaphore = detail::handle_of<VkSemaphore>(semaphore);
  return result;
}

/// Returns an event that completes at a point of the program's: gevt_vulkan_wrap_point().
/// @ingroup cpp
inline event wrap_point(context_ref context, point at) {
  gevt_event_t handle = nullptr;
  gevt::detail::check(gevt_vulkan_wrap_point(&handle, context.get(), detail::number(at.semaphore), at.value));
  return event::from_handle(handle);
}

} // namespace gevt::vulkan
