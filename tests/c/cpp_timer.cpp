// gevt/timer.hpp: zones on streams, nested, from several threads, over a ring of frames.
// usage: cpp_timer [host|cuda|vulkan]
#include "gate.h"
#include "objects.h"

#include <gevt.hpp>
#include <gevt/timer.hpp>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <vector>

// What the program and the header allocate. Not inlined, as compilers warn of free() where they see operator new.
static std::atomic<int> allocations{0};
__attribute__((noinline)) void *operator new(std::size_t size) {
  allocations++;
  if (void *memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void *memory) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(void *memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using namespace std::chrono_literals;

// Waits until the timer has the results of the frame.
std::vector<gevt::zone_time> results_of(gevt::frame_timer &timer, std::uint64_t frame) {
  std::vector<gevt::zone_time> zones;
  const long long deadline = now_ns() + HANG_LIMIT;
  while (timer.results(zones) < frame && CHECK(now_ns() < deadline)) std::this_thread::yield();
  return zones;
}

void check_zone(const gevt::zone_time &zone, const char *name, std::uint32_t depth) {
  CHECK(std::string(zone.name) == name);
  CHECK_EQUAL(zone.depth, depth);
  CHECK_EQUAL(zone.status, GEVT_SUCCESS);
  CHECK(zone.begin >= 0ns && zone.duration >= 0ns);
}

void nested_zones() {
  const gevt::stream stream(subject_context);
  gevt::frame_timer timer(subject_context);
  std::vector<gevt::zone_time> zones;
  CHECK_EQUAL(timer.results(zones), 0);
  CHECK_EQUAL(timer.begin_frame(), 1);
  {
    auto frame = timer.zone("frame", stream);
    {
      auto shadows = timer.zone("shadows", stream);
      stream.launch([] { sleep_ns(2 * MILLISECOND); });
    }
    auto lights = timer.zone("lights", stream);
    lights.end();
    auto moved = timer.zone("after", stream);
    auto owner = std::move(moved);
  }
  timer.end_frame();
  zones = results_of(timer, 1);
  if (!CHECK_EQUAL(zones.size(), 4)) return;
  check_zone(zones[0], "frame", 0);
  check_zone(zones[1], "shadows", 1);
  check_zone(zones[2], "lights", 1);
  check_zone(zones[3], "after", 1);
  CHECK(zones[0].begin == 0ns);
  // Clocks of devices may be coarse.
  const auto slack = subject_is_host() ? 0ns : 100000ns;
  CHECK(zones[1].duration + slack >= 2ms);
  CHECK(zones[1].begin + slack >= zones[0].begin && zones[2].begin + slack >= zones[1].begin + zones[1].duration);
  CHECK(zones[0].duration + slack >= zones[1].duration + zones[2].duration + zones[3].duration);
}

// A frame has no results while it is pending, and nothing waits for it; the results of the frame before stay. More frames are pending than the ring
// has: the oldest ones have no results, and the rest are right.
void frames_that_are_overtaken() {
  gate_t gate = GATE_CLOSED;
  const gevt::stream stream(subject_context);
  gevt::frame_timer_options options;
  options.frames = 3;
  gevt::frame_timer timer(subject_context, options);
  std::vector<gevt::zone_time> zones;
  timer.begin_frame();
  timer.zone("first", stream).end();
  timer.end_frame();
  CHECK_EQUAL(results_of(timer, 1).size(), 1);
  CHECK_EQUAL(timer.lost_frames(), 0);
  gate_close(&gate, stream.get());
  for (int i = 0; i < 5; i++) {
    timer.begin_frame();
    for (int zone = 0; zone <= i; zone++) timer.zone("zone", stream).end();
    timer.end_frame();
    CHECK_EQUAL(timer.results(zones), 1);
    CHECK(zones.size() == 1 && std::string(zones[0].name) == "first");
  }
  CHECK_EQUAL(timer.lost_frames(), 2);
  gate_open(&gate);
  CHECK_EQUAL(results_of(timer, 6).size(), 5);
  std::vector<gevt::zone_average> averages;
  timer.averages(averages);
  CHECK(averages.size() == 2 && averages[0].frames == 1 && averages[1].frames == 3);
}

void several_threads() {
  constexpr int threads = 4, zones_each = 50, frames = 20;
  gevt::frame_timer timer(subject_context);
  std::vector<gevt::stream> streams;
  for (int i = 0; i < threads; i++) streams.emplace_back(subject_context);
  for (int i = 1; i <= frames; i++) {
    timer.begin_frame();
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; thread++) {
      running.emplace_back([&, thread] {
        const auto outer = timer.zone("outer", streams[thread]);
        for (int zone = 1; zone < zones_each; zone++) const auto inner = timer.zone("inner", streams[thread]);
      });
    }
    for (auto &each : running) each.join();
    timer.end_frame();
  }
  const auto zones = results_of(timer, frames);
  CHECK_EQUAL(zones.size(), threads * zones_each);
  int outer = 0;
  for (const auto &zone : zones) {
    const bool is_outer = std::string(zone.name) == "outer";
    outer += is_outer;
    check_zone(zone, zone.name, is_outer ? 0 : 1);
  }
  CHECK_EQUAL(outer, threads);
  std::vector<gevt::zone_average> averages;
  timer.averages(averages);
  CHECK_EQUAL(averages.size(), 2);
}

// Zones of one name add up in a frame; the average is over the last frames, and the greatest is among them.
void averages_of_frames() {
  constexpr std::uint32_t over = 4;
  const gevt::stream stream(subject_context);
  gevt::frame_timer_options options;
  options.average = over;
  gevt::frame_timer timer(subject_context, options);
  std::vector<std::int64_t> sums;
  std::vector<gevt::zone_average> averages;
  for (std::uint64_t frame = 1; frame <= 10; frame++) {
    timer.begin_frame();
    for (int i = 0; i < 3; i++) {
      const auto zone = timer.zone("zone", stream);
      stream.launch([] {});
    }
    timer.end_frame();
    std::int64_t sum = 0;
    for (const auto &zone : results_of(timer, frame)) sum += zone.duration.count();
    sums.push_back(sum);
    timer.averages(averages);
    if (!CHECK_EQUAL(averages.size(), 1)) return;
    std::int64_t total = 0, most = 0, frames = 0;
    for (std::size_t i = sums.size() < over ? 0 : sums.size() - over; i < sums.size(); i++, frames++) {
      total += sums[i];
      most = std::max(most, sums[i]);
    }
    CHECK_EQUAL(averages[0].frames, frames);
    CHECK_EQUAL(averages[0].mean.count(), total / frames);
    CHECK_EQUAL(averages[0].most.count(), most);
  }
}

// Once every name has been used, frames and their results allocate no memory.
void nothing_is_allocated_in_the_end() {
  const gevt::stream stream(subject_context);
  gevt::frame_timer timer(subject_context);
  std::vector<gevt::zone_time> zones;
  std::vector<gevt::zone_average> averages;
  int before = 0;
  for (std::uint64_t frame = 1; frame <= 40; frame++) {
    if (frame == 20) before = allocations;
    timer.begin_frame();
    for (const char *name : {"first", "second", "third"}) {
      const auto outer = timer.zone(name, stream), inner = timer.zone("inner", stream);
    }
    timer.end_frame();
    while (timer.results(zones) < frame) std::this_thread::yield();
    timer.averages(averages);
  }
  // A layer of Vulkan allocates by this program's operator new.
  if (!std::getenv("VK_INSTANCE_LAYERS")) CHECK_EQUAL(allocations, before);
  CHECK_EQUAL(zones.size(), 6);
  CHECK_EQUAL(averages.size(), 4);
}

// A zone that cannot be measured has a status, and the others have their times.
void zones_without_times() {
  const gevt::stream stream(subject_context);
  gevt::stream destroyed(subject_context);
  const gevt_stream_t dead = destroyed.get();
  destroyed.destroy();
  gevt::frame_timer_options options;
  options.zones = 3;
  gevt::frame_timer timer(subject_context, options);
  timer.zone("before any frame", stream).end();
  CHECK_EQUAL(timer.left_out(), 1);
  timer.begin_frame();
  timer.zone("on a dead stream", dead).end();
  timer.zone("good", stream).end();
  {
    auto late = timer.zone("ends too late", stream);
    timer.zone("one too many", stream).end();
    timer.end_frame();
  }
  CHECK_EQUAL(timer.left_out(), 2);
  const auto zones = results_of(timer, 1);
  if (!CHECK_EQUAL(zones.size(), 2)) return;
  CHECK_EQUAL(zones[0].status, GEVT_ERROR_INVALID_HANDLE);
  check_zone(zones[1], "good", 0);
  CHECK(timer.records(nullptr).size() == 0);
}

} // namespace

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(nested_zones);
  RUN(frames_that_are_overtaken);
  RUN(several_threads);
  RUN(averages_of_frames);
  RUN(nothing_is_allocated_in_the_end);
  RUN(zones_without_times);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
