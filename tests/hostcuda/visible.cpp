// CUDA_VISIBLE_DEVICES chooses and orders the devices. Runs on two; each list is read by a process of its own.
#include "check.h"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

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

static void none() {
  int count = 7;
  GIVES(100, cuInit(0));
  GIVES(100, cudaGetDeviceCount(&count));
  GIVES(100, cudaFree(nullptr));
}

// A pool is on the same device for all processes, whatever number that has there; where the device is not visible, the pool is refused.
static void pools() {
  constexpr auto FORM = cudaMemHandleTypePosixFileDescriptor;
  int to_main[2], to_child[2], number = -1;
  CHECK(pipe(to_main) == 0 && pipe(to_child) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(close(to_child[1]) == 0 && setenv("CUDA_VISIBLE_DEVICES", "1", 1) == 0);
    cudaMemPoolProps props = {};
    cudaMemPool_t pool = nullptr;
    props.allocType = cudaMemAllocationTypePinned;
    props.handleTypes = FORM;
    props.location.type = cudaMemLocationTypeDevice;
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMemPoolExportToShareableHandle(&number, pool, FORM, 0));
    CHECK(write(to_main[1], &number, sizeof number) == sizeof number);
    CHECK(read(to_child[0], &number, 1) == 0);
    _exit(0);
  }
  CHECK(read(to_main[0], &number, sizeof number) == sizeof number);
  const std::string path = "/proc/" + std::to_string(child) + "/fd/" + std::to_string(number);
  const int file = open(path.c_str(), O_RDONLY);
  CHECK(file >= 0);
  void *handle = reinterpret_cast<void *>(static_cast<uintptr_t>(file));
  const auto device = [handle] {
    cudaMemPool_t pool = nullptr;
    OK(cudaMemPoolImportFromShareableHandle(&pool, handle, FORM, 0));
    for (int device = 0; device < 2; device++) {
      cudaMemLocation location = {cudaMemLocationTypeDevice, device};
      cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
      OK(cudaMemPoolGetAccess(&flags, pool, &location));
      if (flags == cudaMemAccessFlagsProtReadWrite) {
        return device;
      }
    }
    return -1;
  };
  with("1,0", [&] { CHECK(device() == 0); });
  with("0,1", [&] { CHECK(device() == 1); });
  with("0", [&] {
    cudaMemPool_t pool = nullptr;
    GIVES(101, cudaMemPoolImportFromShareableHandle(&pool, handle, FORM, 0));
  });
  CHECK(close(file) == 0 && close(to_child[1]) == 0);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main() {
  with("1", one);
  with("1,0", swapped);
  with("", none);
  with("-1", none);
  with("9,0", none);
  pools();
}
