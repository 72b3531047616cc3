/* Prints the form of cuGetProcAddress that callers of each version are given, and the object that it lies in. */
#include "report.h"

int main(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  int (*look_up)(const char *, void **, int, unsigned long long) = NULL;
  if (driver != NULL) *(void **)&look_up = dlsym(driver, "cuGetProcAddress");
  if (look_up == NULL) return 1;
  int versions[] = {11000, 11030, 11080, 12000, 13000, 13050, 14000};
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
    void *given = NULL;
    int code = look_up("cuGetProcAddress", &given, versions[i], 0);
    printf("%d: %d ", versions[i], code);
    dlerror();
    if (given != NULL)
      print_answer("a", "form", "it", given);
    else
      printf("none\n");
  }
  return 0;
}
