// CUDA_VISIBLE_DEVICES chooses and orders the devices. Runs on two devices; a separate process reads each list.
#include "objects.h"
#include <cstring>
#include <string>

template <typename Case>
static void with(const char *list, Case run) {
  const pid_t child = fork();
  if (child == 0) {
    CHECK(setenv("CUDA_VISIBLE_DEVICES", list, 1) == 0);
    run();
    _exit(0);
  }
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  if (status != 0) {
    std::fprintf(stderr, "with the list \"%s\"\n", list);
    std::exit(1);
  }
}

static int bus(CUdevice device) {
  int number = 0;
  OK(cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device));
  return number;
}

static void one() {
  int count = 0;
  OK(cuInit(0));
  OK(cuDeviceGetCount(&count));
  CHECK(count == 1);
  CHECK(bus(0) == 2);
  CUdevice device;
  GIVES(101, cuDeviceGet(&device, 1));
  OK(cudaSetDevice(0));
  GIVES(101, cudaSetDevice(1));
}

static void swapped() {
  CUuuid first, second;
  OK(cuInit(0));
  CHECK(bus(0) == 2 && bus(1) == 1);
  OK(cuDeviceGetUuid(&first, 0));
  OK(cuDeviceGetUuid(&second, 1));
  CHECK(std::memcmp(&first, &second, sizeof first) > 0);
}

// A version is no use of a device: what is chosen after it counts.
static void late() {
  int version = 0, count = 0;
  OK(cudaRuntimeGetVersion(&version));
  OK(cudaDriverGetVersion(&version));
  CHECK(setenv("CUDA_VISIBLE_DEVICES", "1", 1) == 0);
  OK(cudaGetDeviceCount(&count));
  CHECK(count == 1 && version == 13000);
}

static void none() {
  int count = 7;
  OK(cudaRuntimeGetVersion(&count));
  GIVES(100, cuInit(0));
  GIVES(100, cudaGetDeviceCount(&count));
  GIVES(100, cudaFree(nullptr));
}

int main() {
  with("1", one);
  with("1,0", swapped);
  with("", none);
  with("-1", none);
  with("9,0", none);
  with("0,1", late);
}
