#!/usr/bin/env bash
# A check that fails never counts as passed or skipped runs ci/all.sh over fake checks that fail in every way, then every real
# check with tools that fail.
#
# Time: ten seconds.
set -euo pipefail
# The checks below are not those whose results are being collected.
unset GEVT_RESULTS
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "all-test: $*" >&2
  exit 1
}

# Fake checks, and what each has to count as.
mkdir -p "$scratch/fake/ci"
cp ci/all.sh ci/results.sh ci/skip.sh "$scratch/fake/ci/"
# fake NAME RESULT BODY
fake() {
  printf '#!/usr/bin/env bash\n. ci/skip.sh\n%s\n' "$3" >"$scratch/fake/ci/$1.sh"
  chmod +x "$scratch/fake/ci/$1.sh"
  echo "fake $1" >>"$scratch/fake/ci/checks.txt"
  echo "$1 $2" >>"$scratch/expected"
}
fake passes passed 'true'
fake fails FAILED 'exit 1'
fake fails-as-libfuzzer FAILED 'exit 77'
fake fails-as-valgrind FAILED 'exit 99'
fake fails-as-timeout FAILED 'exit 124'
fake is-killed FAILED 'kill -KILL $$'
fake is-aborted FAILED 'kill -ABRT $$'
fake fails-after-a-skip FAILED 'skipped "no tool"; exit 77'
fake fails-below-errexit FAILED 'set -e; (exit 77); skip "not reached"'
fake skips skipped 'skip "no tool"; exit 1'
fake skips-a-part skipped 'skipped "no tool"; true'
fake passes-after-a-skip passed 'true'
fake reads-stdin passed 'cat >/dev/null'
fake prints-much passed 'for i in {1..1000}; do echo prints-much; done'
fake prints-more passed 'for i in {1..1000}; do echo prints-more; done'
fake is-missing FAILED ''
fake is-not-executable FAILED ''
rm "$scratch/fake/ci/is-missing.sh"
chmod -x "$scratch/fake/ci/is-not-executable.sh"
count() { grep -c " $1\$" "$scratch/expected"; }
for jobs in 1 2 5; do
  code=0
  GEVT_JOBS=$jobs "$scratch/fake/ci/all.sh" fake >"$scratch/log" 2>&1 || code=$?
  [ $code -eq 1 ] || fail "the runner exits with $code where checks failed: $(tail -1 "$scratch/log")"
  diff <(sort "$scratch/expected") <(sed -nE 's/^ *[0-9]+ s +[0-9]+ s of a core  ([a-z-]+) +([^ :]+).*/\1 \2/p' "$scratch/log" | grep -v '^in all' | sort) ||
    fail "the runner takes fake checks (<) for something else (>), $jobs at a time"
  # What a check prints stands between its own lines.
  for check in prints-much prints-more; do
    [ "$(sed -n "/^== ci\/$check.sh\$/,/^== ci\/$check.sh: /p" "$scratch/log" | grep -c "^$check\$")" -eq 1000 ] ||
      fail "the output of $check is torn, $jobs at a time"
  done
  [ "$(tail -n 1 "$scratch/log")" = "$(count passed) passed, $(count FAILED) failed, $(count skipped) skipped" ] ||
    fail "the last line is '$(tail -n 1 "$scratch/log")'"
done

# Two run at a time, each waiting for the other; and what they have started ends with the runner.
rm "$scratch/fake/ci/checks.txt"
for name in one other; do
  fake waits-for-$name passed "touch $scratch/\${0##*/}; until [ -e $scratch/waits-for-one.sh ] && [ -e $scratch/waits-for-other.sh ]; do sleep 0.05; done"
