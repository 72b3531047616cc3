/* Rules for every call, with any arguments. The header documents the status, a failure has a detail and a message, and only success writes
   outputs. The first wrong answer ends the process. */
#ifndef GEVT_FUZZ_JUDGE_H
#define GEVT_FUZZ_JUDGE_H

#include <gevt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The statuses that the header documents besides success. */
enum {
  INVALID_VALUE = 1 << 0,
  OUT_OF_MEMORY = 1 << 1,
  NO_DEVICE = 1 << 2,
  INVALID_DEVICE = 1 << 3,
  INVALID_HANDLE = 1 << 4,
  ILLEGAL_STATE = 1 << 5,
  NOT_READY = 1 << 6,
  NOT_SUPPORTED = 1 << 7,
  TIMED_OUT = 1 << 8,
  INVALID_CONTEXT = 1 << 9,
  NOT_MAPPED = 1 << 10,
  OPERATING_SYSTEM = 1 << 11
};

static inline unsigned judge_bit(gevt_status_t status) {
  switch (status) {
  case GEVT_ERROR_INVALID_VALUE:
    return INVALID_VALUE;
  case GEVT_ERROR_OUT_OF_MEMORY:
    return OUT_OF_MEMORY;
  case GEVT_ERROR_NO_DEVICE:
    return NO_DEVICE;
  case GEVT_ERROR_INVALID_DEVICE:
    return INVALID_DEVICE;
  case GEVT_ERROR_INVALID_HANDLE:
    return INVALID_HANDLE;
  case GEVT_ERROR_ILLEGAL_STATE:
    return ILLEGAL_STATE;
  case GEVT_ERROR_NOT_READY:
    return NOT_READY;
  case GEVT_ERROR_NOT_SUPPORTED:
    return NOT_SUPPORTED;
  case GEVT_ERROR_TIMEOUT:
    return TIMED_OUT;
  case GEVT_ERROR_INVALID_CONTEXT:
    return INVALID_CONTEXT;
  case GEVT_ERROR_MAP_FAILED:
    return NOT_MAPPED;
  case GEVT_ERROR_OPERATING_SYSTEM:
    return OPERATING_SYSTEM;
  default:
    return 0;
  }
}

static inline void judge_fail(const char *function, const char *what, long long number) {
  fprintf(stderr, "FAILED: %s: %s (%lld); last message: %s\n", function, what, number, gevt_last_message());
  abort();
}

static inline void judge_that(int holds, const char *function, const char *what) {
  if (!holds) judge_fail(function, what, 0);
}

/* Gives 1 for success. */
static inline int judge_status(const char *function, gevt_status_t status, unsigned answers) {
  if (status == GEVT_SUCCESS) return 1;
  /* Waiters for a host-signaled event get its status, which may have any value. */
  if (gevt_last_detail() == GEVT_DETAIL_EVENT_FAILED) return 0;
  if (!(judge_bit(status) & answers)) judge_fail(function, "a status that the header does not name for it", status);
  if (status != GEVT_ERROR_NOT_READY) {
    judge_that(gevt_last_detail() != GEVT_DETAIL_NONE, function, "a failure without a detail");
    judge_that(strstr(gevt_last_message(), function) != NULL, function, "a message that does not name the function");
  }
  return 0;
}

enum { JUDGE_PATTERN = 0xA5 };

static inline void judge_fill(void *output, size_t size) {
  memset(output, JUDGE_PATTERN, size);
}

static inline void judge_intact(const char *function, const void *output, size_t size) {
  const unsigned char *bytes = (const unsigned char *)output;
  size_t i;
  for (i = 0; i < size; i++) judge_that(bytes[i] == JUDGE_PATTERN, function, "an output was touched");
}

#endif
