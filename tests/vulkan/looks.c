/* Devices that lack a feature, or count time differently: the layer changes what they report. Each case opens a gevt device in a
   separate process, because gevt caches device properties.
   usage: looks [vulkan [CASE]] */
#include "program.h"
#include "layer.h"

/* As devices are; a case changes it before it opens one. */
static fault_looks_t looks = {-1, 0, 0, 0, 0, NULL, -1, 0, 0};

static gevt_context_t opened(void) {
  gevt_context_t context;
  fault_look(&looks);
  context = context_on(GEVT_BACKEND_VULKAN);
  CHECK_OK(gevt_context_set_current(context));
  return context;
}

static void refused(const char *word, gevt_status_t status, gevt_detail_t detail) {
  gevt_context_t context;
  int i;
  fault_look(&looks);
  pattern_fill(&context, sizeof context);
  for (i = 0; i < 2; i++) {
    CHECK_FAILS(gevt_context_open(&context, GEVT_BACKEND_VULKAN, 0), status, detail);
    if (!CHECK(strstr(gevt_last_message(), word) != NULL)) printf("    %s\n", gevt_last_message());
  }
  CHECK(pattern_intact(&context, sizeof context));
}

ALONE_CASE(no_device, 0) {
  int32_t count = -5;
  looks.devices = 0;
  refused("device", GEVT_ERROR_NO_DEVICE, GEVT_DETAIL_NO_BACKEND);
  CHECK_STATUS(gevt_device_count(&count, GEVT_BACKEND_VULKAN), GEVT_ERROR_NO_DEVICE);
  CHECK_EQUAL(count, -5);
}

