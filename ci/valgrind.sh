#!/usr/bin/env bash
# The C tests under valgrind's memcheck: no memory is used after its end, outside its bounds or before it is written, and none is lost. It
# sees all code, that of std and of the dependencies too.
#
# usage: ci/valgrind.sh [OPTION...]     options go to ctest, such as -R wait
#
# --fair-sched=yes           threads take turns: a spinning one would keep the others out.
# --trace-children=yes       tests that run themselves again are seen in the children too.
# --vgdb=no                  no files for a debugger, a pair for each process.
# --suppressions             what memcheck says of glibc's loader when it opens a driver.
# --leak-check=full          memory that nothing points to at exit is an error; memory that lives as long as the process is fine.
# without_leaks              these run without the check for leaks. Tests that fork lose in the child what only the parent's threads knew of;
#                            late has a destructor that the C library does not call.
# tests/c/CMakeLists.txt labels the tests that are left out, not-under-valgrind, and says why.
# Skipped without valgrind.
# Time: four minutes on two cores that others used as well.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/skip.sh

command -v valgrind >/dev/null || skip "there is no valgrind here"
target=$(ci/planted.sh plain)
ci/c-build.sh

without_leaks='ipc_gone|ipc_alive|trace|trace_variable|fork|late|log|ipc_leader'
memcheck=$target/memcheck
cat >"$memcheck" <<COMMAND
#!/usr/bin/env bash
leaks=(--leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite)
[[ ! "\${1##*/}" =~ ^test_($without_leaks)\$ ]] || leaks=()
exec valgrind --quiet --fair-sched=yes --trace-children=yes --error-exitcode=99 --vgdb=no \\
  "--suppressions=$PWD/tests/vulkan/valgrind.supp" "\${leaks[@]}" "\$@"
COMMAND
chmod +x "$memcheck"

# The planted bugs first: a check that does not see them would see no other.
ci/finds.sh "$target/planted" use_after_free "Invalid read" "$memcheck" build/tests/c/test_arrays host
ci/finds.sh "$target/planted" leak "definitely lost" "$memcheck" build/tests/c/test_arrays host

export GEVT_TEST_LIBRARY=$target/sound/libgevt.so TEST_UNDER=$memcheck TEST_TOOL=valgrind
ci/quietly.sh "$target/ctest.log" ci/ctest.sh "$target/ctest" --parallel "$(nproc)" \
  -R '^c\..*\.host$' -E '^c\.static' -LE not-under-valgrind "$@"
grep -E 'tests passed' "$target/ctest.log"
