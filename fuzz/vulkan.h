/* Vulkan's functions, on objects of another backend and with incomplete structures. No invalid pointers: gevt would dereference them. */
#ifndef GEVT_FUZZ_VULKAN_H
#define GEVT_FUZZ_VULKAN_H

#include "call.h"

/* The size of a structure, mostly. */
static size_t size_of(input_t *input, size_t size) {
  return input_rarely(input) ? input_byte(input) % size : size;
}

FUNCTION(vulkan_wrap_device) {
  OUTPUT(gevt_context_t);
  gevt_vulkan_device_t device;
  memset(&device, 0, sizeof device);
  device.size = size_of(input, sizeof device);
  device.features = input_byte(input);
  device.api_version = (uint32_t)input_byte(input) << 12;
  judge_that(!JUDGE(vulkan_wrap_device, gevt_vulkan_wrap_device(out, input_rarely(input) ? NULL : &device)),
             vulkan_wrap_device_name, "a device without a handle");
  UNTOUCHED(vulkan_wrap_device);
}

FUNCTION(vulkan_wrap_queue) {
  OUTPUT(gevt_stream_t);
  gevt_vulkan_queue_t queue;
  memset(&queue, 0, sizeof queue);
  queue.size = size_of(input, sizeof queue);
  queue.family = input_byte(input);
  queue.queue = input_rarely(input) ? NULL : (struct VkQueue_T *)&queue;
  judge_that(!JUDGE(vulkan_wrap_queue,
                    gevt_vulkan_wrap_queue(out, objects_context(input), input_rarely(input) ? NULL : &queue)),
             vulkan_wrap_queue_name, "a queue of another backend's");
  UNTOUCHED(vulkan_wrap_queue);
}

FUNCTION(vulkan_submit_begin) {
  gevt_vulkan_batch_t batch;
  gevt_event_t events[2];
  memset(&batch, 0, sizeof batch);
  batch.size = size_of(input, sizeof batch);
  events[0] = objects_event(input);
  events[1] = objects_event(input);
  judge_that(
      !JUDGE(vulkan_submit_begin, gevt_vulkan_submit_begin(input_rarely(input) ? NULL : &batch, objects_stream(input),
                                                           input_rarely(input) ? NULL : events, input_below(input, 3))),
      vulkan_submit_begin_name, "a batch on another backend's stream");
}

FUNCTION(vulkan_submit_end) {
  gevt_vulkan_batch_t batch;
  memset(&batch, 0, sizeof batch);
  batch.size = size_of(input, sizeof batch);
  batch.ticket = input_byte(input);
  judge_that(
      !JUDGE(vulkan_submit_end, gevt_vulkan_submit_end(objects_stream(input), input_rarely(input) ? NULL : &batch, 0)),
      vulkan_submit_end_name, "a batch that nobody began");
}

FUNCTION(vulkan_submit_cancel) {
  gevt_vulkan_batch_t batch;
  memset(&batch, 0, sizeof batch);
  batch.size = size_of(input, sizeof batch);
  batch.ticket = input_byte(input);
  judge_that(!JUDGE(vulkan_submit_cancel,
                    gevt_vulkan_submit_cancel(objects_stream(input), input_rarely(input) ? NULL : &batch)),
             vulkan_submit_cancel_name, "a batch that nobody began");
}

FUNCTION(vulkan_write_time) {
  char commands;
  judge_that(!JUDGE(vulkan_write_time,
                    gevt_vulkan_write_time(objects_event(input),
                                           input_rarely(input) ? NULL : (struct VkCommandBuffer_T *)&commands,
                                           input_byte(input))),
             vulkan_write_time_name, "an event of another backend's");
}

/* An event that was never bound has no point, and nothing to wait for. */
FUNCTION(vulkan_point) {
  uint64_t semaphore, value;
  if (JUDGE(vulkan_point, gevt_vulkan_point(input_rarely(input) ? NULL : &semaphore,
                                            input_rarely(input) ? NULL : &value, objects_event(input))))
    judge_that(semaphore == 0 && value == 0, vulkan_point_name, "a point of another backend's event");
}

FUNCTION(vulkan_stream_wait) {
  judge_that(!JUDGE(vulkan_stream_wait,
                    gevt_vulkan_stream_wait(objects_stream(input), objects_event(input), input_byte(input))),
             vulkan_stream_wait_name, "a stream of another backend's");
}

FUNCTION(vulkan_ticks) {
  uint64_t ticks;
  double period;
  judge_that(!JUDGE(vulkan_ticks, gevt_vulkan_ticks(input_rarely(input) ? NULL : &ticks,
                                                    input_rarely(input) ? NULL : &period, objects_event(input))),
             vulkan_ticks_name, "an event of another backend's");
}

FUNCTION(vulkan_wrap_point) {
  OUTPUT(gevt_event_t);
  judge_that(!JUDGE(vulkan_wrap_point,
                    gevt_vulkan_wrap_point(out, objects_context(input), input_byte(input), input_byte(input))),
             vulkan_wrap_point_name, "an event on another backend's context");
  UNTOUCHED(vulkan_wrap_point);
}

#endif
