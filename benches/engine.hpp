// What the rows of rows_engine.cpp have in common: the work, and who does it.
#ifndef GEVT_BENCH_ENGINE_HPP
#define GEVT_BENCH_ENGINE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

// Somebody who does the work of a row once, from its first call until all is done.
struct Contender {
  std::string name;
  std::function<void()> run;
};

struct EngineRow {
  std::string what;
  std::vector<Contender> contenders;
};

// The names of the rows.
extern const char *const row_launch;
extern const char *const row_fan;
extern const char *const row_frame;
extern const char *const row_chain;
extern const char *const row_graph;

constexpr std::size_t columns = 32, lines = 16, passes = 3, tiles = columns * lines;
constexpr std::size_t launches = 10000, fan_items = 1000;
constexpr std::size_t chain_hops = 1000;
constexpr std::size_t graph_streams = 1000, graph_steps = 5000;

// Computes for about that time, the same way for everybody.
void work_for_us(double us);
constexpr double tile_us = 5, item_us = 1;

// The tiles that a tile's next pass needs, itself among them: at most five.
std::vector<std::size_t> neighbours(std::size_t tile);

// The step of a random graph: its stream, and an earlier step of another that it waits for, or -1.
struct GraphStep {
  std::size_t stream;
  std::ptrdiff_t awaited;
};
const std::vector<GraphStep> &graph();

// Does an item of the fan-out, and notes that it ran.
void run_item(std::size_t item);
void expect_items(const char *who);

// One more, so that all work can be counted.
void count_work();
std::uint64_t take_count();
// Returns when so much is counted, for those who have nothing else to wait on.
void await_count(std::uint64_t count);

std::vector<EngineRow> engine_row_list();

// The frame with the program's job system as gevt's executor, beside the same frame on the bare job system. A process has one executor.
// Empty without oneTBB.
std::vector<Contender> frame_on_pool();
std::vector<Contender> frame_on_tbb();
bool set_tbb_as_executor();
void add_tbb(const std::string &what, std::vector<Contender> &contenders);

} // namespace bench

#endif
