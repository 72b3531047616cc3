// Waits for whichever of several jobs completes first, gives its stream the next one, and so keeps all streams busy.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "gevt.hpp"

namespace {

constexpr int kStreams = 3, kJobs = 12;

// Jobs take different times.
unsigned long long work(int job) {
  unsigned long long value = static_cast<unsigned long long>(job);
  for (int i = 0; i < 200000 * (1 + job * 7 % 5); i++) value = value * 6364136223846793005u + 1442695040888963407u;
  return value;
}

struct Lane {
  gevt::stream stream{gevt::non_blocking};
  gevt::event done;
  int job = -1; // none is queued
  unsigned long long result = 0;
};

void start(Lane &lane, int job) {
  lane.job = job;
  lane.stream.launch([&lane] { lane.result = work(lane.job); });
  lane.done.record(lane.stream);
}

int run() {
  std::array<Lane, kStreams> lanes;
  std::array<int, kStreams> counts{};
  int next = 0, completed = 0;
  for (Lane &lane : lanes) start(lane, next++);

  while (completed < kJobs) {
    // The lanes that have a job.
    std::vector<gevt::event_ref> events;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < lanes.size(); i++) {
      if (lanes[i].job < 0) continue;
      events.push_back(lanes[i].done);
      numbers.push_back(i);
    }
    const auto first = gevt::sync_any_for(events, std::chrono::milliseconds(100));
    if (!first) {
      std::printf("no job has completed for 100 ms\n");
      continue;
    }
    Lane &lane = lanes[numbers[*first]];
    std::printf("job %2d of stream %zu: %016llx\n", lane.job, numbers[*first], lane.result);
    completed++;
    counts[numbers[*first]]++;
    lane.job = -1;
    if (next < kJobs) start(lane, next++);
  }
  std::printf("jobs of each stream: %d, %d, %d\n", counts[0], counts[1], counts[2]);

  // All events are complete now, so this returns at once.
  return gevt::sync_all_for({lanes[0].done, lanes[1].done, lanes[2].done}, std::chrono::seconds(0)) ? EXIT_SUCCESS
                                                                                                    : EXIT_FAILURE;
}

} // namespace

int main() {
  try {
    return run();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "wait_any: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
