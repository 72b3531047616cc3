// The steps of scenarios: the functions of gevt, and questions to the tests' own objects.
#pragma once

#include "names.hpp"

#include <algorithm>
#include <functional>
#include <optional>

// The words of a step. "with FLAGS", "in CONTEXT", "within TIME" and "to nothing" may stand behind the others.
class arguments {
public:
  explicit arguments(words all) : all(std::move(all)) {
    nothing = option("to").has_value();
    context_name = option("in");
    flags = option("with");
    within = option("within");
  }
  bool nothing;
  std::optional<std::string> context_name, flags, within;

  bool more() const { return next < all.size(); }
  std::string word() {
    if (!more()) throw mistake("a word is missing");
    return all[next++];
  }
  // "null", "made-up", or the name of an object of any kind.
  uintptr_t handle() { return handle_of(word()); }
  gevt_event_t event() { return reinterpret_cast<gevt_event_t>(handle()); }
  gevt_stream_t stream() { return reinterpret_cast<gevt_stream_t>(handle()); }
  gevt_context_t context() { return reinterpret_cast<gevt_context_t>(handle()); }
  gevt_context_t in(gevt_context_t otherwise) const {
    return context_name ? reinterpret_cast<gevt_context_t>(handle_of(*context_name)) : otherwise;
  }
  std::vector<gevt_event_t> events() {
    std::vector<gevt_event_t> found;
    found.reserve(1); // a pointer to none is not NULL
    while (more()) found.push_back(event());
    return found;
  }
  static unsigned long long number(const std::string &word) {
    unsigned long long number;
    if (!number_of(word, number)) throw mistake("not a number: " + word);
    return number;
  }
  unsigned long long number() { return number(word()); }
  uint32_t flags_or(uint32_t otherwise) const { return flags ? (uint32_t)number(*flags) : otherwise; }
  unsigned long long within_or(unsigned long long otherwise) const { return within ? number(*within) : otherwise; }
  const char *string(std::string &text) {
    text = word();
    return text == "null" ? nullptr : text.c_str();
  }

private:
  std::optional<std::string> option(const char *name) {
    auto found = std::find(all.begin() + 1, all.end(), name);
    if (found == all.end() || found + 1 == all.end()) return std::nullopt;
    std::string value = found[1];
    all.erase(found, found + 2);
    return value;
  }
  static uintptr_t handle_of(const std::string &name) {
    if (name == "null") return 0;
    if (name == "made-up") return 0x10;
    object *found = objects.find(name);
    if (!found || !found->handle) throw mistake("no object is called " + name);
    return found->handle;
  }
  words all;
  size_t next = 1;
};

// Makes a call with an output, which only a success may write.
template <class T, class F>
static answer into(arguments &a, T &out, F call) {
  pattern_fill(&out, sizeof out);
  answer told = call(a.nothing ? nullptr : &out);
  told.touched = !pattern_intact(&out, sizeof out);
  return told;
}

// Makes an object for each name.
template <class T, class F>
static answer make(arguments &a, kind is, const char *function, F call) {
  answer told;
  do {
    std::string name = a.word();
    T out;
    told = into(a, out, call);
    told.function = function;
    if (told.status == GEVT_SUCCESS) objects.bind(name, is, reinterpret_cast<uintptr_t>(out));
    told.touched = told.touched && told.status != GEVT_SUCCESS;
  } while (a.more() && told.status == GEVT_SUCCESS);
  return told;
}

template <class F>
static answer end(uintptr_t handle, F call) {
  gevt_status_t status = call();
  if (status == GEVT_SUCCESS) objects.ended(handle);
  return status;
}

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

static answer any(arguments &a) {
  unsigned long long timeout = a.within_or(GEVT_TIMEOUT_INFINITE);
  std::vector<gevt_event_t> events = a.events(), copy = events;
  size_t index;
  answer told = into(
      a, index, [&](size_t *out) { return timed(gevt_sync_any(out, events.data(), events.size(), timeout), timeout); });
  if (told.touched) told.value = std::to_string(index);
  // The index says which event failed.
  told.touched = told.touched && told.status != GEVT_SUCCESS && gevt_last_detail() != GEVT_DETAIL_EVENT_FAILED;
  told.touched = told.touched || events != copy;
  return told;
}

