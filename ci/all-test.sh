#!/usr/bin/env bash
# A check that fails never counts as passed or skipped. ci/check.sh, ci/all.sh and the scripts between a program and ctest run programs that
# fail in every way. Then every real check runs with tools that fail.
#
# Time: ten seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "all-test: $*" >&2
  exit 1
}

# fake CODE BODY: what ci/check.sh makes of a check
mkdir -p "$scratch/fake/ci"
cp ci/check.sh ci/skip.sh "$scratch/fake/ci/"
fake() {
  local code=0
  printf '#!/usr/bin/env bash\n. ci/skip.sh\n%s\n' "$2" >"$scratch/fake/ci/fake.sh"
  chmod +x "$scratch/fake/ci/fake.sh"
  GEVT_TRACE=$scratch/trace.json GEVT_TEST_KEPT=kept CDPATH=$scratch "$scratch/fake/ci/check.sh" fake one two >"$scratch/log" 2>&1 || code=$?
  [ $code -eq "$1" ] || { cat "$scratch/log" && fail "ci/check.sh gives $code for: $2"; }
}
fake 0 'true'
fake 1 'exit 1'
fake 1 'exit 77'
fake 1 'exit 124'
fake 1 'kill -KILL $$'
fake 1 'kill -ABRT $$'
fake 1 'skipped "no tool"; exit 77'
fake 1 'set -e; (exit 77); skip "not reached"'
fake 77 'skip "no tool"; exit 1'
fake 77 'skipped "no tool"; true'
fake 0 'cat >/dev/null'
fake 0 '[ -z "${GEVT_TRACE+set}" ] && [ "$GEVT_TEST_KEPT $*" = "kept one two" ]'
rm "$scratch/fake/ci/fake.sh"
! "$scratch/fake/ci/check.sh" fake >/dev/null 2>&1 || fail "a missing check passes"
# The runner over three of them.
cp ci/all.sh "$scratch/fake/ci/"
{
  sed '/^check(/d' ci/CMakeLists.txt
  printf 'check(fake %s)\n' passes fails skips
} >"$scratch/fake/ci/CMakeLists.txt"
for body in 'passes true' 'fails exit 77' 'skips skip "no tool"'; do
  printf '#!/usr/bin/env bash\n. ci/skip.sh\n%s\n' "${body#* }" >"$scratch/fake/ci/${body%% *}.sh"
  chmod +x "$scratch/fake/ci/${body%% *}.sh"
done
! CARGO_TARGET_DIR=$scratch/target "$scratch/fake/ci/all.sh" fake >"$scratch/log" 2>&1 || fail "the runner passes where a check failed"
for line in '1 tests failed out of 3' '2 - fails (Failed)' '3 - skips (Skipped)' 'left out by ci/skips.sh: no tool'; do
  grep -qF "$line" "$scratch/log" || { cat "$scratch/log" && fail "the runner does not say: $line"; }
done
for jobs in 0 -1 abc; do
  ! GEVT_JOBS=$jobs ci/all.sh nothing >/dev/null 2>&1 || fail "the runner passes for GEVT_JOBS=$jobs"
done
! ci/all.sh nothing >/dev/null 2>&1 || fail "a suite without checks passes"

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
finds 1 'SKIPPED: test_arrays on cuda: there is no CUDA device here (gevt_context_open: the backend is not available)'
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
while read -r -a check; do
  [ "${check[0]}" != all-test ] || continue
  tried=$((tried + 1))
  : >"$scratch/skipped"
  code=0
  PATH=$scratch/tools:$PATH CARGO_TARGET_DIR=$scratch/target GEVT_SKIP_FILE=$scratch/skipped \
    "ci/${check[0]}.sh" "${check[@]:1}" </dev/null >"$scratch/log" 2>&1 || code=$?
  if [ $code -eq 0 ]; then
    cat "$scratch/log"
    fail "ci/${check[*]}: its tools fail, and it counts as $([ -s "$scratch/skipped" ] && echo skipped || echo passed)"
  fi
done < <(sed -nE 's/^check\((test|proofs) (.*)\)$/\2/p' ci/CMakeLists.txt && printf '%s\n' dist packaging wheel)
echo "all-test: every program counts as what it is, and each of $tried real ones fails if its tools do"
