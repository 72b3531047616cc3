/* Every status and detail: its name and text; the version; a backend that is missing; no memory. usage: errors [host|cuda] [out-of-memory] */
#include "objects.h"
#include "child.h"

#include <sys/resource.h>

static const struct {
  gevt_status_t status;
  int number;
  const char *name;
} statuses[] = {
#define STATUS(name, number)                                                                                           \
  { name, number, #name }
    STATUS(GEVT_SUCCESS, 0),
    STATUS(GEVT_ERROR_INVALID_VALUE, 1),
    STATUS(GEVT_ERROR_OUT_OF_MEMORY, 2),
    STATUS(GEVT_ERROR_NOT_INITIALIZED, 3),
    STATUS(GEVT_ERROR_DEINITIALIZED, 4),
    STATUS(GEVT_ERROR_NO_DEVICE, 100),
    STATUS(GEVT_ERROR_INVALID_DEVICE, 101),
    STATUS(GEVT_ERROR_INVALID_CONTEXT, 201),
    STATUS(GEVT_ERROR_MAP_FAILED, 205),
    STATUS(GEVT_ERROR_OPERATING_SYSTEM, 304),
    STATUS(GEVT_ERROR_INVALID_HANDLE, 400),
    STATUS(GEVT_ERROR_ILLEGAL_STATE, 401),
    STATUS(GEVT_ERROR_NOT_READY, 600),
    STATUS(GEVT_ERROR_CONTEXT_IS_DESTROYED, 709),
    STATUS(GEVT_ERROR_LAUNCH_FAILED, 719),
    STATUS(GEVT_ERROR_NOT_SUPPORTED, 801),
    STATUS(GEVT_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900),
    STATUS(GEVT_ERROR_STREAM_CAPTURE_INVALIDATED, 901),
    STATUS(GEVT_ERROR_STREAM_CAPTURE_MERGE, 902),
    STATUS(GEVT_ERROR_STREAM_CAPTURE_UNMATCHED, 903),
    STATUS(GEVT_ERROR_STREAM_CAPTURE_UNJOINED, 904),
    STATUS(GEVT_ERROR_STREAM_CAPTURE_ISOLATION, 905),
    STATUS(GEVT_ERROR_STREAM_CAPTURE_IMPLICIT, 906),
    STATUS(GEVT_ERROR_CAPTURED_EVENT, 907),
    STATUS(GEVT_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908),
    STATUS(GEVT_ERROR_TIMEOUT, 909),
    STATUS(GEVT_ERROR_UNKNOWN, 999),
#undef STATUS
};
enum { STATUSES = sizeof statuses / sizeof *statuses };

static const struct {
  gevt_detail_t detail;
  int number;
  const char *name;
} details[] = {
#define DETAIL(name, number)                                                                                           \
  { name, number, #name }
    DETAIL(GEVT_DETAIL_NONE, 0),
    DETAIL(GEVT_DETAIL_NULL_HANDLE, 1),
    DETAIL(GEVT_DETAIL_UNKNOWN_HANDLE, 2),
    DETAIL(GEVT_DETAIL_STALE_HANDLE, 3),
    DETAIL(GEVT_DETAIL_WRONG_KIND, 4),
    DETAIL(GEVT_DETAIL_NULL_POINTER, 5),
    DETAIL(GEVT_DETAIL_BAD_FLAGS, 6),
    DETAIL(GEVT_DETAIL_BAD_ARGUMENT, 7),
    DETAIL(GEVT_DETAIL_BAD_DEVICE, 8),
    DETAIL(GEVT_DETAIL_NO_BACKEND, 9),
    DETAIL(GEVT_DETAIL_NOT_RECORDED, 10),
    DETAIL(GEVT_DETAIL_TIMING_DISABLED, 11),
    DETAIL(GEVT_DETAIL_CONTEXT_MISMATCH, 12),
    DETAIL(GEVT_DETAIL_IMPORTED_NO_TIMING, 13),
    DETAIL(GEVT_DETAIL_CAPTURED, 14),
    DETAIL(GEVT_DETAIL_NOT_CAPTURING, 15),
    DETAIL(GEVT_DETAIL_WOULD_DEADLOCK, 16),
    DETAIL(GEVT_DETAIL_NOT_BOUND, 17),
    DETAIL(GEVT_DETAIL_NO_NATIVE, 18),
    DETAIL(GEVT_DETAIL_TIMED_OUT, 19),
    DETAIL(GEVT_DETAIL_OUT_OF_MEMORY, 20),
    DETAIL(GEVT_DETAIL_FORKED, 21),
    DETAIL(GEVT_DETAIL_EXITING, 22),
    DETAIL(GEVT_DETAIL_CONTEXT_LOST, 23),
    DETAIL(GEVT_DETAIL_BACKEND, 24),
    DETAIL(GEVT_DETAIL_INTERNAL, 25),
    DETAIL(GEVT_DETAIL_TRACING, 26),
    DETAIL(GEVT_DETAIL_NOT_TRACING, 27),
    DETAIL(GEVT_DETAIL_FILE, 28),
    DETAIL(GEVT_DETAIL_NOT_EXPORTABLE, 29),
    DETAIL(GEVT_DETAIL_IPC_BAD_HANDLE, 30),
    DETAIL(GEVT_DETAIL_IPC_SAME_PROCESS, 31),
    DETAIL(GEVT_DETAIL_IPC_PEER_GONE, 32),
    DETAIL(GEVT_DETAIL_IPC_FOREIGN_USER, 33),
    DETAIL(GEVT_DETAIL_UNSUPPORTED, 34),
    DETAIL(GEVT_DETAIL_SUBMIT_FAILED, 35),
    DETAIL(GEVT_DETAIL_NO_TIME, 36),
    DETAIL(GEVT_DETAIL_BATCH, 37),
    DETAIL(GEVT_DETAIL_VULKAN, 38),
    DETAIL(GEVT_DETAIL_EVENT_FAILED, 39),
    DETAIL(GEVT_DETAIL_HOST_SIGNALED, 40),
    DETAIL(GEVT_DETAIL_EXECUTOR, 41),
    DETAIL(GEVT_DETAIL_NOT_CALIBRATED, 42),
#undef DETAIL
};
enum { DETAILS = sizeof details / sizeof *details };

static void status_names_and_texts(void) {
  size_t i, j;
  for (i = 0; i < STATUSES; i++) {
    const char *text = gevt_status_string(statuses[i].status);
    CHECK_EQUAL(statuses[i].status, statuses[i].number);
    CHECK(strcmp(gevt_status_name(statuses[i].status), statuses[i].name) == 0);
    /* A sentence, different from all others. */
    CHECK(strlen(text) > 10 && strchr(text, ' ') != NULL);
    for (j = 0; j < i; j++) CHECK(strcmp(text, gevt_status_string(statuses[j].status)) != 0);
  }
}

/* The table has each status that the library knows. */
static void no_other_status_has_a_name(void) {
  const char *unrecognized = gevt_status_name(INT32_MAX);
  gevt_status_t status;
  size_t known = 0;
  for (status = 0; status < 10000; status++) known += strcmp(gevt_status_name(status), unrecognized) != 0;
  CHECK_EQUAL(known, STATUSES);
}

/* A newer driver's codes pass through gevt: any number must be answered with some name and text. */
static void unknown_statuses(void) {
  static const gevt_status_t unknown[] = {-1, 5, 99, 700, 717, 910, 1000, 99999, INT32_MAX, INT32_MIN};
  size_t i, j;
  for (i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    const char *name = gevt_status_name(unknown[i]), *text = gevt_status_string(unknown[i]);
    if (!CHECK(name != NULL && text != NULL)) continue;
    CHECK(*name != 0 && *text != 0);
    /* None may pass for a code that it is not; the name of UNKNOWN alone is free for them. */
    for (j = 0; j < STATUSES; j++) {
      if (statuses[j].status != GEVT_ERROR_UNKNOWN) CHECK(strcmp(name, statuses[j].name) != 0);
    }
  }
}

static void detail_names(void) {
  static const gevt_detail_t unknown[] = {-1, DETAILS, 1000, INT32_MAX, INT32_MIN};
  const char *unrecognized = gevt_detail_name(INT32_MAX);
  size_t i, j;
  gevt_detail_t detail;
  for (i = 0; i < DETAILS; i++) {
    CHECK_EQUAL(details[i].detail, details[i].number);
    CHECK(strcmp(gevt_detail_name(details[i].detail), details[i].name) == 0);
  }
  for (i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    const char *name = gevt_detail_name(unknown[i]);
    if (!CHECK(name != NULL)) continue;
    CHECK(*name != 0);
    for (j = 0; j < DETAILS; j++) CHECK(strcmp(name, details[j].name) != 0);
  }
  /* The table has each detail that the library knows. */
  for (detail = DETAILS; detail < 1000; detail++) CHECK(strcmp(gevt_detail_name(detail), unrecognized) == 0);
}

/* The version is defined once, in the package; number and text must agree with it. */
static void version(void) {
  unsigned major = 0, minor = 0, patch = 0;
  CHECK(sscanf(gevt_version_string(), "%u.%u.%u", &major, &minor, &patch) == 3);
  CHECK_EQUAL(gevt_version(), major * 10000 + minor * 100 + patch);
#ifdef TEST_VERSION
  CHECK(strcmp(gevt_version_string(), TEST_VERSION) == 0);
#endif
}

/* Asked for by name, a backend that is not there is an error and not another backend. */
static void no_device(void) {
  gevt_context_t context;
  int32_t count;
  pattern_fill(&context, sizeof context);
  pattern_fill(&count, sizeof count);
  if (gevt_context_open(&context, GEVT_BACKEND_CUDA, 0) == GEVT_SUCCESS) {
    printf("SKIPPED: case no_device: there is a CUDA device here\n");
    CHECK_OK(gevt_context_close(context));
    return;
  }
  CHECK_FAILS(gevt_context_open(&context, GEVT_BACKEND_CUDA, 0), GEVT_ERROR_NO_DEVICE, GEVT_DETAIL_NO_BACKEND);
  CHECK_FAILS(gevt_device_count(&count, GEVT_BACKEND_CUDA), GEVT_ERROR_NO_DEVICE, GEVT_DETAIL_NO_BACKEND);
  CHECK_FAILS(gevt_context_wrap(&context, GEVT_BACKEND_CUDA, &count), GEVT_ERROR_NO_DEVICE, GEVT_DETAIL_NO_BACKEND);
  CHECK(pattern_intact(&context, sizeof context));
  CHECK(pattern_intact(&count, sizeof count));
}

/* In a separate process: creates events until the address space is full. The call must return an error, not abort, and
   existing objects must still work. */
static void use_up_memory(void) {
  enum { MOST = 20000000 };
  gevt_event_t *events = (gevt_event_t *)malloc((size_t)MOST * sizeof *events), event;
  struct rlimit limit;
  unsigned long pages = 0;
  FILE *memory = fopen("/proc/self/statm", "r");
  gevt_status_t status = GEVT_SUCCESS;
  size_t made = 0, i, wrong = 0;
  if (!CHECK(events != NULL) || !CHECK(memory != NULL) || !CHECK(fscanf(memory, "%lu", &pages) == 1)) return;
  fclose(memory);
  limit.rlim_cur = limit.rlim_max = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (64 << 20);
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  while (made < MOST && (status = gevt_create(&events[made], GEVT_EVENT_DEFAULT)) == GEVT_SUCCESS) made++;
  CHECK_STATUS(status, GEVT_ERROR_OUT_OF_MEMORY);
  CHECK_DETAIL(GEVT_DETAIL_OUT_OF_MEMORY);
  CHECK(strstr(gevt_last_message(), "gevt_create") != NULL);
  printf("%lu events before the memory ran out\n", (unsigned long)made);
  CHECK(made > 100000);
  CHECK_EQUAL(gevt_live_events(), made);
  pattern_fill(&event, sizeof event);
  CHECK_FAILS(gevt_create(&event, GEVT_EVENT_DEFAULT), GEVT_ERROR_OUT_OF_MEMORY, GEVT_DETAIL_OUT_OF_MEMORY);
  CHECK(pattern_intact(&event, sizeof event));
  for (i = 0; i < made; i++) wrong += gevt_query(events[i]) != GEVT_SUCCESS;
  for (i = 0; i < made; i++) wrong += gevt_destroy(events[i]) != GEVT_SUCCESS;
  CHECK_EQUAL(wrong, 0);
  /* The places that became free serve again, without more memory. */
  for (i = 0; i < made; i++) wrong += gevt_create(&events[i], GEVT_EVENT_DEFAULT) != GEVT_SUCCESS;
  for (i = 0; i < made; i++) wrong += gevt_destroy(events[i]) != GEVT_SUCCESS;
  CHECK_EQUAL(wrong, 0);
}

static void out_of_memory(void) {
  CHECK_EQUAL(child_run_self("host", "out-of-memory"), 0);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  if (argc > 2 && strcmp(argv[2], "out-of-memory") == 0) {
    RUN(use_up_memory);
    return subject_end();
  }
  RUN(status_names_and_texts);
  RUN(no_other_status_has_a_name);
  RUN(unknown_statuses);
  RUN(detail_names);
  RUN(version);
  RUN(no_device);
  if (subject_is_host())
    RUN_UNLESS_WATCHED(out_of_memory, "the tool's own memory runs out first");
  else
    RUN_ON_HOST(out_of_memory);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
