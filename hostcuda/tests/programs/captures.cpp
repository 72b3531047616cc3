// Captures: the default stream beside them, destroyed streams, and streams and contexts that are destroyed during one.
#include "objects.h"

static cudaGraph_t graph;

// The runtime's own question, and the same ones after the capture.
static void questions() {
  for (unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
    cudaStream_t stream = new_stream(flags);
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
#if CUDART_VERSION >= 13000
    const int code = cudaStreamGetCaptureInfo(nullptr, &status, &id, nullptr, nullptr, nullptr, nullptr);
#else
    const int code = cudaStreamGetCaptureInfo_v2(nullptr, &status, &id, nullptr, nullptr, nullptr);
#endif
    CHECK(code == (flags == cudaStreamDefault ? 906 : 0));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaStreamIsCapturing(nullptr, &status));
  }
}

static void destroyed() {
  cudaStream_t stream = new_stream(cudaStreamDefault);
  OK(cudaStreamDestroy(stream));
  GIVES(709, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GIVES(709, cudaStreamEndCapture(stream, &graph));
  GIVES(709, cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  GIVES(709, cuStreamEndCapture(stream, &graph));
  GIVES(709, cudaStreamDestroy(stream));
  GIVES(400, cudaStreamDestroy(nullptr));
  OK(cudaStreamCreate(&stream));
}

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
  questions();
  destroyed();
  for (int round = 0; round < 100; ++round) {
    origin();
    drawn_in();
    context_of_it();
  }
}
