// Asynchronous copies of memory that is not page-locked: the source may be freed as soon as the call has returned.
#include "objects.h"
#include <cstring>
#include <thread>
#include <vector>

// A call takes this much of a source before the stream gets there, and no more.
constexpr size_t STAGED = 64 << 10;
constexpr size_t BYTES = 1 << 20, ROW = 1000, PITCH = 1024, ROWS = 60;

static Gate gate;

static bool holds(const char *device, size_t bytes, char byte) {
  std::vector<char> back(bytes);
  OK(cudaMemcpy(back.data(), device, bytes, cudaMemcpyDeviceToHost));
  return back == std::vector<char>(bytes, byte);
}

static void sources(cudaStream_t stream, char *one, char *two) {
  gate.shut(stream);
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
  gate.open();
  OK(cudaStreamSynchronize(stream));
  CHECK(holds(one, STAGED, 1));
  CHECK(holds(two, ROW * ROWS, 2));
}

// A set of memory that the host can access has completed when the call returns, if the call has no stream.
static void shared_sets() {
  char *managed;
  char *pinned = host_memory<char>(STAGED);
  OK(cudaMallocManaged(reinterpret_cast<void **>(&managed), STAGED));
  for (char *memory : {pinned, managed}) {
    std::memset(memory, 0, STAGED);
    gate.shut(nullptr);
    std::thread opener([] { gate.open(); });
    OK(cudaMemset(memory, 5, STAGED));
    CHECK(memory[0] == 5 && memory[STAGED - 1] == 5);
    opener.join();
  }
  OK(cudaFreeHost(pinned));
  OK(cudaFree(managed));
}

int main() {
  cudaStream_t stream = new_stream();
  char *one = device_memory<char>(BYTES), *two = device_memory<char>(ROW * ROWS);
  sources(stream, one, two);
  shared_sets();
}
