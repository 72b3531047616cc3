/* Which versions of the loader's interface the audit library accepts: none below 2, and of the later ones 2.
   usage: audit_version LIBGEVT_AUDIT */
#include "check.h"

int main(int argc, char **argv) {
  unsigned (*version)(unsigned);
  CHECK(argc == 2);
  find(&version, dlopen(argv[1], RTLD_NOW), "la_version");
  GIVES(0, version(1));
  GIVES(2, version(2));
  GIVES(2, version(3));
  return 0;
}
