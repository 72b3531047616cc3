/* A library that looks names up when it is told to. Every object here defines `place`, so that RTLD_NEXT tells them apart. */
#include "report.h"

int place(void);
void REPORT(void *driver, int count, char **names);

int place(void) {
  return 1;
}

void REPORT(void *driver, int count, char **names) {
  report_here(NAME, driver, count, names);
}
