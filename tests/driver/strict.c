/* Stands between a program and the driver below it, built as libcuda.so.1, and ends the process when a handle arrives that is
   no longer live: the driver itself follows such a handle into freed memory, and may or may not crash. It hands out handles of
   its own. As the driver does, it issues a freed handle again at once, to whoever asks next in whichever context, and gives a
   primary context that was reset and retained again its old address and a new id.

   A wait of one device's stream for an imported event of another device ends the process, too: the driver crashes there. A wait for a
   word blocks while the queue that the stream shares with others has no room, as the driver's calls do: over CUDA without a GPU, whose
   queues have no end, the waits are words.h's.

   With STRICT_WITHOUT_WORDS streams cannot wait for words. With STRICT_SPINS a wait for an event or a stream keeps a core, as NVIDIA's
   driver does by default, and never sleeps.

   A host function that ends an event of the driver's ends the process: the driver forbids it calls.

   STRICT_DRIVER_BELOW names the driver below: a real one, or hostcuda. The test programs set it (../c/strict.h). */
#define _GNU_SOURCE
#include "cuda.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the driver below answers. A function that is missing there is NULL. */
#define BELOW(name) ((__typeof__(&name))functions[at_##name].below)

#define F(name, parameters, ...) CUresult name parameters;
#include "strict_functions.h"
#undef F
#define FUNCTIONS "strict_functions.h"
#include "table.h"
#include "words.h"

enum { DEVICES = 16, STACK = 32 };

static struct object contexts[256], streams[4096], events[1 << 16], primaries[DEVICES];
static int retains[DEVICES], retains_below[DEVICES];
static unsigned long long last_id = 100;
static pthread_mutex_t primary_mutex = PTHREAD_MUTEX_INITIALIZER;
static void (*after_id)(void);
static CUresult broken;

/* The calling thread's contexts, the current one last. Whether it runs a host function. */
static __thread struct object *stack[STACK];
static __thread int depth, runs_function;

static void wrong(const char *what, const void *handle) {
  fprintf(stderr, "%s: %s(%p)\n", what, called ? called : "", handle);
  abort();
}

static void __attribute__((constructor)) load(void) {
  const char *path = getenv("STRICT_DRIVER_BELOW");
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  size_t i;
  if (!library) {
    fprintf(stderr, "STRICT_DRIVER_BELOW names no driver: %s\n", path ? dlerror() : "it is not set");
    abort();
  }
  for (i = 0; i < COUNT(functions); i++) {
    void *symbol = dlsym(library, functions[i].name);
    memcpy(&functions[i].below, &symbol, sizeof symbol);
  }
}

/* ---- for tests ---- */

/* How often a call has named the handle since it was issued. */
int strict_calls(void *handle) {
  return ((struct object *)handle)->calls;
}

/* `hook` runs once, when the next cuCtxGetId has found its context alive. It acts as another thread of the context's owner,
   between a check and the call that was checked. */
void strict_after_id(void (*hook)(void)) {
  __atomic_store_n(&after_id, hook, __ATOMIC_SEQ_CST);
}

/* From now on, work fails with that code, as after an error that a context does not recover from. */
void strict_break(int code) {
  __atomic_store_n(&broken, code, __ATOMIC_SEQ_CST);
}

/* ---- contexts ---- */

static struct object *current(void) {
  return depth ? stack[depth - 1] : NULL;
}

/* The code for a call that needs a current context, and the call's answer where there is one. */
static CUresult check_current(void) {
  const struct object *context = current();
  return !context ? CUDA_ERROR_INVALID_CONTEXT : context->lives ? 0 : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}
#define IN_CONTEXT(...) (__extension__(check_current() ?: (__VA_ARGS__)))

static CUresult set_below(void) {
  const struct object *context = current();
  return BELOW(cuCtxSetCurrent)(context && context->lives ? context->below : NULL);
}

static CUresult push(void *handle) {
  struct object *context = handle;
  if (!context->lives) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (depth == STACK) wrong("too many contexts were pushed", handle);
  stack[depth++] = context;
  return set_below();
}

