#include "state.hpp"

#include "next.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <set>
#include <sstream>
#include <string>

namespace fault {

namespace {

// Which call fails.
std::atomic<uint64_t> fail_at{0}, counted{0};
std::atomic<int32_t> fail_result{0};
std::atomic<bool> armed{false}, lasting{false}, any_lost{false};
std::atomic<const char *> failed_function{nullptr}, cancelable_function{nullptr};
thread_local bool spared = false;

const std::set<std::string> &can_lose_the_device = *new std::set<std::string>{
    "vkAcquireNextImageKHR", "vkQueuePresentKHR",         "vkQueueSubmit",  "vkQueueSubmit2",
    "vkQueueWaitIdle",       "vkDeviceWaitIdle",          "vkCreateDevice", "vkGetQueryPoolResults",
    "vkWaitSemaphores",      "vkGetSemaphoreCounterValue"};

// Whether the specification lists the result for the function.
bool can_end_so(const std::string &function, int32_t result) {
  if (result == VK_TIMEOUT) return function == "vkWaitSemaphores";
  return result != VK_ERROR_DEVICE_LOST || can_lose_the_device.count(function) != 0;
}

// How often each function was called. The maps hold all names before the first call, and do not change.
struct Counters {
  std::map<std::string, std::atomic<uint64_t>> calls;
  Counters() {
#define NAME(name) calls["vk" #name];
    INSTANCE_FUNCTIONS(NAME)
    DEVICE_FUNCTIONS(NAME)
#undef NAME
  }
};
Counters &counters = *new Counters;

// What TEST_FAULT says.
struct Plan {
  char function[64] = "";
  unsigned long long at = 0;
  int result = 0;
  Plan() {
    const char *text = std::getenv("TEST_FAULT");
    if (!text || std::sscanf(text, "%63s %llu %d", function, &at, &result) == 3) return;
    std::printf("FAILED: TEST_FAULT is \"%s\"\n", text);
    std::abort();
  }
};
const Plan &plan = *new Plan;

std::atomic<fault_hook_t> hook{nullptr};
std::atomic<uint64_t> calibrated_host{0}, calibrated_deviation{0};

void note_cancelability(const char *function) {
  // These read and write memory, and wait for nothing.
  const std::string name = function;
  if (name.rfind("vkCmd", 0) == 0 || name == "vkGetSemaphoreCounterValue" || name == "vkResetQueryPool") return;
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  if (before == PTHREAD_CANCEL_ENABLE && !spared) cancelable_function = function;
  pthread_setcancelstate(before, &before);
}

uint64_t ticks(uint64_t time) {
  return looks.period > 0 ? static_cast<uint64_t>(static_cast<double>(time) / looks.period) : time;
}

uint64_t time_mask() {
  const int bits = looks.valid_bits;
  return bits < 0 || bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

} // namespace

std::atomic<int64_t> live{0};

VkResult failure_of(const char *function) {
  note_cancelability(function);
  const uint64_t calls = ++counters.calls[function];
  if (calls == plan.at && std::strcmp(function, plan.function) == 0) {
    if (plan.result != VK_ERROR_DEVICE_LOST) return static_cast<VkResult>(plan.result);
    fault_arm(1, plan.result, 1);
  }
  if (!armed || spared || !can_end_so(function, fail_result)) return VK_SUCCESS;
  const uint64_t number = ++counted;
  if (number < fail_at || (number > fail_at && !lasting)) return VK_SUCCESS;
  if (number == fail_at) failed_function = function;
  if (fail_result == VK_ERROR_DEVICE_LOST) any_lost = true;
  return static_cast<VkResult>(fail_result.load());
}

void forget_planned_loss() {
  if (plan.at != 0) fault_disarm();
}

void count(const char *function) {
  note_cancelability(function);
  counters.calls[function]++;
}

bool was_lost() {
  return any_lost;
}

bool is_to_interrupt() {
  return armed && lasting && !spared;
}

bool is_lost() {
  return armed && lasting && !spared && counted >= fail_at && fail_result == VK_ERROR_DEVICE_LOST;
}

void inform(const char *function, void *queue) {
  if (const fault_hook_t watching = hook) watching(function, queue);
}

void note_calibration(uint64_t host, uint64_t deviation) {
  calibrated_host = host;
  calibrated_deviation = deviation;
}

Looks::Looks() {
  const char *text = std::getenv("TEST_LOOKS");
  std::istringstream fields(text ? text : "");
  std::map<std::string, std::string> said;
  for (std::string field; std::getline(fields, field, ',');) {
    const size_t end = std::min(field.find('='), field.size() - 1);
    said[field.substr(0, end)] = field.substr(end + 1);
  }
  const auto number = [&said](const char *name, double otherwise) {
    const auto found = said.extract(name);
    return found ? std::strtod(found.mapped().c_str(), nullptr) : otherwise;
  };
  devices = static_cast<int>(number("devices", -1));
  api_version = static_cast<uint32_t>(number("api_version", 0));
  no_timeline = number("no_timeline", 0) != 0;
  no_sync2 = number("no_sync2", 0) != 0;
  no_host_reset = number("no_host_reset", 0) != 0;
  valid_bits = static_cast<int>(number("valid_bits", -1));
  period = number("period", 0);
  ticks_until_wrap = static_cast<uint64_t>(number("ticks_until_wrap", 0));
  if (const auto found = said.extract("hidden")) hidden = found.mapped();
  if (said.empty()) return;
  std::printf("FAILED: TEST_LOOKS is \"%s\"\n", text);
  std::abort();
}
const Looks &looks = *new Looks;
const uint64_t time_offset =
    looks.ticks_until_wrap
        ? 0 - looks.ticks_until_wrap -
              ticks(static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()))
        : 0;

uint64_t time_seen(uint64_t time) {
  return (ticks(time) + time_offset) & time_mask();
}

// gevt asks with these structures.
void hide_features(void *chain) {
  for (auto *at = static_cast<VkBaseOutStructure *>(chain); at; at = at->pNext) {
    if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
      auto *features = reinterpret_cast<VkPhysicalDeviceVulkan12Features *>(at);
      if (looks.no_timeline) features->timelineSemaphore = VK_FALSE;
      if (looks.no_host_reset) features->hostQueryReset = VK_FALSE;
    } else if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES && looks.no_sync2) {
      reinterpret_cast<VkPhysicalDeviceVulkan13Features *>(at)->synchronization2 = VK_FALSE;
    }
  }
}

