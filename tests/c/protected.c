/* Frequent calls keep neither their event nor their stream from being destroyed: what happens to both while the driver has them, over
   a driver that ends the process when a dead handle arrives, and that lets a test act within its calls.
   usage: protected cuda */
#include "driver.h"
#include "objects.h"
#include "strict.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { MANY = 600 }; /* destroyed events: enough for gevt to use their native events again */

static struct {
  gevt_event_t event, fresh[MANY];
  gevt_stream_t stream, idle;
} given;

/* Another thread could do so at that point. */
static void replace_event(void) {
  int i;
  for (i = 0; i < MANY; i++) {
    given.fresh[i] = event_new();
    CHECK_OK(gevt_record(given.fresh[i], given.idle));
  }
  CHECK_OK(gevt_destroy(given.event));
  for (i = 0; i < MANY; i++) {
    CHECK_OK(gevt_sync(given.fresh[i]));
    CHECK_OK(gevt_destroy(given.fresh[i]));
  }
  for (i = 0; i < MANY; i++) {
    given.fresh[i] = event_new();
    CHECK_OK(gevt_record(given.fresh[i], given.idle));
  }
}

/* The driver records a destroyed event's native event after the gate: no other event may have been given it meanwhile. */
static void no_other_event_is_recorded(void) {
  gate_t gate = GATE_CLOSED;
  int i;
  given.event = event_new();
  given.stream = stream_new();
  given.idle = stream_new();
  CHECK_OK(gevt_record(given.event, given.stream));
  CHECK_OK(gevt_sync(given.event));
  gate_close(&gate, given.stream);
  if (!CHECK(strict_after_id(replace_event))) return;
  check_ignore(gevt_record(given.event, given.stream));
  for (i = 0; i < MANY; i++) {
    if (!check_failures()) CHECK_OK(gevt_sync_timeout(given.fresh[i], HANG_LIMIT));
    CHECK_OK(gevt_destroy(given.fresh[i]));
  }
  gate_open(&gate);
  stream_finish(given.stream);
  stream_finish(given.idle);
}

static void destroy_stream(void) {
  CHECK_OK(gevt_stream_destroy(given.stream));
}

/* The driver is using a destroyed stream's native stream: that one ends when it is no longer in use. */
static void a_stream_outlives_the_call(void) {
  given.event = event_new();
  given.stream = stream_new();
  CHECK_OK(gevt_record(given.event, given.stream));
  CHECK(strict_after_id(destroy_stream));
  CHECK_OK(gevt_record(given.event, given.stream));
  CHECK_OK(gevt_sync(given.event));
  CHECK_STATUS(gevt_record(given.event, given.stream), GEVT_ERROR_INVALID_HANDLE);
  given.stream = stream_new();
  CHECK(strict_after_id(destroy_stream));
  CHECK_OK(gevt_stream_wait(given.stream, given.event, GEVT_WAIT_DEFAULT));
  given.stream = stream_new();
  CHECK(strict_after_id(destroy_stream));
  CHECK_OK(gevt_stream_query(given.stream));
  given.stream = stream_new();
  CHECK(strict_after_id(destroy_stream));
  CHECK_OK(gevt_stream_sync(given.stream));
  CHECK_OK(gevt_destroy(given.event));
}

static void destroy_event(void) {
  CHECK_OK(gevt_destroy(given.event));
}

