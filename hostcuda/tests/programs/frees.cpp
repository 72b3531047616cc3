// What a close and an unload wait for, what they refuse, and what later calls still report.
#include "objects.h"
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <sys/mman.h>
#include <thread>
#include <vector>

constexpr size_t BYTES = 10000;

static Gate gate;

static CUmodule loaded() {
  CUmodule module = nullptr;
  OK(cuModuleLoadData(&module, ".version 7.8\n"));
  return module;
}

// The failure of a stream is reported to its own context's calls.
static void failures_stay() {
  CUmodule module = loaded();
  OK(cudaSetDevice(1));
  OK(cudaFree(nullptr));
  void *page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  OK(cudaHostRegister(page, 4096, 0));
  cudaStream_t stream = new_stream();
  OK(cuStreamWaitValue32(stream, reinterpret_cast<CUdeviceptr>(page), 1, CU_STREAM_WAIT_VALUE_GEQ));
  munmap(page, 4096);
  int code = 600;
  while (code == 600) {
    code = cudaStreamQuery(stream);
  }
  CHECK(code == 700);
  OK(cudaSetDevice(0));
  OK(cuModuleUnload(module));
  OK(cudaSetDevice(1));
  GIVES(700, cudaStreamSynchronize(stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaHostUnregister(page));
  OK(cudaStreamDestroy(stream));
  OK(cudaSetDevice(0));
}

// Another process's memory is closed while another device's stream still uses it.
static void used_elsewhere(void *memory, const std::function<void()> &give_back) {
  OK(cudaSetDevice(1));
  cudaStream_t stream = new_stream();
  gate.shut(stream);
  OK(cudaMemsetAsync(memory, 7, BYTES, stream));
  std::atomic<bool> has_returned{false};
  std::thread other([&] {
    OK(cudaSetDevice(0));
    give_back();
    has_returned = true;
  });
  cudaPointerAttributes attributes = {};
  do {
    OK(cudaPointerGetAttributes(&attributes, memory));
  } while (attributes.type != cudaMemoryTypeUnregistered);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(!has_returned);
  gate.open();
  other.join();
  OK(cudaStreamSynchronize(stream));
  OK(cudaStreamDestroy(stream));
  OK(cudaSetDevice(0));
}

// A host function of another device's stream may not close another process's memory. The memory stays listed, and the function does not
// wait.
static void refused_elsewhere(void *memory, void (*give_back)()) {
  static std::atomic<bool> is_refused;
  is_refused = false;
  OK(cudaSetDevice(1));
  cudaStream_t other = new_stream();
  OK(cudaSetDevice(0));
  cudaStream_t stream = new_stream();
  gate.shut(stream);
  OK(cudaLaunchHostFunc(
      other,
      [](void *give_back) {
        OK(cudaSetDevice(1));
        reinterpret_cast<void (*)()>(give_back)();
        is_refused = true;
      },
      reinterpret_cast<void *>(give_back)));
  while (!is_refused) {
    cudaPointerAttributes attributes = {};
    OK(cudaPointerGetAttributes(&attributes, memory));
    CHECK(attributes.type == cudaMemoryTypeDevice);
    std::this_thread::yield();
  }
  gate.open();
  OK(cudaStreamSynchronize(stream));
  OK(cudaStreamDestroy(stream));
  OK(cudaStreamDestroy(other));
}

// The memory of a destroyed graph stays until the work submitted before has completed.
static void of_a_graph() {
  // Large enough for a separate mapping, which a free would unmap at once.
  constexpr size_t LARGE = 64 << 20;
  static std::promise<void> at_gate;
  char *memory = nullptr;
  cudaGraph_t graph = nullptr;
  char *word = host_memory<char>(4);
  cudaStream_t stream = new_stream(cudaStreamDefault);
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  OK(cudaMallocAsync(reinterpret_cast<void **>(&memory), LARGE, stream));
  OK(cudaMemsetAsync(memory, 7, LARGE, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = instantiated(graph);
  OK(cudaGraphLaunch(executable, stream));
  OK(cudaLaunchHostFunc(
      stream, [](void *) { at_gate.set_value(); }, nullptr));
  gate.shut(stream);
  OK(cudaMemcpyAsync(word, memory + LARGE / 2, 4, cudaMemcpyDeviceToHost, stream));
  OK(cudaFreeAsync(memory, stream));
  at_gate.get_future().wait();
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(graph));
  unsigned char is_there = 0;
  const size_t page = sysconf(_SC_PAGESIZE);
  CHECK(mincore(memory + LARGE / 2 - (reinterpret_cast<uintptr_t>(memory) + LARGE / 2) % page, 1, &is_there) == 0);
  gate.open();
  OK(cudaStreamSynchronize(stream));
  CHECK(word[0] == 7 && word[3] == 7);
  OK(cudaStreamDestroy(stream));
  OK(cudaFreeHost(word));
}

static void of_another_process(const cudaIpcMemHandle_t &handle) {
  static void *opened;
  OK(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess));
  // A function cannot close what its stream may use; the memory stays open.
  refused_elsewhere(opened, [] { GIVES(401, cudaIpcCloseMemHandle(opened)); });
  OK(cudaMemset(opened, 1, BYTES));
  used_elsewhere(opened, [] { OK(cudaIpcCloseMemHandle(opened)); });
  GIVES(1, cudaIpcCloseMemHandle(opened));
}

int main() {
  CHECK(setenv("GEVT_HOSTCUDA_KERNELS", "skip", 1) == 0);
  Exporter other(BYTES);
  OK(cudaFree(nullptr));
  failures_stay();
  of_a_graph();
  of_another_process(other.handle);
  other.end();
}