static CUresult set_current(void *handle) {
  const struct object *context = handle;
  if (context && !context->lives) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (depth) depth--;
  return handle ? push(handle) : set_below();
}

static void begin_context(struct object *context, CUdevice device, void *below) {
  context->below = below;
  context->device = device;
  context->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&context->lives, 1, __ATOMIC_SEQ_CST);
}

static void end_all(struct object *objects, size_t count, const struct object *context) {
  size_t i;
  for (i = 0; i < count; i++) {
    if (objects[i].context == context) objects[i].lives = 0;
  }
}

/* The context ends first: who asks for its id before a call, as gevt does, learns of it. */
static void end_context(struct object *context) {
  __atomic_store_n(&context->lives, 0, __ATOMIC_SEQ_CST);
  end_all(events, COUNT(events), context);
  end_all(streams, COUNT(streams), context);
}

static CUresult retain(CUcontext *out, CUdevice device) {
  CUcontext made = NULL;
  CUresult code = 0;
  pthread_mutex_lock(&primary_mutex);
  if (!primaries[device].lives && !(code = BELOW(cuDevicePrimaryCtxRetain)(&made, device))) {
    retains_below[device]++;
    begin_context(&primaries[device], device, made);
  }
  if (!code) retains[device]++;
  pthread_mutex_unlock(&primary_mutex);
  return give(out, &primaries[device]), code;
}

/* Each holder of a context that was reset must still release it. Below it is retained as often as it was made. */
static CUresult release(CUdevice device) {
  int left;
  pthread_mutex_lock(&primary_mutex);
  left = retains[device] ? --retains[device] : -1;
  if (left == 0) end_context(&primaries[device]);
  for (; left == 0 && retains_below[device]; retains_below[device]--) BELOW(cuDevicePrimaryCtxRelease_v2)(device);
  pthread_mutex_unlock(&primary_mutex);
  return left < 0 ? CUDA_ERROR_INVALID_CONTEXT : 0;
}

static CUresult create_context(CUcontext *out, unsigned flags, CUdevice device) {
  CUcontext made = NULL;
  struct object *context;
  const CUresult code = BELOW(cuCtxCreate_v2)(&made, flags, device);
  if (code) return code;
  context = make(contexts, COUNT(contexts), device);
  begin_context(context, device, made);
  give(out, context);
  return push(context);
}

static CUresult destroy_context(CUcontext handle) {
  struct object *context = live(contexts, COUNT(contexts), handle);
  void *below = context->below;
  CUresult code;
  end_context(context);
  code = BELOW(cuCtxDestroy_v2)(below);
  if (current() == context) {
    depth--;
    set_below();
  }
  return code;
}

static CUresult context_id(void *handle, unsigned long long *id) {
  const struct object *context = handle ? handle : current();
  void (*hook)(void);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *id = context->id;
  if (!context->lives) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  hook = __atomic_exchange_n(&after_id, NULL, __ATOMIC_SEQ_CST);
  if (hook) hook();
  return 0;
}

/* ---- streams ---- */

/* A new object in the current context. */
static struct object *issue(struct object *objects, size_t count, void *below) {
  struct object *made = make(objects, count, current()->device);
  made->context = current();
  made->below = below;
  made->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_SEQ_CST);
  return made;
}

/* The object of a stream, and NULL for the default ones, which are the current context's. */
static struct object *own(void *stream) {
  return (uintptr_t)stream <= 2 ? NULL : stream;
}

static struct object *context_of(CUstream stream) {
  return own(stream) ? own(stream)->context : current();
}

static void *stream_below(CUstream stream) {
  return own(stream) ? own(stream)->below : stream;
}

/* The code for work on a stream, and the work's answer where that is possible. */
static CUresult check_stream(CUstream stream) {
  if (broken) return broken;
  if (!own(stream)) return check_current();
  live(streams, COUNT(streams), stream);
  return 0;
}
#define ON(stream, ...) (__extension__(check_stream(stream) ?: (__VA_ARGS__)))

