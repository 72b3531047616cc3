/* A program of the runtime API. Which library the runtime's own calls reach it cannot see; GEVT_STATS=1 tells. Built with
   SHIM_NVCC by nvcc on a machine with a GPU, against NVIDIA's own runtime, shared and static. */
#include "exercise.h"

#ifdef SHIM_NVCC
#include <cuda_runtime_api.h>
#else
#define DECLARE(field, parameters, name, since, exported, per_thread, runtime) int runtime parameters;
FUNCTIONS(DECLARE)
int cudaPeekAtLastError(void);
#endif

int main(void) {
  struct api api;
#define OF_RUNTIME(field, parameters, name, since, exported, per_thread, runtime) LINKED(field, runtime);
  FUNCTIONS(OF_RUNTIME)
  exercise(&api);
  SHOW((int)cudaPeekAtLastError());
  return 0;
}
