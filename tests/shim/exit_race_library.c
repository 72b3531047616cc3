/* Libraries to preload beside the drop-in, which tell what of it matters when a process exits: with LOOK_UPS, one whose dlsym
   leads to libc's by one call, and else one that does nothing. With SLOW as well, each look-up of the driver's functions takes
   that many microseconds more. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <string.h>
#include <time.h>

int exit_race_library;
int exit_race_library = 1;

#ifdef LOOK_UPS

#ifdef SLOW
typedef int look_up(const char *name, void **out, int version, unsigned long long flags, int *found);
static look_up *real_look_up;

static int slow_look_up(const char *name, void **out, int version, unsigned long long flags, int *found) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 < SLOW);
  return real_look_up(name, out, version, flags, found);
}
#endif

void *dlsym(void *handle, const char *name) {
  void *found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  void *(*real)(void *, const char *);
  if (!found) found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");
  if (!found) found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  memcpy(&real, &found, sizeof real);
  found = real(handle, name);
#ifdef SLOW
  if (found && strcmp(name, "cuGetProcAddress_v2") == 0) {
    look_up *ours = slow_look_up;
    memcpy(&real_look_up, &found, sizeof real_look_up);
    memcpy(&found, &ours, sizeof found);
  }
#endif
  return found;
}

#endif
