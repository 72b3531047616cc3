// A timeline of memory work: copies and sets in all directions, between events that time them.
#include "objects.h"
#include <cstring>
#include <vector>

constexpr size_t BYTES = 1 << 20;

static void directions(cudaStream_t stream) {
  char *managed;
  char *a = device_memory<char>(BYTES), *b = device_memory<char>(BYTES);
  OK(cudaMallocManaged(reinterpret_cast<void **>(&managed), BYTES, cudaMemAttachGlobal));
  std::vector<char> from(BYTES, 'x'), to(BYTES, 0);
  OK(cudaMemcpyAsync(a, from.data(), BYTES, cudaMemcpyHostToDevice, stream));
  OK(cudaMemcpyAsync(b, a, BYTES, cudaMemcpyDeviceToDevice, stream));
  OK(cudaMemsetAsync(b, 'y', BYTES / 2, stream));
  OK(cudaMemcpyAsync(managed, b, BYTES, cudaMemcpyDefault, stream));
  OK(cudaMemcpyAsync(to.data(), managed, BYTES, cudaMemcpyDefault, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK(to[0] == 'y' && to[BYTES / 2 - 1] == 'y' && to[BYTES / 2] == 'x' && to[BYTES - 1] == 'x');
  CHECK(managed[BYTES - 1] == 'x');
  OK(cudaMemcpy2D(to.data(), 16, a, 32, 8, 4, cudaMemcpyDeviceToHost));
  OK(cuMemsetD32(reinterpret_cast<CUdeviceptr>(a), 0x01020304, BYTES / 4));
  OK(cudaMemcpy(to.data(), a, BYTES, cudaMemcpyDeviceToHost));
  CHECK(to[BYTES - 4] == 4 && to[BYTES - 1] == 1);
  GIVES(cudaErrorInvalidValue, cudaMemcpy(a, from.data(), BYTES + 1, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpy(from.data(), a, 4, cudaMemcpyHostToDevice));
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, a + 5));
  CHECK(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == a + 5);
  OK(cudaPointerGetAttributes(&attributes, from.data()));
  CHECK(attributes.type == cudaMemoryTypeUnregistered);
  OK(cudaHostRegister(from.data(), BYTES, cudaHostRegisterDefault));
  OK(cudaPointerGetAttributes(&attributes, from.data()));
  CHECK(attributes.type == cudaMemoryTypeHost);
  OK(cudaHostUnregister(from.data()));
  char *later;
  OK(cudaMallocAsync(reinterpret_cast<void **>(&later), BYTES, stream));
  OK(cudaMemsetAsync(later, 1, BYTES, stream));
  OK(cudaFreeAsync(later, stream));
  OK(cudaFree(a));
  OK(cudaFree(b));
  OK(cudaFree(managed));
  OK(cudaStreamSynchronize(stream));
}

// The branch does not come back.
static void captured(cudaStream_t stream) {
  int *device, host = 0;
  const int seven = 7;
  OK(cudaMalloc(reinterpret_cast<void **>(&device), sizeof host));
  cudaStream_t side = new_stream(cudaStreamDefault);
  cudaEvent_t fork = new_event();
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  OK(cudaMemcpyAsync(device, &seven, sizeof seven, cudaMemcpyHostToDevice, stream));
  OK(cudaEventRecord(fork, stream));
  OK(cudaStreamWaitEvent(side, fork, 0));
  OK(cudaMemcpyAsync(&host, device, sizeof host, cudaMemcpyDeviceToHost, side));
  cudaGraph_t graph;
  GIVES(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph));
  CHECK(host == 0);
  OK(cudaFree(device));
}

int main() {
  int devices = 0;
  OK(cudaGetDeviceCount(&devices));
  CHECK(devices == 2);
  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, 1));
  CHECK(std::strcmp(properties.name, "gevt host device 1") == 0);
  CHECK(properties.pciBusID == 2);
  int version = 0;
  OK(cudaRuntimeGetVersion(&version));
  CHECK(version / 1000 == CUDART_VERSION / 1000);
  for (int device = 0; device < devices; device++) {
    OK(cudaSetDevice(device));
    cudaStream_t stream = new_stream(cudaStreamDefault);
    cudaEvent_t start = new_event(), end = new_event();
    OK(cudaEventRecord(start, stream));
    directions(stream);
    OK(cudaEventRecord(end, stream));
    OK(cudaEventSynchronize(end));
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, start, end));
    CHECK(ms > 0 && ms < 30000);
    captured(stream);
    OK(cudaStreamDestroy(stream));
  }
  OK(cudaDeviceReset());
  OK(cudaFree(nullptr));
}
