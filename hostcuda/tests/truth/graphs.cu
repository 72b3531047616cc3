// What the real CUDA driver and runtime answer about graphs that are built node by node, and about kernels.
// As truth.cu, one case a process.
// usage: graphs list | graphs CASE    prints CASE<TAB>name=value ...
#include "../edges.h"
#include "ask.h"

CASE(graph_edges) {
  cudaGraph_t graph = nullptr, other = nullptr;
  GIVES("flags", cudaGraphCreate(&graph, 1));
  GIVES("null", cudaGraphCreate(nullptr, 0));
  GIVES("create", cudaGraphCreate(&graph, 0));
  cudaGraphCreate(&other, 0);
  cudaGraphNode_t a = empty_in(graph), b = empty_in(graph), c = empty_in(other), node = nullptr;
  GIVES("edge", ADD_EDGE(graph, &a, &b));
  GIVES("twice", ADD_EDGE(graph, &a, &b));
  GIVES("self", ADD_EDGE(graph, &a, &a));
  GIVES("foreign", ADD_EDGE(graph, &a, &c));
  const cudaGraphNode_t twice[] = {a, a};
  GIVES("node_twice", cudaGraphAddEmptyNode(&node, graph, twice, 2));
  GIVES("node_foreign", cudaGraphAddEmptyNode(&node, graph, &c, 1));
  GIVES("circle", ADD_EDGE(graph, &b, &a));
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiateParams params = {};
  GIVES("instantiate_circle", cudaGraphInstantiateWithFlags(&executable, graph, 0));
  GIVES("instantiate_params", cudaGraphInstantiateWithParams(&executable, graph, &params));
  value("result", params.result_out);
  GIVES("remove", REMOVE_EDGE(graph, &b, &a));
  GIVES("remove_again", REMOVE_EDGE(graph, &b, &a));
  GIVES("instantiate_flags", cudaGraphInstantiateWithFlags(&executable, graph, 16));
  size_t count = 1;
  cudaGraphNode_t nodes[4] = {};
  GIVES("nodes_short", cudaGraphGetNodes(graph, nodes, &count));
  value("count_short", static_cast<long long>(count));
  count = 4;
  GIVES("nodes_long", cudaGraphGetNodes(graph, nodes, &count));
  value("count_long", static_cast<long long>(count));
  value("rest_is_null", nodes[2] == nullptr);
  GIVES("nodes_null", cudaGraphGetNodes(graph, nodes, nullptr));
  GIVES("destroy_null_node", cudaGraphDestroyNode(nullptr));
  GIVES("destroy_null", cudaGraphDestroy(nullptr));
  GIVES("exec_destroy_null", cudaGraphExecDestroy(nullptr));
  GIVES("launch_null", cudaGraphLaunch(nullptr, nullptr));
}
CASE(graph_children) {
  cudaGraph_t inner = new_graph(), outer = new_graph(), found = nullptr, clone = nullptr;
  empty_in(inner);
  cudaGraphNode_t child = nullptr, in_clone = nullptr;
  GIVES("child", cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
  GIVES("get", cudaGraphChildGraphNodeGetGraph(child, &found));
  value("another", found != inner);
  GIVES("clone", cudaGraphClone(&clone, outer));
  GIVES("find", cudaGraphNodeFindInClone(&in_clone, child, clone));
  GIVES("find_wrong", cudaGraphNodeFindInClone(&in_clone, child, inner));
  GIVES("get_wrong", cudaGraphChildGraphNodeGetGraph(empty_in(outer), &found));
  cudaGraph_t null = nullptr;
  GIVES("null_child", cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, null));
}
CASE(graph_exec_update) {
  char *memory = device_memory(64);
  cudaMemsetParams params = {};
  params.dst = memory;
  params.elementSize = 1;
  params.width = 64;
  params.height = 1;
  cudaGraph_t graph = new_graph(), other = new_graph();
  cudaGraphNode_t set = nullptr, node = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaGraphExecUpdateResultInfo info = {};
  GIVES("set", cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &params));
  GIVES("make", cudaGraphInstantiateWithFlags(&executable, graph, 0));
  params.value = 3;
  GIVES("exec_set", cudaGraphExecMemsetNodeSetParams(executable, set, &params));
  GIVES("launch", cudaGraphLaunch(executable, nullptr));
  cudaDeviceSynchronize();
  value("wrong", count_wrong(memory, 64, 3));
  GIVES("empty", cudaGraphExecUpdate(executable, other, &info));
  value("empty_result", info.result);
  cudaGraphAddEmptyNode(&node, other, nullptr, 0);
  GIVES("type", cudaGraphExecUpdate(executable, other, &info));
  value("type_result", info.result);
  unsigned enabled = 7;
  GIVES("disable", cudaGraphNodeSetEnabled(executable, set, 0));
  GIVES("enabled", cudaGraphNodeGetEnabled(executable, set, &enabled));
  value("is", enabled);
  params.elementSize = 3;
  GIVES("size", cudaGraphMemsetNodeSetParams(set, &params));
  params.elementSize = 1;
  params.width = 0;
  GIVES("no_width", cudaGraphMemsetNodeSetParams(set, &params));
  cudaHostNodeParams host = {};
  GIVES("no_function", cudaGraphAddHostNode(&node, graph, nullptr, 0, &host));
  GIVES("wrong_node", cudaGraphHostNodeSetParams(set, &host));
  GIVES("null_event", cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, nullptr));
  GIVES("copy_none", cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, memory, memory, 0, cudaMemcpyDefault));
}
CASE(graph_user_objects) {
  static std::atomic<int> destroyed{0};
  cudaUserObject_t object = nullptr;
  cudaGraph_t graph = nullptr;
  cudaHostFn_t destroy = [](void *) { destroyed++; };
  GIVES("no_flags", cudaUserObjectCreate(&object, nullptr, destroy, 1, 0));
  GIVES("none", cudaUserObjectCreate(&object, nullptr, destroy, 0, cudaUserObjectNoDestructorSync));
  GIVES("create", cudaUserObjectCreate(&object, nullptr, destroy, 2, cudaUserObjectNoDestructorSync));
  cudaGraphCreate(&graph, 0);
  GIVES("move", cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  GIVES("release_none", cudaGraphReleaseUserObject(graph, object, 0));
  GIVES("release_many", cudaGraphReleaseUserObject(graph, object, 5));
  GIVES("release", cudaUserObjectRelease(object, 1));
  value("before", destroyed);
  cudaGraphDestroy(graph);
  // One of the driver's threads calls it eventually; otherwise this hangs.
  while (destroyed == 0) {
    usleep(1000);
  }
  value("after", destroyed);
}
CASE(graph_memory) {
  cudaStream_t stream = new_stream();
  char *memory = nullptr, *plain = device_memory(4096);
  cudaGraph_t graph = nullptr, clone = nullptr, second = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  GIVES("alloc", cudaMallocAsync(reinterpret_cast<void **>(&memory), 4096, stream));
  value("address", memory != nullptr);
  GIVES("set", cudaMemsetAsync(memory, 4, 4096, stream));
  GIVES("copy", cudaMemcpyAsync(plain, memory, 4096, cudaMemcpyDeviceToDevice, stream));
  GIVES("free", cudaFreeAsync(memory, stream));
  GIVES("end", cudaStreamEndCapture(stream, &graph));
  size_t count = 0;
  cudaGraphGetNodes(graph, nullptr, &count);
  value("nodes", static_cast<long long>(count));
  GIVES("clone", cudaGraphClone(&clone, graph));
  GIVES("make", cudaGraphInstantiateWithFlags(&executable, graph, 0));
  GIVES("launch", cudaGraphLaunch(executable, stream));
  GIVES("again", cudaGraphLaunch(executable, stream));
  cudaStreamSynchronize(stream);
  value("wrong", count_wrong(plain, 4096, 4));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  GIVES("free_plain", cudaFreeAsync(plain, stream));
  GIVES("end_plain", cudaStreamEndCapture(stream, &second));
}
CASE(graph_exec_copies) {
  char *one = device_memory(64), *two = device_memory(64);
  char host[64] = {};
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t copy = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaGraphExecUpdateResultInfo info = {};
  cudaGraphCreate(&graph, 0);
  GIVES("add", cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, one, host, 64, cudaMemcpyHostToDevice));
  cudaGraphInstantiateWithFlags(&executable, graph, 0);
  GIVES("shorter", cudaGraphExecMemcpyNodeSetParams1D(executable, copy, two, host, 32, cudaMemcpyHostToDevice));
  GIVES("other_kind", cudaGraphExecMemcpyNodeSetParams1D(executable, copy, one, two, 64, cudaMemcpyDeviceToDevice));
  cudaGetLastError();
  GIVES("set", cudaGraphMemcpyNodeSetParams1D(copy, one, two, 64, cudaMemcpyDeviceToDevice));
  GIVES("update", cudaGraphExecUpdate(executable, graph, &info));
  value("result", info.result);
}
// ---- host-visible properties of kernels; these cases need nvcc
#ifdef __CUDACC__
__global__ static void add_one(int *to) {
  to[0]++;
}
static void registered_nowhere() {}
CASE(kernel_shapes) {
  int *memory = reinterpret_cast<int *>(device_memory(64));
  void *arguments[] = {&memory};
  const void *kernel = reinterpret_cast<const void *>(add_one);
  GIVES("launch", cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr));
  GIVES("no_grid", cudaLaunchKernel(kernel, dim3(0), dim3(1), arguments, 0, nullptr));
  GIVES("wide_block", cudaLaunchKernel(kernel, dim3(1), dim3(1025), arguments, 0, nullptr));
  GIVES("deep_block", cudaLaunchKernel(kernel, dim3(1), dim3(1, 1, 65), arguments, 0, nullptr));
  GIVES("high_grid", cudaLaunchKernel(kernel, dim3(1, 65536), dim3(1), arguments, 0, nullptr));
  GIVES("shared", cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 1 << 20, nullptr));
  GIVES("unknown",
        cudaLaunchKernel(reinterpret_cast<const void *>(registered_nowhere), dim3(1), dim3(1), arguments, 0, nullptr));
  cudaGetLastError();
  CUfunction function = nullptr;
  GIVES("symbol", cudaGetFuncBySymbol(reinterpret_cast<cudaFunction_t *>(&function), kernel));
  GIVES("driver", cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  GIVES("driver_no_grid", cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  GIVES("driver_wide", cuLaunchKernel(function, 1, 1, 1, 1025, 1, 1, 0, nullptr, arguments, nullptr));
  GIVES("driver_null", cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
}
CASE(kernel_questions) {
  const void *kernel = reinterpret_cast<const void *>(add_one);
  cudaFuncAttributes attributes = {};
  GIVES("attributes", cudaFuncGetAttributes(&attributes, kernel));
  value("threads", attributes.maxThreadsPerBlock);
  value("most_shared", attributes.maxDynamicSharedSizeBytes);
  value("binary", attributes.binaryVersion);
  GIVES("unknown", cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(registered_nowhere)));
  GIVES("more", cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
  GIVES("too_much", cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
  int blocks = -1;
  for (int block : {32, 256, 1024, 0, 1025}) {
    GIVES("occupancy" + std::to_string(block),
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, 0));
    value("blocks" + std::to_string(block), blocks);
  }
  GIVES("with_shared", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 100 << 10));
  value("blocks", blocks);
  void *address = nullptr;
  GIVES("no_symbol", cudaGetSymbolAddress(&address, reinterpret_cast<const void *>(registered_nowhere)));
}
#endif
CASE(module_refused) {
  init();
  CUmodule module = nullptr;
  GIVES("no_file", cuModuleLoad(&module, "/nowhere/to/be/found"));
  GIVES("null_image", cuModuleLoadData(&module, nullptr));
  GIVES("null_module", cuModuleUnload(nullptr));
}
