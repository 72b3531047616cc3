/* The handles that the calls use. All threads share them. A place keeps its handle after the object is destroyed, so the handle is stale
   until a new object takes the place. */
#ifndef GEVT_FUZZ_OBJECTS_H
#define GEVT_FUZZ_OBJECTS_H

#include "input.h"

#include <gevt.h>

typedef enum kind { EVENT, STREAM, CONTEXT, KINDS } kind_t;

enum { PLACES = 10, PLACE_NULL = PLACES, PLACE_OTHER_KIND, PLACE_WORD, PLACE_FLIPPED, PLACE_CHOICES };

static void *objects_places[KINDS][PLACES];

static inline void *objects_at(kind_t kind, size_t place) {
  return __atomic_load_n(&objects_places[kind][place], __ATOMIC_ACQUIRE);
}

static inline void objects_put(kind_t kind, size_t place, void *handle) {
  __atomic_store_n(&objects_places[kind][place], handle, __ATOMIC_RELEASE);
}

/* Usually a handle that was issued before. Otherwise NULL, a handle of another kind, or a random number. */
static inline void *objects_pick(input_t *input, kind_t kind) {
  size_t choice = input_below(input, PLACE_CHOICES);
  switch (choice) {
  case PLACE_NULL:
    return NULL;
  case PLACE_OTHER_KIND:
    return objects_at((kind_t)((kind + 1) % KINDS), 0);
  case PLACE_WORD:
    return (void *)(uintptr_t)input_word(input);
  case PLACE_FLIPPED:
    return (void *)((uintptr_t)objects_at(kind, 0) ^ (uintptr_t)1 << input_below(input, 64));
  default:
    return objects_at(kind, choice);
  }
}

static inline gevt_event_t objects_event(input_t *input) {
  return (gevt_event_t)objects_pick(input, EVENT);
}

static inline gevt_stream_t objects_stream(input_t *input) {
  return (gevt_stream_t)objects_pick(input, STREAM);
}

static inline gevt_context_t objects_context(input_t *input) {
  return (gevt_context_t)objects_pick(input, CONTEXT);
}

/* A context to close. The library has an internal context, and a number close to another handle could name that one. */
static inline gevt_context_t objects_own_context(input_t *input) {
  size_t choice = input_below(input, PLACES + 1);
  return choice == PLACE_NULL ? NULL : (gevt_context_t)objects_at(CONTEXT, choice);
}

/* Ends an object; it may have ended before. */
static inline void objects_end(kind_t kind, void *handle) {
  gevt_status_t ended = GEVT_SUCCESS;
  if (!handle) return;
  switch (kind) {
  case EVENT:
    ended = gevt_destroy((gevt_event_t)handle);
    break;
  case STREAM:
    ended = gevt_stream_destroy((gevt_stream_t)handle);
    break;
  default:
    ended = gevt_context_close((gevt_context_t)handle);
    break;
  }
  (void)ended;
}

/* Keeps a new object, in the place of another one, which ends. */
static inline void objects_keep(input_t *input, kind_t kind, void *handle) {
  void **place = &objects_places[kind][input_below(input, PLACES)];
  objects_end(kind, __atomic_exchange_n(place, handle, __ATOMIC_ACQ_REL));
}

static inline void objects_end_all(void) {
  int kind;
  size_t i;
  for (kind = 0; kind < KINDS; kind++) {
    for (i = 0; i < PLACES; i++) {
      objects_end((kind_t)kind, __atomic_exchange_n(&objects_places[kind][i], NULL, __ATOMIC_ACQ_REL));
    }
  }
}

#endif
