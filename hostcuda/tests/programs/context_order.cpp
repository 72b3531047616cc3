// Events that are recorded behind all streams of a context, those included that do not block, and waits that hold all of them back.
#include "check.h"
#include <atomic>
#include <cuda.h>
#include <future>

static std::promise<void> gate;
static std::atomic<int> ran{0};

static void CUDA_CB wait(void *) {
  gate.get_future().wait();
}

static void CUDA_CB count(void *) {
  ran++;
}

static CUstream stream_with(unsigned flags) {
  CUstream stream;
  OK(cuStreamCreate(&stream, flags));
  return stream;
}

static CUevent new_event(unsigned flags) {
  CUevent event;
  OK(cuEventCreate(&event, flags));
  return event;
}

static void recorded_behind(CUcontext context, unsigned flags) {
  CUstream stream = stream_with(flags);
  CUevent event = new_event(0);
  gate = std::promise<void>();
  OK(cuLaunchHostFunc(stream, wait, nullptr));
  OK(cuCtxRecordEvent(context, event));
  GIVES(600, cuEventQuery(event));
  // The work of a stream that was destroyed counts too.
  OK(cuStreamDestroy(stream));
  GIVES(600, cuEventQuery(event));
  gate.set_value();
  OK(cuEventSynchronize(event));
  OK(cuCtxSynchronize());
  OK(cuCtxRecordEvent(context, event));
  OK(cuEventSynchronize(event));
}

static void held_back(CUcontext context) {
  CUstream source = stream_with(CU_STREAM_NON_BLOCKING), before = stream_with(CU_STREAM_NON_BLOCKING);
  CUstream blocking = stream_with(0);
  CUevent event = new_event(CU_EVENT_DISABLE_TIMING);
  gate = std::promise<void>();
  OK(cuLaunchHostFunc(source, wait, nullptr));
  OK(cuEventRecord(event, source));
  OK(cuCtxWaitEvent(context, event));
  CUstream later = stream_with(CU_STREAM_NON_BLOCKING);
  CUstream later_blocking = stream_with(0);
  for (CUstream stream : {before, blocking, later, later_blocking, static_cast<CUstream>(nullptr)}) {
    OK(cuLaunchHostFunc(stream, count, nullptr));
    GIVES(600, cuStreamQuery(stream));
  }
  CHECK(ran == 0);
  gate.set_value();
  OK(cuCtxSynchronize());
  CHECK(ran == 5);
}

static void captured(CUcontext context) {
  CUstream stream = stream_with(CU_STREAM_NON_BLOCKING);
  CUevent event = new_event(0), inside = new_event(0);
  CUgraph graph;
  for (int call = 0; call < 3; call++) {
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuEventRecord(inside, stream));
    GIVES(900, call == 0 ? cuCtxRecordEvent(context, event) : cuCtxWaitEvent(context, call == 1 ? event : inside));
    GIVES(901, cuStreamEndCapture(stream, &graph));
  }
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
  captured(context);
  OK(cuDevicePrimaryCtxRetain(&other, 1));
  GIVES(400, cuCtxRecordEvent(other, new_event(0)));
  GIVES(201, cuCtxRecordEvent(reinterpret_cast<CUcontext>(0x10), new_event(0)));
  GIVES(400, cuCtxRecordEvent(context, nullptr));
  GIVES(400, cuCtxWaitEvent(context, nullptr));
  return 0;
}
