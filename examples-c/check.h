/* Error handling of the C examples: a call that fails ends the program with gevt's message. */
#ifndef EXAMPLES_CHECK_H
#define EXAMPLES_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "gevt.h"

#define CHECK(call) check_status((call), #call, __FILE__, __LINE__)

static inline void check_status(gevt_status_t status, const char *call, const char *file, int line) {
  if (status == GEVT_SUCCESS) return;
  fprintf(stderr, "%s:%d: %s\n  %s: %s\n", file, line, call, gevt_status_name(status), gevt_last_message());
  exit(EXIT_FAILURE);
}

#endif
