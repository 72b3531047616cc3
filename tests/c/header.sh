#!/bin/sh
# The header compiles alone and included twice in each C and C++ standard, and keeps what it promises to the compiler:
# a dropped status is a warning, except of a destroy or close function, handles of different kinds do not mix, and C++
# functions are noexcept.
# usage: header.sh C_COMPILER C++_COMPILER INCLUDE_DIRECTORY
set -u
cc=$1
cxx=$2
include=$3
flags="-Wall -Wextra -Wpedantic -Werror"
failures=0

for compiler in "$cc" "$cxx"; do
  if ! command -v "$compiler" >/dev/null 2>&1; then
    echo "SKIPPED: the header with $cc and $cxx: there is no $compiler here" | tee -a "${GEVT_SKIP_FILE:-/dev/null}"
    exit 77
  fi
done

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# Without this, dash does not run the trap above when a signal ends it.
trap 'exit 130' HUP INT TERM

# compile COMPILER STANDARD FILE: whole, not only parsed, since gcc looks for dropped results late.
compile() {
  # shellcheck disable=SC2086 # the flags are several words
  "$1" "-std=$2" $flags "-I$include" -c -o "$scratch/object.o" "$3" >"$scratch/output" 2>&1
}

accepts() {
  if ! compile "$1" "$2" "$3"; then
    echo "FAILED: $1 -std=$2 refuses $(basename "$3"):"
    cat "$scratch/output"
    failures=$((failures + 1))
  fi
}

refuses() {
  if compile "$1" "$2" "$3"; then
    echo "FAILED: $1 -std=$2 accepts $(basename "$3")"
    failures=$((failures + 1))
  fi
}

for suffix in c cpp; do
  echo '#include <gevt.h>' >"$scratch/alone.$suffix"
  printf '#include <gevt.h>\n#include <gevt.h>\n' >"$scratch/twice.$suffix"
  cat >"$scratch/use.$suffix" <<'END'
#include <gevt.h>
gevt_status_t use(gevt_stream_t stream);
gevt_status_t use(gevt_stream_t stream) {
  gevt_event_t event = 0;
  gevt_status_t status = gevt_create(&event, GEVT_EVENT_DISABLE_TIMING);
  if (status != GEVT_SUCCESS) return status;
  status = gevt_record(event, stream);
  if (status == GEVT_SUCCESS) status = gevt_sync_timeout(event, GEVT_TIMEOUT_INFINITE);
  gevt_destroy(event);
  gevt_stream_destroy(stream);
  gevt_context_close(0);
  return status;
}
#if GEVT_VERSION != GEVT_VERSION_MAJOR * 10000 + GEVT_VERSION_MINOR * 100 + GEVT_VERSION_PATCH || GEVT_VERSION < 100
#error "the version macros"
#endif
END
  cat >"$scratch/dropped_status.$suffix" <<'END'
#include <gevt.h>
void use(gevt_event_t event);
void use(gevt_event_t event) {
  gevt_query(event);
}
END
  cat >"$scratch/mixed_handles.$suffix" <<'END'
#include <gevt.h>
gevt_status_t use(gevt_stream_t stream);
gevt_status_t use(gevt_stream_t stream) {
  return gevt_query(stream);
}
END
done
cat >"$scratch/noexcept.cpp" <<'END'
#include <gevt.h>
static_assert(noexcept(gevt_query(nullptr)) && noexcept(gevt_version()), "");
END

for standard in c99 c11 c17; do
  for file in alone twice use; do accepts "$cc" "$standard" "$scratch/$file.c"; done
  for file in dropped_status mixed_handles; do refuses "$cc" "$standard" "$scratch/$file.c"; done
done
for standard in c++11 c++17 c++20; do
  for file in alone twice use noexcept; do accepts "$cxx" "$standard" "$scratch/$file.cpp"; done
  for file in dropped_status mixed_handles; do refuses "$cxx" "$standard" "$scratch/$file.cpp"; done
done

if [ "$failures" -ne 0 ]; then
  echo "FAILED: $failures compilations"
  exit 1
fi
echo "passed: $("$cc" --version | head -n 1); $("$cxx" --version | head -n 1)"
