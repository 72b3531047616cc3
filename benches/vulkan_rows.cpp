// Rows of calls that one thread makes, and of the loop of frames.
#include "vulkan.hpp"

#include <time.h>

#include <atomic>
#include <thread>

namespace bench {

namespace {

constexpr int rounds = 51;
constexpr std::size_t live = 2000;

// Events without timing, made in the device's context.
class Untimed {
public:
  explicit Untimed(std::size_t count) : events(count) {
    for (auto &event : events) check(gevt_create_in(&event, nullptr, GEVT_EVENT_DISABLE_TIMING), "gevt_create_in");
  }
  ~Untimed() {
    for (auto event : events) check(gevt_destroy(event), "gevt_destroy");
  }
  Untimed(const Untimed &) = delete;
  Untimed &operator=(const Untimed &) = delete;
  std::vector<gevt_event_t> events;
};

// A fence that is signalled, or not.
class Fence {
public:
  explicit Fence(bool signalled) {
    VkFenceCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    info.flags = signalled ? VK_FENCE_CREATE_SIGNALED_BIT : 0;
    check_vulkan(vk.CreateFence(*vulkan_device, &info, nullptr, &fence_), "vkCreateFence");
  }
  ~Fence() { vk.DestroyFence(*vulkan_device, fence_, nullptr); }
  Fence(const Fence &) = delete;
  Fence &operator=(const Fence &) = delete;
  operator VkFence() const { return fence_; }

private:
  VkFence fence_ = nullptr;
};

double our_queries(const std::vector<gevt_event_t> &events, int expected) {
  int different = 0;
  const double ns = per_call(5, [&](std::size_t) {
    for (const auto event : events) different |= gevt_query(event) ^ expected;
  });
  if (different != 0) fail("gevt_query", "an answer that the row does not expect");
  return ns / static_cast<double>(events.size());
}

void add_queries(Table &table, const char *what, const std::vector<gevt_event_t> &events, int expected,
                 const Timeline &timeline, bool signalled, Bound bound, bool judged) {
  const Fence fence(signalled);
  const auto ours = [&] { return our_queries(events, expected); };
  const auto counter = [&] { return per_call(10000, [&](std::size_t) { keep(timeline.reached()); }); };
  const auto status = [&] {
    return per_call(10000,
                    [&](std::size_t) { keep(static_cast<std::uint64_t>(vk.GetFenceStatus(*vulkan_device, fence))); });
  };
  table.add({what, "vkGetSemaphoreCounterValue", "ns", interleave(rounds, ours, counter), bound, judged});
  table.add({std::string("  ") + what,
             "vkGetFenceStatus",
             "ns",
             interleave(rounds, ours, status),
             {Bound::at_most, 1},
             false});
}

double our_lives() {
  int statuses = 0;
  const double ns = per_call(live, [&](std::size_t) {
    gevt_event_t event = nullptr;
    statuses |= gevt_create(&event, GEVT_EVENT_DEFAULT);
    statuses |= gevt_destroy(event);
  });
  if (statuses != 0) fail("gevt_create, gevt_destroy", gevt_last_message());
  return ns;
}

// Each round submits so many, and lets the queue run dry before the next one, untimed.
constexpr std::size_t submits = 100;
template <class Operation>
double submitted(Operation &&operation) {
  const double ns = per_call(submits, operation);
  check_vulkan(vk.QueueWaitIdle(vulkan_device->queue), "vkQueueWaitIdle");
  return ns;
}

} // namespace

void vulkan_query_rows(Table &table) {
  const Untimed events(live);
  const Timeline timeline;
  submit_batch(events.events.data(), events.events.size());
  check(gevt_sync(events.events.back()), "gevt_sync");
  add_queries(table, "query: finished event, 2,000 live", events.events, GEVT_SUCCESS, timeline, true,
              {Bound::at_most, 0, 10}, true);

  const Untimed pending(live);
  const VkSemaphoreSubmitInfo wait = timeline.at(1);
  check_vulkan(submit(&wait, 1, nullptr, nullptr), "vkQueueSubmit2");
  submit_batch(pending.events.data(), pending.events.size());
  add_queries(table, "query: pending event, 2,000 live", pending.events, GEVT_ERROR_NOT_READY, timeline, false,
              {Bound::at_most, 1, 25}, false);
  timeline.signal(1);
  check(gevt_sync(pending.events.back()), "gevt_sync");
}

void vulkan_create_rows(Table &table) {
  const auto semaphores = [] { return per_call(50, [](std::size_t) { const Timeline timeline; }); };
  const auto fences = [] { return per_call(500, [](std::size_t) { const Fence fence(false); }); };
  const auto events = [] {
    return per_call(500, [](std::size_t) {
      VkEventCreateInfo info = {};
      info.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO;
      VkEvent event;
      check_vulkan(vk.CreateEvent(*vulkan_device, &info, nullptr, &event), "vkCreateEvent");
      vk.DestroyEvent(*vulkan_device, event, nullptr);
    });
  };
  table.add(
      {"create + destroy", "timeline semaphore", "ns", interleave(15, our_lives, semaphores), {Bound::at_most, 0, 60}});
  table.add(
      {"  create + destroy", "VkFence", "ns", interleave(rounds, our_lives, fences), {Bound::at_most, 0, 60}, false});
  table.add(
      {"  create + destroy", "VkEvent", "ns", interleave(rounds, our_lives, events), {Bound::at_most, 0, 60}, false});
}

void vulkan_batch_rows(Table &table) {
  const Untimed events(16);
  const Timeline timeline;
  std::uint64_t value = 0;
  const auto theirs = [&] {
    return submitted([&](std::size_t) {
      const std::lock_guard lock(vulkan_device->mutex);
      const VkSemaphoreSubmitInfo signal = timeline.at(++value);
      check_vulkan(submit(nullptr, 0, nullptr, &signal), "vkQueueSubmit2");
    });
  };
  for (const std::size_t count : {std::size_t{1}, std::size_t{16}}) {
    const auto ours = [&] { return submitted([&](std::size_t) { submit_batch(events.events.data(), count); }); };
    const std::string what =
        count == 1 ? "batch: submit that records one event" : "batch: submit that records 16 events";
    table.add({what, "submit with a signal", "ns", interleave(31, ours, theirs), {Bound::at_most, 1, 100}, count == 1});
  }
}

void vulkan_record_rows(Table &table) {
  const Untimed untimed(1);
  gevt_event_t timed = nullptr;
  check(gevt_create_in(&timed, nullptr, GEVT_EVENT_DEFAULT), "gevt_create_in");
  const Timeline timeline;
  std::uint64_t value = 0;
  VkQueryPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = submits;
  VkQueryPool pool;
  check_vulkan(vk.CreateQueryPool(*vulkan_device, &info, nullptr, &pool), "vkCreateQueryPool");
  std::vector<Commands> stamps(submits);
  for (std::uint32_t i = 0; i < submits; i++) {
    stamps[i].begin();
    vk.CmdResetQueryPool(stamps[i], pool, i, 1);
    vk.CmdWriteTimestamp2(stamps[i], VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool, i);
    stamps[i].end();
  }
  const auto record = [](gevt_event_t event) {
    return [event] {
      return submitted([event](std::size_t) { check(gevt_record(event, vulkan_device->stream), "gevt_record"); });
    };
  };
  const auto theirs = [&](bool stamped) {
    return [&, stamped] {
      return submitted([&](std::size_t i) {
        const std::lock_guard lock(vulkan_device->mutex);
        const VkSemaphoreSubmitInfo signal = timeline.at(++value);
        check_vulkan(submit(nullptr, 0, stamped ? static_cast<VkCommandBuffer>(stamps[i]) : nullptr, &signal),
                     "vkQueueSubmit2");
      });
    };
  };
  table.add({"record alone: untimed",
             "submit with a signal",
             "ns",
             interleave(31, record(untimed.events[0]), theirs(false)),
             {Bound::at_most, 1, 100},
             false});
  table.add({"record alone: timed",
             "submit: stamp, signal",
             "ns",
             interleave(31, record(timed), theirs(true)),
             {Bound::at_most, 1, 100},
             false});
  vk.DestroyQueryPool(*vulkan_device, pool, nullptr);
  check(gevt_destroy(timed), "gevt_destroy");
}

namespace {

// The time from a host's signal, which lets the queue go on, to the thread that waits for what stands behind it.
template <class Submit, class Wait>
double wake_us(const Timeline &gate, std::uint64_t value, Submit &&submit_behind, Wait &&wait) {
  const VkSemaphoreSubmitInfo closed = gate.at(value);
  {
    const std::lock_guard lock(vulkan_device->mutex);
    check_vulkan(submit(&closed, 1, nullptr, nullptr), "vkQueueSubmit2");
  }
  submit_behind();
  Clock::time_point opened;
  std::thread opener([&] {
    // Long enough for the waiter to sleep.
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    opened = Clock::now();
    gate.signal(value);
  });
  wait();
  const auto woken = Clock::now();
  opener.join();
  return ns_between(opened, woken) / 1e3;
}

} // namespace

void vulkan_wake_rows(Table &table) {
  constexpr std::uint64_t ten_seconds = 10000000000u;
  const Untimed events(8);
  const gevt_event_t event = events.events[0];
  const Timeline gate, done;
  std::uint64_t value = 0, target = 0;
  const auto submit_theirs = [&] {
    const std::lock_guard lock(vulkan_device->mutex);
    const VkSemaphoreSubmitInfo signal = done.at(++target);
    check_vulkan(submit(nullptr, 0, nullptr, &signal), "vkQueueSubmit2");
  };
  const auto theirs = [&] {
    return wake_us(gate, ++value, submit_theirs, [&] {
      if (!done.wait(target, ten_seconds)) fail("vkWaitSemaphores", "it timed out");
    });
  };
  const auto ours = [&] {
    return wake_us(
        gate, ++value, [&] { submit_batch(&event, 1); },
        [&] { check(gevt_sync_timeout(event, ten_seconds), "gevt_sync_timeout"); });
  };
  table.add({"sync_timeout: wake-up after 3 ms",
             "vkWaitSemaphores",
             "us",
             interleave(101, ours, theirs),
             {Bound::at_most, 1, 5}});
  const auto any = [&] {
    std::size_t index;
    return wake_us(
        gate, ++value, [&] { submit_batch(events.events.data(), 8); },
        [&] { check(gevt_sync_any(&index, events.events.data(), 8, ten_seconds), "gevt_sync_any"); });
  };
  table.add({"sync_any: 8 events, wake-up after 3 ms",
             "vkWaitSemaphores",
             "us",
             interleave(101, any, theirs),
             {Bound::at_most, 1, 5},
             false});
}

namespace {

double cpu_us(clockid_t clock) {
  timespec used;
  if (clock_gettime(clock, &used) != 0) fail("clock_gettime", "no processor time");
  return static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) / 1e3;
}

// A wait that a host's signal ends after that time: how late it ends, and the waiting thread's CPU time, which goes to `cpu`.
template <class Wait>
double short_wait_us(const Timeline &gate, std::uint64_t value, int after_us, std::vector<double> &cpu, Wait &&wait) {
  std::atomic<bool> waits{false};
  Clock::time_point opened;
  std::thread opener([&] {
    while (!waits.load()) {}
    const auto due = Clock::now() + std::chrono::microseconds(after_us);
    do opened = Clock::now();
    while (opened < due);
    gate.signal(value);
  });
  // So that the other thread is ready.
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const double used = cpu_us(CLOCK_THREAD_CPUTIME_ID);
  waits = true;
  wait();
  const auto woken = Clock::now();
  cpu.push_back(cpu_us(CLOCK_THREAD_CPUTIME_ID) - used);
  opener.join();
  return ns_between(opened, woken) / 1e3;
}

} // namespace

