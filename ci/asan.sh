#!/usr/bin/env bash
# The C tests under AddressSanitizer: no memory is used after its end or outside its bounds, and none is lost.
#
# usage: ci/asan.sh [OPTION...]     options go to ctest, such as -R wait
#
# The library and the tests are instrumented, std as it comes is not: what std does with memory on its own goes unseen, but for
# memory that it frees, allocates or copies, which the runtime sees. LeakSanitizer comes along.
# Time: 25 seconds on two cores from nothing, 15 when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/sanitizer.sh address '^c\.(.*\.host$|loading)' \
  use_after_free:test_record:heap-use-after-free leak:test_record:"detected memory leaks" -- -E '^c\.(trace|log)' "$@"
# These fork among threads. LeakSanitizer takes what only the parent's threads know of for lost in the child.
cd "$(realpath -m "${CARGO_TARGET_DIR:-target}/asan/ctest")"
ASAN_OPTIONS=detect_leaks=0 TEST_TOOL=asan ctest --output-on-failure --parallel "$(nproc)" -R '^c\.(trace|log).*\.host$' "$@"
