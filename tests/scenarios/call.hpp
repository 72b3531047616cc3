// A step's call, and what is checked of every call.
#pragma once

#include "../vulkan/steps.hpp"
#include "exits.hpp"
#include "peers.hpp"
#include "text.hpp"

// A step that failed has been reported; its case ends there.
struct failed {};

[[noreturn]] static void fail(size_t at, const std::string &text, const std::string &why) {
  check_failed(path, lines[at].number, text.c_str());
  printf("    %s\n", why.c_str());
  throw failed();
}

static const step_function &find_step(const std::string &name) {
  const std::map<std::string, step_function> *const tables[] = {&steps,      &vulkan_steps, &layer_steps, &system_steps,
#ifndef _WIN32
                                                                &peer_steps, &native_steps, &exit_steps
#endif
  };
  for (const auto *table : tables) {
    auto found = table->find(name);
    if (found == table->end()) continue;
#ifndef _WIN32
    if (table == &native_steps && !driver.library) driver_load();
#endif
    return found->second;
  }
  throw mistake("no step is called " + name);
}

// Threads that wait for each other right before their calls. Which one is early, and by how much, varies from one time to the next.
struct start_line {
  int threads, arrived = 0;
  void pass(int turn) {
    count_up(&arrived);
    for (int polls = 0; count_of(&arrived) < threads;)
      if (++polls % 1000 == 0) std::this_thread::yield();
    for (int delay = turn * 37 % (1 << turn % 12); delay > 0; delay--) count_of(&arrived);
  }
};
static thread_local start_line *line_to_pass;
static thread_local int turn_to_pass;

static void pass_start_line() {
  if (line_to_pass) std::exchange(line_to_pass, nullptr)->pass(turn_to_pass);
}

// Makes a step's call, after a failure of another one: a success leaves the detail and the message as they are.
static answer call(const words &all, const words &expected, size_t at, const std::string &text) {
#ifndef _WIN32
  if (remote) return remote_call(text.substr(0, text.find("->")));
#endif
  const step_function &step = find_step(all[0]);
  arguments a(all);
  bool null_pointer = std::find(expected.begin(), expected.end(), "NULL_POINTER") != expected.end();
  // The failure before the call, once: another one would be the same. An array: mingw-w64 frees a thread's variables before it destroys them.
  static thread_local char spoiled[1024];
  // Functions that run inside of a call may make others on its thread.
  static thread_local unsigned long calls;
  gevt_detail_t detail = null_pointer ? GEVT_DETAIL_NULL_HANDLE : GEVT_DETAIL_NULL_POINTER;
#ifdef _WIN32
  const bool is_gevts = true;
#else
  // Others are made before a process's first call of gevt.
  const bool is_gevts = system_steps.count(all[0]) + exit_steps.count(all[0]) + layer_steps.count(all[0]) == 0;
#endif
#ifdef _WIN32
  const bool is_short_of_memory = false;
#else
  const bool is_short_of_memory = refused_next != 0;
#endif
  const auto is_spoiled = [&] {
    return gevt_last_detail() == detail && strncmp(spoiled, gevt_last_message(), sizeof spoiled - 1) == 0;
  };
  if (is_gevts && !is_short_of_memory && !is_spoiled()) {
    spoil(null_pointer ? GEVT_DETAIL_NULL_POINTER : GEVT_DETAIL_NONE);
    strncpy(spoiled, gevt_last_message(), sizeof spoiled - 1);
    detail = gevt_last_detail();
  }
  pass_start_line();
  unsigned long before = ++calls;
  void *current = natives_current();
  long long began = now_ns();
  answer told = step(a);
  if (steps.count(all[0]) && natives_current() != current) fail(at, text, "it changed the driver's current context");
  if (a.more()) throw mistake("too many words");
  if (!told.is_call || !is_gevts) return told;
  long long took = now_ns() - began;
  if (told.function.empty()) told.function = "gevt_" + all[0];
  if (told.status == GEVT_SUCCESS || told.status == GEVT_ERROR_NOT_READY) {
    if (calls == before && !is_short_of_memory && !is_spoiled())
      fail(at, text, std::string("the last failure has changed: ") + gevt_last_message());
  } else {
    told.detail = gevt_last_detail();
    told.message = gevt_last_message();
    if (told.message.find(told.function) == std::string::npos)
      fail(at, text, "the message does not name " + told.function + ": " + told.message);
    if (told.detail == GEVT_DETAIL_INTERNAL) fail(at, text, "an internal error: " + told.message);
  }
  if (told.least == (unsigned long long)HANG_LIMIT) fail(at, text, "it hangs");
  if (told.least && (unsigned long long)took < told.least) fail(at, text, "it timed out early");
  return told;
}
