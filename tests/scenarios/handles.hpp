// Handles that every function must refuse.
#pragma once

#include "../c/every_call.h"
#include "callbacks.hpp"

#include <limits.h>

// Calls each function with a bad handle in the place of each of its handles of these kinds. Returns the one detail that all of them give, or which
// function does otherwise. NULL is not given where it has a meaning.
static std::string refusals(const live_objects_t &live, void *bad, unsigned kinds) {
  std::string told;
  for (const auto &function : functions) {
    for (unsigned kind = 1; kind < HANDLES_END; kind *= 2) {
      if (!(function.handles & kinds & kind) || (!bad && function.handles & kind * MAY_BE_NULL)) continue;
      function_arguments_t given = live;
      function_outputs_t out;
      if (kind == CONTEXT) given.context = static_cast<gevt_context_t>(bad);
      if (kind == STREAM) given.stream = static_cast<gevt_stream_t>(bad);
      if (kind == EVENT) given.event = given.shared = static_cast<gevt_event_t>(bad);
      if (kind == END) given.end = static_cast<gevt_event_t>(bad);
      function_arguments_complete(&given);
      pattern_fill(&out, sizeof out);
      spoil(GEVT_DETAIL_NONE);
      const gevt_status_t status = function.call(&given, &out);
      const std::string detail = gevt_detail_name(gevt_last_detail()) + strlen("GEVT_DETAIL_");
      if (told.empty()) told = detail;
      if (status != GEVT_ERROR_INVALID_HANDLE || detail != told || !function_outputs_intact(&out) ||
          !strstr(gevt_last_message(), function.name))
        return std::string(function.name) + ": " + gevt_last_message();
    }
  }
  return told;
}

static unsigned kinds_of(arguments &a) {
  unsigned kinds = 0;
  while (a.more()) {
    const std::string kind = a.word();
    kinds |= kind == "context" ? CONTEXT : kind == "stream" ? STREAM : EVENT | END;
  }
  return kinds ? kinds : CONTEXT | STREAM | EVENT | END;
}

// The handle of a name, a number, or an address without an object.
static void *bad_handle(arguments &a) {
  static char zeros[4096], junk[4096];
  unsigned long long number = 0;
  const std::string word = a.word();
  pattern_fill(junk, sizeof junk);
  if (word == "zeros" || word == "junk") return word == "zeros" ? zeros : junk;
  if (word == "stack") return __builtin_frame_address(0);
  if (word == "code") return reinterpret_cast<void *>(functions_never);
  if (word == "null" || number_of(word, number)) return reinterpret_cast<void *>((uintptr_t)number);
  return reinterpret_cast<void *>(objects.handle(word));
}

// refusals HANDLE [KIND...]: of functions that take a handle of that kind.
static std::string refusals_of(arguments &a) {
  void *bad = bad_handle(a);
  const unsigned kinds = kinds_of(a);
  const live_objects_t live = live_objects_make();
  const std::string told = refusals(live, bad, kinds);
  live_objects_finish(live);
  return told;
}

// No single wrong bit makes a live handle into another one that is accepted. Only before anything was destroyed: no such handle is stale.
static std::string flipped_bits() {
  const live_objects_t live = live_objects_make();
  const std::pair<void *, unsigned> handles[] = {
      {live.context, CONTEXT}, {live.stream, STREAM}, {live.event, EVENT | END}};
  std::string told = "refused";
  for (const auto &one : handles) {
    for (unsigned bit = 0; bit < sizeof(void *) * CHAR_BIT; bit++) {
      void *flipped = reinterpret_cast<void *>(bits(one.first) ^ (uintptr_t)1 << bit);
      if (!flipped || flipped == subject_context || flipped == live.context || flipped == live.stream ||
          flipped == live.event || flipped == live.shared)
        continue;
      const std::string answer = refusals(live, flipped, one.second);
      if (answer != "UNKNOWN_HANDLE" && answer != "WRONG_KIND") told = answer;
    }
  }
  live_objects_finish(live);
  return told;
}
