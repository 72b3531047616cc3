/* What C and C++ accept of gevt.h, which may be included twice. */
#include <gevt.h>
#include <gevt.h>

gevt_status_t use(gevt_stream_t stream);
gevt_status_t use(gevt_stream_t stream) {
  gevt_event_t event = 0;
  gevt_status_t status = gevt_create(&event, GEVT_EVENT_DISABLE_TIMING);
  if (status != GEVT_SUCCESS) return status;
  status = gevt_record(event, stream);
  if (status == GEVT_SUCCESS) status = gevt_sync_timeout(event, GEVT_TIMEOUT_INFINITE);
  /* Functions that destroy or close may be called without a look at the status. */
  gevt_destroy(event);
  gevt_stream_destroy(stream);
  gevt_context_close(0);
  return status;
}

#if GEVT_VERSION != GEVT_VERSION_MAJOR * 10000 + GEVT_VERSION_MINOR * 100 + GEVT_VERSION_PATCH || GEVT_VERSION < 100
#error "the version macros"
#endif

#ifdef __cplusplus
static_assert(noexcept(gevt_query(nullptr)) &&noexcept(gevt_version()), "");
#endif
