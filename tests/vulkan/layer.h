/* Runs a program with the layer VK_LAYER_GEVT_fault in front of the driver. To be called before anything of Vulkan is loaded. */
#ifndef GEVT_TESTS_LAYER_H
#define GEVT_TESTS_LAYER_H

#include "vk.h"

#include "fault/fault.h"

/* TEST_LAYERS is the folder of the layer's description. A path of layers hides the system's, which stays for the validation layers. */
static inline void layer_choose(void) {
  const char *others = getenv("VK_INSTANCE_LAYERS");
  char value[512];
  snprintf(value, sizeof value, "%s%s" FAULT_LAYER, others ? others : "", others && *others ? ":" : "");
  setenv("VK_INSTANCE_LAYERS", value, 1);
  /* Mesa's device selection layer dereferences a null pointer if it finds no device. */
  setenv("NODEVICE_SELECT", "1", 1);
  setenv("VK_LAYER_PATH", TEST_LAYERS ":/usr/share/vulkan/explicit_layer.d:/usr/local/share/vulkan/explicit_layer.d",
         1);
}

/* Fails if the layer is missing: then no call would fail and every test would pass. Call after creating an instance. */
static inline void layer_prove(void) {
  if (fault_live() > 0) return;
  printf("FAILED: the layer " FAULT_LAYER " is not between this program and the driver\n");
  exit(1);
}

/* Waits until at most that many objects are alive, because gevt closes its own devices on its own threads. Returns 0 on a hang. */
static inline int layer_await(int64_t expected) {
  long long deadline = now_ns() + HANG_LIMIT;
  while (fault_live() > expected) {
    if (now_ns() > deadline) return 0;
    sleep_ns(MILLISECOND / 10);
  }
  return 1;
}

#endif
