// A program with kernels starts. Launches are refused unless the user has chosen otherwise. The calls are those of nvcc's host code.
#include "objects.h"
#include "registered.h"

static char binary[64];
static int variable;
static void **handle;

static void kernel(int *argument) {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  CHECK(grid.x == 2 && grid.y == 3 && grid.z == 1 && block.x == 64 && shared == 5);
  CHECK(stream == cudaStreamPerThread);
  void *arguments[] = {&argument};
  GIVES(cudaErrorNotSupported,
        cudaLaunchKernel(reinterpret_cast<void *>(kernel), grid, block, arguments, shared, stream));
}

static struct Module {
  Module() {
    handle = __cudaRegisterFatBinary(binary);
    __cudaRegisterFunction(handle, reinterpret_cast<const char *>(kernel), binary, "kernel", -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle, reinterpret_cast<char *>(&variable), binary, "variable", 0, sizeof variable, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
  }
  ~Module() { __cudaUnregisterFatBinary(handle); }
} module;

int main() {
  CHECK(handle != nullptr);
  OK(cudaPeekAtLastError());
  CHECK(__cudaPushCallConfiguration(dim3(2, 3), dim3(64), 5, cudaStreamPerThread) == 0);
  kernel(nullptr);
  GIVES(cudaErrorNotSupported, cudaGetLastError());
  OK(cudaGetLastError());
}
