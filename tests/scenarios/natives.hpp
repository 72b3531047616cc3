// The caller's own objects of the CUDA driver, which gevt borrows: contexts, streams, events, captures and graphs.
#pragma once

#include "steps.hpp"

#ifndef _WIN32
#include "../c/owned.h"

static std::vector<std::string> natives_made;

// A function of the strict driver's own; NULL over any other driver.
template <class Function>
static Function *strict_function(const char *name) {
  Function *function;
  void *symbol = strict_symbol(name);
  memcpy(&function, &symbol, sizeof symbol);
  return function;
}

static answer of_driver(int code) {
  return answer::of((long long)code);
}

static void native_keep(const std::string &name, native_object made) {
  natives[name] = std::move(made);
  natives_made.push_back(name);
}

static void natives_load() {
  if (driver.library) return;
  driver_load();
}

// The driver's current context is the caller's: no call of gevt changes it.
static void *natives_current() {
  return driver.library ? current_native() : nullptr;
}

// The context has ended, and with it all that is in it.
static void natives_lost(void *context) {
  for (auto &one : natives) {
    if (one.second.context == context) one.second.end = nullptr;
  }
}

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
  if (driver.library) CHECK_EQUAL(driver.context_set_current(NULL), 0);
}

// native_kernel STREAM NATIVE: a kernel on the stream writes what gevt says that it has written, where the driver compiles one.
static answer native_kernel(arguments &a) {
  static const char ptx[] =
      ".version 6.0\n.target sm_50\n.address_size 64\n"
      ".visible .entry fill(.param .u64 to) {\n"
      "  .reg .b64 %p<4>;\n  .reg .b32 %i;\n"
      "  ld.param.u64 %p1, [to];\n  mov.u32 %i, %tid.x;\n"
      "  mul.wide.u32 %p2, %i, 4;\n  add.s64 %p3, %p1, %p2;\n  st.global.u32 [%p3], %i;\n  ret;\n}\n";
  uint32_t words[256];
  unsigned long long memory = 0;
  void *module = nullptr, *kernel = nullptr, *parameters[] = {&memory};
  gevt_stream_t stream = a.stream();
  void *native = native_of(a.word()).handle;
  driver_load_kernels();
  int code = driver.module_load(&module, ptx);
  if (code == 0 && driver.module_function(&kernel, module, "fill") == 0) {
    CHECK_EQUAL(driver.memory_allocate(&memory, sizeof words), 0);
    code = driver.kernel_launch(kernel, 1, 1, 1, 256, 1, 1, 0, native, parameters, nullptr);
  }
  // CUDA without a GPU refuses kernels.
  if (code != 0) CHECK_EQUAL(code, DRIVER_NOT_SUPPORTED);
  CHECK_OK(gevt_stream_sync(stream));
  if (code == 0) CHECK_EQUAL(driver.copy_to_host(words, memory, sizeof words), 0);
  for (uint32_t i = 0; code == 0 && i < 256; i++) CHECK_EQUAL(words[i], i);
  if (memory) CHECK_EQUAL(driver.memory_free(memory), 0);
  return answer();
}

