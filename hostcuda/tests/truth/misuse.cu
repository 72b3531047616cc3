// What the real CUDA driver and runtime answer to arguments that are not right: of graphs, nodes, captures and streams.
// As truth.cu, one case a process.
// usage: misuse list | misuse CASE    prints CASE<TAB>name=value ...
#include "../edges.h"
#include "ask.h"

static void CUDART_CB nothing(void *) {}

CASE(graph_nulls) {
  cudaGraph_t graph = new_graph(), clone = nullptr;
  cudaGraphNode_t node = empty_in(graph), found = nullptr;
  cudaGraphExec_t exec = nullptr;
  size_t count = 0;
  GIVES("clone_null", cudaGraphClone(nullptr, graph));
  GIVES("clone_of_null", cudaGraphClone(&clone, nullptr));
  GIVES("clone", cudaGraphClone(&clone, graph));
  GIVES("find", cudaGraphNodeFindInClone(&found, node, clone));
  GIVES("find_null", cudaGraphNodeFindInClone(nullptr, node, clone));
  GIVES("find_no_node", cudaGraphNodeFindInClone(&found, nullptr, clone));
  GIVES("find_no_graph", cudaGraphNodeFindInClone(&found, node, nullptr));
  GIVES("find_in_own", cudaGraphNodeFindInClone(&found, node, graph));
  GIVES("nodes_null_graph", cudaGraphGetNodes(nullptr, &found, &count));
  GIVES("nodes_null_count", cudaGraphGetNodes(graph, &found, nullptr));
  GIVES("roots_null_graph", cudaGraphGetRootNodes(nullptr, &found, &count));
  GIVES("roots_null_count", cudaGraphGetRootNodes(graph, &found, nullptr));
  count = 3;
  cudaGraphNode_t many[3] = {node, node, node};
  GIVES("roots", cudaGraphGetRootNodes(graph, many, &count));
  value("roots_count", count), value("roots_rest", many[1] == nullptr);
  cudaGraphNodeType type;
  GIVES("type_null", cudaGraphNodeGetType(node, nullptr));
  GIVES("type_no_node", cudaGraphNodeGetType(nullptr, &type));
  GIVES("instantiate_null", cudaGraphInstantiateWithFlags(nullptr, graph, 0));
  GIVES("instantiate_no_graph", cudaGraphInstantiateWithFlags(&exec, nullptr, 0));
  GIVES("instantiate_10", cudaGraphInstantiateWithFlags(&exec, graph, 10));
  GIVES("instantiate_16", cudaGraphInstantiateWithFlags(&exec, graph, 16));
  cudaGraphInstantiateParams params = {};
  params.flags = 100;
  GIVES("params_100", cudaGraphInstantiateWithParams(&exec, graph, &params));
  value("params_result", params.result_out);
  GIVES("params_null", cudaGraphInstantiateWithParams(&exec, graph, nullptr));
  params.flags = 0;
  GIVES("params_no_exec", cudaGraphInstantiateWithParams(nullptr, graph, &params));
  GIVES("params_no_graph", cudaGraphInstantiateWithParams(&exec, nullptr, &params));
  GIVES("make", cudaGraphInstantiateWithFlags(&exec, graph, 0));
  unsigned long long flags = 7;
  GIVES("flags_null", cudaGraphExecGetFlags(exec, nullptr));
  GIVES("flags_no_exec", cudaGraphExecGetFlags(nullptr, &flags));
  GIVES("upload_null", cudaGraphUpload(nullptr, nullptr));
  GIVES("upload_stream0", cudaGraphUpload(exec, nullptr));
  GIVES("launch_stream0", cudaGraphLaunch(exec, nullptr));
  GIVES("launch_null", cudaGraphLaunch(nullptr, new_stream()));
#if CUDART_VERSION >= 12000
  cudaGraphExecUpdateResultInfo info = {};
  GIVES("update_no_exec", cudaGraphExecUpdate(nullptr, graph, &info));
  GIVES("update_no_graph", cudaGraphExecUpdate(exec, nullptr, &info));
  GIVES("update_no_info", cudaGraphExecUpdate(exec, graph, nullptr));
#endif
  GIVES("destroy_node_null", cudaGraphDestroyNode(nullptr));
  GIVES("destroy_node", cudaGraphDestroyNode(node));
  GIVES("destroy", cudaGraphDestroy(graph));
  GIVES("exec_destroy", cudaGraphExecDestroy(exec));
  GIVES("create_null", cudaGraphCreate(nullptr, 0));
  GIVES("create_flags", cudaGraphCreate(&graph, 1));
}
CASE(instantiate_flags) {
  cudaGraph_t graph = new_graph();
  empty_in(graph);
  for (unsigned long long flags : {1, 2, 3, 4, 5, 8, 9, 10, 12, 15}) {
    cudaGraphExec_t exec = nullptr;
    unsigned long long got = 77;
    GIVES("flags_" + std::to_string(flags), cudaGraphInstantiateWithFlags(&exec, graph, flags));
    if (exec) {
      cudaGraphExecGetFlags(exec, &got);
      value("got_" + std::to_string(flags), got);
    }
    cudaGraphInstantiateParams params = {};
    params.flags = flags;
    exec = nullptr;
    GIVES("params_" + std::to_string(flags), cudaGraphInstantiateWithParams(&exec, graph, &params));
    value("result_" + std::to_string(flags), params.result_out);
    if (exec) {
      cudaGraphExecGetFlags(exec, &got);
      value("params_got_" + std::to_string(flags), got);
    }
  }
}
CASE(destroyed_graph) {
  cudaGraph_t graph = new_graph();
  cudaGraphNode_t other = nullptr;
  GIVES("destroy", cudaGraphDestroy(graph));
  GIVES("add", cudaGraphAddEmptyNode(&other, graph, nullptr, 0));
}
CASE(destroyed_graph_twice) {
  cudaGraph_t graph = new_graph();
  GIVES("destroy", cudaGraphDestroy(graph));
  GIVES("again", cudaGraphDestroy(graph));
}
CASE(destroyed_graph_instantiate) {
  cudaGraph_t graph = new_graph();
  cudaGraphExec_t exec = nullptr;
  GIVES("destroy", cudaGraphDestroy(graph));
  GIVES("make", cudaGraphInstantiateWithFlags(&exec, graph, 0));
}
CASE(destroyed_exec) {
  cudaGraph_t graph = new_graph();
  cudaGraphExec_t exec = nullptr;
  GIVES("make", cudaGraphInstantiateWithFlags(&exec, graph, 0));
  GIVES("destroy", cudaGraphExecDestroy(exec));
  GIVES("launch", cudaGraphLaunch(exec, new_stream()));
}
CASE(garbage_graph) {
  cudaGraphNode_t node = nullptr;
  GIVES("add", cudaGraphAddEmptyNode(&node, reinterpret_cast<cudaGraph_t>(0x1234567890), nullptr, 0));
}
CASE(direct_memory_attributes) {
  for (int number : {18, 35, 84, 86, 98, 100, 101, 104, 113, 117, 118, 125, 130, 132, 134, 136}) {
    int got = -1;
    cudaDeviceGetAttribute(&got, static_cast<cudaDeviceAttr>(number), 0);
    value("attribute_" + std::to_string(number), got);
  }
}
CASE(node_nulls) {
  cudaGraph_t graph = new_graph();
  cudaGraphNode_t node = nullptr, empty = empty_in(graph), other = empty_in(new_graph());
  cudaEvent_t event = new_event(), got = nullptr;
  GIVES("record_null", cudaGraphAddEventRecordNode(nullptr, graph, nullptr, 0, event));
  GIVES("record_no_graph", cudaGraphAddEventRecordNode(&node, nullptr, nullptr, 0, event));
  GIVES("record_no_event", cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, nullptr));
  GIVES("record_no_list", cudaGraphAddEventRecordNode(&node, graph, nullptr, 1, event));
  GIVES("record_other", cudaGraphAddEventRecordNode(&node, graph, &other, 1, event));
  GIVES("record_list_no_count", cudaGraphAddEventRecordNode(&node, graph, &empty, 0, event));
  cudaGraphNode_t null_list[1] = {nullptr};
  GIVES("record_null_in_list", cudaGraphAddEventRecordNode(&node, graph, null_list, 1, event));
  GIVES("get", cudaGraphEventRecordNodeGetEvent(node, &got));
  GIVES("get_null", cudaGraphEventRecordNodeGetEvent(node, nullptr));
  GIVES("get_no_node", cudaGraphEventRecordNodeGetEvent(nullptr, &got));
  GIVES("get_empty", cudaGraphEventRecordNodeGetEvent(empty, &got));
  GIVES("get_as_wait", cudaGraphEventWaitNodeGetEvent(node, &got));
  GIVES("set_null", cudaGraphEventRecordNodeSetEvent(node, nullptr));
  GIVES("set_no_node", cudaGraphEventRecordNodeSetEvent(nullptr, event));
  GIVES("set_empty", cudaGraphEventRecordNodeSetEvent(empty, event));
  GIVES("set_as_wait", cudaGraphEventWaitNodeSetEvent(node, event));
  cudaHostNodeParams host = {nothing, nullptr}, none = {};
  cudaGraphNode_t calls = nullptr;
  GIVES("host", cudaGraphAddHostNode(&calls, graph, nullptr, 0, &host));
  GIVES("host_null", cudaGraphAddHostNode(&node, graph, nullptr, 0, nullptr));
  GIVES("host_no_function", cudaGraphAddHostNode(&node, graph, nullptr, 0, &none));
  GIVES("host_get_null", cudaGraphHostNodeGetParams(calls, nullptr));
  GIVES("host_get_no_node", cudaGraphHostNodeGetParams(nullptr, &none));
  GIVES("host_get_empty", cudaGraphHostNodeGetParams(empty, &none));
  GIVES("host_set_null", cudaGraphHostNodeSetParams(calls, nullptr));
  GIVES("host_set_no_node", cudaGraphHostNodeSetParams(nullptr, &host));
  none = {};
  GIVES("host_set_no_function", cudaGraphHostNodeSetParams(calls, &none));
  GIVES("child_null", cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, nullptr));
  cudaGraph_t inner = nullptr;
  GIVES("child_get_null", cudaGraphChildGraphNodeGetGraph(nullptr, &inner));
  GIVES("child_get_empty", cudaGraphChildGraphNodeGetGraph(empty, &inner));
  cudaGraphExec_t exec = nullptr;
  GIVES("make", cudaGraphInstantiateWithFlags(&exec, graph, 0));
  GIVES("exec_host_no_exec", cudaGraphExecHostNodeSetParams(nullptr, calls, &host));
  GIVES("exec_host_no_node", cudaGraphExecHostNodeSetParams(exec, nullptr, &host));
  GIVES("exec_host_null", cudaGraphExecHostNodeSetParams(exec, calls, nullptr));
  GIVES("exec_host_no_function", cudaGraphExecHostNodeSetParams(exec, calls, &none));
  GIVES("exec_host_empty", cudaGraphExecHostNodeSetParams(exec, empty, &host));
  GIVES("exec_host_other", cudaGraphExecHostNodeSetParams(exec, other, &host));
  GIVES("exec_record_no_exec", cudaGraphExecEventRecordNodeSetEvent(nullptr, node, event));
  GIVES("exec_record_empty", cudaGraphExecEventRecordNodeSetEvent(exec, empty, event));
}
CASE(dependency_nulls) {
  cudaGraph_t graph = new_graph(), foreign = new_graph();
  cudaGraphNode_t one = empty_in(graph), two = empty_in(graph), other = empty_in(foreign);
  cudaGraphNode_t from[4] = {}, to[4] = {};
  size_t count = 0;
  GIVES("none", ADD_EDGES(graph, nullptr, nullptr, 0));
  GIVES("no_graph_none", ADD_EDGES(nullptr, nullptr, nullptr, 0));
  GIVES("no_graph", ADD_EDGES(nullptr, &one, &two, 1));
  GIVES("no_from", ADD_EDGES(graph, nullptr, &two, 1));
  GIVES("no_to", ADD_EDGES(graph, &one, nullptr, 1));
  GIVES("other", ADD_EDGES(graph, &one, &other, 1));
  GIVES("in_foreign", ADD_EDGES(foreign, &one, &two, 1));
  GIVES("good", ADD_EDGES(graph, &one, &two, 1));
  GIVES("edges_no_graph", EDGES_OF(nullptr, from, to, &count));
  GIVES("edges_no_count", EDGES_OF(graph, from, to, nullptr));
  GIVES("edges_no_from", EDGES_OF(graph, nullptr, to, &count));
  GIVES("edges_no_to", EDGES_OF(graph, from, nullptr, &count));
  count = 4;
  from[2] = to[2] = one;
  GIVES("edges", EDGES_OF(graph, from, to, &count));
  value("edges_count", count), value("edges_rest", !from[2] && !to[2]);
  GIVES("before_no_node", NODES_BEFORE(nullptr, from, &count));
  GIVES("before_no_count", NODES_BEFORE(two, from, nullptr));
  GIVES("remove_none", REMOVE_EDGES(graph, nullptr, nullptr, 0));
  GIVES("remove_no_graph", REMOVE_EDGES(nullptr, &one, &two, 1));
  GIVES("remove_no_from", REMOVE_EDGES(graph, nullptr, &two, 1));
  GIVES("remove_back", REMOVE_EDGES(graph, &two, &one, 1));
  GIVES("remove_other", REMOVE_EDGES(graph, &one, &other, 1));
  cudaGraphNode_t twice[2] = {one, one}, twice_to[2] = {two, two};
  GIVES("remove_twice", REMOVE_EDGES(graph, twice, twice_to, 2));
}
CASE(capture_nulls) {
  cudaStream_t stream = new_stream(), other = new_stream();
  cudaGraph_t graph = nullptr;
  cudaStreamCaptureStatus status;
  const auto mode = cudaStreamCaptureModeGlobal;
  GIVES("begin_default", cudaStreamBeginCapture(nullptr, mode));
  GIVES("begin_legacy", cudaStreamBeginCapture(cudaStreamLegacy, mode));
  GIVES("begin_mode", cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(-1)));
  GIVES("begin_mode_3", cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(3)));
  GIVES("end_before", cudaStreamEndCapture(stream, &graph));
  GIVES("begin", cudaStreamBeginCapture(stream, mode));
  GIVES("begin_again", cudaStreamBeginCapture(stream, mode));
  GIVES("capturing_null", cudaStreamIsCapturing(stream, nullptr));
  GIVES("capturing_default", cudaStreamIsCapturing(nullptr, &status));
  GIVES("end_other", cudaStreamEndCapture(other, &graph));
  GIVES("end_null", cudaStreamEndCapture(stream, nullptr));
  GIVES("capturing", cudaStreamIsCapturing(stream, &status));
  value("status", status);
  GIVES("end", cudaStreamEndCapture(stream, &graph));
  GIVES("begin_for_query", cudaStreamBeginCapture(stream, mode));
  GIVES("query", cudaStreamQuery(stream));
  GIVES("after_query", cudaStreamIsCapturing(stream, &status));
  value("status_after_query", status);
  GIVES("end_after_query", cudaStreamEndCapture(stream, &graph));
  cudaStreamCaptureMode bad = static_cast<cudaStreamCaptureMode>(-1);
  GIVES("exchange_bad", cudaThreadExchangeStreamCaptureMode(&bad));
  cudaGraph_t into = new_graph();
  GIVES("into_null", cudaStreamBeginCaptureToGraph(stream, nullptr, nullptr, nullptr, 0, mode));
  GIVES("into_no_list", cudaStreamBeginCaptureToGraph(stream, into, nullptr, nullptr, 1, mode));
  GIVES("into_default", cudaStreamBeginCaptureToGraph(nullptr, into, nullptr, nullptr, 0, mode));
  GIVES("into", cudaStreamBeginCaptureToGraph(stream, into, nullptr, nullptr, 0, mode));
  GIVES("into_end", cudaStreamEndCapture(stream, &graph));
  value("into_same", graph == into);
}
CASE(stream_nulls) {
  cudaStream_t stream = new_stream();
  cudaEvent_t event = new_event();
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  float ms = 0;
  GIVES("create", cudaStreamCreate(nullptr));
  GIVES("create_flags", cudaStreamCreateWithFlags(&stream, 2));
  GIVES("create_priority", cudaStreamCreateWithPriority(&stream, 0, -1000));
  GIVES("priority", cudaStreamGetPriority(stream, &priority));
  value("priority_is", priority);
  GIVES("create_priority_low", cudaStreamCreateWithPriority(&stream, 0, 1000));
  GIVES("priority_low", cudaStreamGetPriority(stream, &priority));
  value("priority_low_is", priority);
  GIVES("flags_null", cudaStreamGetFlags(stream, nullptr));
  GIVES("flags_default", cudaStreamGetFlags(nullptr, &flags));
  value("flags_default_is", flags);
  GIVES("priority_null", cudaStreamGetPriority(stream, nullptr));
  GIVES("priority_default", cudaStreamGetPriority(nullptr, &priority));
  GIVES("id_null", cudaStreamGetId(stream, nullptr));
  GIVES("id_default", cudaStreamGetId(nullptr, &id));
  GIVES("destroy_null", cudaStreamDestroy(nullptr));
  GIVES("destroy_legacy", cudaStreamDestroy(cudaStreamLegacy));
  GIVES("destroy_own", cudaStreamDestroy(cudaStreamPerThread));
  GIVES("callback_null", cudaStreamAddCallback(stream, nullptr, nullptr, 0));
  GIVES("callback_flags", cudaStreamAddCallback(
                              stream, [](cudaStream_t, cudaError_t, void *) {}, nullptr, 1));
  GIVES("host_null", cudaLaunchHostFunc(stream, nullptr, nullptr));
  GIVES("wait_null", cudaStreamWaitEvent(stream, nullptr, 0));
  GIVES("wait_flags", cudaStreamWaitEvent(stream, event, 2));
  GIVES("event_null", cudaEventCreate(nullptr));
  GIVES("event_flags", cudaEventCreateWithFlags(&event, 8));
  GIVES("event_ipc_timed", cudaEventCreateWithFlags(&event, cudaEventInterprocess));
  GIVES("record_null", cudaEventRecord(nullptr, stream));
  GIVES("record_flags", cudaEventRecordWithFlags(event, stream, 2));
  GIVES("query_null", cudaEventQuery(nullptr));
  GIVES("sync_null", cudaEventSynchronize(nullptr));
  GIVES("destroy_event_null", cudaEventDestroy(nullptr));
  GIVES("elapsed_null", cudaEventElapsedTime(nullptr, event, event));
  GIVES("elapsed_no_start", cudaEventElapsedTime(&ms, nullptr, event));
  GIVES("elapsed_no_end", cudaEventElapsedTime(&ms, event, nullptr));
  cudaIpcEventHandle_t handle;
  cudaEvent_t shared = nullptr, opened = nullptr;
  cudaEventCreateWithFlags(&shared, cudaEventInterprocess | cudaEventDisableTiming);
  GIVES("ipc_no_event", cudaIpcGetEventHandle(&handle, nullptr));
  GIVES("ipc_plain", cudaIpcGetEventHandle(&handle, event));
  GIVES("ipc", cudaIpcGetEventHandle(&handle, shared));
  GIVES("ipc_open_own", cudaIpcOpenEventHandle(&opened, handle));
  GIVES("ipc_open_null", cudaIpcOpenEventHandle(nullptr, handle));
  std::memset(&handle, 0, sizeof handle);
  GIVES("ipc_open_zeros", cudaIpcOpenEventHandle(&opened, handle));
}
