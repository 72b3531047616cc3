// What the words of a scenario name: objects, numbers, answers.
#pragma once

#include "../c/objects.h"
#include "../calls/lines.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

// gevt's functions as the steps call them. With TEST_HPP, namespace api has many of them through gevt.hpp.
namespace of_c {
#define FUNCTION(name, kind, handles, answers, call) inline const auto name = &gevt_##name;
#include "../functions.def"
#undef FUNCTION
}
namespace api {
using namespace of_c;
}

using variables = std::map<std::string, std::string>;

// What a step answers. A call has a status, a question only a value.
struct answer {
  bool is_call = true;
  gevt_status_t status = GEVT_SUCCESS;
  gevt_detail_t detail = GEVT_DETAIL_NONE;
  std::string message, value;
  std::string function;         // the function that the message must name
  bool touched = false;         // an output was written
  unsigned long long least = 0; // nanoseconds that it must take to time out

  answer() = default;
  answer(gevt_status_t status, const char *function = "") : status(status), function(function) {}
  static answer of(std::string value) {
    answer told;
    told.is_call = false;
    told.value = std::move(value);
    return told;
  }
  static answer of(long long value) { return of(std::to_string(value)); }
};

// The items of a task's launches, which all have the same number: how often each ran, and the workers inside.
struct items {
  explicit items(size_t count) : ran(count) {}
  std::vector<std::atomic<int>> ran;
  std::array<std::atomic<bool>, 1024> inside{};
  uint32_t workers = 0;
};

// The calls of a function or callback: how many there were, how many are inside now, the most at once, and what its step answered.
// A log function also keeps its last message.
struct task {
  int calls = 0, done = 0, tid = 0, accepted = 0;
  std::atomic<int> now{0}, most{0};
  gevt_status_t status = GEVT_SUCCESS;
  pthread_t thread{};
  bool is_thread = false, joined = false;
  // Several functions that run at once may have one name.
  std::atomic<bool> has_steps{false}, keeps{false}, ends{false};
  answer last;
  // Those of threads that began at once.
  std::vector<answer> answers;
  std::unique_ptr<struct items> items;
  gevt_log_fn_t log = nullptr;
  void *log_user = nullptr;
  std::string said;
  bool said_last = false;
};

enum class kind { event, stream, context, gate, task, process };

struct object {
  kind is;
  uintptr_t handle = 0;
  gate_t *gate = nullptr;
  task *work = nullptr;
  bool live = true;
};

struct closed_gate : gate_t {
  closed_gate() : gate_t GATE_CLOSED {}
};

