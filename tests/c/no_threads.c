/* A system that has no thread to give for a while. The program's own pthread_create stands before the C library's.
   usage: no_threads [host|cuda] */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "objects.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

static int are_refused, refused;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_NO_CREATE_OF_ITS_OWN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_NO_CREATE_OF_ITS_OWN
#endif
#endif

#ifndef HAS_NO_CREATE_OF_ITS_OWN
typedef int (*create_t)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *user) {
  create_t next;
  void *found = dlsym(RTLD_NEXT, "pthread_create");
  if (count_of(&are_refused)) {
    count_up(&refused);
    return EAGAIN;
  }
  memcpy(&next, &found, sizeof next);
  return next(thread, attributes, body, user);
}
#endif

static void set_refused(int refuse) {
  __atomic_store_n(&are_refused, refuse, __ATOMIC_SEQ_CST);
}

/* The first case: nothing of the process has launched anything. */
static void a_first_launch_is_refused(void) {
  gevt_stream_t stream = stream_new();
  int ran = 0;
  set_refused(1);
  CHECK_FAILS(gevt_stream_launch(stream, count_up, &ran), GEVT_ERROR_OUT_OF_MEMORY, GEVT_DETAIL_OUT_OF_MEMORY);
  set_refused(0);
  CHECK_OK(gevt_stream_launch(stream, count_up, &ran));
  stream_finish(stream);
  CHECK_EQUAL(ran, 1);
}

typedef struct wait {
  gevt_event_t event;
  int has_begun;
  gevt_status_t status;
} wait_t;

static void wait_for_event(void *user) {
  wait_t *wait = (wait_t *)user;
  count_up(&wait->has_begun);
  wait->status = gevt_sync_timeout(wait->event, HANG_LIMIT);
}

/* The only worker sleeps in gevt, and what it waits for needs another one. */
static void what_is_due_runs_when_there_are_threads_again(void) {
  gevt_stream_t first = stream_new(), second = stream_new();
  gevt_event_t start = event_with(GEVT_EVENT_HOST_SIGNALED | GEVT_EVENT_DISABLE_TIMING);
  wait_t wait = {NULL, 0, GEVT_ERROR_UNKNOWN};
  int ran = 0;
  CHECK_OK(gevt_host_set_threads(1));
  wait.event = event_new();
  CHECK_OK(gevt_stream_wait(second, start, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_stream_launch(second, count_up, &ran));
  CHECK_OK(gevt_record(wait.event, second));
  set_refused(1);
  refused = 0;
  CHECK_OK(gevt_stream_launch(first, wait_for_event, &wait));
  CHECK(count_await(&wait.has_begun, 1));
  CHECK_OK(gevt_signal(start, 0));
  CHECK(count_await(&refused, 1));
  CHECK_EQUAL(count_of(&ran), 0);
  set_refused(0);
  stream_finish(first);
  CHECK_OK(wait.status);
  CHECK_EQUAL(ran, 1);
  stream_finish(second);
  CHECK_OK(gevt_destroy(wait.event));
  CHECK_OK(gevt_destroy(start));
  CHECK_OK(gevt_host_set_threads(0));
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
#ifdef HAS_NO_CREATE_OF_ITS_OWN
  (void)a_first_launch_is_refused;
  (void)what_is_due_runs_when_there_are_threads_again;
  return subject_skip("no_threads: a sanitizer has a pthread_create of its own");
#else
  RUN_ON_HOST(a_first_launch_is_refused);
  RUN_ON_HOST(what_is_due_runs_when_there_are_threads_again);
#endif
  return subject_end();
}
