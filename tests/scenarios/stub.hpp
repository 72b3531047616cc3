// What the stand-in for the CUDA driver answers (tests/driver), which the process has found first.
#pragma once

#include "natives.hpp"

template <class... Parameters>
static void stub(const char *name, Parameters... parameters) {
  auto *function = stand_in<void(Parameters...)>(name);
  if (!function) throw mistake(std::string("the driver has no ") + name);
  function(parameters...);
}

static long long stub_recorded;
static int stub_queries;
static bool stub_is_slow;

static void stub_record() {
  stub_recorded = now_ns();
  stub_queries = 0;
  if (stub_is_slow) sleep_ns(5 * MILLISECOND);
}

static void stub_query() {
  const bool is_pending = stub_is_slow ? stub_queries++ == 0 : now_ns() - stub_recorded < 50 * MILLISECOND;
  if (stub_is_slow && is_pending) sleep_ns(5 * MILLISECOND);
  stub("stub_pending", (int)is_pending);
}

// driver FUNCTION CODE: from now on that is the function's answer; 0 as before. driver devices COUNT.
// driver slow: a record and its first query take 5 ms each, as if the thread had no core, and the query finds the event pending.
// driver busy: it is pending for 50 ms. driver ready: neither.
static void stub_step(const std::string &what, arguments &a) {
  if (what == "devices") {
    stub("stub_devices", (int)a.number());
  } else if (what == "slow" || what == "busy" || what == "ready") {
    void (*const record)() = stub_record, (*const query)() = stub_query, (*const none)() = nullptr;
    stub_is_slow = what == "slow";
    stub("stub_hook", "cuEventRecord", what == "ready" ? none : record);
    stub("stub_hook", "cuEventQuery", what == "ready" ? none : query);
    stub("stub_pending", 0);
  } else {
    stub("stub_answer", what.c_str(), (int)a.number());
  }
}