void vulkan_short_wait_rows(Table &table) {
  const Untimed untimed(1);
  const gevt_event_t event = untimed.events[0];
  const Timeline gate, done;
  std::uint64_t value = 0, target = 0;
  const auto submit_gate = [&] {
    const VkSemaphoreSubmitInfo closed = gate.at(++value);
    const std::lock_guard lock(vulkan_device->mutex);
    check_vulkan(submit(&closed, 1, nullptr, nullptr), "vkQueueSubmit2");
  };
  for (const int after_us : {50, 200, 1000}) {
    std::vector<double> our, their;
    const auto theirs = [&] {
      submit_gate();
      {
        const std::lock_guard lock(vulkan_device->mutex);
        const VkSemaphoreSubmitInfo signal = done.at(++target);
        check_vulkan(submit(nullptr, 0, nullptr, &signal), "vkQueueSubmit2");
      }
      return short_wait_us(gate, value, after_us, their, [&] {
        if (!done.wait(target, UINT64_MAX)) fail("vkWaitSemaphores", "it timed out");
      });
    };
    const auto ours = [&] {
      submit_gate();
      submit_batch(&event, 1);
      return short_wait_us(gate, value, after_us, our, [&] { check(gevt_sync(event), "gevt_sync"); });
    };
    const std::string what = "sync of " + std::to_string(after_us) + " us: wake-up";
    const Pair late = interleave(101, ours, theirs);
    table.add({what, "vkWaitSemaphores", "us", late, {Bound::at_most, 1, 5}, false});
    table.add({"  CPU time of the caller",
               "vkWaitSemaphores",
               "us",
               {spread(our), spread(their)},
               {Bound::at_most, 1},
               false});
  }
}