done
timeout 300 "$scratch/fake/ci/all.sh" fake >"$scratch/log" 2>&1 || fail "two checks do not run at a time"
for name in one other; do fake hangs-$name passed "echo \$\$ >$scratch/hangs-$name; sleep 3000"; done
"$scratch/fake/ci/all.sh" fake >"$scratch/log" 2>&1 &
runner=$!
until [ -s "$scratch/hangs-one" ] && [ -s "$scratch/hangs-other" ]; do sleep 0.05; done
kill -TERM $runner
wait $runner && fail "the runner passes although it was ended"
for name in one other; do
  pid=$(cat "$scratch/hangs-$name")
  for _ in {1..1200}; do kill -0 "$pid" 2>/dev/null || continue 2; sleep 0.05; done
  fail "what a check has started outlives the runner"
done
for jobs in 0 -1 abc; do
  code=0
  GEVT_JOBS=$jobs timeout 300 "$scratch/fake/ci/all.sh" fake >"$scratch/log" 2>&1 || code=$?
  [ $code -eq 2 ] || fail "the runner exits with $code for GEVT_JOBS=$jobs"
done
code=0
TMPDIR=$scratch/nothing timeout 300 "$scratch/fake/ci/all.sh" fake >"$scratch/log" 2>&1 || code=$?
[ $code -eq 2 ] || fail "the runner exits with $code where it has no temporary folder"
rm "$scratch/fake/ci/checks.txt"
# shellcheck disable=SC2016 # the fake check's variables
fake environment passed '[ -z "${GEVT_TRACE+set}${GEVT_SHIM+set}" ] && [ "$GEVT_TEST_KEPT" = kept ]'
CDPATH=$scratch GEVT_TRACE=$scratch/trace.json GEVT_SHIM=off GEVT_TEST_KEPT=kept "$scratch/fake/ci/all.sh" fake >"$scratch/log" 2>&1 ||
  { cat "$scratch/log" && fail "the user's variables reach the checks"; }
! "$scratch/fake/ci/all.sh" nothing >/dev/null 2>&1 || fail "a suite without checks passes"

# The same for the sections of the scripts for machines with a GPU.
code=0
(
  . ci/sections.sh
  skips() { skipped "no GPU"; }
  killed() { bash -c 'kill -KILL $$'; }
  skips_then_fails() { skipped "no GPU"; return 77; }
  section passes true
  section fails-as-libfuzzer bash -c 'exit 77'
  section is-killed killed
  section skips skips
  section skips-then-fails skips_then_fails
  summary
) >"$scratch/log" 2>&1 || code=$?
[ $code -eq 1 ] || fail "sections: exit $code"
for line in "PASSED  passes" "FAILED  fails-as-libfuzzer" "FAILED  is-killed" "SKIPPED skips" "FAILED  skips-then-fails"; do
  grep -q "^$line (" "$scratch/log" || { cat "$scratch/log" && fail "sections: no '$line'"; }
done

# And for what stands between a test program, or an example, and ctest, which is told of a skip by the code 77.
# gives CODE RUNNER SHELL-COMMANDS
gives() {
  local code=0
  "$2" bash -c "$3" >"$scratch/log" 2>&1 || code=$?
  [ $code -eq "$1" ] || { cat "$scratch/log" && fail "$2 gives $code for: $3"; }
}
for runner in tests/run.sh examples-c/run.sh; do
  gives 0 $runner 'true'
  gives 1 $runner 'exit 1'
  gives 1 $runner 'exit 77'
  gives 137 $runner 'kill -KILL $$'
  gives 1 $runner 'echo "SKIPPED: no device"; exit 1'
  gives 1 $runner 'echo "SKIPPED: no device"; exit 77'
  gives 134 $runner 'echo "SKIPPED: no device"; kill -ABRT $$'