/* Calls whose event is destroyed while they are under way do what they were made for, or say that it is gone. */
static void calls_outlive_their_event(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t other = event_new();
  int64_t ns;
  int call;
  CHECK_OK(gevt_record(other, stream));
  CHECK_OK(gevt_sync(other));
  for (call = 0; call < 5; call++) {
    gevt_status_t status = GEVT_SUCCESS;
    given.event = event_new();
    if (call == 1) gate_close(&gate, stream);
    CHECK_OK(gevt_record(given.event, stream));
    if (call == 3) CHECK_OK(gevt_sync(given.event));
    CHECK(strict_after_id(destroy_event));
    if (call == 0) status = gevt_sync(given.event);
    if (call == 1) status = gevt_query(given.event);
    if (call == 2) status = gevt_stream_wait(stream, given.event, GEVT_WAIT_DEFAULT);
    if (call == 3) status = gevt_elapsed_ns(&ns, other, given.event);
    if (call == 4) status = gevt_record(given.event, stream);
    CHECK(status == GEVT_SUCCESS || gevt_last_detail() == GEVT_DETAIL_STALE_HANDLE ||
          (call == 1 && status == GEVT_ERROR_NOT_READY));
    CHECK_STATUS(gevt_query(given.event), GEVT_ERROR_INVALID_HANDLE);
    if (call == 1) {
      gate_open(&gate);
      CHECK_OK(gevt_stream_sync(stream));
    }
  }
  CHECK_OK(gevt_destroy(other));
  stream_finish(stream);
}

static gevt_event_t earlier;

static void record_again(void) {
  CHECK_OK(gevt_record(given.event, given.idle));
  CHECK_OK(gevt_stream_sync(given.idle));
}

/* The time is that of a record which another thread makes meanwhile: the event is not pending. */
static void a_record_during_a_question_for_the_time(void) {
  int64_t ns;
  uint64_t error;
  int call;
  given.idle = stream_new();
  given.event = event_new();
  earlier = event_new();
  if (gevt_context_calibrate(subject_context) != GEVT_SUCCESS) {
    CHECK_DETAIL(GEVT_DETAIL_NOT_CALIBRATED);
    printf("SKIPPED: the device is too busy to compare its clock\n");
    return;
  }
  for (call = 0; call < 2; call++) {
    CHECK_OK(gevt_record(earlier, given.idle));
    CHECK_OK(gevt_record(given.event, given.idle));
    CHECK_OK(gevt_stream_sync(given.idle));
    CHECK(strict_after_id(record_again));
    if (call == 0) CHECK_OK(gevt_elapsed_ns(&ns, earlier, given.event));
    if (call == 1) CHECK_OK(gevt_host_time(&ns, &error, given.event));
  }
  CHECK_OK(gevt_destroy(earlier));
  CHECK_OK(gevt_destroy(given.event));
  stream_finish(given.idle);
}

/* Its address may be issued again, but gevt does not use it again. */
static void a_shared_native_event_ends_with_its_event(void) {
  gevt_stream_t stream = stream_new();
  gevt_event_t shared = event_with(GEVT_EVENT_BLOCKING_SYNC), next = event_with(GEVT_EVENT_BLOCKING_SYNC);
  void *native = NULL;
  CHECK_OK(gevt_record(shared, stream));
  CHECK_OK(gevt_native(&native, shared));
  CHECK_OK(gevt_sync(shared));
  while (strict_calls(native) < 10) CHECK_EQUAL(driver.event_query(native), 0);
  CHECK_OK(gevt_destroy(shared));
  /* With it, gevt disposes of all that is dead. */
  stream_finish(stream);
  CHECK_OK(gevt_record(next, NULL));
  CHECK(strict_calls(native) < 10);
  CHECK_OK(gevt_sync(next));
  CHECK_OK(gevt_destroy(next));
}

