/* What handles stand for. */
#include "stub.h"

void *stub_make(struct object *objects, size_t count) {
  size_t i;
  for (i = 0; i < count; i++) {
    if (objects[i].lives) continue;
    objects[i].lives = 1;
    objects[i].device = stub_device();
    objects[i].is_interprocess = 0;
    return &objects[i];
  }
  __builtin_trap();
}

struct object *stub_live(struct object *objects, size_t count, const void *handle) {
  size_t at = (uintptr_t)handle - (uintptr_t)objects, place = at / sizeof *objects;
  if (at % sizeof *objects != 0 || place >= count || !objects[place].lives) __builtin_trap();
  return &objects[place];
}

CUresult stub_give(void *place, void *value) {
  if (!place) return CUDA_ERROR_INVALID_VALUE;
  *(void **)place = value;
  return CUDA_SUCCESS;
}
