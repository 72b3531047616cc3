// What each file adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace gevt_py {

void add_contexts(nanobind::module_ &module);
void add_streams(nanobind::module_ &module);
void add_events(nanobind::module_ &module);
void add_torch(nanobind::module_ &module);
void add_core(nanobind::module_ &module);

// Gives a class the name under which Python programs import it.
template <class Class>
void call_it(Class &type, const char *module) {
  type.attr("__module__") = module;
  type.attr("__name__") = "Event";
  type.attr("__qualname__") = "Event";
}

} // namespace gevt_py
