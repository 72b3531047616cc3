// Calls that are allowed during a capture and do not invalidate it, and captures on destroyed streams.
#include "check.h"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <initializer_list>

static cudaGraph_t graph;

static void elapsed() {
  cudaStream_t stream, other;
  cudaEvent_t start, end;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&end));
  OK(cudaEventRecord(start, other));
  OK(cudaEventRecord(end, other));
  OK(cudaEventSynchronize(end));
  for (cudaStreamCaptureMode mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    float ms = -7;
    OK(cudaStreamBeginCapture(stream, mode));
    OK(cudaEventElapsedTime(&ms, start, end));
    CHECK(ms >= 0);
    OK(cudaStreamEndCapture(stream, &graph));
  }
}

static void questions() {
  for (unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
    const int code = flags == cudaStreamDefault ? 906 : 0;
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, flags));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    GIVES(code, cudaStreamIsCapturing(nullptr, &status));
    CHECK(status == (code ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone));
    unsigned long long id = 0;
#if CUDART_VERSION >= 13000
    GIVES(code, cudaStreamGetCaptureInfo(nullptr, &status, &id, nullptr, nullptr, nullptr, nullptr));
#else
    GIVES(code, cudaStreamGetCaptureInfo_v2(nullptr, &status, &id, nullptr, nullptr, nullptr));
#endif
    OK(cudaStreamIsCapturing(cudaStreamPerThread, &status));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaStreamIsCapturing(nullptr, &status));
  }
}

static void destroyed() {
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamDestroy(stream));
  GIVES(709, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GIVES(709, cudaStreamEndCapture(stream, &graph));
  GIVES(709, cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  GIVES(709, cuStreamEndCapture(stream, &graph));
  GIVES(709, cudaStreamDestroy(stream));
  GIVES(400, cudaStreamDestroy(nullptr));
  OK(cudaStreamCreate(&stream));
}

// Two branches that copy, and a join.
static void branches() {
  cudaStream_t origin, branch;
  cudaEvent_t fork, join;
  OK(cudaStreamCreateWithFlags(&origin, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&branch, cudaStreamNonBlocking));
  OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  int *in, *out, *one, *two, *set;
  for (int **memory : {&in, &out}) {
    OK(cudaMallocHost(reinterpret_cast<void **>(memory), 2 * sizeof(int)));
  }
  for (int **memory : {&one, &two, &set}) {
    OK(cudaMalloc(reinterpret_cast<void **>(memory), sizeof(int)));
  }
  OK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal));
  OK(cudaMemcpyAsync(one, in, sizeof(int), cudaMemcpyHostToDevice, origin));
  OK(cudaEventRecord(fork, origin));
  OK(cudaStreamWaitEvent(branch, fork, 0));
  OK(cudaMemcpyAsync(two, one, sizeof(int), cudaMemcpyDeviceToDevice, branch));
  OK(cudaMemsetAsync(set, 1, sizeof(int), origin));
  OK(cudaEventRecord(join, branch));
  OK(cudaStreamWaitEvent(origin, join, 0));
  OK(cudaMemcpyAsync(out, two, sizeof(int), cudaMemcpyDeviceToHost, origin));
  OK(cudaMemcpyAsync(out + 1, set, sizeof(int), cudaMemcpyDeviceToHost, origin));
  OK(cudaStreamEndCapture(origin, &graph));
  cudaGraphExec_t executable;
  OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  for (int value = 5; value < 8; value++) {
    *in = value;
    OK(cudaGraphLaunch(executable, origin));
    OK(cudaStreamSynchronize(origin));
    CHECK(out[0] == value && out[1] == 0x01010101);
  }
}

int main() {
  OK(cudaFree(nullptr));
  elapsed();
  questions();
  destroyed();
  branches();
  return 0;
}
