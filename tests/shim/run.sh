#!/usr/bin/env bash
# Runs the programs of this folder with the drop-in, and without it where the two have to be the same.
#
# usage: tests/shim/run.sh LIBGEVT_CUDA FOLDER_OF_HOSTCUDA BUILD     FOLDER_OF_HOSTCUDA has libcuda.so.1 and libcudart.so.13
#
# -rdynamic: GEVT_LOG and GEVT_LEAKS name the program's functions.
# -fno-optimize-sibling-calls: a call at the end of a function stays one, so that the place that calls is that function.
set -euo pipefail
cd "$(dirname "$0")"
library=$(readlink -f "$1") driver=$(readlink -f "$2") build=$3
mkdir -p "$build/stub" "$build/older"
build=$(readlink -f "$build")
export LD_LIBRARY_PATH=$driver GEVT_HOST_DEVICES=1
unset GEVT_SHIM GEVT_LOG GEVT_LEAKS GEVT_STATS GEVT_TRACE
cc=("${CC:-cc}" -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -rdynamic -fno-optimize-sibling-calls)

failed=0 passed=0
complain() {
  echo "shim: $*" >&2
  failed=1
}

# compile PROGRAM SOURCE OPTION...
compile() {
  local program=$1 source=$2
  shift 2
  "${cc[@]}" "$source" -o "$build/$program" "$@" -pthread -ldl
}

# shim COMMAND...: with the drop-in in front.
shim() { timeout 300 env LD_PRELOAD="${BEFORE:+$BEFORE:}$library${BEHIND:+:$BEHIND}" "$@"; }

# counted FILE: what GEVT_STATS told, a function to a line: its name, its calls, and how many the driver did not see.
counted() {
  sed -nE 's/^gevt: stats: (cu\w+): calls ([0-9]+), answered without the driver ([0-9]+)$/\1 \2 \3/p' "$1" | LC_ALL=C sort
}

# What exercise.h calls, where `record` and `elapsed` have those marks on their names. 10 of the queries find an event that is
# known to be finished.
exercised() {
  local record=$1 elapsed=$2
  printf '%s\n' "cuEventCreate 3 0" "cuEventDestroy_v2 4 0" "cuEventElapsedTime$elapsed 3 0" "cuEventQuery 14 10" \
    "cuEventRecord$record 3 0" "cuEventRecordWithFlags$record 2 0" "cuEventSynchronize 3 0" "cuStreamWaitEvent$record 1 0" |
    LC_ALL=C sort
}

# same NAME EXPECTED COMMAND...: the command prints the same with the drop-in and without it, and with it its calls were seen.
same() {
  local name=$1 expected=$2 log=$build/$1 code=0
  shift 2
  SHIM_EXPECTS=libcuda.so.1 timeout 300 "$@" >"$log.plain" || { complain "$name: exit $? without the drop-in" && return; }
  SHIM_EXPECTS=libgevt_cuda.so GEVT_STATS=1 shim "$@" >"$log.out" 2>"$log.err" || code=$?
  if [ $code -ne 0 ]; then
    complain "$name: exit $code"
    cat "$log.err" >&2
  elif ! diff "$log.plain" "$log.out" >&2; then
    complain "$name: not as without the drop-in"
  elif ! diff <(echo "$expected") <(counted "$log.err" | grep -E '^(cuEvent|cuStreamWaitEvent)') >&2; then
    complain "$name: not the calls that were made"
  else
    passed=$((passed + 1))
  fi
}

# cases PROGRAM: each case of it with the drop-in. GEVT_SHIM is set for those that begin with one of its values.
cases() {
  local name mode code
  for name in $("$@" list); do
    mode=${name%%_*}
    case $mode in
      strict | off) ;;
      *) mode= ;;
    esac
    code=0
    GEVT_SHIM=$mode shim "$@" "$name" >/dev/null || code=$?
    if [ $code -eq 0 ]; then
      passed=$((passed + 1))
    else
      complain "${1##*/} $name: exit $code"
    fi
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
"$(dirname "$library")/../bin/gevt-run" env SHIM_EXPECTS=libgevt_cuda.so "$build/linked" >"$build/gevt-run.out" &&
  diff "$build/linked.plain" "$build/gevt-run.out" || complain "gevt-run"

