// gevt.hpp in the place of gevt.h: compiled with TEST_HPP, the interpreter makes each call through gevt.hpp, by turns in its form that throws and in
// the one with a code. What gevt.hpp cannot say, such as a NULL output, is said in C.
#pragma once

#include "../c/objects.h"

#include <gevt.hpp>

namespace api {

using nanoseconds = std::chrono::duration<std::uint64_t, std::nano>;
using event = gevt::event_ref;
using stream = gevt::stream_ref;
using context = gevt::context_ref;

// The call's status. A success has to clear the code, and an exception says what the last failure says.
template <class Call>
gevt_status_t form(Call call) {
  static thread_local unsigned turn;
  if (++turn % 2) {
    std::error_code ec = gevt::errc::unknown;
    call(ec);
    return ec.value();
  }
  try {
    call();
  } catch (const gevt::error &error) {
    const bool is_told = error.code() != gevt::errc::not_ready;
    CHECK(error.code().category() == gevt::category() && strstr(error.what(), error.code().message().c_str()));
    CHECK_EQUAL(error.detail(), is_told ? gevt_last_detail() : GEVT_DETAIL_NONE);
    CHECK((strstr(error.what(), gevt_last_message()) != nullptr) == is_told);
    return error.code().value();
  }
  return GEVT_SUCCESS;
}

// For a call that returns false instead of the status `no`, which is then not an error.
template <class Call>
gevt_status_t ask(gevt_status_t no, Call call) {
  bool holds = false;
  gevt_status_t status = form([&](auto &...ec) { holds = call(ec...); });
  CHECK(status != no);
  return status == GEVT_SUCCESS && !holds ? no : status;
}

// Of a call that gives something: only a success writes the output.
template <class T, class Call>
gevt_status_t give(T *out, Call call) {
  T made{};
  gevt_status_t status = form([&](auto &...ec) { made = call(ec...); });
  if (status == GEVT_SUCCESS) *out = made;
  return status;
}

#define FORM(name, parameters, ...)                                                                                    \
  inline gevt_status_t name parameters {                                                                               \
    return form([=](auto &...ec) { __VA_ARGS__; });                                                                    \
  }
#define ASK(name, parameters, no, ...)                                                                                 \
  inline gevt_status_t name parameters {                                                                               \
    return ask(GEVT_ERROR_##no, [=](auto &...ec) { return __VA_ARGS__; });                                             \
  }
#define GIVE(name, parameters, arguments, ...)                                                                         \
  inline gevt_status_t name parameters {                                                                               \
    if (!out) return gevt_##name arguments;                                                                            \
    return give(out, [=](auto &...ec) { return __VA_ARGS__; });                                                        \
  }

ASK(query, (gevt_event_t e), NOT_READY, event(e).query(ec...))
FORM(sync, (gevt_event_t e), event(e).sync(ec...))
ASK(sync_timeout, (gevt_event_t e, uint64_t ns), TIMEOUT, event(e).sync_for(nanoseconds(ns), ec...))
ASK(sync_helping, (gevt_event_t e, uint64_t ns), TIMEOUT, event(e).sync_helping_for(nanoseconds(ns), ec...))
ASK(sync_all, (const gevt_event_t *events, size_t count, uint64_t ns), TIMEOUT,
    gevt::sync_all_for(events, count, nanoseconds(ns), ec...))
// Only the form with a code gives the position of an event that failed.
inline gevt_status_t sync_any(size_t *out, const gevt_event_t *events, size_t count, uint64_t ns) {
  if (!out) return gevt_sync_any(out, events, count, ns);
  std::error_code ec;
  const std::optional<size_t> index = gevt::sync_any_for(events, count, nanoseconds(ns), ec);
  if (index) *out = *index;
  return index || ec ? ec.value() : GEVT_ERROR_TIMEOUT;
}
FORM(record, (gevt_event_t e, gevt_stream_t s), event(e).record(stream(s), ec...))
FORM(record_with_flags, (gevt_event_t e, gevt_stream_t s, uint32_t flags),
     event(e).record(stream(s), gevt::record_flags{flags}, ec...))
FORM(signal, (gevt_event_t e, gevt_status_t status), event(e).signal(status, ec...))
FORM(reset, (gevt_event_t e), event(e).reset(ec...))
FORM(on_complete, (gevt_event_t e, gevt_complete_fn_t function, void *user),
     event(e).on_complete(function, user, ec...))
FORM(set_name, (gevt_event_t e, const char *name), event(e).set_name(name, ec...))
inline gevt_status_t get_info(gevt_event_info_t *out, gevt_event_t e) {
  if (!(out && out->size == sizeof *out)) return gevt_get_info(out, e);
  return give(out, [=](auto &...ec) { return event(e).info(ec...).get(); });
}
GIVE(elapsed_ns, (int64_t * out, gevt_event_t start, gevt_event_t end), (out, start, end),
     (int64_t)gevt::timed_event_ref(end).since(gevt::timed_event_ref(start), ec...).count())
GIVE(native, (void **out, gevt_event_t e), (out, e), event(e).native_handle(ec...))
GIVE(ipc_export, (gevt_ipc_handle_t * out, gevt_event_t e), (out, e), event(e).ipc_export(ec...))
inline gevt_status_t ipc_import(gevt_event_t *out, gevt_context_t c, const gevt_ipc_handle_t *bytes) {
  if (!(out && bytes)) return gevt_ipc_import(out, c, bytes);
  return give(out, [=](auto &...ec) {
    return c ? gevt::event::ipc_import(context(c), *bytes, ec...).release()
             : gevt::event::ipc_import(*bytes, ec...).release();
  });
}
// Whether an event has timing is its type.
#define MADE(by, ...)                                                                                                  \
  (flags & GEVT_EVENT_DISABLE_TIMING ? gevt::event by(__VA_ARGS__).release()                                           \
                                     : gevt::timed_event by(__VA_ARGS__).release())
GIVE(create, (gevt_event_t * out, uint32_t flags), (out, flags), MADE(, gevt::event_flags{flags}, ec...))
GIVE(create_in, (gevt_event_t * out, gevt_context_t c, uint32_t flags), (out, c, flags),
     MADE(, context(c), gevt::event_flags{flags}, ec...))
GIVE(wrap, (gevt_event_t * out, gevt_context_t c, void *native, uint32_t flags), (out, c, native, flags),
     MADE(::wrap, context(c), native, gevt::event_flags{flags}, ec...))
GIVE(stream_create, (gevt_stream_t * out, gevt_context_t c, uint32_t flags), (out, c, flags),
     (c ? gevt::stream(context(c), gevt::stream_flags{flags}, ec...) : gevt::stream(gevt::stream_flags{flags}, ec...))
         .release())
GIVE(stream_wrap, (gevt_stream_t * out, gevt_context_t c, void *native), (out, c, native),
     gevt::stream::wrap(context(c), native, ec...).release())
ASK(stream_query, (gevt_stream_t s), NOT_READY, stream(s).query(ec...))
FORM(stream_sync, (gevt_stream_t s), stream(s).sync(ec...))
ASK(stream_sync_timeout, (gevt_stream_t s, uint64_t ns), TIMEOUT, stream(s).sync_for(nanoseconds(ns), ec...))
FORM(stream_wait, (gevt_stream_t s, gevt_event_t e, uint32_t flags),
     stream(s).wait(event(e), gevt::wait_flags{flags}, ec...))
FORM(stream_launch, (gevt_stream_t s, gevt_host_fn_t function, void *user), stream(s).launch(function, user, ec...))
FORM(stream_set_name, (gevt_stream_t s, const char *name), stream(s).set_name(name, ec...))
GIVE(stream_native, (void **out, gevt_stream_t s), (out, s), stream(s).native_handle(ec...))
GIVE(context_open, (gevt_context_t * out, gevt_backend_t backend, int32_t device), (out, backend, device),
     gevt::context(gevt::backend{backend}, device, ec...).release())
GIVE(context_wrap, (gevt_context_t * out, gevt_backend_t backend, void *native), (out, backend, native),
     gevt::context::wrap(gevt::backend{backend}, native, ec...).release())
FORM(context_set_current, (gevt_context_t c), c ? context(c).set_current(ec...) : context::reset_current(ec...))
GIVE(context_get_current, (gevt_context_t * out), (out), context::current(ec...).get())
FORM(context_sync, (gevt_context_t c), context(c).sync(ec...))
ASK(context_sync_timeout, (gevt_context_t c, uint64_t ns), TIMEOUT, context(c).sync_for(nanoseconds(ns), ec...))
FORM(context_calibrate, (gevt_context_t c), context(c).calibrate(ec...))
GIVE(context_native, (void **out, gevt_context_t c), (out, c), context(c).native_handle(ec...))
GIVE(device_count, (int32_t * out, gevt_backend_t backend), (out, backend),
     (int32_t)gevt::device_count(gevt::backend{backend}, ec...))
GIVE(host_get_threads, (uint32_t * out), (out), gevt::host_threads(ec...))
FORM(host_set_threads, (uint32_t threads), gevt::set_host_threads(threads, ec...))
inline gevt_status_t host_set_executor(const gevt_executor_t *given) {
  if (!(given && given->size == sizeof *given && given->submit)) return gevt_host_set_executor(given);
  return form([=](auto &...ec) { gevt::set_executor(given->submit, given->user, given->threads, ec...); });
}
FORM(set_log_callback, (gevt_log_fn_t function, void *user, gevt_log_level_t level),
     gevt::set_log_callback(function, user, gevt::log_level{level}, ec...))
FORM(trace_start, (const char *path), gevt::trace_start(path, ec...))
FORM(trace_stop, (), gevt::trace_stop(ec...))
#undef FORM
#undef ASK
#undef GIVE
#undef MADE

} // namespace api
