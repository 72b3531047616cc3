/* GPU times: events in the program's command buffers beside its own query pool, across a batch and alone, and on the host's clock. */
#include "batch.h"

static gevt_context_t context;

enum { QUERIES = 64 };

static VkQueryPool query_pool(void) {
  VkQueryPoolCreateInfo info = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, NULL, 0, VK_QUERY_TYPE_TIMESTAMP, QUERIES, 0};
  VkQueryPool pool = VK_NULL_HANDLE;
  VK_MUST(vk.CreateQueryPool(vk.device, &info, NULL, &pool));
  return pool;
}

static void write_own(VkCommandBuffer commands, VkQueryPool pool, uint32_t query) {
  vk.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool, query);
}

static void write_event(VkCommandBuffer commands, gevt_event_t event) {
  CHECK_OK(gevt_vulkan_write_time(event, commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
}

/* gevt's events stand between two stamps of the program's own: own <= event <= own, in the device's time. */
static void between_the_programs_own_stamps(void) {
  enum { EVENTS = 8 };
  gevt_stream_t stream = vk_stream(context, 0, 1);
  gevt_event_t events[EVENTS];
  VkQueryPool pool = query_pool();
  VkCommandBuffer commands = vk_commands_begin();
  uint64_t own[EVENTS + 1];
  int64_t from_first;
  int i;
  vk.CmdResetQueryPool(commands, pool, 0, QUERIES);
  write_own(commands, pool, 0);
  for (i = 0; i < EVENTS; i++) {
    events[i] = vk_timed_event(context);
    write_event(commands, events[i]);
    write_own(commands, pool, (uint32_t)i + 1);
  }
  CHECK_VK(vk.EndCommandBuffer(commands));
  CHECK_OK(batch_submit(stream, 0, 1, commands, events, EVENTS));
  CHECK_OK(gevt_sync(events[EVENTS - 1]));
  CHECK_VK(vk.GetQueryPoolResults(vk.device, pool, 0, EVENTS + 1, sizeof own, own, sizeof *own,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
  for (i = 1; i < EVENTS; i++) {
    /* events[0] is in [own0, own1] and events[i] in [own_i, own_i+1]. */
    double least = (double)(own[i] - own[1]) * vk.period, most = (double)(own[i + 1] - own[0]) * vk.period;
    CHECK_OK(gevt_elapsed_ns(&from_first, events[0], events[i]));
    if (!CHECK((double)from_first >= least - 1 && (double)from_first <= most + 1)) {
      printf("    event %d: %lld ns, not between %f and %f\n", i, (long long)from_first, least, most);
    }
  }
  for (i = 0; i < EVENTS; i++) CHECK_OK(gevt_destroy(events[i]));
  stream_finish(stream);
  vk_commands_free(commands);
  vk.DestroyQueryPool(vk.device, pool, NULL);
}

/* A submit that gevt makes itself has a stamp as well; what is written is used again, thousands of times. */
static void recorded_alone(void) {
  gevt_stream_t stream = vk_stream(context, 0, 1);
  gevt_event_t start = event_new(), end = event_new();
  long long before, after;
  int64_t ns = -1, opposite = -1;
  float ms = -1;
  int i;
  for (i = 0; i < 3000; i++) {
    before = now_ns();
    if (!CHECK_OK(gevt_record(start, stream)) || !CHECK_OK(gevt_record(end, stream)) || !CHECK_OK(gevt_sync(end)))
      break;
    if (!CHECK_OK(gevt_elapsed_ns(&ns, start, end))) break;
    after = now_ns();
    if (!CHECK(ns >= 0 && ns <= after - before)) {
      printf("    round %d: %lld ns, and %lld ns went by\n", i, (long long)ns, after - before);
      break;
    }
  }
  CHECK_OK(gevt_elapsed_ns(&opposite, end, start));
  CHECK_EQUAL(opposite, -ns);
  CHECK_OK(gevt_elapsed(&ms, start, end));
  CHECK(ms >= 0);
  CHECK_OK(gevt_destroy(start));
  CHECK_OK(gevt_destroy(end));
  stream_finish(stream);
}

/* More events with a time alive at once than a pool holds. */
static void many_at_once(void) {
  enum { EVENTS = 5000 };
  gevt_stream_t stream = vk_stream(context, 0, 1);
  gevt_event_t *events = (gevt_event_t *)calloc(EVENTS, sizeof *events);
  int i, wrong = 0;
  int64_t ns;
  for (i = 0; i < EVENTS; i++) {
    events[i] = event_new();
    wrong += gevt_record(events[i], stream) != GEVT_SUCCESS;
  }
  CHECK_EQUAL(wrong, 0);
  CHECK_OK(gevt_stream_sync(stream));
  for (i = 1; i < EVENTS; i++) {
    wrong += gevt_elapsed_ns(&ns, events[i - 1], events[i]) != GEVT_SUCCESS || ns < 0;
  }
  CHECK_EQUAL(wrong, 0);
  for (i = 0; i < EVENTS; i++) CHECK_OK(gevt_destroy(events[i]));
  free(events);
  stream_finish(stream);
}

/* A timed event in a batch without a stamp has no time, and no old one. */
static void no_stamp_no_time(void) {
  gevt_stream_t stream = vk_stream(context, 0, 1);
  gevt_event_t start = event_new(), end = event_new();
  int64_t ns;
  CHECK_OK(gevt_record(start, stream));
  CHECK_OK(gevt_record(end, stream));
  CHECK_OK(gevt_sync(end));
  CHECK_OK(gevt_elapsed_ns(&ns, start, end));
  CHECK_OK(batch_submit(stream, 0, 1, NULL, &end, 1));
  CHECK_OK(gevt_sync(end));
  CHECK_FAILS(gevt_elapsed_ns(&ns, start, end), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NO_TIME);
  CHECK_OK(gevt_destroy(start));
  CHECK_OK(gevt_destroy(end));
  stream_finish(stream);
}

static void refused(void) {
  gevt_stream_t stream = vk_stream(context, 0, 1);
  gevt_event_t untimed = event_with(GEVT_EVENT_DISABLE_TIMING), timed = vk_timed_event(context), dead = event_stale();
  VkCommandBuffer commands = vk_commands_begin();
  float ms = 7;
  CHECK_FAILS(gevt_vulkan_write_time(untimed, commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT),
              GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_TIMING_DISABLED);
  CHECK_FAILS(gevt_vulkan_write_time(timed, NULL, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT), GEVT_ERROR_INVALID_VALUE,
              GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_write_time(dead, commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT), GEVT_ERROR_INVALID_HANDLE,
              GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_vulkan_write_time(NULL, commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT), GEVT_ERROR_INVALID_HANDLE,
              GEVT_DETAIL_NULL_HANDLE);
  CHECK_VK(vk.EndCommandBuffer(commands));
  CHECK_OK(gevt_record(untimed, stream));
  CHECK_OK(gevt_record(timed, stream));
  CHECK_OK(gevt_sync(timed));
  CHECK_FAILS(gevt_elapsed(&ms, untimed, timed), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_TIMING_DISABLED);
  CHECK(ms == 7);
  CHECK_OK(gevt_destroy(untimed));
  CHECK_OK(gevt_destroy(timed));
  stream_finish(stream);
  vk_commands_free(commands);
}

/* The command buffer with the time was never submitted: no time, an error, and no wait. */
static void written_and_never_submitted(void) {
  gevt_stream_t stream = vk_stream(context, 0, 1);
  gevt_event_t start = vk_timed_event(context), end = vk_timed_event(context);
  VkCommandBuffer commands = vk_commands_begin();
  int round;
  CHECK_OK(gevt_record(start, stream));
  for (round = 0; round < 3; round++) {
    write_event(commands, end);
    CHECK_VK(vk.EndCommandBuffer(commands));
    vk_commands_free(commands);
    commands = vk_commands_begin();
  }
  CHECK_OK(gevt_record(end, stream));
  CHECK_OK(gevt_sync(end));
  CHECK_OK(gevt_destroy(start));
  CHECK_OK(gevt_destroy(end));
  CHECK_VK(vk.EndCommandBuffer(commands));
  vk_commands_free(commands);
  stream_finish(stream);
}

/* Events go while the command buffer that writes their time is still to run. */
static void destroyed_before_it_runs(void) {
  gevt_stream_t stream = vk_stream(context, 0, 1);
  VkSemaphore gate = vk_timeline();
  VkCommandBuffer commands = vk_commands_begin();
  gevt_event_t events[8];
  int i;
  for (i = 0; i < 8; i++) {
    events[i] = vk_timed_event(context);
    write_event(commands, events[i]);
  }
  CHECK_VK(vk.EndCommandBuffer(commands));
  vk_hold(0, gate, 1);
  CHECK_OK(batch_submit(stream, 0, 1, commands, events, 8));
  for (i = 0; i < 8; i++) CHECK_OK(gevt_destroy(events[i]));
  for (i = 0; i < 8; i++) {
    events[i] = event_new();
    CHECK_OK(gevt_record(events[i], stream));
  }
  vk_signal(gate, 1);
  CHECK_OK(gevt_sync(events[7]));
  for (i = 0; i < 8; i++) CHECK_OK(gevt_destroy(events[i]));
  stream_finish(stream);
  vk_commands_free(commands);
  vk.DestroySemaphore(vk.device, gate, NULL);
}

int main(int argc, char **argv) {
  subject_choose(argc, argv);
  vk_open();
  context = vk_adopt();
  RUN(between_the_programs_own_stamps);
  RUN(recorded_alone);
  RUN(many_at_once);
  RUN(no_stamp_no_time);
  RUN(refused);
  RUN(written_and_never_submitted);
  RUN(destroyed_before_it_runs);
  CHECK_EQUAL(gevt_live_events(), 0);
  CHECK_OK(gevt_context_close(context));
  vk_close();
  return subject_end();
}
