// gevt_bench: what gevt costs on the host backend, each figure beside the ordinary tool's, in one run.
//
//   gevt_bench [--rows NAME,...] [--check] [--trace FILE]
//
// --rows runs only the named groups; --check makes the exit code 1 if a bound is missed; --trace measures while a trace is
// written to the file. --memory, --threads and --executor=NAME print the figures of their row, and are how the program measures those in a
// process of its own; --ipc is the other process of the rows about two.
#include "bench.hpp"
#include "groups.hpp"
#include "ipc_peer.hpp"

#include <cstdio>
#include <cstring>
#include <future>
#include <thread>

int main(int argc, char **argv) {
  const char *trace = nullptr;
  bench::Groups groups("gevt_bench", " [--trace FILE]",
                       {
                           {"query", bench::query_rows},
                           {"query-threads", bench::query_threads_rows},
                           {"record", bench::record_rows},
                           {"create", bench::create_rows},
                           {"launch", bench::launch_rows},
                           {"hop", bench::hop_rows},
                           {"engine", bench::engine_rows},
                           {"executor", bench::executor_rows},
                           {"wake", bench::wake_rows},
                           {"ipc", bench::ipc_rows},
                           {"threads", bench::threads_rows},
                           {"memory", bench::memory_rows},
                       });
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--memory") == 0) {
      std::printf("%.1f\n", bench::bytes_per_event());
      return 0;
    }
    if (std::strcmp(argv[i], "--threads") == 0) {
      std::printf("%g\n", bench::threads_of_busy_streams());
      return 0;
    }
    if (std::strncmp(argv[i], "--executor=", 11) == 0) {
      bench::print_executor_frame(argv[i] + 11);
      return 0;
    }
    if (std::strcmp(argv[i], "--ipc") == 0 && i + 1 < argc) return bench::serve_as_peer(argv[i + 1]);
    if (groups.take(argc, argv, i)) continue;
    if (std::strcmp(argv[i], "--trace") == 0 && i + 1 < argc) {
      trace = argv[++i];
    } else {
      return groups.usage();
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
  groups.run(table);
  finished.set_value();
  parked.join();
  table.print_foot();
  if (trace != nullptr) bench::check(gevt_trace_stop(), "gevt_trace_stop");
  return groups.exit_code(table);
}
