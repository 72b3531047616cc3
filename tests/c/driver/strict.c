/* Stands between a program and the driver below it, built as libcuda.so.1, and ends the process when a handle arrives that is
   no longer live: the driver itself follows such a handle into freed memory, and may or may not crash. It hands out handles of
   its own. As the driver does, it issues a freed handle again at once, to whoever asks next in whichever context, and gives a
   primary context that was reset and retained again its old address and a new id.

   A wait of one device's stream for an imported event of another device ends the process, too: the driver crashes there. A wait for a
   word blocks while the queue that the stream shares with others has no room, as the driver's calls do: over CUDA without a GPU, whose
   queues have no end, the waits are this file's own.

   With STRICT_WITHOUT_WORDS streams cannot wait for words. With STRICT_SPINS a wait for an event or a stream keeps a core, as NVIDIA's
   driver does by default, and never sleeps.

   A host function that ends an event of the driver's ends the process: the driver forbids it calls.

   STRICT_DRIVER_BELOW names the driver below: a real one, or hostcuda. The test programs set it (../strict.h). */
#include "host_function.h"
#include "words.h"

#include <pthread.h>
#include <stddef.h>

enum { CONTEXTS = 256, STREAMS = 4096, EVENTS = 1 << 16, DEVICES = 16, STACK = 32 };
enum {
  INVALID_VALUE = 1,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  NOT_READY = 600,
  DESTROYED = 709,
  NOT_SUPPORTED = 801
};

typedef struct object {
  struct object *next; /* in the list of free ones */
  struct object *context;
  void *below;
  unsigned long long id; /* of a context, 0 while there is none; of a stream */
  int live, device, imported;
  int calls; /* that named it since it was issued */
} object_t;

typedef struct pool {
  object_t *objects, *free;
  size_t size, used;
} pool_t;

static object_t context_objects[CONTEXTS], stream_objects[STREAMS], event_objects[EVENTS], primaries[DEVICES];
static pool_t contexts = {context_objects, NULL, CONTEXTS, 0}, streams = {stream_objects, NULL, STREAMS, 0},
              events = {event_objects, NULL, EVENTS, 0};
static int retains[DEVICES], retains_below[DEVICES];
static unsigned long long last_id = 100, last_stream_id;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, primary_mutex = PTHREAD_MUTEX_INITIALIZER;
static void (*after_id)(void);
static unsigned broken;

/* The calling thread's contexts, the current one last. */
static __thread object_t *stack[STACK];
static __thread int depth;

/* ---- what is live ---- */

static void fail(const char *what, const char *call, const void *handle) {
  fprintf(stderr, "%s: %s(%p)\n", what, call, handle);
  abort();
}

static void lock(void) {
  pthread_mutex_lock(&mutex);
}
static void unlock(void) {
  pthread_mutex_unlock(&mutex);
}

static object_t *issue(pool_t *pool, object_t *context, void *of_below) {
  object_t *made;
  lock();
  made = pool->free;
  if (made)
    pool->free = made->next;
  else if (pool->used < pool->size)
    made = &pool->objects[pool->used++];
  else
    fail("no room for another handle", "issue", pool);
  memset(made, 0, sizeof *made);
  made->context = context;
  made->below = of_below;
  made->device = context ? context->device : 0;
  made->live = 1;
  unlock();
  return made;
}

/* The handle is issued to the next one who asks. */
static void free_object(pool_t *pool, object_t *object) {
  object->live = 0;
  object->next = pool->free;
  pool->free = object;
}

static void free_all_of(pool_t *pool, const object_t *context) {
  size_t i;
  for (i = 0; i < pool->used; i++) {
    if (pool->objects[i].live && pool->objects[i].context == context) free_object(pool, &pool->objects[i]);
  }
}

static object_t *find(pool_t *pool, const char *call, void *handle) {
  uintptr_t at = (uintptr_t)handle - (uintptr_t)pool->objects;
  object_t *object = (object_t *)handle;
  if (at % sizeof *object != 0 || at / sizeof *object >= pool->size) fail("no handle reached the driver", call, handle);
  lock();
  if (!object->live) fail("a dead handle reached the driver", call, handle);
  object->calls++;
  unlock();
  return object;
}

static object_t *current(void) {
  return depth ? stack[depth - 1] : NULL;
}

