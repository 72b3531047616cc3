// gevt.hpp: what its types promise to the compiler. There is nothing to run: it compiles.
#include <gevt.hpp>
#include <gevt/timer.hpp>

#include <chrono>
#include <climits>
#include <cstddef>
#include <functional>
#include <limits>
#include <ratio>
#include <system_error>
#include <type_traits>
#include <utility>

namespace {

using namespace std::chrono_literals;

// Owners move and do not copy, and moving does not throw.
template <class T>
constexpr bool owns = !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
                      std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;
static_assert(owns<gevt::event> && owns<gevt::timed_event> && owns<gevt::stream> && owns<gevt::context>);

// Zones refer to their timer, which stays where it is.
static_assert(!std::is_copy_constructible_v<gevt::frame_timer> && !std::is_move_constructible_v<gevt::frame_timer>);
static_assert(!std::is_copy_constructible_v<gevt::open_zone> && std::is_nothrow_move_constructible_v<gevt::open_zone>);

// References are handles to the calling convention.
template <class T, class Handle>
constexpr bool refers = std::is_trivially_copyable_v<T> &&std::is_standard_layout_v<T> &&
                        sizeof(T) == sizeof(Handle) && std::is_nothrow_constructible_v<T, Handle>;
static_assert(refers<gevt::event_ref, gevt_event_t> && refers<gevt::stream_ref, gevt_stream_t> &&
              refers<gevt::context_ref, gevt_context_t>);
static_assert(sizeof(gevt::event) == sizeof(gevt_event_t) && sizeof(gevt::timed_event) == sizeof(gevt_event_t));

// None of them takes a number, a literal 0, which is a null pointer as well, or an empty list.
#define IS_VALID(name, expression)                                                                                     \
  template <class T, class = void>                                                                                     \
  constexpr bool name = false;                                                                                         \
  template <class T>                                                                                                   \
  constexpr bool name<T, std::void_t<decltype(expression)>> = true
IS_VALID(takes_zero, T(0));
IS_VALID(takes_zero_in_a_list, T{0});
IS_VALID(takes_null, T(NULL));
IS_VALID(takes_nullptr_in_a_list, T{nullptr});
IS_VALID(takes_empty_list, T({}));
template <class T>
constexpr bool takes_no_number =
    !std::is_constructible_v<T, int> && !std::is_constructible_v<T, std::nullptr_t> && !std::is_convertible_v<int, T> &&
    !std::is_convertible_v<std::nullptr_t, T> && !takes_zero<T> && !takes_zero_in_a_list<T> && !takes_null<T> &&
    !takes_nullptr_in_a_list<T>;
static_assert(takes_no_number<gevt::event_ref> && takes_no_number<gevt::stream_ref> &&
              takes_no_number<gevt::context_ref>);
static_assert(takes_no_number<gevt::event> && takes_no_number<gevt::timed_event> && takes_no_number<gevt::stream> &&
              takes_no_number<gevt::context>);
static_assert(!std::is_default_constructible_v<gevt::event_ref> && !takes_empty_list<gevt::event>);
IS_VALID(takes_over_zero, T::from_handle(0));
IS_VALID(takes_over_a_stream, T::from_handle(std::declval<gevt_stream_t>()));
static_assert(!takes_over_zero<gevt::event> && !takes_over_a_stream<gevt::event> && takes_over_a_stream<gevt::stream>);
IS_VALID(records_on_nullptr, std::declval<T &>().record(nullptr));
static_assert(!records_on_nullptr<gevt::event>);

// A bare handle becomes an owner only by name.
static_assert(!std::is_constructible_v<gevt::event, gevt_event_t> &&
              !std::is_constructible_v<gevt::stream, gevt_stream_t>);
static_assert(!std::is_constructible_v<gevt::event_ref, gevt_stream_t> &&
              !std::is_constructible_v<gevt::stream_ref, gevt_event_t>);
static_assert(!std::is_convertible_v<gevt::event_ref, gevt::event> &&
              std::is_convertible_v<gevt::event &, gevt::event_ref> &&
              std::is_convertible_v<gevt::timed_event &, gevt::event_ref>);
// An event without timing cannot get into the place of one with it, nor the other way round.
static_assert(!std::is_assignable_v<gevt::timed_event &, gevt::event> &&
              !std::is_assignable_v<gevt::event &, gevt::timed_event>);

template <class A, class B, class = void>
constexpr bool has_difference = false;
template <class A, class B>
constexpr bool has_difference<A, B, std::void_t<decltype(std::declval<A>() - std::declval<B>())>> = true;
using event = const gevt::event &;
using timed_event = const gevt::timed_event &;
static_assert(has_difference<timed_event, timed_event> && has_difference<gevt::timed_event_ref, timed_event>);
static_assert(std::is_convertible_v<gevt::timed_event &, gevt::timed_event_ref> &&
              !std::is_convertible_v<gevt::event &, gevt::timed_event_ref> &&
              std::is_convertible_v<gevt::timed_event_ref, gevt::event_ref>);
static_assert(
    std::is_same_v<decltype(std::declval<timed_event>() - std::declval<timed_event>()), std::chrono::nanoseconds>);
static_assert(!has_difference<event, event> && !has_difference<timed_event, event> &&
              !has_difference<event, timed_event> && !has_difference<gevt::event_ref, gevt::event_ref> &&
              !has_difference<timed_event, gevt::event_ref>);

static_assert(std::is_error_code_enum_v<gevt::errc> && std::is_base_of_v<std::system_error, gevt::error>);
static_assert(std::is_same_v<std::underlying_type_t<gevt::errc>, gevt_status_t>);

// Work is what can be called without arguments, lvalue or rvalue, constant or not.
template <class Work, class = void>
constexpr bool launches = false;
template <class Work>
constexpr bool launches<Work, std::void_t<decltype(std::declval<gevt::stream &>().launch(std::declval<Work>()))>> =
    true;
struct counter {
  void operator()();
};
static_assert(launches<counter> && launches<counter &> && launches<const std::function<void()> &>);
static_assert(!launches<void (*)(int)> && !launches<std::function<void(int)>>);
static_assert(std::is_constructible_v<gevt::stream, decltype(gevt::non_blocking)>);

// The forms with a code throw nothing; those without may.
using code = std::error_code &;
static_assert(noexcept(std::declval<event>().query(std::declval<code>())));
static_assert(noexcept(std::declval<event>().record(std::declval<gevt::stream &>(), std::declval<code>())));
static_assert(noexcept(std::declval<event>().sync_for(std::declval<std::chrono::seconds &>(), std::declval<code>())));
static_assert(noexcept(std::declval<timed_event>().since(std::declval<timed_event>(), std::declval<code>())));
static_assert(noexcept(std::declval<gevt::stream &>().wait(std::declval<event>(), std::declval<code>())));
static_assert(noexcept(gevt::event(gevt::event_flags::none, std::declval<code>())));
static_assert(noexcept(gevt::sync_all_for(nullptr, 0, std::declval<std::chrono::seconds &>(), std::declval<code>())));
static_assert(noexcept(gevt::make_error_code(gevt::errc::timeout)) &&noexcept(gevt::category()));
static_assert(!noexcept(std::declval<event>().query()) && !noexcept(gevt::event()));

// Timeouts.
using gevt::detail::timeout_ns;
constexpr std::uint64_t for_ever = GEVT_TIMEOUT_INFINITE;
static_assert(timeout_ns(0s) == 0 && timeout_ns(-1ns) == 0 && timeout_ns(std::chrono::hours::min()) == 0);
static_assert(timeout_ns(1ns) == 1 && timeout_ns(1us) == 1000 && timeout_ns(3s) == 3000000000);
static_assert(timeout_ns(std::chrono::nanoseconds::max()) == for_ever &&
              timeout_ns(std::chrono::hours::max()) == for_ever);
static_assert(timeout_ns(std::chrono::nanoseconds::max() - 1ns) == static_cast<std::uint64_t>(LLONG_MAX) - 1);
static_assert(timeout_ns(std::chrono::seconds(18446744073)) == 18446744073000000000u);
static_assert(timeout_ns(std::chrono::seconds(18446744074)) == for_ever);
static_assert(timeout_ns(std::chrono::duration<int, std::pico>(1)) == 1 &&
              timeout_ns(std::chrono::duration<int, std::pico>(2001)) == 3);
static_assert(timeout_ns(std::chrono::duration<int, std::ratio<1, 60>>(1)) == 16666667);
static_assert(timeout_ns(std::chrono::duration<unsigned long long, std::nano>(ULLONG_MAX - 1)) == ULLONG_MAX - 1);
static_assert(timeout_ns(std::chrono::duration<int, std::exa>(1)) == for_ever);
static_assert(timeout_ns(std::chrono::duration<double>(1.5)) == 1500000000 &&
              timeout_ns(std::chrono::duration<double>(-1.5)) == 0);
static_assert(timeout_ns(std::chrono::duration<double, std::nano>(0.25)) == 1 &&
              timeout_ns(std::chrono::duration<float>(1e30f)) == for_ever);
static_assert(timeout_ns(std::chrono::duration<double>(std::numeric_limits<double>::infinity())) == for_ever);
static_assert(timeout_ns(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())) == 0);

} // namespace
