/* The drop-in comes late, with a plugin that is linked to it. The plugin's event is recorded by the program, which found the
   driver before: the plugin must not say that it is complete.

   usage: late PLUGIN     built with -DPLUGIN it is the plugin */
#include "case.h"

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

int main(int argc, char **argv) {
  CUresult (*record)(CUevent event, CUstream stream);
  void (*answer)(const char *name, int code);
  CUevent (*event_of)(void);
  int (*query)(CUevent event);
  void *driver, *plugin;
  CUevent event;
  CHECK(argc == 2);
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  find(&record, driver, "cuEventRecord");
  find(&answer, driver, "stub_answer");
  plugin = dlopen(argv[1], RTLD_NOW);
  find(&event_of, plugin, "plugin_event");
  find(&query, plugin, "plugin_query");
  event = event_of();
  OK(record(event, NULL));
  answer("cuEventQuery", CUDA_ERROR_NOT_READY);
  GIVES(CUDA_ERROR_NOT_READY, query(event));
  return 0;
}

#endif
