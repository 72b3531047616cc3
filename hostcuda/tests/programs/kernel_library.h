// A library of host functions for kernels, and running the test's program with it.
#pragma once
#include "objects.h"
#include <string>
#include <unistd.h>

// Compiled from source in a temporary directory, and removed at the end.
class KernelLibrary {
public:
  explicit KernelLibrary(const char *text, const char *options = "") {
    folder = scratch_path("kernels");
    CHECK(mkdtemp(folder.data()));
    path = folder + "/kernels.so";
    const std::string source = folder + "/kernels.c";
    FILE *file = fopen(source.c_str(), "w");
    CHECK(file);
    std::fputs(text, file);
    fclose(file);
    CHECK(std::system(("cc -shared -fPIC -o '" + path + "' '" + source + "' " + options).c_str()) == 0);
    CHECK(remove(source.c_str()) == 0);
  }
  ~KernelLibrary() { CHECK(remove(path.c_str()) == 0 && remove(folder.c_str()) == 0); }
  KernelLibrary(const KernelLibrary &) = delete;
  KernelLibrary &operator=(const KernelLibrary &) = delete;

  std::string path;

private:
  std::string folder;
};

// Runs this program again, with that argument and that value of GEVT_HOSTCUDA_KERNELS. It must succeed.
inline void run_anew(char *name, const char *word, const std::string &kernels) {
  const pid_t pid = fork();
  if (pid == 0) {
    setenv("GEVT_HOSTCUDA_KERNELS", kernels.c_str(), 1);
    execl("/proc/self/exe", name, word, nullptr);
    _exit(3);
  }
  must_end_well(pid);
}
