// gevt.Context.
#include "arguments.hpp"
#include "errors.hpp"
#include "module.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

namespace gevt_py {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

gevt::backend backend_of(const std::string &name) {
  if (name == "auto") return gevt::backend::automatic;
  if (name == "host") return gevt::backend::host;
  if (name == "cuda") return gevt::backend::cuda;
  if (name == "vulkan") return gevt::backend::vulkan;
  throw nb::value_error(("no backend is called '" + name + "': \"auto\", \"host\", \"cuda\" or \"vulkan\"").c_str());
}

const char *name_of(gevt::backend backend) {
  switch (backend) {
  case gevt::backend::host:
    return "host";
  case gevt::backend::cuda:
    return "cuda";
  case gevt::backend::vulkan:
    return "vulkan";
  default:
    return "auto";
  }
}

// The context with its backend and device, which gevt tells of an event that is bound to it.
gevt_event_info_t ask(gevt::context_ref context) {
  return gevt::event(context).info();
}

// Which context with-blocks made current on this thread, the innermost last; NULL for none.
thread_local std::vector<gevt_context_t> entered;

void open(context *self, const std::string &backend, int device) {
  gevt::context opened = gevt::context::none();
  gevt_event_info_t info;
  {
    unlocked released;
    opened = gevt::context(backend_of(backend), device);
    info = ask(opened);
  }
  new (self) context(opened.release(), gevt::backend{info.backend}, info.device);
}

void sync(const context &self, nb::handle timeout) {
  const std::chrono::nanoseconds limit = timeout_of(timeout);
  unlocked released;
  if (limit == std::chrono::nanoseconds::max()) return self.ref().sync();
  expect_in_time(self.ref().sync_for(limit));
}

nb::str describe(const context &self) {
  return nb::str("<gevt.Context {}:{}>").format(name_of(self.backend), self.device);
}

} // namespace

void add_contexts(nb::module_ &module) {
  nb::class_<context>(module, "Context", nb::is_weak_referenceable())
      .def("__init__", open, "backend"_a = "auto", "device"_a = 0)
      .def_static(
          "from_native_handle",
          [](std::uintptr_t native, const std::string &backend) {
            unlocked released;
            gevt::context adopted =
                gevt::context::from_native_handle(backend_of(backend), reinterpret_cast<void *>(native));
            const gevt_event_info_t info = ask(adopted);
            return new context(adopted.release(), gevt::backend{info.backend}, info.device);
          },
          "native"_a, "backend"_a = "cuda")
      .def_prop_ro("backend", [](const context &self) { return name_of(self.backend); })
      .def_prop_ro("device", [](const context &self) { return self.device; })
      .def_prop_ro("closed", &context::is_closed)
      .def("sync", sync, "timeout"_a = nb::none())
      .def("close", &context::close)
      .def("__enter__",
           [](nb::handle self) {
             const gevt_context_t handle = nb::cast<const context &>(self).get();
             gevt::context_ref(handle).set_current();
             entered.push_back(handle);
             return self;
           })
      .def("__exit__",
           [](nb::handle, nb::args) {
             if (entered.empty()) throw std::runtime_error("this thread is in no with-block of a gevt.Context");
             entered.pop_back();
             gevt::context_ref(entered.empty() ? nullptr : entered.back()).set_current();
           })
      .def("__repr__", describe);
  module.def(
      "device_count",
      [](const std::string &backend) {
        unlocked released;
        std::error_code ec;
        const int count = gevt::device_count(backend_of(backend), ec);
        if (ec && ec != gevt::errc::no_device) fail(ec.value());
        return count;
      },
      "backend"_a = "auto");
}

} // namespace gevt_py
