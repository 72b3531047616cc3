/* The functions of the stand-in: F(NAME, the first CUDA version whose callers get it, PARAMETERS, ANSWER). */
/* clang-format off */
F(cuInit, 2000, (unsigned flags), flags ? CUDA_ERROR_INVALID_VALUE : 0)
F(cuDeviceGet, 2000, (CUdevice *device, int number), *device = number, 0)
F(cuDeviceGetCount, 2000, (int *count), *count = devices, 0)

/* Contexts. */
F(cuDevicePrimaryCtxRetain, 7000, (CUcontext *out, CUdevice device), retained[device]++, give(out, &contexts[device]))
F(cuDevicePrimaryCtxRelease_v2, 11000, (CUdevice device), release(device))
F(cuDevicePrimaryCtxReset_v2, 11000, (CUdevice device), 0)
F(cuCtxCreate_v2, 3020, (CUcontext *out, unsigned flags, CUdevice device), give(out, &contexts[device]))
F(cuCtxDestroy_v2, 4000, (CUcontext context), 0)
F(cuCtxGetCurrent, 4000, (CUcontext *out), give(out, current))
F(cuCtxSetCurrent, 4000, (CUcontext context), current = context, 0)
F(cuCtxPushCurrent_v2, 4000, (CUcontext context), trap_if(is_pushed), is_pushed = 1, pushed = current, current = context, 0)
F(cuCtxPopCurrent_v2, 4000, (CUcontext *out), trap_if(!is_pushed), is_pushed = 0, *out = current, current = pushed, 0)
F(cuCtxGetDevice, 2000, (CUdevice *device), *device = current_device(), 0)
F(cuCtxSynchronize, 2000, (void), 0)

/* Streams. Events are done at once. */
F(cuStreamCreate, 2000, (CUstream *out, unsigned flags), create_stream(out))
F(cuStreamCreateWithPriority, 5050, (CUstream *out, unsigned flags, int priority), create_stream(out))
F(cuStreamDestroy_v2, 4000, (CUstream stream), live(streams, COUNT(streams), stream)->lives = 0, 0)
F(cuStreamGetCtx, 9020, (CUstream stream, CUcontext *out), give(out, &contexts[device_of(stream)]))
F(cuStreamQuery, 2000, (CUstream stream), device_of(stream), 0)
F(cuStreamSynchronize, 2000, (CUstream stream), device_of(stream), 0)
F(cuStreamWaitEvent, 3020, (CUstream stream, CUevent event, unsigned flags), wait_event(stream, event, flags))
F(cuStreamWaitEvent_ptsz, 7000, (CUstream stream, CUevent event, unsigned flags), wait_event(stream, event, flags))
F(cuLaunchHostFunc, 10000, (CUstream stream, void (*function)(void *), void *user), device_of(stream), run(function, user))
F(cuStreamIsCapturing, 10000, (CUstream stream, unsigned *capturing), *capturing = 0, device_of(stream), 0)
F(cuStreamBeginCapture_v2, 10010, (CUstream stream, int mode), device_of(stream), 0)
F(cuStreamBeginCapture_v2_ptsz, 10010, (CUstream stream, int mode), device_of(stream), 0)
F(cuStreamEndCapture, 10000, (CUstream stream, CUgraph *out), device_of(stream), give(out, &graph))
F(cuStreamEndCapture_ptsz, 10000, (CUstream stream, CUgraph *out), device_of(stream), give(out, &graph))

/* Events. */
F(cuEventCreate, 2000, (CUevent *out, unsigned flags), create_event(out, flags))
F(cuEventCreateFromEGLSync, 9000, (CUevent *out, void *sync, unsigned flags), create_event(out, flags))
F(cuEventDestroy, 2000, (CUevent event), destroy_event(event))
F(cuEventDestroy_v2, 4000, (CUevent event), destroy_event(event))
F(cuEventQuery, 2000, (CUevent event), query(event))
F(cuEventSynchronize, 2000, (CUevent event), refuse_null(event))
F(cuEventRecord, 2000, (CUevent event, CUstream stream), record(event, stream, 0))
F(cuEventRecord_ptsz, 7000, (CUevent event, CUstream stream), record(event, stream, 0))
#if STUB_VERSION >= 11010
F(cuEventRecordWithFlags, 11010, (CUevent event, CUstream stream, unsigned flags), record(event, stream, flags))
F(cuEventRecordWithFlags_ptsz, 11010, (CUevent event, CUstream stream, unsigned flags), record(event, stream, flags))
#endif
F(cuEventElapsedTime, 2000, (float *ms, CUevent start, CUevent end), elapsed(ms, start, end, 2))
F(cuIpcGetEventHandle, 4010, (CUipcEventHandle *handle, CUevent event), export_event(handle, event))
F(cuIpcOpenEventHandle, 4010, (CUevent *out, CUipcEventHandle handle), import_event(out, handle.bytes[1]))

