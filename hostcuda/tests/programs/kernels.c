/* Host functions of the kernels `fill` and `sweep` (kernels.calls). */
#include <stddef.h>
#include <unistd.h>

const size_t sweep_arguments[] = {sizeof(char *), sizeof(int), sizeof(int *), 0};
void sweep(const void *launch, void **arguments) {
  (void)launch;
  **(volatile int **)arguments[2] = 1;
  for (int i = 0; i < *(int *)arguments[1]; i++) {
    (*(char **)arguments[0])[i * 4096L] = 1;
    if (i % 8 == 0) usleep(50);
  }
}

const size_t fill_arguments[] = {sizeof(int *), sizeof(int), sizeof(int), 0};
void fill(const void *launch, void **arguments) {
  (void)launch;
  for (int i = 0; i < *(int *)arguments[1]; i++) (*(int **)arguments[0])[i] = *(int *)arguments[2];
}
