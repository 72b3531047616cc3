#!/usr/bin/env bash
# Runs the programs of this folder with the drop-in, and without it where the two have to be the same.
#
# usage: tests/shim/run.sh LIBGEVT_CUDA FOLDER_OF_HOSTCUDA BUILD     FOLDER_OF_HOSTCUDA has libcuda.so.1 and libcudart.so.13
#
# EMULATOR is the command that runs a program, if CC compiles for another machine.
# -rdynamic: GEVT_LOG and GEVT_LEAKS name the program's functions.
# -fno-optimize-sibling-calls: a call at the end of a function stays a call, so the call site is in that function.
set -euo pipefail
cd "$(dirname "$0")"
library=$(readlink -f "$1") driver=$(readlink -f "$2") build=$3
folder=$(dirname "$library")
gevt_run=$folder/../bin/gevt-run
mkdir -p "$build/stub" "$build/older" "$build/of_12"
build=$(readlink -f "$build")
export LD_LIBRARY_PATH=$driver GEVT_HOST_DEVICES=1
unset GEVT_SHIM GEVT_LOG GEVT_LEAKS GEVT_STATS GEVT_TRACE
cc=("${CC:-cc}" -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -rdynamic -fno-optimize-sibling-calls)
emulator=()
[ -z "${EMULATOR:-}" ] || emulator=("$EMULATOR")

failed=0 passed=0
# passes NAME COMMAND...: counts whether the command succeeds. In a command that is a function no failure stops it: it is a chain of &&.
passes() {
  if "${@:2}"; then
    passed=$((passed + 1))
  else
    echo "shim: failed: $1" >&2
    failed=1
  fi
}

# compile PROGRAM SOURCE OPTION...
compile() { "${cc[@]}" "$2" -o "$build/$1" "${@:3}" -pthread -ldl; }

# run PROGRAM... as it is; shim PROGRAM... with the drop-in in front; stubbed COMMAND... in front of the stand-in for the driver.
run() { timeout 300 "${emulator[@]}" "$@"; }
shim() { timeout 300 env LD_PRELOAD="${BEFORE:+$BEFORE:}$library${BEHIND:+:$BEHIND}" "${emulator[@]}" "$@"; }
stubbed() { LD_LIBRARY_PATH=$build/stub "$@"; }
# told FILE COMMAND...: with its standard error in the file, which is shown where it fails.
told() { "${@:2}" 2>"$1" || { cat "$1" >&2 && return 1; }; }
# is_silent COMMAND...
is_silent() { "$@" >"$build/silent.out" 2>"$build/silent.err" && [ ! -s "$build/silent.err" ]; }

# counted FILE: what GEVT_STATS told, a function to a line: its name, its calls, and how many the driver did not see.
counted() {
  sed -nE 's/^gevt: stats: (cu\w+): calls ([0-9]+), answered without the driver ([0-9]+)$/\1 \2 \3/p' "$1" | LC_ALL=C sort
}
# saw EXPECTED FILE: these are the calls around events that were counted.
saw() { diff <(echo "$1") <(counted "$2" | grep -E '^(cuEvent|cuStreamWaitEvent)') >&2; }

# What exercise.h calls, where `record` and `elapsed` have those marks on their names. 10 of the queries find an event that is
# known to be finished.
exercised() {
  local record=$1 elapsed=$2
  printf '%s\n' "cuEventCreate 3 0" "cuEventDestroy_v2 4 0" "cuEventElapsedTime$elapsed 3 0" "cuEventQuery 14 10" \
    "cuEventRecord$record 3 0" "cuEventRecordWithFlags$record 2 0" "cuEventSynchronize 3 0" "cuStreamWaitEvent$record 1 0" |
    LC_ALL=C sort
}

