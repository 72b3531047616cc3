// Asynchronous copies of memory that is not page-locked: the source may be freed as soon as the call has returned, and a target
// is written by then. Graphs read their sources when they run.
#include "check.h"
#include <atomic>
#include <cstring>
#include <cuda_runtime_api.h>
#include <future>
#include <thread>
#include <vector>

// A call takes this much of a source before the stream gets there, and no more.
constexpr size_t STAGED = 64 << 10;
constexpr size_t BYTES = 1 << 20, ROW = 1000, PITCH = 1024, ROWS = 60;

static std::promise<void> gate;

static void CUDART_CB wait(void *) {
  gate.get_future().wait();
}

static bool holds(const char *device, size_t bytes, char byte) {
  std::vector<char> back(bytes);
  OK(cudaMemcpy(back.data(), device, bytes, cudaMemcpyDeviceToHost));
  return back == std::vector<char>(bytes, byte);
}

static void sources(cudaStream_t stream, char *one, char *two) {
  gate = std::promise<void>();
  OK(cudaLaunchHostFunc(stream, wait, nullptr));
  {
    std::vector<char> from(STAGED, 1), rows(PITCH * ROWS, 3);
    for (size_t row = 0; row < ROWS; row++) {
      std::memset(&rows[row * PITCH], 2, ROW);
    }
    OK(cudaMemcpyAsync(one, from.data(), STAGED, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpy2DAsync(two, ROW, rows.data(), PITCH, ROW, ROWS, cudaMemcpyHostToDevice, stream));
    std::memset(from.data(), 9, STAGED);
    std::memset(rows.data(), 9, PITCH * ROWS);
  }
  GIVES(cudaErrorNotReady, cudaStreamQuery(stream));
  gate.set_value();
  OK(cudaStreamSynchronize(stream));
  CHECK(holds(one, STAGED, 1));
  CHECK(holds(two, ROW * ROWS, 2));
}

// Work queued ahead of a large copy has completed when the call returns.
static void large_source(cudaStream_t stream, char *device) {
  static std::atomic<bool> reached{false};
  std::vector<char> from(BYTES, 7);
  gate = std::promise<void>();
  OK(cudaLaunchHostFunc(stream, wait, nullptr));
  OK(cudaLaunchHostFunc(
      stream, [](void *) { reached = true; }, nullptr));
  std::thread opener([] { gate.set_value(); });
  OK(cudaMemcpyAsync(device, from.data(), BYTES, cudaMemcpyHostToDevice, stream));
  CHECK(reached);
  opener.join();
  std::memset(from.data(), 9, BYTES);
  OK(cudaStreamSynchronize(stream));
  CHECK(holds(device, BYTES, 7));
}

// A set of memory that the host can access has completed when the call returns, if the call has no stream.
static void shared_sets() {
  char *pinned, *managed;
  OK(cudaMallocHost(reinterpret_cast<void **>(&pinned), STAGED));
  OK(cudaMallocManaged(reinterpret_cast<void **>(&managed), STAGED));
  for (char *memory : {pinned, managed}) {
    std::memset(memory, 0, STAGED);
    gate = std::promise<void>();
    OK(cudaLaunchHostFunc(nullptr, wait, nullptr));
    std::thread opener([] { gate.set_value(); });
    OK(cudaMemset(memory, 5, STAGED));
    CHECK(memory[0] == 5 && memory[STAGED - 1] == 5);
    opener.join();
  }
  OK(cudaFreeHost(pinned));
  OK(cudaFree(managed));
}

static void CUDART_CB fill(void *device) {
  std::memset(device, 4, BYTES);
}

static void targets(cudaStream_t stream, char *device) {
  std::vector<char> to(BYTES), again(BYTES);
  OK(cudaLaunchHostFunc(stream, fill, device));
  OK(cudaMemcpyAsync(to.data(), device, BYTES, cudaMemcpyDeviceToHost, stream));
  CHECK(to == std::vector<char>(BYTES, 4));
  OK(cudaMemcpyAsync(again.data(), to.data(), BYTES, cudaMemcpyHostToHost, stream));
  CHECK(again == to);
}

static void captured(cudaStream_t stream, char *device) {
  std::vector<char> from(BYTES, 5);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMemcpyAsync(device, from.data(), BYTES, cudaMemcpyHostToDevice, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  std::memset(from.data(), 6, BYTES);
  OK(cudaGraphLaunch(executable, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK(holds(device, BYTES, 6));
}

int main() {
  cudaStream_t stream;
  char *one, *two;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaMalloc(reinterpret_cast<void **>(&one), BYTES));
  OK(cudaMalloc(reinterpret_cast<void **>(&two), ROW * ROWS));
  sources(stream, one, two);
  large_source(stream, one);
  shared_sets();
  targets(stream, one);
  captured(stream, one);
  return 0;
}
