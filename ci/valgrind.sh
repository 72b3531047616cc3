#!/usr/bin/env bash
# The C tests under valgrind's memcheck: no memory is used after its end, outside its bounds or before it is written, and none
# is lost for good. It looks at all code, that of std and of the dependencies too.
#
# usage: ci/valgrind.sh [OPTION...]     options go to ctest, such as -R wait
#
# --fair-sched=yes           threads take turns: a spinning one would keep the others out.
# --trace-children=yes       tests that run themselves anew are seen in the children too.
# --vgdb=no                  no files for a debugger, a pair for each process.
# --max-threads=1200         host_threads has a thousand functions that sleep.
# --suppressions             what memcheck says of glibc's loader where a driver is opened.
# --leak-check=full          what nothing points to any more is an error; what lives as long as the process is none.
# Tests that fork lose, in the child, what only the parent's threads knew of: they run without the check for leaks, beside the others. So
# does late: the C library calls no destructor that is registered while a thread's specific data is destroyed.
# pool, pollers and ipc_idle are left out, as they measure time, and ipc_idle has more threads than valgrind knows; conformance, ipc_limits
# and ipc_kill, as they start hundreds of processes that call what others call; and trace_json, which is trace with a parser.
# c.exit.host, c.dlopen.host  have all their cases: the tests of single cases would repeat them. What valgrind looks for does not
#                            depend on chance.
# Skipped where there is no valgrind.
# Time: four minutes on two cores that others used as well.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

command -v valgrind >/dev/null || skip "there is no valgrind here"
target=$(realpath -m "${CARGO_TARGET_DIR:-target}/planted")
ci/planted.sh "$target"

memcheck=(valgrind --quiet --fair-sched=yes --trace-children=yes --error-exitcode=99 --vgdb=no --max-threads=1200
  --suppressions="$PWD/tests/vulkan/valgrind.supp")
leaks=(--leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite)
printf -v list '%s;' "${memcheck[@]}" "${leaks[@]}"
ci/quietly.sh "$target/cmake.log" cmake -S . -B "$target/ctest" -DCMAKE_BUILD_TYPE=None -DGEVT_BUILD_EXAMPLES=OFF -DGEVT_LIBRARY="$target/sound/libgevt.so" \
  -DCMAKE_C_FLAGS="-g -O1" -DCMAKE_CXX_FLAGS="-g -O1" -DCMAKE_CROSSCOMPILING_EMULATOR="${list%;}"
ci/quietly.sh "$target/cmake.log" ci/c-programs.sh "$target/ctest" '^c\..*\.host$'

# The planted bugs first: a check that does not see them would see no other.
program=$target/ctest/tests/c/test_record
ci/finds.sh "$target/planted" use_after_free "Invalid read" "${memcheck[@]}" "$program" host
ci/finds.sh "$target/planted" leak "definitely lost" "${memcheck[@]}" "${leaks[@]}" "$program" host

export TEST_TOOL=valgrind
(
  for subject in ipc_gone ipc_alive trace trace_variable fork late log ipc_leader; do
    ci/quietly.sh "$target/$subject.log" timeout -k 10 600 "${memcheck[@]}" "$target/ctest/tests/c/test_$subject" host
  done
) &
without_leaks=$!
trap 'kill $without_leaks 2>/dev/null || true' EXIT
code=0
others='fork|pool|pollers|conformance|late|log|trace|trace_json|trace_variable|ipc_(alive|gone|idle|leader|limits|kill)'
ci/quietly.sh "$target/ctest.log" ctest --test-dir "$target/ctest" --output-on-failure --no-tests=error --parallel "$(nproc)" \
  -R '^c\..*\.host$' -E "^c\.($others)\.|^c\.(exit|dlopen)\.[a-z_]+\.host\$" "$@" || code=$?
grep -E 'tests passed' "$target/ctest.log" || true
wait $without_leaks || code=$?
exit $code
