// A thread that is cancelled inside a call ends after it, and not with the process. Calls also survive a closed stderr.
#include "check.h"
#include <csignal>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <unistd.h>

static void *body(void *) {
  size_t free = 0, total = 0;
  int value = 0;
  void *memory = nullptr;
  cudaDeviceProp prop;
  CUmodule module;
  pthread_cancel(pthread_self());
  OK(cudaMemGetInfo(&free, &total));
  CHECK(free > 0 && total >= free);
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  OK(cudaGetDeviceProperties(&prop, 0));
  OK(cudaMalloc(&memory, 64));
  OK(cudaFree(memory));
  GIVES(801, cuModuleLoad(&module, "none"));
  pthread_testcancel();
  return nullptr;
}

int main() {
  OK(cudaFree(nullptr));
  pthread_t thread;
  void *result = nullptr;
  CHECK(pthread_create(&thread, nullptr, body, nullptr) == 0);
  CHECK(pthread_join(thread, &result) == 0);
  CHECK(result == PTHREAD_CANCELED);
  int ends[2];
  CHECK(pipe(ends) == 0 && signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  const int kept = dup(2);
  CHECK(dup2(ends[1], 2) == 2 && close(ends[0]) == 0 && close(ends[1]) == 0);
  CUlinkState state;
  const int code = cuLinkCreate(0, nullptr, nullptr, &state);
  CHECK(dup2(kept, 2) == 2);
  CHECK(code == 801);
  return 0;
}
