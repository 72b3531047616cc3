// The layer between gevt and the driver (fault/fault.h): calls that fail or wait, and what the layer has counted. The loader opens the same
// file. TEST_LOOKS says what devices look like.
#pragma once

#include "told.hpp"

#include "fault/fault.h"

#include <cmath>

static void *layer;

template <class Function>
static Function *layer_function(const char *name) {
  void *symbol = layer ? dlsym(layer, name) : nullptr;
  if (!symbol) throw mistake("there is no layer");
  return reinterpret_cast<Function *>(symbol);
}
#define LAYER(name) layer_function<decltype(name)>(#name)

// The program's own calls do not fail meanwhile.
class spared {
public:
  spared() { spare(1); }
  ~spared() { spare(0); }
  spared(const spared &) = delete;
  spared &operator=(const spared &) = delete;

private:
  static void spare(int on) {
    if (layer) LAYER(fault_spare)(on);
  }
};

static void vulkan_open() {
  const spared calls;
  if (!vk.instance)
    vk_open();
  else if (!vk.device)
    vk_open_device();
}

#ifdef TEST_LAYERS
// Puts the layer in front of the driver, before anything of Vulkan is loaded. TEST_LAYERS is the folder of its description. A path of layers hides
// the system's, which stays for the validation layers.
static void layer_choose() {
  const char *others = getenv("VK_INSTANCE_LAYERS");
  const std::string before = others && *others ? std::string(others) + ":" : "";
  setenv("VK_INSTANCE_LAYERS", (before + FAULT_LAYER).c_str(), 1);
  // Mesa's device selection layer dereferences a null pointer if it finds no device.
  setenv("NODEVICE_SELECT", "1", 1);
  setenv("VK_LAYER_PATH", TEST_LAYERS ":/usr/share/vulkan/explicit_layer.d:/usr/local/share/vulkan/explicit_layer.d",
         1);
  layer = dlopen(TEST_LAYERS "/libgevt_fault_layer.so", RTLD_NOW | RTLD_LOCAL);
}

// Which call of the driver enters a gate, or opens it.
struct watched {
  std::string function;
  gate_t *gate;
  void (*act)(gate_t *);
};
static std::atomic<const watched *> watching{nullptr};

static void act_on_call(const char *function, void *) {
  const watched *one = watching;
  if (one->function == function) one->act(one->gate);
}

static void watch_for(const std::string &function, gate_t *gate, void (*act)(gate_t *)) {
  // A thread in gevt may still read the last one, so it is not freed.
  watching = new watched{function, gate, act};
  LAYER(fault_watch)(act_on_call);
}

// Whether a thread uses a queue without its lock, or waits for the device while it holds that; and how often queues were used.
static std::atomic<const char *> lock_misuse{nullptr};
static std::atomic<long long> queue_uses{0};

static void look_at_the_lock(const char *function, void *queue) {
  const bool is_own = count_of(&vk.locked) && pthread_equal(vk.owner, pthread_self());
  if (queue) queue_uses++;
  if (is_own != (queue != nullptr)) lock_misuse = function;
}

// The driver's calls on the thread that asked.
static pthread_t watched_thread;
static std::atomic<long long> calls_of_thread{0};

static void count_call_of_thread(const char *, void *) {
  if (pthread_equal(pthread_self(), watched_thread)) calls_of_thread++;
}

// A driver may register an exit handler when a device is created, or at the first use of a queue. It runs after gevt's, which waits for the calls
// in progress.
static std::string slow_function;
static long long slow_ns;
static std::atomic<int> slow_inside{0};
static std::atomic<bool> driver_has_ended{false};

static void end_of_driver() {
  driver_has_ended = true;
  CHECK_EQUAL(slow_inside, 0);
}

static void call_slowly(const char *function, void *queue) {
  static std::once_flag first_use;
  const bool is_use = queue || strcmp(function, "vkCreateDevice") == 0;
  if (is_use) std::call_once(first_use, [] { CHECK_EQUAL(atexit(end_of_driver), 0); });
  if (strncmp(function, slow_function.c_str(), slow_function.size()) != 0) return;
  CHECK(!driver_has_ended);
  slow_inside++;
  sleep_ns(slow_ns);
  slow_inside--;
}

