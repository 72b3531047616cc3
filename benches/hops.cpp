// gevt_bench_hops: what a wait across backends takes, for each pair of backends that this machine has, beside the same by hand.
//
//   gevt_bench_hops [--check] [--blocking] [ROUNDS]
//
// A stream of one backend waits for an event that the host signals, and records; a stream of the other waits for that record, and records,
// too. Timed is from the signal to the return of gevt_sync() for the last record. By hand the same is a chain of what each device has of
// its own, see hops.hpp: a futex; a timeline semaphore that the host signals, and a thread in vkWaitSemaphores; a word that a CUDA stream
// waits for, and cuLaunchHostFunc; cuStreamWaitEvent, or a semaphore, within one device. Rounds of both alternate. Below stand a
// host-signalled event and a gate of a host stream, beside a futex.
//
// --check: exits with 1 where a median is more than 1.5 times that by hand.
// --blocking: gevt_sync() sleeps at once, as what is written by hand does but for cuEventSynchronize; it spins at first else. A thread that
// spins keeps its core from those that it waits for, which counts where other programs have the other cores.
#include "bench.hpp"
#include "hops.hpp"
#include "yardsticks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

using namespace bench;

constexpr double bound = 1.5;
int missed = 0;
std::uint32_t sync_flags = GEVT_EVENT_DISABLE_TIMING;

struct Backend {
  gevt_backend_t number;
  const char *name;
  gevt_context_t context;
};

double at(std::vector<double> &samples, double part) {
  const auto place = samples.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), place, samples.end());
  return *place / 1000;
}

void print(const char *from, const char *to, Samples samples, const char *by_hand) {
  std::vector<double> &ours = samples.measured, &theirs = samples.yardstick;
  std::printf("%-8s %-8s %8.1f %8.1f %8.1f", from, to, at(ours, 0.1), at(ours, 0.5), at(ours, 0.99));
  if (theirs.empty()) {
    std::printf("   %s\n", by_hand);
    return;
  }
  const double ratio = at(ours, 0.5) / at(theirs, 0.5);
  const bool is_met = ratio <= bound;
  missed += is_met ? 0 : 1;
  std::printf(" | %8.1f %8.1f %8.1f | %6.2f x %6.2f x  %-6s  %s\n", at(theirs, 0.1), at(theirs, 0.5), at(theirs, 0.99),
              ratio, at(ours, 0.99) / at(theirs, 0.99), is_met ? "met" : "MISSED", by_hand);
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

// Time for everybody to be where he waits.
void settle() {
  const auto until = Clock::now() + std::chrono::microseconds(50);
  while (Clock::now() < until) {}
}

// `begin` lets the work begin, `end` returns when it is over.
template <class Begin, class End>
double timed(Begin &&begin, End &&end) {
  settle();
  const auto start = Clock::now();
  begin();
  end();
  return ns_between(start, Clock::now());
}

class Hop {
public:
  Hop(const Backend &from, const Backend &to)
      : source_(stream(from)), target_(stream(to)), held_(event(GEVT_EVENT_HOST_SIGNALED)),
        first_(event(GEVT_EVENT_DISABLE_TIMING)), last_(event(sync_flags)) {}
  ~Hop() {
    for (const gevt_event_t done : {held_, first_, last_}) check(gevt_destroy(done), "gevt_destroy");
    for (const gevt_stream_t done : {source_, target_}) check(gevt_stream_destroy(done), "gevt_stream_destroy");
  }
  Hop(const Hop &) = delete;
  Hop &operator=(const Hop &) = delete;

  double round() const {
    check(gevt_reset(held_), "gevt_reset");
    check(gevt_stream_wait(source_, held_, GEVT_WAIT_DEFAULT), "gevt_stream_wait");
    check(gevt_record(first_, source_), "gevt_record");
    check(gevt_stream_wait(target_, first_, GEVT_WAIT_DEFAULT), "gevt_stream_wait");
    check(gevt_record(last_, target_), "gevt_record");
    return timed([&] { check(gevt_signal(held_, GEVT_SUCCESS), "gevt_signal"); },
                 [&] { check(gevt_sync(last_), "gevt_sync"); });
  }

private:
  const gevt_stream_t source_, target_;
  const gevt_event_t held_, first_, last_;
};

std::unique_ptr<Lane> lane(gevt_backend_t backend, HostWork work, Lane *after, std::string &trouble) {
  if (backend == GEVT_BACKEND_HOST) return host_lane(work);
  return backend == GEVT_BACKEND_CUDA ? cuda_lane(after, trouble) : vulkan_lane(after, trouble);
}

const char *by_hand(gevt_backend_t from, gevt_backend_t to) {
  const bool to_cuda = to == GEVT_BACKEND_CUDA, to_host = to == GEVT_BACKEND_HOST;
  if (from == GEVT_BACKEND_HOST)
    return to_host ? "futex, there and back" : to_cuda ? "cuStreamWaitValue32" : "vkSignalSemaphore";
  if (from == GEVT_BACKEND_CUDA)
    return to_host   ? "cuLaunchHostFunc + futex"
           : to_cuda ? "cuStreamWaitEvent"
                     : "cuLaunchHostFunc + vkSignalSemaphore";
  return to_host   ? "vkWaitSemaphores on a thread + futex"
         : to_cuda ? "vkWaitSemaphores + cuStreamWaitValue32"
                   : "a semaphore between two submits";
}

void hop(const Backend &from, const Backend &to, int rounds) {
  // The host as the source is the calling thread itself.
  std::string trouble;
  const bool is_one = from.number == to.number;
  std::unique_ptr<Lane> source, target;
  if (from.number != GEVT_BACKEND_HOST) source = lane(from.number, HostWork::on_callers_thread, nullptr, trouble);
  const auto work = is_one ? HostWork::on_own_thread : HostWork::on_callers_thread;
  if (trouble.empty()) target = lane(to.number, work, is_one ? source.get() : nullptr, trouble);
  const Hop ours(from, to);
  if (!trouble.empty()) {
    Samples samples;
    for (int round = -20; round < rounds; round++) {
      const double ns = ours.round();
      if (round >= 0) samples.measured.push_back(ns);
    }
    print(from.name, to.name, samples, trouble.c_str());
    return;
  }
  Lane &first = source != nullptr ? *source : *target;
  if (source != nullptr && !is_one) source->at_end([&] { target->go(); });
  const auto theirs = [&] {
    // In this order: the source's end reaches a target that has been prepared.
    if (source == nullptr || !is_one) target->prepare();
    if (source != nullptr) source->prepare();
    if (source != nullptr && is_one) target->prepare();
    return timed([&] { first.go(); }, [&] { target->wait(); });
  };
  print(from.name, to.name,
        alternate(
            rounds, [&] { return ours.round(); }, theirs),
        by_hand(from.number, to.number));
  source.reset(); // its thread uses the target
}

// The time from `signal` until a thread that has slept in `wait` goes on.
template <class Begin, class Wait, class Signal>
double wake(Begin &&begin, Wait &&wait, Signal &&signal) {
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
  return ns_between(start, woken);
}

double futex() {
  std::atomic<std::uint32_t> word{0};
  return wake([] {}, [&] { futex_wait(word, 0); },
              [&] {
                word = 1;
                futex_wake(word);
              });
}

// The time from the signal until the function behind the gate runs.
double gate(gevt_stream_t stream, gevt_event_t held) {
  struct Woken {
    Clock::time_point at;
    std::atomic<std::uint32_t> word{0};
  } woken;
  const auto function = [](void *user) {
    Woken &woken = *static_cast<Woken *>(user);
    woken.at = Clock::now();
    woken.word = 1;
    futex_wake(woken.word);
  };
  check(gevt_reset(held), "gevt_reset");
  check(gevt_stream_wait(stream, held, GEVT_WAIT_DEFAULT), "gevt_stream_wait");
  check(gevt_stream_launch(stream, function, &woken), "gevt_stream_launch");
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto start = Clock::now();
  check(gevt_signal(held, GEVT_SUCCESS), "gevt_signal");
  futex_wait(woken.word, 0);
  check(gevt_stream_sync(stream), "gevt_stream_sync");
  return ns_between(start, woken.at);
}

} // namespace

