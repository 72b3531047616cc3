// The work of the engine rows, done by gevt's streams and by a pool of threads around a mutex and a condition variable.
#include "engine.hpp"

#include "bench.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

namespace bench {

const char *const row_launch = "engine: 10,000 empty launches";
const char *const row_fan = "engine: fan-out of 1,000 items of 1 us";
const char *const row_frame = "engine: frame of 32x16 tiles, three dependent passes";
const char *const row_chain = "engine: chain of 1,000 hops";
const char *const row_graph = "engine: 1,000 streams with random waits";

namespace {

// On cache lines of its own: whoever gives the work reads the variables beside it.
struct alignas(128) Counted {
  std::atomic<std::uint64_t> functions{0};
} counted;

// Which items have run. One who did several beside each other writes one cache line.
std::array<unsigned char, fan_items> ran;

// Not inlined: the same loop, at another place in the code, may take four times as long.
[[gnu::noinline]] void compute(std::uint64_t loops) {
  for (std::uint64_t loop = 0; loop < loops; loop++) keep(loop);
}

double loops_per_us() {
  static const double found = [] {
    double best = 0;
    // A core that was idle takes some milliseconds to reach its usual clock.
    const auto end = Clock::now() + std::chrono::milliseconds(100);
    while (Clock::now() < end) {
      const auto start = Clock::now();
      compute(20000);
      best = std::max(best, 20000 / (ns_between(start, Clock::now()) / 1000));
    }
    return best;
  }();
  return found;
}

} // namespace

void work_for_us(double us) {
  compute(static_cast<std::uint64_t>(us * loops_per_us()));
}

void count_work() {
  counted.functions.fetch_add(1, std::memory_order_relaxed);
}

void run_item(std::size_t item) {
  work_for_us(item_us);
  ran[item]++;
}

void expect_items(const char *who) {
  for (unsigned char &times : ran) {
    if (times != 1) fail(who, "an item did not run once");
    times = 0;
  }
}

std::uint64_t take_count() {
  return counted.functions.exchange(0);
}

void await_count(std::uint64_t count) {
  while (counted.functions.load() < count) std::this_thread::sleep_for(std::chrono::microseconds(20));
}

std::vector<std::size_t> neighbours(std::size_t tile) {
  std::vector<std::size_t> found{tile};
  if (tile % columns > 0) found.push_back(tile - 1);
  if (tile % columns < columns - 1) found.push_back(tile + 1);
  if (tile >= columns) found.push_back(tile - columns);
  if (tile + columns < tiles) found.push_back(tile + columns);
  return found;
}

const std::vector<GraphStep> &graph() {
  static const std::vector<GraphStep> steps = [] {
    std::mt19937_64 random(7);
    std::vector<GraphStep> made(graph_steps);
    for (std::size_t i = 0; i < graph_steps; i++) {
      made[i].stream = random() % graph_streams;
      made[i].awaited = i > 0 && random() % 2 ? static_cast<std::ptrdiff_t>(random() % i) : -1;
    }
    return made;
  }();
  return steps;
}

namespace {

void tile_function(void *) {
  work_for_us(tile_us);
  count_work();
}

void count_function(void *) {
  count_work();
}

void item_function(void *user) {
  run_item(reinterpret_cast<std::uintptr_t>(user));
}

void expect_count(std::size_t count) {
  if (take_count() != count) fail("engine", "a function was lost");
}

// Streams that are ordered by events alone, which take no times: nobody else who does the work takes any.
struct Streams {
  explicit Streams(std::size_t count) : streams(count) {
    for (auto &stream : streams)
      check(gevt_stream_create(&stream, nullptr, GEVT_STREAM_NON_BLOCKING), "gevt_stream_create");
  }
  ~Streams() {
    for (auto stream : streams) check(gevt_stream_destroy(stream), "gevt_stream_destroy");
  }
  Streams(const Streams &) = delete;
  Streams &operator=(const Streams &) = delete;
  static void sync() { check(gevt_context_sync(nullptr), "gevt_context_sync"); }
  std::vector<gevt_stream_t> streams;
};

void launch(gevt_stream_t stream, gevt_host_fn_t function) {
  check(gevt_stream_launch(stream, function, nullptr), "gevt_stream_launch");
}

struct Launches {
  Streams streams{1};

  void run() {
    for (std::size_t i = 0; i < launches; i++) launch(streams.streams[0], count_function);
    streams.sync();
    expect_count(launches);
  }
};

// The thread that waits takes part, as in parallel_for.
struct Fan {
  Streams streams{1};
  Events events{1, GEVT_EVENT_DISABLE_TIMING};

