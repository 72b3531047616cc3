// Other processes: this program run anew. It makes the steps that it receives, and answers with their results.
#pragma once

#include "../c/child.h"
#include "scribble.hpp"
#include "system.hpp"

#ifndef _WIN32
#include <poll.h>
#include <sstream>

struct peer {
  pid_t process;
  int channel;
};

// An answer as it is sent: its numbers, then its texts. Each text ends with NUL. A mistake is the last text.
static std::string letter_of(const answer &told, const std::string &wrong = "") {
  std::string letter = std::to_string(told.is_call) + " " + std::to_string(told.status) + " " +
                       std::to_string(told.detail) + " " + std::to_string(told.touched) + " ";
  for (const std::string &text : {told.function, told.value, told.message, wrong}) letter += text + '\0';
  return letter;
}

static answer answer_of(const std::string &letter) {
  answer told;
  std::string wrong;
  std::istringstream from(letter);
  from >> told.is_call >> told.status >> told.detail >> told.touched;
  from.get();
  for (std::string *text : {&told.function, &told.value, &told.message, &wrong}) std::getline(from, *text, '\0');
  if (!from) throw mistake("the process did not answer");
  if (!wrong.empty()) throw mistake(wrong);
  return told;
}

// The process that makes the steps of this thread; null for this one.
static thread_local peer *remote;

// A process that was started with variables has made no call yet, and has no "here".
static const char *peer_variables() {
  return getenv("GEVT_TEST_VARIABLES");
}

static void peer_start(arguments &a) {
  static std::deque<peer> peers;
  peer made;
  std::string name = a.word(), variables;
  while (a.more()) variables += (variables.empty() ? "" : "\n") + a.word();
  child_variables = variables.empty() ? nullptr : variables.c_str();
  made.process = child_start_peer(&made.channel);
  if (made.process < 0) throw mistake("no other process");
  peers.push_back(made);
  objects.bind(name, {kind::process, bits(&peers.back())});
}

static peer &peer_of(const std::string &name) {
  return *reinterpret_cast<peer *>(objects.of(name, kind::process).handle);
}

static void remote_begin(peer &other, const std::string &text) {
  if (send(other.channel, text.c_str(), text.size(), MSG_NOSIGNAL) != (ssize_t)text.size())
    throw mistake("the process does not listen");
}

static answer remote_end(peer &other) {
  char letter[2048];
  pollfd ready = {other.channel, POLLIN, 0};
  ssize_t length =
      poll(&ready, 1, (int)(HANG_LIMIT / MILLISECOND)) > 0 ? recv(other.channel, letter, sizeof letter, 0) : 0;
  return answer_of(std::string(letter, (size_t)std::max(length, (ssize_t)0)));
}

static answer remote_call(const std::string &text) {
  remote_begin(*remote, text);
  return remote_end(*remote);
}

// Makes the steps that come through the channel, until it is closed.
template <class F>
[[noreturn]] static void peer_serve(int channel, F call) {
  char text[1024];
  ssize_t length;
  while ((length = recv(channel, text, sizeof text, 0)) > 0) {
    std::string letter;
    try {
      letter = letter_of(call(std::string(text, (size_t)length)));
    } catch (const std::exception &wrong) {
      letter = letter_of(answer(), wrong.what());
    }
    if (send(channel, letter.data(), letter.size(), MSG_NOSIGNAL) != (ssize_t)letter.size()) break;
  }
  fflush(stdout);
  // Without the exit handlers: a scenario that means them says exit.
  _exit(check_failures() ? 1 : 0);
}

// exit CODE [exit|thread|quick|at_once|abort]: ends this process.
static void exit_somehow(int given, arguments &a) {
  static int code = given;
  const std::string how = a.more() ? a.word() : "exit";
  const rlimit no_core = {0, 0};
  if (how == "abort" && setrlimit(RLIMIT_CORE, &no_core) == 0) abort();
  if (how == "quick") quick_exit(code);
  if (how == "at_once") _exit(code);
  if (how != "thread") exit(code);
  thread_start([](void *) -> void * { exit(code); }, nullptr);
  for (;;) pause();
}

