// The steps of scenarios: the functions of gevt, and questions to the tests' own objects.
#pragma once

#include "infos.hpp"

static answer timed(gevt_status_t status, unsigned long long timeout) {
  answer told = status;
  told.least = status == GEVT_ERROR_TIMEOUT ? timeout : 0;
  return told;
}

static answer of_time(answer told, double ns) {
  if (told.status == GEVT_SUCCESS) told.value = std::to_string((long long)ns);
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
      a, index, [&](size_t *out) { return timed(gevt_sync_any(out, events.array, events.count, timeout), timeout); });
  if (told.touched) told.value = std::to_string(index);
  // The index says which event failed.
  told.touched = told.touched && told.status != GEVT_SUCCESS && gevt_last_detail() != GEVT_DETAIL_EVENT_FAILED;
  told.touched = told.touched || events.touched();
  return told;
}

// The times from each event to the next one, by one call: each pair has the status and the time that it has alone. The value says how many
// have a time. "with" has a bit for each array that is NULL.
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
  answer told = gevt_elapsed_n(missing & 1 ? nullptr : ns.data(), missing & 2 ? nullptr : statuses.data(),
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
    pattern_fill(&alone, sizeof alone);
    CHECK_EQUAL(gevt_elapsed_ns(&alone, events[i], events[i + 1]), statuses[i]);
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
      return gevt_host_time(field == "error" ? nullptr : out, a.nothing ? nullptr : &error, event);
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
  answer told = gevt_stream_launch(stream, gate_pass, &gate);
  told.function = "gevt_stream_launch";
  return told;
}

static void note_call(void *user, gevt_status_t status) {
  task *work = static_cast<task *>(user);
  // Streams may run the same function at once.
  pthread_t self = pthread_self();
  __atomic_store(&work->thread, &self, __ATOMIC_SEQ_CST);
  __atomic_store_n(&work->status, status, __ATOMIC_SEQ_CST);
  count_up(&work->calls);
}

static void note_run(void *user) {
  note_call(user, GEVT_SUCCESS);
}

// The user pointer belongs to the caller: NULL is as good as any.
static task *nobody;

static void note_nobody(void *user, gevt_status_t status) {
  CHECK(user == nullptr);
  note_call(nobody, status);
}

using step_function = std::function<answer(arguments &)>;

// A call with one object.
template <class T>
static step_function one(gevt_status_t (*call)(T *)) {
  return [call](arguments &a) { return answer(call(reinterpret_cast<T *>(a.handle()))); };
}

// A call that ends its object.
template <class T>
static step_function ends(gevt_status_t (*call)(T *)) {
  return [call](arguments &a) {
    uintptr_t handle = a.handle();
    gevt_status_t status = call(reinterpret_cast<T *>(handle));
    if (status == GEVT_SUCCESS) objects.ended(handle);
    return answer(status);
  };
}

// A call that waits for one object.
template <class T>
static step_function waits(gevt_status_t (*call)(T *, uint64_t)) {
  return [call](arguments &a) {
    uint64_t timeout = a.within_or(HANG_LIMIT);
    return timed(call(reinterpret_cast<T *>(a.handle()), timeout), timeout);
  };
}

