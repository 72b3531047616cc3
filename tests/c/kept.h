/* Objects that a case makes with objects.h and vk.h end with the case, unless the case ends them. subject_run ends them, with every check
   that a case would make. This covers only the thread that runs the case: other threads end their own objects. A program that defines
   OBJECTS_OUTLIVE_CASES ends everything itself. */
#ifndef GEVT_TESTS_KEPT_H
#define GEVT_TESTS_KEPT_H

#include "check.h"

#include <pthread.h>

/* In the order in which they end. */
typedef enum kept_kind { KEPT_EVENT, KEPT_STREAM, KEPT_CONTEXT, KEPT_OTHER, KEPT_KINDS } kept_kind_t;

/* A case with more of them at once destroys them itself. */
enum { MOST_KEPT = 1024 };

static struct {
  kept_kind_t kind;
  void (*end)(uint64_t bits);
  uint64_t bits; /* 0: the case has ended it */
} kept[MOST_KEPT];
static int kept_count, kept_open;
static pthread_t kept_thread;

static inline void kept_add(kept_kind_t kind, void (*end)(uint64_t bits), uint64_t bits) {
  if (!kept_open || !bits || !pthread_equal(pthread_self(), kept_thread)) return;
  while (kept_count > 0 && kept[kept_count - 1].bits == 0) kept_count--;
  if (kept_count == MOST_KEPT) return;
  kept[kept_count].kind = kind;
  kept[kept_count].end = end;
  __atomic_store_n(&kept[kept_count++].bits, bits, __ATOMIC_SEQ_CST);
}

/* The case ends it, on any thread. */
static inline void kept_remove(uint64_t bits) {
  int i;
  for (i = kept_count - 1; i >= 0; i--) {
    uint64_t expected = bits;
    if (__atomic_compare_exchange_n(&kept[i].bits, &expected, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return;
  }
}

static inline void kept_begin(void) {
#ifndef OBJECTS_OUTLIVE_CASES
  kept_thread = pthread_self();
  kept_open = 1;
#endif
}

static inline void kept_end(void) {
  int kind, i;
  kept_open = 0;
  for (kind = 0; kind < KEPT_KINDS; kind++) {
    for (i = 0; i < kept_count; i++) {
      if ((int)kept[i].kind == kind && kept[i].bits) kept[i].end(kept[i].bits);
    }
  }
  kept_count = 0;
}

static inline void kept_event(uint64_t bits) {
  CHECK_OK(gevt_destroy((gevt_event_t)bits));
}

/* The stream is drained first: its functions may use the case's variables. */
static inline void kept_stream(uint64_t bits) {
  CHECK_OK(gevt_stream_sync((gevt_stream_t)bits));
  CHECK_OK(gevt_stream_destroy((gevt_stream_t)bits));
}

static inline void kept_context(uint64_t bits) {
  CHECK_OK(gevt_context_close((gevt_context_t)bits));
}

GEVT_NODISCARD static inline gevt_status_t kept_destroy(gevt_event_t event) GEVT_NOEXCEPT {
  kept_remove((uint64_t)event);
  return gevt_destroy(event);
}

GEVT_NODISCARD static inline gevt_status_t kept_stream_destroy(gevt_stream_t stream) GEVT_NOEXCEPT {
  kept_remove((uint64_t)stream);
  return gevt_stream_destroy(stream);
}

GEVT_NODISCARD static inline gevt_status_t kept_context_close(gevt_context_t context) GEVT_NOEXCEPT {
  kept_remove((uint64_t)context);
  return gevt_context_close(context);
}

#define gevt_destroy(event) kept_destroy(event)
#define gevt_stream_destroy(stream) kept_stream_destroy(stream)
#define gevt_context_close(context) kept_context_close(context)

#endif