// The process ends by an order, if it was given one, by SIGKILL or by itself: before its channel is closed, or because of that.
static void peer_end(const std::string &name, int expected, const std::string &order, bool is_itself) {
  object &named = objects.of(name, kind::process);
  peer &other = peer_of(name);
  if (!order.empty()) CHECK(send(other.channel, order.c_str(), order.size(), MSG_NOSIGNAL) > 0);
  named.live = false;
  if (is_itself) CHECK_EQUAL(child_end(other.process), expected);
  close(other.channel);
  if (!is_itself) CHECK_EQUAL(child_end(other.process), expected);
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
         (CHECK_STATUS(api::ipc_import(&event, nullptr, &bad), GEVT_ERROR_MAP_FAILED) &&
          CHECK(pattern_intact(&event, sizeof event)));
}

// ipc_damage HANDLE: with any one bit wrong, truncated, and with some bytes at random, which reach the checks after the first one.
static std::string ipc_damage(const std::string &handle) {
  const gevt_ipc_handle_t good = ipc_handle(handle);
  for (int i = 0; i < 512 + 64 + 20000; i++) {
    gevt_ipc_handle_t bad = good;
    if (i < 512) {
      bad.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    } else if (i < 512 + 64) {
      memset(bad.bytes + i - 512, 0, (size_t)(512 + 64 - i));
    } else {
      uint64_t kept = random_next() | random_next();
      for (int byte = 0; byte < 64; byte++) {
        if (!(kept >> byte & 1)) bad.bytes[byte] = (uint8_t)random_next();
      }
    }
    if (!is_refused(bad, good)) return "accepted";
  }
  return "refused";
}

static const auto &peer_steps = *new std::map<std::string, step_function>{
    {"process", peer_start}, // NAME [VARIABLE=VALUE...]
    {"end",                  // NAME CODE [HOW]: if HOW is "itself", the process ends without an order
     [](const std::string &name, int expected, arguments &a) {
       const std::string how = a.more() ? a.word() : "exit";
       const bool is_itself = how == "itself", is_told = expected != 0 && !is_itself;
       peer_end(name, expected, is_told ? "exit " + std::to_string(expected) + " " + how : "", is_itself);
     }},
    {"kill",
     [](const std::string &name) {
       kill(peer_of(name).process, SIGKILL);
       peer_end(name, CHILD_SIGNALLED + SIGKILL, "", false);
     }},
    {"answer", [](const std::string &name) { return remote_end(peer_of(name)); }}, // of "begin PROCESS: STEP"
    // zombie NAME: kills it, and leaves it to be waited for. exec NAME: it runs another program from now on.
    {"zombie", [](const std::string &name) { CHECK_EQUAL(kill(peer_of(name).process, SIGKILL), 0); }},
    {"exec", [](const std::string &name) { remote_begin(peer_of(name), "exec_sleep"); }},
    {"exec_sleep", [] { exit(execlp("sleep", "sleep", "3600", nullptr)); }},
    {"fork_child", // that stays, until it is killed; its number
     [] {
       pid_t child = fork();
       while (child == 0) pause();
       return (long long)child;
     }},
    {"exit", exit_somehow},
    // ipc_export EVENT: its value is the handle, for ipc_import EVENT HANDLE.
    {"ipc_export",
     [](gevt_event_t event, arguments &a) {
       gevt_ipc_handle_t handle;
       answer told = into(a, handle, [&](gevt_ipc_handle_t *out) { return api::ipc_export(out, event); });
       told.touched = told.touched && told.status != GEVT_SUCCESS;
       if (told.status == GEVT_SUCCESS) told.value = hex(handle);
       return told;
     }},
    {"ipc_import",
     [](arguments &a) {
       return make<gevt_event_t>(a, kind::event, "gevt_ipc_import", [&](gevt_event_t *out) {
         const std::string &text = a.word();
         const gevt_ipc_handle_t handle = ipc_handle(text);
         return api::ipc_import(out, a.in(nullptr), text == "null" ? nullptr : &handle);
       });
     }},
    {"ipc_damage", ipc_damage},
    {"scribble", scribble}, // MANNER
    {"scribble_on", scribble_on},
    {"native_ipc_open", // NAME HANDLE: as the driver opens it in the current context
     [](const std::string &name, const std::string &handle) {
       int (*open)(void **event, gevt_ipc_handle_t handle);
       void *opened = nullptr;
       driver_symbol(&open, "cuIpcOpenEventHandle");
       CHECK_EQUAL(open(&opened, ipc_handle(handle)), 0);
       native_keep(name, {opened, nullptr, [opened] { return driver.event_destroy(opened); }});
     }},
};
#endif
