#!/usr/bin/env bash
# Runs the checks of ci/checks.txt, several at a time, and goes on after one that failed, so that one run shows every failure.
#
# usage: ci/all.sh SUITE...     test, proofs
#
# A check passes if it exits with 0. It is skipped if it exits with 0 and says why in the file GEVT_SKIP_FILE (ci/skip.sh).
# Any other exit is a failure. The last line is "N passed, N failed, N skipped"; exits non-zero if a check failed.
# GEVT_JOBS      in the environment: how many checks run at a time, two where it is not set (make sets three). With 1 each
#                prints as it goes, otherwise all at its end. Two are quicker even on two cores, as a build has long stretches for one.
# GEVT_RESULTS   a file that the results are added to, for ci/results.sh.
# Time: each check's is printed at the end, and the processor time that it used, which says more where others use the machine.
set -uo pipefail
unset CDPATH
cd "$(dirname "$0")/.." || exit

[ $# -gt 0 ] || { echo "usage: ci/all.sh SUITE..." >&2 && exit 2; }
jobs=${GEVT_JOBS:-2}
[[ $jobs =~ ^[1-9][0-9]*$ ]] || { echo "ci/all.sh: GEVT_JOBS has to be a number of checks from 1 on: $jobs" >&2 && exit 2; }
# What the user has set for programs that use gevt, such as GEVT_TRACE, is not meant for the tests.
for name in "${!GEVT_@}"; do
  [[ $name =~ ^GEVT_(JOBS|RESULTS|TEST_.*)$ ]] || unset "$name"
done
scratch=$(mktemp -d) || { echo "ci/all.sh: no folder can be made in ${TMPDIR:-/tmp}" >&2 && exit 2; }
trap 'rm -rf "$scratch"' EXIT
# Where a disk fills up, checks fail in ways that do not name it.
need=3
[[ " $* " != *" proofs "* ]] || need=10
for folder in . "${TMPDIR:-/tmp}"; do
  free=$(df -Pk "$folder" | awk 'NR == 2 { print int($4 / 1024 / 1024) }')
  [ "$free" -ge $need ] || echo "the disk of $(realpath "$folder") has $free GiB left: the checks need $need"
done
if [ "$jobs" -gt 1 ]; then
  # A group of processes each, so that an end by the keyboard reaches all that a check has started.
  set -m
  end() {
    local group
    for group in $(jobs -p); do kill -- "-$group"; done
    exit 130
  }
  trap end INT TERM
fi
touch "$scratch/results"

# used NAME: the processor time of all that this shell has waited for, in seconds, as the variable `used`.
used() {
  times >"$scratch/$1.times"
  used=$(awk -F '[ms ]+' 'NR == 2 { printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }' "$scratch/$1.times")
}

# check NAME: runs it, and adds a line to the results.
check() {
  local name=$1 start=$SECONDS before used code result why=
  used "$name"
  before=$used
  export GEVT_SKIP_FILE=$scratch/$name.skipped
  : >"$GEVT_SKIP_FILE"
  echo "== ci/$name.sh"
  "ci/$name.sh" </dev/null
  code=$?
  if [ $code -ne 0 ]; then
    result=FAILED why="exit $code"
  elif [ -s "$GEVT_SKIP_FILE" ]; then
    result=skipped why=$(paste -sd ';' "$GEVT_SKIP_FILE" | sed 's/;/; /g')
  else
    result=passed
  fi
  used "$name"
  printf '%d\t%d\t%s\t%s\t%s\n' $((SECONDS - start)) $((used - before)) "$name" "$result" "$why" >>"$scratch/results"
  echo "== ci/$name.sh: $result, $((SECONDS - start)) s"
}

started=0
while read -r suite name _; do
  [[ " $* " == *" $suite "* ]] || continue
  started=$((started + 1))
  if [ "$jobs" -eq 1 ]; then
    check "$name"
    continue
  fi
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  {
    check "$name" >"$scratch/$name.log" 2>&1
    flock "$scratch/results" cat "$scratch/$name.log"
  } &
done < <(grep -v '^#' ci/checks.txt)
wait

# One that was begun and has no result has failed, whatever became of it.
[ "$(wc -l <"$scratch/results")" -eq $started ] || printf '0\t0\tall\tFAILED\ta check has no result\n' >>"$scratch/results"
[ -z "${GEVT_RESULTS:-}" ] || cat "$scratch/results" >>"$GEVT_RESULTS"
ci/results.sh "$scratch/results" $SECONDS
