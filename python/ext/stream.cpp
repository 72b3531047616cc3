// gevt.Stream.
#include "arguments.hpp"
#include "callback.hpp"
#include "errors.hpp"
#include "module.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

namespace gevt_py {

using namespace nb::literals;

namespace {

gevt_context_t handle_of(const context *context) {
  return context == nullptr ? nullptr : context->get();
}

void create(stream *self, const context *context, truth non_blocking, const std::optional<std::string> &name) {
  if (context == nullptr) apply_context();
  unlocked released;
  gevt::stream created(gevt::context_ref(handle_of(context)),
                       non_blocking ? gevt::stream_flags::non_blocking : gevt::stream_flags::none);
  if (name) created.set_name(name->c_str());
  new (self) stream(created.release());
}

void sync(const stream &self, timeout timeout) {
  const std::chrono::nanoseconds limit = timeout_of(timeout);
  unlocked released;
  if (limit == std::chrono::nanoseconds::max()) return self.ref().sync();
  expect_in_time(self.ref().sync_for(limit));
}

stream *from_native(any_stream source, const context *context) {
  const gevt_context_t within = handle_of(context);
  const bool is_number = PyLong_Check(source.value.ptr());
  return new stream((is_number ? wrap_number(nb::cast<std::uintptr_t>(source.value), within)
                               : wrap(source.value, lifetime::own, within))
                        .release());
}

} // namespace

void add_streams(nb::module_ &module) {
  nb::class_<stream>(module, "Stream", nb::is_weak_referenceable(), R"(A queue of work that runs in order.

A with-block destroys the stream at its end. Submitted work still runs.)")
      .def("__init__", create, "context"_a = nb::none(), nb::kw_only(), "non_blocking"_a = truth{},
           "name"_a = nb::none())
      .def_static("from_native", from_native, "stream"_a, "context"_a = nb::none(),
                  R"(Returns a stream for one of another library, which still owns it.

It is an object with ``__cuda_stream__`` or ``cuda_stream``, or the number of a CUstream.)")
      .def_static(
          "from_gevt_handle", [](std::uintptr_t handle) { return new stream(reinterpret_cast<gevt_stream_t>(handle)); },
          "handle"_a, "Takes ownership of a gevt_stream_t of a C or C++ extension that links libgevt.")
      .def(
          "query",
          [](const stream &self) {
            unlocked released;
            return self.ref().query();
          },
          "Returns whether the stream has finished.")
      .def("sync", sync, "timeout"_a = nb::none(),
           "Blocks until all submitted work has finished; raises TimeoutError after ``timeout`` seconds.")
      .def(
          "wait",
          [](const stream &self, const event &event, truth external) {
            unlocked released;
            self.ref().wait(event.ref(), external ? gevt::wait_flags::external : gevt::wait_flags::none);
          },
          "event"_a, nb::kw_only(), "external"_a = truth{},
          R"(Makes all work submitted from now on wait for the event's last record.

The event may be of any device and backend.)")
      .def(
          "launch", [](const stream &self, nb::callable function) { launch(self.ref(), std::move(function)); },
          "function"_a, nb::sig("def launch(self, function: collections.abc.Callable[[], object]) -> None"),
          R"(Calls a function in stream order, on a thread of gevt or of the driver.

Its exceptions go to sys.unraisablehook.)")
      .def(
          "launch_n",
          [](const stream &self, std::size_t n, nb::callable function) {
            launch_n(self.ref(), n, std::move(function));
          },
          "n"_a, "function"_a,
          nb::sig("def launch_n(self, n: int, function: collections.abc.Callable[[int, int], object]) -> None"),
          R"(Calls ``function(item, worker)`` for each item from 0 to ``n`` - 1 in stream order, several at once. Host streams only.

No two items run at once with the same ``worker``, which is below host_threads(). Items that hold the interpreter's lock take
turns; items that release it run in parallel. Exceptions go to sys.unraisablehook, and the other items still run.)")
      .def(
          "set_name",
          [](const stream &self, const std::optional<std::string> &name) {
            self.ref().set_name(name ? name->c_str() : nullptr);
          },
          "name"_a.none(), "Names the stream in traces and messages; None removes the name.")
      .def_prop_ro(
          "gevt_handle", [](const stream &self) { return reinterpret_cast<std::uintptr_t>(self.get()); },
          "The gevt_stream_t, for a C or C++ extension that links libgevt.")
      .def_prop_ro("closed", &stream::is_closed, "Whether close() was called.")
      .def("close", &stream::close, "Destroys the stream. Submitted work still runs.")
      .def(
          "__enter__", [](nb::handle self) { return self; }, nb::sig("def __enter__(self) -> typing_extensions.Self"))
      .def(
          "__exit__", [](stream &self, nb::args) { self.close(); }, nb::sig(EXIT));
}

} // namespace gevt_py
