/* Times of several rounds. A busy machine delays every measurement, so a time is compared with that of a control, which
   is delayed as much. */
#ifndef GEVT_TESTS_MEDIAN_H
#define GEVT_TESTS_MEDIAN_H

#include <stdlib.h>

static inline int median_compare(const void *left, const void *right) {
  long long a = *(const long long *)left, b = *(const long long *)right;
  return a < b ? -1 : a > b;
}

/* Sorts the times, and returns the one in the middle. */
static inline long long median_of(long long *times, int count) {
  qsort(times, (size_t)count, sizeof *times, median_compare);
  return times[count / 2];
}

#endif