/* As a sandbox does that a program enters late. */
static int refuse_barrier(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof code / sizeof *code, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Calls protect nothing then, and what they have protected is awaited. */
static void the_system_refuses_its_barrier(void) {
  if (!refuse_barrier()) {
    printf("SKIPPED: there is no seccomp here\n");
    return;
  }
  stream_finish(stream_new());
  sleep_ns(20 * MILLISECOND);
  a_shared_native_event_ends_with_its_event();
}

static void destroy_many(void *user) {
  gevt_event_t *events = (gevt_event_t *)user;
  int i;
  for (i = 0; i < 4 * MANY; i++) CHECK_OK(gevt_destroy(events[i]));
}

/* More than gevt keeps for other events. */
static void a_host_function_destroys_events(void) {
  static gevt_event_t events[4 * MANY];
  gevt_stream_t stream = stream_new();
  int i;
  for (i = 0; i < 4 * MANY; i++) {
    events[i] = event_new();
    CHECK_OK(gevt_record(events[i], stream));
  }
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_OK(gevt_stream_launch(stream, destroy_many, events));
  CHECK_OK(gevt_stream_sync(stream));
  for (i = 0; i < 4 * MANY; i++) {
    events[i] = event_new();
    CHECK_OK(gevt_record(events[i], stream));
  }
  CHECK_OK(gevt_stream_sync(stream));
  destroy_many(events);
  stream_finish(stream);
}

static gevt_context_t other_device(void) {
  gevt_context_t context = NULL;
  int32_t devices = 0;
  CHECK_OK(gevt_device_count(&devices, subject_backend));
  if (devices < 2)
    printf("SKIPPED: this needs two devices and there is one\n");
  else
    CHECK_OK(gevt_context_open(&context, subject_backend, 1));
  return context;
}

static gevt_context_t ended;

static void end_context(void) {
  CHECK_OK(gevt_destroy(given.event));
  CHECK_OK(gevt_stream_destroy(given.stream));
  CHECK_OK(gevt_context_close(ended));
}

static int is_active(int device) {
  unsigned flags = 0;
  int active = -1;
  CHECK_EQUAL(driver.primary_state(device, &flags, &active), 0);
  return active;
}

/* The last uses of a context end while the driver has its event and stream, here in the same thread: no thread waits
   for that. The context ends soon after the call has. */
static void a_context_outlives_the_call(void) {
  long long deadline = now_ns() + HANG_LIMIT;
  ended = other_device();
  if (!ended) return;
  given.event = event_new();
  given.stream = stream_in(ended, GEVT_STREAM_NON_BLOCKING);
  CHECK_OK(gevt_record(given.event, given.stream));
  CHECK_OK(gevt_sync(given.event));
  CHECK(strict_after_id(end_context));
  check_ignore(gevt_record(given.event, given.stream));
  while (is_active(1) && CHECK(now_ns() < deadline)) sleep_ns(MILLISECOND / 10);
}

static void *sync_body(void *user) {
  thread_publish((int *)user);
  check_ignore(gevt_sync(given.event));
  return NULL;
}

/* As above, while another thread waits for the event: the context ends after that wait. */
static void a_context_ends_while_a_thread_waits(void) {
  gate_t gate = GATE_CLOSED;
  pthread_t thread;
  int inside = 0;
  ended = other_device();
  if (!ended) return;
  given.event = event_with(GEVT_EVENT_BLOCKING_SYNC);
  given.stream = stream_in(ended, GEVT_STREAM_NON_BLOCKING);
  gate_close(&gate, given.stream);
  CHECK_OK(gevt_record(given.event, given.stream));
  thread = thread_start(sync_body, &inside);
  CHECK(thread_await_parked(&inside));
  end_context();
  gate_open(&gate);
  thread_join(thread);
  /* The driver's thread may still be inside it. */
  gate_await_passage(&gate);
}

static int has_barrier(void) {
  long commands = syscall(SYS_membarrier, 0, 0, 0);
  return commands > 0 && (commands & 1 << 3) != 0; /* MEMBARRIER_CMD_PRIVATE_EXPEDITED */
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  if (!strict_symbol("strict_after_id")) return subject_skip("it is about the strict driver");
  if (!has_barrier()) return subject_skip("the kernel has no membarrier, so that no call protects anything");
  driver_load();
  driver_load_objects();
  RUN(no_other_event_is_recorded);
  RUN(a_stream_outlives_the_call);
  RUN(calls_outlive_their_event);
  RUN(a_record_during_a_question_for_the_time);
  RUN(a_shared_native_event_ends_with_its_event);
  RUN(a_host_function_destroys_events);
  RUN(a_context_outlives_the_call);
  RUN(a_context_ends_while_a_thread_waits);
  RUN(the_system_refuses_its_barrier);
  return subject_end();
}
