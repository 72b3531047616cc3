/* gevt_stream_set_name: what a name may be, and where it is shown. */
#include "objects.h"

/* What a message says of the stream; each call of it fails. */
static const char *said_of(gevt_stream_t stream) {
  CHECK_FAILS(gevt_stream_launch(stream, NULL, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_NULL_POINTER);
  return gevt_last_message();
}

static void messages_name_the_stream(void) {
  gevt_stream_t stream = stream_new();
  CHECK(strstr(said_of(stream), "(stream 0x") != NULL);
  CHECK_OK(gevt_stream_set_name(stream, "copy queue"));
  CHECK(strstr(said_of(stream), "gevt_stream_launch (stream \"copy queue\"): ") != NULL);
  CHECK_OK(gevt_stream_set_name(stream, "other"));
  CHECK(strstr(said_of(stream), "(stream \"other\")") != NULL);
  CHECK_OK(gevt_stream_set_name(stream, ""));
  CHECK(strstr(said_of(stream), "(stream 0x") != NULL);
  CHECK_OK(gevt_stream_set_name(stream, "again"));
  CHECK_OK(gevt_stream_set_name(stream, NULL));
  CHECK(strstr(said_of(stream), "(stream 0x") != NULL);
  stream_finish(stream);
}

static void odd_names(void) {
  gevt_stream_t stream = stream_new();
  char name[1000], shown[80];
  memset(name, 'a', sizeof name - 1);
  name[sizeof name - 1] = 0;
  snprintf(shown, sizeof shown, "(stream \"%.63s\")", name);
  CHECK_OK(gevt_stream_set_name(stream, name));
  CHECK(strstr(said_of(stream), shown) != NULL);
  /* 62 letters leave no room for a character of two bytes. */
  strcpy(name + 62, "\xc3\xa9 and more");
  snprintf(shown, sizeof shown, "(stream \"%.62s\")", name);
  CHECK_OK(gevt_stream_set_name(stream, name));
  CHECK(strstr(said_of(stream), shown) != NULL);
  CHECK_OK(gevt_stream_set_name(stream, "one\ntwo\x1b[2J"));
  CHECK(strstr(said_of(stream), "(stream \"one\\ntwo\\u{1b}[2J\")") != NULL);
  CHECK_OK(gevt_stream_set_name(stream, "kept"));
  CHECK_FAILS(gevt_stream_set_name(stream, "\xff\xfe"), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
  CHECK(strstr(said_of(stream), "(stream \"kept\")") != NULL);
  stream_finish(stream);
}

static void refusals(void) {
  gevt_stream_t stream = stream_new();
  CHECK_OK(gevt_stream_set_name(stream, "gone"));
  CHECK_OK(gevt_stream_destroy(stream));
  CHECK_FAILS(gevt_stream_set_name(stream, "x"), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_STALE_HANDLE);
  CHECK(strstr(gevt_last_message(), "gone") == NULL);
  CHECK_FAILS(gevt_stream_set_name(NULL, "x"), GEVT_ERROR_INVALID_HANDLE, GEVT_DETAIL_NULL_HANDLE);
}

/* A new stream never inherits the name of the one that had its place before. */
static void names_do_not_return(void) {
  gevt_stream_t stream = stream_new();
  int i;
  CHECK_OK(gevt_stream_set_name(stream, "old"));
  CHECK_OK(gevt_stream_destroy(stream));
  for (i = 0; i < 100; i++) {
    stream = stream_new();
    CHECK(strstr(said_of(stream), "(stream 0x") != NULL);
    CHECK_OK(gevt_stream_destroy(stream));
  }
}

static void wrapped_default_streams_have_names(void) {
  gevt_stream_t stream;
  CHECK_OK(gevt_stream_wrap(&stream, subject_context, NULL));
  CHECK_OK(gevt_stream_set_name(stream, "main"));
  CHECK(strstr(said_of(stream), "(stream \"main\")") != NULL);
  CHECK_OK(gevt_stream_destroy(stream));
}

static void *name_body(void *user) {
  gevt_stream_t stream = (gevt_stream_t)user;
  int i;
  for (i = 0; i < 2000; i++) CHECK_OK(gevt_stream_set_name(stream, i % 3 == 0 ? NULL : i % 3 == 1 ? "one" : "another"));
  return NULL;
}

static void named_by_many_threads(void) {
  gevt_stream_t stream = stream_new();
  pthread_t threads[4];
  int i;
  for (i = 0; i < 4; i++) threads[i] = thread_start(name_body, stream);
  for (i = 0; i < 2000; i++) {
    const char *said = said_of(stream);
    CHECK(strstr(said, "(stream 0x") || strstr(said, "(stream \"one\")") || strstr(said, "(stream \"another\")"));
  }
  for (i = 0; i < 4; i++) thread_join(threads[i]);
  stream_finish(stream);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN(messages_name_the_stream);
  RUN(odd_names);
  RUN(refusals);
  RUN(names_do_not_return);
  RUN(wrapped_default_streams_have_names);
  RUN(named_by_many_threads);
  CHECK_EQUAL(gevt_live_events(), 0);
  return subject_end();
}
