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
exec ci/sanitizer.sh address '^c\.(.*\.host$|loading)' \
  use_after_free:test_record:heap-use-after-free leak:test_record:"detected memory leaks" -- "$@"
