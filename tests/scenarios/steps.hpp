// The steps of scenarios: the functions of gevt, and questions to the tests' own objects.
#pragma once

#include "callbacks.hpp"
#include "executors.hpp"
#include "handles.hpp"

static answer timed(gevt_status_t status, unsigned long long timeout) {
  answer told = status;
  told.least = status == GEVT_ERROR_TIMEOUT ? timeout : 0;
  return told;
}

static answer of_number(answer told, double number) {
  if (told.status == GEVT_SUCCESS) told.value = std::to_string((long long)number);
  told.touched = told.touched && told.status != GEVT_SUCCESS;
  return told;
}

// A busy device may refuse to compare its clock.
static bool is_uncalibrated(gevt_status_t status) {
  if (status != GEVT_ERROR_ILLEGAL_STATE || gevt_last_detail() != GEVT_DETAIL_NOT_CALIBRATED) return false;
  // The call that succeeds in the end leaves this failure as it was before.
  check_spoil_detail(GEVT_DETAIL_NONE);
  return true;
}

static answer any(arguments &a) {
  unsigned long long timeout = a.within_or(GEVT_TIMEOUT_INFINITE);
  event_array events(a);
  size_t index;
  answer told = into(
      a, index, [&](size_t *out) { return timed(api::sync_any(out, events.array, events.count, timeout), timeout); });
  if (told.touched) told.value = std::to_string(index);
  // The index says which event completed, or failed.
  const gevt_detail_t failures[] = {GEVT_DETAIL_EVENT_FAILED, GEVT_DETAIL_CONTEXT_LOST, GEVT_DETAIL_IPC_PEER_GONE};
  bool is_told = told.status == GEVT_SUCCESS || std::count(failures, failures + 3, gevt_last_detail());
  told.touched = told.touched && !is_told;
  told.touched = told.touched || events.touched();
  return told;
}

// The times from each event to the next one, by one call: each pair has the status and the time that it has alone. The value says how many
// have a time. "with" has a bit for each array that is NULL; with 16 nothing is compared, as
// the events are recorded meanwhile.
static answer elapsed_n(arguments &a) {
  uint32_t missing = a.flags_or(0);
  bool too_many = a.is("too-many");
  if (too_many) a.word();
  std::vector<gevt_event_t> events = a.events();
  const size_t pairs = events.size() > 1 ? events.size() - 1 : 0;
  std::vector<int64_t> ns(pairs + 1);
  std::vector<gevt_status_t> statuses(pairs + 1);
  pattern_fill(ns.data(), ns.size() * sizeof ns[0]);
  pattern_fill(statuses.data(), statuses.size() * sizeof statuses[0]);
  const std::string message = gevt_last_message();
  answer told = api::elapsed_n(missing & 1 ? nullptr : ns.data(), missing & 2 ? nullptr : statuses.data(),
                               missing & 4 ? nullptr : events.data(), missing & 8 ? nullptr : events.data() + 1,
                               too_many ? SIZE_MAX : pairs);
  const size_t answered = told.status == GEVT_SUCCESS ? pairs : 0;
  told.touched = !pattern_intact(&ns[answered], (pairs + 1 - answered) * sizeof ns[0]) ||
                 !pattern_intact(&statuses[answered], (pairs + 1 - answered) * sizeof statuses[0]);
  if (told.status != GEVT_SUCCESS) return told;
  CHECK(message == gevt_last_message());
  long long times = 0;
  for (size_t i = 0; i < pairs; i++) {
    int64_t alone;
    if (missing & 16) {
      CHECK(statuses[i] == GEVT_ERROR_NOT_READY || (statuses[i] == GEVT_SUCCESS && ns[i] >= 0));
      continue;
    }
    pattern_fill(&alone, sizeof alone);
    CHECK_EQUAL(api::elapsed_ns(&alone, events[i], events[i + 1]), statuses[i]);
    CHECK_EQUAL(alone, ns[i]);
    times += statuses[i] == GEVT_SUCCESS;
  }
  return told.touched ? told : answer::of(times);
}

