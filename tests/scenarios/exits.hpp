// The ends of processes, and forked children: what each call answers there.
#pragma once

#include "system.hpp"

#ifndef _WIN32
#include "../c/every_call.h"

// The objects with which every call is made.
static live_objects_t live;

static void all_are_refused(live_objects_t with, gevt_status_t status, gevt_detail_t detail) {
  every_call_answers(with, status, detail);
  every_end_succeeds(with);
  every_call_answers(with, status, detail);
}

// Checks that run late, and how many have run: end_checked counts them.
static int late_expected, late_run;

// gevt has ended: what ends things succeeds, the rest is refused.
static void after_the_end(live_objects_t with) {
  all_are_refused(with, GEVT_ERROR_DEINITIALIZED, GEVT_DETAIL_EXITING);
  count_up(&late_run);
}

// gevt has not ended: everything works as ever, a failure's detail included.
static void before_the_end(live_objects_t with) {
  gevt_event_t event = nullptr;
  CHECK_OK(api::query(with.event));
  CHECK_OK(api::create(&event, GEVT_EVENT_DEFAULT));
  CHECK_OK(api::record(event, with.stream));
  CHECK_OK(api::sync(event));
  check_spoil_detail(GEVT_DETAIL_STALE_HANDLE);
  CHECK_OK(gevt_destroy(event));
  CHECK_STATUS(api::query(event), GEVT_ERROR_INVALID_HANDLE);
  CHECK_DETAIL(GEVT_DETAIL_STALE_HANDLE);
  live_objects_finish(with);
  count_up(&late_run);
}

// Runs a check in its destructor, once it has one.
struct late_check {
  void (*check)(live_objects_t) = nullptr;
  live_objects_t with = {};
  void run() {
    if (check) check(with);
  }
  ~late_check() { run(); }
};

static late_check &late_static() {
  static late_check object;
  return object;
}

static late_check &late_of_thread() {
  static thread_local late_check object;
  return object;
}

static late_check &late_handler = *new late_check;

static void run_late_handler() {
  late_handler.run();
}

// late static|thread|handler|quick before|after: checks every call before or after gevt's end. Ends come in the opposite order of the first calls.
// The check runs in the destructor of a static or thread-local object, or in a handler of exit or of quick_exit.
static void late(const std::string &where, const std::string &when) {
  const bool after = when == "after";
  // What a layer of Vulkan's makes in its first calls ends after what is made now. A thread's objects end before all of that.
  const bool called = !after && where != "thread";
  live_objects_t made = {};
  if (called) made = live_objects_make();
  late_check &object = where == "static" ? late_static() : where == "thread" ? late_of_thread() : late_handler;
  if (where == "handler") CHECK_EQUAL(atexit(run_late_handler), 0);
  if (where == "quick") CHECK_EQUAL(at_quick_exit(run_late_handler), 0);
  if (!subject_context) subject_open();
  object.with = called ? made : live_objects_make();
  object.check = after ? after_the_end : before_the_end;
  late_expected++;
}

// A check that failed while the process ended, or that did not run then, is the process's failure.
static void end_checked() {
  fflush(stdout);
  if (check_failures() || late_run != late_expected) _exit(99);
}

static pid_t forked_here = -1;

static const auto &exit_steps = *new std::map<std::string, step_function>{
    {"late", late},
    {"join_all", // all threads
     [] {
       for (object *one : objects.all(kind::task)) {
         one->work->ends = true;
         if (one->work->is_thread) thread_join(one->work->thread);
       }
     }},
    {"live_objects", [] { live = live_objects_make(); }},
    {"live_objects_end", [] { live_objects_finish(live); }},
    {"all_refused", // [EVENT]: in a forked child
     [](arguments &a) {
       live_objects_t with = live;
       if (a.more()) with.event = a.event();
       all_are_refused(with, GEVT_ERROR_NOT_INITIALIZED, GEVT_DETAIL_FORKED);
     }},
    {"every_call", // but those that end an object, or take a native one; what they make ends
     [] { every_call_made(live); }},
    // fork_here: the process's first thread forks. The child also continues with the steps, until forked_here, which says how the child ended.
    {"fork_here",
     [] {
       if (getpid() == (pid_t)syscall(SYS_gettid)) forked_here = fork();
     }},
    {"forked_here",
     [] {
       if (forked_here == 0) _exit(check_failures() ? 1 : 0);
       return (long long)child_end(forked_here);
     }},
};
#endif
