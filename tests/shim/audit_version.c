/* Which versions of the loader's interface the audit library accepts: none below 2, and of the later ones 2.
   usage: audit_version LIBGEVT_AUDIT */
#include "check.h"

#include <dlfcn.h>
#include <string.h>

int main(int argc, char **argv) {
  unsigned (*version)(unsigned);
  void *library, *address;
  CHECK(argc == 2);
  library = dlopen(argv[1], RTLD_NOW);
  if (!library) fprintf(stderr, "%s\n", dlerror());
  CHECK(library);
  address = dlsym(library, "la_version");
  CHECK(address);
  memcpy(&version, &address, sizeof version);
  GIVES(0, version(1));
  GIVES(2, version(2));
  GIVES(2, version(3));
  return 0;
}
