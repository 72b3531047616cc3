/* Is linked with the drop-in alone, and prints the status of a call, and whether it gave what it was asked for. */
#include <stdio.h>

int cuGetProcAddress_v2(const char *name, void **out, int version, unsigned long long flags, int *found);

int main(void) {
  void *given = NULL;
  int found = 0;
  int code = cuGetProcAddress_v2("cuGetProcAddress", &given, 12000, 0, &found);
  printf("%d, %d\n", code, given != NULL);
  return 0;
}
