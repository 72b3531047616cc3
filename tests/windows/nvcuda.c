/* A stand-in for NVIDIA's driver on Windows: nvcuda.dll with the functions that gevt cannot do without. All streams are one queue, which
   a thread of its own works off. What is no handle of its own is refused, so arguments that arrive in the wrong place are noticed. */
#include "../shim/cuda.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* As cuda.h has them. There is one calling convention on 64-bit Windows. */
#define CUDAAPI __stdcall

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

#define FUNCTION(name, ...)                                                                                            \
  __declspec(dllexport) CUresult CUDAAPI name(__VA_ARGS__);                                                            \
  __declspec(dllexport) CUresult CUDAAPI name(__VA_ARGS__)

/* How many functions the queue has run: for the test alone. */
FUNCTION(nvcuda_functions, void) {
  return (CUresult)functions;
}

FUNCTION(cuInit, unsigned flags) {
  pthread_t thread;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return pthread_create(&thread, NULL, work, NULL) == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

FUNCTION(cuDeviceGetCount, int *count) {
  *count = 1;
  return CUDA_SUCCESS;
}

FUNCTION(cuDeviceGet, CUdevice *device, int number) {
  *device = 0;
  return number == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FUNCTION(cuDevicePrimaryCtxRetain, CUcontext *context, CUdevice device) {
  *context = (CUcontext)&device_context;
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FUNCTION(cuDevicePrimaryCtxRelease_v2, CUdevice device) {
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FUNCTION(cuCtxGetCurrent, CUcontext *context) {
  *context = depth > 0 ? stack[depth - 1] : NULL;
  return CUDA_SUCCESS;
}

FUNCTION(cuCtxPushCurrent_v2, CUcontext context) {
  if (context != (CUcontext)&device_context || depth == 16) return CUDA_ERROR_INVALID_CONTEXT;
  stack[depth++] = context;
  return CUDA_SUCCESS;
}

FUNCTION(cuCtxPopCurrent_v2, CUcontext *context) {
  if (depth == 0) return CUDA_ERROR_INVALID_CONTEXT;
  *context = stack[--depth];
  return CUDA_SUCCESS;
}

FUNCTION(cuCtxGetDevice, CUdevice *device) {
  *device = 0;
  return depth > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

FUNCTION(cuCtxSynchronize, void) {
  return synchronize(submitted);
}

FUNCTION(cuStreamCreate, CUstream *stream, unsigned flags) {
  *stream = calloc(1, sizeof **stream);
  (*stream)->kind = STREAM;
  return flags <= CU_STREAM_NON_BLOCKING ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FUNCTION(cuStreamDestroy_v2, CUstream stream) {
  if (is_default(stream) || !is_stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  synchronize(stream->last);
  free(stream);
  return CUDA_SUCCESS;
}

FUNCTION(cuStreamQuery, CUstream stream) {
  return is_stream(stream) ? query(last_of(stream)) : CUDA_ERROR_INVALID_HANDLE;
}

FUNCTION(cuStreamSynchronize, CUstream stream) {
  return is_stream(stream) ? synchronize(last_of(stream)) : CUDA_ERROR_INVALID_HANDLE;
}

/* There is one queue. */
FUNCTION(cuStreamWaitEvent, CUstream stream, CUevent event, unsigned flags) {
  return is_stream(stream) && is_event(event) && flags <= 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

FUNCTION(cuStreamGetCtx, CUstream stream, CUcontext *context) {
  *context = (CUcontext)&device_context;
  return is_stream(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

FUNCTION(cuStreamIsCapturing, CUstream stream, unsigned *capturing) {
  *capturing = 0;
  return is_stream(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

FUNCTION(cuLaunchHostFunc, CUstream stream, void (*function)(void *), void *user) {
  return function ? submit(stream, NULL, function, user) : CUDA_ERROR_INVALID_VALUE;
}

FUNCTION(cuEventCreate, CUevent *event, unsigned flags) {
  *event = calloc(1, sizeof **event);
  (*event)->kind = EVENT;
  (*event)->flags = flags;
  return flags < 8 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FUNCTION(cuEventDestroy_v2, CUevent event) {
  if (!is_event(event)) return CUDA_ERROR_INVALID_HANDLE;
  synchronize(event->last);
  free(event);
  return CUDA_SUCCESS;
}

FUNCTION(cuEventRecord, CUevent event, CUstream stream) {
  return submit(stream, event, NULL, NULL);
}

FUNCTION(cuEventRecordWithFlags, CUevent event, CUstream stream, unsigned flags) {
  return flags <= CU_EVENT_RECORD_EXTERNAL ? submit(stream, event, NULL, NULL) : CUDA_ERROR_INVALID_VALUE;
}

FUNCTION(cuEventQuery, CUevent event) {
  return is_event(event) ? query(event->last) : CUDA_ERROR_INVALID_HANDLE;
}

FUNCTION(cuEventSynchronize, CUevent event) {
  return is_event(event) ? synchronize(event->last) : CUDA_ERROR_INVALID_HANDLE;
}

FUNCTION(cuEventElapsedTime, float *ms, CUevent start, CUevent stop) {
  if (!is_event(start) || !is_event(stop)) return CUDA_ERROR_INVALID_HANDLE;
  if ((start->flags | stop->flags) & CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
  if (query(start->last) != CUDA_SUCCESS || query(stop->last) != CUDA_SUCCESS) return CUDA_ERROR_NOT_READY;
  *ms =
      (float)(stop->time.tv_sec - start->time.tv_sec) * 1e3f + (float)(stop->time.tv_nsec - start->time.tv_nsec) / 1e6f;
  return CUDA_SUCCESS;
}

FUNCTION(cuIpcGetEventHandle, CUipcEventHandle *handle, CUevent event) {
  (void)handle, (void)event;
  return CUDA_ERROR_NOT_SUPPORTED;
}

FUNCTION(cuIpcOpenEventHandle, CUevent *event, CUipcEventHandle handle) {
  (void)event, (void)handle;
  return CUDA_ERROR_NOT_SUPPORTED;
}
