/* How gevt handles a Vulkan loader that is missing or unusable. In each case, the dynamic linker finds a stand-in for libvulkan.so.1
   (loader.c) by LD_LIBRARY_PATH.
   usage: loading CASE, where TEST_VULKAN names the same case to the stand-in */
#include "objects.h"

static const struct {
  const char *name;
  const char *word; /* of the message */
} cases[] = {
    {"not-there", "libvulkan"}, {"no-library", "libvulkan"}, {"no-symbol", "libvulkan"}, {"no-functions", "Vulkan"},
    {"too-old", "1.2"},         {"no-version", "1.2"},       {"no-driver", "instance"},  {"out-of-memory", "memory"},
    {"no-device", "device"},    {"count-fails", "memory"},
};

int main(int argc, char **argv) {
  gevt_context_t context;
  gevt_event_info_t info;
  gevt_event_t event = NULL;
  gevt_status_t status = GEVT_ERROR_NO_DEVICE;
  gevt_detail_t detail = GEVT_DETAIL_NO_BACKEND;
  int32_t count = -5;
  size_t i;
  int round;
  subject_program = argv[0];
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc < 2) return 2;
  subject_prove_library();
  for (i = 0; i < sizeof cases / sizeof *cases && strcmp(cases[i].name, argv[1]) != 0; i++) continue;
  if (i == sizeof cases / sizeof *cases) return 2;
  if (strcmp(cases[i].word, "memory") == 0) {
    status = GEVT_ERROR_OUT_OF_MEMORY;
    detail = GEVT_DETAIL_OUT_OF_MEMORY;
  }
  subject_case(cases[i].name);
  pattern_fill(&context, sizeof context);
  for (round = 0; round < 2; round++) {
    CHECK_FAILS(gevt_context_open(&context, GEVT_BACKEND_VULKAN, 0), status, detail);
    if (!CHECK(strstr(gevt_last_message(), cases[i].word) != NULL)) printf("    %s\n", gevt_last_message());
    CHECK_FAILS(gevt_device_count(&count, GEVT_BACKEND_VULKAN), status, detail);
    CHECK_EQUAL(count, -5);
  }
  CHECK(pattern_intact(&context, sizeof context));
  /* The host is there all the same. */
  CHECK_OK(gevt_context_open(&context, GEVT_BACKEND_HOST, 0));
  CHECK_OK(gevt_create_in(&event, context, GEVT_EVENT_DEFAULT));
  info.size = sizeof info;
  CHECK_OK(gevt_get_info(&info, event));
  CHECK_EQUAL(info.backend, GEVT_BACKEND_HOST);
  CHECK_OK(gevt_destroy(event));
  CHECK_OK(gevt_context_close(context));
  return subject_end();
}
