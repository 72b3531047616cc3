/* The log: which messages go where, on which thread, and what removing a function promises.
   usage: log [host|cuda] [default|exit] */
#include "objects.h"
#include "child.h"

enum { ALIVE = 0x600d };

/* The `user` argument of a log function. */
typedef struct listener {
  int alive;
  int told[4]; /* messages by level */
  char last[600];
  pthread_t thread;
} listener_t;

/* Several threads may be inside at once. */
static void count_message(void *user, gevt_log_level_t level, const char *message) {
  listener_t *listener = (listener_t *)user;
  (void)message;
  CHECK_EQUAL(count_of(&listener->alive), ALIVE);
  if (CHECK(level >= GEVT_LOG_ERROR && level <= GEVT_LOG_INFO)) count_up(&listener->told[level]);
}

static void listen_to(void *user, gevt_log_level_t level, const char *message) {
  listener_t *listener = (listener_t *)user;
  count_message(user, level, message);
  listener->thread = pthread_self();
  snprintf(listener->last, sizeof listener->last, "%s", message);
}

static listener_t listener_new(void) {
  listener_t listener;
  memset(&listener, 0, sizeof listener);
  listener.alive = ALIVE;
  return listener;
}

static void log_off(gevt_log_fn_t fn, void *user) {
  CHECK_OK(gevt_set_log_callback(fn, user, GEVT_LOG_OFF));
}

/* A failure's message is that of gevt_last_message, and comes on the thread that failed. */
static void failing_calls_are_told(void) {
  listener_t listener = listener_new();
  gevt_event_t event = event_new(), strict = event_with(GEVT_EVENT_STRICT);
  CHECK_OK(gevt_set_name(strict, "shadows"));
  CHECK_OK(gevt_set_log_callback(listen_to, &listener, GEVT_LOG_WARN));
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(listener.told[GEVT_LOG_WARN], 1);
  CHECK(strstr(listener.last, "gevt_query") != NULL);
  CHECK(strcmp(listener.last, gevt_last_message()) == 0);
  CHECK_STATUS(gevt_query(strict), GEVT_ERROR_ILLEGAL_STATE);
  CHECK_EQUAL(listener.told[GEVT_LOG_WARN], 2);
  CHECK(strstr(listener.last, "shadows") != NULL);
  CHECK(strcmp(listener.last, gevt_last_message()) == 0);
  CHECK(pthread_equal(listener.thread, pthread_self()));
  /* Regular results are not failures. */
  CHECK_OK(gevt_query(event));
  CHECK_EQUAL(listener.told[GEVT_LOG_WARN], 2);
  CHECK_EQUAL(listener.told[GEVT_LOG_ERROR] + listener.told[GEVT_LOG_INFO], 0);
  log_off(listen_to, &listener);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_destroy(strict));
}

/* Neither that an event is pending nor that a timeout has expired is a failure. */
static void answers_are_not_told(void) {
  listener_t listener = listener_new();
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_in(subject_context, GEVT_STREAM_DEFAULT);
  gevt_event_t event = event_new();
  size_t place;
  uint64_t i;
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_set_log_callback(listen_to, &listener, GEVT_LOG_INFO));
  CHECK_STATUS(gevt_query(event), GEVT_ERROR_NOT_READY);
  CHECK_EQUAL(listener.told[GEVT_LOG_WARN], 0);
  for (i = 0; i < 2; i++) {
    uint64_t timeout = i * MILLISECOND;
    gevt_status_t status;
    CHECK_STATUS(gevt_sync_timeout(event, timeout), GEVT_ERROR_TIMEOUT);
    CHECK_STATUS(gevt_sync_all(&event, 1, timeout), GEVT_ERROR_TIMEOUT);
    CHECK_STATUS(gevt_sync_any(&place, &event, 1, timeout), GEVT_ERROR_TIMEOUT);
    CHECK_STATUS(gevt_stream_sync_timeout(stream, timeout), GEVT_ERROR_TIMEOUT);
    CHECK_EQUAL(listener.told[GEVT_LOG_WARN], 0);
    status = gevt_context_sync_timeout(subject_context, timeout);
    /* Drivers before CUDA 12.5 have no such wait. */
    CHECK(status == GEVT_ERROR_TIMEOUT || (status == GEVT_ERROR_NOT_SUPPORTED && !subject_is_host()));
    CHECK_EQUAL(listener.told[GEVT_LOG_WARN], status == GEVT_ERROR_TIMEOUT ? 0 : 1);
    listener.told[GEVT_LOG_WARN] = 0;
  }
  log_off(listen_to, &listener);
  gate_open(&gate);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* An event's name is shown on one line, with any characters in it. */
