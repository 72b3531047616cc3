/// @file gevt/zone_averages.hpp
/// The times of zones, and their averages over several frames: a part of gevt/timer.hpp.
#pragma once

#include "../gevt.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gevt {

/// The time of a zone.
/// @ingroup cpp
struct zone_time {
  const char *name;                  ///< The zone's name.
  std::uint32_t depth;               ///< How many zones were open around it on the thread that began it.
  std::chrono::nanoseconds begin;    ///< From the frame's earliest begin of a zone to that of this one.
  std::chrono::nanoseconds duration; ///< From its begin to its end.
  gevt_status_t status;              ///< GEVT_SUCCESS, or why the zone has no times.
};

/// The time that all zones of one name took in a frame, on average.
/// @ingroup cpp
struct zone_average {
  const char *name;              ///< The name.
  std::uint32_t depth;           ///< The depth of the first such zone.
  std::uint32_t frames;          ///< How many frames were averaged: those with such a zone among the last ones.
  std::chrono::nanoseconds mean; ///< The average.
  std::chrono::nanoseconds most; ///< The most in one frame.
};

namespace detail {

/// The times of the zones of each name in the last frames.
class zone_averages {
public:
  static constexpr std::uint32_t none = ~std::uint32_t{0}; ///< No name.

  /// Averages over that many frames.
  explicit zone_averages(std::uint32_t frames) : frames_(std::max(frames, 1u)) {}

  /// Adds a zone's time to the frame's time of its name. `at` is the position at which the name was found last.
  void add(const zone_time &zone, std::uint32_t &at) {
    if (at == none || names_[at].name != zone.name) at = find(zone);
    entry &its = names_[at];
    if (!its.is_touched) touched_.push_back(at);
    its.is_touched = true;
    its.current += zone.duration.count();
  }

  /// Ends the frame.
  void end_frame() noexcept {
    for (const std::uint32_t at : touched_) {
      entry &its = names_[at];
      its.samples[its.next] = its.current;
      its.next = (its.next + 1) % frames_;
      its.count = std::min(its.count + 1, frames_);
      its.current = 0;
      its.is_touched = false;
    }
    touched_.clear();
  }

  /// Copies the averages, in the order in which the names first appeared.
  void copy_to(std::vector<zone_average> &zones) const {
    zones.clear();
    for (const entry &each : names_) {
      std::int64_t total = 0, most = 0;
      for (std::uint32_t i = 0; i < each.count; i++) {
        total += each.samples[i];
        most = std::max(most, each.samples[i]);
      }
      const std::chrono::nanoseconds mean(total / std::max(each.count, 1u));
      zones.push_back({each.name, each.depth, each.count, mean, std::chrono::nanoseconds(most)});
    }
  }

private:
  struct entry {
    const char *name;
    std::uint32_t depth;
    std::vector<std::int64_t> samples; // a ring
    std::uint32_t count = 0, next = 0;
    std::int64_t current = 0; // in the frame that is being added
    bool is_touched = false;
  };

  std::uint32_t find(const zone_time &zone) {
    const auto [found, is_new] = places_.try_emplace(zone.name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) {
      names_.push_back({zone.name, zone.depth, std::vector<std::int64_t>(frames_), 0, 0, 0, false});
      touched_.reserve(names_.capacity());
    }
    return found->second;
  }

  std::uint32_t frames_;
  std::vector<entry> names_;
  std::unordered_map<std::string_view, std::uint32_t> places_;
  std::vector<std::uint32_t> touched_; // in the frame
};

} // namespace detail

} // namespace gevt
