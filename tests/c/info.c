/* gevt_get_info and gevt_set_name: every field through an event's life, the size rule, and names. */
#include "objects.h"

#include <stddef.h>

static void fields_through_a_life(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_with(GEVT_EVENT_STRICT | GEVT_EVENT_BLOCKING_SYNC);
  gevt_event_info_t info;
  pattern_fill(&info, sizeof info);
  info.size = sizeof info;
  CHECK_OK(gevt_get_info(&info, event));
  CHECK_EQUAL(info.size, sizeof info);
  CHECK_EQUAL(info.flags, GEVT_EVENT_STRICT | GEVT_EVENT_BLOCKING_SYNC);
  CHECK_EQUAL(info.state, GEVT_STATE_UNRECORDED);
  CHECK_EQUAL(info.backend, GEVT_BACKEND_AUTO);
  CHECK_EQUAL(info.device, -1);
  CHECK(info.context == NULL);
  CHECK_EQUAL(info.imported, 0);
  CHECK_EQUAL(info.reserved, 0);
  CHECK_EQUAL(info.record_count, 0);
  CHECK(strcmp(info.name, "") == 0);

  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  info = event_info(event);
  CHECK_EQUAL(info.state, GEVT_STATE_PENDING);
  CHECK_EQUAL(info.backend, subject_backend);
  CHECK_EQUAL(info.device, 0);
  CHECK(info.context == subject_context);
  CHECK_EQUAL(info.record_count, 1);

  gate_open(&gate);
  CHECK_OK(gevt_sync(event));
  info = event_info(event);
  CHECK_EQUAL(info.state, GEVT_STATE_COMPLETE);
  CHECK_EQUAL(info.flags, GEVT_EVENT_STRICT | GEVT_EVENT_BLOCKING_SYNC);
  CHECK_EQUAL(info.backend, subject_backend);
  CHECK(info.context == subject_context);
  CHECK_EQUAL(info.imported, 0);
  CHECK_EQUAL(info.reserved, 0);
  CHECK_EQUAL(info.record_count, 1);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* Nothing but a look at the state may be needed to see that an event is done. */
static void state_without_a_query(void) {
  gate_t gate = GATE_CLOSED;
  gevt_stream_t stream = stream_new();
  gevt_event_t event = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(event, stream));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_PENDING);
  gate_open(&gate);
  CHECK_OK(gevt_stream_sync(stream));
  CHECK_EQUAL(event_info(event).state, GEVT_STATE_COMPLETE);
  CHECK_OK(gevt_destroy(event));
  stream_finish(stream);
}

/* A smaller structure (an older header's) gets what fits; a larger one (a newer header's) also gets the size that is
   known. */
