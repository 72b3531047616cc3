// Rows of work that passes through streams: host functions on a busy one, and hops between two.
#include "bench.hpp"
#include "yardsticks.hpp"

#include <sched.h>

#include <atomic>
#include <thread>

namespace bench {

namespace {

// One run of a chain of host functions. The last function takes the time itself, so that it does not matter how the
// thread that waits for the end comes to know of it. On cache lines of its own: the functions count while the calls that
// give them use the stack beside it.
struct alignas(128) Run {
  std::atomic<int> gate_core{-1};
  std::atomic<bool> open{false};
  std::atomic<bool> done{false};
  std::uint64_t count = 0;
  Clock::time_point end;

  void await_end() const {
    while (!done.load(std::memory_order_acquire)) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
};

// Makes a stream busy: it holds the stream until the run is opened.
void gate(void *user) {
  auto &run = *static_cast<Run *>(user);
  while (!run.open.load(std::memory_order_acquire)) run.gate_core.store(sched_getcpu(), std::memory_order_release);
}

// As good as empty; the count shows that every function ran.
void count_one(void *user) {
  static_cast<Run *>(user)->count++;
}

void finish(void *user) {
  auto &run = *static_cast<Run *>(user);
  run.count++;
  run.end = Clock::now();
  run.done.store(true, std::memory_order_release);
}

// Returns when the gate runs beside the caller. Both are awake until the kernel has given each a core of its own: on
// one core they would take turns, and neither a queue nor a stream would be pushed to while it runs. A machine that
// has no second core to give is not waited for.
template <class Push>
void enter_gate(Run &run, Push &&push) {
  push(gate, &run);
  const auto start = Clock::now();
  for (;;) {
    const int core = run.gate_core.load(std::memory_order_acquire);
    if (core != -1 && (core != sched_getcpu() || ns_between(start, Clock::now()) > 50e6)) return;
  }
}

// From the first push to the end of the last function, for each function, in ns. The consumer runs meanwhile.
template <class Push>
double busy_run(Push &&push) {
  constexpr std::uint64_t functions = 200000;
  Run run;
  enter_gate(run, push);
  const auto start = Clock::now();
  push(count_one, &run);
  run.open.store(true, std::memory_order_release);
  for (std::uint64_t i = 2; i < functions; i++) push(count_one, &run);
  push(finish, &run);
  run.await_end();
  if (run.count != functions) fail("launch", "a function was lost");
  return ns_between(start, run.end) / static_cast<double>(functions);
}

constexpr std::size_t hops = 2000;
constexpr int hop_rounds = 40;

// Two streams that hand a turn to each other. The fields are handed on with the turn.
struct PingPong {
  Stream streams[2];
  Events events{2};
  std::size_t left = 0;
  unsigned side = 0;
  Run *run = nullptr;
};

// One hop: the function of one stream hands the turn over by a record here and a wait there. Nothing is queued ahead.
void hop(void *user) {
  auto &game = *static_cast<PingPong *>(user);
  if (--game.left == 0) return finish(game.run);
  game.run->count++;
  const unsigned from = game.side;
  const unsigned to = 1 - from;
  game.side = to;
  check(gevt_record(game.events[from], game.streams[from]), "gevt_record");
  check(gevt_stream_wait(game.streams[to], game.events[from], GEVT_WAIT_DEFAULT), "gevt_stream_wait");
  check(gevt_stream_launch(game.streams[to], hop, &game), "gevt_stream_launch");
}

double ping_pong(PingPong &game) {
  Run run;
  game.left = hops + 1;
  game.side = 0;
  game.run = &run;
  const auto start = Clock::now();
  check(gevt_stream_launch(game.streams[0], hop, &game), "gevt_stream_launch");
  run.await_end();
  if (run.count != hops + 1) fail("hop", "a turn was lost");
  return ns_between(start, run.end) / static_cast<double>(hops);
}

// The same chain, queued behind a gate before the clock starts.
double queued_chain(PingPong &game) {
  Run run;
  enter_gate(run, [&](gevt_host_fn_t function, void *user) {
    check(gevt_stream_launch(game.streams[0], function, user), "gevt_stream_launch");
  });
  for (std::size_t i = 1; i <= hops; i++) {
    const gevt_stream_t from = game.streams[(i - 1) % 2];
    const gevt_stream_t to = game.streams[i % 2];
    const gevt_event_t event = game.events[i % 2];
    check(gevt_record(event, from), "gevt_record");
    check(gevt_stream_wait(to, event, GEVT_WAIT_DEFAULT), "gevt_stream_wait");
    check(gevt_stream_launch(to, i == hops ? finish : count_one, &run), "gevt_stream_launch");
  }
  const auto start = Clock::now();
  run.open.store(true, std::memory_order_release);
  run.await_end();
  if (run.count != hops) fail("hop", "a function was lost");
  return ns_between(start, run.end) / static_cast<double>(hops);
}

} // namespace

void launch_rows(Table &table) {
  Stream stream;
  Queue queue;
  const auto through_stream = [&] {
    return busy_run([&](gevt_host_fn_t function, void *user) {
      check(gevt_stream_launch(stream, function, user), "gevt_stream_launch");
    });
  };
  const auto through_queue = [&] {
    return busy_run([&](gevt_host_fn_t function, void *user) { queue.push(function, user); });
  };
  table.add({"launch: empty host function, busy stream",
             "mutex + condvar queue",
             "ns",
             interleave(30, through_stream, through_queue),
             {Bound::at_most, 0.7}});
}

void hop_rows(Table &table) {
  PingPong game;
  const auto promises = [] { return promise_hop(hops); };
  const auto played = interleave(
      hop_rounds, [&] { return ping_pong(game); }, promises);
  table.add({"hop: record here, wait there, ping-pong", "promise + future", "ns", played, {Bound::faster, 1.5}});
  const auto queued = interleave(
      hop_rounds, [&] { return queued_chain(game); }, promises);
  table.add({"  the same chain, queued ahead", "promise + future", "ns", queued, {Bound::faster, 1.5}, false});
}

} // namespace bench
