/* A library with the variables `plain` and `longer` and the kernel `fill`, for variables.calls. It needs the C library's mathematics, and
   registers a variable when it is loaded, as nvcc's code does. */
#include <stddef.h>

int plain = 21, longer = 1;
const size_t fill_arguments[] = {0};
void fill(void) {}

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterVar(void **, void *, void *, const char *, int, size_t, int, int);

__attribute__((constructor)) static void loaded(void) {
  static void *binary[8];
  __cudaRegisterVar(__cudaRegisterFatBinary(binary), &plain, NULL, "plain", 0, sizeof plain, 0, 0);
}