  void run() {
    const auto item = [](void *, std::size_t at, std::uint32_t) { run_item(at); };
    check(gevt_stream_launch_n(streams.streams[0], fan_items, item, nullptr), "gevt_stream_launch_n");
    check(gevt_record(events[0], streams.streams[0]), "gevt_record");
    check(gevt_sync_helping(events[0], GEVT_TIMEOUT_INFINITE), "gevt_sync_helping");
    expect_items("gevt");
  }
};

// A stream for each tile. A pass of a tile waits for the pass before of the tiles beside it.
struct Frame {
  Streams streams{tiles};
  Events events{passes * tiles, GEVT_EVENT_DISABLE_TIMING};

  void run() {
    for (std::size_t pass = 0; pass < passes; pass++) {
      for (std::size_t tile = 0; tile < tiles; tile++) {
        if (pass > 0) {
          for (std::size_t other : neighbours(tile)) {
            if (other == tile) continue;
            check(gevt_stream_wait(streams.streams[tile], events[(pass - 1) * tiles + other], GEVT_WAIT_DEFAULT),
                  "gevt_stream_wait");
          }
        }
        launch(streams.streams[tile], tile_function);
        check(gevt_record(events[pass * tiles + tile], streams.streams[tile]), "gevt_record");
      }
    }
    streams.sync();
    expect_count(passes * tiles);
  }
};

struct Chain {
  Streams streams{2};
  Events events{2, GEVT_EVENT_DISABLE_TIMING};

  void run() {
    for (std::size_t i = 0; i < chain_hops; i++) {
      const gevt_stream_t stream = streams.streams[i % 2];
      if (i > 0) check(gevt_stream_wait(stream, events[(i - 1) % 2], GEVT_WAIT_DEFAULT), "gevt_stream_wait");
      launch(stream, count_function);
      check(gevt_record(events[i % 2], stream), "gevt_record");
    }
    streams.sync();
    expect_count(chain_hops);
  }
};

struct Graph {
  Streams streams{graph_streams};
  Events events{graph_steps, GEVT_EVENT_DISABLE_TIMING};

  void run() {
    const auto &steps = graph();
    for (std::size_t i = 0; i < graph_steps; i++) {
      const gevt_stream_t stream = streams.streams[steps[i].stream];
      if (steps[i].awaited >= 0) {
        check(gevt_stream_wait(stream, events[static_cast<std::size_t>(steps[i].awaited)], GEVT_WAIT_DEFAULT),
              "gevt_stream_wait");
      }
      launch(stream, count_function);
      check(gevt_record(events[i], stream), "gevt_record");
    }
    streams.sync();
    expect_count(graph_steps);
  }
};

// As many threads as cores, and one queue: what is made ready is pushed, and the last one to be done notifies.
class Pool {
public:
  Pool() {
    for (int i = 0; i < static_cast<int>(cores()); i++) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    filled_.notify_all();
    for (auto &thread : threads_) thread.join();
  }
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  // As an executor: does a job, which no other one waits for.
  static int submit(void *user, gevt_host_fn_t run, void *arg) {
    auto *pool = static_cast<Pool *>(user);
    {
      std::lock_guard<std::mutex> lock(pool->mutex_);
      pool->jobs_.push_back({run, arg});
    }
    pool->filled_.notify_one();
    return 0;
  }

  // A graph of nodes: who comes after each, and for how many each waits.
  struct Node {
    gevt_host_fn_t function;
    void *user;
    std::vector<std::size_t> after;
    int before = 0;
  };
  void run(const std::vector<Node> &nodes) {
    const auto waiting = std::make_unique<std::atomic<int>[]>(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); i++) waiting[i] = nodes[i].before;
    std::unique_lock<std::mutex> lock(mutex_);
    nodes_ = &nodes;
    waiting_ = waiting.get();
    left_ = nodes.size();
    for (std::size_t i = 0; i < nodes.size(); i++) {
      if (nodes[i].before == 0) ready_.push_back(i);
    }
    filled_.notify_all();
    finished_.wait(lock, [this] { return left_ == 0; });
  }

private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      filled_.wait(lock, [this] { return stopping_ || !ready_.empty() || !jobs_.empty(); });
      if (!jobs_.empty()) {
        const Job job = jobs_.front();
        jobs_.pop_front();
        lock.unlock();
        job.run(job.arg);
        lock.lock();
        continue;
      }
      if (ready_.empty()) return;
      const std::size_t at = ready_.front();
      ready_.pop_front();
      const Node &node = (*nodes_)[at];
      lock.unlock();
      node.function(node.user);
      lock.lock();
      for (std::size_t next : node.after) {
        if (waiting_[next].fetch_sub(1) == 1) {
          ready_.push_back(next);
          filled_.notify_one();
        }
      }
      if (--left_ == 0) finished_.notify_one();
    }
  }

  struct Job {
    gevt_host_fn_t run;
    void *arg;
  };
  std::mutex mutex_;
  std::condition_variable filled_, finished_;
  std::deque<Job> jobs_;
  std::deque<std::size_t> ready_;
  const std::vector<Node> *nodes_ = nullptr;
  std::atomic<int> *waiting_ = nullptr;
  std::size_t left_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

