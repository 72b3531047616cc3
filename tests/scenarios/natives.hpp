// The caller's own objects of the CUDA driver, which gevt borrows: contexts, streams, events, captures and graphs.
#pragma once

#include "steps.hpp"

#ifndef _WIN32
#include "../c/owned.h"

// The native object behind a name, and what ends it.
struct native_object {
  void *handle, *context;
  std::function<int()> end;
};

static std::map<std::string, native_object> natives;
static std::vector<std::string> natives_made;

static answer of_driver(int code) {
  return answer::of((long long)code);
}

static native_object &native_of(const std::string &name) {
  auto found = natives.find(name);
  if (found == natives.end()) throw mistake("no native object is called " + name);
  return found->second;
}

static void native_keep(const std::string &name, native_object made) {
  natives[name] = std::move(made);
  natives_made.push_back(name);
}

static void natives_load() {
  if (driver.library) return;
  driver_load();
  driver_load_contexts();
  driver_load_objects();
  driver_load_captures();
}

// Ends what is left, the newest first.
static void natives_end() {
  while (!natives_made.empty()) {
    auto found = natives.find(natives_made.back());
    natives_made.pop_back();
    if (found == natives.end()) continue;
    CHECK_EQUAL(found->second.end(), 0);
    natives.erase(found);
  }
  if (driver.library) CHECK(current_native() == NULL);
}

static const std::map<std::string, step_function> native_steps = {
    // native_context NAME: a context of device 0 that gevt borrows. native_stream NAME CONTEXT: a stream of it.
    {"native_context",
     [](arguments &a) {
       natives_load();
       std::string name = a.word();
       owned_context_t made = owned_context_make();
       objects.bind(name, kind::context, bits(made.context));
       native_keep(name, {made.native, made.native, [made] { return driver.context_destroy(made.native); }});
       return answer();
     }},
    {"native_stream",
     [](arguments &a) {
       std::string name = a.word(), in = a.word();
       owned_context_t context = {native_of(in).handle,
                                  reinterpret_cast<gevt_context_t>(objects.of(in, kind::context).handle)};
       owned_stream_t made = owned_stream_make(context);
       objects.bind(name, kind::stream, bits(made.stream));
       native_keep(name, {made.native, context.native, [made] { return driver.stream_destroy(made.native); }});
       return answer();
     }},
    // GLOBAL mode is the strictest: it rejects unsafe calls on any thread.
    {"capture_begin",
     [](arguments &a) { return of_driver(driver.capture_begin(native_of(a.word()).handle, DRIVER_CAPTURE_GLOBAL)); }},
    // capture_end STREAM GRAPH: a capture that something spoiled has no graph.
    {"capture_end",
     [](arguments &a) {
       native_object stream = native_of(a.word());
       void *graph = nullptr, *executable = nullptr;
       int code = driver.capture_end(stream.handle, &graph);
       CHECK_EQUAL(driver.context_set_current(stream.context), 0);
       if (code == 0) code = driver.graph_instantiate(&executable, graph, 0);
       CHECK_EQUAL(driver.context_set_current(NULL), 0);
       if (code == 0) code = driver.graph_destroy(graph);
       native_keep(a.word(),
                   {executable, stream.context, [executable] { return driver.executable_destroy(executable); }});
       return of_driver(code);
     }},
    {"graph_launch",
     [](arguments &a) {
       void *graph = native_of(a.word()).handle;
       return of_driver(driver.graph_launch(graph, native_of(a.word()).handle));
     }},
};
#endif