static void take_time(const std::string &function, long long time) {
  slow_function = function;
  slow_ns = time;
  LAYER(fault_watch)(call_slowly);
}

static std::string name_or_none(const char *function) {
  return function ? function : "none";
}

// Whether the error of an event's host time is what the driver says of its clocks, the resolution and the drift, and nothing else.
static answer host_time_is_exact(arguments &a) {
  VkPhysicalDeviceProperties properties;
  uint32_t count = 1;
  uint64_t error = 0, compared = 0, deviation = 0;
  int64_t ns = 0;
  if (!vk.instance) vk_open_instance();
  vk.EnumeratePhysicalDevices(vk.instance, &count, &vk.physical);
  vk.GetPhysicalDeviceProperties(vk.physical, &properties);
  CHECK_OK(gevt_host_time(&ns, &error, a.event()));
  LAYER(fault_calibration)(&compared, &deviation);
  const uint64_t period = (uint64_t)std::ceil(properties.limits.timestampPeriod);
  const uint64_t expected = deviation + period + (uint64_t)llabs(ns - (int64_t)compared) / 2000;
  return answer::of(error == expected ? "yes" : std::to_string(error) + " is not " + std::to_string(expected));
}

static const std::map<std::string, step_function> layer_steps = {
    {"layer", // [alone]: before anything of Vulkan is loaded; without other layers
     [](arguments &a) {
       if (a.more() && a.word() == "alone") unsetenv("VK_INSTANCE_LAYERS");
       layer_choose();
       return answer();
     }},
    // The program's device, before gevt's first call.
    {"driver_open", vulkan_open},
    {"fault", // RESULT [once|lasting [NUMBER]]: of the next call that may return it, or of a later one; "fault none"
     [](arguments &a) {
       if (LAYER(fault_live)() == 0) throw mistake("the layer is not in front of the driver");
       if (a.is("none")) {
         a.word();
         LAYER(fault_disarm)();
       } else {
         const int32_t result = (int32_t)a.number();
         const bool lasts = a.more() && a.word() == "lasting";
         LAYER(fault_arm)(a.more() ? a.number() : 1, result, lasts);
       }
       return answer();
     }},
    // Whether a call has failed since "fault": 1 or 0.
    {"faulted", [] { return LAYER(fault_function)() ? 1LL : 0LL; }},
    // FUNCTION GATE: its next calls enter the gate, or open it.
    {"driver_holds",
     [](const std::string &function, gate_t *gate) { watch_for(function, gate, [](gate_t *one) { gate_pass(one); }); }},
    {"driver_opens", [](const std::string &function, gate_t *gate) { watch_for(function, gate, gate_open); }},
    // FUNCTION TIME: its calls take that long, and how many are inside.
    {"driver_takes", take_time},
    {"driver_inside", [] { return (long long)slow_inside; }},
    {"driver_watches_lock",
     [] {
       lock_misuse = nullptr;
       queue_uses = 0;
       LAYER(fault_watch)(look_at_the_lock);
     }},
    {"lock_misuse", [] { return name_or_none(lock_misuse); }},
    {"queue_uses", [] { return queue_uses.load(); }},
    {"driver_watches_thread", // this one
     [] {
       watched_thread = pthread_self();
       LAYER(fault_watch)(count_call_of_thread);
     }},
    {"calls_of_thread", [] { return calls_of_thread.load(); }},
    // The last function that was called on a thread that can be cancelled.
    {"driver_cancelable", [] { return name_or_none(LAYER(fault_cancelable)()); }},
    {"driver_ends_devices_in", [](long long time) { take_time("vkDestroyDevice", time); }},
    // How often a function was called; how many objects are alive.
    {"driver_calls", [](const std::string &function) { return (long long)LAYER(fault_calls)(function.c_str()); }},
    {"driver_objects", [] { return (long long)LAYER(fault_live)(); }},
    {"host_time_is_exact", host_time_is_exact},
};

static void layer_clean_up() {
  if (!layer) return;
  const char *failed = LAYER(fault_function)();
  if (failed && check_failures()) printf("    the last call that was made to fail: %s\n", failed);
  LAYER(fault_disarm)();
  LAYER(fault_watch)(nullptr);
}
#else
static const std::map<std::string, step_function> layer_steps;
static void layer_clean_up() {}
#endif
