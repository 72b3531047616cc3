// The Python package in the place of gevt.h. Compiled with TEST_PYTHON, the interpreter starts Python and makes each call through
// gevt_as_python.py. Calls that Python cannot make are made in C.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "../c/objects.h"

#include <string>
#include <type_traits>

namespace api {

inline PyObject *python() {
  static PyObject *const started = [] {
    std::string path = __FILE__;
    path.replace(path.size() - 3, 3, "py");
    Py_InitializeEx(0);
    FILE *file = fopen(path.c_str(), "r");
    if (!file || PyRun_SimpleFileEx(file, path.c_str(), 1) != 0) {
      printf("FAILED: %s does not run\n", path.c_str());
      exit(1);
    }
    PyObject *module = PyImport_AddModule("__main__");
    PyEval_SaveThread();
    return module;
  }();
  return started;
}

template <class T>
PyObject *number(T value) {
  if constexpr (std::is_pointer_v<T>)
    return PyLong_FromVoidPtr((void *)value);
  else if constexpr (std::is_signed_v<T>)
    return PyLong_FromLongLong(value);
  else
    return PyLong_FromUnsignedLongLong(value);
}

template <const char *name, auto function, class... T>
gevt_status_t made(T... arguments) {
  PyObject *const module = python();
  const PyGILState_STATE state = PyGILState_Ensure();
  const std::string format = "sN" + std::string(sizeof...(T), 'N');
  PyObject *told =
      PyObject_CallMethod(module, "call", format.c_str(), name, number(subject_context), number(arguments)...);
  const bool is_made = told != Py_NotImplemented;
  gevt_status_t status = GEVT_ERROR_UNKNOWN;
  if (!told) {
    PyErr_Print();
    check_failed(__FILE__, __LINE__, name);
  } else if (is_made) {
    status = (gevt_status_t)PyLong_AsLong(told);
  }
  Py_XDECREF(told);
  PyGILState_Release(state);
  return is_made ? status : function(arguments...);
}

// Functions that tell no status are C's.
template <const char *name, auto function, class Result, class... T>
constexpr auto through(Result (*)(T...)) {
  if constexpr (std::is_same_v<Result, gevt_status_t>)
    return made<name, function, T...>;
  else
    return function;
}

#define FUNCTION(name, ...)                                                                                            \
  inline constexpr char name_of_##name[] = #name;                                                                      \
  inline constexpr auto name = through<name_of_##name, &gevt_##name>(&gevt_##name);
#include "../functions.def"
#undef FUNCTION

} // namespace api
