/* The driver functions that these programs call, by their exported names. */
#ifndef GEVT_TESTS_CUDA_H
#define GEVT_TESTS_CUDA_H

#include <stddef.h>

/* An open number: newer drivers have unknown codes. */
typedef int CUresult;
typedef int CUdevice;
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
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_INTERPROCESS = 4,
  CU_GRAPH_NODE_TYPE_WAIT_EVENT = 6,
  CU_GRAPH_NODE_TYPE_EVENT_RECORD = 7
};

#ifndef STUB_VERSION
#define STUB_VERSION 99999
#endif
#define F(name, since, parameters, ...) CUresult name parameters;
#include "at_once_functions.h"
#undef F
CUresult cuLaunchHostFunc_ptsz(CUstream stream, void (*function)(void *), void *user);

#endif
