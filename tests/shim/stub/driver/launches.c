/* Launches. */
#include "stub.h"

#ifndef STUB_IS_OLD
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction kernel, void **parameters, void **extra) {
  BEGIN(cuLaunchKernelEx);
  (void)config, (void)kernel, (void)parameters, (void)extra;
  return 0;
}
#endif
