#include "errors.hpp"

#include <string>

namespace gevt_py {

namespace nb = nanobind;

nb::object exception_of(gevt_status_t status, gevt_detail_t detail, const char *message) {
  return nb::module_::import_("gevt._errors").attr("exception_of")(status, detail, message);
}

void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr &thrown, void *) {
    try {
      std::rethrow_exception(thrown);
    } catch (const gevt::error &error) {
      // std::system_error adds the meaning of the status.
      std::string message = error.what();
      const std::string meaning = ": " + error.code().message();
      if (message.size() > meaning.size()) message.resize(message.size() - meaning.size());
      try {
        const nb::object exception = exception_of(error.code().value(), error.detail(), message.c_str());
        PyErr_SetObject(exception.type().ptr(), exception.ptr());
      } catch (nb::python_error &raised) {
        // Such as KeyboardInterrupt, for a signal that came while the call blocked.
        raised.restore();
      }
    }
  });
}

} // namespace gevt_py
