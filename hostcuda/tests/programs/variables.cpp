// Variables of modules and libraries: from PTX texts and from a library of host functions, and invalid images.
#include "check.h"
#include "kernel_library.h"
#include <atomic>
#include <chrono>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern "C" {
void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global);
}

static const char image[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                            ".visible .global .align 4 .u32 plain = 7;\n"
                            ".visible .const .align 4 .b8 table[6] = {1, 2, 3};\n"
                            ".visible .global .align 8 .b8 zeros[16];\n"
                            ".visible .global .align 8 .b8 longer[64];\n"
                            ".visible .global .attribute(.managed) .align 4 .u32 both = 5;\n"
                            ".visible .global .align 8 .b8 wide[16];\n"
                            ".visible .entry fill()\n{\nret;\n}\n";

static CUdeviceptr variable(CUmodule module, const char *name, size_t expected) {
  CUdeviceptr address = 0;
  size_t len = 0;
  OK(cuModuleGetGlobal(&address, &len, module, name));
  CHECK(address != 0 && len == expected);
  return address;
}

static int number(CUdeviceptr address) {
  int back = -1;
  OK(cuMemcpyDtoH(&back, address, 4));
  return back;
}

// The host also accesses a managed variable.
static void cuda_says_managed(CUdeviceptr both) {
  cudaPointerAttributes attributes = {};
  unsigned is_managed = 0;
  OK(cudaPointerGetAttributes(&attributes, reinterpret_cast<void *>(both)));
  CHECK(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == attributes.devicePointer);
  OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, both));
  CHECK(is_managed == 1);
  GIVES(1, cuMemFree(both));
}

// A module that declares less of a variable takes nothing away from one that has more.
static void of_two_lengths(CUmodule module) {
  CUmodule other = nullptr;
  const CUdeviceptr wide = variable(module, "wide", 16);
  OK(cuModuleLoadData(&other, ".visible .global .align 4 .b8 wide[4];\n"));
  variable(other, "wide", 4);
  OK(cuMemsetD8(wide, 3, 16));
  OK(cuModuleUnload(other));
}

static void of_modules(bool lent) {
  CUmodule module = nullptr, second = nullptr;
  CUdeviceptr address = 0;
  size_t len = 0;
  OK(cuModuleLoadData(&module, image));
  OK(cuModuleLoadData(&second, image));
  const CUdeviceptr plain = variable(module, "plain", 4), zeros = variable(module, "zeros", 16);
  CHECK(number(plain) == (lent ? 21 : 0));
  CHECK((variable(second, "plain", 4) == plain) == lent);
  CHECK(number(variable(module, "both", 4)) == 0);
  variable(module, "table", 6);
  cuda_says_managed(variable(module, "both", 4));
  of_two_lengths(module);
  // The library's is shorter than the module's, and is not used.
  CHECK(number(variable(module, "longer", 64)) == 0);
  OK(cuMemsetD32(zeros, 3, 4));
  CHECK(number(zeros + 12) == 3);
  GIVES(1, cuMemsetD32(zeros, 3, 5));
  GIVES(1, cuMemcpyHtoD(zeros + 1, image, 16));
  GIVES(1, cuMemFree(zeros));
  GIVES(1, cuMemFreeAsync(zeros, nullptr));
  CUipcMemHandle handle;
  GIVES(1, cuIpcGetMemHandle(&handle, zeros));
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, reinterpret_cast<void *>(zeros)));
  CHECK(attributes.type == cudaMemoryTypeDevice);
  OK(cuModuleGetGlobal(&address, nullptr, module, "zeros"));
  CHECK(address == zeros);
  OK(cuModuleGetGlobal(nullptr, &len, module, "zeros"));
  CHECK(len == 16);
  // An image without kernels has no kernel names.
  CUmodule bare = nullptr;
  CUfunction function = nullptr;
  OK(cuModuleLoadData(&bare, ".visible .global .u32 alone;\n"));
  GIVES(500, cuModuleGetFunction(&function, bare, "alone"));
  GIVES(500, cuModuleGetFunction(&function, bare, "none"));
  OK(cuModuleUnload(bare));
  GIVES(500, cuModuleGetGlobal(&address, &len, module, "nothing"));
  GIVES(1, cuModuleGetGlobal(&address, &len, module, ""));
  GIVES(1, cuModuleGetGlobal(&address, &len, module, "fill"));
  GIVES(1, cuModuleGetGlobal(nullptr, nullptr, module, "zeros"));
  GIVES(1, cuModuleGetGlobal(&address, &len, module, nullptr));
  GIVES(400, cuModuleGetGlobal(&address, &len, nullptr, "zeros"));
  CUstream stream = nullptr;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  GIVES(400, cuModuleGetGlobal(&address, &len, reinterpret_cast<CUmodule>(stream), "zeros"));
  GIVES(400, cuLibraryGetGlobal(&address, &len, reinterpret_cast<CUlibrary>(&len), "zeros"));
  CHECK(address == zeros && len == 16);
  OK(cuModuleUnload(module));
  GIVES(400, cuModuleGetGlobal(&address, &len, module, "zeros"));
  if (!lent) {
    GIVES(1, cuMemsetD8(zeros, 0, 1) == 0 ? 0 : 1);
  }
  OK(cuModuleUnload(second));
}

