/* A host-signaled event: the program completes it itself, here when a file has been read.
 *
 * A stream waits for the event without holding a thread. If the file cannot be read, the program signals a failure, and the work behind
 * the wait learns of it. */
#include <pthread.h>
#include <string.h>

#include "check.h"

typedef struct {
  const char *path;
  gevt_event_t loaded;
  char text[4096];
  size_t length, lines;
} asset_t;

/* The program's own thread. A callback of an I/O library would call gevt_signal() in the same way. */
static void *load(void *user) {
  asset_t *asset = user;
  FILE *file = fopen(asset->path, "rb");
  if (file == NULL) {
    CHECK(gevt_signal(asset->loaded, GEVT_ERROR_INVALID_VALUE));
    return NULL;
  }
  asset->length = fread(asset->text, 1, sizeof asset->text, file);
  fclose(file);
  CHECK(gevt_signal(asset->loaded, GEVT_SUCCESS));
  return NULL;
}

/* The stream's work, which needs the file. */
static void count_lines(void *user) {
  asset_t *asset = user;
  for (size_t i = 0; i < asset->length; i++) asset->lines += asset->text[i] == '\n';
}

/* Queues the work first, then loads the file. Returns the event's status. */
static gevt_status_t process(asset_t *asset, gevt_stream_t stream, gevt_event_t processed) {
  pthread_t thread;
  CHECK(gevt_create(&asset->loaded, GEVT_EVENT_HOST_SIGNALED | GEVT_EVENT_DISABLE_TIMING));
  CHECK(gevt_stream_wait(stream, asset->loaded, GEVT_WAIT_DEFAULT));
  CHECK(gevt_stream_launch(stream, count_lines, asset));
  CHECK(gevt_record(processed, stream));

  if (pthread_create(&thread, NULL, load, asset) != 0) exit(EXIT_FAILURE);
  const gevt_status_t status = gevt_sync(processed);
  pthread_join(thread, NULL);
  CHECK(gevt_destroy(asset->loaded));
  return status;
}

int main(int count, char **words) {
  gevt_stream_t stream;
  gevt_event_t processed;
  CHECK(gevt_stream_create(&stream, NULL, GEVT_STREAM_NON_BLOCKING));
  CHECK(gevt_create(&processed, GEVT_EVENT_DISABLE_TIMING));

  asset_t asset = {.path = count > 1 ? words[1] : words[0]};
  CHECK(process(&asset, stream, processed));
  printf("%s: %zu bytes read, %zu lines in them\n", asset.path, asset.length, asset.lines);

  asset_t missing = {.path = "no such file"};
  const gevt_status_t status = process(&missing, stream, processed);
  printf("%s: %s, %s\n", missing.path, gevt_status_name(status), gevt_last_message());

  /* Reports the failure once more. Later work of the stream does not fail. */
  const gevt_status_t again = gevt_stream_sync(stream);
  CHECK(gevt_record(processed, stream));
  CHECK(gevt_sync(processed));

  CHECK(gevt_destroy(processed));
  CHECK(gevt_stream_destroy(stream));
  const int as_expected = asset.length > 0 && status == GEVT_ERROR_INVALID_VALUE && again == status;
  return as_expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