static void names_with_control_characters(void) {
  static const char name[] = "one\ntwo\r\t\x1b[2J\x7f \xc2\x85 \xe2\x80\xa8 \xc3\xa9";
  listener_t listener = listener_new();
  gevt_event_t strict = event_with(GEVT_EVENT_STRICT);
  const char *at;
  CHECK_OK(gevt_set_name(strict, name));
  CHECK_OK(gevt_set_log_callback(listen_to, &listener, GEVT_LOG_WARN));
  CHECK_STATUS(gevt_query(strict), GEVT_ERROR_ILLEGAL_STATE);
  log_off(listen_to, &listener);
  CHECK(strcmp(listener.last, gevt_last_message()) == 0);
  CHECK(strstr(listener.last, "one\\ntwo\\r\\t\\u{1b}[2J\\u{7f} \\u{85} \\u{2028} \xc3\xa9") != NULL);
  for (at = listener.last; *at; at++) CHECK((unsigned char)*at >= ' ' && *at != 0x7f);
  CHECK(strcmp(event_info(strict).name, name) == 0);
  CHECK_OK(gevt_destroy(strict));
}

static int told(const listener_t *listener) {
  return listener->told[GEVT_LOG_ERROR] + listener->told[GEVT_LOG_WARN] + listener->told[GEVT_LOG_INFO];
}

static void levels(void) {
  listener_t listener = listener_new();
  CHECK_OK(gevt_set_log_callback(listen_to, &listener, GEVT_LOG_ERROR));
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  log_off(listen_to, &listener);
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(told(&listener), 0);
  /* Removed already. */
  log_off(listen_to, &listener);
  CHECK_OK(gevt_set_log_callback(listen_to, &listener, GEVT_LOG_WARN));
  /* A level that does not exist, and no function, change nothing. */
  CHECK_STATUS(gevt_set_log_callback(listen_to, &listener, GEVT_LOG_INFO + 1), GEVT_ERROR_INVALID_VALUE);
  CHECK_DETAIL(GEVT_DETAIL_BAD_ARGUMENT);
  CHECK_STATUS(gevt_set_log_callback(NULL, &listener, GEVT_LOG_OFF), GEVT_ERROR_INVALID_VALUE);
  CHECK_DETAIL(GEVT_DETAIL_NULL_POINTER);
  CHECK_EQUAL(listener.told[GEVT_LOG_WARN], 2);
  log_off(listen_to, &listener);
}

/* Two libraries of one process, each with its function, argument and level. */
static void several_functions(void) {
  listener_t one = listener_new(), other = listener_new(), third = listener_new();
  CHECK_OK(gevt_set_log_callback(listen_to, &one, GEVT_LOG_WARN));
  CHECK_OK(gevt_set_log_callback(listen_to, &other, GEVT_LOG_ERROR));
  CHECK_OK(gevt_set_log_callback(count_message, &third, GEVT_LOG_INFO));
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(told(&one), 1);
  CHECK_EQUAL(told(&other), 0);
  CHECK_EQUAL(told(&third), 1);
  /* The same function and argument: another level, and not a second time. */
  CHECK_OK(gevt_set_log_callback(listen_to, &one, GEVT_LOG_INFO));
  CHECK_OK(gevt_set_log_callback(listen_to, &other, GEVT_LOG_WARN));
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(told(&one), 2);
  CHECK_EQUAL(told(&other), 1);
  CHECK(strcmp(one.last, other.last) == 0);
  log_off(listen_to, &one);
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(told(&one), 2);
  CHECK_EQUAL(told(&other), 2);
  CHECK_EQUAL(told(&third), 3);
  log_off(count_message, &third);
  log_off(listen_to, &other);
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(told(&other), 2);
}

/* The function makes calls of gevt fail. These failures are not logged, and the thread's last failure stays the
   first one. */
static void call_gevt(void *user, gevt_log_level_t level, const char *message) {
  gevt_event_t event = event_new();
  listen_to(user, level, message);
  CHECK(level != GEVT_LOG_WARN || strcmp(message, gevt_last_message()) == 0);
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  CHECK_STATUS(gevt_sync(event), GEVT_ERROR_INVALID_HANDLE);
  CHECK_DETAIL(GEVT_DETAIL_STALE_HANDLE);
}

static void function_calls_gevt(void) {
  listener_t listener = listener_new();
  CHECK_OK(gevt_set_log_callback(call_gevt, &listener, GEVT_LOG_INFO));
  CHECK_FAILS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
  /* CHECK_FAILS first causes a failure itself. */
  CHECK_EQUAL(listener.told[GEVT_LOG_WARN], 2);
  CHECK(strcmp(listener.last, gevt_last_message()) == 0);
  log_off(call_gevt, &listener);
}

