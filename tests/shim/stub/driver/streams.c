/* Streams, their captures and what is given to them. */
#include "stub.h"

static struct object streams[16], graph;

void stub_stream(CUstream stream) {
  if ((uintptr_t)stream > 2) (void)stub_live(streams, COUNT(streams), stream);
}

int stub_device_of(CUstream stream) {
  stub_stream(stream);
  return (uintptr_t)stream > 2 ? stub_live(streams, COUNT(streams), stream)->device : stub_device();
}

CUstream stub_new_stream(void) {
  return (CUstream)stub_make(streams, COUNT(streams));
}

static CUresult create_stream(CUstream *out) {
  return out ? stub_give(out, stub_make(streams, COUNT(streams))) : CUDA_ERROR_INVALID_VALUE;
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
  stub_live(streams, COUNT(streams), stream)->lives = 0;
  return 0;
}
CUresult cuStreamQuery(CUstream stream) {
  BEGIN(cuStreamQuery);
  stub_stream(stream);
  return 0;
}
CUresult cuStreamSynchronize(CUstream stream) {
  BEGIN(cuStreamSynchronize);
  stub_stream(stream);
  return 0;
}
/* The driver crashes where a stream waits for an interprocess event of another device. */
static CUresult wait(CUstream stream, CUevent event, unsigned flags) {
  struct object *of;
  REFUSE_NULL(event);
  of = stub_event_of(event);
  if (of->is_interprocess && of->device != stub_device_of(stream)) __builtin_trap();
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
  stub_stream(stream);
  return 0;
}
CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
  BEGIN(cuStreamBeginCapture_v2);
  (void)mode;
  stub_stream(stream);
  return 0;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph *out) {
  BEGIN(cuStreamEndCapture);
  stub_stream(stream);
  return stub_give(out, &graph);
}
CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, int mode) {
  BEGIN(cuStreamBeginCapture_v2_ptsz);
  (void)mode;
  stub_stream(stream);
  return 0;
}
CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph *out) {
  BEGIN(cuStreamEndCapture_ptsz);
  stub_stream(stream);
  return stub_give(out, &graph);
}

#ifndef STUB_IS_OLD
/* Also answers for a destroyed stream. */
CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  BEGIN(cuStreamGetId);
  *id = (uintptr_t)stream;
  return ((struct object *)stream)->lives ? 0 : CUDA_ERROR_INVALID_HANDLE;
}
#endif
