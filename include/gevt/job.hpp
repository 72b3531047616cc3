/// @file gevt/job.hpp
/// A C++ callable as the function and `user` argument of gevt.h.
#pragma once

#include "../gevt.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace gevt::detail {

/// A callable as a `user` argument. A small one is stored in the pointer, a larger one is allocated.
template <class Work>
class packed {
protected:
  /// Whether the callable is stored in the argument.
  static constexpr bool fits = sizeof(Work) <= sizeof(void *) && std::is_trivially_copyable_v<Work>;

public:
  /// Copies or moves the callable into a `user` argument.
  template <class From>
  static void *pack(From &&from) {
    if constexpr (fits) {
      void *user = nullptr;
      const Work work(std::forward<From>(from));
      std::memcpy(&user, std::addressof(work), sizeof work);
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

  /// Destroys the callable.
  static void drop(void *user) noexcept {
    if constexpr (!fits) delete static_cast<Work *>(user);
  }

protected:
  /// Calls `use` with the callable of a `user` argument.
  template <class Use>
  static void with(void *user, Use use) noexcept {
    if constexpr (fits) {
      alignas(Work) std::byte place[sizeof(Work)];
      std::memcpy(place, &user, sizeof place);
      use(*std::launder(reinterpret_cast<Work *>(place)));
    } else {
      use(*static_cast<Work *>(user));
    }
  }
};

/// A callable that is called once.
template <class Work>
class job : public packed<Work> {
  static_assert(std::is_invocable_v<Work &>, "a stream runs a callable without arguments");

public:
  /// Calls the callable and destroys it.
  static void run(void *user) noexcept {
    packed<Work>::with(user, [](Work &work) { static_cast<void>(work()); });
    packed<Work>::drop(user);
  }
};

/// A callable that is called once, with the status of an event.
template <class Work>
class completion : public packed<Work> {
public:
  /// Calls the callable and destroys it.
  static void run(void *user, gevt_status_t status) noexcept {
    packed<Work>::with(user, [=](Work &work) { static_cast<void>(work(status)); });
    packed<Work>::drop(user);
  }
};

/// A callable that is called for each of many items, several at once.
template <class Work>
class items : public packed<Work> {
  static_assert(std::is_invocable_v<Work &, std::size_t, std::uint32_t>,
                "a stream calls a callable with the number of an item and that of a worker");

public:
  /// Calls the callable for an item.
  static void run(void *user, std::size_t item, std::uint32_t worker) noexcept {
    packed<Work>::with(user, [=](Work &work) { static_cast<void>(work(item, worker)); });
  }
  /// Whether the callable must be destroyed after the items.
  static constexpr bool is_allocated = !packed<Work>::fits;
};

} // namespace gevt::detail
