#include <gevt.h>
#include <stdio.h>

static void work(void *user) {
  *(int *)user = 42;
}

int main(void) {
  gevt_stream_t stream;
  gevt_event_t event;
  int answer = 0;
  if (gevt_stream_create(&stream, NULL, GEVT_STREAM_DEFAULT) || gevt_create(&event, GEVT_EVENT_DEFAULT) ||
      gevt_stream_launch(stream, work, &answer) || gevt_record(event, stream) || gevt_sync(event)) {
    fprintf(stderr, "%s\n", gevt_last_message());
    return 1;
  }
  printf("%s %d\n", gevt_version_string(), answer);
  return gevt_destroy(event) || gevt_stream_destroy(stream);
}
