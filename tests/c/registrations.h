/* Counts the destructors that the calling thread registers when none runs any more: the C library has called those of its C++ and Rust
   thread-locals, and ends the thread's specific data. */
#ifndef REGISTRATIONS_H
#define REGISTRATIONS_H

#include "check.h"
#include <dlfcn.h>

extern void *__dso_handle;
typedef int registration_t(void (*)(void *), void *, void *);

static __thread int locals_have_ended __attribute__((tls_model("initial-exec")));
static int late_registrations;

/* Before the C library's. */
int __cxa_thread_atexit_impl(void (*end)(void *), void *object, void *library) {
  static registration_t *real;
  registration_t *found = __atomic_load_n(&real, __ATOMIC_RELAXED);
  if (!found) {
    void *symbol = dlsym(RTLD_NEXT, "__cxa_thread_atexit_impl");
    memcpy(&found, &symbol, sizeof found);
    __atomic_store_n(&real, found, __ATOMIC_RELAXED);
  }
  if (locals_have_ended) __atomic_add_fetch(&late_registrations, 1, __ATOMIC_RELAXED);
  return found(end, object, library);
}

static inline void locals_end(void *unused) {
  (void)unused;
  locals_have_ended = 1;
}

/* Counts from the time when the thread's locals have ended. Call it before the thread's first gevt call: the last destructor runs first. */
static inline void count_late_registrations(void) {
  CHECK_EQUAL(__cxa_thread_atexit_impl(locals_end, NULL, &__dso_handle), 0);
}

#endif
