/* gevt answers as the driver does: each case of hostcuda/tests/truth/truth.cu that gevt's C API can express, in a separate process.
   usage: test_conformance [host|cuda|vulkan] [CASE...]     without a case: all of them */
#include "conformance/gevt_as_cuda.h"
#include "conformance/process.h"

#include <fstream>

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

/* Where gevt differs from the driver on purpose: its exact answers there, and why. */
struct Difference {
  const char *answers, *reason;
};
const char *const survives =
    "That the event was captured is answered without asking the driver, so that the capture survives.";
const std::map<std::string, Difference> differences = {
    {"create_no_context", {"r=0", "gevt_create makes an unbound event, which needs no context."}},
    {"create_no_init", {"r=0", "gevt starts itself, and an unbound event needs no driver."}},
    {"elapsed_null_out", {"r=1", "A NULL output is INVALID_VALUE in every function."}},
    {"query_zero_ptr", {"q=400", "A handle is never followed: what a foreign pointer points to makes no difference."}},
    {"capture_record", {"begin=0 rec=0 q=907 y=907 el=907 end=0 q_after=907 el_after=907 rerec=0 y2=0", survives}},
    {"capture_sync_invalidates", {"begin=0 y=907 end=0", survives}},
    {"capture_query_global_mode",
     {"begin=0 q=0 create=0 end=0", "A finished event is answered from memory, so that the capture survives."}},
    {"context_destroyed", {"cd=0 q=0", "A finished event is answered from memory."}},
    {"sticky_error",
     {"q_before=0 rec=0 y=700 q=700 q_completed_before=700 create=700 destroy=0",
      "Destroying a live handle succeeds, whatever became of its context."}},
};

/* The driver's answers that gevt's C API has no call for, by the start of the case's name. */
const std::map<std::string, const char *> inexpressible = {
    {"rt_", "it asks the runtime API"},
    {"elapsed_v1", "it asks an older form of a driver function"},
    {"resolution", "it is a time that was measured, not an answer"},
};

const char *why_inexpressible(const std::string &name) {
  for (const auto &each : inexpressible)
    if (begins(name, each.first.c_str())) return each.second;
  return nullptr;
}

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

/* The driver's answers, by case: `step=answer` with one space between two. */
std::map<std::string, std::string> truth;

std::string trimmed(const std::string &text) {
  return text.substr(0, text.find_last_not_of(" \n") + 1);
}

void truth_read(const char *path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    CHECK(tab != std::string::npos);
    truth[line.substr(0, tab)] = trimmed(line.substr(tab + 1));
  }
  CHECK(!truth.empty());
}

/* Are the answers the driver's? Where the driver crashed, the call has to answer 400, and the case ends with it. */
bool agrees(const std::string &expected, const std::string &answers) {
  const size_t crash = expected.find("CRASH_OR_HANG");
  if (crash == std::string::npos) return expected == answers;
  if (answers.compare(0, crash, expected, 0, crash) != 0) return false;
  const size_t last = answers.find('=', crash);
  return last != std::string::npos && answers.substr(last + 1) == "400";
}

const std::function<void()> *body_of(const std::string &name) {
  for (const auto &each : cases)
    if (each.first == name) return &each.second;
  return nullptr;
}

/* In the case's own process. */
[[noreturn]] void answer(const std::string &name) {
  /* For the cases that need two contexts, which on the host are two devices. */
  setenv("GEVT_HOST_DEVICES", "2", 1);
  answered = name;
  (*body_of(name))();
  fflush(stdout);
  _exit(check_failures() ? 1 : 0);
}

struct {
  int asked, as_driver, on_purpose, skipped;
} total;

void ask(const std::string &name) {
  const auto expected = truth.find(name);
  const auto difference = differences.find(name);
  const char *reason = why_skipped(name);
  if (expected == truth.end()) return check_failed(name.c_str(), 0, "the driver was not asked");
  if (reason) {
    total.skipped++;
    printf("SKIPPED: %s: %s\n", name.c_str(), reason);
    return;
  }
  const process_t process = process_run(subject_name(), name.c_str());
  const std::string answers = trimmed(process.output);
  if (process.end == SUBJECT_SKIPPED) {
    const size_t said = answers.find("SKIPPED: ");
    total.skipped++;
    printf("SKIPPED: %s: %s\n", name.c_str(),
           said == std::string::npos ? answers.c_str() : answers.c_str() + said + strlen("SKIPPED: "));
    return;
  }
  total.asked++;
  printf("%s\t%s\n", name.c_str(), answers.c_str());
  const bool on_purpose = difference != differences.end();
  if (on_purpose && agrees(expected->second, difference->second.answers)) {
    check_failed(name.c_str(), 0, "a difference that is none must not be in the table");
  } else if (process.end == 0 &&
             (on_purpose ? answers == difference->second.answers : agrees(expected->second, answers))) {
    if (!on_purpose) {
      total.as_driver++;
      return;
    }
    total.on_purpose++;
    printf("    on purpose; the driver: %s\n    %s\n", expected->second.c_str(), difference->second.reason);
  } else {
    printf("    expected: %s\n", on_purpose ? difference->second.answers : expected->second.c_str());
    if (process.end) printf("    it ended with %d\n", process.end);
    check_failed(name.c_str(), process.end, "other answers");
  }
}

/* Every answer of the driver is compared, or listed with a reason. */
void account_for_all() {
  for (const auto &each : truth) {
    const char *reason = why_inexpressible(each.first);
    if (reason) printf("not asked: %s: %s\n", each.first.c_str(), reason);
    if ((body_of(each.first) != nullptr) == (reason != nullptr)) {
      check_failed(each.first.c_str(), 0, reason ? "there is a case for it after all" : "no case asks it");
    }
  }
}

/* Says what is tested: the library, and on CUDA the driver. Starts gevt, to see what it loads; the cases start it anew. */
void prove() {
  subject_prove_library();
  subject_open();
  if (subject_is_cuda()) {
    driver_load();
    driver_prove();
  }
}

} // namespace

int main(int argc, char **argv) {
  subject_choose_backend(argc, argv);
  if (argc == 4 && strcmp(argv[2], PROCESS_ANSWER) == 0) answer(argv[3]);
  for (int i = 2; i < argc; i++) {
    if (body_of(argv[i])) continue;
    fprintf(stderr, "there is no case %s\n", argv[i]);
    return 2;
  }
  prove();
  truth_read(TEST_TRUTH);
  if (argc <= 2) {
    account_for_all();
    for (const auto &each : cases) ask(each.first);
  }
  for (int i = 2; i < argc; i++) ask(argv[i]);
  printf("%d of %d as the driver, %d different on purpose, %d skipped\n", total.as_driver, total.asked,
         total.on_purpose, total.skipped);
  if (check_failures()) return 1;
  return total.asked ? 0 : SUBJECT_SKIPPED;
}
