/// @file gevt/vulkan.hpp
/// The program's Vulkan devices, queues and submits. gevt.hpp does not include this file. It includes <vulkan/vulkan.h> unless Vulkan's
/// types are declared already, as after volk.h, and calls no Vulkan function.
#pragma once

#include "context.hpp"
#include "event.hpp"
#include "several.hpp"
#include "stream.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#ifndef VK_VERSION_1_0
#include <vulkan/vulkan.h>
#endif
#ifndef VK_VERSION_1_3
#error "gevt/vulkan.hpp needs the headers of Vulkan 1.3"
#endif

/// Functions for programs that own a VkDevice.
namespace gevt::vulkan {

namespace detail {

/// Returns a Vulkan handle, which is a pointer or a number, as a number.
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

/// A VkDevice, and the features that it was created with; see gevt_vulkan_device_t.
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
  std::uint32_t flags = 0;                ///< GEVT_VULKAN_COLLECT_WAITS, ..._EXPORTABLE.
  gevt_vulkan_lock_fn_t lock = nullptr;   ///< Locks the queue, or nothing.
  gevt_vulkan_lock_fn_t unlock = nullptr; ///< Unlocks the queue, or nothing.
  void *user = nullptr;                   ///< The argument of both.
};

/// Returns a queue_info whose lock is a mutex of the program. The mutex must live as long as the context.
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

namespace detail {

/// Calls gevt_vulkan_wrap_device().
inline gevt_status_t wrap(gevt_context_t *out, const device_info &info) noexcept {
  gevt_vulkan_device_t device{};
  device.size = sizeof device;
  device.instance = info.instance;
  device.physical_device = info.physical_device;
  device.device = info.device;
  device.get_instance_proc_addr = info.get_instance_proc_addr;
  device.api_version = info.api_version;
  device.extensions = info.extensions;
  device.extension_count = info.extension_count;
  device.features = info.features;
  return gevt_vulkan_wrap_device(out, &device);
}

/// Calls gevt_vulkan_wrap_queue().
inline gevt_status_t wrap(gevt_stream_t *out, context_ref context, const queue_info &info) noexcept {
  gevt_vulkan_queue_t queue{};
  queue.size = sizeof queue;
  queue.queue = info.queue;
  queue.family = info.family;
  queue.flags = info.flags;
  queue.lock = info.lock;
  queue.unlock = info.unlock;
  queue.user = info.user;
  return gevt_vulkan_wrap_queue(out, context.get(), &queue);
}

} // namespace detail

/// Returns a context for the program's VkDevice: gevt_vulkan_wrap_device().
/// @ingroup cpp
[[nodiscard]] inline context wrap_device(const device_info &info) {
  gevt_context_t handle = nullptr;
  gevt::detail::check(detail::wrap(&handle, info));
  return context::from_handle(handle);
}
/// Like the form above, with the error in `ec`; returns context::none() then.
/// @ingroup cpp
[[nodiscard]] inline context wrap_device(const device_info &info, std::error_code &ec) noexcept {
  gevt_context_t handle = nullptr;
  gevt::detail::check(detail::wrap(&handle, info), ec);
  return context::from_handle(handle);
}

/// Returns a stream for the program's VkQueue: gevt_vulkan_wrap_queue().
/// @ingroup cpp
[[nodiscard]] inline stream wrap_queue(context_ref context, const queue_info &info) {
  gevt_stream_t handle = nullptr;
  gevt::detail::check(detail::wrap(&handle, context, info));
  return stream::from_handle(handle);
}
/// Like the form above, with the error in `ec`; returns stream::none() then.
/// @ingroup cpp
[[nodiscard]] inline stream wrap_queue(context_ref context, const queue_info &info, std::error_code &ec) noexcept {
  gevt_stream_t handle = nullptr;
  gevt::detail::check(detail::wrap(&handle, context, info), ec);
  return stream::from_handle(handle);
}

/// The waits and signals of a vkQueueSubmit, binary semaphores among them. One object serves many submits: clear() keeps its memory.
/// @ingroup cpp
class semaphores {
public:
  /// Adds a wait of some stages. `value` is for a timeline semaphore.
  void wait(VkSemaphore semaphore, VkPipelineStageFlags stages, std::uint64_t value = 0) {
    waits_.push_back(semaphore);
    wait_stages_.push_back(stages);
    wait_values_.push_back(value);
  }
  /// Adds a signal. `value` is for a timeline semaphore.
  void signal(VkSemaphore semaphore, std::uint64_t value = 0) {
    signals_.push_back(semaphore);
    signal_values_.push_back(value);
  }
  /// Removes all waits and signals.
  void clear() noexcept {
    waits_.clear();
    wait_stages_.clear();
    wait_values_.clear();
    signals_.clear();
    signal_values_.clear();
  }
  /// Sets the waits and signals of a submit, and puts `values` in front of its pNext chain. Both point to this object's memory.
  void fill(VkSubmitInfo &submit, VkTimelineSemaphoreSubmitInfo &values) const noexcept {
    values = {};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.pNext = submit.pNext;
    values.waitSemaphoreValueCount = static_cast<std::uint32_t>(wait_values_.size());
    values.pWaitSemaphoreValues = wait_values_.data();
    values.signalSemaphoreValueCount = static_cast<std::uint32_t>(signal_values_.size());
    values.pSignalSemaphoreValues = signal_values_.data();
    submit.pNext = &values;
    submit.waitSemaphoreCount = static_cast<std::uint32_t>(waits_.size());
    submit.pWaitSemaphores = waits_.data();
    submit.pWaitDstStageMask = wait_stages_.data();
    submit.signalSemaphoreCount = static_cast<std::uint32_t>(signals_.size());
    submit.pSignalSemaphores = signals_.data();
  }

private:
  std::vector<VkSemaphore> waits_, signals_;
  std::vector<VkPipelineStageFlags> wait_stages_;
  std::vector<std::uint64_t> wait_values_, signal_values_;
};

/// A submit by the program that records events: gevt_vulkan_submit_begin() and gevt_vulkan_submit_end(). The destructor cancels a batch
/// that was not ended.
///
/// The events are a list such as `{a, b}`, a range such as std::vector<gevt::event>, or an array of handles and its length. The waits and
/// the signal go into the submit by one of fill() and append(), or by hand.
/// @ingroup cpp
class batch {
public:
  /// Begins a batch that records `n` events on the stream. Lasts until end() on the same thread.
  batch(stream_ref stream, const gevt_event_t *records, std::size_t n) : stream_(stream) {
    gevt::detail::check(begin(records, n));
  }
  /// Like the form above, with the error in `ec`.
  batch(stream_ref stream, const gevt_event_t *records, std::size_t n, std::error_code &ec) noexcept : stream_(stream) {
    gevt::detail::check(begin(records, n), ec);
  }
  /// Begins a batch that records a list of events, such as `{a, b}`.
  template <std::size_t N>
  batch(stream_ref stream, const event_ref (&events)[N]) : batch(stream, gevt::detail::handles(events).array, N) {}
  /// Like the form above, with the error in `ec`.
  template <std::size_t N>
  batch(stream_ref stream, const event_ref (&events)[N], std::error_code &ec) noexcept
      : batch(stream, gevt::detail::handles(events).array, N, ec) {}
  /// Begins a batch that records a range of events or references. Allocates a copy of the handles.
  template <class Range, class = std::enable_if_t<gevt::detail::is_range_of_events<Range>>>
  batch(stream_ref stream, const Range &events) : batch(stream, copied{gevt::detail::handles_of(events)}) {}
  /// Like the form above, with the error in `ec`.
  template <class Range, class = std::enable_if_t<gevt::detail::is_range_of_events<Range>>>
  batch(stream_ref stream, const Range &events, std::error_code &ec)
      : batch(stream, copied{gevt::detail::handles_of(events)}, ec) {}
  /// Takes over another batch, which is then not open.
  batch(batch &&other) noexcept
      : stream_(other.stream_), batch_(other.batch_), is_open_(std::exchange(other.is_open_, false)) {}
  /// Cancels this batch if it is open, and takes over another one, which is then not open.
  batch &operator=(batch &&other) noexcept {
    if (this != &other) {
      close();
      stream_ = other.stream_;
      batch_ = other.batch_;
      is_open_ = std::exchange(other.is_open_, false);
    }
    return *this;
  }
  /// Cancels the batch if it was not ended.
  ~batch() { close(); }