# A driver that counts, and that crashes on what is no live handle.
stub=("${cc[@]}" -ffreestanding -fPIC -shared -nostdlib -fno-stack-protector "-Wl,-soname,libcuda.so.1" "-Wl,-Bsymbolic")
"${stub[@]}" stub/driver.c -o "$build/stub/libcuda.so.1" -lgcc
"${stub[@]}" -DSTUB_IS_OLD stub/driver.c -o "$build/older/libcuda.so.1" -lgcc

# Relinked: nothing is preloaded.
folder=$(dirname "$library")
compile relinked_linked linked.c -L"$folder" -Wl,--no-as-needed -lgevt_cuda "$driver/libcuda.so.1" -Wl,-rpath,"$folder"
compile relinked relinked.c -L"$folder" -lgevt_cuda -Wl,-rpath,"$folder"
relinked() { SHIM_EXPECTS=libgevt_cuda.so GEVT_STATS=1 "$build/relinked_linked" 2>"$build/relinked.err"; }
if diff "$build/linked.plain" <(relinked) && diff <(exercised "" "") <(counted "$build/relinked.err" | grep -E '^(cuEvent|cuStreamWaitEvent)') &&
  [ "$("$build/relinked")" = "done" ] && [ "$(LD_LIBRARY_PATH='' "$build/relinked")" = "no driver" ]; then
  passed=$((passed + 1))
else
  complain "relinked"
fi

# A library that is opened with RTLD_DEEPBIND binds past what is preloaded. The launcher's audit library leads it back.
compile look_up.so look_up.c -Dmain=run -fPIC -shared
compile deepbind deepbind.c
if [ -e "$folder/libgevt_audit.so" ]; then
  for way in "dlsym_handle handle" "dlsym_default default" "static_cudart cudart 0" "proc_12080_0 proc 12080 0"; do
    code=0
    read -ra words <<<"$way"
    SHIM_EXPECTS=libgevt_cuda.so GEVT_STATS=1 timeout 300 "$folder/../bin/gevt-run" --deepbind "$build/deepbind" "$build/look_up.so" "${words[@]:1}" \
      >"$build/deepbind.out" 2>"$build/deepbind.err" || code=$?
    if [ $code -eq 0 ] && diff "$build/${words[0]}.plain" "$build/deepbind.out" >&2 &&
      diff <(exercised "" _v2) <(counted "$build/deepbind.err" | grep -E '^(cuEvent|cuStreamWaitEvent)') >&2; then
      passed=$((passed + 1))
    else
      complain "deepbind $way: exit $code: $(cat "$build/deepbind.err")"
    fi
  done
else
  complain "no libgevt_audit.so beside $library"
fi

# Plugins that call the driver past every preloaded library, with the audit library and without it: an answer is never wrong, and the
# driver is asked about every event only where a reference does not lead to the drop-in.
compile plugin plugin.c "$build/stub/libcuda.so.1"
compile plugin_lazy.so plugin.c -DPLUGIN -fPIC -shared -Wl,-z,lazy "$build/stub/libcuda.so.1"
compile plugin_now.so plugin.c -DPLUGIN -fPIC -shared -Wl,-z,now "$build/stub/libcuda.so.1"
compile plugin_no_plt.so plugin.c -DPLUGIN -fPIC -shared -fno-plt "$build/stub/libcuda.so.1"
run="$folder/../bin/gevt-run"
while read -r audit way plugin asked; do
  code=0 count=0 options=()
  [ "$audit" = none ] || options=("$audit")
  LD_LIBRARY_PATH=$build/stub timeout 300 "$run" "${options[@]}" "$build/plugin" "$way" "$build/plugin_$plugin.so" 2>"$build/plugin.err" || code=$?
  count=$(grep -c 'the driver is asked about every event' "$build/plugin.err" || true)
  if [ $code -eq 0 ] && [ "$count" -eq "$asked" ]; then
    passed=$((passed + 1))
  else
    complain "plugin $audit $way $plugin: exit $code: $(cat "$build/plugin.err")"
  fi
done <<'END'
--deepbind deepbind lazy 0
--deepbind deepbind now 0
--deepbind deepbind no_plt 1
--deepbind namespace lazy 0
--deepbind namespace no_plt 0
none deepbind lazy 1
none deepbind no_plt 1
none namespace lazy 0
END
# GEVT_SHIM=off forwards every call, so there is nothing to tell.
GEVT_SHIM=off LD_LIBRARY_PATH=$build/stub "$run" "$build/plugin" deepbind "$build/plugin_lazy.so" >"$build/plugin.err" 2>&1 &&
  [ ! -s "$build/plugin.err" ] || complain "plugin with GEVT_SHIM=off: $(cat "$build/plugin.err")"
