/* The functions of the strict driver: F(NAME, PARAMETERS, ANSWER). */
/* clang-format off */
F(cuInit, (unsigned flags), BELOW(cuInit)(flags))
F(cuDriverGetVersion, (int *version), BELOW(cuDriverGetVersion)(version))
F(cuDeviceGetCount, (int *count), BELOW(cuDeviceGetCount)(count))
F(cuDeviceGet, (CUdevice *device, int number), number < DEVICES ? BELOW(cuDeviceGet)(device, number) : CUDA_ERROR_INVALID_DEVICE)
F(cuDeviceGetName, (char *name, int size, CUdevice device), BELOW(cuDeviceGetName)(name, size, device))

/* Contexts. */
F(cuDevicePrimaryCtxRetain, (CUcontext *out, CUdevice device), retain(out, device))
F(cuDevicePrimaryCtxRelease_v2, (CUdevice device), release(device))
F(cuDevicePrimaryCtxReset_v2, (CUdevice device), end_context(&primaries[device]), BELOW(cuDevicePrimaryCtxReset_v2)(device))
F(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *active), *flags = 0, *active = primaries[device].lives, 0)
F(cuCtxCreate_v2, (CUcontext *out, unsigned flags, CUdevice device), create_context(out, flags, device))
F(cuCtxDestroy_v2, (CUcontext context), destroy_context(context))
F(cuCtxGetId, (CUcontext context, unsigned long long *id), context_id(context, id))
F(cuCtxGetCurrent, (CUcontext *out), give(out, current()))
F(cuCtxSetCurrent, (CUcontext context), set_current(context))
F(cuCtxPushCurrent_v2, (CUcontext context), push(context))
F(cuCtxPopCurrent_v2, (CUcontext *out), depth ? give(out, stack[--depth]), set_below() : CUDA_ERROR_INVALID_CONTEXT)
F(cuCtxGetDevice, (CUdevice *device), IN_CONTEXT(*device = current()->device, 0))
F(cuCtxSynchronize, (void), IN_CONTEXT(broken ? broken : BELOW(cuCtxSynchronize)()))
F(cuThreadExchangeStreamCaptureMode, (unsigned *mode), BELOW(cuThreadExchangeStreamCaptureMode)(mode))

/* Streams. */
F(cuStreamCreate, (CUstream *out, unsigned flags), IN_CONTEXT(create_stream(out, flags)))
F(cuStreamDestroy_v2, (CUstream stream), ON(stream, destroy_stream(stream)))
F(cuStreamGetId, (CUstream stream, unsigned long long *id), ON(stream, *id = own(stream) ? own(stream)->id : 0, 0))
F(cuStreamGetCtx, (CUstream stream, CUcontext *out), ON(stream, give(out, context_of(stream))))
F(cuStreamQuery, (CUstream stream), ON(stream, BELOW(cuStreamQuery)(stream_below(stream))))
F(cuStreamSynchronize, (CUstream stream), ON(stream, sync_stream(stream_below(stream))))
F(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), ON(stream, wait_event(stream, event, flags)))
F(cuStreamWaitValue32_v2, (CUstream stream, unsigned long long address, unsigned value, unsigned flags),
  ON(stream, wait_value(stream, address, value, flags)))
F(cuLaunchHostFunc, (CUstream stream, void (*function)(void *), void *user), ON(stream, launch(stream, function, user)))
F(cuStreamIsCapturing, (CUstream stream, unsigned *capturing), ON(stream, BELOW(cuStreamIsCapturing)(stream_below(stream), capturing)))
F(cuStreamBeginCapture_v2, (CUstream stream, int mode), ON(stream, BELOW(cuStreamBeginCapture_v2)(stream_below(stream), mode)))
F(cuStreamEndCapture, (CUstream stream, CUgraph *out), ON(stream, BELOW(cuStreamEndCapture)(stream_below(stream), out)))
F(cuGraphInstantiateWithFlags, (CUgraphExec *out, CUgraph graph, unsigned long long flags),
  BELOW(cuGraphInstantiateWithFlags)(out, graph, flags))
F(cuGraphLaunch, (CUgraphExec graph, CUstream stream), ON(stream, BELOW(cuGraphLaunch)(graph, stream_below(stream))))
F(cuGraphDestroy, (CUgraph graph), BELOW(cuGraphDestroy)(graph))
F(cuGraphExecDestroy, (CUgraphExec graph), BELOW(cuGraphExecDestroy)(graph))
F(cuMemHostRegister_v2, (void *start, size_t size, unsigned flags), BELOW(cuMemHostRegister_v2)(start, size, flags))
F(cuMemHostGetDevicePointer_v2, (unsigned long long *address, void *start, unsigned flags),
  BELOW(cuMemHostGetDevicePointer_v2)(address, start, flags))

/* Events. */
F(cuEventCreate, (CUevent *out, unsigned flags), out ? IN_CONTEXT(create_event(out, flags)) : CUDA_ERROR_INVALID_VALUE)
F(cuEventDestroy_v2, (CUevent event), destroy_event(event))
F(cuEventRecord, (CUevent event, CUstream stream), ON(stream, BELOW(cuEventRecord)(event_below(event), stream_below(stream))))
F(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags),
  ON(stream, BELOW(cuEventRecordWithFlags)(event_below(event), stream_below(stream), flags)))
F(cuEventQuery, (CUevent event), broken ? broken : BELOW(cuEventQuery)(event_below(event)))
F(cuEventSynchronize, (CUevent event), broken ? broken : sync_event(event_below(event)))
F(cuEventElapsedTime, (float *ms, CUevent start, CUevent end), BELOW(cuEventElapsedTime)(ms, event_below(start), event_below(end)))
F(cuEventElapsedTime_v2, (float *ms, CUevent start, CUevent end), BELOW(cuEventElapsedTime_v2)(ms, event_below(start), event_below(end)))
F(cuIpcGetEventHandle, (CUipcEventHandle *handle, CUevent event), IN_CONTEXT(BELOW(cuIpcGetEventHandle)(handle, event_below(event))))
F(cuIpcOpenEventHandle, (CUevent *out, CUipcEventHandle handle), IN_CONTEXT(open_event(out, handle)))
