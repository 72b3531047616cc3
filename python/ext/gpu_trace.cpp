#include "gpu_trace.hpp"

namespace gevt_py {

namespace nb = nanobind;

namespace {

// The module, if the process has imported it. Kept for the process's life, as torch is.
PyObject *find_module() {
  static std::atomic<PyObject *> found{nullptr};
  if (PyObject *module = found.load(std::memory_order_acquire)) return module;
  static PyObject *const name = PyUnicode_InternFromString("torch.utils._gpu_trace");
  PyObject *const module = PyDict_GetItemWithError(PyImport_GetModuleDict(), name);
  if (module == nullptr) {
    if (PyErr_Occurred()) throw nb::python_error();
    return nullptr;
  }
  PyObject *before = nullptr;
  if (found.compare_exchange_strong(before, module)) Py_INCREF(module);
  return module;
}

template <class... Arguments>
void fire(const char *registry, Arguments... arguments) {
  PyObject *const module = find_module();
  if (module == nullptr) return;
  const nb::object callbacks = nb::getattr(module, registry);
  if (PyObject_IsTrue(nb::object(callbacks.attr("callback_list")).ptr()) > 0)
    callbacks.attr("fire_callbacks")(arguments...);
}

} // namespace

bool may_be_traced() {
  return find_module() != nullptr;
}

void traced_event::created(std::uintptr_t event) const {
  if (event_.exchange(event) == 0) fire("EventCreationCallbacks", event);
}

void traced_event::recorded(std::uintptr_t event, std::uintptr_t stream) const {
  created(event);
  fire("EventRecordCallbacks", event, stream);
}

void traced_event::awaited(std::uintptr_t event, std::uintptr_t stream) const {
  fire("EventWaitCallbacks", event, stream);
}

void traced_event::synchronized(std::uintptr_t event) const {
  fire("EventSynchronizationCallbacks", event);
}

void traced_event::ended() const noexcept {
  const std::uintptr_t event = event_.exchange(0);
  if (event == 0) return;
  // An object may be freed while an exception is raised.
  nb::error_scope scope;
  try {
    fire("EventDeletionCallbacks", event);
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("gevt: a callback of torch.utils._gpu_trace");
  }
}

} // namespace gevt_py
