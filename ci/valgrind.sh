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
# tests/c/CMakeLists.txt labels the tests that are left out, not-under-valgrind, and says why.
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
chosen=(-R '^c\..*\.host$' -LE not-under-valgrind)
ci/quietly.sh "$target/cmake.log" cmake -S . -B "$target/ctest" -DCMAKE_BUILD_TYPE=None -DGEVT_BUILD_EXAMPLES=OFF -DGEVT_LIBRARY="$target/sound/libgevt.so" \
  -DCMAKE_C_FLAGS="-g -O1" -DCMAKE_CXX_FLAGS="-g -O1" -DCMAKE_CROSSCOMPILING_EMULATOR="${list%;}"
ci/quietly.sh "$target/cmake.log" ci/c-programs.sh "$target/ctest" "${chosen[@]}"

# The planted bugs first: a check that does not see them would see no other.
program=$target/ctest/tests/c/test_record
ci/finds.sh "$target/planted" use_after_free "Invalid read" "${memcheck[@]}" "$program" host
ci/finds.sh "$target/planted" leak "definitely lost" "${memcheck[@]}" "${leaks[@]}" "$program" host

export TEST_TOOL=valgrind
without_leaks=(ipc_gone ipc_alive trace trace_variable fork late log ipc_leader)
(
  for subject in "${without_leaks[@]}"; do
    ci/quietly.sh "$target/$subject.log" timeout -k 10 600 "${memcheck[@]}" "$target/ctest/tests/c/test_$subject" host
  done
) &
beside=$!
trap 'kill $beside 2>/dev/null || true' EXIT
code=0
ci/quietly.sh "$target/ctest.log" ctest --test-dir "$target/ctest" --output-on-failure --no-tests=error --parallel "$(nproc)" \
  "${chosen[@]}" -E "^c\.($(IFS='|' && echo "${without_leaks[*]}"))\.host\$" "$@" || code=$?
grep -E 'tests passed' "$target/ctest.log" || true
wait $beside || code=$?
exit $code
