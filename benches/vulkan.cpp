// gevt_bench_vulkan: what gevt costs on Vulkan, each figure beside Vulkan's own means for the same, in one run.
//
//   gevt_bench_vulkan [--rows NAME,...] [--check]
//
// --rows runs only the named groups; --check makes the exit code 1 if a bound is missed. The bounds are those of a GPU. Without a device
// there is nothing to measure: the program says so, and that is no failure.
#include "vulkan.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>

namespace {

struct Group {
  const char *name;
  void (*run)(bench::Table &);
};

const Group groups[] = {
    {"query", bench::vulkan_query_rows},   {"threads", bench::vulkan_threads_rows},
    {"create", bench::vulkan_create_rows}, {"batch", bench::vulkan_batch_rows},
    {"record", bench::vulkan_record_rows}, {"wake", bench::vulkan_wake_rows},
    {"frames", bench::vulkan_frame_rows},
};

int usage() {
  std::fprintf(stderr, "usage: gevt_bench_vulkan [--rows NAME,...] [--check]\nrows:");
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
    } else {
      return usage();
    }
  }

  if (const std::string reason = bench::load_vulkan(); !reason.empty()) {
    std::printf("SKIPPED: %s\n", reason.c_str());
    return 0;
  }
  const bench::VulkanDevice device;
  std::printf("device    %s\n", device.name.c_str());
  bench::Table table;
  table.print_head();
  for (const Group &group : groups) {
    if (chosen.empty() || std::find(chosen.begin(), chosen.end(), group.name) != chosen.end()) group.run(table);
  }
  table.print_foot();
  return check && table.missed() > 0 ? 1 : 0;
}
