#!/usr/bin/env bash
# The C and C++ tests and the examples, under ctest, against the release build of the library. Options go to ctest.
#
# usage: ci/c-tests.sh [OPTION...]     such as -R wait, or -V
#
# -LE vulkan                 those of the Vulkan backend are ci/vulkan.sh's.
# --parallel                 the tests wait more than they compute; tests that need the whole machine say so to ctest.
# Time: a minute from nothing, half a minute when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."

ci/c-build.sh
log=${CARGO_TARGET_DIR:-target}/c-tests
code=0
ci/ctest.sh "$log" -LE vulkan --parallel $((4 * $(nproc))) "$@" || code=$?
# ctest prints nothing of a test that passes, so the cases that one left out are named here. It does list tests that were skipped whole.
grep -as '^SKIPPED: ' "$log/Testing/Temporary/LastTest.log" | grep -v 'there is no CUDA device' | sort -u || true
exit $code
