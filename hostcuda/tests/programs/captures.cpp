// Captures: streams and contexts that are destroyed during one.
#include "objects.h"

static void is_free(CUstream stream) {
  CUstreamCaptureStatus status;
  OK(cuStreamIsCapturing(stream, &status));
  if (status != CU_STREAM_CAPTURE_STATUS_NONE) {
    std::fprintf(stderr, "a stream is still in a capture\n");
    std::exit(1);
  }
  OK(cuStreamSynchronize(stream));
}

// The origin stream is destroyed: the capture ends, and calls that it refused are allowed again.
static void origin() {
  CUdeviceptr memory;
  CUevent event = new_driver_event();
  CUstream stream = new_driver_stream(0), other = new_driver_stream(0);
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  GIVES(900, cuEventQuery(event));
  GIVES(906, cuEventRecord(event, nullptr));
  OK(cuStreamDestroy(stream));
  OK(cuEventQuery(event));
  OK(cuMemAlloc(&memory, 64));
  OK(cuMemFree(memory));
  OK(cuEventRecord(event, nullptr));
  OK(cuEventSynchronize(event));
  is_free(other);
  OK(cuStreamDestroy(other));
  OK(cuEventDestroy(event));
}

// A joined stream is destroyed: the capture fails, and a new stream in its slot does not join.
static void drawn_in() {
  CUgraph graph;
  CUevent event = new_driver_event();
  CUstream origin = new_driver_stream(), drawn = new_driver_stream(0);
  OK(cuStreamBeginCapture(origin, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cuEventRecord(event, origin));
  OK(cuStreamWaitEvent(drawn, event, 0));
  OK(cuStreamDestroy(drawn));
  CUstream next = new_driver_stream(0);
  OK(cuStreamBeginCapture(next, CU_STREAM_CAPTURE_MODE_RELAXED));
  GIVES(901, cuStreamEndCapture(origin, &graph));
  OK(cuStreamEndCapture(next, &graph));
  OK(cuGraphDestroy(graph));
  is_free(origin);
  is_free(next);
  // No blocking stream is captured any more, so the default stream accepts work.
  OK(cuEventRecord(event, nullptr));
  OK(cuStreamDestroy(origin));
  OK(cuStreamDestroy(next));
  OK(cuEventDestroy(event));
}

// The context is destroyed: its captures end, and calls that they refused are allowed again.
static void context_of_it() {
  const CUcontext own = new_context(0);
  CUdeviceptr memory;
  CUstream stream = new_driver_stream(0);
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  GIVES(900, cuMemAlloc(&memory, 64));
  OK(cuCtxDestroy(own));
  OK(cuMemAlloc(&memory, 64));
  OK(cuMemFree(memory));
}

int main() {
  OK(cudaFree(nullptr));
  for (int round = 0; round < 100; ++round) {
    origin();
    drawn_in();
    context_of_it();
  }
}
