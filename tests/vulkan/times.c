/* GPU times: events in the program's command buffers beside its own query pool, across a batch and alone, and on the host's clock. */
#include "program.h"

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

/* gevt's events lie between two of the program's timestamps: own <= event <= own, in device time. */
WRAPPED(between_the_programs_own_stamps) {
  enum { EVENTS = 8 };
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
  for (i = 0; i < EVENTS; i++) {
    uint64_t ticks = 0;
    double period = 0;
    CHECK_OK(gevt_vulkan_ticks(&ticks, &period, events[i]));
    CHECK(ticks >= own[i] && ticks <= own[i + 1]);
    CHECK(period == vk.period);
  }
  for (i = 1; i < EVENTS; i++) {
    /* events[0] is in [own0, own1] and events[i] in [own_i, own_i+1]. */
    double least = (double)(own[i] - own[1]) * vk.period, most = (double)(own[i + 1] - own[0]) * vk.period;
    CHECK_OK(gevt_elapsed_ns(&from_first, events[0], events[i]));
    if (!CHECK((double)from_first >= least - 1 && (double)from_first <= most + 1)) {
      printf("    event %d: %lld ns, not between %f and %f\n", i, (long long)from_first, least, most);
    }
  }
  CHECK_OK(gevt_stream_sync(stream));
  vk.DestroyQueryPool(vk.device, pool, NULL);
}

/* gevt's own submits also write a timestamp. Queries are reused thousands of times. */
WRAPPED(recorded_alone) {
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
}

/* More live timed events than one query pool holds. */
WRAPPED(many_at_once) {
  enum { EVENTS = 5000 };
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
}

/* A timed event in a batch without a timestamp has no time, not even an old one. */
WRAPPED(no_stamp_no_time) {
  gevt_event_t start = event_new(), end = event_new();
  int64_t ns;
  CHECK_OK(gevt_record(start, stream));
  CHECK_OK(gevt_record(end, stream));
  CHECK_OK(gevt_sync(end));
  CHECK_OK(gevt_elapsed_ns(&ns, start, end));
  CHECK_OK(batch_submit(stream, 0, 1, NULL, &end, 1));
  CHECK_OK(gevt_sync(end));
  CHECK_FAILS(gevt_elapsed_ns(&ns, start, end), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NO_TIME);
}

/* A command buffer with two events' timestamps. */
static VkCommandBuffer times_of(const gevt_event_t pair[2]) {
  VkCommandBuffer commands = vk_commands_begin();
  write_event(commands, pair[0]);
  write_event(commands, pair[1]);
  CHECK_VK(vk.EndCommandBuffer(commands));
  return commands;
}

static void submit_pair(gevt_stream_t stream, VkCommandBuffer commands, const gevt_event_t pair[2]) {
  CHECK_OK(batch_submit(stream, 0, 1, commands, pair, 2));
  CHECK_OK(gevt_sync(pair[0]));
  CHECK_OK(gevt_sync(pair[1]));
}

/* The events complete in the batch that is submitted between the two readings of the clock, and so do their timestamps. */
static void check_new_time(gevt_stream_t stream, VkCommandBuffer commands, const gevt_event_t pair[2]) {
  gevt_event_t before = event_new();
  int64_t ns = -1, since = -1;
  CHECK_OK(gevt_record(before, stream));
  submit_pair(stream, commands, pair);
  CHECK_OK(gevt_elapsed_ns(&ns, pair[0], pair[1]));
  CHECK(ns >= 0);
  CHECK_OK(gevt_elapsed_ns(&since, before, pair[0]));
  CHECK(since >= 0);
  CHECK_OK(gevt_destroy(before));
}

static void check_no_time(const gevt_event_t pair[2]) {
  int64_t ns = 5;
  CHECK_FAILS(gevt_elapsed_ns(&ns, pair[0], pair[1]), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NO_TIME);
  CHECK_EQUAL(ns, 5);
}

/* A command buffer is submitted again, with a batch without it in between. That batch has no time, not even the older one. */
WRAPPED(submitted_again) {
  gevt_event_t pair[2] = {vk_timed_event(context), vk_timed_event(context)};
  VkCommandBuffer commands = times_of(pair);
  int i;
  for (i = 0; i < 5; i++) {
    check_new_time(stream, commands, pair);
    submit_pair(stream, NULL, pair);
    check_no_time(pair);
    submit_pair(stream, NULL, pair);
    check_no_time(pair);
  }
}

/* Two command buffers record the same events. Each batch has the times of the buffer that it submits. */
WRAPPED(two_command_buffers) {
  gevt_event_t pair[2] = {vk_timed_event(context), vk_timed_event(context)};
  VkCommandBuffer commands[2];
  int i;
  commands[0] = times_of(pair);
  commands[1] = times_of(pair);
  for (i = 0; i < 6; i++) check_new_time(stream, commands[i % 2], pair);
  submit_pair(stream, NULL, pair);
  check_no_time(pair);
}

/* A batch that begins while the event is pending in the last one has no time: the last command buffer may be using the query. */
WRAPPED(submitted_again_while_pending) {
  gevt_event_t pair[2] = {vk_timed_event(context), vk_timed_event(context)};
  VkCommandBuffer commands = times_of(pair), newer;
  queue_hold();
  CHECK_OK(batch_submit(stream, 0, 1, commands, pair, 2));
  CHECK_OK(batch_submit(stream, 0, 1, NULL, pair, 2));
  queue_release();
  CHECK_OK(gevt_sync(pair[1]));
  check_no_time(pair);
  check_new_time(stream, commands, pair);
  /* Another command buffer, recorded in the meantime, has its own timestamps. */
  queue_hold();
  CHECK_OK(batch_submit(stream, 0, 1, commands, pair, 2));
  newer = times_of(pair);
  queue_release();
  check_new_time(stream, newer, pair);
}

