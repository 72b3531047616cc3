/* The CUDA calls that hostcuda/tests/truth/truth.cu makes, through gevt's C API. Statuses have the driver's numbers. Calls that gevt does not
   have, such as captures, go to the driver itself. */
#ifndef GEVT_TESTS_CONFORMANCE_GEVT_AS_CUDA_H
#define GEVT_TESTS_CONFORMANCE_GEVT_AS_CUDA_H

#include "../driver.h"
#include "../objects.h"

#include <map>
#include <string>

using CUdevice = int;
using CUcontext = gevt_context_t;
using CUstream = gevt_stream_t;
using CUevent = gevt_event_t;
using CUipcEventHandle = gevt_ipc_handle_t;
using CUgraph = void *;
using CUgraphExec = void *;
enum { CUDA_ERROR_NOT_READY = GEVT_ERROR_NOT_READY, CU_STREAM_NON_BLOCKING = GEVT_STREAM_NON_BLOCKING };
enum { CU_STREAM_CAPTURE_MODE_GLOBAL = DRIVER_CAPTURE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED = DRIVER_CAPTURE_RELAXED };
#define CUDA_CB

/* The calls that take the same arguments. */
constexpr auto cuEventQuery = gevt_query;
constexpr auto cuEventSynchronize = gevt_sync;
constexpr auto cuEventDestroy = gevt_destroy;
constexpr auto cuEventRecord = gevt_record;
constexpr auto cuEventRecordWithFlags = gevt_record_with_flags;
constexpr auto cuEventElapsedTime = gevt_elapsed;
constexpr auto cuStreamDestroy = gevt_stream_destroy;
constexpr auto cuStreamQuery = gevt_stream_query;
constexpr auto cuStreamSynchronize = gevt_stream_sync;
constexpr auto cuStreamWaitEvent = gevt_stream_wait;
constexpr auto cuLaunchHostFunc = gevt_stream_launch;
constexpr auto cuIpcGetEventHandle = gevt_ipc_export;

/* The case that this process answers. */
static std::string answered;

static bool begins(const std::string &name, const char *beginning) {
  return name.rfind(beginning, 0) == 0;
}

/* The driver's objects behind gevt's, on CUDA. */
static std::map<const void *, void *> natives;

static void *native_of(const void *object) {
  const auto found = natives.find(object);
  return found == natives.end() ? nullptr : found->second;
}

static int cuInit(unsigned flags) {
  if (!subject_is_cuda()) return 0;
  driver_load();
  return driver.init(flags);
}

static int cuDeviceGet(CUdevice *device, int number) {
  *device = number;
  return 0;
}

/* The driver's case has two devices; a machine with more is as good. */
static int cuDeviceGetCount(int *count) {
  int32_t devices = 0;
  const int code = gevt_device_count(&devices, subject_backend);
  if (devices < 2) driver_skip("one device");
  *count = 2;
  return code;
}

/* On CUDA gevt opens the device's primary context. */
static int cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice number) {
  void *native = nullptr;
  int device = 0;
  if (subject_is_cuda()) {
    CHECK_EQUAL(driver.device_get(&device, number), 0);
    CHECK_EQUAL(driver.primary_retain(&native, device), 0);
  }
  const int code = gevt_context_open(context, subject_backend, number);
  natives[*context] = native;
  return code;
}

/* Another context: on CUDA one that the caller makes on the same device, elsewhere the second device. */
static int cuCtxCreate(CUcontext *context, unsigned flags, CUdevice number) {
  void *native = nullptr;
  int device = 0, code;
  if (!subject_is_cuda()) {
    int devices = 0;
    cuDeviceGetCount(&devices);
    return cuDevicePrimaryCtxRetain(context, 1);
  }
  CHECK_EQUAL(driver.device_get(&device, number), 0);
  DRIVER_PREPARE(driver.context_create(&native, flags, device));
  code = gevt_context_wrap(context, GEVT_BACKEND_CUDA, native);
  natives[*context] = native;
  return code;
}

static int cuCtxDestroy(CUcontext context) {
  return driver.context_destroy(native_of(context));
}

/* The thread's current context, for gevt and for the driver. */
static int cuCtxSetCurrent(CUcontext context) {
  if (subject_is_cuda()) CHECK_EQUAL(driver.context_set_current(context ? native_of(context) : nullptr), 0);
  return gevt_context_set_current(context);
}

static int cuCtxSynchronize() {
  return gevt_context_sync(nullptr);
}

/* The driver's events belong to a context from the start, and gevt's do if they are created in one. */
static int cuEventCreate(CUevent *event, unsigned flags) {
  static const char *const in_a_context[] = {"capture_",
                                             "context_",
                                             "destroy_no_context",
                                             "destroy_other_context",
                                             "drv_two_devices",
                                             "elapsed_cross_context",
                                             "ipc_",
                                             "record_other_context",
                                             "sticky_error",
                                             "wait_cross_context"};
  for (const char *beginning : in_a_context)
    if (begins(answered, beginning)) return gevt_create_in(event, nullptr, flags);
  return gevt_create(event, flags);
}

/* Captures are of streams that the program owns. */
static int cuStreamCreate(CUstream *stream, unsigned flags) {
  void *native = nullptr;
  if (!begins(answered, "capture_") && answered != "sticky_error") return gevt_stream_create(stream, nullptr, flags);
  DRIVER_PREPARE(driver.stream_create(&native, flags));
  const int code = gevt_stream_wrap(stream, nullptr, native);
  natives[*stream] = native;
  return code;
}

static CUstream special_stream(uintptr_t number) {
  CUstream stream = nullptr;
  CHECK_OK(gevt_stream_wrap(&stream, nullptr, reinterpret_cast<void *>(number)));
  return stream;
}
#define CU_STREAM_LEGACY special_stream(1)
#define CU_STREAM_PER_THREAD special_stream(2)

static int cuIpcOpenEventHandle(CUevent *event, const CUipcEventHandle &handle) {
  return gevt_ipc_import(event, nullptr, &handle);
}

static int cuStreamBeginCapture(CUstream stream, int mode) {
  const int code = driver.capture_begin(native_of(stream), mode);
  if (code == DRIVER_NOT_SUPPORTED) driver_skip("NOT_SUPPORTED: cuStreamBeginCapture_v2");
  return code;
}

static int cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  return driver.capture_end(native_of(stream), graph);
}

static int cuGraphInstantiate(CUgraphExec *executable, CUgraph graph, unsigned long long flags) {
  return driver.graph_instantiate(executable, graph, flags);
}

static int cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  return driver.graph_launch(executable, native_of(stream));
}

#endif
