// Other processes: this program run anew. It makes the steps that it receives, and answers with their results.
#pragma once

#include "../c/child.h"
#include "scribble.hpp"
#include "system.hpp"

#ifndef _WIN32
#include <poll.h>

struct peer {
  pid_t process;
  int channel;
};

// An answer as it is sent.
struct letter {
  int is_call, status, detail, touched;
  char function[64], value[160], message[512], wrong[256];
};

// The process that makes the steps of this thread; null for this one.
static thread_local peer *remote;

static std::deque<peer> &peers() {
  static std::deque<peer> all;
  return all;
}

// A process that was started with variables has made no call yet, and has no "here".
static const char *peer_variables() {
  return getenv("GEVT_TEST_VARIABLES");
}

static answer peer_start(arguments &a) {
  peer made;
  std::string name = a.word(), variables;
  while (a.more()) variables += (variables.empty() ? "" : "\n") + a.word();
  child_variables = variables.empty() ? nullptr : variables.c_str();
  made.process = child_start_peer(&made.channel);
  if (made.process < 0) throw mistake("no other process");
  peers().push_back(made);
  objects.bind(name, kind::process).handle = bits(&peers().back());
  return answer();
}

static peer &peer_of(const std::string &name) {
  return *reinterpret_cast<peer *>(objects.of(name, kind::process).handle);
}

static void remote_begin(peer &other, const std::string &text) {
  if (send(other.channel, text.c_str(), text.size(), MSG_NOSIGNAL) != (ssize_t)text.size())
    throw mistake("the process does not listen");
}

static answer remote_end(peer &other) {
  letter got;
  memset(&got, 0, sizeof got);
  pollfd ready = {other.channel, POLLIN, 0};
  if (poll(&ready, 1, (int)(HANG_LIMIT / MILLISECOND)) <= 0 ||
      recv(other.channel, &got, sizeof got, 0) != (ssize_t)sizeof got)
    throw mistake("the process did not answer");
  if (*got.wrong) throw mistake(got.wrong);
  answer told = got.status;
  told.is_call = got.is_call != 0;
  told.detail = got.detail;
  told.touched = got.touched != 0;
  told.function = got.function;
  told.value = got.value;
  told.message = got.message;
  return told;
}

static answer remote_call(const std::string &text) {
  remote_begin(*remote, text);
  return remote_end(*remote);
}

static void copy(char *to, size_t size, const std::string &text) {
  snprintf(to, size, "%s", text.c_str());
}

// Makes the steps that come through the channel, until it is closed.
template <class F>
[[noreturn]] static void peer_serve(int channel, F call) {
  char text[1024];
  ssize_t length;
  while ((length = recv(channel, text, sizeof text - 1, 0)) > 0) {
    letter told;
    memset(&told, 0, sizeof told);
    try {
      answer made = call(std::string(text, (size_t)length));
      told.is_call = made.is_call;
      told.status = made.status;
      told.detail = made.detail;
      told.touched = made.touched;
      copy(told.function, sizeof told.function, made.function);
      copy(told.value, sizeof told.value, made.value);
      copy(told.message, sizeof told.message, made.message);
    } catch (const std::exception &wrong) {
      copy(told.wrong, sizeof told.wrong, wrong.what());
    }
    if (send(channel, &told, sizeof told, MSG_NOSIGNAL) != (ssize_t)sizeof told) break;
  }
  fflush(stdout);
  // Without the exit handlers: a scenario that means them says exit.
  _exit(check_failures() ? 1 : 0);
}

// exit CODE [exit|thread|quick|at_once|abort]: ends this process.
static answer exit_somehow(arguments &a) {
  static int code = (int)a.number();
  const std::string how = a.more() ? a.word() : "exit";
  const rlimit no_core = {0, 0};
  if (how == "abort" && setrlimit(RLIMIT_CORE, &no_core) == 0) abort();
  if (how == "quick") quick_exit(code);
  if (how == "at_once") _exit(code);
  if (how != "thread") exit(code);
  thread_start([](void *) -> void * { exit(code); }, nullptr);
  for (;;) pause();
}

// process NAME [VARIABLE=VALUE...]. kill NAME. zombie NAME: kills it, and leaves it to be waited for. exec NAME: it runs another program from
// now on. end NAME CODE [HOW]: if HOW is "itself", the process ends without an order.
static answer peer_step(arguments &a, const std::string &what) {
  if (what == "process") return peer_start(a);
  object &named = objects.of(a.word(), kind::process);
  peer &other = *reinterpret_cast<peer *>(named.handle);
  if (what == "zombie") return answer::of((long long)kill(other.process, SIGKILL));
  if (what == "exec") return answer::of(send(other.channel, "exec_sleep", 10, MSG_NOSIGNAL) == 10 ? "yes" : "no");
  int expected = what == "end" ? (int)a.number() : CHILD_SIGNALLED + SIGKILL;
  const std::string how = a.more() ? a.word() : "exit", order = "exit " + std::to_string(expected) + " " + how;
  if (what == "kill")
    kill(other.process, SIGKILL);
  else if (expected != 0 && how != "itself")
    CHECK(send(other.channel, order.c_str(), order.size(), MSG_NOSIGNAL) > 0);
  named.live = false;
  if (how == "itself") CHECK_EQUAL(child_end(other.process), expected);
  close(other.channel);
  if (how != "itself") CHECK_EQUAL(child_end(other.process), expected);
  return answer();
}

