// Modules and libraries: any name is a kernel's where kernels are skipped. Variables of the program, and of a library of host functions.
#include "objects.h"
#include "kernel_library.h"
#include <atomic>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <vector>

extern "C" {
void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global);
}

static const char image[] = ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry fill()\n{\nret;\n}\n";

// The variable is the library's, in each module. Without a library modules have no variables.
static void of_modules(bool lent) {
  CUmodule module = nullptr, second = nullptr;
  CUdeviceptr address = 0, again = 0;
  size_t len = 0;
  OK(cuModuleLoadData(&module, image));
  OK(cuModuleLoadData(&second, image));
  GIVES(500, cuModuleGetGlobal(&address, &len, module, "nothing"));
  GIVES(500, cuModuleGetGlobal(&address, &len, module, "fill"));
  GIVES(1, cuModuleGetGlobal(&address, &len, module, ""));
  GIVES(1, cuModuleGetGlobal(nullptr, nullptr, module, "plain"));
  GIVES(1, cuModuleGetGlobal(&address, &len, module, nullptr));
  GIVES(400, cuModuleGetGlobal(&address, &len, nullptr, "plain"));
  CUstream stream = new_driver_stream();
  GIVES(400, cuModuleGetGlobal(&address, &len, reinterpret_cast<CUmodule>(stream), "plain"));
  GIVES(400, cuLibraryGetGlobal(&address, &len, reinterpret_cast<CUlibrary>(&len), "plain"));
  CHECK(address == 0 && len == 0);
  if (lent) {
    int back = 0;
    OK(cuModuleGetGlobal(&address, &len, module, "plain"));
    CHECK(len == sizeof back);
    OK(cuMemcpyDtoH(&back, address, sizeof back));
    CHECK(back == 21);
    OK(cuModuleGetGlobal(&again, nullptr, second, "plain"));
    CHECK(again == address);
    OK(cuModuleGetGlobal(nullptr, &len, module, "wide"));
    CHECK(len == 16);
    GIVES(1, cuMemsetD8(address, 0, 5));
    GIVES(1, cuMemFree(address));
    unsigned type = 0;
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
    CHECK(type == CU_MEMORYTYPE_DEVICE);
  } else {
    GIVES(500, cuModuleGetGlobal(&address, &len, module, "plain"));
  }
  OK(cuModuleUnload(module));
  GIVES(400, cuModuleGetGlobal(&address, &len, module, "plain"));
  OK(cuModuleUnload(second));
}

// If two threads unload a module, one succeeds. Other threads use others meanwhile.
static void unloaded_twice() {
  for (int round = 0; round < 100; round++) {
    CUmodule module = nullptr;
    OK(cuModuleLoadData(&module, image));
    std::atomic<int> done{0};
    const auto unload = [&] {
      CUmodule next = nullptr;
      CUfunction fill = nullptr;
      OK(cudaSetDevice(0));
      const int found = cuModuleGetFunction(&fill, module, "fill");
      CHECK(found == 0 || found == 400);
      const int got = cuModuleUnload(module);
      CHECK(got == 0 || got == 400);
      done += got == 0;
      OK(cuModuleLoadData(&next, image));
      OK(cuModuleGetFunction(&fill, next, "fill"));
      OK(cuModuleUnload(next));
    };
    std::vector<std::thread> others;
    for (int i = 0; i < 3; i++) {
      others.emplace_back(unload);
    }
    unload();
    for (std::thread &other : others) {
      other.join();
    }
    CHECK(done == 1);
  }
}

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
  OK(cudaKernelSetAttributeForDevice(of_runtime, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16, 0));
  OK(cudaLaunchKernel(reinterpret_cast<void *>(of_runtime), dim3(1), dim3(1), nullptr, 1 << 16, nullptr));
  // A context that is reset leaves libraries as they are.
  OK(cudaDeviceReset());
  OK(cudaLibraryGetKernel(&of_runtime, other, "fill"));
  OK(cudaLibraryUnload(other));
}

// A variable of the program is device memory: copies to it from page-locked memory are stream-ordered.
static void of_the_program() {
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

// Of an image only the first bytes count, and no others are read.
static void garbage() {
  CUmodule module = nullptr;
  unsigned char bytes[128];
  const unsigned char starts[][4] = {{0x7F, 'E', 'L', 'F'}, {0x50, 0xED, 0x55, 0xBA}, {0xB1, 0x43, 0x62, 0x46}};
  for (const unsigned char *start : starts) {
    std::memset(bytes, 0xFF, sizeof bytes);
    GIVES(200, cuModuleLoadData(&module, bytes));
    std::memcpy(bytes, start, 4);
    OK(cuModuleLoadData(&module, bytes));
    OK(cuModuleUnload(module));
  }
  const size_t page = 4096;
  char *pages =
      static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CHECK(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
  char *last = pages + page;
  for (const char *text : {" .", "//",
                           "\x7F"
                           "ELF"}) {
    std::memcpy(last - std::strlen(text), text, std::strlen(text));
    OK(cuModuleLoadData(&module, last - std::strlen(text)));
    OK(cuModuleUnload(module));
  }
  last[-1] = 'x';
  GIVES(200, cuModuleLoadData(&module, last - 1));
  GIVES(1, cuModuleLoadData(&module, nullptr));
}

// The variables `plain`, `longer` and `wide` and the kernel `fill`, in a library of its own, which needs the C library's mathematics, and
// registers a variable when it is loaded, as nvcc's code does.
static constexpr char LIBRARY[] =
    "#include <stddef.h>\nint plain = 21;\nint longer = 1;\nchar wide[16];\n"
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
  of_modules(lent);
  unloaded_twice();
  of_libraries();
  of_the_program();
  garbage();
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
