// A pool of events that several threads take from, record, poll and give back, through the driver API.
#include "objects.h"
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<CUevent> pool;
static std::atomic<int> made{0}, ran{0};

static CUevent take() {
  const std::lock_guard<std::mutex> held(lock);
  if (pool.empty()) {
    CUevent event = new_driver_event(CU_EVENT_DISABLE_TIMING);
    made++;
    return event;
  }
  const CUevent event = pool.back();
  pool.pop_back();
  return event;
}

static void give(CUevent event) {
  const std::lock_guard<std::mutex> held(lock);
  pool.push_back(event);
}

static void count(void *) {
  ran++;
}

static void use(CUcontext context) {
  OK(cuCtxSetCurrent(context));
  CUstream stream = new_driver_stream();
  for (int round = 0; round < 500; round++) {
    CUevent events[4];
    for (CUevent &event : events) {
      event = take();
      OK(cuLaunchHostFunc(stream, count, nullptr));
      OK(cuEventRecord(event, stream));
    }
    for (CUevent event : events) {
      int code;
      while ((code = cuEventQuery(event)) == CUDA_ERROR_NOT_READY) {
        std::this_thread::yield();
      }
      CHECK(code == CUDA_SUCCESS);
      give(event);
    }
  }
  OK(cuStreamDestroy(stream));
}

int main() {
  CUevent early;
  GIVES(CUDA_ERROR_NOT_INITIALIZED, cuEventCreate(&early, 0));
  OK(cuInit(0));
  GIVES(CUDA_ERROR_INVALID_CONTEXT, cuEventCreate(&early, 0));
  CUdevice device;
  OK(cuDeviceGet(&device, 0));
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, device));
  OK(cuCtxSetCurrent(context));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) {
    threads.emplace_back(use, context);
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  CHECK(ran == 4 * 500 * 4);
  CHECK(made >= 4 && made <= 16);
  for (CUevent event : pool) {
    OK(cuEventDestroy(event));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(event));
  }
  OK(cuDevicePrimaryCtxRelease(device));
}
