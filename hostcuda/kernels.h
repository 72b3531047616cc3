/* Host functions for kernels, for programs that run on CUDA without a GPU. The environment variable GEVT_HOSTCUDA_KERNELS names a shared
 * library of them.
 *
 * For each kernel, the library exports a function with the kernel's name, as C or mangled, and the sizes of the kernel's arguments. A plain
 * name also matches a mangled one:
 *
 *   GEVT_HOSTCUDA_KERNEL(fill, sizeof(float *), sizeof(float), sizeof(int))(const gevt_hostcuda_launch_t *launch, void **arguments) {
 *     float *to = *(float **)arguments[0];
 *     ...
 *   }
 *
 * The function is called once for each launch, in stream order, on one of gevt's threads. It does the work of all threads of the launch.
 * Kernels of different streams run concurrently. The function must not call CUDA or throw an exception. */
#ifndef GEVT_HOSTCUDA_KERNELS_H
#define GEVT_HOSTCUDA_KERNELS_H

#include <stddef.h>

/* A launch. `size` is the size of this structure. Later versions may append members. */
typedef struct gevt_hostcuda_launch {
  size_t size;
  const char *name; /* the kernel's, as the program registered it */
  unsigned grid[3]; /* x, y, z */
  unsigned block[3];
  size_t shared_bytes; /* dynamic shared memory */
  int device;
} gevt_hostcuda_launch_t;

/* `arguments` points to a copy of each of the kernel's arguments, valid during the call. */
typedef void (*gevt_hostcuda_kernel_t)(const gevt_hostcuda_launch_t *launch, void **arguments);

#ifdef __cplusplus
#define GEVT_HOSTCUDA_C extern "C"
#else
#define GEVT_HOSTCUDA_C extern
#endif

/* Begins the definition of a kernel's host function, before its parameters and body. The sizes are those of the kernel's arguments, in
 * order. */
#define GEVT_HOSTCUDA_KERNEL(name, ...)                                                                                \
  GEVT_HOSTCUDA_C const size_t name##_arguments[];                                                                     \
  const size_t name##_arguments[] = {__VA_ARGS__, 0};                                                                  \
  GEVT_HOSTCUDA_C void name(const gevt_hostcuda_launch_t *, void **);                                                  \
  void name

/* Same as GEVT_HOSTCUDA_KERNEL, for a kernel without arguments. */
#define GEVT_HOSTCUDA_KERNEL_WITHOUT_ARGUMENTS(name)                                                                   \
  GEVT_HOSTCUDA_C const size_t name##_arguments[];                                                                     \
  const size_t name##_arguments[] = {0};                                                                               \
  GEVT_HOSTCUDA_C void name(const gevt_hostcuda_launch_t *, void **);                                                  \
  void name

#endif
