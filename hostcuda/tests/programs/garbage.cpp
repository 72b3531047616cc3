// No call crashes on an invalid handle: it is refused.
#include "objects.h"
#include <initializer_list>

static char junk[4096];

template <typename T>
static T as(unsigned long long value) {
  return reinterpret_cast<T>(value);
}

static void none(void *) {}

static void events(unsigned long long bits) {
  const CUevent event = as<CUevent>(bits);
  CUipcEventHandle ipc;
  float ms;
  GIVES(400, cuEventQuery(event));
  GIVES(400, cuEventSynchronize(event));
  GIVES(400, cuEventRecord(event, nullptr));
  GIVES(400, cuEventRecordWithFlags(event, nullptr, 0));
  GIVES(400, cuStreamWaitEvent(nullptr, event, 0));
  GIVES(400, cuEventElapsedTime(&ms, event, event));
  GIVES(400, cuEventDestroy(event));
  GIVES(400, cuIpcGetEventHandle(&ipc, event));
  GIVES(400, cudaEventQuery(as<cudaEvent_t>(bits)));
  GIVES(400, cudaEventDestroy(as<cudaEvent_t>(bits)));
}

static void streams(unsigned long long bits) {
  const CUstream stream = as<CUstream>(bits);
  CUcontext context;
  CUgraph graph;
  CUdeviceptr memory = 0;
  GIVES(400, cuStreamQuery(stream));
  GIVES(400, cuStreamSynchronize(stream));
  GIVES(400, cuStreamDestroy(stream));
  GIVES(400, cuStreamGetCtx(stream, &context));
  GIVES(400, cuLaunchHostFunc(stream, none, nullptr));
  GIVES(400, cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  GIVES(400, cuStreamEndCapture(stream, &graph));
  GIVES(400, cuMemAllocAsync(&memory, 64, stream));
  GIVES(1, cuGraphLaunch(as<CUgraphExec>(bits), nullptr));
  GIVES(1, cuGraphDestroy(as<CUgraph>(bits)));
  GIVES(201, cuCtxSetCurrent(as<CUcontext>(bits)));
  GIVES(201, cuCtxDestroy(as<CUcontext>(bits)));
  GIVES(1, cuMemFree(static_cast<CUdeviceptr>(bits)));
}

static void graphs(unsigned long long bits) {
  const CUgraph graph = as<CUgraph>(bits);
  const CUgraphNode node = as<CUgraphNode>(bits);
  const CUgraphExec executable = as<CUgraphExec>(bits);
  CUgraph made;
  CUgraphNode other;
  CUgraphExec ready;
  CUgraphNodeType type;
  size_t count = 0;
  GIVES(1, cuGraphClone(&made, graph));
  GIVES(1, cuGraphGetNodes(graph, nullptr, &count));
  GIVES(1, cuGraphAddEmptyNode(&other, graph, nullptr, 0));
  GIVES(1, cuGraphAddChildGraphNode(&other, graph, nullptr, 0, graph));
  GIVES(1, cuGraphInstantiateWithFlags(&ready, graph, 0));
  GIVES(1, cuGraphExecDestroy(executable));
  GIVES(1, cuGraphDestroyNode(node));
  GIVES(1, cuGraphNodeGetType(node, &type));
  GIVES(1, cuGraphNodeFindInClone(&other, node, graph));
  GIVES(400, cuGraphEventRecordNodeSetEvent(node, as<CUevent>(bits)));
  GIVES(1, cuMemPoolDestroy(as<CUmemoryPool>(bits)));
  GIVES(1, cuMemPoolTrimTo(as<CUmemoryPool>(bits), 0));
}

int main() {
  for (char &byte : junk) {
    byte = '\x55';
  }
  OK(cudaFree(nullptr));
  CUevent event = new_driver_event(), dead = new_driver_event();
  OK(cuEventDestroy(dead));
  CUstream stream = new_driver_stream(0);
  const unsigned long long live = reinterpret_cast<unsigned long long>(event);
  const unsigned long long queue = reinterpret_cast<unsigned long long>(stream);
  const unsigned long long address = reinterpret_cast<unsigned long long>(junk);
  for (unsigned long long bits :
       {0x10ull, 0x11ull, 0xFFFull, address, address + 1, 0x7FFF00000000ull, ~0ull, live ^ 0x10, live + 1,
        live ^ (1ull << 40), live ^ (1ull << 63), reinterpret_cast<unsigned long long>(dead)}) {
    events(bits);
    streams(bits);
    graphs(bits);
  }
  events(queue);
  streams(live);
  OK(cuEventQuery(event));
  OK(cuStreamQuery(stream));
  GIVES(1, cuEventCreate(nullptr, 0));
  GIVES(1, cuStreamCreate(nullptr, 0));
  GIVES(1, cuLaunchHostFunc(stream, nullptr, nullptr));
  GIVES(801, cudaLaunchKernel(reinterpret_cast<void *>(junk), dim3(1), dim3(1), nullptr, 0, nullptr));
  GIVES(801, cudaPeekAtLastError());
  CUmodule module;
  GIVES(301, cuModuleLoad(&module, "none.cubin"));
  const char *name = nullptr;
  OK(cuGetErrorName(CUDA_ERROR_CAPTURED_EVENT, &name));
  CHECK(name && name[0] == 'C');
  GIVES(1, cuGetErrorName(static_cast<CUresult>(77777), &name));
  void *function = &function;
  CUdriverProcAddressQueryResult found;
  GIVES(500, cuGetProcAddress("cuNothing", &function, 13000, 0, &found));
  CHECK(function == nullptr && found == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}