/* A reused query does not expose the time of its previous event. */
WRAPPED(a_reused_query_is_no_time) {
  enum { EVENTS = 400 };
  int i;
  for (i = 0; i < EVENTS; i++) {
    gevt_event_t pair[2] = {vk_timed_event(context), vk_timed_event(context)};
    VkCommandBuffer commands = times_of(pair);
    if (i % 2 == 0) {
      check_new_time(stream, commands, pair);
    } else {
      submit_pair(stream, NULL, pair);
      check_no_time(pair);
    }
    CHECK_OK(gevt_destroy(pair[0]));
    CHECK_OK(gevt_destroy(pair[1]));
    vk_commands_free(commands);
  }
}

/* Times are read while another thread records the events again: the query is never read while the queue writes it, which makes lavapipe
   drop the signal of a submit. */
enum { ROUNDS_AGAIN = 3000 };
static int records_again;

static gevt_event_t again[2];

static void *record_again(void *user) {
  int i;
  for (i = 0; i < ROUNDS_AGAIN; i++) {
    CHECK_OK(gevt_record(again[0], stream));
    CHECK_OK(gevt_record(again[1], stream));
    if (!CHECK_OK(gevt_sync_timeout(again[1], HANG_LIMIT))) break;
  }
  __atomic_store_n(&records_again, 0, __ATOMIC_SEQ_CST);
  return user;
}

static void while_recorded_again(void) {
  pthread_t thread;
  long long begun = now_ns(), read = 0;
  again[0] = event_new();
  again[1] = event_new();
  CHECK_OK(gevt_record(again[0], stream));
  CHECK_OK(gevt_record(again[1], stream));
  CHECK_OK(gevt_sync(again[1]));
  __atomic_store_n(&records_again, 1, __ATOMIC_SEQ_CST);
  thread = thread_start(record_again, NULL);
  while (count_of(&records_again)) {
    int64_t ns = -1;
    uint64_t error = 0;
    gevt_status_t status = gevt_elapsed_ns(&ns, again[0], again[1]);
    if (!CHECK(status == GEVT_SUCCESS || status == GEVT_ERROR_NOT_READY)) break;
    status = gevt_host_time(&ns, &error, again[1]);
    if (!CHECK(status == GEVT_SUCCESS || status == GEVT_ERROR_NOT_READY)) break;
    if (status == GEVT_ERROR_NOT_READY) continue;
    read++;
    if (!CHECK(ns + (int64_t)error >= begun && ns - (int64_t)error <= now_ns())) {
      printf("    %lld ns, +- %llu\n", (long long)ns, (unsigned long long)error);
      break;
    }
  }
  thread_join(thread);
  CHECK(read > 0);
  CHECK_OK(gevt_stream_sync_timeout(stream, HANG_LIMIT));
}

WRAPPED(read_while_recorded_again) {
  RUN_BUT_ON_WINDOWS(while_recorded_again, "wine does not compare its clock with a device's");
}

WRAPPED(refused) {
  gevt_event_t plain = untimed(), timed = vk_timed_event(context);
  VkCommandBuffer commands = vk_commands_begin();
  float ms = 7;
  uint64_t ticks = 7;
  double period = 7;
  CHECK_FAILS(gevt_vulkan_ticks(&ticks, &period, timed), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NOT_RECORDED);
  CHECK_FAILS(gevt_vulkan_ticks(NULL, &period, timed), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_ticks(&ticks, NULL, timed), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_vulkan_write_time(plain, commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT), GEVT_ERROR_INVALID_HANDLE,
              GEVT_DETAIL_TIMING_DISABLED);
  CHECK_FAILS(gevt_vulkan_write_time(timed, NULL, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT), GEVT_ERROR_INVALID_VALUE,
              GEVT_DETAIL_NULL_POINTER);
  CHECK_VK(vk.EndCommandBuffer(commands));
  CHECK_OK(gevt_record(plain, stream));
  CHECK_OK(gevt_record(timed, stream));
  CHECK_OK(gevt_sync(timed));
  CHECK_FAILS(gevt_elapsed(&ms, plain, timed), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_TIMING_DISABLED);
  CHECK(ms == 7);
  CHECK_FAILS(gevt_vulkan_ticks(&ticks, &period, plain), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_TIMING_DISABLED);
  CHECK(ticks == 7 && period == 7);
}

/* The command buffer with the timestamp is never submitted. The call returns an error without waiting. */
WRAPPED(written_and_never_submitted) {
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
  CHECK_VK(vk.EndCommandBuffer(commands));
}

/* Events are destroyed before the command buffer that writes their time runs. */
WRAPPED(destroyed_before_it_runs) {
  VkCommandBuffer commands = vk_commands_begin();
  gevt_event_t events[8];
  int i;
  for (i = 0; i < 8; i++) {
    events[i] = vk_timed_event(context);
    write_event(commands, events[i]);
  }
  CHECK_VK(vk.EndCommandBuffer(commands));
  queue_hold();
  CHECK_OK(batch_submit(stream, 0, 1, commands, events, 8));
  for (i = 0; i < 8; i++) CHECK_OK(gevt_destroy(events[i]));
  for (i = 0; i < 8; i++) {
    events[i] = event_new();
    CHECK_OK(gevt_record(events[i], stream));
  }
  queue_release();
  CHECK_OK(gevt_sync(events[7]));
}

int main(int argc, char **argv) {
  return vk_main_twice(argc, argv);
}