# A loader of glibc before 2.35 would call each function through the audit library.
compile audit_version audit_version.c
"$build/audit_version" "$folder/libgevt_audit.so" || complain "audit_version"
# It brings no library into the processes.
# On arm64 the compiler's atomics need the C library.
readelf -h "$folder/libgevt_audit.so" | grep AArch64 >/dev/null || ! readelf -d "$folder/libgevt_audit.so" | grep NEEDED >&2 || complain "libgevt_audit.so needs libraries"

# A tool that counts records keeps its place, before the drop-in and behind it.
compile tracer.so tracer.c -fPIC -shared
for order in BEFORE BEHIND; do
  if (export "$order=$build/tracer.so" && GEVT_STATS=1 shim "$build/linked" >"$build/tracer.out" 2>"$build/tracer.err") &&
    diff "$build/linked.plain" "$build/tracer.out" && grep -qx 'tracer: 3 records' "$build/tracer.err" &&
    counted "$build/tracer.err" | grep -x 'cuEventRecord 3 0' >/dev/null; then
    passed=$((passed + 1))
  else
    complain "tracer $order"
  fi
done

# A trace of the whole program: the drop-in and the driver, which is gevt's as well, write a file each.
rm -f "$build"/trace*.json
if (export GEVT_TRACE="$build/trace.json" && shim "$build/linked" >"$build/trace.out") && diff "$build/linked.plain" "$build/trace.out" &&
  [ "$(cat "$build"/trace{,.2}.json | grep -oE '"name":"(cuEventRecord(WithFlags)?|cuEventSynchronize|cuStreamWaitEvent) ' |
    sort | uniq -c | awk '{ print $1 }' | xargs)" = "3 2 3 1" ] &&
  [ "$(cat "$build"/trace{,.2}.json | grep -c '"name":"record ')" -eq 4 ] && [ ! -e "$build/trace.3.json" ]; then
  passed=$((passed + 1))
else
  complain "trace"
fi

for name in memory faults handles captures devices cancel reach; do
  compile $name stub/$name.c "$build/stub/libcuda.so.1"
  # Each case of the last one is started below.
  [ $name = reach ] || LD_LIBRARY_PATH=$build/stub cases "$build/$name"
done
compile old stub/old.c "$build/older/libcuda.so.1"
if LD_LIBRARY_PATH=$build/stub GEVT_LOG=warn shim "$build/devices" exported_event 2>"$build/devices.err" &&
  grep -qE '^gevt: warning: cuStreamWaitEvent: the event 0x[0-9a-f]+ is shared between processes, and of another device' "$build/devices.err"; then
  passed=$((passed + 1))
else
  complain "no warning of a wait for another device's event: $(cat "$build/devices.err")"
fi
# A thread that is cancelled in the driver unwinds past the exported functions. They have no cleanups, which would be read by the
# drop-in's copy of the unwinder in the process's own.
cleanups=$(LC_ALL=C readelf --wide --debug-dump=frames "$library" | awk -v names="$(nm -D --defined-only "$library" | awk '$3 ~ /^cu/ { print $1 }' | xargs)" '
  BEGIN { expected = split(names, list, " "); for (i in list) exported[list[i]] = 1 }
  $4 == "CIE" { cie = $1 }
  $1 == "Augmentation:" { augmentation[cie] = $2 }
  $4 == "FDE" { split($6, range, "[=.]") }
  $4 == "FDE" && range[2] in exported { seen++; if (augmentation[substr($5, 5)] ~ /L/) print range[2] }
  END { if (seen != expected) print seen " of " expected " are seen" }')
[ -z "$cleanups" ] || complain "exported functions with cleanups: $cleanups"
compile front.so front.c -fPIC -shared
for name in $("$build/reach" list); do
  front=
  [ "$name" != front_look_up ] || front=$build/front.so
  if LD_LIBRARY_PATH=$build/stub BEFORE=$front shim "$build/reach" "$name" 2>"$build/reach.err" &&
    { [ "$(grep -c 'the driver is asked about every event' "$build/reach.err")" -eq 1 ] || [ "$name" = no_function_around_events ]; }; then
    passed=$((passed + 1))
  else
    complain "reach $name: $(cat "$build/reach.err")"
  fi
done
LD_LIBRARY_PATH=$build/older cases "$build/old"
# It has no versions of symbols, so that dlvsym finds its functions. All its events are done at once.
LD_LIBRARY_PATH=$build/stub same dlvsym "$(exercised "" _v2)" "$build/look_up" versioned

# A plugin that is linked to the drop-in comes late.
compile late late.c
compile late.so late.c -DPLUGIN -fPIC -shared -L"$folder" -Wl,--no-as-needed -lgevt_cuda -Wl,-rpath,"$folder"
if LD_LIBRARY_PATH=$build/stub timeout 300 "$build/late" "$build/late.so"; then
  passed=$((passed + 1))
else
  complain "late"
fi

# Threads.
compile threads threads.c "$driver/libcuda.so.1"
cases "$build/threads"

# Reports.
compile report report.c "$driver/libcuda.so.1"
# reported CASE VARIABLE=VALUE PATTERN: the case's standard output, where PATTERN takes it out of the standard error.
reported() {
  local name=$1 setting=$2 pattern=$3
  if shim env "$setting" "$build/report" "$name" >"$build/$name.out" 2>"$build/$name.err" &&
    diff <(LC_ALL=C sort "$build/$name.out") <(sed -nE "$pattern" "$build/$name.err" | LC_ALL=C sort); then
    passed=$((passed + 1))
  else
    complain "report $name with $setting"
    cat "$build/$name.err" >&2
  fi
}
reported mistakes GEVT_LOG=warn 's/^gevt: warning: .* at report\((\w+)\+0x[0-9a-f]+\).*/\1/p'
reported leaks GEVT_LEAKS=1 's/^gevt: leaks: .* at report\((\w+)\+0x[0-9a-f]+\).*/\1/p'
reported no_leaks GEVT_LEAKS=1 's/^gevt: leaks: event .* at (.*)/\1/p'
reported calls GEVT_STATS=1 's/^gevt: stats: (cuEvent(Query|Sync\w+|Record)): calls ([0-9]+), .* ([0-9]+)$/\1 \3 \4/p'
# The lines have the forms that docs/SHIM-REFERENCE.md names, and no other.
place='report(\(\w+\+0x[0-9a-f]+\)|\+0x[0-9a-f]+)'
forms=(-e "^gevt: warning: cu\w+: .+, at $place$" -e '^gevt: leaks: events alive at exit: [0-9]+$'
  -e "^gevt: leaks: event 0x[0-9a-f]+, made by cu\w+ at $place$"
  -e '^gevt: stats: (cu\w+|all): calls [0-9]+, answered without the driver [0-9]+$')
for name in mistakes leaks calls; do
  if GEVT_LOG=warn GEVT_LEAKS=1 GEVT_STATS=1 shim "$build/report" $name 2>"$build/forms.err" >/dev/null &&
    ! grep -vE "${forms[@]}" "$build/forms.err" && grep -q '^gevt: leaks: events' "$build/forms.err" &&
    [ "$(tail -1 "$build/forms.err" | cut -d: -f3)" = ' all' ]; then
    passed=$((passed + 1))
  else
    complain "the forms of report $name"
  fi
done
# Who does not ask is told nothing, and neither is a program without CUDA.
for name in mistakes leaks calls; do
  shim "$build/report" $name 2>"$build/quiet.err" >/dev/null
  [ ! -s "$build/quiet.err" ] || complain "report $name: $(cat "$build/quiet.err")"
done
echo 'int main(void) { return 0; }' >"$build/nothing.c"
compile nothing "$build/nothing.c"
GEVT_LOG=warn GEVT_LEAKS=1 GEVT_STATS=1 shim "$build/nothing" 2>"$build/quiet.err"
[ ! -s "$build/quiet.err" ] || complain "a program without CUDA: $(cat "$build/quiet.err")"

# A process without CUDA. /bin/true is this machine's.
if [[ "$("${cc[0]}" -dumpmachine)" == "$(uname -m)"-* ]]; then
  compile startup startup.c
  "$build/startup" "$library" 300 || complain "startup"
fi

echo "shim: $passed passed"
exit $failed
