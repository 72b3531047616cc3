// A set of memory that the host can access has completed when the call returns, if the call has no stream.
#include "objects.h"
#include <cstring>
#include <thread>

constexpr size_t BYTES = 64 << 10;

static Gate gate;

int main() {
  char *managed;
  char *pinned = host_memory<char>(BYTES);
  OK(cudaMallocManaged(reinterpret_cast<void **>(&managed), BYTES));
  for (char *memory : {pinned, managed}) {
    std::memset(memory, 0, BYTES);
    gate.shut(nullptr);
    std::thread opener([] { gate.open(); });
    OK(cudaMemset(memory, 5, BYTES));
    CHECK(memory[0] == 5 && memory[BYTES - 1] == 5);
    opener.join();
  }
  OK(cuMemsetD32(reinterpret_cast<CUdeviceptr>(managed), 0x01020304, BYTES / 4));
  OK(cudaDeviceSynchronize());
  CHECK(managed[BYTES - 4] == 4 && managed[BYTES - 1] == 1);
  OK(cudaFreeHost(pinned));
  OK(cudaFree(managed));
}