static const std::map<std::string, step_function> steps = {
    {"event",
     [](arguments &a) {
       uint32_t flags = a.flags_or(GEVT_EVENT_DEFAULT);
       if (a.context_name)
         return make<gevt_event_t>(a, kind::event, "gevt_create_in",
                                   [&](gevt_event_t *out) { return gevt_create_in(out, a.in(nullptr), flags); });
       return make<gevt_event_t>(a, kind::event, "gevt_create",
                                 [&](gevt_event_t *out) { return gevt_create(out, flags); });
     }},
    {"stream",
     [](arguments &a) {
       return make<gevt_stream_t>(a, kind::stream, "gevt_stream_create", [&](gevt_stream_t *out) {
         return gevt_stream_create(out, a.in(subject_context), a.flags_or(GEVT_STREAM_NON_BLOCKING));
       });
     }},
    {"stream_wrap", // NAME NATIVE [in CONTEXT]
     [](arguments &a) {
       arguments one = a.first();
       void *native = native_pointer(a.word());
       return make<gevt_stream_t>(one, kind::stream, "gevt_stream_wrap", [&](gevt_stream_t *out) {
         return gevt_stream_wrap(out, a.in(subject_context), native);
       });
     }},
    {"context", // NAME BACKEND DEVICE
     [](arguments &a) {
       arguments one = a.first();
       gevt_backend_t backend = backend_of(a.word());
       std::string device = a.word();
       int32_t number = device == "-1" ? -1 : (int32_t)arguments::number(device);
       return make<gevt_context_t>(one, kind::context, "gevt_context_open",
                                   [&](gevt_context_t *out) { return gevt_context_open(out, backend, number); });
     }},
    {"context_wrap", // NAME BACKEND NATIVE
     [](arguments &a) {
       arguments one = a.first();
       gevt_backend_t backend = backend_of(a.word());
       void *native = native_pointer(a.word());
       return make<gevt_context_t>(one, kind::context, "gevt_context_wrap",
                                   [&](gevt_context_t *out) { return gevt_context_wrap(out, backend, native); });
     }},
    {"wrap", // NAME NATIVE [in CONTEXT] [with FLAGS]
     [](arguments &a) {
       arguments one = a.first();
       void *native = native_pointer(a.word());
       return make<gevt_event_t>(one, kind::event, "gevt_wrap", [&](gevt_event_t *out) {
         return gevt_wrap(out, a.in(subject_context), native, a.flags_or(GEVT_EVENT_DEFAULT));
       });
     }},
    {"destroy", ends(gevt_destroy)},
    {"stream_destroy", ends(gevt_stream_destroy)},
    {"context_close", ends(gevt_context_close)},
    {"query", one(gevt_query)},
    {"sync", one(gevt_sync)},
    {"sync_timeout", waits(gevt_sync_timeout)},
    {"sync_helping", waits(gevt_sync_helping)},
    {"sync_all",
     [](arguments &a) {
       unsigned long long timeout = a.within_or(GEVT_TIMEOUT_INFINITE);
       event_array events(a);
       answer told = timed(gevt_sync_all(events.array, events.count, timeout), timeout);
       told.touched = events.touched();
       return told;
     }},
    {"sync_any", any},
    {"record",
     [](arguments &a) {
       gevt_event_t event = a.event();
       gevt_stream_t stream = a.stream();
       if (!a.flags) return answer(gevt_record(event, stream));
       answer told = gevt_record_with_flags(event, stream, a.flags_or(0));
       told.function = "gevt_record_with_flags";
       return told;
     }},
    {"stream_wait",
     [](arguments &a) {
       gevt_stream_t stream = a.stream();
       return answer(gevt_stream_wait(stream, a.event(), a.flags_or(GEVT_WAIT_DEFAULT)));
     }},
    {"stream_query", one(gevt_stream_query)},
    {"stream_sync", one(gevt_stream_sync)},
    {"stream_sync_timeout", waits(gevt_stream_sync_timeout)},
    {"stream_launch", // STREAM TASK: counts the calls
     [](arguments &a) {
       gevt_stream_t stream = a.stream();
       std::string name = a.word();
       return answer(gevt_stream_launch(stream, name == "null" ? nullptr : note_run, &objects.work(name)));
     }},
    {"on_complete", // EVENT TASK: counts the calls; those of nobody have a NULL pointer
     [](arguments &a) {
       gevt_event_t event = a.event();
       std::string name = a.word();
       if (name == "nobody") {
         nobody = &objects.work(name);
         return answer(gevt_on_complete(event, note_nobody, nullptr));
       }
       return answer(gevt_on_complete(event, name == "null" ? nullptr : note_call, &objects.work(name)));
     }},
    {"context_sync", one(gevt_context_sync)},
    {"context_sync_timeout", waits(gevt_context_sync_timeout)},
    {"context_set_current", one(gevt_context_set_current)},
    {"context_get_current",
     [](arguments &a) {
       gevt_context_t context;
       answer told = into(a, context, [](gevt_context_t *out) { return gevt_context_get_current(out); });
       if (told.status == GEVT_SUCCESS && a.more()) objects.bind(a.word(), kind::context, bits(context)).live = false;
       if (told.status == GEVT_SUCCESS) told.value = objects.name_of(bits(context));
       told.touched = told.touched && told.status != GEVT_SUCCESS;
       return told;
     }},
    {"device_count",
     [](arguments &a) {
       int32_t count;
       gevt_backend_t backend = backend_of(a.word());
       answer told = into(a, count, [&](int32_t *out) { return gevt_device_count(out, backend); });
       return of_time(told, count);
     }},
    {"signal",
     [](arguments &a) {
       gevt_event_t event = a.event();
       return answer(gevt_signal(event, a.more() ? status_of(a.word()) : GEVT_SUCCESS));
     }},
    {"reset", one(gevt_reset)},
    {"elapsed",
     [](arguments &a) {
       float ms;
       gevt_event_t start = a.event(), finish = a.event();
       answer told = into(a, ms, [&](float *out) { return gevt_elapsed(out, start, finish); });
       return of_time(told, (double)ms * MILLISECOND);
     }},
    {"elapsed_ns",
     [](arguments &a) {
       int64_t ns;
       gevt_event_t start = a.event(), finish = a.event();
       answer told = into(a, ns, [&](int64_t *out) { return gevt_elapsed_ns(out, start, finish); });
       return of_time(told, (double)ns);
     }},
    {"elapsed_n", elapsed_n},
    {"host_time", host_time},
    {"context_calibrate", // again, until the device is not too busy
     [](arguments &a) {
       gevt_context_t context = a.context();
       gevt_status_t status;
       do {
         status = gevt_context_calibrate(context);
       } while (is_uncalibrated(status));
       return answer(status);
     }},
    {"native", // EVENT [NAME]
     [](arguments &a) {
       gevt_event_t event = a.event();
       return native_out(a, [&](void **out) { return gevt_native(out, event); });
     }},
    {"context_native",
     [](arguments &a) {
       gevt_context_t context = a.context();
       return native_out(a, [&](void **out) { return gevt_context_native(out, context); });
     }},
    {"stream_native",
     [](arguments &a) {
       gevt_stream_t stream = a.stream();
       return native_out(a, [&](void **out) { return gevt_stream_native(out, stream); });
     }},
    {"stream_set_name",
     [](arguments &a) {
       std::string text;
       gevt_stream_t stream = a.stream();
       return answer(gevt_stream_set_name(stream, a.string(text)));
     }},
    {"host_set_threads", [](arguments &a) { return answer(gevt_host_set_threads((uint32_t)a.number())); }},
    {"set_name",
     [](arguments &a) {
       std::string text;
       gevt_event_t event = a.event();
       return answer(gevt_set_name(event, a.string(text)));
     }},
    {"info", info},
    {"context_get_info", context_info},
    {"stream_get_info", stream_info},
    {"trace_start",
     [](arguments &a) {
       std::string path;
       return answer(gevt_trace_start(a.string(path)));
     }},
    {"trace_stop", [](arguments &) { return answer(gevt_trace_stop()); }},
    {"live_events", [](arguments &) { return answer::of((long long)gevt_live_events()); }},
    // A host function in the stream that ends when the gate is opened.
    {"hold", hold},
    {"open",
     [](arguments &a) {
       gate_open(objects.of(a.word(), kind::gate).gate);
       return answer();
     }},
    {"enter",
     [](arguments &a) {
       gate_pass(&objects.gate(a.word()));
       return answer();
     }},
    {"await_entry",
     [](arguments &a) {
       gate_await_entry(&objects.gate(a.word()));
       return answer();
     }},
    {"passed",
     [](arguments &a) { return answer::of(gate_passed(objects.of(a.word(), kind::gate).gate) ? "yes" : "no"); }},
    // For "let": the host's clock; any word.
    {"now", [](arguments &) { return answer::of(now_ns()); }},
    {"value", [](arguments &a) { return answer::of(a.word()); }},
    // Whether gevt has no more threads than a few for each core.
    {"threads", [](arguments &) { return answer::of(thread_count() <= 2 * threads_of_gevt() + 128 ? "few" : "many"); }},
    {"spin", // until the gate is open, without sleep
     [](arguments &a) {
       gate_t &gate = objects.gate(a.word());
       pthread_mutex_lock(&gate.mutex);
       gate.entered = 1;
       pthread_cond_broadcast(&gate.changed);
       pthread_mutex_unlock(&gate.mutex);
       while (!__atomic_load_n(&gate.open, __ATOMIC_SEQ_CST)) {}
       return answer();
     }},
    // How often a function or callback ran; await waits until it has so often; its last status; and whether on another thread.
    {"count", [](arguments &a) { return answer::of((long long)count_of(&objects.work(a.word()).calls)); }},
    {"await",
     [](arguments &a) {
       task &work = objects.work(a.word());
       return answer(count_await(&work.calls, (int)a.number()) ? GEVT_SUCCESS : GEVT_ERROR_TIMEOUT);
     }},
    {"status", [](arguments &a) { return answer::of((long long)objects.of(a.word(), kind::task).work->status); }},
    {"thread",
     [](arguments &a) {
       return answer::of(pthread_equal(objects.of(a.word(), kind::task).work->thread, pthread_self()) ? "same"
                                                                                                      : "other");
     }},
    // A thread that was started: whether it sleeps in its call; whether it has returned.
    {"parked",
     [](arguments &a) {
       return answer::of(thread_await_parked(&objects.of(a.word(), kind::task).work->tid) ? "yes" : "no");
     }},
    {"returned",
     [](arguments &a) { return answer::of(count_of(&objects.of(a.word(), kind::task).work->done) ? "yes" : "no"); }},
    {"sleep",
     [](arguments &a) {
       sleep_ns((long long)a.number());
       return answer();
     }},
};
