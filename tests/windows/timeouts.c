/* A timeout of a millisecond takes about one, and not until the next of the system's clock interrupts, which are up to 16 ms apart.
   The shortest of many waits is judged, as a busy machine makes some of them longer; none may be shorter.
   usage: timeouts [host|vulkan] */
#include "objects.h"

enum { WAITS = 50 };
#define MOST (5 * MILLISECOND)

static gevt_event_t pending;
static gevt_stream_t stream;

static gevt_status_t wait_in(int way) {
  size_t index;
  switch (way) {
  case 0:
    return gevt_sync_timeout(pending, MILLISECOND);
  case 1:
    return gevt_sync_any(&index, &pending, 1, MILLISECOND);
  case 2:
    return gevt_sync_all(&pending, 1, MILLISECOND);
  default:
    return gevt_stream_sync_timeout(stream, MILLISECOND);
  }
}

static void a_millisecond_is_one(void) {
  int way, i;
  for (way = 0; way < 4; way++) {
    long long shortest = SECOND;
    for (i = 0; i < WAITS; i++) {
      long long start = now_ns(), took;
      CHECK_STATUS(wait_in(way), GEVT_ERROR_TIMEOUT);
      took = now_ns() - start;
      if (took < shortest) shortest = took;
    }
    printf("    way %d: %lld us\n", way, shortest / 1000);
    CHECK(shortest >= MILLISECOND && shortest < MOST);
  }
}

int main(int argc, char **argv) {
  gate_t gate = GATE_CLOSED;
  subject_begin(argc, argv);
  stream = stream_new();
  pending = event_new();
  gate_close(&gate, stream);
  CHECK_OK(gevt_record(pending, stream));
  RUN(a_millisecond_is_one);
  gate_open(&gate);
  CHECK_OK(gevt_destroy(pending));
  stream_finish(stream);
  return subject_end();
}
