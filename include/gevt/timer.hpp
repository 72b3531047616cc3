/// @file gevt/timer.hpp
/// Times of named zones, frame by frame, on streams and in Vulkan's command buffers. gevt.hpp does not include this file.
#pragma once

#include "context.hpp"
#include "event.hpp"
#include "stream.hpp"
#include "zone_averages.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace gevt {

/// The capacity of a frame_timer.
/// @ingroup cpp
struct frame_timer_options {
  std::uint32_t frames = 4;   ///< The ring's frames: those in flight, and the one that is being recorded.
  std::uint32_t zones = 1024; ///< The zones of one frame.
  std::uint32_t average = 64; ///< How many frames frame_timer::averages() covers.
};

/// Events of command buffers, for vulkan::batch or gevt_vulkan_submit_begin().
/// @ingroup cpp
class event_list {
public:
  /// Refers to an array of handles.
  constexpr event_list(const gevt_event_t *events, std::size_t count) noexcept : events_(events), count_(count) {}
  constexpr const gevt_event_t *data() const noexcept { return events_; }         ///< Returns the handles.
  constexpr std::size_t size() const noexcept { return count_; }                  ///< Returns their number.
  constexpr const gevt_event_t *begin() const noexcept { return events_; }        ///< Returns the first handle.
  constexpr const gevt_event_t *end() const noexcept { return events_ + count_; } ///< Returns the end of the handles.

private:
  const gevt_event_t *events_;
  std::size_t count_;
};

class frame_timer;

/// A zone that has begun. It ends when this is destroyed.
/// @ingroup cpp
class [[nodiscard]] open_zone {
public:
  /// Takes over the zone.
  open_zone(open_zone &&other) noexcept
      : timer_(std::exchange(other.timer_, nullptr)), frame_(other.frame_), place_(other.place_) {}
  open_zone &operator=(open_zone &&) = delete; ///< A zone has one owner.
  /// Ends the zone.
  ~open_zone() { end(); }
  /// Ends the zone now.
  inline void end() noexcept;

private:
  friend class frame_timer;
  open_zone(frame_timer *timer, std::uint64_t frame, std::uint32_t place) noexcept
      : timer_(timer), frame_(frame), place_(place) {}
  frame_timer *timer_;
  std::uint64_t frame_;
  std::uint32_t place_;
};

/// Measures named zones, frame by frame, without ever waiting for a device.
///
/// @code{.cpp}
/// gevt::frame_timer timer(context);
/// for (;;) {
///   timer.begin_frame();
///   {
///     auto zone = timer.zone("shadows", commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
///     draw_shadows(commands);
///   }
///   vkEndCommandBuffer(commands);
///   const gevt::event_list records = timer.records(commands);
///   gevt::vulkan::batch batch(stream, records.data(), records.size());
///   ...                                       // vkQueueSubmit2, batch.end()
///   timer.end_frame();
///   if (timer.results(zones) != 0) show(zones); // the newest frame that has finished
/// }
/// @endcode
///
/// Zones may be nested, and several threads may begin and end zones at the same time. A command buffer and its zones belong to one
/// thread at a time. begin_frame() and end_frame() are called by one thread while no other begins or ends a zone. The other functions may
/// be called by any thread at any time.
///
/// All events are created by the constructor. No function allocates memory once every name has been seen, provided that the vectors for
/// results are used again and that zones begin in the same order in each frame. A zone that cannot be measured has a status that says why.
/// @ingroup cpp
class frame_timer {
public:
  /// Creates the events, in the context of all streams and command buffers that will have zones.
  explicit frame_timer(context_ref context, const frame_timer_options &options = {})
      : zones_(std::max(options.zones, 1u)), frames_(std::max(options.frames, 2u)), starts_(2 * std::size_t{zones_}),
        ends_(starts_), ns_(zones_), statuses_(zones_), shown_(zones_), parents_(zones_), averages_(options.average) {
    newest_.reserve(zones_);
    for (frame &each : frames_) each.prepare(context, zones_);
  }
  frame_timer(const frame_timer &) = delete;            ///< Zones refer to their timer.
  frame_timer &operator=(const frame_timer &) = delete; ///< Zones refer to their timer.

  /// Begins a frame, and returns its number; the first one is 1. Ends the last frame if that is still open.
  ///
  /// Replaces the oldest frame of the ring. If that has not finished yet, it has no results: see lost_frames().
  std::uint64_t begin_frame() {
    const std::lock_guard lock(mutex_);
    close();
    frame &next = at(++number_);
    if (next.is_pending) lost_++;
    next.begin(number_);
    open_.store(&next, std::memory_order_release);
    return number_;
  }

