// PyTorch's trace of GPU calls, torch.utils._gpu_trace. Its callbacks see gevt's events as they see PyTorch's own.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>

namespace gevt_py {

// What the trace knows of an event: its CUevent, once its creation was announced.
class traced_event {
public:
  ~traced_event() { ended(); }

  // Each does nothing while nobody traces. `stream` is a CUstream.
  void recorded(std::uintptr_t event, std::uintptr_t stream) const;
  void awaited(std::uintptr_t event, std::uintptr_t stream) const;
  void synchronized(std::uintptr_t event) const;
  void ended() const noexcept;

private:
  void created(std::uintptr_t event) const;

  mutable std::atomic<std::uintptr_t> event_{0};
};

// Whether the module is there, so that somebody may trace.
bool may_be_traced();

} // namespace gevt_py