/* The code for a call that needs a current context. */
static unsigned check_current(void) {
  object_t *context = current();
  return !context ? INVALID_CONTEXT : context->live ? 0 : DESTROYED;
}

static unsigned set_below(void) {
  object_t *context = current();
  return BELOW(cuCtxSetCurrent)(context && context->live ? context->below : NULL);
}

/* The stream's context; the default streams are the current one's. */
static object_t *context_of(object_t *stream) {
  return stream ? stream->context : current();
}

/* The stream below, and its object, which is NULL for the default ones. */
static unsigned stream_below(const char *call, void *handle, void **to, object_t **object) {
  *object = NULL;
  *to = handle;
  if (broken) return broken;
  if ((uintptr_t)handle <= 2) return check_current();
  *object = find(&streams, call, handle);
  *to = (*object)->below;
  return 0;
}

#define STREAM(handle)                                                                                                 \
  void *on;                                                                                                            \
  object_t *stream;                                                                                                    \
  unsigned refused = stream_below(__func__, handle, &on, &stream);                                                     \
  if (refused) return refused
#define NEEDS_CURRENT()                                                                                                \
  do {                                                                                                                 \
    unsigned code_ = check_current();                                                                                  \
    if (code_) return code_;                                                                                           \
  } while (0)
#define EVENT(handle) (find(&events, __func__, (handle)))
#define EXPORT(name, parameters)                                                                                       \
  unsigned name parameters;                                                                                            \
  unsigned name parameters
/* What is the same below, on the stream `handle` or without one. */
#define ON_STREAM(name, parameters, arguments)                                                                         \
  EXPORT(name, parameters) {                                                                                           \
    STREAM(handle);                                                                                                    \
    return BELOW(name) arguments;                                                                                      \
  }
#define FORWARD(name, parameters, arguments)                                                                           \
  EXPORT(name, parameters) {                                                                                           \
    return BELOW(name) arguments;                                                                                      \
  }
FORWARDED(FORWARD)

/* ---- for tests ---- */

/* How often a call has named the handle since it was issued. */
int strict_calls(void *handle);
int strict_calls(void *handle) {
  return ((object_t *)handle)->calls;
}

/* `hook` runs once, when the next cuCtxGetId has found its context alive. It acts as another thread of the context's owner,
   between a check and the call that was checked. */
void strict_after_id(void (*hook)(void));
void strict_after_id(void (*hook)(void)) {
  __atomic_store_n(&after_id, hook, __ATOMIC_SEQ_CST);
}

/* From now on, work fails with that code, as after an error that a context does not recover from. */
void strict_break(unsigned code);
void strict_break(unsigned code) {
  __atomic_store_n(&broken, code, __ATOMIC_SEQ_CST);
}

/* ---- devices and contexts ---- */

EXPORT(cuDeviceGet, (int *device, int number)) {
  return number < DEVICES ? BELOW(cuDeviceGet)(device, number) : 101;
}

static void begin_context(object_t *context, int device, void *of_below) {
  lock();
  context->below = of_below;
  context->device = device;
  context->id = ++last_id;
  context->live = 1;
  unlock();
}

static void end_context(object_t *context) {
  lock();
  context->live = 0;
  free_all_of(&events, context);
  free_all_of(&streams, context);
  unlock();
}

EXPORT(cuDevicePrimaryCtxRetain, (void **out, int device)) {
  void *made = NULL;
  unsigned code = 0;
  pthread_mutex_lock(&primary_mutex);
  if (!primaries[device].live && !(code = BELOW(cuDevicePrimaryCtxRetain)(&made, device))) {
    retains_below[device]++;
    begin_context(&primaries[device], device, made);
  }
  if (!code) retains[device]++;
  pthread_mutex_unlock(&primary_mutex);
  *out = &primaries[device];
  return code;
}

EXPORT(cuDevicePrimaryCtxRelease_v2, (int device)) {
  int left;
  pthread_mutex_lock(&primary_mutex);
  left = retains[device] ? --retains[device] : -1;
  if (left == 0) end_context(&primaries[device]);
  /* One that was reset is retained below as often as it was made. */
  for (; left == 0 && retains_below[device]; retains_below[device]--) (void)BELOW(cuDevicePrimaryCtxRelease_v2)(device);
  pthread_mutex_unlock(&primary_mutex);
  return left < 0 ? INVALID_CONTEXT : 0;
}

