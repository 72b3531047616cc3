// The Python package in the place of gevt.h: compiled with TEST_PYTHON, the interpreter makes each call through the package, in a Python that it
// starts. What Python cannot say, such as a NULL output or a handle without an object, is said in C.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "../c/objects.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>

namespace api {

struct locked {
  const PyGILState_STATE state = PyGILState_Ensure();
  ~locked() { PyGILState_Release(state); }
};

struct reference_end {
  void operator()(PyObject *reference) const { Py_DECREF(reference); }
};
using reference = std::unique_ptr<PyObject, reference_end>;

inline PyObject *package() {
  static PyObject *const imported = [] {
    Py_InitializeEx(0);
    PyObject *found = PyImport_ImportModule("gevt");
    if (!found) {
      PyErr_Print();
      exit(1);
    }
    PyEval_SaveThread();
    return found;
  }();
  return imported;
}

template <class... T>
reference call(PyObject *self, const char *method, const char *format = nullptr, T... arguments) {
  return reference(PyObject_CallMethod(self, method, format, arguments...));
}

inline long long number(const reference &value) {
  return value ? (long long)PyLong_AsUnsignedLongLongMask(value.get()) : -1;
}
inline reference attribute(PyObject *self, const char *name) {
  return reference(PyObject_GetAttrString(self, name));
}

// Of the exception that the last call has raised, which stays raised.
inline reference attribute_of_error(const char *name) {
  PyObject *raised = PyErr_GetRaisedException();
  reference value = attribute(raised, name);
  PyErr_SetRaisedException(raised);
  return value;
}

// The status of a call, which has made nothing after an exception. That says what the last failure says.
inline gevt_status_t status(const reference &made) {
  if (made) return GEVT_SUCCESS;
  reference raised(PyErr_GetRaisedException()), error(attribute(package(), "Error"));
  if (PyObject_IsInstance(raised.get(), error.get()) != 1) {
    PyErr_DisplayException(raised.get());
    check_failed(__FILE__, __LINE__, "an exception that is not gevt's");
    return GEVT_ERROR_UNKNOWN;
  }
  CHECK_EQUAL(number(attribute(raised.get(), "detail")), gevt_last_detail());
  reference message(PyObject_Str(raised.get()));
  CHECK(strcmp(PyUnicode_AsUTF8(message.get()), gevt_last_message()) == 0);
  return (gevt_status_t)number(attribute(raised.get(), "status"));
}

// Of a call that returns a number, which only a success writes.
inline gevt_status_t status_of_number(uint32_t *out, const reference &made) {
  if (made) *out = (uint32_t)number(made);
  return status(made);
}
inline gevt_status_t status_of_number(void **out, const reference &made) {
  if (made) *out = reinterpret_cast<void *>(number(made));
  return status(made);
}

// Of a call that returns False instead of the status `no`.
inline gevt_status_t status_or(const reference &made, gevt_status_t no) {
  return made && made.get() != Py_True ? no : status(made);
}

// The objects of all handles of a kind, also of closed ones. The interpreter's lock guards them.
template <class T>
std::unordered_map<T *, PyObject *> &objects_of_python() {
  static auto &all = *new std::unordered_map<T *, PyObject *>;
  return all;
}

inline const char *backend_name(gevt_backend_t backend) {
  static const char *const names[] = {"auto", "host", "cuda", "vulkan"};
  return (unsigned)backend < 4 ? names[backend] : nullptr;
}

// A function or class of the package, with named arguments.
inline reference call_named(const char *of, const char *method, reference arguments, reference named) {
  reference owner(of ? PyObject_GetAttrString(package(), of) : Py_NewRef(package()));
  reference function(PyObject_GetAttrString(owner.get(), method));
  return reference(PyObject_Call(function.get(), arguments.get(), named.get()));
}

// The object of a handle, or NULL.
template <class T>
PyObject *of(T *handle) {
  auto found = objects_of_python<T>().find(handle);
  return found == objects_of_python<T>().end() ? nullptr : found->second;
}
// That of the context that was opened in C is made here.
inline PyObject *of(gevt_context_t handle) {
  PyObject *&one = objects_of_python<std::remove_pointer_t<gevt_context_t>>()[handle];
  if (!one && handle && handle == subject_context)
    one = call_named("Context", "from_gevt_handle", reference(Py_BuildValue("(K)", (uintptr_t)handle)),
                     reference(PyDict_New()))
              .release();
  return one;
}

// As the handle's object makes the call, or as C does.
template <class T, class Python, class C>
gevt_status_t either(T *handle, Python python, C c) {
  package();
  {
    locked lock;
    if (PyObject *self = of(handle)) return python(self);
  }
  return c();
}

// Notes a new object, and gives its handle.
template <class T>
gevt_status_t give(T **out, reference made) {
  if (made) {
    *out = reinterpret_cast<T *>(number(attribute(made.get(), "gevt_handle")));
    objects_of_python<T>()[*out] = made.release();
    return GEVT_SUCCESS;
  }
  return status(made);
}

inline PyObject *seconds(uint64_t ns) {
  return ns == GEVT_TIMEOUT_INFINITE ? Py_NewRef(Py_None) : PyFloat_FromDouble((double)ns / 1e9);
}

// A function of C's with its pointer, as a function of Python's.
template <class Function>
struct callable {
  Function *function;
  void *user;

