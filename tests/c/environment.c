/* GEVT_BACKEND, GEVT_HOST_DEVICES and GEVT_LOG, which a process reads once: each value is tried in a new child.
   usage: environment [host|cuda] [what the child is to find] */
#include "objects.h"
#include "child.h"
#include "driver.h"

static void count_warning(void *user, gevt_log_level_t level, const char *message) {
  if (level == GEVT_LOG_WARN && strstr(message, "GEVT_HOST_DEVICES")) ++*(int *)user;
}

static void count_query(void *user, gevt_log_level_t level, const char *message) {
  if (level == GEVT_LOG_WARN && strstr(message, "gevt_query")) ++*(int *)user;
}

/* How many lines of the file have the text. */
static int lines_with(FILE *file, const char *text) {
  char line[1000];
  int lines = 0;
  rewind(file);
  while (fgets(line, sizeof line, file)) lines += strncmp(line, "gevt: ", 6) == 0 && strstr(line, text) != NULL;
  return lines;
}

/* What is printed: the failed call, and the choice of the backend. */
static void find_printed(int failures, int choices) {
  gevt_context_t context = NULL;
  FILE *printed = tmpfile();
  const int usual = dup(2);
  int warnings = 0;
  if (!CHECK(printed != NULL) || !CHECK(dup2(fileno(printed), 2) == 2)) return;
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  CHECK_OK(gevt_context_open(&context, GEVT_BACKEND_AUTO, 0));
  CHECK_EQUAL(lines_with(printed, "gevt_query"), failures);
  CHECK_EQUAL(lines_with(printed, "the default backend is "), choices);
  /* The program's own functions come and go beside it. */
  CHECK_OK(gevt_set_log_callback(count_query, &warnings, GEVT_LOG_WARN));
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  CHECK_OK(gevt_set_log_callback(count_query, &warnings, GEVT_LOG_OFF));
  CHECK_STATUS(gevt_query(NULL), GEVT_ERROR_INVALID_HANDLE);
  CHECK_EQUAL(warnings, 1);
  CHECK_EQUAL(lines_with(printed, "gevt_query"), 3 * failures);
  dup2(usual, 2);
  close(usual);
  fclose(printed);
}

