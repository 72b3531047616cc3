/* A plugin that calls the driver past every preloaded library, by RTLD_DEEPBIND.

   usage: plugin PLUGIN     built with -DPLUGIN it is the plugin */
#include "case.h"
#include "stub/driver.h"

#ifdef PLUGIN

CUresult plugin_record(CUevent event);

CUresult plugin_record(CUevent event) {
  return cuEventRecord(event, NULL);
}

#else

int main(int argc, char **argv) {
  CUresult (*record)(CUevent event);
  CUevent event;
  CHECK(argc == 2);
  begin();
  event = event_with(0);
  OK(cuEventRecord(event, NULL));
  OK(cuEventQuery(event));
  find(&record, dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND), "plugin_record");
  OK(record(event));
  stub_answer("cuEventQuery", CUDA_ERROR_NOT_READY);
  GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  /* Later queries always reach the driver. */
  stub_answer("cuEventQuery", 0);
  OK(cuEventQuery(event));
  OK(cuEventDestroy_v2(event));
  return 0;
}

#endif