  /// Ends the frame. Its zones have ended, and records() was called for its command buffers.
  void end_frame() {
    const std::lock_guard lock(mutex_);
    close();
    collect();
  }

  /// Begins a zone on a stream: records an event there, and another one when the zone ends.
  ///
  /// `name` must live as long as the timer, as a literal does. Traces show it. Between frames, and beyond the number of zones
  /// that the timer has room for, nothing is measured: see left_out().
  open_zone zone(const char *name, stream_ref stream) noexcept { return begin(name, stream.get(), nullptr, 0); }

  /// Begins a zone in a VkCommandBuffer that is being recorded: writes a timestamp, and another one when the zone ends, as
  /// gevt_vulkan_write_time() does. `stage` is one VkPipelineStageFlags2 bit for both. The command buffer is submitted once.
  open_zone zone(const char *name, VkCommandBuffer_T *command_buffer, std::uint64_t stage) noexcept {
    return begin(name, nullptr, command_buffer, stage);
  }

  /// Returns the events of a command buffer's zones, for the batch that submits it. They are valid until the frame's place in the
  /// ring is taken again.
  ///
  /// Called once for each command buffer of the frame, after its zones have ended, and before end_frame(). Zones whose command buffer
  /// this is not called for are not in the results.
  event_list records(VkCommandBuffer_T *command_buffer) noexcept { return records(&command_buffer, 1); }
  /// The same for several command buffers of one submit. `CommandBuffer` is VkCommandBuffer.
  template <class CommandBuffer>
  event_list records(const CommandBuffer *command_buffers, std::size_t count) noexcept {
    frame *const now = open_.load(std::memory_order_acquire);
    std::size_t taken = 0;
    if (now == nullptr) return {nullptr, 0};
    for (std::size_t i = 0; i < count; i++) taken += now->take(command_buffers[i]);
    gevt_event_t *const first = now->given.data() + now->given_count.fetch_add(2 * taken);
    gevt_event_t *next = first;
    for (std::size_t i = 0; i < count; i++) next = now->give(command_buffers[i], next);
    return {first, 2 * taken};
  }

  /// Copies the times of the newest frame that has finished, in the order in which its zones began. Returns the frame's number, or 0
  /// if none has finished.
  std::uint64_t results(std::vector<zone_time> &zones) {
    const std::lock_guard lock(mutex_);
    collect();
    zones.assign(newest_.begin(), newest_.end());
    return newest_number_;
  }

  /// Copies the zones' average times in the last frames that have finished, in the order in which their names first appeared.
  void averages(std::vector<zone_average> &zones) {
    const std::lock_guard lock(mutex_);
    collect();
    averages_.copy_to(zones);
  }

  /// Returns how many frames had not finished when they were replaced in the ring.
  std::uint64_t lost_frames() const {
    const std::lock_guard lock(mutex_);
    return lost_;
  }
  /// Returns how many zones exceeded the capacity.
  std::uint64_t left_out() const noexcept { return left_out_.load(std::memory_order_relaxed); }

private:
  friend class open_zone;
  static constexpr std::uint32_t none = detail::zone_averages::none;

  // A zone's place in a frame, used again whenever the frame is.
  struct place {
    timed_event start = timed_event::none(), end = timed_event::none();
    const char *name = nullptr, *traced = nullptr; // the second one is that of the events
    gevt_stream_t stream = nullptr;
    VkCommandBuffer_T *commands = nullptr;
    std::uint64_t stage = 0;
    std::thread::id thread;
    std::uint32_t began_at = 0, ended_at = 0; // 0 while it is open
    std::uint32_t next = none;                // of the same bucket
    enum { not_taken, taken, given } records = not_taken;
    std::uint32_t average = none; // of the name that the place had last
    gevt_status_t status = GEVT_SUCCESS;

    // Whether its events have times to come.
    bool is_measured() const noexcept { return ended_at != 0 && (commands == nullptr || records == given); }
  };

  struct frame {
    std::vector<place> places;
    std::unique_ptr<std::atomic<std::uint32_t>[]> buckets; // the places of command buffers
    std::vector<gevt_event_t> given;                       // what records() has returned
    std::atomic<std::size_t> given_count{0};
    std::atomic<std::uint32_t> count{0}, order{0};
    std::uint64_t number = 0;
    std::uint32_t finished = 0; // so many of the first places are known to have finished
    bool is_pending = false;    // closed, and not read yet