  /// Returns whether the batch has begun and not ended.
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  /// Returns the structure of gevt.h.
  [[nodiscard]] const gevt_vulkan_batch_t &get() const noexcept { return batch_; }
  /// Returns the waits for the submit's first VkSubmitInfo2.
  [[nodiscard]] const VkSemaphoreSubmitInfo *waits() const noexcept {
    return static_cast<const VkSemaphoreSubmitInfo *>(batch_.waits);
  }
  /// Returns the number of waits.
  [[nodiscard]] std::uint32_t wait_count() const noexcept { return batch_.wait_count; }
  /// Returns the signal for the submit's last VkSubmitInfo2.
  [[nodiscard]] const VkSemaphoreSubmitInfo *signal() const noexcept {
    return static_cast<const VkSemaphoreSubmitInfo *>(batch_.signal);
  }

  /// Sets the waits and the signal of a submit that has no others.
  void fill(VkSubmitInfo2 &submit) const noexcept {
    submit.waitSemaphoreInfoCount = wait_count();
    submit.pWaitSemaphoreInfos = waits();
    submit.signalSemaphoreInfoCount = 1;
    submit.pSignalSemaphoreInfos = signal();
  }
  /// Sets the waits and the signal of a vkQueueSubmit that has no others, and puts `values` in front of its pNext chain.
  void fill(VkSubmitInfo &submit, VkTimelineSemaphoreSubmitInfo &values) const noexcept {
    values = {};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.pNext = submit.pNext;
    values.waitSemaphoreValueCount = wait_count();
    values.pWaitSemaphoreValues = batch_.wait_values;
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = batch_.signal_value;
    submit.pNext = &values;
    submit.waitSemaphoreCount = wait_count();
    submit.pWaitSemaphores = static_cast<const VkSemaphore *>(batch_.wait_semaphores);
    submit.pWaitDstStageMask = batch_.wait_stages;
    submit.signalSemaphoreCount = 1;
    submit.pSignalSemaphores = static_cast<const VkSemaphore *>(batch_.signal_semaphore);
  }

