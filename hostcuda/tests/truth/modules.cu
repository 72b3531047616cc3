// What the real CUDA driver and runtime answer about kernels of modules and libraries that programs load.
// As truth.cu, one case a process. Here modules are loaded where kernels are skipped.
// usage: modules list | modules CASE    prints CASE<TAB>name=value ...
#include "ask.h"

static const char image[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                            ".visible .global .align 4 .u32 plain = 7;\n"
                            ".visible .const .align 4 .b8 table[6] = {1, 2, 3};\n"
                            ".visible .global .align 8 .b8 zeros[16];\n"
                            ".visible .global .attribute(.managed) .align 4 .u32 both = 5;\n"
                            ".visible .entry fill()\n{\nret;\n}\n.visible .entry other()\n{\nret;\n}\n";

static void init_modules() {
  setenv("GEVT_HOSTCUDA_KERNELS", "skip", 1);
  init();
}

CASE(module_unload_in_function) {
  init_modules();
  static CUmodule module;
  static int code = 77;
  cuModuleLoadData(&module, image);
  GIVES("launch", cuLaunchHostFunc(
                      nullptr, [](void *) { code = cuModuleUnload(module); }, nullptr));
  GIVES("sync", cuCtxSynchronize());
  value("inside", code);
  GIVES("unload", cuModuleUnload(module));
}
CASE(module_kernels) {
  init_modules();
  CUmodule module = nullptr;
  CUfunction fill = nullptr, again = nullptr, none = nullptr;
  GIVES("load", cuModuleLoadData(&module, image));
  GIVES("fill", cuModuleGetFunction(&fill, module, "fill"));
  GIVES("again", cuModuleGetFunction(&again, module, "fill"));
  value("same", fill == again);
  GIVES("null_name", cuModuleGetFunction(&none, module, nullptr));
  GIVES("launch", cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  GIVES("sync", cuCtxSynchronize());
}
CASE(library_kernels) {
  init_modules();
  CUlibrary library = nullptr;
  CUmodule module = nullptr;
  CUkernel fill = nullptr;
  CUfunction function = nullptr;
  GIVES("load", cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  GIVES("fill", cuLibraryGetKernel(&fill, library, "fill"));
  GIVES("function", cuKernelGetFunction(&function, fill));
  GIVES("module", cuLibraryGetModule(&module, library));
  GIVES("launch", cuLaunchKernel(reinterpret_cast<CUfunction>(fill), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  GIVES("sync", cuCtxSynchronize());
  GIVES("unload", cuLibraryUnload(library));
}
CASE(library_without_context) {
  setenv("GEVT_HOSTCUDA_KERNELS", "skip", 1);
  cuInit(0);
  CUlibrary library = nullptr;
  GIVES("load", cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUmodule module = nullptr;
  GIVES("module", cuModuleLoadData(&module, image));
  GIVES("unload", cuLibraryUnload(library));
}
CASE(runtime_library) {
  setenv("GEVT_HOSTCUDA_KERNELS", "skip", 1);
  cudaLibrary_t library = nullptr;
  cudaKernel_t fill = nullptr;
  GIVES("load", cudaLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  GIVES("fill", cudaLibraryGetKernel(&fill, library, "fill"));
  cudaFuncAttributes attributes;
  GIVES("attributes", cudaFuncGetAttributes(&attributes, reinterpret_cast<void *>(fill)));
  GIVES("launch", cudaLaunchKernel(reinterpret_cast<void *>(fill), dim3(1), dim3(1), nullptr, 0, nullptr));
  GIVES("sync", cudaDeviceSynchronize());
  GIVES("unload", cudaLibraryUnload(library));
  GIVES("null", cudaLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
}
