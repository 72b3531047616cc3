/* gevt as a plug-in: opened, closed and reopened at run time, with work in progress. It is never unmapped, which
   protects threads and exit handlers that still run its code. This program is not linked to gevt.
   usage: dlopen [host|cuda] [CASE [ROUNDS]]    without a case: all of them in this process; with a number, or the one of GEVT_TEST_ROUNDS: one
   that often, each time in a new process */
#include "child.h"

static const char *library_path;

/* gevt's functions, looked up by name. */
static struct api {
#define FUNCTION(name, ...) __typeof__(gevt_##name) *name;
#include "../functions.def"
#undef FUNCTION
} api;

static void look_up(void *library, const char *name, void *slot) {
  void *symbol = dlsym(library, name);
  if (!CHECK(symbol != NULL)) {
    printf("    no %s: %s\n", name, dlerror());
    exit(1);
  }
  /* Other threads may be using it. */
  if (memcmp(slot, &symbol, sizeof symbol) != 0) memcpy(slot, &symbol, sizeof symbol);
}

static void look_up_all(void *library) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
#define FUNCTION(name, ...) look_up(library, "gevt_" #name, &api.name);
#include "../functions.def"
#undef FUNCTION
  pthread_mutex_unlock(&mutex);
}

static void *library_open(int mode) {
  void *library = dlopen(library_path, mode), *symbol;
  char expected[PATH_MAX], actual[PATH_MAX];
  Dl_info info;
  if (!CHECK(library != NULL)) {
    printf("    %s\n", dlerror());
    exit(1);
  }
  symbol = dlsym(library, "gevt_version");
  memset(&info, 0, sizeof info);
  if (!CHECK(symbol && dladdr(symbol, &info) && realpath(info.dli_fname, actual) && realpath(library_path, expected)) ||
      !CHECK(strcmp(actual, expected) == 0)) {
    exit(1);
  }
  look_up_all(library);
  return library;
}

/* What the linker knows of the library, without another use of it. */
static int is_mapped(void) {
  void *library = dlopen(library_path, RTLD_NOW | RTLD_NOLOAD);
#ifndef _WIN32
  if (library) dlclose(library);
#endif
  return library != NULL;
}

/* An event of a stream that a gate blocks. */
typedef struct blocked {
  gevt_context_t context;
  gevt_stream_t stream;
  gevt_event_t event;
} blocked_t;

static blocked_t blocked_make(gate_t *gate) {
  blocked_t made = {NULL, NULL, NULL};
  CHECK_EQUAL(api.context_open(&made.context, subject_backend, 0), GEVT_SUCCESS);
  CHECK_EQUAL(api.stream_create(&made.stream, made.context, GEVT_STREAM_NON_BLOCKING), GEVT_SUCCESS);
  CHECK_EQUAL(api.create(&made.event, GEVT_EVENT_DEFAULT), GEVT_SUCCESS);
  CHECK_EQUAL(api.stream_launch(made.stream, gate_pass, gate), GEVT_SUCCESS);
  CHECK_EQUAL(api.record(made.event, made.stream), GEVT_SUCCESS);
  return made;
}

