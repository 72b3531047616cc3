/* A device that takes long to open holds up no call of another thread that does not need it. */
#include "layer.h"
#include "vk.h"

static int is_opening, is_released;

/* The driver's vkCreateDevice: it returns when the test says so. */
static void hold(const char *function, void *queue) {
  long long deadline = now_ns() + HANG_LIMIT;
  (void)queue;
  if (strcmp(function, "vkCreateDevice") != 0) return;
  count_up(&is_opening);
  while (!count_of(&is_released) && now_ns() < deadline) sleep_ns(MILLISECOND / 10);
  CHECK(count_of(&is_released));
}

static void *open_slowly(void *user) {
  CHECK_OK(gevt_context_open((gevt_context_t *)user, GEVT_BACKEND_VULKAN, 0));
  return NULL;
}

static void other_threads_go_on(void) {
  gevt_context_t own = NULL, host = NULL, context = vk_wrap();
  gevt_stream_t stream;
  gevt_event_t event;
  pthread_t thread;
  int calls = 0;
  CHECK_OK(gevt_context_set_current(NULL));
  stream = vk_stream(context, 0, 1);
  CHECK_OK(gevt_create_in(&event, context, GEVT_EVENT_DEFAULT));
  fault_watch(hold);
  thread = thread_start(open_slowly, &own);
  CHECK(count_await(&is_opening, 1));
  /* The last uses of a context end, and another is opened. */
  CHECK_OK(gevt_context_close(context));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_context_open(&host, GEVT_BACKEND_HOST, 0));
  CHECK_OK(gevt_context_close(host));
  /* The default stream, for the first time. */
  event = event_new();
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_stream_launch(NULL, count_up, &calls));
  CHECK(count_await(&calls, 1));
  CHECK_OK(gevt_destroy(event));
  CHECK_EQUAL(count_of(&is_released), 0);
  count_up(&is_released);
  thread_join(thread);
  fault_watch(NULL);
  CHECK_OK(gevt_context_close(own));
}

int main(int argc, char **argv) {
  layer_choose();
  subject_choose(argc, argv);
  /* The default stream needs no device. */
  setenv("GEVT_BACKEND", "host", 1);
  vk_open();
  layer_prove();
  RUN(other_threads_go_on);
  vk_close();
  return subject_end();
}
