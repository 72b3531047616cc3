// What the real CUDA driver and runtime answer around streams: staged copies, captures, mixed APIs, contexts, devices.
// As truth.cu, one case a process.
// usage: streams list | streams CASE    prints CASE<TAB>name=value ...
#include "ask.h"

// ---- copies of pageable memory
CASE(pageable_source_small) {
  cudaStream_t stream = new_stream();
  char *to = device_memory(4096);
  std::vector<char> from(4096, 1);
  cudaLaunchHostFunc(stream, waiter, nullptr);
  GIVES("copy", cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, stream));
  std::memset(from.data(), 2, from.size());
  gate = 1;
  cudaStreamSynchronize(stream);
  value("wrong", count_wrong(to, 4096, 1));
}
CASE(pageable_source_large) {
  const size_t bytes = 8 << 20;
  cudaStream_t stream = new_stream();
  char *to = device_memory(bytes);
  std::vector<char> from(bytes, 1);
  cudaLaunchHostFunc(stream, sleeper, nullptr);
  GIVES("copy", cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, stream));
  value("waits", slept);
  std::memset(from.data(), 2, from.size());
  cudaStreamSynchronize(stream);
  value("wrong", count_wrong(to, bytes, 1));
}
CASE(pageable_source_2d) {
  cudaStream_t stream = new_stream();
  char *to = device_memory(4096);
  std::vector<char> from(4096, 1);
  cudaLaunchHostFunc(stream, sleeper, nullptr);
  GIVES("copy", cudaMemcpy2DAsync(to, 64, from.data(), 64, 64, 64, cudaMemcpyHostToDevice, stream));
  std::memset(from.data(), 2, from.size());
  cudaStreamSynchronize(stream);
  value("wrong", count_wrong(to, 4096, 1));
}
CASE(pageable_target) {
  cudaStream_t stream = new_stream();
  char *from = device_memory(4096);
  std::vector<char> to(4096, 1);
  cudaLaunchHostFunc(stream, sleeper, nullptr);
  GIVES("copy", cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDeviceToHost, stream));
  value("waits", slept);
}
CASE(pageable_both) {
  cudaStream_t stream = new_stream();
  std::vector<char> from(4096, 1), to(4096, 0);
  cudaLaunchHostFunc(stream, sleeper, nullptr);
  GIVES("copy", cudaMemcpyAsync(to.data(), from.data(), to.size(), cudaMemcpyHostToHost, stream));
  value("waits", slept);
}
CASE(pageable_in_capture) {
  cudaStream_t stream = new_stream();
  char *to = device_memory(64);
  std::vector<char> from(64, 1);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  GIVES("begin", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GIVES("copy", cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, stream));
  GIVES("end", cudaStreamEndCapture(stream, &graph));
  GIVES("make", cudaGraphInstantiateWithFlags(&executable, graph, 0));
  std::memset(from.data(), 2, from.size());
  GIVES("launch", cudaGraphLaunch(executable, stream));
  cudaStreamSynchronize(stream);
  value("wrong_1", count_wrong(to, 64, 1));
  value("wrong_2", count_wrong(to, 64, 2));
}

