/* A stand-in for the driver, built as libcuda.so.1, that counts its calls and answers as a test sets it. Events
   are done at once. Its handles are addresses, the one that was destroyed last is issued next, and a call with one that is not
   live ends the process, as the driver's may. It needs no library, and so has no versions of symbols, as dlvsym accepts.

   Built with STUB_VERSION it lacks what came with later versions of CUDA. With STUB_RUNS it runs a host function within the call that
   launches it; without, never. */
#define FUNCTIONS "at_once_functions.h"
#include "table.h"

/* The first version of CUDA whose callers get a function. */
#define F(name, since, ...) since,
static const int since[] = {
#include FUNCTIONS
};
#undef F

static void wrong(const char *what, const void *handle) {
  __builtin_trap();
}

static void trap_if(int is_wrong) {
  if (is_wrong) __builtin_trap();
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
    if (*one || per_thread != is_per_thread || since[i] > version) continue;
    if (!best || since[i] > since[best - functions]) best = &functions[i];
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

/* Each of two devices has one context, and one of them is current to a thread. `retained` says how often the primary contexts are. */
static struct object contexts[2], streams[16], events[64], graph, node;
static __thread void *current, *pushed;
static __thread int is_pushed;
static int retained[2], devices = 2, is_last_pending;
static CUevent last_recorded;

static int current_device(void) {
  return current == &contexts[1];
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

/* How many devices there are: 2 at first. Whether the event that was recorded last is pending. */
void stub_devices(int count) {
  devices = count;
}
void stub_pending(int is_pending) {
  is_last_pending = is_pending;
}

/* An event and a stream that the program did not make through a driver function. */
CUevent stub_event(void) {
  return (CUevent)make(events, COUNT(events), current_device());
}
CUstream stub_new_stream(void) {
  return (CUstream)make(streams, COUNT(streams), current_device());
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

static CUresult run(void (*function)(void *), void *user) {
#ifdef STUB_RUNS
  function(user);
#endif
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

#define F(name, since, ...) DEFINE(name, __VA_ARGS__)
#include FUNCTIONS