static void *event_below(CUevent event) {
  return live(events, COUNT(events), event)->below;
}

static CUresult create_stream(CUstream *out, unsigned flags) {
  CUstream made = NULL;
  const CUresult code = BELOW(cuStreamCreate)(&made, flags);
  return code ? code : give(out, issue(streams, COUNT(streams), made));
}

static CUresult destroy_stream(CUstream stream) {
  void *below = stream_below(stream);
  if (!own(stream)) return CUDA_ERROR_INVALID_HANDLE;
  own(stream)->lives = 0;
  return BELOW(cuStreamDestroy_v2)(below);
}

static CUresult sync_stream(CUstream below) {
  while (getenv("STRICT_SPINS") && BELOW(cuStreamQuery)(below) == CUDA_ERROR_NOT_READY) {}
  return BELOW(cuStreamSynchronize)(below);
}

static CUresult wait_event(CUstream stream, CUevent event, unsigned flags) {
  const struct object *awaited = live(events, COUNT(events), event);
  if (awaited->is_interprocess && awaited->device != context_of(stream)->device) {
    wrong("a stream of another device waits for an imported event", event);
  }
  return BELOW(cuStreamWaitEvent)(stream_below(stream), awaited->below, flags);
}

static CUresult wait_value(CUstream stream, unsigned long long address, unsigned value, unsigned flags) {
  static int left[CHANNELS];
  if (getenv("STRICT_WITHOUT_WORDS")) return CUDA_ERROR_NOT_SUPPORTED;
  if (!is_without_gpu()) return BELOW(cuStreamWaitValue32_v2)(stream_below(stream), address, value, flags);
  return word_wait(stream_below(stream), &left[own(stream) ? (own(stream) - streams) % CHANNELS : 0], address, value);
}

struct host_function {
  void (*function)(void *);
  void *user;
};

static void run_marked(void *user) {
  const struct host_function run = *(struct host_function *)user;
  free(user);
  runs_function = 1;
  run.function(run.user);
  runs_function = 0;
}

/* Host functions mark their thread while they run. Not those of a capture: a graph may run its function more than once. */
static CUresult launch(CUstream stream, void (*function)(void *), void *user) {
  unsigned capturing = 0;
  struct host_function *run;
  CUresult code;
  if (own(stream)) BELOW(cuStreamIsCapturing)(stream_below(stream), &capturing);
  if (capturing) return BELOW(cuLaunchHostFunc)(stream_below(stream), function, user);
  run = malloc(sizeof *run);
  run->function = function;
  run->user = user;
  code = BELOW(cuLaunchHostFunc)(stream_below(stream), run_marked, run);
  if (code) free(run);
  return code;
}

/* ---- events ---- */

static CUresult create_event(CUevent *out, unsigned flags) {
  CUevent made = NULL;
  const CUresult code = BELOW(cuEventCreate)(&made, flags);
  return code ? code : give(out, issue(events, COUNT(events), made));
}

static CUresult destroy_event(CUevent handle) {
  struct object *event = live(events, COUNT(events), handle);
  void *below = event->below;
  if (runs_function) wrong("a host function calls the driver", handle);
  event->lives = 0;
  return BELOW(cuEventDestroy_v2)(below);
}

static CUresult sync_event(CUevent below) {
  while (getenv("STRICT_SPINS") && BELOW(cuEventQuery)(below) == CUDA_ERROR_NOT_READY) {}
  return BELOW(cuEventSynchronize)(below);
}

static CUresult open_event(CUevent *out, CUipcEventHandle handle) {
  CUevent made = NULL;
  const CUresult code = BELOW(cuIpcOpenEventHandle)(&made, handle);
  struct object *event;
  if (code) return code;
  event = issue(events, COUNT(events), made);
  event->is_interprocess = 1;
  return give(out, event);
}

#define F(name, ...) DEFINE(name, __VA_ARGS__)
#include FUNCTIONS
