// Rows of the times of zones, each between two timestamps in one command buffer: the thousand zones of a frame, and the five of a small
// computation.
#include "vulkan.hpp"

#include <cmath>

namespace bench {

namespace {

// The zones by hand: one query pool.
class ByHand {
public:
  explicit ByHand(std::size_t zones) : stamps_(static_cast<std::uint32_t>(2 * zones)), ticks_(stamps_), ns_(zones) {
    VkQueryPoolCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = stamps_;
    check_vulkan(vk.CreateQueryPool(*vulkan_device, &info, nullptr, &pool_), "vkCreateQueryPool");
  }
  ~ByHand() { vk.DestroyQueryPool(*vulkan_device, pool_, nullptr); }
  ByHand(const ByHand &) = delete;
  ByHand &operator=(const ByHand &) = delete;
  void write() const {
    commands_.begin();
    vk.CmdResetQueryPool(commands_, pool_, 0, stamps_);
    for (std::uint32_t i = 0; i < stamps_; i++) {
      vk.CmdWriteTimestamp2(commands_, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool_, i);
    }
    commands_.end();
    const std::lock_guard lock(vulkan_device->mutex);
    check_vulkan(submit(nullptr, 0, commands_, nullptr), "vkQueueSubmit2");
  }
  void read() {
    check_vulkan(vk.GetQueryPoolResults(*vulkan_device, pool_, 0, stamps_, ticks_.size() * sizeof ticks_[0],
                                        ticks_.data(), sizeof ticks_[0], VK_QUERY_RESULT_64_BIT),
                 "vkGetQueryPoolResults");
    for (std::size_t i = 0; i < ns_.size(); i++) {
      const auto ticks = static_cast<double>(ticks_[2 * i + 1] - ticks_[2 * i]);
      ns_[i] = std::llround(ticks * vulkan_device->period);
    }
    keep(static_cast<std::uint64_t>(ns_.back()));
  }

private:
  const std::uint32_t stamps_;
  Commands commands_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
  std::vector<std::uint64_t> ticks_;
  std::vector<std::int64_t> ns_;
};

// The same zones as events.
class ByGevt {
public:
  explicit ByGevt(std::size_t zones) : starts_(zones), ends_(zones), ns_(zones), statuses_(zones) {
    for (std::size_t i = 0; i < zones; i++) {
      for (gevt_event_t *event : {&starts_[i], &ends_[i]}) {
        check(gevt_create_in(event, nullptr, GEVT_EVENT_DEFAULT), "gevt_create_in");
        all_.push_back(*event);
      }
    }
  }
  ~ByGevt() {
    for (const auto event : all_) check(gevt_destroy(event), "gevt_destroy");
  }
  ByGevt(const ByGevt &) = delete;
  ByGevt &operator=(const ByGevt &) = delete;
  void write() const {
    commands_.begin();
    for (const auto event : all_) {
      check(gevt_vulkan_write_time(event, commands_, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT), "gevt_vulkan_write_time");
    }
    commands_.end();
    submit_batch(all_.data(), all_.size(), commands_);
  }
  void read() {
    check(gevt_elapsed_n(ns_.data(), statuses_.data(), starts_.data(), ends_.data(), ns_.size()), "gevt_elapsed_n");
    for (const auto status : statuses_) check(status, "gevt_elapsed_n");
  }
  void read_each() {
    for (std::size_t i = 0; i < ns_.size(); i++)
      check(gevt_elapsed_ns(&ns_[i], starts_[i], ends_[i]), "gevt_elapsed_ns");
  }

private:
  Commands commands_;
  std::vector<gevt_event_t> starts_, ends_, all_;
  std::vector<std::int64_t> ns_;
  std::vector<gevt_status_t> statuses_;
};

} // namespace

void vulkan_zone_rows(Table &table) {
  ByHand hand(1000), few_by_hand(5);
  ByGevt gevt(1000), few(5);
  // Each reading is the first one of its frame, which has finished.
  const auto us = [](auto &frame, auto read) {
    return [&frame, read] {
      frame.write();
      check_vulkan(vk.QueueWaitIdle(vulkan_device->queue), "vkQueueWaitIdle");
      return per_call(1, [&](std::size_t) { read(frame); }) / 1e3;
    };
  };
  const auto writing = [](auto &frame) {
    return [&frame] {
      const double ns = per_call(1, [&](std::size_t) { frame.write(); });
      check_vulkan(vk.QueueWaitIdle(vulkan_device->queue), "vkQueueWaitIdle");
      return ns / 1e3;
    };
  };
  const auto read_all = [](ByGevt &frame) { frame.read(); };
  const auto read_each = [](ByGevt &frame) { frame.read_each(); };
  const auto read_by_hand = [](ByHand &frame) { frame.read(); };
  const auto add = [&](const char *what, const char *yardstick, const Pair &figures, bool judged) {
    table.add({what, yardstick, "us", figures, {Bound::at_most, 1.3}, judged});
  };
  const char *const read = "one vkGetQueryPoolResults", *const written = "vkCmdWriteTimestamp2";
  add("elapsed_n: 1,000 zones", read, interleave(51, us(gevt, read_all), us(hand, read_by_hand)), true);
  add("  elapsed_ns for each of them", read, interleave(15, us(gevt, read_each), us(hand, read_by_hand)), false);
  add("  recorded and submitted", written, interleave(31, writing(gevt), writing(hand)), false);
  add("elapsed_ns for each of 5 zones", read, interleave(51, us(few, read_each), us(few_by_hand, read_by_hand)), false);
  add("  recorded and submitted", written, interleave(51, writing(few), writing(few_by_hand)), false);
}

} // namespace bench
