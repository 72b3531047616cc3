// The harness of gevt_bench and gevt_bench_cuda: timing, medians, rows with their bounds, and the one table that they end in.
#ifndef GEVT_BENCH_HPP
#define GEVT_BENCH_HPP

#include <gevt.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bench {

using Clock = std::chrono::steady_clock;

inline double ns_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::nano>(to - from).count();
}

// Keeps a value alive for the optimiser, so that the work which made it is done.
inline void keep(std::uint64_t value) {
  __asm__ volatile("" : : "r"(value) : "memory");
}

// Ends the process with code 2: a figure taken after a failed call would mean nothing. It leaves by _Exit, because
// host functions check their calls too, and a destructor that waits for the stream of such a function never returns.
[[noreturn]] void fail(const char *what, const char *why);
inline void check(gevt_status_t status, const char *call) {
  if (status != GEVT_SUCCESS) fail(call, gevt_last_message());
}

struct Spread {
  double p10, median, p90;
};
Spread spread(std::vector<double> samples);

struct Pair {
  Spread measured, yardstick;
};

struct Samples {
  std::vector<double> measured, yardstick;
};

// Runs both in turn, so that a drift of the machine hits both, and swaps who goes first from round to round.
// Each callable runs one batch and returns what one operation of it cost. Two rounds in the beginning are warm-up.
template <class Measured, class Yardstick>
Samples alternate(int rounds, Measured &&measured, Yardstick &&yardstick) {
  Samples samples;
  for (int round = -2; round < rounds; round++) {
    double a, b;
    if (round % 2 == 0) {
      a = measured();
      b = yardstick();
    } else {
      b = yardstick();
      a = measured();
    }
    if (round < 0) continue;
    samples.measured.push_back(a);
    samples.yardstick.push_back(b);
  }
  return samples;
}

template <class Measured, class Yardstick>
Pair interleave(int rounds, Measured &&measured, Yardstick &&yardstick) {
  Samples samples = alternate(rounds, measured, yardstick);
  return {spread(std::move(samples.measured)), spread(std::move(samples.yardstick))};
}

// The time of one call, in ns, over a batch of `count` calls.
template <class Operation>
double per_call(std::size_t count, Operation &&operation) {
  const auto start = Clock::now();
  for (std::size_t i = 0; i < count; i++) operation(i);
  return ns_between(start, Clock::now()) / static_cast<double>(count);
}

struct Bound {
  enum Kind {
    at_most,  // measured <= factor * yardstick + plus
    at_least, // measured >= factor * yardstick + plus
    faster,   // measured * factor <= yardstick
  };
  Kind kind;
  double factor;
  double plus = 0;
};

struct Row {
  std::string what;
  std::string yardstick;
  const char *unit;
  Pair figures;
  Bound bound;
  bool judged = true; // false for a row that is shown for what it says about the one above
};

// Where the rows are measured in several runs, each shows the run that is the median one as far as its bound goes.
class Table {
public:
  explicit Table(int runs = 1) : runs_(runs) {}
  void print_head();
  // Every run adds the same rows in the same order.
  void begin_run() { at_ = 0; }
  void add(const Row &row);
  void print_foot();
  int missed() const { return missed_; }

private:
  void print(const Row &row);

  const int runs_;
  std::size_t at_ = 0;
  std::vector<std::vector<Row>> rows_; // of each row, its runs
  int missed_ = 0;
  Clock::time_point start_;
  double others_at_start_ = 0;
};

class Stream {
public:
  Stream() { check(gevt_stream_create(&stream_, nullptr, GEVT_STREAM_DEFAULT), "gevt_stream_create"); }
  ~Stream() { check(gevt_stream_destroy(stream_), "gevt_stream_destroy"); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  operator gevt_stream_t() const { return stream_; }

private:
  gevt_stream_t stream_ = nullptr;
};

class Events {
public:
  explicit Events(std::size_t count, std::uint32_t flags = GEVT_EVENT_DEFAULT) : events_(count) {
    for (auto &event : events_) check(gevt_create(&event, flags), "gevt_create");
  }
  ~Events() {
    for (auto event : events_) check(gevt_destroy(event), "gevt_destroy");
  }
  Events(const Events &) = delete;
  Events &operator=(const Events &) = delete;
  void record_all(gevt_stream_t stream) {
    for (auto event : events_) check(gevt_record(event, stream), "gevt_record");
  }
  gevt_event_t operator[](std::size_t i) const { return events_[i]; }
  std::size_t size() const { return events_.size(); }
  auto begin() const { return events_.begin(); }
  auto end() const { return events_.end(); }

private:
  std::vector<gevt_event_t> events_;
};

// The rows, one function a group; host.cpp lists them by name.
void query_rows(Table &table);
void query_threads_rows(Table &table);
void record_rows(Table &table);
void create_rows(Table &table);
void launch_rows(Table &table);
void hop_rows(Table &table);
void engine_rows(Table &table);
void wake_rows(Table &table);
void memory_rows(Table &table);
void threads_rows(Table &table);
void ipc_rows(Table &table);

// What the last two groups run in a process of its own: each returns its one figure.
double bytes_per_event();
// Runs this program again with one option, and returns the figures that it prints.
std::vector<double> ask_process(const char *option);
// Prints what the frame takes on an executor, "pool" or "tbb": of gevt and of the bare job system, wall and CPU time, p10, median and p90.
void print_executor_frame(const std::string &executor);
void executor_rows(Table &table);
double threads_of_busy_streams();

void use_host_backend();
double cores();

} // namespace bench

#endif
