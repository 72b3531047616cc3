// gevt.Context.
#include "arguments.hpp"
#include "errors.hpp"
#include "module.hpp"

#include <nanobind/stl/string.h>

#include <atomic>
#include <string>

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
  return gevt::event(context).info().get();
}

// The context variable: (context, what it was before), or None outside of every with-block.
nb::handle current;
// Whether a with-block was ever entered.
std::atomic<bool> is_used{false};
// The context that is the thread's, if a with-block made it that.
thread_local gevt_context_t applied = nullptr;

nb::object innermost() {
  return current.attr("get")();
}

void apply(nb::handle entry) {
  const gevt_context_t handle = entry.is_none() ? nullptr : nb::cast<const context &>(entry[0]).get();
  if (handle == applied) return;
  gevt::context_ref(handle).set_current();
  applied = handle;
}

nb::object enter_block(nb::object self) {
  const gevt_context_t handle = nb::cast<const context &>(self).get();
  is_used.store(true);
  const nb::object before = innermost();
  gevt::context_ref(handle).set_current();
  applied = handle;
  current.attr("set")(nb::make_tuple(self, before));
  return self;
}

void leave_block(nb::handle self) {
  const nb::object entry = innermost();
  if (entry.is_none() || !entry[0].is(self)) {
    throw std::runtime_error("this is not the innermost with-block of a gevt.Context");
  }
  const nb::object before = entry[1];
  current.attr("set")(before);
  apply(before);
}

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

void sync(const context &self, timeout timeout) {
  const std::chrono::nanoseconds limit = timeout_of(timeout);
  unlocked released;
  if (limit == std::chrono::nanoseconds::max()) return self.ref().sync();
  expect_in_time(self.ref().sync_for(limit));
}

void calibrate(const context &self) {
  unlocked released;
  self.ref().calibrate();
}

nb::str describe(const context &self) {
  return nb::str("<gevt.Context {}:{}>").format(name_of(self.backend), self.device);
}

} // namespace

void apply_context() {
  if (is_used.load(std::memory_order_relaxed)) apply(innermost());
}

void add_contexts(nb::module_ &module) {
  // For the process's life: threads may use it while the interpreter ends.
  nb::object variable =
      nb::module_::import_("contextvars").attr("ContextVar")("gevt.Context", "default"_a = nb::none());
  current = variable.release();
  nb::class_<context>(module, "Context", nb::is_weak_referenceable(), R"(A device of a backend.

In a with-block it is the current context of the task or thread, and afterwards the one before it is again.)")
      .def("__init__", open, "backend"_a = "auto", "device"_a = 0)
      .def_static(
          "from_native_handle",
          [](std::uintptr_t native, const std::string &backend) {
            unlocked released;
            gevt::context wrapped = gevt::context::wrap(backend_of(backend), reinterpret_cast<void *>(native));
            const gevt_event_info_t info = ask(wrapped);
            return new context(wrapped.release(), gevt::backend{info.backend}, info.device);
          },
          "native"_a, "backend"_a = "cuda", "Returns a context for a CUcontext, which the caller still owns.")
      .def_static(
          "from_gevt_handle",
          [](std::uintptr_t handle) {
            unlocked released;
            const gevt_event_info_t info = ask(reinterpret_cast<gevt_context_t>(handle));
            return new context(reinterpret_cast<gevt_context_t>(handle), gevt::backend{info.backend}, info.device);
          },
          "handle"_a, "Takes ownership of a gevt_context_t of a C or C++ extension that links libgevt.")
      .def_prop_ro(
          "gevt_handle", [](const context &self) { return reinterpret_cast<std::uintptr_t>(self.get()); },
          "The gevt_context_t, for a C or C++ extension that links libgevt.")
      .def_prop_ro(
          "backend", [](const context &self) { return name_of(self.backend); },
          R"(The backend: "host", "cuda" or "vulkan".)")
      .def_prop_ro(
          "device", [](const context &self) { return self.device; }, "The number of the device.")
      .def_prop_ro("closed", &context::is_closed, "Whether close() was called.")
      .def("sync", sync, "timeout"_a = nb::none(),
           "Blocks until all streams of the context have finished; raises TimeoutError after ``timeout`` seconds.")
      .def("calibrate", calibrate, "Compares the device's clock with the host's now, for host_time().")
      .def("close", &context::close, "Closes the context. Its streams and events live on.")
      .def("__enter__", enter_block, nb::sig("def __enter__(self) -> Context"))
      .def(
          "__exit__", [](nb::handle self, nb::args) { leave_block(self); }, nb::sig(EXIT))
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
      "backend"_a = "auto", "Returns the number of devices of a backend; 0 if this machine cannot run it.");
}

} // namespace gevt_py
