// Node operations: copies, sets, events and memory, their parameters, and updates of executable graphs.
#include "objects.h"
#include <cstring>
#include <driver_functions.h>
#include <initializer_list>

constexpr size_t BYTES = 4096;

static char *one, *two;
static cudaStream_t stream;

static char byte_of(const char *memory) {
  char back = 0;
  OK(cudaMemcpy(&back, memory + BYTES - 1, 1, cudaMemcpyDeviceToHost));
  return back;
}

static cudaMemsetParams fill(char *memory, unsigned value) {
  cudaMemsetParams params = {};
  params.dst = memory;
  params.value = value;
  params.elementSize = 1;
  params.width = BYTES;
  params.height = 1;
  return params;
}

static void memory() {
  cudaGraphNode_t set, copy;
  cudaGraph_t graph = new_graph();
  cudaMemsetParams params = fill(one, 5), got = {};
  OK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &params));
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &set, 1, two, one, BYTES, cudaMemcpyDeviceToDevice));
  OK(cudaGraphMemsetNodeGetParams(set, &got));
  CHECK(got.dst == one && got.value == 5 && got.width == BYTES && got.elementSize == 1);
  cudaGraphExec_t executable = instantiated(graph);
  launch(executable, stream);
  CHECK(byte_of(two) == 5);

  // The graph changes, and what was instantiated does not, until it is updated.
  params.value = 6;
  OK(cudaGraphMemsetNodeSetParams(set, &params));
  launch(executable, stream);
  CHECK(byte_of(two) == 5);
  cudaGraphExecUpdateResultInfo info;
  OK(cudaGraphExecUpdate(executable, graph, &info));
  CHECK(info.result == cudaGraphExecUpdateSuccess);
  launch(executable, stream);
  CHECK(byte_of(two) == 6);

  params.value = 7;
  OK(cudaGraphExecMemsetNodeSetParams(executable, set, &params));
  launch(executable, stream);
  CHECK(byte_of(two) == 7 && byte_of(one) == 7);

  unsigned enabled = 5;
  OK(cudaMemset(two, 1, BYTES));
  OK(cudaGraphNodeSetEnabled(executable, copy, 0));
  OK(cudaGraphNodeGetEnabled(executable, copy, &enabled));
  CHECK(enabled == 0);
  launch(executable, stream);
  CHECK(byte_of(two) == 1);
}

static void copies() {
  cudaGraphNode_t copy;
  char from[64], to[64];
  std::memset(from, 3, 64);
  cudaMemcpy3DParms params = {}, got = {};
  params.srcPtr = make_cudaPitchedPtr(from, 8, 8, 8);
  params.dstPtr = make_cudaPitchedPtr(one, 8, 8, 8);
  params.extent = make_cudaExtent(8, 8, 1);
  params.kind = cudaMemcpyHostToDevice;
  cudaGraph_t graph = new_graph();
  OK(cudaGraphAddMemcpyNode(&copy, graph, nullptr, 0, &params));
  OK(cudaGraphMemcpyNodeGetParams(copy, &got));
  CHECK(got.srcPtr.ptr == from && got.dstPtr.ptr == one && got.extent.height == 8 && got.kind == params.kind);
  OK(cudaGraphMemcpyNodeSetParams(copy, &got));
  CUDA_MEMCPY3D driver = {};
  OK(cuGraphMemcpyNodeGetParams(reinterpret_cast<CUgraphNode>(copy), &driver));
  CHECK(driver.srcHost == from && driver.WidthInBytes == 8 && driver.Height == 8);
  cudaGraphExec_t executable = instantiated(graph);
  launch(executable, stream);
  OK(cudaMemcpy(to, one, 64, cudaMemcpyDeviceToHost));
  CHECK(to[63] == 3);
}

static void events() {
  cudaGraphNode_t record, wait;
  cudaEvent_t first = new_event(), second = new_event();
  cudaGraph_t graph = new_graph();
  OK(cudaGraphAddEventRecordNode(&record, graph, nullptr, 0, first));
  OK(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, first));
  cudaGraphExec_t executable = instantiated(graph);
  OK(cudaGraphExecEventRecordNodeSetEvent(executable, record, second));
  launch(executable, stream);
  float ms;
  OK(cudaEventElapsedTime(&ms, second, second));
  GIVES(400, cudaEventElapsedTime(&ms, first, first));
}

// A graph whose captured nodes allocate memory, set it, and perhaps free it.
static cudaGraph_t allocating(char **memory, bool frees) {
  cudaGraph_t graph = nullptr;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(reinterpret_cast<void **>(memory), BYTES, stream));
  OK(cudaMemsetAsync(*memory, 9, BYTES, stream));
  if (frees) {
    OK(cudaFreeAsync(*memory, stream));
  }
  OK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

static void allocations() {
  char *memory = nullptr;
  cudaGraph_t graph = allocating(&memory, true);
  cudaGraphExec_t executable = instantiated(graph);
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphLaunch(executable, stream));
  OK(cudaGraphLaunch(executable, stream));
  OK(cudaGraphExecDestroy(executable));
  OK(cudaStreamSynchronize(stream));
}

