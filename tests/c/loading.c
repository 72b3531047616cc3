/* CUDA drivers that are missing, unsuitable or newer than gevt. Each case runs with a substitute driver
   (driver/driver.c), which the dynamic linker finds by LD_LIBRARY_PATH.
   usage: loading CASE */
#include "check.h"
#include "gate.h"
#include "subject.h"

#include <stdlib.h>
#include <string.h>

/* CUDA is refused with words that name the cause, again and again, and AUTO is the host. */
static void refused(const char *word) {
  gevt_context_t context = NULL;
  gevt_event_t event;
  gevt_event_info_t info;
  int32_t count = -5;
  int i;
  for (i = 0; i < 2; i++) {
    CHECK_FAILS(gevt_context_open(&context, GEVT_BACKEND_CUDA, 0), GEVT_ERROR_NO_DEVICE, GEVT_DETAIL_NO_BACKEND);
    if (!CHECK(strstr(gevt_last_message(), word) != NULL)) printf("    %s\n", gevt_last_message());
    CHECK_FAILS(gevt_device_count(&count, GEVT_BACKEND_CUDA), GEVT_ERROR_NO_DEVICE, GEVT_DETAIL_NO_BACKEND);
    CHECK_EQUAL(count, -5);
    CHECK(context == NULL);
  }
  CHECK_OK(gevt_context_open(&context, GEVT_BACKEND_AUTO, 0));
  CHECK_OK(gevt_create_in(&event, context, GEVT_EVENT_DEFAULT));
  info.size = sizeof info;
  CHECK_OK(gevt_get_info(&info, event));
  CHECK_EQUAL(info.backend, GEVT_BACKEND_HOST);
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_context_close(context));
}

typedef struct objects {
  gevt_context_t context;
  gevt_stream_t stream;
  gevt_event_t event;
} objects_t;

static objects_t objects_make(void) {
  objects_t made;
  CHECK_OK(gevt_context_open(&made.context, GEVT_BACKEND_CUDA, 0));
  CHECK_OK(gevt_stream_create(&made.stream, made.context, GEVT_STREAM_DEFAULT));
  CHECK_OK(gevt_create(&made.event, GEVT_EVENT_DEFAULT));
  return made;
}

static void objects_end(objects_t made) {
  CHECK_OK(gevt_destroy(made.event));
  CHECK_OK(gevt_stream_destroy(made.stream));
  CHECK_OK(gevt_context_close(made.context));
}

/* A code that gevt has no name for comes back as its number, and changes nothing. */
static void check_new_code(gevt_status_t status) {
  CHECK_EQUAL(status, 99999);
  CHECK_DETAIL(GEVT_DETAIL_BACKEND);
  CHECK(strstr(gevt_last_message(), "99999") != NULL);
  CHECK(strcmp(gevt_status_name(status), "GEVT_ERROR_UNRECOGNIZED") == 0);
}

static void new_code_of_a_record(void) {
  objects_t made = objects_make();
  gevt_event_info_t info;
  check_new_code(gevt_record(made.event, made.stream));
  info.size = sizeof info;
  CHECK_OK(gevt_get_info(&info, made.event));
  CHECK_EQUAL(info.state, GEVT_STATE_UNRECORDED);
  CHECK_OK(gevt_query(made.event));
  objects_end(made);
}

static void new_code_of_a_query(void) {
  objects_t made = objects_make();
  int i;
  CHECK_OK(gevt_record(made.event, made.stream));
  for (i = 0; i < 2; i++) check_new_code(gevt_query(made.event));
  check_new_code(gevt_sync_timeout(made.event, 1000000));
  objects_end(made);
}

/* A driver that does not answer for the moment, as within a host function, has not lost the context; one that says so has. */
static void refusal_is_no_loss(void) {
  objects_t made = objects_make();
  CHECK_EQUAL(setenv("TEST_DRIVER", "refuses", 1), 0);
  CHECK_STATUS(gevt_record(made.event, made.stream), 800);
  CHECK_DETAIL(GEVT_DETAIL_BACKEND);
  CHECK_EQUAL(setenv("TEST_DRIVER", "", 1), 0);
  CHECK_OK(gevt_record(made.event, made.stream));
  CHECK_OK(gevt_sync(made.event));
  CHECK_EQUAL(setenv("TEST_DRIVER", "destroyed", 1), 0);
  CHECK_FAILS(gevt_record(made.event, made.stream), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_CONTEXT_LOST);
  CHECK_EQUAL(setenv("TEST_DRIVER", "", 1), 0);
  CHECK_FAILS(gevt_query(made.event), GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_CONTEXT_LOST);
  objects_end(made);
}

/* After such a code all events of the context report it, the finished ones too, and nothing of them reaches the driver. */
static void fatal_codes(void) {
  static const int codes[] = {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911};
  size_t i;
  for (i = 0; i < sizeof codes / sizeof *codes; i++) {
    objects_t made;
    gevt_event_t finished;
    char fault[32];
    CHECK_EQUAL(setenv("TEST_DRIVER", "", 1), 0);
    made = objects_make();
    CHECK_OK(gevt_create(&finished, GEVT_EVENT_DEFAULT));
    CHECK_OK(gevt_record(finished, made.stream));
    CHECK_OK(gevt_sync(finished));
    CHECK_OK(gevt_record(made.event, made.stream));
    snprintf(fault, sizeof fault, "code-%d", codes[i]);
    CHECK_EQUAL(setenv("TEST_DRIVER", fault, 1), 0);
    CHECK_FAILS(gevt_query(made.event), codes[i], GEVT_DETAIL_CONTEXT_LOST);
    CHECK_FAILS(gevt_query(finished), codes[i], GEVT_DETAIL_CONTEXT_LOST);
    CHECK_FAILS(gevt_record(finished, made.stream), codes[i], GEVT_DETAIL_CONTEXT_LOST);
    CHECK_OK(gevt_destroy(finished));
    objects_end(made);
  }
}

