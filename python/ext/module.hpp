// The signature of every __exit__, for the stub.
#define EXIT                                                                                                           \
  "def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | "    \
  "None, /) -> None"

// What each file adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace gevt_py {

void add_contexts(nanobind::module_ &module);
void add_streams(nanobind::module_ &module);
void add_events(nanobind::module_ &module);
void add_torch(nanobind::module_ &module);
void add_core(nanobind::module_ &module);

} // namespace gevt_py
