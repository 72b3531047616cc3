/* The cases of a program, each on the program's device, which is wrapped for it.
   usage: PROGRAM [vulkan] */
#ifndef GEVT_TESTS_PROGRAM_H
#define GEVT_TESTS_PROGRAM_H

#include "vk.h"

/* The program's device, wrapped as the current context. */
static gevt_context_t context;

static inline void run_wrapped(const char *name, void (*body)(void)) {
  context = vk_wrap();
  subject_run(name, body);
  CHECK_OK(gevt_context_close(context));
  CHECK(vk_is_given_back());
  CHECK_EQUAL(gevt_live_events(), 0);
}

#define RUN_WRAPPED(body) run_wrapped(#body, body)

#endif
