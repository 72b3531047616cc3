/* Checks that say what went wrong and end the program. */
#ifndef SHIM_TESTS_CHECK_H
#define SHIM_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

static inline void check_that(int holds, const char *what, const char *file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
  exit(1);
}

static inline void check_gives(long long got, long long expected, const char *what, const char *file, int line) {
  if (got == expected) return;
  fprintf(stderr, "%s:%d: %s: %lld expected, %lld found\n", file, line, what, expected, got);
  exit(1);
}

#define CHECK(condition) check_that((condition) != 0, #condition, __FILE__, __LINE__)
#define GIVES(expected, call) check_gives((long long)(call), (long long)(expected), #call, __FILE__, __LINE__)
#define OK(call) GIVES(0, call)

#endif
