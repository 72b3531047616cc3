/* What it costs to wait for another process: nothing while nothing happens, however many wait.
   usage: ipc_idle [host|cuda] */
#include "idle.h"
#include "peer.h"

#include <sys/resource.h>

enum { MANY = 1000 };

static gevt_event_t events[MANY];
static int tids[MANY], ended;

/* The kernel lets a thread wait for 128 words: so many look after all, and notice now and then whether the peer still lives. Together
   they wake up less often than one thread does that checks every millisecond. */
static void check_idle(const char *who) {
  enum { WATCHERS = (MANY + 127) / 128, MOST_A_SECOND = 1000 };
  struct rusage before, after;
  long long began, most;
  CHECK(process_await_idle(who, WATCHERS));
  began = now_ns();
  getrusage(RUSAGE_SELF, &before);
  sleep_ns(SECOND);
  getrusage(RUSAGE_SELF, &after);
  most = MOST_A_SECOND * (now_ns() - began) / SECOND;
  printf("%s: %ld switches, at most %lld\n", who, after.ru_nvcsw - before.ru_nvcsw, most);
  CHECK(after.ru_nvcsw - before.ru_nvcsw < most);
}

static void *wait_for_event(void *user) {
  int i = (int)((gevt_event_t *)user - events);
  thread_publish(&tids[i]);
  CHECK_OK(gevt_sync(events[i]));
  count_up(&ended);
  return NULL;
}

static void begin(peer_t *peer) {
  int i;
  *peer = peer_start();
  events[0] = event_imported(peer, 0);
  for (i = 1; i < MANY; i++) CHECK_OK(gevt_ipc_import(&events[i], NULL, &peer->handle));
  CHECK_OK(peer_ask(peer, PEER_BLOCK, 0, 0));
  CHECK_OK(peer_ask(peer, PEER_RECORD, 0, 0));
  CHECK_NOT_READY(gevt_query(events[0]));
}

static void end(peer_t *peer) {
  int i;
  CHECK_EQUAL(peer_exit(peer, 0), 0);
  for (i = 0; i < MANY; i++) CHECK_OK(gevt_destroy(events[i]));
}

static void many_threads_wait(void) {
  static pthread_t threads[MANY];
  peer_t peer;
  int i;
  begin(&peer);
  ended = 0;
  for (i = 0; i < MANY; i++) threads[i] = thread_start(wait_for_event, &events[i]);
  for (i = 0; i < MANY; i++) CHECK(thread_await_parked(&tids[i]));
  check_idle("1,000 threads that wait");
  CHECK_EQUAL(count_of(&ended), 0);
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  for (i = 0; i < MANY; i++) thread_join(threads[i]);
  end(&peer);
}

static void many_streams_wait(void) {
  static gevt_stream_t streams[MANY];
  peer_t peer;
  int i, run = 0;
  begin(&peer);
  for (i = 0; i < MANY; i++) {
    streams[i] = stream_new();
    CHECK_OK(gevt_stream_wait(streams[i], events[i], GEVT_WAIT_DEFAULT));
    CHECK_OK(gevt_stream_launch(streams[i], count_up, &run));
  }
  check_idle("1,000 streams that wait");
  CHECK_EQUAL(count_of(&run), 0);
  CHECK_OK(peer_ask(&peer, PEER_UNBLOCK, 0, 0));
  for (i = 0; i < MANY; i++) stream_finish(streams[i]);
  CHECK_EQUAL(count_of(&run), MANY);
  end(&peer);
}

int main(int argc, char **argv) {
  peer_serve(argc, argv);
  subject_begin(argc, argv);
  RUN_ON_HOST(many_threads_wait);
  RUN_ON_HOST(many_streams_wait);
  return subject_end();
}
