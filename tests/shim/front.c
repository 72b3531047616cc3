/* Another library's dlsym, in front of the drop-in's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

void *dlsym(void *handle, const char *name) {
  /* libc's own is of one of these versions, by the machine. */
  static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
  void *(*real)(void *, const char *);
  void *found = NULL;
  int i;
  for (i = 0; i < 3 && !found; i++) found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
  memcpy(&real, &found, sizeof real);
  return real(handle, name);
}
