// Rows of a loop of frames, as a renderer has it: sixteen streams, sixty-four events a frame, and eight threads that poll them.
#include "cuda.hpp"

#include <array>

namespace bench {

namespace {

constexpr std::size_t streams = 16, events_a_frame = 64, in_flight = 2;
constexpr int pollers = 8, frames = 100;

// The events and streams of one of the two libraries, and its calls.
struct Ours {
  using Event = gevt_event_t;
  using Stream = gevt_stream_t;
  static int record(Event event, Stream stream) { return gevt_record(event, stream); }
  static int wait(Stream stream, Event event) { return gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT); }
  static int query(Event event) { return gevt_query(event); }
  static int sync(Event event) { return gevt_sync(event); }
};

struct Theirs {
  using Event = CUevent;
  using Stream = CUstream;
  static int record(Event event, Stream stream) { return driver.event_record(event, stream); }
  static int wait(Stream stream, Event event) { return driver.stream_wait(stream, event, 0); }
  static int query(Event event) { return driver.event_query(event); }
  static int sync(Event event) { return driver.event_sync(event); }
};

// What the pollers look at: the events of the frames in flight, and how many frames have begun and were seen to be done.
template <class Library>
struct Frames {
  std::array<std::vector<typename Library::Event>, in_flight> events;
  std::atomic<int> begun{0}, failed{0};
  std::array<std::atomic<int>, pollers> seen{};
};

// Looks at the thread's share of each frame's events until all of them are done.
template <class Library>
void poll(Frames<Library> &all, std::size_t poller) {
  Device::make_current();
  for (int frame = 0; frame < frames; frame++) {
    while (all.begun.load() <= frame) std::this_thread::yield();
    const auto &events = all.events[static_cast<std::size_t>(frame) % in_flight];
    bool is_done = false;
    while (!is_done) {
      is_done = true;
      // Every poller looks at every event: one streams data in, another writes statistics.
      for (auto event : events) {
        const int status = Library::query(event);
        if (status != 0 && status != GEVT_ERROR_NOT_READY) all.failed.store(status);
        is_done = is_done && status != GEVT_ERROR_NOT_READY;
      }
    }
    all.seen[poller].store(frame + 1);
  }
}

struct Loop {
  double frames_per_second;
  double ms_per_frame; // of processor time
};

template <class Library>
Loop run(const TimedWork &work, const std::array<WrappedStream, streams> &on, const BothEvents *events) {
  Frames<Library> all;
  const auto stream_of = [&](std::size_t i) {
    if constexpr (std::is_same_v<Library, Ours>) {
      return static_cast<gevt_stream_t>(on[i]);
    } else {
      return on[i].native();
    }
  };
  for (std::size_t i = 0; i < in_flight; i++) {
    if constexpr (std::is_same_v<Library, Ours>) {
      all.events[i] = events[i].ours();
    } else {
      all.events[i] = events[i].theirs();
    }
  }
  Device::sync();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < pollers; i++) threads.emplace_back([&, i] { poll(all, i); });
  const double used = processor_ms();
  const auto start = Clock::now();
  int status = 0;
  for (int frame = 0; frame < frames; frame++) {
    // A frame's events serve again when all have seen that it is done.
    for (const auto &seen : all.seen) {
      while (seen.load() <= frame - static_cast<int>(in_flight)) std::this_thread::yield();
    }
    const auto &own = all.events[static_cast<std::size_t>(frame) % in_flight];
    for (std::size_t i = 0; i < events_a_frame; i++) {
      const std::size_t stream = i % streams;
      if (i < streams) work.launch(on[stream].native(), std::chrono::microseconds(20));
      status |= Library::record(own[i], stream_of(stream));
      status |= Library::wait(stream_of((stream + 1) % streams), own[i]);
    }
    all.begun.store(frame + 1);
  }
  for (auto &thread : threads) thread.join();
  const auto &last = all.events[(frames - 1) % in_flight];
  for (auto event : last) status |= Library::sync(event);
  if (status != 0 || all.failed.load() != 0) fail("the loop of frames", "a call failed");
  const double seconds = ns_between(start, Clock::now()) / 1e9;
  return {frames / seconds, (processor_ms() - used) / frames};
}

} // namespace

void cuda_frames_rows(Table &table) {
  if (!TimedWork::is_possible()) return;
  const TimedWork work;
  const std::array<WrappedStream, streams> on;
  const BothEvents events[in_flight] = {BothEvents(events_a_frame, driver_event_disable_timing),
                                        BothEvents(events_a_frame, driver_event_disable_timing)};
  std::vector<double> our_cost, their_cost;
  const auto ours = [&] {
    const Loop loop = run<Ours>(work, on, events);
    our_cost.push_back(loop.ms_per_frame);
    return loop.frames_per_second;
  };
  const auto theirs = [&] {
    const Loop loop = run<Theirs>(work, on, events);
    their_cost.push_back(loop.ms_per_frame);
    return loop.frames_per_second;
  };
  const Pair rates = interleave(9, ours, theirs);
  table.add({"frames: 16 streams, 64 events, 8 threads poll",
             "the same loop on CUDA",
             "frames/s",
             rates,
             {Bound::at_least, 1}});
  table.add({"  CPU time of a frame",
             "the same loop on CUDA",
             "ms",
             {spread(our_cost), spread(their_cost)},
             {Bound::at_most, 1},
             false});
}

} // namespace bench
