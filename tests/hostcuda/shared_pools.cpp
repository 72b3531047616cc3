// Pools that two processes share: the importer has the exporter's memory, and takes none of its own; what is refused, and nothing left open.
#include "../truth/pool_letter.h"
#include "check.h"
#include <atomic>
#include <cstring>
#include <cuda_runtime_api.h>
#include <dirent.h>
#include <fcntl.h>
#include <future>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

constexpr size_t BYTES = 10000;
constexpr auto FORM = cudaMemHandleTypePosixFileDescriptor;

static int sockets[2];

static void *as_handle(int file) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(file));
}

static void say() {
  char word = 0;
  CHECK(write(sockets[0], &word, 1) == 1);
}

static void hear() {
  char word = 0;
  CHECK(read(sockets[0], &word, 1) == 1);
}

static cudaMemPool_t made(int device) {
  cudaMemPoolProps props = {};
  cudaMemPool_t pool = nullptr;
  props.allocType = cudaMemAllocationTypePinned;
  props.handleTypes = FORM;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = device;
  OK(cudaMemPoolCreate(&pool, &props));
  return pool;
}

static int exported(cudaMemPool_t pool) {
  int file = -1;
  OK(cudaMemPoolExportToShareableHandle(&file, pool, FORM, 0));
  CHECK(file >= 0);
  return file;
}

static cudaMemPool_t imported(int file) {
  cudaMemPool_t pool = nullptr;
  OK(cudaMemPoolImportFromShareableHandle(&pool, as_handle(file), FORM, 0));
  return pool;
}

static int first(void *memory) {
  int back = -1;
  OK(cudaMemcpy(&back, memory, 1, cudaMemcpyDeviceToHost));
  return back & 255;
}

static void importer() {
  int file = -1;
  cudaMemPoolPtrExportData data = {};
  CHECK(receive_pool(sockets[0], file, data));
  cudaMemPool_t pool = imported(file);
  close(file);
  void *memory = nullptr, *again = nullptr, *none = &file;
  OK(cudaMemPoolImportPointer(&memory, pool, &data));
  OK(cudaMemPoolImportPointer(&again, pool, &data));
  CHECK(first(memory) == 5 && first(static_cast<char *>(memory) + BYTES - 1) == 5);
  OK(cudaMemset(memory, 6, BYTES));
  OK(cudaDeviceSynchronize());
  CHECK(again == memory);
  GIVES(1, cudaMemset(memory, 6, BYTES + 1));
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, memory));
  CHECK(attributes.type == cudaMemoryTypeDevice);
  GIVES(1, cudaMallocFromPoolAsync(&none, 1, pool, nullptr));
  GIVES(1, cudaDeviceSetMemPool(1, pool));
  GIVES(1, cudaMemPoolExportPointer(&data, memory));
  GIVES(1, cudaMemPoolExportToShareableHandle(&file, pool, FORM, 0));
  unsigned long long used = 0;
  GIVES(1, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  GIVES(1, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &used));
  GIVES(1, cudaIpcCloseMemHandle(memory));
  cudaIpcMemHandle_t handle;
  std::memcpy(&handle, &data, sizeof handle);
  GIVES(1, cudaIpcOpenMemHandle(&none, handle, cudaIpcMemLazyEnablePeerAccess));
  // Changed bytes, and a pool that is another.
  for (size_t at = 0; at < sizeof data; at++) {
    cudaMemPoolPtrExportData changed = data;
    reinterpret_cast<char *>(&changed)[at] ^= 1;
    GIVES(1, cudaMemPoolImportPointer(&none, pool, &changed));
  }
  const int other = exported(made(0));
  GIVES(1, cudaMemPoolImportPointer(&none, imported(other), &data));
  close(other);
  CHECK(none == &file);
  say();
  // The exporter has freed the memory and destroyed the pool.
  hear();
  CHECK(first(memory) == 6);
  OK(cudaDeviceReset());
  CHECK(first(again) == 6);
  // Imported twice, it is freed twice.
  GIVES(1, cudaFreeHost(again));
  OK(cudaFree(again));
  CHECK(first(memory) == 6);
  // Freed in the stream's order.
  static std::promise<void> gate;
  OK(cudaLaunchHostFunc(
      nullptr, [](void *) { gate.get_future().wait(); }, nullptr));
  OK(cudaMemsetAsync(memory, 7, BYTES, nullptr));
  OK(cudaFreeAsync(memory, nullptr));
  GIVES(1, cudaFreeAsync(memory, nullptr));
  gate.set_value();
  OK(cudaDeviceSynchronize());
  GIVES(205, cudaMemPoolImportPointer(&none, pool, &data));
  OK(cudaMemPoolDestroy(pool));
  GIVES(1, cudaMemPoolImportPointer(&none, pool, &data));
}

static void exporter() {
  void *memory = nullptr, *plain = nullptr;
  cudaMemPoolPtrExportData data = {};
  cudaMemPool_t pool = made(1);
  OK(cudaMallocFromPoolAsync(&memory, BYTES, pool, nullptr));
  OK(cudaMemset(memory, 5, BYTES));
  OK(cudaDeviceSynchronize());
  GIVES(1, cudaMemPoolExportPointer(&data, memory));
  const int file = exported(pool);
  OK(cudaMemPoolExportPointer(&data, memory));
  CHECK(send_pool(sockets[0], file, data));
  close(file);
  hear();
  CHECK(first(memory) == 6);
  GIVES(1, cudaMemPoolImportPointer(&plain, pool, &data));
  OK(cudaFreeAsync(memory, nullptr));
  OK(cudaDeviceSynchronize());
  GIVES(1, cudaMemPoolExportPointer(&data, memory));
  OK(cudaMemPoolDestroy(pool));
  GIVES(1, cudaMemPoolExportToShareableHandle(&sockets[1], pool, FORM, 0));
  say();
}

