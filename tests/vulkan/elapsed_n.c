/* Many times by one call: as many driver calls as there are runs of adjacent queries, and each time is that of its pair alone. */
#include "program.h"

enum { ZONES = 1000 };

/* Counts the driver's reads of queries, which gevt finds through the functions that it is given. */
static PFN_vkGetDeviceProcAddr get_device;
static PFN_vkGetQueryPoolResults get_results;
static int reads;
/* Answers in the driver's place, as lavapipe waits for the whole device there. */
static int answer_all;

static VKAPI_ATTR VkResult VKAPI_CALL counted_results(VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count,
                                                      size_t size, void *data, VkDeviceSize stride,
                                                      VkQueryResultFlags flags) {
  uint32_t i;
  __atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED);
  if (answer_all) {
    CHECK_EQUAL(flags, VK_QUERY_RESULT_64_BIT);
    for (i = 0; i < count; i++) {
      const uint64_t result = 1000;
      memcpy((char *)data + i * stride, &result, sizeof result);
    }
    return VK_SUCCESS;
  }
  return get_results(device, pool, first, count, size, data, stride, flags);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name) {
  PFN_vkVoidFunction found = get_device(device, name);
  if (strcmp(name, "vkGetQueryPoolResults") != 0) return found;
  get_results = (PFN_vkGetQueryPoolResults)found;
  return (PFN_vkVoidFunction)counted_results;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char *name) {
  PFN_vkVoidFunction found = vk.get(instance, name);
  if (strcmp(name, "vkGetDeviceProcAddr") != 0) return found;
  get_device = (PFN_vkGetDeviceProcAddr)found;
  return (PFN_vkVoidFunction)device_function;
}

static gevt_event_t starts[ZONES], ends[ZONES], events[2 * ZONES];
static gevt_status_t statuses[ZONES];
static int64_t ns[ZONES];