static void replace_inside(void *user, gevt_log_level_t level, const char *message) {
  listen_to(user, level, message);
  CHECK_OK(gevt_set_log_callback(listen_to, user, GEVT_LOG_WARN));
  log_off(replace_inside, user);
}

static void function_replaces_itself(void) {
  listener_t listener = listener_new();
  CHECK_OK(gevt_set_log_callback(replace_inside, &listener, GEVT_LOG_WARN));
  /* The new function follows the old one in the list, and gets the same message. */
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(listener.told[GEVT_LOG_WARN], 2);
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(listener.told[GEVT_LOG_WARN], 3);
  log_off(listen_to, &listener);
}

/* A function that does not return until released. */
static void stay(void *user, gevt_log_level_t level, const char *message) {
  (void)level, (void)message;
  gate_pass(user);
}

static void *fail_body(void *user) {
  (void)user;
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  return NULL;
}

static int removing_tid, removed;
static gevt_log_fn_t removed_fn;

static void *remove_body(void *user) {
  thread_publish(&removing_tid);
  log_off(removed_fn, user);
  count_up(&removed);
  return NULL;
}

static void removing_waits_for_threads_inside(void) {
  gate_t gate = GATE_CLOSED;
  listener_t other = listener_new();
  pthread_t failing, removing;
  removed_fn = stay;
  CHECK_OK(gevt_set_log_callback(stay, &gate, GEVT_LOG_WARN));
  failing = thread_start(fail_body, NULL);
  gate_await_entry(&gate);
  /* Other functions come and go meanwhile. */
  CHECK_OK(gevt_set_log_callback(listen_to, &other, GEVT_LOG_ERROR));
  log_off(listen_to, &other);
  removing = thread_start(remove_body, &gate);
  CHECK(thread_await_parked(&removing_tid));
  /* The removal counts at once, for this thread as well. */
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(count_of(&removed), 0);
  gate_open(&gate);
  thread_join(removing);
  thread_join(failing);
}

/* Removes itself, and stays. */
static void remove_and_stay(void *user, gevt_log_level_t level, const char *message) {
  (void)level, (void)message;
  log_off(remove_and_stay, user);
  gate_pass(user);
}

static void removing_waits_for_functions_that_removed_themselves(void) {
  gate_t gate = GATE_CLOSED;
  pthread_t failing, removing;
  int before = count_of(&removed);
  removed_fn = remove_and_stay;
  CHECK_OK(gevt_set_log_callback(remove_and_stay, &gate, GEVT_LOG_WARN));
  failing = thread_start(fail_body, NULL);
  gate_await_entry(&gate);
  __atomic_store_n(&removing_tid, 0, __ATOMIC_SEQ_CST);
  removing = thread_start(remove_body, &gate);
  CHECK(thread_await_parked(&removing_tid));
  CHECK_EQUAL(count_of(&removed), before);
  gate_open(&gate);
  thread_join(removing);
  thread_join(failing);
}

static void *hammer_body(void *user) {
  int *stop = (int *)user;
  while (!count_of(stop)) CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  return NULL;
}

/* The function's argument becomes invalid as soon as the function is removed. */
static void removed_under_load(void) {
  listener_t listeners[2];
  pthread_t threads[3];
  int stop = 0, messages = 0, i;
  listeners[0] = listener_new();
  listeners[1] = listener_new();
  for (i = 0; i < 3; i++) threads[i] = thread_start(hammer_body, &stop);
  for (i = 0; i < 2000; i++) {
    listener_t *next = &listeners[i % 2], *before = &listeners[(i + 1) % 2];
    __atomic_store_n(&next->alive, ALIVE, __ATOMIC_SEQ_CST);
    CHECK_OK(gevt_set_log_callback(count_message, next, GEVT_LOG_WARN));
    log_off(count_message, before);
    __atomic_store_n(&before->alive, 0, __ATOMIC_SEQ_CST);
    if (i % 100 == 0) count_await(&next->told[GEVT_LOG_WARN], count_of(&next->told[GEVT_LOG_WARN]) + 1);
  }
  log_off(count_message, &listeners[1]);
  listeners[0].alive = listeners[1].alive = 0;
  count_up(&stop);
  for (i = 0; i < 3; i++) thread_join(threads[i]);
  for (i = 0; i < 2; i++) messages += listeners[i].told[GEVT_LOG_WARN];
  printf("%d messages\n", messages);
  CHECK(messages > 0);
}

