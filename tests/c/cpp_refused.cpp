// gevt.hpp: results that a program must not drop. A compiler warns of each line that says so, and of no other; header.sh compares them.
#include <gevt.hpp>

void use(gevt::event &event, const gevt::timed_event &timed, const gevt::stream &stream);
void use(gevt::event &event, const gevt::timed_event &timed, const gevt::stream &stream) {
  event.query();   // refused
  event.release(); // refused
  timed - timed;   // refused
  static_cast<void>(timed - timed);
  event.record(stream);
  // A stream drops what its work returns.
  struct [[nodiscard]] result {};
  const auto important = [] { return result(); };
  const auto important_item = [](std::size_t, std::uint32_t) { return result(); };
  stream.launch(important);
  stream.launch_n(1, important_item);
}
