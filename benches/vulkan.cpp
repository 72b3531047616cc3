// gevt_bench_vulkan: what gevt costs on Vulkan, each figure beside Vulkan's own means for the same, in one run.
//
//   gevt_bench_vulkan [--rows NAME,...] [--check]
//
// --rows runs only the named groups; --check makes the exit code 1 if a bound is missed. The bounds are those of a GPU. Without a device
// there is nothing to measure: the program says so, and that is no failure.
#include "groups.hpp"
#include "vulkan.hpp"

#include <cstdio>

int main(int argc, char **argv) {
  bench::Groups groups("gevt_bench_vulkan", "",
                       {
                           {"query", bench::vulkan_query_rows},
                           {"threads", bench::vulkan_threads_rows},
                           {"create", bench::vulkan_create_rows},
                           {"batch", bench::vulkan_batch_rows},
                           {"record", bench::vulkan_record_rows},
                           {"wake", bench::vulkan_wake_rows},
                           {"short", bench::vulkan_short_wait_rows},
                           {"frames", bench::vulkan_frame_rows},
                           {"zones", bench::vulkan_zone_rows},
                       });
  for (int i = 1; i < argc; i++) {
    if (!groups.take(argc, argv, i)) return groups.usage();
  }

  if (const std::string reason = bench::load_vulkan(); !reason.empty()) {
    std::printf("SKIPPED: %s\n", reason.c_str());
    return 0;
  }
  const bench::VulkanDevice device;
  std::printf("device    %s\n", device.name.c_str());
  bench::Table table;
  table.print_head();
  groups.run(table);
  table.print_foot();
  return groups.exit_code(table);
}