  static PyObject *make(Function *function, void *user, PyMethodDef *definition) {
    reference self(PyCapsule_New(new callable{function, user}, nullptr, [](PyObject *capsule) {
      delete static_cast<callable *>(PyCapsule_GetPointer(capsule, nullptr));
    }));
    return PyCFunction_New(definition, self.get());
  }
  template <class... T>
  static PyObject *run(PyObject *self, T... arguments) {
    const callable one = *static_cast<callable *>(PyCapsule_GetPointer(self, nullptr));
    Py_BEGIN_ALLOW_THREADS;
    one.function(one.user, arguments...);
    Py_END_ALLOW_THREADS;
    return Py_NewRef(Py_None);
  }
};
using completed = callable<std::remove_pointer_t<gevt_complete_fn_t>>;
using launched = callable<std::remove_pointer_t<gevt_host_fn_t>>;
using launched_item = callable<std::remove_pointer_t<gevt_item_fn_t>>;
static PyMethodDef completed_definition = {
    "completed",
    [](PyObject *self, PyObject *error) {
      return completed::run(self, error == Py_None ? GEVT_SUCCESS : (gevt_status_t)number(attribute(error, "status")));
    },
    METH_O, nullptr};
static PyMethodDef launched_definition = {"launched", [](PyObject *self, PyObject *) { return launched::run(self); },
                                          METH_NOARGS, nullptr};
static PyMethodDef item_definition = {"launched_item",
                                      [](PyObject *self, PyObject *arguments) -> PyObject * {
                                        Py_ssize_t item;
                                        unsigned worker;
                                        if (!PyArg_ParseTuple(arguments, "nI", &item, &worker)) return nullptr;
                                        return launched_item::run(self, (size_t)item, (uint32_t)worker);
                                      },
                                      METH_VARARGS, nullptr};

// The call of an object, or the one in C where `handle` is NULL or has none.
#define METHOD(handle, name, parameters, arguments, ...)                                                               \
  inline gevt_status_t name parameters {                                                                               \
    return either(                                                                                                     \
        handle, [&](PyObject *self) { return __VA_ARGS__; }, [&] { return gevt_##name arguments; });                   \
  }
// A function of the package, or the one in C where the condition does not hold.
#define FUNCTION_IF(condition, name, parameters, arguments, ...)                                                       \
  inline gevt_status_t name parameters {                                                                               \
    package();                                                                                                         \
    if (!(condition)) return gevt_##name arguments;                                                                    \
    locked lock;                                                                                                       \
    return __VA_ARGS__;                                                                                                \
  }

METHOD(e, query, (gevt_event_t e), (e), status_or(call(self, "query"), GEVT_ERROR_NOT_READY))
METHOD(e, sync, (gevt_event_t e), (e), status(call(self, "sync")))
METHOD(e, sync_timeout, (gevt_event_t e, uint64_t ns), (e, ns), status(call(self, "sync", "N", seconds(ns))))
METHOD(e, sync_helping, (gevt_event_t e, uint64_t ns), (e, ns), status(call(self, "sync_helping", "N", seconds(ns))))
METHOD(e, reset, (gevt_event_t e), (e), status(call(self, "reset")))
METHOD(e, signal, (gevt_event_t e, gevt_status_t failure), (e, failure),
       status(failure ? call(self, "signal", "i", failure) : call(self, "signal")))
METHOD(function ? e : nullptr, on_complete, (gevt_event_t e, gevt_complete_fn_t function, void *user),
       (e, function, user),
       status(call(self, "on_complete", "N", completed::make(function, user, &completed_definition))))
METHOD(out ? e : nullptr, native, (void **out, gevt_event_t e), (out, e),
       status_of_number(out, attribute(self, "native_handle")))

// Records or waits; without a stream, on the default stream.
inline gevt_status_t with_stream(PyObject *self, const char *method, gevt_stream_t s, bool external) {
  reference bound(attribute(self, method)), arguments(s ? Py_BuildValue("(O)", of(s)) : PyTuple_New(0)),
      named(Py_BuildValue("{s:O}", "external", external ? Py_True : Py_False));
  return status(reference(PyObject_Call(bound.get(), arguments.get(), named.get())));
}
// Whether the stream is NULL or has an object.
inline bool is_known(gevt_stream_t s) {
  package();
  locked lock;
  return !s || of(s);
}
METHOD(is_known(s) ? e : nullptr, record, (gevt_event_t e, gevt_stream_t s), (e, s),
       with_stream(self, "record", s, false))
METHOD(is_known(s) && flags == GEVT_RECORD_EXTERNAL ? e : nullptr, record_with_flags,
       (gevt_event_t e, gevt_stream_t s, uint32_t flags), (e, s, flags), with_stream(self, "record", s, true))
METHOD(is_known(s) && flags <= GEVT_WAIT_EXTERNAL ? e : nullptr, stream_wait,
       (gevt_stream_t s, gevt_event_t e, uint32_t flags), (s, e, flags), with_stream(self, "wait", s, flags != 0))

inline gevt_status_t set_name(gevt_event_t e, const char *name) {
  return either(
      e,
      [&](PyObject *self) {
        reference text(name ? PyUnicode_FromString(name) : Py_NewRef(Py_None));
        PyErr_Clear();
        // Text of Python's is always valid.
        if (!text) return gevt_set_name(e, name);
        PyObject_SetAttrString(self, "name", text.get());
        return PyErr_Occurred() ? status(nullptr) : GEVT_SUCCESS;
      },
      [&] { return gevt_set_name(e, name); });
}

inline gevt_status_t get_info(gevt_event_info_t *out, gevt_event_t e) {
  return either(
      out && out->size == sizeof *out ? e : nullptr,
      [&](PyObject *self) {
        reference info = attribute(self, "info");
        if (!info) return status(info);
        const auto of_info = [&](const char *name) { return attribute(info.get(), name); };
        const auto text = [&](const char *name) { return std::string(PyUnicode_AsUTF8(of_info(name).get())); };
        const char *const states[] = {"unrecorded", "pending", "complete", "captured", "failed"};
        CHECK_OK(gevt_get_info(out, e));
        out->state = (gevt_event_state_t)(std::find(states, states + 5, text("state")) - states);
        CHECK(text("backend") == (out->backend ? backend_name(out->backend) : ""));
        out->device = (int32_t)number(of_info("device"));
        out->flags = (gevt_event_flags_t)number(of_info("flags"));
        out->imported = of_info("imported").get() == Py_True;
        out->record_count = (uint64_t)number(of_info("record_count"));
        snprintf(out->name, sizeof out->name, "%s", text("name").c_str());
        return GEVT_SUCCESS;
      },
      [&] { return gevt_get_info(out, e); });
}

// Several events as a list, or NULL where one has no object.
inline reference list_of(const gevt_event_t *events, size_t count) {
  reference list(PyList_New(0));
  for (size_t i = 0; list && i < (events && count < 100000 ? count : 1); i++) {
    PyObject *one = events && count < 100000 ? of(events[i]) : nullptr;
    if (!one) return nullptr;
    PyList_Append(list.get(), one);
  }
  return list;
}
inline gevt_status_t sync_all(const gevt_event_t *events, size_t count, uint64_t ns) {
  package();
  {
    locked lock;
    if (reference list = list_of(events, count))
      return status(call(package(), "wait_all", "ON", list.get(), seconds(ns)));
  }
  return gevt_sync_all(events, count, ns);
}
inline gevt_status_t sync_any(size_t *out, const gevt_event_t *events, size_t count, uint64_t ns) {
  package();
  {
    locked lock;
    reference list = out ? list_of(events, count) : nullptr;
    if (list) {
      reference made = call(package(), "wait_any", "ON", list.get(), seconds(ns));
      const reference index = made ? nullptr : attribute_of_error("index");
      if (made) *out = (size_t)number(made);
      if (index && index.get() != Py_None) *out = (size_t)number(index);
      return status(made);
    }
  }
  return gevt_sync_any(out, events, count, ns);
}

// A function of two events that gives a time.
template <class Time>
gevt_status_t between(Time *out, const char *function, gevt_event_t start, gevt_event_t end) {
  reference made = call(package(), function, "OO", of(start), of(end));
  if (made) *out = (Time)PyFloat_AsDouble(made.get());
  return status(made);
}
inline bool are_known(gevt_event_t start, gevt_event_t end) {
  package();
  locked lock;
  return of(start) && of(end);
}
FUNCTION_IF(out &&are_known(start, end), elapsed, (float *out, gevt_event_t start, gevt_event_t end), (out, start, end),
            between(out, "elapsed", start, end))
FUNCTION_IF(out &&are_known(start, end), elapsed_ns, (int64_t * out, gevt_event_t start, gevt_event_t end),
            (out, start, end), between(out, "elapsed_ns", start, end))
inline gevt_status_t host_time(int64_t *out, uint64_t *error, gevt_event_t e) {
  return either(
      out && error ? e : nullptr,
      [&](PyObject *self) {
        reference time = call(package(), "host_time", "O", self);
        if (time) *out = number(attribute(time.get(), "ns"));
        if (time) *error = (uint64_t)number(attribute(time.get(), "error_ns"));
        return status(time);
      },
      [&] { return gevt_host_time(out, error, e); });
}

inline PyObject *truth(uint32_t bits) {
  return bits ? Py_True : Py_False;
}
inline gevt_status_t make_event(gevt_event_t *out, PyObject *context, uint32_t flags) {
  reference named(Py_BuildValue("{s:O,s:O,s:O,s:O,s:O,s:O}", "timing", truth(~flags & GEVT_EVENT_DISABLE_TIMING),
                                "blocking", truth(flags & GEVT_EVENT_BLOCKING_SYNC), "interprocess",
                                truth(flags & GEVT_EVENT_INTERPROCESS), "strict", truth(flags & GEVT_EVENT_STRICT),
                                "host_signaled", truth(flags & GEVT_EVENT_HOST_SIGNALED), "context", context));
  return give(out, call_named(nullptr, "Event", reference(PyTuple_New(0)), std::move(named)));
}
constexpr uint32_t event_flags = GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_BLOCKING_SYNC | GEVT_EVENT_INTERPROCESS |
                                 GEVT_EVENT_STRICT | GEVT_EVENT_HOST_SIGNALED;
FUNCTION_IF(out && !(flags & ~event_flags), create, (gevt_event_t * out, uint32_t flags), (out, flags),
            make_event(out, Py_None, flags))
METHOD(out && !(flags & ~event_flags) ? c : nullptr, create_in, (gevt_event_t * out, gevt_context_t c, uint32_t flags),
       (out, c, flags), make_event(out, self, flags))
METHOD(out && !(flags & ~(GEVT_EVENT_DISABLE_TIMING | GEVT_EVENT_BLOCKING_SYNC)) ? c : nullptr, wrap,
       (gevt_event_t * out, gevt_context_t c, void *native, uint32_t flags), (out, c, native, flags),
       give(out, call_named("Event", "from_native_handle", reference(Py_BuildValue("(n)", (Py_ssize_t)native)),
                            reference(Py_BuildValue("{s:O,s:O,s:O}", "context", self, "timing",
                                                    truth(~flags &GEVT_EVENT_DISABLE_TIMING), "blocking",
                                                    truth(flags &GEVT_EVENT_BLOCKING_SYNC))))))
// A second end is C's to refuse.
inline bool close(PyObject *self) {
  return attribute(self, "closed").get() == Py_False && call(self, "close");
}
METHOD(e, destroy, (gevt_event_t e), (e), close(self) ? GEVT_SUCCESS : gevt_destroy(e))

METHOD(s, stream_query, (gevt_stream_t s), (s), status_or(call(self, "query"), GEVT_ERROR_NOT_READY))
METHOD(s, stream_sync, (gevt_stream_t s), (s), status(call(self, "sync")))
METHOD(s, stream_sync_timeout, (gevt_stream_t s, uint64_t ns), (s, ns), status(call(self, "sync", "N", seconds(ns))))
METHOD(function ? s : nullptr, stream_launch, (gevt_stream_t s, gevt_host_fn_t function, void *user),
       (s, function, user), status(call(self, "launch", "N", launched::make(function, user, &launched_definition))))
METHOD(function ? s : nullptr, stream_launch_n, (gevt_stream_t s, size_t n, gevt_item_fn_t function, void *user),
       (s, n, function, user),
       status(call(self, "launch_n", "nN", (Py_ssize_t)n, launched_item::make(function, user, &item_definition))))
METHOD(s, stream_destroy, (gevt_stream_t s), (s), close(self) ? GEVT_SUCCESS : gevt_stream_destroy(s))
inline PyObject *context_or_none(gevt_context_t c) {
  return c ? of(c) : Py_None;
}
inline bool is_known(gevt_context_t c) {
  package();
  locked lock;
  return !c || of(c);
}
FUNCTION_IF(out &&is_known(c) && flags <= GEVT_STREAM_NON_BLOCKING, stream_create,
            (gevt_stream_t * out, gevt_context_t c, uint32_t flags), (out, c, flags),
            give(out, call_named(nullptr, "Stream", reference(Py_BuildValue("(O)", context_or_none(c))),
                                 reference(Py_BuildValue("{s:O}", "non_blocking", truth(flags))))))
FUNCTION_IF(out &&is_known(c), stream_wrap, (gevt_stream_t * out, gevt_context_t c, void *native), (out, c, native),
            give(out, call_named("Stream", "from_native",
                                 reference(Py_BuildValue("(nO)", (Py_ssize_t)native, context_or_none(c))),
                                 reference(PyDict_New()))))

FUNCTION_IF(out &&backend_name(backend), context_open, (gevt_context_t * out, gevt_backend_t backend, int32_t device),
            (out, backend, device), give(out, call(package(), "Context", "si", backend_name(backend), device)))
METHOD(c, context_sync, (gevt_context_t c), (c), status(call(self, "sync")))
METHOD(c, context_sync_timeout, (gevt_context_t c, uint64_t ns), (c, ns), status(call(self, "sync", "N", seconds(ns))))
METHOD(c, context_calibrate, (gevt_context_t c), (c), status(call(self, "calibrate")))
METHOD(c, context_close, (gevt_context_t c), (c), close(self) ? GEVT_SUCCESS : gevt_context_close(c))
// 0 is what C refuses.
inline gevt_status_t device_count(int32_t *out, gevt_backend_t backend) {
  const char *name = backend_name(backend);
  package();
  if (out && name) {
    locked lock;
    reference made = call(package(), "device_count", "s", name);
    if (!made) return status(made);
    if (number(made) > 0) return *out = (int32_t)number(made), GEVT_SUCCESS;
  }
  return gevt_device_count(out, backend);
}
FUNCTION_IF(out, host_get_threads, (uint32_t * out), (out), status_of_number(out, call(package(), "host_threads")))
FUNCTION_IF(true, host_set_threads, (uint32_t threads), (threads),
            status(call(package(), "set_host_threads", "I", threads)))
#undef METHOD
#undef FUNCTION_IF

} // namespace api