/* Each holder of the context must still release it. */
EXPORT(cuDevicePrimaryCtxReset_v2, (int device)) {
  end_context(&primaries[device]);
  return BELOW(cuDevicePrimaryCtxReset_v2)(device);
}

EXPORT(cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active)) {
  *flags = 0;
  *active = primaries[device].live;
  return 0;
}

static unsigned push(object_t *context) {
  if (depth == STACK) fail("too many contexts were pushed", "push", context);
  stack[depth++] = context;
  return set_below();
}

EXPORT(cuCtxCreate_v2, (void **out, unsigned flags, int device)) {
  object_t *context;
  void *made = NULL;
  unsigned code = BELOW(cuCtxCreate_v2)(&made, flags, device);
  if (code) return code;
  context = issue(&contexts, NULL, made);
  begin_context(context, device, made);
  *out = context;
  return push(context);
}

EXPORT(cuCtxDestroy_v2, (void *handle)) {
  object_t *context = find(&contexts, "cuCtxDestroy_v2", handle);
  void *of_below = context->below;
  unsigned code;
  end_context(context);
  code = BELOW(cuCtxDestroy_v2)(of_below);
  if (current() == context) {
    depth--;
    (void)set_below();
  }
  lock();
  free_object(&contexts, context);
  unlock();
  return code;
}

EXPORT(cuCtxGetId, (void *handle, unsigned long long *id)) {
  object_t *context = handle ? (object_t *)handle : current();
  void (*hook)(void);
  int live;
  if (!context) return INVALID_CONTEXT;
  lock();
  live = context->live;
  *id = context->id;
  unlock();
  if (!live) return DESTROYED;
  hook = __atomic_exchange_n(&after_id, NULL, __ATOMIC_SEQ_CST);
  if (hook) hook();
  return 0;
}

EXPORT(cuCtxGetCurrent, (void **out)) {
  *out = current();
  return 0;
}
EXPORT(cuCtxSetCurrent, (void *handle)) {
  object_t *context = (object_t *)handle;
  if (context && !context->live) return DESTROYED;
  if (depth) depth--;
  if (context) return push(context);
  return set_below();
}
EXPORT(cuCtxPushCurrent_v2, (void *handle)) {
  object_t *context = (object_t *)handle;
  return context->live ? push(context) : DESTROYED;
}
EXPORT(cuCtxPopCurrent_v2, (void **out)) {
  if (!depth) return INVALID_CONTEXT;
  *out = stack[--depth];
  return set_below();
}
EXPORT(cuCtxGetDevice, (int *device)) {
  NEEDS_CURRENT();
  *device = current()->device;
  return 0;
}
EXPORT(cuCtxSynchronize, (void)) {
  NEEDS_CURRENT();
  return broken ? broken : BELOW(cuCtxSynchronize)();
}

/* ---- streams ---- */

