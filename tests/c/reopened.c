/* CUDA contexts that come and go: borrowed, opened and given back, again and again. */
#include "owned.h"

/* The primary context, which is gevt's where a device is opened, and is one context with what its owner borrowed it as. */
static void primary_contexts(void) {
  gevt_context_t opened = NULL, wrapped = NULL;
  gevt_event_t event = NULL;
  gevt_stream_t stream;
  void *native = NULL;
  int device = 0, wrap_first;
  CHECK_EQUAL(driver.device_get(&device, 0), 0);
  for (wrap_first = 0; wrap_first < 2; wrap_first++) {
    CHECK_EQUAL(driver.primary_retain(&native, device), 0);
    if (wrap_first) CHECK_OK(gevt_context_wrap(&wrapped, GEVT_BACKEND_CUDA, native));
    CHECK_OK(gevt_context_open(&opened, GEVT_BACKEND_CUDA, 0));
    if (!wrap_first) CHECK_OK(gevt_context_wrap(&wrapped, GEVT_BACKEND_CUDA, native));
    CHECK_OK(gevt_create_in(&event, opened, GEVT_EVENT_DEFAULT));
    stream = stream_in(wrapped, GEVT_STREAM_NON_BLOCKING);
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_sync(event));
    CHECK_EQUAL(driver.primary_release(device), 0);
    CHECK(primary_is_active());
    CHECK_OK(gevt_destroy(event));
    stream_finish(stream);
    CHECK_OK(gevt_context_close(wrapped));
    CHECK(primary_is_active());
    CHECK_OK(gevt_context_close(opened));
    CHECK(!primary_is_active());
    CHECK(current_native() == NULL);
  }
}

/* A context may be borrowed or opened, and given back, as often as one likes: more often than there can be contexts in a process's life. */
enum { AGAIN = 70000, AGAIN_USED = 1000 };

static void use_again(gevt_context_t context) {
  gevt_event_t event;
  gevt_stream_t stream = stream_in(context, GEVT_STREAM_NON_BLOCKING);
  CHECK_OK(gevt_create_in(&event, context, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_record(event, stream));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

static void borrowed_again_and_again(void) {
  owned_context_t owned = owned_context_make();
  int i;
  CHECK_OK(gevt_context_close(owned.context));
  for (i = 0; i < AGAIN; i++) {
    gevt_context_t context;
    if (!CHECK_OK(gevt_context_wrap(&context, GEVT_BACKEND_CUDA, owned.native))) break;
    if (i % AGAIN_USED == 0) use_again(context);
    CHECK_OK(gevt_context_close(context));
  }
  CHECK_OK(gevt_context_wrap(&owned.context, GEVT_BACKEND_CUDA, owned.native));
  owned_context_finish(owned);
}

static void opened_again_and_again(void) {
  void *native = NULL;
  int device = 0, i;
  CHECK_EQUAL(driver.device_get(&device, 0), 0);
  CHECK_EQUAL(driver.primary_retain(&native, device), 0);
  for (i = 0; i < AGAIN; i++) {
    gevt_context_t context;
    if (!CHECK_OK(gevt_context_open(&context, GEVT_BACKEND_CUDA, 0))) break;
    if (i % AGAIN_USED == 0) use_again(context);
    CHECK_OK(gevt_context_close(context));
  }
  CHECK(primary_is_active());
  CHECK_EQUAL(driver.primary_release(device), 0);
  CHECK(!primary_is_active());
}

/* Who closes the handle that gevt_context_get_current() gives ends no more than that: the next call has a new one. */
static void the_librarys_handle_closed(void) {
  owned_context_t owned = owned_context_make();
  int i;
  CHECK_OK(gevt_context_close(owned.context));
  CHECK_EQUAL(driver.context_set_current(owned.native), 0);
  for (i = 0; i < 3; i++) {
    gevt_context_t current = NULL, again = NULL;
    gevt_event_t event = NULL;
    CHECK_OK(gevt_context_get_current(&current));
    CHECK_OK(gevt_create_in(&event, NULL, GEVT_EVENT_DEFAULT));
    CHECK_OK(gevt_record(event, NULL));
    CHECK_OK(gevt_sync(event));
    CHECK_OK(gevt_destroy(event));
    CHECK_OK(gevt_context_get_current(&again));
    CHECK(again == current);
    CHECK_OK(gevt_context_close(current));
  }
  CHECK_EQUAL(driver.context_set_current(NULL), 0);
  CHECK_OK(gevt_context_wrap(&owned.context, GEVT_BACKEND_CUDA, owned.native));
  owned_context_finish(owned);
}

/* Borrowed and opened by turns, the primary context is one context whenever it is both. */
static void borrowed_and_opened_by_turns(void) {
  void *native = NULL;
  int device = 0, i;
  CHECK_EQUAL(driver.device_get(&device, 0), 0);
  CHECK_EQUAL(driver.primary_retain(&native, device), 0);
  for (i = 0; i < 4; i++) {
    gevt_context_t wrapped = NULL, opened = NULL;
    gevt_event_t event = NULL;
    gevt_stream_t stream;
    CHECK_OK(gevt_context_wrap(&wrapped, GEVT_BACKEND_CUDA, native));
    if (i % 2 == 0) CHECK_OK(gevt_context_close(wrapped));
    CHECK_OK(gevt_context_open(&opened, GEVT_BACKEND_CUDA, 0));
    if (i % 2 == 0) CHECK_OK(gevt_context_close(opened));
    if (i % 2 == 0) continue;
    CHECK_OK(gevt_create_in(&event, opened, GEVT_EVENT_DEFAULT));
    stream = stream_in(wrapped, GEVT_STREAM_NON_BLOCKING);
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_sync(event));
    CHECK_OK(gevt_destroy(event));
    stream_finish(stream);
    CHECK_OK(gevt_context_close(wrapped));
    CHECK_OK(gevt_context_close(opened));
  }
  CHECK_EQUAL(driver.primary_release(device), 0);
  CHECK(!primary_is_active());
}

int main(int argc, char **argv) {
  owned_begin(argc, argv);
  RUN_WITHOUT_PRIMARY(borrowed_again_and_again);
  RUN_WITHOUT_PRIMARY(the_librarys_handle_closed);
  RUN(opened_again_and_again);
  RUN(borrowed_and_opened_by_turns);
  RUN(primary_contexts);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
