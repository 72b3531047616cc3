// The layer between gevt and the driver (fault/fault.h): calls that fail or wait, and what the layer has counted. The loader opens the same
// file. TEST_LOOKS says what devices look like.
#pragma once

#include "told.hpp"

#ifdef TEST_LAYERS
#include "layer.h"

#include <cmath>

static void *layer;

template <class Function>
static Function *layer_function(const char *name) {
  void *symbol = layer ? dlsym(layer, name) : nullptr;
  if (!symbol) throw mistake("there is no layer");
  return reinterpret_cast<Function *>(symbol);
}
#define LAYER(name) layer_function<decltype(name)>(#name)

// Which call enters the gate.
static std::string held_function;
static gate_t *held_gate;

static void hold_function(const char *function, void *) {
  if (held_function == function) gate_pass(held_gate);
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
    {"layer", // before anything of Vulkan is loaded
     [](arguments &) {
       layer_choose();
       layer = dlopen(TEST_LAYERS "/libgevt_fault_layer.so", RTLD_NOW | RTLD_LOCAL);
       return answer();
     }},
    {"fault", // RESULT [lasting]: of the next call that may return it; "fault none"
     [](arguments &a) {
       if (LAYER(fault_live)() == 0) throw mistake("the layer is not in front of the driver");
       if (a.is("none")) {
         a.word();
         LAYER(fault_disarm)();
       } else {
         const int32_t result = (int32_t)a.number();
         LAYER(fault_arm)(1, result, a.more() && a.word() == "lasting");
       }
       return answer();
     }},
    {"driver_holds", // FUNCTION GATE: its next calls enter the gate
     [](arguments &a) {
       held_function = a.word();
       held_gate = &objects.gate(a.word());
       LAYER(fault_watch)(hold_function);
       return answer();
     }},
    {"driver_ends_devices_in", // TIME
     [](arguments &a) {
       LAYER(fault_end_slowly)((uint32_t)(a.number() / MILLISECOND));
       return answer();
     }},
    // How often a function was called; how many objects are alive.
    {"driver_calls", [](arguments &a) { return answer::of((long long)LAYER(fault_calls)(a.word().c_str())); }},
    {"driver_objects", [](arguments &) { return answer::of((long long)LAYER(fault_live)()); }},
    {"host_time_is_exact", host_time_is_exact},
};

static void layer_clean_up() {
  if (!layer) return;
  LAYER(fault_disarm)();
  LAYER(fault_watch)(nullptr);
}
#else
static const std::map<std::string, step_function> layer_steps;
static void layer_clean_up() {}
#endif
