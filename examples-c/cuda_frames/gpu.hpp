// A GPU: a context of its own on device 0, and the kernels of a PTX text in it.
#pragma once

#include "driver.hpp"

namespace cuda {

class Gpu {
public:
  // Leaves the context current. Throws std::runtime_error if the kernels do not compile.
  explicit Gpu(const char *ptx);
  ~Gpu();
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  // Why this driver cannot run kernels; nothing where it can.
  const std::string &trouble() const { return trouble_; }
  const std::string &name() const { return name_; } // with the driver's version
  CUcontext context() const { return context_; }
  CUfunction kernel(const char *name) const;

private:
  bool refuses(CUresult code);

  std::string trouble_, name_;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
};

} // namespace cuda