/* A command buffer with the timestamps of that many zones. */
static VkCommandBuffer zones_of(int count) {
  VkCommandBuffer commands = vk_commands_begin();
  int i;
  for (i = 0; i < count; i++) {
    CHECK_OK(gevt_vulkan_write_time(starts[i], commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
    CHECK_OK(gevt_vulkan_write_time(ends[i], commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
  }
  CHECK_VK(vk.EndCommandBuffer(commands));
  return commands;
}

/* Submits the timestamps of that many zones in a batch that records so many events, and waits for it. */
static VkCommandBuffer submit_zones(gevt_stream_t stream, int count, int records) {
  VkCommandBuffer commands = zones_of(count);
  CHECK_OK(batch_submit(stream, 0, 1, commands, events, (size_t)records));
  CHECK_OK(gevt_sync(ends[0]));
  return commands;
}

static int reads_now(void) {
  return __atomic_exchange_n(&reads, 0, __ATOMIC_RELAXED);
}

/* Every time equals the pair's alone, which costs no further driver call. */
static void check_times(int count) {
  int i, wrong = 0;
  for (i = 0; i < count; i++) {
    int64_t alone = -1;
    wrong += statuses[i] != GEVT_SUCCESS || ns[i] < 0;
    wrong += gevt_elapsed_ns(&alone, starts[i], ends[i]) != GEVT_SUCCESS || alone != ns[i];
  }
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(reads_now(), 0);
}

WRAPPED(a_thousand_zones) {
  int round;
  for (round = 0; round < 3; round++) {
    VkCommandBuffer commands = submit_zones(stream, ZONES, 2 * ZONES);
    reads_now();
    CHECK_OK(gevt_elapsed_n(ns, statuses, starts, ends, ZONES));
    /* 2,000 adjacent queries, in pools of 128, 256, 512, 1,024 and 2,048. */
    CHECK_EQUAL(reads_now(), 5);
    check_times(ZONES);
    vk_commands_free(commands);
  }
}

/* The first time that is asked for brings the others of its batch, whose queries are adjacent. */
WRAPPED(one_by_one) {
  enum { FEW = 12 };
  int i, wrong = 0;
  submit_zones(stream, FEW, 2 * FEW);
  reads_now();
  for (i = 0; i < FEW; i++) wrong += gevt_elapsed_ns(&ns[i], starts[i], ends[i]) != GEVT_SUCCESS || ns[i] < 0;
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(reads_now(), 1);
}

/* Queries that a queue may be writing are not read: those of a pending batch lie between those of a finished one. */
WRAPPED(pending_ones_are_left_out) {
  enum { FEW = 40 };
  VkCommandBuffer commands;
  gevt_event_t done[FEW], pending[FEW];
  int i, wrong = 0;
  submit_zones(stream, FEW, 2 * FEW);
  commands = vk_commands_begin();
  for (i = 0; i < FEW; i++) {
    done[i] = starts[i];
    pending[i] = ends[i];
    CHECK_OK(gevt_vulkan_write_time(starts[i], commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
  }
  CHECK_VK(vk.EndCommandBuffer(commands));
  CHECK_OK(batch_submit(stream, 0, 1, commands, done, FEW));
  CHECK_OK(gevt_sync(done[FEW - 1]));
  queue_hold();
  CHECK_OK(batch_submit(stream, 0, 1, NULL, pending, FEW));
  reads_now();
  answer_all = 1;
  pattern_fill(ns, sizeof ns);
  CHECK_OK(gevt_elapsed_n(ns, statuses, starts, ends, FEW));
  for (i = 0; i < FEW; i++) wrong += statuses[i] != GEVT_ERROR_NOT_READY;
  CHECK_EQUAL(wrong, 0);
  CHECK(pattern_intact(ns, sizeof ns));
  /* The finished starts are known now, one read each, as every other query is pending. */
  CHECK_EQUAL(reads_now(), FEW);
  answer_all = 0;
  queue_release();
  CHECK_OK(gevt_sync(pending[FEW - 1]));
  /* The second batch went without its command buffer. */
  CHECK_OK(gevt_elapsed_n(ns, statuses, starts, starts, FEW));
  for (i = 0; i < FEW; i++) wrong += statuses[i] != GEVT_SUCCESS || ns[i] != 0;
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(reads_now(), 0);
}

/* Zones whose command buffer was not submitted have no time, and those beside them have theirs. */
WRAPPED(unwritten_ones_have_no_time) {
  enum { HALF = 30 };
  int i, wrong = 0;
  submit_zones(stream, HALF, 4 * HALF);
  CHECK_OK(gevt_elapsed_n(ns, statuses, starts, ends, 2 * HALF));
  for (i = 0; i < HALF; i++) wrong += statuses[i] != GEVT_SUCCESS;
  for (i = HALF; i < 2 * HALF; i++) wrong += statuses[i] != GEVT_ERROR_ILLEGAL_STATE;
  CHECK_EQUAL(wrong, 0);
}

/* Two threads read the same times while a third records the events again: the driver is never asked for a query that may be
   written meanwhile, and no two threads wait for each other. */
enum { AGAIN = 20, ROUNDS = 300 };
static int records_again;

static void *read_all(void *user) {
  gevt_status_t of_pairs[AGAIN];
  int64_t times[AGAIN];
  int i;
  (void)user;
  while (__atomic_load_n(&records_again, __ATOMIC_SEQ_CST)) {
    CHECK_OK(gevt_elapsed_n(times, of_pairs, starts, ends, AGAIN));
    for (i = 0; i < AGAIN; i++) {
      if (!CHECK(of_pairs[i] == GEVT_ERROR_NOT_READY || (of_pairs[i] == GEVT_SUCCESS && times[i] >= 0))) return NULL;
    }
  }
  return NULL;
}

WRAPPED(read_while_recorded_again) {
  VkCommandBuffer commands = submit_zones(stream, AGAIN, 2 * AGAIN);
  pthread_t threads[2];
  int i;
  __atomic_store_n(&records_again, 1, __ATOMIC_SEQ_CST);
  for (i = 0; i < 2; i++) threads[i] = thread_start(read_all, NULL);
  for (i = 0; i < ROUNDS; i++) {
    CHECK_OK(batch_submit(stream, 0, 1, commands, events, 2 * AGAIN));
    if (!CHECK_OK(gevt_sync_timeout(ends[AGAIN - 1], HANG_LIMIT))) break;
  }
  __atomic_store_n(&records_again, 0, __ATOMIC_SEQ_CST);
  for (i = 0; i < 2; i++) thread_join(threads[i]);
}

static void tell(gevt_vulkan_device_t *told) {
  told->get_instance_proc_addr = instance_function;
}

static void before(void) {
  int i;
  for (i = 0; i < ZONES; i++) {
    starts[i] = events[2 * i] = vk_timed_event(context);
    ends[i] = events[2 * i + 1] = vk_timed_event(context);
  }
}

static void after(void) {
  int i;
  for (i = 0; i < 2 * ZONES; i++) CHECK_OK(gevt_destroy(events[i]));
}

int main(int argc, char **argv) {
  vk_tell = tell;
  vk_before = before;
  vk_after = after;
  return vk_main(argc, argv, NULL);
}