ALONE_CASE(no_timeline_semaphores, 0) {
  looks.no_timeline = 1;
  refused("timeline", GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
}

ALONE_CASE(an_old_device, 0) {
  looks.api_version = VK_API_VERSION_1_0;
  refused("1.2", GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
}

/* The nanoseconds between two events with a pause in between must agree with the host's clock. */
static void times_agree(int pauses) {
  gevt_context_t context = opened();
  gevt_stream_t stream = stream_in(context, GEVT_STREAM_DEFAULT);
  gevt_event_t start = event_new(), end = event_new();
  int i;
  for (i = 0; i < pauses; i++) {
    long long before = now_ns(), between, after;
    int64_t ns = -1, opposite = 0;
    CHECK_OK(gevt_record(start, stream));
    CHECK_OK(gevt_sync(start));
    between = now_ns();
    sleep_ns(20 * MILLISECOND);
    CHECK_OK(gevt_record(end, stream));
    CHECK_OK(gevt_sync(end));
    after = now_ns();
    CHECK_OK(gevt_elapsed_ns(&ns, start, end));
    CHECK_OK(gevt_elapsed_ns(&opposite, end, start));
    CHECK_EQUAL(opposite, -ns);
    /* Clocks drift, by less than a thousandth. */
    if (!CHECK(ns >= 19 * MILLISECOND && ns <= (after - before) * 1001 / 1000 + 1000)) {
      printf("    %lld ns; %lld went by, %lld of them up to the pause\n", (long long)ns, after - before,
             between - before);
    }
  }
  stream_finish(stream);
  CHECK_OK(gevt_destroy(start));
  CHECK_OK(gevt_destroy(end));
  CHECK_OK(gevt_context_close(context));
}

#define TIMES_AGREE(name, pauses, ...)                                                                                 \
  ALONE_CASE(name, 0) {                                                                                                \
    __VA_ARGS__;                                                                                                       \
    times_agree(pauses);                                                                                               \
  }
TIMES_AGREE(another_period, 3, looks.period = 52.08)
/* As some mobile GPUs have. */
TIMES_AGREE(few_bits_and_a_long_period, 3, looks.valid_bits = 36, looks.period = 1000)
TIMES_AGREE(no_synchronization2, 1, looks.no_sync2 = 1)
TIMES_AGREE(no_host_query_reset, 20, looks.no_host_reset = 1)

/* 32 valid bits are 4.3 s at 1 ns: the counter wraps between the two events of the first pause. */
ALONE_CASE(times_that_wrap, 0) {
  gevt_stream_t stream;
  gevt_event_t events[3];
  int64_t ns[3] = {-1, -1, -1};
  long long before[3], after[3];
  int i;
  looks.valid_bits = 32;
  looks.ticks_until_wrap = 1000000000;
  stream = stream_in(opened(), GEVT_STREAM_DEFAULT);
  for (i = 0; i < 3; i++) {
    events[i] = event_new();
    before[i] = now_ns();
    CHECK_OK(gevt_record(events[i], stream));
    CHECK_OK(gevt_sync(events[i]));
    after[i] = now_ns();
    sleep_ns(700 * MILLISECOND);
  }
  CHECK_OK(gevt_elapsed_ns(&ns[0], events[0], events[1]));
  CHECK_OK(gevt_elapsed_ns(&ns[1], events[1], events[2]));
  CHECK_OK(gevt_elapsed_ns(&ns[2], events[0], events[2]));
  for (i = 0; i < 2; i++) {
    long long most = (after[i + 1] - before[i]) * 1001 / 1000 + 1000;
    if (!CHECK(ns[i] >= 699 * MILLISECOND && ns[i] <= most)) printf("    %lld ns\n", (long long)ns[i]);
  }
  CHECK_EQUAL(ns[0] + ns[1], ns[2]);
}

/* On a queue family without timestamps, events work and have no time. */
ALONE_CASE(no_valid_bits, 0) {
  gevt_stream_t stream;
  gevt_event_t start = event_new(), end = event_new();
  float ms = 5;
  looks.valid_bits = 0;
  stream = stream_in(opened(), GEVT_STREAM_DEFAULT);
  CHECK_OK(gevt_record(start, stream));
  CHECK_OK(gevt_record(end, stream));
  CHECK_OK(gevt_sync(end));
  CHECK_FAILS(gevt_elapsed(&ms, start, end), GEVT_ERROR_ILLEGAL_STATE, GEVT_DETAIL_NO_TIME);
  CHECK(ms == 5);
}

/* Events have times, but no relation to the host's clock: the error says what the device lacks. */
ALONE_CASE(no_calibrated_timestamps, 0) {
  gevt_event_t event;
  int64_t ns = 5;
  uint64_t error = 6;
  looks.hidden = "calibrated_timestamps";
  times_agree(1);
  opened();
  event = event_new();
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK_FAILS(gevt_host_time(&ns, &error, event), GEVT_ERROR_NOT_SUPPORTED, GEVT_DETAIL_UNSUPPORTED);
  CHECK(strstr(gevt_last_message(), "VK_KHR_calibrated_timestamps") != NULL);
  CHECK(ns == 5 && error == 6);
}

/* In nanoseconds, rounded up. */
static uint64_t period_of_device(void) {
  VkPhysicalDeviceProperties properties;
  uint32_t count = 1;
  uint64_t period;
  vk.EnumeratePhysicalDevices(vk.instance, &count, &vk.physical);
  vk.GetPhysicalDeviceProperties(vk.physical, &properties);
  period = (uint64_t)properties.limits.timestampPeriod;
  return period + ((float)period < properties.limits.timestampPeriod);
}

/* The driver reads both clocks at one time, and says how exact that is; gevt adds the resolution and the drift, and nothing else. */
ALONE_CASE(times_are_as_exact_as_the_driver_says, 0) {
  gevt_event_t event = event_new();
  uint64_t error = 0, compared = 0, deviation = 0, since;
  int64_t ns = 0;
  opened();
  CHECK_OK(gevt_record(event, NULL));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_host_time(&ns, &error, event));
  fault_calibration(&compared, &deviation);
  since = (uint64_t)llabs(ns - (int64_t)compared);
  CHECK_EQUAL(error, deviation + period_of_device() + since / 2000);
}

/* gevt's device and all its objects are destroyed with the context. gevt's instance stays. */
ALONE_CASE(nothing_is_left, 0) {
  int64_t instances = fault_live() + 1;
  int i;
  for (i = 0; i < 5; i++) {
    times_agree(1);
    if (!CHECK(layer_await(instances))) fault_print_live();
  }
}

/* Fails without a device or without the layer: the cases would pass for the wrong reason. */
static void begin(const test_case_t *chosen) {
  (void)chosen;
  layer_choose();
  vk_open_instance();
  layer_prove();
}

int main(int argc, char **argv) {
  return vk_main_alone(argc, argv, begin, NULL);
}
