/* How much longer a process takes that loads a library first and has nothing to do with CUDA.
   usage: startup LIBRARY RUNS     fails where the median is more than a millisecond longer */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "check.h"

#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

static double run(char **environment) {
  char *arguments[] = {(char *)"true", NULL};
  struct timespec start, end;
  pid_t child;
  int status;
  clock_gettime(CLOCK_MONOTONIC, &start);
  CHECK(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environment) == 0);
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6;
}

static int by_size(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

static double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, by_size);
  return values[count / 2];
}

int main(int argc, char **argv) {
  char preload[4096], *plain[] = {NULL}, *with[] = {preload, NULL};
  double *without_it, *with_it, longer;
  size_t i, runs;
  CHECK(argc == 3);
  runs = (size_t)atoi(argv[2]);
  CHECK(runs > 0 && strlen(argv[1]) < sizeof preload - 16);
  strcpy(preload, "LD_PRELOAD=");
  strcat(preload, argv[1]);
  without_it = malloc(runs * sizeof *without_it);
  with_it = malloc(runs * sizeof *with_it);
  CHECK(without_it && with_it);
  /* In turns, so that whatever else the machine does meets both. */
  for (i = 0; i < runs; i++) {
    without_it[i] = run(plain);
    with_it[i] = run(with);
  }
  longer = median(with_it, runs) - median(without_it, runs);
  printf("startup: %.3f ms longer, the median of %zu runs\n", longer, runs);
  free(without_it);
  free(with_it);
  return longer <= 1 ? 0 : 1;
}
