// A check that says what went wrong and ends the program.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>

// The path of a temporary file or folder, for mkstemp or mkdtemp: in TMPDIR, or in /tmp if that is not set.
inline std::string scratch_path(const char *name) {
  const char *folder = std::getenv("TMPDIR");
  return std::string(folder && *folder ? folder : "/tmp") + "/gevt-" + name + "-XXXXXX";
}

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                     \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

// The call gives that code.
#define GIVES(code, call)                                                                                              \
  do {                                                                                                                 \
    const int got_ = static_cast<int>(call);                                                                           \
    if (got_ != static_cast<int>(code)) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, got_);                                   \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

#define OK(call) GIVES(0, call)