using Nodes = std::vector<Pool::Node>;

void follow(Nodes &nodes, std::size_t first, std::size_t second) {
  nodes[first].after.push_back(second);
  nodes[second].before++;
}

Nodes fan_nodes() {
  Nodes nodes(fan_items, {item_function, nullptr, {}, 0});
  for (std::size_t i = 0; i < fan_items; i++) nodes[i].user = reinterpret_cast<void *>(i);
  return nodes;
}

Nodes frame_nodes() {
  Nodes nodes(passes * tiles, {tile_function, nullptr, {}, 0});
  for (std::size_t pass = 1; pass < passes; pass++) {
    for (std::size_t tile = 0; tile < tiles; tile++) {
      for (std::size_t other : neighbours(tile)) follow(nodes, (pass - 1) * tiles + other, pass * tiles + tile);
    }
  }
  return nodes;
}

Nodes chain_nodes() {
  Nodes nodes(chain_hops, {count_function, nullptr, {}, 0});
  for (std::size_t i = 1; i < chain_hops; i++) follow(nodes, i - 1, i);
  return nodes;
}

Nodes graph_nodes() {
  const auto &steps = graph();
  Nodes nodes(graph_steps, {count_function, nullptr, {}, 0});
  std::vector<std::ptrdiff_t> last(graph_streams, -1);
  for (std::size_t i = 0; i < graph_steps; i++) {
    std::ptrdiff_t &before = last[steps[i].stream];
    if (before >= 0) follow(nodes, static_cast<std::size_t>(before), i);
    if (steps[i].awaited >= 0) follow(nodes, static_cast<std::size_t>(steps[i].awaited), i);
    before = static_cast<std::ptrdiff_t>(i);
  }
  return nodes;
}

template <class Gevt>
EngineRow row(const char *what, Nodes (*nodes)(), const std::shared_ptr<Pool> &pool,
              void (*expect)(std::size_t) = expect_count) {
  const auto gevt = std::make_shared<Gevt>();
  const auto run_in_pool = [pool, nodes, expect] {
    // Its nodes are made in the time that is measured, as the streams' work is given in it.
    const Nodes made = nodes();
    pool->run(made);
    expect(made.size());
  };
  return {what, {{"gevt", [gevt] { gevt->run(); }}, {"mutex + condvar pool", run_in_pool}}};
}

template <class Gevt>
void add_gevt(std::vector<Contender> &contenders) {
  const auto gevt = std::make_shared<Gevt>();
  contenders.insert(contenders.begin(), {"gevt", [gevt] { gevt->run(); }});
}

} // namespace

std::vector<Contender> frame_on_pool() {
  static Pool pool;
  const gevt_executor_t executor = {sizeof executor, &pool, Pool::submit, static_cast<std::uint32_t>(cores())};
  check(gevt_host_set_executor(&executor), "gevt_host_set_executor");
  use_host_backend();
  std::vector<Contender> contenders = {{"the same pool", [] {
                                          const Nodes made = frame_nodes();
                                          pool.run(made);
                                          expect_count(made.size());
                                        }}};
  add_gevt<Frame>(contenders);
  return contenders;
}

std::vector<Contender> frame_on_tbb() {
  std::vector<Contender> contenders;
  if (!set_tbb_as_executor()) return contenders;
  use_host_backend();
  add_tbb(row_frame, contenders);
  add_gevt<Frame>(contenders);
  return contenders;
}

std::vector<EngineRow> engine_row_list() {
  const auto pool = std::make_shared<Pool>();
  const auto launched = std::make_shared<Launches>();
  // A pool's run is no launch for each: the row of the launch has a queue around a mutex beside it.
  return {{row_launch, {{"gevt", [launched] { launched->run(); }}}},
          row<Fan>(row_fan, fan_nodes, pool, [](std::size_t) { expect_items("the pool"); }),
          row<Frame>(row_frame, frame_nodes, pool),
          row<Chain>(row_chain, chain_nodes, pool),
          row<Graph>(row_graph, graph_nodes, pool)};
}

} // namespace bench
