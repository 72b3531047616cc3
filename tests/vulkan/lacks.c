/* What the backend cannot have, by status and detail: native events and streams, interprocess events, capture. */
#include "objects.h"

static const gevt_status_t no = GEVT_ERROR_NOT_SUPPORTED;

static void native_objects(void) {
  gevt_stream_t stream = stream_new(), wrapped;
  gevt_event_t event = event_new(), other;
  gevt_context_t context;
  void *native;
  int thing = 0;
  pattern_fill(&native, sizeof native);
  pattern_fill(&wrapped, sizeof wrapped);
  pattern_fill(&other, sizeof other);
  pattern_fill(&context, sizeof context);
  CHECK_OK(gevt_record(event, stream));
  CHECK_FAILS(gevt_native(&native, event), no, GEVT_DETAIL_UNSUPPORTED);
  CHECK_FAILS(gevt_wrap(&other, subject_context, &thing, GEVT_EVENT_DEFAULT), no, GEVT_DETAIL_UNSUPPORTED);
  CHECK_FAILS(gevt_stream_wrap(&wrapped, subject_context, &thing), no, GEVT_DETAIL_UNSUPPORTED);
  CHECK_FAILS(gevt_context_wrap(&context, GEVT_BACKEND_VULKAN, &thing), no, GEVT_DETAIL_UNSUPPORTED);
  CHECK(pattern_intact(&native, sizeof native) && pattern_intact(&wrapped, sizeof wrapped));
  CHECK(pattern_intact(&other, sizeof other) && pattern_intact(&context, sizeof context));
}

static void interprocess_events(void) {
  gevt_event_t event = event_with(GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS), bound = NULL, imported;
  gevt_stream_t stream = stream_new();
  gevt_ipc_handle_t handle;
  pattern_fill(&handle, sizeof handle);
  pattern_fill(&imported, sizeof imported);
  CHECK_FAILS(gevt_ipc_export(&handle, event), no, GEVT_DETAIL_UNSUPPORTED);
  CHECK_FAILS(gevt_record(event, stream), no, GEVT_DETAIL_UNSUPPORTED);
  check_ignore(gevt_create_in(&bound, subject_context, GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_INTERPROCESS));
  if (bound) {
    CHECK_FAILS(gevt_ipc_export(&handle, bound), no, GEVT_DETAIL_UNSUPPORTED);
    CHECK_OK(gevt_destroy(bound));
  }
  CHECK(pattern_intact(&handle, sizeof handle));
  CHECK(gevt_ipc_import(&imported, subject_context, &handle) != GEVT_SUCCESS);
  CHECK(pattern_intact(&imported, sizeof imported));
}

static void capture(void) {
  gevt_event_t event = event_new();
  gevt_stream_t stream = stream_new();
  CHECK_FAILS(gevt_record_with_flags(event, stream, GEVT_RECORD_EXTERNAL), GEVT_ERROR_ILLEGAL_STATE,
              GEVT_DETAIL_NOT_CAPTURING);
  CHECK_OK(gevt_record(event, stream));
  CHECK_FAILS(gevt_stream_wait(stream, event, GEVT_WAIT_EXTERNAL), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NOT_CAPTURING);
}

/* The functions of Vulkan on the objects of another backend. */
static void on_the_host(void) {
  gevt_context_t host = context_on(GEVT_BACKEND_HOST);
  gevt_stream_t stream;
  gevt_event_t event = NULL, point;
  gevt_vulkan_batch_t batch;
  uint64_t semaphore, value;
  double period;
  int thing;
  memset(&batch, 0, sizeof batch);
  batch.size = sizeof batch;
  stream = stream_in(host, GEVT_STREAM_NON_BLOCKING);
  CHECK_OK(gevt_create_in(&event, host, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_record(event, stream));
  CHECK_FAILS(gevt_vulkan_submit_begin(&batch, stream, NULL, 0), no, GEVT_DETAIL_UNSUPPORTED);
  CHECK_FAILS(gevt_vulkan_write_time(event, (struct VkCommandBuffer_T *)&thing, 1), no, GEVT_DETAIL_UNSUPPORTED);
  CHECK_FAILS(gevt_vulkan_stream_wait(stream, event, 1), no, GEVT_DETAIL_UNSUPPORTED);
  CHECK_FAILS(gevt_vulkan_ticks(&value, &period, event), no, GEVT_DETAIL_UNSUPPORTED);
  CHECK_FAILS(gevt_vulkan_point(&semaphore, &value, event), no, GEVT_DETAIL_UNSUPPORTED);
  CHECK_FAILS(gevt_vulkan_wrap_point(&point, host, 1, 1), no, GEVT_DETAIL_UNSUPPORTED);
  CHECK_OK(gevt_destroy(event));
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(native_objects);
  RUN(interprocess_events);
  RUN(capture);
  RUN(on_the_host);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
