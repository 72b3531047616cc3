/* Contexts that end under gevt, while it holds handles of theirs: by the owner's destroy, or by a reset of the primary one. */
#ifndef GEVT_TESTS_LOST_H
#define GEVT_TESTS_LOST_H

#include "owned.h"
#include "peer.h"

/* How a context ends: its owner destroys it; the primary one is reset; or it is reset and retained again, which gives it its
   old address. */
enum { LOST_DESTROYED, LOST_RESET, LOST_RESET_AGAIN, LOST_WAYS };

static const char *const lost_ways[LOST_WAYS] = {"destroyed", "reset", "reset_again"};

/* Strangers are events of another context, made after the loss: the driver issues the addresses of the lost ones again. */
enum { LOST_STRANGERS = 64 };

typedef struct lost {
  int way;
  int raced;                      /* the context ended between a check and a call, which may have named a stranger */
  owned_context_t context, other; /* the other one lives on */
  owned_stream_t real;
  gevt_stream_t own, special;
  gevt_stream_t elsewhere;        /* in the other context */
  gevt_event_t finished, earlier; /* gevt knows that they are */
  gevt_event_t unasked;           /* it is, but gevt has not asked yet */
  gevt_event_t unrecorded;
  gevt_event_t wrapped;
  gevt_event_t given;  /* its native event was given out, and it is done */
  gevt_event_t shared; /* exported */
  void *native_event, *native_given;
  void *strangers[LOST_STRANGERS], *stranger_stream[8];
} lost_t;

static lost_t lost;

#define LOST(call) CHECK_FAILS(call, GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_CONTEXT_LOST)

static inline int lost_way(const char *name) {
  int way = 0;
  while (way < LOST_WAYS && strcmp(lost_ways[way], name) != 0) way++;
  return way;
}

static inline gevt_event_t lost_event(uint32_t flags) {
  gevt_event_t event = NULL;
  CHECK_OK(gevt_create_in(&event, lost.context.context, flags));
  return event;
}

