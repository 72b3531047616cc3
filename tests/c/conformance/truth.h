/* What the driver answered: the lines of the data file, and the comparison with them. */
#ifndef GEVT_TESTS_CONFORMANCE_TRUTH_H
#define GEVT_TESTS_CONFORMANCE_TRUTH_H

#include "../check.h"

#include <ctype.h>

enum { TRUTH_LINE = 512, TRUTH_LINES = 128 };

/* A case's name, and its answers: `step=answer` with one space between two. */
typedef struct truth {
  char name[TRUTH_LINE];
  char answers[TRUTH_LINE];
} truth_t;

static truth_t truth_lines[TRUTH_LINES];
static int truth_count;

/* Takes white space off the end. */
static inline void truth_trim(char *text) {
  size_t length = strlen(text);
  while (length && isspace((unsigned char)text[length - 1])) text[--length] = 0;
}

/* Reads the file; ends the program where it is not there or not in its form. */
static inline void truth_read(const char *path) {
  char line[TRUTH_LINE];
  FILE *file = fopen(path, "r");
  if (!file) {
    printf("FAILED: %s cannot be read\n", path);
    exit(1);
  }
  while (fgets(line, sizeof line, file)) {
    char *tab = strchr(line, '\t');
    if (!tab || !strchr(line, '\n') || truth_count == TRUTH_LINES) {
      printf("FAILED: %s:%d: no tab in the line, or too long, or one line too many\n", path, truth_count + 1);
      exit(1);
    }
    *tab = 0;
    truth_trim(tab + 1);
    memcpy(truth_lines[truth_count].name, line, (size_t)(tab - line) + 1);
    memcpy(truth_lines[truth_count].answers, tab + 1, strlen(tab + 1) + 1);
    truth_count++;
  }
  fclose(file);
  if (!truth_count) {
    printf("FAILED: %s is empty\n", path);
    exit(1);
  }
}

static inline const char *truth_of(const char *name) {
  int i;
  for (i = 0; i < truth_count; i++) {
    if (strcmp(truth_lines[i].name, name) == 0) return truth_lines[i].answers;
  }
  return NULL;
}

/* Are the answers the driver's? Where the driver crashed, the call has to answer 400, and the case ends with it. */
static inline int truth_agrees(const char *driver, const char *gevt) {
  const char *crash = strstr(driver, "CRASH_OR_HANG");
  const char *last;
  if (!crash) return strcmp(driver, gevt) == 0;
  last = gevt + (crash - driver);
  if (strlen(gevt) < (size_t)(crash - driver) || strncmp(driver, gevt, (size_t)(crash - driver)) != 0) return 0;
  last = strchr(last, '=') ? strchr(last, '=') + 1 : "";
  return strcmp(last, "400") == 0;
}

#endif
