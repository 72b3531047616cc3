// An event that two processes share, and what happens to a waiter whose peer dies.
#include "objects.h"
#include <csignal>

static void sleep_for_ever(void *) {
  for (;;) {
    pause();
  }
}
static void nap(void *) {
  usleep(50000);
}

// Makes an event that its stream reaches after `work`, and notifies the peer.
static void exporter(int to, int from, void (*work)(void *)) {
  cudaEvent_t event = new_event(cudaEventDisableTiming | cudaEventInterprocess);
  cudaStream_t stream = new_stream(cudaStreamDefault);
  OK(cudaLaunchHostFunc(stream, work, nullptr));
  OK(cudaEventRecord(event, stream));
  cudaIpcEventHandle_t handle;
  OK(cudaIpcGetEventHandle(&handle, event));
  CHECK(write(to, &handle, sizeof handle) == sizeof handle);
  char byte;
  CHECK(read(from, &byte, 1) == 1);
  OK(cudaEventSynchronize(event));
}

static void pair(void (*work)(void *), bool dies) {
  int up[2], down[2];
  CHECK(pipe(up) == 0 && pipe(down) == 0);
  const pid_t child = fork();
  if (child == 0) {
    exporter(up[1], down[0], work);
    _exit(0);
  }
  cudaIpcEventHandle_t handle;
  CHECK(read(up[0], &handle, sizeof handle) == sizeof handle);
  // The runtime begins in each process after the fork.
  if (fork() == 0) {
    cudaEvent_t event;
    OK(cudaIpcOpenEventHandle(&event, handle));
    cudaStream_t stream = new_stream(cudaStreamDefault);
    if (dies) {
      GIVES(cudaErrorNotReady, cudaEventQuery(event));
      kill(child, SIGKILL);
      CHECK(cudaEventSynchronize(event) != cudaSuccess);
    } else {
      OK(cudaStreamWaitEvent(stream, event, 0));
      OK(cudaStreamSynchronize(stream));
      OK(cudaEventQuery(event));
    }
    OK(cudaEventDestroy(event));
    _exit(0);
  }
  int status, failures = 0;
  bool is_there = true;
  if (!dies) {
    CHECK(write(down[1], "x", 1) == 1);
  }
  for (pid_t ended; (ended = wait(&status)) > 0;) {
    const bool killed = dies && ended == child;
    is_there &= ended != child;
    failures += killed ? !WIFSIGNALED(status) : status != 0;
    if (dies && is_there) {
      // Where the importer failed before it came to that.
      kill(child, SIGKILL);
    }
  }
  CHECK(failures == 0);
}

int main() {
  pair(nap, false);
  pair(sleep_for_ever, true);
}