// Work that is under way is waited for: that of the context that has the variable, and that of another one.
static void work_is_waited_for(int device) {
  static int values[4] = {1, 2, 3, 4};
  CUmodule module = nullptr;
  OK(cudaSetDevice(0));
  OK(cuModuleLoadData(&module, image));
  const CUdeviceptr zeros = variable(module, "zeros", 16);
  OK(cudaSetDevice(device));
  cudaStream_t stream = nullptr;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  static std::atomic<bool> is_open;
  std::atomic<bool> has_returned{false};
  is_open = false;
  OK(cudaLaunchHostFunc(
      stream,
      [](void *) {
        while (!is_open) {
          std::this_thread::yield();
        }
      },
      nullptr));
  OK(cudaMemsetAsync(reinterpret_cast<void *>(zeros), 1, 16, stream));
  OK(cuMemcpyHtoDAsync(zeros, values, 16, stream));
  std::thread unloader([module, &has_returned] {
    OK(cudaSetDevice(0));
    OK(cuModuleUnload(module));
    has_returned = true;
  });
  // The memory is not listed as a variable any more. Only the work is left to wait for.
  unsigned attribute = 0;
  while (cuPointerGetAttribute(&attribute, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, zeros) == 0) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(!has_returned);
  is_open = true;
  unloader.join();
  OK(cudaStreamQuery(stream));
  OK(cudaStreamDestroy(stream));
  OK(cudaSetDevice(0));
}

// If two threads unload a module, one succeeds, and no other module loses its contents. A third call keeps both busy.
static void unloaded_twice() {
  std::string kernels = ".global .u32 zero;\n";
  for (int i = 0; i < 1000; i++) {
    kernels += ".entry kernel" + std::to_string(i) + "() { ret; }\n";
  }
  for (int round = 0; round < 100; round++) {
    CUmodule module = nullptr;
    OK(cuModuleLoadData(&module, kernels.c_str()));
    std::atomic<int> done{0};
    std::atomic<bool> is_counting{false};
    std::thread counts([&] {
      unsigned count = 1000;
      int got = 0;
      while (got == 0 && count == 1000) {
        is_counting = true;
        got = cuModuleGetFunctionCount(&count, module);
      }
      CHECK(got == 400);
    });
    while (!is_counting) {
      std::this_thread::yield();
    }
    const auto unload = [&] {
      OK(cudaSetDevice(0));
      const int got = cuModuleUnload(module);
      CHECK(got == 0 || got == 400);
      done += got == 0;
      CUmodule next = nullptr;
      OK(cuModuleLoadData(&next, image));
      variable(next, "zeros", 16);
      variable(next, "table", 6);
      OK(cuModuleUnload(next));
    };
    std::thread other(unload);
    unload();
    other.join();
    counts.join();
    CHECK(done == 1);
  }
}

