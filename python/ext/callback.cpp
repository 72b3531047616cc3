#include "callback.hpp"

#include "errors.hpp"
#include "gil.hpp"

namespace gevt_py {

namespace nb = nanobind;

namespace {

// Runs call(function) with the interpreter's lock; `take` makes the object of the pointer, whose reference it keeps or gives
// back. What the function raises goes to sys.unraisablehook. When the interpreter ends, functions that have not begun are dropped.
template <class Take, class Call>
void run(void *user, Take take, Call call) noexcept {
  if (!enter()) return;
  {
    locked lock;
    const nb::object function = take(static_cast<PyObject *>(user));
    try {
      call(function);
    } catch (nb::python_error &error) {
      error.discard_as_unraisable(function);
    }
  }
  leave();
}

nb::object give_back(PyObject *function) {
  return nb::steal(function);
}
nb::object keep(PyObject *function) {
  return nb::borrow(function);
}

void completed(void *user, gevt_status_t status) {
  run(user, give_back, [status](nb::handle function) {
    function(status == GEVT_SUCCESS ? nb::none() : exception_of(status, GEVT_DETAIL_NONE, gevt_status_string(status)));
  });
}

void launched(void *user) {
  run(user, give_back, [](nb::handle function) { function(); });
}

void launched_item(void *user, std::size_t item, std::uint32_t worker) {
  run(user, keep, [item, worker](nb::handle function) { function(item, worker); });
}

void after_the_items(void *user) {
  run(user, give_back, [](nb::handle) {});
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

void launch_n(gevt::stream_ref stream, std::size_t n, nb::callable function) {
  hand_over(std::move(function), [stream, n](void *user) {
    stream.launch_n(n, launched_item, user);
    // If that fails, the items still have their function.
    std::error_code ignored;
    stream.launch(after_the_items, user, ignored);
  });
}

} // namespace gevt_py
