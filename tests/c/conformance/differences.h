/* Where gevt differs from the driver on purpose: its exact answers there, and why. */
#ifndef GEVT_TESTS_CONFORMANCE_DIFFERENCES_H
#define GEVT_TESTS_CONFORMANCE_DIFFERENCES_H

#include <stddef.h>
#include <string.h>

typedef struct difference {
  const char *name;
  const char *answers;
  const char *reason;
} difference_t;

static const difference_t differences[] = {
    {"create_no_context", "r=0", "gevt_create makes an unbound event, which needs no context."},
    {"create_no_init", "r=0", "gevt starts itself, and an unbound event needs no driver."},
    {"elapsed_null_out", "r=1", "A NULL output is INVALID_VALUE in every function."},
    {"query_zero_ptr", "q=400", "A handle is never followed: what a foreign pointer points to makes no difference."},
    {"capture_record", "begin=0 rec=0 q=907 y=907 el=907 end=0 q_after=907 el_after=907 rerec=0 y2=0",
     "That the event was captured is answered without asking the driver, so that the capture survives."},
    {"capture_sync_invalidates", "begin=0 y=907 end=0",
     "That the event was captured is answered without asking the driver, so that the capture survives."},
    {"capture_query_global_mode", "begin=0 q=0 create=0 end=0",
     "A finished event is answered from memory, so that the capture survives."},
    {"context_destroyed", "cd=0 q=0 rec=709 q_then=709",
     "A finished event is answered from memory, until a call that has to ask the driver finds the context gone."},
    {"sticky_error", "q_before=0 rec=0 y=700 q=700 q_completed_before=700 create=700 destroy=0",
     "Destroying a live handle succeeds, whatever became of its context."},
};

/* What gevt differs in, or NULL where it has to answer as the driver. */
static inline const difference_t *difference_of(const char *name) {
  size_t i;
  for (i = 0; i < sizeof differences / sizeof *differences; i++) {
    if (strcmp(differences[i].name, name) == 0) return &differences[i];
  }
  return NULL;
}

/* The driver's answers that gevt's C API has no call for, by the start of the case's name. */
static const struct {
  const char *beginning, *reason;
} inexpressible[] = {
    {"rt_", "it asks the runtime API"},
    {"elapsed_v1", "it asks an older form of a driver function"},
    {"resolution", "it is a time that was measured, not an answer"},
};

/* Why no case asks it, or NULL. */
static inline const char *inexpressible_reason(const char *name) {
  size_t i;
  for (i = 0; i < sizeof inexpressible / sizeof *inexpressible; i++) {
    if (strncmp(name, inexpressible[i].beginning, strlen(inexpressible[i].beginning)) == 0)
      return inexpressible[i].reason;
  }
  return NULL;
}

#endif
