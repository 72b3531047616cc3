/* The checks of the test programs. A failed check is printed and counted, and the case continues: gevt is safe to call
   after a failed step, and later checks still give information. Checks may be made on any thread. */
#ifndef GEVT_TESTS_CHECK_H
#define GEVT_TESTS_CHECK_H

/* For dladdr, gettid and RTLD_DEFAULT; the test programs include nothing before this. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <gevt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file that keeps nothing. */
#ifdef _WIN32
#define NULL_DEVICE "NUL"
#else
#define NULL_DEVICE "/dev/null"
#endif

/* The path of a temporary file or folder, for mkstemp or mkdtemp: in TMPDIR, or in /tmp if that is not set. */
enum { SCRATCH_SIZE = 200 };

static inline char *scratch_path(char path[SCRATCH_SIZE], const char *name) {
  const char *folder = getenv("TMPDIR");
  snprintf(path, SCRATCH_SIZE, "%s/gevt-%s-XXXXXX", folder && *folder ? folder : "/tmp", name);
  return path;
}

static int check_failure_count;

static inline int check_failures(void) {
  return __atomic_load_n(&check_failure_count, __ATOMIC_SEQ_CST);
}

static inline void check_failed(const char *file, int line, const char *expression) {
  __atomic_add_fetch(&check_failure_count, 1, __ATOMIC_SEQ_CST);
  printf("%s:%d: FAILED: %s\n", file, line, expression);
}

static inline int check_that(int holds, const char *expression, const char *file, int line) {
  if (!holds) check_failed(file, line, expression);
  return holds;
}

static inline int check_equal(long long actual, long long expected, const char *expression, const char *file,
                              int line) {
  if (actual == expected) return 1;
  check_failed(file, line, expression);
  printf("    expected %lld, got %lld\n", expected, actual);
  return 0;
}

static inline int check_status(gevt_status_t actual, gevt_status_t expected, const char *call, const char *file,
                               int line) {
  if (actual == expected) return 1;
  check_failed(file, line, call);
  printf("    expected %s (%d), got %s (%d)\n    last message: %s\n", gevt_status_name(expected), (int)expected,
         gevt_status_name(actual), (int)actual, gevt_last_message());
  return 0;
}

static inline int check_detail(gevt_detail_t expected, const char *call, const char *file, int line) {
  gevt_detail_t actual = gevt_last_detail();
  if (actual == expected) return 1;
  check_failed(file, line, call);
  printf("    expected %s (%d), got %s (%d)\n    last message: %s\n", gevt_detail_name(expected), (int)expected,
         gevt_detail_name(actual), (int)actual, gevt_last_message());
  return 0;
}

/* Status results are nodiscard, and gcc does not take a cast to void for an answer. */
static inline void check_ignore(gevt_status_t status) {
  (void)status;
}

/* Sets a detail other than `expected`, to catch a call that forgets to set one. */
static inline void check_spoil_detail(gevt_detail_t expected) {
  if (expected == GEVT_DETAIL_NULL_POINTER)
    check_ignore(gevt_query(NULL));
  else
    check_ignore(gevt_create(NULL, GEVT_EVENT_DEFAULT));
}

static inline int check_fails(gevt_status_t actual, gevt_status_t status, gevt_detail_t detail, const char *call,
                              const char *file, int line) {
  return check_status(actual, status, call, file, line) && check_detail(detail, call, file, line);
}

#define CHECK(condition) check_that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(actual, expected)                                                                                  \
  check_equal((long long)(actual), (long long)(expected), #actual " == " #expected, __FILE__, __LINE__)
#define CHECK_STATUS(call, status) check_status((call), (status), #call, __FILE__, __LINE__)
#define CHECK_OK(call) check_status((call), GEVT_SUCCESS, #call, __FILE__, __LINE__)
#define CHECK_DETAIL(detail) check_detail((detail), "gevt_last_detail()", __FILE__, __LINE__)
#define CHECK_FAILS(call, status, detail)                                                                              \
  (check_spoil_detail(detail), check_fails((call), (status), (detail), #call, __FILE__, __LINE__))
#define CHECK_NOT_READY(call) CHECK_STATUS(call, GEVT_ERROR_NOT_READY)

/* A pattern for outputs: what a failing call must leave as it was. */
static inline void pattern_fill(void *output, size_t size) {
  memset(output, 0xA5, size);
}

static inline int pattern_intact(const void *output, size_t size) {
  const unsigned char *bytes = (const unsigned char *)output;
  size_t i;
  for (i = 0; i < size; i++) {
    if (bytes[i] != 0xA5) return 0;
  }
  return 1;
}

#endif