done
# shellcheck disable=SC2016 # the inner shell's variable
gives 77 tests/run.sh 'echo "no device" >>"$GEVT_SKIP_FILE"; exit 77'
# shellcheck disable=SC2016
gives 99 tests/run.sh 'echo "no device" >>"$GEVT_SKIP_FILE"; exit 99'
gives 77 examples-c/run.sh 'echo "SKIPPED: no device"'
gives 77 examples-c/run.sh 'echo "a warning of a driver" >&2; echo "SKIPPED: no device"'
gives 0 examples-c/run.sh 'echo "SKIPPED: no device" >&2'
gives 0 examples-c/run.sh 'echo "on the host"; echo "SKIPPED: no device"'

# Nor does a check pass that brings a CUDA device which gevt does not find.
mkdir -p "$scratch/found/Testing/Temporary"
# finds CODE LINE: what ci/cuda-found.sh gives for a log with the line
finds() {
  local code=0
  echo "$2" >"$scratch/found/Testing/Temporary/LastTest.log"
  ci/cuda-found.sh "$scratch/found" >"$scratch/log" 2>&1 || code=$?
  [ $code -eq "$1" ] || { cat "$scratch/log" && fail "ci/cuda-found.sh gives $code for: $2"; }
}
finds 0 'SKIPPED: case no_device: there is a CUDA device here'
finds 1 'SKIPPED: test_record on cuda: there is no CUDA device here (gevt_context_open: the backend is not available)'
finds 1 'SKIPPED: there is no CUDA device here'
! ci/cuda-found.sh "$scratch/nothing" 2>/dev/null || fail "ci/cuda-found.sh passes without a log"

# What is downloaded is left out only if the download fails: not if the file is another one, or cannot be unpacked.
mkdir "$scratch/downloads"
# downloads CODE: whether downloading succeeds; either way there is no file.
downloads() {
  printf '#!/bin/sh\nexit %s\n' "$1" >"$scratch/downloads/python3"
  chmod +x "$scratch/downloads/python3"
}
for script in zig cuda-wheels; do
  downloads 1
  PATH=$scratch/downloads:$PATH "ci/$script.sh" "$scratch/$script" >"$scratch/log" 2>&1 || fail "ci/$script.sh fails without a network"
  downloads 0
  ! PATH=$scratch/downloads:$PATH "ci/$script.sh" "$scratch/$script" >"$scratch/log" 2>&1 || fail "ci/$script.sh passes with a wrong file"
done

# By its output alone ctest takes a test that fails for one that is skipped.
if grep -rn --include=CMakeLists.txt --include='*.cmake' SKIP_REGULAR_EXPRESSION CMakeLists.txt cmake examples-c fuzz tests benches; then
  fail "a skip is not read from a test's output alone"
fi

# Every real check, and those that only run by hand, with tools that exit with 77: it has failed, or it never came to use one.
mkdir "$scratch/tools"
for tool in cargo cargo-clippy cargo-deny rustc rustfmt cmake ctest cc c++ gcc g++ clang clang++ make doxygen abidw abidiff git diff \
  valgrind shellcheck clang-format clang++-14 clang++-19; do
  printf '#!/bin/sh\necho "planted: %s fails" >&2\nexit 77\n' "$tool" >"$scratch/tools/$tool"
  chmod +x "$scratch/tools/$tool"
done
tried=0
while read -r suite check _; do
  [[ "$suite" != \#* && "$check" != all-test ]] || continue
  tried=$((tried + 1))
  : >"$scratch/skipped"
  code=0
  PATH=$scratch/tools:$PATH CARGO_TARGET_DIR=$scratch/target GEVT_SKIP_FILE=$scratch/skipped \
    "ci/$check.sh" </dev/null >"$scratch/log" 2>&1 || code=$?
  if [ $code -eq 0 ]; then
    cat "$scratch/log"
    fail "ci/$check.sh: its tools fail, and it counts as $([ -s "$scratch/skipped" ] && echo skipped || echo passed)"
  fi
done < <(cat ci/checks.txt && printf 'by-hand %s\n' dist packaging wheel)
echo "all-test: every fake check counts as what it is, and each of $tried real ones fails if its tools do"
