// What programs make again and again: each function checks that the call succeeds.
#pragma once
#include "../../../tests/shim/check.h"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <future>
#include <sys/wait.h>
#include <unistd.h>

inline cudaStream_t new_stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream = nullptr;
  OK(cudaStreamCreateWithFlags(&stream, flags));
  return stream;
}

inline cudaEvent_t new_event(unsigned flags = cudaEventDefault) {
  cudaEvent_t event = nullptr;
  OK(cudaEventCreateWithFlags(&event, flags));
  return event;
}

template <typename T = char>
T *device_memory(size_t bytes) {
  void *memory = nullptr;
  OK(cudaMalloc(&memory, bytes));
  return static_cast<T *>(memory);
}

template <typename T = char>
T *host_memory(size_t bytes) {
  void *memory = nullptr;
  OK(cudaMallocHost(&memory, bytes));
  return static_cast<T *>(memory);
}

inline cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t executable = nullptr;
  OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  return executable;
}

// Holds a stream back, once more after each opening.
class Gate {
public:
  void shut(cudaStream_t stream) {
    promise = std::promise<void>();
    OK(cuLaunchHostFunc(stream, wait, this));
  }
  void open() { promise.set_value(); }

private:
  static void CUDA_CB wait(void *gate) { static_cast<Gate *>(gate)->promise.get_future().wait(); }
  std::promise<void> promise;
};

inline void must_end_well(pid_t child) {
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

// Another process, which exports device memory, and keeps it until its end. It is made before this process uses CUDA.
class Exporter {
public:
  explicit Exporter(size_t bytes) {
    int up[2];
    CHECK(pipe(up) == 0 && pipe(down) == 0);
    child = fork();
    CHECK(child >= 0);
    close(down[child == 0]);
    if (child == 0) {
      OK(cudaIpcGetMemHandle(&handle, device_memory(bytes)));
      CHECK(write(up[1], &handle, sizeof handle) == sizeof handle);
      char end = 0;
      CHECK(read(down[0], &end, 1) == 0);
      _exit(0);
    }
    CHECK(read(up[0], &handle, sizeof handle) == sizeof handle);
  }
  void end() {
    CHECK(close(down[1]) == 0);
    must_end_well(child);
  }
  cudaIpcMemHandle_t handle;

private:
  int down[2];
  pid_t child;
};
