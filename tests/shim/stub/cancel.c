/* A thread is cancelled while the driver is inside a call: it ends, the process continues, and the event still works. */
#include "../case.h"
#include "driver.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static CUevent event;
static CUstream stream;
static const char *function;
static sem_t entered;

static void block(void) {
  sem_post(&entered);
  for (;;) pause();
}

static void *call(void *user) {
  void *address;
  float ms;
  (void)user;
  if (strcmp(function, "cuEventSynchronize") == 0) cuEventSynchronize(event);
  if (strcmp(function, "cuEventQuery") == 0) cuEventQuery(event);
  if (strcmp(function, "cuEventRecord") == 0) cuEventRecord(event, stream);
  if (strcmp(function, "cuEventElapsedTime") == 0) cuEventElapsedTime(&ms, event, event);
  if (strcmp(function, "cuStreamWaitEvent") == 0) cuStreamWaitEvent(stream, event, 0);
  if (strcmp(function, "cuStreamSynchronize") == 0) cuStreamSynchronize(stream);
  if (strcmp(function, "cuGetProcAddress") == 0) cuGetProcAddress("cuEventQuery", &address, 12000, 0);
  return NULL;
}

static void cancelled_in(const char *name) {
  pthread_t thread;
  void *result;
  stream = new_stream();
  event = event_with(0);
  OK(cuEventRecord(event, stream));
  CHECK(sem_init(&entered, 0, 0) == 0);
  function = name;
  stub_hook(name, block);
  CHECK(pthread_create(&thread, NULL, call, NULL) == 0);
  CHECK(sem_wait(&entered) == 0);
  CHECK(pthread_cancel(thread) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  stub_hook(name, NULL);
  OK(cuEventRecord(event, stream));
  OK(cuEventSynchronize(event));
  OK(cuEventQuery(event));
  OK(cuEventDestroy_v2(event));
  GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(event));
}

static CUresult answered;

static void *misuse(void *user) {
  (void)user;
  CHECK(pthread_cancel(pthread_self()) == 0);
  answered = cuEventQuery(event);
  pthread_testcancel();
  return NULL;
}

/* A line about misuse is printed whole, and the thread is cancelled after the call. */
CASE_ALONE(before_a_warning) {
  pthread_t thread;
  void *result;
  CHECK(setenv("GEVT_LOG", "warn", 1) == 0);
  begin();
  event = event_with(0);
  OK(cuEventDestroy_v2(event));
  CHECK(pthread_create(&thread, NULL, misuse, NULL) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  GIVES(CUDA_ERROR_INVALID_HANDLE, answered);
}

#define CANCELLED_IN(name)                                                                                             \
  CASE(in_##name) {                                                                                                    \
    cancelled_in(#name);                                                                                               \
  }
CANCELLED_IN(cuEventSynchronize)
CANCELLED_IN(cuEventQuery)
CANCELLED_IN(cuEventRecord)
CANCELLED_IN(cuEventElapsedTime)
CANCELLED_IN(cuStreamWaitEvent)
CANCELLED_IN(cuStreamSynchronize)
CANCELLED_IN(cuGetProcAddress)

MAIN