void vulkan_frame_rows(Table &table) {
  // On a device of the CPU its own work would count as the loop's.
  const clockid_t clock = vulkan_device->is_cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID;
  const int frames = vulkan_device->is_cpu ? 100 : 1000;
  const Work work;
  struct Figures {
    std::vector<double> cpu, device;
  } our, their;
  const auto rate = [&](auto loop, Figures &into) {
    return [&, loop] {
      const double used = cpu_us(clock);
      const auto start = Clock::now();
      const double device_ns = loop(work, frames);
      const double seconds = ns_between(start, Clock::now()) / 1e9;
      into.cpu.push_back((cpu_us(clock) - used) / frames);
      into.device.push_back(device_ns / 1e3 / frames);
      return frames / seconds;
    };
  };
  const Pair rates = interleave(9, rate(frames_by_gevt, our), rate(frames_by_hand, their));
  table.add({"frames: 3 in flight, 12 timed passes", "fences, query pools", "1/s", rates, {Bound::at_least, 1}, false});
  table.add({"  CPU time a frame",
             "fences, query pools",
             "us",
             {spread(our.cpu), spread(their.cpu)},
             {Bound::at_most, 1},
             false});
  table.add({"  GPU time of a frame's passes, as measured",
             "fences, query pools",
             "us",
             {spread(our.device), spread(their.device)},
             {Bound::at_most, 1},
             false});
  const auto lines = [](int count) { return spread({static_cast<double>(count)}); };
  table.add({"  lines of code",
             "fences, query pools",
             "",
             {lines(lines_by_gevt), lines(lines_by_hand)},
             {Bound::at_most, 1},
             false});
}

} // namespace bench
