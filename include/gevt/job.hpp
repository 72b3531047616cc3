/// @file gevt/job.hpp
/// A C++ callable as the function and `user` argument of gevt.h.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace gevt::detail {

/// A callable that is called once. A small one travels inside the `user` argument, any other one is allocated.
template <class Work>
class job {
  static_assert(std::is_invocable_v<Work &>, "a stream runs a callable without arguments");
  static constexpr bool fits = sizeof(Work) <= sizeof(void *) && std::is_trivially_copyable_v<Work>;

public:
  /// Copies or moves the callable into a `user` argument.
  template <class From>
  static void *pack(From &&from) {
    if constexpr (fits) {
      void *user = nullptr;
      const Work work(std::forward<From>(from));
      std::memcpy(&user, &work, sizeof work);
      return user;
    } else {
      return new Work(std::forward<From>(from));
    }
  }
  /// Like the form above; returns false if there is no memory.
  template <class From>
  static bool pack(From &&from, void *&user, std::nothrow_t) noexcept {
    if constexpr (fits) {
      user = pack(std::forward<From>(from));
      return true;
    } else {
      user = new (std::nothrow) Work(std::forward<From>(from));
      return user != nullptr;
    }
  }

  /// Destroys a callable that does not run.
  static void drop(void *user) noexcept {
    if constexpr (!fits) delete static_cast<Work *>(user);
  }

  /// Calls the callable and destroys it.
  static void run(void *user) noexcept {
    if constexpr (fits) {
      alignas(Work) std::byte place[sizeof(Work)];
      std::memcpy(place, &user, sizeof place);
      (*std::launder(reinterpret_cast<Work *>(place)))();
    } else {
      const std::unique_ptr<Work> work(static_cast<Work *>(user));
      (*work)();
    }
  }
};

} // namespace gevt::detail
