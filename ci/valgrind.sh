#!/usr/bin/env bash
# The C tests under valgrind's memcheck: no memory is used after its end, outside its bounds or before it is written, and none is lost. It
# sees all code, that of std and of the dependencies too.
#
# usage: ci/valgrind.sh [OPTION...]     options go to ctest, such as -R wait
#
# tests/c/CMakeLists.txt labels the tests that are left out, not-under-valgrind, and says why.
. "$(dirname "$0")/lib.sh"

needs valgrind
planted=$(planted)
c_build

# Without the check for leaks: tests that fork lose in the child what only the parent's threads knew of; thread_end has a destructor that the C
# library does not call. --fair-sched: a spinning thread would keep the others out. --vgdb=no: no files for a debugger.
# --max-threads: tests have up to 1,024 workers. --read-inline-info=no: dozens of processes start in less time.
memcheck=$target/planted/memcheck
cat >"$memcheck" <<COMMAND
#!/usr/bin/env bash
leaks=(--leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite)
[[ ! "\${1##*/} \${3##*/}" =~ ^test_thread_end\ |(fork|ipc_gone|log).scn\$ ]] || leaks=()
exec valgrind --quiet --fair-sched=yes --trace-children=yes "--trace-children-skip=*/python3*" --error-exitcode=99 --vgdb=no \\
  --read-inline-info=no --max-threads=2200 "--suppressions=$PWD/tests/vulkan/valgrind.supp" "\${leaks[@]}" "\$@"
COMMAND
chmod +x "$memcheck"
planted_bug "$planted" use_after_free "Invalid read" "$memcheck" build/tests/c/test_scenario host tests/scenarios/record.scn
planted_bug "$planted" leak "definitely lost" "$memcheck" build/tests/c/test_scenario host tests/scenarios/record.scn

export TEST_UNDER=$memcheck TEST_TOOL=valgrind
quietly c_tests valgrind --parallel "$(nproc)" -R '^c\..*\.host$' -E '^c\.static' -LE not-under-valgrind "$@"
