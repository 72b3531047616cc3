// Contexts: one device of one backend each.
#pragma once

#include "handle.hpp"
#include "status.hpp"

#include <cstdint>

namespace gevt {

enum class backend : gevt_backend_t {
  automatic = GEVT_BACKEND_AUTO,
  host = GEVT_BACKEND_HOST,
  cuda = GEVT_BACKEND_CUDA
};

inline int device_count(backend backend) {
  std::int32_t count = 0;
  detail::check(gevt_device_count(&count, static_cast<gevt_backend_t>(backend)));
  return count;
}
inline int device_count(backend backend, std::error_code &ec) noexcept {
  std::int32_t count = 0;
  detail::check(gevt_device_count(&count, static_cast<gevt_backend_t>(backend)), ec);
  return count;
}

namespace detail {

template <class Self>
class context_calls {
public:
  // Makes it the calling thread's current context.
  void set_current() const { check(gevt_context_set_current(handle())); }
  void set_current(std::error_code &ec) const noexcept { check(gevt_context_set_current(handle()), ec); }
  void sync() const { check(gevt_context_sync(handle())); }
  void sync(std::error_code &ec) const noexcept { check(gevt_context_sync(handle()), ec); }

private:
  gevt_context_t handle() const noexcept { return static_cast<const Self *>(this)->get(); }
};

} // namespace detail

class context_ref : public detail::reference<gevt_context_t>, public detail::context_calls<context_ref> {
public:
  using reference::reference;

  // The calling thread's current context.
  static context_ref current() {
    gevt_context_t handle = nullptr;
    detail::check(gevt_context_get_current(&handle));
    return handle;
  }
  static context_ref current(std::error_code &ec) noexcept {
    gevt_context_t handle = nullptr;
    detail::check(gevt_context_get_current(&handle), ec);
    return handle;
  }

  // Lets the calling thread go back to the context that it has where none was set.
  static void reset_current() { detail::check(gevt_context_set_current(nullptr)); }
  static void reset_current(std::error_code &ec) noexcept { detail::check(gevt_context_set_current(nullptr), ec); }
};

// A context that is closed with its owner; its streams and events go on.
class context : public detail::owner<context, gevt_context_t, gevt_context_close>,
                public detail::context_calls<context> {
public:
  explicit context(backend backend, std::int32_t device = 0) {
    detail::check(gevt_context_open(out(), static_cast<gevt_backend_t>(backend), device));
  }
  context(backend backend, std::int32_t device, std::error_code &ec) noexcept {
    detail::check(gevt_context_open(out(), static_cast<gevt_backend_t>(backend), device), ec);
  }
  explicit context(no_handle) noexcept {}

  // Borrows a CUcontext.
  static context from_native_handle(backend backend, void *native) {
    context self = none();
    detail::check(gevt_context_adopt(self.out(), static_cast<gevt_backend_t>(backend), native));
    return self;
  }
  static context from_native_handle(backend backend, void *native, std::error_code &ec) noexcept {
    context self = none();
    detail::check(gevt_context_adopt(self.out(), static_cast<gevt_backend_t>(backend), native), ec);
    return self;
  }

  operator context_ref() const noexcept { return get(); }
};

} // namespace gevt
