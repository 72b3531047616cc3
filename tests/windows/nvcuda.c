/* A stand-in for NVIDIA's driver on Windows: nvcuda.dll with the functions that gevt cannot do without. All streams are one queue, which
   a thread of its own works off. What is no handle of its own is refused, so arguments that arrive in the wrong place are noticed. */
#include "../shim/cuda.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* As cuda.h has them. There is one calling convention on 64-bit Windows. */
#define CUDAAPI __stdcall
enum { CUDA_SUCCESS = 0, CUDA_ERROR_NOT_SUPPORTED = 801, CU_EVENT_DISABLE_TIMING = 2, CU_EVENT_RECORD_EXTERNAL = 1 };

typedef enum kind { STREAM = 0x5354, EVENT = 0x4556 } kind_t;

struct CUstream_st {
  kind_t kind;
  unsigned long long last;
};

struct CUevent_st {
  kind_t kind;
  unsigned flags;
  unsigned long long last;
  struct timespec time;
};

typedef struct item {
  struct item *next;
  CUevent event;
  void (*function)(void *);
  void *user;
} item_t;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static item_t *first, **end = &first;
static unsigned long long submitted, completed, functions;
static struct CUstream_st default_stream = {STREAM, 0};
static char device_context;
static __thread CUcontext stack[16];
static __thread int depth;

static void *work(void *unused) {
  pthread_mutex_lock(&mutex);
  for (;;) {
    item_t *item = first;
    if (!item) {
      pthread_cond_wait(&changed, &mutex);
      continue;
    }
    first = item->next;
    if (!first) end = &first;
    if (item->function) {
      functions++;
      pthread_mutex_unlock(&mutex);
      item->function(item->user);
      pthread_mutex_lock(&mutex);
    } else {
      clock_gettime(CLOCK_MONOTONIC, &item->event->time);
    }
    completed++;
    free(item);
    pthread_cond_broadcast(&changed);
  }
  return unused;
}

/* NULL, CU_STREAM_LEGACY or CU_STREAM_PER_THREAD. */
static int is_default(CUstream stream) {
  return (uintptr_t)stream <= 2;
}

static int is_stream(CUstream stream) {
  return is_default(stream) || stream->kind == STREAM;
}

static int is_event(CUevent event) {
  return event && event->kind == EVENT;
}

static CUresult submit(CUstream stream, CUevent event, void (*function)(void *), void *user) {
  item_t *item = calloc(1, sizeof *item);
  if (!item || !is_stream(stream) || (!function && !is_event(event))) return CUDA_ERROR_INVALID_HANDLE;
  item->event = event;
  item->function = function;
  item->user = user;
  pthread_mutex_lock(&mutex);
  *end = item;
  end = &item->next;
  submitted++;
  (is_default(stream) ? &default_stream : stream)->last = submitted;
  if (event) event->last = submitted;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return CUDA_SUCCESS;
}

static CUresult query(unsigned long long last) {
  CUresult code;
  pthread_mutex_lock(&mutex);
  code = completed >= last ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  pthread_mutex_unlock(&mutex);
  return code;
}

static CUresult synchronize(unsigned long long last) {
  pthread_mutex_lock(&mutex);
  while (completed < last) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return CUDA_SUCCESS;
}

/* What a default stream waits for. */
static unsigned long long last_of(CUstream stream) {
  return is_default(stream) ? submitted : stream->last;
}

/* A driver function, with its answer. */
#define FUNCTION(name, parameters, ...)                                                                                \
  __declspec(dllexport) CUresult CUDAAPI name parameters;                                                              \
  __declspec(dllexport) CUresult CUDAAPI name parameters {                                                             \
    return (__VA_ARGS__);                                                                                              \
  }
/* The same, refused where a condition does not hold. */
#define IF(condition, code, ...) ((condition) ? (__VA_ARGS__) : CUDA_ERROR_##code)

