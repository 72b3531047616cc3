/* A plugin that calls the driver past every preloaded library, by RTLD_DEEPBIND or in a new namespace.

   usage: plugin deepbind | namespace PLUGIN     built with -DPLUGIN it is the plugin */
#include "case.h"
#include "stub/driver.h"

#ifdef PLUGIN

CUresult plugin_record(CUevent event);
void plugin_round(void);

CUresult plugin_record(CUevent event) {
  return cuEventRecord(event, NULL);
}

/* All calls reach the driver of the plugin's namespace. */
void plugin_round(void) {
  CUevent event;
  CUstream stream;
  begin();
  event = event_with(0);
  stream = new_stream();
  OK(cuEventRecord(event, stream));
  OK(cuEventQuery(event));
  OK(cuStreamDestroy_v2(stream));
  OK(cuEventDestroy_v2(event));
  GIVES(1, stub_calls("cuEventRecord"));
}

#else

int main(int argc, char **argv) {
  CUresult (*record)(CUevent event);
  void (*round)(void);
  CUevent event;
  CHECK(argc == 3);
  begin();
  event = event_with(0);
  OK(cuEventRecord(event, NULL));
  OK(cuEventQuery(event));
  if (strcmp(argv[1], "namespace") == 0) {
    find(&round, dlmopen(LM_ID_NEWLM, argv[2], RTLD_NOW), "plugin_round");
    round();
  } else {
    find(&record, dlopen(argv[2], RTLD_NOW | RTLD_DEEPBIND), "plugin_record");
    OK(record(event));
    stub_answer("cuEventQuery", CUDA_ERROR_NOT_READY);
    GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    /* Later queries always reach the driver. */
    stub_answer("cuEventQuery", 0);
  }
  OK(cuEventQuery(event));
  OK(cuEventDestroy_v2(event));
  return 0;
}

#endif