void change(VkPhysicalDeviceProperties &properties) {
  if (looks.api_version) properties.apiVersion = looks.api_version;
  if (looks.period > 0) properties.limits.timestampPeriod *= static_cast<float>(looks.period);
  if (looks.valid_bits == 0) properties.limits.timestampComputeAndGraphics = VK_FALSE;
}

void change(VkQueueFamilyProperties &properties) {
  if (looks.valid_bits >= 0) properties.timestampValidBits = static_cast<uint32_t>(looks.valid_bits);
}

} // namespace fault

using namespace fault;

FAULT_EXPORT void fault_arm(uint64_t at, int32_t result, int for_good) {
  armed = false;
  fail_at = at;
  fail_result = result;
  lasting = for_good != 0;
  counted = 0;
  failed_function = nullptr;
  armed = true;
}

FAULT_EXPORT void fault_disarm(void) {
  armed = false;
}

FAULT_EXPORT const char *fault_function(void) {
  return failed_function;
}

FAULT_EXPORT const char *fault_cancelable(void) {
  return cancelable_function;
}

FAULT_EXPORT void fault_spare(int on) {
  spared = on != 0;
}

FAULT_EXPORT int64_t fault_live(void) {
  return live;
}

FAULT_EXPORT uint64_t fault_calls(const char *function) {
  const auto found = counters.calls.find(function);
  return found == counters.calls.end() ? 0 : found->second.load();
}

FAULT_EXPORT void fault_watch(fault_hook_t watching) {
  hook = watching;
}

FAULT_EXPORT void fault_calibration(uint64_t *host, uint64_t *deviation) {
  *host = calibrated_host;
  *deviation = calibrated_deviation;
}
