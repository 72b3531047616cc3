// The caller's own objects of the CUDA driver, which gevt borrows: contexts, streams, events, captures and graphs.
#pragma once

#include "steps.hpp"

// A function that a stand-in for the driver has beside the driver's own (tests/driver); NULL over any other driver.
template <class Function>
static Function *stand_in(const char *name) {
  Function *function;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *found = library ? dlsym(library, name) : nullptr;
  memcpy(&function, &found, sizeof found);
  return function;
}

#ifndef _WIN32
#include "../c/driver.h"

static std::vector<std::string> natives_made;

// A driver's code, which is to be 0.
static answer of_driver(int code) {
  return answer::of(code == 0 ? "" : std::to_string(code));
}

static void native_keep(const std::string &name, native_object made) {
  natives[name] = std::move(made);
  natives_made.push_back(name);
}

// The driver's current context is the caller's: no call of gevt changes it.
static void *natives_current() {
  void *current = nullptr;
  if (driver.library) CHECK_EQUAL(driver.context_get_current(&current), 0);
  return current;
}

// Whether the device's primary context is active.
static bool primary_is_active(int number) {
  unsigned flags = 0;
  int device = 0, active = -1;
  CHECK_EQUAL(driver.device_get(&device, number), 0);
  CHECK_EQUAL(driver.primary_state(device, &flags, &active), 0);
  return active != 0;
}

// Makes the driver's call with a context current, and none afterwards.
static void *native_in(void *context, int (*make)(void **, unsigned), unsigned flags) {
  void *made = nullptr;
  CHECK_EQUAL(driver.context_set_current(context), 0);
  DRIVER_PREPARE(make(&made, flags));
  CHECK_EQUAL(driver.context_set_current(nullptr), 0);
  return made;
}

// The context has ended, and with it all that is in it.
static void natives_lost(void *context) {
  for (auto &one : natives) {
    if (one.second.context == context) one.second.end = nullptr;
  }
}

// How often the case has retained the primary context and not released it.
static int primary_retained;

// Ends what is left, the newest first.
static void natives_end() {
  while (!natives_made.empty()) {
    auto found = natives.find(natives_made.back());
    natives_made.pop_back();
    if (found == natives.end()) continue;
    if (found->second.end) CHECK_EQUAL(found->second.end(), 0);
    natives.erase(found);
  }
  natives.clear();
  for (; primary_retained > 0; primary_retained--) CHECK_EQUAL(driver.primary_release(0), 0);
  if (driver.library) CHECK_EQUAL(driver.context_set_current(NULL), 0);
}