// ---- captures
CASE(branched_capture) {
  cudaStream_t main_stream = new_stream(), branch = new_stream();
  cudaEvent_t fork = new_event(cudaEventDisableTiming), join = new_event(cudaEventDisableTiming);
  char *one = device_memory(64), *two = device_memory(64), *three = device_memory(64);
  char *from = nullptr, *to = nullptr;
  cudaMallocHost(reinterpret_cast<void **>(&from), 64);
  cudaMallocHost(reinterpret_cast<void **>(&to), 128);
  std::memset(from, 5, 64);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  GIVES("begin", cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  GIVES("in", cudaMemcpyAsync(one, from, 64, cudaMemcpyHostToDevice, main_stream));
  GIVES("fork", cudaEventRecord(fork, main_stream));
  GIVES("wait", cudaStreamWaitEvent(branch, fork, 0));
  GIVES("branch", cudaMemcpyAsync(two, one, 64, cudaMemcpyDeviceToDevice, branch));
  GIVES("set", cudaMemsetAsync(three, 7, 64, main_stream));
  GIVES("join", cudaEventRecord(join, branch));
  GIVES("rejoin", cudaStreamWaitEvent(main_stream, join, 0));
  GIVES("out2", cudaMemcpyAsync(to, two, 64, cudaMemcpyDeviceToHost, main_stream));
  GIVES("out3", cudaMemcpyAsync(to + 64, three, 64, cudaMemcpyDeviceToHost, main_stream));
  GIVES("end", cudaStreamEndCapture(main_stream, &graph));
  GIVES("make", cudaGraphInstantiateWithFlags(&executable, graph, 0));
  for (int run = 0; run < 2; run++) {
    std::memset(from, 5 + run, 64);
    std::memset(to, 0, 128);
    GIVES("launch", cudaGraphLaunch(executable, main_stream));
    GIVES("sync", cudaStreamSynchronize(main_stream));
    value("two", to[0]);
    value("two_end", to[63]);
    value("three", to[64]);
  }
  size_t nodes = 0;
  GIVES("nodes", cudaGraphGetNodes(graph, nullptr, &nodes));
  value("count", static_cast<long long>(nodes));
}
template <typename Mode>
static void elapsed_in(const char *name, Mode mode) {
  cudaStream_t stream = new_stream(), other = new_stream();
  cudaEvent_t start = new_event(), end = new_event();
  cudaEventRecord(start, other);
  cudaEventRecord(end, other);
  cudaEventSynchronize(end);
  cudaGraph_t graph = nullptr;
  float ms = -7;
  GIVES(std::string(name) + "_begin", cudaStreamBeginCapture(stream, mode));
  GIVES(std::string(name) + "_elapsed", cuEventElapsedTime(&ms, start, end));
  value(std::string(name) + "_untouched", ms == -7);
  GIVES(std::string(name) + "_end", cudaStreamEndCapture(stream, &graph));
  cudaGetLastError();
}
CASE(elapsed_while_capturing) {
  elapsed_in("global", cudaStreamCaptureModeGlobal);
  elapsed_in("thread", cudaStreamCaptureModeThreadLocal);
  elapsed_in("relaxed", cudaStreamCaptureModeRelaxed);
}
// Each question has a capture of its own, since a refused one ends it.
static void ask_captured(const std::string &name, const std::function<CUresult(CUstream)> &ask) {
  cudaStream_t stream = new_stream();
  cudaGraph_t graph = nullptr;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  GIVES(name, ask(stream));
  cuStreamIsCapturing(stream, &status);
  value(name + "_status", status);
  GIVES(name + "_end", cudaStreamEndCapture(stream, &graph));
  cudaGetLastError();
}
CASE(ask_a_captured_stream) {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  CUcontext context = nullptr;
  ask_captured("flags", [&](CUstream stream) { return cuStreamGetFlags(stream, &flags); });
  ask_captured("priority", [&](CUstream stream) { return cuStreamGetPriority(stream, &priority); });
  ask_captured("id", [&](CUstream stream) { return cuStreamGetId(stream, &id); });
  ask_captured("context", [&](CUstream stream) { return cuStreamGetCtx(stream, &context); });
}
static void ask_legacy(const char *name, unsigned flags, CUstream asked) {
  cudaStream_t stream = new_stream(flags);
  cudaGraph_t graph = nullptr;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CUstreamCaptureStatus info = CU_STREAM_CAPTURE_STATUS_NONE;
  const std::string prefix(name);
  GIVES(prefix + "_begin", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GIVES(prefix + "_is", cudaStreamIsCapturing(asked, &status));
  value(prefix + "_status", status);
#if CUDA_VERSION >= 13000
  GIVES(prefix + "_info", cuStreamGetCaptureInfo(asked, &info, nullptr, nullptr, nullptr, nullptr, nullptr));
#else
  GIVES(prefix + "_info", cuStreamGetCaptureInfo_v2(asked, &info, nullptr, nullptr, nullptr, nullptr));
#endif
  value(prefix + "_info_status", info);
  GIVES(prefix + "_end", cudaStreamEndCapture(stream, &graph));
  cudaGetLastError();
}
CASE(null_stream_while_another_captures) {
  cudaFree(nullptr);
  ask_legacy("blocking", cudaStreamDefault, nullptr);
  ask_legacy("non_blocking", cudaStreamNonBlocking, nullptr);
  ask_legacy("legacy", cudaStreamDefault, CU_STREAM_LEGACY);
  ask_legacy("per_thread", cudaStreamDefault, CU_STREAM_PER_THREAD);
}
static cudaStream_t destroyed_stream() {
  cudaStream_t stream = new_stream();
  cudaStreamDestroy(stream);
  return stream;
}
static CUstream destroyed_driver_stream() {
  init();
  CUstream stream = nullptr;
  cuStreamCreate(&stream, 0);
  cuStreamDestroy(stream);
  return stream;
}
static CUgraph no_graph;
CASE(begin_capture_destroyed_stream) {
  GIVES("begin", cudaStreamBeginCapture(destroyed_stream(), cudaStreamCaptureModeGlobal));
}
CASE(end_capture_destroyed_stream) { GIVES("end", cudaStreamEndCapture(destroyed_stream(), &no_graph)); }
CASE(begin_capture_destroyed_stream_driver) {
  GIVES("begin", cuStreamBeginCapture(destroyed_driver_stream(), CU_STREAM_CAPTURE_MODE_GLOBAL));
}
CASE(end_capture_destroyed_stream_driver) { GIVES("end", cuStreamEndCapture(destroyed_driver_stream(), &no_graph)); }
CASE(is_capturing_destroyed_stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  GIVES("is", cudaStreamIsCapturing(destroyed_stream(), &status));
}
CASE(query_destroyed_stream) { GIVES("query", cudaStreamQuery(destroyed_stream())); }
CASE(end_capture_twice) {
  cudaStream_t stream = new_stream();
  cudaGraph_t graph = nullptr;
  GIVES("begin", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GIVES("end", cudaStreamEndCapture(stream, &graph));
  GIVES("again", cudaStreamEndCapture(stream, &graph));
}

// ---- both APIs, and what is current
CASE(current_after_runtime_calls) {
  cuInit(0);
  cuDeviceGet(&device, 0);
  text("start", current_is(nullptr));
  int count = 0;
  cudaGetDeviceCount(&count);
  text("count", current_is(nullptr));
  cudaFree(nullptr);
  CUcontext current = nullptr;
  cuCtxGetCurrent(&current);
  cuDevicePrimaryCtxRetain(&primary, device);
  value("free_makes_primary_current", current == primary);
  GIVES("set_null", cuCtxSetCurrent(nullptr));
  text("null", current_is(nullptr));
  cudaEvent_t event;
  GIVES("event", cudaEventCreate(&event));
  text("after_event", current_is(nullptr));
}
CASE(current_own_context) {
  init();
  cudaFree(nullptr);
  CUcontext own = new_context();
  text("created", current_is(own));
  cudaStream_t stream = nullptr;
  GIVES("stream", cudaStreamCreate(&stream));
  CUcontext of = nullptr;
  GIVES("ctx", cuStreamGetCtx(stream, &of));
  value("stream_is_own", of == own);
  int number = -1;
  GIVES("get", cudaGetDevice(&number));
  value("device", number);
  GIVES("set", cudaSetDevice(0));
  text("set_device", current_is(own));
  CUcontext popped = nullptr;
  GIVES("pop", cuCtxPopCurrent(&popped));
  value("popped_primary", popped == primary);
  text("below", current_is(own));
}
CASE(current_after_own_destroyed) {
  init();
  cuCtxSetCurrent(nullptr);
  CUcontext own = new_context();
  GIVES("destroy", cuCtxDestroy(own));
  text("current", current_is(own));
  GIVES("free", cudaFree(nullptr));
  text("after", current_is(own));
}
CASE(current_destroyed_by_another_thread) {
  init();
  cuCtxSetCurrent(nullptr);
  CUcontext own = new_context();
  std::thread([own] { cuCtxDestroy(own); }).join();
  text("current", current_is(own));
  cudaStream_t stream = nullptr;
  GIVES("stream", cudaStreamCreate(&stream));
  text("after", current_is(own));
}
CASE(runtime_after_driver_release) {
  init();
  cudaStream_t stream = nullptr;
  GIVES("stream", cudaStreamCreate(&stream));
  GIVES("release", cuDevicePrimaryCtxRelease(device));
  unsigned flags = 0;
  int active = -1;
  cuDevicePrimaryCtxGetState(device, &flags, &active);
  value("active", active);
  GIVES("query", cudaStreamQuery(stream));
  GIVES("another", cudaStreamCreate(&stream));
  GIVES("destroy", cudaStreamDestroy(stream));
}
CASE(driver_retain_around_each_call) {
  cuInit(0);
  cuDeviceGet(&device, 0);
  CUstream stream = nullptr;
  for (int i = 0; i < 2; i++) {
    cuDevicePrimaryCtxRetain(&primary, device);
    cuCtxPushCurrent(primary);
    GIVES("create", cuStreamCreate(&stream, 0));
    CUcontext popped;
    cuCtxPopCurrent(&popped);
    cuDevicePrimaryCtxRelease(device);
  }
}
CASE(runtime_after_primary_reset) {
  init();
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  GIVES("reset", cuDevicePrimaryCtxReset(device));
  cudaStream_t another = nullptr;
  GIVES("create", cudaStreamCreate(&another));
  text("current", current_is(nullptr));
}
CASE(device_of_thread) {
  int number = -1;
  cudaSetDevice(0);
  std::thread([&] {
    GIVES("get", cudaGetDevice(&number));
    value("thread", number);
    text("thread_current", current_is(nullptr));
  }).join();
}

// ---- events of a whole context
#if CUDA_VERSION >= 12050
CASE(context_record_non_blocking) {
  init();
  cudaStream_t stream = new_stream();
  CUevent event = nullptr;
  cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  cudaLaunchHostFunc(stream, waiter, nullptr);
  GIVES("record", cuCtxRecordEvent(primary, event));
  GIVES("pending", cuEventQuery(event));
  gate = 1;
  GIVES("sync", cuEventSynchronize(event));
}
CASE(context_order_while_capturing) {
  init();
  cudaStream_t stream = new_stream();
  CUevent event = nullptr;
  cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  for (int call : {0, 3}) {
    cudaGraph_t graph = nullptr;
    const std::string name = std::to_string(call);
    GIVES("begin" + name, cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    GIVES("call" + name, call == 0 ? cuCtxRecordEvent(primary, event) : cuCtxSynchronize());
    GIVES("end" + name, cudaStreamEndCapture(stream, &graph));
  }
}
CASE(context_record_other_context) {
  init();
  CUcontext own = new_context();
  CUevent event = nullptr;
  cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  GIVES("own", cuCtxRecordEvent(own, event));
  GIVES("other", cuCtxRecordEvent(primary, event));
  GIVES("null", cuCtxRecordEvent(own, nullptr));
  GIVES("null_context", cuCtxRecordEvent(nullptr, event));
}
#endif

// ---- devices
CASE(properties_to_divide_by) {
  cudaDeviceProp prop;
  GIVES("get", cudaGetDeviceProperties(&prop, 0));
  value("warpSize", prop.warpSize);
  value("maxThreadsPerMultiProcessor", prop.maxThreadsPerMultiProcessor);
  value("maxBlocksPerMultiProcessor", prop.maxBlocksPerMultiProcessor);
  value("sharedMemPerMultiprocessor", static_cast<long long>(prop.sharedMemPerMultiprocessor));
  value("regsPerMultiprocessor", prop.regsPerMultiprocessor);
  value("l2CacheSize", prop.l2CacheSize);
  value("memoryBusWidth", prop.memoryBusWidth);
  value("multiProcessorCount", prop.multiProcessorCount);
  value("sharedMemPerBlockOptin", static_cast<long long>(prop.sharedMemPerBlockOptin));
  value("reservedSharedMemPerBlock", static_cast<long long>(prop.reservedSharedMemPerBlock));
  value("texturePitchAlignment", static_cast<long long>(prop.texturePitchAlignment));
  value("surfaceAlignment", static_cast<long long>(prop.surfaceAlignment));
  value("maxTexture1D", prop.maxTexture1D);
  value("maxTexture2D", prop.maxTexture2D[0]);
  value("maxSurface2D", prop.maxSurface2D[0]);
  for (int attribute : {13, 36, 37, 38, 39, 81, 82, 87, 97, 106, 111}) {
    int got = -1;
    cudaDeviceGetAttribute(&got, static_cast<cudaDeviceAttr>(attribute), 0);
    value("attribute_" + std::to_string(attribute), got);
  }
}

CASE(peers_and_limits) {
  size_t limit = 0;
  for (int number = 0; number < 8; number++) {
    GIVES("limit" + std::to_string(number), cudaDeviceGetLimit(&limit, static_cast<cudaLimit>(number)));
    value("value" + std::to_string(number), static_cast<long long>(limit));
  }
  GIVES("unknown", cudaDeviceGetLimit(&limit, static_cast<cudaLimit>(77)));
  GIVES("set", cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  int can = -1;
  GIVES("self", cudaDeviceCanAccessPeer(&can, 0, 0));
  value("can", can);
  GIVES("enable_self", cudaDeviceEnablePeerAccess(0, 0));
  GIVES("enable_bad", cudaDeviceEnablePeerAccess(99, 0));
  GIVES("disable_self", cudaDeviceDisablePeerAccess(0));
}
CASE(two_devices) {
  int count = 0;
  cudaGetDeviceCount(&count);
  value("count", count > 1);
  if (count < 2) {
    return;
  }
  int can = -1;
  GIVES("can", cudaDeviceCanAccessPeer(&can, 0, 1));
  value("is", can);
  GIVES("enable", cudaDeviceEnablePeerAccess(1, 0));
  GIVES("again", cudaDeviceEnablePeerAccess(1, 0));
  GIVES("flags", cudaDeviceEnablePeerAccess(1, 5));
  GIVES("disable", cudaDeviceDisablePeerAccess(1));
  GIVES("disable_again", cudaDeviceDisablePeerAccess(1));
  char *here = device_memory(64);
  cudaSetDevice(1);
  char *there = device_memory(64);
  cudaSetDevice(0);
  cudaMemset(here, 3, 64);
  GIVES("copy", cudaMemcpyPeer(there, 1, here, 0, 64));
  value("wrong", count_wrong(there, 64, 3));
  GIVES("copy_bad", cudaMemcpyPeer(there, 99, here, 0, 64));
  cudaPointerAttributes attributes = {};
  GIVES("attributes", cudaPointerGetAttributes(&attributes, there));
  value("device", attributes.device);
}