static std::string hex(const gevt_ipc_handle_t &handle) {
  std::string text;
  char digits[3];
  for (uint8_t byte : handle.bytes) {
    snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

// Repeats a short text to fill the handle.
static gevt_ipc_handle_t ipc_handle(const std::string &hex) {
  gevt_ipc_handle_t handle;
  for (size_t i = 0; i < sizeof handle; i++)
    handle.bytes[i] = (uint8_t)strtol(hex.substr(2 * i % hex.size(), 2).c_str(), nullptr, 16);
  return handle;
}

// Whether bytes that are not those of the good handle are refused as no handle of an event.
static bool is_refused(const gevt_ipc_handle_t &bad, const gevt_ipc_handle_t &good) {
  gevt_event_t event;
  pattern_fill(&event, sizeof event);
  return memcmp(&bad, &good, sizeof bad) == 0 ||
         (CHECK_STATUS(gevt_ipc_import(&event, nullptr, &bad), GEVT_ERROR_MAP_FAILED) &&
          CHECK(pattern_intact(&event, sizeof event)));
}

// ipc_damage HANDLE: with any one bit wrong, truncated, and with some bytes at random, which reach the checks after the first one.
static answer ipc_damage(arguments &a) {
  const gevt_ipc_handle_t good = ipc_handle(a.word());
  uint64_t random = 0x9e3779b97f4a7c15u;
  auto next = [&] {
    random ^= random << 13;
    random ^= random >> 7;
    return random ^= random << 17;
  };
  for (int i = 0; i < 512 + 64 + 20000; i++) {
    gevt_ipc_handle_t bad = good;
    if (i < 512) {
      bad.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    } else if (i < 512 + 64) {
      memset(bad.bytes + i - 512, 0, (size_t)(512 + 64 - i));
    } else {
      uint64_t kept = next() | next();
      for (int byte = 0; byte < 64; byte++) {
        if (!(kept >> byte & 1)) bad.bytes[byte] = (uint8_t)next();
      }
    }
    if (!is_refused(bad, good)) return answer::of("accepted");
  }
  return answer::of("refused");
}

static const auto &peer_steps = *new std::map<std::string, step_function>{
    {"process", [](arguments &a) { return peer_step(a, "process"); }},
    {"end", [](arguments &a) { return peer_step(a, "end"); }},
    {"kill", [](arguments &a) { return peer_step(a, "kill"); }},
    {"answer", [](arguments &a) { return remote_end(peer_of(a.word())); }}, // of "begin PROCESS: STEP"
    {"zombie", [](arguments &a) { return peer_step(a, "zombie"); }},
    {"exec", [](arguments &a) { return peer_step(a, "exec"); }},
    {"exec_sleep", [](arguments &) -> answer { exit(execlp("sleep", "sleep", "3600", nullptr)); }},
    {"fork_child", // that stays, until it is killed; its number
     [](arguments &) {
       pid_t child = fork();
       while (child == 0) pause();
       return answer::of((long long)child);
     }},
    {"exit", exit_somehow},
    // ipc_export EVENT: its value is the handle, for ipc_import EVENT HANDLE.
    {"ipc_export",
     [](arguments &a) {
       gevt_ipc_handle_t handle;
       gevt_event_t event = a.event();
       answer told = into(a, handle, [&](gevt_ipc_handle_t *out) { return gevt_ipc_export(out, event); });
       told.touched = told.touched && told.status != GEVT_SUCCESS;
       if (told.status == GEVT_SUCCESS) told.value = hex(handle);
       return told;
     }},
    {"ipc_import",
     [](arguments &a) {
       arguments one = a.first();
       std::string text = a.word();
       gevt_ipc_handle_t handle = ipc_handle(text);
       return make<gevt_event_t>(one, kind::event, "gevt_ipc_import", [&](gevt_event_t *out) {
         return gevt_ipc_import(out, a.in(nullptr), text == "null" ? nullptr : &handle);
       });
     }},
    {"ipc_damage", ipc_damage},
    {"scribble", scribble_once},
    {"scribble_on", scribble_on},
    {"native_ipc_open", // NAME HANDLE: as the driver opens it in the current context
     [](arguments &a) {
       int (*open)(void **event, gevt_ipc_handle_t handle);
       void *opened = nullptr;
       std::string name = a.word();
       driver_symbol(&open, "cuIpcOpenEventHandle");
       CHECK_EQUAL(open(&opened, ipc_handle(a.word())), 0);
       native_keep(name, {opened, nullptr, [opened] { return driver.event_destroy(opened); }});
       return answer();
     }},
};
#endif
