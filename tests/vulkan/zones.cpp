// gevt/timer.hpp on a program's own device: zones in command buffers beside the program's own timestamps, and from several threads.
#include "program.h"

#include <gevt.hpp>
#include <gevt/timer.hpp>
#include <gevt/vulkan.hpp>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

constexpr VkPipelineStageFlags2 all = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;

gevt::stream own_stream() {
  return gevt::stream::from_handle(vk_stream(context, 0));
}

// A command pool for one thread.
class command_pool {
public:
  command_pool() {
    VkCommandPoolCreateInfo info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, vk.family};
    VK_MUST(vk.CreateCommandPool(vk.device, &info, nullptr, &pool_));
  }
  ~command_pool() { vk.DestroyCommandPool(vk.device, pool_, nullptr); }
  command_pool(const command_pool &) = delete;
  command_pool &operator=(const command_pool &) = delete;
  VkCommandBuffer begin() const {
    VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                        VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBufferBeginInfo once = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                     VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, nullptr};
    VkCommandBuffer commands = nullptr;
    VK_MUST(vk.AllocateCommandBuffers(vk.device, &info, &commands));
    VK_MUST(vk.BeginCommandBuffer(commands, &once));
    return commands;
  }

private:
  VkCommandPool pool_ = VK_NULL_HANDLE;
};

// Submits command buffers with the events of their zones, and returns these.
gevt::event_list submit(gevt::frame_timer &timer, gevt::stream_ref stream,
                        const std::vector<VkCommandBuffer> &commands) {
  const gevt::event_list records = timer.records(commands.data(), commands.size());
  gevt::vulkan::batch batch(stream, records.data(), records.size());
  std::vector<VkCommandBufferSubmitInfo> infos;
  for (const VkCommandBuffer each : commands) {
    infos.push_back({VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, each, 0});
  }
  VkSubmitInfo2 info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  info.commandBufferInfoCount = static_cast<std::uint32_t>(infos.size());
  info.pCommandBufferInfos = infos.data();
  batch.fill(info);
  batch.end(vk.QueueSubmit2(vk.queues[0], 1, &info, VK_NULL_HANDLE));
  return records;
}

std::vector<gevt::zone_time> results_of(gevt::frame_timer &timer, std::uint64_t frame) {
  std::vector<gevt::zone_time> zones;
  const long long deadline = now_ns() + HANG_LIMIT;
  while (timer.results(zones) < frame && CHECK(now_ns() < deadline)) std::this_thread::yield();
  return zones;
}

