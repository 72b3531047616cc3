// Modules and libraries: any name is a kernel's where kernels are skipped. Variables of the program, which a library of host functions may have.
#include "objects.h"
#include "registered.h"
#include "kernel_library.h"
#include <string>

static const char image[] = ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry fill()\n{\nret;\n}\n";

static void of_libraries() {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr, again = nullptr;
  CUfunction function = nullptr;
  unsigned count = 0;
  std::string path = scratch_path("image");
  const int file = mkstemp(path.data());
  CHECK(file >= 0 && write(file, image, sizeof image - 1) == sizeof image - 1);
  OK(cuLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  close(file);
  unlink(path.c_str());
  GIVES(301, cuLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  GIVES(801, cuLibraryGetKernelCount(&count, library));
  OK(cuLibraryGetKernel(&kernel, library, "fill"));
  OK(cuLibraryGetKernel(&again, library, "fill"));
  CHECK(again == kernel);
  OK(cuKernelGetFunction(&function, kernel));
  OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  OK(cuCtxSynchronize());
  OK(cuLibraryUnload(library));
  GIVES(400, cuLibraryUnload(library));

  cudaLibrary_t other = nullptr;
  cudaKernel_t of_runtime = nullptr;
  OK(cudaLibraryLoadData(&other, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cudaLibraryGetKernel(&of_runtime, other, "fill"));
  OK(cudaLaunchKernel(reinterpret_cast<void *>(of_runtime), dim3(1), dim3(1), nullptr, 1 << 16, nullptr));
  // A context that is reset leaves libraries as they are.
  OK(cudaDeviceReset());
  OK(cudaLibraryGetKernel(&of_runtime, other, "fill"));
  OK(cudaLibraryUnload(other));
}

// A variable of the program is device memory: copies to it from page-locked memory are stream-ordered.
static void of_the_program(bool lent) {
  static char stands_for_it;
  __cudaRegisterVar(__cudaRegisterFatBinary(nullptr), &stands_for_it, nullptr, "of_program", 0, 8, 0, 0);
  void *address = nullptr;
  int back = 0;
  OK(cudaGetSymbolAddress(&address, &stands_for_it));
  OK(cudaMemset(address, 1, 8));
  GIVES(1, cudaMemset(address, 1, 9));
  OK(cudaMemcpy(&back, address, 4, cudaMemcpyDeviceToHost));
  CHECK(back == 0x01010101);
  GIVES(1, cudaFree(address));
  OK(cudaDeviceReset());
  OK(cudaMemcpyFromSymbol(&back, &stands_for_it, 4, 4, cudaMemcpyDeviceToHost));
  CHECK(back == 0x01010101);
  // The library's variable of that name replaces it.
  static char plain;
  __cudaRegisterVar(__cudaRegisterFatBinary(nullptr), &plain, nullptr, "plain", 0, 4, 0, 0);
  OK(cudaMemcpyFromSymbol(&back, &plain, 4));
  CHECK(back == (lent ? 21 : 0));
  // The C library's mathematics have a function of that name, and so has the library of host functions. Its `longer` is too short.
  static char gamma, fill, longer;
  const struct {
    char *host;
    const char *name;
    int len;
  } others[] = {{&gamma, "gamma", 4}, {&fill, "fill", 4}, {&longer, "longer", 64}};
  for (const auto &of : others) {
    __cudaRegisterVar(__cudaRegisterFatBinary(nullptr), of.host, nullptr, of.name, 0, of.len, 0, 0);
    const int seven = 7;
    OK(cudaMemcpyFromSymbol(&back, of.host, 4));
    CHECK(back == 0);
    OK(cudaMemcpyToSymbol(of.host, &seven, 4));
    OK(cudaMemcpyFromSymbol(&back, of.host, 4));
    CHECK(back == 7);
  }
}

// If launches need a library function, a name without one is not found.
static void of_functions() {
  CUmodule module = nullptr;
  CUfunction fill = nullptr, missing = nullptr;
  OK(cuModuleLoadData(&module, image));
  OK(cuModuleGetFunction(&fill, module, "fill"));
  GIVES(500, cuModuleGetFunction(&missing, module, "absent"));
  OK(cuModuleUnload(module));
}

// The variables `plain` and `longer` and the kernel `fill`, in a library of its own, which needs the C library's mathematics, and
// registers a variable when it is loaded, as nvcc's code does.
static constexpr char LIBRARY[] =
    "#include <stddef.h>\nint plain = 21;\nint longer = 1;\n"
    "void fill(void) {}\nconst size_t fill_arguments[] = {0};\n"
    "void **__cudaRegisterFatBinary(void *);\n"
    "void __cudaRegisterVar(void **, void *, void *, const char *, int, size_t, int, int);\n"
    "static void *binary[8];\n"
    "__attribute__((constructor)) static void loaded(void) {\n"
    "  __cudaRegisterVar(__cudaRegisterFatBinary(binary), &plain, NULL, \"plain\", 0, sizeof plain, 0, 0);\n"
    "}\n";

static int run(bool lent, bool skips) {
  OK(cudaFree(nullptr));
  if (!skips) {
    of_functions();
    return 0;
  }
  of_libraries();
  of_the_program(lent);
  return 0;
}

int main(int count, char **words) {
  if (count == 2) {
    const std::string mode = words[1];
    return run(mode == "lent", mode != "functions");
  }
  const KernelLibrary library(LIBRARY, "-Wl,--no-as-needed -lm");
  run_anew(words[0], "own", "skip");
  run_anew(words[0], "lent", library.path + ",skip");
  run_anew(words[0], "functions", library.path);
}
