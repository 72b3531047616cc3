// A thread that is canceled inside a call exits after the call, and the process continues. Calls also survive a closed stderr.
#include "objects.h"
#include <csignal>
#include <pthread.h>

// A check that fails writes its message, and would be cancelled there.
static bool has_come_to_the_end;
static const Exporter *exporter;

// Each of these opens, reads, writes or closes a file.
static void share() {
  void *memory = nullptr;
  OK(cudaIpcOpenMemHandle(&memory, exporter->handle, cudaIpcMemLazyEnablePeerAccess));
  OK(cudaIpcCloseMemHandle(memory));
}

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
  GIVES(301, cuModuleLoad(&module, "none"));
  GIVES(801, cuModuleLoad(&module, "/proc/self/exe"));
  GIVES(801, cuModuleLoadData(&module, "//"));
  share();
  has_come_to_the_end = true;
  pthread_testcancel();
  return nullptr;
}

int main() {
  Exporter other(64);
  exporter = &other;
  OK(cudaFree(nullptr));
  pthread_t thread;
  void *result = nullptr;
  CHECK(pthread_create(&thread, nullptr, body, nullptr) == 0);
  CHECK(pthread_join(thread, &result) == 0);
  CHECK(result == PTHREAD_CANCELED && has_come_to_the_end);
  other.end();
  int ends[2];
  CHECK(pipe(ends) == 0 && signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  const int kept = dup(2);
  CHECK(dup2(ends[1], 2) == 2 && close(ends[0]) == 0 && close(ends[1]) == 0);
  CUlinkState state;
  const int code = cuLinkCreate(0, nullptr, nullptr, &state);
  CHECK(dup2(kept, 2) == 2);
  CHECK(code == 801);
}
