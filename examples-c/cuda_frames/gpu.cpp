#include "gpu.hpp"

#include <stdexcept>

namespace cuda {

Gpu::Gpu(const char *ptx) {
  CUdevice device = 0;
  CUDA(driver.device_get(&device, 0));
  char name[256] = "";
  CUDA(driver.device_name(name, sizeof name, device));
  int version = 0;
  CUDA(driver.version(&version));
  name_ = std::string(name) + ", a driver of CUDA " + std::to_string(version / 1000) + "." +
          std::to_string(version % 1000 / 10);

  CUresult code = driver.context_create(&context_, 0, device);
  if (refuses(code)) {
    return;
  }
  CUDA(code);
  char log[8192] = "";
  int names[] = {Driver::kJitErrorLog, Driver::kJitErrorLogSize};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  code = driver.module_load(&module_, ptx, 2, names, values);
  if (!refuses(code) && code != 0) {
    throw std::runtime_error("the kernels do not compile: " + describe(code) + "\n" + log);
  }
}

Gpu::~Gpu() {
  if (module_ != nullptr) {
    CUDA(driver.module_unload(module_));
  }
  if (context_ != nullptr) {
    CUDA(driver.context_destroy(context_));
  }
}

bool Gpu::refuses(CUresult code) {
  if (code == Driver::kNotSupported) {
    trouble_ = "this CUDA driver runs no kernels (" + describe(code) + ")";
  }
  return code == Driver::kNotSupported;
}

CUfunction Gpu::kernel(const char *name) const {
  CUfunction kernel = nullptr;
  CUDA(driver.module_function(&kernel, module_, name));
  return kernel;
}

} // namespace cuda