static size_t open_files() {
  DIR *folder = opendir("/proc/self/fd");
  CHECK(folder);
  size_t count = 0;
  while (readdir(folder)) {
    count++;
  }
  closedir(folder);
  return count;
}

// One process with both ends, on several threads; every file is closed when its pool and its memory are gone.
static void within(int rounds) {
  for (int round = 0; round < rounds; round++) {
    cudaMemPool_t pool = made(0);
    const int file = exported(pool);
    cudaMemPool_t other = imported(file);
    close(file);
    cudaMemPoolPtrExportData data = {};
    void *memory = nullptr, *opened = nullptr;
    OK(cudaMallocFromPoolAsync(&memory, BYTES, pool, nullptr));
    OK(cudaMemsetAsync(memory, round, BYTES, nullptr));
    OK(cudaStreamSynchronize(nullptr));
    OK(cudaMemPoolExportPointer(&data, memory));
    OK(cudaMemPoolImportPointer(&opened, other, &data));
    CHECK(opened != memory && first(opened) == (round & 255));
    OK(cudaFreeAsync(opened, nullptr));
    OK(cudaFreeAsync(memory, nullptr));
    OK(cudaStreamSynchronize(nullptr));
    OK(cudaMemPoolDestroy(other));
    OK(cudaMemPoolDestroy(pool));
  }
}

static void files_that_are_none() {
  cudaMemPool_t pool = nullptr, plain = nullptr;
  const auto refused = [&pool](int file) {
    GIVES(999, cudaMemPoolImportFromShareableHandle(&pool, as_handle(file), FORM, 0));
  };
  refused(-1);
  refused(1 << 20);
  refused(open("/dev/null", O_RDWR));
  const int sealed = memfd_create("sealed", MFD_ALLOW_SEALING);
  refused(sealed);
  CHECK(fcntl(sealed, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0);
  refused(sealed);
  const int made_up = memfd_create("made up", MFD_ALLOW_SEALING), place[] = {1, 99};
  CHECK(write(made_up, "gevtPOL2", 8) == 8 && write(made_up, place, sizeof place) == sizeof place);
  CHECK(fcntl(made_up, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0);
  GIVES(101, cudaMemPoolImportFromShareableHandle(&pool, as_handle(made_up), FORM, 0));
  GIVES(1, cudaMemPoolImportFromShareableHandle(&pool, as_handle(made_up), cudaMemHandleTypeNone, 0));
  GIVES(1, cudaMemPoolImportFromShareableHandle(nullptr, as_handle(made_up), FORM, 0));
  OK(cudaDeviceGetDefaultMemPool(&plain, 0));
  int file = -1;
  GIVES(1, cudaMemPoolExportToShareableHandle(&file, plain, FORM, 0));
  GIVES(1, cudaMemPoolExportToShareableHandle(nullptr, made(0), FORM, 0));
  cudaMemPoolPtrExportData data = {};
  GIVES(1, cudaMemPoolExportPointer(&data, nullptr));
  GIVES(1, cudaMemPoolExportPointer(&data, &data));
  GIVES(1, cudaMemPoolExportPointer(nullptr, nullptr));
  GIVES(1, cudaMemPoolImportPointer(nullptr, plain, &data));
  CHECK(pool == nullptr && file == -1);
}

// A system may add a seal of its own to what its processes make.
static void sealed_by_the_system() {
  const unsigned no_code = 8;
  const int file = memfd_create("gevt", MFD_ALLOW_SEALING | no_code), place[] = {1, 0};
  if (file < 0) {
    // The kernel does not know such files.
    return;
  }
  CHECK(write(file, "gevtPOL2", 8) == 8 && write(file, place, sizeof place) == sizeof place);
  CHECK(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0);
  OK(cudaMemPoolDestroy(imported(file)));
  close(file);
}

// A pool that is destroyed while it is exported leaves no file open.
static void exported_at_its_end() {
  const size_t before = open_files();
  for (int round = 0; round < 2000; round++) {
    cudaMemPool_t pool = made(0);
    std::atomic<int> ready{0};
    const auto together = [&ready] {
      ready++;
      while (ready < 2) {
        std::this_thread::yield();
      }
    };
    std::thread other([pool, &together] {
      together();
      int file = -1;
      if (cudaMemPoolExportToShareableHandle(&file, pool, FORM, 0) == 0) {
        close(file);
      }
    });
    together();
    OK(cudaMemPoolDestroy(pool));
    other.join();
  }
  CHECK(open_files() == before);
}

int main() {
  int both[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0);
  const pid_t pid = fork();
  CHECK(pid >= 0);
  sockets[0] = both[pid == 0];
  close(both[pid != 0]);
  if (pid == 0) {
    importer();
    return 0;
  }
  exporter();
  int status = -1;
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  within(1);
  const size_t before = open_files();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) {
    threads.emplace_back(within, 50);
  }
  for (auto &thread : threads) {
    thread.join();
  }
  CHECK(open_files() == before);
  exported_at_its_end();
  sealed_by_the_system();
  files_that_are_none();
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    int file = -1;
    GIVES(3, cudaMemPoolExportToShareableHandle(&file, nullptr, FORM, 0));
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
