// gevt.Event, and waiting for several events.
#include "event.hpp"

#include "callback.hpp"
#include "errors.hpp"
#include "module.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace gevt_py {

using namespace nb::literals;

gevt_event_t create(std::uint32_t flags, gevt_context_t context) {
  gevt_event_t handle = nullptr;
  const gevt_status_t status =
      context == nullptr ? gevt_create(&handle, flags) : gevt_create_in(&handle, context, flags);
  if (status != GEVT_SUCCESS) fail(status);
  return handle;
}

void record(const event &event, const stream_use &stream, bool external) {
  event.bind();
  unlocked released;
  event.ref().record(stream.ref(), external ? gevt::record_flags::external : gevt::record_flags::none);
}

nb::bytes ipc_export(const event &event) {
  event.bind();
  apply_context();
  gevt_ipc_handle_t bytes;
  {
    unlocked released;
    bytes = event.ref().ipc_export();
  }
  return nb::bytes(bytes.bytes, sizeof bytes.bytes);
}

gevt_event_t ipc_import(nb::bytes bytes, gevt_context_t context) {
  gevt_ipc_handle_t handle;
  if (bytes.size() != sizeof handle.bytes) {
    throw nb::value_error(("an event's IPC handle has 64 bytes, not " + std::to_string(bytes.size())).c_str());
  }
  std::memcpy(handle.bytes, bytes.data(), sizeof handle.bytes);
  if (context == nullptr) apply_context();
  unlocked released;
  return gevt::event::ipc_import(gevt::context_ref(context), handle).release();
}