static const long long began = now_ns();

// host_time EVENT [error|earliest|latest|uncertain]: with a time limit it is asked for until the clocks have been compared. A failure writes
// neither output.
static answer host_time(arguments &a) {
  int64_t ns;
  uint64_t error;
  gevt_event_t event = a.event();
  std::string field = a.more() ? a.word() : "";
  answer told;
  do {
    pattern_fill(&error, sizeof error);
    told = into(a, ns, [&](int64_t *out) {
      return api::host_time(field == "error" ? nullptr : out, a.nothing ? nullptr : &error, event);
    });
  } while (a.within && (told.status == GEVT_ERROR_NOT_READY || is_uncalibrated(told.status)));
  told.touched = told.status != GEVT_SUCCESS && (told.touched || !pattern_intact(&error, sizeof error));
  if (told.status != GEVT_SUCCESS) return told;
  // The clocks were compared within the process's life; a busy machine may have stretched that.
  CHECK((long long)error < now_ns() - began + 2 * MILLISECOND);
  int64_t uncertain = (int64_t)error;
  told.value = std::to_string(field == "earliest"    ? ns - uncertain
                              : field == "latest"    ? ns + uncertain
                              : field == "uncertain" ? uncertain
                                                     : ns);
  return told;
}

// What the case has held: its host functions, which a backend may run one after another.
static std::vector<gate_t *> held;

static answer hold(arguments &a) {
  gevt_stream_t stream = a.stream();
  std::string name = a.word();
  if (objects.find(name)) throw mistake(name + " is there already");
  gate_t &gate = objects.gate(name);
  for (gate_t *earlier : held) {
    if (!earlier->open) {
      gate_await_entry(earlier);
      break;
    }
  }
  held.push_back(&gate);
  return answer(api::stream_launch(stream, gate_pass, &gate), "gevt_stream_launch");
}

// The next case has as many threads as the first one.
static std::atomic<bool> threads_are_set{false};

// For which a function that works had no core.
static std::atomic<long long> longest_pause{0};

// A call that ends its object.
template <class T>
static step_body ends(gevt_status_t (*call)(T *)) {
  return [call](arguments &a) {
    T *object = take<T *>(a);
    answer told = call(object);
    if (told.status == GEVT_SUCCESS) objects.ended(bits(object));
    return told;
  };
}

// A call that waits for one object.
template <class T>
static step_body waits(gevt_status_t (*call)(T *, uint64_t)) {
  return [call](arguments &a) {
    uint64_t timeout = a.within_or(HANG_LIMIT);
    return timed(call(take<T *>(a), timeout), timeout);
  };
}

// A call that gives one object's native one.
template <class T>
static step_body gives_native(gevt_status_t (*call)(void **, T *)) {
  return [call](arguments &a) {
    T *object = take<T *>(a);
    return native_out(a, [&](void **out) { return call(out, object); });
  };
}

// A call that gives a number; a time may be in another unit than nanoseconds.
template <class Number, class... T>
static step_body gives(gevt_status_t (*call)(Number *, T...), double unit = 1) {
  return [=](arguments &a) {
    Number number;
    std::tuple<T...> words{take<T>(a)...};
    answer told = into(a, number,
                       [&](Number *out) { return std::apply([&](T... taken) { return call(out, taken...); }, words); });
    return of_number(told, (double)number * unit);
  };
}