/* The objects of a context that is going to end. All work is done. */
static inline void lost_make(int way) {
  gevt_ipc_handle_t handle;
  lost.way = way;
  lost.other = owned_context_make();
  if (way == LOST_DESTROYED) {
    lost.context = owned_context_make();
  } else {
    CHECK_EQUAL(driver.primary_retain(&lost.context.native, 0), 0);
    CHECK_OK(gevt_context_open(&lost.context.context, GEVT_BACKEND_CUDA, 0));
  }
  lost.real = owned_stream_make(lost.context);
  lost.own = stream_in(lost.context.context, GEVT_STREAM_NON_BLOCKING);
  CHECK_OK(gevt_stream_wrap(&lost.special, lost.context.context, NULL));
  lost.elsewhere = stream_in(lost.other.context, GEVT_STREAM_NON_BLOCKING);
  lost.earlier = lost_event(GEVT_EVENT_DEFAULT);
  lost.finished = lost_event(GEVT_EVENT_DEFAULT);
  lost.unasked = lost_event(GEVT_EVENT_DEFAULT);
  lost.unrecorded = lost_event(GEVT_EVENT_DEFAULT);
  lost.given = lost_event(GEVT_EVENT_DEFAULT);
  lost.shared = lost_event(SHARED_FLAGS);
  lost.native_event = native_event_in(lost.context);
  CHECK_OK(gevt_wrap(&lost.wrapped, lost.context.context, lost.native_event, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_ipc_export(&handle, lost.shared));
  CHECK_OK(gevt_native(&lost.native_given, lost.given));
  CHECK_OK(gevt_record(lost.earlier, lost.own));
  CHECK_OK(gevt_record(lost.finished, lost.own));
  CHECK_OK(gevt_record(lost.unasked, lost.own));
  CHECK_OK(gevt_record(lost.given, lost.own));
  CHECK_OK(gevt_record(lost.shared, lost.own));
  CHECK_OK(gevt_record(lost.wrapped, lost.real.stream));
  CHECK_OK(gevt_sync(lost.finished));
  CHECK_OK(gevt_query(lost.earlier));
  CHECK_OK(gevt_stream_sync(lost.own));
  CHECK_OK(gevt_stream_sync(lost.real.stream));
}

/* What the owner does, or a thread of the owner's. */
static inline void lost_end_context(void) {
  void *again = NULL;
  if (lost.way == LOST_DESTROYED) {
    CHECK_EQUAL(driver.context_destroy(lost.context.native), 0);
    return;
  }
  CHECK_EQUAL(driver.primary_reset(0), 0);
  if (lost.way == LOST_RESET_AGAIN) {
    CHECK_EQUAL(driver.primary_retain(&again, 0), 0);
    printf("the context that was retained again lies %s\n",
           again == lost.context.native ? "where it lay" : "elsewhere");
  }
}

/* Completed events and streams of the other context, at the addresses of the lost ones if the driver reuses them. */
static inline void lost_make_strangers(void) {
  int i;
  for (i = 0; i < 8; i++) native_in(lost.other.native, driver.stream_create, &lost.stranger_stream[i], 1);
  for (i = 0; i < LOST_STRANGERS; i++) {
    native_in(lost.other.native, driver.event_create, &lost.strangers[i], 0);
    CHECK_EQUAL(driver.event_record(lost.strangers[i], lost.stranger_stream[0]), 0);
    CHECK_EQUAL(driver.event_sync(lost.strangers[i]), 0);
  }
}

/* Only lost_make_strangers has named them, if the driver counts that, and all of them are alive. */
static inline void lost_check_strangers(void) {
  int i, same = 0;
  for (i = 0; i < LOST_STRANGERS; i++) {
    int calls = strict_calls(lost.strangers[i]);
    if (calls >= 0 && !lost.raced) CHECK_EQUAL(calls, 2);
    same += lost.strangers[i] == lost.native_event || lost.strangers[i] == lost.native_given;
    CHECK_EQUAL(driver.event_query(lost.strangers[i]), 0);
    CHECK_EQUAL(driver.event_destroy(lost.strangers[i]), 0);
  }
  for (i = 0; i < 8; i++) CHECK_EQUAL(driver.stream_destroy(lost.stranger_stream[i]), 0);
  printf("%d of 2 known addresses were issued again\n", same);
}

/* Ends what is left: everything can be ended, and the rest of the process works. */
static inline void lost_finish(void) {
  gevt_event_t event = event_new(), again = NULL;
  gevt_context_t opened = NULL;
  check_ignore(gevt_stream_destroy(lost.own));
  check_ignore(gevt_stream_destroy(lost.real.stream));
  check_ignore(gevt_stream_destroy(lost.special));
  check_ignore(gevt_destroy(lost.finished));
  check_ignore(gevt_destroy(lost.earlier));
  check_ignore(gevt_destroy(lost.unasked));
  check_ignore(gevt_destroy(lost.unrecorded));
  check_ignore(gevt_destroy(lost.wrapped));
  check_ignore(gevt_destroy(lost.given));
  check_ignore(gevt_destroy(lost.shared));
  CHECK_OK(gevt_context_close(lost.context.context));
  CHECK_OK(gevt_record(event, lost.elsewhere));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  if (lost.way != LOST_DESTROYED) {
    /* A new primary context works, and gevt has given back what it retained of the lost one: the last release of the test's ends
       it. */
    CHECK_OK(gevt_context_open(&opened, GEVT_BACKEND_CUDA, 0));
    CHECK_OK(gevt_create_in(&again, opened, GEVT_EVENT_DEFAULT));
    CHECK_OK(gevt_context_set_current(opened));
    CHECK_OK(gevt_record(again, NULL));
    CHECK_OK(gevt_sync(again));
    CHECK_OK(gevt_context_set_current(NULL));
    CHECK_OK(gevt_destroy(again));
    CHECK_OK(gevt_context_close(opened));
    CHECK_EQUAL(driver.primary_release(0), 0);
    if (lost.way == LOST_RESET_AGAIN) CHECK_EQUAL(driver.primary_release(0), 0);
    CHECK(!primary_is_active());
  }
  lost_check_strangers();
  stream_finish(lost.elsewhere);
  owned_context_finish(lost.other);
  CHECK_EQUAL(gevt_live_events(), 0);
  CHECK(current_native() == NULL);
}

#endif
