// What the real CUDA driver and runtime answer about variables and kernels of modules and libraries that programs load.
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

CASE(module_variables) {
  init_modules();
  CUmodule module = nullptr;
  CUdeviceptr plain = 0, table = 0, zeros = 0, other = 0;
  size_t len = 77;
  GIVES("load", cuModuleLoadData(&module, image));
  GIVES("plain", cuModuleGetGlobal(&plain, &len, module, "plain"));
  value("len", len);
  GIVES("table", cuModuleGetGlobal(&table, &len, module, "table"));
  value("table_len", len);
  GIVES("zeros", cuModuleGetGlobal(&zeros, nullptr, module, "zeros"));
  GIVES("only_len", cuModuleGetGlobal(nullptr, &len, module, "zeros"));
  value("zeros_len", len);
  GIVES("neither", cuModuleGetGlobal(nullptr, nullptr, module, "zeros"));
  GIVES("none", cuModuleGetGlobal(&other, &len, module, "nothing"));
  GIVES("a_kernel", cuModuleGetGlobal(&other, &len, module, "fill"));
  GIVES("empty", cuModuleGetGlobal(&other, &len, module, ""));
  GIVES("null_name", cuModuleGetGlobal(&other, &len, module, nullptr));
  const int written = 9;
  GIVES("write", cuMemcpyHtoD(plain, &written, 4));
  GIVES("again", cuModuleGetGlobal(&other, &len, module, "plain"));
  value("same", other == plain);
  GIVES("fill", cuMemsetD8(zeros, 3, 16));
  GIVES("free", cuMemFree(plain));
  GIVES("unload", cuModuleUnload(module));
}
CASE(module_variables_attributes) {
  init_modules();
  CUmodule module = nullptr;
  CUdeviceptr zeros = 0, both = 0;
  size_t len = 0;
  cuModuleLoadData(&module, image);
  cuModuleGetGlobal(&zeros, &len, module, "zeros");
  unsigned type = 0, managed = 77;
  CUcontext context = nullptr;
  GIVES("type", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, zeros));
  value("type_is", type);
  GIVES("context", cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, zeros));
  value("context_same", context == primary);
  GIVES("managed", cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, zeros));
  value("managed_is", managed);
  GIVES("both", cuModuleGetGlobal(&both, &len, module, "both"));
  value("both_len", len);
}
CASE(module_managed_variable) {
  init_modules();
  CUmodule module = nullptr;
  CUdeviceptr both = 0;
  size_t len = 0;
  cuModuleLoadData(&module, image);
  cuModuleGetGlobal(&both, &len, module, "both");
  unsigned type = 77, managed = 77;
  GIVES("type", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, both));
  value("type_is", type);
  GIVES("managed", cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, both));
  value("managed_is", managed);
  cudaPointerAttributes attributes = {};
  GIVES("attributes", cudaPointerGetAttributes(&attributes, reinterpret_cast<void *>(both)));
  value("attributes_type", attributes.type);
  GIVES("unload", cuModuleUnload(module));
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
  CUmodule module = nullptr, of = nullptr;
  CUfunction fill = nullptr, again = nullptr, none = nullptr, all[3] = {};
  unsigned count = 77;
  GIVES("load", cuModuleLoadData(&module, image));
  GIVES("fill", cuModuleGetFunction(&fill, module, "fill"));
  GIVES("again", cuModuleGetFunction(&again, module, "fill"));
  value("same", fill == again);
  GIVES("none", cuModuleGetFunction(&none, module, "nothing"));
  GIVES("variable", cuModuleGetFunction(&none, module, "plain"));
  GIVES("null_name", cuModuleGetFunction(&none, module, nullptr));
  GIVES("count", cuModuleGetFunctionCount(&count, module));
  value("count_is", count);
  GIVES("all", cuModuleEnumerateFunctions(all, 3, module));
  value("third", all[2] != nullptr);
  GIVES("one", cuModuleEnumerateFunctions(all, 1, module));
  GIVES("no_room", cuModuleEnumerateFunctions(nullptr, 0, module));
  GIVES("null", cuModuleEnumerateFunctions(nullptr, 1, module));
  GIVES("module", cuFuncGetModule(&of, fill));
  value("module_same", of == module);
  GIVES("launch", cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  GIVES("sync", cuCtxSynchronize());
}
CASE(library_kernels) {
  init_modules();
  CUlibrary library = nullptr, of = nullptr;
  CUmodule module = nullptr;
  CUkernel fill = nullptr, none = nullptr, all[3] = {};
  CUfunction function = nullptr;
  unsigned count = 77;
  GIVES("load", cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  GIVES("fill", cuLibraryGetKernel(&fill, library, "fill"));
  GIVES("none", cuLibraryGetKernel(&none, library, "nothing"));
  GIVES("count", cuLibraryGetKernelCount(&count, library));
  value("count_is", count);
  GIVES("all", cuLibraryEnumerateKernels(all, 3, library));
  GIVES("function", cuKernelGetFunction(&function, fill));
  GIVES("library", cuKernelGetLibrary(&of, fill));
  value("library_same", of == library);
  GIVES("module", cuLibraryGetModule(&module, library));
  CUdeviceptr address = 0, managed = 0;
  size_t len = 0;
  GIVES("plain", cuLibraryGetGlobal(&address, &len, library, "plain"));
  value("len", len);
  GIVES("global_none", cuLibraryGetGlobal(&address, &len, library, "nothing"));
  GIVES("global_both", cuLibraryGetGlobal(&address, &len, library, "both"));
  GIVES("managed", cuLibraryGetManaged(&managed, &len, library, "both"));
  GIVES("managed_plain", cuLibraryGetManaged(&managed, &len, library, "plain"));
  GIVES("managed_none", cuLibraryGetManaged(&managed, &len, library, "nothing"));
  void *unified = nullptr;
  GIVES("unified", cuLibraryGetUnifiedFunction(&unified, library, "fill"));
  GIVES("launch", cuLaunchKernel(reinterpret_cast<CUfunction>(fill), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  GIVES("sync", cuCtxSynchronize());
  GIVES("unload", cuLibraryUnload(library));
}
CASE(library_without_context) {
  setenv("GEVT_HOSTCUDA_KERNELS", "skip", 1);
  cuInit(0);
  CUlibrary library = nullptr;
  CUdeviceptr address = 0;
  size_t len = 0;
  GIVES("load", cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  GIVES("plain", cuLibraryGetGlobal(&address, &len, library, "plain"));
  CUmodule module = nullptr;
  GIVES("module", cuModuleLoadData(&module, image));
  GIVES("unload", cuLibraryUnload(library));
}
CASE(runtime_library) {
  setenv("GEVT_HOSTCUDA_KERNELS", "skip", 1);
  cudaLibrary_t library = nullptr;
  cudaKernel_t fill = nullptr, none = nullptr;
  unsigned count = 77;
  void *address = nullptr;
  size_t len = 0;
  GIVES("load", cudaLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  GIVES("fill", cudaLibraryGetKernel(&fill, library, "fill"));
  GIVES("none", cudaLibraryGetKernel(&none, library, "nothing"));
  GIVES("count", cudaLibraryGetKernelCount(&count, library));
  value("count_is", count);
  GIVES("plain", cudaLibraryGetGlobal(&address, &len, library, "plain"));
  value("len", len);
  GIVES("global_none", cudaLibraryGetGlobal(&address, &len, library, "nothing"));
  cudaFuncAttributes attributes;
  GIVES("attributes", cudaFuncGetAttributes(&attributes, reinterpret_cast<void *>(fill)));
  GIVES("launch", cudaLaunchKernel(reinterpret_cast<void *>(fill), dim3(1), dim3(1), nullptr, 0, nullptr));
  GIVES("sync", cudaDeviceSynchronize());
  GIVES("unload", cudaLibraryUnload(library));
  GIVES("null", cudaLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
}

int main(int count, char **words) {
  return ask(count, words);
}
