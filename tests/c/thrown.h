/* For the tests of gevt.hpp: failures as exceptions and as codes. C++ only. */
#ifndef GEVT_TESTS_THROWN_H
#define GEVT_TESTS_THROWN_H

#include "subject.h"

#include <gevt.hpp>

#include <system_error>

// Runs a call that must throw, and gives what it threw.
template <class Call>
gevt::error thrown_by(Call call) {
  try {
    call();
  } catch (const gevt::error &error) {
    return error;
  }
  CHECK(!"the call threw nothing");
  return {gevt::errc::success, GEVT_DETAIL_NONE, ""};
}

// Sets the code to a failure, to catch a call that does not clear it.
inline std::error_code spoiled() {
  return gevt::errc::unknown;
}

#endif
