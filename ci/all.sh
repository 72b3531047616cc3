#!/usr/bin/env bash
# Runs the checks of ci/CMakeLists.txt with ctest, all of them even if one fails, and lists what was left out. Exits non-zero if a check
# failed or the suite has none.
#
# usage: ci/all.sh SUITE [OPTION...]     test or proofs; options go to ctest, such as -R valgrind
#
# GEVT_JOBS      in the environment: how many checks run at a time, three where it is not set: a check has stretches for one core, and
#                some in which it waits.
# Time: ctest prints each check's.
set -uo pipefail
unset CDPATH
cd "$(dirname "$0")/.." || exit

suite=${1:?usage: ci/all.sh SUITE [OPTION...]}
shift
jobs=${GEVT_JOBS:-3}
[[ $jobs =~ ^[1-9][0-9]*$ ]] || { echo "ci/all.sh: GEVT_JOBS has to be a number of checks from 1 on: $jobs" >&2 && exit 2; }
# Where a disk fills up, checks fail in ways that do not name it.
free=$(df -Pk . | awk 'NR == 2 { print int($4 / 1024 / 1024) }')
[ "$free" -ge 10 ] || echo "the disk of $PWD has $free GiB left: the checks need 10"
folder=$(realpath -m "${CARGO_TARGET_DIR:-target}")/checks/$suite
log=$folder/Testing/Temporary/LastTest.log
rm -rf "$folder"
mkdir -p "$folder"
cmake -S ci -B "$folder" >"$folder/cmake.log" || exit
ctest --test-dir "$folder" --output-on-failure --no-tests=error --parallel "$jobs" -L "^$suite\$" "$@"
code=$?
grep -hs '^left out by ' "$log" | sort -u
exit $code
