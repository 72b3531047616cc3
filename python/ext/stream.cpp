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
  unlocked released;
  gevt::stream created(gevt::context_ref(handle_of(context)),
                       non_blocking ? gevt::stream_flags::non_blocking : gevt::stream_flags::none);
  if (name) created.set_name(name->c_str());
  new (self) stream(created.release());
}

void sync(const stream &self, nb::handle timeout) {
  const std::chrono::nanoseconds limit = timeout_of(timeout);
  unlocked released;
  if (limit == std::chrono::nanoseconds::max()) return self.ref().sync();
  expect_in_time(self.ref().sync_for(limit));
}

} // namespace

void add_streams(nb::module_ &module) {
  nb::class_<stream>(module, "Stream", nb::is_weak_referenceable())
      .def("__init__", create, "context"_a = nb::none(), nb::kw_only(), "non_blocking"_a = truth{},
           "name"_a = nb::none())
      .def_static(
          "from_native",
          [](nb::handle native, const context *context) {
            return new stream(adopt(native, lifetime::own, handle_of(context)).release());
          },
          "stream"_a, "context"_a = nb::none(),
          nb::sig("def from_native(stream: object, context: Context | None = None) -> Stream"))
      .def("query",
           [](const stream &self) {
             unlocked released;
             return self.ref().query();
           })
      .def("sync", sync, "timeout"_a = nb::none())
      .def(
          "wait",
          [](const stream &self, const event &event, truth external) {
            unlocked released;
            self.ref().wait(event.ref(), external ? gevt::wait_flags::external : gevt::wait_flags::none);
          },
          "event"_a, nb::kw_only(), "external"_a = truth{})
      .def(
          "launch", [](const stream &self, nb::callable function) { launch(self.ref(), std::move(function)); },
          "function"_a)
      .def(
          "launch_n",
          [](const stream &self, std::size_t n, nb::callable function) {
            launch_n(self.ref(), n, std::move(function));
          },
          "n"_a, "function"_a)
      .def(
          "set_name",
          [](const stream &self, const std::optional<std::string> &name) {
            self.ref().set_name(name ? name->c_str() : nullptr);
          },
          "name"_a.none())
      .def_prop_ro("gevt_handle", [](const stream &self) { return reinterpret_cast<std::uintptr_t>(self.get()); })
      .def_prop_ro("closed", &stream::is_closed)
      .def("close", &stream::close)
      .def("__enter__", [](nb::handle self) { return self; })
      .def("__exit__", [](stream &self, nb::args) { self.close(); });
}

} // namespace gevt_py
