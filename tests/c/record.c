/* Recording and querying: states, overwriting, binding, flags, and the streams that a record may name. */
#include "objects.h"

static void unrecorded_is_finished(void) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_sync(event));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_UNRECORDED);
  CHECK_OK(gevt_destroy(event));
}

static void strict_refuses_unrecorded(void) {
  gevt_event_t event = event_with(GEVT_EVENT_STRICT);
  gevt_stream_t stream = stream_new();
  CHECK_FAILS(gevt_query(event), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_RECORDED);
  CHECK_FAILS(gevt_sync(event), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_RECORDED);
  CHECK_FAILS(gevt_sync_timeout(event, 0), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_RECORDED);
  CHECK_FAILS(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_RECORDED);
  CHECK_OK(gevt_stream_query(stream));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_query(event));
  CHECK_OK(gevt_stream_wait(stream, event, GEVT_WAIT_DEFAULT));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

static void pending_then_done(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t before = event_new(), after = event_new();
  CHECK_OK(gevt_record(before, stream));
  CHECK_OK(gevt_sync(before));
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(after, stream));
  CHECK_OK(gevt_query(before));
  CHECK_NOT_READY(gevt_query(after));
  CHECK_EQUAL(event_info(after).state, GEVT_STATE_PENDING);
  CHECK_NOT_READY(gevt_query(after));
  gate_open(&gate);
  CHECK_OK(gevt_sync(after));
  CHECK(gate_passed(&gate));
  CHECK_OK(gevt_query(after));
  CHECK_EQUAL(event_info(after).state, GEVT_STATE_COMPLETE);
  CHECK_OK(gevt_destroy(before));
  CHECK_OK(gevt_destroy(after));
  stream_finish(stream);
}

/* An idle host stream has nothing to wait for, so its record is complete when it returns. */
static void idle_stream_completes_at_once(void) {
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  int i;
  for (i = 0; i < 1000; i++) {
    CHECK_OK(gevt_record(event, stream));
    if (!CHECK_OK(gevt_query(event))) break;
  }
  CHECK_EQUAL(event_info(event).record_count, 1000);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

static void rerecord_overwrites(void) {
  gate_t first = GATE_CLOSED, second = GATE_CLOSED;
  gevt_stream_t stream = stream_new(), other = stream_new();
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_query(event));
  /* Pending again, on the same stream. */
  gate_close(&first, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_NOT_READY(gevt_query(event));
  /* Moved to another stream: the first gate no longer matters to it. */
  gate_close_after(&first, &second, other);
  CHECK_OK(gevt_record(event, other));
  gate_open(&first);
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&second);
  CHECK_OK(gevt_sync(event));
  CHECK_EQUAL(event_info(event).record_count, 3);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  stream_finish(other);
}

/* The other way: overwriting a pending record by one that is done finishes the event. */
static void rerecord_can_finish(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new(), idle = stream_new();
  gevt_event_t event = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_NOT_READY(gevt_query(event));
  CHECK_OK(gevt_record(event, idle));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_query(event));
  CHECK(!gate_passed(&gate));
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(stream));
  /* The overwritten record arriving late must not change anything. */
  CHECK_OK(gevt_query(event));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_COMPLETE);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
  stream_finish(idle);
}

/* A record captures what the stream holds at that call: what is launched later does not hold the event back. */
static void captures_only_what_is_before(void) {
  gate_t before = GATE_CLOSED, after = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  gate_close(&before, stream);
  CHECK_OK(gevt_record(event, stream));
  gate_close_after(&before, &after, stream);
  CHECK_NOT_READY(gevt_query(event));
  gate_open(&before);
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_query(event));
  CHECK(!gate_passed(&after));
  CHECK_NOT_READY(gevt_stream_query(stream));
  gate_open(&after);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

static void record_flags(void) {
  static const uint32_t bad[] = {2, 3, 4, 0x80000000, 0xffffffff};
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  size_t i;
  CHECK_OK(gevt_record_with_flags(event, stream, GEVT_RECORD_DEFAULT));
  CHECK_OK(gevt_sync(event));
  CHECK_FAILS(gevt_record_with_flags(event, stream, GEVT_RECORD_EXTERNAL), GEVT_ERROR_ILLEGAL_STATE,
              GEVT_DETAIL_NOT_CAPTURING);
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK_FAILS(gevt_record_with_flags(event, stream, bad[i]), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_FLAGS);
  }
  CHECK_OK(gevt_query(event));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_COMPLETE);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* A refused record must not bind the event either. */
static void refused_record_leaves_unbound(void) {
  gevt_event_t event = event_new();
  gevt_stream_t stale = stream_stale();
  CHECK_FAILS(gevt_record(event, stale), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_record_with_flags(event, NULL, 2), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_FLAGS);
  CHECK_FAILS(gevt_record_with_flags(event, NULL, 1), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_CAPTURING);
  CHECK(event_info(event).context == NULL);
  CHECK_EQUAL(event_info(event).device, -1);
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_UNRECORDED);
  CHECK_OK(gevt_destroy(event));
}

static void null_stream_is_the_default_one(void) {
  gevt_event_t event = event_new();
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK(event_info(event).context == subject_context);
  CHECK_OK(gevt_record_with_flags(event, NULL, GEVT_RECORD_DEFAULT));
  CHECK_OK(gevt_sync(event));
  CHECK_EQUAL(event_info(event).record_count, 2);
  CHECK_OK(gevt_destroy(event));
}

static void wrapped_default_streams(void) {
  uintptr_t native;
  /* Vulkan has no stream of the calling thread (2). */
  for (native = 0; native <= (subject_is_vulkan() ? 1 : 2); native++) {
    gevt_stream_t stream = NULL;
    gevt_event_t event = event_new();
    CHECK_OK(gevt_stream_wrap(&stream, subject_context, (void *)native));
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_sync(event));
    CHECK_OK(gevt_stream_query(stream));
    CHECK_OK(gevt_destroy(event));
    CHECK_OK(gevt_stream_destroy(stream));
  }
}

/* The one that is finished stays so, however often it is asked, until the next record. */
static void completion_is_final(void) {
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  int i, wrong = 0;
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  for (i = 0; i < 100000; i++) wrong += gevt_query(event) != GEVT_SUCCESS;
  CHECK_EQUAL(wrong, 0);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(unrecorded_is_finished);
  RUN(strict_refuses_unrecorded);
  RUN(pending_then_done);
  RUN_ON_HOST(idle_stream_completes_at_once);
  RUN(rerecord_overwrites);
  RUN(rerecord_can_finish);
  RUN(captures_only_what_is_before);
  RUN(record_flags);
  RUN(refused_record_leaves_unbound);
  RUN(null_stream_is_the_default_one);
  RUN(wrapped_default_streams);
  RUN(completion_is_final);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
