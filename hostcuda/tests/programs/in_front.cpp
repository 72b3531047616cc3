// A tool in front of the driver sees what the runtime does: all that is the same as a driver call goes through cuGetProcAddress.
#include "../../../tests/shim/check.h"
#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <mutex>
#include <set>
#include <sstream>

using LookUp = CUresult (*)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
using Find = void *(*)(void *, const char *);

static std::set<std::string> seen;
static std::mutex lock;
static LookUp drivers;
static int frees = 0;
static CUresult (*real_free)(CUdeviceptr);

static CUresult counted_free(CUdeviceptr memory) {
  frees++;
  return real_free(memory);
}

static CUresult look_up(const char *name, void **out, int version, cuuint64_t flags,
                        CUdriverProcAddressQueryResult *found) {
  const CUresult code = drivers(name, out, version, flags, found);
  const std::lock_guard<std::mutex> guard(lock);
  seen.insert(name);
  if (code == CUDA_SUCCESS && std::strcmp(name, "cuGetProcAddress") == 0) {
    *out = reinterpret_cast<void *>(look_up);
  } else if (code == CUDA_SUCCESS && std::strcmp(name, "cuMemFree") == 0) {
    real_free = reinterpret_cast<CUresult (*)(CUdeviceptr)>(*out);
    *out = reinterpret_cast<void *>(counted_free);
  }
  return code;
}

// As a tool does it: the library finds this function before the C library's.
extern "C" __attribute__((visibility("default"))) void *dlsym(void *handle, const char *name) noexcept {
  Find find = nullptr;
  for (const char *version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"}) {
    find = find ? find : reinterpret_cast<Find>(dlvsym(RTLD_NEXT, "dlsym", version));
  }
  CHECK(find);
  void *found = find(handle, name);
  if (found && std::strcmp(name, "cuGetProcAddress_v2") == 0) {
    drivers = reinterpret_cast<LookUp>(found);
    return reinterpret_cast<void *>(look_up);
  }
  return found;
}

int main() {
  cudaGraph_t graph = nullptr;
  void *memory = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
  OK(cudaEventCreateWithFlags(&event, cudaEventDefault));
  OK(cudaMalloc(&memory, 64));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(memory, 0, 64, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  OK(cudaGraphLaunch(executable, stream));
  OK(cudaEventRecord(event, stream));
  OK(cudaEventSynchronize(event));
  OK(cudaStreamSynchronize(stream));
  OK(cudaFree(memory));
  CHECK(frees == 1);
  void *found = nullptr;
  OK(cudaMalloc(&memory, 64));
  OK(cudaGetDriverEntryPointByVersion("cuMemFree", &found, 12000, cudaEnableDefault, nullptr));
  OK(reinterpret_cast<CUresult (*)(CUdeviceptr)>(found)(reinterpret_cast<CUdeviceptr>(memory)));
  CHECK(frees == 2);
  OK(cudaGetDriverEntryPointByVersion("cuNothing", &found, 12000, cudaEnableDefault, nullptr));
  CHECK(found == nullptr);
  int word = 0;
  OK(cudaMalloc(&memory, 64));
  OK(cudaMemcpy(memory, &word, sizeof word, cudaMemcpyHostToDevice));
  OK(cudaMemcpyAsync(&word, memory, sizeof word, cudaMemcpyDeviceToHost, stream));
  OK(cudaMemcpy2D(memory, 64, &word, 4, 4, 1, cudaMemcpyDefault));
  OK(cudaMemcpy2DAsync(memory, 64, &word, 4, 4, 1, cudaMemcpyDefault, stream));
  OK(cudaMemcpyPeerAsync(memory, 0, memory, 0, 4, stream));
  cudaMemcpy3DParms box = {};
  box.srcPtr = {&word, 4, 4, 1};
  box.dstPtr = {memory, 64, 4, 1};
  box.extent = {4, 1, 1};
  box.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&box));
  OK(cudaMemcpy3DAsync(&box, stream));
  cudaGraphNode_t node = nullptr;
  OK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &box));
  OK(cudaMemset3D(box.dstPtr, 0, box.extent));
  GIVES(21, cudaMemcpy(memory, &word, sizeof word, static_cast<cudaMemcpyKind>(9)));
  cudaMemPool_t pool = nullptr;
  size_t pitch = 0;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  OK(cudaMallocHost(&memory, 64));
  OK(cudaHostAlloc(&memory, 64, 0));
  OK(cudaMallocPitch(&memory, &pitch, 64, 2));
  OK(cudaMallocAsync(&memory, 64, stream));
  OK(cudaMallocFromPoolAsync(&memory, 64, pool, stream));
  OK(cudaDeviceSynchronize());
  GIVES(801, cudaLaunchKernel(reinterpret_cast<void *>(main), dim3(1), dim3(1), nullptr, 0, stream));
  std::istringstream expected(
      "cuStreamCreateWithPriority cuEventCreate cuStreamBeginCapture cuMemsetD8Async cuStreamEndCapture "
      "cuGraphInstantiateWithFlags cuGraphLaunch cuEventRecord cuEventSynchronize cuStreamSynchronize "
      "cuMemcpy2DUnaligned cuMemcpy2DAsync cuMemcpyPeerAsync cuMemcpy3D cuMemcpy3DAsync "
      "cuGraphAddMemcpyNode cuMemFree cuMemAlloc cuMemAllocHost cuMemHostAlloc cuMemAllocPitch "
      "cuMemAllocAsync cuMemAllocFromPoolAsync cuCtxSynchronize cuMemcpyHtoD cuMemcpyDtoHAsync cuMemsetD2D8");
  for (std::string name; expected >> name;) check_that(seen.count(name) != 0, name.c_str(), __FILE__, __LINE__);
}
