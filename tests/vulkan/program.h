/* The cases of a program, each on the program's device, which is wrapped for it. WRAPPED defines and registers a case. VK_MAIN runs all cases,
   or the one that the command line names.
   usage: PROGRAM [vulkan [CASE]] */
#ifndef GEVT_TESTS_PROGRAM_H
#define GEVT_TESTS_PROGRAM_H

#include "vk.h"

/* The program's device, wrapped as the current context. */
static gevt_context_t context;

static struct vk_case {
  const char *name;
  void (*body)(void);
} vk_cases[32];
static int vk_case_count;

#define WRAPPED(case_name)                                                                                             \
  static void case_name(void);                                                                                         \
  __attribute__((constructor)) static void add_##case_name(void) {                                                     \
    vk_cases[vk_case_count].name = #case_name;                                                                         \
    vk_cases[vk_case_count++].body = case_name;                                                                        \
  }                                                                                                                    \
  static void case_name(void)

static inline int vk_main(int argc, char **argv) {
  int i;
  subject_choose(argc, argv);
  vk_open();
  for (i = 0; i < vk_case_count; i++) {
    if (argc > 2 && strcmp(argv[2], vk_cases[i].name) != 0) continue;
    context = vk_wrap();
    subject_run(vk_cases[i].name, vk_cases[i].body);
    CHECK_OK(gevt_context_close(context));
    CHECK(vk_is_given_back());
    CHECK_EQUAL(gevt_live_events(), 0);
  }
  vk_close();
  return subject_end();
}

#define VK_MAIN                                                                                                        \
  int main(int argc, char **argv) {                                                                                    \
    return vk_main(argc, argv);                                                                                        \
  }

#endif