/* Graphs: the nodes that name events. */
F(cuGraphAddEventRecordNode, 11010, (CUgraphNode *out, CUgraph in, const CUgraphNode *after, size_t count, CUevent event),
  event_of(event), give(out, &node))
F(cuGraphAddEventWaitNode, 11010, (CUgraphNode *out, CUgraph in, const CUgraphNode *after, size_t count, CUevent event),
  event_of(event), give(out, &node))
F(cuGraphEventRecordNodeSetEvent, 11010, (CUgraphNode of, CUevent event), event_of(event), 0)
F(cuGraphEventWaitNodeSetEvent, 11010, (CUgraphNode of, CUevent event), event_of(event), 0)
F(cuGraphExecEventRecordNodeSetEvent, 11010, (CUgraphExec in, CUgraphNode of, CUevent event), event_of(event), 0)
F(cuGraphExecEventWaitNodeSetEvent, 11010, (CUgraphExec in, CUgraphNode of, CUevent event), event_of(event), 0)
F(cuGraphKernelNodeSetAttribute, 11000, (CUgraphNode of, int attribute, const void *value), 0)

F(cuGetProcAddress, 11030, (const char *name, void **out, int version, unsigned long long flags), look_up(name, out, version, flags, NULL))

/* Functions of CUDA 12 and later. No real driver has cuEventRecord_v2 and cuGetProcAddress_v3 yet. */
#if STUB_VERSION >= 12000
F(cuCtxGetId, 12000, (CUcontext context, unsigned long long *id), *id = 7, 0)
F(cuCtxRecordEvent, 12050, (CUcontext context, CUevent event), event_of(event), 0)
F(cuCtxWaitEvent, 12050, (CUcontext context, CUevent event), event_of(event), 0)
F(cuGreenCtxDestroy, 12040, (CUgreenCtx context), 0)
F(cuGreenCtxRecordEvent, 12040, (CUgreenCtx context, CUevent event), event_of(event), 0)
F(cuGreenCtxWaitEvent, 12040, (CUgreenCtx context, CUevent event), event_of(event), 0)
F(cuEventRecord_v2, 14000, (CUevent event, CUstream stream, unsigned flags), record(event, stream, flags))
F(cuEventElapsedTime_v2, 12080, (float *ms, CUevent start, CUevent end), elapsed(ms, start, end, 3))
F(cuGraphAddNode, 12020, (CUgraphNode *out, CUgraph in, const CUgraphNode *after, size_t count, CUgraphNodeParams *params),
  event_in(params), give(out, &node))
F(cuGraphAddNode_v2, 12030,
  (CUgraphNode *out, CUgraph in, const CUgraphNode *after, const void *edges, size_t count, CUgraphNodeParams *params),
  event_in(params), give(out, &node))
F(cuGraphNodeSetParams, 12020, (CUgraphNode of, CUgraphNodeParams *params), event_in(params), 0)
F(cuGraphExecNodeSetParams, 12020, (CUgraphExec in, CUgraphNode of, CUgraphNodeParams *params), event_in(params), 0)
F(cuLaunchKernelEx, 11060, (const void *config, CUfunction function, void **params, void **extra), 0)
F(cuGetProcAddress_v2, 12000, (const char *name, void **out, int version, unsigned long long flags, int *found),
  look_up(name, out, version, flags, found))
#endif
#if STUB_VERSION >= 14000
F(cuGetProcAddress_v3, 14000, (const char *name, void **out, int version, unsigned long long flags, int *found, int more),
  look_up(name, out, version, flags, found))
#endif
