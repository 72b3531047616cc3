/* Checks that say what went wrong and end the program. */
#ifndef SHIM_TESTS_CHECK_H
#define SHIM_TESTS_CHECK_H

/* For the loader's own functions; the programs include nothing before this. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Sets a function pointer, as ISO C has no cast between an object's address and a function's. */
static inline void set_function(void *field, void *address) {
  memcpy(field, &address, sizeof address);
}

/* Sets it to a function of a library. */
static inline void find(void *field, void *library, const char *name) {
  void *address = library ? dlsym(library, name) : NULL;
  if (!library) fprintf(stderr, "%s\n", dlerror());
  check_that(address != NULL, name, __FILE__, __LINE__);
  set_function(field, address);
}

#endif
