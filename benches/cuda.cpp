// gevt_bench_cuda: what gevt costs on CUDA, each figure beside the plain driver's for the same call, in one run.
//
//   gevt_bench_cuda [--rows NAME,...] [--check] [--runs COUNT]
//
// --rows runs only the named groups; --check makes the exit code 1 if a bound is missed; --runs measures all groups so often, and
// judges each row by its median run. Without a device there is nothing to measure: the program says so, and that is no failure.
#include "cuda.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace {

struct Group {
  const char *name;
  void (*run)(bench::Table &);
};

const Group groups[] = {
    {"query", bench::cuda_query_rows},     {"elapsed", bench::cuda_elapsed_rows}, {"create", bench::cuda_create_rows},
    {"record", bench::cuda_record_rows},   {"pending", bench::cuda_pending_rows}, {"wait", bench::cuda_wait_rows},
    {"threads", bench::cuda_threads_rows}, {"trip", bench::cuda_trip_rows},       {"timeout", bench::cuda_timeout_rows},
    {"wake", bench::cuda_wake_rows},       {"frames", bench::cuda_frames_rows},
};

int usage() {
  std::fprintf(stderr, "usage: gevt_bench_cuda [--rows NAME,...] [--check] [--runs COUNT]\nrows:");
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
  int runs = 1;
  std::vector<std::string> chosen;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--check") == 0) {
      check = true;
    } else if (std::strcmp(argv[i], "--rows") == 0 && i + 1 < argc) {
      std::istringstream names(argv[++i]);
      for (std::string name; std::getline(names, name, ',');) {
        if (!is_group(name)) return usage();
        chosen.push_back(name);
      }
    } else if (std::strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
      runs = std::atoi(argv[++i]);
      if (runs < 1) return usage();
    } else {
      return usage();
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
    for (const Group &group : groups) {
      if (chosen.empty() || std::find(chosen.begin(), chosen.end(), group.name) != chosen.end()) group.run(table);
    }
  }
  table.print_foot();
  return check && table.missed() > 0 ? 1 : 0;
}
