// Streams that wait for words of memory and write them: cuStreamWaitValue32 and its like.
#include "objects.h"
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <vector>

static std::atomic<int> calls{0};

static void count(void *) {
  calls += 1;
}

// A page that the host and the device share.
struct Page {
  void *host = nullptr;
  CUdeviceptr address = 0;
  Page() {
    OK(cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
    std::memset(host, 0, 4096);
    OK(cuMemHostGetDevicePointer(&address, host, 0));
  }
  ~Page() { cuMemFreeHost(host); }
  void write(uint64_t value) { __atomic_store_n(static_cast<uint64_t *>(host), value, __ATOMIC_RELEASE); }
};

static void sync(CUstream stream) {
  OK(cuStreamSynchronize(stream));
}

// Only 8 bytes show that there is more.
static void wide() {
  Page page;
  CUstream stream = new_driver_stream();
  page.write(5);
  OK(cuStreamWaitValue64(stream, page.address, (uint64_t{1} << 32) + 5, CU_STREAM_WAIT_VALUE_EQ));
  GIVES(600, cuStreamQuery(stream));
  page.write((uint64_t{1} << 32) + 5);
  sync(stream);
  OK(cuStreamDestroy(stream));
}

// One stream writes what another waits for, in device memory, and back.
static void between_streams() {
  CUdeviceptr memory;
  OK(cuMemAlloc(&memory, 64));
  OK(cuMemsetD8(memory, 0, 64));
  OK(cuCtxSynchronize());
  CUstream one = new_driver_stream(), other = new_driver_stream();
  for (uint32_t round = 1; round <= 50; ++round) {
    OK(cuStreamWriteValue32(one, memory, round, 0));
    OK(cuStreamWaitValue64(one, memory + 8, round, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cuStreamWaitValue32(other, memory, round, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cuStreamWriteValue64(other, memory + 8, round, 0));
  }
  sync(one);
  sync(other);
  uint64_t last = 0;
  OK(cuMemcpyDtoH(&last, memory + 8, sizeof last));
  CHECK(last == 50);
  OK(cuMemFree(memory));
  OK(cuStreamDestroy(one));
  OK(cuStreamDestroy(other));
}

// More streams wait than there are threads, and another stream still runs.
static void holds_no_thread() {
  Page page;
  std::vector<CUstream> streams;
  for (int at = 0; at < 200; ++at) {
    streams.push_back(new_driver_stream());
    OK(cuStreamWaitValue32(streams.back(), page.address, 1, CU_STREAM_WAIT_VALUE_GEQ));
  }
  CUstream free = new_driver_stream();
  OK(cuLaunchHostFunc(free, count, nullptr));
  sync(free);
  for (CUstream stream : streams) {
    GIVES(600, cuStreamQuery(stream));
  }
  page.write(1);
  for (CUstream stream : streams) {
    sync(stream);
    OK(cuStreamDestroy(stream));
  }
  OK(cuStreamDestroy(free));
}

static void graphs() {
  Page page;
  CUstream stream = new_driver_stream();
  CUgraph graph;
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuStreamWaitValue32(stream, page.address, 3, CU_STREAM_WAIT_VALUE_GEQ));
  OK(cuStreamWriteValue32(stream, page.address + 8, 7, 0));
  OK(cuStreamEndCapture(stream, &graph));
  CUgraphNode nodes[2];
  size_t count = 2;
  OK(cuGraphGetNodes(graph, nodes, &count));
  CHECK(count == 2);
  CUgraphNodeType type;
  OK(cuGraphNodeGetType(nodes[0], &type));
  CHECK(type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  CUgraphExec executable;
  OK(cuGraphInstantiate(&executable, graph, 0));
  OK(cuGraphLaunch(executable, stream));
  GIVES(600, cuStreamQuery(stream));
  page.write(3);
  sync(stream);
  CHECK(static_cast<uint32_t *>(page.host)[2] == 7);

  // The word is as it was waited for.
  OK(cuGraphLaunch(executable, stream));
  sync(stream);
  OK(cuGraphExecDestroy(executable));
  OK(cuGraphDestroy(graph));
  OK(cuStreamDestroy(stream));
}

// The stream is destroyed while it waits: its submitted work still waits.
static void destroyed_stream() {
  Page page;
  CUevent event = new_driver_event();
  CUstream stream = new_driver_stream();
  OK(cuStreamWaitValue32(stream, page.address, 1, CU_STREAM_WAIT_VALUE_GEQ));
  OK(cuEventRecord(event, stream));
  OK(cuStreamDestroy(stream));
  GIVES(600, cuEventQuery(event));
  page.write(1);
  OK(cuEventSynchronize(event));
  OK(cuEventDestroy(event));
}

// Unmapping memory that a stream waits for is an error of the stream.
static void unmapped() {
  void *memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CUdeviceptr address;
  OK(cuMemHostRegister(memory, 4096, CU_MEMHOSTREGISTER_DEVICEMAP));
  OK(cuMemHostGetDevicePointer(&address, memory, 0));
  CUstream stream = new_driver_stream();
  OK(cuStreamWaitValue32(stream, address, 1, CU_STREAM_WAIT_VALUE_GEQ));
  OK(cuStreamWriteValue32(stream, address, 1, 0));
  munmap(memory, 4096);
  GIVES(700, cuStreamSynchronize(stream));
  OK(cuStreamDestroy(stream));
  OK(cuMemHostUnregister(memory));
}

// A child of a fork, and exit, leave a wait as it is.
static void fork_and_exit() {
  Page *page = new Page;
  CUstream stream = new_driver_stream();
  OK(cuStreamWaitValue32(stream, page->address, 1, CU_STREAM_WAIT_VALUE_GEQ));
  GIVES(600, cuStreamQuery(stream));
  const pid_t child = fork();
  if (child == 0) {
    std::exit(cuStreamWaitValue32(stream, page->address, 1, 0) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
  }
  must_end_well(child);
}

int main() {
  use_primary();
  wide();
  between_streams();
  holds_no_thread();
  graphs();
  destroyed_stream();
  unmapped();
  fork_and_exit();
}
