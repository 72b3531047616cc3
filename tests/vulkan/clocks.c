/* GPU times beside the program's own query pool, and on the host's clock. */
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

/* Each gevt event lies between two timestamps that the program writes: own <= event <= own, in device time. */
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
  CHECK_OK(batch_submit(stream, commands, events, EVENTS));
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

WRAPPED(read_while_recorded_again) {
  pthread_t thread;
  long long begun = now_ns(), read = 0;
#ifdef _WIN32
  printf("SKIPPED: case read_while_recorded_again: wine does not compare its clock with a device's\n");
  return;
#endif
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

VK_MAIN
