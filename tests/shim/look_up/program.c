/* Looks names up as the program, as a library that it starts with, and as libraries that it loads later.
 *
 * usage: program linked|none|local|global NAME...     how the driver is loaded */
#include "report.h"
#include <stdlib.h>

typedef void report_function(void *driver, int count, char **names);

int place(void);
report_function report_first;

int place(void) {
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 64;
  const char *how = argv[1];
  int count = argc - 2;
  char **names = argv + 2;
  void *driver = NULL;
  if (strcmp(how, "none") != 0) {
    int flags = strcmp(how, "linked") == 0 ? RTLD_NOLOAD : strcmp(how, "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    driver = dlopen("libcuda.so.1", RTLD_NOW | flags);
    if (driver == NULL) {
      fprintf(stderr, "no driver: %s\n", dlerror());
      return 1;
    }
  }
  report_here("program", driver, count, names);
  report_first(driver, count, names);
  const char *later[] = {"liblater.so", "libglobal.so"};
  const char *functions[] = {"report_later", "report_global"};
  for (int i = 0; i < 2; i++) {
    void *library = dlopen(later[i], RTLD_NOW | (i == 1 ? RTLD_GLOBAL : RTLD_LOCAL));
    if (library == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    report_function *report;
    *(void **)&report = dlsym(library, functions[i]);
    if (report == NULL) return 1;
    report(driver, count, names);
  }
  return 0;
}
