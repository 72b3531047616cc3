// What a test has told the layer: which call fails, and what devices look like; and what the layer has counted.
#ifndef GEVT_TESTS_FAULT_STATE_HPP
#define GEVT_TESTS_FAULT_STATE_HPP

#include "fault.h"

#include <vulkan/vulkan.h>

#include <atomic>
#include <string>

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

// The objects that were made and not destroyed.
extern std::atomic<int64_t> live;

// Informs the test of a use of a queue, or of a wait.
void inform(const char *function, void *queue);

// What a calibration returned.
void note_calibration(uint64_t host, uint64_t deviation);

// What devices look like, by the environment variable TEST_LOOKS: the names of fields with numbers, as "valid_bits=32,period=1000".
struct Looks {
  Looks();
  int devices;               // at most so many; -1: as many as there are
  uint32_t api_version;      // of every device; 0: its own
  bool no_timeline;          // the feature timelineSemaphore is missing
  bool no_sync2;             // the feature synchronization2 is missing
  bool no_host_reset;        // the feature hostQueryReset is missing
  std::string hidden;        // an extension that is not listed, by a part of its name
  int valid_bits;            // of timestamps, for every queue family; -1: its own
  double period;             // of a timestamp, in ns; 0: its own
  uint64_t ticks_until_wrap; // from now on. CLOCK_MONOTONIC must be the driver's clock, as it is lavapipe's
};
extern const Looks &looks;
// A driver timestamp, as the device is to report it.
uint64_t time_seen(uint64_t time);
void hide_features(void *chain);
void change(VkPhysicalDeviceProperties &properties);
void change(VkQueueFamilyProperties &properties);

} // namespace fault

#endif
