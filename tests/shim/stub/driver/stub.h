/* A stand-in for the driver, built as libcuda.so.1, that counts its calls and answers as a test sets it. Events
   are done at once. Its handles are addresses, the one that was destroyed last is issued next, and a call with one that is not
   live ends the process, as the driver's may. It needs no library, and so has no versions of symbols, as dlvsym accepts.

   Built with STUB_IS_OLD it lacks what came with CUDA 12. */
#ifndef SHIM_TESTS_STUB_DRIVER_H
#define SHIM_TESTS_STUB_DRIVER_H

#include "../driver.h"

#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define X(name, since) at_##name,
enum {
#include "functions.h"
  LAST
};
#undef X

/* The object of a handle. */
struct object {
  int lives, device, is_interprocess;
} __attribute__((aligned(64)));

/* A new one, and the live one that the handle is. */
void *stub_make(struct object *objects, size_t count);
struct object *stub_live(struct object *objects, size_t count, const void *handle);
struct object *stub_event_of(CUevent event);
void stub_stream(CUstream stream);

/* The device that is current, and that of a stream. */
int stub_device(void);
int stub_device_of(CUstream stream);

/* Writes the value, unless the place is NULL. */
CUresult stub_give(void *place, void *value);

/* Counts a call of the function, and returns the answer that was set for it. */
int stub_enter(int index);

/* What a function does first. */
#define BEGIN(name)                                                                                                    \
  do {                                                                                                                 \
    int code_ = stub_enter(at_##name);                                                                                 \
    if (code_) return code_;                                                                                           \
  } while (0)
#define REFUSE_NULL(event)                                                                                             \
  do {                                                                                                                 \
    if (!(event)) return CUDA_ERROR_INVALID_HANDLE;                                                                    \
    (void)stub_event_of(event);                                                                                        \
  } while (0)

#endif