static CUresult start(unsigned flags) {
  pthread_t thread;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return pthread_create(&thread, NULL, work, NULL) == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

static CUresult end_stream(CUstream stream) {
  synchronize(stream->last);
  free(stream);
  return CUDA_SUCCESS;
}

static CUresult end_event(CUevent event) {
  synchronize(event->last);
  free(event);
  return CUDA_SUCCESS;
}

static CUresult elapsed(float *ms, CUevent start, CUevent stop) {
  if (!is_event(start) || !is_event(stop)) return CUDA_ERROR_INVALID_HANDLE;
  if ((start->flags | stop->flags) & CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
  if (query(start->last) != CUDA_SUCCESS || query(stop->last) != CUDA_SUCCESS) return CUDA_ERROR_NOT_READY;
  *ms =
      (float)(stop->time.tv_sec - start->time.tv_sec) * 1e3f + (float)(stop->time.tv_nsec - start->time.tv_nsec) / 1e6f;
  return CUDA_SUCCESS;
}

/* clang-format off */
#pragma GCC diagnostic ignored "-Wunused-parameter"
/* How many functions the queue has run: for the test alone. */
FUNCTION(nvcuda_functions, (void), (CUresult)functions)
FUNCTION(cuInit, (unsigned flags), start(flags))
FUNCTION(cuDeviceGetCount, (int *count), *count = 1, CUDA_SUCCESS)
FUNCTION(cuDeviceGet, (CUdevice *device, int number), *device = 0, IF(number == 0, INVALID_VALUE, CUDA_SUCCESS))
FUNCTION(cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice device),
  *context = (CUcontext)&device_context, IF(device == 0, INVALID_VALUE, CUDA_SUCCESS))
FUNCTION(cuDevicePrimaryCtxRelease_v2, (CUdevice device), IF(device == 0, INVALID_VALUE, CUDA_SUCCESS))
FUNCTION(cuCtxGetCurrent, (CUcontext *context), *context = depth > 0 ? stack[depth - 1] : NULL, CUDA_SUCCESS)
FUNCTION(cuCtxPushCurrent_v2, (CUcontext context),
  IF(context == (CUcontext)&device_context && depth < 16, INVALID_CONTEXT, stack[depth++] = context, CUDA_SUCCESS))
FUNCTION(cuCtxPopCurrent_v2, (CUcontext *context), IF(depth > 0, INVALID_CONTEXT, *context = stack[--depth], CUDA_SUCCESS))
FUNCTION(cuCtxGetDevice, (CUdevice *device), *device = 0, IF(depth > 0, INVALID_CONTEXT, CUDA_SUCCESS))
FUNCTION(cuCtxSynchronize, (void), synchronize(submitted))

/* There is one queue. */
FUNCTION(cuStreamCreate, (CUstream *stream, unsigned flags),
  *stream = calloc(1, sizeof **stream), (*stream)->kind = STREAM, IF(flags <= CU_STREAM_NON_BLOCKING, INVALID_VALUE, CUDA_SUCCESS))
FUNCTION(cuStreamDestroy_v2, (CUstream stream), IF(!is_default(stream) && is_stream(stream), INVALID_HANDLE, end_stream(stream)))
FUNCTION(cuStreamQuery, (CUstream stream), IF(is_stream(stream), INVALID_HANDLE, query(last_of(stream))))
FUNCTION(cuStreamSynchronize, (CUstream stream), IF(is_stream(stream), INVALID_HANDLE, synchronize(last_of(stream))))
FUNCTION(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags),
  IF(is_stream(stream) && is_event(event) && flags <= 1, INVALID_HANDLE, CUDA_SUCCESS))
FUNCTION(cuStreamGetCtx, (CUstream stream, CUcontext *context),
  *context = (CUcontext)&device_context, IF(is_stream(stream), INVALID_HANDLE, CUDA_SUCCESS))
FUNCTION(cuStreamIsCapturing, (CUstream stream, unsigned *capturing), *capturing = 0, IF(is_stream(stream), INVALID_HANDLE, CUDA_SUCCESS))
FUNCTION(cuLaunchHostFunc, (CUstream stream, void (*function)(void *), void *user),
  IF(function != NULL, INVALID_VALUE, submit(stream, NULL, function, user)))

FUNCTION(cuEventCreate, (CUevent *event, unsigned flags), *event = calloc(1, sizeof **event), (*event)->kind = EVENT,
  (*event)->flags = flags, IF(flags < 8, INVALID_VALUE, CUDA_SUCCESS))
FUNCTION(cuEventDestroy_v2, (CUevent event), IF(is_event(event), INVALID_HANDLE, end_event(event)))
FUNCTION(cuEventRecord, (CUevent event, CUstream stream), submit(stream, event, NULL, NULL))
FUNCTION(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags),
  IF(flags <= CU_EVENT_RECORD_EXTERNAL, INVALID_VALUE, submit(stream, event, NULL, NULL)))
FUNCTION(cuEventQuery, (CUevent event), IF(is_event(event), INVALID_HANDLE, query(event->last)))
FUNCTION(cuEventSynchronize, (CUevent event), IF(is_event(event), INVALID_HANDLE, synchronize(event->last)))
FUNCTION(cuEventElapsedTime, (float *ms, CUevent start, CUevent stop), elapsed(ms, start, stop))
FUNCTION(cuIpcGetEventHandle, (CUipcEventHandle *handle, CUevent event), CUDA_ERROR_NOT_SUPPORTED)
FUNCTION(cuIpcOpenEventHandle, (CUevent *event, CUipcEventHandle handle), CUDA_ERROR_NOT_SUPPORTED)
