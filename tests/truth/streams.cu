// What the real CUDA driver and runtime answer around streams: staged copies, captures, mixed APIs, contexts, devices, memory.
// As truth.cu, one case a process, but nothing is recorded of it yet.
// usage: streams list | streams CASE    prints CASE<TAB>name=value ...
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

static std::vector<std::pair<std::string, std::function<void()>>> cases;
struct Reg {
  Reg(const char *name, std::function<void()> body) { cases.push_back({name, body}); }
};
#define CASE(name)                                                                                                     \
  static void name();                                                                                                  \
  static Reg reg_##name(#name, name);                                                                                  \
  static void name()

static void value(const std::string &name, long long value) {
  std::printf("%s=%lld ", name.c_str(), value);
  std::fflush(stdout);
}
#define GIVES(name, call) value(name, static_cast<long long>(call))

static CUdevice device;
static CUcontext primary;
static void init() {
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&primary, device);
  cuCtxSetCurrent(primary);
}
static CUcontext new_context() {
  CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
  cuCtxCreate(&context, nullptr, 0, device);
#else
  cuCtxCreate(&context, 0, device);
#endif
  return context;
}
static const char *current_is(CUcontext own) {
  CUcontext current = nullptr;
  cuCtxGetCurrent(&current);
  return !current ? "none" : current == own ? "own" : current == primary ? "primary" : "other";
}
static void text(const std::string &name, const char *value) {
  std::printf("%s=%s ", name.c_str(), value);
  std::fflush(stdout);
}
static std::atomic<int> gate{0};
static void CUDART_CB waiter(void *) {
  while (!gate.load()) {
    usleep(100);
  }
}
static void CUDART_CB sleeper(void *) { usleep(100000); }
static long long ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count();
}
static cudaStream_t new_stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, flags);
  return stream;
}
static char *device_memory(size_t bytes) {
  char *memory = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&memory), bytes);
  cudaMemset(memory, 0, bytes);
  cudaDeviceSynchronize();
  return memory;
}
static int count_wrong(const char *device, size_t bytes, char expected) {
  std::vector<char> back(bytes);
  cudaMemcpy(back.data(), device, bytes, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (char byte : back) {
    wrong += byte != expected;
  }
  return wrong;
}

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
  const auto start = std::chrono::steady_clock::now();
  GIVES("copy", cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, stream));
  value("waits", ms_since(start) > 50);
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
  const auto start = std::chrono::steady_clock::now();
  GIVES("copy", cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDeviceToHost, stream));
  value("waits", ms_since(start) > 50);
}
CASE(pageable_both) {
  cudaStream_t stream = new_stream();
  std::vector<char> from(4096, 1), to(4096, 0);
  cudaLaunchHostFunc(stream, sleeper, nullptr);
  const auto start = std::chrono::steady_clock::now();
  GIVES("copy", cudaMemcpyAsync(to.data(), from.data(), to.size(), cudaMemcpyHostToHost, stream));
  value("waits", ms_since(start) > 50);
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
  cudaEvent_t fork, join;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
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
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
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
static void ask_legacy(const char *name, unsigned flags, CUstream asked) {
  cudaStream_t stream = new_stream(flags);
  cudaGraph_t graph = nullptr;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CUstreamCaptureStatus info = CU_STREAM_CAPTURE_STATUS_NONE;
  unsigned long long id = 0;
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
  (void)id;
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
CASE(begin_capture_destroyed_stream) {
  cudaStream_t stream = new_stream();
  cudaStreamDestroy(stream);
  GIVES("begin", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
}
CASE(end_capture_destroyed_stream) {
  cudaStream_t stream = new_stream();
  cudaStreamDestroy(stream);
  cudaGraph_t graph = nullptr;
  GIVES("end", cudaStreamEndCapture(stream, &graph));
}
CASE(begin_capture_destroyed_stream_driver) {
  init();
  CUstream stream = nullptr;
  cuStreamCreate(&stream, 0);
  cuStreamDestroy(stream);
  GIVES("begin", cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
}
CASE(end_capture_destroyed_stream_driver) {
  init();
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  cuStreamCreate(&stream, 0);
  cuStreamDestroy(stream);
  GIVES("end", cuStreamEndCapture(stream, &graph));
}
CASE(is_capturing_destroyed_stream) {
  cudaStream_t stream = new_stream();
  cudaStreamDestroy(stream);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  GIVES("is", cudaStreamIsCapturing(stream, &status));
}
CASE(query_destroyed_stream) {
  cudaStream_t stream = new_stream();
  cudaStreamDestroy(stream);
  GIVES("query", cudaStreamQuery(stream));
}
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
CASE(context_wait_non_blocking) {
  init();
  cudaStream_t source = new_stream(), stream = new_stream();
  CUevent event = nullptr;
  cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  cudaLaunchHostFunc(source, waiter, nullptr);
  GIVES("record", cuEventRecord(event, source));
  GIVES("wait", cuCtxWaitEvent(primary, event));
  static std::atomic<int> ran{0};
  cudaStream_t later = new_stream(), blocking = new_stream(cudaStreamDefault);
  for (cudaStream_t each : {stream, later, blocking, static_cast<cudaStream_t>(nullptr)}) {
    cudaLaunchHostFunc(each, [](void *) { ran++; }, nullptr);
  }
  usleep(100000);
  value("ran", ran);
  gate = 1;
  cudaDeviceSynchronize();
  value("all", ran);
}
CASE(context_order_while_capturing) {
  init();
  cudaStream_t stream = new_stream();
  CUevent event = nullptr, inside = nullptr;
  cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  cuEventCreate(&inside, CU_EVENT_DISABLE_TIMING);
  for (int call = 0; call < 4; call++) {
    cudaGraph_t graph = nullptr;
    const std::string name = std::to_string(call);
    GIVES("begin" + name, cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    cuEventRecord(inside, stream);
    GIVES("call" + name, call == 0   ? cuCtxRecordEvent(primary, event)
                         : call == 1 ? cuCtxWaitEvent(primary, event)
                         : call == 2 ? cuCtxWaitEvent(primary, inside)
                                     : cuCtxSynchronize());
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
  GIVES("wait_other", cuCtxWaitEvent(primary, event));
  GIVES("null", cuCtxRecordEvent(own, nullptr));
  GIVES("null_wait", cuCtxWaitEvent(own, nullptr));
  GIVES("null_context", cuCtxRecordEvent(nullptr, event));
}
#endif

// ---- memory
CASE(pool_defaults) {
  cudaMemPool_t pool = nullptr, current = nullptr;
  GIVES("default", cudaDeviceGetDefaultMemPool(&pool, 0));
  GIVES("current", cudaDeviceGetMemPool(&current, 0));
  value("same", pool == current);
  for (int number = 1; number <= 8; number++) {
    unsigned long long got = 0;
    GIVES("get" + std::to_string(number), cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(number), &got));
    value("value" + std::to_string(number), static_cast<long long>(got));
  }
  GIVES("destroy_default", cudaMemPoolDestroy(pool));
  GIVES("null_pool", cudaMemPoolTrimTo(nullptr, 0));
  unsigned long long one = 1;
  GIVES("set_used", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &one));
  GIVES("set_high", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one));
  GIVES("set_unknown", cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(99), &one));
  GIVES("bad_device", cudaDeviceGetMemPool(&pool, 99));
}
CASE(pool_create_and_use) {
  cudaMemPoolProps props = {};
  cudaMemPool_t pool = nullptr;
  GIVES("zeros", cudaMemPoolCreate(&pool, &props));
  props.allocType = cudaMemAllocationTypePinned;
  GIVES("no_place", cudaMemPoolCreate(&pool, &props));
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 99;
  GIVES("bad_device", cudaMemPoolCreate(&pool, &props));
  props.location.id = 0;
  GIVES("null", cudaMemPoolCreate(nullptr, &props));
  GIVES("create", cudaMemPoolCreate(&pool, &props));
  cudaMemLocation place = {};
  place.type = cudaMemLocationTypeDevice;
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  GIVES("access", cudaMemPoolGetAccess(&flags, pool, &place));
  value("own", flags);
  cudaMemAccessDesc description = {};
  description.location = place;
  description.flags = cudaMemAccessFlagsProtNone;
  GIVES("deny_own", cudaMemPoolSetAccess(pool, &description, 1));
  description.location.id = 99;
  GIVES("access_bad_device", cudaMemPoolSetAccess(pool, &description, 1));
  cudaStream_t stream = new_stream();
  void *one = nullptr, *zero = &one;
  GIVES("alloc", cudaMallocFromPoolAsync(&one, 1 << 20, pool, stream));
  GIVES("alloc_none", cudaMallocFromPoolAsync(&zero, 0, pool, stream));
  value("none_is_null", zero == nullptr);
  GIVES("alloc_huge", cudaMallocFromPoolAsync(&zero, size_t(1) << 60, pool, stream));
  unsigned long long used = 0, reserved = 0;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
  value("used", static_cast<long long>(used));
  value("reserved", static_cast<long long>(reserved));
  GIVES("free", cudaFreeAsync(one, stream));
  cudaStreamSynchronize(stream);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
  value("used_after", static_cast<long long>(used));
  value("reserved_after", static_cast<long long>(reserved));
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used);
  value("high", static_cast<long long>(used));
  GIVES("set_current", cudaDeviceSetMemPool(0, pool));
  GIVES("destroy", cudaMemPoolDestroy(pool));
  cudaMemPool_t current = nullptr, first = nullptr;
  cudaDeviceGetMemPool(&current, 0);
  cudaDeviceGetDefaultMemPool(&first, 0);
  value("default_again", current == first);
}
CASE(memory_handles) {
  char *memory = device_memory(4096);
  void *opened = nullptr, *pooled = nullptr;
  char host[16];
  cudaIpcMemHandle_t handle, other;
  GIVES("get", cudaIpcGetMemHandle(&handle, memory));
  GIVES("get_inside", cudaIpcGetMemHandle(&other, memory + 100));
  GIVES("get_host", cudaIpcGetMemHandle(&other, host));
  GIVES("get_null", cudaIpcGetMemHandle(nullptr, memory));
  GIVES("get_null_memory", cudaIpcGetMemHandle(&other, nullptr));
  cudaMallocAsync(&pooled, 4096, nullptr);
  GIVES("get_pooled", cudaIpcGetMemHandle(&other, pooled));
  GIVES("open_own", cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess));
  GIVES("open_flags", cudaIpcOpenMemHandle(&opened, handle, 0));
  std::memset(&other, 0x55, sizeof other);
  GIVES("open_made_up", cudaIpcOpenMemHandle(&opened, other, cudaIpcMemLazyEnablePeerAccess));
  std::memset(&other, 0, sizeof other);
  GIVES("open_zeros", cudaIpcOpenMemHandle(&opened, other, cudaIpcMemLazyEnablePeerAccess));
  GIVES("close_own", cudaIpcCloseMemHandle(memory));
  GIVES("close_null", cudaIpcCloseMemHandle(nullptr));
}
CASE(managed_advice) {
  int *memory = nullptr;
  cudaMallocManaged(reinterpret_cast<void **>(&memory), 4096);
  for (int number = 1; number <= 8; number++) {
    int got = 77;
    GIVES("get" + std::to_string(number),
          cudaMemRangeGetAttribute(&got, 4, static_cast<cudaMemRangeAttribute>(number), memory, 4096));
    value("value" + std::to_string(number), got);
  }
  int got = 0;
  GIVES("size", cudaMemRangeGetAttribute(&got, 3, cudaMemRangeAttributeReadMostly, memory, 4096));
  GIVES("attach", cudaStreamAttachMemAsync(nullptr, memory, 0, cudaMemAttachGlobal));
  GIVES("attach_flags", cudaStreamAttachMemAsync(nullptr, memory, 0, 0));
  GIVES("attach_host", cudaStreamAttachMemAsync(nullptr, &got, 0, cudaMemAttachGlobal));
}
CASE(fills_refused) {
  cudaPitchedPtr volume = {};
  cudaExtent extent = {100, 7, 5}, deep = {100, 7, 1000}, none = {0, 0, 0}, wide = {5000, 7, 5};
  GIVES("make", cudaMalloc3D(&volume, extent));
  value("pitch", static_cast<long long>(volume.pitch));
  GIVES("set", cudaMemset3D(volume, 1, extent));
  GIVES("none", cudaMemset3D(volume, 1, none));
  GIVES("deep", cudaMemset3D(volume, 1, deep));
  GIVES("wide", cudaMemset3D(volume, 1, wide));
  cudaGetLastError();
  GIVES("null", cudaMemcpy3D(nullptr));
  GIVES("free_host", cudaFree(&volume));
  GIVES("free_inside", cudaFree(static_cast<char *>(volume.ptr) + 8));
  GIVES("register_null", cudaHostRegister(nullptr, 4096, 0));
  GIVES("register_none", cudaHostRegister(&volume, 0, 0));
  GIVES("unregister", cudaHostUnregister(&volume));
}