    void prepare(context_ref context, std::uint32_t zones) {
      places = std::vector<place>(zones);
      for (place &each : places) {
        each.start = timed_event(context);
        each.end = timed_event(context);
      }
      buckets = std::make_unique<std::atomic<std::uint32_t>[]>(zones);
      given.resize(2 * std::size_t{zones});
    }
    void begin(std::uint64_t as) noexcept {
      number = as;
      finished = 0;
      is_pending = false;
      given_count = 0;
      count = 0;
      order = 0;
      for (std::size_t i = 0; i < places.size(); i++) buckets[i].store(none, std::memory_order_relaxed);
    }
    std::uint32_t used() const noexcept {
      return std::min(count.load(std::memory_order_acquire), static_cast<std::uint32_t>(places.size()));
    }
    std::atomic<std::uint32_t> &bucket(const void *commands) noexcept {
      return buckets[reinterpret_cast<std::uintptr_t>(commands) / 16 * 0x9E3779B1u % places.size()];
    }
    void link(std::uint32_t at) noexcept {
      std::atomic<std::uint32_t> &head = bucket(places[at].commands);
      std::uint32_t &next = places[at].next;
      next = head.load(std::memory_order_relaxed);
      while (!head.compare_exchange_weak(next, at, std::memory_order_release, std::memory_order_relaxed)) {}
    }
    template <class Visit>
    void visit(const void *commands, Visit &&action) noexcept {
      for (std::uint32_t at = bucket(commands).load(std::memory_order_acquire); at != none; at = places[at].next) {
        if (places[at].commands == commands) action(places[at]);
      }
    }
    // Takes the ended zones of a command buffer that were not taken yet, and returns how many there are.
    std::size_t take(const void *commands) noexcept {
      std::size_t found = 0;
      visit(commands, [&](place &zone) {
        if (zone.records != place::not_taken || zone.ended_at == 0) return;
        // A zone without timestamps records nothing.
        zone.records = zone.status == GEVT_SUCCESS ? place::taken : place::given;
        found += zone.status == GEVT_SUCCESS;
      });
      return found;
    }
    // Writes the events of the zones that were taken.
    gevt_event_t *give(const void *commands, gevt_event_t *to) noexcept {
      visit(commands, [&](place &zone) {
        if (zone.records != place::taken) return;
        zone.records = place::given;
        *to++ = zone.start.get();
        *to++ = zone.end.get();
      });
      return to;
    }
  };

  frame &at(std::uint64_t number) noexcept { return frames_[number % frames_.size()]; }

  open_zone begin(const char *name, gevt_stream_t stream, VkCommandBuffer_T *commands, std::uint64_t stage) noexcept {
    frame *const now = open_.load(std::memory_order_acquire);
    const std::uint32_t at = now == nullptr ? none : now->count.fetch_add(1, std::memory_order_acq_rel);
    if (at >= zones_) {
      left_out_.fetch_add(1, std::memory_order_relaxed);
      return {nullptr, 0, 0};
    }
    place &zone = now->places[at];
    zone.name = name;
    zone.stream = stream;
    zone.commands = commands;
    zone.stage = stage;
    zone.thread = std::this_thread::get_id();
    zone.records = place::not_taken;
    zone.ended_at = 0;
    zone.began_at = now->order.fetch_add(1, std::memory_order_relaxed) + 1;
    if (zone.traced != name) {
      zone.traced = name;
      static_cast<void>(gevt_set_name(zone.start.get(), name));
      static_cast<void>(gevt_set_name(zone.end.get(), name));
    }
    zone.status = mark(zone, zone.start.get());
    if (commands != nullptr) now->link(at);
    return {this, now->number, at};
  }

