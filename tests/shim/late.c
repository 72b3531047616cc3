/* The drop-in comes late, with a plugin that is linked to it. The plugin's event is recorded by the program, which found the
   driver before: the plugin must not say that it is complete.

   usage: late PLUGIN     built with -DPLUGIN it is the plugin */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "case.h"

#include <dlfcn.h>

#ifdef PLUGIN

CUevent plugin_event(void);
int plugin_query(CUevent event);

CUevent plugin_event(void) {
  CUevent event = event_with(0);
  OK(cuEventRecord(event, NULL));
  OK(cuEventSynchronize(event));
  OK(cuEventQuery(event));
  return event;
}
int plugin_query(CUevent event) {
  return cuEventQuery(event);
}

#else

static void *find(void *library, const char *name) {
  void *address = dlsym(library, name);
  if (!address) fprintf(stderr, "no %s\n", name);
  CHECK(address);
  return address;
}

static void *driver;

int main(int argc, char **argv) {
  CUresult (*record)(CUevent event, CUstream stream);
  void (*answer)(const char *name, int code);
  CUevent (*event_of)(void);
  int (*query)(CUevent event);
  void *plugin, *address;
  CUevent event;
  CHECK(argc == 2);
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  CHECK(driver);
  address = find(driver, "cuEventRecord");
  memcpy(&record, &address, sizeof record);
  address = find(driver, "stub_answer");
  memcpy(&answer, &address, sizeof answer);
  plugin = dlopen(argv[1], RTLD_NOW);
  if (!plugin) fprintf(stderr, "%s\n", dlerror());
  CHECK(plugin);
  address = find(plugin, "plugin_event");
  memcpy(&event_of, &address, sizeof event_of);
  address = find(plugin, "plugin_query");
  memcpy(&query, &address, sizeof query);
  event = event_of();
  OK(record(event, NULL));
  answer("cuEventQuery", CUDA_ERROR_NOT_READY);
  GIVES(CUDA_ERROR_NOT_READY, query(event));
  return 0;
}

#endif
