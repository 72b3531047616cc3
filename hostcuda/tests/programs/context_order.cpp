// Events that are recorded behind all streams of a context, those included that do not block, and waits that hold all of them back.
#include "objects.h"
#include <atomic>

static Gate gate;
static std::atomic<int> ran{0};

static void CUDA_CB count(void *) {
  ran++;
}

static void recorded_behind(CUcontext context, unsigned flags) {
  CUstream stream = new_driver_stream(flags);
  CUevent event = new_driver_event();
  gate.shut(stream);
  OK(cuCtxRecordEvent(context, event));
  GIVES(600, cuEventQuery(event));
  // The work of a stream that was destroyed counts too.
  OK(cuStreamDestroy(stream));
  GIVES(600, cuEventQuery(event));
  gate.open();
  OK(cuEventSynchronize(event));
  OK(cuCtxSynchronize());
  OK(cuCtxRecordEvent(context, event));
  OK(cuEventSynchronize(event));
}

static void held_back(CUcontext context) {
  CUstream source = new_driver_stream(), before = new_driver_stream();
  CUstream blocking = new_driver_stream(0);
  CUevent event = new_driver_event(CU_EVENT_DISABLE_TIMING);
  gate.shut(source);
  OK(cuEventRecord(event, source));
  OK(cuCtxWaitEvent(context, event));
  CUstream later = new_driver_stream();
  CUstream later_blocking = new_driver_stream(0);
  for (CUstream stream : {before, blocking, later, later_blocking, static_cast<CUstream>(nullptr)}) {
    OK(cuLaunchHostFunc(stream, count, nullptr));
    GIVES(600, cuStreamQuery(stream));
  }
  CHECK(ran == 0);
  gate.open();
  OK(cuCtxSynchronize());
  CHECK(ran == 5);
}

int main() {
  CUcontext context, other;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  for (unsigned flags : {0u, static_cast<unsigned>(CU_STREAM_NON_BLOCKING)}) {
    recorded_behind(context, flags);
  }
  held_back(context);
  OK(cuDevicePrimaryCtxRetain(&other, 1));
  GIVES(400, cuCtxRecordEvent(other, new_driver_event()));
  GIVES(201, cuCtxRecordEvent(reinterpret_cast<CUcontext>(0x10), new_driver_event()));
}
