/* gevt answers as the driver does: each case of hostcuda/tests/truth/truth.cu that gevt's C API can express, in a separate process.
   hostcuda/tests/truth/compare.py runs the cases, and conformance/differences.tsv says where gevt differs on purpose.
   usage: test_conformance host|cuda|vulkan list|CASE */
#include "conformance/gevt_as_cuda.h"

#define TRUTH_OF_GEVT
#include "../../hostcuda/tests/truth/truth.cu"

/* Writes to an invalid address. */
static const char failing_kernel[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry boom()
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 16;
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

/* truth.cu has it for nvcc alone. */
CASE(sticky_error) {
  void *module = nullptr, *function = nullptr;
  init();
  driver_load_kernels();
  DRIVER_PREPARE(driver.module_load(&module, failing_kernel));
  DRIVER_PREPARE(driver.module_function(&function, module, "boom"));
  CUstream s = st();
  CUevent before = ev(), e = ev(), n = nullptr;
  CHECK_OK(cuEventRecord(before, s));
  CHECK_OK(cuEventSynchronize(before));
  S("q_before", cuEventQuery(before));
  DRIVER_PREPARE(driver.kernel_launch(function, 1, 1, 1, 1, 1, 1, 0, native_of(s), nullptr, nullptr));
  S("rec", cuEventRecord(e, s));
  S("y", cuEventSynchronize(e));
  S("q", cuEventQuery(e));
  S("q_completed_before", cuEventQuery(before));
  S("create", cuEventCreate(&n, 0));
  S("destroy", cuEventDestroy(e));
}

namespace {

/* Why a case is not asked of this backend. */
const char *why_skipped(const std::string &name) {
  if (!subject_is_cuda() && (begins(name, "capture_") || name == "context_destroyed" || name == "sticky_error"))
    return "only CUDA has it";
  if (!subject_is_vulkan()) return nullptr;
  if (begins(name, "ipc_")) return "Vulkan has no interprocess events";
  if (name == "drv_two_devices" || name == "wait_cross_context") return "a Vulkan queue waits for its own device";
  if (name == "record_legacy_and_ptds") return "no thread has a Vulkan stream of its own";
  return nullptr;
}

/* Says what is tested: the library, and on CUDA the driver; then the cases, by their names alone. */
int list() {
  subject_prove_library();
  subject_open();
  if (subject_is_cuda()) {
    driver_load();
    driver_prove();
  }
  for (const auto &each : cases) puts(each.first.c_str());
  return check_failures() ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  subject_choose_backend(argc, argv);
  if (argc != 3) return 2;
  if (strcmp(argv[2], "list") == 0) return list();
  for (const auto &each : cases) {
    if (each.first != argv[2]) continue;
    answered = each.first;
    printf("%s\t", argv[2]);
    fflush(stdout);
    if (const char *reason = why_skipped(answered)) return subject_skip("%s", reason);
    each.second();
    fflush(stdout);
    _exit(check_failures() ? 1 : 0);
  }
  return 2;
}
