// Rows that count what the process holds, memory and threads. Each is measured in a fresh process of this program.
#include "bench.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

extern char **environ;

namespace bench {

namespace {} // namespace

std::vector<double> ask_process(const char *option) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe2", option);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string name = "gevt_bench", argument = option;
  char *const arguments[] = {name.data(), argument.data(), nullptr};
  pid_t child;
  if (posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments, environ) != 0) fail("posix_spawn", option);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char part[64];
  for (ssize_t size; (size = read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  std::vector<double> figures;
  std::istringstream words(text);
  for (double figure; words >> figure;) figures.push_back(figure);
  if (status != 0) fail(option, "its process failed");
  return figures;
}

namespace {

double ask_for_figure(const char *option) {
  const std::vector<double> figures = ask_process(option);
  if (figures.size() != 1) fail(option, "its process ended without a figure");
  return figures[0];
}

Spread exactly(double value) {
  return {value, value, value};
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  if (!(file >> size >> resident)) fail("/proc/self/statm", "not readable");
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

int threads_now() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("Threads:", 0) == 0) return std::atoi(line.c_str() + 8);
  }
  fail("/proc/self/status", "no line of threads");
}

struct Load {
  std::atomic<std::uint64_t> count{0};
};

// A host function that computes for a while, as real ones do, and does not block.
void compute(void *user) {
  const auto start = Clock::now();
  while (ns_between(start, Clock::now()) < 10e3) {}
  static_cast<Load *>(user)->count.fetch_add(1, std::memory_order_relaxed);
}

} // namespace

double bytes_per_event() {
  constexpr std::size_t count = 10000000;
  use_host_backend();
  Stream stream;
  // The caller's own array is written before the first reading, so that its pages are not counted.
  std::vector<gevt_event_t> events(count, reinterpret_cast<gevt_event_t>(1));
  const double before = resident_bytes();
  for (auto &event : events) {
    check(gevt_create(&event, GEVT_EVENT_DEFAULT), "gevt_create");
    check(gevt_record(event, stream), "gevt_record");
  }
  const double after = resident_bytes();
  if (gevt_live_events() != count) fail("gevt_live_events", "not all are live");
  return (after - before) / static_cast<double>(count);
}

// The most threads that were there at any time besides the two of this function.
double threads_of_busy_streams() {
  constexpr std::size_t count = 10000, functions = 4;
  use_host_backend();
  std::atomic<bool> stop{false};
  std::atomic<int> most{0};
  std::thread sampler([&] {
    while (!stop.load()) {
      most.store(std::max(most.load(), threads_now()));
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  Load load;
  {
    std::vector<Stream> streams(count);
    Events events(1);
    const auto launch_all = [&] {
      for (std::size_t i = 0; i < functions; i++) {
        for (auto &stream : streams) check(gevt_stream_launch(stream, compute, &load), "gevt_stream_launch");
      }
    };
    // First they become busy one after the other, then all at once, behind one event.
    launch_all();
    check(gevt_record(events[0], streams[0]), "gevt_record");
    for (auto &stream : streams) check(gevt_stream_wait(stream, events[0], GEVT_WAIT_DEFAULT), "gevt_stream_wait");
    launch_all();
    for (auto &stream : streams) check(gevt_stream_sync(stream), "gevt_stream_sync");
  }
  stop.store(true);
  sampler.join();
  if (load.count.load() != 2 * count * functions) fail("gevt_stream_launch", "a function was lost");
  return most.load() - 2;
}

void memory_rows(Table &table) {
  const double bytes = ask_for_figure("--memory");
  table.add(
      {"memory: recorded event, 10,000,000 live", "", "bytes", {exactly(bytes), exactly(0)}, {Bound::at_most, 0, 128}});
}

void threads_rows(Table &table) {
  const double threads = ask_for_figure("--threads");
  table.add(
      {"threads: 10,000 busy streams", "cores", "", {exactly(threads), exactly(cores())}, {Bound::at_most, 1, 8}});
}

} // namespace bench
