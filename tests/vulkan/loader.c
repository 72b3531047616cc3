/* A stand-in for libvulkan.so.1 that cannot do its work, in the way that TEST_VULKAN names (loading.scn). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*function_t)(void);

static int is(const char *name) {
  const char *fault = getenv("TEST_VULKAN");
  return fault && strcmp(fault, name) == 0;
}

static int32_t enumerate_version(uint32_t *version) {
  *version = (1u << 22) | (1u << 12); /* 1.1 */
  if (!is("too-old")) *version = (1u << 22) | (3u << 12);
  return 0;
}

static int32_t create_instance(const void *info, const void *memory, void **out) {
  static void *instance;
  (void)info;
  (void)memory;
  if (is("no-driver")) return -9;
  if (is("out-of-memory")) return -1;
  *out = &instance;
  return 0;
}

static int32_t enumerate_devices(void *instance, uint32_t *count, void *out) {
  (void)instance;
  (void)out;
  if (is("count-fails")) return -1;
  *count = 0;
  return 0;
}

static void nothing(void) {}

EXPORT function_t vkGetInstanceProcAddr(void *instance, const char *name) {
  (void)instance;
  if (is("no-functions")) return NULL;
  if (strcmp(name, "vkEnumerateInstanceVersion") == 0) return is("no-version") ? NULL : (function_t)enumerate_version;
  if (strcmp(name, "vkCreateInstance") == 0) return (function_t)create_instance;
  if (strcmp(name, "vkEnumeratePhysicalDevices") == 0) return (function_t)enumerate_devices;
  return nothing;
}
