// Arguments as Python passes them.
#pragma once

#include "handles.hpp"

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>

namespace gevt_py {

namespace nb = nanobind;

// True, False, or an integer in place of one, as PyTorch takes them; neither None nor a string.
struct truth {
  bool value = false;
  operator bool() const noexcept { return value; }
};

// Seconds, a datetime.timedelta, or None for ever.
struct timeout {
  nb::handle value;
};
std::chrono::nanoseconds timeout_of(timeout timeout);

// A stream of any library; None where the argument may be left out.
struct any_stream {
  nb::handle value;
};

// Makes the context of the innermost with-block the thread's current one. It is a context variable of Python, so each task on a
// thread has its own. Call this before work that depends on the current context.
void apply_context();

// The stream of an argument, for one call: a gevt.Stream, None for the default stream of the current context, or a stream of another
// library. Those are wrapped: torch's for good, as it never destroys its streams, others for as long as this lives.
class stream_use {
public:
  explicit stream_use(gevt_stream_t handle, bool wrapped = false) noexcept : handle_(handle), wrapped_(wrapped) {}
  stream_use(stream_use &&other) noexcept : handle_(other.handle_), wrapped_(other.wrapped_) { other.wrapped_ = false; }
  ~stream_use() {
    if (wrapped_) static_cast<void>(gevt_stream_destroy(handle_));
  }
  gevt::stream_ref ref() const noexcept { return handle_; }
  gevt_stream_t get() const noexcept { return handle_; }
  // Hands out a handle that the caller then owns.
  gevt_stream_t release() noexcept {
    wrapped_ = false;
    return handle_;
  }

private:
  gevt_stream_t handle_;
  bool wrapped_;
};

stream_use stream_of(nb::handle stream);

// As above, or the CUstream of the number `native`.
stream_use stream_of(nb::handle stream, std::optional<std::uintptr_t> native);

// A stream of another library; in the given context where there is one. A handle that may be kept is the same one each time where
// the stream's library never destroys it.
enum class lifetime { may_be_kept, own };
stream_use wrap(nb::handle stream, lifetime kind, gevt_context_t context = nullptr);

// The CUstream of that number. Without a context, it is of the current one.
stream_use wrap_number(std::uintptr_t native, gevt_context_t context);

// What torch calls the current stream, where torch runs CUDA in this process; else the default stream.
stream_use current_stream();
// Its CUstream; 0 where torch does not run CUDA.
std::uintptr_t current_native_stream();

// The default stream of a device of a backend, wrapped for good.
gevt_stream_t default_stream_of(gevt::backend backend, int device);

} // namespace gevt_py

namespace nanobind::detail {

// Any object: a function says later what is wrong with it. The names are for the stub.
template <>
struct type_caster<gevt_py::timeout> {
  NB_TYPE_CASTER(gevt_py::timeout, const_name("typing.SupportsFloat | datetime.timedelta"))
  bool from_python(handle source, uint8_t, cleanup_list *) noexcept {
    value.value = source;
    return true;
  }
  static handle from_cpp(gevt_py::timeout source, rv_policy, cleanup_list *) noexcept { return source.value.inc_ref(); }
};

template <>
struct type_caster<gevt_py::any_stream> {
  NB_TYPE_CASTER(gevt_py::any_stream, const_name("typing.Any"))
  bool from_python(handle source, uint8_t, cleanup_list *) noexcept {
    value.value = source;
    return true;
  }
  static handle from_cpp(gevt_py::any_stream source, rv_policy, cleanup_list *) noexcept {
    return source.value.inc_ref();
  }
};

template <>
struct type_caster<gevt_py::truth> {
  NB_TYPE_CASTER(gevt_py::truth, const_name("bool"))
  bool from_python(handle source, uint8_t, cleanup_list *) noexcept {
    PyObject *const given = source.ptr();
    if (given != Py_True && given != Py_False && !PyIndex_Check(given)) return false;
    const int is_true = given == Py_True ? 1 : given == Py_False ? 0 : PyObject_IsTrue(given);
    if (is_true < 0) PyErr_Clear();
    value.value = is_true > 0;
    return is_true >= 0;
  }
  static handle from_cpp(gevt_py::truth source, rv_policy, cleanup_list *) noexcept {
    return handle(source.value ? Py_True : Py_False).inc_ref();
  }
};

} // namespace nanobind::detail
