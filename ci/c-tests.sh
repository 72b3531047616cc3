#!/usr/bin/env bash
# The C and C++ tests and the examples, under ctest, against the release build of the library. Options go to ctest.
#
# usage: ci/c-tests.sh [OPTION...]     such as -R wait, or -V
#
# --output-on-failure        a failed test's own words.
# --no-tests=error           finding no test is a failure, not a success.
# -LE vulkan                 those of the Vulkan backend are ci/vulkan.sh's.
# --parallel                 the tests wait more than they compute; those that need the machine for themselves say so.
# Time: a minute from nothing, half a minute when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."

ci/c-build.sh
cd build
code=0
ctest --output-on-failure --no-tests=error -LE vulkan --parallel $((4 * $(nproc))) "$@" || code=$?
# ctest prints nothing of a test that passes, so the cases that one left out are named here. It does list tests that were skipped whole.
grep -as '^SKIPPED: ' Testing/Temporary/LastTest.log | grep -v 'there is no CUDA device' | sort -u || true
exit $code
