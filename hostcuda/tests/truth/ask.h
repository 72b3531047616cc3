// What the programs that ask a driver have in common: cases, each of which is one process, and helpers.
#pragma once
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

static std::vector<std::pair<std::string, std::function<void()>>> cases;
struct Reg {
  Reg(const char *name, std::function<void()> body) { cases.push_back({name, body}); }
};
#define CASE(name)                                                                                                     \
  static void name();                                                                                                  \
  static Reg reg_##name(#name, name);                                                                                  \
  static void name()

static void value(const std::string &name, long long value) {
  std::printf("%s=%lld ", name.c_str(), value);
  std::fflush(stdout);
}
#define GIVES(name, call) value(name, static_cast<long long>(call))

static CUdevice device;
static CUcontext primary;
static void init() {
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&primary, device);
  cuCtxSetCurrent(primary);
}
static CUcontext new_context() {
  CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
  cuCtxCreate(&context, nullptr, 0, device);
#else
  cuCtxCreate(&context, 0, device);
#endif
  return context;
}
static const char *current_is(CUcontext own) {
  CUcontext current = nullptr;
  cuCtxGetCurrent(&current);
  return !current ? "none" : current == own ? "own" : current == primary ? "primary" : "other";
}
static void text(const std::string &name, const char *value) {
  std::printf("%s=%s ", name.c_str(), value);
  std::fflush(stdout);
}
static std::atomic<int> gate{0};
static void CUDART_CB waiter(void *) {
  while (!gate.load()) {
    usleep(100);
  }
}
// What a call that waits for the stream finds done.
static std::atomic<int> slept{0};
static void CUDART_CB sleeper(void *) {
  usleep(100000);
  slept = 1;
}
static cudaStream_t new_stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, flags);
  return stream;
}
static char *device_memory(size_t bytes) {
  char *memory = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&memory), bytes);
  cudaMemset(memory, 0, bytes);
  cudaDeviceSynchronize();
  return memory;
}
static int count_wrong(const char *device, size_t bytes, char expected) {
  std::vector<char> back(bytes);
  cudaMemcpy(back.data(), device, bytes, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (char byte : back) {
    wrong += byte != expected;
  }
  return wrong;
}

static cudaGraph_t new_graph() {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  return graph;
}
static cudaGraphNode_t empty_in(cudaGraph_t graph) {
  cudaGraphNode_t node = nullptr;
  cudaGraphAddEmptyNode(&node, graph, nullptr, 0);
  return node;
}
static cudaEvent_t new_event(unsigned flags = cudaEventDefault) {
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, flags);
  return event;
}

int main(int count, char **words) {
  for (auto &entry : cases) {
    if (count == 2 && std::strcmp(words[1], "list") == 0) {
      std::printf("%s\n", entry.first.c_str());
    } else if (count == 2 && entry.first == words[1]) {
      std::printf("%s\t", words[1]);
      entry.second();
      std::printf("\n");
      std::fflush(stdout);
      _exit(0);
    }
  }
  return 0;
}
