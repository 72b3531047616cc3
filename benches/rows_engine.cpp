// Rows of the host backend as an engine: work spread over threads, and orders between many streams. Each runs beside oneTBB's
// means for the like, if the build found oneTBB, and beside a pool of threads around a mutex and a condition variable. Under
// each figure stand the CPU time of the whole process and its context switches.
#include "bench.hpp"
#include "engine.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

namespace bench {

namespace {

constexpr int engine_rounds = 15;
// Until the threads of the contender before sleep: oneTBB's spin for some time, on a core that the next one needs.
constexpr auto rest = std::chrono::milliseconds(10);

struct Cost {
  double wall_us, cpu_us, switches;
};

double microseconds(const timeval &time) {
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
}

Cost cost_of(const Contender &contender) {
  rusage before, after;
  std::this_thread::sleep_for(rest);
  getrusage(RUSAGE_SELF, &before);
  const auto start = Clock::now();
  contender.run();
  const double wall = ns_between(start, Clock::now()) / 1000;
  getrusage(RUSAGE_SELF, &after);
  const auto cpu = [](const rusage &usage) { return microseconds(usage.ru_utime) + microseconds(usage.ru_stime); };
  const auto switches = [](const rusage &usage) { return static_cast<double>(usage.ru_nvcsw + usage.ru_nivcsw); };
  return {wall, cpu(after) - cpu(before), switches(after) - switches(before)};
}

Spread of(const std::vector<Cost> &costs, double Cost::*part) {
  std::vector<double> samples;
  for (const Cost &cost : costs) samples.push_back(cost.*part);
  return spread(std::move(samples));
}

// All run in turn, and another one first each time.
std::vector<std::vector<Cost>> costs_of(const std::vector<Contender> &contenders) {
  std::vector<std::vector<Cost>> costs(contenders.size());
  for (int round = -2; round < engine_rounds; round++) {
    for (std::size_t i = 0; i < contenders.size(); i++) {
      const std::size_t turn = (i + static_cast<std::size_t>(round + 2)) % contenders.size();
      const Cost cost = cost_of(contenders[turn]);
      if (round >= 0) costs[turn].push_back(cost);
    }
  }
  return costs;
}

// The first contender is gevt.
void compare(Table &table, const std::string &what, const std::vector<Contender> &contenders) {
  const auto costs = costs_of(contenders);
  for (std::size_t i = 1; i < contenders.size(); i++) {
    const auto pair = [&](double Cost::*part) { return Pair{of(costs[0], part), of(costs[i], part)}; };
    const std::string &name = contenders[i].name;
    table.add({what, name, "us", pair(&Cost::wall_us), {Bound::at_most, 1}});
    table.add({"  CPU time", name, "us", pair(&Cost::cpu_us), {}, false});
    table.add({"  context switches", name, "", pair(&Cost::switches), {}, false});
  }
}

} // namespace

void engine_rows(Table &table) {
  for (const EngineRow &row : engine_row_list()) {
    std::vector<Contender> contenders = row.contenders;
    add_tbb(row.what, contenders);
    compare(table, row.what, contenders);
  }
#ifndef GEVT_BENCH_TBB
  std::printf("oneTBB was not found when this was built: its figures are left out\n");
#endif
}

void print_executor_frame(const std::string &executor) {
  const auto contenders = executor == "pool" ? frame_on_pool() : frame_on_tbb();
  for (const auto &costs : costs_of(contenders)) {
    for (const auto part : {&Cost::wall_us, &Cost::cpu_us}) {
      const Spread figures = of(costs, part);
      std::printf("%.1f %.1f %.1f\n", figures.p10, figures.median, figures.p90);
    }
  }
}

void executor_rows(Table &table) {
  const auto add = [&](const char *option, const char *what, const char *yardstick) {
    const auto figures = ask_process(option);
    if (figures.size() != 12) return;
    const auto at = [&](std::size_t first) { return Spread{figures[first], figures[first + 1], figures[first + 2]}; };
    table.add({what, yardstick, "us", {at(0), at(6)}, {Bound::at_most, 1.1}});
    table.add({"  CPU time", yardstick, "us", {at(3), at(9)}, {}, false});
  };
  add("--executor=pool", "executor: the frame on a mutex + condvar pool", "the bare pool");
  add("--executor=tbb", "executor: the frame on a oneTBB arena", "oneTBB flow graph");
}

} // namespace bench