/* A code of one call's leaves the context as it is. */
static void other_codes(void) {
  static const int codes[] = {1, 2, 101, 400, 401, 801, 900, 907, 909, 910, 912, 999};
  objects_t made = objects_make();
  size_t i;
  CHECK_OK(gevt_record(made.event, made.stream));
  for (i = 0; i < sizeof codes / sizeof *codes; i++) {
    char fault[32];
    snprintf(fault, sizeof fault, "code-%d", codes[i]);
    CHECK_EQUAL(setenv("TEST_DRIVER", fault, 1), 0);
    CHECK_FAILS(gevt_query(made.event), codes[i], GEVT_DETAIL_BACKEND);
  }
  CHECK_EQUAL(setenv("TEST_DRIVER", "", 1), 0);
  CHECK_OK(gevt_query(made.event));
  objects_end(made);
}

/* The driver says that the event was complete 3 ms after the one with which the clocks are compared. Returns the error of its time, which is
   at most `most` ms. */
static unsigned long long check_host_time(gevt_event_t event, long long since, unsigned most) {
  int64_t time = 0;
  uint64_t error = 0;
  CHECK_OK(gevt_host_time(&time, &error, event));
  CHECK(error >= 1 && error <= most * (uint64_t)MILLISECOND);
  CHECK(time - 3 * MILLISECOND + (long long)error >= since && time - 3 * MILLISECOND - (long long)error <= now_ns());
  return error;
}

/* A comparison of the clocks that takes long is less exact, and counts all the same. */
static void clock_of_a_busy_machine(void) {
  objects_t made = objects_make();
  long long begun = now_ns();
  int64_t time = -5;
  uint64_t error = 6;
  CHECK_OK(gevt_record(made.event, made.stream));
  CHECK_OK(gevt_sync(made.event));
  CHECK_EQUAL(setenv("TEST_DRIVER", "slow", 1), 0);
  CHECK_OK(gevt_context_calibrate(made.context));
  CHECK(check_host_time(made.event, begun, 1000) >= 5 * MILLISECOND);
  objects_end(made);
  made = objects_make();
  CHECK_EQUAL(setenv("TEST_DRIVER", "", 1), 0);
  CHECK_OK(gevt_record(made.event, made.stream));
  CHECK_OK(gevt_sync(made.event));
  /* No call waits for the device, and the comparison counts once it is done. */
  CHECK_EQUAL(setenv("TEST_DRIVER", "busy", 1), 0);
  begun = now_ns();
  CHECK_FAILS(gevt_context_calibrate(made.context), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_CALIBRATED);
  CHECK_FAILS(gevt_host_time(&time, &error, made.event), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_CALIBRATED);
  CHECK(strstr(gevt_last_message(), "busy") != NULL);
  CHECK(time == -5 && error == 6);
  sleep_ns(60 * MILLISECOND);
  CHECK_OK(gevt_context_calibrate(made.context));
  CHECK(check_host_time(made.event, begun, 10000) >= 25 * MILLISECOND);
  /* A better one replaces it. */
  CHECK_EQUAL(setenv("TEST_DRIVER", "", 1), 0);
  begun = now_ns();
  CHECK_OK(gevt_context_calibrate(made.context));
  CHECK(check_host_time(made.event, begun, 1000) < 25 * MILLISECOND);
  objects_end(made);
}

/* Without what only newer drivers have, everything else works. */
static void plain_driver(void) {
  objects_t made = objects_make();
  gevt_event_t end;
  float ms = 0;
  CHECK_OK(gevt_create(&end, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_record(made.event, made.stream));
  CHECK_OK(gevt_record(end, made.stream));
  CHECK_OK(gevt_sync(end));
  CHECK_OK(gevt_elapsed(&ms, made.event, end));
  CHECK(ms == 2);
  CHECK_OK(gevt_destroy(end));
  objects_end(made);
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  subject_prove_library();
  subject_case(name);
  if (strcmp(name, "stub") == 0)
    refused("stub");
  else if (strcmp(name, "too-old") == 0)
    refused("too old");
  else if (strcmp(name, "symbol-missing") == 0)
    refused("too old");
  else if (strcmp(name, "no-device") == 0)
    refused("no device");
  else if (strcmp(name, "none") == 0)
    refused("no device");
  else if (strcmp(name, "broken") == 0)
    refused("cuInit");
  else if (strcmp(name, "not-there") == 0) {
    if (dlopen("libcuda.so.1", RTLD_NOW)) {
      return subject_skip("loading not-there: this machine has a driver");
    }
    refused("libcuda.so.1");
  } else if (strcmp(name, "new-code-record") == 0)
    new_code_of_a_record();
  else if (strcmp(name, "new-code-create") == 0)
    new_code_of_a_record();
  else if (strcmp(name, "new-code-query") == 0)
    new_code_of_a_query();
  else if (strcmp(name, "refusal") == 0)
    refusal_is_no_loss();
  else if (strcmp(name, "fatal") == 0)
    fatal_codes();
  else if (strcmp(name, "not-fatal") == 0)
    other_codes();
  else if (strcmp(name, "clock") == 0)
    clock_of_a_busy_machine();
  else if (strcmp(name, "plain") == 0)
    plain_driver();
  else
    CHECK(!"a case of that name");
  return check_failures() != 0;
}
