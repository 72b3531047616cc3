// The part of gevt.core.Event, the shape of cuda.core.Event, that is called often; gevt/core.py has the rest.
#include "errors.hpp"
#include "event.hpp"
#include "module.hpp"

namespace gevt_py {

using namespace nb::literals;

namespace {

struct core_event : event {
  core_event(gevt_event_t handle, bool timing) noexcept : event(handle), timing(timing) {}

  const bool timing;
};

const core_event &open(const core_event &self) {
  if (self.is_closed()) throw std::runtime_error("Event has been closed");
  return self;
}

float subtract(const core_event &end, const core_event &start) {
  float ms = 0;
  const gevt_status_t status = gevt_elapsed(&ms, open(start).get(), open(end).get());
  if (status == GEVT_SUCCESS) return ms;
  if (status == GEVT_ERROR_NOT_READY) {
    throw std::runtime_error("One or both events have not completed; use Event.sync(), Stream.sync(), or Device.sync() "
                             "to wait for them before subtracting.");
  }
  if (status == GEVT_ERROR_INVALID_HANDLE) {
    if (!start.timing || !end.timing) {
      throw std::runtime_error("Both Events must be created with timing enabled in order to subtract them.");
    }
    if (gevt_last_detail() == GEVT_DETAIL_NOT_RECORDED) {
      throw std::runtime_error("Both Events must be recorded before they can be subtracted; use Stream.record().");
    }
  }
  fail(status);
}

} // namespace

void add_core(nb::module_ &module) {
  nb::class_<core_event, event>(module, "CoreEvent", "The base class of gevt.core.Event.")
      .def(
          "__init__",
          [](core_event *self, truth timing, truth blocking, truth interprocess, const context *context) {
            new (self) core_event(
                create(flags_of(timing, blocking, interprocess), context == nullptr ? nullptr : context->get()),
                timing);
          },
          "timing"_a, "blocking"_a, "interprocess"_a, "context"_a.none())
      .def(
          "__init__",
          [](core_event *self, nb::bytes handle) {
            new (self) core_event(ipc_import(std::move(handle), nullptr), false);
          },
          "ipc_handle"_a)
      .def_prop_ro(
          "is_done", [](const core_event &self) { return open(self).ref().query(); },
          "Whether the last record is complete.")
      .def_prop_ro("is_closed", &core_event::is_closed, "Whether close() was called.")
      .def("__sub__", subtract, nb::is_operator())
      .def(
          "sync",
          [](const core_event &self) {
            unlocked released;
            open(self).ref().sync();
          },
          "Blocks until the last record is complete.");
}

} // namespace gevt_py
