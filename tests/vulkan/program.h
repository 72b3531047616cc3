/* The cases of a program. The macros below define and register them. VK_MAIN runs all cases, or the one that the command line names.
   usage: PROGRAM [vulkan [CASE]] */
#ifndef GEVT_TESTS_PROGRAM_H
#define GEVT_TESTS_PROGRAM_H

#include "batch.h"
#include "cases.h"

/* What a WRAPPED case finds: the program's device, wrapped as the current context, and its first queue, with lock functions. */
static gevt_context_t context;
static gevt_stream_t stream;

/* The queue stands still between the two. */
static VkSemaphore queue_gate;
static uint64_t queue_gate_value;

static inline void queue_hold(void) {
  vk_hold(queue_gate, ++queue_gate_value);
}

static inline void queue_release(void) {
  vk_signal(queue_gate, queue_gate_value);
}

static inline gevt_event_t untimed(void) {
  return event_with(GEVT_EVENT_DISABLE_TIMING);
}

static test_case_t vk_cases[32];
static int vk_case_count, vk_case_is_wrapped[32];

static inline void vk_case_add(const char *name, void (*body)(void), case_place_t place, int expected, int is_wrapped) {
  test_case_t *added = &vk_cases[vk_case_count];
  vk_case_is_wrapped[vk_case_count++] = is_wrapped;
  added->name = name;
  added->body = body;
  added->place = place;
  added->expected = expected;
}

#define VK_CASE(name, place, expected, is_wrapped)                                                                     \
  static void name(void);                                                                                              \
  __attribute__((constructor)) static void add_##name(void) {                                                          \
    vk_case_add(#name, name, place, expected, is_wrapped);                                                             \
  }                                                                                                                    \
  static void name(void)
/* WRAPPED runs a case on a device that is wrapped for it, and ON_DEVICE on a device that is not wrapped. ALONE_CASE runs it in a separate
   process, which must end with that code. */
#define WRAPPED(name) VK_CASE(name, TOGETHER, 0, 1)
#define ON_DEVICE(name) VK_CASE(name, TOGETHER, 0, 0)
#define ALONE_CASE(name, expected) VK_CASE(name, ALONE, expected, 0)

static inline void vk_begin(void) {
  context = vk_wrap();
  stream = vk_stream(context, 0);
  queue_gate = vk_timeline();
  queue_gate_value = 0;
  kept_remove((uint64_t)context);
  kept_remove((uint64_t)stream);
  kept_remove(vk_bits(queue_gate));
}

/* A case may have ended either of them, and says so by NULL. */
static inline void vk_end(void) {
  if (stream) stream_finish(stream);
  if (context) CHECK_OK(gevt_context_close(context));
  if (queue_gate) vk_semaphore_destroy(queue_gate);
  queue_gate = VK_NULL_HANDLE;
  stream = NULL;
  context = NULL;
  CHECK(vk_is_given_back());
  CHECK_EQUAL(gevt_live_events(), 0);
}

/* Around each wrapped case. */
static void (*vk_before)(void), (*vk_after)(void);

static inline void vk_run_case(int number) {
  const int is_wrapped = vk_case_is_wrapped[number];
  if (is_wrapped) vk_begin();
  if (is_wrapped && vk_before) vk_before();
  subject_run(vk_cases[number].name, vk_cases[number].body);
  if (is_wrapped && vk_after) vk_after();
  vk_end();
}

static inline void vk_run(const char *chosen) {
  int i;
  for (i = 0; i < vk_case_count; i++) {
    if (!chosen || strcmp(chosen, vk_cases[i].name) == 0) vk_run_case(i);
  }
}

static inline int vk_main(int argc, char **argv) {
  subject_choose(argc, argv);
  vk_open();
  vk_run(argc > 2 ? argv[2] : NULL);
  vk_close();
  return subject_end();
}

/* For cases that run alone: what comes before and after each of them in its process. */
static inline int vk_main_alone(int argc, char **argv, void (*begin)(const test_case_t *), void (*end)(void)) {
  const test_cases_t cases = {vk_cases, vk_case_count, begin, NULL, 0, end};
  subject_choose(argc, argv);
  return cases_main(&cases, argc, argv);
}

#define VK_MAIN                                                                                                        \
  int main(int argc, char **argv) {                                                                                    \
    return vk_main(argc, argv);                                                                                        \
  }

#endif
