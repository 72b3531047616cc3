// Checks that say what went wrong and end the program, and where a program may write.
#pragma once
#include "../../../tests/shim/check.h"
#include <string>

// The path of a temporary file or folder, for mkstemp or mkdtemp: in TMPDIR, or in /tmp if that is not set.
inline std::string scratch_path(const char *name) {
  const char *folder = std::getenv("TMPDIR");
  return std::string(folder && *folder ? folder : "/tmp") + "/gevt-" + name + "-XXXXXX";
}