// It does not sleep. gevt starts another worker for a function that sleeps, and the tests count the workers.
class spin_lock {
public:
  void lock() {
    while (held.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { held.clear(std::memory_order_release); }

private:
  std::atomic_flag held = ATOMIC_FLAG_INIT;
};

class names {
public:
  object &bind(const std::string &name, const object &named) {
    std::lock_guard<spin_lock> held(lock);
    auto found = table.find(name);
    if (found != table.end() && found->second.live) throw mistake(name + " is there already");
    if (found == table.end()) order.push_back(name);
    return table[name] = named;
  }
  object *find(const std::string &name) {
    std::lock_guard<spin_lock> held(lock);
    auto found = table.find(name);
    return found == table.end() ? nullptr : &found->second;
  }
  // Another thread may give the name to another object meanwhile.
  uintptr_t handle(const std::string &name) {
    std::lock_guard<spin_lock> held(lock);
    auto found = table.find(name);
    return found == table.end() ? 0 : found->second.handle;
  }
  object &of(const std::string &name, kind is) {
    object *found = find(name);
    if (!found || found->is != is) throw mistake("nothing of that kind is called " + name);
    return *found;
  }
  gate_t &gate(const std::string &name) { return made<closed_gate>(name, kind::gate, &object::gate); }
  task &work(const std::string &name) { return made<task>(name, kind::task, &object::work); }
  std::string name_of(uintptr_t handle) {
    std::lock_guard<spin_lock> held(lock);
    if (handle == 0) return "null";
    for (auto &entry : table) {
      if (entry.second.handle == handle) return entry.first;
    }
    return "another";
  }
  void ended(uintptr_t handle) {
    std::lock_guard<spin_lock> held(lock);
    for (auto &entry : table) {
      if (entry.second.handle == handle) entry.second.live = false;
    }
  }
  // The live ones of a kind, in the order of their making.
  std::vector<object *> all(kind is) {
    std::vector<object *> found;
    for (const std::string &name : order) {
      object &one = table[name];
      if (one.is == is && one.live) found.push_back(&one);
    }
    return found;
  }
  bool empty() const { return table.size() <= 1; }
  void clear() {
    table.clear();
    order.clear();
  }

private:
  // The host functions of a case may outlive it, so these are never freed. Two threads may ask for a new one at once.
  template <class Made, class T>
  T &made(const std::string &name, kind is, T *object::*pointer) {
    static auto &all = *new std::deque<Made>;
    static spin_lock held;
    std::lock_guard<spin_lock> guard(held);
    if (find(name)) return *(of(name, is).*pointer);
    object named{is};
    named.*pointer = &all.emplace_back();
    return *(bind(name, named).*pointer);
  }
  spin_lock lock;
  std::map<std::string, object> table;
  std::vector<std::string> order;
};

static names &objects = *new names;

// A number: decimal or 0x, with a unit of time, the name of a value of gevt.h, or flags such as STRICT|4. False for any other word.
static bool number_of(const std::string &word, unsigned long long &number) {
  // Threads may ask until the process has ended.
  static const std::pair<const char *, unsigned long long> known[] = {{"DEFAULT", 0},
                                                                      {"BLOCKING_SYNC", GEVT_EVENT_BLOCKING_SYNC},
                                                                      {"DISABLE_TIMING", GEVT_EVENT_DISABLE_TIMING},
                                                                      {"INTERPROCESS", GEVT_EVENT_INTERPROCESS},
                                                                      {"STRICT", GEVT_EVENT_STRICT},
                                                                      {"HOST_SIGNALED", GEVT_EVENT_HOST_SIGNALED},
                                                                      {"NON_BLOCKING", GEVT_STREAM_NON_BLOCKING},
                                                                      {"EXTERNAL", GEVT_RECORD_EXTERNAL},
                                                                      {"auto", GEVT_BACKEND_AUTO},
                                                                      {"host", GEVT_BACKEND_HOST},
                                                                      {"cuda", GEVT_BACKEND_CUDA},
                                                                      {"vulkan", GEVT_BACKEND_VULKAN},
                                                                      {"UNRECORDED", GEVT_STATE_UNRECORDED},
                                                                      {"PENDING", GEVT_STATE_PENDING},
                                                                      {"COMPLETE", GEVT_STATE_COMPLETE},
                                                                      {"CAPTURED", GEVT_STATE_CAPTURED},
                                                                      {"FAILED", GEVT_STATE_FAILED},
                                                                      {"infinite", GEVT_TIMEOUT_INFINITE},
                                                                      {"LOG_OFF", GEVT_LOG_OFF},
                                                                      {"LOG_ERROR", GEVT_LOG_ERROR},
                                                                      {"LOG_WARN", GEVT_LOG_WARN},
                                                                      {"LOG_INFO", GEVT_LOG_INFO},
                                                                      {"max", INT32_MAX},
                                                                      {"min", (unsigned long long)INT32_MIN}};
  static const auto &units = *new std::map<std::string, unsigned long long>{
      {"", 1}, {"ns", 1}, {"us", 1000}, {"ms", MILLISECOND}, {"s", SECOND}};
  number = 0;
  for (size_t from = 0; from <= word.size();) {
    size_t to = std::min(word.find('|', from), word.size());
    std::string part = word.substr(from, to - from);
    auto named = std::find_if(std::begin(known), std::end(known), [&](const auto &one) { return one.first == part; });
    char *rest = nullptr;
    unsigned long long value = strtoull(part.c_str(), &rest, 0);
    if (named != std::end(known)) {
      value = named->second;
    } else {
      auto unit = units.find(rest);
      if (rest == part.c_str() || unit == units.end()) return false;
      value *= unit->second;
    }
    number |= value;
    from = to + 1;
  }
  return true;
}

static std::string status_name(gevt_status_t status) {
  std::string name = gevt_status_name(status);
  if (name == gevt_status_name(INT32_MAX)) return std::to_string(status);
  return name.substr(name.compare(0, 11, "GEVT_ERROR_") == 0 ? 11 : 5);
}

// FAILURE is any but SUCCESS; ANY is any; A|B is one of two.
static bool is_status(const std::string &word, gevt_status_t status) {
  size_t bar = word.find('|');
  if (bar != std::string::npos)
    return is_status(word.substr(0, bar), status) || is_status(word.substr(bar + 1), status);
  if (word == "FAILURE" || word == "ANY") return word == "ANY" || status != GEVT_SUCCESS;
  if (isdigit((unsigned char)word[0])) return word == std::to_string(status);
  return word == status_name(status) || word == std::to_string(status);
}

// As above; a detail is a failure with that detail.
static bool is_answer(const std::string &word, const answer &told) {
  const size_t bar = word.find('|');
  if (bar != std::string::npos) return is_answer(word.substr(0, bar), told) || is_answer(word.substr(bar + 1), told);
  return is_status(word, told.status) ||
         (told.detail != GEVT_DETAIL_NONE && "GEVT_DETAIL_" + word == gevt_detail_name(told.detail));
}

static gevt_status_t status_of(const std::string &word) {
  char *rest = nullptr;
  long long number = strtoll(word.c_str(), &rest, 10);
  if (!*rest && !word.empty()) return (gevt_status_t)number;
  for (gevt_status_t status = 0; status < 1000; status++) {
    if (word == status_name(status)) return status;
  }
  throw mistake("no status is called " + word);
}

// Whether an answer is what is expected: STATUS [DETAIL] [OPERATOR VALUE] ["PART OF THE MESSAGE"], or a value.
static std::string difference(const answer &told, words expected) {
  if (expected.empty() && told.is_call && told.status == GEVT_SUCCESS && !told.touched) return "";
  std::string got = told.is_call ? status_name(told.status) : "\"" + told.value + "\"";
  if (told.is_call && told.status != GEVT_SUCCESS && told.status != GEVT_ERROR_NOT_READY)
    got += std::string(" ") + gevt_detail_name(told.detail) + ", last message: " + told.message;
  if (told.touched) return "an output was written; got " + got;
  if (expected.empty()) expected.push_back(told.is_call ? "SUCCESS" : "");
  size_t next = 0;
  if (told.is_call && !is_answer(expected[next++], told)) return "got " + got;
  for (; next < expected.size(); next++) {
    const std::string &word = expected[next];
    if (word[0] == '"') {
      if (told.is_call ? told.message.find(word.substr(1)) == std::string::npos : told.value != word.substr(1))
        return "not " + word + "\"; got " + got;
    } else if (word == "at" || word == ">=" || word == "<=" || word == ">" || word == "==") {
      if (++next == expected.size()) throw mistake("a value is missing");
      long long value = atoll(told.value.c_str());
      unsigned long long number = 0;
      bool is_number = number_of(expected[next], number);
      long long other = (long long)number;
      bool holds = told.value.empty() ? false
                   : word == ">="     ? value >= other
                   : word == "<="     ? value <= other
                   : word == ">"      ? value > other
                   : is_number        ? value == other
                                      : told.value == expected[next];
      if (!holds) return "got " + got + (told.value.empty() ? "" : " " + told.value);
    } else if (told.is_call) {
      if (std::string("GEVT_DETAIL_") + word != gevt_detail_name(told.detail)) return "got " + got;
    } else {
      unsigned long long one, other;
      bool same = told.value == word || (number_of(told.value, other) && ((number_of(word, one) && one == other) ||
                                                                          is_status(word, atoi(told.value.c_str()))));
      if (!same) return "got " + got;
    }
  }
  return "";
}
