/* A library that looks names up on request. Every object here defines `place`, so RTLD_NEXT can distinguish them. */
#include "report.h"

int place(void);
void REPORT(void *driver, int count, char **names);

int place(void) {
  return 1;
}

void REPORT(void *driver, int count, char **names) {
  report_here(NAME, driver, count, names);
}
