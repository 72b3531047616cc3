#!/usr/bin/env bash
# The C tests under ThreadSanitizer: no two threads touch the same memory without an order between them.
#
# usage: ci/tsan.sh [OPTION...]     options go to ctest, such as -R wait
#
# The library, its dependencies, std and the tests are all instrumented, so that nothing has to be suppressed. What it does not
# know are fences: it sees no order that a fence makes, and none in the tests needs one beside atomics.
# tests/c/CMakeLists.txt labels the tests that it cannot run, not-under-tsan, and says why.
# Time: twelve minutes from nothing on two cores that many others used as well.
set -euo pipefail
cd "$(dirname "$0")/.."
exec ci/sanitizer.sh thread '^c\..*\.host$' \
  race:test_races:"data race" -- "$@"
