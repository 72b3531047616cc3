// What a test has told the layer: which call fails, and what devices look like; and what the layer has counted.
#ifndef GEVT_TESTS_FAULT_STATE_HPP
#define GEVT_TESTS_FAULT_STATE_HPP

#include "fault.h"

#include <vulkan/vulkan.h>

#include <atomic>

#define FAULT_EXPORT extern "C" __attribute__((visibility("default")))

namespace fault {

// Counts the call. Returns the failure that the call is to end with, or VK_SUCCESS.
VkResult failure_of(const char *function);
// Counts a call that cannot fail.
void count(const char *function);
// Whether waits that are under way have to be ended, and whether they end because the device is lost.
bool is_to_interrupt();
bool is_lost();
// Whether a call has ever reported a lost device. The driver continues to work, and its objects may be destroyed.
bool was_lost();

// The environment variable TEST_FAULT fails one call of a program that does not know the layer: "vkQueuePresentKHR 20 -1000001004" is
// the function, the number of the call, and the result. A lost device stays lost until it is destroyed.
void forget_planned_loss();

enum Kind { instance, device, semaphore, query_pool, command_pool, kinds };
extern std::atomic<int64_t> live[kinds];

// Informs the test of a use of a queue, or of a wait.
void inform(const char *function, void *queue);

// What a calibration returned.
void note_calibration(uint64_t host, uint64_t deviation);

// A device was made. What destroys it calls `begin_end` before and `finish_end` afterwards.
void expect_exit();
void begin_end();
void finish_end();

fault_looks_t looks();
// A driver timestamp, as the device is to report it.
uint64_t time_seen(uint64_t time);
void hide_features(void *chain);
void change(VkPhysicalDeviceProperties &properties);
void change(VkQueueFamilyProperties &properties);

} // namespace fault

#endif