static void blocked_end(blocked_t blocked) {
  CHECK_EQUAL(api.sync(blocked.event), GEVT_SUCCESS);
  CHECK_EQUAL(api.query(blocked.event), GEVT_SUCCESS);
  CHECK_EQUAL(api.destroy(blocked.event), GEVT_SUCCESS);
  CHECK_EQUAL(api.query(blocked.event), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(api.stream_sync(blocked.stream), GEVT_SUCCESS);
  CHECK_EQUAL(api.stream_destroy(blocked.stream), GEVT_SUCCESS);
  CHECK_EQUAL(api.context_close(blocked.context), GEVT_SUCCESS);
}

/* One use of the whole way down, with the threads that this starts. */
static void use_library(void) {
  gate_t gate = GATE_CLOSED;
  blocked_t blocked = blocked_make(&gate);
  gate_open(&gate);
  blocked_end(blocked);
  CHECK(gate_passed(&gate));
}

/* Must run first. The first open loads the library, which stays after the last close. Nothing in use holds it then:
   no thread, no handler, no thread-local memory. */
static void stays_unused(void) {
  void *library;
  CHECK(dlsym(RTLD_DEFAULT, "gevt_version") == NULL);
  CHECK(!is_mapped());
  library = library_open(RTLD_NOW | RTLD_LOCAL);
  CHECK(is_mapped());
  CHECK_EQUAL(dlclose(library), 0);
  CHECK(is_mapped());
}

static void stays_after_close(void) {
  struct api first;
  gevt_event_t event = NULL;
  void *library = library_open(RTLD_NOW | RTLD_LOCAL);
  use_library();
  CHECK_EQUAL(api.create(&event, GEVT_EVENT_DEFAULT), GEVT_SUCCESS);
  CHECK_EQUAL(dlclose(library), 0);
  CHECK(is_mapped());
  use_library();
  /* When opened again, it is the same library with the same objects. */
  first = api;
  memset(&api, 0, sizeof api);
  library = library_open(RTLD_LAZY | RTLD_LOCAL);
  CHECK(memcmp(&first, &api, sizeof api) == 0);
  CHECK_EQUAL(api.live_events(), 1);
  CHECK_EQUAL(api.query(event), GEVT_SUCCESS);
  CHECK_EQUAL(api.destroy(event), GEVT_SUCCESS);
  use_library();
  CHECK_EQUAL(dlclose(library), 0);
  CHECK(is_mapped());
}

typedef struct waiter {
  gevt_event_t event;
  int tid;
} waiter_t;

static void *waiter_body(void *user) {
  waiter_t *waiter = (waiter_t *)user;
  thread_publish(&waiter->tid);
  CHECK_EQUAL(api.sync(waiter->event), GEVT_SUCCESS);
  return NULL;
}

/* Closed under a blocked stream, a callback and a thread in gevt_sync, which all still complete. */
static void closed_with_work_under_way(void) {
  void *library = library_open(RTLD_NOW | RTLD_LOCAL);
  gate_t gate = GATE_CLOSED;
  blocked_t blocked = blocked_make(&gate);
  waiter_t waiter = {blocked.event, 0};
  pthread_t thread;
  int called = 0;
  CHECK_EQUAL(api.on_complete(waiter.event, count_call, &called), GEVT_SUCCESS);
  thread = thread_start(waiter_body, &waiter);
  if (subject_is_host()) CHECK(thread_await_parked(&waiter.tid));
  CHECK_EQUAL(dlclose(library), 0);
  CHECK(is_mapped());
  CHECK_EQUAL(api.query(waiter.event), GEVT_ERROR_NOT_READY);
  gate_open(&gate);
  thread_join(thread);
  CHECK(count_await(&called, 1));
  library = library_open(RTLD_NOW | RTLD_LOCAL);
  blocked_end(blocked);
  CHECK_EQUAL(dlclose(library), 0);
}

static void *open_use_close_body(void *user) {
  void *library = library_open(RTLD_NOW | RTLD_LOCAL);
  (void)user;
  use_library();
  CHECK_EQUAL(dlclose(library), 0);
  return NULL;
}

/* gevt's per-thread state is torn down when the thread ends, although the library was closed meanwhile. Neither threads nor handlers pile up. */
static void opened_and_closed_in_threads(void) {
  int threads = 0, round;
  for (round = 0; round < 75; round++) {
    run_threads(4, open_use_close_body, NULL);
    if (round == 0) threads = thread_count();
  }
  CHECK(is_mapped());
  CHECK(thread_count() <= threads + threads_of_gevt());
  CHECK_EQUAL(api.live_events(), 0);
}

/* Leaves the library closed with an event pending: the process must still end with its own exit code. */
static void closed_at_exit(void) {
  static gate_t gate = GATE_CLOSED;
  void *library = library_open(RTLD_NOW | RTLD_LOCAL);
  blocked_make(&gate);
  CHECK_EQUAL(dlclose(library), 0);
}

/* Two copies in one process, as two plug-ins may bring: neither takes the other's handles for its own. */
static void two_copies(void) {
  char path[SCRATCH_SIZE], command[PATH_MAX + SCRATCH_SIZE + 10];
  int file = mkstemp(scratch_path(path, "copy"));
  struct api own, other;
  void *copy;
  gevt_event_t events[2] = {NULL, NULL};
  gevt_stream_t streams[2] = {NULL, NULL};
  int i;
  library_open(RTLD_NOW | RTLD_LOCAL);
  own = api;
  snprintf(command, sizeof command, "cp '%s' '%s'", library_path, path);
  if (!CHECK(file >= 0) || !CHECK(close(file) == 0) || !CHECK_EQUAL(system(command), 0)) return;
  copy = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  unlink(path);
  if (!CHECK(copy != NULL)) return;
  look_up_all(copy);
  other = api;
  api = own;
  CHECK(own.create != other.create);
  for (i = 0; i < 1000; i++) {
    CHECK_EQUAL(own.create(&events[0], GEVT_EVENT_DEFAULT), GEVT_SUCCESS);
    CHECK_EQUAL(other.create(&events[1], GEVT_EVENT_DEFAULT), GEVT_SUCCESS);
    CHECK_EQUAL(own.query(events[1]), GEVT_ERROR_INVALID_HANDLE);
    CHECK_EQUAL(own.last_detail(), GEVT_DETAIL_UNKNOWN_HANDLE);
    CHECK_EQUAL(other.query(events[0]), GEVT_ERROR_INVALID_HANDLE);
    CHECK_EQUAL(other.last_detail(), GEVT_DETAIL_UNKNOWN_HANDLE);
    CHECK_EQUAL(other.destroy(events[0]), GEVT_ERROR_INVALID_HANDLE);
    CHECK_EQUAL(own.destroy(events[0]), GEVT_SUCCESS);
    CHECK_EQUAL(other.destroy(events[1]), GEVT_SUCCESS);
  }
  CHECK_EQUAL(own.stream_create(&streams[0], NULL, GEVT_STREAM_DEFAULT), GEVT_SUCCESS);
  CHECK_EQUAL(other.stream_create(&streams[1], NULL, GEVT_STREAM_DEFAULT), GEVT_SUCCESS);
  CHECK_EQUAL(own.stream_sync(streams[1]), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(own.last_detail(), GEVT_DETAIL_UNKNOWN_HANDLE);
  CHECK_EQUAL(own.stream_destroy(streams[0]), GEVT_SUCCESS);
  CHECK_EQUAL(other.stream_destroy(streams[1]), GEVT_SUCCESS);
}

/* The last one leaves work behind. */
static const struct {
  const char *name;
  void (*body)(void);
} cases[] = {
    {"stays_unused", stays_unused},
    {"stays_after_close", stays_after_close},
    {"closed_with_work_under_way", closed_with_work_under_way},
    {"two_copies", two_copies},
    {"opened_and_closed_in_threads", opened_and_closed_in_threads},
    {"closed_at_exit", closed_at_exit},
};

static void find_device(void) {
  gevt_context_t context;
  if (subject_is_host()) return;
  library_open(RTLD_NOW | RTLD_LOCAL);
  if (api.context_open(&context, subject_backend, 0) != GEVT_ERROR_NO_DEVICE) return;
  exit(subject_skip("dlopen on cuda: there is no CUDA device here"));
}

static const char *reason_to_skip(void (*body)(void)) {
#ifdef _WIN32
  if (body == stays_unused) return "gevt.dll stays from its first use on";
  if (body == two_copies) return "the file of a loaded library cannot be removed";
#endif
  int is_about_host = body == stays_unused || body == stays_after_close;
  return is_about_host && !subject_is_host() ? "it is about the host backend" : NULL;
}

int main(int argc, char **argv) {
  const char *rounds = getenv("GEVT_TEST_ROUNDS");
  size_t i;
  subject_choose_backend(argc, argv);
  library_path = subject_expected_library();
  if (!library_path) {
    printf("FAILED: no library is named: set GEVT_TEST_LIBRARY\n");
    return 1;
  }
  printf("library: %s, to be opened at run time\n", library_path);
  if (argc > 3) return child_rounds(argv[2], atoi(rounds ? rounds : argv[3]));
  find_device();
  for (i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *reason = reason_to_skip(cases[i].body);
    if (argc > 2 && strcmp(cases[i].name, argv[2]) != 0) continue;
    if (argc > 2 && reason) return subject_skip("case %s: %s", cases[i].name, reason);
    if (reason)
      printf("SKIPPED: case %s: %s\n", cases[i].name, reason);
    else
      subject_run(cases[i].name, cases[i].body);
  }
  return subject_end();
}
