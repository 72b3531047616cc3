/* A malloc of the program's own, which stands before the C library's and fails when a test says so. */
#ifndef FAILING_MALLOC_H
#define FAILING_MALLOC_H

#include "check.h"

#include <errno.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NO_MALLOC_OF_ITS_OWN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NO_MALLOC_OF_ITS_OWN
#endif
#endif

/* The allocation of the calling thread that fails, counted from 1 down; 0: none. */
static __thread long failing __attribute__((tls_model("initial-exec")));
static __thread int has_failed __attribute__((tls_model("initial-exec")));
static __thread int all_of_mine_fail __attribute__((tls_model("initial-exec")));
/* Every allocation of every thread fails; and how many did that were longer than a block of gevt's reserve. */
static int all_fail, long_ones_failed;

#ifndef NO_MALLOC_OF_ITS_OWN
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static int fails(size_t size) {
  if (__atomic_load_n(&all_fail, __ATOMIC_RELAXED) || all_of_mine_fail || (failing > 0 && --failing == 0)) {
    has_failed = 1;
    if (size > 4096) __atomic_fetch_add(&long_ones_failed, 1, __ATOMIC_RELAXED);
    errno = ENOMEM;
    return 1;
  }
  return 0;
}

void *malloc(size_t size) {
  return fails(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return fails(count * size) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  return fails(size) ? NULL : __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  return fails(size) ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return fails(size) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *made = fails(size) ? NULL : __libc_memalign(alignment, size);
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}
#endif

#endif
