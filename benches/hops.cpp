// gevt_bench_hops: what a wait across backends takes, for each pair of backends that this machine has.
//
//   gevt_bench_hops [ROUNDS]
//
// A stream of one backend waits for an event that the host signals, and records; a stream of the other waits for that record, and records,
// too. Timed is from the signal to the return of gevt_sync() for the last record: two gates and a wake, or one where both are one backend.
// The row "signal" is the signal alone, to a thread that is asleep in gevt_sync(), beside a futex.
#include "bench.hpp"
#include "yardsticks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

using bench::check;
using bench::Clock;

struct Backend {
  gevt_backend_t number;
  const char *name;
  gevt_context_t context;
};

double at(std::vector<double> &sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))] / 1000;
}

void print(const char *from, const char *to, std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  std::printf("%-8s %-8s %8.1f %8.1f %8.1f %8.1f\n", from, to, at(samples, 0.1), at(samples, 0.5), at(samples, 0.9),
              at(samples, 0.99));
}

gevt_event_t event(std::uint32_t flags) {
  gevt_event_t made = nullptr;
  check(gevt_create(&made, flags), "gevt_create");
  return made;
}

gevt_stream_t stream(const Backend &backend) {
  gevt_stream_t made = nullptr;
  check(gevt_stream_create(&made, backend.context, GEVT_STREAM_NON_BLOCKING), "gevt_stream_create");
  return made;
}

void hop(const Backend &from, const Backend &to, int rounds) {
  const gevt_stream_t source = stream(from), target = stream(to);
  const gevt_event_t held = event(GEVT_EVENT_HOST_SIGNALED), first = event(GEVT_EVENT_DISABLE_TIMING),
                     last = event(GEVT_EVENT_DISABLE_TIMING);
  std::vector<double> samples;
  for (int round = -20; round < rounds; round++) {
    check(gevt_reset(held), "gevt_reset");
    check(gevt_stream_wait(source, held, GEVT_WAIT_DEFAULT), "gevt_stream_wait");
    check(gevt_record(first, source), "gevt_record");
    check(gevt_stream_wait(target, first, GEVT_WAIT_DEFAULT), "gevt_stream_wait");
    check(gevt_record(last, target), "gevt_record");
    const auto start = Clock::now();
    check(gevt_signal(held, GEVT_SUCCESS), "gevt_signal");
    check(gevt_sync(last), "gevt_sync");
    if (round >= 0) samples.push_back(bench::ns_between(start, Clock::now()));
  }
  print(from.name, to.name, samples);
  for (const gevt_event_t done : {held, first, last}) check(gevt_destroy(done), "gevt_destroy");
  for (const gevt_stream_t done : {source, target}) check(gevt_stream_destroy(done), "gevt_stream_destroy");
}

// `wait` blocks a thread until `wake`, which is called when the thread has slept for a while.
template <class Begin, class Wait, class Wake>
void wake(const char *name, int rounds, Begin &&begin, Wait &&wait, Wake &&signal) {
  std::vector<double> samples;
  for (int round = 0; round < rounds; round++) {
    begin();
    Clock::time_point woken;
    std::thread sleeper([&] {
      wait();
      woken = Clock::now();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto start = Clock::now();
    signal();
    sleeper.join();
    samples.push_back(bench::ns_between(start, woken));
  }
  print(name, "", samples);
}

} // namespace

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 1000;
  Backend backends[] = {{GEVT_BACKEND_HOST, "host", nullptr},
                        {GEVT_BACKEND_CUDA, "cuda", nullptr},
                        {GEVT_BACKEND_VULKAN, "vulkan", nullptr}};
  for (Backend &backend : backends) {
    if (gevt_context_open(&backend.context, backend.number, 0) != GEVT_SUCCESS) backend.context = nullptr;
  }
  std::printf("%-8s %-8s %8s %8s %8s %8s   (us)\n", "from", "to", "p10", "median", "p90", "p99");
  for (const Backend &from : backends) {
    for (const Backend &to : backends) {
      if (from.context != nullptr && to.context != nullptr) hop(from, to, rounds);
    }
  }
  const int wakes = std::min(rounds, 200);
  const gevt_event_t held = event(GEVT_EVENT_HOST_SIGNALED | GEVT_EVENT_BLOCKING_SYNC);
  wake(
      "signal", wakes, [&] { check(gevt_reset(held), "gevt_reset"); }, [&] { check(gevt_sync(held), "gevt_sync"); },
      [&] { check(gevt_signal(held, GEVT_SUCCESS), "gevt_signal"); });
  std::atomic<std::uint32_t> word{0};
  wake(
      "futex", wakes, [&] { word = 0; },
      [&] {
        while (word == 0) bench::futex_wait(word, 0);
      },
      [&] {
        word = 1;
        bench::futex_wake(word);
      });
  check(gevt_destroy(held), "gevt_destroy");
  return 0;
}
