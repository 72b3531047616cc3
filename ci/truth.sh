#!/usr/bin/env bash
# Compares what a CUDA library answers with what a driver answered.
#
# usage: ci/truth.sh [--crashes NAME,...|all] ANSWERS COMMAND...     COMMAND list names the cases, COMMAND CASE runs one
#
# Each step has to give the driver's code, with these rules:
# - Where the driver crashed, each remaining step gives 400 (and leaves 400 as the last error), and there is one at least. A destroyed stream
#   gives 400 or 709. A made-up graph, and a case without a handle (managed_), gives 1.
#   Of the cases that --crashes names, a crash is as good.
# - A driver was not asked where the answer is "-": the case has to end well.
# - The resolution is a time, not an answer: it has to be a number of nanoseconds above 0 and up to 1,000,000.
# - A machine has its own number of processors (multiProcessorCount), and a destructor runs sooner or later (before): any number is good.
# - sticky_error and the cases whose names begin with kernel_ need a kernel, and are left out where the program has none.
# Two devices are asked for, as the driver had them. Cases run side by side: they wait more than they compute.
set -euo pipefail
crashes=
if [ "$1" = --crashes ]; then
  crashes=$2
  shift 2
fi
answers=$1
shift
export GEVT_HOST_DEVICES=2

list=$("$@" list)
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
# run RESULTS CASE COMMAND...
run() {
  local code=0
  timeout 120 "${@:3}" "$2" >"$1/$2" 2>"$1/$2.errors" || code=$?
  echo $code >"$1/$2.code"
}
export -f run
# The shell tells of crashes on its own stderr.
xargs -P 4 -I '{}' bash -c 'run "$@"' bash "$results" '{}' "$@" <<<"$list" 2>"$results/shell"

same=0 all=0
while IFS=$'\t' read -r name expected; do
  if ! grep -qx "$name" <<<"$list"; then
    [[ $name == sticky_error || $name == kernel_* ]] && continue
    echo "$name: the program does not have it" >&2
    all=$((all + 1))
    continue
  fi
  all=$((all + 1))
  code=$(cat "$results/$name.code")
  line=$(cat "$results/$name")
  got=${line#*$'\t'}
  if [[ $code == 139 || $code == 124 ]] && [[ $crashes == all || ,$crashes, == *,$name,* ]]; then
    got="$got CRASH_OR_HANG=139"
    code=0
  fi
  if [ "$expected" = - ] && [ "$code" -eq 0 ]; then
    same=$((same + 1))
  elif [ "$code" -eq 0 ] && awk -v name="$name" -v expected="$expected" -v got="$got" '
    BEGIN {
      code = name ~ /destroyed_stream/ ? "(400(\\/last=400)?|709)" : name ~ /^(managed_|garbage_graph)/ ? "1" : "400(\\/last=400)?"
      n = split(expected, want, " "); m = split(got, have, " ")
      for (i = 1; i <= n; i++) {
        if (want[i] == "CRASH_OR_HANG=139") {
          if (m < i) exit 1
          if (m == i && have[i] == want[i]) exit 0
          for (; i <= m; i++) if (have[i] !~ "^[^=]+=" code "$") exit 1
          exit 0
        }
        if (want[i] ~ /^min_positive=/) {
          if (have[i] !~ /^min_positive=[0-9]+ns$/) exit 1
          value = have[i]; gsub(/[^0-9]/, "", value)
          if (value + 0 < 1 || value + 0 > 1000000) exit 1
          continue
        }
        if (want[i] ~ /^(multiProcessorCount|before)=/) {
          if (have[i] !~ /^(multiProcessorCount|before)=[0-9]+$/) exit 1
          continue
        }
        if (have[i] != want[i]) exit 1
      }
      exit m != n
    }'; then
    same=$((same + 1))
  else
    printf '%s (exit %s)\n  driver: %s\n  here:   %s\n' "$name" "$code" "$expected" "$got" >&2
    cat "$results/$name.errors" >&2
  fi
done <"$answers"
for name in $list; do
  if ! cut -f1 "$answers" | grep -x "$name" >/dev/null; then
    echo "$name: no answer recorded" >&2
    all=$((all + 1))
  fi
done
echo "truth: $same of $all as the driver"
[ "$same" -eq "$all" ] && [ "$all" -gt 0 ]
