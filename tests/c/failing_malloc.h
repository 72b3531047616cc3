/* A malloc of the program's own that fails when a test says so. */
#ifndef FAILING_MALLOC_H
#define FAILING_MALLOC_H

#include "check.h"
#include "own_malloc.h"

/* The allocation of the calling thread that fails, counted from 1 down; 0: none. */
static __thread long failing __attribute__((tls_model("initial-exec")));
static __thread int has_failed __attribute__((tls_model("initial-exec")));
static __thread int all_of_mine_fail __attribute__((tls_model("initial-exec")));
/* Every allocation of every thread fails; and how many did that were longer than a block of gevt's reserve. */
static int all_fail, long_ones_failed;

#ifndef NO_MALLOC_OF_ITS_OWN
static int refuses_allocation(size_t size) {
  if (__atomic_load_n(&all_fail, __ATOMIC_RELAXED) || all_of_mine_fail || (failing > 0 && --failing == 0)) {
    has_failed = 1;
    if (size > 4096) __atomic_fetch_add(&long_ones_failed, 1, __ATOMIC_RELAXED);
    errno = ENOMEM;
    return 1;
  }
  return 0;
}
#endif

#endif
