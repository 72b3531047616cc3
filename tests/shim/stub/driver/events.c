/* Events: each is done at once. */
#include "stub.h"

/* An event of another process may be opened several times at one address, and is destroyed as often. */
static struct object events[64];

CUevent stub_event(void) {
  return (CUevent)stub_make(events, COUNT(events));
}

/* Events whose pointers are not issued again. They are in no memory. */
#define NEW_POINTERS 0x600000000000u
static uintptr_t issued;
static struct object issued_one;

struct object *stub_event_of(CUevent event) {
  if ((uintptr_t)event > NEW_POINTERS && (uintptr_t)event <= NEW_POINTERS + issued) return &issued_one;
  return stub_live(events, COUNT(events), event);
}

static CUresult create_event(CUevent *out, unsigned flags) {
  if (flags & STUB_NEW_POINTER) {
    issued += sizeof(struct object);
    return stub_give(out, (char *)NEW_POINTERS + issued);
  }
  if (!out || flags > 7) return CUDA_ERROR_INVALID_VALUE;
  *out = stub_event();
  stub_event_of(*out)->is_interprocess = (flags & CU_EVENT_INTERPROCESS) != 0;
  return 0;
}
static CUresult destroy_event(CUevent event) {
  REFUSE_NULL(event);
  stub_event_of(event)->lives--;
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
  if (stub_event_of(event)->device != stub_device_of(stream)) return CUDA_ERROR_INVALID_HANDLE;
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
  (void)stub_event_of(event);
  handle->bytes[0] = 1;
  return 0;
}
/* A handle with a number is opened at the same place each time, another one at a new place. */
CUresult cuIpcOpenEventHandle(CUevent *out, CUipcEventHandle handle) {
  int place = handle.bytes[1];
  BEGIN(cuIpcOpenEventHandle);
  if (!place) return create_event(out, CU_EVENT_INTERPROCESS);
  if (events[place].lives++ == 0) events[place].device = stub_device(), events[place].is_interprocess = 1;
  return stub_give(out, &events[place]);
}

#ifndef STUB_IS_OLD
CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end) {
  BEGIN(cuEventElapsedTime_v2);
  return elapsed(ms, start, end);
}
/* A form to come. */
CUresult cuEventRecord_v2(CUevent event, CUstream stream, unsigned flags) {
  BEGIN(cuEventRecord_v2);
  return record(event, stream, flags);
}
CUresult cuGreenCtxRecordEvent(CUgreenCtx which, CUevent event) {
  BEGIN(cuGreenCtxRecordEvent);
  (void)which, (void)stub_event_of(event);
  return 0;
}
CUresult cuGreenCtxWaitEvent(CUgreenCtx which, CUevent event) {
  BEGIN(cuGreenCtxWaitEvent);
  (void)which, (void)stub_event_of(event);
  return 0;
}
CUresult cuCtxRecordEvent(CUcontext which, CUevent event) {
  BEGIN(cuCtxRecordEvent);
  (void)which, (void)stub_event_of(event);
  return 0;
}
CUresult cuCtxWaitEvent(CUcontext which, CUevent event) {
  BEGIN(cuCtxWaitEvent);
  (void)which, (void)stub_event_of(event);
  return 0;
}
#endif
