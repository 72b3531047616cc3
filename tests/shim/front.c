/* Another library's dlsym, in front of the drop-in's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>

void *dlsym(void *handle, const char *name) {
  return dlvsym(handle, name, "GLIBC_2.2.5");
}
