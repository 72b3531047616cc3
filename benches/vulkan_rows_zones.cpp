// Rows of the times of a frame's zones: a thousand of them, each between two timestamps in one command buffer.
#include "vulkan.hpp"

#include <cmath>

namespace bench {

namespace {

constexpr std::size_t zones = 1000;
constexpr std::uint32_t stamps = 2 * zones;

// The zones by hand: one query pool.
class ByHand {
public:
  ByHand() : ticks_(stamps), ns_(zones) {
    VkQueryPoolCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = stamps;
    check_vulkan(vk.CreateQueryPool(*vulkan_device, &info, nullptr, &pool_), "vkCreateQueryPool");
  }
  ~ByHand() { vk.DestroyQueryPool(*vulkan_device, pool_, nullptr); }
  ByHand(const ByHand &) = delete;
  ByHand &operator=(const ByHand &) = delete;
  void write() const {
    commands_.begin();
    vk.CmdResetQueryPool(commands_, pool_, 0, stamps);
    for (std::uint32_t i = 0; i < stamps; i++) {
      vk.CmdWriteTimestamp2(commands_, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool_, i);
    }
    commands_.end();
    const std::lock_guard lock(vulkan_device->mutex);
    check_vulkan(submit(nullptr, 0, commands_, nullptr), "vkQueueSubmit2");
  }
  void read() {
    check_vulkan(vk.GetQueryPoolResults(*vulkan_device, pool_, 0, stamps, ticks_.size() * sizeof ticks_[0],
                                        ticks_.data(), sizeof ticks_[0], VK_QUERY_RESULT_64_BIT),
                 "vkGetQueryPoolResults");
    for (std::size_t i = 0; i < zones; i++) {
      const auto ticks = static_cast<double>(ticks_[2 * i + 1] - ticks_[2 * i]);
      ns_[i] = std::llround(ticks * vulkan_device->period);
    }
    keep(static_cast<std::uint64_t>(ns_[zones - 1]));
  }

private:
  Commands commands_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
  std::vector<std::uint64_t> ticks_;
  std::vector<std::int64_t> ns_;
};

// The same zones as events.
class ByGevt {
public:
  ByGevt() : starts_(zones), ends_(zones), ns_(zones), statuses_(zones) {
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
    check(gevt_elapsed_n(ns_.data(), statuses_.data(), starts_.data(), ends_.data(), zones), "gevt_elapsed_n");
    for (const auto status : statuses_) check(status, "gevt_elapsed_n");
  }
  void read_each() {
    for (std::size_t i = 0; i < zones; i++) check(gevt_elapsed_ns(&ns_[i], starts_[i], ends_[i]), "gevt_elapsed_ns");
  }

private:
  Commands commands_;
  std::vector<gevt_event_t> starts_, ends_, all_;
  std::vector<std::int64_t> ns_;
  std::vector<gevt_status_t> statuses_;
};

} // namespace

void vulkan_zone_rows(Table &table) {
  ByHand hand;
  ByGevt gevt;
  // Each reading is the first one of its frame, which has finished.
  const auto us = [](auto &frame, auto read) {
    return [&frame, read] {
      frame.write();
      check_vulkan(vk.QueueWaitIdle(vulkan_device->queue), "vkQueueWaitIdle");
      return per_call(1, [&](std::size_t) { read(frame); }) / 1e3;
    };
  };
  const auto by_hand = us(hand, [](ByHand &frame) { frame.read(); });
  table.add({"elapsed_n: 1,000 zones",
             "one vkGetQueryPoolResults",
             "us",
             interleave(51, us(gevt, [](ByGevt &frame) { frame.read(); }), by_hand),
             {Bound::at_most, 1.3}});
  table.add({"  elapsed_ns for each of them",
             "one vkGetQueryPoolResults",
             "us",
             interleave(15, us(gevt, [](ByGevt &frame) { frame.read_each(); }), by_hand),
             {Bound::at_most, 1.3},
             false});
  const auto writing = [](auto &frame) {
    return [&frame] {
      const double ns = per_call(1, [&](std::size_t) { frame.write(); });
      check_vulkan(vk.QueueWaitIdle(vulkan_device->queue), "vkQueueWaitIdle");
      return ns / 1e3;
    };
  };
  table.add({"  recorded and submitted",
             "vkCmdWriteTimestamp2",
             "us",
             interleave(31, writing(gevt), writing(hand)),
             {Bound::at_most, 1.3},
             false});
}

} // namespace bench
