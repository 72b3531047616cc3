/* A stand-in for the driver, built as libcuda.so.1, that counts its calls and answers as a test sets it. Events
   are done at once. Its handles are addresses, the one that was destroyed last is issued next, and a call with one that is not
   live ends the process, as the driver's may. It needs no library, and so has no versions of symbols, as dlvsym accepts.

   Built with STUB_VERSION it lacks what came with later versions of CUDA. */
#include "driver.h"

#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define F(name, since, ...) at_##name,
enum {
#include "functions.h"
};
#undef F

struct function {
  const char *name;
  void (*address)(void);
  int since, calls, answer;
  void (*hook)(void);
};

#define F(name, since, ...) {#name, (void (*)(void))name, since, 0, 0, NULL},
static struct function functions[] = {
#include "functions.h"
};
#undef F

static int is(const char *one, const char *other) {
  while (*one && *one == *other) one++, other++;
  return *one == *other;
}

static void trap_if(int is_wrong) {
  if (is_wrong) __builtin_trap();
}

static struct function *function(const char *name) {
  size_t i = 0;
  while (i < COUNT(functions) && !is(functions[i].name, name)) i++;
  trap_if(i == COUNT(functions));
  return &functions[i];
}

int stub_calls(const char *name) {
  return __atomic_load_n(&function(name)->calls, __ATOMIC_SEQ_CST);
}
void stub_answer(const char *name, int code) {
  __atomic_store_n(&function(name)->answer, code, __ATOMIC_SEQ_CST);
}
void stub_hook(const char *name, void (*hook)(void)) {
  __atomic_store_n(&function(name)->hook, hook, __ATOMIC_SEQ_CST);
}

/* Counts a call of the function, and returns the answer that was set for it. */
static int enter(struct function *function) {
  void (*hook)(void) = __atomic_load_n(&function->hook, __ATOMIC_SEQ_CST);
  if (hook) hook();
  __atomic_add_fetch(&function->calls, 1, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&function->answer, __ATOMIC_SEQ_CST);
}

/* Returns the form that a name, a version and flags select. */
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

/* The object of a handle. An event of another process may be opened several times at one address, and is destroyed as often. */
struct object {
  int lives, device, is_interprocess;
} __attribute__((aligned(64)));

/* Each of two devices has one context, and one of them is current to a thread. `retained` says how often the primary contexts are. */
static struct object contexts[2], streams[16], events[64], graph, node;
static __thread void *current, *pushed;
static __thread int is_pushed;
static int retained[2], devices = 2, is_last_pending;
static CUevent last_recorded;

static int current_device(void) {
  return current == &contexts[1];
}

static void *make(struct object *objects, size_t count) {
  size_t i = 0;
  while (i < count && objects[i].lives) i++;
  trap_if(i == count);
  objects[i].lives = 1;
  objects[i].device = current_device();
  objects[i].is_interprocess = 0;
  return &objects[i];
}

static struct object *live(struct object *objects, size_t count, const void *handle) {
  size_t at = (uintptr_t)handle - (uintptr_t)objects, place = at / sizeof *objects;
  trap_if(at % sizeof *objects != 0 || place >= count || !objects[place].lives);
  return &objects[place];
}

static struct object *event_of(CUevent event) {
  return live(events, COUNT(events), event);
}

/* Used by functions that older drivers lack. */
__attribute__((unused)) static void event_in(const CUgraphNodeParams *params) {
  const int type = params->type;
  if (type == CU_GRAPH_NODE_TYPE_WAIT_EVENT || type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
    event_of(params->of.event.event);
}

static int device_of(CUstream stream) {
  return (uintptr_t)stream > 2 ? live(streams, COUNT(streams), stream)->device : current_device();
}

void stub_devices(int count) {
  devices = count;
}
void stub_pending(int is_pending) {
  is_last_pending = is_pending;
}
CUevent stub_event(void) {
  return make(events, COUNT(events));
}
CUstream stub_new_stream(void) {
  return make(streams, COUNT(streams));
}

/* Writes the value, unless the place is NULL. */
static CUresult give(void *place, void *value) {
  if (!place) return CUDA_ERROR_INVALID_VALUE;
  *(void **)place = value;
  return 0;
}

static CUresult refuse_null(CUevent event) {
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  event_of(event);
  return 0;
}

static CUresult release(CUdevice device) {
  if (!retained[device]) return CUDA_ERROR_INVALID_CONTEXT;
  retained[device]--;
  return 0;
}

static CUresult create_stream(CUstream *out) {
  return out ? give(out, stub_new_stream()) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult create_event(CUevent *out, unsigned flags) {
  if (!out || flags > 7) return CUDA_ERROR_INVALID_VALUE;
  *out = stub_event();
  event_of(*out)->is_interprocess = (flags & CU_EVENT_INTERPROCESS) != 0;
  return 0;
}

static CUresult destroy_event(CUevent event) {
  const CUresult refused = refuse_null(event);
  if (!refused) event_of(event)->lives--;
  return refused;
}

static CUresult query(CUevent event) {
  const CUresult refused = refuse_null(event);
  return !refused && is_last_pending && event == last_recorded ? CUDA_ERROR_NOT_READY : refused;
}

static CUresult record(CUevent event, CUstream stream, unsigned flags) {
  last_recorded = event;
  if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
  return !event || event_of(event)->device != device_of(stream) ? CUDA_ERROR_INVALID_HANDLE : 0;
}

/* The driver crashes where a stream waits for an interprocess event of another device. */
static CUresult wait_event(CUstream stream, CUevent event, unsigned flags) {
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  trap_if(event_of(event)->is_interprocess && event_of(event)->device != device_of(stream));
  return flags > 1 ? CUDA_ERROR_INVALID_VALUE : 0;
}

static CUresult elapsed(float *ms, CUevent start, CUevent end, float told) {
  if (!ms || refuse_null(start) || refuse_null(end)) return CUDA_ERROR_INVALID_HANDLE;
  *ms = told;
  return 0;
}

static CUresult export_event(CUipcEventHandle *handle, CUevent event) {
  if (!handle || !event) return CUDA_ERROR_INVALID_VALUE;
  event_of(event);
  handle->bytes[0] = 1;
  return 0;
}

/* A handle with a number is opened at the same place each time, another one at a new place. */
static CUresult import_event(CUevent *out, int place) {
  if (!place) return create_event(out, CU_EVENT_INTERPROCESS);
  if (events[place].lives++ == 0) events[place].device = current_device(), events[place].is_interprocess = 1;
  return give(out, &events[place]);
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-value"
#define F(name, since, parameters, ...)                                                                                \
  CUresult name parameters {                                                                                           \
    const CUresult code_ = enter(&functions[at_##name]);                                                               \
    return code_ ? code_ : (__VA_ARGS__);                                                                              \
  }
#include "functions.h"
