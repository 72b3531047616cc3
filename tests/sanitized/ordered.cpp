// Only gevt's events order the threads and host functions of this program. Compiled with ThreadSanitizer, it is clean with the library as it
// is shipped.
//
// usage: ordered host|cuda|vulkan [CASE]     all cases, or one
// A case whose name ends with "host" is for the host alone, which has launch_n.
// A case whose name begins with "race" lacks an event that it needs, and the sanitizer has to report it. Such a case runs only if it is named.
#include <gevt.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

constexpr int rounds = 200;
constexpr auto for_long = 10min;

gevt::backend backend;

// Passed from thread to thread with relaxed accesses, which do not order other memory.
class relay {
public:
  void go() { gone_.store(true, std::memory_order_relaxed); }
  void await() const {
    while (!gone_.load(std::memory_order_relaxed)) std::this_thread::yield();
  }

private:
  std::atomic<bool> gone_{false};
};

// Plain memory that two threads touch.
struct payload {
  std::array<int, 16> words{};
  // Not inlined: the compiler could drop writes that no code seems to read.
  [[gnu::noinline]] void fill(int value) { words.fill(value); }
  [[gnu::noinline]] void expect(int value) const {
    const auto is_it = [value](int word) { return word == value; };
    if (!std::all_of(words.begin(), words.end(), is_it)) {
      std::printf("FAILED: the payload is not %d\n", value);
      std::exit(2);
    }
  }
};

// A function of a stream, and what says that it has run: true once it does.
template <class Await>
void function_before(Await await) {
  const gevt::stream stream(gevt::non_blocking);
  const gevt::event event;
  payload data;
  for (int i = 0; i < rounds; i++) {
    data.fill(-i);
    stream.launch([&data, i] {
      data.expect(-i);
      data.fill(i);
    });
    event.record(stream);
    while (!await(stream, event)) std::this_thread::yield();
    data.expect(i);
  }
}

void function_before_waits() {
  function_before([](auto &, auto &event) { return event.sync(), true; });
  function_before([](auto &, auto &event) { return event.query(); });
  function_before([](auto &, auto &event) { return event.sync_for(1us); });
  function_before([](auto &stream, auto &) { return stream.sync(), true; });
  function_before([](auto &stream, auto &) { return stream.query(); });
  function_before([](auto &stream, auto &) { return stream.sync_for(for_long); });
}

void function_before_context_sync() {
  const gevt::context context(backend);
  const gevt::stream stream(context, gevt::non_blocking), plain(context);
  payload data, more;
  for (int i = 0; i < rounds; i++) {
    stream.launch([&data, i] { data.fill(i); });
    plain.launch([&more, i] { more.fill(i); });
    context.sync();
    data.expect(i);
    more.expect(i);
  }
}

void several_events() {
  std::array<payload, 4> data;
  const std::vector<gevt::event> events(data.size());
  std::vector<gevt::stream> streams;
  for (std::size_t n = 0; n < data.size(); n++) streams.emplace_back(gevt::non_blocking);
  for (int i = 0; i < rounds; i++) {
    for (std::size_t n = 0; n < data.size(); n++) {
      streams[n].launch([&data, n, i] { data[n].fill(i); });
      events[n].record(streams[n]);
    }
    if (i % 2 == 0) data[gevt::sync_any_for(events, for_long).value()].expect(i);
    if (!gevt::sync_all_for(events, for_long)) std::exit(2);
    for (const payload &each : data) each.expect(i);
  }
}

void functions_of_one_stream() {
  const gevt::stream stream(gevt::non_blocking), other(gevt::non_blocking);
  payload data;
  for (int i = 0; i < rounds; i++) {
    stream.launch([&data, i] { data.fill(i); });
    // Lets the stream change its thread.
    other.launch([] { std::this_thread::sleep_for(10us); });
    stream.launch([&data, i] { data.expect(i); });
  }
  stream.sync();
  other.sync();
}

void stream_waits() {
  const gevt::stream first(gevt::non_blocking), second(gevt::non_blocking);
  const gevt::event there, back;
  payload data;
  for (int i = 0; i < rounds; i++) {
    first.launch([&data, i] { data.fill(i); });
    there.record(first);
    second.wait(there);
    second.launch([&data, i] {
      data.expect(i);
      data.fill(-i);
    });
    back.record(second);
    first.wait(back);
    first.launch([&data, i] { data.expect(-i); });
  }
  first.sync();
  second.sync();
}

void stream_waits_for_what_is_done() {
  const gevt::stream first(gevt::non_blocking), second(gevt::non_blocking);
  payload data;
  for (int i = 0; i < rounds; i++) {
    const gevt::event there;
    first.launch([&data, i] { data.fill(i); });
    there.record(first);
    std::this_thread::sleep_for(100us);
    second.wait(there);
    second.launch([&data, i] { data.expect(i); });
    second.sync();
  }
}

void default_stream_orders() {
  const gevt::stream plain, another;
  payload data;
  for (int i = 0; i < rounds; i++) {
    plain.launch([&data, i] { data.fill(i); });
    if (i % 2 == 0) std::this_thread::sleep_for(50us);
    gevt::default_stream().launch([&data, i] {
      data.expect(i);
      data.fill(-i);
    });
    if (i % 3 == 0) std::this_thread::sleep_for(50us);
    another.launch([&data, i] { data.expect(-i); });
    gevt::default_stream().sync();
    data.expect(-i);
  }
}