/* The child: the variables are set, and gevt has not been used. */
static int find(const char *what) {
  gevt_context_t context = NULL;
  gevt_event_t event = event_new();
  int32_t count = -1;
  int expected, choices, warnings = 0;
  subject_case(what);
  if (sscanf(what, "printed=%d,%d", &expected, &choices) == 2) {
    find_printed(expected, choices);
    CHECK_OK(gevt_destroy(event));
    return subject_end();
  }
  if (sscanf(what, "devices=%d", &expected) == 1) {
    const char *value = getenv("GEVT_HOST_DEVICES");
    char heeded[16];
    snprintf(heeded, sizeof heeded, "%d", expected);
    CHECK_OK(gevt_set_log_callback(count_warning, &warnings, GEVT_LOG_WARN));
    CHECK_OK(gevt_device_count(&count, GEVT_BACKEND_HOST));
    CHECK_EQUAL(count, expected);
    /* A value that is not what the program gets is reported at once, and once. */
    CHECK_EQUAL(warnings, value && strcmp(value, heeded) != 0);
    CHECK_OK(gevt_context_open(&context, GEVT_BACKEND_HOST, expected - 1));
    CHECK_EQUAL(warnings, value && strcmp(value, heeded) != 0);
    CHECK_OK(gevt_set_log_callback(count_warning, &warnings, GEVT_LOG_OFF));
    CHECK_STATUS(gevt_context_open(&context, GEVT_BACKEND_HOST, expected), GEVT_ERROR_INVALID_DEVICE);
  } else if (strcmp(what, "host") == 0 || strcmp(what, "cuda") == 0 || strcmp(what, "vulkan") == 0) {
    gevt_backend_t backend = strcmp(what, "host") == 0     ? GEVT_BACKEND_HOST
                             : strcmp(what, "vulkan") == 0 ? GEVT_BACKEND_VULKAN
                                                           : GEVT_BACKEND_CUDA;
    gevt_event_t in_opened = NULL;
    CHECK_OK(gevt_context_open(&context, GEVT_BACKEND_AUTO, 0));
    CHECK_OK(gevt_create_in(&in_opened, context, GEVT_EVENT_DEFAULT));
    CHECK_EQUAL(event_info(in_opened).backend, backend);
    CHECK_OK(gevt_destroy(in_opened));
    CHECK_OK(gevt_record(event, NULL));
    CHECK_OK(gevt_sync(event));
    CHECK_EQUAL(event_info(event).backend, backend);
    /* The variable names a default: each backend can still be asked for. */
    CHECK_OK(gevt_context_open(&context, backend, 0));
    CHECK_OK(gevt_context_open(&context, GEVT_BACKEND_HOST, 0));
  } else if (strcmp(what, "no device") == 0) {
    CHECK_FAILS(gevt_context_open(&context, GEVT_BACKEND_AUTO, 0), GEVT_ERROR_NO_DEVICE, GEVT_DETAIL_NO_BACKEND);
    CHECK_FAILS(gevt_record(event, NULL), GEVT_ERROR_NO_DEVICE, GEVT_DETAIL_NO_BACKEND);
    CHECK_FAILS(gevt_device_count(&count, GEVT_BACKEND_AUTO), GEVT_ERROR_NO_DEVICE, GEVT_DETAIL_NO_BACKEND);
    CHECK_OK(gevt_context_open(&context, GEVT_BACKEND_HOST, 0));
  } else if (strcmp(what, "no such backend") == 0) {
    CHECK_FAILS(gevt_context_open(&context, GEVT_BACKEND_AUTO, 0), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
    CHECK_FAILS(gevt_record(event, NULL), GEVT_ERROR_INVALID_VALUE, GEVT_DETAIL_BAD_ARGUMENT);
    CHECK_OK(gevt_context_open(&context, GEVT_BACKEND_HOST, 0));
  } else {
    CHECK(!"a known thing to find");
  }
  CHECK_OK(gevt_destroy(event));
  return subject_end();
}

/* NULL takes a variable away. */
static void expect(const char *backend, const char *devices, const char *what) {
  if (backend)
    setenv("GEVT_BACKEND", backend, 1);
  else
    unsetenv("GEVT_BACKEND");
  if (devices)
    setenv("GEVT_HOST_DEVICES", devices, 1);
  else
    unsetenv("GEVT_HOST_DEVICES");
  if (!CHECK_EQUAL(child_run_self("host", what), 0)) {
    printf("    GEVT_BACKEND=%s GEVT_HOST_DEVICES=%s: %s\n", backend ? backend : "(unset)",
           devices ? devices : "(unset)", what);
  }
}

static void host_devices(void) {
  expect(NULL, NULL, "devices=1");
  expect(NULL, "", "devices=1");
  expect(NULL, "1", "devices=1");
  expect(NULL, "2", "devices=2");
  expect(NULL, "64", "devices=64");
  /* What is out of range or no number does no harm. */
  expect(NULL, "0", "devices=1");
  expect(NULL, "65", "devices=64");
  expect(NULL, "-1", "devices=1");
  expect(NULL, "many", "devices=1");
}

static void log_to_stderr(void) {
  static const struct {
    const char *value, *what;
  } cases[] = {{"info", "printed=1,1"}, {"warn", "printed=1,0"}, {"error", "printed=0,0"},
               {"off", "printed=0,0"},  {"", "printed=0,0"},     {"loud", "printed=0,0"}};
  size_t i;
  for (i = 0; i < sizeof cases / sizeof *cases; i++) {
    setenv("GEVT_LOG", cases[i].value, 1);
    expect(NULL, NULL, cases[i].what);
  }
  unsetenv("GEVT_LOG");
  expect(NULL, NULL, "printed=0,0");
}

static void default_backend(void) {
  expect("host", NULL, "host");
  expect("nonsense", NULL, "no such backend");
}

static int can_open_cuda(void) {
  gevt_context_t context;
  return gevt_context_open(&context, GEVT_BACKEND_CUDA, 0) == GEVT_SUCCESS;
}

static void default_backend_with_a_device(void) {
  expect(NULL, NULL, "cuda");
  expect("", NULL, "cuda");
  expect("auto", NULL, "cuda");
  expect("cuda", NULL, "cuda");
}

static void default_backend_without_a_device(void) {
  expect(NULL, NULL, "host");
  expect("", NULL, "host");
  expect("auto", NULL, "host");
  expect("cuda", NULL, "no device");
}

/* Asked of the driver itself, which may not know the variable. */
static int driver_hides_devices(void) {
  int count = 0;
  driver_load();
  return driver.init(0) != 0 || driver.device_count(&count) != 0 || count == 0;
}

/* Only if it is asked for. */
static void default_backend_with_a_vulkan_device(void) {
  expect("vulkan", NULL, "vulkan");
}

int main(int argc, char **argv) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  int hidden = visible && !*visible;
  if (argc > 2) {
    /* Not through subject_choose, which sets GEVT_BACKEND. */
    subject_prove_library();
    return find(argv[2]);
  }
  subject_choose(argc, argv);
  if (subject_is_vulkan()) {
    subject_open();
    RUN(default_backend_with_a_vulkan_device);
    return subject_end();
  }
  if (!subject_is_host()) {
    /* With CUDA_VISIBLE_DEVICES set and empty, the driver loads but has no devices. */
    if (hidden && !driver_hides_devices()) {
      return subject_skip("environment: this driver does not heed CUDA_VISIBLE_DEVICES");
    }
    if (!hidden) subject_open();
  }
  RUN(log_to_stderr);
  RUN(host_devices);
  RUN(default_backend);
  if (hidden) CHECK(!can_open_cuda());
  if (can_open_cuda())
    RUN(default_backend_with_a_device);
  else
    RUN(default_backend_without_a_device);
  return subject_end();
}
