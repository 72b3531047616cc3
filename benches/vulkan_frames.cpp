// The same loop twice: three frames in flight, twelve passes each, every pass timed. Once by hand with fences and query pools, once with
// gevt's events. What both need alike (device, command buffers, the passes' work) stands in vulkan_objects.cpp; the lines are counted
// from here.
#include "vulkan.hpp"

#include <array>
#include <cstddef>

namespace bench {

namespace {

constexpr int stamps = passes_a_frame + 1;

constexpr int hand_begins = __LINE__;
struct HandFrame {
  Commands commands;
  VkFence done = nullptr;
  VkQueryPool times = nullptr;
  HandFrame() {
    VkFenceCreateInfo fence = {};
    fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    check_vulkan(vk.CreateFence(*vulkan_device, &fence, nullptr, &done), "vkCreateFence");
    VkQueryPoolCreateInfo pool = {};
    pool.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    pool.queryType = VK_QUERY_TYPE_TIMESTAMP;
    pool.queryCount = stamps;
    check_vulkan(vk.CreateQueryPool(*vulkan_device, &pool, nullptr, &times), "vkCreateQueryPool");
  }
  ~HandFrame() {
    vk.DestroyFence(*vulkan_device, done, nullptr);
    vk.DestroyQueryPool(*vulkan_device, times, nullptr);
  }
  HandFrame(const HandFrame &) = delete;
  HandFrame &operator=(const HandFrame &) = delete;
  double finish() const {
    check_vulkan(vk.WaitForFences(*vulkan_device, 1, &done, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    check_vulkan(vk.ResetFences(*vulkan_device, 1, &done), "vkResetFences");
    std::array<std::uint64_t, stamps> ticks;
    check_vulkan(vk.GetQueryPoolResults(*vulkan_device, times, 0, stamps, sizeof ticks, ticks.data(), sizeof ticks[0],
                                        VK_QUERY_RESULT_64_BIT),
                 "vkGetQueryPoolResults");
    double ns = 0;
    for (int pass = 0; pass < passes_a_frame; pass++) {
      const auto at = static_cast<std::size_t>(pass);
      ns += static_cast<double>(ticks[at + 1] - ticks[at]) * vulkan_device->period;
    }
    return ns;
  }
  void start(const Work &work) const {
    commands.begin();
    vk.CmdResetQueryPool(commands, times, 0, stamps);
    vk.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, times, 0);
    for (std::uint32_t pass = 0; pass < passes_a_frame; pass++) {
      work.pass(commands);
      vk.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, times, pass + 1);
    }
    commands.end();
    const std::lock_guard lock(vulkan_device->mutex);
    check_vulkan(submit(nullptr, 0, commands, nullptr, done), "vkQueueSubmit2");
  }
};
constexpr int hand_ends = __LINE__;

constexpr int gevt_begins = __LINE__;
struct GevtFrame {
  Commands commands;
  std::array<gevt_event_t, stamps> events;
  GevtFrame() {
    for (auto &event : events) check(gevt_create_in(&event, nullptr, GEVT_EVENT_DEFAULT), "gevt_create_in");
  }
  ~GevtFrame() {
    for (const auto event : events) check(gevt_destroy(event), "gevt_destroy");
  }
  GevtFrame(const GevtFrame &) = delete;
  GevtFrame &operator=(const GevtFrame &) = delete;
  double finish() const {
    check(gevt_sync(events.back()), "gevt_sync");
    double sum = 0;
    for (std::size_t pass = 0; pass < passes_a_frame; pass++) {
      std::int64_t ns;
      check(gevt_elapsed_ns(&ns, events[pass], events[pass + 1]), "gevt_elapsed_ns");
      sum += static_cast<double>(ns);
    }
    return sum;
  }
  void start(const Work &work) const {
    const auto write = [&](gevt_event_t event) {
      check(gevt_vulkan_write_time(event, commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT), "gevt_vulkan_write_time");
    };
    commands.begin();
    write(events[0]);
    for (std::size_t pass = 0; pass < passes_a_frame; pass++) {
      work.pass(commands);
      write(events[pass + 1]);
    }
    commands.end();
    submit_batch(events.data(), events.size(), commands);
  }
};
constexpr int gevt_ends = __LINE__;

template <class Frame>
double loop(const Work &work, int frames) {
  std::array<Frame, frames_in_flight> flight;
  double ns = 0;
  for (int frame = 0; frame < frames + frames_in_flight; frame++) {
    const Frame &slot = flight[static_cast<std::size_t>(frame % frames_in_flight)];
    if (frame >= frames_in_flight) ns += slot.finish();
    if (frame < frames) slot.start(work);
  }
  return ns;
}

} // namespace

const int lines_by_hand = hand_ends - hand_begins - 1;
const int lines_by_gevt = gevt_ends - gevt_begins - 1;

double frames_by_hand(const Work &work, int frames) {
  return loop<HandFrame>(work, frames);
}

double frames_by_gevt(const Work &work, int frames) {
  return loop<GevtFrame>(work, frames);
}

} // namespace bench
