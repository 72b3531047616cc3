// Memory that two processes share: what one writes, the other reads; and what is refused.
#include "objects.h"
#include <cstring>

constexpr size_t BYTES = 10000;

static int to_child[2], to_parent[2];

static void send(int to, const void *bytes, size_t count) {
  CHECK(write(to, bytes, count) == static_cast<ssize_t>(count));
}

static void receive(int from, void *bytes, size_t count) {
  CHECK(read(from, bytes, count) == static_cast<ssize_t>(count));
}

static void child() {
  cudaIpcMemHandle_t handle;
  char *memory, *again, *whole = nullptr, back[BYTES], word = 0;
  receive(to_child[0], &handle, sizeof handle);
  OK(cudaIpcOpenMemHandle(reinterpret_cast<void **>(&memory), handle, cudaIpcMemLazyEnablePeerAccess));
  OK(cudaIpcOpenMemHandle(reinterpret_cast<void **>(&again), handle, cudaIpcMemLazyEnablePeerAccess));
  CHECK(memory == again);
  OK(cudaMemcpy(back, memory, BYTES, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 5 && back[BYTES - 1] == 5);
  OK(cudaMemset(memory, 6, BYTES));
  OK(cudaDeviceSynchronize());
  GIVES(1, cudaMemset(memory, 6, BYTES + 1));
  GIVES(1, cudaFree(memory));
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, memory));
  CHECK(attributes.type == cudaMemoryTypeDevice);
  send(to_parent[1], &word, 1);
  receive(to_child[0], &word, 1);
  // Its exporter has freed it.
  OK(cudaIpcCloseMemHandle(memory));
  OK(cudaIpcCloseMemHandle(memory));
  GIVES(1, cudaIpcCloseMemHandle(memory));
  CHECK(cudaIpcOpenMemHandle(reinterpret_cast<void **>(&whole), handle, cudaIpcMemLazyEnablePeerAccess) != 0);
  CHECK(whole == nullptr);
}

static void parent() {
  cudaIpcMemHandle_t handle, again;
  char *memory, back[BYTES], word = 0;
  OK(cudaMalloc(reinterpret_cast<void **>(&memory), BYTES));
  OK(cudaMemset(memory, 5, BYTES));
  OK(cudaDeviceSynchronize());
  OK(cudaIpcGetMemHandle(&handle, memory));
  OK(cudaIpcGetMemHandle(&again, memory));
  CHECK(std::memcmp(&handle, &again, sizeof handle) == 0);
  send(to_child[1], &handle, sizeof handle);
  receive(to_parent[0], &word, 1);
  OK(cudaMemcpy(back, memory, BYTES, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 6 && back[BYTES - 1] == 6);
  GIVES(1, cudaIpcGetMemHandle(nullptr, memory));
  OK(cudaFree(memory));
  OK(cudaMalloc(reinterpret_cast<void **>(&memory), BYTES));
  OK(cudaMemset(memory, 1, BYTES));
  OK(cudaFree(memory));
  send(to_child[1], &word, 1);
}

int main() {
  CHECK(pipe(to_child) == 0 && pipe(to_parent) == 0);
  const pid_t pid = fork();
  CHECK(pid >= 0);
  close(pid == 0 ? to_child[1] : to_child[0]);
  close(pid == 0 ? to_parent[0] : to_parent[1]);
  if (pid == 0) {
    child();
    return 0;
  }
  parent();
  must_end_well(pid);
}
