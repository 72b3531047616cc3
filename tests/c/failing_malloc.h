/* Replaces malloc by one that fails when a test says so. */
#ifndef FAILING_MALLOC_H
#define FAILING_MALLOC_H

#include "check.h"
#include "own_malloc.h"

/* The allocation of the calling thread that fails, counted from 1 down; 0: none. */
static __thread long failing __attribute__((tls_model("initial-exec")));
static __thread int has_failed __attribute__((tls_model("initial-exec")));
static __thread int all_of_mine_fail __attribute__((tls_model("initial-exec")));
/* The greatest size that the calling thread asked for. */
static __thread size_t greatest_size __attribute__((tls_model("initial-exec")));

#ifndef NO_MALLOC_OF_ITS_OWN
static int refuses_allocation(size_t size) {
  if (size > greatest_size) greatest_size = size;
  if (all_of_mine_fail || (failing > 0 && --failing == 0)) {
    has_failed = 1;
    errno = ENOMEM;
    return 1;
  }
  return 0;
}
#endif

#endif
