/* A stand-in for the driver, built as libcuda.so.1, that says how often it was called and answers what it is told to. Events
   are done at once. Its handles are addresses, the one that was destroyed last is issued next, and a call with one that is not
   live ends the process, as the driver's may. It needs no library, and so has no versions of symbols, as dlvsym accepts.

   Built with STUB_IS_OLD it lacks what came with CUDA 12. */
#include "driver.h"

#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#include "functions.h"

#define INDEX(name, since) at_##name,
enum { FUNCTIONS(INDEX) LAST };

struct function {
  const char *name;
  void (*address)(void);
  int since, calls, answer;
};

#define ROW(name, since) {#name, (void (*)(void))name, since, 0, 0},
static struct function functions[] = {FUNCTIONS(ROW)};

/* An event of another process may be opened several times at one address, and is destroyed as often. */
struct object {
  int lives;
} __attribute__((aligned(64)));
static struct object events[64], streams[16], context, graph, node;
static CUcontext current;

static int is(const char *one, const char *other) {
  while (*one && *one == *other) one++, other++;
  return *one == *other;
}

static struct function *function(const char *name) {
  size_t i;
  for (i = 0; i < COUNT(functions); i++) {
    if (is(functions[i].name, name)) return &functions[i];
  }
  __builtin_trap();
}

int stub_calls(const char *name) {
  return __atomic_load_n(&function(name)->calls, __ATOMIC_SEQ_CST);
}
void stub_answer(const char *name, int code) {
  __atomic_store_n(&function(name)->answer, code, __ATOMIC_SEQ_CST);
}

static void *make(struct object *objects, size_t count) {
  size_t i;
  for (i = 0; i < count; i++) {
    if (objects[i].lives) continue;
    objects[i].lives = 1;
    return &objects[i];
  }
  __builtin_trap();
}

CUevent stub_event(void) {
  return (CUevent)make(events, COUNT(events));
}

static struct object *live(struct object *objects, size_t count, const void *handle) {
  size_t at = (uintptr_t)handle - (uintptr_t)objects, place = at / sizeof *objects;
  if (at % sizeof *objects != 0 || place >= count || !objects[place].lives) __builtin_trap();
  return &objects[place];
}

static struct object *event_of(CUevent event) {
  return live(events, COUNT(events), event);
}

static void stream_of(CUstream stream) {
  if ((uintptr_t)stream > 2) (void)live(streams, COUNT(streams), stream);
}

static int enter(int index) {
  __atomic_add_fetch(&functions[index].calls, 1, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&functions[index].answer, __ATOMIC_SEQ_CST);
}

/* What a function does before it has told that it was called and whether it succeeds. */
#define BEGIN(name)                                                                                                    \
  do {                                                                                                                 \
    int code_ = enter(at_##name);                                                                                      \
    if (code_) return code_;                                                                                           \
  } while (0)
#define REFUSE_NULL(event)                                                                                             \
  do {                                                                                                                 \
    if (!(event)) return CUDA_ERROR_INVALID_HANDLE;                                                                    \
    (void)event_of(event);                                                                                             \
  } while (0)

static CUresult give(void *place, void *value) {
  if (!place) return CUDA_ERROR_INVALID_VALUE;
  *(void **)place = value;
  return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) {
  BEGIN(cuInit);
  return flags ? CUDA_ERROR_INVALID_VALUE : 0;
}
CUresult cuDeviceGet(CUdevice *device, int number) {
  BEGIN(cuDeviceGet);
  *device = number;
  return 0;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
  BEGIN(cuDevicePrimaryCtxRetain);
  (void)device;
  return give(out, &context);
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  BEGIN(cuDevicePrimaryCtxRelease_v2);
  (void)device;
  return 0;
}
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  BEGIN(cuDevicePrimaryCtxReset_v2);
  (void)device;
  return 0;
}
CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device) {
  BEGIN(cuCtxCreate_v2);
  (void)flags, (void)device;
  return give(out, &context);
}
CUresult cuCtxDestroy_v2(CUcontext which) {
  BEGIN(cuCtxDestroy_v2);
  (void)which;
  return 0;
}
CUresult cuCtxGetCurrent(CUcontext *out) {
  BEGIN(cuCtxGetCurrent);
  return give(out, current);
}
CUresult cuCtxSetCurrent(CUcontext which) {
  BEGIN(cuCtxSetCurrent);
  current = which;
  return 0;
}
CUresult cuCtxSynchronize(void) {
  BEGIN(cuCtxSynchronize);
  return 0;
}

