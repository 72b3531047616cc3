/* A context that its owner destroyed while gevt held handles of it. The plain driver follows its dead streams into freed
   memory; gevt answers CONTEXT_IS_DESTROYED. Each call is tried as the first to notice, in a process of its own.
   usage: lost cuda [call] */
#include "owned.h"
#include "child.h"

typedef struct lost {
  owned_context_t context;
  owned_stream_t real;
  gevt_stream_t own;
  gevt_stream_t special;
  gevt_stream_t elsewhere; /* in a context that lives on */
  gevt_event_t finished;   /* gevt knows that it is */
  gevt_event_t unasked;    /* it is, but gevt has not asked yet */
  gevt_event_t adopted;
  void *native_event;
} lost_t;

static lost_t lost;
static int losses_told;

static void note_loss(void *user, gevt_log_level_t level, const char *message) {
  CHECK_EQUAL(level, GEVT_LOG_ERROR);
  CHECK(strstr(message, "GEVT_ERROR_CONTEXT_IS_DESTROYED") != NULL);
  count_up(user);
}

static void lost_make(void) {
  owned_context_t other = owned_context_make();
  lost.context = owned_context_make();
  lost.real = owned_stream_make(lost.context);
  lost.own = stream_in(lost.context.context, GEVT_STREAM_NON_BLOCKING);
  CHECK_OK(gevt_stream_adopt(&lost.special, lost.context.context, NULL));
  lost.elsewhere = stream_in(other.context, GEVT_STREAM_NON_BLOCKING);
  lost.finished = event_in(lost.context);
  lost.unasked = event_in(lost.context);
  lost.native_event = native_event_in(lost.context);
  CHECK_OK(gevt_adopt(&lost.adopted, lost.context.context, lost.native_event, GEVT_EVENT_DEFAULT));
  CHECK_OK(gevt_record(lost.finished, lost.own));
  CHECK_OK(gevt_record(lost.unasked, lost.own));
  CHECK_OK(gevt_record(lost.adopted, lost.real.stream));
  CHECK_OK(gevt_sync(lost.finished));
  CHECK_OK(gevt_stream_sync(lost.own));
  CHECK_OK(gevt_stream_sync(lost.real.stream));
  CHECK_EQUAL(driver.context_destroy(lost.context.native), 0);
}

static void never(void *user) {
  (void)user;
  check_failed(__FILE__, __LINE__, "a function was run in a context that is gone");
}

#define LOST(call) CHECK_FAILS(call, GEVT_ERROR_CONTEXT_IS_DESTROYED, GEVT_DETAIL_CONTEXT_LOST)

static void record_own(void) {
  LOST(gevt_record(lost.finished, lost.own));
}
static void record_adopted(void) {
  LOST(gevt_record(lost.finished, lost.real.stream));
}
static void record_default(void) {
  LOST(gevt_record(lost.finished, lost.special));
}
static void record_external(void) {
  LOST(gevt_record_with_flags(lost.finished, lost.own, GEVT_RECORD_EXTERNAL));
}
static void record_adopted_event(void) {
  LOST(gevt_record(lost.adopted, lost.own));
}
static void launch_own(void) {
  LOST(gevt_stream_launch(lost.own, never, NULL));
}
static void launch_adopted(void) {
  LOST(gevt_stream_launch(lost.real.stream, never, NULL));
}
static void launch_default(void) {
  LOST(gevt_stream_launch(lost.special, never, NULL));
}
static void stream_wait_own(void) {
  LOST(gevt_stream_wait(lost.own, lost.unasked, GEVT_WAIT_DEFAULT));
}
static void stream_wait_adopted(void) {
  LOST(gevt_stream_wait(lost.real.stream, lost.finished, GEVT_WAIT_DEFAULT));
}
static void stream_wait_elsewhere(void) {
  LOST(gevt_stream_wait(lost.elsewhere, lost.unasked, GEVT_WAIT_DEFAULT));
}
static void stream_query_own(void) {
  LOST(gevt_stream_query(lost.own));
}
static void stream_query_adopted(void) {
  LOST(gevt_stream_query(lost.real.stream));
}
static void stream_query_default(void) {
  LOST(gevt_stream_query(lost.special));
}
static void stream_sync_own(void) {
  LOST(gevt_stream_sync(lost.own));
}
static void stream_sync_adopted(void) {
  LOST(gevt_stream_sync(lost.real.stream));
}
static void stream_sync_default(void) {
  LOST(gevt_stream_sync(lost.special));
}
static void context_sync(void) {
  LOST(gevt_context_sync(lost.context.context));
}
static void query_unasked(void) {
  LOST(gevt_query(lost.unasked));
}
static void sync_unasked(void) {
  LOST(gevt_sync(lost.unasked));
}
static void sync_timeout_unasked(void) {
  LOST(gevt_sync_timeout(lost.unasked, SECOND));
}
static void query_adopted_event(void) {
  LOST(gevt_query(lost.adopted));
}

static void stream_create(void) {
  gevt_stream_t stream;
  pattern_fill(&stream, sizeof stream);
  LOST(gevt_stream_create(&stream, lost.context.context, GEVT_STREAM_DEFAULT));
  CHECK(pattern_intact(&stream, sizeof stream));
}

static void stream_adopt(void) {
  gevt_stream_t stream;
  pattern_fill(&stream, sizeof stream);
  LOST(gevt_stream_adopt(&stream, lost.context.context, lost.real.native));
  CHECK(pattern_intact(&stream, sizeof stream));
}

