/* How much more processor time a process takes that loads a library first and has nothing to do with CUDA. The time on the clock
   would be that of whatever else the machine does, too.
   usage: startup LIBRARY RUNS     fails where the median is more than three times as much */
#include "check.h"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

static double ms_of(struct timeval time) {
  return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static double run(char **environment) {
  char *arguments[] = {(char *)"true", NULL};
  struct rusage used;
  pid_t child;
  int status;
  CHECK(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environment) == 0);
  CHECK(wait4(child, &status, 0, &used) == child && status == 0);
  return ms_of(used.ru_utime) + ms_of(used.ru_stime);
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
  double *without_it, *with_it, plain_ms, with_ms;
  size_t i, runs;
  CHECK(argc == 3);
  runs = (size_t)atoi(argv[2]);
  CHECK(runs > 0 && strlen(argv[1]) < sizeof preload - 16);
  strcpy(preload, "LD_PRELOAD=");
  strcat(preload, argv[1]);
  without_it = malloc(runs * sizeof *without_it);
  with_it = malloc(runs * sizeof *with_it);
  CHECK(without_it && with_it);
  /* Alternating, so that other load on the machine affects both. */
  for (i = 0; i < runs; i++) {
    without_it[i] = run(plain);
    with_it[i] = run(with);
  }
  plain_ms = median(without_it, runs);
  with_ms = median(with_it, runs);
  printf("startup: %.3f ms of a processor, and %.3f without the library, the medians of %zu runs\n", with_ms, plain_ms,
         runs);
  free(without_it);
  free(with_it);
  return with_ms <= 3 * plain_ms ? 0 : 1;
}
