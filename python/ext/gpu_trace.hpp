// PyTorch's trace of GPU calls, torch.cuda._gpu_trace. Its callbacks see gevt's events as they see PyTorch's own.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>

namespace gevt_py {

// Whether any callback is registered.
bool is_tracing();

// An event that the trace knows by its CUevent. `stream` is a CUstream. All but ended() are for a process that is tracing.
class traced_event {
public:
  ~traced_event() { ended(); }

  void recorded(std::uintptr_t event, std::uintptr_t stream, bool is_first) const;
  void awaited(std::uintptr_t event, std::uintptr_t stream) const;
  void synchronized(std::uintptr_t event) const;
  void ended() const noexcept;

private:
  mutable std::atomic<std::uintptr_t> event_{0};
};

} // namespace gevt_py
