// gevt._gevt: the part of the Python package that is C++, over gevt.hpp.
#include "module.hpp"

#include "errors.hpp"
#include "gil.hpp"

namespace nb = nanobind;

NB_MODULE(_gevt, module) {
  using namespace gevt_py;
  // A callback that has not run when the interpreter ends keeps its function and what that refers to.
  nb::set_leak_warnings(false);
  register_errors();
  add_contexts(module);
  add_streams(module);
  add_events(module);
  add_torch(module);
  add_core(module);
  module.def("close_gate", close_gate);
  module.def("version", gevt_version_string);
  module.def("live_events", gevt_live_events,
             "Returns how many events exist in this process, of all languages. For leak checks.");
  module.def("status_name", gevt_status_name);
  module.def("detail_name", gevt_detail_name);
  module.def(
      "host_threads",
      [] {
        std::uint32_t count = 0;
        if (const gevt_status_t status = gevt_host_get_threads(&count)) fail(status);
        return count;
      },
      "Returns how many functions of host streams run at once.");
  module.def(
      "set_host_threads",
      [](std::uint32_t count) {
        if (const gevt_status_t status = gevt_host_set_threads(count)) fail(status);
      },
      nb::arg("count"), "Sets how many functions of host streams run at once; 0 means as many as there are cores.");
  module.def(
      "trace_start",
      [](const char *path) {
        unlocked released;
        gevt::trace_start(path);
      },
      nb::arg("path"));
  module.def("trace_stop", [] {
    unlocked released;
    gevt::trace_stop();
  });
}
