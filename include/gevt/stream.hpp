// Streams: work that runs in order.
#pragma once

#include "context.hpp"
#include "handle.hpp"
#include "status.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace gevt {

class event_ref;

enum class stream_flags : std::uint32_t { none = GEVT_STREAM_DEFAULT, non_blocking = GEVT_STREAM_NON_BLOCKING };
enum class wait_flags : std::uint32_t { none = GEVT_WAIT_DEFAULT, external = GEVT_WAIT_EXTERNAL };

namespace detail {

template <class Self>
class stream_calls {
public:
  // Has the stream done all that it was given?
  [[nodiscard]] bool query() const { return check_unless(GEVT_ERROR_NOT_READY, gevt_stream_query(handle())); }
  [[nodiscard]] bool query(std::error_code &ec) const noexcept {
    return check_unless(GEVT_ERROR_NOT_READY, gevt_stream_query(handle()), ec);
  }
  void sync() const { check(gevt_stream_sync(handle())); }
  void sync(std::error_code &ec) const noexcept { check(gevt_stream_sync(handle()), ec); }

  // Lets what the stream is given from now on wait for the event.
  void wait(event_ref event, wait_flags flags = wait_flags::none) const;
  void wait(event_ref event, std::error_code &ec) const noexcept;
  void wait(event_ref event, wait_flags flags, std::error_code &ec) const noexcept;

  void launch(gevt_host_fn_t fn, void *user) const { check(gevt_stream_launch(handle(), fn, user)); }
  void launch(gevt_host_fn_t fn, void *user, std::error_code &ec) const noexcept {
    check(gevt_stream_launch(handle(), fn, user), ec);
  }

  // Runs work() in the stream's order. It is not copied: it has to live until it has run. What it throws ends the program.
  template <class Work>
  void launch(Work &work) const {
    launch(run<Work>, address(work));
  }
  template <class Work>
  void launch(Work &work, std::error_code &ec) const noexcept {
    launch(run<Work>, address(work), ec);
  }
  template <class Work>
  void launch(const Work &&) const = delete;
  template <class Work>
  void launch(const Work &&, std::error_code &) const = delete;

private:
  gevt_stream_t handle() const noexcept { return static_cast<const Self *>(this)->get(); }
  template <class Work>
  static void *address(Work &work) noexcept {
    static_assert(std::is_object_v<Work> && !std::is_const_v<Work>, "work has to be an object that is not const");
    return std::addressof(work);
  }
  template <class Work>
  static void run(void *work) noexcept {
    (*static_cast<Work *>(work))();
  }
};

} // namespace detail

class stream_ref : public detail::reference<gevt_stream_t>, public detail::stream_calls<stream_ref> {
public:
  using reference::reference;
};

// The default stream of the current context of whichever thread uses it.
inline stream_ref default_stream() noexcept {
  return gevt_stream_t{};
}

// A stream that is destroyed with its owner; what it was given still runs.
class stream : public detail::owner<stream, gevt_stream_t, gevt_stream_destroy>, public detail::stream_calls<stream> {
public:
  // Without a context: in the current one.
  explicit stream(stream_flags flags = stream_flags::none) { detail::check(create(nullptr, flags)); }
  explicit stream(stream_flags flags, std::error_code &ec) noexcept { detail::check(create(nullptr, flags), ec); }
  explicit stream(context_ref context, stream_flags flags = stream_flags::none) {
    detail::check(create(context.get(), flags));
  }
  explicit stream(context_ref context, stream_flags flags, std::error_code &ec) noexcept {
    detail::check(create(context.get(), flags), ec);
  }
  explicit stream(no_handle) noexcept {}
  stream(int) = delete;
  stream(std::nullptr_t) = delete;

  // Borrows a CUstream of the context.
  static stream from_native_handle(context_ref context, void *native) {
    stream self = none();
    detail::check(gevt_stream_adopt(self.out(), context.get(), native));
    return self;
  }
  static stream from_native_handle(context_ref context, void *native, std::error_code &ec) noexcept {
    stream self = none();
    detail::check(gevt_stream_adopt(self.out(), context.get(), native), ec);
    return self;
  }

  operator stream_ref() const noexcept { return get(); }

private:
  gevt_status_t create(gevt_context_t context, stream_flags flags) noexcept {
    return gevt_stream_create(out(), context, static_cast<std::uint32_t>(flags));
  }
};

} // namespace gevt
