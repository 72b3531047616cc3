/* gevt answers as the driver does: each case of the data file that gevt's C API can express, in a separate process.
   usage: test_conformance [host|cuda|vulkan] [CASE...]     without a case: all of them */
#include "conformance/captures.h"
#include "conformance/differences.h"
#include "conformance/events.h"
#include "conformance/ipc.h"
#include "conformance/process.h"
#include "conformance/streams.h"
#include "conformance/times.h"
#include "conformance/truth.h"

typedef struct test_case {
  const char *name;
  void (*body)(void);
  int needs_cuda, not_on_vulkan;
} test_case_t;

#define ANYWHERE(body)                                                                                                 \
  { #body, body, 0, 0 }
#define NOT_ON_VULKAN(body)                                                                                            \
  { #body, body, 0, 2 }
#define WITH_IPC(body)                                                                                                 \
  { #body, body, 0, 1 }
#define ON_CUDA(body)                                                                                                  \
  { #body, body, 1, 0 }

static const test_case_t cases[] = {
    ON_CUDA(capture_external),
    ON_CUDA(capture_query_global_mode),
    ON_CUDA(capture_record),
    ON_CUDA(capture_sync_invalidates),
    ON_CUDA(capture_wait_external_uncaptured_event),
    ON_CUDA(context_destroyed),
    ANYWHERE(create_fail_leaves_out),
    ANYWHERE(create_flags),
    ANYWHERE(create_no_context),
    ANYWHERE(create_no_init),
    ANYWHERE(create_null_out),
    ANYWHERE(destroy_no_context),
    ANYWHERE(destroy_null),
    ANYWHERE(destroy_other_context),
    ANYWHERE(destroy_pending),
    ANYWHERE(destroy_twice),
    NOT_ON_VULKAN(drv_two_devices),
    ANYWHERE(elapsed_cross_context),
    ANYWHERE(elapsed_destroyed),
    ANYWHERE(elapsed_no_context),
    ANYWHERE(elapsed_null_events),
    ANYWHERE(elapsed_null_out),
    ANYWHERE(elapsed_ok),
    ANYWHERE(elapsed_pending_and_unrecorded),
    ANYWHERE(elapsed_pending),
    ANYWHERE(elapsed_timing_disabled),
    ANYWHERE(elapsed_unrecorded),
    ANYWHERE(handle_reuse),
    WITH_IPC(ipc_cross_process),
    WITH_IPC(ipc_exporter_destroyed_before_open),
    WITH_IPC(ipc_get_ok),
    WITH_IPC(ipc_get_plain),
    WITH_IPC(ipc_open_garbage),
    WITH_IPC(ipc_open_same_process),
    ANYWHERE(query_after_destroy),
    ANYWHERE(query_garbage_ptr),
    ANYWHERE(query_garbage_small),
    ANYWHERE(query_no_context_current),
    ANYWHERE(query_null),
    ANYWHERE(query_pending_then_done),
    ANYWHERE(query_unrecorded),
    ANYWHERE(query_zero_ptr),
    ANYWHERE(record_destroyed_event),
    ANYWHERE(record_destroyed_stream),
    ANYWHERE(record_flags),
    ANYWHERE(record_garbage_event),
    ANYWHERE(record_garbage_stream),
    NOT_ON_VULKAN(record_legacy_and_ptds),
    ANYWHERE(record_null_event),
    ANYWHERE(record_null_stream),
    ANYWHERE(record_other_context_stream),
    ANYWHERE(rerecord_overwrites),
    ON_CUDA(sticky_error),
    ANYWHERE(sync_after_destroy),
    ANYWHERE(sync_null),
    ANYWHERE(sync_unrecorded),
    NOT_ON_VULKAN(wait_cross_context),
    ANYWHERE(wait_destroyed_event),
    ANYWHERE(wait_flags),
    ANYWHERE(wait_garbage_event),
    ANYWHERE(wait_null_event),
    ANYWHERE(wait_null_stream),
    ANYWHERE(wait_unrecorded),
};
enum { CASE_COUNT = sizeof cases / sizeof *cases };

static struct { int asked, as_driver, on_purpose, skipped, failed; } total;

static const test_case_t *case_of(const char *name) {
  int i;
  for (i = 0; i < CASE_COUNT; i++) {
    if (strcmp(cases[i].name, name) == 0) return &cases[i];
  }
  return NULL;
}

/* In the case's own process. */
static int answer(const char *name) {
  const test_case_t *asked = case_of(name);
  if (!asked) return 2;
  /* For the cases that need two contexts, which on the host are two devices. */
  setenv("GEVT_HOST_DEVICES", "2", 1);
  asked->body();
  fflush(stdout);
  return check_failures() ? 1 : 0;
}

static void case_failed(const test_case_t *asked, const char *expected, int end) {
  total.failed++;
  printf("FAILED: %s: expected: %s\n", asked->name, expected);
  if (end == CHILD_HUNG)
    printf("    it hung\n");
  else if (end >= CHILD_SIGNALLED)
    printf("    it was ended by signal %d\n", end - CHILD_SIGNALLED);
  else if (end != 0)
    printf("    it ended with code %d\n", end);
}

static void ask(const test_case_t *asked) {
  const char *driver_answers = truth_of(asked->name);
  const difference_t *difference = difference_of(asked->name);
  process_t process;
  if (!driver_answers) {
    total.failed++;
    printf("FAILED: %s: the driver was not asked\n", asked->name);
    return;
  }
  if ((asked->needs_cuda && !subject_is_cuda()) || (asked->not_on_vulkan && subject_is_vulkan())) {
    total.skipped++;
    printf("SKIPPED: %s: %s\n", asked->name,
           asked->needs_cuda ? "only CUDA has it"
           : asked->not_on_vulkan == 1
               ? "Vulkan has no interprocess events"
               : "a Vulkan queue waits for its own device, and no thread has a stream of its own");
    return;
  }
  process = process_run(subject_name(), asked->name);
  truth_trim(process.output);
  if (process.end == SUBJECT_SKIPPED) {
    const char *reason = strstr(process.output, "SKIPPED: ");
    total.skipped++;
    printf("SKIPPED: %s: %s\n", asked->name, reason ? reason + strlen("SKIPPED: ") : process.output);
    return;
  }
  total.asked++;
  printf("%s\t%s\n", asked->name, process.output);
  if (difference && truth_agrees(driver_answers, difference->answers)) {
    case_failed(asked, "a difference that is none must not be in the table", 0);
  } else if (difference && process.end == 0 && strcmp(process.output, difference->answers) == 0) {
    total.on_purpose++;
    printf("    on purpose; the driver: %s\n    %s\n", driver_answers, difference->reason);
  } else if (!difference && process.end == 0 && truth_agrees(driver_answers, process.output)) {
    total.as_driver++;
  } else {
    case_failed(asked, difference ? difference->answers : driver_answers, process.end);
  }
}

/* Every answer of the driver is compared, or listed with a reason. */
static void account_for_all(void) {
  int i;
  for (i = 0; i < truth_count; i++) {
    const char *name = truth_lines[i].name, *reason = inexpressible_reason(name);
    int has_case = case_of(name) != NULL;
    if (!has_case && reason) printf("not asked: %s: %s\n", name, reason);
    if (has_case == (reason != NULL)) {
      total.failed++;
      printf("FAILED: %s: %s\n", name, has_case ? "there is a case for it after all" : "no case asks it");
    }
  }
}

/* Says what is tested: the library, and on CUDA the driver. Starts gevt, to see what it loads; the cases start it anew. */
static void prove(void) {
  subject_prove_library();
  subject_open();
  if (subject_is_cuda()) {
    driver_load();
    driver_prove();
  }
}

int main(int argc, char **argv) {
  int i;
  subject_choose_backend(argc, argv);
  if (argc == 4 && strcmp(argv[2], PROCESS_ANSWER) == 0) return answer(argv[3]);
  for (i = 2; i < argc; i++) {
    if (!case_of(argv[i])) {
      fprintf(stderr, "there is no case %s\n", argv[i]);
      return 2;
    }
  }
  prove();
  truth_read(TEST_TRUTH);
  if (argc <= 2) account_for_all();
  for (i = 0; argc <= 2 && i < CASE_COUNT; i++) ask(&cases[i]);
  for (i = 2; i < argc; i++) ask(case_of(argv[i]));
  printf("%d of %d as the driver, %d different on purpose", total.as_driver, total.asked, total.on_purpose);
  if (total.skipped) printf(", %d skipped", total.skipped);
  if (total.failed) printf(", %d FAILED", total.failed);
  printf("\n");
  if (total.failed || check_failures()) return 1;
  return total.asked ? 0 : SUBJECT_SKIPPED;
}
