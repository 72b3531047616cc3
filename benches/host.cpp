// gevt_bench: what gevt costs on the host backend, each figure beside the ordinary tool's, in one run.
//
//   gevt_bench [--rows NAME,...] [--check] [--trace FILE]
//
// --rows runs only the named groups; --check makes the exit code 1 if a bound is missed; --trace measures while a trace is
// written to the file. --memory and --threads print the one figure of their row, and are how the program measures those in a
// process of its own; --ipc is the other process of the rows about two.
#include "bench.hpp"
#include "ipc_peer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <future>
#include <sstream>
#include <thread>

namespace {

struct Group {
  const char *name;
  void (*run)(bench::Table &);
};

const Group groups[] = {
    {"query", bench::query_rows},   {"query-threads", bench::query_threads_rows},
    {"record", bench::record_rows}, {"create", bench::create_rows},
    {"launch", bench::launch_rows}, {"hop", bench::hop_rows},
    {"engine", bench::engine_rows}, {"wake", bench::wake_rows},
    {"ipc", bench::ipc_rows},       {"threads", bench::threads_rows},
    {"memory", bench::memory_rows},
};

int usage() {
  std::fprintf(stderr, "usage: gevt_bench [--rows NAME,...] [--check] [--trace FILE]\nrows:");
  for (const Group &group : groups) std::fprintf(stderr, " %s", group.name);
  std::fprintf(stderr, "\n");
  return 2;
}

bool is_group(const std::string &name) {
  return std::any_of(std::begin(groups), std::end(groups), [&](const Group &group) { return name == group.name; });
}

} // namespace

int main(int argc, char **argv) {
  bool check = false;
  const char *trace = nullptr;
  std::vector<std::string> chosen;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--memory") == 0) {
      std::printf("%.1f\n", bench::bytes_per_event());
      return 0;
    }
    if (std::strcmp(argv[i], "--threads") == 0) {
      std::printf("%g\n", bench::threads_of_busy_streams());
      return 0;
    }
    if (std::strcmp(argv[i], "--ipc") == 0 && i + 1 < argc) return bench::serve_as_peer(argv[i + 1]);
    if (std::strcmp(argv[i], "--check") == 0) {
      check = true;
    } else if (std::strcmp(argv[i], "--trace") == 0 && i + 1 < argc) {
      trace = argv[++i];
    } else if (std::strcmp(argv[i], "--rows") == 0 && i + 1 < argc) {
      std::istringstream names(argv[++i]);
      for (std::string name; std::getline(names, name, ',');) {
        if (!is_group(name)) return usage();
        chosen.push_back(name);
      }
    } else {
      return usage();
    }
  }

  // A second thread is there throughout: without one, the C library's mutex is cheaper than it is for any user of a
  // library with threads.
  std::promise<void> finished;
  std::thread parked([&] { finished.get_future().wait(); });

  bench::use_host_backend();
  if (trace != nullptr) bench::check(gevt_trace_start(trace), "gevt_trace_start");
  bench::Table table;
  table.print_head();
  for (const Group &group : groups) {
    if (chosen.empty() || std::find(chosen.begin(), chosen.end(), group.name) != chosen.end()) group.run(table);
  }
  finished.set_value();
  parked.join();
  table.print_foot();
  if (trace != nullptr) bench::check(gevt_trace_stop(), "gevt_trace_stop");
  return check && table.missed() > 0 ? 1 : 0;
}
