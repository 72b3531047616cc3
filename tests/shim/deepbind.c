/* Opens a library whose symbols are bound to its own libraries first, and runs what it has for a program. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "check.h"

#include <dlfcn.h>
#include <string.h>

int main(int argc, char **argv) {
  void *library, *address;
  int (*run)(int argc, char **argv);
  CHECK(argc >= 2);
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!library) fprintf(stderr, "%s\n", dlerror());
  CHECK(library);
  address = dlsym(library, "run");
  CHECK(address);
  memcpy(&run, &address, sizeof run);
  return run(argc - 1, argv + 1);
}
