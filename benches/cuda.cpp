// gevt_bench_cuda: what gevt costs on CUDA, each figure beside the plain driver's for the same call, in one run.
//
//   gevt_bench_cuda [--rows NAME,...] [--check] [--runs COUNT]
//
// --rows runs only the named groups; --check makes the exit code 1 if a bound is missed; --runs measures all groups so often, and
// judges each row by its median run. Without a device there is nothing to measure: the program says so, and that is no failure.
#include "cuda.hpp"
#include "groups.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char **argv) {
  int runs = 1;
  bench::Groups groups("gevt_bench_cuda", " [--runs COUNT]",
                       {
                           {"query", bench::cuda_query_rows},
                           {"elapsed", bench::cuda_elapsed_rows},
                           {"create", bench::cuda_create_rows},
                           {"record", bench::cuda_record_rows},
                           {"pending", bench::cuda_pending_rows},
                           {"wait", bench::cuda_wait_rows},
                           {"threads", bench::cuda_threads_rows},
                           {"trip", bench::cuda_trip_rows},
                           {"timeout", bench::cuda_timeout_rows},
                           {"wake", bench::cuda_wake_rows},
                           {"frames", bench::cuda_frames_rows},
                       });
  for (int i = 1; i < argc; i++) {
    if (groups.take(argc, argv, i)) continue;
    if (std::strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
      runs = std::atoi(argv[++i]);
      if (runs < 1) return groups.usage();
    } else {
      return groups.usage();
    }
  }

  if (const std::string reason = bench::load_driver(); !reason.empty()) {
    std::printf("SKIPPED: no CUDA device (%s)\n", reason.c_str());
    return 0;
  }
  const bench::Device device;
  std::printf("gpu       %s\n", device.name().c_str());
  std::printf("driver    %s\n", bench::driver_version().c_str());
  bench::Table table(runs);
  table.print_head();
  for (int run = 0; run < runs; run++) {
    table.begin_run();
    groups.run(table);
  }
  table.print_foot();
  return groups.exit_code(table);
}
