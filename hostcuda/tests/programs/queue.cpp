// GEVT_HOSTCUDA_QUEUE: a call blocks while its stream has as much work as it takes.
#include "objects.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/syscall.h>
#include <thread>

constexpr int kMost = 16, kCalls = 64;
static std::atomic<int> given{0}, given_at_first{-1};
static std::atomic<pid_t> giver{0};

static void first(void *) {
  given_at_first = given.load();
}

static void nothing(void *) {}

// Whether the thread sleeps: the kernel says so behind its name.
static bool is_asleep(pid_t thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
  FILE *file = std::fopen(path.c_str(), "r");
  char text[512] = {};
  if (file) {
    CHECK(std::fread(text, 1, sizeof text - 1, file) > 0);
    std::fclose(file);
  }
  const char *name_end = std::strrchr(text, ')');
  return name_end && name_end[2] == 'S';
}

int main() {
  setenv("GEVT_HOSTCUDA_QUEUE", std::to_string(kMost).c_str(), 1);
  void *host;
  CUdeviceptr word;
  const CUcontext context = use_primary();
  CUstream stream = new_driver_stream(), other = new_driver_stream();
  CUevent event = new_driver_event(CU_EVENT_DISABLE_TIMING);
  OK(cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
  std::memset(host, 0, 4096);
  OK(cuMemHostGetDevicePointer(&word, host, 0));

  OK(cuStreamWaitValue32(stream, word, 1, CU_STREAM_WAIT_VALUE_GEQ));
  OK(cuLaunchHostFunc(stream, first, nullptr));
  std::thread thread([&] {
    OK(cuCtxSetCurrent(context));
    giver = static_cast<pid_t>(syscall(SYS_gettid));
    for (int call = 0; call < kCalls; ++call) {
      OK(cuLaunchHostFunc(stream, nothing, nullptr));
      given += 1;
    }
  });
  while (given < kMost / 2 || (given < kCalls && !is_asleep(giver))) {
    std::this_thread::yield();
  }
  // Another stream has room.
  OK(cuLaunchHostFunc(other, nothing, nullptr));
  OK(cuEventRecord(event, other));
  OK(cuEventSynchronize(event));
  __atomic_store_n(static_cast<int *>(host), 1, __ATOMIC_RELEASE);
  thread.join();
  OK(cuStreamSynchronize(stream));
  CHECK(given == kCalls && given_at_first < kMost);
}