int main(int argc, char **argv) {
  bool is_checked = false;
  int rounds = 1000;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--check") == 0) {
      is_checked = true;
    } else if (std::strcmp(argv[i], "--blocking") == 0) {
      sync_flags |= GEVT_EVENT_BLOCKING_SYNC;
    } else {
      rounds = std::max(std::atoi(argv[i]), 1);
    }
  }
  Backend backends[] = {{GEVT_BACKEND_HOST, "host", nullptr},
                        {GEVT_BACKEND_CUDA, "cuda", nullptr},
                        {GEVT_BACKEND_VULKAN, "vulkan", nullptr}};
  for (Backend &backend : backends) {
    if (gevt_context_open(&backend.context, backend.number, 0) != GEVT_SUCCESS) {
      std::printf("no %s: %s\n", backend.name, gevt_last_message());
      backend.context = nullptr;
    }
  }
  std::printf(
      "%-8s %-8s %8s %8s %8s | %8s %8s %8s | %8s %8s   (us; by hand; ratios of the median, <= %.1f x, and of p99)\n",
      "from", "to", "p10", "median", "p99", "p10", "median", "p99", "median", "p99", bound);
  for (const Backend &from : backends) {
    for (const Backend &to : backends) {
      if (from.context != nullptr && to.context != nullptr) hop(from, to, rounds);
    }
  }
  const int wakes = std::min(rounds, 200);
  const gevt_event_t held = event(GEVT_EVENT_HOST_SIGNALED | GEVT_EVENT_BLOCKING_SYNC);
  const auto signal = [&] {
    return wake([&] { check(gevt_reset(held), "gevt_reset"); }, [&] { check(gevt_sync(held), "gevt_sync"); },
                [&] { check(gevt_signal(held, GEVT_SUCCESS), "gevt_signal"); });
  };
  print("signal", "", alternate(wakes, signal, futex), "a thread that sleeps in a futex");
  const gevt_stream_t host = stream(backends[0]);
  print("gate", "",
        alternate(
            wakes, [&] { return gate(host, held); }, futex),
        "a thread that sleeps in a futex");
  check(gevt_stream_destroy(host), "gevt_stream_destroy");
  check(gevt_destroy(held), "gevt_destroy");
  return is_checked && missed > 0 ? 1 : 0;
}