static CUresult create_stream(CUstream *out) {
  return out ? give(out, make(streams, COUNT(streams))) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuStreamCreate(CUstream *out, unsigned flags) {
  BEGIN(cuStreamCreate);
  (void)flags;
  return create_stream(out);
}
CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority) {
  BEGIN(cuStreamCreateWithPriority);
  (void)flags, (void)priority;
  return create_stream(out);
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  BEGIN(cuStreamDestroy_v2);
  live(streams, COUNT(streams), stream)->lives = 0;
  return 0;
}
CUresult cuStreamQuery(CUstream stream) {
  BEGIN(cuStreamQuery);
  stream_of(stream);
  return 0;
}
CUresult cuStreamSynchronize(CUstream stream) {
  BEGIN(cuStreamSynchronize);
  stream_of(stream);
  return 0;
}
static CUresult wait(CUstream stream, CUevent event, unsigned flags) {
  REFUSE_NULL(event);
  stream_of(stream);
  return flags > 1 ? CUDA_ERROR_INVALID_VALUE : 0;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  BEGIN(cuStreamWaitEvent);
  return wait(stream, event, flags);
}
CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned flags) {
  BEGIN(cuStreamWaitEvent_ptsz);
  return wait(stream, event, flags);
}
/* Nothing is called: events are done at once. */
CUresult cuLaunchHostFunc(CUstream stream, void (*called)(void *), void *user) {
  BEGIN(cuLaunchHostFunc);
  (void)called, (void)user;
  stream_of(stream);
  return 0;
}
CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
  BEGIN(cuStreamBeginCapture_v2);
  (void)mode;
  stream_of(stream);
  return 0;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph *out) {
  BEGIN(cuStreamEndCapture);
  stream_of(stream);
  return give(out, &graph);
}
CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, int mode) {
  BEGIN(cuStreamBeginCapture_v2_ptsz);
  (void)mode;
  stream_of(stream);
  return 0;
}
CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph *out) {
  BEGIN(cuStreamEndCapture_ptsz);
  stream_of(stream);
  return give(out, &graph);
}

static CUresult create_event(CUevent *out, unsigned flags) {
  return !out || flags > 7 ? CUDA_ERROR_INVALID_VALUE : give(out, stub_event());
}
static CUresult destroy_event(CUevent event) {
  REFUSE_NULL(event);
  event_of(event)->lives--;
  return 0;
}
CUresult cuEventCreate(CUevent *out, unsigned flags) {
  BEGIN(cuEventCreate);
  return create_event(out, flags);
}
CUresult cuEventCreateFromEGLSync(CUevent *out, void *sync, unsigned flags) {
  BEGIN(cuEventCreateFromEGLSync);
  (void)sync;
  return create_event(out, flags);
}
CUresult cuEventDestroy(CUevent event) {
  BEGIN(cuEventDestroy);
  return destroy_event(event);
}
CUresult cuEventDestroy_v2(CUevent event) {
  BEGIN(cuEventDestroy_v2);
  return destroy_event(event);
}
CUresult cuEventQuery(CUevent event) {
  BEGIN(cuEventQuery);
  REFUSE_NULL(event);
  return 0;
}
CUresult cuEventSynchronize(CUevent event) {
  BEGIN(cuEventSynchronize);
  REFUSE_NULL(event);
  return 0;
}
static CUresult record(CUevent event, CUstream stream, unsigned flags) {
  if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
  REFUSE_NULL(event);
  stream_of(stream);
  return 0;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  BEGIN(cuEventRecord);
  return record(event, stream, 0);
}
CUresult cuEventRecord_ptsz(CUevent event, CUstream stream) {
  BEGIN(cuEventRecord_ptsz);
  return record(event, stream, 0);
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  BEGIN(cuEventRecordWithFlags);
  return record(event, stream, flags);
}
CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned flags) {
  BEGIN(cuEventRecordWithFlags_ptsz);
  return record(event, stream, flags);
}
static CUresult elapsed(float *ms, CUevent start, CUevent end) {
  if (!ms) return CUDA_ERROR_INVALID_HANDLE;
  REFUSE_NULL(start);
  REFUSE_NULL(end);
  *ms = 2;
  return 0;
}
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end) {
  BEGIN(cuEventElapsedTime);
  return elapsed(ms, start, end);
}
CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event) {
  BEGIN(cuIpcGetEventHandle);
  if (!handle || !event) return CUDA_ERROR_INVALID_VALUE;
  (void)event_of(event);
  handle->bytes[0] = 1;
  return 0;
}
/* A handle that tells a number is opened at that place each time, another one at a place of its own. */
CUresult cuIpcOpenEventHandle(CUevent *out, CUipcEventHandle handle) {
  int place = handle.bytes[1];
  BEGIN(cuIpcOpenEventHandle);
  if (!place) return create_event(out, 0);
  events[place].lives++;
  return give(out, &events[place]);
}