static void sizes(void) {
  struct {
    gevt_event_info_t info;
    unsigned char more[64];
  } large;
  gevt_event_t event = event_new();
  gevt_event_info_t whole, part;
  static const size_t too_small[] = {0, 1, sizeof(size_t) - 1, sizeof(size_t), sizeof(size_t) + 3};
  size_t part_size = offsetof(gevt_event_info_t, name), i;
  CHECK_OK(gevt_set_name(event, "sized"));
  whole = event_info(event);

  for (i = 0; i < sizeof too_small / sizeof *too_small; i++) {
    pattern_fill(&part, sizeof part);
    part.size = too_small[i];
    CHECK_FAILS(gevt_get_info(&part, event), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
    CHECK_EQUAL(part.size, too_small[i]);
    CHECK(pattern_intact((char *)&part + sizeof part.size, sizeof part - sizeof part.size));
  }

  pattern_fill(&part, sizeof part);
  part.size = part_size;
  CHECK_OK(gevt_get_info(&part, event));
  CHECK_EQUAL(part.size, part_size);
  CHECK_EQUAL(part.device, whole.device);
  CHECK_EQUAL(part.record_count, whole.record_count);
  CHECK(pattern_intact(part.name, sizeof part.name));

  pattern_fill(&large, sizeof large);
  large.info.size = sizeof large;
  CHECK_OK(gevt_get_info(&large.info, event));
  CHECK_EQUAL(large.info.size, sizeof large.info);
  CHECK(strcmp(large.info.name, "sized") == 0);
  CHECK(pattern_intact(large.more, sizeof large.more));
  CHECK_OK(gevt_destroy(event));
}

static void refusals(void) {
  gevt_event_t event = event_new(), stale = event_stale();
  gevt_event_info_t info;
  pattern_fill(&info, sizeof info);
  info.size = sizeof info;
  CHECK_FAILS(gevt_get_info(NULL, event), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  CHECK_FAILS(gevt_get_info(&info, NULL), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
  CHECK_FAILS(gevt_get_info(&info, stale), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_EQUAL(info.size, sizeof info);
  CHECK(pattern_intact((char *)&info + sizeof info.size, sizeof info - sizeof info.size));
  CHECK_OK(gevt_destroy(event));
}

static void names(void) {
  gevt_event_t event = event_new(), stale = event_stale();
  char longest[64], longer[200];
  memset(longest, 'a', 63);
  longest[63] = 0;
  memset(longer, 'a', 199);
  longer[199] = 0;

  CHECK_OK(gevt_set_name(event, "frame 7"));
  CHECK(strcmp(event_info(event).name, "frame 7") == 0);
  CHECK_OK(gevt_set_name(event, "8"));
  CHECK(strcmp(event_info(event).name, "8") == 0);
  CHECK_OK(gevt_set_name(event, longest));
  CHECK(strcmp(event_info(event).name, longest) == 0);
  CHECK_OK(gevt_set_name(event, longer));
  CHECK(strcmp(event_info(event).name, longest) == 0);

  CHECK_OK(gevt_set_name(event, "kept"));
  CHECK_FAILS(gevt_set_name(event, "\xff\xfe"), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK(strcmp(event_info(event).name, "kept") == 0);
  CHECK_OK(gevt_set_name(event, NULL));
  CHECK(strcmp(event_info(event).name, "") == 0);
  CHECK_OK(gevt_set_name(event, "again"));
  CHECK_OK(gevt_set_name(event, ""));
  CHECK(strcmp(event_info(event).name, "") == 0);

  CHECK_FAILS(gevt_set_name(NULL, "x"), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
  CHECK_FAILS(gevt_set_name(stale, "x"), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK_OK(gevt_destroy(event));
}

/* A cut never leaves half a character: 62 letters leave no room for one of two bytes. */
static void names_are_cut_between_characters(void) {
  gevt_event_t event = event_new();
  char name[80];
  memset(name, 'a', 62);
  strcpy(name + 62, "\xc3\xa9 and more");
  CHECK_OK(gevt_set_name(event, name));
  name[62] = 0;
  CHECK(strcmp(event_info(event).name, name) == 0);
  CHECK_OK(gevt_destroy(event));
}

/* A new event never inherits the name of the one that had its place before. */
static void names_do_not_return(void) {
  gevt_event_t event = event_new();
  int i;
  CHECK_OK(gevt_set_name(event, "old"));
  CHECK_OK(gevt_destroy(event));
  for (i = 0; i < 100; i++) {
    event = event_new();
    CHECK(strcmp(event_info(event).name, "") == 0);
    CHECK_OK(gevt_destroy(event));
  }
}

static void messages_name_the_event(void) {
  gevt_event_t event = event_new();
  float ms;
  CHECK_OK(gevt_set_name(event, "shadow pass"));
  CHECK_FAILS(gevt_elapsed(&ms, event, event), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NOT_RECORDED);
  CHECK(strstr(gevt_last_message(), "shadow pass") != NULL);
  CHECK_OK(gevt_destroy(event));
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(fields_through_a_life);
  RUN(state_without_a_query);
  RUN(sizes);
  RUN(refusals);
  RUN(names);
  RUN(names_are_cut_between_characters);
  RUN(names_do_not_return);
  RUN(messages_name_the_event);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
