/* What it costs to wait for another process: nothing while nothing happens, however many wait. Judged by CPU time.
   usage: ipc_idle [host|cuda] */
#include "peer.h"

enum { MANY = 1000 };

static gevt_event_t events[MANY];
static int waiting, ended;

static long long process_cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * SECOND + now.tv_nsec;
}

/* Half as much as one thread that looks at a thousand events every half a millisecond. */
static void check_idle(const char *who) {
  long long began = now_ns(), cpu = process_cpu_ns();
  sleep_ns(2 * SECOND);
  cpu = process_cpu_ns() - cpu;
  began = now_ns() - began;
  printf("%s: %.2f %% of a core\n", who, 100.0 * (double)cpu / (double)began);
  CHECK(cpu * 20 < began);
}

static void *wait_for_event(void *user) {
  count_up(&waiting);
  CHECK_OK(gevt_sync(*(gevt_event_t *)user));
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
  waiting = ended = 0;
  for (i = 0; i < MANY; i++) threads[i] = thread_start(wait_for_event, &events[i]);
  CHECK(count_await(&waiting, MANY));
  sleep_ns(SECOND / 2);
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
  sleep_ns(SECOND / 2);
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