// Each zone lies between two timestamps that the program writes, and so do the ticks of its events.
void a_thousand_zones() {
  constexpr std::uint32_t count = 1000, frames = 5;
  const gevt::stream stream = own_stream();
  gevt::frame_timer timer(gevt::context_ref{context});
  VkQueryPoolCreateInfo info = {
      VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_TIMESTAMP, count + 1, 0};
  VkQueryPool pool = VK_NULL_HANDLE;
  VK_MUST(vk.CreateQueryPool(vk.device, &info, nullptr, &pool));
  for (std::uint32_t frame = 1; frame <= frames; frame++) {
    const command_pool buffers;
    const VkCommandBuffer commands = buffers.begin();
    CHECK_EQUAL(timer.begin_frame(), frame);
    vk.CmdResetQueryPool(commands, pool, 0, count + 1);
    vk.CmdWriteTimestamp2(commands, all, pool, 0);
    for (std::uint32_t i = 0; i < count; i++) {
      timer.zone(i % 2 ? "odd" : "even", commands, all).end();
      vk.CmdWriteTimestamp2(commands, all, pool, i + 1);
    }
    CHECK_VK(vk.EndCommandBuffer(commands));
    const gevt::event_list events = submit(timer, stream, {commands});
    timer.end_frame();
    const auto zones = results_of(timer, frame);
    std::vector<std::uint64_t> own(count + 1);
    CHECK_VK(vk.GetQueryPoolResults(vk.device, pool, 0, count + 1, own.size() * sizeof own[0], own.data(),
                                    sizeof own[0], VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    if (!CHECK_EQUAL(zones.size(), count) || !CHECK_EQUAL(events.size(), 2 * count)) break;
    int wrong = 0;
    std::vector<std::uint64_t> ticks(2 * count);
    for (std::uint32_t i = 0; i < 2 * count; i++) {
      double period = 0;
      CHECK_OK(gevt_vulkan_ticks(&ticks[i], &period, events.data()[i]));
      wrong += period != vk.period;
    }
    std::sort(ticks.begin(), ticks.end());
    for (std::uint32_t i = 0; i < 2 * count; i++) wrong += ticks[i] < own[i / 2] || ticks[i] > own[i / 2 + 1];
    for (std::uint32_t i = 0; i < count; i++) {
      const double most = static_cast<double>(own[i + 1] - own[i]) * vk.period;
      const double earliest = (static_cast<double>(own[i]) - static_cast<double>(own[1])) * vk.period;
      const double latest = static_cast<double>(own[i + 1] - own[0]) * vk.period;
      const auto begin = static_cast<double>(zones[i].begin.count());
      const auto duration = static_cast<double>(zones[i].duration.count());
      wrong += zones[i].status != GEVT_SUCCESS || zones[i].depth != 0;
      wrong += std::string(zones[i].name) != (i % 2 ? "odd" : "even");
      wrong += duration < 0 || duration > most + 1 || begin < earliest - 1 || begin > latest + 1;
    }
    CHECK_EQUAL(wrong, 0);
  }
  vk.DestroyQueryPool(vk.device, pool, nullptr);
  CHECK_EQUAL(timer.left_out(), 0);
}

// Threads record command buffers side by side, and one submit has them all. Depths are those of each thread.
void several_threads() {
  constexpr int threads = 4, each = 100, frames = 8;
  const gevt::stream stream = own_stream();
  gevt::frame_timer timer(gevt::context_ref{context});
  for (int frame = 1; frame <= frames; frame++) {
    const std::vector<command_pool> pools(threads);
    std::vector<VkCommandBuffer> commands(threads);
    std::vector<std::thread> running;
    timer.begin_frame();
    for (int thread = 0; thread < threads; thread++) {
      running.emplace_back([&, thread] {
        const VkCommandBuffer mine = commands[thread] = pools[thread].begin();
        {
          const auto pass = timer.zone("pass", mine, all);
          for (int i = 1; i < each; i++) const auto draw = timer.zone("draw", mine, all);
        }
        CHECK_VK(vk.EndCommandBuffer(mine));
      });
    }
    for (auto &one : running) one.join();
    submit(timer, stream, commands);
    timer.end_frame();
    const auto zones = results_of(timer, frame);
    CHECK_EQUAL(zones.size(), threads * each);
    int wrong = 0, passes = 0;
    for (const auto &zone : zones) {
      const bool is_pass = std::string(zone.name) == "pass";
      passes += is_pass;
      wrong +=
          zone.status != GEVT_SUCCESS || zone.depth != (is_pass ? 0 : 1) || zone.duration < 0ns || zone.begin < 0ns;
    }
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(passes, threads);
  }
}

// A command buffer that was not submitted has no zones in the results; a canceled one has them with a status; and no older times show.
void not_submitted() {
  const gevt::stream stream = own_stream();
  gevt::frame_timer_options options;
  options.frames = 2;
  gevt::frame_timer timer(gevt::context_ref{context}, options);
  const command_pool buffers;
  for (std::uint64_t frame = 1; frame <= 6; frame++) {
    const VkCommandBuffer submitted = buffers.begin(), forgotten = buffers.begin(), canceled = buffers.begin();
    timer.begin_frame();
    timer.zone("forgotten", forgotten, all).end();
    timer.zone("submitted", submitted, all).end();
    timer.zone("canceled", canceled, all).end();
    for (const VkCommandBuffer each : {submitted, forgotten, canceled}) CHECK_VK(vk.EndCommandBuffer(each));
    submit(timer, stream, {submitted});
    CHECK_EQUAL(timer.records(submitted).size(), 0);
    {
      const gevt::event_list records = timer.records(canceled);
      CHECK_EQUAL(records.size(), 2);
      gevt::vulkan::batch(stream, records.data(), records.size()).cancel();
    }
    timer.end_frame();
    const auto zones = results_of(timer, frame);
    if (!CHECK_EQUAL(zones.size(), 2)) return;
    CHECK(std::string(zones[0].name) == "submitted" && zones[0].status == GEVT_SUCCESS && zones[0].begin == 0ns);
    CHECK(std::string(zones[1].name) == "canceled" && zones[1].status == GEVT_ERROR_ILLEGAL_STATE);
  }
}

} // namespace

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  vk_open();
  RUN_WRAPPED(a_thousand_zones);
  RUN_WRAPPED(several_threads);
  RUN_WRAPPED(not_submitted);
  vk_close();
  return subject_end();
}
