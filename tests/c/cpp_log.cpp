// gevt::log_sink: callables that receive the log.
// usage: cpp_log [host|cuda]
#include "thrown.h"

#include <string_view>
#include <type_traits>
#include <utility>

namespace {

// Counts its messages, and the objects of its type; moved, never copied.
struct sink_body {
  explicit sink_body(int *told) : count(told) { alive++; }
  sink_body(sink_body &&other) noexcept : count(other.count) { alive++; }
  sink_body(const sink_body &) = delete;
  ~sink_body() { alive--; }
  void operator()(gevt::log_level level, std::string_view message) {
    CHECK(level == gevt::log_level::warn && message.find("gevt_query") != message.npos);
    ++*count;
  }
  int *count;
  static inline int alive = 0;
};

// Callables for the log, several at once.
void log_sinks() {
  const gevt::event_ref nothing(gevt_event_t{});
  std::error_code ec;
  int told[3] = {};
  {
    gevt::log_sink one(gevt::log_level::warn, sink_body(&told[0]));
    gevt::log_sink other(gevt::log_level::info, sink_body(&told[1]), ec = spoiled());
    CHECK(!ec && one && other && sink_body::alive == 2);
    CHECK(!nothing.query(ec) && told[0] == 1 && told[1] == 1);
    one = std::move(other);
    CHECK(sink_body::alive == 1 && one && !other);
    CHECK(!nothing.query(ec) && told[0] == 1 && told[1] == 2);
    gevt::log_sink last(std::move(one));
    CHECK(!nothing.query(ec) && told[1] == 3);
    last.destroy();
    CHECK(!last && sink_body::alive == 0);
    CHECK(!nothing.query(ec) && told[1] == 3);
  }
  // Two of a type without state are two, and an lvalue is copied.
  static int calls;
  const auto counts = [](gevt::log_level, std::string_view) { calls++; };
  {
    const gevt::log_sink one(gevt::log_level::warn, counts), other(gevt::log_level::warn, counts);
    CHECK(!nothing.query(ec) && calls == 2);
  }
  CHECK(!nothing.query(ec) && calls == 2);
  // A level that does not exist.
  const gevt::log_sink none(gevt::log_level{99}, sink_body(&told[2]), ec);
  CHECK(ec == gevt::errc::invalid_value && !none && sink_body::alive == 0);
  CHECK(thrown_by([&] { gevt::log_sink(gevt::log_level{99}, sink_body(&told[2])); }).code() ==
        gevt::errc::invalid_value);
  CHECK(sink_body::alive == 0 && told[2] == 0);
  static_assert(!std::is_constructible_v<gevt::log_sink, gevt::log_level, int>);
  static_assert(!std::is_copy_constructible_v<gevt::log_sink> && std::is_nothrow_move_constructible_v<gevt::log_sink>);
}

} // namespace

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(log_sinks);
  return subject_end();
}