# same NAME EXPECTED COMMAND...: the command prints the same with the drop-in and without it, and with it its calls were seen.
is_same() {
  local log=$build/$1
  SHIM_EXPECTS=libcuda.so.1 run "${@:3}" >"$log.plain" &&
    SHIM_EXPECTS=libgevt_cuda.so GEVT_STATS=1 told "$log.err" shim "${@:3}" >"$log.out" &&
    diff "$log.plain" "$log.out" >&2 && saw "$2" "$log.err"
}
same() { passes "$1" is_same "$@"; }

# cases PROGRAM...: runs each case of it with the drop-in. If the case's name begins with a value of GEVT_SHIM, sets that value.
cases() {
  local names name mode
  names=$(run "$@" list) && [ -n "$names" ] || passes "the cases of ${*##*/}" false
  for name in $names; do
    mode=${name%%_*}
    [[ $mode == strict || $mode == off ]] || mode=
    GEVT_SHIM=$mode passes "${*##*/} $name" shim "$@" "$name" >/dev/null
  done
}

# The programs' ways to the driver's functions.
compile linked linked.c "$driver/libcuda.so.1"
compile linked_per_thread linked.c -DPER_THREAD "$driver/libcuda.so.1"
compile cudart cudart.c "$driver/libcudart.so.13" "$driver/libcuda.so.1"
compile look_up look_up.c
same linked "$(exercised "" "")" "$build/linked"
same linked_per_thread "$(exercised _ptsz "")" "$build/linked_per_thread"
same cudart "$(exercised "" _v2)" "$build/cudart"
same static_cudart "$(exercised "" _v2)" "$build/look_up" cudart 0
same static_cudart_per_thread "$(exercised _ptsz _v2)" "$build/look_up" cudart 2
for way in handle default next; do
  same "dlsym_$way" "$(exercised "" _v2)" "$build/look_up" $way
done
for version in 11030 12000 12080 13000 20000; do
  elapsed=
  [ $version -lt 12080 ] || elapsed=_v2
  for flags in 0 1 2; do
    record=
    [ $flags -ne 2 ] || record=_ptsz
    same "proc_${version}_$flags" "$(exercised "$record" "$elapsed")" "$build/look_up" proc $version $flags
    same "proc2_${version}_$flags" "$(exercised "$record" "$elapsed")" "$build/look_up" proc2 $version $flags
  done
done
# Before CUDA 4.0, cuEventDestroy is another symbol.
same proc_2000_0 "$(exercised "" "" | sed s/Destroy_v2/Destroy/)" "$build/look_up" proc 2000 0
# The launcher does what the variable does.
launched() { SHIM_EXPECTS=libgevt_cuda.so "$gevt_run" "${emulator[@]}" "$build/linked" | diff "$build/linked.plain" -; }
passes gevt-run launched

# A driver that counts calls, and crashes on a handle that is not live.
stub=("${cc[@]}" -ffreestanding -fPIC -shared -nostdlib -fno-stack-protector "-Wl,-soname,libcuda.so.1" "-Wl,-Bsymbolic")
"${stub[@]}" ../driver/at_once.c -o "$build/stub/libcuda.so.1" -lgcc
"${stub[@]}" -DSTUB_VERSION=11080 ../driver/at_once.c -o "$build/older/libcuda.so.1" -lgcc
"${stub[@]}" -DSTUB_VERSION=12080 ../driver/at_once.c -o "$build/of_12/libcuda.so.1" -lgcc

# Relinked: nothing is preloaded.
compile relinked_linked linked.c -L"$folder" -Wl,--no-as-needed -lgevt_cuda "$driver/libcuda.so.1" -Wl,-rpath,"$folder"
compile relinked relinked.c -L"$folder" -lgevt_cuda -Wl,-rpath,"$folder"
relinked() {
  SHIM_EXPECTS=libgevt_cuda.so GEVT_STATS=1 run "$build/relinked_linked" 2>"$build/relinked.err" | diff "$build/linked.plain" - &&
    saw "$(exercised "" "")" "$build/relinked.err" &&
    [ "$(run "$build/relinked")" = "done" ] && [ "$(LD_LIBRARY_PATH='' run "$build/relinked")" = "no driver" ]
}
passes relinked relinked

