/* Opens a library whose symbols are bound to its own libraries first, and runs what it has for a program. */
#include "check.h"

int main(int argc, char **argv) {
  int (*run)(int argc, char **argv);
  CHECK(argc >= 2);
  find(&run, dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND), "run");
  return run(argc - 1, argv + 1);
}
