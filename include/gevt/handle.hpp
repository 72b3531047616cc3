// What references and owners have in common.
#pragma once

#include <cstddef>

namespace gevt::detail {

// A handle that somebody else owns.
template <class Handle>
class reference {
public:
  constexpr reference(Handle handle) noexcept : handle_(handle) {}
  reference(int) = delete;
  reference(std::nullptr_t) = delete;

  constexpr Handle get() const noexcept { return handle_; }

  friend constexpr bool operator==(reference a, reference b) noexcept { return a.handle_ == b.handle_; }
  friend constexpr bool operator!=(reference a, reference b) noexcept { return a.handle_ != b.handle_; }

private:
  Handle handle_;
};

// A handle that ends with its owner. Self keeps the owners of one type of handle apart.
template <class Self, class Handle, auto End>
class owner {
public:
  owner(owner &&other) noexcept : handle_(other.release()) {}
  owner &operator=(owner &&other) noexcept {
    Handle handle = other.release();
    reset();
    handle_ = handle;
    return *this;
  }
  ~owner() { reset(); }

  // Takes over a handle of gevt.h that the caller has owned up to now.
  static Self from_handle(Handle handle) noexcept {
    Self self{no_handle{}};
    self.handle_ = handle;
    return self;
  }
  static Self from_handle(int) = delete;
  static Self from_handle(std::nullptr_t) = delete;

  // An owner of nothing; calls on it fail with errc::invalid_handle.
  static Self none() noexcept { return Self{no_handle{}}; }

  Handle get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  // Hands the handle out, which the caller then owns.
  [[nodiscard]] Handle release() noexcept {
    Handle handle = handle_;
    handle_ = nullptr;
    return handle;
  }

  // Ends what is owned. A handle that was ended behind the owner's back is left alone.
  void reset() noexcept {
    if (handle_ != nullptr) static_cast<void>(End(release()));
  }

protected:
  struct no_handle {
    explicit no_handle() = default;
  };
  owner() noexcept = default;
  Handle *out() noexcept { return &handle_; }

private:
  Handle handle_ = nullptr;
};

} // namespace gevt::detail
