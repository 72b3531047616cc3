#include "callback.hpp"

#include "errors.hpp"
#include "gil.hpp"

namespace gevt_py {

namespace nb = nanobind;

namespace {

// Runs call(function) with the interpreter's lock, and gives the function back. What it raises goes to sys.unraisablehook.
// When the interpreter ends, functions that have not begun are dropped.
template <class Call>
void run(void *user, Call call) noexcept {
  if (!enter()) return;
  {
    locked lock;
    nb::object function = nb::steal(static_cast<PyObject *>(user));
    try {
      call(function);
    } catch (nb::python_error &error) {
      error.discard_as_unraisable(function);
    }
  }
  leave();
}

void completed(void *user, gevt_status_t status) {
  run(user, [status](nb::handle function) {
    function(status == GEVT_SUCCESS ? nb::none() : exception_of(status, GEVT_DETAIL_NONE, gevt_status_string(status)));
  });
}

void launched(void *user) {
  run(user, [](nb::handle function) { function(); });
}

// Hands a reference to what `give` gives it to, or takes it back where that fails.
template <class Give>
void hand_over(nb::callable function, Give give) {
  PyObject *user = function.release().ptr();
  try {
    unlocked released;
    give(user);
  } catch (...) {
    Py_DECREF(user);
    throw;
  }
}

} // namespace

void on_complete(gevt::event_ref event, nb::callable function) {
  hand_over(std::move(function), [event](void *user) { event.on_complete(completed, user); });
}

void launch(gevt::stream_ref stream, nb::callable function) {
  hand_over(std::move(function), [stream](void *user) { stream.launch(launched, user); });
}

} // namespace gevt_py
