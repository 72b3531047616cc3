#!/usr/bin/env bash
# gevt.hpp costs nothing over gevt.h: a query, a record and a wait through it are the very instructions of
# the C calls.
#
# Pairs of functions that do one thing by either way are compiled, and their disassemblies compared. A pair that differs on
# purpose shows that a difference would be found.
# -O2                    as programs are built.
# -ffunction-sections    each function begins at the start of a section, and jumps inside it have the same offsets.
# --no-show-raw-insn, -r names of called functions instead of bytes that the linker fills in later.
# Time: seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cat >"$scratch/pairs.cpp" <<'CODE'
#include <gevt.hpp>

extern "C" {

bool query_c(gevt_event_t event) {
  const gevt_status_t status = gevt_query(event);
  if (status == GEVT_SUCCESS) return true;
  if (status != GEVT_ERROR_NOT_READY) gevt::detail::fail(status);
  return false;
}
bool query_cpp(gevt_event_t event) { return gevt::event_ref(event).query(); }

void record_c(gevt_event_t event, gevt_stream_t stream) {
  const gevt_status_t status = gevt_record(event, stream);
  if (status != GEVT_SUCCESS) gevt::detail::fail(status);
}
void record_cpp(gevt_event_t event, gevt_stream_t stream) { gevt::event_ref(event).record(stream); }

gevt_status_t record_code_c(gevt_event_t event, gevt_stream_t stream) { return gevt_record(event, stream); }
gevt_status_t record_code_cpp(gevt_event_t event, gevt_stream_t stream) {
  std::error_code ec;
  gevt::event_ref(event).record(stream, ec);
  return ec.value();
}

bool sync_for_c(gevt_event_t event) {
  const gevt_status_t status = gevt_sync_timeout(event, 20000000);
  if (status == GEVT_SUCCESS) return true;
  if (status != GEVT_ERROR_TIMEOUT) gevt::detail::fail(status);
  return false;
}
bool sync_for_cpp(gevt_event_t event) { return gevt::event_ref(event).sync_for(std::chrono::milliseconds(20)); }

// The pair that differs.
bool control_c(gevt_event_t event) { return gevt_query(event) == GEVT_SUCCESS; }
bool control_cpp(gevt_event_t event) { return gevt::event_ref(event).query(); }

}
CODE

# code OBJECT FUNCTION: its instructions and the symbols that they name, without addresses and the function's own name.
code() {
  objdump --disassemble --no-show-raw-insn -r --section=".text.$2" "$1" | sed -n '/>:$/,$p' | sed "1d; s/$2/SELF/g"
}

failures=0
for compiler in g++ clang++; do
  if ! command -v "$compiler" >/dev/null; then
    skipped "the cost with $compiler: there is no $compiler here"
    continue
  fi
  "$compiler" -std=c++17 -O2 -ffunction-sections -Iinclude -c "$scratch/pairs.cpp" -o "$scratch/pairs.o"
  for pair in query record record_code sync_for control; do
    code "$scratch/pairs.o" "${pair}_c" >"$scratch/c"
    code "$scratch/pairs.o" "${pair}_cpp" >"$scratch/cpp"
    [ -s "$scratch/c" ] && [ -s "$scratch/cpp" ] || { echo "$compiler: no code of $pair was found" && exit 1; }
    same=yes
    cmp -s "$scratch/c" "$scratch/cpp" || same=no
    expected=yes
    [ "$pair" != control ] || expected=no
    if [ $same = $expected ]; then
      [ "$pair" = control ] || echo "$compiler: $pair: the same $(grep -c $'^ .*:\t' "$scratch/c") instructions"
    else
      echo "$compiler: $pair: FAILED"
      diff "$scratch/c" "$scratch/cpp" || true
      failures=$((failures + 1))
    fi
  done
done
[ $failures -eq 0 ]
