/* The subject of a test program: which library it loaded, which backend it runs on, and the list of its cases.
   usage of every test program: PROGRAM [host|cuda|vulkan] */
#ifndef GEVT_TESTS_SUBJECT_H
#define GEVT_TESTS_SUBJECT_H

#include "check.h"
#include "strict.h"

#include <stdarg.h>

/* The exit code of a program that is skipped. tests/run.sh believes it only beside the words of subject_skip. */
#define SUBJECT_SKIPPED 77

static gevt_backend_t subject_backend;
static gevt_context_t subject_context;
static const char *subject_program;

/* Prints why the program is skipped, and writes it into the file that tests/run.sh names. Returns the exit code to end with. */
static inline int subject_skip(const char *format, ...) {
  const char *path = getenv("GEVT_SKIP_FILE");
  FILE *file = path ? fopen(path, "a") : NULL;
  char reason[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  printf("SKIPPED: %s\n", reason);
  if (file) {
    fprintf(file, "%s\n", reason);
    fclose(file);
  }
  return SUBJECT_SKIPPED;
}

static inline int subject_is_host(void) {
  return subject_backend == GEVT_BACKEND_HOST;
}

static inline int subject_is_cuda(void) {
  return subject_backend == GEVT_BACKEND_CUDA;
}

static inline int subject_is_vulkan(void) {
  return subject_backend == GEVT_BACKEND_VULKAN;
}

/* The backend's name, as the command line and GEVT_BACKEND have it. */
static inline const char *subject_name(void) {
  return subject_is_host() ? "host" : subject_is_vulkan() ? "vulkan" : "cuda";
}

/* The path that the library must have been loaded from: a static one is in the program itself. */
static inline const char *subject_expected_library(void) {
#ifdef TEST_STATIC
  return "/proc/self/exe";
#else
  const char *path = getenv("GEVT_TEST_LIBRARY");
#ifdef TEST_LIBRARY
  if (!path || !*path) path = TEST_LIBRARY;
#endif
  return path;
#endif
}

/* Prints the file that gevt_version comes from, and ends the program if it is not the one meant. */
static inline void subject_prove_library(void) {
  const char *expected = subject_expected_library();
  char expected_real[PATH_MAX], actual_real[PATH_MAX];
  Dl_info info;
  /* The dynamic linker is asked first: in a program that is not position-independent, the function's address is that of a
     jump inside the program. A static gevt is not in the dynamic symbol table. */
  void *symbol = dlsym(RTLD_DEFAULT, "gevt_version");
  uint32_t (*linked)(void) = gevt_version;
  if (!symbol) memcpy(&symbol, &linked, sizeof symbol);
  memset(&info, 0, sizeof info);
  if (!dladdr(symbol, &info) || !info.dli_fname || !realpath(info.dli_fname, actual_real)) {
    printf("FAILED: the library behind gevt_version cannot be told\n");
    exit(1);
  }
  printf("library: %s (%s)\n", actual_real, gevt_version_string());
  if (!expected || !realpath(expected, expected_real)) {
    printf("FAILED: no library is named to compare with: set GEVT_TEST_LIBRARY (now: %s)\n",
           expected ? expected : "unset");
    exit(1);
  }
  if (strcmp(expected_real, actual_real) != 0) {
    printf("FAILED: not the library that is meant: %s\n", expected_real);
    exit(1);
  }
}

/* Reads the command line. Makes no call of gevt. */
static inline void subject_choose_backend(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "host";
#ifdef _WIN32
  /* Windows has no line buffering, and what a killed process has in its buffer is lost. */
  setvbuf(stdout, NULL, _IONBF, 0);
#else
  setvbuf(stdout, NULL, _IOLBF, 0);
#endif
  subject_program = argv[0];
  if (strcmp(name, "host") == 0)
    subject_backend = GEVT_BACKEND_HOST;
  else if (strcmp(name, "cuda") == 0)
    subject_backend = GEVT_BACKEND_CUDA;
  else if (strcmp(name, "vulkan") == 0)
    subject_backend = GEVT_BACKEND_VULKAN;
  else {
    fprintf(stderr, "usage: %s [host|cuda|vulkan]\n", argv[0]);
    exit(2);
  }
  if (subject_is_cuda()) strict_start(argv);
  /* Threads without a current context must also use the backend under test. */
  setenv("GEVT_BACKEND", name, 1);
}

/* The same, with the proof, which makes no call that would start gevt. */
static inline void subject_choose(int argc, char **argv) {
  subject_choose_backend(argc, argv);
  subject_prove_library();
}

/* Opens the backend under test and makes its device 0 current on this thread. */
static inline void subject_open(void) {
  gevt_status_t status = gevt_context_open(&subject_context, subject_backend, 0);
  if (status == GEVT_ERROR_NO_DEVICE && !subject_is_host()) {
    exit(subject_skip("%s on %s: there is no %s device here (%s)", subject_program, subject_name(),
                      subject_is_vulkan() ? "Vulkan" : "CUDA", gevt_last_message()));
  }
  if (subject_is_cuda()) strict_prove();
  if (!CHECK_STATUS(status, GEVT_SUCCESS) || !CHECK_OK(gevt_context_set_current(subject_context))) exit(1);
}

static inline void subject_begin(int argc, char **argv) {
  subject_choose(argc, argv);
  subject_open();
}

static int subject_cases;

/* Says which case the following checks belong to. */
static inline void subject_case(const char *name) {
  subject_cases++;
  printf("case %s\n", name);
}

static inline void subject_run(const char *name, void (*body)(void)) {
  int before = check_failures();
  subject_case(name);
  body();
  if (check_failures() != before) printf("case %s: FAILED\n", name);
}

#define RUN(body) subject_run(#body, body)

/* For cases about what only the host backend allows, such as calls of gevt from a host function. */
#define RUN_ON_HOST(body)                                                                                              \
  do {                                                                                                                 \
    if (subject_is_host())                                                                                             \
      RUN(body);                                                                                                       \
    else                                                                                                               \
      printf("SKIPPED: case %s: it is about the host backend\n", #body);                                               \
  } while (0)

/* Returns the tool that watches the program, such as valgrind, or NULL. TEST_TOOL names it. */
static inline const char *subject_tool(void) {
  const char *tool = getenv("TEST_TOOL");
  return tool && *tool ? tool : NULL;
}

/* A program that runs no case proves nothing, so it fails. */
static inline int subject_end(void) {
  int failures;
  if (subject_cases == 0) check_failed(subject_program, 0, "no case was run");
  failures = check_failures();
  if (failures)
    printf("FAILED: %d checks\n", failures);
  else
    printf("passed\n");
  return failures ? 1 : 0;
}

#endif
