#include <gevt.hpp>
#include <cstdio>

int main() {
  const gevt::stream stream;
  const gevt::timed_event start, end;
  int answer = 0;
  start.record(stream);
  stream.launch([&answer] { answer = 42; });
  end.record(stream);
  if (!end.sync_for(std::chrono::minutes(1)) || end - start <= std::chrono::nanoseconds::zero()) return 1;
  std::printf("%s %d\n", gevt_version_string(), answer);
}