// ---- graphs, node by node
#if CUDART_VERSION >= 13000
#define ADD_EDGE(graph, from, to) cudaGraphAddDependencies(graph, from, to, nullptr, 1)
#define REMOVE_EDGE(graph, from, to) cudaGraphRemoveDependencies(graph, from, to, nullptr, 1)
#else
#define ADD_EDGE(graph, from, to) cudaGraphAddDependencies(graph, from, to, 1)
#define REMOVE_EDGE(graph, from, to) cudaGraphRemoveDependencies(graph, from, to, 1)
#endif
static cudaGraphNode_t empty_node(cudaGraph_t graph) {
  cudaGraphNode_t node = nullptr;
  cudaGraphAddEmptyNode(&node, graph, nullptr, 0);
  return node;
}
CASE(graph_edges) {
  cudaGraph_t graph = nullptr, other = nullptr;
  GIVES("flags", cudaGraphCreate(&graph, 1));
  GIVES("null", cudaGraphCreate(nullptr, 0));
  GIVES("create", cudaGraphCreate(&graph, 0));
  cudaGraphCreate(&other, 0);
  cudaGraphNode_t a = empty_node(graph), b = empty_node(graph), c = empty_node(other), node = nullptr;
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
  cudaGraph_t inner = nullptr, outer = nullptr, found = nullptr, clone = nullptr;
  cudaGraphCreate(&inner, 0);
  cudaGraphCreate(&outer, 0);
  empty_node(inner);
  cudaGraphNode_t child = nullptr, in_clone = nullptr;
  GIVES("child", cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
  GIVES("get", cudaGraphChildGraphNodeGetGraph(child, &found));
  value("another", found != inner);
  GIVES("clone", cudaGraphClone(&clone, outer));
  GIVES("find", cudaGraphNodeFindInClone(&in_clone, child, clone));
  GIVES("find_wrong", cudaGraphNodeFindInClone(&in_clone, child, inner));
  GIVES("get_wrong", cudaGraphChildGraphNodeGetGraph(empty_node(outer), &found));
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
  cudaGraph_t graph = nullptr, other = nullptr;
  cudaGraphNode_t set = nullptr, node = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaGraphExecUpdateResultInfo info = {};
  cudaGraphCreate(&graph, 0);
  GIVES("set", cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &params));
  GIVES("make", cudaGraphInstantiateWithFlags(&executable, graph, 0));
  params.value = 3;
  GIVES("exec_set", cudaGraphExecMemsetNodeSetParams(executable, set, &params));
  GIVES("launch", cudaGraphLaunch(executable, nullptr));
  cudaDeviceSynchronize();
  value("wrong", count_wrong(memory, 64, 3));
  cudaGraphCreate(&other, 0);
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
  static int destroyed = 0;
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
  usleep(100000);
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
CASE(graph_refused_kinds) {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaGraphNodeParams params = {};
  params.type = static_cast<cudaGraphNodeType>(77);
  cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
  GIVES("unknown", cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
#else
  GIVES("unknown", cudaGraphAddNode(&node, graph, nullptr, 0, &params));
#endif
  GIVES("print_nowhere", cudaGraphDebugDotPrint(graph, "/nowhere/to/be/found", 0));
  GIVES("print_null", cudaGraphDebugDotPrint(graph, nullptr, 0));
}

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

int main(int count, char **words) {
  for (auto &entry : cases) {
    if (count == 2 && std::strcmp(words[1], "list") == 0) {
      std::printf("%s\n", entry.first.c_str());
    } else if (count == 2 && entry.first == words[1]) {
      std::printf("%s\t", words[1]);
      entry.second();
      std::printf("\n");
      std::fflush(stdout);
      _exit(0);
    }
  }
  return 0;
}
