// The work of the engine rows, done by oneTBB: by its flow graphs, made anew each time, as streams are given their work each time, by
// parallel_for, and by tasks that an arena is given.
#include "engine.hpp"

#ifdef GEVT_BENCH_TBB
#include "bench.hpp"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <memory>

namespace bench {

namespace {

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

struct FlowGraph {
  tbb::flow::graph graph;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<bool> is_first;

  template <class Body>
  FlowGraph(std::size_t count, Body body) : is_first(count, true) {
    for (std::size_t i = 0; i < count; i++) {
      nodes.push_back(std::make_unique<Node>(graph, [body](const tbb::flow::continue_msg &) { body(); }));
    }
  }
  void follow(std::size_t first, std::size_t second) {
    tbb::flow::make_edge(*nodes[first], *nodes[second]);
    is_first[second] = false;
  }
  void run() {
    for (std::size_t i = 0; i < nodes.size(); i++) {
      if (is_first[i]) nodes[i]->try_put(tbb::flow::continue_msg());
    }
    graph.wait_for_all();
    if (take_count() != nodes.size()) fail("oneTBB", "a node was lost");
  }
};

void run_launches() {
  static tbb::task_arena arena;
  for (std::size_t i = 0; i < launches; i++) arena.enqueue(count_work);
  await_count(launches);
  take_count();
}

void run_fan() {
  tbb::parallel_for(std::size_t{0}, fan_items, run_item);
  expect_items("oneTBB");
}

void run_frame() {
  FlowGraph flow(passes * tiles, [] {
    work_for_us(tile_us);
    count_work();
  });
  for (std::size_t pass = 1; pass < passes; pass++) {
    for (std::size_t tile = 0; tile < tiles; tile++) {
      for (std::size_t other : neighbours(tile)) flow.follow((pass - 1) * tiles + other, pass * tiles + tile);
    }
  }
  flow.run();
}

void run_chain() {
  FlowGraph flow(chain_hops, count_work);
  for (std::size_t i = 1; i < chain_hops; i++) flow.follow(i - 1, i);
  flow.run();
}

void run_graph() {
  const auto &steps = graph();
  FlowGraph flow(graph_steps, count_work);
  std::vector<std::ptrdiff_t> last(graph_streams, -1);
  for (std::size_t i = 0; i < graph_steps; i++) {
    std::ptrdiff_t &before = last[steps[i].stream];
    if (before >= 0) flow.follow(static_cast<std::size_t>(before), i);
    if (steps[i].awaited >= 0) flow.follow(static_cast<std::size_t>(steps[i].awaited), i);
    before = static_cast<std::ptrdiff_t>(i);
  }
  flow.run();
}

} // namespace

void add_tbb(const std::string &what, std::vector<Contender> &contenders) {
  if (what == row_launch) contenders.push_back({"oneTBB task_arena::enqueue", run_launches});
  if (what == row_fan) contenders.push_back({"oneTBB parallel_for", run_fan});
  if (what == row_frame) contenders.push_back({"oneTBB flow graph", run_frame});
  if (what == row_chain) contenders.push_back({"oneTBB flow graph", run_chain});
  if (what == row_graph) contenders.push_back({"oneTBB flow graph", run_graph});
}

bool set_tbb_as_executor() {
  // The thread that waits takes no part: as many workers as cores.
  static tbb::global_control most(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(cores()) + 1);
  static tbb::task_arena arena(static_cast<int>(cores()), 0);
  const auto submit = [](void *, gevt_host_fn_t run, void *arg) {
    arena.enqueue([run, arg] { run(arg); });
    return 0;
  };
  const gevt_executor_t executor = {sizeof executor, nullptr, submit, static_cast<std::uint32_t>(cores())};
  check(gevt_host_set_executor(&executor), "gevt_host_set_executor");
  return true;
}

} // namespace bench

#else

namespace bench {
void add_tbb(const std::string &, std::vector<Contender> &) {}
bool set_tbb_as_executor() {
  return false;
}
} // namespace bench

#endif