  void end(std::uint64_t number, std::uint32_t at) noexcept {
    frame &its = this->at(number);
    if (its.number != number || its.is_pending) return; // the frame has ended before
    place &zone = its.places[at];
    if (zone.status == GEVT_SUCCESS) zone.status = mark(zone, zone.end.get());
    zone.ended_at = its.order.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  static gevt_status_t mark(const place &zone, gevt_event_t event) noexcept {
    return zone.commands != nullptr ? gevt_vulkan_write_time(event, zone.commands, zone.stage)
                                    : gevt_record(event, zone.stream);
  }

  void close() noexcept {
    if (frame *const now = open_.exchange(nullptr, std::memory_order_acq_rel)) now->is_pending = true;
  }

  // Reads the frames that have finished, the oldest first.
  void collect() {
    const std::uint64_t ring = frames_.size();
    if (number_ > ring && unread_ + ring <= number_) unread_ = number_ - ring + 1;
    for (; unread_ <= number_; unread_++) {
      frame &next = at(unread_);
      if (!next.is_pending || !has_finished(next)) return;
      read(next);
      next.is_pending = false;
    }
  }

  static bool has_finished(frame &its) noexcept {
    for (const std::uint32_t used = its.used(); its.finished < used; its.finished++) {
      const place &zone = its.places[its.finished];
      const bool is_recorded = zone.is_measured() && zone.status == GEVT_SUCCESS;
      if (is_recorded && gevt_query(zone.end.get()) == GEVT_ERROR_NOT_READY) return false;
    }
    return true;
  }

  void read(frame &its) {
    std::uint32_t shown = 0;
    newest_.clear();
    newest_number_ = its.number;
    nest(its);
    for (std::uint32_t i = 0; i < its.used(); i++) {
      const place &zone = its.places[i];
      if (!zone.is_measured()) continue;
      shown_[shown] = i;
      starts_[shown] = zone.start.get();
      ends_[shown] = zone.end.get();
      newest_.push_back({zone.name, parents_[i].depth, {}, {}, zone.status});
      shown++;
    }
    ask(starts_.data(), ends_.data());
    std::uint32_t first = none;
    for (std::uint32_t i = 0; i < shown; i++) {
      zone_time &time = newest_[i];
      if (time.status == GEVT_SUCCESS) time.status = statuses_[i];
      if (time.status != GEVT_SUCCESS) continue;
      time.duration = std::chrono::nanoseconds(ns_[i]);
      if (first == none) first = i;
    }
    if (first == none) return;
    // All begin after the first one, or before it by a negative time.
    std::fill_n(ends_.begin(), shown, starts_[first]);
    ask(ends_.data(), starts_.data());
    std::int64_t earliest = 0;
    for (std::uint32_t i = 0; i < shown; i++) {
      zone_time &time = newest_[i];
      if (time.status == GEVT_SUCCESS) time.status = statuses_[i];
      if (time.status != GEVT_SUCCESS) continue;
      time.begin = std::chrono::nanoseconds(ns_[i]);
      earliest = std::min(earliest, ns_[i]);
    }
    for (std::uint32_t i = 0; i < shown; i++) {
      if (newest_[i].status != GEVT_SUCCESS) continue;
      newest_[i].begin -= std::chrono::nanoseconds(earliest);
      averages_.add(newest_[i], its.places[shown_[i]].average);
    }
    averages_.end_frame();
  }

  // Asks for the times of all zones of the newest frame.
  void ask(const gevt_event_t *from, const gevt_event_t *to) noexcept {
    const gevt_status_t status = gevt_elapsed_n(ns_.data(), statuses_.data(), from, to, newest_.size());
    if (status != GEVT_SUCCESS) std::fill_n(statuses_.begin(), newest_.size(), status);
  }

  struct nesting {
    std::uint32_t parent, depth;
  };

  // Finds the zone around each zone: the innermost one that its thread had open.
  void nest(const frame &its) {
    threads_.clear();
    for (std::uint32_t i = 0; i < its.used(); i++) {
      const place &zone = its.places[i];
      auto thread =
          std::find_if(threads_.begin(), threads_.end(), [&](auto &each) { return each.first == zone.thread; });
      if (thread == threads_.end()) thread = threads_.insert(threads_.end(), {zone.thread, none});
      std::uint32_t around = thread->second;
      while (around != none && its.places[around].ended_at != 0 && its.places[around].ended_at < zone.began_at) {
        around = parents_[around].parent;
      }
      parents_[i] = {around, around == none ? 0 : parents_[around].depth + 1};
      thread->second = i;
    }
  }

  const std::uint32_t zones_;
  std::vector<frame> frames_;
  std::atomic<frame *> open_{nullptr};
  std::atomic<std::uint64_t> left_out_{0};

  mutable std::mutex mutex_; // what follows
  std::uint64_t number_ = 0, unread_ = 1, lost_ = 0, newest_number_ = 0;
  std::vector<zone_time> newest_;
  std::vector<gevt_event_t> starts_, ends_;
  std::vector<std::int64_t> ns_;
  std::vector<gevt_status_t> statuses_;
  std::vector<std::uint32_t> shown_;
  std::vector<nesting> parents_;
  std::vector<std::pair<std::thread::id, std::uint32_t>> threads_;
  detail::zone_averages averages_;
};

inline void open_zone::end() noexcept {
  if (frame_timer *const timer = std::exchange(timer_, nullptr)) timer->end(frame_, place_);
}

} // namespace gevt