void callbacks() {
  const gevt::stream stream(gevt::non_blocking);
  for (int i = 0; i < rounds; i++) {
    const gevt::event event;
    payload data;
    int registered = 0;
    // gevt does not make threads wait for a callback to return.
    std::atomic<bool> ended{false};
    stream.launch([&data, i] { data.fill(i); });
    event.record(stream);
    registered = i;
    event.on_complete([&, i](gevt_status_t) {
      data.expect(i);
      if (registered != i) std::exit(2);
      ended = true;
    });
    while (!ended) std::this_thread::yield();
    event.sync();
  }
}

// One thread records. Another thread that only knows the event reads.
void on_another_thread(bool planted) {
  const gevt::stream stream(gevt::non_blocking);
  for (int i = 0; i < rounds; i++) {
    const gevt::event event;
    payload host, device;
    relay recorded;
    std::thread reader([&] {
      recorded.await();
      if (!planted) event.sync();
      host.expect(i + 1);
      if (planted) return;
      device.expect(i + 1);
      // Completion is remembered by now.
      event.sync();
      if (!event.query()) std::exit(2);
    });
    host.fill(i + 1);
    if (i % 2 == 0)
      stream.launch([&device, i] { device.fill(i + 1); });
    else
      device.fill(i + 1);
    event.record(stream);
    recorded.go();
    reader.join();
    stream.sync();
  }
}

// As above, and a third thread learns of the completion from memory, after the second one has.
void a_completion_that_is_remembered() {
  const gevt::stream stream(gevt::non_blocking);
  for (int i = 0; i < rounds; i++) {
    const gevt::event event;
    payload data;
    relay recorded, known;
    std::thread second([&] {
      recorded.await();
      event.sync();
      known.go();
    });
    std::thread third([&] {
      known.await();
      if (!event.query()) std::exit(2);
      data.expect(i);
    });
    stream.launch([&data, i] { data.fill(i); });
    event.record(stream);
    recorded.go();
    second.join();
    third.join();
  }
}

// On the host alone.
void items() {
  const gevt::stream stream(gevt::non_blocking);
  const gevt::event event;
  std::vector<payload> data(64), scratch(64);
  for (int i = 0; i < rounds / 4; i++) {
    for (payload &each : data) each.fill(-i);
    stream.launch_n(data.size(), [&](std::size_t item, std::uint32_t worker) {
      data[item].expect(-i);
      data[item].fill(i);
      scratch[worker].fill(static_cast<int>(item));
    });
    stream.launch([&] {
      for (const payload &each : data) each.expect(i);
      for (payload &each : scratch) each.fill(0);
    });
    event.record(stream);
    if (i % 2 == 0)
      event.sync();
    else
      event.sync_helping();
    for (const payload &each : data) each.expect(i);
  }
}

// Two functions that run at the same time, each on its own thread, and write the same memory.
class racing_pair {
public:
  void first() {
    begun_.await();
    data_.fill(1);
    done_.go();
  }
  void second() {
    begun_.go();
    done_.await();
    data_.fill(2);
  }

private:
  payload data_;
  relay begun_, done_;
};

void race_between_items() {
  const gevt::stream stream(gevt::non_blocking);
  racing_pair pair;
  stream.launch_n(2, [&](std::size_t item, std::uint32_t) { item == 0 ? pair.first() : pair.second(); });
  stream.sync();
}

void race_without_sync() {
  const gevt::stream stream(gevt::non_blocking);
  payload data;
  stream.launch([&data] { data.fill(1); });
  // Long enough for the function to run, and no order.
  std::this_thread::sleep_for(200ms);
  data.fill(2);
  stream.sync();
}

void race_without_wait() {
  const gevt::stream first(gevt::non_blocking), second(gevt::non_blocking);
  racing_pair pair;
  first.launch([&] { pair.first(); });
  second.launch([&] { pair.second(); });
  first.sync();
  second.sync();
}

constexpr struct {
  const char *name;
  void (*run)();
} cases[] = {
    {"function_before_waits", function_before_waits},
    {"function_before_context_sync", function_before_context_sync},
    {"several_events", several_events},
    {"functions_of_one_stream", functions_of_one_stream},
    {"stream_waits", stream_waits},
    {"stream_waits_for_what_is_done", stream_waits_for_what_is_done},
    {"default_stream_orders", default_stream_orders},
    {"callbacks", callbacks},
    {"another_thread", [] { on_another_thread(false); }},
    {"a_completion_that_is_remembered", a_completion_that_is_remembered},
    {"items_host", items},
    {"race_without_sync", race_without_sync},
    {"race_without_wait", race_without_wait},
    {"race_on_host_memory", [] { on_another_thread(true); }},
    {"race_between_items_host", race_between_items},
};

} // namespace

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "host";
  backend = std::strcmp(name, "cuda") == 0     ? gevt::backend::cuda
            : std::strcmp(name, "vulkan") == 0 ? gevt::backend::vulkan
                                               : gevt::backend::host;
  std::error_code ec;
  if (gevt::device_count(backend, ec) == 0 && ec.value() == GEVT_ERROR_NO_DEVICE) {
    std::printf("SKIPPED: there is no %s device\n", backend == gevt::backend::cuda ? "CUDA" : "Vulkan");
    return 0;
  }
  const gevt::context context(backend);
  context.set_current();
  for (const auto &each : cases) {
    const bool is_race = std::strncmp(each.name, "race", 4) == 0;
    const std::size_t length = std::strlen(each.name);
    // Vulkan's default stream orders no others.
    if (backend == gevt::backend::vulkan && each.run == default_stream_orders) continue;
    if (backend != gevt::backend::host && std::strcmp(each.name + length - 5, "_host") == 0) continue;
    if (argc > 2 ? std::strcmp(each.name, argv[2]) != 0 : is_race) continue;
    std::printf("case %s\n", each.name);
    std::fflush(stdout);
    each.run();
  }
}