#define NODE(out, event) ((void)event_of(event), give(out, &node))
CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph in, const CUgraphNode *after, size_t count,
                                   CUevent event) {
  BEGIN(cuGraphAddEventRecordNode);
  (void)in, (void)after, (void)count;
  return NODE(out, event);
}
CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph in, const CUgraphNode *after, size_t count, CUevent event) {
  BEGIN(cuGraphAddEventWaitNode);
  (void)in, (void)after, (void)count;
  return NODE(out, event);
}
#define SETS(name, parameters)                                                                                         \
  CUresult name parameters {                                                                                           \
    BEGIN(name);                                                                                                       \
    (void)event_of(event);                                                                                             \
    return 0;                                                                                                          \
  }
SETS(cuGraphEventRecordNodeSetEvent, (CUgraphNode of __attribute__((unused)), CUevent event))
SETS(cuGraphEventWaitNodeSetEvent, (CUgraphNode of __attribute__((unused)), CUevent event))
SETS(cuGraphExecEventRecordNodeSetEvent,
     (CUgraphExec in __attribute__((unused)), CUgraphNode of __attribute__((unused)), CUevent event))
SETS(cuGraphExecEventWaitNodeSetEvent,
     (CUgraphExec in __attribute__((unused)), CUgraphNode of __attribute__((unused)), CUevent event))
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  BEGIN(cuGraphLaunch);
  (void)executable;
  stream_of(stream);
  return 0;
}
/* The sum of the arguments is the answer, so that one that is lost on the way shows. */
CUresult cuLaunchKernel(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters,
                        void **extra) {
  BEGIN(cuLaunchKernel);
  return (int)(grid_x + grid_y + grid_z + block_x + block_y + block_z + shared_bytes + (uintptr_t)kernel +
               (uintptr_t)stream + (uintptr_t)parameters + (uintptr_t)extra);
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  BEGIN(cuMemcpy);
  return (int)(to + from + bytes);
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  BEGIN(cuMemcpyDtoH_v2);
  return (int)((uintptr_t)to + from + bytes);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  BEGIN(cuMemcpyHtoD_v2);
  return (int)(to + (uintptr_t)from + bytes);
}
CUresult cuMemFree_v2(CUdeviceptr memory) {
  BEGIN(cuMemFree_v2);
  return (int)memory;
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode of, int attribute, const void *value) {
  BEGIN(cuGraphKernelNodeSetAttribute);
  (void)of, (void)attribute, (void)value;
  return 0;
}