static void never_told(void *user, gevt_log_level_t level, const char *message) {
  (void)user, (void)level;
  check_failed(__FILE__, __LINE__, message);
}

/* In a forked child the function is not called, and removing it does not wait for threads that were inside it. */
static void not_in_a_forked_child(void) {
  pid_t child;
  CHECK_OK(gevt_set_log_callback(never_told, NULL, GEVT_LOG_INFO));
  fflush(stdout);
  child = fork();
  if (child == 0) {
    check_ignore(gevt_query(NULL));
    check_ignore(gevt_set_log_callback(never_told, NULL, GEVT_LOG_OFF));
    _exit(check_failures() ? 1 : 0);
  }
  CHECK_EQUAL(child_end(child), 0);
  log_off(never_told, NULL);
}

/* One thread's function forks, while other threads are anywhere in theirs: the child comes out of it. */
typedef struct forker {
  pthread_t thread;
  pid_t child;
} forker_t;

static void fork_inside(void *user, gevt_log_level_t level, const char *message) {
  forker_t *forker = (forker_t *)user;
  (void)level, (void)message;
  if (pthread_equal(forker->thread, pthread_self())) forker->child = fork();
}

static void forked_by_the_function(void) {
  forker_t forker;
  pthread_t threads[3];
  int stop = 0, well = 1, i;
  forker.thread = pthread_self();
  CHECK_OK(gevt_set_log_callback(fork_inside, &forker, GEVT_LOG_WARN));
  for (i = 0; i < 3; i++) threads[i] = thread_start(hammer_body, &stop);
  fflush(stdout);
  for (i = 0; i < 100 && well; i++) {
    forker.child = -1;
    check_ignore(gevt_query(NULL));
    if (forker.child == 0) _exit(0);
    well = CHECK(forker.child > 0) && CHECK_EQUAL(child_end(forker.child), 0);
  }
  count_up(&stop);
  for (i = 0; i < 3; i++) thread_join(threads[i]);
  log_off(fork_inside, &forker);
}

static void fail_after_the_end(void) {
  check_ignore(gevt_query(NULL));
  if (check_failures()) _exit(1);
}

/* The children. */
static int run(const char *what) {
  listener_t listener = listener_new();
  subject_case(what);
  if (strcmp(what, "exit") == 0) {
    atexit(fail_after_the_end);
    CHECK_OK(gevt_set_log_callback(never_told, NULL, GEVT_LOG_INFO));
  } else {
    gevt_event_t event = event_new();
    CHECK_OK(gevt_set_log_callback(listen_to, &listener, GEVT_LOG_INFO));
    CHECK_OK(gevt_record(event, NULL));
    CHECK_OK(gevt_record(event, NULL));
    CHECK_EQUAL(listener.told[GEVT_LOG_INFO], 1);
    printf("%s\n", listener.last);
    CHECK(strstr(listener.last, strcmp(what, "chosen") == 0 ? "GEVT_BACKEND"
                                : !subject_is_cuda()        ? "the host"
                                                            : "CUDA") != NULL);
    log_off(listen_to, &listener);
    CHECK_OK(gevt_destroy(event));
  }
  return subject_end();
}

static void not_while_the_process_exits(void) {
  CHECK_EQUAL(child_run_self(subject_name(), "exit"), 0);
}

static void default_backend_is_told(void) {
  CHECK_EQUAL(child_run_self(subject_name(), "chosen"), 0);
  CHECK_EQUAL(child_run_self(subject_name(), "found"), 0);
}

int main(int argc, char **argv) {
  if (argc > 2) {
    subject_choose(argc, argv);
    if (strcmp(argv[2], "found") == 0) {
      setenv("GEVT_BACKEND", "auto", 1);
      if (!subject_is_cuda()) setenv("CUDA_VISIBLE_DEVICES", "", 1);
    }
    return run(argv[2]);
  }
  subject_begin(argc, argv);
  RUN(failing_calls_are_told);
  RUN(answers_are_not_told);
  RUN(names_with_control_characters);
  RUN(levels);
  RUN(several_functions);
  RUN(function_calls_gevt);
  RUN(function_replaces_itself);
  RUN(removing_waits_for_threads_inside);
  RUN(removing_waits_for_functions_that_removed_themselves);
  RUN(removed_under_load);
  RUN_BUT_ON_WINDOWS(not_in_a_forked_child, "it has no fork");
  RUN_BUT_ON_WINDOWS(forked_by_the_function, "it has no fork");
  RUN_BUT_ON_WINDOWS(not_while_the_process_exits, "the library learns of the exit after the program's own handlers");
  RUN(default_backend_is_told);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
