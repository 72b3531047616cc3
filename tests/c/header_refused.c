/* What C and C++ compilers refuse, or warn of: each line that says so, and no other. header.sh compares the lines. */
#include <gevt.h>

gevt_status_t use(gevt_event_t event, gevt_stream_t stream);
gevt_status_t use(gevt_event_t event, gevt_stream_t stream) {
  gevt_query(event);         /* refused: the status is dropped */
  return gevt_query(stream); /* refused: a stream is no event */
}