namespace {

void sync(const event &self, timeout timeout) {
  const std::chrono::nanoseconds limit = timeout_of(timeout);
  unlocked released;
  if (limit == std::chrono::nanoseconds::max()) {
    self.ref().sync();
  } else {
    expect_in_time(self.ref().sync_for(limit));
  }
}

std::int64_t elapsed_ns(const event &start, const event &end) {
  std::int64_t ns = 0;
  if (const gevt_status_t status = gevt_elapsed_ns(&ns, start.get(), end.get())) fail(status);
  return ns;
}

std::vector<gevt_event_t> handles_of(const std::vector<const event *> &events) {
  std::vector<gevt_event_t> handles;
  handles.reserve(events.size());
  for (const event *event : events) handles.push_back(event->get());
  return handles;
}

void wait_all(const std::vector<const event *> &events, timeout timeout) {
  const std::chrono::nanoseconds limit = timeout_of(timeout);
  const std::vector<gevt_event_t> handles = handles_of(events);
  unlocked released;
  expect_in_time(gevt::sync_all_for(handles.data(), handles.size(), limit));
}

std::size_t wait_any(const std::vector<const event *> &events, timeout timeout) {
  const std::chrono::nanoseconds limit = timeout_of(timeout);
  const std::vector<gevt_event_t> handles = handles_of(events);
  std::optional<std::size_t> index;
  std::error_code ec;
  {
    unlocked released;
    index = gevt::sync_any_for(handles.data(), handles.size(), limit, ec);
  }
  if (!ec) {
    expect_in_time(index.has_value());
    return *index;
  }
  if (!index) fail(ec.value());
  const nb::object error = exception_of(ec.value(), gevt_last_detail(), gevt_last_message());
  error.attr("index") = *index;
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

void sync_helping(const event &self, timeout timeout) {
  const std::chrono::nanoseconds limit = timeout_of(timeout);
  unlocked released;
  if (limit == std::chrono::nanoseconds::max()) {
    self.ref().sync_helping();
  } else {
    expect_in_time(self.ref().sync_helping_for(limit));
  }
}

// The status of an exception. Success and statuses of pending events are replaced, since they are not failures.
gevt_status_t status_of(nb::handle failure) {
  if (failure.is_none()) return GEVT_SUCCESS;
  if (PyLong_Check(failure.ptr())) return nb::cast<gevt_status_t>(failure);
  if (!PyExceptionInstance_Check(failure.ptr())) throw nb::type_error("expected an exception, a Status or None");
  if (!nb::isinstance(failure, nb::module_::import_("gevt._errors").attr("Error"))) return GEVT_ERROR_UNKNOWN;
  const auto status = nb::cast<gevt_status_t>(failure.attr("status"));
  const bool is_failure = status != GEVT_SUCCESS && status != GEVT_ERROR_NOT_READY && status != GEVT_ERROR_TIMEOUT;
  return is_failure ? status : GEVT_ERROR_UNKNOWN;
}

void signal(const event &self, nb::handle failure) {
  const gevt_status_t status = status_of(failure);
  unlocked released;
  self.ref().signal(status);
}

nb::object host_time(const event &self) {
  std::int64_t ns = 0;
  std::uint64_t error = 0;
  {
    unlocked released;
    if (const gevt_status_t status = gevt_host_time(&ns, &error, self.get())) fail(status);
  }
  return nb::module_::import_("gevt._info").attr("HostTime")(ns, error);
}

void create_event(event *self, truth timing, truth blocking, truth interprocess, truth strict, truth host_signaled,
                  const context *context, const std::optional<std::string> &name) {
  const std::uint32_t flags = flags_of(timing, blocking, interprocess) |
                              (strict ? GEVT_EVENT_STRICT : GEVT_EVENT_DEFAULT) |
                              (host_signaled ? GEVT_EVENT_HOST_SIGNALED : GEVT_EVENT_DEFAULT);
  new (self) event(create(flags, context == nullptr ? nullptr : context->get()));
  if (name) self->ref().set_name(name->c_str());
}

event *from_native_handle(std::uintptr_t native, const context *context, truth timing, truth blocking) {
  gevt_event_t handle = nullptr;
  if (context == nullptr) apply_context();
  unlocked released;
  const gevt_status_t status = gevt_wrap(&handle, context == nullptr ? nullptr : context->get(),
                                         reinterpret_cast<void *>(native), flags_of(timing, blocking, false));
  if (status != GEVT_SUCCESS) fail(status);
  return new event(handle);
}

nb::object info(const event &self) {
  const gevt_event_info_t info = self.info();
  return nb::module_::import_("gevt._info")
      .attr("make")(info.state, info.backend, info.device, info.flags, info.imported != 0, info.record_count,
                    info.name);
}

nb::object describe(const event &self) {
  if (self.is_closed()) return nb::str("<gevt.Event closed>");
  return nb::module_::import_("gevt._info").attr("describe")(info(self));
}

} // namespace

void add_events(nb::module_ &module) {
  nb::class_<event>(module, "Event", nb::is_weak_referenceable(), R"(A point in a stream.

Its first record binds it to the stream's context. A with-block destroys it at its end. With ``host_signaled`` it is a point in the
program instead: pending until signal(), and never recorded.)")
      .def("__init__", create_event, nb::kw_only(), "timing"_a = truth{true}, "blocking"_a = truth{},
           "interprocess"_a = truth{}, "strict"_a = truth{}, "host_signaled"_a = truth{}, "context"_a = nb::none(),
           "name"_a = nb::none())
      .def_static("from_native_handle", from_native_handle, "native"_a, nb::kw_only(), "context"_a = nb::none(),
                  "timing"_a = truth{true}, "blocking"_a = truth{},
                  "Returns an event for a CUevent, which the caller still owns.")
      .def_static(
          "from_gevt_handle", [](std::uintptr_t handle) { return new event(reinterpret_cast<gevt_event_t>(handle)); },
          "handle"_a, "Takes ownership of a gevt_event_t of a C or C++ extension that links libgevt.")
      .def_static(
          "ipc_import",
          [](nb::bytes bytes, const context *context) {
            return new event(ipc_import(std::move(bytes), context == nullptr ? nullptr : context->get()));
          },
          "handle"_a, "context"_a = nb::none(), "Opens an event of another process.")
      .def("ipc_export", ipc_export, "Returns the bytes with which other processes can open the event.")
      .def(
          "record",
          [](const event &self, any_stream stream, truth external, const std::optional<std::uintptr_t> &native) {
            record(self, stream_of(stream.value, native), external);
          },
          "stream"_a = nb::none(), nb::kw_only(), "external"_a = truth{}, "native"_a = nb::none(),
          R"(Records the event on a stream.

None is the default stream of the current context. ``native`` is the number of a CUstream of the current context.)")
      .def(
          "query", [](const event &self) { return self.ref().query(); },
          "Returns whether the last record is complete; True for an event that was never recorded.")
      .def(
          "wait",
          [](const event &self, any_stream stream, truth external, const std::optional<std::uintptr_t> &native) {
            const stream_use used = stream_of(stream.value, native);
            unlocked released;
            used.ref().wait(self.ref(), external ? gevt::wait_flags::external : gevt::wait_flags::none);
          },
          "stream"_a = nb::none(), nb::kw_only(), "external"_a = truth{}, "native"_a = nb::none(),
          R"(Makes all work that is submitted to a stream from now on wait for the last record.

The stream may be of any device and backend. None is the default stream of the current context. ``native`` is the number of a CUstream
of the current context. To block the calling thread, use sync().)")
      .def("signal", signal, "failure"_a = nb::none(),
           nb::sig("def signal(self, failure: BaseException | int | None = None) -> None"),
           R"(Completes a host-signaled event, from any thread.

With ``failure`` it fails: all waiters get gevt.Error with that Status, or with that of a gevt.Error; with UNKNOWN for other
exceptions.)")
      .def(
          "reset",
          [](const event &self) {
            unlocked released;
            self.ref().reset();
          },
          "Makes a host-signaled event pending again. Waits that were already issued keep the signal that they saw.")
      .def("sync", sync, "timeout"_a = nb::none(),
           "Blocks until the last record is complete; raises TimeoutError after ``timeout`` seconds.")
      .def("sync_helping", sync_helping, "timeout"_a = nb::none(),
           R"(Like sync(), and meanwhile runs functions of host streams and callbacks on this thread.

Hold no lock that such functions may need. Returns when the function that it runs has returned, which may be later than the
timeout.)")
      .def(
          "on_complete", [](const event &self, nb::callable function) { on_complete(self.ref(), std::move(function)); },
          "function"_a,
          nb::sig(
              "def on_complete(self, function: collections.abc.Callable[[gevt._errors.Error | None], object]) -> None"),
          "Calls ``function(error)`` on a thread of gevt when the last record completes (with None) or fails.")
      .def(
          "__await__", [](nb::handle self) { return nb::module_::import_("gevt._asyncio").attr("wait")(self); },
          nb::sig("def __await__(self) -> collections.abc.Generator[typing.Any, None, None]"))
      .def_prop_rw(
          "name", [](const event &self) { return std::string(self.info().name); },
          [](const event &self, const std::optional<std::string> &name) {
            self.ref().set_name(name ? name->c_str() : nullptr);
          },
          nb::for_setter(nb::arg("name").none()), "The name that messages and traces show.")
      .def_prop_ro("info", info, nb::for_getter(nb::sig("def info(self) -> gevt._info.EventInfo")),
                   "The state of the event, and how it was created.")
      .def("__repr__", describe, nb::sig("def __repr__(self) -> str"))
      .def_prop_ro(
          "gevt_handle", [](const event &self) { return reinterpret_cast<std::uintptr_t>(self.get()); },
          "The gevt_event_t, for a C or C++ extension that links libgevt.")
      .def_prop_ro(
          "native_handle",
          [](const event &self) {
            unlocked released;
            return reinterpret_cast<std::uintptr_t>(self.ref().native_handle());
          },
          "The CUevent. Others may record it, so later queries ask the driver.")
      .def_prop_ro("closed", &event::is_closed, "Whether close() was called.")
      .def("close", &event::close, "Destroys the event. Waits for it are not disturbed.")
      .def(
          "__enter__", [](nb::handle self) { return self; }, nb::sig("def __enter__(self) -> typing_extensions.Self"))
      .def(
          "__exit__", [](nb::handle self, nb::args) { self.attr("close")(); }, nb::sig(EXIT));
  module.def(
      "elapsed", [](const event &start, const event &end) { return static_cast<double>(elapsed_ns(start, end)) / 1e6; },
      "start"_a, "end"_a,
      "Returns the milliseconds from one event's record to another's; negative if ``end`` came first.");
  module.def("elapsed_ns", elapsed_ns, "start"_a, "end"_a,
             "Returns the nanoseconds from one event's record to another's; negative if ``end`` came first.");
  module.def("host_time", host_time, "event"_a, nb::sig("def host_time(event: Event) -> gevt._info.HostTime"),
             R"(Returns when the event completed on the clock of time.monotonic_ns().

It compares events of different devices and backends.)");
  module.def("wait_all", wait_all, "events"_a, "timeout"_a = nb::none(),
             "Blocks until all events are complete; raises TimeoutError after ``timeout`` seconds.");
  module.def(
      "wait_any", wait_any, "events"_a, "timeout"_a = nb::none(),
      R"(Blocks until one of the events is complete, and returns its position; raises TimeoutError after ``timeout`` seconds.

If an event has failed, its position is the exception's ``index``.)");
}

} // namespace gevt_py