static void record_in_current(void) {
  CHECK_OK(gevt_context_set_current(lost.context.context));
  LOST(gevt_record(lost.finished, NULL));
  CHECK_OK(gevt_context_set_current(NULL));
}

/* Ends the handles; what they stood for is gone already. */
static void destroy_streams(void) {
  CHECK_OK(gevt_stream_destroy(lost.own));
  CHECK_OK(gevt_stream_destroy(lost.real.stream));
  CHECK_OK(gevt_stream_destroy(lost.special));
  CHECK_FAILS(gevt_stream_destroy(lost.own), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_FAILS(gevt_stream_destroy(lost.real.stream), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
}

/* What gevt knew before the loss it knows until a call has to ask the driver. */
static void finished_is_remembered(void) {
  CHECK_OK(gevt_query(lost.finished));
  CHECK_OK(gevt_sync(lost.finished));
  LOST(gevt_stream_query(lost.own));
  LOST(gevt_query(lost.finished));
}

/* New contexts, of which one may lie where the old one lay: the old handles do not come to life by that. */
static void a_new_context_in_its_place(void) {
  owned_context_t contexts[4];
  int i, same = 0;
  for (i = 0; i < 4; i++) {
    gevt_event_t event;
    gevt_stream_t stream;
    contexts[i] = owned_context_make();
    same += contexts[i].native == lost.context.native;
    event = event_in(contexts[i]);
    stream = stream_in(contexts[i].context, GEVT_STREAM_NON_BLOCKING);
    CHECK_OK(gevt_record(event, stream));
    CHECK_OK(gevt_sync(event));
    LOST(gevt_record(lost.finished, lost.own));
    CHECK_FAILS(gevt_record(lost.finished, stream), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_CONTEXT_MISMATCH);
    CHECK_OK(gevt_destroy(event));
    stream_finish(stream);
  }
  printf("%d of 4 new contexts lay where the old one did\n", same);
  for (i = 0; i < 4; i++) owned_context_finish(contexts[i]);
}

typedef struct lost_case {
  const char *name;
  void (*body)(void);
} lost_case_t;

#define LOST_CASE(body)                                                                                                \
  { #body, body }

static const lost_case_t cases[] = {
    LOST_CASE(record_own),
    LOST_CASE(record_adopted),
    LOST_CASE(record_default),
    LOST_CASE(record_external),
    LOST_CASE(record_adopted_event),
    LOST_CASE(record_in_current),
    LOST_CASE(launch_own),
    LOST_CASE(launch_adopted),
    LOST_CASE(launch_default),
    LOST_CASE(stream_wait_own),
    LOST_CASE(stream_wait_adopted),
    LOST_CASE(stream_wait_elsewhere),
    LOST_CASE(stream_query_own),
    LOST_CASE(stream_query_adopted),
    LOST_CASE(stream_query_default),
    LOST_CASE(stream_sync_own),
    LOST_CASE(stream_sync_adopted),
    LOST_CASE(stream_sync_default),
    LOST_CASE(stream_create),
    LOST_CASE(stream_adopt),
    LOST_CASE(destroy_streams),
    LOST_CASE(context_sync),
    LOST_CASE(query_unasked),
    LOST_CASE(sync_unasked),
    LOST_CASE(sync_timeout_unasked),
    LOST_CASE(query_adopted_event),
    LOST_CASE(finished_is_remembered),
    LOST_CASE(a_new_context_in_its_place),
};
enum { CASES = sizeof cases / sizeof *cases };

/* After the first that noticed: all say so, everything can be ended, and the rest of the process works. */
static void aftermath(int has_streams) {
  gevt_event_t event = event_new();
  float ms;
  if (has_streams) {
    record_own();
    launch_adopted();
    stream_query_own();
    stream_sync_default();
    stream_wait_own();
  }
  LOST(gevt_context_sync(lost.context.context));
  LOST(gevt_query(lost.finished));
  LOST(gevt_sync(lost.finished));
  LOST(gevt_query(lost.unasked));
  LOST(gevt_elapsed(&ms, lost.finished, lost.finished));
  LOST(gevt_query(lost.adopted));
  if (has_streams) destroy_streams();
  CHECK_OK(gevt_destroy(lost.finished));
  CHECK_OK(gevt_destroy(lost.unasked));
  CHECK_OK(gevt_destroy(lost.adopted));
  CHECK_OK(gevt_context_close(lost.context.context));
  CHECK_OK(gevt_record(event, lost.elsewhere));
  CHECK_OK(gevt_sync(event));
  CHECK_OK(gevt_destroy(event));
  stream_finish(lost.elsewhere);
  CHECK_EQUAL(gevt_live_events(), 0);
  CHECK(current_native() == NULL);
}

int main(int argc, char **argv) {
  int i;
  owned_begin(argc, argv);
  for (i = 0; i < CASES; i++) {
    int ended;
    if (argc > 2) {
      if (strcmp(cases[i].name, argv[2]) != 0) continue;
      CHECK_OK(gevt_set_log_callback(note_loss, &losses_told, GEVT_LOG_ERROR));
      lost_make();
      cases[i].body();
      aftermath(cases[i].body != destroy_streams);
      CHECK_EQUAL(losses_told, 1);
      return subject_end();
    }
    printf("case %s\n", cases[i].name);
    ended = child_run_self("cuda", cases[i].name);
    if (!CHECK_EQUAL(ended, 0)) printf("case %s: FAILED%s\n", cases[i].name, ended == CHILD_HUNG ? ": it hung" : "");
  }
  if (argc > 2) return 2;
  return subject_end();
}