// Threads may make steps until the process has ended, so the tables of steps and the objects are not destroyed.
static const auto &steps = *new std::map<std::string, step_function>{
    {"event",
     [](arguments &a) {
       const uint32_t flags = a.flags_or(GEVT_EVENT_DEFAULT);
       const char *function = a.context_name ? "gevt_create_in" : "gevt_create";
       return make<gevt_event_t>(a, kind::event, function, [&](gevt_event_t *out) {
         return a.context_name ? api::create_in(out, a.in(nullptr), flags) : api::create(out, flags);
       });
     }},
    {"stream",
     [](arguments &a) {
       return make<gevt_stream_t>(a, kind::stream, "gevt_stream_create", [&](gevt_stream_t *out) {
         return api::stream_create(out, a.in(subject_context), a.flags_or(GEVT_STREAM_NON_BLOCKING));
       });
     }},
    {"stream_wrap", // NAME NATIVE [in CONTEXT]
     [](arguments &a) {
       return make<gevt_stream_t>(a, kind::stream, "gevt_stream_wrap", [&](gevt_stream_t *out) {
         return api::stream_wrap(out, a.in(subject_context), take<void *>(a));
       });
     }},
    {"context", // NAME BACKEND DEVICE
     [](arguments &a) {
       return make<gevt_context_t>(a, kind::context, "gevt_context_open", [&](gevt_context_t *out) {
         const auto backend = take<gevt_backend_t>(a);
         return api::context_open(out, backend, take<int32_t>(a));
       });
     }},
    {"context_wrap", // NAME BACKEND NATIVE
     [](arguments &a) {
       return make<gevt_context_t>(a, kind::context, "gevt_context_wrap", [&](gevt_context_t *out) {
         const auto backend = take<gevt_backend_t>(a);
         return api::context_wrap(out, backend, take<void *>(a));
       });
     }},
    {"wrap", // NAME NATIVE [in CONTEXT] [with FLAGS]
     [](arguments &a) {
       return make<gevt_event_t>(a, kind::event, "gevt_wrap", [&](gevt_event_t *out) {
         return api::wrap(out, a.in(subject_context), take<void *>(a), a.flags_or(GEVT_EVENT_DEFAULT));
       });
     }},
    {"destroy", ends(api::destroy)},
    {"stream_destroy", ends(api::stream_destroy)},
    {"context_close", ends(api::context_close)},
    {"query", api::query},
    {"sync", api::sync},
    {"sync_timeout", waits(api::sync_timeout)},
    {"sync_helping", waits(api::sync_helping)},
    {"sync_all",
     [](arguments &a) {
       unsigned long long timeout = a.within_or(GEVT_TIMEOUT_INFINITE);
       event_array events(a);
       answer told = timed(api::sync_all(events.array, events.count, timeout), timeout);
       told.touched = events.touched();
       return told;
     }},
    {"sync_any", any},
    {"record",
     [](gevt_event_t event, gevt_stream_t stream, arguments &a) {
       if (!a.flags) return answer(api::record(event, stream));
       return answer(api::record_with_flags(event, stream, a.flags_or(0)), "gevt_record_with_flags");
     }},
    {"stream_wait", [](gevt_stream_t stream, gevt_event_t event,
                       arguments &a) { return api::stream_wait(stream, event, a.flags_or(GEVT_WAIT_DEFAULT)); }},
    {"stream_query", api::stream_query},
    {"stream_sync", api::stream_sync},
    {"stream_sync_timeout", waits(api::stream_sync_timeout)},
    {"stream_launch", // STREAM TASK: counts the calls
     [](gevt_stream_t stream, const std::string &name) {
       return api::stream_launch(stream, name == "null" ? nullptr : note_run, &objects.work(name));
     }},
    {"stream_launch_n", // STREAM COUNT TASK: counts the items when they have run
     [](gevt_stream_t stream, size_t count, const std::string &name) {
       task &work = objects.work(name);
       return launch_items(stream, count, name == "null" ? nullptr : note_item, &work, work);
     }},
    {"items", // how many of a task ran, and each of them as often as the others
     [](task &work) {
       const auto &ran = work.items->ran;
       for (const auto &each : ran) {
         if (each != ran[0] || each == 0) return answer::of("uneven");
       }
       return answer::of((long long)ran.size());
     }},
    {"thread_name", [](const char *name) { CHECK_EQUAL(pthread_setname_np(pthread_self(), name), 0); }},
    {"on_complete", // EVENT TASK: counts the calls; those of nobody have a NULL pointer
     [](gevt_event_t event, const std::string &name) {
       task *work = &objects.work(name);
       if (name == "null") return api::on_complete(event, nullptr, work);
       const bool is_nobodys = name == "nobody";
       if (is_nobodys) nobody = work;
       const gevt_status_t status =
           api::on_complete(event, is_nobodys ? note_nobody : note_call, is_nobodys ? nullptr : work);
       if (status == GEVT_SUCCESS) __atomic_fetch_add(&work->accepted, 1, __ATOMIC_SEQ_CST);
       return status;
     }},
    {"context_sync", api::context_sync},
    {"context_sync_timeout", waits(api::context_sync_timeout)},
    {"context_set_current", api::context_set_current},
    {"context_get_current", // [NAME]
     [](arguments &a) {
       gevt_context_t context;
       answer told = into(a, context, [](gevt_context_t *out) { return api::context_get_current(out); });
       if (told.status != GEVT_SUCCESS) return told;
       if (a.more()) objects.bind(a.word(), {kind::context, bits(context)}).live = false;
       told.value = objects.name_of(bits(context));
       told.touched = false;
       return told;
     }},
    {"device_count", gives(api::device_count)},
    {"signal", // EVENT [STATUS]
     [](gevt_event_t event, arguments &a) {
       return api::signal(event, a.more() ? status_of(a.word()) : GEVT_SUCCESS);
     }},
    {"reset", api::reset},
    {"elapsed", gives(api::elapsed, MILLISECOND)},
    {"elapsed_ns", gives(api::elapsed_ns)},
    {"elapsed_n", elapsed_n},
    {"host_time", host_time},
    {"context_calibrate", // again, until the device is not too busy
     [](gevt_context_t context) {
       gevt_status_t status;
       do {
         status = api::context_calibrate(context);
       } while (is_uncalibrated(status));
       return status;
     }},
    {"calibrate_once",
     [](gevt_context_t context) { return answer(api::context_calibrate(context), "gevt_context_calibrate"); }},
    {"native", gives_native(api::native)}, // EVENT [NAME]
    {"context_native", gives_native(api::context_native)},
    {"stream_native", gives_native(api::stream_native)},
    {"stream_set_name", api::stream_set_name},
    // log TASK LEVEL: the task receives the messages. log_end TASK. said TASK "TEXT": whether that is in its last one;
    // said TASK last: whether that was gevt_last_message.
    {"log",
     [](const std::string &name, gevt_log_level_t level) {
       task &work = objects.work(name);
       return answer(log_begin(work, name == "null" ? nullptr : note_logged, &work, level), "gevt_set_log_callback");
     }},
    {"log_end", [](task &work) { return answer(log_end(work), "gevt_set_log_callback"); }},
    {"said",
     [](task &work, const std::string &text) {
       if (text == "last") return std::string(work.said_last ? "yes" : "no");
       return work.said.find(text) == std::string::npos ? work.said : "yes";
     }},
    {"getenv", // NAME OTHERWISE
     [](const char *name, const std::string &otherwise) {
       const char *value = getenv(name);
       return value && *value ? value : otherwise;
     }},
    {"host_get_threads", gives(api::host_get_threads)},
    {"host_set_executor", set_executor},
    {"run_held", run_held},
    {"host_set_threads",
     [](uint32_t threads) {
       threads_are_set = true;
       return api::host_set_threads(threads);
     }},
    {"set_name", api::set_name},
    {"info", info},
    {"context_get_info", context_info},
    {"stream_get_info", stream_info},
    {"trace_start", api::trace_start},
    {"trace_stop", api::trace_stop},
    {"status_name", api::status_name},
    {"status_string", api::status_string},
    {"detail_name", api::detail_name},
    {"version", // whether its number says the same as its text
     [] {
       unsigned major = 0, minor = 0, patch = 0;
       bool is_whole = sscanf(api::version_string(), "%u.%u.%u", &major, &minor, &patch) == 3;
       return is_whole && api::version() == major * 10000 + minor * 100 + patch;
     }},
    {"live_events", api::live_events},
    // A host function in the stream that ends when the gate is opened.
    {"hold", hold},
    {"open", [](const std::string &name) { gate_open(objects.of(name, kind::gate).gate); }},
    {"enter", [](gate_t *gate) { gate_pass(gate); }},
    {"await_entry", gate_await_entry},
    {"passed", [](const std::string &name) { return gate_passed(objects.of(name, kind::gate).gate) != 0; }},
    // For "let": the host's clock; any word.
    {"now", now_ns},
    {"value", [](const std::string &word) { return word; }},
    // Whether gevt has no more threads than a few for each core.
    {"threads", [] { return std::string(thread_count() <= 2 * threads_of_gevt() + 128 ? "few" : "many"); }},
    {"spin", // until the gate is open, without sleep
     [](gate_t *gate) {
       pthread_mutex_lock(&gate->mutex);
       gate->entered = 1;
       pthread_cond_broadcast(&gate->changed);
       pthread_mutex_unlock(&gate->mutex);
       while (!__atomic_load_n(&gate->open, __ATOMIC_SEQ_CST)) {}
     }},
    {"work", // so much time of a core
     [](long long time) {
       const long long end = thread_cpu_ns() + time;
       long long last = now_ns();
       while (thread_cpu_ns() < end) {
         const long long now = now_ns(), pause = now - last;
         for (long long most = longest_pause; pause > most && !longest_pause.compare_exchange_weak(most, pause);) {}
         last = now;
       }
     }},
    {"most", // TASK [within TIME]: how many of its functions ran at once; 0 if one that worked had no core for longer
     [](const std::string &name, arguments &a) {
       const long long most = objects.work(name).most;
       return a.within && longest_pause.exchange(0) > (long long)a.within_or(0) ? 0 : most;
     }},
    {"unset", // NAME [VALUE]: a variable of the environment, or has another value
     [](arguments &a) {
       const char *value = getenv(a.word().c_str());
       const std::string only = a.more() ? a.word() : "";
       return can(!value || !*value || (only != "" && only != value));
     }},
    // How often a function or callback ran; await waits until it has so often; its last status; and whether on another thread.
    {"count", [](const std::string &name) { return (long long)count_of(&objects.work(name).calls); }},
    {"await",
     [](const std::string &name,
        int least) { return count_await(&objects.work(name).calls, least) ? GEVT_SUCCESS : GEVT_ERROR_TIMEOUT; }},
    {"accepted",
     [](task &work) { return (long long)__atomic_load_n(&work.accepted, __ATOMIC_SEQ_CST); }}, // as a callback
    {"status", [](task &work) { return (long long)work.status; }},
    {"thread", // TASK [ANOTHER]: whether it ran on this thread, or on the thread of the other
     [](arguments &a) {
       // It may be running again.
       const auto thread_of = [](const std::string &name) {
         return __atomic_load_n(&objects.of(name, kind::task).work->thread, __ATOMIC_SEQ_CST);
       };
       const pthread_t its = thread_of(a.word());
       return std::string(pthread_equal(its, a.more() ? thread_of(a.word()) : pthread_self()) ? "same" : "other");
     }},
    {"answers", // TASK ANSWER: how many of the threads that began at once had that answer
     [](task &work, const std::string &word) {
       return (long long)std::count_if(work.answers.begin(), work.answers.end(),
                                       [&](const answer &told) { return is_answer(word, told); });
     }},
    {"refusals", refusals_of},
    {"flipped_bits", flipped_bits},
    // A thread that was started: whether it sleeps in its call; whether it has returned.
    {"parked", [](task &work) { return thread_await_parked(&work.tid) != 0; }},
    {"returned", [](task &work) { return count_of(&work.done) != 0; }},
    {"sleep", sleep_ns},
};