/* The forms that a name, a version and flags stand for. */
static struct function *form(const char *name, int version, int is_per_thread) {
  struct function *best = NULL;
  size_t i;
  for (i = 0; i < COUNT(functions); i++) {
    const char *one = functions[i].name, *other = name;
    int per_thread = 0;
    while (*other && *one == *other) one++, other++;
    if (*other) continue;
    if (one[0] == '_' && one[1] == 'v' && one[2] >= '2' && one[2] <= '9') one += 3;
    if (is(one, "_ptsz")) one += 5, per_thread = 1;
    if (*one || per_thread != is_per_thread || functions[i].since > version) continue;
    if (!best || functions[i].since > best->since) best = &functions[i];
  }
  return best;
}
static CUresult look_up(const char *name, void **out, int version, unsigned long long flags, int *found) {
  struct function *function = flags & 2 ? form(name, version, 1) : NULL;
  if (!function) function = form(name, version, 0);
  if (found) *found = function ? 0 : 1;
  *out = NULL;
  if (!function) return CUDA_ERROR_NOT_FOUND;
  __builtin_memcpy(out, &function->address, sizeof *out);
  return 0;
}
CUresult cuGetProcAddress(const char *name, void **out, int version, unsigned long long flags) {
  BEGIN(cuGetProcAddress);
  return look_up(name, out, version, flags, NULL);
}

#ifndef STUB_IS_OLD
CUresult cuGetProcAddress_v2(const char *name, void **out, int version, unsigned long long flags, int *found) {
  BEGIN(cuGetProcAddress_v2);
  return look_up(name, out, version, flags, found);
}
CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end) {
  BEGIN(cuEventElapsedTime_v2);
  return elapsed(ms, start, end);
}
CUresult cuGreenCtxDestroy(CUgreenCtx which) {
  BEGIN(cuGreenCtxDestroy);
  (void)which;
  return 0;
}
CUresult cuGreenCtxRecordEvent(CUgreenCtx which, CUevent event) {
  BEGIN(cuGreenCtxRecordEvent);
  (void)which, (void)event_of(event);
  return 0;
}
CUresult cuGreenCtxWaitEvent(CUgreenCtx which, CUevent event) {
  BEGIN(cuGreenCtxWaitEvent);
  (void)which, (void)event_of(event);
  return 0;
}
CUresult cuCtxRecordEvent(CUcontext which, CUevent event) {
  BEGIN(cuCtxRecordEvent);
  (void)which, (void)event_of(event);
  return 0;
}
CUresult cuCtxWaitEvent(CUcontext which, CUevent event) {
  BEGIN(cuCtxWaitEvent);
  (void)which, (void)event_of(event);
  return 0;
}

static void parameters_of(const CUgraphNodeParams *parameters) {
  if (parameters->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT || parameters->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
    (void)event_of(parameters->of.event.event);
}
CUresult cuGraphAddNode(CUgraphNode *out, CUgraph in, const CUgraphNode *after, size_t count,
                        CUgraphNodeParams *parameters) {
  BEGIN(cuGraphAddNode);
  (void)in, (void)after, (void)count;
  parameters_of(parameters);
  return give(out, &node);
}
CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph in, const CUgraphNode *after, const void *edges, size_t count,
                           CUgraphNodeParams *parameters) {
  BEGIN(cuGraphAddNode_v2);
  (void)in, (void)after, (void)edges, (void)count;
  parameters_of(parameters);
  return give(out, &node);
}
CUresult cuGraphNodeSetParams(CUgraphNode of, CUgraphNodeParams *parameters) {
  BEGIN(cuGraphNodeSetParams);
  (void)of;
  parameters_of(parameters);
  return 0;
}
CUresult cuGraphExecNodeSetParams(CUgraphExec in, CUgraphNode of, CUgraphNodeParams *parameters) {
  BEGIN(cuGraphExecNodeSetParams);
  (void)in, (void)of;
  parameters_of(parameters);
  return 0;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction kernel, void **parameters, void **extra) {
  BEGIN(cuLaunchKernelEx);
  (void)config, (void)kernel, (void)parameters, (void)extra;
  return 0;
}
#endif
