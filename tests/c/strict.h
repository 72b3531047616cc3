/* Runs a test program over the strict driver (../driver/strict.c): TEST_STRICT names the folder that it is in. Whatever driver the
   program would have found stands below it. */
#ifndef GEVT_TESTS_STRICT_H
#define GEVT_TESTS_STRICT_H

#include "check.h"

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

/* Starts the program anew with the strict driver first in the linker's path. Does nothing if it is there already, if it is not
   asked for, or if there is no driver to stand below it. Makes no call of the driver's. */
static inline void strict_start(char **argv) {
  const char *folder = getenv("TEST_STRICT"), *path = getenv("LD_LIBRARY_PATH");
  char program[PATH_MAX] = "", file[PATH_MAX], folders[2 * PATH_MAX];
  void *library, *symbol;
  Dl_info info;
  if (!folder || !*folder || getenv("STRICT_DRIVER_BELOW")) return;
  library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  symbol = library ? dlsym(library, "cuInit") : NULL;
  if (!symbol || !dladdr(symbol, &info) || !realpath(info.dli_fname, file)) return;
  snprintf(folders, sizeof folders, "%s%s%s", folder, path ? ":" : "", path ? path : "");
  setenv("LD_LIBRARY_PATH", folders, 1);
  setenv("STRICT_DRIVER_BELOW", file, 1);
  fflush(stdout);
  if (readlink("/proc/self/exe", program, sizeof program - 1) > 0) execv(program, argv);
  printf("FAILED: this program cannot start itself anew\n");
  exit(1);
}

/* Ends a program that strict_start has started anew and that has loaded another driver all the same. To be called with the driver open. */
static inline void strict_prove(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!getenv("STRICT_DRIVER_BELOW") || (library && dlsym(library, "strict_calls"))) return;
  printf("FAILED: the driver is not the strict one of %s\n", getenv("TEST_STRICT"));
  exit(1);
}

#endif