  /// Adds the waits and the signal to those of the program, for vkQueueSubmit2. `waits` goes into the first VkSubmitInfo2 and `signals`
  /// into the last one.
  void append(std::vector<VkSemaphoreSubmitInfo> &waits, std::vector<VkSemaphoreSubmitInfo> &signals) const {
    if (wait_count() != 0) waits.insert(waits.end(), this->waits(), this->waits() + wait_count());
    signals.push_back(*signal());
  }
  /// Adds the waits and the signal to those of the program, for vkQueueSubmit.
  void append(semaphores &all) const {
    const auto *waits = static_cast<const VkSemaphore *>(batch_.wait_semaphores);
    for (std::uint32_t i = 0; i < wait_count(); i++) all.wait(waits[i], batch_.wait_stages[i], batch_.wait_values[i]);
    all.signal(*static_cast<const VkSemaphore *>(batch_.signal_semaphore), *batch_.signal_value);
  }

  /// Ends the batch with the result of the submit.
  void end(VkResult result) { gevt::detail::check(ended(result)); }
  /// Like the form above, with the error in `ec`.
  void end(VkResult result, std::error_code &ec) noexcept { gevt::detail::check(ended(result), ec); }

  /// Cancels a batch without a submit: gevt_vulkan_submit_cancel().
  void cancel() { gevt::detail::check(canceled()); }
  /// Like the form above, with the error in `ec`.
  void cancel(std::error_code &ec) noexcept { gevt::detail::check(canceled(), ec); }

private:
  struct copied {
    std::vector<gevt_event_t> handles;
  };
  batch(stream_ref stream, const copied &events) : batch(stream, events.handles.data(), events.handles.size()) {}
  batch(stream_ref stream, const copied &events, std::error_code &ec) noexcept
      : batch(stream, events.handles.data(), events.handles.size(), ec) {}

  gevt_status_t begin(const gevt_event_t *records, std::size_t n) noexcept {
    batch_.size = sizeof batch_;
    const gevt_status_t status = gevt_vulkan_submit_begin(&batch_, stream_.get(), records, n);
    is_open_ = status == GEVT_SUCCESS;
    return status;
  }
  gevt_status_t ended(VkResult result) noexcept {
    is_open_ = false;
    return gevt_vulkan_submit_end(stream_.get(), &batch_, result);
  }
  gevt_status_t canceled() noexcept {
    is_open_ = false;
    return gevt_vulkan_submit_cancel(stream_.get(), &batch_);
  }
  void close() noexcept {
    if (is_open_) static_cast<void>(canceled());
  }