static const auto &native_steps = *new std::map<std::string, step_function>{
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
    {"native_event", // NAME CONTEXT
     [](arguments &a) {
       std::string name = a.word();
       void *context = native_of(a.word()).handle, *made = native_event_in({context, nullptr});
       native_keep(name, {made, context, [made] { return driver.event_destroy(made); }});
       return answer();
     }},
    {"native_destroy", // before the case ends
     [](arguments &a) {
       native_object &ended = native_of(a.word());
       answer told = of_driver(std::exchange(ended.end, nullptr)());
       if (ended.context == ended.handle) natives_lost(ended.handle);
       return told;
     }},
    // Over the strict driver: how many calls have named an event since the driver issued it; else the number that is expected.
    {"native_calls",
     [](arguments &a) {
       auto *calls = strict_function<int(void *)>("strict_calls");
       void *handle = native_of(a.word()).handle;
       std::string otherwise = a.word();
       return answer::of(calls ? std::to_string(calls(handle)) : otherwise);
     }},
    {"native_words", // the same of the streams' waits for words that have begun
     [](arguments &a) {
       auto *begun = strict_function<int()>("strict_words_begun");
       std::string otherwise = a.word();
       return answer::of(!begun || begun() < 0 ? otherwise : std::to_string(begun()));
     }},
    {"native_same", // whether the driver gave two objects the same address
     [](arguments &a) {
       void *one = native_of(a.word()).handle;
       return answer::of(one == native_of(a.word()).handle ? "yes" : "no");
     }},
    {"native_record",
     [](arguments &a) {
       void *event = native_of(a.word()).handle;
       return of_driver(driver.event_record(event, native_of(a.word()).handle));
     }},
    {"native_query",
     [](arguments &a) {
       natives_load();
       return of_driver(driver.event_query(native_of(a.word()).handle));
     }},
    {"native_sync", [](arguments &a) { return of_driver(driver.event_sync(native_of(a.word()).handle)); }},
    {"native_launch", // STREAM TASK
     [](arguments &a) {
       void *stream = native_of(a.word()).handle;
       natives_load();
       return of_driver(driver.launch_host(stream, note_run, &objects.work(a.word())));
     }},
    {"native_stream_context", // its name
     [](arguments &a) {
       void *context = nullptr;
       natives_load();
       int code = driver.stream_context(native_of(a.word()).handle, &context);
       for (const auto &one : natives) {
         if (code == 0 && one.second.handle == context) return answer::of(one.first);
       }
       return of_driver(code);
     }},
    {"native_device_name",
     [](arguments &a) {
       char name[256] = "";
       natives_load();
       CHECK_EQUAL(driver.device_name(name, sizeof name, (int)a.number()), 0);
       return answer::of(name);
     }},
    // native_current CONTEXT: makes it current on this thread. primary [DEVICE]: whether that of device 0 or another one is active, after a
    // time in which it may end.
    {"native_current",
     [](arguments &a) {
       natives_load();
       return of_driver(driver.context_set_current(native_pointer(a.word())));
     }},
    {"primary_retain",
     [](arguments &a) {
       void *context = nullptr;
       natives_load();
       CHECK_EQUAL(driver.primary_retain(&context, 0), 0);
       natives[a.word()] = native_object{context, context, nullptr};
       return answer();
     }},
    {"primary_release", [](arguments &) { return of_driver(driver.primary_release(0)); }},
    {"primary_reset", // [CONTEXT]: what it was retained as
     [](arguments &a) {
       natives_load();
       int code = driver.primary_reset(0);
       if (a.more()) natives_lost(native_of(a.word()).handle);
       return of_driver(code);
     }},
    {"native_break", // CODE: breaks all contexts, over the strict driver; 0 asks whether that is there
     [](arguments &a) {
       auto *break_driver = strict_function<void(unsigned)>("strict_break");
       unsigned code = (unsigned)a.number();
       answer told = answer::of(break_driver ? "yes" : "no");
       if (!break_driver) told.status = GEVT_ERROR_NOT_SUPPORTED;
       if (break_driver && code) break_driver(code);
       return told;
     }},
    {"primary",
     [](arguments &a) {
       long long deadline = now_ns() + (long long)a.within_or(0);
       int device = a.more() ? (int)a.number() : 0;
       natives_load();
       while (primary_is_active(device) && now_ns() < deadline) sleep_ns(MILLISECOND / 10);
       return answer::of(primary_is_active(device) ? "active" : "inactive");
     }},
    {"native_kernel", native_kernel},
    // GLOBAL mode is the strictest: it rejects unsafe calls on any thread.
    {"capture_begin",
     [](arguments &a) { return of_driver(driver.capture_begin(native_of(a.word()).handle, DRIVER_CAPTURE_GLOBAL)); }},
    // capture_end STREAM GRAPH: a capture that something spoiled has no graph.
    {"capture_end",
     [](arguments &a) {
       native_object stream = native_of(a.word());
       void *graph = nullptr, *executable = nullptr;
       int code = driver.capture_end(stream.handle, &graph);
       void *before = current_native();
       if (stream.context) CHECK_EQUAL(driver.context_set_current(stream.context), 0);
       if (code == 0) code = driver.graph_instantiate(&executable, graph, 0);
       CHECK_EQUAL(driver.context_set_current(before), 0);
       if (code == 0) code = driver.graph_destroy(graph);
       auto end = [executable] { return executable ? driver.executable_destroy(executable) : 0; };
       native_keep(a.word(), {executable, stream.context, end});
       return of_driver(code);
     }},
    {"graph_launch",
     [](arguments &a) {
       void *graph = native_of(a.word()).handle;
       return of_driver(driver.graph_launch(graph, native_of(a.word()).handle));
     }},
};
#else
static void *natives_current() {
  return nullptr;
}
#endif
