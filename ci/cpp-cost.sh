#!/usr/bin/env bash
# gevt.hpp costs nothing over gevt.h: functions that do one thing by either way are compiled to the same instructions. A pair that differs on
# purpose shows that a difference would be found.
. "$(dirname "$0")/lib.sh"

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

# code FUNCTION: its instructions and the symbols that they name, without addresses and the function's own name.
code() {
  objdump --disassemble --no-show-raw-insn -r --section=".text.$1" "$scratch/pairs.o" | sed -n '/>:$/,$p' | sed "1d; s/$1/SELF/g"
}
for compiler in g++ clang++; do
  command -v "$compiler" >/dev/null || { skipped "the cost with $compiler: there is no $compiler here" && continue; }
  "$compiler" -std=c++17 -O2 -ffunction-sections -Iinclude -c "$scratch/pairs.cpp" -o "$scratch/pairs.o"
  for pair in query record record_code sync_for control; do
    code "${pair}_c" >"$scratch/c"
    code "${pair}_cpp" >"$scratch/cpp"
    [ -s "$scratch/c" ] && [ -s "$scratch/cpp" ] || fail "$compiler: no code of $pair was found"
    if [ $pair = control ]; then
      ! cmp -s "$scratch/c" "$scratch/cpp" || fail "$compiler: two functions that differ have the same code"
    else
      diff "$scratch/c" "$scratch/cpp" || fail "$compiler: $pair"
      echo "$compiler: $pair: the same $(grep -c $'^ .*:\t' "$scratch/c") instructions"
    fi
  done
done