  stream_ref stream_;
  gevt_vulkan_batch_t batch_{};
  bool is_open_ = false;
};

/// Writes an event's timestamp into a command buffer: gevt_vulkan_write_time().
/// @ingroup cpp
inline void write_time(event_ref event, VkCommandBuffer commands, VkPipelineStageFlags2 stage) {
  gevt::detail::check(gevt_vulkan_write_time(event.get(), commands, stage));
}
/// Like the form above, with the error in `ec`.
/// @ingroup cpp
inline void write_time(event_ref event, VkCommandBuffer commands, VkPipelineStageFlags2 stage,
                       std::error_code &ec) noexcept {
  gevt::detail::check(gevt_vulkan_write_time(event.get(), commands, stage), ec);
}

/// Makes the given stages of a stream's next batch wait for an event: gevt_vulkan_stream_wait().
/// @ingroup cpp
inline void wait(stream_ref stream, event_ref event, VkPipelineStageFlags2 stages) {
  gevt::detail::check(gevt_vulkan_stream_wait(stream.get(), event.get(), stages));
}
/// Like the form above, with the error in `ec`.
/// @ingroup cpp
inline void wait(stream_ref stream, event_ref event, VkPipelineStageFlags2 stages, std::error_code &ec) noexcept {
  gevt::detail::check(gevt_vulkan_stream_wait(stream.get(), event.get(), stages), ec);
}

/// A raw timestamp.
/// @ingroup cpp
struct timestamp {
  std::uint64_t ticks = 0; ///< The device's counter.
  double period = 0;       ///< The nanoseconds of a tick.
};

/// Returns the raw timestamp of an event that is complete: gevt_vulkan_ticks().
/// @ingroup cpp
[[nodiscard]] inline timestamp ticks_of(event_ref event) {
  timestamp result;
  gevt::detail::check(gevt_vulkan_ticks(&result.ticks, &result.period, event.get()));
  return result;
}
/// Like the form above, with the error in `ec`; returns zeros then.
/// @ingroup cpp
[[nodiscard]] inline timestamp ticks_of(event_ref event, std::error_code &ec) noexcept {
  timestamp result;
  gevt::detail::check(gevt_vulkan_ticks(&result.ticks, &result.period, event.get()), ec);
  return result;
}

/// The point at which an event completes: a value of a timeline semaphore.
/// @ingroup cpp
struct point {
  VkSemaphore semaphore = VK_NULL_HANDLE; ///< The semaphore.
  std::uint64_t value = 0;                ///< The value.
};

/// Returns the point of an event's last record: gevt_vulkan_point().
/// @ingroup cpp
[[nodiscard]] inline point point_of(event_ref event) {
  std::uint64_t semaphore = 0, value = 0;
  gevt::detail::check(gevt_vulkan_point(&semaphore, &value, event.get()));
  return {detail::handle_of<VkSemaphore>(semaphore), value};
}
/// Like the form above, with the error in `ec`; returns a point without a semaphore then.
/// @ingroup cpp
[[nodiscard]] inline point point_of(event_ref event, std::error_code &ec) noexcept {
  std::uint64_t semaphore = 0, value = 0;
  gevt::detail::check(gevt_vulkan_point(&semaphore, &value, event.get()), ec);
  return {detail::handle_of<VkSemaphore>(semaphore), value};
}

/// Returns an event that completes at a point of the program: gevt_vulkan_wrap_point().
/// @ingroup cpp
[[nodiscard]] inline event wrap_point(context_ref context, point at) {
  gevt_event_t handle = nullptr;
  gevt::detail::check(gevt_vulkan_wrap_point(&handle, context.get(), detail::number(at.semaphore), at.value));
  return event::from_handle(handle);
}
/// Like the form above, with the error in `ec`; returns event::none() then.
/// @ingroup cpp
[[nodiscard]] inline event wrap_point(context_ref context, point at, std::error_code &ec) noexcept {
  gevt_event_t handle = nullptr;
  gevt::detail::check(gevt_vulkan_wrap_point(&handle, context.get(), detail::number(at.semaphore), at.value), ec);
  return event::from_handle(handle);
}

} // namespace gevt::vulkan