static std::string state_name(gevt_event_state_t state) {
  static const std::map<gevt_event_state_t, std::string> known = {{GEVT_STATE_UNRECORDED, "UNRECORDED"},
                                                                  {GEVT_STATE_PENDING, "PENDING"},
                                                                  {GEVT_STATE_COMPLETE, "COMPLETE"},
                                                                  {GEVT_STATE_CAPTURED, "CAPTURED"},
                                                                  {GEVT_STATE_FAILED, "FAILED"}};
  return known.count(state) ? known.at(state) : std::to_string(state);
}

template <class T>
static uintptr_t bits(T handle) {
  return reinterpret_cast<uintptr_t>(handle);
}

// info EVENT FIELD
static answer info(arguments &a) {
  gevt_event_info_t info;
  pattern_fill(&info, sizeof info);
  info.size = sizeof info;
  gevt_status_t status = gevt_get_info(a.nothing ? nullptr : &info, a.event());
  if (status != GEVT_SUCCESS || !a.more()) {
    answer told = status;
    told.function = "gevt_get_info";
    told.touched = status != GEVT_SUCCESS && !pattern_intact(&info.flags, sizeof info - sizeof info.size);
    return told;
  }
  std::string field = a.word();
  if (info.size != sizeof info || info.reserved != 0) return answer::of("a wrong size");
  if (field == "state") return answer::of(state_name(info.state));
  if (field == "flags") return answer::of((long long)info.flags);
  if (field == "backend") return answer::of(backend_name(info.backend));
  if (field == "device") return answer::of((long long)info.device);
  if (field == "context") return answer::of(objects.name_of(bits(info.context)));
  if (field == "imported") return answer::of((long long)info.imported);
  if (field == "records") return answer::of((long long)info.record_count);
  if (field == "name") return answer::of(info.name);
  throw mistake("no field is called " + field);
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
    {"stream_wrap", // NAME NUMBER [in CONTEXT]
     [](arguments &a) {
       std::string name = a.word();
       void *native = reinterpret_cast<void *>((uintptr_t)a.number());
       arguments one({"stream_wrap", name});
       one.nothing = a.nothing;
       return make<gevt_stream_t>(one, kind::stream, "gevt_stream_wrap", [&](gevt_stream_t *out) {
         return gevt_stream_wrap(out, a.in(subject_context), native);
       });
     }},
    {"context", // NAME BACKEND DEVICE
     [](arguments &a) {
       std::string name = a.word();
       gevt_backend_t backend = backend_of(a.word());
       std::string device = a.word();
       int32_t number = device == "-1" ? -1 : (int32_t)arguments::number(device);
       arguments one({"context", name});
       one.nothing = a.nothing;
       return make<gevt_context_t>(one, kind::context, "gevt_context_open",
                                   [&](gevt_context_t *out) { return gevt_context_open(out, backend, number); });
     }},
    {"context_wrap", // NAME BACKEND: any address that is no context
     [](arguments &a) {
       std::string name = a.word();
       gevt_backend_t backend = backend_of(a.word());
       arguments one({"context_wrap", name});
       return make<gevt_context_t>(one, kind::context, "gevt_context_wrap",
                                   [&](gevt_context_t *out) { return gevt_context_wrap(out, backend, out); });
     }},
    {"wrap", // any address that is no event
     [](arguments &a) {
       return make<gevt_event_t>(a, kind::event, "gevt_wrap", [&](gevt_event_t *out) {
         return gevt_wrap(out, a.in(subject_context), out, a.flags_or(GEVT_EVENT_DEFAULT));
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
       std::vector<gevt_event_t> events = a.events(), copy = events;
       answer told = timed(gevt_sync_all(events.data(), events.size(), timeout), timeout);
       told.touched = events != copy;
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
    {"on_complete", // EVENT TASK: counts the calls
     [](arguments &a) {
       gevt_event_t event = a.event();
       std::string name = a.word();
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
    {"host_time", // EVENT; both outputs must be untouched by a failure
     [](arguments &a) {
       int64_t ns;
       uint64_t error;
       gevt_event_t event = a.event();
       bool only_error = a.more() && a.word() == "error";
       pattern_fill(&error, sizeof error);
       answer told = into(a, ns, [&](int64_t *out) {
         return gevt_host_time(only_error ? nullptr : out, a.nothing ? nullptr : &error, event);
       });
       told.touched = told.status != GEVT_SUCCESS && (told.touched || !pattern_intact(&error, sizeof error));
       return told;
     }},
    {"native",
     [](arguments &a) {
       void *native;
       gevt_event_t event = a.event();
       answer told = into(a, native, [&](void **out) { return gevt_native(out, event); });
       told.touched = told.touched && told.status != GEVT_SUCCESS;
       return told;
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