EXPORT(cuStreamCreate, (void **out, unsigned flags)) {
  void *made = NULL;
  unsigned code;
  NEEDS_CURRENT();
  code = BELOW(cuStreamCreate)(&made, flags);
  if (!code) {
    object_t *stream = issue(&streams, current(), made);
    stream->id = __atomic_add_fetch(&last_stream_id, 1, __ATOMIC_SEQ_CST);
    *out = stream;
  }
  return code;
}
EXPORT(cuStreamGetId, (void *handle, unsigned long long *id)) {
  STREAM(handle);
  (void)on;
  *id = stream ? stream->id : 0;
  return 0;
}
EXPORT(cuStreamDestroy_v2, (void *handle)) {
  STREAM(handle);
  if (!stream) return INVALID_HANDLE;
  lock();
  free_object(&streams, stream);
  unlock();
  return BELOW(cuStreamDestroy_v2)(on);
}
ON_STREAM(cuStreamQuery, (void *handle), (on))
EXPORT(cuStreamSynchronize, (void *handle)) {
  STREAM(handle);
  if (getenv("STRICT_SPINS")) return spin_while_pending(BELOW(cuStreamQuery), on);
  return BELOW(cuStreamSynchronize)(on);
}
EXPORT(cuStreamGetCtx, (void *handle, void **out)) {
  STREAM(handle);
  (void)on;
  *out = context_of(stream);
  return 0;
}
ON_STREAM(cuStreamIsCapturing, (void *handle, unsigned *capturing), (on, capturing))
ON_STREAM(cuStreamBeginCapture_v2, (void *handle, int mode), (on, mode))
ON_STREAM(cuStreamEndCapture, (void *handle, void **graph), (on, graph))
EXPORT(cuLaunchHostFunc, (void *handle, void (*function)(void *), void *user)) {
  unsigned capturing = 0;
  STREAM(handle);
  if (stream) (void)BELOW(cuStreamIsCapturing)(on, &capturing);
  return capturing ? BELOW(cuLaunchHostFunc)(on, function, user) : launch_marked(on, function, user);
}
EXPORT(cuStreamWaitValue32_v2, (void *handle, unsigned long long address, uint32_t value, unsigned flags)) {
  static int left[CHANNELS];
  STREAM(handle);
  if (getenv("STRICT_WITHOUT_WORDS")) return NOT_SUPPORTED;
  if (!is_without_gpu()) return BELOW(cuStreamWaitValue32_v2)(on, address, value, flags);
  return word_wait(on, &left[stream ? (stream - stream_objects) % CHANNELS : 0], address, value);
}
EXPORT(cuStreamWaitEvent, (void *handle, void *event, unsigned flags)) {
  object_t *awaited;
  STREAM(handle);
  awaited = EVENT(event);
  if (awaited->imported && awaited->device != context_of(stream)->device) {
    fail("a stream of another device waits for an imported event", "cuStreamWaitEvent", event);
  }
  return BELOW(cuStreamWaitEvent)(on, awaited->below, flags);
}
ON_STREAM(cuGraphLaunch, (void *executable, void *handle), (executable, on))

/* ---- events ---- */

EXPORT(cuEventCreate, (void **out, unsigned flags)) {
  void *made = NULL;
  unsigned code;
  if (!out) return INVALID_VALUE;
  NEEDS_CURRENT();
  code = BELOW(cuEventCreate)(&made, flags);
  if (!code) *out = issue(&events, current(), made);
  return code;
}
EXPORT(cuEventDestroy_v2, (void *handle)) {
  object_t *event = EVENT(handle);
  void *of_below = event->below;
  if (runs_function) fail("a host function calls the driver", "cuEventDestroy", handle);
  lock();
  free_object(&events, event);
  unlock();
  return BELOW(cuEventDestroy_v2)(of_below);
}
EXPORT(cuEventRecord, (void *event, void *handle)) {
  STREAM(handle);
  return BELOW(cuEventRecord)(EVENT(event)->below, on);
}
EXPORT(cuEventRecordWithFlags, (void *event, void *handle, unsigned flags)) {
  STREAM(handle);
  return BELOW(cuEventRecordWithFlags)(EVENT(event)->below, on, flags);
}
EXPORT(cuEventQuery, (void *event)) {
  return broken ? broken : BELOW(cuEventQuery)(EVENT(event)->below);
}
EXPORT(cuEventSynchronize, (void *event)) {
  if (getenv("STRICT_SPINS")) return spin_while_pending(BELOW(cuEventQuery), EVENT(event)->below);
  return broken ? broken : BELOW(cuEventSynchronize)(EVENT(event)->below);
}
EXPORT(cuEventElapsedTime, (float *ms, void *start, void *end)) {
  return BELOW(cuEventElapsedTime)(ms, EVENT(start)->below, EVENT(end)->below);
}
EXPORT(cuEventElapsedTime_v2, (float *ms, void *start, void *end)) {
  return BELOW(cuEventElapsedTime_v2)(ms, EVENT(start)->below, EVENT(end)->below);
}
EXPORT(cuIpcGetEventHandle, (ipc_handle_t * out, void *event)) {
  NEEDS_CURRENT();
  return BELOW(cuIpcGetEventHandle)(out, EVENT(event)->below);
}
EXPORT(cuIpcOpenEventHandle, (void **out, ipc_handle_t handle)) {
  void *made = NULL;
  object_t *event;
  unsigned code;
  NEEDS_CURRENT();
  code = BELOW(cuIpcOpenEventHandle)(&made, handle);
  if (code) return code;
  event = issue(&events, current(), made);
  event->imported = 1;
  *out = event;
  return 0;
}
