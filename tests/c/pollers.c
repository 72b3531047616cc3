/* Host functions that poll, with a short sleep between two checks, do not starve the function that they wait for.
   usage: pollers [host|cuda] */
#include "objects.h"

enum { POLLERS = 150 };

static int reached, begun, ended;

static void poll_until_reached(void *user) {
#ifdef _WIN32
  /* mingw-w64's nanosleep returns at once from less than a millisecond. */
  const struct timespec pause = {0, 1000000};
#else
  const struct timespec pause = {0, 50000};
#endif
  (void)user;
  count_up(&begun);
  while (count_of(&reached) == 0) nanosleep(&pause, NULL);
  count_up(&ended);
}

static void a_function_that_others_poll_for_is_run(void) {
  static gevt_stream_t streams[POLLERS + 1];
  int i;
  for (i = 0; i <= POLLERS; i++) streams[i] = stream_new();
  for (i = 0; i < POLLERS; i++) CHECK_OK(gevt_stream_launch(streams[i], poll_until_reached, NULL));
  CHECK_OK(gevt_stream_launch(streams[POLLERS], count_up, &reached));
  CHECK_OK(gevt_stream_sync(streams[POLLERS]));
  for (i = 0; i <= POLLERS; i++) stream_finish(streams[i]);
  CHECK_EQUAL(ended, POLLERS);
}

int main(int argc, char **argv) {
  subject_begin(argc, argv);
  RUN_ON_HOST(a_function_that_others_poll_for_is_run);
  return subject_end();
}
