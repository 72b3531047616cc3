#include "gpu_trace.hpp"

#include <memory>

namespace gevt_py {

namespace nb = nanobind;

namespace {

// A registry of callbacks, and the list in it.
struct registry {
  explicit registry(const nb::object &module, const char *name)
      : fire(module.attr(name).attr("fire_callbacks")), callbacks(module.attr(name).attr("callback_list")) {}

  bool is_used() const noexcept { return PyList_Size(callbacks.ptr()) > 0; }

  nb::object fire, callbacks;
};

struct registries {
  explicit registries(const nb::object &module)
      : creation(module, "EventCreationCallbacks"), deletion(module, "EventDeletionCallbacks"),
        record(module, "EventRecordCallbacks"), wait(module, "EventWaitCallbacks"),
        synchronization(module, "EventSynchronizationCallbacks") {}

  bool is_used() const noexcept {
    return creation.is_used() || deletion.is_used() || record.is_used() || wait.is_used() || synchronization.is_used();
  }

  registry creation, deletion, record, wait, synchronization;
};

// Those of the module, if the process has imported it. Kept for the process's life, as torch is.
const registries *find() {
  static std::atomic<const registries *> found{nullptr};
  if (const registries *known = found.load(std::memory_order_acquire)) return known;
  static PyObject *const name = PyUnicode_InternFromString("torch.cuda._gpu_trace");
  const nb::object module = nb::steal(PyImport_GetModule(name));
  if (!module.is_valid()) {
    if (PyErr_Occurred()) throw nb::python_error();
    return nullptr;
  }
  auto fresh = std::make_unique<const registries>(module);
  const registries *before = nullptr;
  return found.compare_exchange_strong(before, fresh.get()) ? fresh.release() : before;
}

} // namespace

bool is_tracing() {
  const registries *all = find();
  return all != nullptr && all->is_used();
}

void traced_event::recorded(std::uintptr_t event, std::uintptr_t stream, bool is_first) const {
  event_.store(event);
  if (is_first) find()->creation.fire(event);
  find()->record.fire(event, stream);
}

void traced_event::awaited(std::uintptr_t event, std::uintptr_t stream) const {
  event_.store(event);
  find()->wait.fire(event, stream);
}

void traced_event::synchronized(std::uintptr_t event) const {
  event_.store(event);
  find()->synchronization.fire(event);
}

void traced_event::ended() const noexcept {
  const std::uintptr_t event = event_.exchange(0);
  if (event == 0) return;
  // An object may be freed while an exception is raised.
  nb::error_scope scope;
  try {
    find()->deletion.fire(event);
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("gevt: a callback of torch.cuda._gpu_trace");
  }
}

} // namespace gevt_py
