/* The cases of a program as a table, for tests of process exit: each case can run in a separate process, many times
   over.
   usage of such a program: PROGRAM [host|cuda] [CASE [ROUNDS]]     without a case: all of them; with a number: one case
   that often, each time in a new process; GEVT_TEST_ROUNDS in the environment is another number. tests/c/CMakeLists.txt
   reads the names from the table. */
#ifndef GEVT_TESTS_CASES_H
#define GEVT_TESTS_CASES_H

#include "child.h"

/* Most cases may share a process. Some end theirs. */
typedef enum case_place { TOGETHER, ALONE } case_place_t;

typedef struct test_case {
  const char *name;
  void (*body)(void);
  case_place_t place;
  /* How a process with this case ends. */
  int expected;
} test_case_t;

typedef struct test_cases {
  const test_case_t *table;
  int count;
  /* What a process does before a case that runs in it; NULL means the cases that run TOGETHER. */
  void (*begin)(const test_case_t *chosen);
  /* Why a case cannot run here, or NULL; a program whose cases all can has none of it. */
  const char *(*reason_to_skip)(const test_case_t *chosen);
  /* What a process with one case returns from main, and what it checks before that; NULL for nothing. */
  int code;
  void (*end)(void);
} test_cases_t;

static inline const char *cases_reason(const test_cases_t *cases, const test_case_t *chosen) {
  return cases->reason_to_skip ? cases->reason_to_skip(chosen) : NULL;
}

/* This process is to run one case, once. */
static inline int cases_run_here(const test_cases_t *cases, const test_case_t *chosen) {
  cases->begin(chosen);
  subject_run(chosen->name, chosen->body);
  if (cases->end) cases->end();
  return check_failures() ? 1 : cases->code;
}

static inline int cases_run_one(const test_cases_t *cases, const test_case_t *chosen, const char *rounds) {
  const char *reason = cases_reason(cases, chosen), *wanted = getenv("GEVT_TEST_ROUNDS");
  if (rounds && wanted) rounds = wanted;
  if (reason) return subject_skip("case %s: %s", chosen->name, reason);
  return rounds ? child_rounds(chosen->name, atoi(rounds), chosen->expected) : cases_run_here(cases, chosen);
}

/* Separate cases stand first in a table: the process that forks for them has not used gevt yet. */
static inline int cases_run_all(const test_cases_t *cases) {
  int here = 0, i;
  for (i = 0; i < cases->count; i++) {
    const test_case_t *chosen = &cases->table[i];
    const char *reason = cases_reason(cases, chosen);
    if (reason) {
      printf("SKIPPED: case %s: %s\n", chosen->name, reason);
    } else if (chosen->place == TOGETHER) {
      if (here++ == 0) cases->begin(NULL);
      subject_run(chosen->name, chosen->body);
    } else {
      int ended = child_run_self(subject_name(), chosen->name);
      if (ended == SUBJECT_SKIPPED) return SUBJECT_SKIPPED;
      subject_case(chosen->name);
      if (!CHECK_EQUAL(ended, chosen->expected)) {
        printf("case %s: FAILED%s\n", chosen->name, ended == CHILD_HUNG ? ": it did not end" : "");
      }
    }
  }
  if (here && cases->end) cases->end();
  return subject_end();
}

/* The rest of main, once the subject has been chosen. */
static inline int cases_main(const test_cases_t *cases, int argc, char **argv) {
  int i;
  if (argc <= 2) return cases_run_all(cases);
  for (i = 0; i < cases->count; i++) {
    const test_case_t *chosen = &cases->table[i];
    if (strcmp(chosen->name, argv[2]) == 0) return cases_run_one(cases, chosen, argc > 3 ? argv[3] : NULL);
  }
  fprintf(stderr, "no such case: %s\n", argv[2]);
  return 2;
}

#endif