// Memory that no node frees belongs to the program. It frees the memory before the next launch, or requests that from the launch.
static void unfreed() {
  char *memory = nullptr;
  cudaGraphExec_t freeing;
  cudaGraph_t graph = allocating(&memory, false);
  cudaGraphExec_t executable = instantiated(graph);
  GIVES(801, cudaGraphInstantiateWithFlags(&freeing, graph, 0));
  launch(executable, stream);
  CHECK(byte_of(memory) == 9);
  GIVES(1, cudaGraphLaunch(executable, stream));
  OK(cudaFree(memory));
  launch(executable, stream);
  OK(cudaFreeAsync(memory, stream));
  OK(cudaGraphExecDestroy(executable));
  OK(cudaStreamSynchronize(stream));
  OK(cudaGraphInstantiateWithFlags(&freeing, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  OK(cudaGraphLaunch(freeing, stream));
  OK(cudaGraphLaunch(freeing, stream));
  OK(cudaStreamSynchronize(stream));
}

static void captured() {
  cudaGraph_t graph, seen = nullptr;
  cudaGraphExec_t executable;
  char *memory;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(reinterpret_cast<void **>(&memory), BYTES, stream));
  OK(cudaMemsetAsync(memory, 4, BYTES, stream));
  OK(cudaMemcpyAsync(one, memory, BYTES, cudaMemcpyDeviceToDevice, stream));
  cudaStreamCaptureStatus status;
  unsigned long long id;
  const cudaGraphNode_t *ends;
  size_t count;
  const auto ask = [&] {
#if CUDART_VERSION >= 13000
    OK(cudaStreamGetCaptureInfo(stream, &status, &id, &seen, &ends, nullptr, &count));
#else
    OK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &seen, &ends, &count));
#endif
  };
  ask();
  CHECK(status == cudaStreamCaptureStatusActive && count == 1);
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(ends[0], &type));
  CHECK(type == cudaGraphNodeTypeMemcpy);
  // The program adds a node by hand, and the capture continues after it.
  cudaGraphNode_t added;
  OK(cudaGraphAddEmptyNode(&added, seen, ends, count));
#if CUDART_VERSION >= 13000
  OK(cudaStreamUpdateCaptureDependencies(stream, &added, nullptr, 1, cudaStreamSetCaptureDependencies));
#else
  OK(cudaStreamUpdateCaptureDependencies(stream, &added, 1, cudaStreamSetCaptureDependencies));
#endif
  OK(cudaFreeAsync(memory, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  CHECK(graph == seen);
  OK(cudaGraphGetNodes(graph, nullptr, &count));
  CHECK(count == 5);
  OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  launch(executable, stream);
  CHECK(byte_of(one) == 4);
  // A launch in a capture is one node. A capture may continue in an existing graph.
  cudaGraph_t more = new_graph();
  OK(cudaStreamBeginCaptureToGraph(stream, more, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
  OK(cudaMemsetAsync(one, 8, BYTES, stream));
  OK(cudaStreamEndCapture(stream, &seen));
  CHECK(seen == more);
  OK(cudaGraphInstantiateWithFlags(&executable, more, 0));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  OK(cudaGraphLaunch(executable, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphGetNodes(graph, nullptr, &count));
  CHECK(count == 1);
  OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  launch(executable, stream);
  CHECK(byte_of(one) == 8);
  // Ending a capture without a result pointer destroys its graph, unless the graph existed before.
  for (const bool there : {false, true}) {
    if (there) {
      OK(cudaStreamBeginCaptureToGraph(stream, more, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
    } else {
      OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    }
    ask();
    OK(cudaStreamEndCapture(stream, nullptr));
    GIVES(there ? 0 : 1, cudaGraphGetNodes(seen, nullptr, &count));
  }
}

// A launch that would copy or set freed memory is refused before any node runs, even if the node is in a child graph.
static void freed() {
  cudaGraphNode_t first, set;
  static int runs = 0;
  cudaHostNodeParams count = {[](void *) { runs++; }, nullptr};
  void *memory = nullptr;
  OK(cudaMalloc(&memory, BYTES));
  cudaMemsetParams params = {};
  params.dst = memory;
  params.elementSize = 1;
  params.width = BYTES;
  params.height = 1;
  cudaGraph_t graph = new_graph();
  OK(cudaGraphAddHostNode(&first, graph, nullptr, 0, &count));
  OK(cudaGraphAddMemsetNode(&set, graph, &first, 1, &params));
  cudaGraph_t outer = new_graph();
  OK(cudaGraphAddChildGraphNode(&first, outer, nullptr, 0, graph));
  cudaGraphExec_t executable = instantiated(outer);
  launch(executable, stream);
  OK(cudaFree(memory));
  GIVES(1, cudaGraphLaunch(executable, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK(runs == 1);
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(outer));
  OK(cudaGraphDestroy(graph));
}

int main() {
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaMalloc(reinterpret_cast<void **>(&one), BYTES));
  OK(cudaMalloc(reinterpret_cast<void **>(&two), BYTES));
  memory();
  copies();
  events();
  allocations();
  unfreed();
  captured();
  freed();
}
