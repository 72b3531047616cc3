/* The driver functions that these programs call, by their exported names. */
#ifndef SHIM_TESTS_CUDA_H
#define SHIM_TESTS_CUDA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open number: newer drivers have unknown codes. */
typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUevent_st *CUevent;
typedef struct CUfunc_st *CUfunction;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUstream_st *CUstream;

typedef struct {
  char bytes[64];
} CUipcEventHandle;

/* One attribute of a launch. Only the values with an event are declared. */
typedef struct {
  unsigned id;
  char pad[4];
  union {
    char room[64];
    struct {
      CUevent event;
      int flags;
      int trigger_at_block_start;
    } event;
  } value;
} CUlaunchAttribute;

typedef struct {
  unsigned grid[3], block[3], shared_bytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned count;
} CUlaunchConfig;

/* Parameters of a graph node. Only the event nodes are declared. */
typedef struct {
  int type;
  int reserved[3];
  union {
    long long room[29];
    struct {
      CUevent event;
    } event;
  } of;
  long long reserved_later;
} CUgraphNodeParams;

enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_ILLEGAL_STATE = 401,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_EVENT_INTERPROCESS = 4,
  CU_EVENT_RECORD_EXTERNAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
  CU_GRAPH_NODE_TYPE_WAIT_EVENT = 6,
  CU_GRAPH_NODE_TYPE_EVENT_RECORD = 7,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
  CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12
};

#ifndef STUB_VERSION
#define STUB_VERSION 99999
#endif
#define F(name, since, parameters, ...) CUresult name parameters;
#include "stub/functions.h"
#undef F
CUresult cuLaunchHostFunc_ptsz(CUstream stream, void (*function)(void *), void *user);

#ifdef __cplusplus
}
#endif

#endif
