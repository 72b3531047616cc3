#!/bin/sh
# The C++ headers compile alone and included twice, as C++17 and together as C++20, define no macro, know every status of gevt.h, and
# refuse what they promise to refuse.
# usage: header_cpp.sh C++_COMPILER INCLUDE_DIRECTORY
set -u
cxx=$1
include=$2
flags="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Werror"
failures=0

if ! command -v "$cxx" >/dev/null 2>&1; then
  echo "SKIPPED: the C++ headers with $cxx: there is no $cxx here" | tee -a "${GEVT_SKIP_FILE:-/dev/null}"
  exit 77
fi

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# Without this, dash does not run the trap above when a signal ends it.
trap 'exit 130' HUP INT TERM

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# compile STANDARD [OPTION...]: what stands in standard input.
compile() {
  standard=$1
  shift
  cat >"$scratch/file.cpp"
  # shellcheck disable=SC2086 # the flags are several words
  "$cxx" "-std=$standard" $flags "-I$include" "$@" -fsyntax-only "$scratch/file.cpp" >"$scratch/output" 2>&1
}

# Twice in one file is also once. That for Vulkan wants Vulkan's own header before it.
headers=$(cd "$include" && echo gevt.hpp gevt/*.hpp)
for header in $headers; do
  if [ "$header" = gevt/vulkan.hpp ]; then
    echo '#include <vulkan/vulkan.h>' | compile c++17 || { echo "SKIPPED: $header: there are no headers of Vulkan here" && continue; }
    printf '#include <vulkan/vulkan.h>\n#include <%s>\n#include <%s>\n' "$header" "$header" | compile c++17 || { fail "$header" && cat "$scratch/output"; }
    continue
  fi
  printf '#include <%s>\n#include <%s>\n' "$header" "$header" | compile c++17 || { fail "$header" && cat "$scratch/output"; }
done
echo '#include <gevt.hpp>' | compile c++20 || { fail "gevt.hpp as C++20" && cat "$scratch/output"; }

echo '#include <gevt.hpp>' | compile c++17 -fno-exceptions || { fail "gevt.hpp without exceptions" && cat "$scratch/output"; }

for standard in c++11 c++14; do
  if echo '#include <gevt.hpp>' | compile $standard; then fail "gevt.hpp is accepted as $standard"; fi
  grep -q 'gevt.hpp needs C++17' "$scratch/output" || fail "gevt.hpp does not say that $standard is too old"
done

# Precompiled for the many small programs below.
echo '#include <gevt.hpp>' >"$scratch/all.hpp"
# shellcheck disable=SC2086
"$cxx" -std=c++17 $flags "-I$include" -x c++-header "$scratch/all.hpp" -o "$scratch/all.hpp.gch" || fail "gevt.hpp is not precompiled"

# body STATEMENT [NAME]: a function of that name around it.
body() {
  name=${2:-use}
  cat <<END_OF_BODY
void $name(gevt_event_t handle, gevt::event &event, gevt::timed_event &timed, gevt::stream &stream);
void $name(gevt_event_t handle, gevt::event &event, gevt::timed_event &timed, gevt::stream &stream) {
  static_cast<void>(handle), static_cast<void>(event), static_cast<void>(timed), static_cast<void>(stream);
  const auto work = [] {};
  auto counter = [i = 0]() mutable { i++; };
  auto with_argument = [](int) {};
  struct [[nodiscard]] result {};
  auto important = [] { return result(); };
  auto important_item = [](std::size_t, std::uint32_t) { return result(); };
  static_cast<void>(important), static_cast<void>(important_item);
  static_cast<void>(work), static_cast<void>(counter), static_cast<void>(with_argument);
  $1;
}
END_OF_BODY
}

# In one file, which is quicker.
count=0
for statement in '' 'gevt::event_ref ref(handle)' 'event.record(stream)' 'static_cast<void>(timed - timed)' \
  'stream.launch(counter)' 'stream.launch(std::move(counter))' 'stream.launch([] {})' 'stream.launch(work)' \
  'stream.launch(important)' 'stream.launch_n(1, important_item)' 'gevt::stream other(gevt::non_blocking)'; do
  body "$statement" use$((count += 1)) >>"$scratch/accepted.cpp"
done
compile c++17 -include "$scratch/all.hpp" <"$scratch/accepted.cpp" || { fail "refuses one of these" && cat "$scratch/output"; }
for statement in 'gevt::event_ref ref(0)' 'gevt::event_ref ref(NULL)' 'gevt::event_ref ref(nullptr)' 'gevt::event_ref ref{0}' \
  'gevt::event_ref ref' 'gevt::event other(0)' 'gevt::event other{nullptr}' 'gevt::event other(handle)' \
  'gevt::event other(event)' 'event = timed' 'event.query()' 'static_cast<void>(event - event)' \
  'static_cast<void>(timed - event)' 'stream.launch(with_argument)' 'gevt::event::from_handle(0)' \
  'gevt::event::from_handle(stream.get())' 'event.release()' 'gevt::event other({})' 'event.record(nullptr)'; do
  if body "$statement" | compile c++17 -include "$scratch/all.hpp"; then fail "accepts: $statement"; fi
done

# macros FILE: the names of gevt's that it defines.
macros() {
  printf '#include <%s>\n' "$1" | "$cxx" -std=c++17 "-I$include" -dM -E -x c++ - | grep -o '^#define GEVT\w*' | sort
}
[ "$(macros gevt.h)" = "$(macros gevt.hpp)" ] || fail "gevt.hpp defines macros"

statuses=$(grep -o '^#define GEVT_\(SUCCESS\|ERROR_[A-Z_]*\)' "$include/gevt.h" | cut -d ' ' -f 2)
[ -n "$statuses" ] || fail "gevt.h has no statuses"
for status in $statuses; do
  grep -q "= $status," "$include/gevt/status.hpp" || fail "gevt::errc lacks $status"
done

if [ "$failures" -ne 0 ]; then
  echo "FAILED: $failures checks"
  exit 1
fi
echo "passed: $("$cxx" --version | head -n 1)"
