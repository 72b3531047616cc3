/* What every example needs: each gevt call's status is looked at, and a failure ends the program with gevt's own words. */
#ifndef EXAMPLES_CHECK_H
#define EXAMPLES_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "gevt.h"

/* CHECK(call): the call succeeds, or the program ends. */
#define CHECK(call) check_status((call), #call, __FILE__, __LINE__)

/* EXPECT(condition): what the example demonstrates holds, or the program ends. */
#define EXPECT(condition) check_that((condition), #condition, __FILE__, __LINE__)

static inline void check_status(gevt_status_t status, const char *call, const char *file, int line) {
  if (status != GEVT_SUCCESS) {
    fprintf(stderr, "%s:%d: %s\n  %s: %s\n", file, line, call, gevt_status_name(status), gevt_last_message());
    exit(EXIT_FAILURE);
  }
}

static inline void check_that(bool holds, const char *condition, const char *file, int line) {
  if (!holds) {
    fprintf(stderr, "%s:%d: expected %s\n", file, line, condition);
    exit(EXIT_FAILURE);
  }
}

/* Returns whether the event has finished. NOT_READY is an answer and no failure; anything else but SUCCESS ends the program. */
static inline bool event_is_finished(gevt_event_t event) {
  const gevt_status_t status = gevt_query(event);
  if (status == GEVT_ERROR_NOT_READY) {
    return false;
  }
  CHECK(status);
  return true;
}

#endif