// Before each of them the driver is loaded.
static const auto &native_steps = *new std::map<std::string, step_function>{
    // native_context NAME: a context of device 0 that gevt borrows, and no primary one: if one of these appears, gevt made it.
    // native_stream NAME CONTEXT: a stream of it.
    {"native_context",
     [](const std::string &name) {
       gevt_context_t context = nullptr;
       void *made = nullptr, *popped = nullptr;
       int device = 0;
       CHECK_EQUAL(driver.device_get(&device, 0), 0);
       DRIVER_PREPARE(driver.context_create(&made, 0, device));
       CHECK(driver.context_pop(&popped) == 0 && popped == made);
       CHECK_OK(gevt_context_wrap(&context, GEVT_BACKEND_CUDA, made));
       objects.bind(name, {kind::context, bits(context)});
       native_keep(name, {made, made, [made] { return driver.context_destroy(made); }});
     }},
    {"native_stream",
     [](const std::string &name, const std::string &in) {
       gevt_stream_t stream = nullptr;
       void *context = native_of(in).handle;
       void *made = native_in(context, driver.stream_create, DRIVER_STREAM_NON_BLOCKING);
       CHECK_OK(
           gevt_stream_wrap(&stream, reinterpret_cast<gevt_context_t>(objects.of(in, kind::context).handle), made));
       objects.bind(name, {kind::stream, bits(stream)});
       native_keep(name, {made, context, [made] { return driver.stream_destroy(made); }});
     }},
    {"native_event", // NAME CONTEXT
     [](const std::string &name, native_object &context) {
       void *made = native_in(context.handle, driver.event_create, 0);
       native_keep(name, {made, context.handle, [made] { return driver.event_destroy(made); }});
     }},
    {"native_destroy", // before the case ends
     [](native_object &ended) {
       answer told = of_driver(std::exchange(ended.end, nullptr)());
       if (ended.context == ended.handle) natives_lost(ended.handle);
       return told;
     }},
    // Whether the driver gave two objects the same address.
    {"native_same", [](native_object &one, native_object &other) { return one.handle == other.handle; }},
    {"native_record", [](void *event, void *stream) { return of_driver(driver.event_record(event, stream)); }},
    {"native_query", [](void *event) { return of_driver(driver.event_query(event)); }},
    {"native_sync", [](void *event) { return of_driver(driver.event_sync(event)); }},
    {"native_launch", // STREAM TASK
     [](void *stream, const std::string &name) {
       return of_driver(driver.launch_host(stream, note_run, &objects.work(name)));
     }},
    {"native_stream_context", // its name
     [](void *stream) {
       void *context = nullptr;
       int code = driver.stream_context(stream, &context);
       for (const auto &one : natives) {
         if (code == 0 && one.second.handle == context) return answer::of(one.first);
       }
       return of_driver(code);
     }},
    {"native_device_name",
     [](int device) {
       char name[256] = "";
       CHECK_EQUAL(driver.device_name(name, sizeof name, device), 0);
       return std::string(name);
     }},
    // native_current CONTEXT: makes it current on this thread. primary [DEVICE]: whether that of device 0 or another one is active, after a
    // time in which it may end.
    {"native_current", [](void *context) { return of_driver(driver.context_set_current(context)); }},
    {"primary_retain",
     [](const std::string &name) {
       void *context = nullptr;
       CHECK_EQUAL(driver.primary_retain(&context, 0), 0);
       primary_retained++;
       natives[name] = native_object{context, context, nullptr};
     }},
    {"primary_release",
     [] {
       primary_retained--;
       return of_driver(driver.primary_release(0));
     }},
    {"primary_reset", // [CONTEXT]: what it was retained as
     [](arguments &a) {
       int code = driver.primary_reset(0);
       if (a.more()) natives_lost(native_of(a.word()).handle);
       return of_driver(code);
     }},
    {"primary",
     [](arguments &a) {
       long long deadline = now_ns() + (long long)a.within_or(0);
       int device = a.more() ? (int)a.number() : 0;
       while (primary_is_active(device) && now_ns() < deadline) sleep_ns(MILLISECOND / 10);
       return std::string(primary_is_active(device) ? "active" : "inactive");
     }},
    // GLOBAL mode is the strictest: it rejects unsafe calls on any thread.
    {"capture_begin", [](void *stream) { return of_driver(driver.capture_begin(stream, DRIVER_CAPTURE_GLOBAL)); }},
    // capture_end STREAM GRAPH: a capture that something spoiled has no graph.
    {"capture_end",
     [](native_object &stream, const std::string &name) {
       void *graph = nullptr, *executable = nullptr;
       int code = driver.capture_end(stream.handle, &graph);
       void *before = natives_current();
       if (stream.context) CHECK_EQUAL(driver.context_set_current(stream.context), 0);
       if (code == 0) code = driver.graph_instantiate(&executable, graph, 0);
       CHECK_EQUAL(driver.context_set_current(before), 0);
       if (code == 0) code = driver.graph_destroy(graph);
       auto end = [executable] { return executable ? driver.executable_destroy(executable) : 0; };
       native_keep(name, {executable, stream.context, end});
       return of_driver(code);
     }},
    {"graph_launch", [](void *graph, void *stream) { return of_driver(driver.graph_launch(graph, stream)); }},
};
#else
static void *natives_current() {
  return nullptr;
}
#endif
