/* The functions of the stub driver: X(name, the version of CUDA that brought it). Old drivers lack those of NEWER. */
#ifndef SHIM_TESTS_FUNCTIONS_H
#define SHIM_TESTS_FUNCTIONS_H

/* clang-format off */
#ifndef STUB_IS_OLD
#define NEWER(X) \
  X(cuEventElapsedTime_v2, 12080) \
  X(cuGetProcAddress_v2, 12000) \
  X(cuGreenCtxDestroy, 12040) \
  X(cuGreenCtxRecordEvent, 12040) \
  X(cuGreenCtxWaitEvent, 12040) \
  X(cuCtxRecordEvent, 12050) \
  X(cuCtxWaitEvent, 12050) \
  X(cuGraphAddNode, 12020) \
  X(cuGraphAddNode_v2, 12030) \
  X(cuGraphNodeSetParams, 12020) \
  X(cuGraphExecNodeSetParams, 12020) \
  X(cuLaunchKernelEx, 11060)
#else
#define NEWER(X)
#endif

#define FUNCTIONS(X) \
  X(cuInit, 2000) \
  X(cuDeviceGet, 2000) \
  X(cuDevicePrimaryCtxRetain, 7000) \
  X(cuDevicePrimaryCtxRelease_v2, 11000) \
  X(cuDevicePrimaryCtxReset_v2, 11000) \
  X(cuCtxCreate_v2, 3020) \
  X(cuCtxDestroy_v2, 4000) \
  X(cuCtxGetCurrent, 4000) \
  X(cuCtxSetCurrent, 4000) \
  X(cuCtxSynchronize, 2000) \
  X(cuStreamCreate, 2000) \
  X(cuStreamCreateWithPriority, 5050) \
  X(cuStreamDestroy_v2, 4000) \
  X(cuStreamQuery, 2000) \
  X(cuStreamSynchronize, 2000) \
  X(cuStreamWaitEvent, 3020) \
  X(cuStreamWaitEvent_ptsz, 7000) \
  X(cuLaunchHostFunc, 10000) \
  X(cuStreamBeginCapture_v2, 10010) \
  X(cuStreamEndCapture, 10000) \
  X(cuStreamBeginCapture_v2_ptsz, 10010) \
  X(cuStreamEndCapture_ptsz, 10000) \
  X(cuEventCreate, 2000) \
  X(cuEventCreateFromEGLSync, 9000) \
  X(cuEventDestroy, 2000) \
  X(cuEventDestroy_v2, 4000) \
  X(cuEventQuery, 2000) \
  X(cuEventSynchronize, 2000) \
  X(cuEventRecord, 2000) \
  X(cuEventRecord_ptsz, 7000) \
  X(cuEventRecordWithFlags, 11010) \
  X(cuEventRecordWithFlags_ptsz, 11010) \
  X(cuEventElapsedTime, 2000) \
  X(cuIpcGetEventHandle, 4010) \
  X(cuIpcOpenEventHandle, 4010) \
  X(cuGraphAddEventRecordNode, 11010) \
  X(cuGraphAddEventWaitNode, 11010) \
  X(cuGraphEventRecordNodeSetEvent, 11010) \
  X(cuGraphEventWaitNodeSetEvent, 11010) \
  X(cuGraphExecEventRecordNodeSetEvent, 11010) \
  X(cuGraphExecEventWaitNodeSetEvent, 11010) \
  X(cuGraphKernelNodeSetAttribute, 11000) \
  X(cuGetProcAddress, 11030) \
  X(cuLaunchKernel, 4000) \
  X(cuGraphLaunch, 10000) \
  X(cuMemcpy, 4000) \
  X(cuMemcpyDtoH_v2, 3020) \
  X(cuMemcpyHtoD_v2, 3020) \
  X(cuMemFree_v2, 3020) \
  NEWER(X)
/* clang-format on */

#endif
