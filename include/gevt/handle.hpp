/// @file gevt/handle.hpp
/// References to handles, and owners of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gevt::detail {

/// A handle that another object owns.
template <class Handle>
class reference {
public:
  /// Refers to the object of a handle of gevt.h.
  constexpr reference(Handle handle) noexcept : handle_(handle) {}
  reference(int) = delete;            ///< A literal 0 is no handle.
  reference(std::nullptr_t) = delete; ///< nullptr is no handle.

  /// Returns the handle.
  constexpr Handle get() const noexcept { return handle_; }
  /// @private
  constexpr Handle named() const noexcept { return handle_; }

  /// Returns whether both handles are the same.
  friend constexpr bool operator==(reference a, reference b) noexcept { return a.handle_ == b.handle_; }
  /// Returns whether the handles differ.
  friend constexpr bool operator!=(reference a, reference b) noexcept { return a.handle_ != b.handle_; }

private:
  Handle handle_;
};

/// A handle that is released when its owner is destroyed. `Self` is the class of the owner.
template <class Self, class Handle, auto End>
class owner {
public:
  /// Takes over the handle of another owner, which then owns nothing.
  owner(owner &&other) noexcept : handle_(other.release()) {}
  /// Releases this handle and takes over that of another owner.
  owner &operator=(owner &&other) noexcept {
    Handle handle = other.release();
    destroy();
    handle_ = handle;
    return *this;
  }
  /// Releases the handle.
  ~owner() { destroy(); }

  /// Takes ownership of a handle of gevt.h.
  [[nodiscard]] static Self from_handle(Handle handle) noexcept {
    Self self{no_handle{}};
    self.handle_ = handle;
    return self;
  }
  static Self from_handle(int) = delete;            ///< A literal 0 is no handle; see none().
  static Self from_handle(std::nullptr_t) = delete; ///< nullptr is no handle; see none().

  /// Returns an owner of nothing. Calls on it fail with errc::invalid_handle.
  [[nodiscard]] static Self none() noexcept { return Self{no_handle{}}; }

  /// Returns the handle, or NULL for an owner of nothing.
  Handle get() const noexcept { return handle_; }
  /// @private For calls in which NULL means the default stream or context: an empty owner passes an invalid handle instead.
  Handle named() const noexcept { return handle_ != nullptr ? handle_ : reinterpret_cast<Handle>(~std::uintptr_t{0}); }
  /// Returns whether there is a handle.
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  /// Returns the handle and gives up ownership: the caller has to release it.
  [[nodiscard]] Handle release() noexcept {
    Handle handle = handle_;
    handle_ = nullptr;
    return handle;
  }

  /// Destroys or closes the object now; the owner is empty afterwards. Does nothing if the object was already destroyed through gevt.h.
  void destroy() noexcept {
    if (handle_ != nullptr) End(release());
  }

protected:
  /// @private
  struct no_handle {
    explicit no_handle() = default;
  };
  /// @private
  owner() noexcept = default;
  /// @private
  Handle *out() noexcept { return &handle_; }

private:
  Handle handle_ = nullptr;
};

} // namespace gevt::detail
