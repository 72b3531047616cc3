/* What each of the soak's threads owns, and the part that other threads may use. */
#ifndef GEVT_SOAK_WORKER_H
#define GEVT_SOAK_WORKER_H

#include "../c/gate.h"

/* MOST_QUEUED: a queue keeps the room of its longest time, which would else grow with every rare burst. */
enum { WORKERS = 8, OWN_EVENTS = 8, SHARED_EVENTS = 2, MOST_QUEUED = 64 };

/* A stream and its model. Each launched function increments `done`. An event that was recorded after `given` functions completes only when
   `done` has reached that number. */
typedef struct lane {
  gevt_stream_t stream;
  gate_t gate;
  int closed; /* a closed gate holds the stream back */
  unsigned long given;
  int queued;         /* pieces of work since the lane was last empty */
  unsigned long done; /* written by the stream's functions, read by all */
} lane_t;

/* An event and its model. Only its owner records and destroys it. */
typedef struct marked {
  gevt_event_t event;
  lane_t *lane;         /* NULL before the first record */
  unsigned long behind; /* how many functions of the lane the last record stands behind */
  unsigned long records;
  int timed;
} marked_t;

/* The part that other threads may use. Once `behind` is readable, at least that many functions precede the event's record. */
typedef struct shared {
  gevt_event_t event;
  unsigned long behind;
} shared_t;

typedef struct worker {
  uint64_t random;
  gevt_context_t context;
  lane_t lanes[2];
  marked_t own[OWN_EVENTS];
  shared_t shared[SHARED_EVENTS];
  gevt_event_t stale;
  unsigned long operations;
  int callbacks; /* that have not come yet */
} worker_t;

extern worker_t workers[WORKERS];

/* Makes what the worker owns, on the calling thread. */
void worker_begin(worker_t *worker, int number);
/* One operation, chosen by chance, whose answer is compared with the model's. */
void worker_step(worker_t *worker);
/* Completes all pending work, before the process is measured. */
void worker_drain(worker_t *worker);
void worker_end(worker_t *worker);
/* Checks that failed in the worker's file. */
int worker_failures(void);

static inline unsigned long lane_done(lane_t *lane) {
  return __atomic_load_n(&lane->done, __ATOMIC_ACQUIRE);
}

#endif