# A tool that counts records keeps its place, both before and after the drop-in.
compile tracer.so tracer.c -fPIC -shared
traced() {
  GEVT_STATS=1 shim "$build/linked" 2>"$build/tracer.err" | diff "$build/linked.plain" - && grep -qx 'tracer: 3 records' "$build/tracer.err" &&
    counted "$build/tracer.err" | grep -x 'cuEventRecord 3 0' >/dev/null
}
BEFORE=$build/tracer.so passes "tracer before" traced
BEHIND=$build/tracer.so passes "tracer behind" traced

# A trace of the whole program: the drop-in and the driver, which is gevt's as well, write a file each.
rm -f "$build"/trace*.json
trace() {
  GEVT_TRACE="$build/trace.json" shim "$build/linked" | diff "$build/linked.plain" - &&
    [ "$(cat "$build"/trace{,.2}.json | grep -oE '"name":"(cuEventRecord(WithFlags)?|cuEventSynchronize|cuStreamWaitEvent) ' |
      sort | uniq -c | awk '{ print $1 }' | xargs)" = "3 2 3 1" ] &&
    [ "$(cat "$build"/trace{,.2}.json | grep -c '"name":"record ')" -eq 4 ] && [ ! -e "$build/trace.3.json" ]
}
passes trace trace

"${CXX:-c++}" -std=c++17 -O1 -Wall -Wextra -Wpedantic -Werror ../calls/run.cpp -o "$build/calls" -Wl,--no-as-needed \
  "$build/stub/libcuda.so.1" -pthread -ldl
# file NAME: the command that runs a file of cases.
file() { calls=("$build/calls" stub/common.calls "stub/$1.calls"); }
for name in memory faults handles captures devices cancel; do
  file $name
  stubbed cases "${calls[@]}"
done
# warns FILE CASE PATTERN
warns() {
  file "$1"
  GEVT_LOG=warn told "$build/$1.err" stubbed shim "${calls[@]}" "$2" && grep -qE "^gevt: warning: $3" "$build/$1.err"
}
passes "a warning of a wait for another device's event" warns devices exported_event \
  'cuStreamWaitEvent: the event 0x[0-9a-f]+ is shared between processes, and of another device'
passes "a warning before a crash" warns handles warning_before_a_crash '.*a destroyed event or stream was used'
compile front.so front.c -fPIC -shared
# asks COUNT FILE: the file has that many messages that the driver is asked about every event.
asks() { [ "$(grep -c 'the driver is asked about every event' "$2")" -eq "$1" ]; }
# reaches NAME ASKS
file reach
reaches() { told "$build/reach.err" stubbed shim "${calls[@]}" "$1" && asks "$2" "$build/reach.err"; }
names=$(stubbed run "${calls[@]}" list)
for name in $names; do
  front='' asked=1
  [ "$name" != front_look_up ] || front=$build/front.so
  [ "$name" != no_function_around_events ] || asked=0
  BEFORE=$front passes "reach $name" reaches "$name" $asked
done
# A plugin that calls the driver past every preloaded library. The drop-in asks the driver about every event only where the plugin is opened
# with the flags that the program passes.
compile stub/plugin.so plugin.c -fPIC -shared -Wl,-z,lazy "$build/stub/libcuda.so.1"
compile stub/plugin_no_plt.so plugin.c -fPIC -shared -fno-plt "$build/stub/libcuda.so.1"
file plugin
# plugged ASKS CASE OPTION...: options go to the launcher.
plugged() {
  told "$build/plugin.err" stubbed timeout 300 "$gevt_run" "${@:3}" "${emulator[@]}" "${calls[@]}" "$2" && asks "$1" "$build/plugin.err"
}
for name in plugin plugin_no_plt; do
  passes "$name" plugged 1 $name
  passes "$name, --deepbind" plugged 0 $name --deepbind
done
# GEVT_SHIM=off forwards every call, so there is nothing to tell.
GEVT_SHIM=off passes "plugin with GEVT_SHIM=off" is_silent stubbed "$gevt_run" "${emulator[@]}" "${calls[@]}" plugin
# A plugin that is linked to the drop-in loads it late: after the driver, and once after libc as well.
compile stub/late.so plugin.c -fPIC -shared -L"$folder" -Wl,--no-as-needed -lgevt_cuda -Wl,-rpath,"$folder"
for before in '' libc.so.6; do
  LD_PRELOAD=$before passes "late $before" stubbed run "${calls[@]}" late
done
file old
LD_LIBRARY_PATH=$build/older cases "${calls[@]}"
file forms
first=cuGetProcAddress
SECOND=$first THIRD=$first LD_LIBRARY_PATH=$build/older cases "${calls[@]}"
SECOND=${first}_v2 THIRD=${first}_v2 LD_LIBRARY_PATH=$build/of_12 cases "${calls[@]}"
SECOND=${first}_v2 THIRD=${first}_v3 stubbed cases "${calls[@]}"
# The stand-in has no symbol versions, so dlvsym finds its functions. All its events complete at once.
stubbed same dlvsym "$(exercised "" _v2)" "$build/look_up" versioned

# Threads.
compile threads threads.c "$driver/libcuda.so.1"
cases "$build/threads"

# Reports.
compile report report.c "$driver/libcuda.so.1"
# reported CASE PATTERN: the case's standard output, where PATTERN takes it out of the standard error.
reported() {
  told "$build/$1.err" shim "$build/report" "$1" >"$build/$1.out" &&
    diff <(LC_ALL=C sort "$build/$1.out") <(sed -nE "$2" "$build/$1.err" | LC_ALL=C sort) >&2
}
GEVT_LOG=warn passes mistakes reported mistakes 's/^gevt: warning: .* at report\((\w+)\+0x[0-9a-f]+\).*/\1/p'
GEVT_LEAKS=1 passes leaks reported leaks 's/^gevt: leaks: .* at report\((\w+)\+0x[0-9a-f]+\).*/\1/p'
GEVT_LEAKS=1 passes "no leaks" reported no_leaks 's/^gevt: leaks: event .* at (.*)/\1/p'
GEVT_STATS=1 passes calls reported calls 's/^gevt: stats: (cuEvent(Query|Sync\w+|Record)): calls ([0-9]+), .* ([0-9]+)$/\1 \3 \4/p'
# The lines have the forms that docs/SHIM-REFERENCE.md names, and no other.
frame='[^ ()]+(\([^ ()]+\+0x[0-9a-f]+\)|\+0x[0-9a-f]+)'
place="report[(+]\S+( < $frame){0,3}"
forms=(-e "^gevt: warning: cu\w+: .+, at $place$" -e '^gevt: leaks: events alive at exit: [0-9]+$'
  -e "^gevt: leaks: event 0x[0-9a-f]+, made by cu\w+ at $place$"
  -e '^gevt: stats: (cu\w+|all): calls [0-9]+, answered without the driver [0-9]+$')
has_forms() {
  GEVT_LOG=warn GEVT_LEAKS=1 GEVT_STATS=1 shim "$build/report" "$1" 2>"$build/forms.err" >/dev/null &&
    ! grep -vE "${forms[@]}" "$build/forms.err" && grep -q '^gevt: leaks: events' "$build/forms.err" &&
    [ "$(tail -1 "$build/forms.err" | cut -d: -f3)" = ' all' ]
}
# The drop-in prints nothing unless a variable asks for it. In a program without CUDA it never prints.
for name in mistakes leaks calls; do
  passes "the forms of report $name" has_forms $name
  passes "report $name, unasked" is_silent shim "$build/report" $name
done
echo 'int main(void) { return 0; }' >"$build/nothing.c"
compile nothing "$build/nothing.c"
GEVT_LOG=warn GEVT_LEAKS=1 GEVT_STATS=1 passes "a program without CUDA" is_silent shim "$build/nothing"

echo "shim: $passed passed"
exit $failed
