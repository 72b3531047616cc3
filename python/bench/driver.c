// What the plain driver takes for a record, beside which bench/figures.py puts Python's: no call of Python's in between.
#include <stddef.h>
#include <time.h>

typedef int (*record_fn)(void *event, void *stream);

// Returns the nanoseconds of each of n records.
double record_ns(record_fn record, void *event, void *stream, int n) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int i = 0; i < n; i++) {
    if (record(event, stream) != 0) return -1;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return ((end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec)) / n;
}