static void of_libraries() {
  CUlibrary library = nullptr;
  CUdeviceptr address = 0;
  CUkernel kernel = nullptr, all[2] = {};
  CUfunction function = nullptr;
  size_t len = 0;
  unsigned count = 0;
  std::string path = scratch_path("image");
  const int file = mkstemp(path.data());
  CHECK(file >= 0 && write(file, image, sizeof image - 1) == sizeof image - 1);
  OK(cuLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  close(file);
  unlink(path.c_str());
  OK(cuLibraryGetManaged(&address, &len, library, "both"));
  CHECK(*reinterpret_cast<int *>(address) == 0);
  GIVES(500, cuLibraryGetManaged(&address, &len, library, "plain"));
  OK(cuLibraryGetGlobal(&address, &len, library, "table"));
  OK(cuLibraryGetKernelCount(&count, library));
  CHECK(count == 1);
  OK(cuLibraryEnumerateKernels(all, 2, library));
  OK(cuLibraryGetKernel(&kernel, library, "fill"));
  CHECK(all[0] == kernel && all[1] == nullptr);
  GIVES(500, cuLibraryGetKernel(&kernel, library, "nothing"));
  GIVES(1, cuLibraryGetUnifiedFunction(reinterpret_cast<void **>(&address), library, "fill"));
  GIVES(500, cuLibraryGetUnifiedFunction(reinterpret_cast<void **>(&address), library, "nothing"));
  OK(cuKernelGetFunction(&function, kernel));
  OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  OK(cuCtxSynchronize());
  OK(cuLibraryUnload(library));
  GIVES(400, cuLibraryUnload(library));

  cudaLibrary_t other = nullptr;
  cudaKernel_t of_runtime = nullptr;
  void *at = nullptr;
  OK(cudaLibraryLoadData(&other, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cudaLibraryGetGlobal(&at, &len, other, "zeros"));
  OK(cudaMemset(at, 1, len));
  OK(cudaLibraryGetManaged(&at, &len, other, "both"));
  OK(cudaLibraryGetKernel(&of_runtime, other, "fill"));
  OK(cudaLibraryGetKernelCount(&count, other));
  OK(cudaKernelSetAttributeForDevice(of_runtime, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16, 0));
  OK(cudaLaunchKernel(reinterpret_cast<void *>(of_runtime), dim3(1), dim3(1), nullptr, 1 << 16, nullptr));
  // A context that is reset leaves libraries and their variables as they are.
  OK(cudaDeviceReset());
  OK(cudaMemset(at, 1, len));
  OK(cudaLibraryGetGlobal(&at, &len, other, "zeros"));
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
  // The C library's mathematics have a function of that name, and so has the library of host functions.
  static char gamma, fill;
  const struct {
    char *host;
    const char *name;
  } functions[] = {{&gamma, "gamma"}, {&fill, "fill"}};
  for (const auto &of : functions) {
    __cudaRegisterVar(__cudaRegisterFatBinary(nullptr), of.host, nullptr, of.name, 0, 4, 0, 0);
    const int seven = 7;
    OK(cudaMemcpyFromSymbol(&back, of.host, 4));
    CHECK(back == 0);
    OK(cudaMemcpyToSymbol(of.host, &seven, 4));
    OK(cudaMemcpyFromSymbol(&back, of.host, 4));
    CHECK(back == 7);
  }
}

// If launches need a library function, kernels without one are neither counted nor listed.
static void of_functions() {
  CUmodule module = nullptr;
  OK(cuModuleLoadData(&module, ".entry absent() { ret; }\n.entry fill() { ret; }\n.entry gamma() { ret; }\n"));
  unsigned count = 9;
  CUfunction fill = nullptr, missing = nullptr, all[3] = {};
  OK(cuModuleGetFunctionCount(&count, module));
  CHECK(count == 1);
  OK(cuModuleGetFunction(&fill, module, "fill"));
  GIVES(500, cuModuleGetFunction(&missing, module, "absent"));
  OK(cuModuleEnumerateFunctions(all, 3, module));
  CHECK(all[0] == fill && all[1] == nullptr);
  OK(cuModuleUnload(module));
}

// Images with invalid lengths have no variables.
static void garbage() {
  CUmodule module = nullptr;
  CUdeviceptr address = 0;
  std::vector<unsigned char> bytes(128, 0xFF);
  const unsigned char starts[][4] = {{0x7F, 'E', 'L', 'F'}, {0x50, 0xED, 0x55, 0xBA}, {0xB1, 0x43, 0x62, 0x46}};
  for (const unsigned char *start : starts) {
    std::memcpy(bytes.data(), start, 4);
    for (unsigned char filler : {0xFF, 0x7F, 0x01, 0x00}) {
      std::memset(bytes.data() + 4, filler, bytes.size() - 4);
      OK(cuModuleLoadData(&module, bytes.data()));
      GIVES(500, cuModuleGetGlobal(&address, nullptr, module, "other"));
      unsigned count = 0;
      GIVES(801, cuModuleGetFunctionCount(&count, module));
      OK(cuModuleUnload(module));
    }
  }
  const size_t page = 4096;
  char *pages =
      static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CHECK(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
  std::memset(pages, '.', page);
  for (size_t at : {size_t(0), page - 1, page - 17}) {
    OK(cuModuleLoadData(&module, pages + at));
    GIVES(500, cuModuleGetGlobal(&address, nullptr, module, "other"));
    OK(cuModuleUnload(module));
  }
  std::memset(pages, ' ', page);
  GIVES(200, cuModuleLoadData(&module, pages));
  GIVES(200, cuModuleLoadData(&module, pages + page));
  std::memcpy(pages + page - 5, ".a;b", 5);
  OK(cuModuleLoadData(&module, pages + page - 5));
  OK(cuModuleUnload(module));
  OK(cuModuleLoadData(&module, ".global .b8 huge[8070450532247928832];"));
  GIVES(2, cuModuleGetGlobal(&address, nullptr, module, "huge"));
  OK(cuModuleUnload(module));
}

static void at_once() {
  CUcontext context = nullptr;
  CUmodule shared = nullptr;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  OK(cuModuleLoadData(&shared, image));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) {
    threads.emplace_back([context, shared] {
      OK(cuCtxSetCurrent(context));
      for (int round = 0; round < 200; round++) {
        CUmodule module = nullptr;
        OK(cuModuleLoadData(&module, image));
        OK(cuMemsetD8(variable(module, "zeros", 16), round, 16));
        OK(cuMemsetD8(variable(shared, "table", 6), round, 6));
        OK(cuModuleUnload(module));
      }
    });
  }
  for (auto &thread : threads) {
    thread.join();
  }
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    CUdeviceptr address = 0;
    GIVES(3, cuModuleGetGlobal(&address, nullptr, shared, "zeros"));
    GIVES(3, cuModuleUnload(shared));
    _exit(0);
  }
  int status = -1;
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  OK(cuModuleUnload(shared));
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
  int devices = 0;
  OK(cudaGetDeviceCount(&devices));
  for (int device = 0; device < devices; device++) {
    work_is_waited_for(device);
  }
  unloaded_twice();
  of_libraries();
  of_the_program();
  garbage();
  at_once();
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
  return 0;
}
