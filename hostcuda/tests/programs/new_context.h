// Creating contexts, whose call differs between the releases.
#pragma once
#include "check.h"
#include <cuda.h>

inline CUcontext new_context(CUdevice device) {
  CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
  OK(cuCtxCreate(&context, nullptr, 0, device));
#else
  OK(cuCtxCreate(&context, 0, device));
#endif
  return context;
}
